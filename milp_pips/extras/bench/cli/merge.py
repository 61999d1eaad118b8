"""``merge RESULTS… --out ALL``: the results of shards, or of several machines, in one file."""

from __future__ import annotations

import argparse

from milp_pips.cli import FOUND


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this verb."""
    parser.add_argument("results", nargs="+", metavar="RESULTS", help="results files of compare")
    parser.add_argument(
        "--out",
        metavar="ALL",
        required=True,
        help="results file that takes their runs; what is in it stays as it is",
    )


def run(arguments: argparse.Namespace) -> int:
    """Merge the files, and say what came of it."""
    from milp_pips.extras.bench.store import merge

    found = merge(arguments.results, arguments.out)
    print(f"{arguments.out}: {found.runs} runs of {found.puzzles} puzzles, {found.new} of them new")
    if found.known:
        print(f"{found.known} runs that were there already are left as they were")
    return FOUND
