"""The relaxation of a 0-1 model in SCIP, where a choice of two rows may be a native constraint.

A pair of rows ``either`` of the linearisation ``big_m`` depends on one column: one row holds if it is 1, the
other if it is 0. SCIP can state that without any M, as two indicator constraints, or as two rows with slacks
of which at most one is not 0, a special ordered set of type 1 (SOS1). HiGHS has neither.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar

from milp_pips.engines.defaults import CALLBACK_SOLVER
from milp_pips.engines.registry import available
from milp_pips.engines.scip import LoadedScip, row_of
from milp_pips.formulations.milp.model import Model
from milp_pips.problem.answer import Settings
from milp_pips.problem.errors import EngineFault
from milp_pips.problem.stopping import Deadline
from milp_pips.runtime.executor import call_in_process
from milp_pips.runtime.interruptible import Limits

T = TypeVar("T")

NATIVE_CHOICES = "indicator", "sos1"
"""The native constraints, by the names of formulations."""

ROWS_OF_NATIVE = "big_m"
"""The linearisation whose rows the native constraints replace."""


class Search(NamedTuple):
    """The cost of the relaxation and of the best point, and the nodes of a branch and bound between them."""

    bound: float
    cost: float
    nodes: int


def in_own_process(work: Callable[..., T], arguments: tuple[Any, ...], deadline: Deadline) -> T | None:
    """Return what the work returns in a process of its own, with SCIP; None if the deadline stops it.

    Raises UsageError if SCIP cannot run here, and EngineFault if the process fails.
    """
    available(CALLBACK_SOLVER)
    outcome = call_in_process(work, arguments, Limits(deadline))
    if outcome.fault:
        raise EngineFault(f"{CALLBACK_SOLVER} failed: {outcome.fault}")
    return outcome.value


class RelaxedScip(LoadedScip):
    """A 0-1 model in SCIP for its root node alone; see ``mip.Relaxed``.

    Parameters
    ----------
    native
        How to state rows ``either``: one of ``NATIVE_CHOICES``, or empty for linear rows.
    cuts
        Whether the node also propagates and separates, as SCIP does. There are no presolve and no heuristics.
    """

    def __init__(self, model: Model, deadline: Deadline, native: str = "", *, cuts: bool = False):
        families = [family for family in model.columns if native and family.name == "less"]
        self._native, self._slacks = native, list[Any]()
        self._switches = {j for each in families for j in range(each.first, each.first + each.count)}
        super().__init__(model, Settings(), deadline)
        self.switch_off("Presolve", "Heuristics")
        self.scip.setParam("misc/usesymmetry", 0)
        self.scip.setParam("limits/nodes", 1)
        if not cuts:  # strong branching would prove a node infeasible, too
            self.switch_off("Separating")
            for name, value in WITHOUT_CUTS.items():
                self.scip.setParam(name, value)
        if model.costs is not None:
            self.aim(model.costs.tolist())

    def _add_row(self, columns: Sequence[int], factors: Sequence[float], low: float, high: float) -> None:
        """Add a row, or the constraint for a row that depends on a switch."""
        switch = self._switches.intersection(columns)
        if not switch:
            return super()._add_row(columns, factors, low, high)
        terms = dict(zip(columns, factors, strict=True))
        j = switch.pop()
        m = terms.pop(j)
        rest, right = [(self.x[i], a) for i, a in terms.items()], high - max(m, 0.0)
        if self._native == NATIVE_CHOICES[0]:
            self.scip.addConsIndicator(row_of(rest, None, right), self.x[j], activeone=m > 0)
            return None
        self._slacks.append(self.scip.addVar(ub=abs(m)))
        self.scip.addCons(row_of([*rest, (self._slacks[-1], -1.0)], None, right))
        if len(self._slacks) == 2:
            self.scip.addConsSOS1(self._slacks)
            self._slacks = []
        return None

    def bound(self, columns: Sequence[int], lower: int, upper: int) -> None:
        """Set the bounds of the columns, after the last solve has been discarded."""
        self.scip.freeTransform()
        for j in columns:
            self.scip.chgVarLb(self.x[j], lower)
            self.scip.chgVarUb(self.x[j], upper)

    def search(self, deadline: Deadline) -> Search | None:
        """Branch until the best point is known; None if the deadline stops it."""
        self.run(deadline)
        bound = float(self.scip.getDualbound())
        self.scip.freeTransform()
        self.scip.setParam("limits/nodes", -1)
        ending = self.run(deadline)
        if ending.x is None or self.scip.getStatus() != "optimal":
            return None
        return Search(bound, float(self.scip.getPrimalbound()), ending.statistics["nodes"])


WITHOUT_CUTS = {
    "propagating/maxrounds": 0,
    "propagating/maxroundsroot": 0,
    "conflict/enable": False,
    "branching/mostinf/priority": 1_000_000,
}
"""Parameters that leave a node its relaxation alone."""
