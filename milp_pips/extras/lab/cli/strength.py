"""``strength FILE…``: what formulations exclude of what no solution has."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from milp_pips.cli import FOUND, INTERRUPTED, LIMIT, complain
from milp_pips.cli.arguments import (
    ProgressLine,
    add_json,
    add_puzzle_files,
    add_settings,
    for_each_puzzle,
    print_json,
    settings_of,
)
from milp_pips.cli.pictures import Pictures, add_pictures, add_quiet

if TYPE_CHECKING:
    from milp_pips.extras.lab.strength import Strength
    from milp_pips.puzzles.puzzle import Puzzle


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this verb."""
    parser.epilog = (
        "A value of a cell that no solution has is excluded where the linear relaxation has no point in "
        "which the cell takes it. The solution space says, exactly, what no solution has."
    )
    add_puzzle_files(parser)
    parser.add_argument(
        "--formulation",
        action="append",
        default=[],
        metavar="NAME",
        help="measure this one; may be given several times (default: all that the puzzle has)",
    )
    parser.add_argument(
        "--root",
        action="store_true",
        help="measure as well what the root node of branch and cut excludes: by propagation, LP and cuts",
    )
    rules = "reduce the domains first, by rules such as filtering (default: none)"
    add_settings(parser, "time_limit", "memory_limit", "presolve_rules", presolve_rules=rules)
    add_json(parser)
    add_pictures(parser, "for each formulation what it does not exclude", as_text=False)
    add_quiet(parser, "a line per puzzle")


def run(arguments: argparse.Namespace) -> int:
    """Measure the formulations on every puzzle."""
    from milp_pips.compilation.diagram import Unfinished
    from milp_pips.extras.lab.strength import strength, total
    from milp_pips.problem.answer import Stop
    from milp_pips.problem.stopping import Deadline

    settings = settings_of(arguments, formulation="")
    progress = ProgressLine()
    measured: list[Strength] = []

    def measure_one(puzzle: Puzzle, _reading: float) -> int:
        with Deadline(settings.seconds) as deadline:
            deadline.on_progress = progress.listener
            try:
                found = strength(
                    puzzle, arguments.formulation, settings, root=arguments.root, deadline=deadline
                )
            except Unfinished as reason:
                progress.clear()
                complain(f"{puzzle.name}: {reason}")
                return INTERRUPTED if reason.stop is Stop.INTERRUPTED else LIMIT
        progress.clear()
        measured.append(found)
        if arguments.json:
            print_json(found.to_json())
        else:
            for line in [found.summary()] if arguments.quiet else str(found).splitlines():
                pictures.say(line)
        for drawing in found.drawings() if pictures.wanted else ():
            pictures.keep(drawing, drawing.title)
        if found.stop is Stop.INTERRUPTED:
            return INTERRUPTED
        return FOUND if found.stop is Stop.FINISHED else LIMIT

    with Pictures(arguments) as pictures:
        status = for_each_puzzle(arguments, measure_one)
        for line in total(measured) if not (arguments.json or arguments.quiet) else ():
            pictures.say(line)
    return status
