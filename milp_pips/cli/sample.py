"""``sample FILE``: uniformly random solutions."""

from __future__ import annotations

import argparse
import json
import sys

from milp_pips.cli import FOUND, NO_SOLUTION
from milp_pips.cli.arguments import add_distinct, add_json, add_level, not_negative, positive


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this verb."""
    parser.add_argument("file", metavar="FILE", help="puzzle file")
    add_level(parser)
    parser.add_argument("-n", type=positive, default=1, metavar="K", help="how many (default: 1)")
    parser.add_argument("--seed", type=not_negative, default=0, help="random seed (default: 0)")
    add_distinct(parser)
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Draw solutions at random."""
    from milp_pips.drawing import terminal_style, to_text
    from milp_pips.reading import read
    from milp_pips.sampling import sample
    from milp_pips.watch import Watch

    puzzle = read(arguments.file, arguments.level)
    with Watch() as watch:
        drawn = sample(puzzle, arguments.n, seed=arguments.seed, distinct=arguments.distinct, watch=watch)
    unicode, colour = terminal_style(sys.stdout)
    for solution in drawn:
        if arguments.json:
            print(json.dumps(puzzle.solution_to_json(solution), ensure_ascii=False))
        else:
            print(to_text(puzzle.draw(solution), unicode=unicode, colour=colour))
    if not drawn:
        print(f"{puzzle.name}: no solution", file=sys.stderr)
    return FOUND if drawn else NO_SOLUTION
