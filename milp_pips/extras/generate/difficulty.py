"""How hard new puzzles are to be, and how hard one is."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from milp_pips.compilation.diagram import Unfinished
from milp_pips.extras.explain.analysis import BoardAnalysis
from milp_pips.extras.explain.rating import GRADES, Rating, rating_of
from milp_pips.extras.explain.reasoner import OutOfTime
from milp_pips.problem.answer import Stop
from milp_pips.problem.errors import UsageError, unknown_name

if TYPE_CHECKING:
    from milp_pips.problem.stopping import Deadline
    from milp_pips.puzzles.puzzle import Puzzle


class Difficulty(NamedTuple):
    """How hard a puzzle is to be: its grade; without one, its least and its greatest score."""

    grade: str = ""
    least: float = 0.0
    most: float = 0.0

    def __str__(self) -> str:
        return f"is {self.grade}" if self.grade else f"scores from {self.least:g} to {self.most:g}"

    def fits(self, rating: Rating) -> bool:
        """Whether a puzzle is as hard."""
        return rating.grade == self.grade if self.grade else self.least <= rating.score <= self.most

    def is_exceeded(self, rating: Rating) -> bool:
        """Whether a puzzle is harder."""
        if self.grade:
            grades = list(GRADES)
            return grades.index(rating.grade) > grades.index(self.grade)
        return rating.score > self.most


def difficulty_of(grade: str, score: tuple[float, float] | None) -> Difficulty | None:
    """Return what is wanted, None for any. Raises UsageError."""
    if grade and score:
        raise UsageError("a grade is a range of scores: leave one of the grade and the score out")
    if grade:
        if grade not in GRADES:
            raise unknown_name("grade", grade, GRADES)
        return Difficulty(grade)
    if score is None:
        return None
    least, most = score
    if not 0 <= least <= most:
        raise UsageError(f"from {least:g} to {most:g}: no puzzle has such a score")
    return Difficulty("", least, most)


def rating_of_puzzle(puzzle: Puzzle, deadline: Deadline) -> Rating:
    """Return the logical difficulty of a puzzle that has a solution. Raises Unfinished by the deadline."""
    try:
        inquiry = BoardAnalysis(puzzle, deadline)
        inquiry.has_solution()
        return rating_of(inquiry.problem, list(inquiry.trace.steps()))
    except OutOfTime:
        raise Unfinished("the puzzle was not rated", deadline.stop or Stop.ERROR) from None
