"""Exact counts, counts of each cell's values, and uniform samples."""

from __future__ import annotations

import json
import random
import sys
import time
from collections import Counter
from math import factorial
from pathlib import Path

import pytest
from brute_force import grids, placement_of, placements
from generated import random_puzzle
from hypothesis import given
from strategies import pips_puzzles
from thoroughness import examples, mostly_long

import milp_pips
from milp_pips import Problem, Variable
from milp_pips.cli import main
from milp_pips.compilation.estimating import Estimate
from milp_pips.compilation.limits import Unfinished
from milp_pips.compilation.solution_set import SolutionSet
from milp_pips.constraints import AllEqual, Fixed, LinearSum, Relation
from milp_pips.problem.answer import Answer, Proof, Stop
from milp_pips.problem.errors import Contradiction, EngineFault, UsageError
from milp_pips.propagation import supply_certificates
from milp_pips.puzzles.family import family_of
from milp_pips.tasks.compile import compile_prepared, sample
from milp_pips.tasks.count import count
from milp_pips.testing import board
from milp_pips.verification import recounting, second_opinion

EXAMPLES = Path(__file__).parents[2] / "examples" / "pips"
SEVERAL = milp_pips.read(EXAMPLES / "several.txt")


@examples(9)
@given(puzzle=pips_puzzles())
def test_both_counts_as_brute_force_says(puzzle):
    result = count(puzzle, cells=True)
    expected = placements(puzzle)
    assert result.counts == {"placement": len(expected), "grid": len(grids(puzzle))}
    assert (result.complete, result.stop) == (True, Stop.FINISHED)
    often = {cell: Counter() for cell in puzzle.cells}
    for placement in expected:
        for domino in placement:
            for cell, pip in domino:
                often[cell][pip] += 1
    assert [dict(taken) for taken in result.cells.values()] == [dict(often[cell]) for cell in puzzle.cells]


def test_examples_have_the_counts_that_their_table_says():
    table = {}
    for line in (EXAMPLES / "README.md").read_text().splitlines():
        if line.startswith("| `"):
            name, _, number = (part.strip() for part in line.strip("|").split("|"))
            table[name.strip("`")] = number.split()[0]
    for name, number in table.items():
        for puzzle in milp_pips.read_all(EXAMPLES / name).values():
            assert count(puzzle, ["placement"]).counts["placement"] == int(number), puzzle.name
    assert set(table) == {p.name for p in EXAMPLES.iterdir()} - {"README.md"}


@pytest.fixture
def without_estimates(monkeypatch):
    """Let no estimate take its seconds."""
    monkeypatch.setattr("milp_pips.compilation.estimating.estimate", lambda *_: None)


@pytest.mark.usefixtures("without_estimates")
def test_what_does_not_fit_is_a_lower_bound_and_not_complete():
    result = count(random_puzzle(16, 1), memory=2**20)
    assert (result.complete, result.stop) == (False, Stop.MEMORY)
    assert result.counts == {"placement": None, "grid": None}
    assert min(result.at_least["placement"], result.at_least["grid"]) >= 1
    assert result.method == "lower bound: the decision diagram grows too large"
    result = count(random_puzzle(40, 1), seconds=0.05)
    assert (result.complete, result.stop) == (False, Stop.TIME)


def test_unknown_key():
    with pytest.raises(UsageError, match="unknown key 'colour'; known: placement, grid"):
        count(SEVERAL, ["colour"])


def test_command_line(capsys):
    assert main(["count", str(EXAMPLES / "several.txt"), "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert list(record) == ["puzzle", "placements", "grids", "complete", "stop", "seconds", "method"]
    assert (record["placements"], record["grids"], record["complete"]) == (56, 56, True)
    assert main(["count", str(EXAMPLES / "several.txt"), "--json", "--distinct", "placement"]) == 0
    assert "grids" not in json.loads(capsys.readouterr().out)
    assert main(["count", str(EXAMPLES / "several.txt"), "--json", "--cells", "--distinct", "grid"]) == 0
    assert json.loads(capsys.readouterr().out)["cells"]["r2c2"] == {"1": 56}
    assert main(["count", str(EXAMPLES / "several.txt"), "--cells"]) == 0
    assert "forced: 8 of 18 cells" in capsys.readouterr().out
    assert main(["count", str(EXAMPLES / "several.txt"), "--cells", "--svg"]) == 0
    assert capsys.readouterr().out.startswith("<svg")
    assert main(["count", str(EXAMPLES / "impossible.txt")]) == 0
    out = capsys.readouterr().out
    assert "0 placements and 0 grids" in out
    assert "confirmed by" in out


def test_samples_are_solutions_and_the_seed_decides():
    first, again, other = (sample(SEVERAL, 20, seed=seed) for seed in (1, 1, 2))
    assert first == again != other
    assert all(family_of(SEVERAL).check(SEVERAL, layout) is None for layout in first)
    assert sample(milp_pips.read(EXAMPLES / "impossible.txt"), 5) == []


@pytest.mark.parametrize("distinct", mostly_long(1, ["grid", "placement"]))
def test_samples_are_uniform(distinct):
    """Chi-square: 56 solutions, 2,800 draws; 99.9 % of uniform samples stay below 93 with 55 degrees."""
    drawn = sample(SEVERAL, 2800, seed=3, distinct=distinct)
    seen = Counter(placement_of(x) if distinct == "placement" else frozenset(x.values.items()) for x in drawn)
    assert len(seen) == 56
    assert sum((n - 50) ** 2 / 50 for n in seen.values()) < 93


def test_sample_command(capsys):
    assert main(["sample", str(EXAMPLES / "several.txt"), "-n", "3", "--json"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 3
    assert main(["sample", str(EXAMPLES / "impossible.txt")]) == 1


@pytest.fixture
def too_large(monkeypatch):
    """Let no diagram of all solutions fit."""

    def compile_some(*arguments, widths=()):
        if not widths:
            raise Unfinished("the decision diagram grows too large", Stop.MEMORY)
        return compile_prepared(*arguments, widths=widths)

    monkeypatch.setattr("milp_pips.tasks.count.compile_prepared", compile_some)


@pytest.mark.parametrize("widths, bound", [((1000,), 56), ((2,), 40), ((0,), 1)])
def test_a_bound_is_what_some_solutions_prove(widths, bound, too_large, monkeypatch):
    """A wide diagram has all 56 solutions, a narrow one some of them; without any an engine finds one."""
    monkeypatch.setattr("milp_pips.tasks.count.BOUND_WIDTHS", widths)
    result = count(SEVERAL)
    assert (result.complete, result.stop) == (False, Stop.MEMORY)
    assert result.at_least == {"placement": bound, "grid": bound}


@pytest.mark.usefixtures("too_large", "without_estimates")
def test_a_bound_within_a_time_limit_is_what_an_engine_lists(monkeypatch):
    """Placements that differ may show the same grid, so their list proves one grid alone."""
    monkeypatch.setattr("milp_pips.tasks.count.BOUND_WIDTHS", (0,))
    assert count(SEVERAL, seconds=60).at_least == {"placement": 56, "grid": 1}


def test_counting_waits_for_two_solutions_and_not_for_their_list(monkeypatch):
    """The search comes first, as for large Sudokus; the list of all solutions does not end."""
    monkeypatch.setattr("milp_pips.tasks.count._is_better_searched", lambda _: True)
    monkeypatch.setattr("milp_pips.tasks.search_beside.FIRST_SEARCH_SHARE", 1.0)
    free = Problem(tuple(Variable(f"x{i}", (0, 1)) for i in range(60)), (), {"all": tuple(range(60))})
    assert count(free, seconds=20).counts == {"all": 2**60}


def test_what_is_not_known_is_bounded_and_estimated_and_says_which(too_large, monkeypatch, capsys):
    """Small diagrams hold this puzzle, so its estimate is exact, and no bound was needed below it."""
    monkeypatch.setattr("milp_pips.tasks.count.BOUND_WIDTHS", (2,))
    result = count(SEVERAL, ["placement"])
    assert (result.complete, result.counts, result.at_least) == (
        False,
        {"placement": None},
        {"placement": 40},
    )
    assert result.estimates["placement"] == Estimate(56, 56, 56, 0)
    record = result.to_json()
    assert record["placements"] is None  # 40 would be read as the number
    assert record["at_least"] == {"placements": 40}
    assert record["estimate"] == {"placements": {"value": 56, "low": 56, "high": 56, "samples": 0}}
    assert "at least 40 placements, estimate: exactly 56" in str(result)


def test_a_number_that_is_known_stays_exact_beside_one_that_is_not(monkeypatch):
    project = SolutionSet.project

    def only_placements(space, key, *limits):
        if key == "grid" and space.is_complete:
            raise Unfinished("the projection grows too large", Stop.MEMORY)
        return project(space, key, *limits)

    monkeypatch.setattr(SolutionSet, "project", only_placements)
    result = count(SEVERAL)
    assert (result.complete, result.counts, list(result.at_least)) == (
        False,
        {"placement": 56, "grid": None},
        ["grid"],
    )
    assert str(result).startswith("several: 56 placements and at least ")
    record = result.to_json()
    assert (record["placements"], record["grids"], list(record["at_least"])) == (56, None, ["grids"])


def test_a_number_that_nothing_confirms_is_neither_a_count_nor_a_bound(monkeypatch):
    pytest.importorskip("pyscipopt")
    monkeypatch.setattr(second_opinion, "on_complete", lambda *_: None)
    result = count(SEVERAL, solver="scip")
    assert (result.complete, result.counts, result.at_least) == (False, {"placement": None}, {"placement": 0})
    assert "scip counts 56, but nothing has confirmed it" in str(result)


def test_an_engine_that_counts_is_confirmed():
    pytest.importorskip("pyscipopt")
    result = count(SEVERAL, solver="scip")
    assert (result.complete, result.counts, result.method) == (True, {"placement": 56}, "scip")
    assert result.confirmed_by == "the decision diagram, which counts as many"
    result = count(milp_pips.read(EXAMPLES / "impossible.txt"), solver="scip", rules=())
    assert (result.complete, result.counts) == (True, {"placement": 0})
    with pytest.raises(UsageError, match="several may be one grid"):
        count(SEVERAL, ["grid"], solver="scip")
    with pytest.raises(UsageError, match="highs cannot count"):
        count(SEVERAL, solver="highs")
    with pytest.raises(UsageError, match="only the solution space counts cells"):
        count(SEVERAL, solver="scip", cells=True)


def test_a_wrong_count_is_contradicted(monkeypatch):
    wrong = Answer(None, Proof.COMPLETE, Stop.FINISHED, count=57)
    monkeypatch.setattr("milp_pips.engines.registry.count_by_engine", lambda *_: wrong)
    with pytest.raises(EngineFault, match="scip calls 57 solutions complete, the decision diagram counts 56"):
        count(SEVERAL, solver="scip")
    monkeypatch.setattr(recounting, "_count_unfiltered", lambda *_: None)
    with pytest.raises(EngineFault, match="scip counts 57, the solution space 56"):
        count(SEVERAL, solver="scip")


def test_a_filter_that_refutes_what_has_solutions_is_found_out(monkeypatch):
    def refute(*_):
        raise Contradiction("it seems so")

    monkeypatch.setattr("milp_pips.tasks.query.reduce_domains", refute)
    with pytest.raises(EngineFault, match="filtering counts no solution, but the decision diagram has one"):
        count(SEVERAL)


def test_a_zero_that_nothing_confirms_is_not_complete(monkeypatch):
    monkeypatch.setattr(supply_certificates, "obstruction", lambda _: None)
    monkeypatch.setattr("milp_pips.engines.defaults.SECOND_OPINIONS", ())
    result = count(milp_pips.read(EXAMPLES / "impossible.txt"))
    assert (result.complete, result.confirmed_by) == (False, None)
    assert "nothing has confirmed it" in str(result)


def test_a_count_is_one_if_engines_confirm_that_there_is_no_other(monkeypatch):
    """The space of a Sudoku of 25 rows is too large; this one is given up at once."""
    whole, module = compile_prepared, sys.modules["milp_pips.tasks.count"]

    def given_up(*arguments, widths=(), **more):
        if not widths:
            raise Unfinished("the space is too large", Stop.MEMORY)
        return whole(*arguments, widths=widths, **more)

    monkeypatch.setattr(module, "compile_prepared", given_up)
    puzzle = milp_pips.read(EXAMPLES.parent / "sudoku" / "ordinary.txt")
    counted = milp_pips.count(puzzle, seconds=30)
    assert (counted.counts, counted.complete, counted.at_least) == ({"grid": 1}, True, {})
    assert counted.method == "an engine finds no other solution"
    assert counted.confirmed_by
    several = milp_pips.read_text("sudoku\n12..\n....\n....\n....\n")[""]
    counted = milp_pips.count(several, seconds=3)
    assert not counted.complete
    assert counted.at_least["grid"] > 1


@pytest.fixture
def endless_counting(monkeypatch):
    """Let counting the solution space run until its deadline stops it."""

    def count_until_told(*arguments, widths=(), **more):
        if widths:
            return compile_prepared(*arguments, widths=widths, **more)
        while not (stop := arguments[-1].stop):
            time.sleep(0.01)
        raise Unfinished("the space is too large", stop)

    monkeypatch.setattr("milp_pips.tasks.count.compile_prepared", count_until_told)
    monkeypatch.setattr("milp_pips.tasks.search_beside.SEARCH_BESIDE_AFTER", (0.0, 0.0))


@pytest.mark.usefixtures("endless_counting")
def test_a_large_sudoku_with_one_solution_is_counted_without_a_time_limit(monkeypatch):
    monkeypatch.setattr("milp_pips.tasks.count._is_better_searched", lambda _: True)
    puzzle = milp_pips.read(EXAMPLES.parent / "sudoku" / "ordinary.txt")
    counted = milp_pips.count(puzzle)
    assert (counted.counts, counted.complete) == ({"grid": 1}, True)


@pytest.mark.usefixtures("endless_counting")
def test_the_cells_of_the_only_solution_that_engines_confirm_take_one_value_each():
    puzzle = milp_pips.read(EXAMPLES.parent / "sudoku" / "ordinary.txt")
    counted = milp_pips.count(puzzle, cells=True, seconds=60)
    assert (counted.counts, counted.complete) == ({"grid": 1}, True)
    solution = milp_pips.solve(puzzle).solution
    assert list(counted.cells.values()) == [{int(value): 1} for row in solution for value in row]


@pytest.mark.usefixtures("endless_counting")
def test_one_solution_by_the_first_key_is_a_lower_bound_for_a_key_with_more():
    variables = (Variable("a", (1,)), Variable("b", (0, 1)))
    problem = Problem(variables, (), {"first": (0,), "all": (0, 1)})
    counted = count(problem, "all", seconds=1)
    assert (counted.complete, counted.stop) == (False, Stop.TIME)
    assert counted.at_least["all"] >= 1


def test_boards_with_many_free_cells_are_counted_as_their_diagrams_count():
    """Alike dominoes and doubles, sums, values given, and two areas that share kinds of dominoes."""
    rng, methods = random.Random(5), set()
    for _ in range(12):
        dominoes = [tuple(rng.choices(range(4), k=2)) for _ in range(6)]
        ruled = rng.sample(range(12), 5)
        rules = [AllEqual(ruled[:2]), LinearSum(ruled[2:4], Relation.LE, 4), Fixed(ruled[4], 1)]
        problem = board(3, 4, dominoes, rng.sample(rules, rng.randrange(4)))
        counted = count(problem, "placement")
        assert counted.counts == {"placement": milp_pips.compile(problem).count}
        methods.add(counted.method)
    assert "dynamic programming" in methods


def test_a_large_board_without_rules_has_the_orders_of_its_dominoes_in_each_covering():
    dominoes = sorted((a, b) for b in range(7) for a in range(b + 1))[:18]
    turned = sum(a < b for a, b in dominoes)
    counted = count(board(6, 6, dominoes, []), "placement")
    assert counted.counts == {"placement": 6728 * factorial(18) * 2**turned}


def test_a_rule_on_more_cells_than_the_dominoes_have_halves_has_no_solution():
    problem = board(1, 4, [(1, 2)], [LinearSum(range(4), Relation.EQ, 6)])
    assert count(problem).counts == {"placement": 0, "grid": 0}
