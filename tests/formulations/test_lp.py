"""The reader of LP files: a test for each oddity that is read, and the exact message of each refusal."""

# ruff: noqa: E501 - a message on one line is easier to compare

from __future__ import annotations

import warnings
from dataclasses import replace
from fractions import Fraction
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from model_files import lp_text, random_model
from thoroughness import examples

from milp_pips.formulations.model import Model
from milp_pips.formulations.reading import read_model
from milp_pips.formulations.reading.lines import ReadingNote
from milp_pips.formulations.rows import Column, Row
from milp_pips.formulations.writing_files import to_lp
from milp_pips.problem.errors import InputError, UsageError


def read(text):
    """Return the model in a text, and what was said about it."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ReadingNote)
        model = read_model(text, "m.lp")
    return model, [str(each.message) for each in caught if each.category is ReadingNote]


def row(text):
    """Return the terms by name, and the sides, of the one row in the text."""
    model, _ = read(f"min\n obj: x + y + z\nst\n{text}\nend\n")
    (found,) = model.rows
    return {model.columns[j].name: a for j, a in found.terms.items()}, found.low, found.high


def column(bounds, more=""):
    """Return the bounds of x, and whether it is integer."""
    found = read(f"min\n x\nst\n c: x + y <= 9\nbounds\n{bounds}\n{more}\nend\n")[0].columns[0]
    return found.low, found.high, found.integer


HALF = Fraction(1, 2)


@pytest.mark.parametrize(
    ("text", "terms", "low", "high"),
    [
        ("c: 2 x + 3y >= 4", {"x": 2, "y": 3}, 4, None),
        ("2 x\n + 3 y\n <= 4", {"x": 2, "y": 3}, None, 4),
        ("c: x - x + y >= 1", {"y": 1}, 1, None),
        ("c: 3 >= x", {"x": 1}, None, 3),
        ("c: x >= 2 y + 1", {"x": 1, "y": -2}, 1, None),
        ("c: 1 + x = 2 x - y + 3 - 1", {"x": -1, "y": 1}, 1, 1),
        ("c: 1 <= x + y <= 3", {"x": 1, "y": 1}, 1, 3),
        ("c: 3 >= 1 + 2x\n + y >= 1", {"x": 2, "y": 1}, 0, 2),
        ("c: - x + - 2 y - -3z < -4", {"x": -1, "y": -2, "z": 3}, None, -4),
        ("c: .5 x + 1.e0 y + 2E+0 z =< 1", {"x": HALF, "y": 1, "z": 2}, None, 1),
        ("c: 2.5x == 0.0000000001", {"x": Fraction(5, 2)}, Fraction(1, 10**10), Fraction(1, 10**10)),
        ("c: x >= -inf", {"x": 1}, None, None),
        ("c: x <= 1e30", {"x": 1}, None, None),
        ("c: 0 >= 1", {}, None, -1),
        ("c: x + 0.10000000000000001 y >= 1", {"x": 1, "y": Fraction(1, 10)}, 1, None),
    ],
)
def test_rows(text, terms, low, high):
    assert row(text) == (terms, low, high)


def test_a_right_side_ends_with_its_line():
    model, _ = read(
        "max\n x\nst\n x + y <= 3\n - x + 2 y >= 0\n 2 x <= 7\n e1: x >= 1 <= 0 + y\nend".replace(
            " <= 0 + y", ""
        )
    )
    assert [(r.name, r.low, r.high, len(r.terms)) for r in model.rows] == [
        *(("R1", None, 3, 2), ("R2", 0, None, 2), ("R3", None, 7, 1), ("e1", 1, None, 1)),
    ]


@pytest.mark.parametrize(
    "heading", ["Subject To", "SUBJECT   TO", "such that", "st", "ST:", "s.t.", "St.", "subject to:"]
)
def test_spellings_of_sections(heading):
    model, said = read(f"MAXIMISE\n{heading}\n2x = 2\nBounds\nx free\nGenerals\nx\nEND\n")
    assert (model.sense, model.rows[0].low, model.columns[0]) == (
        "maximise",
        2,
        Column("x", None, None, True),
    )
    assert said == []


@pytest.mark.parametrize(
    "text",
    [
        "max o: 2 x + y subject to r: x + y <= 1 binary x y end",
        "Maximum\\ a comment\no: 2 x\n+ y\nst r: x\n+ y <= 1\nbin x y\nend",
        "max: 2 x + y\nst\nr: x + y <= 1\ngen\n x\nbounds\n x<=1 y<=1\nint\n y\nEnd\n",
        "\ufeffmaximize\r\n2x+y\r\nsubject to\r\nr: x+y<=1\r\nbinaries\r\nx y\r\nbin\r\ngen\r\nsemi\r\nend\r\n",
    ],
)
def test_sections_may_be_anywhere(text):
    model, said = read(text)
    x, y = (
        Column("x", Fraction(0), Fraction(1), True, Fraction(2)),
        Column("y", Fraction(0), Fraction(1), True, Fraction(1)),
    )
    assert (model.columns, model.sense) == ((x, y), "maximise")
    assert [(r.low, r.high, dict(r.terms)) for r in model.rows] == [(None, 1, {0: 1, 1: 1})]
    assert said == []


def test_a_file_without_rows_or_objective():
    assert read("max\n o: x + y\nbin\n x y\nend")[0].rows == ()
    model, _ = read("min\n obj:\nst\n c: x + y = 1\nend")
    assert not model.has_objective
    assert len(read("min\n\nst\n c: x + y = 1\nend")[0].columns) == 2


def test_terms_of_the_objective_add_up():
    model, _ = read("min\n obj: - 2 - 1 V4 + 1 V5 + 3 + V4 + V4 + 2 - 0.5\nend")
    assert (model.constant, [c.cost for c in model.columns]) == (Fraction(5, 2), [1, 1])


def test_names_with_odd_letters():
    names = (
        "x#1",
        "y(2)",
        "z_3!",
        "_u",
        "a[1,2]",
        "größe",
        "b/c",
        "eels",
        "{k}.x".lstrip("{").replace("}", ""),
        "x'",
        "subject",
    )
    model, _ = read(f"min\n {' + '.join(names)}\nst\n row.1!: x#1 + y(2) >= 1\n e7: _u >= 0\nend")
    assert tuple(c.name for c in model.columns) == names
    assert [r.name for r in model.rows] == ["row.1!", "e7"]


@pytest.mark.parametrize(
    ("bounds", "expected"),
    [
        ("x >= 2", (2, None, False)),
        ("2 <= x", (2, None, False)),
        ("x == 2", (2, 2, False)),
        ("2 = x", (2, 2, False)),
        ("-1 <= x <= 2", (-1, 2, False)),
        ("1 >= x >= -1", (-1, 1, False)),
        ("x <= -1\n x >= -2", (-2, -1, False)),
        ("x <= -2", (0, -2, False)),
        ("x free", (None, None, False)),
        ("x FREE y <= 3", (None, None, False)),
        ("x > -inf", (None, None, False)),
        ("-infinity <= x <= +Inf", (None, None, False)),
        ("-1e30 <= x <= 1e20", (None, None, False)),
        ("x < 3 1 <= x", (1, 3, False)),
        ("- - 2 <= x", (2, None, False)),
    ],
)
def test_bounds(bounds, expected):
    assert column(bounds) == expected


def test_kinds_of_columns():
    assert column("x <= 3", "free\n x") == (None, None, False)
    assert column("", "general x") == (0, None, True)
    assert column("x <= 0", "binary x") == (0, 0, True)
    assert column("", "binary x general x") == (0, 1, True)


def test_what_is_told():
    assert read("min\n x\nbounds\n x <= 3\n y <= 4\n x <= 2\ngeneral\n z\nend")[1] == [
        "m.lp:5: 'y' is neither in the objective nor in a row; it counts as a column",
        "m.lp:6: a second upper bound of 'x': the last one counts",
        "m.lp:8: 'z' is neither in the objective nor in a row; it counts as a column",
    ]
    assert read("min\n 0.30000000000000004 x\nend")[1] == [
        "m.lp: 0.30000000000000004 is taken for 0.3: programs write such numbers with 17 digits"
    ]


def rows(text):
    return f"min\n x\nst\n{text}\nend\n"


LINEAR = "; expected columns, linear rows, an objective"
QUADRATIC = f"is part of a quadratic expression, more than a linear model{LINEAR}"
REFUSED = {
    "a torn file": (
        "min\n x\nst\n c: x >= 1\n",
        "5: the file ends without End; expected End: part of the file is missing",
    ),
    "text after the end": ("min\n x\nend\n x", "4: 'x' after End; expected the end of the file"),
    "no sense": ("st\n x >= 1\nend", "1: 'st' begins no LP file; expected Minimize or Maximize"),
    "an empty file": ("", " the file is empty"),
    "no columns": ("min\nend", "2: the model has no columns; expected a column in the objective or a row"),
    "a name that begins with a number": (
        "min\n 2 1x\nend",
        "2: '2 1': two numbers without a sign between them; expected one number and one name",
    ),
    "two numbers": (
        rows("c: 2 3 x >= 1"),
        "4: '2 3': two numbers without a sign between them; expected one number and one name",
    ),
    "two names": (rows("c: 3 x y >= 1"), "4: 'x y': no sign between two terms; expected + or -"),
    "a quotient": (rows("c: 1/2 x >= 1"), "4: '1/2' is neither a number nor a number and a name"),
    "a name like an exponent": (
        rows("c: 2 x + e3 >= 1"),
        "4: 'e3' is no name: it begins as a number, an exponent or a bracket does",
    ),
    "nan": (rows("c: x >= nan"), "4: 'nan' is no name: it begins as a number, an exponent or a bracket does"),
    "brackets": (
        rows("c: 2 (x + y) >= 1"),
        "4: '(x' is no name: it begins as a number, an exponent or a bracket does",
    ),
    "a section as the name of a row": (
        rows("bound: x <= 3"),
        "4: 'bound' begins a section and is no name of a row",
    ),
    "rows twice": (rows("x >= 1\nst\n y >= 2"), "5: a second section Subject To, or in the wrong place"),
    "three signs": (rows("c: - + - x >= 1"), "4: 3 signs in a row; expected one, or two"),
    "a product": (rows("c: x * y >= 1"), f"4: * {QUADRATIC}"),
    "a quadratic objective": ("min\n x + [ x^2 ] / 2\nend", f"2: [ {QUADRATIC}"),
    "an indicator": (rows("c: y = 1 -> x >= 1"), f"4: -> states more than a linear model{LINEAR}"),
    "semi-continuous": (
        "min\n x\nSemi-Continuous\n x\nend",
        f"3: 'semi-continuous' states more than a linear model{LINEAR}",
    ),
    "no relation": (
        rows("c: x + y"),
        "4: a row with no relation; expected one of <=, >=, =, or two around the columns",
    ),
    "two directions": (
        rows("c: 1 <= x >= 2"),
        "4: two relations that are not both <= or both >=, or with columns on the outer sides; expected such as 1 <= x + y <= 3",
    ),
    "an open line": (
        rows("x >= 2 y\n + z >= 3"),
        "5: a sign on a new line after a right side with columns: a new row or the same one?; expected a right side on one line",
    ),
    "a row twice": (rows("c: x >= 1\nc: x <= 3"), "5: a second row 'c'; expected a name of its own"),
    "an infinite row": (
        rows("c: x >= inf"),
        "4: an infinite number on the side of a row that it cannot bound; expected a number, or >= -inf, or <= inf",
    ),
    "an infinite sum": (rows("c: x + inf >= 1"), "4: the infinite number 'inf' in a sum; expected a number"),
    "an endless number": (
        rows(f"c: {'9' * 500} x >= 1"),
        "4: the number 99999999999999999999… has 500 digits, over 400",
    ),
    "a bound with a coefficient": (
        "min\n x\nbounds\n 2 x <= 4\nend",
        "4: 'x' where <=, >= or = was expected",
    ),
    "a column alone in bounds": (
        "min\n x\nbounds\n x\nend",
        "4: 'x' without a bound; expected such as 0 <= x <= 4, or x free",
    ),
    "a lower bound of infinity": (
        "min\n x\nbounds\n x >= inf\nend",
        "4: 'x' would be >= infinity; expected a number",
    ),
    "a number among names": (
        "min\n x\ngeneral\n x 3\nend",
        "4: '3' in the section General; expected names of columns",
    ),
    "a binary column with other bounds": (
        "min\n x\nbounds\n x <= 5\nbinary\n x\nend",
        "6: the binary column 'x' has bounds beyond 0..1; expected bounds within 0..1, or General",
    ),
    "a control character": (
        rows("c: x\x00 >= 1"),
        "4: the character U+0000, which some readers take for a blank; expected spaces between words",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refusals(name):
    text, message = REFUSED[name]
    with pytest.raises(InputError) as caught:
        read(text)
    assert str(caught.value) == f"m.lp:{message}"


@given(st.integers(0, 10**9))
@examples(12)
def test_what_is_written_is_read_back_number_by_number(seed):
    rng = Random(seed)
    model = random_model(rng)
    found = read(to_lp(model))[0]
    assert (found.columns, found.sense, found.constant) == (model.columns, model.sense, model.constant)
    assert stated(found) == stated(model)
    found = read(lp_text(model, rng))[0]
    assert (found.columns, found.sense, found.constant) == (model.columns, model.sense, model.constant)
    assert stated(found) == stated(model)


def stated(model):
    """Return the rows with one for each of two different sides, without names."""
    found = []
    for one in model.rows:
        if one.low is not None and one.low == one.high:
            found.append((dict(one.terms), one.low, one.high))
        else:
            found += [(dict(one.terms), None, one.high)] if one.high is not None else []
            found += [(dict(one.terms), one.low, None)] if one.low is not None else []
    return found


def test_long_rows_are_folded_and_fine_numbers_written_in_full():
    columns = tuple(Column(f"a_long_name_{j}", cost=Fraction(1, 2**40)) for j in range(200))
    long = Row("r", {j: Fraction(j + 1, 3) for j in range(200)}, None, Fraction(1))
    text = to_lp(Model(columns, (long,)))
    assert max(map(len, text.splitlines())) <= 510
    found, _ = read(text)
    assert found.columns == columns
    assert found.rows == (replace(long, terms={j: Fraction(j + 1) for j in range(200)}, high=Fraction(3)),)
    for name in ("x[1]", "(x)", "e3", "free", "x" * 256, "a/b+c"):
        with pytest.raises(UsageError, match="an LP file cannot have the name"):
            to_lp(Model((Column(name),), ()))


def test_a_row_without_a_name_takes_none_that_another_has():
    text = "min x\nst\nx + y >= 1\nR1: x <= 1\ny <= 3\nend\n"
    assert [row.name for row in read_model(text, "m.lp").rows] == ["R2", "R1", "R3"]


def test_a_number_after_its_column_is_said_to_be_there():
    with pytest.raises(InputError) as error:
        read_model("min x\nst\nc: x*2 >= 1\nend\n", "m.lp")
    assert str(error.value) == "m.lp:3: 'x * 2': a number after its column; expected the number first"
