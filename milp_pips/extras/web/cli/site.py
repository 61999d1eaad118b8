"""``site``: the page as static files, which answer in the visitor's own browser."""

from __future__ import annotations

import argparse
from contextlib import nullcontext

from milp_pips.cli import FOUND


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this verb."""
    parser.add_argument("--out", required=True, metavar="DIR", help="write the files into this directory")
    parser.add_argument(
        "--pyodide",
        metavar="DIR",
        help="directory with the files of Pyodide's npm package (default: npm fetches it)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Write the files."""
    from milp_pips.extras.web import PAGE
    from milp_pips.extras.web.site import build, pyodide_from_npm

    with nullcontext(arguments.pyodide) if arguments.pyodide else pyodide_from_npm() as pyodide:
        size = build(arguments.out, pyodide, PAGE)
    print(f"{arguments.out}: {size / 1e6:.1f} MB, for any server of static files")
    return FOUND
