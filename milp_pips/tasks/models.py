"""Linear models that are no ``Problem``, prepared for the same tasks as puzzles.

They have continuous columns, or integer columns without bounds or with many values. What engines say of them
holds within a tolerance, which the results state.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from milp_pips.engines.contract import UntilEnd
from milp_pips.engines.defaults import MODEL_SOLVERS
from milp_pips.enumeration.joining import list_joined
from milp_pips.enumeration.methods import Listing
from milp_pips.formulations.exact import TOLERANCE, magnitude
from milp_pips.formulations.linear_problem import LinearObjective, LinearProblem
from milp_pips.formulations.rows import KEY
from milp_pips.problem.answer import Claim, Proof
from milp_pips.problem.errors import EngineFault
from milp_pips.problem.stopping import Deadline
from milp_pips.puzzles.family import Family
from milp_pips.puzzles.puzzle import Puzzle
from milp_pips.tasks.prepared import Prepared
from milp_pips.tasks.query import Distance, Run
from milp_pips.verification.on_models import SECOND, on_no_point, second
from milp_pips.verification.recounting import Opinion
from milp_pips.verification.second_opinion import confirming_deadline


def prepare_model(puzzle: Puzzle, family: Family[Any, Any], problem: LinearProblem) -> PreparedModel:
    """Return a linear problem as a prepared puzzle. Engines filter it themselves."""
    known: Any = problem  # with all that the base class needs of a ``Problem``
    return PreparedModel(puzzle, family, known, known, "", 0.0, problem.columns)


class PreparedModel(Prepared):
    """A linear model for engines; see ``Prepared``. Its points are judged in whole numbers and fractions."""

    blames_engines: ClassVar[bool] = False

    @property
    def linear(self) -> LinearProblem:
        """The problem."""
        found: Any = self.problem
        return found  # type: ignore[no-any-return]

    @property
    def objective(self) -> LinearObjective:  # type: ignore[override]
        """The objective. There must be one."""
        assert self.linear.objective is not None
        return self.linear.objective

    def judge(self, point: Sequence[Any] | None, who: str) -> Any:
        """Return the solution that a point encodes, judged exactly; None for no point; see ``Prepared``."""
        if point is None:
            return None
        if None not in point and (broken := self.linear.violated(point)):
            raise EngineFault(f"{who} gave a point that misses something of {self.puzzle.name}: {broken}")
        return self.family.decode(self.puzzle, tuple(point[: self.stated]))

    def _with(self, change: Callable[[LinearProblem], LinearProblem]) -> PreparedModel:
        known: Any = change(self.linear)
        return replace(self, problem=known, filtered=known)

    def without(self, values: Sequence[int], key: str) -> PreparedModel:  # noqa: ARG002
        """Return the model without the points that have these values of its binary columns."""
        return self._with(lambda problem: problem.without(values))

    def no_worse_than(self, worst: Any) -> PreparedModel:
        """Return the model without points whose value is worse than this one."""
        return self._with(lambda problem: problem.no_worse_than(worst))

    def better_than(self, value: Any) -> PreparedModel:
        """Return the model without points whose value is no better, by the smallest step; see ``step``."""
        return self.no_worse_than(self.objective.worse(value, -self.objective.step(value)))

    def worst_within(self, best: Any, distance: Distance) -> Any:
        """Return the worst value within a distance of the best one, which may hold within a tolerance."""
        by = distance.least(best)
        exactly = self.linear.model.cost_unit is not None
        return self.objective.worse(best, by if exactly else by + TOLERANCE * magnitude(best))

    def as_far_as_possible(self, key: str, solutions: Sequence[Sequence[int]], most: int) -> PreparedModel:  # noqa: ARG002
        """Return the model with its least distance from points as its objective."""
        return self._with(lambda problem: problem.as_far_as_possible(solutions, most))

    def for_listing(self, *, is_chosen: bool, aims: bool) -> PreparedModel:
        """Return the model whose solutions differ in the chosen columns, or in all integer ones."""
        return self._with(lambda problem: problem.for_listing(is_chosen=is_chosen, aims=aims))

    def to_complete(self, point: tuple[Any, ...], key: str) -> PreparedModel | None:
        """Return the model with these values of the key's columns, for the best values of the others."""
        if not self.linear.model.has_objective:
            return None
        values = {j: point[j] for j in self.linear.keys[key]}
        return self._with(lambda problem: replace(problem.fixed(values), aims=True))

    def require_key(self, key: str, what: str) -> None:  # noqa: ARG002
        """Raise UsageError unless all columns in which solutions differ are binary."""
        self.linear.require_binary(what)

    def require_best(self, key: str) -> None:
        """Raise UsageError unless the k best can be excluded by cuts; other columns get their best values."""
        self.require_key(key, "the best solutions")

    def filtered_again(self, rules: Sequence[str], deadline: Deadline | None) -> PreparedModel:  # noqa: ARG002
        """Return the model as it is: engines filter it themselves."""
        return self

    def value(self, solution: Any) -> int | float | None:
        """Return the value of the objective, also where any solution is wanted; None if there is none."""
        return solution.objective if self.linear.model.has_objective else None

    def broken_rules(self, point: Sequence[Any]) -> tuple[str, ...]:  # noqa: ARG002
        """Return none: rows are not soft."""
        return ()

    def fixed(self, values: Any) -> PreparedModel:
        """Return the model with columns that have one value each."""
        return self._with(lambda problem: problem.fixed(values))

    def simple_proof(self) -> str:
        """Return none: such proofs are about cells and dominoes."""
        return ""

    def is_only_one(self, key: str) -> bool:  # noqa: ARG002
        """Return False: nothing is known without a search."""
        return False

    def doubt(self, claim: Claim, deadline: Deadline) -> Opinion:  # noqa: ARG002
        """Return the opinion of HiGHS by other methods, within its tolerance."""
        return on_no_point(self.linear, deadline)

    def confirm_list(
        self,
        key: str,  # noqa: ARG002
        listed: Collection[tuple[int, ...]],
        claim: Claim,  # noqa: ARG002
        run: Run,
    ) -> str | None:
        """Return what has listed the same points again, in another order; None if nothing has.

        Raises EngineFault if it lists others.
        """
        if self.linear.undecidable_row:
            return None
        problem = replace(self.linear, over=self.linear.over[::-1], completes=False, aims=False)
        listing = Listing(problem, KEY, MODEL_SOLVERS[0], second(run.settings))
        points = UntilEnd(list_joined(listing, "partition", confirming_deadline(run.deadline)))
        found, keys = {listing.key_of(point)[::-1] for point in points}, set(listed)
        if found - keys or (points.proof is Proof.COMPLETE and keys - found):
            fault = f"two lists of {problem.name} differ: {len(keys)} and {len(found)} solutions"
            raise EngineFault(f"{fault}; its numbers may be too fine for floating point")
        return SECOND if points.proof is Proof.COMPLETE else None
