"""How hard a puzzle is for a person who reasons: logical difficulty, from the trace of all steps.

Every step takes thinking, which grows slowly with its cost, and looking for it, which takes the longer the
larger the board is and the fewer steps are open (Pelánek, *Difficulty rating of Sudoku puzzles*, 2014: the
complexity of single steps, and how they depend on one another). With cost :math:`c` and :math:`o` open steps
on a board of :math:`n` cells, the steps of a board with dominoes together take

    W = Σ log2(1 + c) · n / o

and the score is 10 · log2(1 + W / 10): ten points more are twice the work. Of 30 days of published Pips, easy
scores below medium and that below hard on 27 (``benchmarks/reasons.py``; the formula was chosen on the same
days, of which the number of cells alone would order 28).

Without dominoes every cell takes a step of its own, even where all are simple: that is long, not hard. What
counts is the thinking per cell, and the hardest step, without which nobody comes to the end:

    W / 10 = 12 · Σ c / n + max c

so that a Sudoku of 9 rows for which singles are enough, which cost 3.6 at most, scores below hard.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log2

from milp_pips.extras.explain.facts import Step
from milp_pips.problem.problem import DominoCover, Problem

GRADES = {"easy": 0.0, "medium": 42.0, "hard": 57.0, "expert": 70.0}
"""The score from which on a puzzle has the grade: where published easy, medium and hard ones divide best."""

FLOORS = {"hard": 7.0, "expert": 14.0}
"""What the hardest step of a puzzle of the grade costs at least: a long chain of easy steps is not hard.

Of the published hard ones 29 of 30 have a step of 7, of the medium ones 13; 14 is what the cheapest step of
three rules costs there."""

PER_CELL = 12
"""How much the cost per cell of a board without dominoes counts beside that of the hardest step."""


@dataclass(frozen=True, slots=True)
class Rating:
    """The logical difficulty of a puzzle, and what it is made of.

    Parameters
    ----------
    score, grade
        See the module, ``GRADES`` and ``FLOORS``.
    hardest, cost
        The cost of the hardest step, and of all together.
    steps
        How many steps there are.
    open
        How many steps there were to choose from, on average.
    """

    score: float
    grade: str
    hardest: float
    cost: float
    steps: int
    open: float


def rating_of(problem: Problem, steps: Sequence[Step]) -> Rating:
    """Return the rating of a problem whose trace has these steps, those that turn out idle among them."""
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
    """Return the highest grade for which both the score and the cost of the hardest step are enough."""
    enough = [g for g, least in GRADES.items() if score >= least and hardest >= FLOORS.get(g, 0.0)]
    return enough[-1]


def told_grades() -> str:
    """Return from where on a puzzle has each grade: ``hard from 57 on, with a step of 7 or more``."""
    floors = {grade: f" with a step of {floor:g} or more" for grade, floor in FLOORS.items()}
    return ", ".join(f"{grade} from {least:g} on{floors.get(grade, '')}" for grade, least in GRADES.items())
