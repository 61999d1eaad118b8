"""Rate the logical difficulty of a puzzle from the steps that lead to its solution."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import log2
from typing import TYPE_CHECKING

from milp_pips.constraints import DominoCover
from milp_pips.extras.explain.explain import explain
from milp_pips.extras.explain.facts import Step
from milp_pips.problem.answer import Stop
from milp_pips.problem.parameters import named_keywords
from milp_pips.problem.problem import Problem
from milp_pips.problem.result import TaskResult
from milp_pips.tasks.pipeline import puzzle_of

if TYPE_CHECKING:
    from milp_pips.problem.stopping import Deadline
    from milp_pips.puzzles.puzzle import Puzzle

# Logical difficulty: how hard a puzzle is for a person who reasons, computed from the trace of all steps.
#
# Every step takes thinking, which grows slowly with its cost, and searching, which takes longer on a larger
# board and with fewer open steps (Pelánek, *Difficulty rating of Sudoku puzzles*, 2014: the complexity of
# single steps, and how they depend on one another). With cost :math:`c` and :math:`o` open steps on a board
# of :math:`n` cells, the work of all steps on a board with dominoes is
#
# W = Σ log2(1 + c) · n / o
#
# and the score is 10 · log2(1 + W / 10): ten points more mean twice the work. On 27 of 30 days of published
# Pips, easy scores below medium and medium below hard (``benchmarks/reasons.py``). The formula was chosen on
# the same days; the number of cells alone would order 28 of them.
#
# Without dominoes every cell takes a step of its own, even if all steps are simple: the puzzle is long, not
# hard. The score then uses the thinking per cell and the hardest step, which is unavoidable:
#
# W / 10 = 12 · Σ c / n + max c
#
# A Sudoku of 9 rows that singles solve (they cost 3.6 at most) therefore scores below hard.

GRADES = {"easy": 0.0, "medium": 42.0, "hard": 57.0, "expert": 70.0}
"""The lowest score of each grade, chosen to separate published easy, medium and hard puzzles best."""

FLOORS = {"hard": 7.0, "expert": 14.0}
"""The lowest cost of the hardest step for each grade: a long chain of easy steps is not hard.

Of 30 published hard puzzles 29 have a step of cost 7, of the medium ones 13; 14 is the cost of the cheapest
step of three rules in them."""

PER_CELL = 12
"""The weight of the cost per cell, relative to the hardest step, on a board without dominoes."""


@dataclass(frozen=True, slots=True)
class Rating:
    """The logical difficulty of a puzzle, and the figures behind it.

    Parameters
    ----------
    score, grade
        See the comment at the top of the module, ``GRADES`` and ``FLOORS``.
    hardest, cost
        The cost of the hardest step, and of all steps together.
    steps
        The number of steps.
    open
        The average number of steps that were available.
    """

    score: float
    grade: str
    hardest: float
    cost: float
    steps: int
    open: float


def rating_of(problem: Problem, steps: Sequence[Step]) -> Rating:
    """Return the rating of a problem whose trace has these steps, including those that nothing depends on."""
    partners = {v for c in problem.constraints if isinstance(c, DominoCover) for v in c.partners}
    cells = len(problem.variables) - len(partners)
    hardest, cost = max((step.cost for step in steps), default=0.0), sum(step.cost for step in steps)
    if partners:
        work = sum(log2(1 + step.cost) * cells / step.open for step in steps) / 10
    else:
        work = PER_CELL * cost / max(1, cells) + hardest
    score = round(10 * log2(1 + work), 1)
    return Rating(
        score,
        grade_of(score, hardest),
        hardest,
        round(cost, 2),
        len(steps),
        round(sum(step.open for step in steps) / max(1, len(steps)), 1),
    )


def grade_of(score: float, hardest: float) -> str:
    """Return the highest grade whose limits the score and the cost of the hardest step both reach."""
    enough = [g for g, least in GRADES.items() if score >= least and hardest >= FLOORS.get(g, 0.0)]
    return enough[-1]


def told_grades() -> str:
    """Return a description of the grades: ``hard from 57 on, with a step of 7 or more``."""
    floors = {grade: f" with a step of {floor:g} or more" for grade, floor in FLOORS.items()}
    return ", ".join(f"{grade} from {least:g} on{floors.get(grade, '')}" for grade, least in GRADES.items())


@dataclass(frozen=True)
class RatedPuzzle(TaskResult):
    """The logical difficulty of a puzzle.

    Parameters
    ----------
    puzzle
        The puzzle.
    status
        As in ``Explanation``. If a puzzle has several solutions, the rating covers the steps that hold in all
        of them; after these, a player can choose.
    rating
        None if there is no solution, or if not all steps were found.
    needed
        The number of steps that others depend on: those that ``explain`` prints.
    stop
        The stopping criterion.
    confirmed_by
        The method that confirmed the status.
    seconds
        The time taken.
    """

    puzzle: Puzzle
    status: str
    rating: Rating | None
    needed: int | None
    stop: Stop
    confirmed_by: str | None
    seconds: float


@named_keywords
def rate(
    puzzle: Puzzle | Problem,
    *,
    seconds: float | None = None,
    deadline: Deadline | None = None,
    tell: Callable[[int], object] = lambda _step: None,
) -> RatedPuzzle:
    """Return the logical difficulty of the puzzle; ``milp_pips.extras.explain.rate`` defines the measure.

    ``seconds``, ``deadline``, ``tell`` and the exceptions are those of ``explain``.
    """
    puzzle = puzzle_of(puzzle, "rate")
    found = explain(puzzle, reasons=1, additions=0, seconds=seconds, deadline=deadline, tell=tell)
    rated = found.status in ("unique", "several") and found.stop is Stop.FINISHED
    rating = rating_of(found.grouped.problem, found.trace) if rated else None
    needed = len(found.steps) if rated else None
    return RatedPuzzle(puzzle, found.status, rating, needed, found.stop, found.confirmed_by, found.seconds)
