"""Shards of a list by the tree: parts of what it has left, for jobs that share a folder and nothing else.

A shard has a file beside that of its list, with a state and a log of its own. ``merge_shards`` adds the logs
to that of the list, and puts what the shards have left in the place of their boxes. What is listed and
certified is the list alone, when it resumes.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import closing
from operator import itemgetter
from pathlib import Path
from typing import Any

from milp_pips.enumeration.tree_log import LogSizes, TreeLog
from milp_pips.problem.errors import UsageError
from milp_pips.runtime.writing import open_locked, write_errors
from milp_pips.tasks.lines import read_state, write_state
from milp_pips.tasks.query import Shard


def folder_of(out: str) -> Path:
    """Return the folder of a list's log, which becomes its certificate."""
    return Path(f"{out}.certificate")


def begin_shard(out: str, shard: Shard) -> str:
    """Begin a shard of a list if that was not done before, and return its name.

    Raises
    ------
    InputError
        If the state of the list cannot be read.
    UsageError
        If the list has no boxes left that shards could search.
    """
    state, path = (
        read_state(f"{out}.state", "begin the list without shard, with a time limit"),
        shard.path(out),
    )
    if not state["log"] or state["frontier"] in (None, [], [[0, []]]):
        raise UsageError(f"{out} has no boxes left: begin the list without shard, with a time limit")
    name = shard.name(state["log"][0])
    if not os.path.exists(f"{path}.state"):
        boxes = _boxes_of(shard, state)
        log = [[0, 0, 0], [share for _, share in boxes]]
        part = {"shard": name, "frontier": [box for box, _ in boxes], "log": log, "lines": 0}
        with write_errors(path):
            os.makedirs(folder_of(path), exist_ok=True)
            TreeLog(folder_of(path)).close()
        write_state(f"{path}.state", {**state, **part, "complete": False})
    return name


def merge_shards(paths: Sequence[str], out: str) -> int:
    """Merge shards into their list, and return the number of boxes that are left.

    A killed merge changes nothing.

    Raises
    ------
    InputError
        If a file cannot be read or written.
    UsageError
        If a file is no shard of the list as it is now, or comes twice, or a process is writing the list.
    """
    with write_errors(out), closing(open_locked(out, out)):
        state = read_state(f"{out}.state")
        sizes, searched, left = state["log"][0], set[Any](), list[tuple[Any, float]]()
        with closing(TreeLog(folder_of(out), LogSizes(*sizes))) as log:
            for path in paths:
                part, shard = read_state(f"{path}.state"), _shard_of(path)
                identity = {name: part[name] for name in state if name not in _CHANGES}
                fits = identity == {name: state[name] for name in identity} and shard is not None
                if shard is None or not fits or part["shard"] != shard.name(sizes) or shard in searched:
                    raise UsageError(f"{path} is no shard of {out} as it is now, or comes twice")
                searched.add(shard)
                log.merge(folder_of(path), LogSizes(*part["log"][0]))
                left += zip(part["frontier"], part["log"][1], strict=True)
            counts = {shard.of for shard in searched}
            if len(counts) != 1:
                raise UsageError(f"the shards of {out} are of different numbers: {sorted(counts)}")
            (count,) = counts
            for number in range(1, count + 1):
                if (shard := Shard(number, count)) not in searched:
                    left += _boxes_of(shard, state)
            saved = [list(log.save(0)), [share for _, share in left]]
        write_state(f"{out}.state", {**state, "frontier": [box for box, _ in left], "log": saved})
    return len(left)


_CHANGES = ("shard", "frontier", "log", "lines", "complete")
"""What of a state may differ between a list and its shards."""


def _shard_of(path: str) -> Shard | None:
    """Return which shard a file is by its name; None for no shard."""
    number, _, count = path.rpartition(".")[2].partition("-of-")
    return Shard(int(number), int(count)) if number.isdecimal() and count.isdecimal() else None


def _boxes_of(shard: Shard, state: dict[str, Any]) -> list[tuple[Any, float]]:
    """Return the boxes of a part of what a list has left, with their shares: one of each size."""
    ordered = sorted(zip(state["frontier"], state["log"][1], strict=True), key=itemgetter(1), reverse=True)
    return ordered[shard.number - 1 :: shard.of]
