"""Generated puzzles, and what is found out for setters, as text, JSON and pictures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Annotated, Any, NotRequired, TypeAlias, TypedDict

from milp_pips.extras.explain.picture import mark
from milp_pips.extras.explain.records import Records
from milp_pips.extras.explain.text import Words
from milp_pips.extras.explain.text.phrases import counted
from milp_pips.extras.explain.views.json import FactRecord
from milp_pips.extras.generate.clues import Clues, FewestClues
from milp_pips.extras.generate.fitting import GeneratedPuzzle
from milp_pips.problem.answer import Stop
from milp_pips.puzzles.registry import family_of
from milp_pips.render.vocabulary import Drawing
from milp_pips.tasks.convert import draw
from milp_pips.views.json import Fault, Natural, Seconds, Solution, record
from milp_pips.views.svg import drawing
from milp_pips.views.text import parts as parts
from milp_pips.views.text import summary


class GenerateRecord(TypedDict):
    """A new puzzle."""

    puzzle: str
    """The name of the puzzle."""
    family: str
    """The family of the puzzle."""
    file: str | None
    """The file to which the puzzle was written."""
    solutions: int | None
    """Number of solutions of the puzzle; null if not counted."""
    tries: Annotated[int, ("minimum", 1)]
    """Number of puzzles tried."""
    score: NotRequired[float]
    """The logical difficulty of the puzzle, if requested."""
    grade: NotRequired[str]
    """The score as one word."""
    solution: Solution
    """The hidden solution."""


GenerateLine: TypeAlias = GenerateRecord | Fault


@parts.register(GeneratedPuzzle)
def _(made: GeneratedPuzzle) -> Iterable[str | Drawing]:
    return [draw(made.puzzle)]


@summary.register(GeneratedPuzzle)
def _(made: GeneratedPuzzle) -> str:
    """Return what is known of the puzzle; empty if its solutions were not counted and it was not rated."""
    n, rating = made.solutions, made.rating
    notes = [] if n is None else [f"{n} solution{'s' * (n != 1)}"]
    return "; ".join([*notes, *([f"{rating.grade}, {rating.score:g}"] if rating else [])])


@drawing.register(GeneratedPuzzle)
def _(made: GeneratedPuzzle) -> Drawing:
    return draw(made.puzzle)


@record.register(GeneratedPuzzle)
def _(made: GeneratedPuzzle) -> dict[str, Any]:
    """Return the record of a puzzle that was not written to a file."""
    rated = {"score": made.rating.score, "grade": made.rating.grade} if made.rating else {}
    return {
        "puzzle": made.puzzle.name,
        "family": made.puzzle.family,
        "file": None,
        "solutions": made.solutions,
        "tries": made.tries,
        **rated,
        "solution": family_of(made.puzzle).to_json(made.puzzle, made.hidden),
    }


# The fewest cells to show.


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
