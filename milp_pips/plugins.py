"""Names of families and solvers, built in or from entry points, and one loader for all of them."""

from __future__ import annotations

import importlib
import sys
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from contextlib import suppress
from functools import cache, cached_property
from inspect import getattr_static
from typing import TYPE_CHECKING, Any, cast

from milp_pips.errors import (
    EngineFault,
    FamilyFault,
    MilpPipsError,
    Terminated,
    UsageError,
    meant,
    unknown_name,
)

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from milp_pips.answer import Settings
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
    "cpmpy": "milp_pips.solvers.cpmpy:CpmpySolver",
    "clingo": "milp_pips.solvers.clingo:ClingoSolver",
    "sat": "milp_pips.solvers.sat:SatSolver",
    "cdcl": "milp_pips.solvers.cdcl:CdclSolver",
    "brute": "milp_pips.solvers.brute:BruteSolver",
    "diagram": "milp_pips.solvers.diagram:DiagramSolver",
    "lns": "milp_pips.solvers.lns:LnsSolver",
}
FAMILIES = {
    "pips": "milp_pips.puzzles.pips:FAMILY",
    "sudoku": "milp_pips.puzzles.sudoku:FAMILY",
    "colour-grid": "milp_pips.puzzles.colour_grid:FAMILY",
}
WITHOUT_FILES = {"problem": "milp_pips.puzzles.bare:FAMILY"}
"""Families that no file is of, and so nobody is to choose from."""
BUILT_IN = {"milp_pips.solvers": SOLVERS, "milp_pips.puzzles": FAMILIES}
"""Entry-point group → name → ``module`` or ``module:object``; an outside package adds to the same groups.

So does this distribution itself with what is in ``milp_pips.published``, and in the group
``milp_pips.formulations``, whose names are ``SOLVER.FORMULATION``.
"""

UNSAID: dict[str, object] = {
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

KINDS: dict[str, type] = {
    **{"name": str, "kind": str, "title": str, "requires": tuple, "features": Set, "formulations": tuple},
    **{"distribution": str, "published": Set, "filtering": Set, "clashes": Set, "without_presolve": Mapping},
    **{"proof_family": str, "isolated": bool, "variants": str},
    **{"most_values": int},
}
"""What a solver says of itself, and of what kind that is, where it is a plain attribute."""

METHODS = ("unavailable", "version", "solve")
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

FAMILY_NEEDED = (
    *("name", "examples", "recognises", "read", "state", "decode", "encode", "check", "draw", "to_json"),
    *("read_solution", "write_solution"),
)
"""What every family must have; see ``milp_pips.puzzles.family.Family`` for all of it."""

FAMILY_OPTIONAL = ("read_board", "alternatives", "json_pieces", "generator", "resembles")
"""The functions that it may have."""


def names(group: str) -> dict[str, str]:
    """Return where each plugin of the group is found, the built-in ones first; those keep their names."""
    found = dict(BUILT_IN.get(group, {}))
    for entry in _entries(group):
        found.setdefault(entry.name, entry.value)
    return found


def _entries(group: str) -> Iterable[EntryPoint]:
    from importlib import metadata

    return metadata.entry_points(group=group)


def is_foreign(group: str, name: str) -> bool:
    """Return whether the plugin of this name comes from another distribution than this package."""
    if name in BUILT_IN.get(group, {}):
        return False
    entry = next((entry for entry in _entries(group) if entry.name == name), None)
    return entry is not None and not (entry.dist and entry.dist.name.replace("_", "-") == "milp-pips")


def location(group: str, name: str) -> str:
    """Return where the plugin of this name is found. Raises UsageError if there is none."""
    where = BUILT_IN[group].get(name) or names(group).get(name)
    if where is None:
        raise unknown_name(_what(group), name, names(group))
    return where


class Blame:
    """A context in which code from elsewhere runs: what it raises is told in one line, as somebody's fault.

    Our own errors pass, and so does an interruption; anything else, SystemExit included, becomes ``kind``.
    """

    def __init__(self, words: str, kind: type[MilpPipsError] = EngineFault):
        self._words, self._kind = words, kind

    def __enter__(self) -> None:
        """Send what is printed there to standard error, which is not read as an answer.

        In the main thread alone: two threads that changed it in turn would not restore what was there.
        """
        self._output = sys.stdout
        if threading.current_thread() is threading.main_thread():
            sys.stdout = sys.stderr

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        if threading.current_thread() is threading.main_thread():
            sys.stdout = self._output
        if not isinstance(error, PASSING):
            told = " ".join(str(error).split())[:300]
            raise self._kind(f"{self._words}: {type(error).__name__}{': ' if told else ''}{told}") from error


PASSING = (type(None), MilpPipsError, Terminated, KeyboardInterrupt, StopIteration, GeneratorExit)

_hanging: set[str] = set()
"""Modules whose import has not ended in time: it goes on in its thread, and nobody waits for it again."""

PATIENCE = 10.0
"""Seconds that a plugin from outside may take to be imported: a library of engines takes one or two."""


def load(where: str) -> Any:
    """Return the module or object at ``module`` or ``module:object``. Raises UsageError.

    What is not of this package is imported in a thread of its own, so that one that hangs is told.
    """
    module, _, attribute = where.partition(":")
    loaded: list[Any] = []

    def import_it() -> None:
        with suppress(BaseException):  # said again by the import below
            loaded.append(importlib.import_module(module))

    if not module.startswith("milp_pips.") and module not in sys.modules:
        if module in _hanging:
            raise UsageError(f"the plugin {where} cannot be loaded: its import hangs")
        thread = threading.Thread(target=import_it, daemon=True)
        thread.start()
        thread.join(PATIENCE)
        if thread.is_alive():
            _hanging.add(module)
            raise UsageError(f"the plugin {where} cannot be loaded: its import takes over {PATIENCE:g} s")
    with Blame(f"the plugin {where} cannot be loaded", UsageError):
        found = loaded[0] if loaded else importlib.import_module(module)
        return getattr(found, attribute) if attribute else found


def solver_at(where: str, variant: str = "") -> Solver:
    """Return the solver found there, whose data are complete: what it leaves unsaid gets a default.

    Raises UsageError.
    """
    make = load(where)
    with Blame(f"the plugin {where} is no solver", UsageError):
        found = make(variant) if variant else make()
        known = type(found), variant
        if known not in _valid:
            unsaid = {**UNSAID, "proof_family": found.name}
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
"""Classes of solvers, with variant, that have been validated, and the defaults of what they leave unsaid:
a solve looks its solver up four times, and validation takes a quarter of a millisecond."""


def _fault_of(solver: Any) -> str:
    """Return what is wrong with the data of a solver; empty where nothing is."""
    missing = [name for name in (*KINDS, *METHODS) if getattr_static(solver, name, None) is None]
    if missing:
        return f"it has no {', no '.join(missing)}"
    for field, kind in KINDS.items():
        value = getattr_static(solver, field)
        if isinstance(value, property | cached_property):
            continue
        if not isinstance(value, kind):
            return f"its {field} is {_kind_of(value)}"
        if kind in (tuple, Set) and not _all_text(value):
            return f"its {field} are not all text"
        if field == "formulations" and not value:
            return 'it has no formulation, where ("",) would be one without a name'
    methods = (*METHODS, *(method for name, method in FEATURE_METHODS.items() if name in solver.features))
    missing = [name for name in methods if not callable(getattr(solver, name, None))]
    return f"it has no method {', no method '.join(missing)}" if missing else ""


def _all_text(words: Any) -> bool:
    return all(isinstance(word, str) for word in words)


def solver(name: str, settings: Settings | None = None) -> Solver:
    """Return the solver of this name, or of this ``name:variant``. Raises UsageError.

    What comes from another distribution, a solver or the formulation of the settings, runs in a process of
    its own, unless the settings say ``isolate=False``.
    """
    plain, _, variant = name.partition(":")
    where = location("milp_pips.solvers", plain)
    here = sys.platform == "emscripten" or (settings is not None and settings.isolate is False)
    if not here and is_foreign("milp_pips.solvers", plain):
        return outside(name)
    found = solver_at(where, variant)
    if here or settings is None or settings.formulation not in found.published:
        return found
    foreign = is_foreign("milp_pips.formulations", f"{plain}.{settings.formulation}")
    return outside(name) if foreign else found


def outside(name: str) -> Solver:
    """Return the solver of this name in a process of its own. Raises UsageError."""
    plain, _, variant = name.partition(":")
    return cast("Solver", load(OUTSIDE)(name, location("milp_pips.solvers", plain), variant))


OUTSIDE = "milp_pips.process.outside:outside_solver"
"""What runs a solver in a process of its own; processes are built on plugins, so it is loaded as one."""


def require_installed(name: str, formulation: str = "") -> None:
    """Look up the names of a solver, its variant and its formulation. Raises UsageError for an unknown one.

    Names that strangers write are looked up first: a plugin might take any other for a file or a program.
    """
    plain, _, variant = name.partition(":")
    found = solver(plain)
    if variant:
        with Blame(f"{plain} cannot list its variants"):
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
        with Blame("it cannot say whether it can"):
            return str(solver.unavailable() or "")
    except EngineFault as fault:
        return str(fault)


def version_of(solver: Solver) -> str:
    """Return the version of the solver's engine, looked up once; empty where it cannot tell."""
    known = getattr(type(solver), "version", None), solver.name
    if not _versions.get(known):
        try:
            with Blame("it does not know its version"):
                _versions[known] = str(solver.version() or "")
        except EngineFault:
            return ""
    return _versions[known]


_versions: dict[tuple[object, str], str] = {}


def formulations(name: str) -> dict[str, str]:
    """Return where each formulation is found that entry points add to the solver of this name."""
    entries = names("milp_pips.formulations").items()
    return {entry.removeprefix(f"{name}."): where for entry, where in entries if entry.startswith(f"{name}.")}


@cache
def family(name: str) -> Family[Any, Any]:
    """Return the family of this name. Raises UsageError."""
    return family_at(WITHOUT_FILES.get(name) or location("milp_pips.puzzles", name))


def family_at(where: str) -> Family[Any, Any]:
    """Return the family found there. Raises UsageError for what is none."""
    found = load(where)
    with Blame(f"the plugin {where} is no family", UsageError):
        fault = _fault_of_family(found)
    if fault:
        raise UsageError(f"the plugin {where} is no family: {fault}")
    return cast("Family[Any, Any]", found if where in FAMILIES.values() else _guarded(found))


def _fault_of_family(family: Any) -> str:
    """Return what is wrong with the data of a family; empty where nothing is."""
    if isinstance(family, type) or type(family).__name__ != "Family":
        what = f"the class {family.__name__}" if isinstance(family, type) else _kind_of(family)
        return f"it is {what}, not a milp_pips.puzzles.family.Family"
    missing = [name for name in FAMILY_NEEDED if getattr(family, name, None) is None]
    if missing:
        return f"it has no {', no '.join(missing)}"
    if not isinstance(family.name, str):
        return f"its name is {_kind_of(family.name)}"
    if not isinstance(family.examples, tuple) or not _all_text(family.examples):
        return "its examples are no tuple of texts"
    for name in (*FAMILY_NEEDED[2:], *FAMILY_OPTIONAL):
        if not callable(getattr(family, name) or callable):
            return f"its {name} is no function"
    return ""


def _guarded(family: Any) -> Any:
    """Return a family from outside whose functions' faults are told as its own."""

    def guard(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any) -> Any:
            with Blame(f"the family {family.name} failed in {name}", FamilyFault):
                value = function(*arguments)
            wrong = name in GIVES and type(value).__name__ not in GIVES[name]
            if wrong or (name == "read" and not isinstance(value, Mapping)):
                raise FamilyFault(f"the family {family.name} failed in {name}: it gave {_kind_of(value)}")
            return value

        return call

    from dataclasses import fields, replace

    functions = {f.name: getattr(family, f.name) for f in fields(family)}
    calls = {name: guard(name, value) for name, value in functions.items() if callable(value)}
    return replace(family, **calls)


GIVES = {
    "state": ("Problem",),
    "check": ("str", "NoneType"),
    "draw": ("Drawing",),
    "encode": ("dict",),
    "read_board": ("dict",),
    "alternatives": ("list",),
    "to_json": ("dict",),
    "write_solution": ("str",),
}
"""What a family's function returns, where a wrong thing would be noticed late."""


def family_of(puzzle: Puzzle) -> Family[Any, Any]:
    """Return the family that the puzzle is of. Raises UsageError."""
    return family(puzzle.family)


def families() -> Iterator[Family[Any, Any]]:
    """Yield all families, the built-in ones first; one that cannot be loaded warns and is left out."""
    yield from map(family, FAMILIES)
    for name, where in names("milp_pips.puzzles").items():  # looked for only if someone asks on
        if name not in FAMILIES:
            try:
                yield family_at(where)
            except UsageError as error:
                warnings.warn(str(error), stacklevel=2)


def solvers() -> Iterator[tuple[str, Solver | str]]:
    """Yield every solver by name; one that cannot be loaded comes as the reason why.

    The process of one from outside ends when the next is looked at: a question to it starts another.
    """
    for name in names("milp_pips.solvers"):
        try:
            found = solver(name)
        except UsageError as error:
            yield name, str(error)
            continue
        yield name, found
        if getattr(found, "has_own_process", False):
            cast("Any", found).close()


def _kind_of(value: object) -> str:
    name = type(value).__name__
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"


def _what(group: str) -> str:
    return "solver" if group == "milp_pips.solvers" else "puzzle family"
