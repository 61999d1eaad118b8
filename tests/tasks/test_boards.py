"""Partial boards: whether they are right so far, and tasks that start from them."""

from __future__ import annotations

import json
from itertools import islice, product
from pathlib import Path

import brute_force
import pytest
from generated import random_puzzle
from thoroughness import few_or_many

import milp_pips
from milp_pips import Layout
from milp_pips.cli import main
from milp_pips.engines.registry import available, names
from milp_pips.problem.answer import Settings
from milp_pips.problem.errors import UsageError
from milp_pips.puzzles.family import family_of
from milp_pips.tasks.check import Verdict

EXAMPLES = Path(__file__).parents[2] / "examples"
EASY = EXAMPLES / "pips" / "easy.txt"
MEDIUM = EXAMPLES / "pips" / "medium.txt"
REPEATED = EXAMPLES / "pips" / "repeated.txt"
SEVERAL = EXAMPLES / "pips" / "several.txt"
IMPOSSIBLE = EXAMPLES / "pips" / "impossible.txt"
GOOD = EXAMPLES / "boards" / "medium.txt"
DEAD = EXAMPLES / "boards" / "medium_dead.txt"
SOLVED = ". 0 0 .\n. . 3 3\n. 2 4 1\n2 2 . 0\n"


@pytest.fixture
def run(capsys, tmp_path):
    def call(*words):
        status = main([str(word) for word in words])
        captured = capsys.readouterr()
        return status, captured.out, captured.err.replace(f"{tmp_path}/", "")

    return call


@pytest.fixture
def file(tmp_path):
    def write(text, name="board.txt"):
        (tmp_path / name).write_text(text)
        return tmp_path / name

    return write


# --------------------------------------------------------------------------------------------------- check


def test_check_of_boards_agrees_with_brute_force():
    """Of two cells each with each value: right so far if a placement has both, wrong if none has one."""
    seen = set()
    for seed in few_or_many((5, 23), (5, 11, 23, 37)):
        puzzle = random_puzzle(4, seed)
        shown = [dict(half for domino in laid for half in domino) for laid in brute_force.placements(puzzle)]
        numbers = {cell: i for i, cell in enumerate(puzzle.cells)}
        pips = sorted({pip for domino in puzzle.dominoes for pip in domino})
        one, other = puzzle.cells[0], puzzle.cells[-1]
        for a, b in islice(product(pips, repeat=2), 0, None, 2):
            verdict = milp_pips.check(puzzle, board={numbers[one]: a, numbers[other]: b})
            here, there = ([values for values in shown if values[c] == v] for c, v in ((one, a), (other, b)))
            if any(values in there for values in here):
                assert verdict == Verdict(True, status="right so far")
            else:
                assert verdict.right is False
                assert verdict.confirmed_by
                assert verdict.reason["minimal"]
                if here and there:
                    alone = [item for item in verdict.reason["items"] if item["kind"] == "move"]
                    assert verdict.status == "dead" or len(alone) > 1
                elif verdict.status == "wrong" and " in no solution. " in verdict.broken:
                    (alone,) = [item for item in verdict.reason["items"] if item["kind"] == "move"]
                    cell = next(c for c in numbers if f"r{c[0] + 1}c{c[1] + 1}" == alone["cells"][0])
                    assert not any(values[cell] == alone["values"][0] for values in shown)
            seen.add(verdict.status)
    assert seen >= {"right so far", "wrong"}


@pytest.mark.parametrize(
    "puzzle, board, status, told",
    [
        (MEDIUM, GOOD.read_text(), 0, "medium: right so far\n"),
        (EASY, SOLVED.replace("4", "?"), 0, "easy: right so far\n"),
        (EASY, ". 3 ? .\n. . ? ?\n. ? ? ?\n? ? . ?\n", 1, "easy: wrong: "),
        (MEDIUM, DEAD.read_text(), 1, "medium: wrong: r3c2 is 5 in no solution. Region D (sum 5), "),
        pytest.param(
            *(IMPOSSIBLE, GOOD.read_text(), 1, "impossible: no solution, whatever is filled in: "),
            marks=pytest.mark.long,
        ),
    ],
)
def test_check_at_the_command_line(run, file, puzzle, board, status, told):
    found, out, err = run("check", puzzle, file(board))
    assert (found, err) == (status, "")
    assert out.startswith(told)
    record = json.loads(run("check", puzzle, file(board), "--json")[1])
    assert list(record) == ["puzzle", "right", "broken", "status", "confirmed_by", "reason"]
    assert record["right"] is (status == 0)
    assert out == f"{record['puzzle']}: {record['broken'] or record['status']}\n"
    if record["reason"] is not None:
        assert record["broken"].endswith(record["reason"]["sentence"])


def test_dominoes_count_on_a_board(run, file):
    rows = [[None] * 4] * 4
    lying = {"grid": rows, "dominoes": [{"pips": [3, 3], "cells": [[1, 2], [1, 3]]}]}
    assert run("check", EASY, file(json.dumps(lying)))[1] == "easy: right so far\n"
    turned = {"grid": rows, "dominoes": [{"pips": [3, 3], "cells": [[0, 2], [1, 2]]}]}
    status, out, _ = run("check", EASY, file(json.dumps(turned)))
    assert (status, out[:13]) == (1, "easy: wrong: ")


def test_a_limit_is_not_known(run):
    status, out, _ = run("check", MEDIUM, GOOD, "--time-limit", "0")
    assert (status, out) == (3, "medium: not known; stop: time\n")
    record = json.loads(run("check", MEDIUM, GOOD, "--time-limit", "0", "--json")[1])
    assert (record["right"], record["status"]) == (None, "unknown")


@pytest.mark.parametrize(
    "board, message",
    [
        (
            ". ? ? .\n. . ? ?\n. x ? ?\n? ? . ?\n",
            'board.txt:3: the value of r3c2 is "x"; expected ',
        ),
        (". ? ? .\n. . ? ?\n. 9 ? ?\n? ? . ?\n", "board.txt:3: r3c2 shows 9, which is on no domino; "),
        (SOLVED + "dominoes\n0-0 r1c1\n", 'board.txt:6: "0-0 r1c1" does not give the position of a domino; '),
        ("", "board.txt:1: the file is empty\n"),
    ],
)
def test_the_reader_that_came_further_tells_the_fault(run, file, board, message):
    status, out, err = run("check", EASY, file(board))
    assert (status, out) == (2, "")
    assert err.startswith(f"milp-pips: {message}")


def test_folders_and_standard_input_twice(run, tmp_path):
    which = "is a directory; name one file with a puzzle, and one with its board"
    for words in (["check", tmp_path], ["check", EASY, tmp_path], ["check", tmp_path, tmp_path]):
        assert run(*words) == (2, "", f"milp-pips: {tmp_path} {which}\n".replace(f"{tmp_path}/", ""))
    both = "milp-pips: the puzzle and its board cannot both come from standard input\n"
    for words in (["check", "-", "-"], ["hint", "-", "-"], ["solve", "-", "--board", "-"]):
        assert run(*words) == (2, "", both)


def test_check_takes_a_solution_or_a_board():
    puzzle = milp_pips.read(EASY)
    for wrong in ({}, {"solution": Layout({}), "board": {}}):
        with pytest.raises(TypeError, match="check takes a solution, or else a board"):
            milp_pips.check(puzzle, **wrong)
    with pytest.raises(UsageError, match="the board has no cell 'r9c9'"):
        milp_pips.check(puzzle, board={"r9c9": 1})
    with pytest.raises(TypeError, match="a board gives cells their values, such as"):
        milp_pips.solve(puzzle, board="examples/boards/medium.txt")
    full = dict(enumerate(milp_pips.solve(puzzle).solution.values.values()))
    assert milp_pips.check(puzzle, board=full) == Verdict(True)
    assert milp_pips.check(puzzle, board={}) == Verdict(True, status="right so far")


# ------------------------------------------------------------------------------------- going on from a board


@pytest.mark.parametrize("name", sorted(filter(available, names())))
def test_every_solver_goes_on_from_a_board(name):
    puzzle = milp_pips.read(REPEATED)
    for layout, rules in zip(milp_pips.solutions(puzzle), (None, ()), strict=True):
        board = dict(islice(family_of(puzzle).encode(puzzle, layout).items(), 30))
        board |= {"r5c5": layout.values[4, 4]}
        found = milp_pips.solve(puzzle, name, Settings(rules=rules), board=board)
        assert found.solution == layout


def test_tasks_go_on_from_a_board():
    puzzle = milp_pips.read(SEVERAL)
    everything = list(milp_pips.solutions(puzzle))
    cell = (3, 3)
    for value in {layout.values[cell] for layout in everything}:
        expected = [layout for layout in everything if layout.values[cell] == value]
        board = {"r4c4": value}
        assert milp_pips.count(puzzle, board=board).counts["placement"] == len(expected)
        assert milp_pips.compile(puzzle, board=board).count == len(expected)
        for solver in ("", "brute"):
            listed = milp_pips.solutions(puzzle, solver, board=board)
            assert {str(layout) for layout in listed} == set(map(str, expected))
            assert listed.summary.complete
        assert all(layout.values[cell] == value for layout in milp_pips.sample(puzzle, 5, board=board))
        result = milp_pips.solve(puzzle, unique=True, board=board)
        assert result.solution in expected
        assert (result.others.solutions, result.board) == (len(expected), board)
        assert f"one of {len(expected)} placements from here" in result.summary()


def test_the_command_line_goes_on_from_a_board(run, file):
    status, out, _ = run("solve", MEDIUM, "--board", GOOD, "--unique")
    assert status == 0
    assert "; the only solution from here" in out
    board = file(". ? ? .\n. . ? ?\n. ? ? ?\n? ? . ?\n")
    assert run("count", EASY, "--board", board)[1].startswith("easy: 1 placement and 1 grid ")
    assert "easy: 1 solution (by placement" in run("enumerate", EASY, "--board", board)[1]
    assert json.loads(run("sample", EASY, "--board", board, "--json")[1])["grid"][0] == [None, 0, 0, None]


def test_no_solution_from_here_is_not_no_solution(run):
    status, out, _ = run("solve", MEDIUM, "--board", DEAD)
    assert status == 1
    assert out.startswith("medium: no solution from here, proven by ")
    assert out.endswith("; without this board there is one\n")
    assert "; confirmed by " in out
    record = json.loads(run("solve", MEDIUM, "--board", DEAD, "--json")[1])
    assert (record["status"], record["solutions"]) == ("dead", 0)
    assert record["confirmed_by"]
    status, out, _ = run("solve", IMPOSSIBLE, "--board", GOOD)
    assert status == 1
    assert out.startswith("impossible: no solution, proven by ")
    assert out.endswith("; nor is there one without this board\n")
    assert json.loads(run("solve", IMPOSSIBLE, "--board", GOOD, "--json")[1])["status"] == "infeasible"


def test_a_board_belongs_to_one_puzzle(run):
    assert run("solve", EASY, MEDIUM, "--board", GOOD) == (
        2,
        "",
        "milp-pips: --board belongs to one puzzle: name one file\n",
    )
    daily = EXAMPLES / "pips" / "three_levels.json"
    assert run("count", daily, "--board", GOOD)[2].endswith("name a level: easy, medium, hard\n")
    assert run("solve", EASY, "--board", GOOD)[0] == 2


def test_a_list_goes_on_only_with_the_same_board(run, file, tmp_path):
    board, other = file("r1c1 ?\n"), tmp_path / "list.jsonl"
    rows = milp_pips.read(REPEATED).rows(dict.fromkeys(milp_pips.read(REPEATED).cells, "?"), ".")
    board.write_text("\n".join(map(" ".join, rows)))
    assert run("enumerate", REPEATED, "--out", other, "--limit", "1")[0] == 0
    rows[4][4] = "2"
    board.write_text("\n".join(map(" ".join, rows)))
    status, _, err = run("enumerate", REPEATED, "--out", other, "--board", board)
    assert status == 2
    assert "list.jsonl" in err
