"""Progress lines: to a callback, to the logger and on a terminal, and only on request."""

from __future__ import annotations

import io
import subprocess
import sys
import time
from pathlib import Path

import pytest

import milp_pips
from milp_pips.cli import main, output
from milp_pips.problem.stopping import Deadline

EXAMPLES = Path(__file__).parents[2] / "examples" / "pips"
SEVERAL, IMPOSSIBLE = (milp_pips.read(EXAMPLES / name) for name in ("several.txt", "impossible.txt"))


def told(task, *arguments, **more):
    lines = []
    result = task(*arguments, on_progress=lines.append, **more)
    if not hasattr(result, "to_json"):
        list(result)
    assert all(isinstance(line, str) and "\n" not in line for line in lines)
    return "\n".join(lines)


def test_solving_tells_who_was_asked_and_what_confirmed():
    lines = told(milp_pips.solve, SEVERAL)
    assert "several: filtering leaves " in lines
    assert "brute was chosen" in lines
    assert told(milp_pips.solve, SEVERAL, "brute").endswith("several: calling brute")
    lines = told(milp_pips.solve, IMPOSSIBLE)
    assert "reports that there is no solution; confirming it" in lines
    assert "impossible: confirmed by the decision diagram" in lines


def test_other_tasks_tell_what_they_are_at():
    assert "several: 56 by grid (decision diagram)" in told(milp_pips.count, SEVERAL)
    assert "several: the decision diagram holds 56" in told(milp_pips.solutions, SEVERAL)
    lines = told(milp_pips.solutions, SEVERAL, "highs")
    assert "several: highs lists by partition" in lines
    assert "several: complete, confirmed by the decision diagram, which counts as many" in lines
    assert "several: steps so far: 1" in told(milp_pips.explain, SEVERAL, additions=0)
    lines = []
    milp_pips.rate(SEVERAL, deadline=Deadline(on_progress=lines.append))
    assert "several: at least easy; steps so far: 1" in lines
    assert "pips-0-001: try 1" in told(milp_pips.generate, count=1)


def test_how_far_a_count_has_come_is_told_within_it(monkeypatch):
    monkeypatch.setattr("milp_pips.problem.stopping.REPORT_INTERVAL", 0.0)
    # A search beside counting would take a core.
    monkeypatch.setattr("milp_pips.tasks.search_beside.SEARCH_BESIDE_AFTER", (1.0, 60.0))
    lines, deadline = [], Deadline()

    def hear(line):
        lines.append(line)
        if line.endswith("% of the branches are done"):
            deadline.interrupt()

    milp_pips.count(milp_pips.Sudoku.from_rows(["." * 9] * 9), deadline=deadline, on_progress=hear)
    assert "decision diagrams of up to 300 nodes" in lines
    assert lines[-2].endswith("% of the branches are done")
    assert lines[-1].endswith("; computing a lower bound")


def test_nobody_who_has_not_asked_hears_anything():
    code = (
        "import sys, logging, milp_pips\n"
        f"result = milp_pips.solve(milp_pips.read({str(EXAMPLES / 'several.txt')!r}))\n"
        "print(result.status, logging.getLogger('milp_pips').handlers)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr) == ("solved [<NullHandler (NOTSET)>]\n", "")


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize("verb", ["count", "enumerate"])
@pytest.mark.parametrize("kind", [Terminal, io.StringIO])
def test_long_work_is_told_on_a_terminal_alone(verb, kind, monkeypatch):
    monkeypatch.setattr(output, "PROGRESS_DELAY", -1.0)
    monkeypatch.setattr(sys, "stderr", kind())
    assert main([verb, str(EXAMPLES / "several.txt")]) == 0
    text = sys.stderr.getvalue()
    if kind is Terminal:
        assert "\rseveral: " in text
        assert text.endswith("\r\033[K")
    else:
        assert text == ""


def test_a_line_that_stands_gets_the_seconds(monkeypatch):
    monkeypatch.setattr(output, "PULSE", 0.01)
    monkeypatch.setattr(sys, "stderr", Terminal())
    line = output.ProgressLine()
    line.listener("easy: 3 steps so far")
    assert sys.stderr.getvalue() == ""  # it is too early
    while not sys.stderr.getvalue().endswith("\reasy: 3 steps so far (1 s) \033[K"):
        time.sleep(0.01)
    line.clear()
    before = sys.stderr.getvalue()
    time.sleep(0.1)
    assert sys.stderr.getvalue() == before
    assert before.endswith("\r\033[K")


def test_quick_work_tells_nothing(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    assert main(["count", str(EXAMPLES / "several.txt")]) == 0
    assert sys.stderr.getvalue() == ""
