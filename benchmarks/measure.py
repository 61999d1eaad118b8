"""Side-by-side timing: interleaved rounds, medians, separate processes, and the measured versions."""

from __future__ import annotations

import datetime
import multiprocessing
import platform
import resource
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from importlib import metadata
from typing import Any, NamedTuple

import milp_pips
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
