"""All solutions: every method, solver and key gives the set that brute force gives."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from brute_force import grids, placement_of, placements
from faulty_solvers import FAULTY_SOLVERS, FaultySolver
from hypothesis import given
from hypothesis import strategies as st
from processes import child_processes
from strategies import pips_puzzles
from thoroughness import examples, mostly_long

import milp_pips
from milp_pips.cli import main
from milp_pips.compilation.limits import Unfinished
from milp_pips.engines import registry
from milp_pips.engines.sat import SatSolver
from milp_pips.problem.answer import Answer, Proof, Stop
from milp_pips.problem.errors import EngineFault, UsageError
from milp_pips.problem.stopping import Deadline
from milp_pips.puzzles.family import family_of
from milp_pips.tasks.enumerate import solutions

EXAMPLES = Path(__file__).parents[2] / "examples" / "pips"
SEVERAL = milp_pips.read(EXAMPLES / "several.txt")
TWO_ROWS = milp_pips.read(Path(__file__).parents[1] / "data" / "pips" / "two_rows.txt")
"""A puzzle with 1,608 solutions, which a partition finds in several searches."""

WAYS = [
    ("diagram", ""),
    ("partition", "highs"),
    ("cuts", "highs"),
    ("cubes", "highs"),
    ("native", "brute"),
    ("native", "scip"),
    ("native", "cp-sat"),
]
SLOW_WAYS = [
    ("partition", "pyomo"),
    ("cuts", "pyomo"),
    ("cubes", "pyomo"),
    ("partition", "cbc"),
    ("cuts", "cbc"),
    ("native", "minizinc"),
]


def listed(puzzle, method, solver, distinct):
    for name in (solver or "highs",):
        reason = registry.solver(name).unavailable()
        if reason:
            pytest.skip(reason)
    found = solutions(puzzle, solver, method=method, distinct=distinct)
    every = list(found)
    assert found.summary.complete, found.summary
    assert found.summary.stop is Stop.FINISHED
    assert found.summary.solutions == len(every)
    assert found.summary.confirmed_by
    return every


def hold(puzzle, method, solver, distinct):
    every = listed(puzzle, method, solver, distinct)
    if distinct == "grid":
        shown = [frozenset(layout.values.items()) for layout in every]
        assert set(shown) == grids(puzzle)
    else:
        shown = [placement_of(layout) for layout in every]
        assert set(shown) == placements(puzzle)
    assert len(shown) == len(set(shown))


KEYS = st.sampled_from(["placement", "grid"])


@pytest.mark.parametrize("method, solver", WAYS)
def test_the_same_set_as_brute_force(method, solver):
    @examples(9 if method == "diagram" else 5)
    @given(puzzle=pips_puzzles(), distinct=KEYS)
    def same(puzzle, distinct):
        if len(placements(puzzle)) <= (200 if method == "diagram" else 30):
            hold(puzzle, method, solver, distinct)

    same()


@pytest.mark.parametrize("method, solver", SLOW_WAYS)
def test_the_same_set_by_the_slower_ways(method, solver):
    @examples(5)
    @given(puzzle=pips_puzzles(max_dominoes=3), distinct=KEYS)
    def same(puzzle, distinct):
        if len(placements(puzzle)) <= 12:
            hold(puzzle, method, solver, distinct)

    same()


@examples(4)
@given(puzzle=pips_puzzles(), distinct=KEYS)
def test_lines_of_json_from_the_diagram_are_the_same(puzzle, distinct):
    lines = list(solutions(puzzle, distinct=distinct).json_lines())
    one_by_one = [
        family_of(puzzle).to_json(puzzle, layout) for layout in solutions(puzzle, distinct=distinct)
    ]
    assert distinct_records(map(json.loads, lines)) == distinct_records(one_by_one)
    assert len(lines) == len(one_by_one)
    for line in lines[:50]:
        assert family_of(puzzle).check(puzzle, family_of(puzzle).read_solution(puzzle, line, "line")) is None


def test_several_processes_share_a_partition(tmp_path):
    out = tmp_path / "found.jsonl"
    list(solutions(SEVERAL, "brute", jobs=2, limit=5, out=str(out)))
    found = solutions(SEVERAL, "brute", jobs=2, out=str(out))
    list(found)
    assert (found.method, found.summary.solutions, found.summary.complete) == ("partition", 56, True)
    assert len(distinct_records(records(out))) == 56
    assert not child_processes("milp_pips.runtime.worker")


def test_several_processes_need_a_partition():
    with pytest.raises(UsageError, match="several jobs need the method partition or cubes or tree, not cuts"):
        solutions(SEVERAL, "highs", method="cuts", jobs=2)


def test_a_process_that_dies_is_reported():
    found = solutions(TWO_ROWS, "highs", jobs=2)
    next(found)
    for member in child_processes("milp_pips.runtime.worker"):
        member.kill()
    with pytest.raises(EngineFault, match="a process that searched a subproblem has died"):
        list(found)


def test_no_solution_is_zero_and_complete_and_confirmed():
    found = solutions(milp_pips.read(EXAMPLES / "impossible.txt"), "highs")
    assert list(found) == []
    assert (found.summary.solutions, found.summary.complete) == (0, True)
    # where the diagram is not done within its budget, the next way confirms
    assert found.summary.confirmed_by in ("the decision diagram", "PySAT's minisat22")


def test_an_empty_list_is_confirmed_by_the_cheapest_proof_that_there_is_no_solution():
    (puzzle,) = milp_pips.read_text("2\nAA\nBB\n2\nA EQ\nB EQ\n2\n1 2\n3 4\n", "unequal").values()
    found = solutions(puzzle, "highs")
    assert list(found) == []
    assert found.summary.confirmed_by == (
        "counting: the dominoes do not show what region A: all equal asks for"
    )


def test_a_limit_is_not_complete():
    for method, solver in WAYS[:4]:
        found = solutions(SEVERAL, solver, method=method, limit=5)
        assert len(list(found)) == 5
        assert (found.summary.complete, found.summary.stop) == (False, Stop.COUNT)


def test_interrupted():
    deadline = Deadline()
    found = solutions(TWO_ROWS, "highs", deadline=deadline)
    next(found)
    deadline.interrupt()
    rest = list(found)
    assert len(rest) < 1607
    assert (found.summary.complete, found.summary.stop) == (False, Stop.INTERRUPTED)


class Forgetful(FaultySolver):
    """Finds one solution and then calls the rest infeasible."""

    name = "forgetful"

    def solve(self, problem, settings, deadline):
        if len(problem.constraints) > len(milp_pips.state(SEVERAL).constraints):
            return Answer(None, Proof.INFEASIBLE, Stop.FINISHED)
        return registry.solver("highs").solve(problem, settings, deadline)


def test_an_engine_that_misses_solutions_is_found_out(monkeypatch):
    monkeypatch.setitem(registry.SOLVERS, "forgetful", f"{__name__}:Forgetful")
    found = solutions(SEVERAL, "forgetful", method="cuts")
    with pytest.raises(EngineFault, match="forgetful by cuts calls 1 solutions complete"):
        list(found)


def test_a_wrong_point_is_found_out(monkeypatch):
    monkeypatch.setitem(registry.SOLVERS, "inventor", FAULTY_SOLVERS["inventor"])
    with pytest.raises(EngineFault, match="inventor gave a point that breaks a rule of several"):
        next(solutions(SEVERAL, "inventor", method="cuts"))


def test_auto_is_the_diagram_or_the_solver_named():
    assert solutions(SEVERAL).method == "diagram"
    assert solutions(SEVERAL, "highs").method == "partition"
    assert solutions(SEVERAL, "cbc").method == "partition"
    assert solutions(SEVERAL, "brute").method == "native"
    assert solutions(SEVERAL, "diagram").method == "diagram"
    with pytest.raises(UsageError, match="the solver diagram lists all solutions by the method diagram"):
        solutions(SEVERAL, "diagram", method="cuts")
    with pytest.raises(UsageError, match="the decision diagram needs no solver"):
        solutions(SEVERAL, "highs", method="diagram")
    with pytest.raises(UsageError, match="cbc has no enumeration of its own"):
        list(solutions(SEVERAL, "cbc", method="native"))
    with pytest.raises(UsageError, match="unknown key 'colour'; known: placement, grid"):
        solutions(SEVERAL, distinct="colour")


def run(*words):
    command = [sys.executable, "-m", "milp_pips", "enumerate", *map(str, words)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def records(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def distinct_records(found):
    return {
        json.dumps([sorted(map(sorted, (d["cells"] for d in r.get("dominoes", [])))), r["grid"]])
        for r in found
    }


@pytest.mark.parametrize(
    "method",
    mostly_long(1, ["partition", "cubes", "cuts"]),
)
def test_killed_half_way_and_resumed_loses_none_and_doubles_none(method, tmp_path, capsys):
    out = tmp_path / "found.jsonl"
    words = [EXAMPLES / "several.txt", "--method", method, "--out", out, "--quiet"]
    process = run(*words)
    deadline = time.monotonic() + 30
    wanted = random.Random(method).randint(3, 20)
    while time.monotonic() < deadline and process.poll() is None:
        if out.exists() and out.read_bytes().count(b"\n") >= wanted:
            break
        time.sleep(0.002)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    state = tmp_path / "found.jsonl.state"
    if not json.loads(state.read_text())["state"]["complete"]:
        with out.open("ab") as stream:
            stream.write(b'{"grid": [[5, 3, nu')  # a torn line, as a kill may leave
    assert main(["enumerate", *map(str, words)]) == 0
    stdout = capsys.readouterr().out
    assert "56 solutions" in stdout
    assert ", complete, " in stdout
    found = records(out)
    assert len(found) == 56
    assert len(distinct_records(found)) == 56
    assert json.loads(state.read_text())["state"]["complete"]


def test_a_limit_can_be_raised_later(tmp_path):
    out = tmp_path / "found.jsonl"
    for limit, expected in ((10, 10), (25, 25), (None, 56)):
        list(solutions(SEVERAL, "highs", out=str(out), limit=limit))
        assert len(distinct_records(records(out))) == len(records(out)) == expected


def test_a_file_of_something_else_is_left_alone(tmp_path):
    out = tmp_path / "found.jsonl"
    out.write_text("my diary\n")
    with pytest.raises(UsageError, match="exists already, and no enumeration can resume from it"):
        solutions(SEVERAL, "highs", out=str(out))
    assert out.read_text() == "my diary\n"
    out.unlink()
    list(solutions(SEVERAL, "highs", out=str(out), limit=3))
    with pytest.raises(UsageError, match="belongs to another enumeration"):
        solutions(SEVERAL, "highs", out=str(out), distinct="grid")


def test_ctrl_c_gives_the_summary_and_130(tmp_path):
    process = run(EXAMPLES / "several.txt", "--solver", "highs", "--method", "cuts", "--json")
    first = process.stdout.readline()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=20)
    assert "grid" in json.loads(first)
    summary = json.loads(out.splitlines()[-1])["summary"]
    assert (process.returncode, err) == (130, b"")
    assert (summary["complete"], summary["stop"], summary["key"]) == (False, "interrupted", "placement")


def test_the_command_line_streams_json(capsys):
    assert main(["enumerate", str(EXAMPLES / "several.txt"), "--json"]) == 0
    *found, last = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert len(distinct_records(found)) == 56
    assert last["summary"].keys() == {
        "solutions", "key", "complete", "stop", "method", "solver", "seconds", "confirmed_by", "judged"
    }  # fmt: skip
    assert (last["summary"]["solutions"], last["summary"]["complete"]) == (56, True)


def test_the_family_judges_the_first_solutions_and_a_sample(monkeypatch):
    monkeypatch.setattr("milp_pips.tasks.listers.SAMPLED", 10)
    judged = []
    family = family_of(SEVERAL)
    watching = replace(
        family, check=lambda puzzle, found: judged.append(found) or family.check(puzzle, found)
    )
    monkeypatch.setattr("milp_pips.tasks.pipeline.family_of", lambda _: watching)
    listed = milp_pips.solutions(SEVERAL, "sat")
    found = list(listed)
    assert found[:10] == judged[:10]
    assert 10 < len(judged) < len(found) == 56
    assert listed.summary.judged == len(judged)


def test_every_point_of_an_engine_satisfies_the_constraints(monkeypatch):
    """A point far into a list is wrong; no family looks at it."""
    monkeypatch.setattr("milp_pips.tasks.listers.CHECKED_POINTS", 0)
    monkeypatch.setattr("milp_pips.tasks.listers.SAMPLED", 10**9)
    right = SatSolver.points

    def points(self, problem, key, settings, deadline):
        ended = yield from (
            point if number != 30 else (*point[:1], 9, *point[2:])
            for number, point in enumerate(right(self, problem, key, settings, deadline))
        )
        return ended

    monkeypatch.setattr(SatSolver, "points", points)
    with pytest.raises(EngineFault, match="sat gave a point that breaks a rule of several"):
        list(milp_pips.solutions(SEVERAL, "sat"))


def test_a_space_that_is_too_large_leaves_half_of_the_time_to_an_engine(monkeypatch):
    left = []

    def give_up(_prepared, _key, _budget, deadline):
        left.append(deadline.remaining)
        raise Unfinished("the space is too large", Stop.TIME)

    monkeypatch.setattr("milp_pips.tasks.strategies.compile_prepared", give_up)
    assert len(list(solutions(SEVERAL, seconds=60))) == 56
    assert 20 < left[0] < 31
