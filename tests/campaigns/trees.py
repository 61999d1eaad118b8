"""Certificates of random MIPs: true ones are accepted, damaged ones only if they are still true."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from frame import Case, Failure

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from random_mips import expected, random_mip, random_query
from tree_certificates import check, check_as_counted, damage, is_true, write, write_in_pieces

from milp_pips.enumeration.tree_points import TreeQuery
from milp_pips.problem.errors import UsageError
from milp_pips.verification.verify_tree import Refused

LIMIT = 120
GOAL = "damaged certificates", 10_000
DAMAGED = 20
"""Damaged copies of each certificate."""


def prepare(folder: Path, seed: int) -> None:
    """Nothing is needed."""


def run(case: Case) -> None:
    """Prove one list, compare with brute force, and damage the certificate many times."""
    rng = case.random
    model = random_mip(rng, most_columns=4)
    query = random_query(rng, model, TreeQuery)
    case.note(f"{model!r} {query!r}")
    wanted = expected(model, query)
    folder = case.folder / "proof"
    folder.mkdir(parents=True)
    if wanted is None:
        return
    try:
        write_in_pieces(folder, model, query, rng) if rng.random() < 0.5 else write(folder, model, query)
    except UsageError:  # a number that no decimal states
        return
    proved = check(folder)
    case.counts["certificates"] += 1
    if not proved.solutions == proved.most == len(wanted[0]) or proved.best != wanted[1]:
        raise Failure("what is proved is wrong", model=repr(model), query=repr(query), proved=str(proved))
    for number in range(DAMAGED):
        copy = Path(shutil.copytree(folder, case.folder / f"{number}"))
        kinds = damage(rng, copy)
        case.counts["damaged certificates"] += 1
        try:
            proved = check_as_counted(copy)
        except Refused:
            case.counts["refused"] += 1
            continue
        finding = is_true(copy, proved)
        case.counts["accepted, and true" if finding else "accepted, not tried by brute force"] += 1
        if finding is False:
            files = {path.name: path.read_bytes() for path in copy.iterdir()}
            raise Failure(f"accepted after {kinds}", proved=str(proved), model=repr(model), files=repr(files))
        shutil.rmtree(copy)
        case.alive()
