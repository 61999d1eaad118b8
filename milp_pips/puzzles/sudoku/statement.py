"""A Sudoku as a problem: a variable per cell, a constraint per row, column, region, group and cage."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from milp_pips.problem import AllDifferent, Cardinality, Constraint, LinearSum, Problem, Relation, Variable
from milp_pips.puzzles.sudoku.puzzle import Place, Sudoku, cell_name
from milp_pips.puzzles.sudoku.symbols import codes


def state(puzzle: Sudoku) -> Problem:
    """Return the problem; the value of a cell is the code of its symbol, a given is its cell's only value."""
    n, code = puzzle.size, codes(puzzle.holds)
    values = tuple(sorted(code.values()))
    variables = tuple(
        Variable(cell_name((r, c)), (code[given],) if given else values)
        for r, row in enumerate(puzzle.givens)
        for c, given in enumerate(row)
    )
    return Problem(
        variables,
        (*_rows_and_areas(puzzle, code), *_cages(puzzle)),
        {"grid": tuple(range(n * n))},
        {value: symbol for symbol, value in code.items() if str(value) != symbol},
    )


def _rows_and_areas(puzzle: Sudoku, code: Mapping[str, int]) -> Iterator[Constraint]:
    n = puzzle.size
    often = Counter(code[symbol] for symbol in puzzle.holds)
    exactly = {value: (times, times) for value, times in often.items()}
    for i in range(n):
        yield _counted(tuple(range(n * i, n * i + n)), exactly, f"row {i + 1}")
    for i in range(n):
        yield _counted(tuple(range(i, n * n, n)), exactly, f"column {i + 1}")
    for region in puzzle.regions:
        yield _counted(_numbers(region.cells, n), exactly, region.name)
    for group in puzzle.groups:
        bounds = {value: (0, times) for value, times in often.items()}
        if group.holds is not None:
            own = Counter(code[symbol] for symbol in group.holds)
            bounds = {value: (own[value], own[value]) for value in often}
        yield _counted(_numbers(group.cells, n), bounds, group.name)


def _cages(puzzle: Sudoku) -> Iterator[Constraint]:
    for cage in puzzle.cages:
        numbers = _numbers(cage.cells, puzzle.size)
        yield LinearSum(numbers, Relation.EQ, cage.total, str(cage))
        if not puzzle.repeats and len(numbers) > 1:
            yield AllDifferent(numbers, f"{cage.name}: no number twice")


def _counted(numbers: tuple[int, ...], bounds: Mapping[int, tuple[int, int]], label: str) -> Constraint:
    """Return the constraint that each value occurs between so many times.

    It is ``AllDifferent`` where that says the same: no value twice, and none that must be there, or as many
    cells as values, so that all of them are.
    """
    free = all(low == 0 for low, _ in bounds.values())
    if all(high == 1 for _, high in bounds.values()) and (free or len(numbers) == len(bounds)):
        return AllDifferent(numbers, label)
    return Cardinality(numbers, tuple((value, *bounds[value]) for value in sorted(bounds)), label)


def _numbers(cells: tuple[Place, ...], size: int) -> tuple[int, ...]:
    return tuple(size * row + column for row, column in cells)
