"""Explain why a puzzle has no solution, or how its solution follows step by step."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Any

from milp_pips.compilation.limits import Unfinished
from milp_pips.extras.explain.adding import additions as find_additions
from milp_pips.extras.explain.additions import Additions, exact_sums
from milp_pips.extras.explain.analysis import BoardAnalysis, puzzle_for_players, size_of
from milp_pips.extras.explain.clashes import clashes, first_clash, repairs
from milp_pips.extras.explain.confirmation import confirm_clash, proved_minimal
from milp_pips.extras.explain.facts import Clash, Step
from milp_pips.extras.explain.parameters import ADDITIONS, REASONS
from milp_pips.extras.explain.reasoner import OutOfTime
from milp_pips.extras.explain.techniques.joining import merged_one_by_one
from milp_pips.extras.explain.techniques.story import needed, refutation
from milp_pips.problem import Deadline, Problem, Stop, UsageError
from milp_pips.problem.answer import TaskResult
from milp_pips.problem.errors import FamilyFault
from milp_pips.problem.fields import shown
from milp_pips.problem.parameters import TIME_LIMIT, named_keywords
from milp_pips.problem.stopping import OnProgress, running_deadline
from milp_pips.puzzles.family import Alternative, family_of
from milp_pips.puzzles.linear import LinearPuzzle
from milp_pips.puzzles.puzzle import Board
from milp_pips.tasks.pipeline import puzzle_of
from milp_pips.tasks.soft import ALL
from milp_pips.tasks.solve import solve

if TYPE_CHECKING:
    from milp_pips.extras.explain.groups import ConstraintGroup, GroupedProblem
    from milp_pips.extras.explain.model_explanation import ModelExplanation
    from milp_pips.puzzles.puzzle import Puzzle


@dataclass(frozen=True)
class Explanation(TaskResult):
    """The reasons or steps that were found for a puzzle.

    Parameters
    ----------
    puzzle, grouped
        The puzzle, and its problem as a set of items.
    status
        ``infeasible``, ``unique`` or ``several``, each confirmed; otherwise ``unknown``.
    stop
        The stopping criterion. The explanation holds everything found until then.
    reasons
        Minimal sets of items that clash, if there is no solution, the smallest first. They are the smallest
        that exist if those are found soon.
    repairs
        The items each of which is enough to remove for a solution to exist.
    together
        If no item is enough: the fewest rules to remove together, proved and confirmed to be fewest.
    steps
        The steps from the empty board to what all solutions share, or to a contradiction. Steps that nothing
        else depends on are left out.
    trace
        All steps that were found, including those left out of ``steps``.
    differing
        The values of each variable of the first key that has several values in the solutions.
    additions
        Changes that leave one solution, if there are several or none; None if none were looked for.
    confirmed_by
        The method that confirmed the status.
    remark
        A sentence that the reader must know; empty if there is none.
    seconds
        The time taken.
    """

    puzzle: Puzzle
    grouped: GroupedProblem
    status: str = "unknown"
    stop: Stop = Stop.FINISHED
    reasons: tuple[Clash, ...] = ()
    repairs: tuple[ConstraintGroup, ...] = ()
    together: tuple[ConstraintGroup, ...] = ()
    steps: tuple[Step, ...] = ()
    trace: tuple[Step, ...] = ()
    differing: Mapping[int, tuple[int, ...]] | None = None
    additions: Additions | None = None
    confirmed_by: str | None = None
    remark: str = ""
    seconds: float = 0.0


@named_keywords
def explain(
    puzzle: Puzzle | Problem,
    *,
    reasons: int = 3,
    additions: int = 5,
    seconds: float | None = None,
    deadline: Deadline | None = None,
    on_progress: OnProgress | None = None,
    on_step: Callable[[Explanation], object] | None = None,
) -> Explanation | ModelExplanation:
    """Return why the puzzle has no solution, or the steps from the empty board to what all solutions share.

    Of a linear model it returns why it has no solution, or grows for ever, in the words of the model.

    Parameters
    ----------
    puzzle
        A puzzle of any family, or a bare problem.
    reasons
        The number of minimal sets of clashing items to find, the smallest first.
    additions
        The number of changes to return that leave one solution if there are several or none; 0 skips the
        search.
    seconds, deadline
        A time limit, or a deadline that is already running. When it stops, ``explain`` returns what it has
        found until then.
    on_step
        Called with the explanation so far: as soon as a solution is known, and after each step. Without it, a
        progress line counts the steps.
    on_progress
        Called with each progress line; the logger ``milp_pips`` gets the same lines.

    Raises
    ------
    EngineFault
        If a solution breaks a rule, or the confirmation contradicts what the clauses proved.
    """
    puzzle = puzzle_of(puzzle, "explain")
    TIME_LIMIT.check(seconds)
    REASONS.check(reasons)
    ADDITIONS.check(additions)
    begun = time.perf_counter()
    with running_deadline(deadline, seconds, on_progress) as deadline:
        if isinstance(puzzle, LinearPuzzle):
            from milp_pips.extras.explain.model_reasons import explain_model  # by engines, unlike puzzles

            return explain_model(puzzle, deadline, reasons)
        deadline.progress.report(f"{puzzle.name}: searching for a solution")
        found = find_explanation(puzzle, deadline, reasons, additions, on_step, thin=True)
    return replace(found, seconds=time.perf_counter() - begun)


def find_explanation(
    puzzle: Puzzle,
    deadline: Deadline,
    reasons: int,
    additions: int,
    on_step: Callable[[Explanation], object] | None = None,
    *,
    thin: bool = False,
) -> Explanation:
    """Return what is found until the deadline stops; the arguments are those of ``explain``.

    ``thin`` leaves out of each step what it does not need.
    """
    explaining = Explaining(BoardAnalysis(puzzle, deadline), puzzle, on_step)
    try:
        if explaining.inquiry.has_solution():
            explaining.report()
            explaining.find_what_follows()
            explaining.find_additions(additions)
            explaining.find_steps(thin=thin)
        else:
            explaining.find_reasons(reasons)
            explaining.find_repairs()
            explaining.find_additions(additions)
    except OutOfTime:
        explaining.add(stop=deadline.stop or Stop.ERROR)
    return explaining.found


class Explaining:
    """Build an explanation step by step; ``found`` is what has been found so far."""

    def __init__(
        self, inquiry: BoardAnalysis, puzzle: Puzzle, on_step: Callable[[Explanation], object] | None
    ):
        self.inquiry, self._on_step = inquiry, on_step
        self.found = Explanation(puzzle, inquiry.grouped)

    def add(self, **found: Any) -> None:
        """Add fields to what has been found."""
        self.found = replace(self.found, **found)

    def find_what_follows(self) -> None:
        """Find what all solutions share, and confirm whether there is one solution or several."""
        differing, confirmed_by = self.inquiry.differing, self.inquiry.confirm()
        self.add(differing=differing, confirmed_by=confirmed_by)
        if differing:  # two solutions were found, and both obey the rules
            self.add(status="several")
        elif confirmed_by:
            self.add(status="unique")
        else:
            self.add(remark="nothing has confirmed that there is only one solution")

    def find_additions(self, most: int) -> None:
        """Find changes that leave one solution, if there are several or none."""
        inquiry, found = self.inquiry, self.found
        if not most or found.status not in ("several", "infeasible"):
            return
        problem = inquiry.problem
        if inquiry.space is None:
            self.add(additions=Additions(next(iter(problem.keys))))
            return
        reasons = [clash.items for clash in found.reasons if clash.confirmed_by]
        clashes = [{problem.constraints[item.rule] for item in items if item.rule >= 0} for items in reasons]
        alternatives = _alternatives(found.puzzle, problem)
        changes = find_additions(problem, inquiry.space, alternatives, clashes, most, inquiry.deadline)
        self.add(additions=changes)

    def find_steps(self, *, thin: bool) -> None:
        """Find the steps and report each as soon as it is found; ``thin`` each once it is needed, or none."""
        trace, left, kept, waiting = list[Step](), list[Step](), dict[int, Step](), list[Step]()

        def keep(step: Step) -> Step:
            kept[id(step)] = self.inquiry.trace.thinned(step)
            return kept[id(step)]

        def add() -> None:
            self.add(trace=tuple(trace), steps=tuple(merged_one_by_one(left)))

        try:
            for step in self.inquiry.steps():
                trace.append(step)
                if thin:
                    needed([*waiting, step], keep)
                    waiting = [each for each in (*waiting, step) if id(each) not in kept]
                    left = [kept[id(each)] for each in trace if id(each) in kept]
                if self._on_step:
                    add()
                self.report(len(trace))
            left = left if thin else needed(trace)
        finally:
            add()

    def report(self, steps: int = 0) -> None:
        """Call ``on_step`` with what has been found so far; without it, report the number of steps."""
        if self._on_step is None:
            self.inquiry.deadline.progress.report(f"{self.found.puzzle.name}: steps so far: {steps}")
        else:
            self._on_step(self.found)

    def find_reasons(self, most: int) -> None:
        """Find one reason quickly, then the smallest. Confirm each, and explain it by steps."""
        steps = refutation(self.inquiry.grouped, self.inquiry.everything, self.inquiry.look)
        self.add(trace=steps, steps=steps)
        reasoner = self.inquiry.reasoner
        found: dict[tuple[int, ...], Clash] = {}
        if quick := first_clash(reasoner, steps):
            found[tuple(quick)] = self._judged(quick)
            self._keep(found.values())
        for numbers, least in islice(clashes(reasoner), most):
            if tuple(numbers) not in found:
                found[tuple(numbers)] = self._judged(numbers)
            for known, clash in found.items():
                found[known] = replace(clash, smallest=len(known) <= least)
            self._keep(sorted(found.values(), key=size_of)[:most])

    def _judged(self, numbers: Sequence[int]) -> Clash:
        """Return the items with these numbers as a reason, confirmed and proved minimal if possible."""
        inquiry = self.inquiry
        clash = Clash(tuple(inquiry.grouped.items[i] for i in numbers))
        return replace(
            clash,
            minimal=proved_minimal(inquiry.reasoner, clash),
            confirmed_by=confirm_clash(inquiry.grouped, clash, inquiry.deadline),
            steps=refutation(inquiry.grouped, numbers, inquiry.look),
        )

    def _keep(self, found: Iterable[Clash]) -> None:
        """Keep these reasons, and set the status that they prove."""
        reasons = tuple(found)
        confirmed_by = next((clash.confirmed_by for clash in reasons if clash.confirmed_by), None)
        self.add(reasons=reasons, confirmed_by=confirmed_by)
        if confirmed_by:
            self.add(status="infeasible", remark="")
        else:
            remark = f"{self.inquiry.who} reports no solution, but nothing has confirmed it"
            self.add(status="unknown", remark=remark)

    def find_repairs(self) -> None:
        """Find the items each of which is enough to remove: they occur in every reason."""
        items = self.inquiry.grouped.items
        common = set.intersection(*(set(clash.items) for clash in self.found.reasons))
        numbers = [i for i, item in enumerate(items) if item in common]
        found = repairs(self.inquiry.reasoner, numbers)
        self.add(repairs=tuple(items[i] for i in found))
        if not found:
            self._find_fewest_rules()

    def _find_fewest_rules(self) -> None:
        """Find the fewest rules that must be removed together; none if that is not proved in time."""
        problem, items = self.inquiry.problem, self.inquiry.grouped.items
        if not any(item.kind == "rule" and item.label for item in items):
            return
        found = solve(problem, soft={ALL: 1}, deadline=self.inquiry.deadline)
        if found.objective is not None and found.objective.is_optimal and found.objective.confirmed_by:
            broken = tuple(item for item in items if item.kind == "rule" and item.label in found.broken)
            self.add(together=broken)


def _alternatives(puzzle: Puzzle, problem: Problem) -> list[Alternative]:
    """Return alternative rules for the puzzle. Raises FamilyFault if the family returns invalid ones."""
    family = family_of(puzzle)
    if family.alternatives is None:
        return exact_sums(problem)
    found = family.alternatives(puzzle)
    for one in found:
        if not isinstance(one, Alternative):
            raise FamilyFault(f"the family {family.name} calls {shown(one)} an alternative")
        if one.replaced is not None and one.replaced not in problem.constraints:
            raise FamilyFault(
                f"the family {family.name} has an alternative to a rule that {puzzle.name} does not have"
            )
    return found


@named_keywords
def steps(
    puzzle: Puzzle | Problem,
    board: Board | None = None,
    *,
    seconds: float | None = None,
    deadline: Deadline | None = None,
) -> Iterator[Step]:
    """Yield the steps from the board to what all solutions share, the easiest one for a person next.

    Parameters
    ----------
    puzzle
        A puzzle of any family.
    board
        The values that the player has filled in, see ``hint``; None for an empty board.
    seconds, deadline
        A time limit, or a deadline that is already running.

    Raises
    ------
    UsageError
        If the board has no solution; ``explain`` and ``hint`` state why.
    Unfinished
        If the deadline stops the search.
    EngineFault
        If a step does not hold in all solutions.
    """
    puzzle = puzzle_for_players(puzzle, "steps")
    TIME_LIMIT.check(seconds)
    with running_deadline(deadline, seconds) as deadline:
        try:
            inquiry = BoardAnalysis(puzzle, deadline, board)
            if not inquiry.has_solution():
                raise UsageError(f"{puzzle.name}: no steps, because there is no solution")
            yield from map(inquiry.trace.thinned, inquiry.steps())
        except OutOfTime:
            raise Unfinished("the next step was not found", deadline.stop or Stop.ERROR) from None
