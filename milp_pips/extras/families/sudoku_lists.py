"""Sudokus in the files of other programs: lines of 81 cells, rows of nine, and the XML of OpenSudoku.

- A line with 81 cells is a Sudoku (``.sdm``, tables with commas); a line may have several, and solutions and
  what else stands in it are ignored.
- Nine rows of nine cells are one, with ``|`` and lines of ``-`` between the boxes or without (``.sdk``,
  ``.ss``). Of a file with sections such as ``[State]``, only those called ``[Puzzle]`` are read.
- Nine rows of a game (``.sdx``): a given, ``u`` and a digit of the player, or the candidates of the cell.
- OpenSudoku: each ``game`` has ``data`` of 81 digits, or ``version: 2`` and fields with ``|`` after each:
  three or four for a cell, of which the first is its digit and the last is 0 for a given.

An open cell is ``.``, ``0``, ``*``, ``_``, ``?``, ``-``, ``x`` or ``X``.
"""

from __future__ import annotations

import html
import re

from milp_pips.problem.errors import InputError
from milp_pips.puzzles.drawn import EMPTY_CELL
from milp_pips.puzzles.located import Lines, quoted

OPEN_CELL_MARKS = "0*_?xX-"
"""What other programs write for an open cell, besides a dot."""

_CELLS = re.compile(r"(?<![0-9.*_?xX-])[0-9.*_?xX-]{81}(?![0-9.*_?xX-])")
_ROW_OF_NINE, _DASHED_ROW = re.compile(r"[0-9.*_?xX]{9}"), re.compile(r"[0-9.*_?xX-]{9}")
_OPEN = re.compile("[^1-9]")
_CANDIDATES = re.compile("u?[1-9]|1?2?3?4?5?6?7?8?9?")
_BETWEEN_BOXES = re.compile(r"[-+=*|: ]{5,}")
_TITLE = re.compile(r"[^\W\dxX_]")
_COMMENT = re.compile(r"(?:^|\s)(?:#|;|//).*")
XML_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_XML_DATA = re.compile(r"""<game\b[^<>]*?\bdata\s*=\s*(?:"([^"]*)"|'([^']*)')""", re.DOTALL)


def sudokus_of(text: str, file: str) -> list[str]:
    """Return each Sudoku of a file as 81 cells with dots for the open ones. Raises InputError."""
    found, rows, is_puzzle = list[str](), list[str](), True
    marks = _DASHED_ROW if re.search("[0-9]-|-[0-9]", text) else _ROW_OF_NINE
    lines = Lines(text, file, _COMMENT)
    for line in lines:
        cells = line.text.split()
        if len(cells) == 9 and all(map(_CANDIDATES.fullmatch, cells)):  # of a game that is played
            drawn = "".join(cell if len(cell) == 1 else EMPTY_CELL for cell in cells)
        else:
            drawn = re.sub(r"[|!:\s]", "", line.text)
        if is_puzzle and marks.fullmatch(drawn):
            rows.append(drawn)
        elif is_puzzle and _BETWEEN_BOXES.fullmatch(line.text):
            continue
        elif rows:
            raise line.fault(f"the Sudoku above this line has {len(rows)} rows", "9")
        elif re.match(r"\[\s*[^\W\dxX_]", line.text):
            is_puzzle = "puzzle" in line.text.lower()
        elif is_puzzle:
            runs: list[str] = _CELLS.findall(line.text)
            if not runs and not _TITLE.search(line.text):
                expected = "the 81 cells of a Sudoku, or a row of nine"
                raise line.fault(f"this is {quoted(line.text)}", expected)
            found += [run for run in runs if _OPEN.search(run)] or runs[:1]  # a table has the solutions, too
        if len(rows) == 9:
            found.append("".join(rows))
            rows.clear()
    if rows:
        raise lines.fault(f"the last Sudoku has {len(rows)} rows", "9")
    if not found:
        raise lines.fault("there is no Sudoku", "lines of 81 cells, or nine rows of nine")
    return [_with_dots(cells) for cells in found]


def _with_dots(cells: str) -> str:
    return cells.translate(dict.fromkeys(map(ord, OPEN_CELL_MARKS), EMPTY_CELL))


def opensudokus_of(text: str, file: str) -> list[str]:
    """Return each Sudoku of OpenSudoku's XML as 81 cells with dots for the open ones. Raises InputError."""
    found = list[str]()
    for match in _XML_DATA.finditer(XML_COMMENT.sub("", text)):
        data = html.unescape(match[1] or match[2] or "").strip()
        if data.startswith("version"):
            fields = re.split(r"\|+", data.partition("\n")[2].strip().rstrip("|"))
            each = len(fields) // 81 or 1
            cells = [fields[at : at + each] for at in range(0, len(fields), each)]
            data = "".join(cell[0] if cell[-1] == "0" else "0" for cell in cells)
        if not re.fullmatch("[0-9.]{81}", data, re.ASCII):
            what = f"game {len(found) + 1} has the data {quoted(data)}"
            raise InputError(what, file, expected="81 digits, or a version and fields for 81 cells")
        found.append(_with_dots(data))
    if not found:
        raise InputError("no game has a Sudoku", file, expected='data="…" with 81 digits')
    return found
