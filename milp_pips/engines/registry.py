"""The registry of solvers: finds, loads and validates them by name, whether built in or from entry points."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Set
from functools import cached_property
from inspect import getattr_static
from typing import Any, cast

from milp_pips.engines.contract import Solver
from milp_pips.problem import EngineFault, Settings, UsageError, plugins
from milp_pips.problem.errors import meant
from milp_pips.problem.plugins import PluginErrors, all_text, kind_of, load

SOLVER_GROUP = "milp_pips.solvers"
"""The entry-point group of solvers. This distribution adds those of ``milp_pips.extras.reference`` to it. It
also adds formulations to the group ``milp_pips.formulations``, whose names are ``SOLVER.FORMULATION``."""

SOLVERS = {
    "highs": "milp_pips.engines.highs:HighsSolver",
    "cbc": "milp_pips.engines.pulp:CbcSolver",
    "pulp": "milp_pips.engines.pulp:PulpSolver",
    "pyomo": "milp_pips.engines.pyomo:PyomoSolver",
    "scip": "milp_pips.engines.scip:ScipSolver",
    "cp-sat": "milp_pips.engines.cp_sat:CpSatSolver",
    "minizinc": "milp_pips.engines.minizinc:MiniZincSolver",
    "cpmpy": "milp_pips.engines.cpmpy:CpmpySolver",
    "clingo": "milp_pips.engines.clingo:ClingoSolver",
    "sat": "milp_pips.engines.sat:SatSolver",
    "cdcl": "milp_pips.engines.cdcl:CdclSolver",
    "brute": "milp_pips.engines.brute:BruteSolver",
    "diagram": "milp_pips.engines.diagram:DiagramSolver",
    "lns": "milp_pips.engines.lns:LnsSolver",
}

ATTRIBUTE_TYPES: dict[str, type] = {
    **{"name": str, "kind": str, "title": str, "requires": tuple, "features": Set, "formulations": tuple},
    **{"distribution": str, "published": Set, "filtering": Set, "clashes": Set, "without_presolve": Mapping},
    **{"proof_family": str, "isolated": bool, "variants": str},
    **{"most_values": int, "transformations": tuple},
}
"""The types of a solver's plain attributes."""

ATTRIBUTE_DEFAULTS: dict[str, object] = {
    **{field: getattr(Solver, field) for field in ATTRIBUTE_TYPES if hasattr(Solver, field)},
    "known_variants": tuple,  # a method that returns no variants
}
"""The defaults of attributes that a solver leaves out; that of ``proof_family`` is its name."""

REQUIRED_METHODS = ("unavailable", "version", "solve")
"""The methods that every solver has."""

FEATURE_METHODS = {
    "cuts": "live",
    "enumeration": "points",
    "counting": "count",
    "assumptions": "load",
    "relaxation": "relax",
    "tree": "tree",
}
"""The further method that a feature requires."""


def names() -> dict[str, str]:
    """Return the location of every solver by name, the built-in ones first."""
    return plugins.names(SOLVER_GROUP, SOLVERS)


def location(name: str) -> str:
    """Return the location of the solver with this name. Raises UsageError if there is none."""
    return plugins.location(name, SOLVERS, names, "solver")


def solver_at(where: str, variant: str = "") -> Solver:
    """Return the solver at a location; attributes that it leaves out get their defaults.

    Raises UsageError if it cannot be loaded or is not a valid solver.
    """
    make = load(where)
    with PluginErrors(f"the plugin {where} is not a solver", UsageError):
        found = make(variant) if variant else make()
        known = type(found), variant
        if known not in _valid:
            defaults = {**ATTRIBUTE_DEFAULTS, "proof_family": found.name}
            # Properties must not be evaluated yet, hence getattr_static.
            left = {f: value for f, value in defaults.items() if getattr_static(found, f, None) is None}
            for field, default in left.items():
                setattr(found, field, default)
            if fault := _fault_of(found):
                raise UsageError(f"the plugin {where} is not a solver: {fault}")
            _valid[known] = left
        for field, default in _valid[known].items():
            if getattr(type(found), field, None) is None:
                setattr(found, field, default)
    return cast("Solver", found)


_valid: dict[tuple[type, str], dict[str, object]] = {}
"""Validated solver classes with their variant, and the defaults of the attributes that they leave out. This
is a cache: a solve looks up its solver four times, and validation takes a quarter of a millisecond."""


def _fault_of(solver: Any) -> str:
    """Return what is wrong with the attributes and methods of a solver; empty if they are valid."""
    missing = [
        name for name in (*ATTRIBUTE_TYPES, *REQUIRED_METHODS) if getattr_static(solver, name, None) is None
    ]
    if missing:
        return f"it has no {', no '.join(missing)}"
    for field, kind in ATTRIBUTE_TYPES.items():
        value = getattr_static(solver, field)
        if isinstance(value, property | cached_property):
            continue
        if not isinstance(value, kind):
            return f"its {field} is {kind_of(value)}"
        if kind in (tuple, Set) and not all_text(value):
            return f"its {field} are not all text"
        if field == "formulations" and not value:
            return 'it has no formulation; ("",) stands for a single one without a name'
    methods = (
        *REQUIRED_METHODS,
        *(method for name, method in FEATURE_METHODS.items() if name in solver.features),
    )
    missing = [name for name in methods if not callable(getattr(solver, name, None))]
    return f"it has no method {', no method '.join(missing)}" if missing else ""


def solver(name: str, settings: Settings | None = None) -> Solver:
    """Return the solver with this name or ``name:variant``. Raises UsageError.

    A solver from another distribution runs in a process of its own, and so does a solver with a formulation
    from another distribution, unless the settings have ``isolate=False``.
    """
    plain, _, variant = name.partition(":")
    where = location(plain)
    in_process = sys.platform == "emscripten" or (settings is not None and settings.isolate is False)
    if not in_process and plain not in SOLVERS and plugins.is_foreign(SOLVER_GROUP, plain):
        return outside(name)
    found = solver_at(where, variant)
    if in_process or settings is None or settings.formulation not in found.published:
        return found
    foreign = plugins.is_foreign("milp_pips.formulations", f"{plain}.{settings.formulation}")
    return outside(name) if foreign else found


def outside(name: str) -> Solver:
    """Return the solver with this name, run in a process of its own. Raises UsageError."""
    plain, _, variant = name.partition(":")
    return cast("Solver", load(OUTSIDE)(name, location(plain), variant))


OUTSIDE = "milp_pips.engines.outside:outside_solver"
"""The function that runs a solver in its own process; loaded late, since its module imports this one."""


def require_installed(name: str, formulation: str = "") -> None:
    """Raise UsageError if the name of a solver, its variant or its formulation is unknown.

    Untrusted names are checked by this first, since a plugin might take any other for a file or a program.
    """
    plain, _, variant = name.partition(":")
    found = solver(plain)
    if variant:
        with PluginErrors(f"{plain} cannot list its variants"):
            known = {str(each).lower() for each in found.known_variants()}
        if variant.lower() not in known:
            expected = found.variants if known else "none: it lists no variants"
            raise UsageError(
                f"{plain} has no variant {variant!r}; expected {expected}{meant(variant, known)}"
            )
        found = solver(name)
    require_formulation(name, found, formulation)


def require_formulation(name: str, solver: Solver, formulation: str) -> None:
    """Raise UsageError for a formulation that this solver does not have."""
    if formulation and not has_formulation(solver, formulation):
        ways = ", ".join(filter(None, solver.formulations)) or "none"
        near = meant(formulation, solver.formulations)
        raise UsageError(f"{name} has no formulation {formulation!r}; it has: {ways}{near}")


def has_formulation(solver: Solver, formulation: str) -> bool:
    """Return whether the solver has all of the given formulations, separated by commas."""
    return set(formulation.split(",")) <= set(solver.formulations) - {""}


def available(name: str, settings: Settings | None = None) -> Solver:
    """Return the solver with this name. Raises UsageError with the reason if it cannot run on this machine.

    The settings determine in which process it runs, see ``solver``.
    """
    found = solver(name, settings)
    reason = reason_against(found)
    if reason:
        raise UsageError(f"{name} cannot run here: {reason}")
    return found


def reason_against(solver: Solver) -> str:
    """Return the reason why the solver cannot run on this machine; empty if it can."""
    try:
        with PluginErrors("its check failed"):
            return str(solver.unavailable() or "")
    except EngineFault as fault:
        return str(fault)


def version_of(solver: Solver) -> str:
    """Return the version of the solver's engine, looked up once; empty if the solver does not know it."""
    known = getattr(type(solver), "version", None), solver.name
    if not _versions.get(known):
        try:
            with PluginErrors("it cannot report its version"):
                _versions[known] = str(solver.version() or "")
        except EngineFault:
            return ""
    return _versions[known]


_versions: dict[tuple[object, str], str] = {}


def formulations(name: str) -> dict[str, str]:
    """Return the locations of the formulations that entry points add to the solver with this name."""
    entries = plugins.names("milp_pips.formulations", {}).items()
    return {entry.removeprefix(f"{name}."): where for entry, where in entries if entry.startswith(f"{name}.")}


def solvers() -> Iterator[tuple[str, Solver | str]]:
    """Yield every solver with its name; in place of one that cannot be loaded, yield the reason.

    The process of a plugin's solver ends when the next solver is requested; a later call starts another.
    """
    for name in names():
        try:
            found = solver(name)
        except UsageError as error:
            yield name, str(error)
            continue
        yield name, found
        if getattr(found, "has_own_process", False):
            cast("Any", found).close()
