"""The fewest cells to show are those of brute force over all sets of cells."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path

import brute_force
import pytest
import sudoku_brute_force
from generated import random_puzzle
from thoroughness import few_or_many, mostly_long

import milp_pips
from milp_pips.cli import main
from milp_pips.extras.generate import clues as module
from milp_pips.problem.errors import UsageError

EXAMPLES = Path(__file__).parents[3] / "examples"
SEVERAL = EXAMPLES / "pips" / "several.txt"


def fewest_by_brute_force(solution, others, cells):
    """Return the fewest cells in which no other solution agrees with this one; None if none are enough."""
    for n in range(len(cells) + 1):
        for chosen in combinations(cells, n):
            if not any(all(other[c] == solution[c] for c in chosen) for other in others):
                return n
    return None


def by_key(puzzle, key):
    """Return every solution as its values by cell; a placement of equal values occurs once for each."""
    laid = brute_force.grids(puzzle) if key == "grid" else brute_force.placements(puzzle)
    return [dict(half for part in one for half in ([part] if key == "grid" else part)) for one in laid]


def puzzles_with_several(seeds):
    made = [random_puzzle(3, 61), *(random_puzzle(4, seed) for seed in seeds)]
    return [puzzle for puzzle in made if 1 < len(brute_force.placements(puzzle)) < 200]


@pytest.mark.long
@pytest.mark.parametrize("seeds", few_or_many([(3, 6)], [(3, 6), (0, 2, 4)]))
@pytest.mark.parametrize("key", mostly_long(1, ["placement", "grid"]))
def test_each_solution_needs_as_many_cells_as_by_brute_force(key, seeds):
    seen = set()
    for puzzle in puzzles_with_several(seeds):
        solutions = by_key(puzzle, key)
        expected = [
            fewest_by_brute_force(one, solutions[:i] + solutions[i + 1 :], puzzle.cells)
            for i, one in enumerate(solutions)
        ]
        found = milp_pips.clues(puzzle, each=True, distinct=key)
        numbers = [None if one.facts is None else len(one.facts) for one in found.found]
        assert found.solutions == len(solutions)
        assert sorted(numbers, key=str) == sorted(expected, key=str)
        for one in found.found:
            assert one.is_possible == (one.facts is not None)
            if one.facts is not None:
                assert one.is_fewest
                assert one.unique_by
                shown = {puzzle.cells[v]: value for v, value, _ in one.facts}
                assert sum(all(s[c] == x for c, x in shown.items()) for s in solutions) == 1
        best = milp_pips.clues(puzzle, distinct=key)
        least = min((n for n in expected if n is not None), default=None)
        assert (None if best.best is None else len(best.best.facts)) == least
        assert best.is_fewest == (least is not None)
        seen |= {*numbers}
    assert seen >= ({None, 2, 3} if key == "placement" else {2, 3})


def test_a_solver_finds_other_solutions_if_they_cannot_be_listed(monkeypatch):
    puzzle = milp_pips.Sudoku.from_rows(["1...", "....", "....", "...2"], name="four")
    solutions = sorted(sudoku_brute_force.solutions(puzzle))
    flat = [{(r, c): s[r][c] for r in range(4) for c in range(4)} for s in solutions]
    monkeypatch.setattr(module, "MAX_LISTED", 0)
    for i, solution in enumerate(solutions[:3]):
        found = milp_pips.clues(puzzle, milp_pips.solve(puzzle, board=board_of(solution)).solution)
        assert found.solutions is None
        assert len(found.best.facts) == fewest_by_brute_force(
            flat[i], flat[:i] + flat[i + 1 :], list(flat[i])
        )
        assert found.is_fewest
    with pytest.raises(UsageError, match="too many solutions to look at each: name the one"):
        milp_pips.clues(puzzle)


def board_of(solution):
    return {f"r{r + 1}c{c + 1}": int(x) for r, row in enumerate(solution) for c, x in enumerate(row)}


def test_the_fewest_givens_of_a_sudoku_grid():
    puzzle = milp_pips.Sudoku.from_rows(["....", "....", "....", "...."], name="four")
    solutions = sorted(sudoku_brute_force.solutions(puzzle))
    flat = [{(r, c): s[r][c] for r in range(4) for c in range(4)} for s in solutions]
    assert len(flat) == 288
    solution = milp_pips.solve(puzzle, board=board_of(solutions[0])).solution
    found = milp_pips.clues(puzzle, solution)
    assert len(found.best.facts) == fewest_by_brute_force(flat[0], flat[1:], list(flat[0]))
    assert found.is_fewest


def test_the_command(capsys, tmp_path):
    assert main(["clues", str(SEVERAL), "--distinct", "grid"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("Show that r")
    assert "several: four cells leave one grid of 56, no fewer do; one grid confirmed by " in out
    assert main(["clues", str(EXAMPLES / "pips" / "easy.txt"), "--quiet"]) == 0
    assert capsys.readouterr().out.startswith("easy: there is one placement already, in ")
    assert main(["clues", str(EXAMPLES / "pips" / "square.txt"), "--each", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert [len(one["cells"]) for one in record["found"]] == [1] * 2
    solved = milp_pips.solve(milp_pips.read(SEVERAL))
    solution = tmp_path / "solution.json"
    solution.write_text(json.dumps(solved.to_json()))
    assert main(["clues", str(SEVERAL), str(solution), "--json"]) == 0
    (one,) = json.loads(capsys.readouterr().out)["found"]
    grid = solved.to_json()["grid"]
    assert all(grid[int(f["cell"][1]) - 1][int(f["cell"][3]) - 1] == f["is"] for f in one["cells"])


def test_where_no_cells_are_enough(capsys, tmp_path):
    file = tmp_path / "square.txt"
    file.write_text("2\nAA\nAA\n1\nA EQ\n2\n1 1\n1 1\n")
    assert main(["clues", str(file), "--distinct", "placement", "--each"]) == 1
    out = capsys.readouterr().out
    assert "1. no cells leave it alone" in out
    assert "square: no cells leave one placement of 2, in " in out
    assert main(["clues", str(file)]) == 0
    assert "square: there is one grid already, in " in capsys.readouterr().out


def test_bad_input_and_limits(capsys, tmp_path):
    assert main(["clues", str(EXAMPLES / "pips" / "impossible.txt")]) == 2
    assert "impossible has no solution, so no cells leave one" in capsys.readouterr().err
    assert main(["clues", str(SEVERAL), "--distinct", "colour"]) == 2
    assert "colour" in capsys.readouterr().err
    assert main(["clues", str(SEVERAL), "--time-limit", "0", "--json"]) == 3
    assert json.loads(capsys.readouterr().out)["stop"] == "time"
    puzzle = milp_pips.read(SEVERAL)
    wrong = milp_pips.solve(milp_pips.read(EXAMPLES / "pips" / "easy.txt")).solution
    with pytest.raises(UsageError, match="breaks a rule"):
        milp_pips.clues(puzzle, wrong)
