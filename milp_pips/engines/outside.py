"""A solver of another distribution, in a process of its own, with all the methods of one in this process.

Its module is never imported here. Whatever it does costs its own process: exit, crash, sleep, print. The
process is started when it is first needed, keeps what the solver loads, and is replaced after it has been
ended. ``milp_pips.engines.host`` is the other side.
"""

from __future__ import annotations

import atexit
import contextlib
import pickle
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import time
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import IO, TYPE_CHECKING, Any, NoReturn, TypeVar, cast

from milp_pips.problem import plugins
from milp_pips.problem.answer import Answer, MipResult, Proof, Settings, Stop, Tally
from milp_pips.problem.errors import EngineFault, MilpPipsError, UsageError
from milp_pips.problem.stopping import Deadline
from milp_pips.runtime.children import environment, greeting, python_command
from milp_pips.runtime.interruptible import CALL_POLL, GRACE, _end, _signal
from milp_pips.runtime.reaper import ProcessTree, new_mark
from milp_pips.runtime.worker import last_words
from milp_pips.runtime.writing import temporary_folder

if TYPE_CHECKING:
    from milp_pips.engines.contract import Points, SearchNode
    from milp_pips.formulations.cnf import Clauses
    from milp_pips.formulations.milp.model import Model
    from milp_pips.problem.problem import Problem

T = TypeVar("T")

PROCESS_START_SECONDS = 5.0
"""Seconds that a process may take to start, beside those that a plugin may take to be imported."""

LEAVING = 2.0
"""Seconds that a process which replies no more gets to end by itself, so that its exit status is known."""

_known: dict[tuple[str, str], OutsideSolver | str] = {}
"""The solvers by name and place; of one that cannot be loaded, the reason."""


def outside_solver(name: str, where: str, variant: str) -> OutsideSolver:
    """Return the solver found there, in a process of its own. Raises UsageError."""
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
    """End the processes of all solvers; further questions start others."""
    for solver in _known.values():
        if not isinstance(solver, str):
            solver.close()


class _Stopped(Exception):
    """The deadline said stop before the process had replied."""

    def __init__(self, stop: Stop):
        self.stop = stop


class OutsideSolver:
    """A solver in a process of its own; its data are those of the plugin. See ``Solver``."""

    name: str
    kind: str
    title: str
    requires: tuple[str, ...]
    distribution: str
    features: frozenset[str]
    formulations: tuple[str, ...]
    published: frozenset[str]
    filtering: frozenset[str]
    proof_family: str
    clashes: frozenset[str]
    without_presolve: Mapping[str, str]
    isolated: bool
    variants: str
    most_values: int
    has_own_process = True

    def __init__(self, name: str, where: str, variant: str):
        self._who, self._where, self._variant = name, where, variant
        self._session: Session | None = None
        for field, value in self.session().data.items():
            setattr(self, field, value)

    def session(self) -> Session:
        """Return the process of this solver, a new one where the last has ended. Raises UsageError."""
        if self._session is None or self._session.ended:
            self._session = Session(self._who, self._where, self._variant)
        return self._session

    def close(self) -> None:
        """End the process of this solver; the next question starts another."""
        if self._session is not None:
            self._session.close()

    @cached_property
    def _reason(self) -> str:
        return str(self._told("unavailable", f"it does not answer within {plugins.IMPORT_SECONDS:g} s"))

    @cached_property
    def _version(self) -> str:
        return str(self._told("version", ""))

    def unavailable(self) -> str:
        """Return why the solver cannot run here; empty where it can."""
        return self._reason

    def version(self) -> str:
        """Return the version of the solver's engine; empty where it cannot tell."""
        return self._version

    def known_variants(self) -> Iterable[str]:
        """Return the variants that the solver knows."""
        return self._told("known_variants", ())

    def _told(self, method: str, otherwise: T) -> T:
        try:
            return cast(
                "T", self.session().call(0, method, (), Deadline(plugins.IMPORT_SECONDS), passed=False)
            )
        except _Stopped:
            return otherwise

    def solve(self, problem: Problem, settings: Settings, deadline: Deadline) -> Answer:
        """Look for a point; see ``Solver``."""
        return self._ask("solve", (problem, _own(settings)), settings, deadline, _no_answer)

    def count(self, problem: Problem, key: str, settings: Settings, deadline: Deadline) -> Tally:
        """Count the solutions; see ``CountingSolver``."""
        return self._ask("count", (problem, key, _own(settings)), settings, deadline, _no_tally)

    def tree(
        self, model: Model, costs: Sequence[float] | None, limit: int, settings: Settings, deadline: Deadline
    ) -> tuple[list[SearchNode], Stop]:
        """Return the nodes of a tree; see ``TreeSolver``."""
        return self._ask("tree", (model, costs, limit, _own(settings)), settings, deadline, _no_tree)

    def _ask(
        self,
        method: str,
        arguments: tuple[Any, ...],
        settings: Settings,
        deadline: Deadline,
        otherwise: Callable[[Stop], T],
    ) -> T:
        """Return what comes of one question; under a limit of memory in a process for this one alone."""
        memory = None if "memory limit" in self.features else settings.memory
        session = self.session() if memory is None else Session(self._who, self._where, self._variant)
        try:
            return cast("T", session.call(0, method, arguments, deadline, memory=memory))
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
        return OutsideModel(self.session(), *loading, Deadline(settings.seconds), takes_deadline=False)

    def load(self, clauses: Clauses, deadline: Deadline) -> OutsideClauses:
        """Return the formula loaded; see ``AssumingSolver``."""
        return OutsideClauses(self.session(), "load", (clauses,), deadline, takes_deadline=True)

    def relax(self, *_: object, **__: object) -> NoReturn:
        """Refuse: nothing asks for the relaxation of a solver from outside. Raises UsageError."""
        raise UsageError(f"{self._who} gives its relaxation in this process alone: set isolate=False")


def _own(settings: Settings) -> Settings:
    """Return the settings for the solver's own process: it needs no further one."""
    return settings.changed(isolate=False)


def _no_answer(stop: Stop) -> Answer:
    return Answer(None, Proof.NONE, stop)


def _no_tally(stop: Stop) -> Tally:
    return Tally(0, Proof.NONE, stop)


def _no_tree(stop: Stop) -> tuple[list[SearchNode], Stop]:
    return [], stop


class _Loaded:
    """Something that stays loaded in a solver's process; it is loaded by the first question.

    A question without a deadline of its own is limited by the last watch.
    """

    def __init__(
        self,
        session: Session,
        method: str,
        arguments: tuple[Any, ...],
        deadline: Deadline,
        *,
        takes_deadline: bool,
    ):
        self._session, self._deadline = session, deadline
        self._loading: tuple[str, tuple[Any, ...], bool] | None = (method, arguments, takes_deadline)
        self._number = 0

    def _call(
        self, method: str, *arguments: Any, deadline: Deadline | None = None, otherwise: T, **keywords: Any
    ) -> T:
        self._deadline = deadline or self._deadline
        try:
            if self._loading is not None:
                loading, what, takes_deadline = self._loading
                self._number = self._session.call(0, loading, what, self._deadline, passed=takes_deadline)
                weakref.finalize(self, self._session.dropped.append, self._number).atexit = False
                self._loading = None
            passed = deadline is not None
            return cast(
                "T",
                self._session.call(
                    self._number, method, arguments, self._deadline, passed=passed, **keywords
                ),
            )
        except _Stopped:
            return otherwise


class OutsideModel(_Loaded):
    """A live model in a solver's process; see ``LiveModel``."""

    def solve(self, chosen: Sequence[int], refused: Sequence[int], deadline: Deadline) -> MipResult:
        """Look for a solution."""
        nothing = MipResult(None, (), Proof.NONE, Stop.INTERRUPTED)
        found = self._call("solve", chosen, refused, deadline=deadline, otherwise=nothing)
        return nothing._replace(stop=deadline.stop or Stop.TIME) if found is nothing else found

    def closed(self, problem: Problem) -> Sequence[int]:
        """Return the choices to refuse for a restriction of the problem."""
        return self._call("closed", problem, otherwise=())

    def choices(self, point: Sequence[int]) -> tuple[int, ...]:
        """Return the choices of a point."""
        return self._call("choices", point, otherwise=())

    def exclude(self, choices: Sequence[int]) -> None:
        """Cut off a solution."""
        self._call("exclude", choices, otherwise=None)


class OutsideClauses(_Loaded):
    """A formula in a solver's process; see ``LoadedClauses``."""

    def solve(
        self, assumptions: Sequence[int], deadline: Deadline, conflicts: int | None = None
    ) -> bool | None:
        """Return whether there is a model."""
        return self._call("solve", assumptions, deadline=deadline, otherwise=None, conflicts=conflicts)

    def model(self) -> list[int]:
        """Return the model that was found last."""
        return self._call("model", otherwise=[])

    def core(self) -> list[int]:
        """Return assumptions that could not hold together."""
        return self._call("core", otherwise=[])

    def propagate(self, assumptions: Sequence[int]) -> list[int] | None:
        """Return what follows by unit propagation."""
        return self._call("propagate", assumptions, otherwise=[])

    def add(self, literals: Iterable[int]) -> None:
        """Add a clause."""
        self._call("add", tuple(literals), otherwise=None)


class Session:
    """A process that runs one solver.

    One call is under way at a time. Two threads, which end with the process, write and read its pipes, so
    that no call here can be blocked by it. ``data`` are those of the solver; ``dropped`` takes the numbers of
    objects that it need not keep.

    Raises UsageError where the solver cannot be loaded.
    """

    def __init__(self, name: str, where: str, variant: str):
        self._name = name
        self._turn = threading.Lock()
        self._requests: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._replies: queue.SimpleQueue[tuple[str, Any]] = queue.SimpleQueue()
        self.dropped: list[int] = []
        self.ended = False
        self._kept, self._mark = contextlib.ExitStack(), new_mark()
        folder = self._kept.enter_context(temporary_folder())
        self._errors = self._kept.enter_context(tempfile.TemporaryFile(dir=folder))  # noqa: SIM115
        self._process = subprocess.Popen(
            python_command("milp_pips.engines.host"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env=environment(self._mark, folder),
            start_new_session=True,
        )
        atexit.register(self.close)
        for pump, pipe in ((_write, self._process.stdin), (_read, self._process.stdout)):
            items = self._requests if pump is _write else self._replies
            threading.Thread(target=pump, args=(pipe, items), daemon=True).start()
        deadline = Deadline(PROCESS_START_SECONDS + plugins.IMPORT_SECONDS)
        try:
            self._requests.put(greeting())
            self._take(deadline, None)
            self._requests.put(pickle.dumps((where, variant, name)))
            self.data: Mapping[str, Any] = self._take(deadline, None)[1]
        except _Stopped:
            late = f"it takes over {plugins.IMPORT_SECONDS:g} s"
            raise UsageError(f"the plugin {where} cannot be loaded: {late}") from None
        except UsageError:
            self.close()
            raise
        except EngineFault as fault:
            raise UsageError(f"the plugin {where} cannot be loaded: {fault}") from None

    def call(
        self,
        number: int,
        method: str,
        arguments: tuple[Any, ...],
        deadline: Deadline,
        *,
        passed: bool = True,
        memory: int | None = None,
        **keywords: Any,
    ) -> Any:
        """Return what a method returns, or the number of the object that it returns; see ``reply_to``."""
        return self.reply_to(number, method, arguments, deadline, passed=passed, memory=memory, **keywords)[1]

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
            What to call; see ``Request``.
        deadline
            Says when to stop: the process gets a moment to obey, then it is ended.
        passed
            Whether the method is given a deadline.
        memory
            Bytes of resident memory that the process and what it starts may use.

        Raises
        ------
        MilpPipsError
            As the solver raises it; EngineFault for anything else that it raises, and where the process ends.
        """
        while not self._turn.acquire(timeout=CALL_POLL):
            if deadline.stop:
                raise _Stopped(deadline.stop)
        try:
            if deadline.stop:
                raise _Stopped(deadline.stop)
            if self.ended:
                raise EngineFault(f"{self._name} failed: its process has ended")
            dropped, self.dropped[:] = tuple(self.dropped), []
            request = (number, method, arguments, keywords, passed, deadline.remaining, dropped)
            with plugins.PluginErrors("what the engine is to do cannot be handed over"):
                self._requests.put(pickle.dumps(request))
            return self._take(deadline, memory)
        finally:
            self._turn.release()

    def _take(self, deadline: Deadline, memory: int | None) -> tuple[str, Any]:
        """Wait for a reply; end the process where none comes in time."""
        offspring = ProcessTree(self._process.pid, self._mark)
        told: Stop | None = None
        overdue = 0.0
        try:
            while True:
                with contextlib.suppress(queue.Empty):
                    kind, value = self._replies.get(timeout=CALL_POLL)
                    break
                if memory is not None and offspring.look() > memory:
                    raise _Stopped(Stop.MEMORY)
                if told is None and deadline.stop:
                    told = deadline.stop
                    overdue = time.monotonic() + (0.0 if told is Stop.BEATEN else GRACE)
                    if told is Stop.INTERRUPTED:
                        offspring.look()
                        _signal(self._process, signal.SIGINT)
                if told is not None and time.monotonic() >= overdue:
                    raise _Stopped(told)
        except BaseException:  # a reply that comes later would be taken for that of another request
            self.close()
            raise
        if kind == "gone":
            raise EngineFault(f"{self._name} failed: {self._last_words(value)}")
        if kind == "error":
            raise value if isinstance(value, MilpPipsError) else EngineFault(f"{self._name} failed: {value}")
        return kind, value

    def _last_words(self, unreadable: str) -> str:
        """End the process, and return what it gave that cannot be read, or else how it ended."""
        if not unreadable:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(LEAVING)
        self._errors.seek(0)
        errors = self._errors.read().decode("utf-8", errors="replace")
        self.close()
        return unreadable or last_words(self._process.returncode, errors)

    def close(self) -> None:
        """End the process and all that it has started."""
        if self.ended:
            return
        self.ended = True
        atexit.unregister(self.close)
        self._requests.put(None)
        _end(self._process, ProcessTree(self._process.pid, self._mark))
        self._kept.close()


def _write(pipe: IO[bytes], requests: queue.SimpleQueue[bytes | None]) -> None:
    """Write requests until there are no more, or nothing reads them."""
    with contextlib.suppress(OSError), pipe:
        while (request := requests.get()) is not None:
            pipe.write(request)
            pipe.flush()


def _read(pipe: IO[bytes], replies: queue.SimpleQueue[tuple[str, Any]]) -> None:
    """Read replies until the process has ended or gives what cannot be read."""
    with pipe:
        while True:
            try:
                replies.put(_Reader(pipe).load())
            except EOFError:
                replies.put(("gone", ""))
                return
            except Exception as error:
                replies.put(("gone", f"it gave what cannot be read: {' '.join(str(error).split())[:200]}"))
                return


class _Reader(pickle.Unpickler):
    """Reads replies without importing modules of the plugin."""

    def find_class(self, module: str, name: str) -> Any:
        """Return a class of this package, of Python or of NumPy. Raises ``UnpicklingError`` for another."""
        if module.partition(".")[0] not in {*sys.stdlib_module_names, "milp_pips", "numpy"}:
            raise pickle.UnpicklingError(f"an object of the class {module}.{name}")
        return super().find_class(module, name)
