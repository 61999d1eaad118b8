"""The command ``compare PATH…``: a fair comparison, with all results in one file.

A small TOML file can state the comparison, with the same words as the command line::

    paths = ["easy/", "hard/2024-09-15.txt"]    # relative to this file
    run = ["highs/projected", "highs/projected,presolve=off", "cp-sat"]
    time-limit = 20
    memory-limit = "2G"
    seed = [0, 1, 2]
    repeats = 3
    out = "results.sqlite"
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import sys
import time
from typing import TYPE_CHECKING

from milp_pips.cli import FOUND, INTERRUPTED, complain
from milp_pips.cli.arguments import (
    ProgressLine,
    add_json,
    add_level,
    add_settings,
    not_negative,
    positive,
    print_json,
    settings_of,
)
from milp_pips.cli.spread import add_cluster, require_scheduler
from milp_pips.problem.errors import InputError, UsageError

if TYPE_CHECKING:
    from milp_pips.extras.bench.campaign import Campaign
    from milp_pips.extras.bench.cluster import Cluster
    from milp_pips.extras.bench.run import Comparison


ALLOWED_BESIDE_CAMPAIGN_FILE = (
    *("out", "jobs", "scheduler", "workers", "uneven"),
    *("measured_by", "shard", "json", "quiet", "trust"),
)
"""Arguments allowed beside a campaign file: they state how and where to run, not what to compare."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``compare``; a campaign file uses the same names."""
    parser.add_argument(
        "paths",
        nargs="+",
        metavar="PATH",
        help="puzzle files, directories of them, - for standard input, or one campaign file (.toml)",
    )
    add_level(parser)
    parser.add_argument(
        "--run",
        action="append",
        default=[],
        metavar="SOLVER[/FORMULATION][,NAME=VALUE]",
        help="a configuration to compare, such as highs/projected, highs,presolve=off or cp-sat,threads=2; "
        "again for each",
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
    seconds = "to state and solve one puzzle (default: 60)"
    threads = "threads of runs that do not set them (default: 1)"
    limits = "time_limit", "memory_limit", "presolve_rules"
    add_settings(parser, "threads", *limits, threads=threads, time_limit=seconds)
    parser.add_argument(
        "--measured-by",
        metavar="WHO",
        help="what measures memory and processor time: benchexec, by control groups (default if possible), "
        "or milp_pips",
    )
    parser.add_argument(
        "--order-seed", type=not_negative, default=0, metavar="SEED", help="seed of the order of runs"
    )
    parser.add_argument("--jobs", type=positive, help="runs at a time (default: 1, the fair way)")
    trust = (
        "let a campaign file set options that name files or programs, write anywhere and name a scheduler; "
    )
    add_cluster(parser, "runs", trust)
    parser.add_argument(
        "--uneven",
        action="store_true",
        help="continue if machines differ in speed by over 5 %%, or the cores of one by 30 %%",
    )
    parser.add_argument(
        "--shard",
        type=_shard,
        metavar="I/N",
        help="run the I-th of N parts only, each with whole puzzles, as one job of an array; see merge",
    )
    parser.add_argument(
        "--out",
        metavar="FILE",
        default="",
        help="results file (SQLite); the same command continues where it stopped",
    )
    add_json(parser)
    parser.add_argument("--quiet", action="store_true", help="print the summary alone")


def run(arguments: argparse.Namespace) -> int:
    """Make the missing runs and print the standings."""
    from milp_pips.extras.bench.figures import table
    from milp_pips.extras.bench.measurement import disturbance_warning
    from milp_pips.extras.bench.run import compare
    from milp_pips.problem.stopping import Deadline
    from milp_pips.runtime.cluster import available_cores

    command = shlex.join(["milp-pips", *sys.argv[1:]])
    file = next((path for path in arguments.paths if path.endswith(".toml")), "")
    arguments = _with_campaign_file(arguments)
    jobs = arguments.jobs or 1
    if not arguments.out:
        raise UsageError("no results file: name one, such as --out results.sqlite")
    try:
        campaign = _campaign(arguments)
    except UsageError as error:
        raise UsageError(f"{file}: {error}" if file else str(error)) from None
    executor = _cluster(arguments)
    if jobs > 1:
        complain(f"warning: {jobs} runs at a time contend for the machine: their times are not comparable")
    if not executor and campaign.threads > (cores := available_cores()):
        complain(f"warning: runs with {campaign.threads} threads share {cores} core{'s' * (cores != 1)}")
    with Deadline() as deadline:
        progress = _Progress()
        result = compare(
            campaign,
            arguments.out,
            jobs=jobs,
            command=command,
            executor=executor,
            measured_by=arguments.measured_by,
            deadline=deadline,
            on_progress=progress.show_runs_made,
        )
        progress.clear()
    _print_faults(result)
    if waited := disturbance_warning(result.runs):
        complain(f"warning: {waited}")
    best = result.virtual_best
    if arguments.json:
        for row in result.standings:
            print_json(row.to_json())
        if best:
            print_json({"virtual_best": best.to_json()})
    else:
        if result.standings and not arguments.quiet:
            print(table([*result.standings, *([best] if best else [])], campaign.time_limit))
        print(_summary(campaign, result))
    return INTERRUPTED if deadline.interrupted else FOUND


def _with_campaign_file(arguments: argparse.Namespace) -> argparse.Namespace:
    """Return the arguments, from the campaign file if there is one. Raises InputError and UsageError."""
    files = [path for path in arguments.paths if path.endswith(".toml")]
    if not files:
        return arguments
    given = vars(arguments)
    for name, value in vars(_parser().parse_args(files)).items():
        if given[name] != value and name not in ALLOWED_BESIDE_CAMPAIGN_FILE:
            what = "further paths" if name == "paths" else f"--{name.replace('_', '-')}"
            raise UsageError(f"{files[0]} already states what to compare: {what} cannot be added")
    found = arguments_of(files[0])
    if not arguments.trust:
        _refuse_files_and_programs(files[0], found)
    found.out = arguments.out or found.out
    found.jobs = arguments.jobs or found.jobs
    found.shard = arguments.shard or found.shard
    found.scheduler = arguments.scheduler or found.scheduler
    found.workers = arguments.workers or found.workers
    found.uneven, found.trust = arguments.uneven, arguments.trust
    found.measured_by = arguments.measured_by or found.measured_by
    found.json, found.quiet = arguments.json, arguments.quiet
    return found


PLAIN_VALUE = re.compile(
    r"[-+]?[0-9.]+(e[-+]?[0-9]+)?|on|off|true|false|yes|no|choose|auto|simplex|ipm|pdlp", re.IGNORECASE
)
"""Options whose values can only be numbers or choices."""

NAMES_OF_FILES_OR_PROGRAMS = re.compile(
    r"file|path|dir|log|export|import|read|write|save|output|print|cmd|command|program|exec|plugin|script|config"
    r"|param|data|model|solution|^.?$",
    re.IGNORECASE,
)
"""Names of options that may denote a file or a program, or that are too short to decide."""


def _refuse_files_and_programs(file: str, found: argparse.Namespace) -> None:
    """Raise InputError if a campaign file, which may come from a stranger, reaches for files or programs.

    It may name installed solvers, set their options to numbers and switches, and name a results file in its
    own directory.
    """
    from milp_pips.engines import registry
    from milp_pips.extras.bench.campaign import configurations
    from milp_pips.extras.bench.records import Configuration

    try:
        for name in found.solver:
            registry.require_installed(name)
        for run in map(Configuration.parse, found.run):
            registry.require_installed(run.solver, run.formulation)
    except UsageError as error:
        raise InputError(str(error), file, expected="what is installed and listed, or --trust") from None
    for one in configurations(found.run, found.solver, found.formulation):
        for name, value in one.options:
            if NAMES_OF_FILES_OR_PROGRAMS.search(name) or not PLAIN_VALUE.fullmatch(value):
                what = f"{one.solver}: {name}={value} may name a file or a program"
                raise InputError(what, file, expected="numbers and switches, or --trust")
    if found.scheduler not in (None, "local"):
        what = f"{found.scheduler} is a scheduler, which can run programs on this machine"
        raise InputError(what, file, expected="local, or --trust")
    if found.out:
        inside = os.path.realpath(os.path.dirname(file) or ".")
        if os.path.dirname(os.path.realpath(found.out)) != inside:
            raise InputError(
                f"{found.out} lies elsewhere", file, expected="a results file beside it, or --trust"
            )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(exit_on_error=False)
    add_arguments(parser)
    return parser


def arguments_of(file: str) -> argparse.Namespace:
    """Return the arguments that a campaign file states. Raises InputError.

    Paths in it, including the results file, are relative to its directory.
    """
    try:
        return _parser().parse_args(command_words(file))
    except argparse.ArgumentError as error:
        raise InputError(str(error).removeprefix("argument --"), file) from None


def command_words(file: str) -> list[str]:
    """Return the command-line words that a campaign file states. Raises InputError."""
    import tomllib

    from milp_pips.puzzles.reading import text_of

    try:
        content = tomllib.loads(text_of(file))
    except tomllib.TOMLDecodeError as error:
        place = re.search(r"at line (\d+)", str(error))
        what = re.sub(r" \(at .*\)$", "", str(error))
        raise InputError(what, file, int(place[1]) if place else None, "TOML") from None
    except (RecursionError, ValueError):  # endless brackets or digits
        raise InputError("nested too deeply, or a number is too long", file, expected="TOML") from None
    names = [name.replace("_", "-") for name in vars(_parser().parse_args([file]))]
    known = [name for name in names if name not in ("json", "quiet", "trust", "uneven")]
    words: list[str] = []
    paths: list[str] = []
    for name, value in content.items():
        if name not in known:
            raise InputError(f"unknown name {name!r}", file, expected=", ".join(known))
        values = value if isinstance(value, list) else [value]
        if not all(isinstance(one, str | int | float) and not isinstance(one, bool) for one in values):
            raise InputError(f"{name} is neither a text nor a number, nor a list of these", file)
        if name in ("paths", "out"):
            values = [os.path.join(os.path.dirname(file), str(one)) for one in values]
        if name == "paths":
            paths = values
        else:
            words += [f"--{name}={one}" for one in values]
    if not paths:
        raise InputError("names no puzzles", file, expected='paths = ["FILE or directory", …]')
    return [*words, "--", *paths]


def _campaign(arguments: argparse.Namespace) -> Campaign:
    """Return the requested campaign. Raises InputError and UsageError."""
    from milp_pips.extras.bench.campaign import Campaign, configurations, instances

    runs = configurations(arguments.run, arguments.solver, arguments.formulation)
    whole = Campaign(
        instances(arguments.paths, arguments.level, complain),
        runs,
        arguments.task,
        tuple(dict.fromkeys(arguments.seed)) or (0,),
        arguments.repeats,
        settings_of(arguments, formulation="", seed=0),  # these differ from run to run
        arguments.order_seed,
    )
    return whole.shard(*arguments.shard) if arguments.shard else whole


def _cluster(arguments: argparse.Namespace) -> Cluster | None:
    """Return the cluster for the runs, None for local runs. Raises UsageError."""
    require_scheduler(arguments, "workers", "uneven")
    if not arguments.scheduler:
        return None
    if arguments.jobs:
        raise UsageError("--jobs applies to this machine; on a cluster use --workers")
    from milp_pips.extras.bench.cluster import Cluster

    scheduler, workers, trust = arguments.scheduler, arguments.workers, arguments.trust
    return Cluster(scheduler, workers, arguments.uneven, complain, trust)


def _shard(text: str) -> tuple[int, int]:
    """Return the number and the count in ``I/N``."""
    found = re.fullmatch(r"([0-9]{1,9})/([0-9]{1,9})", text)
    if not found or not 1 <= int(found[1]) <= int(found[2]):
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a part; expected I/N, such as 1/8, with I from 1 to N"
        )
    return int(found[1]), int(found[2])


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


def _summary(campaign: Campaign, result: Comparison) -> str:
    """Return the text that describes the table."""
    compared = sum(row.runs for row in result.standings)
    left_out = len(result.runs) - compared
    unconfirmed = sum(run.complete and run.confirmed_by is None for run in result.runs)
    factors = (
        _number_of(len(campaign.instances), "puzzle"),
        _number_of(len(campaign.configurations), "configuration"),
        _number_of(len(campaign.seeds), "seed"),
        _number_of(campaign.repeats, "repeat"),
    )
    lines = [
        f"{len(result.runs)} of {_number_of(result.planned, 'run')}: {' × '.join(factors)}; "
        f"task {campaign.task}, limit {campaign.time_limit:g} s",
        "a puzzle is solved if every run on it did what was asked, best where in the least time; rank: the "
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

    def __init__(self) -> None:
        super().__init__()
        self._begun = time.monotonic()

    def show_runs_made(self, made: int, left: int) -> None:
        clock = ""
        if made:
            minutes, seconds = divmod(round((time.monotonic() - self._begun) / made * left), 60)
            clock = f", {minutes // 60}:{minutes % 60:02}:{seconds:02} left"
        self.show(f"{made} of {made + left} runs{clock}")
