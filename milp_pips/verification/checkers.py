"""The task ``verify``: check a certificate by the checker of its kind; each is one file that stands alone."""

from __future__ import annotations

import os
from pathlib import Path

from milp_pips.compilation.limits import Unfinished
from milp_pips.problem.answer import Stop
from milp_pips.problem.errors import InputError
from milp_pips.verification import verify as of_puzzles
from milp_pips.verification import verify_tree as of_models

LONGEST_CHECK = 3_600.0
"""Seconds that a check takes at most, unless its caller says otherwise."""


def verify(
    folder: str | os.PathLike[str], *, seconds: float = LONGEST_CHECK
) -> of_puzzles.Proved | of_models.ProvedByTree:
    """Check the certificate in a folder, which ``prove`` has written, and return what it proves.

    The program in the folder is not used.

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
            return of_models.verify(place, of_models.Watch(seconds))
        return of_puzzles.verify(place, of_puzzles.Watch(seconds))
    except (of_puzzles.Refused, of_models.Refused) as fault:
        raise InputError(f"refused: {fault}", os.fspath(folder)) from None
    except (of_puzzles.OutOfTime, of_models.OutOfTime) as fault:
        raise Unfinished(f"{os.fspath(folder)}: not checked: {fault}", Stop.TIME) from None
