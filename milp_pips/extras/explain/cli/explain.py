"""``explain FILE…``: why there is no solution, or the steps to it."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from milp_pips.cli import FOUND, INTERRUPTED, LIMIT
from milp_pips.cli.arguments import (
    ProgressLine,
    add_json,
    add_puzzle_files,
    add_settings,
    for_each_puzzle,
    not_negative,
    positive,
    print_json,
)
from milp_pips.cli.pictures import Pictures, add_pictures, add_quiet

if TYPE_CHECKING:
    from milp_pips.puzzles.puzzle import Puzzle


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this verb."""
    add_puzzle_files(parser)
    parser.add_argument(
        "--reasons",
        type=positive,
        default=3,
        metavar="N",
        help="how many minimal sets of clashing rules to look for where there is no solution (default: 3)",
    )
    parser.add_argument(
        "--additions",
        type=not_negative,
        default=5,
        metavar="N",
        help="how many additions to tell that would leave one solution where there are several: tighter "
        "rules, values to be shown; 0 for none (default: 5)",
    )
    add_pictures(parser, "the smallest reason, or what follows, on the board")
    add_quiet(parser, "the summary")
    add_settings(parser, "time_limit")
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Explain every puzzle. Either answer is an answer: the status is 0 also where there is no solution."""
    from milp_pips.extras.explain.explain import explain
    from milp_pips.problem.answer import Stop
    from milp_pips.problem.stopping import Deadline

    progress = ProgressLine()

    def explain_one(puzzle: Puzzle, _reading: float) -> int:
        with Deadline(arguments.time_limit) as deadline:
            found = explain(
                puzzle,
                reasons=arguments.reasons,
                additions=arguments.additions,
                deadline=deadline,
                tell=lambda step: progress.tell(f"{puzzle.name}: step {step}"),
            )
            progress.clear()
        if arguments.json:
            print_json(found.to_json())
        else:
            pictures.say_parts([found.summary()] if arguments.quiet else found.parts())
        if pictures.wanted:
            pictures.keep(found.picture(), puzzle.name)
        if found.stop is Stop.INTERRUPTED:
            return INTERRUPTED
        return LIMIT if found.stop is not Stop.FINISHED or found.status == "unknown" else FOUND

    with Pictures(arguments) as pictures:
        return for_each_puzzle(arguments, explain_one)
