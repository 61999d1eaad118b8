"""Constructors reject invalid problems and puzzles; every later stage can handle the valid ones."""

from __future__ import annotations

import pickle
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from problems import solutions
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
from milp_pips.engines import registry
from milp_pips.problem.answer import Proof, Settings
from milp_pips.problem.constraint import Constraint
from milp_pips.problem.errors import InputError
from milp_pips.problem.problem import Problem, Variable
from milp_pips.problem.stopping import Deadline
from milp_pips.puzzles.colour_grid.puzzle import Colour, ColourGrid, Pattern, Stretches
from milp_pips.puzzles.pips.puzzle import Pips, Region, Rule
from milp_pips.puzzles.sudoku.puzzle import Cage, Sudoku

AB = (Variable("a", (0, 1, 2)), Variable("b", (0, 1, 2)))


@pytest.mark.parametrize("relation", ["==", "<=", ">="])
def test_a_relation_given_as_text_means_what_it_says(relation):
    total = LinearSum([0, 1], relation, 2)
    assert total == LinearSum((0, 1), Relation(relation), 2)
    assert type(total.relation) is Relation
    problem = Problem(list(AB), [total], {"all": [0, 1]})
    assert {tuple(found.assignment) for found in milp_pips.solutions(problem)} == {
        (a, b) for a in range(3) for b in range(3) if total.holds((a, b))
    }
    assert {(a, b) for a in range(3) for b in range(3) if eval(f"a + b {relation} 2")} == solutions(problem)


def test_lists_and_ranges_become_tuples():
    assert AllEqual([0, 1]) == AllEqual(range(2)) == AllEqual((0, 1))
    assert Variable("a", range(3)) == AB[0]
    assert AB[0]._replace(domain=[1]).domain == (1,)
    assert Table([0, 1], [[1, 2]]).rows == ((1, 2),)
    assert Automaton(0, {1}, [[0, 0, 1]]).accepting == frozenset({1})
    whole = Problem(AB, (), {"a": [0]}, {0: {1: "one"}, 1: {1: "one"}}, "named")
    changed = whole.restricted({0: (1,)}).with_constraints([AllEqual((0, 1))])
    assert (changed.keys, changed.value_names, changed.name) == (
        {"a": (0,)},
        {0: {1: "one"}, 1: {1: "one"}},
        "named",
    )
    assert pickle.loads(pickle.dumps(Problem(AB, ()).restricted({0: ()}))).variables[0].domain == ()


@pytest.mark.parametrize(
    ("make", "kind", "message"),
    [
        (lambda: LinearSum((0, 1), "<", 4), ValueError, 'write "<=" with the target minus 1'),
        (lambda: LinearSum((0, 1), None, 4), TypeError, "the relation of LinearSum must be"),
        (lambda: LinearSum((0, 1), "<=", 10**30), ValueError, "the target of LinearSum is 1000"),
        (lambda: NoGood((0, 1), (1, 1), 2), TypeError, "the label of NoGood must be a string, not 2"),
        (lambda: Less((0, 1, 2)), ValueError, "Less compares two variables, not 3"),
        (lambda: Less((0, 1), "a < b"), TypeError, "strict of Less must be True or False, not 'a < b'"),
        (lambda: AllDifferent("ab"), TypeError, "the variables of AllDifferent must be a tuple, not 'ab'"),
        (lambda: AllDifferent((0, 1), 3), TypeError, "the label of AllDifferent must be a string, not 3"),
        (
            lambda: Table.from_text((0, 1), "1 2; 3 x"),
            ValueError,
            "Table takes rows such as '0 0 1;",
        ),
        (lambda: Cardinality((0, 1), {1: 2}), TypeError, "the bounds of Cardinality must be a tuple"),
        (lambda: Regular((0, 1), "a*"), TypeError, "Regular takes an Automaton, not 'a*'"),
        (lambda: Automaton(0, 1, ()), TypeError, "the accepting states of Automaton must be a set, not 1"),
        (lambda: DominoCover((0, 1), (2,), (), ()), ValueError, "got 2 values and 1 partners"),
        (
            lambda: DominoCover((0, 1), (1, 2), (), ()),
            ValueError,
            "of DominoCover contain 1 twice",
        ),
        (lambda: DominoCover((0, 1), (2, 3), ((1, 0),), ()), ValueError, "has the edge (1, 0); expected"),
        (lambda: DominoCover((0, 1), (2, 3), (), ((2, 1),)), ValueError, "write (1, 2), the lesser half"),
        (lambda: DominoCover((0, 1), (2, 3), (), ((1, 2), (0, 1))), ValueError, "increasing order: sort"),
        (lambda: Variable("a", ()), ValueError, "the domain of a is empty; expected at least one value"),
        (lambda: Variable("a", (2, 1)), ValueError, "the domain of a is (2, 1); expected values in incr"),
        (lambda: AB[0]._replace(domain=()), ValueError, "the domain of a is empty"),
        (lambda: Problem(AB, [AllEqual((0, 2), "x")]), ValueError, "'x' names the variable 2; expected posi"),
        (lambda: Problem(AB, ["a = b"]), TypeError, "a problem takes constraints, not 'a = b'"),
        (lambda: Problem(AB, ()).with_constraints([AllEqual((2,))]), ValueError, "names the variable 2"),
        (lambda: Problem(AB, (), {"all": (0, 2)}), ValueError, "the key 'all' names the variable 2"),
        (lambda: Problem(AB, (), {"all": (0, 0)}), ValueError, "the key 'all' contain 0 twice"),
        (lambda: Problem(AB, (), ("all",)), TypeError, "the keys of a problem must be a dict"),
        (lambda: Problem(AB, (), {}, {1: "x", 2: "x"}), ValueError, "value_names give two values one name"),
        (
            lambda: Problem(
                [Variable("a", (0, 10**8)), AB[1]], [LinearSum((0, 1), "==", 1, "far", (10**8, 1))]
            ),
            ValueError,
            "the sum 'far' can reach 10000000000000002",
        ),
    ],
)
def test_what_a_problem_cannot_mean_is_refused_where_it_is_made(make, kind, message):
    with pytest.raises(kind, match=re.escape(message)) as refusal:
        make()
    assert "\n" not in str(refusal.value)


CELLS = ((0, 0), (0, 1))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Pips.on_grid("p", CELLS, [Region("A", CELLS, "SUN", 3)], [(1, 2)]), "has the rule 'SUN'"),
        (lambda: Pips.on_grid("p", CELLS, [Region("A", CELLS, "SUM")], [(1, 2)]), "the target of region A"),
        (lambda: Pips.on_grid("p", CELLS, [Region("A", CELLS, "EQ", 3)], [(1, 2)]), "has the target 3, but"),
        (lambda: Pips.on_grid("p", CELLS, [Region("A", (), "EQ")], [(1, 2)]), "region A has no cell"),
        (lambda: Pips.on_grid(3, CELLS, (), [(1, 2)]), "the name of a puzzle must be a string, not 3"),
        (lambda: Pips.on_grid("p", CELLS, (), [(1, -2)]), "expected 0 to 99"),
        (lambda: Pips("p", CELLS, (CELLS, CELLS[::-1]), (), [(1, 2)]), "an edge is named twice"),
        (lambda: Sudoku("s", "12", (("", ""),) * 2), "the holds of a Sudoku must be a tuple, not '12'"),
        (lambda: Sudoku("s", ("1", "2"), (("", ""),) * 2, cages=(Cage("A", CELLS, "3"),)), "total of cage A"),
        (lambda: Sudoku("s", ("1", "2"), (("", ""),) * 2, repeats=1), "repeats of a Sudoku is True or False"),
        (lambda: ColourGrid("c", (Colour("r"),), ("r",), (None,)), "row 1: 'r' is not a clue"),
        (
            lambda: ColourGrid("c", (Colour("r"),), (Stretches("x"),), (None,)),
            "row 1: x is not one of the colours; expected r",
        ),
        (
            lambda: ColourGrid("c", (Colour("r"),), (Stretches("rr"),), (None,)),
            'row 1: "rr" names r twice in a row',
        ),
        (lambda: ColourGrid("c", (Colour("r"),), (Pattern("(r"),), (None,)), "row 1: character 1"),
    ],
)
def test_what_a_puzzle_cannot_mean_is_refused_where_it_is_made(make, message):
    with pytest.raises(InputError, match=re.escape(message)):
        make()


def test_the_name_of_a_rule_is_the_rule():
    named = Pips.on_grid("p", CELLS, [Region("A", [*CELLS], "LT", 4)], [[1, 2]])
    assert named == Pips.on_grid("p", CELLS, [Region("A", CELLS, Rule.LT, 4)], [(1, 2)])
    assert type(named.regions[0].rule) is Rule
    assert milp_pips.state(named).constraints[1].target == 3


class Odd(Constraint):
    """A constraint that engines cannot state, since it only has its meaning."""

    label, variables = "odd", (0, 1)

    def holds(self, assignment):
        return (assignment[0] + assignment[1]) % 2 == 1


def test_a_constraint_without_the_methods_that_engines_need_is_refused():
    with pytest.raises(TypeError, match="the constraint class Odd has no method propagator, linear_rows"):
        Problem(AB, (Odd(),))
    with pytest.raises(TypeError, match="a problem takes constraints, not 7"):
        Problem(AB, (7,))


# Anything at all is either refused, or all stages agree on what it means.

usual = st.integers(-1, 2)
odd = st.sampled_from([None, "x", True, 2.0, 10**9, 10**30, (), [()], [2, 1], {0, 1}, [(1, 2)]])
KINDS = (AllEqual, AllDifferent, LinearSum, Less, Table, Cardinality, Regular, NoGood)


def arguments_of(kind, width, some):
    """Return what a constraint of this kind may get after its variables; ``some`` draws of a strategy."""
    label, triples = some(st.text(max_size=2)), st.lists(st.tuples(usual, usual, usual), max_size=3)
    values = st.lists(usual, min_size=width, max_size=width)
    if kind is LinearSum:
        relation, target = some(st.sampled_from(["==", "<=", ">="])), some(st.integers(-4, 6))
        return relation, target, label, some(st.one_of(st.just(()), values))
    if kind is Regular:
        return some(triples), some(st.sets(usual)), some(usual)
    content = {
        Less: st.booleans(),
        Table: st.lists(values, max_size=4),
        Cardinality: triples,
        NoGood: values,
    }
    return (some(content[kind]), label) if kind in content else (label,)


@st.composite
def attempts(draw):
    """Draw a function that makes a problem of three variables and one or two constraints, if it can.

    Half of them have odd arguments now and then.
    """
    wild = draw(st.booleans())

    def some(strategy):
        return draw(odd if wild and draw(st.integers(0, 9)) == 0 else strategy)

    domains = [some(st.sets(usual, min_size=1).map(sorted)) for _ in range(3)]
    chosen = []
    for kind in draw(st.lists(st.sampled_from(KINDS), min_size=1, max_size=2)):
        width = 2 if kind is Less else draw(st.integers(0, 3))
        scope = some(st.permutations(range(3)))
        scope = scope[:width] if isinstance(scope, list) else scope
        chosen.append((kind, scope, arguments_of(kind, width, some)))

    def make():
        made = []
        for kind, scope, arguments in chosen:
            if kind is Regular:
                arcs, accepting, start = arguments
                made.append(Regular(scope, Automaton(start, accepting, arcs)))
            else:
                made.append(kind(scope, *arguments))
        return Problem([Variable(name, d) for name, d in zip("abc", domains, strict=True)], made)

    return make


@examples(5, 3000)
@given(attempts())
def test_no_constructor_accepts_what_a_later_stage_cannot_handle(make):
    try:
        problem = make()
    except (TypeError, ValueError):
        return
    expected = solutions(problem)
    assert pickle.loads(pickle.dumps(problem)) == problem
    assert {found.assignment for found in milp_pips.solutions(problem)} == expected
    for name in ("highs", "cp-sat", "sat"):
        solver = registry.solver(name)
        if not solver.unavailable():
            answer = solver.solve(problem, Settings(), Deadline())
            assert answer.proof is (Proof.FEASIBLE if expected else Proof.INFEASIBLE), (name, answer)
            assert answer.point is None or answer.point in expected
