"""The interfaces by which a family generates puzzles."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from milp_pips.problem import UsageError
from milp_pips.puzzles.located import whole_number

if TYPE_CHECKING:
    from milp_pips.problem.rng import RandomGenerator

__all__ = ["Candidate", "Generator", "Maker", "Option", "Repairer", "choice_option", "number_option"]


class Option(NamedTuple):
    """An option for new puzzles: ``region_sizes`` is ``--region-sizes`` on the command line.

    ``read`` converts its text to a value, and raises UsageError. If the option ``names_a_file``, ``read``
    gets the text of the file and the file's name, and raises InputError.
    """

    name: str
    metavar: str
    help: str
    read: Callable[..., Any]
    names_a_file: bool = False


def number_option(name: str, help: str, low: int, high: int) -> Option:
    """Return an option for a whole number from ``low`` to ``high``."""

    def read(text: str) -> int:
        number = whole_number(text.strip())
        if number is None or not low <= number <= high:
            raise UsageError(
                f"--{name.replace('_', '-')}: {text!r} is not a whole number from {low} to {high}"
            )
        return number

    return Option(name, "N", help, read)


def choice_option(name: str, help: str, choices: tuple[str, str]) -> Option:
    """Return an option for one of two words."""

    def read(text: str) -> str:
        if text not in choices:
            raise UsageError(f"--{name}: {text!r} is neither {' nor '.join(choices)}")
        return text

    return Option(name, "KIND", help, read)


class Generator(Protocol):
    """The generator of a family; a module with these names is enough."""

    options: Sequence[Option]
    """The options of new puzzles."""

    of_grade: Mapping[str, Mapping[str, Any]]
    """By grade, the values of options that are not given."""

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

        ``others`` are values by variable of ``state()``, which stays the same except for its rules. Those of
        earlier calls stay excluded. The first call may have none.
        """


class Maker(Protocol):
    """Make puzzles of one kind. The same random numbers make the same puzzle, on any machine."""

    @property
    def asked(self) -> str:
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
