"""Play a puzzle in the terminal: read a line, change the board, and print it or a hint."""

from __future__ import annotations

import signal
import sys
import threading
import time
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from milp_pips.cli import FOUND, INTERRUPTED
from milp_pips.extras.explain.analysis import BoardAnalysis
from milp_pips.extras.explain.facts import Fact
from milp_pips.extras.explain.hint import DEGREES, Hint, hint, next_hint
from milp_pips.extras.explain.reasoner import OutOfTime
from milp_pips.extras.explain.records import Records
from milp_pips.extras.explain.views.svg import mark, show_names
from milp_pips.extras.explain.views.text import parts
from milp_pips.problem.errors import UsageError, unknown_name
from milp_pips.puzzles.puzzle import moves_on, open_cells

if TYPE_CHECKING:
    from milp_pips.cli.arguments import PuzzleRun

COMMANDS = "a cell and its value, a cell and - to clear it, hint, hint move, undo, show or quit"
LAY = "lay and two cells for a domino, "
MAX_LINE, MAX_VALUES_NAMED = 200, 12


class Game:
    """A puzzle that is being played.

    The puzzle is analysed once. As long as every value on the board holds in all solutions, hints come from
    that analysis; otherwise the board is analysed by itself.
    """

    def __init__(self, run: PuzzleRun):
        self._run, self._deadline, self._out = run, run.deadline, run.pictures
        self._analysis = BoardAnalysis(run.puzzle, run.deadline, quick=True)
        self._problem = self._analysis.problem
        self._given = {fact.variable for fact in self._analysis.known}
        self._number = {variable.name: v for v, variable in enumerate(self._problem.variables)}
        self._cells = [
            name for name in open_cells(self._problem, {}) if self._number[name] not in self._given
        ]
        self._records = Records(self._analysis.grouped)
        self._board = moves_on(self._problem, run.board)
        self._past: list[dict[int, int]] = []
        self._hinted_facts: dict[Fact, None] = {}
        self._hinted: tuple[dict[int, int], str] | None = None
        self._partners = {v for tiling in self._analysis.grouped.tilings for v in tiling.partners}
        self.is_solved = False

    def show(self) -> None:
        """Print the board, with numbers of rows and columns."""
        picture = mark(self._run.puzzle, self._analysis.grouped, self._facts())
        self._out.print(show_names(picture, self._analysis.grouped, ["r1c1"]))

    def obey(self, line: str) -> None:
        """Carry out a line. Raises UsageError for a line that is not a command or not a possible move."""
        match line.split():
            case []:
                pass
            case ["show"]:
                self.show()
            case ["undo"]:
                if not self._past:
                    raise UsageError("there is no move to undo")
                self._board = self._past.pop()
                self.show()
            case ["hint"]:
                self._hint(self._next_degree())
            case ["hint", degree] if degree in DEGREES:
                self._hint(degree)
            case ["hint", degree]:
                raise unknown_name("degree", degree, DEGREES)
            case ["lay", one, other] if self._partners:
                try:
                    fact = self._records.read_fact({"cells": [one, other], "domino": True})
                except UsageError:
                    what = f"no domino can lie on {one} and {other}"
                    raise UsageError(f"{what}; expected two cells side by side") from None
                self._move(self._board | {fact.variable: fact.value})
            case [cell, "-"]:
                v = self._cell(cell)
                self._move({u: x for u, x in self._board.items() if u != v and cell not in self._ends(u, x)})
            case [cell, text]:
                v = self._cell(cell)
                possible = {self._problem.written(x, v): x for x in self._problem.variables[v].domain}
                if text not in possible:
                    some = ", ".join([*possible][:MAX_VALUES_NAMED])
                    more = ", …" if len(possible) > MAX_VALUES_NAMED else ""
                    raise UsageError(f"{cell} cannot be {text}; expected {some}{more}")
                self._move(self._board | {v: possible[text]})
            case _:
                lay = LAY if self._partners else ""
                raise UsageError(f"{line.strip()!r} is not a command; expected {lay}{COMMANDS}")

    def _cell(self, name: str) -> int:
        """Return the variable of an open cell. Raises UsageError."""
        if self._number.get(name) in self._given:
            raise UsageError(f"{name} is given and stays")
        if name not in self._cells:
            such = f"; expected a cell such as {self._cells[0]}" if self._cells else ""
            raise UsageError(f"the board has no open cell {name!r}{such}")
        return self._number[name]

    def _ends(self, v: int, value: int) -> list[str]:
        """Return the cells of the domino that a move lays; none for a value."""
        return self._records.domino(v, value) if v in self._partners else []

    def _facts(self) -> list[Fact]:
        return [Fact(v, value, True) for v, value in self._board.items()]

    def _move(self, board: dict[int, int]) -> None:
        """Take the board, print it, and say at once if one rule is broken or the puzzle is solved."""
        self._past.append(self._board)
        self._board = board
        found = None
        if not self._agrees() or self._analysis.is_full:
            found = self._next(self._run.arguments.reveal)
        if found is None or found.status != "wrong":
            self.show()
        self.is_solved = found is not None and found.status == "solved" and found.skipped is None
        if found is not None and (self.is_solved or found.status == "wrong"):
            self._out.say_parts(parts(found))

    @cached_property
    def _is_possible(self) -> bool:
        return self._analysis.has_solution()

    def _agrees(self) -> bool:
        """Whether the analysis of the puzzle serves this board: all its values hold in all solutions."""
        if self._analysis.is_large or not self._is_possible:
            return False
        facts = self._facts()
        if not all(map(self._analysis.holds, facts)):
            return False
        self._analysis.start_from(facts)
        return True

    def _next(self, degree: str) -> Hint:
        """Return the hint for the board."""
        if self._agrees():
            found = Hint(self._run.puzzle, self._analysis.grouped, reveal=degree)
            found = replace(found, known=tuple(self._analysis.known))
            return next_hint(self._analysis, found, list(self._hinted_facts))
        known = [self._records.fact(fact) for fact in self._hinted_facts]
        return hint(self._run.puzzle, self._board, reveal=degree, known=known, deadline=self._deadline)

    def _next_degree(self) -> str:
        """Return how much to show: as much as requested, and one degree more if this board has had a hint."""
        if self._hinted is None or self._hinted[0] != self._board:
            return str(self._run.arguments.reveal)
        return DEGREES[min(DEGREES.index(self._hinted[1]) + 1, len(DEGREES) - 1)]

    def _hint(self, degree: str) -> None:
        found = self._next(degree)
        self._hinted = None if degree == DEGREES[-1] else (self._board, degree)
        if found.step is not None and degree == DEGREES[-1]:
            self._hinted_facts |= dict.fromkeys(found.step.conclusions)
        self._out.say_parts(parts(found))


def play(run: PuzzleRun) -> int:
    """Play until the puzzle is solved or the input ends; return the exit status."""
    game = Game(run)
    game.show()
    while not game.is_solved:
        if run.deadline.interrupted:
            return INTERRUPTED
        line = _read_line()
        if not line or line.strip() == "quit":
            break
        if run.arguments.seconds is not None:
            run.deadline.expires = time.monotonic() + run.arguments.seconds
        try:
            if len(line) > MAX_LINE:
                raise UsageError(f"the line is too long; expected at most {MAX_LINE} characters")
            game.obey(line)
        except UsageError as error:
            run.pictures.say(str(error))
        except OutOfTime:
            why = "The hint was interrupted." if run.deadline.interrupted else "No hint was found in time."
            run.pictures.say(why)
    return FOUND


def _read_line() -> str:
    """Return a line of standard input, and the empty text at its end. Ctrl-C raises KeyboardInterrupt.

    On a terminal the line can be edited, and earlier lines come back, where Python has ``readline``.
    """
    if threading.current_thread() is not threading.main_thread():
        return sys.stdin.readline()
    terminal = sys.stdin.isatty()
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        if not terminal:
            return sys.stdin.readline()
        with suppress(ImportError):
            import readline  # noqa: F401
        return f"{input('> ')}\n"
    except (EOFError, KeyboardInterrupt) as end:
        if terminal:
            print()  # what follows begins on a line of its own
        if isinstance(end, EOFError):
            return ""
        raise
    finally:
        signal.signal(signal.SIGINT, before)
