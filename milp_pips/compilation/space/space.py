"""The solution space: all solutions as sums of products of decision diagrams.

The space is a deterministic, decomposable negation normal form (d-DNNF, Darwiche and Marquis 2002) over
variables with many values, whose leaves are decision diagrams. One can also see it as an AND/OR search space
(Dechter and Mateescu 2007) in which the search stops wherever a diagram fits. The branches of a sum have no
solution in common, so their counts add. The factors of a product have different variables, so their counts
multiply. Equal remainders are one node.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from math import prod
from sys import getsizeof
from typing import Any, Generic

from milp_pips.compilation.diagram import Allowance, Diagram
from milp_pips.compilation.diagram.budget import NO_LIMITS
from milp_pips.compilation.diagram.diagram import Fragment, Piece, SolutionSet
from milp_pips.compilation.space.split import Part

SHORT, KEPT = 512, 2**26
"""A walk caches the sums of a node with up to ``SHORT`` solutions, and empties the cache when it takes more
than ``KEPT`` bytes."""


class Node(ABC):
    """A set of one or more solutions over some of the variables."""

    count: int
    children: tuple[Node, ...] = ()

    @property
    @abstractmethod
    def fragments(self) -> Sequence[Fragment]:
        """The fragments that the node itself decides, without its children."""

    @abstractmethod
    def walk(self, adding: Adding[Piece], start: Piece) -> Iterator[Piece]:
        """Yield, for each solution, the start with the pieces of the solution added."""

    @abstractmethod
    def pairs(self, index: int) -> Fragment:
        """Return the variables and values of the solution at position ``index`` of the walk, from 0."""

    def times_below(self, times: int) -> Iterator[tuple[Node, int]]:
        """Yield each child and how many times it occurs if this node occurs ``times`` times."""
        for child in self.children:
            yield child, times

    def taken(self) -> Iterator[tuple[tuple[int, int], int]]:
        """Yield each (variable, value) that the node itself decides, and its number of solutions with it."""
        return iter(())


class Leaf(Node):
    """The paths of a decision diagram."""

    def __init__(self, diagram: Diagram):
        self.diagram, self.count = diagram, diagram.count

    @property
    def fragments(self) -> Sequence[Fragment]:
        return self.diagram.fragments

    def walk(self, adding: Adding[Piece], start: Any) -> Iterator[Piece]:
        return (start + path for path in self.diagram.sums(adding.zero, adding.piece))

    def pairs(self, index: int) -> Fragment:
        return self.diagram.pairs(index)

    def taken(self) -> Iterator[tuple[tuple[int, int], int]]:
        for variable, values in self.diagram.marginals().items():
            for value, solutions in values.items():
                yield (variable, value), solutions


class Product(Node):
    """Fixed values and factors that share no variable: all combinations of the factors' solutions."""

    def __init__(self, fixed: Fragment, factors: Sequence[Node]):
        self.fixed, self.children = fixed, tuple(sorted(factors, key=lambda factor: -factor.count))
        self.count = prod([factor.count for factor in factors])

    @property
    def fragments(self) -> Sequence[Fragment]:
        return (self.fixed,)

    def walk(self, adding: Adding[Piece], start: Piece) -> Iterator[Piece]:
        return self._walk(adding, adding.added(start, self.fixed), 0)

    def _walk(self, adding: Adding[Piece], start: Piece, first: int) -> Iterator[Piece]:
        """Walk the factors from number ``first`` on; the last factor changes fastest."""
        if first == len(self.children):
            yield start
        elif first == len(self.children) - 1:
            yield from adding.walk(self.children[first], start)
        else:
            for further in adding.walk(self.children[first], start):
                yield from self._walk(adding, further, first + 1)

    def pairs(self, index: int) -> Fragment:
        pairs: Fragment = ()
        for factor in reversed(self.children):
            index, place = divmod(index, factor.count)
            pairs += factor.pairs(place)
        return self.fixed + pairs

    def taken(self) -> Iterator[tuple[tuple[int, int], int]]:
        return ((pair, self.count) for pair in self.fixed)

    def times_below(self, times: int) -> Iterator[tuple[Node, int]]:
        for factor in self.children:
            yield factor, times * (self.count // factor.count)


class Sum(Node):
    """Branches with no common solution; ``part`` is the part that was branched on.

    The branches differ in the variables ``told_by``: if all of these are visible, no view occurs in two
    branches.
    """

    def __init__(self, branches: Sequence[Node], part: Part, told_by: frozenset[int]):
        self.children, self.part, self.told_by = tuple(branches), part, told_by
        self.count = sum([branch.count for branch in branches])

    @property
    def fragments(self) -> Sequence[Fragment]:
        return ()

    def walk(self, adding: Adding[Piece], start: Piece) -> Iterator[Piece]:
        for branch in self.children:
            yield from adding.walk(branch, start)

    def pairs(self, index: int) -> Fragment:
        for branch in self.children:
            if index < branch.count:
                return branch.pairs(index)
            index -= branch.count
        raise IndexError("no such solution")


class Listed(Node):
    """Solutions that were found one by one, and proved to be all."""

    def __init__(self, solutions: Iterable[Fragment]):
        self._solutions = sorted(set(solutions))
        self.count = len(self._solutions)

    @property
    def fragments(self) -> Sequence[Fragment]:
        return self._solutions

    def walk(self, adding: Adding[Piece], start: Piece) -> Iterator[Piece]:
        return (adding.added(start, solution) for solution in self._solutions)

    def pairs(self, index: int) -> Fragment:
        return self._solutions[index]

    def taken(self) -> Iterator[tuple[tuple[int, int], int]]:
        return ((pair, 1) for solution in self._solutions for pair in solution)

    def seen_by(self, visible: frozenset[int]) -> Listed:
        """Return the projection of the solutions to these variables."""
        return Listed(tuple([pair for pair in s if pair[0] in visible]) for s in self._solutions)


class Adding(Generic[Piece]):
    """A walk that adds up pieces, and caches the sums of small nodes."""

    def __init__(self, zero: Piece, piece: Callable[[Fragment], Piece]):
        self.zero, self.piece = zero, piece
        self._ends: dict[Node, list[Piece]] = {}
        self._kept = 0

    def added(self, start: Piece, fragment: Fragment) -> Piece:
        """Return the start with the piece of a fragment added."""
        added: Piece = start + self.piece(fragment)  # type: ignore[operator]
        return added

    def walk(self, node: Node, start: Any) -> Iterator[Piece]:
        """Yield, for each solution of the node, the start with the pieces of the solution added."""
        if node.count > SHORT:
            return node.walk(self, start)
        return (start + end for end in self._ends_of(node))

    def _ends_of(self, node: Node) -> list[Piece]:
        ends = self._ends.get(node)
        if ends is None:
            if self._kept > KEPT:
                self._ends, self._kept = {}, 0
            ends = self._ends[node] = list(node.walk(self, self.zero))
            self._kept += sum(map(getsizeof, ends))
        return ends


class Space(SolutionSet):
    """All solutions of a problem that differ in the given variables; the root is None if there are none.

    ``listed`` is True if a lister found some of them: then completeness relies on the lister, too.
    """

    def __init__(self, root: Node | None, variables: Iterable[int], *, listed: bool = False):
        self.root, self.variables, self.listed = root, tuple(sorted(variables)), listed
        self._nodes = _topological(root)
        self.fragments = [fragment for node in self._nodes for fragment in node.fragments]

    @property
    def count(self) -> int:
        """Number of solutions."""
        return 0 if self.root is None else self.root.count

    @property
    def nodes(self) -> int:
        """Number of nodes, including those of the diagrams."""
        return sum(node.diagram.nodes if isinstance(node, Leaf) else 1 for node in self._nodes)

    @property
    def branched(self) -> bool:
        """Whether the compiler had to branch on a part of the problem or to list its solutions."""
        return self.listed or any(isinstance(node, Sum) for node in self._nodes)

    def sums(self, zero: Piece, piece: Callable[[Fragment], Piece]) -> Iterator[Piece]:
        """Walk all solutions; see ``SolutionSet``."""
        return iter(()) if self.root is None else Adding(zero, piece).walk(self.root, zero)

    def pairs(self, index: int) -> Fragment:
        """Return the fragments of a solution put together; see ``SolutionSet``."""
        if self.root is None:
            raise IndexError("no solution")
        return self.root.pairs(index)

    def marginals(self, allowance: Allowance = NO_LIMITS) -> dict[int, dict[int, int]]:
        """Return how often each variable takes each value; see ``SolutionSet``. Raises Unfinished."""
        # Parents come before children, so the number of occurrences of a node is final when its turn comes.
        times = dict.fromkeys(self._nodes, 0)
        if self.root is not None:
            times[self.root] = 1
        taken: dict[tuple[int, int], int] = {}
        for node in self._nodes:
            allowance.spend()
            for pair, solutions in node.taken():
                taken[pair] = taken.get(pair, 0) + times[node] * solutions
            for child, more in node.times_below(times[node]):
                times[child] += more
        marginals: dict[int, dict[int, int]] = {variable: {} for variable in self.variables}
        for (variable, value), solutions in sorted(taken.items()):
            marginals[variable][value] = solutions
        return marginals


def _topological(root: Node | None) -> list[Node]:
    """Return the nodes, each once, parents before children."""
    done: dict[Node, None] = {}
    waiting: list[tuple[Node, bool]] = [] if root is None else [(root, False)]
    while waiting:
        node, left = waiting.pop()
        if left:
            done[node] = None
        elif node not in done:
            waiting.append((node, True))
            waiting += [(child, False) for child in node.children]
    return list(done)[::-1]
