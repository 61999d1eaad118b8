"""How large a diagram may grow, and what is raised when it grows larger."""

from __future__ import annotations

from milp_pips.answer import Stop
from milp_pips.errors import MilpPipsError
from milp_pips.watch import Watch


class Unsupported(MilpPipsError):
    """A problem that no decision diagram can be made of."""


class Unfinished(MilpPipsError):
    """A decision diagram that was given up: for its size (``Stop.MEMORY``), the time, or an interruption."""

    def __init__(self, what: str, stop: Stop):
        self.stop = stop
        super().__init__(what)


class Budget:
    """How many nodes may still be made.

    Parameters
    ----------
    nodes
        Greatest number of nodes; memory and time both grow with it.
    watch
        Looked at whenever nodes are spent; None for no deadline.
    """

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
