"""A proxy for a solver of another distribution, which runs in a process of its own.

The proxy has all the methods of a solver in this process. The plugin's module is never imported in this
process, so if it exits, crashes, sleeps or prints, this affects only its own process. That process is started
when it is first needed, keeps the objects that the solver loads, and is replaced once it has ended.
``milp_pips.engines.host`` is the other side.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar, cast

from milp_pips.engines import host
from milp_pips.problem import plugins
from milp_pips.problem.answer import Answer, MipResult, Proof, Settings, Stop, Tally
from milp_pips.problem.errors import EngineFault, UsageError
from milp_pips.problem.stopping import Deadline
from milp_pips.runtime.executor import OwnProcess
from milp_pips.runtime.interruptible import GRACE, Limits

if TYPE_CHECKING:
    from milp_pips.engines.contract import Points, SearchNode
    from milp_pips.formulations.cnf import Clauses
    from milp_pips.formulations.milp.model import Model
    from milp_pips.problem.problem import Problem

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
        self._name, self._where, self._variant = name, where, variant
        self._session: Session | None = None
        for field, value in self.session().data.items():
            setattr(self, field, value)

    def session(self) -> Session:
        """Return the process of this solver, a new one if the last has ended. Raises UsageError."""
        if self._session is None or self._session.ended:
            self._session = Session(self._name, self._where, self._variant)
        return self._session

    def close(self) -> None:
        """End the process of this solver; the next call starts another."""
        if self._session is not None:
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
            return cast(
                "T", self.session().call(0, method, (), Deadline(plugins.IMPORT_SECONDS), passed=False)
            )
        except _Stopped:
            return otherwise

    def solve(self, problem: Problem, settings: Settings, deadline: Deadline) -> Answer:
        """Solve the problem; see ``Solver``."""
        return self._ask("solve", (problem,), settings, deadline, partial(Answer, None, Proof.NONE))

    def count(self, problem: Problem, key: str, settings: Settings, deadline: Deadline) -> Tally:
        """Count the solutions; see ``CountingSolver``."""
        return self._ask("count", (problem, key), settings, deadline, partial(Tally, 0, Proof.NONE))

    def tree(
        self, model: Model, costs: Sequence[float] | None, limit: int, settings: Settings, deadline: Deadline
    ) -> tuple[list[SearchNode], Stop]:
        """Return the nodes of a tree; see ``TreeSolver``."""
        return self._ask("tree", (model, costs, limit), settings, deadline, lambda stop: ([], stop))

    def _ask(
        self,
        method: str,
        arguments: tuple[Any, ...],
        settings: Settings,
        deadline: Deadline,
        otherwise: Callable[[Stop], T],
    ) -> T:
        """Return the result of one call; under a memory limit, the call gets a process of its own."""
        memory = None if "memory limit" in self.features else settings.memory
        session = self.session() if memory is None else Session(self._name, self._where, self._variant)
        try:
            return cast("T", session.call(0, method, (*arguments, _own(settings)), deadline, memory=memory))
        except _Stopped as stopped:
            return otherwise(stopped.stop)
        finally:
            if memory is not None:
                session.close()

    def points(self, problem: Problem, key: str, settings: Settings, deadline: Deadline) -> Points:
        """Yield every point; see ``EnumeratingSolver``."""
        session, number = self.session(), None
        try:
            number = session.call(0, "points", (problem, key, _own(settings)), deadline)
            while True:
                kind, value = session.reply_to(number, "next", (), deadline, passed=False)
                if kind == "end":
                    return cast("tuple[Proof, Stop]", value)
                yield value
        except _Stopped as stopped:
            return Proof.NONE, stopped.stop
        finally:
            if number is not None:
                session.dropped.append(number)

    def live(self, problem: Problem, key: str, settings: Settings) -> OutsideModel:
        """Return the problem as a model that stays loaded; see ``LiveSolver``."""
        loading = "live", (problem, key, _own(settings))
        return OutsideModel(self.session(), *loading, Deadline(settings.seconds), passed=False)

    def load(self, clauses: Clauses, deadline: Deadline) -> OutsideClauses:
        """Return the loaded formula; see ``AssumingSolver``."""
        return OutsideClauses(self.session(), "load", (clauses,), deadline, passed=True)

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

    def __init__(
        self, session: Session, method: str, arguments: tuple[Any, ...], deadline: Deadline, *, passed: bool
    ):
        self._session, self._deadline = session, deadline
        self._loading = method, arguments, passed
        self._number = 0

    def _call(
        self, method: str, *arguments: Any, deadline: Deadline | None = None, otherwise: Any, **keywords: Any
    ) -> Any:
        self._deadline = deadline or self._deadline
        session, passed = self._session, deadline is not None
        try:
            if not self._number:
                loading, given, takes_deadline = self._loading
                self._number = session.call(0, loading, given, self._deadline, passed=takes_deadline)
                weakref.finalize(self, session.dropped.append, self._number).atexit = False
            return session.call(self._number, method, arguments, self._deadline, passed=passed, **keywords)
        except _Stopped:
            return otherwise


def _remote(method: str, otherwise: object) -> Callable[..., Any]:
    """Return a method that calls a loaded object's method, and gives ``otherwise`` after the deadline."""

    def call(self: _Loaded, *arguments: Any) -> Any:
        return self._call(method, *arguments, otherwise=otherwise)

    return call


class OutsideModel(_Loaded):
    """A live model in a solver's process; see ``LiveModel``."""

    closed, choices, exclude = _remote("closed", ()), _remote("choices", ()), _remote("exclude", None)

    def solve(self, chosen: Sequence[int], refused: Sequence[int], deadline: Deadline) -> MipResult:
        """Return a solution within the bounds, if one is found."""
        found = self._call("solve", chosen, refused, deadline=deadline, otherwise=None)
        return found or MipResult(None, (), Proof.NONE, deadline.stop or Stop.TIME)


class OutsideClauses(_Loaded):
    """A formula in a solver's process; see ``LoadedClauses``."""

    model, core, propagate = (_remote(method, []) for method in ("model", "core", "propagate"))

    def solve(
        self, assumptions: Sequence[int], deadline: Deadline, conflicts: int | None = None
    ) -> bool | None:
        """Return whether there is a model."""
        found = self._call("solve", assumptions, deadline=deadline, otherwise=None, conflicts=conflicts)
        return cast("bool | None", found)

    def add(self, literals: Iterable[int]) -> None:
        """Add a clause."""
        self._call("add", tuple(literals), otherwise=None)


class Session:
    """A process that runs one solver.

    ``data`` holds the solver's attributes. ``dropped`` collects the numbers of objects that the process need
    not keep any longer.

    Raises UsageError if the solver cannot be loaded.
    """

    def __init__(self, name: str, where: str, variant: str):
        self._name = name
        self._process = OwnProcess()
        self.dropped: list[int] = []
        limits = Limits(Deadline(PROCESS_START_SECONDS + plugins.IMPORT_SECONDS))
        try:
            loaded = self._process.submit(host.load, (where, variant), limits)
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

    def call(self, *request: Any, passed: bool = True, **limits: Any) -> Any:
        """Return a method's result, or the number of the object that it returns; see ``reply_to``."""
        return self.reply_to(*request, passed=passed, **limits)[1]

    def reply_to(
        self,
        number: int,
        method: str,
        arguments: tuple[Any, ...],
        deadline: Deadline,
        *,
        passed: bool,
        memory: int | None = None,
        **keywords: Any,
    ) -> tuple[str, Any]:
        """Return the reply to a request.

        Parameters
        ----------
        number, method, arguments, keywords
            The call; see ``host.Request``.
        deadline
            The deadline: the process gets a moment to stop by itself, then it is ended.
        passed
            Whether the method takes a deadline.
        memory
            Bytes of resident memory that the process and its children may use.

        Raises
        ------
        MilpPipsError
            If the solver raises it; EngineFault if the solver raises anything else, or if the process ends.
        """
        dropped, self.dropped[:] = tuple(self.dropped), []
        request = host.Request(number, method, arguments, keywords, passed, dropped)
        limits = Limits(deadline, memory=memory, grace=GRACE)
        outcome = self._process.submit(host.call, (self._name, request), limits)
        if outcome.fault:
            raise EngineFault(f"{self._name} failed: {outcome.fault}")
        if outcome.value is None:
            raise _Stopped(outcome.stop or Stop.ERROR)
        return outcome.value
