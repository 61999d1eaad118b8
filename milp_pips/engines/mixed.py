"""Linear models with continuous columns, or columns without bounds, in HiGHS, Pyomo or SCIP.

``MixedModel`` keeps a model loaded while its bounds change. It judges each point in whole numbers and
fractions, with the integer columns rounded, and searches on beside a point that misses a row. What an engine
says of continuous columns holds within its tolerance.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from math import ceil, floor, inf
from typing import NamedTuple, Protocol

from milp_pips.engines import highs, pyomo, scip
from milp_pips.engines.execution import WORKER_GRACE, needs_worker
from milp_pips.engines.library import Outcome
from milp_pips.engines.registry import available
from milp_pips.formulations.model import TOLERANCE, Miss, Model, Number, exact, limits, magnitude, size
from milp_pips.formulations.scaling import reach_of, scaled_for_engines
from milp_pips.formulations.writing import to_highspy, to_pyomo
from milp_pips.problem import Deadline, EngineFault, Proof, Settings, Stop, UsageError
from milp_pips.problem.objective import MAXIMISE
from milp_pips.problem.stopping import SubDeadline
from milp_pips.runtime.executor import call_in_process
from milp_pips.runtime.interruptible import Limits

MIXED_SOLVER = "highs"
"""The solver of such models if none is named, and that of second opinions."""

SECOND = "HiGHS (presolve off, other seed), within its tolerance"
"""What confirms an answer on such a model: HiGHS with other methods, whatever engine has given it."""

Box = Mapping[int, tuple[float, float]]
"""The least and the greatest value of integer columns; a column without an entry has its own bounds."""

Values = dict[int, Number]
"""The values of columns by position."""

MOST_MISSES = 200
"""The most points that miss a row and are excluded, in one search, before floating point counts as too coarse
for the model. A big M of 1e6 takes one, two equations in integers of twelve digits take tens."""


class Goal(NamedTuple):
    """The least and the greatest value of the objective, with its constant; None for no such bound."""

    low: Number | None = None
    high: Number | None = None

    def miss(self, value: Number) -> Number:
        """Return by how much a value of the objective misses the bounds; 0 if it lies within."""
        if self.low is not None and value < self.low:
            return self.low - value
        return value - self.high if self.high is not None and value > self.high else 0


def second(settings: Settings) -> Settings:
    """Return the settings for a second opinion: other methods, another seed."""
    return Settings(seed=settings.seed + 1, threads=settings.threads, options={"presolve": "off"})


ANY_VALUE = Goal()

MISSED_FACTOR, MISSED_SECONDS = 10.0, 10.0
"""How long a search without a time limit goes on after a point has missed a row: a factor of the time before,
and least seconds."""

WIDER = Fraction(1, 10**9)
"""By how much the row of a goal is wider than the goal, relative to it: for rounding in floating point."""


class MixedAnswer(NamedTuple):
    """What an engine says: ``optimal``, ``feasible``, ``infeasible``, ``unbounded`` or ``unknown``.

    ``miss`` is what the first point that was excluded misses, such as ``row need is missed by 3e-17``.
    """

    status: str
    stop: Stop
    values: Values | None = None
    bound: float | None = None
    nodes: int = 0
    miss: str = ""


def solve_mixed_model(
    model: Model,
    solver: str,
    settings: Settings,
    deadline: Deadline,
    *,
    aims: bool = True,
    goal: Goal = ANY_VALUE,
) -> MixedAnswer:
    """Return what an engine says of a model, here or in a worker; ``aims`` as for ``MixedModel.solve``.

    Raises UsageError for a solver that takes no such models, or an option that it does not have, and
    EngineFault.
    """
    require_mixed(model, solver)
    if not needs_worker(available(solver), settings):
        return _solve(model, solver, settings, aims, goal, deadline)
    own = settings.changed(isolate=False)  # the worker needs no further process
    within = Limits(deadline, memory=settings.memory, grace=WORKER_GRACE)
    outcome = call_in_process(_solve, (model, solver, own, aims, goal), within)
    if outcome.fault:
        raise EngineFault(f"{solver} failed: {outcome.fault}")
    return outcome.value or MixedAnswer("unknown", outcome.stop or Stop.ERROR)


def _solve(
    model: Model, solver: str, settings: Settings, aims: bool, goal: Goal, deadline: Deadline
) -> MixedAnswer:
    return MixedModel(model, solver, settings, goal).solve({}, deadline, aims=aims)


class MixedModel:
    """A linear model in an engine, where it stays loaded while bounds change.

    Parameters
    ----------
    model
        The model.
    solver, settings
        One of ``LOADERS``; threads, seed and options of the engine.
    goal
        The bounds of the objective.
    """

    def __init__(self, model: Model, solver: str, settings: Settings, goal: Goal = ANY_VALUE):
        self.model, self._solver, self._goal = model, solver, goal
        name, _, variant = solver.partition(":")
        scaled, self._factor = scaled_for_engines(model)
        self._loaded = LOADERS[name](scaled, settings, variant)
        self._bounds = [limits(column) for column in model.columns]
        self._changed = set[int]()
        if goal != ANY_VALUE:
            self._add_goal(scaled)

    def _add_goal(self, scaled: Model) -> None:
        """Add the row of the goal, a hair wider: points that it lets pass are judged exactly."""
        low, high = (None if end is None else self._factor * end - scaled.constant for end in self._goal)
        hair = WIDER * max([magnitude(end) for end in (low, high) if end is not None], key=Fraction)
        terms = {j: float(column.cost) for j, column in enumerate(scaled.columns) if column.cost}
        self.add_row(
            terms, -inf if low is None else float(low - hair), inf if high is None else float(high + hair)
        )

    def add_row(self, terms: Mapping[int, float], low: float, high: float) -> None:
        """Add the row ``low <= Σ coefficient · column <= high``."""
        self._loaded.row(terms, low, high)

    def solve(self, box: Box, deadline: Deadline, *, aims: bool) -> MixedAnswer:
        """Return what the engine says of the model within the box, with an exactly judged point.

        ``aims`` states whether it optimises the objective; else it searches for any solution.
        """
        waiting, best, bound, nodes, missed, undecided = [dict(box)], None, None, 0, "", False
        # Invariant: a solution of the box lies in a waiting box, or is no better than the best one, unless
        # the search is undecided.
        for step in range(MOST_MISSES):
            if not waiting:
                break
            here = waiting.pop()
            answer = self._run(here, deadline, aims=aims)
            nodes += answer.nodes
            bound = bound if step else answer.bound
            if answer.status == "infeasible":
                continue
            if answer.values is None:
                return answer._replace(values=best, bound=bound, nodes=nodes, miss=missed)
            point, miss = self._judged(answer.values)
            if miss:
                missed = missed or str(miss)
                if deadline.expires is None:  # what is too fine for the engine must not take for ever
                    deadline = SubDeadline(deadline, max(MISSED_FACTOR * deadline.spent, MISSED_SECONDS))
                beside = list(self._branches(here, answer.values))
                if not beside:  # all is whole: without this point, or with other continuous columns
                    beside = list(self._beside(here, point))
                    if not miss.is_certain:
                        point, miss, is_decided = self._refitted(point, deadline, aims=aims)
                        undecided = undecided or not is_decided
                waiting += beside
            if point and not miss:
                best = point if best is None or self._is_better(point, best) else best
                if not aims or answer.status != "optimal":
                    return answer._replace(values=best, bound=bound, nodes=nodes, miss=missed)
        if waiting or undecided:
            return MixedAnswer("unknown", Stop.COUNT, best, bound, nodes, missed)
        return MixedAnswer(
            "infeasible" if best is None else "optimal", Stop.FINISHED, best, bound, nodes, missed
        )

    def _run(self, box: Box, deadline: Deadline, *, aims: bool) -> MixedAnswer:
        """Return what the engine says of the box; the values are those of the engine, in floating point."""
        changed = self._changed | box.keys()
        self._loaded.restrict({j: box.get(j, self._bounds[j]) for j in changed})
        self._changed = set(box)
        self._loaded.optimise(is_wanted=aims)
        status, outcome = self._loaded.answer(deadline)
        nodes = outcome.statistics.get("nodes", 0)
        if status in UNBOUNDED and aims:
            again = self._run(box, deadline, aims=False)
            return again if again.values is None else MixedAnswer("unbounded", Stop.FINISHED)
        if outcome.proof is Proof.INFEASIBLE:
            return MixedAnswer("infeasible", Stop.FINISHED, nodes=nodes)
        bound = None if outcome.bound is None else float(outcome.bound / self._factor)
        if outcome.x is None:
            if outcome.stop is Stop.ERROR and not deadline.stop:
                raise EngineFault(f"{self._solver} failed: {outcome.message}")
            return MixedAnswer("unknown", outcome.stop, bound=bound, nodes=nodes)
        finished = "optimal" if outcome.stop is Stop.FINISHED else "feasible"
        values: Values = dict(enumerate(map(exact, outcome.x)))
        for j, (low, high) in box.items():  # great numbers miss a bound by a relative tolerance, so by tens
            values[j] = int(low) if values[j] < low else int(high) if values[j] > high else values[j]
        return MixedAnswer(finished, outcome.stop, values, bound, nodes)

    def _judged(self, values: Values) -> tuple[Values, Miss | None]:
        """Return the values with integer columns rounded, and what they miss."""
        rounded: Values = {
            j: round(value) if self.model.columns[j].integer else value for j, value in values.items()
        }
        if miss := next(self.model.misses(rounded), None):
            return rounded, miss
        if self._goal != ANY_VALUE:
            value = self.model.value(rounded)
            exactly = self.model.cost_unit is not None
            by = self._goal.miss(value)
            if by > (0 if exactly else TOLERANCE * magnitude(value)):
                return rounded, Miss("the bound of the objective is", by, exactly)
        return rounded, None

    def _is_better(self, point: Values, than: Values) -> bool:
        sign = -1 if self.model.sense == MAXIMISE else 1
        return sign * self.model.value(point) < sign * self.model.value(than)

    def _branches(self, box: Box, values: Values) -> Iterator[dict[int, tuple[float, float]]]:
        """Yield two boxes beside the value that is farthest from a whole number; none if all are whole.

        The box of the nearer whole number is the last one, which is searched first.
        """
        far = {j: float(size(a - round(a))) for j, a in values.items() if self.model.columns[j].integer}
        j = max(far, key=lambda j: far[j], default=None)
        if j is None or not far[j]:
            return
        low, high = box.get(j, self._bounds[j])
        sides = [(low, floor(values[j])), (ceil(values[j]), high)]
        for side in sides if round(values[j]) > values[j] else reversed(sides):
            if side[0] <= side[1]:
                yield {**box, j: side}

    def _refitted(self, point: Values, deadline: Deadline, *, aims: bool) -> tuple[Values, Miss | None, bool]:
        """Return a point with the same integer columns, what it misses, and whether the engine decides that.

        The point is empty if the engine finds none.
        """
        columns = self.model.columns
        fixed = {j: (int(value),) * 2 for j, value in point.items() if columns[j].integer}
        answer = self._run(fixed, deadline, aims=aims)
        if answer.values is None:
            return {}, None, answer.status == "infeasible"
        values, miss = self._judged(answer.values)
        return values, miss, miss is None

    def _beside(self, box: Box, point: Values) -> Iterator[dict[int, tuple[float, float]]]:
        """Yield disjoint boxes of integer columns that contain all points of a box but one."""
        kept = dict(box)
        for j, column in enumerate(self.model.columns):
            if not column.integer:
                continue
            low, high = kept.get(j, self._bounds[j])
            value = int(point[j])
            for side in ((low, value - 1), (value + 1, high)):
                if side[0] <= side[1]:
                    yield {**kept, j: side}
            kept[j] = (value, value)


# The engines.

UNBOUNDED = ("kUnbounded", "kUnboundedOrInfeasible", "unbounded", "inforunbd", "infeasibleOrUnbounded")
"""The statuses by which engines say that the objective is unbounded, or that there may be no solution."""


class Loaded(Protocol):
    """A linear model that is loaded into an engine."""

    def restrict(self, columns: Mapping[int, tuple[float, float]]) -> None:
        """Set the bounds of columns."""

    def row(self, terms: Mapping[int, float], low: float, high: float) -> None:
        """Add a row."""

    def optimise(self, *, is_wanted: bool) -> None:
        """Optimise the objective, or search for any solution."""

    def answer(self, deadline: Deadline) -> tuple[str, Outcome]:
        """Return the engine's status and its outcome."""


class LinearHighs:
    """A linear model in HiGHS; see ``Loaded``."""

    def __init__(self, model: Model, settings: Settings, _variant: str):
        import numpy as np

        self._highs = to_highspy(model)
        for name in ("mip_rel_gap", "mip_abs_gap"):
            self._highs.setOptionValue(name, 0.0)
        if _greatest_term(model) > GREAT_TERM:
            self._highs.setOptionValue("presolve", "off")
        highs.set_options(self._highs, settings)
        self._presolve = self._highs.getOptionValue("presolve")[1]
        self._columns = np.arange(len(model.columns), dtype=np.int32)
        self._costs = np.array([float(column.cost) for column in model.columns])

    def restrict(self, columns: Mapping[int, tuple[float, float]]) -> None:
        for j, (low, high) in columns.items():
            self._highs.changeColBounds(j, float(low), float(high))

    def row(self, terms: Mapping[int, float], low: float, high: float) -> None:
        self._highs.addRow(low, high, len(terms), list(terms), list(terms.values()))

    def optimise(self, *, is_wanted: bool) -> None:
        self._highs.changeColsCost(len(self._columns), self._columns, is_wanted * self._costs)

    def answer(self, deadline: Deadline) -> tuple[str, Outcome]:
        outcome = highs.run(self._highs, deadline)
        status = self._highs.getModelStatus().name
        if outcome.stop is Stop.ERROR and status not in UNBOUNDED:
            # Seen with presolve only: "solve error" on an infeasible model.
            self._highs.setOptionValue("presolve", "off")
            outcome = highs.run(self._highs, deadline)
            self._highs.setOptionValue("presolve", self._presolve)
        return self._highs.getModelStatus().name, outcome


GREAT_TERM = 10**9
"""The greatest term of a row, at the bounds of its column, with which HiGHS presolves. Beyond, its presolve
has called two equations in integers of twelve digits infeasible (HiGHS 1.13.1; ERGO-Code/HiGHS#2084)."""


def _greatest_term(model: Model) -> float:
    reach = reach_of(model)
    return max((float(size(a)) * reach[j] for row in model.rows for j, a in row.terms.items()), default=0)


INFINITE = 1e30
"""A bound that engines take for none."""


class LinearPyomo(pyomo.LoadedPyomo):
    """A linear model in Pyomo; see ``Loaded``. A persistent engine keeps it loaded."""

    def __init__(self, model: Model, settings: Settings, variant: str):
        import pyomo.environ as pyo

        self._concrete = concrete = to_pyomo(model)
        self._variables = [concrete.x[column.name] for column in model.columns]
        concrete.nothing = pyo.Objective(expr=0.0)
        concrete.nothing.deactivate()
        self._start(variant or "highs", settings)
        # Pyomo forgets variables that are in no row and no objective, and does not know a model without rows.
        self._add((None, sum(self._variables), INFINITE))

    def restrict(self, columns: Mapping[int, tuple[float, float]]) -> None:
        for j, (low, high) in columns.items():
            self._variables[j].setlb(low)
            self._variables[j].setub(high)
        if columns and self.is_live:
            self._engine.update_variables([self._variables[j] for j in columns])

    def row(self, terms: Mapping[int, float], low: float, high: float) -> None:
        total = sum(a * self._variables[j] for j, a in terms.items())
        self._add((None if low == -inf else low, total, None if high == inf else high))

    def optimise(self, *, is_wanted: bool) -> None:
        wanted, other = self._concrete.aim, self._concrete.nothing
        if not is_wanted:
            wanted, other = other, wanted
        if not wanted.active:
            other.deactivate()
            wanted.activate()
            if self.is_live:
                self._engine.set_objective(wanted)

    def answer(self, deadline: Deadline) -> tuple[str, Outcome]:
        outcome = self.run(deadline)
        return self.condition, outcome


class LinearScip(scip.LoadedScip):
    """A linear model in SCIP; see ``Loaded``."""

    def __init__(self, model: Model, settings: Settings, _variant: str):
        self._start(settings)
        for column in model.columns:
            low, high = (None if abs(end) == inf else end for end in limits(column))
            kind = "I" if column.integer else "C"
            self.x.append(self.scip.addVar(vtype=kind, lb=low, ub=high))
        for row in model.rows:
            if (row.low, row.high) != (None, None):
                self.row({j: float(a) for j, a in row.terms.items()}, *limits(row))
        self._costs = [float(column.cost) for column in model.columns]
        self._sense = "maximize" if model.sense == MAXIMISE else "minimize"

    def restrict(self, columns: Mapping[int, tuple[float, float]]) -> None:
        self.scip.freeTransform()
        infinity = self.scip.infinity()
        for j, (low, high) in columns.items():
            self.scip.chgVarLb(self.x[j], max(low, -infinity))
            self.scip.chgVarUb(self.x[j], min(high, infinity))

    def row(self, terms: Mapping[int, float], low: float, high: float) -> None:
        self.scip.freeTransform()
        self._add_row(list(terms), list(terms.values()), low, high)

    def optimise(self, *, is_wanted: bool) -> None:
        self.scip.freeTransform()
        self.aim([is_wanted * cost for cost in self._costs], self._sense)

    def answer(self, deadline: Deadline) -> tuple[str, Outcome]:
        outcome = self.run(deadline)
        return self.scip.getStatus(), outcome


LOADERS: dict[str, Callable[[Model, Settings, str], Loaded]] = {
    "highs": LinearHighs,
    "pyomo": LinearPyomo,
    "scip": LinearScip,
}
"""The engines that take such models, and what loads a model into each."""


def require_mixed(model: Model, solver: str) -> None:
    """Raise UsageError unless the solver takes a model that is no ``Problem``, and can run here."""
    if solver.partition(":")[0] not in LOADERS:
        able = ", ".join(LOADERS)
        reason = model.reason_against_problem
        raise UsageError(f"{model.name}: {reason}; {solver} does not take it, these do: {able}")
    available(solver)
