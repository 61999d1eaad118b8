"""The task ``compile``: all solutions of a puzzle as one object."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Unpack

from milp_pips.compilation.limits import DEFAULT_BUDGET, Budget
from milp_pips.compilation.solution_set import Key, SolutionSet, compile_problem, variables_of
from milp_pips.enumeration.joining import list_short
from milp_pips.problem.answer import Settings, Shortcuts
from milp_pips.problem.parameters import named_keywords
from milp_pips.problem.stopping import Deadline, OnProgress, running_deadline
from milp_pips.puzzles.puzzle import Board
from milp_pips.tasks.pipeline import Prepared, known_key, prepare, puzzle_of, rules_for, settings_of

if TYPE_CHECKING:
    from milp_pips.problem.problem import Problem
    from milp_pips.puzzles.puzzle import Puzzle


@named_keywords
def compile(
    puzzle: Puzzle | Problem,
    key: str | Sequence[int] = "",
    settings: Settings = Settings(),
    *,
    method: str = "space",
    widths: Sequence[int] = (),
    board: Board | None = None,
    deadline: Deadline | None = None,
    on_progress: OnProgress | None = None,
    **shortcuts: Unpack[Shortcuts],
) -> SolutionSet:
    """Return all solutions of a puzzle, to count, iterate, sample and project without listing them.

    Its solutions are assignments of the problem, see ``state``: values by the position of their variable.

    Parameters
    ----------
    puzzle
        A puzzle of any family, or a bare problem.
    key
        What makes two solutions different: the name of a key, such as ``placement`` or ``grid``, or some
        variables of the problem; empty for the first key.
    settings, deadline, shortcuts
        As for ``solve``; ``memory`` is a rough limit on the size of the set. With ``rules=()`` the problem is
        compiled as it is stated, without filtering it first.
    method
        ``space`` splits the problem, and branches until its parts are small decision diagrams; ``diagram``
        compiles one decision diagram.
    widths
        For some of the solutions, where all do not fit: the most states of a layer of restricted decision
        diagrams. The set is then not complete (``is_complete``).
    board
        The values already filled in, see ``hint``: only solutions that contain them are compiled.
    on_progress
        Called with each line of progress; the logger ``milp_pips`` gets these lines, too.

    Raises
    ------
    UsageError
        For an unknown key or method, or a board with an impossible value.
    Unfinished
        If time or memory ran out, or on an interruption; its ``stop`` states which.
    Unsupported
        If no decision diagram of the problem can be made, by the method ``diagram``.
    """
    puzzle = puzzle_of(puzzle, "compile")
    settings = settings_of(settings, shortcuts)
    with running_deadline(deadline, settings.seconds, on_progress) as deadline:
        prepared = prepare(puzzle, rules_for(settings), board, deadline)
        by = known_key(prepared.problem, key) if isinstance(key, str) else key
        budget = Budget.of_memory(settings.memory)
        return compile_prepared(prepared, by, budget, deadline, method, widths)


def compile_prepared(
    prepared: Prepared,
    key: Key,
    budget: Budget,
    deadline: Deadline,
    method: str = "space",
    widths: Sequence[int] = (),
) -> SolutionSet:
    """Return the solutions of a prepared puzzle that differ in a key.

    Its ``listed`` states whether it relies on an engine's list. Raises Unfinished if the solutions do not fit
    the budget, or if the deadline expires.
    """
    problem = prepared.filtered
    if prepared.refutation:
        return SolutionSet(problem, variables_of(problem, key), None)
    return compile_problem(problem, key, budget, deadline, method=method, widths=widths, lister=list_short)


# Names of version 0.1; ``milp_pips`` still has them, with a DeprecationWarning.


def solution_space(
    puzzle: Puzzle | Problem, distinct: str = "", *arguments: Any, **options: Any
) -> SolutionSet:
    """Return the same as ``compile``."""
    return compile(puzzle, distinct, *arguments, **options)


def compile_diagram(
    problem: Problem, budget: Budget = DEFAULT_BUDGET, deadline: Deadline | None = None
) -> SolutionSet:
    """Return all solutions by the method ``diagram``."""
    return compile_problem(problem, None, budget, deadline, method="diagram")


def project(
    solutions: SolutionSet,
    variables: Iterable[int],
    budget: Budget = DEFAULT_BUDGET,
    deadline: Deadline | None = None,
) -> SolutionSet:
    """Return the same as ``solutions.project``."""
    return solutions.project(variables, budget, deadline)
