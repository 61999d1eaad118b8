"""What has changed between two results files: the same configurations on the same puzzles, then and now."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from milp_pips.extras.bench.figures import Benchmark
from milp_pips.extras.bench.inference import holm, sign_test
from milp_pips.extras.bench.report.phrasing import TimeRatio, full_name, time_ratio


class Change(NamedTuple):
    """What has become of a configuration on the puzzles that both files have.

    ``before`` and ``now`` name the versions of its engine. ``ratio`` is of the times now to those before, and
    ``p`` that of the sign test, corrected for the number of configurations. ``gained`` and ``lost`` name the
    puzzles that are solved now, or were.
    """

    configuration: str
    before: str
    now: str
    puzzles: int
    ratio: TimeRatio
    p: float
    gained: tuple[str, ...]
    lost: tuple[str, ...]


def changes(before: Sequence[Benchmark], now: Benchmark) -> list[Change]:
    """Return the changes of configurations that both have run on the same puzzles, task and limits.

    Puzzles are the same if they state the same problem, configurations if their threads and rules are the
    same, too.
    """
    limits = now.task, now.time_limit, now.memory_limit
    old = next((one for one in before if (one.task, one.time_limit, one.memory_limit) == limits), None)
    if old is None:
        return []
    rows = {instance.hash: row for row, instance in enumerate(old.instances)}
    found = []
    known = {_settings(old, column): column for column in range(len(old.configurations))}
    for column, name in enumerate(now.configurations):
        other = known.get(_settings(now, column))
        if other is None:
            continue
        pairs = [
            (rows[instance.hash], row)
            for row, instance in enumerate(now.instances)
            if instance.hash in rows and old.runs[rows[instance.hash]][other] and now.runs[row][column]
        ]
        if not pairs:
            continue
        then = np.array([old.times[row, other] for row, _ in pairs])
        today = np.array([now.times[row, column] for _, row in pairs])
        was, is_now = np.isfinite(then), np.isfinite(today)
        names = [full_name(now, row) for _, row in pairs]
        ratio = time_ratio(today, then)
        found.append(
            Change(
                name,
                _versions(old, other),
                _versions(now, column),
                len(pairs),
                ratio,
                sign_test(ratio.quicker, ratio.slower),
                tuple(name for name, gained in zip(names, is_now & ~was, strict=True) if gained),
                tuple(name for name, lost in zip(names, was & ~is_now, strict=True) if lost),
            )
        )
    corrected = holm([one.p for one in found])
    return [one._replace(p=p) for one, p in zip(found, corrected, strict=True)]


def _settings(benchmark: Benchmark, column: int) -> tuple[str, int, str]:
    """Return what makes a configuration the same, whatever it is called beside others."""
    run = benchmark.column(column)[0]
    return str(run.configuration), run.threads, run.rules


def _versions(benchmark: Benchmark, column: int) -> str:
    return ", ".join(sorted({run.version for run in benchmark.column(column)} - {""})) or "–"
