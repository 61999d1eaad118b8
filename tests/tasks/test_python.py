"""The Python interface: puzzles made by hand, bare problems, wrong arguments, types, pickles."""

from __future__ import annotations

import os
import pickle
import re
import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest

import milp_pips
from milp_pips import (
    AllDifferent,
    Cardinality,
    ColourGrid,
    InputError,
    LinearSum,
    Pips,
    Problem,
    Relation,
    Settings,
    Sudoku,
    UsageError,
    Variable,
)

PACKAGE = Path(milp_pips.__file__).parent
EXAMPLES = PACKAGE.parent / "examples"
BOARD = (["AAB", "#CB"], {"A": "EQ", "B": "SUM 7"}, [(0, 3), (3, 4), (1, 3)])
TEXT = "2\nAAB\n#CB\n2\nA EQ\nB SUM 7\n3\n0 3\n3 4\n1 3\n"


def test_a_board_made_of_rows_is_the_one_that_a_file_has():
    made = Pips.from_rows(*BOARD)
    assert made == Pips.from_text(TEXT)
    assert made.name == "puzzle"
    assert Pips.from_rows(*BOARD, name="Monday 1.2").name == "Monday 1.2"
    listed = Pips.from_rows([["A", "A", "long"], ["#", "C", "long"]], {"A": "EQ", "long": "SUM 7"}, BOARD[2])
    assert milp_pips.state(listed).digest("") == milp_pips.state(made).digest("")


def test_a_level_of_a_text_with_several():
    text = (EXAMPLES / "pips" / "three_levels.json").read_text(encoding="utf-8")
    assert Pips.from_text(text, level="hard") == milp_pips.read(
        EXAMPLES / "pips" / "three_levels.json", "hard"
    )
    with pytest.raises(
        UsageError, match="there are 3 puzzles; name one of the levels 'easy', 'medium', 'hard'"
    ):
        Pips.from_text(text)
    with pytest.raises(UsageError, match="there is no level 'cruel'; name one of the levels 'easy', 'med"):
        Pips.from_text(text, level="cruel")


def test_a_sudoku_of_rows_has_as_many_solutions_as_its_file():
    file = milp_pips.read(EXAMPLES / "sudoku" / "ordinary.txt")
    made = Sudoku.from_rows([[symbol or "." for symbol in row] for row in file.givens])
    assert (made.givens, made.regions) == (file.givens, file.regions)
    killer = Sudoku.from_rows(["....", "....", "....", "...."], cages=["ab..", "ab..", "....", "...."],
                              sums={"a": 3, "b": 7})  # fmt: skip
    assert [cage.total for cage in killer.cages] == [3, 7]
    jigsaw = Sudoku.from_rows([[1, 0], [0, 0]], regions=["ab", "ab"])
    assert [region.name for region in jigsaw.regions] == ["region a", "region b"]
    assert milp_pips.solve(jigsaw).solution == (("1", "2"), ("2", "1"))


def test_a_colour_grid_of_clues():
    made = ColourGrid.from_clues(["rg", "/r+g*/"], ["r", None])
    assert made == ColourGrid.from_text("colour grid\nrows\nrg\n/r+g*/\ncolumns\nr\n-\n")
    assert set(milp_pips.solutions(made)) == {("rg", "rg"), ("rg", "rr")}


@pytest.mark.parametrize(
    "make, message",
    [
        (
            lambda: Pips.from_rows(["AA"], {"B": "EQ"}, [(1, 2)]),
            'region "B" has a rule, but no cell on the board',
        ),
        (lambda: Pips.from_rows(["AA"], {"A": "LT"}, [(1, 2)]), "rule 1 of 1, LT, has no number"),
        (lambda: Pips.from_rows(["AA"], {}, []), "the number of dominoes is 0, but the number of cells is 2"),
        (lambda: Pips.from_text("2\nAA\n"), "puzzle:2: the file ends before row 2 of the 2 board rows"),
        (lambda: Sudoku.from_rows(["1.", "x."]), 'r2c1 is "x"; expected 1 or 2'),
        (lambda: ColourGrid.from_clues(["/(r/"], [None]), "row 1: "),
    ],
)
def test_what_is_wrong_with_a_made_puzzle_is_told_in_one_line(make, message):
    with pytest.raises(InputError, match=re.escape(message)) as refusal:
        make()
    assert "\n" not in str(refusal.value)


DIGITS = tuple(Variable(name, (0, 1, 2, 3)) for name in "abcd")
RULES = (
    AllDifferent((0, 1, 2), "a, b, c differ"),
    LinearSum((0, 3), Relation.GE, 4, "a + d >= 4"),
    Cardinality((0, 1, 2, 3), ((3, 2, 2),), "3 twice"),
)
EXPECTED = {
    values for values in product(range(4), repeat=4) if Problem(DIGITS, RULES).violated(values) is None
}


@pytest.mark.parametrize("solver", ["", "highs", "brute", "diagram"])
def test_a_bare_problem_is_solved(solver):
    result = milp_pips.solve(Problem(DIGITS, RULES), solver)
    assert result.solution.assignment in EXPECTED
    assert dict(result.solution) == dict(zip("abcd", result.solution.assignment, strict=True))
    assert result.to_json()["values"] == dict(result.solution)
    assert str(result).startswith("a   ")


def test_a_bare_problem_is_counted_listed_and_sampled():
    problem = Problem(DIGITS, RULES)
    assert milp_pips.count(problem).counts == {"assignment": len(EXPECTED)}
    listed = [solution.assignment for solution in milp_pips.solutions(problem)]
    assert len(listed) == len(EXPECTED)
    assert set(listed) == EXPECTED
    assert {solution.assignment for solution in milp_pips.solutions(problem, "highs")} == EXPECTED
    assert {solution.assignment for solution in milp_pips.sample(problem, 20)} <= EXPECTED
    assert milp_pips.check(problem, milp_pips.solve(problem).solution).right
    assert milp_pips.explain(problem).status == "several"


def test_a_list_of_a_bare_problem_goes_on_from_its_file(tmp_path):
    out, problem = str(tmp_path / "list.jsonl"), Problem(DIGITS, RULES, value_names={3: "three"})
    assert len(list(milp_pips.solutions(problem, out=out, limit=2))) == 2
    rest = milp_pips.solutions(problem, out=out)
    assert len(list(rest)) == len(EXPECTED) - 2
    assert rest.summary.complete
    assert len(Path(out).read_text().splitlines()) == len(EXPECTED)
    assert '"three"' in Path(out).read_text()


def test_the_names_of_a_bare_problem_differ():
    twice = Problem((Variable("a", (1,)), Variable("a", (1,))), ())
    with pytest.raises(InputError, match="two variables have the name 'a'; expected a name for each"):
        milp_pips.solve(twice)


PUZZLE = Pips.from_rows(*BOARD)


@pytest.mark.parametrize(
    "call, kind, message",
    [
        (
            lambda: milp_pips.solve("x.json"),
            TypeError,
            "solve takes a puzzle; read one with milp_pips.read('x.js",
        ),
        (
            lambda: milp_pips.solve(None),
            TypeError,
            "solve takes a puzzle, as milp_pips.read returns it, not None",
        ),
        (
            lambda: milp_pips.formulate(PUZZLE),
            TypeError,
            "formulate takes a problem; state one with milp_pips.state",
        ),
        (
            lambda: milp_pips.estimate(PUZZLE),
            TypeError,
            "estimate takes a problem; state one with milp_pips.state",
        ),
        (
            lambda: milp_pips.solve(PUZZLE, seconds=-1),
            ValueError,
            "seconds must be a number of seconds, or None, not ",
        ),
        (lambda: milp_pips.solve(PUZZLE, 10), TypeError, "the name of the solver must be a string, not 10"),
        (
            lambda: milp_pips.solve(PUZZLE, "", 10),
            TypeError,
            "settings are a milp_pips.Settings, not 10; or name one",
        ),
        (
            lambda: milp_pips.solve(PUZZLE, time=3),
            TypeError,
            "solve() got an unexpected keyword 'time'; did you mean 'seconds'?",
        ),
        (
            lambda: milp_pips.solve(PUZZLE, threads=0),
            ValueError,
            "threads must be a whole number from 1 on, not 0",
        ),
        (
            lambda: milp_pips.solve(PUZZLE, rules="pruning"),
            TypeError,
            "rules must be a tuple of names such as ('equality', 'pruning'), or None, not 'pruning'",
        ),
        (
            lambda: milp_pips.sample(PUZZLE, -1),
            ValueError,
            "the number of solutions must be a whole number from 0 on, not",
        ),
        (lambda: milp_pips.generate(count=0), ValueError, "count must be a whole number from 1 on, not 0"),
        (lambda: Settings(seed=-1), ValueError, "seed must be a whole number from 0 on, not -1"),
        (lambda: Settings(memory="1G"), TypeError, "memory must be a number of bytes, or None, not '1G'"),
    ],
)
def test_a_wrong_argument_is_refused_in_one_sentence(call, kind, message):
    with pytest.raises(kind, match=re.escape(message)) as refusal:
        call()
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize("task", ["solve", "count", "explain", "hint", "rate", "state"])
@pytest.mark.parametrize("puzzle", [PUZZLE, Problem(DIGITS, RULES)], ids=["puzzle", "problem"])
def test_what_a_task_returns_survives_a_pickle(task, puzzle):
    result = getattr(milp_pips, task)(puzzle)
    again = pickle.loads(pickle.dumps(result))
    assert str(again) == str(result)
    if task != "state":
        assert again.to_json() == result.to_json()


def test_puzzles_solutions_and_models_survive_a_pickle():
    (solution, *_), model = milp_pips.solutions(PUZZLE), milp_pips.formulate(milp_pips.state(PUZZLE))
    assert pickle.loads(pickle.dumps((PUZZLE, solution))) == (PUZZLE, solution)
    assert pickle.loads(pickle.dumps(model)).to_lp() == model.to_lp()
    made = next(milp_pips.generate(dominoes=4))
    assert pickle.loads(pickle.dumps(made)) == made


SCRIPT = """
import milp_pips
from milp_pips import Pips, Problem, Variable

puzzle = milp_pips.read("x.txt")
reveal_type(puzzle)
reveal_type(milp_pips.solve(puzzle, "highs", seconds=10))
reveal_type(milp_pips.count(puzzle).counts)
reveal_type(milp_pips.solutions(puzzle))
reveal_type(milp_pips.explain(puzzle))
reveal_type(milp_pips.hint(puzzle))
reveal_type(Pips.from_text("2"))
reveal_type(Pips.from_rows(["AA"], {"A": "EQ"}, [(1, 1)]))
reveal_type(milp_pips.state(puzzle))
reveal_type(milp_pips.solve(Problem((Variable("a", (1,)),), ())).status)
"""
TYPES = """
milp_pips.puzzles.puzzle.Puzzle
milp_pips.tasks.results.Result
typing.Mapping[str, int | None]
milp_pips.tasks.listers.Enumeration
milp_pips.extras.explain.explain.Explanation | milp_pips.extras.explain.model_explanation.ModelExplanation
milp_pips.extras.explain.hint.Hint
milp_pips.puzzles.pips.puzzle.Pips
milp_pips.puzzles.pips.puzzle.Pips
milp_pips.problem.problem.Problem
str
"""


@pytest.mark.long
def test_a_strict_type_checker_sees_real_types(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    assert (PACKAGE / "py.typed").exists()
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--no-error-summary",
        "--cache-dir",
        os.devnull,
        "script.py",
    ]
    environment = {**os.environ, "MYPYPATH": str(PACKAGE.parent)}
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, env=environment, timeout=300)
    assert done.returncode == 0, done.stdout
    revealed = re.findall(r'Revealed type is "(.*)"', done.stdout)
    assert [name.replace("builtins.", "") for name in revealed] == TYPES.split("\n")[1:-1]


def test_every_name_that_is_exported_is_there():
    assert all(getattr(milp_pips, name) is not None for name in milp_pips.__all__)
    assert sorted(milp_pips.__all__) == milp_pips.__all__
    assert dir(milp_pips) == milp_pips.__all__  # what a shell offers before anything is loaded
    assert {"Less", "Table"} <= set(milp_pips.__all__)
