"""Enumerate a problem that splits into independent parts: list each part alone and join the lists."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import islice

from milp_pips.compilation.parts import Join, Part, Split, split
from milp_pips.engines.contract import PointIterator, Points
from milp_pips.engines.registry import needs_worker
from milp_pips.enumeration.methods import Listing, list_by_cuts, list_natively
from milp_pips.enumeration.subproblems import (
    NO_EARLIER_RUN,
    EarlierRun,
    NumberedPoints,
    Searcher,
    search_subproblems,
    without_numbers,
)
from milp_pips.problem import Contradiction, Deadline, Problem, Proof, Stop


def list_joined(
    listing: Listing, method: str, deadline: Deadline, jobs: int = 1, earlier: EarlierRun = NO_EARLIER_RUN
) -> Points:
    """Yield all solutions by a method, which enumerates each independent part of the problem by itself.

    The list is complete if the lists of all parts are, or if one part has no solution. The method ``cuts``
    works on the whole problem, as in the textbook. Published models also get the whole problem.

    Parameters
    ----------
    listing, method
        What to enumerate, and how: ``native``, ``cuts``, ``partition`` or ``cubes``.
    deadline, jobs
        When to stop; how many processes search the subproblems of a partition.
    earlier
        The points that an earlier run found, some of which may be yielded again, and what it left.
    """
    if method == "cuts":
        return (yield from list_by_cuts(listing, deadline, earlier.known))
    if not isinstance(listing.problem, Problem):
        return (yield from _list_boxes(listing, deadline, jobs, earlier))
    divided = divide(listing)
    join = Join(listing.problem, listing.key, divided)
    listings = [replace(listing, problem=part.problem) for part in divided.parts]
    if method == "native":
        points_found = _list_each(listings, deadline)
    else:
        yield from join.all_of(earlier.known)
        load = partial(Searcher, tuple(listings), cubes=method == "cubes")
        points_found = search_subproblems(listings, load, deadline, jobs, earlier)
    for number, point in (listed := PointIterator(points_found)):
        yield from join.add(number, point)
    return listed.end


def _list_boxes(listing: Listing, deadline: Deadline, jobs: int, earlier: EarlierRun) -> Points:
    """Yield the solutions of a linear problem by boxes of its integer columns.

    A solver that must not run in this process searches in another.
    """
    apart = needs_worker(listing.engine, listing.settings)
    own = replace(listing, settings=listing.settings.changed(isolate=False)) if apart else listing
    load = partial(Searcher, (own,), cubes=False)
    found = search_subproblems([listing], load, deadline, jobs, earlier, apart=apart)
    return (yield from without_numbers(found))


def divide(listing: Listing) -> Split:
    """Return the independent parts of the problem, or the whole if the key is open in at most one of them.

    If splitting shows that there is no solution, return the whole, so that the engine proves it.
    """
    whole = Part.whole(listing.problem)
    if not listing.published:
        with suppress(Contradiction):
            divided = split(whole)
            if sum(_is_open(part.problem, listing.key) for part in divided.parts) > 1:
                return divided
    return Split((), [whole])


def _is_open(problem: Problem, key: str) -> bool:
    return any(len(problem.variables[v].domain) > 1 for v in problem.keys[key])


def _list_each(listings: Sequence[Listing], deadline: Deadline) -> NumberedPoints:
    """Yield a first solution of each problem, then the rest, natively; end early if one has no solution."""
    lists = [PointIterator(list_natively(listing, deadline)) for listing in listings]
    points = [iter(each) for each in lists]
    for number, listed in enumerate(lists):
        for point in islice(points[number], 1):
            yield number, point
        if listed.ended:
            return listed.end
    for number, listed in enumerate(lists):
        for point in points[number]:
            yield number, point
        if listed.proof is not Proof.COMPLETE:
            return listed.end
    return Proof.COMPLETE, Stop.FINISHED
