"""Decision diagrams and solution spaces: known numbers of solutions, and problems that are too large."""

from __future__ import annotations

import doctest
import random

import pytest
from problems import latin_square, skewed_paths
from solution_set_methods import SolutionSetMethod, with_each_method

import milp_pips
from milp_pips.compilation import states
from milp_pips.compilation.limits import Budget, Unfinished, Unsupported
from milp_pips.compilation.solution_set import compile_problem
from milp_pips.constraints import DominoCover, LinearSum, Relation
from milp_pips.problem.answer import Stop
from milp_pips.problem.problem import Problem, Variable


@with_each_method
@pytest.mark.parametrize(
    "problem, count",
    [
        (latin_square(3), 12),  # Latin squares of order 3 (OEIS A002860)
        (latin_square(4, (2, 2)), 288),  # Sudoku of order 4: 288 (OEIS A107739)
        (latin_square(4, (2, 2), {0: 1, 1: 2, 4: 3, 5: 4}), 12),
    ],
)
def test_known_numbers_of_squares(method: SolutionSetMethod, problem: Problem, count: int) -> None:
    assert method.compile(problem).count == count


@pytest.mark.long
def test_a_larger_number_of_squares() -> None:
    assert milp_pips.compile(latin_square(5), method="diagram").count == 161280  # OEIS A002860


@pytest.mark.parametrize("rows, columns, tilings", [(2, 10, 89), (4, 4, 36), (8, 8, 12988816)])
def test_tilings(rows: int, columns: int, tilings: int) -> None:
    """With equal dominoes, placements differ only by their tilings, which are counted (Kasteleyn 1961)."""
    cells = [(r, c) for r in range(rows) for c in range(columns)]
    number = {cell: i for i, cell in enumerate(cells)}
    edges = tuple(
        (number[r, c], number[near]) for r, c in cells for near in ((r, c + 1), (r + 1, c)) if near in number
    )
    n = len(cells)
    near = [sorted(i + j - k for i, j in edges if k in (i, j)) for k in range(n)]
    variables = [Variable(f"value {k}", (5,)) for k in range(n)]
    variables += [Variable(f"partner {k}", tuple(near[k])) for k in range(n)]
    cover = DominoCover(tuple(range(n)), tuple(range(n, 2 * n)), edges, ((5, 5),) * (n // 2))
    diagram = milp_pips.compile(Problem(tuple(variables), (cover,)), method="diagram", rules=())
    assert diagram.count == tilings
    assert diagram.project(range(n)).count == 1


def test_a_count_beyond_machine_integers() -> None:
    variables = tuple(Variable(f"x{i}", (1, 2, 3)) for i in range(300))
    problem = Problem(variables, (LinearSum((0, 1), Relation.EQ, 4, "sum"),))
    diagram = milp_pips.compile(problem, method="diagram", rules=())
    assert diagram.count == 3**299
    assert diagram.project(range(1, 300)).count == 3**299
    assert len(diagram.sample(random.Random(1))) == 300
    assert next(iter(diagram))[0] in (1, 2, 3)


def test_the_worked_example_of_a_packed_state_is_true() -> None:
    tested = doctest.testmod(states)
    assert tested.attempted >= 10
    assert tested.failed == 0


def test_a_diagram_that_is_too_large_raises_unfinished() -> None:
    with pytest.raises(Unfinished) as caught:
        compile_problem(latin_square(9, (3, 3)), None, Budget(5000), method="diagram")
    assert caught.value.stop is Stop.MEMORY
    diagram = milp_pips.compile(latin_square(4), method="diagram")
    with pytest.raises(Unfinished) as caught:
        diagram.project(range(0, 16, 2), Budget(300))
    assert caught.value.stop is Stop.MEMORY


def test_a_problem_without_a_diagram_raises_unsupported() -> None:
    problem = skewed_paths()
    two = Problem(problem.variables, (problem.constraints[0], problem.constraints[0]))
    with pytest.raises(Unsupported, match="two domino covers"):
        milp_pips.compile(two, method="diagram", rules=())
