"""The command ``milp-pips``: the table of its verbs, its exit statuses, and ``main``.

A verb is loaded only when it runs, so that ``milp-pips VERB`` imports no more than this verb needs.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext, suppress
from functools import partial
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeAlias, TypeVar

if TYPE_CHECKING:
    from milp_pips.problem.errors import EngineFault
    from milp_pips.problem.parameters import Parameter

T = TypeVar("T")

VERB_GROUPS: Mapping[str, Mapping[str, tuple[str, str]]] = {
    "solve and play": {
        "solve": ("cli.solve:solve_verb", "solve puzzles and linear models, and show the solutions"),
        "hint": (
            "extras.explain.cli:hint_verb",
            "show the next step from a board, or explain why it has no solution",
        ),
        "explain": (
            "extras.explain.cli:explain_verb",
            "explain the steps to a puzzle's solution, or why a puzzle or a model has none",
        ),
        "check": ("cli.files:check_verb", "check a solution or a partial board, and name what is wrong"),
        "show": ("cli.files:show_verb", "draw a puzzle"),
        "web": (
            "extras.web.cli:web_verb",
            "open the web page: play, draw, count and explain puzzles in a browser",
        ),
    },
    "list and count": {
        "enumerate": (
            "cli.lists:enumerate_verb",
            "list all solutions, and report whether the list is complete",
        ),
        "count": ("cli.lists:count_verb", "count the solutions exactly"),
        "sample": ("cli.lists:sample_verb", "draw random solutions, each with the same probability"),
        "prove": (
            "cli.lists:prove_verb",
            "write a certificate of all solutions, or of their number, that anyone can check",
        ),
        "verify": ("cli.lists:verify_verb", "check a certificate, and report what it proves"),
    },
    "create and convert": {
        "generate": (
            "extras.generate.cli:GENERATE",
            "generate new puzzles with a known solution, unique on request",
        ),
        "clues": (
            "extras.generate.cli:clues_verb",
            "find the fewest cells to show so that a puzzle has one solution",
        ),
        "loosen": (
            "extras.generate.cli:loosen_verb",
            "find the loosest rules that keep one solution, and rules that carry no information",
        ),
        "rate": ("extras.explain.cli:rate_verb", "rate the logical difficulty of a puzzle"),
        "convert": (
            "cli.files:convert_verb",
            "write puzzles and models in another format, without losing information",
        ),
        "sheet": ("cli.sheets:sheet_verb", "print puzzles: sheets as PDF, in black and white, with answers"),
        "read-picture": (
            "extras.picture.cli:read_picture_verb",
            "read a Pips puzzle from a screenshot, as a draft with its doubtful parts marked",
        ),
        "site": (
            "extras.web.cli:site_verb",
            "write the web page as static files that solve in the visitor's browser",
        ),
    },
    "teach": {
        "export": ("cli.files:export_verb", "write the linear model of a puzzle, with readable names"),
        "strength": (
            "extras.lab.cli:strength_verb",
            "measure how strong the relaxations of formulations are",
        ),
        "relax": (
            "extras.lab.cli:relax_verb",
            "show the linear relaxation: of a puzzle on its board, of a model with its prices",
        ),
        "filter": (
            "extras.lab.cli:filter_verb",
            "list the values that each rule removes, and compare with the relaxation",
        ),
        "tree": (
            "extras.lab.cli:tree_verb",
            "draw a branch-and-bound tree, with the relaxation of every node",
        ),
    },
    "compare engines": {
        "compare": (
            "extras.bench.cli:compare_verb",
            "compare solvers and formulations fairly on many puzzles or models",
        ),
        "merge": (
            "extras.bench.cli:merge_verb",
            "merge the results of several comparisons, or the shards of a list",
        ),
        "report": ("extras.bench.cli:report_verb", "write a page with tables and plots of a comparison"),
        "solvers": ("cli.information:solvers_verb", "list the solvers, and why any of them cannot run here"),
    },
    "other programs": {
        "schema": ("cli.information:schema_verb", "print the JSON Schema of a verb's output with --json"),
        "completion": (
            "cli.information:completion_verb",
            "print a script that completes commands in a shell",
        ),
    },
}
"""Built-in verbs by group: name → (the module or object below ``milp_pips``, a phrase for the help)."""

VERBS = {verb: purpose for group in VERB_GROUPS.values() for verb, (_, purpose) in group.items()}
"""Built-in verbs and their phrases for the help."""

VERB_PLACES = {
    verb: f"milp_pips.{where}" for group in VERB_GROUPS.values() for verb, (where, _) in group.items()
}
"""Built-in verbs and their import paths."""

VERB_ENTRY_POINTS = "milp_pips.verbs"
"""Entry-point group of verbs from other distributions; each entry is a module or an object like ``Verb``."""


class Verb(NamedTuple):
    """A verb of the command line. A module with two functions of these names is a verb, too."""

    add_arguments: Callable[[argparse.ArgumentParser], object]
    run: Callable[[argparse.Namespace], int]


def verb(
    *parameters: Parameter | str, epilog: str | Callable[[], str] = ""
) -> Callable[[Callable[[argparse.Namespace], int]], Verb]:
    """Return a decorator that makes a function of the parsed arguments a verb with these parameters.

    A text is the place of a task's own parameters, such as ``module:PARAMETERS``.
    """

    def make(run: Callable[[argparse.Namespace], int]) -> Verb:
        def add_arguments(parser: argparse.ArgumentParser) -> None:
            from milp_pips.problem.parameters import add_parameters
            from milp_pips.problem.plugins import load

            parser.epilog = epilog if isinstance(epilog, str) else epilog()
            for each in parameters:
                add_parameters(parser, load(each) if isinstance(each, str) else [each])

        return Verb(add_arguments, run)

    return make


Work: TypeAlias = Callable[..., T | None]
"""A module-level function with its arguments, so that it can be pickled. It takes a ``deadline`` and returns
its result, or None. If it raises EngineFault, that prints a line; other errors end the run."""


class Task(NamedTuple, Generic[T]):
    """A piece of work, and the name of its puzzle."""

    name: str
    work: Work[T]


class NamedResult(NamedTuple, Generic[T]):
    """The name of a task's puzzle, and the task's result or fault."""

    name: str
    result: T | EngineFault


FOUND, NO_SOLUTION, BAD_INPUT, LIMIT, FAULT, OUTPUT_FAILED, INTERRUPTED = 0, 1, 2, 3, 70, 74, 130
"""Exit statuses."""

EXIT_STATUSES = """exit status:
  0 found or finished, 1 no solution or wrong, 2 bad input, 3 a limit was hit,
  70 a fault of the program or of an engine, 74 output failed, 130 interrupted"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status."""
    from milp_pips.problem.errors import EngineFault, InputError, OutputError, UsageError, meant, unknown_name

    words = list(sys.argv[1:] if argv is None else argv)
    if len(words) == 3 and words[1] == "--svg":  # FILE is the puzzle, not the path of the picture
        words[1:] = [words[2], "--svg"]
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # never fail on a character
    named = words[0] if words and not words[0].startswith("-") else ""
    chosen = [named] if named in VERBS or (named and named in _verb_places()) else []
    try:
        parser = parser_of(chosen)
    except UsageError as error:
        complain(str(error))
        return BAD_INPUT
    if not words:
        parser.print_help(sys.stderr)
        return BAD_INPUT
    if named and not chosen:
        if os.path.exists(named):
            parser.error(f"{named!r} is a file and no verb; such as: milp-pips solve {named}")
        parser.error(str(unknown_name("verb", named, _verb_places())))
    arguments, unknown = parser.parse_known_args(words)
    if not chosen:
        parser.error(f"options come after the verb, not before it: {words[0]}")
    if unknown:  # argparse itself would print the usage of all verbs
        near = meant(unknown[0].partition("=")[0], options_of(arguments.usage), prefix="--")
        arguments.usage.error(f"unrecognized arguments: {' '.join(unknown)}{near}")
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
        ):  # a plugin of another distribution was started
            outside.close_all()


def options_of(parser: argparse.ArgumentParser) -> list[str]:
    """Return the long names of the options of a parser."""
    return [name for action in parser._actions for name in action.option_strings if name.startswith("--")]


def _keep_output_apart() -> None:
    """Redirect what engines print themselves to standard error, so that standard output carries JSON only."""
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


def terminal_width() -> int:
    """Return the number of columns of the terminal, 80 without one, as ``shutil.get_terminal_size`` does.

    Importing ``shutil`` loads three compressors, which costs every command a tenth of its start.
    """
    columns = os.environ.get("COLUMNS", "")
    if columns.isdecimal() and int(columns):
        return int(columns)
    with suppress(AttributeError, ValueError, OSError):  # there is no standard output, or it is no terminal
        return os.get_terminal_size(sys.__stdout__.fileno()).columns or 80  # type: ignore[union-attr]
    return 80


def parser_of(chosen: Sequence[str]) -> argparse.ArgumentParser:
    """Return the parser of the chosen verbs, which it loads; with none chosen, it lists all verbs by name."""
    from milp_pips.problem import VERSION

    width = terminal_width() - 2  # if argparse had to find it out, it would import shutil for every argument
    parser = argparse.ArgumentParser(
        prog="milp-pips",
        usage="milp-pips VERB ...",
        description="State a puzzle or a linear model once; list all its solutions, by any engine.",
        epilog=_list_of_verbs() if not chosen else None,
        formatter_class=partial(argparse.RawDescriptionHelpFormatter, width=width),
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"milp_pips {VERSION}")
    # With prog given, argparse does not format a usage line now, which would import many modules.
    verbs = parser.add_subparsers(
        metavar="VERB", required=True, prog="milp-pips", help=None if chosen else argparse.SUPPRESS
    )
    for name in chosen or VERBS:
        purpose = VERBS.get(name, f"the verb {name} of another package")
        listed = purpose if chosen else argparse.SUPPRESS  # the epilog lists the verbs by group
        description = f"{purpose[0].upper()}{purpose[1:]}."
        layout = partial(argparse.HelpFormatter, width=width)
        sub = verbs.add_parser(
            name, help=listed, description=description, formatter_class=layout, allow_abbrev=False
        )
        if chosen:
            sub.set_defaults(verb=_add_verb(name, sub), usage=sub)
    return parser


def _list_of_verbs() -> str:
    """Return the end of ``--help``: the verbs by group, and the exit statuses."""
    groups: dict[str, Mapping[str, str]] = {
        title: {name: purpose for name, (_, purpose) in group.items()} for title, group in VERB_GROUPS.items()
    }
    if others := {name: where for name, where in _verb_places().items() if name not in VERBS}:
        groups["from other packages"] = others
    width = max(len(name) for group in groups.values() for name in group)
    lines = ["verbs (milp-pips VERB --help for each):"]
    for title, group in groups.items():
        lines += ["", f"  {title}:", *(f"    {name:<{width}}  {purpose}" for name, purpose in group.items())]
    return "\n".join([*lines, "", EXIT_STATUSES])


def _verb_places() -> dict[str, str]:
    """Return the import path of each verb, verbs of other distributions included."""
    from milp_pips.problem.plugins import names

    return names(VERB_ENTRY_POINTS, VERB_PLACES)


def _add_verb(name: str, parser: argparse.ArgumentParser) -> Callable[[argparse.Namespace], int]:
    """Add a verb's arguments and return the function that runs it. Raises UsageError for a faulty plugin."""
    from milp_pips.problem.errors import UsageError
    from milp_pips.problem.plugins import PluginErrors, load, location

    verb: Verb = load(location(name, VERB_PLACES, _verb_places, "verb"))
    foreign = PluginErrors(f"the verb {name} is faulty", UsageError)
    with nullcontext() if name in VERBS else foreign:
        verb.add_arguments(parser)
        return verb.run
