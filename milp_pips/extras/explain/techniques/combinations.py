"""What follows from all ways to make a sum, if the number of times that each value can be used is limited."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from milp_pips.extras.explain.techniques.knowledge import Deduction, Knowledge, Source
from milp_pips.extras.explain.techniques.table import FactTable, bits
from milp_pips.problem.constraint import BoundedSum

MOST_COMBINATIONS = 4000
"""The most states of a search for combinations; beyond, the technique is not tried: no person would."""

MOST_RESULTS = 10_000
"""The most results that are remembered for one sum."""

State = tuple[int, tuple[int, ...]]
"""The sum so far, and how often each scarce value can still be used."""


class CellSum(NamedTuple):
    """A sum: its cells, its bounds, and the numbers of the items that state it."""

    variables: Sequence[int]
    bounds: BoundedSum
    items: tuple[int, ...]


class Combinations(Source):
    """The values that the cells of a sum can show: each value as often as it is left.

    Parameters
    ----------
    name
        The technique.
    total
        The sum.
    limits
        The numbers of the items that limit the values.
    supply
        How often each value can be used; None if it is not limited.
    others
        The cells outside the sum; those that show a value use it.
    """

    def __init__(
        self,
        table: FactTable,
        name: str,
        total: CellSum,
        limits: tuple[int, ...],
        supply: Mapping[int, int] | None,
        others: Collection[int] = (),
    ):
        super().__init__(table)
        self.name = name
        self._variables, self._bounds, self._items = total
        self._limits, self._supply, self._others = limits, supply, others
        self.scopes = list(map(table.all_of, (*others, *self._variables)))
        self._outside = list(map(table.all_of, others))
        self._inside = sum(map(table.all_of, self._variables))
        self._quiet = -1
        self._removed: dict[int, int | None] = {}

    def deductions(self, knowledge: Knowledge) -> Iterator[Deduction]:
        """Yield the values that occur in no combination."""
        seen, table = self._inside, self.table
        for scope in self._outside:
            left = knowledge.alive & scope
            if left and not left & (left - 1):
                seen |= scope
        alive = knowledge.alive & seen
        if alive == self._quiet:
            return
        known = seen & table.start & ~alive
        if (gone := self.removes(known)) == 0:
            self._quiet = alive
        else:
            yield Deduction(self.name, gone, known, (*self._items, *self._limits), True, source=self)

    def thinned_to(self, deduction: Deduction, gone: int | None) -> Deduction:
        found = super().thinned_to(deduction, gone)
        # Which cells show what outside, or that values are limited at all, may not matter.
        removed = self.impossible(found.premises, None)
        if removed is None or (gone is not None and not gone & ~removed):
            found = found._replace(premises=found.premises & self._inside, items=self._items, detail=False)
        return found

    def removes(self, known: int) -> int | None:
        if known not in self._removed:
            if len(self._removed) > MOST_RESULTS:
                self._removed.clear()
            self._removed[known] = self.impossible(known, self._supply)
        return self._removed[known]

    def impossible(self, known: int, supply: Mapping[int, int] | None) -> int | None:
        """Return the values that occur in no combination; None if there is no combination."""
        table, values, alive = self.table, self.table.values, self.table.start & ~known
        left = dict(supply or {})
        for v in self._others if supply else ():
            if (x := table.only_value(alive, v)) in left:
                left[x] -= 1
        domains = [[values[x] for x in bits(table.mask(alive, v))] for v in self._variables]
        if not all(domains):
            return None
        able = {x: sum(x in domain for domain in domains) for x in left}
        scarce = sorted(x for x, times in left.items() if times < able[x])
        place = {x: n for n, x in enumerate(scarce)}
        low, high = self._bounds.interval
        least, most = sum(domain[0] for domain in domains), sum(domain[-1] for domain in domains)
        layers: list[set[State]] = [{(0, tuple(left[x] for x in scarce))}]
        for domain in domains:
            least, most = least - domain[0], most - domain[-1]  # the bounds of the cells to come
            following = (_after(state, x, place) for state in layers[-1] for x in domain)
            layers.append(
                {
                    state
                    for state in following
                    if state and state[0] + least <= high and state[0] + most >= low
                }
            )
            if len(layers[-1]) > MOST_COMBINATIONS:
                return 0
        good, gone = layers.pop(), 0
        if not good:
            return None
        for v, domain, layer in zip(self._variables[::-1], domains[::-1], layers[::-1], strict=True):
            ways = [(state, x) for state in layer for x in domain if _after(state, x, place) in good]
            good = {state for state, _ in ways}
            gone |= sum(table.value_bit(v, x) for x in set(domain) - {x for _, x in ways})
        return gone


def _after(state: State, x: int, place: Mapping[int, int]) -> State | None:
    """Return the state after a cell has shown a value; None if it is used up."""
    total, left = state
    if x not in place:
        return total + x, left
    n = place[x]
    return (total + x, (*left[:n], left[n] - 1, *left[n + 1 :])) if left[n] > 0 else None
