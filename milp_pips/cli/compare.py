"""``compare PATH…``: a fair comparison, kept in one file."""

from __future__ import annotations

import argparse
import json
import shlex
import sys
import time
from typing import TYPE_CHECKING

from milp_pips.cli import FOUND, INTERRUPTED, complain
from milp_pips.cli.arguments import add_json, add_level, not_negative, positive, rule_names, size, time_limit
from milp_pips.errors import UsageError

if TYPE_CHECKING:
    from milp_pips.compare.campaign import Campaign
    from milp_pips.compare.run import Comparison


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this verb; a campaign file has the same, by the same names."""
    parser.add_argument(
        "paths",
        nargs="+",
        metavar="PATH",
        help="puzzle files, directories of them, or one campaign file (.toml)",
    )
    add_level(parser)
    parser.add_argument(
        "--run",
        dest="runs",
        action="append",
        default=[],
        metavar="SOLVER[/FORMULATION][,NAME=VALUE]",
        help="a configuration to compare, such as highs/projected or highs,presolve=off; again for each",
    )
    parser.add_argument(
        "--solver", action="append", default=[], help="in place of --run: each solver, with …"
    )
    parser.add_argument(
        "--formulation", action="append", default=[], help="… each of these formulations that it knows"
    )
    parser.add_argument(
        "--task",
        default="first",
        metavar="TASK",
        help="first: one solution (default); prove: and whether it is the only one; all: every solution",
    )
    parser.add_argument(
        "--seed", type=not_negative, action="append", default=[], help="seed of the engines; again for more"
    )
    parser.add_argument("--repeats", type=positive, default=1, help="how often each run is made (default: 1)")
    parser.add_argument("--threads", type=positive, default=1, help="threads of each engine (default: 1)")
    parser.add_argument(
        "--time-limit",
        type=time_limit,
        default=60.0,
        metavar="SECONDS",
        help="to state and solve one puzzle (default: 60)",
    )
    parser.add_argument("--memory-limit", type=size, default=0, metavar="SIZE", help="such as 500M or 2G")
    parser.add_argument(
        "--presolve-rules",
        action="extend",
        type=rule_names,
        metavar="RULES",
        help="reduce the domains first, by rules such as equality,pruning, or none (default: filtering, "
        "unless the formulation states a published model)",
    )
    parser.add_argument(
        "--order-seed", type=not_negative, default=0, metavar="SEED", help="seed of the order of runs"
    )
    parser.add_argument("--jobs", type=positive, help="runs at a time (default: 1, the fair way)")
    parser.add_argument(
        "--out",
        metavar="FILE",
        default="",
        help="results file (SQLite); the same command goes on where it stopped",
    )
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Make the runs that are left and print the standings."""
    from milp_pips.compare.figures import table
    from milp_pips.compare.run import compare
    from milp_pips.watch import Watch

    command = shlex.join(["milp-pips", *sys.argv[1:]])
    arguments = _with_campaign_file(arguments)
    jobs = arguments.jobs or 1
    if not arguments.out:
        raise UsageError("no results file: name one, such as --out results.sqlite")
    campaign = _campaign(arguments)
    if jobs > 1:
        complain(f"warning: {jobs} runs at a time contend for the machine: their times are not comparable")
    with Watch() as watch:
        progress = _Progress()
        result = compare(campaign, arguments.out, jobs=jobs, command=command, watch=watch, tell=progress.tell)
        progress.clear()
    _tell_faults(result)
    if arguments.json:
        for row in result.standings:
            print(json.dumps(row.to_json(), ensure_ascii=False))
    else:
        if result.standings:
            print(table(result.standings, campaign.time_limit))
        print(_summary(campaign, result))
    return INTERRUPTED if watch.interrupted else FOUND


def _with_campaign_file(arguments: argparse.Namespace) -> argparse.Namespace:
    """Return the arguments, from the campaign file if there is one. Raises InputError and UsageError."""
    files = [path for path in arguments.paths if path.endswith(".toml")]
    if not files:
        return arguments
    from milp_pips.cli.campaign_file import arguments_of

    given = vars(arguments)
    plain = argparse.ArgumentParser()
    add_arguments(plain)
    for name, value in vars(plain.parse_args(files)).items():
        if given[name] != value and name not in ("out", "jobs", "json"):
            option = {"runs": "run"}.get(name, name).replace("_", "-")
            what = "further paths" if name == "paths" else f"--{option}"
            raise UsageError(f"{files[0]} says what is compared: {what} cannot be given with it")
    found = arguments_of(files[0], add_arguments)
    found.out = arguments.out or found.out
    found.jobs = arguments.jobs or found.jobs
    found.json = arguments.json
    return found


def _campaign(arguments: argparse.Namespace) -> Campaign:
    """Return the campaign that is asked for. Raises InputError and UsageError."""
    from milp_pips.answer import Settings
    from milp_pips.compare.campaign import Campaign, configurations
    from milp_pips.compare.instances import instances

    runs = configurations(arguments.runs, arguments.solver, arguments.formulation)
    rules = arguments.presolve_rules
    return Campaign(
        instances(arguments.paths, arguments.level, complain),
        runs,
        arguments.task,
        tuple(dict.fromkeys(arguments.seed)) or (0,),
        arguments.repeats,
        Settings(
            threads=arguments.threads,
            seconds=arguments.time_limit,
            memory=arguments.memory_limit or None,
            rules=None if rules is None else tuple(rules),
        ),
        arguments.order_seed,
    )


def _tell_faults(result: Comparison) -> None:
    """Tell wrong answers, crashes and mixed versions on standard error, each kind of them once."""
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


def _summary(campaign: Campaign, result: Comparison) -> str:
    """Return what the table is of."""
    compared = sum(row.runs for row in result.standings)
    left_out = len(result.runs) - compared
    unconfirmed = sum(run.complete and run.confirmed_by is None for run in result.runs)
    factors = (
        _counted(len(campaign.instances), "puzzle"),
        _counted(len(campaign.configurations), "configuration"),
        _counted(len(campaign.seeds), "seed"),
        _counted(campaign.repeats, "repeat"),
    )
    lines = [
        f"{len(result.runs)} of {_counted(result.planned, 'run')}: {' × '.join(factors)}; "
        f"task {campaign.task}, limit {campaign.time_limit:g} s",
        "a puzzle is solved if every run on it did what was asked; unsolved ones count as the limit, in "
        "PAR-10 ten times; mean: shifted geometric, by 1 s",
    ]
    if left_out:
        runs = _counted(left_out, "run")
        lines.append(f"left out: {runs} on puzzles that not every configuration has run yet")
    if unconfirmed:
        lines.append(
            f"unsolved: {_counted(unconfirmed, 'run')} with a “no further solution” that nothing confirms"
        )
    return "\n".join(lines)


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


class _Progress:
    """Tells on a terminal how many runs are made, and how long the rest will take."""

    def __init__(self) -> None:
        self._begun = time.monotonic()
        self._shown = sys.stderr.isatty()

    def tell(self, made: int, left: int) -> None:
        if self._shown:
            rest = (time.monotonic() - self._begun) / made * left if made else None
            clock = "" if rest is None else f", {_clock(rest)} left"
            print(f"\r{made} of {made + left} runs{clock} ", end="\033[K", file=sys.stderr, flush=True)

    def clear(self) -> None:
        if self._shown:
            print("\r\033[K", end="", file=sys.stderr, flush=True)


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}"
