"""What several verbs share: parameters, loops over the puzzles of the files, and output.

First come the arguments that parameters become, and shared parameters, then the loop over puzzles
(``run_attempts``), then printing, file names and the progress line.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from milp_pips.cli import BAD_INPUT, FAULT, FOUND, INTERRUPTED, LIMIT, NO_SOLUTION, Verb, complain
from milp_pips.problem.errors import EngineFault, InputError, MilpPipsError, UsageError, visible
from milp_pips.problem.parameters import NAMES, SETTINGS, SWITCH, Kind, Parameter, flag
from milp_pips.problem.plugins import load

if TYPE_CHECKING:
    from milp_pips.problem.answer import Settings
    from milp_pips.puzzles.puzzle import Board, Puzzle


def add_parameters(parser: argparse.ArgumentParser, parameters: Iterable[Parameter]) -> None:
    """Add an argument for each parameter."""
    groups: dict[str, argparse._MutuallyExclusiveGroup] = {}
    for parameter in parameters:
        if parameter.group and parameter.group not in groups:
            groups[parameter.group] = parser.add_mutually_exclusive_group()
        where = groups.get(parameter.group, parser)
        names = parameter.flags or [parameter.keyword]
        where.add_argument(*names, help=parameter.help.replace("%", "%%"), **_argparse_words(parameter))


def _argparse_words(parameter: Parameter) -> dict[str, Any]:
    """Return the keyword arguments of ``add_argument`` for a parameter, except its help."""
    kind, default, words = parameter.kind, parameter.default, dict[str, Any]()
    if parameter.flags:
        required = {"required": True} if default is ... else {}
        words = {"dest": parameter.keyword, "default": None if default is ... else default, **required}
    elif parameter.usage.endswith("..."):
        words = {"nargs": "+"}
    elif parameter.usage.startswith("["):
        words = {"nargs": "?", "default": default}
    if kind is SWITCH and not parameter.metavar:
        return {**words, "action": argparse.BooleanOptionalAction if default is None else "store_true"}
    if parameter.alone is not None:
        words |= {"nargs": "?", "const": parameter.alone}
    if parameter.many and parameter.flags:
        words |= {"action": "extend" if kind is NAMES else "append"}
        words |= {"default": None if default is None else list(default)}
    if choices := kind.schema.get("enum"):
        return {**words, "choices": choices}
    return {**words, "metavar": parameter.metavar, "type": partial(_read_text, kind)}


def _read_text(kind: Kind, text: str) -> Any:
    try:
        return kind.read_text(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def verb(
    *parameters: Parameter | str, epilog: str | Callable[[], str] = ""
) -> Callable[[Callable[[argparse.Namespace], int]], Verb]:
    """Return a decorator that makes a function of the parsed arguments a verb with these parameters.

    A text is the place of a task's own parameters, such as ``module:PARAMETERS``.
    """

    def make(run: Callable[[argparse.Namespace], int]) -> Verb:
        def add_arguments(parser: argparse.ArgumentParser) -> None:
            parser.epilog = epilog if isinstance(epilog, str) else epilog()
            for each in parameters:
                add_parameters(parser, load(each) if isinstance(each, str) else [each])

        return Verb(add_arguments, run)

    return make


def settings(*names: str, **helps: str) -> tuple[Parameter, ...]:
    """Return the named ``SETTINGS``, in this order; ``helps`` replaces the sentences of some of them."""
    known = {parameter.keyword: parameter for parameter in SETTINGS}
    return tuple(known[name].says(helps.get(name, known[name].help)) for name in names or known)


def settings_of(arguments: argparse.Namespace, **instead: object) -> Settings:
    """Return the settings that the arguments state; ``instead`` replaces some values."""
    from milp_pips.problem.answer import Settings

    fields = {**vars(arguments), **instead}
    fields = {known.keyword: fields[known.keyword] for known in SETTINGS if known.keyword in fields}
    if fields.get("rules") is not None:
        fields["rules"] = tuple(fields["rules"])
    return Settings(**{**fields, "options": dict(fields.get("options", ()))})


LEVEL = Parameter("--level LEVEL", "puzzle to take from a file with several, such as easy, medium or hard")
PUZZLE_FILE = (Parameter("FILE", "puzzle file, or - for standard input"), LEVEL)
PUZZLE_FILES = (
    Parameter("FILE...", "puzzle files, directories of them, or - for standard input", name="files"),
    LEVEL,
)
BOARD = Parameter("--board BOARD")
DISTINCT = Parameter(
    "--distinct KEY",
    "count two solutions as different only if they differ in KEY, such as placement or grid (default: the "
    "first key of the family)",
    default="",
)
PROVE = Parameter("--prove DIR", "write a certificate of the answer into this new folder, see the verb prove")
JSON = flag("--json", "print one JSON object per line, and nothing else")


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


class ReadPuzzle(NamedTuple):
    """A puzzle, the seconds that reading took, and the values on the board if one was given."""

    puzzle: Puzzle
    seconds: float
    board: Board | None = None


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
    """Yield every puzzle of FILE…, or the only one, with its board; yield the error of unreadable input.

    Raises UsageError, and InputError for a board or for FILE.
    """
    files: list[str] = getattr(arguments, "files", None) or [arguments.file]
    board: str | None = getattr(arguments, "board", None)
    if board is None and "files" in arguments:
        yield from _puzzles(files, arguments.level)
        return
    if len(files) > 1:
        raise UsageError("--board belongs to one puzzle: name one file")
    begun = time.perf_counter()
    puzzle, values = read_with_board(files[0], board, arguments.level)
    yield ReadPuzzle(puzzle, time.perf_counter() - begun, values)


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
