"""HiGHS with a model that stays loaded: cuts are added and bounds changed without building it again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from milp_pips.solvers.contract import Found
from milp_pips.solvers.highs import run, set_options
from milp_pips.solvers.key_model import KeyModel

if TYPE_CHECKING:
    from milp_pips.answer import Settings
    from milp_pips.problem import Problem
    from milp_pips.watch import Watch


class HighsLive:
    """The live model of ``LiveModel`` in HiGHS."""

    def __init__(self, problem: Problem, key: str, settings: Settings):
        self._stated = KeyModel(problem, key, settings.formulation)
        self._highs = self._stated.model.to_highspy()
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
        point, choices = self._stated.model.decode(x), self._stated.taken(x)
        return Found(point, choices, ending.proof, ending.stop, ending.message)

    def choices(self, point: Sequence[int]) -> tuple[int, ...]:
        """Return the columns of the key that a point takes; see ``LiveModel``."""
        return self._stated.choices(point)

    def exclude(self, choices: Sequence[int]) -> None:
        """Add the row Σ x <= number of choices - least difference; see ``LiveModel``."""
        import highspy

        count = len(choices)
        most = float(count - self._stated.least)
        self._highs.addRow(-highspy.kHighsInf, most, count, np.array(choices, np.int32), np.ones(count))

    def _bound(self, columns: Sequence[int], lower: float, upper: float) -> None:
        count = len(columns)
        if count:
            index = np.array(sorted(columns), dtype=np.int32)
            self._highs.changeColsBounds(count, index, np.full(count, lower), np.full(count, upper))
