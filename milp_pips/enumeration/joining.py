"""The solutions of a problem that falls into parts that share nothing: each is listed apart."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING, cast

from milp_pips.compilation.space import Part, Space, Split, compile_space, project_space, split
from milp_pips.compilation.space.split import VOCABULARY
from milp_pips.engines.defaults import SHORT_LIST_SOLVER
from milp_pips.engines.registry import available
from milp_pips.enumeration.methods import list_by_cuts, list_natively
from milp_pips.enumeration.subproblems import search_subproblems
from milp_pips.formulations.cnf import CnfEncoding
from milp_pips.problem.answer import Proof, Stop
from milp_pips.problem.errors import EngineFault, UsageError
from milp_pips.problem.stopping import Deadline
from milp_pips.propagation import Contradiction

if TYPE_CHECKING:
    from milp_pips.compilation.diagram import Budget
    from milp_pips.engines.contract import AssumingSolver, Points
    from milp_pips.enumeration.methods import Listing
    from milp_pips.enumeration.pool import Subproblem
    from milp_pips.enumeration.subproblems import Finds
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
    """List all solutions by a method; the parts of the problem that share nothing are listed apart.

    The list is complete if the lists of all parts are, or if one part has no solution. Cuts are made on the
    whole problem, as in the textbook, and published models get it as it is.

    Parameters
    ----------
    listing, method
        What is to be listed, and how: ``native``, ``cuts``, ``partition`` or ``cubes``.
    deadline, jobs
        When to stop; how many processes search the subproblems of a partition.
    known, frontier, keep
        Points of an earlier run, some of which may be yielded again; what was left of it; who keeps what is
        left of this one. See ``search_subproblems``.
    """
    if method == "cuts":
        return (yield from list_by_cuts(listing, deadline, known))
    divided = divide(listing)
    join = Join(listing.problem, listing.key, divided)
    listings = [replace(listing, problem=part.problem) for part in divided.parts]
    if method == "native":
        finds = _list_each(listings, deadline)
    else:
        yield from join.all_of(known)
        finds = search_subproblems(listings, deadline, jobs, frontier, keep, cubes=method == "cubes")
    try:
        while True:
            yield from join.add(*next(finds))
    except StopIteration as end:
        proof, stop = end.value
        return proof, stop
    finally:
        finds.close()


def divide(listing: Listing) -> Split:
    """Return the parts of the problem, or the whole where the key sees but one of them.

    Where splitting shows that there is no solution, the engine shall say so.
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


def _list_each(listings: Sequence[Listing], deadline: Deadline) -> Finds:
    """List each problem natively, once all have a first solution; the end if one has none."""
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
    """Yield the points, or the first of them, with their number; return how they ended, if they did."""
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
    """Points of the parts of a problem, and what they come to.

    A point that is found goes with all that are known of the other parts. So every solution is put together
    once, when the last of its pieces is found, and no more is held than the points of each part.
    """

    def __init__(self, problem: Problem, key: str, divided: Split):
        self._parts, self._blank = divided.parts, [-1] * len(problem.variables)
        for v, value in divided.fixed:
            self._blank[v] = value
        self._key = frozenset(problem.keys[key])
        self._seen = [[v for v in part.variables if v in self._key] for part in self._parts]
        self._pieces: list[dict[tuple[int, ...], Sequence[int]]] = [{} for _ in self._parts]

    def add(self, number: int, point: Sequence[int]) -> Iterator[tuple[int, ...]]:
        """Yield the points of the whole that a point of a part makes possible; none if it is known."""
        part, values = self._parts[number], self._blank.copy()
        for v, value in enumerate(point):
            if value != -1:  # which is what the key does not say
                whole, value = part.pair(v, value)
                values[whole] = value
        if self._note(number, values):
            pieces = [known.values() for known in self._pieces]
            yield from self._put_together([*pieces[:number], [values], *pieces[number + 1 :]])

    def all_of(self, points: Iterable[Sequence[int]]) -> Iterator[tuple[int, ...]]:
        """Yield all that the pieces of these points of the whole come to."""
        for point in points:
            for number in range(len(self._parts)):
                self._note(number, point)
        yield from self._put_together([known.values() for known in self._pieces])

    def _note(self, number: int, values: Sequence[int]) -> bool:
        """Note a point of a part by its values in the whole; return whether it is new."""
        key, known = tuple([values[v] for v in self._seen[number]]), self._pieces[number]
        if key in known:
            return False
        known[key] = values
        return True

    def _put_together(self, pieces: Sequence[Iterable[Sequence[int]]]) -> Iterator[tuple[int, ...]]:
        for chosen in product(*pieces):
            whole = self._blank.copy()
            for part, values in zip(self._parts, chosen, strict=True):
                for v in part.variables:
                    whole[v] = values[v]
            if -1 in whole:  # as in a file that states the key alone
                whole = [value if v in self._key else -1 for v, value in enumerate(whole)]
            yield tuple(whole)


# The solution space as every task asks for it: parts that are too hard to divide are listed.

# All solutions of a part that has few: a SAT solver finds them, and shows that there is no other.
#
# It learns from dead ends, which branching does not; where there are many solutions it is of no use.

MOST, CONFLICTS = 100, 20_000
"""Solutions after which a list is given up, and conflicts of the first question: the second gets half as
many, the third a third, so that all together are five times as many, a few seconds' worth."""

MAX_CLAUSE_VALUES = 10_000
"""Values open in the problem up to which it is stated as clauses: half a second."""


def list_few(
    problem: Problem, seen: Sequence[int], deadline: Deadline | None
) -> list[tuple[int, ...]] | None:
    """Return a point for each way in which all solutions look to someone who sees these variables.

    None where there are too many, listing them takes too long, or a rule is of an unknown class. What comes
    out, and whether, is the same on every machine unless the deadline says stop. Raises EngineFault for a
    point that breaks a rule.
    """
    deadline = deadline or Deadline()
    try:
        solver = cast("AssumingSolver", available(SHORT_LIST_SOLVER))
    except UsageError:  # branching goes on alone
        return None
    known = all(type(constraint) in VOCABULARY for constraint in problem.constraints)
    if not known or problem.open_values > MAX_CLAUSE_VALUES:
        return None
    statement = CnfEncoding(problem, lambda: deadline.stop)
    if deadline.stop:
        return None
    loaded = solver.load(statement, deadline)
    points: list[tuple[int, ...]] = []
    while found := loaded.solve((), deadline, CONFLICTS // (len(points) + 1)):
        point = statement.decode(loaded.model())
        if broken := problem.violated(point):
            raise EngineFault(f"{SHORT_LIST_SOLVER} gave a point that breaks a rule: {broken}")
        points.append(point)
        if len(points) > MOST:
            return None
        here = {statement.literal(v, point[v]) for v in seen}
        loaded.add([-literal for literal in sorted(here - {statement.true})])
    return None if found is None else points


def space_of(problem: Problem, variables: Iterable[int], budget: Budget, deadline: Deadline) -> Space:
    """Return the solutions of the problem that differ in the variables.

    Its ``listed`` tells whether an engine's word is in it. Raises Unfinished when it does not fit the budget,
    or when the deadline says stop.
    """
    return compile_space(problem, variables, budget, deadline, list_few)


def view_of(space: Space, variables: Iterable[int], budget: Budget, deadline: Deadline) -> Space:
    """Return the solutions of a space as they look to someone who sees these variables only.

    Raises Unfinished as ``space_of`` does.
    """
    return project_space(space, variables, budget, deadline, list_few)
