"""Sudokus in links of f-puzzles.com, and of SudokuPad with ``fpuz`` or ``fpuzzles``: compressed JSON.

The JSON is that of https://www.f-puzzles.com, as SudokuPad reads it (``src/fpuzzlesdecoder.js`` of
https://github.com/SudokuPad/sudokutools). The compression is that of lz-string by pieroxy,
https://github.com/pieroxy/lz-string: the method of Lempel, Ziv (1978) and Welch (1984), with codes that grow.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import unquote

from milp_pips.extras.families.boards import board_text
from milp_pips.problem.errors import InputError
from milp_pips.puzzles.drawn import cell_name
from milp_pips.puzzles.located import Part, load
from milp_pips.render.vocabulary import Place

SITES = ("f-puzzles.com", "www.f-puzzles.com", "sudokupad.app", "app.crackingthecryptic.com")
COMPRESSED = re.compile(r"(?:[?&]load=|fpuz(?:zles)?)([^&#]{20,})")
BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/="
MOST_CHARACTERS = 500_000
"""The longest JSON. That of a large Sudoku has a tenth of it."""

LARGEST_SUDOKU = 16
SILENT = {"size", "grid", "killercage", "diagonal+", "diagonal-", "title", "author", "ruleset", "solution"}
"""Members that are read, and those that are words for the player."""


def text_of(link: str, file: str) -> str:
    """Return the Sudoku in a link as the text of a file. Raises InputError."""
    found = COMPRESSED.search(link)
    if found is None:
        what = "the link only names a puzzle on a server, or is in another format"
        raise InputError(what, file, expected="fpuzzles…, scl… or ?load=… with the whole puzzle")
    puzzle = load(decompress(unquote(found[1]), file), file)
    members = puzzle.members()
    for name, member in members.items():
        if name not in SILENT and member.value not in (None, False, "", [], {}):
            raise member.fault("such rules are not read", "givens, regions, cages with sums and diagonals")
    n = puzzle.member("size").integer(2, LARGEST_SUDOKU)
    rows = [row.elements(f"{n} cells", n) for row in puzzle.member("grid").elements(f"{n} rows", n)]
    givens, regions = dict[Place, str](), dict[Place, str]()
    has_regions = any("region" in cell for row in rows for cell in row)
    for r, row in enumerate(rows):
        for c, cell in enumerate(row):
            if (given := cell.optional("given")) is not None and given.value is True:
                givens[r, c] = str(cell.member("value").integer(1, n))
            region = cell.optional("region")
            if has_regions and (region is not None or "region" not in cell):
                raised = cell.member("region", "a region for every cell") if region is None else region
                regions[r, c] = str(raised.integer(0, n - 1) + 1)
    cages = puzzle.optional("killercage")
    sums = [_cage(cage, n) for cage in cages.elements()] if cages else []
    text = sudoku_text(n, givens, regions, sums, file)
    for name, label, columns in (("diagonal+", "u", range(n)[::-1]), ("diagonal-", "d", range(n))):
        if name in puzzle and puzzle.member(name).value:
            marks = dict.fromkeys(zip(range(n), columns, strict=True), label)
            text += board_text("groups", marks, range(n), range(n))
    return text


def sudoku_text(
    n: int,
    givens: Mapping[Place, str],
    regions: Mapping[Place, str],
    cages: list[tuple[int, list[Place]]],
    file: str,
) -> str:
    """Return the text of a file with these marks on n rows, and cages with a sum; ``regions`` may be empty.

    Raises InputError if two cages have a cell in common.
    """
    labels: dict[Place, str] = {}
    for number, (_, places) in enumerate(cages, 1):
        for place in places:
            if place in labels:
                raise InputError(f"two cages have the cell {cell_name(place)}", file, expected="one at most")
            labels[place] = f"k{number}"
    text = board_text("sudoku", givens, range(n), range(n))
    for heading, marks in (("regions", regions), ("cages", labels)):
        text += board_text(heading, marks, range(n), range(n)) if marks else ""
    return text + "".join(f"k{number} {total}\n" for number, (total, _) in enumerate(cages, 1))


def _cage(cage: Part, n: int) -> tuple[int, list[Place]]:
    """Return the sum and the cells of a cage."""
    value, places = cage.member("value", "the sum of the cage"), []
    if not re.fullmatch("[0-9]{1,4}", str(value.value)):
        raise value.fault(f"the sum is {value.shown}", "a number")
    for cell in cage.member("cells").elements():
        at = re.fullmatch(r"R([0-9]{1,2})C([0-9]{1,2})", str(cell.value))
        place = (int(at[1]) - 1, int(at[2]) - 1) if at else (n, n)
        if not (0 <= place[0] < n and 0 <= place[1] < n):
            raise cell.fault(f"this is {cell.shown}", "a cell of the board, such as R1C2")
        places.append(place)
    return int(value.value), places


def decompress(data: str, file: str) -> str:
    """Return a text that lz-string has compressed to base64. Raises InputError.

    A code has as many bits as the dictionary needs, the lowest first. 0 and 1 stand before a new character of
    8 or 16 bits, and 2 ends the text. Each other code is an entry of the dictionary, which grows by the last
    entry and the next character.
    """
    bits = (BASE64.find(character) >> shift & 1 for character in data for shift in range(5, -1, -1))

    def number(count: int) -> int:
        total = 0
        for i in range(count):
            if (bit := next(bits, None)) is None:
                raise InputError("the link ends too early", file, expected="a whole link")
            total |= bit << i
        return total

    if wrong := set(data).difference(BASE64):
        raise InputError(f"the link has the character U+{ord(min(wrong)):04X}", file, expected="base64")
    entries, last, length, parts = ["", "", ""], "", 0, list[str]()
    while True:
        code = number(len(entries).bit_length())
        if code == 2:
            return "".join(parts).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        if code < 2:
            entries.append(chr(number(16 if code else 8)))
            code = len(entries) - 1
        if code > len(entries) or (code == len(entries) and not last):
            raise InputError("the link cannot be decompressed", file, expected="a link as the site writes it")
        entry = entries[code] if code < len(entries) else last + last[0]
        if last:
            entries.append(last + entry[0])
        parts.append(entry)
        last, length = entry, length + len(entry)
        if length > MOST_CHARACTERS:
            raise InputError("the link is too long", file, expected=f"at most {MOST_CHARACTERS:,} characters")
