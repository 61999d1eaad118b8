"""Reasons against brute force: clashes are all there are, steps follow from what they name, and need it."""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import combinations, combinations_with_replacement, cycle, islice, product
from pathlib import Path
from unittest import mock

import pytest
from brute_force import placements
from colour_grids import colour_grids, fillings
from enumerated_points import EnumeratedPoints, TooManyPoints, follows
from hypothesis import given
from hypothesis import strategies as st
from problems import random_domino_problem, random_problem
from reasoning import is_weak
from strategies import pips_puzzles
from sudoku_brute_force import solutions as sudoku_solutions
from sudoku_strategies import sudokus
from thoroughness import examples, few_or_many, mostly_long

import milp_pips
from milp_pips.engines import registry
from milp_pips.engines.sat import LoadedClauses
from milp_pips.extras.explain.clashes import clashes, first_clash, repairs
from milp_pips.extras.explain.confirmation import confirm_clash, confirm_step, proved_minimal
from milp_pips.extras.explain.facts import Clash, Fact, Step
from milp_pips.extras.explain.groups import GroupedProblem, group_constraints
from milp_pips.extras.explain.reasoner import Reasoner
from milp_pips.extras.explain.techniques.story import Story, needed, refutation
from milp_pips.problem.constraint import Assignment
from milp_pips.problem.errors import EngineFault
from milp_pips.problem.stopping import Deadline
from milp_pips.puzzles.family import family_of
from milp_pips.puzzles.pips.puzzle import Pips, Region, Rule

pytestmark = pytest.mark.skipif(
    bool(registry.solver("sat").unavailable()), reason=registry.solver("sat").unavailable() or ""
)
EXAMPLES = Path(__file__).parents[3] / "examples"
MOST_ITEMS = 15
chances = st.randoms(use_true_random=False)
few = examples(4)


def points_of(soft: GroupedProblem) -> EnumeratedPoints | None:
    try:
        return EnumeratedPoints(soft)
    except TooManyPoints:
        return None


def clashes_are_all_there_are(soft: GroupedProblem, by_size: bool = True) -> None:
    """Check every minimal clash, their order, and every repair, against trying all sets of items."""
    points = points_of(soft) if len(soft.items) <= MOST_ITEMS else None
    if points is None:
        return
    reasoner = Reasoner(soft, Deadline())
    every = list(clashes(reasoner))
    found = [clash for clash, _ in every]
    smallest = min(map(len, found), default=0)
    if by_size:
        assert [len(clash) for clash in found] == sorted(map(len, found))
        assert all(least == smallest for _, least in every)
    assert all(least <= smallest for _, least in every)
    assert found == [sorted(clash) for clash in found]
    assert len(found) == len(set(map(tuple, found)))
    assert set(map(frozenset, found)) == points.clashes()
    quick = first_clash(Reasoner(soft, Deadline()), refutation(soft, range(len(soft.items))))
    assert quick in found or (quick is None and not (found and by_size))
    for clash in found:
        assert set(repairs(reasoner, clash)) == points.repairs()
        assert proved_minimal(reasoner, Clash(tuple(soft.items[i] for i in clash)))


def trace_of(soft: GroupedProblem, known: Sequence[Fact] = ()) -> tuple[Reasoner, Story]:
    reasoner = Reasoner(soft, Deadline())
    everything, facts = range(len(soft.items)), [reasoner.literal(fact) for fact in known]
    assert reasoner.solve(everything, facts)
    backbone = reasoner.consequences(everything, facts, reasoner.model())
    return reasoner, Story(soft, known, gap=lambda facts: reasoner.proof_step(facts, backbone))


def steps_follow(soft: GroupedProblem, rng: random.Random | None = None) -> None:
    """Check every step of the trace, where all points can be tried; by chance after some moves."""
    points = points_of(soft)
    if points is not None and (solutions := points.solutions()):
        moves = some_moves(soft, min(solutions), rng) if rng else []
        left = [point for point in solutions if all(move.is_true(point) for move in moves)]
        steps_are_right(soft, moves, left, points.follows)


def steps_are_right(
    soft: GroupedProblem,
    moves: Sequence[Fact],
    solutions: Collection[Assignment],
    follows: Callable[[Step], bool],
) -> None:
    """Check that every step is true, new, and follows from what it names; and where the steps end.

    It names only what the player knows: the board, what the steps before concluded, and the rules.
    """
    _, trace = trace_of(soft, moves)
    thinned = list[Step]()
    given = [
        Fact(*item.piece.variables, item.piece.value, True) for item in soft.items if item.kind == "given"
    ]
    told = {*given, *moves}
    for step in trace.steps():
        new = set(step.conclusions)
        assert new, step
        assert not new <= told, "what is known is concluded again"
        items, facts = step.premises
        assert set(facts) <= known_by(soft, told), "a fact has not been told"
        thinned.append(trace.thinned(step))
        assert thinned[-1].conclusions == step.conclusions
        assert set(thinned[-1].premises[0]) <= set(items)
        assert known_by(soft, facts) >= set(thinned[-1].premises[1])
        told |= new
        assert all(fact.is_true(point) for fact in step.conclusions for point in solutions)
        with suppress(TooManyPoints):
            assert follows(step)
            assert follows(replace(step, items=items, facts=facts))
            items, facts = thinned[-1].premises
            assert follows(replace(step, items=items, facts=facts))
    ends = {fact for fact in facts_of(soft) if all(fact.is_true(point) for point in solutions)}
    assert known_by(soft, trace.all_facts()) & facts_of(soft) == ends


def facts_of(soft: GroupedProblem) -> set[Fact]:
    """All facts about values and dominoes, in their normal form."""
    reasoner = Reasoner(soft, Deadline())
    return {reasoner.fact(a) for a in reasoner.literals}


def known_by(soft: GroupedProblem, told: Collection[Fact]) -> set[Fact]:
    """The facts, and what they imply by themselves: a cell has one value and one domino."""
    reasoner = Reasoner(soft, Deadline())
    literals = [reasoner.literal(fact) for fact in told]
    implied = reasoner.propagate((), literals)
    return {*told, *map(reasoner.fact, implied or ())}


def some_moves(soft: GroupedProblem, point: Assignment, rng: random.Random) -> list[Fact]:
    partners = {v for c in soft.hard for v in getattr(c, "partners", ())}
    cells = [v for v, (_, domain) in enumerate(soft.variables) if v not in partners and len(domain) > 1]
    return [Fact(v, point[v], True) for v in cells if rng.random() < 0.3]


@few
@given(puzzle=pips_puzzles(max_dominoes=3))
def test_clashes_of_pips_are_all_there_are(puzzle):
    clashes_are_all_there_are(group_constraints(milp_pips.state(puzzle)))


@few
@given(rng=chances)
def test_clashes_of_any_rules_are_all_there_are(rng):
    clashes_are_all_there_are(group_constraints(random_problem(rng)))
    clashes_are_all_there_are(group_constraints(random_domino_problem(rng, tidy=rng.random() < 0.5)))


@few
@given(puzzle=pips_puzzles(max_dominoes=2), rng=chances)
def test_clashes_with_wrong_moves_are_all_there_are(puzzle, rng):
    soft = group_constraints(milp_pips.state(puzzle))
    cells = range(len(puzzle.cells))
    moves = {v: rng.choice(soft.variables[v].domain) for v in cells if rng.random() < 0.7}
    with_moves = soft.with_moves(moves)
    assert [item.kind for item in with_moves.items[len(soft.items) :]] == ["move"] * len(moves)
    clashes_are_all_there_are(with_moves)


@examples(8, 100)
@given(puzzle=pips_puzzles(max_dominoes=2), rng=chances)
def test_reasons_are_right_where_clauses_give_up_and_another_engine_is_asked(puzzle, rng):
    soft, solve = group_constraints(milp_pips.state(puzzle)), LoadedClauses.solve

    def give_up(self, assumptions, deadline, conflicts=None):
        return solve(self, assumptions, deadline) if conflicts is None else None

    with mock.patch.object(LoadedClauses, "solve", give_up):
        clashes_are_all_there_are(soft, by_size=False)
        steps_follow(soft, rng)


@few
@given(puzzle=pips_puzzles(max_dominoes=3), rng=chances)
def test_steps_of_pips_follow_and_end_with_all_that_does(puzzle, rng):
    soft = group_constraints(milp_pips.state(puzzle))
    steps_follow(soft)
    steps_follow(soft, rng)


@pytest.mark.parametrize("every", [few_or_many(32, 1)])
@pytest.mark.parametrize("rule", mostly_long(1, [Rule.SUM, Rule.NEQ, Rule.EQ]))
def test_steps_of_every_tiny_board_follow_from_every_partial_solution(rule, every):
    cells = [(0, 0), (0, 1), (1, 0), (1, 1)]
    target = 1 if rule is Rule.SUM else None
    checked, first = 0, cycle(range(every))
    for dominoes in combinations_with_replacement([(0, 0), (0, 1), (1, 1)], 2):
        for region in combinations(cells, 2):
            puzzle = Pips.on_grid("tiny", cells, [Region("A", region, rule, target)], dominoes)
            soft = group_constraints(milp_pips.state(puzzle))
            points = points_of(soft)
            assert points is not None
            for solution in sorted(points.solutions())[:1]:
                for shown in islice(product((False, True), repeat=4), next(first), None, every):
                    moves = [Fact(v, solution[v], True) for v in range(4) if shown[v]]
                    left = [p for p in points.solutions() if all(move.is_true(p) for move in moves)]
                    steps_are_right(soft, moves, left, points.follows)
                    checked += 1
    assert checked > 100 // every


@pytest.mark.long
def test_no_fact_or_rule_of_a_step_can_be_left_out():
    """The same techniques do not conclude the same without it; before thinning they sometimes do."""
    puzzle = milp_pips.read(EXAMPLES / "pips/hard.txt")
    story = Story(group_constraints(milp_pips.state(puzzle)), ())
    steps = list(story.steps())
    assert not any(is_weak(story.grouped, step) for step in needed(steps, story.thinned))
    assert any(is_weak(story.grouped, step) for step in steps)


@few
@given(puzzle=sudokus())
def test_steps_of_sudokus_follow_and_end_with_all_that_does(puzzle):
    family, soft = family_of(puzzle), group_constraints(milp_pips.state(puzzle))
    if solutions := [family.encode(puzzle, rows) for rows in sudoku_solutions(puzzle)]:
        steps_are_right(soft, [], solutions, partial(follows, soft))


@few
@given(rng=chances)
def test_steps_of_any_rules_follow_and_end_with_all_that_does(rng):
    for problem in (random_problem(rng), random_domino_problem(rng, tidy=rng.random() < 0.5)):
        steps_follow(group_constraints(problem))
        steps_follow(group_constraints(problem), rng)


@few
@given(puzzle=st.one_of(pips_puzzles(max_dominoes=3), colour_grids(), sudokus()))
def test_all_items_together_are_the_puzzle(puzzle):
    points = points_of(group_constraints(milp_pips.state(puzzle)))
    if points is not None:
        ways = {"pips": placements, "sudoku": sudoku_solutions, "colour-grid": fillings}
        assert len(points.solutions()) == len(ways[puzzle.family](puzzle))


def first_steps(name: str) -> tuple[GroupedProblem, list[Step]]:
    soft = group_constraints(milp_pips.state(milp_pips.read(EXAMPLES / name)))
    return soft, list(islice(trace_of(soft)[1].steps(), 15))


@pytest.mark.parametrize(
    "name", mostly_long(1, ["pips/easy.txt", "sudoku/killer.txt", "colour_grid/expressions.txt"])
)
def test_the_second_way_confirms_steps_and_catches_wrong_ones(name):
    soft, steps = first_steps(name)
    for step in steps[::2]:
        assert confirm_step(soft, step, Deadline()).startswith("HiGHS"), step
    for step in steps[::5]:
        wrong = tuple(fact._replace(holds=not fact.holds) for fact in step.conclusions[:1])
        with pytest.raises(EngineFault, match="refutes by a point"):
            confirm_step(soft, replace(step, conclusions=wrong), Deadline())


IMPOSSIBLE = milp_pips.Pips.from_rows(
    ["AAB", "CCB"], {"A": "NEQ", "B": "SUM 4", "C": "EQ"}, [(0, 1), (2, 3), (1, 3)], "impossible"
)


@pytest.mark.parametrize("name", ["pips", "sudoku/impossible.txt", "colour_grid/contradiction.txt"])
def test_the_second_way_confirms_clashes_and_catches_wrong_ones(name):
    puzzle = IMPOSSIBLE if name == "pips" else milp_pips.read(EXAMPLES / name)
    soft = group_constraints(milp_pips.state(puzzle))
    reasoner = Reasoner(soft, Deadline())
    for numbers, _ in islice(clashes(reasoner), 2):
        clash = Clash(tuple(soft.items[i] for i in numbers))
        assert confirm_clash(soft, clash, Deadline()).startswith("HiGHS")
        assert proved_minimal(reasoner, clash)
        for i in range(0, len(clash.items), 6):
            with pytest.raises(EngineFault, match="refutes by a point"):
                confirm_clash(soft, Clash(clash.items[:i] + clash.items[i + 1 :]), Deadline())
        other = next(item for item in soft.items if item not in clash.items)
        assert confirm_clash(soft, Clash((*clash.items, other)), Deadline())
        assert not proved_minimal(reasoner, Clash((*clash.items, other)))
