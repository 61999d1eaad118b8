"""The task ``verify``: check a certificate by the checker of its kind; each is one file that stands alone."""

from __future__ import annotations

import os
from pathlib import Path

from milp_pips.compilation.limits import Unfinished
from milp_pips.problem.answer import Stop
from milp_pips.problem.errors import InputError
from milp_pips.problem.stopping import Deadline
from milp_pips.verification import verify as of_puzzles
from milp_pips.verification import verify_tree as of_models

LONGEST_CHECK = 3_600.0
"""Seconds that a check takes at most, unless its caller says otherwise."""


def verify(
    folder: str | os.PathLike[str], *, seconds: float = LONGEST_CHECK, jobs: int = 1
) -> of_puzzles.Proved | of_models.ProvedByTree:
    """Check the certificate in a folder, which ``prove`` has written, and return what it proves.

    The program in the folder is not used. ``jobs`` processes check the pieces of a tree at the same time; a
    tree that one process has found is one piece.

    Raises
    ------
    InputError
        If the certificate is refused; the message has the first fault.
    Unfinished
        If the check takes more than the seconds.
    """
    place = Path(folder)
    try:
        if os.path.lexists(place / of_models.TREE_LOG):  # a tree is the certificate of a linear model
            watch = of_models.Watch(seconds)
            pieces = _checked_pieces(place, seconds, jobs) if jobs > 1 else None
            return of_models.verify(place, watch, pieces)
        return of_puzzles.verify(place, of_puzzles.Watch(seconds))
    except (of_puzzles.Refused, of_models.Refused) as fault:
        raise InputError(f"refused: {fault}", os.fspath(folder)) from None
    except (of_puzzles.OutOfTime, of_models.OutOfTime) as fault:
        raise Unfinished(f"{os.fspath(folder)}: not checked: {fault}", Stop.TIME) from None


MOST_MEMORY = 2**32
"""Bytes of memory that each process that checks a certificate may take."""


def _checked_pieces(folder: Path, seconds: float, jobs: int) -> list[of_models.Piece]:
    """Return the pieces of a tree, which processes have checked. Raises Refused and OutOfTime."""
    from milp_pips.runtime.executor import OwnProcesses
    from milp_pips.runtime.interruptible import Limits

    found = list[of_models.Piece]()
    with Deadline(seconds) as deadline, OwnProcesses(jobs) as processes:
        limits = Limits(deadline, memory=MOST_MEMORY)
        calls = [processes.submit(_check_share, (folder, share, jobs), limits) for share in range(jobs)]
        for call in calls:
            outcome = call.result()
            if outcome.value is None:
                raise of_models.OutOfTime(outcome.fault or f"the limit of {outcome.stop} is reached")
            if isinstance(outcome.value, str):
                raise of_models.Refused(outcome.value)
            found += outcome.value
    return sorted(found, key=lambda piece: piece.number)


def _check_share(folder: Path, share: int, of: int, deadline: Deadline) -> list[of_models.Piece] | str:
    """Return the pieces of a share, or the first fault."""
    try:
        return of_models.check_pieces(folder, of_models.Watch(deadline.remaining or 0.0), share, of)
    except of_models.Refused as fault:
        return str(fault)
