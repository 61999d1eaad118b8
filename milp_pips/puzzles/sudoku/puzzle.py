"""Sudoku: fill the board so that every row, column and region has the same symbols.

The rules are implemented twice: ``state`` encodes them for engines; ``check`` follows the rules of the game.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any, ClassVar, NamedTuple, TypeAlias

from milp_pips.constraints import AllDifferent, Cardinality, LinearSum, Relation
from milp_pips.problem.constraint import Assignment, Constraint
from milp_pips.problem.errors import InputError
from milp_pips.problem.fields import (
    MAX_NUMBER,
    as_tuple,
    refused_as_input,
    require_text,
    rows_of_numbers,
    set_field,
    set_tuples,
    shown,
    whole_between,
)
from milp_pips.problem.problem import Problem, Variable
from milp_pips.puzzles.drawn import EMPTY_CELL, cell_name
from milp_pips.puzzles.located import quoted, whole_number
from milp_pips.puzzles.puzzle import DrawnRows, Puzzle, times
from milp_pips.render.vocabulary import Drawing, Grid, Note, Place, Square, borders, distinct_colours

COMMENT = "#"
KEYWORDS = ("boxes", "diagonals", "regions", "symbols", "givens", "cages", "groups", "solution")
"""The words with which a section of a file may begin."""
LONGEST_WORD = 20
"""The most characters of a symbol or a label. A file with longer ones is noise or a mistake."""

Rows: TypeAlias = tuple[tuple[str, ...], ...]
"""The symbols of a board, row by row. An empty string is an empty cell; a solution has none."""


class Region(NamedTuple):
    """Cells that have the same symbols as a row. ``name`` is the player's name for it, such as ``box 3``."""

    name: str
    cells: tuple[Place, ...]


class Cage(NamedTuple):
    """Cells whose numbers add up to the total."""

    label: str
    cells: tuple[Place, ...]
    total: int

    @property
    def name(self) -> str:
        """What a player calls it."""
        return f"cage {self.label}"

    def __str__(self) -> str:
        return f"{self.name}: sum {self.total}"


class Group(NamedTuple):
    """An extra group of cells.

    The cells have exactly the symbols in ``holds``, each as often as it is listed. If ``holds`` is None, no
    symbol may occur more often than in a row.
    """

    label: str
    cells: tuple[Place, ...]
    holds: tuple[str, ...] | None = None

    @property
    def name(self) -> str:
        """What a player calls it."""
        return f"group {self.label}"


@dataclass(frozen=True, slots=True)
class Sudoku(Puzzle):
    """A Sudoku on a square board.

    Parameters
    ----------
    name
        The name of the puzzle.
    holds
        The symbols of every row, column and region, each as often as it occurs there. The board has as many
        rows as there are symbols.
    givens
        The symbols that are printed on the board.
    regions
        Boxes or jigsaw pieces, each with as many cells as a row.
    cages
        The cages of a killer Sudoku. No cell is in two cages.
    repeats
        Whether a number may occur twice in a cage.
    groups
        Extra groups of cells, such as diagonals. They may overlap.
    published
        The solution printed with it, if any.
    is_unmarked
        Whether it comes from a link in which no variant is marked.
    """

    family: ClassVar[str] = "sudoku"

    name: str
    holds: tuple[str, ...]
    givens: Rows
    regions: tuple[Region, ...] = ()
    cages: tuple[Cage, ...] = ()
    repeats: bool = False
    groups: tuple[Group, ...] = ()
    published: Rows | None = field(default=None, compare=False)
    is_unmarked: bool = field(default=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        with refused_as_input():
            self._check_types()
        if fault := next(_faults(self), None):
            raise InputError(fault)

    def _check_types(self) -> None:
        """Turn lists into tuples. Raises TypeError or ValueError for a value of a wrong type."""
        require_text("a Sudoku", "name", self.name)
        set_tuples("a Sudoku", self, "holds", "givens", "regions", "cages", "groups")
        boards = {"givens": self.givens, "published": () if self.published is None else self.published}
        for name, rows in boards.items():
            read = tuple([as_tuple("a Sudoku", f"rows of the {name}", row) for row in rows])
            if read:
                set_field(self, name, rows if isinstance(rows, DrawnRows) else read)
            for word in (word for row in read for word in row):
                require_text("a Sudoku", f"symbol in the {name}", word)
        for word in self.holds:
            require_text("a Sudoku", "symbol in holds", word)
        for name, kind in (("regions", Region), ("cages", Cage), ("groups", Group)):
            areas = tuple([_checked(area, kind) for area in getattr(self, name)])
            set_field(self, name, areas)
        if not isinstance(self.repeats, bool):
            raise TypeError(f"repeats of a Sudoku is True or False, not {shown(self.repeats)}")

    @classmethod
    def from_rows(
        cls,
        rows: Sequence[str | Sequence[str | int]],
        regions: Sequence[str | Sequence[str]] = (),
        cages: Sequence[str | Sequence[str]] = (),
        sums: Mapping[str, int] | None = None,
        name: str = "puzzle",
    ) -> Sudoku:
        """Return the Sudoku with the symbols 1, 2, 3… whose givens are drawn row by row.

        A row is a string with a character per cell, or a sequence of symbols. ``.`` or 0 is an empty cell.
        ``regions`` has rows of labels, in place of the usual boxes. ``cages`` has rows of labels too, with
        ``.`` for a cell in no cage; ``sums`` has the sum of each cage. ``from_text`` reads everything that
        the file format allows. Raises InputError.
        """
        drawn = {"regions": regions, "cages": cages, "givens": rows}
        lines = ["sudoku"]
        for keyword, board in drawn.items():
            lines += [keyword, *(" ".join(map(str, row)) for row in board)] if board else []
            if keyword == "cages":
                lines += [f"{label} {total}" for label, total in (sums or {}).items()]
        return cls.from_lines(lines, name)

    @property
    def variants(self) -> tuple[str, ...]:
        """The lines of variants in its file."""
        return ("diagonals",) if self.groups else ()

    @property
    def size(self) -> int:
        """The number of rows, of columns, and of cells in each of them."""
        return len(self.holds)

    @property
    def cells(self) -> tuple[Place, ...]:
        """All cells in reading order."""
        return tuple((r, c) for r in range(self.size) for c in range(self.size))


def _faults(puzzle: Sudoku) -> Iterator[str]:
    """Yield what is wrong with the size of the board, with symbols and labels, and with the areas."""
    n = puzzle.size
    areas: list[Region | Cage | Group] = [*puzzle.regions, *puzzle.cages, *puzzle.groups]
    if len(puzzle.givens) != n or any(len(row) != n for row in puzzle.givens):
        yield f"the board is not {n} rows of {n} cells, as many as a row holds symbols"
    labels = [cage.label for cage in puzzle.cages] + [group.label for group in puzzle.groups]
    yield from filter(None, map(why_unwritable, (*puzzle.holds, *labels)))
    used = [given for row in puzzle.givens for given in row if given]
    used += [symbol for group in puzzle.groups for symbol in group.holds or ()]
    yield from (f"{word} is not a symbol of this puzzle" for word in used if word not in puzzle.holds)
    names = Counter(area.name for area in areas)
    yield from (f"there are two areas with the name {name}" for name, times in names.items() if times > 1)
    board = set(puzzle.cells)
    for area in areas:
        if not area.cells or len(set(area.cells)) != len(area.cells) or not board.issuperset(area.cells):
            yield f"{area.name} has no cell, one off the board, or one named twice"
    for region in puzzle.regions:
        if len(region.cells) != n:
            yield f"{region.name} has {len(region.cells)} cells, a row has {n}"
    for group in puzzle.groups:
        if group.holds is not None and len(group.cells) != len(group.holds):
            yield f"{group.name} holds {len(group.holds)} symbols in {len(group.cells)} cells"
    for kind in (Region, Cage):
        cells = [cell for area in areas if type(area) is kind for cell in area.cells]
        if len(set(cells)) < len(cells):
            yield "a cell is in two regions, or in two cages"
    words = [symbol for symbol in puzzle.holds if number_of(symbol) is None]
    if puzzle.cages and words:
        yield f"cages add up numbers, but the symbol {words[0]} is not a number"


def _checked(area: Any, kind: type[Any]) -> Any:
    """Return a region, cage or group; its lists become tuples. Raises TypeError or ValueError."""
    if not isinstance(area, kind):
        raise TypeError(f"the {kind.__name__.lower()}s of a Sudoku are {kind.__name__}s, not {shown(area)}")
    require_text(f"a {kind.__name__.lower()}", "name", area[0])
    area = area._replace(cells=rows_of_numbers(area.name, "cells", area.cells, 2))
    if kind is Cage:
        area = area._replace(total=whole_between(area.name, "total", area.total, -MAX_NUMBER, MAX_NUMBER))
    if kind is Group and area.holds is not None:
        area = area._replace(holds=as_tuple(area.name, "symbols", area.holds))
        for word in area.holds:
            require_text(area.name, "symbol", word)
    return area


def boxes(size: int, height: int, width: int) -> tuple[Region, ...]:
    """Return the boxes of this height and width, numbered in reading order.

    Return no boxes if each would be a row or a column, which have their own constraints.
    """
    if 1 in (height, width):
        return ()
    corners = ((top, left) for top in range(0, size, height) for left in range(0, size, width))
    return tuple(
        Region(f"box {number}", tuple((top + r, left + c) for r in range(height) for c in range(width)))
        for number, (top, left) in enumerate(corners, 1)
    )


def usual_boxes(size: int) -> tuple[int, int]:
    """Return the default height and width of the boxes on a board of this size.

    They are as square as possible, and wide rather than high: 3 × 3 for 9, 2 × 3 for 6.
    """
    height = max(h for h in range(1, size + 1) if size % h == 0 and h * h <= size)
    return height, size // height


def number_of(symbol: str) -> int | None:
    """Return the symbol as a number, or None if it is not a number in the usual notation."""
    number = whole_number(symbol)
    return number if str(number) == symbol else None


def codes(symbols: Iterable[str]) -> dict[str, int]:
    """Return the code of each symbol, in the order of their first occurrence.

    The code of a number is the number. The other symbols get the numbers after the largest one.
    """
    found = {symbol: number_of(symbol) for symbol in symbols}
    fresh = count(1 + max((number for number in found.values() if number is not None), default=0))
    return {symbol: next(fresh) if number is None else number for symbol, number in found.items()}


def usual_symbols(size: int) -> tuple[str, ...]:
    """Return the default symbols of a board of this size: 1, 2, 3 and so on."""
    return tuple(map(str, range(1, size + 1)))


def why_unwritable(word: str) -> str:
    """Return why the word cannot be a symbol or a label, or an empty string if it can.

    A symbol or a label must be visible, and must differ from the other parts of a file.
    """
    if not word or not word.isprintable() or len(word.split()) != 1 or len(word) > LONGEST_WORD:
        reason = f"these have 1 to {LONGEST_WORD} visible characters"
    elif word == EMPTY_CELL or "…" in word:
        reason = "a dot marks an empty place"
    elif word.startswith(COMMENT):
        reason = f"'{COMMENT}' begins a comment"
    elif word.lower() in KEYWORDS:
        reason = "it begins a section"
    else:
        return ""
    return f"{quoted(word)} cannot be a symbol or a label: {reason}"


def state(puzzle: Sudoku) -> Problem:
    """Return the puzzle as a problem: a variable per cell in reading order, with the code of its symbol.

    A given is its cell's only value. The only key is ``grid``: all cells.
    """
    code = codes(puzzle.holds)
    values = tuple(sorted(code.values()))
    givens = (given for row in puzzle.givens for given in row)
    cells = tuple(range(puzzle.size**2))
    symbols = {value: symbol for symbol, value in code.items() if str(value) != symbol}
    return Problem(
        tuple(
            Variable(cell_name(cell), (code[given],) if given else values)
            for cell, given in zip(puzzle.cells, givens, strict=True)
        ),
        tuple(_constraints(puzzle, code)),
        {"grid": cells},
        dict.fromkeys(cells, symbols) if symbols else {},
    )


def _constraints(puzzle: Sudoku, code: Mapping[str, int]) -> Iterator[Constraint]:
    n = puzzle.size
    often = Counter(code[symbol] for symbol in puzzle.holds)
    exactly = {value: (times, times) for value, times in often.items()}
    for i in range(n):
        yield _occurrence_constraint(tuple(range(n * i, n * i + n)), exactly, f"row {i + 1}")
    for i in range(n):
        yield _occurrence_constraint(tuple(range(i, n * n, n)), exactly, f"column {i + 1}")
    for region in puzzle.regions:
        yield _occurrence_constraint(_numbers(region.cells, n), exactly, region.name)
    for group in puzzle.groups:
        bounds = {value: (0, times) for value, times in often.items()}
        if group.holds is not None:
            own = Counter(code[symbol] for symbol in group.holds)
            bounds = {value: (own[value], own[value]) for value in often}
        yield _occurrence_constraint(_numbers(group.cells, n), bounds, group.name)
    for cage in puzzle.cages:
        numbers = _numbers(cage.cells, n)
        yield LinearSum(numbers, Relation.EQ, cage.total, str(cage))
        if not puzzle.repeats and len(numbers) > 1:
            yield AllDifferent(numbers, f"{cage.name}: no number twice")


def _occurrence_constraint(
    numbers: tuple[int, ...], bounds: Mapping[int, tuple[int, int]], label: str
) -> Constraint:
    """Return the constraint that bounds how often each value occurs.

    It is ``AllDifferent`` if that is equivalent: no value may occur twice, and either no value must occur, or
    there are as many cells as values.
    """
    free = all(low == 0 for low, _ in bounds.values())
    if all(high == 1 for _, high in bounds.values()) and (free or len(numbers) == len(bounds)):
        return AllDifferent(numbers, label)
    return Cardinality(numbers, tuple((value, *bounds[value]) for value in sorted(bounds)), label)


def _numbers(cells: tuple[Place, ...], size: int) -> tuple[int, ...]:
    return tuple(size * row + column for row, column in cells)


def decode(puzzle: Sudoku, assignment: Assignment) -> Rows:
    """Return the symbols of the board. A value that is not the code of a symbol gives an empty string."""
    n = puzzle.size
    symbol = {value: word for word, value in codes(puzzle.holds).items()}
    return DrawnRows.of(
        puzzle, (tuple(symbol.get(assignment[n * r + c], "") for c in range(n)) for r in range(n))
    )


def encode(puzzle: Sudoku, solution: Rows) -> dict[int, int]:
    """Return the values of all variables."""
    code = codes(puzzle.holds)
    return dict(enumerate(code[symbol] for row in solution for symbol in row))


def plain(puzzle: Sudoku) -> dict[str, Any]:
    """Return the puzzle as plain data: cells are [row, column], counted from 0; see ``Family``."""
    return {
        "family": "sudoku",
        "name": puzzle.name,
        "symbols": list(puzzle.holds),
        "numbers": codes(puzzle.holds),
        "givens": [list(row) for row in puzzle.givens],
        "regions": [region._asdict() for region in puzzle.regions],
        "cages": [cage._asdict() for cage in puzzle.cages],
        "repeats": puzzle.repeats,
        "groups": [group._asdict() for group in puzzle.groups],
    }


def check(puzzle: Sudoku, solution: Rows) -> str | None:
    """Return the first rule that the solution breaks, in the player's words, or None.

    Checks the cells one by one, then rows, columns, regions, groups and cages. Shares no code with ``state``.
    """
    if fault := _wrong_cell(puzzle, solution):
        return fault
    size = range(len(solution))
    areas = [(f"row {r + 1}", [(r, c) for c in size], puzzle.holds) for r in size]
    areas += [(f"column {c + 1}", [(r, c) for r in size], puzzle.holds) for c in size]
    areas += [(region.name, list(region.cells), puzzle.holds) for region in puzzle.regions]
    areas += [(g.name, list(g.cells), puzzle.holds if g.holds is None else g.holds) for g in puzzle.groups]
    for name, cells, holds in areas:
        if fault := _surplus_fault(name, [solution[r][c] for r, c in cells], holds):
            return fault
    for cage in puzzle.cages:
        seen = [solution[r][c] for r, c in cage.cells]
        for symbol, often in Counter(seen).items():
            if often > 1 and not puzzle.repeats:
                return f"{cage.name} has {symbol} {times(often)}"
        if sum(number_of(symbol) or 0 for symbol in seen) != cage.total:
            return f"{cage}, but its cells show {', '.join(seen)}"
    return None


def _wrong_cell(puzzle: Sudoku, solution: Rows) -> str | None:
    if len(solution) != len(puzzle.givens):
        return f"there are {len(solution)} rows, not {len(puzzle.givens)}"
    for r, (row, givens) in enumerate(zip(solution, puzzle.givens, strict=True), 1):
        if len(row) != len(givens):
            return f"row {r} has {len(row)} cells, not {len(givens)}"
        for c, (symbol, given) in enumerate(zip(row, givens, strict=True), 1):
            if not symbol:
                return f"r{r}c{c} is empty"
            if symbol not in puzzle.holds:
                return f"r{r}c{c} is {symbol}, which is not a symbol of this puzzle"
            if given and symbol != given:
                return f"r{r}c{c} is {symbol}, but {given} is given there"
    return None


def _surplus_fault(where: str, seen: Sequence[str], holds: Iterable[str]) -> str | None:
    """Return an error text for the first symbol that occurs too often, or None.

    If there are as many cells as symbols, that is enough: a symbol can be missing only if another one occurs
    too often.
    """
    have, may = Counter(seen), Counter(holds)
    for symbol in have:
        if have[symbol] > may[symbol]:
            if not may[symbol]:
                return f"{where} has {symbol}, which does not belong there"
            expected = "" if may[symbol] == 1 else f", not {times(may[symbol])}"
            return f"{where} has {symbol} {times(have[symbol])}{expected}"
    return None


def draw(puzzle: Sudoku, solution: Rows | None = None) -> Drawing:
    """Return the board with its givens, or with the solution, in which the givens stand out.

    Regions have thick borders, cages have an outline and their sum in the first cell, and groups have a
    colour. Notes below the puzzle state what the drawing cannot show.
    """
    groups = range(len(puzzle.groups))
    fills = distinct_colours({i: [j for j in groups if j != i] for i in groups})
    fill = {place: fills[i] for i in reversed(groups) for place in puzzle.groups[i].cells}
    corner = {min(cage.cells): str(cage.total) for cage in puzzle.cages}
    squares = {
        (r, c): Square(
            solution[r][c] if solution is not None else given,
            corner.get((r, c), ""),
            fill.get((r, c), ""),
            strong=solution is not None and bool(given),
        )
        for r, row in enumerate(puzzle.givens)
        for c, given in enumerate(row)
    }
    region_of: dict[Place, int] = dict.fromkeys(squares, -1)
    for i, region in enumerate(puzzle.regions):
        region_of.update(dict.fromkeys(region.cells, i))
    board = Grid(squares, walls=borders(region_of), cages=tuple(cage.cells for cage in puzzle.cages))
    if solution is not None:
        return Drawing(puzzle.name, board)
    places = dict(enumerate(puzzle.cells))
    return Drawing(puzzle.name, board, tuple(_notes(puzzle, fills)), places=places)


def _notes(puzzle: Sudoku, fills: Mapping[int, str]) -> Iterator[Note]:
    """Yield notes on what the drawing cannot show: unusual symbols, repeats in cages, and the groups."""
    if puzzle.holds != usual_symbols(puzzle.size):
        yield Note("every row holds", puzzle.holds)
    if puzzle.repeats:
        yield Note("cages", ("a number may occur twice in a cage",))
    for i, group in enumerate(puzzle.groups):
        yield Note(group.name, tuple(map(cell_name, group.cells)), fills[i])
        if group.holds is not None:
            yield Note(f"{group.name} holds", group.holds)
