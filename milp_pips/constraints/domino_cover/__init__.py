"""The constraint that dominoes cover the cells of a board."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import le
from typing import ClassVar, Self

from milp_pips.constraints.domino_cover.clauses import tile
from milp_pips.constraints.domino_cover.propagation import PropagatedCover
from milp_pips.constraints.domino_cover.rows import LINEARISATIONS, cover_rows, default_linearisation
from milp_pips.problem.constraint import Assignment, ClauseBuilder, Constraint, DomainView, Row, RowBuilder
from milp_pips.problem.fields import check_scope, rows_of_numbers, set_field, whole_numbers


@dataclass(frozen=True, slots=True)
class DominoCover(Constraint):
    """The cells are perfectly matched along edges, and the matched value pairs are the given dominoes.

    Cell ``i`` has the value variable ``values[i]`` and the partner variable ``partners[i]``, whose value is
    the number of the cell that shares its domino. Each assignment of values and partners corresponds to
    exactly one placement, even if the dominoes contain duplicates.

    Parameters
    ----------
    values, partners
        One variable per cell.
    edges
        Pairs ``(i, j)`` of cell numbers, ``i < j``: where a domino may lie.
    dominoes
        The multiset of dominoes, each ``(a, b)`` with ``a <= b``, in increasing order.
    """

    values: tuple[int, ...]
    partners: tuple[int, ...]
    edges: tuple[tuple[int, int], ...]
    dominoes: tuple[tuple[int, int], ...]
    label: str = ""

    def __post_init__(self) -> None:
        for name in ("values", "partners"):
            set_field(self, name, whole_numbers("DominoCover", name, getattr(self, name)))
        check_scope(self)
        n = len(self.values)
        if len(self.partners) != n:
            count = f"{n} values and {len(self.partners)} partners"
            raise ValueError(f"DominoCover has one value and one partner per cell; got {count}")
        for name in ("edges", "dominoes"):
            set_field(self, name, rows_of_numbers("DominoCover", name, getattr(self, name), 2))
        if not all(0 <= i < j < n for i, j in self.edges):
            wrong = next(edge for edge in self.edges if not 0 <= edge[0] < edge[1] < n)
            raise ValueError(f"DominoCover has the edge {wrong}; expected (i, j) with 0 <= i < j < {n}")
        if len(set(self.edges)) < len(self.edges):
            raise ValueError("DominoCover contains an edge twice")
        if not all(a <= b for a, b in self.dominoes):
            a, b = next(domino for domino in self.dominoes if domino[0] > domino[1])
            raise ValueError(f"DominoCover has the domino {(a, b)}; write {(b, a)}, the lesser half first")
        if not all(map(le, self.dominoes, self.dominoes[1:])):
            raise ValueError("the dominoes of DominoCover are not in increasing order: sort them")

    @property
    def variables(self) -> tuple[int, ...]:
        return self.values + self.partners

    @property
    def kinds(self) -> dict[tuple[int, int], int]:
        """The number of dominoes of each kind."""
        return dict(sorted(Counter(self.dominoes).items()))

    @property
    def bounds(self) -> dict[tuple[int, int], tuple[int, int]]:
        """The least and the greatest number of dominoes of each kind, which are equal."""
        return {kind: (times, times) for kind, times in self.kinds.items()}

    def formula(self, names: Sequence[str]) -> str:
        cells = [names[v] for v in self.values]
        edges = ", ".join(f"{cells[i]}-{cells[j]}" for i, j in self.edges)
        dominoes = ", ".join(f"{a}-{b}" for a, b in self.dominoes)
        return f"DominoCover({', '.join(cells)}; edges = {edges}; dominoes = {dominoes})"

    def holds(self, assignment: Assignment) -> bool:
        edges = set(self.edges)
        partner = [assignment[v] for v in self.partners]
        laid = []
        for i, j in enumerate(partner):
            if not 0 <= j < len(partner) or partner[j] != i or (min(i, j), max(i, j)) not in edges:
                return False
            if i < j:
                a, b = assignment[self.values[i]], assignment[self.values[j]]
                laid.append((min(a, b), max(a, b)))
        return sorted(laid) == list(self.dominoes)

    @property
    def permuted(self) -> tuple[int, ...]:
        return self.values

    def propagator(self, domains: DomainView) -> PropagatedCover:
        """Return the propagator, which keeps edges in place of the domains of the partners."""
        return PropagatedCover(self, domains)

    linearisations: ClassVar[Mapping[str, str]] = LINEARISATIONS

    def default_linearisation(self, *, listing: bool, projecting: bool) -> str:
        return default_linearisation(self, listing=listing, projecting=projecting)

    def linear_rows(self, builder: RowBuilder) -> Iterator[Row]:
        return cover_rows(builder, self)

    def clauses(self, builder: ClauseBuilder) -> bool:
        places = tile(builder, self)
        for kind, times in self.kinds.items():
            if builder.interrupted():
                break
            builder.between(places[kind], times, times)
        return True

    def renumbered(self, number: Mapping[int, int], values: Mapping[int, Mapping[int, int]] = {}) -> Self:  # noqa: ARG002
        return replace(
            self,
            values=tuple([number[v] for v in self.values]),
            partners=tuple([number[v] for v in self.partners]),
        )


def covers_of(constraints: Iterable[Constraint]) -> list[DominoCover]:
    """Return the domino covers among the constraints: the boards that some algorithms decide cell by cell."""
    return [constraint for constraint in constraints if isinstance(constraint, DominoCover)]


def rules_of(constraints: Iterable[Constraint]) -> list[Constraint]:
    """Return the constraints that are no domino covers, in their order."""
    return [constraint for constraint in constraints if not isinstance(constraint, DominoCover)]
