"""Pictures: of a puzzle, of a solution on it, of how often its cells take which value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from milp_pips.drawing import Drawing, Note, Square, draw_squares, shade
from milp_pips.errors import UsageError
from milp_pips.pipeline import puzzle_of, state
from milp_pips.plugins import family_of

if TYPE_CHECKING:
    from milp_pips.problem import Problem
    from milp_pips.puzzles.family import Puzzle
    from milp_pips.tasks.count import Count


def draw(puzzle: Puzzle | Problem, solution: Any = None) -> Drawing:
    """Return a picture of the puzzle, or of the solution on it."""
    puzzle = puzzle_of(puzzle, "draw")
    return family_of(puzzle).draw(puzzle, solution)


def draw_heat_map(count: Count) -> Drawing:
    """Return the board with each cell's most frequent value, shaded by how often it takes it.

    A cell that takes one value in all solutions is as dark as can be. Raises UsageError where the cells were
    not counted, or the family does not say where they stand.
    """
    if not count.cells:
        raise UsageError("the cells have not been counted")
    problem, board = state(count.puzzle), draw(count.puzzle)
    if not count.cells.keys() <= board.places.keys():
        raise UsageError(f"{count.puzzle.name}: its family does not say where its cells stand")
    squares: dict[int, Square] = {}
    for v, taken in count.cells.items():
        if not taken:
            squares[v] = Square()
            continue
        value = max(taken, key=lambda a: (taken[a], -a))
        share = "" if len(taken) == 1 else f" {100 * taken[value] // sum(taken.values())}%"
        squares[v] = Square(problem.written(value) + share, fill=shade(taken[value] / sum(taken.values())))
    forced = sum(len(taken) == 1 for taken in count.cells.values())
    note = Note("forced", (f"{forced} of {len(count.cells)} cells take one value in all solutions",))
    return draw_squares(board, squares)._replace(title=f"{count.puzzle.name}: how often", notes=(note,))
