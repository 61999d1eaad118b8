"""``solvers``: what can run here, versions, and why not where not."""

from __future__ import annotations

import argparse
from typing import Any

from milp_pips.cli import FOUND
from milp_pips.cli.arguments import add_json, print_json


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this verb."""
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """List the solvers."""
    from milp_pips.engines import registry

    rows: list[dict[str, Any]] = []
    for name, solver in registry.solvers():
        if isinstance(solver, str):  # it cannot even be loaded
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
        what = ", ".join(row["features"]) if row["available"] else f"cannot run: {row['reason']}"
        told = (f"{row[column]:<{width}}" for column, width in zip(columns, widths, strict=True))
        print(*told, what)
    return FOUND
