"""``export FILE``: the model, with readable names."""

from __future__ import annotations

import argparse
import sys

from milp_pips.cli import FOUND
from milp_pips.cli.arguments import add_puzzle_file
from milp_pips.runtime.writing import try_file, write_file


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this verb."""
    from milp_pips.tasks.convert import FORMATS

    add_puzzle_file(parser)
    parser.add_argument("--to", choices=FORMATS, default="lp", help="format (default: %(default)s)")
    parser.add_argument("--formulation", default="", help="how to state the problem, such as implication")
    parser.add_argument("--output", metavar="FILE", help="where to write (default: standard output)")


def run(arguments: argparse.Namespace) -> int:
    """Write the model of one puzzle."""
    from milp_pips.puzzles.reading import read
    from milp_pips.tasks.convert import export

    if arguments.output:
        try_file(arguments.output)
    text = export(read(arguments.file, arguments.level), arguments.to, arguments.formulation)
    if arguments.output:
        write_file(arguments.output, text)
    else:
        sys.stdout.write(text)
    return FOUND
