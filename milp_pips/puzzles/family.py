"""The interface of a puzzle family. Code outside ``puzzles`` uses families through this interface only."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from milp_pips.problem.plugins import functions_of, lazy

if TYPE_CHECKING:
    from milp_pips.problem.constraint import Assignment, Constraint
    from milp_pips.problem.errors import InputError
    from milp_pips.problem.problem import Problem
    from milp_pips.render.vocabulary import Drawing

__all__ = ["Alternative", "Family", "Format", "JsonPieces", "functions_of", "lazy", "no_pieces"]

P = TypeVar("P")
S = TypeVar("S")


class JsonPieces(NamedTuple):
    """How to build a solution's JSON from pieces of its assignment.

    Parameters
    ----------
    values
        The members of the object that hold values, in ASCII, with the digit 0 for each value.
    places
        The position in ``values`` of each variable's value. All values have one digit.
    name
        The name of the member that lists parts of the solution, such as the dominoes.
    parts
        Returns the parts, as JSON, that follow from a piece of an assignment: pairs (variable, value).
    """

    values: str
    places: Mapping[int, int]
    name: str
    parts: Callable[[Sequence[tuple[int, int]]], Iterable[str]]


class Alternative(NamedTuple):
    """A rule that a puzzle could have, in addition to its own rules or in place of one of them.

    Parameters
    ----------
    rule
        The constraint to add to ``state(puzzle)``. Its label states the rule, such as ``region B: sum 7``.
    replaced
        The constraint of ``state(puzzle)`` that it replaces; None if it replaces none.
    """

    rule: Constraint
    replaced: Constraint | None = None


def no_pieces(_puzzle: Any) -> None:
    """Return None: the solutions of this puzzle are written one by one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Family(Generic[P, S]):
    """A puzzle family: functions on its puzzles ``P`` and their solutions ``S``.

    Parameters
    ----------
    name
        The name of the family: as registered, and as ``family`` on each of its puzzles.
    examples
        First lines or fragments by which a person may recognise its files.
    recognises
        Returns whether a text is certainly meant for this family.
    read
        Takes the text and the name of a file. Returns its puzzles by level, in order. A level that is not
        published is None. If one of several levels cannot be read, its value may be the InputError that gives
        the reason. A file with one puzzle has the single level ``""``. Raises InputError.
    state
        Returns the puzzle as a problem that every engine can solve.
    decode
        Returns the solution that an assignment of ``state(puzzle)`` represents.
    encode
        Returns the values of the variables of ``state(puzzle)`` that the solution fixes.
    check
        Returns the first rule of the game that the solution breaks, or None. Written from the rules of the
        game; shares no code with ``state``.
    draw
        Returns a picture of the solution on the puzzle or, without a solution, of the puzzle. The picture of
        the puzzle gives the position of each variable of ``state(puzzle)`` in ``places``.
    to_json
        Returns the solution as JSON-ready data: ``grid`` or ``values``, and ``dominoes`` if it has any.
    read_solution
        Takes the text and the name of a solution file, either text from ``write_solution`` or JSON. Returns
        the solution. Raises InputError.
    write_solution
        Returns the text of a solution file.
    read_board
        Takes the text and the name of a file with a partly filled board: a solution file with ``?`` in open
        cells. Returns values of the variables of ``state(puzzle)``. Raises InputError, also for a value that
        no solution of any such puzzle could have. None if the family cannot read boards.
    json_pieces
        For puzzles that may have millions of solutions: returns how to write them as JSON without building
        each solution first, or None if that is impossible.
    formats
        Returns the formats in which puzzles are written, by name, the default first. None if the family
        cannot write puzzles.
    variants
        The lines of its files that name a variant, as examples, such as ``diagonals``.
    generator
        Imports and returns the generator of new puzzles, see ``milp_pips.extras.generate.contract``. None for
        a family without one, and for the built-in families, whose generators that package knows.
    alternatives
        Returns rules that the puzzle could have in addition to or in place of its own, the least informative
        first. ``explain`` reports which of them leave one solution. If None, ``explain`` tries exact sums in
        place of bounded ones.
    resembles
        Returns whether a text that no family recognises may belong to this family. If so, ``read`` reads it
        or reports its error. None if ``recognises`` is enough.
    outline
        Returns members for the puzzle's JSON on a page. The member named after the family contains all that
        a page needs to build a board to play on. None if the picture and the possible values of its squares
        are enough.
    plain
        Returns the rules of the puzzle as JSON-ready data, in a form that ``milp_pips.verification.verify``
        reads, so that a certificate rests on nothing else. Its cells are the first variables of
        ``state(puzzle)``. None, for the family or for one puzzle, if there is no such form: certificates then
        rest on our encoding.
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
    variants: tuple[str, ...] = ()
    generator: Callable[[], Any] | None = None
    alternatives: Callable[[P], list[Alternative]] | None = None
    resembles: Callable[[str], bool] | None = None
    outline: Callable[[P], dict[str, Any]] | None = None
    plain: Callable[[P], dict[str, Any] | None] | None = None


class Format(NamedTuple):
    """A file format for puzzles: its file extension, its writer, and whether the text has the solution.

    If ``write`` leaves out the solution printed with a puzzle, ``write_all`` writes it too.
    """

    ending: str
    write: Callable[[Any], str]
    with_solution: bool
    write_all: Callable[[Any], str] | None = None
