"""A textbook branch and bound (Land and Doig 1960, Dakin 1965) that records every node.

It solves the linear relaxation of every node and nothing else: no presolve, no propagation, no cuts and no
heuristics. It is meant for looking at small puzzles; ``milp_pips.solve`` is meant for solving.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import ceil, inf
from typing import NamedTuple, TypeAlias

from milp_pips.compilation.limits import Unfinished
from milp_pips.engines.contract import SearchNode
from milp_pips.extras.lab.puzzle_model import (
    INTEGER_TOLERANCE,
    PuzzleModel,
    cells_of,
    fact_text,
    fractional_columns,
)
from milp_pips.problem.answer import Proof, Stop
from milp_pips.problem.errors import EngineFault
from milp_pips.problem.stopping import Deadline

Bounds: TypeAlias = tuple[tuple[int, float, float], ...]
"""Columns, each with its lower and its upper bound."""

STRONG_CANDIDATES = 8
"""The most columns that strong branching tries, the most fractional first, with two relaxations each."""


class Child(NamedTuple):
    """A branch: its description, and the bounds that it sets."""

    words: str
    bounds: Bounds


class OpenNode(NamedTuple):
    """An open node: its number, depth, what is known from its parent, and all bounds on the path to it."""

    number: int
    depth: int
    bound: float
    fractional: int
    bounds: Bounds


class BranchAndBound:
    """The search, and the tree so far.

    Parameters
    ----------
    stated
        The puzzle and its 0-1 model.
    costs
        The costs to minimise, whole numbers of shape (columns,); None to stop at the first solution.
    rule, order
        The branching rule, one of ``BRANCHING_RULES``, and the node order, one of ``ORDERS``.
    limit
        The most nodes to solve.
    """

    def __init__(self, stated: PuzzleModel, costs: Sequence[float] | None, rule: str, order: str, limit: int):
        self.stated, self._costs, self._limit = stated, costs, limit
        self._children, self._next = BRANCHING_RULES[rule], ORDERS[order]
        self._relaxed = stated.relax()
        self.nodes = [SearchNode(None, (), None, None, "open")]
        self.links = [""]
        self.solved: list[int] = []
        self.relaxations = 0
        self._incumbent_cost = inf

    def run(self, deadline: Deadline) -> Stop:
        """Search until no node is open, a solution is enough, or a limit is reached."""
        try:
            return self._search(deadline)
        except Unfinished as reason:
            return reason.stop

    def _search(self, deadline: Deadline) -> Stop:
        """Search. Raises Unfinished if a relaxation was not solved to its end."""
        # Invariant: every solution that costs less than the incumbent lies in one of the open nodes. Each
        # round takes one node in the node order, solves its relaxation, and prunes it (Land and Doig 1960):
        # by bound, by infeasibility, or because the vertex is integral. Otherwise its children become open
        # nodes.
        open_nodes = [OpenNode(0, 0, -inf, 0, ())]
        while open_nodes:
            if deadline.stop:
                return deadline.stop
            if len(self.solved) >= self._limit:
                return Stop.COUNT
            node = min(open_nodes, key=self._next)
            open_nodes.remove(node)
            if node.bound >= self._incumbent_cost:  # a better solution was found after the node was created
                self._record(node, None, node.bound, "bound")
                continue
            x = self.relax(node.bounds, deadline)
            self.solved.append(node.number)
            if x is None:
                self._record(node, None, None, "infeasible")
                continue
            bound = self._bound(x)
            if bound >= self._incumbent_cost:
                self._record(node, x, bound, "bound")
            elif not (fractional := fractional_columns(x)):
                self._record(node, x, bound, "solution")
                self._incumbent_cost = bound
                if self._costs is None:
                    return Stop.FINISHED
            else:
                self._record(node, x, bound, "branched")
                # the children inherit the bound, which is a lower bound for them as well
                for child in self._children(self, x, node.bounds, deadline):
                    bounds = (*node.bounds, *child.bounds)
                    open_nodes.append(
                        OpenNode(len(self.nodes), node.depth + 1, bound, len(fractional), bounds)
                    )
                    self.nodes.append(SearchNode(node.number, child.bounds, None, None, "open"))
                    self.links.append(child.words)
        return Stop.FINISHED

    def relax(self, bounds: Bounds, deadline: Deadline) -> tuple[float, ...] | None:
        """Return an optimal vertex of the relaxation within these bounds; None if the relaxation is empty.

        Raises Unfinished if the deadline stops the solve.
        """
        # The model stays loaded: set the bounds of the node, solve from the last basis, and reset them.
        self.relaxations += 1
        for column, low, high in bounds:
            self._relaxed.bound([column], int(low), int(high))
        ending = self._relaxed.run(deadline)
        self._relaxed.bound([column for column, _, _ in bounds], 0, 1)
        if ending.stop is Stop.ERROR:
            raise EngineFault(f"the relaxation of {self.stated.puzzle.name} failed: {ending.message}")
        if ending.proof is Proof.INFEASIBLE:
            return None
        if ending.stop is not Stop.FINISHED or ending.point is None:
            raise Unfinished("a relaxation was not solved", deadline.stop or ending.stop)
        return tuple(ending.point)

    def cost(self, x: Sequence[float]) -> float:
        """Return the cost of a vector; 0 if there are no costs."""
        return 0.0 if self._costs is None else sum(c * y for c, y in zip(self._costs, x, strict=True))

    def _bound(self, x: Sequence[float]) -> float:
        """Return a lower bound for the subtree: the cost, rounded up because costs are whole numbers."""
        return float(ceil(self.cost(x) - INTEGER_TOLERANCE))

    def _record(self, node: OpenNode, x: tuple[float, ...] | None, bound: float | None, status: str) -> None:
        self.nodes[node.number] = self.nodes[node.number]._replace(x=x, bound=bound, status=status)

    def branch_on_column(self, column: int) -> list[Child]:
        """Return the two branches on a column, 1 first."""
        one, zero = self.stated.meanings[column], self.stated.negated_meanings[column]
        return [Child(one, ((column, 1, 1),)), Child(zero, ((column, 0, 0),))]


Branching: TypeAlias = Callable[[BranchAndBound, Sequence[float], Bounds, Deadline], list[Child]]
"""A function that returns the branches at a fractional vertex that was found within bounds."""


def _fractional(x: Sequence[float]) -> list[int]:
    """Return the fractional columns, those nearest to one half first."""
    return sorted(fractional_columns(x), key=lambda j: abs(x[j] - 0.5))


def _first(search: BranchAndBound, x: Sequence[float], _bounds: Bounds, _deadline: Deadline) -> list[Child]:
    """Branch on the first fractional column of the model."""
    return search.branch_on_column(min(fractional_columns(x)))


def _most_fractional(
    search: BranchAndBound, x: Sequence[float], _bounds: Bounds, _deadline: Deadline
) -> list[Child]:
    """Branch on the column nearest to one half; on the first one if there are several."""
    return search.branch_on_column(_fractional(x)[0])


def _strong(search: BranchAndBound, x: Sequence[float], bounds: Bounds, deadline: Deadline) -> list[Child]:
    """Branch on the column whose two relaxations are most informative (Applegate et al. 1995).

    For each child this is whether its relaxation is empty, and then how far the cost rises or, if there are
    no costs, how few columns stay fractional.
    """

    def gain(child: Child) -> float:
        y = search.relax((*bounds, *child.bounds), deadline)
        if y is None:
            return inf
        return search.cost(y) - search.cost(x) - 1e-3 * len(fractional_columns(y))

    def score(column: int) -> tuple[float, float]:
        gains = sorted(map(gain, search.branch_on_column(column)))
        return gains[0], gains[1]

    return search.branch_on_column(max(_fractional(x)[:STRONG_CANDIDATES], key=score))


def _cell(search: BranchAndBound, x: Sequence[float], bounds: Bounds, deadline: Deadline) -> list[Child]:
    """Branch on a cell with the fewest fractional values: one child per value, and one for all other values.

    If no cell is fractional but its dominoes are, branch on the most fractional column.
    """
    # ``shared`` holds, for each cell, the values with a share at the vertex. A child excludes the columns of
    # all other values, so the children together contain every solution, and none contains the vertex.
    stated, problem = search.stated, search.stated.problem
    shared = {
        v: [a for a, y in node.items() if y > INTEGER_TOLERANCE]
        for v, node in stated.shares(x, cells_of(problem)).items()
    }
    split = [v for v, values in shared.items() if len(values) > 1]
    if not split:
        return _most_fractional(search, x, bounds, deadline)
    v = min(split, key=lambda v: len(shared[v]))
    rest = [a for a in problem.variables[v].domain if a not in shared[v]]
    return [
        Child(fact_text(problem, v, values), tuple((c, 0, 0) for c in stated.others(v, values)))
        for values in (*([a] for a in shared[v]), rest)
        if values
    ]


BRANCHING_RULES: dict[str, Branching] = {
    "first": _first,
    "most-fractional": _most_fractional,
    "strong": _strong,
    "cell": _cell,
}
"""The branching rules, by name."""

ORDERS: dict[str, Callable[[OpenNode], tuple[float, ...]]] = {
    "depth": lambda node: (-node.depth, node.number),
    "best": lambda node: (node.bound, node.fractional, node.number),
}
"""The node orders: the deepest node, or the one whose parent has the least bound. If bounds are equal, as
they are without costs, the latter takes the node whose parent had the fewest fractional columns. Among
several the first child is taken."""
