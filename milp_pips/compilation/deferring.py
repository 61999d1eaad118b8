"""Count fillings of boards with many cells that no rule mentions, without a state for what lies there.

A free cell is in no rule and can take all values. A domino on two free cells is not named: only the number of
such places matters. Of a domino on a free cell and another one, only the half on the other cell is named.
Once all cells are decided, the dominoes that are left are dealt to these places: ``_deal`` counts the ways.
So a state has the sums of open rules, the dominoes on pairs of ruled cells, and how many halves of each kind
are still due, but not which of the dominoes lie in the open.
"""

from __future__ import annotations

from math import comb, factorial, prod
from typing import TypeAlias

from milp_pips.compilation.limits import Allowance, Budget
from milp_pips.compilation.orders import quick_order
from milp_pips.compilation.parts import Part, split
from milp_pips.compilation.sites import FrontierBoard, frontiers
from milp_pips.compilation.solution_set import compile_problem
from milp_pips.compilation.states import Transitions
from milp_pips.constraints import covers_of, rules_of
from milp_pips.problem.errors import Contradiction
from milp_pips.problem.fields import changed
from milp_pips.problem.problem import Problem, unchecked_variable
from milp_pips.problem.stopping import Deadline

MIN_FREE_SHARE = 0.5
"""The least share of free cells. With fewer, a diagram of 4×4 or 4×5 cells usually takes no longer."""


def count_deferred(stated: Problem, filtered: Problem, budget: Budget, deadline: Deadline) -> int | None:
    """Return the number of solutions of a problem; ``filtered`` is the same with smaller domains.

    None if none of its parts has enough free cells. Raises Unfinished.
    """
    number, small = 1, list[Problem]()
    try:
        parts = split(Part.whole(filtered)).parts
        for part in parts:
            widened, free = _with_free_cells(part, stated)
            if len(free) >= MIN_FREE_SHARE * len(widened.variables) / 2 > 0:
                number *= _count_part(widened, free, Allowance(budget.nodes, deadline, budget.memory))
            else:
                small.append(part.problem)
        if len(small) == len(parts):
            return None
        return number * prod([compile_problem(part, None, budget, deadline).count for part in small])
    except Contradiction:
        return 0


def _with_free_cells(part: Part, stated: Problem) -> tuple[Problem, frozenset[int]]:
    """Return the part with all values in free cells, and their numbers.

    Filtering removes only values that no solution has, so they may as well come back.
    """
    problem, ruled = part.problem, {v for rule in rules_of(stated.constraints) for v in rule.variables}
    variables, free = list(problem.variables), set[int]()
    for cover in covers_of(problem.constraints):
        pips = sorted({pip for kind in cover.kinds for pip in kind})
        for cell, (v, partner) in enumerate(zip(cover.values, cover.partners, strict=True)):
            whole = part.variables[v]
            is_ruled = whole in ruled or part.variables[partner] in ruled
            if not is_ruled and set(pips).issubset(stated.variables[whole].domain):
                variables[v] = unchecked_variable(variables[v].name, tuple(pips))
                free.add(cell)
    return changed(problem, variables=tuple(variables)), frozenset(free)


def _count_part(problem: Problem, free: frozenset[int], allowance: Allowance) -> int:
    """Return the number of solutions: the number of paths to each last state, times the ways to deal from it.

    Raises Unfinished and Contradiction.
    """
    transitions = Transitions(FrontierBoard(problem, allowance), free)
    board, missed = transitions.board, transitions.missed
    # Invariant as in ``UnreducedDiagram.reach``, but only the number of paths to each state is kept.
    ways_at = {0: {transitions.start: 1}}
    for layer in frontiers(board.sites, quick_order(board, allowance), allowance)[:-1]:
        for decided, choices in layer.items():
            reached = ways_at.pop(decided, {})
            for sites, after in choices:
                table, following = transitions.table(sites, decided), ways_at.setdefault(after, {})
                before = len(following)
                for state, ways in reached.items():
                    moves = table.known.get(state & table.bits)
                    for mask, change, _ in table.moves(state) if moves is None else moves:
                        if state & mask and not (child := state + change) & missed:
                            following[child] = following.get(child, 0) + ways
                allowance.spend(len(following) - before)
    return _deal(transitions, ways_at.get((1 << len(board.sites)) - 1, {}), allowance)


Hand: TypeAlias = tuple[tuple[int, ...], tuple[int, ...]]
"""How many dominoes of each kind are left to deal, and how many halves of each value are due."""


def _deal(transitions: Transitions, reached: dict[int, int], allowance: Allowance) -> int:
    """Return the sum, over the last states, of the ways to reach it times the ways to deal from it."""
    kinds = transitions.board.dominoes
    # Dominoes of one kind count as different here; the division at the end undoes that.
    orders, place = prod(map(factorial, kinds.values())), {pip: i for i, pip in enumerate(transitions.due)}
    hands: dict[Hand, int] = {}
    for state, ways in reached.items():
        left, due = transitions.remaining(state)
        ways *= prod(map(factorial, (*due, sum(left) - sum(due))))  # the places are different
        hands[left, due] = ways * (orders // prod(map(factorial, left)))
    for a, b in kinds:
        following: dict[Hand, int] = {}
        for ((times, *rest), due), ways in hands.items():
            for i in range(min(times, due[place[a]]) + 1):
                for j in range(min(times - i, due[place[b]]) + 1 if a < b else 1):
                    still = list(due)
                    still[place[a]] -= i
                    still[place[b]] -= j
                    free = times - i - j
                    dealt = ways * comb(times, i) * comb(times - i, j) << free * (a < b)
                    key = tuple(rest), tuple(still)
                    following[key] = following.get(key, 0) + dealt
        allowance.spend(len(following))
        hands = following
    return sum(ways for (_, due), ways in hands.items() if not any(due)) // orders
