"""Sudokus as tables: lists of JSON or Python, values with commas or tabs, rows with borders, long lines."""

from __future__ import annotations

import json
import re

TABLE_SIZES = (4, 6, 9, 16, 25)
OPEN_MARKS = ("", "0", ".", "*", "_", "?", "x", "X", "-", "None", "null")

LARGEST_TABLE = 20_000
"""Characters of the longest text that is tried as a table: 25 rows need a tenth of them."""

_ROW_OF_LIST = re.compile(r"[\[(][\s\d.,\[\]()\"'*_?xX-]*[\])]")
_TABLE = re.compile(r"[\s\d.,;|!*_?xX+=:\"'\u2500-\u257f-]+")
_BORDER = re.compile(r"[\s+=|:\u2500-\u257f-]*")
_SIDE = re.compile(r"[|!\u2500-\u257f]")
_SEPARATED = re.compile(r"[,;\t|!\u2502\u2503\u2551]")


def sudoku_table(text: str) -> list[list[str]] | None:
    """Return the rows of a Sudoku that is a table, with dots for open cells; None if the text is none."""
    text = text.strip("\n\r ")
    if len(text) > LARGEST_TABLE:
        return None
    rows = _listed(text) if text[:1] in "[(" else _in_a_line(text) or _drawn(text)
    n = len(rows)
    if n not in TABLE_SIZES or any(len(row) != n for row in rows):
        return None
    cells = [["." if cell in OPEN_MARKS else cell for cell in row] for row in rows]
    givens = [cell for row in cells for cell in row if cell != "."]
    known = {str(number) for number in range(1, n + 1)}
    return cells if givens and known.issuperset(givens) else None


def _listed(text: str) -> list[list[str]]:
    """Return the rows of a list of lists, or of a list of texts; empty if it is none."""
    text = re.sub("None|null", "0", text)
    if not _ROW_OF_LIST.fullmatch(text):
        return []
    text = re.sub(r",\s*(?=\])", "", text.translate(str.maketrans("()'", '[]"')))
    try:
        rows = json.loads(text)
    except (ValueError, RecursionError):
        return []
    return [[str(cell).strip() for cell in row] for row in rows if isinstance(row, list | str)]


def _in_a_line(text: str) -> list[list[str]]:
    """Return the rows of a line of 36, 256 or 625 cells; letters follow the digit 9, or are the symbols."""
    n = {36: 6, 256: 16, 625: 25}.get(len(text), 0)
    if not n or not re.fullmatch("[0-9A-Za-z.]+", text, re.ASCII):
        return []
    first = 10 if re.search("[1-9]", text) else 1
    if first == 10 and "." in text and "0" in text:  # the digits begin with 0, which is no open cell
        return []
    cells = [str(ord(mark.upper()) - ord("A") + first) if mark.isalpha() else mark for mark in text]
    return [cells[at : at + n] for at in range(0, n * n, n)]


def _drawn(text: str) -> list[list[str]]:
    """Return the rows of a table with separators or borders; empty if it has none."""
    if not _TABLE.fullmatch(text) or not _SEPARATED.search(text):
        return []
    rows: list[list[str]] = []
    for line in text.splitlines():
        separator = next((mark for mark in "\t;," if mark in line), "")
        if separator:
            rows.append([cell.strip(" \"'") for cell in line.split(separator)])
        elif not _BORDER.fullmatch(line):
            words = _SIDE.sub(" ", line).split()
            rows.append(words if max(map(len, words)) < 3 else list("".join(words)))
    return rows
