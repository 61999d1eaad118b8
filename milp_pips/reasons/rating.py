"""How hard a puzzle is for a person who reasons: logical difficulty, from the trace of all steps.

Every step takes thinking, which grows slowly with its cost, and looking for it, which takes the longer the
larger the board is and the fewer steps are open (Pelánek, *Difficulty rating of Sudoku puzzles*, 2014: the
complexity of single steps, and how they depend on one another). With cost :math:`c` and :math:`o` open steps
on a board of :math:`n` cells, the steps together take

    W = Σ log2(1 + c) · n / o

and the score is 10 · log2(1 + W / 10): ten points more are twice the work. Of 30 days of published Pips, easy
scores below medium and that below hard on 27 (``benchmarks/reasons.py``; the formula was chosen on the same
days, of which the number of cells alone would order 28).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log2

from milp_pips.problem import DominoCover, Problem
from milp_pips.reasons.facts import Step

GRADES = {"easy": 0.0, "medium": 42.0, "hard": 57.0, "expert": 70.0}
"""The score from which on a puzzle has the grade: where published easy, medium and hard ones divide best."""


@dataclass(frozen=True, slots=True)
class Rating:
    """The logical difficulty of a puzzle, and what it is made of.

    Parameters
    ----------
    score, grade
        See the module.
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
    work = sum(log2(1 + step.cost) * cells / step.open for step in steps)
    score = round(10 * log2(1 + work / 10), 1)
    return Rating(
        score,
        [grade for grade, least in GRADES.items() if score >= least][-1],
        max((step.cost for step in steps), default=0.0),
        round(sum(step.cost for step in steps), 2),
        len(steps),
        round(sum(step.open for step in steps) / max(1, len(steps)), 1),
    )
