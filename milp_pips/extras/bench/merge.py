"""Several results files as one: the shards of a campaign, or what different machines have made."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import NamedTuple

from milp_pips.extras.bench.run import refute_contradicted
from milp_pips.extras.bench.store import Store
from milp_pips.problem.errors import UsageError


class Merged(NamedTuple):
    """How many runs and puzzles are in the file now, how many runs are new, and how many came once more."""

    runs: int
    puzzles: int
    new: int
    known: int


def merge(sources: Sequence[str], out: str) -> Merged:
    """Take the runs of results files into one, and return what came of it.

    A run whose key is there already stays as it is: the first measurement counts, whatever a later one says.
    The same merge again changes nothing. A file is taken whole or not at all.

    Parameters
    ----------
    sources
        Results files.
    out
        The results file that takes them; made if it is not there.

    Raises
    ------
    InputError
        If one is no results file, or ``out`` cannot be written.
    UsageError
        If ``out`` is one of the sources, or a campaign is writing it.
    """
    new = known = 0
    for source in sources:
        if os.path.realpath(source) == os.path.realpath(out):
            raise UsageError(f"{source} cannot be merged into itself")
        Store(source).close()
    with Store(out, new=True) as store:
        for source in sources:
            with Store(source) as shard:
                fresh, there = store.take(shard)
            new, known = new + fresh, known + there
        instances = store.instances()
        for number in instances:
            refute_contradicted(store, number)
        return Merged(len(store.runs()), len(instances), new, known)
