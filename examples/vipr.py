"""Writes the certificate of a linear model in the format VIPR 1.0, too (Cheung, Gleixner and Steffy 2017).

    milp-pips prove MODEL --kind optimum --out FOLDER
    python examples/vipr.py FOLDER          writes FOLDER/model.vipr

VIPR states an optimum, or that there is no solution: derivations of linear inequalities, the last of which
is ``objective >= optimum`` or ``0 >= 1``. This walks through the log of a tree once more, after the check. A
branch is a pair of assumptions (``asm``), and so is a part of a column's range that reduced costs remove.
Leaves and implied bounds are combinations of rows and bounds (``lin``, or ``rnd`` if a side is rounded), and
``uns`` joins both sides of a branch. What the cutoff implies follows from the best solution (``sol``). Rows
and bounds are those of ``model.mps``; where the tree rounds them inwards, or multiplies a row, that is
derived from them first.

Open leaves have no derivation, and a list of all solutions has none either: VIPR has no entry for "every
other point". It has no constant of the objective: the optimum is stated without it.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

from milp_pips.verification import verify_tree as checker
from milp_pips.verification.verify_tree import Refused

Ends = tuple[int | None, int | None]
"""The constraints that state the lower and the upper bound of a column, or the sides of a row."""

SENSES = "GL"
"""``>=`` of a lower and ``<=`` of an upper end."""


@dataclass(eq=False)
class _Node:
    """A node of the tree: the bounds by its branch, and what joins its result with others."""

    parent: _Node | None = None
    first: int = 0
    bounds: dict[int, Ends] = field(default_factory=dict)
    multiplied: int | None = None
    """The combination of rows that the multipliers in force give."""
    removed: list[tuple[int, int, int]] = field(default_factory=list)
    """For each part that is removed: the assumption of what is left, the result there, its assumption."""
    splits: dict[int, tuple[int, int]] = field(default_factory=dict)
    """For each child but the lowest, by its first value: that the column is at least this, or less."""
    results: dict[int, int] = field(default_factory=dict)
    """The results of the children, by their first values."""


def numbered(terms: Mapping[int, Any]) -> str:
    """Return the number of terms, and each with its column or constraint."""
    return " ".join([str(len(terms)), *(f"{at} {factor}" for at, factor in terms.items())])


class ViprWriter(checker.Tree):
    """Follows the check of a tree, and writes a derivation for each entry."""

    def __init__(self, mps: checker.Mps, whole: checker.Whole, selection: checker.Selection):
        super().__init__(whole, selection)
        self.lines = list[str]()
        self._least = min(selection.least.values(), default=None)
        units, self.costs = whole.units, self._in_columns(enumerate(whole.costs))
        rows: list[dict[int, Fraction]] = [{} for _ in mps.rows]
        for j, column in enumerate(mps.columns.values()):
            for i, factor in column.terms.items():
                rows[i] |= {j: factor} if factor else {}
        limits = [mps.limits(name) for name in mps.rows]
        bounds = [mps.bounds(name) for name in mps.columns]
        self._ends = [self._given(ends, {j: 1}) for j, ends in enumerate(bounds)]
        self.bounds = len(self.lines)
        self._sides = [self._given(sides, row) for sides, row in zip(limits, rows, strict=True)]
        self.constraints = len(self.lines)
        for j, unit in enumerate(units):
            ends = (whole.low[j], whole.high[j])
            self._ends[j] = self._in_whole(self._ends[j], bounds[j], ends, {j: unit}, unit, whole.integer[j])
        for i, row in enumerate(whole.rows):
            terms = self._in_columns(row.terms.items())
            times = next((factor / rows[i][j] for j, factor in terms.items()), None)
            rounds = bool(terms) and all(whole.integer[j] for j in terms)
            self._sides[i] = self._in_whole(
                self._sides[i], limits[i], (row.low, row.high), terms, times, rounds
            )
        self._old = list[tuple[int, Ends]]()
        self._node, self._nodes = _Node(), list[_Node]()
        self._by_best: int | None = None
        """That the sum of costs is at most that of the best point."""

    def _in_columns(self, terms: Iterable[tuple[int, int]]) -> dict[int, int]:
        """Return terms in units of the columns as terms of the columns."""
        return {j: factor * self._whole.units[j] for j, factor in terms if factor}

    # Constraints.

    def _state(self, sense: str, side: Any, terms: Mapping[int, Any] | str, reason: str = "") -> int:
        """Write a constraint, and return its number."""
        text = terms if isinstance(terms, str) else numbered(terms)
        reason = f" {{ {reason} }} -1" if reason else ""
        self.lines.append(f"C{len(self.lines)} {sense} {side} {text}{reason}")
        return len(self.lines) - 1

    def _given(self, sides: Sequence[Any], terms: Mapping[int, Any]) -> Ends:
        """Write a row or the bounds of a column: an equation as two, since no equation is rounded."""
        ends = [None if end is None else self._state(SENSES[at], end, terms) for at, end in enumerate(sides)]
        return ends[0], ends[1]

    def _derive(
        self, sense: str, side: Any, terms: Mapping[int, Any], weights: Mapping[int, Any], *, rounds: bool
    ) -> int:
        """Write a combination of constraints."""
        used = {at: weight for at, weight in weights.items() if weight}
        return self._state(sense, side, terms, f"{'rnd' if rounds else 'lin'} {numbered(used)}")

    def _in_whole(
        self, given: Ends, sides: Sequence[Any], whole: Sequence[Any], terms: Any, times: Any, rounds: bool
    ) -> Ends:
        """Return the ends of a row or a column in whole numbers, derived from those of the model."""
        ends = list(given)
        for at, (old, new) in enumerate(zip(sides, whole, strict=True)):
            by = times or (Fraction(new) / old if old else 1)
            if new is not None and (by, new) != (1, old):
                ends[at] = self._derive(SENSES[at], new, terms, {given[at]: by}, rounds=rounds)
        return ends[0], ends[1]

    def _at_ends(self, sense: str, terms: Iterable[tuple[int, Any]]) -> dict[Any, Any]:
        """Return weights of bounds that make these terms, each the end that fits the sense."""
        return {self._ends[j][(times > 0) != (sense == "G")]: times for j, times in terms if times}

    def _by_multipliers(self) -> int:
        """Write that the box has no point, or that each of its points costs as much as the optimum."""
        multipliers = self._multipliers
        assert multipliers is not None
        scale = multipliers.scale or 1
        weights = self._at_ends("G", ((j, Fraction(times, scale)) for j, times in multipliers.reduced))
        if self._node.multiplied is not None:
            weights[self._node.multiplied] = Fraction(1, scale)
        return self._result(
            weights,
            rounds=bool(multipliers.scale) and self._whole.has_whole_values,
            is_absurd=not multipliers.scale,
        )

    def _result(self, weights: Mapping[Any, Any], *, rounds: bool = False, is_absurd: bool = False) -> int:
        if self._least is None or is_absurd:
            return self._derive("G", 1, {}, weights, rounds=False)
        return self._derive("G", self._least, self.costs, weights, rounds=rounds)

    # Nodes.

    def _begin_node(self) -> None:
        if self._waiting:
            while len(self._old) > self._waiting[-1][0]:
                j, self._ends[j] = self._old.pop()
            self._node = self._nodes.pop()
        super()._begin_node()

    def _set(self, j: int, low: Any, high: Any) -> None:
        super()._set(j, low, high)
        self._old.append((j, self._ends[j]))
        self._ends[j] = self._node.bounds.pop(j, self._ends[j])

    def _close(self, result: int) -> bool:
        """End a node by its result; the last child of a node ends that one, too."""
        node = self._node
        while True:
            for ours, other, theirs in reversed(node.removed):
                result = self._join(result, ours, other, theirs)
            if (parent := node.parent) is None:
                return True
            parent.results[node.first] = result
            if len(parent.results) <= len(parent.splits):
                return True
            above, *lower = sorted(parent.results, reverse=True)
            result = parent.results[above]
            for first in lower:
                result = self._join(
                    parent.results[first], parent.splits[above][1], result, parent.splits[above][0]
                )
                above = first
            node = parent

    def _join(self, one: int, of_one: int, other: int, of_other: int) -> int:
        """Write what both sides of a branch have shown."""
        reason = f"uns {one} {of_one} {other} {of_other}"
        least = self._least
        return self._state("G", 1 if least is None else least, {} if least is None else self.costs, reason)

    def _assume(self, at: int, j: int, end: int) -> int:
        return self._state(SENSES[at], end, {j: 1}, "asm")

    def conclude(self, value: Fraction, price: Fraction) -> None:
        """Write that the objective is no better than its value at the best point."""
        self._state(SENSES[price < 0], value, "OBJ", f"lin 1 {len(self.lines) - 1} {price}")

    # Entries.

    def _stated(self, entry: list[Any]) -> bool:
        super()._stated(entry)
        multipliers, whole = self._multipliers, self._whole
        assert multipliers is not None
        weights = {self._sides[entry[at]][entry[at + 1] < 0]: entry[at + 1] for at in range(2, len(entry), 2)}
        left = (
            multipliers.scale * cost - multipliers.by_column.get(j, 0) for j, cost in enumerate(whole.costs)
        )
        terms = self._in_columns(enumerate(left))
        self._node.multiplied = None
        if weights:
            self._node.multiplied = self._derive("G", multipliers.base, terms, weights, rounds=False)
        return False

    def _implied(self, entry: list[Any]) -> bool:
        is_cutoff = entry[1] == checker.CUTOFF_ROW
        if is_cutoff and self._whole.has_whole_values:
            self._remove(checker.triples(entry, 2), self._by_costs)
            return super()._implied(entry)
        row, sides = self._cost_row() if is_cutoff else (self._rows[entry[1]], self._sides[entry[1]])
        found = dict[int, Ends]()
        for j, low, high in checker.triples(entry, 2):
            factor, ends = row.terms[j], list(self._ends[j])
            others = [(k, Fraction(-a, factor)) for k, a in row.terms.items() if k != j]
            for at, (new, old) in enumerate(((low, self._low[j]), (high, self._high[j]))):
                if new != old:
                    weights = self._at_ends(SENSES[at], others)
                    weights[sides[(at == 1) == (factor > 0)]] = Fraction(1, factor)
                    terms, rounds = {j: self._whole.units[j]}, self._whole.integer[j]
                    ends[at] = self._derive(SENSES[at], new, terms, weights, rounds=rounds)
            found[j] = ends[0], ends[1]
        self._node.bounds |= found
        return super()._implied(entry)

    def _cost_row(self) -> tuple[checker.Row, Ends]:
        """Return the costs as a row, which is at most its value at the best point."""
        whole = self._whole
        if self._by_best is None:
            assert self._least is not None
            price = whole.sign * whole.price
            best = self._state(SENSES[price > 0], price * self._least, "OBJ", "sol")
            self._by_best = self._derive("L", self._least, self.costs, {best: 1 / price}, rounds=False)
        terms = {j: cost for j, cost in enumerate(whole.costs) if cost}
        return checker.Row(terms, None, None), (None, self._by_best)

    def _by_costs(self) -> int:
        """Write that each point of the box costs as much as the optimum, by its bounds alone."""
        weights = self._at_ends("G", enumerate(self._whole.costs))
        return self._result(weights, rounds=self._whole.has_whole_values)

    def _removed(self, entry: list[Any]) -> bool:
        self._remove(checker.triples(entry, 1), self._by_multipliers)
        return super()._removed(entry)

    def _remove(self, changes: Iterable[tuple[int, Any, Any]], result: Callable[[], int]) -> None:
        """Write that nothing better is outside of these bounds, each part by its own result."""
        found = dict[int, Ends]()
        for j, low, high in changes:
            ends = before = self._ends[j]
            for at, (new, old) in enumerate(((low, self._low[j]), (high, self._high[j]))):
                if new != old:
                    theirs, ours = self._assume(1 - at, j, new + (1 if at else -1)), self._assume(at, j, new)
                    self._ends[j] = (before[0], theirs) if at == 0 else (theirs, before[1])
                    self._node.removed.append((ours, result(), theirs))
                    self._ends[j] = before
                    ends = (ours, ends[1]) if at == 0 else (ends[0], ours)
            found[j] = ends
        self._node.bounds |= found

    def _above(self, entry: list[Any]) -> bool:
        return super()._above(entry) and self._close(self._by_multipliers())

    def _refuted(self, entry: list[Any]) -> bool:
        return super()._refuted(entry) and self._close(self._by_multipliers())

    def _violated(self, entry: list[Any]) -> bool:
        super()._violated(entry)
        if entry[1] == checker.CUTOFF_ROW:
            return self._close(self._by_costs())
        row, (low, high) = self._rows[entry[1]], self._sides[entry[1]]
        least, most, no_least, no_most = self._sums(row)
        weights: dict[Any, Any] = {low: 1, high: -1}
        if row.high is not None and not no_least and least > row.high:
            weights = {**self._at_ends("G", row.terms.items()), high: -1}
        elif row.low is not None and not no_most and most < row.low:
            weights = {**self._at_ends("G", ((j, -a) for j, a in row.terms.items())), low: 1}
        return self._close(self._result(weights, is_absurd=True))

    def _empty(self, entry: list[Any]) -> bool:
        return super()._empty(entry) and self.crossing(entry[1])

    def crossing(self, j: int) -> bool:
        """End a node in which the bounds of a column cross."""
        low, high = self._ends[j]
        return self._close(self._result({low: 1, high: -1}, is_absurd=True))

    def _point(self, entry: list[Any]) -> bool:
        super()._point(entry)
        if self._selection.needs_bounds:
            return self._close(self._by_multipliers())
        return self._close(self._result(self._at_ends("G", enumerate(self._whole.costs))))

    def _open(self, entry: list[Any]) -> bool:  # noqa: ARG002
        raise Refused("an open leaf, of which nothing is known")

    def _tightened(self, entry: list[Any]) -> bool:
        """Derive a row with another coefficient: for each value of the column, and joined."""
        _, i, j, factor, *sides = entry
        row, (low, high) = self._rows[i], self._ends[j]
        rest = {k: a for k, a in row.terms.items() if k != j}
        first, last = self._low[j], self._high[j]
        assert first is not None
        assert last is not None
        splits = {v: (self._assume(0, j, v), self._assume(1, j, v - 1)) for v in range(first + 1, last + 1)}
        terms = self._in_columns([*rest.items(), (j, factor)])
        ends: list[int | None] = [None, None]
        for at, (new, old) in enumerate(zip(sides, (row.low, row.high), strict=True)):
            for v in range(last, first - 1, -1) if new is not None else ():
                self._ends[j] = splits.get(v, (low, high))[0], splits.get(v + 1, (low, high))[1]
                change = factor - row.terms[j]
                follows = old is not None and (1 if at else -1) * (old + change * v - new) <= 0
                if follows:
                    weights = {**self._at_ends(SENSES[at], [(j, change)]), self._sides[i][at]: 1}
                else:
                    weights = self._at_ends(SENSES[at], [*rest.items(), (j, factor)])
                here = self._derive(SENSES[at], new, terms, weights, rounds=False)
                if v < last:
                    up, down = splits[v + 1]
                    here = self._state(SENSES[at], new, terms, f"uns {here} {down} {ends[at]} {up}")
                ends[at] = here
        self._ends[j], self._sides[i] = (low, high), (ends[0], ends[1])
        return super()._tightened(entry)

    def _rounded(self, entry: list[Any]) -> bool:
        """Derive a row by mixed-integer rounding: both sides of a whole sum of columns imply it."""
        super()._rounded(entry)
        new, divisor, above = self._rows[-1], entry[1], set(entry[2])
        factors, whole, ends = dict[int, int](), dict[int, int](), dict[int, int]()
        side, weights = 0, dict[Any, Any]()
        for i, times in zip(entry[3::2], entry[4::2], strict=True):
            row = self._rows[i]
            side += times * ((row.high if times > 0 else row.low) or 0)
            weights[self._sides[i][times > 0]] = times
            for j, factor in row.terms.items():
                factors[j] = factors.get(j, 0) + times * factor
        for j, factor in factors.items():
            ends[j] = (self._high[j] if j in above else self._low[j]) or 0
            side -= factor * ends[j]
        quotient, rest = divmod(side, divisor)
        for j, factor in factors.items():
            sign = -1 if j in above else 1
            times, left = divmod(sign * factor, divisor)
            if self._whole.integer[j] and times + (left > rest):
                whole[j] = sign * (times + (left > rest))
        most = quotient + sum(factor * ends[j] for j, factor in whole.items())
        down, up = self._state("L", most, whole, "asm"), self._state("G", most + 1, whole, "asm")
        terms, sides, common = self._in_columns(new.terms.items()), list[int](), 1
        for j, factor in new.terms.items():  # by what the row was divided in the end
            sign = -1 if j in above else 1
            left = sign * factors[j] % divisor
            less = divisor - left if left > rest else 0
            plain = (divisor - rest) * whole.get(j, 0) - sign * less if self._whole.integer[j] else factors[j]
            common = plain // factor
        below = {down: divisor - rest}, {j: (divisor - rest) * a for j, a in whole.items()}
        beyond = {**weights, up: -rest}, {j: a - rest * whole.get(j, 0) for j, a in factors.items()}
        for used, by in (below, beyond):
            gaps = [(j, new.terms.get(j, 0) - Fraction(by.get(j, 0), common)) for j in factors]
            all_used = {at: Fraction(weight, common) for at, weight in used.items()}
            all_used |= self._at_ends("L", gaps)
            sides.append(self._derive("L", new.high, terms, all_used, rounds=False))
        joined = self._state("L", new.high, terms, f"uns {sides[0]} {down} {sides[1]} {up}")
        self._sides.append((None, joined))
        return False

    def _branch(self, entry: list[Any]) -> bool:
        super()._branch(entry)
        j, node, ranges = entry[1], self._node, list(zip(entry[2::2], entry[3::2], strict=True))
        low, high = self._ends[j]
        for first, _ in sorted(ranges)[1:]:
            node.splits[first] = self._assume(0, j, first), self._assume(1, j, first - 1)
        for first, last in reversed(ranges):
            ends = node.splits.get(first, (low, high))[0], node.splits.get(last + 1, (low, high))[1]
            self._nodes.append(_Node(node, first, {j: ends}, node.multiplied))
        return True


def vipr(folder: Path, watch: checker.Watch) -> str:
    """Return the text of a ``.vipr`` file for the certificate in a folder, which has been checked.

    Raises Refused for what VIPR cannot state.
    """
    query = json.loads(checker.text_of(folder / checker.CERTIFICATE_JSON, checker.LARGEST_JSON))
    mps = checker.Mps(checker.text_of(folder / checker.MODEL_MPS, checker.LARGEST_TEXT))
    whole = checker.Whole(mps)
    lines = checker.text_of(folder / checker.POINTS_JSONL, checker.LARGEST_TEXT).splitlines()
    points = [whole.judge([checker.quotient(value) for value in json.loads(line)]) for line in lines]
    selection = checker.selection_of(whole, query, points)
    if points and not selection.has_cutoff:
        raise Refused("a list: VIPR states an optimum, or that there is no solution")
    tree = ViprWriter(mps, whole, selection)
    ends = zip(whole.low, whole.high, strict=True)
    crossing = [j for j, (low, high) in enumerate(ends) if None not in (low, high) and low > high]  # type: ignore[operator]
    if crossing:
        tree.crossing(crossing[0])
    else:
        tree.check(checker.lines_of(folder / checker.TREE_LOG, watch), watch)
    to_prove, solutions = "infeas", "SOL 0"
    price = whole.sign * whole.price
    costs = numbered({j: price * cost for j, cost in tree.costs.items()})
    if points:
        best = min(points, key=whole.cost)
        value = price * whole.cost(best)
        values = {j: Fraction(x) / whole.units[j] for j, x in enumerate(best) if x}
        to_prove, solutions = f"range {value} {value}", f"SOL 1\nbest {numbered(values)}"
        tree.conclude(value, price)
    integer = [j for j, is_integer in enumerate(whole.integer) if is_integer]
    given, derived = tree.lines[: tree.constraints], tree.lines[tree.constraints :]
    parts = [
        f"% written by milp-pips; the objective without its constant {whole.constant}",
        f"VER 1.0\nVAR {len(whole.names)}\n{' '.join(whole.names)}",
        f"INT {len(integer)}\n{' '.join(map(str, integer))}",
        f"OBJ {'max' if mps.maximise else 'min'}\n{costs}",
        f"CON {len(given)} {tree.bounds}",
        *given,
        f"RTP {to_prove}\n{solutions}\nDER {len(derived)}",
        *derived,
    ]
    return "\n".join(parts) + "\n"


def main() -> int:
    """Check the folder, and write the file; return 0, or 1 with the fault."""
    parser = argparse.ArgumentParser(description="Write a certificate in the format VIPR.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--time-limit", type=float, default=3_600.0, help="in seconds (default: %(default)s)")
    arguments = parser.parse_args()
    folder, watch = arguments.folder, checker.Watch(arguments.time_limit)
    try:
        checker.verify(folder, watch)
        text = vipr(folder, watch)
    except (Refused, checker.OutOfTime) as fault:
        print(f"{folder}: no model.vipr: {fault}")
        return 1
    (folder / "model.vipr").write_text(text, encoding="utf-8")
    print(f"{folder / 'model.vipr'}: {text.count('{')} derivations")
    return 0


if __name__ == "__main__":
    sys.exit(main())
