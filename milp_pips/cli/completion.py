"""``completion SHELL``: the script that makes a shell complete verbs, options, solvers and files."""

from __future__ import annotations

import argparse

from milp_pips.cli import FOUND, VERBS, parser_of
from milp_pips.problem.errors import UsageError

SHELLS = ("bash", "zsh", "tcsh")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this verb."""
    parser.add_argument("shell", choices=SHELLS, help="the shell that is to read the script")


def run(arguments: argparse.Namespace) -> int:
    """Print the script. Raises UsageError where the library that writes it is not there."""
    from milp_pips.engines import registry
    from milp_pips.puzzles import registry as families

    try:
        import shtab
    except ImportError:
        raise UsageError("completion needs shtab: pip install 'milp-pips[completion]'") from None
    parser = parser_of(list(VERBS))
    (verbs,) = (action.choices for action in parser._actions if isinstance(action.choices, dict))
    for verb in verbs.values():
        for action in verb._actions:
            if action.dest in ("solver", "run"):
                action.choices = list(registry.names())
            elif action.dest == "family":
                action.choices = list(families.names())
            elif action.metavar in ("FILE", "SOLUTION", "BOARD", "DIR"):
                action.complete = shtab.DIRECTORY if action.metavar == "DIR" else shtab.FILE
    print(shtab.complete(parser, arguments.shell))
    return FOUND
