"""The task ``prove``: write a certificate of all solutions, of the best ones, or of their number."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from milp_pips.compilation.limits import Unfinished
from milp_pips.formulations.linear_problem import LinearProblem
from milp_pips.problem.answer import Stop
from milp_pips.problem.errors import EngineFault, UsageError
from milp_pips.problem.parameters import Parameter, one_of, whole
from milp_pips.problem.plugins import extra
from milp_pips.problem.problem import Problem
from milp_pips.problem.stopping import Deadline, running_deadline
from milp_pips.puzzles.puzzle import Puzzle, known_key
from milp_pips.tasks.certifying import KINDS, certificate_folder, certify, require_time
from milp_pips.tasks.enumerate import START, solutions
from milp_pips.tasks.lines import UNFINISHED
from milp_pips.tasks.pipeline import find_point, listed_puzzle_of, prepare
from milp_pips.tasks.query import ANY_DISTANCE, Distance, Prepared, Query, Run, Select
from milp_pips.verification.verify import Proved

if TYPE_CHECKING:
    from milp_pips.runtime.executor import Executor
    from milp_pips.tasks.tree_proofs import Start
    from milp_pips.verification.verify_tree import ProvedByTree

INFEASIBLE = "infeasible"
"""The kind of a certificate of what ``explain`` finds: a part of a linear model without solution."""

PROOF_PARAMETERS = (
    Parameter(
        "--kind KIND",
        "list: all solutions, and a refutation of any other; count: an order of the cells, by which the "
        "checker counts again; optimum: a best solution, and a refutation of any better; infeasible: rows "
        "and bounds of a linear model that clash, and their refutation (default: list, or optimum with "
        "--maximise or --minimise)",
        one_of((*KINDS, INFEASIBLE)),
    ),
    START,
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
    best: int | None = None,
    within: int | None = None,
    within_relative: float | None = None,
    over: str | Iterable[Any] | None = None,
    start: Start | None = None,
    jobs: int = 1,
    executor: Executor | None = None,
    seconds: float | None = None,
    deadline: Deadline | None = None,
) -> Proved | ProvedByTree:
    """Write a certificate into a new folder, check it, and return what it proves.

    Parameters
    ----------
    puzzle
        A puzzle of any family, a bare problem, or a linear model.
    folder
        The folder, which is made, or is empty, or has what a killed search for the same certificate of a
        linear model has left.
    kind
        ``list`` for all solutions, ``count`` for their number alone, ``optimum`` for a best solution,
        ``infeasible`` for the rows and bounds of a linear model that cannot hold together. None for
        ``optimum`` if there is an objective in words, else ``list``.
        The list and the optimum of a linear model come from one tree. If time is over before its end, the
        certificate proves how many solutions there are at least and at most.
    distinct
        The key by which solutions are different; empty for the first key.
    maximise, minimise
        An objective in words, see ``solve``. A linear model may have an objective of its own.
    best, within, within_relative
        Of a linear model with an objective only the best solutions, or those near the optimum, see
        ``solutions``; ``within=0`` for all optima.
    over
        The columns in which solutions of a linear model differ, see ``solutions``.
    start
        Known solutions of a linear model, with the values of all columns: a list of mappings from names to
        values, or a file, of another solver or with a line of JSON for each. The better the first of them
        is, the sooner the tree prunes.
    jobs, executor
        Of a linear model: the processes that search its tree, or the workers, see ``solutions``.
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
    puzzle = listed_puzzle_of(puzzle, "prove", over, deadline or Deadline(seconds))
    (distance := Distance(within, within_relative)).check()
    Select(best=best).check()
    whole(1).check("jobs", jobs)
    if kind is not None:
        one_of((*KINDS, INFEASIBLE)).check("kind", kind)
    is_by_tree = puzzle.is_model and kind != "count" and (maximise, minimise) == (None, None)
    if (best is not None or distance != ANY_DISTANCE) and (not is_by_tree or kind == "optimum"):
        raise UsageError("best and within are for lists of linear models, by their own objective")
    if start is not None and not is_by_tree:
        raise UsageError("a start is for linear models, by their own objective")
    if (jobs > 1 or executor is not None) and not is_by_tree:
        raise UsageError("several jobs are for lists and optima of linear models: omit jobs")
    if kind == INFEASIBLE:
        if not is_by_tree:
            raise UsageError(
                f"{puzzle.name}: {INFEASIBLE} is for linear models: prove a list, which is empty"
            )
        with certificate_folder(folder), running_deadline(deadline, seconds) as deadline:
            return _prove_infeasible(puzzle, os.fspath(folder), deadline)
    if is_by_tree:
        query = Query(
            puzzle,
            has_over=over is not None,
            distance=distance,
            select=Select(best=1 if kind == "optimum" else best),
        )
        with certificate_folder(folder, UNFINISHED), running_deadline(deadline, seconds) as deadline:
            return _prove_model(
                query, os.fspath(folder), Run(deadline=deadline, jobs=jobs, executor=executor), start
            )
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


def _prove_model(query: Query, folder: str, run: Run, start: Start | None) -> ProvedByTree:
    """Write the certificate of a linear model."""
    from milp_pips.tasks.tree_proofs import prove_model, start_points, tree_query

    puzzle, best = query.puzzle, query.select.best
    problem = puzzle.as_linear().for_listing(is_chosen=query.has_over, aims=best is not None)
    # The certificate states the model as it was given: bounds that rows imply are part of the proof.
    problem = replace(problem, model=getattr(puzzle, "given", None) or problem.model)
    for_tree = tree_query(problem, query.distance, best)
    known = start_points(puzzle, start or ())  # type: ignore[arg-type]
    source = getattr(puzzle, "source", "")
    with run.workers() as executor:
        return prove_model(problem, source, folder, for_tree, run.deadline, known, executor)


def _prove_infeasible(puzzle: Puzzle, folder: str, deadline: Deadline) -> ProvedByTree:
    """Write the certificate of the part of a linear model that has no solution."""
    from milp_pips.enumeration.tree_points import TreeQuery
    from milp_pips.tasks.tree_proofs import prove_model

    if (reason_of := extra("explain.model_reasons:reason_of")) is None:
        raise UsageError(f"{INFEASIBLE} needs milp_pips.extras.explain, which is not installed")
    part = LinearProblem(reason_of(puzzle, deadline, for_tree=True), ())
    return prove_model(part, "", folder, TreeQuery(), deadline)


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
