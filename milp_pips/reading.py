"""From files to puzzles, of whatever family they are."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from milp_pips import plugins
from milp_pips.errors import EngineFault, InputError, UsageError, visible

if TYPE_CHECKING:
    from pathlib import Path

    from milp_pips.puzzles.family import Family, Puzzle

LARGEST = 8 * 2**20
"""Bytes a puzzle file may have; a board of 10,000 dominoes needs less than a tenth."""


def read(path: str | Path, level: str | None = None) -> Puzzle:
    """Return the puzzle in a file.

    Parameters
    ----------
    path
        The file.
    level
        Which puzzle to take where the file has several, such as ``hard``.

    Raises
    ------
    InputError
        If the file cannot be read as a puzzle.
    UsageError
        If it has several puzzles and no level was named.
    """
    puzzles = read_all(path, level)
    if len(puzzles) > 1:
        raise UsageError(f"{path} has {len(puzzles)} puzzles; name a level: {', '.join(puzzles)}")
    return next(iter(puzzles.values()))


def read_all(path: str | Path, level: str | None = None) -> dict[str, Puzzle]:
    """Return all puzzles of a file by level, or the one of the level named. Raises InputError."""
    return read_text(text_of(path), str(path), level)


def read_text(text: str, file: str = "text", level: str | None = None) -> dict[str, Puzzle]:
    """Return the puzzles in the text of a file by level; ``file`` is its name. Raises InputError."""
    family = next((f for f in plugins.families() if _recognises(f, text)), None)
    if family is None:
        raise _unknown(text, file)
    levels = family.read(text, visible(file))
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


def _recognises(family: Family[Any, Any], text: str) -> bool:
    """Whether the family recognises the text; one that fails is left out, with a warning."""
    try:
        return bool(family.recognises(text))
    except EngineFault as fault:
        warnings.warn(str(fault), stacklevel=2)
        return False


def _unknown(text: str, file: str) -> InputError:
    """Return the error for a file that no family recognises. Raises InputError for one that is no text."""
    from milp_pips.puzzles.located import Lines, quoted

    first = next(Lines(text, file))
    starts = " or ".join(
        f"{quoted(family.examples[0].split(chr(10))[0])} ({family.name})" for family in plugins.families()
    )
    return first.fault(f"no puzzle starts with {quoted(first.text)}", f"a file that starts like {starts}")


def text_of(path: str | Path) -> str:
    """Return the text of a file. Raises InputError if there is none, or it is too large or not text."""
    try:
        with open(path, "rb") as stream:  # pathlib would take 7 ms to import
            data = stream.read(LARGEST + 1)
    except OSError as error:
        raise InputError(error.strerror or str(error), str(path)) from None
    if len(data) > LARGEST:
        raise InputError(f"larger than {LARGEST // 2**20} MiB: this is no puzzle", str(path))
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError("not text", str(path), line, "UTF-8") from None


def files_of(paths: list[str]) -> Iterator[str]:
    """Yield the files named; a directory stands for its ``.txt`` and ``.json`` files, in order of name."""
    for path in paths:
        if os.path.isdir(path):
            try:
                inside = sorted(name for name in os.listdir(path) if name.endswith((".txt", ".json")))
            except OSError as error:
                raise InputError(error.strerror or str(error), path) from None
            if not inside:
                raise InputError("a directory without .txt or .json files", path)
            yield from (os.path.join(path, name) for name in inside)
        else:
            yield path
