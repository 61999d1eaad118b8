"""The command line: arguments in, text or JSON out."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module

VERBS = {
    "solve": "solve puzzles and draw the solutions",
    "enumerate": "list all solutions, and say whether the list is complete",
    "count": "count the solutions exactly",
    "sample": "draw solutions at random, each with the same probability",
    "check": "tell whether a solution, or a board so far, is right, or what is wrong with it",
    "show": "draw a puzzle",
    "convert": "write puzzles in another format, with all they say",
    "export": "write the model of a puzzle, with readable names",
    "explain": "tell why a puzzle has no solution, or the steps to it",
    "hint": "tell the next step from a board, by degrees, or why the board leads nowhere",
    "rate": "tell how hard the logic of a puzzle is",
    "strength": "measure what formulations exclude of what no solution has",
    "relax": "draw the linear relaxation of a puzzle's model on the board",
    "filter": "tell which rule takes which value, beside what the relaxation excludes",
    "tree": "draw the tree of a branch and bound, with the relaxation of every node",
    "generate": "make new puzzles, each with a known solution, unique on request",
    "compare": "compare solvers and formulations fairly, on many puzzles",
    "merge": "put the results of several comparisons, such as shards, into one file",
    "report": "turn the results of a comparison into a page with tables and plots",
    "web": "open the page: play, draw, count and explain puzzles in a browser",
    "site": "write the page as static files, which solve in the visitor's browser",
    "solvers": "list the solvers, and why one cannot run here",
    "schema": "print the JSON Schema of what a verb prints with --json",
    "completion": "print a script that completes commands in a shell",
}
"""Each verb has a module with ``add_arguments(parser)`` and ``run(arguments) -> int``."""

EXTRA_VERBS = {
    "explain": ("explain", "hint", "rate"),
    "lab": ("strength", "relax", "filter", "tree"),
    "generate": ("generate",),
    "bench": ("compare", "merge", "report"),
    "web": ("web", "site"),
}
"""The verbs of each package in ``milp_pips.extras``, which has their modules; the others are modules here."""

FOUND, NO_SOLUTION, BAD_INPUT, LIMIT, FAULT, OUTPUT_FAILED, INTERRUPTED = 0, 1, 2, 3, 70, 74, 130
"""Exit statuses."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status."""
    from milp_pips.problem.errors import EngineFault, InputError, OutputError, UsageError, meant, unknown_name

    words = list(sys.argv[1:] if argv is None else argv)
    if len(words) == 3 and words[1] == "--svg":  # the one file is the puzzle, not where its picture goes
        words[1:] = [words[2], "--svg"]
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # no character can stop a result
    asked = [words[0]] if words and words[0] in VERBS else []
    parser = parser_of(asked)
    if not words:
        parser.print_help(sys.stderr)
        return BAD_INPUT
    if not asked and not words[0].startswith("-"):
        parser.error(str(unknown_name("verb", words[0], VERBS)))
    arguments, strange = parser.parse_known_args(words)
    if not asked:
        parser.error(f"options come after the verb, not before it: {words[0]}")
    if strange:  # of which argparse would tell with the usage of all verbs
        near = meant(strange[0].partition("=")[0], options_of(arguments.usage), prefix="--")
        arguments.usage.error(f"unrecognized arguments: {' '.join(strange)}{near}")
    if getattr(arguments, "json", False) and sys.stdout is sys.__stdout__:
        _keep_output_apart()
    try:
        return int(arguments.verb(arguments))
    except (InputError, UsageError) as error:
        complain(str(error))
        return BAD_INPUT
    except EngineFault as error:
        complain(str(error))
        return FAULT
    except OutputError as error:
        complain(str(error))
        return OUTPUT_FAILED
    except KeyboardInterrupt:
        return INTERRUPTED
    finally:
        if outside := sys.modules.get(
            "milp_pips.engines.outside"
        ):  # a plugin of another distribution has run
            outside.close_all()


def options_of(parser: argparse.ArgumentParser) -> list[str]:
    """Return the long names of the options of a parser."""
    return [name for action in parser._actions for name in action.option_strings if name.startswith("--")]


def _keep_output_apart() -> None:
    """Let standard output carry our lines alone: what engines print by themselves goes to standard error."""
    with suppress(OSError):
        own = os.dup(1)
        try:
            os.dup2(2, 1)
        except OSError:  # standard error is closed
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        sys.stdout = open(own, "w", encoding=sys.stdout.encoding, errors="backslashreplace")  # noqa: SIM115


def complain(message: str) -> None:
    """Print one line to standard error."""
    from milp_pips.problem.errors import visible

    print(f"milp-pips: {visible(' '.join(message.splitlines()))}", file=sys.stderr)


def parser_of(asked: Sequence[str]) -> argparse.ArgumentParser:
    """Return the parser of these verbs, which are loaded; without any it has all verbs by name alone."""
    from milp_pips.problem.version import VERSION

    parser = argparse.ArgumentParser(
        prog="milp-pips",
        description="State a grid puzzle once; solve it with any MIP or CP engine.",
        epilog="Exit status: 0 found or finished, 1 no solution or wrong, 2 bad input, 3 a limit was hit, "
        "70 a fault of the program or of an engine, 74 output failed, 130 interrupted.",
    )
    parser.add_argument("--version", action="version", version=f"milp_pips {VERSION}")
    # prog keeps argparse from formatting a usage line now, for which it would import much.
    verbs = parser.add_subparsers(metavar="VERB", required=True, prog="milp-pips")
    for verb in asked or VERBS:
        purpose = VERBS[verb]
        sub = verbs.add_parser(verb, help=purpose, description=purpose[0].upper() + purpose[1:] + ".")
        if asked:
            module = import_module(_module_of(verb))
            module.add_arguments(sub)
            sub.set_defaults(verb=module.run, usage=sub)
    return parser


def _module_of(verb: str) -> str:
    owner = next((extra for extra, verbs in EXTRA_VERBS.items() if verb in verbs), "")
    return f"milp_pips.extras.{owner}.cli.{verb}" if owner else f"milp_pips.cli.{verb}"
