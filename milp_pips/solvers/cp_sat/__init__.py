"""CP-SAT of OR-Tools, in our own statement and in three published ones."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from milp_pips.answer import Answer, Proof, Settings, Stop
from milp_pips.errors import UsageError
from milp_pips.presolve import equality, pruning
from milp_pips.solvers.library import LibrarySolver, literal
from milp_pips.solvers.watched import call_watched

if TYPE_CHECKING:
    from milp_pips.problem import Problem
    from milp_pips.solvers.contract import Points
    from milp_pips.solvers.cp_sat.native import NativeModel
    from milp_pips.watch import Watch

STATUSES = {
    "OPTIMAL": (Proof.FEASIBLE, Stop.FINISHED),
    "FEASIBLE": (Proof.FEASIBLE, Stop.FINISHED),
    "INFEASIBLE": (Proof.INFEASIBLE, Stop.FINISHED),
    "UNKNOWN": (Proof.NONE, Stop.COUNT),
}
"""CP-SAT's status → proof and stop; MODEL_INVALID is an error, UNKNOWN a limit."""


class CpSatSolver(LibrarySolver):
    """CP-SAT: clause learning, propagation and a linear relaxation on the constraints as they are."""

    name = "cp-sat"
    kind = "cp"
    title = "CP-SAT"
    requires = ("ortools",)
    distribution = "ortools"
    features = frozenset({"time limit", "seed", "threads", "options", "enumeration"})
    formulations = ("native", "baseline", "equality", "pruning")

    def solve(self, problem: Problem, settings: Settings, watch: Watch) -> Answer:
        """Solve the problem; see ``Solver``."""
        begun = time.perf_counter()
        strategy = _strategy(settings.formulation)
        solver = _solver(settings)
        stated: list[NativeModel] = []
        status, built = "UNKNOWN", begun

        def work() -> None:
            nonlocal status, built
            stated.append(STRATEGIES[strategy](problem))
            built = time.perf_counter()
            if watch.remaining is not None:
                solver.parameters.max_time_in_seconds = watch.remaining
            status = solver.status_name(solver.solve(stated[0].model))

        # Stating the notebook's model of a large puzzle takes long, too, so all of it is watched.
        if not call_watched(work, watch, solver.stop_search):
            return Answer(None, Proof.NONE, watch.stop or Stop.INTERRUPTED, strategy)
        proof, stop = STATUSES.get(status, (Proof.NONE, Stop.ERROR))
        if status == "UNKNOWN":
            stop = watch.stop or stop
        return Answer(
            stated[0].decode(solver.value) if proof is Proof.FEASIBLE else None,
            proof,
            stop,
            strategy,
            f"CP-SAT: {status}: {stated[0].model.validate()}" if stop is Stop.ERROR else "",
            _size(stated[0]),
            {"branches": solver.num_branches, "conflicts": solver.num_conflicts},
            {"build": built - begun, "solve": time.perf_counter() - built},
        )

    def points(self, problem: Problem, key: str, settings: Settings, watch: Watch) -> Points:  # noqa: ARG002
        """Yield every point, with one worker: with more, CP-SAT counts wrongly; see ``EnumeratingSolver``.

        The linear relaxation is left out unless asked for: many times quicker where points are many.
        """
        from ortools.sat.python import cp_model

        stated = STRATEGIES[_strategy(settings.formulation)](problem)
        solver = _solver(settings)
        solver.parameters.num_workers = 1
        solver.parameters.enumerate_all_solutions = True
        if "linearization_level" not in settings.options:
            solver.parameters.linearization_level = 0
        found: queue.Queue[tuple[int, ...] | None] = queue.Queue(maxsize=1000)

        class Collector(cp_model.CpSolverSolutionCallback):  # type: ignore[misc]
            def on_solution_callback(self) -> None:
                point = stated.decode(self.value)
                while not watch.stop and not left:
                    try:
                        found.put(point, timeout=0.05)
                        return
                    except queue.Full:
                        continue
                self.stop_search()

        left: list[bool] = []
        results: list[Any] = []

        def work() -> None:
            results.append(solver.solve(stated.model, Collector()))

        thread = threading.Thread(target=work, daemon=True)
        thread.start()
        try:
            while thread.is_alive() or not found.empty():
                try:
                    point = found.get(timeout=0.02)
                except queue.Empty:
                    if watch.stop:
                        break
                    continue
                assert point is not None
                yield point
        finally:
            left.append(True)
            solver.stop_search()
        if watch.stop or not results:
            return Proof.NONE, watch.stop or Stop.INTERRUPTED
        complete = solver.status_name(results[0]) in ("OPTIMAL", "INFEASIBLE")
        return (Proof.COMPLETE, Stop.FINISHED) if complete else (Proof.NONE, Stop.COUNT)


def _native(problem: Problem) -> NativeModel:
    from milp_pips.solvers.cp_sat.native import NativeModel

    return NativeModel(problem)


def _notebook(problem: Problem, *, hints: bool = False) -> NativeModel:
    from milp_pips.solvers.cp_sat.notebook import NotebookModel

    return NotebookModel(problem, hints=hints)


STRATEGIES: dict[str, Callable[[Problem], NativeModel]] = {
    "native": _native,
    "baseline": _notebook,
    "equality": lambda problem: _notebook(equality(problem)),
    "pruning": lambda problem: _notebook(pruning(problem), hints=True),
}
"""The ways to state a problem to CP-SAT: our own, and the three of the notebook."""


def _strategy(name: str) -> str:
    """Return the strategy's name, the default for the empty text. Raises UsageError."""
    if name and name not in STRATEGIES:
        raise UsageError(f"unknown formulation {name!r}; CP-SAT knows: {', '.join(STRATEGIES)}")
    return name or "native"


def _solver(settings: Settings) -> Any:
    """Return the solver with its parameters set. Raises UsageError."""
    from ortools.sat.python import cp_model

    solver = cp_model.CpSolver()
    solver.parameters.num_workers = settings.threads
    solver.parameters.random_seed = settings.seed
    solver.parameters.catch_sigint_signal = False  # the watch hears it; two searches at once would crash
    for name, text in settings.options.items():
        if name.startswith("_") or not hasattr(solver.parameters, name):
            raise UsageError(f"CP-SAT has no parameter {name!r}")
        try:
            setattr(solver.parameters, name, literal(text))
        except (TypeError, ValueError, RuntimeError):
            raise UsageError(f"CP-SAT does not accept {name}={text}") from None
    return solver


def _size(stated: NativeModel) -> dict[str, int]:
    proto = stated.model.proto
    return {"columns": len(proto.variables), "rows": len(proto.constraints)}
