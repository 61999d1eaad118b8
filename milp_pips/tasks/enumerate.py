"""The task ``solutions``: enumerate the solutions of a puzzle, and prove that the list is complete.

A decision diagram lists them if it fits, else an engine does. Every solution of an engine is checked against
the rules, and completeness is confirmed a second way.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Unpack

from milp_pips.problem.answer import Settings, Shortcuts
from milp_pips.problem.errors import UsageError
from milp_pips.problem.parameters import Parameter, named_keywords, one_of, whole
from milp_pips.problem.problem import Problem
from milp_pips.problem.stopping import Deadline, OnProgress
from milp_pips.puzzles.puzzle import Board, Puzzle, known_key
from milp_pips.runtime.writing import try_file
from milp_pips.tasks.lines import SolutionFile, solution_file
from milp_pips.tasks.listers import Enumeration
from milp_pips.tasks.pipeline import listed_puzzle_of, settings_of
from milp_pips.tasks.query import ANY_DISTANCE, Distance, Prepared, Query, Run, Select, Shard
from milp_pips.tasks.shards import begin_shard
from milp_pips.tasks.strategies import STRATEGIES, ListTask, choose

if TYPE_CHECKING:
    from milp_pips.runtime.executor import Executor
    from milp_pips.tasks.tree_proofs import Start

START = Parameter(
    "--start FILE",
    "of a linear model: known solutions, in the file of a solver or as lines of JSON; the tree prunes by "
    "the best of them from the beginning",
)
ENUMERATION_PARAMETERS = (
    START,
    Parameter(
        "--method METHOD",
        "diagram: decision diagram; native: the engine's own enumeration; partition: split the rest of the "
        "search space after each solution; cubes: partition, with all solutions around each found one; cuts: "
        "exclude each solution by a cut; tree: linear models alone, in one tree with a certificate (default: "
        "auto, the quickest that fits)",
        one_of(("auto", *STRATEGIES)),
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
    executor: Executor | None = None,
    shard: tuple[int, int] | None = None,
    board: Board | None = None,
    maximise: str | None = None,
    minimise: str | None = None,
    best: int | None = None,
    within: int | None = None,
    within_relative: float | None = None,
    over: str | Iterable[Any] | None = None,
    diverse: int | None = None,
    start: Start | None = None,
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
        ``auto`` takes the decision diagram if it fits, else an engine's own enumeration, else a partition;
        for linear models the tree, until the diagram or a SAT solver has all solutions; if ``solver`` is
        given, it takes that solver's usual method. See ``docs/solutions.md``.
    distinct
        The key: two solutions are different if they differ in it, such as ``placement`` or ``grid``. Empty
        for the first key.
    limit
        Most solutions to list.
    out
        A JSON-lines file to which every solution is appended. A killed enumeration resumes from it.
    jobs
        Number of processes that search subproblems of a partition, or subtrees of a tree, in parallel.
    executor
        Of a linear model: the workers that search subtrees, such as those that
        ``milp_pips.runtime.cluster.open_workers`` yields. Their calls are given up when the list ends.
    shard
        Search only a part, (I, N), of what the tree of the file ``out`` has left, and keep it beside that;
        see ``milp_pips.tasks.shards``.
    board
        The values that are filled in already, see ``hint``: only solutions that contain them are listed.
    maximise, minimise
        An objective in words, see ``solve``; with ``best`` or ``within``.
    best
        The number of best solutions to list, the best first. Equally good ones follow in any order.
    within
        Only the solutions whose value differs from the optimum by at most this: 0 for all optimal ones.
    within_relative
        The same distance as a share of the optimum: 0.1 for a tenth.
    over
        The columns in which solutions of a linear model differ, see ``Model.chosen``; the others are
        projected away. None for all integer columns.
    diverse
        The number of solutions to list, each as far as possible from those before it: the greatest number of
        variables of the key, or of chosen columns, differ; see ``milp_pips.tasks.diverse``.
    start
        Known solutions of a linear model, with which the tree begins; see ``prove``.
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
        If the optimum for ``within`` is not known when time is up. The tree lists what is near the best known
        value instead, unless there is a file.
    EngineFault
        If a solution breaks a rule, or if two engines contradict each other.
    """
    whole(1).check("jobs", jobs)
    (select := Select(limit, best, diverse)).check()
    settings = settings_of(settings, shortcuts, solver)
    deadline = deadline or Deadline(settings.seconds)
    deadline.progress.listener = on_progress or deadline.progress.listener
    puzzle = listed_puzzle_of(puzzle, "solutions", over, deadline)
    (distance := Distance(within, within_relative)).check()
    query = Query(
        puzzle, board, maximise, minimise, None, distinct, over is not None, distance, select, start
    )
    part = None if shard is None else Shard(*shard)
    return enumeration(query, Run(solver, settings, deadline, method, out, jobs, executor, part))


def enumeration(query: Query, run: Run) -> Enumeration:
    """Return an iterator over the solutions that are asked for; see ``solutions``."""
    # Refuse here, before the caller asks for the first solution.
    require_alone(query, run)
    if run.out:
        try_file(run.out)
    task = ListTask(query, run)
    name = choose(task)
    strategy = STRATEGIES[name]
    prepared = strategy.prepares(task)
    # The key is known only now: the strategy decides how the puzzle is prepared, and so which problem has
    # keys.
    key = known_key(prepared.problem, query.distinct)
    run = task.by(name, strategy.solver_of(run))
    # The file is opened after the choice, since it says by which method and solver its list was made.
    file = _solution_file(query, prepared, key, run)
    choose_lister = strategy.lists(task, key, run, file)
    return Enumeration(prepared, key, run, choose_lister, query.select.limit, file, task.optimum)


def require_alone(query: Query, run: Run) -> None:
    """Raise UsageError for what does not go together with ``best`` or ``diverse``."""
    limit, best, diverse = query.select
    if run.shard is not None and (not run.out or limit is not None):
        raise UsageError("a shard needs the file of its list, and no limit")
    for what, number in (("best", best), ("diverse", diverse)):
        given = {"out": bool(run.out), "jobs": run.is_spread, "limit": limit is not None}
        given |= {"diverse": what == "best" and diverse is not None}
        if number is not None and (others := [name for name, is_given in given.items() if is_given]):
            raise UsageError(
                f"the {what} solutions are listed one after another: omit {' and '.join(others)}"
            )


def _solution_file(query: Query, prepared: Prepared, key: str, run: Run) -> SolutionFile | None:
    """Return the file of the list; None if there is none."""
    digest = prepared.filtered.digest(prepared.puzzle.family) if run.out else ""
    identity = {"puzzle": prepared.puzzle.name, "problem": digest, "key": key, "method": run.method}
    path, identity["shard"] = run.out, ""
    if run.shard is not None:
        path, identity["shard"] = run.shard.path(run.out), begin_shard(run.out, run.shard)
    identity["distance"] = "any" if query.distance == ANY_DISTANCE else str([*query.distance])
    return solution_file(path, **identity, solver=run.solver, formulation=run.settings.formulation)
