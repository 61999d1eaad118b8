"""What a puzzle family offers. Everything outside ``puzzles`` speaks to families through this alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol, TypeVar

if TYPE_CHECKING:
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
