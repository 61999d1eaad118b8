"""OR-Tools' ``CpModel``: its linear and Boolean constraints and AllDifferent."""

from __future__ import annotations

from typing import Any, NamedTuple

from milp_pips.formulations.exact import exact
from milp_pips.formulations.model import Model
from milp_pips.formulations.reading.objects.draft import Draft
from milp_pips.formulations.reading.objects.linearising import (
    all_different,
    choices_of,
    count_literals,
    restrict,
)
from milp_pips.problem import UsageError

LITERALS: dict[str, tuple[int | None, int | None]] = {
    "bool_or": (1, None),
    "at_most_one": (None, 1),
    "exactly_one": (1, 1),
}
"""By Boolean constraint, the least and the most of its literals that hold."""

ADDED_BY = {
    "all_diff": "AddAllDifferent",
    "bool_xor": "AddBoolXOr",
    "int_div": "AddDivisionEquality",
    "int_mod": "AddModuloEquality",
    "int_prod": "AddMultiplicationEquality",
    "lin_max": "AddMaxEquality, AddMinEquality or AddAbsEquality",
    "table": "AddAllowedAssignments or AddForbiddenAssignments",
    "reservoir": "AddReservoirConstraint",
    "interval": "NewIntervalVar",
    "no_overlap_2d": "AddNoOverlap2D",
    "routes": "AddMultipleCircuit",
}
"""The methods that add constraints, where their names differ from those of the constraints."""

TAKEN_CONSTRAINTS = (
    "linear constraints, AddBoolOr, AddBoolAnd, AddImplication, AddAtMostOne, AddExactlyOne, AddAllDifferent"
)

INT_MIN, INT_MAX = -(2**63), 2**63 - 1
"""The ends of domains without bounds."""


def from_cp_sat(model: Any) -> Model:
    """Return a ``CpModel`` as a linear model.

    AllDifferent becomes a binary column per variable and value, a domain with holes one per interval. A
    variable without a name is called ``b`` or ``i`` and its number, as OR-Tools shows it.

    Raises UsageError for other constraints, and for OnlyEnforceIf.
    """
    return _Reading(model.Proto()).model()


class Affine(NamedTuple):
    """A factor of a column, if there is one, and a constant."""

    column: int | None
    factor: int
    constant: int


class _Reading:
    """The message of one model, and the linear model that it becomes."""

    def __init__(self, told: Any) -> None:
        self.told, self.draft = told, Draft(told.name)
        self.domains = [_intervals(each.domain) for each in told.variables]
        for j, each in enumerate(told.variables):
            ends = self.domains[j]
            low, high = (ends[0][0], ends[-1][1]) if ends else (1, 0)
            is_constant = low == high and not each.name  # OR-Tools makes a variable of a constant
            name = each.name or f"{'b' if (low, high) == (0, 1) else 'i'}{j}"
            self.draft.column(name, low, high, True, shown=not is_constant)
        for j, intervals in enumerate(self.domains):
            if len(intervals) > 1 and all(low == high for low, high in intervals):
                choices_of(self.draft, j, [range(low, low + 1) for low, _ in intervals])
            elif len(intervals) > 1:
                restrict(self.draft, f"domain of {self.draft.name_of(j)}", [(j, 1)], intervals)

    def model(self) -> Model:
        """Return the linear model."""
        if len(self.told.assumptions):
            raise UsageError(
                f"{self.draft.name} has AddAssumption, which is not taken; expected {TAKEN_CONSTRAINTS}"
            )
        for number, constraint in enumerate(self.told.constraints):
            kind = _kind(constraint)
            self.add(kind, constraint, constraint.name or f"{kind}_{number}")
        if _has(self.told, "floating_point_objective"):
            floating = self.told.floating_point_objective
            self.draft.costs(zip(floating.vars, floating.coeffs, strict=True))
            return self.draft.model(maximise=floating.maximize, constant=floating.offset)
        if not _has(self.told, "objective"):
            return self.draft.model()
        objective = self.told.objective
        terms = _terms(objective)
        if len(objective.domain):
            restrict(self.draft, "domain of the objective", terms, _intervals(objective.domain))
        scale = exact(objective.scaling_factor or 1)
        self.draft.costs((j, scale * a) for j, a in terms)
        return self.draft.model(maximise=scale < 0, constant=scale * exact(objective.offset))

    def add(self, kind: str, constraint: Any, name: str) -> None:
        """Add the rows of a constraint. Raises UsageError if it is not taken."""
        draft = self.draft
        enforced = [_literal(k) for k in constraint.enforcement_literal]
        if kind == "bool_and":  # also AddImplication: one clause per literal
            negated = [(j, not holds) for j, holds in enforced]
            for k in constraint.bool_and.literals:
                count_literals(draft, name, [*negated, _literal(k)], 1, None)
        elif enforced:
            raise UsageError(
                f"{draft.name} has OnlyEnforceIf, which is not taken; expected {TAKEN_CONSTRAINTS}"
            )
        elif kind in LITERALS:
            literals = [_literal(k) for k in getattr(constraint, kind).literals]
            count_literals(draft, name, literals, *LITERALS[kind])
        elif kind == "linear":
            restrict(draft, name, _terms(constraint.linear), _open(_intervals(constraint.linear.domain)))
        elif kind == "all_diff":
            all_different(draft, name, [self.affine(each) for each in constraint.all_diff.exprs])
        elif kind:
            method = ADDED_BY.get(kind) or "Add" + kind.title().replace("_", "")
            raise UsageError(f"{draft.name} has {method}, which is not taken; expected {TAKEN_CONSTRAINTS}")

    def affine(self, told: Any) -> Affine:
        """Return an expression of one variable."""
        terms = _terms(told)
        if not terms:
            return Affine(None, 0, told.offset)
        if len(terms) > 1:
            raise UsageError(f"{self.draft.name} has AddAllDifferent over sums; expected variables")
        j, factor = terms[0]
        choices_of(self.draft, j, [range(low, high + 1) for low, high in self.domains[j]])
        return Affine(j, factor, told.offset)


def _literal(number: int) -> tuple[int, bool]:
    """Return the column of a literal, and whether it is not negated; ``-1 - j`` stands for not ``j``."""
    return (number, True) if number >= 0 else (-1 - number, False)


def _terms(told: Any) -> list[tuple[int, int]]:
    """Return the terms of a sum; ``-1 - j`` stands for ``-x_j``."""
    pairs = zip(told.vars, told.coeffs, strict=True)
    return [(j, a) if j >= 0 else (-1 - j, -a) for j, a in pairs]


def _open(intervals: list[tuple[int, int]]) -> list[tuple[int | None, int | None]]:
    """Return the intervals of a sum without the ends that are the least and the greatest number."""
    return [(None if a == INT_MIN else a, None if b == INT_MAX else b) for a, b in intervals]


def _intervals(domain: Any) -> list[tuple[int, int]]:
    """Return a domain, which lists the ends of its intervals, as pairs."""
    ends = list(domain)
    return list(zip(ends[::2], ends[1::2], strict=True))


def _has(told: Any, field: str) -> bool:
    """Return whether a message has a field: to look at one that it has not would add it to the model."""
    if hasattr(told, "HasField"):  # OR-Tools before 9.15
        return bool(told.HasField(field))
    return bool(getattr(told, f"has_{field}")())


def _kind(constraint: Any) -> str:
    """Return the name of the constraint in a message; empty if it has none."""
    if hasattr(constraint, "WhichOneof"):
        return constraint.WhichOneof("constraint") or ""
    kinds = (name.removeprefix("has_") for name in dir(constraint) if name.startswith("has_"))
    return next((kind for kind in kinds if _has(constraint, kind)), "")
