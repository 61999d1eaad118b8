"""Pools that search the subproblems of a partition: in this process, or in several that hold the models."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

from milp_pips.problem.errors import EngineFault
from milp_pips.problem.stopping import Deadline, SubDeadline
from milp_pips.runtime.interruptible import Limits

if TYPE_CHECKING:
    from concurrent.futures import Future

    from milp_pips.engines.contract import MipResult
    from milp_pips.runtime.executor import Outcome, OwnProcess


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
        from concurrent.futures import ThreadPoolExecutor  # not available in browsers

        from milp_pips.runtime.executor import OwnProcess

        self._load, self._deadline = load, SubDeadline(deadline)
        self._processes = [OwnProcess() for _ in range(count)]
        self._idle, self._without_models = list(self._processes), set(self._processes)
        self._running: dict[Future[Outcome[SearchResult]], tuple[OwnProcess, Subproblem]] = {}
        self._threads = ThreadPoolExecutor(count)

    @property
    def busy(self) -> Sequence[Subproblem]:
        """The subproblems that are being searched."""
        return [subproblem for _, subproblem in self._running.values()]

    @property
    def idle(self) -> bool:
        """Whether the pool can take another subproblem."""
        return bool(self._idle)

    def search(self, subproblem: Subproblem) -> None:
        """Send a subproblem to an idle process."""
        process = self._idle.pop()
        load = self._load if process in self._without_models else None
        self._without_models.discard(process)
        arguments = load, subproblem
        future = self._threads.submit(process.submit, _search, arguments, Limits(self._deadline))
        self._running[future] = process, subproblem

    def next_searched(self) -> tuple[Subproblem, SearchResult] | None:
        """Return a subproblem that has been searched and its result; None if the deadline expires.

        Raises EngineFault if its process has died, and whatever error the search raised in that process.
        """
        from concurrent.futures import FIRST_COMPLETED, wait

        while True:
            for future in wait(self._running, 0.05, FIRST_COMPLETED).done:
                outcome = future.result()
                if outcome.fault:
                    raise EngineFault(f"a process that searched a subproblem has died: {outcome.fault}")
                if outcome.value is None:
                    return None
                process, subproblem = self._running.pop(future)
                self._idle.append(process)
                return subproblem, outcome.value
            if self._deadline.stop:
                return None

    def close(self) -> None:
        """End all processes, with whatever engines they run."""
        self._deadline.end()
        self._threads.shutdown()
        for process in self._processes:
            process.close()


_searcher: Searcher | None = None
"""What a process of a pool has loaded."""


def _search(load: Callable[[], Searcher] | None, subproblem: Subproblem, deadline: Deadline) -> SearchResult:
    """Search a subproblem; the first call of a process loads its searcher."""
    global _searcher
    if load is not None:
        _searcher = load()
    assert _searcher is not None
    return _searcher.search(subproblem, deadline)
