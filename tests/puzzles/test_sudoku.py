"""Sudokus through every engine: against brute force, and the published ones; the rules of the game."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from sudoku_brute_force import solutions as by_brute_force
from sudoku_strategies import sudokus
from thoroughness import examples

import milp_pips
from milp_pips.cli import main
from milp_pips.constraints import AllDifferent, LinearSum
from milp_pips.engines import registry
from milp_pips.puzzles import family as families
from milp_pips.puzzles.sudoku.puzzle import Rows, Sudoku
from milp_pips.render.text import to_text
from milp_pips.tasks.check import check
from milp_pips.tasks.count import count
from milp_pips.tasks.enumerate import solutions
from milp_pips.tasks.solve import solve

FAMILY = families.family("sudoku")

EXAMPLES = Path(__file__).parents[2] / "examples" / "sudoku"
PUBLISHED = ("pi_day_2009", "pi_day_2010", "killer")
TABLE = dict(re.findall(r"^\| `(.*?)` \|.*\| (\d+) \|$", (EXAMPLES / "README.md").read_text("utf-8"), re.M))


def example(name: str) -> Sudoku:
    found = milp_pips.read(EXAMPLES / f"{name}.txt")
    assert isinstance(found, Sudoku)
    return found


def puzzle_in(text: str) -> Sudoku:
    puzzle = FAMILY.read("sudoku\n" + text, "f")[""]
    assert puzzle is not None
    return puzzle


# ------------------------------------------------------------------------------------ against brute force


@examples(12)
@given(sudokus())
def test_the_diagram_counts_and_lists_what_brute_force_finds(puzzle: Sudoku) -> None:
    expected = by_brute_force(puzzle)
    assert puzzle.published is None or puzzle.published in expected
    counted = count(puzzle)
    assert (dict(counted.counts), counted.complete) == ({"grid": len(expected)}, True)
    if len(expected) <= 50:
        assert set(solutions(puzzle)) == expected


WAYS = {
    "highs": ("partition", 8),
    "cp-sat": ("native", 8),
    "scip": ("native", 5),
    "minizinc": ("native", 3),
    "cbc": ("cuts", 2),
    "pulp": ("cuts", 2),
    "pyomo": ("cuts", 2),
}


@pytest.mark.parametrize("solver", WAYS)
def test_every_engine_finds_what_brute_force_finds(solver: str) -> None:
    if reason := registry.solver(solver).unavailable():
        pytest.skip(reason)
    method, few = WAYS[solver]

    @examples(few)
    @given(sudokus())
    def agree(puzzle: Sudoku) -> None:
        expected = by_brute_force(puzzle)
        limit = 3 if method == "cuts" else 10
        listed = solutions(puzzle, solver=solver, method=method, limit=limit)
        found = list(listed)
        assert listed.summary is not None
        assert len(set(found)) == len(found) == min(limit, len(expected))
        assert set(found) <= expected
        assert listed.summary.complete == (len(expected) < limit)
        if not expected:
            result = solve(puzzle, solver)
            assert (result.status, bool(result.confirmed_by)) == ("infeasible", True)

    agree()


@examples(9)
@given(sudokus())
def test_check_accepts_the_solutions_and_nothing_else(puzzle: Sudoku) -> None:
    expected = by_brute_force(puzzle)
    for solution in sorted(expected)[:2]:
        assert check(puzzle, solution).right is True
        assert FAMILY.decode(puzzle, list(FAMILY.encode(puzzle, solution).values())) == solution
        for r, row in enumerate(solution):
            for other in set(puzzle.holds) - {row[r]}:
                assert FAMILY.check(puzzle, _with(solution, r, r, other)) is not None
            swapped = [list(symbols) for symbols in solution]
            swapped[0], swapped[r] = swapped[r], swapped[0]  # rows and columns stay right
            turned = tuple(map(tuple, swapped))
            assert (FAMILY.check(puzzle, turned) is None) == (turned in expected)


def _with(solution: Rows, r: int, c: int, symbol: str) -> Rows:
    rows = [list(row) for row in solution]
    rows[r][c] = symbol
    return tuple(map(tuple, rows))


# ----------------------------------------------------------------------------------------------- examples


def test_the_table_of_examples_names_them_all() -> None:
    assert set(TABLE) == {path.name for path in EXAMPLES.iterdir()} - {"README.md"}
    assert all(TABLE[f"{name}.txt"] == "1" for name in PUBLISHED)


@pytest.mark.parametrize("name", sorted(TABLE.keys() - {"pi_day_2009.txt"}))
def test_examples_have_the_counts_that_their_table_says(name: str) -> None:
    counted = count(milp_pips.read(EXAMPLES / name))
    assert (counted.counts["grid"], counted.complete) == (int(TABLE[name]), True)


# --------------------------------------------------------------------------------------------- statement


def test_constraints_speak_the_players_words() -> None:
    puzzle = puzzle_in("1...\n....\n....\n....\ncages\naa..\nbc..\n.c..\n....\na 3\nb 4\nc 3\n")
    problem = milp_pips.state(puzzle)
    labels = [constraint.label for constraint in problem.constraints]
    assert labels == (
        [f"row {i}" for i in (1, 2, 3, 4)]
        + [f"column {i}" for i in (1, 2, 3, 4)]
        + [f"box {i}" for i in (1, 2, 3, 4)]
        + ["cage a: sum 3", "cage a: no number twice", "cage b: sum 4"]
        + ["cage c: sum 3", "cage c: no number twice"]
    )
    assert {type(constraint) for constraint in problem.constraints} == {AllDifferent, LinearSum}
    assert [variable.name for variable in problem.variables][3:5] == ["r1c4", "r2c1"]
    assert problem.variables[0].domain == (1,)
    assert problem.variables[1].domain == (1, 2, 3, 4)
    assert dict(problem.keys) == {"grid": tuple(range(16))}
    assert dict(problem.value_names) == {}


RIGHT = "1234\n3412\n2143\n4321"


@pytest.mark.parametrize(
    "rest, solution, broken",
    [
        ("", RIGHT, None),
        ("", "1324\n3412\n2143\n4231", "box 1 has 3 twice"),
        ("", "1234\n1234\n2143\n4321", "column 1 has 1 twice"),
        ("", "1134\n3412\n2143\n4321", "row 1 has 1 twice"),
        ("", "2134\n3412\n1243\n4321", "r1c1 is 2, but 1 is given there"),
        ("regions\nABBB\nACCB\nACDD\nACDD", RIGHT, "region B has 2 twice"),
        ("cages\naa..\n....\n....\n....\na 5", RIGHT, "cage a: sum 5, but its cells show 1, 2"),
        ("cages\na...\na...\n....\n...a\na 5", RIGHT, "cage a has 1 twice"),
        ("cages with repeats\na...\na...\n....\n...a\na 5", RIGHT, None),
        ("groups\nx...\n.x..\n..x.\n...x", RIGHT, "group x has 1 twice"),
        ("groups\nxx..\nxx..\n....\n....\nx 1123", RIGHT, "group x has 4, which does not belong there"),
        ("groups\nxx..\n....\n.x..\n..x.\nx 1222", RIGHT, "group x has 1 twice"),
    ],
)
def test_check_names_the_first_broken_rule(rest: str, solution: str, broken: str | None) -> None:
    puzzle = puzzle_in("1...\n....\n....\n....\n" + rest)
    assert FAMILY.check(puzzle, FAMILY.read_solution(puzzle, solution, "")) == broken


# ------------------------------------------------------------------------------------- every verb, generic


def test_counts_per_cell_show_symbols(capsys: pytest.CaptureFixture[str]) -> None:
    letters = example("letters")
    counted = count(letters, cells=True)
    assert counted.to_json()["cells"]["r1c1"] == {"A": 4, "B": 2, "D": 2}
    assert "│ A 50% │ C 50% │" in to_text(counted.drawing())
    assert main(["count", str(EXAMPLES / "jigsaw.txt")]) == 0
    assert capsys.readouterr().out.startswith("jigsaw: 8 grids (decision diagram, ")


@pytest.mark.parametrize(
    "to, shown",
    [("lp", " value_r1c1_A + value_r1c2_A "), ("mps", " BV BND value_r4c4_D"), ("mzn", "% 1 is A, 2 is B")],
)
def test_exported_models_have_readable_symbols(
    capsys: pytest.CaptureFixture[str], to: str, shown: str
) -> None:
    assert main(["export", str(EXAMPLES / "letters.txt"), "--to", to]) == 0
    assert shown in capsys.readouterr().out
