"""``export FILE``: the model, with readable names."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from milp_pips.cli import FOUND
from milp_pips.cli.arguments import add_level
from milp_pips.errors import InputError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this verb."""
    from milp_pips.tasks.export import FORMATS

    parser.add_argument("file", metavar="FILE", help="puzzle file")
    add_level(parser)
    parser.add_argument("--to", choices=FORMATS, default="lp", help="format (default: %(default)s)")
    parser.add_argument("--formulation", default="", help="how to state the problem, such as implication")
    parser.add_argument("--output", metavar="FILE", help="where to write (default: standard output)")


def run(arguments: argparse.Namespace) -> int:
    """Write the model of one puzzle."""
    from milp_pips.reading import read
    from milp_pips.tasks.export import export

    text = export(read(arguments.file, arguments.level), arguments.to, arguments.formulation)
    if not arguments.output:
        sys.stdout.write(text)
        return FOUND
    try:
        Path(arguments.output).write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot write: {error.strerror}", arguments.output) from None
    return FOUND
