"""Colour grids through every engine and linearisation, held against trying every filling."""

from __future__ import annotations

from pathlib import Path

import pytest
from colour_grids import colour_grids, fillings
from hypothesis import given
from thoroughness import examples

import milp_pips
from milp_pips.constraints import NoGood
from milp_pips.engines import registry
from milp_pips.formulations.milp.draft import formulate
from milp_pips.problem.answer import Proof, Settings
from milp_pips.problem.errors import InputError, UsageError
from milp_pips.problem.problem import Problem, Variable
from milp_pips.problem.stopping import Deadline
from milp_pips.puzzles.colour_grid.puzzle import Colour, ColourGrid
from milp_pips.puzzles.family import family_of

EXAMPLES = Path(__file__).parents[2] / "examples" / "colour_grid"
PUBLISHED = milp_pips.read(EXAMPLES / "colour_grid.txt")
BOTH = {("rrgb", "brrg", "bbbb", "grbg"), ("rrgb", "bbrg", "bbbb", "grbg")}
WAYS = [("highs", "flow"), ("highs", "strings"), ("cp-sat", ""), ("brute", "")]


def every_point(solver: str, formulation: str, problem: Problem) -> list[tuple[int, ...]]:
    """All points, by solving and excluding what was found until the engine says that there is no more."""
    engine, points = registry.solver(solver), []
    if engine.unavailable():
        pytest.skip(engine.unavailable())
    while True:
        cuts = [NoGood(problem.keys["grid"], point) for point in points]
        answer = engine.solve(problem.with_constraints(cuts), Settings(formulation), Deadline())
        if answer.point is None:
            assert answer.proof is Proof.INFEASIBLE, answer
            return points
        assert problem.violated(answer.point) is None
        assert formulation in answer.formulation
        points.append(answer.point)


@pytest.mark.parametrize("solver, formulation", [("highs", "flow"), ("highs", "strings"), ("cp-sat", "")])
def test_the_published_grid_has_exactly_two_fillings(solver, formulation):
    points = every_point(solver, formulation, milp_pips.state(PUBLISHED))
    assert len(points) == 2
    assert {family_of(PUBLISHED).decode(PUBLISHED, point) for point in points} == BOTH


@pytest.mark.parametrize("solver, formulation", WAYS)
def test_every_engine_finds_exactly_the_fillings_of_random_grids(solver, formulation):
    @examples(8 if solver in ("highs", "cp-sat", "brute") else 4)
    @given(puzzle=colour_grids(most_cells=6))
    def check(puzzle):
        expected = fillings(puzzle)
        if len(expected) <= 6:
            problem = milp_pips.state(puzzle)
            points = every_point(solver, formulation if problem.constraints else "", problem)
            assert len(points) == len(expected)
            assert {family_of(puzzle).decode(puzzle, point) for point in points} == expected

    check()


def test_examples_have_the_counts_that_their_table_says():
    table = {}
    for line in (EXAMPLES / "README.md").read_text().splitlines():
        if line.startswith("| `"):
            name, _, number = (part.strip() for part in line.strip("|").split("|"))
            table[name.strip("`")] = int(number)
    for name, number in table.items():
        assert milp_pips.count(milp_pips.read(EXAMPLES / name)).counts == {"grid": number}, name
    assert set(table) == {p.name for p in EXAMPLES.iterdir()} - {"README.md"}


@pytest.mark.parametrize(
    "name, reason",
    [
        ("impossible.txt", "counting: 'row 2: rbrbr' cannot be obeyed on 4 cells"),
        ("contradiction.txt", "the decision diagram"),
    ],
)
@pytest.mark.parametrize("solver, formulation", WAYS)
def test_that_there_is_no_filling_is_found_and_confirmed(name, reason, solver, formulation, monkeypatch):
    monkeypatch.setattr("milp_pips.verification.second_opinion.LEAST_BUDGET", 100.0)  # on a busy machine, too
    if registry.solver(solver).unavailable():
        pytest.skip(registry.solver(solver).unavailable())
    result = milp_pips.solve(milp_pips.read(EXAMPLES / name), solver, formulation=formulation)
    assert result.status == "infeasible"
    assert result.confirmed_by == reason


def test_labels_are_in_the_player_s_words():
    problem = milp_pips.state(milp_pips.read(EXAMPLES / "expressions.txt"))
    labels = [constraint.label for constraint in problem.constraints]
    assert labels[0] == "row 1: /(ry)+rb*/"
    assert labels[7] == "column 3: ryb"
    assert problem.variables[7].name == "r2c3"


@pytest.mark.parametrize(
    "filling, words",
    [
        (("rrgb", "brrg", "bbbb", "grbg"), None),
        (("rrrr", "brrg", "bbbb", "grbg"), "row 1: rgb, but its cells show rrrr"),
        (("rrgb", "bbrg", "bbbb", "grbr"), "row 4: grbg, but its cells show grbr"),
        (("rggb", "bbrg", "bbbb", "grbg"), "column 2: rbr, but its cells show gbbr"),
        (("rxgb", "bbrg", "bbbb", "grbg"), "r1c2 has the colour x, which is not one of r, g, b"),
        (("rrgb", "bbrg", "bbb", "grbg"), "the filling is not 4 rows of 4 cells"),
        (("rrgb", "bbrg", "bbbb"), "the filling is not 4 rows of 4 cells"),
    ],
)
def test_the_first_broken_rule_is_named(filling, words):
    assert family_of(PUBLISHED).check(PUBLISHED, filling) == words


def test_what_makes_no_grid():
    for rows, columns, colours in [((), (None,), "r"), ((None,), (), "r"), ((None,), (None,), "")]:
        with pytest.raises(InputError, match="at least one colour, one row and one column"):
            ColourGrid("no grid", tuple(map(Colour, colours)), rows, columns)
    with pytest.raises(InputError, match="two colours have the same letter"):
        ColourGrid("no grid", (Colour("r"), Colour("r")), (None,), (None,))


def test_a_formulation_that_concerns_nothing_in_the_puzzle_is_refused():
    with pytest.raises(
        UsageError, match="nothing that 'projected' could state; it can be stated by flow, strings"
    ):
        formulate(milp_pips.state(PUBLISHED), "projected")
    with pytest.raises(UsageError, match="it is stated in one way only"):
        formulate(Problem((Variable("a", (1, 2)),), ()), "flow")
    assert formulate(milp_pips.state(PUBLISHED), "projected, strings").formulation == "strings"
