"""The branch-and-bound tree: all solutions of bounded MIPs, exactly."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction
from operator import ne

import pytest
from random_mips import expected, random_charges, random_mip, random_query
from thoroughness import few_or_many, mostly_long

import milp_pips
from milp_pips.enumeration import rounding
from milp_pips.enumeration import tree as tree_module
from milp_pips.enumeration.tree import Tree, TreeSettings
from milp_pips.enumeration.tree_points import TreeQuery
from milp_pips.formulations.model import Model
from milp_pips.formulations.rows import Column, Row
from milp_pips.problem import UsageError
from milp_pips.problem.objective import MAXIMISE, MINIMISE

ALL, OPTIMA = TreeQuery(), TreeQuery(within=0)


def binaries(*costs):
    return tuple(Column(f"x{j}", 0, 1, True, cost) for j, cost in enumerate(costs))


def run(model, query, **how):
    """Return the outcome of a tree that has ended."""
    tree = Tree(model, query, TreeSettings(**how))
    yielded = list(tree.points())
    assert {point.values for point in tree.outcome.points} <= {point.values for point in yielded}
    return tree.outcome


def values(outcome, *columns):
    return sorted(tuple(point.values[j] for j in columns) for point in outcome.points)


def test_random_models_have_the_solutions_of_brute_force():
    for seed in range(few_or_many(40, 3000)):
        rng = random.Random(seed)
        model = random_mip(rng)
        query = random_query(rng, model, TreeQuery)
        wanted = expected(model, query)
        if wanted is None:
            with pytest.raises(UsageError, match="the objective is unbounded"):
                run(model, query)
            continue
        outcome = run(model, query)
        assert outcome.complete, seed
        assert outcome.settled == pytest.approx(1)
        assert outcome.optimum == wanted[1], seed
        sign = -1 if model.sense == MAXIMISE else 1
        chosen = query.chosen or [j for j, column in enumerate(model.columns) if column.integer]
        if query.has_cutoff and query.best is not None:
            assert sorted(sign * point.value for point in outcome.points) == list(wanted[0]), seed
        else:
            assert values(outcome, *chosen) == list(wanted[0]), seed
        for point in outcome.points:
            place = dict(enumerate(point.values))
            assert list(model.misses(place, exactly=True)) == []
            assert model.value(place) == point.value


def test_cuts_of_the_root_exclude_no_solution():
    nodes = []
    for seed in range(few_or_many(5, 1000)):
        model = random_charges(random.Random(seed))
        chosen = tuple(j for j, column in enumerate(model.columns) if column.integer)
        outcome = run(model, query := TreeQuery(chosen, within=seed % 3))
        assert outcome.complete, seed
        assert (values(outcome, *chosen), outcome.optimum) == expected(model, query), seed
        nodes.append(outcome.nodes)
    assert sum(nodes) > len(nodes)


def test_cuts_of_the_root_close_nodes(monkeypatch):
    def setups(seed):
        rng, periods = random.Random(seed), 8
        columns = [Column(f"open{t}", 0, 1, True, 20) for t in range(periods)]
        columns += [Column(f"make{t}", 0, 30) for t in range(periods)]
        columns += [Column(f"stock{t}", 0, 25, False, 1) for t in range(periods)]
        rows = [Row(f"ready{t}", {periods + t: 1, t: -30}, None, 0) for t in range(periods)]
        for t in range(periods):
            before, need = {2 * periods + t - 1: 1} if t else {}, rng.randint(2, 14)
            rows.append(Row(f"flow{t}", {**before, periods + t: 1, 2 * periods + t: -1}, need, need))
        return Model(tuple(columns), tuple(rows))

    with_cuts = [run(setups(seed), OPTIMA) for seed in range(3)]
    monkeypatch.setattr(rounding, "MOST_COEFFICIENTS_TO_ROUND", 0)
    without = [run(setups(seed), OPTIMA) for seed in range(3)]
    assert [outcome.optimum for outcome in with_cuts] == [outcome.optimum for outcome in without]
    assert 2 * sum(outcome.nodes for outcome in with_cuts) < sum(outcome.nodes for outcome in without)


def test_a_cutoff_has_no_tolerance():
    columns = (*binaries(1, 1), Column("y", 0, None, False, 1))
    hair = Fraction(1, 10**12)
    rows = (Row("one", {0: 1, 1: 1}, 1, 1), Row("more", {1: -hair, 2: 1}, 0, None))
    model = Model(columns, rows)
    assert values(run(model, OPTIMA), 0, 1) == [(1, 0)]
    assert values(run(model, TreeQuery(within=hair)), 0, 1) == [(0, 1), (1, 0)]
    assert values(run(model, TreeQuery(within=hair * Fraction(999, 1000))), 0, 1) == [(1, 0)]


def test_an_equation_that_floating_point_calls_infeasible_has_its_solution():
    k = 10**12
    columns = tuple(Column(name, 0, 2 * k, True) for name in "xy")
    outcome = run(Model(columns, (Row("r", {0: k, 1: -(k + 1)}, 1, 1),)), ALL, stop=budget(300))
    assert values(outcome, 0, 1) in ([], [(k, k - 1)])  # it may take long, but never calls it infeasible
    assert not (outcome.complete and outcome.points == [])


def test_numbers_beyond_64_bits_are_exact():
    big = 10**30
    model = Model(binaries(big, big + 1, -big), (Row("r", {0: big, 1: big, 2: 1}, big, None),))
    outcome = run(model, TreeQuery(best=2))
    assert [(point.values, point.value) for point in outcome.points] == [((1, 0, 1), 0), ((0, 1, 1), 1)]
    assert outcome.optimum == 0


def test_a_witness_of_continuous_columns_is_a_fraction():
    columns = (*binaries(1), Column("y", 0, 1), Column("z", 0, 1))
    rows = (Row("a", {1: 3, 2: 1}, 1, 1), Row("b", {1: 1, 2: -2, 0: 1}, 1, 1))
    outcome = run(Model(columns, rows), OPTIMA)
    assert [point.values for point in outcome.points] == [(1, Fraction(2, 7), Fraction(1, 7))]


def test_solutions_differ_in_the_chosen_columns():
    model = Model(binaries(1, 2, 4), (Row("some", {0: 1, 1: 1, 2: 1}, 1, None),))
    outcome = run(model, TreeQuery(chosen=(1,)))
    assert values(outcome, 1) == [(0,), (1,)]
    best = run(model, TreeQuery(chosen=(1,), best=2))
    assert [(point.values[1], point.value) for point in best.points] == [(0, 1), (1, 2)]


def test_the_best_are_those_of_least_value_and_none_is_missing():
    model = Model(binaries(3, 5, 6, 9), (Row("two", {0: 1, 1: 1, 2: 1, 3: 1}, 2, None),), MAXIMISE, 1)
    outcome = run(model, TreeQuery(best=3))
    assert sorted(point.value for point in outcome.points) == [19, 21, 24]
    assert outcome.optimum == 24


def test_within_is_a_distance_and_a_share_of_the_optimum_with_its_constant():
    model = Model(binaries(1, 2, 3), (Row("one", {0: 1, 1: 1, 2: 1}, 1, 1),), MINIMISE, 9)
    assert run(model, TreeQuery(within_relative=Fraction(1, 10))).optimum == 10
    assert values(run(model, TreeQuery(within_relative=Fraction(1, 10))), 0, 1, 2) == [(0, 1, 0), (1, 0, 0)]
    assert len(run(model, TreeQuery(within=1, within_relative=Fraction(1, 10))).points) == 3


@pytest.mark.parametrize(
    "model",
    [
        Model((Column("x", Fraction(1, 4), Fraction(3, 4), True),), ()),
        Model(binaries(0, 0), (Row("parity", {0: 2, 1: 2}, 1, 1),)),
        Model(binaries(0, 0), (Row("crossed", {0: 1, 1: 1}, 2, 1),)),
        Model(binaries(0, 0), (Row("empty", {}, 1, None),)),
        Model((*binaries(1), Column("y")), (Row("a", {0: 1, 1: 1}, 2, None), Row("b", {1: 2}, None, 1))),
        Model((*binaries(1), Column("y", None)), (Row("a", {1: 1}, 2, None), Row("b", {1: 1}, None, 1))),
    ],
)
def test_an_infeasible_model_has_no_solution_and_the_tree_is_complete(model):
    for query in (ALL, OPTIMA):
        outcome = run(model, query)
        assert outcome.complete
        assert outcome.points == []
        assert outcome.optimum is None


def test_bounds_that_rows_imply_are_enough():
    rows = (Row("r", {0: 1, 1: 1}, 0, 3), Row("s", {0: 1, 1: -1}, 0, 1))
    columns = (Column("x", None, None, True), Column("y", 0, None, True))
    assert values(run(Model(columns, rows), ALL), 0, 1) == [(0, 0), (1, 0), (1, 1), (2, 1)]


def test_bounds_that_only_two_rows_together_imply_are_enough():
    rows = (Row("r", {0: 1, 1: 1}, 0, 5), Row("s", {0: 1, 1: -1}, 0, 1))
    columns = (Column("x", None, None, True), Column("y", None, None, True))
    points = [(0, 0), (1, 0), (1, 1), (2, 1), (2, 2), (3, 2)]
    assert values(run(Model(columns, rows), ALL), 0, 1) == points


def test_two_bounds_may_imply_those_of_many_columns(monkeypatch):
    """There would be too many to seek each of them."""
    monkeypatch.setattr("milp_pips.enumeration.tree_bounds.MOST_BOUNDING_WORK", 20)
    columns = tuple([Column(f"x{j}", None, None, True) for j in range(5)])
    rows = [Row(f"r{j}", {j: 1, j + 1: -1}, 0, 0) for j in range(4)]
    model = Model(columns, (*rows, Row("sum", dict.fromkeys(range(5), 1), 0, 9)))
    assert values(run(model, ALL), *range(5)) == [(0,) * 5, (1,) * 5]
    monkeypatch.setattr("milp_pips.enumeration.tree_bounds.MOST_BOUNDING_WORK", 2)
    with pytest.raises(UsageError, match="column x0 has no lower bound"):
        run(model, ALL)


@pytest.mark.parametrize(
    "bounds, rows",
    [
        ([(None, None)] * 2, [({0: 1, 1: 1}, 1, None), ({0: -1, 1: -1}, 0, None)]),
        # No multiple of 3 is from 4 to 5.
        ([(None, None)] * 2, [({0: 1, 1: 1}, 1, 2), ({0: 3, 1: -3}, 4, 5)]),
        # Rows in turn move the bounds so far away that the LP takes them for infinite.
        (
            [(1, None), (None, 1), (None, -1), (1, None)],
            [({1: 2, 2: 2, 3: 1}, 1, 1), ({0: 2, 1: 2, 2: -2, 3: 1}, 2, 2), ({1: -3, 2: 1, 3: 3}, None, 1)],
        ),
    ],
)
def test_rows_without_a_point_need_no_bounds(bounds, rows):
    columns = tuple([Column(f"x{j}", *ends, True) for j, ends in enumerate(bounds)])
    outcome = run(Model(columns, tuple([Row("r", *row) for row in rows])), ALL)
    assert outcome.complete
    assert outcome.points == []


def test_a_tree_that_stops_while_it_looks_for_bounds_says_so():
    rows = (Row("r", {0: 1, 1: 1}, 0, 5), Row("s", {0: 1, 1: -1}, 0, 1))
    columns = (Column("x", None, None, True), Column("y", None, None, True))
    tree = Tree(Model(columns, rows), ALL, TreeSettings(stop=lambda: "late"))
    assert list(tree.points()) == []
    assert (tree.outcome.complete, tree.outcome.stop) == (False, "late")


def test_an_integer_column_without_bounds_is_refused_by_name():
    columns = (Column("few", 0, 1, True), Column("many", 0, None, True))
    with pytest.raises(
        UsageError, match=r"^column many has no upper bound, and the rows imply none; give it"
    ):
        run(Model(columns, (Row("r", {0: 1, 1: 1}, 1, None),)), ALL)


def test_infinite_ends_of_continuous_columns_do_not_make_a_bound():
    """Each continuous column is free; only the two rows together bound the objective."""
    columns = (*binaries(2, 1), Column("y", None, None, False, 1), Column("z", None, None, False, 1))
    rows = (Row("a", {0: 1, 2: 1, 3: 3}, 3, None), Row("b", {1: 1, 2: 3, 3: 1}, 2, None))
    outcome = run(Model(columns, rows), OPTIMA)
    assert outcome.complete
    assert (values(outcome, 0, 1), outcome.optimum) == ([(0, 0)], Fraction(5, 4))


def test_a_known_point_is_judged_and_lowers_the_cutoff():
    model = Model(binaries(1, 2, 3), (Row("some", {0: 1, 1: 1, 2: 1}, 1, None),))
    wrong, right = {0: 0, 1: 0, 2: 0}, {0: 1, 1: 0, 2: 0}
    tree = Tree(model, OPTIMA, TreeSettings(start=[wrong, right]))
    assert [point.values for point in tree.points()] == [(1, 0, 0)]


def budget(nodes):
    """Return a stopping criterion that ends a tree after so many nodes."""
    left = iter(range(nodes))
    return lambda: "nodes" if next(left, None) is None else None


def test_a_tree_that_stops_says_why_and_how_much_is_settled():
    model = Model(binaries(*[0] * 12), ())
    outcome = run(model, ALL, stop=budget(40))
    assert (outcome.stop, outcome.complete) == ("nodes", False)
    assert 0 < outcome.settled < 1
    assert 0 < len(outcome.points) < 4096


def test_points_come_as_they_are_found():
    model = Model(binaries(*[0] * 30), ())
    points = Tree(model, ALL).points()
    assert len({next(points).values for _ in range(5)}) == 5


@pytest.mark.parametrize("first", mostly_long(1, range(1000, 1100, 20)))
def test_a_good_point_of_the_engine_changes_no_list(first, monkeypatch):
    monkeypatch.setattr(tree_module, "NODES_BEFORE_SEARCH", 0)
    listed = 0
    for seed in range(first, first + 20):
        rng = random.Random(seed)
        model = random_mip(rng)
        query = replace(random_query(rng, model, TreeQuery), within=2, best=None)
        if (wanted := expected(model, query)) is None:
            continue
        outcome = run(model, query)
        chosen = query.chosen or [j for j, column in enumerate(model.columns) if column.integer]
        assert outcome.complete, seed
        assert (values(outcome, *chosen), outcome.optimum) == (list(wanted[0]), wanted[1]), seed
        listed += len(outcome.points)
    assert listed > 20


def test_a_good_point_of_the_engine_closes_nodes(monkeypatch):
    rng = random.Random(5)
    columns = binaries(*[1] * 40)
    rows = tuple(Row(f"r{i}", dict.fromkeys(rng.sample(range(40), 4), 1), 1, None) for i in range(60))
    monkeypatch.setattr(tree_module, "NODES_BEFORE_SEARCH", 0)
    early = run(Model(columns, rows), OPTIMA)
    monkeypatch.setattr(tree_module, "NODES_BEFORE_SEARCH", 10**9)
    late = run(Model(columns, rows), OPTIMA)
    assert early.optimum == late.optimum
    assert values(early, *range(40)) == values(late, *range(40))
    assert early.nodes < late.nodes


def test_diverse_solutions_are_as_far_apart_as_can_be():
    model = Model(binaries(1, 1, 1, 1), (Row("some", {0: 1, 1: 1, 2: 1, 3: 1}, 1, None),))
    found = milp_pips.solutions(model, diverse=20, within=2, method="tree")
    far = [tuple(solution.values()) for solution in found]
    assert sum(far[0]) == 1
    assert all(sum(one) <= 3 for one in far)
    assert len(far) == 14  # those with one to three columns
    distances = list(found.summary.distances)
    assert distances[0] == 4
    assert distances == sorted(distances, reverse=True)
    for number, distance in enumerate(distances, 1):
        assert distance == min(sum(map(ne, far[number], other)) for other in far[:number])


@pytest.mark.parametrize("seed", range(few_or_many(15, 400)))
def test_what_a_stopped_tree_has_left_and_has_found_are_all_solutions(seed):
    rng = random.Random(seed)
    model = random_mip(rng)
    query = random_query(rng, model, TreeQuery)
    if expected(model, query) is None or query.best:
        return
    whole = run(model, query)
    tree = Tree(model, query, TreeSettings(stop=budget(rng.randint(0, 6))))
    found = list(tree.points())
    rest = run(model, query, start=[dict(enumerate(point.values)) for point in found], boxes=tree.frontier())
    chosen = query.chosen or [j for j, column in enumerate(model.columns) if column.integer]
    assert rest.complete
    assert values(rest, *chosen) == values(whole, *chosen)
    assert rest.optimum == whole.optimum


def test_a_list_that_is_closed_has_the_rest_in_its_frontier():
    model = Model(binaries(*[0] * 5), ())
    tree = Tree(model, ALL)
    points = tree.points()
    found = {next(points).values for _ in range(7)}
    left = tree.frontier()
    points.close()
    rest = {point.values for point in Tree(model, ALL, TreeSettings(boxes=left)).points()}
    assert len(found | rest) == 32
    assert len(rest) <= 26


def test_free_columns_get_exact_multipliers():
    """Least absolute deviations: the deviations have no upper bound, so only exact zeros give a bound."""
    rng = random.Random(5)
    columns = [*(Column(f"x{j}", -3, 3, True) for j in range(3))]
    rows = []
    for i in range(5):
        factors, side = [rng.randint(-5, 5) for _ in range(3)], rng.randint(-20, 20)
        columns.append(Column(f"d{i}", None, None, False, 1))
        for sign in (1, -1):
            terms = {j: sign * a for j, a in enumerate(factors) if a}
            rows.append(Row("", {**terms, 3 + i: 1}, sign * side, None))
    model = Model(tuple(columns), tuple(rows))
    outcome = run(model, OPTIMA)
    wanted = expected(model, OPTIMA)
    assert (values(outcome, 0, 1, 2), outcome.optimum) == (wanted[0], wanted[1])
    assert outcome.nodes < 343 / 2


def test_continuous_columns_that_floating_point_misses_are_solved_in_fractions():
    """With x = z + 1 a value of y holds that is finer than the engine's tolerance; else there is none."""
    y = Column("y", 3, Fraction(30000001, 10**7), False, Fraction(1, 10**9))
    columns = (Column("x", 0, 1, True, -1), Column("z", 0, 1, True), Column("w", 0, 4, True, -4), y)
    side = 1 - Fraction(300000003, 10**17)
    model = Model(columns, (Row("r", {0: 1, 1: -1, 3: Fraction(-1, 10**9)}, side, side),))
    for query, number in ((TreeQuery(), 5), (TreeQuery(within=5), 2), (TreeQuery(best=2), 2)):
        outcome = run(model, query)
        assert (len(outcome.points), outcome.open_leaves, outcome.complete) == (number, 0, True)


def test_an_exact_lp_says_that_costs_have_no_end():
    columns = (Column("x", 0, 1, True), Column("y", 0, None, False, -1), Column("z", 0, None, False))
    model = Model(columns, (Row("r", {1: 1, 2: -1}, None, 3),))
    with pytest.raises(UsageError, match="the objective is unbounded, even with all integer columns fixed"):
        run(model, TreeQuery(within=0))
