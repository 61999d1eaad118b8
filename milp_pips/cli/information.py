"""The verbs ``solvers``, ``schema`` and ``completion``: information for people, programs and shells."""

from __future__ import annotations

import argparse
import json
from typing import Any

from milp_pips.cli import FOUND, VERBS, parser_of, verb
from milp_pips.cli.output import JSON, print_json
from milp_pips.problem import INSTALL
from milp_pips.problem.errors import UsageError
from milp_pips.problem.parameters import Parameter, one_of


@verb(JSON)
def solvers_verb(arguments: argparse.Namespace) -> int:
    """List the solvers."""
    from milp_pips.engines import registry

    rows: list[dict[str, Any]] = []
    for name, solver in registry.solvers():
        if isinstance(solver, str):  # the reason why it cannot be loaded
            kind, version, reason, features = "", "", solver, []
        else:
            kind, reason = solver.kind, registry.reason_against(solver)
            features = sorted(solver.features)
            version = "" if reason else registry.version_of(solver)
        row: dict[str, Any] = {
            "name": name,
            "kind": kind,
            "version": version,
            "available": not reason,
            "reason": reason,
            "features": features,
        }
        rows.append(row)
    if arguments.json:
        print_json(rows)
        return FOUND
    columns = ("name", "kind", "version")
    widths = [max(len(row[column]) for row in rows) for column in columns]
    for row in rows:
        last = ", ".join(row["features"]) if row["available"] else f"cannot run: {row['reason']}"
        padded = (f"{row[column]:<{width}}" for column, width in zip(columns, widths, strict=True))
        print(*padded, last)
    return FOUND


# The verb ``schema VERB``: the JSON Schema of a verb's output with ``--json``.


@verb(Parameter("VERB", "verb that takes --json, such as solve", name="of"))
def schema_verb(arguments: argparse.Namespace) -> int:
    """Print the schema."""
    from milp_pips.views.schema import schema, verbs

    if arguments.of not in (known := verbs()):
        raise UsageError(f"there is no schema for {arguments.of!r}; there are schemas for {', '.join(known)}")
    print(json.dumps(schema(arguments.of), indent=1, ensure_ascii=False))
    return FOUND


# The verb ``completion SHELL``: a script with which a shell completes verbs, options, solvers and files.


@verb(Parameter("SHELL", "shell that reads the script", one_of(("bash", "zsh", "tcsh"))))
def completion_verb(arguments: argparse.Namespace) -> int:
    """Print the script. Raises UsageError if shtab, the library that writes it, is not installed."""
    from milp_pips.engines import registry
    from milp_pips.puzzles import family as families

    try:
        import shtab
    except ImportError:
        raise UsageError(f"completion needs shtab: {INSTALL.format('completion')}") from None
    parser = parser_of(list(VERBS))
    (verbs,) = (action.choices for action in parser._actions if isinstance(action.choices, dict))
    for each in verbs.values():
        for action in each._actions:
            if action.dest in ("solver", "run"):
                action.choices = list(registry.names())
            elif action.dest == "family":
                action.choices = list(families.names())
            elif action.metavar in ("FILE", "SOLUTION", "BOARD", "DIR"):
                action.complete = shtab.DIRECTORY if action.metavar == "DIR" else shtab.FILE
    print(shtab.complete(parser, arguments.shell))
    return FOUND
