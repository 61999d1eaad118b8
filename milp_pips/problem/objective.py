"""The linear objective of a problem, and what an engine's bound proves about the value of a point."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil, inf, isfinite

from milp_pips.problem.answer import MAXIMISE, MINIMISE, Answer, Proof, Stop
from milp_pips.problem.errors import EngineFault
from milp_pips.problem.fields import (
    MAX_SUM,
    check_positions,
    require_text,
    rows_of_numbers,
    set_field,
    whole_between,
)

__all__ = ["MAXIMISE", "MINIMISE", "Objective", "totals", "with_value"]

MAX_WEIGHT = 10**9
"""The greatest sum of absolute weights: engines compute in floating point and round to 1e-6 or so."""

BOUND_TOLERANCE = 1e-6, 1e-9
"""How far an engine's bound may lie beyond the whole number that it means: absolutely, plus relatively."""


@dataclass(frozen=True, slots=True)
class Objective:
    """``constant + Σ weight · [variable = value]``, where a bracket is 1 if it holds and else 0.

    Engines minimise the *cost*: the value without the constant, or its negative to maximise.

    Parameters
    ----------
    terms
        Triples ``(variable, value, weight)``; each pair (variable, value) occurs once. Weights are integers.
    sense
        ``minimise`` or ``maximise``.
    constant
        What is added to the value of every point.
    label
        The objective in words, for people.
    scale
        The units in one: values are stated in 1/scale, if the coefficients of a model are fractions.
    """

    terms: tuple[tuple[int, int, int], ...]
    sense: str = MINIMISE
    constant: int = 0
    label: str = ""
    scale: int = 1

    def __str__(self) -> str:
        return self.label or "the objective"

    def __post_init__(self) -> None:
        require_text("Objective", "label", self.label)
        set_field(self, "terms", rows_of_numbers("Objective", "terms", self.terms, 3))
        require_text("Objective", "sense", self.sense)
        if self.sense not in (MINIMISE, MAXIMISE):
            raise ValueError(f"the sense of an objective is minimise or maximise, not {self.sense!r}")
        set_field(self, "scale", whole_between("Objective", "scale", self.scale, 1, MAX_WEIGHT))
        set_field(self, "constant", whole_between("Objective", "constant", self.constant, -MAX_SUM, MAX_SUM))
        if len({(v, value) for v, value, _ in self.terms}) < len(self.terms):
            raise ValueError("Objective has two terms for one pair (variable, value)")
        if (reach := sum(abs(weight) for _, _, weight in self.terms)) > MAX_WEIGHT:
            raise ValueError(f"the weights of an objective sum to {reach}, which is over {MAX_WEIGHT}")

    def check(self, variables: int) -> None:
        """Raise ValueError if a term names no variable of a problem that has so few."""
        check_positions("the objective", [v for v, _, _ in self.terms], variables)

    @property
    def sign(self) -> int:
        """The factor of the value in the cost: 1 to minimise, -1 to maximise."""
        return 1 if self.sense == MINIMISE else -1

    @property
    def costs(self) -> dict[int, dict[int, int]]:
        """The cost of each value by variable; a value without one costs 0."""
        costs: dict[int, dict[int, int]] = {}
        for v, value, weight in self.terms:
            costs.setdefault(v, {})[value] = self.sign * weight
        return costs

    def value(self, point: Sequence[int] | Mapping[int, int]) -> int:
        """Return the value of a point."""
        return self.constant + sum(weight for v, value, weight in self.terms if point[v] == value)

    def stated(self, value: int) -> int | float:
        """Return a value in the units in which the objective is stated."""
        return value // self.scale if value % self.scale == 0 else value / self.scale

    def cost(self, value: int) -> int:
        """Return the cost that a value means."""
        return self.sign * (value - self.constant)

    def value_of(self, cost: int) -> int:
        """Return the value that a cost means."""
        return self.constant + self.sign * cost

    def worse(self, value: int, by: int = 1) -> int:
        """Return the value that is worse than another by a number; better if that is negative."""
        return value + self.sign * by

    def limits(self, worst: int) -> tuple[int | None, int | None]:
        """Return low and high bound of ``Σ weight · [variable = value]`` for points no worse than a value."""
        total = worst - self.constant
        return (None, total) if self.sense == MINIMISE else (total, None)

    def best_possible(self, domains: Sequence[Sequence[int]]) -> int:
        """Return the best value that the domains of the variables allow; each domain has a value."""
        cost = sum(min(costs.get(a, 0) for a in domains[v]) for v, costs in self.costs.items())
        return self.value_of(cost)


def totals(terms: Iterable[tuple[int, int, int]]) -> tuple[tuple[int, int, int], ...]:
    """Return the terms with the weights of equal pairs added up, without zeros, in order."""
    weights: dict[tuple[int, int], int] = {}
    for v, value, weight in terms:
        weights[v, value] = weights.get((v, value), 0) + weight
    return tuple([(v, value, weight) for (v, value), weight in sorted(weights.items()) if weight])


def with_value(
    answer: Answer, objective: Objective | None, domains: Sequence[Sequence[int]], cost_bound: float | None
) -> Answer:
    """Return the answer with value, bound and the proof that they allow.

    ``optimal`` is proven if the domains allow no better value, or if the engine has finished and its bound
    leaves no better whole number.

    Parameters
    ----------
    answer
        The answer, with proof and stop as for a problem without an objective.
    objective, domains
        The objective of the problem, if any, and the domains of its variables.
    cost_bound
        The engine's lower bound of the cost; infinite if it calls its point optimal and gives no number, None
        if it gives no bound.

    Raises
    ------
    EngineFault
        If the point is better than the engine's bound.
    """
    if objective is None or answer.proof is Proof.INFEASIBLE or not all(domains):
        return answer
    of_domains = least = objective.cost(objective.best_possible(domains))
    if cost_bound is not None and isfinite(cost_bound):
        absolute, relative = BOUND_TOLERANCE
        least = max(least, ceil(cost_bound - min(0.4, absolute + relative * abs(cost_bound))))
    if answer.point is None:
        return replace(answer, bound=objective.value_of(least))
    value = objective.value(answer.point)
    cost = objective.cost(value)
    if cost_bound == inf:
        least = cost
    if cost < least - 1:
        raise EngineFault(f"an engine bounds the objective by {objective.value_of(least)}, and finds {value}")
    if cost == of_domains or (least >= cost and answer.stop is Stop.FINISHED):
        return replace(answer, proof=Proof.OPTIMAL, stop=Stop.FINISHED, value=value, bound=value)
    stop = Stop.COUNT if answer.stop is Stop.FINISHED else answer.stop
    return replace(
        answer, proof=Proof.FEASIBLE, stop=stop, value=value, bound=objective.value_of(min(least, cost))
    )
