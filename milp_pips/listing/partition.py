"""All solutions by an engine that searches one part after another of what is left: a partition, or cubes.

A solution with the choices c1…ck splits its part into k: the i-th makes c1…c(i-1) and refuses ci (Lawler
1972, Murty 1968). Every part is an ordinary problem, so the cost per solution does not grow, and several
processes can search one each.

By cubes, the parts of a solution are listed by filtering and branching as far as a small budget goes, the
last one first: it makes nearly all the choices of the solution, so little is open in it. With the solution
itself they are all that make the choices which are still fixed then, a cube, for one question to the engine.
No decision diagram has a part in it, so that these can still confirm the list.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from milp_pips.answer import Proof, Stop
from milp_pips.listing.engines import ending_of, see
from milp_pips.plugins import Blame
from milp_pips.process.crew import Alone, Crew, Part
from milp_pips.space import compile_by_branching

if TYPE_CHECKING:
    from milp_pips.listing.models import Listing
    from milp_pips.solvers.contract import Found, LiveModel, Points
    from milp_pips.watch import Watch

CUBE_NODES, CUBE_SOLUTIONS = 30_000, 10_000
"""How much branching a cube may take, in nodes of the solution space: some tenths of a second; and how many
solutions a part of it may have. Chosen by a few trials, not by a benchmark."""

Finds: TypeAlias = Generator[tuple[int, tuple[int, ...]], None, tuple[Proof, Stop]]
"""Yields points, each with the number of the problem that it is of, and returns proof and stop."""


def list_by_partition(listing: Listing, watch: Watch) -> Points:
    """Yield the solutions of one problem by partition, in this process."""
    finds = search_parts([listing], watch)
    while True:
        try:
            _, point = next(finds)
        except StopIteration as end:
            proof, stop = end.value
            return proof, stop
        yield point


def search_parts(
    listings: Sequence[Listing],
    watch: Watch,
    jobs: int = 1,
    frontier: list[Part] | None = None,
    keep: Callable[[list[Part]], None] = lambda _: None,
    *,
    cubes: bool = False,
) -> Finds:
    """Yield the solutions of problems that share nothing, from one engine; the end if one of them has none.

    ``jobs`` are processes that search parts at the same time. ``frontier`` holds the parts that are left of
    an earlier run; ``keep`` is told those that are left whenever a part has been searched, as soon as every
    problem has a solution. Raises EngineFault for a solution that comes again.
    """
    load = partial(Searcher, tuple(listings), cubes=cubes)
    crew = Crew(load, watch, jobs) if jobs > 1 else Alone(load, watch)
    roots = [Part(number, (), ()) for number in reversed(range(len(listings)))]
    waiting = roots if frontier is None else frontier
    seen: list[set[tuple[int, ...]]] = [set() for _ in listings]
    begun = frontier is not None
    try:
        while waiting or crew.busy:
            while waiting and crew.idle:
                crew.search(waiting.pop())
            if watch.stop:  # a solve may be over before its engine looks at the clock
                return Proof.NONE, watch.stop
            with Blame(f"{listings[0].solver} failed"):
                ready = crew.next_searched()
            if ready is None:
                continue  # the watch says stop
            part, searched = ready
            listing = listings[part.number]
            listing.used.add(searched.found.formulation)
            if not searched.points:
                proof, stop = ending_of(listing, searched.found, watch)
                if proof is not Proof.COMPLETE or not (part.chosen or part.refused):
                    return proof, stop
                continue
            for point in searched.points:
                what = "a solution outside the part that it was asked about"
                see(listing, listing.key_of(point), seen[part.number], what)
            begun = begun or all(seen)
            place = len(waiting) if begun else 0  # each problem is asked for a first solution first
            waiting[place:place] = reversed(searched.parts)
            for point in searched.points:
                yield part.number, point
            if begun:
                keep([*crew.busy, *waiting])
    finally:
        crew.close()
    return Proof.COMPLETE, Stop.FINISHED


class Searched(NamedTuple):
    """What the engine found in a part; the points known of it, which differ in the key; the parts left."""

    found: Found
    points: list[tuple[int, ...]]
    parts: list[Part]


class Searcher:
    """Searches parts of some problems, each of which is loaded into its engine once."""

    def __init__(self, listings: Sequence[Listing], *, cubes: bool):
        self._listings, self._cubes = listings, cubes
        self._models: dict[int, LiveModel] = {}

    def search(self, part: Part, watch: Watch) -> Searched:
        """Return what is found in a part, and what is left of it."""
        number, chosen, refused = part
        if number not in self._models:
            self._models[number] = self._listings[number].model()
        found = self._models[number].solve(chosen, refused, watch)
        if found.point is None:
            return Searched(found, [], [])
        made = [choice for choice in found.choices if choice not in chosen]
        parts = [Part(number, (*chosen, *made[:i]), (*refused, choice)) for i, choice in enumerate(made)]
        points = [found.point]
        for further in self._list_last(tuple(parts), watch) if self._cubes else ():
            points += further
            parts.pop()
        return Searched(found, points, parts)

    def _list_last(self, parts: Sequence[Part], watch: Watch) -> Iterator[list[tuple[int, ...]]]:
        """Yield the points, different in the key, of the last part, the last but one, as far as it goes."""
        problems = (
            self._models[number].problem_of(chosen, refused) for number, chosen, refused in reversed(parts)
        )
        for part, space in zip(
            reversed(parts), compile_by_branching(problems, CUBE_NODES, watch), strict=False
        ):
            if space.count > CUBE_SOLUTIONS:
                return
            key_of = self._listings[part.number].key_of
            yield list({key_of(point): point for point in space.assignments()}.values())
