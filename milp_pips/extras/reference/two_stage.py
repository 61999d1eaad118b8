"""The two-stage solver: it enumerates all layouts of the dominoes and all grids of values, and joins them.

This is the method of a published solution of Pips ("the *link* problem and the *value* problem"), for any
problem with one ``DominoCover`` and on any engine. The solver calls other solvers and methods of enumeration,
so it is in a layer above them and is registered by name, like a plugin.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from milp_pips.constraints import DominoCover, covers_of
from milp_pips.engines import registry
from milp_pips.engines.contract import PointIterator, Points
from milp_pips.problem.answer import Answer, Proof, Settings, Stop
from milp_pips.problem.errors import EngineFault, UsageError
from milp_pips.problem.problem import Problem

if TYPE_CHECKING:
    from milp_pips.extras.reference.stages import Stages
    from milp_pips.problem.stopping import Deadline

TWO_STAGE = "two-stage"
ENGINE = "cp-sat"
"""The default engine of both stages: it enumerates points itself, many of them in a second."""

NOTHING_TO_SPLIT = "nothing to split: the problem has no domino cover, so {} has solved it as it is"


class TwoStageSolver:
    """A solver that lists all layouts and all grids of values, and finds the pairs that match.

    Its formulations are stopping criteria: ``streamed`` stops at the first pair that matches, ``counted``
    after both stages, so that both numbers are complete.

    Parameters
    ----------
    variant
        Name of the engine for both stages.
    """

    formulations = ("streamed", "counted")
    published = frozenset(formulations)
    variants = "any other solver, such as highs or scip"

    def __init__(self, variant: str = ""):
        self._engine = variant or ENGINE
        if self._engine.partition(":")[0] == TWO_STAGE:
            raise UsageError(f"the stages of {TWO_STAGE} cannot work in two stages themselves")
        engine = registry.solver(self._engine)
        self._solver = engine
        self.name = f"{TWO_STAGE}:{variant}" if variant else TWO_STAGE
        self.kind = engine.kind
        self.title = f"two stages on {engine.title}"
        self.requires = engine.requires
        self.distribution = engine.distribution
        self.features = engine.features - {"space", "objective", *registry.FEATURE_METHODS} | {"enumeration"}
        self.isolated = engine.isolated
        self.clashes = engine.clashes
        self.proof_family = engine.proof_family
        self.transformations = tuple(step for step in engine.transformations if step != "filter")

    def known_variants(self) -> Iterator[str]:
        """Yield the names of all other solvers, with their variants."""
        for name, solver in registry.solvers():
            if name != TWO_STAGE and not isinstance(solver, str):
                yield name
                yield from (f"{name}:{variant}" for variant in solver.known_variants())

    def unavailable(self) -> str:
        """Return why the engine of the stages cannot run on this machine; empty if it can."""
        reason = self._solver.unavailable()
        if reason and self._engine == ENGINE:
            return f"{reason}, or name another engine, such as {TWO_STAGE}:highs"
        return reason

    def version(self) -> str:
        """Return the version of the engine of the stages."""
        return self._solver.version()

    def solve(self, problem: Problem, settings: Settings, deadline: Deadline) -> Answer:
        """Return a point, with the numbers of layouts and of grids of values; see ``Solver``.

        The name of an incomplete number ends in ``so far``. If the problem has no domino cover, the engine
        solves it as it is, and the message states that. Raises UsageError if it has several covers.
        """
        begun = time.perf_counter()
        formulation = self._formulation(settings)
        settings = replace(settings, formulation="")
        cover = _cover(problem)
        if cover is None:
            answer = self._solver.solve(problem, settings, deadline)
            message = "; ".join(filter(None, [NOTHING_TO_SPLIT.format(self._engine), answer.message]))
            return replace(answer, formulation=formulation, message=message)
        stages = self._stages(problem, cover, settings, deadline)
        built = time.perf_counter()
        point, message = None, ""
        proof, stop = Proof.FEASIBLE, Stop.FINISHED
        try:
            for another in (points := PointIterator(stages.points())):
                point = point or another
                if formulation != "counted":
                    break
            if points.ended:
                proof, stop = points.end
        except EngineFault as fault:
            proof, stop, message = Proof.NONE, Stop.ERROR, str(fault)
        if point is not None:
            proof = Proof.FEASIBLE
        elif proof is Proof.COMPLETE:
            proof = Proof.INFEASIBLE
        if stop is Stop.MEMORY:
            message = "neither the layouts nor the grids of values are few enough to be kept in memory"
        elif stop is Stop.ERROR:
            message = message or f"{self._engine} has failed in one of the stages"
        seconds = {"build": built - begun, "solve": time.perf_counter() - built}
        return Answer(point, proof, stop, message, stages.counts(), formulation=formulation, seconds=seconds)

    def points(self, problem: Problem, key: str, settings: Settings, deadline: Deadline) -> Points:
        """Yield one point per solution that differs in the key; see ``EnumeratingSolver``."""
        from milp_pips.extras.reference.stages import list_points

        self._formulation(settings)
        settings = replace(settings, formulation="")
        cover = _cover(problem)
        if cover is None:
            return (yield from list_points(self._engine, problem, key, settings, deadline))
        points = PointIterator(self._stages(problem, cover, settings, deadline).points())
        known: set[tuple[int, ...]] = set()
        for point in points:
            seen = tuple(point[v] for v in problem.keys[key])
            if seen not in known:
                known.add(seen)
                yield point
        return points.end

    def _formulation(self, settings: Settings) -> str:
        """Return the requested formulation, else the default. Raises UsageError."""
        if settings.formulation and settings.formulation not in self.formulations:
            known = ", ".join(self.formulations)
            raise UsageError(f"unknown formulation {settings.formulation!r}; {TWO_STAGE} knows: {known}")
        return settings.formulation or self.formulations[0]

    def _stages(self, problem: Problem, cover: DominoCover, settings: Settings, deadline: Deadline) -> Stages:
        from milp_pips.extras.reference.stages import Stages, split

        return Stages(split(problem, cover), self._engine, settings, deadline)


def _cover(problem: Problem) -> DominoCover | None:
    """Return the only domino cover of the problem, or None if it has none. Raises UsageError for several."""
    covers = covers_of(problem.constraints)
    if len(covers) > 1:
        raise UsageError(
            f"{TWO_STAGE} takes a problem with one domino cover apart; this one has {len(covers)}"
        )
    return covers[0] if covers else None
