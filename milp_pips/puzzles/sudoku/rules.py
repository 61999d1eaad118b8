"""The rules of the game, as a player would check them."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from milp_pips.puzzles.sudoku.symbols import number_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from milp_pips.puzzles.sudoku.puzzle import Rows, Sudoku


def broken(puzzle: Sudoku, solution: Rows) -> str | None:
    """Return the first rule that the solution breaks, in the player's words, or None.

    The order is that in which a player would look: the cells one by one, then rows, columns, regions, groups
    and cages.
    """
    return (
        _cells(puzzle, solution)
        or _rows_and_columns(puzzle, solution)
        or _regions_and_groups(puzzle, solution)
        or _cages(puzzle, solution)
    )


def _cells(puzzle: Sudoku, solution: Rows) -> str | None:
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


def _rows_and_columns(puzzle: Sudoku, solution: Rows) -> str | None:
    for r, row in enumerate(solution, 1):
        if fault := _too_often(f"row {r}", row, puzzle.holds):
            return fault
    for c, column in enumerate(zip(*solution, strict=True), 1):
        if fault := _too_often(f"column {c}", column, puzzle.holds):
            return fault
    return None


def _regions_and_groups(puzzle: Sudoku, solution: Rows) -> str | None:
    for region in puzzle.regions:
        if fault := _too_often(region.name, [solution[r][c] for r, c in region.cells], puzzle.holds):
            return fault
    for group in puzzle.groups:
        seen = [solution[r][c] for r, c in group.cells]
        if fault := _too_often(group.name, seen, puzzle.holds if group.holds is None else group.holds):
            return fault
    return None


def _cages(puzzle: Sudoku, solution: Rows) -> str | None:
    for cage in puzzle.cages:
        seen = [solution[r][c] for r, c in cage.cells]
        if not puzzle.repeats:
            for symbol, times in Counter(seen).items():
                if times > 1:
                    return f"{cage.name} has {symbol} {_times(times)}"
        if sum(number_of(symbol) or 0 for symbol in seen) != cage.total:
            return f"{cage}, but its cells show {', '.join(seen)}"
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
