"""List the solutions of a puzzle, judge each, and say in the end whether the list is complete."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from milp_pips.answer import Answer, Proof, Settings, Stop
from milp_pips.diagram import Unfinished, Unsupported, compile_diagram, projected
from milp_pips.engines import available
from milp_pips.enumeration.methods import Work, by_cuts, by_diagram, by_partition, natively
from milp_pips.enumeration.record import Record
from milp_pips.errors import EngineFault, UsageError
from milp_pips.problem import NoGood
from milp_pips.referee import judged
from milp_pips.watch import Watch

if TYPE_CHECKING:
    from milp_pips.problem import Problem
    from milp_pips.puzzles.family import Puzzle
    from milp_pips.solvers.contract import Points

METHODS = ("auto", "diagram", "native", "partition", "cuts")

NODES = 3_000_000
"""Nodes that the decision diagram may take: less than a gigabyte."""

LISTED = 300
"""Solutions up to which completeness is confirmed by cutting them all off."""

JUDGED = 1000
"""Of the points of a decision diagram the first so many are judged, and then one in so many.

A diagram is made from the same constraints that judge it, by code that is tested against enumeration; an
engine's points are judged every one.
"""


class Summary(NamedTuple):
    """The last word on an enumeration.

    Parameters
    ----------
    solutions
        How many were listed, those of an earlier run included.
    key
        What makes two of them different.
    complete
        Whether there is no further one; this has been proven and confirmed.
    stop
        Why it stopped.
    method, solver
        How, and by whom.
    seconds
        How long it took.
    confirmed_by
        What confirmed that the list is complete, or None.
    """

    solutions: int
    key: str
    complete: bool
    stop: Stop
    method: str
    solver: str
    seconds: float
    confirmed_by: str | None

    def to_json(self) -> dict[str, Any]:
        """Return the summary as JSON-ready data."""
        return {**self._asdict(), "stop": self.stop.value, "seconds": round(self.seconds, 6)}

    def __str__(self) -> str:
        who = f"{self.method} by {self.solver}" if self.solver else self.method
        found = f"{self.solutions} solution{'' if self.solutions == 1 else 's'} (by {self.key}, {who})"
        if self.complete:
            return f"{found}, complete, in {self.seconds:.3f} s; confirmed by {self.confirmed_by}"
        return f"{found}, not known to be complete, in {self.seconds:.3f} s; stop: {self.stop}"


class Enumeration:
    """An iterator over the solutions of a puzzle; its ``summary`` is there when it has ended."""

    def __init__(
        self,
        puzzle: Puzzle[Any],
        *,
        solver: str = "",
        method: str = "auto",
        distinct: str = "",
        limit: int | None = None,
        settings: Settings | None = None,
        out: str = "",
        watch: Watch | None = None,
    ):
        if method not in METHODS:
            raise UsageError(f"unknown method {method!r}; known: {', '.join(METHODS)}")
        self.puzzle, self.limit = puzzle, limit
        self.watch = watch or Watch()
        self.problem = puzzle.state()
        self.key = _known_key(self.problem, distinct)
        self.method, self.solver = _chosen(method, solver)
        self.summary: Summary | None = None
        self._settings = settings or Settings()
        self._begun = time.perf_counter()
        self._record: Record | None = None
        self._seen: set[tuple[int, ...]] = set()
        self._count = 0
        if out:
            head = {"puzzle": puzzle.name, "key": self.key, "method": self.method, "solver": self.solver}
            self._record = Record(out, head)
        self._solutions = self._run(auto=method == "auto" and not solver)

    def __iter__(self) -> Iterator[Any]:
        return self._solutions

    def __next__(self) -> Any:
        return next(self._solutions)

    @property
    def found(self) -> int:
        """How many solutions there are so far."""
        return self._count

    def _run(self, *, auto: bool) -> Iterator[Any]:
        known = self._known()
        proof, stop = Proof.NONE, Stop.COUNT
        points = self._points(known, auto=auto)
        finished = False
        try:
            while self.limit is None or self._count < self.limit:
                try:
                    point = next(points)
                except StopIteration as end:
                    proof, stop = end.value
                    break
                key = tuple(point[v] for v in self.problem.keys[self.key])
                if self.method != "diagram":
                    if key in self._seen:
                        continue
                    self._seen.add(key)
                solution = self._judged(point)
                self._count += 1
                if self._record is not None:
                    self._record.append(self.puzzle.solution_to_json(solution))
                yield solution
            confirmed_by = self._confirmed() if proof is Proof.COMPLETE else None
            finished = confirmed_by is not None
            if proof is Proof.COMPLETE and not finished:
                stop = self.watch.stop or stop
            self.summary = Summary(
                self._count,
                self.key,
                finished,
                stop,
                self.method,
                self.solver,
                time.perf_counter() - self._begun,
                confirmed_by,
            )
        finally:
            points.close()
            if self._record is not None:
                self._record.close(finished=finished)

    def _known(self) -> list[tuple[int, ...]]:
        """Return the points of the solutions that the file holds from an earlier run."""
        if self._record is None:
            return []
        points = []
        for solution in self._record.solutions(self.puzzle):
            values = self.puzzle.encode(solution)
            point = tuple(values.get(v, -1) for v in range(len(self.problem.variables)))
            points.append(point)
            self._seen.add(tuple(point[v] for v in self.problem.keys[self.key]))
        self._count = len(points)
        return points

    def _points(self, known: list[tuple[int, ...]], *, auto: bool) -> Points:
        work = Work(self.problem, self.key, self.solver, self._settings, self.watch)
        if self.method == "diagram":
            try:
                return (yield from by_diagram(work, NODES, len(known)))
            except (Unfinished, Unsupported) as reason:
                stop = reason.stop if isinstance(reason, Unfinished) else Stop.ERROR
                if not auto or self.watch.stop:
                    return Proof.NONE, self.watch.stop or stop
            # Too large: an engine that lists solutions itself, else HiGHS by partition.
            self.method, self.solver = _fallback()
            work = work._replace(solver=self.solver)
            self._seen = {tuple(p[v] for v in self.problem.keys[self.key]) for p in known}
        match self.method:
            case "native":
                return (yield from natively(work))
            case "cuts":
                return (yield from by_cuts(work, known))
            case _:
                record = self._record
                if record is None:
                    return (yield from by_partition(work))
                return (yield from by_partition(work, record.frontier, record.keep))

    def _judged(self, point: tuple[int, ...]) -> Any:
        """Return the solution that a point means. Raises EngineFault if it breaks a rule."""
        if self.method == "diagram" and self._count >= JUDGED and self._count % JUDGED:
            return self.puzzle.decode(point)
        return judged(self.puzzle, self.problem, point, self.solver or "the decision diagram")

    def _confirmed(self) -> str | None:
        """Return by what it is confirmed that there is no further solution, or None.

        Raises EngineFault if it is contradicted.
        """
        if self.method != "diagram":
            count = _count_by_diagram(self.problem, self.key, self.watch)
            if count is not None:
                if count != self._count:
                    who = f"{self.solver} by {self.method}"
                    raise EngineFault(
                        f"{who} calls {self._count} solutions complete, the decision diagram counts {count}"
                    )
                return "the decision diagram, which counts as many"
        if self._count > LISTED:
            return _recounted(self.problem, self.key, self._count, self.watch)
        return self._confirmed_by_cuts()

    def _confirmed_by_cuts(self) -> str | None:
        from milp_pips.confirm import by_highs

        variables = self.problem.keys[self.key]
        least = self.problem.least_difference(self.key)
        by_diagram = self.method == "diagram"
        keys = set(_keys_by_diagram(self.problem, self.key, self.watch)) if by_diagram else self._seen
        cuts = [NoGood(variables, values, least) for values in sorted(keys)]
        rest = self.problem.with_constraints(cuts)
        first = Answer(None, Proof.INFEASIBLE, Stop.FINISHED, formulation=self._settings.formulation)
        confirmation = by_highs(rest, first, self.watch)
        if confirmation.contradiction is not None:
            raise EngineFault(
                f"{self.solver or 'the decision diagram'} calls {self._count} solutions complete, "
                f"{confirmation.witness} finds another"
            )
        return confirmation.confirmed_by


def solutions(
    puzzle: Puzzle[Any],
    solver: str = "",
    *,
    method: str = "auto",
    distinct: str = "",
    limit: int | None = None,
    seconds: float | None = None,
    formulation: str = "",
    threads: int = 1,
    seed: int = 0,
    options: Mapping[str, str] | None = None,
    out: str = "",
    watch: Watch | None = None,
) -> Enumeration:
    """Return an iterator over the solutions of a puzzle, each judged by the rules.

    Parameters
    ----------
    puzzle
        A puzzle of any family.
    solver
        Who is to do the work; empty for whoever is quickest.
    method
        ``diagram``, ``native``, ``partition``, ``cuts``, or ``auto``: the decision diagram where it fits,
        else an engine's own enumeration, else a partition; a solver that is named does the work itself.
    distinct
        The key: what makes two solutions different, such as ``placement`` or ``grid``; empty for the first.
    limit
        Stop after so many solutions.
    seconds
        Time limit.
    formulation, threads, seed, options
        For the engine.
    out
        A JSON-lines file that every solution is appended to; an enumeration that was killed goes on with it.
    watch
        A watch that is running already, in place of ``seconds``.

    Raises
    ------
    UsageError
        For an unknown solver, method, key or option.
    EngineFault
        If a solution breaks a rule, or two engines contradict one another.
    """
    settings = Settings(formulation, threads, seed, options or {})
    return Enumeration(
        puzzle,
        solver=solver,
        method=method,
        distinct=distinct,
        limit=limit,
        settings=settings,
        out=out,
        watch=watch or Watch(seconds),
    )


def _known_key(problem: Problem, key: str) -> str:
    if key and key not in problem.keys:
        raise UsageError(f"unknown key {key!r}; known: {', '.join(problem.keys)}")
    return key or next(iter(problem.keys))


def _chosen(method: str, solver: str) -> tuple[str, str]:
    """Return the method and the solver that ``auto`` and an unnamed solver stand for."""
    if method == "auto":
        if not solver:
            return "diagram", ""
        features = available(solver).features
        return ("partition" if "cuts" in features or "enumeration" not in features else "native"), solver
    if method == "diagram":
        if solver:
            raise UsageError("the decision diagram needs no solver: leave one of --method and --solver out")
        return method, ""
    return method, solver or (_fallback()[1] if method == "native" else "highs")


def _fallback() -> tuple[str, str]:
    try:
        return "native", available("cp-sat").name
    except UsageError:
        return "partition", "highs"


def _count_by_diagram(problem: Problem, key: str, watch: Watch) -> int | None:
    try:
        diagram = compile_diagram(problem, NODES // 4, watch)
        return projected(diagram, problem.keys[key], NODES // 12, watch).count
    except (Unfinished, Unsupported):
        return None


def _keys_by_diagram(problem: Problem, key: str, watch: Watch) -> Iterator[tuple[int, ...]]:
    diagram = projected(compile_diagram(problem, NODES, watch), problem.keys[key], NODES, watch)
    yield from diagram.assignments()


def _recounted(problem: Problem, key: str, count: int, watch: Watch) -> str | None:
    """Split the problem by the values of one variable, count each part by a diagram, and add up."""
    v = max(problem.keys[key], key=lambda v: len(problem.variables[v].domain))
    total = 0
    for value in problem.variables[v].domain:
        part = _count_by_diagram(problem.restricted({v: (value,)}), key, watch)
        if part is None:
            return None
        total += part
    if total != count:
        raise EngineFault(f"the decision diagram counts {count}, those of its parts {total}")
    return "the decision diagrams of its parts, which count as many"
