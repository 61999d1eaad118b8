"""A proxy for a solver of another distribution, which runs in a process of its own.

The proxy has all the methods of a solver in this process. The plugin's module is never imported in this
process, so if it exits, crashes, sleeps or prints, this affects only its own process. That process is started
when it is first needed, and is replaced once it has ended. It keeps the solver and the objects that this one
loads, and requests name them by their numbers; the last part of this module is what runs there.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence, Set
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, TypeVar, cast

from milp_pips.engines import registry
from milp_pips.engines.contract import Points, SearchNode
from milp_pips.problem import Answer, Deadline, Problem, Proof, Settings, Stop, plugins
from milp_pips.problem.errors import EngineFault, UsageError
from milp_pips.problem.fields import shown
from milp_pips.runtime.executor import Arguments, OwnProcess
from milp_pips.runtime.interruptible import GRACE, Limits

if TYPE_CHECKING:
    from milp_pips.formulations.cnf import Clauses
    from milp_pips.formulations.model import Model

T = TypeVar("T")

PROCESS_START_SECONDS = 5.0
"""Seconds that a process may take to start, in addition to those for importing the plugin."""

_known: dict[tuple[str, str], OutsideSolver | str] = {}
"""The solvers by name and location; the reason in place of one that cannot be loaded."""


def outside_solver(name: str, where: str, variant: str) -> OutsideSolver:
    """Return a proxy for the solver at a location, in a process of its own. Raises UsageError."""
    found = _known.get((name, where))
    if found is None:
        try:
            found = OutsideSolver(name, where, variant)
        except UsageError as error:
            found = str(error)
        _known[name, where] = found
    if isinstance(found, str):
        raise UsageError(found)
    return found


def close_all() -> None:
    """End the processes of all solvers; later calls start others."""
    for solver in _known.values():
        if not isinstance(solver, str):
            solver.close()


class _Stopped(Exception):
    """The deadline passed before the process replied."""

    def __init__(self, stop: Stop):
        self.stop = stop


class OutsideSolver:
    """A solver in a process of its own, with the attributes of the plugin's solver; see ``Solver``."""

    features: frozenset[str]
    has_own_process = True

    def __init__(self, name: str, where: str, variant: str):
        self._name, self._start = name, partial(Session, name, where, variant)
        self._session = self._start()
        vars(self).update(self._session.data)

    def session(self) -> Session:
        """Return the process of this solver, a new one if the last has ended. Raises UsageError."""
        if self._session.ended:
            self._session = self._start()
        return self._session

    def close(self) -> None:
        """End the process of this solver; the next call starts another."""
        self._session.close()

    @cached_property
    def _reason(self) -> str:
        return str(self._query("unavailable", f"it does not answer within {plugins.IMPORT_SECONDS:g} s"))

    @cached_property
    def _version(self) -> str:
        return str(self._query("version", ""))

    def unavailable(self) -> str:
        """Return the reason why the solver cannot run on this machine; empty if it can."""
        return self._reason

    def version(self) -> str:
        """Return the version of the solver's engine; empty if the solver does not know it."""
        return self._version

    def known_variants(self) -> Iterable[str]:
        """Return the variants that the solver knows."""
        return self._query("known_variants", ())

    def _query(self, method: str, otherwise: T) -> T:
        """Return the result of a method without arguments, or ``otherwise`` if it takes too long."""
        try:
            return cast("T", self.session().call(0, method, (), Deadline(plugins.IMPORT_SECONDS)))
        except _Stopped:
            return otherwise

    def solve(self, problem: Problem, settings: Settings, deadline: Deadline) -> Answer:
        """Solve the problem; see ``Solver``."""
        return self._result(partial(Answer, None, Proof.NONE), settings, deadline, "solve", problem)

    def count(self, problem: Problem, key: str, settings: Settings, deadline: Deadline) -> Answer:
        """Count the solutions; see ``CountingSolver``."""
        return self._result(partial(Answer, None, Proof.NONE), settings, deadline, "count", problem, key)

    def tree(
        self, model: Model, costs: Sequence[float] | None, limit: int, settings: Settings, deadline: Deadline
    ) -> tuple[list[SearchNode], Stop]:
        """Return the nodes of a tree; see ``TreeSolver``."""
        return self._result(lambda stop: ([], stop), settings, deadline, "tree", model, costs, limit)

    def _result(
        self, otherwise: Callable[[Stop], T], settings: Settings, deadline: Deadline, method: str, *given: Any
    ) -> T:
        """Return the result of one call."""
        try:
            return cast("T", self.session().call(0, method, (*given, _own(settings), Deadline), deadline))
        except _Stopped as stopped:
            return otherwise(stopped.stop)

    def points(self, problem: Problem, key: str, settings: Settings, deadline: Deadline) -> Points:
        """Yield every point; see ``EnumeratingSolver``."""
        session, number = self.session(), None
        try:
            number = session.call(0, "points", (problem, key, _own(settings), Deadline), deadline)
            while True:
                has_ended, value = session.call(number, "next", (), deadline)
                if has_ended:
                    return cast("tuple[Proof, Stop]", value)
                yield value
        except _Stopped as stopped:
            return Proof.NONE, stopped.stop
        finally:
            if number is not None:
                session.dropped.append(number)

    def live(self, problem: Problem, key: str, settings: Settings) -> OutsideModel:
        """Return the problem as a model that stays loaded; see ``LiveSolver``."""
        arguments = problem, key, _own(settings)
        return OutsideModel(self.session(), "live", arguments, Deadline(settings.seconds))

    def load(self, clauses: Clauses, deadline: Deadline) -> OutsideClauses:
        """Return the loaded formula; see ``AssumingSolver``."""
        return OutsideClauses(self.session(), "load", (clauses, Deadline), deadline)

    def relax(self, *_: object, **__: object) -> NoReturn:
        """Raise UsageError: relaxations are only available from a solver in this process."""
        raise UsageError(f"{self._name} solves relaxations only in this process: set isolate=False")


def _own(settings: Settings) -> Settings:
    """Return the settings for use in the solver's own process, which needs no further isolation."""
    return settings.changed(isolate=False)


class _Loaded:
    """An object that stays loaded in a solver's process; the first call loads it.

    A call without a deadline of its own is limited by the last deadline that was given.
    """

    def __init__(self, session: Session, method: str, arguments: Arguments, deadline: Deadline):
        self._session, self._loading, self._deadline = session, (method, arguments), deadline
        self._number = 0

    def _call(self, otherwise: Any, method: str, *arguments: Any, deadline: Deadline | None = None) -> Any:
        """Return what a method of the object returns; ``otherwise`` after the deadline."""
        self._deadline = deadline or self._deadline
        try:
            if not self._number:
                self._number = self._session.call(0, *self._loading, self._deadline)
                weakref.finalize(self, self._session.dropped.append, self._number).atexit = False
            return self._session.call(self._number, method, arguments, self._deadline)
        except _Stopped:
            return otherwise


def _remote(method: str, otherwise: object) -> Callable[..., Any]:
    """Return a method that calls a loaded object's method, and gives ``otherwise`` after the deadline."""
    return lambda self, *arguments: self._call(otherwise, method, *arguments)


class OutsideModel(_Loaded):
    """A live model in a solver's process; see ``LiveModel``."""

    def solve(self, within: Any, deadline: Deadline) -> Answer:
        """Return a solution within the domains, if one is found."""
        found = self._call(None, "solve", within, Deadline, deadline=deadline)
        return found or Answer(None, Proof.NONE, deadline.stop or Stop.TIME)

    def exclude(self, point: Sequence[Any]) -> None:
        """Cut off a solution."""
        self._call(None, "exclude", tuple(point))


class OutsideClauses(_Loaded):
    """A formula in a solver's process; see ``LoadedClauses``."""

    model, core, propagate = (_remote(method, []) for method in ("model", "core", "propagate"))

    def solve(
        self, assumptions: Sequence[int], deadline: Deadline, conflicts: int | None = None
    ) -> bool | None:
        """Return whether there is a model."""
        found = self._call(None, "solve", assumptions, Deadline, conflicts, deadline=deadline)
        return cast("bool | None", found)

    def add(self, literals: Iterable[int]) -> None:
        """Add a clause."""
        self._call(None, "add", tuple(literals))


class Session:
    """A process that runs one solver.

    ``data`` holds the solver's attributes. ``dropped`` collects the numbers of objects that the process need
    not keep any longer.

    Raises UsageError if the solver cannot be loaded.
    """

    def __init__(self, name: str, where: str, variant: str):
        self._name, self._process = name, OwnProcess()
        self.dropped: list[int] = []
        limits = Limits(Deadline(PROCESS_START_SECONDS + plugins.IMPORT_SECONDS))
        try:
            loaded = self._process.submit(load_here, (where, variant), limits)
        except UsageError:
            self.close()
            raise
        if loaded.value is None:
            late = f"it takes over {plugins.IMPORT_SECONDS:g} s"
            reason = f"{name} failed: {loaded.fault}" if loaded.fault else late
            raise UsageError(f"the plugin {where} cannot be loaded: {reason}")
        self.data: Mapping[str, Any] = loaded.value

    @property
    def ended(self) -> bool:
        """Whether the process has ended."""
        return self._process.ended

    def close(self) -> None:
        """End the process and all of its children."""
        self._process.close()

    def call(self, number: int, method: str, arguments: Arguments, deadline: Deadline) -> Any:
        """Return the reply to a request; see ``Request``.

        At the deadline the process gets a moment to stop by itself, then it is ended. Raises the errors of
        this package that the solver raises, and EngineFault if it raises anything else, or if the process
        ends.
        """
        # Sent with the next request: numbers are added when objects are collected, at any time and in any
        # thread.
        dropped, self.dropped[:] = tuple(self.dropped), []
        request = Request(number, method, arguments, dropped)
        limits = Limits(deadline, grace=GRACE)
        outcome = self._process.submit(reply_here, (self._name, request), limits)
        if outcome.fault:
            raise EngineFault(f"{self._name} failed: {outcome.fault}")
        if outcome.value is None:
            raise _Stopped(outcome.stop or Stop.ERROR)
        return outcome.value[0]


class Request(NamedTuple):
    """A call of a method of an object that the solver's process keeps.

    The class ``Deadline`` among the arguments stands for the deadline that holds there. ``dropped`` are the
    numbers of objects that the caller no longer needs.
    """

    number: int
    method: str
    arguments: Arguments
    dropped: Sequence[int]


# The other side, in the process of the solver.

KEPT_RESULTS = ("live", "load", "points")
"""The methods whose result is an object that stays in the process."""

PLAIN_DATA: dict[type, Callable[[Any], object]] = {
    str: str,
    bool: bool,
    int: int,
    tuple: lambda words: tuple(map(str, words)),
    Set: lambda words: frozenset(map(str, words)),
    Mapping: lambda options: {str(name): str(value) for name, value in options.items()},
}
"""Conversions of a solver's attributes to types that can be unpickled without the plugin's module."""

_objects: dict[int, Any] = {}
"""The objects that callers use, by number; number 0 is the solver itself."""


def load_here(where: str, variant: str, _deadline: Deadline) -> dict[str, object]:
    """Load the solver at a location; return its attributes as plain data. Raises UsageError."""
    _objects[0] = solver = registry.solver_at(where, variant)
    with plugins.PluginErrors(f"the plugin {where} is not a solver", UsageError):
        return {
            field: PLAIN_DATA[kind](getattr(solver, field))
            for field, kind in registry.ATTRIBUTE_TYPES.items()
        }


def reply_here(name: str, request: Request, deadline: Deadline) -> tuple[Any]:
    """Return a method's result, or the number of the object that it returns, as a tuple of length 1.

    The result of ``next`` is whether the generator has ended, and its item or result. ``name`` names the
    solver in errors. Raises EngineFault, and what the method raises of this package's errors.
    """
    for number in request.dropped:
        _objects.pop(number, None)
    target, method = _objects[request.number], request.method
    match request.number, method:
        case 0, "unavailable":
            return (registry.reason_against(target),)
        case 0, "version":
            return (registry.version_of(target),)
        case 0, "known_variants":
            with plugins.PluginErrors(f"{name} cannot list its variants"):
                return (tuple(map(str, target.known_variants())),)
    with plugins.PluginErrors(f"{name} failed"):
        # One item at a time, since the caller decides when it has enough.
        if method == "next":
            try:
                return ((False, next(target)),)
            except StopIteration as end:
                return ((True, end.value),)
        arguments = [deadline if each is Deadline else each for each in request.arguments]
        value = getattr(target, method)(*arguments)
    if method not in KEPT_RESULTS:
        return (value,)
    if method == "points" and not isinstance(value, Generator):
        raise EngineFault(f"{name} gave no generator of points, but {shown(value)}")
    # The object stays here and the caller gets its number, since engines' objects cannot be pickled.
    number = max(_objects) + 1
    _objects[number] = value
    return (number,)
