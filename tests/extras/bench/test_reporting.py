"""Reports as a person gets them: the page, the plots, the table of runs, and one-line errors."""

from __future__ import annotations

import csv
import math
import re
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from dataclasses import fields
from pathlib import Path
from xml.etree import ElementTree

import pytest
from results import instance, results, run
from thoroughness import few_or_many

from milp_pips.cli import main
from milp_pips.extras.bench.report import chapter, report
from milp_pips.extras.bench.store import RunRecord, Store

EXAMPLES = Path(__file__).parents[3] / "examples" / "pips"
INF = math.inf
HOSTILE = '<script src="http://example.org/x.js">&\x07 "quoted"'

CAMPAIGN = {
    instance("alpha", 8, "sums", DominoCover=1, LinearSum=2): [
        run("highs/projected", 0.01),
        run("highs/implication", 0.03),
        run("cp-sat", 0.02),
    ],
    instance("beta", 40, "sums", DominoCover=1, LinearSum=9): [
        run("highs/projected", 0.5),
        run("highs/implication", INF),
        run("cp-sat", INF),
    ],
    instance("gamma", 60, "equal", DominoCover=1, AllEqual=3): [
        run("highs/projected", 0.7),
        run("highs/implication", 2.0, status="wrong", message=HOSTILE),
        run("cp-sat", 1.0, status="error", stop="error", message="killed by signal 11"),
    ],
    instance("delta", 100, "equal", DominoCover=1, AllEqual=8): [
        run("highs/projected", 1.5),
        run("highs/implication", 4.0),
    ],
}


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    return results(tmp_path_factory.mktemp("results") / "r.sqlite", CAMPAIGN)


@pytest.fixture(scope="module")
def made(file):
    return report(file)


@pytest.fixture
def tree(made):
    return ElementTree.fromstring(made.files["report.html"])


def text_of(element):
    return " ".join("".join(element.itertext()).split())


def local(element):
    return element.tag.rpartition("}")[2]


def test_the_report_says_what_it_said(made, tree, golden):
    for plot in tree.iter("{http://www.w3.org/2000/svg}svg"):
        plot.clear()
    blocks = ("h1", "h2", "h3", "p", "li", "tr", "dt", "dd", "figcaption")
    shown = [element for element in tree.iter() if local(element) in blocks]
    page = [" | ".join(map(text_of, one)) if local(one) == "tr" else text_of(one) for one in shown]
    golden("report-page.txt", "\n".join(filter(None, page)) + "\n")
    golden("report-summary.md", f"{made.summary}\n")
    golden("report-figures.csv", made.files["figures.csv"])


def test_the_page_is_well_formed_and_its_identifiers_are_unique(tree):
    assert local(tree) == "html"
    found = [element.attrib["id"] for element in tree.iter() if "id" in element.attrib]
    assert len(found) == len(set(found))
    assert {element.attrib["href"][1:] for element in tree.iter("a")} <= set(found)


def test_the_page_needs_nothing_from_elsewhere(made, tree):
    for element in tree.iter():
        assert local(element) not in ("script", "img", "link", "iframe", "object", "image")
        for name, value in element.attrib.items():
            if name.rpartition("}")[2] in ("href", "src"):
                assert value.startswith("#")
            assert not re.search(r"url\((?!#)", value)
    style = text_of(next(tree.iter("style")))
    assert "url(" not in style
    assert "@import" not in style
    assert len(re.findall("<svg", made.files["report.html"])) == 5


def test_wrong_answers_are_loud_and_harmless(made, tree):
    alarm = text_of(next(e for e in tree.iter("div") if e.get("class") == "alarm"))
    assert alarm.startswith("Wrong answers.")
    assert 'highs/implication gave a wrong answer to gamma: <script src="http://example.org/x.js">&' in alarm
    assert "**WRONG: highs/implication gave a wrong answer to gamma" in made.summary


def test_each_plot_is_a_file_of_its_own_with_a_title(made):
    plots = {name: ElementTree.fromstring(text) for name, text in made.files.items() if name.endswith(".svg")}
    assert set(plots) == {
        *("cactus.svg", "size.svg"),
        *("pair-1-2.svg", "pair-1-3.svg", "pair-2-3.svg"),
    }
    for name, plot in plots.items():
        assert local(plot[0]) == "title", name
        assert text_of(plot[0]).endswith("Find one solution (limit 10 s)")


@pytest.mark.usefixtures("empty_plots")
def test_sizes_of_models_are_over_the_puzzles_that_all_who_tell_them_share(tmp_path):
    campaign = {
        "small": [run("highs", columns=10, nonzeros=30, repeat=r) for r in range(3)]
        + [run("cp-sat", columns=20, nonzeros=None), run("brute", columns=None, nonzeros=None)],
        "middle": [run("highs", columns=50), run("cp-sat", columns=60), run("brute", columns=None)],
        "large": [run("highs", columns=900), run("cp-sat", INF, columns=None), run("brute", columns=None)],
    }
    tree = ElementTree.fromstring(report(results(tmp_path / "r.sqlite", campaign)).files["report.html"])
    table = next(t for t in tree.iter("table") if "nonzeros" in text_of(t))
    sizes = {text_of(row[0]): text_of(row[1]) for row in table.iter("tr")}
    assert sizes == {"configuration": "columns", "highs": "30", "cp-sat": "40", "brute": "–"}
    assert "measured by psutil" in text_of(tree)


def test_the_table_of_runs_comes_back_as_it_was_stored(file, made):
    with Store(file) as store:
        runs, puzzles = store.runs(), store.instances()
    lines = list(csv.DictReader(made.files["runs.csv"].splitlines()))
    assert len(lines) == len(runs) == 11
    for line, stored in zip(lines, runs, strict=True):
        assert (line["name"], line["folder"]) == (
            puzzles[stored.instance].name,
            puzzles[stored.instance].folder,
        )
        for field in fields(RunRecord):
            if field.name == "instance":
                continue
            value = getattr(stored, field.name)
            kind = int if isinstance(value, bool) else type(value)
            assert (None if value is None else kind(line[field.name])) == (
                value if value is not None else None
            )


@pytest.fixture
def small(tmp_path):
    return results(tmp_path / "small.sqlite", {"alpha": [run("highs/projected", 0.1)]})


def test_the_verb_writes_the_files_and_prints_a_summary(small, tmp_path, capsys):
    assert main(["report", small, "--out", str(tmp_path / "new" / "out")]) == 0
    out = capsys.readouterr().out
    assert out.startswith("## Find one solution (limit 10 s)\n\n")
    assert re.search(r"\| highs/projected \| +1 \| +1 \| +1 \| +0 \| +0 \| +1 \| 1.00 \| 100 ms \|", out)
    assert out.rstrip().endswith("report.html")
    written = {path.name for path in (tmp_path / "new" / "out").iterdir()}
    assert {"report.html", "runs.csv", "figures.csv", "cactus.svg"} <= written


@pytest.mark.long
def test_a_report_looks_alike_whatever_a_person_has_chosen_for_plots(small, monkeypatch):
    import matplotlib

    plain = report(small).files
    monkeypatch.setitem(matplotlib.rcParams, "axes.facecolor", "black")
    monkeypatch.setitem(matplotlib.rcParams, "svg.fonttype", "path")
    assert report(small).files == plain
    assert matplotlib.rcParams["axes.facecolor"] == "black"


def test_every_task_has_a_chapter_with_its_own_plots(tmp_path, monkeypatch):
    monkeypatch.setattr(chapter.plots, "to_svg", lambda *_: "<svg></svg>")
    campaign = {
        name: [run(c, t, task=task) for c, t in (("highs", 1), ("cp-sat", 2)) for task in ("first", "all")]
        for name in ("a", "b")
    }
    made = report(results(tmp_path / "r.sqlite", campaign))
    tree = ElementTree.fromstring(made.files["report.html"])
    found = [element.attrib["id"] for element in tree.iter() if "id" in element.attrib]
    assert len(found) == len(set(found))
    assert {"1-first-cactus.svg", "2-all-cactus.svg"} <= set(made.files)
    assert [text_of(head) for head in tree.iter("h2")][:2] == [
        "Find one solution (limit 10 s)",
        "List all solutions (limit 10 s)",
    ]


@pytest.mark.long
@pytest.mark.parametrize(
    "campaign",
    [
        pytest.param(
            {"a": [run("highs", INF), run("cp-sat", INF)], "b": [run("highs", INF), run("cp-sat", INF)]},
            marks=pytest.mark.long,
        ),
        pytest.param({"a": [run("highs", 1)], "b": [run("cp-sat", 1)]}, marks=pytest.mark.long),
        pytest.param(
            {"a": [run("highs", 0.0), run("cp-sat", 0.0)], "b": [run("highs", 0.0), run("cp-sat", INF)]},
            marks=pytest.mark.long,
        ),
        {
            instance("a", 0): [
                run("cp-sat", 1),
                run("highs", 1, status="error", total_seconds=None, wall_seconds=None),
            ],
            instance("b", 900): [
                run("highs", 1, build_seconds=None, peak_bytes=None, columns=None),
                run("cp-sat", 2),
            ],
        },
    ],
    ids=[
        "nothing solved",
        "nothing in common",
        "no time at all",
        "figures unknown",
    ],
)
def test_odd_results_make_a_page_all_the_same(tmp_path, campaign):
    made = report(results(tmp_path / "r.sqlite", campaign))
    tree = ElementTree.fromstring(made.files["report.html"])
    names = {str(r.configuration) for runs in campaign.values() for r in runs}
    for name in names:
        assert name in text_of(tree)
        assert name in made.summary


@pytest.mark.long
def test_the_plots_of_many_limits_are_bounded(tmp_path, monkeypatch):
    monkeypatch.setattr("milp_pips.extras.bench.report.MAX_PLOTTED_CHAPTERS", 2)
    monkeypatch.setattr(chapter.plots, "to_svg", lambda *_: "<svg></svg>")
    runs = [run("highs", 0.1, limit=float(limit)) for limit in range(1, 5)]
    files = report(results(tmp_path / "r.sqlite", {instance("alpha"): runs})).files
    assert {name.partition("-")[0] for name in files if name.endswith(".svg")} == {"1", "2"}
    assert files["report.html"].count("There are no plots, because ") == 2


@pytest.mark.long
@pytest.mark.usefixtures("empty_plots")
@pytest.mark.parametrize("count", few_or_many([4], [8, 100]))
def test_of_many_configurations_each_pair_with_the_best_is_shown(count, tmp_path):
    """All pairs are compared, 4,950 of a hundred, in seconds."""
    runs = [run(f"s{n}", 0.1 + n / 100) for n in range(count)]
    written = results(tmp_path / "r.sqlite", {instance(f"p{n}"): runs for n in range(6)})
    page = report(written).files["report.html"]
    pairs = page.partition('id="pairs"')[2].partition("</section>")[0]
    assert pairs.count('<tr><th scope="row">') == count - 1


def no_runs(path: Path) -> None:
    results(path, {})


def prose(path: Path) -> None:
    path.write_text("Dear reader, this is not a database, but long enough to be mistaken for one.\n" * 20)


READING = "read_seconds is 0.5; expected a results file of compare"


def total_seconds(value: float | None) -> Callable[[Path], None]:
    """Return a function that writes a results file with this total time of its only run."""

    def write(path: Path) -> None:
        results(path, {instance("alpha"): [run("highs", 1.0)]})
        with closing(sqlite3.connect(path)) as database, database:
            database.execute("UPDATE run SET total_seconds = ?", (value,))

    return write


def foreign(path: Path) -> None:
    database = sqlite3.connect(path)
    database.execute("CREATE TABLE photograph (id INTEGER)")
    database.close()


@pytest.mark.parametrize(
    "write, said",
    [
        (no_runs, "there are no runs in it"),
        (Path.touch, "its tables have version 0, not 5; expected a results file of compare"),
        (prose, "file is not a database; expected a results file of compare"),
        (foreign, "its tables have version 0, not 5; expected a results file of compare"),
        (lambda path: None, "No such file or directory; expected a results file of compare"),
        (total_seconds(None), f"run 1 is solved, but total_seconds is None and {READING}"),
        (
            total_seconds(INF),
            "total_seconds is inf, which is neither a count nor a time; expected a results file of compare",
        ),
    ],
    ids=[
        "no runs",
        "empty file",
        "prose",
        "foreign database",
        "no file",
        "no time",
        "infinite",
    ],
)
def test_what_is_no_results_file_gets_one_line(tmp_path, capsys, write, said):
    path = tmp_path / "r.sqlite"
    write(path)
    assert main(["report", str(path), "--out", str(tmp_path / "out")]) == 2
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("", f"milp-pips: {path}: {said}\n")
    assert not (tmp_path / "out").exists()


@pytest.mark.usefixtures("empty_plots")
def test_a_directory_that_cannot_be_written_gets_one_line(small, tmp_path, capsys):
    (tmp_path / "out").write_text("a file is in the way")
    assert main(["report", small, "--out", str(tmp_path / "out")]) == 2
    page = tmp_path / "out" / "report.html"
    assert capsys.readouterr().err == f"milp-pips: {page}: cannot write: File exists\n"


@pytest.mark.parametrize(
    "verb, library, what",
    [
        ("report", "matplotlib", "plots need"),
        ("report", "jinja2", "the page needs"),
        ("report", "pandas", "figures need"),
        ("compare", "scipy", "intervals need"),
    ],
)
def test_without_a_library_one_line_says_what_to_install(
    verb, library, what, file, tmp_path, capsys, monkeypatch
):
    for name in [name for name in sys.modules if name.partition(".")[0] == library]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, library, None)
    words = [str(EXAMPLES / "easy.txt"), "--run", "brute"] if verb == "compare" else [file]
    assert main([verb, *words, "--out", str(tmp_path / "out")]) == 2
    assert capsys.readouterr().err == f"milp-pips: {what} {library}: pip install '.[{verb}]'\n"
    assert not (tmp_path / "out").exists()
