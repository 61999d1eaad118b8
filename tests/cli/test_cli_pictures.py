"""Pictures at the command line: in files, in one document, in colour, and too wide for the terminal."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from thoroughness import mostly_long

import milp_pips
from milp_pips.cli import main, output
from milp_pips.render.svg import to_svg

EXAMPLES = Path(__file__).parents[2] / "examples" / "pips"
EASY, SEVERAL, REPEATED = (str(EXAMPLES / f"{name}.txt") for name in ("easy", "several", "repeated"))

VERBS = {
    "solve": [EASY],
    "enumerate": [REPEATED],
    "count": [EASY, "--cells"],
    "sample": [SEVERAL, "-n", "3"],
    "explain": [EASY],
    "hint": [EASY],
    "show": [EASY, SEVERAL],
    "relax": [SEVERAL],
    "filter": [SEVERAL],
    "tree": [REPEATED],
    "strength": [EASY],
}
PICTURES = {"enumerate": 2, "sample": 3, "show": 2, "strength": 4}
WITHOUT_TEXT = ("count", "strength", "tree")


def svg_of(text: str) -> ElementTree.Element:
    """The one element of a valid document."""
    element = ElementTree.fromstring(text)
    assert element.tag == "{http://www.w3.org/2000/svg}svg"
    return element


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_that_draws_writes_a_file_for_each_picture(verb, tmp_path, capsys):
    number, folder = PICTURES.get(verb, 1), tmp_path / "pictures"
    assert main([verb, *VERBS[verb], "--svg", str(folder)]) == 0
    files = sorted(folder.iterdir())
    assert len(files) == number
    for file in files:
        assert file.suffix == ".svg"
        svg_of(file.read_text())
    assert "┃" in capsys.readouterr().out or verb in WITHOUT_TEXT  # text as well


@pytest.mark.parametrize("verb", mostly_long(2, ["solve", *PICTURES]))
def test_several_pictures_are_one_valid_document(verb, tmp_path, capsys):
    file = tmp_path / "all.svg"
    assert main([verb, *VERBS[verb], "--svg", str(file)]) == 0
    capsys.readouterr()
    assert main([verb, *VERBS[verb], "--svg"]) == 0
    printed = capsys.readouterr().out
    assert printed == file.read_text()
    titles = list(svg_of(printed).iter("{http://www.w3.org/2000/svg}title"))
    number = PICTURES.get(verb, 1)
    assert len(titles) == (1 if number == 1 else number + 1)


def test_the_files_hold_the_pictures(tmp_path):
    assert main(["solve", EASY, "--svg", str(tmp_path)]) == 0
    assert main(["enumerate", REPEATED, "--svg", str(tmp_path), "--quiet"]) == 0
    assert main(["count", SEVERAL, "--cells", "--svg", str(tmp_path), "--json"]) == 0
    puzzle, other, third = map(milp_pips.read, (EASY, REPEATED, SEVERAL))
    drawn = {
        "easy": milp_pips.draw(puzzle, milp_pips.solve(puzzle).solution),
        "several": milp_pips.count(third, cells=True).drawing(),
    }
    drawn |= {
        f"repeated-{n}": milp_pips.draw(other, found) for n, found in enumerate(milp_pips.solutions(other), 1)
    }
    assert {file.stem: file.read_text() for file in tmp_path.iterdir()} == {
        name: to_svg(drawing) for name, drawing in drawn.items()
    }


def test_pictures_beside_json(tmp_path, capsys):
    assert main(["enumerate", REPEATED, "--json"]) == 0
    plain = capsys.readouterr().out.splitlines()
    assert main(["enumerate", REPEATED, "--json", "--svg", str(tmp_path)]) == 0
    assert capsys.readouterr().out.splitlines()[:-1] == plain[:-1]
    assert len(list(tmp_path.iterdir())) == 2
    assert main(["solve", EASY, "--json", "--svg"]) == 2
    assert "name a file or a directory after --svg" in capsys.readouterr().err


def test_the_only_file_is_the_puzzle(capsys):
    assert main(["show", EASY, "--svg"]) == 0
    printed = capsys.readouterr().out
    assert main(["show", "--svg", EASY]) == 0
    assert capsys.readouterr().out == printed


def test_no_file_that_is_no_picture_is_written_over(tmp_path, capsys):
    board = tmp_path / "board.txt"
    board.write_text("mine")
    assert main(["show", EASY, "--svg", str(board)]) == 2
    assert capsys.readouterr().err == (
        f"milp-pips: {board}: a file, but no .svg: expected a directory, or a name ending in .svg\n"
    )
    assert board.read_text() == "mine"


def test_a_document_holds_so_many_pictures(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(output, "MAX_PICTURES", 10)
    file = tmp_path / "all.svg"
    assert main(["enumerate", SEVERAL, "--quiet", "--svg", str(file)]) == 0
    assert len(list(svg_of(file.read_text()).iter("{http://www.w3.org/2000/svg}title"))) == 11
    assert "46 more pictures are left out: --svg DIRECTORY" in capsys.readouterr().err


@pytest.mark.parametrize("verb", [verb for verb in VERBS if verb not in ("strength", "tree", "filter")])
def test_colours_can_be_asked_for_and_refused(verb, capsys, monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    assert main([verb, *VERBS[verb], "--color", "always"]) == 0
    assert "\x1b[38;5;" in capsys.readouterr().out
    for when in ("auto", "never"):
        assert main([verb, *VERBS[verb], "--color", when]) == 0
        assert "\x1b" not in capsys.readouterr().out


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_no_colours_in_a_terminal_if_none_are_wanted(monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    for options, coloured in (([], True), (["--color", "never"], False)):
        monkeypatch.setattr(sys, "stdout", Terminal())
        assert main(["show", EASY, *options]) == 0
        assert ("\x1b" in sys.stdout.getvalue()) is coloured


@pytest.mark.parametrize(("columns", "told"), [("16", 1), ("17", 0)])
def test_a_picture_that_is_wider_than_the_terminal_says_so_once(columns, told, capsys, monkeypatch):
    monkeypatch.setattr(sys, "stdout", Terminal())
    monkeypatch.setenv("COLUMNS", columns)
    assert main(["show", EASY, EASY]) == 0
    wide = "the picture is 17 columns wide, the terminal 16: --svg PICTURE.svg draws it"
    monkeypatch.undo()
    assert capsys.readouterr().err.count(wide) == told


def test_json_is_alone_on_standard_output(tmp_path, capsys):
    for verb in ("solve", "sample", "explain", "hint"):
        assert main([verb, EASY, "--json", "--svg", str(tmp_path / verb)]) == 0
        assert isinstance(json.loads(capsys.readouterr().out), dict)
        assert len(list((tmp_path / verb).iterdir())) == 1
