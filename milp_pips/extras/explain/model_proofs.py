"""Short proofs that items of a linear model clash: crossed bounds, one row, two rows, a remainder.

``short_proofs`` yields sets of items that clash, found without a search. ``refuting_sum`` and ``remainder``
return the multipliers of rows with which a sentence can say why.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from math import gcd, lcm
from typing import NamedTuple

from milp_pips.enumeration.witness import solve
from milp_pips.extras.explain.model_items import ModelItem, ModelItems, has_value
from milp_pips.formulations.exact import Number
from milp_pips.formulations.judging import scaled

PRIMES = (2, 3, 5, 7, 11)
"""The divisors for which remainders are compared, beside the common divisors of one row."""

MOST_COMPARED = 20_000
"""The most coefficients of equations whose remainders are compared: a tenth of a second."""


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


class Remainder(NamedTuple):
    """A sum of rows, each times a number. Its left side is a multiple of ``divisor`` in whole numbers.

    No multiple of it lies from ``low`` to ``high``.
    """

    rows: list[tuple[int, int]]
    terms: dict[int, int]
    divisor: int
    low: int
    high: int

    @property
    def is_proof(self) -> bool:
        """Whether the divisor divides all coefficients, and no multiple of it lies between the sides."""
        divides = all(a % self.divisor == 0 for a in self.terms.values())
        return divides and -(-self.low // self.divisor) > self.high // self.divisor


def short_proofs(items: ModelItems) -> Iterator[list[int]]:
    """Yield items that clash, without a search: columns without values, single rows, two rows, remainders."""
    model, number_of = items.model, items.number_of
    kinds = ("fixed", "low", "high", "integer")

    def bounds_of(columns: Iterable[int]) -> list[int]:
        named = (number_of.get(ModelItem(kind, j)) for j in columns for kind in kinds)
        return [i for i in named if i is not None]

    for j, column in enumerate(model.columns):
        if not has_value(column):
            yield bounds_of([j])
    for i, row in enumerate(model.rows):
        for at_most, side in ((False, row.low), (True, row.high)):
            end = None if side is None else reach(items, row.terms, least=at_most)
            if end is not None and side is not None and (end > side if at_most else end < side):
                yield [number_of[ModelItem("row", i)], *bounds_of(row.terms)]
        if (own := _one_remainder(items, i)) is not None:
            yield sorted(proof_of(items, own))
    yield from _parallel_rows(items)
    if (found := remainder(items, range(len(model.rows)))) is not None:
        yield sorted(proof_of(items, found))


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
    for i, row in enumerate(items.model.rows):
        if len(row.terms) < 2:
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
            yield [items.number_of[ModelItem("row", each)] for each in (i, k)]


# Remainders.


def remainder(items: ModelItems, rows: Iterable[int]) -> Remainder | None:
    """Return a sum of rows whose remainder shows that no whole numbers obey them; None if none is found.

    The rows are equations of integer columns, by elimination modulo small primes; or a single row.
    """
    rows = list(rows)
    if len(rows) == 1:
        return _one_remainder(items, rows[0])
    equations = []
    for i in rows:
        row = items.model.rows[i]
        if row.low is not None and row.low == row.high and items.model.integer_rows[i]:
            times, terms = scaled(row.terms)
            if (times * row.low).denominator == 1:
                equations.append((i, times, terms, int(times * row.low)))
    if sum(len(terms) for _, _, terms, _ in equations) > MOST_COMPARED:
        return None
    for prime in PRIMES:
        pivots: list[tuple[int, dict[int, int], int, dict[int, int]]] = []
        for e, (_, _, terms, side) in enumerate(equations):
            left = {j: a % prime for j, a in terms.items() if a % prime}
            right, used = side % prime, {e: 1}
            for pivot, other, other_right, other_used in pivots:
                if times := left.get(pivot, 0):
                    left = _minus(left, other, times, prime)
                    used = _minus(used, other_used, times, prime)
                    right = (right - times * other_right) % prime
            if left:
                pivot = min(left)
                inverse = pow(left[pivot], -1, prime)
                left, used = ({k: v * inverse % prime for k, v in each.items()} for each in (left, used))
                pivots.append((pivot, left, right * inverse % prime, used))
            elif right:
                return _summed([(equations[e], y) for e, y in used.items()], prime)
    return None


def proof_of(items: ModelItems, found: Remainder) -> set[int]:
    """Return the items on which a remainder rests: its rows, and the integrality of their columns."""
    rows = [i for i, _ in found.rows]
    named = [ModelItem("row", i) for i in rows]
    named += [ModelItem("integer", j) for i in rows for j in items.model.rows[i].terms]
    return {items.number_of[item] for item in named}


def _minus(one: dict[int, int], other: dict[int, int], times: int, prime: int) -> dict[int, int]:
    """Return one minus a multiple of another, modulo a prime."""
    found = {k: (one.get(k, 0) - times * other.get(k, 0)) % prime for k in one.keys() | other.keys()}
    return {k: v for k, v in found.items() if v}


def _summed(equations: Sequence[tuple[tuple[int, int, dict[int, int], int], int]], prime: int) -> Remainder:
    """Return the sum of equations, each times a number; numbers past half of the prime become negative."""
    terms, side, rows = dict[int, int](), 0, list[tuple[int, int]]()
    for (i, times, own, right), y in equations:
        y = y - prime if 2 * y > prime else y
        rows.append((i, y * times))
        side += y * right
        for j, a in own.items():
            terms[j] = terms.get(j, 0) + y * a
    return Remainder(sorted(rows), {j: a for j, a in terms.items() if a}, prime, side, side)


def _one_remainder(items: ModelItems, i: int) -> Remainder | None:
    """Return the row, if no multiple of the common divisor of its coefficients lies between its sides."""
    row = items.model.rows[i]
    if not items.model.integer_rows[i] or row.low is None or row.high is None or not row.terms:
        return None
    times, terms = scaled(row.terms)
    divisor = gcd(*terms.values())
    low, high = times * row.low, times * row.high
    if not divisor or -(-low // divisor) <= high // divisor:
        return None
    below = lcm(low.denominator, high.denominator)
    terms = {j: below * a for j, a in terms.items()}
    return Remainder([(i, times * below)], terms, divisor * below, int(low * below), int(high * below))


# Sums of rows.


def refuting_sum(items: ModelItems, clash: Iterable[int]) -> Sum | None:
    """Return the sum of rows that refutes a minimal clash without integrality of columns; None for others.

    Its multipliers, of rows and bounds, are the only ones up to a factor (Farkas 1902; Gleeson and Ryan
    1990).
    """
    chosen = list(clash)
    if not chosen or any(items.items[i].kind == "integer" for i in chosen):
        return None
    by_column: dict[int, dict[int, int]] = {}
    for i in chosen:
        for j, a in zip(items.whole[i].columns, items.whole[i].factors, strict=True):
            by_column.setdefault(j, {})[i] = a
    equations = [
        ({i: a for i, a in terms.items() if i != chosen[0]}, -terms.get(chosen[0], 0))
        for terms in by_column.values()
    ]
    solved = solve(equations)
    if solved is None:
        return None
    multipliers: dict[int, Number] = {**dict.fromkeys(chosen, 0), **solved, chosen[0]: 1}
    for sign in (1, -1):
        if (total := _weighted(items, {i: sign * y for i, y in multipliers.items()})) is not None:
            return total
    return None


def _weighted(items: ModelItems, multipliers: dict[int, Number]) -> Sum | None:
    """Return the sum with these multipliers of items in whole numbers; None if it refutes nothing."""
    gap: Number = 0
    terms: dict[int, Number] = {}
    needed: Number = 0
    rows, bounds = list[tuple[int, Number]](), list[ModelItem]()
    for i, y in multipliers.items():
        whole, item = items.whole[i], items.items[i]
        side = whole.low if y > 0 else whole.high
        if not y:
            continue
        if side is None:
            return None
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
    if gap <= 0:
        return None
    terms = {j: a for j, a in terms.items() if a}
    scale: Number = Fraction(1)
    if rows:
        scale = Fraction(lcm(*(y.denominator for _, y in rows)))
        scale /= gcd(*(int(y * scale) for _, y in rows))
    at_most = all(y < 0 for _, y in rows) and bool(rows)
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
