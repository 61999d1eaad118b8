"""The registry of solvers: names, built in or from entry points, and the solvers behind them."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Set
from functools import cached_property
from inspect import getattr_static
from typing import TYPE_CHECKING, Any, cast

from milp_pips.problem import plugins
from milp_pips.problem.errors import EngineFault, UsageError, meant
from milp_pips.problem.plugins import PluginErrors, all_text, kind_of, load

if TYPE_CHECKING:
    from milp_pips.engines.contract import Solver
    from milp_pips.problem.answer import Settings

SOLVER_GROUP = "milp_pips.solvers"
"""Entry-point group of solvers. This distribution adds those of ``milp_pips.extras.reference`` to it, and
formulations to the group ``milp_pips.formulations``, whose names are ``SOLVER.FORMULATION``."""

SOLVERS = {
    "highs": "milp_pips.engines.highs:HighsSolver",
    "cbc": "milp_pips.engines.cbc:CbcSolver",
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

ATTRIBUTE_DEFAULTS: dict[str, object] = {
    "distribution": "",
    "published": frozenset(),
    "filtering": frozenset(),
    "clashes": frozenset(),
    "without_presolve": {},
    "isolated": False,
    "variants": "",
    "most_values": 0,
    "known_variants": tuple,  # called, it gives none
}
"""What a solver says that does not say it, besides its name for what its proofs rest on."""

ATTRIBUTE_TYPES: dict[str, type] = {
    **{"name": str, "kind": str, "title": str, "requires": tuple, "features": Set, "formulations": tuple},
    **{"distribution": str, "published": Set, "filtering": Set, "clashes": Set, "without_presolve": Mapping},
    **{"proof_family": str, "isolated": bool, "variants": str},
    **{"most_values": int},
}
"""What a solver says of itself, and of what kind that is, where it is a plain attribute."""

REQUIRED_METHODS = ("unavailable", "version", "solve")
"""What every solver can be asked."""

FEATURE_METHODS = {
    "cuts": "live",
    "enumeration": "points",
    "counting": "count",
    "assumptions": "load",
    "relaxation": "relax",
    "tree": "tree",
}
"""What a solver with a feature can be asked besides."""


def names() -> dict[str, str]:
    """Return where each solver is found, the built-in ones first."""
    return plugins.names(SOLVER_GROUP, SOLVERS)


def location(name: str) -> str:
    """Return where the solver of this name is found. Raises UsageError if there is none."""
    return plugins.location(name, SOLVERS, names, "solver")


def solver_at(where: str, variant: str = "") -> Solver:
    """Return the solver found there, whose data are complete: what it leaves unsaid gets a default.

    Raises UsageError.
    """
    make = load(where)
    with PluginErrors(f"the plugin {where} is no solver", UsageError):
        found = make(variant) if variant else make()
        known = type(found), variant
        if known not in _valid:
            unsaid = {**ATTRIBUTE_DEFAULTS, "proof_family": found.name}
            # A property is not to look anything up yet.
            left = {field: unsaid[field] for field in unsaid if getattr_static(found, field, None) is None}
            for field in left:
                setattr(found, field, left[field])
            if fault := _fault_of(found):
                raise UsageError(f"the plugin {where} is no solver: {fault}")
            _valid[known] = left
        for field, default in _valid[known].items():
            if getattr(type(found), field, None) is None:
                setattr(found, field, default)
    return cast("Solver", found)


_valid: dict[tuple[type, str], dict[str, object]] = {}
"""Validated classes of solvers, with variant, and the defaults of the attributes that they leave out:
a solve looks its solver up four times, and validation takes a quarter of a millisecond."""


def _fault_of(solver: Any) -> str:
    """Return what is wrong with the data of a solver; empty where nothing is."""
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
            return 'it has no formulation, where ("",) would be one without a name'
    methods = (
        *REQUIRED_METHODS,
        *(method for name, method in FEATURE_METHODS.items() if name in solver.features),
    )
    missing = [name for name in methods if not callable(getattr(solver, name, None))]
    return f"it has no method {', no method '.join(missing)}" if missing else ""


def solver(name: str, settings: Settings | None = None) -> Solver:
    """Return the solver of this name, or of this ``name:variant``. Raises UsageError.

    What comes from another distribution, a solver or the formulation of the settings, runs in a process of
    its own, unless the settings say ``isolate=False``.
    """
    plain, _, variant = name.partition(":")
    where = location(plain)
    here = sys.platform == "emscripten" or (settings is not None and settings.isolate is False)
    if not here and plain not in SOLVERS and plugins.is_foreign(SOLVER_GROUP, plain):
        return outside(name)
    found = solver_at(where, variant)
    if here or settings is None or settings.formulation not in found.published:
        return found
    foreign = plugins.is_foreign("milp_pips.formulations", f"{plain}.{settings.formulation}")
    return outside(name) if foreign else found


def outside(name: str) -> Solver:
    """Return the solver of this name in a process of its own. Raises UsageError."""
    plain, _, variant = name.partition(":")
    return cast("Solver", load(OUTSIDE)(name, location(plain), variant))


OUTSIDE = "milp_pips.engines.outside:outside_solver"
"""What runs a solver in a process of its own; it is built on this module, so it is loaded as a plugin is."""


def require_installed(name: str, formulation: str = "") -> None:
    """Look up the names of a solver, its variant and its formulation. Raises UsageError for an unknown one.

    Names that strangers write are looked up first: a plugin might take any other for a file or a program.
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
    """Raise UsageError for a formulation that the solver of this name does not have."""
    if formulation and not has_formulation(solver, formulation):
        ways = ", ".join(filter(None, solver.formulations)) or "none"
        near = meant(formulation, solver.formulations)
        raise UsageError(f"{name} has no formulation {formulation!r}; it has: {ways}{near}")


def has_formulation(solver: Solver, formulation: str) -> bool:
    """Return whether the solver has all of the formulations named, which commas separate."""
    return set(formulation.split(",")) <= set(solver.formulations) - {""}


def available(name: str, settings: Settings | None = None) -> Solver:
    """Return the solver of this name if it can run here. Raises UsageError with the reason if not.

    ``settings`` decide in which process it runs, see ``solver``.
    """
    found = solver(name, settings)
    reason = reason_against(found)
    if reason:
        raise UsageError(f"{name} cannot run here: {reason}")
    return found


def reason_against(solver: Solver) -> str:
    """Return why the solver cannot run here; empty where it can."""
    try:
        with PluginErrors("it cannot say whether it can"):
            return str(solver.unavailable() or "")
    except EngineFault as fault:
        return str(fault)


def version_of(solver: Solver) -> str:
    """Return the version of the solver's engine, looked up once; empty where it cannot tell."""
    known = getattr(type(solver), "version", None), solver.name
    if not _versions.get(known):
        try:
            with PluginErrors("it does not know its version"):
                _versions[known] = str(solver.version() or "")
        except EngineFault:
            return ""
    return _versions[known]


_versions: dict[tuple[object, str], str] = {}


def formulations(name: str) -> dict[str, str]:
    """Return where each formulation is found that entry points add to the solver of this name."""
    entries = plugins.names("milp_pips.formulations", {}).items()
    return {entry.removeprefix(f"{name}."): where for entry, where in entries if entry.startswith(f"{name}.")}


def solvers() -> Iterator[tuple[str, Solver | str]]:
    """Yield every solver by name; one that cannot be loaded comes as the reason why.

    The process of one from outside ends when the next is looked at: a question to it starts another.
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
