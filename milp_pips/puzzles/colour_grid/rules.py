"""The rules of the game, read off the clues as they stand: no automaton is made here."""

from __future__ import annotations

import re
from collections.abc import Set
from itertools import groupby
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from milp_pips.puzzles.colour_grid.puzzle import ColourGrid, Filling

_REPEAT = re.compile(r"[*+?]|\{(\d*)(,?)(\d*)\}")


def broken(puzzle: ColourGrid, filling: Filling) -> str | None:
    """Return the first rule that the filling breaks, or None."""
    from milp_pips.puzzles.colour_grid.puzzle import Stretches

    if len(filling) != len(puzzle.rows) or any(len(row) != len(puzzle.columns) for row in filling):
        return f"the filling is not {len(puzzle.rows)} rows of {len(puzzle.columns)} cells"
    for r, row in enumerate(filling, 1):
        for c, letter in enumerate(row, 1):
            if letter not in puzzle.letters:
                return f"r{r}c{c} has the colour {letter}, which is none of {', '.join(puzzle.letters)}"
    seen = {f"row {number}": row for number, row in enumerate(filling, 1)}
    seen |= {f"column {number}": "".join(cells) for number, cells in enumerate(zip(*filling, strict=True), 1)}
    for line, clue in puzzle.clues():
        if isinstance(clue, Stretches):
            fits = "".join(letter for letter, _ in groupby(seen[line])) == clue.letters
        else:
            fits = matches(clue.expression, seen[line])
        if not fits:
            return f"{line}: {clue}, but its cells show {seen[line]}"
    return None


def matches(expression: str, word: str) -> bool:
    """Whether the word as a whole matches the expression, as ``re.fullmatch`` would say.

    Follows all ways through the expression at once: ``places`` are the numbers of letters that the part read
    so far can have matched. (``re`` tries one way after the other, which for ``(r*g*)*b`` takes for ever.)
    """
    places, _ = _choice(expression, 0, word, {0})
    return len(word) in places


def _choice(text: str, at: int, word: str, places: Set[int]) -> tuple[Set[int], int]:
    """Return the places after ``a|b|c``, which starts at ``at`` in the text, and where it ends there."""
    reached, at = _chain(text, at, word, places)
    while text[at : at + 1] == "|":
        more, at = _chain(text, at + 1, word, places)
        reached = reached | more
    return reached, at


def _chain(text: str, at: int, word: str, places: Set[int]) -> tuple[Set[int], int]:
    while at < len(text) and text[at] not in "|)":
        after, end = _unit(text, at, word, places)
        repeat = _REPEAT.match(text, end)
        if repeat is None:
            places, at = after, end
            continue
        least, most = _bounds(repeat, len(word))
        reached = places if least == 0 else set()
        for times in range(1, most + 1):
            if times >= least:
                if after <= reached:
                    break
                reached = reached | after
            if times < most:
                after, _ = _unit(text, at, word, after)
        places, at = reached, repeat.end()
    return places, at


def _bounds(repeat: re.Match[str], length: int) -> tuple[int, int]:
    """Return how often the repeat asks for its part, at least and at most, in a word of this length."""
    least, comma, most = repeat.groups(default="")
    if repeat[0] in ("*", "+", "?"):
        least, comma, most = {"*": ("0", ",", ""), "+": ("1", ",", ""), "?": ("0", ",", "1")}[repeat[0]]
    low = int(least or 0)
    endless = low + length + 1  # every round but the last comes to a new place
    return low, int(most) if most else endless if comma else low


def _unit(text: str, at: int, word: str, places: Set[int]) -> tuple[Set[int], int]:
    """Return the places after one letter, set of letters or bracket, and where that ends in the text."""
    if text[at] == "(":
        reached, end = _choice(text, at + 1, word, places)
        return reached, end + 1
    end = text.index("]", at) if text[at] == "[" else at
    named = text[at : end + 1].strip("[]")
    left_out = named.startswith("^")
    open_places = {place for place in places if place < len(word)}
    fits = {place for place in open_places if named == "." or (word[place] in named) != left_out}
    return {place + 1 for place in fits}, end + 1
