"""The study: groups that can be made, a command that goes on and tells who is absent, a page of tables."""

from __future__ import annotations

import argparse
import csv
import io
import json
import re
import subprocess
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from types import SimpleNamespace

import pytest
import study
import study_groups
import study_tables
from study_groups import GROUPS, Campaign, Group, Series

from milp_pips.cli import main
from milp_pips.extras.bench.cli import compare_verb
from milp_pips.extras.generate.generate import request_for

ROOT = Path(__file__).parents[2]
PARAMETERS = ("dominoes", "pips", "region_sizes", "rules")
PAGE = "before\n<!-- table: tiny first -->\n\n*Not measured yet.*\n\n<!-- end -->\nafter\n"


@pytest.mark.parametrize("name", GROUPS)
def test_a_group_can_be_made(name):
    group = study_groups.group(name)
    assert group.when_named == (name in PARAMETERS)
    for series in group.series:
        for value in series.values:
            if not (series.published or series.made):
                options = {**series.options, series.vary: value}
                family = options.pop("family", "pips")
                own = {n: v for n, v in options.items() if n not in ("seed", "unique", "solutions")}
                request_for(family, **{n.replace("-", "_"): v for n, v in own.items()}).maker()
        assert not series.made or hasattr(study.instances, series.made)
    shapes = [
        (s.options.get("family"), s.vary, s.options.get("regions"), s.options.get("seed"))
        for s in group.series
    ]
    assert len(set(shapes)) == len(shapes), "no puzzle is in two series, since it would count in one"
    for campaign in group.campaigns:
        assert campaign.series
        assert all(map(study_groups.approach_of, campaign.configurations))
        options = {"paths": ["x"], "time-limit": 5, **campaign.names, "run": campaign.configurations}
        parser = argparse.ArgumentParser()
        compare_verb.add_arguments(parser)
        stated = parser.parse_args(study.words_of_comparison({**options, "out": "results.sqlite"})[1:])
        assert len(stated.run) == len(campaign.configurations)
        assert (stated.rules is not None and not stated.rules) == campaign.unfiltered


def asked(out, **more):
    usual = {"out": out, "published": None, "quick": False, "only": ["tiny"], "engines": None, "jobs": None}
    return argparse.Namespace(**{**usual, **more})


@pytest.fixture
def tiny(monkeypatch):
    """Return a function that makes the study consist of one tiny group."""

    def become(limit: float, engines: tuple[str, ...], sizes: tuple[int, ...] = (1, 2)) -> Group:
        size = Series("size", "dominoes", sizes, 1, {"seed": 1}, grows=True)
        level = Series("level", "level", ["easy"], 1, {}, published=True)
        campaign = Campaign("first", engines, (size, level), {"task": "first", "time-limit": limit})
        group = Group("tiny", "Tiny puzzles", (size, level), (campaign,), False)
        for module in (study, study_tables):
            monkeypatch.setattr(module, "group", lambda _: group)
            monkeypatch.setattr(module, "GROUPS", ("tiny",))
        return group

    return become


def runs(out):
    with (out / "tiny.csv").open(newline="") as text:
        return list(csv.DictReader(text))


@pytest.fixture
def in_this_process(monkeypatch):
    """Run the commands of the study here; the next test runs them as they are, each in a process."""

    def run(words, **_):
        with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()) as errors:
            status = main(words)
        return subprocess.CompletedProcess(words, status, "", errors.getvalue())

    monkeypatch.setattr(study, "command", lambda *words: list(words))
    monkeypatch.setattr(study, "milp_pips", lambda *words: run(list(words)).check_returncode())
    monkeypatch.setattr(study, "subprocess", SimpleNamespace(run=run))


@pytest.mark.usefixtures("in_this_process")
def test_the_command_goes_on_leaves_out_who_is_absent_and_fills_the_tables(tiny, tmp_path, capsys):
    tiny(20, ("diagram", "brute", "nobody"), sizes=(1,))
    study.Study(asked(tmp_path)).run()
    told = capsys.readouterr().out
    assert "left out: nobody: unknown solver 'nobody'" in told
    assert "left out: Tiny puzzles, by level: no --published FOLDER" in told
    before = runs(tmp_path)
    ran = sorted((run["folder"], run["solver"]) for run in before)
    assert ran == [("size-01", "brute"), ("size-01", "diagram")]
    assert all(run["success"] == "1" and float(run["seconds"]) > 0 for run in before)
    assert (tmp_path / "tiny" / "report" / "report.html").exists()

    study.Study(asked(tmp_path)).run()
    assert runs(tmp_path) == before, "nothing was run twice"

    page = tmp_path / "page.md"
    page.write_text(PAGE)
    study_tables.fill(page, [tmp_path])
    filled = page.read_text()
    cells = r"`diagram` \| search \| 0\.\d{3,4} \| 1 of 1 \| 0\.\d{3,4}"
    assert re.search(rf"^\| {cells} \|$", filled, re.MULTILINE)
    study_tables.fill(page, [tmp_path])
    assert page.read_text() == filled
    assert filled.startswith("before\n")
    assert filled.endswith("<!-- end -->\nafter\n")
    assert "2 runs in" in study_tables.tables([tmp_path])["made by"]
    assert json.loads((tmp_path / "study.json").read_text())["left_out"].keys() == {"nobody"}


def test_an_engine_that_solved_nothing_is_not_asked_at_larger_sizes(tiny, tmp_path, capsys):
    tiny(0.00001, ("diagram",))
    study.Study(asked(tmp_path)).run()
    assert "diagram has solved nothing at size-01: not asked at larger ones" in capsys.readouterr().out
    assert [run["folder"] for run in runs(tmp_path)] == ["size-01"]
    assert "| limit | 0 of 1 | 0.0000 |" in study_tables.tables([tmp_path])["tiny first"]


def test_figures_of_a_table(tiny, tmp_path):
    group = tiny(10, ("diagram", "brute"))
    rows = [
        ("size-01", "a", "diagram", "1", 0.5, "solved"),
        ("size-01", "b", "diagram", "1", 1.5, "solved"),
        ("size-02", "c", "diagram", "0", 10.0, "unknown"),
        ("size-01", "a", "brute", "1", 1.0, "solved"),
        ("size-01", "a", "brute", "0", 10.0, "wrong"),
        ("size-01", "b", "brute", "1", 2.0, "solved"),
    ]
    with (tmp_path / "tiny.csv").open("w", newline="") as text:
        writer = csv.writer(text)
        names = "folder name configuration success seconds status task rules time_limit"
        writer.writerow(names.split())
        writer.writerows((*row, "first", "bounds", 10) for row in rows)
    (question,) = study_tables.read(group, tmp_path / "tiny.csv")
    assert study_tables.by_point(question).splitlines() == [
        "| engine | approach | 1 | 2 | solved | mean s |",
        "| --- | --- | --- | --- | --- | --- |",
        # (1.5 · 2.5 · 11)^(1/3) - 1; one run of a's failed, so brute has not solved a
        "| `diagram` | search | 1.000 | limit | 2 of 3 | 2.455 |",
        # (11 · 3 · 11)^(1/3) - 1: what it was not asked counts as the limit
        "| `brute` | search | limit (1 of 2) | – | 1 of 3, 1 wrong | 6.133 |",
    ]


def test_the_pages_have_a_place_for_every_table_and_show_what_is_kept():
    texts = [document.read_text(encoding="utf-8") for document in study_tables.DOCUMENTS]
    wanted = {"made by", "approaches", "filtering"}
    for group in map(study_groups.group, GROUPS):
        if not group.when_named:
            wanted |= {f"{group.name} {c.name}" for c in group.campaigns if not c.unfiltered}
            wanted |= {f"{group.name} {c.name} found" for c in group.campaigns if c.has_objective}
    places = [name for text in texts for _, name, _ in study_tables.BLOCK.findall(text)]
    assert sorted(places) == sorted(wanted)
    kept = sorted((ROOT / "benchmarks" / "results").glob("*/study.json"))
    for text in texts:
        if kept:
            assert study_tables.fill_text(text, [file.parent for file in kept]) == text
        else:
            assert text.count(study_tables.NOT_MEASURED) == len(study_tables.BLOCK.findall(text))
