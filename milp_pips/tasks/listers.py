"""The ways of an enumeration, each a lister, and the iterator over what a lister finds.

A lister finds points, judges each of them and returns a proof and a stop. The lines that an earlier run has
written are validated and not yielded again.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import replace
from functools import partial
from itertools import islice
from random import Random
from typing import Any, TypeAlias, TypeVar

from milp_pips.compilation.solution_set import SolutionSet
from milp_pips.engines.contract import PointIterator, Points
from milp_pips.enumeration.joining import list_joined
from milp_pips.enumeration.methods import Listing
from milp_pips.enumeration.subproblems import EarlierRun
from milp_pips.problem.answer import FILTERING, Claim, Proof, Stop
from milp_pips.problem.errors import EngineFault, InputError
from milp_pips.puzzles.family import family_of
from milp_pips.tasks.lines import SolutionFile, add_up_lines, line_of
from milp_pips.tasks.query import Prepared, Run
from milp_pips.tasks.results import Optimum, Summary
from milp_pips.verification.recounting import claim_of_space
from milp_pips.verification.second_opinion import on_complete

BY_PARTS = ("partition", "cubes")
"""Methods that filter and branch themselves, and call an engine only for what filtering leaves open."""

CHECKED_POINTS = 1000
"""The first ``CHECKED_POINTS`` points of a decision diagram are checked, and then one in ``CHECKED_POINTS``,
which takes a twelfth of the time of a list.

A diagram is compiled from the same constraints that check it, by code that is tested against enumeration.
"""

SAMPLED = 100
"""The family's own check judges the first ``SAMPLED`` points of an engine, and one in ``SAMPLED`` at random.

All points of an engine are checked against the constraints. With 12 dominoes that takes 11 µs a
point and the family's check 80 µs, of about 200 µs for the whole list.
"""

Entry = TypeVar("Entry")
T = TypeVar("T")

KnownLines: TypeAlias = Iterable[tuple[str, str]]
"""The lines that an earlier run has written, each with its place."""

Listed: TypeAlias = Generator[T, None, tuple[Proof, Stop]]
"""A list that returns its proof and its stop."""


def show_each(entries: Listed[Entry], show: Callable[[Entry], T]) -> Listed[T]:
    """Yield what ``show`` returns for each entry; return the proof and the stop of the list."""
    for entry in (listed := PointIterator(entries)):
        yield show(entry)
    return listed.end


class Lister(ABC):
    """Lists the solutions of a puzzle that differ in the key.

    ``solver`` is the solver that was needed, empty for none. ``of`` is the number of all solutions, if it is
    known, and ``judged`` the number of those so far that the family's own check has judged. ``distances`` are
    those of solutions that are far apart, see ``Summary``; ``optimum`` is the optimum that it has found.
    """

    method: str
    solver: str = ""
    of: int | None = None
    judged = 0
    distances: tuple[int, ...] = ()
    optimum: Optimum | None = None

    def __init__(self, prepared: Prepared, key: str, run: Run):
        self.prepared, self.key, self.run, self.deadline = prepared, key, run, run.deadline

    @property
    def current(self) -> Lister:
        """The lister that lists now: this one, or another one that it calls."""
        return self

    @abstractmethod
    def points(self, known: KnownLines) -> Points:
        """Yield the points, without the known ones. Raises InputError for a wrong line."""

    def judge(self, point: tuple[int, ...]) -> Any:
        """Return the solution of a point. Raises EngineFault if it breaks a rule."""
        self.judged += 1
        return self.prepared.judge(point, self.solver or "the solver")

    def solutions(self) -> Listed[Any]:
        """Yield the solutions."""
        return show_each(self.points(()), self.judge)

    def lines(self, known: KnownLines) -> Listed[str]:
        """Yield the solutions as lines of JSON, without the known ones. Raises InputError for a wrong one."""
        return show_each(show_each(self.points(known), self.judge), partial(line_of, self.prepared))

    def known_point(self, line: str, place: str) -> tuple[int, ...]:
        """Return the point of a line of an earlier run, checked like an engine's. Raises InputError."""
        prepared = self.prepared
        solution = prepared.family.read_solution(prepared.puzzle, line, place)
        if broken := prepared.family.check(prepared.puzzle, solution):
            raise InputError(f"no solution of {prepared.puzzle.name}: {broken}", place)
        point = prepared.point_of(solution)
        try:
            prepared.judge(point, "the file")
        except EngineFault as fault:
            raise InputError(str(fault), place) from None
        return point

    @abstractmethod
    def confirm(self, found: int) -> str | None:
        """Return what confirms that the solutions found are all that the list should have; None if nothing.

        Raises EngineFault if that is contradicted.
        """


class EmptyLister(Lister):
    """The list of a puzzle that filtering has refuted, or whose solution space is too large to list.

    ``method`` would have listed; ``proof`` and ``stop`` are the end of the list.
    """

    def __init__(self, prepared: Prepared, key: str, run: Run, method: str, proof: Proof, stop: Stop):
        super().__init__(prepared, key, run)
        self.method, self._end = method, (proof, stop)
        self.of = 0 if proof is Proof.COMPLETE else None

    def points(self, _known: KnownLines) -> Points:
        yield from ()
        return self._end

    def confirm(self, found: int) -> str | None:
        """Return what confirms that there is no solution, as filtering claims."""
        claim = Claim(FILTERING, FILTERING)
        return on_complete(self.prepared.problem, self.key, found, (), claim, self.deadline)


class SpaceLister(Lister):
    """Lists the solutions of a solution space in its order.

    An earlier run has written the first solutions in the same order.
    """

    method = "diagram"

    def __init__(self, prepared: Prepared, key: str, run: Run, space: SolutionSet):
        super().__init__(prepared, key, run)
        self._space, self._is_checked = space, True
        self.of = space.count

    def _stop_before(self, number: int) -> Stop | None:
        """Return why to stop before a solution, and note whether that one is checked."""
        self._is_checked = number < CHECKED_POINTS or not number % CHECKED_POINTS
        return self.deadline.stop if self._is_checked or not number & 31 else None

    def points(self, _known: KnownLines) -> Points:
        complete = self._space.completion()
        for number, values in enumerate(self._space.assignments()):
            if stop := self._stop_before(number):
                return Proof.NONE, stop
            yield complete(values)
        return Proof.COMPLETE, Stop.FINISHED

    def judge(self, point: tuple[int, ...]) -> Any:
        """Return the solution of a point, which is checked from time to time."""
        if not self._is_checked:
            return self.prepared.family.decode(self.prepared.puzzle, point)
        self.judged += 1
        return self.prepared.judge(point, "the decision diagram")

    def lines(self, known: KnownLines) -> Listed[str]:
        before, number = iter(known), 0
        for lines in self._lines():
            begun = 0
            for line in lines:
                if (written := next(before, None)) is None:
                    break
                if written[0] != line:
                    message = f"not the line that this enumeration wrote: {written[0][:40]}"
                    raise InputError(message, written[1])
                begun += 1
            for i in self._checked(number, len(lines)):
                if stop := self.deadline.stop:
                    return Proof.NONE, stop
                if i >= begun:
                    yield from lines[begun:i]
                    begun = i
                    self._judge_line(lines[i])
            if stop := self.deadline.stop:
                return Proof.NONE, stop
            yield from lines[begun:] if begun else lines
            number += len(lines)
        if written := next(before, None):
            raise InputError(f"more lines than the puzzle has solutions: {written[0][:40]}", written[1])
        return Proof.COMPLETE, Stop.FINISHED

    def _checked(self, number: int, count: int) -> Iterable[int]:
        """Return which of the ``count`` solutions from that number on are checked, by their places."""
        first = range(max(0, min(count, CHECKED_POINTS - number)))
        return [*first, *range(max(len(first), -number % CHECKED_POINTS), count, CHECKED_POINTS)]

    def _judge_line(self, line: str) -> None:
        prepared = self.prepared
        self.judge(prepared.point_of(prepared.family.read_solution(prepared.puzzle, line, "line")))

    def _lines(self) -> Iterator[list[str]]:
        """Return the lines of all solutions: added up where that is possible, which lists millions."""
        prepared, space = self.prepared, self._space
        if prepared.problem.objective is None and (lines := add_up_lines(prepared.puzzle, space)):
            return lines
        complete = space.completion()
        solutions = (prepared.family.decode(prepared.puzzle, complete(v)) for v in space.assignments())
        return ([line_of(prepared, solution)] for solution in solutions)

    def confirm(self, found: int) -> str | None:
        """Return what confirms that these are all solutions; the space's variables are those of the key."""
        claim = claim_of_space("the decision diagram", listed=self._space.listed)
        listed, problem = self._space.assignments(), self.prepared.problem
        return on_complete(problem, self.key, found, listed, claim, self.deadline)


class EngineLister(Lister):
    """Lists the solutions that an engine finds; each of them is checked.

    Parameters
    ----------
    prepared
        The puzzle.
    listing, run
        What to list, and how, see ``list_joined``.
    file
        The file of an earlier run, with the subproblems that it left.
    """

    def __init__(self, prepared: Prepared, listing: Listing, run: Run, file: SolutionFile | None):
        super().__init__(prepared, listing.key, run)
        self._listing, self.method, self._file = listing, run.method, file
        self._keys = set[tuple[int, ...]]()
        self._by_constraints = replace(prepared, family=replace(prepared.family, check=lambda *_: None))
        self._rng = Random(0)

    @property
    def solver(self) -> str:  # type: ignore[override]
        """The solver; empty if filtering and branching have sufficed, in this run and in earlier ones."""
        file, used = self._file, bool(self._listing.used)
        used = used or (file is not None and (file.frontier is not None or file.is_complete))
        return self._listing.solver if used or self.method not in BY_PARTS else ""

    def points(self, known: KnownLines) -> Points:
        earlier = [self._earlier_point(*line) for line in known]
        file = self._file
        if file is not None and file.is_complete:  # so its state claims; the confirmation checks it
            return Proof.COMPLETE, Stop.FINISHED
        resume = (file.frontier, file.save_frontier) if file is not None else ()
        run = EarlierRun(earlier, *resume)
        points = PointIterator(list_joined(self._listing, self.method, self.deadline, self.run.jobs, run))
        for point in points:
            if (key := self._listing.key_of(point)) not in self._keys:
                self._keys.add(key)
                yield point
        return points.end

    def judge(self, point: tuple[int, ...]) -> Any:
        """Return the solution of a point, which the family's own check judges from time to time."""
        by_family = len(self._keys) <= SAMPLED or not self._rng.randrange(SAMPLED)
        self.judged += by_family
        return (self.prepared if by_family else self._by_constraints).judge(point, self._listing.solver)

    def _earlier_point(self, line: str, place: str) -> tuple[int, ...]:
        """Return the point of a line, which states the key and is new. Raises InputError."""
        point = self.known_point(line, place)
        if self.prepared.problem.blank in self._listing.key_of(point):
            raise InputError(f"a solution that does not state its {self.key}", place)
        return self._new(point, place)

    def _new(self, point: tuple[int, ...], place: str) -> tuple[int, ...]:
        """Return the point of a line, whose key is recorded. Raises InputError if it is known already."""
        if (key := self._listing.key_of(point)) in self._keys:
            raise InputError("a solution for the second time", place)
        self._keys.add(key)
        return point

    def confirm(self, found: int) -> str | None:  # noqa: ARG002
        """Return what confirms the claim of the engine; of filtering and branching where these sufficed."""
        claim = Claim(self.method, FILTERING)
        if self.solver:
            family, used = self._listing.engine.proof_family, ",".join(sorted(self._listing.used))
            also = FILTERING if self.method in BY_PARTS else ""
            claim = Claim(f"{self.solver} by {self.method}", family, used, also)
        return self.prepared.confirm_list(self.key, self._keys, claim, self.run)


class Enumeration:
    """An iterator over the solutions of a puzzle; ``summary`` is set when it has ended.

    ``solutions`` makes it. ``method`` and ``solver`` list the solutions; another method may take their place
    while they do. ``found`` is the number of solutions so far, those of an earlier run included, and ``of``
    the number of all solutions, if a decision diagram has counted them.

    Parameters
    ----------
    prepared, key, run
        The puzzle, the name of the key by which its solutions differ, and the way to list them.
    choose_lister
        Returns the lister, once the first solution is wanted.
    limit, file, optimum
        Most solutions; the file to which they are appended; the optimum that they are near to.
    """

    def __init__(
        self,
        prepared: Prepared,
        key: str,
        run: Run,
        choose_lister: Callable[[], Lister],
        limit: int | None = None,
        file: SolutionFile | None = None,
        optimum: Optimum | None = None,
    ):
        self.puzzle, self.value = prepared.puzzle, prepared.value
        self.key, self.solver, self.limit = key, run.solver, limit
        self._choose_lister, self._optimum = choose_lister, optimum
        self._file, self._run, self._deadline = file, run, run.deadline
        self._lister: Lister | None = None
        self._begun = time.perf_counter() - prepared.seconds
        self.found = 0 if file is None else file.count
        self.summary: Summary | None = None
        self._solutions: Iterator[Any] | None = None

    @property
    def method(self) -> str:
        """The method that lists."""
        return self._run.method if self._lister is None else self._lister.current.method

    @property
    def of(self) -> int | None:
        """The number of all solutions, if it is known."""
        return None if self._lister is None else self._lister.current.of

    @property
    def seconds(self) -> float:
        """Wall-clock seconds since the list began."""
        return time.perf_counter() - self._begun

    @property
    def optimum(self) -> Optimum | None:
        """The optimum that the solutions are near to, if it is known."""
        return self._optimum or (None if self._lister is None else self._lister.current.optimum)

    def __str__(self) -> str:
        of = "" if self.of is None else f" of {self.of}"
        return f"{self.puzzle.name}: {self.summary or f'{self.found}{of} solutions so far'}"

    def __repr__(self) -> str:
        return f"<{self}>"

    def __iter__(self) -> Iterator[Any]:
        if self._solutions is None:
            self._solutions = self._entries(as_json=False)
        return self._solutions  # the generator itself: a loop does not call __next__

    def __next__(self) -> Any:
        return next(iter(self))

    def json_lines(self) -> Iterator[str]:
        """Return an iterator over the solutions as lines of JSON, in place of the solutions themselves.

        With a decision diagram this is much the quickest way to list millions. With an objective each line
        has its value.
        """
        return self._entries(as_json=True)

    def _entries(self, *, as_json: bool) -> Iterator[Any]:
        """Yield the solutions or their lines, append the lines to the file, and set the summary."""
        proof, stop, confirmed_by = Proof.NONE, Stop.COUNT, None
        file, deadline, name = self._file, self._deadline, self.puzzle.name
        read = family_of(self.puzzle).read_solution
        entries: Listed[Any] | None = None
        try:
            lister = self._lister = self._choose_lister()
            if file is None:
                entries = lister.lines(()) if as_json else lister.solutions()
            else:
                entries = lister.lines(file.lines())
            later, reads = False, not as_json and file is not None
            most = None if self.limit is None else max(0, self.limit - self.found)
            numbered = enumerate(islice(listed := PointIterator(entries), most), self.found + 1)
            for self.found, entry in numbered:  # millions of times
                if file is not None:
                    later = later or self.of is not None  # such lines are soon made again
                    file.append(entry, later=later)
                yield read(self.puzzle, entry, "a line") if reads else entry
            proof, stop = listed.end
            # Only a finished list is confirmed, and only a confirmed one is complete, in the summary and in
            # the file.
            if proof is Proof.COMPLETE:
                confirmed_by = self._confirm(lister)
                deadline.progress.report(f"{name}: complete, confirmed by {confirmed_by or 'nothing'}")
                stop = stop if confirmed_by else deadline.stop or stop
            current = lister.current
            self.summary = Summary(
                self.found,
                self.key,
                bool(confirmed_by),
                stop,
                current.method,
                current.solver,
                self.seconds,
                confirmed_by,
                self.optimum,
                current.judged,
                current.distances,
            )
        finally:
            if entries is not None:
                entries.close()
            if file is not None:
                file.close(is_complete=bool(confirmed_by))

    def _confirm(self, lister: Lister) -> str | None:
        """Return what confirmed that the list is complete, or None. Raises EngineFault."""
        try:
            return lister.confirm(self.found)
        except EngineFault as fault:
            if self._file is not None and self._file.count:
                # The lines in the file determined which solutions were left to list.
                again = f"remove it and {self._file.path}.state to begin again"
                raise InputError(f"does not fit its state: {fault}; {again}", self._file.path) from None
            raise
