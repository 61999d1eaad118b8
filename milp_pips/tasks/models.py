"""Linear models that are no ``Problem``, prepared for the same tasks as puzzles.

They have continuous columns, or integer columns without bounds or with many values. What engines say of them
holds within a tolerance, which the results state.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar, Self

from milp_pips.engines.contract import LiveModel, PointIterator
from milp_pips.engines.defaults import MODEL_SOLVERS, OTHER_MODEL_SOLVER
from milp_pips.engines.registry import ask, available
from milp_pips.enumeration.joining import list_joined
from milp_pips.enumeration.methods import Listing
from milp_pips.formulations.exact import TOLERANCE, magnitude
from milp_pips.formulations.linear_problem import LinearObjective, LinearProblem
from milp_pips.formulations.rows import KEY
from milp_pips.problem.answer import Claim, Proof, Settings
from milp_pips.problem.errors import EngineFault, UsageError
from milp_pips.problem.stopping import Deadline, EarlierDeadline
from milp_pips.puzzles.family import family_of
from milp_pips.puzzles.puzzle import Puzzle
from milp_pips.tasks.query import Distance, Prepared, Query, Run
from milp_pips.verification.recounting import Opinion
from milp_pips.verification.second_opinion import confirming_deadline

MOST_COMPLETING = 1.0
"""The most seconds, which nothing interrupts, for the best values of the columns that were not chosen."""


class PreparedModel(Prepared):
    """A linear model for engines; see ``Prepared``. Its points are judged in whole numbers and fractions."""

    blames_engines: ClassVar[bool] = False
    problem: LinearProblem  # type: ignore[assignment]

    @classmethod
    def of(cls, puzzle: Puzzle, problem: Any) -> PreparedModel:
        """Return a linear problem of a puzzle, prepared: engines filter it themselves."""
        return cls(puzzle, family_of(puzzle), problem, problem, "", 0.0, problem.columns)

    @property
    def objective(self) -> LinearObjective:  # type: ignore[override]
        """The objective. There must be one."""
        assert self.problem.objective is not None
        return self.problem.objective

    def judge(self, point: Sequence[Any] | None, who: str) -> Any:
        """Return the solution that a point encodes, judged exactly; None for no point; see ``Prepared``."""
        if point is None:
            return None
        if None not in point and (broken := self.problem.violated(point)):
            raise EngineFault(f"{who} gave a point that misses something of {self.puzzle.name}: {broken}")
        if self.problem.completes and None not in point:
            point = self._with_best_values(point)
        return self.family.decode(self.puzzle, tuple(point[: self.stated]))

    @cached_property
    def _live(self) -> LiveModel:
        engine: Any = available(MODEL_SOLVERS[0])
        live: LiveModel = engine.live(replace(self.problem, aims=True), KEY, Settings())
        return live

    def _with_best_values(self, point: Sequence[Any]) -> Sequence[Any]:
        """Return the point with the best values of the columns that were not chosen, if there are better."""
        with suppress(UsageError):  # there is no best value, or a row is too fine for floating point
            fixed: Any = self.problem.restricted({j: (int(point[j]),) * 2 for j in self.problem.over})
            best = self._live.solve(replace(fixed, aims=True), Deadline(MOST_COMPLETING)).point
            value, cost = self.problem.model.value, LinearObjective(self.problem.model).cost
            if best is None or self.problem.violated(best):
                return point
            if cost(value(dict(enumerate(best)))) < cost(value(dict(enumerate(point)))):
                return best
        return point

    def no_worse_than(self, worst: Any) -> Self:
        """Return the model without points whose value is worse than this one."""
        return self.changed(lambda problem: problem.no_worse_than(worst))

    def better_than(self, value: Any) -> Self:
        """Return the model without points whose value is no better, by the smallest step; see ``step``."""
        return self.no_worse_than(self.objective.worse(value, -self.objective.step(value)))

    def worst_within(self, best: Any, distance: Distance) -> Any:
        """Return the worst value within a distance of the best one, which may hold within a tolerance."""
        by = distance.least(best)
        exactly = self.problem.model.cost_unit is not None
        return self.objective.worse(best, by if exactly else by + TOLERANCE * magnitude(best))

    def as_far_as_possible(self, key: str, solutions: Sequence[Sequence[int]], most: int) -> Self:  # noqa: ARG002
        """Return the model with its least distance from points as its objective."""
        return self.changed(lambda problem: problem.as_far_as_possible(solutions, most))

    def for_listing(self, *, is_chosen: bool, aims: bool) -> Self:
        """Return the model whose solutions differ in the chosen columns, or in all integer ones."""
        return self.changed(lambda problem: problem.for_listing(is_chosen=is_chosen, aims=aims))

    def filtered_again(self, rules: Sequence[str], deadline: Deadline | None) -> Self:  # noqa: ARG002
        """Return the model as it is: engines filter it themselves."""
        return self

    def value(self, solution: Any) -> int | float | None:
        """Return the value of the objective, also where any solution is wanted; None if there is none."""
        return solution.objective if self.problem.model.has_objective else None

    def broken_rules(self, point: Sequence[Any]) -> tuple[str, ...]:  # noqa: ARG002
        """Return none: rows are not soft."""
        return ()

    def fixed(self, values: Any) -> Self:
        """Return the model with columns that have one value each."""
        return self.changed(lambda problem: problem.fixed(values))

    def simple_proof(self) -> str:
        """Return none: such proofs are about cells and dominoes."""
        return ""

    def is_only_one(self, key: str) -> bool:  # noqa: ARG002
        """Return False: nothing is known without a search."""
        return False

    def doubt(self, claim: Claim, deadline: Deadline) -> Opinion:  # noqa: ARG002
        """Return the opinion of HiGHS by other methods, within its tolerance."""
        return on_no_point(self.problem, deadline)

    def confirm_list(
        self,
        key: str,
        listed: Collection[tuple[int, ...]],
        claim: Claim,
        run: Run,
    ) -> str | None:
        """Return what has listed the same solutions again: a tree with its certificate, or else HiGHS.

        Raises EngineFault if the list lacks a solution of these. One that they lack may hold within the
        tolerance of continuous columns; then nothing is confirmed.
        """
        run = run.by(deadline=confirming_deadline(run.deadline), settings=second(run.settings))
        again = self._list_by_highs if self.problem.endless else self._list_by_tree
        found, confirmed_by = again(run)
        if missing := len(found - set(listed)):
            raise EngineFault(f"{claim.who} lacks {missing} solutions of {self.puzzle.name} by {key}")
        return confirmed_by if len(found) == len(listed) else None

    def _list_by_tree(self, run: Run) -> tuple[set[tuple[int, ...]], str | None]:
        from milp_pips.tasks.trees import TreeLister  # which other tasks do not need

        whole = self.changed(lambda problem: problem.with_row_of_goal())
        tree = TreeLister(whole, whole.problem, Query(self.puzzle), run)
        points = PointIterator(tree.points(()))
        found = {tuple([point[j] for j in self.problem.over]) for point in points}
        return found, tree.confirm(len(found)) if points.proof is Proof.COMPLETE else None

    def _list_by_highs(self, run: Run) -> tuple[set[tuple[int, ...]], str | None]:
        problem = replace(self.problem, over=self.problem.over[::-1], aims=False)
        listing = Listing(problem, KEY, MODEL_SOLVERS[0], run.settings)
        points = PointIterator(list_joined(listing, "partition", run.deadline))
        found = {listing.key_of(point)[::-1] for point in points}
        is_sure = points.proof is Proof.COMPLETE and not problem.undecidable_row
        return found, SECOND if is_sure else None


# Second opinions: HiGHS again, by other methods. It answers in floating point, so a row of integer columns
# that is too fine for that leaves the claim open.

SECOND = "HiGHS (presolve off, other seed), within its tolerance"
"""What confirms an answer on such a model, whatever engine has given it."""

OTHER = f"{OTHER_MODEL_SOLVER.upper()}, within its tolerance"
"""The same of another engine."""

OTHER_SHARE = 0.3
"""The share of the time that is left for it."""


def second(settings: Settings) -> Settings:
    """Return the settings for a second opinion: other methods, another seed."""
    return Settings(seed=settings.seed + 1, threads=settings.threads, options={"presolve": "off"})


def on_no_point(problem: LinearProblem, deadline: Deadline, *, with_other: bool = False) -> Opinion:
    """Return a second opinion on whether the problem has a point.

    ``with_other`` is for a claim of HiGHS: what HiGHS leaves open another engine decides.
    """
    part = confirming_deadline(deadline)
    first = EarlierDeadline(part, OTHER_SHARE) if with_other else part
    opinion = _opinion_of(MODEL_SOLVERS[0], problem, second(Settings()), first, SECOND)
    if with_other and not opinion.is_conclusive:
        opinion = _opinion_of(OTHER_MODEL_SOLVER, problem, Settings(), part, OTHER)
    return opinion


def _opinion_of(
    solver: str, problem: LinearProblem, settings: Settings, deadline: Deadline, name: str
) -> Opinion:
    """Return what a solver says; ``name`` is what confirms the claim if it agrees."""
    answer = ask(solver, problem.with_objective(None), settings, deadline)  # type: ignore[arg-type]
    if answer.point is not None:
        return Opinion(None, answer.point, name, solver, answer)
    if answer.proof is not Proof.INFEASIBLE:
        return Opinion(None, reason=answer.message or "nothing has confirmed it")
    if row := problem.undecidable_row:
        return Opinion(None, reason=f"row {row} is too fine for floating point")
    return Opinion(name)
