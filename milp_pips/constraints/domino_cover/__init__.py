"""The constraint that dominoes cover the cells of a board."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import le
from typing import TYPE_CHECKING

from milp_pips.constraints.domino_cover.board import Board, Edge, Kind
from milp_pips.constraints.domino_cover.propagation import PropagatedCover
from milp_pips.problem.automaton import Domain
from milp_pips.problem.constraint import Assignment, Constraint, Domains
from milp_pips.problem.errors import Contradiction
from milp_pips.problem.fields import (
    changed,
    check_scope,
    rows_of_numbers,
    set_edges,
    set_field,
    whole_numbers,
)

if TYPE_CHECKING:
    from milp_pips.algorithms.connectivity import Groups


@dataclass(frozen=True, slots=True)
class DominoCover(Board):
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

    dominoes: tuple[Kind, ...]
    label: str = ""

    def __post_init__(self) -> None:
        for name in ("values", "partners"):
            set_field(self, name, whole_numbers("DominoCover", name, getattr(self, name)))
        check_scope(self)
        n = len(self.values)
        if len(self.partners) != n:
            count = f"{n} values and {len(self.partners)} partners"
            raise ValueError(f"DominoCover has one value and one partner per cell; got {count}")
        set_edges(self, n)
        set_field(self, "dominoes", rows_of_numbers("DominoCover", "dominoes", self.dominoes, 2))
        if len(set(self.edges)) < len(self.edges):
            raise ValueError("DominoCover contains an edge twice")
        if not all(a <= b for a, b in self.dominoes):
            a, b = next(domino for domino in self.dominoes if domino[0] > domino[1])
            raise ValueError(f"DominoCover has the domino {(a, b)}; write {(b, a)}, the lesser half first")
        if not all(map(le, self.dominoes, self.dominoes[1:])):
            raise ValueError("the dominoes of DominoCover are not in increasing order: sort them")

    def with_edges(self, edges: tuple[Edge, ...]) -> DominoCover:
        """Return the same cover with some of its edges, which are not checked."""
        return changed(self, edges=edges)

    def holds(self, assignment: Assignment) -> bool:
        laid = list(self.laid_pairs(assignment))
        return None not in laid and sorted(laid) == list(self.dominoes)  # type: ignore[type-var]

    @property
    def kinds(self) -> dict[Kind, int]:
        """The number of dominoes of each kind."""
        return dict(Counter(self.dominoes))

    @property
    def bounds(self) -> dict[Kind, tuple[int, int]]:
        """The least and the greatest number of dominoes of each kind, which are equal."""
        return {kind: (times, times) for kind, times in self.kinds.items()}

    @property
    def permuted(self) -> tuple[int, ...]:
        return self.values

    def propagator(self, domains: Domains) -> PropagatedCover:
        """Return the propagator, which keeps edges in place of the domains of the partners."""
        return PropagatedCover(self, domains)


def covers_of(constraints: Iterable[Constraint]) -> list[DominoCover]:
    """Return the domino covers among the constraints: the boards that some algorithms decide cell by cell."""
    return [constraint for constraint in constraints if isinstance(constraint, DominoCover)]


def rules_of(constraints: Iterable[Constraint]) -> list[Constraint]:
    """Return the constraints that are not domino covers, in their order."""
    return [constraint for constraint in constraints if not isinstance(constraint, DominoCover)]


def partners_of(constraints: Iterable[Constraint]) -> set[int]:
    """Return the variables that say which cell shares a domino with a cell."""
    return {v for cover in covers_of(constraints) for v in cover.partners}


# ------------------------------------------------------------------------------------------- splitting


class CoverSplit:
    """The split of a domino cover where no edge and no kind of domino joins its open cells.

    Raises Contradiction if more dominoes of a kind are laid than there are, or if one fits nowhere.
    """

    def __init__(self, cover: DominoCover, domains: Sequence[Domain], groups: Groups):
        self._cover, self._groups = cover, groups
        self._left = Counter(cover.dominoes)
        partners = [domains[v] for v in cover.partners]
        values = [domains[v] for v in cover.values]
        self._edges: list[Edge] = []
        laid: set[int] = set()
        for i, j in cover.open_edges(domains.__getitem__):
            if len(partners[i]) == len(partners[j]) == len(values[i]) == len(values[j]) == 1:
                laid |= {i, j}
                self._left[min(values[i][0], values[j][0]), max(values[i][0], values[j][0])] -= 1
            else:
                self._edges.append((i, j))
        self._cells = [i for i in range(len(values)) if i not in laid]
        for i in self._cells:
            groups.join((cover.values[i], cover.partners[i]))
        self._place = {kind: groups.add() for kind, times in self._left.items() if times}
        if min(self._left.values(), default=0) < 0:
            raise Contradiction("a domino is laid more often than it is available")
        kinds_on: dict[tuple[Domain, Domain], list[int]] = {}
        for i, j in self._edges:
            pair = values[i], values[j]
            if pair not in kinds_on:
                kinds_on[pair] = self._join_kinds(*pair)
            groups.join([*kinds_on[pair], cover.values[i], cover.values[j]])

    def _join_kinds(self, first: Domain, second: Domain) -> list[int]:
        """Join the kinds that fit on cells with these domains into one group; return a member, if any."""
        places = [self._place.get((min(a, b), max(a, b))) for a in first for b in second]
        known = [place for place in places if place is not None]
        self._groups.join(known)
        return known[:1]

    def open_variables(self) -> Iterator[int]:
        """Yield the variables of the cells that no laid domino covers."""
        for i in self._cells:
            yield self._cover.values[i]
            yield self._cover.partners[i]

    def pieces(self) -> Iterator[tuple[DominoCover, tuple[int, ...]]]:
        """Yield the cover of each group, on the variables of the whole, and its cells.

        Raises Contradiction if a group does not have the number of dominoes that its cells need.
        """
        groups, cover = self._groups, self._cover
        cells: dict[int, list[int]] = {}
        for i in self._cells:
            cells.setdefault(groups.of(cover.values[i]), []).append(i)
        kinds: dict[int, list[Kind]] = {group: [] for group in cells}
        for kind in sorted(self._place):
            group = groups.of(self._place[kind])
            if group not in kinds:
                raise Contradiction(f"domino {kind[0]}-{kind[1]} can lie nowhere")
            kinds[group] += [kind] * self._left[kind]
        number = {i: n for inside in cells.values() for n, i in enumerate(inside)}
        edges: dict[int, list[Edge]] = {group: [] for group in cells}
        for i, j in self._edges:
            edges[groups.of(cover.values[i])].append((number[i], number[j]))
        for group, inside in cells.items():
            if len(inside) != 2 * len(kinds[group]):
                raise Contradiction(f"{len(inside)} cells cannot be covered by {len(kinds[group])} dominoes")
            values = tuple([cover.values[i] for i in inside])
            partners = tuple([cover.partners[i] for i in inside])
            yield (
                changed(
                    cover,
                    values=values,
                    partners=partners,
                    edges=tuple(edges[group]),
                    dominoes=tuple(kinds[group]),
                ),
                tuple(inside),
            )
