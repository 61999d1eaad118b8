"""The task ``solutions``: enumerate the solutions of a puzzle, and prove that the list is complete.

A decision diagram lists them if it fits, else an engine does. Every solution of an engine is checked against
the rules, and completeness is confirmed a second way.
"""

from __future__ import annotations

from collections.abc import Iterable
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
from milp_pips.tasks.lines import solution_file
from milp_pips.tasks.listers import EmptyLister, EngineLister, Enumeration, Lister, SpaceLister
from milp_pips.tasks.pipeline import prepare, puzzle_of, rules_for, settings_of
from milp_pips.tasks.results import Distance

if TYPE_CHECKING:
    from milp_pips.formulations.linear_problem import LinearProblem

ENUMERATION_METHODS = ("auto", "diagram", "native", "partition", "cubes", "cuts")
ENUMERATION_PARAMETERS = (
    Parameter(
        "--method METHOD",
        "diagram: decision diagram; native: the engine's own enumeration; partition: split the rest of the "
        "search space after each solution; cubes: partition, with all solutions around each found one; cuts: "
        "exclude each solution by a cut (default: auto, the quickest that fits)",
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
        ``diagram``, ``native``, ``partition``, ``cubes``, ``cuts`` or ``auto``. ``auto`` takes the decision
        diagram if it fits, else an engine's own enumeration, else a partition; if ``solver`` is given, it
        takes that solver's usual method. See ``docs/solutions.md``.
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
    for name, least, number in (("limit", 1, limit), ("best", 1, best), ("diverse", 2, diverse)):
        if number is not None:
            whole(least).check(name, number)
    if best is not None:
        _require_alone("best", method, out, jobs, limit=limit, within=within, diverse=diverse)
    if diverse is not None:
        _require_alone("diverse", method, out, jobs, limit=limit)
    puzzle = puzzle_of(puzzle, "solutions", over)
    settings = settings_of(settings, shortcuts, solver)
    deadline = deadline or Deadline(settings.seconds)
    deadline.progress.listener = on_progress or deadline.progress.listener
    distance, optimum = Distance(within, within_relative), None
    if out:
        try_file(out)
    linear = family_of(puzzle).linear(puzzle)
    may_choose = method == "auto" and not solver
    if linear is not None:
        method, solver = _choose_for_model(linear, method, solver, settings, jobs)
    elif best is diverse is None:
        method, solver = _choose(method, solver, settings, jobs)
    engine = available(solver, settings) if solver else None
    rules = rules_for(settings, engine)
    if distance != Distance():
        from milp_pips.tasks.optimise import prepare_near_optimal

        prepared, optimum = prepare_near_optimal(puzzle, rules, board, deadline, distance, maximise, minimise)
    else:
        change = None
        if (maximise, minimise) != (None, None):
            from milp_pips.tasks.objectives import goal_of

            change = goal_of(maximise, minimise)
            if best is None:
                raise UsageError("an objective needs best or within; solve finds one optimal solution")
        given = {"board": board, "maximise": maximise, "minimise": minimise}
        # A file resumes only if filtering gives the same domains.
        prepared = prepare(puzzle, rules, board, None if out else deadline, change, given)
    prepared = prepared.for_listing(is_chosen=over is not None, aims=best is not None)
    if engine and method == "auto":
        method = usual_method(engine, prepared.problem)
    key = known_key(prepared.problem, distinct)
    if k := best or diverse:
        from milp_pips.tasks.diverse import DiverseLister
        from milp_pips.tasks.optimise import BestLister

        kind = BestLister if best else DiverseLister
        lister: Lister = kind(prepared, key, deadline, k, solver, settings)
        return Enumeration(prepared, key, lister.method, solver, lambda: lister, deadline, optimum=optimum)
    digest = prepared.filtered.digest(puzzle.family) if out else ""
    identity = {"puzzle": puzzle.name, "problem": digest, "key": key, "method": method, "solver": solver}
    file = solution_file(out, **identity, formulation=settings.formulation)

    def by_engine(method: str, solver: str) -> Lister:
        deadline.progress.report(f"{puzzle.name}: {solver} lists by {method}")
        listing = Listing(prepared.filtered.with_objective(None), key, solver, settings)
        return EngineLister(prepared, deadline, listing, method, jobs, file)

    def choose_lister() -> Lister:
        """Return the lister of the method, or of an engine's if the solution space is too large."""
        before, left = prepared.problem.open_values, prepared.filtered.open_values
        deadline.progress.report(f"{puzzle.name}: filtering leaves {left} of {before} values open")
        if prepared.refutation:
            return EmptyLister(prepared, key, deadline, method, Proof.COMPLETE, Stop.FINISHED)
        if method != "diagram":
            return by_engine(method, solver)
        try:
            space = compile_prepared(prepared, key, Budget.of_memory(settings.memory), deadline)
        except Unfinished as reason:
            if not may_choose or deadline.stop:
                stop = deadline.stop or reason.stop
                return EmptyLister(prepared, key, deadline, method, Proof.NONE, stop)
            native = enumerator()
            return by_engine(usual_method(available(native), prepared.problem), native)
        deadline.progress.report(f"{puzzle.name}: the decision diagram holds {space.count}")
        return SpaceLister(prepared, key, deadline, space)

    return Enumeration(
        prepared, key, method, solver, choose_lister, deadline, limit=limit, file=file, optimum=optimum
    )


def _require_alone(what: str, method: str, out: str, jobs: int, **more: int | None) -> None:
    """Raise UsageError for what does not go together with ``best`` or ``diverse``."""
    given = {"method": method != "auto", "out": bool(out), "jobs": jobs > 1}
    given |= {name: number is not None for name, number in more.items()}
    if others := [name for name, is_given in given.items() if is_given]:
        raise UsageError(f"the {what} solutions are listed one after another: omit {' and '.join(others)}")


def _choose_for_model(
    problem: LinearProblem, method: str, solver: str, settings: Settings, jobs: int
) -> tuple[str, str]:
    """Return the method and the solver for a linear model that is no ``Problem``. Raises UsageError."""
    solver = solver or MODEL_SOLVERS[0]
    require_model_solver(available(solver, settings), problem)
    if method not in ("auto", "partition", "cuts"):
        reason = problem.model.reason_against_problem
        raise UsageError(f"{problem.name}: {reason}; its methods are partition and cuts, not {method}")
    if method == "cuts":
        problem.require_binary("cuts")
    if jobs > 1 and method == "cuts":
        raise UsageError(f"several jobs need the method partition, not {method}")
    return ("partition" if method == "auto" else method), solver


def _choose(method: str, solver: str, settings: Settings, jobs: int) -> tuple[str, str]:
    """Return the method and the solver that ``auto`` and an unnamed solver stand for. Raises UsageError.

    The method is still ``auto`` where the problem determines the usual method of the named solver.
    """
    if method not in ENUMERATION_METHODS:
        raise unknown_name("method", method, ENUMERATION_METHODS)
    if solver and "space" in available(solver, settings).features:
        if jobs > 1 or method not in ("auto", "diagram"):
            raise UsageError(f"the solver {solver} lists all solutions by the method diagram, in one process")
        return "diagram", ""
    if jobs > 1 and method not in ("auto", "partition", "cubes"):
        raise UsageError(f"several jobs need the method partition or cubes, not {method}")
    if method == "auto" and jobs > 1:
        return "partition", solver or PARTITION
    if method == "auto":
        return (method, solver) if solver else ("diagram", "")
    if method == "diagram":
        if solver:
            raise UsageError("the decision diagram needs no solver: leave out --method or --solver")
        return method, ""
    return method, solver or (enumerator() if method == "native" else PARTITION)
