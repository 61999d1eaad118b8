"""Rows of a linear relaxation that have no common point, verified in exact arithmetic."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from milp_pips.problem.errors import EngineFault

if TYPE_CHECKING:
    from collections.abc import Mapping

    from milp_pips.formulations.milp.model import EncodedModel

FEW_ROWS = 2 | 4
"""HiGHS's ``iis_strategy``: an irreducible infeasible subsystem of the relaxation, found from LPs."""

MAX_DENOMINATOR = 10_000
"""Multipliers are rounded to fractions with at most this denominator before they are verified."""


def infeasible_rows(model: EncodedModel) -> list[int]:
    """Return rows of an empty relaxation that have no common point; without any one of them they have.

    HiGHS names the rows, and its dual ray has multipliers whose sum no point obeys (Farkas 1902). These are
    rounded to fractions and verified in exact arithmetic.

    Raises
    ------
    EngineFault
        If HiGHS finds no certificate, or one that is wrong in exact arithmetic.
    """
    highs = model.to_highspy()
    for name, value in (("solve_relaxation", True), ("presolve", "off"), ("iis_strategy", FEW_ROWS)):
        highs.setOptionValue(name, value)
    highs.run()
    kept = sorted(int(row) for row in highs.getIis()[1].row_index_)
    for row in set(range(model.size["rows"])).difference(kept):
        highs.changeRowBounds(row, -highs.inf, highs.inf)
    highs.run()
    has_ray, ray = highs.getDualRay()[1:]
    if not has_ray:
        raise EngineFault("HiGHS has no dual ray for an empty relaxation")
    for sign in (1, -1):
        y = {row: Fraction(sign * float(ray[row])).limit_denominator(MAX_DENOMINATOR) for row in kept}
        if _is_certificate(model, y):
            return kept
    raise EngineFault("HiGHS's dual ray of an empty relaxation is not a certificate in exact arithmetic")


def _is_certificate(model: EncodedModel, y: Mapping[int, Fraction]) -> bool:
    """Return whether no point with columns from 0 to 1 obeys the sum of the rows times their multipliers.

    A negative multiplier is one of the upper side of its row, any other one of the lower side.
    """
    total, least = dict[int, Fraction](), Fraction(0)
    for row, factor in y.items():
        side = float((model.arrays.row_lower if factor >= 0 else model.arrays.row_upper)[row])
        if factor and not np.isfinite(side):
            return False
        least += factor * Fraction(side) if factor else 0
        for k in range(model.arrays.start[row], model.arrays.start[row + 1]):
            column = int(model.arrays.index[k])
            total[column] = total.get(column, Fraction(0)) + factor * Fraction(float(model.arrays.value[k]))
    return sum((max(a, Fraction(0)) for a in total.values()), Fraction(0)) < least
