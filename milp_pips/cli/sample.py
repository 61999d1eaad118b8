"""``sample FILE``: uniformly random solutions."""

from __future__ import annotations

import argparse
import sys

from milp_pips.cli import FOUND, NO_SOLUTION
from milp_pips.cli.arguments import (
    add_distinct,
    add_json,
    add_puzzle_file,
    add_settings,
    positive,
    print_drawing,
    print_json,
    settings_of,
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this verb."""
    add_puzzle_file(parser)
    parser.add_argument("-n", type=positive, default=1, metavar="K", help="how many (default: 1)")
    add_settings(parser, "seed", "presolve_rules", seed="random seed (default: 0)")
    add_distinct(parser)
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Draw solutions at random."""
    from milp_pips.plugins import family_of
    from milp_pips.reading import read
    from milp_pips.tasks.sample import sample
    from milp_pips.watch import Watch

    puzzle = read(arguments.file, arguments.level)
    family = family_of(puzzle)
    with Watch() as watch:
        settings = settings_of(arguments)
        solutions = sample(puzzle, arguments.n, settings, distinct=arguments.distinct, watch=watch)
    for solution in solutions:
        if arguments.json:
            print_json(family.to_json(puzzle, solution))
        else:
            print_drawing(family.draw(puzzle, solution))
    if not solutions:
        print(f"{puzzle.name}: no solution", file=sys.stderr)
    return FOUND if solutions else NO_SOLUTION
