"""Comparisons end to end: what is stored, what survives a kill, and what is not believed."""

from __future__ import annotations

import json
import math
import shutil
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest
from faulty_solvers import FAULTY_SOLVERS
from processes import has_ended_soon
from thoroughness import mostly_long

from milp_pips.cli import main
from milp_pips.engines import registry
from milp_pips.extras.bench import figures, measurement
from milp_pips.extras.bench.store import Store
from milp_pips.problem.errors import InputError

EXAMPLES = Path(__file__).parents[3] / "examples" / "pips"
EASY, SEVERAL, TWO, IMPOSSIBLE = (
    str(EXAMPLES / f"{name}.txt") for name in ("easy", "several", "repeated", "impossible")
)
HEAD = [
    "configuration",
    "runs",
    "puzzles",
    "solved",
    "unsolved",
    "wrong",
    *("best", "rank"),
    *("median", "s", "mean", "s", "low", "s", "high", "s"),
    *("PAR-2", "s", "PAR-10", "s"),
    *("processor", "s", "load"),
]
OURS = ("--measured-by", "psutil")
"""BenchExec takes half a second more for each run; ``test_measuring.py`` and ``test_cluster.py`` use it."""

THREE = ("--run", "brute", "--run", "highs/projected", "--run", "highs/aggregated,presolve=off")


@pytest.fixture
def out(tmp_path):
    return str(tmp_path / "results.sqlite")


@pytest.fixture
def compare(capsys, out, monkeypatch):
    monkeypatch.setattr(figures, "MIN_RUN_SECONDS", math.inf)  # these tests may run on a busy machine

    def call(*words):
        status = main(["compare", *words, "--out", out, *OURS])
        captured = capsys.readouterr()
        with Store(out) as store:
            return status, captured.out, captured.err, store.runs()

    return call


@pytest.fixture(scope="module")
def one_run(tmp_path_factory):
    file = str(tmp_path_factory.mktemp("one_run") / "results.sqlite")
    assert main(["compare", EASY, "--run", "brute", "--out", file, *OURS]) == 0
    return file


@pytest.fixture
def measured(one_run, out):
    """Begin with a results file that has the run of one puzzle by one solver."""
    shutil.copy(one_run, out)


@pytest.fixture
def faulty_solvers(monkeypatch):
    for name, where in FAULTY_SOLVERS.items():
        monkeypatch.setitem(registry.SOLVERS, name, where)


@pytest.mark.parametrize("task", mostly_long(1, ["all", "first", "prove", "maximise 3*x + 2*y"]))
def test_the_objective_of_a_model_does_not_change_what_a_task_wants(compare, tmp_path, task):
    model = tmp_path / "knapsack.lp"
    model.write_text(
        "Maximize\n o: x + y\nSubject To\n c: 2 x + 3 y <= 6\nBounds\n x <= 3\n y <= 2\nGeneral\n x y\nEnd\n",
        encoding="utf-8",
    )
    _, text, _, runs = compare(str(model), "--run", "brute", "--task", task)
    assert "WRONG" not in text
    wanted = {"first": 1, "prove": 2, "all": 7}.get(task, 1)
    assert [(run.status, run.solutions) for run in runs] == [("solved", wanted)]


def test_a_small_comparison(compare, out):
    words = (*THREE, "--time-limit", "30", "--presolve-rules", "none")
    status, text, err, runs = compare(EASY, SEVERAL, *words)
    assert (status, err) == (0, "")
    assert len({run.key for run in runs}) == len(runs) == 6
    assert {(run.status, run.stop, run.solutions, run.complete) for run in runs} == {
        ("solved", "finished", 1, False)
    }
    for run in runs:
        assert run.total_seconds >= run.read_seconds + run.build_seconds + run.solve_seconds
        assert run.wall_seconds > run.total_seconds - run.read_seconds
        assert run.version
        assert 0 < run.clock_processor_seconds < run.processor_seconds
        assert run.load >= 0
        assert run.peak_bytes > 2**20 or not Path("/proc").exists()
        if run.solver == "highs":
            assert run.rows > 10
            assert run.nonzeros > run.columns > 50
    options = {json.dumps({"presolve": "off"}), "{}"}
    assert {run.options for run in runs if run.solver == "highs"} == options
    with Store(out) as store:
        instances = store.instances()
        (session,) = store.sessions()
    assert {i.name: (i.size, i.level, i.family, i.folder) for i in instances.values()} == {
        "easy": (10, "", "pips", "pips"),
        "several": (18, "", "pips", "pips"),
    }
    assert next(i for i in instances.values() if i.name == "easy").constraints["DominoCover"] == 1
    assert next(i for i in instances.values() if i.name == "easy").text == Path(EASY).read_text()
    assert set(session.engines) == {"brute", "highs"}
    rows = text.splitlines()
    assert rows[0].split() == HEAD
    assert [row.split()[:6] for row in rows[1:4]] == [
        ["brute", "2", "2", "2", "0", "0"],
        ["highs/projected", "2", "2", "2", "0", "0"],
        ["highs/aggregated,presolve=off", "2", "2", "2", "0", "0"],
    ]
    assert rows[4].split()[:9] == ["virtual", "best", "–", "2", "2", "0", "–", "–", "–"]
    assert rows[5].startswith("6 of 6 runs: 2 puzzles × 3 configurations × 1 seed × 1 repeat")

    again = compare(SEVERAL, EASY, *words)
    assert again == (0, text, "", runs)  # nothing is run twice

    _, _, _, more = compare(EASY, "--run", "brute", "--time-limit", "29", "--presolve-rules", "none")
    assert more[:6] == runs
    assert [run.time_limit for run in more[6:]] == [29.0]  # another limit is another run


@pytest.mark.long
def test_domains_are_reduced_as_every_task_does_and_the_run_says_so(compare, faulty_solvers):
    names = ("--run", "highs/projected", "--run", "two-models/ours", "--run", "two-models/printed")
    runs = compare(EASY, *names)[3]
    assert {(str(run.configuration), run.rules, run.status) for run in runs} == {
        ("highs/projected", "filtering", "solved"),
        ("two-models/ours", "filtering", "solved"),
        ("two-models/printed", "none", "solved"),
    }
    more = compare(EASY, *names, "--presolve-rules", "none")[3]
    assert more[:3] == runs
    plain = {str(run.configuration): run for run in more[3:]}
    assert set(plain) == {"highs/projected", "two-models/ours"}  # the third has been measured so already
    filtered = next(run for run in runs if run.solver == "highs")
    assert 0 < filtered.columns < plain["highs/projected"].columns


@pytest.mark.long
def test_what_filtering_rules_out_is_confirmed_like_any_claim(compare):
    (run,) = compare(str(EXAMPLES.parent / "sudoku" / "impossible.txt"), "--run", "diagram")[3]
    assert (run.status, run.complete, run.success) == ("infeasible", True, True)
    assert run.confirmed_by == "the decision diagram"
    assert run.build_seconds > 0
    assert run.solve_seconds == 0


def rows(out):
    """Return the rows of the runs, as they are in the file; none before there is a table."""
    if not Path(out).exists():
        return []
    with sqlite3.connect(out, timeout=30) as database:
        known = database.execute("SELECT name FROM sqlite_master WHERE name = 'run'").fetchone()
        return database.execute("SELECT * FROM run ORDER BY id").fetchall() if known else []


def test_nobody_believes_a_liar(compare, faulty_solvers):
    names = ("inventor", "denier", "crasher", "brute")
    words = [word for name in names for word in ("--run", name)]
    status, text, err, runs = compare(EASY, *words, "--presolve-rules", "none")
    assert status == 0
    found = {run.solver: (run.status, run.stop, run.success) for run in runs}
    assert found == {
        "inventor": ("wrong", "finished", False),
        "denier": ("wrong", "finished", False),
        "crasher": ("error", "error", False),
        "brute": ("solved", "finished", True),
    }
    message = {run.solver: run.message for run in runs}
    assert message["inventor"].startswith("inventor gave a point that breaks a rule of easy: ")
    claim = "denier says that there is no solution, but the decision diagram finds one"
    assert message["denier"] == claim
    crash = "the engine's process ended with 1: RuntimeError: these are my last words"
    assert message["crasher"] == crash
    assert f"milp-pips: WRONG: denier: {claim}\n" in err
    assert f"milp-pips: crasher failed: {crash}\n" in err
    table = {line.split()[0]: line.split()[2:6] for line in text.splitlines()[1:5]}
    assert table["denier"] == table["inventor"] == ["1", "0", "0", "1"]
    assert table["crasher"] == ["1", "0", "1", "0"]
    assert table["brute"] == ["1", "1", "0", "0"]
    assert next(line for line in text.splitlines() if line.startswith("denier")).split()[6:15] == [
        *("0", "3.00", ">60.000", "60.000", "–", "–", "120.000", "600.000", ">60.000"),
    ]


@pytest.mark.usefixtures("measured")
def test_contradictions_are_told_whoever_comes_first(compare, out):
    (run,) = compare(EASY, "--run", "brute")[3]
    refusal = replace(run, solver="other", status="infeasible", complete=True, confirmed_by="a friend")
    with Store(out) as store:
        store.add(replace(refusal, solutions=0))
        with pytest.raises(InputError, match="another comparison is writing the same runs"):
            store.add(refusal)
    status, _, err, runs = compare(EASY, "--run", "brute", "--repeats", "2")
    assert status == 0
    assert runs[0] == run
    assert (runs[1].status, runs[1].success) == ("wrong", False)
    assert err == "milp-pips: WRONG: other: says infeasible, but brute has 1, checked\n"


@pytest.mark.usefixtures("measured")
def test_two_versions_of_an_engine_warn(compare, out):
    (run,) = compare(EASY, "--run", "brute")[3]
    with Store(out) as store:
        store.add(replace(run, repeat=1, version="0.0.9"))
    err = compare(EASY, "--run", "brute", "--repeats", "2")[2]
    assert err == f"milp-pips: warning: runs of brute by several versions: 0.0.9, {run.version}\n"


@pytest.mark.long
def test_limits(compare, faulty_solvers, tmp_path, monkeypatch):
    monkeypatch.setenv("NOTE", str(tmp_path / "note"))
    words = ("--run", "late", "--run", "late-denier", "--run", "deaf-parent", "--time-limit", "0.3")
    runs = {run.solver: run for run in compare(EASY, *words)[3]}
    assert (runs["late"].status, runs["late"].stop) == ("unknown", "time")
    assert runs["late"].message == "answered after the limit"
    assert runs["late-denier"].status == "wrong"  # a lie is one, however late
    assert (runs["deaf-parent"].status, runs["deaf-parent"].stop) == ("unknown", "time")
    assert runs["deaf-parent"].message == "did not stop at the limit: was killed"
    assert runs["deaf-parent"].total_seconds is None
    assert has_ended_soon(int((tmp_path / "note").read_text()))


@pytest.mark.long
def test_memory(compare, faulty_solvers):
    if not Path("/proc/self/status").exists():
        pytest.skip("memory limits need /proc")
    limited, free = (
        next(run for run in compare(EASY, "--run", "glutton", *words)[3] if run.memory_limit == bytes_)
        for words, bytes_ in ((("--memory-limit", "200M"), 200 * 2**20), ((), 0))
    )
    assert (limited.status, limited.stop) == ("unknown", "memory")
    assert free.status == "solved"
    assert 400 * 2**20 < free.peak_bytes < 500 * 2**20


@pytest.mark.long
def test_prove(compare, faulty_solvers):
    task = ("--task", "prove", "--run", "brute")
    compare(EASY, IMPOSSIBLE, *task)
    runs = compare(SEVERAL, "--run", "contented", "--run", "repeater", *task)[3]
    by_name = {(run.instance, run.solver): run for run in runs}
    easy, impossible, several = (by_name[i, "brute"] for i in (1, 2, 3))
    assert (easy.status, easy.solutions, easy.complete) == ("solved", 1, True)
    assert easy.confirmed_by == "the decision diagram, which counts as many"
    assert (several.status, several.solutions, several.complete) == ("solved", 2, False)
    assert (impossible.status, impossible.solutions, impossible.complete) == ("infeasible", 0, True)
    assert impossible.confirmed_by == "the decision diagram"
    assert by_name[3, "contented"].message == (
        "contented calls 1 solutions complete, the decision diagram counts 56"
    )
    assert by_name[3, "repeater"].message == ("repeater gave one solution as two different ones")
    assert {by_name[3, name].status for name in ("contented", "repeater")} == {"wrong"}


@pytest.mark.usefixtures("measured")
def test_a_file_that_is_renamed_is_the_same_puzzle(compare, tmp_path):
    other = tmp_path / "other.txt"
    other.write_text(Path(EASY).read_text().replace("\n", "\r\n"))
    first = compare(EASY, "--run", "brute")[3]
    _, _, err, runs = compare(str(other), EASY, "--run", "brute")
    assert runs == first
    assert err == f"milp-pips: {EASY}: easy is the same puzzle as other in {other}\n"


@pytest.mark.usefixtures("measured")
def test_json(compare):
    row = json.loads(compare(EASY, "--run", "brute", "--json")[1])
    times = ("median", "median_low", "median_high", "mean", "mean_low", "mean_high", "par2", "par10")
    disturbance = ("processor", "load")
    counts = ("runs", "puzzles", "solved", "unsolved", "wrong", "errors", "missing", "best", "rank")
    assert list(row) == ["configuration", *counts, *times, *disturbance]
    *rows, last = compare(EASY, "--run", "brute", "--run", "highs", "--json")[1].splitlines()
    assert [json.loads(row)["configuration"] for row in rows] == ["brute", "highs"]
    assert list(json.loads(last)) == ["virtual_best"]
    assert list(json.loads(last)["virtual_best"]) == [*counts[1:4], *times]


@pytest.mark.long
def test_a_puzzle_that_is_refused_ends_its_run_alone(compare, tmp_path):
    free = "/[rg]*/\n"
    small, wide = tmp_path / "small.txt", tmp_path / "wide.txt"
    small.write_text(f"colour grid\ncolours r red, g green\nrows\n{free}columns\n{free * 2}")
    wide.write_text(f"colour grid\ncolours r red, g green\nrows\n{free}columns\n{free * 40}")
    words = (str(small), str(wide), "--run", "highs/strings", "--presolve-rules", "none")
    status, _, told, runs = compare(*words)
    assert status == 0
    assert "highs/strings failed: strings: 'row 1: /[rg]*/' allows 1,099,511,627,776 strings" in told
    assert sorted(run.status for run in runs) == ["error", "solved"]


@pytest.mark.parametrize(
    "words, message",
    [
        ([EASY], "nothing to compare: name configurations, such as --run highs/projected --run cp-sat"),
        ([EASY, "--run", "magic"], "unknown solver 'magic'; known: "),
        ([EASY, "--run", "=1"], "'=1' is not a configuration; expected SOLVER[/FORMULATION][,NAME=VALUE…]"),
        ([EASY, "--run", "brute/magic"], "brute has no formulation 'magic'; it has: none"),
        ([EASY, "--run", "highs/magic"], "highs has no formulation 'magic'; it has: projected, "),
        ([EASY, "--run", "highs,magic=1"], "HiGHS has no option 'magic'"),
        ([EASY, "--run", "brute", "--task", "magic"], "unknown task 'magic'; known: first, prove, all"),
        (
            [EASY, "--run", "brute", "--seed", "1"],
            "brute takes no random seed: leave the seeds out, or brute",
        ),
        (
            [EASY, "--run", "scip", "--threads", "2"],
            "scip works with one thread only: leave the threads out, or scip",
        ),
        (
            [EASY, "--run", "scip,threads=2"],
            "scip works with one thread only: leave the threads out, or scip",
        ),
        (
            [EASY, "--run", "highs,threads=0"],
            "'highs,threads=0' has threads=0; expected a whole number from 1 on",
        ),
        (
            [EASY, "--run", "highs,threads=two"],
            "'highs,threads=two' has threads=two; expected a whole number",
        ),
        (
            [EASY, "--run", "brute", "--presolve-rules", "magic"],
            "unknown presolve rule 'magic'; known: filtering, equality, pruning, singles",
        ),
        (["nothing.txt", "--run", "brute"], "nothing.txt: No such file or directory"),
    ],
)
def test_faults_are_one_line_and_exit_2(words, message, out, capsys):
    assert main(["compare", *words, "--out", out]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith(f"milp-pips: {message}")
    assert captured.err.count("\n") == 1
    assert rows(out) == []


def test_compare_warns_at_once_if_other_programs_take_the_cores(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(measurement, "core_load", lambda: measurement.CoreLoad(1.9, 2))
    assert main(["compare", EASY, "--run", "brute", "--out", str(tmp_path / "results.sqlite")]) == 0
    told = capsys.readouterr().err
    assert "warning: other programs take 1.9 of 2 cores: times will be longer than on a quiet machine" in told
