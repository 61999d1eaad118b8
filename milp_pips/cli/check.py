"""``check FILE [SOLUTION]``: right, or the first rule that is broken."""

from __future__ import annotations

import argparse

from milp_pips.cli import BAD_INPUT, FOUND, INTERRUPTED, LIMIT, NO_SOLUTION, complain
from milp_pips.cli.arguments import add_json, add_puzzle_file, print_json, print_line
from milp_pips.errors import InputError, UsageError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this verb."""
    add_puzzle_file(parser)
    parser.add_argument(
        "solution", metavar="SOLUTION", nargs="?", help="solution file; without it, the one printed in FILE"
    )
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Check one solution, or all that are printed with the puzzles of the file."""
    from milp_pips.plugins import family_of
    from milp_pips.reading import name_of, read, read_levels, text_of
    from milp_pips.tasks.check import check
    from milp_pips.watch import Watch

    status = FOUND
    if arguments.solution:
        puzzle = read(arguments.file, arguments.level)
        text, name = text_of(arguments.solution), name_of(arguments.solution)
        pairs = [(puzzle, family_of(puzzle).read_solution(puzzle, text, name))]
    else:
        name, pairs = name_of(arguments.file), []
        for found in read_levels(text_of(arguments.file), name, arguments.level).values():
            if isinstance(found, InputError):
                complain(str(found))
                status = BAD_INPUT
            elif found.published is not None:
                pairs.append((found, found.published))
        if not pairs and status is FOUND:
            raise UsageError(f"{name} has no solution printed in it; name a solution file")
    for puzzle, solution in pairs:
        with Watch() as watch:
            verdict = check(puzzle, solution, watch=watch)
        if watch.interrupted:
            return INTERRUPTED
        if arguments.json:
            print_json({"puzzle": puzzle.name, "right": verdict.right, "broken": verdict.broken})
        else:
            print_line(f"{puzzle.name}: {'right' if verdict.right else verdict.broken}")
        if verdict.right is not True and status is not BAD_INPUT:
            status = max(status, NO_SOLUTION if verdict.right is False else LIMIT)
    return status
