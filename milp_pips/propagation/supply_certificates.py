"""Simple proofs that a problem has no solution, without an engine and without propagation.

``shortage`` counts, once and on the problem as it is. It checks whether the dominoes' pips can meet each rule
by itself, whether the cells can show each pip as often as the dominoes do, and whether the sums can use up
all pips. ``obstruction`` checks domains, automata and the shape of the board.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import accumulate

from milp_pips.algorithms.matching import Barrier, perfect_matching
from milp_pips.constraints import DominoCover, covers_of
from milp_pips.constraints.domino_cover.board import adjacency_lists
from milp_pips.problem.constraint import Constraint
from milp_pips.problem.problem import Problem


def shortage(problem: Problem) -> str | None:
    """Return a proof, in one sentence, that the dominoes do not suffice; None if counting finds none.

    Takes time linear in the board. Ignores rules with variables that are not cells of the cover.
    """
    for cover in covers_of(problem.constraints):
        if len(set(cover.values)) == len(cover.values):
            reason = Stock(problem, cover).shortage()
            if reason:
                return reason
    return None


class Stock:
    """The halves of a cover's dominoes, with the rules and domains of its cells."""

    def __init__(self, problem: Problem, cover: DominoCover):
        self._problem = problem
        self._halves = Counter(pip for domino in cover.dominoes for pip in domino)
        rising = sorted(self._halves.elements())
        self._cheapest, self._dearest = [0, *accumulate(rising)], [0, *accumulate(rising[::-1])]
        cells = set(cover.values)
        within = [c for c in problem.constraints if c.variables and cells.issuperset(c.variables)]
        self._rules = [c for c in within if len(set(c.variables)) == len(c.variables)]
        self._domains = {
            v: [x for x in problem.variables[v].domain if x in self._halves] for v in cover.values
        }
        for rule in self._rules:
            if len(rule.variables) == 1:
                (v,) = rule.variables
                self._domains[v] = [x for x in self._domains[v] if rule.holds({v: x})]

    def shortage(self) -> str | None:
        """Return the proof of a shortage in one sentence; None if there is none."""
        if len(self._domains) >= len(self._cheapest):
            return f"{_cells(len(self._domains))} are more than the halves of the dominoes"
        for v, domain in self._domains.items():
            if not domain:
                return f"no domino shows what {self._problem.variables[v].name} may be"
        for rule in self._rules:
            if not self._can_meet(rule):
                return f"the dominoes do not show what {rule.label or 'a rule'} asks for"
        return self._unbalanced_value() or self._unbalanced_sum()

    def _can_meet(self, rule: Constraint) -> bool:
        """Return whether a rule can be met by itself with the halves of all dominoes."""
        n, total = len(rule.variables), rule.bounded_sum
        if total is not None and not total.coefficients:
            low, high = self._range_of(rule.variables)
            if (total.low is not None and high < total.low) or (total.high is not None and low > total.high):
                return False
        often = n if rule.all_equal else 1
        domains = [tuple(x for x in self._domains[v] if self._halves[x] >= often) for v in rule.variables]
        return all(domains) and rule.is_possible(domains)

    def _range_of(self, cells: Iterable[int]) -> tuple[int, int]:
        """Return the least and the greatest sum of the cells, bounded by their domains and by all halves."""
        domains = [self._domains[v] for v in cells]
        least, most = sum(map(min, domains)), sum(map(max, domains))
        return max(least, self._cheapest[len(domains)]), min(most, self._dearest[len(domains)])

    def _unbalanced_value(self) -> str | None:
        """Return the proof that the cells must show a value too often, or cannot show it often enough."""
        must = Counter(domain[0] for domain in self._domains.values() if len(domain) == 1)
        can = Counter(value for domain in self._domains.values() for value in domain)
        for value, halves in self._halves.items():
            written, times = self._problem.written(value), "once" if halves == 1 else f"{halves} times"
            if must[value] > halves:
                return f"{_cells(must[value])} must show {written}, which the dominoes show {times}"
            if can[value] < halves:
                return f"{_cells(can[value])} can show {written}, which the dominoes show {times}"
        return None

    def _unbalanced_sum(self) -> str | None:
        """Return the proof that the sums and the remaining cells cannot add up to the sum of all halves."""
        left = dict.fromkeys(self._domains)
        low = high = 0
        for rule in self._rules:
            total = rule.bounded_sum
            if total is not None and not total.coefficients and left.keys() >= set(rule.variables):
                least, most = self._range_of(rule.variables)
                low += least if total.low is None else max(least, total.low)
                high += most if total.high is None else min(most, total.high)
                for v in rule.variables:
                    del left[v]
        least, most = self._range_of(left)
        shown = self._cheapest[-1]
        if low + least > shown:
            return f"the cells show {low + least} together at least, and the dominoes {shown}"
        if high + most < shown:
            return f"the cells show {high + most} together at most, and the dominoes {shown}"
        return None


def _cells(n: int) -> str:
    return "1 cell" if n == 1 else f"{n} cells"


# Obstructions: empty domains, automata that accept no word, boards that no dominoes can cover.


def obstruction(problem: Problem) -> str | None:
    """Return a proof, in one sentence, that the problem has no solution; None if there is no simple one.

    Checks all domains for an empty one, and each constraint for an obstruction of its own, such as an
    automaton that accepts no word of its length. In a ``DominoCover`` it looks for cells without neighbours,
    components of odd size, bipartite components with more cells of one colour (the mutilated chessboard), and
    finally for a barrier, which every board without a perfect matching has.
    """
    if reason := uncoverable(problem):
        return reason
    for variable in problem.variables:
        if not variable.domain:
            return f"{variable.name} can take no value"
    for constraint in problem.constraints:
        reason = constraint.obstruction([problem.variables[v].domain for v in constraint.variables])
        if reason:
            return reason
    return None


def uncoverable(problem: Problem) -> str | None:
    """Return a proof, in one sentence, that no dominoes cover a board; None if there is none."""
    proofs = (_uncoverable(problem, cover) for cover in covers_of(problem.constraints))
    return next(filter(None, proofs), None)


def _uncoverable(problem: Problem, cover: DominoCover) -> str | None:
    edges = cover.open_edges(lambda v: frozenset(problem.variables[v].domain))
    near = adjacency_lists(len(cover.values), edges)
    colour: dict[int, int] = {}
    for start in range(len(near)):
        if start in colour:
            continue
        name = problem.variables[cover.values[start]].name
        if not near[start]:
            return f"no domino can cover {name}: it has no neighbour"
        part, bipartite = [start], True
        colour[start] = 0
        for i in part:
            for j in near[i]:
                if j not in colour:
                    colour[j] = 1 - colour[i]
                    part.append(j)
                bipartite = bipartite and colour[j] != colour[i]
        what = f"dominoes cannot cover the part of the board with {name}"
        if len(part) % 2:
            return f"{what}: it has {len(part)} cells, an odd number"
        dark = sum(colour[i] for i in part)
        if bipartite and 2 * dark != len(part):
            return f"{what}: coloured like a chessboard it has {dark} and {len(part) - dark} cells"
    matching = perfect_matching(near)
    if isinstance(matching, Barrier):
        return matching.proof(near, [problem.variables[v].name for v in cover.values])
    return None


def simple_proof(problem: Problem) -> str | None:
    """Return a proof in one sentence that there is no solution; None if there is no simple one."""
    return obstruction(problem) or shortage(problem)
