"""Certificates: what is proved is true, what is false is refused, and the checker stands alone."""

from __future__ import annotations

import ast
import hashlib
import itertools
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import brute_force
import colour_grids
import pytest
import sudoku_brute_force
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from strategies import pips_puzzles
from sudoku_strategies import sudokus
from thoroughness import examples

import milp_pips
from milp_pips.problem.errors import OutputError
from milp_pips.runtime.writing import temporary_folder
from milp_pips.tasks import certifying
from milp_pips.tasks import prove as proving
from milp_pips.verification import verify as checker
from milp_pips.verification.verify import Refused, Watch, verify

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
SECURITY = ROOT / "SECURITY.md"
SHOWN = sorted(
    path.relative_to(EXAMPLES).as_posix()
    for path in EXAMPLES.glob("[cps]*/*.txt")
    if path.parent.name != "plugins"
)
KINDS = ("list", "count")

LARGE = (
    *("diagonals", "killer", "ordinary", "pi_day_2009", "pi_day_2010", "repeats"),
    *("boat", "hard", "several", "solve_error"),
)
"""Puzzles that take seconds to prove."""

QUICK = ("contradiction", "easy", "impossible", "jigsaw", "letters", "square")
"""Puzzles whose certificates are made without the mark ``long``."""

QUICKER = {
    "medium": "list",
    **dict.fromkeys(("chain", "double_nine", "impossible", "islands", "jigsaw", "wide"), "count"),
}
"""The kind of certificate that is written in less than half the time of the other."""


def checked(folder):
    return verify(Path(folder), Watch(100))


@pytest.fixture
def forged(proved, tmp_path):
    """A function that copies a certificate, changes its files, and makes the hashes fit."""

    def forge(kind, changes, **members):
        shutil.copytree(proved[kind], tmp_path, dirs_exist_ok=True)
        for name, change in changes.items():
            path = tmp_path / name
            path.write_text(change(path.read_text(encoding="utf-8")), encoding="utf-8")
        manifest = json.loads((tmp_path / checker.CERTIFICATE_JSON).read_text(encoding="utf-8"))
        manifest["sha256"] = {
            name: hashlib.sha256((tmp_path / name).read_bytes()).hexdigest() for name in manifest["sha256"]
        }
        (tmp_path / checker.CERTIFICATE_JSON).write_text(
            json.dumps({**manifest, **members}), encoding="utf-8"
        )
        return tmp_path

    return forge


# What is true is proved.


@pytest.mark.parametrize(
    ("example", "kind"),
    [
        pytest.param(name, kind, marks=[pytest.mark.long][: Path(name).stem not in QUICK])
        for name in SHOWN
        for kind in KINDS
        if Path(name).stem not in LARGE and QUICKER.get(Path(name).stem, kind) == kind
    ],
)
def test_examples_have_certificates(example, kind, tmp_path):
    puzzle = milp_pips.read(EXAMPLES / example)
    counts = milp_pips.count(puzzle)
    key = next(iter(counts.counts))
    found = milp_pips.prove(puzzle, tmp_path, kind=kind)
    assert (found.solutions, found.key) == (counts.counts[key], key)
    assert checked(tmp_path) == found


def certified(puzzle, kind, key):
    with temporary_folder() as folder:
        found = milp_pips.prove(puzzle, folder, kind=kind, distinct=key)
        assert checked(folder) == found
    return found.solutions


@settings(examples(8, 400), suppress_health_check=list(HealthCheck))
@given(pips_puzzles(), st.sampled_from(KINDS))
def test_certificates_of_random_boards_agree_with_brute_force(puzzle, kind):
    assert certified(puzzle, kind, "placement") == len(brute_force.placements(puzzle))
    assert certified(puzzle, kind, "grid") == len(brute_force.grids(puzzle))


@settings(examples(8, 300), suppress_health_check=list(HealthCheck))
@given(sudokus(), st.sampled_from(KINDS))
def test_certificates_of_random_sudokus_agree_with_brute_force(puzzle, kind):
    assert certified(puzzle, kind, "grid") == len(sudoku_brute_force.solutions(puzzle))


@settings(examples(8, 400), suppress_health_check=list(HealthCheck))
@given(colour_grids.colour_grids(), st.sampled_from(KINDS))
def test_certificates_of_random_colour_grids_agree_with_brute_force(puzzle, kind):
    assert certified(puzzle, kind, "grid") == len(colour_grids.fillings(puzzle))


def test_a_problem_without_plain_rules_says_that_its_encoding_is_trusted(tmp_path):
    variables = tuple(milp_pips.Variable(f"x{i}", (0, 1)) for i in range(4))
    rule = milp_pips.Connected((0, 1, 2, 3), ((0, 1), (1, 2), (2, 3)), (1,), "in one piece")
    found = milp_pips.prove(milp_pips.Problem(variables, (rule,)), tmp_path)
    assert found.solutions == 1 + 4 + 3 + 2 + 1
    assert found.trusted.endswith("by an encoding that is not checked")
    with pytest.raises(milp_pips.UsageError, match="a count of problem cannot be certified; prove a list"):
        milp_pips.prove(milp_pips.Problem(variables, (rule,)), tmp_path / "count", kind="count")


def test_an_optimum_needs_an_objective_and_plain_rules(tmp_path):
    puzzle = milp_pips.read(EXAMPLES / "pips" / "square.txt")
    with pytest.raises(milp_pips.UsageError, match="an optimum needs an objective"):
        milp_pips.prove(puzzle, tmp_path, kind="optimum")
    with pytest.raises(milp_pips.UsageError, match="a list needs no objective"):
        milp_pips.prove(puzzle, tmp_path, kind="list", maximise="flat")
    variables = tuple(milp_pips.Variable(f"x{i}", (0, 1)) for i in range(3))
    rule = milp_pips.Connected((0, 1, 2), ((0, 1), (1, 2)), (1,), "in one piece")
    with pytest.raises(milp_pips.UsageError, match="it has no plain rules"):
        milp_pips.prove(milp_pips.Problem(variables, (rule,)), tmp_path, maximise="x0")


MODEL = """\
Maximize
 obj: 3 x + 2 y + 0.5 z
Subject To
 c1: x + y + z <= 4
 c2: x - y >= -1
Bounds
 x <= 3
 y <= 3
 z <= 3
General
 x y z
End
"""


def test_linear_models_are_stated_plainly(tmp_path, capsys):
    model = tmp_path / "model.lp"
    model.write_text(MODEL)
    points = [p for p in itertools.product(range(4), repeat=3) if sum(p) <= 4 and p[1] <= p[0] + 1]
    for kind in KINDS:
        found = milp_pips.prove(milp_pips.read(model), tmp_path / kind, kind=kind)
        assert found.solutions == len(points)
        found = milp_pips.prove(milp_pips.read(model), tmp_path / f"{kind} over", kind=kind, over=["x", "y"])
        assert found.solutions == len({point[:2] for point in points}) < len(points)
    status, said = command(capsys, "solve", model, "--quiet", "--prove", tmp_path / "best")
    assert status == 0
    assert "confirmed by a certificate: it is checked, and" in said.out
    assert "milp-pips: model: proved: the greatest value is 11; it is checked, and" in said.err
    for option in (["--within", "1"], ["--best", "2"]):
        status, said = command(capsys, "enumerate", model, *option, "--prove", tmp_path / "no")
        assert (status, "a certificate states the puzzle alone" in said.err) == (2, True)


# Counts that are divided.


def test_another_checker_accepts_the_proof(proved):
    dratify = pytest.importorskip("dratify")
    formula = dratify.parse_dimacs((proved["list"] / checker.FORMULA_CNF).read_text(encoding="utf-8"))
    proof = (proved["list"] / checker.PROOF_DRAT).read_text(encoding="utf-8")
    assert dratify.check_proof(formula, proof).ok
    assert not dratify.check_proof(formula, "").ok


# What is false is refused.


def without_line(number):
    def change(text):
        lines = text.splitlines(keepends=True)
        return "".join(lines[:number] + lines[number + 1 :])

    return change


def without_clause(text):
    """Remove the last clause of a formula, which excludes the last solution."""
    head, *clauses = text.splitlines(keepends=True)
    count = int(head.split()[3]) - 1
    return f"{head.rsplit(maxsplit=1)[0]} {count}\n" + "".join(clauses[:-1])


def test_a_list_that_lacks_a_solution_is_refused(forged):
    folder = forged(
        "list", {checker.SOLUTIONS_JSONL: without_line(3), checker.FORMULA_CNF: without_clause}, solutions=3
    )
    with pytest.raises(Refused, match=r"proof.drat: line .* does not follow|do not lead to a contradiction"):
        checked(folder)


def test_a_list_with_an_invented_solution_is_refused(forged):
    def invent(text):
        values = json.loads(text.splitlines()[0])
        values["values"][0], values["values"][1] = values["values"][1], 6
        return f"{text}{json.dumps(values)}\n"

    with pytest.raises(Refused, match=r"solutions.jsonl:5: "):
        checked(forged("list", {checker.SOLUTIONS_JSONL: invent}, solutions=5))


def test_a_solution_listed_twice_is_refused(forged):
    folder = forged(
        "list", {checker.SOLUTIONS_JSONL: lambda text: text + text.splitlines()[0] + "\n"}, solutions=5
    )
    with pytest.raises(Refused, match=r"4 different solutions, but certificate.json says 5"):
        checked(folder)


def test_a_shortened_proof_is_refused(forged):
    def shorten(text):
        kept = [line for line in text.splitlines(keepends=True) if line.startswith("d")]
        return "".join(kept)

    with pytest.raises(Refused, match="do not lead to a contradiction"):
        checked(forged("list", {checker.PROOF_DRAT: shorten}))


def another_rule(text):
    puzzle = json.loads(text)
    puzzle["regions"][0]["rule"], puzzle["regions"][0]["target"] = "SUM", 11
    return json.dumps(puzzle)


@pytest.mark.parametrize("kind", KINDS)
def test_the_certificate_of_another_puzzle_is_refused(forged, kind):
    with pytest.raises(Refused):
        checked(forged(kind, {checker.PUZZLE_JSON: another_rule}))


def test_a_formula_of_other_clauses_is_refused(forged):
    with pytest.raises(Refused, match=r"formula.cnf: not the formula of puzzle.json"):
        checked(forged("list", {checker.FORMULA_CNF: lambda text: text.replace(" 0\n", " 1 0\n", 1)}))


def test_a_wrong_count_is_refused(forged):
    with pytest.raises(Refused, match=r"certificate.json: 5 solutions, but there are 4"):
        checked(forged("count", {}, solutions=5))


def test_a_changed_file_without_its_hash_is_refused(proved, tmp_path):
    for name in (checker.PUZZLE_JSON, checker.SOLUTIONS_JSONL, checker.FORMULA_CNF, checker.PROOF_DRAT):
        shutil.copytree(proved["list"], tmp_path / name)
        with (tmp_path / name / name).open("a") as file:
            file.write("\n")
        with pytest.raises(Refused, match=f"{name}: its hash differs"):
            checked(tmp_path / name)


# The checker stands alone; the documents; the verbs.


def test_the_document_shows_the_real_files(tmp_path):
    milp_pips.prove(milp_pips.read(EXAMPLES / "pips" / "square.txt"), tmp_path, distinct="grid")
    document = (ROOT / "docs" / "certificates.md").read_text(encoding="utf-8")
    for name in (checker.PUZZLE_JSON, checker.SOLUTIONS_JSONL, checker.PROOF_DRAT):
        assert f"\n{(tmp_path / name).read_text(encoding='utf-8')}```" in document
    clauses = (tmp_path / checker.FORMULA_CNF).read_text(encoding="utf-8").splitlines()
    assert "\n```text\n{}\n{}\n```\n".format(*clauses[-2:]) in document
    assert {"1 2 0", "-2 -1 0", "-9 -2 -4 0"} <= set(clauses)


def test_the_checker_imports_only_the_standard_library():
    tree = ast.parse(Path(checker.__file__).read_text(encoding="utf-8"))
    imported = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    imported |= {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert {name.partition(".")[0] for name in imported} <= sys.stdlib_module_names


def test_the_checker_runs_as_one_file(proved, tmp_path):
    script = shutil.copy(checker.__file__, tmp_path / "verify.py")
    run = subprocess.run(
        [sys.executable, "-I", script, proved["list"]], capture_output=True, text=True, cwd=tmp_path
    )
    assert (run.returncode, run.stdout[:31]) == (0, "proved: exactly 4 solutions by ")
    run = subprocess.run(
        [sys.executable, "-I", script, tmp_path], capture_output=True, text=True, cwd=tmp_path
    )
    assert (run.returncode, run.stdout) == (1, "refused: certificate.json: No such file or directory\n")


def command(capsys, *words):
    from milp_pips.cli import main

    status = main([str(word) for word in words])
    return status, capsys.readouterr()


def test_the_verbs_write_and_check(tmp_path, capsys):
    easy = EXAMPLES / "pips" / "easy.txt"
    status, said = command(capsys, "prove", easy, "--out", tmp_path / "new", "--kind", "count")
    assert (status, said.out[:56]) == (0, "easy: proved: exactly 1 solution by placement; counted a")
    assert command(capsys, "verify", tmp_path / "new")[0] == 0
    status, said = command(capsys, "prove", easy, "--out", tmp_path / "new")
    assert status == 2
    assert "the folder is not empty; expected a new folder for the certificate" in said.err
    (tmp_path / "new" / checker.PUZZLE_JSON).unlink()
    status, said = command(capsys, "verify", tmp_path / "new")
    assert (status, said.out) == (1, f"{tmp_path / 'new'}: refused: puzzle.json: No such file or directory\n")


def test_a_folder_without_a_certificate_is_not_left_behind(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(proving, "MOST_LISTED", 3)
    square, here = EXAMPLES / "pips" / "square.txt", tmp_path / "a" / "b"
    status, said = command(capsys, "prove", square, "--out", here, "--kind", "list")
    assert (status, said.err) == (
        2,
        "milp-pips: there are more than 3 solutions to list; prove a count\n",
    )
    assert command(capsys, "prove", square, "--out", here, "--kind", "optimum")[0] == 2
    assert command(capsys, "prove", square, "--out", here, "--time-limit", "1e-9")[0] == 3
    assert command(capsys, "solve", square, "--unique", "--prove", here)[0] == 0
    assert list(tmp_path.iterdir()) == []
    here.mkdir(parents=True)  # a folder that was there stays
    assert command(capsys, "prove", square, "--out", here, "--kind", "list")[0] == 2
    assert list(here.iterdir()) == []


def test_a_certificate_that_was_not_written_to_its_end_leaves_no_file(tmp_path, monkeypatch):
    write = certifying.write_file

    def fail(path, text):
        if path.endswith(checker.PROOF_DRAT):
            raise OutputError("cannot write: No space left on device", path)
        write(path, text)

    monkeypatch.setattr(certifying, "write_file", fail)
    with pytest.raises(OutputError):
        milp_pips.prove(milp_pips.read(EXAMPLES / "pips" / "square.txt"), tmp_path / "new")
    assert list(tmp_path.iterdir()) == []


def test_the_stated_sizes_of_files_are_those_of_the_checker():
    stated = re.search(r"JSON files have at most (\d+) MiB and the others (\d+) MiB", SECURITY.read_text())
    assert [2**20 * int(number) for number in stated.groups()] == [checker.LARGEST_JSON, checker.LARGEST_TEXT]


def test_other_verbs_prove_their_answers(tmp_path, capsys):
    for verb, name, proved in (
        ("solve", "impossible", "no solution by placement; 273 lines refute any (2054 clauses)"),
        ("enumerate", "square", "exactly 4 solutions by placement; each is checked"),
        ("count", "square", "exactly 4 solutions by placement; counted again"),
    ):
        status, said = command(capsys, verb, EXAMPLES / "pips" / f"{name}.txt", "--prove", tmp_path / verb)
        assert status == (name == "impossible")
        assert f"milp-pips: {name}: proved: {proved}" in said.err
        assert command(capsys, "verify", tmp_path / verb)[0] == 0
    hard = EXAMPLES / "pips" / "hard.txt"
    command(capsys, "solve", hard, "--unique", "--prove", tmp_path / "unique")
    assert checked(tmp_path / "unique").solutions == 1
    medium = [EXAMPLES / "pips" / "medium.txt", "--board", EXAMPLES / "boards" / "medium.txt"]
    status, said = command(capsys, "count", *medium, "--prove", tmp_path / "board")
    assert (status, "a certificate states the puzzle alone: omit --prove or --board" in said.err) == (2, True)
