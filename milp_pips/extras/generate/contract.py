"""The interfaces by which a family generates puzzles."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    from milp_pips.problem.parameters import Parameter
    from milp_pips.problem.rng import RandomGenerator

__all__ = ["Candidate", "Generator", "Maker", "Repairer"]


class Generator(Protocol):
    """The generator of a family; a module with these names is enough."""

    options: Sequence[Parameter]
    """The options of new puzzles, such as ``Parameter("--size N", "rows and columns", whole(1, 60))``."""

    of_grade: Mapping[str, Mapping[str, Any]]
    """By grade, the values of options if none is given."""

    limits_of_grade: Mapping[str, Mapping[str, tuple[int, int]]]
    """By grade, the limits of a property of the maker, such as its ``dominoes``; it may be missing."""

    def maker(self, wanted: Mapping[str, Any]) -> Maker:
        """Return a maker for puzzles with these values of the options; options may be missing.

        Raises UsageError, with a message of one line, if no such puzzle can exist.
        """


class Candidate(NamedTuple):
    """A new puzzle, and the solution around which it was made."""

    puzzle: Any
    hidden: Any


class Repairer(Protocol):
    """Change one draft until its hidden solution is the only one."""

    def exclude(self, others: Iterable[Sequence[int]]) -> Candidate | None:
        """Return a puzzle with the same hidden solution that none of the others solves; None if none.

        ``others`` are values of those variables of ``state()`` that the keys after the first name, or of all
        if there is one key. ``state()`` stays the same except for its rules. Those of earlier calls stay
        excluded. The first call may have none.
        """


class Maker(Protocol):
    """Make puzzles of one kind. The same random numbers make the same puzzle, on any machine."""

    @property
    def kind(self) -> str:
        """A description of the puzzles, such as ``puzzle of 10 dominoes``, for error messages."""

    @property
    def advice(self) -> str:
        """What to request instead if no puzzle was found."""

    def make(self, name: str, rng: RandomGenerator) -> Candidate | None:
        """Return a new puzzle; None if the random choices led to none."""

    def tighten(
        self, candidate: Candidate, taken: Mapping[int, Mapping[int, int]], rng: RandomGenerator
    ) -> Candidate | None:
        """Return a puzzle like this one that should have fewer solutions; None to give up.

        ``taken`` holds, for each variable of ``state()``, the number of solutions with each value; it is
        empty if there are too many to count.
        """

    def loosen(self, candidate: Candidate, rng: RandomGenerator) -> Candidate | None:
        """Return a puzzle with the same hidden solution that states less; None if none was found."""

    def repairer(self, candidate: Candidate, rng: RandomGenerator) -> Repairer | None:
        """Return a repairer for a draft that is to be unique; None if it can only be tightened."""
