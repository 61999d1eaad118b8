"""The base class of all puzzles, and boards that a player has filled in part."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeAlias, TypeVar, cast

from milp_pips.constraints.domino_cover import covers_of, partners_of
from milp_pips.problem.answer import ShownAsText
from milp_pips.problem.errors import InputError, UsageError, unknown_name, visible
from milp_pips.problem.fields import shown
from milp_pips.problem.parameters import TEXT
from milp_pips.problem.problem import Problem
from milp_pips.puzzles.family import family, family_of
from milp_pips.render.vocabulary import Drawing

__all__ = [
    "Board",
    "DrawnRows",
    "Puzzle",
    "known_key",
    "moves_on",
    "open_cells",
    "picture_of",
    "times",
    "with_board",
]

if TYPE_CHECKING:
    from milp_pips.formulations.linear_problem import LinearProblem
    from milp_pips.formulations.model import Model

R = TypeVar("R")


class Puzzle(ShownAsText):
    """One puzzle of a family: plain frozen data. The functions of its ``Family`` work on it."""

    __slots__ = ()

    family: ClassVar[str]
    """Name of the family, as registered."""

    is_model: ClassVar[bool] = False
    """Whether it is a linear model, see ``as_linear``."""

    if TYPE_CHECKING:

        @property
        def name(self) -> str:
            """The name of this puzzle in reports."""

        @property
        def published(self) -> Any:
            """The solution printed with the puzzle; None if its file had none."""

    def choosing(self, over: Any) -> Puzzle:  # noqa: ARG002
        """Return the model with other columns in which solutions differ. Raises UsageError for a puzzle."""
        raise UsageError(f"{self.name} has no columns to choose: over is for linear models; see distinct")

    def bounded(self, tighter: Callable[[Model], Model]) -> Puzzle:  # noqa: ARG002
        """Return the same model with bounds of integer columns from a function; a puzzle has all bounds."""
        return self

    def linear(self) -> LinearProblem | None:
        """Return the linear problem that states it if no ``Problem`` can; None for all but some models."""
        return None

    def as_linear(self) -> LinearProblem:
        """Return the model as a linear problem, even if a ``Problem`` can state it. Raises UsageError."""
        raise UsageError(f"{self.name} is no linear model: the method tree lists those of MPS and LP files")

    def whole(self) -> Puzzle:
        """Return the same puzzle, of which a solution shows all that it has."""
        return self

    def remark_on_several(self, remark: str) -> str:
        """Return a remark on several solutions; it adds that the link could not mark a variant, if so."""
        if not getattr(self, "is_unmarked", False) or "diagonals" not in family(self.family).variants:
            return remark  # the variants of other families have fewer rules
        return "; ".join(filter(None, [remark, "the link marks no variant, such as --variant diagonals"]))

    @classmethod
    def from_text(cls, text: str, name: str = "", level: str = "") -> Self:
        """Return the puzzle in a text, which is the content of a file of this family.

        Parameters
        ----------
        text
            The text.
        name
            The name of the puzzle. If empty, the name in the text, or ``puzzle`` if the text has none.
        level
            Which puzzle to take if the text has several, such as ``hard``.

        Raises
        ------
        InputError
            If the text is not a puzzle of this family. The error names the line.
        UsageError
            If the text has several puzzles and ``level`` is empty, or has no puzzle of that level.
        """
        TEXT.check("the puzzle", text)
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
        """Return the puzzle in these lines of text, which a program has made.

        Raises InputError. The error has no line number, since the user has not written the lines.
        """
        text = [str(line) for line in lines]
        for line in text:
            if not line.strip() or len(line.splitlines()) != 1:
                raise InputError(
                    f"{line!r} is not a line of text", name, expected="text without line breaks, not blank"
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
    """Return the picture of the puzzle, or of the solution on it, as its family draws it."""
    return family_of(puzzle).draw(puzzle, solution)


def times(n: int) -> str:
    """Return how often something occurs, in words, such as ``twice``."""
    words = ("never", "once", "twice", "three times", "four times", "five times", "six times")
    return words[n] if n < len(words) else f"{n} times"


class DrawnRows(tuple[R, ...]):
    """A solution as a tuple of rows. It knows its puzzle, so that it can draw itself in a notebook."""

    puzzle: Puzzle

    @classmethod
    def of(cls, puzzle: Puzzle, rows: Iterable[R]) -> Self:
        """Return the rows of a solution of the puzzle."""
        solution = cls(rows)
        solution.puzzle = puzzle
        return solution

    def _repr_svg_(self) -> str:
        return picture_of(self.puzzle, self)._repr_svg_()


# Boards that a player has filled in part.

Board: TypeAlias = Mapping[Any, Any]
"""A board: the values of the filled cells. A key is the cell's name or the position of its variable.

A value is a number or, if the puzzle has symbols, a symbol. ``read_board`` reads a board from a file.
"""


def moves_on(problem: Problem, board: Board | None) -> dict[int, int]:
    """Return the values that the player filled in, by variable. Givens are left out.

    A domino gives one entry: the partner of its first cell. Raises UsageError for a cell that the puzzle does
    not have or a value that the cell cannot have, and TypeError if the board is not a mapping.
    """
    if not isinstance(board, Mapping | None):
        raise TypeError(f"a board gives cells their values, such as {{'r1c1': 3}}; this is {shown(board)}")
    variables, moves = problem.variables, dict[int, int]()
    number = {variable.name: v for v, variable in enumerate(variables)}
    covers = {v: cover for cover in covers_of(problem.constraints) for v in cover.partners}
    for cell, symbol in (board or {}).items():
        v = number.get(cell, cell)
        if not isinstance(v, int) or not 0 <= v < len(variables) or v in problem.auxiliary:
            raise UsageError(f"the board has no cell {cell!r}")
        symbols = {text: value for value, text in problem.value_names.get(v, {}).items()}
        value, (name, domain) = symbols.get(symbol, symbol), variables[v]
        if value not in domain:
            raise UsageError(
                f"{name} cannot be {symbol}, only {', '.join(problem.written(x, v) for x in domain)}"
            )
        if v in covers:  # state a domino once, through its first cell
            partners = covers[v].partners
            i = partners.index(v)
            moves[partners[min(i, value)]] = max(i, value)
        elif len(domain) > 1:
            moves[v] = value
    return moves


def with_board(problem: Problem, board: Board | None) -> Problem:
    """Return the problem restricted to the solutions that agree with the board. Raises UsageError."""
    return problem.restricted({v: (value,) for v, value in moves_on(problem, board).items()})


def open_cells(problem: Problem, board: Board) -> list[str]:
    """Return the names of the cells to which neither the puzzle nor the board gives a value."""
    filled = moves_on(problem, board)
    hidden = partners_of(problem.constraints) | {*problem.auxiliary}
    return [
        name
        for v, (name, domain) in enumerate(problem.variables)
        if v not in filled and v not in hidden and len(domain) > 1
    ]


def known_key(problem: Problem, key: str) -> str:
    """Return the key, or the first key for the empty text. Raises UsageError for an unknown key."""
    if key and key not in problem.keys:
        raise unknown_name("key", key, problem.keys)
    return key or next(iter(problem.keys))
