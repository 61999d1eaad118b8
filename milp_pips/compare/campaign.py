"""A comparison as a whole: what is run on what, how often, within which limits, in which order."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from milp_pips import plugins
from milp_pips.answer import Settings
from milp_pips.compare.instances import Instance
from milp_pips.compare.measurement import TASKS
from milp_pips.compare.store import Configuration, RunKey
from milp_pips.errors import UsageError
from milp_pips.filtering import RULES
from milp_pips.plugins import available

if TYPE_CHECKING:
    from milp_pips.solvers.contract import Solver

Thing = TypeVar("Thing")

TIME_LIMIT = 60.0
"""Seconds that a run may take unless told otherwise: real hard puzzles take a hundredth of it (README)."""


def configurations(
    runs: Iterable[str] = (), solvers: Sequence[str] = (), formulations: Sequence[str] = ()
) -> tuple[Configuration, ...]:
    """Return the configurations that are named, each once.

    Parameters
    ----------
    runs
        Configurations as text.
    solvers, formulations
        The short way: each solver with each of the formulations that it knows, or with its own choice if it
        knows none of them.

    Raises
    ------
    UsageError
        For a solver that cannot run here, a formulation that its solver (or no solver) knows, or nothing.
    """
    found = [Configuration.parse(text) for text in runs]
    unknown = dict.fromkeys(formulations)
    for name in solvers:
        known = [way for way in formulations if _knows(available(name), way)]
        found += [Configuration(name, way) for way in known or [""]]
        for way in known:
            unknown.pop(way, None)
    if unknown:
        raise UsageError(f"no solver named knows the formulation {next(iter(unknown))!r}")
    if not found:
        raise UsageError(
            "nothing to compare: name configurations, such as --run highs/projected --run cp-sat"
        )
    for one in found:
        solver = available(one.solver)
        if one.formulation and not _knows(solver, one.formulation):
            ways = ", ".join(filter(None, solver.formulations)) or "none"
            raise UsageError(f"{one.solver} has no formulation {one.formulation!r}; it has: {ways}")
    return tuple(dict.fromkeys(found))


def _knows(solver: Solver, formulation: str) -> bool:
    return set(formulation.split(",")) <= set(solver.formulations) - {""}


class PlannedRun(NamedTuple):
    """A run that is to be made, with all its settings: rules and limit are named."""

    instance: Instance
    configuration: Configuration
    settings: Settings
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
    settings
        The same for all: threads, the limits (``TIME_LIMIT`` where none is set), and how domains are reduced.
        The rest of the settings is said by configurations and seeds.
    order
        Seed of the order of runs.

    Raises
    ------
    UsageError
        For an unknown task or rule, or a solver that takes no seed or not so many threads.
    """

    instances: tuple[Instance, ...]
    configurations: tuple[Configuration, ...]
    task: str = "first"
    seeds: tuple[int, ...] = (0,)
    repeats: int = 1
    settings: Settings = field(default_factory=Settings)
    order: int = 0

    def __post_init__(self) -> None:
        if self.task not in TASKS:
            raise UsageError(f"unknown task {self.task!r}; known: {', '.join(TASKS)}")
        for rule in self.settings.rules or ():
            if rule not in RULES:
                raise UsageError(f"unknown presolve rule {rule!r}; known: {', '.join(RULES)}")
        for name in dict.fromkeys(configuration.solver for configuration in self.configurations):
            features = available(name).features
            if any(self.seeds) and "seed" not in features:
                raise UsageError(f"{name} takes no random seed: leave the seeds out, or {name}")
            if self.settings.threads > 1 and "threads" not in features:
                raise UsageError(f"{name} works with one thread only: leave the threads out, or {name}")

    @property
    def time_limit(self) -> float:
        """Seconds to state and solve a puzzle."""
        return TIME_LIMIT if self.settings.seconds is None else float(self.settings.seconds)

    def plan(self) -> Iterator[PlannedRun]:
        """Yield all runs in the order in which they are to be made.

        Repeats come outermost, then puzzles, then seeds, then configurations, so that runs that will be
        compared lie close together in time and a machine that grows slower hits all alike. Puzzles and
        configurations are shuffled anew each time, so that none always comes first.
        """
        settings = {configuration: self._settings(configuration) for configuration in self.configurations}
        for repeat in range(self.repeats):
            for instance in _shuffled(self.instances, f"{self.order}/{repeat}"):
                for seed in self.seeds:
                    place = f"{self.order}/{repeat}/{instance.record.hash}/{seed}"
                    for one in _shuffled(self.configurations, place):
                        yield PlannedRun(instance, one, replace(settings[one], seed=seed), repeat)

    def _settings(self, configuration: Configuration) -> Settings:
        """Return the settings of a configuration's runs, but for the seed; rules and time limit by name."""
        solver, formulation, options = configuration
        rules, engine = self.settings.rules, plugins.solver(solver)
        if rules is None:
            stated = formulation or next(iter(engine.formulations), "")
            rules = () if stated in engine.published else ("filtering",)
        return replace(
            self.settings,
            formulation=formulation,
            options=dict(options),
            seconds=self.time_limit,
            rules=rules,
        )

    def key(self, run: PlannedRun, instance: int) -> RunKey:
        """Return the key of a run on the instance with this id in the results file."""
        settings = run.settings
        return RunKey(
            instance=instance,
            solver=run.configuration.solver,
            formulation=settings.formulation,
            task=self.task,
            seed=settings.seed,
            repeat=run.repeat,
            threads=settings.threads,
            time_limit=self.time_limit,
            memory_limit=settings.memory or 0,
            options=json.dumps(settings.options, sort_keys=True),
            rules=",".join(settings.rules or ()) or "none",
        )


def _shuffled(things: tuple[Thing, ...], place: str) -> list[Thing]:
    return random.Random(place).sample(things, len(things))
