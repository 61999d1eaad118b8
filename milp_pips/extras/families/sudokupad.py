"""Sudokus in links of SudokuPad with ``scl``: shortened JSON, compressed like that of ``fpuzzles.py``.

The JSON is that of SudokuPad, shortened by ``src/puzzlezipper_lib.js`` of
https://github.com/SudokuPad/sudokutools: keys have short names without quotes, ``t`` and ``f`` are truth
values, empty objects are left out, colours have no quotes, and other quotes are single. It draws a puzzle,
and has the rules in words. So rules other than the usual ones are refused, and so is any drawing.
"""

from __future__ import annotations

import re
from urllib.parse import unquote

from milp_pips.extras.families import fpuzzles
from milp_pips.puzzles.located import Part, load, quoted
from milp_pips.render.vocabulary import Place

SCL_DATA = re.compile(r"(?:/|=)scl([^?&#]{20,})")
LONG_KEYS = {"ca": "cages", "ce": "cells", "re": "regions", "v": "value", "t": "title", "l": "lines"}
LONG_KEYS |= {"a": "arrows", "o": "overlays", "u": "underlays", "cs": "cellSize"}
SCL_STRING = re.compile(r"""('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")""")
"""A string; text that has double quotes anywhere has no single ones around strings."""
READ_OR_SILENT = {"cells", "regions", "cages", "metadata", "settings", "id", "cellSize"}
SCL_WORDS = re.compile(r"(rules|title|author|source|solution|msgcorrect): *(.*)", re.DOTALL)
"""A cage without cells that holds words."""
IN_A_CAGE = "(in|within|inside) (a |the |each )?cages?"
USUAL_RULES = re.compile(
    r"|(normal|standard|classic)( irregular| jigsaw| killer)? sudoku rules apply"
    r"|(fill the grid with|place|enter) (the )?(digits|numbers) (from )?1( to |-)[0-9]{1,2} "
    r"(so that digits don't repeat|once) in (any|each|every) row, column,? and( marked)?( 3x3)? (box|region)"
    rf"|(digits|numbers) {IN_A_CAGE} (must not|cannot|can't|do not|don't|may not) repeat"
    rf"|(digits|numbers) {IN_A_CAGE} (must )?(sum|add up|add) to the (total|sum|number|value)"
    r"( given| shown| indicated)?( in (the|its) (top[- ]left|upper[- ]left) corner)?"
)


def text_of(link: str, file: str) -> str:
    """Return the Sudoku in a link of this format or that of f-puzzles as a file's text. Raises InputError."""
    if (shortened := SCL_DATA.search(link)) is None:
        return fpuzzles.text_of(link, file)
    puzzle = load(_expanded(fpuzzles.decompress(unquote(shortened[1]), file)), file)
    for name, member in puzzle.members().items():
        if name not in READ_OR_SILENT and member.value:
            raise member.fault("such drawings are not read", "givens, regions, and cages with sums")
    rows = puzzle.member("cells").elements()
    n = len(rows)
    if not 2 <= n <= fpuzzles.LARGEST_SUDOKU:
        raise puzzle.member("cells").fault(f"it has {n} rows", f"2 to {fpuzzles.LARGEST_SUDOKU}")
    givens, regions = dict[Place, str](), dict[Place, str]()
    for r, row in enumerate(rows):
        for c, cell in enumerate(row.elements(f"{n} cells", n)):
            if (value := cell.optional("value")) is not None:
                givens[r, c] = str(_number(value, n))
    for number, region in enumerate(puzzle.member("regions", "a region for each cell").elements(), 1):
        regions |= dict.fromkeys(_places(region, n), str(number))
    if len(regions) < n * n:
        raise puzzle.member("regions").fault("a cell is in no region", "a region for each cell")
    rules = puzzle.optional("metadata")
    words = [rules.optional("rules")] if rules else []
    cages = []
    drawn = puzzle.optional("cages")
    for cage in drawn.elements() if drawn else ():
        value = cage.optional("value") or cage.optional("sum")
        if not cage.optional("cells") and value and (found := SCL_WORDS.fullmatch(str(value.value))):
            words += [value] if found[1] == "rules" else []
        elif value is None:
            raise cage.fault("the cage has no sum", "a cage with a sum")
        else:
            cages.append((_number(value, 9999), _places(cage.member("cells"), n)))
    for part in words:
        _check_words(part)
    return fpuzzles.sudoku_text(n, givens, regions, cages, file)


def _check_words(part: Part | None) -> None:
    """Raise InputError for rules in words, other than those that the drawing says, too."""
    if part is not None:
        said = " ".join(part.value if isinstance(part.value, list) else [str(part.value)])
        for sentence in re.split(r"[.;\n]|\\n", said.removeprefix("rules:")):
            if not USUAL_RULES.fullmatch(" ".join(sentence.lower().split())):
                raise part.fault(
                    f"this rule is in words: {quoted(sentence.strip())}", "the usual rules alone"
                )


def _number(part: Part, most: int) -> int:
    if not re.fullmatch("[0-9]{1,4}", str(part.value)) or not 1 <= int(part.value) <= most:
        raise part.fault(f"this is {part.shown}", f"a whole number from 1 to {most}")
    return int(part.value)


def _places(part: Part, n: int) -> list[Place]:
    """Return places, which are pairs of a row and a column from 0 on."""
    pairs = [place.elements("a row and a column", 2) for place in part.elements()]
    return [(row.integer(0, n - 1), column.integer(0, n - 1)) for row, column in pairs]


def _expanded(text: str) -> str:
    """Return the JSON for a shortened one; what is none becomes none."""
    pieces = SCL_STRING.split(text)
    for i, piece in enumerate(pieces):
        if i % 2:
            pieces[i] = piece if piece[0] == '"' else f'"{piece[1:-1].replace(chr(92) + chr(39), chr(39))}"'
            continue
        piece = re.sub(r"([,{\[])(?=[,}\]])", r"\1{}", piece).replace("{{}}", "{}")
        piece = re.sub(
            r"(?<=[,{\[])([a-zA-Z0-9]+):", lambda key: f'"{LONG_KEYS.get(key[1], key[1])}":', piece
        )
        piece = re.sub(r":([tf])(?=[,}\]])", lambda bit: ":true" if bit[1] == "t" else ":false", piece)
        pieces[i] = re.sub(r":(#[0F]|[0-9a-fA-F]{6})(?=[,}\]])", r':"\1"', piece)
    return "".join(pieces)
