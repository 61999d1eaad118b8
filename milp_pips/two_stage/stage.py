"""One of the two problems on its way through an engine: its points, a block at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from milp_pips.answer import Proof, Settings, Stop
from milp_pips.engines import available
from milp_pips.enumeration.methods import Work, by_partition, natively

if TYPE_CHECKING:
    from milp_pips.problem import Problem
    from milp_pips.solvers.contract import Points
    from milp_pips.watch import Watch

BLOCK = 512
"""Most points in a block: enough for the join to work in bulk, few enough to look at the watch in between."""


def listed(engine: str, problem: Problem, key: str, settings: Settings, watch: Watch) -> Points:
    """Yield every point that differs in the key: by the engine itself if it can, else by partition."""
    if not all(variable.domain for variable in problem.variables):
        return Proof.COMPLETE, Stop.FINISHED
    if not all(constraint.variables or constraint.holds(()) for constraint in problem.constraints):
        return Proof.COMPLETE, Stop.FINISHED  # no engine need be asked about a cell without a neighbour
    if not problem.variables:
        yield ()
        return Proof.COMPLETE, Stop.FINISHED
    work = Work(problem, key, engine, settings, watch)
    native = "enumeration" in available(engine).features
    return (yield from (natively(work) if native else by_partition(work)))


class Stage:
    """The points of one problem, drawn in blocks.

    ``seen`` counts the points drawn; once the stage has ``ended``, ``proof`` and ``stop`` say how.
    """

    def __init__(self, points: Points):
        self._points = points
        self.seen = 0
        self.ended = False
        self.proof, self.stop = Proof.NONE, Stop.FINISHED

    @property
    def complete(self) -> bool:
        """Whether all points have been drawn."""
        return self.proof is Proof.COMPLETE

    def block(self) -> list[tuple[int, ...]]:
        """Return the next points: as many as there have been, up to ``BLOCK``; fewer when the stage ends.

        Since blocks start small and double, nothing waits long for being joined, and few blocks are small.
        """
        drawn: list[tuple[int, ...]] = []
        size = min(max(self.seen, 1), BLOCK)
        while len(drawn) < size:
            try:
                drawn.append(next(self._points))
            except StopIteration as end:
                self.ended = True
                self.proof, self.stop = end.value
                break
        self.seen += len(drawn)
        return drawn

    def close(self) -> None:
        """Let the engine go."""
        self._points.close()
