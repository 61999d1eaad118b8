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
from thoroughness import examples, mostly_long

import milp_pips
from milp_pips.compilation.limits import Budget, Unfinished
from milp_pips.compilation.parts import Part, split
from milp_pips.compilation.solution_set import compile_problem
from milp_pips.constraints import AllDifferent, NoGood
from milp_pips.problem.answer import Stop
from milp_pips.problem.errors import Contradiction, UsageError
from milp_pips.problem.problem import Problem, Variable

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


@examples(12)
@given(chances)
def test_solutions_of_parts_put_together_are_those_of_the_whole(rng: random.Random) -> None:
    """Whatever is filtered or not, fixed or not: some values are fixed at random."""
    problem = random_domino_problem(rng, tidy=rng.random() < 0.7)
    for _ in range(rng.randint(0, 4)):
        v = rng.randrange(len(problem.variables))
        if problem.variables[v].domain:
            problem = problem.restricted({v: (rng.choice(problem.variables[v].domain),)})
    assert joined(problem) == solutions(problem)


@examples(12)
@given(chances)
def test_parts_without_dominoes(rng: random.Random) -> None:
    problem = random_problem(rng)
    assert joined(problem) == solutions(problem)


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


@pytest.mark.parametrize("size", mostly_long(1, [6, 9]))
def test_boards_with_every_pip_given_are_counted_and_listed(size: int) -> None:
    (made,) = milp_pips.generate("pips", style="plain", max_pip=size, given="all", seed=3)
    space = milp_pips.compile(made.puzzle)
    listed = list(milp_pips.solutions(made.puzzle, limit=3000))
    assert space.count == len(listed) == milp_pips.count(made.puzzle).counts["placement"]
    assert milp_pips.compile(made.puzzle, "grid").count == 1
    assert space.project("grid").count == 1


def test_variables_that_share_a_name_keep_their_marginals_apart() -> None:
    same = Problem((Variable("x", (1, 2)), Variable("x", (1, 2))), (AllDifferent((0, 1), "all"),))
    assert compile_problem(same).marginals() == {"x (0)": {1: 1, 2: 1}, "x (1)": {1: 1, 2: 1}}


def test_an_unknown_key_or_method_is_refused() -> None:
    with pytest.raises(UsageError, match="unknown key 'gird'; known: placement, grid"):
        milp_pips.compile(SEVERAL, "gird")
    with pytest.raises(UsageError, match="unknown key 'gird'"):
        milp_pips.compile(SEVERAL).project("gird")
    with pytest.raises(UsageError, match="do not have all variables of the key"):
        milp_pips.compile(SEVERAL, "grid").project("placement")
    with pytest.raises(UsageError, match="unknown method 'bdd'; known: space, diagram"):
        milp_pips.compile(SEVERAL, method="bdd")
