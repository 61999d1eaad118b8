"""Linear rows for domains with holes, for AllDifferent and for clauses.

The binary columns that they add are determined by the columns of the model, and solutions do not show them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

from milp_pips.formulations.as_problem import MAX_VALUES
from milp_pips.formulations.reading.objects.draft import Draft
from milp_pips.problem import UsageError

Terms = Sequence[tuple[int, Any]]
"""Factors by the position of their column, as pairs."""


def restrict(draft: Draft, name: str, terms: Terms, intervals: Sequence[tuple[Any, Any]]) -> None:
    """State that ``Σ factor · column`` lies in one of the intervals, which are in order.

    One row, if there is one interval. Else a binary column chooses the interval *k*, and two rows state
    ``Σ low_k · choice_k <= sum <= Σ high_k · choice_k``. All numbers are exact ones. Raises UsageError if
    there are several intervals and the sum has no bounds.
    """
    if len(intervals) > 1:
        least, most = _reach(draft, name, terms)
        ends = [
            (least if a is None else max(least, a), most if b is None else min(most, b)) for a, b in intervals
        ]
        intervals = [(low, high) for low, high in ends if low <= high]
    if not intervals:
        draft.row(name, (), 1, None)  # no value is left: 0 >= 1
        return
    if len(intervals) == 1:
        draft.row(name, terms, *intervals[0])
        return
    choices = [draft.auxiliary(f"{name}: {_interval(low, high)}") for low, high in intervals]
    draft.row(f"{name}: choice", [(j, 1) for j in choices], 1, 1)
    from_low = [(j, -low) for j, (low, _) in zip(choices, intervals, strict=True)]
    to_high = [(j, -high) for j, (_, high) in zip(choices, intervals, strict=True)]
    draft.row(f"{name}: from", [*terms, *from_low], 0, None)
    draft.row(f"{name}: to", [*terms, *to_high], None, 0)


def _reach(draft: Draft, name: str, terms: Terms) -> tuple[Fraction, Fraction]:
    """Return the least and the greatest value of a sum."""
    least = most = Fraction(0)
    for j, factor in terms:
        low, high = draft.bounds_of(j)
        if low is None or high is None:
            raise UsageError(f"{draft.name}: {name} excludes values: {draft.name_of(j)} needs two bounds")
        ends = Fraction(factor) * low, Fraction(factor) * high
        least, most = least + min(ends), most + max(ends)
    return least, most


def _interval(low: Any, high: Any) -> str:
    return str(low) if low == high else f"{low}..{high}"


def choices_of(draft: Draft, j: int, domain: Iterable[range]) -> dict[int, int]:
    """Return a binary column per value in the domain of an integer column, linked by two equalities.

    They are ``Σ choice = 1`` and ``Σ value · choice - column = 0``. Raises UsageError for too many values.
    """
    if j not in draft.choices:
        name = draft.name_of(j)
        if sum(map(len, domain := list(domain))) > MAX_VALUES:
            raise UsageError(f"{draft.name}: AllDifferent over {name}, which has over {MAX_VALUES} values")
        found = {value: draft.auxiliary(f"{name}={value}") for values in domain for value in values}
        draft.row(f"{name}: one value", [(b, 1) for b in found.values()], 1, 1)
        linked = [(b, value) for value, b in found.items()]
        draft.row(f"{name}: value", [*linked, (j, -1)], 0, 0)
        draft.choices[j] = found
    return draft.choices[j]


def all_different(draft: Draft, name: str, expressions: Iterable[tuple[int | None, int, int]]) -> None:
    """State that the values ``factor · column + constant`` differ; the column is None for a constant alone.

    At most one of them has each value: a row over the choices of ``choices_of``, which has been called.
    """
    holders: dict[int, list[tuple[int, int]]] = defaultdict(list)
    constants = list[int]()
    for j, factor, constant in expressions:
        if j is None:
            constants.append(constant)
            continue
        for value, choice in draft.choices[j].items():
            holders[factor * value + constant].append((choice, 1))
    for value in constants:
        holders.setdefault(value, [])
    for value, chosen in sorted(holders.items()):
        fixed = constants.count(value)
        if len(chosen) + fixed > 1:
            draft.row(f"{name}: {value}", chosen, None, 1, fixed)


def count_literals(
    draft: Draft, name: str, literals: Iterable[tuple[int, bool]], least: int | None, most: int | None
) -> None:
    """State how many literals hold; a literal is a binary column, or its negation with False."""
    terms, constant = [], 0
    for j, holds in literals:
        terms.append((j, 1 if holds else -1))
        constant += not holds
    draft.row(name, terms, least, most, constant)
