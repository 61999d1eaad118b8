"""The results of the tasks: frozen data; ``milp_pips.views`` shows them as text, JSON and pictures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any

from milp_pips.problem.answer import NEVER, UNLESS_DEFAULT, Natural, Seconds, Stop, TaskResult

if TYPE_CHECKING:
    from milp_pips.compilation.estimating import Estimate
    from milp_pips.puzzles.puzzle import Board, Puzzle


@dataclass(frozen=True, slots=True)
class Uniqueness(TaskResult):
    """What is known about other solutions than the one that ``solve`` has found.

    Parameters
    ----------
    solutions
        The number of solutions, or None if unknown.
    at_least
        A lower bound for that number.
    key
        The key by which solutions are different; empty if nothing is known and nothing was searched.
    confirmed_by
        What confirmed that there is no other solution; None if nothing did or had to.
    """

    solutions: int | None = None
    at_least: int = 1
    key: str = ""
    confirmed_by: str | None = None


@dataclass(frozen=True, slots=True)
class Optimum(TaskResult):
    """The objective of a problem, and what is known of it."""

    sense: Annotated[str, ("enum", ("minimise", "maximise"))]
    expression: str
    """The objective in words."""
    value: int | float
    """The value of the solution, or of the best solution."""
    bound: int | float | None
    """A value that no solution can better; null if none is known. It equals the value if that is optimal."""
    is_optimal: bool = field(default=False, metadata=NEVER)
    """Whether it is proven, and confirmed, that no solution is better."""
    confirmed_by: str | None = field(default=None, metadata=NEVER)
    """What confirmed that no solution is better; None if nothing did."""


NOT_SEARCHED = Uniqueness()
"""What is known of other solutions if nothing was searched."""


@dataclass(frozen=True, slots=True)
class Result(TaskResult):
    """The result of ``solve``.

    Parameters
    ----------
    puzzle
        The puzzle.
    solution
        A solution that satisfies the rules, or None.
    status
        ``solved``; ``infeasible``, which is confirmed; ``dead`` if it is confirmed that no solution contains
        the board, and the puzzle may still have one; ``error`` if the engine failed; or ``unknown``.
    stop
        The stopping criterion.
    solver, version, formulation
        The solver that answered, its version and its formulation; if two engines contradict each other, the
        one that is right.
    confirmed_by
        What confirmed that there is no solution; None if nothing did or had to.
    remark
        One sentence that the user must know, or empty.
    fault
        Which engines contradicted each other, or how the engine failed, or empty.
    size, statistics, seconds
        The size of the model, the counters of the search, and the seconds spent (``read``, ``build``,
        ``solve``, ``total``; ``count``, for the search for other solutions, is not part of ``total``).
    choice
        Why this solver was chosen, if none was named.
    others
        What is known about other solutions that contain the board.
    board
        The values that were filled in already.
    objective
        What is known of the objective; None if there is none, or no solution.
    broken
        The soft rules that the solution breaks.
    point
        The checked point that the solution states.
    """

    puzzle: Puzzle
    solution: Any
    status: str
    stop: Stop
    solver: str
    version: str
    formulation: str
    confirmed_by: str | None = None
    remark: str = ""
    fault: str = ""
    size: Mapping[str, int] = field(default_factory=dict)
    statistics: Mapping[str, int] = field(default_factory=dict)
    seconds: Mapping[str, float] = field(default_factory=dict)
    choice: str = ""
    others: Uniqueness = NOT_SEARCHED
    board: Board | None = None
    objective: Optimum | None = None
    broken: tuple[str, ...] = ()
    point: Sequence[Any] | None = field(default=None, repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class Count(TaskResult):
    """The result of ``count``: the number of solutions of a puzzle.

    Parameters
    ----------
    puzzle
        The puzzle.
    counts
        For each requested key, the exact number of solutions that differ in it; None if it is not known.
    complete
        Whether all numbers are exact.
    stop
        Why counting stopped.
    method
        How the solutions were counted, or why not all numbers are known.
    seconds
        Wall-clock seconds of the count.
    cells
        For each variable of the key ``grid``, or every variable without that key, by its name: how many
        solutions give it each value; empty if not requested.
    confirmed_by
        What confirmed an engine's count, or that there is no solution; None if nothing did or had to.
    at_least
        For keys whose number is not known, a lower bound of it.
    estimates
        For keys whose number is not known, the estimate by random samples, if there is one.
    objective
        The optimum, if only solutions near it are counted.
    """

    puzzle: Puzzle
    counts: Mapping[str, int | None]
    complete: bool
    stop: Stop
    method: str
    seconds: float
    cells: Mapping[str, Mapping[int, int]]
    confirmed_by: str | None = None
    at_least: Mapping[str, int] = field(default_factory=dict)
    estimates: Mapping[str, Estimate] = field(default_factory=dict)
    objective: Optimum | None = None


@dataclass(frozen=True, slots=True)
class Summary(TaskResult):
    """The summary of a list of solutions."""

    solutions: Natural
    """Number of solutions listed, those of an earlier run included."""
    key: str
    """The key by which solutions are different."""
    complete: bool
    """Whether the list is complete, which is then proven and confirmed."""
    stop: Stop
    """The stopping criterion."""
    method: str
    """The method of enumeration."""
    solver: str
    """The solver; empty if the diagram, or filtering and branching, sufficed."""
    seconds: Seconds
    """Wall-clock seconds."""
    confirmed_by: str | None
    """What confirmed that the list is complete; null if nothing did or had to."""
    objective: Optimum | None = field(default=None, metadata=UNLESS_DEFAULT)
    """The optimum, if only solutions near it are listed (--within)."""
    judged: Natural = 0
    """Number of solutions that the rules of the game have judged in this run, too; the others satisfy all
    constraints, or are paths of a decision diagram."""
    distances: tuple[Natural, ...] = field(default=(), metadata=UNLESS_DEFAULT)
    """The least distance of each solution, from the second on, to those before it (--diverse). No solution is
    farther from these, which is confirmed if the list is complete."""


@dataclass(frozen=True, slots=True)
class Verdict(TaskResult):
    """The result of ``check``: whether a solution or a board is right, and what is wrong with it.

    Parameters
    ----------
    right
        Whether the solution is right, or some solution contains the board; None if there is no answer.
    broken
        The first rule that a solution breaks, why no solution contains the board, or why there is no answer.
    status
        ``right``; ``right so far`` if some cells are open; ``wrong`` if a rule is broken, or if a value or a
        domino on the board is in no solution; ``dead`` if each of them is in some solution but no solution
        has them all, or if the puzzle has no solution; ``unknown``.
    confirmed_by
        What confirmed that no solution contains the board, if that took a search.
    reason
        What clashes with a board, as JSON-ready data, see ``docs/reasons.md``; None if unknown.
    """

    right: bool | None
    broken: str = ""
    status: str = "right"
    confirmed_by: str | None = None
    reason: dict[str, Any] | None = None
