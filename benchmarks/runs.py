"""Measure puzzles one by one in separate processes, and compare the results with a goal."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import instances
from checkout import processor_seconds
from measure import apart

import milp_pips
from milp_pips.puzzles.puzzle import Puzzle

DEFAULT = ""
"""In place of the name of a solver: nobody is named."""

MEMORY = 2 * 2**30
"""Bytes that counting and listing may take."""


WARMING = 5.0
"""Seconds at most for the puzzle with which a process is warmed: on a busy machine a library takes two."""


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
    """Return the run of some work, which returns whether it is done and its result."""
    begun, used = time.perf_counter(), processor_seconds()
    done, outcome = work()
    spent = time.perf_counter() - begun, processor_seconds() - used
    return Run(puzzle.name, who, *spent, done, outcome)


def counted(puzzle: Puzzle, limit: float) -> Run:
    """Count all solutions, by all keys."""

    def work() -> tuple[bool, str]:
        count = milp_pips.count(puzzle, seconds=limit, memory=MEMORY)
        return count.complete, " ".join(f"{key}s={n}" for key, n in count.counts.items())

    return timed(puzzle, "count", work)


def listed(puzzle: Puzzle, limit: float) -> Run:
    """List all solutions as objects, with the confirmation that there is no other."""

    def work() -> tuple[bool, str]:
        listing = milp_pips.solutions(puzzle, seconds=limit, memory=MEMORY)
        found = sum(1 for _ in listing)
        assert listing.summary is not None
        return listing.summary.complete, f"{found} by {listing.summary.method}"

    return timed(puzzle, "list", work)


def solved(puzzle: Puzzle, solver: str, limit: float) -> Run:
    """Find a solution, or a confirmed proof that there is none."""

    def work() -> tuple[bool, str]:
        result = milp_pips.solve(puzzle, solver, seconds=limit)
        return result.status == "solved", f"{result.status} by {result.solver}"

    return timed(puzzle, solver or "default", work)


def refused(puzzle: Puzzle, limit: float) -> Run:
    """Find a confirmed proof that there is no solution."""
    run = solved(puzzle, DEFAULT, limit)
    return run._replace(done=run.outcome.startswith("infeasible"))


def each(work: Callable[..., Run], puzzles: Sequence[Puzzle], *arguments: object) -> list[Run]:
    """Return the runs of all puzzles, in a process that has worked before."""
    with apart() as (call,):
        call(work, instances.generated(dominoes=2)[0], *arguments)
        return [call(work, puzzle, *arguments) for puzzle in puzzles]


def spread(work: str, runs: Sequence[Run], **bounds: float) -> Line:
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
    """Return the runs of the solvers, each in a process of its own, that take turns on every puzzle.

    Each is warmed with the first puzzle, so that every process, the default's too, has loaded what it works
    with, and no other engine's library, which would send it to a further process each time.
    """
    runs: dict[str, list[Run]] = {solver: [] for solver in solvers}
    with apart(len(solvers)) as processes:
        for call, solver in zip(processes, solvers, strict=True):
            call(solved, puzzles[0], solver, min(limit, WARMING))
        for puzzle in puzzles:
            for call, solver in zip(processes, solvers, strict=True):
                runs[solver].append(call(solved, puzzle, solver, limit))
    return runs


def standing(work: str, runs: Mapping[str, Sequence[Run]], most: float, *, everywhere: bool) -> Line:
    """Compare the default with the best single solver: the one that solves most, and then the fastest.

    What is not solved counts with the time that it took. The bound ``most`` on how many times as long the
    default takes is one on the total or, ``everywhere``, on every puzzle.
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


class Way(NamedTuple):
    """Work for ``checkout.py``: its arguments, and the checkout, empty for this one."""

    words: tuple[str, ...]
    checkout: str = ""


def side_by_side(ways: Mapping[str, Way], rounds: int) -> dict[str, dict[str, list[float]]]:
    """Return, for every way and item of its work, the processor seconds of interleaved rounds."""
    spent: dict[str, dict[str, list[float]]] = {name: {} for name in ways}
    for _ in range(rounds):
        for name, way in ways.items():
            for item, seconds in _work(way).items():
                spent[name].setdefault(item, []).append(seconds)
    return spent


def _work(way: Way) -> dict[str, float]:
    here = Path(__file__).parent
    path = str(Path(way.checkout or here.parent).resolve())
    done = subprocess.run(
        [sys.executable, str(here / "checkout.py"), *way.words],
        env={**os.environ, "PYTHONPATH": path},
        stdout=subprocess.PIPE,
        check=True,
        text=True,
    )
    found: dict[str, float] = json.loads(done.stdout)
    return found


def runs_of(spent: Mapping[str, Mapping[str, Sequence[float]]]) -> Iterator[Run]:
    """Yield the rounds of work side by side as runs; only the processor's seconds are known of these."""
    for name, items in spent.items():
        for item, rounds in items.items():
            yield from (Run(item, name, seconds, seconds, True, "") for seconds in rounds)
