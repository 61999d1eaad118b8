"""Independent parts, and the space of all solutions, as the tasks count and list it.

That spaces say the same as plain enumeration, whatever is divided, ``test_diagram.py`` shows.
"""

from __future__ import annotations

import random
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from problems import random_domino_problem, random_problem, solutions
from strange_constraints import EvenSum
from thoroughness import examples

import milp_pips
from milp_pips.compilation.limits import Budget, Unfinished
from milp_pips.compilation.parts import Part, split
from milp_pips.compilation.solution_set import compile_problem
from milp_pips.constraints import AllDifferent, Automaton, DominoCover, LinearSum, NoGood, Regular, Relation
from milp_pips.problem.answer import Stop
from milp_pips.problem.errors import Contradiction, UsageError
from milp_pips.problem.problem import Problem, Variable
from milp_pips.problem.stopping import Deadline
from milp_pips.tasks.compile import list_short

EXAMPLES = Path(__file__).parents[2] / "examples" / "pips"
SEVERAL = milp_pips.read(EXAMPLES / "several.txt")
chances = st.randoms(use_true_random=False)


def joined(whole: Problem) -> set[tuple[int, ...]]:
    """Return all combinations of the solutions of the parts."""
    try:
        fixed, parts = split(Part.whole(whole))
    except Contradiction:
        return set()
    lists = [
        [[part.pair(v, value) for v, value in enumerate(point)] for point in solutions(part.problem)]
        for part in parts
    ]
    every = range(len(whole.variables))
    points = (dict([*fixed, *(pair for pairs in chosen for pair in pairs)]) for chosen in product(*lists))
    return {tuple(point[v] for v in every) for point in points}


@examples(20)
@given(chances)
def test_solutions_of_parts_put_together_are_those_of_the_whole(rng: random.Random) -> None:
    """Whatever is filtered or not, fixed or not: some values are fixed at random."""
    problem = random_domino_problem(rng, tidy=rng.random() < 0.7)
    for _ in range(rng.randint(0, 4)):
        v = rng.randrange(len(problem.variables))
        if problem.variables[v].domain:
            problem = problem.restricted({v: (rng.choice(problem.variables[v].domain),)})
    assert joined(problem) == solutions(problem)


@examples(20)
@given(chances)
def test_parts_without_dominoes(rng: random.Random) -> None:
    problem = random_problem(rng)
    assert joined(problem) == solutions(problem)


def test_a_board_falls_into_parts_where_no_kind_of_domino_can_lie_in_both() -> None:
    """Two squares side by side, of low pips and of high ones, and the dominoes that are left for each."""
    values, partners = tuple(range(8)), tuple(range(8, 16))
    edges = ((0, 1), (0, 2), (1, 3), (2, 3), (4, 5), (4, 6), (5, 7), (6, 7))
    near = [tuple(sorted(i + j - k for i, j in edges if k in (i, j))) for k in range(8)]
    domains = [(1, 2)] * 4 + [(5, 6)] * 4
    variables = [Variable(f"v{k}", domains[k]) for k in values]
    variables += [Variable(f"p{k}", near[k]) for k in values]
    cover = DominoCover(values, partners, edges, ((1, 2), (1, 2), (5, 5), (6, 6)))
    fixed, parts = split(Part.whole(Problem(tuple(variables), (cover,), {"grid": values})))
    assert fixed == ()
    assert [part.variables for part in parts] == [(0, 1, 2, 3, 8, 9, 10, 11), (4, 5, 6, 7, 12, 13, 14, 15)]
    assert [part.problem.constraints[0].dominoes for part in parts] == [  # type: ignore[attr-defined]
        ((1, 2), (1, 2)),
        ((5, 5), (6, 6)),
    ]
    assert [part.problem.keys["grid"] for part in parts] == [(0, 1, 2, 3)] * 2
    assert parts[1].pair(4, 1) == (12, 5)  # the partner of cell 4: cell 1 of the part is cell 5 of the whole


def test_a_word_splits_where_its_automaton_has_only_one_state() -> None:
    """Of b*wb* with the w in the middle known, nothing is left to say; of (bw|wb){2}, two words of two."""
    letters = (0, 1)
    swap = Automaton(
        0,
        frozenset({4}),
        ((0, 0, 1), (0, 1, 2), (1, 1, 3), (2, 0, 3), (3, 0, 5), (3, 1, 6), (5, 1, 4), (6, 0, 4)),
    )
    word = Problem(
        tuple(Variable(f"x{i}", letters) for i in range(4)), (Regular((0, 1, 2, 3), swap, "word"),)
    )
    assert [part.variables for part in split(Part.whole(word)).parts] == [(0, 1), (2, 3)]
    known = word.restricted({0: (1,)})
    fixed, parts = split(Part.whole(known))
    assert fixed == ((0, 1),)
    assert [part.variables for part in parts] == [(1,), (2, 3)]


def test_what_is_fixed_and_wrong_is_a_contradiction() -> None:
    same = Problem((Variable("x", (1,)), Variable("y", (1,))), (AllDifferent((0, 1), "row 1"),))
    with pytest.raises(Contradiction, match="row 1 cannot be met"):
        split(Part.whole(same))


def test_a_constraint_of_ones_own_is_split_off_and_counted() -> None:
    variables = tuple(Variable(f"x{i}", (0, 1, 2)) for i in range(5))
    problem = Problem(variables, (EvenSum((0, 1, 2)), LinearSum((3, 4), Relation.LE, 3, "sum")))
    assert len(split(Part.whole(problem)).parts) == 2
    assert milp_pips.compile(problem).count == 14 * 8


def test_a_constraint_of_ones_own_is_listed() -> None:
    variables = tuple(Variable(f"x{i}", (0, 1)) for i in range(3))
    listed = list_short(Problem(variables, (EvenSum((0, 1, 2)),)), (0, 1, 2), Deadline())
    assert listed is not None
    assert sorted(listed) == [(0, 0, 0), (0, 1, 1), (1, 0, 1), (1, 1, 0)]


def test_cuts_on_placements_are_renumbered_with_their_cells() -> None:
    problem = milp_pips.state(SEVERAL)
    space = milp_pips.compile(problem)
    key = problem.keys["placement"]
    known = [tuple(point[v] for v in key) for point in list(space)[::7]]
    rest = problem.with_constraints(NoGood(key, values) for values in known)
    assert milp_pips.compile(rest).count == 56 - len(known)


def test_a_space_that_does_not_fit_raises_unfinished() -> None:
    (board,) = milp_pips.generate("pips", style="plain", dominoes=20, seed=1)
    problem = milp_pips.state(board.puzzle)
    with pytest.raises(Unfinished) as raised:
        compile_problem(problem, None, Budget(1_000))
    assert raised.value.stop is Stop.MEMORY
    some = milp_pips.compile(problem, widths=(1, 10))
    assert not some.is_complete
    assert problem.violated(some.nth(some.count - 1)) is None


@pytest.mark.parametrize("size", [6, 9])
def test_boards_with_every_pip_given_are_counted_and_listed(size: int) -> None:
    (made,) = milp_pips.generate("pips", style="plain", max_pip=size, given="all", seed=3)
    space = milp_pips.compile(made.puzzle)
    listed = list(milp_pips.solutions(made.puzzle, limit=3000))
    assert space.count == len(listed) == milp_pips.count(made.puzzle).counts["placement"]
    assert milp_pips.compile(made.puzzle, "grid").count == 1
    assert space.project("grid").count == 1


def test_a_puzzle_without_solutions_has_an_empty_space() -> None:
    space = milp_pips.compile(milp_pips.read(EXAMPLES / "impossible.txt"))
    assert (space.count, list(space), space.forced()) == (0, [], {})


def test_variables_that_share_a_name_keep_their_marginals_apart() -> None:
    same = Problem((Variable("x", (1, 2)), Variable("x", (1, 2))), (AllDifferent((0, 1), "all"),))
    assert compile_problem(same).marginals() == {"x (0)": {1: 1, 2: 1}, "x (1)": {1: 1, 2: 1}}


def test_a_set_without_open_values_is_known_without_a_compiler() -> None:
    fixed = Problem((Variable("x", (1,)), Variable("y", (2,))), (AllDifferent((0, 1), "all"),), {"y": (1,)})
    assert list(compile_problem(fixed, "y")) == [(2,)]
    assert compile_problem(fixed.restricted({0: ()})).count == 0
    equal = Problem((Variable("x", (1,)), Variable("y", (1,))), (AllDifferent((0, 1), "all"),))
    assert compile_problem(equal).count == 0


def test_an_unknown_key_or_method_is_refused() -> None:
    with pytest.raises(UsageError, match="unknown key 'gird'; known: placement, grid"):
        milp_pips.compile(SEVERAL, "gird")
    with pytest.raises(UsageError, match="unknown key 'gird'"):
        milp_pips.compile(SEVERAL).project("gird")
    with pytest.raises(UsageError, match="do not have all variables of the key"):
        milp_pips.compile(SEVERAL, "grid").project("placement")
    with pytest.raises(UsageError, match="unknown method 'bdd'; known: space, diagram"):
        milp_pips.compile(SEVERAL, method="bdd")
