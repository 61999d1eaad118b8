"""Short proofs that items of a linear model clash: crossed bounds, one row, two rows, a sum of rows.

``short_proofs`` yields sets of items that clash, found without a search. ``refuting_sum`` returns the
multipliers of rows with which a sentence can say why.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from math import gcd, lcm
from typing import NamedTuple

from milp_pips.enumeration.witness import solve
from milp_pips.extras.explain.model_items import KINDS_OF_BOUNDS, ModelItem, ModelItems, has_value
from milp_pips.extras.explain.model_remainders import proof_of, single_remainders
from milp_pips.formulations.exact import Number
from milp_pips.formulations.rows import Column, Row

Left = tuple[tuple[int, Fraction], ...]
"""A left side whose first coefficient is 1."""


class Sum(NamedTuple):
    """The sum of some rows, each times a number; the least or greatest left side, and what it has to reach.

    ``terms`` is the left side of the sum. It has to be ``needed`` at least, and is ``possible`` at most, with
    these bounds of columns; if ``at_most``, it is the other way round.
    """

    rows: list[tuple[int, Number]]
    terms: dict[int, Number]
    needed: Number
    possible: Number
    bounds: list[ModelItem]
    at_most: bool


def short_proofs(items: ModelItems) -> Iterator[list[int]]:
    """Yield minimal clashes, found without a search: columns without values, single rows, two rows."""
    model, number_of = items.model, items.number_of
    for j, column in enumerate(model.columns):
        if not has_value(column):
            kinds = KINDS_OF_BOUNDS if _is_crossed(column) else (*KINDS_OF_BOUNDS, "integer")
            yield sorted(number_of[item] for kind in kinds if (item := ModelItem(kind, j)) in number_of)
    for i, row in enumerate(model.rows):
        if _is_crossed(row):
            yield [number_of[ModelItem("row", i)]]
            continue
        for at_most, side in ((False, row.low), (True, row.high)):
            end = None if side is None else reach(items, row.terms, least=at_most)
            if end is not None and side is not None and (end > side if at_most else end < side):
                yield sorted([number_of[ModelItem("row", i)], *_ends(items, row.terms, least=at_most)])
    yield from _parallel_rows(items)
    for found in single_remainders(items):
        yield sorted(proof_of(items, found))


def _is_crossed(of: Row | Column) -> bool:
    return of.low is not None and of.high is not None and of.low > of.high


def _ends(items: ModelItems, terms: Mapping[int, Number], *, least: bool) -> Iterator[int]:
    """Yield the bounds by which a sum has its least, or its greatest, value."""
    for j, a in terms.items():
        for kind in ("fixed", "low" if (a > 0) == least else "high"):
            if a and (item := ModelItem(kind, j)) in items.number_of:
                yield items.number_of[item]


def reach(items: ModelItems, terms: Mapping[int, Number], *, least: bool) -> Number | None:
    """Return the least, or the greatest, sum that bounds of columns allow; None if there is none."""
    total: Number = 0
    for j, a in terms.items():
        column = items.model.columns[j]
        end = column.low if (a > 0) == least else column.high
        if end is None:
            return None
        total += a * end
    return total


def _parallel_rows(items: ModelItems) -> Iterator[list[int]]:
    """Yield pairs of rows with the same left side, up to a factor, and sides that exclude each other."""
    lowest: dict[Left, tuple[Fraction, int]] = {}
    greatest: dict[Left, tuple[Fraction, int]] = {}
    columns = [tuple(sorted(row.terms)) for row in items.model.rows]
    count = Counter(columns)  # most rows are alone with their columns, and need no fractions
    for i, row in enumerate(items.model.rows):
        if len(row.terms) < 2 or count[columns[i]] < 2 or _is_crossed(row):
            continue
        first = Fraction(row.terms[min(row.terms)])
        key: Left = tuple(sorted((j, a / first) for j, a in row.terms.items()))
        low, high = (None if side is None else side / first for side in (row.low, row.high))
        if first < 0:
            low, high = high, low
        if low is not None and (key not in lowest or low > lowest[key][0]):
            lowest[key] = low, i
        if high is not None and (key not in greatest or high < greatest[key][0]):
            greatest[key] = high, i
    for left, (side, i) in lowest.items():
        other, k = greatest.get(left, (side, i))
        if other < side and k != i:
            yield sorted(items.number_of[ModelItem("row", each)] for each in (i, k))


# Sums of rows.


MOST_EQUATIONS = 1500
"""The most equations whose multipliers are solved for in fractions."""


def multipliers(items: ModelItems, clash: Iterable[int]) -> dict[int, Number] | None:
    """Return the only multipliers of rows and bounds that refute them; None if there are none, or others.

    They are of the items in whole numbers, positive for the lower side of an item; the first row has one.
    Items without a multiplier are not needed, the others are a minimal clash: without one of them, no
    multipliers are left (Gleeson and Ryan 1990).
    """
    chosen = list(clash)
    rows = [i for i in chosen if items.items[i].kind == "row"]
    bounds = {items.items[i].number: i for i in chosen if items.items[i].kind != "row"}
    if not rows or len(rows) + len(bounds) < len(chosen):
        return None
    if any(items.items[i].kind == "integer" for i in chosen):
        return None
    by_column: dict[int, dict[int, int]] = {}
    for i in rows:
        for j, a in zip(items.whole[i].columns, items.whole[i].factors, strict=True):
            if a:
                by_column.setdefault(j, {})[i] = a
    first, *others = rows
    equations = [
        ({i: a for i, a in terms.items() if i != first}, -terms.get(first, 0))
        for j, terms in by_column.items()
        if j not in bounds
    ]
    solved = solve(equations, MOST_EQUATIONS)
    if solved is None or len(solved) < len(others):  # others would be free
        return None
    found: dict[int, Number] = {first: 1, **solved}
    for j, i in bounds.items():
        total = sum([found[row] * a for row, a in by_column.get(j, {}).items()])
        found[i] = Fraction(-total) / items.whole[i].factors[0]
    for sign in (1, -1):
        signed = {i: sign * y for i, y in found.items() if y}
        sides = {i: items.whole[i].low if y > 0 else items.whole[i].high for i, y in signed.items()}
        if None not in sides.values() and sum([y * (sides[i] or 0) for i, y in signed.items()]) > 0:
            return signed
    return None


def refutes(items: ModelItems, factors: Mapping[int, Number] | None) -> bool:
    """Return whether the sum of items, each times a factor, is a contradiction such as 0 >= 1."""
    left, right = dict[int, Number](), Fraction(0)
    for i, y in (factors or {}).items():
        low, high, columns, numbers = items.whole[i]
        side = low if y > 0 else high
        if side is None or items.items[i].kind == "integer":
            return False
        right += y * side
        for j, a in zip(columns, numbers, strict=True):
            left[j] = left.get(j, 0) + y * a
    return right > 0 and not any(left.values())


def refuting_sum(items: ModelItems, clash: Iterable[int]) -> Sum | None:
    """Return the sum of rows that refutes a minimal clash without integrality of columns; None for others."""
    if (factors := multipliers(items, clash)) is None:
        return None
    gap: Number = 0
    terms: dict[int, Number] = {}
    needed: Number = 0
    rows, bounds = list[tuple[int, Number]](), list[ModelItem]()
    for i, y in factors.items():
        whole, item = items.whole[i], items.items[i]
        side = whole.low if y > 0 else whole.high
        assert side is not None
        gap += y * side
        if item.kind != "row":
            bounds.append(item)
            continue
        row = items.model.rows[item.number]
        j, a = next(iter(row.terms.items())) if row.terms else (0, 0)
        times = Fraction(whole.factors[whole.columns.index(j)]) / a if a else Fraction(1)
        rows.append((item.number, y * times))
        needed += y * side
        for j, a in zip(whole.columns, whole.factors, strict=True):
            terms[j] = terms.get(j, 0) + y * a
    terms = {j: a for j, a in terms.items() if a}
    scale = Fraction(lcm(*(y.denominator for _, y in rows)))
    scale /= gcd(*(int(y * scale) for _, y in rows))
    at_most = all(y < 0 for _, y in rows)
    if at_most:
        scale = -scale
    return Sum(
        [(i, y * scale) for i, y in sorted(rows)],
        {j: a * scale for j, a in sorted(terms.items())},
        needed * scale,
        (needed - gap) * scale,
        bounds,
        at_most,
    )
