"""Split a domino cover where no edge and no kind of domino joins its open cells."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from milp_pips.algorithms.matching import Groups
from milp_pips.constraints.domino_cover import DominoCover
from milp_pips.problem.automaton import Domain
from milp_pips.problem.errors import Contradiction


class CoverSplit:
    """A domino cover during the split: the laid dominoes, and the groups of the open cells.

    Raises Contradiction if more dominoes of a kind are laid than there are, or if one fits nowhere.
    """

    def __init__(self, cover: DominoCover, domains: Sequence[Domain], groups: Groups):
        self._cover, self._groups = cover, groups
        self._left = Counter(cover.dominoes)
        partners = [domains[v] for v in cover.partners]
        values = [domains[v] for v in cover.values]
        self._edges: list[tuple[int, int]] = []
        laid: set[int] = set()
        for i, j in cover.edges:
            if j in partners[i] and i in partners[j]:
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
        hosted: dict[tuple[tuple[int, ...], tuple[int, ...]], int | None] = {}
        for i, j in self._edges:
            pair = values[i], values[j]
            if pair not in hosted:
                hosted[pair] = self._join_kinds(*pair)
            kinds = hosted[pair]
            groups.join(
                (cover.values[i], cover.values[j])
                if kinds is None
                else (kinds, cover.values[i], cover.values[j])
            )

    def _join_kinds(self, first: tuple[int, ...], second: tuple[int, ...]) -> int | None:
        """Join the kinds that fit on cells with these domains into one group; return it, or None."""
        places = [self._place.get((min(a, b), max(a, b))) for a in first for b in second]
        known = [place for place in places if place is not None]
        self._groups.join(known)
        return known[0] if known else None

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
        kinds: dict[int, list[tuple[int, int]]] = {group: [] for group in cells}
        for kind in sorted(self._place):
            group = groups.of(self._place[kind])
            if group not in kinds:
                raise Contradiction(f"domino {kind[0]}-{kind[1]} can lie nowhere")
            kinds[group] += [kind] * self._left[kind]
        number = {i: n for inside in cells.values() for n, i in enumerate(inside)}
        edges: dict[int, list[tuple[int, int]]] = {group: [] for group in cells}
        for i, j in self._edges:
            edges[groups.of(cover.values[i])].append((number[i], number[j]))
        for group, inside in cells.items():
            if len(inside) != 2 * len(kinds[group]):
                raise Contradiction(f"{len(inside)} cells cannot be covered by {len(kinds[group])} dominoes")
            values = tuple([cover.values[i] for i in inside])
            partners = tuple([cover.partners[i] for i in inside])
            yield (
                DominoCover(values, partners, tuple(edges[group]), tuple(kinds[group]), cover.label),
                tuple(inside),
            )
