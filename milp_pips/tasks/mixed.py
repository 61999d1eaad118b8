"""The tasks ``solve``, ``solutions`` and ``count`` on linear models that do not become a ``Problem``.

These have continuous columns, or integer columns without bounds or with many values. HiGHS solves them, and
everything that it says holds within its tolerance, which the results state.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import inf
from typing import TYPE_CHECKING, Any

from milp_pips.engines.mixed import (
    MIXED_SOLVER,
    SECOND,
    TOLERANCE,
    MixedModel,
    list_by_bounds,
    second,
)
from milp_pips.engines.registry import available
from milp_pips.formulations.linear import KEY
from milp_pips.problem.answer import Proof, Settings, Stop
from milp_pips.problem.errors import EngineFault, UsageError
from milp_pips.problem.objective import MAXIMISE
from milp_pips.puzzles.linear import LinearPuzzle, ModelValues, stated
from milp_pips.tasks.listers import Enumeration
from milp_pips.tasks.results import Count, Optimum, Result, Summary

if TYPE_CHECKING:
    from milp_pips.engines.mixed import MixedAnswer
    from milp_pips.problem.stopping import Deadline
    from milp_pips.puzzles.puzzle import Puzzle


def chosen_columns(puzzle: Puzzle, over: Any) -> Puzzle:
    """Return a linear model with other columns in which solutions differ. Raises UsageError for a puzzle."""
    if over is None:
        return puzzle
    if not isinstance(puzzle, LinearPuzzle):
        raise UsageError(f"{puzzle.name} has no columns to choose: over is for linear models; see distinct")
    return puzzle.choosing(over)


def mixed_model(puzzle: Puzzle, solver: str, **given: object) -> LinearPuzzle:
    """Return the puzzle, a linear model that is no ``Problem``.

    Raises UsageError if another solver is named, or anything is given that needs a ``Problem``.
    """
    assert isinstance(puzzle, LinearPuzzle)
    reason = puzzle.model.reason_against_problem
    if names := [name for name, value in given.items() if value]:
        raise UsageError(f"{puzzle.name}: {reason}; omit {' and '.join(names)}")
    if solver not in ("", MIXED_SOLVER):
        raise UsageError(f"{puzzle.name}: {reason}, so only {MIXED_SOLVER} solves it, not {solver}")
    return puzzle


def solve_mixed(puzzle: LinearPuzzle, settings: Settings, deadline: Deadline) -> Result:
    """Return the best solution of the model, or a solution if it has no objective; see ``solve``.

    Raises UsageError if the objective is unbounded.
    """
    begun = time.perf_counter()
    answer = MixedModel(puzzle.model, settings, aims=True).solve({}, deadline)
    confirmed_by, optimum, remark = None, None, ""
    status = {"optimal": "solved", "feasible": "solved", "infeasible": "infeasible"}.get(
        answer.status, "unknown"
    )
    if answer.status == "unbounded":
        raise UsageError(f"{puzzle.name}: the objective is unbounded: there is no best solution")
    if answer.status == "infeasible":
        again = _second(puzzle, settings).solve({}, deadline)
        confirmed_by = SECOND if again.status == "infeasible" else None
        if again.values is not None:
            answer, status, remark = again, "solved", f"{MIXED_SOLVER} called it infeasible, with presolve"
        elif confirmed_by is None:
            status, remark = (
                "unknown",
                f"{MIXED_SOLVER} reports that there is no solution, but nothing has confirmed it",
            )
    if answer.values is not None and puzzle.model.has_objective:
        optimum = _optimum(puzzle, answer, settings, deadline)
    values = None if answer.values is None else ModelValues(puzzle, dict(answer.values))
    seconds = time.perf_counter() - begun
    return Result(
        puzzle,
        values,
        status,
        answer.stop,
        solver=MIXED_SOLVER,
        version=available(MIXED_SOLVER).version(),
        formulation="",
        confirmed_by=confirmed_by,
        remark=remark,
        size={"columns": len(puzzle.model.columns), "rows": len(puzzle.model.rows)},
        statistics={"nodes": answer.nodes},
        seconds={"read": 0.0, "build": 0.0, "solve": seconds, "total": seconds},
        objective=optimum,
    )


def _second(puzzle: LinearPuzzle, settings: Settings) -> MixedModel:
    """Return the model with other methods of HiGHS, for any solution."""
    return MixedModel(puzzle.model, second(settings), aims=False)


def _optimum(puzzle: LinearPuzzle, answer: MixedAnswer, settings: Settings, deadline: Deadline) -> Optimum:
    """Return the value with its bound; optimal if a second search finds nothing that is clearly better."""
    model, values = puzzle.model, answer.values
    assert values is not None
    value = model.value(values)
    bound = None if answer.bound in (None, inf, -inf) else answer.bound
    if answer.status != "optimal":
        return Optimum(model.sense, "the objective", stated(value), bound)
    by = float(10 * TOLERANCE * max(Fraction(1), abs(value)))
    best = float(value - model.constant)
    again = _second(puzzle, settings)
    again.near(*((best + by, inf) if model.sense == MAXIMISE else (-inf, best - by)))
    confirmed = again.solve({}, deadline).status == "infeasible"
    return Optimum(
        model.sense, "the objective", stated(value), stated(value), confirmed, SECOND if confirmed else None
    )


@dataclass
class Wanted:
    """What of a model is listed: the most solutions, and their distance from the optimum."""

    limit: int | None = None
    within: int | None = None
    within_relative: float | None = None


class MixedEnumeration(Enumeration):
    """An iterator over the solutions of a linear model that is no ``Problem``."""

    puzzle: LinearPuzzle

    def __init__(self, puzzle: LinearPuzzle, settings: Settings, wanted: Wanted, deadline: Deadline):
        self.puzzle, self.key, self.solver, self.limit = puzzle, KEY, MIXED_SOLVER, wanted.limit
        self.method, self.of = "partition", None
        self._settings, self._wanted, self._deadline = settings, wanted, deadline
        self._begun, self.found = time.perf_counter(), 0
        self.summary: Summary | None = None
        self._solutions: Iterator[Any] | None = None
        if wanted.within is wanted.within_relative is None:
            self._optimum: Optimum | None = None
            self._near: tuple[float, float] | None = None
        else:
            self._optimum, self._near = self._limits()

    def value(self, solution: ModelValues) -> int | float | None:
        """Return the value of the objective; None if there is none."""
        return solution.objective if self.puzzle.model.has_objective else None

    def json_lines(self) -> Iterator[str]:
        """Yield the solutions as lines of JSON."""
        for solution in self:
            value = {} if self.value(solution) is None else {"objective": self.value(solution)}
            yield json.dumps({"values": dict(solution)} | value, ensure_ascii=False)

    def _limits(self) -> tuple[Optimum | None, tuple[float, float]]:
        """Return the optimum and the bounds of the objective, without its constant. Raises UsageError."""
        model, wanted = self.puzzle.model, self._wanted
        if not model.has_objective:
            raise UsageError("a distance from the optimum needs an objective")
        found = solve_mixed(self.puzzle, self._settings, self._deadline)
        if found.objective is None or not found.objective.is_optimal:
            if found.status == "infeasible":
                return None, (-inf, inf)
            raise UsageError(f"the optimum is not known: {found.summary()}")
        best = float(found.objective.value)
        relative = wanted.within_relative
        shares = [] if relative is None else [relative * abs(best)]
        distance = min([*shares, *([] if wanted.within is None else [float(wanted.within)])])
        by = distance + float(TOLERANCE) * max(1.0, abs(best))
        worst = best - float(model.constant) + (-by if model.sense == MAXIMISE else by)
        return found.objective, (worst, inf) if model.sense == MAXIMISE else (-inf, worst)

    def _live(self, settings: Settings) -> MixedModel:
        live = MixedModel(self.puzzle.model, settings, aims=False)
        if self._near is not None:
            live.near(*self._near)
        return live

    def _run(self, *, as_json: bool) -> Iterator[ModelValues]:  # noqa: ARG002 - lines are made of solutions
        puzzle, proof, stop, seen = self.puzzle, Proof.NONE, Stop.COUNT, set[tuple[Any, ...]]()
        points = list_by_bounds(self._live(self._settings), puzzle.over, self._deadline)
        while self.limit is None or self.found < self.limit:
            try:
                values = next(points)
            except StopIteration as end:
                proof, stop = end.value
                break
            chosen = tuple([values[j] for j in puzzle.over])
            if chosen in seen:
                raise EngineFault(f"{MIXED_SOLVER} gave one solution of {puzzle.name} twice")
            seen.add(chosen)
            self.found += 1
            yield ModelValues(puzzle, values)
        confirmed_by = self._confirmed_by(seen) if proof is Proof.COMPLETE else None
        if proof is Proof.COMPLETE and not confirmed_by:
            stop = self._deadline.stop or Stop.ERROR
        spent = time.perf_counter() - self._begun
        self.summary = Summary(
            self.found,
            KEY,
            bool(confirmed_by),
            stop,
            self.method,
            MIXED_SOLVER,
            spent,
            confirmed_by,
            self._optimum,
        )

    def _confirmed_by(self, seen: set[tuple[Any, ...]]) -> str | None:
        """Return what has listed the same solutions again, in another order. Raises EngineFault if others."""
        points = list_by_bounds(self._live(second(self._settings)), self.puzzle.over[::-1], self._deadline)
        again = set()
        while True:
            try:
                values = next(points)
            except StopIteration as end:
                proof, _ = end.value
                break
            again.add(tuple([values[j] for j in self.puzzle.over]))
        if again - seen or (proof is Proof.COMPLETE and seen - again):
            fault = f"two lists of {self.puzzle.name} differ: {len(seen)} and {len(again)} solutions"
            raise EngineFault(f"{fault}; its numbers may be too fine for floating point")
        return SECOND if proof is Proof.COMPLETE else None


def count_mixed(puzzle: LinearPuzzle, settings: Settings, wanted: Wanted, deadline: Deadline) -> Count:
    """Return the number of solutions of the model, which are listed; see ``count``."""
    found = MixedEnumeration(puzzle, settings, wanted, deadline)
    for _ in found:
        pass
    summary = found.summary
    assert summary is not None
    method = f"listed by {MIXED_SOLVER}"
    numbers = {KEY: found.found}
    return Count(
        puzzle, numbers, summary.complete, summary.stop, method, summary.seconds, {}, summary.confirmed_by,
        objective=summary.objective,
    )  # fmt: skip
