"""Sheets of puzzles: what is on them, in black and white, and as PDF."""

from __future__ import annotations

import re
import sys
from itertools import count
from pathlib import Path
from xml.etree import ElementTree

import pytest

from milp_pips.cli import main

EXAMPLES = Path(__file__).parents[2] / "examples"
EASY, HARD, RING = (str(EXAMPLES / "pips" / name) for name in ("easy.txt", "hard.txt", "ring.json"))
SEPARATE = str(EXAMPLES / "pips" / "solve_error.txt")
COLOURED = re.compile(r'(?:fill|stroke)="(#[0-9a-f]{6})"')
SVG = "{http://www.w3.org/2000/svg}"

pytestmark = pytest.mark.filterwarnings("ignore:.*separate areas")


def sheets_of(folder: Path, *arguments: str) -> list[ElementTree.Element]:
    """The documents that the command writes into the folder."""
    assert main(["sheet", *arguments, "--out", str(folder)]) == 0
    files = [folder / f"sheet-{number}.svg" for number, _ in zip(count(1), folder.iterdir(), strict=False)]
    return [ElementTree.parse(file).getroot() for file in files]


def texts(element: ElementTree.Element) -> list[str]:
    return [text.text or "" for text in element.iter(f"{SVG}text")]


def titles(element: ElementTree.Element) -> list[str]:
    return [text for text in texts(element) if re.match(r"\d+\. ", text)]


def test_one_puzzle_a_sheet_and_the_answers_on_the_last(tmp_path, capsys):
    first, second, last = sheets_of(tmp_path, EASY, HARD)
    assert capsys.readouterr().out.split() == [str(tmp_path / f"sheet-{n}.svg") for n in (1, 2, 3)]
    assert [titles(each) for each in (first, second, last)] == [
        ["1. easy"],
        ["2. hard"],
        ["1. easy", "2. hard"],
    ]
    assert "dominoes" in texts(first)
    assert "Answers" in texts(last)
    assert "dominoes" not in texts(last)


@pytest.mark.parametrize(("answers", "number"), [("last", 3), ("upside-down", 2), ("none", 2)])
def test_four_puzzles_a_sheet(answers, number, tmp_path):
    found = sheets_of(tmp_path, *[EASY] * 5, "--per-sheet", "4", "--answers", answers)
    assert len(found) == number
    assert [len(titles(each)) for each in found[:2]] == [4, 1]
    turned = [g for g in found[0].iter(f"{SVG}g") if "rotate(180)" in g.get("transform", "")]
    assert len(turned) == (4 if answers == "upside-down" else 0)
    assert len(texts(found[1])) > 20 or answers != "upside-down"


@pytest.mark.parametrize("size", ["a4", "letter"])
def test_a_sheet_has_the_size_of_its_paper_and_all_is_on_it(size, tmp_path):
    (sheet, _) = sheets_of(tmp_path, RING, "--paper", size)
    width, height = (float(sheet.get(side, "")) / 96 for side in ("width", "height"))
    assert (width, height) == pytest.approx({"a4": (8.268, 11.693), "letter": (8.5, 11)}[size], abs=0.001)


def test_sheets_need_no_colour(tmp_path):
    """Regions that only a colour shows, on a graph or in two places, are hatched instead."""
    files = [str(path) for path in sorted(EXAMPLES.glob("*/*.txt")) if "impossible" not in path.name]
    main(["sheet", RING, *files, "--out", str(tmp_path)])
    written = [path.read_text() for path in sorted(tmp_path.glob("*.svg"))]
    assert len(written) > 30
    for document in written:
        for colour in COLOURED.findall(document):
            red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
            assert max(red, green, blue) - min(red, green, blue) <= 20, colour
    ring = (tmp_path / "sheet-1.svg").read_text()
    assert len(set(re.findall(r'fill="url\(#(hatch\d+)\)"', ring))) == 3


def test_a_region_in_two_places_is_the_only_one_that_is_hatched(tmp_path):
    sheets_of(tmp_path, SEPARATE, "--answers", "none")
    sheet = (tmp_path / "sheet-1.svg").read_text()
    assert re.findall(r'fill="url\(#(hatch\d+)\)"', sheet) == ["hatch0"] * 3  # two squares and the note


@pytest.mark.long
def test_wide_and_many_answers_go_on_to_further_sheets(tmp_path):
    wide = str(EXAMPLES / "pips" / "wide.txt")
    found = sheets_of(tmp_path, *[wide] * 40, "--per-sheet", "4")
    answers = [each for each in found if "Answers" in texts(each)]
    assert [title for each in answers for title in titles(each)] == [f"{n}. wide" for n in range(1, 41)]
    assert len(answers) == 2


def test_names_are_text_on_a_sheet(tmp_path):
    puzzle = tmp_path / ("<b>&" + 90 * "x" + ".txt")
    puzzle.write_text(Path(EASY).read_text())
    (sheet,) = sheets_of(tmp_path / "out", str(puzzle), "--answers", "none")
    (title,) = titles(sheet)
    assert title.startswith("1. <b>&xx")
    assert title.endswith("x…")


def test_a_puzzle_without_a_solution_is_printed_and_said(tmp_path, capsys):
    impossible = str(EXAMPLES / "pips" / "odd_part.txt")
    assert main(["sheet", EASY, impossible, "--out", str(tmp_path)]) == 1
    told = capsys.readouterr().err
    assert told.startswith("milp-pips: odd_part: no solution")
    assert told.endswith("; it is printed without an answer\n")
    assert titles(ElementTree.parse(tmp_path / "sheet-3.svg").getroot()) == ["1. easy"]


def test_a_file_that_is_no_puzzle_costs_one_line(tmp_path, capsys):
    wrong = tmp_path / "wrong.txt"
    wrong.write_text("a shopping list\n")
    assert main(["sheet", str(wrong), EASY, "--out", str(tmp_path / "out")]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert len(list((tmp_path / "out").iterdir())) == 2
    assert main(["sheet", str(wrong), "--out", str(tmp_path / "none")]) == 2
    assert list((tmp_path / "none").iterdir()) == []


def test_a_name_that_is_neither_pdf_nor_a_directory_is_refused_at_once(tmp_path, capsys):
    out = tmp_path / "book.doc"
    assert main(["sheet", EASY, "--out", str(out)]) == 2
    assert capsys.readouterr().err == f"milp-pips: {out}: no directory, and no name ending in .pdf\n"


def test_a_book_and_pictures_as_pdf_and_png(tmp_path, capsys):
    pytest.importorskip("typst")
    book, pages, picture = (tmp_path / name for name in ("book.pdf", "pages.pdf", "picture.png"))
    assert main(["sheet", EASY, RING, "--out", str(book)]) == 0
    assert main(["show", EASY, RING, "--pdf", str(pages)]) == 0
    assert main(["show", EASY, RING, "--png", str(picture)]) == 0
    for file, number in ((book, 3), (pages, 2)):
        written = file.read_bytes()
        assert written.startswith(b"%PDF-")
        assert re.search(rb"/Type ?/Pages\s*/Count (\d+)", written)[1] == b"%d" % number
    size = [int.from_bytes(picture.read_bytes()[at : at + 4]) for at in (16, 20)]
    capsys.readouterr()
    assert main(["show", EASY, RING, "--svg"]) == 0
    drawn = ElementTree.fromstring(capsys.readouterr().out)
    assert size == pytest.approx([2 * float(drawn.get(side)) for side in ("width", "height")], abs=2)


def test_files_of_pictures_take_one_format_each(tmp_path, capsys):
    pytest.importorskip("typst")
    assert main(["show", EASY, HARD, "--png", str(tmp_path / "all")]) == 0
    assert sorted(path.name for path in (tmp_path / "all").iterdir()) == ["easy.png", "hard.png"]
    capsys.readouterr()
    assert main(["show", EASY, "--png", "a.png", "--svg", "b.svg"]) == 2
    assert capsys.readouterr().err == "milp-pips: name one of --svg and --png\n"


def test_without_typst_the_message_says_what_to_type(tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "typst", None)
    for command in (["sheet", "--out", "book.pdf"], ["show", "--png", "a.png"], ["show", "--pdf", "a.pdf"]):
        assert main([*command, EASY]) == 2
        assert capsys.readouterr().err == "milp-pips: PNG and PDF need typst: pip install '.[paper]'\n"
