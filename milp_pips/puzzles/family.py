"""What a puzzle family offers. Everything outside ``puzzles`` speaks to families through this alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol, TypeVar

if TYPE_CHECKING:
    from milp_pips.chance import Chance
    from milp_pips.drawing import Drawing
    from milp_pips.problem import Assignment, Problem

Solution = TypeVar("Solution")


class JsonPieces(NamedTuple):
    """How a solution's JSON is put together from pieces of its assignment.

    Parameters
    ----------
    values
        The members of the object that hold values, in ASCII, with the digit 0 for each value.
    places
        Where in ``values`` the value of each variable stands; all values have one digit.
    name
        The member that lists parts of the solution, such as the dominoes.
    parts
        Returns the parts, as JSON, that a piece of an assignment, pairs (variable, value), says.
    """

    values: str
    places: Mapping[int, int]
    name: str
    parts: Callable[[Sequence[tuple[int, int]]], Iterable[str]]


class Puzzle(Protocol[Solution]):
    """One puzzle of a family; immutable.

    A puzzle that may have millions of solutions can offer a method ``json_pieces() -> JsonPieces | None`` as
    well: then they are written as JSON without making each of them first.
    """

    family: ClassVar[str]
    """Name of the family, as registered."""

    @property
    def name(self) -> str:
        """What to call this puzzle in reports."""

    @property
    def published(self) -> Solution | None:
        """The solution printed with the puzzle, if its file had one."""

    def state(self) -> Problem:
        """Return the problem that every engine understands."""

    def decode(self, assignment: Assignment) -> Solution:
        """Return the solution that an assignment of ``state()`` means."""

    def encode(self, solution: Solution) -> dict[int, int]:
        """Return the values of the variables of ``state()`` that the solution fixes."""

    def check(self, solution: Solution) -> str | None:
        """Return the first rule of the game that the solution breaks, or None.

        Written from the rules of the game; shares no code with ``state``.
        """

    def draw(self, solution: Solution | None = None) -> Drawing:
        """Return a picture of the puzzle, or of the solution on it."""

    def solution_to_json(self, solution: Solution) -> dict[str, Any]:
        """Return the solution as JSON-ready data: ``grid`` or ``values``, and ``dominoes`` if it has any."""

    def read_solution(self, text: str, file: str) -> Solution:
        """Read a solution file: text as ``write_solution`` makes it, or JSON. Raises InputError."""

    def write_solution(self, solution: Solution) -> str:
        """Return the text of a solution file."""


class Family(Protocol):
    """How a family is found and read; a module with these names will do."""

    name: str
    """Name of the family, as registered."""

    examples: Sequence[str]
    """First lines or fragments that a person may recognise its files by."""

    def recognises(self, text: str) -> bool:
        """Whether the text looks like a puzzle of this family."""

    def read(self, text: str, file: str) -> Mapping[str, Puzzle[Any] | None]:
        """Return the puzzles of a file by level, in order; a level that is not published is None.

        A file with one puzzle has the single level ``""``. Raises InputError.
        """


class GeneratingFamily(Family, Protocol):
    """A family of which new puzzles can be made has one name more."""

    def generator(self) -> Generator:
        """Return how they are made; only now is that loaded."""


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


class Format(NamedTuple):
    """How puzzles are written: the ending of a file's name, its text, whether that holds the solution."""

    ending: str
    write: Callable[[Any], str]
    with_solution: bool


class Generator(Protocol):
    """How new puzzles of a family are made; a module with these names will do."""

    options: Sequence[Option]
    """What one can ask for."""

    formats: Mapping[str, Format]
    """By name; the first is the usual one."""

    def maker(self, wanted: Mapping[str, Any]) -> Maker:
        """Return how puzzles with the wanted values of the options are made; an option may be left out.

        Raises UsageError, in one line, where no puzzle can be so.
        """


class Drawn(NamedTuple):
    """A new puzzle, and the solution around which it was made."""

    puzzle: Any
    hidden: Any


class Maker(Protocol):
    """Makes puzzles of one kind. The same numbers from ``chance`` make the same puzzle, on any machine."""

    def draw(self, name: str, chance: Chance) -> Drawn | None:
        """Return a new puzzle; None where chance had no luck."""

    def tightened(self, drawn: Drawn, taken: Mapping[int, Mapping[int, int]], chance: Chance) -> Drawn | None:
        """Return a puzzle like this one that, if all goes well, has fewer solutions; None to give up.

        ``taken`` tells for each variable of ``state()`` in how many solutions it takes each value; it is
        empty where there are too many to count.
        """

    def loosened(self, drawn: Drawn, chance: Chance) -> Drawn | None:
        """Return a puzzle with the same hidden solution that says less; None where none comes to mind."""
