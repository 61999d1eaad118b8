"""Pyomo: HiGHS through its persistent interface, or whichever solver Pyomo finds."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, NamedTuple

from milp_pips.answer import Answer, Proof, Settings, Stop
from milp_pips.errors import UsageError
from milp_pips.solvers.highs import typed_options
from milp_pips.solvers.library import FORMULATIONS, LibrarySolver
from milp_pips.solvers.watched import call_watched

if TYPE_CHECKING:
    from milp_pips.problem import Problem
    from milp_pips.solvers.contract import LiveModel
    from milp_pips.watch import Watch

STATUSES = {
    "convergenceCriteriaSatisfied": (Proof.FEASIBLE, Stop.FINISHED),
    "provenInfeasible": (Proof.INFEASIBLE, Stop.FINISHED),
    # All columns are bounded, so "unbounded" is out of the question.
    "infeasibleOrUnbounded": (Proof.INFEASIBLE, Stop.FINISHED),
    "locallyInfeasible": (Proof.NONE, Stop.FINISHED),
    "maxTimeLimit": (Proof.NONE, Stop.TIME),
    "iterationLimit": (Proof.NONE, Stop.COUNT),
    "objectiveLimit": (Proof.NONE, Stop.COUNT),
    "interrupted": (Proof.NONE, Stop.INTERRUPTED),
}
"""Pyomo's TerminationCondition → proof and stop; every condition that is not here is an error."""


class PyomoSolver(LibrarySolver):
    """HiGHS, or another solver, on the model as Pyomo states it."""

    name = "pyomo"
    kind = "mip"
    title = "Pyomo"
    requires = ("pyomo", "highspy")
    distribution = "pyomo"
    features = frozenset({"time limit", "seed", "threads", "options", "cuts"})
    formulations = FORMULATIONS
    isolated = True  # Pyomo redirects standard output while it solves
    variants = "a solver by Pyomo's name, such as gurobi_persistent or scip"

    def __init__(self, variant: str = ""):
        super().__init__(variant)
        if variant and "highs" not in variant and "persistent" not in variant:
            self.features -= {"cuts"}  # Pyomo states the model anew to other solvers

    def solve(self, problem: Problem, settings: Settings, watch: Watch) -> Answer:
        """Solve the 0-1 model; see ``Solver``."""
        from milp_pips.milp import formulate

        engine = persistent_solver(self.variant or "highs", settings)
        begun = time.perf_counter()
        model = formulate(problem, settings.formulation)
        concrete = model.to_pyomo()
        built = time.perf_counter()
        ran = run(engine, concrete, watch)
        point = None
        if ran.has_point:
            point = model.decode([variable.value or 0.0 for variable in column_variables(model, concrete)])
        seconds = {"build": built - begun, "solve": time.perf_counter() - built}
        return Answer(point, ran.proof, ran.stop, model.formulation, ran.message, model.size, {}, seconds)

    def live(self, problem: Problem, key: str, settings: Settings) -> LiveModel:
        """Return the 0-1 model, loaded once; see ``LiveSolver``."""
        from milp_pips.solvers.pyomo_live import PyomoLive

        return PyomoLive(self.variant or "highs", problem, key, settings)


class Ran(NamedTuple):
    """How a solve ended; where ``has_point``, the variables of the Pyomo model have their values."""

    proof: Proof
    stop: Stop
    message: str
    has_point: bool


def run(engine: Any, concrete: Any, watch: Watch) -> Ran:
    """Solve the Pyomo model until the watch says stop, and load the point if there is one."""
    results: list[Any] = []

    def cancel() -> None:
        # Pyomo has no way to say this; the highspy object behind it has, and hears it.
        loaded = getattr(engine, "_solver_model", None)
        if loaded is not None and hasattr(loaded, "cancelSolve"):
            loaded.cancelSolve()

    call_watched(lambda: results.append(engine.solve(concrete, time_limit=watch.remaining)), watch, cancel)
    condition = results[0].termination_condition.name if results else "interrupted"
    proof, stop = STATUSES.get(condition, (Proof.NONE, Stop.ERROR))
    has_point = bool(results) and proof is not Proof.INFEASIBLE
    has_point = has_point and results[0].incumbent_objective is not None
    if has_point:
        results[0].solution_loader.load_vars()
        proof = Proof.FEASIBLE
    if stop is Stop.INTERRUPTED:
        stop = watch.stop or stop
    return Ran(proof, stop, f"Pyomo: {condition}" if stop is Stop.ERROR else "", has_point)


def persistent_solver(name: str, settings: Settings) -> Any:
    """Return Pyomo's solver object, told to leave the judging to us. Raises UsageError."""
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
    if "highs" in name:
        import highspy

        options = typed_options(highspy.Highs(), settings.options)
        engine.config.solver_options = {"random_seed": settings.seed, **options}
        engine.config.threads = settings.threads
    else:
        engine.config.solver_options = dict(settings.options)
    return engine


def column_variables(model: Any, concrete: Any) -> list[Any]:
    """Return the Pyomo variables of the model's columns, in order."""
    from milp_pips.milp.model import numbers_by_label

    found: list[Any] = [None] * model.size["columns"]
    for name, numbers in numbers_by_label(model.columns).items():
        variables = getattr(concrete, name)
        for label, j in numbers.items():
            found[j] = variables[label]
    return found
