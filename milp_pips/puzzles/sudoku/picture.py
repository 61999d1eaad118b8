"""Draw a Sudoku, or a solution on it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from milp_pips.puzzles.drawn import cell_name
from milp_pips.puzzles.sudoku.puzzle import Rows, Sudoku, usual_symbols
from milp_pips.render.colours import distinct_colours
from milp_pips.render.vocabulary import Drawing, Grid, Note, Place, Square, borders


def draw(puzzle: Sudoku, solution: Rows | None = None) -> Drawing:
    """Return the board with its givens, or with the solution, in which the givens stand out.

    Regions have thick borders, cages have an outline and their sum in the first cell, and groups have a
    colour. Notes below the puzzle state what the drawing cannot show.
    """
    groups = range(len(puzzle.groups))
    fills = distinct_colours({i: [j for j in groups if j != i] for i in groups})
    fill = {place: fills[i] for i in reversed(groups) for place in puzzle.groups[i].cells}
    corner = {min(cage.cells): str(cage.total) for cage in puzzle.cages}
    squares = {
        (r, c): Square(
            solution[r][c] if solution is not None else given,
            corner.get((r, c), ""),
            fill.get((r, c), ""),
            strong=solution is not None and bool(given),
        )
        for r, row in enumerate(puzzle.givens)
        for c, given in enumerate(row)
    }
    region_of: dict[Place, int] = dict.fromkeys(squares, -1)
    for i, region in enumerate(puzzle.regions):
        region_of.update(dict.fromkeys(region.cells, i))
    board = Grid(squares, walls=borders(region_of), cages=tuple(cage.cells for cage in puzzle.cages))
    if solution is not None:
        return Drawing(puzzle.name, board)
    places = dict(enumerate(puzzle.cells))
    return Drawing(puzzle.name, board, tuple(_notes(puzzle, fills)), places=places)


def _notes(puzzle: Sudoku, fills: Mapping[int, str]) -> Iterator[Note]:
    """Yield notes on what the drawing cannot show: unusual symbols, repeats in cages, and the groups."""
    if puzzle.holds != usual_symbols(puzzle.size):
        yield Note("every row holds", puzzle.holds)
    if puzzle.repeats:
        yield Note("cages", ("a number may occur twice in a cage",))
    for i, group in enumerate(puzzle.groups):
        yield Note(group.name, tuple(map(cell_name, group.cells)), fills[i])
        if group.holds is not None:
            yield Note(f"{group.name} holds", group.holds)
