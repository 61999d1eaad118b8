"""Compile a problem into a decision diagram, in which every path is a solution to count, walk or sample.

The compilation is exact and top-down, layer by layer. It merges equal states and cuts off dead ends, after
Bergman, Ciré, van Hoeve and Hooker, *Decision Diagrams for Optimization* (2016), chapter 4. The module
``states`` describes the states.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator, Sequence
from functools import partial

from milp_pips.compilation.diagram.budget import DEFAULT_BUDGET as DEFAULT_BUDGET
from milp_pips.compilation.diagram.budget import GENERATING as GENERATING
from milp_pips.compilation.diagram.budget import RECOUNTING as RECOUNTING
from milp_pips.compilation.diagram.budget import REFINING as REFINING
from milp_pips.compilation.diagram.budget import Allowance as Allowance
from milp_pips.compilation.diagram.budget import Budget as Budget
from milp_pips.compilation.diagram.budget import Unfinished as Unfinished
from milp_pips.compilation.diagram.budget import Unsupported as Unsupported
from milp_pips.compilation.diagram.diagram import Diagram as Diagram
from milp_pips.compilation.diagram.diagram import SolutionSet as SolutionSet
from milp_pips.compilation.diagram.frontier import FrontierBoard, frontiers
from milp_pips.compilation.diagram.order import given_orders, promising_orders, quick_order
from milp_pips.compilation.diagram.projection import project as project
from milp_pips.compilation.diagram.states import Transitions
from milp_pips.compilation.diagram.thinned import DiagramSample as DiagramSample
from milp_pips.compilation.diagram.thinned import ThinnedDiagram as ThinnedDiagram
from milp_pips.compilation.diagram.unreduced import UnreducedDiagram, Widest
from milp_pips.compilation.diagram.unreduced import compile_layers as _compile
from milp_pips.problem.answer import Stop
from milp_pips.problem.fields import require_problem
from milp_pips.problem.problem import Problem
from milp_pips.problem.stopping import Deadline

FIRST_ORDER_NODES, ORDER_NODES_FACTOR = 300, 4
"""The nodes that each order may make in the first lap of the race, and the factor for each further lap.

By ``benchmarks/counting.py``: with a first lap of 100 nodes, or a factor of 2, counting takes a seventh to a
quarter longer; with 1000 nodes, a tenth less. But the puzzles that seeds generate depend on these numbers.
"""


def compile_diagram(
    problem: Problem, budget: Budget = DEFAULT_BUDGET, deadline: Deadline | None = None
) -> Diagram:
    """Return the decision diagram of the problem, under the best of several orders.

    The orders race: each gets a few nodes, then several times as many, until one finishes.

    Raises
    ------
    Unsupported
        If no decision diagram of the problem can be made.
    Unfinished
        If no order finishes within the budget, dead ends included, or if the deadline expires.
    """
    require_problem("compile_diagram", problem)
    transitions = Transitions.of(FrontierBoard(problem, Allowance(0, deadline)))
    if transitions is None:
        return Diagram.without_paths(range(len(problem.variables)))
    allowed, orders = min(FIRST_ORDER_NODES, budget.nodes), given_orders(transitions.board)
    while True:
        if deadline is not None:
            deadline.report_progress(partial("decision diagrams of up to {:,} nodes".format, allowed))
        for order in list(orders):
            allowance = Allowance(allowed, deadline, budget.memory)
            try:
                return _compile(transitions, order, allowance)
            except Unfinished as reason:
                if reason.stop is not Stop.MEMORY:
                    raise
                message = str(reason)  # the exception itself would keep the whole diagram alive
            if allowance.full:
                orders.remove(order)
                transitions = Transitions(transitions.board)
                gc.collect()  # the cached moves refer to one another
        if allowed == budget.nodes or not orders:
            raise Unfinished(message, Stop.MEMORY)
        if allowed == FIRST_ORDER_NODES:
            orders = promising_orders(transitions.board, Allowance(budget.nodes, deadline))
        allowed = min(ORDER_NODES_FACTOR * allowed, budget.nodes)


def compile_restricted(
    problem: Problem, width: int, budget: Budget = DEFAULT_BUDGET, deadline: Deadline | None = None
) -> Diagram:
    """Return a restricted decision diagram: all its paths are solutions, but not all solutions are paths.

    Wherever more than ``width`` states are reached, it keeps only those with the most paths to them
    (Bergman, Ciré, van Hoeve and Hooker 2016, chapter 4). Raises Unsupported and Unfinished.
    """
    transitions = Transitions.of(FrontierBoard(problem, Allowance(0, deadline)))
    if transitions is None:
        return Diagram.without_paths(range(len(problem.variables)))
    allowance = Allowance(budget.nodes, deadline, budget.memory)
    return _compile(transitions, promising_orders(transitions.board, allowance)[0], allowance, width)


def compile_narrowed(problem: Problem, width: int, deadline: Deadline | None = None) -> tuple[Diagram, bool]:
    """Return a diagram that is restricted only where it grows wide, and whether it has all solutions.

    It tries one order that is cheap to make. It is meant for small boards, to count their solutions or, if
    there are many, to get some of them. Raises Unsupported, and Unfinished if the deadline expires.
    """
    transitions = Transitions.of(FrontierBoard(problem, Allowance(0, deadline)))
    if transitions is None:
        return Diagram.without_paths(range(len(problem.variables))), True
    allowance, widest = Allowance(sys.maxsize, deadline), Widest(width)
    order = quick_order(transitions.board, allowance)
    unreduced = UnreducedDiagram(transitions, order)
    unreduced.reach(frontiers(transitions.board.sites, order, allowance), allowance, widest)
    return unreduced.reduced(allowance), not widest.narrowed


def compile_wider(
    problem: Problem, widths: Sequence[int], budget: Budget = DEFAULT_BUDGET, deadline: Deadline | None = None
) -> Iterator[Diagram]:
    """Yield restricted decision diagrams that have a path: a quick one, then one for each of the widths.

    The widths increase; the first that does not fit the budget ends the series. Raises Unsupported, and
    Unfinished if the deadline expires.
    """
    transitions = Transitions.of(FrontierBoard(problem, Allowance(0, deadline)))
    if transitions is None:
        return
    quick = compile_narrow(problem, widths[:1], budget, deadline)
    if quick is not None:
        yield quick
    allowance = Allowance(budget.nodes, deadline, budget.memory)
    best = promising_orders(transitions.board, allowance)[0]
    for width in widths:
        allowance = Allowance(budget.nodes, deadline, budget.memory)
        try:
            diagram = _compile(transitions, best, allowance, width)
        except Unfinished as reason:
            if reason.stop is not Stop.MEMORY:
                raise
            return
        if diagram.count:
            yield diagram


def compile_narrow(
    problem: Problem, widths: Sequence[int], budget: Budget = DEFAULT_BUDGET, deadline: Deadline | None = None
) -> Diagram | None:
    """Return the first restricted decision diagram that has a path; None if none has.

    It tries one width after another with the orders that cost nothing to make, and skips a diagram that
    exceeds the budget. Raises Unsupported, and Unfinished if the deadline expires.
    """
    transitions = Transitions.of(FrontierBoard(problem, Allowance(0, deadline)))
    if transitions is None:
        return None
    for width in widths:
        for order in given_orders(transitions.board):
            try:
                allowance = Allowance(budget.nodes, deadline, budget.memory)
                diagram = _compile(transitions, order, allowance, width)
            except Unfinished as reason:
                if reason.stop is not Stop.MEMORY:
                    raise
                diagram = None  # the exception, which keeps the whole diagram alive, is dropped
            if diagram is not None and diagram.count:
                return diagram
            if allowance.full:
                transitions = Transitions(transitions.board)
                gc.collect()  # the cached moves refer to one another
    return None
