"""JSON whose parts know where they stand in their file, so that an error can name the path and the line."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from typing import Any, TypeAlias, cast

from milp_pips.errors import InputError
from milp_pips.puzzles.located_text import plain, quoted

Path: TypeAlias = tuple[str | int, ...]
"""The keys and positions that lead from the whole document to a part of it."""

LONGEST = 4 * 2**20
"""Characters of JSON; a board of 10,000 dominoes needs less than half of them."""
MOST_ELEMENTS = 100_000
"""Of a list."""

_BLANKS = re.compile(r"[ \t\n\r]*")
_DIGITS = re.compile(r"[0-9]{1000}")
_STRING_OR_BRACKET = re.compile(r'"(?:[^"\\]|\\.)*"?|[\[\]{}]')
_decode = json.JSONDecoder().raw_decode


@dataclass(frozen=True, slots=True)
class Source:
    """The text that a document was read from, and the name of its file."""

    text: str
    file: str


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a JSON document: its value, and where it stands."""

    value: Any
    source: Source
    path: Path = ()

    def __contains__(self, key: str) -> bool:
        return isinstance(self.value, dict) and key in self.value

    @property
    def shown(self) -> str:
        """The value as an error shows it: one short line."""
        return _shown(self.value)

    def fault(self, what: str, expected: str = "") -> InputError:
        """Return the error that says what is wrong with this part, and on which line it starts."""
        where = f"{path_name(self.path)}: " if self.path else ""
        return InputError(where + what, self.source.file, _line(self.source.text, self.path), expected)

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
            raise self.fault(f"this is {_shown(value)}", f"a whole number from {low} to {high}")
        return value

    def name(self, expected: str = "a name") -> str:
        """Return a string that can be shown and written to a file; raises InputError where this is none."""
        value = self.value
        if not isinstance(value, str):
            raise self.fault(f"this is {_shown(value)}", expected)
        if not value.isprintable() or not value or value != value.strip() or len(value) > 100:
            raise self.fault(f"{quoted(value)} cannot be a name", "1 to 100 visible characters")
        return value

    def _child(self, value: object, step: str | int) -> Part:
        return Part(value, self.source, (*self.path, step))


def load(text: str, file: str) -> Part:
    """Return the document.

    Raises
    ------
    InputError
        The text is no JSON, or longer than any puzzle's; the error names the line.
    """
    if len(text) > LONGEST:
        raise InputError(f"the JSON has {len(text)} characters", file, 1, f"at most {LONGEST}")
    text = plain(text, file)
    try:
        return Part(json.loads(text), Source(text, file))
    except json.JSONDecodeError as error:
        if error.msg == "Extra data":
            raise InputError("the file goes on after the end of its JSON", file, error.lineno) from None
        if error.pos >= len(text.rstrip()):
            line = text.rstrip().count("\n") + 1
            raise InputError("the file ends in the middle of its JSON", file, line) from None
        what = f"this is no JSON: {error.msg[0].lower()}{error.msg[1:]} (column {error.colno})"
        raise InputError(what, file, error.lineno) from None
    except RecursionError:
        raise InputError("the JSON is nested too deeply", file, _line_at(text, _deepest(text))) from None
    except ValueError:  # Python reads no integer of more than 4300 digits
        digits = _DIGITS.search(text)
        place = _line_at(text, digits.start()) if digits else None
        raise InputError("a number has thousands of digits", file, place) from None


def path_name(path: Path) -> str:
    """Return the path as a person writes it, like ``hard.regions[3].target``."""
    name = ""
    for step in path:
        if isinstance(step, int):
            name += f"[{step}]"
        elif step.isidentifier() and len(step) <= 40:
            name += f".{step}" if name else step
        else:
            name += f"[{quoted(step)}]"
    return name


def _shown(value: object) -> str:
    match value:
        case dict():
            return "an object"
        case list():
            return "a list"
        case str():
            return quoted(value)
        case _:
            shown = json.dumps(value)
            return shown if len(shown) <= 40 else shown[:39] + "…"


def _line(text: str, path: Path) -> int | None:
    """Return the line on which the part starts; looked up only once something is wrong with it."""
    at = _after_blanks(text, 0)
    try:
        for step in path:
            at = dict(_children(text, at))[step]  # of a key that comes twice the last, as for json.loads
    except RecursionError:  # nested almost too deeply, and this call stands deeper than the one that read it
        return None
    return _line_at(text, at)


def _children(text: str, at: int) -> Iterator[tuple[str | int, int]]:
    """Yield the key or the index of each part of an object or a list, and where the part starts."""
    in_object = text[at] == "{"
    at = _after_blanks(text, at + 1)
    for index in count():
        if text[at] in "]}":
            break
        step: str | int = index
        if in_object:
            step, at = _decode(text, at)
            at = _after_blanks(text, _after_blanks(text, at) + 1)
        yield step, at
        at = _after_blanks(text, _decode(text, at)[1])
        if text[at] == ",":
            at = _after_blanks(text, at + 1)


def _after_blanks(text: str, at: int) -> int:
    return cast("re.Match[str]", _BLANKS.match(text, at)).end()


def _deepest(text: str) -> int:
    depth = deepest = at = 0
    for found in _STRING_OR_BRACKET.finditer(text):
        depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(found[0], 0)
        if depth > deepest:
            deepest, at = depth, found.start()
    return at


def _line_at(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1
