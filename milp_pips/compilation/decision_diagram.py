"""The decision diagram, whose paths are the solutions, and its projection to some of its variables."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from sys import getsizeof
from typing import Any, TypeAlias

from milp_pips.compilation.limits import NO_LIMITS, VIEW_NODES, Allowance, Budget
from milp_pips.compilation.nodes import Fragment, Node, Piece, Walk
from milp_pips.problem.stopping import Deadline

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

    def walk(self, walk: Walk[Piece], start: Any) -> Iterator[Piece]:
        """Walk all paths; see ``Node``."""
        pieces: list[Any] = [walk.piece(fragment) for fragment in self.fragments]
        ends: dict[int, list[Any]] = {0: [walk.zero]}
        kept = 0
        if not self.root:  # nothing to decide: one path without arcs
            yield start
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
                for end in ends[child]:
                    yield reached + end
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


# Project a diagram to some of its variables, so that each view of the solutions is one path.
#
# Solutions with the same view must share one path, so the paths of the original diagram do not count views.
# The projection is built from the terminal up: a diagram that decides the visible variables one by one in a
# fixed order. It represents sets of words as reduced diagrams and unites them (Bryant 1986, with values in
# place of bits). The size of the result depends on how the views differ, not on how many there are.

Letters: TypeAlias = tuple[tuple[int, int], ...]
"""Letters of a word: pairs (position, value), from left to right."""

WordSet: TypeAlias = tuple[int, Letters]
"""A set of words, by its number, and letters to add to each word, at positions that the words leave open."""

Union: TypeAlias = tuple[WordSet, ...]
"""A union of sets whose words have their letters at the same positions; sorted, each part once."""

WordNode: TypeAlias = tuple[int, tuple[int, ...], tuple[int, ...]]
"""A set of words: the position decided first, its values, and for each value the set of words after it."""


def project(diagram: Diagram, visible: Collection[int], budget: Budget, deadline: Deadline | None) -> Diagram:
    """Return the diagram whose paths are the views of the solutions in the visible variables, each once.

    Raises Unfinished if it exceeds the budget, or if the deadline expires.
    """
    order = [v for v in diagram.order if v in visible]
    if len(order) == len(diagram.order):
        return diagram
    position = {v: i for i, v in enumerate(order)}
    letters = [
        tuple(sorted([(position[v], value) for v, value in fragment if v in visible]))
        for fragment in diagram.fragments
    ]
    allowance = Allowance(budget.nodes, deadline, budget.memory)
    words = WordSets(len(order), allowance)
    sets = [0]
    for node in range(1, diagram.size):
        if not node & NODE_CHECK_MASK:
            allowance.spend()
        sets.append(words.union({(sets[child], letters[label]) for label, child in diagram.arcs(node)}))
    return words.diagram(sets[-1], order)


class WordSets:
    """Sets of words, with one number for equal sets; set number 0 contains only the empty word.

    The words of one set have their letters at the same positions, all of them less than ``length``.
    """

    def __init__(self, length: int, allowance: Allowance):
        self._length, self._allowance = length, allowance
        self._nodes: list[WordNode] = [(length, (), ())]
        self._numbers: dict[WordNode, int] = {}
        self._unions: dict[Union, int] = {((0, ()),): 0}

    def union(self, parts: set[WordSet]) -> int:
        """Return the number of the union of parts whose words have their letters at the same positions."""
        wanted = tuple(sorted(parts))
        # A stack replaces recursion, which would end at a thousand positions. An entry holds a union, its
        # first position, the values there, the unions after each value, and the numbers found for these.
        waiting = [] if wanted in self._unions else [(wanted, *self._split(wanted), list[int]())]
        while waiting:
            union, position, values, following, found = waiting[-1]
            for rest in following[len(found) :]:
                number = self._unions.get(rest)
                if number is None:
                    if not len(waiting) & 15:
                        self._allowance.spend()
                    waiting.append((rest, *self._split(rest), []))
                    break
                found.append(number)
            else:
                node = position, values, tuple(found)
                number = self._unions[union] = self._numbers.setdefault(node, len(self._nodes))
                if number == len(self._nodes):
                    self._nodes.append(node)
                    self._unions[(number, ()),] = number
                self._allowance.spend(VIEW_NODES)
                waiting.pop()
        return self._unions[wanted]

    def _split(self, parts: Union) -> tuple[int, tuple[int, ...], list[Union]]:
        """Return the first position, its values, and for each value the parts of the words after it."""
        number, letters = parts[0]
        position = min(self._nodes[number][0], letters[0][0] if letters else self._length)
        following: dict[int, set[WordSet]] = {}
        for number, letters in parts:
            if letters and letters[0][0] == position:
                following.setdefault(letters[0][1], set()).add((number, letters[1:]))
            else:
                _, values, rests = self._nodes[number]
                for value, rest in zip(values, rests, strict=True):
                    following.setdefault(value, set()).add((rest, letters))
        values = tuple(sorted(following))
        return position, values, [tuple(sorted(following[value])) for value in values]

    def diagram(self, root: int, order: list[int]) -> Diagram:
        """Return the diagram of a set; ``order`` has the variable of each position."""
        reached = {root}
        for number in range(root, 0, -1):
            if not number & NODE_CHECK_MASK:
                self._allowance.spend()
            if number in reached:
                reached.update(self._nodes[number][2])
        new = {number: i for i, number in enumerate(sorted(reached))}
        fragments: dict[tuple[int, int], int] = {}
        labels, children = [], []
        for number in new:
            if not number & NODE_CHECK_MASK:
                self._allowance.spend()
            position, values, following = self._nodes[number]
            pairs = [(order[position], value) for value in values]
            labels.append(tuple([fragments.setdefault(pair, len(fragments)) for pair in pairs]))
            children.append(tuple([new[rest] for rest in following]))
        return Diagram(order, [(pair,) for pair in fragments], labels, children, self._allowance)
