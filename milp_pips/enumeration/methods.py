"""Enumerate all solutions of a problem with an engine, by cuts or natively.

Each method yields points that differ in the key, and returns a proof and a stop. An engine is faulty if it
returns a solution that was cut off, or the same whole point twice: the list would be wrong, or endless.

``Listing`` states what to enumerate. ``RestatedModel`` is the model for a solver that keeps no live one.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from typing import Protocol, cast

from milp_pips.constraints import NoGood
from milp_pips.engines.contract import EnumeratingSolver, LiveModel, LiveSolver, MipResult, Points, Solver
from milp_pips.engines.execution import ask, checked_answer, checked_point
from milp_pips.engines.registry import available
from milp_pips.problem import Deadline, EngineFault, Problem, Proof, Settings, Stop, UsageError
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
            model.exclude(model.choices(point))
    seen = {listing.key_of(point) for point in known}
    while True:
        if deadline.stop:  # a solve may end before its engine checks the deadline
            return Proof.NONE, deadline.stop
        with PluginErrors(f"{listing.solver} failed"):
            found = model.solve((), (), deadline)
            listing.used.add(found.formulation)
        if found.point is None:
            return final_result(listing, found, deadline)
        record_key(listing, listing.key_of(found.point), seen, "a solution that was cut off")
        yield found.point
        with PluginErrors(f"{listing.solver} failed"):
            model.exclude(found.choices)


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


def usual_method(solver: Solver, problem: Problem) -> str:
    """Return a solver's default method: native if it can and keeps no live model, else partition.

    An engine that lists points would list a solution again for every value of its auxiliary variables, so for
    a problem that does not determine these it must project on the key itself.
    """
    native = "enumeration" in solver.features and "cuts" not in solver.features
    once = problem.determined or not problem.auxiliary
    return "native" if native and (once or "projection" in solver.features) else "partition"


def record_key(listing: Listed, key: tuple[int, ...], seen: set[tuple[int, ...]], what: str) -> None:
    """Record the key of a point in ``seen``. Raises EngineFault if it is there already."""
    if key in seen:
        raise EngineFault(f"{listing.solver} gave {what}: number {len(seen) + 1} was seen before")
    seen.add(key)


def final_result(listing: Listed, found: MipResult, deadline: Deadline) -> tuple[Proof, Stop]:
    """Return the proof and stop of a list whose last solve found nothing: infeasible means complete.

    Raises EngineFault if the engine failed.
    """
    if found.proof is Proof.INFEASIBLE:
        return Proof.COMPLETE, Stop.FINISHED
    if found.stop is Stop.ERROR and not deadline.stop:  # some engines report an interruption as an error
        raise EngineFault(f"{listing.solver} failed: {found.message}")
    return Proof.NONE, deadline.stop or found.stop


# The listing, and the model that the solver solves again and again.


class Listed(Protocol):
    """What is enumerated, a ``Listing`` or a ``BoxListing``."""

    @property
    def solver(self) -> str:
        """The name of the solver."""

    @property
    def used(self) -> set[str]:
        """The formulations that the solver has used so far; empty if it has not been called."""

    def key_of(self, point: Sequence[int]) -> tuple[int, ...]:
        """Return the values by which solutions differ."""


@dataclass(frozen=True)
class Listing:
    """The problem to enumerate, its key, and the solver with its settings."""

    problem: Problem
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

        None if the deadline expires before the model is built.
        """
        if "cuts" not in self.engine.features:
            return RestatedModel(self)
        live = cast("LiveSolver", self.engine).live
        return build_interruptibly(lambda: live(self.problem, self.key, self.settings), deadline)


class RestatedModel:
    """A live model for any solver: every solve restricts, extends and restates the problem.

    A choice is the number of a pair (variable of the key, value).
    """

    def __init__(self, listing: Listing):
        self._problem = problem = listing.problem
        self._listing = listing
        self._variables = problem.keys[listing.key]
        domains = [problem.variables[v].domain for v in self._variables]
        firsts = [0, *accumulate(map(len, domains))]
        self._pairs = [(v, a) for v, domain in zip(self._variables, domains, strict=True) for a in domain]
        self._first = dict(zip(self._variables, firsts, strict=False))
        self._least = problem.least_difference(listing.key)

    def solve(self, chosen: Sequence[int], refused: Sequence[int], deadline: Deadline) -> MipResult:
        """Solve the problem with its domains restricted; see ``LiveModel``."""
        if deadline.stop:  # an engine that answers before it checks the deadline would never stop
            return MipResult(None, (), Proof.NONE, deadline.stop)
        problem = self._problem_of(chosen, refused)
        if not all(variable.domain for variable in problem.variables):
            return MipResult(None, (), Proof.INFEASIBLE, Stop.FINISHED)
        solver, settings, name = self._listing.own_solver, self._listing.settings, self._listing.solver
        if solver is None:
            answer = ask(name, problem, settings, deadline)
        else:
            with PluginErrors(f"{name} failed"):
                answer = checked_answer(solver.solve(problem, settings, deadline), problem, name)
        if answer.point is None:
            return MipResult(None, (), answer.proof, answer.stop, answer.message, answer.formulation)
        with PluginErrors(f"{name} gave a point outside the domains"):
            choices = self.choices(answer.point)
        return MipResult(answer.point, choices, answer.proof, answer.stop, answer.message, answer.formulation)

    def choices(self, point: Sequence[int]) -> tuple[int, ...]:
        """Return the pairs of the key that the point takes; see ``LiveModel``."""
        variables = self._problem.variables
        return tuple(self._first[v] + variables[v].domain.index(point[v]) for v in self._variables)

    def closed(self, problem: Problem) -> tuple[int, ...]:
        """Return the pairs of the key whose values are not in the problem's domains; see ``LiveModel``."""
        domains = [variable.domain for variable in problem.variables]
        return tuple([c for c, (v, a) in enumerate(self._pairs) if a not in domains[v]])

    def _problem_of(self, chosen: Sequence[int], refused: Sequence[int]) -> Problem:
        domains: dict[int, set[int]] = {}
        for v, a in (self._pairs[c] for c in chosen):
            domains[v] = {a}
        for v, a in (self._pairs[c] for c in refused):
            domains.setdefault(v, set(self._problem.variables[v].domain)).discard(a)
        return self._problem.restricted(domains)

    def exclude(self, choices: Sequence[int]) -> None:
        """Add a no-good to the problem; see ``LiveModel``."""
        values = tuple(self._pairs[c][1] for c in choices)
        self._problem = self._problem.with_constraints([NoGood(self._variables, values, least=self._least)])
