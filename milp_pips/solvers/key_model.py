"""The 0-1 model of a problem together with the columns that decide a key."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from milp_pips.milp import formulate

if TYPE_CHECKING:
    from milp_pips.problem import Problem


class KeyModel:
    """What every live model starts from: ``model``, and for each solution the columns of the key it takes.

    ``least`` is how many of these columns another solution must give up at least.
    """

    def __init__(self, problem: Problem, key: str, formulation: str):
        variables = problem.keys[key]
        self.model = formulate(problem, formulation, key)
        self.least = problem.least_difference(key)
        self._columns = self.model.key_columns(variables)

    def taken(self, x: npt.NDArray[np.float64]) -> tuple[int, ...]:
        """Return the columns of the key that are 1 in a vector of all columns."""
        return tuple(self._columns[x[self._columns] > 0.5].tolist())

    def choices(self, point: Sequence[int]) -> tuple[int, ...]:
        """Return the columns of the key all of whose meanings hold in a point."""
        model = self.model
        holds = np.asarray(point)[model.pair_variables[model.pairs]] == model.pair_values[model.pairs]
        broken = np.unique(model.pair_columns[~holds])
        return tuple(np.setdiff1d(self._columns, broken).tolist())
