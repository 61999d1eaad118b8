"""The runs of the study: one question about one puzzle, answered in one way, in a process that lives on.

A run states and filters the puzzle, calls the engine, and checks every point. Except for the way ``default,
confirmed`` nothing is confirmed a second time: ways confirm one another, since all must find as many
solutions and the same optimum.
"""

from __future__ import annotations

import multiprocessing
import resource
import time
from contextlib import suppress
from typing import Any, NamedTuple

import psutil
from study_design import ALL, BEST, BY_HAND, CONFIRMED, DEFAULT, FIRST, TREE, UNFILTERED

import milp_pips
from milp_pips.engines import registry
from milp_pips.problem.answer import Proof, Settings
from milp_pips.problem.errors import MilpPipsError
from milp_pips.problem.stopping import Deadline
from milp_pips.puzzles.puzzle import known_key
from milp_pips.tasks.pipeline import find_point, prepare, puzzle_of
from milp_pips.tasks.query import Distance, Query, Run, Select
from milp_pips.tasks.strategies import STRATEGIES, ListTask, choose

CLOCK = 2.0
"""How much more time by the clock a run has than of the processor: other programs run beside it."""

POLL = 0.2
"""The seconds between two looks at the processor time of a run."""


class Found(NamedTuple):
    """The result of a run: its status, the number of solutions, the value of the best one, a message."""

    status: str
    solutions: int = 0
    value: str = ""
    message: str = ""


class Spent(NamedTuple):
    """A result, with the seconds of the processor and by the clock that it took."""

    found: Found
    processor: float
    clock: float


class Task(NamedTuple):
    """A question about a puzzle, the way to answer it, and the limit in processor seconds.

    A linear model has an objective of its own.
    """

    question: str
    way: str
    puzzle: Any
    objective: str | None
    limit: float
    is_model: bool = False


def answer(task: Task) -> Spent:
    """Make a run in this process."""
    answers = {FIRST: first, ALL: all_solutions, BEST: best}
    spent, begun = processor_seconds(), time.perf_counter()
    try:
        found = answers[task.question](task)
    except MilpPipsError as error:
        found = Found("declined" if isinstance(error, milp_pips.UsageError) else "error", message=str(error))
    return Spent(found, processor_seconds() - spent, time.perf_counter() - begun)


def run_of(task: Task, method: str = "auto") -> Run:
    """Return the run of a task: its engine, its settings, its deadline."""
    rules = () if task.way.endswith(UNFILTERED) else None
    engine = task.way.removesuffix(UNFILTERED)
    settings = Settings(seconds=CLOCK * task.limit, rules=rules)
    named = "" if engine in (DEFAULT, TREE) else engine
    return Run(named, settings, Deadline(settings.seconds), method)


def first(task: Task) -> Found:
    """Find one solution: of a model any that is feasible."""
    if task.is_model:
        method = TREE if task.way == TREE else "auto"
        run = run_of(task, method)
        listing = milp_pips.solutions(
            task.puzzle, run.solver, run.settings, method=method, limit=1, deadline=run.deadline
        )
        number = sum(1 for _ in listing)
        return Found("solved" if number else "unknown", number)
    return point(task, None)


def best(task: Task) -> Found:
    """Find the best solution, and prove that no other is better."""
    if task.way == CONFIRMED:
        result = milp_pips.solve(task.puzzle, maximise=task.objective, seconds=CLOCK * task.limit)
        is_optimal = result.objective is not None and result.objective.is_optimal
        value = str(result.objective.value) if result.objective else ""
        return Found("solved" if is_optimal else "unknown", 1, value)
    if task.way == TREE:
        return listed(task, Query(puzzle_of(task.puzzle, "study"), select=Select(best=1)), TREE)
    return point(task, task.objective)


def point(task: Task, objective: str | None) -> Found:
    """Find one solution, or the best one, and check it."""
    run = run_of(task)
    puzzle = puzzle_of(task.puzzle, "study")
    prepared = prepare(Query(puzzle.whole(), maximise=objective), run, takes_models=True)
    if run.solver and not prepared.refutation:
        engine = engine_of(run.solver)
        registry.require_model_solver(engine, prepared.filtered)
        reply = engine.solve(prepared.filtered, run.settings, run.deadline)
    else:
        reply = find_point(prepared, run)
    solution = prepared.judge(reply.point, task.way)
    if solution is None:
        return Found("unknown", message=reply.message)
    value = prepared.value(solution) if prepared.problem.objective is not None else None
    is_done = reply.proof is Proof.OPTIMAL if task.question == BEST else True
    return Found("solved" if is_done else "unknown", 1, "" if value is None else str(value))


def engine_of(name: str) -> Any:
    """Return an engine that runs in this process: what ends a run is here the process itself."""
    plain, _, variant = name.partition(":")
    return registry.solver_at(registry.location(plain), variant)


def processor_seconds() -> float:
    """Return the processor time of this process and of its children that have ended."""
    used = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in used)


def all_solutions(task: Task) -> Found:
    """List all solutions: of a model all optimal ones."""
    distance = {"within": 0} if task.is_model else {}
    if task.way.endswith(BY_HAND):
        return by_hand(task)
    if task.way == CONFIRMED:
        listing = milp_pips.solutions(task.puzzle, seconds=CLOCK * task.limit, **distance)
        number = sum(1 for _ in listing)
        assert listing.summary is not None
        return Found("solved" if listing.summary.complete else "unknown", number)
    query = Query(puzzle_of(task.puzzle, "study"), distance=Distance(**distance))
    method = task.way if task.way in (TREE, "diagram") else "auto"
    return listed(task, query, method)


def listed(task: Task, query: Query, method: str) -> Found:
    """List solutions as ``milp_pips.solutions`` does, without the second opinion."""
    run = run_of(task, method)
    if method != "auto":
        run = run.changed(solver="")
    wanted = ListTask(query, run)
    name = choose(wanted)
    strategy = STRATEGIES[name]
    prepared = strategy.prepares(wanted)
    key = known_key(prepared.problem, "")
    lister = strategy.lists(wanted, key, wanted.by(name, strategy.solver_of(run)), None)()
    solutions, number, value = lister.solutions(), 0, ""
    while True:
        try:
            solution = next(solutions)
        except StopIteration as end:
            proof, _ = end.value
            break
        number += 1
        if query.select.best:
            value = str(prepared.value(solution))
    return Found("solved" if proof is Proof.COMPLETE else "unknown", number, value)


def by_hand(task: Task) -> Found:
    """List all optimal solutions as one would by hand, by an engine that is not told what it cannot take."""
    way = task.way.removesuffix(BY_HAND)
    model = getattr(task.puzzle, "model", task.puzzle)
    integers = [column for column in model.columns if column.integer]
    takes_all = way in ("scip", "cuts") or len(integers) == len(model.columns)
    if not takes_all or (way == "cuts" and any((c.low, c.high) != (0, 1) for c in integers)):
        return Found("declined", message=f"{way} by hand takes other models")
    if way == "scip" and len(integers) < len(model.columns):
        return Found("declined", message="SCIP counts solutions of pure integer models")
    from by_hand import WAYS as BY_HAND_WAYS

    number = BY_HAND_WAYS[way](model, {"within": 0}, CLOCK * task.limit)
    return Found("unknown") if number is None else Found("solved", number)


def serve(connection: Any, small: dict[bool, Any]) -> None:
    """Answer tasks until the connection is closed; the first of each kind is preceded by a small one."""
    known = set()
    while (task := connection.recv()) is not None:
        if (kind := (task.question, task.is_model)) not in known:
            known.add(kind)
            with suppress(Exception):
                answer(task._replace(puzzle=small[task.is_model]))
        connection.send("begun")
        try:
            connection.send(answer(task))
        except Exception as error:  # an engine may raise anything
            message = f"{type(error).__name__}: {error}"[:300]
            connection.send(Spent(Found("error", message=message), 0.0, 0.0))


class Worker:
    """A process that answers tasks in one way; a run that takes too long ends with it.

    ``small`` has a small puzzle (False) and a small model (True), which load all that an engine needs.
    """

    def __init__(self, small: dict[bool, Any]):
        self.small = small
        self._begin()

    def _begin(self) -> None:
        # A fork, since starting Python anew takes longer than most runs; this process has no threads.
        fork = multiprocessing.get_context("fork")
        self._here, there = fork.Pipe()
        self._process = fork.Process(target=serve, args=(there, self.small))
        self._process.start()
        there.close()

    def answer(self, task: Task) -> Spent:
        """Return the result of a run; a run above its limit is killed."""
        process = psutil.Process(self._process.pid)
        try:
            self._here.send(task)
            self._here.recv()
        except (EOFError, OSError):
            self._process.join()
            self._begin()
            return Spent(Found("error", message="the process ended before the run"), 0.0, 0.0)
        before, begun = total_seconds(process), time.perf_counter()
        while not self._here.poll(POLL):
            spent = total_seconds(process) - before
            clock = time.perf_counter() - begun
            if spent > task.limit + POLL or clock > 1.5 * CLOCK * task.limit:
                self.end()
                self._begin()
                return Spent(Found("unknown", message="was killed at the limit"), spent, clock)
        try:
            found: Spent = self._here.recv()
        except (EOFError, OSError):
            self._process.join()
            message = f"the process ended with {self._process.exitcode}"
            self._begin()
            return Spent(Found("error", message=message), 0.0, 0.0)
        return found

    def end(self) -> None:
        """End the process and all that it has started."""
        with suppress(psutil.Error):
            for child in psutil.Process(self._process.pid).children(recursive=True):
                child.kill()
        self._process.kill()
        self._process.join()


def total_seconds(process: psutil.Process) -> float:
    """Return the processor seconds of a process, of its children, and of those that have ended."""
    total = 0.0
    with suppress(psutil.Error):
        total = sum(process.cpu_times()[:4])
        for child in process.children(recursive=True):
            with suppress(psutil.Error):
                total += sum(child.cpu_times()[:2])
    return total
