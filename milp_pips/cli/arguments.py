"""Arguments that several verbs share."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, TypeVar

from milp_pips.errors import InputError

if TYPE_CHECKING:
    from milp_pips.puzzles.family import Puzzle

Number = TypeVar("Number", int, float)


def add_puzzle_files(parser: argparse.ArgumentParser) -> None:
    """Add FILE… and --level."""
    parser.add_argument("files", nargs="+", metavar="FILE", help="puzzle files, or directories of them")
    add_level(parser)


def add_level(parser: argparse.ArgumentParser) -> None:
    """Add --level."""
    parser.add_argument("--level", help="which puzzle of a file with several, such as easy, medium, hard")


def add_engine(parser: argparse.ArgumentParser, unnamed: str) -> None:
    """Add --solver and everything that says how it is to work."""
    parser.add_argument("--solver", default="", help=f"name of the solver (default: {unnamed})")
    parser.add_argument(
        "--formulation", default="", help="how to state the problem, such as implication or flow"
    )
    parser.add_argument(
        "--time-limit", type=time_limit, metavar="SECONDS", help="stop after this time, per puzzle"
    )
    parser.add_argument("--threads", type=positive, default=1, help="threads of the engine (default: 1)")
    parser.add_argument("--seed", type=not_negative, default=0, help="random seed of the engine (default: 0)")
    parser.add_argument(
        "--option",
        action="append",
        default=[],
        type=_option,
        metavar="NAME=VALUE",
        help="an option of the engine's own",
    )


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


def puzzles(paths: list[str], level: str | None) -> Iterator[tuple[Puzzle[Any] | InputError, float]]:
    """Yield every puzzle with the seconds that reading took; a file that cannot be read yields its error."""
    import time

    from milp_pips.reading import files_of, read_all

    for path in paths:
        try:
            for file in files_of([path]):
                begun = time.perf_counter()
                try:
                    found = read_all(file, level)
                except InputError as error:
                    yield error, 0.0
                    continue
                spent = (time.perf_counter() - begun) / len(found)
                for puzzle in found.values():
                    yield puzzle, spent
        except InputError as error:
            yield error, 0.0


def time_limit(text: str) -> float:
    """Return a number of seconds."""
    return _number(float, text, 0, 1e9, "a number of seconds")


def positive(text: str) -> int:
    """Return a positive integer."""
    return _number(int, text, 1, 2**31 - 1, "a positive integer")


def not_negative(text: str) -> int:
    """Return an integer from 0 on."""
    return _number(int, text, 0, 2**31 - 1, "an integer from 0 on")


def _number(kind: type[Number], text: str, least: int, most: float, expected: str) -> Number:
    try:
        value = kind(text)
    except ValueError:
        value = kind(-1)
    if not least <= value <= most:
        raise argparse.ArgumentTypeError(f"{text!r} is not {expected}")
    return value


def size(text: str) -> int:
    """Return a number of bytes."""
    unit = {"K": 2**10, "M": 2**20, "G": 2**30}.get(text[-1:].upper(), 1)
    return unit * _number(int, text if unit == 1 else text[:-1], 1, 2**40, "a size such as 500M or 2G")


def _option(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not name or not equals:
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=VALUE")
    return name, value
