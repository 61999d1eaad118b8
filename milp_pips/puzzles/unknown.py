"""What a file that no family recognises looks like, in one line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import islice
from math import isqrt
from typing import Any

from milp_pips.problem.errors import InputError
from milp_pips.puzzles.family import Family
from milp_pips.puzzles.located import Line, Lines, quoted

MOST_LINES_READ = 100
"""The most lines of a file that are looked at."""

LONGEST_HEADING = 100
"""The most characters of a line that are compared with headings."""

SITE = "a puzzle in one of the formats of docs/formats.md"

_ROW = re.compile(r"[\w.#?*…]+|(?:[\w.#?*…]+[ \t]+)+[\w.#?*…]+")
_LAST_NUMBER = re.compile(r" *[0-9]+$")
_SUDOKU_CELL = re.compile(r"[0-9.?_*]")
_IMPORT = re.compile(r"(?:import|from) [\w.]+( (?:as|import) .*)?")
_GOAL = re.compile(r"(max|min|maximi[sz]e|minimi[sz]e)\b", re.IGNORECASE)
_RULE = re.compile(r"\w+ ?(=|!=|≠|<|>|≤|≥|[A-Z]{2,3}\b).*")


def unknown_puzzle(text: str, file: str, families: Iterable[Family[Any, Any]]) -> InputError:
    """Return the error for a file that no family recognises. Raises InputError if the file is not text."""
    lines = list(islice(Lines(text, file), MOST_LINES_READ))
    first = lines[0]
    if known := _meant_heading(first, families):
        return first.fault(f"no kind of puzzle begins with {quoted(first.text)}", quoted(known))
    what, expected = _looks_like(lines)
    return first.fault(f"this is no puzzle: it looks like {what}", expected)


def _meant_heading(first: Line, families: Iterable[Family[Any, Any]]) -> str:
    """Return the first words of the family whose first line is nearly this one; empty if there is none."""
    from difflib import get_close_matches  # only if something is wrong

    lines = [family.examples[0].split("\n")[0] for family in families if family.examples]
    headings = [_LAST_NUMBER.sub("", line) for line in lines]
    typed = _LAST_NUMBER.sub("", first.text[:LONGEST_HEADING].lower())
    near = get_close_matches(typed, [heading for heading in headings if len(heading) > 3], 1, 0.7)
    return near[0] if near else ""


def _looks_like(lines: Sequence[Line]) -> tuple[str, str]:
    """Return what a text looks like, and what would be a puzzle instead."""
    first, texts = lines[0].text, [line.text for line in lines]
    if first.startswith("<"):
        return "a page of HTML or XML", SITE
    if any(map(_IMPORT.fullmatch, texts)):
        return "a program in Python", "a file that it writes, or milp_pips.solutions(model) in it"
    if _GOAL.match(first):
        return "a linear model in a format that is not read", "an MPS file, or an LP file of CPLEX"
    rows = [_cells(row) for row in texts if _ROW.fullmatch(row)]
    width = len(rows[0]) if rows else 0
    if len(rows) == len(texts) and {len(row) for row in rows} == {width} and (width > 1 or len(rows) > 1):
        if _is_sudoku(rows):
            return 'rows of a Sudoku without a first line "sudoku"', 'the line "sudoku" before the rows'
        return (
            "rows of a board, but no dominoes",
            "rules and dominoes below, or the name of a family above",
        )
    if all(map(_RULE.fullmatch, texts)):
        return "rules, but no board", "the rows of a board above the rules, and dominoes below"
    for mark, name in ((",", "commas"), (";", "semicolons"), ("\t", "tabs")):
        if len(texts) > 1 and len({row.count(mark) for row in texts}) == 1 and mark in first:
            return f"a table with {name}", SITE
    return "other text, without the rows of a board", SITE


def _cells(row: str) -> list[str]:
    """Return the cells of a row, which has blanks between them or is one character for each."""
    return row.split() if len(row.split()) > 1 else list(row)


def _is_sudoku(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether the rows are those of a Sudoku with digits, or one line with all of its cells."""
    if not all(_SUDOKU_CELL.fullmatch(cell) for row in rows for cell in row):
        return False
    cells = len(rows[0])
    return len(rows) == cells > 3 or (len(rows) == 1 and isqrt(cells) ** 2 == cells > 15)
