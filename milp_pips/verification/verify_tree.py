"""Check a certificate of a linear model: that a list of solutions, of the best ones or of none is complete.

    python verify.py FOLDER

This file needs nothing but Python; a copy of it stands in the folder, as ``verify.py``. It trusts neither
the program that wrote the folder nor the engine behind it. What remains to be trusted is this file, Python,
and that ``model.mps``, which it reads itself, is the model in question.

The folder has four files more. ``model.mps`` is the model. ``certificate.json`` states the query: the
chosen columns, in which solutions differ, and which solutions are wanted. ``points.jsonl`` has one point in
a line: the values of all columns. ``tree.jsonl.gz`` has a branch-and-bound tree, one node in a line, in the
order of a search in depth.

**The model in whole numbers.** Each row is multiplied by the least positive number that makes its
coefficients whole, without a common divisor. The sides of a row of integer columns are rounded inwards;
another row is multiplied again, so that its sides are whole. The unit of a continuous column is such that
its bounds are whole. The costs, of a minimum, become whole numbers without a common divisor. Rows, columns
and points count from 0.

**A node** is a box: a lower and an upper bound of each column. Its line is a list of entries, which hold
for the box one after another. *Multipliers* are whole numbers ``y`` of rows, with a scale: each point of
the box that obeys the rows has ``scale · cost >= Σ y · side + Σ over columns of the least of (scale · cost
- Σ y · factor) · x``, where the side is the lower one for a positive ``y`` and the upper one for a negative
one.

=====================================  ================================================================
``["i", row, column, low, high, …]``   the row implies these bounds of columns; row -1 is the cutoff
``["t", row, column, y, low, high]``   at the root: a column's new coefficient in a row, and its new sides
``["m", divisor, [column, …], row, y,   at the root: a new row, the next one, by mixed-integer rounding
…]``                                   (see ``Tree._rounded``)
``["y", scale, row, y, row, y, …]``    multipliers, for this node and those below
``["r", column, low, high, …]``        what is outside of these bounds is above the cutoff by the
                                       multipliers; with the scale 0 no point is there
``["a"]``                              leaf: the box is above the cutoff, by the multipliers
``["f"]``                              leaf: no point obeys the rows, by multipliers with scale 0
``["v", row]``                         leaf: no point of the box obeys this row, or the cutoff
``["e", column]``                      leaf: the bounds of the column cross
``["s", point]``                       leaf: all chosen columns are fixed, and this is their point; if the
                                       costs depend on others, no other is better, by the multipliers
``["o"]``                              leaf that is open: nothing is known
``["x", column, low, high, …]``        branch: the ranges of the children, in the order of their lines
``["p", first, [column, low, …], …]``   at the root of a later piece: its children are these boxes, of open
                                       leaves until then; its points count from the first
=====================================  ================================================================

The first piece is a whole tree. When no node waits, another piece may follow, which begins at the root again
and searches boxes that are open until then: bounds of integer columns where they differ from the model.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import os
import re
import signal
import stat
import sys
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from fractions import Fraction
from itertools import groupby
from math import ceil, floor, gcd, lcm
from operator import mul
from pathlib import Path
from typing import IO, Any, NamedTuple, TypeAlias

__all__ = ["FORMAT", "OutOfTime", "Piece", "ProvedByTree", "Refused", "Watch", "check_pieces", "verify"]

FORMAT = "milp-pips tree 1"
CERTIFICATE_JSON, MODEL_MPS = "certificate.json", "model.mps"
POINTS_JSONL, TREE_LOG = "points.jsonl", "tree.jsonl.gz"
MEMBERS = (
    *("format", "made_by", "original", "chosen", "within", "within_relative", "best", "solutions", "sha256"),
)
"""The members of ``certificate.json``."""
LARGEST_JSON, LARGEST_TEXT = 2**24, 2**26
"""Bytes of the largest ``certificate.json``, and of the largest model and list of points."""
LARGEST_LINE, LARGEST_TREE = 2**22, 2**34
"""Bytes of the longest line of the tree, and of the whole tree, unpacked."""
MOST_MODEL_COLUMNS, MOST_MODEL_ROWS, MOST_ENTRIES = 100_000, 100_000, 2_000_000
"""The most columns and rows of a model, and coefficients."""
MOST_DIGITS, MOST_EXPONENT = 400, 400
"""The most digits of a number of the model or of a point, and the greatest exponent."""
CUTOFF_ROW = -1
"""The number of the cutoff among the rows."""
MOST_MULTIPLIER = 10**1000
"""No multiplier, bound or scale is as great."""
LEAST_MULTIPLIER = -MOST_MULTIPLIER
MOST_TRIED_VALUES = 1_000
"""The most values of a column by which a coefficient changes."""
MOST_NAMED_COLUMNS = 5
"""The most columns that a verdict names."""
MOST_WAITING = 1_000_000
"""The most nodes that wait: the depth times the children of a node."""
MOST_OPEN_ENDS = 2**23
"""The most numbers that state the boxes of the open leaves."""
NO_BOUND_FROM = 10**20
"""From this absolute value on a bound or a right side means none."""
MEMORY_LIMIT = 2**32
"""Bytes of memory that a check takes at most, if it runs as a program on a system that can limit it."""
OUT_OF_MEMORY = f"refused: the check takes more than {MEMORY_LIMIT} bytes of memory"
NUMBER = re.compile(r"([+-]?)(\d*)\.?(\d*)(?:[eE]([+-]?\d{1,3}))?", re.ASCII)
QUOTIENT = re.compile(r"(-?\d{1,400})(?:/(\d{1,400}))?", re.ASCII)

Number: TypeAlias = int | Fraction
End: TypeAlias = int | None


class Refused(Exception):
    """The folder proves nothing; the message has the first fault, without control characters."""

    def __init__(self, fault: str):
        super().__init__("".join(sign if sign.isprintable() else "?" for sign in fault[:400]))


class OutOfTime(Exception):
    """The time limit of the check is reached."""


@contextmanager
def reading(place: str) -> Iterator[None]:
    """Turn what is wrong with the content of a file into Refused, which names the place."""
    try:
        yield
    except (OSError, EOFError, zlib.error) as error:
        raise Refused(f"{place}: {getattr(error, 'strerror', '') or error}") from None
    except (Refused, ValueError) as error:
        raise Refused(f"{place}: {error}") from None
    except (KeyError, TypeError, IndexError, AttributeError, RecursionError, ZeroDivisionError) as error:
        raise Refused(f"{place}: {type(error).__name__}: {error}") from None


class Watch:
    """The time limit of a check. It is told once: an alarm that comes while the check ends adds nothing."""

    def __init__(self, seconds: float):
        self._seconds, self._until = seconds, time.monotonic() + seconds

    def check(self, *_: object) -> None:
        """Raise OutOfTime at the first look after the deadline."""
        if time.monotonic() > self._until:
            self._until = float("inf")
            raise OutOfTime(f"the check takes more than {self._seconds:g} s")


# 1. The model, out of an MPS file.


class Column:
    """A column of the file: its bounds, None for none, its cost and its entries by row."""

    def __init__(self, *, integer: bool):
        self.integer, self.cost = integer, Fraction(0)
        self.low: Fraction | None = Fraction(0)
        self.high: Fraction | None = None
        self.bounded = self.has_low = self.has_high = False
        self.terms: dict[int, Fraction] = {}


class Mps:
    """The rows and columns of an MPS file, read by words; names have no blanks.

    An integer column between markers without bounds is 0..1. An upper bound below zero without a lower one
    makes that infinite. A range of an E row reaches to the side of its sign. The right side of the
    objective is minus its constant. Nothing is read after ENDATA. Whatever else is not plain is refused: a
    second objective, a second set of bounds or sides, a number twice, an unknown section.
    """

    def __init__(self, text: str):
        self.maximise, self.objective = False, ""
        self.kinds: dict[str, str] = {}
        self.rows: dict[str, int] = {}
        self.columns: dict[str, Column] = {}
        self.sides: dict[str, Fraction | None] = {}
        self.ranges: dict[str, Fraction] = {}
        self._integer, self._last, self._entries = False, "", 0
        self._sets: dict[str, str] = {}
        section, seen = "", set[str]()
        readers: dict[str, Callable[[list[str]], None]] = {
            "OBJSENSE": self._sense,
            "ROWS": self._row,
            "COLUMNS": self._entry,
            "RHS": lambda words: self._side("RHS", words),
            "RANGES": lambda words: self._side("RANGES", words),
            "BOUNDS": self._bound,
        }
        for number, line in enumerate(text.split("\n"), 1):
            with reading(f"{MODEL_MPS}:{number}"):
                if line.startswith("*SENSE"):
                    raise ValueError("a sense in a comment; expected OBJSENSE")
                words = [] if line.startswith("*") else line.split()
                if any(word.startswith("$") for word in words):
                    raise ValueError("a comment within a line")
                if not words:
                    continue
                if line[0] not in " \t":
                    section = words[0].upper()
                    if section in seen or section not in {*readers, "NAME", "ENDATA"}:
                        raise ValueError(f"the section {section}")
                    seen.add(section)
                    if section == "OBJSENSE" and len(words) == 2:
                        self._sense(words[1:])
                    elif len(words) > 1 and section != "NAME":
                        raise ValueError(f"{words[1]} after the section {section}")
                    if section == "ENDATA":
                        break  # MIPLIB's dcmulti has text after it
                elif section in readers:
                    readers[section](words)
                else:
                    raise ValueError("a line of data without a section")
        if section != "ENDATA":
            raise Refused(f"{MODEL_MPS}: no ENDATA")

    def _sense(self, words: list[str]) -> None:
        self.maximise = {"MIN": False, "MINIMIZE": False, "MAX": True, "MAXIMIZE": True}[words[0].upper()]

    def _row(self, words: list[str]) -> None:
        kind, name = words
        kind = kind.upper()
        if kind not in ("N", "L", "G", "E") or name in self.kinds:
            raise ValueError(f"the row {name} of kind {kind}")
        if kind == "N":
            if self.objective:
                raise ValueError("a second N row")
            self.objective = name
        else:
            self.rows[name] = len(self.rows)
            if len(self.rows) > MOST_MODEL_ROWS:
                raise ValueError(f"more than {MOST_MODEL_ROWS} rows")
        self.kinds[name] = kind

    def _entry(self, words: list[str]) -> None:
        if len(words) == 3 and words[1] == "'MARKER'":
            if words[2] not in ("'INTORG'", "'INTEND'") or self._integer == (words[2] == "'INTORG'"):
                raise ValueError(f"the marker {words[2]}")
            self._integer, self._last = not self._integer, ""
            return
        name, pairs = words[0], _pairs(words[1:])
        if name != self._last:
            if name in self.columns or len(self.columns) >= MOST_MODEL_COLUMNS:
                raise ValueError(
                    f"the column {name} a second time, or more than {MOST_MODEL_COLUMNS} columns"
                )
            self.columns[name] = Column(integer=self._integer)
            self._last = name
        column = self.columns[name]
        for row, number in pairs:
            self._entries += 1
            if self._entries > MOST_ENTRIES:
                raise ValueError(f"more than {MOST_ENTRIES} coefficients")
            place = -1 if self.kinds[row] == "N" else self.rows[row]
            if place in column.terms:
                raise ValueError(f"a second entry of {row}")
            column.terms[place] = decimal(number)

    def _set(self, section: str, name: str) -> None:
        if name and self._sets.setdefault(section, name) != name:
            raise ValueError(f"a second set of {section}")

    def _side(self, section: str, words: list[str]) -> None:
        if len(words) % 2:
            self._set(section, words[0])
            words = words[1:]
        for row, word in _pairs(words):
            number, kind = decimal(word), self.kinds[row]
            found = self.sides if section == "RHS" else self.ranges
            if row in found or (section == "RANGES" and kind == "N"):
                raise ValueError(f"a second number of {row}, or a range of the objective")
            if section == "RHS" and abs(number) >= NO_BOUND_FROM:
                if kind in "EN" or (kind == "L") != (number > 0):
                    raise ValueError(f"an infinite right side of {row}")
                self.sides[row] = None
            elif abs(number) >= NO_BOUND_FROM:
                raise ValueError(f"an infinite range of {row}")
            else:
                found[row] = number

    def _bound(self, words: list[str]) -> None:
        kind = words[0].upper()
        takes = kind in ("UP", "LO", "FX", "UI", "LI")
        if kind not in ("UP", "LO", "FX", "UI", "LI", "FR", "MI", "PL", "BV"):
            raise ValueError(f"a bound of kind {kind}")
        rest, number = words[1:], None
        if takes or len(rest) == 3:
            word = rest.pop()
            number = _bound_number(word, kind) if takes else None
        if len(rest) == 2:
            self._set("BOUNDS", rest.pop(0))
        (name,) = rest
        column = self.columns[name]
        column.bounded = True
        if kind in ("LO", "LI", "FX", "FR", "MI", "BV"):
            if column.has_low:
                raise ValueError(f"a second lower bound of {name}")
            column.has_low, column.low = True, Fraction(0) if kind == "BV" else number
        if kind in ("UP", "UI", "FX", "FR", "PL", "BV"):
            if column.has_high:
                raise ValueError(f"a second upper bound of {name}")
            column.has_high, column.high = True, Fraction(1) if kind == "BV" else number
        column.integer = column.integer or kind in ("UI", "LI", "BV")

    def bounds(self, name: str) -> tuple[Fraction | None, Fraction | None]:
        """Return the bounds of a column."""
        column = self.columns[name]
        if column.integer and not column.bounded:
            return Fraction(0), Fraction(1)
        if not column.has_low and column.high is not None and column.high < 0:
            return None, column.high
        return column.low, column.high

    def limits(self, name: str) -> tuple[Fraction | None, Fraction | None]:
        """Return the sides of a row."""
        kind, side = self.kinds[name], self.sides.get(name, Fraction(0))
        if name not in self.ranges:
            return (side if kind in "GE" else None), (side if kind in "LE" else None)
        if side is None:
            raise Refused(f"{MODEL_MPS}: a range of {name}, which has no right side")
        reach = self.ranges[name]
        other = side + (reach if kind == "E" else abs(reach) if kind == "G" else -abs(reach))
        return min(side, other), max(side, other)


def _pairs(words: list[str]) -> list[tuple[str, str]]:
    if len(words) not in (2, 4):
        raise ValueError("expected one or two pairs of a row and a number")
    return list(zip(words[::2], words[1::2], strict=True))


def _bound_number(word: str, kind: str) -> Fraction | None:
    """Return a bound; None if it is infinite to its own side."""
    text = word.lower().lstrip("+-")
    infinite = text in ("inf", "infinity")
    number = Fraction(0) if infinite else decimal(word)
    if infinite or abs(number) >= NO_BOUND_FROM:
        if kind == "FX" or word.startswith("-") != (kind in ("LO", "LI")):
            raise ValueError(f"the bound {word} of kind {kind}")
        return None
    return number


def decimal(word: str) -> Fraction:
    """Return the number that a word states, exactly. Raises ValueError."""
    found = NUMBER.fullmatch(word)
    if found is None or not found[2] + found[3] or len(found[2] + found[3]) > MOST_DIGITS:
        raise ValueError(f"{word[:40]} is no number of at most {MOST_DIGITS} digits")
    exponent = int(found[4] or 0)
    if abs(exponent) > MOST_EXPONENT:
        raise ValueError(f"the exponent of {word[:40]}")
    power = exponent - len(found[3])
    digits = int(found[1] + found[2] + found[3])
    return Fraction(digits * 10**power) if power >= 0 else Fraction(digits, 10**-power)


# 2. The model in whole numbers.


class Row(NamedTuple):
    """A row in whole numbers."""

    terms: dict[int, int]
    low: End
    high: End


class Whole:
    """The model in whole numbers; see above."""

    def __init__(self, mps: Mps):
        self.names = {name: j for j, name in enumerate(mps.columns)}
        columns = list(mps.columns.values())
        self.integer = [column.integer for column in columns]
        self.units: list[int] = []
        self.low: list[End] = []
        self.high: list[End] = []
        for name, column in mps.columns.items():
            low, high = mps.bounds(name)
            unit = 1 if column.integer else lcm(*(end.denominator for end in (low, high) if end is not None))
            self.units.append(unit)
            self.low.append(None if low is None else ceil(low * unit))
            self.high.append(None if high is None else floor(high * unit))
        factors: list[dict[int, Fraction]] = [{} for _ in mps.rows]
        costs: list[Fraction] = []
        for j, column in enumerate(columns):
            cost = column.terms.pop(-1, Fraction(0)) / self.units[j]
            costs.append(-cost if mps.maximise else cost)
            unit = self.units[j]
            for i, factor in column.terms.items():
                if factor:
                    factors[i][j] = factor if unit == 1 else factor / unit
        self.rows = [self._row(factors[i], *mps.limits(name)) for name, i in mps.rows.items()]
        times = least_multiple([cost for cost in costs if cost])
        self.costs = [int(times * cost) for cost in costs]
        self.price, self.sign = 1 / times, -1 if mps.maximise else 1
        self.constant = -(mps.sides.get(mps.objective) or Fraction(0))
        self.has_whole_values = all(self.integer[j] for j, cost in enumerate(self.costs) if cost)

    def _row(self, factors: dict[int, Fraction], low: Fraction | None, high: Fraction | None) -> Row:
        times = least_multiple(list(factors.values()))
        if factors and all(self.integer[j] for j in factors):
            low_end = None if low is None else ceil(times * low)
            high_end = None if high is None else floor(times * high)
        else:
            times *= lcm(*((times * side).denominator for side in (low, high) if side is not None))
            low_end, high_end = (None if side is None else int(times * side) for side in (low, high))
        if times == 1:
            return Row({j: int(factor) for j, factor in factors.items()}, low_end, high_end)
        return Row({j: int(times * factor) for j, factor in factors.items()}, low_end, high_end)

    def value(self, cost: Number) -> Fraction:
        """Return the value of the objective at a sum of costs."""
        return self.constant + self.sign * self.price * cost

    def judge(self, point: Sequence[Number]) -> list[Number]:
        """Return a point in units of the columns. Raises Refused unless it obeys everything."""
        if len(point) != len(self.low):
            raise Refused(f"{len(point)} values, but {len(self.low)} columns")
        values: list[Number] = list(map(mul, point, self.units))
        wholes, lows, highs, times = values, self.low, self.high, 1
        if set(map(type, values)) != {int}:
            times = lcm(*{value.denominator for value in values})
            wholes = [value.numerator * (times // value.denominator) for value in values]
            lows, highs = ([None if end is None else end * times for end in ends] for ends in (lows, highs))
        for j, (value, low, high) in enumerate(zip(wholes, lows, highs, strict=True)):
            if times > 1 and self.integer[j] and value % times:
                raise Refused(f"column {j} is not integral")
            if (low is not None and value < low) or (high is not None and value > high):
                raise Refused(f"column {j} is outside of its bounds")
        value_of = wholes.__getitem__
        for i, (terms, low, high) in enumerate(self.rows):
            total = sum(map(mul, terms.values(), map(value_of, terms)))
            if (low is not None and total < low * times) or (high is not None and total > high * times):
                raise Refused(f"row {i} does not hold")
        return values

    def cost(self, values: Sequence[Number]) -> Number:
        """Return the sum of costs at values in units of the columns."""
        return sum([cost * values[j] for j, cost in enumerate(self.costs) if cost])


def least_multiple(numbers: list[Fraction]) -> Fraction:
    """Return the least positive number that makes all whole, without a common divisor."""
    if not numbers:
        return Fraction(1)
    below = lcm(*(number.denominator for number in numbers))
    return Fraction(below, gcd(*(number.numerator * (below // number.denominator) for number in numbers)))


# 3. The query.


class Selection(NamedTuple):
    """The points that are wanted, and the cutoff: what costs more, or as much if ``closed``, is not.

    ``cutoff`` is None if every solution is wanted. ``listed`` has the chosen columns of the wanted points.
    """

    chosen: list[int]
    cutoff: Fraction | None
    closed: bool
    listed: set[tuple[Number, ...]]
    least: dict[tuple[Number, ...], Number]
    """The least cost of a point with these chosen columns."""
    needs_bounds: bool
    """Whether the costs of a point depend on more than the chosen columns, and count."""
    points: list[list[Number]]
    reach: tuple[Number | None, Number | None]
    """The distance from the optimum, and that as a share of it."""
    best: int | None
    has_cutoff: bool
    """Whether the objective excludes solutions."""
    is_full: bool
    """Whether as many of the best solutions are known as were asked for: the last one is the cutoff."""


def selection_of(whole: Whole, query: dict[str, Any], points: list[list[Number]]) -> Selection:
    """Return the wanted points, out of all that are known. Raises Refused for a query without meaning."""
    with reading(CERTIFICATE_JSON):
        names, best = query.get("chosen"), query.get("best")
        chosen = [j for j, integer in enumerate(whole.integer) if integer]
        if names is not None:
            chosen = [whole.names[name] for name in names]
        if len(set(chosen)) < len(chosen) or not all(whole.integer[j] for j in chosen):
            raise Refused("a column is chosen twice, or is not integer")
        if best is not None and (type(best) is not int or best < 1):
            raise Refused("best is no positive number")
        within, relative = (
            None if query.get(name) is None else quotient(query[name])
            for name in ("within", "within_relative")
        )
        if min(within or 0, relative or 0) < 0:
            raise Refused("a negative distance from the optimum")
    costs = [whole.cost(point) for point in points]
    least: dict[tuple[Number, ...], Number] = {}
    for point, cost in zip(points, costs, strict=True):
        key = tuple(point[j] for j in chosen)
        least[key] = min(cost, least.get(key, cost))
    order = sorted(least.values())
    cutoff, closed = None, False
    if order and (within is not None or relative is not None):
        distance = (within or 0) + abs(whole.value(order[0])) * (relative or 0)
        cutoff = order[0] + distance / whole.price
    is_full = False
    if best is not None and len(order) >= best and (cutoff is None or order[best - 1] <= cutoff):
        cutoff, closed, is_full = Fraction(order[best - 1]), True, True
    listed = {key for key, cost in least.items() if cutoff is None or cost <= cutoff}
    if best is not None and len(listed) > best:  # equals of the last: which of them is all the same
        listed = set(sorted(listed, key=lambda key: least[key])[:best])
    if cutoff is not None and whole.has_whole_values:
        cutoff, closed = Fraction(ceil(cutoff) - 1 if closed else floor(cutoff)), False
    has_cutoff = not (best is within is relative is None)
    some = set(chosen)
    needs_bounds = has_cutoff and any(cost and j not in some for j, cost in enumerate(whole.costs))
    return Selection(
        chosen,
        cutoff,
        closed,
        listed,
        least,
        needs_bounds,
        points,
        (within, relative),
        best,
        has_cutoff,
        is_full,
    )


def quotients(found: list[Any]) -> list[Number]:
    """Return the numbers of a point; see ``quotient``."""
    if set(map(type, found)) == {int} and LEAST_MULTIPLIER < min(found) <= max(found) < MOST_MULTIPLIER:
        return found
    return [quotient(value) for value in found]


def quotient(text: Any) -> Number:
    """Return the number that a text such as ``-3`` or ``1/3`` states, or an integer. Raises ValueError."""
    if type(text) is int and abs(text) < MOST_MULTIPLIER:
        return text
    found = QUOTIENT.fullmatch(text) if isinstance(text, str) else None
    if found is None:
        raise ValueError("expected an integer, or a quotient as text")
    return Fraction(int(found[1]), int(found[2] or 1))


# 4. The tree.


class Multipliers(NamedTuple):
    """The scale, the reduced costs that are not zero, and the part of the bound that no column changes."""

    scale: int
    reduced: list[tuple[int, int]]
    by_column: dict[int, int]
    base: int


Bounds: TypeAlias = tuple[tuple[int, End, End], ...]
"""Columns with their bounds."""

Waiting: TypeAlias = tuple[int, Bounds, Multipliers | None]
"""A node that waits: the length of the trail at its parent, its branch, and the multipliers of its parent."""


Sums: TypeAlias = tuple[int, int, int, int]
"""The least and the greatest sum of a row over a box, and how many columns lack an end for each."""


class Piece(NamedTuple):
    """What the check of one piece has found; the first has the number 0 and searches the whole box."""

    number: int
    boxes: tuple[Bounds, ...]
    """The boxes that it searches, which must be open leaves of pieces before it."""
    left: dict[Bounds, int]
    """Its own open leaves, and how many solutions each can have at most."""
    nodes: int


class Tree:
    """The check of a tree, node by node.

    ``later`` is the number of a piece that is checked by itself, and 0 for whole trees; then the boxes that
    it searches are only noted.
    """

    def __init__(self, whole: Whole, selection: Selection, later: int = 0):
        self._whole, self._selection = whole, selection
        self._later, self._boxes = later, list[Bounds]()
        self._low, self._high = list(whole.low), list(whole.high)
        self._rows = list(whole.rows)
        self._trail: list[tuple[int, End, End]] = []
        self._multipliers: Multipliers | None = None
        self._waiting: list[Waiting] = []
        self._left: dict[Bounds, int] = {}
        self._size_left, self._first, self._is_root = 0, 0, True
        self._size_of_cuts = 0
        self.nodes = 0
        over = selection.cutoff
        self._over, self._under = (0, 1) if over is None else (over.numerator, over.denominator)
        self._cutoff: Row | None = None
        if over is not None:
            terms = {j: cost * self._under for j, cost in enumerate(whole.costs) if cost}
            self._cutoff = Row(terms, None, self._over)
        self._kinds: dict[str, Callable[[list[Any]], bool]] = {
            "i": self._implied,
            "t": self._tightened,
            "m": self._rounded,
            "y": self._stated,
            "r": self._removed,
            "a": self._above,
            "f": self._refuted,
            "v": self._violated,
            "e": self._empty,
            "s": self._point,
            "o": self._open,
            "x": self._branch,
            "p": self._piece,
        }

    @property
    def open_leaves(self) -> int:
        """How many leaves are open."""
        return len(self._left)

    @property
    def most_more(self) -> int:
        """How many solutions they can have at most."""
        return sum(self._left.values())

    def check(self, lines: Iterable[str], watch: Watch, first: int = 1) -> None:
        """Check all nodes; the first one has this line number. Raises Refused with the first fault."""
        number, kinds = 0, self._kinds
        for number, line in enumerate(lines, first):
            with reading(f"{TREE_LOG}:{number}"):
                self._begin_node()
                entries = json.loads(line)
                if type(entries) is not list or not entries:
                    raise Refused("expected a list of entries")
                closed = False
                for entry in entries:
                    if closed:
                        raise Refused("an entry after a leaf or a branch")
                    closed = kinds[entry[0]](entry)
                if not closed:
                    raise Refused("a node without a leaf or a branch")
            if number % 256 == 0:
                watch.check()
        if not self.nodes or self._waiting:
            raise Refused(f"{TREE_LOG}: a child is missing")

    def piece(self) -> Piece:
        """Return what the check has found, if it was that of one piece."""
        return Piece(self._later, tuple(self._boxes), self._left, self.nodes)

    def join(self, pieces: Iterable[Piece]) -> None:
        """Take over pieces that were checked one by one, in their order. Raises Refused."""
        for number, piece in enumerate(pieces):
            if piece.number != number:
                raise Refused(f"{TREE_LOG}: piece {number} is missing")
            for box in piece.boxes:
                self._take(box)
            for box, more in piece.left.items():
                self._leave(box, more)
            self.nodes += piece.nodes
        if not self.nodes:
            raise Refused(f"{TREE_LOG}: a child is missing")

    def _take(self, box: Bounds) -> None:
        """Let a box be open no longer."""
        if self._left.pop(box, None) is None:
            raise Refused("a piece for a box that is not open")
        self._size_left -= 3 * len(box)

    def _leave(self, box: Bounds, more: int) -> None:
        """Let a box be open; it can have at most this many solutions."""
        self._size_left += 3 * len(box) if box not in self._left else 0
        if self._size_left > MOST_OPEN_ENDS or len(self._left) >= MOST_WAITING:
            raise Refused(
                f"the boxes of open leaves need more than {MOST_OPEN_ENDS} numbers, or are too many"
            )
        self._left[box] = more

    def _begin_node(self) -> None:
        """Set the box of the next node: the whole one at the root of a piece."""
        self.nodes += 1
        self._is_root = not self._waiting
        if self._is_root:
            if self.nodes > 1 and (self._later or not self._left):
                raise Refused("a node that is no child of another")
            self._low, self._high = list(self._whole.low), list(self._whole.high)
            self._rows, self._trail, self._multipliers = list(self._whole.rows), [], None
            self._size_of_cuts = 0
            return
        mark, branch, self._multipliers = self._waiting.pop()
        trail, lows, highs = self._trail, self._low, self._high
        while len(trail) > mark:
            j, lows[j], highs[j] = trail.pop()
        for j, low, high in branch:
            self._set(j, low, high)

    def _set(self, j: int, low: End, high: End) -> None:
        self._trail.append((j, self._low[j], self._high[j]))
        self._low[j], self._high[j] = low, high

    # Entries that tighten the box.

    def _implied(self, entry: list[Any]) -> bool:
        row = self._row(entry[1])
        sums, changes, lows, highs = self._sums(row), triples(entry, 2), self._low, self._high
        for j, low, high in changes:
            if high != highs[j] and not self._implies(row, sums, j, high, is_upper=True):
                raise Refused(f"row {entry[1]} does not imply the bounds of column {j}")
            if low != lows[j] and not self._implies(row, sums, j, low, is_upper=False):
                raise Refused(f"row {entry[1]} does not imply the bounds of column {j}")
        if len(changes) > 1 and len({j for j, _, _ in changes}) < len(changes):
            raise Refused("a column twice")
        for j, low, high in changes:
            self._set(j, low, high)
        return False

    def _implies(self, row: Row, sums: Sums, j: int, end: End, *, is_upper: bool) -> bool:
        """Return whether a row, of these sums, implies a tighter end of a column. Raises Refused."""
        low, high = self._low[j], self._high[j]
        factor, old = row.terms[j], high if is_upper else low
        if end is None or (old is not None and (end > old if is_upper else end < old)):
            raise Refused(f"the bounds of column {j} become wider")
        # What is removed begins one beyond the end, or right there for a continuous column.
        step = 1 if self._whole.integer[j] else 0
        removed = end + step if is_upper else end - step
        moves_up = is_upper == (factor > 0)
        own = low if is_upper else high  # the sum of all other columns is the row's without this end
        least, most, no_least, no_most = sums
        total, lacks, side = (least, no_least, row.high) if moves_up else (most, no_most, row.low)
        if side is None or lacks > (own is None):
            raise Refused("the row implies no bound")
        over = total + factor * (removed - (own or 0)) - side
        return (over > 0 if moves_up else over < 0) or not (step or over)

    def _tightened(self, entry: list[Any]) -> bool:
        """Replace a row by one that is implied for each value of an integer column."""
        _, i, j, factor, low, high = entry
        row, old_low, old_high = self._rows[place(i)], self._low[place(j)], self._high[j]
        if not self._is_root or not self._whole.integer[j] or old_low is None or old_high is None:
            raise Refused(f"row {i} changes below the root, or by a column without bounds")
        if old_high - old_low > MOST_TRIED_VALUES or number(factor) == row.terms[j]:
            raise Refused(f"column {j} has more than {MOST_TRIED_VALUES} values, or keeps its coefficient")
        rest = Row({k: a for k, a in row.terms.items() if k != j}, None, None)
        least, most, no_least, no_most = self._sums(rest)
        for value in range(old_low, old_high + 1):
            own, new = row.terms[j] * value, factor * value
            over = high is not None and (no_most or most > number(high) - new)
            over = over and (row.high is None or row.high - own > high - new)
            under = low is not None and (no_least or least < number(low) - new)
            under = under and (row.low is None or row.low - own < low - new)
            if over or under:
                raise Refused(f"row {i} does not imply the new one where column {j} is {value}")
        terms = {**rest.terms, j: factor} if factor else rest.terms
        self._rows[i] = Row(terms, low, high)
        return False

    def _rounded(self, entry: list[Any]) -> bool:
        """Add a row by mixed-integer rounding (Nemhauser and Wolsey 1990).

        The multipliers, positive for upper sides, give a row ``Σ factor · t <= side`` of columns ``t >= 0``,
        each measured from its lower bound, or from its upper one if it is listed. With the remainder of the
        side by the divisor, ``rest``, integer columns get ``(divisor - rest) · quotient + max(0, remainder -
        rest)`` of their factors, the others the factors that are negative, and the side becomes ``(divisor -
        rest) · quotient``. Then all is divided by the greatest common divisor.
        """
        divisor, above = number(entry[1]), set(map(place, entry[2]))
        if not self._is_root or divisor < 1 or len(entry) % 2 == 0 or len(self._rows) >= MOST_MODEL_ROWS:
            raise Refused("a row by rounding below the root, or without a divisor, or too many of them")
        self._size_of_cuts += len(self._low)
        if self._size_of_cuts > MOST_ENTRIES:
            raise Refused(f"rows by rounding may have more than {MOST_ENTRIES} coefficients")
        factors: dict[int, int] = {}
        side = 0
        for at in range(3, len(entry), 2):
            times, row = number(entry[at + 1]), self._rows[place(entry[at])]
            end = row.high if times > 0 else row.low
            if end is None or entry[at] >= len(self._whole.rows):  # of rows by rounding numbers would explode
                raise Refused(f"row {entry[at]} has no side for this multiplier, or is none of the model's")
            side += times * end
            for j, factor in row.terms.items():
                factors[j] = factors.get(j, 0) + times * factor
        ends: dict[int, int] = {}
        for j, factor in factors.items():
            end = self._high[j] if j in above else self._low[j]
            if end is None:
                if factor:
                    raise Refused(f"column {j} is measured from a bound that it lacks")
                end = 0
            ends[j] = end
            side -= factor * end
        quotient, rest = divmod(side, divisor)
        side, terms = (divisor - rest) * quotient, dict[int, int]()
        for j, factor in factors.items():
            sign = -1 if j in above else 1
            times, left = divmod(sign * factor, divisor)
            new = (divisor - rest) * times + max(0, left - rest)
            if not self._whole.integer[j]:
                new = min(0, sign * factor)
            if new:
                terms[j] = sign * new
                side += sign * new * ends[j]
        common = gcd(side, *terms.values()) or 1
        self._rows.append(Row({j: factor // common for j, factor in terms.items()}, None, side // common))
        return False

    def _row(self, i: Any) -> Row:
        """Return a row, or the cutoff, which what is wanted obeys. Raises Refused if there is none."""
        if i != CUTOFF_ROW:
            return self._rows[place(i)]
        if self._cutoff is None:
            raise Refused("no cutoff")
        return self._cutoff

    def _sums(self, row: Row) -> Sums:
        """Return the sums of a row over the box."""
        least = most = no_least = no_most = 0
        lows, highs = self._low, self._high
        for j, factor in row.terms.items():
            low, high = (lows[j], highs[j]) if factor > 0 else (highs[j], lows[j])
            if low is None:
                no_least += 1
            else:
                least += factor * low
            if high is None:
                no_most += 1
            else:
                most += factor * high
        return least, most, no_least, no_most

    def _require_tighter(self, j: int, low: End, high: End) -> None:
        old_low, old_high = self._low[j], self._high[j]
        if (old_low is not None and (low is None or low < old_low)) or (
            old_high is not None and (high is None or high > old_high)
        ):
            raise Refused(f"the bounds of column {j} become wider")

    def _stated(self, entry: list[Any]) -> bool:
        whole, scale = self._whole, number(entry[1])
        if scale < 0 or len(entry) % 2:
            raise Refused("a negative scale, or a row without a multiplier")
        reduced = [scale * cost for cost in whole.costs] if scale else [0] * len(whole.costs)
        base, rows = 0, self._rows
        for at in range(2, len(entry), 2):
            times, row = number(entry[at + 1]), rows[place(entry[at])]
            side = row.low if times > 0 else row.high
            if side is None:
                raise Refused(f"row {entry[at]} has no side for a multiplier of this sign")
            base += times * side
            for j, factor in row.terms.items():
                reduced[j] -= times * factor
        left = [(j, times) for j, times in enumerate(reduced) if times]
        self._multipliers = Multipliers(scale, left, dict(left), base)
        return False

    def _bound(self) -> tuple[Multipliers, int, list[int]]:
        """Return the multipliers, the bound over the box, and the columns whose end it lacks."""
        if self._multipliers is None:
            raise Refused("no multipliers")
        total, lacks = self._multipliers.base, list[int]()
        lows, highs = self._low, self._high
        for j, times in self._multipliers.reduced:
            end = lows[j] if times > 0 else highs[j]
            if end is None:
                lacks.append(j)
            else:
                total += times * end
        return self._multipliers, total, lacks

    def _proves(self, scale: int, bound: int) -> bool:
        """Return whether no wanted point has a bound like this."""
        if not scale:
            return bound > 0
        if self._selection.cutoff is None:
            return False
        return bound * self._under + self._selection.closed > scale * self._over

    def _outside(self, j: int, low: End, high: End) -> Iterator[tuple[End, End]]:
        """Yield the parts of a column's box that are outside of tighter bounds."""
        if low is not None and low != self._low[j]:
            yield self._low[j], low - 1
        if high is not None and high != self._high[j]:
            yield high + 1, self._high[j]

    def _removed(self, entry: list[Any]) -> bool:
        multipliers, total, lacks = self._bound()
        changes = []
        for j, low, high in triples(entry, 1):
            old_low, old_high = self._low[j], self._high[j]
            self._require_tighter(j, low, high)
            if not self._whole.integer[j]:
                raise Refused(f"column {j} is not integer")
            times = multipliers.by_column.get(j, 0)
            old_end = old_low if times > 0 else old_high
            rest = total - (times * old_end if times and old_end is not None else 0)
            for part_low, part_high in self._outside(j, low, high):
                end = part_low if times > 0 else part_high
                if any(other != j for other in lacks) or (times and end is None):
                    raise Refused("a bound needs an infinite end")
                if not self._proves(
                    multipliers.scale, rest + (times * end if times and end is not None else 0)
                ):
                    raise Refused(f"a part of column {j} is not above the cutoff")
            changes.append((j, low, high))
        for change in changes:
            self._set(*change)
        return False

    # Leaves.

    def _above(self, entry: list[Any]) -> bool:
        multipliers, total, lacks = self._bound()
        if len(entry) != 1 or not multipliers.scale or lacks or not self._proves(multipliers.scale, total):
            raise Refused("the box is not above the cutoff")
        return True

    def _refuted(self, entry: list[Any]) -> bool:
        multipliers, total, lacks = self._bound()
        if len(entry) != 1 or multipliers.scale or lacks or total <= 0:
            raise Refused("the multipliers do not refute the box")
        return True

    def _violated(self, entry: list[Any]) -> bool:
        (at,) = entry[1:]
        row = self._row(at)
        least, most, no_least, no_most = self._sums(row)
        over = row.high is not None and not no_least and least > row.high
        below = row.low is not None and not no_most and most < row.low
        if not (over or below or (row.low is not None and row.high is not None and row.low > row.high)):
            raise Refused(f"the box has points that obey row {at}")
        return True

    def _empty(self, entry: list[Any]) -> bool:
        (j,) = entry[1:]
        low, high = self._low[place(j)], self._high[j]
        if low is None or high is None or low <= high:
            raise Refused(f"the bounds of column {j} do not cross")
        return True

    def _point(self, entry: list[Any]) -> bool:
        selection, at = self._selection, self._first + place(entry[1])
        if len(entry) != 2 or at >= len(selection.points):
            raise Refused(f"there is no point {at}")
        point = selection.points[at]
        for j in selection.chosen:
            if not self._low[j] == self._high[j] == point[j]:
                raise Refused(f"point {at} is not the only one of the box: column {j}")
        if not selection.needs_bounds:
            return True
        # No other point of the box, with the same chosen columns, may be better than the best that is known.
        multipliers, total, lacks = self._bound()
        cost = selection.least[tuple(point[j] for j in selection.chosen)]
        gap = total - multipliers.scale * cost
        if (
            not multipliers.scale
            or lacks
            or (gap <= -multipliers.scale if self._whole.has_whole_values else gap < 0)
        ):
            raise Refused(f"the box may have a better point than point {at}")
        return True

    def _open(self, entry: list[Any]) -> bool:
        if len(entry) != 1:
            raise Refused("an open leaf says nothing")
        more = 1
        for j in self._selection.chosen:
            low, high = self._low[j], self._high[j]
            if low is None or high is None:
                raise Refused("an open leaf without bounds")
            more *= max(0, high - low + 1)
        whole, ends = self._whole, enumerate(zip(self._low, self._high, strict=True))
        box = tuple(
            (j, low, high)
            for j, (low, high) in ends
            if whole.integer[j] and (low, high) != (whole.low[j], whole.high[j])
        )
        self._leave(box, more)
        return True

    def _piece(self, entry: list[Any]) -> bool:
        """Search boxes that were open: from now on only their own open leaves are."""
        if not self._is_root or (self.nodes == 1) is not bool(self._later):
            raise Refused("a piece within another")
        self._first = place(entry[1])
        mark, children = len(self._trail), list[Waiting]()
        for stated in entry[2:]:
            box = tuple(triples(stated, 0)) if stated else ()
            if self._later:
                self._boxes.append(box)
            else:
                self._take(box)
            children.append((mark, tuple(map(self._within, box)), None))
        if not children:
            raise Refused("a piece without a box")
        self._waiting = children[::-1]
        return True

    def _within(self, ends: tuple[int, End, End]) -> tuple[int, End, End]:
        """Return the part of a column's bounds that is in the box."""
        j, low, high = ends
        lows = [end for end in (low, self._low[j]) if end is not None]
        highs = [end for end in (high, self._high[j]) if end is not None]
        return j, max(lows, default=None), min(highs, default=None)

    def _branch(self, entry: list[Any]) -> bool:
        j, ends = place(entry[1]), entry[2:]
        low, high = self._low[j], self._high[j]
        if not self._whole.integer[j] or len(ends) % 2 or low is None or high is None:
            raise Refused(f"a branch on column {j}")
        ranges = [(number(a), number(b)) for a, b in zip(ends[::2], ends[1::2], strict=True)]
        expected = low
        for first, last in sorted(ranges):
            if first != expected or last < first:
                raise Refused(f"the children do not divide column {j}")
            expected = last + 1
        if expected != high + 1:
            raise Refused(f"the children do not divide column {j}")
        mark = len(self._trail)
        self._waiting += [(mark, ((j, a, b),), self._multipliers) for a, b in reversed(ranges)]
        if len(self._waiting) > MOST_WAITING:
            raise Refused(f"more than {MOST_WAITING} nodes wait")
        return True


def place(found: Any) -> int:
    """Return the number of a row, a column or a point. Raises ValueError."""
    if type(found) is not int or found < 0:
        raise ValueError("expected the number of a row, a column or a point")
    return found


def number(found: Any) -> int:
    """Return a whole number. Raises ValueError."""
    if type(found) is not int or not LEAST_MULTIPLIER < found < MOST_MULTIPLIER:
        raise ValueError("expected a whole number of at most 1000 digits")
    return found


def triples(entry: list[Any], start: int) -> list[tuple[int, End, End]]:
    """Return columns with their bounds. Raises Refused and ValueError."""
    if len(entry) <= start or (len(entry) - start) % 3:
        raise Refused("expected columns with two bounds each")
    found = list(zip(entry[start::3], entry[start + 1 :: 3], entry[start + 2 :: 3], strict=True))
    for column, low, high in found:  # most entries have one, for which sets of types take longer
        if type(column) is not int or column < 0:
            raise ValueError("expected the number of a column")
        for end in (low, high):
            if end is not None and (type(end) is not int or not LEAST_MULTIPLIER < end < MOST_MULTIPLIER):
                raise ValueError("expected whole numbers of at most 1000 digits")
    return found


# 5. The folder.


class Claim(NamedTuple):
    """The number of solutions, the most that there can be, the optimum, and all this in words."""

    solutions: int
    most: int
    best: Fraction | None
    what: str


class ProvedByTree(NamedTuple):
    """What a certificate proves, how, and what remains to be trusted."""

    solutions: int
    most: int
    """The most solutions that there can be: more than are listed if leaves are open."""
    best: Fraction | None
    """The optimum, if the query is about the best solutions, and it is proved."""
    what: str
    how: str
    trusted: str
    nodes: int

    @property
    def is_complete(self) -> bool:
        """Whether no leaf is left open that may have a solution."""
        return self.solutions == self.most

    def __str__(self) -> str:
        return f"proved: {self.what}; {self.how}; trusted: {self.trusted}"


class Statement(NamedTuple):
    """What a certificate states beside its tree: the query, the model, and its points, which are checked."""

    query: dict[str, Any]
    whole: Whole
    selection: Selection

    @property
    def has_empty_box(self) -> bool:
        """Whether the bounds of a column cross, so that nothing is left to prove."""
        ends = zip(self.whole.low, self.whole.high, strict=True)
        return any(low is not None and high is not None and low > high for low, high in ends)


def verify(folder: Path, watch: Watch, pieces: Sequence[Piece] | None = None) -> ProvedByTree:
    """Return what the certificate proves. Raises Refused with the first fault, and OutOfTime.

    If the ``pieces`` of the tree were checked already, by ``check_pieces``, only their boxes are compared.
    """
    statement = _statement(folder, watch)
    query, whole, selection = statement
    tree = Tree(whole, selection)
    if not statement.has_empty_box:
        if pieces is None:
            tree.check(lines_of(folder / TREE_LOG, watch), watch)
        else:
            tree.join(pieces)
    if query["solutions"] != len(selection.listed):
        raise Refused(
            f"{CERTIFICATE_JSON}: {query['solutions']} solutions, but {len(selection.listed)} are proved"
        )
    trusted = f"that {MODEL_MPS} states the model"
    if query["original"] is True:
        number = query["sha256"][MODEL_MPS][:12]
        trusted = f"that {MODEL_MPS}, of SHA-256 {number}…, is the file in question"
    return ProvedByTree(*_claim(whole, selection, tree), _how(whole, selection, tree), trusted, tree.nodes)


PIECE_BEGINS = '["p",'
"""What the first line of a later piece has after the entries of the whole box, and no other line."""


def check_pieces(folder: Path, watch: Watch, share: int, of: int) -> list[Piece]:
    """Check every ``of``-th piece of a tree, from number ``share`` on, each by itself.

    Raises Refused and OutOfTime. Whether the boxes of a piece are open is left to ``verify``.
    """
    statement, found = _statement(folder, watch), list[Piece]()
    if statement.has_empty_box:
        return found
    number, at = 0, 0

    def piece_of(line: str) -> int:
        nonlocal number, at
        number, at = number + (PIECE_BEGINS in line), at + 1
        return number

    for this, lines in groupby(lines_of(folder / TREE_LOG, watch), piece_of):
        if this % of == share:
            tree = Tree(statement.whole, statement.selection, this)
            tree.check(lines, watch, at)
            found.append(tree.piece())
    return found


def _statement(folder: Path, watch: Watch) -> Statement:
    """Return what a certificate states. Raises Refused and OutOfTime."""
    with reading(CERTIFICATE_JSON):
        query = json.loads(text_of(folder / CERTIFICATE_JSON, LARGEST_JSON))
        if type(query) is not dict or query.get("format") != FORMAT:
            raise Refused(f"expected the format {FORMAT!r}")
        if sorted(query) != sorted(MEMBERS) or sorted(query["sha256"]) != [MODEL_MPS, POINTS_JSONL, TREE_LOG]:
            raise Refused(f"expected the members {', '.join(MEMBERS)}, with the hashes of three files")
    for name, largest in ((MODEL_MPS, LARGEST_TEXT), (POINTS_JSONL, LARGEST_TEXT), (TREE_LOG, LARGEST_TREE)):
        with reading(name):
            if hash_of(folder / name, largest, watch) != query["sha256"][name]:
                raise Refused(f"its hash differs from the one in {CERTIFICATE_JSON}")
    with reading(MODEL_MPS):
        whole = Whole(Mps(text_of(folder / MODEL_MPS, LARGEST_TEXT)))
    with reading(POINTS_JSONL):
        lines = text_of(folder / POINTS_JSONL, LARGEST_TEXT).splitlines()
    points = []
    for at, line in enumerate(lines, 1):
        with reading(f"{POINTS_JSONL}:{at}"):
            points.append(whole.judge(quotients(json.loads(line))))
        watch.check()
    return Statement(query, whole, selection_of(whole, query, points))


MOST_SHOWN = 10**1000
"""The least number that a sentence does not write out: Python refuses those of 4,300 digits."""


def _claim(whole: Whole, selection: Selection, tree: Tree) -> Claim:
    """Return what a checked tree proves."""
    listed, more, by = len(selection.listed), tree.most_more, _by(whole, selection.chosen)
    most = str(listed + more) if more < MOST_SHOWN else "more than 10^1000"
    some = f"exactly {listed}" if not more else f"from {listed} to {most}"
    what = f"{some} solution{'s' * ((listed, more) != (1, 0))} {by}"
    what = what if listed + more else "no solution"
    if not listed or not selection.has_cutoff:
        return Claim(listed, listed + more, None, what)
    costs = sorted(selection.least[key] for key in selection.listed)
    first, last = whole.value(costs[0]), whole.value(costs[-1])
    extreme = "greatest" if whole.sign < 0 else "least"
    best, known = (None, " that is known") if tree.open_leaves else (first, "")
    if selection.is_full:
        what = f"the {listed} best solutions {by}: the {extreme} value{known} is {first}, the last has {last}"
        if listed == 1:
            what = f"the {extreme} value{known} is {first}"
        if more:
            what += f", and at most {more} other{'s' * (more > 1)} can be better than the last"
        elif listed > 1:
            what += ", and no other is better than this"
        return Claim(listed, listed + more, best, what)
    within, relative = selection.reach
    reach = [f"{within}"] if within else []
    reach += [f"a share of {relative}"] if relative else []
    how_near = (
        f" within {' and '.join(reach)} of" if reach else " with" if selection.cutoff is not None else ";"
    )
    what = f"{what}{how_near} the {extreme} value{known}, {first}"
    return Claim(listed, listed + more, best, what)


def _by(whole: Whole, chosen: list[int]) -> str:
    """Return in words the columns in which solutions differ."""
    if len(chosen) == sum(whole.integer):
        return "by all integer columns"
    names = [name for name, j in whole.names.items() if j in set(chosen)]
    return f"by {', '.join(names)}" if len(names) <= MOST_NAMED_COLUMNS else f"by {len(names)} chosen columns"


def _how(whole: Whole, selection: Selection, tree: Tree) -> str:
    """Return in words by what this is proved, and which part of the box is open."""
    nodes = f"{tree.nodes} node{'s exclude' if tree.nodes != 1 else ' excludes'} any"
    how = nodes
    if selection.listed:
        it = "it" if len(selection.listed) == 1 else "each"
        how = f"{it} is checked, and {nodes} {'better' if selection.is_full and it == 'it' else 'other'}"
    if not tree.open_leaves:
        return how
    one = tree.open_leaves == 1
    how += f" outside of {tree.open_leaves} open {'leaf' if one else 'leaves'}"
    box = 1
    for j in selection.chosen:
        low, high = whole.low[j], whole.high[j]
        if low is None or high is None:
            return how
        box *= high - low + 1
    return (
        f"{how}, which have {100 * float(min(Fraction(1), Fraction(tree.most_more, box))):.3g} % of the box"
    )


def hash_of(path: Path, largest: int, watch: Watch) -> str:
    """Return the SHA-256 of a file. Raises Refused if it is a link or a device, or too large."""
    if not stat.S_ISREG(path.lstat().st_mode):
        raise Refused("not a file")
    digest, size = hashlib.sha256(), 0
    with open(path, "rb", opener=_open_no_link) as file:
        while part := file.read(2**20):
            digest.update(part)
            size += len(part)
            watch.check()
            if size > largest:
                raise Refused(f"larger than {largest} bytes")
    return digest.hexdigest()


def text_of(path: Path, largest: int) -> str:
    """Return the text of a file. Raises Refused if it is a link or a device, too large, or no text."""
    if not stat.S_ISREG(path.lstat().st_mode):
        raise Refused("not a file")
    with open(path, "rb", opener=_open_no_link) as file:
        content = file.read(largest + 1)
    if len(content) > largest:
        raise Refused(f"larger than {largest} bytes")
    return content.decode("utf-8")


class _Watched:
    """A file that looks at the watch as it is read: a line may be packed in any number of empty members."""

    def __init__(self, file: IO[bytes], watch: Watch):
        self._file, self._watch = file, watch

    def read(self, size: int) -> bytes:
        self._watch.check()
        return self._file.read(size)


def lines_of(path: Path, watch: Watch) -> Iterator[str]:
    """Yield the lines of a file that is packed in members. Raises Refused if it, or a line, is too large."""
    with reading(TREE_LOG):
        if not stat.S_ISREG(path.lstat().st_mode):
            raise Refused("not a file")
        left = LARGEST_TREE
        with open(path, "rb", opener=_open_no_link) as packed:
            file: Any = gzip.open(_Watched(packed, watch))  # type: ignore[call-overload]  # noqa: SIM115
            while line := file.readline(LARGEST_LINE + 1):
                left -= len(line)
                if len(line) > LARGEST_LINE or left < 0:
                    raise Refused(
                        f"a line is longer than {LARGEST_LINE} bytes, or the tree than {LARGEST_TREE}"
                    )
                yield line.decode("ascii")


def _open_no_link(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))


def main() -> int:
    """Check the folder that is named on the command line; return 0 if it proves what it says, else 1."""
    parser = argparse.ArgumentParser(description="Check a certificate.", allow_abbrev=False)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--time-limit", type=float, default=3_600.0, help="in seconds (default: %(default)s)")
    arguments = parser.parse_args()
    watch, status = Watch(arguments.time_limit), 1
    # Neither `with` nor `finally`: to enter their handlers Python needs memory; without, it tries for ever.
    try:
        _limit_resources(watch, arguments.time_limit)
        verdict, status = str(verify(arguments.folder, watch)), 0
    except MemoryError:
        verdict = OUT_OF_MEMORY
    except (Refused, OutOfTime) as fault:
        verdict = f"refused: {fault}"
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, 0)  # it would end the process as it exits
    print(verdict)
    return status


def _limit_resources(watch: Watch, seconds: float) -> None:
    """Let the system end what takes too long or too much memory between two looks at the watch."""
    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGALRM, watch.check)
        signal.setitimer(signal.ITIMER_REAL, max(seconds, 0) + 0.1)
    with suppress(ImportError):  # there is none on Windows
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_LIMIT, MEMORY_LIMIT))


if __name__ == "__main__":
    sys.exit(main())
