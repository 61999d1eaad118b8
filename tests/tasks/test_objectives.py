"""Objectives: the best solution, the k best, and all that are near the best, against brute force."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from functools import cache
from itertools import cycle, pairwise, product
from pathlib import Path

import pytest
from brute_force import fits
from faulty_solvers import FAULTY_SOLVERS
from generated import random_puzzle
from thoroughness import few_or_many

import milp_pips
from milp_pips.cli import main
from milp_pips.constraints import LinearSum, PairSum, Relation
from milp_pips.engines import registry
from milp_pips.engines.registry import ask
from milp_pips.problem.answer import Proof, Settings
from milp_pips.problem.errors import EngineFault, UsageError
from milp_pips.problem.objective import Objective
from milp_pips.problem.problem import Problem, Variable
from milp_pips.problem.stopping import Deadline
from milp_pips.tasks.objectives import read_objective

EXAMPLES = Path(__file__).parents[2] / "examples"
FILE = str(EXAMPLES / "pips" / "several.txt")
SEVERAL = milp_pips.read(FILE)
REGION_A = ((0, 0), (0, 1), (1, 0))
ENGINES = ("", "highs", "sat", "cp-sat", "diagram", "brute")


@cache
def all_solutions():
    return list(milp_pips.solutions(SEVERAL))


def flat(layout) -> int:
    return sum(one[0] == other[0] for _, (one, other) in layout.dominoes)


EXPRESSIONS = {
    "sum(A)": lambda s: sum(s.values[c] for c in REGION_A),
    "r1c4": lambda s: s.values[0, 3],
    "-2*r1c1 + 3 * r2c1 - 7": lambda s: -2 * s.values[0, 0] + 3 * s.values[1, 0] - 7,
    "pips(1)": lambda s: sum(v == 1 for v in s.values.values()),
    "pips(5, region A) + r3c2=5": lambda s: sum(s.values[c] == 5 for c in REGION_A) + (s.values[2, 1] == 5),
    "flat": flat,
    "upright - flat": lambda s: len(s.dominoes) - 2 * flat(s),
    "2*(r1c4 - (r2c4 + flat))*3 - sum(all)": lambda s: (
        6 * (s.values[0, 3] - s.values[1, 3] - flat(s)) - sum(s.values.values())
    ),
    "1000003*r1c4 + r4c4": lambda s: 1_000_003 * s.values[0, 3] + s.values[3, 3],
    "'r1c4'": lambda s: s.values[0, 3],
    "12": lambda s: 12,
}


@pytest.mark.parametrize(("text", "sense"), list(zip(EXPRESSIONS, cycle(["maximise", "minimise"]))))
def test_the_optimum_is_that_of_all_solutions(text, sense):
    best = (max if sense == "maximise" else min)(map(EXPRESSIONS[text], all_solutions()))
    result = milp_pips.solve(SEVERAL, **{sense: text})
    assert result.status == "solved"
    found = result.objective
    assert EXPRESSIONS[text](result.solution) == best
    assert (found.sense, found.expression, found.value, found.bound) == (sense, text, best, best)
    assert found.is_optimal
    assert found.confirmed_by or text == "12"


@pytest.mark.parametrize("solver", ENGINES)
def test_the_best_solutions_are_the_first_of_all_in_order(solver):
    text = "r1c4 - 2*r4c4 + flat"
    values = sorted((s.values[0, 3] - 2 * s.values[3, 3] + flat(s) for s in all_solutions()), reverse=True)
    for k in (5,) if solver else (1, 5, 100):
        found = milp_pips.solutions(SEVERAL, solver, maximise=text, best=k)
        listed = list(found)
        assert [found.value(solution) for solution in listed] == values[:k]
        assert len({str(solution) for solution in listed}) == len(listed)
        assert found.summary.complete, found.summary
        assert found.summary.confirmed_by
    assert 5 < len(values) < 100


def test_solutions_near_the_optimum():
    text = "r1c4"
    values = sorted(map(EXPRESSIONS[text], all_solutions()))
    for within in (0, 2):
        near = [value for value in values if value <= values[0] + within]
        found = milp_pips.solutions(SEVERAL, minimise=text, within=within)
        assert sorted(map(found.value, found)) == near
        assert found.summary.complete
        counted = milp_pips.count(SEVERAL, ["placement"], minimise=text, within=within)
        assert (counted.counts, counted.complete) == ({"placement": len(near)}, True)
        assert counted.objective.value == found.summary.objective.value == values[0]


def test_a_known_solution_is_the_least_that_is_returned():
    puzzle = milp_pips.read(EXAMPLES / "pips" / "several.txt")
    aim = "r1c4 - 2*r4c4"
    known = milp_pips.solve(puzzle, minimise=aim).solution
    found = milp_pips.solve(puzzle, "highs", maximise=aim, start=known)
    assert (found.objective.value, found.objective.is_optimal) == (2, True)
    stopped = milp_pips.solve(puzzle, "highs", maximise=aim, start=known, seconds=0)
    assert (stopped.status, stopped.solution, stopped.stop) == ("solved", known, "time")
    assert not stopped.objective.is_optimal
    with pytest.raises(UsageError, match="give an objective"):
        milp_pips.solve(puzzle, start=known)
    other = milp_pips.solve(milp_pips.read(EXAMPLES / "pips" / "easy.txt")).solution
    with pytest.raises((UsageError, ValueError, KeyError)):
        milp_pips.solve(puzzle, maximise=aim, start=other)


def test_incumbents_are_reported_as_they_are_found():
    puzzle = milp_pips.read(EXAMPLES / "pips" / "several.txt")
    for solver in ("brute", "highs", "cp-sat", "sat"):
        said = []
        result = milp_pips.solve(puzzle, solver, maximise="random(5)", on_progress=said.append)
        values = [int(line.split()[-1]) for line in said if line.startswith("a solution with the value")]
        assert values, solver
        assert values == sorted(set(values)), solver
        assert values[-1] == result.objective.value, solver


def test_random_weights_depend_on_the_number_and_the_area():
    problem = milp_pips.state(milp_pips.read(EXAMPLES / "pips" / "several.txt"))
    one, same, other = (
        read_objective(text, "maximise", problem) for text in ("random(1)", "random(1)", "random(2)")
    )
    assert one.terms == same.terms != other.terms
    assert {v for v, _, _ in read_objective("random(1, few)", "maximise", problem).terms} < {
        v for v, _, _ in one.terms
    }
    places = {v for v, _, _ in read_objective("random(1, places)", "maximise", problem).terms}
    assert places.isdisjoint(v for v, _, _ in one.terms)
    with pytest.raises(UsageError, match="character 8: expected a number, which decides the weights"):
        read_objective("random(x)", "maximise", problem)


def test_a_bare_problem_brings_its_objective():
    problem = Problem((Variable("x", (0, 1, 2)), Variable("y", (0, 5))), ())
    objective = Objective(((0, 1, 10), (0, 2, -3), (1, 5, 4)), "maximise", 100)
    assert milp_pips.solve(problem).objective is None
    result = milp_pips.solve(problem.with_objective(objective))
    assert dict(result.solution) == {"x": 1, "y": 5}
    assert (result.objective.value, result.objective.expression) == (114, "the objective")
    assert [*map(dict, milp_pips.solutions(problem.with_objective(objective), best=2))] == [
        {"x": 1, "y": 5},
        {"x": 1, "y": 0},
    ]


def test_no_solution_has_no_objective():
    result = milp_pips.solve(milp_pips.read(EXAMPLES / "pips" / "impossible.txt"), maximise="r1c1")
    assert (result.status, result.objective) == ("infeasible", None)
    assert result.confirmed_by
    impossible = milp_pips.read(EXAMPLES / "pips" / "impossible.txt")
    for options in ({"best": 3}, {"within": 2}):
        found = milp_pips.solutions(impossible, maximise="r1c1", **options)
        assert list(found) == []
        assert found.summary.complete


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "character 1: expected a number, a cell, sum(area), pips(number), flat or upright, not the end"),
        ("r1c1 r1c2", "character 6: expected +, -, * or the end, not 'r1c2'"),
        ("r1c1*r1c2", "character 10: expected a number on one side of *: an objective is linear"),
        ("sum(Q)", "character 5: expected an area, not 'Q'; there are all, A, B, C, D, E, F"),
        ("sum(A", "character 6: expected ), not the end"),
        ("A + 1", "character 1: expected a cell, not 'A'; the sum of region A is sum(A)"),
        ("r1c9", "character 1: expected a cell, not 'r1c9'; did you mean r1c"),
        ("pips(x)", "character 6: expected a number, not 'x'"),
        ("1 \x1b[31m", "character 3: expected +, -, * or the end, not '\\\\u001b"),
        ("(" * 60 + "1" + ")" * 60, "expected at most 50 brackets in one another"),
        ("9999999999", "character 1: expected a cell, not '9999999999'"),
        ("100000000*sum(all)", "the weights of an objective sum to"),
        ("1+" * 6000 + "1", "the objective has 12001 characters; expected at most 10000"),
    ],
)
def test_a_mistake_in_an_objective_is_named(text, message):
    with pytest.raises(UsageError) as error:
        milp_pips.solve(SEVERAL, maximise=text)
    assert message in str(error.value)
    assert str(error.value).isprintable()


def test_dominoes_lie_on_no_sudoku():
    with pytest.raises(UsageError, match="expected a puzzle with dominoes"):
        milp_pips.solve(milp_pips.read(EXAMPLES / "sudoku" / "ordinary.txt"), maximise="flat")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"maximise": "r1c1"}, "an objective needs best or within"),
        ({"best": 2}, "the best solutions need an objective"),
        ({"within": 2}, "a distance from the optimum needs an objective"),
        ({"maximise": "r1c1", "best": 2, "limit": 3}, "listed one after another: omit limit"),
        ({"maximise": "flat", "best": 2, "distinct": "grid"}, "the keys that determine it: placement"),
        (
            {"maximise": "r1c1", "best": 2, "solver": "cdcl"},
            "cdcl takes no objective; these solvers do: highs,",
        ),
    ],
)
def test_what_does_not_go_together_is_refused(options, message):
    with pytest.raises(UsageError, match=message):
        list(milp_pips.solutions(SEVERAL, **options))


def test_solve_and_count_refuse_what_makes_no_sense():
    with pytest.raises(UsageError, match="omit unique"):
        milp_pips.solve(SEVERAL, maximise="r1c1", unique=True)
    with pytest.raises(TypeError, match="give one objective"):
        milp_pips.solve(SEVERAL, maximise="r1c1", minimise="r1c2")
    with pytest.raises(TypeError, match="takes an expression"):
        milp_pips.solve(SEVERAL, maximise=3)
    with pytest.raises(UsageError, match="an objective needs within"):
        milp_pips.count(SEVERAL, maximise="r1c1")


@pytest.fixture
def faulty_solvers(monkeypatch):
    for name, where in FAULTY_SOLVERS.items():
        monkeypatch.setitem(registry.SOLVERS, name, where)


@pytest.mark.usefixtures("faulty_solvers")
def test_a_wrong_optimum_is_a_fault():
    result = milp_pips.solve(SEVERAL, "complacent", maximise="r1c4")
    best = max(s.values[0, 3] for s in all_solutions())
    assert result.fault.startswith("complacent calls ")
    assert " optimal, but " in result.fault
    assert result.objective.value > min(s.values[0, 3] for s in all_solutions())
    assert not result.objective.is_optimal
    assert result.objective.value <= best
    found = milp_pips.solutions(SEVERAL, "complacent", maximise="r1c4", best=1)
    with pytest.raises(EngineFault, match="calls 0 solutions complete"):
        list(found)


def test_without_a_confirmation_nothing_is_called_optimal(monkeypatch):
    monkeypatch.setattr("milp_pips.engines.defaults.SECOND_OPINIONS", ())
    monkeypatch.setattr("milp_pips.verification.second_opinion.filter_domains", lambda _: None)
    result = milp_pips.solve(SEVERAL, "highs", maximise="r1c4 - r4c4")
    assert not result.objective.is_optimal
    assert "but nothing has confirmed it" in result.remark


def test_the_command_line(capsys):
    assert main(["solve", FILE, "--maximise", "r1c4", "--json"]) == 0
    line = json.loads(capsys.readouterr().out)
    best = max(s.values[0, 3] for s in all_solutions())
    assert line["objective"] == {"sense": "maximise", "expression": "r1c4", "value": best, "bound": best}
    assert line["proof"] == "optimal"
    assert main(["solve", FILE, "--minimise", "flat", "--quiet"]) == 0
    assert (
        f"flat is {min(map(flat, all_solutions()))}, the least value, confirmed by" in capsys.readouterr().out
    )
    assert main(["enumerate", FILE, "--maximise", "r1c4", "--best", "4", "--json"]) == 0
    *lines, last = map(json.loads, capsys.readouterr().out.splitlines())
    values = [line["objective"] for line in lines]
    assert all(one >= other for one, other in pairwise(values))
    assert last["summary"]["complete"]
    assert main(["enumerate", FILE, "--maximise", "r1c4", "--within", "0", "--json"]) == 0
    *lines, last = map(json.loads, capsys.readouterr().out.splitlines())
    assert {line["objective"] for line in lines} == {best}
    assert last["summary"]["objective"]["value"] == best
    assert main(["count", FILE, "--maximise", "r1c4", "--within", "0", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["placements"] == len(lines)
    assert main(["enumerate", FILE, "--minimise", "r1c4", "--best", "1"]) == 0
    assert "value 0" in capsys.readouterr().out


def test_great_weights_do_not_let_a_column_miss_a_row_by_a_millionth():
    """HiGHS rounds columns to 1e-6; a weight of a million makes that 1."""
    rng, variables = random.Random(7), tuple(Variable(f"x{i}", (0, 1, 2)) for i in range(8))
    terms = tuple((v, a, rng.randint(-(10**6), 10**6)) for v in range(8) for a in (0, 1, 2))
    weight = {(v, a): times for v, a, times in terms}
    points = [point for point in product((0, 1, 2), repeat=8) if sum(point) == 7]
    best = max(sum(weight[pair] for pair in enumerate(point)) for point in points)
    rules = LinearSum(tuple(range(8)), Relation.EQ, 7, "total"), PairSum(terms, best + 1, None, "better")
    answer = ask("highs", Problem(variables, rules), Settings(options={"presolve": "off"}), Deadline())
    assert answer.proof is Proof.INFEASIBLE


@pytest.mark.parametrize(
    "words", [["solve", "--soft", "A=1"], ["count", "--minimise", "r1c1", "--within", "0"]]
)
def test_a_certificate_states_the_puzzle_alone(words, tmp_path, capsys):
    assert main([*words, FILE, "--prove", str(tmp_path / "proof")]) == 2
    assert "a certificate states the puzzle alone: omit --prove or --" in capsys.readouterr().err
    assert main(["enumerate", FILE, "--maximise", "r1c1", "--best", "2", "--prove", str(tmp_path / "x")]) == 2
    assert not list(tmp_path.iterdir())


# Soft rules.


def damaged(seed: int):
    """Return a puzzle with some wrong targets, the weight of each rule, and all layouts of its dominoes."""
    rng, puzzle = random.Random(seed), random_puzzle(4, seed)
    ruled = [region for region in puzzle.regions if region.rule]
    wrong = [
        region._replace(target=max(0, region.target + rng.choice((-3, -1, 1, 2))))
        if region.target is not None and rng.random() < 0.6
        else region
        for region in puzzle.regions
    ]
    free = replace(puzzle, regions=tuple(r._replace(rule=None, target=None) for r in puzzle.regions))
    weights = {region.label: rng.randint(1, 5) for region in ruled}
    return replace(puzzle, regions=tuple(wrong)), weights, milp_pips.solutions(free)


@pytest.mark.parametrize("seed", range(few_or_many(2, 20)))
def test_the_cheapest_broken_rules_of_damaged_puzzles(seed):
    puzzle, weights, layouts = damaged(seed)
    ruled = [region for region in puzzle.regions if region.rule]
    cost = {
        str(layout): sum(weights[r.label] for r in ruled if not fits(r, layout.values)) for layout in layouts
    }
    solver = ("", "highs", "sat", "cp-sat")[seed % 4]
    result = milp_pips.solve(puzzle, solver, soft=weights)
    assert result.status == "solved"
    assert result.objective.is_optimal
    assert result.objective.value == min(cost.values()) == cost[str(result.solution)]
    assert set(result.broken) == {str(r) for r in ruled if not fits(r, result.solution.values)}


def test_a_rule_that_is_not_soft_holds(two_nines):
    impossible = milp_pips.read(two_nines)
    cheap = milp_pips.solve(impossible, soft={"all": 1})
    assert len(cheap.broken) == 1
    name = cheap.broken[0].partition(":")[0]
    other = milp_pips.solve(impossible, soft={"all": 1, name: 50})
    assert (other.objective.value, len(other.broken)) == (1, 1)
    assert other.broken != cheap.broken
    only = milp_pips.solve(impossible, soft={name: 7})
    assert (only.objective.value, only.broken) == (7, cheap.broken)
    assert milp_pips.solve(SEVERAL, soft={"all": 1}).broken == ()


@pytest.fixture
def two_nines(tmp_path):
    """Write a puzzle that wants the sum 9 twice, which one domino alone shows."""
    (tmp_path / "two_nines.txt").write_text("1\nAABB\n2\nA SUM 9\nB SUM 9\n2\n4 5\n1 2\n")
    return str(tmp_path / "two_nines.txt")


def test_soft_rules_of_another_family():
    grid = milp_pips.solve(milp_pips.read(EXAMPLES / "colour_grid" / "impossible.txt"), soft={"all": 1})
    assert grid.objective.value == len(grid.broken) == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"soft": {"Q": 1}}, "there is no rule 'Q' to soften; there are A, B, C, D, E, F"),
        ({"soft": {"A": 0}}, "the weight of A is 0; expected a whole number from 1 on"),
        ({"soft": {"A": "x"}}, "the weight of A is 'x'; expected a whole number from 1 on"),
        ({"soft": {"A": 1}, "maximise": "r1c1"}, "soft rules have an objective of their own"),
        ({"soft": {"A": 1}, "solver": "cdcl"}, "cdcl takes no objective"),
    ],
)
def test_what_soft_rules_refuse(options, message):
    with pytest.raises(UsageError, match=message):
        milp_pips.solve(SEVERAL, **options)


def test_soft_rules_on_the_command_line(two_nines, capsys):
    file = two_nines
    assert main(["solve", file, "--soft", "A=5", "--soft", "all=2", "--json"]) == 0
    line = json.loads(capsys.readouterr().out)
    assert (line["objective"]["value"], line["proof"], len(line["broken"])) == (2, "optimal", 1)
    assert main(["solve", file, "--soft", "all=1"]) == 0
    assert "; broken: region " in capsys.readouterr().out
    with pytest.raises(SystemExit):
        main(["solve", file, "--soft", "A=-1"])
    assert "'A=-1' is not RULE=WEIGHT with a whole number from 1 on" in capsys.readouterr().err
