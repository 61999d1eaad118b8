"""Whether runs disturbed one another: what their processor time beside the wall clock says of that."""

from __future__ import annotations

import statistics
from collections.abc import Iterable

from milp_pips.extras.bench.records import RunRecord

TOLD, REFUSED = 1.05, 1.3
"""How many times as long a reference puzzle takes with all cores at work before that is told, and before no
runs are made: 1.06 is usual where two cores share a cache, and above 1.3 times say little of the engines."""

MIN_RUN_SECONDS = 0.1
"""Seconds below which a run is not looked at: it may wait a few milliseconds for a program that it starts."""

BUSY = 0.9
"""The share of its time for which an undisturbed run has the processor, at least: so had all 90 runs of a
second and more in ``benchmarks/results/2026-11-22``, the start of the process included."""

TOLERATED_SHARE = 0.05
"""The share of runs that may have less without a warning, and one in any case: systems do other work, too."""


def disturbed(runs: Iterable[RunRecord]) -> str:
    """Return a sentence on runs that had the processor for less time than they took, empty for none or few.

    Only solved runs with one thread are looked at: threads wait for one another, and a program that was
    stopped has not told its processor time.
    """
    shares = [
        run.clock_processor_seconds / run.seconds
        for run in runs
        if run.success and run.threads == 1 and run.clock_processor_seconds is not None
        if run.seconds is not None and run.seconds >= MIN_RUN_SECONDS
    ]
    waited = [share for share in shares if share < BUSY]
    if len(waited) <= max(1, TOLERATED_SHARE * len(shares)):
        return ""
    return (
        f"{len(waited)} of {len(shares)} runs of {MIN_RUN_SECONDS:g} s and more had the processor for less "
        f"than {BUSY:.0%} of their time (median {statistics.median(waited):.0%}): runs disturbed one "
        "another, or something else ran, so their times do not compare"
    )
