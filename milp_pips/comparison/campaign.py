"""A comparison as a whole: what is run on what, how often, within which limits, in which order."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from milp_pips.comparison.configuration import Configuration
from milp_pips.comparison.instance import Instance
from milp_pips.comparison.measurement import TASKS
from milp_pips.comparison.records import RunKey
from milp_pips.engines import available
from milp_pips.errors import UsageError

Thing = TypeVar("Thing")

TIME_LIMIT = 60.0
"""Seconds that a run may take unless told otherwise."""


class Planned(NamedTuple):
    """A run that is to be made."""

    instance: Instance
    configuration: Configuration
    seed: int
    repeat: int


@dataclass(frozen=True, slots=True)
class Campaign:
    """Puzzles × configurations × seeds × repeats, for one task, within the same limits for all.

    Parameters
    ----------
    instances, configurations
        What is run on what.
    task
        ``first``: one solution. ``prove``: one, and another or the proof that there is none. ``all``.
    seeds
        Seeds for the engines.
    repeats
        How often each run is repeated with the same seed.
    threads
        Threads of each engine.
    time_limit
        Seconds to state and solve a puzzle.
    memory_limit
        Bytes that a run may use; 0 for no limit.
    order
        Seed of the order of runs.

    Raises
    ------
    UsageError
        For an unknown task, or a solver that takes no seed or not so many threads.
    """

    instances: tuple[Instance, ...]
    configurations: tuple[Configuration, ...]
    task: str = "first"
    seeds: tuple[int, ...] = (0,)
    repeats: int = 1
    threads: int = 1
    time_limit: float = TIME_LIMIT
    memory_limit: int = 0
    order: int = 0

    def __post_init__(self) -> None:
        if self.task not in TASKS:
            raise UsageError(f"unknown task {self.task!r}; known: {', '.join(TASKS)}")
        for name in dict.fromkeys(configuration.solver for configuration in self.configurations):
            features = available(name).features
            if any(self.seeds) and "seed" not in features:
                raise UsageError(f"{name} takes no random seed: leave the seeds out, or {name}")
            if self.threads > 1 and "threads" not in features:
                raise UsageError(f"{name} works with one thread only: leave the threads out, or {name}")

    def plan(self) -> Iterator[Planned]:
        """Yield all runs in the order in which they are to be made.

        Repeats come outermost, then puzzles, then seeds, then configurations, so that runs that will be
        compared lie close together in time and a machine that grows slower hits all alike. Puzzles and
        configurations are shuffled anew each time, so that none always comes first.
        """
        for repeat in range(self.repeats):
            for instance in _shuffled(self.instances, f"{self.order}/{repeat}"):
                for seed in self.seeds:
                    place = f"{self.order}/{repeat}/{instance.hash}/{seed}"
                    for configuration in _shuffled(self.configurations, place):
                        yield Planned(instance, configuration, seed, repeat)

    def key(self, planned: Planned, instance: int) -> RunKey:
        """Return the key of a run on the instance with this id in the results file."""
        configuration = planned.configuration
        return RunKey(
            instance,
            configuration.solver,
            configuration.formulation,
            self.task,
            planned.seed,
            planned.repeat,
            self.threads,
            float(self.time_limit),
            self.memory_limit,
            json.dumps(dict(configuration.options), sort_keys=True),
        )


def _shuffled(things: tuple[Thing, ...], place: str) -> list[Thing]:
    return random.Random(place).sample(things, len(things))
