"""The command line: arguments in, text or JSON out."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import NoReturn

VERBS = {
    "solve": "solve puzzles and draw the solutions",
    "enumerate": "list all solutions, and say whether the list is complete",
    "count": "count the solutions exactly",
    "sample": "draw solutions at random, each with the same probability",
    "check": "tell whether a solution is right, or the first rule it breaks",
    "show": "draw a puzzle",
    "export": "write the model of a puzzle, with readable names",
    "generate": "make new puzzles, each with a known solution, unique on request",
    "compare": "compare solvers and formulations fairly, on many puzzles",
    "report": "turn the results of a comparison into a page with tables and plots",
    "solvers": "list the solvers, and why one cannot run here",
}
"""Each verb is a module here with ``add_arguments(parser)`` and ``run(arguments) -> int``."""

FOUND, NO_SOLUTION, BAD_INPUT, LIMIT, INTERRUPTED = 0, 1, 2, 3, 130
"""Exit statuses."""


def run() -> NoReturn:
    """Run the command of this process and leave it at once.

    Nothing is torn down: that would take longer than solving a puzzle, and an engine that was told to stop
    may still be running in its thread.
    """
    try:
        status = main()
        sys.stdout.flush()
    except BrokenPipeError:
        status = FOUND
    except SystemExit as error:  # argparse
        status = error.code if isinstance(error.code, int) else BAD_INPUT
    sys.stderr.flush()
    os._exit(status)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status."""
    from milp_pips.errors import EngineFault, InputError, UsageError

    words = list(sys.argv[1:] if argv is None else argv)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # no character can stop a result
    arguments = _parser(words).parse_args(words)
    try:
        return int(arguments.verb(arguments))
    except (InputError, UsageError) as error:
        complain(str(error))
        return BAD_INPUT
    except EngineFault as error:
        complain(str(error))
        return LIMIT
    except KeyboardInterrupt:
        return INTERRUPTED


def complain(message: str) -> None:
    """Print one line to standard error."""
    print(f"milp-pips: {' '.join(message.splitlines())}", file=sys.stderr)


def _parser(words: list[str]) -> argparse.ArgumentParser:
    """Return the parser; only the verb that is asked for is loaded."""
    from milp_pips import __version__

    parser = argparse.ArgumentParser(
        prog="milp-pips",
        description="State a grid puzzle once; solve it with any MIP or CP engine.",
        epilog="Exit status: 0 found or finished, 1 no solution or wrong, 2 bad input, 3 a limit was hit, "
        "130 interrupted.",
    )
    parser.add_argument("--version", action="version", version=f"milp_pips {__version__}")
    # prog keeps argparse from formatting a usage line now, for which it would import much.
    verbs = parser.add_subparsers(metavar="VERB", required=True, prog="milp-pips")
    asked = [words[0]] if words and words[0] in VERBS else list(VERBS)
    for verb in asked:
        purpose = VERBS[verb]
        sub = verbs.add_parser(verb, help=purpose, description=purpose[0].upper() + purpose[1:] + ".")
        if len(asked) == 1:
            module = import_module(f"milp_pips.cli.{verb}")
            module.add_arguments(sub)
            sub.set_defaults(verb=module.run)
    return parser
