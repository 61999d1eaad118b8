"""Models with continuous columns on several engines: lists, files, resume, cuts, witnesses, limits."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import combinations, product

import pulp
import pytest
from thoroughness import mostly_long

import milp_pips
from milp_pips.cli import main
from milp_pips.engines.defaults import MODEL_SOLVERS
from milp_pips.engines.registry import solver
from milp_pips.formulations.model import Model
from milp_pips.formulations.rows import Column, Row
from milp_pips.formulations.writing_files import to_mps
from milp_pips.problem.errors import InputError, UsageError
from milp_pips.problem.stopping import Deadline, SubDeadline

pytestmark = pytest.mark.filterwarnings("ignore:.*PuLP 4.0:DeprecationWarning")
ENGINES = [name for name in MODEL_SOLVERS if not solver(name).unavailable()]


def lots(periods=4):
    """Return lot sizes with continuous amounts: solutions differ in when the machine is set up."""
    demand = [Fraction(3 + 7 * t % 5) for t in range(periods)]
    columns = [
        *(Column(f"open_{t}", Fraction(0), Fraction(1), True, Fraction(10)) for t in range(periods)),
        *(Column(f"make_{t}", Fraction(0), Fraction(12), cost=Fraction(t, 2)) for t in range(periods)),
        *(Column(f"stock_{t}", Fraction(0), Fraction(9)) for t in range(periods)),
    ]
    rows = []
    for t in range(periods):
        make, stock = periods + t, 2 * periods + t
        before = {stock - 1: Fraction(1)} if t else {}
        terms = {**before, make: Fraction(1), stock: Fraction(-1)}
        rows.append(Row(f"flow_{t}", terms, demand[t], demand[t]))
        rows.append(Row(f"ready_{t}", {make: Fraction(1), t: Fraction(-12)}, None, Fraction(0)))
    return Model(tuple(columns), tuple(rows), name="lots")


LOTS = lots()


def one_machine(big_m):
    """Return a schedule of four jobs on a machine, where a large number switches off one row of each two."""
    hours, plan = (3, 5, 2, 4), pulp.LpProblem("one_machine")
    start = [plan.add_variable(f"start_{i}", 0, sum(hours) - h) for i, h in enumerate(hours)]
    plan += pulp.lpSum(start)
    for i, j in combinations(range(4), 2):
        first = plan.add_variable(f"first_{i}_{j}", cat="Binary")
        plan += start[i] + hours[i] <= start[j] + big_m * (1 - first)
        plan += start[j] + hours[j] <= start[i] + big_m * first
    return plan


@pytest.mark.parametrize(
    ("name", "big_m"),
    mostly_long(2, [*product(ENGINES[:1], (10**9, 10**7, 10**6, 14)), *product(ENGINES[1:], (10**7,))]),
)
def test_a_row_is_not_missed_by_a_millionth_of_a_big_m(name, big_m):
    found = milp_pips.solve(one_machine(big_m), name)
    assert found.objective.value == pytest.approx(2 + 5 + 9)  # the shortest job first


def keys(found):
    return [tuple(solution.values()) for solution in found]


@cache
def every():
    return set(keys(milp_pips.solutions(LOTS)))


@pytest.mark.parametrize("engine", ENGINES)
def test_each_engine_lists_the_same_by_partition(engine):
    found = milp_pips.solutions(LOTS, engine)
    listed = keys(found)
    assert len(listed) == len(set(listed)) == len(every()) > 3
    assert set(listed) == every()
    assert found.summary.complete
    assert (found.summary.solver, found.summary.method) == (engine, "partition")
    best = milp_pips.solve(LOTS, engine)
    assert (best.solver, best.objective.is_optimal) == (engine, True)
    assert best.objective.value == milp_pips.solve(LOTS).objective.value


def test_columns_that_were_not_chosen_have_the_values_with_the_best_objective():
    for solution in milp_pips.solutions(LOTS):
        fixed = [
            Column(c.name, Fraction(solution[c.name]), Fraction(solution[c.name]), True, c.cost)
            if c.integer
            else c
            for c in LOTS.columns
        ]
        alone = milp_pips.solve(Model(tuple(fixed), LOTS.rows, LOTS.sense))
        assert solution.objective == pytest.approx(alone.objective.value)
        assert LOTS.violated(solution.values_by_position) is None


@pytest.mark.long
def test_a_file_is_resumed_by_several_processes(tmp_path):
    path = str(tmp_path / "all.jsonl")
    first = milp_pips.solutions(LOTS, method="partition", out=path, limit=3)
    assert len(list(first)) == 3
    assert not first.summary.complete
    rest = milp_pips.solutions(LOTS, method="partition", out=path, jobs=2)
    assert len(list(rest)) == len(every()) - 3
    assert rest.summary.complete
    lines = [json.loads(line) for line in (tmp_path / "all.jsonl").read_text().splitlines()]
    assert {tuple(line["values"].values()) for line in lines} == every()
    assert all(line["objective"] > 0 for line in lines)
    assert list(milp_pips.solutions(LOTS, method="partition", out=path)) == []  # complete already
    for other, what in (({"within": 0, "method": "partition"}, "problem"), ({}, "method was 'partition'")):
        with pytest.raises(UsageError, match=f"belongs to another enumeration: {what}"):
            milp_pips.solutions(LOTS, out=path, **other)


@pytest.mark.parametrize(
    ("method", "fault"),
    [
        ("auto", r"all.jsonl:1: not a solution that this list has"),
        ("partition", "does not fit its state: highs by partition lacks 1 solutions"),
    ],
)
def test_a_file_with_another_line_is_refused(method, fault, tmp_path):
    path = tmp_path / "all.jsonl"
    list(milp_pips.solutions(LOTS, method=method, out=str(path), limit=3))
    whole = path.read_text()
    line, *others = whole.splitlines(keepends=True)
    path.write_text(line.replace('"open_0": 1', '"open_0": 7') + "".join(others))
    with pytest.raises(InputError, match=r"1: no solution of lots: the bounds of open_0 are missed"):
        list(milp_pips.solutions(LOTS, method=method, out=str(path)))
    path.write_text(line + line + "".join(others[1:]))
    with pytest.raises(InputError, match=r"all.jsonl:2: a solution for the second time"):
        list(milp_pips.solutions(LOTS, method=method, out=str(path)))
    path.write_text('{"values": {"open_0": 1, "open_1": 0, "open_2": 0, "open_3": 0}}\n' + "".join(others))
    with pytest.raises(InputError, match=fault):
        list(milp_pips.solutions(LOTS, method=method, out=str(path)))


def test_a_list_that_a_limit_ends_is_a_lower_bound_of_the_count():
    deadline = SubDeadline(Deadline(), 60)
    deadline.end()
    counted = milp_pips.count(LOTS, deadline=deadline)
    assert (counted.complete, counted.counts, counted.at_least) == (
        False,
        {"assignment": None},
        {"assignment": 0},
    )


def test_what_does_not_go_is_refused_by_name():
    general = Model((Column("n", Fraction(0), Fraction(3), True), Column("x")), (), name="m")
    assert milp_pips.count(general).counts == {"assignment": 4}
    for method in ("native", "cuts", "diagram", "cubes"):
        with pytest.raises(
            UsageError, match=f"m: x is continuous; its methods are partition and tree, not {method}"
        ):
            milp_pips.solutions(general, method=method)
    with pytest.raises(UsageError, match="m: x is continuous; omit board"):
        milp_pips.solutions(general, board={"n": 1})
    wide = replace(general, columns=(replace(general.columns[0], cost=1), general.columns[1]))
    assert [found["n"] for found in milp_pips.solutions(wide, best=3)] == [0, 1, 2]
    with pytest.raises(UsageError, match="on a live LP of HiGHS: omit solver"):
        milp_pips.solutions(wide, "highs", best=3)
    only = Model((Column("x"),), (), name="m")
    with pytest.raises(UsageError, match="m has no integer column"):
        milp_pips.solutions(only)
    endless = Model((Column("n", Fraction(0), None, True), Column("b", Fraction(0), Fraction(1), True)), ())
    with pytest.raises(UsageError, match=r"n has no upper bound: .* choose others by over"):
        milp_pips.solutions(endless)
    assert milp_pips.count(endless, over="b").counts == {"assignment": 2}


def least_distances(listed):
    """Return the least distance of each solution to those before it."""
    return [min(apart(one, other) for other in listed[:i]) for i, one in enumerate(listed) if i]


def apart(one, other):
    return sum(a != b for a, b in zip(one, other, strict=True))


def require_diverse(listed, every, k, summary):
    """Assert what is guaranteed of a list of k diverse solutions out of all."""
    assert len(listed) == len(set(listed)) == min(k, len(every))
    assert set(listed) <= every
    assert summary.complete
    distances = least_distances(listed)
    assert tuple(distances) == summary.distances
    for i, distance in enumerate(distances, 1):
        assert distance == max(min(apart(one, other) for other in listed[:i]) for one in every)
    if len(listed) == k and len(every) < 30:
        best = max(min(apart(a, b) for a, b in combinations(some, 2)) for some in combinations(every, k))
        assert 2 * distances[-1] >= best


def test_diverse_solutions_of_a_mixed_model():
    found = milp_pips.solutions(LOTS, diverse=3)
    require_diverse(keys(found), every(), 3, found.summary)
    general = Model((Column("n", Fraction(0), Fraction(3), True), Column("x")), ())
    with pytest.raises(UsageError, match="diverse solutions need binary columns, and n is not binary"):
        milp_pips.solutions(general, diverse=3)


def test_the_best_plans_with_their_best_amounts():
    ranked = sorted(found.objective for found in milp_pips.solutions(LOTS))
    best = milp_pips.solutions(LOTS, best=4)
    assert [found.objective for found in best] == ranked[:4]
    assert best.summary.complete
    few = replace(LOTS, columns=(*LOTS.columns[:3], replace(LOTS.columns[3], high=0), *LOTS.columns[4:]))
    every = milp_pips.solutions(few, best=1000)
    assert len(list(every)) == milp_pips.count(few).counts["assignment"]
    assert every.summary.complete


def test_diverse_solutions_near_the_optimum_and_of_a_puzzle():
    bits = [Column(f"b{j}", Fraction(0), Fraction(1), True, Fraction(1)) for j in range(6)]
    row = Row("three", dict.fromkeys(range(6), Fraction(1)), Fraction(3), None)
    model = Model((*bits,), (row,))
    found = milp_pips.solutions(model, diverse=4, within=0)
    optimal = {values for values in product((0, 1), repeat=6) if sum(values) == 3}
    require_diverse(keys(found), optimal, 4, found.summary)
    assert (found.summary.objective.value, found.summary.distances[0]) == (3, 6)
    mixed = Model((*bits, Column("free")), (row,))
    near = milp_pips.solutions(mixed, diverse=3, within=0)
    require_diverse(keys(near), optimal, 3, near.summary)
    puzzle = milp_pips.read("examples/pips/several.txt")
    every = {tuple(solution.values.values()) for solution in milp_pips.solutions(puzzle, distinct="grid")}
    some = milp_pips.solutions(puzzle, diverse=3, distinct="grid")
    require_diverse([tuple(solution.values.values()) for solution in some], every, 3, some.summary)
    with pytest.raises(UsageError, match="the diverse solutions are listed one after another: omit limit"):
        milp_pips.solutions(puzzle, diverse=3, limit=2)


def test_variables_are_chosen_by_whole_collections():
    import pyomo.environ as pyo

    model = pyo.ConcreteModel("chosen")
    model.a, model.b = pyo.Var([1, 2], domain=pyo.Binary), pyo.Var(domain=pyo.Binary)
    model.row = pyo.Constraint(expr=model.a[1] + model.a[2] + model.b <= 2)
    x = pulp.LpVariable.dicts("x", ([1, 2], [3, 4]), cat="Binary")
    problem = pulp.LpProblem("p")
    problem += pulp.lpSum(x[i][j] for i in x for j in x[i]) <= 3
    for model_, over, names in (
        (model, model.a, {"a[1]", "a[2]"}),
        (model, [model.b, model.a[1]], {"b", "a[1]"}),
        (model, model.b, {"b"}),
        (problem, x[1], {"x_1_3", "x_1_4"}),
        (problem, {"some": x[2], "one": "x_1_3"}, {"x_2_3", "x_2_4", "x_1_3"}),
    ):
        found = list(milp_pips.solutions(model_, over=over))
        assert len(found) == 2 ** len(names)
        assert set(found[0]) == names


def test_a_mixed_model_on_the_command_line(tmp_path, capsys):
    """Status 1 without a solution, 2 for an unbounded objective, 3 at a limit; the values of all columns."""
    path = tmp_path / "model.lp"
    rows = {
        0: "x + 3 b >= 2\n t: x <= 5",
        1: "x + b >= 9\n t: x <= 5",
        2: "b - x <= 2",
    }
    for status, row in rows.items():
        path.write_text(f"Maximize\n o: x - b\nSubject To\n r: {row}\nBinary\n b\nEnd\n")
        assert main(["solve", str(path), "--json"]) == status
        printed = capsys.readouterr()
        if status == 0:
            assert json.loads(printed.out)["values"] == {"x": 5, "b": 0}
        if status == 1:
            assert (json.loads(printed.out)["status"], json.loads(printed.out)["at_least"]) == (
                "infeasible",
                0,
            )
        if status == 2:
            assert "the objective is unbounded" in printed.err
    path = tmp_path / "model.mps"
    path.write_text(to_mps(lots(12)))
    out = tmp_path / "all.jsonl"
    assert main(["enumerate", str(path), "--time-limit", "0.3", "--out", str(out)]) == 3
    assert "not known to be complete" in capsys.readouterr().out
