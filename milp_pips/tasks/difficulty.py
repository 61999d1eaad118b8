"""How hard new puzzles are to be, and how hard one is."""

from __future__ import annotations

from math import inf, nextafter
from typing import TYPE_CHECKING, NamedTuple

from milp_pips.answer import Stop
from milp_pips.diagram import Unfinished
from milp_pips.errors import UsageError
from milp_pips.reasons.rating import GRADES, Rating, rating_of
from milp_pips.reasons.reasoner import OutOfTime
from milp_pips.tasks.inquiry import Inquiry

if TYPE_CHECKING:
    from milp_pips.puzzles.family import Puzzle
    from milp_pips.watch import Watch


class Difficulty(NamedTuple):
    """How hard a puzzle is to be: its least and its greatest score, and how that is said."""

    least: float
    most: float
    words: str

    def __str__(self) -> str:
        return self.words

    def fits(self, rating: Rating) -> bool:
        """Whether a puzzle is as hard."""
        return self.least <= rating.score <= self.most


def difficulty_of(grade: str, score: tuple[float, float] | None) -> Difficulty | None:
    """Return what is wanted, None for any. Raises UsageError."""
    if grade and score:
        raise UsageError("a grade is a range of scores: leave one of the grade and the score out")
    if grade:
        if grade not in GRADES:
            raise UsageError(f"unknown grade {grade!r}; known: {', '.join(GRADES)}")
        beyond = [least for least in GRADES.values() if least > GRADES[grade]]
        return Difficulty(GRADES[grade], nextafter(min(beyond, default=inf), 0), f"is {grade}")
    if score is None:
        return None
    least, most = score
    if not 0 <= least <= most:
        raise UsageError(f"from {least:g} to {most:g}: no puzzle has such a score")
    return Difficulty(least, most, f"scores from {least:g} to {most:g}")


def rating_of_puzzle(puzzle: Puzzle, watch: Watch) -> Rating:
    """Return the logical difficulty of a puzzle that has a solution. Raises Unfinished by the watch."""
    try:
        inquiry = Inquiry(puzzle, watch)
        inquiry.has_solution()
        return rating_of(inquiry.problem, list(inquiry.trace.steps()))
    except OutOfTime:
        raise Unfinished("the puzzle was not rated", watch.stop or Stop.ERROR) from None
