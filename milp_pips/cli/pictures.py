"""Output of pictures: to the terminal as text, to one SVG file each, or to one SVG document for all."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from milp_pips.cli import INTERRUPTED, LIMIT, complain
from milp_pips.cli.arguments import fault_as_json, file_name, print_line, read_with_board, unique_name
from milp_pips.problem.errors import InputError, UsageError, visible
from milp_pips.problem.parameters import Parameter, one_of
from milp_pips.runtime.writing import try_directory, try_file, write_file

if TYPE_CHECKING:
    from types import TracebackType

    from milp_pips.problem.stopping import Deadline
    from milp_pips.puzzles.puzzle import Board, Puzzle
    from milp_pips.render.vocabulary import Drawing

PRINT = "-"
"""The value of --svg without a path: the SVG document goes to standard output."""

MAX_PICTURES = 1000
"""Most pictures in one document: about 5 MB, which a browser still scrolls through smoothly."""


COLOR = Parameter(
    "--color",
    "use colours in text; auto uses them in a terminal, unless NO_COLOR is set (default: auto)",
    one_of(("always", "auto", "never")),
    "auto",
)


def svg(what: str) -> Parameter:
    """Return the parameter --svg, which draws ``what``."""
    return Parameter(
        "--svg [PATH]",
        f"draw {what} as SVG: all in one document if PATH ends in .svg, else one file each in the directory "
        "PATH; without PATH, print the document instead of text",
        alone=PRINT,
    )


class Pictures:
    """The pictures of a run and the lines printed beside them.

    It is a context manager, which writes the SVG document at the end. The constructor raises UsageError if a
    document and JSON would both go to standard output, and InputError or OutputError if it can tell already
    that a picture cannot be written.
    """

    def __init__(self, arguments: argparse.Namespace):
        self._path: str | None = arguments.svg
        self._color: str = getattr(arguments, "color", "never")
        self.quiet: bool = getattr(arguments, "quiet", False)
        self.printed = self._path == PRINT
        """Whether the document goes to standard output."""
        if self.printed and getattr(arguments, "json", False):
            raise UsageError("--json and --svg both print: name a file or a directory after --svg")
        self._directory = ""
        if self._path is not None and not self.printed:
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
                write_file(self._path, document)
        if self._left_out:
            complain(f"{self._left_out} more pictures are left out: --svg DIRECTORY writes a file for each")

    @property
    def wanted(self) -> bool:
        """Whether SVG is requested."""
        return self._path is not None

    def say(self, text: object) -> None:
        """Print a line, to standard error if the document goes to standard output."""
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


def on_puzzle(
    show: Callable[[argparse.Namespace, Puzzle, Board | None, Pictures, Deadline], int],
) -> Callable[[argparse.Namespace], int]:
    """Return a function that reads the puzzle and its board, and calls ``show`` on them within the limits."""

    def run(arguments: argparse.Namespace) -> int:
        from milp_pips.compilation.limits import Unfinished
        from milp_pips.problem.stopping import Deadline

        puzzle, board = read_with_board(arguments.file, getattr(arguments, "board", None), arguments.level)
        with (
            Pictures(arguments) as pictures,
            Deadline(arguments.seconds) as deadline,
            fault_as_json(arguments, puzzle.name),
        ):
            try:
                return show(arguments, puzzle, board, pictures, deadline)
            except Unfinished as reason:
                complain(f"{puzzle.name}: {reason}")
                return unless_interrupted(reason.stop, LIMIT)

    return run


def unless_interrupted(stop: str, status: int) -> int:
    """Return the exit status, or that of an interruption."""
    return INTERRUPTED if stop == "interrupted" else status
