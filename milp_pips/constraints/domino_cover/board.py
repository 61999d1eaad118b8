"""What the constraints on a board of dominoes share: the class, its 0-1 rows and its clauses."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeAlias

from milp_pips.constraints.rows import Links, links
from milp_pips.problem.constraint import Assignment, ClauseBuilder, Constraint, Row, RowBuilder
from milp_pips.problem.fields import changed

Kind: TypeAlias = tuple[int, int]
"""A kind of domino, the lower pip first."""

Edge: TypeAlias = tuple[int, int]
"""Two cells that a domino can cover, the lower number first."""

Pair: TypeAlias = tuple[int, int]
"""A variable and its value."""

LARGE_MODEL_PLACES = 4000
"""Least number of places (edges x orientations of all kinds of dominoes) for the default ``implication``.

From there on it finds a first solution faster, since HiGHS's feasibility jump succeeds on that model alone.
Not chosen by a benchmark: this was observed on large generated boards. Up to 50 dominoes the runs by
size in ``benchmarks/results/2026-11-21/dominoes.csv`` favour ``projected``."""


def adjacency_lists(cells: int, edges: Iterable[tuple[int, int]]) -> list[list[int]]:
    """Return for each cell the other ends of its edges, in the order of the edges."""
    near: list[list[int]] = [[] for _ in range(cells)]
    for i, j in edges:
        near[i].append(j)
        near[j].append(i)
    return near


@dataclass(frozen=True, slots=True)
class Board(Constraint):
    """The cells are perfectly matched along edges; how many dominoes of each kind may lie is bounded.

    Cell ``i`` has the value variable ``values[i]`` and the partner variable ``partners[i]``, whose value is
    the number of the cell that shares its domino.
    """

    values: tuple[int, ...]
    partners: tuple[int, ...]
    edges: tuple[Edge, ...]

    if TYPE_CHECKING:  # a field or a property of the subclass

        @property
        def kinds(self) -> Collection[Kind]: ...

    @property
    def bounds(self) -> Mapping[Kind, tuple[int, int]]:
        """The least and the greatest number of dominoes of each kind."""
        raise NotImplementedError

    @property
    def variables(self) -> tuple[int, ...]:
        return self.values + self.partners

    def open_edges(self, domain: Callable[[int], Collection[int]]) -> Iterator[Edge]:
        """Yield the edges between cells that may be partners; ``domain`` returns that of a variable."""
        partners = [domain(v) for v in self.partners]
        for i, j in self.edges:
            if j in partners[i] and i in partners[j]:
                yield i, j

    def places_of(self, kind: Kind, known: Container[Pair]) -> Iterator[tuple[int, int, tuple[Pair, ...]]]:
        """Yield the places of a kind: the cells of its first and second pip, and the pairs that mean it.

        A pair is (variable, value); all those of a place are among the ``known``.
        """
        a, b = kind
        for turned in range(1 if a == b else 2):
            for edge in self.edges:
                i, j = reversed(edge) if turned else edge
                values, partners = self.values, self.partners
                meaning = ((values[i], a), (values[j], b), (partners[i], j), (partners[j], i))
                if all(pair in known for pair in meaning):
                    yield i, j, meaning

    def laid_pairs(self, assignment: Assignment) -> Iterator[Kind | None]:
        """Yield the values of every matched pair, the lower first; then None if a cell is in no pair."""
        values, partner = self.values, [assignment[v] for v in self.partners]
        uncovered = len(partner)
        for i, j in self.edges:
            if partner[i] == j and partner[j] == i:
                a, b = assignment[values[i]], assignment[values[j]]
                uncovered -= 2
                yield (a, b) if a <= b else (b, a)
        if uncovered:
            yield None

    def holds(self, assignment: Assignment) -> bool:
        laid, bounds = Counter(self.laid_pairs(assignment)), self.bounds
        return bounds.keys() >= laid.keys() and all(
            low <= laid[kind] <= high for kind, (low, high) in bounds.items()
        )

    linearisations: ClassVar[Mapping[str, str]] = {
        "projected": "milp_pips.formulations.milp.cover:projected",
        "aggregated": "milp_pips.formulations.milp.cover:aggregated",
        "implication": "milp_pips.formulations.milp.cover:implication",
    }

    def default_linearisation(self, *, listing: bool, projecting: bool) -> str:
        """Return the name of the default linearisation; a list by some variables needs columns for them."""
        if projecting:
            return "aggregated"
        places = len(self.edges) * sum(1 if a == b else 2 for a, b in self.kinds)
        return "implication" if places >= LARGE_MODEL_PLACES and not listing else "projected"

    def linear_rows(self, builder: RowBuilder) -> Iterator[Row]:
        """Yield the rows of the linearisation ``aggregated``, see ``milp_pips.formulations.milp.cover``.

        A pair of a partner variable equals the sum of the ``place`` on its edge.
        """
        known = {(v, value) for _, v, value in builder.pairs_of(self.variables)}
        columns: Links = defaultdict(list)
        covering: list[list[tuple[int, float]]] = [[] for _ in self.values]
        using: dict[Kind, list[tuple[int, float]]] = {kind: [] for kind in self.kinds}
        names = [builder.name(v) for v in self.values]
        for kind in self.kinds:
            for i, j, meaning in self.places_of(kind, known):
                place = builder.add_column("place", (*kind, names[i], names[j]))
                for pair in meaning:
                    columns[pair].append((place, -1.0))
                for terms in (covering[i], covering[j], using[kind]):
                    terms.append((place, 1.0))
        for name, terms in zip(names, covering, strict=True):
            yield Row("cover", (name,), 1.0, 1.0, terms)
        for kind, (low, high) in self.bounds.items():
            yield Row("use", kind, low, high, using[kind])
        yield from links(builder, self.variables, columns)

    def clauses(self, builder: ClauseBuilder) -> bool:
        """Add clauses that tile the board, and bounds on the number of places of each kind."""
        places, most = _places(builder, self), len(self.values) // 2
        for kind, (low, high) in self.bounds.items():
            if builder.interrupted():
                break
            if low > 0 or high < most:  # never more dominoes lie than the cells need
                builder.between(places[kind], low, high)
        return True

    def renumbered(self, number: Mapping[int, int], values: Mapping[int, Mapping[int, int]] = {}) -> Self:  # noqa: ARG002
        return changed(
            self,
            values=tuple([number[v] for v in self.values]),
            partners=tuple([number[v] for v in self.partners]),
        )


# --------------------------------------------------------------------------------------------- clauses


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


def _places(builder: ClauseBuilder, board: Board) -> dict[Kind, list[int]]:
    """Add clauses that tile the board, once; return for each kind of domino its literals, one per edge."""
    key = _key(board)
    if key not in builder.memory:
        _pair(builder, board)
        builder.memory[key] = _lay(builder, board)
    places: dict[Kind, list[int]] = builder.memory[key]
    return places


def _key(board: Board) -> tuple[Any, ...]:
    return Board, board.values, board.partners, board.edges, tuple(board.kinds)


def _pair(builder: ClauseBuilder, board: Board) -> None:
    """Create a literal for every edge, and clauses that require exactly one edge at every cell."""
    builder.choices(board.values)  # these literals have the lowest numbers
    at: list[dict[int, int]] = [{} for _ in board.values]
    for i, j in board.open_edges(builder.domain):
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
    choices = dict(zip(board.values, builder.choices(board.values), strict=True))
    false, add = -builder.true, builder.add
    for i, j in board.edges:
        u, v = board.values[i], board.values[j]
        edge = builder.literal(board.partners[i], j)
        if builder.interrupted():
            break
        if edge == false:
            continue
        places_of: dict[Kind, list[int]] = {}
        shown: dict[int, list[int]] = {}
        for kind, (a, b) in ways:
            one, other = choices[u].get(a, false), choices[v].get(b, false)
            if one != false != other:
                place = builder.new()
                for literal in (edge, one, other):
                    add(-place, literal)
                places_of.setdefault(kind, []).append(place)
                for literal in (one, other):
                    shown.setdefault(literal, []).append(place)
                    supports.setdefault(literal, []).append(place)
        add(-edge, *(place for laid in places_of.values() for place in laid))
        for cell in (u, v):
            for literal in choices[cell].values():
                add(-edge, -literal, *shown.get(literal, ()))
        for kind, laid in places_of.items():
            places[kind].append(builder.any_of(laid))
    for cell in board.values:
        for literal in choices[cell].values():
            add(-literal, *supports.get(literal, ()))
    return places
