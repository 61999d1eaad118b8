"""The constraint that bounds a sum of variables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from itertools import accumulate
from typing import Any

from milp_pips.problem.constraint import Assignment, ClauseBuilder, Constraint
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

    @property
    def type_name(self) -> str:
        return f"{type(self).__name__} {self.relation.value}"

    def formula(self, names: Sequence[str]) -> str:
        total = sum_as_text((times, names[v]) for times, v in self.terms)
        return f"{total} {self.relation.value} {self.target}"

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

    def clauses(self, builder: ClauseBuilder) -> bool:
        weights = [{value: times * value for value in builder.domain(v)} for times, v in self.terms]
        builder.follow(SumPaths(weights, *self.bounds), builder.choices(self.variables))
        return True

    # @automaton

    # @simplify


def sum_as_text(terms: Iterable[tuple[int, str]]) -> str:
    """Return the sum of coefficients times names as text, such as ``x - 2 y``."""
    written = [
        f"{'-' if times < 0 else '+'} {'' if abs(times) == 1 else f'{abs(times)} '}{name}"
        for times, name in terms
    ]
    return " ".join(written).removeprefix("+ ") or "0"


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


class SumPaths:
    """Paths of a sum: a state is the interval for the sum of the open variables, cut to reachable sums.

    ``weights`` has for each variable what each of its values adds to the sum. The decision diagrams have an
    automaton of their own for the same constraint, written independently, so that each confirms the other.
    """

    def __init__(self, weights: Sequence[Mapping[int, int]], low: int | None, high: int | None):
        self._weights = weights
        self._least = _sums_from([min(added.values(), default=0) for added in weights])
        self._most = _sums_from([max(added.values(), default=0) for added in weights])
        least, most = self._least[0], self._most[0]
        self.start = least if low is None else max(low, least), most if high is None else min(high, most)

    def step(self, place: int, state: tuple[int, int], value: int) -> tuple[int, int] | None:
        added = self._weights[place][value]
        low, high = state[0] - added, state[1] - added
        least, most = self._least[place + 1], self._most[place + 1]
        low, high = low if low > least else least, high if high < most else most
        return (low, high) if low <= high else None


def _sums_from(values: Sequence[int]) -> list[int]:
    """Return for each place the sum of the values from this place on, and a final 0."""
    return list(accumulate(reversed(values), initial=0))[::-1]


# @@automaton


# @@simplify
