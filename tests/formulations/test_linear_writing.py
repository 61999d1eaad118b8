"""Linear models written for PuLP, Pyomo, HiGHS, and as MPS and LP files, and read again."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from linear_models import random_model
from thoroughness import examples, few_or_many

import milp_pips
from milp_pips.cli import main
from milp_pips.formulations.filtering import Filtering, with_bounds_of_rows
from milp_pips.formulations.model import Model
from milp_pips.formulations.reading import read_model
from milp_pips.formulations.reading.objects.highspy import from_highspy
from milp_pips.formulations.reading.objects.pyomo import from_pyomo
from milp_pips.formulations.rows import Column, Row
from milp_pips.formulations.writing import to_highspy, to_pulp, to_pyomo
from milp_pips.formulations.writing_files import to_lp, to_mps
from milp_pips.problem.errors import UsageError

pytestmark = pytest.mark.filterwarnings("ignore:.*PuLP 4.0:DeprecationWarning")


def columns(**bounds):
    """Return integer columns by name and bounds."""
    return tuple(
        Column(name, *(None if end is None else Fraction(end) for end in ends), True)
        for name, ends in bounds.items()
    )


ODD = Model(
    (
        Column("x(1,2)", Fraction(0), Fraction(1), True, Fraction(1, 10)),
        Column("wide", None, None, False, Fraction(3)),
        Column("größe", Fraction(-3), Fraction(5), True),
        Column("open", Fraction(0), None, True),
        Column("below", None, Fraction(-1), False, Fraction(-7, 4)),
        Column("fixed", Fraction(3), Fraction(3), True),
    ),
    (
        Row("range", {0: Fraction(1, 10), 1: Fraction(1)}, Fraction(-2), Fraction(5)),
        Row("least", {2: Fraction(1), 3: Fraction(1)}, Fraction(-4), None),
        Row("free", {1: Fraction(1)}, None, None),
        Row("same", {4: Fraction(1), 1: Fraction(-1, 4)}, Fraction(1), Fraction(1)),
    ),
    "maximise",
    Fraction(7),
    "odd",
)


def plain(model):
    """Return what a model states, without the names of rows and free rows."""
    rows = {
        (tuple(sorted(row.terms.items())), row.low, row.high)
        for row in model.rows
        if (row.low, row.high) != (None, None)
    }
    return model.columns, rows, model.sense, model.constant


def with_single_sides(model):
    """Return the model with two rows for each row with two different sides."""
    rows = []
    for row in model.rows:
        both = row.low is not None and row.high is not None and row.low != row.high
        rows += [replace(row, high=None), replace(row, low=None)] if both else [row]
    return replace(model, rows=tuple(rows))


@pytest.mark.filterwarnings("ignore:.*as probably written")
@pytest.mark.parametrize(
    "model", [ODD, *(random_model(Random(seed), mixed=seed % 2) for seed in range(few_or_many(8, 100)))]
)
def test_a_model_survives_every_way_out_and_back(model):
    assert plain(from_highspy(to_highspy(model))) == plain(model)
    assert plain(read_model(to_mps(model), "odd.mps")) == plain(model)
    fit = replace(
        model, columns=tuple(replace(c, name=c.name.translate({91: "(", 93: ")"})) for c in model.columns)
    )
    assert plain(read_model(to_lp(fit), "odd.lp")) == plain(with_single_sides(fit))
    concrete = to_pyomo(model)
    assert list(concrete.x) == [column.name for column in model.columns]
    back = from_pyomo(concrete)
    assert [replace(c, name="") for c in back.columns] == [replace(c, name="") for c in model.columns]
    assert plain(back)[1:] == plain(model)[1:]


def test_names_that_a_format_cannot_have_are_refused():
    def named(*names):
        return Model(columns(**dict.fromkeys(names, (0, 1))), (), name="m")

    for name in ("a b", ""):
        with pytest.raises(UsageError, match="an MPS file cannot have the name"):
            to_mps(named(name))
    for name in ("a b", "x[1]", "1x", "free", "e3", "x-y", "End"):
        with pytest.raises(UsageError, match="an LP file cannot have the name"):
            to_lp(named(name))
    with pytest.raises(UsageError, match=r"PuLP has one name for the columns 'a-b' and 'a_b'"):
        to_pulp(named("a-b", "a_b"))


def test_rows_give_bounds_to_integer_columns():
    x, y = (Column(name, Fraction(0), None, True, Fraction(1)) for name in "xy")
    row = Row("cap", {0: Fraction(2), 1: Fraction(3)}, None, Fraction(12))
    model = Model((x, y), (row,), "maximise")
    bounded = with_bounds_of_rows(model)
    assert [(column.low, column.high) for column in bounded.columns] == [(0, 6), (0, 4)]
    assert milp_pips.count(model).counts == {"assignment": 19}
    free = Row("one", {0: Fraction(2), 1: Fraction(-3)}, None, Fraction(12))
    assert with_bounds_of_rows(Model((x, y), (free,))).columns == (x, y)


@given(st.integers(0, 10**6))
@examples(12)
def test_filtering_refutes_no_box_with_a_solution(seed):
    from linear_models import solutions

    rng = Random(seed)
    model = random_model(rng, mixed=seed % 2 == 0)
    filtering, found = Filtering(model), solutions(model)
    whole = [j for j, column in enumerate(model.columns) if column.integer]
    for values in list(found)[:5]:
        point = dict(zip(whole, values, strict=True))
        box = {j: (value - rng.randint(0, 1), value + rng.randint(0, 1)) for j, value in point.items()}
        bounds = filtering.tightened(box)
        assert bounds is not None
        assert all(bounds.get(j, (value, value))[0] <= value <= bounds[j][1] for j, value in point.items())


def test_convert_and_export_write_linear_models(tmp_path, capsys):
    path = tmp_path / "odd.mps"
    path.write_text(to_mps(ODD))
    assert main(["convert", str(path), "--to", "lp"]) == 0
    (tmp_path / "odd.lp").write_text(capsys.readouterr().out)
    assert plain(milp_pips.read(tmp_path / "odd.lp").model) == plain(
        with_single_sides(milp_pips.read(path).model)
    )
    assert main(["export", str(path), "--to", "mps"]) == 0
    assert plain(read_model(capsys.readouterr().out, "x.mps")) == plain(milp_pips.read(path).model)


def test_engines_get_whole_bounds_of_integer_columns():
    """HiGHS 1.13 calls this model infeasible if it gets the bounds 2.5 and 0.5."""
    text = (
        "max\n -.25 x + 0.5 y\nst\n 2 x + 0.1 y - 3 z >= 1\n 12.5 z + .5 y >= .5\n 12.5 z + 0.5 y <= 1\n"
        "bounds\n x <= 3\n -1 <= y <= 2.5\n -1 <= z <= .5\ngeneral\n y z\nend\n"
    )
    model = read_model(text, "m.lp")
    assert list(to_highspy(model).getLp().col_upper_) == [3, 2, 0]
    assert milp_pips.solve(model).objective.value == pytest.approx(0.9)
