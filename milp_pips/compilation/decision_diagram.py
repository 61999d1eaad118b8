"""The decision diagram: an acyclic graph whose paths are the solutions of a problem.

Counting, the n-th solution, a walk through all solutions and the frequency of each value are all sums along
the arcs. ``layers`` makes diagrams, and ``projection`` projects them to some of their variables.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from sys import getsizeof
from typing import Any

from milp_pips.compilation.limits import NO_LIMITS, Allowance
from milp_pips.compilation.nodes import Fragment, Node, Piece, Walk

MAX_CACHED_ENDS = 512
"""The sums along the paths from a node to the terminal are cached if there are no more than this number."""

MAX_CACHED_BYTES = 2**27
"""The size of the cache in bytes at which it is emptied, so that memory stays bounded."""

POINTER = 8
"""Bytes of a reference in a list."""

NODE_CHECK_MASK = 1023
"""Nodes whose numbers have none of these bits check the deadline, which is every few milliseconds."""


class Diagram(Node):
    """An acyclic graph whose paths from the root to the terminal are the solutions, each once.

    Node 0 is the terminal, and the last node is the root; children come before their parents. There are no
    dead ends, except a root without arcs if there is no solution. ``counts`` has the number of paths from
    each node to the terminal; making it raises Unfinished.

    Parameters
    ----------
    order
        The variables that each path decides, roughly in the order of decision.
    fragments
        Pieces of assignments. The fragments along a path decide every variable exactly once.
    labels, children
        For each node, the number of the fragment of each of its arcs, and the child of each arc.
    counts
        The counts, if they are known.
    """

    def __init__(
        self,
        order: Sequence[int],
        fragments: Sequence[Fragment],
        labels: Sequence[tuple[int, ...]],
        children: Sequence[tuple[int, ...]],
        allowance: Allowance = NO_LIMITS,
        counts: list[int] | None = None,
    ):
        self.order, self.fragments = tuple(order), fragments
        self.labels, self.children = labels, children
        self.size, self.root = len(children), len(children) - 1
        if counts is None:
            counts = [1]
            for children_of in children[1:]:
                if not len(counts) & NODE_CHECK_MASK:
                    allowance.spend()
                counts.append(sum([counts[child] for child in children_of]))
        self.counts, self.count = counts, counts[-1]

    @classmethod
    def without_paths(cls) -> Diagram:
        """Return the diagram without solutions."""
        return cls((), (), ((), ()), ((), ()))

    @classmethod
    def of_list(cls, order: Sequence[int], solutions: Sequence[Fragment]) -> Diagram:
        """Return the diagram of these different solutions: each is an arc from the root to the terminal."""
        size = len(solutions)
        return cls(order, solutions, ((), tuple(range(size))), ((), (0,) * size))

    def arcs(self, node: int) -> Iterator[tuple[int, int]]:
        """Return the arcs of a node: pairs of the fragment's number and the child."""
        return zip(self.labels[node], self.children[node], strict=True)

    def walk(self, walk: Walk[Piece], start: Any) -> Iterator[list[Piece]]:
        """Walk all paths; see ``Node``."""
        pieces: list[Any] = [walk.piece(fragment) for fragment in self.fragments]
        ends: dict[int, list[Any]] = {0: [walk.zero]}
        kept = 0
        if not self.root:  # nothing to decide: one path without arcs
            yield [start]
        # Depth-first walk. The stack holds the sum so far and the remaining arcs of each node on the path.
        # The walk descends only into nodes with many paths; for others it adds cached sums of their paths.
        walked: list[tuple[Any, Iterator[tuple[int, int]]]] = [(start, self.arcs(self.root))]
        while walked:
            so_far, arcs = walked[-1]
            for label, child in arcs:
                reached = so_far + pieces[label]
                if self.counts[child] > MAX_CACHED_ENDS:
                    walked.append((reached, self.arcs(child)))
                    break
                if child not in ends:
                    if kept > MAX_CACHED_BYTES:
                        ends, kept = {0: [walk.zero]}, 0
                    kept += self._add_ends(ends, pieces, child)
                yield [reached + end for end in ends[child]]
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
        """Return the joined fragments of a path; see ``Node``."""
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

    def taken(self, allowance: Allowance) -> Iterator[tuple[tuple[int, int], int]]:
        """Yield how often each variable takes each value; see ``Node``."""
        # An arc lies on (paths from the root to its node) times (paths from its child to the terminal) paths.
        through = [0] * len(self.fragments)
        reached = [0] * self.size
        reached[self.root] = 1
        for node in range(self.root, 0, -1):
            if not node & NODE_CHECK_MASK:
                allowance.spend()
            for label, child in self.arcs(node):
                reached[child] += reached[node]
                through[label] += reached[node] * self.counts[child]
        for fragment, solutions in zip(self.fragments, through, strict=True):
            for pair in fragment:
                yield pair, solutions
