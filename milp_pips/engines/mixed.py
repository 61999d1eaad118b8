"""Linear models with continuous columns, or columns without bounds, in HiGHS, Pyomo or SCIP.

``MixedModel`` keeps a model loaded while its bounds change, and checks each solution. What an engine says of
continuous columns holds within its tolerance.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from math import inf
from typing import NamedTuple, Protocol

from milp_pips.engines import highs, pyomo, scip
from milp_pips.engines.execution import WORKER_GRACE, needs_worker
from milp_pips.engines.library import Outcome
from milp_pips.engines.registry import available
from milp_pips.formulations.model import TOLERANCE, Model, exact, limits
from milp_pips.formulations.writing import to_highspy, to_pyomo
from milp_pips.problem import Deadline, EngineFault, Proof, Settings, Stop, UsageError
from milp_pips.problem.objective import MAXIMISE
from milp_pips.runtime.executor import call_in_process
from milp_pips.runtime.interruptible import Limits

MIXED_SOLVER = "highs"
"""The solver of such models if none is named, and that of second opinions."""

SECOND = "HiGHS (presolve off, other seed), within its tolerance"
"""What confirms an answer on such a model: HiGHS with other methods, whatever engine has given it."""

Box = Mapping[int, tuple[int, int]]
"""The least and the greatest value of integer columns; a column without an entry has its own bounds."""

Values = dict[int, "int | Fraction"]
"""The values of columns by position."""

Goal = tuple[float, float] | None
"""The least and the greatest value of the objective, without its constant; None for any."""


def second(settings: Settings) -> Settings:
    """Return the settings for a second opinion: other methods, another seed."""
    return Settings(seed=settings.seed + 1, threads=settings.threads, options={"presolve": "off"})


class MixedAnswer(NamedTuple):
    """What an engine says: ``optimal``, ``feasible``, ``infeasible``, ``unbounded`` or ``unknown``."""

    status: str
    stop: Stop
    values: Values | None = None
    bound: float | None = None
    nodes: int = 0


def solve_mixed_model(
    model: Model,
    solver: str,
    settings: Settings,
    deadline: Deadline,
    *,
    aims: bool = True,
    goal: Goal = None,
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

    def __init__(self, model: Model, solver: str, settings: Settings, goal: Goal = None):
        self.model, self._solver = model, solver
        name, _, variant = solver.partition(":")
        self._loaded = LOADERS[name](model, settings, variant)
        self._bounds = [limits(column) for column in model.columns]
        self._changed = set[int]()
        if goal is not None:
            self.add_row({j: float(c.cost) for j, c in enumerate(model.columns) if c.cost}, *goal)

    def add_row(self, terms: Mapping[int, float], low: float, high: float) -> None:
        """Add the row ``low <= Σ coefficient · column <= high``."""
        self._loaded.row(terms, low, high)

    def solve(self, box: Box, deadline: Deadline, *, aims: bool) -> MixedAnswer:
        """Return what the engine says of the model within the box.

        ``aims`` states whether it optimises the objective; else it searches for any solution. Raises
        EngineFault for a solution that breaks a row.
        """
        changed = self._changed | box.keys()
        self._loaded.restrict({j: box.get(j, self._bounds[j]) for j in changed})
        self._changed = set(box)
        self._loaded.optimise(is_wanted=aims)
        status, outcome = self._loaded.answer(deadline)
        nodes = outcome.statistics.get("nodes", 0)
        if status in UNBOUNDED and aims:
            again = self.solve(box, deadline, aims=False)
            return again if again.values is None else MixedAnswer("unbounded", Stop.FINISHED)
        if outcome.proof is Proof.INFEASIBLE:
            return MixedAnswer("infeasible", Stop.FINISHED, nodes=nodes)
        if outcome.x is None:
            if outcome.stop is Stop.ERROR and not deadline.stop:
                raise EngineFault(f"{self._solver} failed: {outcome.message}")
            return MixedAnswer("unknown", outcome.stop, bound=outcome.bound, nodes=nodes)
        finished = "optimal" if outcome.stop is Stop.FINISHED else "feasible"
        return MixedAnswer(finished, outcome.stop, self._exact(outcome.x), outcome.bound, nodes)

    def _exact(self, x: Sequence[float]) -> Values:
        """Return the values with whole numbers in integer columns. Raises EngineFault if they break a row."""
        pairs = zip(self.model.columns, x, strict=True)
        values: Values = {j: round(a) if column.integer else exact(a) for j, (column, a) in enumerate(pairs)}
        if broken := self.model.violated(values, TOLERANCE):
            raise EngineFault(f"{self._solver} gave a solution of {self.model.name} that breaks {broken}")
        return values


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
        highs.set_options(self._highs, settings)
        self._presolve = settings.options.get("presolve", "choose")
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
