"""Experiments: puzzles made along one parameter, a comparison of engines on them, a report.

    python benchmarks/experiments.py --quick --out build
    python benchmarks/experiments.py --out build
    python benchmarks/experiments.py --out build --only dominoes rules

Each file in ``experiments/`` says which puzzles are made (the options of ``milp-pips generate``, one of
them varied) and what is compared on them (the names of a campaign file, see docs/comparing.md); its table
``quick`` replaces values for a quick look. Whatever stops this, the same command goes on where it stopped.
In the end ``DIR/NAME`` has the puzzles, the campaign, its results and the report, and all runs stand in
``DIR/NAME.csv``.
"""

from __future__ import annotations

import argparse
import csv
import json
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

EXPERIMENTS = Path(__file__).parent / "experiments"

KEPT = (
    "folder",
    "name",
    "solver",
    "formulation",
    "seed",
    "started",
    "status",
    "build_seconds",
    "solve_seconds",
    "total_seconds",
    "peak_bytes",
    "columns",
    "rows",
    "nonzeros",
    "nodes",
    "version",
)
"""Columns of the tables of runs that are kept."""


def main() -> None:
    names = sorted(file.stem for file in EXPERIMENTS.glob("*.toml"))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="where to work")
    parser.add_argument("--quick", action="store_true", help="a few puzzles only: all in under five minutes")
    parser.add_argument(
        "--only", nargs="+", choices=names, default=names, metavar="NAME", help="of these only"
    )
    arguments = parser.parse_args()
    for name in arguments.only:
        puzzles, comparison = definition(EXPERIMENTS / f"{name}.toml", quick=arguments.quick)
        folder = arguments.out / name
        folder.mkdir(parents=True, exist_ok=True)
        points = [make(puzzles, value, folder) for value in puzzles["values"]]
        campaign = folder / "campaign.toml"
        campaign.write_text(as_toml({"paths": points, **comparison, "out": "results.sqlite"}))
        milp_pips("compare", str(campaign))
        milp_pips("report", str(folder / "results.sqlite"), "--out", str(folder / "report"))
        keep(folder / "report" / "runs.csv", arguments.out / f"{name}.csv")


def definition(file: Path, *, quick: bool) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return which puzzles are made, and what is compared on them."""
    content = tomllib.loads(file.read_text())
    puzzles, comparison = content["puzzles"], content["compare"]
    for name, value in content["quick"].items() if quick else ():
        (comparison if isinstance(value, list) and name in comparison else puzzles)[name] = value
    return puzzles, comparison


def make(puzzles: dict[str, Any], value: Any, folder: Path) -> str:
    """Make the puzzles of one point, unless they are there; return the name of their folder."""
    point = f"{puzzles['vary']}-{value:02}" if isinstance(value, int) else f"{puzzles['vary']}-{value}"
    options = {name: v for name, v in puzzles.items() if name not in ("vary", "values")}
    words = [f"--{name}={v}" for name, v in {**options, puzzles["vary"]: value}.items()]
    if not (folder / point).exists():
        unfinished = folder / f"{point}.unfinished"
        milp_pips("generate", *words, "--out", str(unfinished), quiet=True)
        unfinished.rename(folder / point)
    return point


def keep(runs: Path, file: Path) -> None:
    """Write the table of runs without what is the same for all, or known on this machine only."""
    with runs.open(newline="") as full, file.open("w", newline="") as lean:
        writer = csv.DictWriter(lean, KEPT, extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        for run in sorted(csv.DictReader(full), key=lambda run: int(run["id"])):
            seconds = {n: f"{float(run[n]):.4f}" for n in KEPT if n.endswith("_seconds") and run[n]}
            writer.writerow({**run, **seconds, "started": run["started"][:19]})


def as_toml(values: dict[str, Any]) -> str:
    return "".join(f"{name} = {json.dumps(value)}\n" for name, value in values.items())


def milp_pips(*words: str, quiet: bool = False) -> None:
    """Run a verb as a person would, and show its command."""
    print(f"$ milp-pips {shlex.join(words)}", flush=True)
    subprocess.run(
        [sys.executable, "-m", "milp_pips", *words], check=True, stdout=subprocess.DEVNULL if quiet else None
    )


if __name__ == "__main__":
    main()
