"""``check FILE [SOLUTION]``: right, right so far, or what is wrong."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from milp_pips.cli import BAD_INPUT, FOUND, INTERRUPTED, LIMIT, NO_SOLUTION, complain
from milp_pips.cli.arguments import (
    add_json,
    add_puzzle_file,
    add_settings,
    fault_as_json,
    print_json,
    print_line,
    require_files,
)
from milp_pips.problem.errors import InputError, UsageError

if TYPE_CHECKING:
    from milp_pips.puzzles.puzzle import Puzzle


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this verb."""
    add_puzzle_file(parser)
    parser.add_argument(
        "solution",
        metavar="SOLUTION",
        nargs="?",
        help="solution file, with ? or null in open cells where it is filled in part, or - for standard "
        "input; without it, the solution printed in FILE",
    )
    add_settings(parser, "time_limit")
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Check one solution or board, or all solutions that are printed with the puzzles of the file."""
    from milp_pips.problem.stopping import Deadline
    from milp_pips.puzzles.reading import name_of, read, read_levels, text_of
    from milp_pips.tasks.check import check

    status = FOUND
    if arguments.solution:
        require_files(arguments.file, arguments.solution)
        puzzle = read(arguments.file, arguments.level)
        text, name = text_of(arguments.solution), name_of(arguments.solution)
        pairs = [(puzzle, _read_filled(puzzle, text, name))]
    else:
        require_files(arguments.file)
        name, pairs = name_of(arguments.file), []
        for found in read_levels(text_of(arguments.file), name, arguments.level).values():
            if isinstance(found, InputError):
                complain(str(found))
                status = BAD_INPUT
            elif found.published is not None:
                pairs.append((found, {"solution": found.published}))
        if not pairs and status is FOUND:
            raise UsageError(f"{name} has no solution printed in it; name a solution file")
    for puzzle, filled in pairs:
        with Deadline(arguments.time_limit) as deadline, fault_as_json(arguments, puzzle.name):
            verdict = check(puzzle, deadline=deadline, **filled)
        if deadline.interrupted:
            return INTERRUPTED
        if arguments.json:
            print_json({"puzzle": puzzle.name, **verdict._asdict()})
        else:
            print_line(f"{puzzle.name}: {verdict}")
        if verdict.right is not True and status is not BAD_INPUT:
            status = max(status, NO_SOLUTION if verdict.right is False else LIMIT)
    return status


def _read_filled(puzzle: Puzzle, text: str, name: str) -> dict[str, Any]:
    """Return the ``solution``, or the ``board`` that is filled in part. Raises InputError.

    Where it can be read as neither, the reader that came further tells why.
    """
    from milp_pips.puzzles.registry import family_of

    family = family_of(puzzle)
    try:
        return {"solution": family.read_solution(puzzle, text, name)}
    except InputError as no_solution:
        if family.read_board is None:
            raise
        try:
            return {"board": family.read_board(puzzle, text, name)}
        except InputError as no_board:
            raise max(no_board, no_solution, key=lambda error: error.line or 0) from None
