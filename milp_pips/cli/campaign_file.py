"""A comparison in a small TOML file, which means what the same words mean on the command line.

::

    paths = ["easy/", "hard/2024-09-15.txt"]    # beside this file
    run = ["highs/projected", "highs/projected,presolve=off", "cp-sat"]
    time-limit = 20
    memory-limit = "2G"
    seed = [0, 1, 2]
    repeats = 3
    out = "results.sqlite"
"""

from __future__ import annotations

import argparse
import os
import re
import tomllib
from collections.abc import Callable
from typing import NoReturn

from milp_pips.errors import InputError
from milp_pips.reading import text_of

NAMES = (
    "paths",
    "level",
    "run",
    "solver",
    "formulation",
    "task",
    "seed",
    "repeats",
    "threads",
    "time-limit",
    "memory-limit",
    "presolve-rules",
    "order-seed",
    "jobs",
    "out",
)
"""What a campaign file may say: ``paths``, and the names of the options."""


def arguments_of(file: str, add_arguments: Callable[[argparse.ArgumentParser], None]) -> argparse.Namespace:
    """Return the arguments that a campaign file stands for. Raises InputError.

    Paths in it, the results file too, are seen from the directory that it lies in.
    """
    parser = _Parser(file)
    add_arguments(parser)
    return parser.parse_args(words_of(file))


def words_of(file: str) -> list[str]:
    """Return the words of the command line that a campaign file stands for. Raises InputError."""
    try:
        content = tomllib.loads(text_of(file))
    except tomllib.TOMLDecodeError as error:
        place = re.search(r"at line (\d+)", str(error))
        what = re.sub(r" \(at .*\)$", "", str(error))
        raise InputError(what, file, int(place[1]) if place else None, "TOML") from None
    words: list[str] = []
    paths: list[str] = []
    for name, value in content.items():
        if name not in NAMES:
            raise InputError(f"unknown name {name!r}", file, expected=", ".join(NAMES))
        values = value if isinstance(value, list) else [value]
        if not all(isinstance(one, str | int | float) and not isinstance(one, bool) for one in values):
            raise InputError(f"{name} is neither a text nor a number, nor a list of these", file)
        if name in ("paths", "out"):
            values = [os.path.join(os.path.dirname(file), str(one)) for one in values]
        if name == "paths":
            paths = values
        else:
            words += [f"--{name}={one}" for one in values]
    if not paths:
        raise InputError("names no puzzles", file, expected='paths = ["FILE or directory", …]')
    return [*words, "--", *paths]


class _Parser(argparse.ArgumentParser):
    """A parser whose complaints name the campaign file."""

    def __init__(self, file: str):
        super().__init__(prog=file, add_help=False)
        self._file = file

    def error(self, message: str) -> NoReturn:
        raise InputError(message.removeprefix("argument --"), self._file)
