"""Certificates of trees: what is true is proved, and what is damaged is refused unless it is still true."""

from __future__ import annotations

import gzip
import json
import random
import re
import shutil
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest
from random_mips import expected, random_charges, random_mip, random_query
from thoroughness import few_or_many
from tree_certificates import (
    check,
    check_as_counted,
    is_true,
    nodes,
    write,
    write_in_pieces,
    write_nodes,
)

from milp_pips.enumeration.tree import Tree, TreeSettings
from milp_pips.enumeration.tree_log import TreeLog
from milp_pips.enumeration.tree_points import TreeQuery
from milp_pips.formulations.model import Model
from milp_pips.formulations.reading import read_model
from milp_pips.formulations.reading.lines import ReadingNote
from milp_pips.formulations.rows import Column, Row
from milp_pips.formulations.writing_files import to_mps
from milp_pips.problem import UsageError
from milp_pips.verification import verify_tree
from milp_pips.verification.verify_tree import (
    CERTIFICATE_JSON,
    MODEL_MPS,
    POINTS_JSONL,
    TREE_LOG,
    Mps,
    OutOfTime,
    Refused,
    Watch,
    Whole,
    verify,
)


def knapsack():
    weights, values = (7, 5, 4, 3, 1), (8, 5, 5, 3, 1)
    columns = tuple(Column(f"x{j}", 0, 1, True, value) for j, value in enumerate(values))
    return Model(
        columns, (Row("weight", dict(enumerate(weights)), None, 11),), "maximise", Fraction(1, 2), "sack"
    )


def mixed():
    """Lot sizes: three periods, each with a set-up, a continuous lot and a continuous stock."""
    columns, rows = [], []
    for t, need in enumerate((3, Fraction(5, 2), 4)):
        columns += [Column(f"lot{t}", 0, 9, False, 1), Column(f"stock{t}", 0, None, False, Fraction(1, 2))]
        columns.append(Column(f"set{t}", 0, 1, True, 3))
        terms = {3 * t: 1, 3 * t + 1: -1} | ({3 * t - 2: 1} if t else {})
        rows += [Row(f"need{t}", terms, need, need), Row(f"cap{t}", {3 * t: 1, 3 * t + 2: -9}, None, 0)]
    return Model(tuple(columns), tuple(rows), name="lots")


@pytest.fixture
def sack(tmp_path):
    write(tmp_path, knapsack(), TreeQuery(within=2))
    return tmp_path


def test_certificates_of_random_models_prove_what_brute_force_finds(tmp_path):
    for seed in range(few_or_many(20, 2000)):
        rng = random.Random(seed)
        model = random_mip(rng)
        query = random_query(rng, model, TreeQuery)
        wanted = expected(model, query)
        if wanted is None:
            continue
        try:
            write(tmp_path, model, query)
        except UsageError:  # a number that no decimal states
            continue
        proved = check(tmp_path)
        assert proved.solutions == proved.most == len(wanted[0]), seed
        assert proved.best == wanted[1], seed


EXTREME = "the greatest value"


@pytest.mark.parametrize(
    ("asked", "what"),
    [
        (TreeQuery(), "exactly 19 solutions by all integer columns"),
        (TreeQuery((0, 1)), "exactly 3 solutions by x0, x1"),
        (TreeQuery(within=2), f"exactly 4 solutions by all integer columns within 2 of {EXTREME}, 27/2"),
        (TreeQuery(within=0), f"exactly 1 solution by all integer columns with {EXTREME}, 27/2"),
        (
            TreeQuery(within_relative=Fraction(1, 9)),
            f"exactly 2 solutions by all integer columns within a share of 1/9 of {EXTREME}, 27/2",
        ),
        (
            TreeQuery(best=2),
            f"the 2 best solutions by all integer columns: {EXTREME} is 27/2, the last has 25/2, "
            "and no other is better than this",
        ),
        (TreeQuery(best=1), f"{EXTREME} is 27/2"),
    ],
)
def test_the_verdict_is_a_sentence(asked, what, tmp_path):
    write(tmp_path, knapsack(), asked)
    proved = check(tmp_path)
    assert proved.what == what
    many = "it is" if proved.solutions == 1 else "each is"
    other = "better" if asked.best == 1 else "other"
    exclude = f"{many} checked, and {len(nodes(tmp_path))} nodes exclude any {other}"
    assert str(proved) == f"proved: {what}; {exclude}; trusted: that model.mps states the model"


def test_a_mixed_model_is_proved_with_fractions(tmp_path):
    outcome = write(tmp_path, mixed(), TreeQuery(within=1))
    proved = check(tmp_path)
    assert proved.solutions == proved.most == len(outcome.points)
    assert proved.best == outcome.optimum


def test_a_tree_that_stopped_proves_two_bounds_and_says_what_is_open(tmp_path):
    model = Model(tuple(Column(f"x{j}", 0, 1, True) for j in range(10)), ())
    left = iter(range(30))
    outcome = write(tmp_path, model, TreeQuery(), lambda: "nodes" if next(left, None) is None else None)
    proved = check(tmp_path)
    assert proved.solutions == len(outcome.points)
    assert proved.solutions <= 1024 <= proved.most
    assert not proved.is_complete
    share = 100 * (proved.most - proved.solutions) / 1024
    assert proved.what == f"from {proved.solutions} to {proved.most} solutions by all integer columns"
    assert re.search(rf" outside of \d+ open leaves, which have {share:.3g} % of the box$", proved.how)


def test_a_list_that_is_closed_early_proves_two_bounds(tmp_path):
    model = Model(tuple(Column(f"x{j}", 0, 1, True) for j in range(6)), ())
    log = TreeLog(tmp_path)
    points = Tree(model, TreeQuery(), TreeSettings(log=log)).points()
    for _ in range(3):
        next(points)
    points.close()
    log.finish(to_mps(model), None, TreeQuery(), 3)
    proved = check(tmp_path)
    assert (proved.solutions, proved.most >= 64) == (3, True)


KNOWN = "the greatest value that is known"


@pytest.mark.parametrize(
    ("asked", "what"),
    [
        (
            TreeQuery(best=2),
            f"the 2 best solutions by all integer columns: {KNOWN} is 27/2, the last has 25/2, and at most "
            r"\d+ others? can be better than the last",
        ),
        (TreeQuery(best=1), rf"{KNOWN} is 27/2, and at most \d+ others? can be better than the last"),
        (TreeQuery(within=2), rf"from 4 to \d+ solutions by all integer columns within 2 of {KNOWN}, 27/2"),
    ],
)
def test_an_open_leaf_leaves_the_optimum_unproved(asked, what, tmp_path):
    write(tmp_path, knapsack(), asked)
    lines = nodes(tmp_path)
    write_nodes(tmp_path, [*lines[:-1], [["o"]]])
    proved = check(tmp_path)
    assert proved.best is None
    assert re.fullmatch(what, proved.what)


# By hand.


def find(lines, kind):
    """Return the first entry of a kind, with its line."""
    return next((line, entry) for line in lines for entry in line if entry[0] == kind)


def damaged(folder, change):
    lines = nodes(folder)
    change(lines)
    write_nodes(folder, lines)
    return folder


def test_a_bound_that_no_row_implies_is_refused(tmp_path):
    columns = tuple(Column(f"x{j}", 0, 3, True) for j in range(2))
    write(tmp_path, Model(columns, (Row("r", {0: 2, 1: 3}, 3, 5),)), TreeQuery())
    assert check(tmp_path).solutions == 3

    def change(lines):
        _, entry = find(lines, "i")
        entry[4] -= 1

    with pytest.raises(Refused, match=r"tree.jsonl.gz:\d: row 0 does not imply the bounds of column"):
        check(damaged(tmp_path, change))


def test_a_bound_that_two_rows_together_imply_is_refused_if_it_is_tighter(tmp_path):
    columns = tuple(Column(name, None, None, True) for name in "xy")
    rows = (Row("r", {0: 1, 1: 1}, 0, 5), Row("s", {0: 1, 1: -1}, 0, 1))
    write(tmp_path, Model(columns, rows), TreeQuery())
    assert check(tmp_path).solutions == 6

    def change(lines):
        _, entry = find(lines, "r")
        assert entry == ["r", 0, 0, None]
        entry[2] += 1

    with pytest.raises(Refused, match=r"tree.jsonl.gz:1: a part of column 0 is not above the cutoff"):
        check(damaged(tmp_path, change))


@pytest.mark.parametrize(
    ("multipliers", "implied", "too_tight"),
    [(["y", 0, 0, -1], ["r", 0, 0, 5], ["r", 0, 0, 4]), (["y", 0, 1, 1], ["r", 1, 3, 9], ["r", 1, 4, 9])],
    ids=["upper", "lower"],
)
def test_both_sides_that_multipliers_remove_are_checked(multipliers, implied, too_tight, tmp_path):
    columns = tuple(Column(name, 0, 9, True) for name in "xyz")
    rows = (Row("r", {0: 1, 1: 1}, None, 5), Row("s", {1: 1, 2: 1}, 12, None))
    write(tmp_path, Model(columns, rows), TreeQuery())
    write_nodes(tmp_path, [[multipliers, implied, ["v", 0]]])
    with pytest.raises(Refused, match=r"tree.jsonl.gz:1: the box has points that obey row 0"):
        check(tmp_path)
    write_nodes(tmp_path, [[multipliers, too_tight, ["v", 0]]])
    with pytest.raises(Refused, match=r"tree.jsonl.gz:1: a part of column \d is not above the cutoff"):
        check(tmp_path)


def test_a_missing_child_is_refused(sack):
    def change(lines):
        del lines[-1]

    with pytest.raises(Refused, match=r"tree.jsonl.gz: a child is missing"):
        check(damaged(sack, change))


def test_a_branch_without_a_value_of_the_column_is_refused(sack):
    def change(lines):
        _, entry = find(lines, "x")
        entry[2:] = entry[2:4]

    with pytest.raises(Refused, match=r"the children do not divide column \d"):
        check(damaged(sack, change))


def test_children_that_overlap_are_refused(sack):
    def change(lines):
        _, entry = find(lines, "x")
        entry[2:4] = [0, 1]

    with pytest.raises(Refused, match=r"the children do not divide column \d"):
        check(damaged(sack, change))


def test_a_node_that_nobody_branched_to_is_refused(sack):
    with pytest.raises(Refused, match=r"a node that is no child of another"):
        check(damaged(sack, lambda lines: lines.append([["a"]])))


def test_a_bound_that_is_too_weak_by_a_hair_is_refused(tmp_path):
    """Half of each, which costs 1/2 + 1/2 - a hair, is what a bound must exceed."""
    hair = Fraction(1, 10**9)
    columns = (Column("x", 0, 1, True, 1), Column("y", 0, 1, True, 1 - hair))
    write(tmp_path, Model(columns, (Row("r", {0: 1, 1: 1}, 1, None),)), TreeQuery(within=0))
    assert check(tmp_path).solutions == 1
    leaf = [["y", 1, 0, 10**9 - 1], ["a"]]
    write_nodes(tmp_path, [leaf])
    with pytest.raises(Refused, match=r"tree.jsonl.gz:1: the box is not above the cutoff"):
        check(tmp_path)


def test_a_point_that_breaks_a_row_is_refused(sack):
    lines = (sack / POINTS_JSONL).read_text().splitlines()
    (sack / POINTS_JSONL).write_text("\n".join(["[1, 1, 1, 1, 1]", *lines[1:]]))
    with pytest.raises(Refused, match=r"points.jsonl:1: row 0 does not hold"):
        check(sack)


def test_a_point_of_another_box_is_refused(sack):
    def change(lines):
        _, entry = find(lines, "s")
        entry[1] += 1

    with pytest.raises(Refused, match=r"point 1 is not the only one of the box: column \d"):
        check(damaged(sack, change))


def test_a_point_left_out_is_missed(sack):
    lines = (sack / POINTS_JSONL).read_text().splitlines()
    (sack / POINTS_JSONL).write_text("\n".join(lines[:-1]))
    with pytest.raises(Refused, match=r"tree.jsonl.gz:\d+: (there is no point|point|a part|the box)"):
        check(sack)


def test_another_model_is_refused(sack):
    text = (sack / MODEL_MPS).read_text()
    assert " RHS weight 11\n" in text
    (sack / MODEL_MPS).write_text(text.replace(" RHS weight 11\n", " RHS weight 12\n"))
    with pytest.raises(Refused):
        check(sack)


def test_another_number_of_solutions_is_refused(sack):
    query = json.loads((sack / CERTIFICATE_JSON).read_text())
    (sack / CERTIFICATE_JSON).write_text(json.dumps({**query, "solutions": 5}))
    with pytest.raises(Refused, match=r"^certificate.json: 5 solutions, but 4 are proved$"):
        check(sack)


@pytest.mark.parametrize(
    ("entry", "fault"),
    [
        (["y", -1], "a negative scale"),
        (["y", 1, 0], "a row without a multiplier"),
        (["y", 1, 0, 1], "row 0 has no side for a multiplier of this sign"),
        (["y", 1, 9, 1], "IndexError"),
        (["y", 1, -1, 1], "expected the number of a row"),
        (["y", 1.5], "expected a whole number"),
        (["y", True], "expected a whole number"),
        (["y", 10**1001], "expected a whole number"),
        (["f"], "no multipliers"),
        (["a"], "no multipliers"),
        (["v", 0], "the box has points that obey row 0"),
        (["v", -1], "the box has points that obey row -1"),
        (["i", -1, 0, 1, 1], "row -1 does not imply the bounds of column 0"),
        (["i", -2, 0, 1, 1], "expected the number of a row"),
        (["e", 0], "the bounds of column 0 do not cross"),
        (["r", 0, 0, 0], "no multipliers"),
        (["i", 0, 0, 0], "expected columns with two bounds each"),
        (["i", 0, 0, -1, 1], "the bounds of column 0 become wider"),
        (["t", 0, 0, 8, None, 11], "row 0 does not imply the new one where column 0 is 1"),
        (["m", 0, [], 0, 1], "a row by rounding below the root, or without a divisor"),
        (["m", 2, [], 0], "a row by rounding below the root, or without a divisor"),
        (["m", 2, [], 0, -1], "row 0 has no side for this multiplier"),
        (["m", 2, [-1], 0, 1], "expected the number of a row, a column"),
        (["m", 2, 0, 0, 1], "TypeError"),
        (["x", 0, 1, 1], "the children do not divide column 0"),
        (["s", 99], "there is no point 99"),
        (["?"], "KeyError"),
        ([], "IndexError"),
        ("a", "no multipliers"),
        (7, "TypeError"),
        ({}, "KeyError"),
    ],
)
def test_an_entry_that_is_wrong_is_refused(sack, entry, fault):
    with pytest.raises(Refused, match=rf"^tree.jsonl.gz:1: .*{fault}"):
        check(damaged(sack, lambda lines: lines[0].insert(0, entry)))


def test_a_list_without_a_distance_has_no_cutoff(tmp_path):
    write(tmp_path, knapsack(), TreeQuery())
    with pytest.raises(Refused, match=r"^tree.jsonl.gz:1: no cutoff$"):
        check(damaged(tmp_path, lambda lines: lines[0].insert(0, ["v", -1])))


def test_cuts_are_proved_and_damaged_ones_refused_unless_they_hold(tmp_path):
    cuts = refused = 0
    for seed in range(few_or_many(4, 200)):
        rng = random.Random(seed)
        model, folder = random_charges(rng), tmp_path / f"{seed}"
        folder.mkdir()
        query = TreeQuery(
            tuple(j for j, c in enumerate(model.columns) if c.integer), within=rng.choice((0, 2))
        )
        write_in_pieces(folder, model, query, rng) if seed % 2 else write(folder, model, query)
        proved = check(folder)
        wanted, optimum = expected(model, query)
        assert (proved.solutions, proved.most, proved.best) == (len(wanted), len(wanted), optimum), seed
        lines = nodes(folder)
        for at, entry in [
            (n, e) for n, line in enumerate(lines) for e, (kind, *_) in enumerate(line) if kind == "m"
        ]:
            cuts += 1
            worse = json.loads(json.dumps(lines))
            place = rng.choice([1, *range(4, len(lines[at][entry]), 2)])
            worse[at][entry][place] = max(1, 2 * worse[at][entry][place] + rng.choice((1, -1, 0)))
            copy = Path(shutil.copytree(folder, tmp_path / f"{seed}-{cuts}"))
            write_nodes(copy, worse)
            try:
                proved = check_as_counted(copy)
            except Refused:
                refused += 1
                continue
            assert is_true(copy, proved) is not False, (seed, at, entry)
    assert cuts > refused > 0


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (b"[" * 2**23, "a line is longer than 4194304 bytes"),
        (b"[" * 10**6 + b"\n", "RecursionError"),
        (b"\xff\n", "'ascii' codec can't decode"),
        (b"{}\n", "expected a list of entries"),
        (b"[[" + b"9" * 10**6 + b"]]\n", "Exceeds the limit"),
        (b"", "a child is missing"),
    ],
    ids=["long", "deep", "no text", "no list", "long number", "empty"],
)
def test_a_hostile_log_is_refused(sack, content, fault):
    (sack / TREE_LOG).write_bytes(gzip.compress(content))
    with pytest.raises(Refused, match=rf"^tree.jsonl.gz.*{fault}"):
        check(sack)


def test_a_log_that_is_not_packed_or_cut_off_is_refused(sack):
    content = (sack / TREE_LOG).read_bytes()
    (sack / TREE_LOG).write_bytes(content[:-9])
    with pytest.raises(Refused, match=r"^tree.jsonl.gz: Compressed file ended"):
        check(sack)
    (sack / TREE_LOG).write_bytes(b"no gzip")
    with pytest.raises(Refused, match=r"^tree.jsonl.gz: Not a gzipped file"):
        check(sack)


def test_no_file_is_a_link(sack, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("elsewhere") / "model.mps"
    (sack / MODEL_MPS).rename(elsewhere)
    (sack / MODEL_MPS).symlink_to(elsewhere)
    with pytest.raises(Refused, match=r"^model.mps: not a file$"):
        check(sack)


def test_the_time_limit_ends_a_check(sack):
    with pytest.raises(OutOfTime, match=r"^the check takes more than 0 s$"):
        verify(sack, Watch(0))


def test_the_program_says_what_is_proved_or_why_not(sack):
    command = [sys.executable, verify_tree.__file__, str(sack)]
    good = subprocess.run(command, capture_output=True, text=True)
    assert (good.returncode, good.stdout[:26]) == (0, "proved: exactly 4 solution")
    (sack / CERTIFICATE_JSON).write_text("{}")
    bad = subprocess.run(command, capture_output=True, text=True)
    assert (bad.returncode, bad.stdout) == (
        1,
        "refused: certificate.json: expected the format 'milp-pips tree 1'\n",
    )


# A mixed model, by hand.


@pytest.fixture
def lots(tmp_path):
    write(tmp_path, mixed(), TreeQuery(within=1))
    assert check(tmp_path).solutions == 2
    return tmp_path


def replaced(folder, name, old, new):
    text = (folder / name).read_text()
    assert old in text
    (folder / name).write_text(text.replace(old, new, 1))


def entry_of(lines, kind, at, value):
    find(lines, kind)[1][at] = value


ABOVE = r"tree.jsonl.gz:\d: (row -1 does not imply the bounds|(a part|the box) .*is not above the cutoff).*"


@pytest.mark.parametrize(
    ("harm", "fault"),
    [
        (
            lambda folder: damaged(folder, lambda lines: entry_of(lines, "x", 5, 1)),
            "tree.jsonl.gz:1: the children do not divide column 8",
        ),
        (
            lambda folder: replaced(folder, POINTS_JSONL, '"13/2"', '"6"'),
            "points.jsonl:2: row 2 does not hold",
        ),
        (
            lambda folder: replaced(folder, POINTS_JSONL, '1, "13/2"', '"1/2", "13/2"'),
            "points.jsonl:2: column 2 is not integral",
        ),
        (
            lambda folder: replaced(folder, MODEL_MPS, "need1 2.5", "need1 2.500001"),
            "points.jsonl:1: row 2 does not hold",
        ),
        (
            lambda folder: replaced(folder, MODEL_MPS, "set1 objective 3", "set1 objective 1"),
            ABOVE,
        ),
        (
            lambda folder: replaced(folder, CERTIFICATE_JSON, '"within": 1', '"within": 5'),
            ABOVE,
        ),
    ],
    ids=["overlap", "point", "part", "model", "cost", "cutoff"],
)
def test_a_damaged_certificate_of_a_mixed_model_is_refused(harm, fault, lots):
    harm(lots)
    with pytest.raises(Refused, match=f"^{fault}$"):
        check(lots)


def test_a_multiplier_of_a_mixed_model_counts_to_its_last_unit(lots):
    """Of the multipliers of a leaf the least that suffices is accepted; one less is a hair too weak."""
    lines = nodes(lots)
    leaves = [(at, line[-2]) for at, line in enumerate(lines, 1) if line[-1] == ["a"]]
    at, entry = next((at, entry) for at, entry in leaves if entry[0] == "y")

    def fault_of(times):
        entry[3] = times
        write_nodes(lots, lines)
        try:
            check(lots)
        except Refused as fault:
            return str(fault)
        return ""

    low, high = 0, entry[3]
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fault_of(middle) else (low, middle)
    assert fault_of(high) == ""
    assert fault_of(high - 1) == f"tree.jsonl.gz:{at}: the box is not above the cutoff"


# Pieces.


@pytest.fixture
def pieces(tmp_path):
    model = Model(tuple(Column(f"x{j}", 0, 1, True) for j in range(4)), ())
    write_in_pieces(tmp_path, model, TreeQuery(), random.Random(1))
    assert check(tmp_path).solutions == check(tmp_path).most == 16
    return tmp_path


def roots(lines):
    return [at for at, line in enumerate(lines) if line[-1][0] == "p"]


def first_box(lines):
    return lines[roots(lines)[0]][-1][2]


@pytest.mark.parametrize(
    ("harm", "fault"),
    [
        (lambda lines: first_box(lines).clear(), "a piece for a box that is not open"),
        (lambda lines: first_box(lines)[2:] == [first_box(lines).pop()], "expected columns with two bounds"),
        (lambda lines: first_box(lines).extend([3, 0, 0]), "a piece for a box that is not open"),
        (lambda lines: first_box(lines).__setitem__(1, 0.0), "expected whole numbers"),
        (lambda lines: lines[roots(lines)[0]][-1].append(first_box(lines)), "a box that is not open"),
        (lambda lines: lines[roots(lines)[1]][-1].__setitem__(1, 99), "there is no point"),
        (lambda lines: lines[roots(lines)[1]][-1].__setitem__(1, -1), "expected the number of"),
        (lambda lines: lines.insert(roots(lines)[0] + 1, lines[roots(lines)[0]]), "a piece within another"),
        (lambda lines: lines[roots(lines)[0]][-1].__delitem__(slice(2, None)), "a piece without a box"),
        (lambda lines: lines.insert(0, [["p", 0, []]]), "a piece within another"),
        (lambda lines: lines.append(lines[roots(lines)[0]]), "a node that is no child of another"),
    ],
)
def test_a_damaged_piece_is_refused(pieces, harm, fault):
    with pytest.raises(Refused, match=rf"^tree.jsonl.gz:\d+: .*{fault}"):
        check(damaged(pieces, harm))


def test_a_piece_left_out_leaves_its_boxes_open(pieces):
    """It is no error: then the certificate proves less."""
    lines = nodes(pieces)
    write_nodes(pieces, lines[: roots(lines)[-1]])
    proved = check(pieces)
    assert (proved.solutions, proved.is_complete) == (16, False)


def test_any_number_of_empty_members_is_read_within_the_time_limit(pieces):
    with (pieces / TREE_LOG).open("ab") as file:
        file.write(gzip.compress(b"") * 20_000)
    assert check(pieces).is_complete
    looks = []
    list(verify_tree.lines_of(pieces / TREE_LOG, type("Looks", (), {"check": lambda _: looks.append(1)})()))
    assert len(looks) > 3


# By chance.


# Reading MPS.

PLAIN = """\
* a comment
NAME          PLAIN
OBJSENSE
    MAX
ROWS
 N  COST
 L  LIM1
 G  LIM2
 E  MYEQN
COLUMNS
    MARK0000  'MARKER'                 'INTORG'
    X         COST         1.5   LIM1         1e0
    X         LIM2          .5
    MARK0001  'MARKER'                 'INTEND'
    Y         COST         2.0   LIM1         1
    Y         MYEQN      -10.0
    Z         MYEQN          1
RHS
    RHS       COST         -10.0   LIM1         4.0
    RHS       LIM2         1   MYEQN        7
RANGES
    RNG       LIM1         2.5   MYEQN        -3
BOUNDS
 UP BND       Y            -1
 MI BND       Z
ENDATA
"""


def test_an_mps_file_is_read_as_by_the_package():
    with pytest.warns(ReadingNote):
        model = read_model(PLAIN, "plain.mps")
    whole = Whole(Mps(PLAIN))
    assert whole.integer == [True, False, False]
    assert (whole.low, whole.high) == ([0, None, None], [1, -1, None])
    rows = [(row.terms, row.low, row.high) for row in whole.rows]
    assert rows == [({0: 2, 1: 2}, 3, 8), ({0: 1}, 2, None), ({1: -10, 2: 1}, 4, 7)]
    assert (whole.costs, whole.price, whole.sign, whole.constant) == ([-3, -4, 0], Fraction(1, 2), -1, 10)
    assert model.constant == 10
    assert [(row.low, row.high) for row in model.rows] == [(Fraction(3, 2), 4), (1, None), (4, 7)]


def test_what_stands_after_the_end_of_an_mps_file_is_not_read():
    assert vars(Whole(Mps(PLAIN + "\nROWS\n E OTHER\n*SENSE:Minimize\n"))) == vars(Whole(Mps(PLAIN)))


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("ENDATA", "", "model.mps: no ENDATA"),
        (" L  LIM1", " N  LIM1", "model.mps:7: a second N row"),
        (" L  LIM1", " L  MYEQN", "model.mps:9: the row MYEQN of kind E"),
        ("Z         MYEQN", "X         MYEQN", "model.mps:17: the column X a second time"),
        ("    Y         MYEQN", "    Y         LIM1", "model.mps:16: a second entry of LIM1"),
        ("    RHS       LIM2", "    OTHER     LIM2", "model.mps:20: a second set of RHS"),
        ("    RHS       LIM2", "    RHS       LIM1", "model.mps:20: a second number of LIM1"),
        (" MI BND       Z", " UP BND       Y 3", "model.mps:25: a second upper bound of Y"),
        (" MI BND       Z", " SC BND       Z 3", "model.mps:25: a bound of kind SC"),
        ("1e0", "1e999", "model.mps:12: the exponent of 1e999"),
        (
            "1e0",
            "1" * 401,
            "model.mps:12: 1111111111111111111111111111111111111111 is no number of at most 400",
        ),
        ("1e0", "1/2", "model.mps:12: 1/2 is no number"),
        ("'INTEND'", "'INTORG'", "model.mps:14: the marker 'INTORG'"),
        ("MAX", "LARGE", "model.mps:4: KeyError: 'LARGE'"),
        ("* a comment", "*SENSE:Maximize", "model.mps:1: a sense in a comment; expected OBJSENSE"),
        ("RANGES", "SOS1", "model.mps:21: the section SOS1"),
        ("LIM2          .5", "LIM9          .5", "model.mps:13: KeyError: 'LIM9'"),
        ("LIM2          .5", "LIM2          .5 $ note", "model.mps:13: a comment within a line"),
    ],
)
def test_an_mps_file_that_is_not_plain_is_refused(old, new, fault):
    assert old in PLAIN
    with pytest.raises(Refused) as refused:
        Mps(PLAIN.replace(old, new, 1))
    assert str(refused.value).startswith(fault)
