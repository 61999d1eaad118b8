"""A live linear program in HiGHS: bounds, costs and rows change between runs, and the basis stays.

Nothing here decides anything: a caller computes with the multipliers exactly, and never trusts a status.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

Numbers: TypeAlias = Sequence[float] | NDArray[Any]

OPTIONS = {
    "output_flag": False,
    "threads": 1,
    "parallel": "off",
    "presolve": "off",  # it would discard the basis, from which the next run takes few steps
    "solver": "simplex",
}

SEARCH_OPTIONS = {
    "presolve": "on",
    "solver": "choose",
    "mip_max_nodes": 1,
    "mip_allow_restart": False,
    "mip_heuristic_run_rens": False,  # seven tours take 0.11 s instead of 0.18, their points are as good
}
"""Options of ``search``: the root alone finds the optimum of most small models, or nearly."""

FEASIBLE = 2
"""HiGHS's status of a point that it takes for feasible."""


PLACES = -1, 0, 1, 2, 2
"""What the numbers of HiGHS's statuses mean for a ``Basis``: lower, basic, upper, zero, nonbasic.

To look them up by name takes three times as long.
"""


class LpStatus(Enum):
    """How a run ended."""

    OPTIMAL = "optimal"
    INFEASIBLE = "infeasible"
    UNBOUNDED = "unbounded"
    TIME = "time"
    OTHER = "other"


class LpRows(NamedTuple):
    """Rows as arrays: bounds, and the entries row by row; an infinite bound is ``inf``."""

    low: Floats
    high: Floats
    starts: NDArray[np.int32]
    columns: NDArray[np.int32]
    factors: Floats


class Basis(NamedTuple):
    """Whether a column or row is basic (0), at its lower (-1) or upper bound (1), or free at zero (2)."""

    columns: list[int]
    rows: list[int]


class LoadedLp:
    """An LP ``least costs · x`` with bounds of columns and rows, loaded into one HiGHS object."""

    def __init__(self, costs: Floats, low: Floats, high: Floats, rows: LpRows):
        import highspy
        from highspy import _core

        self._highs = highs = _core._Highs()  # without the wrapper's keyboard thread: a run takes 20 µs less
        for name, value in OPTIONS.items():
            highs.setOptionValue(name, value)
        lp = highspy.HighsLp()
        lp.num_col_, lp.num_row_ = len(costs), len(rows.low)
        lp.col_cost_, lp.col_lower_, lp.col_upper_ = costs, low, high
        lp.row_lower_, lp.row_upper_ = rows.low, rows.high
        lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
        lp.a_matrix_.num_col_, lp.a_matrix_.num_row_ = lp.num_col_, lp.num_row_
        lp.a_matrix_.start_, lp.a_matrix_.index_ = rows.starts, rows.columns
        lp.a_matrix_.value_ = rows.factors
        highs.passModel(lp)
        status = highspy.HighsModelStatus
        self._statuses = {
            status.kOptimal: LpStatus.OPTIMAL,
            status.kInfeasible: LpStatus.INFEASIBLE,
            status.kUnbounded: LpStatus.UNBOUNDED,
            status.kTimeLimit: LpStatus.TIME,
            status.kUnboundedOrInfeasible: LpStatus.UNBOUNDED,
        }

    def bounds(self, columns: Numbers, low: Numbers, high: Numbers) -> None:
        """Set the bounds of some columns, each named once."""
        index = np.asarray(columns, dtype=np.int32)
        self._highs.changeColsBounds(len(index), index, np.asarray(low, float), np.asarray(high, float))

    def set_costs(self, costs: Floats) -> None:
        """Set the costs of all columns."""
        self._highs.changeColsCost(len(costs), np.arange(len(costs), dtype=np.int32), costs)

    def add_row(self, low: float, high: float, columns: Sequence[int], factors: Sequence[float]) -> None:
        """Add a row at the end."""
        index = np.array(columns, dtype=np.int32)
        self._highs.addRow(low, high, len(index), index, np.array(factors, float))

    def run(self, seconds: float = float("inf")) -> LpStatus:
        """Solve from the current basis, for so long at most; another run goes on."""
        self._highs.setOptionValue("time_limit", self._highs.getRunTime() + seconds)  # its clock adds up
        self._highs.run()
        return self._statuses.get(self._highs.getModelStatus(), LpStatus.OTHER)

    def search(self, integer: Sequence[int], seconds: float) -> list[float] | None:
        """Return a good point with these columns integral, by HiGHS's own heuristics; None if it finds none.

        The object is of no use as an LP after that.
        """
        import highspy

        highs, kind = self._highs, highspy.HighsVarType.kInteger
        index = np.array(integer, dtype=np.int32)
        highs.changeColsIntegrality(len(index), index, np.full(len(index), int(kind), dtype=np.uint8))
        for name, value in {**SEARCH_OPTIONS, "time_limit": seconds}.items():
            highs.setOptionValue(name, value)
        highs.run()
        has_point = highs.getInfoValue("primal_solution_status")[1] == FEASIBLE
        return self.vertex if has_point else None

    def limit_iterations(self, most: int) -> None:
        """Let a run take at most so many iterations."""
        self._highs.setOptionValue("simplex_iteration_limit", most)

    @property
    def value(self) -> float:
        """The objective of the last run."""
        return float(self._highs.getObjectiveValue())

    @property
    def iterations(self) -> int:
        """The iterations of the last run."""
        return int(self._highs.getInfoValue("simplex_iteration_count")[1])

    @property
    def vertex(self) -> list[float]:
        """The value of each column."""
        return list(self._highs.getSolution().col_value)

    @property
    def row_duals(self) -> list[float]:
        """The multiplier of each row: positive for its lower bound, negative for its upper one."""
        return list(self._highs.getSolution().row_dual)

    @property
    def reduced_costs(self) -> list[float]:
        """The costs of each column minus those that its rows pay for."""
        return list(self._highs.getSolution().col_dual)

    @property
    def dual_ray(self) -> Floats | None:
        """Multipliers of the rows that refute them, up to the sign; None if HiGHS has none."""
        _, has_ray, ray = self._highs.getDualRay()
        return np.array(ray) if has_ray else None

    @property
    def basis(self) -> Basis:
        """The basis after the last run."""
        basis = self._highs.getBasis()
        return Basis(*([PLACES[s] for s in map(int, all_)] for all_ in (basis.col_status, basis.row_status)))
