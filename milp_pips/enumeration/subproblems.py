"""Enumerate all solutions with an engine that solves one subproblem after another: by partition, or by cubes.

A subproblem is the problem with smaller domains. Partition works on a subproblem in three steps:

1. Filter its domains; the engine solves it.
2. Follow the engine's solution down by branching. A variable of the key, or a domino, divides the subproblem
   into branches. The branch that contains the solution is filtered and divided again, until nothing is open.
3. The other branches on the way contain the other solutions (Lawler 1972, Murty 1968). Each is filtered, too.
   If filtering refutes it, it is done. If filtering leaves only a few values open, branching lists its
   solutions. The others are the new subproblems.

So the consequences of a choice make no subproblem of their own. A subproblem contains choices, not only one
refusal, which leaves the engine much less to do. Every subproblem is an ordinary problem, the cost per
solution does not grow, and several processes can search one subproblem each. The subproblems of a published
model are not filtered; every variable then makes a subproblem.

By cubes, branching alone lists what it can within a small budget, with any number of open values. It tries
the whole problem first. If that is too large, it tries the subproblems beside a solution, the last one first,
since it has the fewest open values. The engine solves the rest. Neither method uses decision diagrams, so
diagrams can confirm the list.

The pools at the end run the searches: in this process, or in several that hold the models.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Hashable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from milp_pips.compilation.branching import Restriction, candidates
from milp_pips.compilation.parts import Part
from milp_pips.compilation.solution_set import compile_by_branching
from milp_pips.engines.contract import LiveModel, PointIterator, Points
from milp_pips.enumeration.methods import Listing, final_result, record_key
from milp_pips.problem import Answer, Deadline, EngineFault, Problem, Proof, Stop
from milp_pips.problem.errors import Contradiction
from milp_pips.problem.plugins import PluginErrors
from milp_pips.propagation import Fixpoint
from milp_pips.runtime.interruptible import Limits

if TYPE_CHECKING:
    from milp_pips.compilation.nodes import Node
    from milp_pips.runtime.executor import Outcome

CUBE_NODES, CUBE_SOLUTIONS = 20_000, 10_000
"""How many nodes of the solution space branching may make before the engine takes over, and how many
solutions a subproblem may then have. Boards with about 100 solutions take as long as with 60,000 nodes, and a
third less than with 6,000; the first of 10,464 solutions comes after a third of the time."""

ENDED = Proof.COMPLETE, Stop.FINISHED

MAX_VALUES_TO_BRANCH = 80
"""The number of open values up to which branching lists a subproblem beside a solution in any case. With 60,
80 and 100 the boards of ``benchmarks/exact.py --row hundred`` take 1.3, 1.15 and 1.2 s; with 60, 80 and 90
the 10,464 solutions of ``benchmarks/lists.py --whole`` take 7.9, 5.0 and 5.4 s. With 110 the first one comes
after 2.6 s instead of 0.2."""

MAX_KNOWN_PARTS = 20_000
"""Most solved parts that a searcher keeps for later subproblems; they take about 2 kB each."""

NumberedPoints: TypeAlias = Generator[tuple[int, tuple[int, ...]], None, tuple[Proof, Stop]]
"""Yields points, each with the number of its problem, and returns proof and stop."""


class Subproblem(NamedTuple):
    """A subproblem: the number of its problem, and the domains to which some variables are restricted."""

    number: int
    kept: tuple[tuple[int, tuple[int, ...]], ...]


class SearchResult(NamedTuple):
    """The engine's result (None: it did not run), points that differ in the key, the subproblems left."""

    found: Answer | None
    points: list[tuple[int, ...]]
    subproblems: list[Subproblem]


class EarlierRun(NamedTuple):
    """What an earlier run has left, and where this run leaves its own subproblems.

    ``known`` are the points that it found, some of which may be found again. ``frontier`` holds its
    subproblems (None: begin with the whole problems), and ``keep`` stores those of this run.
    """

    known: Sequence[Sequence[int]] = ()
    frontier: list[Subproblem] | None = None
    keep: Callable[[list[Subproblem]], None] = lambda _: None


NO_EARLIER_RUN = EarlierRun()


def list_by_partition(listing: Listing, deadline: Deadline) -> Points:
    """Yield the solutions of one problem by partition, in this process."""
    load = partial(Searcher, (listing,), cubes=False)
    return without_numbers(search_subproblems([listing], load, deadline))


def without_numbers(points: NumberedPoints) -> Points:
    """Yield points without the numbers of their problems; return proof and stop."""
    for _, point in (listed := PointIterator(points)):
        yield point
    return listed.end


def search_subproblems(
    listings: Sequence[Listing],
    load: Callable[[], Searcher],
    deadline: Deadline,
    jobs: int = 1,
    earlier: EarlierRun = NO_EARLIER_RUN,
    *,
    apart: bool = False,
) -> NumberedPoints:
    """Yield the solutions of independent problems from one engine; end early if one has no solution.

    ``load`` makes the searcher. ``jobs`` processes search subproblems at the same time; with ``apart`` even a
    single one is another process than this. Once every problem has a solution, ``earlier.keep`` gets the
    remaining subproblems after each search. Raises EngineFault for a solution that comes twice.
    """
    pool = ProcessPool(load, deadline, jobs) if jobs > 1 or apart else SerialPool(load, deadline)
    roots = [Subproblem(number, ()) for number in reversed(range(len(listings)))]
    waiting = roots if earlier.frontier is None else earlier.frontier
    seen: list[set[tuple[int, ...]]] = [set() for _ in listings]
    begun = earlier.frontier is not None
    # Invariant: every solution not yet yielded lies in exactly one subproblem, waiting or being searched.
    try:
        while waiting or pool.busy:
            while waiting and pool.idle:
                pool.search(waiting.pop())  # the latest first: in depth, so that the frontier stays short
            if deadline.stop:  # a solve may end before its engine checks the deadline
                return Proof.NONE, deadline.stop
            ready = pool.next_searched()
            if ready is None:
                continue  # the deadline has expired
            subproblem, searched = ready
            listing = listings[subproblem.number]
            if searched.found is not None:
                listing.used.add(searched.found.formulation)
            if not searched.points:
                proof, stop = (
                    ENDED if searched.found is None else final_result(listing, searched.found, deadline)
                )
                # A whole problem without a solution ends the list: the solutions of independent problems are
                # the combinations of theirs. A subproblem without one is merely finished.
                if proof is not Proof.COMPLETE or not subproblem.kept:
                    return proof, stop
                continue
            for point in searched.points:
                what = "a solution outside the requested subproblem"
                record_key(listing, listing.key_of(point), seen[subproblem.number], what)
            begun = begun or all(seen)
            place = len(waiting) if begun else 0  # first find a first solution of each problem
            waiting[place:place] = reversed(searched.subproblems)
            for point in searched.points:
                yield subproblem.number, point
            if begun:
                earlier.keep([*pool.busy, *waiting])
    finally:
        pool.close()
    return ENDED


EMPTY_SEARCH = SearchResult(None, [], [])


class Searcher:
    """Search subproblems of some problems; each problem is loaded into the engine once."""

    def __init__(self, listings: Sequence[Listing], *, cubes: bool):
        self._listings, self._cubes = listings, cubes
        self._models: dict[int, LiveModel] = {}
        self._known: list[dict[Hashable, Node | None]] = [{} for _ in listings]

    def search(self, subproblem: Subproblem, deadline: Deadline) -> SearchResult:
        """Return the solutions found in a subproblem, and the subproblems that are left of it.

        Raises EngineFault.
        """
        with PluginErrors(f"{self._listings[0].solver} failed"):
            return self._search(subproblem, deadline)

    def _search(self, subproblem: Subproblem, deadline: Deadline) -> SearchResult:
        listing = self._listings[subproblem.number]
        restricted = listing.problem.restricted(dict(subproblem.kept))
        if not isinstance(restricted, Problem):
            return self._search_box(subproblem, restricted, deadline)
        try:
            shrinking = Shrinking(restricted, deadline, filters=listing.filters)
        except Contradiction:
            return EMPTY_SEARCH
        if not subproblem.kept and self._cubes:  # by cubes branching tries the whole problem, too
            for points in self._list_first(subproblem.number, [shrinking.problem], deadline):
                return SearchResult(None, points, [])
        within = shrinking.problem if subproblem.kept else listing.problem
        found = self._solve(subproblem.number, within, deadline)
        if found.point is None:
            return SearchResult(found, [], [])
        for v in listing.problem.keys[listing.key]:
            if subproblem.kept and found.point[v] not in restricted.variables[v].domain:
                what = "a solution outside the requested subproblem"
                raise EngineFault(f"{listing.solver} gave {what}")
        points, left = [tuple(found.point)], list[tuple[Subproblem, Problem]]()
        for beside, problem in _subproblems_beside(listing, subproblem, shrinking, found.point, deadline):
            if listing.filters and problem.open_values <= MAX_VALUES_TO_BRANCH:
                listed = next(self._list_first(subproblem.number, [problem], deadline), None)
                if listed is not None:
                    points += listed
                    continue
            left.append((beside, problem))
        if deadline.stop:  # the list of branches may be incomplete, so the whole subproblem is left
            return SearchResult(found, points, [subproblem])
        smallest_first = [problem for _, problem in reversed(left)]
        for further in self._list_first(subproblem.number, smallest_first, deadline) if self._cubes else ():
            points += further
            left.pop()
        return SearchResult(found, points, [beside for beside, _ in left])

    def _search_box(self, subproblem: Subproblem, problem: Any, deadline: Deadline) -> SearchResult:
        """Search a box of integer columns; bounds of the rows refute most boxes beside the point."""
        found = self._solve(subproblem.number, problem, deadline)
        if found.point is None:
            return SearchResult(found, [], [])
        beside = _boxes_beside(problem, found.point)
        left = [Subproblem(subproblem.number, tuple(box.items())) for box in beside]
        return SearchResult(found, [tuple(found.point)], left)

    def _list_first(
        self, number: int, problems: Iterable[Problem | None], deadline: Deadline
    ) -> Iterator[list[tuple[int, ...]]]:
        """Yield the points of one filtered problem after another while the budget lasts; None has none.

        The points differ in the key. Subproblems often leave the same part, which is solved once.
        """
        listing, known = self._listings[number], self._known[number]
        if len(known) > MAX_KNOWN_PARTS:
            known.clear()
        for found in compile_by_branching(problems, CUBE_NODES, deadline, known):
            if found is None:
                yield []
            elif found.count > CUBE_SOLUTIONS:
                return
            else:
                yield list({listing.key_of(point): point for point in found}.values())

    def _solve(self, number: int, problem: Any, deadline: Deadline) -> Answer:
        """Return the engine's answer to a subproblem of a problem, which is loaded first."""
        if number not in self._models:
            loaded = self._listings[number].model(deadline)
            if loaded is None:
                return Answer(None, Proof.NONE, deadline.stop or Stop.INTERRUPTED)
            self._models[number] = loaded
        return self._models[number].solve(problem, deadline)


def _boxes_beside(problem: Any, point: Sequence[Any]) -> Iterator[dict[int, tuple[int, int]]]:
    """Yield disjoint boxes that contain all other values of the columns ``over``, unless rows refute them."""
    kept = dict(problem.box)
    # Disjoint, since a box has the point's values in the columns before its own, and another one there.
    for j in problem.over:
        low, high = kept.get(j) or problem.filtering.bounds_of(j)
        value = int(point[j])
        for side in ((low, value - 1), (value + 1, high)):
            if side[0] <= side[1] and problem.filtering.allows({**kept, j: side}):
                yield {**kept, j: side}
        kept[j] = (value, value)


class Shrinking:
    """A problem whose domains shrink branch by branch; they are filtered if ``filters`` is set.

    The propagators keep what they know, so a branch takes a third of the time of filtering the problem anew.
    All methods raise Contradiction if no solution is left.
    """

    def __init__(self, problem: Problem, deadline: Deadline, *, filters: bool):
        self.problem, self._fixpoint = problem, Fixpoint(problem, deadline) if filters else None
        self.keep({})

    def keep(self, branch: Restriction) -> None:
        """Restrict the problem to a branch."""
        self.problem = self._restricted(branch)

    def within(self, branch: Restriction) -> Problem:
        """Return the problem of a branch, and leave this one as it is."""
        if self._fixpoint is None:
            return self._restricted(branch)
        with self._fixpoint.trying():
            return self._restricted(branch)

    def _restricted(self, branch: Restriction) -> Problem:
        if self._fixpoint is None:
            return self.problem.restricted(branch)
        self._fixpoint.restrict(branch)
        self._fixpoint.reach()
        return self._fixpoint.problem()


def _subproblems_beside(
    listing: Listing, subproblem: Subproblem, shrinking: Shrinking, point: Sequence[int], deadline: Deadline
) -> Iterator[tuple[Subproblem, Problem]]:
    """Yield the subproblems with a subproblem's other solutions, the largest first, each with its problem.

    ``shrinking`` is the filtered subproblem. If the deadline expires, some subproblems are missing.
    """
    key, kept = frozenset(listing.problem.keys[listing.key]), dict(subproblem.kept)
    # Invariant: every solution of the subproblem lies in one of the yielded ones or in ``kept``, the point in
    # ``kept``. At the end ``kept`` has one value for each variable of the key, the point's.
    while any(len(shrinking.problem.variables[v].domain) > 1 for v in key) and not deadline.stop:
        own: Restriction = {}
        for branch in _branches(listing, shrinking.problem, key, point):
            if all(point[v] in values for v, values in branch.items()):
                own = branch
                continue
            with suppress(Contradiction):
                problem = shrinking.within(branch)
                yield Subproblem(subproblem.number, tuple((kept | branch).items())), problem
        kept |= own
        try:
            shrinking.keep(own)
            is_lost = not own
        except Contradiction:
            is_lost = True
        if is_lost:  # if the point breaks a rule, the validation reports that later
            if listing.problem.violated(point) is None:
                raise EngineFault(f"filtering excludes a solution that {listing.solver} gave")
            return


def _branches(
    listing: Listing, problem: Problem, key: frozenset[int], point: Sequence[int]
) -> Sequence[Restriction]:
    """Return disjoint branches that together contain all solutions of a problem that differ in the key."""
    if listing.filters:
        return candidates(Part.whole(problem), key, 1)[0].domains
    v = min(v for v in key if len(problem.variables[v].domain) > 1)
    others = tuple([value for value in problem.variables[v].domain if value != point[v]])
    return [{v: (point[v],)}, {v: others}]


# Pools: where subproblems are searched.


class SerialPool:
    """Search one subproblem at a time, in this process."""

    def __init__(self, load: Callable[[], Searcher], deadline: Deadline):
        self._searcher, self._deadline = load(), deadline
        self.busy: list[Subproblem] = []

    @property
    def idle(self) -> bool:
        """Whether the pool can take another subproblem."""
        return not self.busy

    def search(self, subproblem: Subproblem) -> None:
        """Take a subproblem."""
        self.busy.append(subproblem)

    def next_searched(self) -> tuple[Subproblem, SearchResult]:
        """Search the subproblem that was taken; return it and its result."""
        subproblem = self.busy.pop()
        return subproblem, self._searcher.search(subproblem, self._deadline)

    def close(self) -> None:
        """Do nothing: this pool has no processes to end."""


class ProcessPool:
    """Search several subproblems at once, each in a process of its own that loads the models once."""

    def __init__(self, load: Callable[[], Searcher], deadline: Deadline, count: int):
        from milp_pips.runtime.executor import OwnProcesses  # not available in browsers

        self._limits = Limits(deadline)
        self._processes = OwnProcesses(count, prepare=(_load, (load,)))
        self._running: dict[Future[Outcome[SearchResult]], Subproblem] = {}

    @property
    def busy(self) -> Sequence[Subproblem]:
        """The subproblems that are being searched."""
        return list(self._running.values())

    @property
    def idle(self) -> bool:
        """Whether the pool can take another subproblem."""
        return len(self._running) < self._processes.room

    def search(self, subproblem: Subproblem) -> None:
        """Send a subproblem to an idle process."""
        future = self._processes.submit(_search, (subproblem,), self._limits)
        self._running[future] = subproblem

    def next_searched(self) -> tuple[Subproblem, SearchResult] | None:
        """Return a subproblem that has been searched and its result; None if the deadline expires.

        Raises EngineFault if its process has died, and whatever error the search raised in that process.
        """
        from concurrent.futures import FIRST_COMPLETED, wait

        while True:
            for future in wait(self._running, 0.05, FIRST_COMPLETED).done:
                outcome = future.result()
                if outcome.fault:
                    raise EngineFault(f"a process that searched a subproblem has died: {outcome.fault}")
                if outcome.value is None:
                    return None
                return self._running.pop(future), outcome.value
            if self._limits.deadline.stop:
                return None

    def close(self) -> None:
        """End all processes, with whatever engines they run."""
        self._processes.close()


_searchers: list[Searcher] = []
"""What a process of a pool has loaded."""


def _load(load: Callable[[], Searcher], _deadline: Deadline) -> None:
    _searchers.append(load())


def _search(subproblem: Subproblem, deadline: Deadline) -> SearchResult:
    return _searchers[0].search(subproblem, deadline)
