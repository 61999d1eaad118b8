"""A diagram while it is made: everything reached, dead ends included."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence

from milp_pips.diagram.budget import Budget
from milp_pips.diagram.diagram import Diagram, Fragment


class Growth:
    """Nodes and their arcs, parents before children; node 0 is the root.

    The arcs of ``nodes[i]`` run from ``ends[i]`` up to ``ends[i + 1]``. Arrays, because there are millions.
    """

    def __init__(self) -> None:
        self.nodes, self.ends = array("q"), array("q", [0])
        self.fragments, self.children = array("q"), array("q")
        self._ways, self._counted = {0: 1}, 0

    def widest(self, reached: dict[int, int], width: int) -> dict[int, int]:
        """Return the ``width`` of the reached nodes, by their states, that most paths lead to."""
        for i in range(self._counted, len(self.nodes)):
            ways = self._ways[self.nodes[i]]
            for arc in range(self.ends[i], self.ends[i + 1]):
                child = self.children[arc]
                self._ways[child] = self._ways.get(child, 0) + ways
        self._counted = len(self.nodes)
        if len(reached) <= width:
            return reached
        best = sorted(reached.items(), key=lambda pair: -self._ways[pair[1]])
        return dict(best[:width])

    def diagram(
        self,
        solved: Iterable[int],
        made: int,
        order: Sequence[int],
        fragments: Sequence[Fragment],
        budget: Budget,
    ) -> Diagram:
        """Return the reduced diagram: no dead ends, and nodes with the same arcs made one.

        Parameters
        ----------
        solved
            The nodes where everything is decided.
        made
            How many nodes there are.
        order
            The variables in the order of decision.
        fragments
            The pieces of assignments by their numbers here.
        budget
            Looked at on the way. Raises Unfinished.
        """
        number = array("q", [-1]) * made
        for node in solved:
            number[node] = 0
        label: dict[int, int] = {}
        known: dict[tuple[tuple[int, ...], tuple[int, ...]], int] = {((), ()): 0}
        for i in reversed(range(len(self.nodes))):
            if not i & 1023:
                budget.spend(0)
            labels, children = [], []
            for arc in range(self.ends[i], self.ends[i + 1]):
                child = number[self.children[arc]]
                if child >= 0:
                    labels.append(label.setdefault(self.fragments[arc], len(label)))
                    children.append(child)
            if children:
                number[self.nodes[i]] = known.setdefault((tuple(labels), tuple(children)), len(known))
        if number[0] < 0:
            return Diagram.without_paths(order)
        labels_of, children_of = zip(*known, strict=True)
        return Diagram(order, [fragments[i] for i in label], labels_of, children_of)
