"""Cuts for the root by mixed-integer rounding, which raise the bound of every LP of the tree.

A combination of rows says ``Σ factor · t <= side`` of columns ``t >= 0``, each measured from its lower or its
upper bound. Divided by a number, the factors of integer columns may be rounded (Nemhauser and Wolsey 1990).
The search for cuts that the vertex of an LP violates joins few rows, so that columns between their bounds
cancel out (Marchand and Wolsey 2001). The log has the combination, and its checker rounds by code of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from math import gcd, sqrt
from typing import NamedTuple

from milp_pips.engines.highs_lp import LpStatus
from milp_pips.enumeration.tree_box import Entries, TreeBox
from milp_pips.enumeration.tree_lp import NodeLp
from milp_pips.enumeration.whole import End, WholeModel, WholeRow

MOST_COEFFICIENTS_TO_ROUND = 3_000
"""The most coefficients of a model for which cuts are searched."""

MOST_ROUNDS = 8
"""The most runs of the LP with new cuts."""

MOST_JOINED = 4
"""The most rows of a combination."""

MOST_DIVISORS = 5
"""The most numbers by which a combination is divided."""

LARGEST_IN_CUT = 10**9
"""The greatest number of a cut: longer ones cost more at each node than they gain."""

TIGHT = 1e-6
"""How far from its side a row may be, or a column from its bound, to be there."""

LEAST_DEPTH = 0.02
"""How far from the vertex a cut must be, in the Euclidean norm of its coefficients."""

LEAST_GAIN = 0.01
"""The share of the bound by which cuts must raise it to stay.

They cost time at every node. Three lists of lot sizes take 0.36 to 0.47 times the nodes, egout a ninth; a
tour, whose first cuts do not raise the bound, would take twice its nodes (``benchmarks/any_model.py``).
"""


class Combination(NamedTuple):
    """A row by rounding: rows with whole multipliers, the divisor, and the columns measured from above."""

    divisor: int
    from_above: frozenset[int]
    rows: tuple[tuple[int, int], ...]


def rounded(whole: WholeModel, low: Sequence[End], high: Sequence[End], by: Combination) -> WholeRow:
    """Return the row ``… <= side``. A positive multiplier stands for the upper side of a row."""
    factors: dict[int, int] = {}
    side = 0
    for i, times in by.rows:
        row = whole.rows[i]
        side += times * (row.high if times > 0 else row.low)  # type: ignore[operator]
        for j, factor in row.terms:
            factors[j] = factors.get(j, 0) + times * factor
    ends = {j: high[j] if j in by.from_above else low[j] for j, factor in factors.items() if factor}
    side -= sum(factors[j] * end for j, end in ends.items())  # type: ignore[operator, misc]
    rest = side % by.divisor
    side = (by.divisor - rest) * (side // by.divisor)
    terms = {}
    for j, end in ends.items():
        sign = -1 if j in by.from_above else 1
        factor = sign * factors[j]
        if whole.integer[j]:
            factor = (by.divisor - rest) * (factor // by.divisor) + max(0, factor % by.divisor - rest)
        else:
            factor = min(0, factor)
        if factor:
            terms[j] = sign * factor
            side += sign * factor * end  # type: ignore[operator]
    common = gcd(side, *terms.values()) or 1
    return WholeRow(tuple([(j, factor // common) for j, factor in terms.items()]), None, side // common)


class _Sum:
    """A combination of rows as it grows: ``Σ factor · column <= side``."""

    def __init__(self, factors: dict[int, int], side: int, rows: dict[int, int]):
        self.factors, self.side, self.rows = factors, side, rows

    def joined(self, i: int, terms: Iterable[tuple[int, int]], side: int, j: int, factor: int) -> _Sum:
        """Return the sum with a multiple of a row, such that column ``j`` cancels out."""
        common = gcd(self.factors[j], factor)
        own, other = abs(factor) // common, -self.factors[j] // common * (1 if factor > 0 else -1)
        factors = {k: own * a for k, a in self.factors.items()}
        for k, a in terms:
            factors[k] = factors.get(k, 0) + other * a
        rows = {k: own * times for k, times in self.rows.items()} | {i: other}
        return _Sum({k: a for k, a in factors.items() if a}, own * self.side + other * side, rows)


class _Separation:
    """Finds cuts that a vertex violates."""

    def __init__(self, whole: WholeModel, box: TreeBox, vertex: Sequence[float]):
        self._whole, self._low, self._high, self._vertex = whole, box.low, box.high, vertex
        self._inside: dict[int, float] = {}  # how far columns between their bounds are from the nearer one
        for j, value in enumerate(vertex):
            low, high = box.low[j], box.high[j]
            away = min(
                float("inf") if low is None else value - low, float("inf") if high is None else high - value
            )
            if away > TIGHT:
                self._inside[j] = away
        self._at_side: dict[int, tuple[bool, bool]] = {}
        for i, row in enumerate(whole.rows):
            total = sum([factor * vertex[j] for j, factor in row.terms])
            hair = TIGHT * (1 + abs(total))
            at = (
                row.low is not None and total - row.low < hair,
                row.high is not None and row.high - total < hair,
            )
            if any(at):
                self._at_side[i] = at

    def cuts(self) -> Iterator[Combination]:
        """Yield the deepest cut for each row that the vertex reaches."""
        for i, at in self._at_side.items():
            row = self._whole.rows[i]
            if not any(j in self._inside for j, _ in row.terms):
                continue
            for sign, side, is_there in ((1, row.high, at[1]), (-1, row.low, at[0])):
                if is_there:
                    start = _Sum({j: sign * a for j, a in row.terms}, sign * side, {i: sign})  # type: ignore[operator]
                    if (cut := self._from(start)) is not None:
                        yield cut

    def _from(self, total: _Sum) -> Combination | None:
        for left in range(MOST_JOINED - 1, -1, -1):
            if (cut := self._best(total)) is not None or not left:
                return cut
            longer = self._joined(total)
            if longer is None:
                return None
            total = longer
        return None

    def _joined(self, total: _Sum) -> _Sum | None:
        """Return the sum without the column that is farthest from its bounds, by a row that it reaches."""
        inside, integer = self._inside, self._whole.integer
        columns = [
            j
            for j in total.factors
            if j in inside and not (integer[j] and self._high[j] - self._low[j] == 1)  # type: ignore[operator]
        ]
        for j in sorted(columns, key=lambda j: -inside[j]):
            best: tuple[tuple[int, float], _Sum] | None = None
            for i, factor in self._whole.column_terms[j]:
                at = self._at_side.get(i)
                if at is None or i in total.rows:
                    continue
                up = (total.factors[j] > 0) != (factor > 0)  # the multiplier is positive
                row = self._whole.rows[i]
                side = row.high if up else row.low
                if not at[up] or side is None:
                    continue
                longer = total.joined(i, row.terms, side, j, factor)
                open_columns = [k for k in longer.factors if k in inside]
                rank = (
                    sum(not integer[k] or self._high[k] - self._low[k] != 1 for k in open_columns),  # type: ignore[operator]
                    -sum(self._vertex[k] for k in open_columns if integer[k]),
                )
                if best is None or rank < best[0]:
                    best = rank, longer
            if best is not None:
                return best[1]
        return None

    def _best(self, total: _Sum) -> Combination | None:
        """Return the deepest cut out of a sum, if it is deep enough."""
        whole, low, high, vertex = self._whole, self._low, self._high, self._vertex
        above = set[int]()
        sizes: dict[int, None] = {}
        for j, factor in total.factors.items():
            lower, upper = low[j], high[j]
            if lower is None and upper is None:
                return None
            if lower is None or (upper is not None and upper - vertex[j] < vertex[j] - lower):
                above.add(j)
            if whole.integer[j] and j in self._inside:
                sizes[abs(factor)] = None
        best, depth = None, LEAST_DEPTH
        for divisor in sorted(sizes, reverse=True)[:MOST_DIVISORS]:
            if divisor > 1 and (found := self._depth(total, divisor, above)) > depth:
                best, depth = (divisor, frozenset(above)), found
        if best is None:
            return None
        divisor = best[0]
        for j in total.factors:  # measured from the other bound, some cuts become deeper
            if j in self._inside and whole.integer[j] and low[j] is not None and high[j] is not None:
                other = above ^ {j}
                if (found := self._depth(total, divisor, other)) > depth * (1 + TIGHT):
                    above, depth = other, found
        return Combination(divisor, frozenset(above), tuple(total.rows.items()))

    def _depth(self, total: _Sum, divisor: int, above: Collection[int]) -> float:
        """Return by how much the vertex violates a cut, in the norm of its coefficients."""
        low, high, vertex, integer = self._low, self._high, self._vertex, self._whole.integer
        side = total.side
        for j, factor in total.factors.items():
            side -= factor * (high[j] if j in above else low[j])  # type: ignore[operator]
        whole_part, rest = divmod(side, divisor)
        if not rest:
            return 0.0
        over, norm = -float((divisor - rest) * whole_part), 0
        for j, factor in total.factors.items():
            if j in above:
                factor, away = -factor, high[j] - vertex[j]  # type: ignore[operator]
            else:
                away = vertex[j] - low[j]  # type: ignore[operator]
            if integer[j]:
                part, left = divmod(factor, divisor)
                new = (divisor - rest) * part + (left - rest if left > rest else 0)
            else:
                new = min(factor, 0)
            if new:
                over += new * away
                norm += new * new
        return over / sqrt(norm) if norm else 0.0


def with_cuts(
    whole: WholeModel, box: TreeBox, stop: Callable[[], object | None], entries: Entries
) -> WholeModel:
    """Return the model with cuts of its LP over the box, if they raise the bound.

    Of the cuts those stay that the last LP uses. Adds an entry ``m`` for each.
    """
    if sum(len(row.terms) for row in whole.rows) > MOST_COEFFICIENTS_TO_ROUND:
        return whole
    lp = NodeLp(whole, box, stop, priced=True)
    found: dict[WholeRow, Combination] = {}
    first: float | None = None
    last = 0.0
    for _ in range(MOST_ROUNDS):
        if lp.run() is not LpStatus.OPTIMAL:
            return whole
        value, vertex = lp.value, lp.vertex
        if first is None:
            first = value
        elif value - last < LEAST_GAIN / 4 * max(1.0, abs(last)):
            break  # rounds without a gain end in many weak cuts
        last = value
        new = {}
        for by in _Separation(whole, box, vertex).cuts():
            row = rounded(whole, box.low, box.high, by)
            fits = max([abs(row.high or 0), *(abs(a) for _, a in row.terms)]) < LARGEST_IN_CUT
            if fits and row not in found:
                new[row] = by
        if not new:
            break
        found |= new
        lp.add(new)
    if first is None or last - first < LEAST_GAIN * max(1.0, abs(first)):
        return whole
    kept = [row for row, is_used in zip(found, lp.added_in_use, strict=True) if is_used]
    for row in kept:
        by = found[row]
        entries.append(
            ["m", by.divisor, sorted(by.from_above), *(number for pair in by.rows for number in pair)]
        )
    return replace(whole, rows=(*whole.rows, *kept))
