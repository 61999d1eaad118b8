"""Generated puzzles as text, JSON and pictures."""

from __future__ import annotations

from typing import Annotated, NotRequired, TypeAlias, TypedDict

from milp_pips.views.json import Fault, Solution


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
