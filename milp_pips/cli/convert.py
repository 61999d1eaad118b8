"""``convert FILE… --to FORMAT``: puzzles in another format."""

from __future__ import annotations

import argparse
import os
import sys
from typing import TYPE_CHECKING

from milp_pips.cli import BAD_INPUT, FOUND, complain
from milp_pips.cli.arguments import add_puzzle_files, file_name, for_each_puzzle, unique_name
from milp_pips.problem.errors import InputError, UsageError
from milp_pips.runtime.writing import try_place, write_file

if TYPE_CHECKING:
    from milp_pips.puzzles.puzzle import Puzzle


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this verb."""
    add_puzzle_files(parser)
    parser.add_argument(
        "--to",
        required=True,
        metavar="FORMAT",
        help="a format of the puzzle's family: text, json or times for Pips, text for the others",
    )
    parser.add_argument(
        "--out",
        metavar="PATH",
        help="file to write one puzzle to, or directory for any number (default: standard output, for one)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Convert every puzzle, then write them all. One that the format cannot say costs a line."""
    from milp_pips.tasks.convert import convert, format_named

    converted: list[tuple[str, str, str]] = []

    def convert_one(puzzle: Puzzle, _reading: float) -> int:
        try:
            text = convert(puzzle, arguments.to)
        except UsageError as error:
            complain(str(error))
            return BAD_INPUT
        converted.append((puzzle.name, format_named(puzzle, arguments.to).ending, text))
        return FOUND

    if arguments.out:
        try_place(arguments.out)
    status = for_each_puzzle(arguments, convert_one)
    if not arguments.out:
        if len(converted) > 1:
            raise UsageError(f"these are {len(converted)} puzzles; name a directory with --out, or a level")
        for _, _, text in converted:
            sys.stdout.write(text)
        return status
    into_directory = (
        len(converted) > 1 or os.path.isdir(arguments.out) or not os.path.splitext(arguments.out)[1]
    )
    written: set[str] = set()
    for name, ending, text in converted:
        path = arguments.out
        if into_directory:
            path = os.path.join(path, f"{unique_name(file_name(name), written)}{ending}")
        _refuse_sources(path, arguments.files)
        write_file(path, text, make_directory=into_directory)
        print(path, flush=True)
    return status


def _refuse_sources(path: str, sources: list[str]) -> None:
    """Raise InputError where a file would be written that was read."""
    from milp_pips.puzzles.reading import files_of

    if os.path.exists(path) and any(
        os.path.exists(source) and os.path.samefile(path, source) for source in files_of(sources)
    ):
        raise InputError("this file is one of those that are converted", path, expected="another with --out")
