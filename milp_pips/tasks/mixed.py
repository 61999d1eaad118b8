"""The tasks ``solve`` and ``solutions`` on linear models that do not become a ``Problem``.

These have continuous columns, or integer columns without bounds or with many values. HiGHS, Pyomo or SCIP
solve them, and everything that they say holds within a tolerance, which the results state.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import inf
from typing import Any

from milp_pips.compilation.limits import Unfinished
from milp_pips.engines.contract import UntilEnd
from milp_pips.engines.mixed import (
    ANY_VALUE,
    MIXED_SOLVER,
    SECOND,
    Goal,
    MixedAnswer,
    require_mixed,
    second,
    solve_mixed_model,
)
from milp_pips.engines.registry import available, version_of
from milp_pips.enumeration.boxes import BoxListing, list_boxes
from milp_pips.formulations.model import KEY, TOLERANCE, Column, Model, Row, magnitude, stated
from milp_pips.formulations.scaling import undecidable_row
from milp_pips.problem.answer import Proof, Settings, Stop
from milp_pips.problem.errors import EngineFault, InputError, UsageError
from milp_pips.problem.objective import MAXIMISE
from milp_pips.problem.stopping import Deadline, running_deadline
from milp_pips.puzzles.linear import FAMILY, LinearPuzzle, ModelValues
from milp_pips.puzzles.puzzle import Puzzle
from milp_pips.tasks.diverse import DiverseLister, Further
from milp_pips.tasks.lines import solution_file
from milp_pips.tasks.listers import EngineLister, Enumeration
from milp_pips.tasks.results import NOT_SEARCHED, Distance, Optimum, Result, Uniqueness, Verdict
from milp_pips.verification.second_opinion import confirming_deadline


def mixed_model(puzzle: Puzzle, **given: object) -> LinearPuzzle:
    """Return the puzzle, a linear model that is no ``Problem``.

    Raises UsageError if anything is given that needs a ``Problem``.
    """
    assert isinstance(puzzle, LinearPuzzle)
    if names := [name for name, value in given.items() if value]:
        raise UsageError(f"{puzzle.name}: {puzzle.model.reason_against_problem}; omit {' and '.join(names)}")
    return puzzle


def solve_mixed(puzzle: LinearPuzzle, solver: str, settings: Settings, deadline: Deadline) -> Result:
    """Return the best solution of the model, or a solution if it has no objective; see ``solve``.

    It states the values of all columns. Raises UsageError if the objective is unbounded.
    """
    begun, solver = time.perf_counter(), solver or MIXED_SOLVER
    puzzle = replace(puzzle, over=tuple(range(len(puzzle.model.columns))))
    answer = solve_mixed_model(puzzle.model, solver, settings, deadline)
    if answer.status == "unbounded":
        raise UsageError(f"{puzzle.name}: the objective is unbounded: there is no best solution")
    confirmed_by, optimum, remark = None, None, ""
    status = "solved" if answer.values is not None else "unknown"
    if answer.status == "infeasible":
        again = _ask_again(puzzle, settings, deadline)
        if again.values is not None:
            answer, status, remark = again, "solved", f"{solver} called it infeasible, with presolve"
        elif again.status == "infeasible":
            status, confirmed_by = "infeasible", SECOND
        else:
            remark = f"{solver} reports that there is no solution, but {_unconfirmed(again)}"
            answer = answer._replace(stop=again.stop)
    elif answer.status == "unknown" and answer.miss:
        remark = f"floating point cannot decide: of a point that {solver} gave, {answer.miss}"
    if answer.values is not None and puzzle.model.has_objective:
        answer, optimum, better = _optimum(puzzle, answer, solver, settings, deadline)
        remark = better or remark
    values = None if answer.values is None else ModelValues(puzzle, dict(answer.values))
    seconds = time.perf_counter() - begun
    return Result(
        puzzle,
        values,
        status,
        answer.stop,
        solver=solver,
        version=version_of(available(solver)),
        formulation="",
        confirmed_by=confirmed_by,
        remark=remark,
        size={"columns": len(puzzle.model.columns), "rows": len(puzzle.model.rows)},
        statistics={"nodes": answer.nodes},
        seconds={"read": 0.0, "build": 0.0, "solve": seconds, "total": seconds},
        objective=optimum,
        others=Uniqueness(0, 0) if status == "infeasible" else NOT_SEARCHED,
    )


def check_mixed(
    puzzle: Puzzle, solution: ModelValues, settings: Settings, deadline: Deadline | None
) -> Verdict:
    """Return whether a solution, which misses no row whose columns it has, is or shows one of the model."""
    assert isinstance(puzzle, LinearPuzzle)
    values, model = solution.values_by_position, puzzle.model
    if len(values) == len(model.columns):
        by_a_hair = next(map(str, model.misses(values, exactly=True)), "")
        return Verdict(
            True, f"right within a tolerance of {float(TOLERANCE):.0e}: {by_a_hair}" if by_a_hair else ""
        )
    columns = [
        replace(column, low=values[j], high=values[j]) if j in values else column
        for j, column in enumerate(model.columns)
    ]
    fixed = replace(puzzle, model=replace(model, columns=tuple(columns)))
    with running_deadline(deadline, settings.seconds) as deadline:
        found = solve_mixed(fixed, "", settings, deadline)
    if found.status == "infeasible":
        return Verdict(False, "no solution has these values", "wrong", found.confirmed_by)
    return (
        Verdict(True)
        if found.solution is not None
        else Verdict(None, f"not known; stop: {found.stop}", "unknown")
    )


def _ask_again(
    puzzle: LinearPuzzle, settings: Settings, deadline: Deadline, goal: Goal = ANY_VALUE
) -> MixedAnswer:
    """Return a second opinion on whether there is a solution, by other methods of HiGHS.

    If its "no solution" rests on a row that is too fine for floating point, the status is ``unknown``.
    """
    own, part = second(settings), confirming_deadline(deadline)
    again = solve_mixed_model(puzzle.model, MIXED_SOLVER, own, part, aims=False, goal=goal)
    row = undecidable_row(puzzle.model) if again.status == "infeasible" else ""
    return MixedAnswer("unknown", Stop.COUNT, miss=f"row {row}") if row else again


def _unconfirmed(again: MixedAnswer) -> str:
    return f"{again.miss} is too fine for floating point" if again.miss else "nothing has confirmed it"


def _optimum(
    puzzle: LinearPuzzle, answer: MixedAnswer, solver: str, settings: Settings, deadline: Deadline
) -> tuple[MixedAnswer, Optimum, str]:
    """Return the answer, what is known of the optimum, and a remark if that is less than the engine says.

    Second searches look for something better by the smallest step that values differ by, or clearly better
    if continuous columns have costs. What they find, judged exactly, takes the place of the answer.
    """
    model, remark = puzzle.model, ""
    assert answer.values is not None
    while True:
        value = model.value(answer.values)
        if answer.status != "optimal":
            bound = None if answer.bound in (None, inf, -inf) else answer.bound
            return answer, Optimum(model.sense, "the objective", stated(value), bound), remark
        step = model.cost_unit or 10 * TOLERANCE * magnitude(value)
        better = Goal(low=value + step) if model.sense == MAXIMISE else Goal(high=value - step)
        again = _ask_again(puzzle, settings, deadline, better)
        if again.status == "infeasible":
            return (
                answer,
                Optimum(model.sense, "the objective", stated(value), stated(value), True, SECOND),
                remark,
            )
        if again.values is None:
            remark = f"{solver} reports that no solution is better, but {_unconfirmed(again)}"
            return answer, Optimum(model.sense, "the objective", stated(value), stated(value)), remark
        remark = f"{solver} called {stated(value)} optimal"
        further = solve_mixed_model(model, solver, settings, deadline, goal=better)
        answer = again if further.values is None else further


@dataclass(frozen=True)
class MixedPrepared:
    """A linear model that is no ``Problem``, for the listers; see ``Prepared``."""

    puzzle: LinearPuzzle
    family: Any = FAMILY
    seconds: float = 0.0

    def judge(self, point: Sequence[int], _who: str) -> ModelValues:
        """Return the solution of a point, which ``MixedModel`` has checked."""
        return ModelValues(self.puzzle, dict(enumerate(point)))

    def value(self, solution: ModelValues) -> int | float | None:
        """Return the value of the objective; None if there is none."""
        return solution.objective if self.puzzle.model.has_objective else None


class MixedLister(EngineLister):
    """Lists the solutions of a linear model that is no ``Problem``; see ``EngineLister``."""

    prepared: Any
    list_points = staticmethod(list_boxes)  # type: ignore[assignment]
    _listing: Any

    def _known_point(self, line: str, place: str) -> tuple[int, ...]:
        """Return the point of a line; columns that were not chosen are 0. Raises InputError."""
        puzzle = self.prepared.puzzle
        values = self.prepared.family.read_solution(puzzle, line, place).values_by_position
        if values.keys() != set(puzzle.over) or (broken := puzzle.model.violated(values)):
            what = "it has other columns" if values.keys() != set(puzzle.over) else f"it breaks {broken}"
            raise InputError(f"no solution of {puzzle.name}: {what}", place)
        point = tuple([int(values.get(j, 0)) for j in range(len(puzzle.model.columns))])
        return self._new(point, place)

    def confirm(self, found: int) -> str | None:  # noqa: ARG002
        """Return what has listed the same solutions again, in another order. Raises EngineFault if others."""
        return _list_again(self._listing, self._keys, self._jobs, self.deadline)


def _list_again(listing: BoxListing, keys: set[tuple[int, ...]], jobs: int, deadline: Deadline) -> str | None:
    """Return what has listed the same solutions again, in another order. Raises EngineFault if others."""
    if undecidable_row(listing.model):
        return None
    over, own = listing.over[::-1], second(listing.settings)
    again = replace(listing, over=over, solver=MIXED_SOLVER, settings=own, best=False)
    points = UntilEnd(list_boxes(again, "partition", confirming_deadline(deadline), jobs))
    found = {again.key_of(point)[::-1] for point in points}
    if found - keys or (points.proof is Proof.COMPLETE and keys - found):
        fault = f"two lists of {listing.model.name} differ: {len(keys)} and {len(found)} solutions"
        raise EngineFault(f"{fault}; its numbers may be too fine for floating point")
    return SECOND if points.proof is Proof.COMPLETE else None


class DiverseInModel(DiverseLister):
    """Lists solutions of a linear model that are far apart; the chosen columns are binary."""

    prepared: Any

    def __init__(self, prepared: Any, deadline: Deadline, k: int, listing: BoxListing):
        super().__init__(prepared, KEY, deadline, listing.over, k, listing.solver)
        listing.require_binary("diverse solutions")
        self._listing, model = listing, listing.model
        self._costs = {j: column.cost for j, column in enumerate(model.columns) if column.cost}
        self._columns = [replace(column, cost=Fraction(0)) for column in model.columns]
        self._rows = list(model.rows)
        if listing.goal != ANY_VALUE:
            low, high = (None if end is None else end - model.constant for end in listing.goal)
            self._rows.append(Row("near the optimum", self._costs, low, high))

    def find(self, most: int) -> Further:
        number, listing = len(self._columns), self._listing
        model, settings, deadline = listing.model, listing.settings, self.deadline
        distance = Column("the least distance", Fraction(1), Fraction(most), True, Fraction(1))
        rows = list[Row]()
        for key in self.keys:  # the columns that were 0, less those that were 1, with the distance
            terms = {j: Fraction(-1 if a else 1) for j, a in zip(listing.over, key, strict=True)}
            rows.append(Row("distance", {**terms, number: Fraction(-1)}, Fraction(-sum(key))))
        columns = [*self._columns, *[distance] * bool(self.keys)]
        far = Model(tuple(columns), (*self._rows, *rows), MAXIMISE, name=model.name)
        puzzle = LinearPuzzle(far, listing.over, self.prepared.puzzle.name)
        found = solve_mixed(puzzle, listing.solver, settings, deadline)
        if found.status == "infeasible":
            return Further(None, proof=Proof.COMPLETE)
        if found.solution is None or (self.keys and not (found.objective and found.objective.is_optimal)):
            return Further(None, stop=deadline.stop or Stop.ERROR)
        values = found.solution.values_by_position
        point = tuple([values[j] for j in range(number)])
        if self._costs:  # the other columns with the best objective, if it is bounded
            columns = list(model.columns)
            for j in listing.over:
                columns[j] = replace(columns[j], low=Fraction(point[j]), high=Fraction(point[j]))
            fixed = replace(model, columns=tuple(columns))
            best = solve_mixed_model(fixed, listing.solver, settings, deadline).values
            point = point if best is None else tuple([best[j] for j in range(number)])
        if found.objective is None:
            return Further(point, solver=found.solver)
        confirmed_by = found.objective.confirmed_by
        return Further(point, int(found.objective.value), confirmed_by, solver=found.solver)

    def confirm_all(self) -> str | None:
        return _list_again(self._listing, set(self.keys), 1, self.deadline)


def list_mixed(
    puzzle: LinearPuzzle,
    solver: str,
    settings: Settings,
    deadline: Deadline,
    distance: Distance,
    *,
    has_over: bool,
    method: str,
    limit: int | None,
    out: str,
    jobs: int,
    diverse: int | None,
) -> Enumeration:
    """Return an iterator over the solutions of the model; see ``solutions``. Raises UsageError.

    ``has_over`` states whether the columns in which solutions differ were chosen; else these are all integer
    ones.
    """
    solver, model = solver or MIXED_SOLVER, puzzle.model
    require_mixed(model, solver)
    if method not in ("auto", "partition", "cuts"):
        reason = model.reason_against_problem
        raise UsageError(f"{puzzle.name}: {reason}; its methods are partition and cuts, not {method}")
    method = "partition" if method == "auto" else method
    optimum, goal = None, ANY_VALUE
    if distance != Distance():
        optimum, goal = _near_optimum(puzzle, solver, settings, distance, deadline)
    over = puzzle.over if has_over else model.chosen(None)
    if not over:
        raise UsageError(f"{model.name} has no integer column: solutions are listed by integer columns")
    listing = BoxListing(model, over, solver, settings, goal, best=model.has_objective)
    prepared: Any = MixedPrepared(puzzle)
    if diverse is not None:
        far = DiverseInModel(prepared, deadline, diverse, listing)
        return Enumeration(prepared, KEY, far.method, solver, lambda: far, deadline, optimum=optimum)
    if method == "cuts":
        listing.require_binary("cuts")
    if jobs > 1 and method != "partition":
        raise UsageError(f"several jobs need the method partition, not {method}")
    identity = repr((model.columns, model.rows, model.sense, *distance, over))
    digest = hashlib.sha256(identity.encode()).hexdigest()
    file = solution_file(out, puzzle=puzzle.name, problem=digest, key=KEY, method=method, solver=solver)

    def choose_lister() -> MixedLister:
        deadline.progress.report(f"{puzzle.name}: {solver} lists by {method}")
        listed: Any = listing  # as ``EngineLister`` takes a ``Listing``
        return MixedLister(prepared, deadline, listed, method, jobs, file)

    return Enumeration(
        prepared, KEY, method, solver, choose_lister, deadline, limit=limit, file=file, optimum=optimum
    )


def _near_optimum(
    puzzle: LinearPuzzle, solver: str, settings: Settings, distance: Distance, deadline: Deadline
) -> tuple[Optimum | None, Goal]:
    """Return the optimum and the bounds of the objective.

    Raises UsageError without an objective, and Unfinished if the optimum is not known at the deadline.
    """
    distance.check()
    model = puzzle.model
    if not model.has_objective:
        raise UsageError("a distance from the optimum needs an objective: maximise or minimise something")
    found = solve_mixed(puzzle, solver, settings, deadline)
    if found.status == "infeasible":
        return None, ANY_VALUE
    if found.objective is None or not found.objective.is_optimal:
        raise Unfinished(f"the optimum is not known: {found.summary()}", found.stop)
    best = model.value(found.solution.values_by_position)
    by = distance.least(best)
    if model.cost_unit is None:  # the optimum itself holds within a tolerance
        by += TOLERANCE * magnitude(best)
    return found.objective, Goal(low=best - by) if model.sense == MAXIMISE else Goal(high=best + by)
