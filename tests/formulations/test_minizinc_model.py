"""A problem as MiniZinc text: readable, and with exactly the points of the problem."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest
from brute_force import placement_of, placements
from generated import random_puzzle
from hypothesis import given
from strategies import pips_puzzles
from thoroughness import examples

import milp_pips
from milp_pips.constraints import (
    AllDifferent,
    AllEqual,
    Automaton,
    Cardinality,
    DominoCover,
    Less,
    LinearSum,
    NoGood,
    Regular,
    Relation,
    Table,
)
from milp_pips.engines.minizinc import MiniZincRun, MiniZincSolver
from milp_pips.formulations.minizinc import identifiers, to_minizinc
from milp_pips.problem.answer import Proof, Settings, Stop
from milp_pips.problem.problem import Problem, Variable, unchecked_variable
from milp_pips.problem.stopping import Deadline
from milp_pips.puzzles.family import family_of
from milp_pips.puzzles.pips.puzzle import Pips, Region, Rule

EXAMPLES = Path(__file__).parents[2] / "examples" / "pips"


needs_minizinc = pytest.mark.skipif(
    bool(MiniZincSolver().unavailable()), reason=MiniZincSolver().unavailable() or "it is here"
)


def chosen(*domains, names="abcdefgh"):
    return tuple(
        unchecked_variable(name, tuple(sorted(domain))) for name, domain in zip(names, domains, strict=False)
    )


def every_point(problem):
    search = MiniZincRun("", problem, Settings(), Deadline(), every=True)
    return list(search.points()), search


# The text


def test_the_model_of_an_example(golden):
    puzzle = milp_pips.read_all(str(EXAMPLES / "notebook.txt"))[""]
    golden("pips-notebook.mzn", to_minizinc(milp_pips.state(puzzle)))


def test_long_lines_are_broken():
    text = to_minizinc(milp_pips.state(random_puzzle(60, 1)))
    assert max(map(len, text.splitlines())) <= 110


def test_names_are_kept_where_they_can_be():
    names = [
        "r1c1",
        "partner of r1c1",
        "north",
        "c",
        "C",
        "7",
        "Örebro 3",
        "a-1",
        "a 1",
        "",
        "北京",
        "domain",
    ]
    variables = tuple(Variable(name, (0, 1)) for name in names)
    assert identifiers(Problem(variables, (), {})) == (
        "r1c1",
        "partner_of_r1c1",
        "North",
        "c",
        "C",
        "x7",
        "Orebro_3",
        "a_1",
        "a_1_2",
        "x",
        "x_2",
        "Domain",
    )
    text = to_minizinc(Problem(variables, (), {}))
    assert "var {0, 1}: x_2;  % 北京\n" in text
    assert "var {0, 1}: partner_of_r1c1;\n" in text


# The points of a model are the points of the problem


@pytest.mark.long
@needs_minizinc
@examples(6)
@given(puzzle=pips_puzzles())
def test_all_points_are_all_placements_each_once(puzzle):
    problem = milp_pips.state(puzzle)
    expected = placements(puzzle)
    points, search = every_point(problem)
    assert len(points) == len(expected)
    assert {placement_of(family_of(puzzle).decode(puzzle, point)) for point in points} == expected
    assert search.proof is (Proof.COMPLETE if expected else Proof.INFEASIBLE)
    assert search.stop is Stop.FINISHED


ENDS = Automaton(7, frozenset({9, 50}), ((7, -1, 7), (7, 2, 9), (9, 2, 9), (9, 5, 7)))
ONES_AND_TWOS = Automaton(0, frozenset({0}), ((0, 1, 1), (1, 2, 0)))
PATH = DominoCover((0, 1, 2, 3), (4, 5, 6, 7), ((0, 1), (1, 2), (2, 3)), ((0, 1), (1, 1)), "path")
CELLS = [(0, 1)] * 4

CONSTRAINTS = {
    "equal": (chosen((0, 1, 2), (1, 2, 5), (2, 1)), AllEqual((0, 1, 2), "equal")),
    "different": (chosen((0, 1, 2), (1, 2), (-1, 2)), AllDifferent((0, 1, 2), "different")),
    "sum ==": (chosen((-3, 0, 4), (-1, 1), (0, 2)), LinearSum((0, 1, 2), Relation.EQ, -2, "sum")),
    "sum of none": (chosen((0, 1)), LinearSum((), Relation.GE, 1, "sum")),
    "sum, weighed": (
        chosen((-3, 0, 4), (-1, 1), (0, 2)),
        LinearSum((0, 1, 2), Relation.GE, -2, "sum", (1, -3, 0)),
    ),
    "less or equal": (chosen((-1, 0, 4), (-1, 3, 4)), Less((1, 0), strict=False, label="no more")),
    "table": (
        chosen((-1, 0, 4), (-1, 3), (0, 1)),
        Table.from_text((2, 0, 1), "0 -1 3; 1 4 -1; 1 4 -1; 5 0 3", "table"),
    ),
    "table of nothing": (chosen((0, 1)), Table((0,), (), "table")),
    "how often": (chosen(*[(-1, 1, 2)] * 3), Cardinality((0, 1, 2), ((2, 1, 2), (-1, -4, 9)), "c")),
    "how often, never": (chosen((0, 1), (0, 1)), Cardinality((0, 1), ((1, 2, 1),), "c")),
    "no-good": (chosen((0, 1), (-1, 2), (0, 3)), NoGood((0, 1, 2), (1, -1, 0), "no-good", least=2)),
    "automaton": (chosen(*[(-1, 0, 2, 5)] * 3), Regular((0, 1, 2), ENDS, "word")),
    "empty word": (chosen((0, 1)), Regular((), ONES_AND_TWOS, "word")),
    "cover": (chosen((0, 1, 4), (0, 1), (0, 1), (1, 0), *[range(4)] * 4), PATH),
    "cover, strange partners": (
        chosen(*[(1,)] * 2, (-1, 1, 9), (0, 5)),
        DominoCover((0, 1), (2, 3), ((0, 1),), ((1, 1),), "odd"),
    ),
    "cover by too many": (
        chosen((0,), (0,), (1,), (0,)),
        DominoCover((0, 1), (2, 3), ((0, 1),), ((0, 0), (0, 0)), ""),
    ),
}


@pytest.mark.long
@needs_minizinc
@pytest.mark.parametrize("name", CONSTRAINTS)
def test_each_constraint_has_exactly_its_points(name):
    variables, constraint = CONSTRAINTS[name]
    expected = [a for a in product(*(v.domain for v in variables)) if constraint.holds(a)]
    points, _ = every_point(Problem(variables, (constraint,), {}))
    assert sorted(points) == sorted(expected)


@needs_minizinc
def test_no_variables_and_empty_domains():
    assert every_point(Problem((), (), {}))[0] == [()]
    points, search = every_point(Problem(chosen((0, 1), ()), (), {}))
    assert (points, search.proof) == ([], Proof.INFEASIBLE)


ODD_WORDS = [
    "not", "domain", "first_fail", "value", "lies", "partner", "edge", "c", "e", "k", "i", "a", "x", "sum",
    "table", "Infinity", "", " ", "é", "e\u0301", "北京", "\n constraint false;", "'", '"', "\\", "%", "%%%",
    "\0", "\ud800", "\u2028constraint false;", "/* ", "r1c1", "r1c1_2", "r1c1 2", "_", "1", "true", "🁣",
]  # fmt: skip


@needs_minizinc
def test_names_and_labels_may_be_anything():
    names = [*ODD_WORDS[: 2 * (len(ODD_WORDS) // 2)]]
    n = len(names)
    dominoes = tuple((0, 1) for _ in range(n // 2))
    puzzle = Pips(
        "odd",
        tuple(names),
        tuple((names[i], names[i + 1]) for i in range(n - 1)),
        tuple(Region(name, (name,), Rule.SUM, i % 2) for i, name in enumerate(names)),
        dominoes,
    )
    points, search = every_point(milp_pips.state(puzzle))
    assert search.proof is Proof.COMPLETE
    assert [family_of(puzzle).check(puzzle, family_of(puzzle).decode(puzzle, point)) for point in points] == [
        None
    ]
