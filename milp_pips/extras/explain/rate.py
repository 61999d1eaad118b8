"""Rate the logical difficulty of a puzzle from the steps that lead to its solution."""

from __future__ import annotations

import time
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from milp_pips.constraints import covers_of, partners_of
from milp_pips.extras.explain.analysis import puzzle_for_players
from milp_pips.extras.explain.explain import Explanation, find_explanation
from milp_pips.extras.explain.facts import Step
from milp_pips.extras.explain.techniques.story import LOOK, hardest_technique, needed
from milp_pips.problem.answer import Stop, TaskResult
from milp_pips.problem.parameters import TIME_LIMIT, named_keywords
from milp_pips.problem.problem import Problem
from milp_pips.problem.stopping import running_deadline

if TYPE_CHECKING:
    from milp_pips.problem.stopping import Deadline
    from milp_pips.puzzles.puzzle import Puzzle

# Logical difficulty has two axes, each from 1 to 5: how long a puzzle is, and how hard its steps are.
#
# The length follows the score: each open cell counts 1, and each step a fifth. Without dominoes every cell
# takes a step of its own, and a quarter of that counts. The hardness follows the hardest step that is needed,
# and where all are looks, how many there are to choose from.
#
# Both give the grade. On 70 days of published Pips, 96 % of the easy, 73 % of the medium and 87 % of the hard
# puzzles have their level as grade; by the score alone it could be 99, 86 and 89 %, but no puzzle of eight
# dominoes could be easy, however simple its steps are (``benchmarks/reasons.py --row rating``).

LONGER = (15.5, 22.0, 25.0, 45.0)
"""The least score of each length after the first."""

PER_STEP, WITHOUT_DOMINOES = 0.2, 0.25
"""What a step adds to the score, and the weight of a board without dominoes."""

FEW_LOOKS, FEW_NARROW = 4, 4
"""The number of looks to choose from that are few, and of points with so few at which all is simple yet."""

VERY_HARD = 10.0
"""The price from which a step is of the hardest kind: a chain of twelve links, or a search."""

CHAINED = 4
"""The hardness of a puzzle that takes a chain, none of the hardest kind."""

BY_BOTH = (
    ("easy", "easy", "medium", "hard", "hard"),
    ("easy", "medium", "medium", "hard", "hard"),
    ("easy", "medium", "medium", "hard", "hard"),
    ("medium", "medium", "medium", "hard", "hard"),
    ("hard", "hard", "hard", "expert", "expert"),
)
"""The grade by hardness and length."""

BY_HARDNESS = ("easy", "easy", "medium", "hard", "expert")
"""The grade without dominoes: boards of one size are all about as long."""

LENGTHS = ("short", "rather short", "of medium length", "long", "very long")

STEPS = (
    "every step is simple",
    "every step is a look, with few to choose from",
    "some steps take more than a look",
    "it takes a chain from a guess",
    "its hardest steps are very hard",
)
"""Each hardness in words."""

GRADE_LIMITS = (
    f"easy below {LONGER[0]:g} points, and below {LONGER[1]:g} if every step is simple; medium below "
    f"{LONGER[2]:g}, or if a chain is needed; expert is what is hard and has steps of price {VERY_HARD:g} or "
    "more. Without dominoes the hardest step decides"
)
"""A description of the grades."""


@dataclass(frozen=True, slots=True)
class Rating:
    """The logical difficulty of a puzzle, and the figures behind it.

    Parameters
    ----------
    score, grade
        See the comment at the top of the module.
    length, hardness
        How long the puzzle is, and how hard its steps are, from 1 to 5.
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
    length: int
    hardness: int
    hardest: float
    cost: float
    steps: int
    open: float
    technique: str = ""

    @property
    def description(self) -> str:
        """Both axes in words: ``long, but every step is simple``."""
        contrast = (self.length > 2) != (self.hardness > 2)
        return f"{LENGTHS[self.length - 1]}, {'but' if contrast else 'and'} {STEPS[self.hardness - 1]}"


def rating_of(problem: Problem, steps: Sequence[Step]) -> Rating:
    """Return the rating of a problem whose trace has these steps, including those that nothing depends on.

    With more steps, neither score nor grade is lower.
    """
    has_dominoes = bool(covers_of(problem.constraints))
    kept = needed(steps)
    hardest = max(kept, key=lambda step: step.cost, default=None)
    price = LOOK if hardest is None else hardest.cost
    score = (_open_cells(problem) + PER_STEP * len(steps)) * (1 if has_dominoes else WITHOUT_DOMINOES)
    length, hardness = 1 + bisect_right(LONGER, score), _hardness(steps, kept, price)
    return Rating(
        round(score, 1),
        BY_BOTH[hardness - 1][length - 1] if has_dominoes else BY_HARDNESS[hardness - 1],
        length,
        hardness,
        price,
        round(sum(step.cost for step in kept), 2),
        len(steps),
        round(sum(step.open for step in steps) / max(1, len(steps)), 1),
        "" if hardest is None else hardest_technique(hardest),
    )


def _hardness(steps: Sequence[Step], kept: Sequence[Step], price: float) -> int:
    """Return how hard the steps are, from 1 to 5."""
    if any(step.technique in ("chain", "gap") for step in kept):
        return 5 if price >= VERY_HARD else CHAINED
    if price > LOOK:
        return 3
    return 1 if sum(step.open <= FEW_LOOKS for step in steps) <= FEW_NARROW else 2


def _open_cells(problem: Problem) -> int:
    partners = partners_of(problem.constraints)
    shown = (v for v in range(len(problem.variables)) if v not in partners and v not in problem.auxiliary)
    return sum(len(problem.variables[v].domain) > 1 for v in shown)


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
    on_step: Callable[[Rating], object] | None = None,
) -> RatedPuzzle:
    """Return the logical difficulty of the puzzle; ``milp_pips.extras.explain.rate`` defines the measure.

    ``on_step`` is called with the rating by the steps so far: as soon as a solution is known, and after each
    step. No score is below the one before, and the last one is that of the puzzle. ``seconds``, ``deadline``
    and the exceptions are those of ``explain``.
    """
    puzzle, so_far, begun = puzzle_for_players(puzzle, "rate"), list[Explanation](), time.perf_counter()
    TIME_LIMIT.check(seconds)
    with running_deadline(deadline, seconds) as running:

        def improve(found: Explanation) -> None:
            so_far[:] = [found]
            if on_step is None and running.progress.listener is None:
                return  # without a listener, only the rating of all steps is used
            rating = rating_of(found.grouped.problem, found.trace)
            running.progress.report(f"{puzzle.name}: at least {rating.grade}; steps so far: {rating.steps}")
            if on_step is not None:
                on_step(rating)

        found = find_explanation(puzzle, running, 1, 0, improve)
    rating = rating_of(so_far[0].grouped.problem, so_far[0].trace) if so_far else None
    rated = found.status in ("unique", "several") and found.stop is Stop.FINISHED
    return RatedPuzzle(
        puzzle,
        found.status,
        rating if rated else None,
        len(found.steps) if rated else None,
        rating.grade if rating else "",
        found.stop,
        found.confirmed_by,
        time.perf_counter() - begun,
    )
