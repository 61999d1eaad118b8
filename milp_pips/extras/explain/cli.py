"""The commands ``explain``, ``hint`` and ``rate``, which analyse the logic of a puzzle."""

from __future__ import annotations

import argparse
from functools import partial
from typing import TYPE_CHECKING

from milp_pips.cli import FOUND, LIMIT, NO_SOLUTION, Work, verb
from milp_pips.cli.loops import PuzzleRun, for_each_result, on_puzzle
from milp_pips.cli.output import JSON, output, print_json, print_line
from milp_pips.problem import UsageError
from milp_pips.problem.parameters import PUZZLE_FILE, PUZZLE_FILES, SWITCH, Parameter, cluster, flag, settings

if TYPE_CHECKING:
    from milp_pips.extras.explain.rate import RatedPuzzle
    from milp_pips.puzzles.puzzle import Board, Puzzle


VERBOSE = Parameter("-v, --verbose", "print the figures behind each grade", SWITCH, False)


@verb(
    *PUZZLE_FILES,
    "milp_pips.extras.explain.parameters:EXPLAIN_PARAMETERS",
    *settings("seconds"),
    *output("the smallest reason, or what follows, on the board", "the summary"),
)
@on_puzzle
def explain_verb(run: PuzzleRun) -> int:
    """Explain every puzzle. The exit status is 0 even if a puzzle has no solution."""
    from milp_pips.extras.explain.explain import explain
    from milp_pips.problem.answer import Stop

    own = {"reasons": run.arguments.reasons, "additions": run.arguments.additions}
    found = explain(run.puzzle, deadline=run.deadline, **own)
    run.show(found)
    return LIMIT if found.stop is not Stop.FINISHED or found.status == "unknown" else FOUND


# ``hint FILE [BOARD]``: the next step, with as much detail as requested.


@verb(
    *PUZZLE_FILE,
    Parameter(
        "[BOARD]",
        "what you have filled in: a solution file, text or JSON, with ? or null in open cells",
    ),
    "milp_pips.extras.explain.parameters:HINT_PARAMETERS",
    flag("--all", "print all steps from here on, whole"),
    *settings("seconds"),
    *output("the board with the hint marked on it", "the sentences"),
)
@on_puzzle
def hint_verb(run: PuzzleRun) -> int:
    """Print one hint, or all steps. The exit status is 1 if the board has no solution."""
    from milp_pips.extras.explain.hint import hint
    from milp_pips.extras.explain.views.text import parts, story

    if run.arguments.all and run.arguments.json:
        raise UsageError("--all prints sentences: omit --json; explain --json has the steps of a puzzle")
    own = {"reveal": run.arguments.reveal, "further": run.arguments.further}
    found = hint(run.puzzle, run.board, deadline=run.deadline, **own)
    shown = parts(found)
    if run.arguments.all and found.status == "step":
        shown = story(found, run.board, run.deadline)
    run.pictures.present(found, run.puzzle.name, shown, found.drawing)
    return {"unknown": LIMIT, "wrong": NO_SOLUTION, "dead": NO_SOLUTION}.get(found.status, FOUND)


# ``rate FILE…``: the logical difficulty of puzzles.


def _about_scores() -> str:
    from milp_pips.extras.explain.rate import GRADE_LIMITS

    return (
        "The score is the number of open cells and a fifth of the number of steps; without dominoes, a "
        f"quarter of that. The line names the hardest technique that is needed. Grades: {GRADE_LIMITS}."
    )


@verb(*PUZZLE_FILES, *settings("seconds"), *cluster(), JSON, VERBOSE, epilog=_about_scores)
def rate_verb(arguments: argparse.Namespace) -> int:
    """Rate every puzzle. The exit status is 1 if one has no solution and so cannot be rated."""
    from milp_pips.extras.explain.rate import rate
    from milp_pips.extras.explain.views.text import figures

    def rate_it(puzzle: Puzzle, _reading: float, _board: Board | None) -> Work[RatedPuzzle]:
        return partial(rate, puzzle)

    def print_result(found: RatedPuzzle) -> int:
        if arguments.json:
            print_json(found.to_json())
        else:
            print_line(found)
            if arguments.verbose and figures(found):
                print_line(f"  {figures(found)}")
        if found.status == "infeasible":
            return NO_SOLUTION
        return LIMIT if found.rating is None else FOUND

    return for_each_result(arguments, rate_it, print_result)
