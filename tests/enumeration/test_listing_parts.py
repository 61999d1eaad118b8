"""Lists joined from independent parts, and cubes: they always give the set of brute force."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from brute_force import grids, placement_of, placements
from faulty_solvers import FaultySolver
from thoroughness import few_or_many, mostly_long

import milp_pips
from milp_pips.engines import registry
from milp_pips.engines.brute import BruteSolver
from milp_pips.enumeration import subproblems as partition
from milp_pips.enumeration.joining import divide
from milp_pips.enumeration.methods import Listing
from milp_pips.problem.answer import Answer, Proof, Stop
from milp_pips.problem.errors import EngineFault
from milp_pips.puzzles.family import family_of
from milp_pips.puzzles.pips.puzzle import Pips, Region, Rule
from milp_pips.tasks.enumerate import solutions
from milp_pips.tasks.pipeline import prepare
from milp_pips.tasks.query import Run

METHODS = ["partition", "cubes", "native", "cuts"]
EXAMPLES = Path(__file__).parents[2] / "examples" / "pips"
SHAPES = [(1, 2), (2, 2), (1, 4), (2, 3)]


def islands(seed: int, *, whole_rule: bool = True) -> Pips:
    """Return a board of two islands: no pip of one can lie on the other, so nothing is shared.

    The sum over an island may be one that no layout shows; then there is no solution.
    """
    rng = random.Random(seed)
    cells, regions, dominoes = [], [], []
    for number, shapes in enumerate((SHAPES[1:], SHAPES[:3])):
        rows, columns = rng.choice(shapes)
        island = [(r, 10 * number + c) for r in range(rows) for c in range(columns)]
        laid = [tuple(3 * number + rng.randrange(3) for _ in range(2)) for _ in range(len(island) // 2)]
        one, *others = island
        if whole_rule and len(island) > 2:
            pair, others = island[:2], island[2:]
            target = sum(laid[0]) + rng.choice((0, 0, 0, 1))
            regions.append(Region(f"S{number}", tuple(pair), Rule.SUM, target))
        else:
            others = [one, *others]
        for cell in others:
            rule, target = (Rule.LT, 3) if number == 0 else (Rule.GT, 2)
            regions.append(Region(f"{number}{cell[0]}{cell[1]}", (cell,), rule, target))
        cells += island
        dominoes += laid
    return Pips.on_grid(f"islands-{seed}", cells, regions, dominoes)


def shared(seed: int) -> Pips:
    return islands(seed, whole_rule=False)


def parts_of(puzzle: Pips) -> int:
    prepared = prepare(puzzle, Run())
    if prepared.refutation:
        return 0
    return len(divide(Listing(prepared.filtered, "placement", "highs")).parts)


def shown(puzzle, found, distinct):
    every = list(found)
    assert found.summary.complete, found.summary
    if distinct == "grid":
        views = [frozenset(layout.values.items()) for layout in every]
    else:
        views = [placement_of(layout) for layout in every]
    assert len(views) == len(set(views))
    return set(views)


def test_the_boards_fall_into_parts():
    assert parts_of(shared(1)) == 2
    assert sum(parts_of(shared(seed)) > 1 for seed in range(0, 16, 2)) > 3
    assert sum(parts_of(islands(seed)) > 1 for seed in range(1, 16, 2)) > 1


@pytest.mark.parametrize("distinct", ["placement", "grid"])
@pytest.mark.parametrize(
    ("method", "solver"),
    [(method, "brute" if method == "native" else "highs") for method in METHODS],
)
def test_parts_are_put_together_to_the_set_of_brute_force(method, solver, distinct):
    for seed in range(few_or_many(2, 32)):
        puzzle = islands(seed) if seed % 2 else shared(seed)
        truth = grids(puzzle) if distinct == "grid" else placements(puzzle)
        if len(truth) <= 40 or method != "cuts":
            found = solutions(puzzle, solver, method=method, distinct=distinct)
            assert shown(puzzle, found, distinct) == truth, puzzle.name


@pytest.mark.parametrize(("nodes", "distinct"), mostly_long(1, [(300, "placement"), (0, "grid")]))
def test_cubes_of_any_size_give_the_same_set(nodes, distinct, monkeypatch):
    monkeypatch.setattr(partition, "CUBE_NODES", nodes)
    for seed in range(few_or_many(1, 16)):
        made = milp_pips.generate(
            style="plain", dominoes=5, seed=seed, region_sizes="1..4", rules="EQ,SUM,LT,none"
        )
        puzzle = next(made).puzzle
        truth = grids(puzzle) if distinct == "grid" else placements(puzzle)
        if len(truth) <= 150:
            found = solutions(puzzle, "highs", method="cubes", distinct=distinct)
            assert shown(puzzle, found, distinct) == truth, puzzle.name


def test_a_cube_saves_engine_solves(monkeypatch):
    questions = []
    real = BruteSolver.solve
    monkeypatch.setattr(BruteSolver, "solve", lambda *words: questions.append(1) or real(*words))
    puzzle = milp_pips.read(EXAMPLES / "several.txt")
    counts = {}
    for method, nodes in (("partition", 0), ("partition", 30_000), ("cubes", 300), ("cubes", 30_000)):
        monkeypatch.setattr(partition, "CUBE_NODES", nodes)
        questions.clear()
        found = solutions(puzzle, "brute", method=method)
        assert len(list(found)) == 56
        counts[method, nodes] = len(questions)
        assert found.summary.solver == ("brute" if questions else "")
    assert counts["partition", 0] >= 56
    assert 0 < counts["partition", 30_000] < 56
    assert 0 < counts["cubes", 300] < 56
    assert counts["cubes", 30_000] == 0


@pytest.mark.parametrize(("method", "jobs"), mostly_long(1, [("cubes", 1), ("partition", 2)]))
def test_a_stopped_list_of_parts_resumes(method, jobs, tmp_path, monkeypatch):
    monkeypatch.setattr(partition, "CUBE_NODES", 60)
    puzzle = shared(1)
    truth = len(placements(puzzle))
    assert truth > 20
    for limit in (2, truth - 1) if jobs == 1 else (5,):
        out = tmp_path / f"{limit}.jsonl"
        for stop in (limit, min(limit + 3, truth), None) if jobs == 1 else (limit, None):
            found = solutions(puzzle, "highs", method=method, jobs=jobs, out=str(out), limit=stop)
            list(found)
        assert (found.summary.solutions, found.summary.complete) == (truth, True)
        family = family_of(puzzle)
        lines = out.read_text().splitlines()
        layouts = {placement_of(family.read_solution(puzzle, line, "line")) for line in lines}
        assert layouts == placements(puzzle)
        assert len(lines) == truth


class Weary(FaultySolver):
    """Right the first few times; then it calls everything infeasible."""

    name = "weary"
    asked = 0

    def solve(self, problem, settings, deadline):
        Weary.asked += 1
        if Weary.asked > 3:
            return Answer(None, Proof.INFEASIBLE, Stop.FINISHED)
        return BruteSolver().solve(problem, settings, deadline)


@pytest.mark.parametrize("method", ["partition", "cubes"])
def test_an_engine_that_stops_finding_solutions_is_detected(method, monkeypatch):
    monkeypatch.setitem(registry.SOLVERS, "weary", f"{__name__}:Weary")
    monkeypatch.setattr(partition, "CUBE_NODES", 0)
    Weary.asked = 0
    with pytest.raises(EngineFault, match=rf"weary by {method} calls \d+ solutions complete, the decision"):
        list(solutions(shared(1), "weary", method=method))
