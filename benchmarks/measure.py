"""Side-by-side timing in separate processes, runs of single puzzles, and their comparison with a goal."""

from __future__ import annotations

import datetime
import multiprocessing
import platform
import resource
import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from importlib import import_module, metadata
from typing import Any, NamedTuple

import instances

import milp_pips
from milp_pips.engines.registry import ask, available
from milp_pips.problem.answer import Settings
from milp_pips.problem.errors import EngineFault, UsageError
from milp_pips.problem.problem import Problem
from milp_pips.problem.stopping import Deadline
from milp_pips.puzzles.puzzle import Puzzle
from milp_pips.puzzles.reading import files_of


class Goal(NamedTuple):
    """A figure: its name in the history, its description, its value, whether more is better, and the goal."""

    name: str
    about: str
    value: float
    goal: float
    more: bool = False
    unit: str = "s"

    @property
    def met(self) -> bool:
        return self.value >= self.goal if self.more else self.value <= self.goal


def header(*distributions: str) -> str:
    """Return the date, and the versions of Python and of these distributions."""
    versions = ", ".join(f"{name} {metadata.version(name)}" for name in ("milp-pips", *distributions))
    return f"{datetime.date.today()}; Python {platform.python_version()}; {versions}"


def puzzles_of(paths: Sequence[str], level: str | None = None) -> list[Puzzle]:
    """Return the puzzles of files and directories; tables (``.tsv``) are skipped."""
    files = (file for file in files_of(list(paths)) if not file.endswith(".tsv"))
    return [puzzle for file in files for puzzle in milp_pips.read_all(file, level).values()]


def processor_seconds() -> float:
    """Return the processor time of this process and of its finished children."""
    used = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in used)


def interleaved(work: Mapping[str, Callable[[], object]], rounds: int) -> dict[str, list[float]]:
    """Return the processor seconds of every round of each piece of work; they take turns.

    The first round warms up and does not count.
    """
    spent: dict[str, list[float]] = {name: [] for name in work}
    for counted in range(-1, rounds):
        for name, task in work.items():
            begun = processor_seconds()
            task()
            if counted >= 0:
                spent[name].append(processor_seconds() - begun)
    return spent


def table(spent: Mapping[str, list[float]], against: str) -> str:
    """Return a Markdown table: medians, extremes, and the median ratio of the rounds to one of them."""
    lines = ["| work | median s | least s | most s | ratio |", "|---|---|---|---|---|"]
    for name, seconds in spent.items():
        figures = statistics.median(seconds), min(seconds), max(seconds)
        shown = " | ".join(f"{s:.4f}" for s in figures)
        lines.append(f"| {name} | {shown} | {ratio(seconds, spent[against]):.2f} |")
    return "\n".join(lines)


def ratio(these: Sequence[float], those: Sequence[float]) -> float:
    """Return the median over the rounds of the ratio of these seconds to those."""
    return statistics.median(a / b for a, b in zip(these, those, strict=True))


@contextmanager
def separate_processes(count: int = 1) -> Iterator[list[Callable[..., Any]]]:
    """Yield functions that call ``function(*arguments)``, each in its own persistent process.

    So engines that are compared do not share a process, and each loads its library once.
    """
    spawn = multiprocessing.get_context("spawn")
    processes = [ProcessPoolExecutor(1, spawn) for _ in range(count)]
    try:
        yield [
            lambda function, *arguments, process=process: process.submit(function, *arguments).result()
            for process in processes
        ]
    finally:
        for process in processes:
            process.shutdown()


def peak_megabytes() -> float:
    """Return the peak resident memory of this process so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


DEFAULT = ""
"""The name that stands for the default choice of solvers."""

MEMORY = 2 * 2**30
"""The memory limit in bytes for counting and listing."""

WARM_UP_SECONDS = 5.0
"""The most seconds for the warm-up puzzle of a process; on a busy machine a library takes two to load."""


class Run(NamedTuple):
    """The result for one puzzle: its solver, wall-clock and processor seconds, and whether it was done."""

    puzzle: str
    who: str
    seconds: float
    processor: float
    done: bool
    outcome: str


class Line(NamedTuple):
    """A line of the table: the work, its goal, the measurement, and whether it meets the goal."""

    work: str
    goal: str
    measured: str
    met: bool

    def __str__(self) -> str:
        return f"| {self.work} | {self.goal} | {self.measured} | {'met' if self.met else 'missed'} |"


def timed(puzzle: Puzzle, who: str, work: Callable[[], tuple[bool, str]]) -> Run:
    """Return the run of some work; the work returns whether it is done, and its result."""
    begun, used = time.perf_counter(), processor_seconds()
    done, outcome = work()
    spent = time.perf_counter() - begun, processor_seconds() - used
    return Run(puzzle.name, who, *spent, done, outcome)


def measure_count(puzzle: Puzzle, limit: float) -> Run:
    """Measure counting all solutions, by all keys."""

    def work() -> tuple[bool, str]:
        count = milp_pips.count(puzzle, seconds=limit, memory=MEMORY)
        return count.complete, " ".join(f"{key}s={n}" for key, n in (count.counts | count.at_least).items())

    return timed(puzzle, "count", work)


def measure_listing(puzzle: Puzzle, limit: float) -> Run:
    """Measure listing all solutions as objects, including the confirmation that the list is complete."""

    return timed(puzzle, "list", lambda: _listed(puzzle, limit, memory=MEMORY))


def measure_branching(puzzle: Puzzle, method: str, limit: float) -> Run:
    """Measure listing all solutions by HiGHS and one method, including the confirmation."""

    return timed(puzzle, method, lambda: _listed(puzzle, limit, solver="highs", method=method))


def _listed(puzzle: Puzzle, limit: float, **options: Any) -> tuple[bool, str]:
    listing = milp_pips.solutions(puzzle, seconds=limit, **options)
    found = sum(1 for _ in listing)
    assert listing.summary is not None
    return listing.summary.complete, f"{found} by {listing.summary.method}"


def measure_solving(puzzle: Puzzle, solver: str, limit: float) -> Run:
    """Measure finding a solution, or a confirmed proof that there is none."""

    def work() -> tuple[bool, str]:
        result = milp_pips.solve(puzzle, solver, seconds=limit)
        return result.status == "solved", f"{result.status} by {result.solver}"

    return timed(puzzle, solver or "default", work)


def measure_confirmation(name: str, problem: Problem, limit: float, _: Deadline) -> float | None:
    """Return the seconds that a solver takes to decide, or None; runs in a process of its own."""
    solver = available(name)
    for module in solver.requires:
        import_module(module)
    begun = time.perf_counter()
    try:
        answer = ask(name, problem, Settings(options=dict(solver.without_presolve)), Deadline(limit))
    except (UsageError, EngineFault):
        return None
    decided = answer.point is not None or answer.proof.name == "INFEASIBLE"
    return time.perf_counter() - begun if decided else None


def measure_refutation(puzzle: Puzzle, limit: float) -> Run:
    """Measure finding a confirmed proof that there is no solution."""
    run = measure_solving(puzzle, DEFAULT, limit)
    return run._replace(done=run.outcome.startswith("infeasible"))


def measure_each(work: Callable[..., Run], puzzles: Sequence[Puzzle], *arguments: object) -> list[Run]:
    """Return the runs of all puzzles, in one warmed-up process."""
    with separate_processes() as (call,):
        call(work, instances.generated(dominoes=2)[0], *arguments)
        return [call(work, puzzle, *arguments) for puzzle in puzzles]


def summary_line(work: str, runs: Sequence[Run], **bounds: float) -> Line:
    """Return the number of finished runs, the median and worst seconds, and whether these keep the bounds.

    ``bounds`` may name ``median``, ``mean`` and ``worst``.
    """
    found = {"median": statistics.median, "mean": statistics.mean, "worst": max}
    clock = {name: figure([run.seconds for run in runs]) for name, figure in found.items()}
    processor = {name: figure([run.processor for run in runs]) for name, figure in found.items()}
    goal = ", ".join(["all", *(f"{name} under {bound:g} s" for name, bound in bounds.items())])
    done = sum(run.done for run in runs)
    shown = ", ".join(f"{name} {clock[name]:.3g} s (processor {processor[name]:.3g})" for name in found)
    met = done == len(runs) and all(clock[name] < bound for name, bound in bounds.items())
    return Line(f"{len(runs)} {work}", goal, f"{done} of {len(runs)}, {shown}", met)


def race(puzzles: Sequence[Puzzle], solvers: Sequence[str], limit: float) -> dict[str, list[Run]]:
    """Return the runs of the solvers, each in its own process; they take turns on every puzzle.

    Each process solves the first puzzle as a warm-up, so that it has loaded its own engine's library and no
    other one: with another library loaded, each solve would need a further process.
    """
    runs: dict[str, list[Run]] = {solver: [] for solver in solvers}
    with separate_processes(len(solvers)) as processes:
        for call, solver in zip(processes, solvers, strict=True):
            call(measure_solving, puzzles[0], solver, min(limit, WARM_UP_SECONDS))
        for puzzle in puzzles:
            for call, solver in zip(processes, solvers, strict=True):
                runs[solver].append(call(measure_solving, puzzle, solver, limit))
    return runs


def compare_with_best(work: str, runs: Mapping[str, Sequence[Run]], most: float, *, everywhere: bool) -> Line:
    """Compare the default with the best single solver: the one that solves most, then the fastest.

    An unsolved puzzle counts with the time that was spent on it. ``most`` bounds the ratio of the default's
    time to the best solver's: of the totals or, ``everywhere``, on every puzzle.
    """
    single = {solver: of for solver, of in runs.items() if solver != DEFAULT}
    best = max(single, key=lambda solver: (_done(single[solver]), -_seconds(single[solver])))
    ours, theirs = runs[DEFAULT], single[best]
    total = _seconds(ours) / _seconds(theirs)
    longest = max(run.seconds / other.seconds for run, other in zip(ours, theirs, strict=True))
    figures = [f"{solver or 'default'} {_done(of)} in {_seconds(of):.3g} s" for solver, of in runs.items()]
    measured = f"{', '.join(figures)}; {total:.2f} times {best} in all, {longest:.2f} times at worst"
    where = "each" if everywhere else "in all"
    goal = f"as many as the best single one, at most {most:g} times its time {where}"
    met = _done(ours) >= _done(theirs) and (longest if everywhere else total) <= most
    return Line(f"{len(ours)} {work}", goal, measured, met)


def _done(runs: Sequence[Run]) -> int:
    return sum(run.done for run in runs)


def _seconds(runs: Sequence[Run]) -> float:
    return sum(run.seconds for run in runs)
