"""Notes about what a reader took from a file by convention: one line each on standard error."""

from __future__ import annotations

import warnings

from milp_pips.problem.errors import visible


class ReadingNote(UserWarning):
    """What a reader understood by a convention on which readers differ, with file and line."""


def note(what: str, file: str, line: int | None = None) -> None:
    """Tell the user what was understood: ``file:line: what``, as a warning."""
    place = f"{visible(file)}:{line}: " if line else f"{visible(file)}: "
    warnings.warn(ReadingNote(place + visible(what)), stacklevel=3)
