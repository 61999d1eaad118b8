"""``hint``: boards that are filled in part, every status, and no more told than was asked."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from thoroughness import mostly_long

import milp_pips
from milp_pips.cli import main
from milp_pips.constraints import LinearSum, Relation
from milp_pips.engines.registry import ask as ask_engine
from milp_pips.extras.explain import analysis
from milp_pips.extras.explain.facts import Fact
from milp_pips.extras.explain.hint import NOT_COUNTED
from milp_pips.extras.explain.techniques.joining import merged_one_by_one
from milp_pips.extras.explain.text import Words
from milp_pips.extras.explain.views import text
from milp_pips.problem.answer import Proof, Settings
from milp_pips.problem.errors import UsageError
from milp_pips.problem.stopping import Deadline
from milp_pips.puzzles import family as families
from milp_pips.puzzles.pips import FAMILY as PIPS
from milp_pips.render.vocabulary import Mark

EXAMPLES = Path(__file__).parents[3] / "examples"
EASY = EXAMPLES / "pips" / "easy.txt"
RING = EXAMPLES / "pips" / "ring.json"
OPEN = ". ? ? .\n. . ? ?\n. ? ? ?\n? ? . ?\n"
SOLVED = ". 0 0 .\n. . 3 3\n. 2 4 1\n2 2 . 0\n"
SUDOKU = "sudoku\n12..\n..1.\n.3..\n....\n"
COLOURS = "colour grid\nrows\nrg\ngr\ncolumns\nrg\ngr\n"


@pytest.fixture
def ask(capsys, tmp_path):
    """Ask for a hint at the command line; a board is given by its text."""

    def call(puzzle, board=None, *words):
        files = [str(puzzle)]
        if board is not None:
            path = tmp_path / ("board.json" if board.startswith("{") else "board.txt")
            path.write_text(board)
            files.append(str(path))
        status = main(["hint", *files, *words])
        captured = capsys.readouterr()
        return status, captured.out, captured.err.replace(str(tmp_path) + "/", "")

    return call


@pytest.fixture
def file(tmp_path):
    def write(text, name="puzzle.txt"):
        (tmp_path / name).write_text(text)
        return tmp_path / name

    return write


def test_a_hint_is_a_nudge_unless_more_is_asked(ask):
    hint = milp_pips.hint(milp_pips.read(EASY))
    where, rule, why, move = (
        getattr(Words(hint.grouped), degree)(hint.step) for degree in ("where", "rule", "why", "move")
    )
    status, out, err = ask(EASY)
    assert (status, err) == (0, "")
    assert out.startswith(f"{where}\n{rule}\n")
    assert why not in out
    assert move not in out
    assert ask(EASY, None, "--reveal", "where")[1].startswith(f"{where}\n ")
    assert ask(EASY, None, "--reveal", "why")[1].startswith(f"{where}\n{rule}\n{why}\n ")
    assert ask(EASY, None, "--reveal", "move")[1].startswith(f"{where}\n{rule}\n{why}\n{move}\nThe same way ")


def test_before_a_long_search_a_hint_tells_which_cell_has_the_fewest_values():
    several, told = milp_pips.read(EXAMPLES / "pips" / "several.txt"), []
    assert milp_pips.hint(several, on_search=lambda *said: told.append(said)).status == "step"
    assert told == []  # a short step is there
    hint = milp_pips.hint(several, further=60, on_search=lambda *said: told.append(said))
    ((sentence, cell),) = told
    assert hint.status == "several"
    left = re.fullmatch(
        rf"Nothing on the board is wrong, but no short step is left. So far {cell} can only be (\d) or (\d).",
        sentence,
    )
    v = next(v for v, variable in enumerate(hint.grouped.variables) if variable.name == cell)
    excluded = {fact.value for fact in hint.known if fact.variable == v and not fact.holds}
    assert excluded.isdisjoint(map(int, left.groups()))
    medium, told[:] = milp_pips.read(EXAMPLES / "pips" / "medium.txt"), []
    assert milp_pips.hint(medium, further=60, on_search=lambda *said: told.append(said)).status == "solved"
    assert told == []  # no cell is open any more


DEGREES = {
    "where": {"sentence"},
    "rule": {"sentence", "items", "cost", "open"},
    "why": {"sentence", "items", "cost", "open", "facts", "seen"},
    "move": {"sentence", "items", "cost", "open", "facts", "seen", "conclusions"},
}


@pytest.mark.parametrize("degree", DEGREES)
def test_json_tells_no_more_than_was_asked(ask, degree):
    status, out, _ = ask(EASY, OPEN.replace("? ?\n", "? 3\n", 1), "--reveal", degree, "--json")
    record = json.loads(out)
    assert (status, record["puzzle"], record["status"], record["reveal"]) == (0, "easy", "step", degree)
    assert list(record)[:5] == ["puzzle", "status", "reveal", "step", "reason"]
    assert list(record)[5:] == ["stop", "confirmed_by", "remark", "seconds"]
    assert {name for name, value in record["step"].items() if value is not None} == DEGREES[degree]


@pytest.mark.parametrize("degree", ["where", "rule", "why"])
def test_neither_words_nor_pictures_give_the_move_away(ask, tmp_path, degree):
    """Whatever else the step concluded, nothing that is told or drawn would be different."""
    picture = tmp_path / "hint.svg"
    puzzle = milp_pips.read(EASY)
    for n in range(3):
        hint = milp_pips.hint(puzzle, reveal=degree, further=n)
        told = ask(EASY, None, "--reveal", degree, "--further", str(n), "--svg", str(picture))[1]
        assert Words(hint.grouped).move(hint.step) not in told
        assert picture.read_text() == hint._repr_svg_()
        denied = tuple(fact._replace(holds=not fact.holds) for fact in hint.step.conclusions)
        other = replace(hint, step=replace(hint.step, conclusions=denied))
        assert other._repr_svg_() == hint._repr_svg_()
        assert replace(hint, reveal="move")._repr_svg_() != hint._repr_svg_()


def test_what_a_rule_excludes_at_sight_is_told_with_the_rule(ask, file):
    """The player has filled in a 0 of region A; nothing has told that its other cells cannot be 0."""
    path = file("3\n..\nAA\n#A\n1\nA NEQ\n2\n0 1\n0 2\n")
    board = ". .\n? ?\n? 0\n"
    step = milp_pips.hint(milp_pips.read(path), {"r3c2": 0}).step
    items, facts = step.premises
    assert [item.label for item in items] == ["region A: all different"]
    assert facts == (Fact(3, 0, True),)
    assert "Region A already has 0. No domino fits on r2c1–r2c2." in ask(path, board, "--reveal", "why")[1]
    record = json.loads(ask(path, board, "--reveal", "why", "--json")[1])["step"]
    assert record["seen"] == [
        {
            "item": {**record["seen"][0]["item"], "label": "region A: all different"},
            "shown": [{"cell": "r3c2", "is": 0}],
            "excluded": [{"cell": "r2c1", "not": 0}, {"cell": "r2c2", "not": 0}],
        }
    ]
    assert json.loads(ask(path, board, "--reveal", "rule", "--json")[1])["step"]["seen"] is None


def test_a_hint_is_one_thought_and_further_hints_are_the_next_ones():
    puzzle = milp_pips.read(EASY)
    steps = list(milp_pips.steps(puzzle))
    for n in (0, 1, len(steps) - 1):
        assert milp_pips.hint(puzzle, further=n).step == steps[n]
    assert milp_pips.hint(puzzle, further=len(steps)).status == "solved"
    hints = [milp_pips.hint(puzzle, further=n, reveal="move") for n in range(len(steps))]
    assert all(sum(fact.holds for fact in hint.step.conclusions) <= 3 for hint in hints)
    more = next(hint for hint in hints if hint.again == 1)
    assert "The same way once more." in str(more)
    assert "The same way" not in str(milp_pips.hint(puzzle, further=hints.index(more), reveal="why"))


def test_hints_lead_to_the_solution(file):
    """A player who follows every hint solves the puzzle, whatever the family."""
    for path in (EASY, RING, file(SUDOKU), file(COLOURS + "", "colours.txt")):
        puzzle = milp_pips.read(path)
        problem, board = milp_pips.state(puzzle), {}
        solutions = list(milp_pips.compile(puzzle).assignments())
        for _ in range(100):
            hint = milp_pips.hint(puzzle, board)
            if hint.status != "step":
                break
            further = 0
            while not any(fact.holds for fact in hint.step.conclusions):
                further += 1
                hint = milp_pips.hint(puzzle, board, further=further)
            for v, value, holds in hint.step.conclusions:
                assert all((solution[v] == value) is holds for solution in solutions)
                if holds:
                    board[problem.variables[v].name] = value
        assert hint.status == ("several" if len(solutions) > 1 else "solved"), puzzle.name


def test_a_board_that_is_solved(ask):
    status, out, _ = ask(EASY, SOLVED)
    assert (status, out) == (0, "easy is solved.\n")
    record = json.loads(ask(EASY, SOLVED, "--json")[1])
    assert (record["status"], record["step"], record["reason"]) == ("solved", None, None)


def test_a_wrong_board_is_told_by_the_rule_that_cannot_hold(ask):
    status, out, _ = ask(EASY, OPEN.replace("?", "3", 1))
    assert status == 1
    assert out.startswith("Something on the board is wrong.\nYour 3 in r1c2 does not fit region A (sum 0).")
    record = json.loads(ask(EASY, OPEN.replace("?", "3", 1), "--json")[1])
    assert (record["status"], record["step"]) == ("wrong", None)
    assert record["reason"]["minimal"]
    assert record["reason"]["items"] == [
        {"kind": "rule", "label": "region A: sum 0", "cells": ["r1c2"], "part": "at most"},
        {"kind": "move", "cells": ["r1c2"], "values": [3]},
    ]
    assert record["reason"]["confirmed_by"].startswith("HiGHS")
    assert record["confirmed_by"] == record["reason"]["confirmed_by"]


def test_a_dead_board_is_told_by_several_rules(ask):
    dead = ". ? ? .\n. . ? ?\n. 4 ? ?\n? ? . ?\n"
    status, out, _ = ask(EASY, dead)
    assert status == 1
    assert out.startswith("No rule is broken yet, but from here there is no way to a solution.\n")
    record = json.loads(ask(EASY, dead, "--json")[1])
    assert record["status"] == "dead"
    rules = {item["label"] for item in record["reason"]["items"] if item["kind"] == "rule"}
    assert len(rules) >= 2
    assert {"kind": "move", "cells": ["r3c2"], "values": [4]} in record["reason"]["items"]


def test_a_reason_is_minimal_and_clashes():
    puzzle = milp_pips.read(EASY)
    for board in ({"r3c2": 4}, {"r3c2": 4, "r4c4": 0, "r1c2": 0}):
        hint = milp_pips.hint(puzzle, board)
        items = hint.reason.items
        assert any(item.kind == "move" for item in items)
        assert not has_solution(hint.grouped, items)
        assert all(has_solution(hint.grouped, [i for i in items if i != left_out]) for left_out in items)


def has_solution(soft, items):
    return ask_engine("highs", soft.problem_of(items), Settings(), Deadline()).point is not None


def test_a_puzzle_without_a_solution_says_so_whatever_is_filled_in(ask, file):
    puzzle = file("1\nAB\n2\nA SUM 1\nB SUM 1\n1\n0 1\n")
    for board in (None, "1 ?\n"):
        status, out, _ = ask(puzzle, board)
        assert status == 1
        assert out.startswith("puzzle has no solution, whatever is filled in.\n")
        record = json.loads(ask(puzzle, board, "--json")[1])
        assert record["status"] == "dead"
        assert not any(item["kind"] == "move" for item in record["reason"]["items"])


def test_several_ways_remain(ask, file):
    puzzle = file("2\nAA\nAA\n1\nA NEQ\n2\n0 1\n2 3\n")
    board = "0 1\n? ?\n"
    status, out, _ = ask(puzzle, board, "--further", "9")
    assert status == 0
    assert out == "Nothing more follows: several ways remain, and each leads to a solution.\n"
    assert json.loads(ask(puzzle, board, "--further", "9", "--json")[1])["status"] == "several"


def test_a_limit_is_no_answer(ask):
    status, out, _ = ask(EASY, OPEN, "--time-limit", "0")
    assert (status, out) == (3, "No hint was found; stop: time.\n")
    record = json.loads(ask(EASY, OPEN, "--time-limit", "0", "--json")[1])
    assert (record["status"], record["stop"], record["step"]) == ("unknown", "time", None)


def test_a_domino_that_leads_nowhere_is_named_by_where_it_lies(ask):
    """Its cells are named, not the program's own number of the domino."""
    board = "? ? 5 6 .\n? . ? ? .\n? ? ? 1 1\n? ? ? . .\n. . ? . .\n"
    board += "dominoes\n5-6 r1c3 r1c4\n1-1 r3c4 r3c5\n"
    _, out, _ = ask(EXAMPLES / "pips" / "medium.txt", board)
    assert "your domino on r1c3–r1c4 and only one 1-1 cannot hold together." in out.splitlines()[1]


# ------------------------------------------------------------------------------------------- large boards


@pytest.fixture
def large(monkeypatch):
    """A board on which a hint looks at the rules first, and its hidden solution by cells."""
    monkeypatch.setattr(analysis, "LARGE_BOARD_CELLS", 50)
    (made,) = milp_pips.generate(dominoes=30, seed=1)
    puzzle = made.puzzle
    return puzzle, milp_pips.state(puzzle), PIPS.encode(puzzle, made.hidden)


@pytest.mark.parametrize("further", mostly_long(1, [3, 0]))
def test_a_hint_on_a_large_board_holds_in_the_whole(large, further):
    """Its denial has no solution on the whole board, of which nothing is left out; nor is it untrue."""
    puzzle, _, solution = large
    hint = milp_pips.hint(puzzle, further=further, reveal="move")
    assert (hint.status, hint.remark) == ("step", NOT_COUNTED)
    assert all(fact.is_true(solution) for fact in hint.step.conclusions)
    assert set(hint.step.facts) <= set(hint.known)
    denied = hint.grouped.problem_of(hint.step.items, hint.step.facts, hint.step.conclusions)
    assert ask_engine("highs", denied, Settings(), Deadline()).proof is Proof.INFEASIBLE
    assert str(hint).endswith(", not how many dominoes of a kind there are.")
    assert hint.to_json()["remark"] == NOT_COUNTED


@pytest.mark.long
def test_what_was_told_of_a_large_board_is_known(large):
    puzzle, problem, solution = large
    first = milp_pips.hint(puzzle, reveal="move")
    told = first.to_json()["step"]["conclusions"]
    second = milp_pips.hint(puzzle, known=told)
    assert second.step.conclusions != first.step.conclusions
    assert set(first.step.conclusions) <= set(second.known)
    untrue = {"cell": problem.variables[0].name, "is": (solution[0] + 1) % 7}
    assert milp_pips.hint(puzzle, known=[untrue]).step == first.step


def test_a_large_board_with_a_wrong_move(large):
    puzzle, problem, solution = large
    v, target = next(
        (c.variables[0], c.target)
        for c in problem.constraints
        if isinstance(c, LinearSum) and len(c.variables) == 1 and c.relation is Relation.EQ
    )
    board = {problem.variables[u].name: solution[u] for u in range(0, 40, 3)}
    hint = milp_pips.hint(puzzle, board | {problem.variables[v].name: (target + 1) % 7})
    assert (hint.status, len(hint.reason.items)) == ("wrong", 2)
    assert not has_solution(hint.grouped, hint.reason.items)
    assert hint.confirmed_by


# ------------------------------------------------------------------------------------------------- boards

DOMINO = {"grid": [[None] * 4] * 4}
BAD = [
    (OPEN.replace(". ?\n", "\n"), "board.txt:4: row 4 has 2 columns; expected 4"),
    (". ? ? .\n. . ? ?\n", "board.txt:2: the board ends after row 2; expected 4 rows"),
    (OPEN + "? ? ? ?\n", "board.txt:5: there is a row 5; expected 4 rows"),
    (OPEN.replace(".", "2", 1), "board.txt:1: r1c1 has the value 2, but is not a cell of the board"),
    (OPEN.replace(".", "?", 1), "board.txt:1: r1c1 is open, but is not a cell of the board"),
    (
        OPEN.replace("?", ".", 1),
        "board.txt:1: r1c2 has no value; expected a value, or '?' for an open cell",
    ),
    (
        OPEN.replace("?", "7", 1),
        "board.txt:1: r1c2 shows 7, which is on no domino; expected 0, 1, 2, 3 or 4",
    ),
    (
        OPEN.replace("?", "x", 1),
        'board.txt:1: the value of r1c2 is "x"; expected a whole number from 0 to 99, '
        "'?' for an open cell, or '.' for none",
    ),
    ("", "board.txt:1: the file is empty"),
    (
        json.dumps(DOMINO | {"dominoes": [{"pips": [0, 4], "cells": [[0, 1], [0, 2]]}]}),
        "board.json:1: dominoes[0]: domino 0-4 is not one of this puzzle's",
    ),
    (
        json.dumps(DOMINO | {"dominoes": [{"pips": [0, 1], "cells": [[0, 1], [1, 2]]}]}),
        "board.json:1: dominoes[0]: domino 0-1 lies on r1c2 and r2c3, which are not neighbours",
    ),
    (
        json.dumps(
            DOMINO
            | {
                "dominoes": [
                    {"pips": [0, 1], "cells": [[0, 1], [0, 2]]},
                    {"pips": [3, 3], "cells": [[0, 2], [1, 2]]},
                ]
            }
        ),
        "board.json:1: dominoes[1]: a second domino lies on r1c3",
    ),
    (
        json.dumps(
            {
                "grid": [[None, 1, None, None], *[[None] * 4] * 3],
                "dominoes": [{"pips": [0, 1], "cells": [[0, 1], [0, 2]]}],
            }
        ),
        "board.json:1: dominoes[0]: domino 0-1 lies on r1c2, which shows 1",
    ),
    (
        json.dumps(DOMINO | {"dominoes": [{"pips": [0, 1], "cells": [[0, 0], [0, 1]]}]}),
        "board.json:1: dominoes[0].cells[0]: r1c1 is not a cell of the board",
    ),
]


@pytest.mark.parametrize("board, message", BAD)
def test_a_bad_board_gets_one_line(ask, board, message):
    assert ask(EASY, board) == (2, "", f"milp-pips: {message}\n")


def test_dominoes_stand_on_the_board(ask):
    lying = {"dominoes": [{"pips": [3, 3], "cells": [[1, 2], [1, 3]]}]}
    hint = json.loads(ask(EASY, json.dumps(DOMINO | lying), "--reveal", "move", "--json")[1])
    assert hint["status"] == "step"
    board = PIPS.read_board(milp_pips.read(EASY), json.dumps(DOMINO | lying), "")
    assert {v: board[v] for v in sorted(board)} == {2: 3, 3: 3, 12: 3}
    turned = {"dominoes": [{"pips": [3, 3], "cells": [[0, 2], [1, 2]]}]}
    record = json.loads(ask(EASY, json.dumps(DOMINO | turned), "--json")[1])
    assert record["status"] in ("wrong", "dead")
    assert {"kind": "move", "cells": ["r1c3", "r2c3"], "domino": True} in record["reason"]["items"] or any(
        item["kind"] == "move" for item in record["reason"]["items"]
    )


def test_a_board_that_is_no_grid(ask):
    """Cells may be left out of JSON and of text."""
    for board in ('{"values": {"a": null}}', "a ?\nb ?\n"):
        assert json.loads(ask(RING, board, "--json")[1])["status"] == "step"
    assert ask(RING, '{"values": {"z": 1}}')[2] == (
        'milp-pips: board.json:1: values.z: "z" is not a cell of the board\n'
    )
    assert "f shows 9, which is on no domino" in ask(RING, "f 9\n")[2]


def test_boards_of_sudokus(ask, file):
    puzzle = file(SUDOKU)
    spaced = "1 ? . 0\n? ? 1 ?\n? 3 ? ?\n? ? ? ?\n"
    assert json.loads(ask(puzzle, spaced, "--json")[1])["status"] == "step"
    nulls = [[None] * 4 for _ in range(4)]
    assert json.loads(ask(puzzle, json.dumps({"grid": nulls}), "--json")[1])["status"] == "step"
    given = "2???\n????\n????\n????\n"
    assert ask(puzzle, given)[2] == "milp-pips: board.txt:1: r1c1 is 2, but 1 is given there\n"
    strange = "?5??\n????\n????\n????\n"
    assert ask(puzzle, strange)[2] == (
        "milp-pips: board.txt:1: r1c2 is \"5\"; expected 1 to 4, or '?' for an open cell\n"
    )
    record = json.loads(ask(puzzle, "??2?\n????\n????\n????\n", "--json")[1])
    assert record["status"] == "wrong"
    assert {"kind": "given", "cells": ["r1c2"], "values": [2]} in record["reason"]["items"]
    assert {"kind": "move", "cells": ["r1c3"], "values": [2]} in record["reason"]["items"]


def test_boards_of_colour_grids(ask, file):
    puzzle = file(COLOURS)
    for board in ("r?\n?.\n", '{"grid": [["r", null], [null, null]]}'):
        assert json.loads(ask(puzzle, board, "--json")[1])["status"] in ("step", "several")
    assert ask(puzzle, "rx\n??\n")[2] == (
        "milp-pips: board.txt:1: r1c2 is \"x\"; expected r or g, or '?' for an open cell\n"
    )
    record = json.loads(ask(puzzle, "g?\n??\n", "--json")[1])
    assert (record["status"], record["reason"]["items"][-1]["values"]) == ("wrong", ["g"])


def test_a_family_that_reads_no_boards(ask, monkeypatch, file):
    monkeypatch.setitem(families.FAMILIES, "coins", "outside.coin_puzzles:FAMILY")
    puzzle = file("coins 3 3\n")
    status, out, err = ask(puzzle, "TH?\n")
    assert (status, out) == (2, "")
    assert err == "milp-pips: the family coins cannot read partly filled boards\n"
    assert ask(puzzle, None, "--reveal", "move")[0] == 0
    hint = milp_pips.hint(milp_pips.read(puzzle), {"coin 1": 0})
    assert hint.status == "wrong"


@pytest.mark.parametrize(
    "board, message",
    [
        ({"r9c9": 1}, "the board has no cell 'r9c9'"),
        ({999: 1}, "the board has no cell 999"),
        ({"r1c2": 7}, "r1c2 cannot be 7, only 0, 1, 2, 3, 4"),
    ],
)
def test_a_board_in_python_that_cannot_be(board, message):
    with pytest.raises(UsageError, match=re.escape(message)):
        milp_pips.hint(milp_pips.read(EASY), board)


def test_steps_from_a_board():
    puzzle = milp_pips.read(EASY)
    with pytest.raises(UsageError, match="easy: no steps, because there is no solution"):
        next(milp_pips.steps(puzzle, {"r1c2": 3}))
    with pytest.raises(milp_pips.MilpPipsError, match="the next step was not found"):
        next(milp_pips.steps(puzzle, seconds=0))
    assert len(list(milp_pips.steps(puzzle, {"r1c2": 0}))) < len(list(milp_pips.steps(puzzle)))


def test_all_steps_from_a_board_on(capsys):
    file, board, dead = (
        str(EXAMPLES / name) for name in ("pips/medium.txt", "boards/medium.txt", "boards/medium_dead.txt")
    )
    assert main(["hint", file, board, "--all"]) == 0
    *lines, numbers = capsys.readouterr().out.split("┏", 1)[0].rstrip().splitlines()
    assert numbers.split() == ["1", "2", "3", "4", "5"]
    known = milp_pips.read_board(milp_pips.read(file), board)
    every = list(merged_one_by_one(milp_pips.steps(milp_pips.read(file), known)))
    assert [line.partition(".")[0] for line in lines] == [str(n) for n in range(1, len(every) + 1)]
    assert lines[-1].endswith("r1c2 is 3.")
    assert main(["hint", str(EXAMPLES / "pips/easy.txt"), "--all"]) == 0
    assert "\nAll in all: short, and every step is simple.\n" in capsys.readouterr().out
    assert main(["hint", file, dead, "--all"]) == 1
    assert capsys.readouterr().out.startswith("No rule is broken yet, but from here there is no way")
    assert main(["hint", file, "--all", "--json"]) == 2
    assert "--all prints sentences: omit --json" in capsys.readouterr().err


@pytest.mark.parametrize("name", mostly_long(1, ["sudoku/ordinary.txt", "pips/hard.txt"]))
def test_the_drawing_marks_the_cells_that_a_hint_names(name):
    puzzle, board, named = milp_pips.read(EXAMPLES / name), {}, Counter()
    for _ in range(6):
        hint = milp_pips.hint(puzzle, board)
        if hint.step is None:
            break
        for reveal in DEGREES:
            shown = replace(hint, reveal=reveal)
            said = " ".join(part for part in text.parts(shown) if isinstance(part, str))
            drawing = shown.drawing()
            names = enumerate(variable.name for variable in hint.grouped.variables)
            place = {name: drawing.places[v] for v, name in names if v in drawing.places}
            for cell in re.findall(r"\br\d+c\d+\b", said):
                assert drawing.board.squares[place[cell]].mark is not Mark.NONE, f"{cell} in {said!r}"
                named[reveal] += 1
        board |= {fact.variable: fact.value for fact in hint.step.conclusions if fact.holds}
    assert named.keys() == DEGREES.keys()


@pytest.mark.parametrize("task", ["hint", "rate"])
def test_a_linear_model_is_not_played(task, capsys):
    assert main([task, str(EXAMPLES / "any_model" / "carpenter.mps")]) == 2
    what = f"carpenter is a linear model, and {task} is for puzzles: solve and explain take models"
    assert capsys.readouterr().err == f"milp-pips: {what}\n"
