"""The families of puzzles: their interface, and the families by name.

Code outside ``puzzles`` uses families through this interface only. Their names are built in or come from
entry points.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, replace
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, TypeVar, cast

from milp_pips.problem import plugins
from milp_pips.problem.errors import FamilyFault, UsageError
from milp_pips.problem.plugins import PluginErrors, all_text, functions_of, kind_of, lazy, load

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


# The families by name.

FAMILY_GROUP = "milp_pips.puzzles"
"""Entry-point group of families."""

FAMILIES = {
    "pips": "milp_pips.puzzles.pips:FAMILY",
    "sudoku": "milp_pips.puzzles.sudoku:FAMILY",
    "colour-grid": "milp_pips.puzzles.colour_grid:FAMILY",
    "linear-model": "milp_pips.puzzles.linear:FAMILY",
}
MORE_FAMILIES = {
    name: f"milp_pips.extras.families.{name.replace('-', '_')}:FAMILY"
    for name in ("kakuro", "star-battle", "skyscrapers", "binairo", "slitherlink")
}
"""Families of ``extras``, which may be absent. Their files start with the name, and no other is loaded."""
WITHOUT_FILES = {"problem": "milp_pips.puzzles.bare:FAMILY"}
"""Families without files. They are not offered as a choice."""

ENDINGS = dict.fromkeys((".mps", ".lp", ".opb", ".cnf"), "linear-model")
"""The endings of files that decide on the family, whatever the text is; ``.gz`` may follow."""


class HasFamily(Protocol):
    """Any object with the name of a family, such as a puzzle."""

    @property
    def family(self) -> str:
        """The name of its family."""


def names() -> dict[str, str]:
    """Return the location of each family by name, the built-in families first."""
    return plugins.names(FAMILY_GROUP, _built_in())


def _built_in() -> dict[str, str]:
    """Return the location of each built-in family, those of ``extras`` only if these are installed."""
    return FAMILIES | (MORE_FAMILIES if find_spec(plugins.EXTRAS_PACKAGE) else {})


def family_named_in(text: str) -> Family[Any, Any] | None:
    """Return the family of ``extras`` whose name is the first word of the text, or None."""
    word = text.removeprefix("\ufeff").lstrip()[:40].split(maxsplit=1)[:1]
    return family(word[0]) if word and word[0] in MORE_FAMILIES and word[0] in _built_in() else None


def family_by_ending(file: str) -> Family[Any, Any] | None:
    """Return the family that the ending of a file decides on, or None."""
    name = file.lower().removesuffix(".gz")
    return next((family(named) for ending, named in ENDINGS.items() if name.endswith(ending)), None)


@cache
def family(name: str) -> Family[Any, Any]:
    """Return the family of this name. Raises UsageError if there is none, or it is faulty."""
    return family_at(WITHOUT_FILES.get(name) or plugins.location(name, _built_in(), names, "puzzle family"))


def family_at(where: str) -> Family[Any, Any]:
    """Return the family at this location. Raises UsageError if the object there is not a family."""
    found = load(where)
    with PluginErrors(f"the plugin {where} is not a family", UsageError):
        fault = _fault_of_family(found)
    if fault:
        raise UsageError(f"the plugin {where} is not a family: {fault}")
    return cast(
        "Family[Any, Any]",
        found if where in {*FAMILIES.values(), *MORE_FAMILIES.values()} else _guarded(found),
    )


def _fault_of_family(family: Any) -> str:
    """Return what is wrong with the data of a family, or an empty string."""
    if not isinstance(family, Family):
        what = f"the class {family.__name__}" if isinstance(family, type) else kind_of(family)
        return f"it is {what}, not a milp_pips.puzzles.family.Family"
    data = {field.name: getattr(family, field.name) for field in fields(Family)}
    missing = [f.name for f in fields(Family) if f.default is MISSING and data[f.name] is None]
    if missing:
        return f"it has no {', no '.join(missing)}"
    name, texts = data.pop("name"), {each: data.pop(each) for each in ("examples", "variants")}
    if not isinstance(name, str):
        return f"its name is {kind_of(name)}"
    for each, given in texts.items():
        if not isinstance(given, tuple) or not all_text(given):
            return f"its {each} are not a tuple of strings"
    for name, function in data.items():
        if not callable(function or callable):
            return f"its {name} is not a function"
    return ""


def _guarded(family: Any) -> Any:
    """Return the plugin family, with every function wrapped so that an error in it blames the family."""

    def guard(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any) -> Any:
            with PluginErrors(f"the family {family.name} failed in {name}", FamilyFault):
                value = function(*arguments)
            wrong = name in RETURN_TYPES and type(value).__name__ not in RETURN_TYPES[name]
            if wrong or (name == "read" and not isinstance(value, Mapping)):
                raise FamilyFault(f"the family {family.name} failed in {name}: it returned {kind_of(value)}")
            return value

        return call

    functions = {f.name: getattr(family, f.name) for f in fields(family)}
    calls = {name: guard(name, value) for name, value in functions.items() if callable(value)}
    return replace(family, **calls)


RETURN_TYPES = {
    "state": ("Problem",),
    "check": ("str", "NoneType"),
    "draw": ("Drawing",),
    "encode": ("dict",),
    "read_board": ("dict",),
    "alternatives": ("list",),
    "to_json": ("dict",),
    "write_solution": ("str",),
}
"""Return types that are checked, by function: a wrong type there would be noticed only late."""


def family_of(puzzle: HasFamily) -> Family[Any, Any]:
    """Return the family of the puzzle. Raises UsageError."""
    return family(puzzle.family)


def families() -> Iterator[Family[Any, Any]]:
    """Yield all families, those of the core first. Skip a family that cannot be loaded, with a warning."""
    yield from map(family, FAMILIES)
    for name, where in names().items():  # the others are searched only if the caller continues
        if name not in FAMILIES:
            try:
                yield family_at(where)
            except UsageError as error:
                warnings.warn(str(error), stacklevel=2)
