"""How large diagrams may grow, for which use, and what is raised when one grows larger."""

from __future__ import annotations

from dataclasses import dataclass

from milp_pips.answer import Stop
from milp_pips.errors import MilpPipsError
from milp_pips.watch import Watch

NODE_BYTES, VIEW_BYTES = 330, 1000
"""Bytes per node of a diagram in the making, and of its projection, with room for the reduction at the end.

``benchmarks/counting.py --memory`` measures what they take before that.
"""


@dataclass(frozen=True, slots=True)
class Budget:
    """How many nodes of a diagram, and of a projection of it, may be made; time grows with them, too.

    Nodes needed only on the way are included.
    """

    nodes: int
    view_nodes: int

    @classmethod
    def of_memory(cls, memory: int | None) -> Budget:
        """Return the budget of so many bytes, for a diagram and as many again for its projection.

        None stands for a gigabyte, which the machines people have can spare.
        """
        memory = 2**30 if memory is None else memory
        return cls(memory // NODE_BYTES, memory // VIEW_BYTES)


DEFAULT = Budget.of_memory(None)
"""For listing, counting, drawing at random."""

RECOUNTING = Budget.of_memory(2**28)
"""For a second count of a list that is there already: a quarter of what the list may have cost."""

GENERATING = Budget(nodes=4_000, view_nodes=0)
"""For a count on the way to a new puzzle: nodes and not bytes, so that every machine makes the same puzzles.

The puzzles of the tests are made with it: another number gives others for the same seeds.
"""

REFINING = Budget(nodes=1_500, view_nodes=0)
"""For a count of a puzzle that has been loosened; where that is too few, it is likely to be too loose."""


class Unsupported(MilpPipsError):
    """A problem that no decision diagram can be made of."""


class Unfinished(MilpPipsError):
    """A decision diagram that was given up: for its size (``Stop.MEMORY``), the time, or an interruption."""

    def __init__(self, what: str, stop: Stop):
        self.stop = stop
        super().__init__(what)


class Allowance:
    """How many nodes may still be made; the watch is looked at whenever some are spent."""

    def __init__(self, nodes: int, watch: Watch | None = None):
        self._nodes, self._watch = nodes, watch

    def spend(self, nodes: int) -> None:
        """Take off nodes that were made. Raises Unfinished after too many, or when the watch says stop."""
        self._nodes -= nodes
        if self._nodes < 0:
            raise Unfinished("the decision diagram grows too large", Stop.MEMORY)
        stop = self._watch.stop if self._watch is not None else None
        if stop is not None:
            raise Unfinished("the decision diagram was not finished", stop)
