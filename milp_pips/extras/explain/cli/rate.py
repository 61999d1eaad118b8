"""``rate FILE…``: how hard the logic is."""

from __future__ import annotations

import argparse
from functools import partial
from typing import TYPE_CHECKING

from milp_pips.cli import FOUND, LIMIT, NO_SOLUTION
from milp_pips.cli.arguments import add_json, add_puzzle_files, add_settings, print_json, print_line
from milp_pips.cli.spread import Work, add_cluster, for_each_result

if TYPE_CHECKING:
    from milp_pips.extras.explain.rate import RatedPuzzle
    from milp_pips.puzzles.puzzle import Board, Puzzle


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this verb."""
    from milp_pips.extras.explain.rate import told_grades

    parser.epilog = (
        "The score is made of all steps that can be found on the way to the solution: what each asks of a "
        "head, and how many there were to choose from; ten points more are twice the work. The story that "
        f"explain tells leaves out steps that nothing rests on. Grades: {told_grades()}."
    )
    add_puzzle_files(parser)
    add_settings(parser, "time_limit")
    add_cluster(parser)
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Rate every puzzle. The status is 1 for one without a solution, which nobody can rate."""
    from milp_pips.extras.explain.rate import rate

    def rate_it(puzzle: Puzzle, _reading: float, _board: Board | None) -> Work[RatedPuzzle]:
        return partial(rate, puzzle)

    def tell(found: RatedPuzzle) -> int:
        if arguments.json:
            print_json(found.to_json())
        else:
            print_line(found)
        if found.status == "infeasible":
            return NO_SOLUTION
        return LIMIT if found.rating is None else FOUND

    return for_each_result(arguments, rate_it, tell)
