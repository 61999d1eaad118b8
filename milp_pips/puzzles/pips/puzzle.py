"""Pips: lay the dominoes on the board so that every region obeys its rule.

The rules are implemented twice: ``state`` encodes them for engines; ``check`` follows the rules of the game.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count, product
from operator import itemgetter
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeAlias, TypeVar, cast

from milp_pips.constraints import DominoCover
from milp_pips.constraints.domino_cover.board import adjacency_lists
from milp_pips.problem.constraint import Assignment, Constraint
from milp_pips.problem.errors import InputError
from milp_pips.problem.fields import (
    as_tuple,
    refused_as_input,
    require_text,
    rows_of_numbers,
    set_field,
    set_tuples,
    shown,
    whole_between,
)
from milp_pips.problem.problem import Problem, unchecked_variable
from milp_pips.puzzles.pips.rules import MOST_PIPS, RULES, Kind, Rule
from milp_pips.puzzles.puzzle import Puzzle, picture_of, times

T = TypeVar("T")

Cell: TypeAlias = Hashable
"""Any hashable name. On a grid, the pair (row, column), counted from 0."""

# Limits for files. A file beyond them is noise or a mistake.
MAX_PIPS_ROWS = 10_000
"""The most rows, and columns, of a board."""
MOST_CELLS = 200_000
LARGEST_TARGET = 999_999_999
LAST_INDEX = 999
"""The largest row and column index in formats that list cells. There, one wrong index makes a huge board."""


class Region(NamedTuple):
    """Cells with one rule. ``target`` is the number of the rule, None if it has none."""

    label: str
    cells: tuple[Cell, ...]
    rule: Rule | None = None
    target: int | None = None

    @property
    def kind(self) -> Kind:
        """All that the kind of its rule decides."""
        return RULES[self.rule]

    @property
    def sign(self) -> str:
        """The rule as it is drawn: ``=``, ``≠``, ``11``, ``<5``, ``>5``; empty without a rule."""
        return self.kind.sign + ("" if self.target is None else str(self.target))

    def constraint(self, variables: tuple[int, ...]) -> Constraint | None:
        """Return its rule as a constraint on the values of its cells, or None without a rule."""
        return self.kind.constraint(variables, self.target, str(self))

    def __str__(self) -> str:
        return f"region {self.label}: {self.kind.words}" + ("" if self.target is None else f" {self.target}")


def _checked(region: Any) -> Region:
    """Return the region with a tuple of cells and a ``Rule``. Raises TypeError or ValueError."""
    if not isinstance(region, Region):
        raise TypeError(f"a region is a Region(label, cells, rule, target), not {shown(region)}")
    label, cells, rule, target = region
    require_text("a region", "label", label)
    cells = as_tuple(f"region {label}", "cells", cells)
    if not cells or len(set(cells)) < len(cells):
        raise ValueError(f"region {label} has no cell, or has a cell twice")
    if rule not in (None, *Rule):
        raise ValueError(f"region {label} has the rule {shown(rule)}; expected {', '.join(Rule)} or None")
    rule = None if rule is None else Rule(rule)
    if RULES[rule].has_target:
        target = whole_between(f"region {label}", "target", target, -LARGEST_TARGET, LARGEST_TARGET)
    elif target is not None:
        raise ValueError(f"region {label} has the target {shown(target)}, but its rule has none")
    return Region(label, cells, rule, target)


class PlacedDomino(NamedTuple):
    """A domino on the board: ``pips[0]`` lies on ``cells[0]``, ``pips[1]`` on ``cells[1]``."""

    pips: tuple[int, int]
    cells: tuple[Cell, Cell]


class _Undecoded:
    """Base of a layout with a slot for the puzzle and the assignment from which its fields are decoded."""

    __slots__ = ("_decoded_from",)

    _decoded_from: tuple[Pips, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class Layout(_Undecoded):
    """A solution: the pips in every cell and, if known, the positions of the dominoes.

    ``decode`` returns a layout whose fields are computed at their first use. A program that enumerates
    millions of solutions rarely uses all fields of each.
    """

    values: Mapping[Cell, int]
    dominoes: tuple[PlacedDomino, ...] = ()

    def _repr_svg_(self) -> str | None:
        """Return the picture of a layout from ``decode``, which knows its puzzle; else None."""
        puzzle = getattr(self, "_decoded_from", (None,))[0]
        return None if puzzle is None else picture_of(puzzle, self)._repr_svg_()

    if not TYPE_CHECKING:  # else type checkers would accept any attribute

        def __getattr__(self, name: str) -> Any:
            """Compute a field at its first use, and store it."""
            if name == "values":
                value = _decoded_values(*self._decoded_from)
            elif name == "dominoes":
                value = _decoded_dominoes(*self._decoded_from)
            else:
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            object.__setattr__(self, name, value)
            return value


@dataclass(frozen=True, slots=True)
class Pips(Puzzle):
    """A Pips puzzle on a graph of cells.

    Parameters
    ----------
    name
        The name of the puzzle.
    cells
        The cells of the board, in reading order.
    edges
        The pairs of cells that a domino can cover.
    regions
        The regions. A cell in no region has no rule.
    dominoes
        The dominoes in the order of the puzzle. A domino may occur several times.
    published
        The solution printed with it, if any.
    """

    family: ClassVar[str] = "pips"

    name: str
    cells: tuple[Cell, ...]
    edges: tuple[tuple[Cell, Cell], ...]
    regions: tuple[Region, ...]
    dominoes: tuple[tuple[int, int], ...]
    published: Layout | None = field(default=None, compare=False)
    is_grid: bool = field(init=False, repr=False, compare=False)
    """Whether the cells are (row, column) pairs. Stored, since it is read for each domino of a solution."""

    def __post_init__(self) -> None:
        with refused_as_input():
            require_text("a puzzle", "name", self.name)
            set_tuples("a puzzle", self, "cells", "edges", "regions")
            dominoes = rows_of_numbers("a puzzle", "dominoes", self.dominoes, 2)
            pips = [pip for domino in dominoes for pip in domino]
            if pips and not 0 <= min(pips) <= max(pips) <= MOST_PIPS:
                raise ValueError(f"a domino has {min(pips)} or {max(pips)} pips; expected 0 to {MOST_PIPS}")
            set_field(self, "dominoes", dominoes)
            set_field(self, "regions", tuple([_checked(region) for region in self.regions]))
            if not {2}.issuperset(map(len, self.edges)):
                raise ValueError("the edges of a puzzle are pairs of cells")
            board, edges = set(self.cells), set(self.edges)
            if len(edges) < len(self.edges) or not edges.isdisjoint(map(itemgetter(1, 0), self.edges)):
                raise ValueError("an edge is named twice, or joins a cell with itself")
        if not isinstance(self.published, Layout | None):
            raise InputError(
                f"the published solution is {shown(self.published)}", expected="a Layout or None"
            )
        set_field(self, "is_grid", all(map(_is_place, self.cells)))
        if len(board) != len(self.cells):
            raise InputError("a cell is named twice")
        if len(self.cells) != 2 * len(self.dominoes):
            raise InputError(f"{len(self.cells)} cells cannot be covered by {len(self.dominoes)} dominoes")
        named = {cell for cells in (*self.edges, *(r.cells for r in self.regions)) for cell in cells}
        if not named <= board:
            raise InputError(f"{cell_name(next(iter(named - board)))} is not on the board")

    @classmethod
    def on_grid(
        cls,
        name: str,
        cells: Iterable[tuple[int, int]],
        regions: Iterable[Region],
        dominoes: Iterable[tuple[int, int]],
        published: Layout | None = None,
    ) -> Pips:
        """Return the puzzle on cells (row, column). A domino covers two cells that share a side."""
        ordered = tuple(sorted(cells))
        return cls(name, ordered, shared_sides(ordered), tuple(regions), tuple(dominoes), published)

    @classmethod
    def from_rows(
        cls,
        rows: Iterable[str | Sequence[str]],
        rules: Mapping[str, str],
        dominoes: Iterable[tuple[int, int]],
        name: str = "puzzle",
    ) -> Pips:
        """Return the puzzle on a board drawn with the labels of its regions.

        ``rows`` and ``rules`` are written as in a file. ``.`` is not a cell; ``#`` is a cell without a rule.
        A rule is one of ``Rule``, with its number if it has one: ``"EQ"``, ``"SUM 7"``. A row is a string
        with a character per cell, or a sequence of labels. Raises InputError.
        """
        board = [row if isinstance(row, str) else " ".join(row) for row in rows]
        stated = [f"{label} {rule}" for label, rule in rules.items()]
        laid = [f"{a} {b}" for a, b in dominoes]
        lines = [len(board), *board, len(stated), *stated, len(laid), *laid]
        return cls.from_lines(lines, name)

    @property
    def extent(self) -> tuple[int, int]:
        """The numbers of rows and of columns of a grid, both counted from 0."""
        cells = cast("tuple[tuple[int, int], ...]", self.cells)
        return 1 + max((r for r, _ in cells), default=-1), 1 + max((c for _, c in cells), default=-1)

    def rows(self, shown: Mapping[Cell, T], blank: T) -> list[list[T]]:
        """Return the rows of a grid with the value of ``shown`` at each place, or ``blank``."""
        height, width = self.extent
        return [[shown.get((row, column), blank) for column in range(width)] for row in range(height)]


NAME_OF_PLACE = re.compile(r"r([1-9][0-9]{0,4})c([1-9][0-9]{0,4})")
"""The name of a cell on a grid, as ``cell_name`` writes it: its row and its column, from 1."""


def cell_name(cell: Cell) -> str:
    """Return a cell's name for people: ``r1c2`` on a grid (counted from 1), else its own name."""
    if _is_place(cell):
        row, column = cast("tuple[int, int]", cell)
        return f"r{row + 1}c{column + 1}"
    return str(cell)


def shared_sides(cells: Collection[tuple[int, int]]) -> tuple[tuple[tuple[int, int], tuple[int, int]], ...]:
    """Return the pairs of cells of a grid that share a side, in the order of the cells."""
    board = set(cells)
    return tuple(((r, c), other) for r, c in cells for other in ((r, c + 1), (r + 1, c)) if other in board)


def region_labels() -> Iterator[str]:
    """Yield A, B, … Z, AA, AB, … without end, as labels for regions without their own."""
    for length in count(1):
        for letters in product("ABCDEFGHIJKLMNOPQRSTUVWXYZ", repeat=length):
            yield "".join(letters)


def _is_place(cell: Cell) -> bool:
    return isinstance(cell, tuple) and len(cell) == 2 and all(isinstance(part, int) for part in cell)


def state(puzzle: Pips) -> Problem:
    """Return the puzzle as a problem. Its variables are a value per cell, then a partner per cell.

    The partner of a cell is the other cell under its domino. Keys: ``placement`` (values and partners, the
    default) and ``grid`` (values only).
    """
    number = {cell: i for i, cell in enumerate(puzzle.cells)}
    n = len(puzzle.cells)
    edges = tuple(sorted((min(e), max(e)) for e in ((number[a], number[b]) for a, b in puzzle.edges)))
    pips = tuple(sorted({p for domino in puzzle.dominoes for p in domino}))
    names = [cell_name(cell) for cell in puzzle.cells]
    values = tuple(unchecked_variable(name, pips) for name in names)  # the puzzle has been checked
    partners = tuple(
        unchecked_variable(f"partner of {name}", tuple(sorted(near)))
        for name, near in zip(names, adjacency_lists(n, edges), strict=True)
    )
    cover = DominoCover(
        tuple(range(n)),
        tuple(range(n, 2 * n)),
        edges,
        tuple(sorted((min(d), max(d)) for d in puzzle.dominoes)),
        "the dominoes cover the board",
    )
    rules = (region.constraint(tuple(number[c] for c in region.cells)) for region in puzzle.regions)
    return Problem(
        values + partners,
        (cover, *(rule for rule in rules if rule is not None)),
        {"placement": tuple(range(2 * n)), "grid": tuple(range(n))},
    )


def decode(puzzle: Pips, assignment: Assignment) -> Layout:
    """Return the layout. Its dominoes are in the order of the puzzle.

    It has no dominoes if the assignment has -1 for the partners.
    """
    if type(assignment) is not tuple:
        assignment = tuple([assignment[v] for v in range(2 * len(puzzle.cells))])
    layout: Layout = object.__new__(Layout)
    object.__setattr__(layout, "_decoded_from", (puzzle, assignment))
    return layout


def _decoded_values(puzzle: Pips, assignment: tuple[int, ...]) -> dict[Cell, int]:
    return dict(zip(puzzle.cells, assignment, strict=False))  # the partners follow the values


def _decoded_dominoes(puzzle: Pips, assignment: tuple[int, ...]) -> tuple[PlacedDomino, ...]:
    cells, partners = puzzle.cells, assignment[len(puzzle.cells) :]
    if partners and partners[0] < 0:
        return ()
    # The pairs of cells under the dominoes of each kind, the cell with fewer pips first.
    lying: dict[tuple[int, int], list[tuple[Cell, Cell]]] = defaultdict(list)
    for i, (a, j) in enumerate(zip(assignment, partners, strict=False)):
        b = assignment[j]
        if a < b or (a == b and i < j):
            lying[a, b].append((cells[i], cells[j]))
    laid = []
    for pips in puzzle.dominoes:
        a, b = pips
        if a <= b:
            laid.append(PlacedDomino(pips, lying[pips].pop(0)))
        else:
            low, high = lying[b, a].pop(0)
            laid.append(PlacedDomino(pips, (high, low)))
    return tuple(laid)


def encode(puzzle: Pips, solution: Layout) -> dict[int, int]:
    """Return the values of the value variables and, if the dominoes are known, the partner variables."""
    number = {cell: i for i, cell in enumerate(puzzle.cells)}
    fixed = {number[cell]: value for cell, value in solution.values.items()}
    for laid in solution.dominoes:
        i, j = (number[cell] for cell in laid.cells)
        fixed[len(puzzle.cells) + i], fixed[len(puzzle.cells) + j] = j, i
    return fixed


def plain(puzzle: Pips) -> dict[str, Any]:
    """Return the puzzle as plain data: the cells are numbered in the order of ``cells``; see ``Family``."""
    number = {cell: i for i, cell in enumerate(puzzle.cells)}
    return {
        "family": "pips",
        "name": puzzle.name,
        "cells": [cell_name(cell) for cell in puzzle.cells],
        "edges": [[number[a], number[b]] for a, b in puzzle.edges],
        "dominoes": [list(domino) for domino in puzzle.dominoes],
        "regions": [
            {
                "label": region.label,
                "cells": [number[cell] for cell in region.cells],
                "rule": region.rule,
                "target": region.target,
            }
            for region in puzzle.regions
        ],
    }


# The rules of the game. The code below shares nothing with ``state``, nor ``obeys`` of a rule with its
# constraint. It validates the answers of engines, so that a mistake in one of the two is noticed.


def check(puzzle: Pips, solution: Layout) -> str | None:
    """Return the first rule of the game that the layout breaks, or None.

    Of a layout without dominoes, only the values are checked.
    """
    for cell in puzzle.cells:
        if cell not in solution.values:
            return f"{cell_name(cell)} is empty"
    if len(solution.values) != len(puzzle.cells):
        return "there is a value outside the board"
    have, need = Counter(solution.values.values()), Counter(p for d in puzzle.dominoes for p in d)
    for pip in sorted(have | need):
        if have[pip] != need[pip]:
            return f"the board shows {pip} {times(have[pip])}, the dominoes {times(need[pip])}"
    for region in puzzle.regions:
        seen = [solution.values[cell] for cell in region.cells]
        if not region.kind.obeys(seen, region.target):
            return f"{region}, but its cells show {', '.join(map(str, seen))}"
    return _check_dominoes(puzzle, solution) if solution.dominoes else None


def _check_dominoes(puzzle: Pips, solution: Layout) -> str | None:
    adjacent = {frozenset(edge) for edge in puzzle.edges}
    covered: set[Cell] = set()
    for laid in solution.dominoes:
        if frozenset(laid.cells) not in adjacent:
            where = " and ".join(cell_name(cell) for cell in laid.cells)
            return f"domino {laid.pips[0]}-{laid.pips[1]} lies on {where}, which are not neighbours"
        for cell, pip in zip(laid.cells, laid.pips, strict=True):
            if cell in covered:
                return f"two dominoes lie on {cell_name(cell)}"
            if solution.values[cell] != pip:
                return f"{cell_name(cell)} shows {solution.values[cell]}, but its domino has {pip}"
            covered.add(cell)
    if len(covered) != len(puzzle.cells):
        return f"no domino lies on {cell_name(next(c for c in puzzle.cells if c not in covered))}"
    used = Counter((min(laid.pips), max(laid.pips)) for laid in solution.dominoes)
    given = Counter((min(d), max(d)) for d in puzzle.dominoes)
    for a, b in sorted(used | given):
        if used[a, b] != given[a, b]:
            return f"domino {a}-{b} is used {times(used[a, b])}, but given {times(given[a, b])}"
    return None
