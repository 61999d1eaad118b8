"""Read puzzles of any family, and boards, from files and texts."""

from __future__ import annotations

import os
import re
import stat
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from milp_pips.problem import plugins
from milp_pips.problem.errors import EngineFault, FamilyFault, InputError, UsageError, visible
from milp_pips.problem.fields import shown
from milp_pips.puzzles import family as families
from milp_pips.puzzles.family import Family
from milp_pips.puzzles.puzzle import Puzzle

if TYPE_CHECKING:
    from pathlib import Path

STANDARD_INPUT = "standard input"
GZIP = b"\x1f\x8b"
"""The first bytes of a file compressed by gzip."""

UTF_16 = (b"\xff\xfe", b"\xfe\xff")
"""The first bytes of a text as Windows' PowerShell writes it behind ``>``."""

PICTURES = (b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"RIFF", b"BM")
"""The first bytes of pictures: PNG, JPEG, GIF, WEBP, BMP."""

ADDRESS_START = (
    r"(?:https?://|sudokupad\.app/|(?:www\.)?(?:puzz\.link|pzv\.jp|pzplus\.tck\.mn|pzprxs\.vercel\.app|kanpen\.net"
    r"|f-puzzles\.com|chiark\.greenend\.org\.uk|(?:swaroopg92|opt-pan|robx)\.github\.io)/[^?#\s]*+[?#])"
)
"""How links begin; those of known sites may lack the scheme."""

GAMES = "unruly|towers|loopy|solo|dominosa|pattern"
LINK_START = re.compile(rf"[<\"']?{ADDRESS_START}|(?:{GAMES}):\d", re.IGNORECASE)
"""How links begin, and game IDs with the name of their game."""

NOTATION = re.compile(
    rf"(?:(?:(?:(?:#|;|//)[^\n]*+\s++)*+(?:[<\"']?{ADDRESS_START}|(?:{GAMES}):\d)\S++\s*+)+\Z"
    rf"|(?:{GAMES}): ?\S+\Z|SAVEFILE\b|dominosa\s*\n|pzprv3[.0-9]*+\s*[\n/]"
    r"|(?:nonogram\s*\n|(?:title|#)[^\n]*+\n\s*+)*+"
    r"(?=rows? *[:=].*?[;\n][ \t]*+col(?:umn)?s? *[:=]|col(?:umn)?s? *[:=].*?[;\n][ \t]*+rows? *[:=])"
    r"|(?=[^5-9]*+[5-9])(?:[0-9.*_xX]{9}\s++){17}[0-9.*_xX]{9}"
    r"|(?:<\?xml[^>]*+>\s*+|<!DOCTYPE[^>\[]*+>\s*+|<!--(?:(?!-->).)*+-->\s*+)*+<(?:opensudoku|puzzleset)"
    # Rows of nine cells of a Sudoku below comments or a title, or with lines between the boxes.
    r"|(?:(?:#[A-Z ]|;|//|(?:Grid|Puzzle|Sudoku) *#?[0-9])[^\n]*+\n\s*+|[-+=*|: ]{11,}+\n)+"
    r" *+\|?[0-9.*_xX]{3}(?:\|?[0-9.*_xX]{3}){2}\|?\s*\n|(?:[0-9.*_xX]{3}\|){2}[0-9.*_xX]{3}\s*\n"
    r"|(?:(?:#|;|//)[^\n]*+\n\s*+)*+"
    r"(?=(?:catalogue|title|by|copyright|license|width|height|(?:: *)?(?:rows|columns|cols))\b"
    r"|colou?r +\S+ +\S)"
    r"(?=.*^(?:: *)?rows[ \t]*+(?::[ \t]*+)?$)(?=.*^(?:: *)?col(?:umn)?s[ \t]*+(?::[ \t]*+)?$))",
    re.DOTALL | re.MULTILINE | re.IGNORECASE,
)
"""How links and files of other programs begin, which extras read."""

SUDOKU_LINE = re.compile(r"\[puzzle\]|(?<![-0-9.*_?xX])[-0-9.*_?xX]{81}(?![-0-9.*_?xX])", re.IGNORECASE)
"""What a list of Sudokus has in one of its first ten lines: a heading, or 81 cells."""

CLUE_LISTS = re.compile(r'\{(?=.*"rows?"\s*:\s*\[\s*\[)(?=.*"col(?:umn)?s?"\s*:\s*\[)', re.DOTALL)
"""The lists of the clues of a nonogram in JSON."""

BARE_GAME_ID = re.compile(r"\d{1,2}(?:x\d{1,2})?[a-z0-9]*[:#][^\s:]+", re.IGNORECASE)
"""A game ID without the name of its game, or the parameters and the seed of a random one."""

TABLE_START = re.compile(
    r"(?:\w{1,40} *= *)?[\[(]|[\d.*_?xX \"'+=\n-]*[,;\t|!\u2500-\u257f]"
    r"|(?:(?:9|16|25) *\n)?(?:[\d.*_?xX-] *){9,}\n|(?:[\d.]{36}|[\dA-Ya-y.]{256}|[\dA-Ya-y.]{625})\Z"
)
"""How a table of numbers begins, or a Sudoku in a line of another length than 81."""

NOTATION_ENDINGS = (".non", ".mk", ".nin", ".cwd", ".g", ".sdk", ".sdm", ".sdx", ".ss", ".opensudoku")
"""The endings of files of other programs, unless their first word is a family."""

PUZZLE_ENDINGS = (
    ".txt",
    ".json",
    *NOTATION_ENDINGS,
    *families.ENDINGS,
    *(f"{ending}.gz" for ending in families.ENDINGS),
)
"""The endings of files that are taken from a directory."""

MAX_FILE_BYTES = 8 * 2**20
"""The largest size of a puzzle file. A board of 10,000 dominoes needs less than a tenth of it."""

MAX_MODEL_BYTES = 256 * 2**20
"""The largest size of a file whose ending says that it is a linear model, also unpacked."""


def read(
    path: str | Path, level: str | None = None, variant: str | None = None, family: str | None = None
) -> Puzzle:
    """Return the puzzle in a file.

    Parameters
    ----------
    path
        The file; ``-`` is standard input. Or a link that contains the puzzle, see ``docs/formats.md``.
    level
        Which puzzle to take if the file has several, such as ``hard``.
    variant
        A line that names a variant of the puzzle, such as ``diagonals``, if the file or the link has none;
        several with commas between them.
    family
        The name of the puzzle's family, if the file or the link does not tell it.

    Raises
    ------
    InputError
        If the file cannot be read as a puzzle.
    UsageError
        If it has several puzzles and ``level`` is None.
    """
    puzzles = read_all(path, level, variant, family)
    if len(puzzles) > 1:
        raise UsageError(f"{name_of(path)} has {len(puzzles)} puzzles; name a level: {', '.join(puzzles)}")
    return next(iter(puzzles.values()))


def read_all(
    path: str | Path, level: str | None = None, variant: str | None = None, family: str | None = None
) -> dict[str, Puzzle]:
    """Return all puzzles of a file by level, or only the one of the given level.

    Raises InputError, even if only one of several levels cannot be read.
    """
    return read_text(text_of(path), name_of(path), level, variant, family)


def read_text(
    text: str,
    file: str = "text",
    level: str | None = None,
    variant: str | None = None,
    family: str | None = None,
) -> dict[str, Puzzle]:
    """Return the puzzles in the text of a file, by level. ``file`` is its name. Raises InputError."""
    levels = read_levels(text, file, level, variant, family)
    if error := next((puzzle for puzzle in levels.values() if isinstance(puzzle, InputError)), None):
        raise error
    return cast("dict[str, Puzzle]", levels)


def read_levels(
    text: str,
    file: str = "text",
    level: str | None = None,
    variant: str | None = None,
    named: str | None = None,
) -> dict[str, Puzzle | InputError]:
    """Return the puzzles in a text by level, or the error for a level that is faulty.

    The variant is one more line of the text, below its heading, or several with commas between them. The
    family is the ``named`` one, if there is one.

    Raises InputError if no level can be read.
    """
    wanted = families.family(named) if named is not None else None
    family = families.family_by_ending(file)
    is_id = named is not None and BARE_GAME_ID.fullmatch(text.strip()) is not None
    if family is None and (is_id or _is_notation(text, file)):
        return _read_notation(text, file, level, variant, named)
    if wanted and wanted.examples[0].startswith(f"{wanted.name}\n") and not _accepts(wanted.recognises, text):
        try:
            below = text.removeprefix("\ufeff")
            return _read_as(wanted, f"{wanted.name}\n{below}", file, level, variant)
        except InputError as error:  # the file has no line with the name
            line = error.line and max(1, error.line - 1)
            raise InputError(error.what, file, line, error.expected) from None
    return _read_as(wanted or family, text, file, level, variant)


def _read_as(
    family: Family[Any, Any] | None, text: str, file: str, level: str | None, variant: str | None
) -> dict[str, Puzzle | InputError]:
    """Return the puzzles in a text of this family, or of the one that recognises it. Raises InputError."""
    if family is None:
        family = families.family_named_in(text)
    if family is None:
        family = next((f for f in families.families() if _accepts(f.recognises, text)), None)
    if family is None:
        family = next((f for f in families.families() if f.resembles and _accepts(f.resembles, text)), None)
    if family is None:
        from milp_pips.puzzles.unknown import unknown_puzzle  # only if something is wrong

        raise unknown_puzzle(text, file, families.families())
    read_family = family.read if variant is None else partial(_read_variant, family, variant)
    levels = read_family(text, visible(file))
    for puzzle in levels.values():
        _hold_to_contract(puzzle, family.name)
    if level is not None:
        if level not in levels:
            have = ", ".join(name for name in levels if name) or "one puzzle without a level"
            raise InputError(f"there is no level {level!r}", file, expected=have)
        if levels[level] is None:
            raise InputError(f"the level {level!r} is null: it is not published", file)
        levels = {level: levels[level]}
    found = {name: puzzle for name, puzzle in levels.items() if puzzle is not None}
    if not found:
        raise InputError("no level is published: all are null", file)
    return found


def is_link(text: str) -> bool:
    """Return whether the text is a link, which contains its puzzle."""
    return len(text.split()) == 1 and LINK_START.match(text) is not None


def _is_notation(text: str, file: str) -> bool:
    """Return whether a text is a link or a file of another program."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").strip()
    word = text[:40].lower().partition("\n")[0].partition(" ")[0]
    if word in (*families.FAMILIES, *families.MORE_FAMILIES) or text[:1] in ("", "{"):
        return "ominoes" not in text and (CLUE_LISTS.match(text) is not None or _is_sudoku_table(text))
    if file.lower().endswith(NOTATION_ENDINGS) or NOTATION.match(text):
        return True
    if TABLE_START.match(text) is not None and _is_sudoku_table(text):
        return True
    lines = text.split("\n", 10)[:10]
    if re.fullmatch(r"[0-9]{1,9}\s*", lines[0]):
        return False  # the number of rows of a board, which may be 81 cells wide
    found = (SUDOKU_LINE.search(line) for line in lines)
    return any(match and re.search(r"[1-9\[]", match[0]) for match in found)


def _is_sudoku_table(text: str) -> bool:
    from milp_pips.puzzles.tables import sudoku_table  # few texts begin like a table

    return sudoku_table(text) is not None


def _read_variant(family: Family[Any, Any], variant: str, text: str, file: str) -> Mapping[str, Any]:
    """Return the puzzles in a text with more lines below its heading. Raises InputError and UsageError."""
    if not family.variants:
        raise UsageError(f"files of the family {family.name} have no line for a variant")
    added = [line.strip() for line in variant.split(",")]
    heading = text[: len(text) - len(text.lstrip())] + text.lstrip().partition("\n")[0]
    above = [*heading.split("\n"), *added]
    try:
        return family.read("\n".join(above) + text[len(heading) :], file)
    except InputError as error:
        if error.line is None or error.line <= len(above) - len(added):
            raise
        if error.line <= len(above):
            raise InputError(f"the variant {variant!r} is not read", file, expected=error.expected) from None
        raise InputError(error.what, file, error.line - len(added), error.expected) from None


def _read_notation(
    text: str, file: str, level: str | None, variant: str | None, named: str | None
) -> dict[str, Puzzle | InputError]:
    """Return the puzzles in a link or in a file of another program, which extras read. Raises InputError."""
    texts_of = plugins.extra("families.notations:texts_of")
    marks_no_variant = plugins.extra("families.links:marks_no_variant")
    if texts_of is None:
        raise InputError("links and such files need milp_pips.extras, which is not installed", visible(file))
    found = dict[str, Puzzle | InputError]()
    try:
        texts = texts_of(text, visible(file), named)
    except InputError as error:
        if not is_link(text.strip()):
            raise
        raise InputError(error.what, visible(file), expected=error.expected) from None
    if level is not None and level not in texts:
        raise InputError(f"there is no level {level!r}", file, expected=f"1 to {len(texts)}")
    is_unmarked = not variant and marks_no_variant(text)
    for name, one in texts.items():
        if level in (None, name):
            try:
                puzzle = cast("Any", _read_as(None, one, file, None, variant)[""])
                if named not in (None, puzzle.family):
                    raise InputError(
                        f"this is a puzzle of the family {puzzle.family}", file, expected=named or ""
                    )
                if is_unmarked and hasattr(puzzle, "is_unmarked"):
                    puzzle = replace(puzzle, is_unmarked=True)
                found[name] = replace(puzzle, name=f"{puzzle.name}-{name}") if name else puzzle
            except InputError as error:  # the lines of the text are not the user's
                found[name] = InputError(error.what, visible(file), expected=error.expected)
    only = next(iter(found.values())) if len(found) == 1 else None
    if isinstance(only, InputError):
        raise only
    return found


def read_board(puzzle: Puzzle, path: str | Path) -> dict[int, int]:
    """Return the values that a player has filled in, by the position of their variable in ``state``.

    The file is a solution file with ``?`` in open cells. Raises InputError if it cannot be read as a board of
    the puzzle, and UsageError if the family cannot read boards.
    """
    family = families.family_of(puzzle)
    if family.read_board is None:
        raise UsageError(f"the family {family.name} cannot read partly filled boards")
    return family.read_board(puzzle, text_of(path), visible(name_of(path)))


def _hold_to_contract(read: object, family: str) -> None:
    """Raise FamilyFault if ``read`` of a family returned anything but its puzzle, an InputError or None."""
    if isinstance(read, Puzzle):
        if read.family != family or not isinstance(read.name, str):
            what = f"a puzzle of the family {read.family!r} with the name {read.name!r}"
            raise FamilyFault(f"the family {family} failed in read: it returned {what}")
    elif not isinstance(read, InputError | None):
        what = f"{shown(read)}, which is not a milp_pips.puzzles.family.Puzzle"
        raise FamilyFault(f"the family {family} failed in read: it returned {what}")


def _accepts(test: Callable[[str], bool], text: str) -> bool:
    """Return whether a family accepts the text. A family that fails counts as no, with a warning."""
    try:
        return bool(test(text))
    except EngineFault as fault:
        warnings.warn(str(fault), stacklevel=2)
    except InputError:  # the file is not text: reported later, with the name of the file
        pass
    return False


def name_of(path: str | Path) -> str:
    """Return the name of a file for messages: the path, ``link``, or ``standard input`` for ``-``."""
    if is_link(str(path)):
        return "link"
    return STANDARD_INPUT if str(path) == "-" else str(path)


def text_of(path: str | Path) -> str:
    """Return the text of a file, or of standard input for ``-``.

    Raises InputError if the file cannot be opened, is too large or is not UTF-8 text.
    """
    if is_link(str(path)):
        return str(path)
    name, data = name_of(path), data_of(path)
    if data.startswith(GZIP):
        data = _checked_size(_decompressed(data, name), name)
    try:
        return data.decode("utf-16" if data.startswith(UTF_16) else "utf-8-sig")
    except UnicodeDecodeError as error:
        if data.startswith(PICTURES):
            raise InputError("a picture", name, expected="text; read-picture reads screenshots") from None
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError("not text", name, line, "UTF-8") from None


def data_of(path: str | Path) -> bytes:
    """Return the content of a file, or of standard input for ``-``.

    Raises InputError if the file cannot be opened or is too large.
    """
    name = name_of(path)
    try:
        return _checked_size(_standard_input() if name == STANDARD_INPUT else _content(path), name)
    except OSError as error:
        raise InputError(error.strerror or str(error), name) from None


def most_bytes(name: str) -> int:
    """Return the largest size of a file of this name."""
    is_model = name.lower().removesuffix(".gz").endswith(tuple(families.ENDINGS))
    return MAX_MODEL_BYTES if is_model else MAX_FILE_BYTES


def _checked_size(data: bytes, name: str) -> bytes:
    most = most_bytes(name)
    if len(data) > most:
        expected = "" if most == MAX_MODEL_BYTES else ": this is not a puzzle"
        raise InputError(f"larger than {most // 2**20} MiB{expected}", name)
    return data


def _decompressed(data: bytes, name: str) -> bytes:
    """Return the content of a file compressed by gzip, at most one byte more than a file may have.

    Raises InputError if it is damaged or torn.
    """
    import gzip
    import io
    import zlib

    try:
        with gzip.open(io.BytesIO(data)) as stream:
            return stream.read(most_bytes(name) + 1)
    except (EOFError, OSError, zlib.error):
        raise InputError("a damaged or torn gzip file", name, expected="a whole one") from None


def _content(path: str | Path) -> bytes:
    # A pipe that the shell has opened has a writer; to open a named one would wait for one, maybe for ever.
    if stat.S_ISFIFO(os.stat(path).st_mode) and not str(path).startswith(("/dev/", "/proc/")):
        raise InputError("a named pipe", str(path), expected="a file, or - for standard input")
    with open(path, "rb") as stream:  # pathlib would take 7 ms to import
        return stream.read(most_bytes(str(path)) + 1)


def _standard_input() -> bytes:
    if sys.stdin is None:
        raise InputError("the stream is closed", STANDARD_INPUT)
    if hasattr(sys.stdin, "buffer"):
        return sys.stdin.buffer.read(MAX_FILE_BYTES + 1)
    return sys.stdin.read(MAX_FILE_BYTES + 1).encode()  # a text stream, as in a notebook or a test


def files_of(paths: list[str]) -> Iterator[str]:
    """Yield the given files. A directory stands for its ``PUZZLE_ENDINGS`` files, in order of name."""
    for path in paths:
        if os.path.isdir(path):
            try:
                inside = sorted(name for name in os.listdir(path) if name.endswith(PUZZLE_ENDINGS))
            except OSError as error:
                raise InputError(error.strerror or str(error), path) from None
            if not inside:
                raise InputError("a directory without .txt or .json files", path)
            yield from (os.path.join(path, name) for name in inside)
        else:
            yield path
