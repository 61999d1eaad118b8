"""Find why no solution contains a board: the shortest reason found, confirmed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from milp_pips.extras.explain.analysis import BoardAnalysis, size_of
from milp_pips.extras.explain.clashes import clashes
from milp_pips.extras.explain.confirmation import confirm_clash
from milp_pips.extras.explain.facts import Clash, Fact
from milp_pips.extras.explain.groups import GroupedProblem
from milp_pips.extras.explain.reasoner import OutOfTime, Reasoner
from milp_pips.extras.explain.records import Records
from milp_pips.extras.explain.techniques.story import refutation
from milp_pips.extras.explain.text import Words
from milp_pips.problem import Deadline, EngineFault, SubDeadline
from milp_pips.tasks.results import Verdict

if TYPE_CHECKING:
    from milp_pips.puzzles.puzzle import Board, Puzzle

CANDIDATE_REASONS = 3
"""The number of reasons to find; the shortest of them is reported."""


class InfeasibilityReason(NamedTuple):
    """Why no solution contains a board.

    Parameters
    ----------
    status
        ``wrong``: the board contradicts one rule, the dominoes or the shape of the board.
        ``dead``: it takes several rules to see that there is no solution. ``unknown``: no method has
        confirmed that there is none.
    grouped
        The puzzle as a set of items that includes the player's moves.
    reason
        The items that clash, confirmed; without a move if the puzzle has no solution at all.
    """

    status: str
    grouped: GroupedProblem
    reason: Clash | None


def explain_conflict(inquiry: BoardAnalysis) -> InfeasibilityReason:
    """Return why no solution contains the board. Raises OutOfTime."""
    grouped = inquiry.grouped.with_moves(inquiry.moves)
    reasoner = Reasoner(grouped, inquiry.deadline)
    stated = [i for i, item in enumerate(grouped.items) if item.kind != "move"]
    if not reasoner.solve(stated):
        status, clash = "dead", _shortest(Reasoner(inquiry.grouped, inquiry.deadline))
    elif broken := [reasoner.clash() for items in _single(grouped) if not reasoner.solve(items)]:
        clashing = (Clash(tuple(grouped.items[i] for i in numbers)) for numbers in broken)
        status, clash = "wrong", min(clashing, key=size_of)
    else:
        status, clash = "dead", _shortest(reasoner)
    confirmed_by = confirm_clash(grouped, clash, inquiry.deadline)
    if not confirmed_by:
        return InfeasibilityReason("unknown", grouped, None)
    numbers = [i for i, item in enumerate(grouped.items) if item in clash.items]
    steps = refutation(grouped, numbers, inquiry.look)
    return InfeasibilityReason(status, grouped, replace(clash, confirmed_by=confirmed_by, steps=steps))


def _single(grouped: GroupedProblem) -> Iterator[list[int]]:
    """Yield the values on the board alone, then with each rule, then with all dominoes."""
    rules: dict[object, list[int]] = {}
    for i, item in enumerate(grouped.items):
        if item.kind == "rule":
            rules.setdefault(item.rule if item.part else (i,), []).append(i)
    standing = [i for i, item in enumerate(grouped.items) if item.is_value]
    dominoes = [i for i, item in enumerate(grouped.items) if item.kind == "dominoes"]
    for group in ([], *rules.values(), dominoes):
        yield [*group, *standing]


def _shortest(reasoner: Reasoner) -> Clash:
    """Return the shortest of a few minimal sets of items that clash."""
    found = [
        Clash(tuple(reasoner.grouped.items[i] for i in numbers), smallest=len(numbers) <= least)
        for numbers, least in islice(clashes(reasoner), CANDIDATE_REASONS)
    ]
    return min(found, key=size_of)


# The verdict of ``check`` on a board that no solution contains.

REASONING = 10.0
"""The seconds to look for a reason once it is known that there is no solution; a player would not wait longer
for more than that verdict."""


def judge_board(puzzle: Puzzle, board: Board, confirmed_by: str | None, deadline: Deadline) -> Verdict | None:
    """Return the verdict on a board that no engine could complete, with its reason; None if none is known.

    Raises EngineFault if there is a solution although ``confirmed_by`` confirmed that there is none.
    """
    try:
        inquiry = BoardAnalysis(puzzle, SubDeadline(deadline, REASONING), board)
        if inquiry.has_solution() and confirmed_by:
            raise EngineFault(f"{inquiry.who} found a solution, but {confirmed_by} proved that there is none")
        if inquiry.point is not None:
            return Verdict(True)
        return _refused(puzzle, inquiry)
    except OutOfTime:
        return None


def _refused(puzzle: Puzzle, inquiry: BoardAnalysis) -> Verdict | None:
    """Return why no solution contains the board; None if no reason is confirmed. Raises OutOfTime."""
    no = explain_conflict(inquiry)
    if no.reason is None:
        return None
    if no.status == "wrong":
        return _verdict(no, "wrong", "wrong: ")
    if all(item.kind != "move" for item in no.reason.items):
        return _verdict(no, "dead", "no solution, whatever is filled in: ")
    reasoner = inquiry.reasoner
    for v, value in inquiry.moves.items():
        fact = Fact(v, value, True)
        if not reasoner.solve(inquiry.everything, [reasoner.literal(fact)]):
            alone = explain_conflict(BoardAnalysis(puzzle, inquiry.deadline, {v: value}))
            if alone.reason is not None:
                said = Words(alone.grouped).facts([fact])
                return _verdict(alone, "wrong", f"wrong: {said} in no solution. ")
    return _verdict(no, "dead", "no solution from here: ")


def _verdict(no: InfeasibilityReason, status: str, opening: str) -> Verdict:
    """Return the reason as a verdict whose sentence begins with ``opening``."""
    assert no.reason is not None
    reason = Records(no.grouped).clash(no.reason)
    return Verdict(False, opening + reason["sentence"], status, no.reason.confirmed_by, reason)
