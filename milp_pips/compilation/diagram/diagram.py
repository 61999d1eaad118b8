"""The interface of all sets of solutions, and the decision diagram, whose paths are the solutions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from sys import getsizeof
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from milp_pips.compilation.diagram.budget import NO_LIMITS, Allowance

if TYPE_CHECKING:
    import random

# The interface of every set of solutions: count, walk, n-th, sample, marginals.

Fragment: TypeAlias = tuple[tuple[int, int], ...]
"""A piece of an assignment: pairs (variable, value)."""

Piece = TypeVar("Piece")


class SolutionSet(ABC):
    """All solutions, each once, in a fixed order.

    ``variables`` are the variables in which solutions differ, in increasing order. ``fragments`` are the
    pieces of which solutions consist.
    """

    variables: tuple[int, ...]
    fragments: Sequence[Fragment]

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.count} solutions, {self.nodes} nodes>"

    @property
    @abstractmethod
    def count(self) -> int:
        """Number of solutions."""

    @property
    @abstractmethod
    def nodes(self) -> int:
        """Number of nodes, a measure of the memory that the set takes."""

    @abstractmethod
    def sums(self, zero: Piece, piece: Callable[[Fragment], Piece]) -> Iterator[Piece]:
        """Yield, for each solution, the sum of the pieces of its fragments, added from left to right.

        A piece can be anything that can be added: numbers, text, tuples. Additions take most of the time.
        Every walk has the same order of solutions. Memory does not grow with their number.
        """

    @abstractmethod
    def pairs(self, index: int) -> Fragment:
        """Return the variables and values of the solution at position ``index`` of the walk, from 0."""

    @abstractmethod
    def marginals(self, allowance: Allowance = NO_LIMITS) -> dict[int, dict[int, int]]:
        """Return, for each variable and each of its values, the number of solutions with that value.

        Raises Unfinished.
        """

    def assignments(self) -> Iterator[tuple[int, ...]]:
        """Yield, for each solution, the values of ``variables``."""
        # If values fit into bytes, one integer holds a whole solution, since adding integers is fast.
        if all(0 <= value < 256 for fragment in self.fragments for _, value in fragment):
            shift = {variable: 8 * i for i, variable in enumerate(self.variables)}
            size = len(shift)
            for packed in self.sums(0, lambda fragment: sum(value << shift[v] for v, value in fragment)):
                yield tuple(packed.to_bytes(size, "little"))
        else:
            nothing: Fragment = ()
            for pairs in self.sums(nothing, lambda fragment: fragment):
                yield self._values(pairs)

    def nth(self, index: int) -> tuple[int, ...]:
        """Return the solution number ``index`` of ``assignments``, from 0. Raises IndexError."""
        if not 0 <= index < self.count:
            raise IndexError(f"no solution {index} among {self.count}")
        return self._values(self.pairs(index))

    def sample(self, rng: random.Random) -> tuple[int, ...]:
        """Return a random solution, each with the same probability. Raises IndexError if there is none."""
        return self.nth(rng.randrange(self.count) if self.count else 0)

    def forced(self) -> dict[int, int]:
        """Return the variables that take one value in all solutions, with that value."""
        return {
            variable: next(iter(taken)) for variable, taken in self.marginals().items() if len(taken) == 1
        }

    def _values(self, pairs: Iterable[tuple[int, int]]) -> tuple[int, ...]:
        value = dict(pairs)
        return tuple([value[variable] for variable in self.variables])


MAX_CACHED_ENDS = 512
"""The sums along the paths from a node to the terminal are cached if there are no more than this number."""

MAX_CACHED_BYTES = 2**27
"""The size of the cache in bytes at which it is emptied, so that memory stays bounded."""

POINTER = 8
"""Bytes of a reference in a list."""

NODE_CHECK_MASK = 1023
"""Nodes whose numbers have none of these bits check the deadline, which is every few milliseconds."""


class Diagram(SolutionSet):
    """An acyclic graph whose paths from the root to the terminal are the solutions, each once.

    Node 0 is the terminal, and the last node is the root; children come before their parents. There are no
    dead ends, except a root without arcs if there is no solution.

    Parameters
    ----------
    order
        The variables that each path decides, roughly in the order of decision.
    fragments
        Pieces of assignments. The fragments along a path decide every variable exactly once.
    labels, children
        For each node, the number of the fragment of each of its arcs, and the child of each arc.
    """

    def __init__(
        self,
        order: Sequence[int],
        fragments: Sequence[Fragment],
        labels: Sequence[tuple[int, ...]],
        children: Sequence[tuple[int, ...]],
    ):
        self.order, self.variables = tuple(order), tuple(sorted(order))
        self.fragments, self.labels, self.children = fragments, labels, children
        self.root = len(children) - 1

    @classmethod
    def without_paths(cls, variables: Sequence[int]) -> Diagram:
        """Return the diagram without solutions."""
        return cls(variables, (), ((), ()), ((), ()))

    @property
    def nodes(self) -> int:
        """Number of nodes."""
        return len(self.children)

    @property
    def count(self) -> int:
        """Number of solutions."""
        return self.counts[self.root]

    @cached_property
    def counts(self) -> list[int]:
        """Number of paths from each node to the terminal."""
        return self._count_paths(NO_LIMITS)

    def counted(self, allowance: Allowance) -> Diagram:
        """Count the paths and return this diagram. Raises Unfinished."""
        self.counts = self._count_paths(allowance)
        return self

    def _count_paths(self, allowance: Allowance) -> list[int]:
        counts = [1]
        for children in self.children[1:]:
            if not len(counts) & NODE_CHECK_MASK:
                allowance.spend()
            counts.append(sum([counts[child] for child in children]))
        return counts

    def arcs(self, node: int) -> Iterator[tuple[int, int]]:
        """Return the arcs of a node: pairs of the fragment's number and the child."""
        return zip(self.labels[node], self.children[node], strict=True)

    def sums(self, zero: Piece, piece: Callable[[Fragment], Piece]) -> Iterator[Piece]:
        """Walk all paths; see ``SolutionSet``."""
        pieces: list[Any] = [piece(fragment) for fragment in self.fragments]
        ends: dict[int, list[Any]] = {0: [zero]}
        kept = 0
        if not self.root:  # nothing to decide: one path without arcs
            yield zero
        # Depth-first walk. The stack holds the sum so far and the remaining arcs of each node on the path.
        # The walk descends only into nodes with many paths; for others it adds cached sums of their paths.
        walked: list[tuple[Any, Iterator[tuple[int, int]]]] = [(zero, self.arcs(self.root))]
        while walked:
            so_far, arcs = walked[-1]
            for label, child in arcs:
                start = so_far + pieces[label]
                if self.counts[child] > MAX_CACHED_ENDS:
                    walked.append((start, self.arcs(child)))
                    break
                if child not in ends:
                    if kept > MAX_CACHED_BYTES:
                        ends, kept = {0: [zero]}, 0
                    kept += self._add_ends(ends, pieces, child)
                for end in ends[child]:
                    yield start + end
            else:
                walked.pop()

    def _add_ends(self, ends: dict[int, list[Any]], pieces: Sequence[Any], node: int) -> int:
        """Cache the sums along all paths from a node and from the nodes below; return their bytes."""
        waiting, added = [node], 0
        while waiting:
            top = waiting[-1]
            missing = [child for child in self.children[top] if child not in ends]
            waiting += missing
            if not missing:
                waiting.pop()
                ends[top] = [pieces[label] + end for label, child in self.arcs(top) for end in ends[child]]
                added += len(ends[top]) * (getsizeof(ends[top][0]) + POINTER)
        return added

    def pairs(self, index: int) -> Fragment:
        """Return the joined fragments of a path; see ``SolutionSet``."""
        # Descend: skip the paths of earlier arcs until the arc that contains the path number ``index``.
        node, pairs = self.root, list[tuple[int, int]]()
        while node:
            for label, child in self.arcs(node):
                if index < self.counts[child]:
                    pairs += self.fragments[label]
                    node = child
                    break
                index -= self.counts[child]
        return tuple(pairs)

    def marginals(self, allowance: Allowance = NO_LIMITS) -> dict[int, dict[int, int]]:
        """Return how often each variable takes each value; see ``SolutionSet``. Raises Unfinished."""
        # An arc lies on (paths from the root to its node) times (paths from its child to the terminal) paths.
        through = [0] * len(self.fragments)
        reached = [0] * self.nodes
        reached[self.root] = 1
        for node in range(self.root, 0, -1):
            if not node & NODE_CHECK_MASK:
                allowance.spend()
            for label, child in self.arcs(node):
                reached[child] += reached[node]
                through[label] += reached[node] * self.counts[child]
        marginals: dict[int, dict[int, int]] = {variable: {} for variable in self.variables}
        for fragment, solutions in zip(self.fragments, through, strict=True):
            for variable, value in fragment:
                marginals[variable][value] = marginals[variable].get(value, 0) + solutions
        return marginals
