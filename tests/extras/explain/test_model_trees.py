"""Trees with a row as objective, and points near others: what they say holds by trees without either."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from random import Random

import pytest
from thoroughness import few_or_many

from milp_pips.extras.explain.model_items import ModelItem, ModelItems
from milp_pips.extras.explain.model_oracle import ModelOracle
from milp_pips.extras.explain.model_reasons import explain_model
from milp_pips.extras.explain.model_repair import ROW_STAGES, STAGES, Repair
from milp_pips.extras.explain.model_rotation import Rotation
from milp_pips.extras.explain.model_trees import Trees
from milp_pips.extras.explain.reasoner import OutOfTime
from milp_pips.formulations.model import Model
from milp_pips.formulations.rows import Column, Row
from milp_pips.problem import Deadline
from milp_pips.tasks.pipeline import puzzle_of

MANY = 10_000


def trees():
    return Trees(lambda: None, lambda: None)


def with_budget(seed, budget):
    """Return lot sizes: demands by periods, a setup for each, and what they may cost."""
    rng, periods = Random(seed), 5
    columns, rows, costs, stock = [], [], {}, None
    for t in range(periods):
        make, setup, keep = len(columns), len(columns) + 1, len(columns) + 2
        names = (f"make_{t}", False, 20), (f"setup_{t}", True, 1), (f"stock_{t}", False, 12)
        columns += [Column(name, 0, most, integer) for name, integer, most in names]
        costs |= {make: rng.randint(1, 3), setup: rng.randint(10, 20), keep: 1}
        demand = rng.randint(2, 9)
        before = {} if stock is None else {stock: 1}
        rows.append(Row(f"demand_{t}", {make: 1, keep: -1, **before}, demand, demand))
        rows.append(Row(f"only_{t}", {make: 1, setup: -20}, None, 0))
        stock = keep
    rows.append(Row("budget", costs, None, budget))
    return Model(tuple(columns), tuple(rows))


def least_cost(seed):
    model = with_budget(seed, 10_000)
    *rows, budget = model.rows
    point = trees().best(Model(model.columns, tuple(rows)), budget, MANY)
    return sum(a * point[j] for j, a in budget.terms.items())


@pytest.mark.parametrize("seed", range(few_or_many(3, 30)))
def test_what_a_row_as_objective_refutes_has_no_point_and_its_core_neither(seed):
    best = least_cost(seed)
    model = with_budget(seed, best - 1)
    budget = len(model.rows) - 1
    found = trees().tree(model, MANY, budget)
    items = ModelItems(model)
    core = [items.number_of[ModelItem(*each)] for each in found.core]
    assert ModelItem("row", budget) in found.core
    assert not ModelOracle(items, Deadline(None)).solve(core)
    assert trees().tree(with_budget(seed, best), MANY, budget).point is not None


@pytest.mark.parametrize("seed", range(few_or_many(3, 30)))
def test_points_near_the_best_one_break_one_item_alone(seed):
    model = with_budget(seed, least_cost(seed) - 1)
    items, budget = ModelItems(model), len(model.rows) - 1
    kept = range(len(items.items))
    best = trees().best(Model(model.columns, model.rows[:-1]), model.rows[-1], MANY)
    assert items.broken(best, kept) == {items.number_of[ModelItem("row", budget)]}
    needed = Rotation(items, lambda: None).broken_alone(best, kept, set())
    assert len(needed) > 1
    for i in needed:
        part = items.part([k for k in kept if k != i])
        assert trees().tree(part.model, MANY).core is None


def odd_ring():
    ring = [Row(f"edge{j}", {j: 1, (j + 1) % 5: 1}, 1) for j in range(5)]
    rows = (*ring, Row("spare", {0: 1, 2: 1}, 0), Row("budget", dict.fromkeys(range(5), 1), None, 2))
    return ModelItems(Model(tuple([Column(f"x{j}", 0, 1, True) for j in range(5)]), rows))


def test_a_proof_is_repaired_without_items_and_points_break_those_that_stay():
    items = odd_ring()
    repair = Repair(items, range(len(items.items)), lambda: None)
    repair.prove()
    assert repair.has_proof
    needed = set()
    for i, point in repair.points((*ROW_STAGES, *STAGES), needed):
        assert items.broken(dict(enumerate(map(Fraction, point))), repair.kept) == {i}
        needed.add(i)
    assert 5 not in repair.kept
    assert needed == repair.kept


def setups(demands, costs, budget):
    """Return lot sizes where a lot has at most 30, and 1 more in stock costs 2."""
    n = len(demands)
    columns = [Column(f"setup{t}", 0, 1, True) for t in range(n)]
    columns += [Column(f"{name}{t}", 0, 100) for name in ("make", "keep") for t in range(n)]
    rows = [Row("budget", {**dict(enumerate(costs)), **{2 * n + t: 2 for t in range(n)}}, None, budget)]
    for t, need in enumerate(demands):
        before = {2 * n + t - 1: 1} if t else {}
        rows += [Row(f"need{t}", {n + t: 1, 2 * n + t: -1} | before, need, need)]
        rows += [Row(f"on{t}", {n + t: 1, t: -30}, None, 0)]
    return Model(tuple(columns), tuple(rows))


def test_columns_without_bounds_do_not_take_all_nodes_of_a_search():
    items = ModelItems(setups((14, 12, 6, 6), (44, 31, 30, 30), 82))
    repair = Repair(items, range(len(items.items)), lambda: None)
    repair.prove()
    needed = set()
    needed.update(i for i, _ in repair.points((*ROW_STAGES, *STAGES), needed))
    assert repair.has_proof
    assert repair.runs < 500


@pytest.mark.parametrize(("seed", "least", "rows"), [(6, 6, 15), (30, 5, 11)])
def test_a_reason_has_few_rows_since_bounds_stay_until_rows_are_decided(seed, least, rows):
    """With bounds that go as soon as no leaf uses them each has a row more."""
    rng = Random(seed)
    covers = [Row(f"cover{i}", dict.fromkeys(rng.sample(range(14), 3), 1), 1) for i in range(20)]
    budget = Row("budget", dict.fromkeys(range(14), 1), None, least - 1)
    model = Model(tuple([Column(f"x{j}", 0, 1, True) for j in range(14)]), (*covers, budget))
    found = explain_model(puzzle_of(model, "explain"), Deadline(None), 0)
    assert found.reasons[0].minimal
    assert sum(item.kind == "row" for item in found.reasons[0].items) <= rows


def test_rows_from_outside_replace_several_rows_of_a_set():
    """A first set has 32 rows of a larger part of the graph; four nodes that all touch need 22."""
    rng = Random(4)
    edges = [pair for pair in combinations(range(7), 2) if rng.random() < 0.62]
    rows = [Row(f"node{v}", {3 * v + c: 1 for c in range(3)}, 1, 1) for v in range(7)]
    rows += [Row(f"edge{u}{v}{c}", {3 * u + c: 1, 3 * v + c: 1}, None, 1) for u, v in edges for c in range(3)]
    model = Model(tuple([Column(f"x{j}", 0, 1, True) for j in range(21)]), tuple(rows))
    found = explain_model(puzzle_of(model, "explain"), Deadline(None), 0)
    assert found.reasons[0].minimal
    assert sum(item.kind == "row" for item in found.reasons[0].items) == 22


def test_what_swaps_tried_in_vain_leaves_no_item_that_is_not_needed():
    rng = Random(506)
    covers = [Row(f"cover{i}", dict.fromkeys(rng.sample(range(9), 3), 1), 1) for i in range(16)]
    budget = Row("budget", dict.fromkeys(range(9), 1), None, 3)
    model = Model(tuple([Column(f"x{j}", 0, 1, True) for j in range(9)]), (*covers, budget))
    found = explain_model(puzzle_of(model, "explain"), Deadline(None), 0)
    items, (reason,) = found.items, found.reasons
    clash = [items.number_of[item] for item in reason.items]
    oracle = ModelOracle(items, Deadline(None))
    assert reason.minimal
    assert all(oracle.solve([k for k in clash if k != i]) for i in clash)


def test_numbers_beyond_exact_floats_end_no_search():
    rows = [
        Row(f"edge{u}{v}{c}", {2 * u + c: 1, 2 * v + c: 1}, None, 1)
        for u, v in ((0, 1), (1, 2), (0, 2))
        for c in (0, 1)
    ]
    rows += [Row(f"node{v}", {2 * v: 1, 2 * v + 1: 1}, 1) for v in range(3)]
    rows.append(Row("great", {0: 10**14, 1: Fraction(1, 64)}, 0))
    model = Model(tuple([Column(f"x{j}", 0, 1, True) for j in range(6)]), tuple(rows))
    found = explain_model(puzzle_of(model, "explain"), Deadline(None), 0)
    assert len(found.reasons[0].items) == 10


def test_where_the_time_for_repairs_ends_what_they_reached_is_proved_and_kept(monkeypatch):
    points = Repair.points

    def interrupted(self, stages, needed):
        yield next(points(self, stages, needed))
        raise OutOfTime

    monkeypatch.setattr(Repair, "points", interrupted)
    items = odd_ring()
    oracle = ModelOracle(items, Deadline(None))
    assert not oracle.solve(range(len(items.items)))
    clash = oracle.clash()
    assert oracle.is_sure
    assert trees().tree(items.part(clash).model, MANY).core is not None
    for i in clash:
        assert trees().tree(items.part([k for k in clash if k != i]).model, MANY).core is None


def test_upper_bounds_that_nothing_needs_go_together(monkeypatch):
    monkeypatch.setattr(Repair, "prove", lambda repair: None)  # it would leave no questions
    questions = 0
    for seed in (2, 3, 4):
        oracle = ModelOracle(ModelItems(with_budget(seed, least_cost(seed) - 1)), Deadline(None))
        assert not oracle.solve(range(oracle.size))
        clash = oracle.clash()
        assert oracle.is_sure
        assert 18 <= len(clash) <= 21
        questions += oracle.questions
    assert questions < 60  # with lower and upper bounds in one group it takes 71
