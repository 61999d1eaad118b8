"""The linear relaxation of a 0-1 model in HiGHS, to be asked again and again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from milp_pips.answer import Settings
from milp_pips.solvers.highs import LoadedHighs

if TYPE_CHECKING:
    from milp_pips.milp import Model

VERTEX = {"presolve": "off"}
"""For one LP after another: presolve would throw away the basis, from which the next one takes few steps."""

ROOT = {"presolve": "off", "mip_heuristic_effort": "0", "mip_max_nodes": "1", "mip_detect_symmetry": "off"}
"""For what the root node proves: its cuts and what it propagates, nothing that presolve or luck adds."""


class RelaxedHighs(LoadedHighs):
    """An LP relaxation in HiGHS, or with ``integer`` the root node alone; see ``mip.Relaxed``."""

    def __init__(self, model: Model, *, integer: bool):
        import highspy
        import numpy as np

        super().__init__(model, Settings(options=ROOT if integer else VERTEX))
        self._columns = np.arange(model.size["columns"], dtype=np.int32)
        if not integer:
            kinds = np.full(len(self._columns), highspy.HighsVarType.kContinuous)
            self._highs.changeColsIntegrality(len(self._columns), self._columns, kinds)

    def aim(self, costs: Sequence[float]) -> None:
        import numpy as np

        self._highs.changeColsCost(len(self._columns), self._columns, np.asarray(costs, dtype=np.float64))
