"""Text read line by line, with errors that name the line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple, Protocol

from milp_pips.errors import InputError

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_FILLED = re.compile(r"\S[^\n]*")
LONGEST_LINE = 200_000
# int() alone would accept the digits of every script, and refuses more than 4300 of them.
_WHOLE_NUMBER = re.compile(r"-?[0-9]{1,9}")


class Place(Protocol):
    """A place in a file that can be blamed."""

    def fault(self, what: str, expected: str = "") -> InputError:
        """Return the error that says what is wrong here."""


class Line(NamedTuple):
    """A line of a file: its number, counted from 1, and its text without the blanks around it."""

    number: int
    text: str
    file: str

    def fault(self, what: str, expected: str = "") -> InputError:
        """Return the error that says what is wrong with this line."""
        return InputError(what, self.file, self.number, expected)

    def words(self) -> list[str]:
        """Return its parts between blanks."""
        return self.text.split()

    def integer(self, word: str, what: str, low: int, high: int, expected: str = "") -> int:
        """Return the number that a word of this line is.

        Parameters
        ----------
        word
            The word.
        what
            What the number stands for, for the error's text.
        low, high
            The least and the greatest number allowed.
        expected
            What to tell the person, where more is to be said than the two bounds.

        Raises
        ------
        InputError
            The word is no whole number, or out of bounds.
        """
        number = whole_number(word)
        if number is None or not low <= number <= high:
            raise self.fault(f"{what} is {quoted(word)}", expected or f"a whole number from {low} to {high}")
        return number


class Lines:
    """The lines of a text that are not blank, one after the other.

    Raises
    ------
    InputError
        The text is empty, or no text at all.
    """

    def __init__(self, text: str, file: str):
        self._lines = _filled_lines(plain(text, file), file)
        self._last = Line(1, "", file)

    def __iter__(self) -> Iterator[Line]:
        return self

    def __next__(self) -> Line:
        self._last = next(self._lines)
        if len(self._last.text) > LONGEST_LINE:
            raise self.fault(f"the line has {len(self._last.text)} characters", f"at most {LONGEST_LINE}")
        return self._last

    def required(self, what: str) -> Line:
        """Return the next line; raises InputError where the file ends before ``what``."""
        line = next(self, None)
        if line is None:
            raise self.fault(f"the file ends before {what}")
        return line

    def fault(self, what: str, expected: str = "") -> InputError:
        """Return the error that says what is wrong with the last line that was read."""
        return self._last.fault(what, expected)


def plain(text: str, file: str) -> str:
    r"""Return the text without a byte-order mark, its lines ended by ``\n``.

    Raises
    ------
    InputError
        The text is empty, or holds control characters: then it is no text.
    """
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    if control := _CONTROL.search(text):
        line = text.count("\n", 0, control.start()) + 1
        raise InputError(f"the file is no text: it holds the character U+{ord(control[0]):04X}", file, line)
    if not text or text.isspace():
        raise InputError("the file is empty", file, 1)
    return text


def whole_number(word: str) -> int | None:
    """Return the number that the word is: a minus or none, one to nine of the digits 0 to 9; else None."""
    return int(word) if _WHOLE_NUMBER.fullmatch(word) else None


def quoted(text: str, most: int = 40) -> str:
    """Return the text as an error shows it: in quotes, shortened, one line, every character visible."""
    shown = text if len(text) <= most else text[: most - 1] + "…"
    return '"' + "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in shown) + '"'


def _filled_lines(text: str, file: str) -> Iterator[Line]:
    number, counted = 1, 0
    for filled in _FILLED.finditer(text):
        number += text.count("\n", counted, filled.start())
        counted = filled.start()
        yield Line(number, filled[0].rstrip(), file)
