"""The modelling library Pyomo, with HiGHS through its persistent interface or any solver that Pyomo finds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from milp_pips.engines.highs import HighsSolver, require_options
from milp_pips.engines.library import outcome_of
from milp_pips.engines.mip import MipOutcome, MipSolver
from milp_pips.problem import Deadline, Proof, Settings, Stop, UsageError
from milp_pips.runtime.interruptible import call_interruptibly

if TYPE_CHECKING:
    from milp_pips.formulations.milp.model import Model

STATUSES = {
    "convergenceCriteriaSatisfied": (Proof.FEASIBLE, Stop.FINISHED),
    "provenInfeasible": (Proof.INFEASIBLE, Stop.FINISHED),
    # All columns are bounded, so "unbounded" is impossible.
    "infeasibleOrUnbounded": (Proof.INFEASIBLE, Stop.FINISHED),
    "locallyInfeasible": (Proof.NONE, Stop.FINISHED),
    "maxTimeLimit": (Proof.NONE, Stop.TIME),
    "iterationLimit": (Proof.NONE, Stop.COUNT),
    "objectiveLimit": (Proof.NONE, Stop.COUNT),
    "interrupted": (Proof.NONE, Stop.INTERRUPTED),
}
"""Pyomo's TerminationCondition → proof and stop; every condition that is not listed is an error."""


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
    features = frozenset({"time limit", "seed", "threads", "options", "cuts", "objective"})
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
    """A 0-1 model in Pyomo; see ``Changeable``.

    If ``is_live``, it stays loaded in the engine, and changes are passed on one by one.
    """

    def __init__(self, name: str, model: Model, settings: Settings):
        self._concrete = model.to_pyomo()
        self._variables = column_variables(model, self._concrete)
        self._start(name, settings)

    def _start(self, name: str, settings: Settings) -> None:
        from pyomo.environ import ConstraintList

        self._engine, self.condition = pyomo_engine(name, settings), ""
        self._concrete.cuts = ConstraintList()
        self.is_live = self._engine.is_persistent()
        if self.is_live:
            self._engine.set_instance(self._concrete)
            updates = self._engine.config.auto_updates
            for switch in updates:  # looking for changes would cost more than solving
                updates[switch] = False

    def run(self, deadline: Deadline) -> MipOutcome:
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
        self.condition = condition

        def vector() -> list[float] | None:
            if not results or results[0].incumbent_objective is None:
                return None
            results[0].solution_loader.load_vars()
            return [float(variable.value or 0.0) for variable in self._variables]

        bound = results[0].objective_bound if results else None
        return outcome_of(STATUSES, condition, deadline, vector, f"Pyomo: {condition}", bound=bound)

    def bound(self, columns: Sequence[int], lower: int, upper: int) -> None:
        variables = [self._variables[j] for j in columns]
        for variable in variables:
            variable.setlb(lower)
            variable.setub(upper)
        if variables:
            self._engine.update_variables(variables)

    def cut(self, columns: Sequence[int], most: int) -> None:
        total: Any = sum(self._variables[j] for j in columns)
        self._add(total <= most)

    def _add(self, row: Any) -> None:
        added = self._concrete.cuts.add(row)
        if self.is_live:
            self._engine.add_constraints([added])


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


def column_variables(model: Model, concrete: Any) -> list[Any]:
    """Return the Pyomo variables of the model's columns, in order."""
    from milp_pips.formulations.milp.model import numbers_by_label

    found: list[Any] = [None] * model.size["columns"]
    for name, numbers in numbers_by_label(model.columns).items():
        variables = getattr(concrete, name)
        for label, j in numbers.items():
            found[j] = variables[label]
    return found
