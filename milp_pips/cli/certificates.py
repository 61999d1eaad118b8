"""The verbs ``prove`` (write a certificate) and ``verify`` (check one)."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from milp_pips.cli import FOUND, LIMIT, NO_SOLUTION, complain
from milp_pips.cli.arguments import DISTINCT, PUZZLE_FILE, PuzzleRun, on_puzzle, settings, verb
from milp_pips.cli.output import print_line
from milp_pips.problem.errors import UsageError
from milp_pips.problem.parameters import SECONDS, Parameter

if TYPE_CHECKING:
    from milp_pips.puzzles.puzzle import Puzzle


@verb(
    *PUZZLE_FILE,
    Parameter("--out DIR", "new folder for the certificate", default=...),
    "milp_pips.tasks.prove:PROOF_PARAMETERS",
    DISTINCT,
    *settings("seconds", seconds="time limit for finding and checking the proof"),
)
@on_puzzle
def prove_verb(run: PuzzleRun) -> int:
    """Write and check the certificate of one puzzle."""
    from milp_pips.tasks.prove import prove

    chosen = run.arguments
    proved = prove(run.puzzle, chosen.out, kind=chosen.kind, distinct=chosen.distinct, deadline=run.deadline)
    run.pictures.say(f"{run.puzzle.name}: {proved}")
    return FOUND


def prove_answer(puzzle: Puzzle, arguments: argparse.Namespace, kind: str) -> None:
    """Write the certificate that ``--prove`` requests; a line on standard error says what it proves.

    Raises UsageError if the answer depends on a board, which a certificate does not state.
    """
    from milp_pips.tasks.prove import prove

    if arguments.board:
        raise UsageError("a certificate is about the puzzle alone: leave out --prove or --board")
    distinct = getattr(arguments, "distinct", "").removeprefix("both")
    proved = prove(puzzle, arguments.prove, kind=kind, distinct=distinct, seconds=arguments.seconds)
    complain(f"{puzzle.name}: {proved}")


@verb(
    Parameter("DIR", "folder of the certificate"),
    Parameter("--time-limit SECONDS", "time limit (default: 3600)", SECONDS, 3600.0),
)
def verify_verb(arguments: argparse.Namespace) -> int:
    """Check one certificate."""
    from milp_pips.verification.verify import OutOfTime, Refused, Watch, verify

    try:
        proved = verify(Path(arguments.dir), Watch(arguments.time_limit))
    except OutOfTime as fault:
        complain(f"{arguments.dir}: {fault}")
        return LIMIT
    except Refused as fault:
        print_line(f"{arguments.dir}: refused: {fault}")
        return NO_SOLUTION
    print_line(f"{arguments.dir}: {proved}")
    return FOUND
