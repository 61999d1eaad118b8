"""Several engines that look for the same: they begin one after another, and the first that knows wins.

The first begins at once and where it would run alone; whoever begins later runs in a worker. The system
shares the processors among those that run, so none can hold up the others. As soon as one has a point, or a
proof that there is none, the others are ended.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from milp_pips.answer import Answer, Proof, Settings, Stop
from milp_pips.errors import EngineFault, UsageError
from milp_pips.plugins import available
from milp_pips.process import ask, checked_answer
from milp_pips.watch import PartialWatch

if TYPE_CHECKING:
    from milp_pips.problem import Problem
    from milp_pips.watch import Watch

POLL = 0.05
"""Seconds between two looks at the watch while nobody but workers is at work."""


class Way(NamedTuple):
    """A solver, and how it is asked."""

    solver: str
    settings: Settings


class Entrant(NamedTuple):
    """Who takes part: the first of these ways that can run here, and after how many seconds it begins.

    It begins earlier if all before it have given up.
    """

    ways: tuple[Way, ...]
    begins: float = 0.0


class Finish(NamedTuple):
    """The first answer that decides, or else the first entrant's; whose it is; who has begun till then."""

    answer: Answer
    way: Way
    begun: tuple[Way, ...]


def race(entrants: Sequence[Entrant], problem: Problem, watch: Watch) -> Finish:
    """Ask the entrants, beside one another where it takes long, and return the first answer that decides.

    The first entrant runs in this process where that is safe (see ``ask``), and what it raises is raised
    here: UsageError if it cannot run. One that begins later and fails is as one that gives up.
    """
    course = _Course(entrants, problem, watch)
    way = course.begin(entrants[0])
    try:
        course.start()
        answer = ask(way.solver, problem, way.settings, course.watch)
        course.end(0, way, answer)
        course.wait()
    finally:
        course.close()
    best, whose = course.winner or (answer, way)
    return Finish(best, whose, tuple(course.begun))


def decides(answer: Answer) -> bool:
    """Return whether an answer has a point, or claims to have proven that there is none."""
    return answer.point is not None or answer.proof is Proof.INFEASIBLE


class _Course:
    """A race under way; those behind the first have a thread each, in which they wait.

    Attributes
    ----------
    watch
        What everybody looks at: it says stop as soon as one has won.
    winner
        The first answer that decides, and whose it is.
    begun
        Who has begun so far.
    """

    def __init__(self, entrants: Sequence[Entrant], problem: Problem, watch: Watch):
        self.watch = PartialWatch(watch)
        self.winner: tuple[Answer, Way] | None = None
        self.begun: list[Way] = []
        self._problem = problem
        self._ended: set[int] = set()
        self._change = threading.Condition()
        self._threads = [
            threading.Thread(target=self._compete, args=(number, entrant), daemon=True)
            for number, entrant in enumerate(entrants[1:], 1)
        ]

    def start(self) -> None:
        """Let all behind the first wait for their turns."""
        for thread in self._threads:
            thread.start()

    def begin(self, entrant: Entrant) -> Way:
        """Return the first way that can run here and has not begun yet. Raises UsageError if none can."""
        reason = UsageError("all of them have begun")
        for way in entrant.ways:
            if way not in self.begun:
                try:
                    available(way.solver)
                except UsageError as error:
                    reason = error
                else:
                    self.begun.append(way)
                    return way
        raise reason

    def end(self, number: int, way: Way, answer: Answer) -> None:
        """Note what an entrant had to say."""
        with self._change:
            if decides(answer) and self.winner is None:
                self.winner = answer, way
                self.watch.end()
            self._ended.add(number)
            self._change.notify_all()

    def wait(self) -> None:
        """Wait until one has won, all have ended, or the watch says stop."""
        with self._change:
            while not self.watch.stop and len(self._ended) <= len(self._threads):
                self._change.wait(POLL)

    def close(self) -> None:
        """End whoever is still at work or waits for its turn."""
        with self._change:
            self.watch.end()
            self._change.notify_all()
        for thread in self._threads:
            if thread.ident is not None:  # else it has not been started
                thread.join()

    def _compete(self, number: int, entrant: Entrant) -> None:
        """Wait for the entrant's turn, and ask it; what its thread does."""
        before = set(range(number))
        with self._change:
            self._change.wait_for(lambda: self.watch.ended or before <= self._ended, entrant.begins)
        if self.watch.stop:
            return
        from milp_pips.process.worker import ask_in_worker  # takes a while, and few races come to that

        way, answer = entrant.ways[-1], Answer(None, Proof.NONE, Stop.ERROR)
        with suppress(UsageError, EngineFault):
            way = self.begin(entrant)
            said = ask_in_worker(way.solver, self._problem, way.settings, self.watch)
            answer = checked_answer(said, self._problem, way.solver)
        self.end(number, way, answer)
