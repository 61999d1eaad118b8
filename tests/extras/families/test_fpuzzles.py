"""Sudokus in links of f-puzzles.com and SudokuPad: compressed by the tests, read back, or refused."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from thoroughness import examples

import milp_pips
from milp_pips.cli import main
from milp_pips.extras.families.fpuzzles import BASE64, MOST_CHARACTERS, decompress

EXAMPLES = Path(__file__).parents[3] / "examples" / "sudoku"


def compress(text):
    """Compress as lz-string does, though it chooses other codes where one entry is there twice."""
    bits, known, size, last, at = [], {}, 3, "", 0

    def write(number, count):
        bits.extend(number >> i & 1 for i in range(count))

    while at < len(text):
        entry = next((text[at : at + n] for n in range(40, 0, -1) if text[at : at + n] in known), "")
        width = size.bit_length()
        if entry:
            write(known[entry], width)
        else:
            entry = text[at]
            is_wide = ord(entry) > 255
            write(int(is_wide), width)
            write(ord(entry), 16 if is_wide else 8)
            known[entry], size = size, size + 1
        if last:
            known.setdefault(last + entry[0], size)
            size += 1
        last, at = entry, at + len(entry)
    write(2, size.bit_length())
    bits += [0] * (-len(bits) % 6)
    return "".join(BASE64[int("".join(map(str, bits[i : i + 6])), 2)] for i in range(0, len(bits), 6))


def link(puzzle, site="https://sudokupad.app/fpuzzles", **more):
    rows = [[{"value": int(g), "given": True} if g else {} for g in row] for row in puzzle.givens]
    for number, region in enumerate(puzzle.regions):
        for r, c in region.cells:
            rows[r][c]["region"] = number
    cages = [
        {"cells": [f"R{r + 1}C{c + 1}" for r, c in cage.cells], "value": str(cage.total)}
        for cage in puzzle.cages
    ]
    data = {"size": puzzle.size, "title": "π", "grid": rows, "killercage": cages, "thermometer": [], **more}
    return site + quote(compress(json.dumps(data, ensure_ascii=False)), safe="")


@examples(18)
@given(st.text(st.characters(exclude_categories=("Cs",), max_codepoint=0xFFFF), min_size=1, max_size=80))
def test_what_is_compressed_is_decompressed(text):
    assert decompress(compress(text * 3), "link") == text * 3


@pytest.mark.parametrize("name", ["killer", "diagonals"])
def test_sudokus(name):
    puzzle = milp_pips.read(EXAMPLES / f"{name}.txt")
    both = {"diagonal+": True, "diagonal-": True} if name == "diagonals" else {}
    for site in ("https://sudokupad.app/fpuzzles", "https://www.f-puzzles.com/?load="):
        read = milp_pips.read(link(puzzle, site, **both))
        assert replace(read, groups=(), cages=(), regions=()).givens == puzzle.givens
        for of in ("regions", "cages", "groups"):
            areas = [{area.cells for area in getattr(each, of)} for each in (read, puzzle)]
            assert areas[0] == areas[1]
        assert [cage.total for cage in read.cages] == [cage.total for cage in puzzle.cages]
    assert milp_pips.count(read).counts == milp_pips.count(puzzle).counts


def shortened(puzzle, site="https://sudokupad.app/scl", **more):
    """Return a link of the other format of SudokuPad: short keys, single quotes, no empty objects."""
    regions = puzzle.regions or [
        SimpleNamespace(cells=tuple((r, c) for r in range(9) for c in range(9) if (r // 3, c // 3) == (y, x)))
        for y in range(3)
        for x in range(3)
    ]
    cages = [{"ce": cage.cells, "v": cage.total, "outlineC": "#A0B1C2"} for cage in puzzle.cages]
    data = {
        "id": "one",
        "cs": 64,
        "metadata": {
            "t": "It's {one: [,] 'x'}",
            "rules": "Normal sudoku rules apply.\\nNumbers in cages cannot repeat.",
        },
        "ce": [[{"v": int(given)} if given else {} for given in row] for row in puzzle.givens],
        "re": [region.cells for region in regions],
        "ca": [{"v": "author: me"}, *cages],
        "l": [],
        **more,
    }
    text = json.dumps(data, separators=(",", ":"))
    text = re.sub(r'([,{\[])"([a-zA-Z0-9]+)":', r"\1\2:", text)
    text = re.sub(r"([,{\[]){}(?=[,}\]])", r"\1", text)
    text = re.sub(r':"#([0-9A-F]{6})"', r":\1", text).replace("'", "\\'").replace('"', "'")
    return site + quote(compress(text.replace(",l:[]", "")), safe="")


@pytest.mark.parametrize("name", ["jigsaw"])
def test_shortened_sudokus(name):
    puzzle = milp_pips.read(EXAMPLES / f"{name}.txt")
    for site in ("https://sudokupad.app/scl", "https://app.crackingthecryptic.com/sudoku/?puzzleid=scl"):
        read = milp_pips.read(shortened(puzzle, site))
        assert read.givens == puzzle.givens
        assert [(cage.cells, cage.total) for cage in read.cages] == [
            (cage.cells, cage.total) for cage in puzzle.cages
        ]
    assert milp_pips.count(read).counts == milp_pips.count(puzzle).counts


ORDINARY = milp_pips.read(EXAMPLES / "ordinary.txt")
EMPTY = [[{}] * 4] * 4


def made(**data):
    return f"https://sudokupad.app/fpuz{compress(json.dumps(data))}"


@pytest.mark.parametrize(
    ("address", "message"),
    [
        (
            "https://sudokupad.app/abc123",
            "the link only names a puzzle on a server, or is in another format;",
        ),
        (
            link(ORDINARY, thermometer=[{"lines": [["R1C1"]]}]),
            "thermometer: such rules are not read; expected",
        ),
        (link(ORDINARY)[:300], "the link ends too early; expected a whole link"),
        (
            link(ORDINARY).replace("fpuzzles", "fpuzzles!"),
            "the link has the character U+0021; expected base64",
        ),
        ("https://sudokupad.app/fpuz" + 30 * "/", "the link cannot be decompressed; expected a link as"),
        (made(size=4, grid=EMPTY[:3]), "grid: this list has the length 3; expected 4 rows"),
        (made(size=99, grid=EMPTY), "size: this is 99; expected a whole number from 2 to 16"),
        (
            made(size=4, grid=EMPTY, killercage=[{"cells": ["R1C1", "R9C1"], "value": "3"}]),
            'killercage[0].cells[1]: this is "R9C1"; expected a cell of the board, such as R1C2',
        ),
        (
            made(size=4, grid=EMPTY, killercage=[{"cells": ["R1C1"], "value": "3"}] * 2),
            "two cages have the cell r1c1; expected one at most",
        ),
        (shortened(ORDINARY)[:300], "the link ends too early; expected a whole link"),
        (
            shortened(ORDINARY, metadata={"rules": "Normal sudoku rules apply. Anti-knight."}),
            'metadata.rules: this rule is in words: "Anti-knight"; expected the usual rules alone',
        ),
        (
            shortened(ORDINARY, ca=[{"v": "rules: Chess queens differ"}]),
            'cages[0].value: this rule is in words: "Chess queens differ"',
        ),
        (shortened(ORDINARY, a=[{"wp": [[0, 0], [1, 1]]}]), "arrows: such drawings are not read; expected"),
        (shortened(ORDINARY, fog=1), "fog: such drawings are not read; expected givens, regions"),
        (shortened(ORDINARY, re=[[[0, 0]]]), "regions: a cell is in no region; expected a region for each"),
        (shortened(ORDINARY, re=[[[0, 9]]]), "regions[0][0][1]: this is 9; expected a whole number from 0"),
        (shortened(ORDINARY, ce=[[{"v": 10}]]), "cells: it has 1 rows; expected 2 to 16"),
        (
            shortened(ORDINARY, ce=[[{"v": 3}, {"v": 1}]] * 2),
            "cells[0][0].value: this is 3; expected a whole",
        ),
        (shortened(ORDINARY, ca=[{"ce": [[0, 0]]}]), "cages[0]: the cage has no sum; expected a cage with"),
        ("https://sudokupad.app/scl" + compress("{xyz:" * 90), "the file ends in the middle of its JSON"),
        ("https://sudokupad.app/scl" + compress("[" * 9999), "the JSON is nested too deeply"),
        (
            made(size=4, grid=EMPTY, killercage=[{"cells": ["R1C1"]}]),
            'killercage[0]: "value" is missing; expected the sum of the cage',
        ),
    ],
)
def test_a_faulty_link_gets_one_line(address, message, capsys):
    assert main(["solve", address]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"milp-pips: link: {message}")
    assert said.count("\n") == 1


def test_the_text_is_bounded():
    with pytest.raises(milp_pips.InputError, match="the link is too long"):
        decompress(compress("a" * (MOST_CHARACTERS + 1)), "link")


@examples(20)
@given(
    st.text(BASE64, min_size=20, max_size=200) | st.text("{[,:'\"]}tf#0ace", min_size=9).map(compress),
    st.sampled_from(["fpuz", "scl"]),
)
def test_any_text_is_read_or_refused(data, site):
    with suppress(milp_pips.InputError):  # it raises nothing else
        milp_pips.read(f"https://sudokupad.app/{site}{data}")
