"""Explanations and hints as pictures."""

from __future__ import annotations

from typing import Any

from milp_pips.extras.explain.explain import Explanation
from milp_pips.extras.explain.facts import Fact
from milp_pips.extras.explain.hint import Hint
from milp_pips.extras.explain.picture import mark
from milp_pips.render.vocabulary import Drawing
from milp_pips.views.svg import drawing


@drawing.register(Explanation)
def _(found: Explanation) -> Drawing:
    """Return the board with one reason marked or, if there is none, with all conclusions filled in."""
    if found.reasons:
        return mark(found.puzzle, found.grouped, items=found.reasons[0].items)
    return mark(found.puzzle, found.grouped, [fact for step in found.trace for fact in step.conclusions])


def draw_reason(found: Explanation, number: int) -> Drawing:
    """Return the board with one reason marked."""
    return mark(found.puzzle, found.grouped, items=found.reasons[number].items)


@drawing.register(Hint)
def _(hint: Hint) -> Drawing:
    """Return the board with the shown parts of the step marked on it."""
    items, facts, conclusions = _told(hint)
    if hint.reason is not None:
        return mark(hint.puzzle, hint.grouped, hint.known, hint.reason.items)
    return mark(hint.puzzle, hint.grouped, hint.known, items, facts, conclusions)


def _told(hint: Hint) -> tuple[tuple[Any, ...], tuple[Fact, ...], tuple[Fact, ...]]:
    """Return the items, facts and conclusions that may be shown."""
    if hint.step is None:
        return (), (), ()
    told = hint.degrees
    return (
        hint.step.items,
        hint.step.facts if "why" in told else (),
        hint.step.conclusions if "move" in told else (),
    )
