"""Names of families and solvers, built in or from entry points, and one loader for all of them."""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, cast

from milp_pips.errors import UsageError

if TYPE_CHECKING:
    from milp_pips.puzzles.family import Family
    from milp_pips.solvers.contract import Solver

SOLVERS = {
    "highs": "milp_pips.solvers.highs:HighsSolver",
}
FAMILIES = {
    "pips": "milp_pips.puzzles.pips",
}
BUILT_IN = {"milp_pips.solvers": SOLVERS, "milp_pips.puzzles": FAMILIES}
"""Entry-point group → name → ``module`` or ``module:object``; an outside package adds to the same groups."""


def names(group: str) -> dict[str, str]:
    """Return where each plugin of the group is found, the built-in ones first; those keep their names."""
    from importlib import metadata

    found = dict(BUILT_IN[group])
    for entry in metadata.entry_points(group=group):
        found.setdefault(entry.name, entry.value)
    return found


def load(group: str, name: str) -> Any:
    """Return what is registered under the name. Raises UsageError if nothing is, or it cannot be loaded."""
    where = BUILT_IN[group].get(name) or names(group).get(name)
    if where is None:
        raise UsageError(f"unknown {_what(group)} {name!r}; known: {', '.join(names(group))}")
    module, _, attribute = where.partition(":")
    try:
        loaded = importlib.import_module(module)
        return getattr(loaded, attribute) if attribute else loaded
    except Exception as error:  # a plugin may fail in any way it likes
        raise UsageError(f"the {_what(group)} {name!r} ({where}) cannot be loaded: {error}") from error


def solver(name: str) -> Solver:
    """Return the solver of this name. Raises UsageError."""
    return cast("Solver", load("milp_pips.solvers", name)())


def families() -> Iterator[Family]:
    """Yield all families, the built-in ones first; one that cannot be loaded warns and is left out."""
    yield from (load("milp_pips.puzzles", name) for name in FAMILIES)
    for name in names("milp_pips.puzzles").keys() - FAMILIES:  # looked for only if someone asks on
        try:
            yield load("milp_pips.puzzles", name)
        except UsageError as error:
            warnings.warn(str(error), stacklevel=2)


def solvers() -> Iterator[tuple[str, Solver | str]]:
    """Yield every solver by name; one that cannot be loaded comes as the reason why."""
    for name in names("milp_pips.solvers"):
        try:
            yield name, solver(name)
        except UsageError as error:
            yield name, str(error)


def _what(group: str) -> str:
    return "solver" if group == "milp_pips.solvers" else "puzzle family"
