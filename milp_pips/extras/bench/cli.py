"""The commands ``compare``, ``merge`` and ``report``."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
import time
from typing import TYPE_CHECKING

from milp_pips.cli import FOUND, INTERRUPTED, complain, verb
from milp_pips.cli.loops import require_scheduler
from milp_pips.cli.output import ProgressLine, print_json
from milp_pips.extras.bench.compare_parameters import COMPARE_PARAMETERS, campaign_of
from milp_pips.problem.parameters import Parameter
from milp_pips.runtime.writing import try_place

if TYPE_CHECKING:
    from milp_pips.extras.bench.campaign import Campaign
    from milp_pips.extras.bench.cluster import Cluster
    from milp_pips.extras.bench.run import Comparison


@verb(*COMPARE_PARAMETERS)
def compare_verb(arguments: argparse.Namespace) -> int:
    """Make the missing runs and print the standings."""
    from milp_pips.extras.bench.measurement import core_load, load_warning
    from milp_pips.extras.bench.run import compare
    from milp_pips.runtime.cluster import available_cores

    command = shlex.join(["milp-pips", *sys.argv[1:]])
    campaign = campaign_of(arguments, complain)
    if arguments.array:
        from milp_pips.extras.bench.compare_parameters import write_job_array

        script = write_job_array(vars(arguments), arguments.array, arguments.out, campaign.threads)
        print(f"{script}: {_number_of(arguments.array, 'job')}; submit them by bash {shlex.quote(script)}")
        return FOUND
    executor = _cluster(arguments)
    if not executor and campaign.threads > (cores := available_cores()):
        complain(f"warning: runs with {campaign.threads} threads share {cores} core{'s' * (cores != 1)}")
    if not executor and (told := load_warning(core_load(), campaign.threads)):
        complain(f"warning: {told}: times will be longer than on a quiet machine")
    progress = _Progress()
    result = compare(
        campaign,
        arguments.out,
        command=command,
        executor=executor,
        measured_by=arguments.measured_by,
        on_progress=progress.show_runs_made,
    )
    progress.clear()
    _print_faults(result)
    if not result.interrupted:
        _print_standings(campaign, result, arguments)
    elif not arguments.json:
        print(f"{_counts(campaign, result)}\ninterrupted, so without figures: the same command continues")
    return INTERRUPTED if result.interrupted else FOUND


def _print_standings(campaign: Campaign, result: Comparison, arguments: argparse.Namespace) -> None:
    """Print the figures of all configurations, and what they mean."""
    from milp_pips.extras.bench.figures import aligned, disturbance_warning, optimisation_rows, table

    if waited := disturbance_warning(result.runs):
        complain(f"warning: {waited}")
    best = result.virtual_best
    if arguments.json:
        for row in result.standings:
            print_json(row.to_json())
        if best:
            print_json({"virtual_best": best.to_json()})
        for aimed in result.optimisations:
            print_json({"optimisation": aimed.to_json()})
    else:
        if result.standings and not arguments.quiet:
            print(table([*result.standings, *([best] if best else [])], campaign.time_limit))
            for words in aligned(optimisation_rows(result.optimisations)):
                print("  ".join(words))
        print(_summary(campaign, result))


def _cluster(arguments: argparse.Namespace) -> Cluster | None:
    """Return the cluster for the runs, None for local runs. Raises UsageError."""
    require_scheduler(arguments.scheduler, workers=arguments.workers)
    if not arguments.scheduler:
        return None
    from milp_pips.extras.bench.cluster import Cluster

    return Cluster(arguments.scheduler, arguments.workers, complain, arguments.trust)


def _print_faults(result: Comparison) -> None:
    """Print wrong answers, crashes and mixed versions to standard error, each kind once."""
    for run in result.wrong:
        complain(f"WRONG: {run.configuration}: {run.message}")
    crashes = dict.fromkeys(
        f"{run.configuration} failed: {run.message}" for run in result.runs if run.status == "error"
    )
    for crash in crashes:
        complain(crash)
    for configuration in dict.fromkeys(run.configuration for run in result.runs):
        versions = {run.version for run in result.runs if run.configuration == configuration and run.version}
        if len(versions) > 1:
            complain(f"warning: runs of {configuration} by several versions: {', '.join(sorted(versions))}")

    measured = sorted({run.measured_by for run in result.runs})
    if len(measured) > 1:
        complain(
            f"warning: measured by {' and by '.join(measured)}: memory and processor time do not compare"
        )


def _counts(campaign: Campaign, result: Comparison) -> str:
    """Return the numbers of runs made and planned, the factors of the campaign, and its limit."""
    factors = (
        _number_of(len(campaign.instances), "puzzle"),
        _number_of(len(campaign.configurations), "configuration"),
        _number_of(len(campaign.seeds), "seed"),
        _number_of(campaign.repeats, "repeat"),
    )
    measured = " and ".join(sorted({run.measured_by for run in result.runs}))
    return (
        f"{len(result.runs)} of {_number_of(result.planned, 'run')}: {' × '.join(factors)}; "
        f"task {campaign.task}, limit {campaign.time_limit:g} s" + (measured and f", measured by {measured}")
    )


def _summary(campaign: Campaign, result: Comparison) -> str:
    """Return the text that describes the table."""
    compared = sum(row.runs or 0 for row in result.standings)
    left_out = len(result.runs) - compared
    unconfirmed = sum(run.complete and run.confirmed_by is None for run in result.runs)
    lines = [
        _counts(campaign, result),
        "a puzzle is solved if every run on it completed the task; best: in the least time; rank: the "
        "average over puzzles, 1 the quickest; unsolved ones count as the limit, in PAR-2 and PAR-10 as 2 "
        "and 10 times it; mean: shifted geometric, by 1 s; low, high: its 95 % interval; processor: the "
        "median of the processor time in the same clock; load: of the system's load average as runs began",
    ]
    if left_out:
        runs = _number_of(left_out, "run")
        lines.append(f"left out: {runs} on puzzles that not every configuration has run yet")
    if unconfirmed:
        lines.append(
            f"unsolved: {_number_of(unconfirmed, 'run')} with a “no further solution” that nothing confirms"
        )
    return "\n".join(lines)


def _number_of(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


class _Progress(ProgressLine):
    """Print how many runs are made, and how long the rest will take."""

    counts_seconds = False

    def __init__(self) -> None:
        super().__init__()
        self._begun = time.monotonic()

    def show_runs_made(self, made: int, left: int) -> None:
        clock = ""
        if made:
            minutes, seconds = divmod(round((time.monotonic() - self._begun) / made * left), 60)
            clock = f", {minutes // 60}:{minutes % 60:02}:{seconds:02} left"
        self.show(f"{made} of {made + left} runs{clock}")


# ``merge`` and ``report``: combine results of comparisons, and show them.


@verb(
    Parameter("RESULTS...", "results files of compare, or shards of a list"),
    Parameter(
        "--out ALL",
        "results file that takes their runs, or file of the list; what is in it stays as it is",
        default=...,
    ),
)
def merge_verb(arguments: argparse.Namespace) -> int:
    """Merge the files, and print the counts."""
    if os.path.exists(f"{arguments.out}.state"):
        from milp_pips.tasks.shards import merge_shards

        left = merge_shards(arguments.results, arguments.out)
        print(f"{arguments.out}: {_number_of(len(arguments.results), 'shard')} merged, {left} boxes are left")
        return FOUND
    from milp_pips.extras.bench.store import merge

    found = merge(arguments.results, arguments.out)
    print(f"{arguments.out}: {found.runs} runs of {found.puzzles} puzzles, {found.new} of them new")
    if found.known:
        print(f"{found.known} runs that were already there are unchanged")
    return FOUND


# ``report RESULTS --out DIR``: tables and plots of a comparison.


@verb(
    Parameter("RESULTS", "results file of compare"),
    Parameter("--out DIR", "where to write the page, the plots and the table of runs", default=...),
)
def report_verb(arguments: argparse.Namespace) -> int:
    """Write the report and print its summary."""
    from milp_pips.extras.bench.report import report

    try_place(arguments.out)
    found = report(arguments.results)
    found.write(arguments.out)
    print(found.summary)
    print(f"\nThe report: {os.path.join(arguments.out, 'report.html')}")
    return FOUND
