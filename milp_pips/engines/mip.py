"""The base class of MIP solvers: state the problem as a 0-1 model, run the engine, and return its answer."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from math import inf
from typing import TYPE_CHECKING, Any, Protocol

from milp_pips.engines.contract import LiveModel, Loaded
from milp_pips.engines.library import LibrarySolver, Run
from milp_pips.problem import Answer, Deadline, Problem, Proof, Settings, Stop
from milp_pips.runtime.interruptible import build_interruptibly

if TYPE_CHECKING:
    from milp_pips.formulations.linear_problem import LinearProblem
    from milp_pips.formulations.milp.model import EncodedModel
    from milp_pips.formulations.model import Model

__all__ = ["LiveMip", "Loaded", "MipSolver", "Relaxed", "Relaxing"]


class Relaxed(Loaded, Protocol):
    """The LP relaxation of a 0-1 model, loaded into an engine: columns take any value from 0 to 1.

    A run returns a vertex of least cost. No vertex, with ``Proof.INFEASIBLE``, means that there is no point.
    """

    def reduced_costs(self) -> Sequence[float]:
        """Return the reduced cost of each column at the vertex of the last run."""


class Relaxing(Protocol):
    """A solver with the feature ``relaxation``."""

    def relax(self, model: Model, *, cuts: bool = False) -> Relaxed:
        """Return the LP relaxation of the model, or with ``cuts`` the root node of branch and cut instead.

        The root node propagates, solves the LP and adds cuts to it, without presolve and heuristics. There is
        no branching. ``Proof.INFEASIBLE`` means that the root node excludes all points.
        """


class MipSolver(LibrarySolver):
    """A solver of the 0-1 model; a subclass implements ``load``."""

    kind = "mip"
    transformations = ("filter", "linearise")

    @cached_property
    def formulations(self) -> tuple[str, ...]:  # type: ignore[override]
        """The formulations of the 0-1 model; each is a choice for the constraint that it states."""
        from milp_pips.formulations.milp import choices

        return tuple(choices())

    def load(self, model: Model, settings: Settings, deadline: Deadline) -> Any:
        """Return the model loaded into the engine, as ``Loaded``; without ``cuts`` it needs only ``run``.

        Raises UsageError for an unknown option.
        """
        raise NotImplementedError

    def solve(self, problem: Problem | LinearProblem, settings: Settings, deadline: Deadline) -> Answer:
        """Return the answer of one run; see ``Solver``."""
        if isinstance(problem, Problem):
            return super().solve(problem, settings, deadline)
        self.check(settings)
        begun = time.perf_counter()
        live = build_interruptibly(lambda: self.live(problem, "", settings), deadline)
        built = time.perf_counter()
        if live is None:
            return Answer(None, Proof.NONE, deadline.stop or Stop.INTERRUPTED)
        answer = live.solve(problem, deadline)
        return replace(answer, seconds={"build": built - begun, "solve": time.perf_counter() - built})

    def live(self, problem: Problem | LinearProblem, key: str, settings: Settings) -> LiveModel:
        """Return the problem as a model that stays loaded; see ``LiveSolver``."""
        if isinstance(problem, Problem):
            from milp_pips.formulations.milp import formulate

            model = formulate(problem, settings.formulation, key)
            return LiveMip(problem, key, model, self.load(model, settings, Deadline()))
        from milp_pips.engines.exact_search import ExactSearch  # puzzles do not need it

        return ExactSearch(problem, self.load(problem.model, settings, Deadline()), self.name)

    def stated(
        self, problem: Problem, settings: Settings, deadline: Deadline, key: str = ""
    ) -> tuple[EncodedModel, Any] | None:
        """Return the 0-1 model of a problem, see ``formulate``, and that loaded into the engine.

        None if the deadline passes first: stating a large puzzle takes long, and building it in a modelling
        library takes much longer.
        """
        from milp_pips.formulations.milp import formulate

        def load() -> tuple[EncodedModel, Any]:
            model = formulate(problem, settings.formulation, key)
            return model, self.load(model, settings, deadline)

        return build_interruptibly(load, deadline)

    def state(self, problem: Problem, settings: Settings, deadline: Deadline) -> Run | None:
        """State the problem as a 0-1 model and load it into the engine; see ``LibrarySolver``."""
        stated = self.stated(problem, settings, deadline)
        if stated is None:
            return None
        model, loaded = stated

        def run() -> Answer:
            answer: Answer = loaded.run(deadline)
            point = None if answer.point is None else model.decode(answer.point)
            return replace(answer, point=point, size=model.size, formulation=model.formulation)

        return run


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
        self._columns = model.key_columns(problem.keys[key])
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
        import numpy as np

        model, domains = self._model, [variable.domain for variable in within.variables]
        pairs = zip(model.pair_variables.tolist(), model.pair_values.tolist(), strict=True)
        gone = np.array([value not in domains[v] for v, value in pairs], dtype=bool)
        return tuple(np.unique(model.pair_columns[gone[model.pairs]]).tolist())

    def exclude(self, point: Sequence[int]) -> None:
        """Add the row Σ x <= number of columns - least difference, over the key's columns that are 1."""
        import numpy as np

        model = self._model
        holds = np.asarray(point)[model.pair_variables[model.pairs]] == model.pair_values[model.pairs]
        broken = np.unique(model.pair_columns[~holds])
        ones = np.setdiff1d(self._columns, broken).tolist()
        self._loaded.add_row(ones, [1.0] * len(ones), -inf, len(ones) - self._least)
