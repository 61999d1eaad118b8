"""The modelling library Pyomo, with HiGHS through its persistent interface or any solver that Pyomo finds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import inf
from typing import TYPE_CHECKING, Any

from milp_pips.engines.highs import HighsSolver, require_options
from milp_pips.engines.library import MipSolver, answer_of
from milp_pips.problem import Answer, Deadline, Proof, Settings, Stop, UsageError
from milp_pips.runtime.interruptible import call_interruptibly

if TYPE_CHECKING:
    from milp_pips.formulations.model import Model

STATUSES = {
    "convergenceCriteriaSatisfied": (Proof.FEASIBLE, Stop.FINISHED),
    "provenInfeasible": (Proof.INFEASIBLE, Stop.FINISHED),
    # If all columns are bounded, "unbounded" is impossible.
    "infeasibleOrUnbounded": (Proof.INFEASIBLE, Stop.FINISHED),
    "locallyInfeasible": (Proof.NONE, Stop.FINISHED),
    "maxTimeLimit": (Proof.NONE, Stop.TIME),
    "iterationLimit": (Proof.NONE, Stop.COUNT),
    "objectiveLimit": (Proof.NONE, Stop.COUNT),
    "interrupted": (Proof.NONE, Stop.INTERRUPTED),
}
"""Pyomo's TerminationCondition → proof and stop; every condition that is not listed is an error."""

WITHOUT_BOUNDS = dict.fromkeys(("unbounded", "infeasibleOrUnbounded"), (Proof.NONE, Stop.FINISHED))
"""The meaning of these for a model with columns that have no bounds: nothing is known."""


PYOMO_SOLVERS = """
    gams gurobi_direct gurobi_direct_minlp gurobi_persistent highs ipopt knitro_direct scip_direct
    scip_persistent
"""
"""Pyomo's names of its solvers, as its ``SolverFactory`` lists them."""


class PyomoSolver(MipSolver):
    """HiGHS, or another solver, on Pyomo's version of the 0-1 model."""

    name = "pyomo"
    title = "Pyomo"
    requires = ("pyomo", "highspy")
    distribution = "pyomo"
    features = frozenset({"time limit", "seed", "threads", "options", "cuts", "objective", "models"})
    clashes = HighsSolver.clashes
    isolated = True  # Pyomo redirects standard output while it solves
    variants = "a solver by Pyomo's name, such as gurobi_persistent or scip_direct"

    def __init__(self, variant: str = ""):
        super().__init__(variant)
        self._engine = variant or "highs"
        self.proof_family = self._engine.partition("_")[0]  # as in gurobi_persistent
        if "highs" not in self._engine and "persistent" not in self._engine:
            self.features -= {"cuts"}  # for other solvers, Pyomo restates the model in every call

    def known_variants(self) -> Iterable[str]:
        """Return Pyomo's names of its solvers."""
        return PYOMO_SOLVERS.split()

    def load(self, model: Model, settings: Settings, deadline: Deadline) -> LoadedPyomo:  # noqa: ARG002
        """Return the model loaded into Pyomo; see ``MipSolver``."""
        return LoadedPyomo(self._engine, model, settings)


class LoadedPyomo:
    """A linear model in Pyomo; see ``contract.Loaded``.

    If ``is_live``, it stays loaded in the engine, and changes are passed on one by one.
    """

    def __init__(self, name: str, model: Model, settings: Settings):
        from pyomo.environ import ConstraintList

        from milp_pips.formulations.writing import pyomo_variables, to_pyomo

        model, _ = model.for_engines
        self._is_bounded = all(None not in (column.low, column.high) for column in model.columns)
        self._concrete = to_pyomo(model)
        self._variables = pyomo_variables(model, self._concrete)
        self._aim = getattr(self._concrete, model.objective_name)
        self._sense = self._aim.sense
        self._engine = pyomo_engine(name, settings)
        self._concrete.cuts = ConstraintList()
        # Pyomo forgets variables that are in no row and no objective, and does not know a model without rows.
        self._concrete.cuts.add((None, sum(self._variables), INFINITE))
        self.is_live = self._engine.is_persistent()
        if self.is_live:
            self._engine.set_instance(self._concrete)
            updates = self._engine.config.auto_updates
            for switch in updates:  # looking for changes would cost more than solving
                updates[switch] = False

    def run(self, deadline: Deadline) -> Answer:
        results: list[Any] = []

        def work() -> None:
            results.append(self._engine.solve(self._concrete, time_limit=deadline.remaining))

        def cancel() -> None:
            # Pyomo cannot interrupt a solve, but its highspy object can.
            loaded = getattr(self._engine, "_solver_model", None)
            if loaded is not None and hasattr(loaded, "cancelSolve"):
                loaded.cancelSolve()

        call_interruptibly(work, deadline, cancel)
        condition = results[0].termination_condition.name if results else "interrupted"
        if condition == "unknown" and deadline.stop:  # HiGHS's status of an interrupted solve
            condition = "interrupted"

        def vector() -> list[float] | None:
            if not results or condition in WITHOUT_BOUNDS or results[0].incumbent_objective is None:
                return None
            results[0].solution_loader.load_vars()
            return [float(variable.value or 0.0) for variable in self._variables]

        bound = results[0].objective_bound if results else None
        statuses = STATUSES if self._is_bounded else STATUSES | WITHOUT_BOUNDS
        return answer_of(statuses, condition, deadline, vector, f"Pyomo: {condition}", bound=bound)

    def bound(self, columns: Sequence[int], lower: float, upper: float) -> None:
        variables = [self._variables[j] for j in columns]
        for variable in variables:
            variable.setlb(lower)
            variable.setub(upper)
        if variables and self.is_live:
            self._engine.update_variables(variables)

    def add_row(self, columns: Sequence[int], coefficients: Sequence[float], low: float, high: float) -> None:
        total: Any = sum(a * self._variables[j] for j, a in zip(columns, coefficients, strict=True))
        added = self._concrete.cuts.add((None if low == -inf else low, total, None if high == inf else high))
        if self.is_live:
            self._engine.add_constraints([added])

    def set_costs(self, costs: Sequence[float] | None) -> None:
        from pyomo.environ import Objective

        terms = zip(costs or (), self._variables, strict=False)
        self._concrete.del_component(self._aim)
        self._aim = Objective(expr=sum((a * x for a, x in terms if a), 0.0), sense=self._sense)
        self._concrete.aim_of_run = self._aim
        if self.is_live:
            self._engine.set_objective(self._aim)


INFINITE = 1e30
"""A bound that engines take for none."""


def pyomo_engine(name: str, settings: Settings) -> Any:
    """Return Pyomo's solver object, set to return its status instead of raising errors. Raises UsageError."""
    import pyomo.environ  # noqa: F401  (registers the solvers)
    from pyomo.contrib.solver.common.factory import SolverFactory

    known = list(SolverFactory)
    if name not in known:
        raise UsageError(f"Pyomo knows no solver {name!r}; it knows: {', '.join(sorted(known))}")
    engine = SolverFactory(name)
    if not engine.available():
        raise UsageError(f"Pyomo finds no {name} here")
    engine.config.load_solutions = False
    engine.config.raise_exception_on_nonoptimal_result = False
    engine.config.rel_gap = 0.0  # else "optimal" means nearly so
    if "highs" in name:
        require_options(settings.options)  # Pyomo ignores that HiGHS refuses one
        engine.config.solver_options = {"random_seed": settings.seed, **settings.options}
        engine.config.threads = settings.threads
    else:
        engine.config.solver_options = dict(settings.options)
    return engine
