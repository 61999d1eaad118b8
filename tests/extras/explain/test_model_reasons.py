"""Reasons of linear models: minimal, confirmed, in the words of the model, with repairs."""

from __future__ import annotations

import json
from fractions import Fraction
from random import Random

import pulp
import pytest
from thoroughness import few_or_many

import milp_pips
from milp_pips.cli import main
from milp_pips.compilation.limits import Unfinished
from milp_pips.extras.explain.model_items import ModelItem, ModelItems
from milp_pips.extras.explain.model_reasons import explain_model
from milp_pips.extras.explain.model_repair import Repair
from milp_pips.extras.explain.model_rotation import Rotation
from milp_pips.formulations.model import Model
from milp_pips.formulations.rows import Column, Row
from milp_pips.problem import Deadline, Stop, UsageError
from milp_pips.tasks.pipeline import puzzle_of
from milp_pips.tasks.tree_proofs import prove_model

STAFF = """\
Minimize
 cost: 2 anna + 3 ben + cleo
Subject To
 need_three: anna + ben + cleo >= 3
 at_most: anna + ben <= 1
 spare: ben - cleo >= -5
Bounds
 cleo <= 1
 anna <= 8
End
"""


@pytest.fixture
def staff(tmp_path):
    file = tmp_path / "staff.lp"
    file.write_text(STAFF)
    return str(file)


def binaries(n):
    return tuple(Column(f"x{j}", 0, 1, True) for j in range(n))


def words(*rows, columns):
    return str(milp_pips.explain(Model(tuple(columns), rows))).splitlines()


def test_rows_bounds_and_the_sum_that_refutes_them_are_told(staff, capsys):
    assert main(["explain", staff]) == 0
    *lines, last = capsys.readouterr().out.splitlines()
    assert lines == [
        "1. These cannot hold together, and no fewer:",
        "   need_three: anna + ben + cleo >= 3",
        "   at_most: anna + ben <= 1",
        "   cleo <= 1",
        "   need_three - at_most gives cleo >= 2, but it is at most 1 with cleo <= 1.",
        "Leave out need_three, at_most or cleo <= 1, and it has a solution.",
        "Or change right sides by 1 in all, and no less is enough: need_three >= 2.",
    ]
    assert "no solution, 1 reason" in last
    assert "confirmed by the sum of its rows and bounds, in fractions" in last


def test_json_has_items_by_their_names(staff, capsys):
    assert main(["explain", staff, "--json"]) == 0
    line = json.loads(capsys.readouterr().out)
    (reason,) = line["reasons"]
    assert [(item["kind"], item["name"]) for item in reason["items"]] == [
        ("row", "need_three"),
        ("row", "at_most"),
        ("high", "cleo"),
    ]
    assert (reason["minimal"], reason["smallest"], line["changes"]) == (
        True,
        True,
        [{"name": "need_three", "by": -1}],
    )


def test_one_row_has_its_arithmetic():
    columns = Column("x", 0, 3), Column("y", 0, 4)
    lines = words(Row("need", {0: 1, 1: 1}, 8), columns=columns)
    assert lines[1:4] == [
        "   need: x + y >= 8",
        "   x <= 3",
        "   y <= 4",
    ]
    assert lines[4] == "   x + y is at most 7 with x <= 3 and y <= 4, and need needs at least 8."


@pytest.mark.parametrize("ends", [(0, 9), (None, None)])
def test_parity_is_told_also_without_bounds(ends):
    lines = words(
        Row("total", {0: 2, 1: 4}, 7, 7), columns=[Column("x", *ends, True), Column("y", *ends, True)]
    )
    assert "   2 x + 4 y is even in whole numbers, and 7 is odd." in lines
    assert "   x, y are integer" in lines


def whole(*names):
    return [Column(name, None, None, True) for name in names]


def test_two_rows_with_one_left_side_leave_no_multiple_of_its_divisor():
    rows = [Row("a", {0: 15, 1: -21}, 1), Row("b", {0: -15, 1: 21}, -2)]
    lines = words(*rows, columns=whole("x", "y"))
    assert lines[1:5] == [
        "   a: 15 x - 21 y >= 1",
        "   b: -15 x + 21 y >= -2",
        "   x, y are integer",
        "   15 x - 21 y is a multiple of 3 in whole numbers, and none is from 1 to 2.",
    ]
    assert "confirmed by its remainders by 3, checked in whole numbers" in lines[-1]


def test_a_reason_without_bounds_has_a_certificate_where_its_rows_imply_them(tmp_path):
    rows = [Row("a", {0: 7, 1: -2}, 9, 10), Row("b", {0: -3, 1: 7}, 4, 5)]
    columns = [Column("x", 0, 3, True), Column("y", 0, 9, True)]
    lines = words(*rows, columns=columns)
    assert lines[3] == "   x is integer"
    assert "confirmed by its certificate: 1 node, each checked in whole numbers" in lines[-1]
    proved = milp_pips.prove(Model(tuple(columns), tuple(rows)), tmp_path / "reason", kind="infeasible")
    assert proved.solutions == 0
    bounds = (tmp_path / "reason" / "model.mps").read_text().partition("BOUNDS\n")[2]
    assert bounds.split()[:-1] == ["FR", "BND", "x", "FR", "BND", "y"]


def test_what_one_row_leaves_is_told_in_its_own_numbers():
    half, columns = Fraction(1, 2), whole("x", "y")
    assert words(Row("c", {0: 1, 1: -1}, half, half), columns=columns)[3] == (
        "   x - y is a whole number, and 0.5 is none."
    )
    assert words(Row("c", {0: -4, 1: 6}, half, half), columns=columns)[3] == (
        "   -4 x + 6 y is even in whole numbers, and 0.5 is not."
    )
    rows = Row("a", {0: 3, 1: -2}, Fraction(1, 5)), Row("b", {0: 3, 1: -2}, None, Fraction(9, 10))
    assert "   3 x - 2 y is a whole number, and none is from 0.2 to 0.9." in words(*rows, columns=columns)


def test_equations_leave_a_remainder_to_a_row_with_two_sides():
    threes = Row("threes", {0: 1, 1: 1, 2: -3}, 0, 0)
    columns = whole("x", "y", "z")
    assert "it has a solution" in words(threes, Row("few", {0: 2, 1: 2}, 5, 7), columns=columns)[-1]
    lines = words(threes, Row("few", {0: 2, 1: 2}, 7, 11), columns=columns)
    assert [line for line in lines if "gives" in line] == [
        "   few - 2 × threes gives 7 <= 6 z <= 11; the left side is a multiple of 6 in whole numbers, "
        "and none is from 7 to 11."
    ]


def test_a_row_of_integers_whose_bounds_have_one_end_is_its_own_proof():
    columns = [Column("x", -2, None, True), Column("y", 0, None, True)]
    tenth = Fraction(1, 10)
    assert words(Row("r", {0: tenth, 1: tenth}, -6, -6), columns=columns)[1:5] == [
        "   r: 0.1 x + 0.1 y = -6",
        "   x >= -2",
        "   y >= 0",
        "   0.1 x + 0.1 y is at least -0.2 with x >= -2 and y >= 0, and r needs at most -6.",
    ]


def test_bounds_that_say_the_same_are_said_once_and_a_sum_begins_with_what_is_added():
    columns = [Column(name) for name in "xyz"]
    lines = words(Row("a", {0: 1, 1: 1, 2: 1}, None, 2), Row("b", {0: -3, 1: -1}, 7), columns=columns)
    assert "   -3 x - y is at most 0 with x, y >= 0, and b needs at least 7." in lines
    rows = Row("a", {0: 2, 1: 1}, None, 2), Row("b", {0: 1, 1: 3}, 7), Row("c", {1: 1}, None, 1)
    lines = words(*rows, columns=[Column("x"), Column("y")])
    assert "   b - 3 × a gives -5 x >= 1, but it is at most 0 with x >= 0." in lines


@pytest.mark.parametrize(
    ("rows", "changed"),
    [
        ([({0: 7}, 1, 1), ({0: 3, 1: 1}, 11, None), ({1: 13}, None, 1)], ["r1", ">=", "0.505494"]),
        ([({0: 3}, 1, 1), ({0: 1}, None, Fraction("0.333333333"))], ["r1", "<=", "0.333333333333334"]),
        ([({0: 1}, Fraction("0.9999999999"), None), ({0: 1}, None, Fraction("0.99999999985"))],
         ["r0", ">=", "0.99999999985"]),
    ],
)  # fmt: skip
def test_a_changed_side_is_rounded_to_one_that_has_a_solution(rows, changed):
    columns = [Column("x", None), Column("y", None)]
    stated = [Row(f"r{i}", *row) for i, row in enumerate(rows)]
    *_, sentence, _ = words(*stated, columns=columns)
    assert sentence.split(": ")[1].removesuffix(".").replace("about ", "").split() == changed
    i, number = int(changed[0][1:]), Fraction(changed[2])
    low, high = (number, None) if changed[1] == ">=" else (None, number)
    stated[i] = Row(stated[i].name, stated[i].terms, low, high)
    assert milp_pips.explain(Model(tuple(columns), tuple(stated))).status != "infeasible"


def test_a_side_of_more_digits_than_python_prints_is_rounded():
    """Its numerator and denominator are the products of those of fourteen coefficients."""
    factors = [Fraction(10**380 + 3**i, 10**380 - 7**i) for i in range(14)]
    chain = (Row(f"r{i}", {i: factor, i + 1: -1}, 0, 0) for i, factor in enumerate(factors))
    rows = (*chain, Row("least", {14: 1}, 10, None), Row("most", {0: 1}, None, 2))
    lines = words(*rows, columns=(Column(f"x{j}", 0, 100) for j in range(15)))
    assert lines[-2].startswith("Or change right sides by about 8 in all, and no less is enough: ")
    assert "about 10" in lines[-2]


def test_floating_point_confirms_nothing_about_rows_that_are_too_fine_for_it():
    columns = [Column("x", None, 2, True), Column("y", None, None, True), Column("z", 0, 2)]
    row = Row("fine", {0: -3, 1: 6 * 10**12, 2: 2 * 10**12}, -11, -11)
    found = milp_pips.explain(Model(tuple(columns), (row, Row("far", {0: 1}, -6))), seconds=3)
    assert not any("HiGHS" in (reason.confirmed_by or "") for reason in found.reasons)


def test_a_fixed_column_has_its_arithmetic():
    lines = words(Row("r", {0: 6}, -11, -11), columns=[Column("x", 0, 0)])
    assert "   6 x is at least 0 with x = 0, and r needs at most -11." in lines


def test_small_numbers_are_decimals():
    row = Row("sulphur", {0: Fraction(9, 100000), 1: Fraction(1, 3)}, 1)
    assert words(row, columns=[Column("x", None, 2), Column("y", 0, 0)])[1:4] == [
        "   sulphur: 0.00009 x + 1/3 y >= 1",
        "   x <= 2",
        "   y = 0",
    ]


def test_two_rows_of_which_the_second_is_the_lower_side_are_one_reason():
    rows = [
        Row("a", {0: 1, 1: 2}, None, 3),
        Row("b", {0: 1, 1: 2}, 4),
        Row("c", {0: 1, 1: 2}, 4),
    ]
    found = milp_pips.explain(Model((Column("x"), Column("y")), tuple(rows)), reasons=5)
    assert sorted(reason.items for reason in found.reasons) == [
        (ModelItem("row", 0), ModelItem("row", 1)),
        (ModelItem("row", 0), ModelItem("row", 2)),
    ]


@pytest.mark.parametrize(("great", "n"), [(10**15, 25), (10**19, 240)], ids=["float", "text"])
def test_numbers_of_a_sum_can_be_beyond_any_float_or_text(great, n):
    rows = [Row(f"r{i}", {i: -great, i + 1: 1}, Fraction(1, 3)) for i in range(n)]
    rows += [Row("start", {0: 1}, 1), Row("end", {n: 1}, None, 5)]
    model = Model(tuple(Column(f"x{i}", None) for i in range(n + 1)), tuple(rows))
    found = explain_model(puzzle_of(model, "explain"), Deadline(None), 0)
    assert f"   end: x{n} <= 5" in str(found).splitlines()


def test_of_many_repairs_only_the_first_are_named():
    columns = [Column(f"x{j}", 0, 1) for j in range(14)]
    rows = Row("all", dict.fromkeys(range(14), 1), 15), Row("none", {0: 1}, None, 0)
    lines = words(*rows, columns=columns)
    many = "Leave out any one of 14 of these, and it has a solution: "
    assert many + "all, x1 <= 1, x2 <= 1, x3 <= 1, x4 <= 1, x5 <= 1 …" in lines


def test_numbers_that_nobody_checks_are_not_told():
    rows = [Row("a", {0: 1, 1: 10**12 + 7}, 5), Row("b", {0: 1, 1: 3}, None, 1)]
    lines = words(*rows, columns=[Column("x", None), Column("y", None, 0)])
    assert lines[1:4] == ["   a: x + 1000000000007 y >= 5", "   b: x + 3 y <= 1", "   y <= 0"]
    assert not any("gives" in line for line in lines)


@pytest.mark.long
def test_a_plan_without_enough_supply_has_few_rows():
    rng, columns, rows = Random(4), [], []
    for i in range(5):
        columns += [Column(f"x{i}_{k}") for k in range(12)]
        rows.append(Row(f"supply{i}", {12 * i + k: 1 for k in range(12)}, None, 20))
    for k in range(12):
        allowed = [i for i in range(5) if k > 2 or i == 3] if k else [3, 4]
        need = 9 if k < 3 else rng.randint(1, 3)
        rows.append(Row(f"demand{k}", {12 * i + k: 1 for i in allowed}, need))
    rows.append(Row("closed", {48: 1}, None, 1))
    found = milp_pips.explain(Model(tuple(columns), tuple(rows)), reasons=1)
    named = [words_of for words_of in str(found).splitlines() if ":" in words_of][1:6]
    assert {line.split(":")[0].strip() for line in named[:5]} == {
        "supply3",
        "closed",
        "demand0",
        "demand1",
        "demand2",
    }
    assert found.reasons[0].minimal


def test_crossed_bounds_are_a_reason():
    assert words(columns=[Column("x", 3, 1)])[1:3] == ["   3 <= x <= 1", "   3 is more than 1."]
    fractions = [Column("x", Fraction(1, 4), Fraction(3, 4), True)]
    assert words(columns=fractions)[1:3] == [
        "   0.25 <= x <= 0.75, integer",
        "   No whole number is from 0.25 to 0.75.",
    ]


def test_an_objective_that_grows_for_ever_has_a_ray():
    rows = [Row("level", {0: 1, 1: -2}, None, 4)]
    columns = [Column("x", 0, None, cost=1), Column("y", 0), Column("z", 0, 5, cost=9)]
    found = milp_pips.explain(Model(tuple(columns), tuple(rows), "maximise"))
    assert (found.status, found.ray) == ("unbounded", ((0, 2), (1, 1)))
    assert str(found).startswith(
        "x by 2 and y can grow for ever; in each step the objective rises by 2, and no row or bound ends it."
    )


def test_two_conflicts_have_the_fewest_items_to_leave_out_together():
    columns = [Column("x"), Column("y")]
    rows = [
        Row("a", {0: 1}, 5),
        Row("b", {0: 1}, None, 3),
        Row("c", {1: 1}, 5),
        Row("d", {1: 1}, None, 4),
    ]
    found = milp_pips.explain(Model(tuple(columns), tuple(rows)), reasons=5)
    assert len(found.reasons) == 2
    assert (found.repairs, len(found.together)) == ((), 2)
    assert sum(abs(by) for _, by in found.changes) == 3


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_the_names_of_a_pulp_model_are_used():
    problem = pulp.LpProblem("staff")
    x = {i: pulp.LpVariable(f"x_{i}", 0, 1, "Integer") for i in (1, 2)}
    problem += x[1] + x[2] >= 3, "need_three"
    found = milp_pips.explain(problem)
    assert "   need_three: x_1 + x_2 >= 3" in str(found).splitlines()
    with pytest.raises(milp_pips.UsageError, match="there is no picture of this result"):
        found.drawing()


def test_a_model_with_a_solution_says_so():
    found = milp_pips.explain(Model((Column("x", 0, 1),), (Row("r", {0: 1}, 1),)))
    assert (found.status, found.reasons) == ("feasible", ())
    assert "it has a solution" in found.summary()


# Minimality, by another engine.


def has_point(model):
    """Return whether HiGHS finds a point of a model."""
    highs = model.to_highspy()
    highs.run()
    return highs.getModelStatus().name in ("kOptimal", "kModelEmpty")


def random_model(seed):
    rng = Random(seed)
    columns = tuple(Column(f"x{j}", rng.choice([0, -1]), rng.choice([1, 2, 3]), True) for j in range(3))
    rows = []
    for i in range(rng.randint(2, 5)):
        terms = {j: rng.choice([-2, -1, 1, 2, 3]) for j in rng.sample(range(3), rng.randint(1, 3))}
        side = rng.randint(-4, 6)
        low, high = rng.choice([(side, None), (None, side), (side, side), (side, side + 1)])
        rows.append(Row(f"r{i}", terms, low, high))
    return Model(columns, tuple(rows))


@pytest.mark.parametrize("seed", range(few_or_many(6, 12)))
def test_reasons_clash_and_are_minimal(seed):
    model = random_model(seed)
    items = ModelItems(model)
    found = milp_pips.explain(model, reasons=10)
    assert has_point(model) == (found.status != "infeasible")
    for reason in getattr(found, "reasons", ()):
        chosen = [items.number_of[item] for item in reason.items]
        assert not has_point(items.part(chosen).model)
        assert (reason.minimal, reason.confirmed_by is not None) == (True, True)
        for left_out in chosen:
            assert has_point(items.part(i for i in chosen if i != left_out).model)
    for item in getattr(found, "repairs", ()):
        left = [i for i in range(len(items.items)) if items.items[i] != item]
        assert has_point(items.part(left).model)


def test_a_point_that_breaks_a_row_leads_to_integralities_that_are_needed():
    items = ModelItems(Model(binaries(2), (Row("odd", {0: 2, 1: 2}, 3, 3),)))
    chosen = range(len(items.items))
    found = Rotation(items, lambda: None).broken_alone({0: 1, 1: 0}, chosen, ())
    assert {items.items[i] for i in found} >= {ModelItem("row", 0), ModelItem("integer", 1)}


def test_reasons_too_long_for_a_search_by_size_are_minimal():
    rows = [Row(f"next{k}", {k: -1, k + 1: 1}, 1) for k in range(31)]
    rows += [Row(f"end{a}{b}", {a: -1, b: 1}, None, b - a - 1) for a, b in ((0, 31), (0, 30), (1, 31))]
    model = Model(tuple([Column(f"x{k}", None) for k in range(32)]), tuple(rows))
    assert [len(reason.items) for reason in milp_pips.explain(model, reasons=4).reasons] == [31, 31, 32]


def test_a_planted_conflict_is_among_the_reasons():
    columns = (*binaries(4), Column("y", 0, 9))
    rows = [
        Row("free", {0: 1, 1: 1, 2: 1}, 1),
        Row("first", {0: 1, 4: 1}, 4),
        Row("second", {1: 1, 4: -1}, None, -3),
        Row("third", {4: 1}, None, Fraction(5, 2)),
        Row("loose", {3: 1, 4: 1}, None, 100),
    ]
    found = milp_pips.explain(Model(columns, tuple(rows)), reasons=20)
    named = [{item for item in reason.items if item.kind == "row"} for reason in found.reasons]
    assert {ModelItem("row", 1), ModelItem("row", 3)} in named
    assert {ModelItem("row", 2), ModelItem("row", 3)} in named


# Limits, the small model, and its certificate.


def test_a_limit_keeps_what_was_found():
    rng = Random(1)
    cover = [Row(f"c{i}", dict.fromkeys(rng.sample(range(40), 4), 1), 1) for i in range(60)]
    model = Model(binaries(40), (*cover, Row("budget", dict.fromkeys(range(40), 1), None, 10)))
    found = milp_pips.explain(model, seconds=0.3)
    assert found.stop.value == "time"
    for reason in found.reasons:
        if not reason.minimal:
            assert "perhaps not minimal" in str(found)


def test_the_small_model_is_written_and_has_no_solution(staff, tmp_path, capsys):
    small = tmp_path / "small.lp"
    assert main(["convert", staff, "--reason", str(small)]) == 0
    assert capsys.readouterr().out == f"{small}\n"
    model = milp_pips.read(str(small)).model
    assert [row.name for row in model.rows] == ["need_three", "at_most"]
    assert main(["solve", str(small)]) == 1


def test_a_name_that_the_small_file_cannot_have_is_told(tmp_path, capsys):
    file, small = tmp_path / "brackets.mps", tmp_path / "small.lp"
    rows = Row("row[0]", {0: 1}, 3), Row("row[1]", {0: 1}, None, 2)
    file.write_text(Model((Column("x"),), rows).to_mps())
    assert main(["convert", str(file), "--reason", str(small)]) == 0
    assert capsys.readouterr().err == (
        "milp-pips: rows are row_0, row_1 …: an LP file cannot have the name 'row[0]'; an MPS file may\n"
    )
    assert main(["convert", str(file), "--reason", str(tmp_path / "small.mps")]) == 0
    assert capsys.readouterr().err == ""


def test_a_certificate_of_the_reason_alone(staff, tmp_path, capsys):
    folder = tmp_path / "certificate"
    assert main(["prove", staff, "--kind", "infeasible", "--out", str(folder)]) == 0
    assert "proved: no solution" in capsys.readouterr().out
    assert " spare " not in (folder / "model.mps").read_text()
    assert main(["verify", str(folder)]) == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["convert", "FILE"],
            "name a format: --to FORMAT; or --reason FILE for the reason of a linear model",
        ),
        (["convert", "FILE", "--reason", "small.lp"], "free: no reason: it has a solution"),
        (["prove", "FILE", "--kind", "infeasible", "--out", "folder"], "free: no reason: it has a solution"),
        (
            ["convert", "examples/pips/easy.txt", "--reason", "small.lp"],
            "easy is no linear model: explain has its reasons",
        ),
        (
            ["prove", "examples/pips/easy.txt", "--kind", "infeasible", "--out", "folder"],
            "easy: infeasible is for linear models: prove a list, which is empty",
        ),
    ],
)
def test_what_has_no_reason_is_refused(arguments, message, tmp_path, capsys, monkeypatch, request):
    free = tmp_path / "free.lp"
    free.write_text("Minimize\n o: x\nSubject To\n r: x >= 1\nEnd\n")
    root = request.config.rootpath
    named = [
        str(root / a) if a.startswith("examples") else str(free) if a == "FILE" else a for a in arguments
    ]
    monkeypatch.chdir(tmp_path)
    assert main(named) == 2
    assert capsys.readouterr().err == f"milp-pips: {message}\n"


def test_coefficients_of_zero_do_not_count():
    columns = Column("x", 0, 1), Column("y", 0, 9), Column("z", 0, 9)
    pair = Row("a", {0: 0, 1: 1, 2: 2}, 3), Row("b", {0: 0, 1: 2, 2: 4}, None, 5), Row("c", {0: 0}, -1)
    lines = words(*pair, columns=columns)
    assert lines[1:3] == ["   a: y + 2 z >= 3", "   b: 2 y + 4 z <= 5"]


def test_a_row_without_terms_is_a_reason_by_itself(tmp_path):
    file = tmp_path / "empty.lp"
    file.write_text("Minimize\n x\nSubject To\n none: 0 x >= 5\nEnd\n")
    found = milp_pips.explain(milp_pips.read(file))
    assert (found.status, found.confirmed_by) == ("infeasible", "exact arithmetic")
    assert "none: 0 >= 5" in str(found)


@pytest.mark.long
def test_no_reason_is_called_minimal_beside_questions_that_nothing_decides():
    great = 10**12
    rows = (
        Row("r0", {0: -3 * great, 2: 6 * great, 1: 6}, 10 * great, 10 * great + 1),
        Row("r1", {0: -3 * great, 2: 2 * great}, -4, -3),
        Row("r2", {1: 3, 2: -3}, -11, -11),
        Row("r3", {0: great, 1: -2 * great}, 11 * great),
        Row("r4", {1: great, 2: 15 * great}, 8, 8),
    )
    columns = (
        Column("x0", 1, 5, True),
        Column("x1", None, Fraction(7, 3), True),
        Column("x2", -4, None, True),
    )
    found = milp_pips.explain(Model(columns, rows), seconds=60)
    row, integer = (lambda i: ModelItem("row", i)), (lambda j: ModelItem("integer", j))
    minimal = [
        {row(1), integer(0), integer(2)},
        {row(2), integer(1), integer(2)},
        {row(4), integer(1), integer(2)},
        {row(2), row(4), integer(2)},  # 16 x2 is 11/3 and a hair more
    ]
    sets = [set(reason.items) for reason in found.reasons if reason.minimal]
    assert sets
    assert not any(each < other for each in minimal for other in sets)


@pytest.mark.long
def test_great_numbers_leave_no_integrality_in_a_set_that_does_not_need_it():
    great = 10**12
    columns = Column("x0", 0, 0), Column("x1", None, None, True), Column("x2", -3, Fraction(7, 3), True)
    rows = (
        Row("r0", {1: -great}, 5 * great, 5 * great + 2),
        Row("r1", {2: 3 * great, 0: 10 * great, 1: 2 * great}, 10, 10),
        Row("r2", {1: 15 * great, 0: 15, 2: 10 * great}, -1, -1),
        Row("r3", {1: 3, 0: 2 * great, 2: -2}, 3 * great),
        Row("r4", {1: 3, 2: great}, -2 * great, -2 * great),
        Row("r5", {0: 1}, None, -6 * great),
    )
    found = milp_pips.explain(Model(columns, rows), seconds=60)
    assert found.reasons
    assert all(reason.minimal for reason in found.reasons)
    sets = [set(reason.items) for reason in found.reasons]
    assert not any(
        {ModelItem("row", 0), ModelItem("row", 4), ModelItem("integer", 1)} <= each for each in sets
    )


def test_integrality_leads_to_fewer_rows_than_a_sum():
    steps = [Column(f"step {k}", None) for k in range(7)]
    made = [Column(name) for name in ("bread", "cake")]
    rows = [Row("first", {0: 1}, 1), Row("last", {6: 1}, None, 5)]
    rows += [Row(f"next {k}", {k: -1, k + 1: 1}, 1) for k in range(6)]
    for p in (7, 8):
        rows += [Row(f"demand {p}", {p: 1}, 3), Row(f"setup {p}", {p: 1, p + 2: -30}, None, 0)]
    rows.append(Row("setups", {9: 1, 10: 1}, None, 1))
    model = Model((*steps, *made, *binaries(2)), tuple(rows))
    reason = milp_pips.explain(model).reasons[0]
    assert {rows[item.number].name for item in reason.items if item.kind == "row"} == {
        "demand 7",
        "setup 7",
        "demand 8",
        "setup 8",
        "setups",
    }
    assert reason.minimal


def test_fixed_columns_are_numbers_where_a_remainder_is_the_proof():
    columns = [*whole("x", "y"), Column("f", Fraction(1, 2), Fraction(1, 2))]
    lines = words(Row("a", {0: 4, 1: 6, 2: 2}, 10, 10), columns=columns)
    assert lines[1:5] == [
        "   a: 4 x + 6 y + 2 f = 10",
        "   x, y are integer",
        "   f = 0.5",
        "   a with f = 0.5 gives 4 x + 6 y = 9; the left side is even in whole numbers, and 9 is odd.",
    ]
    assert "confirmed by its remainders by 2, checked in whole numbers" in lines[-1]


def test_continuous_columns_are_eliminated_before_remainders_are_compared():
    columns = [*whole("x", "y"), Column("free", None, None)]
    rows = Row("a", {0: 1, 1: 3, 2: 2}, 5, 5), Row("b", {0: 1, 1: 1, 2: 2}, 4, 4)
    lines = words(*rows, columns=columns)
    assert "   a - b gives 2 y = 1; the left side is even in whole numbers, and 1 is odd." in lines
    assert "confirmed by its remainders by 2, checked in whole numbers" in lines[-1]


def test_a_remainder_needs_few_rows_and_no_tree(monkeypatch):
    monkeypatch.setattr(Repair, "prove", None)  # no tree ends without bounds
    pairs = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (0, 3), (3, 5), (0, 5)]
    names = [f"x{j}" for j in range(6)] + [f"half{k}" for k in range(len(pairs))]
    rows = []
    for k, pair in enumerate(pairs):
        side = int(pair == (0, 5))
        rows.append(Row(f"even{k}", {**dict.fromkeys(pair, 1), 6 + k: -2}, side, side))
    reason = explain_model(
        puzzle_of(Model((*whole(*names),), tuple(rows)), "even"), Deadline(None), 0
    ).reasons[0]
    assert [item.number for item in reason.items if item.kind == "row"] == [5, 6, 7]
    assert reason.minimal


def test_factors_that_nobody_multiplies_by_are_not_told():
    columns = [Column("x", None), Column("y", None)]
    rows = Row("a", {0: 1000003, 1: 3}, 1), Row("b", {0: -1000033, 1: -2}, 1), Row("c", {1: -1}, 1)
    assert words(*rows, columns=columns)[4] == "   A sum of these 3 rows gives 0 >= 3000129."


def test_a_model_whose_cost_is_beyond_its_optimum_has_a_minimal_reason_with_a_certificate():
    rng = Random(7)
    weights = [rng.randint(20, 60) for _ in range(10)]
    columns = tuple(Column(f"x{j}", 0, 1, True) for j in range(10))
    costs = {j: weight + rng.randint(0, 9) for j, weight in enumerate(weights)}
    need = Row("need", dict(enumerate(weights)), sum(weights) // 2)
    pairs = [Row(f"pair{j}", {j: 1, j + 1: 1}, None, 1) for j in range(0, 9, 3)]
    best = milp_pips.solve(
        Model(
            tuple([Column(c.name, 0, 1, True, cost=costs[j]) for j, c in enumerate(columns)]), (need, *pairs)
        )
    ).objective
    model = Model(columns, (need, *pairs, Row("budget", costs, None, best.value - 1)))
    found = explain_model(puzzle_of(model, "explain"), Deadline(None), 0)
    (reason,) = found.reasons
    assert ModelItem("row", len(pairs) + 1) in reason.items
    assert reason.confirmed_by
    assert reason.minimal


def test_bounds_beside_a_reason_have_a_certificate_where_nothing_confirms_it_alone(monkeypatch):
    def fails(problem, deadline, *, with_other):
        raise UsageError("no engine")

    monkeypatch.setattr("milp_pips.extras.explain.model_reasons.on_no_point", fails)
    columns = Column("x", 0, 9, True), Column("y", 0, 9, True), Column("z", 0, Fraction(1, 10))
    rows = (Row("a", {0: 1, 1: -2, 2: 1}, Fraction(3, 10), Fraction(6, 10)),)
    found = explain_model(puzzle_of(Model(columns, rows), "near"), Deadline(None), 0)
    assert [item.kind for item in found.reasons[0].items] == ["row", "integer", "integer", "low", "high"]
    assert found.reasons[0].confirmed_by is None  # no bound of x or y is needed, and no tree ends without
    assert found.status == "infeasible"
    assert "its certificate" in found.confirmed_by


def test_another_engine_confirms_what_no_tree_and_no_other_run_of_the_first_one_refutes():
    columns = [Column(f"on_{machine}_{job}", None, None) for machine in range(2) for job in range(5)]
    columns[5] = Column("on_1_0", None, 1)
    columns[9] = Column("on_1_4", None, 1)
    columns[2] = Column("on_0_2", 0, None)
    columns[1], columns[3] = Column("on_0_1", None, None, True), Column("on_0_3", None, None, True)
    jobs = [Row(f"job_{job}", {job: 1, 5 + job: 1}, 1, 1) for job in range(5)]
    times = (20, 13, 11, 13, 7), (7, 18, 10, 18, 5)
    busy = [
        Row(f"busy_{machine}", {5 * machine + job: a for job, a in enumerate(of_jobs)}, None, 25)
        for machine, of_jobs in enumerate(times)
    ]
    found = milp_pips.explain(Model(tuple(columns), (*jobs, *busy)), reasons=1)
    assert found.status == "infeasible"
    assert (found.reasons[0].minimal, found.reasons[0].confirmed_by) == (True, "CBC, within its tolerance")


def test_all_items_have_a_certificate_where_that_of_a_reason_takes_too_long(monkeypatch):
    def prove(problem, *rest):
        if len(problem.model.rows) < 2:
            raise Unfinished("no certificate", Stop.TIME)
        return prove_model(problem, *rest)

    def fails(problem, deadline, *, with_other):
        raise UsageError("no engine")

    monkeypatch.setattr("milp_pips.extras.explain.model_reasons.prove_model", prove)
    monkeypatch.setattr("milp_pips.extras.explain.model_reasons.on_no_point", fails)
    columns = Column("x", 0, 9, True), Column("y", 0, 9, True), Column("z", 0, Fraction(1, 10))
    rows = Row("a", {0: 1, 1: -2, 2: 1}, Fraction(3, 10), Fraction(6, 10)), Row("spare", {0: 1, 1: 1}, 0)
    found = explain_model(puzzle_of(Model(columns, rows), "near"), Deadline(None), 0)
    assert [item.number for item in found.reasons[0].items if item.kind == "row"] == [0]
    assert (found.status, found.reasons[0].confirmed_by) == ("infeasible", None)


def test_a_sentence_begins_with_a_capital_and_names_one_value_once():
    x, y = Column("x", None, None, True), Column("y", 3, 3)
    pair = Row("a", {0: 2, 1: 1}, 4, None), Row("b", {0: 2, 1: 1}, None, 4)
    assert "   With y = 3, 2 x is even in whole numbers, and 1 is odd." in words(*pair, columns=(x, y))
    half = Column("x", Fraction(1, 2), Fraction(1, 2), True)
    assert "   0.5 is no whole number." in words(Row("a", {0: 1}, 0, None), columns=(half,))
