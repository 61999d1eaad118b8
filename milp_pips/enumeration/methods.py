"""All solutions of a problem by an engine, one after the other: by cuts, or natively.

Each yields points of which no two agree in the key, and ends with proof and stop. An engine that gives a
solution again that was cut off, or a whole point twice, has a fault: the list would be wrong, or endless.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, cast

from milp_pips.engines.contract import MipResult
from milp_pips.engines.execution import ask, checked_answer, checked_point
from milp_pips.engines.registry import available
from milp_pips.problem.answer import Proof, Settings, Stop
from milp_pips.problem.errors import EngineFault, UsageError
from milp_pips.problem.fields import shown
from milp_pips.problem.plugins import PluginErrors
from milp_pips.problem.problem import NoGood
from milp_pips.propagation import DEFAULT_RULES
from milp_pips.runtime.interruptible import build_interruptibly

if TYPE_CHECKING:
    from milp_pips.engines.contract import EnumeratingSolver, LiveModel, LiveSolver, Points, Solver
    from milp_pips.problem.problem import Problem
    from milp_pips.problem.stopping import Deadline


def list_by_cuts(listing: Listing, deadline: Deadline, known: Sequence[Sequence[int]] = ()) -> Points:
    """Solve, cut the solution off, solve again, until there is none (Balas and Jeroslow 1972).

    ``known`` points, of an earlier run, are cut off first. Each solve is as hard as the last or harder.
    """
    with PluginErrors(f"{listing.solver} failed"):
        model = listing.model(deadline)
        if model is None:
            return Proof.NONE, deadline.stop or Stop.INTERRUPTED
        for point in known:
            model.exclude(model.choices(point))
    seen = {listing.key_of(point) for point in known}
    while True:
        if deadline.stop:  # a solve may be over before its engine looks at the clock
            return Proof.NONE, deadline.stop
        with PluginErrors(f"{listing.solver} failed"):
            found = model.solve((), (), deadline)
            listing.used.add(found.formulation)
        if found.point is None:
            return ending_of(listing, found, deadline)
        see(listing, listing.key_of(found.point), seen, "a solution that was cut off")
        yield found.point
        with PluginErrors(f"{listing.solver} failed"):
            model.exclude(found.choices)


def list_natively(listing: Listing, deadline: Deadline) -> Points:
    """Let the engine list all solutions itself; of points that agree in the key the first is yielded."""
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
            if not listing.published:  # which may say a solution several ways
                see(listing, point, wholes, "a point twice")
            key = listing.key_of(point)
            if key not in keys:
                keys.add(key)
                yield point
            if not key:  # nobody sees by what another could differ
                return Proof.COMPLETE, Stop.FINISHED
    except StopIteration as end:
        match end.value:
            case (Proof() as proof, Stop() as stop):
                return proof, stop
        told = f"it returned {shown(end.value)}, no pair of proof and stop"
        raise EngineFault(f"{listing.solver} does not say how its list ended: {told}") from None
    finally:
        points.close()


def usual_method(solver: Solver) -> str:
    """Return how a solver lists by itself: natively if it can and keeps no live model, else by partition."""
    return "native" if "enumeration" in solver.features and "cuts" not in solver.features else "partition"


def see(listing: Listing, key: tuple[int, ...], seen: set[tuple[int, ...]], what: str) -> None:
    """Note the values of a point. Raises EngineFault if they have been seen."""
    if key in seen:
        raise EngineFault(f"{listing.solver} gave {what}: number {len(seen) + 1} was seen before")
    seen.add(key)


def ending_of(listing: Listing, found: MipResult, deadline: Deadline) -> tuple[Proof, Stop]:
    """Turn "no solution here" into "complete", and an engine's failure into an error."""
    if found.proof is Proof.INFEASIBLE:
        return Proof.COMPLETE, Stop.FINISHED
    if found.stop is Stop.ERROR and not deadline.stop:  # some engines call an interruption an error
        raise EngineFault(f"{listing.solver} failed: {found.message}")
    return Proof.NONE, deadline.stop or found.stop


# What is to be listed, and the model that a solver is asked about again and again.


@dataclass(frozen=True)
class Listing:
    """What is to be listed, and by whom."""

    problem: Problem
    key: str
    solver: str
    settings: Settings = Settings()
    here: Solver | None = None
    """The solver itself, where it is asked in this process whatever ``ask`` would do."""
    used: set[str] = field(default_factory=set)
    """The formulations in which the solver has been asked so far; empty where it has not said."""

    @property
    def engine(self) -> Solver:
        """The solver. Raises UsageError if it cannot run here."""
        return self.here or available(self.solver, self.settings)

    @cached_property  # it is looked up for each point of a native list
    def published(self) -> bool:
        """Whether the formulation states a published model, which may say a solution several ways."""
        engine = self.engine
        return (self.settings.formulation or engine.formulations[0]) in engine.published

    @cached_property  # the parts ask again and again
    def filters(self) -> bool:
        """Whether parts of the problem are filtered: not a published model's, nor where nobody wants it."""
        rules = DEFAULT_RULES if self.settings.rules is None else self.settings.rules
        return "filtering" in rules and not self.published

    def key_of(self, point: Sequence[int]) -> tuple[int, ...]:
        """Return the values by which the point differs from others."""
        return tuple(point[v] for v in self.problem.keys[self.key])

    def model(self, deadline: Deadline) -> LiveModel | None:
        """Return the problem as a model that can be asked again and again: live where the solver can.

        None where the deadline says stop before it is stated.
        """
        if "cuts" not in self.engine.features:
            return RestatedModel(self)
        live = cast("LiveSolver", self.engine).live
        return build_interruptibly(lambda: live(self.problem, self.key, self.settings), deadline)


class RestatedModel:
    """A live model for any solver: the problem is restricted, extended and stated anew for every question.

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
        """Ask the solver about the problem with its domains restricted; see ``LiveModel``."""
        if deadline.stop:  # an engine that answers before it looks at the clock would go on and on
            return MipResult(None, (), Proof.NONE, deadline.stop)
        problem = self._problem_of(chosen, refused)
        if not all(variable.domain for variable in problem.variables):
            return MipResult(None, (), Proof.INFEASIBLE, Stop.FINISHED)
        here, settings, who = self._listing.here, self._listing.settings, self._listing.solver
        if here is None:
            answer = ask(who, problem, settings, deadline)
        else:
            with PluginErrors(f"{who} failed"):
                answer = checked_answer(here.solve(problem, settings, deadline), problem, who)
        if answer.point is None:
            return MipResult(None, (), answer.proof, answer.stop, answer.message, answer.formulation)
        with PluginErrors(f"{who} gave a point outside the domains"):
            choices = self.choices(answer.point)
        return MipResult(answer.point, choices, answer.proof, answer.stop, answer.message, answer.formulation)

    def choices(self, point: Sequence[int]) -> tuple[int, ...]:
        """Return the pairs of the key that the point takes; see ``LiveModel``."""
        variables = self._problem.variables
        return tuple(self._first[v] + variables[v].domain.index(point[v]) for v in self._variables)

    def closed(self, problem: Problem) -> tuple[int, ...]:
        """Return the pairs of the key that the problem leaves out; see ``LiveModel``."""
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
