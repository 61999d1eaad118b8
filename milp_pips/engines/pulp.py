"""The modelling library PuLP, with any solver that it finds."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import replace
from inspect import signature
from math import inf
from typing import TYPE_CHECKING, Any

from milp_pips.engines.library import MipSolver, answer_of, literal
from milp_pips.problem import Answer, Deadline, Proof, Settings, Stop, UsageError
from milp_pips.runtime.children import marked_programs
from milp_pips.runtime.writing import temporary_folder

if TYPE_CHECKING:
    from milp_pips.formulations.model import Model

STATUSES = {
    (1, 1): (Proof.FEASIBLE, Stop.FINISHED),
    (1, 2): (Proof.FEASIBLE, Stop.TIME),
    (0, 0): (Proof.NONE, Stop.TIME),
    (-1, -1): (Proof.INFEASIBLE, Stop.FINISHED),
    (-1, 0): (Proof.INFEASIBLE, Stop.FINISHED),
}
"""PuLP's ``(status, sol_status)`` → proof and stop; any other pair is an error.

``status`` alone is not enough: it is 1, "Optimal", also after a time limit with an incumbent. ``(-1, 0)`` is
ambiguous: PuLP 3.3 returns it for CBC both if there is no integer solution and if the time limit was reached
before one was found, so at the deadline it counts as the time limit. PuLP does not report other limits.
"""

WITHOUT_BOUNDS = dict.fromkeys(((-2, -2), (-2, 0)), (Proof.NONE, Stop.FINISHED))
"""The meaning of "unbounded" for a model with columns that have no bounds: nothing is known."""

CBC = "PULP_CBC_CMD"
"""The CBC that comes with PuLP."""

PULP_SOLVERS = """
    CHOCO_CMD COINMP_DLL COIN_CMD COPT COPT_CMD COPT_DLL CPLEX_CMD CPLEX_PY CUOPT CyLP FSCIP_CMD GLPK_CMD
    GUROBI GUROBI_CMD HiGHS HiGHS_CMD MIPCL_CMD MOSEK PULP_CBC_CMD PYGLPK SAS94 SASCAS SCIP_CMD SCIP_PY XPRESS
    XPRESS_PY
"""
"""PuLP's names of its solvers, as ``pulp.listSolvers()`` returns them."""

DEADLINE_MARGIN = 0.2
"""Seconds before the deadline within which a solver counts as having reached the time limit."""


class PulpSolver(MipSolver):
    """Any solver that PuLP finds, on PuLP's version of the 0-1 model; by default PuLP's own CBC."""

    name = "pulp"
    title = "PuLP"
    requires = ("pulp",)
    distribution = "pulp"
    features = frozenset({"time limit", "options", "threads", "objective", "models"})
    isolated = True
    variants = "a solver by PuLP's name, such as HiGHS or GUROBI_CMD"

    def __init__(self, variant: str = ""):
        super().__init__(variant)
        engine = (variant or CBC).lower().removeprefix("pulp_").partition("_")[0]  # as in GUROBI_CMD
        self.proof_family = {"coin": "cbc", "coinmp": "cbc", "fscip": "scip"}.get(engine, engine)

    def known_variants(self) -> Iterable[str]:
        """Return PuLP's names of its solvers."""
        return PULP_SOLVERS.split()

    def load(self, model: Model, settings: Settings, deadline: Deadline) -> LoadedPulp:  # noqa: ARG002
        """Return the model loaded into PuLP; see ``MipSolver``."""
        return LoadedPulp(self.variant or CBC, model, settings)


class CbcSolver(PulpSolver):
    """CBC: branch and cut on the 0-1 model, the program that comes with PuLP 3."""

    name = "cbc"
    title = "CBC"
    variants = ""

    def known_variants(self) -> Iterable[str]:
        """Return none: CBC is one of PuLP's solvers."""
        return ()

    def version(self) -> str:
        """Return the version of the CBC that comes with PuLP 3."""
        return "2.10.3"


class LoadedPulp:
    """A linear model in PuLP, which states it anew in each run; see ``contract.Loaded``."""

    def __init__(self, name: str, model: Model, settings: Settings):
        from milp_pips.formulations.writing import pulp_of

        warnings.simplefilter("ignore", DeprecationWarning)  # PuLP's own announcements of PuLP 4
        self._name, self._settings = name, settings
        self._stated, self._columns = pulp_of(model.for_engines[0])
        self._is_bounded = all(None not in (column.low, column.high) for column in model.columns)

    def run(self, deadline: Deadline) -> Answer:
        import pulp

        engine = pulp_engine(self._name, self._settings, deadline)
        # PuLP cuts paths at spaces, so the solver program runs in a temporary folder, with plain file names.
        engine.keepFiles = True
        try:
            with temporary_folder() as folder, contextlib.chdir(folder), marked_programs():
                self._stated.solve(engine)
        except pulp.PulpSolverError as error:
            return Answer(None, Proof.NONE, Stop.ERROR, str(error))
        status = self._stated.status, self._stated.sol_status
        if status == (-1, 0) and deadline.remaining is not None and deadline.remaining < DEADLINE_MARGIN:
            status = 0, 0

        def vector() -> list[float] | None:
            return [column.value() or 0.0 for column in self._columns] if status[0] == 1 else None

        words = f"PuLP status {pulp.LpStatus[status[0]]}"
        bound = inf if status == (1, 1) else None
        statuses = STATUSES if self._is_bounded else STATUSES | WITHOUT_BOUNDS
        outcome = answer_of(statuses, status, deadline, vector, words, bound=bound)
        if outcome.stop is Stop.TIME and deadline.expires is None:
            return replace(outcome, stop=Stop.COUNT)
        return outcome

    def bound(self, columns: Sequence[int], lower: float, upper: float) -> None:
        for j in columns:
            self._columns[j].lowBound = None if lower == -inf else lower
            self._columns[j].upBound = None if upper == inf else upper

    def add_row(self, columns: Sequence[int], coefficients: Sequence[float], low: float, high: float) -> None:
        import pulp

        total = pulp.LpAffineExpression(
            [(self._columns[j], a) for j, a in zip(columns, coefficients, strict=True)]
        )
        for end, sign in ((low, pulp.LpConstraintGE), (high, pulp.LpConstraintLE)):
            if abs(end) < inf:
                self._stated += pulp.LpConstraint(total.copy(), sign, rhs=end)

    def set_costs(self, costs: Sequence[float] | None) -> None:
        import pulp

        terms = list(zip(self._columns, costs or [0.0] * len(self._columns), strict=True))
        self._stated.setObjective(pulp.LpAffineExpression(terms, name="objective"))


def pulp_engine(name: str, settings: Settings, deadline: Deadline) -> Any:
    """Return PuLP's solver object. Raises UsageError if PuLP has no such solver or cannot run it."""
    import pulp

    if settings.seed:
        raise UsageError("PuLP does not pass on a random seed; use the solver's own option")
    words: dict[str, Any] = {"msg": False, "timeLimit": deadline.remaining}
    if name not in pulp.listSolvers():
        raise UsageError(f"PuLP knows no solver {name!r}; it knows: {', '.join(pulp.listSolvers())}")
    if "gapRel" in signature(getattr(pulp, name)).parameters:
        words["gapRel"] = 0.0  # some solvers otherwise call a solution optimal that is nearly so
    words |= {option: literal(text) for option, text in settings.options.items()}
    if settings.threads > 1:
        words["threads"] = settings.threads
    try:
        engine = pulp.getSolver(name, **words)
    except TypeError as error:
        raise UsageError(f"PuLP's {name} does not accept an option: {error}") from None
    if not engine.available():
        found = ", ".join(pulp.listSolvers(onlyAvailable=True))
        raise UsageError(f"PuLP finds no {name} here; it finds: {found}")
    return engine
