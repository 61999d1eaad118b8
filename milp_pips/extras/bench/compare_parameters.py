"""The parameters of ``compare``, the campaign that they state, and the job array of Slurm that makes it."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from milp_pips.cli.output import JSON
from milp_pips.problem.errors import UsageError
from milp_pips.problem.parameters import (
    LEVEL,
    NAMES,
    SHARD,
    TEXT,
    Parameter,
    cluster,
    flag,
    settings,
    whole,
)
from milp_pips.runtime.writing import write_file

if TYPE_CHECKING:
    from milp_pips.extras.bench.campaign import Campaign


MOST_JOBS = 10_000
"""The most jobs of an array: Slurm's usual bound is 1,001, large sites allow more."""

COMPARE_PARAMETERS = (
    Parameter(
        "PATH...",
        "files of puzzles or linear models, directories of them, or - for standard input",
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
        SHARD,
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


# Write a script that makes the runs of a campaign as a job array of Slurm, and then merges their results.

SET_BY_SCRIPT = ("array", "shard", "out", "quiet", "json")
"""The parameters of ``compare`` that the script sets itself."""

SCRIPT = """\
#!/usr/bin/env bash
# {jobs} jobs make the runs, each on some of the puzzles; another one merges their results.
# The arguments of this script go to sbatch, such as --partition=short --time=04:00:00.
# Run it again to make the runs that are missing.
set -euo pipefail
cd {folder}
runs=$(sbatch --parsable --job-name={name} --array=1-{jobs} --cpus-per-task={threads} "$@" --wrap {compare})
merge=$(sbatch --parsable --job-name={name}-merge --dependency="afterany:${{runs%%;*}}" "$@" --wrap {merge})
echo "${{runs%%;*}} makes the runs, ${{merge%%;*}} merges them into" {out}
"""


def write_job_array(stated: Mapping[str, Any], jobs: int, out: str, threads: int) -> str:
    """Write the script beside the results file, and return its path.

    Parameters
    ----------
    stated
        The values of ``COMPARE_PARAMETERS``.
    jobs
        The number of parts, a job each.
    out
        The results file that takes all runs.
    threads
        The cores of a job: as many as a run has threads.

    Raises
    ------
    UsageError
        If the campaign reads standard input, or is already a part or spread over workers.
    OutputError
        If the script cannot be written.
    """
    for name in ("shard", "scheduler"):
        if stated.get(name):
            raise UsageError(f"--array makes the parts itself: leave --{name} out")
    if "-" in stated["paths"]:
        raise UsageError("--array: jobs cannot read standard input; name files")
    base, _ = os.path.splitext(os.path.basename(out))
    stem = os.path.join(os.path.dirname(os.path.abspath(out)), base)
    program = shlex.join([sys.executable, "-P", "-m", "milp_pips"])
    quoted = shlex.quote(stem)
    compare = shlex.join(["compare", *words_of(stated)])
    part = f'--shard "$SLURM_ARRAY_TASK_ID/{jobs}" --out {quoted}."$SLURM_ARRAY_TASK_ID".sqlite --quiet'
    parts = " ".join(f"{quoted}.{number}.sqlite" for number in range(1, jobs + 1))
    file = f"{stem}.slurm.sh"
    script = SCRIPT.format(
        jobs=jobs,
        name=shlex.quote(base),
        folder=shlex.quote(os.getcwd()),
        threads=threads,
        compare=shlex.quote(f"exec {program} {compare} {part}"),
        merge=shlex.quote(f"exec {program} merge {parts} --out {shlex.quote(os.path.abspath(out))}"),
        out=shlex.quote(out),
    )
    write_file(file, script)
    return file


def words_of(stated: Mapping[str, Any]) -> Iterator[str]:
    """Yield the words of the command line that state these values again."""
    for parameter in COMPARE_PARAMETERS:
        value = stated.get(parameter.keyword)
        if parameter.keyword in SET_BY_SCRIPT or value is None or value == parameter.default:
            continue
        if parameter.kind is NAMES:
            value = [",".join(value) or "none"]
        for one in value if parameter.many else [value]:
            if not parameter.flags:
                yield str(one)
            else:
                yield parameter.flags[-1] if one is True else f"{parameter.flags[-1]}={one}"
