"""Output of pictures: to the terminal as text, to one SVG file each, or to one SVG document for all."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from milp_pips.cli import INTERRUPTED, LIMIT, complain
from milp_pips.cli.arguments import (
    JSON,
    ProgressLine,
    ReadPuzzle,
    fault_as_json,
    file_name,
    print_json,
    print_line,
    puzzles_of,
    run_attempts,
    unique_name,
)
from milp_pips.problem.errors import InputError, MilpPipsError, UsageError, visible
from milp_pips.problem.parameters import Parameter, flag, one_of

if TYPE_CHECKING:
    from types import TracebackType

    from milp_pips.problem.stopping import Deadline
    from milp_pips.puzzles.puzzle import Board, Puzzle
    from milp_pips.render.vocabulary import Drawing

PRINT = "-"
"""The value of --svg without a path: the SVG document goes to standard output."""

MAX_PICTURES = 1000
"""Most pictures in one document: about 5 MB, which a browser still scrolls through smoothly."""


def output(what: str, quiet: str = "", *, as_text: bool = True) -> tuple[Parameter, ...]:
    """Return --json, --svg, which draws ``what``, --color for pictures as text, and --quiet."""
    svg = Parameter(
        "--svg [PATH]",
        f"draw {what} as SVG: all in one document if PATH ends in .svg, else one file each in the directory "
        "PATH; without PATH, print the document instead of text",
        alone=PRINT,
    )
    color = Parameter(
        "--color",
        "use colours in text; auto uses them in a terminal, unless NO_COLOR is set (default: auto)",
        one_of(("always", "auto", "never")),
        "auto",
    )
    silent = flag("--quiet", f"print only {quiet}")
    return (JSON, svg, *[color] * as_text, *[silent] * bool(quiet))


class Pictures:
    """The pictures of a run and the lines printed beside them.

    It is a context manager, which writes the SVG document at the end. The constructor raises UsageError if a
    document and JSON would both go to standard output, and InputError or OutputError if it can tell already
    that a picture cannot be written.
    """

    def __init__(self, arguments: argparse.Namespace):
        self._path: str | None = getattr(arguments, "svg", None)
        self._color: str = getattr(arguments, "color", "never")
        self.quiet: bool = getattr(arguments, "quiet", False)
        self.json: bool = getattr(arguments, "json", False)
        self.progress = ProgressLine()
        self.printed = self._path == PRINT
        """Whether the document goes to standard output."""
        if self.printed and self.json:
            raise UsageError("--json and --svg both print: name a file or a directory after --svg")
        self._directory = ""
        if self._path is not None and not self.printed:
            from milp_pips.runtime.writing import try_directory, try_file  # few commands write files

            if self._path.endswith(".svg"):
                try_file(self._path)
            elif os.path.isfile(self._path):
                raise InputError(
                    "a file, but no .svg: expected a directory, or a name ending in .svg", self._path
                )
            else:
                try_directory(self._path)
                self._directory = self._path
        self._written: set[str] = set()
        self._kept: list[Drawing] = []
        self._left_out = 0
        self._warned_of_width = False

    def __enter__(self) -> Pictures:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._kept and self._path is not None:
            from milp_pips.render.svg import to_svg

            document = to_svg(*self._kept)
            if self.printed:
                sys.stdout.write(document)
            else:
                from milp_pips.runtime.writing import write_file

                write_file(self._path, document)
        if self._left_out:
            complain(f"{self._left_out} more pictures are left out: --svg DIRECTORY writes a file for each")

    @property
    def wanted(self) -> bool:
        """Whether SVG is requested."""
        return self._path is not None

    def present(
        self,
        result: HasRecord,
        name: str,
        parts: Iterable[str | Drawing],
        drawing: Callable[[], Drawing] | None = None,
    ) -> None:
        """Print the result, as a line of JSON or by its parts, and keep its picture if SVG is requested."""
        if self.json:
            self.progress.clear()
            print_json(result.to_json())
        else:
            self.say_parts(parts)
        if self.wanted and drawing is not None:
            self.keep(drawing(), name)

    def say(self, text: object) -> None:
        """Print a line, to standard error if the document goes to standard output."""
        self.progress.clear()
        if self.printed:
            print(visible(str(text)), file=sys.stderr)
        else:
            print_line(text)

    def say_parts(self, parts: Iterable[str | Drawing]) -> None:
        """Print the parts: lines as they are, pictures as text."""
        for part in parts:
            if isinstance(part, str):
                self.say(part)
            else:
                self.print(part)

    def show(self, drawing: Drawing, name: str) -> None:
        """Print a picture as text, and keep it as SVG."""
        self.print(drawing)
        self.keep(drawing, name)

    def print(self, drawing: Drawing) -> None:
        """Print a picture as text that suits the terminal; nothing with --quiet or if SVG is printed."""
        if self.printed or self.quiet:
            return
        self.progress.clear()
        from milp_pips.render.text import terminal_style, to_text

        unicode, colour = terminal_style(sys.stdout)
        colour = {"always": True, "never": False}.get(self._color, colour)
        print(to_text(drawing, unicode=unicode, colour=colour))
        if sys.stdout.isatty() and not (self.wanted or self._warned_of_width):
            self._compare_width(drawing)

    def keep(self, drawing: Drawing, name: str) -> None:
        """Write a picture to its file, or keep it for the document, if SVG is requested."""
        if self._directory:
            from milp_pips.render.svg import to_svg
            from milp_pips.runtime.writing import write_file

            path = os.path.join(self._directory, f"{unique_name(file_name(name), self._written)}.svg")
            write_file(path, to_svg(drawing))
        elif self.wanted and len(self._kept) < MAX_PICTURES:
            self._kept.append(drawing)
        elif self.wanted:
            self._left_out += 1

    def _compare_width(self, drawing: Drawing) -> None:
        """Warn, once per run, if a board is wider than the terminal; lines of words may be wrapped."""
        from milp_pips.render.markup import width
        from milp_pips.render.text import to_text

        board = to_text(drawing._replace(notes=(), tray=None))
        wide, room = max(map(width, board.splitlines()), default=0), shutil.get_terminal_size().columns
        if wide > room:
            self._warned_of_width = True
            sys.stdout.flush()
            complain(
                f"{drawing.title}: the picture is {wide} columns wide, the terminal {room}: "
                "--svg PICTURE.svg draws it for a browser"
            )


class HasRecord(Protocol):
    """A result."""

    def to_json(self) -> dict[str, Any]:
        """Return the result as JSON-ready data."""


class PuzzleRun(NamedTuple):
    """A puzzle on which a command works: its arguments, values on the board, output, and the deadline."""

    arguments: argparse.Namespace
    puzzle: Puzzle
    board: Board | None
    pictures: Pictures
    deadline: Deadline


def on_puzzle(work: Callable[[PuzzleRun], int]) -> Callable[[argparse.Namespace], int]:
    """Return a function of the arguments that does the work on every puzzle, as ``work_on_puzzles`` does."""

    def run(arguments: argparse.Namespace) -> int:
        with Pictures(arguments) as pictures:
            return work_on_puzzles(arguments, pictures, work)

    return run


def work_on_puzzles(
    arguments: argparse.Namespace, pictures: Pictures, work: Callable[[PuzzleRun], int]
) -> int:
    """Do the work on FILE or every puzzle of FILE…, within the time limit; return the gravest exit status.

    An error prints one line, and the loop continues; after an interruption no further puzzle is started.
    """
    from milp_pips.problem.stopping import Deadline

    def attempt(found: ReadPuzzle) -> int:
        name = found.puzzle.name
        with (
            Deadline(getattr(arguments, "seconds", None), pictures.progress.listener) as deadline,
            fault_as_json(arguments, name),
        ):
            try:
                status = work(PuzzleRun(arguments, found.puzzle, found.board, pictures, deadline))
            except MilpPipsError as error:
                if (stop := getattr(error, "stop", None)) is None:
                    raise
                complain(f"{name}: {error}")  # a decision diagram was given up
                status = INTERRUPTED if stop == "interrupted" else LIMIT
            finally:
                pictures.progress.clear()
        return INTERRUPTED if deadline.interrupted else status

    return run_attempts(
        found if isinstance(found, MilpPipsError) else partial(attempt, found)
        for found in puzzles_of(arguments)
    )
