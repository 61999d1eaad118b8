"""The records of a results file: sessions, instances and runs, and the keys that distinguish them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import NamedTuple, TypeAlias

from milp_pips.problem.errors import UsageError


class Configuration(NamedTuple):
    """A solver, a formulation (empty: the solver's default), options by the solver's own names, threads.

    As text: ``SOLVER[/FORMULATION][,NAME=VALUE…]``, such as ``highs/projected,presolve=off``. ``threads=N``
    works for every solver; None stands for the campaign's setting. One thread is not written.
    """

    solver: str
    formulation: str = ""
    options: tuple[tuple[str, str], ...] = ()
    threads: int | None = None

    @classmethod
    def parse(cls, text: str) -> Configuration:
        """Return the configuration that a text denotes. Raises UsageError."""
        head, *rest = text.split(",")
        solver, _, first = head.partition("/")
        choices = [first, *(piece for piece in rest if "=" not in piece)]
        options = [piece.partition("=") for piece in rest if "=" in piece]
        if not solver or "=" in head or not all(name for name, _, _ in options):
            raise UsageError(f"{text!r} is not a configuration; expected SOLVER[/FORMULATION][,NAME=VALUE…]")
        named = {name: value for name, _, value in options}
        threads = named.pop("threads", None)
        if threads is not None and not re.fullmatch("[1-9][0-9]{0,3}", threads):
            raise UsageError(f"{text!r} has threads={threads}; expected a whole number from 1 on")
        return cls(
            solver,
            ",".join(filter(None, choices)),
            tuple(sorted(named.items())),
            None if threads is None else int(threads),
        )

    def __str__(self) -> str:
        stated = f"{self.solver}/{self.formulation}" if self.formulation else self.solver
        several = [("threads", str(self.threads))] if (self.threads or 1) > 1 else []
        return ",".join([stated, *(f"{name}={value}" for name, value in (*self.options, *several))])


@dataclass(frozen=True, slots=True)
class SessionRecord:
    """One start of a comparison: when (ISO 8601, UTC), by what command, where, and with which versions.

    On a cluster each ``host`` has one; the name is empty if the command itself made the runs. On a cluster,
    ``reference_seconds`` is the time of a reference puzzle on the host's slowest core alone, and
    ``disturbance`` is the slowdown with all cores at work; None if not measured.
    """

    id: int
    started: str
    command: str
    machine: str
    processor: str
    cores: int
    python: str
    package: str
    engines: Mapping[str, str]
    host: str = ""
    reference_seconds: float | None = None
    disturbance: float | None = None


@dataclass(frozen=True, slots=True)
class InstanceRecord:
    """A puzzle; ``size`` counts the variables of its last key, ``constraints`` those of each class.

    ``hash`` is that of the problem it states: two files that state the same problem are one instance.
    ``level``, ``path`` and ``text`` record its origin, ``folder`` is the directory's own name. Sums are
    counted by relation. ``id`` is its number in the results file, 0 before it is stored.
    """

    id: int
    hash: str
    name: str
    level: str
    family: str
    path: str
    folder: str
    size: int
    constraints: Mapping[str, int]
    text: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunKey:
    """The key that distinguishes runs; no run with the same key is made twice.

    ``instance`` is the id of the instance in the file. Solver, formulation, ``options`` (a JSON object with
    sorted names) and threads are the configuration. ``task`` is ``first``, ``prove`` or ``all``. The seed is
    the engine's. Limits are seconds, and bytes, 0 for none. ``rules`` names the reductions of domains that
    were made first, separated by commas, or ``none``, as in all runs of files without this column.
    """

    instance: int
    solver: str
    formulation: str
    task: str
    seed: int
    repeat: int
    threads: int
    time_limit: float
    memory_limit: int
    options: str
    rules: str = "none"

    @property
    def configuration(self) -> Configuration:
        """The configuration: solver, formulation, options and threads."""
        options = tuple(json.loads(self.options).items())
        return Configuration(self.solver, self.formulation, options, self.threads)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRecord(RunKey):
    """A run: its key, its session, and its result. An unknown figure is None.

    ``started`` is a time in UTC (ISO 8601). ``status`` is ``solved``, ``infeasible``, ``unknown``, ``wrong``
    or ``error``, and ``stop`` is the engine's stopping criterion. ``solutions`` counts validated ones.
    ``complete`` states that the engine claims that there is no further one, and ``confirmed_by`` names the
    method that confirmed it, if any.

    ``total_seconds`` cover everything from reading to the answer, ``wall_seconds`` the whole process with its
    start and the loading of libraries. ``processor_seconds`` are those of the process and of all programs it
    started. ``peak_bytes`` is their peak resident memory. Memory and processor time are ``measured_by``
    either ``milp_pips`` or ``benchexec``. ``clock_processor_seconds`` are the processor seconds while the
    clock ran, comparable with ``seconds``; ``load`` is the system's one-minute load average at the start.
    Columns, rows, nonzeros and nodes are those of the model and of the search, as far as the engine reports
    them. ``version`` is the engine's, and ``message`` is a text for the reader.
    """

    id: int = 0
    session: int
    started: str
    status: str = "unknown"
    stop: str = "finished"
    solutions: int = 0
    complete: bool = False
    read_seconds: float | None = None
    build_seconds: float | None = None
    solve_seconds: float | None = None
    total_seconds: float | None = None
    wall_seconds: float | None = None
    peak_bytes: int | None = None
    columns: int | None = None
    rows: int | None = None
    nonzeros: int | None = None
    nodes: int | None = None
    confirmed_by: str | None = None
    version: str = ""
    message: str = ""
    processor_seconds: float | None = None
    measured_by: str = "milp_pips"
    clock_processor_seconds: float | None = None
    load: float | None = None

    @property
    def key(self) -> RunKey:
        """The key that distinguishes this run from every other."""
        return RunKey(**{field.name: getattr(self, field.name) for field in fields(RunKey)})

    @property
    def seconds(self) -> float | None:
        """The seconds to state and solve the problem, without reading the puzzle; None if not reported."""
        return None if self.total_seconds is None else self.total_seconds - (self.read_seconds or 0.0)

    @property
    def success(self) -> bool:
        """Whether the task is complete; a claim that there is no further solution must be confirmed."""
        done = self.status in ("solved", "infeasible")
        return done and (not self.complete or self.confirmed_by is not None)


Record: TypeAlias = SessionRecord | InstanceRecord | RunRecord
