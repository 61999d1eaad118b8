"""The rows, bounds and integralities that the proof of a tree uses, out of its log.

Each bound of a column on the way to a node has a reason: it is the model's, a branch, or follows from a row
and bounds of other columns. Where a leaf is refuted, all that its reasons rest on is collected. Together it
refutes the model, since the same tree refutes it. In a tree with a cutoff this stands for a row, whose
left side is the objective. ``verify_tree`` says what the entries of a log mean.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, NamedTuple

from milp_pips.enumeration.rounding import Combination, rounded
from milp_pips.enumeration.tree_box import CUTOFF_ROW
from milp_pips.enumeration.whole import End, WholeModel, WholeRow
from milp_pips.formulations.exact import Number

LOW, HIGH = 0, 1


class _Reason:
    """Why a bound holds: items of the model, and other bounds."""

    __slots__ = ("bounds", "is_used", "items")

    def __init__(self, items: Iterable[tuple[str, int]] = (), bounds: Iterable[_Reason] = ()):
        self.items, self.bounds, self.is_used = tuple(items), tuple(bounds), False


class _Bound(NamedTuple):
    value: End
    reason: _Reason


NONE = _Bound(None, _Reason())


class TreeCore:
    """Stands for the log of a tree, and collects what its leaves use in ``items``: rows, columns by kind.

    ``of_cutoff`` are the items on which the cutoff of the tree rests, if it has one.
    """

    def __init__(self, of_cutoff: Iterable[tuple[str, int]] = ()) -> None:
        self.items = set[tuple[str, int]]()
        self.leaves = Counter[int]()
        """The leaves that use each row, of the leaves that ``counts`` has seen."""
        self.counts = False
        self._cutoff = _Reason(of_cutoff)
        self._before_cuts: WholeModel | None = None

    def of(self, whole: WholeModel) -> None:
        """Take the model of the tree."""
        self._whole = whole
        self._ends = [
            [self._original(j, LOW, end) for j, end in enumerate(whole.low)],
            [self._original(j, HIGH, end) for j, end in enumerate(whole.high)],
        ]
        self._costs = {j: cost for j, cost in enumerate(whole.cost) if cost}
        self._terms = [dict(row.terms) for row in whole.rows]
        self._sides = [(row.low, row.high) for row in whole.rows]
        self._row_reasons = [self._reason_of_row(i) for i in range(len(whole.rows))]
        self._trail: list[tuple[int, int, _Bound]] = []
        self._waiting: list[tuple[int, int, End, End, list[int]]] = [(0, -1, None, None, [])]
        """The nodes to come: where the trail ended, a branch, and the multipliers in force."""

    # What a tree calls.

    def point(self, values: Iterable[Number]) -> None:
        """Take a point, which no core needs."""

    def node(self, entries: list[list[Any]]) -> None:
        """Follow the entries of a node."""
        mark, column, low, high, multipliers = self._waiting.pop()
        while len(self._trail) > mark:
            side, j, before = self._trail.pop()
            self._ends[side][j] = before
        if column >= 0:
            branch = _Reason([("integer", column)])
            self._tighten(column, low, high, branch, branch)
        for kind, *numbers in entries:
            match kind:
                case "i":
                    self._imply(*numbers)
                case "t":
                    self._strengthen(*numbers)
                case "m":
                    self._cut(*numbers)
                case "y":
                    multipliers = numbers
                case "r":
                    self._remove(multipliers, numbers)
                case "f" | "a":
                    self._use(self._refutation(multipliers))
                case "v":
                    self._use(self._broken(numbers[0]))
                case "e":
                    self._use([self._ends[side][numbers[0]].reason for side in (LOW, HIGH)])
                case "x":
                    j, ranges = numbers[0], numbers[1:]
                    pairs = list(zip(ranges[::2], ranges[1::2], strict=True))
                    mark = len(self._trail)
                    self._waiting += [(mark, j, *pair, multipliers) for pair in reversed(pairs)]

    # What follows from what.

    def _original(self, j: int, side: int, end: End) -> _Bound:
        if end is None:
            return NONE
        column, unit = self._whole.model.columns[j], self._whole.unit[j]
        stated = column.high if side else column.low
        kind = "fixed" if column.low == column.high else "high" if side else "low"
        items = [(kind, j)]
        if column.integer and stated is not None and stated * unit != end:
            items.append(("integer", j))  # it was rounded inwards
        return _Bound(end, _Reason(items))

    def _reason_of_row(self, i: int) -> _Reason:
        """Return the reason of a row: with its columns' integrality where its sides were rounded."""
        row, whole = self._whole.model.rows[i], self._whole.rows[i]
        items = [("row", i)]
        if whole.terms:
            j, factor = whole.terms[0]
            times: Number = factor * self._whole.unit[j]
            times = 1 if times == row.terms[j] else Fraction(times) / row.terms[j]  # fractions take longer
            sides = ((row.low, whole.low), (row.high, whole.high))
            if any(stated is not None and stated * times != side for stated, side in sides):
                items += [("integer", j) for j, _ in whole.terms]
        return _Reason(items)

    def _tighten(self, j: int, low: End, high: End, of_low: _Reason, of_high: _Reason) -> None:
        for side, end, reason in ((LOW, low, of_low), (HIGH, high, of_high)):
            if end is not None and end != self._ends[side][j].value:
                self._trail.append((side, j, self._ends[side][j]))
                self._ends[side][j] = _Bound(end, reason)

    def _terms_of(self, i: int) -> Mapping[int, int]:
        """Return the coefficients of a row by column; those of the cutoff are the costs."""
        return self._costs if i == CUTOFF_ROW else self._terms[i]

    def _reason_of(self, i: int) -> _Reason:
        return self._cutoff if i == CUTOFF_ROW else self._row_reasons[i]

    def _extreme(self, i: int, *, least: bool, but: int = -1) -> list[_Reason]:
        """Return the reasons of the least, or the greatest, sum of a row over the box, without a column."""
        ends = self._ends
        return [
            ends[LOW if (factor > 0) == least else HIGH][j].reason
            for j, factor in self._terms_of(i).items()
            if j != but
        ]

    def _imply(self, i: int, *changes: Any) -> None:
        """Follow bounds that a row implies."""
        found = []
        for j, low, high in zip(changes[::3], changes[1::3], changes[2::3], strict=True):
            up = self._terms_of(i)[j] > 0
            items = [("integer", j)] if self._whole.integer[j] else []
            reasons = [
                _Reason(items, [self._reason_of(i), *self._extreme(i, least=least, but=j)])
                for least in (not up, up)
            ]
            found.append((j, low, high, *reasons))
        for each in found:  # all follow from the bounds before
            self._tighten(*each)

    def _strengthen(self, i: int, j: int, factor: int, low: End, high: End) -> None:
        """Follow a row with another coefficient, which follows from the bounds of its columns."""
        ends = [self._ends[side][k].reason for k in self._terms[i] for side in (LOW, HIGH)]
        items = [("integer", j)]
        self._row_reasons[i], self._sides[i] = _Reason(items, [self._row_reasons[i], *ends]), (low, high)
        if factor:
            self._terms[i][j] = factor
        else:
            del self._terms[i][j]

    def _cut(self, divisor: int, from_above: list[int], *rows: int) -> None:
        """Follow a new row by rounding, which follows from others and the bounds at the root."""
        if self._before_cuts is None:
            now = [WholeRow(tuple(t.items()), *s) for t, s in zip(self._terms, self._sides, strict=True)]
            self._before_cuts = replace(self._whole, rows=tuple(now))
        by = Combination(divisor, frozenset(from_above), tuple(zip(rows[::2], rows[1::2], strict=True)))
        low, high = ([bound.value for bound in ends] for ends in self._ends)
        row = rounded(self._before_cuts, low, high, by)
        factors = self._total(rows)
        columns = [j for j, factor in factors.items() if factor]
        reasons = [self._row_reasons[i] for i in rows[::2]]
        reasons += [self._ends[HIGH if j in by.from_above else LOW][j].reason for j in columns]
        items = [("integer", j) for j in columns if self._whole.integer[j]]
        self._terms.append(dict(row.terms))
        self._sides.append((row.low, row.high))
        self._row_reasons.append(_Reason(items, reasons))

    def _total(self, rows: Sequence[int], scale: int = 0) -> dict[int, int]:
        """Return the coefficients of a sum of rows, each times a number, less the costs times a scale."""
        found = {j: -scale * cost for j, cost in self._costs.items()} if scale else {}
        for i, y in zip(rows[::2], rows[1::2], strict=True):
            for j, factor in self._terms[i].items():
                found[j] = found.get(j, 0) + y * factor
        return found

    def _refutation(self, multipliers: Sequence[int], but: int = -1) -> list[_Reason]:
        """Return the reasons why multipliers refute the box, or put it above the cutoff.

        The bounds of a column that the box does not have are left out.
        """
        scale, *rows = multipliers or [1]
        reasons = [self._row_reasons[i] for i in rows[::2]]
        if scale:
            reasons.append(self._cutoff)
        total = self._total(rows, scale)
        return reasons + [
            self._ends[LOW if a < 0 else HIGH][j].reason for j, a in total.items() if a and j != but
        ]

    def _remove(self, multipliers: Sequence[int], changes: Sequence[Any]) -> None:
        """Follow bounds outside of which multipliers refute the box."""
        scale, *rows = multipliers or [1]
        total, found = self._total(rows, scale), []
        for j, low, high in zip(changes[::3], changes[1::3], changes[2::3], strict=True):
            others, a = self._refutation(multipliers, j), total.get(j, 0)
            reasons = []
            for side in (LOW, HIGH):
                # What is removed ends at the bound so far, which counts if the sum is least there.
                is_used = a > 0 if side == HIGH else a < 0
                own = [self._ends[side][j].reason] if is_used else []
                reasons.append(_Reason([("integer", j)], [*others, *own]))
            found.append((j, low, high, *reasons))
        for each in found:  # all follow from the bounds before
            self._tighten(*each)

    def _broken(self, i: int) -> list[_Reason]:
        """Return the reasons why no point of the box obeys a row."""
        if i == CUTOFF_ROW:  # which is a sum that may not be greater
            return [self._cutoff, *self._extreme(i, least=True)]
        _, high = self._sides[i]
        total: int | None = 0
        for j, factor in self._terms[i].items():
            end = self._ends[LOW if factor > 0 else HIGH][j].value
            total = None if end is None or total is None else total + factor * end
        least = high is not None and total is not None and total > high
        return [self._row_reasons[i], *self._extreme(i, least=least)]

    def _use(self, reasons: Iterable[_Reason]) -> None:
        """Collect all items that these reasons rest on."""
        left = list(reasons)
        if self.counts:
            self.leaves.update(_rows_of(left))
        while left:
            reason = left.pop()
            if not reason.is_used:
                reason.is_used = True
                self.items.update(reason.items)
                left += reason.bounds


def _rows_of(reasons: Iterable[_Reason]) -> set[int]:
    """Return the rows that reasons rest on."""
    left, seen, found = list(reasons), set[int](), set[int]()
    while left:
        reason = left.pop()
        if id(reason) not in seen:
            seen.add(id(reason))
            found.update(number for kind, number in reason.items if kind == "row")
            left += reason.bounds
    return found
