"""What a puzzle family offers. Everything outside ``puzzles`` speaks to families through this alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NamedTuple, Protocol, Self, TypeVar, cast

from milp_pips.asked import require_text
from milp_pips.drawing import print_text
from milp_pips.errors import InputError, UsageError, visible
from milp_pips.puzzles.located import whole_number

if TYPE_CHECKING:
    from milp_pips.chance import Chance
    from milp_pips.drawing import Drawing
    from milp_pips.problem import Assignment, Constraint, Problem

P = TypeVar("P")
S = TypeVar("S")
R = TypeVar("R")


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


class Puzzle:
    """One puzzle of a family: plain frozen data, which the functions of its ``Family`` speak of."""

    __slots__ = ()

    family: ClassVar[str]
    """Name of the family, as registered."""

    if TYPE_CHECKING:

        @property
        def name(self) -> str:
            """What to call this puzzle in reports."""

        @property
        def published(self) -> Any:
            """The solution printed with the puzzle; None if its file had none."""

    _repr_pretty_ = print_text

    @classmethod
    def from_text(cls, text: str, name: str = "", level: str = "") -> Self:
        """Return the puzzle that a text, the content of a file of this family, holds.

        Parameters
        ----------
        text
            The text.
        name
            What to call the puzzle; empty for what the text calls it, or ``puzzle``.
        level
            Which puzzle to take where the text has several, such as ``hard``.

        Raises
        ------
        InputError
            If the text is no such puzzle; it names the line.
        UsageError
            If it has several puzzles and no level was named, or not the one that was.
        """
        from milp_pips.plugins import family

        require_text("the puzzle", text)
        read = family(cls.family).read(text, visible(name or "puzzle"))
        found = {at: puzzle for at, puzzle in read.items() if puzzle is not None and level in ("", at)}
        if len(found) != 1:
            which = f"there is no level {level!r}" if level else f"there are {len(found)} puzzles"
            raise UsageError(f"{which}; name one of the levels {', '.join(map(repr, read))}")
        (puzzle,) = found.values()
        if isinstance(puzzle, InputError):
            raise puzzle
        return cast("Self", replace(puzzle, name=name) if name else puzzle)

    @classmethod
    def from_lines(cls, lines: Iterable[object], name: str) -> Self:
        """Return the puzzle that the lines of a text hold, none of which a person has written.

        Raises InputError, without the number of the line.
        """
        text = [str(line) for line in lines]
        for line in text:
            if not line.strip() or len(line.splitlines()) != 1:
                raise InputError(
                    f"{line!r} cannot stand in a line", name, expected="text without line breaks"
                )
        try:
            return cls.from_text("\n".join(text), name)
        except InputError as error:
            raise InputError(error.what, name, expected=error.expected) from None

    def __str__(self) -> str:
        return str(picture_of(self))

    def _repr_svg_(self) -> str:
        return picture_of(self)._repr_svg_()


def picture_of(puzzle: Puzzle, solution: Any = None) -> Drawing:
    """Return what the puzzle's family draws."""
    from milp_pips.plugins import family_of

    return family_of(puzzle).draw(puzzle, solution)


class DrawnRows(tuple[R, ...]):
    """A solution by rows: a tuple of them that knows its puzzle, so that it can draw itself in a notebook."""

    puzzle: Puzzle

    @classmethod
    def of(cls, puzzle: Puzzle, rows: Iterable[R]) -> Self:
        """Return the rows of a solution of the puzzle."""
        solution = cls(rows)
        solution.puzzle = puzzle
        return solution

    def _repr_svg_(self) -> str:
        return picture_of(self.puzzle, self)._repr_svg_()


class Alternative(NamedTuple):
    """A rule that a puzzle could have, besides its own or in place of one of them.

    Parameters
    ----------
    rule
        The constraint that it would be in ``state(puzzle)``; its label says it, such as ``region B: sum 7``.
    replaced
        The constraint of ``state(puzzle)`` in whose place it comes; None for none.
    """

    rule: Constraint
    replaced: Constraint | None = None


def no_pieces(_puzzle: Any) -> None:
    """Return None: solutions of this puzzle are written one by one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Family(Generic[P, S]):
    """A puzzle family: functions on its puzzles ``P`` and their solutions ``S``.

    Parameters
    ----------
    name
        Name of the family: as registered, and as ``family`` on each of its puzzles.
    examples
        First lines or fragments that a person may recognise its files by.
    recognises
        Whether a text is surely meant for this family.
    read
        Returns the puzzles of a file, given by its text and its name, by level and in order; a level that is
        not published is None, and one of several that cannot be read may be the InputError that says why. A
        file with one puzzle has the single level ``""``. Raises InputError.
    state
        Returns the problem that every engine understands.
    decode
        Returns the solution that an assignment of ``state(puzzle)`` means.
    encode
        Returns the values of the variables of ``state(puzzle)`` that the solution fixes.
    check
        Returns the first rule of the game that the solution breaks, or None. Written from the rules of the
        game; shares no code with ``state``.
    draw
        Returns a picture of the solution on the puzzle or, without one, of the puzzle; the latter says in its
        ``places`` where the variables of ``state(puzzle)`` stand.
    to_json
        Returns the solution as JSON-ready data: ``grid`` or ``values``, and ``dominoes`` if it has any.
    read_solution
        Reads a solution file, given by its text and its name: text as ``write_solution`` makes it, or JSON.
        Raises InputError.
    write_solution
        Returns the text of a solution file.
    read_board
        Reads the file of a board as a player has filled it so far, given by its text and its name: a solution
        file with ``?`` for what is open. Returns values of the variables of ``state(puzzle)``. Raises
        InputError, also where no solution of any such puzzle could have such a value. None where boards
        cannot be read.
    json_pieces
        For puzzles that may have millions of solutions: how these are written as JSON without making each of
        them first; None where that cannot be.
    generator
        Loads and returns how new puzzles are made; None where none can be.
    alternatives
        Returns rules that the puzzle could have besides or in place of its own, the least telling first: of
        these ``explain`` tells which leave one solution. None for sums that are bounded and could be exact.
    resembles
        Whether a text that no family recognises may be one of this family's, so that ``read`` reads it or
        tells what is wrong with it; None where ``recognises`` says all.
    outline
        Returns members for the puzzle's JSON on a page; one named as the family has all that a board to
        play on is built of. None where the picture, and what its squares may hold, will do.
    """

    name: str
    examples: tuple[str, ...]
    recognises: Callable[[str], bool]
    read: Callable[[str, str], Mapping[str, P | InputError | None]]
    state: Callable[[P], Problem]
    decode: Callable[[P, Assignment], S]
    encode: Callable[[P, S], dict[int, int]]
    check: Callable[[P, S], str | None]
    draw: Callable[[P, S | None], Drawing]
    to_json: Callable[[P, S], dict[str, Any]]
    read_solution: Callable[[P, str, str], S]
    write_solution: Callable[[P, S], str]
    read_board: Callable[[P, str, str], dict[int, int]] | None = None
    json_pieces: Callable[[P], JsonPieces | None] = no_pieces
    generator: Callable[[], Generator] | None = None
    alternatives: Callable[[P], list[Alternative]] | None = None
    resembles: Callable[[str], bool] | None = None
    outline: Callable[[P], dict[str, Any]] | None = None


def lazy(where: str) -> Callable[..., Any]:
    """Return a function that stands for the one at ``module:name``, whose module its first call imports.

    Where no name is given, the function returns the module: such as a generator.
    """
    module, _, name = where.partition(":")
    if not name:
        return lambda: import_module(module)
    found: Callable[..., Any] | None = None  # a list of solutions asks for it millions of times

    def call(*arguments: Any) -> Any:
        nonlocal found
        if found is None:
            found = getattr(import_module(module), name)
        return found(*arguments)

    return call


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


class Format(NamedTuple):
    """How puzzles are written: the ending of a file's name, its text, whether that holds the solution.

    ``write_all`` writes the solution printed with a puzzle, too, where ``write`` leaves it out.
    """

    ending: str
    write: Callable[[Any], str]
    with_solution: bool
    write_all: Callable[[Any], str] | None = None


class Generator(Protocol):
    """How new puzzles of a family are made; a module with these names will do."""

    options: Sequence[Option]
    """What one can ask for."""

    formats: Mapping[str, Format]
    """By name; the first is the usual one."""

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
    """Makes puzzles of one kind. The same numbers from ``chance`` make the same puzzle, on any machine."""

    @property
    def asked(self) -> str:
        """What is made, such as ``puzzle of 10 dominoes``: for a refusal."""

    @property
    def advice(self) -> str:
        """What to ask for instead where none comes out."""

    def make(self, name: str, chance: Chance) -> Candidate | None:
        """Return a new puzzle; None where chance had no luck."""

    def tighten(
        self, candidate: Candidate, taken: Mapping[int, Mapping[int, int]], chance: Chance
    ) -> Candidate | None:
        """Return a puzzle like this one that, if all goes well, has fewer solutions; None to give up.

        ``taken`` tells for each variable of ``state()`` in how many solutions it takes each value; it is
        empty where there are too many to count.
        """

    def loosen(self, candidate: Candidate, chance: Chance) -> Candidate | None:
        """Return a puzzle with the same hidden solution that says less; None where none comes to mind."""

    def repairer(self, candidate: Candidate, chance: Chance) -> Repairer | None:
        """Return what repairs a draft that is to be unique; None where it can only be tightened."""
