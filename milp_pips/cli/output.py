"""Output of verbs: pictures as text or SVG, lines, JSON, and the progress line; names of output files."""

from __future__ import annotations

import argparse
import os
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

from milp_pips.cli import complain, terminal_width
from milp_pips.problem.errors import EngineFault, InputError, UsageError, visible
from milp_pips.problem.parameters import Parameter, flag, one_of

if TYPE_CHECKING:
    from types import TracebackType

    from milp_pips.problem.answer import TaskResult
    from milp_pips.render.vocabulary import Drawing

JSON = flag("--json", "print one JSON object per line, and nothing else")

PRINT = "-"
"""The value of --svg without a path: the SVG document goes to standard output."""

MAX_PICTURES = 1000
"""Most pictures in one document: about 5 MB, which a browser still scrolls through smoothly."""


def output(what: str, quiet: str = "") -> tuple[Parameter, ...]:
    """Return --json, and the parameters of ``pictures``."""
    return (JSON, *pictures(what, quiet))


def pictures(what: str, quiet: str = "", *, as_text: bool = True) -> tuple[Parameter, ...]:
    """Return --svg, which draws ``what``, --color for pictures as text, and --quiet."""
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
    return (svg, *[color] * as_text, *[silent] * bool(quiet))


class Pictures:
    """The pictures of a run and the lines printed beside them.

    It is a context manager, which writes the SVG document at the end. The constructor raises UsageError if a
    document and JSON would both go to standard output, and InputError or OutputError if it can tell already
    that a picture cannot be written.
    """

    def __init__(self, arguments: argparse.Namespace):
        paths = {kind: getattr(arguments, kind, None) for kind in ("svg", "png", "pdf")}
        wanted = [kind for kind, path in paths.items() if path is not None]
        if len(wanted) > 1:
            raise UsageError(f"name one of --{' and --'.join(wanted)}")
        self._kind = wanted[0] if wanted else "svg"
        self._path: str | None = paths[self._kind]
        self._color: str = getattr(arguments, "color", "never")
        self.quiet: bool = getattr(arguments, "quiet", False)
        self.json: bool = getattr(arguments, "json", False)
        self.progress = ProgressLine()
        self.printed = self._path == PRINT
        """Whether the document goes to standard output."""
        if self.printed and self.json:
            raise UsageError("--json and --svg both print: name a file or a directory after --svg")
        self._directory = ""
        if self._kind != "svg":
            from milp_pips.views.paper import require_typst

            require_typst()
        # Now, not at the end: a command of several minutes must not fail when it writes its last line.
        if self._path is not None and not self.printed:
            from milp_pips.runtime.writing import try_directory, try_file  # few commands write files

            if self._path.endswith(ending := f".{self._kind}"):
                try_file(self._path)
            elif os.path.isfile(self._path):
                raise InputError(
                    f"a file, but no {ending}: expected a directory, or a name ending in {ending}", self._path
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
            document = self._document(*self._kept)
            if isinstance(document, str) and self.printed:
                sys.stdout.write(document)
            else:
                from milp_pips.runtime.writing import write_file

                write_file(self._path, document)
        if self._left_out:
            complain(f"{self._left_out} more pictures are left out: --svg DIRECTORY writes a file for each")

    @property
    def wanted(self) -> bool:
        """Whether a file of pictures is requested."""
        return self._path is not None

    def present(
        self,
        result: TaskResult,
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
            print_line(text, sys.stderr)
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
            from milp_pips.runtime.writing import write_file

            name = f"{unique_name(file_name(name), self._written)}.{self._kind}"
            write_file(os.path.join(self._directory, name), self._document(drawing))
        elif self.wanted and len(self._kept) < MAX_PICTURES:
            self._kept.append(drawing)
        elif self.wanted:
            self._left_out += 1

    def _document(self, *drawings: Drawing) -> str | bytes:
        """Return a document of the drawings: one picture of them all, or a PDF with a page for each."""
        from milp_pips.render.svg import to_svg

        if self._kind == "svg":
            return to_svg(*drawings)
        from milp_pips.views.paper import to_pdf, to_png

        return to_png(to_svg(*drawings)) if self._kind == "png" else to_pdf(list(map(to_svg, drawings)))

    def _compare_width(self, drawing: Drawing) -> None:
        """Warn, once per run, if a board is wider than the terminal; lines of words may be wrapped."""
        from milp_pips.render.text import to_text, width

        board = to_text(drawing._replace(notes=(), tray=None))
        wide, room = max(map(width, board.splitlines()), default=0), terminal_width()
        if wide > room:
            self._warned_of_width = True
            sys.stdout.flush()
            complain(
                f"{drawing.title}: the picture is {wide} columns wide, the terminal {room}: "
                "--svg PICTURE.svg draws it for a browser"
            )


# Lines of text and JSON, file names, and the progress line.


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


LONGEST_PRINTED_LINE = 100_000
"""Characters of a printed line; a chain of deductions may need some thousand."""


def print_line(text: object, file: TextIO | None = None) -> None:
    """Print one line with control characters made visible."""
    print(visible(str(text), LONGEST_PRINTED_LINE), file=file)


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

PULSE = 0.1
"""Seconds between two looks at the clock while a line stands."""


class ProgressLine:
    """A line of progress on standard error; prints nothing if standard error is not a terminal.

    A text that stands when a second of the command ends gets the number of seconds after it, unless
    ``counts_seconds`` is false: where other output may come at any time.
    """

    counts_seconds = True

    def __init__(self) -> None:
        self.shown = sys.stderr.isatty()
        self._text, self._printed = "", False
        self._lock = threading.Lock()
        self._begun = self._drawn = time.monotonic()
        self._thread: threading.Thread | None = None

    def show(self, text: str) -> None:
        """Replace the line by the text."""
        self._show(text, 0.0)

    def _show(self, text: str, delay: float) -> None:
        """Replace the line by the text, but not before the command has run for ``delay`` seconds."""
        if not self.shown:
            return
        with self._lock:
            self._text, now = text, time.monotonic()
            # A text that is too early is drawn by the thread that counts seconds, once its time has come.
            self._drawn = max(now, self._begun + delay)
            if self._drawn == now:
                self._print(text)
        if self.counts_seconds and self._thread is None:
            self._thread = threading.Thread(target=self._count_seconds, daemon=True)
            self._thread.start()

    def _count_seconds(self) -> None:
        """Write the seconds after a text that stands unchanged."""
        while True:
            time.sleep(PULSE)
            with self._lock:
                now = time.monotonic()
                seconds = int(now - self._begun)
                if self._text and seconds > self._drawn - self._begun:
                    self._drawn = now
                    self._print(f"{self._text} ({seconds} s)")

    def _print(self, text: str) -> None:
        self._printed = True
        print(f"\r{text} ", end="\033[K", file=sys.stderr, flush=True)

    @property
    def listener(self) -> Callable[[str], None] | None:
        """Return a function that a task calls with each line of progress; None if no terminal shows it."""
        return self.show_later if self.shown else None

    def show_later(self, text: str) -> None:
        """Replace the line by the text once the command has run for ``PROGRESS_DELAY``."""
        self._show(visible(text)[: terminal_width() - 12], PROGRESS_DELAY)

    def clear(self) -> None:
        """Erase the line before other output is printed."""
        with self._lock:
            self._text = ""
            if self._printed:
                self._printed = False
                print("\r\033[K", end="", file=sys.stderr, flush=True)
