"""What single libraries state beyond columns and rows, such as domains and clauses, and what is refused."""

from __future__ import annotations

import re
import subprocess
import sys
import warnings
from decimal import Decimal
from fractions import Fraction
from types import SimpleNamespace

import pulp
import pytest
from modelling_libraries import BUILDERS, MODULES

import milp_pips
from milp_pips.formulations.model import Model
from milp_pips.formulations.reading.lines import ReadingNote
from milp_pips.formulations.rows import Column, Row

pytestmark = [
    pytest.mark.filterwarnings("ignore:.*PuLP 4.0:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning:linopy"),
]

TAKEN = (
    "models of PuLP, Pyomo, highspy, linopy, OR-Tools (MathOpt, pywraplp, ModelBuilder, CpModel), CVXPY, "
    "python-mip, PySCIPOpt, gurobipy, docplex and CPMpy, and the arguments of SciPy's milp as a dict"
)


def library(name):
    """Return a module, also one that warns when it is imported."""
    with warnings.catch_warnings(action="ignore"):
        return pytest.importorskip(name)


# OR-Tools' CpModel: every constraint that is taken, on x from 0 to 5, y of 1, 3, 7, binary b and c.
CP_SAT = {
    "a row": lambda m, x, y, b, c: m.add(2 * x - y <= 4),
    "a row over a negation": lambda m, x, y, b, c: m.add(x + b + (~c) >= 3),
    "not equal": lambda m, x, y, b, c: m.add(x != 3),
    "a sum in a domain": lambda m, x, y, b, c: m.add_linear_expression_in_domain(
        x + y, library("ortools.sat.python.cp_model").Domain.from_intervals([[0, 3], [7, 9]])
    ),
    "a sum that cannot be so": lambda m, x, y, b, c: m.add(x + y == -100),
    "a value out of reach": lambda m, x, y, b, c: m.add(x + y != 100),
    "exactly one": lambda m, x, y, b, c: m.add_exactly_one(b, ~c),
    "or of none": lambda m, x, y, b, c: m.add_bool_or([]),
    "implication": lambda m, x, y, b, c: m.add_implication(b, ~c),
    "and under two conditions": lambda m, x, y, b, c: m.add_bool_and(~b).only_enforce_if(b, ~c),
    "all different": lambda m, x, y, b, c: m.add_all_different(x, y, b),
    "all different, affine": lambda m, x, y, b, c: m.add_all_different(x, 2 * y + 1, 3, -x + 4),
    "all different from itself": lambda m, x, y, b, c: m.add_all_different(x, x),
    "a false row": lambda m, x, y, b, c: m.add(False),
}


def cp_sat(add):
    """Return a CpModel with a constraint, and its four variables."""
    cp_model = library("ortools.sat.python.cp_model")
    model = cp_model.CpModel()
    model.name = "m"
    x = model.new_int_var(0, 5, "x")
    y = model.new_int_var_from_domain(cp_model.Domain.from_values([1, 3, 7]), "y")
    b, c = model.new_bool_var("b"), model.new_bool_var("")
    add(model, x, y, b, c)
    return model, (x, y, b, c)


@pytest.mark.parametrize("name", CP_SAT)
def test_each_constraint_of_cp_sat_has_the_solutions_that_cp_sat_finds(name):
    cp_model = library("ortools.sat.python.cp_model")
    model, variables = cp_sat(CP_SAT[name])
    before, found = str(model.proto), set()

    class Collect(cp_model.CpSolverSolutionCallback):
        def on_solution_callback(self):
            found.add(tuple(self.value(v) for v in variables))

    listed = {tuple(solution.values()) for solution in milp_pips.solutions(model)}
    assert str(model.proto) == before
    solver, collect = cp_model.CpSolver(), Collect()
    solver.parameters.enumerate_all_solutions, solver.parameters.num_workers = True, 1
    solver.solve(model, collect)
    assert listed == found


def test_all_different_is_a_binary_column_per_value_that_no_solution_shows():
    model, _ = cp_sat(lambda m, x, y, b, c: m.add_all_different(x, b))
    found = milp_pips.linear_model(model)
    names = [column.name for column in found.columns]
    assert names[:7] == ["x", "y", "b", "b3", "y=1", "y=3", "y=7"]
    assert names[7:] == ["x=0", "x=1", "x=2", "x=3", "x=4", "x=5", "b=0", "b=1"]
    rows = {row.name: row for row in found.rows}
    assert rows["y: one value"] == Row("y: one value", {4: 1, 5: 1, 6: 1}, 1, 1)
    assert rows["y: value"] == Row("y: value", {4: 1, 5: 3, 6: 7, 1: -1}, 0, 0)
    assert rows["all_diff_0: 1"] == Row("all_diff_0: 1", {8: 1, 14: 1}, None, 1)
    assert found.shown == (0, 1, 2, 3)
    assert list(next(milp_pips.solutions(model))) == ["x", "y", "b", "b3"]


@pytest.mark.parametrize(
    "state, value",
    [
        (lambda m, x, y, b: m.maximize(2 * x - y + 3), 12),
        (lambda m, x, y, b: m.minimize(2 * x + y + 3 * (~b)), 1),
        (lambda m, x, y, b: m.maximize(0.5 * x - 0.1 * y + 0.3), 2.7),
    ],
)
def test_the_objective_of_a_cp_model(state, value):
    model, _ = cp_sat(lambda m, x, y, b, c: state(m, x, y, b))
    assert milp_pips.solve(model).objective.value == value


CPMPY = {
    "all different": lambda cp, x, b: [cp.AllDifferent(x), x[0] + x[1] >= 3],
    "conditions": lambda cp, x, b: [b.implies(x[0] > 2), x[0] != x[1], b | (x[2] == 1)],
    "nothing": lambda cp, x, b: [cp.sum(x) <= -1],
    "a circuit": lambda cp, x, b: [cp.Circuit(x)],
}


@pytest.mark.parametrize("name", CPMPY)
def test_a_cpmpy_model_has_the_solutions_that_cpmpy_finds(name):
    cp = library("cpmpy")
    x, b = cp.intvar(0, 3, shape=3, name="x"), cp.boolvar(name="b")
    model = cp.Model(CPMPY[name](cp, x, b))
    found = list(milp_pips.solutions(model))
    assert len(found) == model.solveAll(solver="ortools")
    assert not found or {"x[0]", "x[1]"} <= set(found[0]) <= {"b", "x[0]", "x[1]", "x[2]"}


def test_the_objective_of_a_cpmpy_model():
    cp = library("cpmpy")
    x = cp.intvar(0, 3, shape=3, name="x")
    model = cp.Model(cp.AllDifferent(x))
    model.maximize(cp.max(x) + 2 * x[0] - x[1] + 1)
    assert milp_pips.solve(model).objective.value == 10
    assert len(list(milp_pips.solutions(model, within=0))) == 2


def test_domains_of_pyomo_that_are_no_intervals():
    import pyomo.environ as pyo

    model = pyo.ConcreteModel("domains")
    model.even = pyo.Var(domain=pyo.RangeSet(0, 10, 2))
    model.few = pyo.Var(domain=pyo.Set(initialize=[1, 3, 7]))
    model.part = pyo.Var(domain=pyo.Set(initialize=[0.1, 1.5]))
    model.sum = pyo.Constraint(expr=model.even + model.few + model.part <= 8.1)
    pairs = {(a, b) for a in range(0, 11, 2) for b in (1, 3, 7) if a + b <= 8}
    assert {tuple(s.values()) for s in milp_pips.solutions(model)} == pairs
    model.part.fix(1.5)
    assert {tuple(s.values()) for s in milp_pips.solutions(model)} == {p for p in pairs if sum(p) <= 6}


def test_a_variable_of_an_inactive_block_that_a_row_has():
    import pyomo.environ as pyo

    model = pyo.ConcreteModel("blocks")
    model.off = pyo.Block()
    model.off.x = pyo.Var(domain=pyo.Binary)
    model.off.never = pyo.Constraint(expr=model.off.x >= 2)
    model.off.deactivate()
    model.y = pyo.Var(domain=pyo.Binary)
    model.row = pyo.Constraint(expr=model.y + model.off.x <= 1)
    assert milp_pips.count(model).counts == {"assignment": 3}


@pytest.mark.long
@pytest.mark.filterwarnings("ignore:.*absent slots")
def test_names_and_masks_of_linopy():
    linopy, pandas = library("linopy"), library("pandas")
    model = linopy.Model()
    sites, days = pandas.Index(["a", "b"], name="site"), pandas.Index([1, 2], name="day")
    x = model.add_variables(binary=True, coords=[sites, days], name="x")
    mask = pandas.Series([True, False], index=days)
    y = model.add_variables(lower=0, upper=4, integer=True, coords=[days], mask=mask, name="y")
    model.add_constraints(x.sum("site") + 0.5 * y + 1 <= 2.5 - 0.1 * x.sel(site="a"), name="limit")
    found = milp_pips.linear_model(model)
    assert [c.name for c in found.columns] == ["x[a,1]", "x[a,2]", "x[b,1]", "x[b,2]", "y[1]"]
    assert [row.name for row in found.rows] == ["limit[1]", "limit[2]"]
    half = Fraction("0.5")
    assert dict(found.rows[0].terms) == {0: Fraction("1.1"), 2: 1, 4: half}
    assert dict(found.rows[1].terms) == {1: Fraction("1.1"), 3: 1}
    assert {row.high for row in found.rows} == {Fraction("1.5")}
    model.add_sos_constraints(model.variables["y"], 1, "day")
    with pytest.raises(milp_pips.UsageError, match="has SOS constraints, which no linear row states"):
        milp_pips.linear_model(model)


def test_a_range_of_gurobi_is_one_row_again():
    def add(_, model, x, y):
        model.addRange(x + 2 * y, 0.1, 0.3, "range")
        model.addRange(x - y, -1, float("inf"), "least")

    with pytest.warns(ReadingNote, match=r"m: 0\.19999999999999998 is taken for 0\.2, as probably written"):
        found = milp_pips.linear_model(gurobipy_with(add))
    assert [column.name for column in found.columns] == ["x", "y"]
    assert found.rows == (
        Row("range", {0: 1, 1: 2}, Fraction("0.1"), Fraction("0.3")),
        Row("least", {0: 1, 1: -1}, -1, None),
    )


def test_matrices_and_declarations_of_cvxpy():
    cvxpy, numpy = library("cvxpy"), library("numpy")
    x = cvxpy.Variable((2, 2), integer=True, name="x")
    u, v = cvxpy.Variable(nonneg=True, name="u"), cvxpy.Variable(nonpos=True, name="v")
    factor = cvxpy.Parameter(value=0.1, name="factor")
    rows = [x >= -1, x <= numpy.array([[1, 2], [3, 4]]), factor * u + v <= 2]
    found = milp_pips.linear_model(cvxpy.Problem(cvxpy.Minimize(cvxpy.sum(x)), rows))
    bounds = {c.name: (c.low, c.high) for c in found.columns}
    assert list(bounds) == ["x[0,0]", "x[1,0]", "x[0,1]", "x[1,1]", "u", "v"]
    assert (bounds["u"], bounds["v"]) == ((0, None), (None, 0))
    assert dict(found.rows[-1].terms) == {4: Fraction("0.1"), 5: 1}
    assert {(tuple(r.terms), r.high) for r in found.rows if 1 in r.terms.values()} >= {
        ((0,), 1),
        ((1,), 3),
        ((2,), 2),
        ((3,), 4),
    }
    nothing = cvxpy.Problem(cvxpy.Maximize(3), [cvxpy.Constant(1) <= 0])
    assert milp_pips.linear_model(nothing) == Model((), (Row("R0", {}, 1, None),), "maximise", Fraction(3))


def test_the_arguments_of_milp_in_each_form():
    optimize, sparse = library("scipy.optimize"), library("scipy.sparse")
    plain = {"c": [1, 2.5], "constraints": ([[1, 2], [3, 0]], [1, 0], 3), "integrality": [1, 0]}
    found = milp_pips.linear_model({**plain, "bounds": (0, [1, float("inf")]), "options": {"disp": True}})
    x, y = Column("x[0]", 0, 1, True, Fraction(1)), Column("x[1]", 0, None, False, Fraction("2.5"))
    rows = Row("constraint[0,0]", {0: 1, 1: 2}, 1, 3), Row("constraint[0,1]", {0: 3}, 0, 3)
    assert found == Model((x, y), rows)
    both = [optimize.LinearConstraint([[1, 2], [3, 0]], [1, 0], 3), (sparse.csr_array([[0, 1]]),)]
    more = milp_pips.linear_model(
        {**plain, "bounds": optimize.Bounds(0, [1, float("inf")]), "constraints": both}
    )
    assert more == Model((x, y), (*rows, Row("constraint[1,0]", {1: 1})))
    assert milp_pips.linear_model({"c": 1}) == Model((Column("x[0]", cost=Fraction(1)),), ())


def test_numbers_of_numpy_are_their_shortest_decimals():
    numpy = library("numpy")
    costs = numpy.array([0.1, 16777216.0], dtype=numpy.float32)
    found = milp_pips.linear_model({"c": costs, "bounds": (numpy.int8(-3), numpy.float16(0.1))})
    assert [(c.low, c.high, c.cost) for c in found.columns] == [
        (-3, Fraction("0.1"), Fraction("0.1")),
        (-3, Fraction("0.1"), 16777216),
    ]


def test_what_a_library_has_computed_is_told():
    problem = pulp.LpProblem("computed")
    x, y = (problem.add_variable(name, 0, 9, "Integer") for name in "xy")
    problem += x + 0.1 <= 0.3
    problem += (0.1 + 0.2) * y <= 1e15 + 1
    with pytest.warns(ReadingNote) as told:
        found = milp_pips.linear_model(problem)
    assert [str(one.message) for one in told] == [
        "computed: -0.19999999999999998 is taken for -0.2, as probably written, and 1 more"
    ]
    assert [row.high for row in found.rows] == [Fraction("0.2"), 10**15 + 1]
    assert dict(found.rows[1].terms) == {1: Fraction("0.3")}


@pytest.mark.parametrize("name", ["pulp", "pyomo", "math_opt", "pywraplp", "scipy", "gurobipy", "docplex"])
def test_crossed_bounds_false_rows_and_small_coefficients_are_what_the_model_says(name):
    library(MODULES.get(name, name))
    columns = (
        Column("x", Fraction(3), Fraction(1), True, Fraction(1)),
        Column("y", Fraction(0), Fraction(9), True),
    )
    row = Row("small", {1: Fraction("1e-9"), 0: Fraction("1e-12")}, Fraction("3e-9"), None)
    found = milp_pips.linear_model(BUILDERS[name](Model(columns, (row,))))
    assert [(c.low, c.high) for c in found.columns] == [(3, 1), (0, 9)]
    assert [(dict(r.terms), r.low, r.high) for r in found.rows] == [(dict(row.terms), row.low, None)]


def test_a_column_that_pulp_does_not_hand_over_is_told():
    problem = pulp.LpProblem("unused")
    used, unused = (problem.add_variable(f"only_here_{name}", cat="Binary") for name in "ab")
    problem += used >= 0
    with pytest.warns(ReadingNote, match=r"PuLP hands over no column .*only_here_b; addVariables adds it"):
        assert milp_pips.count(problem).counts == {"assignment": 2}
    problem.addVariables([unused])
    assert milp_pips.count(problem).counts == {"assignment": 4}


class LpProblem:
    """A problem as PuLP 4 has it: variables belong to it, and are equal if their numbers are."""

    name, sense, objective = "four", 1, None

    def __init__(self, has_sos):
        self.has_sos = lambda: has_sos

    def variables(self):
        return [self.Variable(0, "b"), self.Variable(1, "a")]

    def constraints(self):
        row = SimpleNamespace(name="row", sense=1, constant=-1.0)
        row.items = lambda: [(self.Variable(0, "b"), 2.0), (self.Variable(1, "a"), 0.0)]
        return [row]

    class Variable:
        lowBound, upBound, cat = 0.0, 1.0, "Integer"  # noqa: N815

        def __init__(self, number, name):
            self.number, self.name = number, name

        def __hash__(self):
            return self.number


LpProblem.__module__ = "pulp.core.lp_problem"


def test_a_problem_of_pulp_4():
    one = Fraction(1)
    columns = Column("b", Fraction(0), one, True), Column("a", Fraction(0), one, True)
    assert milp_pips.linear_model(LpProblem(False)) == Model(
        columns, (Row("row", {0: 2}, 1, None),), name="four"
    )
    with pytest.raises(milp_pips.UsageError, match=r"^four has SOS constraints, which no linear row states$"):
        milp_pips.linear_model(LpProblem(True))


def pulp_with(**changes):
    problem = pulp.LpProblem("p")
    x = problem.add_variable("x", 0, 3, "Integer")
    problem += changes.pop("cost", 1) * x
    for name, value in changes.items():
        setattr(problem if name == "sos1" else x, name, value)
    return problem


def test_a_pyomo_model_without_a_name_is_not_called_unknown():
    import pyomo.environ as pyo

    model = pyo.ConcreteModel()
    model.x = pyo.Var(domain=pyo.Binary)
    model.row = pyo.Constraint(expr=model.x >= 2)
    assert str(milp_pips.explain(model)).splitlines()[-1].startswith("model: no solution")


def pyomo_with(add):
    import pyomo.environ as pyo

    model = pyo.ConcreteModel("p")
    model.x = pyo.Var(domain=pyo.Integers, bounds=(0, 3))
    add(pyo, model)
    return model


def highspy_with(change):
    import highspy

    highs = highspy.Highs()
    highs.setOptionValue("output_flag", False)
    highs.addVar(0, 3)
    change(highspy, highs)
    return highs


def add_objective(highspy, highs):
    objective = highspy.HighsLinearObjective()
    objective.coefficients = [1.0]
    highs.addLinearObjective(objective)


def math_opt_with(add):
    mathopt = library("ortools.math_opt.python.mathopt")
    model = mathopt.Model(name="m")
    add(mathopt, model, model.add_binary_variable(name="x"), model.add_variable(name="y"))
    return model


def cvxpy_with(state):
    cvxpy = library("cvxpy")
    return cvxpy.Problem(*state(cvxpy, cvxpy.Variable(2, name="x")))


def pyscipopt_with(add):
    model = library("pyscipopt").Model("m")
    add(model, model.addVar("x", "B"), model.addVar("y"))
    return model


def gurobipy_with(add):
    gurobipy = library("gurobipy")
    with gurobipy.Env(params={"OutputFlag": 0}) as quiet:
        model = gurobipy.Model("m", env=quiet)
    add(gurobipy, model, model.addVar(vtype="B", name="x"), model.addVar(ub=5, name="y"))
    return model


def docplex_with(add):
    model = library("docplex.mp.model").Model("m")
    add(model, model.binary_var("x"), model.integer_var(0, 5, "y"))
    return model


def milp_with(**arguments):
    return {"c": [1, 2], **arguments}


CP_TAKEN = (
    "linear constraints, AddBoolOr, AddBoolAnd, AddImplication, AddAtMostOne, AddExactlyOne, AddAllDifferent"
)

REFUSED = [
    (lambda: 3, f"linear_model takes {TAKEN}, not 3; write it as MPS and read that"),
    (lambda: pulp.LpVariable("x"), f"x is no model; {TAKEN} are taken; or write it as MPS and read that"),
    (lambda: pulp_with(sos1={"a": {}}), "p has SOS constraints, which no linear row states"),
    (
        lambda: pulp_with(lowBound=float("nan")),
        "p: the lower bound of the column x is nan; expected a number",
    ),
    (
        lambda: pulp_with(upBound=float("-inf")),
        "p: the upper bound of the column x is -inf, which no value keeps",
    ),
    (
        lambda: pulp_with(cost=1e20),
        "p: the coefficient of x in the objective is 1e+20; "
        "expected a number below 1e+20, which engines take for infinity",
    ),
    (
        lambda: pyomo_with(lambda pyo, m: setattr(m, "c", pyo.Constraint(expr=m.x**2 <= 3))),
        "the constraint c is not linear",
    ),
    (
        lambda: pyomo_with(lambda pyo, m: setattr(m, "y", pyo.Var(domain=pyo.Any))),
        "y has the domain Any; expected an interval or up to 1000 values",
    ),
    (
        lambda: library("pyomo.environ").AbstractModel("a"),
        "a is an abstract model; expected what its create_instance() returns",
    ),
    (
        lambda: highspy_with(lambda of, h: h.changeColIntegrality(0, of.HighsVarType.kSemiContinuous)),
        "the column C0 is semi-continuous or semi-integer",
    ),
    (lambda: highspy_with(add_objective), "model has several objectives, which no linear row states"),
    (
        lambda: highspy_with(lambda of, h: h.addRow(3e-9, of.kHighsInf, 1, [0], [1e-9])),
        "the row R0 has no coefficients and cannot hold: HiGHS drops those up to 1e-09",
    ),
    (
        lambda: math_opt_with(lambda of, m, x, y: m.minimize(x * y)),
        "the objective is quadratic",
    ),
    (
        lambda: math_opt_with(
            lambda of, m, x, y: m.add_indicator_constraint(indicator=x, implied_constraint=y <= 3)
        ),
        "m has indicator constraints, which no linear row states",
    ),
    (
        lambda: math_opt_with(lambda of, m, x, y: m.add_quadratic_constraint(x * y <= 3)),
        "m has quadratic constraints, which no linear row states",
    ),
    (
        lambda: cvxpy_with(lambda cp, x: (cp.Minimize(x[0]), [x[0] >= 0, cp.abs(x[1]) <= 1])),
        "constraint 2 is not linear: Inequality(Expression(CONVEX, NONNEGATIVE, ()))",
    ),
    (
        lambda: cvxpy_with(lambda cp, x: (cp.Minimize(cp.max(x)), [])),
        "the objective is not linear: Minimize(Expression(CONVEX, UNKNOWN, ()))",
    ),
    (
        lambda: cvxpy_with(
            lambda cp, x: (cp.Minimize(cp.trace(cp.Variable((2, 2), PSD=True, name="s"))), [])
        ),
        "s is declared PSD; expected only boolean, bounds, integer, nonneg, nonpos",
    ),
    (
        lambda: pyscipopt_with(lambda m, x, y: m.addConsSOS1([x, y], name="s")),
        "the constraint s of m is SOS1; expected a linear one",
    ),
    (
        lambda: gurobipy_with(lambda of, m, x, y: m.addVar(vtype="S", ub=3, name="s")),
        "the column s is semi-continuous or semi-integer",
    ),
    (
        lambda: docplex_with(lambda m, x, y: m.add_indicator(x, y <= 3, name="i")),
        "m has IndicatorConstraint i, which no linear row states",
    ),
    (
        lambda: docplex_with(lambda m, x, y: m.minimize(m.max(x, y))),
        "m has the expression MaximumExpr, which is not linear",
    ),
    (
        lambda: docplex_with(lambda m, x, y: m.add_sos1([x, y])),
        "m has SOS constraints, which no linear row states",
    ),
    (lambda: milp_with(c=[[1, 2]]), "the argument c has 2 dimensions; expected one"),
    (lambda: milp_with(integrality=[1, 2]), "the column x[1] has integrality 2; expected 0 or 1"),
    (
        lambda: milp_with(constraints=([[1, 2, 3]], 1)),
        "a matrix of constraints has the shape (1, 3); expected 2 columns",
    ),
    (
        lambda: milp_with(c=["a"]),
        "model: the coefficient of x[0] in the objective is a; expected a number",
    ),
    *(
        (lambda add=add: cp_sat(add)[0], f"m has {name}, which is not taken; expected {CP_TAKEN}")
        for name, add in {
            "OnlyEnforceIf": lambda m, x, y, b, c: m.add(x == 1).only_enforce_if(b),
            "AddBoolXOr": lambda m, x, y, b, c: m.add_bool_xor(b, c),
            "AddElement": lambda m, x, y, b, c: m.add_element(x, [1, 2, 3], y),
            "AddCircuit": lambda m, x, y, b, c: m.add_circuit([(0, 1, b), (1, 0, c)]),
            "AddMultiplicationEquality": lambda m, x, y, b, c: m.add_multiplication_equality(x, [y, b]),
            "AddMaxEquality, AddMinEquality or AddAbsEquality": lambda m, x, y, b, c: m.add_max_equality(
                x, [y]
            ),
            "NewIntervalVar": lambda m, x, y, b, c: m.new_interval_var(x, 2, y, "i"),
            "AddAssumption": lambda m, x, y, b, c: m.add_assumption(b),
        }.items()
    ),
]


@pytest.mark.parametrize("build, message", REFUSED, ids=[message[:60] for _, message in REFUSED])
def test_what_no_linear_model_states_is_refused_by_name(build, message):
    given = build()
    with pytest.raises((milp_pips.UsageError, TypeError)) as refused:
        milp_pips.linear_model(given)
    assert str(refused.value) == message


def test_another_object_of_a_library_is_refused_by_the_tasks_as_well():
    with pytest.raises(
        TypeError, match=r"^x is no model; models of PuLP, .*; or write it as MPS and read that$"
    ):
        milp_pips.count(pulp.LpVariable("x"))
    with pytest.raises(TypeError) as refused:
        milp_pips.count(Fraction(1))
    assert str(refused.value) == (
        "count takes a puzzle, as milp_pips.read returns it, not Fraction(1, 1); "
        f"or {TAKEN}; or write it as MPS and read that"
    )


def test_no_library_is_imported_but_that_of_the_object():
    program = (
        "import sys, pulp, milp_pips; p = pulp.LpProblem(); x = pulp.LpVariable('x', 0, 1); p += x >= 0;"
        "before = set(sys.modules);"  # PuLP imports engines itself
        "milp_pips.linear_model(p);"
        "print(sorted({name.partition('.')[0] for name in set(sys.modules) - before}))"
    )
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program], capture_output=True, text=True, check=True
    )
    assert not set(re.findall(r"\w+", done.stdout)) & set(BUILDERS)
    assert "milp_pips" in done.stdout


def own(cost=1, factor=1, low=0, high=3):
    """Return a model of this package with one column and one row."""
    return Model([Column("x", low, high, True, cost)], [Row("r", {0: factor}, 1, None)])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            {"cost": 10**5000},
            "the coefficient of x in the objective is 1e+5000; expected a number below 1e+20,",
        ),
        (
            {"cost": Decimal("1e1000000")},
            "the coefficient of x in the objective is 1E+1000000; expected a number b",
        ),
        ({"cost": Decimal("1e-999999")}, "is 1E-999999; expected a number of fewer than 400 decimals"),
        ({"cost": Fraction(1, 10**400)}, "is 1e-400; expected a number of fewer than 400 decimals"),
        ({"cost": Decimal("sNaN")}, "is sNaN; expected a number"),
        ({"factor": float("nan")}, "the coefficient of x in the row r is nan; expected a number"),
        ({"low": float("inf")}, "the lower bound of the column x is inf, which no value keeps"),
    ],
)
def test_numbers_of_own_models_that_are_no_numbers_are_refused_by_name(given, message):
    with pytest.raises(milp_pips.UsageError, match=re.escape(message)):
        milp_pips.solve(own(**given))


def test_own_models_have_decimals_and_infinite_bounds_as_models_of_libraries_have():
    given = own(0.5, Decimal("0.1"), 0.0, float("inf"))
    assert milp_pips.solve(given).objective.value == 5
    assert milp_pips.convert(given, "lp") == own(Fraction(1, 2), Fraction(1, 10), 0, None).to_lp()
