"""What files hold, text and JSON, each part knowing where it stands, so that an error can name the line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from typing import Any, NamedTuple, Protocol, cast

from milp_pips.problem.errors import InputError, visible

# ``json`` is imported where it is needed: puzzles in text are read sooner without it.

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
# int() alone would accept the digits of every script, and refuses more than 4300 of them.
_WHOLE_NUMBER = re.compile(r"-?[0-9]{1,9}")


class Located(Protocol):
    """A place in a file that can be blamed."""

    def fault(self, what: str, expected: str = "") -> InputError:
        """Return the error that says what is wrong here."""


def plain(text: str, file: str) -> str:
    r"""Return the text without a byte-order mark, its lines ended by ``\n``.

    Raises InputError where the text is empty, or holds control characters: then it is no text.
    """
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    if control := _CONTROL.search(text):
        what = f"the file is no text: it holds the character U+{ord(control[0]):04X}"
        raise InputError(what, file, _line_at(text, control.start()))
    if not text or text.isspace():
        raise InputError("the file is empty", file, 1)
    return text


def whole_number(word: str) -> int | None:
    """Return the number that the word is: a minus or none, one to nine of the digits 0 to 9; else None."""
    return int(word) if _WHOLE_NUMBER.fullmatch(word) else None


def quoted(text: str, most: int = 40) -> str:
    """Return the text as an error shows it: in quotes, shortened, one line, every character visible."""
    shown = text if len(text) <= most else text[: most - 1] + "…"
    return f'"{visible(shown)}"'


def is_name(text: str) -> bool:
    """Return whether the text can be shown and written to a file as a name."""
    return text.isprintable() and text == text.strip() and 0 < len(text) <= 100


def _line_at(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1


# ------------------------------------------------------------------------------------------------- text

LONGEST_LINE = 200_000

_FILLED = re.compile(r"\S[^\n]*")


class Line(NamedTuple):
    """A line of a file: its number from 1 on, its text without blanks around it, how many stood before it."""

    number: int
    text: str
    file: str
    indent: int = 0

    def fault(self, what: str, expected: str = "") -> InputError:
        """Return the error that says what is wrong with this line."""
        return InputError(what, self.file, self.number, expected)

    def words(self) -> list[str]:
        """Return its parts between blanks."""
        return self.text.split()

    def integer(self, word: str, what: str, low: int, high: int, expected: str = "") -> int:
        """Return the number that a word of this line is; an error calls it ``what``.

        ``expected`` is for more than the two bounds to be said. Raises InputError where the word is no whole
        number, or out of bounds.
        """
        number = whole_number(word)
        if number is None or not low <= number <= high:
            raise self.fault(f"{what} is {quoted(word)}", expected or f"a whole number from {low} to {high}")
        return number


class Lines:
    """The lines of a text that are not blank, one after the other. Raises InputError as ``plain`` does."""

    def __init__(self, text: str, file: str):
        self._text = plain(text, file)
        self._filled = _FILLED.finditer(self._text)
        self._last, self._counted = Line(1, "", file), 0

    def __iter__(self) -> Iterator[Line]:
        return self

    def __next__(self) -> Line:
        filled = next(self._filled)
        number = self._last.number + self._text.count("\n", self._counted, filled.start())
        indent = filled.start() - self._text.rfind("\n", 0, filled.start()) - 1
        self._last = Line(number, filled[0].rstrip(), self._last.file, indent)
        self._counted = filled.start()
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


# ------------------------------------------------------------------------------------------------- JSON

MAX_JSON_CHARACTERS = 4 * 2**20
"""Characters of JSON; a board of 10,000 dominoes needs less than half of them."""
MOST_ELEMENTS = 100_000
"""Of a list."""

_BLANKS = re.compile(r"[ \t\n\r]*")
_DIGITS = re.compile(r"[0-9]{1000}")
_STRING_OR_BRACKET = re.compile(r'"(?:[^"\\]|\\.)*"?|[\[\]{}]')


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a JSON document: its value, the text and the file of the document, where the part stands.

    ``path`` are the keys and positions that lead from the whole document to it.
    """

    value: Any
    text: str
    file: str
    path: tuple[str | int, ...] = ()

    def __contains__(self, key: str) -> bool:
        return isinstance(self.value, dict) and key in self.value

    @property
    def shown(self) -> str:
        """The value as an error shows it: one short line."""
        match self.value:
            case dict():
                return "an object"
            case list():
                return "a list"
            case str():
                return quoted(self.value)
            case _:
                import json

                shown = json.dumps(self.value)
                return shown if len(shown) <= 40 else shown[:39] + "…"

    def fault(self, what: str, expected: str = "") -> InputError:
        """Return the error that says what is wrong with this part, and on which line it starts."""
        name = ""  # as a person writes the path: hard.regions[3].target
        for step in self.path:
            if isinstance(step, str) and step.isidentifier() and len(step) <= 40:
                name += f".{step}" if name else step
            else:
                name += f"[{step if isinstance(step, int) else quoted(step)}]"
        where = f"{name}: " if name else ""
        return InputError(where + what, self.file, self._line(), expected)

    def members(self, expected: str = "an object") -> dict[str, Part]:
        """Return the parts of an object by their keys; raises InputError where this is none."""
        if not isinstance(self.value, dict):
            raise self.fault(f"this is {self.shown}", expected)
        return {key: self._child(value, key) for key, value in self.value.items()}

    def member(self, key: str, expected: str = "") -> Part:
        """Return a part of an object; raises InputError where this is no object, or has no such key."""
        if not isinstance(self.value, dict):
            raise self.fault(f"this is {self.shown}", "an object")
        if key not in self.value:
            raise self.fault(f"{quoted(key)} is missing", expected)
        return self._child(self.value[key], key)

    def optional(self, key: str) -> Part | None:
        """Return a part of an object, or None where it is missing or null."""
        return self.member(key) if key in self and self.value[key] is not None else None

    def elements(self, expected: str = "a list", length: int | None = None) -> list[Part]:
        """Return the parts of a list; raises InputError where this is none, or has another length."""
        if not isinstance(self.value, list):
            raise self.fault(f"this is {self.shown}", expected)
        if len(self.value) > MOST_ELEMENTS:
            raise self.fault(f"this list has {len(self.value)} elements", f"at most {MOST_ELEMENTS}")
        if length is not None and len(self.value) != length:
            raise self.fault(f"this list has the length {len(self.value)}", expected)
        return [self._child(value, i) for i, value in enumerate(self.value)]

    def integer(self, low: int, high: int) -> int:
        """Return the number; raises InputError where this is no integer, or out of bounds."""
        value = self.value
        if type(value) is not int or not low <= value <= high:  # True is an int to isinstance
            raise self.fault(f"this is {self.shown}", f"a whole number from {low} to {high}")
        return value

    def name(self, expected: str = "a name") -> str:
        """Return a string that can be shown and written to a file; raises InputError where this is none."""
        value = self.value
        if not isinstance(value, str):
            raise self.fault(f"this is {self.shown}", expected)
        if not is_name(value):
            raise self.fault(f"{quoted(value)} cannot be a name", "1 to 100 visible characters")
        return value

    def _child(self, value: object, step: str | int) -> Part:
        return Part(value, self.text, self.file, (*self.path, step))

    def _line(self) -> int | None:
        """Return the line on which the part starts; looked up only once something is wrong with it."""
        at = _after_blanks(self.text, 0)
        try:
            for step in self.path:  # of a key that comes twice the last, as for json.loads
                at = dict(_children(self.text, at))[step]
        except RecursionError:  # nested almost too deeply, and this call stands deeper than the reader's
            return None
        return _line_at(self.text, at)


def rows_of(text: str, file: str, between: str = "") -> tuple[str, ...]:
    """Return the rows of a solution: lines of text or, of JSON, those of ``grid``.

    Between two cells of JSON is put what stands ``between`` them in a line of text. Raises InputError.
    """
    if not text.removeprefix("\ufeff").lstrip().startswith("{"):
        return tuple(line.text for line in Lines(text, file))
    rows = load(text, file).member("grid", "the rows of the solution").elements("a list of rows")
    return tuple(between.join(str(cell.value) for cell in row.elements("the cells of a row")) for row in rows)


def board_rows(document: Part, height: int, width: int) -> list[list[Part]]:
    """Return the cells of a board, row by row, from its ``grid`` or, by name, from its ``values``.

    What ``values`` leave out is null. Raises InputError.
    """
    if "values" not in document or "grid" in document:
        rows = document.member("grid", "the rows of the solution").elements(f"{height} rows", height)
        return [row.elements(f"{width} cells", width) for row in rows]
    named = document.member("values")
    places = {f"r{r + 1}c{c + 1}": (r, c) for r in range(height) for c in range(width)}
    cells = [[Part(None, named.text, named.file, named.path)] * width for _ in range(height)]
    for name, part in named.members("the values by cell").items():
        if name not in places:
            raise part.fault(f"{quoted(name)} is no cell of the board")
        row, column = places[name]
        cells[row][column] = part
    return cells


def load(text: str, file: str) -> Part:
    """Return the document.

    Raises InputError where the text is no JSON, or longer than any puzzle's; the error names the line.
    """
    import json

    if len(text) > MAX_JSON_CHARACTERS:
        raise InputError(f"the JSON has {len(text)} characters", file, 1, f"at most {MAX_JSON_CHARACTERS}")
    text = plain(text, file)
    try:
        return Part(json.loads(text), text, file)
    except json.JSONDecodeError as error:
        if error.msg == "Extra data":
            raise InputError("the file goes on after the end of its JSON", file, error.lineno) from None
        if error.pos >= len(text.rstrip()):
            line = _line_at(text, len(text.rstrip()))
            raise InputError("the file ends in the middle of its JSON", file, line) from None
        what = f"this is no JSON: {error.msg[0].lower()}{error.msg[1:]} (column {error.colno})"
        raise InputError(what, file, error.lineno) from None
    except RecursionError:
        raise InputError("the JSON is nested too deeply", file, _line_at(text, _deepest(text))) from None
    except ValueError:  # Python reads no integer of more than 4300 digits
        digits = _DIGITS.search(text)
        place = _line_at(text, digits.start()) if digits else None
        raise InputError("a number has thousands of digits", file, place) from None


def _children(text: str, at: int) -> Iterator[tuple[str | int, int]]:
    """Yield the key or the index of each part of an object or a list, and where the part starts."""
    from json import JSONDecoder

    decode = JSONDecoder().raw_decode
    in_object = text[at] == "{"
    at = _after_blanks(text, at + 1)
    for index in count():
        if text[at] in "]}":
            break
        step: str | int = index
        if in_object:
            step, at = decode(text, at)
            at = _after_blanks(text, _after_blanks(text, at) + 1)
        yield step, at
        at = _after_blanks(text, decode(text, at)[1])
        if text[at] == ",":
            at = _after_blanks(text, at + 1)


def _after_blanks(text: str, at: int) -> int:
    return cast("re.Match[str]", _BLANKS.match(text, at)).end()


def _deepest(text: str) -> int:
    """Return where the brackets are nested most deeply."""
    depth = deepest = at = 0
    for found in _STRING_OR_BRACKET.finditer(text):
        depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(found[0], 0)
        if depth > deepest:
            deepest, at = depth, found.start()
    return at
