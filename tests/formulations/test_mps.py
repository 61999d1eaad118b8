"""The reader of MPS files: a test for each oddity that is read, and the exact message of each refusal."""

# ruff: noqa: E501 - a message on one line is easier to compare

from __future__ import annotations

import warnings
from fractions import Fraction
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from model_files import mps_text, random_model
from thoroughness import examples

import milp_pips
from milp_pips.formulations.model import Model
from milp_pips.formulations.reading import format_of, read_model
from milp_pips.formulations.reading.lines import ReadingNote
from milp_pips.formulations.rows import Column, Row
from milp_pips.formulations.writing_files import to_mps
from milp_pips.problem.errors import InputError, UsageError


def read(text):
    """Return the model in a text, and what was said about it."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ReadingNote)
        model = read_model(text, "m.mps")
    return model, [str(each.message) for each in caught if each.category is ReadingNote]


def file(rows=" L r\n", columns=" x c 1 r 1\n", rhs=" s r 4\n", bounds="", top="NAME n\n", more=""):
    """Return a small file with these sections, whose objective is c."""
    bounds = f"BOUNDS\n{bounds}" if bounds else ""
    return f"{top}ROWS\n N c\n{rows}COLUMNS\n{columns}RHS\n{rhs}{more}{bounds}ENDATA\n"


def limits(model):
    return {column.name: (column.low, column.high, column.integer) for column in model.columns}


def sides(model):
    return {row.name: (row.low, row.high) for row in model.rows}


INTEGER = " M1 'MARKER' 'INTORG'\n x c 1 r 1\n M2 'MARKER' 'INTEND'\n"

FIXED = """\
NAME          WIDE
ROWS
 N  THE COST
 L  TOP  ROW

COLUMNS
    COL A     THE COST        -1.0   {gap}TOP  ROW         1.0
    COL B     THE COST        -2.0   {gap}TOP  ROW         1.0
RHS
              TOP  ROW         2.0
BOUNDS
 UP BND       COL A            3.0
ENDATA
"""


def test_a_file_with_blanks_in_names_is_read_by_columns():
    model, said = read(FIXED.format(gap="  "))
    assert [column.name for column in model.columns] == ["COL A", "COL B"]
    assert sides(model) == {"TOP  ROW": (None, 2)}
    assert limits(model)["COL A"] == (0, 3, False)
    assert said == ["m.mps: line 3 is no free format; read in fixed format, where names may have blanks"]


def test_fixed_format_counts_characters():
    model, _ = read(FIXED.format(gap="  ").replace("COL A ", "COL Ä "))
    assert model.columns[0].name == "COL Ä"


def test_every_line_must_fit_fixed_format():
    with pytest.raises(InputError) as caught:
        read(FIXED.format(gap=""))
    assert str(caught.value) == (
        "m.mps:3: 'N THE COST' is no row in free format; in fixed format, line 7 has 'TO' in columns 37 to 39, "
        "where fixed format has blanks; expected N, L, G or E, and a name"
    )


def test_sets_without_a_name_belong_to_the_first_set():
    model, said = read(
        file(
            " L r\n G q\n",
            " x c 1 r 1\n x q 1\n",
            " r 4\n s q 1\n",
            " UP x 9\n MI x\n",
            more="RANGES\n r 2 q 3\n",
        )
    )
    assert sides(model) == {"r": (2, 4), "q": (1, 4)}
    assert limits(model) == {"x": (None, 9, False)}
    assert said == []


def test_the_first_of_several_sets_counts():
    text = file(rhs=" s r 4\n t r 5\n", bounds=" UP b x 9\n UP d x 3\n", more="RANGES\n a r 1\n e r 2\n")
    model, said = read(text)
    assert (sides(model), limits(model)) == ({"r": (3, 4)}, {"x": (0, 9, False)})
    assert said == [
        "m.mps:9: the first set of RHS, 's', counts; dropped: 't'",
        "m.mps:12: the first set of RANGES, 'a', counts; dropped: 'e'",
        "m.mps:15: the first set of BOUNDS, 'b', counts; dropped: 'd'",
    ]


def test_a_range_reaches_to_the_side_of_its_sign():
    rows, columns = " L l\n G g\n E p\n E m\n E z\n", " x c 1 l 1\n x g 1 p 1\n x m 1 z 1\n"
    text = file(
        rows, columns, " s l 4 g 4\n s p 4 m 4\n s z 4\n", more="RANGES\n a l -3 g -3\n a p 3 m -3\n a z 0\n"
    )
    model, _ = read(text)
    assert sides(model) == {"l": (1, 4), "g": (4, 7), "p": (4, 7), "m": (1, 4), "z": (4, 4)}


def test_the_right_side_of_the_objective_is_minus_its_constant():
    assert read(file(rhs=" s r 4 c 2.5\n"))[0].constant == Fraction(-5, 2)


def test_the_first_n_row_is_the_objective_or_the_one_that_objname_names():
    rows, columns = " N d\n N e\n L r\n", " x c 1 d 2\n x e 3 r 1\n"
    model, said = read(file(rows, columns))
    assert (model.columns[0].cost, len(model.rows)) == (1, 1)
    assert said == ["m.mps:4: 'c' is the objective; the other N rows are dropped: 'd', 'e'"]
    assert read(file(rows, columns, top="NAME n\nOBJNAME\n e\n"))[0].columns[0].cost == 3
    assert read(file(rows, columns, top="NAME n\nOBJECT d\n"))[0].columns[0].cost == 2


def test_a_file_without_an_n_row_has_no_objective():
    model, said = read("ROWS\n L r\nCOLUMNS\n x r 1\nENDATA\n")
    assert not model.has_objective
    assert said == ["m.mps:1: no N row: the model has no objective"]


@pytest.mark.parametrize(
    "top",
    [
        "NAME n\nOBJSENSE\n    MAX\n", "NAME n\nOBJSENSE\nMAX\n", "NAME n\nOBJSENSE MAXIMIZE\n", "objsense max\n",
        "OBJSENSE\n MAXIMISE\nNAME n\n", "OBJSENSEMAX\n", "NAME\nOBJSEN\n\n maximum\n",
    ],
)  # fmt: skip
def test_the_sense_of_the_objective(top):
    assert read(file(top=top))[0].sense == "maximise"
    assert read(file(top=top.replace("MAX", "MIN").replace("max", "min")))[0].sense == "minimise"


def test_integer_columns_between_markers_without_bounds_are_binary():
    model, said = read(file(columns=INTEGER))
    assert limits(model) == {"x": (0, 1, True)}
    assert said == ["m.mps: integer columns between markers without bounds are 0..1: 'x'"]
    assert limits(read(file(columns=INTEGER, bounds=" LO b x 0\n"))[0]) == {"x": (0, None, True)}
    assert limits(read(file(columns=INTEGER, bounds=" PL b x\n"))[0]) == {"x": (0, None, True)}


def test_an_upper_bound_below_zero_frees_the_lower_one():
    model, said = read(file(bounds=" UP b x -2\n"))
    assert limits(model) == {"x": (None, -2, False)}
    assert said == [
        "m.mps:10: an upper bound below zero without a lower bound: the lower one is minus infinity: 'x'"
    ]
    assert limits(read(file(bounds=" UP b x -2\n LO b x -5\n"))[0]) == {"x": (-5, -2, False)}
    assert limits(read(file(bounds=" UP b x 0\n"))[0]) == {"x": (0, 0, False)}


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (" BV b x\n", (0, 1, True)),
        (" BV x 1\n", (0, 1, True)),
        (" FR b x 0\n", (None, None, False)),
        (" MI b x\n UP b x 4\n", (None, 4, False)),
        (" MI x\n", (None, None, False)),
        (" FX b x -2.5\n", (Fraction(-5, 2),) * 2 + (False,)),
        (" LI b x -3\n UI b x 7\n", (-3, 7, True)),
        (" ui b x 7\n", (0, 7, True)),
        (" UP b x 1e30\n", (0, None, False)),
        (" LO b x -Infinity\n", (None, None, False)),
        (" LO b x 3\n UP b x 2\n", (3, 2, False)),
    ],
)
def test_kinds_of_bounds(lines, expected):
    assert limits(read(file(bounds=lines))[0]) == {"x": expected}


def test_comments_tabs_blank_lines_and_small_letters():
    text = (
        "* one\r\n\r\nname x\nrows\n\tn\tc\n * l $ a comment $\n\n l *r* $ one more\ncolumns\n* two\n\tx\t*r*\t1.0D0\n"
        "\n\ty\tc\t1/2\t* l\nrhs\n\nbounds\n\nendata\n\n"
    ).replace(" * l $ a comment $\n", "").replace("\t* l\n", "\t*r*\t.5\n")  # fmt: skip
    model, said = read(text)
    assert [(row.name, dict(row.terms)) for row in model.rows] == [("*r*", {0: 1, 1: Fraction(1, 2)})]
    assert model.columns[1].cost == Fraction(1, 2)
    assert said == []


def test_numbers_are_exact():
    digits = "0.12345678901"
    model, said = read(file(columns=f" x c 1e-9 r {digits}\n", rhs=" s r 169491525368000001\n"))
    assert (model.columns[0].cost, model.rows[0].terms[0]) == (Fraction(1, 10**9), Fraction(digits))
    assert model.rows[0].high == 169491525368000001
    assert said == []


def test_seventeen_digits_of_a_program_are_the_decimal_that_it_meant():
    model, said = read(file(columns=" x c 0.10000000000000001 r 0.19999999999999998\n"))
    assert (model.columns[0].cost, model.rows[0].terms[0]) == (Fraction(1, 10), Fraction(1, 5))
    assert said == [
        "m.mps: 0.10000000000000001 is taken for 0.1, and 1 more: programs write such numbers with 17 digits"
    ]


def test_infinite_right_sides_leave_a_row_open():
    assert sides(read(file(rhs=" s r 1e30\n"))[0]) == {"r": (None, None)}
    assert sides(read(file(" G r\n", rhs=" s r -inf\n"))[0]) == {"r": (None, None)}
    assert sides(read(file(more="RANGES\n a r 1e30\n"))[0]) == {"r": (None, 4)}


BY_PULP = """\
*SENSE:Maximize
NAME          a
ROWS
 N  OBJ
 L  r
COLUMNS
    x         r          1.000000000000e{0}
    x         OBJ       {1}2.000000000000e{0}
RHS
    RHS       r          1.000000000000e{0}
BOUNDS
ENDATA
"""


def test_text_after_the_end_is_left_out_with_a_note():
    model, said = read(file() + "\nIMPORTANCES\nx 2\n")
    assert len(model.columns) == len(read(file())[0].columns)
    assert said == ["m.mps:11: the text after ENDATA is not part of the model"]


def test_the_comment_of_pulp_means_what_its_version_means():
    up_to_3, said = read(BY_PULP.format("+00", ""))
    assert (up_to_3.sense, up_to_3.columns[0].cost) == ("maximise", 2)
    assert said == ["m.mps:1: PuLP up to 3 wrote *SENSE:Maximize and the objective as it is: it is maximised"]
    from_4, said = read(BY_PULP.format("0", "-"))
    assert (from_4.sense, from_4.columns[0].cost) == ("maximise", 2)
    assert said == [
        "m.mps:1: PuLP 4 wrote *SENSE:Maximize and minus the objective: the signs are turned back, it is maximised"
    ]
    with_sense, said = read(BY_PULP.format("0", "-").replace("NAME ", "OBJSENSE MIN\nNAME "))
    assert (with_sense.sense, with_sense.columns[0].cost, said) == ("minimise", -2, [])
    with pytest.raises(InputError) as caught:
        read(BY_PULP.format("0", "").replace("e0", ""))
    assert str(caught.value) == (
        "m.mps:1: *SENSE:Maximize: PuLP 4 turns the signs of the objective, PuLP 3 does not; which wrote it?; "
        "expected OBJSENSE, or the problem as an object of PuLP"
    )


LINEAR = "; expected columns, linear rows, an objective"
REFUSED = {
    "a torn file": (file()[:-7], "9: the file ends without ENDATA; expected ENDATA: part of the file is missing"),
    "data in the first column": (file(rhs="s r 4\n"), "8: unknown section 's'; expected a section; a line of data begins with a blank"),
    "words after a section": (file(rhs="", more="RANGES r\n"), "8: the section RANGES is followed by 'r'; expected nothing; a line of data begins with a blank"),
    "columns first": ("COLUMNS\n x c 1\nENDATA\n", "1: COLUMNS before ROWS"),
    "no columns": ("ROWS\n N c\nCOLUMNS\nENDATA\n", "4: the model has no columns; expected a section COLUMNS with entries"),
    "sets": (file(more="SOS\n S1 s\n"), f"9: SOS states more than a linear model{LINEAR}"),
    "a set by markers": (file(columns=" M 'MARKER' 'SOSORG'\n"), f"6: 'SOSORG' states more than a linear model{LINEAR}"),
    "semi-continuous": (file(bounds=" SC b x 4\n"), "10: SC makes a column semi-continuous, which is more than a linear model; expected a bound of an integer or continuous column"),
    "a sense": (file(top="OBJSENSE MAXIMAL\n"), "1: 'MAXIMAL' is no sense of an objective; expected MAX or MIN"),
    "no such objective": (file(top="OBJNAME r\n"), "1: OBJNAME names 'r', which is no N row"),
    "a kind of row": (file(" Q r\n"), "4: 'Q r' is no row; expected N, L, G or E, and a name"),
    "a row twice": (file(" L r\n G r\n"), "5: a second row 'r'; expected a name of its own"),
    "an unknown row": (file(columns=" x c 1 R 1\n"), "6: unknown row 'R'; did you mean r?; expected a row of ROWS"),
    "an unknown column": (file(bounds=" UP b z 1\n"), "10: unknown column 'z'; expected a column of COLUMNS"),
    "a kind of bound": (file(bounds=" UB b x 1\n"), "10: unknown kind of bound 'UB'; expected BV, FR, FX, LI, LO, MI, PL, UI, UP"),
    "an entry twice": (file(columns=" x c 1 r 1\n x r 2\n"), "7: a second entry of row 'r' in column 'x'"),
    "a column twice": (file(columns=" x r 1\n y r 1\n x c 1\n"), "8: a second column 'x'; expected the entries of a column together, and a name of its own"),
    "an upper bound twice": (file(bounds=" UP b x 1\n BV b x\n"), "11: a second upper bound of column 'x'; expected one of each"),
    "a missing number": (file(columns=" x c\n"), "6: 2 words: 'x c'; expected a column and one or two rows, each with a number"),
    "nan": (file(columns=" x c 1 r nan\n"), "6: 'nan' is not a number"),
    "a great number": (file(columns=" x c 1e20\n"), "6: the number 1e20 is too great: engines take 1e+20 for infinity"),
    "an endless number": (file(columns=f" x c {'9' * 500}\n"), "6: the number 99999999999999999999… has 500 digits, over 400"),
    "an infinite fixed value": (file(bounds=" FX b x inf\n"), "10: the bound FX of 'x' is inf; expected a number"),
    "an infinite right side": (file(" E r\n", rhs=" s r 1e30\n"), "8: the infinite number '1e30' as the right side of a row of kind E"),
    "a range of the objective": (file(more="RANGES\n s c 1\n"), "10: a range of an N row; expected a row of kind L, G or E"),
    "a marker": (file(columns=" M 'MARKER' 'INTONG'\n"), "6: \"'MARKER' 'INTONG'\" is no marker; expected 'INTORG' or 'INTEND'"),
    "an end without a beginning": (file(columns=" M 'MARKER' 'INTEND'\n"), "6: 'INTEND' where none began"),
    "a control character": (file(columns=" x\x00 c 1\n"), "6: the character U+0000, which some readers take for a blank; expected spaces between words"),
    "a column or a number": (file(columns=" x c 1\n 1 c 1\n", bounds=" FR x 1\n"), "11: 'FR x 1' has two columns, or a column and a number; expected a name of the set as well"),
    "a line after two sets": (file(rhs=" s r 1\n t r 1\n c 1\n"), "10: a line without the name of its set, after those of two sets of RHS"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_refusals(name):
    text, message = REFUSED[name]
    with pytest.raises(InputError) as caught:
        read(text)
    if message is not None:
        assert str(caught.value) == f"m.mps:{message}"
    assert str(caught.value).isprintable()


@given(st.integers(0, 10**9))
@examples(12)
def test_what_is_written_is_read_back_number_by_number(seed):
    rng = Random(seed)
    model = random_model(rng)
    assert read(to_mps(model))[0] == with_kept_order(model)
    assert read(mps_text(model, rng))[0] == with_kept_order(model, name="m")


def with_kept_order(model, name="m"):
    """Return the model as a file states it; equality of rows does not depend on the order of terms."""
    return Model(model.columns, model.rows, model.sense, model.constant, name)


def test_a_row_with_thirds_is_written_in_whole_numbers():
    x = Column("x", Fraction(0), Fraction(9))
    row = Row("r", {0: Fraction(1, 3)}, Fraction(-1, 2), Fraction(2))
    written = read(to_mps(Model((x,), (row,))))[0].rows[0]
    assert (dict(written.terms), written.low, written.high) == ({0: 2}, -3, 12)
    fine = Row("f", {0: Fraction(1, 2**70)}, None, Fraction(1))
    assert read(to_mps(Model((x,), (fine,))))[0].rows == (fine,)
    crossed = Row("k", {0: Fraction(1)}, Fraction(3), Fraction(2))
    assert [(r.low, r.high) for r in read(to_mps(Model((x,), (crossed,))))[0].rows] == [(None, 2), (3, None)]
    with pytest.raises(UsageError, match="the cost 1/3 of y is no finite decimal, as files need"):
        to_mps(Model((Column("y", cost=Fraction(1, 3)),), ()))
    with pytest.raises(
        UsageError, match="the constant 100000000000000000000 of the objective is infinite to"
    ):
        to_mps(Model((x,), (), constant=10**20))


def test_the_ending_of_a_file_decides(tmp_path):
    (tmp_path / "text.lp").write_text("4\nA##B\n")
    with pytest.raises(InputError, match=r"text.lp:1: '4' begins no LP file; expected Minimize or Maximize"):
        milp_pips.read(tmp_path / "text.lp")
    (tmp_path / "puzzle.MPS").write_text(file())
    assert milp_pips.read(tmp_path / "puzzle.MPS").family == "linear-model"
    (tmp_path / "no_ending").write_text("* first\n\nrows\n n c\ncolumns\n x c 1\nendata\n")
    assert milp_pips.read(tmp_path / "no_ending").family == "linear-model"
    assert [format_of("", f"a{end}") for end in (".mps.gz", ".LP", ".opb", ".cnf", ".txt", "")] == [
        *("mps", "lp", "opb", "cnf", "", "")
    ]
    assert [
        format_of(text, "") for text in ("p cnf 1 1\n", "c x\np cnf 1 1\n", "* #variable= 1\n", "max x")
    ] == [*("cnf", "cnf", "opb", "")]
    with pytest.raises(
        InputError, match=r"m.txt:1: no file of a linear model; expected one of the formats mps, lp"
    ):
        read_model("4\n", "m.txt")


def test_a_single_row_without_a_name_is_written_with_one():
    """Its name is unlike all others, but it is empty."""
    columns = (Column("x", 0, 3, integer=True), Column("y", 0, 3))
    model = Model(columns, (Row("named", {0: 1}, 1, None), Row("", {0: 1, 1: 1}, None, 3)))
    for text, suffix in ((model.to_mps(), "mps"), (model.to_lp(), "lp")):
        read = read_model(text, f"model.{suffix}")
        assert [(row.terms, row.low, row.high) for row in read.rows] == [
            (row.terms, row.low, row.high) for row in model.rows
        ]


@pytest.mark.parametrize("section", ["OBJSENSE", "OBJNAME"])
def test_a_section_of_very_many_lines_is_read_in_time_in_proportion_to_its_length(section):
    with pytest.raises(InputError, match=f"{'sense' if section == 'OBJSENSE' else '200000 names'}"):
        read_model(f"NAME\n{section}\n" + " N\n" * 200_000, "m.mps")
