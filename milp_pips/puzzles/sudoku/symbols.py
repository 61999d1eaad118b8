"""Symbols of a Sudoku: which may be, which are numbers, and the codes that engines know them by."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from milp_pips.puzzles.located_text import quoted, whole_number
from milp_pips.puzzles.sudoku.limits import LONGEST_WORD

EMPTY = "."
"""An empty cell, and one that is in no region, cage or group."""
COMMENT = "#"
KEYWORDS = ("boxes", "regions", "symbols", "givens", "cages", "groups", "solution")
"""The words that a section of a file begins with."""


def number_of(symbol: str) -> int | None:
    """Return the number that the symbol is, written as usual; else None."""
    number = whole_number(symbol)
    return number if str(number) == symbol else None


def codes(symbols: Iterable[str]) -> dict[str, int]:
    """Return the code of each symbol, in the order in which they come first.

    Numbers stand for themselves; the other symbols are numbered on after the largest number.
    """
    found = {symbol: number_of(symbol) for symbol in symbols}
    last = max((number for number in found.values() if number is not None), default=0)
    code = {}
    for symbol, number in found.items():
        if number is None:
            last += 1
        code[symbol] = last if number is None else number
    return code


def usual_symbols(size: int) -> tuple[str, ...]:
    """Return the symbols of a board of this size, unless told otherwise: 1, 2, 3 and so on."""
    return tuple(map(str, range(1, size + 1)))


def unwritable(word: str) -> str:
    """Return why the word cannot be a symbol or a label, or nothing.

    Words that a file could not tell from its other parts cannot, nor those that could not be seen.
    """
    if not word or not word.isprintable() or len(word.split()) != 1 or len(word) > LONGEST_WORD:
        return (
            f"{quoted(word)} cannot be a symbol or a label: these have 1 to {LONGEST_WORD} visible characters"
        )
    if word == EMPTY or "…" in word:
        return f"{quoted(word)} cannot be a symbol or a label: a dot marks an empty place"
    if word.startswith(COMMENT):
        return f"{quoted(word)} cannot be a symbol or a label: '{COMMENT}' begins a comment"
    if word.lower() in KEYWORDS:
        return f"{quoted(word)} cannot be a symbol or a label: it begins a section"
    return ""


def listed(symbols: Sequence[str]) -> str:
    """Return the symbols as an error names them: ``1 to 9``, or ``1, 2, 3 or π``."""
    different = list(dict.fromkeys(symbols))
    if len(different) > 2 and different == list(usual_symbols(len(different))):
        return f"1 to {len(different)}"
    if len(different) > 20:
        different[19:-1] = ["…"]
    return " or ".join(filter(None, [", ".join(different[:-1]), different[-1]]))
