"""The command line as a person uses it: output, exit statuses, one-line errors."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from fake_distributions import install_plugins
from faulty_solvers import FAULTY_SOLVERS
from generated import random_puzzle
from processes import wait_for_processor_time

from milp_pips.cli import main, parser_of
from milp_pips.engines import registry
from milp_pips.problem.errors import EngineFault

EXAMPLES = Path(__file__).parents[2] / "examples" / "pips"
NOTEBOOK = str(EXAMPLES / "notebook.txt")
RING = str(EXAMPLES / "ring.json")
IMPOSSIBLE = str(EXAMPLES / "impossible.txt")
DAILY = str(EXAMPLES / "three_levels.json")


@pytest.fixture
def faulty_solvers(monkeypatch):
    for name, where in FAULTY_SOLVERS.items():
        monkeypatch.setitem(registry.SOLVERS, name, where)


@pytest.fixture
def run(capsys):
    def call(*words):
        status = main([str(word) for word in words])
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return call


def test_solve_draws_the_board(run):
    status, out, err = run("solve", NOTEBOOK, "--solver", "highs")
    assert (status, err) == (0, "")
    assert "┃3  3 ┇   0 │   1 ┇11 5 ┃" in out
    assert "notebook: solved by highs 1.13.1 (projected) in " in out


def test_solve_json_obeys_the_design(run):
    status, out, _ = run("solve", NOTEBOOK, "--solver", "highs", "--json")
    record = json.loads(out)
    assert status == 0
    assert list(record)[:5] == ["puzzle", "family", "status", "stop", "solver"]
    assert record["puzzle"] == "notebook"
    assert (record["family"], record["status"], record["stop"]) == ("pips", "solved", "finished")
    assert record["solver"] == {"name": "highs", "version": "1.13.1"}
    assert record["formulation"] == "projected"
    assert record["grid"] == [[3, 0, 1, 5], [None, None, None, 6], [None, None, 5, 5], [None, None, 5, None]]
    assert {tuple(d["pips"]) for d in record["dominoes"]} == {(5, 1), (6, 5), (3, 0), (5, 5)}
    for domino in record["dominoes"]:
        assert [record["grid"][r][c] for r, c in domino["cells"]] == domino["pips"]
    assert set(record["model"]) == {"columns", "rows", "nonzeros"}
    assert (record["solutions"], record["at_least"], record["distinct"]) == (1, 1, "placement")
    assert set(record["seconds"]) == {"read", "build", "solve", "total"}
    assert record["confirmed_by"] is None


def test_a_board_that_is_no_grid_gives_values_by_cell(run):
    status, out, _ = run("solve", RING, "--json")
    record = json.loads(out)
    assert status == 0
    assert "grid" not in record
    assert list(record["values"].values()) == [6, 1, 1, 1, 1, 5, 6, 2, 2, 4, 4, 4]


def test_no_solution_exits_1_and_says_by_what_it_was_confirmed(run):
    status, out, _ = run("solve", IMPOSSIBLE)
    assert status == 1
    assert "impossible: no solution, proven by brute 1." in out
    assert "confirmed by the decision diagram" in out
    status, out, _ = run("solve", IMPOSSIBLE, "--json")
    record = json.loads(out)
    assert (status, record["status"], record["grid"]) == (1, "infeasible", None)
    assert record["confirmed_by"] == "the decision diagram"


def test_a_file_with_three_puzzles_gives_one_object_each(run):
    status, out, _ = run("solve", DAILY, "--json")
    assert status == 0
    assert [json.loads(line)["puzzle"].split("-")[-1] for line in out.splitlines()] == [
        "easy",
        "medium",
        "hard",
    ]
    status, out, _ = run("solve", DAILY, "--level", "hard", "--json")
    assert [json.loads(line)["puzzle"][-4:] for line in out.splitlines()] == ["hard"]


def test_many_files_and_a_bad_one_among_them(run, tmp_path):
    bad = tmp_path / "bad.txt"
    bad.write_text("1\nAB\n1\nA SUM x\n1\n0 1\n")
    status, out, err = run("solve", NOTEBOOK, bad, RING, "--json")
    assert status == 2
    assert [json.loads(line)["puzzle"] for line in out.splitlines()] == ["notebook", "ring"]
    assert err.startswith(f"milp-pips: {bad}:4: ")
    assert err.count("\n") == 1


def test_solution_files_pass_check(run, tmp_path):
    assert run("solve", NOTEBOOK, RING, NOTEBOOK, "--output", tmp_path / "out")[0] == 0
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == [
        "notebook-2.solution.txt",
        "notebook.solution.txt",
        "ring.solution.txt",
    ]
    assert (tmp_path / "out" / "notebook.solution.txt").read_text() == (
        "3 0 1 5\n. . . 6\n. . 5 5\n. . 5 .\n"
        "dominoes\n5-1 r1c4 r1c3\n6-5 r2c4 r3c4\n3-0 r1c1 r1c2\n5-5 r3c3 r4c3\n"
    )
    status, out, _ = run("check", NOTEBOOK, tmp_path / "out" / "notebook.solution.txt")
    assert (status, out) == (0, "notebook: right\n")
    assert run("check", RING, tmp_path / "out" / "ring.solution.txt")[0] == 0


def test_check_tells_the_first_broken_rule(run, tmp_path):
    wrong = tmp_path / "wrong.txt"
    wrong.write_text("3 0 5 1\n. . . 6\n. . 5 5\n. . 5 .\n")
    status, out, _ = run("check", NOTEBOOK, wrong)
    assert (status, out) == (1, "notebook: region B: sum 11, but its cells show 1, 6\n")
    status, out, _ = run("check", NOTEBOOK, wrong, "--json")
    assert json.loads(out) == {
        "puzzle": "notebook",
        "right": False,
        "broken": "region B: sum 11, but its cells show 1, 6",
        "status": "wrong",
        "confirmed_by": None,
        "reason": None,
    }


def test_check_of_the_solution_printed_with_the_puzzle(run):
    status, out, _ = run("check", DAILY)
    assert status == 0
    assert out.count(": right\n") == 3
    status, _, err = run("check", NOTEBOOK)
    assert (status, err) == (
        2,
        f"milp-pips: {NOTEBOOK} contains no solution: name a solution file\n",
    )


def test_show_text_and_svg(run):
    assert "dominoes: 5-1 6-5 3-0 5-5" in run("show", NOTEBOOK)[1]
    assert run("show", NOTEBOOK, "--svg")[1].startswith("<svg")


@pytest.mark.parametrize("to", ["lp", "mps"])
@pytest.mark.parametrize("formulation", ["projected", "implication"])
def test_export(run, to, formulation, tmp_path):
    status, out, _ = run("export", NOTEBOOK, "--to", to, "--formulation", formulation)
    assert status == 0
    assert "place_1_5_r1c4_r1c3" in out
    assert "region_B_sum_11" in out
    path = tmp_path / "model"
    assert run("export", NOTEBOOK, "--to", to, "--formulation", formulation, "--output", path)[0] == 0
    assert path.read_text() == out


def test_solvers(run):
    status, out, _ = run("solvers", "--json")
    by_name = {row["name"]: row for row in json.loads(out)}
    assert status == 0
    assert set(by_name["highs"]) == {"name", "kind", "version", "available", "reason", "features"}
    assert by_name["highs"]["available"] is True
    assert "highs" in run("solvers")[1]


@pytest.mark.parametrize(
    "words, message",
    [
        (["solve", "nothing.txt"], "nothing.txt: No such file or directory"),
        (["solve", NOTEBOOK, "--solver", "magic"], "unknown solver 'magic'; known: highs"),
        (["solve", NOTEBOOK, "--formulation", "magic"], "unknown formulation 'magic'; known: "),
        (["solve", NOTEBOOK, "--option", "magic=1"], "HiGHS has no option 'magic'"),
        (
            ["solve", NOTEBOOK, "--level", "hard"],
            f"{NOTEBOOK}: there is no level 'hard'; expected one puzzle without",
        ),
        (["check", DAILY, NOTEBOOK], f"{DAILY} has 3 puzzles; name a level: easy, medium, hard"),
        (
            ["export", NOTEBOOK, "--output", "/nowhere/model.lp"],
            "/nowhere/model.lp: cannot write: No such file",
        ),
        (["solve", NOTEBOOK, "--output", NOTEBOOK], f"{NOTEBOOK}: cannot write here: File exists"),
        *(
            ([verb, NOTEBOOK, "--presolve-rules", "equality,magic"], "unknown presolve rule 'magic'; known: ")
            for verb in ("solve", "enumerate", "count", "sample")
        ),
    ],
)
def test_faults_are_one_line_and_exit_2(run, words, message):
    status, out, err = run(*words)
    assert (status, out) == (2, "")
    assert err.startswith(f"milp-pips: {message}")
    assert err.count("\n") == 1


@pytest.mark.parametrize("verb", ["solve", "generate"])
def test_wrong_usage_shows_the_usage_of_the_verb(verb, capsys):
    with pytest.raises(SystemExit) as error:
        main([verb, *([NOTEBOOK] if verb != "generate" else []), "--magic", "3"])
    assert error.value.code == 2
    told = capsys.readouterr().err
    assert told.startswith(f"usage: milp-pips {verb} [-h]")
    assert told.endswith(f"milp-pips {verb}: error: unrecognized arguments: --magic 3\n")


def test_nothing_at_all_shows_what_there_is(capsys):
    assert main([]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert "solve puzzles and linear models" in told.err


def test_an_option_before_the_verb_is_told_where_it_belongs(capsys):
    with pytest.raises(SystemExit) as error:
        main(["--json", "solve", NOTEBOOK])
    assert error.value.code == 2
    told = capsys.readouterr().err
    assert told.endswith("milp-pips: error: options come after the verb, not before it: --json\n")


@pytest.mark.parametrize("verb", ["solve", "hint"])
def test_a_crash_exits_70_in_one_line(verb):
    code = (
        "import sys, milp_pips.puzzles.reading as reading\n"
        "def crash(*_): raise ZeroDivisionError('first line\\nsecond line')\n"
        "reading.read = reading.read_all = reading.files_of = crash\n"
        f"sys.argv[1:] = [{verb!r}, 'x.txt']\n"
        "from milp_pips.__main__ import run; run()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (70, "")
    assert done.stderr == (
        "milp-pips: a fault of this program: ZeroDivisionError: first line second line (<string>:2); "
        "MILP_PIPS_TRACEBACK=1 shows the traceback\n"
    )


def test_the_traceback_of_a_fault_is_printed_on_request():
    code = (
        "import milp_pips.cli, milp_pips.__main__ as entry\n"
        "def broken(argv=None): raise ZeroDivisionError('no')\n"
        "milp_pips.cli.main = broken\n"
        "entry.run()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, "MILP_PIPS_TRACEBACK": "1"},
    )
    assert done.returncode == 70
    first, *_, last = done.stderr.splitlines()
    assert first == "Traceback (most recent call last):"
    assert "in broken" in done.stderr
    assert last == "milp-pips: a fault of this program: ZeroDivisionError: no (<string>:2)"


@pytest.mark.parametrize("order", [("no such file", NOTEBOOK), (NOTEBOOK, "no such file")])
def test_a_fault_is_graver_than_a_file_that_cannot_be_read(order, run, faulty_solvers):
    status, _, err = run("solve", *order, "--solver", "inventor", "--presolve-rules", "none")
    assert status == 70
    assert "no such file" in err


def test_a_shell_completes_verbs_options_and_solvers(run):
    pytest.importorskip("shtab")
    script = run("completion", "bash")[1]
    for words, expected in [
        ("milp-pips compare --run cp", {"cp-sat", "cpmpy"}),
        ("milp-pips generate --family su", {"sudoku"}),
        ("milp-pips co", {"count", "compare", "completion", "convert"}),
        ("milp-pips solve --solver c", {"cbc", "cdcl", "clingo", "cp-sat", "cpmpy"}),
        ("milp-pips count --ce", {"--cells"}),
    ]:
        listed = words.split()
        ask = (
            f"COMP_WORDS=({words}); COMP_CWORD={len(listed) - 1}; COMP_LINE='{words}'\n"
            "_shtab_milp_pips; echo ${COMPREPLY[@]}"
        )
        done = subprocess.run(["bash"], input=f"{script}\n{ask}", capture_output=True, text=True, timeout=60)
        assert set(done.stdout.split()) == expected


def test_a_fault_while_drawing_is_one_line(run, monkeypatch):
    def fail(*_):
        raise EngineFault("the family pips: draw: TypeError")

    monkeypatch.setattr("milp_pips.cli.files.Pictures.show", fail)
    assert run("show", str(EXAMPLES / "easy.txt"))[::2] == (
        70,
        "milp-pips: the family pips: draw: TypeError\n",
    )


def test_completion_without_its_library_says_what_to_install(run, monkeypatch):
    monkeypatch.setitem(sys.modules, "shtab", None)
    status, _, err = run("completion", "bash")
    assert (status, err) == (2, "milp-pips: completion needs shtab: pip install '.[completion]'\n")


def test_a_limit_exits_3_and_a_lie_70(run, faulty_solvers):
    status, out, _ = run("solve", NOTEBOOK, "--solver", "sleeper")
    assert status == 3
    assert "notebook: no answer by sleeper 1 in " in out
    status, out, err = run("solve", NOTEBOOK, "--solver", "inventor", "--presolve-rules", "none")
    assert (status, out) == (70, "")
    assert err.startswith("milp-pips: inventor gave a point that breaks a rule of notebook")
    assert run("solve", NOTEBOOK, "--solver", "crasher", "--isolate")[0] == 70
    status, out, err = run("solve", NOTEBOOK, "--solver", "denier")
    assert status == 70
    assert "notebook: FAULT OF AN ENGINE: denier calls it infeasible, but the decision diagram" in err
    assert "┃3  3 ┇   0 │   1 ┇11 5 ┃" in out


def command(*words, **options):
    return subprocess.Popen(
        [sys.executable, "-m", "milp_pips", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options
    )


def test_ctrl_c_answers_at_once_keeps_what_was_found_and_exits_130(tmp_path):
    from milp_pips.puzzles.pips import text

    large = tmp_path / "large.txt"
    large.write_text(text.write(random_puzzle(400, 5)))
    process = command("solve", NOTEBOOK, str(large), NOTEBOOK, "--solver", "highs", "--json")
    first = process.stdout.readline()
    wait_for_processor_time(process.pid, 0.5)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)  # the large one would take minutes
    assert process.returncode == 130
    assert json.loads(first)["status"] == "solved"
    assert [json.loads(line)["stop"] for line in out.splitlines()] == ["interrupted"]
    assert err == b""


def test_output_that_cannot_show_boxes_gets_ascii():
    process = command("show", NOTEBOOK, env={**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"})
    out, err = process.communicate(timeout=20)
    assert (process.returncode, err) == (0, b"")
    assert b"# 3  # .  | .  # 11 #" in out
    assert out.isascii()


VERB_OF_ANOTHER_PACKAGE = """
class Greet:
    @staticmethod
    def add_arguments(parser):
        parser.add_argument("name")

    @staticmethod
    def run(arguments):
        print("hello", arguments.name)
        return 3

class Broken:
    run = None
"""


def test_another_package_adds_a_verb(run, tmp_path, monkeypatch):
    (tmp_path / "greetings.py").write_text(VERB_OF_ANOTHER_PACKAGE)
    install_plugins(
        tmp_path,
        "verbs",
        {"greet": "greetings:Greet", "broken": "greetings:Broken", "solve": "greetings:Greet"},
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    assert run("greet", "you") == (3, "hello you\n", "")
    status, out, err = run("broken")
    assert (status, out) == (2, "")
    assert err.startswith("milp-pips: the verb broken is faulty: AttributeError")
    assert err.count("\n") == 1
    assert run("solve", str(EXAMPLES / "easy.txt"), "--quiet")[0] == 0  # a built-in verb keeps its name


def test_help_lists_the_verbs_of_other_packages(tmp_path, monkeypatch):
    install_plugins(tmp_path, "verbs", {"greet": "greetings:Greet"})
    monkeypatch.syspath_prepend(str(tmp_path))
    assert "from other packages:\n    greet         greetings:Greet\n" in parser_of([]).format_help()
