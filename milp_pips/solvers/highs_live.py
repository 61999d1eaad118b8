"""HiGHS with a model that stays loaded: cuts are added and bounds changed without building it again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from milp_pips.milp import formulate
from milp_pips.solvers.contract import Found
from milp_pips.solvers.highs import run, set_options

if TYPE_CHECKING:
    from milp_pips.answer import Settings
    from milp_pips.problem import Problem
    from milp_pips.watch import Watch


class HighsLive:
    """The live model of ``LiveModel`` in HiGHS."""

    def __init__(self, problem: Problem, key: str, settings: Settings):
        variables = problem.keys[key]
        everything = len(set(variables)) == len(problem.variables)
        self._model = formulate(
            problem, settings.formulation or ("projected" if everything else "aggregated")
        )
        self._columns = self._model.key_columns(variables)
        self._least = problem.least_difference(key)
        self._highs = self._model.to_highspy()
        set_options(self._highs, settings)
        self._held: list[int] = []

    def solve(self, chosen: Sequence[int], refused: Sequence[int], watch: Watch) -> Found:
        """Look for a solution within the bounds; see ``LiveModel``."""
        self._bound(self._held, 0.0, 1.0)
        self._bound(chosen, 1.0, 1.0)
        self._bound(refused, 0.0, 0.0)
        self._held = [*chosen, *refused]
        ending = run(self._highs, watch)
        if ending.x is None:
            return Found(None, (), ending.proof, ending.stop, ending.message)
        x = np.asarray(ending.x)
        choices = self._columns[x[self._columns] > 0.5]
        return Found(
            self._model.decode(x), tuple(choices.tolist()), ending.proof, ending.stop, ending.message
        )

    def choices(self, point: Sequence[int]) -> tuple[int, ...]:
        """Return the columns of the key all of whose meanings hold in the point; see ``LiveModel``."""
        model = self._model
        holds = np.asarray(point)[model.pair_variables[model.pairs]] == model.pair_values[model.pairs]
        broken = np.unique(model.pair_columns[~holds])
        return tuple(np.setdiff1d(self._columns, broken).tolist())

    def exclude(self, choices: Sequence[int]) -> None:
        """Add the row Σ x <= number of choices - least difference; see ``LiveModel``."""
        import highspy

        count = len(choices)
        most = float(count - self._least)
        self._highs.addRow(-highspy.kHighsInf, most, count, np.array(choices, np.int32), np.ones(count))

    def _bound(self, columns: Sequence[int], lower: float, upper: float) -> None:
        count = len(columns)
        if count:
            index = np.array(sorted(columns), dtype=np.int32)
            self._highs.changeColsBounds(count, index, np.full(count, lower), np.full(count, upper))
