"""Results as pictures: drawings, which are printed as text or become SVG."""

from __future__ import annotations

from functools import singledispatch

from milp_pips.problem.answer import TaskResult
from milp_pips.problem.errors import UsageError
from milp_pips.puzzles.puzzle import picture_of
from milp_pips.render.colours import shade
from milp_pips.render.vocabulary import Drawing, Note, Square, draw_squares
from milp_pips.tasks.pipeline import state
from milp_pips.tasks.results import Count, Result


@singledispatch
def drawing(result: TaskResult) -> Drawing:  # noqa: ARG001
    """Return the picture of the result. Raises UsageError if there is nothing to draw."""
    raise UsageError("there is no picture of this result")


def svg(result: TaskResult) -> str | None:
    """Return the picture of the result as SVG; None if there is nothing to draw."""
    try:
        return drawing(result)._repr_svg_()
    except UsageError:
        return None


@drawing.register(Result)
def _(result: Result) -> Drawing:
    return picture_of(result.puzzle, result.solution)


@drawing.register(Count)
def _(count: Count) -> Drawing:
    """Return the board with each cell's most frequent value, shaded by the value's frequency.

    A cell that takes one value in all solutions is darkest. Raises UsageError if the cells were not counted,
    or if the family does not state the places of its cells.
    """
    if not count.cells:
        raise UsageError("the cells have not been counted")
    problem, board = state(count.puzzle), picture_of(count.puzzle)
    place = {variable.name: v for v, variable in enumerate(problem.variables)}
    cells = {place[name]: taken for name, taken in count.cells.items()}
    if not cells.keys() <= board.places.keys():
        raise UsageError(f"{count.puzzle.name}: its family does not state the places of its cells")
    squares: dict[int, Square] = {}
    for v, taken in cells.items():
        if not taken:
            squares[v] = Square()
            continue
        value = max(taken, key=lambda a: (taken[a], -a))
        share = "" if len(taken) == 1 else f" {100 * taken[value] // sum(taken.values())}%"
        squares[v] = Square(problem.written(value, v) + share, fill=shade(taken[value] / sum(taken.values())))
    forced = sum(len(taken) == 1 for taken in cells.values())
    note = Note("forced", (f"{forced} of {len(cells)} cells take one value in all solutions",))
    return draw_squares(board, squares)._replace(title=f"{count.puzzle.name}: how often", notes=(note,))
