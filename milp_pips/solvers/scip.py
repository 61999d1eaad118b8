"""SCIP, through PySCIPOpt."""

from __future__ import annotations

import queue
import threading
import time
from typing import TYPE_CHECKING, Any

from milp_pips.answer import Answer, Proof, Settings, Stop
from milp_pips.errors import UsageError
from milp_pips.solvers.library import FORMULATIONS, LibrarySolver
from milp_pips.solvers.watched import GRACE, call_watched

if TYPE_CHECKING:
    import pyscipopt

    from milp_pips.milp import Model
    from milp_pips.problem import Problem
    from milp_pips.solvers.contract import Points
    from milp_pips.watch import Watch

STATUSES = {
    "optimal": (Proof.FEASIBLE, Stop.FINISHED),
    "infeasible": (Proof.INFEASIBLE, Stop.FINISHED),
    # All columns are bounded, so "unbounded" is out of the question.
    "inforunbd": (Proof.INFEASIBLE, Stop.FINISHED),
    "timelimit": (Proof.NONE, Stop.TIME),
    "nodelimit": (Proof.NONE, Stop.COUNT),
    "totalnodelimit": (Proof.NONE, Stop.COUNT),
    "stallnodelimit": (Proof.NONE, Stop.COUNT),
    "sollimit": (Proof.NONE, Stop.COUNT),
    "bestsollimit": (Proof.NONE, Stop.COUNT),
    "restartlimit": (Proof.NONE, Stop.COUNT),
    "memlimit": (Proof.NONE, Stop.MEMORY),
    "userinterrupt": (Proof.NONE, Stop.INTERRUPTED),
    "terminate": (Proof.NONE, Stop.INTERRUPTED),
}
"""PySCIPOpt's ``getStatus()`` → proof and stop; every status that is not here is an error."""


class ScipSolver(LibrarySolver):
    """SCIP: branch and cut, with constraint propagation, on the 0-1 model."""

    name = "scip"
    kind = "mip"
    title = "SCIP"
    requires = ("pyscipopt",)
    distribution = "pyscipopt"
    features = frozenset({"time limit", "seed", "options", "enumeration"})
    formulations = FORMULATIONS

    def solve(self, problem: Problem, settings: Settings, watch: Watch) -> Answer:
        """Solve the 0-1 model; see ``Solver``."""
        from milp_pips.milp import formulate

        begun = time.perf_counter()
        model = formulate(problem, settings.formulation)
        scip, x = empty(model)
        set_parameters(scip, settings)
        ready = begun

        def work() -> None:
            nonlocal ready
            add_rows(scip, x, model)
            ready = time.perf_counter()
            if watch.remaining is not None:
                scip.setParam("limits/time", watch.remaining)
            scip.optimizeNogil()

        finished = call_watched(work, watch, scip.interruptSolve)
        status = scip.getStatus() if finished else "userinterrupt"
        proof, stop = STATUSES.get(status, (Proof.NONE, Stop.ERROR))
        point, nodes = None, 0
        if finished:
            nodes = int(scip.getNTotalNodes())
            if scip.getNSols() > 0 and proof is not Proof.INFEASIBLE:
                best = scip.getBestSol()
                point, proof = model.decode([scip.getSolVal(best, column) for column in x]), Proof.FEASIBLE
        if stop is Stop.INTERRUPTED:
            stop = watch.stop or stop
        return Answer(
            point,
            proof,
            stop,
            model.formulation,
            f"SCIP status {status}" if stop is Stop.ERROR else "",
            model.size,
            {"nodes": nodes},
            {"build": ready - begun, "solve": time.perf_counter() - ready},
        )

    def points(self, problem: Problem, key: str, settings: Settings, watch: Watch) -> Points:
        """Yield one point per solution that differs in the key, others at -1; see ``EnumeratingSolver``."""
        import numpy as np

        from milp_pips.milp import formulate
        from milp_pips.solvers.scip_all import prepare

        model = formulate(problem, settings.formulation, key)
        scip, x = empty(model)
        set_parameters(scip, settings)
        add_rows(scip, x, model)
        columns = model.key_columns(problem.keys[key])
        found = prepare(scip, [x[j] for j in columns.tolist()])
        thread = threading.Thread(target=scip.optimizeNogil, daemon=True)
        thread.start()
        try:
            while thread.is_alive() or not found.empty():
                if watch.stop:
                    return Proof.NONE, watch.stop
                try:
                    chosen = found.get(timeout=0.02)
                except queue.Empty:
                    continue
                vector = np.zeros(len(x))
                vector[columns[list(chosen)]] = 1
                yield model.decode(vector)
        finally:
            scip.interruptSolve()
            thread.join(GRACE)
        # Every point was refused, so a search that has ended says "infeasible".
        if STATUSES.get(scip.getStatus(), (Proof.NONE,))[0] is Proof.INFEASIBLE:
            return Proof.COMPLETE, Stop.FINISHED
        return Proof.NONE, watch.stop or Stop.COUNT


def empty(model: Model) -> tuple[pyscipopt.Model, list[Any]]:
    """Return a silent SCIP model without rows, and its columns in order."""
    import pyscipopt

    scip = pyscipopt.Model()
    scip.hideOutput()
    scip.setParam("misc/catchctrlc", False)  # the watch hears it
    return scip, [scip.addVar(vtype="B") for _ in range(model.size["columns"])]


def add_rows(scip: pyscipopt.Model, x: list[Any], model: Model) -> None:
    """Add the rows of the model."""
    import pyscipopt

    for i in range(model.size["rows"]):
        columns, coefficients = model.row(i)
        low, high = float(model.row_lower[i]), float(model.row_upper[i])
        if not len(columns):  # SCIP wants an expression, not a number
            if not low <= 0 <= high:
                scip.addCons(x[0] >= 2)
            continue
        terms = {
            pyscipopt.scip.Term(x[j]): a for j, a in zip(columns.tolist(), coefficients.tolist(), strict=True)
        }
        total = pyscipopt.scip.Expr(terms)
        scip.addCons(
            pyscipopt.scip.ExprCons(
                total, None if low == -float("inf") else low, None if high == float("inf") else high
            )
        )


def set_parameters(scip: pyscipopt.Model, settings: Settings) -> None:
    """Set the seed and the parameters asked for. Raises UsageError."""
    scip.setParam("randomization/randomseedshift", settings.seed)
    known = scip.getParams()
    for name, text in settings.options.items():
        if name not in known:
            raise UsageError(f"SCIP has no parameter {name!r}")
        kind = type(known[name])
        try:
            value = text.upper() == "TRUE" if kind is bool else kind(text)
            scip.setParam(name, value)
        except Exception:  # PySCIPOpt raises whatever SCIP's return code maps to
            raise UsageError(f"SCIP does not accept {name}={text}") from None
