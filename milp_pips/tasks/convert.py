"""The text of a puzzle in a format of its family."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from milp_pips.problem.errors import UsageError
from milp_pips.puzzles.registry import family_of

if TYPE_CHECKING:
    from milp_pips.puzzles.family import Family, Format
    from milp_pips.puzzles.puzzle import Puzzle


def formats_of(family: Family[Any, Any]) -> Mapping[str, Format]:
    """Return the formats in which a family writes its puzzles, by name; empty if it writes none."""
    return family.formats() if family.formats is not None else {}


def format_named(puzzle: Puzzle, to: str) -> Format:
    """Return the format of this name. Raises UsageError where the puzzle's family has no such format."""
    formats = formats_of(family_of(puzzle))
    if not formats:
        raise UsageError(f"{puzzle.name}: the family {puzzle.family} writes no puzzles")
    if to not in formats:
        raise UsageError(f"{puzzle.name}: unknown format {to!r}; known: {', '.join(formats)}")
    return formats[to]


def convert(puzzle: Puzzle, to: str) -> str:
    """Return the puzzle in the format, with the solution printed with it: reading it gives the same.

    Raises UsageError for an unknown format, and where the format cannot say what the puzzle says.
    """
    form = format_named(puzzle, to)
    return (form.write_all or form.write)(puzzle)
