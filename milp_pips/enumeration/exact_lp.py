"""The LP of the continuous columns of a box, solved in fractions where floating point leaves a leaf open.

The general simplex of SMT solvers (Dutertre and de Moura 2006): rows are variables with bounds, too. Basic
ones are sums of the others, which are at a bound. The least one out of its bounds leaves the basis (Bland
1977, so that it ends); if nothing can move it, its equation refutes the box. Then costs are lowered likewise.
"""

from __future__ import annotations

from fractions import Fraction
from math import gcd, lcm
from typing import NamedTuple

from milp_pips.enumeration.tree_box import TreeBox
from milp_pips.enumeration.whole import End, WholeModel
from milp_pips.formulations.exact import Number

LARGEST_TABLEAU = 10_000
"""The most rows times columns: a step takes hundredths of a second."""

MOST_PIVOTS = 500
"""The most steps of the simplex."""


class ExactLp(NamedTuple):
    """The best point, in units of the columns, if there is one; multipliers of rows that prove this."""

    point: list[Number] | None
    rows: list[tuple[int, int]]
    scale: int
    is_unbounded: bool = False


def exact_lp(whole: WholeModel, box: TreeBox, *, priced: bool) -> ExactLp | None:
    """Return the optimum over a box of which all integer columns are fixed; None if that takes too long.

    Without prices any point is as good.
    """
    columns = [j for j in range(len(box.low)) if box.low[j] is None or box.low[j] != box.high[j]]
    rows = [i for i, row in enumerate(whole.rows) if any(j in set(columns) for j, _ in row.terms)]
    if len(rows) * len(columns) > LARGEST_TABLEAU:
        return None
    return _Simplex(whole, box, columns, rows).solve(priced=priced)


def exact_lp_of_one(whole: WholeModel, box: TreeBox, *, priced: bool) -> ExactLp | None:
    """Return the optimum over a box of which at most one column is free; None if there is none, or more are.

    Each row bounds that column; the one that binds is all that a proof needs.
    """
    low, high = box.low, box.high
    free = [j for j, end in enumerate(low) if end is None or end != high[j]]
    if len(free) > 1:
        return None
    point: list[Number] = [end or 0 for end in low]
    if not free:
        return ExactLp(point, [], 1)
    (j,) = free
    cost = whole.cost[j] if priced else 0
    least: tuple[Fraction, tuple[int, int] | None] | None = None  # where the column ends, and the row
    most: tuple[Fraction, tuple[int, int] | None] | None = None
    if (end := low[j]) is not None:
        least = Fraction(end), None
    if (end := high[j]) is not None:
        most = Fraction(end), None
    for i, factor in whole.column_terms[j]:
        row = whole.rows[i]
        rest = sum([a * point[k] for k, a in row.terms if k != j])
        for side, is_lower in ((row.low, factor > 0), (row.high, factor < 0)):
            if side is not None:
                value = Fraction(side - rest, factor)
                if is_lower and (least is None or value > least[0]):
                    least = value, (i, factor)
                elif not is_lower and (most is None or value < most[0]):
                    most = value, (i, factor)
    best = least if cost > 0 else most if cost < 0 else least or most or (Fraction(0), None)
    if best is None or (least is not None and most is not None and least[0] > most[0]):
        return None
    value, binding = best
    point[j] = value.numerator if value.denominator == 1 else value
    if not cost or binding is None:
        return ExactLp(point, [], 1)
    i, factor = binding
    common = gcd(cost, factor)
    return ExactLp(point, [(i, cost // common * (1 if factor > 0 else -1))], abs(factor) // common)


class _Simplex:
    """The tableau: column ``j`` is variable ``j``, row ``i`` is variable ``first + i``."""

    def __init__(self, whole: WholeModel, box: TreeBox, columns: list[int], rows: list[int]):
        self._whole, self._box, self._first = whole, box, len(box.low)
        free = set(columns)
        self._low: dict[int, End] = {j: box.low[j] for j in columns}
        self._high: dict[int, End] = {j: box.high[j] for j in columns}
        self._value: dict[int, Fraction] = {}
        for j in columns:
            low, high = box.low[j], box.high[j]
            self._value[j] = Fraction(low if low is not None else high if high is not None else 0)
        self._sums: dict[int, dict[int, Fraction]] = {}
        for i in rows:
            row, at = whole.rows[i], self._first + i
            fixed = sum([a * (box.low[j] or 0) for j, a in row.terms if j not in free])
            self._low[at] = None if row.low is None else row.low - fixed
            self._high[at] = None if row.high is None else row.high - fixed
            self._sums[at] = {j: Fraction(a) for j, a in row.terms if j in free}
            self._value[at] = sum((a * self._value[j] for j, a in self._sums[at].items()), Fraction(0))

    def solve(self, *, priced: bool) -> ExactLp | None:
        """Return the optimum; see ``exact_lp``."""
        for _ in range(MOST_PIVOTS):
            missed = min(
                (v for v in self._sums if self._room(v, 1) < 0 or self._room(v, -1) < 0), default=None
            )
            if missed is not None:
                up = self._room(missed, -1) < 0
                terms = sorted(self._sums[missed].items())
                movable = (v for v, a in terms if self._room(v, 1 if (a > 0) == up else -1) > 0)
                if (enters := next(movable, None)) is None:
                    times = Fraction(1 if up else -1)
                    return self._proof(None, {missed: times, **{v: -times * a for v, a in terms}}, 0)
                end = self._low[missed] if up else self._high[missed]
                assert end is not None
                self._move(enters, (end - self._value[missed]) / self._sums[missed][enters])
                self._exchange(missed, enters)
                continue
            prices = self._prices() if priced else {}
            falls = (v for v, d in sorted(prices.items()) if d and self._room(v, -1 if d > 0 else 1) > 0)
            if (enters := next(falls, None)) is None:
                point = [self._value.get(j, end) for j, end in enumerate(self._box.low)]
                whole = [v.numerator if v.denominator == 1 else v for v in point if v is not None]
                return self._proof(whole, prices, 1)
            sign = -1 if prices[enters] > 0 else 1
            steps = [(self._room(enters, sign), enters)]
            for v, terms_of in self._sums.items():
                if a := terms_of.get(enters):
                    steps.append((self._room(v, sign if a > 0 else -sign) / abs(a), v))
            step, leaves = min(steps)
            if step == float("inf"):
                return ExactLp(None, [], 0, is_unbounded=True)
            self._move(enters, sign * Fraction(step))
            if leaves != enters:
                self._exchange(leaves, enters)
        return None

    def _room(self, v: int, sign: int) -> Fraction | float:
        """Return how far a variable may move up or down; negative if it is beyond that bound already."""
        end = self._high[v] if sign > 0 else self._low[v]
        return float("inf") if end is None else sign * (end - self._value[v])

    def _prices(self) -> dict[int, Fraction]:
        """Return the reduced costs of the variables that are not basic."""
        cost, prices = self._whole.cost, dict[int, Fraction]()
        for v in self._value:
            if v < self._first and cost[v]:
                for other, a in self._sums[v].items() if v in self._sums else [(v, Fraction(1))]:
                    prices[other] = prices.get(other, Fraction(0)) + cost[v] * a
        return prices

    def _move(self, v: int, by: Fraction) -> None:
        self._value[v] += by
        for basic, terms in self._sums.items():
            if v in terms:
                self._value[basic] += by * terms[v]

    def _exchange(self, leaves: int, enters: int) -> None:
        """Put one variable into the basis in place of another."""
        terms = self._sums.pop(leaves)
        factor = terms.pop(enters)
        own = {leaves: 1 / factor, **{v: -a / factor for v, a in terms.items()}}
        for other in self._sums.values():
            if times := other.pop(enters, None):
                for v, a in own.items():
                    if not (total := other.get(v, 0) + times * a):
                        other.pop(v, None)
                    else:
                        other[v] = Fraction(total)
        self._sums[enters] = own

    def _proof(self, point: list[Number] | None, of: dict[int, Fraction], scale: int) -> ExactLp:
        """Return the result with the multipliers of rows as whole numbers."""
        times = lcm(*(y.denominator for y in of.values()))
        rows = [(v - self._first, int(y * times)) for v, y in of.items() if v >= self._first and y]
        return ExactLp(point, rows, scale * times)
