"""``count FILE…``: the exact numbers of solutions."""

from __future__ import annotations

import argparse
from functools import partial
from typing import TYPE_CHECKING

from milp_pips.cli import FOUND, LIMIT
from milp_pips.cli.arguments import (
    add_board,
    add_json,
    add_puzzle_files,
    add_settings,
    print_json,
    settings_of,
)
from milp_pips.cli.pictures import Pictures, add_pictures, add_quiet
from milp_pips.cli.spread import Work, add_cluster, for_each_result
from milp_pips.problem.errors import UsageError

if TYPE_CHECKING:
    from milp_pips.puzzles.puzzle import Board, Puzzle
    from milp_pips.tasks.count import Count


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this verb."""
    add_puzzle_files(parser)
    add_board(parser, "count the solutions that contain this board, filled in part")
    parser.add_argument(
        "--distinct",
        metavar="KEY",
        default="both",
        help="what makes two solutions different, such as grid (default: both, for all there are)",
    )
    parser.add_argument(
        "--solver",
        metavar="NAME",
        default="",
        help="count by an engine that can, such as scip, and confirm it",
    )
    parser.add_argument("--cells", action="store_true", help="count how often each cell takes each value")
    memory = "memory the work may use, such as 500M or 2G (default: 1G)"
    add_settings(parser, "time_limit", "memory_limit", "presolve_rules", "isolate", memory_limit=memory)
    add_cluster(parser)
    add_json(parser)
    add_pictures(parser, "the cells of --cells")
    add_quiet(parser, "the counts, without the cells,")


def run(arguments: argparse.Namespace) -> int:
    """Count the solutions of every puzzle."""
    from milp_pips.tasks.count import count, draw_heat_map

    if arguments.svg and not arguments.cells:
        raise UsageError("--svg draws what --cells counts: name both")
    settings = settings_of(arguments)
    keys = () if arguments.distinct == "both" else (arguments.distinct,)

    def count_it(puzzle: Puzzle, _reading: float, board: Board | None) -> Work[Count]:
        return partial(
            count, puzzle, keys, settings, solver=arguments.solver, cells=arguments.cells, board=board
        )

    def tell(result: Count) -> int:
        if arguments.json:
            print_json(result.to_json())
        else:
            pictures.say(result)
        if result.cells and (pictures.wanted or not arguments.json):
            drawing = draw_heat_map(result)
            pictures.keep(drawing, result.puzzle.name)
            if not arguments.json:
                pictures.print(drawing)
        return FOUND if result.complete else LIMIT

    with Pictures(arguments) as pictures:
        return for_each_result(arguments, count_it, tell, filter(None, [arguments.solver]))
