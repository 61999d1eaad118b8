"""The verbs ``count`` (the number of solutions) and ``sample`` (random solutions)."""

from __future__ import annotations

import argparse
from functools import partial
from typing import TYPE_CHECKING

from milp_pips.cli import FOUND, INTERRUPTED, LIMIT, NO_SOLUTION, Verb, complain
from milp_pips.cli.arguments import (
    add_board,
    add_distinct,
    add_json,
    add_puzzle_file,
    add_puzzle_files,
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
from milp_pips.cli.spread import Work, add_cluster, for_each_result
from milp_pips.problem.errors import UsageError

if TYPE_CHECKING:
    from milp_pips.puzzles.puzzle import Board, Puzzle
    from milp_pips.tasks.results import Count


def add_count_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this verb."""
    add_puzzle_files(parser)
    add_board(parser, "count only the solutions that contain this partial board")
    parser.add_argument(
        "--distinct",
        metavar="KEY",
        default="both",
        help="count two solutions as different only if they differ in KEY, such as grid (default: both, "
        "which counts by every key)",
    )
    parser.add_argument(
        "--solver",
        metavar="NAME",
        default="",
        help="count with this engine, such as scip, and confirm its count (default: the solution space)",
    )
    parser.add_argument(
        "--cells", action="store_true", help="count in how many solutions each cell takes each value"
    )
    memory = "memory limit of the count, such as 500M or 2G (default: 1G)"
    add_settings(parser, "time_limit", "memory_limit", "presolve_rules", "isolate", memory_limit=memory)
    add_cluster(parser)
    add_json(parser)
    add_pictures(parser, "the cells of --cells")
    add_quiet(parser, "the counts, without the cells")


def run_count(arguments: argparse.Namespace) -> int:
    """Count the solutions of every puzzle."""
    from milp_pips.tasks.count import count

    if arguments.svg and not arguments.cells:
        raise UsageError("--svg draws what --cells counts: name both")
    settings = settings_of(arguments)
    keys = () if arguments.distinct == "both" else (arguments.distinct,)

    def count_it(puzzle: Puzzle, _reading: float, board: Board | None) -> Work[Count]:
        return partial(
            count, puzzle, keys, settings, solver=arguments.solver, cells=arguments.cells, board=board
        )

    def print_result(result: Count) -> int:
        if arguments.json:
            print_json(result.to_json())
        else:
            pictures.say(result)
        if result.cells and (pictures.wanted or not arguments.json):
            drawing = result.drawing()
            pictures.keep(drawing, result.puzzle.name)
            if not arguments.json:
                pictures.print(drawing)
        return FOUND if result.complete else LIMIT

    with Pictures(arguments) as pictures:
        return for_each_result(arguments, count_it, print_result, filter(None, [arguments.solver]))


# The verb ``sample FILE``: uniformly random solutions.


def add_sample_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this verb."""
    add_puzzle_file(parser)
    add_board(parser, "draw only solutions that contain this partial board")
    parser.add_argument(
        "-n", type=positive, default=1, metavar="K", help="number of solutions to draw (default: 1)"
    )
    add_settings(parser, "seed", "presolve_rules", seed="random seed (default: 0)")
    add_distinct(parser)
    parser.add_argument("--time-limit", type=time_limit, metavar="SECONDS", help="time limit")
    parser.add_argument(
        "--memory-limit", type=size, metavar="SIZE", help="memory limit, such as 500M or 2G (default: 1G)"
    )
    add_json(parser)
    add_pictures(parser, "the solutions")
    add_quiet(parser, "the number of solutions drawn")


def run_sample(arguments: argparse.Namespace) -> int:
    """Draw random solutions and print each at once."""
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


COUNT = Verb(add_count_arguments, run_count)
SAMPLE = Verb(add_sample_arguments, run_sample)
