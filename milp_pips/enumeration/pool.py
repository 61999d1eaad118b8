"""Who searches the subproblems of a partition: this process, or several that each hold the models."""

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
    """A part of the solutions of a problem that has a number: the values that some variables are kept to."""

    number: int
    kept: tuple[tuple[int, tuple[int, ...]], ...]


class SearchResult(NamedTuple):
    """What an engine found (None: it was not asked), points that differ in the key, what is left."""

    found: MipResult | None
    points: list[tuple[int, ...]]
    subproblems: list[Subproblem]


class Searcher(Protocol):
    """Searches subproblems of problems that it has loaded."""

    def search(self, subproblem: Subproblem, deadline: Deadline) -> SearchResult:
        """Return what is found in a subproblem, and what is left of it."""


_starting = threading.Lock()
"""Held while processes start: the environment of this one is changed meanwhile."""

ENGINE_STOP_SECONDS = 1.0
"""Seconds that a process gets to end its engine before it is killed."""


class SerialPool:
    """Searches one subproblem at a time, in this process."""

    def __init__(self, load: Callable[[], Searcher], deadline: Deadline):
        self._searcher, self._deadline = load(), deadline
        self.busy: list[Subproblem] = []

    @property
    def idle(self) -> bool:
        """Whether another subproblem can be taken on."""
        return not self.busy

    def search(self, subproblem: Subproblem) -> None:
        """Take on a subproblem."""
        self.busy.append(subproblem)

    def next_searched(self) -> tuple[Subproblem, SearchResult]:
        """Return a subproblem that was taken on and what was found in it."""
        subproblem = self.busy.pop()
        return subproblem, self._searcher.search(subproblem, self._deadline)

    def close(self) -> None:
        """End."""


class ProcessPool:
    """Searches several subproblems at once, each in a process of its own that loads the models once."""

    def __init__(self, load: Callable[[], Searcher], deadline: Deadline, count: int):
        import multiprocessing  # which browsers have none of

        self._deadline = deadline
        self._members: dict[Connection, BaseProcess] = {}
        self._subproblems: dict[Connection, Subproblem] = {}
        context = multiprocessing.get_context("spawn")
        with _starting, safe_multiprocessing() as self._mark:
            for _ in range(count):
                here, there = context.Pipe()
                member = context.Process(target=_serve, args=(there, load), daemon=True)
                member.start()
                there.close()
                self._members[here] = member

    @property
    def busy(self) -> Sequence[Subproblem]:
        """The subproblems that are being searched."""
        return list(self._subproblems.values())

    @property
    def idle(self) -> bool:
        """Whether another subproblem can be taken on."""
        return len(self._subproblems) < len(self._members)

    def search(self, subproblem: Subproblem) -> None:
        """Give a subproblem to a process that has none."""
        free = next(c for c in self._members if c not in self._subproblems)
        self._subproblems[free] = subproblem
        try:
            free.send((subproblem, self._deadline.remaining))
        except OSError:
            raise _died() from None

    def next_searched(self) -> tuple[Subproblem, SearchResult] | None:
        """Return a subproblem that was given out and what was found in it; None if the deadline says stop.

        Raises EngineFault if its process died, and whatever the search raised there.
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
    """Search subproblems for as long as some come; a member's side."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the terminal sends Ctrl-C to all; the head decides
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
            return  # nobody waits any more


def _died() -> EngineFault:
    return EngineFault("a process that searched a subproblem has died")


def _leave(*_: object) -> NoReturn:
    raise SystemExit  # so that a program that is waited for is ended, too
