"""Decision diagrams: every solution of a problem as a path, to be counted, walked and drawn at random.

Exact top-down compilation, layer by layer, equal states merged, dead ends cut off, after Bergman, Ciré, van
Hoeve and Hooker, *Decision Diagrams for Optimization* (2016), chapter 4. What a state is, ``states`` tells.
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

FIRST_LAP, FACTOR = 300, 4
"""Nodes allowed to each order in the first lap of the race, and how many times more in each further one.

By ``benchmarks/counting.py``: a first lap of 100 nodes, or laps twice as long each, take a seventh to a
quarter longer, 1000 nodes a tenth less; but the puzzles that seeds generate hang on these numbers.
"""


def compile_diagram(
    problem: Problem, budget: Budget = DEFAULT_BUDGET, deadline: Deadline | None = None
) -> Diagram:
    """Return the decision diagram of the problem, under the best of several orders.

    The orders race: each is allowed a few nodes, then some times as many, until one finishes.

    Raises
    ------
    Unsupported
        For a problem that no decision diagram can be made of.
    Unfinished
        When no order finishes within the budget, dead ends included; when the deadline says stop.
    """
    require_problem("compile_diagram", problem)
    transitions = Transitions.of(FrontierBoard(problem, Allowance(0, deadline)))
    if transitions is None:
        return Diagram.without_paths(range(len(problem.variables)))
    allowed, orders = min(FIRST_LAP, budget.nodes), given_orders(transitions.board)
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
                told = str(reason)  # and not the reason itself, which holds all that was made
            if allowance.full:
                orders.remove(order)
                transitions = Transitions(transitions.board)
                gc.collect()  # the moves that were worked out know one another
        if allowed == budget.nodes or not orders:
            raise Unfinished(told, Stop.MEMORY)
        if allowed == FIRST_LAP:
            orders = promising_orders(transitions.board, Allowance(budget.nodes, deadline))
        allowed = min(FACTOR * allowed, budget.nodes)


def compile_restricted(
    problem: Problem, width: int, budget: Budget = DEFAULT_BUDGET, deadline: Deadline | None = None
) -> Diagram:
    """Return a restricted decision diagram: all its paths are solutions, but not all solutions are paths.

    Wherever more than ``width`` states are reached, only those that most paths lead to are gone on with
    (Bergman, Ciré, van Hoeve and Hooker 2016, chapter 4). Raises Unsupported and Unfinished.
    """
    transitions = Transitions.of(FrontierBoard(problem, Allowance(0, deadline)))
    if transitions is None:
        return Diagram.without_paths(range(len(problem.variables)))
    allowance = Allowance(budget.nodes, deadline, budget.memory)
    return _compile(transitions, promising_orders(transitions.board, allowance)[0], allowance, width)


def compile_narrowed(problem: Problem, width: int, deadline: Deadline | None = None) -> tuple[Diagram, bool]:
    """Return a diagram that is restricted only where it grows wide, and whether it has all solutions.

    One order that takes little to make is tried: for small boards, of which one wants to know the number of
    solutions or, where there are many, some of them. Raises Unsupported, and Unfinished when the deadline
    says stop.
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

    The widths increase; with the first that does not fit the budget it ends. Raises Unsupported, and
    Unfinished when the deadline says stop.
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
    """Return a restricted decision diagram that has a path, the first one found; None if none has.

    One width after another is tried, each with the orders that cost nothing to make; a width whose diagram
    exceeds the budget is passed over. Raises Unsupported, and Unfinished when the deadline says stop.
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
                diagram = None  # and the reason goes, which holds all that was made
            if diagram is not None and diagram.count:
                return diagram
            if allowance.full:
                transitions = Transitions(transitions.board)
                gc.collect()  # the moves that were worked out know one another
    return None
