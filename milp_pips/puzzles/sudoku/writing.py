"""The text format, written; ``text`` describes and reads it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from milp_pips.puzzles.sudoku.puzzle import Rows, Sudoku, boxes, usual_boxes
from milp_pips.puzzles.sudoku.sections import FIRST_WORD, WITH_REPEATS
from milp_pips.puzzles.sudoku.symbols import EMPTY, unwritable, usual_symbols


def write(puzzle: Sudoku) -> str:
    """Return the text of a puzzle, with blanks between the cells.

    Reading it gives an equal puzzle if the regions, the cages and the cells of each stand in the order in
    which they appear on the board. Regions whose names the format cannot hold are numbered.
    """
    n = puzzle.size
    lines = [FIRST_WORD]
    lines += rows_text(puzzle.givens)
    if puzzle.holds != usual_symbols(n):
        lines.append(" ".join(("symbols", *puzzle.holds)))
    shape = _box_shape(puzzle)
    if shape is None:
        labels = [region.name.removeprefix("region ") for region in puzzle.regions]
        if any(
            unwritable(label) or f"region {label}" != r.name
            for label, r in zip(labels, puzzle.regions, strict=True)
        ):
            labels = [str(number) for number in range(1, len(labels) + 1)]
        lines.append("regions")
        lines += _areas_text(n, ((label, r.cells) for label, r in zip(labels, puzzle.regions, strict=True)))
    elif shape != usual_boxes(n):
        lines.append(f"boxes {shape[0]} {shape[1]}")
    if puzzle.cages:
        lines.append(f"cages {WITH_REPEATS}" if puzzle.repeats else "cages")
        lines += _areas_text(n, [(cage.label, cage.cells) for cage in puzzle.cages])
        lines += [f"{cage.label} {cage.total}" for cage in puzzle.cages]
    for group in puzzle.groups:
        lines += ["groups", *_areas_text(n, [(group.label, group.cells)])]
        if group.holds is not None:
            lines.append(" ".join((group.label, *group.holds)))
    if puzzle.published is not None:
        lines += ["solution", *rows_text(puzzle.published)]
    return "".join(f"{line}\n" for line in lines)


def rows_text(rows: Rows) -> list[str]:
    """Return the rows as lines of symbols with blanks between them."""
    return [" ".join(symbol or EMPTY for symbol in row) for row in rows]


def _areas_text(size: int, labelled: Iterable[tuple[str, Sequence[tuple[int, int]]]]) -> list[str]:
    label_of = {place: label for label, cells in labelled for place in cells}
    return [" ".join(label_of.get((r, c), EMPTY) for c in range(size)) for r in range(size)]


def _box_shape(puzzle: Sudoku) -> tuple[int, int] | None:
    """Return height and width of the boxes, or None where the regions are none."""
    n = puzzle.size
    shapes = ((height, n // height) for height in range(1, n + 1) if n % height == 0)
    return next((shape for shape in shapes if boxes(n, *shape) == puzzle.regions), None)
