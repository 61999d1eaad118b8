"""``hint FILE [BOARD]``: the next step, by degrees."""

from __future__ import annotations

import argparse

from milp_pips.cli import FOUND, INTERRUPTED, LIMIT, NO_SOLUTION
from milp_pips.cli.arguments import (
    add_json,
    add_puzzle_file,
    add_settings,
    fault_as_json,
    not_negative,
    print_json,
    read_with_board,
)
from milp_pips.cli.pictures import Pictures, add_pictures, add_quiet


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this verb."""
    from milp_pips.extras.explain.hint import DEGREES, NUDGE

    add_puzzle_file(parser)
    parser.add_argument(
        "board",
        metavar="BOARD",
        nargs="?",
        help="what you have filled in: a solution file, text or JSON, with ? or null in open cells",
    )
    parser.add_argument(
        "--reveal",
        choices=DEGREES,
        default=NUDGE,
        help=f"how much is told: where to look, by which rule, why something follows, or what; each tells "
        f"what comes before it, too (default: {NUDGE})",
    )
    parser.add_argument(
        "--further",
        type=not_negative,
        default=0,
        metavar="N",
        help="skip N steps: those that you know and cannot fill in, such as that a cell is not 5",
    )
    add_pictures(parser, "the board with what is told marked on it")
    add_quiet(parser, "the sentences")
    add_settings(parser, "time_limit")
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Tell one hint. The status is 1 where there is no solution with what stands on the board."""
    from milp_pips.extras.explain.hint import hint
    from milp_pips.problem.answer import Stop
    from milp_pips.problem.stopping import Deadline

    puzzle, board = read_with_board(arguments.file, arguments.board, arguments.level)
    with Pictures(arguments) as pictures, fault_as_json(arguments, puzzle.name):
        with Deadline(arguments.time_limit) as deadline:
            found = hint(puzzle, board, reveal=arguments.reveal, further=arguments.further, deadline=deadline)
        if arguments.json:
            print_json(found.to_json())
        else:
            pictures.say_parts(found.parts())
        if pictures.wanted:
            pictures.keep(found.picture(), puzzle.name)
    if found.stop is Stop.INTERRUPTED:
        return INTERRUPTED
    return {"unknown": LIMIT, "wrong": NO_SOLUTION, "dead": NO_SOLUTION}.get(found.status, FOUND)
