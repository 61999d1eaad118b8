"""``site``: the page as static files, which answer in the visitor's own browser."""

from __future__ import annotations

import argparse

from milp_pips.cli import FOUND


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this verb."""
    from milp_pips.web.site import HOW

    parser.epilog = f"Pyodide is Python for browsers: {HOW}."
    parser.add_argument("--out", required=True, metavar="DIR", help="write the files into this directory")
    parser.add_argument(
        "--pyodide", required=True, metavar="DIR", help="directory with the files of Pyodide's npm package"
    )


def run(arguments: argparse.Namespace) -> int:
    """Write the files."""
    from milp_pips.web import PAGE
    from milp_pips.web.site import build

    size = build(arguments.out, arguments.pyodide, PAGE)
    print(f"{arguments.out}: {size / 1e6:.1f} MB, for any server of static files")
    return FOUND
