"""Choose the order in which a diagram decides the sites, on which its size depends."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from math import comb, log2

from milp_pips.compilation.limits import NO_LIMITS, Allowance
from milp_pips.compilation.sites import FrontierBoard

GREEDY_STARTS = 8
"""The number of sites, spread over the board, from which greedy orders start.

In ``benchmarks/counting.py``, 4, 8 and 16 hardly differ.
"""

ORDERS_TRIED = 4
"""How many orders race, as estimates may err; twice as many cost a tenth in ``benchmarks/counting.py``."""

BIT = 2**16
"""Integer units in a bit: the estimate is far coarser than a unit."""


def given_orders(board: FrontierBoard) -> list[list[int]]:
    """Return the reverse of the order in which the problem names its sites (row by row on a grid), and it."""
    order = list(range(len(board.sites)))
    return [order[::-1], order]


def promising_orders(board: FrontierBoard, allowance: Allowance = NO_LIMITS) -> list[list[int]]:
    """Return the orders with the fewest expected states, best first.

    Raises Unfinished: on a Sudoku of 25 by 25 this takes two seconds.
    """
    sites = range(len(board.sites))
    orders = [_greedy_order(board, start, allowance) for start in sites[:: -(-len(sites) // GREEDY_STARTS)]]
    orders += [order[::-1] for order in orders]
    unique = {tuple(order): order for order in orders + given_orders(board)}
    return sorted(unique.values(), key=lambda order: expected_states(board, order, allowance))[:ORDERS_TRIED]


def quick_order(board: FrontierBoard, allowance: Allowance = NO_LIMITS) -> list[int]:
    """Return the best of three orders that are cheap to make. Raises Unfinished."""
    orders = [_greedy_order(board, 0, allowance)] if board.sites else []
    return min(orders + given_orders(board), key=lambda order: expected_states(board, order, allowance))


def _greedy_order(board: FrontierBoard, start: int, allowance: Allowance) -> list[int]:
    """Return the order from this site that always takes the nearby site with the fewest states after it."""
    estimate = StateEstimate(board)
    estimate.decide(start)
    order = [start]
    while len(order) < len(board.sites):
        allowance.spend()
        order.append(min(estimate.nearby(), key=lambda s: (*estimate.bits_after(s), s)))
        estimate.decide(order[-1])
    return order


def expected_states(board: FrontierBoard, order: Sequence[int], allowance: Allowance = NO_LIMITS) -> int:
    """Return the estimated number of states in all layers, times ``BIT``, in exact integer arithmetic."""
    estimate, states = StateEstimate(board), 0
    for site in order:
        allowance.spend()
        whole, part = divmod(estimate.bits_after(site)[0], BIT)
        states += (BIT + part) << min(max(whole, 0), 1000)
        estimate.decide(site)
    return states


def _units(bits: float) -> int:
    return round(BIT * bits)


class StateEstimate:
    """An estimate of the number of states of a diagram after each step, from the rules alone.

    There are at most as many states as combinations of the states of open rules, the sets of open cells next
    to decided ones, and the sets of dominoes left. There are also at most as many as ways to fill the decided
    cells.

    Bits are counted in integer units: sums of rounded logarithms are the same on every machine, and so is the
    order that they choose.
    """

    def __init__(self, board: FrontierBoard):
        self._board = board
        self._choice = [_units(log2(len(board.domains[site.value]))) for site in board.sites]
        self._rules_on: list[list[int]] = [[] for _ in board.sites]
        self._state_bits: list[list[int]] = []
        self._lost_bits: list[list[int]] = []
        for number, rule in enumerate(board.rules):
            size, automaton = len(rule.variables), rule.automaton
            self._state_bits.append([0, *(_units(automaton.state_bits(i)) for i in range(1, size)), 0])
            self._lost_bits.append([0, *(_units(automaton.lost_bits(i)) for i in range(1, size + 1))])
            for site in rule.sites:
                self._rules_on[site].append(number)
        dominoes, pips = sum(board.dominoes.values()), {pip for kind in board.dominoes for pip in kind}
        laid = range((len(board.sites) + 3) // 2)
        self._sets_left = [_units(log2(max(1, comb(dominoes, i)))) for i in laid]
        # of the pairs of values that two cells can take, each domino left allows at most two
        allowed = [2 * max(1, dominoes - i) for i in laid[1:]]
        lost = (_units(2 * log2(len(pips)) - log2(n)) if dominoes else 0 for n in allowed)
        self._unpaired = [0, *accumulate(lost)]
        self._decided: set[int] = set()
        self._frontier: set[int] = set()
        self._counts = [0] * len(board.rules)
        self._open_rules: set[int] = set()
        self._apart = self._ways = 0

    def nearby(self) -> set[int]:
        """Return the open cells next to decided ones, else the open sites of open rules, else the first."""
        if self._frontier:
            return self._frontier
        sites = {s for number in self._open_rules for s in self._board.rules[number].sites} - self._decided
        return sites or {next(s for s in range(len(self._board.sites)) if s not in self._decided)}

    def bits_after(self, site: int) -> tuple[int, int]:
        """Return the bits that distinguish states after this site: with and without the bound by fillings."""
        apart, ways = self._after(site)
        laid = (len(self._decided) + 2) // 2
        apart += self._sets_left[laid]
        return min(apart, ways - self._unpaired[laid]), apart

    def decide(self, site: int) -> None:
        """Mark the site as decided."""
        self._apart, self._ways = self._after(site)
        self._decided.add(site)
        self._frontier.discard(site)
        self._frontier.update(near for near in self._board.sites[site].near if near not in self._decided)
        for number in self._rules_on[site]:
            self._counts[number] += 1
            full = self._counts[number] == len(self._board.rules[number].variables)
            (self._open_rules.discard if full else self._open_rules.add)(number)

    def _after(self, site: int) -> tuple[int, int]:
        decided, frontier = self._decided, self._frontier
        apart = self._apart - BIT * (site in frontier)
        apart += BIT * sum(s not in decided and s not in frontier for s in self._board.sites[site].near)
        ways = self._ways + self._choice[site]
        for number in self._rules_on[site]:
            count, states, lost = self._counts[number], self._state_bits[number], self._lost_bits[number]
            apart += states[count + 1] - states[count]
            ways -= lost[count + 1] - lost[count]
        return apart, ways
