"""``prove`` and ``verify`` of linear models: the folder, the program in it, and the command line."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import pairwise
from pathlib import Path

import pytest
from tree_certificates import check, write_nodes

import milp_pips
from milp_pips import Column, Model, Row
from milp_pips.cli import main
from milp_pips.compilation.limits import Unfinished
from milp_pips.enumeration import tree_pieces
from milp_pips.problem.answer import Stop
from milp_pips.problem.errors import EngineFault, InputError, UsageError
from milp_pips.problem.stopping import Deadline, SubDeadline
from milp_pips.verification import verify_tree
from milp_pips.verification.verify_tree import Refused

LOTS = """\
* two machines, and what is bought
NAME          LOTS
ROWS
 N  COST
 G  NEED
 L  CAP
COLUMNS
    M1  'MARKER'                 'INTORG'
    X         COST         3   CAP         -9
    Z         COST         1.5   NEED         2
    M2  'MARKER'                 'INTEND'
    Y         COST         1   NEED         1
    Y         CAP      1
RHS
    RHS       NEED         4.5
BOUNDS
 UP BND       X            1
 UP BND       Z            3
ENDATA
"""
"""The solutions, as (X, Z, cost): (0, 3, 4.5), (1, 0, 7.5), (1, 1, 7), (1, 2, 6.5), (1, 3, 7.5)."""


@pytest.fixture
def lots(tmp_path):
    path = tmp_path / "lots.mps"
    path.write_text(LOTS)
    return path


def command(capsys, *arguments):
    status = main([str(argument) for argument in arguments])
    return status, capsys.readouterr()


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ([], "exactly 5 solutions by all integer columns;"),
        (
            ["--within-relative", "0.6"],
            "exactly 3 solutions by all integer columns within a share of 3/5 ",
        ),
        (
            ["--best", "3"],
            "the 3 best solutions by all integer columns: the least value is 9/2, the last has",
        ),
        (["--kind", "optimum"], "the least value is 9/2; it is checked, and"),
        (["--over", "X", "--within", "2"], "exactly 2 solutions by X within 2 of the least value, 9/2;"),
    ],
)
def test_the_folder_of_a_model_proves_what_was_asked(options, what, lots, tmp_path, capsys):
    folder = tmp_path / "folder"
    status, said = command(capsys, "prove", lots, "--out", folder, *options)
    assert status == 0
    assert said.out.startswith(f"lots: proved: {what}")
    status, again = command(capsys, "verify", folder)
    assert (status, again.out) == (0, said.out.replace("lots:", f"{folder}:", 1))
    assert (folder / "verify.py").read_bytes() == Path(verify_tree.__file__).read_bytes()


def test_the_program_in_the_folder_says_the_same(lots, tmp_path, capsys):
    folder = tmp_path / "folder"
    said = command(capsys, "prove", lots, "--out", folder)[1]
    run = subprocess.run([sys.executable, "-I", folder / "verify.py", folder], capture_output=True, text=True)
    assert (run.returncode, f"lots: {run.stdout}", run.stderr) == (0, said.out, "")


def test_the_file_of_the_user_stands_in_the_folder_byte_for_byte(lots, tmp_path):
    lots.write_bytes(LOTS.replace("\n", "\r\n").encode())
    proved = milp_pips.prove(milp_pips.read(lots), tmp_path / "folder")
    assert (tmp_path / "folder" / "model.mps").read_bytes() == lots.read_bytes()
    assert proved.trusted.endswith("…, is the file in question")
    assert sorted(path.name for path in (tmp_path / "folder").iterdir()) == [
        *("certificate.json", "model.mps", "points.jsonl", "tree.jsonl.gz", "verify.py"),
    ]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (" 2\n", " 2 $ pieces\n"),  # a comment within a line
        (" N  COST\n", " N  COST\n N  OTHER\n"),
        ("* two", "*SENSE:Minimize\n* two"),
    ],
)
def test_a_file_that_the_checker_does_not_read_is_written_again(old, new, lots, tmp_path, recwarn):
    assert old in LOTS
    lots.write_text(LOTS.replace(old, new, 1))
    proved = milp_pips.prove(milp_pips.read(lots), tmp_path / "folder")
    assert (proved.solutions, proved.trusted) == (5, "that model.mps states the model")


def test_an_lp_file_and_a_model_of_a_library_are_stated_in_mps(tmp_path):
    model = Model(
        (Column("x", 0, 3, True, 1), Column("y", None, Fraction(7, 2), cost=-2)),
        (Row("r", {0: Fraction(1, 3), 1: 1}, None, 3),),
        "maximise",
        name="thirds",
    )
    proved = milp_pips.prove(model, tmp_path / "object")
    assert (proved.solutions, proved.trusted) == (4, "that model.mps states the model")
    (tmp_path / "thirds.lp").write_text(
        "Max\n x + y\nSubject To\n x + 3 y <= 9.5\nBounds\n x <= 3\n y <= 2\nGeneral\n x\nEnd\n"
    )
    proved = milp_pips.prove(milp_pips.read(tmp_path / "thirds.lp"), tmp_path / "lp", within=0)
    assert proved.what == "exactly 1 solution by all integer columns with the greatest value, 5"
    assert proved.trusted == "that model.mps states the model"


def test_no_solution_is_proved(lots, tmp_path, capsys):
    lots.write_text(
        LOTS.replace(" UP BND       Z            3", " UP BND       Z            2").replace(
            " UP BND       X            1", " FX BND       X            0"
        )
    )
    for options in ([], ["--within", "0"], ["--best", "2"]):
        status, said = command(capsys, "prove", lots, "--out", tmp_path / f"no{options}", *options)
        assert status == 0
        assert said.out.startswith("lots: proved: no solution; ")


class Patience(Deadline):
    """A deadline that is over when it has been looked at so many times."""

    looks = 60

    @property
    def stop(self):
        self.looks -= 1
        return None if self.looks > 0 else Stop.TIME


def many():
    columns = tuple(Column(f"x{j}", 0, 1, True, 1 + j % 7) for j in range(60))
    return Model(columns, (Row("half", {j: 101 + 2 * j for j in range(60)}, 4001, None),), name="many")


@pytest.mark.parametrize("asked", [{}, {"within": 5}, {"best": 3}])
def test_a_tree_that_is_stopped_proves_two_bounds(asked, tmp_path, monkeypatch):
    monkeypatch.setattr(tree_pieces, "BETWEEN_LOOKS", 0)
    proved = milp_pips.prove(many(), tmp_path / "folder", deadline=Patience(), **asked)
    assert proved.solutions < proved.most
    assert re.search(r" outside of \d+ open leaves, which have [\d.]+ % of the box$", proved.how)


def test_the_status_says_that_a_limit_was_hit(tmp_path, capsys):
    (tmp_path / "many.mps").write_text(many().to_mps())
    status, said = command(
        capsys, "prove", tmp_path / "many.mps", "--out", tmp_path / "folder", "--time-limit", "0.2"
    )
    assert status == 3
    assert "many: proved: from " in said.out
    status, again = command(capsys, "verify", tmp_path / "folder")
    assert (status, again.out.partition(": ")[2]) == (0, said.out.partition(": ")[2])


def test_a_known_solution_begins_the_tree(lots, tmp_path, capsys):
    model, best = milp_pips.read(lots), {"X": 0, "Z": 2.25 * 4 / 3, "Y": 0}
    file, lines = tmp_path / "known.sol", tmp_path / "known.jsonl"
    file.write_text("solution status: optimal\nX 0\nZ 3\nY 0\n")
    lines.write_text('{"values": {"X": 1, "Z": 0, "Y": 4.5}}\n{"values": {"X": 0, "Z": 3, "Y": 0}}\n')
    for number, start in enumerate(([best], [best, {"X": 1, "Z": 0, "Y": Fraction(9, 2)}], file, str(lines))):
        folder = tmp_path / f"{number}"
        proved = milp_pips.prove(model, folder, within=0, start=start)
        assert (proved.solutions, proved.best) == (1, Fraction(9, 2))
        first = (folder / "points.jsonl").read_text().splitlines()[0]
        assert first == ('[1, 0, "9/2"]' if number == 3 else "[0, 3, 0]")
    options = ("--within", "0", "--start", lines, "--out", tmp_path / "command")
    status, said = command(capsys, "prove", lots, *options)
    assert (status, said.out[:36]) == (0, "lots: proved: exactly 1 solution by ")


@pytest.mark.parametrize(
    ("start", "fault"),
    [
        ([{"X": 0, "Z": 3}], r"^start 1: no value of Y; expected values of all columns$"),
        ([{"X": 0, "Q": 3}], r"^start 1: no column Q; expected values of columns by name$"),
        ([{"X": 0, "Z": 1, "Y": 0}], r"^start 1: no solution of lots: row NEED is missed by 2.5$"),
        (
            [{"X": 0.5, "Z": 3, "Y": 0}],
            r"^start 1: no solution of lots: the integrality of X is missed by 0.5$",
        ),
        ('{"values": {"X": 0, "Z": 3}}\n', r"/start:1: no value of Y; expected values of all columns$"),
        ("X 0\nZ one\n", r"/start:2: "),
    ],
)
def test_a_start_that_is_no_solution_is_refused(start, fault, lots, tmp_path):
    if isinstance(start, str):
        (tmp_path / "start").write_text(start)
        start = tmp_path / "start"
    with pytest.raises(InputError, match=fault):
        milp_pips.prove(milp_pips.read(lots), tmp_path / "folder", start=start)
    assert not (tmp_path / "folder").exists()


def test_what_a_model_cannot_be_asked_is_said(lots, tmp_path):
    model, folder = milp_pips.read(lots), tmp_path / "folder"
    for options, fault in (
        ({"kind": "count"}, "Y is continuous"),
        ({"within": 1, "within_relative": 0.5}, "the tree takes one distance"),
        ({"best": 2, "kind": "count"}, "best and within are for lists of linear models"),
        ({"within": 0, "kind": "optimum"}, "best and within are for lists of linear models"),
        ({"start": [], "kind": "count"}, "a start is for linear models, by their own objective"),
        ({"over": ["Y"]}, "Y is continuous: solutions are listed by integer columns"),
    ):
        with pytest.raises(UsageError, match=fault):
            milp_pips.prove(model, folder, **options)
        assert not folder.exists()
    with pytest.raises(UsageError, match="best and within are for lists of linear models"):
        milp_pips.prove(milp_pips.read("examples/pips/square.txt"), folder, best=2)
    with pytest.raises(UsageError, match="the best solutions need an objective: the model has none"):
        milp_pips.prove(Model((Column("x", 0, 1, True),), ()), folder, best=2)


@pytest.mark.parametrize(
    ("columns", "asked", "fault"),
    [
        (
            (Column("x", 0, 3, True, 1), Column("y", 0, None, False, -1)),
            {"within": 0},
            "the objective is unbounded, even with all integer columns fixed; bound the continuous columns",
        ),
        (
            (Column("x", 0, None, True, 1),),
            {"within": 0},
            "x has no upper bound: there may be no end of its values",
        ),
        (
            (Column("x", 0, None, True, 1), Column("y", 0, 1, True)),
            {"over": ["y"]},
            "column x has no upper bound, and the rows imply none; give it bounds",
        ),
        ((Column("x", 0, 3, False, 1),), {}, "bad has no integer column: solutions are listed by integer"),
    ],
    ids=["objective", "chosen", "other", "no integer"],
)
def test_a_model_without_an_end_is_refused_by_name(columns, asked, fault, tmp_path):
    with pytest.raises(UsageError, match=f"^{fault}"):
        milp_pips.prove(Model(columns, (), name="bad"), tmp_path / "folder", **asked)
    assert not (tmp_path / "folder").exists()


def test_columns_that_rows_bound_only_together_are_listed_counted_and_proved_as_given(tmp_path):
    columns = (Column("x", None, None, True), Column("y", None, None, True))
    rows = (Row("r", {0: 1, 1: 1}, 0, 5), Row("s", {0: 1, 1: -1}, 0, 1))
    model = Model(columns, rows, name="free")
    points = {(0, 0), (1, 0), (1, 1), (2, 1), (2, 2), (3, 2)}
    assert {(point["x"], point["y"]) for point in milp_pips.solutions(model)} == points
    assert milp_pips.count(model).counts == {"assignment": 6}
    assert milp_pips.prove(model, tmp_path / "free").solutions == 6
    assert " FR BND x" in (tmp_path / "free" / "model.mps").read_text()
    with pytest.raises(UsageError, match="x has no bounds: there may be no end of its values"):
        milp_pips.count(Model(columns, rows[:1], name="strip"))


def test_columns_without_bounds_that_rows_refute_only_together_have_no_solution(tmp_path):
    columns = (Column("x", None, None, True), Column("y", Fraction(1, 2), None, True))
    rows = (Row("r", {0: 1, 1: 1}, 0, 5), Row("s", {0: 1, 1: 1, 2: 1}, 9, None), Row("t", {2: 1}, 0, 1))
    model = Model((*columns, Column("z", None, None, True)), rows)
    assert milp_pips.count(model).counts == {"assignment": 0}
    assert list(milp_pips.solutions(model)) == []
    assert milp_pips.prove(model, tmp_path / "none").solutions == 0
    crossed = (*model.columns, Column("w", None, 0, True))  # by a row, and x stays without lower bound
    by_one = replace(model, columns=crossed, rows=(rows[0], Row("u", {3: 1}, 1, None)))
    assert milp_pips.count(by_one).counts == {"assignment": 0}
    assert milp_pips.prove(by_one, tmp_path / "one").solutions == 0


def test_bounds_that_are_not_found_in_time_are_not_called_missing(tmp_path):
    columns = (Column("x", None, None, True), Column("y", None, None, True))
    rows = (Row("r", {0: 1, 1: 1}, 0, 5), Row("s", {0: 1, 1: -1}, 0, 1))
    for task in (milp_pips.count, milp_pips.solutions, partial(milp_pips.prove, folder=tmp_path / "late")):
        (deadline := SubDeadline(Deadline())).end()
        with pytest.raises(Unfinished, match="late: it is not known whether its rows bound all integer"):
            task(Model(columns, rows, name="late"), deadline=deadline)


def test_fine_numbers_are_proved_exactly_where_a_file_states_them(tmp_path):
    """x is y times a number far below every tolerance: both are 0."""
    fine = Fraction(1, 10**30)
    columns = (Column("x", 0, 3, True, 1), Column("y", 0, 3, True, 1))
    proved = milp_pips.prove(Model(columns, (Row("r", {0: 1, 1: -fine}, 0, 0),)), tmp_path / "fine")
    assert (proved.solutions, proved.is_complete) == (1, True)
    proved = milp_pips.prove(Model(columns, (Row("r", {0: 1, 1: fine}, 1 + fine, None),)), tmp_path / "finer")
    assert (proved.solutions, proved.is_complete) == (11, True)


def thirds(cost):
    """Two columns whose numbers no finite decimal states; y is at most 1/3 of x, and at most 5/3."""
    columns = (
        Column("x", Fraction(1, 3), Fraction(11, 3), True, cost),
        Column("y", None, Fraction(5, 3), False, -1),
    )
    return Model(columns, (Row("r", {0: Fraction(-1, 3), 1: 1}, None, 0),), name="thirds")


def test_a_list_of_a_model_with_thirds_is_complete():
    found = milp_pips.solutions(thirds(Fraction(4, 3)), within=1)
    assert [solution["x"] for solution in found] == [1, 2]
    assert (found.summary.complete, found.optimum.value) == (True, 1)


def test_a_certificate_has_bounds_of_thirds_but_no_such_costs(tmp_path):
    proved = milp_pips.prove(thirds(2), tmp_path / "folder", within=0)
    assert (proved.solutions, proved.best) == (1, Fraction(5, 3))
    with pytest.raises(UsageError, match=r"thirds has a number that is no finite decimal.*multiply it by 3$"):
        milp_pips.prove(thirds(Fraction(4, 3)), tmp_path / "other", within=0)


def test_a_row_that_a_file_states_with_great_numbers_keeps_its_sides(tmp_path):
    """Times 7 the right side would be 2.1e20, which readers take for infinite."""
    columns = (Column("x", 0, 3, True, 1), Column("y", 0, 1, True))
    row = Row("r", {0: Fraction(10**20, 7), 1: 1}, None, 3 * 10**19)
    proved = milp_pips.prove(Model(columns, (row,)), tmp_path / "folder")
    assert (proved.solutions, proved.is_complete) == (6, True)


def test_a_certificate_that_is_refused_is_a_fault_and_leaves_no_folder(lots, tmp_path, monkeypatch):
    monkeypatch.setattr("milp_pips.enumeration.tree_log.TreeLog.point", lambda *_: None)
    with pytest.raises(EngineFault, match=r"the certificate of lots is refused: tree.jsonl.gz:"):
        milp_pips.prove(milp_pips.read(lots), tmp_path / "folder")
    assert not (tmp_path / "folder").exists()


def test_hashes_and_members_are_checked(lots, tmp_path, capsys):
    milp_pips.prove(milp_pips.read(lots), tmp_path / "folder")

    def refused(name, change):
        copy = shutil.copytree(tmp_path / "folder", tmp_path / name)
        (copy / name).write_bytes(change((copy / name).read_bytes()))
        status, said = command(capsys, "verify", copy)
        assert status == 1
        return said.out.partition(": ")[2]

    for name in ("model.mps", "points.jsonl", "tree.jsonl.gz"):
        assert refused(name, lambda content: content + b"\n") == (
            f"refused: {name}: its hash differs from the one in certificate.json\n"
        )
    members = "refused: certificate.json: expected the members format, made_by, original, chosen, within, "
    assert refused(
        "certificate.json", lambda content: json.dumps({**json.loads(content), "more": 1}).encode()
    ).startswith(members)


def test_a_folder_of_a_puzzle_has_its_program_too(tmp_path):
    milp_pips.prove(milp_pips.read("examples/pips/square.txt"), tmp_path / "folder")
    run = subprocess.run(
        [sys.executable, "-I", tmp_path / "folder" / "verify.py", tmp_path / "folder"],
        capture_output=True,
        text=True,
    )
    assert (run.returncode, run.stdout[:32]) == (0, "proved: exactly 4 solutions by p")


def test_verify_returns_what_a_folder_proves_or_says_what_is_wrong(lots, tmp_path):
    proved = milp_pips.prove(milp_pips.read(lots), tmp_path / "folder", within=2)
    assert milp_pips.verify(tmp_path / "folder") == proved
    of_puzzle = milp_pips.prove(milp_pips.read("examples/pips/square.txt"), tmp_path / "puzzle")
    assert str(milp_pips.verify(tmp_path / "puzzle")) == str(of_puzzle)
    for folder in ("folder", "puzzle"):
        with pytest.raises(Unfinished, match=r"not checked: the check takes more than 0 s$"):
            milp_pips.verify(tmp_path / folder, seconds=0)
        (tmp_path / folder / "certificate.json").write_text("{}")
        with pytest.raises(InputError, match=r"/\w+: refused: certificate.json: "):
            milp_pips.verify(tmp_path / folder)


def test_the_tree_that_the_page_explains_is_a_proof(tmp_path):
    page = (Path(__file__).parents[2] / "docs" / "certificates.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```json\n(.*?)\n```", page, re.DOTALL)
    tree, multipliers = next(pair for pair in pairwise(blocks) if pair[0].startswith("[["))
    other = tree.replace('["i",-1,0,2,2,1,3,3],["v",1]', multipliers)
    assert other != tree
    proved = milp_pips.prove(milp_pips.read("examples/any_model/carpenter.mps"), tmp_path, within=1)
    (tmp_path / "points.jsonl").write_text("[3, 1]\n[4, 0]\n")
    for shown, fault in (
        (tree, ""),
        (other, ""),
        (other.replace("-8388608", "-6000000"), "the box is not above the cutoff"),
        (tree + '\n[["a"]]', "no child of another"),
    ):
        write_nodes(tmp_path, [json.loads(line) for line in shown.splitlines()])
        if fault:
            with pytest.raises(Refused, match=fault):
                check(tmp_path)
        else:
            assert str(check(tmp_path)).split(" nodes ")[1] == str(proved).split(" nodes ")[1]
