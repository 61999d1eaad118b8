"""``compare`` and ``report`` show the same figures: every number of the one is held against the other."""

from __future__ import annotations

import csv
import json
import math
import re
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from xml.etree import ElementTree

import pytest
from results import SESSION, run

from milp_pips.cli import main
from milp_pips.extras.bench.campaign import instances
from milp_pips.extras.bench.figures import FIGURES, TABLE_FIGURES, Benchmark, duration
from milp_pips.extras.bench.report import report
from milp_pips.extras.bench.store import Store

pytest.importorskip("matplotlib")

EXAMPLES = [str(path) for path in sorted((Path(__file__).parents[2] / "examples" / "pips").glob("*.txt"))[:9]]
NAMES = ("brute", "highs/projected", "sat")
WORDS = ("compare", *EXAMPLES, *(word for name in NAMES for word in ("--run", name)), "--repeats", "2")
INTERVALS = {"mean": ("mean_low", "mean_high"), "median": ("median_low", "median_high")}
"""What stands in the column after that of the figure."""
ON_PAGE = (
    "puzzles",
    "solved",
    "best",
    "rank",
    "mean",
    "par2",
    "par10",
    "median",
    "processor",
    "load",
    "wrong",
    "errors",
    "missing",
)


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """Results of all runs, so that none is made: two repeats; not all solved, one wrong, one crash."""
    path = str(tmp_path_factory.mktemp("same") / "r.sqlite")
    with Store(path, new=True) as store:
        store.add(SESSION)
        for place, puzzle in enumerate(instances(EXAMPLES)):
            number = store.add(puzzle.record)
            for column, name in enumerate(NAMES):
                for repeat in range(2):
                    seconds = 0.1 * (1 + column) * 1.7 ** ((place + 4 * column) % 9) + repeat / 7
                    made = run(name, seconds if column != 2 or place < 4 else math.inf, limit=10.0)
                    if (column, repeat) == (1, 1) and place in (2, 5):
                        made = replace(made, status={2: "wrong", 5: "error"}[place], solutions=0)
                    rules = {"repeat": repeat, "instance": number, "rules": "filtering"}
                    busy = {
                        "clock_processor_seconds": 0.97 * (made.seconds or 0),
                        "load": 0.3 + place + repeat,
                    }
                    store.add(replace(made, **rules, **busy))
    return path


def asked(capsys, file, *words):
    assert main([*WORDS, "--time-limit", "10", "--out", file, *words]) == 0
    return capsys.readouterr().out.splitlines()


@pytest.fixture
def figures(file, capsys):
    """What ``compare --json`` says, by configuration."""
    rows = [json.loads(line) for line in asked(capsys, file, "--json")]
    return {**{row.pop("configuration"): row for row in rows[:-1]}, "virtual best": rows[-1]["virtual_best"]}


def written(name, row, seconds, unsolved):
    """Return how a figure must be shown."""
    if name not in row or (row[name] is None and re.search("mean|_low", name) and row["puzzles"] < 6):
        return "–"
    if name in ("rank", "load"):
        return f"{row[name]:.{1 + (name == 'rank')}f}"
    if isinstance(row[name], int) and list(FIGURES).index(name) < list(FIGURES).index("rank"):
        return str(row[name])
    return unsolved if row[name] is None else seconds(row[name])


def in_text(lines):
    cells = [re.split(" {2,}", line) for line in lines[1:5]]
    return {(row[0], name): cell for row in cells for name, cell in zip(TABLE_FIGURES, row[1:], strict=True)}


def in_markdown(made):
    cells = [
        [cell.strip() for cell in line.split("|")[1:-1]] for line in made.summary.splitlines() if "|" in line
    ]
    return {
        (row[0], name): cell for row in cells[2:] for name, cell in zip(TABLE_FIGURES, row[1:], strict=True)
    }


def on_page(made):
    tree = ElementTree.fromstring(made.files["report.html"])
    rows = [
        [" ".join("".join(cell.itertext()).split()) for cell in row]
        for row in next(tree.iter("table")).iter("tr")
    ]
    _, solved, *heads = [head.replace("‑", "-") for head in rows[0]]
    names: list[object] = ["solved"]
    for head in heads:
        name = next((name for name in ON_PAGE if FIGURES[name] == head), None)
        names.append(name or INTERVALS[names[-1]])
    found = {(row[0], name): cell for row in rows[1:] for name, cell in zip(names, row[1:], strict=True)}
    return {**found, (rows[1][0], "puzzles"): solved.removeprefix("solved of ")}


def in_table(made):
    rows = [row for row in csv.DictReader(made.files["figures.csv"].splitlines()) if not row["folder"]]
    return {(row["configuration"], name): row[name] for row in rows for name in FIGURES}


def differing(shown, figures, write):
    """Return the cells that do not show what ``compare --json`` says."""
    assert {configuration for configuration, _ in shown} == set(figures)
    return {cell for cell, text in shown.items() if text != write(cell[1], figures[cell[0]])}


def as_text(name, row):
    return written(name, row, lambda value: f"{value:.3f}", ">10.000")


def with_units(name, row):
    if isinstance(name, tuple):
        low, high = (written(end, row, duration, "> 10 s") for end in name)
        return low if low == high else f"{low} – {high}"
    return written(name, row, duration, "> 10 s")


def as_number(name, row):
    return "" if row.get(name) is None else str(row[name])


def in_report(made, figures):
    return (
        differing(in_markdown(made), figures, with_units),
        differing(on_page(made), figures, with_units),
        differing(in_table(made), figures, as_number),
    )


def test_every_number_is_the_same(file, figures, capsys):
    lines = asked(capsys, file)
    assert lines[5].startswith("54 of 54 runs")  # all are there: nothing is measured here
    assert differing(in_text(lines), figures, as_text) == set()
    assert in_report(report(file), figures) == (set(), set(), set())
    known = {name: row for name, row in figures.items() if name != "virtual best"}
    assert all(set(row) == set(FIGURES) for row in known.values())
    assert [(row["solved"], row["unsolved"], row["wrong"], row["errors"]) for row in known.values()] == [
        (9, 0, 0, 0), (7, 1, 1, 1), (4, 5, 0, 0),
    ]  # fmt: skip
    assert known["sat"]["median"] is None
    assert sum(row["best"] for row in known.values()) == 9


def test_a_number_that_is_not_the_same_is_noticed(file, figures, monkeypatch):
    """Every figure of the report is altered: each cell with one must be found to differ."""

    def other(value):
        return 77 if isinstance(value, int) else value * 1.5 + 1 if math.isfinite(value) else 0.5

    def altered(row):
        numbers = {name: value for name in FIGURES if (value := getattr(row, name)) is not None}
        return replace(row, **{name: other(value) for name, value in numbers.items()})

    true_rows, true_best = Benchmark.standings.func, Benchmark.virtual_best.func
    for name, false in (
        ("standings", lambda self: tuple(map(altered, true_rows(self)))),
        ("virtual_best", lambda self: altered(true_best(self))),
    ):
        false = cached_property(false)
        false.__set_name__(Benchmark, name)
        monkeypatch.setattr(Benchmark, name, false)
    made = report(file)
    markdown, page, numbers = in_report(made, figures)
    told = {(name, figure) for name, row in figures.items() for figure in row}
    assert markdown == {(name, figure) for name, figure in told if figure in TABLE_FIGURES}
    assert numbers == told
    assert {name for _, name in page} == {*ON_PAGE, *INTERVALS.values()}
    for name in (*ON_PAGE[1:], *INTERVALS.values()):
        for configuration, row in figures.items():
            assert ((configuration, name) in page) == bool(
                row.keys() & {*([name] if name in FIGURES else name)}
            )
