"""The two checkers of certificates, of puzzles and of linear models; each is one file that stands alone."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from milp_pips.verification import verify, verify_tree


class Verdict(NamedTuple):
    """What a checker says of a folder."""

    is_accepted: bool
    text: str


def verdict_on(folder: str | Path, seconds: float) -> Verdict:
    """Return what the checker of the folder's kind says; a tree is the certificate of a linear model.

    The program in the folder, if there is one, is not used.
    """
    place = Path(folder)
    try:
        if os.path.lexists(place / verify_tree.TREE_LOG):
            return Verdict(True, str(verify_tree.verify(place, verify_tree.Watch(seconds))))
        return Verdict(True, str(verify.verify(place, verify.Watch(seconds))))
    except (verify.Refused, verify.OutOfTime, verify_tree.Refused, verify_tree.OutOfTime) as fault:
        return Verdict(False, f"refused: {fault}")
