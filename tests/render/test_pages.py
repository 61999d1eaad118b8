"""Families from outside, a page each: the vocabulary states them as they are; every engine and verb."""

from __future__ import annotations

import json
import os
import sys
from itertools import permutations, product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from thoroughness import examples

import milp_pips
from milp_pips.cli import main
from milp_pips.engines import registry
from milp_pips.problem import plugins
from milp_pips.puzzles import family as families

OUTSIDE = Path(__file__).parents[1] / "outside"
FUTOSHIKI_FOLDER = Path(__file__).parents[2] / "examples" / "plugins" / "futoshiki"

FUTOSHIKI = """futoshiki
. < . . > .
. > . . 4
. . 2 .
^ v . .
. . . > .
"""
KENKEN = """kenken
A A B B
C D D B
C E F F
E E G G
A 1-
B 6+
C 4/
D 2-
E 6x
F 1-
G 5+
"""
PUZZLES = {"futoshiki": FUTOSHIKI, "kenken": KENKEN}
SOLVED = {
    "futoshiki": [[2, 3, 4, 1], [3, 2, 1, 4], [1, 4, 2, 3], [4, 1, 3, 2]],
    "kenken": [[3, 4, 2, 1], [1, 2, 4, 3], [4, 1, 3, 2], [2, 3, 1, 4]],
}


@pytest.fixture(params=PUZZLES)
def family(request):
    return request.param


@pytest.fixture
def file(family, tmp_path):
    path = tmp_path / f"{family}.txt"
    path.write_text(PUZZLES[family], encoding="utf-8")
    return str(path)


@pytest.fixture
def run(monkeypatch, capsys):
    """Run the command line in this process, the families installed beside it."""
    monkeypatch.syspath_prepend(str(OUTSIDE))
    monkeypatch.setenv(
        "PYTHONPATH", os.pathsep.join(map(str, (OUTSIDE, FUTOSHIKI_FOLDER, os.environ.get("PYTHONPATH", ""))))
    )

    def call(*words):
        main(list(words))
        return capsys.readouterr()

    return call


def test_each_is_a_page(family):
    folder, lines = (FUTOSHIKI_FOLDER, 120) if family == "futoshiki" else (OUTSIDE, 170)
    assert (folder / f"{family.replace('-', '_')}.py").read_text(encoding="utf-8").count("\n") <= lines


ENGINES = [
    (family, solver)
    for family in PUZZLES
    for solver in registry.names()
    if family == "futoshiki" or solver in ("highs", "cp-sat", "minizinc", "clingo", "sat", "brute", "diagram")
]
"""Every engine solves one of the families, an engine of each kind the others."""


@pytest.mark.parametrize(("family", "solver"), ENGINES, indirect=["family"])
def test_every_engine_solves_it(family, file, solver, run):
    reason = registry.solver(solver).unavailable()
    if reason:
        pytest.skip(reason)
    record = json.loads(run("solve", file, "--solver", solver, "--json").out)
    assert (record["family"], record["status"]) == (family, "solved")
    assert record["grid"] == SOLVED[family]


def test_its_pictures(family, file, run, golden):
    golden(f"{family}.txt", run("show", file).out)
    golden(f"{family}.svg", run("show", file, "--svg").out)


@pytest.mark.parametrize(
    ("family", "old", "new", "message"),
    [
        (
            "futoshiki",
            "^ v . .",
            "^ v .",
            ":5: this is not a row of 4 cells; expected one, or ^, v and . below one",
        ),
        ("futoshiki", ". > . . 4", ". > . . 5", ':3: a cell is "5"; expected a number from 1 to 4'),
        ("kenken", "D 2-\n", "", ":11: there is no result for cage D; expected a line like D 6x"),
        ("kenken", "E 6x", "E 6-", ":10: cage E has 3 cells; expected two, for -"),
    ],
)
def test_readers_name_the_line(family, old, new, message, tmp_path, run):
    path = tmp_path / "bad.txt"
    path.write_text(PUZZLES[family].replace(old, new, 1), encoding="utf-8")
    assert message in run("solve", str(path)).err


def module(name):
    sys.path.insert(0, str(OUTSIDE))
    try:
        families.family(name.replace("_", "-"))
        return plugins.load(name)
    finally:
        sys.path.remove(str(OUTSIDE))


def squares(size):
    rows = list(permutations(range(1, size + 1)))
    return [grid for grid in product(rows, repeat=size) if all(map(differ, zip(*grid, strict=True)))]


def differ(numbers):
    return len(set(numbers)) == len(numbers)


CELLS = list(product(range(3), range(3)))
PAIRS = [(p, q) for p in CELLS for q in CELLS if abs(p[0] - q[0]) + abs(p[1] - q[1]) == 1]


@examples(8)
@given(st.lists(st.sampled_from(PAIRS), unique=True, max_size=5), st.sampled_from([0, 1, 2, 3]))
def test_futoshiki_has_the_solutions_that_trying_every_square_finds(less, given_number):
    futoshiki = module("futoshiki")
    less_cells = tuple((3 * a + b, 3 * c + d) for (a, b), (c, d) in less)
    puzzle = futoshiki.Futoshiki("random", 3, (0, 0, 0, 0, given_number, 0, 0, 0, 0), less_cells)
    expected = {
        sum(grid, ())
        for grid in squares(3)
        if given_number in (0, grid[1][1]) and all(grid[a][b] < grid[c][d] for (a, b), (c, d) in less)
    }
    assert set(milp_pips.solutions(puzzle)) == expected
    assert milp_pips.count(puzzle).counts == {"grid": len(expected)}
    assert {
        grid for grid in (sum(rows, ()) for rows in squares(3)) if not futoshiki.check(puzzle, grid)
    } == expected


@examples(8)
@given(st.sampled_from(squares(3)), st.lists(st.sampled_from("+x-/"), min_size=4, max_size=4))
def test_kenken_has_the_solutions_that_trying_every_square_finds(hidden, signs):
    kenken = module("kenken")
    cages, expected = [], squares(3)
    for sign, cells in zip(signs, (CELLS[:2], (CELLS[2], CELLS[5]), CELLS[3:5], CELLS[6:]), strict=True):
        wanted = hidden[cells[0][0]][cells[0][1]], hidden[cells[1][0]][cells[1][1]]
        sign = "x" if len(cells) > 2 and sign in "-/" else sign
        if sign == "/" and max(wanted) % min(wanted):
            sign = "-"
        numbers = [hidden[r][c] for r, c in cells]
        cages.append(kenken.Cage(sign, result_of(sign, numbers), sign, tuple(cells)))
        expected = [
            grid
            for grid in expected
            if result_of(sign, [grid[r][c] for r, c in cells]) == result_of(sign, numbers)
        ]
    puzzle = kenken.KenKen("random", 3, tuple(cages))
    assert set(milp_pips.solutions(puzzle)) == set(expected)
    assert milp_pips.count(puzzle).counts == {"grid": len(expected)}
    assert {grid for grid in squares(3) if kenken.check(puzzle, grid) is None} == set(expected)


def result_of(sign, numbers):
    a, b = max(numbers[:2]), min(numbers[:2])
    c = numbers[2] if len(numbers) > 2 else {"x": 1}.get(sign, 0)
    return {"+": a + b + c, "-": a - b, "x": a * b * c, "/": a / b}[sign]


def test_tables_are_stated_in_two_ways(tmp_path, run):
    path = tmp_path / "kenken.txt"
    path.write_text(KENKEN, encoding="utf-8")
    for formulation, family in (("tuples", "tuple"), ("tree", "branch")):
        record = json.loads(
            run("solve", str(path), "--solver", "highs", "--formulation", formulation, "--json").out
        )
        assert (record["formulation"], record["grid"]) == (formulation, SOLVED["kenken"])
        assert f" {family}_" in run("export", str(path), "--formulation", formulation).out
