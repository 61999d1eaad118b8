"""What a results file holds, as frozen records."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from milp_pips.comparison.configuration import Configuration


@dataclass(frozen=True, slots=True)
class SessionRecord:
    """One start of a comparison: when (ISO 8601, UTC), by what command, where, and with which versions."""

    id: int
    started: str
    command: str
    machine: str
    processor: str
    cores: int
    python: str
    package: str
    engines: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class InstanceRecord:
    """A puzzle; ``size`` counts the variables of its last key, ``constraints`` those of each class."""

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


class RunKey(NamedTuple):
    """What makes two runs different; no run with the same key is made twice.

    ``instance`` is the id of the instance in the file; ``memory_limit`` is in bytes, 0 for none; ``options``
    is a JSON object with sorted names.
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


@dataclass(frozen=True, slots=True)
class RunRecord:
    """A run: its key, its session, and what came of it. A figure that is not known is None.

    Parameters
    ----------
    id
        Its number in the file.
    instance, solver, formulation, task, seed, repeat, threads, time_limit, memory_limit, options
        Its key, see ``RunKey``.
    session, started
        In which session and when (ISO 8601, UTC) it was started.
    status
        ``solved``, ``infeasible``, ``unknown``, ``wrong`` or ``error``.
    stop
        Why the engine stopped.
    solutions
        How many checked solutions it gave.
    complete
        Whether it says that there is no further one.
    read_seconds, build_seconds, solve_seconds, total_seconds
        What was spent; total is everything from reading to the answer.
    wall_seconds
        How long the process ran, with its start and the loading of libraries.
    peak_bytes
        Greatest resident memory of the process and of what it started.
    columns, rows, nonzeros, nodes
        Of the model and of the search, as far as the engine tells.
    confirmed_by
        What confirmed that there is no further solution, if anything did.
    version
        Version of the engine.
    message
        What a person should know.
    """

    id: int
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

    @property
    def key(self) -> RunKey:
        """What makes it different from every other run."""
        return RunKey(*(getattr(self, name) for name in RunKey._fields))

    @property
    def configuration(self) -> Configuration:
        """What was compared: solver, formulation and options."""
        return Configuration(self.solver, self.formulation, tuple(json.loads(self.options).items()))

    @property
    def seconds(self) -> float | None:
        """Seconds to state and solve the problem, without reading the puzzle; None if it told no time."""
        return None if self.total_seconds is None else self.total_seconds - (self.read_seconds or 0.0)

    @property
    def success(self) -> bool:
        """Whether the task was done; where the engine says that there is no further solution, confirmed."""
        done = self.status in ("solved", "infeasible")
        return done and (not self.complete or self.confirmed_by is not None)
