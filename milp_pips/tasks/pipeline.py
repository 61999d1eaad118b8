"""The steps that all tasks share: state the problem, filter its domains, call an engine, check its point.

::

    prepared = prepare(puzzle, rules)                        # state and filter
    answer = find_point(prepared, solver, ...)               # call an engine, unless filtering suffices
    solution = prepared.judge(answer.point, answer.claim.who)  # check against the rules

``milp_pips.verification.second_opinion`` then confirms an answer that there is no solution.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import floor
from typing import TYPE_CHECKING, Any, ClassVar, cast

from milp_pips.problem.answer import (
    FILTERING,
    PROOF_BY_COUNTING,
    Answer,
    Claim,
    Proof,
    Settings,
    Shortcuts,
    Stop,
)
from milp_pips.problem.errors import EngineFault, FamilyFault, UsageError
from milp_pips.problem.fields import shown
from milp_pips.problem.parameters import TEXT
from milp_pips.problem.problem import Problem
from milp_pips.propagation import DEFAULT_RULES, Contradiction, reduce_domains
from milp_pips.puzzles.family import Family
from milp_pips.puzzles.puzzle import Board, Puzzle, with_board
from milp_pips.puzzles.registry import family_of

if TYPE_CHECKING:
    from milp_pips.engines.contract import Solver
    from milp_pips.problem.objective import Objective
    from milp_pips.problem.stopping import Deadline
    from milp_pips.tasks.results import Distance
    from milp_pips.verification.second_opinion import Opinion


def puzzle_of(given: object, task: str, over: str | Iterable[Any] | None = None) -> Puzzle:
    """Return the puzzle that a task was given; a bare problem or a linear model becomes a puzzle.

    The solutions of a linear model differ in the columns ``over``, if these are given. Raises TypeError, with
    the name of the task, for anything else, and UsageError for columns of a puzzle that has none.
    """
    puzzle = _puzzle_of(given, task)
    if over is None:
        return puzzle
    if (choosing := getattr(puzzle, "choosing", None)) is None:
        raise UsageError(f"{puzzle.name} has no columns to choose: over is for linear models; see distinct")
    return cast("Puzzle", choosing(over))


def _puzzle_of(given: object, task: str) -> Puzzle:
    if isinstance(given, Puzzle):
        return given
    if isinstance(given, Problem):
        from milp_pips.puzzles.bare import BareProblem

        return BareProblem(given)
    if isinstance(given, str | os.PathLike):
        raise TypeError(f"{task} takes a puzzle; read one with milp_pips.read({os.fspath(given)!r})")
    from milp_pips.formulations.reading.objects import TAKEN_MODELS
    from milp_pips.puzzles.linear import puzzle_of_model

    if (puzzle := puzzle_of_model(given)) is None:
        what = f"{task} takes a puzzle, as milp_pips.read returns it, not {shown(given)}"
        is_plain = type(given).__module__ == "builtins"  # else it may be a model of another library
        raise TypeError(what if is_plain else f"{what}; or {TAKEN_MODELS}; or write it as MPS and read that")
    return puzzle


def settings_of(settings: Settings, shortcuts: Shortcuts, solver: str = "") -> Settings:
    """Return the settings changed by the shortcuts. Raises TypeError or ValueError for an invalid value."""
    if not isinstance(settings, Settings):
        raise TypeError(f"settings are a milp_pips.Settings, not {shown(settings)}; or name one: seconds=10")
    TEXT.check("the name of the solver", solver)
    return settings.changed(**shortcuts)


def state(puzzle: Puzzle | Problem) -> Problem:
    """Return the problem that states the puzzle for all engines: variables, constraints, keys and name."""
    puzzle = puzzle_of(puzzle, "state")
    problem = family_of(puzzle).state(puzzle)
    return problem if problem.name else replace(problem, name=puzzle.name)


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
        whole = self.problem.blank not in point
        if whole and (broken := self.problem.violated(point)):
            raise EngineFault(f"{who} gave a point that breaks a rule of {self.puzzle.name}: {broken}")
        solution = self.family.decode(self.puzzle, tuple(point[: self.stated]))
        if len(point) == self.stated and (broken := self.family.check(self.puzzle, solution)):
            if whole:
                raise FamilyFault(
                    f"the family {self.family.name} contradicts itself: its state allows a solution of "
                    f"{self.puzzle.name} that its check refuses: {broken}"
                )
            raise EngineFault(f"{who} gave a point that breaks a rule of {self.puzzle.name}: {broken}")
        return solution

    def point_of(self, solution: Any) -> tuple[int, ...]:
        """Return the point that a solution states, blank where it leaves something open."""
        values = self.family.encode(self.puzzle, solution)
        return tuple([values.get(v, self.problem.blank) for v in range(len(self.problem.variables))])

    def changed(self, change: Callable[[Problem], Problem]) -> Prepared:
        """Return the puzzle with a change of the problem and of the filtered problem."""
        return replace(self, problem=change(self.problem), filtered=change(self.filtered))

    def without(self, values: Sequence[int], key: str) -> Prepared:
        """Return the puzzle without the solutions that have these values of the key."""
        from milp_pips.constraints import NoGood  # few tasks exclude a solution

        problem = self.problem
        cut = NoGood(problem.keys[key], tuple(values), least=problem.least_difference(key))
        return self.changed(lambda problem: problem.with_constraints([cut]))

    def no_worse_than(self, worst: Any) -> Prepared:
        """Return the puzzle without solutions whose value is worse than this one."""
        from milp_pips.tasks.objectives import as_good_as  # few tasks have an objective

        row = as_good_as(self.objective, worst)
        return self.changed(lambda problem: problem.with_constraints([row]))

    def better_than(self, value: Any) -> Prepared:
        """Return the puzzle without solutions whose value is no better than this one."""
        return self.no_worse_than(self.objective.worse(value, -1))

    def filtered_again(self, rules: Sequence[str], deadline: Deadline | None) -> Prepared:
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

    def as_far_as_possible(self, key: str, solutions: Sequence[Sequence[int]], most: int) -> Prepared:
        """Return the puzzle with its least distance from solutions as its objective, at ``most`` this one."""
        from milp_pips.tasks.objectives import as_far_as_possible

        return self.changed(lambda problem: as_far_as_possible(problem, key, solutions, most))

    def for_listing(self, *, is_chosen: bool, aims: bool) -> Prepared:  # noqa: ARG002
        """Return the puzzle to list; see ``LinearProblem.for_listing``."""
        return self

    def completed(self, point: tuple[Any, ...], _key: str, _settings: Settings, _deadline: Deadline) -> Any:
        """Return the point with the best values outside the key, where these are projected away."""
        return point

    def require_key(self, key: str, what: str) -> None:
        """Raise UsageError if solutions by this key cannot be listed in a certain way, such as by cuts."""

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

        return broken_rules(state(self.puzzle), point)

    def simple_proof(self) -> str:
        """Return a proof of one sentence that there is no solution; empty if there is none."""
        from milp_pips.propagation.supply_certificates import simple_proof

        return simple_proof(self.problem) or ""

    def doubt(self, claim: Claim, deadline: Deadline) -> Opinion:
        """Return a second opinion on the claim that there is no solution."""
        from milp_pips.verification.second_opinion import on_no_solution

        return on_no_solution(self.problem, claim, deadline)

    def is_only_one(self, key: str) -> bool:
        """Return whether filtering leaves nothing of the key open."""
        return all(len(self.filtered.variables[v].domain) == 1 for v in self.problem.keys[key])

    def confirm_list(
        self,
        key: str,
        listed: Collection[tuple[int, ...]],
        claim: Claim,
        settings: Settings,  # noqa: ARG002
        deadline: Deadline,
    ) -> str | None:
        """Return what confirms that these are all solutions that differ in the key; None if nothing does."""
        from milp_pips.verification.second_opinion import on_complete

        problem = self.problem.with_objective(None)
        return on_complete(problem, key, len(listed), listed, claim, deadline)

    def value(self, solution: Any) -> int | float | None:
        """Return the value of the objective; None if there is none or the solution leaves it open."""
        if (objective := self.problem.objective) is None:
            return None
        point = self.point_of(solution)
        if any(point[v] == self.problem.blank for v in objective.costs):
            return None
        return objective.stated(objective.value(point))


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


def prepare(
    puzzle: Puzzle,
    rules: Sequence[str],
    board: Board | None = None,
    deadline: Deadline | None = None,
    change: Callable[[Problem], Problem] | None = None,
    for_problems: Mapping[str, object] | None = None,
) -> Prepared:
    """Return the puzzle stated and filtered.

    Parameters
    ----------
    puzzle
        The puzzle.
    rules
        Names of the reductions, see ``milp_pips.propagation``. Raises UsageError for an unknown name.
    board
        The values that are filled in already, which solutions must contain. Raises UsageError for a value
        that is not in the domain of its cell.
    deadline
        The deadline at which filtering stops.
    change
        Returns the problem to solve: with further constraints, an objective, or soft rules.
    for_problems
        What the task was given that only a ``Problem`` can take, by name; None for a task that takes no
        ``LinearProblem``. Raises UsageError for a linear problem with any of it.
    """
    begun = time.perf_counter()
    family = family_of(puzzle)
    if for_problems is not None and (linear := family.linear(puzzle)) is not None:
        if given := [name for name, value in for_problems.items() if value]:
            reason = linear.model.reason_against_problem
            raise UsageError(f"{puzzle.name}: {reason}; omit {' and '.join(given)}")
        from milp_pips.tasks.models import prepare_model  # puzzles do not need it

        return prepare_model(puzzle, family, linear if board is None else linear.fixed(board))
    problem = state(puzzle)
    if board is not None:
        problem = with_board(problem, board)
    stated = len(problem.variables)
    if change is not None:
        problem = change(problem)
    seconds = time.perf_counter() - begun
    prepared = Prepared(puzzle, family, problem, problem, "", seconds, stated)
    return prepared.filtered_again(rules, deadline)


def find_point(prepared: Prepared, solver: str, settings: Settings, deadline: Deadline) -> Answer:
    """Return the answer of the solver, or of the default solver for the empty name, to the filtered problem.

    The default solver has backup solvers: if it takes long, another engine starts in parallel, and the first
    answer counts. There are no backup solvers if the settings address one engine: options or a memory limit.
    If filtering has refuted the problem, that is the answer; so is a refutation by a simple count, which is
    tried before the default solver searches a large space. Raises UsageError.
    """
    name, before = prepared.puzzle.name, prepared.problem.open_values
    if prepared.refutation:
        deadline.progress.report(f"{name}: filtering refutes it: {prepared.refutation}")
        return _refuted(prepared, prepared.refutation, FILTERING)
    deadline.progress.report(
        f"{name}: filtering leaves {prepared.filtered.open_values} of {before} values open"
    )
    if not solver:
        return _ask_default_solver(prepared, settings, deadline)
    from milp_pips.engines.registry import ask  # tasks that filter and compile need no engine

    deadline.progress.report(f"{name}: calling {solver}")
    return _response(solver, settings, ask(solver, prepared.filtered, settings, deadline))


def _ask_default_solver(prepared: Prepared, settings: Settings, deadline: Deadline) -> Answer:
    """Return the answer of the default solver or of its backup solver, see ``find_point``."""
    # A task with a named solver needs none of these.
    from milp_pips.engines.defaults import SHORT_SEARCH, choice_for_point
    from milp_pips.engines.portfolio import run_chosen

    choice = choice_for_point(prepared.filtered, settings)
    if choice.solver != SHORT_SEARCH and (reason := prepared.simple_proof()):
        return _refuted(prepared, reason, PROOF_BY_COUNTING)
    deadline.progress.report(f"{prepared.puzzle.name}: {choice.why}")
    answer, way, why = run_chosen(choice, prepared.filtered, settings, deadline)
    return _response(way.solver, way.settings, answer, why)


def _refuted(prepared: Prepared, reason: str, proof_family: str) -> Answer:
    """Return the answer that there is no solution, which needed no engine; its claim names the proof."""
    spent, claim = {"build": 0.0, "solve": prepared.seconds}, Claim(proof_family, proof_family)
    return Answer(None, Proof.INFEASIBLE, Stop.FINISHED, reason, seconds=spent, claim=claim)


def _response(solver: str, settings: Settings, answer: Answer, choice: str = "") -> Answer:
    """Return the answer of a solver with its claim."""
    from milp_pips.engines.registry import available, version_of

    engine = available(solver, settings)
    claim = Claim(engine.name, engine.proof_family, answer.formulation, version=version_of(engine))
    return replace(answer, claim=claim, choice=choice)
