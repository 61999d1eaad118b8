"""Give a hint: the next step from a board, in the requested detail, or why no solution contains it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from milp_pips.extras.explain.analysis import BoardAnalysis, puzzle_for_players
from milp_pips.extras.explain.facts import Clash, Fact, Step
from milp_pips.extras.explain.parameters import DEGREES, FURTHER, NUDGE
from milp_pips.extras.explain.reasoner import OutOfTime
from milp_pips.extras.explain.records import Records
from milp_pips.extras.explain.refusal import explain_conflict
from milp_pips.extras.explain.techniques.joining import may_grow, merged
from milp_pips.problem.answer import Stop, TaskResult
from milp_pips.problem.errors import unknown_name
from milp_pips.problem.parameters import TIME_LIMIT, named_keywords
from milp_pips.problem.stopping import Deadline, running_deadline
from milp_pips.puzzles.puzzle import Board

if TYPE_CHECKING:
    from milp_pips.extras.explain.groups import GroupedProblem
    from milp_pips.extras.explain.techniques.story import Story
    from milp_pips.problem.problem import Problem
    from milp_pips.puzzles.puzzle import Puzzle

OnSearch = Callable[[str, str], object]
"""Called with a sentence, and with the name of the cell that it is about."""

NO_SHORT_STEP = "Nothing on the board is wrong, but no short step is left."
"""What is known before the search for a long step begins."""

NOT_COUNTED = "On so large a board only the rules were looked at, not how many dominoes of a kind there are."
"""The remark of a hint that is based on the rules alone."""


@dataclass(frozen=True)
class Hint(TaskResult):
    """A hint for a player.

    ``str``, ``to_json`` and the picture show no more of the step than ``reveal`` allows; the fields hold all
    of it.

    Parameters
    ----------
    puzzle, grouped
        The puzzle, and its problem as a set of items that includes the player's moves.
    status
        ``step``: there is a next step. ``solved``: every cell is filled in, or would be by the steps skipped
        or by earlier hints. ``several``: nothing more follows, but several solutions remain. ``wrong``: the
        board contradicts one rule, the dominoes or the shape of the board. ``dead``: the board has no
        solution, but it takes several rules to see that. ``unknown``.
    reveal
        One of ``DEGREES``.
    known
        The facts on the board, and the conclusions of the skipped steps.
    skipped
        The number of steps skipped; None if every cell is filled in.
    step
        The next step, if there is one.
    reason
        The items that clash, moves included, if the board is wrong or dead. If the puzzle has no solution at
        all, the items contain no move.
    stop
        The stopping criterion.
    confirmed_by
        The method that confirmed the step or the clash.
    again
        The number of steps after this one that are the same thought on other cells.
    remark
        What the hint did not take into account.
    seconds
        The time taken.
    """

    puzzle: Puzzle
    grouped: GroupedProblem
    status: str = "unknown"
    reveal: str = NUDGE
    known: tuple[Fact, ...] = ()
    skipped: int | None = None
    step: Step | None = None
    reason: Clash | None = None
    stop: Stop = Stop.FINISHED
    confirmed_by: str | None = None
    again: int = 0
    remark: str = ""
    seconds: float = 0.0

    @property
    def degrees(self) -> tuple[str, ...]:
        """The degrees of detail that may be shown."""
        return DEGREES[: DEGREES.index(self.reveal) + 1]


@named_keywords
def hint(
    puzzle: Puzzle | Problem,
    board: Board | None = None,
    *,
    reveal: str = NUDGE,
    further: int = 0,
    known: Sequence[Mapping[str, Any]] = (),
    seconds: float | None = None,
    deadline: Deadline | None = None,
    on_search: OnSearch | None = None,
) -> Hint:
    """Return the next step that is easiest for a person, or why there is none.

    Parameters
    ----------
    puzzle
        A puzzle of any family, or a bare problem.
    board
        The values on the board, by cell name such as ``r1c2`` or by the position of the variable; None for an
        empty board. ``read_board`` reads a board from a file.
    reveal
        How much to show: ``where`` to look, by which ``rule``, ``why``, or the ``move`` itself.
    further
        The number of steps to skip: steps that the player knows and that fill in no cell.
    known
        Conclusions of earlier hints, as in ``to_json``, whatever has been filled in since. Those that hold
        are taken as known, and the steps continue from them.
    seconds, deadline
        A time limit, or a deadline that is already running.
    on_search
        Called if no short step is left, before the search for a long one, which may take many seconds: with a
        sentence about the cell with the fewest values left, and with the name of that cell. It is not called
        if each open cell may still have all its values.

    Raises
    ------
    UsageError
        For an unknown degree, an invalid fact, a cell that is not on the board, or an impossible value.
    EngineFault
        If a step does not hold in all solutions, or the items of a reason do not clash.
    """
    puzzle = puzzle_for_players(puzzle, "hint")
    TIME_LIMIT.check(seconds)
    FURTHER.check(further)
    if reveal not in DEGREES:
        raise unknown_name("degree", reveal, DEGREES)
    begun = time.perf_counter()
    with running_deadline(deadline, seconds) as deadline:
        inquiry = BoardAnalysis(puzzle, deadline, board, quick=True)
        found = Hint(puzzle, inquiry.grouped, reveal=reveal, known=tuple(inquiry.known))
        facts = list(map(Records(inquiry.grouped).read_fact, known))
        try:
            by_rules = None
            if inquiry.is_large and not inquiry.is_full:
                rules = BoardAnalysis(puzzle, deadline, board, quick=True, counted=False)
                by_rules = _by_rules(rules, found, facts, further)
            found = by_rules or next_hint(inquiry, found, facts, further, on_search)
        except OutOfTime:
            found = replace(found, stop=deadline.stop or Stop.ERROR)
    return replace(found, seconds=time.perf_counter() - begun)


def _by_rules(inquiry: BoardAnalysis, found: Hint, concluded: Sequence[Fact], further: int) -> Hint | None:
    """Return a hint from the rules alone, for a large board; None if they give none. Raises OutOfTime."""
    if not inquiry.has_solution():
        return _refused(inquiry, found)
    if inquiry.is_refuted:
        return None
    found = _next(inquiry, found, concluded, further)
    return None if found.step is None else replace(found, remark=NOT_COUNTED)


def next_hint(
    inquiry: BoardAnalysis,
    found: Hint,
    concluded: Sequence[Fact],
    further: int = 0,
    on_search: OnSearch | None = None,
) -> Hint:
    """Return a hint from the rules and the domino counts. Raises OutOfTime."""
    if not inquiry.has_solution():
        return _refused(inquiry, found)
    if inquiry.is_full:
        return replace(found, status="solved")
    found = _next(inquiry, found, concluded, further, on_search)
    if found.step is None:
        found = replace(found, status="several" if inquiry.differing else "solved")
    return found


def _refused(inquiry: BoardAnalysis, found: Hint) -> Hint:
    """Return the hint that states why no solution contains the board. Raises OutOfTime."""
    no = explain_conflict(inquiry)
    found = replace(found, grouped=no.grouped, status=no.status, reason=no.reason)
    if no.reason is None:
        return replace(found, stop=inquiry.deadline.stop or Stop.ERROR)
    return replace(found, confirmed_by=no.reason.confirmed_by)


def _next(
    inquiry: BoardAnalysis,
    found: Hint,
    concluded: Sequence[Fact],
    further: int,
    on_search: OnSearch | None = None,
) -> Hint:
    """Return the step after ``further`` others, if there is one. Raises OutOfTime."""
    inquiry.know(concluded)
    found = replace(found, known=tuple(inquiry.known))
    skipped = 0
    for step in map(inquiry.trace.thinned, _steps(inquiry, on_search)):
        confirmed_by = inquiry.certify(step)
        if skipped == further:
            found = replace(found, status="step", skipped=skipped, step=step, confirmed_by=confirmed_by)
            return replace(found, again=_again(step, inquiry.trace))
        skipped += 1
        found = replace(found, known=(*found.known, *step.conclusions))
    return replace(found, skipped=skipped)


def _steps(inquiry: BoardAnalysis, on_search: OnSearch | None) -> Iterator[Step]:
    """Yield the steps; before the first that takes a chain or a search, tell what is known already."""
    yield from inquiry.trace.plain_steps()
    if on_search and (narrowest := inquiry.trace.narrowest()):
        from milp_pips.extras.explain.text.phrases import Phrases  # hints without sentences do not need it

        phrases, (v, values) = Phrases(inquiry.grouped), narrowest
        cell = phrases.cell(v)
        on_search(f"{NO_SHORT_STEP} So far {cell} can only be {phrases.values(values)}.", cell)
    yield from inquiry.trace.steps()


def _again(step: Step, trace: Story) -> int:
    """Return how many of the next steps are the same thought as this one, on other cells.

    None of them takes a chain, whose search may take many times as long as the step.
    """
    times = 0
    with suppress(OutOfTime):
        for following in map(trace.thinned, trace.plain_steps()) if may_grow(step) else ():
            if merged(step, following) is None:
                break
            times += 1
    return times
