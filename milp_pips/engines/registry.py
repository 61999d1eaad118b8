"""The solvers by name: find, load and validate them, run them here or in a worker, validate what they answer.

The first part finds solvers, whether built in or from entry points. The second part decides where a solver
runs, and validates its answer; the third runs it in a worker process of its own.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from importlib import import_module
from inspect import getattr_static
from operator import index
from typing import TYPE_CHECKING, Any, cast

from milp_pips.engines.contract import SearchNode, Solver
from milp_pips.problem import plugins
from milp_pips.problem.answer import Answer, Proof, Settings, Stop
from milp_pips.problem.errors import EngineFault, UsageError, meant
from milp_pips.problem.fields import shown
from milp_pips.problem.plugins import PluginErrors, all_text, kind_of, load
from milp_pips.problem.problem import Problem
from milp_pips.problem.stopping import Deadline

if TYPE_CHECKING:
    from milp_pips.formulations.linear_problem import LinearProblem
    from milp_pips.formulations.model import Model
    from milp_pips.runtime.executor import Arguments, Outcome

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
    "ganak": "milp_pips.engines.ganak:GanakSolver",
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


def described(solver: Solver, formulation: str, settings: Settings) -> str:
    """Return the solver's title, and where it has no presolve then, its version, formulation and options."""
    if not solver.without_presolve:
        return solver.title
    how = ", ".join(f"{name} {value}" for name, value in settings.options.items())
    return f"{solver.title} {version_of(solver)} ({formulation or 'the same model'}, {how})"


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


# Running a solver.


def ask(name: str, problem: Problem, settings: Settings, deadline: Deadline) -> Answer:
    """Return the answer of a solver, which runs in this process if that is safe, else in a worker.

    It runs in a worker if the settings request isolation or set a memory limit, if the solver requires it, or
    if a module that clashes with the solver's library is loaded in this process. A solver from another
    distribution has a process of its own, which ``registry.available`` has started.

    Raises UsageError, also if the problem is too large for the solver, and EngineFault.
    """
    solver = available(name, settings)
    require_size(solver, problem)
    require_model_solver(solver, problem)
    if problem.objective is not None and "objective" not in solver.features:
        able = [n for n, found in solvers() if "objective" in getattr(found, "features", ())]
        raise UsageError(f"{name} takes no objective; these solvers do: {', '.join(able)}")
    if needs_worker(solver, settings):
        return checked_answer(ask_in_worker(name, problem, settings, deadline), problem, name)
    with PluginErrors(f"{name} failed"):
        return checked_answer(solver.solve(problem, settings, deadline), problem, name)


def require_size(solver: Solver, problem: Problem) -> None:
    """Raise UsageError if the problem is too large for the solver."""
    if 0 < solver.most_values < problem.open_values:
        raise UsageError(
            f"{solver.name} takes problems with {solver.most_values} open values at most; this one has "
            f"{problem.open_values}"
        )


def require_model_solver(solver: Solver, problem: Problem | LinearProblem) -> None:
    """Raise UsageError if the problem is a linear one, and the solver does not take such models."""
    if isinstance(problem, Problem) or "models" in solver.features:
        return
    able = ", ".join(n for n, found in solvers() if "models" in getattr(found, "features", ()))
    reason = problem.model.reason_against_problem
    raise UsageError(f"{problem.name}: {reason}; {solver.name} does not take it, these do: {able}")


def needs_worker(solver: Solver, settings: Settings) -> bool:
    """Return whether the solver needs a process of its own and has none yet."""
    if settings.memory is not None and "memory limit" not in solver.features:
        return True
    if getattr(solver, "has_own_process", False):
        return False
    clash = not solver.clashes.isdisjoint(sys.modules)
    return bool(settings.isolate) or solver.isolated or clash


def is_here(name: str, settings: Settings) -> bool:
    """Return whether a solver runs in this process; its library is loaded, which costs no search its time."""
    solver = available(name)
    if needs_worker(solver, settings):
        return False
    for module in solver.requires:
        with suppress(ImportError):
            import_module(module)
    return True


def count_by_engine(name: str, problem: Problem, key: str, settings: Settings, deadline: Deadline) -> Answer:
    """Return how many solutions differ in the key (``count``), by a solver with the feature ``counting``.

    It runs in this process or in a worker, as in ``ask``. Raises UsageError if the solver cannot count, or
    not by this key, and EngineFault.
    """
    solver = available(name, settings)
    if "counting" not in solver.features:
        raise UsageError(f"{name} cannot count solutions, only search for them")
    require_size(solver, problem)
    tally, stop = _call(name, solver, "count", (problem, key), settings, deadline)
    if stop is not None:
        return Answer(None, Proof.NONE, stop, count=0)
    if not isinstance(tally, Answer) or (tally.proof is Proof.COMPLETE and tally.count is None):
        raise EngineFault(f"{name} returned {shown(tally)} instead of a count")
    return tally


def tree_of_engine(
    name: str, model: Model, costs: Sequence[float] | None, limit: int, settings: Settings, deadline: Deadline
) -> tuple[list[SearchNode], Stop]:
    """Return the branch-and-bound tree of a solver with the feature ``tree``, and why it stopped.

    It runs in this process or in a worker, as in ``ask``. Raises UsageError if the solver does not have this
    feature, and EngineFault.
    """
    solver = available(name, settings)
    if "tree" not in solver.features:
        able = [other for other, found in solvers() if "tree" in getattr(found, "features", ())]
        raise UsageError(f"{name} does not show its tree; these do: {', '.join(able)}")
    tree, stop = _call(name, solver, "tree", (model, costs, limit), settings, deadline)
    if stop is not None:
        return [], stop
    with PluginErrors(f"{name} failed"):
        nodes, stop = tree
        return list(nodes), Stop(stop)


def checked_answer(answer: Answer, problem: Problem | LinearProblem, who: str) -> Answer:
    """Return the answer with a point of plain integers. Raises EngineFault if it is not a valid answer."""
    if not isinstance(answer, Answer):
        raise EngineFault(f"{who} returned a {type(answer).__name__} instead of an answer")
    for name, kind in ANSWER_FIELD_TYPES.items():
        value = getattr(answer, name)
        if not isinstance(value, kind) or (kind is Mapping and not _counts(value)):
            raise EngineFault(f"{who} returned an invalid answer: its {name} is {shown(value)}")
    if answer.proof is Proof.OPTIMAL and (problem.objective is None or answer.point is None):
        raise EngineFault(f"{who} returned an invalid answer: optimal without a point or an objective")
    if answer.point is None:
        return answer
    if not isinstance(problem, Problem):  # the search has judged it
        return answer
    point = checked_point(answer.point, problem, who)
    value = None if problem.objective is None else problem.objective.value(point)
    if value != answer.value:
        raise EngineFault(f"{who} gives the value {shown(answer.value)} of a point whose value is {value}")
    return replace(answer, point=point)


ANSWER_FIELD_TYPES: dict[str, type] = {
    **{"proof": Proof, "stop": Stop, "formulation": str, "message": str},
    **dict.fromkeys(("size", "statistics", "seconds"), Mapping),
}
"""The types of an answer's fields, without its point."""


def _counts(value: Any) -> bool:
    """Return whether a mapping has only names as keys and numbers as values."""
    return all(isinstance(name, str) and isinstance(number, int | float) for name, number in value.items())


def checked_point(point: Sequence[int], problem: Problem, who: str) -> tuple[int, ...]:
    """Return the point as a tuple. Raises EngineFault unless it has an integer for every variable."""
    try:
        values = tuple(map(index, point))
    except TypeError:
        raise EngineFault(f"{who} returned an invalid point: {' '.join(repr(point).split())[:60]}") from None
    if len(values) != len(problem.variables):
        count = len(problem.variables)
        raise EngineFault(f"{who} returned a point of {len(values)} values for {count} variables")
    return values


# A solver in a worker process of its own.

WORKER_GRACE = 0.5
"""Seconds after the deadline at which the worker is killed: it needs some time to send its answer."""


def ask_in_worker(name: str, problem: Problem, settings: Settings, deadline: Deadline) -> Answer:
    """Return the answer of a solver that runs in a worker, within ``settings.memory``.

    Raises UsageError and EngineFault if the solver does.
    """
    outcome = _call_in_worker(name, "solve", (problem,), settings, deadline)
    if outcome.value is None:
        return Answer(None, Proof.NONE, outcome.stop or Stop.ERROR, message=outcome.fault)
    answer = cast("Answer", outcome.value)
    if outcome.stop and isinstance(answer, Answer) and answer.stop is Stop.COUNT:
        # an engine that handles Ctrl-C itself reports a limit
        return replace(answer, stop=outcome.stop)
    return answer


def _call(
    name: str, solver: Solver, method: str, arguments: Arguments, settings: Settings, deadline: Deadline
) -> tuple[Any, Stop | None]:
    """Return the result of a solver's method, here or in a worker, and why it has none, if that was stopped.

    Raises UsageError and EngineFault, the latter also if the worker dies.
    """
    if not needs_worker(solver, settings):
        with PluginErrors(f"{name} failed"):
            return getattr(solver, method)(*arguments, settings, deadline), None
    outcome = _call_in_worker(name, method, arguments, settings, deadline)
    if outcome.fault:
        raise EngineFault(f"{name} failed: {outcome.fault}")
    return (None, outcome.stop or Stop.ERROR) if outcome.value is None else (outcome.value, None)


def _call_in_worker(
    name: str, method: str, arguments: Arguments, settings: Settings, deadline: Deadline
) -> Outcome[Any]:
    """Call a method of a solver in a worker, within ``settings.memory``; return the outcome."""
    from milp_pips.runtime.executor import call_in_process
    from milp_pips.runtime.interruptible import Limits

    plain, _, variant = name.partition(":")
    own = settings.changed(isolate=False)  # the worker needs no further process
    call = (location(plain), variant, method, (*arguments, own))
    return call_in_process(_call_here, call, Limits(deadline, memory=settings.memory, grace=WORKER_GRACE))


def _call_here(where: str, variant: str, method: str, arguments: Arguments, deadline: Deadline) -> Any:
    """Return what a method of the solver at a location returns; runs in the worker."""
    return getattr(solver_at(where, variant), method)(*arguments, deadline)
