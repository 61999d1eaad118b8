"""New puzzles, the fewest cells to show and the loosest rules, as text, JSON and pictures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Annotated, Any, NotRequired, TypeAlias, TypedDict

from milp_pips.extras.explain.records import Records
from milp_pips.extras.explain.text import Words
from milp_pips.extras.explain.text.phrases import counted
from milp_pips.extras.explain.views.json import FactRecord
from milp_pips.extras.explain.views.svg import mark
from milp_pips.extras.generate.clues import Clues, FewestClues
from milp_pips.extras.generate.fitting import GeneratedPuzzle
from milp_pips.extras.generate.loosen import LoosestRules
from milp_pips.problem import Stop
from milp_pips.puzzles.family import family_of
from milp_pips.render.vocabulary import Drawing
from milp_pips.tasks.convert import draw
from milp_pips.views.json import Fault, Natural, Seconds, Solution, members, record
from milp_pips.views.svg import drawing
from milp_pips.views.text import parts as parts
from milp_pips.views.text import summary

# New puzzles.


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
    records = Records(found.grouped)
    each = [
        members(
            CluesRecord,
            one,
            cells=None if one.facts is None else list(map(records.fact, one.facts)),
            possible=one.is_possible,
        )
        for one in found.found
    ]
    return members(FewestCluesRecord, found, found=each)


@parts.register(FewestClues)
def _(found: FewestClues) -> Iterator[str | Drawing]:
    """Yield the cells for each solution, the board with the best ones, and the summary."""
    words = Words(found.grouped)
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
    best = found.best
    among = "" if found.solutions is None else f" of {found.solutions}"
    if best is None or best.facts is None:
        why = "no cells leave" if found.stop is Stop.FINISHED else "no cells were found that leave"
        return _line(found, f"{why} one {found.key}{among}")
    if found.solutions == 1 and not best.facts:
        return _line(found, f"there is one {found.key} already")
    less = "no fewer do" if found.is_fewest else _bound(found.bound)
    leave = "leaves" if len(best.facts) == 1 else "leave"
    what = f"{counted(len(best.facts), 'cell')} {leave} one {found.key}{among}, {less}"
    return _line(found, what, best.unique_by, best.bound_by)


def _bound(least: int) -> str:
    return f"at least {least} are needed" if least else "perhaps fewer do"


def _line(
    found: FewestClues | LoosestRules, what: str, unique_by: str | None = None, bound_by: str | None = None
) -> str:
    """Return what was found in one line, by what it was confirmed, and how long it took."""
    by = [f"one {found.key} confirmed by {unique_by}"] if unique_by else []
    by += [f"the bound by {bound_by}"] if bound_by else []
    stop = "" if found.stop is Stop.FINISHED else f"; stop: {found.stop}"
    said = f"{what}; {', '.join(by)};" if by else f"{what},"
    return f"{found.puzzle.name}: {said} in {found.seconds:.3f} s{stop}"


@drawing.register(FewestClues)
def _(found: FewestClues) -> Drawing:
    """Return the board with the best cells filled in."""
    facts = found.best.facts if found.best is not None and found.best.facts else ()
    return mark(found.puzzle, found.grouped, conclusions=facts)


# The loosest rules.


LoosenLine: TypeAlias = LoosestRules | Fault


@parts.register(LoosestRules)
def _(found: LoosestRules) -> Iterator[str | Drawing]:
    """Yield the idle rules, the loosest ones, those that are dropped, and the summary."""
    if found.idle:
        yield f"Without any one of these there is one {found.key} still: {'; '.join(found.idle)}."
    if found.kept is not None:
        yield "These rules are enough:"
        yield from (f"- {rule.says}" for rule in found.kept)
    if found.dropped:
        yield f"These are dropped together: {'; '.join(found.dropped)}."
    yield found.summary()


@summary.register(LoosestRules)
def _(found: LoosestRules) -> str:
    """Return one line: how many rules are enough, what is proved, and by what."""
    if not found.key and found.stop is Stop.FINISHED:
        return _line(found, "several solutions, so no rule can go; explain says what would leave one")
    if found.kept is None:
        return _line(found, "nothing was found")
    kinds = Counter(rule.kind for rule in found.kept)
    how = ", ".join(f"{kinds[kind]} {kind}" for kind in ("weakened", "merged") if kinds[kind])
    how = how and f" ({how})"
    less = "no looser ones are" if found.loosest else _bound(found.least)
    enough = f"{counted(len(found.kept), 'rule')}{how} of {counted(len(found.rules), 'rule')} are enough"
    return _line(found, f"{enough}, {less}", found.unique_by, found.bound_by)


@drawing.register(LoosestRules)
def _(found: LoosestRules) -> Drawing:
    """Return the board with the cells of the kept rules marked."""
    return mark(found.puzzle, found.grouped, items=[item for rule in found.kept or () for item in rule.items])
