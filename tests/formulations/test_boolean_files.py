"""OPB and DIMACS CNF files: what is read, what is refused with which message, and what is written."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from thoroughness import examples

import milp_pips
from milp_pips import Column, InputError, Model, Row, UsageError
from milp_pips.formulations.boolean import to_cnf, to_opb
from milp_pips.formulations.reading.cnf import read_cnf
from milp_pips.formulations.reading.lines import ReadingNote
from milp_pips.formulations.reading.opb import read_opb


def points(model: Model) -> set[tuple[int, ...]]:
    """Return all points of a 0-1 model by trying all."""
    every = product((0, 1), repeat=len(model.columns))
    return {point for point in every if model.violated(dict(enumerate(point))) is None}


def test_a_negated_literal_is_one_less_the_variable():
    model = read_opb("min: 2 x1 -3 ~x2 ;\n+1 x1 +2 ~x2\n >= 2 ;\n", "m.opb")
    assert [column.cost for column in model.columns] == [2, 3]
    assert model.constant == -3
    assert model.rows == (Row("c1", {0: 1, 1: -2}, 0, None),)


def test_terms_of_one_variable_add_up():
    model = read_opb("2 x1 +3 x1 -1 ~x1 >= 5 ;", "m.opb")
    assert model.rows[0] == Row("c1", {0: 6}, 6, None)


def test_statements_may_share_a_line_and_need_no_blanks():
    model = read_opb("* a comment\nmax:+1 x1+2 b;+1 x1+2 b<=2;1 b=1;", "m.opb")
    assert (model.sense, len(model.rows)) == ("maximise", 2)
    assert points(model) == {(0, 1)}


def test_variables_that_stand_in_the_header_alone_are_columns_and_that_is_said():
    text = "* #variable= 3 #constraint= 1\n1 x2 >= 1 ;\n"
    with pytest.warns(
        ReadingNote, match=r"m\.opb:1: no statement has x1 and 1 more, of the header; columns all the same"
    ):
        model = read_opb(text, "m.opb")
    assert sorted(column.name for column in model.columns) == ["x1", "x2", "x3"]
    assert milp_pips.count(model).counts == {"assignment": 4}


OPB_FAULTS = {
    "1 x1 x2 >= 1 ;": "m.opb:1: the literal 'x2' has no coefficient (a product of literals is not linear); "
    "expected a number before each literal",
    "1 x1 >= 1": "m.opb:1: the file ends inside a statement; expected ; at its end",
    "\n1 x1 >= 1.5 ;": "m.opb:2: '1.5' is not a whole number; expected a whole number",
    "1 x1 > 1 ;": "m.opb:1: not a constraint; expected terms, then >=, <= or =, then one number and ;",
    "1 x1 ;": "m.opb:1: not a constraint; expected terms, then >=, <= or =, then one number and ;",
    "1 2 x1 >= 1 ;": "m.opb:1: the coefficient 1 has no literal; expected a literal such as x1 or ~x1",
    "1 x1 2 >= 1 ;": "m.opb:1: the coefficient 2 has no literal; expected a literal such as x1 or ~x1",
    "1x1 >= 1 ;": "m.opb:1: '1x1' is not a term; expected a number and a literal such as x1 or ~x1",
    "1 x1 >= 1 ;;": "m.opb:1: an empty statement; expected terms before ;",
    "1 x1 >= 1 ;\nmin: 1 x1 ;": "m.opb:2: a second objective, or one after a constraint; expected one, first",
    "[5] 1 x1 >= 1 ;": "m.opb:1: soft constraints state more than a linear model; expected hard constraints",
    f"{10**20} x1 >= 1 ;": "m.opb:1: the number 10000000000000000000… is too great; expected less than 1e+20",
    "* #variable= 1 #constraint= 1\n1 x1 +1 x3 >= 1 ;": "m.opb:1: x3 stands in a file of 1 variables; "
    "expected a header that fits",
}


@pytest.mark.parametrize(("text", "message"), OPB_FAULTS.items())
def test_a_faulty_opb_file_is_refused_by_line(text, message):
    with pytest.raises(InputError) as error:
        read_opb(text, "m.opb")
    assert str(error.value) == message


def test_a_header_may_not_declare_more_variables_than_a_machine_holds():
    with pytest.raises(
        InputError, match=r"m\.opb:1: the header declares 99999999999 variables; expected at most"
    ):
        read_opb("* #variable= 99999999999 #constraint= 1\n1 x1 >= 1 ;", "m.opb")


def test_clauses_may_stretch_over_lines_and_a_projection_is_kept():
    model = read_cnf("c p show 1 2 0\np cnf 3 2\n1 -2\n0 2 3 0\n", "m.cnf")
    assert model.rows == (Row("clause_1", {0: 1, 1: -1}, 0), Row("clause_2", {1: 1, 2: 1}, 1))
    assert model.shown == (0, 1)
    assert milp_pips.count(model).counts == {"assignment": 3}
    assert {tuple(solution) for solution in milp_pips.solutions(model)} == {("x1", "x2")}


def test_earlier_projections_and_the_end_mark_of_satlib_are_read():
    model = read_cnf("c ind 2 0\nc ind 1 0\np cnf 2 1\n1 2 0\n%\n0\n", "m.cnf")
    assert (model.shown, len(model.rows)) == ((0, 1), 1)


def test_a_clause_with_a_literal_and_its_negation_always_holds_and_one_with_a_literal_twice_is_one():
    model = read_cnf("p cnf 2 2\n1 -1 0\n2 2 0\n", "m.cnf")
    assert points(model) == {(0, 1), (1, 1)}


def test_an_empty_clause_has_no_solution():
    assert milp_pips.count(read_cnf("p cnf 2 2\n1 0\n0\n", "m.cnf")).counts == {"assignment": 0}


CNF_FAULTS = {
    "p cnf 2 1\n1 3 0\n": "m.cnf:2: the literal 3 of 2 variables; expected -2 to 2",
    "p cnf 2 2\n1 0\n": "m.cnf:2: 1 clauses where the header states 2; expected a header that fits",
    "p cnf 2 1\n1 0\n2 0\n": "m.cnf:3: more clauses than the 1 of the header; expected a header that fits",
    "p cnf 2 1\n1 2\n": "m.cnf:2: the last clause has no end; expected 0 after its literals",
    "1 2 0\n": "m.cnf:1: a clause before the header; expected p cnf VARIABLES CLAUSES",
    "c nothing\n": "m.cnf: no header; expected p cnf VARIABLES CLAUSES",
    "p wcnf 2 1\n": "m.cnf:1: not the header of a formula; expected one line: p cnf VARIABLES CLAUSES",
    "p cnf 2 1\np cnf 2 1\n": "m.cnf:2: not the header of a formula; "
    "expected one line: p cnf VARIABLES CLAUSES",
    "p cnf 2 1\n1 x 0\n": "m.cnf:2: 'x' is not a literal; expected whole numbers that end with 0",
    "c p show 1\np cnf 2 0\n": "m.cnf:1: not a list of variables; expected positive numbers, then 0",
    "c p show 3 0\np cnf 2 0\n": "m.cnf: 3 is shown, of 2 variables; expected variables of the header",
    "p cnf 9999999 0\n": "m.cnf:1: 9999999 variables; expected at most 1000000",
}


@pytest.mark.parametrize(("text", "message"), CNF_FAULTS.items())
def test_a_faulty_cnf_file_is_refused_by_line(text, message):
    with pytest.raises(InputError) as error:
        read_cnf(text, "m.cnf")
    assert str(error.value) == message


@st.composite
def binary_models(draw, *, costs: bool):
    """Return a random 0-1 model of up to five columns and four rows."""
    count = draw(st.integers(1, 5))
    small = st.integers(-4, 4)
    columns = [Column(f"x{j}", 0, 1, True, draw(small) if costs else 0) for j in range(1, count + 1)]
    rows = []
    for i in range(draw(st.integers(0, 4))):
        terms = {j: draw(small) for j in range(count)}
        low, span = draw(st.integers(-6, 6)), draw(st.one_of(st.none(), st.integers(0, 4)))
        rows.append(
            Row(f"c{i + 1}", {j: a for j, a in terms.items() if a}, low, None if span is None else low + span)
        )
    return Model(
        tuple(columns), tuple(rows), draw(st.sampled_from(("minimise", "maximise"))) if costs else "minimise"
    )


@given(binary_models(costs=True))
@examples(15)
@pytest.mark.filterwarnings("ignore::milp_pips.formulations.reading.lines.ReadingNote")
def test_what_is_written_as_opb_has_the_same_points_and_costs(model):
    again = read_opb(to_opb(model), "m.opb")
    sign = -1 if model.sense == "maximise" else 1
    assert [(c.name, c.cost) for c in again.columns] == [(c.name, sign * c.cost) for c in model.columns]
    assert points(again) == points(model)


@given(binary_models(costs=False))
@examples(15)
def test_the_clauses_of_a_model_have_its_points(model):
    assert points(read_cnf(to_cnf(model), "m.cnf")) == points(model)


def test_a_fixed_column_becomes_a_row():
    fixed = Model((Column("b", 1, 1, True), Column("c", 0, 1, True)), (Row("r", {0: 1, 1: 1}, 1, None),))
    for text, read in ((to_opb(fixed), read_opb), (to_cnf(fixed), read_cnf)):
        assert points(read(text, "m")) == {(1, 0), (1, 1)}


def test_what_a_format_cannot_state_is_refused_by_name():
    wide = Model((Column("n", 0, 2, True),), ())
    for write in (to_opb, to_cnf):
        with pytest.raises(UsageError, match=r"n is no integer column within 0\.\.1; write MPS or LP"):
            write(wide)
    many = tuple(Column(f"b{j}", 0, 1, True) for j in range(20))
    half = Row("half", dict.fromkeys(range(20), 1), 10, None)
    with pytest.raises(UsageError, match="row half takes over 1000 clauses; write OPB instead"):
        to_cnf(Model(many, (half,)))
    with pytest.raises(UsageError, match="has an objective, which clauses cannot state; OPB can"):
        to_cnf(Model((Column("b", 0, 1, True, 1),), ()))
