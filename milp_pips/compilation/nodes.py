"""The nodes of a set of solutions: sums and products whose leaves are decision diagrams.

They form a deterministic, decomposable negation normal form (d-DNNF, Darwiche and Marquis 2002) over
variables with many values. One can also see it as an AND/OR search space (Dechter and Mateescu 2007) in which
the search stops wherever a diagram fits. The branches of a sum have no solution in common, so their counts
add. The factors of a product have different variables, so their counts multiply. Equal remainders are one
node.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from math import prod
from sys import getsizeof
from typing import Any, Generic, TypeAlias, TypeVar

from milp_pips.compilation.limits import Allowance
from milp_pips.compilation.parts import Part

Fragment: TypeAlias = tuple[tuple[int, int], ...]
"""A piece of an assignment: pairs (variable, value)."""

Piece = TypeVar("Piece")
"""What a walk makes of a fragment, and adds up: a number, a text, a tuple."""


class Node(ABC):
    """A set of one or more solutions over some of the variables.

    ``below`` are the nodes of which it consists, ``fragments`` what it decides itself. ``size`` measures the
    memory that it takes, in nodes of decision diagrams.
    """

    count: int
    below: tuple[Node, ...] = ()
    fragments: Sequence[Fragment] = ()
    size = 1

    @abstractmethod
    def walk(self, walk: Walk[Piece], start: Piece) -> Iterator[list[Piece]]:
        """Yield the start with the pieces of a solution added, for each solution, in lists."""

    @abstractmethod
    def pairs(self, index: int) -> Fragment:
        """Return the variables and values of the solution at position ``index`` of the walk, from 0."""

    def times_below(self, times: int) -> Iterator[tuple[Node, int]]:
        """Yield each node below and how many times it occurs if this node occurs ``times`` times."""
        for node in self.below:
            yield node, times

    def taken(self, _allowance: Allowance) -> Iterator[tuple[tuple[int, int], int]]:
        """Yield each (variable, value) that the node itself decides, and its number of solutions with it.

        A pair may come more than once; then the numbers add up. Raises Unfinished.
        """
        return iter(())


class Product(Node):
    """Fixed values and factors that share no variable: all combinations of the factors' solutions."""

    def __init__(self, fixed: Fragment, factors: Sequence[Node]):
        self.fixed, self.below = fixed, tuple(sorted(factors, key=lambda factor: -factor.count))
        self.count, self.fragments = prod([factor.count for factor in factors]), (fixed,)

    def walk(self, walk: Walk[Piece], start: Any) -> Iterator[list[Piece]]:
        # The last factors are the smallest and change fastest: a list has all their combinations.
        ends, large = [walk.zero], len(self.below)
        while large and len(ends) * self.below[large - 1].count <= SHORT:
            large -= 1
            factor: list[Any] = list(chain.from_iterable(walk.lists(self.below[large], walk.zero)))
            ends = [piece + end for piece in factor for end in ends]
        return self._walk(walk, start + walk.piece(self.fixed), self.below[:large], ends)

    def _walk(
        self, walk: Walk[Piece], start: Any, factors: Sequence[Node], ends: list[Piece]
    ) -> Iterator[list[Piece]]:
        if not factors:
            yield [start + end for end in ends]
        elif len(factors) == 1 and len(ends) == 1:
            yield from walk.lists(factors[0], start)
        else:
            for pieces in walk.lists(factors[0], start):
                for further in pieces:
                    yield from self._walk(walk, further, factors[1:], ends)

    def pairs(self, index: int) -> Fragment:
        pairs: Fragment = ()
        for factor in reversed(self.below):
            index, place = divmod(index, factor.count)
            pairs += factor.pairs(place)
        return self.fixed + pairs

    def taken(self, _allowance: Allowance) -> Iterator[tuple[tuple[int, int], int]]:
        return ((pair, self.count) for pair in self.fixed)

    def times_below(self, times: int) -> Iterator[tuple[Node, int]]:
        for factor in self.below:
            yield factor, times * (self.count // factor.count)


class Sum(Node):
    """Branches with no common solution; ``part`` is the part that was branched on.

    The branches differ in the variables ``differ_in``: if all of these are visible, no view occurs in two
    branches.
    """

    def __init__(self, branches: Sequence[Node], part: Part, differ_in: frozenset[int]):
        self.below, self.part, self.differ_in = tuple(branches), part, differ_in
        self.count = sum([branch.count for branch in branches])

    def walk(self, walk: Walk[Piece], start: Piece) -> Iterator[list[Piece]]:
        for branch in self.below:
            yield from walk.lists(branch, start)

    def pairs(self, index: int) -> Fragment:
        for branch in self.below:
            if index < branch.count:
                return branch.pairs(index)
            index -= branch.count
        raise IndexError("no such solution")


SHORT, KEPT = 512, 2**26
"""A walk caches the sums of a node with up to ``SHORT`` solutions, and empties the cache when it takes more
than ``KEPT`` bytes."""


class Walk(Generic[Piece]):
    """A walk that adds up the pieces of each solution, and caches the sums of small nodes."""

    def __init__(self, zero: Piece, piece: Callable[[Fragment], Piece]):
        self.zero, self.piece = zero, piece
        self._ends: dict[Node, list[Piece]] = {}
        self._kept = 0

    def lists(self, node: Node, start: Any) -> Iterator[list[Piece]]:
        """Yield the start with the pieces of a solution added, for each solution of the node, in lists.

        How the solutions are divided into lists depends on the node alone, not on the pieces.
        """
        if node.count > SHORT:
            return node.walk(self, start)
        ends = self._ends.get(node)
        if ends is None:
            if self._kept > KEPT:
                self._ends, self._kept = {}, 0
            ends = self._ends[node] = list(chain.from_iterable(node.walk(self, self.zero)))
            self._kept += sum(map(getsizeof, ends))
        return iter([[start + end for end in ends]])


def in_order(root: Node | None) -> list[Node]:
    """Return the nodes from a root on, each once, those above before those below."""
    done: dict[Node, None] = {}
    waiting: list[tuple[Node, bool]] = [] if root is None else [(root, False)]
    while waiting:
        node, left = waiting.pop()
        if left:
            done[node] = None
        elif node not in done:
            waiting.append((node, True))
            waiting += [(below, False) for below in node.below]
    return list(done)[::-1]
