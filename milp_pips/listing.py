"""The ways in which engines list all solutions of a problem: by cuts, by partition, natively.

Each yields points of which no two agree in the key, and ends with proof and stop. An engine that gives a
solution again that was cut off, or that lies outside the part it was asked about, or a whole point twice, has
a fault: it would make the list wrong, or endless.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import TYPE_CHECKING, cast

from milp_pips.answer import Proof, Settings, Stop
from milp_pips.errors import EngineFault, UsageError
from milp_pips.plugins import Blame, available
from milp_pips.problem import NoGood
from milp_pips.process import ask, checked_answer, checked_point
from milp_pips.process.crew import Alone, Crew, Part
from milp_pips.solvers.contract import Found

if TYPE_CHECKING:
    from milp_pips.problem import Problem
    from milp_pips.solvers.contract import EnumeratingSolver, LiveModel, LiveSolver, Points, Solver
    from milp_pips.watch import Watch


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
        return self.here or available(self.solver)

    def key_of(self, point: Sequence[int]) -> tuple[int, ...]:
        """Return the values by which the point differs from others."""
        return tuple(point[v] for v in self.problem.keys[self.key])

    def model(self) -> LiveModel:
        """Return the problem as a model that can be asked again and again: live where the solver can."""
        if "cuts" in self.engine.features:
            return cast("LiveSolver", self.engine).live(self.problem, self.key, self.settings)
        return RestatedModel(self)


def list_by_cuts(listing: Listing, watch: Watch, known: Sequence[Sequence[int]] = ()) -> Points:
    """Solve, cut the solution off, solve again, until there is none (Balas and Jeroslow 1972).

    ``known`` points, of an earlier run, are cut off first. Each solve is as hard as the last or harder.
    """
    with Blame(f"{listing.solver} failed"):
        model = listing.model()
        for point in known:
            model.exclude(model.choices(point))
    seen = {listing.key_of(point) for point in known}
    while True:
        if watch.stop:  # a solve may be over before its engine looks at the clock
            return Proof.NONE, watch.stop
        with Blame(f"{listing.solver} failed"):
            found = model.solve((), (), watch)
        listing.used.add(found.formulation)
        if found.point is None:
            return _ending(listing, found, watch)
        _see(listing, listing.key_of(found.point), seen, "a solution that was cut off")
        yield found.point
        model.exclude(found.choices)


def list_by_partition(
    listing: Listing,
    watch: Watch,
    jobs: int = 1,
    frontier: list[Part] | None = None,
    keep: Callable[[list[Part]], None] = lambda _: None,
) -> Points:
    """Split what is left after each solution into parts that exclude it (Lawler 1972, Murty 1968).

    A solution with the choices c1…ck splits its part into k: the i-th makes c1…c(i-1) and refuses ci. Every
    part is an ordinary problem, so the cost per solution does not grow, and several ``jobs`` can each search
    one, in processes of their own. ``frontier`` holds the parts that are left of an earlier run; ``keep`` is
    told the parts that are left whenever a solution has been found.
    """
    crew = Crew(listing.model, watch, jobs) if jobs > 1 else Alone(listing.model, watch)
    waiting: list[Part] = [((), ())] if frontier is None else frontier
    seen: set[tuple[int, ...]] = set()
    try:
        while waiting or crew.busy:
            while waiting and crew.idle:
                crew.search(waiting.pop())
            if watch.stop:  # a solve may be over before its engine looks at the clock
                return Proof.NONE, watch.stop
            with Blame(f"{listing.solver} failed"):
                ready = crew.next_found()
            if ready is None:
                continue  # the watch says stop
            (chosen, refused), found = ready
            listing.used.add(found.formulation)
            if found.point is None:
                proof, stop = _ending(listing, found, watch)
                if proof is not Proof.COMPLETE:
                    return proof, stop
                continue
            key = listing.key_of(found.point)
            _see(listing, key, seen, "a solution outside the part that it was asked about")
            made = [choice for choice in found.choices if choice not in chosen]
            parts = [((*chosen, *made[:i]), (*refused, choice)) for i, choice in enumerate(made)]
            waiting += reversed(parts)
            yield found.point
            keep([*crew.busy, *waiting])
    finally:
        crew.close()
    return Proof.COMPLETE, Stop.FINISHED


def list_natively(listing: Listing, watch: Watch) -> Points:
    """Let the engine list all solutions itself; of points that agree in the key the first is yielded."""
    engine = listing.engine
    if "enumeration" not in engine.features:
        raise UsageError(f"{listing.solver} has no enumeration of its own; use --method cuts or partition")
    published = (listing.settings.formulation or engine.formulations[0]) in engine.published
    points = cast("EnumeratingSolver", engine).points(listing.problem, listing.key, listing.settings, watch)
    keys: set[tuple[int, ...]] = set()
    wholes: set[tuple[int, ...]] = set()
    try:
        while True:
            with Blame(f"{listing.solver} failed"):
                point = checked_point(next(points), listing.problem, listing.solver)
            if not published:  # which may say a solution several ways
                _see(listing, point, wholes, "a point twice")
            key = listing.key_of(point)
            if key not in keys:
                keys.add(key)
                yield point
    except StopIteration as end:
        proof, stop = end.value
        return proof, stop
    finally:
        points.close()


def usual_method(solver: Solver) -> str:
    """Return how a solver lists by itself: natively if it can and keeps no live model, else by partition."""
    return "native" if "enumeration" in solver.features and "cuts" not in solver.features else "partition"


def _see(listing: Listing, key: tuple[int, ...], seen: set[tuple[int, ...]], what: str) -> None:
    """Note the values of a point. Raises EngineFault if they have been seen."""
    if key in seen:
        raise EngineFault(f"{listing.solver} gave {what}: number {len(seen) + 1} was seen before")
    seen.add(key)


def _ending(listing: Listing, found: Found, watch: Watch) -> tuple[Proof, Stop]:
    """Turn "no solution here" into "complete", and an engine's failure into an error."""
    if found.proof is Proof.INFEASIBLE:
        return Proof.COMPLETE, Stop.FINISHED
    if found.stop is Stop.ERROR and not watch.stop:  # some engines call an interruption an error
        raise EngineFault(f"{listing.solver} failed: {found.message}")
    return Proof.NONE, watch.stop or found.stop


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

    def solve(self, chosen: Sequence[int], refused: Sequence[int], watch: Watch) -> Found:
        """Ask the solver about the problem with its domains restricted; see ``LiveModel``."""
        if watch.stop:  # an engine that answers before it looks at the clock would go on and on
            return Found(None, (), Proof.NONE, watch.stop)
        domains: dict[int, set[int]] = {}
        for v, a in (self._pairs[c] for c in chosen):
            domains[v] = {a}
        for v, a in (self._pairs[c] for c in refused):
            domains.setdefault(v, set(self._problem.variables[v].domain)).discard(a)
        if not all(domains.values()):
            return Found(None, (), Proof.INFEASIBLE, Stop.FINISHED)
        here, problem, settings = (
            self._listing.here,
            self._problem.restricted(domains),
            self._listing.settings,
        )
        who = self._listing.solver
        if here is None:
            answer = ask(who, problem, settings, watch)
        else:
            with Blame(f"{who} failed"):
                answer = checked_answer(here.solve(problem, settings, watch), problem, who)
        if answer.point is None:
            return Found(None, (), answer.proof, answer.stop, answer.message, answer.formulation)
        with Blame(f"{who} gave a point outside the domains"):
            choices = self.choices(answer.point)
        return Found(answer.point, choices, answer.proof, answer.stop, answer.message, answer.formulation)

    def choices(self, point: Sequence[int]) -> tuple[int, ...]:
        """Return the pairs of the key that the point takes; see ``LiveModel``."""
        variables = self._problem.variables
        return tuple(self._first[v] + variables[v].domain.index(point[v]) for v in self._variables)

    def exclude(self, choices: Sequence[int]) -> None:
        """Add a no-good to the problem; see ``LiveModel``."""
        values = tuple(self._pairs[c][1] for c in choices)
        self._problem = self._problem.with_constraints([NoGood(self._variables, values, self._least)])
