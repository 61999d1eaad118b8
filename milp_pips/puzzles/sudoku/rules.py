"""The rules of the game twice: stated as a problem for engines, and as a player checks a solution."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from milp_pips.problem import (
    AllDifferent,
    Assignment,
    Cardinality,
    Constraint,
    LinearSum,
    Problem,
    Relation,
    Variable,
)
from milp_pips.puzzles.sudoku.puzzle import Place, Rows, Sudoku, cell_name, codes, number_of


def state(puzzle: Sudoku) -> Problem:
    """State the puzzle: a variable per cell in reading order, whose value is the code of its symbol.

    A given is its cell's only value. The only key is ``grid``: all cells.
    """
    code = codes(puzzle.holds)
    values = tuple(sorted(code.values()))
    givens = (given for row in puzzle.givens for given in row)
    return Problem(
        tuple(
            Variable(cell_name(cell), (code[given],) if given else values)
            for cell, given in zip(puzzle.cells, givens, strict=True)
        ),
        (*_rows_and_areas(puzzle, code), *_cages(puzzle)),
        {"grid": tuple(range(puzzle.size**2))},
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


def decode(puzzle: Sudoku, assignment: Assignment) -> Rows:
    """Return the symbols of the board; an empty text where the assignment has no code of one."""
    n = puzzle.size
    symbol = {value: word for word, value in codes(puzzle.holds).items()}
    return tuple(tuple(symbol.get(assignment[n * r + c], "") for c in range(n)) for r in range(n))


def encode(puzzle: Sudoku, solution: Rows) -> dict[int, int]:
    """Return the values of all variables."""
    code = codes(puzzle.holds)
    return dict(enumerate(code[symbol] for row in solution for symbol in row))


def check(puzzle: Sudoku, solution: Rows) -> str | None:
    """Return the first rule that the solution breaks, in the player's words, or None.

    The order is that in which a player would look: the cells one by one, then rows, columns, regions, groups
    and cages. Shares no code with ``state``.
    """
    if fault := _wrong_cell(puzzle, solution):
        return fault
    size = range(len(solution))
    areas = [(f"row {r + 1}", [(r, c) for c in size], puzzle.holds) for r in size]
    areas += [(f"column {c + 1}", [(r, c) for r in size], puzzle.holds) for c in size]
    areas += [(region.name, list(region.cells), puzzle.holds) for region in puzzle.regions]
    areas += [(g.name, list(g.cells), puzzle.holds if g.holds is None else g.holds) for g in puzzle.groups]
    for name, cells, holds in areas:
        if fault := _too_often(name, [solution[r][c] for r, c in cells], holds):
            return fault
    for cage in puzzle.cages:
        seen = [solution[r][c] for r, c in cage.cells]
        for symbol, times in Counter(seen).items():
            if times > 1 and not puzzle.repeats:
                return f"{cage.name} has {symbol} {_times(times)}"
        if sum(number_of(symbol) or 0 for symbol in seen) != cage.total:
            return f"{cage}, but its cells show {', '.join(seen)}"
    return None


def _wrong_cell(puzzle: Sudoku, solution: Rows) -> str | None:
    if len(solution) != len(puzzle.givens):
        return f"there are {len(solution)} rows, not {len(puzzle.givens)}"
    for r, (row, givens) in enumerate(zip(solution, puzzle.givens, strict=True), 1):
        if len(row) != len(givens):
            return f"row {r} has {len(row)} cells, not {len(givens)}"
        for c, (symbol, given) in enumerate(zip(row, givens, strict=True), 1):
            if not symbol:
                return f"r{r}c{c} is empty"
            if symbol not in puzzle.holds:
                return f"r{r}c{c} is {symbol}, which is no symbol of this puzzle"
            if given and symbol != given:
                return f"r{r}c{c} is {symbol}, but {given} is given there"
    return None


def _too_often(where: str, seen: Sequence[str], holds: Iterable[str]) -> str | None:
    """Return which symbol there is more often than may be.

    Where as many cells as symbols are to be filled, that is all: a symbol is missing if another one is there
    too often.
    """
    have, may = Counter(seen), Counter(holds)
    for symbol in have:
        if have[symbol] > may[symbol]:
            if not may[symbol]:
                return f"{where} has {symbol}, which does not belong there"
            expected = "" if may[symbol] == 1 else f", not {_times(may[symbol])}"
            return f"{where} has {symbol} {_times(have[symbol])}{expected}"
    return None


def _times(n: int) -> str:
    words = ("never", "once", "twice", "three times", "four times", "five times", "six times")
    return words[n] if n < len(words) else f"{n} times"
