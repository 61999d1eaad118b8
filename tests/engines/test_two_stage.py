"""Two stages: joining the separately listed layouts and value grids yields exactly the solutions."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from brute_force import grids, placement_of, placements
from hypothesis import given
from strategies import pips_puzzles
from thoroughness import examples

import milp_pips
from milp_pips.cli import main
from milp_pips.constraints import AllEqual
from milp_pips.engines import registry
from milp_pips.extras.reference import stages
from milp_pips.problem.answer import Proof, Settings, Stop
from milp_pips.problem.errors import UsageError
from milp_pips.problem.problem import Problem, Variable
from milp_pips.problem.stopping import Deadline
from milp_pips.puzzles.family import family_of
from milp_pips.testing import board

EXAMPLES = Path(__file__).parents[2] / "examples" / "pips"
SOLVERS = ["two-stage", "two-stage:highs", "two-stage:brute"]


def solver(name):
    found = registry.solver(name)
    if found.unavailable():
        pytest.skip(found.unavailable())
    return found


def points(name, problem, key, deadline=None):
    """Return all points that the solver lists, and how the list ends."""
    listed = solver(name).points(problem, key, Settings(), deadline or Deadline())
    found = []
    while True:
        try:
            found.append(next(listed))
        except StopIteration as end:
            return found, end.value


def perfect_matchings(puzzle, covered=frozenset()):
    """Return how many ways there are to lay dominoes, whatever they show."""
    free = [cell for cell in puzzle.cells if cell not in covered]
    if not free:
        return 1
    return sum(
        perfect_matchings(puzzle, covered | set(edge))
        for edge in puzzle.edges
        if free[0] in edge and covered.isdisjoint(edge)
    )


@pytest.mark.parametrize("name", SOLVERS)
def test_the_same_solutions_as_brute_force_once_each_by_both_keys(name):
    @examples(9 if name == "two-stage:brute" else 4)
    @given(puzzle=pips_puzzles(max_dominoes=3))
    def same(puzzle):
        problem = milp_pips.state(puzzle)
        found, ending = points(name, problem, "placement")
        assert ending == (Proof.COMPLETE, Stop.FINISHED)
        assert len(found) == len(placements(puzzle))
        assert {placement_of(family_of(puzzle).decode(puzzle, point)) for point in found} == placements(
            puzzle
        )
        found, ending = points(name, problem, "grid")
        assert ending == (Proof.COMPLETE, Stop.FINISHED)
        assert len(found) == len(grids(puzzle))
        assert {
            frozenset(family_of(puzzle).decode(puzzle, point).values.items()) for point in found
        } == grids(puzzle)

    solver(name)
    same()


@pytest.mark.parametrize(("name", "formulation"), [("two-stage", "counted"), ("two-stage:highs", "streamed")])
def test_solvable_or_not_as_brute_force_says_and_counted_right(name, formulation):
    @examples(5)
    @given(puzzle=pips_puzzles(max_dominoes=3))
    def same(puzzle):
        answer = solver(name).solve(milp_pips.state(puzzle), Settings(formulation), Deadline())
        expected = placements(puzzle)
        assert (answer.proof, answer.stop) == (
            Proof.FEASIBLE if expected else Proof.INFEASIBLE,
            Stop.FINISHED,
        )
        if expected:
            assert placement_of(family_of(puzzle).decode(puzzle, answer.point)) in expected
            assert answer.statistics["layouts"] == perfect_matchings(puzzle)
        if formulation == "counted" and expected:
            assert answer.statistics["grids of values"] >= len(grids(puzzle))

    solver(name)
    same()


def test_the_command_line_tells_both_numbers(capsys):
    solver("two-stage")
    words = ["solve", str(EXAMPLES / "ring.json"), "--solver", "two-stage", "-v"]
    assert main([*words, "--formulation", "counted"]) == 0
    assert "  2 layouts, 8 grids of values\n" in capsys.readouterr().out
    assert main([*words, "--json"]) == 0
    numbers = json.loads(capsys.readouterr().out)["statistics"]
    assert list(numbers) == ["layouts", "grids of values so far"]
    assert numbers["layouts"] == 2


def test_without_a_cover_there_is_nothing_to_split_and_the_answer_says_so():
    problem = Problem((Variable("a", (1, 2)), Variable("b", (2, 3))), (AllEqual((0, 1)),), {"all": (0, 1)})
    answer = solver("two-stage:highs").solve(problem, Settings(), Deadline())
    assert (answer.point, answer.proof) == ((2, 2), Proof.FEASIBLE)
    assert answer.message == (
        "nothing to split: the problem has no domino cover, so highs has solved it as it is"
    )
    assert points("two-stage:highs", problem, "all") == ([(2, 2)], (Proof.COMPLETE, Stop.FINISHED))


def test_what_makes_no_sense_is_said():
    one = board(1, 2, [(0, 1)], [])
    two = one.with_constraints(one.constraints)
    with pytest.raises(UsageError, match="takes a problem with one domino cover apart; this one has 2"):
        solver("two-stage:highs").solve(two, Settings(), Deadline())
    listed = solver("two-stage:highs").points(one, "grid", Settings("magic"), Deadline())
    with pytest.raises(UsageError, match="unknown formulation 'magic'; two-stage knows: streamed, counted"):
        next(listed)
    with pytest.raises(UsageError, match="unknown solver 'nobody'"):
        registry.solver("two-stage:nobody")
    for name in ("two-stage:two-stage", "two-stage:two-stage:highs"):
        with pytest.raises(UsageError, match="the stages of two-stage cannot work in two stages themselves"):
            registry.solver(name)
    with pytest.raises(UsageError, match="brute has no formulations and no options"):
        solver("two-stage:brute").solve(one, Settings(options={"magic": "1"}), Deadline())


TELLING = """
import sys
from milp_pips.cli import main
from milp_pips.extras.reference.stages import Fingerprints

compare, alike = [], Fingerprints.alike

def tell(*arguments):
    if not compare:
        print("both are at work", file=sys.stderr, flush=True)
    compare.append(arguments)
    return alike(*arguments)

Fingerprints.alike = tell
sys.exit(main(sys.argv[1:]))
"""
"""Runs the command line, and tells when points of both stages are compared."""


@pytest.mark.long
def test_ctrl_c_ends_both_stages_and_leaves_a_summary(tmp_path):
    solver("two-stage")
    file = tmp_path / "square.txt"
    file.write_text("8\n" + "########\n" * 8 + "0\n32\n" + "".join(f"{i % 7} {i % 5}\n" for i in range(32)))
    words = [sys.executable, "-c", TELLING, "solve", str(file), "--solver", "two-stage", "--json"]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stderr.readline() == b"both are at work\n"
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, err) == (130, b"")
    assert json.loads(out)["stop"] == "interrupted"


def test_memory_has_a_limit(monkeypatch):
    monkeypatch.setattr(stages, "LAYOUTS_AHEAD", 1)
    monkeypatch.setattr(stages, "MAX_POINT_BYTES", 1_000)
    both = board(2, 5, [(0, 0)] * 4 + [(1, 1)], [])  # 8 layouts and 45 grids of values, of 160 bytes each
    answer = solver("two-stage:brute").solve(both, Settings("counted"), Deadline())
    assert (answer.proof, answer.stop) == (Proof.FEASIBLE, Stop.MEMORY)
    assert answer.message == (
        "neither the layouts nor the grids of values are few enough to be kept in memory"
    )
    monkeypatch.setattr(stages, "MAX_POINT_BYTES", 8_000)
    found, ending = points("two-stage:brute", board(2, 12, [(0, 0)] * 12, []), "placement")
    assert (len(found), ending[0]) == (233, Proof.COMPLETE)
