"""``relax FILE``: the linear relaxation on the board."""

from __future__ import annotations

import argparse

from milp_pips.cli import FOUND, INTERRUPTED, LIMIT, NO_SOLUTION, complain
from milp_pips.cli.arguments import (
    add_json,
    add_puzzle_file,
    add_settings,
    cell_value,
    fault_as_json,
    print_json,
    settings_of,
)
from milp_pips.cli.pictures import Pictures, add_pictures, add_quiet


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this verb."""
    parser.epilog = (
        "Shades and per cent are shares of a vertex. There is no objective: of the many vertices it is the "
        "one that the simplex method comes to first. Exit status 1: the relaxation has no point."
    )
    add_puzzle_file(parser)
    parser.add_argument(
        "--fix",
        action="append",
        default=[],
        type=cell_value,
        metavar="CELL=VALUE",
        help="let the cell have this value, such as r1c1=3; may be given several times",
    )
    rules = "reduce the domains first, by rules such as filtering (default: none)"
    add_settings(parser, "formulation", "time_limit", "presolve_rules", presolve_rules=rules)
    add_json(parser)
    add_pictures(parser, "the relaxation")
    add_quiet(parser, "what kind of vertex it is")


def run(arguments: argparse.Namespace) -> int:
    """Draw a vertex of the relaxation."""
    from milp_pips.compilation.diagram import Unfinished
    from milp_pips.extras.lab.relax import relax
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
            found = relax(puzzle, settings=settings_of(arguments), fix=dict(arguments.fix), deadline=deadline)
        except Unfinished as reason:
            complain(f"{puzzle.name}: {reason}")
            return INTERRUPTED if reason.stop is Stop.INTERRUPTED else LIMIT
        if arguments.json:
            print_json(found.to_json())
        else:
            lines = [part for part in found.parts() if isinstance(part, str)]
            pictures.say_parts(lines[:1] if arguments.quiet else found.parts())
        if found.x is not None:
            pictures.keep(found.drawing(), puzzle.name)
    if found.stop is Stop.INTERRUPTED:
        return INTERRUPTED
    return {"infeasible": NO_SOLUTION, "unknown": LIMIT}.get(found.status, FOUND)
