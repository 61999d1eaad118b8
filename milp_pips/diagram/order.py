"""In which order to decide the sites: the whole size of a diagram hangs on it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from math import comb, log2

from milp_pips.diagram.board import Board

STARTS = 8
"""From how many sites, spread over the board, orders are grown."""

PROMISING = 4
"""How many orders are worth a try."""

BIT = 2**16
"""Units in a bit."""


def listed(board: Board) -> list[list[int]]:
    """Return the order in which the problem lists its sites, and its reverse: on a grid, row by row."""
    order = list(range(len(board.sites)))
    return [order[::-1], order]


def promising(board: Board) -> list[list[int]]:
    """Return the orders under which the fewest states are expected, best first."""
    sites = range(len(board.sites))
    orders = [_grown(board, start) for start in sites[:: -(-len(sites) // STARTS)]]
    orders += [order[::-1] for order in orders]
    unique = {tuple(order): order for order in orders + listed(board)}
    return sorted(unique.values(), key=lambda order: _expected_states(board, order))[:PROMISING]


def _grown(board: Board, start: int) -> list[int]:
    """Return the order from this site on that always takes the nearby site which leaves the fewest states."""
    outline = Outline(board)
    outline.take(start)
    order = [start]
    while len(order) < len(board.sites):
        order.append(min(outline.nearby(), key=lambda s: (*outline.bits_after(s), s)))
        outline.take(order[-1])
    return order


def _expected_states(board: Board, order: Sequence[int]) -> int:
    """Return about how many states there are in all layers, times a constant; exact, but for the guess."""
    outline, states = Outline(board), 0
    for site in order:
        whole, part = divmod(outline.bits_after(site)[0], BIT)
        states += (BIT + part) << min(max(whole, 0), 1000)
        outline.take(site)
    return states


def _units(bits: float) -> int:
    return round(BIT * bits)


class Outline:
    """A guess at how many states a diagram has after each step, from the rules alone.

    There are at most as many states as ways to tell apart the open rules, the open cells next to decided
    ones and the sets of dominoes left; and at most as many as ways to fill the decided cells.

    Bits are counted in whole units: sums of rounded logarithms are the same on every machine, and so is the
    order that is chosen by them.
    """

    def __init__(self, board: Board):
        self._board = board
        self._choice = [_units(log2(len(board.domains[site.value]))) for site in board.sites]
        self._rules: list[list[int]] = [[] for _ in board.sites]
        self._spread: list[list[int]] = []
        self._loss: list[list[int]] = []
        for number, rule in enumerate(board.rules):
            size, remembers = len(rule.variables), rule.accumulator
            self._spread.append([0, *(_units(remembers.spread(i)) for i in range(1, size)), 0])
            self._loss.append([0, *(_units(remembers.loss(i)) for i in range(1, size + 1))])
            for site in rule.sites:
                self._rules[site].append(number)
        dominoes, pips = sum(board.dominoes.values()), {pip for kind in board.dominoes for pip in kind}
        laid = range((len(board.sites) + 3) // 2)
        self._sets_left = [_units(log2(max(1, comb(dominoes, i)))) for i in laid]
        # of the pairs of values that two cells can take, each domino left allows at most two
        allowed = [2 * max(1, dominoes - i) for i in laid[1:]]
        lost = (_units(2 * log2(len(pips)) - log2(n)) if dominoes else 0 for n in allowed)
        self._lost = [0, *accumulate(lost)]
        self._decided: set[int] = set()
        self._frontier: set[int] = set()
        self._counts = [0] * len(board.rules)
        self._open: set[int] = set()
        self._apart = self._ways = 0

    def nearby(self) -> set[int]:
        """Return the open cells next to decided ones, else the open sites of open rules, else the first."""
        if self._frontier:
            return self._frontier
        sites = {s for number in self._open for s in self._board.rules[number].sites} - self._decided
        return sites or {next(s for s in range(len(self._board.sites)) if s not in self._decided)}

    def bits_after(self, site: int) -> tuple[int, int]:
        """Return the bits that tell states apart after this site: at most, and if all ways were open."""
        apart, ways = self._changed(site)
        laid = (len(self._decided) + 2) // 2
        apart += self._sets_left[laid]
        return min(apart, ways - self._lost[laid]), apart

    def take(self, site: int) -> None:
        """Decide the site."""
        self._apart, self._ways = self._changed(site)
        self._decided.add(site)
        self._frontier.discard(site)
        self._frontier.update(near for near in self._board.sites[site].near if near not in self._decided)
        for number in self._rules[site]:
            self._counts[number] += 1
            full = self._counts[number] == len(self._board.rules[number].variables)
            (self._open.discard if full else self._open.add)(number)

    def _changed(self, site: int) -> tuple[int, int]:
        apart = self._apart - BIT * (site in self._frontier)
        apart += BIT * sum(
            near not in self._decided and near not in self._frontier for near in self._board.sites[site].near
        )
        ways = self._ways + self._choice[site]
        for number in self._rules[site]:
            count, spread, loss = self._counts[number], self._spread[number], self._loss[number]
            apart += spread[count + 1] - spread[count]
            ways -= loss[count + 1] - loss[count]
        return apart, ways
