"""Screenshots that we draw ourselves are read again; doubts, refusals, and the choice of a reading."""

from __future__ import annotations

import io
import json
import random
import struct
import zlib
from math import log

import pytest
from pictures import drawn, is_marked, wrong_parts
from thoroughness import few_or_many, mostly_long

from milp_pips.cli import main
from milp_pips.extras.picture import reading
from milp_pips.extras.picture.alternatives import Alternative
from milp_pips.extras.picture.draft import as_text, puzzle_of
from milp_pips.extras.picture.pixels import Pixels, pixels_of
from milp_pips.problem.errors import InputError
from milp_pips.problem.stopping import Deadline
from milp_pips.puzzles.reading import read_text
from milp_pips.views.schema import schema

Image = pytest.importorskip("PIL.Image")


@pytest.fixture(scope="module")
def easy():
    """A kind, its puzzle, and a screenshot at half its size, which is read faster."""
    kind, puzzle, image = drawn(13)
    return kind, puzzle, image.resize((image.width // 2, image.height // 2))


@pytest.mark.parametrize("number", mostly_long(1, (4, 5, 0, 1, 2, 3)))
def test_each_kind_of_screenshot_is_read_exactly(number):
    _, puzzle, image = drawn(number)
    if number not in few_or_many((4,), range(6)):
        image = image.resize((image.width // 2, image.height // 2))
    draft = reading.read_picture(pixels_of(image), "drawn", Deadline(60))
    assert wrong_parts(draft, puzzle) == set()
    assert draft.is_solvable


@pytest.mark.long
@pytest.mark.parametrize("tilt", mostly_long(1, (2, -3)))
def test_a_tilted_picture_is_read_or_marked(easy, tilt):
    _, puzzle, image = easy
    image = image.convert("RGB").rotate(tilt, Image.Resampling.BICUBIC, expand=True, fillcolor="white")
    draft = reading.read_picture(pixels_of(image), "tilted", Deadline(60))
    assert len(wrong_parts(draft, puzzle)) <= 2
    assert all(is_marked(part, draft) for part in wrong_parts(draft, puzzle))


def test_inverted_colours_are_read_and_other_dark_pictures_are_named(easy):
    _, puzzle, image = easy
    inverted = Pixels(image.width, image.height, pixels_of(image).data.translate(bytes(range(255, -1, -1))))
    assert wrong_parts(reading.read_picture(inverted, "inverted", Deadline(60)), puzzle) == set()
    night = Pixels(100, 100, bytes([20, 20, 30, 255]) * 10_000)
    with pytest.raises(InputError, match="the picture is dark; expected a screenshot in light mode"):
        reading.read_picture(night, "night", Deadline(60))


def test_the_text_is_the_puzzle(easy, tmp_path, capsys):
    _, puzzle, image = easy
    image.save(tmp_path / "shot.png")
    assert main(["read-picture", str(tmp_path / "shot.png")]) == 0
    printed = capsys.readouterr()
    assert "16 cells, 7 regions, 8 dominoes" in printed.err
    (read,) = read_text(printed.out, "shot").values()
    assert sorted(read.cells) == sorted(puzzle.cells)
    assert read.dominoes == puzzle.dominoes
    assert {region.cells: region.sign for region in read.regions} == {
        tuple(sorted(region.cells)): region.sign for region in puzzle.regions if region.rule
    }


def test_the_likeliest_reading_with_a_solution_is_chosen(easy, monkeypatch):
    """A sum that no dominoes reach is likelier by its looks; the puzzle has no solution with it."""
    _, puzzle, image = easy
    looks = reading.read_tag

    def misread(picture, grid, tag):
        right = looks(picture, grid, tag)[0].value
        wrong = "<1" if right.isdigit() and int(right) > 0 else None
        if wrong is None:
            return (Alternative(right, 0.0),)
        return (Alternative(wrong, log(0.8)), Alternative(right, log(0.2)))

    monkeypatch.setattr(reading, "read_tag", misread)
    draft = reading.read_picture(pixels_of(image), "drawn", Deadline(60))
    assert draft.is_solvable
    assert all(is_marked(part, draft) for part in wrong_parts(draft, puzzle))
    comments = [line for line in as_text(draft, "x").splitlines() if "// doubtful: the tag says" in line]
    assert any("or <1" in line for line in comments)


def test_readings_come_in_the_order_of_their_likelihood():
    parts = [
        (Alternative("a", log(0.6)), Alternative("b", log(0.3)), Alternative("c", log(0.1))),
        (Alternative("d", log(0.55)), Alternative("e", log(0.45))),
    ]
    found = list(reading._by_likelihood(parts))
    costs = [sum(part[i].likelihood for part, i in zip(parts, choice, strict=True)) for choice in found]
    assert len(set(found)) == 6
    assert costs == sorted(costs, reverse=True)


def test_a_board_that_the_dominoes_do_not_cover_is_a_draft_with_a_doubt(easy):
    image = easy[2]
    fewer = image.copy()
    pixels = pixels_of(image)
    ring = max(reading.find_dominoes(pixels), key=lambda domino: domino.top)
    fewer.paste("white", (0, ring.top - 2, image.width, image.height))
    draft = reading.read_picture(pixels_of(fewer), "drawn", Deadline(60))
    assert draft.is_solvable is None
    assert "but there are" in draft.doubts[0].words
    with pytest.raises(InputError, match="cannot be covered"):
        puzzle_of(draft)
    assert "// doubtful: the board has" in as_text(draft, "shot.png")


def photograph(width, height):
    rng = random.Random(1)
    small = Image.frombytes("RGB", (width // 8, height // 8), rng.randbytes(width // 8 * (height // 8) * 3))
    return small.resize((width, height), Image.Resampling.BICUBIC)


@pytest.mark.parametrize(
    ("picture", "message"),
    [
        pytest.param(photograph(640, 480), "photograph", marks=pytest.mark.long),
        (Image.effect_noise((640, 480), 90), "photograph"),
        (Image.new("RGB", (300, 300), "white"), "no Pips puzzle"),
        (Image.new("RGB", (20, 300), "white"), "20 × 300 pixels"),
    ],
)
def test_other_pictures_are_refused_with_one_sentence(picture, message, tmp_path, capsys):
    file = tmp_path / "other.png"
    picture.save(file)
    assert main(["read-picture", str(file)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert message in line
    assert "other.png" in line


def png(width, height, data=b""):
    def chunk(name, content):
        return (
            struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))
        )

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", head)
        + chunk(b"IDAT", zlib.compress(data))
        + chunk(b"IEND", b"")
    )


def test_damaged_and_hostile_files_get_one_line_each(easy, tmp_path, capsys):
    whole = io.BytesIO()
    easy[2].save(whole, "PNG")
    hostile = {
        "bomb.png": png(100_000, 100_000),
        "empty.png": b"",
        "nothing.png": png(0, 0),
        "text.png": b"4\nAB\n",
        "truncated.png": whole.getvalue()[: len(whole.getvalue()) // 2],
        "script.eps": b"%!PS-Adobe-3.0 EPSF-3.0\n(/etc/passwd) (r) file\n",
    }
    for name, content in hostile.items():
        (tmp_path / name).write_bytes(content)
    files = [str(tmp_path / name) for name in [*hostile, "absent.png"]]
    assert main(["read-picture", *files, "--out", str(tmp_path / "out")]) == 2
    printed = capsys.readouterr()
    lines = printed.err.splitlines()
    assert [line.split("/")[-1].split(":")[0] for line in lines] == [*hostile, "absent.png"]
    assert "too many pixels for a screenshot" in lines[0]
    assert not list((tmp_path / "out").iterdir())


@pytest.mark.long
def test_several_pictures_need_a_directory(easy, tmp_path, capsys):
    easy[2].save(tmp_path / "a.png")
    (tmp_path / "b").mkdir()
    easy[2].save(tmp_path / "b" / "a.png")
    files = [str(tmp_path / "a.png"), str(tmp_path / "b" / "a.png")]
    assert main(["read-picture", *files]) == 2
    assert "name a directory with --out" in capsys.readouterr().err
    assert main(["read-picture", *files, "--out", str(tmp_path / "out"), "--json"]) == 0
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["a-2.txt", "a.txt"]
    first, second = map(json.loads, capsys.readouterr().out.splitlines())
    jsonschema = pytest.importorskip("jsonschema")
    jsonschema.Draft202012Validator(schema("read-picture") | {"unevaluatedProperties": False}).validate(first)
    assert first["rows"] == second["rows"]
    assert first["solvable"]


def test_without_pillow_one_line_says_what_to_install(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(__import__("sys").modules, "PIL.Image", None)
    assert main(["read-picture", str(tmp_path / "a.png")]) == 2
    assert "pip install '.[picture]'" in capsys.readouterr().err


@pytest.mark.parametrize("size", [(0, 0, b""), (200, 200, b"1234"), (10_000, 10_000, b"")])
def test_pixels_have_the_size_that_they_state(size):
    with pytest.raises(InputError):
        Pixels(*size)
