"""The plan of a comparison: what runs on which puzzles, how often, within which limits, in which order.

Puzzles are identified by their content, not by the names of their files.
"""

from __future__ import annotations

import json
import os
import random
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from milp_pips.engines import registry
from milp_pips.engines.registry import available
from milp_pips.extras.bench.measurement import RUN_TASKS, objective_of
from milp_pips.extras.bench.store import Configuration, InstanceRecord, RunKey
from milp_pips.problem.answer import Settings
from milp_pips.problem.errors import UsageError, unknown_name
from milp_pips.propagation import REDUCTIONS
from milp_pips.puzzles.reading import STANDARD_INPUT, files_of, name_of, read_text, text_of
from milp_pips.tasks.pipeline import state
from milp_pips.tasks.query import rules_for

if TYPE_CHECKING:
    pass
from milp_pips.puzzles.puzzle import Puzzle

RUN_SECONDS = 60.0
"""The default time limit of a run in seconds: real hard puzzles take a hundredth of it (README)."""


def configurations(runs: Iterable[str]) -> tuple[Configuration, ...]:
    """Return the configurations that texts name, each once.

    Raises UsageError for a solver that is not available, a formulation that its solver does not know, or if
    nothing is named.
    """
    found = [Configuration.parse(text) for text in runs]
    if not found:
        raise UsageError(
            "nothing to compare: name configurations, such as --run highs/projected --run cp-sat"
        )
    for one in found:
        registry.require_formulation(one.solver, available(one.solver), one.formulation)
    return tuple(dict.fromkeys(found))


class Instance(NamedTuple):
    """A puzzle of a comparison, its record in the results file, and the seconds that reading it took."""

    puzzle: Puzzle
    record: InstanceRecord
    seconds: float


def instances(
    paths: Sequence[str],
    level: str | None = None,
    report: Callable[[str], object] = lambda _: None,
) -> tuple[Instance, ...]:
    """Return the puzzles of files and directories, each once, in order. Raises InputError.

    From a file with several puzzles all are taken, or only the one of the level. ``report`` is called with a
    line for each puzzle that is left out: a duplicate, or a linear model with continuous columns.
    """
    found: dict[str, Instance] = {}
    for path in files_of(list(paths)):
        text, path = text_of(path), name_of(path)
        read_text(text, path, level)  # load the reader's modules now, not while the clock runs
        begun = time.perf_counter()
        puzzles = read_text(text if path == STANDARD_INPUT else text_of(path), path, level)
        seconds = (time.perf_counter() - begun) / len(puzzles)
        for name, puzzle in puzzles.items():
            if (linear := puzzle.linear()) is not None:
                reason = linear.model.reason_against_problem
                report(f"{path}: {puzzle.name} is left out: {reason}; pure integer models are compared")
                continue
            here = Instance(puzzle, _record(puzzle, name, path, text), seconds)
            # By content: the same puzzle under two names would count twice in every figure.
            known = found.setdefault(here.record.hash, here)
            if known is not here:
                same = f"{known.record.name} in {known.record.path}"
                report(f"{path}: {puzzle.name} is the same puzzle as {same}")
    return tuple(found.values())


def _record(puzzle: Puzzle, level: str, path: str, text: str) -> InstanceRecord:
    problem = state(puzzle)
    last = list(problem.keys.values())[-1] if problem.keys else range(len(problem.variables))
    counts = Counter(constraint.type_name for constraint in problem.constraints)
    return InstanceRecord(
        id=0,
        hash=problem.digest(puzzle.family),
        name=puzzle.name,
        level=level,
        family=puzzle.family,
        path=path,
        folder=os.path.basename(os.path.dirname(os.path.abspath(path))),
        size=len(last),
        constraints=dict(sorted(counts.items())),
        text=text,
    )


class PlannedRun(NamedTuple):
    """A run to be made, with all its settings; rules and the time limit are explicit."""

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
        The puzzles and the configurations.
    task
        ``first``: one solution. ``prove``: one, and another or the proof that there is none. ``all``. Or the
        best solution, such as ``maximise sum(A)``; see ``milp_pips.tasks.objectives`` for expressions.
    seeds
        Seeds for the engines.
    repeats
        The number of runs with the same seed.
    settings
        The settings common to all: the limits (default ``RUN_SECONDS``), the reductions of domains, and the
        threads of configurations that do not set them. Configurations and seeds determine the rest.
    order
        The seed of the order of runs.

    Raises
    ------
    UsageError
        For an unknown task or rule, an objective that does not fit a puzzle, or a solver that takes no seed,
        no objective or not that many threads.
    """

    instances: tuple[Instance, ...]
    configurations: tuple[Configuration, ...]
    task: str = "first"
    seeds: tuple[int, ...] = (0,)
    repeats: int = 1
    settings: Settings = field(default_factory=Settings)
    order: int = 0

    def __post_init__(self) -> None:
        aims = objective_of(self.task)
        if aims is None and self.task not in RUN_TASKS:
            raise unknown_name("task", self.task, (*RUN_TASKS, "maximise EXPRESSION", "minimise EXPRESSION"))
        for instance in self.instances:
            try:
                if aims:
                    aims(state(instance.puzzle))
            except UsageError as error:
                raise UsageError(f"{instance.puzzle.name}: {error}") from None
        for rule in self.settings.rules or ():
            if rule not in REDUCTIONS:
                raise unknown_name("presolve rule", rule, REDUCTIONS)
        # Two configurations may be the same once the threads of the campaign are filled in.
        said = (one._replace(threads=one.threads or self.settings.threads) for one in self.configurations)
        object.__setattr__(self, "configurations", tuple(dict.fromkeys(said)))
        for one in self.configurations:
            name, features = one.solver, available(one.solver).features
            if aims and "objective" not in features:
                raise UsageError(f"{name} takes no objective: leave it out")
            if any(self.seeds) and "seed" not in features:
                raise UsageError(f"{name} takes no random seed: leave the seeds out, or {name}")
            if (one.threads or 1) > 1 and "threads" not in features:
                raise UsageError(f"{name} works with one thread only: leave the threads out, or {name}")

    @property
    def threads(self) -> int:
        """The most threads of a run; this many cores are reserved for each."""
        return max((one.threads or 1 for one in self.configurations), default=1)

    @property
    def time_limit(self) -> float:
        """The seconds for stating and solving a puzzle."""
        return RUN_SECONDS if self.settings.seconds is None else float(self.settings.seconds)

    def shard(self, number: int, count: int) -> Campaign:
        """Return part ``number`` of ``count``, from 1 on; together the parts are the whole campaign.

        All runs of a puzzle are in one part, so that one machine makes the runs that will be compared. The
        sizes of parts differ by one puzzle at most, and the order of the files does not matter.
        """
        ordered = sorted(instance.record.hash for instance in self.instances)
        chosen = set(ordered[number - 1 :: count])
        return replace(self, instances=tuple(one for one in self.instances if one.record.hash in chosen))

    def plan(self) -> Iterator[PlannedRun]:
        """Yield all runs in the order in which they are to be made.

        The loops from the outside in are repeats, puzzles, seeds and configurations. Runs that will be
        compared are therefore close together in time, and a machine that slows down affects all alike.
        Puzzles and configurations are shuffled anew each time, so that none always comes first.
        """
        settings = {one: self._settings(one) for one in self.configurations}
        for repeat in range(self.repeats):
            rng = random.Random(f"{self.order}/{repeat}")
            for instance in rng.sample(self.instances, len(self.instances)):
                for seed in self.seeds:
                    rng = random.Random(f"{self.order}/{repeat}/{instance.record.hash}/{seed}")
                    for one in rng.sample(self.configurations, len(self.configurations)):
                        yield PlannedRun(instance, one, replace(settings[one], seed=seed), repeat)

    def _settings(self, configuration: Configuration) -> Settings:
        """Return the settings of a configuration's runs without the seed, with explicit rules and limit."""
        solver, formulation, options, threads = configuration
        settings = replace(
            self.settings,
            formulation=formulation,
            options=dict(options),
            threads=threads or 1,
            seconds=self.time_limit,
        )
        return replace(settings, rules=rules_for(settings, registry.solver(solver)))

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
