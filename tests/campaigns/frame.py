"""What all campaigns share: numbered cases in processes of their own, and failures that can be made again.

A campaign is a module with ``LIMIT`` (seconds without a sign of life after which a case has failed), ``GOAL``
(what it counts, and how many of it a full run has), ``prepare(folder, seed)`` and ``run(case)``. A case is
known by the seed and its number: its ``random`` depends on nothing else. It fails by any exception.
"""

from __future__ import annotations

import importlib
import multiprocessing
import os
import random
import re
import shutil
import sys
import time
import traceback
from collections import Counter, defaultdict
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any, NamedTuple

import psutil

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
SHOWN = 5
"""Kinds of failures of a campaign of which one is printed; all failures are kept."""


class Failure(Exception):
    """What was promised and is not so; ``evidence`` is all that is needed to see it again."""

    def __init__(self, what: str, **evidence: object):
        super().__init__(what)
        self.evidence = evidence


class Case:
    """One case: its number, its chance, a folder of its own; what it counts and measures."""

    def __init__(self, campaign: str, seed: int, number: int, folder: Path, beat: Any = None):
        self.number, self.folder, self.shared = number, folder / f"case {number}", folder.parent / "shared"
        self.random = random.Random(f"{campaign} {seed} {number}")
        self.counts: Counter[str] = Counter()
        self.measures: dict[str, list[float]] = defaultdict(list)
        self._beat, self._note = beat, folder / "now"

    def note(self, what: str) -> None:
        """Write down what the case does next, in case it hangs or dies; this is also a sign of life."""
        self._note.write_text(what, "utf-8", "surrogatepass")
        self.alive()

    def alive(self) -> None:
        if self._beat is not None:
            self._beat.value = time.monotonic()


class Told(NamedTuple):
    """What a worker says when a case is over."""

    number: int
    counts: Counter[str]
    measures: dict[str, list[float]]
    failure: str


def run_case(campaign: str, seed: int, number: int, folder: Path, beat: Any = None) -> Told:
    """Run one case in this process."""
    case, failure = Case(campaign, seed, number, folder, beat), ""
    case.folder.mkdir(parents=True)
    try:
        importlib.import_module(campaign).run(case)
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        evidence = error.evidence if isinstance(error, Failure) else {}
        failure = "\n".join(
            [
                f"{error if isinstance(error, (Failure, AssertionError)) else repr(error)}",
                *(f"--- {name}\n{value}" for name, value in evidence.items()),
                "--- where",
                "".join(traceback.format_exception(error)),
            ]
        )
    shutil.rmtree(case.folder, ignore_errors=True)
    return Told(number, case.counts, dict(case.measures), failure)


def _work(
    campaign: str, seed: int, first: int, step: int, end: float, folder: Path, beat: Any, told: Connection
) -> None:
    """Run every ``step``-th case until the time is up; what engines print goes into a file."""
    noise = os.open(folder / "noise", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(noise, 1)
    os.dup2(noise, 2)
    number = first
    while time.monotonic() < end:
        beat.value = time.monotonic()
        told.send(run_case(campaign, seed, number, folder, beat))
        number += step
    told.close()
    os._exit(0)  # engines leave threads that would be waited for


class Worker:
    """A process that runs every ``step``-th case, and is replaced when it hangs or dies."""

    def __init__(self, campaign: str, seed: int, first: int, step: int, end: float, folder: Path):
        self._words = (campaign, seed, step, end)
        self.number, self.folder = first, folder / f"worker {first % step}"
        self.folder.mkdir(exist_ok=True)
        self.start()

    def start(self) -> None:
        campaign, seed, step, end = self._words
        context = multiprocessing.get_context("spawn")
        self.beat = context.Value("d", time.monotonic(), lock=False)
        self.told, theirs = context.Pipe(duplex=False)
        arguments = (campaign, seed, self.number, step, end, self.folder, self.beat, theirs)
        self.process = context.Process(target=_work, args=arguments)
        self.process.start()
        theirs.close()

    def heard(self) -> Told | None:
        """Return what the worker says; None when it has ended."""
        try:
            told: Told = self.told.recv()
        except (EOFError, OSError):
            return None
        self.number = told.number + self._words[2]
        return told

    def lost(self, why: str) -> Told:
        """End the worker, whose case has failed without a word, and start another after that case."""
        self.kill()
        self.process.join()
        now = self.folder / "now"
        doing = now.read_text("utf-8", "surrogatepass") if now.exists() else ""
        told = Told(self.number, Counter(), {}, f"{why}\n--- it was doing\n{doing}")
        self.number += self._words[2]
        for left in self.folder.glob("case *"):
            shutil.rmtree(left, ignore_errors=True)
        self.start()
        return told

    def kill(self) -> None:
        """Kill the worker and what it has started."""
        with suppress(psutil.NoSuchProcess):
            mine = psutil.Process(self.process.pid)
            for process in [*mine.children(recursive=True), mine]:
                with suppress(psutil.NoSuchProcess):
                    process.kill()


class Outcome(NamedTuple):
    """What a campaign did, and how many cases failed in which way."""

    counts: Counter[str]
    measures: dict[str, list[float]]
    failures: Counter[str]
    seconds: float


def run_campaign(
    campaign: str, seed: int, minutes: float, jobs: int, folder: Path, kept: Path, first: int = 0
) -> Outcome:
    """Run the cases of a campaign for so many minutes; keep the failures, print the first ones."""
    module = importlib.import_module(campaign)
    (folder / "shared").mkdir(parents=True)
    module.prepare(folder / "shared", seed)
    counts: Counter[str] = Counter()
    measures: dict[str, list[float]] = defaultdict(list)
    kinds: Counter[str] = Counter()
    begun = time.monotonic()
    end = begun + 60 * minutes
    workers = {
        worker.told: worker
        for worker in (Worker(campaign, seed, first + j, jobs, end, folder) for j in range(jobs))
    }
    try:
        while workers:
            for ready in wait(list(workers), timeout=0.5):
                worker = workers[ready]  # type: ignore[index]
                told = worker.heard()
                if told is None:
                    del workers[ready]  # type: ignore[arg-type]
                    worker.process.join(10)
                    if worker.process.exitcode == 0:
                        continue
                    told = worker.lost(f"the case ended its process with status {worker.process.exitcode}")
                    workers[worker.told] = worker
                counts += told.counts
                for name, values in told.measures.items():
                    measures[name] += values
                _keep(told, campaign, seed, kept, kinds)
            for connection, worker in list(workers.items()):
                if time.monotonic() - worker.beat.value > module.LIMIT and not connection.poll():
                    del workers[connection]
                    told = worker.lost(f"no sign of life for {module.LIMIT} s")
                    workers[worker.told] = worker
                    _keep(told, campaign, seed, kept, kinds)
    finally:
        for worker in workers.values():
            worker.kill()
    return Outcome(counts, measures, kinds, time.monotonic() - begun)


def _keep(told: Told, campaign: str, seed: int, kept: Path, kinds: Counter[str]) -> None:
    """Keep a failure in a file, and print it if it is the first of its kind and one of the first kinds."""
    if not told.failure:
        return
    kept.mkdir(parents=True, exist_ok=True)
    file = kept / f"{campaign}-{seed}-{told.number}.txt"
    again = f"{sys.executable} {HERE / 'run.py'} --only {campaign} --seed {seed} --case {told.number}"
    text = f"{campaign}, case {told.number} of seed {seed}: {told.failure}\nagain: {again}\n"
    file.write_text(text, "utf-8", "backslashreplace")
    kind = _kind(told.failure)
    kinds[kind] += 1
    if kinds[kind] == 1 and len(kinds) <= SHOWN:
        shown = text if len(text) < 2500 else f"{text[:1200]}\n[…]\n{text[-1200:]}"
        print(f"\nFAILURE {file}\n{shown}".encode("ascii", "backslashreplace").decode(), flush=True)


def _kind(failure: str) -> str:
    """Return the first line without what differs from case to case: folders, numbers, long noise."""
    line = re.sub(r"/\S*/worker \d+/case \d+/", "…/", failure.partition("\n")[0])
    return re.sub(r"(.)\1{9,}", r"\1…", re.sub(r"\d+\.\d+|\d{4,}", "n", line))[:110]


def spread(values: list[float]) -> str:
    """Return the distribution of some seconds in one line."""
    found = sorted(values)

    def at(share: float) -> float:
        return found[min(len(found) - 1, int(share * len(found)))]

    shares = f"median {at(0.5):.3f}, 95 % {at(0.95):.3f}, 99 % {at(0.99):.3f}, most {found[-1]:.3f}"
    return f"n {len(found)}, {shares}"
