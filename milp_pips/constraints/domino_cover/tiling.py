"""A domino cover without fixed numbers of dominoes, and bounds on these numbers one by one."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from math import inf
from typing import Self

from milp_pips.constraints.domino_cover import DominoCover
from milp_pips.constraints.domino_cover.board import Board, Edge, Kind, count_laid
from milp_pips.constraints.linear_sum import Relation
from milp_pips.problem.constraint import Assignment, ClauseBuilder, Constraint, Domains, Row, RowBuilder


@dataclass(frozen=True, slots=True)
class Tiling(Board):
    """A constraint: the cells are perfectly matched along edges, and every matched value pair is of a kind.

    It is a ``DominoCover`` that need not fix the number of dominoes of each kind; numbering and names are the
    same. ``limits`` holds the least and the greatest number of each kind, or is empty for no limits.
    """

    kinds: tuple[Kind, ...]
    label: str = ""
    limits: tuple[tuple[int, int], ...] = ()

    @property
    def bounds(self) -> dict[Kind, tuple[int, int]]:
        """The least and the greatest number of dominoes of each kind."""
        limits = self.limits or ((0, len(self.values) // 2),) * len(self.kinds)
        return dict(zip(self.kinds, limits, strict=True))

    def edges_near(self, variables: Collection[int], further: int) -> list[Edge]:
        """Return the edges at the cells of the variables, and at all cells up to ``further`` steps away."""
        pairs = enumerate(zip(self.values, self.partners, strict=True))
        cells = {i for i, (value, partner) in pairs if value in variables or partner in variables}
        edges = [edge for edge in self.edges if not cells.isdisjoint(edge)]
        for _ in range(further):
            cells = {i for edge in edges for i in edge}
            edges = [edge for edge in self.edges if not cells.isdisjoint(edge)]
        return edges

    def propagator(self, domains: Domains) -> Callable[[], None]:  # noqa: ARG002
        """Return a function that removes nothing: tilings are parts of covers, stated as clauses only."""
        return lambda: None


@dataclass(frozen=True, slots=True)
class Usage(Constraint):
    """A constraint: at least (``>=``) or at most (``<=``) ``times`` dominoes of a kind lie on the board."""

    tiling: Tiling
    kind: Kind
    relation: Relation
    times: int
    label: str = ""

    @property
    def variables(self) -> tuple[int, ...]:
        return self.tiling.variables

    def holds(self, assignment: Assignment) -> bool:
        count = sum(pair == self.kind for pair in self.tiling.laid_pairs(assignment))
        return count <= self.times if self.relation is Relation.LE else count >= self.times

    def propagator(self, domains: Domains) -> Callable[[], None]:
        """Return a function that removes nothing, as for the tiling."""
        return self.tiling.propagator(domains)

    def linear_rows(self, builder: RowBuilder) -> Iterator[Row]:
        """``Σ laid >= times`` or ``<= times`` over the edges; ``laid`` is the product of four pairs."""
        tiling, laid = self.tiling, []
        item_of = {(v, a): item for item, v, a in builder.pairs_of(tiling.variables)}
        for i, j, meaning in tiling.places_of(self.kind, item_of):
            label = (self.label, *self.kind, builder.name(tiling.values[i]), builder.name(tiling.values[j]))
            column = builder.add_column("laid", label)
            negated = [(item_of[pair], -1.0) for pair in meaning]
            for (v, _), term in zip(meaning, negated, strict=True):
                yield Row("laid_only_if", (*label, builder.name(v)), -inf, 0.0, [(column, 1.0), term])
            yield Row("laid_if", label, 1.0 - len(negated), inf, [(column, 1.0), *negated])
            laid.append((column, 1.0))
        low, high = (-inf, self.times) if self.relation is Relation.LE else (self.times, inf)
        yield Row("region", (self.label, *self.kind), low, high, laid)

    def clauses(self, builder: ClauseBuilder) -> bool:
        """Add a bound on a counter of the places of the tiling; without its clauses, the rows are encoded."""
        count = count_laid(builder, self.tiling, self.kind, self.times + 1)
        if count is None:
            return False
        if self.relation is Relation.GE:
            builder.add(*([count[self.times]] if self.times < len(count) else []))
        elif self.times + 1 < len(count):
            builder.add(-count[self.times + 1])
        return True

    def renumbered(self, number: Mapping[int, int], values: Mapping[int, Mapping[int, int]] = {}) -> Self:
        return replace(self, tiling=self.tiling.renumbered(number, values))


PARTS = {Relation.LE: "only", Relation.GE: "all"}
"""The names of the two halves of the constraint that fixes the number of dominoes of a kind."""


def tiling_of(cover: DominoCover) -> Tiling:
    """Return the tiling of the cover, without the numbers of dominoes of each kind."""
    return Tiling(cover.values, cover.partners, cover.edges, tuple(cover.kinds), cover.label)


def usages(cover: DominoCover) -> Iterator[Usage]:
    """Yield the constraints of the cover beyond its tiling: an upper and a lower bound for each kind."""
    tiling = tiling_of(cover)
    for kind, times in cover.kinds.items():
        for relation in PARTS:
            yield Usage(tiling, kind, relation, times, cover.label)
