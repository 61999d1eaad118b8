"""The task ``prove``: write a certificate of all solutions, their number, or a best one."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import Any

from milp_pips.compilation.limits import Unfinished
from milp_pips.problem.answer import Stop
from milp_pips.problem.errors import EngineFault, UsageError
from milp_pips.problem.parameters import Parameter, one_of
from milp_pips.problem.problem import Problem
from milp_pips.problem.stopping import Deadline, running_deadline
from milp_pips.puzzles.puzzle import Puzzle, known_key
from milp_pips.tasks.certifying import KINDS, certificate_folder, certify, require_time
from milp_pips.tasks.enumerate import solutions
from milp_pips.tasks.pipeline import find_point, prepare, puzzle_of
from milp_pips.tasks.prepared import Prepared
from milp_pips.tasks.query import Query, Run
from milp_pips.verification.verify import Proved

PROOF_PARAMETERS = (
    Parameter(
        "--kind KIND",
        "list: all solutions, and a refutation of any other; count: an order of the cells, by which the "
        "checker counts again; optimum: a best solution, and a refutation of any better (default: list, or "
        "optimum with --maximise or --minimise)",
        one_of(KINDS),
    ),
)

MOST_LISTED = 10_000
"""The most solutions of a list. More are better counted: the checker reads each of them."""


def prove(
    puzzle: Puzzle | Problem,
    folder: str | os.PathLike[str],
    *,
    kind: str | None = None,
    distinct: str = "",
    maximise: str | None = None,
    minimise: str | None = None,
    over: str | Iterable[Any] | None = None,
    seconds: float | None = None,
    deadline: Deadline | None = None,
) -> Proved:
    """Write a certificate into a new folder, check it, and return what it proves.

    Parameters
    ----------
    puzzle
        A puzzle of any family, a bare problem, or a linear model.
    folder
        The folder, which is made, or is empty.
    kind
        ``list`` for all solutions, ``count`` for their number alone, ``optimum`` for a best solution. None
        for ``optimum`` if there is an objective in words, else ``list``.
    distinct
        The key by which solutions are different; empty for the first key.
    maximise, minimise
        An objective in words, see ``solve``. A linear model may have an objective of its own.
    over
        The columns in which solutions of a linear model differ, see ``solutions``.
    seconds, deadline
        The time limit for everything, or a deadline that is running already.

    Raises
    ------
    UsageError
        If there are more than ``MOST_LISTED`` solutions to list, if the family of the puzzle has no plain
        rules for a count or an optimum, or if there is no objective.
    Unfinished
        If the time is over, or every way to count takes too many states.
    InputError, OutputError
        If the folder is not empty, or cannot be written.
    EngineFault
        If an engine contradicts the plain rules, or the certificate is refused.
    """
    puzzle = puzzle_of(puzzle, "prove", over)
    query = Query(puzzle, maximise=maximise, minimise=minimise)
    if query.has_words and kind not in (None, "optimum"):
        raise UsageError(f"a {kind} needs no objective: omit it, or prove an optimum")
    with certificate_folder(folder), running_deadline(deadline, seconds) as deadline:
        prepared = prepare(query, Run(deadline=deadline))
        kind = kind or ("optimum" if query.has_words else "list")
        points = None
        if kind == "list":
            points = sorted(_points(prepared, known_key(prepared.problem, distinct), deadline))
        return certify(prepared, folder, kind, deadline, distinct, points)


def _points(prepared: Prepared, key: str, deadline: Deadline) -> Iterator[tuple[int, ...]]:
    """Yield a point for each solution. Values outside the key come from an engine."""
    found = solutions(prepared.puzzle, distinct=key, limit=MOST_LISTED + 1, deadline=deadline)
    for solution in found:
        point = prepared.point_of(solution)
        if prepared.problem.blank in point:
            board = {v: value for v, value in enumerate(point) if value != prepared.problem.blank}
            run = Run(deadline=deadline)
            answer = find_point(prepare(Query(prepared.puzzle, board), run), run)
            require_time(deadline)
            if answer.point is None:
                raise EngineFault(f"{prepared.puzzle.name}: no solution has the listed values")
            point = tuple(answer.point)
        yield point
        if found.found > MOST_LISTED:
            raise UsageError(f"there are more than {MOST_LISTED} solutions to list; prove a count")
    if found.summary is None or not found.summary.complete:
        raise Unfinished("no certificate: the list is not complete", deadline.stop or Stop.TIME)
