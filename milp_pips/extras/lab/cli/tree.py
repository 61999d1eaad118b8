"""``tree FILE``: a branch and bound to look at."""

from __future__ import annotations

import argparse

from milp_pips.cli import FOUND, INTERRUPTED, LIMIT, NO_SOLUTION, complain
from milp_pips.cli.arguments import (
    add_json,
    add_puzzle_file,
    add_settings,
    fault_as_json,
    positive,
    print_json,
    settings_of,
)
from milp_pips.cli.pictures import Pictures, add_pictures, add_quiet


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this verb."""
    from milp_pips.extras.lab.branching import BRANCHING_RULES, ORDERS
    from milp_pips.extras.lab.search_tree import LIMIT as NODES

    parser.epilog = (
        "A textbook branch and bound that solves the linear relaxation of each node and does nothing else: "
        "for looking at, on small puzzles. With --solver, a solver's own tree, without its presolve and "
        "heuristics; its options may take more away."
    )
    add_puzzle_file(parser)
    parser.add_argument(
        "--rule",
        choices=tuple(BRANCHING_RULES),
        default="most-fractional",
        help="branch on the first fractional column, the one nearest to one half, the one whose children say "
        "most, or the values of a cell (default: most-fractional)",
    )
    parser.add_argument(
        "--order",
        choices=tuple(ORDERS),
        default="depth",
        help="take the deepest node next, or the one with the best bound (default: depth)",
    )
    goal = parser.add_mutually_exclusive_group()
    goal.add_argument(
        "--maximise", metavar="CELL", default="", help="look for the greatest value of this cell"
    )
    goal.add_argument("--minimise", metavar="CELL", default="", help="look for its least value")
    parser.add_argument(
        "--limit", type=positive, metavar="N", default=NODES, help=f"nodes that are solved (default: {NODES})"
    )
    rules = "reduce the domains first, by rules such as filtering (default: none)"
    solver = "show this solver's own tree, such as scip (default: the textbook's)"
    names = "solver", "formulation", "time_limit", "seed", "option", "presolve_rules", "isolate"
    add_settings(parser, *names, solver=solver, presolve_rules=rules)
    add_json(parser)
    add_pictures(parser, "the tree", as_text=False)
    add_quiet(parser, "the summary")


def run(arguments: argparse.Namespace) -> int:
    """Search, and draw the tree. The status is 1 where there is no solution, 3 where a limit was hit."""
    from milp_pips.compilation.diagram import Unfinished
    from milp_pips.extras.lab.search_tree import search_tree
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
            found = search_tree(
                puzzle,
                settings_of(arguments),
                rule=arguments.rule,
                order=arguments.order,
                maximise=arguments.maximise,
                minimise=arguments.minimise,
                solver=arguments.solver,
                limit=arguments.limit,
                deadline=deadline,
            )
        except Unfinished as reason:
            complain(f"{puzzle.name}: {reason}")
            return INTERRUPTED if reason.stop is Stop.INTERRUPTED else LIMIT
        if arguments.json:
            print_json(found.to_json())
        else:
            pictures.print(found.drawing())
            pictures.say(found.summary())
        if pictures.wanted:
            pictures.keep(found.drawing(), puzzle.name)
    if found.stop is Stop.INTERRUPTED:
        return INTERRUPTED
    return {"infeasible": NO_SOLUTION, "unknown": LIMIT}.get(found.status, FOUND)
