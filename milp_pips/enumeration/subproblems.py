"""All solutions by an engine that searches one subproblem after another: a partition, or cubes.

A subproblem is the problem with smaller domains. It is filtered, and the engine is asked for a solution of
it. Of a subproblem beside a solution it is asked only where filtering does not refute it and leaves more than
a few values open; else branching lists what is in it. The solution is followed down by branching: the
subproblem is shared out by a variable of the key, or by a domino, the branch that has the solution is
filtered and shared out again, until nothing is open. The other branches on the way are the subproblems that
are left (Lawler 1972, Murty 1968). So what follows from a choice makes no subproblem, and in a subproblem
choices are made, not only one refused, which leaves the engine much less. Every subproblem is an ordinary
problem, the cost per solution does not grow, and several processes can search one each. Of a published model
nothing is filtered; there every variable makes a subproblem.

By cubes, branching alone lists what it can within a small budget: the whole problem, and where that is too
much, the subproblems beside a solution, the last one first, since little is open in it. The engine is asked
about the rest. No decision diagram has a part in either, so that these can still confirm the list.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from milp_pips.compilation.space import Part, compile_by_branching
from milp_pips.compilation.space.branching import Restriction, candidates
from milp_pips.engines.contract import MipResult
from milp_pips.enumeration.methods import ending_of, see
from milp_pips.enumeration.pool import ProcessPool, SearchResult, SerialPool, Subproblem
from milp_pips.problem.answer import Proof, Stop
from milp_pips.problem.errors import EngineFault
from milp_pips.problem.plugins import PluginErrors
from milp_pips.propagation import Contradiction, filter_domains

if TYPE_CHECKING:
    from milp_pips.engines.contract import LiveModel, Points
    from milp_pips.enumeration.methods import Listing
    from milp_pips.problem.problem import Problem
    from milp_pips.problem.stopping import Deadline

CUBE_NODES, CUBE_SOLUTIONS = 60_000, 10_000
"""How much branching may take before the engine is asked, in nodes of the solution space: half a second; and
how many solutions a subproblem of it may have. Chosen by a few trials, not by a benchmark."""

ENDED = Proof.COMPLETE, Stop.FINISHED

MAX_VALUES_TO_BRANCH = 60
"""Values open up to which a subproblem beside a solution is listed by branching in any case: to ask takes as
long as to filter three times. Of 0 to 80 the best on the boards of ``benchmarks/exact.py --row hundred``."""

Finds: TypeAlias = Generator[tuple[int, tuple[int, ...]], None, tuple[Proof, Stop]]
"""Yields points, each with the number of the problem that it is of, and returns proof and stop."""


def list_by_partition(listing: Listing, deadline: Deadline) -> Points:
    """Yield the solutions of one problem by partition, in this process."""
    finds = search_subproblems([listing], deadline)
    while True:
        try:
            _, point = next(finds)
        except StopIteration as end:
            proof, stop = end.value
            return proof, stop
        yield point


def search_subproblems(
    listings: Sequence[Listing],
    deadline: Deadline,
    jobs: int = 1,
    frontier: list[Subproblem] | None = None,
    keep: Callable[[list[Subproblem]], None] = lambda _: None,
    *,
    cubes: bool = False,
) -> Finds:
    """Yield the solutions of problems that share nothing, from one engine; the end if one of them has none.

    ``jobs`` are processes that search subproblems at the same time. ``frontier`` holds those that are left of
    an earlier run; ``keep`` is told those that are left whenever one has been searched, as soon as every
    problem has a solution. Raises EngineFault for a solution that comes again.
    """
    load = partial(Searcher, tuple(listings), cubes=cubes)
    crew = ProcessPool(load, deadline, jobs) if jobs > 1 else SerialPool(load, deadline)
    roots = [Subproblem(number, ()) for number in reversed(range(len(listings)))]
    waiting = roots if frontier is None else frontier
    seen: list[set[tuple[int, ...]]] = [set() for _ in listings]
    begun = frontier is not None
    try:
        while waiting or crew.busy:
            while waiting and crew.idle:
                crew.search(waiting.pop())
            if deadline.stop:  # a solve may be over before its engine looks at the clock
                return Proof.NONE, deadline.stop
            with PluginErrors(f"{listings[0].solver} failed"):
                ready = crew.next_searched()
            if ready is None:
                continue  # the deadline says stop
            subproblem, searched = ready
            listing = listings[subproblem.number]
            if searched.found is not None:
                listing.used.add(searched.found.formulation)
            if not searched.points:
                proof, stop = (
                    ENDED if searched.found is None else ending_of(listing, searched.found, deadline)
                )
                if proof is not Proof.COMPLETE or not subproblem.kept:
                    return proof, stop
                continue
            for point in searched.points:
                what = "a solution outside the subproblem that it was asked about"
                see(listing, listing.key_of(point), seen[subproblem.number], what)
            begun = begun or all(seen)
            place = len(waiting) if begun else 0  # each problem is asked for a first solution first
            waiting[place:place] = reversed(searched.subproblems)
            for point in searched.points:
                yield subproblem.number, point
            if begun:
                keep([*crew.busy, *waiting])
    finally:
        crew.close()
    return ENDED


EMPTY_SEARCH = SearchResult(None, [], [])


class Searcher:
    """Searches subproblems of some problems, each of which is loaded into its engine once."""

    def __init__(self, listings: Sequence[Listing], *, cubes: bool):
        self._listings, self._cubes = listings, cubes
        self._models: dict[int, LiveModel] = {}

    def search(self, subproblem: Subproblem, deadline: Deadline) -> SearchResult:
        """Return what is found in a subproblem, and what is left of it."""
        listing = self._listings[subproblem.number]
        restricted = listing.problem.restricted(dict(subproblem.kept))
        problem = _filtered(listing, restricted, deadline)
        if problem is None:
            return EMPTY_SEARCH
        few = listing.filters and problem.open_values <= MAX_VALUES_TO_BRANCH
        if few if subproblem.kept else self._cubes:
            for points in _list_first(listing, [problem], deadline):
                return SearchResult(None, points, [])
        if subproblem.number not in self._models:
            loaded = listing.model(deadline)
            if loaded is None:
                return SearchResult(
                    MipResult(None, (), Proof.NONE, deadline.stop or Stop.INTERRUPTED), [], []
                )
            self._models[subproblem.number] = loaded
        model = self._models[subproblem.number]
        found = model.solve((), model.closed(problem) if subproblem.kept else (), deadline)
        if found.point is None:
            return SearchResult(found, [], [])
        for v in listing.problem.keys[listing.key]:
            if subproblem.kept and found.point[v] not in restricted.variables[v].domain:
                what = "a solution outside the subproblem that it was asked about"
                raise EngineFault(f"{listing.solver} gave {what}")
        subproblems = list(_beside(listing, subproblem, problem, found.point, deadline))
        points = [found.point]
        if deadline.stop:  # what is beside the solution may not be known: all of the subproblem is left
            return SearchResult(found, points, [subproblem])
        beside = (listing.problem.restricted(dict(subproblem.kept)) for subproblem in subproblems[::-1])
        for further in _list_first(listing, beside, deadline) if self._cubes else ():
            points += further
            subproblems.pop()
        return SearchResult(found, points, subproblems)


def _list_first(
    listing: Listing, problems: Iterable[Problem], deadline: Deadline
) -> Iterator[list[tuple[int, ...]]]:
    """Yield the points, different in the key, of the first problem, the second, as far as branching goes."""
    for space in compile_by_branching(problems, CUBE_NODES, deadline):
        if space.count > CUBE_SOLUTIONS:
            return
        yield list({listing.key_of(point): point for point in space.assignments()}.values())


def _beside(
    listing: Listing, subproblem: Subproblem, problem: Problem, point: Sequence[int], deadline: Deadline
) -> Iterator[Subproblem]:
    """Yield the subproblems into which a subproblem falls beside its solution, the largest first.

    ``problem`` is the subproblem as far as it has been filtered. Where the deadline says stop, some are
    missing.
    """
    key, kept = frozenset(listing.problem.keys[listing.key]), dict(subproblem.kept)
    while any(len(problem.variables[v].domain) > 1 for v in key) and not deadline.stop:
        own: Restriction = {}
        for branch in _branches(listing, problem, key, point):
            if all(point[v] in values for v, values in branch.items()):
                own = branch
            else:
                yield Subproblem(subproblem.number, tuple((kept | branch).items()))
        kept |= own
        followed = _filtered(listing, problem.restricted(own), deadline)
        if followed is None or not own:  # the referee will say what is wrong with the point, else this does
            if listing.problem.violated(point) is None:
                raise EngineFault(f"filtering excludes a solution that {listing.solver} gave")
            return
        problem = followed


def _branches(
    listing: Listing, problem: Problem, key: frozenset[int], point: Sequence[int]
) -> Sequence[Restriction]:
    """Return how the solutions of a problem that differ in the key are shared out."""
    if listing.filters:
        return candidates(Part.whole(problem), key, 1)[0].domains
    v = min(v for v in key if len(problem.variables[v].domain) > 1)
    others = tuple([value for value in problem.variables[v].domain if value != point[v]])
    return [{v: (point[v],)}, {v: others}]


def _filtered(listing: Listing, problem: Problem, deadline: Deadline) -> Problem | None:
    """Return a subproblem filtered, or as it is where nothing is to be filtered; None if that refutes it."""
    try:
        return filter_domains(problem, deadline) if listing.filters else problem
    except Contradiction:
        return None
