"""``schema VERB``: the JSON Schema of what a verb prints with ``--json``."""

from __future__ import annotations

import argparse
from importlib import resources

from milp_pips.cli import FOUND, VERBS
from milp_pips.problem.errors import UsageError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this verb."""
    parser.add_argument("of", metavar="VERB", help="a verb that takes --json, such as solve")


def run(arguments: argparse.Namespace) -> int:
    """Print the schema."""
    shipped = resources.files("milp_pips") / "schemas"
    known = [verb for verb in VERBS if (shipped / f"{verb}.json").is_file()]
    if arguments.of not in known:
        raise UsageError(f"there is no schema of {arguments.of!r}; there are those of {', '.join(known)}")
    print((shipped / f"{arguments.of}.json").read_text(encoding="utf-8"), end="")
    return FOUND
