"""Rows of a 0-1 model that have no common 0-1 point: an irreducible infeasible subsystem (IIS), by SCIP."""

from collections.abc import Collection

import numpy as np
from own_process import in_own_process

import milp_pips
from milp_pips.engines.scip import LoadedScip
from milp_pips.formulations.milp.model import EncodedModel
from milp_pips.problem.stopping import Deadline

SCIP_SECONDS = 20.0
"""The seconds after which SCIP leaves its rows as they are, perhaps with some that are not needed."""


def infeasible_rows(model: EncodedModel) -> list[str]:
    """Return the names of rows that have no common 0-1 point, as HiGHS confirms; none may be left out."""
    rows, irreducible = in_own_process(_rows_by_scip, model)
    assert irreducible
    assert not has_point(model, rows), "the rows that SCIP names have a common 0-1 point"
    return [model.row_names()[row] for row in sorted(rows)]


def _rows_by_scip(model: EncodedModel) -> tuple[list[int], bool]:
    """Return the numbers of rows that SCIP names, and whether it has found that none can be left out."""
    loaded = LoadedScip(model, milp_pips.Settings(), Deadline())
    arrays = model.arrays
    sizes = np.diff(arrays.start)
    stated = [i for i in range(len(sizes)) if sizes[i] or not arrays.row_lower[i] <= 0 <= arrays.row_upper[i]]
    number = {row.name: i for row, i in zip(loaded.scip.getConss(), stated, strict=True)}
    loaded.scip.setParam("iis/time", SCIP_SECONDS)
    found = loaded.scip.generateIIS()
    return [number[row.name] for row in found.getSubscip().getConss()], bool(found.isSubscipIrreducible())


def has_point(model: EncodedModel, rows: Collection[int], *, relaxed: bool = False) -> bool:
    """Return whether some of the rows have a common 0-1 point or, relaxed, a common point (HiGHS)."""
    highs = model.to_highspy()
    highs.setOptionValue("solve_relaxation", relaxed)
    for row in set(range(model.size["rows"])).difference(rows):
        highs.changeRowBounds(row, -highs.inf, highs.inf)
    highs.run()
    return bool(highs.getModelStatus().name == "kOptimal")
