"""A portfolio of solvers on one problem: they start one after another, and the first conclusive answer wins.

The first solver starts at once, in the process where it would run alone. Each later one runs in a worker, and
starts when those before it have spent some processor time: on a busy machine none starts early. Then they run
on as many cores as there are; on one core the operating system lets them take turns. As soon as one has a
point, or a proof that there is none, the others are ended.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import NamedTuple, TypeAlias

from milp_pips.engines import registry
from milp_pips.engines.defaults import (
    SHORT_SEARCH,
    SHORT_SEARCH_SECONDS,
    WITHOUT_LIBRARIES,
    Choice,
    choice_for_search,
)
from milp_pips.engines.registry import ask, available, checked_answer
from milp_pips.problem import Answer, Deadline, EngineFault, Problem, Proof, Settings, SubDeadline, UsageError
from milp_pips.problem.plugins import PluginErrors
from milp_pips.runtime.reaper import processor_seconds

PORTFOLIO_POLL = 0.05
"""Seconds between two checks of the deadline while only workers are running."""

PATIENCE = 10.0
"""A second of waiting counts at least as a second of processor time divided by this number: a solver may wait
for something. It is large, since on a busy machine a process gets a small share of a core."""

ONE_BY_ONE = sys.platform == "emscripten"
"""Whether solvers cannot run in parallel: in a browser, this package has neither threads nor processes."""


class Attempt(NamedTuple):
    """A solver and the settings with which it is called."""

    solver: str
    settings: Settings


class PortfolioMember(NamedTuple):
    """A member of a portfolio: attempts in order of preference, and when it starts.

    It starts when all members before it have spent ``begins`` seconds of processor time together, or have
    given up. If an attempt cannot run on this machine, fails, or was made already by another member, the next
    one follows.
    """

    attempts: tuple[Attempt, ...]
    begins: float = 0.0


class PortfolioResult(NamedTuple):
    """The first conclusive answer, its attempt, and all attempts made so far.

    Without a conclusive answer it is the one with the best value of the objective, or else that of the first
    member.
    """

    answer: Answer
    attempt: Attempt
    tried: tuple[Attempt, ...]


class ChosenAnswer(NamedTuple):
    """An answer of the default solver or of a backup, its attempt, and why that was chosen."""

    answer: Answer
    attempt: Attempt
    why: str


def run_portfolio(
    members: Sequence[PortfolioMember], problem: Problem, deadline: Deadline
) -> PortfolioResult:
    """Run the members, in parallel as their start times come, and return the first conclusive answer.

    The first member runs in this process if that is safe (see ``ask``). A member that fails counts as one
    that gives up. Raises the UsageError or EngineFault of the first member if no answer is conclusive.
    """
    return _Portfolio(members, problem, deadline).run()


def run_chosen(choice: Choice, problem: Problem, settings: Settings, deadline: Deadline) -> ChosenAnswer:
    """Return the answer of the default solver or of a backup solver.

    The short search runs alone; if it ends without a conclusive answer, the next choice runs.
    If the problem has too many rows and clauses for all of them, ``WITHOUT_LIBRARIES`` is called, which needs
    neither. Raises UsageError and EngineFault.
    """
    if choice.solver == SHORT_SEARCH:
        answer = ask(SHORT_SEARCH, problem, settings, SubDeadline(deadline, SHORT_SEARCH_SECONDS))
        if decides(answer) or deadline.stop:
            return ChosenAnswer(answer, Attempt(SHORT_SEARCH, settings), choice.why)
        choice = choice_for_search(problem)
    # The memory limit is that of one process, so a second one would double it.
    alone = choice._replace(backups=None) if settings.memory is not None else choice
    try:
        return _run_with_backups(alone, problem, settings, deadline)
    except UsageError as refusal:
        if settings.formulation or settings.options:  # they name the model that cannot be stated
            raise
        deadline.progress.report(f"{problem.name}: {refusal}; calling {WITHOUT_LIBRARIES}")
        why = f"{choice.why}; it cannot state the problem, so {WITHOUT_LIBRARIES} ran"
        with suppress(UsageError):
            return _run_with_backups(Choice(WITHOUT_LIBRARIES, None, why), problem, settings, deadline)
        raise


def _run_with_backups(
    choice: Choice, problem: Problem, settings: Settings, deadline: Deadline
) -> ChosenAnswer:
    solver, backups, why = choice
    if backups is None:
        return ChosenAnswer(ask(solver, problem, settings, deadline), Attempt(solver, settings), why)
    others = tuple(Attempt(backup, settings) for backup in backups.solvers)
    members = [PortfolioMember((Attempt(solver, settings),)), PortfolioMember(others, backups.head_start)]
    if backups.second_start is not None:  # it makes the first attempt that has not been made
        members.append(PortfolioMember(others, backups.second_start))
    answer, winner, tried = run_portfolio(members, problem, deadline)
    if len(tried) > 1:
        beside, who = tried[-1].solver, winner.solver if decides(answer) else "neither"
        deadline.progress.report(f"{problem.name}: {beside} ran beside {solver}, and {who} was first")
        head_start = f"{backups.head_start:g} s of processor time"
        why += f"; {beside} began beside it after {head_start}, and {who} was first"
    return ChosenAnswer(answer, winner, why)


def decides(answer: Answer) -> bool:
    """Return whether an answer has a point, or claims to have proven that there is none.

    With an objective, only an optimal point decides.
    """
    if answer.value is not None:
        return answer.proof is Proof.OPTIMAL
    return answer.point is not None or answer.proof is Proof.INFEASIBLE


Fault: TypeAlias = UsageError | EngineFault


class _Portfolio:
    """A run of a portfolio; each member but the first has a thread, which waits for its worker."""

    def __init__(self, members: Sequence[PortfolioMember], problem: Problem, deadline: Deadline):
        self._members, self._problem = members, problem
        self._deadline = SubDeadline(deadline)
        self._winner: tuple[Answer, Attempt] | None = None
        self._best: tuple[Answer, Attempt] | None = None  # of all answers with a value
        self._tried: list[Attempt] = []
        self._ended: set[int] = set()
        self._change = threading.Condition()

    def run(self) -> PortfolioResult:
        """Run all members and return the result; no member is running any more by then."""
        others = range(1, len(self._members))
        in_parallel = () if ONE_BY_ONE else others
        threads = [threading.Thread(target=self._run_in_turn, args=(i,), daemon=True) for i in in_parallel]
        try:
            for thread in threads:
                thread.start()
            first = self._ask(0, ask)
            for number in others:
                if ONE_BY_ONE and not self._deadline.stop:
                    self._ask(number, ask)
            # The first has ended. If nothing is decided, the others go on until one decides or all end.
            with self._change:
                while not self._deadline.stop and len(self._ended) < len(self._members):
                    self._change.wait(PORTFOLIO_POLL)
        finally:
            with self._change:
                self._deadline.end()
                self._change.notify_all()
            # Their workers end with the deadline. Wait for that, since they would slow down the
            # next puzzle.
            for thread in threads:
                if thread.ident is not None:  # else it has not been started
                    thread.join()
        # Without a winner, a value of the objective is worth more than what the first member says.
        ending = self._winner or self._best or first
        if isinstance(ending, UsageError | EngineFault):
            raise ending
        return PortfolioResult(*ending, tuple(self._tried))

    def _checked(self, answer: Answer, who: str) -> Answer:
        """Return the answer, whose point satisfies the problem. Raises EngineFault."""
        answer = checked_answer(answer, self._problem, who)
        if answer.point is not None and (broken := self._problem.violated(answer.point)):
            raise EngineFault(f"{who} gave a point that breaks a rule of {self._problem.name}: {broken}")
        return answer

    def _is_better(self, answer: Answer) -> bool:
        """Return whether an answer has a better value than all before it."""
        objective = self._problem.objective
        if objective is None or answer.value is None:
            return False
        best = None if self._best is None else self._best[0].value
        return best is None or objective.cost(answer.value) < objective.cost(best)

    def _run_in_turn(self, number: int) -> None:
        """Wait for a member's turn and run it; the body of its thread.

        It first waits until any member has started an attempt, since start times count from there.
        """
        before, begins = set(range(number)), self._members[number].begins
        with self._change:
            self._change.wait_for(lambda: self._deadline.ended or self._tried or before <= self._ended)
            used, begun, left = sum(os.times()[:4]), time.monotonic(), begins
            while left > 0 and not self._change.wait_for(
                lambda: self._deadline.ended or before <= self._ended, max(left, PORTFOLIO_POLL)
            ):
                waited = time.monotonic() - begun
                left = begins - max(processor_seconds() - used, waited / PATIENCE)
        if not self._deadline.stop:
            self._ask(number, registry.ask_in_worker)

    def _ask(self, number: int, ask: Callable[..., Answer]) -> tuple[Answer, Attempt] | Fault:
        """Make the first attempt of a member that can be made; record and return its outcome."""
        outcome: tuple[Answer, Attempt] | Fault = UsageError("all alternatives have been tried before")
        for attempt in self._members[number].attempts:
            with self._change:
                if attempt in self._tried:
                    continue
            try:
                # A solver that is not installed has not been tried, so that the reports do not name it.
                available(attempt.solver)
                with self._change:
                    self._tried.append(attempt)
                    self._change.notify_all()
                with PluginErrors(f"{attempt.solver} failed"):
                    answer = ask(attempt.solver, self._problem, attempt.settings, self._deadline)
                outcome = self._checked(answer, attempt.solver), attempt
                break
            except (UsageError, EngineFault) as fault:
                outcome = fault
            if self._deadline.stop:
                break
        with self._change:
            if isinstance(outcome, tuple):
                if decides(outcome[0]) and self._winner is None:
                    self._winner = outcome
                    self._deadline.end()
                if self._is_better(outcome[0]):
                    self._best = outcome
            self._ended.add(number)
            self._change.notify_all()
        return outcome
