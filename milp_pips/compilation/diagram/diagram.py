"""The decision diagram itself: its paths are the solutions, each exactly once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from sys import getsizeof
from typing import Any

from milp_pips.compilation.diagram.budget import NO_LIMITS, Allowance
from milp_pips.compilation.diagram.solutions import Fragment, Piece, SolutionSet

MAX_CACHED_ENDS = 512
"""Sums along the ends of paths are made once for a node and kept, if it has no more ends than that."""

MAX_CACHED_BYTES = 2**27
"""Bytes of sums that may be kept before all of them are forgotten, so that memory stays bounded."""

POINTER = 8
"""Bytes by which a list refers to a sum."""

NODE_CHECK_MASK = 1023
"""The deadline is checked at nodes whose numbers have none of these bits: every few milliseconds."""


class Diagram(SolutionSet):
    """An acyclic graph whose paths from the root to the terminal are the solutions, each once.

    Node 0 is the terminal and the last node the root; children stand before their parents. There are no dead
    ends, but for a root without arcs where there is no solution.

    Parameters
    ----------
    order
        The variables that each path decides, roughly in the order of decision.
    fragments
        Pieces of assignments. The fragments along a path decide every variable once.
    labels, children
        For each node, the number of the fragment, and the child, of each of its arcs.
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
        """Return the diagram of no solution."""
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
        """Return this diagram when its paths are counted. Raises Unfinished."""
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
        """Return the arcs of a node: number of the fragment, and child."""
        return zip(self.labels[node], self.children[node], strict=True)

    def sums(self, zero: Piece, piece: Callable[[Fragment], Piece]) -> Iterator[Piece]:
        """Walk all paths; see ``SolutionSet``."""
        pieces: list[Any] = [piece(fragment) for fragment in self.fragments]
        ends: dict[int, list[Any]] = {0: [zero]}
        kept = 0
        if not self.root:  # nothing to decide: one path without arcs
            yield zero
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
        """Add the sums along all paths from a node, and those below, to the terminal; return their bytes."""
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
        """Return the fragments of a path put together; see ``SolutionSet``."""
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
