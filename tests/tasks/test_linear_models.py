"""Linear models from PuLP, Pyomo, highspy and files: known counts, projections, optima, refusals."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from fractions import Fraction
from itertools import permutations, product
from random import Random

import highspy
import pulp
import pytest
from hypothesis import given
from hypothesis import strategies as st
from linear_models import near, random_model, solutions
from thoroughness import examples

import milp_pips
from milp_pips.cli import main
from milp_pips.engines.registry import solver
from milp_pips.formulations.exact import exact
from milp_pips.formulations.model import Column, Model, Row
from milp_pips.formulations.reading.objects.highspy import from_highspy
from milp_pips.formulations.reading.objects.pulp import from_pulp
from milp_pips.formulations.writing import to_highspy
from milp_pips.problem.errors import UsageError

pytestmark = [
    pytest.mark.filterwarnings("ignore:.*PuLP 4.0:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::milp_pips.formulations.reading.notes.ReadingNote"),
]
ENGINES = ("", "highs", "sat", "cp-sat", "diagram", "brute")


def queens(n):
    problem, every = pulp.LpProblem("queens"), range(n)
    x = pulp.LpVariable.dicts("x", (every, every), cat="Binary")
    for i in every:
        problem += pulp.lpSum(x[i][j] for j in every) == 1
        problem += pulp.lpSum(x[j][i] for j in every) == 1
    for d in range(1 - n, n):
        problem += pulp.lpSum(x[i][i - d] for i in every if 0 <= i - d < n) <= 1
        problem += pulp.lpSum(x[i][n - 1 - i + d] for i in every if 0 <= n - 1 - i + d < n) <= 1
    return problem


def latin(n):
    import pyomo.environ as pyo

    model = pyo.ConcreteModel("latin")
    model.n = pyo.RangeSet(n)
    model.x = pyo.Var(model.n, model.n, model.n, domain=pyo.Binary)
    model.cell = pyo.Constraint(model.n, model.n, rule=lambda m, i, j: sum(m.x[i, j, k] for k in m.n) == 1)
    model.row = pyo.Constraint(model.n, model.n, rule=lambda m, i, k: sum(m.x[i, j, k] for j in m.n) == 1)
    model.column = pyo.Constraint(model.n, model.n, rule=lambda m, j, k: sum(m.x[i, j, k] for i in m.n) == 1)
    return model


def tilings(rows, columns):
    highs = highspy.Highs()
    highs.setOptionValue("output_flag", False)
    cells = list(product(range(rows), range(columns)))
    edges = [(c, o) for c in cells for o in ((c[0] + 1, c[1]), (c[0], c[1] + 1)) if o in cells]
    x = {edge: highs.addBinary(name=f"e{number}") for number, edge in enumerate(edges)}
    for cell in cells:
        highs.addConstr(sum(v for edge, v in x.items() if cell in edge) == 1)
    return highs


def test_eight_queens_by_pulp():
    found = milp_pips.solutions(queens(8))
    boards = [frozenset(name for name, value in solution.items() if value) for solution in found]
    assert len(boards) == len(set(boards)) == 92
    assert found.summary.complete
    assert milp_pips.count(queens(6)).counts == {"assignment": 4}


def test_latin_squares_by_pyomo():
    assert milp_pips.count(latin(4)).counts == {"assignment": 576}
    found = milp_pips.solutions(latin(3), over="x[1,*]")
    rows = {tuple(solution.values()) for solution in found}
    assert len(rows) == 6  # first rows; each goes with two squares
    assert found.summary.complete
    names = set(next(iter(milp_pips.solutions(latin(3), over="x[1,*]"))))
    assert names == {f"x[1,{j},{k}]" for j in (1, 2, 3) for k in (1, 2, 3)}


def test_tilings_by_highspy():
    assert milp_pips.count(tilings(4, 4)).counts == {"assignment": 36}
    assert milp_pips.count(tilings(3, 3)).counts == {"assignment": 0}


def test_magic_squares_have_general_integers():
    problem, cells = pulp.LpProblem("magic"), list(product(range(3), range(3)))
    value = {c: pulp.LpVariable(f"v_{c[0]}_{c[1]}", 1, 9, cat="Integer") for c in cells}
    has = {(c, k): pulp.LpVariable(f"h_{c[0]}_{c[1]}_{k}", cat="Binary") for c in cells for k in range(1, 10)}
    for c in cells:
        problem += pulp.lpSum(has[c, k] for k in range(1, 10)) == 1
        problem += pulp.lpSum(k * has[c, k] for k in range(1, 10)) == value[c]
    for k in range(1, 10):
        problem += pulp.lpSum(has[c, k] for c in cells) == 1
    lines = [[(i, j) for j in range(3)] for i in range(3)] + [[(i, j) for i in range(3)] for j in range(3)]
    for line in [*lines, [(i, i) for i in range(3)], [(i, 2 - i) for i in range(3)]]:
        problem += pulp.lpSum(value[c] for c in line) == 15
    found = list(milp_pips.solutions(problem, over=[value[c] for c in cells]))
    assert len(found) == 8
    assert all(solution["v_1_1"] == 5 for solution in found)


def test_all_minimum_vertex_covers_of_a_cycle():
    problem = pulp.LpProblem("cover", pulp.LpMinimize)
    x = [pulp.LpVariable(f"x{i}", cat="Binary") for i in range(7)]
    problem += pulp.lpSum(x)
    for i in range(7):
        problem += x[i] + x[(i + 1) % 7] >= 1
    covers = milp_pips.solutions(problem, within=0)
    assert len({tuple(cover.values()) for cover in covers}) == 7
    assert (covers.summary.objective.value, covers.summary.complete) == (4, True)
    assert milp_pips.count(problem, within=1).counts == {"assignment": 21}


def test_all_optimal_tours_with_continuous_positions_projected_away():
    """Miller, Tucker and Zemlin 1960: the position of each city is continuous."""
    towns = range(5)
    far = {(i, j): abs(i - j) % 3 + 1 for i in towns for j in towns if i != j}
    problem = pulp.LpProblem("tour", pulp.LpMinimize)
    go = {pair: pulp.LpVariable(f"go_{pair[0]}_{pair[1]}", cat="Binary") for pair in far}
    at = [pulp.LpVariable(f"at_{i}", 0, 4) for i in towns]
    problem += pulp.lpSum(far[pair] * go[pair] for pair in far)
    for i in towns:
        problem += pulp.lpSum(go[i, j] for j in towns if j != i) == 1
        problem += pulp.lpSum(go[j, i] for j in towns if j != i) == 1
        for j in towns[1:]:
            if i and i != j:
                problem += at[i] - at[j] + 5 * go[i, j] <= 4
    tours = [(0, *rest, 0) for rest in permutations(towns[1:])]
    lengths = {t: sum(far[t[k], t[k + 1]] for k in range(5)) for t in tours}
    best = [t for t in tours if lengths[t] == min(lengths.values())]
    found = milp_pips.solutions(problem, over="go_*", within=0)
    given = {frozenset(name for name, value in solution.items() if value) for solution in found}
    assert given == {frozenset(f"go_{t[k]}_{t[k + 1]}" for k in range(5)) for t in best}
    assert found.summary.complete
    assert found.summary.confirmed_by.endswith("within its tolerance")


@pytest.mark.parametrize("within", [0, 1, 5])
def test_knapsacks_near_the_optimum_are_those_of_dynamic_programming(within):
    rng = Random(5)
    items = [(rng.randint(1, 9), rng.randint(1, 9)) for _ in range(10)]
    problem = pulp.LpProblem("knapsack", pulp.LpMaximize)
    x = [pulp.LpVariable(f"x{i}", cat="Binary") for i in range(10)]
    problem += pulp.lpSum(value * v for (_, value), v in zip(items, x, strict=True))
    problem += pulp.lpSum(weight * v for (weight, _), v in zip(items, x, strict=True)) <= 20
    number = {(0, 0): 1}  # (weight, value): in how many ways
    for weight, value in items:
        for (w, v), ways in list(number.items()):
            if w + weight <= 20:
                number[w + weight, v + value] = number.get((w + weight, v + value), 0) + ways
    best = max(v for _, v in number)
    expected = sum(ways for (_, v), ways in number.items() if v >= best - within)
    counted = milp_pips.count(problem, within=within)
    assert (counted.counts, counted.objective.value) == ({"assignment": expected}, best)


def as_written(folder):
    """Return one model as written by PuLP, Pyomo and HiGHS, and by hand."""
    p = pulp.LpProblem("w", pulp.LpMaximize)
    x, y = pulp.LpVariable("x", -1, 3, cat="Integer"), pulp.LpVariable("y", 0, 2, cat="Integer")
    z = pulp.LpVariable("z", cat="Binary")
    p += 2 * x + 3 * y - z
    for row in (x + y + z <= 4, x - y <= 2, x - y >= 1):
        p += row
    p.writeMPS(str(folder / "pulp.mps"))
    p.writeLP(str(folder / "pulp.lp"))
    import pyomo.environ as pyo

    m = pyo.ConcreteModel("w")
    m.x, m.y = pyo.Var(domain=pyo.Integers, bounds=(-1, 3)), pyo.Var(domain=pyo.Integers, bounds=(0, 2))
    m.z = pyo.Var(domain=pyo.Binary)
    m.aim = pyo.Objective(expr=2 * m.x + 3 * m.y - m.z, sense=pyo.maximize)
    m.cap, m.near = pyo.Constraint(expr=m.x + m.y + m.z <= 4), pyo.Constraint(expr=(1, m.x - m.y, 2))
    m.write(str(folder / "pyomo.mps"))
    m.write(str(folder / "pyomo.lp"))
    highs = to_highspy(from_pulp(p))
    highs.writeModel(str(folder / "highs.mps"))
    highs.writeModel(str(folder / "highs.lp"))
    (folder / "hand.mps").write_text(BY_HAND)
    return p, m, highs


BY_HAND = """\
* negative bounds, a range, a free row, integer markers
NAME          HAND
OBJSENSE
    MAX
ROWS
 N  COST
 N  SPARE
 L  CAP
 G  DIFF
COLUMNS
    MARKER                 'MARKER'                 'INTORG'
    X         COST             2.0   CAP              1.0
    X         DIFF             1.0   SPARE            7.0
    Y         COST             3.0   CAP              1.0
    Y         DIFF            -1.0
    Z         COST            -1.0   CAP              1.0
    MARKER                 'MARKER'                 'INTEND'
RHS
    RHS       CAP              4.0   DIFF             1.0
RANGES
    RNG       DIFF             1.0
BOUNDS
 LI BND       X               -1.0
 UI BND       X                3.0
 UI BND       Y                2.0
 BV BND       Z
ENDATA
"""


def test_files_of_several_writers_state_the_same_model(tmp_path):
    models = [*as_written(tmp_path), *(milp_pips.read(path) for path in sorted(tmp_path.glob("*.*p*")))]
    assert len(models) == 10
    for model in models:
        result = milp_pips.solve(model)
        assert (result.objective.value, result.objective.is_optimal) == (9, True), model
        assert milp_pips.count(model).counts == {"assignment": 7}, model


WRITE_BY_SCIP = """
import sys, pyscipopt
scip = pyscipopt.Model()
scip.hideOutput()
scip.readProblem(sys.argv[1])
scip.writeProblem(sys.argv[2], verbose=False)
"""


def test_a_file_of_scip(tmp_path):
    """SCIP writes it in a process of its own: OR-Tools, which may be loaded here, contains another SCIP."""
    pytest.importorskip("pyscipopt")
    hand, written = tmp_path / "hand.mps", tmp_path / "scip.mps"
    hand.write_text(BY_HAND)
    subprocess.run([sys.executable, "-c", WRITE_BY_SCIP, str(hand), str(written)], check=True, timeout=60)
    assert milp_pips.count(milp_pips.read(written)).counts == {"assignment": 7}


@given(st.integers(0, 10**6), st.sampled_from(ENGINES))
@examples(12)
def test_random_integer_models(seed, engine):
    rng = Random(seed)
    model = random_model(rng)
    over = tuple(sorted(rng.sample(range(len(model.columns)), rng.randint(1, len(model.columns)))))
    names = [model.columns[j].name for j in over]
    expected = solutions(model, over)
    found = milp_pips.solutions(model, engine, over=names)
    assert sorted(tuple(solution.values()) for solution in found) == sorted(expected)
    assert found.summary.complete
    if expected and model.has_objective:
        within = rng.choice((0, 1, 3))
        close = {
            tuple(solution.values()) for solution in milp_pips.solutions(model, over=names, within=within)
        }
        assert close == near(expected, model.sense, within)


@given(st.integers(0, 10**6))
@examples(8)
def test_random_mixed_models(seed):
    rng = Random(seed)
    model = random_model(rng, mixed=True)
    whole = [j for j, column in enumerate(model.columns) if column.integer]
    over = tuple(sorted(rng.sample(whole, rng.randint(1, len(whole)))))
    names = [model.columns[j].name for j in over]
    expected = solutions(model, over)
    found = milp_pips.solutions(model, over=names)
    given_ = [tuple(solution.values()) for solution in found]
    assert sorted(given_) == sorted(expected)
    assert found.summary.complete
    for solution in found:
        assert model.violated(solution.values_by_position, Fraction(1, 10**6)) is None
    result = milp_pips.solve(model)
    assert result.status == ("solved" if expected else "infeasible")
    if expected and model.has_objective:
        values = solutions(model).values()
        best = max(values) if model.sense == "maximise" else min(values)
        assert result.objective.value == pytest.approx(float(best))
        close = {tuple(solution.values()) for solution in milp_pips.solutions(model, over=names, within=1)}
        assert close == near(expected, model.sense, Fraction(1))


def test_coefficients_are_the_decimals_that_were_written():
    """0.1 + 0.2 is 0.3, which it is not in binary fractions."""
    x, y = (
        Column("x", Fraction(0), Fraction(1), True),
        Column("y", Fraction(0), Fraction(1), True),
    )
    row = Row("sum", {0: exact(0.1), 1: exact(0.2)}, exact(0.3), exact(0.3))
    assert [dict(s) for s in milp_pips.solutions(Model((x, y), (row,)))] == [{"x": 1, "y": 1}]
    assert from_highspy(to_highspy(Model((x, y), (row,)))).rows[0].terms == row.terms


@pytest.mark.filterwarnings("ignore:.*as probably written")
def test_what_a_library_has_computed_is_rounded_to_what_was_written(tmp_path):
    """PuLP subtracts constants, and HiGHS the ranges of rows, in floating point."""
    problem = pulp.LpProblem("computed")
    x = pulp.LpVariable("x", 0, 9, cat="Integer")
    problem += 0.1 * x + 0.1 <= 0.3
    assert milp_pips.count(problem).counts == {"assignment": 3}
    path = tmp_path / "range.mps"
    path.write_text(
        "NAME r\nROWS\n N c\n L row\nCOLUMNS\n M 'MARKER' 'INTORG'\n x row 0.1\n M 'MARKER' 'INTEND'\n"
        "RHS\n RHS row 2.1\nRANGES\n RNG row 2\nBOUNDS\n UP BND x 30\nENDATA\n"
    )
    assert milp_pips.count(milp_pips.read(path)).counts == {"assignment": 21}  # 1 to 21
    assert [exact(number) for number in (0.1 + 0.2, 1 / 3, 1e-7, 1e22, -2.5)] == [
        Fraction(3, 10),
        Fraction("0.3333333333333333"),
        Fraction(1, 10**7),
        10**22,
        Fraction(-5, 2),
    ]


def test_reductions_that_keep_an_optimum_lose_no_solution():
    """Columns with equal costs and symmetric ones: dual reductions and symmetry would drop solutions."""
    problem = pulp.LpProblem("same", pulp.LpMaximize)
    x = [pulp.LpVariable(f"x{i}", cat="Binary") for i in range(6)]
    slack = pulp.LpVariable("slack", 0)
    problem += pulp.lpSum(x)
    problem += pulp.lpSum(x) + slack == 3
    assert len(list(milp_pips.solutions(problem, within=0))) == 20
    assert len(list(milp_pips.solutions(problem))) == 42
    for engine in ("highs", "scip", "cbc", "cp-sat"):
        whole = pulp.LpProblem("same", pulp.LpMaximize)
        whole += pulp.lpSum(x)
        whole += pulp.lpSum(x) <= 3
        assert len(list(milp_pips.solutions(whole, engine, within=0))) == 20, engine


def symmetric():
    """Return a model in which most columns can be exchanged, and one has no reason to be anything but 0."""
    bits = [Column(f"x{j}", Fraction(0), Fraction(1), True, Fraction(1)) for j in range(6)]
    idle = Column("idle", Fraction(0), Fraction(2), True)
    few = Row("few", dict.fromkeys(range(6), Fraction(1)), None, Fraction(3))
    follows = Row("follows", {6: Fraction(1), 0: Fraction(-2)}, None, Fraction(0))
    return Model((*bits, idle), (few, follows), "maximise")


NATIVE = ("scip", "cp-sat", "sat", "clingo", "minizinc", "cpmpy", "cdcl", "brute")


@pytest.mark.parametrize(
    ("engine", "method"),
    [(name, "native") for name in NATIVE]
    + [(name, method) for name in ("highs", "scip", "pyomo") for method in ("cuts", "partition")]
    + [pytest.param("cbc", method, marks=pytest.mark.long) for method in ("cuts", "partition")],
)
def test_no_engine_loses_symmetric_or_dominated_solutions(engine, method):
    """26 solutions without x0, and 16 with it, three times; 4 of 6 columns at most are 1."""
    if reason := solver(engine).unavailable():
        pytest.skip(reason)
    found = milp_pips.solutions(symmetric(), engine, method=method)
    listed = [tuple(solution.values()) for solution in found]
    assert len(listed) == len(set(listed)) == 26 + 3 * 16
    assert found.summary.complete


def test_scip_counts_only_where_each_point_is_a_solution():
    if reason := solver("scip").unavailable():
        pytest.skip(reason)
    assert milp_pips.count(symmetric(), solver="scip").counts == {"assignment": 74}
    with pytest.raises(UsageError, match="SCIP counts points, of which several may be one assignment"):
        milp_pips.count(symmetric(), solver="scip", over="x*")


SCIP_PARAMETERS = """
import pyscipopt
from milp_pips.engines.scip import collect_points
scip = pyscipopt.Model()
names = "presolving/maxrounds", "misc/allowstrongdualreds", "misc/allowweakdualreds", "misc/usesymmetry"
before = [scip.getParam(name) for name in names]
collect_points(scip, [scip.addVar(vtype="B")], 1, lambda _: True)
print(all(before), [scip.getParam(name) for name in names])
"""


def test_scip_collects_without_reductions_that_lose_solutions():
    pytest.importorskip("pyscipopt")  # in a process of its own: OR-Tools contains another SCIP
    run = subprocess.run([sys.executable, "-c", SCIP_PARAMETERS], capture_output=True, text=True, check=True)
    assert run.stdout == "True [0, False, False, 0]\n"


def test_a_share_of_the_optimum():
    problem = pulp.LpProblem("share", pulp.LpMaximize)
    x = pulp.LpVariable("x", 0, 10, cat="Integer")
    problem += 2.5 * x
    found = milp_pips.solutions(problem, within_relative=0.2)
    assert sorted(solution["x"] for solution in found) == [8, 9, 10]
    assert found.summary.objective.value == 25
    assert [found.value(solution) for solution in milp_pips.solutions(problem, within=0)] == [25]
    with pytest.raises(ValueError, match="within_relative must be a number from 0 on"):
        milp_pips.solutions(problem, within_relative=-1)


def test_a_model_of_a_library_as_data():
    model = milp_pips.linear_model(queens(4))
    assert str(model) == "queens: 16 integer and 0 continuous columns, 22 rows"
    assert milp_pips.linear_model(model) is model
    assert milp_pips.linear_model(to_highspy(model)).columns == model.columns
    with pytest.raises(
        TypeError, match=r"takes models of PuLP, Pyomo, .*, not 3; write it as MPS and read that"
    ):
        milp_pips.linear_model(3)


def test_what_cannot_be_stated_is_refused_by_name():
    x, y = pulp.LpVariable("x", 0, 1), pulp.LpVariable("x", 0, 1)
    same = pulp.LpProblem("same")
    same += x + y >= 1
    with pytest.raises(UsageError, match="same has two columns with the name 'x'"):
        milp_pips.solve(same)
    sets = pulp.LpProblem("sets")
    sets += x >= 0
    sets.sos1["one"] = {x: 1}
    with pytest.raises(UsageError, match="sets has SOS constraints"):
        milp_pips.solve(sets)
    import pyomo.environ as pyo

    model = pyo.ConcreteModel("m")
    model.x = pyo.Var(bounds=(0, 1))
    model.square = pyo.Constraint(expr=model.x * model.x <= 1)
    with pytest.raises(UsageError, match="the constraint square is not linear"):
        milp_pips.solve(model)
    model.square.deactivate()
    model.more = pyo.Var(pyo.RangeSet(2), bounds=(0, 1))
    model.pair = pyo.SOSConstraint(var=model.more, sos=1)
    with pytest.raises(UsageError, match="m has SOSConstraint components"):
        milp_pips.solve(model)


def test_columns_without_end_are_refused_where_they_are_listed():
    problem = pulp.LpProblem("open", pulp.LpMaximize)
    x, y = pulp.LpVariable("x", 0, cat="Integer"), pulp.LpVariable("y", 0, 3, cat="Integer")
    problem += y - x
    problem += y - x <= 2
    assert {solution["y"] for solution in milp_pips.solutions(problem, over="y", within=0)} == {2, 3}
    with pytest.raises(UsageError, match="x has no bounds: there may be no end of its values"):
        milp_pips.solutions(problem, over="x")
    with pytest.raises(UsageError, match="open has no column 'z'"):
        milp_pips.solutions(problem, over=["y", "z"])
    with pytest.raises(
        UsageError, match="open: x has no bounds; sat does not take it, these do: highs, pyomo, scip"
    ):
        milp_pips.solve(problem, "sat")
    endless = pulp.LpProblem("endless", pulp.LpMaximize)
    endless += x
    with pytest.raises(UsageError, match="endless: the objective is unbounded"):
        milp_pips.solve(endless)
    with pytest.raises(UsageError, match="over is for linear models"):
        milp_pips.solutions(milp_pips.read("examples/pips/easy.txt"), over="x")


REFUSED = {
    "sos": ("Minimize\n obj: x\nSubject To\n c: x >= 1\nSOS\n s: S1:: x:1\nEnd\n", "5: 'sos' states more"),
    "indicator": (
        "Minimize\n obj: x\nSubject To\n c: x >= 1\n i: y = 1 -> x <= 2\nBinary\n y\nEnd\n",
        "5: -> states more than a linear model",
    ),
    "semi": (
        "Minimize\n obj: x\nSubject To\n c: x >= 1\nBounds\n x <= 4\nSemi-Continuous\n x\nEnd\n",
        "7: 'semi-continuous' states more than a linear model; expected columns, linear rows, an objective",
    ),
    "quadratic": (
        "Minimize\n obj: x + [ x^2 ] / 2\nSubject To\n c: x >= 1\nEnd\n",
        "2: [ is part of a quadratic expression, more than a linear model",
    ),
    "twice": (
        "NAME d\nROWS\n N c\n L r\nCOLUMNS\n x c 1\n x r 1\n y r 1\n x r 2\nRHS\n RHS r 4\nENDATA\n",
        "9: a second column 'x'; expected the entries of a column together, and a name of its own",
    ),
    "nan": (
        "NAME d\nROWS\n N c\n L r\nCOLUMNS\n x c nan\n x r 1\nRHS\n RHS r 4\nENDATA\n",
        "6: 'nan' is not a number",
    ),
    "broken": ("NAME d\nROWS\n N c\n@@@\n", "4: unknown section '@@@'"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_faulty_files(name, tmp_path, capsys):
    text, message = REFUSED[name]
    path = tmp_path / ("model.mps" if text.startswith("NAME") else "model.lp")
    path.write_text(text)
    assert main(["solve", str(path)]) == 2
    err = capsys.readouterr().err
    assert message in err
    assert str(path) in err
    assert err.count("\n") == 1


def test_the_command_line(tmp_path, capsys):
    as_written(tmp_path)
    path = tmp_path / "hand.mps"
    packed = tmp_path / "packed.mps.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert main(["solve", str(packed), "--solver", "highs", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["puzzle"] == "packed"
    assert record["values"].keys() == {"X", "Y", "Z"}
    assert (record["objective"]["value"], record["proof"]) == (9, "optimal")
    assert main(["enumerate", str(path), "--over", "X", "--over", "Y", "--within", "1", "--json"]) == 0
    *found, last = map(json.loads, capsys.readouterr().out.splitlines())
    assert all(line["values"].keys() == {"X", "Y"} for line in found)
    assert (last["summary"]["complete"], last["summary"]["objective"]["value"]) == (True, 9)
    out = tmp_path / "all.jsonl"
    assert main(["enumerate", str(path), "--out", str(out), "--quiet"]) == 0
    assert len(out.read_text().splitlines()) == 7
    capsys.readouterr()
    assert main(["count", str(path), "--within-relative", "0.2"]) == 0
    assert "the objective is 9, the greatest value" in capsys.readouterr().out
    (tmp_path / "none.lp").write_text("Minimize\n o: x\nSubject To\n c: x >= 2\nBinary\n x\nEnd\n")
    assert main(["solve", str(tmp_path / "none.lp")]) == 1
    assert "no solution" in capsys.readouterr().out
    (tmp_path / "endless.lp").write_text("Maximize\n o: x\nSubject To\n c: x >= 2\nEnd\n")
    assert main(["solve", str(tmp_path / "endless.lp")]) == 2
    assert "the objective is unbounded" in capsys.readouterr().err


def test_a_certificate_of_a_model(tmp_path, capsys):
    (tmp_path / "hand.mps").write_text(BY_HAND)
    assert main(["prove", str(tmp_path / "hand.mps"), "--out", str(tmp_path / "proof")]) == 0
    assert main(["verify", str(tmp_path / "proof")]) == 0
    assert "exactly 7 solutions by assignment" in capsys.readouterr().out


def test_an_error_of_presolve_is_no_end():
    """HiGHS 1.13 ends with "solve error" on this infeasible model, but not without presolve."""
    bounds = ((-2, -1), (0, 1), (0, 2), (-2, -1), (0, 3))
    columns = [Column(f"x{j}", Fraction(a), Fraction(b), True) for j, (a, b) in enumerate(bounds)]
    factors = {3: Fraction(1, 10), 2: Fraction(1), 4: Fraction(-1), 0: Fraction(2), 1: Fraction(2)}
    row = Row("row", factors, Fraction(11, 10), Fraction(11, 10))
    model = Model((*columns, Column("flow", None, Fraction(3))), (row,))
    found = milp_pips.solutions(model)
    assert (list(found), found.summary.complete) == ([], True)
    assert milp_pips.solve(model).status == "infeasible"
