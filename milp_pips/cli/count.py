"""``count FILE…``: the exact numbers of solutions."""

from __future__ import annotations

import argparse
import json
import sys

from milp_pips.cli import BAD_INPUT, FOUND, INTERRUPTED, LIMIT, complain
from milp_pips.cli.arguments import add_json, add_puzzle_files, puzzles, size, time_limit
from milp_pips.errors import InputError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this verb."""
    add_puzzle_files(parser)
    parser.add_argument(
        "--distinct",
        metavar="KEY",
        default="both",
        help="what makes two solutions different, such as grid (default: both, for all there are)",
    )
    parser.add_argument("--cells", action="store_true", help="count how often each cell takes each value")
    parser.add_argument("--svg", action="store_true", help="with --cells: print the picture as SVG")
    parser.add_argument(
        "--time-limit", type=time_limit, metavar="SECONDS", help="stop after this time, per puzzle"
    )
    parser.add_argument(
        "--memory-limit", type=size, default=2**30, metavar="SIZE", help="such as 500M or 2G (default: 1G)"
    )
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Count the solutions of every puzzle."""
    from milp_pips.answer import Stop
    from milp_pips.counting import count, heat_map
    from milp_pips.drawing import terminal_style, to_svg, to_text
    from milp_pips.watch import Watch

    statuses = [FOUND]
    keys = () if arguments.distinct == "both" else (arguments.distinct,)
    for puzzle, _ in puzzles(arguments.files, arguments.level):
        if isinstance(puzzle, InputError):
            complain(str(puzzle))
            statuses.append(BAD_INPUT)
            continue
        with Watch(arguments.time_limit) as watch:
            result = count(puzzle, keys, cells=arguments.cells, memory=arguments.memory_limit, watch=watch)
        if arguments.json:
            print(json.dumps(result.to_json(), ensure_ascii=False))
        elif arguments.svg and arguments.cells:
            print(to_svg(heat_map(result)))
        else:
            print(result)
            if arguments.cells:
                unicode, colour = terminal_style(sys.stdout)
                print(to_text(heat_map(result), unicode=unicode, colour=colour))
        if result.stop is Stop.INTERRUPTED:
            return INTERRUPTED
        statuses.append(FOUND if result.complete else LIMIT)
    return next(status for status in (BAD_INPUT, LIMIT, FOUND) if status in statuses)
