"""The parts of a comparison: figures, order, and contradictions."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import milp_pips
from milp_pips import read
from milp_pips.constraints import AllDifferent, LinearSum, Relation
from milp_pips.extras.bench.campaign import Campaign, configurations, instances
from milp_pips.extras.bench.figures import (
    benchmarks,
    shifted_geometric_mean,
)
from milp_pips.extras.bench.store import Configuration, InstanceRecord, RunRecord, find_contradicted
from milp_pips.problem.answer import Settings
from milp_pips.problem.problem import Problem, Variable

EXAMPLES = Path(__file__).parents[3] / "examples" / "pips"
NAMES = st.text("abcdefgh-_0123456789", min_size=1, max_size=8)


def test_shifted_geometric_mean():
    assert shifted_geometric_mean([1, 3]) == pytest.approx(math.sqrt(2 * 4) - 1)
    assert shifted_geometric_mean([2, 8], shift=0) == pytest.approx(4)
    assert shifted_geometric_mean([0, 0, 0]) == 0
    assert shifted_geometric_mean([0, 90], shift=10) == pytest.approx(math.sqrt(1000) - 10)
    assert math.isnan(shifted_geometric_mean([]))


def record(number, solver, **changes):
    plain = RunRecord(
        id=number, instance=1, solver=solver, formulation="", task="first", seed=0, repeat=0, threads=1,
        time_limit=10.0, memory_limit=0, options="{}", session=1, started="", total_seconds=1.0,
    )  # fmt: skip
    return replace(plain, **changes)


def benchmark_of(runs, configurations=()):
    puzzles = {n: InstanceRecord(n, str(n), str(n), "", "pips", "", "", 4, {}, None) for n in range(1, 4)}
    (benchmark,) = benchmarks(puzzles, runs, list(map(str, configurations)))
    return benchmark


def standings(runs, configurations):
    return benchmark_of(runs, configurations).standings


def test_standings():
    fast, slow = Configuration("fast"), Configuration("slow", "way", (("a", "1"),))
    solved = {"status": "solved", "solutions": 1}
    runs = [
        record(1, "fast", instance=1, total_seconds=1.5, read_seconds=0.5, **solved),
        record(2, "fast", instance=2, total_seconds=3.0, **solved),
        record(3, "fast", instance=3, total_seconds=0.1, **solved),  # the other has not run it
        record(4, "slow", instance=1, formulation="way", options='{"a": "1"}', status="wrong"),
        record(5, "slow", instance=2, formulation="way", options='{"a": "1"}', stop="time"),
    ]
    first, second = standings(runs, [fast, slow])
    assert (first.configuration, first.runs, first.puzzles) == ("fast", 2, 2)
    assert (first.solved, first.unsolved, first.wrong, first.missing) == (2, 0, 0, 0)
    found = first.median, first.mean, first.par10
    assert found == pytest.approx((2.0, math.sqrt(8) - 1, 2.0))
    assert (second.configuration, second.solved, second.unsolved, second.wrong) == ("slow/way,a=1", 0, 1, 1)
    assert (second.puzzles, second.missing) == (2, 1)
    assert (second.median, second.mean, second.par10) == pytest.approx((math.inf, 10, 100))
    assert [row.puzzles for row in standings(runs[:3], [fast, slow])] == [0, 0]


def test_rules_are_named_where_a_configuration_ran_by_several():
    runs = [record(1, "a"), record(2, "a", rules="filtering"), record(3, "b")]
    assert benchmark_of(runs).configurations == ("a (rules: none)", "a (rules: filtering)", "b")
    assert benchmark_of(runs[1:]).configurations == ("a", "b")


def test_contradictions():
    denier = record(1, "denier", status="infeasible", complete=True)
    finder = record(2, "finder", status="solved", solutions=1)
    unique = record(3, "unique", status="solved", solutions=1, complete=True, confirmed_by="someone")
    pair = record(4, "pair", status="solved", solutions=2)
    says = "says infeasible, but finder has 1, checked"
    assert find_contradicted([denier, finder]) == {1: says}
    assert find_contradicted([finder, denier]) == {1: says}
    assert find_contradicted([finder, unique, pair]) == {
        3: "says that the solutions are 1, but pair has 2, checked"
    }
    assert find_contradicted([finder, unique]) == find_contradicted([denier]) == find_contradicted([]) == {}
    assert find_contradicted([replace(denier, status="wrong"), finder]) == {}


@given(NAMES, NAMES, st.dictionaries(NAMES.filter("threads".__ne__), NAMES), st.none() | st.integers(2, 99))
def test_a_configuration_reads_as_it_is_written(solver, formulation, options, threads):
    one = Configuration(solver, formulation, tuple(sorted(options.items())), threads)
    assert Configuration.parse(str(one)) == one


def test_configurations():
    assert Configuration.parse("highs/projected,flow,presolve=off") == Configuration(
        "highs", "projected,flow", (("presolve", "off"),)
    )
    assert Configuration.parse("pulp:HiGHS").solver == "pulp:HiGHS"
    assert configurations(["highs", "highs"]) == (Configuration("highs"),)


def test_threads_are_of_a_configuration_or_of_the_campaign():
    puzzle = instances([str(EXAMPLES / "easy.txt")])
    runs = configurations(["highs", "highs,threads=3,presolve=off", "highs,threads=1", "cbc,threads=2"])
    campaign = Campaign(puzzle, runs)
    assert list(map(str, campaign.configurations)) == [
        "highs",
        "highs,presolve=off,threads=3",
        "cbc,threads=2",
    ]
    assert campaign.threads == 3
    plan = {str(one.configuration): one for one in campaign.plan()}
    assert {name: one.settings.threads for name, one in plan.items()} == {
        "highs": 1, "highs,presolve=off,threads=3": 3, "cbc,threads=2": 2
    }  # fmt: skip
    assert plan["highs,presolve=off,threads=3"].settings.options == {"presolve": "off"}
    same = Campaign(puzzle, configurations(["cbc"]), settings=Settings(threads=2))
    assert [same.key(one, 1) for one in same.plan()] == [campaign.key(plan["cbc,threads=2"], 1)]
    assert Campaign(puzzle, runs, settings=Settings(threads=2)).configurations[0].threads == 2


def test_the_order_of_runs():
    puzzles = instances([str(EXAMPLES / f"{name}.txt") for name in ("easy", "several", "hard", "medium")])
    runs = configurations(["highs", "cp-sat", "scip"])
    campaign = Campaign(puzzles, runs, seeds=(0, 7), repeats=3)
    plan = list(campaign.plan())
    assert plan == list(campaign.plan())
    assert len(set(map(str, plan))) == len(plan) == 4 * 3 * 2 * 3
    assert [one.repeat for one in plan] == sorted(one.repeat for one in plan)
    rounds = [plan[i : i + 3] for i in range(0, len(plan), 3)]
    for turn_randomly in rounds:  # configurations take turns on each puzzle and seed
        assert len({(one.instance.record.hash, one.settings.seed) for one in turn_randomly}) == 1
        assert {one.configuration for one in turn_randomly} == set(campaign.configurations)
    assert (
        len(Counter(turn_randomly[0].configuration for turn_randomly in rounds)) == 3
    )  # none always comes first
    assert [turn_randomly[0].instance.record.name for turn_randomly in rounds[:8:2]] != [
        turn_randomly[0].instance.record.name for turn_randomly in rounds[8:16:2]
    ]
    assert plan != list(replace(campaign, order=1).plan())


def test_a_puzzle_is_what_it_says():
    one, other = (milp_pips.state(read(EXAMPLES / f"{name}.txt")) for name in ("easy", "medium"))
    assert one.digest("pips") != other.digest("pips")
    assert one.digest("pips") != one.digest("coins")
    variables = (Variable("a", (1, 2)), Variable("b", (1, 2)))

    def problem(*constraints):
        return Problem(variables, constraints, {"all": (0, 1)})

    plain = problem(AllDifferent((0, 1), "a label")).digest("f")
    assert plain == problem(AllDifferent((0, 1), "another")).digest("f")
    sums = [LinearSum((0, 1), relation, 3) for relation in Relation]
    assert len({plain, *(problem(one).digest("f") for one in sums)}) == 4
