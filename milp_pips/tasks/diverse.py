"""A few solutions that are far apart: each as far as possible from those before it.

The distance of two solutions is the number of variables of the key, or of chosen columns, in which they
differ. The first solution is any. Each further one is as far as possible from those before it: the least of
its distances to them is the greatest possible, which is confirmed like any optimum. So these distances never
grow, and the last one, ``d``, is at least half of the best: no k solutions are all over ``2 d`` apart. Else
each of the first k - 1 listed solutions would be within ``d`` of at most one of these, so one would be
over ``d`` from all, and the last step would have found it (Ravi, Rosenkrantz and Tayi 1994).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, NamedTuple

from milp_pips.engines.contract import Points
from milp_pips.problem.answer import Proof, Stop
from milp_pips.problem.stopping import Deadline
from milp_pips.tasks.listers import KnownLines, Lister
from milp_pips.tasks.pipeline import Prepared


class Further(NamedTuple):
    """The next solution, as far as possible from those before it; ``proof`` says why there is none.

    ``distance`` is the least to those before it; None for the first. ``confirmed_by`` is what confirmed that
    no solution is farther.
    """

    point: tuple[Any, ...] | None
    distance: int | None = None
    confirmed_by: str | None = None
    solver: str = ""
    proof: Proof = Proof.NONE
    stop: Stop = Stop.FINISHED


class DiverseLister(Lister):
    """Lists k solutions, each as far as possible from those before it.

    Parameters
    ----------
    prepared, key, deadline
        The puzzle, the key by which its solutions differ, and the deadline of the list.
    positions
        The positions of the variables or columns by which solutions differ.
    k
        Most solutions to list.
    solver
        The solver; empty for the default.

    ``keys`` are the values by which the solutions so far differ.
    """

    method = "diverse"

    def __init__(
        self, prepared: Prepared, key: str, deadline: Deadline, positions: Sequence[int], k: int, solver: str
    ):
        super().__init__(prepared, key, deadline)
        self.positions, self._k, self.solver = positions, k, solver
        self.keys: list[tuple[int, ...]] = []
        self._confirmed_by: str | None = None

    @abstractmethod
    def find(self, most: int) -> Further:
        """Return the next solution; ``most`` is the greatest distance that is possible."""

    @abstractmethod
    def confirm_all(self) -> str | None:
        """Return what confirms that the solutions so far are all; None if nothing."""

    def points(self, _known: KnownLines) -> Points:
        most = len(self.positions)
        while len(self.keys) < self._k:
            found = self.find(most)
            if found.point is None:
                return found.proof, found.stop
            self.solver = found.solver or self.solver
            if found.distance is not None:
                most, self._confirmed_by = found.distance, found.confirmed_by
                self.distances += (most,)
            self.keys.append(tuple([found.point[v] for v in self.positions]))
            yield found.point
        return Proof.COMPLETE, Stop.FINISHED

    def confirm(self, found: int) -> str | None:
        """Return what confirmed the last distance; that there are no others, if there are fewer than k."""
        return self._confirmed_by if found >= self._k else self.confirm_all()
