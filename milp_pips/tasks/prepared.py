"""A puzzle, stated and filtered for engines; and the referee, which every point has to pass."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from math import floor
from typing import TYPE_CHECKING, Any, ClassVar

from milp_pips.problem.errors import Contradiction, EngineFault, FamilyFault, UsageError
from milp_pips.problem.problem import Problem
from milp_pips.propagation import reduce_domains
from milp_pips.puzzles.family import Family
from milp_pips.puzzles.puzzle import Board, Puzzle, with_board
from milp_pips.tasks.query import Distance, Run
from milp_pips.tasks.results import Result

if TYPE_CHECKING:
    from milp_pips.problem.answer import Answer, Claim, Stop
    from milp_pips.problem.objective import Objective
    from milp_pips.problem.stopping import Deadline
    from milp_pips.verification.recounting import Opinion


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

    def fixed(self, values: Board) -> Prepared:
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


def completion(problem: Problem, variables: Sequence[int]) -> Callable[[Sequence[int]], tuple[int, ...]]:
    """Return a function that extends values of these variables to a point, blank for the others."""
    if len(variables) == len(problem.variables):
        return tuple
    place = {v: i for i, v in enumerate(variables)}
    places, blank = [place.get(v, -1) for v in range(len(problem.variables))], problem.blank

    def complete(values: Sequence[int]) -> tuple[int, ...]:
        known_or_not = (*values, blank)  # index -1 reads the value of the other variables
        return tuple([known_or_not[i] for i in places])

    return complete
