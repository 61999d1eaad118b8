"""``filter FILE``: which rule takes which value, beside what the linear relaxation excludes."""

from __future__ import annotations

import argparse

from milp_pips.cli import FOUND, INTERRUPTED, LIMIT, NO_SOLUTION, complain
from milp_pips.cli.arguments import (
    add_json,
    add_puzzle_file,
    add_settings,
    fault_as_json,
    print_json,
    settings_of,
)
from milp_pips.cli.pictures import Pictures, add_pictures, add_quiet


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this verb."""
    parser.epilog = "Exit status 1: a rule runs empty, so there is no solution."
    add_puzzle_file(parser)
    formulation = "the model whose relaxation it is held against, such as implication"
    add_settings(parser, "formulation", "time_limit", "memory_limit", formulation=formulation)
    add_json(parser)
    add_pictures(parser, "who excludes which value")
    add_quiet(parser, "the summary")


def run(arguments: argparse.Namespace) -> int:
    """Tell what filtering takes, step by step."""
    from milp_pips.compilation.diagram import Unfinished
    from milp_pips.extras.lab.filter_trace import filter_trace
    from milp_pips.problem.answer import Stop
    from milp_pips.problem.stopping import Deadline
    from milp_pips.puzzles.reading import read

    puzzle = read(arguments.file, arguments.level)
    with (
        Pictures(arguments) as pictures,
        Deadline(arguments.time_limit) as deadline,
        fault_as_json(arguments, puzzle.name),
    ):
        try:
            found = filter_trace(puzzle, settings_of(arguments), deadline=deadline)
        except Unfinished as reason:
            complain(f"{puzzle.name}: {reason}")
            return INTERRUPTED if reason.stop is Stop.INTERRUPTED else LIMIT
        if arguments.json:
            print_json(found.to_json())
        else:
            pictures.say_parts([found.summary()] if arguments.quiet else found.parts())
        pictures.keep(found.drawing(), puzzle.name)
    if found.stop is Stop.INTERRUPTED:
        return INTERRUPTED
    if found.refutation:
        return NO_SOLUTION
    return FOUND if found.stop is Stop.FINISHED else LIMIT
