"""Lines of text files and parts of JSON documents. Each knows its place, so that errors can name the line."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from itertools import count
from typing import Any, NamedTuple, Protocol, TypeAlias, TypeVar, cast

from milp_pips.problem.errors import InputError, visible

__all__ = [
    "Line",
    "Lines",
    "Located",
    "Member",
    "Part",
    "Reader",
    "board_rows",
    "is_json",
    "is_name",
    "listed",
    "load",
    "named",
    "one_of",
    "pair",
    "plain",
    "quoted",
    "record",
    "rows_of",
    "whole",
    "whole_number",
]

# ``json`` is imported only where it is needed, so that text files are read sooner.

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
# int() alone accepts the digits of every script, and refuses more than 4300 of them.
_WHOLE_NUMBER = re.compile(r"-?[0-9]{1,9}")


class Located(Protocol):
    """A place in a file, for error messages."""

    def fault(self, what: str, expected: str = "") -> InputError:
        """Return the error that states what is wrong at this place."""


def plain(text: str, file: str) -> str:
    r"""Return the text without a byte-order mark, with lines ended by ``\n``.

    Raises InputError if the text is empty, or contains control characters: then the file is not text.
    """
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    if control := _CONTROL.search(text):
        what = f"the file is not text: it contains the character U+{ord(control[0]):04X}"
        raise InputError(what, file, _line_at(text, control.start()))
    if not text or text.isspace():
        raise InputError("the file is empty", file, 1)
    return text


def is_json(text: str) -> bool:
    """Return whether the text starts as a JSON object does."""
    return text.removeprefix("\ufeff").lstrip().startswith("{")


def whole_number(word: str) -> int | None:
    """Return the word as a number: an optional minus and one to nine digits 0 to 9. Else return None."""
    return int(word) if _WHOLE_NUMBER.fullmatch(word) else None


def quoted(text: str) -> str:
    """Return the text for an error message: quoted, shortened, on one line, with every character visible."""
    return f'"{visible(_shortened(text))}"'


def _shortened(text: str) -> str:
    return text if len(text) <= 40 else text[:39] + "…"


def is_name(text: str) -> bool:
    """Return whether the text can be a name, in messages and in files."""
    return text.isprintable() and text == text.strip() and 0 < len(text) <= 100


def _line_at(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1


# ------------------------------------------------------------------------------------------------- text

LONGEST_LINE = 200_000

_FILLED = re.compile(r"\S[^\n]*")


class Line(NamedTuple):
    """A line of a file: its number from 1, its text without outer blanks, the file, and its indent.

    ``after_blank`` is whether the line above it is blank.
    """

    number: int
    text: str
    file: str
    indent: int = 0
    after_blank: bool = False

    def fault(self, what: str, expected: str = "") -> InputError:
        """Return the error that states what is wrong with this line."""
        return InputError(what, self.file, self.number, expected)

    def words(self) -> list[str]:
        """Return the words of the line, which blanks separate."""
        return self.text.split()

    def integer(self, word: str, what: str, low: int, high: int, expected: str = "") -> int:
        """Return a word of this line as a number; an error calls it ``what``.

        ``expected`` replaces the usual text of an error, which names the two bounds. Raises InputError if the
        word is not a whole number, or out of bounds.
        """
        number = whole_number(word)
        if number is None or not low <= number <= high:
            raise self.fault(f"{what} is {quoted(word)}", expected or f"a whole number from {low} to {high}")
        return number


class Lines:
    """An iterator over the lines of a text that are not blank, without comments. It can look ahead.

    ``comment`` matches a comment up to the end of its line. Raises InputError as ``plain`` does.
    """

    def __init__(self, text: str, file: str, comment: re.Pattern[str] | None = None):
        self._text, self._comment = plain(text, file), comment
        self._filled = _FILLED.finditer(self._text)
        self._last, self._counted = Line(1, "", file), 0
        self._coming: list[Line] = []

    def __iter__(self) -> Iterator[Line]:
        return self

    def __next__(self) -> Line:
        if self.ahead() is None:
            raise StopIteration
        return self._coming.pop(0)

    def ahead(self, further: int = 0) -> Line | None:
        """Return the next line, or the line ``further`` lines after it; None at the end of the text."""
        while len(self._coming) <= further:
            line = self._fetch()
            if line is None:
                return None
            self._coming.append(line)
        return self._coming[further]

    def arrange(self, order: Callable[[list[Line]], list[Line]]) -> None:
        """Replace the lines that follow; each keeps its number in the file."""
        self._coming = order(list(self))

    def _fetch(self) -> Line | None:
        after_blank = False
        for filled in self._filled:
            last, start = self._last, filled.start()
            number = last.number + self._text.count("\n", self._counted, start)
            after_blank |= number > last.number + 1
            indent = start - self._text.rfind("\n", 0, start) - 1
            line = Line(number, filled[0].rstrip(), last.file, indent, after_blank)
            self._last, self._counted = line, start
            if len(line.text) > LONGEST_LINE:
                raise line.fault(f"the line has {len(line.text)} characters", f"at most {LONGEST_LINE}")
            if self._comment is not None and (found := self._comment.search(line.text)):
                line = line._replace(text=line.text[: found.start()].rstrip())
            if line.text:
                return line
        return None

    def required(self, what: str) -> Line:
        """Return the next line. Raises InputError if the file ends before ``what``."""
        if self.ahead() is None:
            raise self.fault(f"the file ends before {what}")
        return next(self)

    def fault(self, what: str, expected: str = "") -> InputError:
        """Return the error that states what is wrong at the last line that was read or looked at."""
        return self._last.fault(what, expected)


# ------------------------------------------------------------------------------------------------- JSON

MAX_JSON_CHARACTERS = 4 * 2**20
"""The most characters of a JSON file. A board of 10,000 dominoes needs less than half of them."""
MOST_ELEMENTS = 100_000
"""The most elements of a JSON list."""

_BLANKS = re.compile(r"[ \t\n\r]*")
_DIGITS = re.compile(r"[0-9]{1000}")
_STRING_OR_BRACKET = re.compile(r'"(?:[^"\\]|\\.)*"?|[\[\]{}]')


class Part(NamedTuple):
    """A part of a JSON document: its value, the document's text and file, and the path to the part.

    ``path`` has the keys and positions that lead from the whole document to the part. A named tuple is made
    in a third of the time of frozen data, and a solution has a hundred parts.
    """

    value: Any
    text: str
    file: str
    path: tuple[str | int, ...] = ()

    def __contains__(self, key: object) -> bool:
        return isinstance(self.value, dict) and key in self.value

    @property
    def shown(self) -> str:
        """The value for an error message, in one short line."""
        match self.value:
            case dict():
                return "an object"
            case list():
                return "a list"
            case str():
                return quoted(self.value)
            case _:
                import json

                return _shortened(json.dumps(self.value))

    def fault(self, what: str, expected: str = "") -> InputError:
        """Return the error that states what is wrong with this part. It names the path and the line."""
        name = ""  # the path in the usual notation: hard.regions[3].target
        for step in self.path:
            if isinstance(step, str) and step.isidentifier() and len(step) <= 40:
                name += f".{step}" if name else step
            else:
                name += f"[{step if isinstance(step, int) else quoted(step)}]"
        where = f"{name}: " if name else ""
        return InputError(where + what, self.file, self._line(), expected)

    def members(self, expected: str = "an object") -> dict[str, Part]:
        """Return the members of an object by key. Raises InputError if this is not an object."""
        if not isinstance(self.value, dict):
            raise self.fault(f"this is {self.shown}", expected)
        return {key: self._child(value, key) for key, value in self.value.items()}

    def member(self, key: str, expected: str = "") -> Part:
        """Return a member of an object. Raises InputError if this is not an object, or has no such key."""
        if not isinstance(self.value, dict):
            raise self.fault(f"this is {self.shown}", "an object")
        if key not in self.value:
            raise self.fault(f"{quoted(key)} is missing", expected)
        return self._child(self.value[key], key)

    def optional(self, key: str) -> Part | None:
        """Return a member of an object, or None if it is missing or null."""
        return self.member(key) if key in self and self.value[key] is not None else None

    def elements(self, expected: str = "a list", length: int | None = None) -> list[Part]:
        """Return the elements of a list. Raises InputError if this is not a list, or has another length."""
        if not isinstance(self.value, list):
            raise self.fault(f"this is {self.shown}", expected)
        if len(self.value) > MOST_ELEMENTS:
            raise self.fault(f"this list has {len(self.value)} elements", f"at most {MOST_ELEMENTS}")
        if length is not None and len(self.value) != length:
            raise self.fault(f"this list has the length {len(self.value)}", expected)
        return [self._child(value, i) for i, value in enumerate(self.value)]

    def at(self, *path: str | int) -> Part:
        """Return the part to which the keys and positions lead."""
        part = self
        for step in path:
            part = part._child(part.value[step], step)
        return part

    def integer(self, low: int, high: int) -> int:
        """Return the value, an integer. Raises InputError if it is not an integer, or out of bounds."""
        value = self.value
        if type(value) is not int or not low <= value <= high:  # isinstance would accept True
            raise self.fault(f"this is {self.shown}", f"a whole number from {low} to {high}")
        return value

    def name(self, expected: str = "a name") -> str:
        """Return the value, a name (see ``is_name``). Raises InputError if it is not a name."""
        value = self.value
        if not isinstance(value, str):
            raise self.fault(f"this is {self.shown}", expected)
        if not is_name(value):
            raise self.fault(f"{quoted(value)} cannot be a name", "1 to 100 visible characters")
        return value

    def _child(self, value: object, step: str | int) -> Part:
        return tuple.__new__(Part, (value, self.text, self.file, (*self.path, step)))  # twice as fast

    def _line(self) -> int | None:
        """Return the line on which the part starts. Computed only for errors, by parsing the text again."""
        at = _after_blanks(self.text, 0)
        try:
            for step in self.path:  # of a repeated key the last counts, as in json.loads
                at = dict(_children(self.text, at))[step]
        except RecursionError:  # json.loads was within the limit, but this call is deeper in the stack
            return None
        return _line_at(self.text, at)


# Readers of parts, from which the table of a format's members is composed.

T = TypeVar("T")
Reader: TypeAlias = Callable[[Part], T]


def whole(low: int, high: int) -> Reader[int]:
    """Return a reader of a whole number within these bounds."""
    return lambda part: part.integer(low, high)


def named(expected: str = "a name") -> Reader[str]:
    """Return a reader of a name."""
    return lambda part: part.name(expected)


def listed(read: Reader[T], expected: str = "a list") -> Reader[list[T]]:
    """Return a reader of a list that reads each element."""
    return lambda part: list(map(read, part.elements(expected)))


def one_of(words: Collection[str], what: str, expected: str) -> Reader[str]:
    """Return a reader of one of these words. ``what`` states the error, with ``{}`` for another value."""

    def read_word(part: Part) -> str:
        if not isinstance(part.value, str) or part.value not in words:
            raise part.fault(what.format(part.shown), expected)
        return part.value

    return read_word


class Member(NamedTuple):
    """A member of a JSON object: its reader, what is expected if it is missing, and whether it may be."""

    read: Reader[Any]
    expected: str = ""
    optional: bool = False


def record(**members: Member) -> Reader[dict[str, Any]]:
    """Return a reader of these members of an object. An optional one that is missing or null is None."""

    def read_members(part: Part) -> dict[str, Any]:
        found = dict[str, Any]()
        for name, (read, expected, optional) in members.items():
            member = part.optional(name) if optional else part.member(name, expected)
            found[name] = None if member is None else read(member)
        return found

    return read_members


def pair(read: Reader[T], expected: str) -> Reader[tuple[T, T]]:
    """Return a reader of a list of two elements."""

    def read_pair(part: Part) -> tuple[T, T]:
        first, second = part.elements(expected, 2)
        return read(first), read(second)

    return read_pair


def rows_of(text: str, file: str, between: str = "") -> tuple[str, ...]:
    """Return the rows of a solution: the lines of a text, or the rows of ``grid`` in JSON.

    A row of JSON is joined to one text, with ``between`` between its cells. Raises InputError.
    """
    if not is_json(text):
        return tuple(line.text for line in Lines(text, file))
    rows = load(text, file).member("grid", "the rows of the solution").elements("a list of rows")
    return tuple(between.join(str(cell.value) for cell in row.elements("the cells of a row")) for row in rows)


def board_rows(document: Part, height: int, width: int) -> list[list[Part]]:
    """Return the cells of a board row by row, from the rows of ``grid`` or the named cells of ``values``.

    A cell that ``values`` leaves out is null. Raises InputError.
    """
    if "values" not in document or "grid" in document:
        rows = document.member("grid", "the rows of the solution").elements(f"{height} rows", height)
        return [row.elements(f"{width} cells", width) for row in rows]
    named = document.member("values")
    places = {f"r{r + 1}c{c + 1}": (r, c) for r in range(height) for c in range(width)}
    cells = [[Part(None, named.text, named.file, named.path)] * width for _ in range(height)]
    for name, part in named.members("the values by cell").items():
        if name not in places:
            raise part.fault(f"{quoted(name)} is not a cell of the board")
        row, column = places[name]
        cells[row][column] = part
    return cells


def load(text: str, file: str) -> Part:
    """Return the JSON document as a part.

    Raises InputError if the text is not JSON or too long for a puzzle. The error names the line.
    """
    import json

    if len(text) > MAX_JSON_CHARACTERS:
        raise InputError(f"the JSON has {len(text)} characters", file, 1, f"at most {MAX_JSON_CHARACTERS}")
    text = plain(text, file)
    try:
        return Part(json.loads(text), text, file)
    except json.JSONDecodeError as error:
        if error.msg == "Extra data":
            raise InputError("there is more text after the end of the JSON", file, error.lineno) from None
        if error.pos >= len(text.rstrip()):
            line = _line_at(text, len(text.rstrip()))
            raise InputError("the file ends in the middle of its JSON", file, line) from None
        what = f"this is not JSON: {error.msg[0].lower()}{error.msg[1:]} (column {error.colno})"
        raise InputError(what, file, error.lineno) from None
    except RecursionError:
        raise InputError("the JSON is nested too deeply", file, _line_at(text, _deepest(text))) from None
    except ValueError:  # Python reads no integer of more than 4300 digits
        digits = _DIGITS.search(text)
        place = _line_at(text, digits.start()) if digits else None
        raise InputError("a number has thousands of digits", file, place) from None


def _children(text: str, at: int) -> Iterator[tuple[str | int, int]]:
    """Yield the key or index of each part of an object or list, and the position where the part starts."""
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
    """Return the position where brackets are nested most deeply."""
    depth = deepest = at = 0
    for found in _STRING_OR_BRACKET.finditer(text):
        depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(found[0], 0)
        if depth > deepest:
            deepest, at = depth, found.start()
    return at
