"""Lines of model files, and the limits of what a reader takes."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable

from milp_pips.problem.errors import InputError, visible


class ReadingNote(UserWarning):
    """What a reader understood by a convention on which readers differ, with file and line."""


def note(what: str, file: str, line: int | None = None) -> None:
    """Tell the user what was understood: ``file:line: what``, as a warning."""
    place = f"{visible(file)}:{line}: " if line else f"{visible(file)}: "
    warnings.warn(ReadingNote(place + visible(what)), stacklevel=3)


MAX_LINE_LENGTH = 2**20
"""The most characters of a line."""

MAX_NAME = 255
"""The most characters of a name, as in CPLEX and Gurobi."""

MAX_SECTIONS = 100
"""The most sections of a file."""

LINEAR = "columns, linear rows, an objective"
"""What is expected instead of what states more than a linear model."""

MAX_QUOTED = 60
"""The most characters of a word that a message quotes."""

_ODD = re.compile(r"[^\S \t\n]|[\x00-\x08\x0e-\x1f\x7f\ufeff]")
"""Blanks other than space, tab and line end, on which readers differ, and characters that are no text."""


_PLAIN = bytes(range(32, 127)) + b"\t\n"


def lines_of(text: str, file: str, is_in_comment: Callable[[str], bool]) -> list[str]:
    """Return the lines of a model file; ``is_in_comment`` tells it of what follows a part of a line.

    Raises InputError for a line that is too long, and outside of comments for odd blanks and control
    characters.
    """
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    lines = text.split("\n")
    if len(text) > MAX_LINE_LENGTH and max(map(len, lines)) > MAX_LINE_LENGTH:
        number = next(n for n, line in enumerate(lines, 1) if len(line) > MAX_LINE_LENGTH)
        raise InputError(f"the line has over {MAX_LINE_LENGTH} characters", file, number)
    if not text.isascii() or text.encode().translate(None, _PLAIN):  # quick for most files
        for number, line in enumerate(lines, 1):
            odd = _ODD.search(line)
            if odd and not is_in_comment(line[: odd.start()]):
                what = f"the character U+{ord(odd[0]):04X}, which some readers take for a blank"
                raise InputError(what, file, number, "spaces between words")
    return lines


class Misfit(InputError):
    """A line that does not have the fields that its section has in a format."""


def quoted(word: str) -> str:
    """Return a word of a file in quotes, for a message."""
    return repr(visible(word, MAX_QUOTED)) if word.isprintable() else f"'{visible(word, MAX_QUOTED)}'"


def require_name_length(name: str, file: str, line: int) -> None:
    """Raise InputError if a name is too long."""
    if len(name) > MAX_NAME:
        what = f"the name {quoted(name)} has {len(name)} characters"
        raise InputError(what, file, line, f"at most {MAX_NAME}")
