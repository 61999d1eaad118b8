"""What makes new puzzles of a family."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from milp_pips.problem.errors import UsageError
from milp_pips.puzzles.located import whole_number

if TYPE_CHECKING:
    from milp_pips.problem.rng import RandomGenerator


class Option(NamedTuple):
    """Something that one can ask of new puzzles: ``region_sizes`` is ``--region-sizes`` at the command line.

    ``read`` makes the value of its text, and raises UsageError; of an option with ``names_a_file``, ``read``
    gets the text of the file and the file's name, and raises InputError.
    """

    name: str
    metavar: str
    help: str
    read: Callable[..., Any]
    names_a_file: bool = False


def number_option(name: str, help: str, low: int, high: int) -> Option:
    """Return the option of a whole number from ``low`` to ``high``."""

    def read(text: str) -> int:
        number = whole_number(text.strip())
        if number is None or not low <= number <= high:
            raise UsageError(f"--{name.replace('_', '-')}: {text!r} is no whole number from {low} to {high}")
        return number

    return Option(name, "N", help, read)


def choice_option(name: str, help: str, choices: tuple[str, str]) -> Option:
    """Return the option of one of two words."""

    def read(text: str) -> str:
        if text not in choices:
            raise UsageError(f"--{name}: {text!r} is neither {' nor '.join(choices)}")
        return text

    return Option(name, "KIND", help, read)


class Generator(Protocol):
    """How new puzzles of a family are made; a module with these names will do."""

    options: Sequence[Option]
    """What one can ask for."""

    of_grade: Mapping[str, Mapping[str, Any]]
    """By grade, values of options that such puzzles have where nothing is asked for."""

    def maker(self, wanted: Mapping[str, Any]) -> Maker:
        """Return how puzzles with the wanted values of the options are made; an option may be left out.

        Raises UsageError, in one line, where no puzzle can be so.
        """


class Candidate(NamedTuple):
    """A new puzzle, and the solution around which it was made."""

    puzzle: Any
    hidden: Any


class Repairer(Protocol):
    """Changes one draft until its hidden solution is the only one."""

    def exclude(self, others: Iterable[Sequence[int]]) -> Candidate | None:
        """Return a puzzle with the same hidden solution, which none of the others solves; None in vain.

        ``others`` are values by variable of ``state()``, which stays the same but for its rules; those of
        earlier calls stay excluded. The first call may have none.
        """


class Maker(Protocol):
    """Makes puzzles of one kind. The same numbers from ``rng`` make the same puzzle, on any machine."""

    @property
    def asked(self) -> str:
        """What is made, such as ``puzzle of 10 dominoes``: for a refusal."""

    @property
    def advice(self) -> str:
        """What to ask for instead where none comes out."""

    def make(self, name: str, rng: RandomGenerator) -> Candidate | None:
        """Return a new puzzle; None where chance had no luck."""

    def tighten(
        self, candidate: Candidate, taken: Mapping[int, Mapping[int, int]], rng: RandomGenerator
    ) -> Candidate | None:
        """Return a puzzle like this one that, if all goes well, has fewer solutions; None to give up.

        ``taken`` tells for each variable of ``state()`` in how many solutions it takes each value; it is
        empty where there are too many to count.
        """

    def loosen(self, candidate: Candidate, rng: RandomGenerator) -> Candidate | None:
        """Return a puzzle with the same hidden solution that says less; None where none comes to mind."""

    def repairer(self, candidate: Candidate, rng: RandomGenerator) -> Repairer | None:
        """Return what repairs a draft that is to be unique; None where it can only be tightened."""
