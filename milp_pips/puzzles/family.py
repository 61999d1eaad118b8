"""What a puzzle family offers. Everything outside ``puzzles`` speaks to families through this alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

if TYPE_CHECKING:
    from milp_pips.problem.errors import InputError
    from milp_pips.problem.problem import Assignment, Constraint, Problem
    from milp_pips.render.vocabulary import Drawing

P = TypeVar("P")
S = TypeVar("S")


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
    formats
        Returns the formats in which puzzles are written, by name, the default first; None where they are not.
    generator
        Imports and returns what makes new puzzles, see ``milp_pips.extras.generate.contract``; None for a
        family without one, and for the built-in families, whose generators that package knows.
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
    formats: Callable[[], Mapping[str, Format]] | None = None
    generator: Callable[[], Any] | None = None
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


class Format(NamedTuple):
    """How puzzles are written: the ending of a file's name, its text, whether that holds the solution.

    ``write_all`` writes the solution printed with a puzzle, too, where ``write`` leaves it out.
    """

    ending: str
    write: Callable[[Any], str]
    with_solution: bool
    write_all: Callable[[Any], str] | None = None


def __getattr__(name: str) -> Any:
    """Find a name that this module had in version 0.1, with a warning."""
    if name.startswith("__"):
        raise AttributeError(name)
    from milp_pips.problem.moved import find

    return find(__name__, ("puzzles.puzzle", "extras.generate.contract"), name)
