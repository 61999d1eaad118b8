"""List the solutions of a puzzle, judge each, and say in the end whether the list is complete."""

from __future__ import annotations

import json
import time
from collections.abc import Generator, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from milp_pips.answer import Proof, Settings, Stop
from milp_pips.diagram import Diagram, Unfinished, Unsupported, compile_diagram, projected
from milp_pips.engines import available
from milp_pips.enumeration.completeness import confirm_diagrams_list, confirm_engines_list
from milp_pips.enumeration.json_lines import json_lines
from milp_pips.enumeration.methods import Work, by_cuts, by_partition, natively, walked
from milp_pips.enumeration.record import Record
from milp_pips.enumeration.summary import Summary
from milp_pips.errors import UsageError
from milp_pips.referee import judged
from milp_pips.watch import Watch

if TYPE_CHECKING:
    from milp_pips.problem import Problem
    from milp_pips.puzzles.family import Puzzle

METHODS = ("auto", "diagram", "native", "partition", "cuts")

NODES = 3_000_000
"""Nodes that the decision diagram may take: less than a gigabyte."""

JUDGED = 1000
"""Of the points of a decision diagram the first so many are judged, and then one in so many.

A diagram is made from the same constraints that judge it, by code that is tested against enumeration; an
engine's points are judged every one.
"""


class Enumeration:
    """An iterator over the solutions of a puzzle; its ``summary`` is there when it has ended.

    ``found`` is how many there are so far, and ``of`` how many there will be, where the decision diagram
    knows.
    """

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
        jobs: int = 1,
        watch: Watch | None = None,
    ):
        if method not in METHODS:
            raise UsageError(f"unknown method {method!r}; known: {', '.join(METHODS)}")
        self.puzzle, self.limit = puzzle, limit
        self.problem = puzzle.state()
        self.key = _known_key(self.problem, distinct)
        self.method, self.solver = _chosen(method, solver, jobs)
        self.found = 0
        self.of: int | None = None
        self.summary: Summary | None = None
        self._auto = method == "auto" and not solver
        self._watch, self._settings, self._jobs = watch or Watch(), settings or Settings(), jobs
        self._begun = time.perf_counter()
        self._seen: set[tuple[int, ...]] = set()
        self._record: Record | None = None
        if out:
            head = {"puzzle": puzzle.name, "key": self.key, "method": self.method, "solver": self.solver}
            self._record = Record(out, {**head, "formulation": self._settings.formulation})
            self.found = self._record.lines
        self._solutions: Iterator[Any] | None = None

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        if self._solutions is None:
            self._solutions = self._run()
        return next(self._solutions)

    def json_lines(self) -> Iterator[str]:
        """Return an iterator over the solutions as lines of JSON, in place of the solutions themselves.

        For a decision diagram this is much the quicker way to list millions.
        """
        return self._run(as_json=True)

    def _run(self, *, as_json: bool = False) -> Iterator[Any]:
        proof, stop = Proof.NONE, Stop.COUNT
        points = self._points(as_json=as_json)
        finished = False
        try:
            while self.limit is None or self.found < self.limit:
                try:
                    point = next(points)
                except StopIteration as end:
                    proof, stop = end.value
                    break
                line = ""
                if isinstance(point, str):
                    solution, line = None, point
                    if self._is_judged():
                        self._judge_line(line)
                elif self.method != "diagram" and not self._is_new(point):
                    continue
                elif self._is_judged():
                    solution = judged(self.puzzle, self.problem, point, self._who)
                else:
                    solution = self.puzzle.decode(point)
                self.found += 1
                if not line and (as_json or self._record is not None):
                    line = json.dumps(self.puzzle.solution_to_json(solution), ensure_ascii=False)
                if self._record is not None:
                    self._record.append(line)
                yield line if as_json else solution
            confirmed_by = self._confirmed() if proof is Proof.COMPLETE else None
            finished = confirmed_by is not None
            if proof is Proof.COMPLETE and not finished:
                stop = self._watch.stop or stop
            self.summary = Summary(
                self.found,
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

    def _points(self, *, as_json: bool) -> Generator[tuple[int, ...] | str, None, tuple[Proof, Stop]]:
        work = Work(self.problem, self.key, self.solver, self._settings, self._watch, self._jobs)
        if self.method == "diagram":
            try:
                diagram = self._diagram()
            except (Unfinished, Unsupported) as reason:
                stop = reason.stop if isinstance(reason, Unfinished) else Stop.ERROR
                if not self._auto or self._watch.stop:
                    return Proof.NONE, self._watch.stop or stop
                # Too large: an engine that lists solutions itself, else HiGHS by partition.
                self.method, self.solver = _fallback()
                work = work._replace(solver=self.solver)
            else:
                self.of = diagram.count
                lines = json_lines(self.puzzle, diagram) if as_json else None
                return (yield from walked(work, diagram, lines, self.found))
        known = self._known()
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

    def _diagram(self) -> Diagram:
        diagram = compile_diagram(self.problem, NODES, self._watch)
        return projected(diagram, self.problem.keys[self.key], NODES // 3, self._watch)

    def _known(self) -> list[tuple[int, ...]]:
        """Return the points of the solutions that the file holds from an earlier run."""
        if self._record is None:
            return []
        points = [self._point(solution) for solution in self._record.solutions(self.puzzle)]
        self._seen = {tuple(point[v] for v in self.problem.keys[self.key]) for point in points}
        return points

    def _point(self, solution: Any) -> tuple[int, ...]:
        values = self.puzzle.encode(solution)
        return tuple(values.get(v, -1) for v in range(len(self.problem.variables)))

    def _is_new(self, point: tuple[int, ...]) -> bool:
        """Whether no point seen so far has the same key; see it from now on."""
        key = tuple(point[v] for v in self.problem.keys[self.key])
        if key in self._seen:
            return False
        self._seen.add(key)
        return True

    def _is_judged(self) -> bool:
        """Whether the next point is to be judged."""
        return self.method != "diagram" or self.found < JUDGED or not self.found % JUDGED

    def _judge_line(self, line: str) -> None:
        """Read a line of JSON as anyone would, and judge it. Raises EngineFault if it breaks a rule."""
        judged(self.puzzle, self.problem, self._point(self.puzzle.read_solution(line, "line")), self._who)

    @property
    def _who(self) -> str:
        return self.solver or "the decision diagram"

    def _confirmed(self) -> str | None:
        if self.method == "diagram":
            return confirm_diagrams_list(self.problem, self.key, self.found, self._watch)
        who = f"{self.solver} by {self.method}"
        formulation = self._settings.formulation
        return confirm_engines_list(self.problem, self.key, self._seen, who, formulation, self._watch)


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
    jobs: int = 1,
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
    jobs
        Processes that search parts of a partition at the same time. A script that asks for more than one
        must keep its own work under ``if __name__ == "__main__"``, as for all of ``multiprocessing``.
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
        jobs=jobs,
        watch=watch or Watch(seconds),
    )


def _known_key(problem: Problem, key: str) -> str:
    if key and key not in problem.keys:
        raise UsageError(f"unknown key {key!r}; known: {', '.join(problem.keys)}")
    return key or next(iter(problem.keys))


def _chosen(method: str, solver: str, jobs: int) -> tuple[str, str]:
    """Return the method and the solver that ``auto`` and an unnamed solver stand for. Raises UsageError."""
    if solver == "diagram":
        if jobs > 1 or method not in ("auto", "diagram"):
            raise UsageError("the solver diagram lists all solutions by the method diagram, in one process")
        return "diagram", ""
    if jobs > 1 and method not in ("auto", "partition"):
        raise UsageError(f"several jobs share the parts of a partition: there are none by {method}")
    if method == "auto" and jobs > 1:
        return "partition", solver or "highs"
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
