"""The clauses of a tiling: which cells share a domino, and which domino lies on each edge."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol, TypeAlias

from milp_pips.problem.constraint import ClauseBuilder

Kind: TypeAlias = tuple[int, int]


class Board(Protocol):
    """What a cover and a tiling have in common."""

    @property
    def values(self) -> tuple[int, ...]:
        """The value variable of each cell."""

    @property
    def partners(self) -> tuple[int, ...]:
        """The partner variable of each cell."""

    @property
    def edges(self) -> tuple[tuple[int, int], ...]:
        """The pairs of cells on which a domino may lie."""

    @property
    def kinds(self) -> Iterable[Kind]:
        """The kinds of dominoes."""


def tile(builder: ClauseBuilder, board: Board) -> dict[Kind, list[int]]:
    """Add clauses that tile the board, once; return for each kind of domino its literals, one per edge."""
    key = _key(board)
    if key not in builder.memory:
        _pair(builder, board)
        builder.memory[key] = _lay(builder, board)
    places: dict[Kind, list[int]] = builder.memory[key]
    return places


def count_laid(builder: ClauseBuilder, board: Board, kind: Kind, most: int) -> list[int] | None:
    """Return literals for "at least k of the kind lie on the board"; None if no clauses tile the board.

    The literals are those for k = 0, 1, … up to ``most`` or to all; see ``ClauseBuilder.at_least``.
    """
    places = builder.memory.get(_key(board))
    if places is None:
        return None
    key = *_key(board), kind, most
    if key not in builder.memory:
        builder.memory[key] = builder.at_least(places[kind], most)
    count: list[int] = builder.memory[key]
    return count


def _key(board: Board) -> tuple[Any, ...]:
    return tile, board.values, board.partners, board.edges, tuple(board.kinds)


def _pair(builder: ClauseBuilder, board: Board) -> None:
    """Create a literal for every edge, and clauses that require exactly one edge at every cell."""
    builder.choices(board.values)  # these literals have the lowest numbers
    at: list[dict[int, int]] = [{} for _ in board.values]
    for i, j in board.edges:
        if j in builder.domain(board.partners[i]) and i in builder.domain(board.partners[j]):
            at[i][j] = at[j][i] = builder.new()
    for partner, edges in zip(board.partners, at, strict=True):
        builder.define(partner, edges)
    for edges in at:
        builder.one_of(list(edges.values()))


def _lay(builder: ClauseBuilder, board: Board) -> dict[Kind, list[int]]:
    """Encode the domino on each edge; return for each kind its literals, one per edge.

    There is a literal for each domino on an edge in each orientation, which implies the edge and the values
    of both cells. An edge needs one of its literals, and a value of a cell needs a literal that shows it.
    """
    places: dict[Kind, list[int]] = {kind: [] for kind in board.kinds}
    ways = [(kind, way) for kind in places for way in sorted({kind, kind[::-1]})]
    supports: dict[int, list[int]] = {}
    for i, j in board.edges:
        u, v = board.values[i], board.values[j]
        edge = builder.literal(board.partners[i], j)
        if builder.interrupted():
            break
        if edge == -builder.true:
            continue
        places_of: dict[Kind, list[int]] = {}
        shown: dict[int, list[int]] = {}
        for kind, (a, b) in ways:
            one, other = builder.literal(u, a), builder.literal(v, b)
            if -builder.true not in (one, other):
                place = builder.new()
                for literal in (edge, one, other):
                    builder.add(-place, literal)
                places_of.setdefault(kind, []).append(place)
                for literal in (one, other):
                    shown.setdefault(literal, []).append(place)
                    supports.setdefault(literal, []).append(place)
        builder.add(-edge, *(place for laid in places_of.values() for place in laid))
        for cell in (u, v):
            for value in builder.domain(cell):
                literal = builder.literal(cell, value)
                builder.add(-edge, -literal, *shown.get(literal, ()))
        for kind, laid in places_of.items():
            places[kind].append(builder.any_of(laid))
    for cell in board.values:
        for value in builder.domain(cell):
            literal = builder.literal(cell, value)
            builder.add(-literal, *supports.get(literal, ()))
    return places
