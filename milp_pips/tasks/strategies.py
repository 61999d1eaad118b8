"""The strategies of lists in one table: what each of them lists, and what it declines.

``engines.defaults`` has the order in which they are tried; the first that does not decline a list is taken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING

from milp_pips.compilation.limits import Budget, Unfinished
from milp_pips.engines.contract import PointIterator
from milp_pips.engines.defaults import (
    LP_SOLVER,
    PARTITION,
    SHORT_LIST_SOLVER,
    STRATEGIES_FOR_MODELS,
    STRATEGIES_FOR_PROBLEMS,
    enumerator,
    optimiser,
)
from milp_pips.engines.registry import available, reason_against, require_model_solver, solver
from milp_pips.enumeration.methods import Listing, lists_by_itself
from milp_pips.problem.answer import Proof, Stop
from milp_pips.problem.errors import UsageError, unknown_name
from milp_pips.problem.stopping import EarlierDeadline
from milp_pips.tasks.compile import compile_prepared
from milp_pips.tasks.listers import EmptyLister, EngineLister, Lister, SpaceLister
from milp_pips.tasks.pipeline import prepare
from milp_pips.tasks.query import ANY_DISTANCE, Prepared, Query, Run

if TYPE_CHECKING:
    from milp_pips.problem.stopping import Deadline
    from milp_pips.tasks.lines import SolutionFile
    from milp_pips.tasks.models import PreparedModel
    from milp_pips.tasks.results import Optimum


ENGINE_SHARE = 0.5
"""The share of a time limit that the solution space leaves to an engine, where that may list instead. Without
it no solution of a Sudoku with 17 givens was listed within 20 s."""


class ListTask:
    """A list that is wanted: the query and the run, and the puzzle as far as a strategy has to state it."""

    def __init__(self, query: Query, run: Run):
        self.query, self.run = query, run
        self.linear = query.puzzle.linear()
        """The model, if no ``Problem`` states it."""

    @property
    def prepared(self) -> Prepared:
        """The puzzle, stated and filtered, with the constraint on the distance from the optimum."""
        return self._near_optimum[0]

    @property
    def optimum(self) -> Optimum | None:
        """The optimum, if the query has a distance from it and the puzzle is prepared."""
        return self._near_optimum[1] if "_near_optimum" in self.__dict__ else None

    @cached_property
    def _near_optimum(self) -> tuple[Prepared, Optimum | None]:
        query, optimum = self.query, None
        if query.distance != ANY_DISTANCE:
            from milp_pips.tasks.optimise import prepare_near_optimal

            prepared, optimum = prepare_near_optimal(query, self.run)
        elif query.has_words and query.select.best is None:
            raise UsageError("an objective needs best or within; solve finds one optimal solution")
        else:
            prepared = prepare(query, self.run, takes_models=True)
        return prepared.for_listing(is_chosen=query.has_over, aims=query.select.best is not None), optimum

    @cached_property
    def prepared_model(self) -> PreparedModel:
        """The linear model for the tree, which has its bounds and its objective itself."""
        from milp_pips.tasks.models import PreparedModel

        query = self.query
        problem = query.puzzle.as_linear()
        has_best = query.select.best is not None or query.distance != ANY_DISTANCE
        problem = problem.for_listing(is_chosen=query.has_over, aims=has_best)
        if has_best:
            problem = replace(problem, completes=False)  # the tree finds the best values itself
        return PreparedModel.of(query.puzzle, problem)

    def again(self, deadline: Deadline) -> ListTask:
        """Return the same task for a strategy that has less time."""
        return ListTask(self.query, Run("", self.run.settings, deadline))

    def by(self, method: str, solver: str = "") -> Run:
        """Return the run by a strategy and a solver."""
        return self.run.changed(method=method, solver=solver)


Point = tuple[int, ...]

Choose = Callable[[], Lister]
"""Returns the lister, once the first solution is wanted."""


@dataclass(frozen=True)
class Strategy:
    """A way to list solutions.

    Parameters
    ----------
    lists
        Returns what makes the lister of a task that is prepared; raises UsageError.
    solver
        Returns the solver if none is named, empty for none.
    declines
        Returns what else it does not serve in a task, or an empty text.
    prepares
        Returns what it lists: the puzzle, stated and filtered, unless it says otherwise.
    takes_models
        Whether it lists models that no ``Problem`` states.
    has_jobs
        Whether several processes share the work.
    best, diverse
        Whether it lists the best solutions, or some that are far apart.
    """

    lists: Callable[[ListTask, str, Run, SolutionFile | None], Choose]
    solver: Callable[[], str]
    declines: Callable[[ListTask], str] = lambda _: ""
    prepares: Callable[[ListTask], Prepared] = lambda task: task.prepared
    takes_models: bool = False
    has_jobs: bool = False
    best: bool = False
    diverse: bool = False

    def solver_of(self, run: Run) -> str:
        """Return the solver of a run by this strategy; empty if it needs none."""
        own = self.solver()
        return own and (run.solver or own)


def choose(task: ListTask) -> str:
    """Return the name of the strategy: the named one, else the first in the table that declines nothing.

    Raises UsageError with what is declined if there is none.
    """
    method, is_model = task.run.method, task.query.puzzle.is_model
    if method != "auto":
        if method not in STRATEGIES:
            raise unknown_name("method", method, ("auto", *STRATEGIES))
        names: tuple[str, ...] = (method,)
    else:
        names = STRATEGIES_FOR_MODELS if is_model else STRATEGIES_FOR_PROBLEMS
    declined = ""
    for name in names:
        if not (reason := what_is_declined(name, task)):
            return name
        declined = declined or reason
    raise UsageError(declined)


def what_is_declined(name: str, task: ListTask) -> str:
    """Return why a strategy does not list what is wanted; empty if it does. Raises UsageError."""
    strategy, select = STRATEGIES[name], task.query.select
    if task.linear is not None and not strategy.takes_models:
        able = " and ".join(name for name, each in STRATEGIES.items() if each.takes_models)
        reason = task.linear.model.reason_against_problem
        return f"{task.query.puzzle.name}: {reason}; its methods are {able}, not {name}"
    for what in ("best", "diverse"):
        if getattr(select, what) is not None and not getattr(strategy, what):
            able = " and ".join(name for name, each in STRATEGIES.items() if getattr(each, what))
            return f"the {what} solutions are listed by the methods {able}, not by {name}"
    if task.query.start is not None and (name != "tree" or select.diverse is not None):
        return (
            "known solutions begin the tree of a linear model: omit start, or the method, solver or diverse"
        )
    if reason := strategy.declines(task):
        return reason
    if name != "tree" and (task.run.executor is not None or task.run.shard is not None):
        return f"several machines need the method tree, not {name}"
    if task.run.jobs > 1 and not strategy.has_jobs:
        able = " or ".join(name for name, each in STRATEGIES.items() if each.has_jobs)
        return f"several jobs need the method {able}, not {name}"
    return ""


# The tree.


def _declined_by_tree(task: ListTask) -> str:
    from milp_pips.tasks.trees import require_tree

    query, run = task.query, task.run
    try:
        require_tree(query, run)
        problem = query.puzzle.as_linear()
    except UsageError as reason:
        return str(reason)
    if given := query.for_problems():
        return f"{query.puzzle.name}: the tree lists models; omit {' and '.join(given)}"
    if run.method != "auto":
        return ""
    if run.solver:
        return "the tree lists by itself, on a live LP of HiGHS: omit solver"
    if task.linear is None and (not problem.over or query.select.diverse is not None):
        return "a problem has other ways"
    if task.linear is None and run.out and query.distance == ANY_DISTANCE and not run.is_spread:
        return "the file of all solutions keeps what one way has left: no rival can take the place of a tree"
    if problem.endless:
        return f"{problem.endless}: the tree lists models with bounded integer columns"
    return reason_against(solver(LP_SOLVER))


def _by_tree(task: ListTask, key: str, run: Run, file: SolutionFile | None) -> Choose:
    from milp_pips.tasks.turns import TreeInTurns

    prepared = task.prepared_model
    if task.query.select.diverse is not None:
        from milp_pips.tasks.diverse import DiverseByTree

        return _at_once(DiverseByTree(prepared, task.query, run, task.query.select.diverse))
    rivals = [partial(_all_by_diagram, task, key), partial(_all_by_clauses, task, key)]
    alone = task.run.method != "auto" or task.linear is not None or task.query.select.best is not None
    alone = alone or run.is_spread
    # The file of a list keeps what its tree has left to search: rivals have nothing like it.
    lister = TreeInTurns(prepared, task.query, run, () if alone or file is not None else rivals)
    return lambda: lister.resuming(file)


def _all_by_diagram(task: ListTask, key: str, deadline: Deadline) -> tuple[Lister, Iterable[Point]]:
    """Return all solutions of a model as a solution space. Raises Unfinished."""
    within, run = task.again(deadline), task.by("diagram")
    space = compile_prepared(within.prepared, key, Budget.of_memory(run.settings.memory), deadline)
    lister = SpaceLister(within.prepared, key, run, space)
    lister.optimum = within.optimum
    return lister, lister.points(())


def _all_by_clauses(task: ListTask, key: str, deadline: Deadline) -> tuple[Lister, Iterable[Point]]:
    """Return all solutions of a model by a SAT solver. Raises Unfinished, and UsageError for wide sums."""
    within = task.again(deadline)
    lister = _of_engine(within, key, task.by("native", SHORT_LIST_SOLVER), None)
    lister.optimum = within.optimum
    lister.deadline = deadline  # to list; what confirms the list has the deadline of the task
    points = PointIterator(lister.points(()))
    found = list(points)
    lister.deadline = task.run.deadline
    if points.proof is not Proof.COMPLETE:
        raise Unfinished("the list was not finished", points.stop)
    return lister, found


# The others.


def _declined_by_diagram(task: ListTask) -> str:
    if not task.run.solver or _is_diagram(task):
        return ""
    return "the decision diagram needs no solver: leave out --method or --solver"


def _declined_to_diagrams(task: ListTask) -> str:
    if _is_diagram(task):
        return f"the solver {task.run.solver} lists all solutions by the method diagram, in one process"
    if task.linear is not None:
        require_model_solver(available(task.run.solver or PARTITION, task.run.settings), task.linear)
    return ""


def _declined_by_cuts(task: ListTask) -> str:
    finds_single_ones = task.query.select.best is not None or task.query.select.diverse is not None
    return "" if finds_single_ones else _declined_to_diagrams(task)


def _declined_by_native(task: ListTask) -> str:
    engine = task.run.engine if task.run.method == "auto" else None
    if engine is not None and not lists_by_itself(engine, task.prepared.problem):
        return f"{engine.name} has no list of its own for this problem"
    if engine is not None and "cuts" in engine.features and not task.query.puzzle.is_model:
        # Filtering and branching do most of the work of a partition, which an engine that keeps its model
        # loaded completes: SCIP lists 10,464 solutions seven times as fast so (``benchmarks/lists.py``).
        return f"{engine.name} lists the solutions of a puzzle sooner by partition"
    return _declined_to_diagrams(task)


def _is_diagram(task: ListTask) -> bool:
    engine = task.run.engine
    return engine is not None and "space" in engine.features


def _by_diagram(task: ListTask, key: str, run: Run, file: SolutionFile | None) -> Choose:
    if task.query.select.best is not None:
        from milp_pips.tasks.optimise import BestLister

        return _at_once(BestLister(task.prepared, key, run, task.query.select.best))
    return partial(_choose_by_diagram, task, key, run, file)


def _choose_by_diagram(task: ListTask, key: str, run: Run, file: SolutionFile | None) -> Lister:
    """Return the lister of the solution space; if that is too large and no way was named, of an engine."""
    prepared, deadline = task.prepared, run.deadline
    if refuted := _refuted(task, key, run):
        return refuted
    may_choose = task.run.method == "auto" and not task.run.solver
    try:
        budget = Budget.of_memory(run.settings.memory)
        early = EarlierDeadline(deadline, ENGINE_SHARE) if may_choose else deadline
        space = compile_prepared(prepared, key, budget, early)
    except Unfinished as reason:
        if not may_choose or deadline.stop:
            return EmptyLister(prepared, key, run, run.method, Proof.NONE, deadline.stop or reason.stop)
        # Where diagrams are too large, engines that learn from dead ends list soonest.
        native = enumerator()
        usual = "native" if lists_by_itself(available(native), prepared.problem) else "partition"
        return _of_engine(task, key, task.by(usual, native), file)
    deadline.progress.report(f"{prepared.puzzle.name}: the decision diagram holds {space.count}")
    return SpaceLister(prepared, key, run, space)


def _by_engine(task: ListTask, key: str, run: Run, file: SolutionFile | None) -> Choose:
    return lambda: _refuted(task, key, run) or _of_engine(task, key, run, file)


def _by_cuts(task: ListTask, key: str, run: Run, file: SolutionFile | None) -> Choose:
    from milp_pips.tasks.diverse import DiverseLister
    from milp_pips.tasks.optimise import BestLister

    best, diverse = task.query.select.best, task.query.select.diverse
    if best is not None:
        return _at_once(BestLister(task.prepared, key, task.by("cuts", task.run.solver or optimiser()), best))
    if diverse is not None:
        return _at_once(DiverseLister(task.prepared, key, task.by("cuts", task.run.solver), diverse))
    return _by_engine(task, key, run, file)


def _refuted(task: ListTask, key: str, run: Run) -> Lister | None:
    """Return the empty list of a puzzle that filtering has refuted; report what filtering has left."""
    prepared = task.prepared
    before, left = prepared.problem.open_values, prepared.filtered.open_values
    run.deadline.progress.report(f"{prepared.puzzle.name}: filtering leaves {left} of {before} values open")
    if not prepared.refutation:
        return None
    return EmptyLister(prepared, key, run, run.method, Proof.COMPLETE, Stop.FINISHED)


def _of_engine(task: ListTask, key: str, run: Run, file: SolutionFile | None) -> Lister:
    prepared = task.prepared
    run.deadline.progress.report(f"{prepared.puzzle.name}: {run.solver} lists by {run.method}")
    listing = Listing(prepared.filtered.with_objective(None), key, run.solver, run.settings)
    return EngineLister(prepared, listing, run, file)


def _at_once(lister: Lister) -> Choose:
    return lambda: lister


STRATEGIES = {
    "diagram": Strategy(_by_diagram, lambda: "", _declined_by_diagram, best=True),
    "native": Strategy(_by_engine, enumerator, _declined_by_native),
    "partition": Strategy(
        _by_engine, lambda: PARTITION, _declined_to_diagrams, takes_models=True, has_jobs=True
    ),
    "cubes": Strategy(_by_engine, lambda: PARTITION, _declined_to_diagrams, has_jobs=True),
    "cuts": Strategy(_by_cuts, lambda: PARTITION, _declined_by_cuts, best=True, diverse=True),
    "tree": Strategy(
        _by_tree,
        lambda: LP_SOLVER,
        _declined_by_tree,
        lambda task: task.prepared_model,
        takes_models=True,
        has_jobs=True,
        best=True,
        diverse=True,
    ),
}
"""The strategies by name. All of them list within a distance of the optimum, too."""
