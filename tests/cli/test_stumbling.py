"""First mistakes of users: misspelled names, short notations, too much output."""

from __future__ import annotations

from pathlib import Path

import pytest

import milp_pips
from milp_pips.cli import main
from milp_pips.extras.explain.text import Words
from milp_pips.problem.errors import InputError

EXAMPLES = Path(__file__).parents[2] / "examples"
EASY = str(EXAMPLES / "pips" / "easy.txt")
TWO_ROWS = "CC\nAA\n{rule}\n2-1\n1-1\n"


def puzzle_in(text):
    (puzzle,) = milp_pips.read_text(text).values()
    return puzzle


def err_of(capsys, *words):
    try:
        status = main(list(words))
    except SystemExit as end:
        status = end.code
    assert status == 2
    return capsys.readouterr().err


@pytest.mark.parametrize(
    "words, at, meant",
    [
        (["slove", EASY], 0, "solve"),
        (["solve", EASY, "--slover", "highs"], 2, "--solver"),
        (["solve", EASY, "--solver", "hihgs"], 3, "highs"),
        (["solve", EASY, "--solver", "highs", "--formulation", "implicaton"], 5, "implication"),
        (["solve", EASY, "--presolve-rules", "filterin"], 3, "filtering"),
        (["enumerate", EASY, "--max", "3"], 2, "--maximise"),
        (["enumerate", EASY, "--within-"], 2, "--within-relative"),
        (["count", EASY, "--mi", "3"], 2, "--minimise"),
    ],
)
def test_a_misspelled_name_is_told_with_the_one_that_was_meant(capsys, words, at, meant):
    assert err_of(capsys, *words).endswith(f"; did you mean {meant}?\n")
    words[at] = "--zzzz" if words[at].startswith("--") else "zzzz"
    assert "did you mean" not in err_of(capsys, *words)


def test_a_misspelled_rule_is_told_with_the_one_that_was_meant():
    with pytest.raises(InputError, match=r'"SMU"; expected .*; did you mean SUM\?$'):
        milp_pips.read_text(TWO_ROWS.format(rule="A SMU 3"))


@pytest.mark.parametrize("sign, rule", [("=", "EQ"), ("==", "EQ"), ("≠", "NEQ"), ("!=", "NEQ"), ("= ", "EQ")])
def test_a_sign_may_stand_before_the_label(sign, rule):
    puzzle = milp_pips.read_text(TWO_ROWS.format(rule=f"{sign}A"))
    assert puzzle == milp_pips.read_text(TWO_ROWS.format(rule=f"A {rule}"))


SUDOKU = "sudoku\n12..\n..1.\n.3..\n....\n"
COLOURS = "colour grid\nrows\nrg\ngr\ncolumns\nrg\ngr\n"


@pytest.mark.parametrize(
    "puzzle, named, rows",
    [
        (TWO_ROWS.format(rule="A ="), '{"values": {"r2c1": 1, "r1c2": null}}', "? ?\n1 ?\n"),
        (SUDOKU, '{"values": {"r1c1": "1", "r4c4": 2}}', "1...\n....\n....\n...2\n"),
        (COLOURS, '{"values": {"r1c1": "r"}}', "r?\n??\n"),
    ],
)
def test_a_board_in_json_may_name_its_cells(tmp_path, puzzle, named, rows):
    puzzle = puzzle_in(puzzle)
    as_json, as_rows = tmp_path / "board.json", tmp_path / "board.txt"
    as_json.write_text(named)
    as_rows.write_text(rows)
    assert milp_pips.read_board(puzzle, as_json) == milp_pips.read_board(puzzle, as_rows)
    as_json.write_text('{\n"values": {"r9c9": 1}}')
    with pytest.raises(InputError, match=r'board.json:2: .*"r9c9" is not a cell of the board'):
        milp_pips.read_board(puzzle, as_json)


VERBS = "solve", "sample", "explain", "strength", "relax", "filter", "tree", "count --cells", "enumerate"


@pytest.mark.parametrize("verb", VERBS)
def test_quiet_prints_one_line(capsys, verb):
    words = [*verb.split(), str(EXAMPLES / "pips" / "notebook.txt")]
    assert main([*words, "--quiet"]) == 0
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith("notebook: ")


def test_a_quiet_hint_is_its_sentences_without_the_picture(capsys):
    hint = milp_pips.hint(milp_pips.read(EASY))
    assert main(["hint", EASY, "--quiet"]) == 0
    words = Words(hint.grouped)
    assert capsys.readouterr().out == f"{words.where(hint.step)}\n{words.rule(hint.step)}\n"


def test_unfinished_can_be_caught():
    with pytest.raises(milp_pips.Unfinished):
        milp_pips.sample(milp_pips.read(EASY), seconds=0)
