"""PuLP's own path: its model, and whichever solver it finds."""

from __future__ import annotations

import contextlib
import tempfile
import time
import warnings
from typing import TYPE_CHECKING, Any

from milp_pips.answer import Answer, Proof, Settings, Stop
from milp_pips.errors import UsageError
from milp_pips.solvers.library import FORMULATIONS, LibrarySolver, literal

if TYPE_CHECKING:
    from milp_pips.problem import Problem
    from milp_pips.watch import Watch

STATUSES = {
    (1, 1): (Proof.FEASIBLE, Stop.FINISHED),
    (1, 2): (Proof.FEASIBLE, Stop.TIME),
    (0, 0): (Proof.NONE, Stop.TIME),
    (-1, -1): (Proof.INFEASIBLE, Stop.FINISHED),
    (-1, 0): (Proof.INFEASIBLE, Stop.FINISHED),
}
"""PuLP's ``(status, sol_status)`` → proof and stop; any other pair is an error.

``status`` alone will not do: it is 1, "Optimal", also after a time limit with an incumbent. ``(-1, 0)`` is
ambiguous: PuLP 3.3 gives it for CBC both when there is no integer solution and when the time ran out before
one was found, so at the deadline it is read as the time limit. PuLP does not tell limits of other kinds.
"""


DEADLINE_MARGIN = 0.2
"""Seconds to the deadline within which a solver counts as having run out of time."""


class PulpSolver(LibrarySolver):
    """Any solver that PuLP finds, on the model as PuLP states it; by default PuLP's own CBC."""

    name = "pulp"
    kind = "mip"
    title = "PuLP"
    requires = ("pulp",)
    distribution = "pulp"
    features = frozenset({"time limit", "options", "threads"})
    formulations = FORMULATIONS
    isolated = True
    variants = "a solver by PuLP's name, such as HiGHS or GUROBI_CMD"

    def solve(self, problem: Problem, settings: Settings, watch: Watch) -> Answer:
        """Solve the 0-1 model; see ``Solver``."""
        import pulp

        from milp_pips.milp import formulate

        warnings.simplefilter("ignore", DeprecationWarning)  # PuLP's own announcements of PuLP 4
        engine = self._engine(settings, watch)
        begun = time.perf_counter()
        model = formulate(problem, settings.formulation)
        stated = model.to_pulp()
        built = time.perf_counter()
        message = ""
        try:
            # PuLP cuts paths at blanks, so a solver program works in a folder of its own, with plain names.
            engine.keepFiles = True
            with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
                stated.solve(engine)
            status = stated.status, stated.sol_status
            proof, stop = STATUSES.get(status, (Proof.NONE, Stop.ERROR))
            if status == (-1, 0) and watch.remaining is not None and watch.remaining < DEADLINE_MARGIN:
                proof, stop = Proof.NONE, Stop.TIME
            message = "" if stop is not Stop.ERROR else f"PuLP status {pulp.LpStatus[stated.status]}"
        except pulp.PulpSolverError as error:
            proof, stop, message = Proof.NONE, Stop.ERROR, str(error)
        point = None
        if proof is Proof.FEASIBLE:
            value = {variable.name: variable.value() for variable in stated.variables()}
            point = model.decode([value.get(name) or 0.0 for name in model.column_names()])
        if stop is Stop.TIME and watch.deadline is None:
            stop = Stop.COUNT
        seconds = {"build": built - begun, "solve": time.perf_counter() - built}
        return Answer(point, proof, stop, model.formulation, message, model.size, {}, seconds)

    def _engine(self, settings: Settings, watch: Watch) -> Any:
        """Return PuLP's solver object. Raises UsageError if there is none of this name."""
        import pulp

        if settings.seed:
            raise UsageError("PuLP passes no random seed on; use the solver's own option")
        name = self.variant or "PULP_CBC_CMD"
        words: dict[str, Any] = {"msg": False, "timeLimit": watch.remaining}
        words |= {option: literal(text) for option, text in settings.options.items()}
        if settings.threads > 1:
            words["threads"] = settings.threads
        if name not in pulp.listSolvers():
            raise UsageError(f"PuLP knows no solver {name!r}; it knows: {', '.join(pulp.listSolvers())}")
        try:
            engine = pulp.getSolver(name, **words)
        except TypeError as error:
            raise UsageError(f"PuLP's {name} does not take this: {error}") from None
        if not engine.available():
            found = ", ".join(pulp.listSolvers(onlyAvailable=True))
            raise UsageError(f"PuLP finds no {name} here; it finds: {found}")
        return engine
