"""A few solutions that are far apart: each as far as possible from those before it.

The distance of two solutions is the number of variables of the key, or of chosen columns, in which they
differ. The first solution is any. Each further one is as far as possible from those before it: the least of
its distances to them is the greatest possible, which is confirmed like any optimum. So these distances never
grow, and the last one, ``d``, is at least half of the best: no k solutions are all over ``2 d`` apart. Else
each of the first k - 1 listed solutions would be within ``d`` of at most one of these, so one would be
over ``d`` from all, and the last step would have found it (Ravi, Rosenkrantz and Tayi 1994).
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypeVar

from milp_pips.problem.answer import Proof, Stop
from milp_pips.tasks.lines import line_of

if TYPE_CHECKING:
    from milp_pips.problem.stopping import Deadline
    from milp_pips.tasks.listers import KnownLines, Lines, Solutions

T = TypeVar("T")


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


Next: TypeAlias = Callable[[Sequence[Sequence[int]], int], Further]
"""A function that takes the keys of the solutions so far and the greatest distance that is possible."""


class DiverseLister:
    """Lists k solutions, each as far as possible from those before it.

    Parameters
    ----------
    prepared, key
        The puzzle, and the positions of the variables or columns by which solutions differ.
    k
        Most solutions to list.
    solver
        The solver; empty for the default.
    find
        Finds the next solution.
    confirm_all
        Returns what confirms that the solutions with these keys are all.
    """

    method = "diverse"
    of: int | None = None

    def __init__(
        self,
        prepared: Any,
        key: Sequence[int],
        k: int,
        solver: str,
        find: Next,
        confirm_all: Callable[[Sequence[tuple[int, ...]], Deadline], str | None],
    ):
        self._prepared, self._key, self._k, self.solver = prepared, key, k, solver
        self._find, self._confirm_all = find, confirm_all
        self._keys: list[tuple[int, ...]] = []
        self._confirmed_by: str | None = None
        self.distances: tuple[int, ...] = ()
        self.judged = 0

    def solutions(self) -> Solutions:
        """Yield the solutions."""
        return self._list(lambda solution: solution)

    def lines(self, known: KnownLines) -> Lines:
        """Yield the solutions as lines of JSON."""
        assert not any(known), "a file never resumes such a list"
        return self._list(lambda solution: line_of(self._prepared, solution))

    def _list(self, show: Callable[[Any], T]) -> Generator[T, None, tuple[Proof, Stop]]:
        most = len(self._key)
        while len(self._keys) < self._k:
            found = self._find(self._keys, most)
            if found.point is None:
                return found.proof, found.stop
            self.solver = found.solver or self.solver
            if found.distance is not None:
                most, self._confirmed_by = found.distance, found.confirmed_by
                self.distances += (most,)
            self._keys.append(tuple([found.point[v] for v in self._key]))
            self.judged += 1
            yield show(self._prepared.judge(found.point, self.solver or "the solver"))
        return Proof.COMPLETE, Stop.FINISHED

    def confirm(self, found: int, deadline: Deadline) -> str | None:
        """Return what confirmed the last distance; that there are no others, if there are fewer than k."""
        return self._confirmed_by if found >= self._k else self._confirm_all(self._keys, deadline)
