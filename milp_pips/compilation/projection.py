"""The projection of a decision diagram to some of its variables: each view of the solutions becomes one path.

Solutions with the same view must share one path, so the paths of the original diagram do not count views.
The projection is built from the terminal up: a diagram that decides the visible variables one by one in a
fixed order. It represents sets of words as reduced diagrams and unites them (Bryant 1986, with values in
place of bits). The size of the result depends on how the views differ, not on how many there are.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple, TypeAlias

from milp_pips.compilation.decision_diagram import NODE_CHECK_MASK, Diagram
from milp_pips.compilation.limits import VIEW_NODES, Allowance, Budget
from milp_pips.problem.stopping import Deadline

Letters: TypeAlias = tuple[tuple[int, int], ...]
"""Letters of a word: pairs (position, value), from left to right."""

WordSet: TypeAlias = tuple[int, Letters]
"""A set of words, by its number, and letters to add to each word, at positions that the words leave open."""

Union: TypeAlias = tuple[WordSet, ...]
"""A union of sets whose words have their letters at the same positions; sorted, each part once."""

WordNode: TypeAlias = tuple[int, tuple[int, ...], tuple[int, ...]]
"""A set of words: the position decided first, its values, and for each value the set of words after it."""


def project(diagram: Diagram, visible: Collection[int], budget: Budget, deadline: Deadline) -> Diagram:
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


class Decision(NamedTuple):
    """A position, its values, and for each value the parts of the words after it."""

    position: int
    values: tuple[int, ...]
    following: list[Union]


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

    def _split(self, parts: Union) -> Decision:
        """Return the first decision of a union."""
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
        return Decision(position, values, [tuple(sorted(following[value])) for value in values])

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
