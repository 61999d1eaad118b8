"""Puzzles in the files of other programs, as texts of our own formats: lists of Sudokus, nonograms, Dominosa.

- Lines of 81 characters, each a Sudoku; more may follow after a comma, a semicolon or a blank (``.sdm``).
- ``.sdk``: rows of a Sudoku below ``[Puzzle]`` or below lines that begin with ``#`` and a letter.
- OpenSudoku: XML in which each game has ``data`` of 81 digits.
- ``.non`` of nonogram solvers: ``width``, ``height``, ``rows`` and ``columns`` with clues such as ``1,2``.
- ``dominosa``, and rows of numbers: a Pips with all pips given and one domino of each kind.
- Game IDs and saved games of Simon Tatham's collection, see ``tatham``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import combinations_with_replacement

from milp_pips.extras.families import links, tatham
from milp_pips.problem.errors import InputError
from milp_pips.puzzles.drawn import EMPTY_CELL, is_spaced, marks_of
from milp_pips.puzzles.located import Line, Lines, quoted

SUDOKU_LINE = re.compile(r"([0-9.*_]{81})(?:[,;\s#].*)?", re.ASCII)
SUDOKU_DATA = re.compile(r'\bdata="([0-9.]{81})"', re.ASCII)
MOST_DOMINOSA = 25
"""The most pips of a Dominosa."""


def texts_of(text: str, file: str, family: str | None = None) -> dict[str, str]:
    """Return the puzzles of a link or a file as texts of our formats, by level. Raises InputError.

    ``family`` is the one that the user names, if any, for a link that tells none.
    """
    text = text.removeprefix("\ufeff").strip()
    game, colon, rest = text.partition(":")
    if game in tatham.TATHAM_GAMES and colon:
        return {"": tatham.text_of(game, rest, file)}
    if game == "SAVEFILE":
        return {"": tatham.text_of_save(text, file)}
    if text.startswith("<"):
        return _sudokus(SUDOKU_DATA.findall(text), file)
    if text.startswith(("[", "#")):
        return {"": _sdk(Lines(text, file))}
    if text.startswith("dominosa"):
        return {"": _dominosa(text, file)}
    if SUDOKU_LINE.fullmatch(text.partition("\n")[0].strip()):
        lines = Lines(text, file, re.compile("^#.*"))
        return _sudokus([_cells(line) for line in lines], file)
    if text[:4].lower() == "http":
        return {"": links.text_of(text, file, family)}
    return {"": _non(Lines(text, file))}


def _sudokus(boards: Sequence[str], file: str) -> dict[str, str]:
    if not boards:
        raise InputError("no game has a Sudoku", file, expected='data="…" with 81 digits')
    texts = [f"sudoku\n{re.sub('[*_]', EMPTY_CELL, board)}\n" for board in boards]
    return dict(zip(map(str, range(1, len(texts) + 1)), texts, strict=True)) if texts[1:] else {"": texts[0]}


def _cells(line: Line) -> str:
    if (found := SUDOKU_LINE.fullmatch(line.text)) is None:
        raise line.fault(f"this is {quoted(line.text)}", "the 81 cells of a Sudoku, as on the line before")
    return found[1]


def _sdk(lines: Lines) -> str:
    """Return the Sudoku of the first section, without the lines that begin with ``#``."""
    rows: list[str] = []
    for line in lines:
        if line.text.startswith("[") and rows:
            break
        if not line.text.startswith(("#", "[")):
            rows.append(line.text)
    return "\n".join(["sudoku", *rows, ""])


def _non(lines: Lines) -> str:
    """Return the nonogram as a colour grid."""
    clues: dict[str, list[list[int]]] = {"rows": [], "columns": []}
    sizes, section = dict[str, int](), ""
    for line in lines:
        word, *words = line.words()
        if word in clues and not words:
            section = word
        elif word in ("width", "height"):
            sizes[word] = line.integer(" ".join(words), f"the {word}", 1, 200)
        elif word == "color":
            raise line.fault("the nonogram has colours", "black and white")
        elif word[0].isdigit():
            if not section:
                raise line.fault(f"this is {quoted(line.text)}", "rows or columns above the clues")
            runs = re.split(r"[,\s]+", line.text)
            clues[section].append([line.integer(run, "a run", 0, 200) for run in runs])
        else:
            section = ""  # title, goal and so on
    for section, word in (("rows", "height"), ("columns", "width")):
        if len(clues[section]) != sizes.get(word, len(clues[section])) or not clues[section]:
            raise lines.fault(
                f"there are {len(clues[section])} clues of {section}", f"{sizes.get(word, 'some')}"
            )
    return tatham.nonogram(clues["rows"], clues["columns"])


def _dominosa(text: str, file: str) -> str:
    """Return the Pips puzzle: a region for each cell, and a domino of each kind."""
    lines = Lines(text, file)
    heading = next(lines)
    if heading.text != "dominosa":
        raise heading.fault(f"this is {quoted(heading.text)}", "dominosa")
    rows = [(line, marks_of(line, is_spaced(line))) for line in lines]
    pips = [
        (
            line.integer(mark, "a cell", 0, MOST_DOMINOSA, f"0 to {MOST_DOMINOSA}, or {EMPTY_CELL} for none"),
            mark,
        )
        for line, marks in rows
        for mark in marks
        if mark != EMPTY_CELL
    ]
    most = max((number for number, _ in pips), default=0)
    if len(pips) != (most + 1) * (most + 2):
        what = f"there are {len(pips)} cells and numbers up to {most}"
        raise lines.fault(what, f"{(most + 1) * (most + 2)} cells, two for each domino")
    labels = [
        [f"r{r}c{c}" if mark != EMPTY_CELL else mark for c, mark in enumerate(marks, 1)]
        for r, (_, marks) in enumerate(rows, 1)
    ]
    named = [label for row in labels for label in row if label != EMPTY_CELL]
    rules = [f"{label} SUM {number}" for label, (number, _) in zip(named, pips, strict=True)]
    dominoes = [f"{a} {b}" for a, b in combinations_with_replacement(range(most + 1), 2)]
    board = [" ".join(row) for row in labels]
    return "\n".join(map(str, [len(board), *board, len(rules), *rules, len(dominoes), *dominoes, ""]))
