"""The verbs ``prove`` (write a certificate) and ``verify`` (check one), and ``--prove`` of other verbs."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING

from milp_pips.cli import FOUND, LIMIT, NO_SOLUTION, complain
from milp_pips.cli.arguments import (
    DISTINCT,
    OBJECTIVE,
    OVER,
    PUZZLE_FILE,
    PuzzleRun,
    on_puzzle,
    settings,
    verb,
)
from milp_pips.cli.output import print_line
from milp_pips.problem.errors import EngineFault
from milp_pips.problem.parameters import SECONDS, Parameter
from milp_pips.problem.stopping import Deadline

if TYPE_CHECKING:
    from milp_pips.puzzles.puzzle import Puzzle

MOST_MEMORY = 2**32
"""Bytes of memory that the check of a certificate may take."""


@verb(
    *PUZZLE_FILE,
    Parameter("--out DIR", "new folder for the certificate", default=...),
    "milp_pips.tasks.prove:PROOF_PARAMETERS",
    DISTINCT,
    *OBJECTIVE,
    OVER,
    *settings("seconds", seconds="time limit for finding and checking the proof"),
)
@on_puzzle
def prove_verb(run: PuzzleRun) -> int:
    """Write and check the certificate of one puzzle."""
    from milp_pips.tasks.prove import prove

    chosen = run.arguments
    proved = prove(
        run.puzzle,
        chosen.out,
        kind=chosen.kind,
        distinct=chosen.distinct,
        maximise=chosen.maximise,
        minimise=chosen.minimise,
        over=chosen.over or None,
        deadline=run.deadline,
    )
    run.pictures.say(f"{run.puzzle.name}: {proved}")
    return FOUND


def prove_number(puzzle: Puzzle, arguments: argparse.Namespace, kind: str, number: int) -> None:
    """Write the certificate that ``--prove`` requests; a line on standard error says what it proves.

    Raises EngineFault if it proves another number of solutions.
    """
    from milp_pips.tasks.prove import prove

    over, distinct = arguments.over or None, arguments.distinct.removeprefix("both")
    proved = prove(
        puzzle, arguments.prove, kind=kind, distinct=distinct, over=over, seconds=arguments.seconds
    )
    complain(f"{puzzle.name}: {proved}")
    if proved.solutions != number:
        raise EngineFault(
            f"{puzzle.name} has {number} solutions, but the certificate proves {proved.solutions}"
        )


def report_certificate(puzzle: Puzzle, folder: str) -> None:
    """Print what the certificate of an answer proves, or that there is none, on standard error."""
    from milp_pips.verification.verify import Watch, verify

    if os.listdir(folder):
        complain(f"{puzzle.name}: {verify(Path(folder), Watch(3_600.0))}")
    else:
        complain(
            f"{puzzle.name}: no certificate: this is not known to be the best or (--unique) the only one"
        )


@verb(
    Parameter("DIR", "folder of the certificate"),
    Parameter("--time-limit SECONDS", "time limit (default: 3600)", SECONDS, 3600.0),
)
def verify_verb(arguments: argparse.Namespace) -> int:
    """Check one certificate, in a process of its own, whose memory and time are limited."""
    from milp_pips.runtime.executor import call_in_process
    from milp_pips.runtime.interruptible import Limits

    with Deadline(arguments.time_limit) as deadline:
        limits = Limits(deadline, memory=MOST_MEMORY)
        outcome = call_in_process(_verdict, (arguments.dir,), limits)
    if outcome.value is None:
        complain(
            f"{arguments.dir}: not checked: {outcome.fault or f'the limit of {outcome.stop} is reached'}"
        )
        return LIMIT
    status, verdict = outcome.value
    print_line(f"{arguments.dir}: {verdict}")
    return status


def _verdict(folder: str, deadline: Deadline) -> tuple[int, str]:
    """Return the exit status and the verdict on a certificate."""
    from milp_pips.verification.verify import OutOfTime, Refused, Watch, verify

    try:
        return FOUND, str(verify(Path(folder), Watch(deadline.remaining or 0.0)))
    except (Refused, OutOfTime) as fault:
        return NO_SOLUTION, f"refused: {fault}"
