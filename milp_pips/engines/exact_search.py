"""A linear model in a MIP engine, where it stays loaded while bounds change, with exactly judged points.

Engines compute in floating point. Each point is judged in whole numbers and fractions, with the integer
columns rounded. Beside a point that misses a row the search goes on: it branches where the engine took 1e-7
for 0, or excludes the point. What an engine says of continuous columns holds within its tolerance.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from math import ceil, floor, inf
from typing import Any, NamedTuple

import numpy as np

from milp_pips.engines.contract import Loaded
from milp_pips.formulations.exact import Number, exact, magnitude, size
from milp_pips.formulations.judging import Miss
from milp_pips.formulations.linear_problem import ANY_VALUE, LinearProblem
from milp_pips.formulations.milp.model import EncodedModel
from milp_pips.formulations.rows import limits
from milp_pips.problem import Answer, Deadline, EngineFault, Problem, Proof, Stop, UsageError
from milp_pips.problem.objective import MAXIMISE
from milp_pips.problem.stopping import SubDeadline

Values = dict[int, Number]
"""The values of columns by position."""

MOST_MISSES = 200
"""The most points that miss a row and are excluded, in one search, before floating point counts as too coarse
for the model. A big M of 1e6 takes one, two equations in integers of twelve digits take tens."""

MISSED_FACTOR, MISSED_SECONDS = 10.0, 10.0
"""How long a search without a time limit goes on after a point has missed a row: a factor of the time before,
and least seconds."""

WIDER = Fraction(1, 10**9)
"""By how much the row of a goal is wider than the goal, relative to it: for rounding in floating point."""

Box = dict[int, tuple[Any, Any]]
"""The least and the greatest value of integer columns."""


class Refit(NamedTuple):
    """A point with given integer columns, what it misses, and whether the engine decides that.

    The point is empty if the engine finds none.
    """

    point: Values
    miss: Miss | None
    is_decided: bool


class ExactSearch:
    """A linear problem in an engine; an implementation of ``LiveModel``.

    Parameters
    ----------
    problem
        The problem.
    loaded
        Its model, loaded into the engine with its objective.
    solver
        The name of the solver, for messages.
    """

    def __init__(self, problem: LinearProblem, loaded: Loaded, solver: str):
        self._problem, self._loaded, self._solver = problem, loaded, solver
        self._model = problem.model
        _, self._factor = self._model.for_engines
        self._bounds = [limits(column) for column in self._model.columns]
        costs = self._model.arrays.costs
        self._costs = None if costs is None else costs.tolist()
        self._aims = True
        self._changed = set[int]()
        if problem.goal != ANY_VALUE:
            self._add_goal()

    def _add_goal(self) -> None:
        """Add the row of the goal, a hair wider: points that it lets pass are judged exactly."""
        constant, goal = self._model.constant, self._problem.goal
        low, high = (None if end is None else self._factor * (end - constant) for end in goal)
        hair = WIDER * max([magnitude(end) for end in (low, high) if end is not None], key=Fraction)
        priced = [(j, cost) for j, cost in enumerate(self._costs or ()) if cost]
        self._loaded.add_row(
            [j for j, _ in priced],
            [cost for _, cost in priced],
            -inf if low is None else float(low - hair),
            inf if high is None else float(high + hair),
        )

    def exclude(self, point: Sequence[Number]) -> None:
        """Cut off all points with the same values of the binary columns by which solutions differ."""
        over = self._problem.over
        ones = sum(int(point[j]) for j in over)
        self._loaded.add_row(over, [1.0 if point[j] else -1.0 for j in over], -inf, ones - 1)

    def solve(self, within: LinearProblem, deadline: Deadline) -> Answer:
        """Return what the engine says of the problem within its box, with an exactly judged point.

        Raises UsageError if the objective is unbounded.
        """
        return self._search(dict(within.box), deadline, aims=within.objective is not None)

    def _search(self, box: Box, deadline: Deadline, *, aims: bool) -> Answer:
        waiting, best, bound = [box], None, None
        nodes, missed, undecided = 0, "", False

        def ended(proof: Proof, stop: Stop) -> Answer:
            return self._answer(best, proof, stop, bound, nodes, missed, aims=aims)

        # Invariant: a solution of the box lies in a waiting box, or is no better than the best one, unless
        # the search is undecided.
        for step in range(MOST_MISSES):
            if not waiting:
                break
            here = waiting.pop()
            answer = self._run(here, deadline, aims=aims)
            nodes += answer.statistics.get("nodes", 0)
            bound = bound if step else answer.bound
            if answer.proof is Proof.INFEASIBLE:
                continue
            if answer.point is None:
                if answer.stop is Stop.FINISHED:
                    raise UsageError(
                        f"{self._model.name}: the objective is unbounded: there is no best solution"
                    )
                return ended(Proof.NONE, answer.stop)
            values: Values = dict(enumerate(answer.point))
            point, miss = self._judged(values)
            if miss:
                missed = missed or str(miss)
                if deadline.expires is None:  # what is too fine for the engine must not take for ever
                    deadline = SubDeadline(deadline, max(MISSED_FACTOR * deadline.spent, MISSED_SECONDS))
                beside = list(self._branches(here, values))
                if not beside:  # all is whole: without this point, or with other continuous columns
                    beside = list(self._beside(here, point))
                    if not miss.is_certain:
                        point, miss, is_decided = self._refitted(point, deadline, aims=aims)
                        undecided = undecided or not is_decided
                waiting += beside
            elif aims and point != values and next(self._model.misses(point, exactly=True), None):
                sharper = self._refitted(point, deadline, aims=aims)  # rounding has left other columns astray
                point = sharper.point if sharper.point and not sharper.miss else point
            if point and not miss:
                best = point if best is None or self._is_better(point, best) else best
                if not aims or answer.stop is not Stop.FINISHED:
                    return ended(Proof.FEASIBLE, answer.stop)
        if waiting or undecided:
            return ended(Proof.NONE, Stop.COUNT)
        return ended(Proof.OPTIMAL if aims else Proof.FEASIBLE, Stop.FINISHED)

    def _answer(
        self,
        best: Values | None,
        proof: Proof,
        stop: Stop,
        bound: float | None,
        nodes: int,
        missed: str,
        *,
        aims: bool,
    ) -> Answer:
        """Return the answer of a search that has ended; without a point, all of the box is searched."""
        columns = range(len(self._model.columns))
        if best is None:
            proof = Proof.INFEASIBLE if proof in (Proof.OPTIMAL, Proof.FEASIBLE) else Proof.NONE
        elif proof is Proof.NONE:
            proof = Proof.FEASIBLE
        value = self._model.value(best) if best is not None and aims and self._costs is not None else None
        coarse = best is None and proof is Proof.NONE and missed
        return Answer(
            None if best is None else tuple([best[j] for j in columns]),
            Proof.FEASIBLE if proof is Proof.OPTIMAL and value is None else proof,
            stop,
            f"floating point cannot decide: of a point that {self._solver} gave, {missed}" if coarse else "",
            {"nodes": nodes},
            self._model.size,
            bound=value if proof is Proof.OPTIMAL else None if bound in (inf, -inf) else bound,
            value=value,
        )

    def _run(self, box: Box, deadline: Deadline, *, aims: bool) -> Answer:
        """Return what the engine says of the box; the point has its values, in floating point, exactly.

        No point, no proof and ``Stop.FINISHED`` mean that the objective is unbounded.
        """
        for j in self._changed | box.keys():
            self._loaded.bound([j], *box.get(j, self._bounds[j]))
        self._changed = set(box)
        if aims != self._aims:
            self._loaded.set_costs(self._costs if aims else None)
            self._aims = aims
        answer = self._loaded.run(deadline)
        if answer.proof is Proof.NONE and answer.stop is Stop.FINISHED and answer.point is None:
            if not aims:
                raise EngineFault(f"{self._solver} failed: it calls a search without objective unbounded")
            again = self._run(box, deadline, aims=False)
            return replace(again, point=None, proof=Proof.NONE) if again.point is not None else again
        if answer.point is None:
            if answer.stop is Stop.ERROR and not deadline.stop:
                raise EngineFault(f"{self._solver} failed: {answer.message}")
            return replace(answer, bound=self._value_of(answer.bound))
        values = list(map(exact, answer.point))
        for j, (low, high) in box.items():  # great numbers miss a bound by a relative tolerance, so by tens
            values[j] = int(low) if values[j] < low else int(high) if values[j] > high else values[j]
        return replace(answer, point=values, bound=self._value_of(answer.bound))

    def _value_of(self, bound: float | None) -> float | None:
        """Return the value of the objective that a bound of the engine means."""
        if bound is None or abs(bound) == inf:
            return None
        return float(Fraction(bound) / Fraction(self._factor) + self._model.constant)

    def _judged(self, values: Values) -> tuple[Values, Miss | None]:
        """Return the values with integer columns rounded, and what they miss."""
        rounded: Values = {
            j: round(value) if self._model.columns[j].integer else value for j, value in values.items()
        }
        if miss := next(self._model.misses(rounded), None):
            return rounded, miss
        if self._problem.goal != ANY_VALUE and (by := self._problem.goal_misses(self._model.value(rounded))):
            return rounded, Miss("the bound of the objective is", by, self._model.cost_unit is not None)
        return rounded, None

    def _is_better(self, point: Values, than: Values) -> bool:
        sign = -1 if self._model.sense == MAXIMISE else 1
        return sign * self._model.value(point) < sign * self._model.value(than)

    def _branches(self, box: Box, values: Values) -> Iterator[Box]:
        """Yield two boxes beside the value that is farthest from a whole number; none if all are whole.

        The box of the nearer whole number is the last one, which is searched first.
        """
        far = {j: float(size(a - round(a))) for j, a in values.items() if self._model.columns[j].integer}
        j = max(far, key=lambda j: far[j], default=None)
        if j is None or not far[j]:
            return
        low, high = box.get(j, self._bounds[j])
        sides = [(low, floor(values[j])), (ceil(values[j]), high)]
        for side in sides if round(values[j]) > values[j] else reversed(sides):
            if side[0] <= side[1]:
                yield {**box, j: side}

    def _refitted(self, point: Values, deadline: Deadline, *, aims: bool) -> Refit:
        """Return a point with the same integer columns."""
        columns = self._model.columns
        fixed = {j: (int(value),) * 2 for j, value in point.items() if columns[j].integer}
        answer = self._run(fixed, deadline, aims=aims)
        if answer.point is None:
            return Refit({}, None, answer.proof is Proof.INFEASIBLE)
        values, miss = self._judged(dict(enumerate(answer.point)))
        return Refit(values, miss, miss is None)

    def _beside(self, box: Box, point: Values) -> Iterator[Box]:
        """Yield disjoint boxes of integer columns that contain all points of a box but one."""
        kept = dict(box)
        for j, column in enumerate(self._model.columns):
            if not column.integer:
                continue
            low, high = kept.get(j, self._bounds[j])
            value = int(point[j])
            for side in ((low, value - 1), (value + 1, high)):
                if side[0] <= side[1]:
                    yield {**kept, j: side}
            kept[j] = (value, value)


# A problem as a 0-1 model that stays loaded in a MIP engine, which finds one solution after another.


class LiveMip:
    """An implementation of ``LiveModel`` on an engine whose loaded model can be changed.

    Parameters
    ----------
    problem, key
        The problem, and the key by which its solutions differ.
    model, loaded
        The 0-1 model of the problem, with columns for the key, and that loaded into the engine.
    """

    def __init__(self, problem: Problem, key: str, model: EncodedModel, loaded: Loaded):
        self._problem, self._model, self._loaded = problem, model, loaded
        self._variables = sorted(set(problem.keys[key]))
        self._least = problem.least_difference(key)
        self._closed: Sequence[int] = ()

    def solve(self, within: Problem, deadline: Deadline) -> Answer:
        """Return a solution within the domains, if one is found; see ``LiveModel``."""
        self._loaded.bound(self._closed, 0, 1)
        self._closed = () if within is self._problem else self._outside(within)
        self._loaded.bound(self._closed, 0, 0)
        answer = self._loaded.run(deadline)
        point = None if answer.point is None else self._model.decode(answer.point)
        return replace(answer, point=point, formulation=self._model.formulation)

    def _outside(self, within: Problem) -> tuple[int, ...]:
        """Return all columns that mean a value outside the domains."""
        model, domains = self._model, [variable.domain for variable in within.variables]
        pairs = zip(model.pair_variables.tolist(), model.pair_values.tolist(), strict=True)
        gone = np.array([value not in domains[v] for v, value in pairs], dtype=bool)
        return tuple(np.unique(model.pair_columns[gone[model.pairs]]).tolist())

    def exclude(self, point: Sequence[int]) -> None:
        """Add the row: of the key's pairs (variable = value) that the point has, not all hold any more.

        A pair is the sum of its columns. So the row cuts off all vectors that state the same solution, and it
        is divided by the greatest common divisor of its coefficients.
        """
        model = self._model
        variables = model.pair_variables[model.pairs]
        holds = np.asarray(point)[variables] == model.pair_values[model.pairs]
        columns = model.pair_columns[holds & np.isin(variables, self._variables)]
        ones, times = np.unique(columns, return_counts=True)
        common = int(np.gcd.reduce(times)) if len(times) else 1
        most = (len(self._variables) - self._least) // common
        self._loaded.add_row(ones.tolist(), (times // common).tolist(), -inf, most)
