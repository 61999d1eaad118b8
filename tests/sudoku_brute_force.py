"""All solutions of a small Sudoku by backtracking over the cells.

This is the reference for the other methods, so it shares no code with the package but the puzzle class.
"""

from __future__ import annotations

from collections.abc import Iterator

from milp_pips.puzzles.sudoku.puzzle import Rows, Sudoku

Place = tuple[int, int]


def solutions(puzzle: Sudoku) -> set[Rows]:
    """Return every solution."""
    size = len(puzzle.givens)
    lines = [[(r, c) for c in range(size)] for r in range(size)]
    lines += [[(r, c) for r in range(size)] for c in range(size)]
    lines += [list(region.cells) for region in puzzle.regions]
    limits = [(cells, list(puzzle.holds)) for cells in lines]
    limits += [(list(g.cells), list(puzzle.holds if g.holds is None else g.holds)) for g in puzzle.groups]
    if not puzzle.repeats:
        limits += [(list(cage.cells), sorted(set(puzzle.holds))) for cage in puzzle.cages]
    touching = {(r, c): [] for r in range(size) for c in range(size)}
    for cells, stock in limits:
        for place in cells:
            touching[place].append((cells, stock))
    return {
        tuple(tuple(seen[r, c] for c in range(size)) for r in range(size))
        for seen in _written(puzzle, list(touching), touching, {})
        if all(sum(int(seen[place]) for place in cage.cells) == cage.total for cage in puzzle.cages)
    }


def _written(puzzle: Sudoku, left: list[Place], touching: dict, seen: dict) -> Iterator[dict]:
    if not left:
        yield dict(seen)
        return
    (r, c), rest = left[0], left[1:]
    for symbol in sorted(set(puzzle.holds)):
        if puzzle.givens[r][c] not in ("", symbol):
            continue
        seen[r, c] = symbol
        if all(
            sum(seen.get(place) == symbol for place in cells) <= stock.count(symbol)
            for cells, stock in touching[r, c]
        ):
            yield from _written(puzzle, rest, touching, seen)
        del seen[r, c]
