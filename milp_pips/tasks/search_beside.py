"""A search for a solution and for others beside counting: what it finds is a lower bound, or the number 1."""

from __future__ import annotations

import sys
import threading
from collections.abc import Sequence
from contextlib import closing

from milp_pips.problem.answer import Settings
from milp_pips.problem.errors import EngineFault, MilpPipsError, UsageError
from milp_pips.problem.problem import Problem
from milp_pips.problem.stopping import Deadline, EarlierDeadline, SubDeadline
from milp_pips.tasks.pipeline import find_point
from milp_pips.tasks.query import Prepared, Run
from milp_pips.tasks.results import Uniqueness

ENGINE_MEMORY = 200 * 2**20
"""Least memory limit of an engine, in bytes: no engine runs with much less."""

SEARCH_BESIDE_AFTER = 0.1, 1.0
"""The share of the time, and the most seconds, after which a search for a solution begins beside counting."""

SEARCH_ENDS_BEFORE = 0.1, 0.5
"""The share of the time, and the most seconds, by which it ends before the deadline, so that it counts."""

LISTS_AFTER = 0.5
"""The share of the time left after which solutions are listed, if counting has not given up before: a list
takes a core, and counting may need it."""

LISTED_AT_A_TIME = 100
"""The solutions between two reports of how many are listed."""

FIRST_SEARCH_SHARE = 0.8
"""The share of the time that the search has alone, where rules on whole lines of a large board make diagrams
too wide: of five Sudokus of 25 rows the hardest takes 23 s of one core and 17 s of another."""


def find_one(prepared: Prepared, settings: Settings, deadline: Deadline) -> Sequence[int] | None:
    """Return a solution that an engine finds, or None."""
    if deadline.stop:
        return None
    memory = None if settings.memory is None else max(settings.memory, ENGINE_MEMORY)
    own = Settings(memory=memory, isolate=settings.isolate)
    answer = find_point(prepared, Run("", own, deadline))
    prepared.judge(answer.point, answer.claim.who)
    return answer.point


class SearchBeside:
    """A search for a solution and for others while they are being counted, mostly in processes of its own.

    So a count with a time limit is at least 1 if ``solve`` finds a solution within that time. It is 1, and
    counting ends, if engines confirm that there is no other: then ``confirmed_by`` names them. If there are
    others, an engine lists them: of Sudokus with few givens it lists thousands a second, of which a
    restricted diagram has a few. The search begins some time after counting, since most counts are soon
    finished, and ends with the ``with`` block.
    If it ``comes_first``, counting waits for it a share of the time, and it runs without a time limit, too.
    There is none otherwise without a time limit, with a limit of memory, which is for all that runs, or in a
    browser, which has no processes.
    """

    def __init__(self, prepared: Prepared, run: Run, *, comes_first: bool):
        settings, deadline = run.settings, run.deadline
        self._deadline = EarlierDeadline(deadline, *SEARCH_ENDS_BEFORE)
        share, most = SEARCH_BESIDE_AFTER
        self._after = most if deadline.remaining is None else min(share * deadline.remaining, most)
        self._first_seconds = FIRST_SEARCH_SHARE * (self._deadline.remaining or 0.0) if comes_first else 0.0
        self._turn, self._decided = threading.Event(), threading.Event()
        self._found = 0
        self.point: Sequence[int] | None = None
        self._counting: SubDeadline | None = None
        self.confirmed_by: str | None = None
        self._fault: MilpPipsError | None = None
        isolated = Settings(seed=settings.seed, isolate=True)
        self._thread = threading.Thread(target=self._search, args=(prepared, isolated), daemon=True)
        is_asked = comes_first or deadline.remaining is not None
        self.begun = is_asked and settings.memory is None and sys.platform != "emscripten"

    def __enter__(self) -> SearchBeside:
        if self.begun:
            self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._deadline.end()
        self._turn.set()
        if self.begun:
            self._thread.join()

    def _search(self, prepared: Prepared, settings: Settings) -> None:
        self._turn.wait(self._after)
        try:
            others = self._first_two(prepared, Run("", settings, self._deadline))
            if others is not None:
                self._found = others.at_least
                if others.solutions == 1:
                    self.confirmed_by = others.confirmed_by
                    if self._counting is not None:
                        self._counting.end()
                elif self._found > 1:
                    self._decided.set()
                    self._turn.wait(LISTS_AFTER * (self._deadline.remaining or 0.0))
                    if self._deadline.remaining and not self._deadline.stop:  # else no one needs a bound
                        self._list(prepared.filtered.with_objective(None), others.key)
        except UsageError:  # no engine takes this problem
            pass
        except MilpPipsError as fault:
            self._fault = fault
        self._decided.set()

    def _first_two(self, prepared: Prepared, run: Run) -> Uniqueness | None:
        """Return what is known of other solutions; None if there is no time left to search for them."""
        from milp_pips.tasks.confirmed import find_another, find_with_others

        if (found := find_with_others(prepared, run)) is not None:
            point, others = found[0].point, found[1]
        else:
            point, others = find_one(prepared, run.settings, run.deadline), None
        self.point, self._found = point, int(point is not None)
        if others or point is None or run.deadline.stop:
            return others
        return find_another(prepared, point, run)

    def _list(self, problem: Problem, key: str) -> None:
        from milp_pips.runtime.executor import OwnProcess
        from milp_pips.runtime.interruptible import Limits

        with closing(OwnProcess()) as process:
            listed = process.submit(_count_listed, (problem, key), Limits(self._deadline), self._note)
        self._note(listed.value or 0)

    def _note(self, found: int) -> None:
        self._found = max(self._found, found)

    def counting(self, deadline: Deadline) -> Deadline:
        """Return a deadline for counting, which ends once the only one is known; search first if asked."""
        if self.begun and self._first_seconds:
            self._turn.set()
            self._decided.wait(self._first_seconds)
        self._counting = SubDeadline(deadline)
        if self.confirmed_by:
            self._counting.end()
        return self._counting

    def hurry(self) -> None:
        """Begin now."""
        self._turn.set()

    def found(self, *, now: bool = False) -> int:
        """Return how many solutions the search has found by the first key, at its end, or ``now`` to end it.

        Raises its fault.
        """
        if now:
            self._deadline.end()
            self._turn.set()
        self._thread.join()
        if self._fault is not None:
            raise self._fault
        return self._found


def _count_listed(problem: Problem, key: str, deadline: Deadline) -> int:
    """Return how many solutions that differ in the key an engine lists; before that, send how many it has.

    Runs in a process of its own. Raises EngineFault for a solution that breaks a rule.
    """
    from milp_pips.engines.defaults import enumerator
    from milp_pips.enumeration.joining import list_joined
    from milp_pips.enumeration.methods import Listing
    from milp_pips.runtime.worker import send_item

    number, listing = 0, Listing(problem, key, enumerator())
    for number, point in enumerate(list_joined(listing, "native", deadline), 1):
        if broken := problem.violated(point):
            raise EngineFault(f"{listing.solver} gave a point that breaks a rule: {broken}")
        if number % LISTED_AT_A_TIME == 0:
            send_item(number)
    return number
