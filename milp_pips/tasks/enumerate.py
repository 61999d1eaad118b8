"""The task ``solutions``: enumerate the solutions of a puzzle, and prove that the list is complete.

A decision diagram lists them if it fits, else an engine does. Every solution of an engine is checked against
the rules, and completeness is confirmed a second way.
"""

from __future__ import annotations

import json
import time
from collections.abc import Generator, Iterator
from typing import TYPE_CHECKING, Any, TypeAlias, Unpack

from milp_pips.compilation.limits import Budget, Unfinished
from milp_pips.compilation.solution_set import SolutionSet
from milp_pips.engines.defaults import PARTITION, enumerator
from milp_pips.engines.registry import available
from milp_pips.enumeration.joining import list_joined
from milp_pips.enumeration.methods import Listing, usual_method
from milp_pips.problem.answer import Proof, Settings, Shortcuts, Stop
from milp_pips.problem.errors import EngineFault, InputError, UsageError, unknown_name
from milp_pips.problem.parameters import Parameter, named_keywords, one_of, whole
from milp_pips.problem.stopping import Deadline, OnProgress
from milp_pips.problem.version import VERSION
from milp_pips.puzzles.puzzle import Board
from milp_pips.runtime.writing import try_file
from milp_pips.tasks.compile import compile_prepared
from milp_pips.tasks.lines import SolutionFile, add_up_lines
from milp_pips.tasks.pipeline import completion, known_key, prepare, puzzle_of, rules_for, settings_of
from milp_pips.tasks.results import Summary
from milp_pips.verification.second_opinion import FILTERING, Claim, on_complete

if TYPE_CHECKING:
    from milp_pips.problem.problem import Problem
    from milp_pips.puzzles.puzzle import Puzzle

ENUMERATION_METHODS = ("auto", "diagram", "native", "partition", "cubes", "cuts")
ENUMERATION_PARAMETERS = (
    Parameter(
        "--method METHOD",
        "diagram: decision diagram; native: the engine's own enumeration; partition: split the rest of the "
        "search space after each solution; cubes: partition, with all solutions around each found one; cuts: "
        "exclude each solution by a cut (default: auto, the quickest that fits)",
        one_of(ENUMERATION_METHODS),
        "auto",
    ),
)

BY_PARTS = ("partition", "cubes")
"""Methods that filter and branch themselves, and call an engine only for what filtering leaves open."""

CHECKED_POINTS = 1000
"""The first ``CHECKED_POINTS`` points of a decision diagram are checked, and then one in ``CHECKED_POINTS``.

A diagram is compiled from the same constraints that check it, by code that is tested against enumeration. The
points of an engine are all checked.
"""

Entry: TypeAlias = tuple[Any, str]
"""A solution and its line of JSON; one of the two may be left out if it is not used."""

Entries: TypeAlias = Generator[Entry, None, tuple[Proof, Stop]]


class Enumeration:
    """An iterator over the solutions of a puzzle; ``summary`` is set when it has ended.

    ``found`` is the number of solutions so far, and ``of`` the number of all solutions, if a decision diagram
    has counted them. The parameters are those of ``solutions``.
    """

    def __init__(
        self,
        puzzle: Puzzle,
        solver: str = "",
        settings: Settings = Settings(),
        *,
        method: str = "auto",
        distinct: str = "",
        limit: int | None = None,
        out: str = "",
        jobs: int = 1,
        board: Board | None = None,
        deadline: Deadline | None = None,
        on_progress: OnProgress | None = None,
    ):
        whole(1).check("jobs", jobs)
        if limit is not None:
            whole(1).check("limit", limit)
        self._begun = time.perf_counter()
        self.puzzle, self.limit = puzzle, limit
        self.method, self.solver = _choose(method, solver, settings, jobs)
        engine = available(self.solver, settings) if self.solver else None
        if out:
            try_file(out)
        self._deadline = deadline or Deadline(settings.seconds)
        within = None if out else self._deadline  # a file resumes only if filtering gives the same domains
        self._prepared = prepare(puzzle, rules_for(settings, engine), board, within)
        self.problem = self._prepared.problem
        if engine and self.method == "auto":
            self.method = usual_method(engine, self.problem)
        self.key = known_key(self.problem, distinct)
        self._blank = self.problem.blank
        self.found = 0
        self.of: int | None = None
        self.summary: Summary | None = None
        self._auto = method == "auto" and not solver
        self._settings, self._jobs = settings, jobs
        self._deadline.on_progress = on_progress or self._deadline.on_progress
        self._listed: set[tuple[int, ...]] = set()
        self._used: set[str] = set()
        self._space: SolutionSet | None = None
        self._file: SolutionFile | None = None
        if out:
            head = {
                "puzzle": puzzle.name,
                "problem": self._prepared.filtered.digest(puzzle.family),
                "key": self.key,
            }
            head |= {"method": self.method, "solver": self.solver, "formulation": settings.formulation}
            self._file = SolutionFile(out, {**head, "version": VERSION})
            self.found = self._file.count
        self._solutions: Iterator[Any] | None = None

    def __str__(self) -> str:
        of = "" if self.of is None else f" of {self.of}"
        return f"{self.puzzle.name}: {self.summary or f'{self.found}{of} solutions so far'}"

    def __repr__(self) -> str:
        return f"<{self}>"

    def __iter__(self) -> Iterator[Any]:
        if self._solutions is None:
            self._solutions = self._run(as_json=False)
        return self._solutions  # the generator itself: a loop does not call __next__

    def __next__(self) -> Any:
        return next(iter(self))

    def json_lines(self) -> Iterator[str]:
        """Return an iterator over the solutions as lines of JSON, in place of the solutions themselves.

        With a decision diagram this is much the quickest way to list millions.
        """
        return self._run(as_json=True)

    def _run(self, *, as_json: bool) -> Iterator[Any]:
        """Yield the solutions or their lines, append the lines to the file, and set the summary."""
        proof, stop, confirmed_by = Proof.NONE, Stop.COUNT, None
        entries = self._entries(as_json=as_json)
        try:
            while self.limit is None or self.found < self.limit:
                try:
                    entry = next(entries)
                except StopIteration as end:
                    proof, stop = end.value
                    break
                self.found += 1
                if self._file is not None:
                    self._file.append(entry[1])
                yield entry[as_json]
            if proof is Proof.COMPLETE:
                confirmed_by = self._confirm()
                self._deadline.report(
                    f"{self.puzzle.name}: complete, confirmed by {confirmed_by or 'nothing'}"
                )
                stop = stop if confirmed_by else self._deadline.stop or stop
            spent = time.perf_counter() - self._begun
            solver = self.solver if self._used_engine else ""
            self.summary = Summary(
                self.found, self.key, bool(confirmed_by), stop, self.method, solver, spent, confirmed_by
            )
        finally:
            entries.close()
            if self._file is not None:
                self._file.close(is_complete=bool(confirmed_by))

    def _entries(self, *, as_json: bool) -> Entries:
        """Yield the solutions that are not in the file yet, from the decision diagram or an engine."""
        name, filtered = self.puzzle.name, self._prepared.filtered
        self._deadline.report(
            f"{name}: filtering leaves {filtered.open_values} of {self.problem.open_values} values open"
        )
        if self._prepared.refutation:
            return Proof.COMPLETE, Stop.FINISHED
        if self.method == "diagram":
            try:
                self._space = self._compile()
            except Unfinished as reason:
                if not self._auto or self._deadline.stop:
                    return Proof.NONE, self._deadline.stop or reason.stop
                self.solver = enumerator()  # too large for a diagram
                self.method = usual_method(available(self.solver), self.problem)
            else:
                self.of = self._space.count
                self._deadline.report(f"{name}: the decision diagram holds {self.of}")
                return (yield from self._list_from_space(self._space, as_json))
        return (yield from self._list_by_engine(as_json))

    def _compile(self) -> SolutionSet:
        """Return the space of the solutions that differ in the key. Raises Unfinished."""
        budget = Budget.of_memory(self._settings.memory)
        return compile_prepared(self._prepared, self.key, budget, self._deadline)

    def _list_from_space(self, space: SolutionSet, as_json: bool) -> Entries:
        """Yield the solutions of the solution space in its order, without those in the file.

        The file must hold the first solutions in the same order. Raises InputError if it does not.
        """
        before = self._file.lines() if self._file is not None else None
        lines = add_up_lines(self.puzzle, space) if as_json else None
        views: Iterator[Any] = space.assignments() if lines is None else lines
        complete = completion(self.problem, space.variables)
        puzzle, decode, unread = self.puzzle, self._prepared.family.decode, not as_json and before is None
        for number, view in enumerate(views):
            is_checked = number < CHECKED_POINTS or not number % CHECKED_POINTS
            if (is_checked or not number & 31) and self._deadline.stop:
                return Proof.NONE, self._deadline.stop
            known = None if before is None else next(before, None)
            if known is not None:  # the file has this solution already: compare, and yield nothing
                expected = self._line(decode(puzzle, complete(view))) if lines is None else view
                if known[0] != expected:
                    raise InputError(f"not the line that this enumeration wrote: {known[0][:40]}", known[1])
            elif lines is None:
                point = complete(view)
                solution = self._prepared.judge(point, self._who) if is_checked else decode(puzzle, point)
                yield solution, "" if unread else self._line(solution)
            else:
                if is_checked:
                    self._prepared.judge(self._read_point(view), self._who)
                yield None, view
        if before is not None and (known := next(before, None)):
            raise InputError(f"more lines than the puzzle has solutions: {known[0][:40]}", known[1])
        return Proof.COMPLETE, Stop.FINISHED

    def _list_by_engine(self, as_json: bool) -> Entries:
        """Yield the solutions that an engine lists, each checked, without those in the file."""
        self._deadline.report(f"{self.puzzle.name}: {self.solver} lists by {self.method}")
        listing = Listing(self._prepared.filtered, self.key, self.solver, self._settings, used=self._used)
        known = self._known_points(listing)
        if self._file is not None and self._file.is_complete:  # so its state claims; _confirm checks it
            return Proof.COMPLETE, Stop.FINISHED
        resume = (self._file.frontier, self._file.save_frontier) if self._file else ()
        points = list_joined(listing, self.method, self._deadline, self._jobs, known, *resume)
        try:
            while True:
                point = next(points)
                if listing.key_of(point) not in self._listed:
                    solution = self._prepared.judge(point, self._who)
                    self._listed.add(listing.key_of(point))
                    yield self._entry(solution, as_json)
        except StopIteration as end:
            proof, stop = end.value
            return proof, stop
        finally:
            points.close()

    def _known_points(self, listing: Listing) -> list[tuple[int, ...]]:
        """Return the points in the file, each checked like an engine's. Raises InputError."""
        known = []
        for line, place in self._file.lines() if self._file is not None else ():
            solution = self._prepared.family.read_solution(self.puzzle, line, place)
            if broken := self._prepared.family.check(self.puzzle, solution):
                raise InputError(f"no solution of {self.puzzle.name}: {broken}", place)
            point = self._point(solution)
            try:
                self._prepared.judge(point, "the file")
            except EngineFault as fault:
                raise InputError(str(fault), place) from None
            if self._blank in listing.key_of(point):
                raise InputError(f"a solution that does not state its {self.key}", place)
            if listing.key_of(point) in self._listed:
                raise InputError("a solution for the second time", place)
            self._listed.add(listing.key_of(point))
            known.append(point)
        return known

    def _entry(self, solution: Any, as_json: bool) -> Entry:
        """Return the solution and its line; the line is empty if neither the caller nor the file needs it."""
        if not as_json and self._file is None:
            return solution, ""
        return solution, self._line(solution)

    def _line(self, solution: Any) -> str:
        return json.dumps(self._prepared.family.to_json(self.puzzle, solution), ensure_ascii=False)

    def _read_point(self, line: str) -> tuple[int, ...]:
        """Return the point that a line of JSON states, read by the family's own reader."""
        return self._point(self._prepared.family.read_solution(self.puzzle, line, "line"))

    def _point(self, solution: Any) -> tuple[int, ...]:
        values = self._prepared.family.encode(self.puzzle, solution)
        return tuple(values.get(v, self._blank) for v in range(len(self.problem.variables)))

    @property
    def _used_engine(self) -> bool:
        """Whether an engine may have contributed: filtering and branching may have sufficed."""
        file = self._file  # an earlier run may have called the engine
        begun = file is not None and (file.frontier is not None or file.is_complete)
        return self.method not in BY_PARTS or bool(self._used) or begun

    @property
    def _who(self) -> str:
        return self.solver or "the decision diagram"

    def _confirm(self) -> str | None:
        """Return what confirmed that the list is complete, or None. Raises EngineFault."""
        if self._prepared.refutation:
            claim = Claim("filtering", "filtering")
        elif self._space is not None:
            claim = Claim.of_space(self._who, listed=self._space.listed)
        else:
            family, used = available(self.solver, self._settings).proof_family, ",".join(sorted(self._used))
            also = FILTERING if self.method in BY_PARTS else ""
            claim = Claim(f"{self.solver} by {self.method}", family, used, also)
            if not self._used_engine:
                claim = Claim(self.method, FILTERING)
        listed = self._listed if self._space is None else self._space.assignments()
        try:
            return on_complete(self.problem, self.key, self.found, listed, claim, self._deadline)
        except EngineFault as fault:
            if (
                self._file is not None and self._file.count
            ):  # the lines in the file determined which solutions were left to list
                raise InputError(f"does not fit its state: {fault}", self._file.path) from None
            raise


@named_keywords
def solutions(
    puzzle: Puzzle | Problem,
    solver: str = "",
    settings: Settings = Settings(),
    *,
    method: str = "auto",
    distinct: str = "",
    limit: int | None = None,
    out: str = "",
    jobs: int = 1,
    board: Board | None = None,
    deadline: Deadline | None = None,
    on_progress: OnProgress | None = None,
    **shortcuts: Unpack[Shortcuts],
) -> Enumeration:
    """Return an iterator over the solutions of a puzzle.

    Parameters
    ----------
    puzzle
        A puzzle of any family, or a bare problem.
    solver
        Name of the solver; empty for the quickest.
    settings, shortcuts
        As for ``solve``.
    method
        ``diagram``, ``native``, ``partition``, ``cubes``, ``cuts`` or ``auto``. ``auto`` takes the decision
        diagram if it fits, else an engine's own enumeration, else a partition; if ``solver`` is given, it
        takes that solver's usual method. See ``docs/solutions.md``.
    distinct
        The key: two solutions are different if they differ in it, such as ``placement`` or ``grid``. Empty
        for the first key.
    limit
        Most solutions to list.
    out
        A JSON-lines file to which every solution is appended. A killed enumeration resumes from it.
    jobs
        Number of processes that search subproblems of a partition in parallel.
    board
        The values that are filled in already, see ``hint``: only solutions that contain them are listed.
    deadline
        A deadline that is running already, instead of a time limit.
    on_progress
        Called with each line of progress; the logger ``milp_pips`` gets these lines, too.

    Raises
    ------
    UsageError
        If a solver, method, key or option is unknown, or a value of the board is not in the domain of its
        cell.
    EngineFault
        If a solution breaks a rule, or if two engines contradict each other.
    """
    return Enumeration(
        puzzle_of(puzzle, "solutions"),
        solver,
        settings_of(settings, shortcuts, solver),
        method=method,
        distinct=distinct,
        limit=limit,
        out=out,
        jobs=jobs,
        board=board,
        deadline=deadline,
        on_progress=on_progress,
    )


def _choose(method: str, solver: str, settings: Settings, jobs: int) -> tuple[str, str]:
    """Return the method and the solver that ``auto`` and an unnamed solver stand for. Raises UsageError.

    The method is still ``auto`` where the problem determines the usual method of the named solver.
    """
    if method not in ENUMERATION_METHODS:
        raise unknown_name("method", method, ENUMERATION_METHODS)
    if solver and "space" in available(solver, settings).features:
        if jobs > 1 or method not in ("auto", "diagram"):
            raise UsageError(f"the solver {solver} lists all solutions by the method diagram, in one process")
        return "diagram", ""
    if jobs > 1 and method not in ("auto", "partition", "cubes"):
        raise UsageError(f"several jobs need the method partition or cubes, not {method}")
    if method == "auto" and jobs > 1:
        return "partition", solver or PARTITION
    if method == "auto":
        return (method, solver) if solver else ("diagram", "")
    if method == "diagram":
        if solver:
            raise UsageError("the decision diagram needs no solver: leave out --method or --solver")
        return method, ""
    return method, solver or (enumerator() if method == "native" else PARTITION)
