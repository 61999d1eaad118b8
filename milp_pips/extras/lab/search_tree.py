"""The tree of a branch and bound, the textbook's or an engine's own, with the board in every node."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import inf
from typing import TYPE_CHECKING, Any, Unpack

from milp_pips.engines.defaults import LP_SOLVER
from milp_pips.engines.registry import available, tree_of_engine
from milp_pips.extras.lab.branching import BRANCHING_RULES, ORDERS, BranchAndBound
from milp_pips.extras.lab.puzzle_model import PuzzleModel, state_model, stated_cost
from milp_pips.problem.answer import Claim, Settings, Shortcuts, Stop, TaskResult
from milp_pips.problem.errors import EngineFault, UsageError, unknown_name
from milp_pips.problem.objective import MAXIMISE
from milp_pips.problem.parameters import Parameter, named_keywords, one_of, whole
from milp_pips.problem.stopping import Deadline, running_deadline
from milp_pips.tasks.pipeline import settings_of
from milp_pips.verification.second_opinion import on_no_solution

if TYPE_CHECKING:
    from milp_pips.engines.contract import SearchNode
    from milp_pips.problem.problem import Problem
    from milp_pips.puzzles.puzzle import Puzzle

MAX_TREE_NODES = 100
"""The default limit on solved nodes: a tree that can still be read."""

TREE_PARAMETERS = (
    Parameter(
        "--rule RULE",
        "branch on the first fractional column, the one nearest to one half, the one whose children gain "
        "most, or the values of a cell (default: most-fractional)",
        one_of(BRANCHING_RULES),
        "most-fractional",
    ),
    Parameter(
        "--order ORDER",
        "take the deepest node next, or the one with the best bound (default: depth)",
        one_of(ORDERS),
        "depth",
    ),
    Parameter("--limit N", f"nodes to solve at most (default: {MAX_TREE_NODES})", whole(1), MAX_TREE_NODES),
)
"""The parameters that this search alone has."""

TEXTBOOK = "textbook"
"""The name of the search that is used if no solver is named."""


@dataclass(frozen=True)
class SearchTree(TaskResult):
    """The tree of a branch and bound.

    Parameters
    ----------
    stated
        The puzzle and its model.
    solver
        The search: ``textbook``, or the name of a solver.
    rule, order
        The branching rule and the node order; empty for a solver, which uses its own.
    objective
        The objective in words; empty if any solution is enough.
    nodes
        The nodes, parents first. Bounds are those of the cost, which is minimised; to maximise, the cost is
        the negative value.
    links
        The branch that leads to each node, in words.
    numbers
        The order in which the nodes were solved, from 1 on; None for nodes that were not solved.
    solution, value
        The best solution, and its objective; None if there is none.
    status
        ``solved`` for any solution, ``optimal`` or ``infeasible`` (both confirmed), or ``unknown``.
    relaxations
        The relaxations solved, including those of strong branching; None if the solver does not report them.
    stop
        The stopping criterion.
    confirmed_by
        The method that confirmed that there is no (better) solution; None if none did or none was needed.
    seconds
        The time taken.
    """

    stated: PuzzleModel = field(repr=False)
    solver: str
    rule: str
    order: str
    objective: str
    nodes: tuple[SearchNode, ...] = field(repr=False)
    links: tuple[str, ...] = field(repr=False)
    numbers: tuple[int | None, ...] = field(repr=False)
    solution: Any = field(repr=False)
    value: int | float | None
    status: str
    relaxations: int | None
    stop: Stop
    confirmed_by: str | None
    seconds: float

    def value_of(self, cost: float | None) -> float | None:
        """Return the objective that a cost or a bound means; None if it is not known or there is none."""
        return stated_cost(self.stated.problem.objective, cost)


@named_keywords
def search_tree(
    puzzle: Puzzle | Problem,
    settings: Settings = Settings(),
    *,
    rule: str = "most-fractional",
    order: str = "depth",
    maximise: str = "",
    minimise: str = "",
    solver: str = "",
    limit: int = MAX_TREE_NODES,
    deadline: Deadline | None = None,
    **shortcuts: Unpack[Shortcuts],
) -> SearchTree:
    """Return the tree of a branch and bound, the textbook's or a solver's own. It is meant for small puzzles.

    Parameters
    ----------
    puzzle
        A puzzle of any family, or a bare problem.
    settings, deadline, shortcuts
        As for ``solve``. Nothing is filtered first unless ``rules`` requests it.
    rule
        The textbook's branching rule: the ``first`` fractional column, the ``most-fractional``, ``strong``
        branching, or the values of a ``cell``.
    order
        The textbook's node order: ``depth`` first or ``best`` first.
    maximise, minimise
        What to maximise or minimise, in words: a cell, or an expression as for ``solve``. Without one, and
        unless the problem has an objective, any solution is enough and all bounds are 0.
    solver
        A solver with the feature ``tree``, whose own tree to show, without its presolve and heuristics.
    limit
        The most nodes to solve.

    Raises
    ------
    UsageError
        For an unknown rule, order, formulation or option, an expression that cannot be read, and a solver
        that cannot show its tree.
    Unfinished
        If the deadline stops it before the model is stated.
    EngineFault
        If a solution breaks a rule, or the confirmation contradicts the result.
    """
    begun = time.perf_counter()
    for name, known in ((rule, BRANCHING_RULES), (order, ORDERS)):
        if name not in known:
            raise unknown_name("way to search", name, known)
    whole(1).check("limit", limit)
    settings = settings_of(settings, shortcuts, solver)
    if settings.options and not solver:
        raise UsageError("options belong to a solver, and the textbook search has none: name a solver")
    with running_deadline(deadline, settings.seconds) as deadline:
        stated = state_model(puzzle, settings, "search_tree", deadline, maximise, minimise)
        objective = stated.problem.objective
        costs = None if stated.model.arrays.costs is None else stated.model.arrays.costs.tolist()
        links: Sequence[str]
        numbers: Sequence[int | None]
        if solver:
            found, stop = tree_of_engine(solver, stated.model, costs, limit, settings, deadline)
            links = [_words(stated, node.bounds) for node in found]
            numbers, relaxations = range(1, len(found) + 1), None
            nodes: Sequence[SearchNode] = found
        else:
            search = BranchAndBound(stated, costs, rule, order, limit)
            stop = search.run(deadline)
            nodes, links, relaxations = search.nodes, search.links, search.relaxations
            place = {node: i for i, node in enumerate(search.solved, 1)}
            numbers = [place.get(node) for node in range(len(nodes))]
        # The referee judges the best point before anything is said about it, and another solver confirms the
        # rest.
        point, solution = _best(stated, nodes, solver or TEXTBOOK)
        status = _status(stop, found=point is not None, aimed=objective is not None)
        confirmed = None
        if status in ("optimal", "infeasible"):
            confirmed = _confirm(stated, point, solver, settings, deadline)
            if not confirmed:  # an unconfirmed result is not reported as known
                status = "unknown" if point is None else "solved"
    words, value = "", None
    if objective is not None:
        words = f"{'greatest' if objective.sense == MAXIMISE else 'least'} value of {objective}"
        value = None if point is None else objective.stated(objective.value(point))
    return SearchTree(
        stated, solver or TEXTBOOK, *(("", "") if solver else (rule, order)), words, tuple(nodes),
        tuple(links), tuple(numbers), solution, value, status, relaxations, stop, confirmed,
        time.perf_counter() - begun,
    )  # fmt: skip


def _words(stated: PuzzleModel, bounds: Sequence[tuple[int, float, float]]) -> str:
    """Return a solver's branch in words."""
    return ", ".join(
        (stated.meanings if low > 0.5 else stated.negated_meanings)[column] for column, low, _ in bounds
    )


def _best(stated: PuzzleModel, nodes: Sequence[SearchNode], who: str) -> tuple[tuple[int, ...] | None, Any]:
    """Return the point of the best node with a solution, and the validated solution. Raises EngineFault."""
    objective, found, least = stated.problem.objective, None, inf
    for node in nodes:
        if node.status == "solution" and node.x is not None:
            point = tuple(stated.model.decode(node.x))
            solution = stated.prepared.judge(point, who)
            cost = 0 if objective is None else objective.cost(objective.value(point))
            if cost < least:
                found, least = (point, solution), cost
    return found or (None, None)


def _status(stop: Stop, *, found: bool, aimed: bool) -> str:
    if found and not aimed:
        return "solved"
    if stop is not Stop.FINISHED:
        return "unknown"
    return "optimal" if found else "infeasible"


def _confirm(
    stated: PuzzleModel, point: Sequence[int] | None, solver: str, settings: Settings, deadline: Deadline
) -> str | None:
    """Return the method that confirms that there is no (better) solution. Raises EngineFault."""
    engine, prepared = available(solver or LP_SOLVER, settings), stated.prepared
    if point is not None and prepared.problem.objective is not None:
        prepared = prepared.better_than(prepared.objective.value(point))
    claim = Claim(solver or TEXTBOOK, engine.proof_family, stated.model.formulation)
    opinion = on_no_solution(prepared.problem, claim, deadline)
    if opinion.point is not None:
        raise EngineFault(f"{claim.who} finds no (better) solution, {opinion.witness} does")
    return opinion.confirmed_by
