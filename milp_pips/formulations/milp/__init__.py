"""The formulation of a problem as a 0-1 model, with the choice of a linearisation for each constraint.

Importing this module and listing the formulations do not import numpy; the first model does.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from math import inf
from typing import TYPE_CHECKING, TypeAlias

from milp_pips.constraints import (
    AllDifferent,
    AllEqual,
    AnyOf,
    Cardinality,
    DominoCover,
    Less,
    LinearSum,
    NoGood,
    Regular,
    Table,
)
from milp_pips.constraints.domino_cover.tiling import Tiling
from milp_pips.problem.constraint import Constraint
from milp_pips.problem.errors import UsageError, unknown_name
from milp_pips.problem.fields import require_problem
from milp_pips.problem.problem import Problem

if TYPE_CHECKING:
    from milp_pips.formulations.milp.draft import Draft
    from milp_pips.formulations.milp.model import Label, Model

__all__ = ["LINEARISATIONS", "choices", "formulate"]

COVERS = {
    "projected": "milp_pips.formulations.milp.cover:projected",
    "aggregated": "milp_pips.formulations.milp.cover:aggregated",
    "implication": "milp_pips.formulations.milp.cover:implication",
}

LINEARISATIONS: dict[type[Constraint], dict[str, str]] = {
    DominoCover: COVERS,
    Tiling: COVERS,
    Regular: {
        "flow": "milp_pips.formulations.milp.regular:flow",
        "strings": "milp_pips.formulations.milp.regular:strings",
    },
    Table: {
        "tuples": "milp_pips.formulations.milp.regular:tuples",
        "tree": "milp_pips.formulations.milp.regular:tree",
    },
}
"""The constraints with several linearisations: name → ``module:function``, the default first.

A new linearisation is one function of a draft and a constraint, and one line in this table, from which
solvers read their formulations. The functions are named, not imported, so that reading the table does not
load numpy.
"""

LARGE_MODEL_PLACES = 4000
"""Least number of places (edges x orientations of all kinds of dominoes) for the default ``implication``.

From there on it finds a first solution faster, since HiGHS's feasibility jump succeeds on that model alone.
Not chosen by a benchmark: this was observed on large generated boards. Up to 50 dominoes the table by
dominoes in ``benchmarks/README.md`` favours ``projected``."""


def choices(problem: Problem | None = None) -> list[str]:
    """Return the names of all linearisations, or of those that apply to the constraints of the problem."""
    present = {type(c) for c in problem.constraints} if problem else set(LINEARISATIONS)
    return list(
        dict.fromkeys(name for kind, ways in LINEARISATIONS.items() if kind in present for name in ways)
    )


def formulate(problem: Problem, formulation: str = "", key: str = "") -> Model:
    """Return the 0-1 model of the problem.

    Parameters
    ----------
    formulation
        Names of linearisations, separated by commas, each for the constraints that it applies to. A
        constraint without a named linearisation gets the default for its size.
    key
        Name of the key by which solutions are to be listed, or empty. With a key, the default linearisation
        is one with separate columns for the variables of the key.

    Raises
    ------
    UsageError
        If a name is unknown, or no name applies to a constraint of the problem.
    """
    require_problem("formulate", problem)
    from pkgutil import resolve_name

    from milp_pips.formulations.milp.draft import Draft

    named = [name.strip() for name in formulation.split(",") if name.strip()]
    for name in named:
        if name not in choices():
            raise unknown_name("formulation", name, choices())
    own = choices(problem)
    if named and not set(named) & set(own):
        known = f"it can be stated by {', '.join(own)}" if own else "it is stated in one way only"
        raise UsageError(f"this puzzle has nothing that {formulation!r} could state; {known}")
    draft = Draft(problem)
    used: list[str] = []
    for kind, ways in LINEARISATIONS.items():
        for constraint in problem.constraints:
            if isinstance(constraint, kind):
                name = next((n for n in named if n in ways), None) or _default(problem, constraint, ways, key)
                resolve_name(ways[name])(draft, constraint)
                used.append(name)
    _add_region_rows(draft, [c for c in problem.constraints if not isinstance(c, tuple(LINEARISATIONS))])
    return draft.finish(",".join(dict.fromkeys(used)))


def _default(problem: Problem, constraint: Constraint, ways: dict[str, str], key: str) -> str:
    if isinstance(constraint, DominoCover | Tiling):
        if key:
            return "projected" if len(set(problem.keys[key])) == len(problem.variables) else "aggregated"
        places = len(constraint.edges) * sum(1 if a == b else 2 for a, b in constraint.kinds)
        return "implication" if places >= LARGE_MODEL_PLACES else "projected"
    return next(iter(ways))


Row: TypeAlias = "tuple[Label, float, float, list[tuple[int, float]]]"
"""The label, the lower and upper bound, and the coefficients by pair (variable = value)."""


def _add_region_rows(draft: Draft, constraints: list[Constraint]) -> None:
    """Add the family ``region``: the rows of all constraints with a single linearisation.

    The small rows are collected and added at once, which is many times faster than one numpy call per region.
    """
    rows = [row for constraint in constraints for row in _rows(draft, constraint)]
    if rows:
        labels, lower, upper, terms = zip(*rows, strict=True)
        numbers = draft.add_rows("region", len(rows), lower, upper, lambda: labels).tolist()
        flat = [(i, pair, a) for i, row in zip(numbers, terms, strict=True) for pair, a in row]
        draft.add_pair_terms([i for i, _, _ in flat], [p for _, p, _ in flat], [a for _, _, a in flat])


def _rows(draft: Draft, constraint: Constraint) -> Iterator[Row]:
    """Yield the rows of a constraint with a single linearisation, over pairs (variable = value).

    Raises UsageError for an unknown class.
    """
    names, label, variables = draft.problem.variables, constraint.label, constraint.variables
    match constraint:
        case AllEqual():  # [u = a] = [v = a] for neighbours u, v in the list and every value a
            for value, pair in _pairs_by_value(draft, variables).items():
                for u, v in pairwise(variables):
                    terms = [(pair[w], sign) for w, sign in ((u, 1.0), (v, -1.0)) if w in pair]
                    if terms:
                        yield (label, names[u].name, names[v].name, value), 0.0, 0.0, terms
        case AllDifferent():  # Σ [v = a] <= 1 for every value a; = 1 if there is no spare value
            by_value = _pairs_by_value(draft, variables)
            least = 1.0 if len(by_value) <= len(variables) else -inf
            if len(by_value) < len(variables):  # infeasible
                yield (label, "too few values"), 1.0, 1.0, []
            for value, pair in by_value.items():
                yield (label, value), least, 1.0, [(p, 1.0) for p in pair.values()]
        case LinearSum():  # Σ c a [v = a] within the bounds, for coefficients c
            low, high = constraint.bounds
            if constraint.coefficients:
                terms = [(p, float(c * a)) for c, v in constraint.terms for p, _, a in draft.pairs_of([v])]
            else:
                terms = [(pair, float(a)) for pair, _, a in draft.pairs_of(variables)]
            yield (label,), -inf if low is None else low, inf if high is None else high, terms
        case Less((u, v), strict):  # Σ [u = b, b >= a] <= Σ [v = b, b > a, or b >= a] for every value a of u
            less, greater = draft.pairs_of([u]), draft.pairs_of([v])
            for value in names[u].domain:
                above = [(pair, 1.0) for pair, _, b in less if b >= value]
                beyond = [(pair, -1.0) for pair, _, b in greater if b >= value + strict]
                yield (label, names[u].name, names[v].name, value), -inf, 0.0, above + beyond
        case Cardinality():  # low <= Σ [v = a] <= high for every value a that has bounds
            by_value = _pairs_by_value(draft, variables)
            for value, low, high in constraint.bounds:
                yield (label, value), low, high, [(p, 1.0) for p in by_value.get(value, {}).values()]
        case NoGood(_, values, least=least):  # Σ [v = its value] <= number of variables - least
            value_of = dict(zip(variables, values, strict=True))
            terms = [(pair, 1.0) for pair, v, a in draft.pairs_of(variables) if value_of[v] == a]
            yield (label,), -inf, len(variables) - least, terms
        case AnyOf(facts):  # Σ [v = a] - Σ [w = b] >= 1 - number of the latter, the negated facts
            sign_of = {(v, a): 1.0 if holds else -1.0 for v, a, holds in facts}
            terms = [(pair, sign_of[v, a]) for pair, v, a in draft.pairs_of(variables) if (v, a) in sign_of]
            negative = len([1 for _, sign in terms if sign < 0])
            certain = any(
                (v, a, True) in facts or a not in names[v].domain for v, a, holds in facts if not holds
            )
            yield (label,), -inf if certain else 1.0 - negative, inf, terms
        case _:
            raise UsageError(f"there is no linearisation of constraints of class {type(constraint).__name__}")


def _pairs_by_value(draft: Draft, variables: tuple[int, ...]) -> dict[int, dict[int, int]]:
    """Return, by value in increasing order, the pairs of the variables that can take it."""
    found: dict[int, dict[int, int]] = {}
    for pair, variable, value in draft.pairs_of(variables):
        found.setdefault(value, {})[variable] = pair
    return dict(sorted(found.items()))
