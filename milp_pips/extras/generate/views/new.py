"""Generated puzzles as text, JSON and pictures."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, NotRequired, TypeAlias, TypedDict

from milp_pips.extras.generate.fitting import GeneratedPuzzle
from milp_pips.puzzles.registry import family_of
from milp_pips.render.vocabulary import Drawing
from milp_pips.tasks.convert import draw
from milp_pips.views.json import Fault, Solution, record
from milp_pips.views.svg import drawing
from milp_pips.views.text import parts as parts
from milp_pips.views.text import summary


class GenerateRecord(TypedDict):
    """A new puzzle."""

    puzzle: str
    """The name of the puzzle."""
    family: str
    """The family of the puzzle."""
    file: str | None
    """The file to which the puzzle was written."""
    solutions: int | None
    """Number of solutions of the puzzle; null if not counted."""
    tries: Annotated[int, ("minimum", 1)]
    """Number of puzzles tried."""
    score: NotRequired[float]
    """The logical difficulty of the puzzle, if requested."""
    grade: NotRequired[str]
    """The score as one word."""
    solution: Solution
    """The hidden solution."""


GenerateLine: TypeAlias = GenerateRecord | Fault


@parts.register(GeneratedPuzzle)
def _(made: GeneratedPuzzle) -> Iterable[str | Drawing]:
    return [draw(made.puzzle)]


@summary.register(GeneratedPuzzle)
def _(made: GeneratedPuzzle) -> str:
    """Return what is known of the puzzle; empty if its solutions were not counted and it was not rated."""
    n, rating = made.solutions, made.rating
    notes = [] if n is None else [f"{n} solution{'s' * (n != 1)}"]
    return "; ".join([*notes, *([f"{rating.grade}, {rating.score:g}"] if rating else [])])


@drawing.register(GeneratedPuzzle)
def _(made: GeneratedPuzzle) -> Drawing:
    return draw(made.puzzle)


@record.register(GeneratedPuzzle)
def _(made: GeneratedPuzzle) -> dict[str, Any]:
    """Return the record of a puzzle that was not written to a file."""
    rated = {"score": made.rating.score, "grade": made.rating.grade} if made.rating else {}
    return {
        "puzzle": made.puzzle.name,
        "family": made.puzzle.family,
        "file": None,
        "solutions": made.solutions,
        "tries": made.tries,
        **rated,
        "solution": family_of(made.puzzle).to_json(made.puzzle, made.hidden),
    }
