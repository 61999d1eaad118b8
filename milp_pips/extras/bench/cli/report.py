"""``report RESULTS --out DIR``: tables and plots of a comparison."""

from __future__ import annotations

import argparse
import os

from milp_pips.cli import FOUND
from milp_pips.runtime.writing import try_place


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this verb."""
    parser.add_argument("results", metavar="RESULTS", help="results file of compare")
    parser.add_argument(
        "--out", metavar="DIR", required=True, help="where to write the page, the plots and the table of runs"
    )
    parser.add_argument(
        "--since",
        metavar="OLD",
        help="an earlier results file: tell what has changed since, on the same puzzles",
    )
    parser.add_argument(
        "--parquet", action="store_true", help="write the table of runs for data frames, too: runs.parquet"
    )


def run(arguments: argparse.Namespace) -> int:
    """Write the report and print its summary."""
    from milp_pips.extras.bench.report import report

    try_place(arguments.out)
    found = report(arguments.results, parquet=arguments.parquet, since=arguments.since)
    found.write(arguments.out)
    print(found.summary)
    print(f"\nThe report: {os.path.join(arguments.out, 'report.html')}")
    return FOUND
