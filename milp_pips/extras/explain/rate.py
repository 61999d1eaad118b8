"""Rate a puzzle: how hard its logic is, from the steps that lead to its solution."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any

from milp_pips.extras.explain.explain import explain
from milp_pips.extras.explain.rating import Rating, rating_of
from milp_pips.problem.answer import Stop
from milp_pips.render.vocabulary import print_text
from milp_pips.tasks.pipeline import puzzle_of

if TYPE_CHECKING:
    from milp_pips.problem.problem import Problem
    from milp_pips.problem.stopping import Deadline
    from milp_pips.puzzles.puzzle import Puzzle


@dataclass(frozen=True)
class RatedPuzzle:
    """The logical difficulty of a puzzle.

    Parameters
    ----------
    puzzle
        The puzzle.
    status
        As of an ``Explanation``. Of a puzzle with several solutions the steps are rated that hold in all of
        them: a player who comes that far can choose.
    rating
        None where there is no solution, and where not all steps were found.
    needed
        How many of its steps something rests on: those that ``explain`` tells.
    stop
        Why rating stopped.
    confirmed_by
        What confirmed the status.
    seconds
        How long it took.
    """

    puzzle: Puzzle
    status: str
    rating: Rating | None
    needed: int | None
    stop: Stop
    confirmed_by: str | None
    seconds: float

    _repr_pretty_ = print_text

    def __str__(self) -> str:
        name, rating = self.puzzle.name, self.rating
        if rating is None:
            why = "no solution" if self.status == "infeasible" else f"no answer; stop: {self.stop}"
            return f"{name}: not rated: {why} (in {self.seconds:.3f} s)"
        several = ", to where several ways remain" if self.status == "several" else ""
        steps = f"{rating.steps} step{'' if rating.steps == 1 else 's'}, {self.needed} needed{several}"
        return (
            f"{name}: {rating.grade}, {rating.score:g} ({steps}; "
            f"hardest {rating.hardest:g}, all together {rating.cost:g}, {rating.open:g} open on average; "
            f"{self.seconds:.3f} s)"
        )

    def to_json(self) -> dict[str, Any]:
        """Return the rating as JSON-ready data, null where there is none."""
        none = dict.fromkeys(field.name for field in fields(Rating))
        return {
            "puzzle": self.puzzle.name,
            "status": self.status,
            **(asdict(self.rating) if self.rating else none),
            "needed": self.needed,
            "stop": self.stop.value,
            "confirmed_by": self.confirmed_by,
            "seconds": round(self.seconds, 6),
        }


def rate(
    puzzle: Puzzle | Problem,
    *,
    seconds: float | None = None,
    deadline: Deadline | None = None,
    tell: Callable[[int], object] = lambda _step: None,
) -> RatedPuzzle:
    """Return how hard the logic of the puzzle is; ``milp_pips.extras.explain.rating`` defines the measure.

    ``seconds``, ``deadline``, ``tell`` and what is raised are as for ``explain``.
    """
    puzzle = puzzle_of(puzzle, "rate")
    found = explain(puzzle, reasons=1, additions=0, seconds=seconds, deadline=deadline, tell=tell)
    rated = found.status in ("unique", "several") and found.stop is Stop.FINISHED
    rating = rating_of(found.grouped.problem, found.trace) if rated else None
    needed = len(found.steps) if rated else None
    return RatedPuzzle(puzzle, found.status, rating, needed, found.stop, found.confirmed_by, found.seconds)
