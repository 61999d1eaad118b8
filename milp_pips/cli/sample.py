"""``sample FILE``: uniformly random solutions."""

from __future__ import annotations

import argparse

from milp_pips.cli import FOUND, INTERRUPTED, LIMIT, NO_SOLUTION, complain
from milp_pips.cli.arguments import (
    add_board,
    add_distinct,
    add_json,
    add_puzzle_file,
    add_settings,
    fault_as_json,
    positive,
    print_json,
    read_with_board,
    settings_of,
    size,
    time_limit,
)
from milp_pips.cli.pictures import Pictures, add_pictures, add_quiet


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this verb."""
    add_puzzle_file(parser)
    add_board(parser, "draw from the solutions that contain this board, filled in part")
    parser.add_argument("-n", type=positive, default=1, metavar="K", help="how many (default: 1)")
    add_settings(parser, "seed", "presolve_rules", seed="random seed (default: 0)")
    add_distinct(parser)
    parser.add_argument("--time-limit", type=time_limit, metavar="SECONDS", help="stop after this time")
    parser.add_argument("--memory-limit", type=size, metavar="SIZE", help="such as 500M or 2G (default: 1G)")
    add_json(parser)
    add_pictures(parser, "the solutions")
    add_quiet(parser, "how many solutions were drawn")


def run(arguments: argparse.Namespace) -> int:
    """Draw solutions at random, and print each as soon as it is drawn."""
    from milp_pips.compilation.diagram import Unfinished
    from milp_pips.problem.answer import Stop
    from milp_pips.problem.stopping import Deadline
    from milp_pips.puzzles.registry import family_of
    from milp_pips.tasks.sample import draw_solutions

    puzzle, board = read_with_board(arguments.file, arguments.board, arguments.level)
    family = family_of(puzzle)
    settings, status, number = settings_of(arguments), NO_SOLUTION, 0
    with (
        Pictures(arguments) as pictures,
        Deadline(settings.seconds) as deadline,
        fault_as_json(arguments, puzzle.name),
    ):
        try:
            drawn = draw_solutions(puzzle, arguments.n, settings, arguments.distinct, deadline, board)
            for number, solution in enumerate(drawn, 1):
                status = FOUND
                if arguments.json:
                    print_json(family.to_json(puzzle, solution))
                if pictures.wanted or not arguments.json:
                    drawing = family.draw(puzzle, solution)
                    pictures.keep(drawing, f"{puzzle.name}-{number}")
                    if not arguments.json:
                        pictures.print(drawing)
        except Unfinished as reason:
            complain(str(reason))
            return INTERRUPTED if reason.stop is Stop.INTERRUPTED else LIMIT
        if number and arguments.quiet and not arguments.json:
            pictures.say(f"{puzzle.name}: {number} solution{'s' * (number > 1)} drawn")
    if status is NO_SOLUTION:
        complain(f"{puzzle.name}: no solution")
    return status
