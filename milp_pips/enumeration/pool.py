"""Pools that search the subproblems of a partition: in this process, or in several that hold the models."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

from milp_pips.problem.errors import EngineFault
from milp_pips.problem.stopping import Deadline
from milp_pips.runtime.interruptible import Limits

if TYPE_CHECKING:
    from concurrent.futures import Future

    from milp_pips.engines.contract import MipResult
    from milp_pips.runtime.executor import Outcome


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
        from milp_pips.runtime.executor import OwnProcesses  # not available in browsers

        self._limits = Limits(deadline)
        self._processes = OwnProcesses(count, prepare=(_load, (load,)))
        self._running: dict[Future[Outcome[SearchResult]], Subproblem] = {}

    @property
    def busy(self) -> Sequence[Subproblem]:
        """The subproblems that are being searched."""
        return list(self._running.values())

    @property
    def idle(self) -> bool:
        """Whether the pool can take another subproblem."""
        return len(self._running) < self._processes.room

    def search(self, subproblem: Subproblem) -> None:
        """Send a subproblem to an idle process."""
        future = self._processes.submit(_search, (subproblem,), self._limits)
        self._running[future] = subproblem

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
                return self._running.pop(future), outcome.value
            if self._limits.deadline.stop:
                return None

    def close(self) -> None:
        """End all processes, with whatever engines they run."""
        self._processes.close()


_searchers: list[Searcher] = []
"""What a process of a pool has loaded."""


def _load(load: Callable[[], Searcher], _deadline: Deadline) -> None:
    _searchers.append(load())


def _search(subproblem: Subproblem, deadline: Deadline) -> SearchResult:
    return _searchers[0].search(subproblem, deadline)
