"""The CNF formula has the points of the problem, one to one, and unit propagation finds all it should."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from problems import any_constraint, any_problem, random_automaton, solutions
from pysat.formula import CNF
from pysat.solvers import Cadical153
from strategies import pips_puzzles
from thoroughness import examples

import milp_pips
from milp_pips.cli import main
from milp_pips.constraints import (
    AllEqual,
    Cardinality,
    DominoCover,
    Less,
    LinearSum,
    NoGood,
    PairSum,
    Regular,
    Relation,
    Table,
)
from milp_pips.engines.sat import SatSolver
from milp_pips.formulations.cnf import Clauses, CnfEncoding, to_dimacs
from milp_pips.problem.constraint import Constraint
from milp_pips.problem.problem import Problem, Variable
from milp_pips.problem.stopping import Deadline
from milp_pips.puzzles.family import family_of
from milp_pips.tasks.convert import export
from milp_pips.testing import board

EXAMPLES = Path(__file__).parents[2] / "examples"
chances = st.randoms(use_true_random=False)


def models(clauses: Clauses) -> Iterator[list[int]]:
    """Yield every model of the formula, the auxiliary variables included."""
    loaded = SatSolver().load(clauses, Deadline())
    while loaded.solve((), Deadline()):
        model = loaded.model()
        yield model
        loaded.add([-literal for literal in model])


def brute_points(problem: Problem) -> list[tuple[int, ...]]:
    """Return every point of a problem, by trying every assignment."""
    assignments = product(*(variable.domain for variable in problem.variables))
    return [point for point in assignments if problem.violated(point) is None]


def some_variables(rng: random.Random, most: int = 5) -> tuple[Variable, ...]:
    values = rng.sample(range(-2, 5), rng.randint(1, 4))
    return tuple(
        Variable(f"x{i}", tuple(sorted(rng.sample(values, rng.randint(1, len(values))))))
        for i in range(rng.randint(1, most))
    )


def a_pair_sum(rng: random.Random, variables: Sequence[Variable], named: tuple[int, ...]) -> PairSum:
    """Return a bounded sum over some pairs, also of values outside the domains."""
    pairs = [(v, value) for v in named for value in {*variables[v].domain, 9}]
    pairs = rng.sample(pairs, rng.randint(0, len(pairs)))
    times = rng.choice(((1,), (1,), (-2,), (0, 1), range(-3, 4)))
    low = rng.choice((None, rng.randint(-4, 3)))
    high = rng.choice((None, rng.randint(-1, 4)))
    return PairSum(tuple((v, value, rng.choice(times)) for v, value in pairs), low, high)


def same_points_one_to_one(problem: Problem) -> None:
    """Assert that the models of the formula correspond one to one to the points, by ``decode``."""
    statement = CnfEncoding(problem)
    found = Counter(map(statement.decode, models(statement)))
    assert found == Counter(solutions(problem))


@examples(6)
@given(chances)
def test_rules_of_every_class_one_to_one(rng: random.Random) -> None:
    """Also of classes without clauses, which are encoded by their rows."""
    problem = any_problem(rng)
    statement = CnfEncoding(problem)
    assert Counter(map(statement.decode, models(statement))) == Counter(brute_points(problem))


@examples(3)
@given(chances)
def test_covers_one_to_one(rng: random.Random) -> None:
    """With rules over values and over partners, two covers of the same cells, and domains cut at random."""
    rows, columns = rng.choice(((1, 2), (1, 4), (2, 2), (2, 2), (2, 3)))
    kinds = [(0, 1), (1, 1), (0, 0), (0, 2), (1, 2)][: rng.randint(1, 5)]
    dominoes = rng.choices(kinds, k=rows * columns // 2)
    problem = board(rows, columns, dominoes, [])
    every = range(len(problem.variables))
    rules = [
        any_constraint(rng, rng.sample(every, rng.randint(1, 4)), [0, 1, 2, 3])
        for _ in range(rng.choice((0, 0, 1, 2)))
    ]
    if rng.random() < 0.2:
        (cover,) = problem.constraints
        assert isinstance(cover, DominoCover)
        fewer = tuple(edge for edge in cover.edges if rng.random() < 0.8)
        rules.append(DominoCover(cover.values, cover.partners, fewer, cover.dominoes))
    problem = problem.with_constraints(rules)
    for v in rng.sample(every, rng.choice((0, 0, 1, 2))):
        domain = problem.variables[v].domain
        problem = problem.restricted({v: rng.sample(domain, rng.randint(0, len(domain)))})
    statement = CnfEncoding(problem)
    assert Counter(map(statement.decode, models(statement))) == Counter(brute_points(problem))


@examples(6)
@given(pips_puzzles(max_dominoes=4))
def test_pips_one_to_one(puzzle) -> None:
    same_points_one_to_one(milp_pips.state(puzzle))


# Unit propagation


def known_and_following(
    rng: random.Random, problem: Problem
) -> tuple[CnfEncoding, list[tuple[int, int, bool]], list[int] | None]:
    """Return the statement, what is assumed at random of single values, and what follows from that."""
    statement = CnfEncoding(problem)
    pairs = [(v, a) for v, variable in enumerate(problem.variables) for a in variable.domain]
    chosen = rng.sample(pairs, min(len(pairs), rng.choice((0, 1, 2, 3, 5, 8))))
    known = [(v, a, rng.random() < 0.3) for v, a in chosen]
    assumed = [statement.literal(v, a) * (1 if holds else -1) for v, a, holds in known]
    return statement, known, SatSolver().load(statement, Deadline()).propagate(assumed)


def left(points: Iterable[tuple[int, ...]], known: Sequence[tuple[int, int, bool]]) -> list[tuple[int, ...]]:
    return [point for point in points if all((point[v] == a) == holds for v, a, holds in known)]


@pytest.mark.parametrize(
    "kind", ["sum", "weighed", "pairs", "word", "equal", "less", "table", "counted", "no-good"]
)
@examples(5)
@given(rng=chances)
def test_unit_propagation_sees_all_that_one_rule_says(kind: str, rng: random.Random) -> None:
    variables = some_variables(rng)
    if rng.random() < 0.1:  # so many values that a counter says that there is one
        variables = (Variable("wide", tuple(range(12))), *variables[:2])
    if kind == "less" and len(variables) == 1:
        variables = (*variables, Variable("other", (0, 1)))
    values = sorted({a for variable in variables for a in variable.domain})
    named = tuple(rng.sample(range(len(variables)), len(variables)))
    low = rng.randint(0, 2)
    points = [tuple(rng.choice(variables[v].domain) for v in named) for _ in range(3)]
    times = tuple(rng.randint(-3, 3) for _ in named)
    rule: Constraint = {
        "sum": LinearSum(named, rng.choice(list(Relation)), sum(points[0]) + rng.choice((0, 0, 0, 1))),
        "weighed": LinearSum(
            named,
            rng.choice(list(Relation)),
            sum(c * a for c, a in zip(times, points[0], strict=True)) + rng.choice((0, 0, 0, 1)),
            "",
            times,
        ),
        "pairs": a_pair_sum(rng, variables, named),
        "less": Less((named[0], named[-1]), rng.random() < 0.5) if kind == "less" else AllEqual(named),
        "table": Table(named, tuple(points)),
        "word": Regular(named, random_automaton(rng, list(values))),
        "equal": AllEqual(named),
        "counted": Cardinality(named, ((rng.choice(values), low, low + rng.randint(0, 3)),)),
        "no-good": NoGood(named, points[0], least=rng.randint(1, 3)),
    }[kind]
    problem = Problem(variables, (rule,))
    statement, known, following = known_and_following(rng, problem)
    possible = left(brute_points(problem), known)
    if not possible:
        assert following is None
        return
    assert following is not None
    for v, variable in enumerate(variables):
        taken = {point[v] for point in possible}
        for a in variable.domain:
            literal = statement.literal(v, a)
            assert (literal in following) == (taken == {a})
            assert (-literal in following) == (a not in taken)


def test_a_domino_that_fits_nowhere_else_is_laid_by_unit_propagation():
    problem = board(1, 4, [(0, 1), (2, 3)], [])
    statement = CnfEncoding(problem)
    following = SatSolver().load(statement, Deadline()).propagate([statement.literal(0, 0)])
    assert following is not None
    # Cell 0 has the 0, so the 1 lies beside it; the partners follow from the board alone.
    assert {statement.literal(1, 1), statement.literal(4, 1), statement.literal(6, 3)} <= set(following)
    assert {-statement.literal(2, 0), -statement.literal(2, 1)} <= set(following)


# The file


def read_dimacs(text: str) -> tuple[CNF, dict[tuple[str, str], int]]:
    """Return the formula as PySAT reads it, and from its comments the literal of (variable, value)."""
    meanings = {}
    for line in text.splitlines():
        said = re.fullmatch(r"c (-?\d+) (.*) = (.*)", line)
        if said:
            meanings[said[2], said[3]] = int(said[1])
    return CNF(from_string=text), meanings


@pytest.mark.parametrize("file", ["pips/notebook.txt", "sudoku/letters.txt", "colour_grid/expressions.txt"])
def test_a_dimacs_file_has_the_points_of_the_puzzle(file: str):
    puzzle = next(iter(milp_pips.read_all(str(EXAMPLES / file)).values()))
    problem = milp_pips.state(puzzle)
    formula, meanings = read_dimacs(export(puzzle, "cnf"))
    for (name, domain), v in zip(problem.variables, range(len(problem.variables)), strict=True):
        assert [meanings[name, problem.written(a)] for a in domain] == [
            CnfEncoding(problem).literal(v, a) for a in domain
        ]
    engine = Cadical153(bootstrap_with=formula)
    assert engine.solve()
    model = set(engine.get_model())
    point = [
        next(a for a in domain if meanings[name, problem.written(a)] in model)
        for name, domain in problem.variables
    ]
    assert problem.violated(point) is None
    assert family_of(puzzle).check(puzzle, family_of(puzzle).decode(puzzle, point)) is None


def test_names_of_any_kind_stand_on_one_line_in_ascii():
    variables = (Variable("café\n☐ \x1b[31m", (1, 2)), Variable("p cnf", (3,)))
    text = to_dimacs(Problem(variables, (), {}, {2: "zwei\nc"}))
    assert text.isascii()
    formula, meanings = read_dimacs(text)
    assert list(meanings) == [
        ("caf\\xe9 \\u2610 [31m", "1"),
        ("caf\\xe9 \\u2610 [31m", "zwei c"),
        ("p cnf", "3"),
    ]
    assert formula.clauses == [[1]]
    assert "\np cnf 2 1\n" in text


def test_a_dimacs_file_from_the_command_line(capsys, tmp_path):
    file = str(EXAMPLES / "pips" / "notebook.txt")
    assert main(["export", file, "--to", "cnf", "--output", str(tmp_path / "formula")]) == 0
    assert (tmp_path / "formula").read_text() == export(milp_pips.read(file), "cnf")
    assert main(["export", file, "--to", "cnf", "--formulation", "projected"]) == 2
    assert "there is one formula: it has no formulations" in capsys.readouterr().err


# What else is promised


def test_a_statement_that_is_interrupted_ends_soon():
    problem = board(6, 12, [(a, b) for a in range(6) for b in range(6)], [])
    looks = iter(range(10))
    whole = len(CnfEncoding(problem).clauses)
    assert len(CnfEncoding(problem, lambda: next(looks, None) is None).clauses) < whole / 4
