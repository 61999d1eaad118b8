"""The tour of the code: twelve files that exist, few enough lines for an evening, and current line counts.

``pytest tests/docs/test_tour.py -m docs --update`` writes the line counts into the page.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TOUR = ROOT / "docs" / "tour.md"
STOPS, MOST_LINES_OF_TOUR = 12, 1800
ROW = re.compile(r"^\| (\d+) \| `(milp_pips/[\w/]+\.py)` \| ([^|]*) \| (\d*) \|$", re.MULTILINE)
TOTAL = re.compile(r"^\| \| \| all (\w+) files \| ([\d,]*) \|$", re.MULTILINE)


def line_count(file: str) -> int:
    return len((ROOT / file).read_text(encoding="utf-8").splitlines())


def with_line_counts(text: str) -> str:
    """Return the page with the line count of each file, and their total."""
    total = sum(line_count(file) for _, file, _, _ in ROW.findall(text))
    text = ROW.sub(lambda row: f"| {row[1]} | `{row[2]}` | {row[3]} | {line_count(row[2])} |", text)
    return TOTAL.sub(lambda row: f"| | | all {row[1]} files | {total:,} |", text)


def test_the_line_counts_of_the_tour_are_current(request):
    text = TOUR.read_text(encoding="utf-8")
    if request.config.getoption("--update"):
        TOUR.write_text(text := with_line_counts(text), encoding="utf-8")
    if text != with_line_counts(text):
        pytest.fail("files have grown or shrunk: run pytest tests/docs/test_tour.py -m docs --update")


def test_the_tour_takes_an_evening():
    rows = ROW.findall(TOUR.read_text(encoding="utf-8"))
    assert [int(number) for number, *_ in rows] == list(range(1, STOPS + 1))
    assert sum(line_count(file) for _, file, _, _ in rows) <= MOST_LINES_OF_TOUR


def test_each_stop_has_its_section():
    """The section of a stop is named after the file, and each name of the code in it stands in that file."""
    text = TOUR.read_text(encoding="utf-8")
    for number, file, _, _ in ROW.findall(text):
        (section,) = re.findall(rf"^## {number}\. .*\n((?:(?!## ).*\n)*)", text, re.MULTILINE)
        code = (ROOT / file).read_text(encoding="utf-8")
        assert f"`{file.removeprefix('milp_pips/')}`" in section, file
        names = re.findall(r"Look at `([\w.]+)`", section)
        assert names, file
        for name in names:
            assert re.search(rf"\b{name.rpartition('.')[2]}\b", code), (file, name)
