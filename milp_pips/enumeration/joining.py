"""Enumerate a problem that splits into independent parts: list each part alone and join the lists.

The module also compiles solution spaces; a SAT solver lists the parts that are too hard to divide.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING, cast

from milp_pips.compilation.space import Part, Space, Split, compile_space, project_space, split
from milp_pips.engines.defaults import SHORT_LIST_SOLVER
from milp_pips.engines.registry import available
from milp_pips.enumeration.methods import list_by_cuts, list_natively
from milp_pips.enumeration.subproblems import search_subproblems
from milp_pips.formulations.cnf import CnfEncoding
from milp_pips.problem.answer import Proof, Stop
from milp_pips.problem.errors import Contradiction, EngineFault, UsageError
from milp_pips.problem.stopping import Deadline

if TYPE_CHECKING:
    from milp_pips.compilation.diagram import Budget
    from milp_pips.engines.contract import AssumingSolver, Points
    from milp_pips.enumeration.methods import Listing
    from milp_pips.enumeration.pool import Subproblem
    from milp_pips.enumeration.subproblems import NumberedPoints
    from milp_pips.problem.problem import Problem


def list_joined(
    listing: Listing,
    method: str,
    deadline: Deadline,
    jobs: int = 1,
    known: Sequence[Sequence[int]] = (),
    frontier: list[Subproblem] | None = None,
    keep: Callable[[list[Subproblem]], None] = lambda _: None,
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
    known, frontier, keep
        The points of an earlier run, some of which may be yielded again; the subproblems that it left; a
        function that stores the subproblems that this run leaves. See ``search_subproblems``.
    """
    if method == "cuts":
        return (yield from list_by_cuts(listing, deadline, known))
    divided = divide(listing)
    join = Join(listing.problem, listing.key, divided)
    listings = [replace(listing, problem=part.problem) for part in divided.parts]
    if method == "native":
        points_found = _list_each(listings, deadline)
    else:
        yield from join.all_of(known)
        points_found = search_subproblems(listings, deadline, jobs, frontier, keep, cubes=method == "cubes")
    try:
        while True:
            yield from join.add(*next(points_found))
    except StopIteration as end:
        proof, stop = end.value
        return proof, stop
    finally:
        points_found.close()


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
    lists = [list_natively(listing, deadline) for listing in listings]
    try:
        for only_first in (True, False):
            for number, points in enumerate(lists):
                ending = yield from _numbered(number, points, only_first=only_first)
                if ending is not None and (only_first or ending[0] is not Proof.COMPLETE):
                    return ending
    finally:
        for points in lists:
            points.close()
    return Proof.COMPLETE, Stop.FINISHED


def _numbered(
    number: int, points: Points, *, only_first: bool
) -> Generator[tuple[int, tuple[int, ...]], None, tuple[Proof, Stop] | None]:
    """Yield the points, or only the first, with the problem's number; return proof and stop at the end."""
    while True:
        try:
            point = next(points)
        except StopIteration as end:
            proof, stop = end.value
            return proof, stop
        yield number, point
        if only_first:
            return None


class Join:
    """The known points of the parts of a problem, and their combinations.

    A new point of a part is combined with all known points of the other parts. So every solution is built
    once, when the last of its pieces is found, and memory holds only the points of each part.
    """

    def __init__(self, problem: Problem, key: str, divided: Split):
        self._parts, self._no_value = divided.parts, problem.blank
        self._blank = [self._no_value] * len(problem.variables)
        self._blank_in = [part.problem.blank for part in divided.parts]
        for v, value in divided.fixed:
            self._blank[v] = value
        self._key = frozenset(problem.keys[key])
        self._seen = [[v for v in part.variables if v in self._key] for part in self._parts]
        self._pieces: list[dict[tuple[int, ...], Sequence[int]]] = [{} for _ in self._parts]

    def add(self, number: int, point: Sequence[int]) -> Iterator[tuple[int, ...]]:
        """Yield the new points of the whole that contain a point of part ``number``; none if it is known."""
        part, values = self._parts[number], self._blank.copy()
        for v, value in enumerate(point):
            if value != self._blank_in[number]:  # else the variable is not in the key
                whole, value = part.pair(v, value)
                values[whole] = value
        if self._record(number, values):
            pieces = [known.values() for known in self._pieces]
            yield from self._combinations([*pieces[:number], [values], *pieces[number + 1 :]])

    def all_of(self, points: Iterable[Sequence[int]]) -> Iterator[tuple[int, ...]]:
        """Add the pieces of these points of the whole, and yield all combinations of the known pieces."""
        for point in points:
            for number in range(len(self._parts)):
                self._record(number, point)
        yield from self._combinations([known.values() for known in self._pieces])

    def _record(self, number: int, values: Sequence[int]) -> bool:
        """Record a point of a part by its values in the whole; return whether it is new."""
        key, known = tuple([values[v] for v in self._seen[number]]), self._pieces[number]
        if key in known:
            return False
        known[key] = values
        return True

    def _combinations(self, pieces: Sequence[Iterable[Sequence[int]]]) -> Iterator[tuple[int, ...]]:
        for chosen in product(*pieces):
            whole = self._blank.copy()
            for part, values in zip(self._parts, chosen, strict=True):
                for v in part.variables:
                    whole[v] = values[v]
            if self._no_value in whole:  # a point from a file that states the key alone
                whole = [value if v in self._key else self._no_value for v, value in enumerate(whole)]
            yield tuple(whole)


# Solution spaces for the tasks. If a part is too hard to divide, a SAT solver lists its solutions and proves
# that there are no others. It learns clauses from dead ends, which branching does not, but it is useless for
# many solutions.

MAX_SHORT_LIST, SHORT_LIST_CONFLICTS = 100, 20_000
"""The number of solutions after which a list is given up, and the conflicts that the first solve may take.
The second solve gets half as many, the third a third: five times as many in all, a few seconds' worth."""

MAX_CLAUSE_VALUES = 10_000
"""The number of open values up to which the problem is encoded as clauses: that takes half a second."""


def list_short(
    problem: Problem, seen: Sequence[int], deadline: Deadline | None
) -> list[tuple[int, ...]] | None:
    """Return one solution for each combination of values that the variables ``seen`` take in solutions.

    None if there are too many, or if listing them takes too long. The result is the same on every machine
    unless the deadline expires. Raises EngineFault for a point that breaks a rule.
    """
    deadline = deadline or Deadline()
    try:
        solver = cast("AssumingSolver", available(SHORT_LIST_SOLVER))
    except UsageError:  # without the solver the caller continues to branch
        return None
    if problem.open_values > MAX_CLAUSE_VALUES:
        return None
    statement = CnfEncoding(problem, lambda: deadline.stop)
    if deadline.stop:
        return None
    loaded = solver.load(statement, deadline)
    points: list[tuple[int, ...]] = []
    while found := loaded.solve((), deadline, SHORT_LIST_CONFLICTS // (len(points) + 1)):
        point = statement.decode(loaded.model())
        if broken := problem.violated(point):
            raise EngineFault(f"{SHORT_LIST_SOLVER} gave a point that breaks a rule: {broken}")
        points.append(point)
        if len(points) > MAX_SHORT_LIST:
            return None
        literals = {statement.literal(v, point[v]) for v in seen}
        loaded.add([-literal for literal in sorted(literals - {statement.true})])
    return None if found is None else points


def space_of(problem: Problem, variables: Iterable[int], budget: Budget, deadline: Deadline) -> Space:
    """Return the space of the problem's solutions that differ in the variables.

    Its ``listed`` states whether it relies on an engine's list. Raises Unfinished if the space does not fit
    the budget, or if the deadline expires.
    """
    return compile_space(problem, variables, budget, deadline, list_short)


def view_of(space: Space, variables: Iterable[int], budget: Budget, deadline: Deadline) -> Space:
    """Return the projection of a space to these variables, each view once.

    Raises Unfinished as ``space_of`` does.
    """
    return project_space(space, variables, budget, deadline, list_short)
