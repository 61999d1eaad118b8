"""Reasons of linear models in words: rows, bounds and integrality as the model states them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from typing import TYPE_CHECKING

from milp_pips.extras.explain.model_items import ModelItem, ModelItems
from milp_pips.extras.explain.model_proofs import Sum, refuting_sum
from milp_pips.extras.explain.model_remainders import Remainder, proof_of, remainder
from milp_pips.extras.explain.text.phrases import listed
from milp_pips.formulations.exact import Number, size
from milp_pips.problem.errors import visible
from milp_pips.problem.objective import MAXIMISE

if TYPE_CHECKING:
    from milp_pips.extras.explain.model_explanation import ModelExplanation

MOST_TERMS = 12
"""The most terms of a row that are shown."""

LONGEST_FACTOR = 6
"""Longer factors of rows are not told: nobody multiplies by them."""

LONGEST_NUMBER = 10
"""The most characters of a number that people check: sums of longer ones are not told."""

MOST_PLACES = 20
"""The most places of a decimal; other numbers are stated as fractions."""

SHORT_DIGITS = 6
"""The digits of a number that is rounded."""

MOST_REPAIRS = 12
"""The most repairs that are all named; of more only the first are."""

MOST_BOUNDS = 6
"""The most bounds that a sentence names."""


class ModelWords:
    """Puts items of a model into words."""

    def __init__(self, items: ModelItems):
        self._items, self._model = items, items.model

    def column(self, j: int) -> str:
        """Return the name of a column."""
        return visible(self._model.columns[j].name)

    def row_name(self, i: int) -> str:
        """Return the name of a row, or its place if it has none."""
        return visible(self._model.rows[i].name) or f"row {i + 1}"

    def terms(self, terms: Mapping[int, Number]) -> str:
        """Return a sum: ``2 x + y - z``; 0 if it is empty."""
        said = ""
        for k, (j, a) in enumerate(terms.items()):
            if k == MOST_TERMS and len(terms) > MOST_TERMS + 1:
                return f"{said} + … ({len(terms)} terms)"
            said += _term(a, " ", self.column(j), is_first=not said)
        return said or "0"

    def item(self, item: ModelItem) -> str:
        """Return an item: ``need: x + y >= 3``, ``x <= 4``, ``x is integer``."""
        kind, k = item
        if kind == "row":
            row = self._model.rows[k]
            return f"{self.row_name(k)}: {_between(self.terms(row.terms), row.low, row.high)}"
        column, name = self._model.columns[k], self.column(k)
        if kind == "integer":
            return f"{name} is integer"
        low, high = (column.low if kind != "high" else None), (column.high if kind != "low" else None)
        return _between(name, low, high)

    def name(self, item: ModelItem) -> str:
        """Return the name of a row, or what another item says."""
        if item.kind == "row":
            return self.row_name(item.number)
        return f"the integrality of {self.column(item.number)}" if item.kind == "integer" else self.item(item)

    def listed(self, chosen: Iterable[int]) -> list[str]:
        """Return the items: rows one by one, then what is left of each column in one text."""
        said, of_column = list[str](), dict[int, set[str]]()
        for i in sorted(chosen):
            item = self._items.items[i]
            if item.kind == "row":
                said.append(self.item(item))
            else:
                of_column.setdefault(item.number, set()).add(item.kind)
        groups: dict[str, list[str]] = {}
        for j, kinds in sorted(of_column.items()):
            column = self._model.columns[j]
            low = column.low if kinds & {"low", "fixed"} else None
            high = column.high if kinds & {"high", "fixed"} else None
            pattern = "{}" if low is None and high is None else _between("{}", low, high)
            if "integer" in kinds:
                pattern = (
                    "{} is 0 or 1"
                    if (low, high) == (0, 1)
                    else f"{pattern}{', integer' if pattern != '{}' else ' is integer'}"
                )
            groups.setdefault(pattern, []).append(self.column(j))
        return said + [_for_all(pattern, names) for pattern, names in groups.items()]

    def why(self, chosen: Sequence[int]) -> str:
        """Return in one sentence why a minimal clash is one; empty if no short proof says it."""
        items = [self._items.items[i] for i in chosen]
        rows = [item.number for item in items if item.kind == "row"]
        if not rows:
            integer = any(item.kind == "integer" for item in items)
            column = self._model.columns[items[0].number]
            if integer and column.low == column.high:
                return f"{stated(column.low)} is no whole number."
            if integer:
                return f"No whole number is from {stated(column.low)} to {stated(column.high)}."
            return f"{stated(column.low)} is more than {stated(column.high)}."
        if (found := refuting_sum(self._items, chosen)) is not None:
            numbers = [*(y for _, y in found.rows), *found.terms.values(), found.needed, found.possible]
            return self._sum(found) if all(map(_is_short, numbers)) else ""
        left_over = remainder(self._items, chosen)
        if left_over is not None and proof_of(self._items, left_over) == set(chosen):
            return self._remainder(left_over)
        return ""

    def repairs(self, found: ModelExplanation) -> Iterator[str]:
        """Yield what leaves a solution."""
        if len(found.repairs) > MOST_BOUNDS and set(found.repairs) == set(found.reasons[0].items):
            yield "Leave out any one of these, and it has a solution."
        elif len(found.repairs) > MOST_REPAIRS:
            first = ", ".join(map(self.name, found.repairs[:MOST_BOUNDS]))
            yield f"Leave out any one of {len(found.repairs)} of these, and it has a solution: {first} …"
        elif found.repairs:
            yield f"Leave out {listed(map(self.name, found.repairs), 'or')}, and it has a solution."
        if found.together:
            names = listed(map(self.name, found.together))
            yield f"Leave out {names} together, and it has a solution; no fewer are enough."
        if found.changes:
            total = sum(size(by) for _, by in found.changes)
            sides = [self._changed(i, by) for i, by in found.changes]
            way = "Or change" if found.repairs or found.together else "Change"
            yield f"{way} right sides by {_short(total)} in all, and no less is enough: {listed(sides)}."

    def _changed(self, i: int, by: Number) -> str:
        """Return a row with a changed side: ``need >= 2``."""
        row = self._model.rows[i]
        sign, side = (">=", row.low) if by < 0 else ("<=", row.high)
        assert side is not None
        is_exact = row.low == row.high
        return f"{self.row_name(i)} {'=' if is_exact else sign} {_loosened(side + by, by, is_exact=is_exact)}"

    def ray(self, steps: Sequence[tuple[int, Number]]) -> str:
        """Return in which direction the objective grows for ever."""
        grow = [(j, step) for j, step in steps if step > 0]
        fall = [(j, -step) for j, step in steps if step < 0]

        def said(moves: Sequence[tuple[int, Number]], verb: str) -> list[str]:
            by = [
                self.column(j) if step == 1 else f"{self.column(j)} by {stated(step)}"
                for j, step in moves[:MOST_TERMS]
            ]
            more = [f"{len(moves) - MOST_TERMS} more"] if len(moves) > MOST_TERMS else []
            return [f"{listed([*by, *more])} can {verb}"] if moves else []

        gain = size(sum([self._model.columns[j].cost * step for j, step in steps]))
        word = "rises" if self._model.sense == MAXIMISE else "falls"
        how = listed([*said(grow, "grow for ever"), *said(fall, "fall for ever")])
        return f"{how}; in each step the objective {word} by {stated(gain)}, and no row or bound ends it."

    def _sum(self, found: Sum) -> str:
        """Return why a sum of rows cannot hold."""
        word, other = ("most", "least") if found.at_most else ("least", "most")
        need, possible = stated(found.needed), stated(found.possible)
        given = self._given(found.bounds)
        if len(found.rows) == 1:
            needs = f"{self.row_name(found.rows[0][0])} needs at {word} {need}"
            if not found.terms:
                return f"The left side is 0, and {needs}."
            return f"{self.terms(found.terms)} is at {other} {possible}{given}, and {needs}."
        sign = "<=" if found.at_most else ">="
        summed = f"{self._combined(found.rows)} gives {self.terms(found.terms)} {sign} {need}"
        if not found.terms:
            return f"{summed}."
        return f"{summed}, but it is at {other} {possible}{given}."

    def _given(self, bounds: Sequence[ModelItem]) -> str:
        if not bounds:
            return ""
        if len(bounds) > MOST_BOUNDS:
            return f" with the bounds of {len(bounds)} columns"
        return f" with {listed(self.listed(map(self._items.number_of.__getitem__, bounds)))}"

    def _combined(self, rows: Sequence[tuple[int, Number]]) -> str:
        """Return a sum of rows, as the beginning of a sentence: ``a + 2 b - c``."""
        longest = max(len(stated(y)) for _, y in rows)
        if len(rows) > MOST_TERMS or (len(rows) > 1 and longest > LONGEST_FACTOR):
            return f"A sum of these {len(rows)} rows"
        said = ""
        for i, y in sorted(rows, key=lambda row: row[1] < 0):
            said += _term(y, " × ", self.row_name(i), is_first=not said)
        return said

    def _remainder(self, found: Remainder) -> str:
        """Return why no whole numbers have a remainder; of one left side, as its first row states it."""
        is_one, times = not found.is_sum or len(found.rows) == 1, found.rows[0][1]
        by = 1 / times if is_one and (found.divisor / times).denominator == 1 else Fraction(1)
        d, terms = int(found.divisor * size(by)), self.terms({j: by * a for j, a in found.terms.items()})
        low, high = sorted((by * found.low, by * found.high))
        multiple = "even" if d == 2 else f"a multiple of {d}"
        kind = "is a whole number" if d == 1 else f"is {multiple} in whole numbers"
        none = "none" if d != 2 else "odd" if low.denominator == 1 else "not"
        misses = (
            f"{stated(low)} is {none}" if low == high else f"none is from {stated(low)} to {stated(high)}"
        )
        fixed = [ModelItem("fixed", j) for j in found.fixed]
        rows = [(i, by * times) for i, times in found.rows]
        if not found.is_sum or (rows[0][1] == 1 and is_one and not fixed):
            given = f"With{self._given(fixed).removeprefix(' with')}, " if fixed else ""
            return f"{given}{terms} {kind}, and {misses}."
        sides = _between(terms, low, high)
        total = f"{self._combined(rows)}{self._given(fixed)} gives {sides}"
        return f"{total}; the left side {kind}, and {misses}."


def stated(number: Number | None) -> str:
    """Return a number as people write it, exactly: as a decimal where it has one of few digits."""
    if number is None:
        return ""
    if number.denominator == 1:
        return str(number.numerator)
    if 10**MOST_PLACES % number.denominator:
        return str(number)
    digits = str(size(number) * 10**MOST_PLACES).zfill(MOST_PLACES + 1)
    return f"{'-' * (number < 0)}{digits[:-MOST_PLACES]}.{digits[-MOST_PLACES:].rstrip('0')}"


def _is_short(number: Number, places: int = LONGEST_NUMBER) -> bool:
    """Return whether a number has few places; those of sums can be too long for any float or text."""
    longest = max(size(number.numerator), number.denominator)
    return longest <= 10**places and len(stated(number)) <= places


def _loosened(side: Number, by: Number, *, is_exact: bool) -> str:
    """Return a changed side, exactly if that is short, else rounded away from what it was before.

    The nearest number of few digits may miss what is needed. An equation (``is_exact``) has no such side.
    """
    if _is_short(side, MOST_PLACES) and (is_exact or "/" not in stated(side)):
        return stated(side)
    after, change = ((Decimal(n.numerator), Decimal(n.denominator)) for n in (side, by))
    orders = [Context(1).divide(*parts).adjusted() for parts in (after, change)]
    rounding = ROUND_FLOOR if by < 0 else ROUND_CEILING
    context = Context(SHORT_DIGITS + max(0, orders[0] - orders[1]), rounding)
    return _about(context.divide(*after), context)


def _short(number: Number) -> str:
    """Return a number exactly if that is short, else as the nearest one of few digits."""
    if _is_short(number) and "/" not in stated(number):
        return stated(number)
    context = Context(SHORT_DIGITS)
    return _about(context.divide(Decimal(number.numerator), Decimal(number.denominator)), context)


def _about(number: Decimal, context: Context) -> str:
    """Return a rounded number; only very large and very small ones have an exponent."""
    form = "f" if abs(number.adjusted()) <= LONGEST_NUMBER else "g"
    return f"about {context.normalize(number):{form}}"


def _between(what: str, low: Number | None, high: Number | None) -> str:
    if low is not None and low == high:
        return f"{what} = {stated(low)}"
    if low is not None and high is not None:
        return f"{stated(low)} <= {what} <= {stated(high)}"
    return f"{what} >= {stated(low)}" if low is not None else f"{what} <= {stated(high)}"


def _term(times: Number, mark: str, name: str, *, is_first: bool) -> str:
    """Return a term of a sum: ``2 x``, `` - y``."""
    sign = ("-" if times < 0 else "") if is_first else (" - " if times < 0 else " + ")
    return f"{sign}{'' if size(times) == 1 else stated(size(times)) + mark}{name}"


def _for_all(pattern: str, names: Sequence[str]) -> str:
    """Return what several columns have in common: ``x, y, z <= 4``."""
    if len(names) > MOST_TERMS + 1:
        names = [*names[:MOST_TERMS], f"… ({len(names)} columns)"]
    if " is " in pattern and len(names) > 1:
        pattern = pattern.replace("{} is ", "{} are ")
    return pattern.format(", ".join(names))
