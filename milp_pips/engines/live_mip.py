"""A problem as a 0-1 model that stays loaded in a MIP engine, which finds one solution after another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import inf

import numpy as np

from milp_pips.engines.contract import Loaded
from milp_pips.formulations.milp.model import EncodedModel
from milp_pips.problem import Answer, Deadline, Problem


class LiveMip:
    """An implementation of ``LiveModel`` on an engine whose loaded model can be changed.

    Parameters
    ----------
    problem, key
        The problem, and the key by which its solutions differ.
    model, loaded
        The 0-1 model of the problem, with columns for the key, and that loaded into the engine.
    """

    def __init__(self, problem: Problem, key: str, model: EncodedModel, loaded: Loaded):
        self._problem, self._model, self._loaded = problem, model, loaded
        self._variables = sorted(set(problem.keys[key]))
        self._least = problem.least_difference(key)
        self._closed: Sequence[int] = ()

    def solve(self, within: Problem, deadline: Deadline) -> Answer:
        """Return a solution within the domains, if one is found; see ``LiveModel``."""
        self._loaded.bound(self._closed, 0, 1)
        self._closed = () if within is self._problem else self._outside(within)
        self._loaded.bound(self._closed, 0, 0)
        answer = self._loaded.run(deadline)
        point = None if answer.point is None else self._model.decode(answer.point)
        return replace(answer, point=point, formulation=self._model.formulation)

    def _outside(self, within: Problem) -> tuple[int, ...]:
        """Return all columns that mean a value outside the domains."""
        model, domains = self._model, [variable.domain for variable in within.variables]
        pairs = zip(model.pair_variables.tolist(), model.pair_values.tolist(), strict=True)
        gone = np.array([value not in domains[v] for v, value in pairs], dtype=bool)
        return tuple(np.unique(model.pair_columns[gone[model.pairs]]).tolist())

    def exclude(self, point: Sequence[int]) -> None:
        """Add the row: of the key's pairs (variable = value) that the point has, not all hold any more.

        A pair is the sum of its columns. So the row cuts off all vectors that state the same solution, and it
        is divided by the greatest common divisor of its coefficients.
        """
        model = self._model
        variables = model.pair_variables[model.pairs]
        holds = np.asarray(point)[variables] == model.pair_values[model.pairs]
        columns = model.pair_columns[holds & np.isin(variables, self._variables)]
        ones, times = np.unique(columns, return_counts=True)
        common = int(np.gcd.reduce(times)) if len(times) else 1
        most = (len(self._variables) - self._least) // common
        self._loaded.add_row(ones.tolist(), (times // common).tolist(), -inf, most)
