"""Arguments that several verbs share, and how they print, write and tell."""

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
    """Return a number of seconds."""
    return _number(float, text, 0, 1e9, "a number of seconds")


def positive(text: str) -> int:
    """Return a positive integer."""
    return _number(int, text, 1, 2**31 - 1, "a positive integer")


def not_negative(text: str) -> int:
    """Return an integer from 0 on."""
    return _number(int, text, 0, 2**31 - 1, "an integer from 0 on")


def size(text: str) -> int:
    """Return a number of bytes."""
    unit = {"K": 2**10, "M": 2**20, "G": 2**30}.get(text[-1:].upper(), 1)
    return unit * _number(int, text if unit == 1 else text[:-1], 1, 2**40, "a size such as 500M or 2G")


def option(text: str) -> tuple[str, str]:
    """Return the name and the value of an option of the engine's own."""
    name, equals, value = text.partition("=")
    if not name or not equals:
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=VALUE")
    return name, value


def cell_value(text: str) -> tuple[str, str]:
    """Return the name of a cell and a value of it."""
    name, equals, value = map(str.strip, text.partition("="))
    if not name or not equals or not value:
        raise argparse.ArgumentTypeError(f"{text!r} is not CELL=VALUE, such as r1c1=3")
    return name, value


def rule_names(text: str) -> list[str]:
    """Return the names of reductions of domains, such as ``equality,pruning``; ``none`` names no one."""
    return [word.strip() for word in text.split(",") if word.strip() not in ("", "none")]


SETTINGS: dict[str, dict[str, Any]] = {
    "solver": {"default": "", "help": "name of the solver (default: chosen by the size of the puzzle)"},
    "formulation": {"default": "", "help": "how to state the problem, such as implication or flow"},
    "threads": {"type": positive, "default": 1, "help": "threads of the engine (default: 1)"},
    "time_limit": {"type": time_limit, "metavar": "SECONDS", "help": "stop after this time, per puzzle"},
    "memory_limit": {
        "type": size,
        "metavar": "SIZE",
        "help": "memory the engine may use, such as 500M or 2G",
    },
    "seed": {"type": not_negative, "default": 0, "help": "random seed of the engine (default: 0)"},
    "option": {
        "action": "append",
        "default": [],
        "type": option,
        "metavar": "NAME=VALUE",
        "help": "an option of the engine's own",
    },
    "presolve_rules": {
        "action": "extend",
        "type": rule_names,
        "metavar": "RULES",
        "help": "reduce the domains first, by rules such as equality,pruning, or none (default: filtering, "
        "unless the formulation states a published model)",
    },
    "isolate": {
        "action": argparse.BooleanOptionalAction,
        "help": "run the engine in a process of its own (default: engines from other distributions)",
    },
}
"""How a task is to be done: what any verb may take, of which ``settings_of`` makes one object."""


def add_settings(parser: argparse.ArgumentParser, *names: str, **helps: str) -> None:
    """Add those of the ``SETTINGS`` that the verb heeds; ``helps`` say what some of them mean there."""
    for name in names:
        told = {"help": helps[name]} if name in helps else {}
        parser.add_argument(f"--{name.replace('_', '-')}", **{**SETTINGS[name], **told})


def settings_of(arguments: argparse.Namespace, **instead: object) -> Settings:
    """Return the settings that the arguments of ``add_settings`` ask for, some of them with another value."""
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
    parser.add_argument("file", metavar="FILE", help="puzzle file; - is standard input")
    add_level(parser)


def add_puzzle_files(parser: argparse.ArgumentParser) -> None:
    """Add FILE… and --level."""
    parser.add_argument(
        "files", nargs="+", metavar="FILE", help="puzzle files, directories of them, or - for standard input"
    )
    add_level(parser)


def add_level(parser: argparse.ArgumentParser) -> None:
    """Add --level."""
    parser.add_argument("--level", help="which puzzle of a file with several, such as easy, medium, hard")


def add_board(parser: argparse.ArgumentParser, help: str) -> None:
    """Add --board."""
    parser.add_argument("--board", metavar="BOARD", help=help)


def read_with_board(file: str, board: str | None, level: str | None) -> tuple[Puzzle, dict[int, int] | None]:
    """Return the puzzle of a file and, where one is named, what a board holds, see ``read_board``.

    Raises InputError and UsageError.
    """
    from milp_pips.puzzles.reading import read, read_board

    if board is not None:
        require_files(file, board)
    puzzle = read(file, level)
    return puzzle, None if board is None else read_board(puzzle, board)


def require_files(*files: str) -> None:
    """Raise UsageError where a file is a directory, or two of them are standard input."""
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
        help="what makes two solutions different, such as placement or grid (default: the first)",
    )


def add_json(parser: argparse.ArgumentParser) -> None:
    """Add --json."""
    parser.add_argument(
        "--json", action="store_true", help="print one JSON object per line, and nothing else"
    )


class ReadPuzzle(NamedTuple):
    """A puzzle, the seconds that reading took, and what stands on the board that was named with it."""

    puzzle: Puzzle
    seconds: float
    board: Board | None = None


def for_each_puzzle(arguments: argparse.Namespace, work: Callable[[Puzzle, float], int]) -> int:
    """Do the work on every puzzle of the files and return the gravest of the exit statuses.

    The work gets a puzzle and the seconds that reading took, and returns an exit status; after an
    interruption no further puzzle is begun. A file or a level that cannot be read, or a fault of an engine,
    costs a line.
    """

    def attempt(found: ReadPuzzle) -> int:
        with fault_as_json(arguments, found.puzzle.name):
            return work(found.puzzle, found.seconds)

    return gravest(
        found if isinstance(found, MilpPipsError) else partial(attempt, found)
        for found in puzzles_of(arguments)
    )


def gravest(attempts: Iterable[Callable[[], int] | MilpPipsError]) -> int:
    """Make one attempt after another and return the gravest of the exit statuses; a fault costs a line."""
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
    """Yield every puzzle of the files, or the one with its board; what cannot be read yields its error.

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
    """Print one line in which everything is visible, whatever the names in it hold."""
    print(visible(str(text)))


def file_name(name: str) -> str:
    """Return the name of a puzzle as the name of a file in one directory, never a path.

    Letters, digits, blanks and ``-_.+`` stay; anything else becomes ``_``, and a dot in front, too.
    """
    plain = "".join(c if c.isalnum() or c in " -_.+" else "_" for c in name).strip()
    return f"{'_' * plain.startswith('.')}{plain.lstrip('.')[:100]}" or "puzzle"


def unique_name(name: str, written: set[str]) -> str:
    """Return the name, with a number if it is among those written in this run; then it is one of them."""
    unique, again = name, 1
    while unique in written:
        again += 1
        unique = f"{name}-{again}"
    written.add(unique)
    return unique


PROGRESS_DELAY = 0.5
"""Seconds that a command is given before it tells what it is at: most have ended by then."""


class ProgressLine:
    """A line on standard error that tells how far long work has come; nothing where that is no terminal."""

    def __init__(self) -> None:
        self.shown = sys.stderr.isatty()
        self._told = False
        self._begun = time.monotonic()

    def tell(self, text: str) -> None:
        """Put the text in place of the last one."""
        if self.shown:
            self._told = True
            print(f"\r{text} ", end="\033[K", file=sys.stderr, flush=True)

    @property
    def listener(self) -> Callable[[str], None] | None:
        """What a task may call with each line on what goes on; None where nobody would see it."""
        return self.tell_later if self.shown else None

    def tell_later(self, text: str) -> None:
        """Put the text in place of the last one, once the command has been at work for a while."""
        if time.monotonic() - self._begun > PROGRESS_DELAY:
            import shutil

            self.tell(visible(text)[: shutil.get_terminal_size().columns - 2])

    def clear(self) -> None:
        """Leave an empty line, for what is printed next."""
        if self._told:
            self._told = False
            print("\r\033[K", end="", file=sys.stderr, flush=True)
