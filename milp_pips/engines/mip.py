"""The base class of MIP solvers: state the problem as a 0-1 model, run the engine, and return its answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from milp_pips.engines.contract import LiveModel, MipResult
from milp_pips.engines.library import LibrarySolver, Outcome, Run
from milp_pips.problem import Deadline, Problem, Settings
from milp_pips.runtime.interruptible import build_interruptibly

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from milp_pips.formulations.milp.model import Model

__all__ = [
    "Bounded",
    "Changeable",
    "LiveMip",
    "Load",
    "Loaded",
    "MipOutcome",
    "MipSolver",
    "Relaxed",
    "Relaxing",
]


MipOutcome = Outcome
"""The outcome of a run: a 0-1 vector over the columns or None, proof, stop, message and statistics."""


class Loaded(Protocol):
    """A 0-1 model that is loaded into an engine."""

    def run(self, deadline: Deadline) -> MipOutcome:
        """Search until a 0-1 vector is found, infeasibility is proven, or the deadline passes."""


class Bounded(Loaded, Protocol):
    """A loaded 0-1 model whose bounds can be changed between runs."""

    def bound(self, columns: Sequence[int], lower: int, upper: int) -> None:
        """Set the bounds of the columns."""


class Changeable(Bounded, Protocol):
    """A loaded 0-1 model that can be changed between runs."""

    def cut(self, columns: Sequence[int], most: int) -> None:
        """Add the row Σ x <= most over the columns."""


class Relaxed(Bounded, Protocol):
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


Load: TypeAlias = Callable[["Model"], Changeable]
"""A function that loads a model into an engine, where it stays."""


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
        """Return the model loaded into the engine, as ``Loaded``, and with ``cuts`` as ``Changeable``.

        Raises UsageError for an unknown option.
        """
        raise NotImplementedError

    def live(self, problem: Problem, key: str, settings: Settings) -> LiveModel:
        """Return the problem as a model that stays loaded; see ``LiveSolver``."""
        load = partial(self.load, settings=settings, deadline=Deadline())
        return LiveMip(problem, key, settings.formulation, load)

    def stated(
        self, problem: Problem, settings: Settings, deadline: Deadline, key: str = ""
    ) -> tuple[Model, Any] | None:
        """Return the 0-1 model of a problem, see ``formulate``, and that loaded into the engine.

        None if the deadline passes first: stating a large puzzle takes long, and building it in a modelling
        library takes much longer.
        """
        from milp_pips.formulations.milp import formulate

        def load() -> tuple[Model, Any]:
            model = formulate(problem, settings.formulation, key)
            return model, self.load(model, settings, deadline)

        return build_interruptibly(load, deadline)

    def state(self, problem: Problem, settings: Settings, deadline: Deadline) -> Run | None:
        """State the problem as a 0-1 model and load it into the engine; see ``LibrarySolver``."""
        stated = self.stated(problem, settings, deadline)
        if stated is None:
            return None
        model: Model = stated[0]
        loaded: Loaded = stated[1]

        def run() -> Outcome:
            ending = loaded.run(deadline)
            point = None if ending.x is None else model.decode(ending.x)
            return ending._replace(x=point, size=model.size, formulation=model.formulation)

        return run


class LiveMip:
    """An implementation of ``LiveModel`` on an engine whose loaded model can be changed.

    Parameters
    ----------
    problem, key
        The problem, and the key by which its solutions differ.
    formulation
        The formulation of the 0-1 model.
    load
        Loads the model into the engine.
    """

    def __init__(self, problem: Problem, key: str, formulation: str, load: Load):
        from milp_pips.formulations.milp import formulate

        self._model = formulate(problem, formulation, key)
        self._columns = self._model.key_columns(problem.keys[key])
        self._least = problem.least_difference(key)
        self._loaded = load(self._model)
        self._held: list[int] = []

    def solve(self, chosen: Sequence[int], refused: Sequence[int], deadline: Deadline) -> MipResult:
        """Return a solution within the bounds, if one is found; see ``LiveModel``."""
        import numpy as np

        self._loaded.bound(self._held, 0, 1)
        self._loaded.bound(chosen, 1, 1)
        self._loaded.bound(refused, 0, 0)
        self._held = [*chosen, *refused]
        ending = self._loaded.run(deadline)
        point, taken = None, ()
        if ending.x is not None:
            x: npt.NDArray[np.float64] = np.asarray(ending.x)
            point, taken = self._model.decode(x), tuple(self._columns[x[self._columns] > 0.5].tolist())
        return MipResult(point, taken, ending.proof, ending.stop, ending.message, self._model.formulation)

    def closed(self, problem: Problem) -> tuple[int, ...]:
        """Return all columns that mean a value outside the problem's domains; see ``LiveModel``."""
        import numpy as np

        model, domains = self._model, [variable.domain for variable in problem.variables]
        pairs = zip(model.pair_variables.tolist(), model.pair_values.tolist(), strict=True)
        gone = np.array([value not in domains[v] for v, value in pairs], dtype=bool)
        return tuple(np.unique(model.pair_columns[gone[model.pairs]]).tolist())

    def choices(self, point: Sequence[int]) -> tuple[int, ...]:
        """Return the key's columns whose meanings all hold in a point; see ``LiveModel``."""
        import numpy as np

        model = self._model
        holds = np.asarray(point)[model.pair_variables[model.pairs]] == model.pair_values[model.pairs]
        broken = np.unique(model.pair_columns[~holds])
        return tuple(np.setdiff1d(self._columns, broken).tolist())

    def exclude(self, choices: Sequence[int]) -> None:
        """Add the row Σ x <= number of choices - least difference; see ``LiveModel``."""
        self._loaded.cut(choices, len(choices) - self._least)
