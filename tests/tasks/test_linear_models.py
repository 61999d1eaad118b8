"""Linear models from PuLP, Pyomo, highspy and files: known counts, projections, optima, refusals."""

from __future__ import annotations

import gzip
import json
from fractions import Fraction
from itertools import permutations
from random import Random

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
from milp_pips.formulations.model import Model
from milp_pips.formulations.reading.objects.highspy import from_highspy
from milp_pips.formulations.reading.objects.pulp import from_pulp
from milp_pips.formulations.rows import Column, Row
from milp_pips.formulations.writing import to_highspy
from milp_pips.problem.errors import UsageError

pytestmark = [
    pytest.mark.filterwarnings("ignore:.*PuLP 4.0:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::milp_pips.formulations.reading.lines.ReadingNote"),
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


def test_six_queens_by_pulp():
    found = milp_pips.solutions(queens(6))
    boards = [frozenset(name for name, value in solution.items() if value) for solution in found]
    assert len(boards) == len(set(boards)) == 4
    assert found.summary.complete


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
    assert found.method == "tree"
    assert found.summary.confirmed_by.startswith("its certificate")


@pytest.mark.parametrize("within", [0, 5])
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


@given(st.integers(0, 10**6), st.sampled_from(ENGINES))
@examples(8)
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
@examples(5)
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


def test_reductions_that_keep_an_optimum_lose_no_solution():
    """Columns with equal costs and symmetric ones: dual reductions and symmetry would drop solutions."""
    problem = pulp.LpProblem("same", pulp.LpMaximize)
    x = [pulp.LpVariable(f"x{i}", cat="Binary") for i in range(5)]
    slack = pulp.LpVariable("slack", 0)
    problem += pulp.lpSum(x)
    problem += pulp.lpSum(x) + slack == 3
    assert len(list(milp_pips.solutions(problem, within=0))) == 10
    assert len(list(milp_pips.solutions(problem))) == 26


def symmetric():
    """Return a model in which most columns can be exchanged, and one has no reason to be anything but 0."""
    bits = [Column(f"x{j}", Fraction(0), Fraction(1), True, Fraction(1)) for j in range(5)]
    idle = Column("idle", Fraction(0), Fraction(2), True)
    few = Row("few", dict.fromkeys(range(5), Fraction(1)), None, Fraction(2))
    follows = Row("follows", {5: Fraction(1), 0: Fraction(-2)}, None, Fraction(0))
    return Model((*bits, idle), (few, follows), "maximise")


NATIVE = ("scip", "cp-sat", "sat", "clingo", "minizinc", "cpmpy", "cdcl", "brute")


@pytest.mark.parametrize(
    ("engine", "method"),
    [(name, "native") for name in NATIVE]
    + [(name, method) for name in ("highs", "scip", "pyomo") for method in ("cuts", "partition")]
    + [pytest.param("cbc", method, marks=pytest.mark.long) for method in ("cuts", "partition")],
)
def test_no_engine_loses_symmetric_or_dominated_solutions(engine, method):
    """11 solutions without x0, and 5 with it, three times; 2 of 5 columns at most are 1."""
    if reason := solver(engine).unavailable():
        pytest.skip(reason)
    found = milp_pips.solutions(symmetric(), engine, method=method)
    listed = [tuple(solution.values()) for solution in found]
    assert len(listed) == len(set(listed)) == 11 + 3 * 5
    assert found.summary.complete


def test_scip_counts_only_where_each_point_is_a_solution():
    if reason := solver("scip").unavailable():
        pytest.skip(reason)
    assert milp_pips.count(symmetric(), solver="scip").counts == {"assignment": 26}
    with pytest.raises(UsageError, match="SCIP counts points, of which several may be one assignment"):
        milp_pips.count(symmetric(), solver="scip", over="x*")


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
    read = milp_pips.read("examples/any_model/staff.lp")
    assert milp_pips.linear_model(read) is read.model
    assert milp_pips.linear_model(to_highspy(model)).columns == model.columns
    with pytest.raises(
        TypeError, match=r"takes models of PuLP, Pyomo, .*, not 3; write it as MPS and read that"
    ):
        milp_pips.linear_model(3)


def test_an_integer_column_may_have_more_values_than_a_machine_word_counts():
    columns = (Column("x", 0, 10**19, True, 1), Column("y", 0, 5, True, 1))
    model = Model(columns, (Row("need", {0: 1, 1: 1}, 3), Row("most", {0: 1, 1: -2}, None, 4)), name="wide")
    assert len(list(milp_pips.solutions(model))) == 54
    assert milp_pips.count(model).counts == {"assignment": 54}


def test_columns_without_end_are_refused_where_they_are_listed():
    problem = pulp.LpProblem("open", pulp.LpMaximize)
    x, y = pulp.LpVariable("x", 0, cat="Integer"), pulp.LpVariable("y", 0, 3, cat="Integer")
    problem += y - x
    problem += y - x <= 2
    assert {solution["y"] for solution in milp_pips.solutions(problem, over="y", within=0)} == {2, 3}
    with pytest.raises(UsageError, match="x has no upper bound: there may be no end of its values"):
        milp_pips.solutions(problem, over="x")
    with pytest.raises(UsageError, match="open has no column 'z'"):
        milp_pips.solutions(problem, over=["y", "z"])
    with pytest.raises(
        UsageError,
        match="x has no upper bound; sat does not take it, these do: highs, cbc, pulp, pyomo",
    ):
        milp_pips.solve(problem, "sat")
    endless = pulp.LpProblem("endless", pulp.LpMaximize)
    endless += x
    with pytest.raises(UsageError, match="endless: the objective is unbounded"):
        milp_pips.solve(endless)
    with pytest.raises(UsageError, match="over is for linear models"):
        milp_pips.solutions(milp_pips.read("examples/pips/easy.txt"), over="x")


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
