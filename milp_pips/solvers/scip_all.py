"""All points of a 0-1 model in one SCIP tree.

SCIP can count solutions in one tree but does not hand them out. A constraint handler does: it refuses every
point that SCIP comes up with, notes it, and cuts it off, so that SCIP goes on until nothing is left.
"""

from __future__ import annotations

import queue
from typing import TYPE_CHECKING, Any

import pyscipopt
from pyscipopt import SCIP_PARAMSETTING, SCIP_RESULT

if TYPE_CHECKING:
    from collections.abc import Sequence


class Collector(pyscipopt.Conshdlr):  # type: ignore[misc]
    """Puts the choices of every new point into a queue and cuts the point off.

    Parameters
    ----------
    x
        The columns that tell points apart.
    found
        Where the choices go, as tuples of positions in ``x``.
    """

    def __init__(self, x: Sequence[Any], found: queue.SimpleQueue[tuple[int, ...]]):
        self._x, self._found = x, found

    def consenfolp(self, constraints: Any, nusefulconss: int, solinfeasible: bool) -> dict[str, Any]:
        """Note the relaxation's point, which is integral here, and cut it off."""
        return self._note()

    def consenfops(
        self, constraints: Any, nusefulconss: int, solinfeasible: bool, objinfeasible: bool
    ) -> dict[str, Any]:
        """Note the pseudo solution, if it is a point, and cut it off."""
        return self._note() if not solinfeasible else {"result": SCIP_RESULT.INFEASIBLE}

    def conscheck(
        self,
        constraints: Any,
        solution: Any,
        checkintegrality: bool,
        checklprows: bool,
        printreason: bool,
        completely: bool,
    ) -> dict[str, Any]:
        """Refuse every point, so that none ends the search."""
        return {"result": SCIP_RESULT.INFEASIBLE}

    def conslock(self, constraint: Any, locktype: Any, nlockspos: int, nlocksneg: int) -> None:
        """Lock all columns both ways: no reduction may assume that one way is harmless."""
        for column in self._x:
            self.model.addVarLocksType(column, locktype, nlockspos + nlocksneg, nlockspos + nlocksneg)

    def _note(self) -> dict[str, Any]:
        chosen = tuple(i for i, column in enumerate(self._x) if self.model.getSolVal(None, column) > 0.5)
        self._found.put(chosen)
        others = [column for i, column in enumerate(self._x) if i not in set(chosen)]
        self.model.addCons(
            pyscipopt.quicksum(self._x[i] for i in chosen) - pyscipopt.quicksum(others) <= len(chosen) - 1
        )
        return {"result": SCIP_RESULT.CONSADDED}


def prepare(scip: pyscipopt.Model, x: Sequence[Any]) -> queue.SimpleQueue[tuple[int, ...]]:
    """Make the model list its points by the columns, and return the queue that they will come in."""
    found: queue.SimpleQueue[tuple[int, ...]] = queue.SimpleQueue()
    scip.setPresolve(SCIP_PARAMSETTING.OFF)
    scip.setParam("misc/allowstrongdualreds", False)
    scip.setParam("misc/allowweakdualreds", False)
    scip.setParam("misc/usesymmetry", 0)
    scip.setParam("constraints/countsols/active", False)
    scip.includeConshdlr(
        Collector(x, found), "collector", "notes and refuses every point", enfopriority=-9999999,
        chckpriority=-9999999, needscons=False,
    )  # fmt: skip
    return found
