"""Whether the solution that was found is the only one: what a moment of looking can tell."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from milp_pips.compilation.diagram import Budget, Unfinished
from milp_pips.compilation.space import compile_some
from milp_pips.enumeration.solution_spaces import space_of
from milp_pips.problem.errors import EngineFault
from milp_pips.problem.stopping import CpuTimeLimit, Deadline
from milp_pips.tasks.pipeline import known_key

if TYPE_CHECKING:
    from milp_pips.tasks.pipeline import Prepared

UNIQUENESS_SECONDS = 0.2
"""Seconds for looking for other solutions: what a person who waits for one hardly notices. Of 90
puzzles of the Times half take 1 ms and all but three less than 30: ``solve --json`` tells it as ``count``."""

UNIQUENESS_TIME_SHARE = 0.1
"""The part of the time that is left till a limit that this may take."""

FILTERINGS = 10
"""Nobody looks where there is no time to state and filter the problem so often: a board of 91 dominoes of a
double-twelve set, which takes 20 ms, is not counted in 0.2 s, and overruns them."""

MEMORY, WIDTH, WALK = 2**25, 10, 1000
"""For that: bytes of the solution space; where it does not fit, states at each step of a diagram of some of
the solutions; and how many of these are looked at for two that differ."""


class Uniqueness(NamedTuple):
    """Whether there are other solutions than the one that was found.

    Parameters
    ----------
    solutions
        How many there are in all, or None where that is not known.
    at_least
        How many there are at least.
    key
        What makes two of them different; empty where nobody has looked.
    """

    solutions: int | None = None
    at_least: int = 1
    key: str = ""

    def __str__(self) -> str:
        if self.solutions == 1:
            return "the only solution"
        if self.solutions is not None:
            return f"one of {self.solutions} {self.key}s"
        return "one of several" if self.at_least > 1 else "not known to be the only one" if self.key else ""


NOT_CHECKED = Uniqueness()
"""Of a solution, where nobody has looked."""


def check_uniqueness(prepared: Prepared, deadline: Deadline, seconds: float) -> Uniqueness:
    """Return whether a puzzle with a solution has others, as far as that can be told in so many seconds.

    They are seconds of the processor.

    Raises EngineFault where the solution space has none at all.
    """
    key, left = known_key(prepared.problem, ""), deadline.remaining
    seconds = seconds if left is None else min(seconds, UNIQUENESS_TIME_SHARE * left)
    if FILTERINGS * prepared.processor > seconds:
        return Uniqueness(key=key)
    variables, budget = prepared.problem.keys[key], Budget.of_memory(MEMORY)
    try:
        early = CpuTimeLimit(deadline, 0.75 * seconds)
        count = space_of(prepared.filtered, variables, budget, early).count
    except Unfinished:
        some = compile_some(prepared.filtered, (WIDTH,), budget, CpuTimeLimit(deadline, 0.25 * seconds))
        seen = set[tuple[int, ...]]()
        for point in islice(some.assignments(), WALK) if some else ():
            told = tuple([point[v] for v in variables])
            if told not in seen and prepared.problem.violated(point) is None:
                seen.add(told)
            if len(seen) > 1:
                break
        return Uniqueness(at_least=max(1, len(seen)), key=key)
    if not count:
        raise EngineFault(f"{prepared.puzzle.name} has a solution, but its solution space has none")
    return Uniqueness(count, count, key)
