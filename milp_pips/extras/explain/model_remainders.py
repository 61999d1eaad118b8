"""Remainders that show that no whole numbers obey rows of a linear model.

A row of integer columns, divided by what its coefficients have in common, is a whole number. So is what rows
with the same left side say together, and a row whose continuous columns equations express. And the sum of
equations, each times a number, leaves the same remainder on both sides; elimination modulo small primes finds
sums that do not. Fixed columns are put in as numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from math import ceil, floor, lcm
from typing import NamedTuple

from milp_pips.extras.explain.model_items import ModelItem, ModelItems, reduced
from milp_pips.formulations.exact import Number
from milp_pips.formulations.rows import Row

PRIMES = (2, 3, 5, 7, 11)
"""The divisors for which remainders are compared, beside the common divisors of one row."""

MOST_COMPARED = 20_000
"""The most coefficients of rows whose remainders are compared: a tenth of a second."""

MOST_ZEROS = 100
"""The most sums that say 0 = 0 by which a proof is made shorter."""

MOST_PAIRED = 10
"""The most of these that are also added in pairs."""

MOST_ELIMINATED = 500
"""The most coefficients of rows whose continuous columns are eliminated."""


class Remainder(NamedTuple):
    """A sum of rows, each times a number. Its left side is a multiple of ``divisor`` in whole numbers.

    No multiple of it lies from ``low`` to ``high``. Two of the rows may have the same left side, one with
    each end: then it is no sum (``is_sum``). The sides contain the values of the ``fixed`` columns.
    """

    rows: list[tuple[int, Fraction]]
    terms: dict[int, int]
    divisor: int
    low: Number
    high: Number
    is_sum: bool = True
    fixed: tuple[int, ...] = ()

    def is_proof(self, items: ModelItems) -> bool:
        """Return whether the rows say this, and no multiple of the divisor lies between the sides."""
        sums, lows, highs = list[dict[int, Number]](), list[Number | None](), list[Number | None]()
        for i, times in self.rows:
            row = items.row_without_fixed(i)
            sums.append({j: times * a for j, a in row.terms.items()})
            low, high = (None if side is None else times * side for side in (row.low, row.high))
            lows.append(low if times > 0 else high)
            highs.append(high if times > 0 else low)
        if self.is_sum:
            columns = {j for terms in sums for j in terms}
            total = {j: sum([terms.get(j, 0) for terms in sums]) for j in columns}
            sums = [{j: a for j, a in total.items() if a}]
            is_said = (_total(lows), _total(highs)) == (self.low, self.high)
        else:
            is_said = self.low in lows and self.high in highs
        divides = all(a % self.divisor == 0 for a in self.terms.values())
        is_between = ceil(self.low) <= floor(self.high // self.divisor) * self.divisor
        return is_said and divides and all(terms == self.terms for terms in sums) and not is_between


class _Interval(NamedTuple):
    """A left side without a common divisor, and between what it lies by rows, each times a number.

    It is their sum, or else both have this left side.
    """

    rows: list[tuple[int, Fraction]]
    terms: dict[int, int]
    low: Fraction
    high: Fraction
    is_sum: bool = True

    @property
    def remainder(self) -> Remainder | None:
        """The remainder that shows that no whole number lies between the ends; None if one does."""
        if ceil(self.low) <= floor(self.high) or self.low > self.high:
            return None
        below = lcm(self.low.denominator, self.high.denominator)
        rows = [(i, times * below) for i, times in self.rows]
        terms = {j: below * a for j, a in self.terms.items()}
        return Remainder(rows, terms, below, self.low * below, self.high * below, self.is_sum)


def single_remainders(items: ModelItems) -> Iterator[Remainder]:
    """Yield rows, and pairs of rows with the same left side, between whose sides no whole number lies."""
    for interval in _intervals(items):
        if (found := interval.remainder) is not None:
            yield found._replace(fixed=tuple(_fixed_in(items, found)))


def remainder(items: ModelItems, chosen: Iterable[int]) -> Remainder | None:
    """Return a sum of rows whose remainder shows that items clash, as it is proved; None if none is found."""
    part = items.part(chosen)
    own = ModelItems(part.model)
    found = _remainder(own)
    if found is None or not found.is_proof(own):
        return None
    fixed = tuple([part.columns[j] for j in _fixed_in(own, found)])
    rows = [(part.rows[i], y) for i, y in found.rows]
    return found._replace(rows=rows, terms={part.columns[j]: a for j, a in found.terms.items()}, fixed=fixed)


def _remainder(items: ModelItems) -> Remainder | None:
    intervals = _intervals(items)
    for interval in intervals:
        if (found := interval.remainder) is not None:
            return found
    if sum(len(interval.terms) for interval in intervals) > MOST_COMPARED:
        return None
    intervals = [interval for interval in intervals if interval.is_sum]
    intervals.sort(key=lambda interval: interval.low != interval.high)
    for prime in PRIMES:
        pivots: list[tuple[int, dict[int, int], int, dict[int, int]]] = []
        proofs, zeros = list[tuple[dict[int, int], int]](), list[dict[int, int]]()
        for e, interval in enumerate(intervals):
            left = {j: a % prime for j, a in interval.terms.items() if a % prime}
            right, used = 0, {e: 1}
            for pivot, other, other_right, other_used in pivots:
                if times := left.get(pivot, 0):
                    left = _minus(left, other, times, prime)
                    used = _minus(used, other_used, times, prime)
                    right = (right - times * other_right) % prime
            low, high = ceil(interval.low + right), floor(interval.high + right)
            is_equation = interval.low == interval.high
            if left and is_equation:
                pivot = min(left)
                inverse = pow(left[pivot], -1, prime)
                left, used = ({k: v * inverse % prime for k, v in each.items()} for each in (left, used))
                pivots.append((pivot, left, low * inverse % prime, used))
            elif not left and is_equation and (proofs or low % prime == 0):
                for other_used, other_low in proofs:
                    used = _minus(used, other_used, low * pow(other_low, -1, prime), prime)
                zeros.append(used)
            elif not left and low > high // prime * prime:
                proofs.append((used, low))
        if proofs:
            used = _shortened([used for used, _ in proofs], zeros, prime)
            return _summed([(intervals[k], y) for k, y in used.items()], prime)
    return None


def _shortened(
    proofs: Sequence[dict[int, int]], zeros: Sequence[dict[int, int]], prime: int
) -> dict[int, int]:
    """Return a proof of few intervals: sums of them that say 0 = 0 are added as long as it gets shorter."""
    best = min(proofs, key=len)
    zeros = sorted(zeros, key=len)[:MOST_ZEROS]
    pairs = combinations(zeros[:MOST_PAIRED], 2)
    zeros += [_minus(one, other, times, prime) for one, other in pairs for times in range(1, prime)]
    while True:
        others = [_minus(best, zero, times, prime) for zero in zeros for times in range(1, prime)]
        shorter = min(others, key=len, default=best)
        if len(shorter) >= len(best):
            return best
        best = shorter


def proof_of(items: ModelItems, found: Remainder) -> set[int]:
    """Return the items on which a remainder rests: its rows, fixed columns, and integrality of the others."""
    named = [
        *(ModelItem("row", i) for i, _ in found.rows),
        *(ModelItem("integer", j) for j in found.terms),
        *(ModelItem("fixed", j) for j in found.fixed),
    ]
    return {items.number_of[item] for item in named}


def _fixed_in(items: ModelItems, found: Remainder) -> list[int]:
    """Return the fixed columns whose values the sides of a remainder contain."""
    total = dict[int, Number]()
    for i, times in found.rows:
        for j, a in items.model.rows[i].terms.items():
            total[j] = total.get(j, 0) + times * a if found.is_sum else a
    return [j for j, a in sorted(total.items()) if a and ModelItem("fixed", j) in items.number_of]


def _intervals(items: ModelItems) -> list[_Interval]:
    """Return the rows of integer columns with two sides, and what pairs with the same left side say."""
    found = list[_Interval]()
    lows, highs = (dict[tuple[tuple[int, int], ...], tuple[Fraction, int, Fraction]]() for _ in range(2))
    for i in range(len(items.model.rows)):
        if (row := items.reduced_rows[i]) is None:
            continue
        key, times, low, high = row
        if low is not None and high is not None:
            found.append(_Interval([(i, times)], dict(key), low, high))
        if low is not None and (key not in lows or low > lows[key][0]):
            lows[key] = low, i, times
        if high is not None and (key not in highs or high < highs[key][0]):
            highs[key] = high, i, times
    for key, (low, i, times) in lows.items():
        high, k, other = highs.get(key, (low, i, times))
        if k != i:
            found.append(_Interval([(i, times), (k, other)], dict(key), low, high, is_sum=False))
    return [*found, *_without_continuous(items)]


def _without_continuous(items: ModelItems) -> Iterator[_Interval]:
    """Yield rows with two sides, of which equations that express continuous columns are subtracted."""
    is_integer = [column.integer for column in items.model.columns]
    left = list[tuple[Row, dict[int, Fraction]]]()
    for i in range(len(items.model.rows)):
        row = items.row_without_fixed(i)
        if row.low is not None and row.high is not None and not all(is_integer[j] for j in row.terms):
            left.append((row, {i: Fraction(1)}))
    if sum(len(row.terms) for row, _ in left) > MOST_ELIMINATED:
        return
    while True:
        equations = [each for each in left if each[0].low == each[0].high]
        if not equations:
            return
        equation = min(equations, key=lambda each: len(each[0].terms))
        left.remove(equation)
        row, used = equation
        pivot = next(j for j in row.terms if not is_integer[j])
        others, left = left, []
        for other, of_other in others:
            if factor := other.terms.get(pivot):
                times = Fraction(factor) / row.terms[pivot]
                other, of_other = _less(other, times, row), dict(of_other)
                for i, y in used.items():
                    of_other[i] = of_other.get(i, Fraction(0)) - times * y
                of_other = {i: y for i, y in of_other.items() if y}
            if all(is_integer[j] for j in other.terms):
                if other.terms:
                    key, scale, low, high = reduced(other)
                    assert low is not None
                    assert high is not None
                    yield _Interval([(i, scale * y) for i, y in of_other.items()], dict(key), low, high)
            else:
                left.append((other, of_other))


def _less(row: Row, times: Fraction, equation: Row) -> Row:
    """Return a row less an equation times a number."""
    terms = {
        j: row.terms.get(j, 0) - times * equation.terms.get(j, 0)
        for j in row.terms.keys() | equation.terms.keys()
    }
    low, high = (None if side is None else side - times * (equation.low or 0) for side in (row.low, row.high))
    return Row(row.name, {j: a for j, a in sorted(terms.items()) if a}, low, high)


def _minus(one: dict[int, int], other: dict[int, int], times: int, prime: int) -> dict[int, int]:
    """Return one minus a multiple of another, modulo a prime."""
    found = {k: (one.get(k, 0) - times * other.get(k, 0)) % prime for k in one.keys() | other.keys()}
    return {k: v for k, v in found.items() if v}


def _summed(parts: Sequence[tuple[_Interval, int]], prime: int) -> Remainder:
    """Return the sum of intervals, each times a number: 1 for one that is no equation.

    Numbers past half of the prime become negative.
    """
    terms, rows = dict[int, int](), dict[int, Fraction]()
    low = high = Fraction(0)
    for interval, y in parts:
        y = y - prime if 2 * y > prime else y
        for i, times in interval.rows:
            rows[i] = rows.get(i, Fraction(0)) + y * times
        low, high = low + y * interval.low, high + y * interval.high
        for j, a in interval.terms.items():
            terms[j] = terms.get(j, 0) + y * a
    used = sorted((i, y) for i, y in rows.items() if y)
    return Remainder(used, {j: a for j, a in terms.items() if a}, prime, low, high)


def _total(sides: Iterable[Number | None]) -> Number | None:
    """Return the sum; None if one is missing."""
    total: Number = 0
    for side in sides:
        if side is None:
            return None
        total += side
    return total
