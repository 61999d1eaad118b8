"""The constraints with one linearisation each, as rows over pairs (variable = value).

Small rows are gathered in lists per family and added in one go: that is many times faster than one numpy
call per region.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from milp_pips.milp.draft import INFINITY, Draft
from milp_pips.milp.model import Label
from milp_pips.problem import AllDifferent, AllEqual, Cardinality, Constraint, LinearSum, NoGood


@dataclass(slots=True)
class RegionRows:
    """The family ``region``: bounds, labels and terms over pairs, row by row."""

    lower: list[float] = field(default_factory=list)
    upper: list[float] = field(default_factory=list)
    labels: list[Label] = field(default_factory=list)
    rows: list[int] = field(default_factory=list)
    pairs: list[int] = field(default_factory=list)
    coefficients: list[float] = field(default_factory=list)

    def open(self, label: Label, lower: float, upper: float) -> None:
        """Begin a row."""
        self.labels.append(label)
        self.lower.append(lower)
        self.upper.append(upper)

    def term(self, pair: int, coefficient: float) -> None:
        """Add a term to the row begun last."""
        self.rows.append(len(self.labels) - 1)
        self.pairs.append(pair)
        self.coefficients.append(coefficient)

    def add_to(self, draft: Draft) -> None:
        """Add all rows to the draft."""
        if self.labels:
            rows = draft.add_rows("region", self.lower, self.upper, lambda: self.labels)
            draft.add_pair_terms(rows[self.rows], self.pairs, self.coefficients)


def add_region_rows(draft: Draft, constraints: list[Constraint]) -> None:
    """Add the rows of all constraints that have one linearisation."""
    gathered = RegionRows()
    for constraint in constraints:
        match constraint:
            case AllEqual():
                _all_equal(draft, gathered, constraint)
            case AllDifferent():
                _all_different(draft, gathered, constraint)
            case LinearSum():
                _linear_sum(draft, gathered, constraint)
            case Cardinality():
                _cardinality(draft, gathered, constraint)
            case NoGood():
                _no_good(draft, gathered, constraint)
            case _:
                raise TypeError(f"no linearisation for {type(constraint).__name__}")
    gathered.add_to(draft)


def _by_value(draft: Draft, variables: tuple[int, ...]) -> dict[int, list[tuple[int, int]]]:
    """Return (variable, pair) for every value, in the order of values."""
    found: dict[int, list[tuple[int, int]]] = {}
    for pair, variable, value in draft.pairs_of(variables):
        found.setdefault(value, []).append((variable, pair))
    return dict(sorted(found.items()))


def _all_equal(draft: Draft, rows: RegionRows, constraint: AllEqual) -> None:
    """``[u = a] = [v = a]`` for neighbours u, v in the list and every value a."""
    names = draft.problem.variables
    for value, found in _by_value(draft, constraint.variables).items():
        pair = dict(found)
        for u, v in zip(constraint.variables, constraint.variables[1:], strict=False):
            if u in pair or v in pair:
                rows.open((constraint.label, names[u].name, names[v].name, value), 0.0, 0.0)
                for variable, sign in ((u, 1.0), (v, -1.0)):
                    if variable in pair:
                        rows.term(pair[variable], sign)


def _all_different(draft: Draft, rows: RegionRows, constraint: AllDifferent) -> None:
    """``Σ [v = a] <= 1`` for every value a; ``= 1`` where there are as many values as variables."""
    by_value = _by_value(draft, constraint.variables)
    every = len(by_value) <= len(constraint.variables)
    if len(by_value) < len(constraint.variables):  # too few values: no assignment obeys
        rows.open((constraint.label, "too few values"), 1.0, 1.0)
    for value, found in by_value.items():
        rows.open((constraint.label, value), 1.0 if every else -INFINITY, 1.0)
        for _, pair in found:
            rows.term(pair, 1.0)


def _linear_sum(draft: Draft, rows: RegionRows, constraint: LinearSum) -> None:
    """``Σ a [v = a]`` within the bounds."""
    low, high = constraint.bounds
    rows.open(
        (constraint.label,),
        -INFINITY if low is None else float(low),
        INFINITY if high is None else float(high),
    )
    for pair, _, value in draft.pairs_of(constraint.variables):
        rows.term(pair, float(value))


def _no_good(draft: Draft, rows: RegionRows, constraint: NoGood) -> None:
    """``Σ [v = its value] <= number of variables - least``."""
    value = dict(zip(constraint.variables, constraint.values, strict=True))
    rows.open((constraint.label,), -INFINITY, float(len(value) - constraint.least))
    for pair, v, a in draft.pairs_of(constraint.variables):
        if value[v] == a:
            rows.term(pair, 1.0)


def _cardinality(draft: Draft, rows: RegionRows, constraint: Cardinality) -> None:
    """``low <= Σ [v = a] <= high`` for every value a that has bounds."""
    by_value = _by_value(draft, constraint.variables)
    for value, low, high in constraint.bounds:
        rows.open((constraint.label, value), float(low), float(high))
        for _, pair in by_value.get(value, []):
            rows.term(pair, 1.0)
