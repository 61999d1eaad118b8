"""The section BOUNDS of an MPS file, and the columns that follow from it."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from milp_pips.formulations.reading.lines import Misfit, quoted
from milp_pips.formulations.reading.numbers import ONE, ZERO, Numbers, parse_bound
from milp_pips.formulations.rows import Column
from milp_pips.problem.errors import InputError, meant

WITH_NUMBER = frozenset(("UP", "LO", "FX", "UI", "LI"))
WITHOUT_NUMBER = frozenset(("FR", "MI", "PL", "BV"))
"""Kinds of bounds; a number after one of the second group is ignored, as the format says."""

BOUND_KINDS = WITH_NUMBER | WITHOUT_NUMBER
LOWER = frozenset(("LO", "LI", "FX", "FR", "MI", "BV"))
UPPER = frozenset(("UP", "UI", "FX", "FR", "PL", "BV"))
INTEGER = frozenset(("UI", "LI", "BV"))
"""Kinds that set a lower bound, that set an upper one, and that make a column integer."""

REFUSED_BOUNDS = {"SC": "semi-continuous", "SI": "semi-integer", "SN": "semi-integer"}


class BoundFields(NamedTuple):
    """The fields of a line of BOUNDS; the name of its set and the number may be empty."""

    kind: str
    set_name: str
    column: str
    number: str


class Bounds:
    """The bounds of columns as they are read; ``columns`` are the known names with their positions."""

    def __init__(self, file: str, columns: dict[str, int], numbers: Numbers):
        self._file, self._columns = file, columns
        self._low: dict[int, Fraction | None] = {}
        self._high: dict[int, Fraction | None] = {}
        self._lines: dict[int, int] = {}
        self._made_integer = set[int]()
        self._numbers = numbers.bounds
        self.notes: list[tuple[str, int]] = []

    def fields(self, words: list[str], line: int) -> BoundFields:
        """Return the fields of a line. Raises InputError."""
        kind, count = words[0].upper(), len(words)
        if count == 4 and kind in BOUND_KINDS:  # most lines
            return BoundFields(kind, words[1], words[2], words[3])
        if kind in REFUSED_BOUNDS:
            what = f"{kind} makes a column {REFUSED_BOUNDS[kind]}, which is more than a linear model"
            raise InputError(what, self._file, line, "a bound of an integer or continuous column")
        if kind not in BOUND_KINDS:
            what = f"unknown kind of bound {quoted(words[0])}"
            raise InputError(what, self._file, line, ", ".join(sorted(BOUND_KINDS)))
        if kind in WITH_NUMBER and count == 3:
            return BoundFields(kind, "", words[1], words[2])
        if kind in WITHOUT_NUMBER and count == 2:
            return BoundFields(kind, "", words[1], "")
        if kind in WITHOUT_NUMBER and count == 3:  # a set and a column, or a column and a number
            known = [word in self._columns for word in words[1:]]
            if all(known) and _is_bound(words[2]):
                what = f"{quoted(' '.join(words))} has two columns, or a column and a number"
                raise InputError(what, self._file, line, "a name of the set as well")
            if known[0] and not known[1] and _is_bound(words[2]):
                return BoundFields(kind, "", words[1], words[2])
            return BoundFields(kind, words[1], words[2], "")
        expected = f"a name of the set, a column{' and a number' if kind in WITH_NUMBER else ''}"
        raise Misfit(f"{count} words: {quoted(' '.join(words))}", self._file, line, expected)

    def take(self, kind: str, column: str, word: str, line: int, *, counts: bool) -> None:
        """Take a bound, if its set counts. Raises InputError."""
        j = self._columns.get(column)
        if j is None:
            what = f"unknown column {quoted(column)}{meant(column, self._columns)}"
            raise InputError(what, self._file, line, "a column of COLUMNS")
        try:
            bound = self._numbers[word] if word or kind in WITH_NUMBER else None
        except ValueError as error:
            raise InputError(str(error), self._file, line) from None
        if bound is None and kind in WITH_NUMBER:
            is_end = (kind in ("UP", "UI")) != word.startswith("-")
            if kind == "FX" or not is_end:
                raise InputError(
                    f"the bound {kind} of {quoted(column)} is {word}", self._file, line, "a number"
                )
        if not counts:
            return
        if j not in self._lines:
            self._lines[j] = line
        if kind in INTEGER:
            self._made_integer.add(j)
        if kind in LOWER:
            low = ZERO if kind == "BV" else None if kind in WITHOUT_NUMBER else bound
            self._set(self._low, "lower", j, low, column, line)
        if kind in UPPER:
            high = ONE if kind == "BV" else None if kind in WITHOUT_NUMBER else bound
            self._set(self._high, "upper", j, high, column, line)

    def _set(
        self, ends: dict[int, Fraction | None], which: str, j: int, end: Fraction | None, name: str, line: int
    ) -> None:
        if j in ends:
            raise InputError(
                f"a second {which} bound of column {quoted(name)}", self._file, line, "one of each"
            )
        ends[j] = end

    def columns(self, integer: list[bool], costs: dict[int, Fraction]) -> tuple[Column, ...]:
        """Return the columns; ``integer`` are those between markers. Adds to the notes."""
        columns, binary, below = [], list[str](), list[tuple[str, int]]()
        for j, name in enumerate(self._columns):
            low, high = self._low.get(j, ZERO), self._high.get(j)
            if integer[j] and j not in self._lines:
                high = ONE
                binary.append(name)
            elif j not in self._low and high is not None and high < 0:
                low = None
                below.append((name, self._lines[j]))
            columns.append(Column(name, low, high, integer[j] or j in self._made_integer, costs.get(j, ZERO)))
        if binary:
            what = "integer columns between markers without bounds are 0..1"
            self.notes.append((f"{what}: {some(binary)}", 0))
        if below:
            what = "an upper bound below zero without a lower bound: the lower one is minus infinity"
            self.notes.append((f"{what}: {some([name for name, _ in below])}", below[0][1]))
        return tuple(columns)


def _is_bound(word: str) -> bool:
    try:
        parse_bound(word)
    except ValueError:
        return False
    return True


def some(names: list[str]) -> str:
    """Return the first names, and how many more there are."""
    shown = ", ".join(map(quoted, names[:3]))
    return f"{shown} and {len(names) - 3} more" if len(names) > 3 else shown
