"""Constraints on single facts: a fixed value, and a disjunction of facts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from milp_pips.problem.constraint import Assignment, ClauseBuilder, Constraint


@dataclass(frozen=True, slots=True)
class Fixed(Constraint):
    """A constraint: the variable has this value, as a given of the puzzle or a move of the player."""

    variable: int
    value: int
    label: str = ""

    @property
    def variables(self) -> tuple[int, ...]:
        return (self.variable,)

    def formula(self, names: Sequence[str]) -> str:
        return f"{names[self.variable]} = {self.value}"

    def holds(self, assignment: Assignment) -> bool:
        return assignment[self.variable] == self.value

    # @propagator

    # @rows

    def clauses(self, builder: ClauseBuilder) -> bool:
        builder.add(builder.literal(self.variable, self.value))
        return True

    # @automaton

    # @simplify


@dataclass(frozen=True, slots=True)
class AnyOf(Constraint):
    """A constraint: at least one fact holds. A fact is a variable, a value and whether it has that value."""

    facts: tuple[tuple[int, int, bool], ...]
    label: str = ""

    @property
    def variables(self) -> tuple[int, ...]:
        return tuple(dict.fromkeys(v for v, _, _ in self.facts))

    def formula(self, names: Sequence[str]) -> str:
        return " or ".join(f"{names[v]} {'=' if holds else '!='} {value}" for v, value, holds in self.facts)

    def holds(self, assignment: Assignment) -> bool:
        return any((assignment[v] == value) is holds for v, value, holds in self.facts)

    # @propagator

    # @rows

    def clauses(self, builder: ClauseBuilder) -> bool:
        builder.add(*(builder.literal(v, a) * (1 if holds else -1) for v, a, holds in self.facts))
        return True

    # @automaton

    # @simplify


# @@propagator


# @@rows


# @@automaton


# @@simplify
