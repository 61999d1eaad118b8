"""The constraint that bounds a sum of variables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from typing import Any

from milp_pips.problem.constraint import Assignment, Constraint
from milp_pips.problem.fields import MAX_SUM, check_scope, set_field, shown, whole_between, whole_numbers


class Relation(StrEnum):
    """The relation between a sum and its target."""

    EQ = "=="
    LE = "<="
    GE = ">="


@dataclass(frozen=True, slots=True)
class LinearSum(Constraint):
    """The sum of the variables is ``==``, ``<=`` or ``>=`` the target.

    ``coefficients`` has one factor per variable; if it is empty, each variable counts once.
    """

    variables: tuple[int, ...]
    relation: Relation
    target: int
    label: str = ""
    coefficients: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if type(self.relation) is not Relation:
            set_field(self, "relation", _relation(self.relation))
        check_scope(self)
        set_field(self, "target", whole_between("LinearSum", "target", self.target, -MAX_SUM, MAX_SUM))
        if self.coefficients != ():
            set_field(self, "coefficients", whole_numbers("LinearSum", "coefficients", self.coefficients))
            if self.coefficients and len(self.coefficients) != len(self.variables):
                count = f"{len(self.coefficients)} coefficients for {len(self.variables)} variables"
                raise ValueError(f"a sum has one coefficient per variable, or none; got {count}")

    def __getstate__(self) -> list[Any]:
        """Return the values of the fields; empty coefficients are left out, as in older pickles."""
        state = [self.variables, self.relation, self.target, self.label]
        return [*state, self.coefficients] if self.coefficients else state

    def __setstate__(self, state: Sequence[Any]) -> None:
        for f, value in zip(fields(self), (*state, ()), strict=False):
            object.__setattr__(self, f.name, value)

    @property
    def terms(self) -> tuple[tuple[int, int], ...]:
        """The terms of the sum, as pairs (coefficient, variable)."""
        return tuple(zip(self.coefficients or (1,) * len(self.variables), self.variables, strict=True))

    @property
    def bounds(self) -> tuple[int | None, int | None]:
        """The least and the greatest sum allowed; None for no bound."""
        return (
            None if self.relation is Relation.LE else self.target,
            None if self.relation is Relation.GE else self.target,
        )

    def holds(self, assignment: Assignment) -> bool:
        low, high = self.bounds
        total = sum(times * assignment[v] for times, v in self.terms)
        return (low is None or total >= low) and (high is None or total <= high)

    def parts(self) -> Iterator[tuple[str, Constraint]]:
        if self.relation is not Relation.LE:
            yield "at least", replace(self, relation=Relation.GE)
        if self.relation is not Relation.GE:
            yield "at most", replace(self, relation=Relation.LE)

    # @propagator

    # @rows

    # @clauses

    # @automaton

    # @simplify


def _relation(relation: Any) -> Relation:
    """Return the relation that a string denotes. Raises TypeError or ValueError."""
    if not isinstance(relation, str):
        raise TypeError(f'the relation of LinearSum must be "==", "<=" or ">=", not {shown(relation)}')
    try:
        return Relation(relation)
    except ValueError:
        hints = {"<": '"<=" with the target minus 1', ">": '">=" with the target plus 1', "=": '"=="'}
        hint = f"; write {hints[relation]}" if relation in hints else ""
        raise ValueError(f'a sum compares by "==", "<=" or ">=", not {relation!r}{hint}') from None


# @@propagator


# @@rows


# @@clauses


# @@automaton


# @@simplify
