"""From a problem to its decision diagram: layer by layer, equal states merged, dead ends cut off.

Exact top-down compilation after Bergman, Ciré, van Hoeve and Hooker, *Decision Diagrams for Optimization*
(2016), chapter 4.
"""

from __future__ import annotations

from collections.abc import Sequence

from milp_pips.answer import Stop
from milp_pips.diagram.board import Board, skeleton
from milp_pips.diagram.budget import Budget, Unfinished
from milp_pips.diagram.diagram import Diagram
from milp_pips.diagram.growth import Growth
from milp_pips.diagram.order import listed, promising
from milp_pips.diagram.transitions import Transitions
from milp_pips.problem import Problem
from milp_pips.watch import Watch

NODES = 3_000_000
"""Greatest number of nodes unless told otherwise: less than a gigabyte."""

FIRST_LAP, GROWTH = 300, 4
"""Nodes allowed to each order in the first lap of the race, and how many times more in the next lap."""


def compile_diagram(problem: Problem, nodes: int = NODES, watch: Watch | None = None) -> Diagram:
    """Return the decision diagram of the problem, under the best of several orders.

    The orders race: each is allowed a few nodes, then four times as many, until one finishes.

    Raises
    ------
    Unsupported
        For a problem that no decision diagram can be made of.
    Unfinished
        When no order finishes within ``nodes`` nodes, dead ends included; when the watch says stop.
    """
    board = Board(problem)
    transitions = _transitions(board)
    if transitions is None:
        return Diagram.without_paths(range(len(problem.variables)))
    allowed, orders = min(FIRST_LAP, nodes), listed(board)
    while True:
        for order in orders:
            try:
                return compile_in_order(board, transitions, order, Budget(allowed, watch))
            except Unfinished as reason:
                if reason.stop is not Stop.MEMORY:
                    raise
                last = reason
        if allowed == nodes:
            raise last
        if allowed == FIRST_LAP:
            orders = promising(board)
        allowed = min(GROWTH * allowed, nodes)


def compile_restricted(
    problem: Problem, width: int, nodes: int = NODES, watch: Watch | None = None
) -> Diagram:
    """Return a restricted decision diagram: all its paths are solutions, but not all solutions are paths.

    Wherever more than ``width`` states are reached, only those that most paths lead to are gone on with
    (Bergman, Ciré, van Hoeve and Hooker 2016, chapter 4). Raises Unsupported and Unfinished.
    """
    board = Board(problem)
    transitions = _transitions(board)
    if transitions is None:
        return Diagram.without_paths(range(len(problem.variables)))
    return compile_in_order(board, transitions, promising(board)[0], Budget(nodes, watch), width)


def compile_narrow(
    problem: Problem, widths: Sequence[int], nodes: int = NODES, watch: Watch | None = None
) -> Diagram | None:
    """Return a restricted decision diagram that has a path, the first one found; None if none has.

    One width after another is tried, each with the orders that cost nothing to make; a width whose diagram
    takes more than ``nodes`` nodes is passed over. Raises Unsupported, and Unfinished when the watch says
    stop.
    """
    board = Board(problem)
    transitions = _transitions(board)
    if transitions is None:
        return None
    for width in widths:
        for order in listed(board):
            try:
                diagram = compile_in_order(board, transitions, order, Budget(nodes, watch), width)
            except Unfinished as reason:
                if reason.stop is not Stop.MEMORY:
                    raise
                continue
            if diagram.count:
                return diagram
    return None


def _transitions(board: Board) -> Transitions | None:
    """Return the moves on the board, or None where a glance shows that there is no solution."""
    transitions = Transitions(board) if board.solvable else None
    return None if transitions is None or transitions.start & transitions.missed else transitions


def compile_in_order(
    board: Board, transitions: Transitions, order: Sequence[int], budget: Budget, width: int | None = None
) -> Diagram:
    """Return the decision diagram of the board whose sites are decided in this order.

    It is exact, or restricted to so many states wherever a ``width`` is given. Raises Unfinished.
    """
    layers = skeleton(board.sites, order, budget)
    missed = transitions.missed
    # for each set of decided sites, the nodes by their states
    nodes_at: dict[int, dict[int, int]] = {0: {transitions.start: 0}}
    growth, made, spent = Growth(), 1, 0
    fragments, children = growth.fragments, growth.children
    for layer in layers[:-1]:
        for decided, choices in layer.items():
            options = []
            for choice in choices:
                table = transitions.table(choice.sites, decided)
                options.append((table, table.bits, table.known, nodes_at.setdefault(choice.after, {})))
            reached = nodes_at.pop(decided, {})
            if width is not None:
                reached = growth.widest(reached, width)
            for state, node in reached.items():
                for table, bits, known, following in options:
                    moves = known.get(state & bits)
                    for mask, change, fragment in table.work_out(state) if moves is None else moves:
                        if state & mask:
                            after = state + change
                            if not after & missed:
                                child = following.setdefault(after, made)
                                if child == made:
                                    made += 1
                                fragments.append(fragment)
                                children.append(child)
                growth.nodes.append(node)
                growth.ends.append(len(children))
                if not len(growth.nodes) & 255:
                    budget.spend(made - spent)
                    spent = made
        budget.spend(made - spent)
        spent = made
    solved = nodes_at.get(sum(1 << site for site in order), {}).values()
    variables = [v for site in order for v in board.sites[site].variables]
    return growth.diagram(solved, made, variables, transitions.fragments, budget)
