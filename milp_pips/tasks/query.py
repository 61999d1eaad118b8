"""What all steps of a task hand on: the query, how it is run, and the puzzle prepared for both.

The keyword functions of the package (``solve``, ``solutions``, ``count``, …) validate once and make the first
two. Every point has to pass the referee of the third.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from math import floor
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

from milp_pips.problem.answer import Settings
from milp_pips.problem.errors import Contradiction, EngineFault, FamilyFault, UsageError
from milp_pips.problem.parameters import SHARE, whole
from milp_pips.problem.problem import Problem
from milp_pips.problem.stopping import Deadline
from milp_pips.propagation import DEFAULT_RULES, reduce_domains
from milp_pips.puzzles.family import Family
from milp_pips.puzzles.puzzle import Board, Puzzle, with_board
from milp_pips.tasks.results import Result

if TYPE_CHECKING:
    from fractions import Fraction

    from milp_pips.engines.contract import Solver
    from milp_pips.problem.answer import Answer, Claim, Stop
    from milp_pips.problem.objective import Objective
    from milp_pips.runtime.executor import Executor
    from milp_pips.verification.recounting import Opinion


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
        own = [name for name in ("board", "maximise", "minimise", "soft") if getattr(self, name)]
        return own + [name for name in self.more if self.more[name]]


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


@dataclass(frozen=True)
class Prepared:
    """A puzzle, stated and filtered for an engine.

    A linear model that is no ``Problem`` is a ``milp_pips.tasks.models.PreparedModel``.

    Parameters
    ----------
    puzzle, family
        The puzzle, and its family, which has its rules.
    problem
        The problem as stated, with the values on the board. Points are checked against it, and second
        opinions solve it.
    filtered
        The same problem with smaller domains, for engines and diagrams.
    refutation
        Why there is no solution, if filtering has proven that; else empty.
    seconds
        Wall-clock seconds for stating and filtering.
    stated
        The number of variables of the puzzle's own statement. Soft rules have more, and solutions break them.
    """

    puzzle: Puzzle
    family: Family[Any, Any]
    problem: Problem
    filtered: Problem
    refutation: str
    seconds: float
    stated: int

    blames_engines: ClassVar[bool] = True
    """Whether an engine that is contradicted is faulty; floating point may err about linear models."""

    def judge(self, point: Sequence[int] | None, who: str) -> Any:
        """Return the solution that a point encodes, checked against all rules; None for no point.

        The point must satisfy the problem's constraints and the rules of the game. Variables outside a view
        are blank in the point; then only the rules of the game are checked. Raises EngineFault, which names
        ``who`` and the rule, if the point breaks a rule. Raises FamilyFault if it satisfies all constraints
        but not the rules, so that the family's ``state`` and ``check`` differ.
        """
        if point is None:
            return None
        # First the constraints, then the rules of the game by the family's own check: these share no code.
        whole = self.problem.blank not in point
        if whole and (broken := self.problem.violated(point)):
            raise EngineFault(f"{who} gave a point that breaks a rule of {self.puzzle.name}: {broken}")
        solution = self.family.decode(self.puzzle, tuple(point[: self.stated]))
        # A point with further variables is one of soft rules, which its solution may break.
        if len(point) == self.stated and (broken := self.family.check(self.puzzle, solution)):
            if whole:
                raise FamilyFault(
                    f"the family {self.family.name} contradicts itself: its state allows a solution of "
                    f"{self.puzzle.name} that its check refuses: {broken}"
                )
            raise EngineFault(f"{who} gave a point that breaks a rule of {self.puzzle.name}: {broken}")
        return solution

    def result_of(
        self, answer: Answer, status: str, stop: Stop, solution: Any = None, **members: Any
    ) -> Result:
        """Return a result with what an answer says of itself; ``members`` are the others."""
        return Result(
            self.puzzle,
            solution,
            status,
            stop,
            answer.claim.who,
            answer.claim.version,
            answer.formulation,
            size=answer.size,
            statistics=answer.statistics,
            seconds=answer.seconds,
            choice=answer.choice,
            **members,
        )

    def point_of(self, solution: Any) -> tuple[int, ...]:
        """Return the point that a solution states, blank where it leaves something open."""
        values = self.family.encode(self.puzzle, solution)
        return tuple([values.get(v, self.problem.blank) for v in range(len(self.problem.variables))])

    def changed(self, change: Callable[[Any], Any]) -> Self:
        """Return the puzzle with a change of the problem and of the filtered problem."""
        problem = change(self.problem)
        is_filtered = self.filtered is not self.problem
        return replace(self, problem=problem, filtered=change(self.filtered) if is_filtered else problem)

    def without(self, values: Sequence[int], key: str) -> Self:
        """Return the puzzle without the solutions that have these values of the key."""
        from milp_pips.constraints import NoGood  # few tasks exclude a solution

        problem = self.problem
        cut = NoGood(problem.keys[key], tuple(values), least=problem.least_difference(key))
        return self.changed(lambda problem: problem.with_constraints([cut]))

    def no_worse_than(self, worst: Any) -> Self:
        """Return the puzzle without solutions whose value is worse than this one."""
        from milp_pips.tasks.objectives import as_good_as  # few tasks have an objective

        row = as_good_as(self.objective, worst)
        return self.changed(lambda problem: problem.with_constraints([row]))

    def better_than(self, value: Any) -> Self:
        """Return the puzzle without solutions whose value is no better than this one."""
        return self.no_worse_than(self.objective.worse(value, -1))

    def filtered_again(self, rules: Sequence[str], deadline: Deadline | None) -> Self:
        """Return the puzzle with domains that are filtered again, after a change."""
        begun = time.perf_counter()
        try:
            filtered, refutation = reduce_domains(self.problem, rules, deadline), ""
        except Contradiction as reason:
            filtered, refutation = self.problem, str(reason)
        seconds = self.seconds + time.perf_counter() - begun
        return replace(self, filtered=filtered, refutation=refutation, seconds=seconds)

    def worst_within(self, best: Any, distance: Distance) -> Any:
        """Return the worst value within a distance of the best one."""
        return self.objective.worse(best, floor(distance.least(best, self.objective.scale)))

    @property
    def objective(self) -> Objective:
        """The objective. There must be one."""
        assert self.problem.objective is not None
        return self.problem.objective

    def as_far_as_possible(self, key: str, solutions: Sequence[Sequence[int]], most: int) -> Self:
        """Return the puzzle with its least distance from solutions as its objective, at ``most`` this one."""
        from milp_pips.tasks.objectives import as_far_as_possible

        return self.changed(lambda problem: as_far_as_possible(problem, key, solutions, most))

    def for_listing(self, *, is_chosen: bool, aims: bool) -> Self:  # noqa: ARG002
        """Return the puzzle to list; see ``LinearProblem.for_listing``."""
        return self

    def require_best(self, key: str) -> None:
        """Raise UsageError unless the key determines the objective, so that the best solutions are known."""
        costs = set(self.objective.costs)
        if not costs <= set(self.problem.keys[key]):
            able = [name for name, of in self.problem.keys.items() if costs <= set(of)]
            raise UsageError(
                f"{self.objective} differs between solutions with the same {key}; "
                f"the keys that determine it: {', '.join(able) or 'none'}"
            )

    def broken_rules(self, point: Sequence[Any]) -> tuple[str, ...]:
        """Return the soft rules that a point breaks; a problem without any has no further variables."""
        if len(point) == self.stated:
            return ()
        from milp_pips.tasks.soft import broken_rules

        return broken_rules(self.family.state(self.puzzle), point)

    def simple_proof(self) -> str:
        """Return a proof of one sentence that there is no solution; empty if there is none."""
        from milp_pips.propagation.supply_certificates import simple_proof

        return simple_proof(self.problem) or ""

    def doubt(self, claim: Claim, deadline: Deadline) -> Opinion:
        """Return a second opinion on the claim that there is no solution."""
        from milp_pips.verification.second_opinion import on_no_solution

        return on_no_solution(self.problem, claim, deadline)

    def fixed(self, values: Board) -> Self:
        """Return the puzzle with values that are filled in."""
        return self.changed(lambda problem: with_board(problem, values))

    def is_only_one(self, key: str) -> bool:
        """Return whether filtering leaves nothing of the key open."""
        return all(len(self.filtered.variables[v].domain) == 1 for v in self.problem.keys[key])

    def confirm_list(
        self,
        key: str,
        listed: Collection[tuple[int, ...]],
        claim: Claim,
        run: Run,
    ) -> str | None:
        """Return what confirms that these are all solutions that differ in the key; None if nothing does."""
        from milp_pips.verification.second_opinion import on_complete

        problem = self.problem.with_objective(None)
        return on_complete(problem, key, len(listed), listed, claim, run.deadline)

    def value(self, solution: Any) -> int | float | None:
        """Return the value of the objective; None if there is none or the solution leaves it open."""
        if (objective := self.problem.objective) is None:
            return None
        point = self.point_of(solution)
        if any(point[v] == self.problem.blank for v in objective.costs):
            return None
        return objective.stated(objective.value(point))
