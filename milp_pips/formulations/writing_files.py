"""Linear models as MPS and LP files, with exact numbers, in the part of the formats on which readers agree.

Every number is written as its decimal, with all its digits. A row with a number that no finite decimal
states, such as 1/3, is written times the least whole number that helps; in the objective, and as a bound, it
is refused. A row with numbers that readers take for infinite is divided by a power of ten. A free row is left
out. A column always has its bounds in the file, since readers differ on those
of integers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from fractions import Fraction
from math import lcm
from typing import Any, NamedTuple

from milp_pips.formulations.exact import Number, size
from milp_pips.formulations.reading.lines import MAX_NAME
from milp_pips.formulations.reading.lp_words import name_fault
from milp_pips.formulations.reading.numbers import INFINITE_FROM
from milp_pips.formulations.rows import Column, LinearModel, Row
from milp_pips.problem import UsageError
from milp_pips.problem.objective import MAXIMISE

LP_NAME = re.compile(r"[^\s<>=+\-*/^:\\\[\]]+")
"""A name that all readers of LP files take: CPLEX has no brackets ``[x]`` in names, HiGHS no slash."""

LP_WORDS = frozenset(("such", "subject", "semi", "sec", "sin"))
"""Words that some readers of LP files take for headings, besides those that ours does."""

LP_LINE = 100
"""The most characters of a line of an LP file, unless one term is longer: CPLEX reads 560."""


def to_mps(model: LinearModel) -> str:
    """Return the model as a free MPS file.

    Raises UsageError for a name with a blank, and for an objective or a bound that no decimal states.
    """
    model = writable(model)
    rows = _row_names(model, _is_mps_name)
    for column in model.columns:
        if not _is_mps_name(column.name):
            raise UsageError(f"an MPS file cannot have the name {column.name!r}")
    objective = model.objective_name
    lines = [f"NAME {'_'.join(model.name.split())}"]
    lines += ["OBJSENSE", "    MAX"] if model.sense == MAXIMISE else []
    lines += ["ROWS", f" N {objective}"]
    right, ranges = [], []
    for name, row in zip(rows, model.rows, strict=True):
        kind, side = "E", row.low
        if row.low != row.high:
            kind, side = ("G", row.low) if row.high is None else ("L", row.high)
            if row.low is not None and row.high is not None:
                ranges.append(f" RNG {name} {decimal(row.high - row.low)}")
        lines.append(f" {kind} {name}")
        right += [f" RHS {name} {decimal(side)}"] if side else []
    right += [f" RHS {objective} {decimal(-model.constant)}"] if model.constant else []
    # Rows hold the numbers, but the file wants them by columns.
    terms: list[list[str]] = [[] for _ in model.columns]
    for name, row in zip(rows, model.rows, strict=True):
        for j, factor in row.terms.items():
            terms[j].append(f"{name} {decimal(factor)}")
    lines.append("COLUMNS")
    whole, bounds = False, []
    for column, entries in zip(model.columns, terms, strict=True):
        if (column.integer and not column.is_binary) != whole:
            whole = not whole
            marker = "'INTORG'" if whole else "'INTEND'"
            lines.append(f" M{len(lines)} 'MARKER' {marker}")
        # A column without any entry would not be in the model, so it gets a cost of 0.
        if column.cost or not entries:
            entries.insert(0, f"{objective} {decimal(column.cost)}")
        lines += [f" {column.name} {term}" for term in entries]
        bounds += _mps_bounds(column)
    lines += [f" M{len(lines)} 'MARKER' 'INTEND'"] if whole else []
    lines += ["RHS", *right, *(["RANGES", *ranges] if ranges else []), "BOUNDS", *bounds, "ENDATA", ""]
    return "\n".join(lines)


def _mps_bounds(column: Column) -> list[str]:
    """Return the lines of the bounds of a column; readers disagree on those of integers without any."""
    low, high, name = column.low, column.high, f"BND {column.name}"
    if column.is_binary:
        return [f" BV {name}"]
    if low == high:
        return [f" FR {name}" if low is None else f" FX {name} {decimal(low)}"]
    lines = [f" MI {name}" if low is None else f" LO {name} {decimal(low)}"]
    return [*lines, f" PL {name}" if high is None else f" UP {name} {decimal(high)}"]


def to_lp(model: LinearModel) -> str:
    """Return the model as a CPLEX LP file; a row with two sides becomes two.

    Positive terms come first, so that an implication reads ``place - value <= 0``. A comment stands before
    each family of rows of a 0-1 model. Raises UsageError for a name that such a file cannot have, and for an
    objective or a bound that no decimal states.
    """
    families, lines = model.family_comments(), [f"\\ Problem name: {' '.join(model.name.split())}"]
    lines += [f"\\ formulation: {model.formulation}"] if model.formulation else []
    model = writable(model)
    names, rows = [column.name for column in model.columns], _row_names(model, _is_lp_name)
    for name in names:
        if not _is_lp_name(name):
            raise UsageError(f"an LP file cannot have the name {name!r}; an MPS file may")

    def total(terms: Iterable[tuple[int, Number]]) -> list[str]:
        return [
            f"{'-' if a < 0 else '+'} {'' if size(a) == 1 else f'{decimal(size(a))} '}{names[j]}"
            for j, a in terms
        ]

    priced = [(j, column.cost) for j, column in enumerate(model.columns)]
    if model.formulation is not None:
        costs = total(positive_first({j: cost for j, cost in priced if cost}))
    else:  # all, to keep their order
        costs = [f"{'-' if a < 0 else '+'} {decimal(size(a))} {names[j]}" for j, a in priced]
    if model.constant:
        costs.append(f"{'-' if model.constant < 0 else '+'} {decimal(size(model.constant))}")
    lines.append("Maximize" if model.sense == MAXIMISE else "Minimize")
    lines += [*_folded([f"{model.objective_name}:", *costs]), "Subject To"]
    for name, row in zip(rows, model.rows, strict=True):
        if name in families:
            lines.append(f"\\ {families[name]}")
        left = total(positive_first(row.terms)) or [f"0 {names[0]}"]
        left[0] = left[0].removeprefix("+ ")
        for suffix, sign, side in sides(row):
            lines += _folded([f"{name}{suffix}:", *left, {0: "=", 1: ">=", -1: "<="}[sign], decimal(side)])
    bounds, whole, binary = list[str](), list[str](), list[str]()
    for name, column in zip(names, model.columns, strict=True):
        if column.is_binary:
            binary.append(name)
            continue
        low = "-inf" if column.low is None else decimal(column.low)
        high = "+inf" if column.high is None else decimal(column.high)
        bounds.append(f" {low} <= {name} <= {high}")
        whole += [name] * column.integer
    lines += ["Bounds", *bounds] if bounds else []
    lines += ["General", *_folded(whole)] if whole else []
    lines += ["Binary", *_folded(binary)] if binary else []
    return "\n".join([*lines, "End", ""])


def positive_first(terms: Mapping[int, Number]) -> list[tuple[int, Number]]:
    """Return the terms of a row, positive ones first, so that an implication reads ``place - value <= 0``."""
    return sorted(terms.items(), key=lambda term: term[1] < 0)


class Side(NamedTuple):
    """A side of a row: the suffix of its name, the sign (-1: at most, 0: equal, 1: at least), the number."""

    suffix: str
    sign: int
    number: Number


def sides(row: Row) -> list[Side]:
    """Return the sides that state the row."""
    if row.low is not None and row.low == row.high:
        return [Side("", 0, row.low)]
    found = [] if row.high is None else [Side("", -1, row.high)]
    return found if row.low is None else [*found, Side("_at_least" if found else "", 1, row.low)]


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


def writable(model: LinearModel) -> Any:
    """Return the model without free rows, with two rows for crossed sides, and with rows of decimals.

    Raises UsageError for what no file can state.
    """
    if not model.columns:
        raise UsageError(f"{model.name} has no columns; a file needs one")
    numbers = [("constant", model.constant, "the objective")]
    for column in model.columns:
        ends = [("bound", end, column.name) for end in (column.low, column.high) if end is not None]
        numbers += [("cost", column.cost, column.name), *ends]
    for what, number, of in numbers:
        if not is_decimal(number):
            raise UsageError(f"the {what} {number} of {of} is no finite decimal, as files need")
        if size(number) >= INFINITE_FROM:
            raise UsageError(f"the {what} {number} of {of} is infinite to readers of files")
    rows = []
    for row in map(_in_decimals, model.rows):
        if row.low is not None and row.high is not None and row.low > row.high:
            rows += [replace(row, low=None), replace(row, high=None, name=f"{row.name}_at_least")]
        elif row.low is not None or row.high is not None:
            rows.append(row)
    dataclass: Any = model
    return replace(dataclass, rows=tuple(rows))


def _in_decimals(row: Row) -> Row:
    """Return the row as a multiple whose numbers are decimals, and finite to readers of files."""
    ends = [side for side in (row.low, row.high) if side is not None]
    numbers = [*row.terms.values(), *ends]
    times: Number = 1 if all(map(is_decimal, numbers)) else lcm(*(number.denominator for number in numbers))
    reach = [*numbers, ends[-1] - ends[0]] if ends else numbers
    while any(size(times * number) >= INFINITE_FROM for number in reach):
        times = Fraction(times, 10)
    if times == 1:
        return row
    low, high = (None if side is None else times * side for side in (row.low, row.high))
    return Row(row.name, {j: times * a for j, a in row.terms.items()}, low, high)


def is_decimal(number: Number) -> bool:
    """Return whether a finite decimal states a number."""
    below = number.denominator
    if below == 1:
        return True
    below //= below & -below
    while below % 5 == 0:
        below //= 5
    return below == 1


def _folded(words: list[str]) -> list[str]:
    """Return the words in lines of at most ``LP_LINE`` characters, the further ones with a wider margin."""
    lines, length = [[" "]], 1
    for word in words:
        if length + len(word) >= LP_LINE and len(lines[-1]) > 1:
            lines.append(["  "])
            length = 2
        lines[-1].append(word)
        length += len(word) + 1
    return [" ".join(line) for line in lines]


def _is_mps_name(name: str) -> bool:
    fits = bool(name) and len(name) <= MAX_NAME and not name.startswith("$") and name != "'MARKER'"
    return fits and all(c.isprintable() and not c.isspace() for c in name)


def _is_lp_name(name: str) -> bool:
    fits = LP_NAME.fullmatch(name) and name.isprintable() and name.lower() not in LP_WORDS
    return bool(fits and not name_fault(name))


def _row_names(model: LinearModel, fits: Callable[[str], bool]) -> list[str]:
    """Return the names of the rows; numbers if one does not fit, or two have the same.

    In an LP file the second side of a row has ``_at_least`` at its end.
    """
    names = [row.name for row in model.rows]
    lows = [f"{name}_at_least" for name in names]
    are_own = len({*names, model.objective_name}) > len(names) and not {*lows} & {*names}
    return names if are_own and all(map(fits, [*names, *lows])) else [f"row_{i}" for i in range(len(names))]
