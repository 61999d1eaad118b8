"""Enumerate all solutions of a problem with an engine, by cuts or natively.

Each method yields points that differ in the key, and returns a proof and a stop. An engine is faulty if it
returns a solution that was cut off, or the same whole point twice: the list would be wrong, or endless.

``Listing`` states what to enumerate. ``RestatedModel`` is the model for a solver that keeps no live one.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, cast

from milp_pips.constraints import NoGood
from milp_pips.engines.contract import EnumeratingSolver, LiveModel, LiveSolver, Points, Solver
from milp_pips.engines.registry import ask, available, checked_answer, checked_point
from milp_pips.problem import Answer, Deadline, EngineFault, Problem, Proof, Settings, Stop, UsageError
from milp_pips.problem.fields import shown
from milp_pips.problem.plugins import PluginErrors
from milp_pips.propagation import DEFAULT_RULES
from milp_pips.runtime.interruptible import build_interruptibly


def list_by_cuts(listing: Listing, deadline: Deadline, known: Sequence[Sequence[int]] = ()) -> Points:
    """Yield all solutions: solve, cut the solution off, solve again (Balas and Jeroslow 1972).

    The ``known`` points of an earlier run are cut off first. Each solve is as hard as the last or harder.
    """
    with PluginErrors(f"{listing.solver} failed"):
        model = listing.model(deadline)
        if model is None:
            return Proof.NONE, deadline.stop or Stop.INTERRUPTED
        for point in known:
            model.exclude(point)
    seen = {listing.key_of(point) for point in known}
    while True:
        if deadline.stop:  # a solve may end before its engine checks the deadline
            return Proof.NONE, deadline.stop
        with PluginErrors(f"{listing.solver} failed"):
            found = model.solve(listing.problem, deadline)
            listing.used.add(found.formulation)
        if found.point is None:
            return final_result(listing, found, deadline)
        record_key(listing, listing.key_of(found.point), seen, "a solution that was cut off")
        yield tuple(found.point)
        with PluginErrors(f"{listing.solver} failed"):
            model.exclude(found.point)


def list_natively(listing: Listing, deadline: Deadline) -> Points:
    """Yield the solutions that the engine enumerates itself, only the first of those with the same key."""
    engine = listing.engine
    if "enumeration" not in engine.features:
        raise UsageError(f"{listing.solver} has no enumeration of its own; use --method cuts or partition")
    with PluginErrors(f"{listing.solver} failed"):
        points = cast("EnumeratingSolver", engine).points(
            listing.problem, listing.key, listing.settings, deadline
        )
    if not isinstance(points, Generator):
        raise EngineFault(f"{listing.solver} gave no generator of points, but {shown(points)}")
    keys: set[tuple[int, ...]] = set()
    wholes: set[tuple[int, ...]] = set()
    try:
        while True:
            with PluginErrors(f"{listing.solver} failed"):
                point = checked_point(next(points), listing.problem, listing.solver)
            if not listing.published:  # a published model may state a solution in several ways
                record_key(listing, point, wholes, "a point twice")
            key = listing.key_of(point)
            if key not in keys:
                keys.add(key)
                yield point
            if not key:  # with an empty key no two solutions differ
                return Proof.COMPLETE, Stop.FINISHED
    except StopIteration as end:
        match end.value:
            case (Proof() as proof, Stop() as stop):
                return proof, stop
        reason = f"it returned {shown(end.value)}, no pair of proof and stop"
        raise EngineFault(f"{listing.solver} does not state how its list ended: {reason}") from None
    finally:
        points.close()


def lists_by_itself(solver: Solver, problem: Problem) -> bool:
    """Return whether a solver's own enumeration is its usual way to list the solutions of a problem.

    An engine that lists points would list a solution again for every value of its auxiliary variables, so for
    a problem that does not determine these it must project on the key itself.
    """
    once = problem.determined or not problem.auxiliary
    return "enumeration" in solver.features and (once or "projection" in solver.features)


def record_key(listing: Listing, key: tuple[int, ...], seen: set[tuple[int, ...]], what: str) -> None:
    """Record the key of a point in ``seen``. Raises EngineFault if it is there already."""
    if key in seen:
        raise EngineFault(f"{listing.solver} gave {what}: number {len(seen) + 1} was seen before")
    seen.add(key)


def final_result(listing: Listing, found: Answer, deadline: Deadline) -> tuple[Proof, Stop]:
    """Return the proof and stop of a list whose last solve found nothing: infeasible means complete.

    Raises EngineFault if the engine failed.
    """
    if found.proof is Proof.INFEASIBLE:
        return Proof.COMPLETE, Stop.FINISHED
    if found.stop is Stop.ERROR and not deadline.stop:  # some engines report an interruption as an error
        raise EngineFault(f"{listing.solver} failed: {found.message}")
    return Proof.NONE, deadline.stop or found.stop


# The listing, and the model that the solver solves again and again.


@dataclass(frozen=True)
class Listing:
    """The problem to enumerate, its key, and the solver with its settings."""

    problem: Any
    """A ``Problem`` or a ``LinearProblem``."""
    key: str
    solver: str
    settings: Settings = Settings()
    own_solver: Solver | None = None
    """The solver itself, if it must run in this process whatever ``ask`` would do."""
    used: set[str] = field(default_factory=set)
    """The formulations that the solver has used so far; empty if it has not reported them."""

    @property
    def engine(self) -> Solver:
        """The solver. Raises UsageError if it cannot run on this machine."""
        return self.own_solver or available(self.solver, self.settings)

    @cached_property  # it is looked up for each point of a native list
    def published(self) -> bool:
        """Whether the formulation is a published model, which may state a solution in several ways."""
        engine = self.engine
        return (self.settings.formulation or engine.formulations[0]) in engine.published

    @cached_property  # every subproblem reads it
    def filters(self) -> bool:
        """Whether to filter parts of the problem: not for a published model, nor if the rules exclude it."""
        rules = DEFAULT_RULES if self.settings.rules is None else self.settings.rules
        return "filtering" in rules and not self.published

    def key_of(self, point: Sequence[int]) -> tuple[int, ...]:
        """Return the values of the key's variables, by which solutions differ."""
        return tuple([point[v] for v in self.problem.keys[self.key]])

    def model(self, deadline: Deadline) -> LiveModel | None:
        """Return a model that can be solved again and again: a live model if the solver has one.

        An engine that takes linear problems keeps each of them loaded. None if the deadline expires before
        the model is built.
        """
        if "cuts" not in self.engine.features and isinstance(self.problem, Problem):
            return RestatedModel(self)
        live = cast("LiveSolver", self.engine).live
        return build_interruptibly(lambda: live(self.problem, self.key, self.settings), deadline)


class RestatedModel:
    """A live model for any solver: every solve states the problem anew, with the solutions cut off so far."""

    def __init__(self, listing: Listing):
        self._listing, self._cuts = listing, list[NoGood]()
        self._variables = listing.problem.keys[listing.key]

    def solve(self, within: Problem, deadline: Deadline) -> Answer:
        """Solve the problem within its domains; see ``LiveModel``."""
        if deadline.stop:  # an engine that answers before it checks the deadline would never stop
            return Answer(None, Proof.NONE, deadline.stop)
        if not all(variable.domain for variable in within.variables):
            return Answer(None, Proof.INFEASIBLE, Stop.FINISHED)
        problem = within.with_constraints(self._cuts)
        solver, settings, name = self._listing.own_solver, self._listing.settings, self._listing.solver
        if solver is None:
            return ask(name, problem, settings, deadline)
        with PluginErrors(f"{name} failed"):
            return checked_answer(solver.solve(problem, settings, deadline), problem, name)

    def exclude(self, point: Sequence[int]) -> None:
        """Add a no-good to the problem; see ``LiveModel``."""
        least = self._listing.problem.least_difference(self._listing.key)
        self._cuts.append(NoGood(self._variables, self._listing.key_of(point), least=least))
