"""The MIP engines in OR-Tools (Perron and Furnon), through its ``model_builder``, on the 0-1 model."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from milp_pips.engines.library import MipSolver
from milp_pips.formulations.model import Model
from milp_pips.problem import Answer, Deadline, Proof, Settings, Stop, UsageError
from milp_pips.runtime.interruptible import call_interruptibly

ENGINES = {"scip": "scip", "highs": "highs", "sat": "cp-sat"}
"""Variants: the engine's name in OR-Tools → the engine on which a proof rests."""

STATUSES = {
    "OPTIMAL": (Proof.FEASIBLE, Stop.FINISHED),
    "FEASIBLE": (Proof.FEASIBLE, Stop.TIME),
    "INFEASIBLE": (Proof.INFEASIBLE, Stop.FINISHED),
    "NOT_SOLVED": (Proof.NONE, Stop.TIME),
    "CANCELLED_BY_USER": (Proof.NONE, Stop.TIME),
    "UNKNOWN_STATUS": (Proof.NONE, Stop.TIME),
}
"""SolveStatus → proof and stop; any other status is an error of the engine."""


class OrToolsMipSolver(MipSolver):
    """SCIP, HiGHS or CP-SAT as OR-Tools ships them: ``ortools-mip``, ``ortools-mip:highs``."""

    name = "ortools-mip"
    title = "OR-Tools model_builder"
    requires = ("ortools",)
    distribution = "ortools"
    features = frozenset({"time limit", "cuts"})
    variants = "an engine by OR-Tools' name: scip, highs or sat"

    def __init__(self, variant: str = ""):
        super().__init__(variant)
        self.engine = variant or "scip"
        self.proof_family = ENGINES.get(self.engine, self.engine)

    def known_variants(self) -> Sequence[str]:
        return tuple(ENGINES)

    def load(self, model: Model, settings: Settings, deadline: Deadline) -> "LoadedModel":  # noqa: ARG002
        if settings.options:
            raise UsageError(f"{self.name} takes no options: {', '.join(settings.options)}")
        return LoadedModel(self.engine, model)


class LoadedModel:
    """A 0-1 model in OR-Tools, to which rows are added and whose bounds are changed between runs."""

    def __init__(self, engine: str, model: Model):
        from ortools.linear_solver.python import model_builder

        self._new_solver: Callable[[], Any] = partial(model_builder.Solver, engine)
        if not self._new_solver().solver_is_supported():
            raise UsageError(f"OR-Tools has no engine {engine!r} here; known: {', '.join(ENGINES)}")
        self._expression: Any = model_builder.LinearExpr.weighted_sum
        self._model = model_builder.Model()
        self._columns = [self._model.new_bool_var(name) for name in model.column_names()]
        arrays = model.arrays
        for row, (lower, upper) in enumerate(zip(arrays.row_lower, arrays.row_upper, strict=True)):
            columns, values = arrays.row(row)
            sum_of_row = self._expression([self._columns[j] for j in columns], values.tolist())
            self._model.add_linear_constraint(sum_of_row, lower, upper)

    def run(self, deadline: Deadline) -> Answer:
        solver = self._new_solver()  # one that has been stopped or has run before may stop at once
        if deadline.remaining is not None:
            solver.set_time_limit_in_seconds(deadline.remaining)
        statuses: list[Any] = []
        call_interruptibly(lambda: statuses.append(solver.solve(self._model)), deadline, solver.stop_search)
        if not statuses:
            return Answer(None, Proof.NONE, deadline.stop or Stop.INTERRUPTED)
        proof, stop = STATUSES.get(statuses[0].name, (Proof.NONE, Stop.ERROR))
        if stop is Stop.TIME:
            stop = deadline.stop or Stop.TIME
        message = "" if stop is not Stop.ERROR else f"OR-Tools status {statuses[0].name}"
        x = [solver.value(column) for column in self._columns] if proof is Proof.FEASIBLE else None
        return Answer(x, proof, stop, message)

    def bound(self, columns: Sequence[int], lower: float, upper: float) -> None:
        for j in columns:
            self._columns[j].lower_bound, self._columns[j].upper_bound = lower, upper

    def add_row(self, columns: Sequence[int], coefficients: Sequence[float], low: float, high: float) -> None:
        row = self._expression([self._columns[j] for j in columns], list(coefficients))
        self._model.add_linear_constraint(row, low, high)
