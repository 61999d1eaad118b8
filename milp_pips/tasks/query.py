"""What a task is asked, and how it is to be done: one object each, which travel through all steps.

The keyword functions of the package (``solve``, ``solutions``, ``count``, …) validate once and make both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from milp_pips.problem.answer import Settings
from milp_pips.problem.parameters import SHARE, whole
from milp_pips.problem.stopping import Deadline
from milp_pips.propagation import DEFAULT_RULES

if TYPE_CHECKING:
    from fractions import Fraction

    from milp_pips.engines.contract import Solver
    from milp_pips.problem.problem import Problem
    from milp_pips.puzzles.puzzle import Board, Puzzle
    from milp_pips.runtime.executor import Executor


class Distance(NamedTuple):
    """How far from the optimum solutions may be: of two limits the smaller one holds; without one, any."""

    within: int | None = None
    within_relative: float | None = None

    def check(self) -> None:
        """Raise TypeError or ValueError for a distance that is not a number from 0 on."""
        if self.within is not None:
            whole().check("within", self.within)
        if self.within_relative is not None:
            SHARE.check("within_relative", self.within_relative)

    def least(self, optimum: int | Fraction, unit: int = 1) -> Fraction:
        """Return the distance from this optimum; ``within`` counts units, the share is one of it."""
        from fractions import Fraction  # which would delay the start of every command

        distances = [] if self.within is None else [Fraction(self.within * unit)]
        if self.within_relative is not None:
            distances.append(Fraction(repr(self.within_relative)) * abs(Fraction(optimum)))
        return min(distances)


ANY_DISTANCE = Distance()


class Select(NamedTuple):
    """Which solutions are wanted: all, up to a limit; the ``best``, or a few ``diverse`` ones."""

    limit: int | None = None
    best: int | None = None
    diverse: int | None = None

    def check(self) -> None:
        """Raise TypeError or ValueError for a number that is not whole, or too small."""
        least = {"limit": 1, "best": 1, "diverse": 2}
        for name, number in self._asdict().items():
            if number is not None:
                whole(least[name]).check(name, number)


EVERY = Select()


@dataclass(frozen=True, slots=True)
class Query:
    """What is asked.

    Parameters
    ----------
    puzzle
        The puzzle, or the model.
    board
        The values that are filled in already, which solutions contain.
    maximise, minimise, soft
        An objective in words, or soft rules with their weights.
    distinct
        The key by which solutions are different; empty for the first one.
    has_over
        Whether the columns of a model in which solutions differ were chosen.
    distance
        How far from the optimum solutions may be.
    select
        Which of them are wanted.
    start
        Known solutions of a model, with which a tree begins.
    more
        What else only a ``Problem`` can take, by name, such as ``unique``.
    """

    puzzle: Puzzle
    board: Board | None = None
    maximise: str | None = None
    minimise: str | None = None
    soft: Mapping[str, int] | None = None
    distinct: str = ""
    has_over: bool = False
    distance: Distance = ANY_DISTANCE
    select: Select = EVERY
    start: Any = None
    more: Mapping[str, object] = field(default_factory=dict)

    @property
    def has_words(self) -> bool:
        """Whether there is an objective in words."""
        return (self.maximise, self.minimise) != (None, None)

    def change(self) -> Callable[[Problem], Problem] | None:
        """Return the function that gives a problem the objective or the soft rules; None if there are none.

        Raises UsageError and TypeError as ``milp_pips.tasks.objectives.goal_of``.
        """
        if not (self.has_words or self.soft):
            return None
        from milp_pips.tasks.objectives import goal_of  # few queries have an objective

        return goal_of(self.maximise, self.minimise, self.soft, unique=bool(self.more.get("unique")))

    def for_problems(self) -> list[str]:
        """Return the names of what was given that only a ``Problem`` can take."""
        given = {"board": self.board, "maximise": self.maximise, "minimise": self.minimise, "soft": self.soft}
        return [name for name, value in {**given, **self.more}.items() if value]


class Shard(NamedTuple):
    """The I-th of N parts of what a list has left."""

    number: int
    of: int

    def path(self, out: str) -> str:
        """Return the file of this part of a list."""
        return f"{out}.{self.number}-of-{self.of}"

    def name(self, sizes: Sequence[int]) -> str:
        """Return what identifies the part: it fits the list only as that was."""
        return f"{self.number} of {self.of} after {sizes[0]} bytes"


@dataclass(frozen=True, slots=True)
class Run:
    """How it is to be done.

    Parameters
    ----------
    solver, settings
        The solver, empty for one that suits; limits and options.
    deadline
        The deadline of the whole task.
    method
        The way to list solutions, or ``auto``.
    out, jobs
        The file of a list; the processes that search at the same time.
    executor
        Where the parts of a tree are searched, if not in these processes.
    shard
        The only part of what the file of a list has left that is searched.
    """

    solver: str = ""
    settings: Settings = Settings()
    deadline: Deadline = field(default_factory=Deadline)
    method: str = "auto"
    out: str = ""
    jobs: int = 1
    executor: Executor | None = None
    shard: Shard | None = None

    @property
    def is_spread(self) -> bool:
        """Whether several processes share the work."""
        return self.jobs > 1 or self.executor is not None

    @contextmanager
    def workers(self) -> Iterator[Executor | None]:
        """Yield the executor, or one of the processes that search; None for this process alone."""
        if self.executor is not None or self.jobs == 1:
            yield self.executor
            return
        from milp_pips.runtime.cluster import ATTEMPTS  # not available in browsers
        from milp_pips.runtime.executor import OwnProcesses

        with OwnProcesses(self.jobs, attempts=ATTEMPTS) as processes:
            yield processes

    @property
    def engine(self) -> Solver | None:
        """The named solver; None if there is none. Raises UsageError if it cannot run here."""
        if not self.solver:
            return None
        from milp_pips.engines.registry import available  # tasks that filter and compile need no engine

        return available(self.solver, self.settings)

    @property
    def rules(self) -> tuple[str, ...]:
        """The domain reductions to apply before the solver runs."""
        return rules_for(self.settings, self.engine)

    def by(self, solver: str = "", settings: Settings = Settings(), deadline: Deadline | None = None) -> Run:
        """Return a run by another solver, the default one if it has no name, under the same deadline."""
        return Run(solver, settings, deadline or self.deadline)

    def changed(self, **changes: Any) -> Run:
        """Return the same run with these fields changed."""
        return replace(self, **changes)


def rules_for(settings: Settings, solver: Solver | None = None) -> tuple[str, ...]:
    """Return the domain reductions to apply before a solver runs.

    These are the requested ones, else our own filtering, which pays off for every engine. A published model
    gets none: it has its own reductions, whose effect ours would hide.
    """
    if settings.rules is not None:
        return settings.rules
    return () if states_published_model(settings, solver) else DEFAULT_RULES


def states_published_model(settings: Settings, solver: Solver | None) -> bool:
    """Return whether the requested formulation of the solver is a published model."""
    if solver is None or not solver.published:
        return False
    return (settings.formulation or solver.formulations[0]) in solver.published
