"""The task ``solutions``: enumerate the solutions of a puzzle, and prove that the list is complete.

A decision diagram lists them if it fits, else an engine does. Every solution of an engine is checked against
the rules, and completeness is confirmed a second way.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING, Any, Unpack

from milp_pips.compilation.limits import Budget, Unfinished
from milp_pips.engines.defaults import MODEL_SOLVERS, PARTITION, enumerator
from milp_pips.engines.registry import available, require_model_solver
from milp_pips.enumeration.methods import Listing, usual_method
from milp_pips.problem.answer import Proof, Settings, Shortcuts, Stop
from milp_pips.problem.errors import UsageError, unknown_name
from milp_pips.problem.parameters import Parameter, named_keywords, one_of, whole
from milp_pips.problem.problem import Problem
from milp_pips.problem.stopping import Deadline, OnProgress
from milp_pips.puzzles.puzzle import Board, Puzzle, known_key
from milp_pips.puzzles.registry import family_of
from milp_pips.runtime.writing import try_file
from milp_pips.tasks.compile import compile_prepared
from milp_pips.tasks.lines import SolutionFile, solution_file
from milp_pips.tasks.listers import EmptyLister, EngineLister, Enumeration, Lister, SpaceLister
from milp_pips.tasks.pipeline import prepare, puzzle_of, settings_of
from milp_pips.tasks.prepared import Prepared
from milp_pips.tasks.query import ANY_DISTANCE, Distance, Query, Run, Select

if TYPE_CHECKING:
    from milp_pips.formulations.linear_problem import LinearProblem

ENUMERATION_METHODS = ("auto", "diagram", "native", "partition", "cubes", "cuts", "tree")
ENUMERATION_PARAMETERS = (
    Parameter(
        "--method METHOD",
        "diagram: decision diagram; native: the engine's own enumeration; partition: split the rest of the "
        "search space after each solution; cubes: partition, with all solutions around each found one; cuts: "
        "exclude each solution by a cut; tree: linear models alone, in one tree with a certificate (default: "
        "auto, the quickest that fits)",
        one_of(ENUMERATION_METHODS),
        "auto",
    ),
)


@named_keywords
def solutions(
    puzzle: Puzzle | Problem,
    solver: str = "",
    settings: Settings = Settings(),
    *,
    method: str = "auto",
    distinct: str = "",
    limit: int | None = None,
    out: str = "",
    jobs: int = 1,
    board: Board | None = None,
    maximise: str | None = None,
    minimise: str | None = None,
    best: int | None = None,
    within: int | None = None,
    within_relative: float | None = None,
    over: str | Iterable[Any] | None = None,
    diverse: int | None = None,
    deadline: Deadline | None = None,
    on_progress: OnProgress | None = None,
    **shortcuts: Unpack[Shortcuts],
) -> Enumeration:
    """Return an iterator over the solutions of a puzzle.

    Parameters
    ----------
    puzzle
        A puzzle of any family, or a bare problem.
    solver
        Name of the solver; empty for the quickest.
    settings, shortcuts
        As for ``solve``.
    method
        ``diagram``, ``native``, ``partition``, ``cubes``, ``cuts``, ``tree`` (for linear models) or ``auto``.
        ``auto`` takes the decision diagram if it fits, else an engine's own enumeration, else a partition; if
        ``solver`` is given, it takes that solver's usual method. See ``docs/solutions.md``.
    distinct
        The key: two solutions are different if they differ in it, such as ``placement`` or ``grid``. Empty
        for the first key.
    limit
        Most solutions to list.
    out
        A JSON-lines file to which every solution is appended. A killed enumeration resumes from it.
    jobs
        Number of processes that search subproblems of a partition in parallel.
    board
        The values that are filled in already, see ``hint``: only solutions that contain them are listed.
    maximise, minimise
        An objective in words, see ``solve``; with ``best`` or ``within``.
    best
        The number of best solutions to list, the best first. Equally good ones follow in any order.
    within
        Only the solutions whose value is at most so far from the optimum: 0 for all optimal ones.
    within_relative
        The same distance as a share of the optimum: 0.1 for a tenth.
    over
        The columns in which solutions of a linear model differ, see ``Model.chosen``; the others are
        projected away. None for all integer columns.
    diverse
        The number of solutions to list, each as far as possible from those before it: the greatest number of
        variables of the key, or of chosen columns, differ; see ``milp_pips.tasks.diverse``.
    deadline
        A deadline that is running already, instead of a time limit.
    on_progress
        Called with each line of progress; the logger ``milp_pips`` gets these lines, too.

    Raises
    ------
    UsageError
        If a solver, method, key or option is unknown, a value of the board is not in the domain of its cell,
        or the objective cannot be read.
    Unfinished
        If the optimum for ``within`` is not known when time is up.
    EngineFault
        If a solution breaks a rule, or if two engines contradict each other.
    """
    whole(1).check("jobs", jobs)
    (select := Select(limit, best, diverse)).check()
    puzzle = puzzle_of(puzzle, "solutions", over)
    settings = settings_of(settings, shortcuts, solver)
    deadline = deadline or Deadline(settings.seconds)
    deadline.progress.listener = on_progress or deadline.progress.listener
    distance = Distance(within, within_relative)
    query = Query(puzzle, board, maximise, minimise, None, distinct, over is not None, distance, select)
    return enumeration(query, Run(solver, settings, deadline, method, out, jobs))


def enumeration(query: Query, run: Run) -> Enumeration:
    """Return an iterator over the solutions that are asked for; see ``solutions``."""
    if run.method == "tree":
        return _by_tree(query, run)
    select, optimum = query.select, None
    if select.best is not None:
        _require_alone("best", run, limit=select.limit, diverse=select.diverse)
    if select.diverse is not None:
        _require_alone("diverse", run, limit=select.limit)
    if run.out:
        try_file(run.out)
    may_choose = run.method == "auto" and not run.solver
    if (linear := query.puzzle.linear()) is not None:
        run = _chosen_for_model(linear, run)
    elif select.best is select.diverse is None:
        run = _chosen(run)
    if query.distance != ANY_DISTANCE:
        from milp_pips.tasks.optimise import prepare_near_optimal

        prepared, optimum = prepare_near_optimal(query, run)
    elif query.has_words and select.best is None:
        raise UsageError("an objective needs best or within; solve finds one optimal solution")
    else:
        prepared = prepare(query, run, takes_models=True)
    prepared = prepared.for_listing(is_chosen=query.has_over, aims=select.best is not None)
    if run.engine and run.method == "auto":
        run = run.changed(method=usual_method(run.engine, prepared.problem))
    key = known_key(prepared.problem, query.distinct)
    if k := select.best or select.diverse:
        from milp_pips.tasks.diverse import DiverseLister
        from milp_pips.tasks.optimise import BestLister

        lister = (BestLister if select.best else DiverseLister)(prepared, key, run, k)
        own = run.changed(method=lister.method)
        return Enumeration(prepared, key, own, lambda: lister, optimum=optimum)
    file = _solution_file(prepared, key, run)
    choose = partial(_choose_lister, prepared, key, run, file, may_choose=may_choose)
    return Enumeration(prepared, key, run, choose, select.limit, file, optimum)


def _by_tree(query: Query, run: Run) -> Enumeration:
    """Return the list of a linear model by one tree; see ``milp_pips.tasks.trees``."""
    from milp_pips.tasks.models import prepare_model
    from milp_pips.tasks.trees import TreeLister, require_tree

    require_tree(query, run)
    problem = query.puzzle.as_linear()
    if given := query.for_problems():
        raise UsageError(f"{query.puzzle.name}: the tree lists models; omit {' and '.join(given)}")
    problem = problem.for_listing(is_chosen=query.has_over, aims=query.select.best is not None)
    prepared = prepare_model(query.puzzle, family_of(query.puzzle), problem)
    key, own = known_key(prepared.problem, query.distinct), run.changed(solver=TreeLister.solver)
    lister = TreeLister(prepared, problem, query, own)
    file = _solution_file(prepared, key, own)
    return Enumeration(prepared, key, own, lambda: lister.resuming(file), query.select.limit, file)


def _solution_file(prepared: Prepared, key: str, run: Run) -> SolutionFile | None:
    """Return the file of the list; None if there is none."""
    digest = prepared.filtered.digest(prepared.puzzle.family) if run.out else ""
    identity = {"puzzle": prepared.puzzle.name, "problem": digest, "key": key, "method": run.method}
    return solution_file(run.out, **identity, solver=run.solver, formulation=run.settings.formulation)


def _choose_lister(
    prepared: Prepared, key: str, run: Run, file: SolutionFile | None, *, may_choose: bool
) -> Lister:
    """Return the lister of the method, or of an engine's if the solution space is too large.

    ``may_choose`` states that neither method nor solver was named.
    """
    name, report = prepared.puzzle.name, run.deadline.progress.report
    before, left = prepared.problem.open_values, prepared.filtered.open_values
    report(f"{name}: filtering leaves {left} of {before} values open")
    if prepared.refutation:
        return EmptyLister(prepared, key, run, run.method, Proof.COMPLETE, Stop.FINISHED)
    if run.method == "diagram":
        try:
            budget = Budget.of_memory(run.settings.memory)
            space = compile_prepared(prepared, key, budget, run.deadline)
        except Unfinished as reason:
            if not may_choose or run.deadline.stop:
                stop = run.deadline.stop or reason.stop
                return EmptyLister(prepared, key, run, run.method, Proof.NONE, stop)
            native = enumerator()
            run = run.changed(solver=native, method=usual_method(available(native), prepared.problem))
        else:
            report(f"{name}: the decision diagram holds {space.count}")
            return SpaceLister(prepared, key, run, space)
    report(f"{name}: {run.solver} lists by {run.method}")
    listing = Listing(prepared.filtered.with_objective(None), key, run.solver, run.settings)
    return EngineLister(prepared, listing, run, file)


def _require_alone(what: str, run: Run, **more: int | None) -> None:
    """Raise UsageError for what does not go together with ``best`` or ``diverse``."""
    given = {"method": run.method != "auto", "out": bool(run.out), "jobs": run.jobs > 1}
    given |= {name: number is not None for name, number in more.items()}
    if others := [name for name, is_given in given.items() if is_given]:
        raise UsageError(f"the {what} solutions are listed one after another: omit {' and '.join(others)}")


def _chosen_for_model(problem: LinearProblem, run: Run) -> Run:
    """Return the run with the method and the solver of a linear model that is no ``Problem``.

    Raises UsageError for a method or a solver that does not list such models.
    """
    solver, method = run.solver or MODEL_SOLVERS[0], run.method
    require_model_solver(available(solver, run.settings), problem)
    if method not in ("auto", "partition", "cuts"):
        reason = problem.model.reason_against_problem
        raise UsageError(f"{problem.name}: {reason}; its methods are partition and cuts, not {method}")
    if method == "cuts":
        problem.require_binary("cuts")
    if run.jobs > 1 and method == "cuts":
        raise UsageError(f"several jobs need the method partition, not {method}")
    return run.changed(solver=solver, method="partition" if method == "auto" else method)


def _chosen(run: Run) -> Run:
    """Return the run with the method and the solver that ``auto`` and an unnamed solver stand for.

    The method is still ``auto`` where the problem determines the usual method of the named solver. Raises
    UsageError.
    """
    method, solver = run.method, run.solver
    if method not in ENUMERATION_METHODS:
        raise unknown_name("method", method, ENUMERATION_METHODS)
    if solver and "space" in available(solver, run.settings).features:
        if run.jobs > 1 or method not in ("auto", "diagram"):
            raise UsageError(f"the solver {solver} lists all solutions by the method diagram, in one process")
        return run.changed(method="diagram", solver="")
    if run.jobs > 1 and method not in ("auto", "partition", "cubes"):
        raise UsageError(f"several jobs need the method partition or cubes, not {method}")
    if method == "auto" and run.jobs > 1:
        return run.changed(method="partition", solver=solver or PARTITION)
    if method == "auto":
        return run if solver else run.changed(method="diagram")
    if method == "diagram":
        if solver:
            raise UsageError("the decision diagram needs no solver: leave out --method or --solver")
        return run
    return run.changed(solver=solver or (enumerator() if method == "native" else PARTITION))
