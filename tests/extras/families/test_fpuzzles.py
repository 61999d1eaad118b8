"""Sudokus in links of f-puzzles.com and SudokuPad: compressed by the tests, read back, or refused."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
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


@examples(60)
@given(st.text(st.characters(exclude_categories=("Cs",), max_codepoint=0xFFFF), min_size=1, max_size=80))
def test_what_is_compressed_is_decompressed(text):
    assert decompress(compress(text * 3), "link") == text * 3


@pytest.mark.parametrize("name", ["ordinary", "killer", "jigsaw", "diagonals"])
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


@examples(200)
@given(st.text(BASE64, min_size=20, max_size=200))
def test_any_text_is_read_or_refused(data):
    with suppress(milp_pips.InputError):  # it raises nothing else
        milp_pips.read(f"https://sudokupad.app/fpuz{data}")
