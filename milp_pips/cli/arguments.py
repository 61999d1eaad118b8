"""What several verbs share: arguments, loops over the puzzles of the files, and output.

Arguments come first (``SETTINGS``, ``add_settings``, FILE, --board, --json), then the loop over puzzles
(``for_each_puzzle``), then printing, file names and the progress line.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from milp_pips.cli import BAD_INPUT, FAULT, FOUND, INTERRUPTED, LIMIT, NO_SOLUTION, complain
from milp_pips.problem.errors import EngineFault, InputError, MilpPipsError, UsageError, visible

if TYPE_CHECKING:
    from milp_pips.problem.answer import Settings
    from milp_pips.puzzles.puzzle import Board, Puzzle

Number = TypeVar("Number", int, float)


def _number(kind: type[Number], text: str, least: int, most: float, expected: str) -> Number:
    try:
        value = kind(text)
    except ValueError:
        value = kind(-1)
    if not least <= value <= most:
        raise argparse.ArgumentTypeError(f"{text!r} is not {expected}")
    return value


def time_limit(text: str) -> float:
    """Return the number of seconds that the text states."""
    return _number(float, text, 0, 1e9, "a number of seconds")


def positive(text: str) -> int:
    """Return the positive integer that the text states."""
    return _number(int, text, 1, 2**31 - 1, "a positive integer")


def not_negative(text: str) -> int:
    """Return the nonnegative integer that the text states."""
    return _number(int, text, 0, 2**31 - 1, "an integer from 0 on")


def size(text: str) -> int:
    """Return the number of bytes that the text states, such as ``500M``."""
    unit = {"K": 2**10, "M": 2**20, "G": 2**30}.get(text[-1:].upper(), 1)
    return unit * _number(int, text if unit == 1 else text[:-1], 1, 2**40, "a size such as 500M or 2G")


def option(text: str) -> tuple[str, str]:
    """Return the name and the value of an engine option."""
    name, equals, value = text.partition("=")
    if not name or not equals:
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=VALUE")
    return name, value


def cell_value(text: str) -> tuple[str, str]:
    """Return the name of a cell and its value."""
    name, equals, value = map(str.strip, text.partition("="))
    if not name or not equals or not value:
        raise argparse.ArgumentTypeError(f"{text!r} is not CELL=VALUE, such as r1c1=3")
    return name, value


def rule_names(text: str) -> list[str]:
    """Return the names of domain reductions, such as ``equality,pruning``; ``none`` stands for none."""
    return [word.strip() for word in text.split(",") if word.strip() not in ("", "none")]


SETTINGS: dict[str, dict[str, Any]] = {
    "solver": {"default": "", "help": "name of the solver (default: chosen by the size of the puzzle)"},
    "formulation": {"default": "", "help": "formulation of the model, such as implication or flow"},
    "threads": {"type": positive, "default": 1, "help": "threads of the engine (default: 1)"},
    "time_limit": {"type": time_limit, "metavar": "SECONDS", "help": "time limit per puzzle"},
    "memory_limit": {
        "type": size,
        "metavar": "SIZE",
        "help": "memory limit of the engine, such as 500M or 2G",
    },
    "seed": {"type": not_negative, "default": 0, "help": "random seed of the engine (default: 0)"},
    "option": {
        "action": "append",
        "default": [],
        "type": option,
        "metavar": "NAME=VALUE",
        "help": "set an option of the engine itself; may be given several times",
    },
    "presolve_rules": {
        "action": "extend",
        "type": rule_names,
        "metavar": "RULES",
        "help": "rules that reduce the domains before the engine starts, such as equality,pruning, or none "
        "(default: filtering, unless the formulation is a published model)",
    },
    "isolate": {
        "action": argparse.BooleanOptionalAction,
        "help": "run the engine in a separate process (default: only engines from other distributions)",
    },
}
"""The arguments from which ``settings_of`` makes a ``Settings``; each verb takes some of them."""


def add_settings(parser: argparse.ArgumentParser, *names: str, **helps: str) -> None:
    """Add the named ``SETTINGS``; ``helps`` replaces the help texts of some of them."""
    for name in names:
        changed = {"help": helps[name]} if name in helps else {}
        parser.add_argument(f"--{name.replace('_', '-')}", **{**SETTINGS[name], **changed})


def settings_of(arguments: argparse.Namespace, **instead: object) -> Settings:
    """Return the settings that the arguments of ``add_settings`` state; ``instead`` replaces some values."""
    from milp_pips.problem.answer import Settings

    fields = {**vars(arguments), **instead}
    rules = fields.get("presolve_rules")
    return Settings(
        fields.get("formulation", ""),
        fields.get("threads", 1),
        fields.get("seed", 0),
        dict(fields.get("option", ())),
        fields.get("time_limit"),
        fields.get("memory_limit"),
        fields.get("isolate"),
        None if rules is None else tuple(rules),
    )


def add_puzzle_file(parser: argparse.ArgumentParser) -> None:
    """Add FILE and --level."""
    parser.add_argument("file", metavar="FILE", help="puzzle file, or - for standard input")
    add_level(parser)


def add_puzzle_files(parser: argparse.ArgumentParser) -> None:
    """Add FILE… and --level."""
    parser.add_argument(
        "files", nargs="+", metavar="FILE", help="puzzle files, directories of them, or - for standard input"
    )
    add_level(parser)


def add_level(parser: argparse.ArgumentParser) -> None:
    """Add --level."""
    parser.add_argument(
        "--level", help="puzzle to take from a file with several, such as easy, medium or hard"
    )


def add_board(parser: argparse.ArgumentParser, help: str) -> None:
    """Add --board."""
    parser.add_argument("--board", metavar="BOARD", help=help)


def read_with_board(file: str, board: str | None, level: str | None) -> tuple[Puzzle, dict[int, int] | None]:
    """Return the puzzle of a file and the values on the board (None without a board), see ``read_board``.

    Raises InputError and UsageError.
    """
    from milp_pips.puzzles.reading import read, read_board

    if board is not None:
        require_files(file, board)
    puzzle = read(file, level)
    return puzzle, None if board is None else read_board(puzzle, board)


def require_files(*files: str) -> None:
    """Raise UsageError if a file is a directory, or if two of the files are standard input."""
    for file in files:
        if os.path.isdir(file):
            raise UsageError(f"{file} is a directory; name one file with a puzzle, and one with its board")
    if files.count("-") > 1:
        raise UsageError("the puzzle and its board cannot both come from standard input")


def add_distinct(parser: argparse.ArgumentParser) -> None:
    """Add --distinct."""
    parser.add_argument(
        "--distinct",
        metavar="KEY",
        default="",
        help="count two solutions as different only if they differ in KEY, such as placement or grid "
        "(default: the first key of the family)",
    )


def add_json(parser: argparse.ArgumentParser) -> None:
    """Add --json."""
    parser.add_argument(
        "--json", action="store_true", help="print one JSON object per line, and nothing else"
    )


class ReadPuzzle(NamedTuple):
    """A puzzle, the seconds that reading took, and the values on the board if one was given."""

    puzzle: Puzzle
    seconds: float
    board: Board | None = None


def for_each_puzzle(arguments: argparse.Namespace, work: Callable[[Puzzle, float], int]) -> int:
    """Call ``work`` on every puzzle of the files and return the gravest exit status.

    ``work`` takes a puzzle and the seconds that reading took, and returns an exit status. After an
    interruption no further puzzle is started. A file or a level that cannot be read, or a fault of an engine,
    prints one line, and the loop continues.
    """

    def attempt(found: ReadPuzzle) -> int:
        with fault_as_json(arguments, found.puzzle.name):
            return work(found.puzzle, found.seconds)

    return run_attempts(
        found if isinstance(found, MilpPipsError) else partial(attempt, found)
        for found in puzzles_of(arguments)
    )


def run_attempts(attempts: Iterable[Callable[[], int] | MilpPipsError]) -> int:
    """Make the attempts in order and return the gravest exit status; an error prints one line."""
    statuses = [FOUND]
    for attempt in attempts:
        if isinstance(attempt, MilpPipsError):
            complain(str(attempt))
            statuses.append(BAD_INPUT if isinstance(attempt, InputError) else FAULT)
            continue
        try:
            statuses.append(attempt())
        except EngineFault as error:
            complain(str(error))
            statuses.append(FAULT)
        if statuses[-1] == INTERRUPTED:
            return INTERRUPTED
    return next(status for status in (FAULT, BAD_INPUT, LIMIT, NO_SOLUTION, FOUND) if status in statuses)


def puzzles_of(arguments: argparse.Namespace) -> Iterator[ReadPuzzle | MilpPipsError]:
    """Yield every puzzle of the files, or the only one with its board; yield the error of unreadable input.

    Raises UsageError, and InputError for a board.
    """
    if getattr(arguments, "board", None) is None:
        yield from _puzzles(arguments.files, arguments.level)
        return
    if len(arguments.files) > 1:
        raise UsageError("--board belongs to one puzzle: name one file")
    begun = time.perf_counter()
    filled, board = read_with_board(arguments.files[0], arguments.board, arguments.level)
    yield ReadPuzzle(filled, time.perf_counter() - begun, board)


def _puzzles(paths: list[str], level: str | None) -> Iterator[ReadPuzzle | MilpPipsError]:
    from milp_pips.puzzles.reading import files_of, name_of, read_levels, text_of

    for path in paths:
        try:
            for file in files_of([path]):
                begun = time.perf_counter()
                try:
                    found = read_levels(text_of(file), name_of(file), level)
                except (EngineFault, InputError) as error:
                    yield error
                    continue
                spent = (time.perf_counter() - begun) / len(found)
                for puzzle in found.values():
                    yield puzzle if isinstance(puzzle, InputError) else ReadPuzzle(puzzle, spent)
        except InputError as error:
            yield error


def print_json(data: object) -> None:
    """Print a line of JSON at once."""
    import json

    print(json.dumps(data, ensure_ascii=False), flush=True)


@contextmanager
def fault_as_json(arguments: argparse.Namespace, puzzle: str) -> Iterator[None]:
    """With --json, print a fault of an engine as a line about the puzzle; then raise it."""
    try:
        yield
    except EngineFault as fault:
        if getattr(arguments, "json", False):
            print_json({"puzzle": puzzle, "status": "error", "fault": str(fault)})
        raise


def print_line(text: object) -> None:
    """Print one line with control characters made visible."""
    print(visible(str(text)))


def file_name(name: str) -> str:
    """Return a file name, never a path, made from the name of a puzzle.

    Letters, digits, blanks and ``-_.+`` stay. Any other character becomes ``_``, and so does a leading dot.
    """
    plain = "".join(c if c.isalnum() or c in " -_.+" else "_" for c in name).strip()
    return f"{'_' * plain.startswith('.')}{plain.lstrip('.')[:100]}" or "puzzle"


def unique_name(name: str, written: set[str]) -> str:
    """Return the name, with a number appended if ``written`` contains it already; add it to ``written``."""
    unique, again = name, 1
    while unique in written:
        again += 1
        unique = f"{name}-{again}"
    written.add(unique)
    return unique


PROGRESS_DELAY = 0.5
"""Seconds before a command shows progress: most commands have ended by then."""


class ProgressLine:
    """A line of progress on standard error; prints nothing if standard error is no terminal."""

    def __init__(self) -> None:
        self.shown = sys.stderr.isatty()
        self._printed = False
        self._begun = time.monotonic()

    def show(self, text: str) -> None:
        """Replace the line by the text."""
        if self.shown:
            self._printed = True
            print(f"\r{text} ", end="\033[K", file=sys.stderr, flush=True)

    @property
    def listener(self) -> Callable[[str], None] | None:
        """Return a function that a task calls with each line of progress; None if no terminal shows it."""
        return self.show_later if self.shown else None

    def show_later(self, text: str) -> None:
        """Replace the line by the text once the command has run for ``PROGRESS_DELAY``."""
        if time.monotonic() - self._begun > PROGRESS_DELAY:
            import shutil

            self.show(visible(text)[: shutil.get_terminal_size().columns - 2])

    def clear(self) -> None:
        """Erase the line before other output is printed."""
        if self._printed:
            self._printed = False
            print("\r\033[K", end="", file=sys.stderr, flush=True)
