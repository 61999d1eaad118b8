"""The dual of a model has the optimum of its linear relaxation, and any point of it is a bound."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from milp_pips.formulations.dual import dual_of
from milp_pips.formulations.model import Model
from milp_pips.formulations.rows import Column, Row

NUMBERS = st.integers(-3, 3)
SENSES = st.sampled_from(["minimise", "maximise"])


def optimum(model):
    """Return the optimum of the linear relaxation by HiGHS; None if it has none."""
    highs = model.to_highspy()
    highs.setOptionValue("solve_relaxation", True)
    highs.run()
    is_solved = highs.getModelStatus().name in ("kOptimal", "kModelEmpty")
    return highs.getInfo().objective_function_value if is_solved else None


@st.composite
def models(draw):
    """Return a model with a point, whose columns and rows have bounds of every kind."""
    count = draw(st.integers(1, 4))
    point, columns = [draw(NUMBERS) for _ in range(count)], []
    for j, y in enumerate(point):
        low, high = draw(st.sampled_from([(0, None), (None, None), (-4, 4), (0, 3), (None, 5), (y, y)]))
        if low is not None and low > y:
            low = y
        if high is not None and high < y:
            high = y
        columns.append(Column(f"x{j}", low, high, integer=draw(st.booleans()), cost=draw(NUMBERS)))
    rows = []
    for i in range(draw(st.integers(0, 4))):
        terms = {j: t for j in range(count) if (t := draw(NUMBERS))}
        at = sum(t * point[j] for j, t in terms.items())
        sides = st.sampled_from([(at, at), (at - 1, None), (None, at + 2), (at - 2, at + 1)])
        rows.append(Row(f"r{i}", terms, *draw(sides)))
    return Model(columns, rows, draw(SENSES), draw(NUMBERS), "any")


@given(models())
def test_the_dual_has_the_optimum_of_the_relaxation(model):
    value, dual = optimum(model), dual_of(model)
    other = optimum(dual)
    assert other is None if value is None else other == pytest.approx(value, abs=1e-6)
    if value is not None:
        assert optimum(dual_of(dual)) == pytest.approx(value, abs=1e-6), "the dual of the dual is the model"


def test_the_dual_of_a_small_model_as_a_textbook_writes_it():
    columns = (Column("x", cost=3), Column("y", None, None, cost=2), Column("z", 0, 1, integer=True, cost=4))
    rows = (
        Row("need", {0: 1, 1: 2}, 4),
        Row("cap", {0: 1, 2: Fraction(1, 2)}, None, 6),
        Row("one", {1: 1, 2: 1}, 1, 1),
    )
    dual = dual_of(Model(columns, rows, "minimise", 5, "small"))
    assert dual.sense == "maximise"
    assert [(c.name, c.low, c.high, c.cost) for c in dual.columns] == [
        ("need", 0, None, 4),
        ("cap", None, 0, 6),
        ("one", None, None, 1),
        ("z_at_most", None, 0, 1),
    ]
    assert [(r.name, r.terms, r.low, r.high) for r in dual.rows] == [
        ("x", {0: 1, 1: 1}, None, 3),
        ("y", {0: 2, 2: 1}, 2, 2),
        ("z", {1: Fraction(1, 2), 2: 1, 3: 1}, None, 4),
    ]


def test_a_bound_that_a_row_implies_has_no_column():
    columns = [Column(name, 0, 1, integer=True, cost=1) for name in "ab"]
    assert [c.name for c in dual_of(Model(columns, [Row("sum", {0: 1, 1: 1}, 1, 1)])).columns] == ["sum"]
