"""What a comparison states: its parameters, on the command line or in a small TOML file of the same words.

::

    paths = ["easy/", "hard/2024-09-15.txt"]    # relative to this file
    run = ["highs/projected", "highs/projected,presolve=off", "cp-sat"]
    time-limit = 20
    memory-limit = "2G"
    seed = [0, 1, 2]
    repeats = 3
    out = "results.sqlite"
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

from milp_pips.cli.output import JSON
from milp_pips.problem.errors import InputError, UsageError, meant
from milp_pips.problem.parameters import (
    LEVEL,
    TEXT,
    Parameter,
    cluster,
    flag,
    schema_of,
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
        "puzzle files, directories of them, - for standard input, or one campaign file (.toml)",
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
    Parameter("--solver SOLVER", "in place of --run: each solver, with …", default=(), many=True),
    Parameter(
        "--formulation FORMULATION", "… each of these formulations that it knows", default=(), many=True
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
    *cluster(
        "runs",
        "let a campaign file set options that name files or programs, write anywhere and name a scheduler; ",
    ),
    flag("--uneven", "continue if machines differ in speed by over 5 %, or the cores of one by 30 %"),
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
    Parameter("--out FILE", "results file (SQLite); the same command continues where it stopped", default=""),
    JSON,
    flag("--quiet", "print the summary alone"),
)
"""The parameters of ``compare``. A campaign file states those that are fields of ``CampaignFile``."""

ALLOWED_BESIDE_CAMPAIGN_FILE = ("out", "scheduler", "workers", "measured_by", "shard")
"""Parameters allowed beside a campaign file: they state how and where to run, not what to compare."""

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


@dataclass(frozen=True, slots=True)
class CampaignFile:
    """What a campaign file or a command states: ``COMPARE_PARAMETERS`` that do not depend on the caller."""

    paths: tuple[str, ...]
    level: str | None = None
    run: tuple[str, ...] = ()
    solver: tuple[str, ...] = ()
    formulation: tuple[str, ...] = ()
    task: str = "first"
    seed: tuple[int, ...] = ()
    repeats: int = 1
    threads: int = 1
    seconds: float | None = None
    memory: int | None = None
    rules: tuple[str, ...] | None = None
    measured_by: str | None = None
    order_seed: int = 0
    scheduler: str | None = None
    workers: int | None = None
    shard: tuple[int, int] | None = None
    out: str = ""

    @classmethod
    def of(cls, stated: Mapping[str, Any]) -> CampaignFile:
        """Return what the values of parameters state; other names are ignored."""
        known: dict[str, Any] = {}
        for name in cls.__dataclass_fields__.keys() & stated:
            known[name] = tuple(stated[name]) if isinstance(stated[name], list) else stated[name]
        return cls(**known)

    @classmethod
    def from_file(cls, file: str) -> CampaignFile:
        """Return what a file states, with paths relative to its folder. Raises InputError, with the line."""
        from milp_pips.puzzles.reading import text_of

        text = text_of(file)
        known = {parameter.option: parameter for parameter in campaign_parameters()}
        stated: dict[str, Any] = {}
        for name, value in _toml(text, file).items():
            if name not in known:
                what = f"unknown name {name!r}{meant(name, known)}"
                raise InputError(what, file, _line_of(name, text), ", ".join(known))
            try:
                stated[known[name].keyword] = known[name].read(value)
            except (TypeError, ValueError) as error:
                raise InputError(str(error), file, _line_of(name, text)) from None
        folder = os.path.dirname(file)
        stated["paths"] = [os.path.join(folder, path) for path in stated.get("paths", ())]
        if not stated["paths"]:
            raise InputError("names no puzzles", file, expected='paths = ["FILE or directory", …]')
        if stated.get("out"):
            stated["out"] = os.path.join(folder, stated["out"])
        return cls.of(stated)

    def overridden(self, file: str, given: CampaignFile) -> CampaignFile:
        """Return the same with what is given beside the file. Raises UsageError for what may not be."""
        plain = CampaignFile((file,))
        for field in fields(self):
            name = field.name
            if name not in ALLOWED_BESIDE_CAMPAIGN_FILE and getattr(given, name) != getattr(plain, name):
                options = {parameter.keyword: parameter.option for parameter in campaign_parameters()}
                what = "further paths" if name == "paths" else f"--{options[name]}"
                raise UsageError(f"{file} already states what to compare: {what} cannot be added")
        own = {name: getattr(given, name) or getattr(self, name) for name in ALLOWED_BESIDE_CAMPAIGN_FILE}
        return replace(self, **own)

    def require_harmless(self, file: str) -> None:
        """Raise InputError if a file, which may come from a stranger, reaches for files or programs.

        It may name installed solvers, set their options to numbers and switches, and name a results file in
        its own directory.
        """
        from milp_pips.engines import registry
        from milp_pips.extras.bench.campaign import configurations
        from milp_pips.extras.bench.store import Configuration

        def refuse(what: str, expected: str) -> None:
            raise InputError(what, file, expected=f"{expected}, or --trust")

        try:
            for name in self.solver:
                registry.require_installed(name)
            for run in map(Configuration.parse, self.run):
                registry.require_installed(run.solver, run.formulation)
        except UsageError as error:
            refuse(str(error), "what is installed and listed")
        for one in configurations(self.run, self.solver, self.formulation):
            for name, value in one.options:
                if NAMES_OF_FILES_OR_PROGRAMS.search(name) or not PLAIN_VALUE.fullmatch(value):
                    what = f"{one.solver}: {name}={value} may name a file or a program"
                    refuse(what, "numbers and switches")
        if self.scheduler not in (None, "local"):
            refuse(f"{self.scheduler} is a scheduler, which can run programs on this machine", "local")
        inside = os.path.realpath(os.path.dirname(file) or ".")
        if self.out and os.path.dirname(os.path.realpath(self.out)) != inside:
            refuse(f"{self.out} lies elsewhere", "a results file beside it")

    def campaign(self, report: Callable[[str], object]) -> Campaign:
        """Return the campaign, with its puzzles read. Raises InputError and UsageError."""
        from milp_pips.extras.bench.campaign import Campaign, configurations, instances
        from milp_pips.problem.answer import Settings

        runs = configurations(self.run, self.solver, self.formulation)
        limits = Settings(threads=self.threads, seconds=self.seconds, memory=self.memory, rules=self.rules)
        seeds = tuple(dict.fromkeys(self.seed)) or (0,)
        puzzles = instances(self.paths, self.level, report)
        whole = Campaign(puzzles, runs, self.task, seeds, self.repeats, limits, self.order_seed)
        return whole.shard(*self.shard) if self.shard else whole


def campaign_parameters() -> tuple[Parameter, ...]:
    """Return the parameters that a campaign file may state."""
    stated = {field.name for field in fields(CampaignFile)}
    return tuple(parameter for parameter in COMPARE_PARAMETERS if parameter.keyword in stated)


def campaign_schema() -> dict[str, Any]:
    """Return the JSON Schema of a campaign file."""
    return {"title": "A campaign file", **schema_of(campaign_parameters(), options=True)}


def _toml(text: str, file: str) -> dict[str, Any]:
    """Return the content of a TOML file. Raises InputError, with the line."""
    import tomllib

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        place = re.search(r"at line (\d+)", str(error))
        what = re.sub(r" \(at .*\)$", "", str(error))
        raise InputError(what, file, int(place[1]) if place else None, "TOML") from None
    except (RecursionError, ValueError):  # endless brackets or digits
        raise InputError("nested too deeply, or a number is too long", file, expected="TOML") from None


def _line_of(name: str, text: str) -> int | None:
    """Return the number of the line that states a name; None if it is written in an unusual way."""
    stated = re.compile(rf"\s*\[*\s*[\"']?{re.escape(name)}[\"']?\s*[].=]")
    return next((n for n, line in enumerate(text.splitlines(), 1) if stated.match(line)), None)
