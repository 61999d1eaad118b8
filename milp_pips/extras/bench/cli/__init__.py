"""The commands ``compare``, ``merge`` and ``report``."""

from __future__ import annotations

import argparse
import os

from milp_pips.cli import FOUND, Verb
from milp_pips.runtime.writing import try_place

# ``merge`` and ``report``: combine results of comparisons, and show them.


def add_merge_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``merge``."""
    parser.add_argument("results", nargs="+", metavar="RESULTS", help="results files of compare")
    parser.add_argument(
        "--out",
        metavar="ALL",
        required=True,
        help="results file that takes their runs; what is in it stays as it is",
    )


def run_merge(arguments: argparse.Namespace) -> int:
    """Merge the files, and print the counts."""
    from milp_pips.extras.bench.run import merge

    found = merge(arguments.results, arguments.out)
    print(f"{arguments.out}: {found.runs} runs of {found.puzzles} puzzles, {found.new} of them new")
    if found.known:
        print(f"{found.known} runs that were already there are unchanged")
    return FOUND


# ``report RESULTS --out DIR``: tables and plots of a comparison.


def add_report_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``report``."""
    parser.add_argument("results", metavar="RESULTS", help="results file of compare")
    parser.add_argument(
        "--out", metavar="DIR", required=True, help="where to write the page, the plots and the table of runs"
    )
    parser.add_argument(
        "--since",
        metavar="OLD",
        help="an earlier results file: report what has changed since, on the same puzzles",
    )
    parser.add_argument(
        "--parquet", action="store_true", help="write the table of runs for data frames, too: runs.parquet"
    )


def run_report(arguments: argparse.Namespace) -> int:
    """Write the report and print its summary."""
    from milp_pips.extras.bench.report import report

    try_place(arguments.out)
    found = report(arguments.results, parquet=arguments.parquet, since=arguments.since)
    found.write(arguments.out)
    print(found.summary)
    print(f"\nThe report: {os.path.join(arguments.out, 'report.html')}")
    return FOUND


MERGE = Verb(add_merge_arguments, run_merge)
REPORT = Verb(add_report_arguments, run_report)
