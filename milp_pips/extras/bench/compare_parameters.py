"""The parameters of ``compare``, and the campaign that they state."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from milp_pips.cli.output import JSON
from milp_pips.problem.parameters import (
    LEVEL,
    TEXT,
    Parameter,
    cluster,
    flag,
    settings,
    text_form,
    whole,
)

if TYPE_CHECKING:
    from milp_pips.extras.bench.campaign import Campaign


def _shard(text: str) -> tuple[int, int]:
    """Return the number and the count in ``I/N``."""
    found = re.fullmatch(r"([0-9]{1,9})/([0-9]{1,9})", text)
    if not found or not 1 <= int(found[1]) <= int(found[2]):
        raise ValueError
    return int(found[1]), int(found[2])


MOST_JOBS = 10_000
"""The most jobs of an array: Slurm's usual bound is 1,001, large sites allow more."""

COMPARE_PARAMETERS = (
    Parameter(
        "PATH...",
        "puzzle files, directories of them, or - for standard input",
        TEXT,
        ...,
        "paths",
        many=True,
    ),
    LEVEL,
    Parameter(
        "--run SOLVER[/FORMULATION][,NAME=VALUE]",
        "a configuration to compare, such as highs/projected, highs,presolve=off or cp-sat,threads=2; again "
        "for each",
        default=(),
        many=True,
    ),
    Parameter(
        "--task TASK",
        "first: one solution (default); prove: and whether it is the only one; all: every solution; an "
        "objective such as 'maximise random(1)': the best solution",
        default="first",
    ),
    Parameter("--seed SEED", "seed of the engines; again for more", whole(), (), many=True),
    Parameter("--repeats REPEATS", "how often each run is made (default: 1)", whole(1), 1),
    *settings(
        *("threads", "seconds", "memory", "rules"),
        threads="threads of runs that do not set them (default: 1)",
        seconds="to state and solve one puzzle (default: 60)",
    ),
    Parameter(
        "--measured-by WHO",
        "what measures memory and processor time: benchexec, by control groups (default if possible), or "
        "psutil",
    ),
    Parameter("--order-seed SEED", "seed of the order of runs", whole(), 0),
    *cluster("runs"),
    Parameter(
        "--shard I/N",
        "run the I-th of N parts only, each with whole puzzles, as one job of an array; see merge",
        text_form("a part; expected I/N, such as 1/8, with I from 1 to N", _shard),
    ),
    Parameter(
        "--array JOBS",
        "make no run: write a script beside the results file that makes the runs as a job array of Slurm, "
        "then merges them",
        whole(1, MOST_JOBS),
    ),
    Parameter(
        "--out FILE", "results file (SQLite); the same command continues where it stopped", default=...
    ),
    JSON,
    flag("--quiet", "print the summary alone"),
)
"""The parameters of ``compare``."""


def campaign_of(stated: argparse.Namespace, report: Callable[[str], object]) -> Campaign:
    """Return the campaign that a command states, with its puzzles read. Raises InputError and UsageError."""
    from milp_pips.extras.bench.campaign import Campaign, configurations, instances
    from milp_pips.problem.answer import Settings

    runs = configurations(stated.run)
    rules = None if stated.rules is None else tuple(stated.rules)
    limits = Settings(threads=stated.threads, seconds=stated.seconds, memory=stated.memory, rules=rules)
    seeds = tuple(dict.fromkeys(stated.seed)) or (0,)
    puzzles = instances(stated.paths, stated.level, report)
    whole = Campaign(puzzles, runs, stated.task, seeds, stated.repeats, limits, stated.order_seed)
    return whole.shard(*stated.shard) if stated.shard else whole
