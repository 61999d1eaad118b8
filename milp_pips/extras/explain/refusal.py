"""Why there is no solution with what stands on the board: the shortest reason that is found, confirmed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice
from typing import NamedTuple

from milp_pips.extras.explain.analysis import BoardAnalysis, size_of
from milp_pips.extras.explain.clashes import clashes
from milp_pips.extras.explain.confirmation import confirm_clash
from milp_pips.extras.explain.costs import cost_of_item
from milp_pips.extras.explain.facts import Clash
from milp_pips.extras.explain.reasoner import Reasoner
from milp_pips.problem.answer import Stop
from milp_pips.problem.groups import GroupedProblem
from milp_pips.problem.problem import LinearSum

CANDIDATE_REASONS = 3
"""Reasons why a board leads nowhere, of which the shortest is told."""


class InfeasibilityReason(NamedTuple):
    """Why a board leads nowhere.

    Parameters
    ----------
    status
        ``wrong``: what stands on the board contradicts one rule, the dominoes or the board by itself.
        ``dead``: it takes several rules to see that there is no solution. ``unknown``: nothing has confirmed
        that there is none.
    grouped
        The puzzle taken apart, the moves among its items.
    reason
        Items that clash; no move among them where the puzzle has no solution whatever is filled in.
    stop, confirmed_by
        Why it stopped, and what confirmed that the items clash.
    """

    status: str
    grouped: GroupedProblem
    reason: Clash | None
    stop: Stop
    confirmed_by: str | None


def explain_conflict(inquiry: BoardAnalysis) -> InfeasibilityReason:
    """Return why there is no solution with what stands on the board. Raises OutOfTime."""
    grouped = inquiry.grouped.with_moves(inquiry.moves)
    reasoner = Reasoner(grouped, inquiry.deadline)
    stated = [i for i, item in enumerate(grouped.items) if item.kind != "move"]
    if not reasoner.solve(stated):
        status, clash = "dead", _shortest(Reasoner(inquiry.grouped, inquiry.deadline))
    elif broken := [_shrunk(reasoner, items) for items in _single(grouped) if not reasoner.solve(items)]:
        status, clash = "wrong", min(broken, key=size_of)
    else:
        status, clash = "dead", _shortest(reasoner)
    confirmed_by = confirm_clash(grouped, clash, inquiry.deadline)
    if not confirmed_by:
        return InfeasibilityReason("unknown", grouped, None, inquiry.deadline.stop or Stop.ERROR, None)
    return InfeasibilityReason(
        status, grouped, replace(clash, confirmed_by=confirmed_by), Stop.FINISHED, confirmed_by
    )


def _single(grouped: GroupedProblem) -> Iterator[list[int]]:
    """Yield what stands on the board with nothing else, with each rule, and with all dominoes."""
    rules: dict[object, list[int]] = {}
    for i, item in enumerate(grouped.items):
        if item.kind == "rule":
            rules.setdefault(item.rule if isinstance(item.piece, LinearSum) else (i,), []).append(i)
    standing = [i for i, item in enumerate(grouped.items) if item.kind in ("given", "move")]
    dominoes = [i for i, item in enumerate(grouped.items) if item.kind == "dominoes"]
    for group in ([], *rules.values(), dominoes):
        yield [*group, *standing]


def _shrunk(reasoner: Reasoner, items: Iterable[int]) -> Clash:
    """Return those of the items that are needed for their clash."""
    dear = sorted(items, key=lambda i: -cost_of_item(reasoner.grouped.items[i]))
    numbers, _ = reasoner.shrink(dear, ())
    return Clash(tuple(reasoner.grouped.items[i] for i in sorted(numbers)))


def _shortest(reasoner: Reasoner) -> Clash:
    """Return the shortest of a few minimal sets of items that clash."""
    found = [
        Clash(tuple(reasoner.grouped.items[i] for i in numbers), smallest=len(numbers) <= least)
        for numbers, least in islice(clashes(reasoner), CANDIDATE_REASONS)
    ]
    return min(found, key=size_of)
