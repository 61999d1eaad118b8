"""Sudokus as tables: lists of JSON, Python or MiniZinc, rows plain or with commas or borders, long lines."""

from __future__ import annotations

import json
import re

TABLE_SIZES = (4, 6, 9, 16, 25)
OPEN_MARKS = ("", "0", ".", "*", "_", "?", "x", "X", "-", "None", "null")

LARGEST_TABLE = 20_000
"""Characters of the longest text that is tried as a table: 25 rows need a tenth of them."""

_ASSIGNED = re.compile(r"\A\w{1,40} *= *(?=[\[(])")
_MEMBER = re.compile(r'\{.*?"\w+"\s*:\s*(?:"([\d.]{81})"|(\[\s*[\["][\d\s.,\[\]nul"]*\]))', re.DOTALL)
_ROW_OF_LIST = re.compile(r"[\[(][\s\d.,\[\]()\"'*_?xX-]*[\])]")
_TABLE = re.compile(r"[\s\d.,;|!*_?xX+=:\"'\u2500-\u257f-]+")
_BORDER = re.compile(r"[\s+=|:\u2500-\u257f-]*")
_SIDE = re.compile(r"[|!\u2500-\u257f]")
_SEPARATED = re.compile(r"[,;\t|!\u2502\u2503\u2551]")


def sudoku_table(text: str) -> list[list[str]] | None:
    """Return the rows of a Sudoku that is a table, with dots for open cells; None if the text is none.

    Rows without any separator need a digit from 5 on, or they may be another kind of puzzle.
    """
    text = _ASSIGNED.sub("", text.strip("\n\r; "), count=1)
    if len(text) > LARGEST_TABLE:
        return None
    if member := _MEMBER.match(text):
        text = member[1] or member[2]
    rows = _listed(text) if text[:1] in "[(" else _in_a_line(text) or _drawn(text)
    n = len(rows)
    if n not in TABLE_SIZES or any(len(row) != n for row in rows):
        return None
    if text[:1] not in "[(" and "\n" in text and not _SEPARATED.search(text):
        marks = {mark for row in rows for mark in row}
        if marks.isdisjoint("56789") or len(marks.intersection(OPEN_MARKS)) > 1:
            return None
    cells = [["." if cell in OPEN_MARKS else cell for cell in row] for row in rows]
    givens = [cell for row in cells for cell in row if cell != "."]
    known = {str(number) for number in range(1, n + 1)}
    return cells if givens and known.issuperset(givens) else None


def _listed(text: str) -> list[list[str]]:
    """Return the rows of a list of lists, or of a list of texts; empty if it is none."""
    text = re.sub("None|null", "0", text)
    if text.startswith("[|"):
        return [
            [cell.strip() for cell in row.strip(", \n").split(",")]
            for row in text[2:-2].rstrip("| \n").split("|")
        ]
    if not _ROW_OF_LIST.fullmatch(text):
        return []
    text = re.sub(r",\s*(?=\])", "", text.translate(str.maketrans("()'", '[]"')))
    try:
        rows = json.loads(text)
    except (ValueError, RecursionError):
        return []
    return [[str(cell).strip() for cell in row] for row in rows if isinstance(row, list | str)]


def _in_a_line(text: str) -> list[list[str]]:
    """Return the rows of a line of 36 to 625 cells; letters follow the digit 9, or are the symbols."""
    n = {36: 6, 81: 9, 256: 16, 625: 25}.get(len(text), 0)
    if not n or not re.fullmatch("[0-9A-Za-z.]+", text, re.ASCII):
        return []
    first = 10 if re.search("[1-9]", text) else 1
    if first == 10 and "." in text and "0" in text:  # the digits begin with 0, which is no open cell
        return []
    cells = [str(ord(mark.upper()) - ord("A") + first) if mark.isalpha() else mark for mark in text]
    return [cells[at : at + n] for at in range(0, n * n, n)]


def _drawn(text: str) -> list[list[str]]:
    """Return the rows of a drawn table, without their number above them."""
    if not _TABLE.fullmatch(text):
        return []
    rows: list[list[str]] = []
    lines = text.splitlines()
    if lines[0].strip() == str(len(lines) - 1):
        del lines[0]
    for line in lines:
        separator = next((mark for mark in "\t;," if mark in line), "")
        if separator:
            rows.append([cell.strip(" \"'") for cell in line.split(separator)])
        elif not _BORDER.fullmatch(line):
            words = _SIDE.sub(" ", line).split()
            cells = [cell.strip() for cell in _SIDE.split(line.strip())[1:-1]]
            if len(cells) < 6 or max(map(len, cells)) > 2:  # no sides, or only those of the boxes
                cells = words if max(map(len, words)) < 3 else list("".join(words))
            rows.append(cells)
    return rows
