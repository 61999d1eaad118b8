"""What every set of solutions offers, however it is kept: count, walk, n-th, sample, marginals."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from milp_pips.compilation.diagram.budget import NO_LIMITS, Allowance

if TYPE_CHECKING:
    import random

Fragment: TypeAlias = tuple[tuple[int, int], ...]
"""A piece of an assignment: pairs (variable, value)."""

Piece = TypeVar("Piece")


class SolutionSet(ABC):
    """All solutions, each once, in a fixed order.

    ``variables`` are those whose values tell a solution, in increasing order; ``fragments`` the pieces that
    the solutions are put together from.
    """

    variables: tuple[int, ...]
    fragments: Sequence[Fragment]

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.count} solutions, {self.nodes} nodes>"

    @property
    @abstractmethod
    def count(self) -> int:
        """Number of solutions."""

    @property
    @abstractmethod
    def nodes(self) -> int:
        """Number of nodes: what the set takes to keep."""

    @abstractmethod
    def sums(self, zero: Piece, piece: Callable[[Fragment], Piece]) -> Iterator[Piece]:
        """Walk all solutions and yield, for each, the pieces of its fragments added up from left to right.

        Whatever can be added will do: numbers, text, tuples; adding is most of what a solution costs. Every
        walk takes the solutions in the same order. Memory does not grow with their number.
        """

    @abstractmethod
    def pairs(self, index: int) -> Fragment:
        """Return variables and values of the solution that comes after so many others in the walk."""

    @abstractmethod
    def marginals(self, allowance: Allowance = NO_LIMITS) -> dict[int, dict[int, int]]:
        """Return, for each variable and each value it takes, in how many solutions it does.

        Raises Unfinished.
        """

    def assignments(self) -> Iterator[tuple[int, ...]]:
        """Walk all solutions and yield, for each, the values of ``variables``."""
        if all(0 <= value < 256 for fragment in self.fragments for _, value in fragment):
            shift = {variable: 8 * i for i, variable in enumerate(self.variables)}
            size = len(shift)
            for packed in self.sums(0, lambda fragment: sum(value << shift[v] for v, value in fragment)):
                yield tuple(packed.to_bytes(size, "little"))
        else:
            nothing: Fragment = ()
            for pairs in self.sums(nothing, lambda fragment: fragment):
                yield self._values(pairs)

    def nth(self, index: int) -> tuple[int, ...]:
        """Return the solution that ``assignments`` yields after so many others. Raises IndexError."""
        if not 0 <= index < self.count:
            raise IndexError(f"no solution {index} among {self.count}")
        return self._values(self.pairs(index))

    def sample(self, rng: random.Random) -> tuple[int, ...]:
        """Return one solution, each with the same probability. Raises IndexError where there is none."""
        return self.nth(rng.randrange(self.count) if self.count else 0)

    def forced(self) -> dict[int, int]:
        """Return the variables that take one value in all solutions, with that value."""
        return {
            variable: next(iter(taken)) for variable, taken in self.marginals().items() if len(taken) == 1
        }

    def _values(self, pairs: Iterable[tuple[int, int]]) -> tuple[int, ...]:
        value = dict(pairs)
        return tuple([value[variable] for variable in self.variables])
