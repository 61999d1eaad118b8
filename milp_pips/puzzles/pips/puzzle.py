"""Pips: lay the dominoes on the board so that every region obeys its rule."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeAlias, cast

from milp_pips.errors import InputError
from milp_pips.problem import (
    AllDifferent,
    AllEqual,
    Assignment,
    Constraint,
    DominoCover,
    LinearSum,
    Problem,
    Relation,
    Variable,
)

if TYPE_CHECKING:
    from milp_pips.drawing import Drawing
    from milp_pips.puzzles.family import JsonPieces

Cell: TypeAlias = Hashable
"""Any hashable name; on a grid the pair (row, column), counted from 0."""


class Rule(StrEnum):
    """The rules a region may have, by their names in the text format."""

    EQ = "EQ"
    NEQ = "NEQ"
    SUM = "SUM"
    LT = "LT"
    GT = "GT"
    LE = "LE"
    GE = "GE"

    @property
    def has_target(self) -> bool:
        """Whether the rule compares the region's sum with a number."""
        return self not in (Rule.EQ, Rule.NEQ)


SIGNS = {Rule.EQ: "=", Rule.NEQ: "≠", Rule.SUM: "", Rule.LT: "<", Rule.GT: ">", Rule.LE: "≤", Rule.GE: "≥"}
"""How each rule is drawn, before its number."""


class Region(NamedTuple):
    """Cells under one rule. ``target`` is the number a sum is compared with, None for EQ, NEQ and no rule."""

    label: str
    cells: tuple[Cell, ...]
    rule: Rule | None = None
    target: int | None = None

    @property
    def sign(self) -> str:
        """The rule as it is drawn: ``=``, ``≠``, ``11``, ``<5``, ``>5``; empty without a rule."""
        if self.rule is None:
            return ""
        return SIGNS[self.rule] + ("" if self.target is None else str(self.target))

    def __str__(self) -> str:
        words = {Rule.EQ: "all equal", Rule.NEQ: "all different", Rule.SUM: "sum", None: "no rule"}
        rule = words.get(self.rule) or f"sum {SIGNS[self.rule]}"  # type: ignore[index]
        return f"region {self.label}: {rule}" + ("" if self.target is None else f" {self.target}")


class Laid(NamedTuple):
    """A domino on the board: ``pips[0]`` lies on ``cells[0]``, ``pips[1]`` on ``cells[1]``."""

    pips: tuple[int, int]
    cells: tuple[Cell, Cell]


class Layout(NamedTuple):
    """A solution: the pips in every cell and, where they are known, the dominoes that put them there."""

    values: Mapping[Cell, int]
    dominoes: tuple[Laid, ...] = ()


@dataclass(frozen=True, slots=True)
class Pips:
    """A Pips puzzle on a graph of cells.

    Parameters
    ----------
    name
        What to call it.
    cells
        The cells of the board, in reading order.
    edges
        The pairs of cells that a domino can cover.
    regions
        The regions; a cell in none has no rule.
    dominoes
        The dominoes, as the puzzle lists them; the same domino may come several times.
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

    def __post_init__(self) -> None:
        board = set(self.cells)
        if len(board) != len(self.cells):
            raise InputError("a cell is named twice")
        if len(self.cells) != 2 * len(self.dominoes):
            raise InputError(f"{len(self.cells)} cells cannot be covered by {len(self.dominoes)} dominoes")
        named = {cell for region in self.regions for cell in region.cells} | {
            c for e in self.edges for c in e
        }
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
        """Return the puzzle on cells (row, column) where dominoes lie on cells that share a side."""
        ordered = tuple(sorted(cells))
        board = set(ordered)
        edges = tuple(
            ((r, c), other) for r, c in ordered for other in ((r, c + 1), (r + 1, c)) if other in board
        )
        return cls(name, ordered, edges, tuple(regions), tuple(dominoes), published)

    @property
    def is_grid(self) -> bool:
        """Whether the cells are (row, column) pairs."""
        return all(_is_place(cell) for cell in self.cells)

    def state(self) -> Problem:
        """State the puzzle: a value per cell, then a partner per cell.

        Keys: ``placement`` (values and partners, the default) and ``grid`` (values alone).
        """
        number = {cell: i for i, cell in enumerate(self.cells)}
        n = len(self.cells)
        edges = tuple(sorted((min(e), max(e)) for e in ((number[a], number[b]) for a, b in self.edges)))
        neighbours: list[list[int]] = [[] for _ in self.cells]
        for i, j in edges:
            neighbours[i].append(j)
            neighbours[j].append(i)
        pips = tuple(sorted({p for domino in self.dominoes for p in domino}))
        names = [cell_name(cell) for cell in self.cells]
        values = tuple(Variable(name, pips) for name in names)
        partners = tuple(
            Variable(f"partner of {name}", tuple(sorted(near)))
            for name, near in zip(names, neighbours, strict=True)
        )
        cover = DominoCover(
            tuple(range(n)),
            tuple(range(n, 2 * n)),
            edges,
            tuple(sorted((min(d), max(d)) for d in self.dominoes)),
            "the dominoes cover the board",
        )
        rules = (_constraint(region, tuple(number[c] for c in region.cells)) for region in self.regions)
        return Problem(
            values + partners,
            (cover, *(rule for rule in rules if rule is not None)),
            {"placement": tuple(range(2 * n)), "grid": tuple(range(n))},
        )

    def decode(self, assignment: Assignment) -> Layout:
        """Return the layout: where each domino lies, in the order in which the puzzle lists the dominoes.

        Without the dominoes where the assignment has -1 for the partners.
        """
        n = len(self.cells)
        if n and assignment[n] < 0:
            return Layout({cell: assignment[i] for i, cell in enumerate(self.cells)})
        lying: dict[tuple[int, int], list[tuple[Cell, Cell]]] = {}
        for i in range(n):
            j = assignment[n + i]
            a, b = assignment[i], assignment[j]
            if (a, i) < (b, j):
                lying.setdefault((a, b), []).append((self.cells[i], self.cells[j]))
        laid = []
        for a, b in self.dominoes:
            low, high = lying[min(a, b), max(a, b)].pop(0)
            laid.append(Laid((a, b), (low, high) if a <= b else (high, low)))
        return Layout({cell: assignment[i] for i, cell in enumerate(self.cells)}, tuple(laid))

    def encode(self, solution: Layout) -> dict[int, int]:
        """Return the value variables and, where the dominoes are known, the partner variables it fixes."""
        number = {cell: i for i, cell in enumerate(self.cells)}
        fixed = {number[cell]: value for cell, value in solution.values.items()}
        for laid in solution.dominoes:
            i, j = (number[cell] for cell in laid.cells)
            fixed[len(self.cells) + i], fixed[len(self.cells) + j] = j, i
        return fixed

    def check(self, solution: Layout) -> str | None:
        """Return the first rule of the game that the layout breaks, or None.

        A layout without dominoes is judged by its values alone.
        """
        for cell in self.cells:
            if cell not in solution.values:
                return f"{cell_name(cell)} is empty"
        if len(solution.values) != len(self.cells):
            return "there is a value where there is no cell"
        have, need = Counter(solution.values.values()), Counter(p for d in self.dominoes for p in d)
        for pip in sorted(have | need):
            if have[pip] != need[pip]:
                return f"the board shows {pip} {_times(have[pip])}, the dominoes {_times(need[pip])}"
        for region in self.regions:
            seen = [solution.values[cell] for cell in region.cells]
            if not _obeyed(region, seen):
                return f"{region}, but its cells show {', '.join(map(str, seen))}"
        return self._check_dominoes(solution) if solution.dominoes else None

    def _check_dominoes(self, solution: Layout) -> str | None:
        adjacent = {frozenset(edge) for edge in self.edges}
        covered: set[Cell] = set()
        for laid in solution.dominoes:
            if frozenset(laid.cells) not in adjacent:
                where = " and ".join(cell_name(cell) for cell in laid.cells)
                return f"domino {laid.pips[0]}-{laid.pips[1]} lies on {where}, which are not neighbours"
            for cell, pip in zip(laid.cells, laid.pips, strict=True):
                if cell in covered:
                    return f"two dominoes lie on {cell_name(cell)}"
                if solution.values[cell] != pip:
                    return f"{cell_name(cell)} shows {solution.values[cell]}, its domino {pip}"
                covered.add(cell)
        if len(covered) != len(self.cells):
            return f"no domino lies on {cell_name(next(c for c in self.cells if c not in covered))}"
        used = Counter((min(laid.pips), max(laid.pips)) for laid in solution.dominoes)
        given = Counter((min(d), max(d)) for d in self.dominoes)
        for a, b in sorted(used | given):
            if used[a, b] != given[a, b]:
                return f"domino {a}-{b} is used {_times(used[a, b])}, but given {_times(given[a, b])}"
        return None

    def draw(self, solution: Layout | None = None) -> Drawing:
        """Return the board with its regions and rules, or with the dominoes of the solution."""
        from milp_pips.puzzles.pips.picture import draw

        return draw(self, solution)

    def _repr_svg_(self) -> str:
        from milp_pips.drawing import to_svg

        return to_svg(self.draw())

    def solution_to_json(self, solution: Layout) -> dict[str, Any]:
        """Return ``grid`` (or ``values`` where the board is no grid) and ``dominoes``."""
        from milp_pips.puzzles.pips.solution_files import to_json

        return to_json(self, solution)

    def json_pieces(self) -> JsonPieces | None:
        """Return how the JSON of a layout is put together; None where a pip has two digits, or no place."""
        from milp_pips.puzzles.pips.solution_files import json_pieces

        return json_pieces(self)

    def read_solution(self, text: str, file: str = "") -> Layout:
        """Read a solution file, text or JSON. Raises InputError."""
        from milp_pips.puzzles.pips.solution_files import read

        return read(self, text, file)

    def write_solution(self, solution: Layout) -> str:
        """Return the text of a solution file: the values, ``.`` where there is no cell."""
        from milp_pips.puzzles.pips.solution_files import write

        return write(self, solution)


def cell_name(cell: Cell) -> str:
    """Return a cell's name for people: ``r1c2`` on a grid (counted from 1), else its own name."""
    if _is_place(cell):
        row, column = cast("tuple[int, int]", cell)
        return f"r{row + 1}c{column + 1}"
    return str(cell)


def _is_place(cell: Cell) -> bool:
    return isinstance(cell, tuple) and len(cell) == 2 and all(isinstance(part, int) for part in cell)


def _constraint(region: Region, variables: tuple[int, ...]) -> Constraint | None:
    label, target = str(region), region.target or 0
    match region.rule:
        case None:
            return None
        case Rule.EQ:
            return AllEqual(variables, label)
        case Rule.NEQ:
            return AllDifferent(variables, label)
        case Rule.SUM:
            return LinearSum(variables, Relation.EQ, target, label)
        case Rule.LT:
            return LinearSum(variables, Relation.LE, target - 1, label)
        case Rule.LE:
            return LinearSum(variables, Relation.LE, target, label)
        case Rule.GT:
            return LinearSum(variables, Relation.GE, target + 1, label)
        case Rule.GE:
            return LinearSum(variables, Relation.GE, target, label)


def _obeyed(region: Region, seen: list[int]) -> bool:
    total, target = sum(seen), region.target
    if region.rule is None:
        return True
    if region.rule is Rule.EQ:
        return all(pip == seen[0] for pip in seen)
    if region.rule is Rule.NEQ:
        return all(pip not in seen[:i] for i, pip in enumerate(seen))
    assert target is not None
    return {
        Rule.SUM: total == target,
        Rule.LT: total < target,
        Rule.GT: total > target,
        Rule.LE: total <= target,
        Rule.GE: total >= target,
    }[region.rule]


def _times(n: int) -> str:
    return {0: "never", 1: "once", 2: "twice"}.get(n, f"{n} times")
