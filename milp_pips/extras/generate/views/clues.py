"""The fewest cells to show as text, JSON and a picture."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias, TypedDict

from milp_pips.extras.explain.picture import mark
from milp_pips.extras.explain.records import Records
from milp_pips.extras.explain.text import Words
from milp_pips.extras.explain.text.phrases import counted
from milp_pips.extras.explain.views.json import FactRecord
from milp_pips.extras.generate.clues import Clues, FewestClues
from milp_pips.problem.answer import Stop
from milp_pips.render.vocabulary import Drawing
from milp_pips.views.json import Fault, Natural, Seconds, record
from milp_pips.views.svg import drawing
from milp_pips.views.text import parts as parts
from milp_pips.views.text import summary


class CluesRecord(TypedDict):
    """The fewest cells to show for one solution to be left."""

    cells: list[FactRecord] | None
    """The cells with their values; null if none were found in time, or if no cells are enough."""
    possible: bool
    """Whether showing cells can leave this solution alone."""
    bound: Natural
    """It is proved that fewer cells are not enough."""
    unique_by: str | None
    """What confirmed that no other solution is left; null if nothing did."""
    bound_by: str | None
    """What confirmed the bound; null if nothing did or had to."""


class FewestCluesRecord(TypedDict):
    """The fewest cells to show for a puzzle to have one solution."""

    puzzle: str
    """The name of the puzzle."""
    key: str
    """The key by which solutions differ."""
    solutions: int | None
    """The number of solutions; null if they were not counted."""
    bound: Natural
    """It is proved that no solution is left alone by fewer cells."""
    found: list[CluesRecord]
    """The best cells or, with --each, the fewest cells for each solution."""
    stop: Stop
    """The stopping criterion."""
    seconds: Seconds
    """Wall-clock seconds."""


CluesLine: TypeAlias = FewestCluesRecord | Fault


@record.register(FewestClues)
def _(found: FewestClues) -> dict[str, Any]:
    told = Records(found.grouped)
    return {
        "puzzle": found.puzzle.name,
        "key": found.key,
        "solutions": found.solutions,
        "bound": found.bound,
        "found": [
            {
                "cells": None if one.facts is None else list(map(told.fact, one.facts)),
                "possible": one.is_possible,
                "bound": one.bound,
                "unique_by": one.unique_by,
                "bound_by": one.bound_by,
            }
            for one in found.found
        ],
        "stop": found.stop.value,
        "seconds": round(found.seconds, 6),
    }


@parts.register(FewestClues)
def _(found: FewestClues) -> Iterator[str | Drawing]:
    """Yield the cells for each solution, the board with the best ones, and the summary."""
    words = Words(found.puzzle, found.grouped)
    if len(found.found) > 1:
        for number, one in enumerate(found.found, 1):
            yield f"{number}. {_shown(one, words)}"
    elif found.best is not None and found.best.facts:
        yield f"Show that {words.facts(found.best.facts)}."
    if found.best is not None:
        yield found.drawing()
    yield found.summary()


def _shown(clues: Clues, words: Words) -> str:
    if clues.facts is None:
        return "no cells leave it alone" if not clues.is_possible else f"{clues.bound} cells or more"
    proved = "" if clues.is_fewest else f" (at least {clues.bound})"
    return f"{counted(len(clues.facts), 'cell')}{proved}: {words.facts(clues.facts)}"


@summary.register(FewestClues)
def _(found: FewestClues) -> str:
    """Return one line: how many cells, what is proved, and by what."""
    best, name = found.best, found.puzzle.name
    among = "" if found.solutions is None else f" of {found.solutions}"
    end = f" in {found.seconds:.3f} s" + ("" if found.stop is Stop.FINISHED else f"; stop: {found.stop}")
    if best is None or best.facts is None:
        why = "no cells leave" if found.stop is Stop.FINISHED else "no cells were found that leave"
        return f"{name}: {why} one {found.key}{among},{end}"
    if found.solutions == 1 and not best.facts:
        return f"{name}: there is one {found.key} already,{end}"
    less = "no fewer do" if found.is_fewest else f"at least {found.bound} are needed"
    by = [f"one {found.key} confirmed by {best.unique_by}"] if best.unique_by else []
    by += [f"the bound by {best.bound_by}"] if best.bound_by else []
    leave = "leaves" if len(best.facts) == 1 else "leave"
    what = f"{counted(len(best.facts), 'cell')} {leave} one {found.key}{among}, {less}"
    return f"{name}: {'; '.join([what, *([', '.join(by)] if by else [])])};{end}"


@drawing.register(FewestClues)
def _(found: FewestClues) -> Drawing:
    """Return the board with the best cells filled in."""
    facts = found.best.facts if found.best is not None and found.best.facts else ()
    return mark(found.puzzle, found.grouped, conclusions=facts)
