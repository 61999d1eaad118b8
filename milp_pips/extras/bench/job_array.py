"""Write a script that makes the runs of a campaign as a job array of Slurm, and then merges their results.

Each job runs ``compare --shard I/N`` into a results file of its own, so jobs share nothing. A job that was
killed continues when the script is submitted again.
"""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Iterator, Mapping
from typing import Any

from milp_pips.extras.bench.compare_parameters import COMPARE_PARAMETERS
from milp_pips.problem.errors import UsageError
from milp_pips.problem.parameters import NAMES
from milp_pips.runtime.writing import write_file

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
