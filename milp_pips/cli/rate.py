"""``rate FILE…``: how hard the logic is."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from milp_pips.cli import FOUND, INTERRUPTED, LIMIT, NO_SOLUTION
from milp_pips.cli.arguments import (
    ProgressLine,
    add_json,
    add_puzzle_files,
    add_settings,
    for_each_puzzle,
    print_json,
    print_line,
)

if TYPE_CHECKING:
    from milp_pips.puzzles.family import Puzzle


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this verb."""
    from milp_pips.reasons.rating import GRADES

    parser.epilog = (
        "The score is made of the steps that lead to the solution: what each asks of a head, and how many "
        "there were to choose from; ten points more are twice the work. Grades: "
        + ", ".join(f"{grade} from {least:g} on" for grade, least in GRADES.items())
        + "."
    )
    add_puzzle_files(parser)
    add_settings(parser, "time_limit")
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Rate every puzzle. The status is 1 for one without a solution, which nobody can rate."""
    from milp_pips.answer import Stop
    from milp_pips.tasks.rate import rate
    from milp_pips.watch import Watch

    progress = ProgressLine()

    def rate_one(puzzle: Puzzle, _reading: float) -> int:
        with Watch(arguments.time_limit) as watch:
            found = rate(puzzle, watch=watch, tell=lambda step: progress.tell(f"{puzzle.name}: step {step}"))
            progress.clear()
        if arguments.json:
            print_json(found.to_json())
        else:
            print_line(found)
        if found.stop is Stop.INTERRUPTED:
            return INTERRUPTED
        if found.status == "infeasible":
            return NO_SOLUTION
        return LIMIT if found.rating is None else FOUND

    return for_each_puzzle(arguments, rate_one)
