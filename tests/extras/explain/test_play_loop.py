"""``hint --play``: moves and requests come from standard input, one a line."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from select import select

import pytest

from milp_pips.cli import main
from milp_pips.extras.explain import analysis
from milp_pips.extras.explain.reasoner import OutOfTime

EXAMPLES = Path(__file__).parents[3] / "examples"
EASY = EXAMPLES / "pips" / "easy.txt"
SOLUTION = {
    "r1c2": 0, "r1c3": 0, "r2c3": 3, "r2c4": 3, "r3c2": 2,
    "r3c3": 4, "r3c4": 1, "r4c1": 2, "r4c2": 2, "r4c4": 0,
}  # fmt: skip
SUDOKU = "sudoku\n12..\n..1.\n.3..\n....\n"


@pytest.fixture
def play(capsys, monkeypatch):
    """Play with these lines of input; return the exit status, the output and the errors."""

    def call(puzzle, *lines, words=()):
        monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
        status = main(["hint", str(puzzle), *words, "--play"])
        return (status, *capsys.readouterr())

    return call


def test_a_finished_puzzle_ends_the_game(play):
    status, out, err = play(EASY, *(f"{cell} {value}" for cell, value in SOLUTION.items()), "hint")
    assert (status, err) == (0, "")
    assert out.endswith("easy is solved.\n")
    assert out.count("solved") == 1


def test_the_puzzle_is_analysed_once_while_the_board_agrees_with_it(play, monkeypatch):
    calls = []
    group = analysis.group_constraints
    monkeypatch.setattr(analysis, "group_constraints", lambda p: calls.append(1) or group(p))
    _, out, _ = play(EASY, "r1c2 0", "hint", "lay r1c2 r1c3", "hint move", "hint move")
    assert len(calls) == 1
    assert "Dominoes lie on" in out
    play(EASY, "r1c2 1", "hint")
    assert len(calls) > 2


def test_a_hint_for_the_same_board_shows_more_than_the_one_before(play):
    _, out, _ = play(EASY, "hint", "hint", "hint", words=["--quiet"])
    first, second, third = out.split("Look at ")[1:]
    assert second.startswith(first)
    assert third.startswith(second)
    assert "has only one neighbour left" in second
    assert "Dominoes lie on" in third
    _, out, _ = play(EASY, "hint", "r1c2 0", "hint", words=["--quiet"])
    assert "has only one neighbour left" not in out


def test_hints_go_on_from_hints_that_showed_the_move(play):
    _, out, _ = play(EASY, "hint", "hint", "hint move", "hint")
    assert out.count("Think of the shape of the board.") == 3
    assert out.count("Think of") == 4


def test_hints_agree_with_those_for_the_board_in_a_file(play, capsys, tmp_path):
    board = tmp_path / "board.txt"
    board.write_text(". 0 0 .\n. . ? ?\n. ? ? ?\n? ? . ?\n")
    assert main(["hint", str(EASY), str(board), "--reveal", "move"]) == 0
    alone = capsys.readouterr().out
    assert alone in play(EASY, "r1c2 0", "r1c3 0", "hint move")[1]
    assert alone in play(EASY, "hint", words=(str(board), "--reveal", "move"))[1]


def test_a_broken_rule_is_named_at_once_and_undone(play):
    _, out, _ = play(EASY, "r1c2 1", "undo", "hint")
    assert out.count("Something on the board is wrong.") == 1
    assert out.index("wrong") < out.index("Look at")


def test_a_dead_end_is_named_when_a_hint_is_requested(play):
    medium = EXAMPLES / "pips" / "medium.txt"
    moves = ("r2c4 5", "r3c2 5")
    assert "no way to a solution" not in play(medium, *moves)[1]
    assert "no way to a solution" in play(medium, *moves, "hint")[1]


def test_clear_takes_a_value_and_the_domino_on_it(play):
    _, out, _ = play(EASY, "show", "r1c2 0", "lay r1c2 r1c3", "r1c2 -")
    boards = out.split("dominoes:")
    assert boards[2] != boards[1]
    first, last = (board.partition("\n\n")[2] or board for board in (boards[0], boards[4]))
    assert last.strip() == first.strip()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            "dance",
            "'dance' is not a command; expected lay and two cells for a domino, a cell and its value",
        ),
        ("r1c2 9", "r1c2 cannot be 9; expected 0, 1, 2, 3, 4"),
        ("r9c9 1", "the board has no open cell 'r9c9'; expected a cell such as r1c2"),
        ("lay r1c2 r4c4", "no domino can lie on r1c2 and r4c4; expected two cells side by side"),
        ("undo", "there is no move to undo"),
        ("hint all", "'all'"),
        ("\x1b[2J x", "\\x1b"),
        ("x" * 500, "the line is too long; expected at most 200 characters"),
    ],
)
def test_bad_input_is_one_line(play, line, message):
    before = play(EASY)[1]
    status, out, err = play(EASY, line, "quit", "hint")
    assert (status, err) == (0, "")
    added = out.removeprefix(before)
    assert message in added
    assert added.count("\n") == 1
    assert "\x1b" not in added


def test_a_sudoku_keeps_its_givens(play, tmp_path):
    file = tmp_path / "small.txt"
    file.write_text(SUDOKU)
    _, out, _ = play(file, "r1c1 2", "r1c3 1", "undo", "lay r1c1 r1c2", "hint why")
    assert "r1c1 is given and stays" in out
    assert "Something on the board is wrong." in out
    assert "'lay r1c1 r1c2' is not a command; expected a cell and its value" in out
    assert "Look at" in out


def test_several_solutions(play):
    status, out, _ = play(EXAMPLES / "pips" / "several.txt", "hint move", "hint move", "hint move", "hint")
    assert status == 0
    assert "unknown" not in out


@pytest.mark.parametrize("words", [("--json",), ("--all",), ("--further", "1")])
def test_options_that_do_not_fit(play, words):
    status, _, err = play(EASY, words=words)
    assert status == 2
    assert "omit --all" in err


def test_standard_input_cannot_be_the_puzzle_too(play):
    status, _, err = play("-", *EASY.read_text().splitlines())
    assert status == 2
    assert "standard input" in err


def test_ctrl_c_during_a_hint_is_no_limit(play, monkeypatch):
    def interrupted(found, *_):
        found.deadline.interrupt()
        raise OutOfTime

    monkeypatch.setattr("milp_pips.extras.explain.play.next_hint", interrupted)
    status, out, _ = play(EASY, "hint", "show")
    assert (status, out.splitlines()[-1]) == (130, "The hint was interrupted.")


@pytest.mark.skipif(sys.platform == "win32", reason="sends a signal")
def test_ctrl_c_ends_the_game():
    command = [sys.executable, "-m", "milp_pips", "hint", str(EASY), "--play"]
    with subprocess.Popen(command, stdin=-1, stdout=-1, stderr=-1, text=True) as process:
        process.stdin.write("show\nundo\n")
        process.stdin.flush()
        while "undo" not in process.stdout.readline():
            pass
        time.sleep(0.3)  # until it waits for the next line
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 130
        assert process.stderr.read() == ""


def in_a_terminal(*keys):
    """Play in a terminal; press the keys at each prompt; return the exit status and what is seen."""
    pty = pytest.importorskip("pty", reason="there is no pseudo-terminal")
    child, terminal = pty.fork()
    if not child:
        words = [sys.executable, "-m", "milp_pips", "hint", str(EASY), "--play", "--color", "never"]
        os.execve(sys.executable, words, os.environ | {"TERM": "xterm"})
    seen, new, left, last = "", "", list(keys), b""
    with suppress(OSError):  # the end of the output, on Linux
        while True:
            while not select([terminal], [], [], 5)[0]:
                os.write(
                    terminal, last
                )  # a signal just before Python waits for a key is noticed with the next
            if not (data := os.read(terminal, 4096)):
                break
            seen, new = seen + data.decode(), new + data.decode()
            if left and new.endswith("> ") and ("\n" in new or len(left) == len(keys)):
                last, new = left.pop(0), ""
                time.sleep(0.2)  # until it waits for a key
                os.write(terminal, last)
    os.close(terminal)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), seen


@pytest.mark.parametrize(("end", "status"), [(b"\x04", 0), (b"\x03", 130)], ids=["ctrl-d", "ctrl-c"])
def test_in_a_terminal_a_line_is_edited_and_the_last_one_ends(end, status):
    pytest.importorskip("readline", reason="lines are not edited")
    found, seen = in_a_terminal(b"r1c29\x1b[D \r", end)
    assert "r1c2 cannot be 9" in seen
    assert (found, seen[-2:]) == (status, "\r\n")
