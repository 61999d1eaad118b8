"""Where the pictures of a verb go: the terminal, a file for each, or one SVG document with all of them."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING

from milp_pips.cli import complain
from milp_pips.cli.arguments import file_name, print_line, unique_name
from milp_pips.problem.errors import InputError, UsageError, visible
from milp_pips.runtime.writing import try_directory, try_file, write_file

if TYPE_CHECKING:
    from types import TracebackType

    from milp_pips.render.vocabulary import Drawing

PRINT = "-"
"""In place of a path: the document goes to standard output."""

MOST = 1000
"""Pictures in one document: some 5 MB, about as much as a browser still scrolls through at ease."""


def add_pictures(parser: argparse.ArgumentParser, what: str, *, as_text: bool = True) -> None:
    """Add --svg, and --color where the pictures are printed as text, too."""
    parser.add_argument(
        "--svg",
        nargs="?",
        const=PRINT,
        metavar="PATH",
        help=f"draw {what} as SVG: all in one document if PATH ends in .svg, else each in a file of its own "
        "in this directory; without PATH print the document in place of text",
    )
    if not as_text:
        parser.set_defaults(color="never")
        return
    parser.add_argument(
        "--color",
        choices=("always", "auto", "never"),
        default="auto",
        help="colours in text: auto is in a terminal, unless NO_COLOR is set (default: auto)",
    )


def add_quiet(parser: argparse.ArgumentParser, what: str) -> None:
    """Add --quiet, which prints ``what`` alone; pictures are written to files all the same."""
    parser.add_argument("--quiet", action="store_true", help=f"print {what} alone")


class Pictures:
    """Takes the pictures of a run, and lines beside them; a context, at whose end a document is written.

    Raises UsageError, in the beginning, where a document and JSON would both go to standard output, and
    InputError or OutputError where a picture cannot be written, as far as that shows in the beginning.
    """

    def __init__(self, arguments: argparse.Namespace):
        self._path: str | None = arguments.svg
        self._color: str = arguments.color
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
        self._told_of_width = False

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
        """Whether SVG was asked for."""
        return self._path is not None

    def say(self, text: object) -> None:
        """Print a line; to standard error where the document goes to standard output."""
        if self.printed:
            print(visible(str(text)), file=sys.stderr)
        else:
            print_line(text)

    def say_parts(self, parts: Iterable[str | Drawing]) -> None:
        """Print lines, and pictures as text."""
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
        """Print a picture as the terminal can show it; nothing where SVG is printed, or --quiet was given."""
        if self.printed or self.quiet:
            return
        from milp_pips.render.text import terminal_style, to_text

        unicode, colour = terminal_style(sys.stdout)
        colour = {"always": True, "never": False}.get(self._color, colour)
        print(to_text(drawing, unicode=unicode, colour=colour))
        if sys.stdout.isatty() and not (self.wanted or self._told_of_width):
            self._compare_width(drawing)

    def keep(self, drawing: Drawing, name: str) -> None:
        """Write a picture to its file, or keep it for the document, if SVG was asked for."""
        if self._directory:
            from milp_pips.render.svg import to_svg

            path = os.path.join(self._directory, f"{unique_name(file_name(name), self._written)}.svg")
            write_file(path, to_svg(drawing))
        elif self.wanted and len(self._kept) < MOST:
            self._kept.append(drawing)
        elif self.wanted:
            self._left_out += 1

    def _compare_width(self, drawing: Drawing) -> None:
        """Say so where a board is wider than the terminal, once in a run; lines of words may be wrapped."""
        from milp_pips.render.markup import width
        from milp_pips.render.text import to_text

        board = to_text(drawing._replace(notes=(), tray=None))
        wide, room = max(map(width, board.splitlines()), default=0), shutil.get_terminal_size().columns
        if wide > room:
            self._told_of_width = True
            sys.stdout.flush()
            complain(
                f"{drawing.title}: the picture is {wide} columns wide, the terminal {room}: "
                "--svg PICTURE.svg draws it for a browser"
            )
