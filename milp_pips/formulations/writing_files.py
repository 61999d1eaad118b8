"""Linear models as MPS and LP files, with exact numbers, in the part of the formats on which readers agree.

Every number is written as its decimal, with all its digits. A row with a number that no finite decimal
states, such as 1/3, is written times the least whole number that helps; in the objective, and as a bound, it
is refused. A free row is left out. A column always has its bounds in the file, since readers differ on those
of integers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from math import lcm

from milp_pips.formulations.model import Column, Model, Number, Row, size
from milp_pips.formulations.reading.lines import MAX_NAME
from milp_pips.formulations.reading.lp_words import name_fault
from milp_pips.problem import UsageError
from milp_pips.problem.objective import MAXIMISE

OBJECTIVE_ROW = "objective"
"""The name of the objective in files."""

LP_NAME = re.compile(r"[^\s<>=+\-*/^:\\\[\]]+")
"""A name that all readers of LP files take: CPLEX has no brackets ``[x]`` in names, HiGHS no slash."""

LP_WORDS = frozenset(("such", "subject", "semi", "sec", "sin"))
"""Words that some readers of LP files take for headings, besides those that ours does."""

LP_LINE = 500
"""The most characters of a line of an LP file, unless one term is longer: CPLEX reads 560."""


def to_mps(model: Model) -> str:
    """Return the model as a free MPS file.

    Raises UsageError for a name with a blank, and for an objective or a bound that no decimal states.
    """
    model = _writable(model)
    rows = _row_names(model, _is_mps_name)
    for column in model.columns:
        if not _is_mps_name(column.name):
            raise UsageError(f"an MPS file cannot have the name {column.name!r}")
    lines = [f"NAME {'_'.join(model.name.split())}", "OBJSENSE"]
    lines += [f"    {'MAX' if model.sense == MAXIMISE else 'MIN'}", "ROWS", f" N {OBJECTIVE_ROW}"]
    right, ranges = [], []
    for name, row in zip(rows, model.rows, strict=True):
        kind, side = "E", row.low
        if row.low != row.high:
            kind, side = ("G", row.low) if row.high is None else ("L", row.high)
            if row.low is not None and row.high is not None:
                ranges.append(f" RNG {name} {decimal(row.high - row.low)}")
        lines.append(f" {kind} {name}")
        right += [f" RHS {name} {decimal(side)}"] if side else []
    right += [f" RHS {OBJECTIVE_ROW} {decimal(-model.constant)}"] if model.constant else []
    terms: list[list[str]] = [[] for _ in model.columns]
    for name, row in zip(rows, model.rows, strict=True):
        for j, factor in row.terms.items():
            terms[j].append(f"{name} {decimal(factor)}")
    lines.append("COLUMNS")
    whole, bounds = False, []
    for column, entries in zip(model.columns, terms, strict=True):
        if column.integer != whole:
            whole = column.integer
            marker = "'INTORG'" if whole else "'INTEND'"
            lines.append(f" M{len(lines)} 'MARKER' {marker}")
        if column.cost or not entries:
            entries.insert(0, f"{OBJECTIVE_ROW} {decimal(column.cost)}")
        lines += [f" {column.name} {term}" for term in entries]
        bounds += _mps_bounds(column)
    lines += [f" M{len(lines)} 'MARKER' 'INTEND'"] if whole else []
    lines += ["RHS", *right, "RANGES", *ranges, "BOUNDS", *bounds, "ENDATA", ""]
    return "\n".join(lines)


def _mps_bounds(column: Column) -> list[str]:
    """Return the lines of the bounds of a column; readers disagree on those of integers without any."""
    low, high, name = column.low, column.high, f"BND {column.name}"
    if low == high:
        return [f" FR {name}" if low is None else f" FX {name} {decimal(low)}"]
    lines = [f" MI {name}" if low is None else f" LO {name} {decimal(low)}"]
    return [*lines, f" PL {name}" if high is None else f" UP {name} {decimal(high)}"]


def to_lp(model: Model) -> str:
    """Return the model as a CPLEX LP file; a row with two sides becomes two.

    Raises UsageError for a name that such a file cannot have, and for an objective or a bound that no decimal
    states.
    """
    model = _writable(model)
    names, rows = [column.name for column in model.columns], _row_names(model, _is_lp_name)
    for name in names:
        if not _is_lp_name(name):
            raise UsageError(f"an LP file cannot have the name {name!r}; an MPS file may")

    def total(terms: Iterable[tuple[int, Number]]) -> list[str]:
        return [f"{'-' if a < 0 else '+'} {decimal(size(a))} {names[j]}" for j, a in terms]

    costs = total((j, column.cost) for j, column in enumerate(model.columns))  # all, to keep their order
    constant = (
        [f"{'-' if model.constant < 0 else '+'} {decimal(size(model.constant))}"] if model.constant else []
    )
    lines = ["Maximize" if model.sense == MAXIMISE else "Minimize"]
    lines += [*_folded([f"{OBJECTIVE_ROW}:", *costs, *constant]), "Subject To"]
    for name, row in zip(rows, model.rows, strict=True):
        left = total(row.terms.items()) or [f"0 {names[0]}"]
        for number, (sign, side) in enumerate(sides(row)):
            relation = {0: "=", 1: ">=", -1: "<="}[sign]
            end = f"{relation} {decimal(side)}"
            lines += _folded([f"{name}{'_high' if number else ''}:", *left, end])
    lines.append("Bounds")
    for name, column in zip(names, model.columns, strict=True):
        low = "-inf" if column.low is None else decimal(column.low)
        high = "+inf" if column.high is None else decimal(column.high)
        lines.append(f" {low} <= {name} <= {high}")
    whole = [f" {name}" for name, column in zip(names, model.columns, strict=True) if column.integer]
    return "\n".join([*lines, *(["General", *whole] if whole else []), "End", ""])


def sides(row: Row) -> list[tuple[int, Number]]:
    """Return the signs (-1: at most, 0: equal, 1: at least) and right sides that state the row."""
    if row.low is not None and row.low == row.high:
        return [(0, row.low)]
    return [(sign, side) for sign, side in ((1, row.low), (-1, row.high)) if side is not None]


def decimal(number: Number) -> str:
    """Return a number as its exact decimal. Raises ValueError if that is not finite."""
    below = number.denominator
    if below == 1:
        return str(number.numerator)
    twos = (below & -below).bit_length() - 1
    digits, rest = twos, below >> twos
    fives = 0
    while rest % 5 == 0:
        fives, rest = fives + 1, rest // 5
    if rest != 1:
        raise ValueError(f"{number} is no finite decimal")
    digits = max(twos, fives)
    text = str(abs(number.numerator) * 10**digits // below).rjust(digits + 1, "0")
    return f"{'-' if number < 0 else ''}{text[:-digits]}.{text[-digits:]}"


def _writable(model: Model) -> Model:
    """Return the model without free rows, with two rows for crossed sides, and with rows of decimals."""
    if not model.columns:
        raise UsageError(f"{model.name} has no columns; a file needs one")
    for column in model.columns:
        for what, number in (("cost", column.cost), ("bound", column.low), ("bound", column.high)):
            if number is not None and not _is_decimal(number):
                raise UsageError(f"the {what} {number} of {column.name} is no finite decimal, as files need")
    if not _is_decimal(model.constant):
        raise UsageError(
            f"the constant {model.constant} of the objective is no finite decimal, as files need"
        )
    rows = []
    for row in map(_in_decimals, model.rows):
        if row.low is not None and row.high is not None and row.low > row.high:
            rows += [replace(row, high=None), replace(row, low=None, name=f"{row.name}_high")]
        elif row.low is not None or row.high is not None:
            rows.append(row)
    return replace(model, rows=tuple(rows))


def _in_decimals(row: Row) -> Row:
    numbers = [*row.terms.values(), *(side for side in (row.low, row.high) if side is not None)]
    if all(map(_is_decimal, numbers)):
        return row
    times = lcm(*(number.denominator for number in numbers))
    ends = (None if side is None else times * side for side in (row.low, row.high))
    return Row(row.name, {j: times * a for j, a in row.terms.items()}, *ends)


def _is_decimal(number: Number) -> bool:
    below = number.denominator
    below //= below & -below
    while below % 5 == 0:
        below //= 5
    return below == 1


def _folded(words: list[str]) -> list[str]:
    """Return the words in lines of at most ``LP_LINE`` characters."""
    lines, length = [[""]], 0
    for word in words:
        if length + len(word) >= LP_LINE and len(lines[-1]) > 1:
            lines.append([""])
            length = 0
        lines[-1].append(word)
        length += len(word) + 1
    return [" ".join(line) for line in lines]


def _is_mps_name(name: str) -> bool:
    fits = bool(name) and len(name) <= MAX_NAME and not name.startswith("$") and name != "'MARKER'"
    return fits and all(c.isprintable() and not c.isspace() for c in name)


def _is_lp_name(name: str) -> bool:
    fits = LP_NAME.fullmatch(name) and name.isprintable() and name.lower() not in LP_WORDS
    return bool(fits and not name_fault(name))


def _row_names(model: Model, fits: Callable[[str], bool]) -> list[str]:
    """Return the names of the rows; numbers if one does not fit, or two have the same.

    In an LP file a second row of the same name has ``_high`` at its end.
    """
    names = [row.name for row in model.rows]
    highs = [f"{name}_high" for name in names]
    are_own = len({*names, OBJECTIVE_ROW}) > len(names) and not {*highs} & {*names}
    return names if are_own and all(map(fits, highs)) else [f"row_{i}" for i in range(len(names))]
