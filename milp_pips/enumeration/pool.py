"""Pools that search the subproblems of a partition: in this process, or in several that hold the models."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple, NoReturn, Protocol

from milp_pips.problem.errors import EngineFault, MilpPipsError
from milp_pips.problem.stopping import Deadline
from milp_pips.runtime.children import safe_multiprocessing
from milp_pips.runtime.reaper import kill_marked

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess

    from milp_pips.engines.contract import MipResult


class Subproblem(NamedTuple):
    """A subproblem: the number of its problem, and the domains to which some variables are restricted."""

    number: int
    kept: tuple[tuple[int, tuple[int, ...]], ...]


class SearchResult(NamedTuple):
    """The engine's result (None: it did not run), points that differ in the key, the subproblems left."""

    found: MipResult | None
    points: list[tuple[int, ...]]
    subproblems: list[Subproblem]


class Searcher(Protocol):
    """Searches subproblems of problems that it has loaded."""

    def search(self, subproblem: Subproblem, deadline: Deadline) -> SearchResult:
        """Return the solutions found in a subproblem, and the subproblems that are left of it."""


_starting = threading.Lock()
"""Held while processes start, because that changes the environment of this process temporarily."""

ENGINE_STOP_SECONDS = 1.0
"""Seconds that a process gets to end its engine before it is killed."""


class SerialPool:
    """Search one subproblem at a time, in this process."""

    def __init__(self, load: Callable[[], Searcher], deadline: Deadline):
        self._searcher, self._deadline = load(), deadline
        self.busy: list[Subproblem] = []

    @property
    def idle(self) -> bool:
        """Whether the pool can take another subproblem."""
        return not self.busy

    def search(self, subproblem: Subproblem) -> None:
        """Take a subproblem."""
        self.busy.append(subproblem)

    def next_searched(self) -> tuple[Subproblem, SearchResult]:
        """Search the subproblem that was taken; return it and its result."""
        subproblem = self.busy.pop()
        return subproblem, self._searcher.search(subproblem, self._deadline)

    def close(self) -> None:
        """Do nothing: this pool has no processes to end."""


class ProcessPool:
    """Search several subproblems at once, each in a process of its own that loads the models once."""

    def __init__(self, load: Callable[[], Searcher], deadline: Deadline, count: int):
        import multiprocessing  # not available in browsers

        self._deadline = deadline
        self._members: dict[Connection, BaseProcess] = {}
        self._subproblems: dict[Connection, Subproblem] = {}
        context = multiprocessing.get_context("spawn")
        with _starting, safe_multiprocessing() as self._mark:
            for _ in range(count):
                own_end, member_end = context.Pipe()
                member = context.Process(target=_serve, args=(member_end, load), daemon=True)
                member.start()
                member_end.close()
                self._members[own_end] = member

    @property
    def busy(self) -> Sequence[Subproblem]:
        """The subproblems that are being searched."""
        return list(self._subproblems.values())

    @property
    def idle(self) -> bool:
        """Whether the pool can take another subproblem."""
        return len(self._subproblems) < len(self._members)

    def search(self, subproblem: Subproblem) -> None:
        """Send a subproblem to an idle process. Raises EngineFault if that process has died."""
        free = next(c for c in self._members if c not in self._subproblems)
        self._subproblems[free] = subproblem
        try:
            free.send((subproblem, self._deadline.remaining))
        except OSError:
            raise _died() from None

    def next_searched(self) -> tuple[Subproblem, SearchResult] | None:
        """Return a subproblem that has been searched and its result; None if the deadline expires.

        Raises EngineFault if its process has died, and whatever error the search raised in that process.
        """
        from multiprocessing.connection import Connection, wait

        while True:
            for ready in wait(list(self._subproblems), 0.05):
                assert isinstance(ready, Connection)
                try:
                    searched = ready.recv()
                except (EOFError, OSError):
                    raise _died() from None
                if isinstance(searched, MilpPipsError):
                    raise searched
                return self._subproblems.pop(ready), searched
            if self._deadline.stop:
                return None

    def close(self) -> None:
        """End all processes, with whatever engines they run."""
        for member in self._members.values():
            member.terminate()
        for member in self._members.values():
            member.join(ENGINE_STOP_SECONDS)
            member.kill()
        kill_marked(self._mark)


def _serve(connection: Connection, load: Callable[[], Searcher]) -> None:
    """Search the subproblems that arrive on the connection until it is closed; runs in a member process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the terminal sends Ctrl-C to all; the parent decides
    signal.signal(signal.SIGTERM, _leave)
    searcher = None
    while True:
        try:
            subproblem, seconds = connection.recv()
        except (EOFError, OSError):
            return
        searched: SearchResult | MilpPipsError
        try:
            searcher = searcher or load()
            searched = searcher.search(subproblem, Deadline(seconds))
        except MilpPipsError as error:
            searched = error
        except Exception as error:  # an engine from outside may fail in any way it likes
            searched = EngineFault(f"{type(error).__name__}: {' '.join(str(error).split())[:300]}")
        try:
            connection.send(searched)
        except OSError:
            return  # the parent no longer waits


def _died() -> EngineFault:
    return EngineFault("a process that searched a subproblem has died")


def _leave(*_: object) -> NoReturn:
    raise SystemExit  # the exception also ends a program that this process waits for
