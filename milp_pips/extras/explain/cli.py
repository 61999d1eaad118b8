"""The commands ``explain``, ``hint`` and ``rate``, which analyse the logic of a puzzle."""

from __future__ import annotations

import argparse
from functools import partial
from typing import TYPE_CHECKING

from milp_pips.cli import FOUND, LIMIT, NO_SOLUTION
from milp_pips.cli.arguments import (
    FILE,
    JSON,
    LEVEL,
    PUZZLE_FILES,
    QUIET,
    ProgressLine,
    for_each_puzzle,
    print_json,
    print_line,
    settings,
    verb,
)
from milp_pips.cli.pictures import COLOR, Pictures, on_puzzle, svg, unless_interrupted
from milp_pips.cli.spread import Work, cluster, for_each_result
from milp_pips.problem.parameters import Parameter

if TYPE_CHECKING:
    from milp_pips.extras.explain.rate import RatedPuzzle
    from milp_pips.problem.stopping import Deadline
    from milp_pips.puzzles.puzzle import Board, Puzzle


@verb(
    PUZZLE_FILES,
    LEVEL,
    "milp_pips.extras.explain.explain:EXPLAIN_PARAMETERS",
    svg("the smallest reason, or what follows, on the board"),
    COLOR,
    QUIET.says("print only the summary"),
    *settings("seconds"),
    JSON,
)
def explain_verb(arguments: argparse.Namespace) -> int:
    """Explain every puzzle. The exit status is 0 even if a puzzle has no solution."""
    from milp_pips.extras.explain.explain import explain
    from milp_pips.problem.answer import Stop
    from milp_pips.problem.stopping import Deadline

    progress = ProgressLine()

    def explain_one(puzzle: Puzzle, _reading: float) -> int:
        with Deadline(arguments.seconds) as deadline:
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
        unfinished = found.stop is not Stop.FINISHED or found.status == "unknown"
        return unless_interrupted(found.stop, LIMIT if unfinished else FOUND)

    with Pictures(arguments) as pictures:
        return for_each_puzzle(arguments, explain_one)


# ``hint FILE [BOARD]``: the next step, with as much detail as requested.


@verb(
    FILE,
    LEVEL,
    Parameter(
        "[BOARD]",
        "what you have filled in: a solution file, text or JSON, with ? or null in open cells",
    ),
    "milp_pips.extras.explain.hint:HINT_PARAMETERS",
    svg("the board with the hint marked on it"),
    COLOR,
    QUIET.says("print only the sentences"),
    *settings("seconds"),
    JSON,
)
@on_puzzle
def hint_verb(
    arguments: argparse.Namespace, puzzle: Puzzle, board: Board | None, pictures: Pictures, deadline: Deadline
) -> int:
    """Print one hint. The exit status is 1 if the board has no solution."""
    from milp_pips.extras.explain.hint import hint

    found = hint(puzzle, board, reveal=arguments.reveal, further=arguments.further, deadline=deadline)
    if arguments.json:
        print_json(found.to_json())
    else:
        pictures.say_parts(found.parts())
    if pictures.wanted:
        pictures.keep(found.picture(), puzzle.name)
    status = {"unknown": LIMIT, "wrong": NO_SOLUTION, "dead": NO_SOLUTION}.get(found.status, FOUND)
    return unless_interrupted(found.stop, status)


# ``rate FILE…``: the logical difficulty of puzzles.


def _about_scores() -> str:
    from milp_pips.extras.explain.rate import told_grades

    return (
        "The score counts all steps that can be found on the way to the solution: the cost of each for a "
        "person, and how many were available; ten points more mean twice the work. The steps that "
        f"explain prints leave out those that nothing depends on. Grades: {told_grades()}."
    )


@verb(PUZZLE_FILES, LEVEL, *settings("seconds"), *cluster(), JSON, epilog=_about_scores)
def rate_verb(arguments: argparse.Namespace) -> int:
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
