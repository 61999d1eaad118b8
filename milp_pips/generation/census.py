"""Count the solutions of a problem in a bounded number of steps, the same on every machine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from milp_pips.answer import Stop
from milp_pips.diagram import Unfinished, Unsupported, compile_diagram
from milp_pips.presolve import presolved

if TYPE_CHECKING:
    from milp_pips.problem import Problem
    from milp_pips.watch import Watch

NODES = 4_000
"""How large a diagram may grow: nodes, not seconds, so that a slow machine makes the same puzzles."""


class Census(NamedTuple):
    """The number of solutions, and for each variable in how many of them it takes each value."""

    solutions: int
    taken: Mapping[int, Mapping[int, int]]

    def decides(self, variables: tuple[int, ...]) -> bool:
        """Whether there is one solution, as far as these variables are concerned."""
        return self.solutions > 0 and all(len(self.taken[v]) == 1 for v in variables)


REDUCTIONS = ("pruning", "equality", "singles")
"""What takes values out of domains beforehand; the diagram has less to look at."""


def census(problem: Problem, watch: Watch, nodes: int = NODES) -> Census | None:
    """Return the exact numbers, None where the decision diagram has more nodes on the way.

    Raises
    ------
    Unfinished
        When the watch says stop.
    """
    try:
        diagram = compile_diagram(presolved(problem, REDUCTIONS), nodes, watch)
    except Unsupported:
        return None
    except Unfinished as reason:
        if reason.stop is Stop.MEMORY:
            return None
        raise
    return Census(diagram.count, diagram.marginals())
