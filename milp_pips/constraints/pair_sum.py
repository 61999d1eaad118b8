"""The constraint that bounds a weighted number of facts (variable = value): a linear row over pairs.

Every engine takes it, so any constraint with linear rows can be stated to any engine.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Self

from milp_pips.problem.constraint import Assignment, Constraint
from milp_pips.problem.fields import MAX_SUM, require_text, rows_of_numbers, set_field, whole_between


@dataclass(frozen=True, slots=True)
class PairSum(Constraint):
    """``low <= Σ coefficient · [variable = value] <= high``, where a bracket is 1 if it holds and else 0.

    Parameters
    ----------
    terms
        Triples ``(variable, value, coefficient)``; each pair (variable, value) occurs once.
    low, high
        The bounds; None for no bound.
    """

    terms: tuple[tuple[int, int, int], ...]
    low: int | None = None
    high: int | None = None
    label: str = ""

    def __post_init__(self) -> None:
        set_field(self, "terms", rows_of_numbers("PairSum", "terms", self.terms, 3))
        if len({(v, value) for v, value, _ in self.terms}) < len(self.terms):
            raise ValueError("PairSum has two terms for one pair (variable, value)")
        for name in ("low", "high"):
            if getattr(self, name) is not None:
                set_field(self, name, whole_between("PairSum", name, getattr(self, name), -MAX_SUM, MAX_SUM))
        require_text("PairSum", "label", self.label)

    @property
    def variables(self) -> tuple[int, ...]:
        return tuple(dict.fromkeys([v for v, _, _ in self.terms]))

    @property
    def weights(self) -> dict[int, dict[int, int]]:
        """The coefficient of each value, by variable; a value without one counts 0."""
        weights: dict[int, dict[int, int]] = {}
        for v, value, coefficient in self.terms:
            weights.setdefault(v, {})[value] = coefficient
        return weights

    def holds(self, assignment: Assignment) -> bool:
        total = sum(coefficient for v, value, coefficient in self.terms if assignment[v] == value)
        return (self.low is None or total >= self.low) and (self.high is None or total <= self.high)

    def renumbered(self, number: Mapping[int, int]) -> Self:
        return replace(self, terms=tuple([(number[v], value, times) for v, value, times in self.terms]))

    # @propagator

    # @rows

    # @clauses

    # @automaton

    # @simplify


# @@propagator


# @@rows


# @@clauses


# @@automaton


# @@simplify
