"""Names of families and solvers, built in or from entry points, and one loader for all of them."""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Iterator
from functools import cache
from inspect import getattr_static
from typing import TYPE_CHECKING, Any, cast

from milp_pips.errors import UsageError

if TYPE_CHECKING:
    from milp_pips.puzzles.family import Family, Puzzle
    from milp_pips.solvers.contract import Solver

SOLVERS = {
    "highs": "milp_pips.solvers.highs:HighsSolver",
    "cbc": "milp_pips.solvers.cbc:CbcSolver",
    "pulp": "milp_pips.solvers.pulp:PulpSolver",
    "pyomo": "milp_pips.solvers.pyomo:PyomoSolver",
    "scip": "milp_pips.solvers.scip:ScipSolver",
    "cp-sat": "milp_pips.solvers.cp_sat:CpSatSolver",
    "minizinc": "milp_pips.solvers.minizinc:MiniZincSolver",
    "brute": "milp_pips.solvers.brute:BruteSolver",
    "diagram": "milp_pips.solvers.diagram:DiagramSolver",
    "lns": "milp_pips.solvers.lns:LnsSolver",
}
FAMILIES = {
    "pips": "milp_pips.puzzles.pips:FAMILY",
    "sudoku": "milp_pips.puzzles.sudoku:FAMILY",
    "colour-grid": "milp_pips.puzzles.colour_grid:FAMILY",
}
BUILT_IN = {"milp_pips.solvers": SOLVERS, "milp_pips.puzzles": FAMILIES}
"""Entry-point group → name → ``module`` or ``module:object``; an outside package adds to the same groups.

So does this distribution itself with what is in ``milp_pips.published``, and in the group
``milp_pips.formulations``, whose names are ``SOLVER.FORMULATION``.
"""

UNSAID: dict[str, object] = {
    "published": frozenset(),
    "clashes": frozenset(),
    "without_presolve": {},
    "isolated": False,
    "variants": "",
}
"""What a solver says that does not say it, besides its name for what its proofs rest on."""


def names(group: str) -> dict[str, str]:
    """Return where each plugin of the group is found, the built-in ones first; those keep their names."""
    from importlib import metadata

    found = dict(BUILT_IN.get(group, {}))
    for entry in metadata.entry_points(group=group):
        found.setdefault(entry.name, entry.value)
    return found


def location(group: str, name: str) -> str:
    """Return where the plugin of this name is found. Raises UsageError if there is none."""
    where = BUILT_IN[group].get(name) or names(group).get(name)
    if where is None:
        raise UsageError(f"unknown {_what(group)} {name!r}; known: {', '.join(names(group))}")
    return where


def load(where: str) -> Any:
    """Return the module or object at ``module`` or ``module:object``. Raises UsageError."""
    module, _, attribute = where.partition(":")
    try:
        loaded = importlib.import_module(module)
        return getattr(loaded, attribute) if attribute else loaded
    except Exception as error:  # a plugin may fail in any way it likes
        raise UsageError(f"the plugin {where} cannot be loaded: {type(error).__name__}: {error}") from error


def solver_at(where: str, variant: str = "") -> Solver:
    """Return the solver found there, whose data are complete: what it leaves unsaid gets a default.

    Raises UsageError.
    """
    make = load(where)
    try:
        found = make(variant) if variant else make()
        unsaid = {**UNSAID, "proof_family": found.name}
        for field in unsaid:
            if getattr_static(found, field, None) is None:  # a property is not to look anything up yet
                setattr(found, field, unsaid[field])
    except UsageError:
        raise
    except Exception as error:  # as above
        raise UsageError(f"the plugin {where} is no solver: {type(error).__name__}: {error}") from error
    return cast("Solver", found)


def solver(name: str) -> Solver:
    """Return the solver of this name, or of this ``name:variant``. Raises UsageError."""
    plain, _, variant = name.partition(":")
    return solver_at(location("milp_pips.solvers", plain), variant)


def available(name: str) -> Solver:
    """Return the solver of this name if it can run here. Raises UsageError with the reason if not."""
    found = solver(name)
    reason = found.unavailable()
    if reason:
        raise UsageError(f"{name} cannot run here: {reason}")
    return found


def formulations(name: str) -> dict[str, str]:
    """Return where each formulation is found that entry points add to the solver of this name."""
    entries = names("milp_pips.formulations").items()
    return {entry.removeprefix(f"{name}."): where for entry, where in entries if entry.startswith(f"{name}.")}


@cache
def family(name: str) -> Family[Any, Any]:
    """Return the family of this name. Raises UsageError."""
    return cast("Family[Any, Any]", load(location("milp_pips.puzzles", name)))


def family_of(puzzle: Puzzle) -> Family[Any, Any]:
    """Return the family that the puzzle is of. Raises UsageError."""
    return family(puzzle.family)


def families() -> Iterator[Family[Any, Any]]:
    """Yield all families, the built-in ones first; one that cannot be loaded warns and is left out."""
    yield from map(load, FAMILIES.values())
    for name, where in names("milp_pips.puzzles").items():  # looked for only if someone asks on
        if name not in FAMILIES:
            try:
                yield load(where)
            except UsageError as error:
                warnings.warn(str(error), stacklevel=2)


def solvers() -> Iterator[tuple[str, Solver | str]]:
    """Yield every solver by name; one that cannot be loaded comes as the reason why."""
    for name, where in names("milp_pips.solvers").items():
        try:
            yield name, solver_at(where)
        except UsageError as error:
            yield name, str(error)


def _what(group: str) -> str:
    return "solver" if group == "milp_pips.solvers" else "puzzle family"
