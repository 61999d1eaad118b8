"""Points and objectives of linear models are judged in whole numbers and fractions."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from thoroughness import mostly_long

import milp_pips
from milp_pips import Column, Model, Row, UsageError


def binary(name: str, cost: int = 0) -> Column:
    return Column(name, 0, 1, True, cost)


def whole(name: str, low: int | None = 0, high: int | None = None, cost: int = 0) -> Column:
    return Column(name, low, high, True, cost)


@pytest.mark.parametrize(
    "solver",
    [
        "highs",
        pytest.param("scip", marks=pytest.mark.long),
    ],
)
@pytest.mark.parametrize(
    "point",
    [
        (876543210987, 345678901234),
    ],
)
def test_integers_of_twelve_digits_are_exact(solver, point):
    """Two equations have one solution, and engines take points that miss these by tens for solutions."""
    x, y = point
    rows = (
        Row("a", {0: 31, 1: 43}, 31 * x + 43 * y, 31 * x + 43 * y),
        Row("b", {0: 53, 1: 17}, 53 * x + 17 * y, 53 * x + 17 * y),
    )
    result = milp_pips.solve(Model((whole("x", cost=3), whole("y", cost=1)), rows), solver)
    assert dict(result.solution) == {"x": x, "y": y}
    assert not result.objective.is_optimal
    assert "row a is too fine for floating point" in result.remark
    listed = milp_pips.solutions(Model((whole("x"), whole("y")), rows), solver)
    assert [dict(s) for s in listed] == [{"x": x, "y": y}]
    assert not listed.summary.complete or listed.summary.confirmed_by.startswith("its certificate")
    by_tree = milp_pips.solutions(Model((whole("x"), whole("y")), rows))
    assert [dict(s) for s in by_tree] == [{"x": x, "y": y}]
    assert by_tree.summary.complete


@pytest.mark.parametrize("size", mostly_long(1, [10**6, 10**12]))
def test_no_engine_calls_an_equation_infeasible_that_has_solutions(size):
    """x = y + (y + 1) / (K - 1): three solutions, which floating point confuses with x = y = 0."""
    row = Row("c", {0: size - 1, 1: -size}, 1, 1)
    model = Model((whole("x", 0, 3 * size, 1), whole("y", 0, 3 * size)), (row,))
    result = milp_pips.solve(model, seconds=0.2)
    assert result.status != "infeasible"
    listed = milp_pips.solutions(model, seconds=0.2)
    found = [s["x"] for s in listed]
    assert set(found) <= {k * size - 1 for k in (1, 2, 3)}
    assert len(found) == 3 or not listed.summary.complete


def test_a_row_without_a_name_is_not_decided_by_floating_point_either():
    rows = (
        Row("", {0: 31, 1: 43}, 3630000000160, 3630000000160),
        Row("b", {0: 53, 1: 17}, 2250000000104, 2250000000104),
    )
    result = milp_pips.solve(Model((whole("x", cost=3), whole("y", cost=1)), rows), "highs")
    assert result.solution is not None
    assert "row number 1 is too fine for floating point" in result.remark


def test_a_sum_that_no_whole_numbers_have_is_refuted_by_its_divisor():
    row = Row("odd", {0: Fraction(1, 2), 1: 1, 2: Fraction(-1, 2)}, Fraction(3, 4), Fraction(3, 4))
    model = Model(tuple(whole(name, None) for name in "xyz"), (row,))
    result = milp_pips.solve(model)
    assert result.status == "infeasible"
    assert "row odd, whose left side, in whole numbers, is a multiple of 1," in str(result)


def test_distant_solutions_of_wide_columns_are_refused_before_their_values_are_listed():
    wide = Model((whole("x", 0, 10**12), whole("y", 0, 10**12)), (Row("r", {0: 1, 1: -1}, 7, 7),))
    with pytest.raises(UsageError, match="diverse solutions need binary columns, and x is not binary"):
        list(milp_pips.solutions(wide, diverse=2))
    with pytest.raises(
        UsageError, match="x has 1000000000001 values, over 1000; its methods are partition and tree"
    ):
        list(milp_pips.solutions(wide, method="cuts"))


def test_few_values_far_from_zero_are_counted_and_solved():
    model = Model(
        (whole("x", 2 * 10**9, 2 * 10**9 + 3), binary("y")), (Row("r", {0: 1, 1: 1}, None, 2 * 10**9),)
    )
    assert milp_pips.count(model).counts == {"assignment": 1}
    assert milp_pips.solve(model).status == "solved"


def test_a_solution_that_is_worse_by_one_in_a_million_is_not_optimal():
    columns = (binary("x", 10**9), binary("y", 1))
    model = Model(columns, (Row("r", {0: 1, 1: 1}, None, 2),), "maximise")
    assert [dict(s) for s in milp_pips.solutions(model, within=0)] == [{"x": 1, "y": 1}]
    assert len(list(milp_pips.solutions(model, within=1))) == 2
    assert milp_pips.solve(model).objective.value == 10**9 + 1


def test_the_tolerance_of_an_integer_does_not_pass_a_big_m():
    """Floating point takes open = 1e-7 for 0, and then the flow of 0.1 that it lets pass misses the row."""
    columns = (binary("open", 5), Column("flow", 0, 10, False, 1), binary("other", 1))
    rows = (
        Row("link", {1: 1, 0: -(10**6)}, None, 0),
        Row("need", {1: 1, 2: Fraction(1, 20)}, Fraction(1, 10), None),
    )
    result = milp_pips.solve(Model(columns, rows))
    assert (result.solution["open"], result.objective.value) == (1, pytest.approx(5.1))
    listed = {tuple(s[name] for name in ("open", "other")) for s in milp_pips.solutions(Model(columns, rows))}
    assert listed == {(1, 0), (1, 1)}


@pytest.mark.parametrize("tiny", [Fraction(1, 10**9), Fraction(3, 10**15)])
@pytest.mark.parametrize(
    "solver",
    [
        "highs",
        "scip",
        "cp-sat",
    ],
)
def test_small_coefficients_reach_every_engine(tiny, solver):
    model = Model((whole("x", 0, 9, 1), Column("free", 0, 1)), (Row("r", {0: tiny}, 3 * tiny, None),))
    if solver != "cp-sat":
        assert milp_pips.solve(model, solver).objective.value == 3
    alone = replace(model, columns=model.columns[:1])
    assert milp_pips.solve(alone, solver).objective.value == 3
    assert milp_pips.count(alone).counts == {"assignment": 7}


def test_a_row_beyond_floating_point_is_refused_by_name():
    row = Row("wide", {0: Fraction(1, 10**14), 1: Fraction(10**11 + 1, 3)}, 1, None)
    model = Model((Column("x", 0, 9), Column("y", 0, 9)), (row,))
    with pytest.raises(UsageError) as error:
        milp_pips.solve(model)
    assert str(error.value) == (
        "row wide has coefficients from 1e-14 to 3e+10: engines drop the small ones, or refuse the great "
        "ones; "
        "state it in other units"
    )


EMPTY = {
    "integer": (Column("z", 3, 1, True), "the bounds 3 <= z <= 1"),
    "continuous": (Column("z", 3, 1), "the bounds 3 <= z <= 1"),
    "between": (
        Column("z", Fraction(1, 4), Fraction(3, 4), True),
        "the bounds 0.25 <= z <= 0.75, which is integer,",
    ),
}


@pytest.mark.parametrize("kind", EMPTY)
def test_a_column_without_values_is_no_solution_in_every_task(kind):
    column, reason = EMPTY[kind]
    model = Model((column, binary("b", 1), Column("flow", 0, None)), ())
    result = milp_pips.solve(model)
    assert (result.status, result.confirmed_by is not None) == ("infeasible", True)
    assert reason in str(result)
    assert milp_pips.count(model).counts == {"assignment": 0}
    listed = milp_pips.solutions(model)
    assert (list(listed), listed.summary.complete) == ([], True)
    assert list(milp_pips.solutions(model, within=0)) == []
    assert reason.removeprefix("the bounds ").partition(",")[0] in str(milp_pips.explain(model))


@pytest.mark.parametrize(("low", "count"), [(1, 0), (0, 1)])
def test_a_row_without_columns_holds_or_does_not(low, count):
    row = Row("nothing", {}, low, None)
    assert milp_pips.count(Model((), (row,))).counts == {"assignment": count}
    assert milp_pips.count(Model((binary("b"),), (row,))).counts == {"assignment": 2 * count}


FILES = {
    "highs": "Model status\nOptimal\n\n# Primal solution values\nFeasible\nObjective 5\n"
    "# Columns 3\nx 2\ny 1\nz 1.5\n# Rows 1\ncap 4.5\n\n# Dual solution values\nNone\n",
    "scip": "solution status: optimal solution found\nobjective value:   5\n"
    "x   2 \t(obj:2)\ny   1 \t(obj:1)\nz 1.5 \t(obj:0)\n",
    "gurobi": "# Solution for model m\n# Objective value = 5\nx 2\ny 1\nz 1.5\n",
    "cbc": "Optimal - objective value 5.0\n      0 x      2     2\n      1 y      1     1\n 2 z 1.5 0\n",
    "cbc, all": "Stopped on time - objective value 5.0\n 0 cap 4.5 1\n 0 x 2 2\n 1 y 1 1\n 2 z 1.5 0\n",
    "miplib": "=obj= 5\nx 2\ny 1\nz 1.5\n",
}
FLOW = Model(
    (whole("x", 0, 5, 2), whole("y", 0, 5, 1), Column("z", 0, 5)),
    (Row("cap", {0: 1, 1: 1, 2: 1}, None, Fraction(9, 2)),),
    "maximise",
    name="flow",
)


@pytest.fixture
def model_file(tmp_path):
    path = tmp_path / "flow.mps"
    path.write_text(milp_pips.convert(milp_pips.tasks.pipeline.puzzle_of(FLOW, "test"), "mps"))
    return str(path)


def check_file(model_file, tmp_path, capsys, text):
    from milp_pips.cli import main

    point = tmp_path / "point.sol"
    point.write_text(text)
    status = main(["check", model_file, str(point)])
    output = capsys.readouterr()
    return status, (output.out + output.err).replace(str(tmp_path) + "/", "")


@pytest.mark.parametrize("program", FILES)
def test_check_takes_the_solution_file_of(program, model_file, tmp_path, capsys):
    assert check_file(model_file, tmp_path, capsys, FILES[program]) == (0, "flow: right\n")


POINTS = {
    "x 2\ny 2.5\nz 1\n": "flow: the integrality of y is missed by 0.5; row cap is missed by 1\n",
    "x 6\ny 2\n": "flow: the bounds of x are missed by 1; row cap is missed by 3.5\n",
    "x 1.9999999\n": "flow: the integrality of x is missed by 1e-07; with its integers rounded it is right\n",
}


@pytest.mark.parametrize(("text", "said"), POINTS.items())
def test_check_names_all_that_is_missed_and_by_how_much(text, said, model_file, tmp_path, capsys):
    assert check_file(model_file, tmp_path, capsys, text) == (1, said)


def test_check_says_what_holds_by_a_tolerance_alone(model_file, tmp_path, capsys):
    status, said = check_file(model_file, tmp_path, capsys, "x 2\ny 2\nz 0.5000000001\n")
    assert (status, said) == (0, "flow: right within a tolerance of 1e-06: row cap is missed by 1e-10\n")


POINT_FAULTS = {
    "": "point.sol:1: not a solution file; expected lines with a name and a value",
    "Model status\nInfeasible\n\n# Primal solution values\nNone\n": "point.sol:2: the file says "
    "'Infeasible': it has no point; expected values of columns",
    "=infeas=\n": "point.sol:1: the file says '=infeas=': it has no point; expected values of columns",
    '{"values": {"x": 1, "x": 2}}': 'point.sol: not the values of this model; expected {"values": {…}}',
    "x 2\nw 1\n": "point.sol:2: flow has no column 'w'",
    "x 2\nx 1\n": "point.sol:2: a second value of x; expected one value for each column",
    "x 2\ny two\n": "point.sol:2: 'two' is not a number; expected the value of a column",
    "x\n": "point.sol:1: 'x' has no value; expected a name and a value",
    "infeasible\n": "point.sol:1: the file says 'infeasible': it has no point; expected values of columns",
    "no solution available\n": "point.sol:1: the file says 'no solution available': it has no point; "
    "expected values of columns",
}


@pytest.mark.parametrize(("text", "message"), POINT_FAULTS.items())
def test_a_faulty_solution_file_is_refused_by_line(text, message, model_file, tmp_path, capsys):
    assert check_file(model_file, tmp_path, capsys, text) == (2, f"milp-pips: {message}\n")


def test_a_column_may_be_called_as_a_comment_begins(tmp_path, capsys):
    model = tmp_path / "m.lp"
    model.write_text("min #x + y\nst\nc: #x + y >= 2\nBounds\n#x <= 5\nGeneral\n#x y\nEnd\n")
    for text in ("# Objective value = 9\n#x 7\ny 2\n", "# Columns 2\n#x 7\ny 2\n# Rows 1\nc 9\n"):
        assert check_file(str(model), tmp_path, capsys, text) == (1, "m: the bounds of #x are missed by 2\n")


def test_damaged_gzip_and_named_pipes_cost_one_line(tmp_path, capsys):
    import gzip
    import os

    from milp_pips.cli import main

    whole_file = gzip.compress(b"NAME m\nROWS\n N o\nCOLUMNS\n x o 1\nENDATA\n" * 20)
    for data in (whole_file[:-20], whole_file[:30] + bytes(10) + whole_file[40:]):
        (tmp_path / "m.mps.gz").write_bytes(data)
        assert main(["solve", str(tmp_path / "m.mps.gz")]) == 2
        assert "a damaged or torn gzip file; expected a whole one" in capsys.readouterr().err
    os.mkfifo(tmp_path / "pipe")
    assert main(["solve", str(tmp_path / "pipe")]) == 2
    assert "a named pipe; expected a file, or - for standard input" in capsys.readouterr().err
