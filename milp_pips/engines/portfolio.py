"""Several engines that look for the same: they begin one after another, and the first that knows wins.

The first begins at once and where it would run alone; whoever begins later runs in a worker. The system
shares the processors among those that run, so none can hold up the others. As soon as one has a point, or a
proof that there is none, the others are ended.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from milp_pips.engines.execution import ask, checked_answer
from milp_pips.engines.registry import available
from milp_pips.problem.answer import Answer, Proof, Settings
from milp_pips.problem.errors import EngineFault, UsageError
from milp_pips.problem.plugins import PluginErrors
from milp_pips.problem.stopping import SubDeadline

if TYPE_CHECKING:
    from milp_pips.problem.problem import Problem
    from milp_pips.problem.stopping import Deadline

PORTFOLIO_POLL = 0.05
"""Seconds between two looks at the deadline while nobody but workers is at work."""


ONE_BY_ONE = sys.platform == "emscripten"
"""Whether nobody can run beside another: a browser has neither threads nor processes for us."""


class Attempt(NamedTuple):
    """A solver, and how it is asked."""

    solver: str
    settings: Settings


class PortfolioMember(NamedTuple):
    """Who takes part: ways in order of preference, and after how many seconds it begins.

    A way that cannot be gone here, fails, or has been gone already, gives way to the next. The entrant begins
    earlier if all before it have given up.
    """

    ways: tuple[Attempt, ...]
    begins: float = 0.0


class PortfolioResult(NamedTuple):
    """The first answer that decides, or else the first entrant's; whose it is; all ways gone till then."""

    answer: Answer
    way: Attempt
    gone: tuple[Attempt, ...]


def run_portfolio(
    members: Sequence[PortfolioMember], problem: Problem, deadline: Deadline
) -> PortfolioResult:
    """Ask the entrants, beside one another where it takes long, and return the first answer that decides.

    The first entrant runs in this process where that is safe (see ``ask``). One that fails is as one that
    gives up; where nobody decides, what the first one raised is raised here, UsageError or EngineFault.
    """
    return _Portfolio(members, problem, deadline).run()


def decides(answer: Answer) -> bool:
    """Return whether an answer has a point, or claims to have proven that there is none."""
    return answer.point is not None or answer.proof is Proof.INFEASIBLE


Fault: TypeAlias = UsageError | EngineFault


class _Portfolio:
    """A race under way; those behind the first have a thread each, in which they wait for their workers."""

    def __init__(self, members: Sequence[PortfolioMember], problem: Problem, deadline: Deadline):
        self._members, self._problem = members, problem
        self._deadline = SubDeadline(deadline)
        self._winner: tuple[Answer, Attempt] | None = None
        self._gone: list[Attempt] = []
        self._ended: set[int] = set()
        self._change = threading.Condition()

    def run(self) -> PortfolioResult:
        """Let all begin in turn, and return how it ended; nobody is at work any more then."""
        return self._ending(self._run_one_by_one() if ONE_BY_ONE else self._run_beside())

    def _run_one_by_one(self) -> tuple[Answer, Attempt] | Fault:
        """Ask one after another, each in this process; return what the first one says."""
        first = self._ask(0, ask)
        for number in range(1, len(self._members)):
            if not self._deadline.stop:
                self._ask(number, ask)
        return first

    def _run_beside(self) -> tuple[Answer, Attempt] | Fault:
        """Ask them beside one another; return what the first one says."""
        others = range(1, len(self._members))
        threads = [threading.Thread(target=self._compete, args=(i,), daemon=True) for i in others]
        try:
            for thread in threads:
                thread.start()
            first = self._ask(0, ask)
            with self._change:
                while not self._deadline.stop and len(self._ended) < len(self._members):
                    self._change.wait(PORTFOLIO_POLL)
        finally:
            with self._change:
                self._deadline.end()
                self._change.notify_all()
            for thread in threads:
                if thread.ident is not None:  # else it has not been started
                    thread.join()
        return first

    def _ending(self, first: tuple[Answer, Attempt] | Fault) -> PortfolioResult:
        ending = self._winner or first
        if isinstance(ending, UsageError | EngineFault):
            raise ending
        return PortfolioResult(*ending, tuple(self._gone))

    def _compete(self, number: int) -> None:
        """Wait for an entrant's turn and ask it; what its thread does."""
        before = set(range(number))
        with self._change:
            self._change.wait_for(lambda: self._deadline.ended or self._gone or before <= self._ended)
            begins = self._members[number].begins
            self._change.wait_for(lambda: self._deadline.ended or before <= self._ended, begins)
        if not self._deadline.stop:
            from milp_pips.engines.execution import ask_in_worker

            self._ask(number, ask_in_worker)

    def _ask(self, number: int, ask: Callable[..., Answer]) -> tuple[Answer, Attempt] | Fault:
        """Go the first of an entrant's ways that can be gone, and note what comes of it."""
        said: tuple[Answer, Attempt] | Fault = UsageError("all ways have been gone before")
        for way in self._members[number].ways:
            with self._change:
                if way in self._gone:
                    continue
            try:
                available(way.solver)
                with self._change:
                    self._gone.append(way)
                    self._change.notify_all()
                with PluginErrors(f"{way.solver} failed"):
                    answer = ask(way.solver, self._problem, way.settings, self._deadline)
                said = checked_answer(answer, self._problem, way.solver), way
                break
            except (UsageError, EngineFault) as fault:
                said = fault
            if self._deadline.stop:
                break
        with self._change:
            if isinstance(said, tuple) and decides(said[0]) and self._winner is None:
                self._winner = said
                self._deadline.end()
            self._ended.add(number)
            self._change.notify_all()
        return said
