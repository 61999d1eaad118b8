"""Pyomo with a model that stays loaded in HiGHS: cuts go through Pyomo's persistent interface."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from milp_pips.solvers.contract import Found
from milp_pips.solvers.key_model import KeyModel
from milp_pips.solvers.pyomo import column_variables, persistent_solver, run

if TYPE_CHECKING:
    from milp_pips.answer import Settings
    from milp_pips.problem import Problem
    from milp_pips.watch import Watch


class PyomoLive:
    """The live model of ``LiveModel``, as a Pyomo model whose changes Pyomo is told one by one."""

    def __init__(self, name: str, problem: Problem, key: str, settings: Settings):
        from pyomo.environ import ConstraintList

        self._stated = KeyModel(problem, key, settings.formulation)
        self._concrete = self._stated.model.to_pyomo()
        self._concrete.cuts = ConstraintList()
        self._variables = column_variables(self._stated.model, self._concrete)
        self._engine = persistent_solver(name, settings)
        self._engine.set_instance(self._concrete)
        updates = self._engine.config.auto_updates
        for switch in updates:  # looking for changes would cost more than solving
            updates[switch] = False
        self._held: list[int] = []

    def solve(self, chosen: Sequence[int], refused: Sequence[int], watch: Watch) -> Found:
        """Look for a solution within the bounds; see ``LiveModel``."""
        self._bound(self._held, 0, 1)
        self._bound(chosen, 1, 1)
        self._bound(refused, 0, 0)
        self._held = [*chosen, *refused]
        ran = run(self._engine, self._concrete, watch)
        if not ran.has_point:
            return Found(None, (), ran.proof, ran.stop, ran.message)
        x = np.array([float(variable.value or 0.0) for variable in self._variables])
        return Found(self._stated.model.decode(x), self._stated.taken(x), ran.proof, ran.stop, ran.message)

    def choices(self, point: Sequence[int]) -> tuple[int, ...]:
        """Return the columns of the key that a point takes; see ``LiveModel``."""
        return self._stated.choices(point)

    def exclude(self, choices: Sequence[int]) -> None:
        """Add the row Σ x <= number of choices - least difference; see ``LiveModel``."""
        total: Any = sum(self._variables[j] for j in choices)
        cut = self._concrete.cuts.add(total <= len(choices) - self._stated.least)
        self._engine.add_constraints([cut])

    def _bound(self, columns: Sequence[int], lower: int, upper: int) -> None:
        variables = [self._variables[j] for j in columns]
        for variable in variables:
            variable.setlb(lower)
            variable.setub(upper)
        if variables:
            self._engine.update_variables(variables)
