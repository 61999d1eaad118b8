"""Why no solution contains a board: the reason that ``check`` gives."""

from __future__ import annotations

from typing import TYPE_CHECKING

from milp_pips.extras.explain.analysis import BoardAnalysis
from milp_pips.extras.explain.facts import Fact
from milp_pips.extras.explain.reasoner import OutOfTime
from milp_pips.extras.explain.records import Records
from milp_pips.extras.explain.refusal import InfeasibilityReason, explain_conflict
from milp_pips.extras.explain.text import Words
from milp_pips.problem.errors import EngineFault
from milp_pips.problem.stopping import Deadline, SubDeadline
from milp_pips.tasks.check import Verdict

if TYPE_CHECKING:
    from milp_pips.puzzles.board import Board
    from milp_pips.puzzles.puzzle import Puzzle

REASONING = 10.0
"""Seconds for looking why there is no solution, once it is known that there is none; a player would not wait
longer for more than that word."""


def judge_board(puzzle: Puzzle, board: Board, confirmed_by: str | None, deadline: Deadline) -> Verdict | None:
    """Return the verdict on a board that no engine could complete, with its reason; None where none is known.

    Raises EngineFault where there is a solution although ``confirmed_by`` confirmed that there is none.
    """
    try:
        inquiry = BoardAnalysis(puzzle, SubDeadline(deadline, REASONING), board)
        if inquiry.has_solution() and confirmed_by:
            raise EngineFault(f"{inquiry.who} has a solution that {confirmed_by} says there is not")
        if inquiry.point is not None:
            return Verdict(True)
        return _refused(puzzle, inquiry)
    except OutOfTime:
        return None


def _refused(puzzle: Puzzle, inquiry: BoardAnalysis) -> Verdict | None:
    """Return why no solution contains the board; None where no reason is confirmed. Raises OutOfTime."""
    no = explain_conflict(inquiry)
    if no.reason is None:
        return None
    if no.status == "wrong":
        return _told(puzzle, no, "wrong", "wrong: ")
    if all(item.kind != "move" for item in no.reason.items):
        return _told(puzzle, no, "dead", "no solution, whatever is filled in: ")
    reasoner = inquiry.reasoner
    for v, value in inquiry.moves.items():
        fact = Fact(v, value, True)
        if not reasoner.solve(inquiry.everything, [reasoner.literal(fact)]):
            alone = explain_conflict(BoardAnalysis(puzzle, inquiry.deadline, {v: value}))
            if alone.reason is not None:
                said = Words(puzzle, alone.grouped).fact(fact)
                return _told(puzzle, alone, "wrong", f"wrong: {said} in no solution. ")
    return _told(puzzle, no, "dead", "no solution from here: ")


def _told(puzzle: Puzzle, no: InfeasibilityReason, status: str, opening: str) -> Verdict:
    """Return the refusal as a verdict that begins with these words."""
    assert no.reason is not None
    sentence = Words(puzzle, no.grouped).clash(no.reason)
    reason = Records(no.grouped).clash(no.reason, sentence)
    return Verdict(False, opening + sentence, status, no.confirmed_by, reason)
