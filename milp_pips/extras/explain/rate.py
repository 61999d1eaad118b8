"""Rate the logical difficulty of a puzzle from the steps that lead to its solution."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import log2
from typing import TYPE_CHECKING

from milp_pips.constraints import covers_of, partners_of
from milp_pips.extras.explain.explain import Explanation, find_explanation
from milp_pips.extras.explain.facts import Step
from milp_pips.extras.explain.techniques.story import LOOK, hardest_technique, needed
from milp_pips.problem.answer import Stop, TaskResult
from milp_pips.problem.parameters import TIME_LIMIT, named_keywords
from milp_pips.problem.problem import Problem
from milp_pips.problem.stopping import running_deadline
from milp_pips.tasks.pipeline import puzzle_of

if TYPE_CHECKING:
    from milp_pips.problem.stopping import Deadline
    from milp_pips.puzzles.puzzle import Puzzle

# Logical difficulty has two axes: length, and the hardest technique that is needed.
#
# The score follows the length. Each open cell counts 1, and each needed step half of what its price is above
# that of one look: ½ for counting, 1½ and ¼ per link for a chain
# (``milp_pips.extras.explain.techniques.story``). On 70 days of published Pips, 87 % of the easy, 74 % of the
# medium and 79 % of the hard puzzles have their grade; limits chosen on every other day give 74 to 91 % on
# the days between. Easy scores below medium and medium below hard on 92 % of the days; the number of cells
# alone orders as many (``benchmarks/reasons.py --row rating``). That the level is mostly the size is the
# puzzles' doing.
#
# Without dominoes every cell takes a step of its own, even if all steps are looks: the puzzle is long, not
# hard. The score then grows with the logarithm of the number of cells :math:`n`, with the average price above
# a look, and with the price :math:`h` of the hardest step, which is unavoidable:
#
# 5 + log2(1 + n) + 10 · Σ (price - 1) / 2n + h - 1

GRADES = {"easy": 0.0, "medium": 11.5, "hard": 19.5, "expert": 45.0}
"""The lowest score of each grade, chosen to separate published easy, medium and hard puzzles best."""

FLOORS = {"expert": 4.0}
"""The lowest price of the hardest step for each grade: no puzzle is for experts without a chain."""

BASE, PER_CELL = 5.0, 10.0
"""The score of the smallest board without dominoes, and the weight of the average price of its steps."""


@dataclass(frozen=True, slots=True)
class Rating:
    """The logical difficulty of a puzzle, and the figures behind it.

    Parameters
    ----------
    score, grade
        See the comment at the top of the module, ``GRADES`` and ``FLOORS``.
    hardest, cost
        The price of the hardest step that is needed, and of all needed steps together.
    technique
        The name of the hardest technique that is needed.
    steps
        The number of steps.
    open
        The average number of steps of one look that were available.
    """

    score: float
    grade: str
    hardest: float
    cost: float
    steps: int
    open: float
    technique: str = ""


def rating_of(problem: Problem, steps: Sequence[Step]) -> Rating:
    """Return the rating of a problem whose trace has these steps, including those that nothing depends on."""
    cells, has_dominoes = _open_cells(problem), bool(covers_of(problem.constraints))
    kept = needed(steps)
    above = sum(step.cost - LOOK for step in kept) / 2
    hardest = max(kept, key=lambda step: step.cost, default=None)
    price = LOOK if hardest is None else hardest.cost
    if has_dominoes:
        score = cells + above
    else:
        score = BASE + log2(1 + cells) + PER_CELL * above / max(1, cells) + price - LOOK
    return Rating(
        round(score, 1),
        grade_of(score, price),
        price,
        round(sum(step.cost for step in kept), 2),
        len(steps),
        round(sum(step.open for step in steps) / max(1, len(steps)), 1),
        "" if hardest is None else hardest_technique(hardest),
    )


def _open_cells(problem: Problem) -> int:
    partners = partners_of(problem.constraints)
    shown = (v for v in range(len(problem.variables)) if v not in partners and v not in problem.auxiliary)
    return sum(len(problem.variables[v].domain) > 1 for v in shown)


def least_score(problem: Problem) -> float:
    """Return a score that the problem has at least: that of its cells under dominoes, else 0."""
    return float(_open_cells(problem)) if covers_of(problem.constraints) else 0.0


def grade_of(score: float, hardest: float) -> str:
    """Return the highest grade whose limits the score and the cost of the hardest step both reach."""
    enough = [g for g, least in GRADES.items() if score >= least and hardest >= FLOORS.get(g, 0.0)]
    return enough[-1]


def grade_limits() -> str:
    """Return a description of the grades: ``expert from 45 on with a step of price 4 or more``."""
    floors = {grade: f" with a step of price {floor:g} or more" for grade, floor in FLOORS.items()}
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
        The number of steps that others depend on; ``explain`` prints fewer where it leaves out of a step what
        others were needed for.
    stop
        The stopping criterion.
    at_least
        The grade by the steps that were found, and so the lowest that it can have; empty without a solution.
    confirmed_by
        The method that confirmed the status.
    seconds
        The time taken.
    """

    puzzle: Puzzle
    status: str
    rating: Rating | None
    needed: int | None
    at_least: str
    stop: Stop
    confirmed_by: str | None
    seconds: float


@named_keywords
def rate(
    puzzle: Puzzle | Problem,
    *,
    seconds: float | None = None,
    deadline: Deadline | None = None,
    on_step: Callable[[Rating], object] = lambda _rating: None,
) -> RatedPuzzle:
    """Return the logical difficulty of the puzzle; ``milp_pips.extras.explain.rate`` defines the measure.

    ``on_step`` is called with the rating by the steps so far: as soon as a solution is known, and after each
    step. No score is below the one before, and the last one is that of the puzzle. ``seconds``, ``deadline``
    and the exceptions are those of ``explain``.
    """
    puzzle, so_far, begun = puzzle_of(puzzle, "rate"), list[Rating](), time.perf_counter()
    TIME_LIMIT.check(seconds)
    with running_deadline(deadline, seconds) as running:

        def improve(found: Explanation) -> None:
            so_far[:] = [rating := rating_of(found.grouped.problem, found.trace)]
            running.progress.report(f"{puzzle.name}: at least {rating.grade}; steps so far: {rating.steps}")
            on_step(rating)

        found = find_explanation(puzzle, running, 1, 0, improve)
    rated = found.status in ("unique", "several") and found.stop is Stop.FINISHED
    return RatedPuzzle(
        puzzle,
        found.status,
        so_far[0] if rated else None,
        len(found.steps) if rated else None,
        so_far[0].grade if so_far else "",
        found.stop,
        found.confirmed_by,
        time.perf_counter() - begun,
    )
