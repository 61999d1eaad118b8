"""The study: a command that goes on, tables and plots of its runs, advice that the defaults follow."""

from __future__ import annotations

import argparse
import csv
import re
from functools import partial
from pathlib import Path

import pytest
import study
import study_design
import study_plots
import study_tables
from study_design import ALL, BEST, CONFIRMED, DEFAULT, FIRST, TREE, Series

from milp_pips.engines import defaults

ROOT = Path(__file__).parents[2]
KEPT = sorted((ROOT / "benchmarks" / "results").glob("*/study.csv"))[-1].parent
HEAD = ("question", "group", "point", "puzzle", "way", "status", "seconds", "solutions", "value")


def test_every_way_stands_for_an_approach_or_is_a_default():
    for series in study_design.series(Path(), Path()):
        assert series.group in study_design.TITLES
        for question in series.questions:
            ways = series.ways(question)
            assert DEFAULT in ways
            assert [way for way in ways if not study_design.approach_of(way)] == [
                way for way in ways if way in (DEFAULT, CONFIRMED)
            ]


@pytest.fixture
def tiny(monkeypatch):
    """Return a function that makes the study consist of two models and two boards."""

    def become(values=(6, 7), ways=(TREE, DEFAULT)):
        knapsacks = partial(study_design.make_models, "knapsack")
        boards = partial(study_design.make, "dominoes", 1)
        of_all = [
            Series("models", "knapsack", values, knapsacks, (FIRST, ALL, BEST)),
            Series("dominoes", "dominoes", (4,), boards, (FIRST, ALL, BEST), {}, "random(1)"),
        ]
        own = dict.fromkeys(study_design.QUESTIONS, ways)
        monkeypatch.setattr(study_design, "WAYS_FOR_MODELS", own)
        monkeypatch.setattr(study_design, "WAYS", dict.fromkeys(own, ("brute", "diagram", DEFAULT)))
        monkeypatch.setattr(study, "series", lambda _published, _models: of_all)

    return become


def runs_of(folder):
    arguments = argparse.Namespace(
        folder=folder, out=folder / "kept", published=None, models=None, minutes=5.0
    )
    study.run(argparse.Namespace(**{**vars(arguments), "out": folder}))
    study.keep(arguments)
    with (folder / "kept" / "study.csv").open(newline="") as text:
        return list(csv.DictReader(text))


def test_the_command_goes_on_and_its_runs_become_tables(tiny, tmp_path, capsys):
    tiny()
    before = runs_of(tmp_path)
    assert capsys.readouterr().out == "33 runs; nothing is left\n"
    assert {run["status"] for run in before} == {"solved"}
    assert runs_of(tmp_path) == before, "nothing was run twice"
    assert capsys.readouterr().out == "0 runs; nothing is left\n"
    blocks = study_tables.read(tmp_path / "kept")
    assert [(one.question, one.group) for one in blocks] == [
        (question, group) for question in (FIRST, ALL, BEST) for group in ("dominoes", "models")
    ]
    lines = study_tables.answers(blocks).splitlines()
    assert re.match(r"\| Generated dominoes \| first solution \| – \| – \| – \| – \| \*\*`\w+` \d", lines[2])
    assert "33 runs in" in study_tables.made_by(tmp_path / "kept")


def test_a_way_that_fails_is_not_asked_at_larger_sizes(tiny, tmp_path, monkeypatch):
    monkeypatch.setitem(study.LIMITS, FIRST, 0.0)
    tiny(ways=(TREE,))
    points = {
        run["point"] for run in runs_of(tmp_path) if (run["question"], run["group"]) == (FIRST, "models")
    }
    assert points == {"knapsack-06"}


def write(folder, *rows):
    with (folder / "study.csv").open("w", newline="") as text:
        writer = csv.writer(text)
        writer.writerow(HEAD)
        writer.writerows(rows)


def test_figures_of_a_table(tmp_path):
    of_all = ("all", "models", "cover-20")
    rows = [
        *((*of_all, f"p{n}", "tree", "solved", 0.1, 4, "") for n in range(8)),
        *((*of_all, f"p{n}", "default", "solved", 0.2, 4, "") for n in range(7)),
        (*of_all, "p7", "default", "unknown", 5.0, 0, ""),
        *((*of_all, f"p{n}", "clingo by hand", "solved", 0.4, 4, "") for n in range(2)),
        (*of_all, "p2", "clingo by hand", "error", 0.4, 0, ""),
        *((*of_all, f"p{n}", "cuts by hand", "declined", 0.0, 0, "") for n in range(1, 8)),
        (*of_all, "p0", "cuts by hand", "solved", 0.3, 4, ""),
    ]
    write(tmp_path, *rows)
    (block,) = study_tables.read(tmp_path)
    assert study_tables.standings(block).splitlines()[2:] == [
        "| `tree` | MIP | 8 of 8 | 0.100 | 0.100 | 1 | – |",
        # seven times twice as long, once the limit, which is 50 times as long; the sign test gives 2/2^8
        "| `default` | – | 7 of 8 | 0.200 | 0.299 | 2.00 (2.00 to 2.00) | 0.023 |",
        # what was not asked counts as the limit
        "| `clingo by hand` | ASP | 2 of 8, 1 failed | limit | 2.66 | 50.00 (4.00 to 50.00) | 0.023 |",
        "| `cuts by hand` | MIP | 1 of 8, takes 1 | 0.300 | 0.300 | 3.00 | 1.000 |",
    ]


def test_ways_that_disagree_are_refused(tmp_path):
    of_all = ("best", "models", "cover-20", "p1")
    write(
        tmp_path,
        (*of_all, "tree", "solved", 0.1, 1, "7"),
        (*of_all, "highs", "solved", 0.1, 1, "7.000000001"),
        (*of_all, "sat", "solved", 0.1, 1, "8"),
    )
    with pytest.raises(ValueError, match=r"^best models cover-20 p1: tree has 7, sat has 8$"):
        study_tables.read(tmp_path)


def test_the_pages_show_what_is_kept():
    for document in study_tables.DOCUMENTS:
        text = document.read_text(encoding="utf-8")
        assert study_tables.fill_text(text, KEPT) == text
    places = [
        name
        for document in study_tables.DOCUMENTS
        for _, name, _ in study_tables.BLOCK.findall(document.read_text(encoding="utf-8"))
    ]
    assert sorted(places) == sorted(study_tables.tables(KEPT))


def test_the_plots_of_the_study_are_of_its_runs(tmp_path):
    study_plots.draw(study_tables.read(KEPT), tmp_path)
    drawn = sorted(tmp_path.glob("*.svg"))
    assert drawn
    for file in drawn:
        texts = [one.read_text(encoding="utf-8") for one in (file, ROOT / "docs" / file.name)]
        labels = [sorted(re.findall(r">([^<>\n]+)</text>", text)) for text in texts]
        assert labels[0] == labels[1]


def test_the_advice_is_what_the_defaults_do():
    text = (ROOT / "docs" / "study.md").read_text(encoding="utf-8")
    _, _, advice = text.partition("## What to use when\n")
    rows = re.findall(r"^\| (.*?) ?\| (.*?) \| (.*?) \|", advice, re.MULTILINE)
    stated, what = {}, ""
    for wanted, of, how in rows:
        what = wanted or what
        if named := tuple(re.findall(r"`([\w-]+)`", how)):
            stated[what, of] = named
    few, many = defaults.FEW_OPEN_VALUES, defaults.MANY_OPEN_VALUES
    most = defaults.MANY_OPEN_FOR_OPTIMUM
    assert stated == {
        ("a first solution", f"a puzzle with fewer than {few} open values"): (defaults.SHORT_SEARCH,),
        ("a first solution", f"{few} or more"): defaults.CLAUSE_LEARNING_SOLVERS[:1],
        ("a first solution", f"a board of dominoes with {many} or more"): defaults.LAYOUT_SEARCH_SOLVERS[:1],
        ("all solutions", "a puzzle"): (defaults.STRATEGIES_FOR_PROBLEMS[0], defaults.ENUMERATORS[0]),
        ("all solutions", "a linear model"): defaults.STRATEGIES_FOR_MODELS[:1],
        ("the best solution", f"a puzzle with fewer than {most} open values"): defaults.OPTIMISERS[:1],
        ("the best solution", f"{most} or more"): defaults.OPTIMISERS[1:],
        ("the best solution", "a linear model"): defaults.MODEL_SOLVERS[:1],
    }
