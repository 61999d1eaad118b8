"""The commands ``explain``, ``hint`` and ``rate``, which analyse the logic of a puzzle."""

from __future__ import annotations

import argparse
from functools import partial
from typing import TYPE_CHECKING

from milp_pips.cli import FOUND, INTERRUPTED, LIMIT, NO_SOLUTION, Verb
from milp_pips.cli.arguments import (
    ProgressLine,
    add_json,
    add_puzzle_file,
    add_puzzle_files,
    add_settings,
    fault_as_json,
    for_each_puzzle,
    not_negative,
    positive,
    print_json,
    print_line,
    read_with_board,
)
from milp_pips.cli.pictures import Pictures, add_pictures, add_quiet
from milp_pips.cli.spread import Work, add_cluster, for_each_result

if TYPE_CHECKING:
    from milp_pips.extras.explain.rate import RatedPuzzle
    from milp_pips.puzzles.puzzle import Board, Puzzle


def add_explain_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``explain``."""
    add_puzzle_files(parser)
    parser.add_argument(
        "--reasons",
        type=positive,
        default=3,
        metavar="N",
        help="number of minimal sets of clashing rules to look for if there is no solution (default: 3)",
    )
    parser.add_argument(
        "--additions",
        type=not_negative,
        default=5,
        metavar="N",
        help="number of additions to print that leave one solution if there are several: tighter "
        "rules, values to be shown; 0 for none (default: 5)",
    )
    add_pictures(parser, "the smallest reason, or what follows, on the board")
    add_quiet(parser, "the summary")
    add_settings(parser, "time_limit")
    add_json(parser)


def run_explain(arguments: argparse.Namespace) -> int:
    """Explain every puzzle. The exit status is 0 even if a puzzle has no solution."""
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
                tell=lambda step: progress.show(f"{puzzle.name}: step {step}"),
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


# ``hint FILE [BOARD]``: the next step, with as much detail as requested.


def add_hint_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``hint``."""
    from milp_pips.extras.explain.hint import DEGREES, NUDGE

    add_puzzle_file(parser)
    parser.add_argument(
        "board",
        metavar="BOARD",
        nargs="?",
        help="what you have filled in: a solution file, text or JSON, with ? or null in open cells",
    )
    parser.add_argument(
        "--reveal",
        choices=DEGREES,
        default=NUDGE,
        help=f"how much to show: where to look, by which rule, why something follows, or what; each includes "
        f"those before it (default: {NUDGE})",
    )
    parser.add_argument(
        "--further",
        type=not_negative,
        default=0,
        metavar="N",
        help="skip N steps: those that you know but cannot fill in, such as that a cell is not 5",
    )
    add_pictures(parser, "the board with the hint marked on it")
    add_quiet(parser, "the sentences")
    add_settings(parser, "time_limit")
    add_json(parser)


def run_hint(arguments: argparse.Namespace) -> int:
    """Print one hint. The exit status is 1 if the board has no solution."""
    from milp_pips.extras.explain.hint import hint
    from milp_pips.problem.answer import Stop
    from milp_pips.problem.stopping import Deadline

    puzzle, board = read_with_board(arguments.file, arguments.board, arguments.level)
    with Pictures(arguments) as pictures, fault_as_json(arguments, puzzle.name):
        with Deadline(arguments.time_limit) as deadline:
            found = hint(puzzle, board, reveal=arguments.reveal, further=arguments.further, deadline=deadline)
        if arguments.json:
            print_json(found.to_json())
        else:
            pictures.say_parts(found.parts())
        if pictures.wanted:
            pictures.keep(found.picture(), puzzle.name)
    if found.stop is Stop.INTERRUPTED:
        return INTERRUPTED
    return {"unknown": LIMIT, "wrong": NO_SOLUTION, "dead": NO_SOLUTION}.get(found.status, FOUND)


# ``rate FILE…``: the logical difficulty of puzzles.


def add_rate_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``rate``."""
    from milp_pips.extras.explain.rate import told_grades

    parser.epilog = (
        "The score counts all steps that can be found on the way to the solution: the cost of each for a "
        "person, and how many were available; ten points more mean twice the work. The steps that "
        f"explain prints leave out those that nothing depends on. Grades: {told_grades()}."
    )
    add_puzzle_files(parser)
    add_settings(parser, "time_limit")
    add_cluster(parser)
    add_json(parser)


def run_rate(arguments: argparse.Namespace) -> int:
    """Rate every puzzle. The exit status is 1 if one has no solution and so cannot be rated."""
    from milp_pips.extras.explain.rate import rate

    def rate_it(puzzle: Puzzle, _reading: float, _board: Board | None) -> Work[RatedPuzzle]:
        return partial(rate, puzzle)

    def print_result(found: RatedPuzzle) -> int:
        if arguments.json:
            print_json(found.to_json())
        else:
            print_line(found)
        if found.status == "infeasible":
            return NO_SOLUTION
        return LIMIT if found.rating is None else FOUND

    return for_each_result(arguments, rate_it, print_result)


EXPLAIN = Verb(add_explain_arguments, run_explain)
HINT = Verb(add_hint_arguments, run_hint)
RATE = Verb(add_rate_arguments, run_rate)
