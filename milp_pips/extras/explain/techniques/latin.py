"""What follows from groups of cells that all differ: the named techniques of Sudokus, for all Latin families.

They work on the bits of ``milp_pips.extras.explain.techniques.table``; those of one value at all cells are a
column. Names, order and prices are those of *Sudoku Explainer* (Juillerat 2006). Simple colouring, which it
counts among the chains on one value, comes last.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations, pairwise, permutations
from typing import NamedTuple

from milp_pips.extras.explain.techniques.knowledge import Deduction, Knowledge
from milp_pips.extras.explain.techniques.rules import PropagatedRule
from milp_pips.extras.explain.techniques.table import FactTable, bits, union

LATIN_PRICES = {
    "pointing": 2.6,
    "box-line": 2.8,
    "naked pair": 3.0,
    "X-wing": 3.2,
    "hidden pair": 3.4,
    "naked triple": 3.6,
    "swordfish": 3.8,
    "hidden triple": 4.0,
    "XY-wing": 4.2,
    "colouring": 4.4,
}
"""The prices, the cheapest first: those of *Sudoku Explainer* 1.2.1, but for the last."""

LONGEST_COLOURING = 8
"""The most cells in a row that are coloured in turn: a longer chain is hard to follow."""


class Group(NamedTuple):
    """A rule that its cells differ. It is ``full`` if it has a place for every value.

    ``kind`` is the first word of its label: ``row``, ``box``.
    """

    item: int
    scope: int
    variables: tuple[int, ...]
    full: bool
    kind: str


class Look(NamedTuple):
    """The bits that a technique looks at in one place, and what it concludes from those that are left."""

    view: int
    technique: Callable[[int], Iterator[Deduction]]


class LatinTechniques:
    """The techniques of one problem, by name, the cheapest first."""

    def __init__(self, table: FactTable, rules: Sequence[PropagatedRule]):
        self.table = table
        self._groups = [
            Group(
                rule.numbers[0],
                rule.scope,
                rule.variables,
                len({x for v in rule.variables for x in table.variables[v].domain}) == len(rule.variables),
                rule.piece.label.partition(" ")[0],
            )
            for rule in rules
            if rule.is_different
        ]
        self._cells = sorted({v for group in self._groups for v in group.variables})
        self._around: dict[int, list[Group]] = {v: [] for v in self._cells}
        for group in self._groups:
            for v in group.variables:
                self._around[v].append(group)
        self._column = [sum(1 << (v * table.width + p) for v in self._cells) for p in range(table.width)]
        self._quiet: dict[tuple[str, int], int] = {}
        self._view = union(group.scope for group in self._groups)
        crossing, meeting = self._kinds()
        lines = {kind for pair in crossing for kind in pair}
        boxes, others = ([at for at in meeting if (at[0] in lines) is wanted] for wanted in (False, True))
        looks = {
            "pointing": self._fishes("pointing", 1, boxes),
            "box-line": self._fishes("box-line", 1, others),
            "naked pair": self._in_groups(self._naked, "naked pair", 2),
            "X-wing": self._fishes("X-wing", 2, crossing),
            "hidden pair": self._in_groups(self._hidden, "hidden pair", 2),
            "naked triple": self._in_groups(self._naked, "naked triple", 3),
            "swordfish": self._fishes("swordfish", 3, crossing),
            "hidden triple": self._in_groups(self._hidden, "hidden triple", 3),
            "XY-wing": [Look(self._view, self._xy_wing)],
            "colouring": [Look(column, partial(self._colouring, p)) for p, column in enumerate(self._column)],
        }
        self.named = {name: partial(self._unless_quiet, name, looks[name]) for name in LATIN_PRICES}

    def _kinds(self) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
        """Return the pairs of kinds whose groups cross in one cell, and those that meet in several cells."""
        shared: dict[tuple[str, str], int] = {}
        for one, other in permutations(self._groups, 2):
            if one.full and one.kind != other.kind:
                pair, both = (one.kind, other.kind), len({*one.variables} & {*other.variables})
                shared[pair] = max(both, shared.get(pair, 0))
        crossing = [pair for pair, most in shared.items() if most == 1]
        return crossing, [pair for pair, most in shared.items() if most > 1]

    def _unless_quiet(self, name: str, looks: Sequence[Look], knowledge: Knowledge) -> Iterator[Deduction]:
        """Yield the deductions of a technique, unless nothing has changed where there were none."""
        for number, look in enumerate(looks):
            left = knowledge.alive & look.view
            if self._quiet.get((name, number)) == left:
                continue
            found = False
            for deduction in look.technique(left):
                found = True
                yield deduction
            if not found:
                self._quiet[name, number] = left

    def _values(self, positions: int) -> int:
        """Return the bits of these values, by position, at all cells."""
        return union(self._column[p] for p in bits(positions))

    # Subsets of one group.

    def _in_groups(self, technique: Callable[..., Iterator[Deduction]], name: str, size: int) -> list[Look]:
        return [Look(group.scope, partial(technique, name, size, group)) for group in self._groups]

    def _naked(self, name: str, size: int, group: Group, alive: int) -> Iterator[Deduction]:
        """As many cells of a group as they have values left: no other cell of it has one of these."""
        table = self.table
        masks = [(v, table.mask(alive, v)) for v in group.variables]
        few = [(v, mask) for v, mask in masks if 1 < mask.bit_count() <= size]
        for cells in combinations(few, size):
            left = union([mask for _, mask in cells])
            if left.bit_count() == size:
                own = sum([table.all_of(v) for v, _ in cells])
                values = self._values(left)
                if gone := values & ~own & alive:
                    yield self._subset(name, group, gone, own & table.start & ~values)

    def _hidden(self, name: str, size: int, group: Group, alive: int) -> Iterator[Deduction]:
        """As many values as they have places left in a group: no other value is there."""
        table = self.table
        if not group.full:
            return
        places = [(column, column & alive) for column in self._column]
        few = [each for each in places if 1 < each[1].bit_count() <= size]
        for values in combinations(few, size):
            left = union([left for _, left in values])
            if left.bit_count() <= size * size and len(cells := table.variables_in(left)) == size:
                own = sum(map(table.all_of, cells))
                columns = union([column for column, _ in values])
                if gone := own & ~columns & alive:
                    yield self._subset(name, group, gone, group.scope & columns & table.start & ~own)

    def _subset(self, name: str, group: Group, gone: int, premises: int) -> Deduction:
        return Deduction(name, gone, premises, (group.item,), tuple(self.table.pairs_in(premises)))

    # One value in several groups.

    def _fishes(self, name: str, size: int, kinds: Sequence[tuple[str, str]]) -> list[Look]:
        found = list[Look]()
        for kind, other in kinds:
            bases = [group for group in self._groups if group.kind == kind and group.full]
            covers = [group for group in self._groups if group.kind == other]
            for p, column in enumerate(self._column):
                found.append(Look(column, partial(self._fish, name, size, bases, covers, p)))
        return found

    def _fish(
        self, name: str, size: int, bases: Sequence[Group], covers: Sequence[Group], p: int, alive: int
    ) -> Iterator[Deduction]:
        """A value has its places in some groups only where as many others of another kind cross them.

        So it has its places in those there, and no others in them.
        """
        column, most = self._column[p], size if size > 1 else len(self._cells)
        left = [(group, group.scope & alive) for group in bases]
        few = [each for each in left if 1 < each[1].bit_count() <= most]
        for chosen in combinations(few, size):
            for over in self._covering(covers, union([places for _, places in chosen]), size):
                scope = union([group.scope for group, _ in chosen])
                if scope.bit_count() < sum(group.scope.bit_count() for group, _ in chosen):
                    continue  # one place could serve two of the groups
                crossed = union([group.scope for group in over])
                if gone := crossed & alive & ~scope:
                    items = tuple(group.item for group, _ in chosen)
                    others = tuple(group.item for group in over)
                    premises = column & scope & ~crossed & self.table.start
                    detail = self.table.values[p], items, others
                    yield Deduction(name, gone, premises, items + others, detail)

    def _covering(self, covers: Sequence[Group], places: int, size: int) -> Iterator[Sequence[Group]]:
        """Yield as many groups as that contain the places."""
        touched = [group for group in covers if group.scope & places]
        if size == 1:
            yield from ([group] for group in touched if not places & ~group.scope)
        elif len(touched) == size and not places & ~union(group.scope for group in touched):
            yield touched

    # Cells that see each other.

    def _shared(self, u: int, v: int) -> Group | None:
        """Return a group of both cells; None without one."""
        return next((group for group in self._around[u] if v in group.variables), None) if u != v else None

    def _seen_by_both(self, bit: int, u: int, v: int, alive: int) -> tuple[int, tuple[int, ...]]:
        """Return the bits of a value, by its position, at the cells that see both; and the items for it."""
        width = self.table.width
        one, other = (union(group.scope for group in self._around[w]) for w in (u, v))
        gone = one & other & self._column[bit] & alive & ~self.table.all_of(u) & ~self.table.all_of(v)
        items = dict[int, None]()
        for t in (position // width for position in bits(gone)):
            for w in (u, v):
                if (group := self._shared(t, w)) is not None:
                    items[group.item] = None
        return gone, tuple(items)

    def _xy_wing(self, alive: int) -> Iterator[Deduction]:
        """A cell is a or b; with a one cell that it sees is c, with b another: one of them is c."""
        table = self.table
        masks = {v: mask for v in self._cells if (mask := table.mask(alive, v)).bit_count() == 2}
        for pivot, mask in masks.items():
            near = [(v, group) for v in masks if (group := self._shared(pivot, v)) and masks[v] != mask]
            for (u, one), (v, other) in combinations(near, 2):
                third = masks[u] & masks[v] & ~mask
                if masks[u] ^ masks[v] != mask or not third:
                    continue
                gone, items = self._seen_by_both(third.bit_length() - 1, u, v, alive)
                if gone:
                    premises = sum(table.all_of(w) for w in (pivot, u, v)) & table.start & ~alive
                    detail = (
                        pivot,
                        u,
                        v,
                        *(self._value(each) for each in (mask & masks[u], mask & masks[v], third)),
                    )
                    items = tuple(dict.fromkeys((one.item, other.item, *items)))
                    yield Deduction("XY-wing", gone, premises, items, detail)

    def _value(self, mask: int) -> int:
        return self.table.values[mask.bit_length() - 1]

    def _colouring(self, p: int, alive: int) -> Iterator[Deduction]:
        """Each group on a path has two places left for a value, so the value is at one end of the path."""
        table = self.table
        links: dict[int, dict[int, Group]] = {}
        for group in self._groups:
            left = group.scope & alive
            if group.full and left.bit_count() == 2:
                u, v = (position // table.width for position in bits(left))
                links.setdefault(u, {}).setdefault(v, group)
                links.setdefault(v, {}).setdefault(u, group)
        for u in links:
            for path in self._paths(links, u):
                if path[-1] < u:  # from the other end it is found as well
                    continue
                gone, items = self._seen_by_both(p, u, path[-1], alive)
                if gone:
                    steps = list(pairwise(path))
                    groups = [links[one][other] for one, other in steps]
                    premises = 0
                    for (one, other), group in zip(steps, groups, strict=True):
                        premises |= group.scope & ~table.all_of(one) & ~table.all_of(other)
                    own = tuple(group.item for group in groups)
                    yield Deduction(
                        "colouring",
                        gone,
                        premises & self._column[p] & table.start,
                        tuple(dict.fromkeys((*own, *items))),
                        (table.values[p], tuple(path), own),
                    )

    def _paths(self, links: Mapping[int, Mapping[int, Group]], start: int) -> Iterator[list[int]]:
        """Yield a shortest path from a cell to each that has the other colour, the shortest first."""
        before, waiting = {start: start}, [start]
        for _ in range(LONGEST_COLOURING - 1):
            following = list[int]()
            for v in waiting:
                for w in links[v]:
                    if w not in before:
                        before[w] = v
                        following.append(w)
            waiting = following
            for v in waiting:
                path = [v]
                while path[-1] != start:
                    path.append(before[path[-1]])
                if len(path) % 2 == 0 and len(path) > 2:
                    yield path[::-1]
