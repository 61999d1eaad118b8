"""What follows from one rule: its own propagator, and the dominoes that lie, or would lie, inside it."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from math import inf

from milp_pips.extras.explain.techniques.knowledge import Deduction, Knowledge, Memory, Source
from milp_pips.extras.explain.techniques.table import MOST_REMEMBERED, FactTable, Tray, bits, union
from milp_pips.problem.errors import Contradiction


class PropagatedRule(Source):
    """One item, or several on the same cells, and their propagators, which run on any set of facts.

    ``parts`` are the rules of single items, of which a deduction may need only one.
    """

    def __init__(self, table: FactTable, numbers: Sequence[int], parts: Sequence[PropagatedRule] = ()):
        super().__init__(table)
        self.numbers, self.parts = tuple(numbers), parts
        pieces = [table.grouped.items[n].piece for n in numbers]
        self.piece = pieces[0]
        self.variables = self.piece.variables
        self.scopes = [table.all_of(v) for v in self.variables]
        self.scope = sum(self.scopes)
        self.is_different = len(pieces) == 1 and self.piece.all_different
        """Whether it says no more than that its cells differ; subsets of them are techniques of their own."""
        self._removed: dict[int, int | None] = {}
        self._nothing_at_sight = set[int]()
        self._thinned_to_cell: dict[tuple[int, int | None], Deduction] = {}
        self._with_value = {
            bit: sum(bit << (v * table.width) for v in self.variables) for bit in table.domains.bit.values()
        }
        if self.is_different:  # what a value with one place rests on is about that value alone
            self.scopes += self._with_value.values()
        self._propagators = [piece.propagator(table.domains) for piece in pieces]

    def removes(self, known: int) -> int | None:
        return self.removes_from(self.table.start & ~known)

    def removes_from(self, alive: int) -> int | None:
        """Return the bits of these that the propagators remove; None for a contradiction."""
        alive &= self.scope
        if alive not in self._removed:
            if len(self._removed) > MOST_REMEMBERED:
                self._removed.clear()
            self._removed[alive] = self._singles(alive) if self.is_different else self._propagated(alive)
        return self._removed[alive]

    def _propagated(self, alive: int) -> int | None:
        table, domains = self.table, self.table.domains
        length, width, full = len(domains.trail), table.width, table.full
        left = [(v, alive >> (v * width) & full) for v in self.variables]
        if not all(mask for _, mask in left):
            return None
        try:
            for v, mask in left:
                domains.trail.write(domains.masks, v, mask)
            for propagate in self._propagators:
                propagate()
            return sum([(mask & ~domains.masks[v]) << (v * width) for v, mask in left])
        except Contradiction:
            return None
        finally:
            domains.trail.undo(length)
            domains.changed.clear()

    def _singles(self, alive: int) -> int | None:
        """Return what goes since cells that differ have one value left, or values one place."""
        width, full = self.table.width, self.table.full
        left = [(v * width, alive >> (v * width) & full) for v in self.variables]
        once = twice = known = gone = 0
        for _, mask in left:
            twice |= once & mask
            once |= mask
            if not mask & (mask - 1):
                if not mask or known & mask:
                    return None
                known |= mask
        if once.bit_count() < len(left):
            return None
        alone = once & ~twice if once.bit_count() == len(left) else 0  # every value has a place
        for shift, mask in left:
            if own := mask & alone:
                if own & (own - 1):
                    return None
                gone |= (mask & ~own) << shift
            elif mask & (mask - 1):
                gone |= (mask & known) << shift
        return gone

    def deductions(self, knowledge: Knowledge) -> Iterator[Deduction]:
        """Yield what the rule removes, if it removes anything, with all that it could have used."""
        gone = self.removes_from(knowledge.alive)
        if gone != 0:
            premises = self.table.start & self.scope & ~knowledge.alive
            yield Deduction("rule", gone, premises, self.numbers, source=self)

    def at_sight(self, knowledge: Knowledge) -> Iterator[Deduction]:
        """Yield for each value that is known in an all-different rule that no other cell shows it."""
        view = knowledge.alive & self.scope
        if not self.piece.all_different or view in self._nothing_at_sight:
            return
        table, nothing = self.table, True
        for v in self.variables:
            mask = table.mask(view, v)
            if mask & (mask - 1) or not mask:
                continue
            others = self._with_value[mask] & ~table.all_of(v) & view
            if others:
                nothing = False
                value = table.values[mask.bit_length() - 1]
                if knowledge.stated & table.value_bit(v, value) or len(table.variables[v].domain) == 1:
                    premises = table.all_of(v) & table.start & ~view
                    yield Deduction("sight", others, premises, self.numbers, (v, value))
        if nothing:
            self._nothing_at_sight.add(view)

    def thinned(self, deduction: Deduction) -> Deduction:
        """Return the conclusions on the cell that is known best, by a part of the rule if that is enough."""
        # A look that is not taken is there again at the next step.
        key = deduction.premises, deduction.gone
        if key not in self._thinned_to_cell:
            if len(self._thinned_to_cell) > MOST_REMEMBERED:
                self._thinned_to_cell.clear()
            self._thinned_to_cell[key] = self._on_one_cell(deduction)
        return self._thinned_to_cell[key]

    def _on_one_cell(self, deduction: Deduction) -> Deduction:
        table, premises, gone = self.table, deduction.premises, deduction.gone
        if (part := self._enough(premises, gone)) is not None:
            return part.thinned(deduction._replace(items=part.numbers, source=part))
        if gone is None:
            return self.thinned_to(deduction, None)
        removed, alive = gone, table.start & self.scope & ~premises & ~gone
        best = min(
            (v for v in self.variables if removed & table.all_of(v)),
            key=lambda v: (
                v not in table.shown_set,
                table.mask(alive, v).bit_count(),
                -(removed & table.all_of(v)).bit_count(),
            ),
        )
        gone &= table.all_of(best)
        if self.leaves_one(premises, alive, best):
            gone, premises = table.all_of(best) & table.start & ~alive, premises & ~table.all_of(best)
        return self.thinned_to(deduction._replace(premises=premises), gone)

    def leaves_one(self, premises: int, alive: int, v: int) -> bool:
        """Whether the rule alone leaves the one value that a variable has left, whatever was gone before."""
        others, own = self.table.all_of(v) & self.table.start & ~alive, self.table.all_of(v)
        return self.table.mask(alive, v).bit_count() == 1 and self.follows(others, premises & ~own)

    def thinned_to(self, deduction: Deduction, gone: int | None) -> Deduction:
        if (part := self._enough(deduction.premises, gone)) is not None:
            return part.thinned_to(deduction._replace(items=part.numbers, source=part), gone)
        return super().thinned_to(deduction, gone)

    def _enough(self, premises: int, gone: int | None) -> PropagatedRule | None:
        """Return a part of the rule from which the same follows; None if there is none."""
        for part in self.parts:
            removed = part.removes(premises)
            if removed is None or (gone is not None and not gone & ~removed):
                return part
        return None


class PairsInside:
    """The dominoes that a rule allows on the edges between two of its cells."""

    def __init__(self, rule: PropagatedRule, tray: Tray):
        self.rule, self.tray = rule, tray
        self.memory: Memory = {}
        inside = {tray.values.index(v) for v in rule.variables if v in tray.values}
        self.edges = [e for e, (i, j) in enumerate(tray.edges) if i in inside and j in inside]
        self._forbidden: dict[tuple[int, int], int] = {}
        self._seen = -1
        total = rule.piece.bounded_sum
        self._bounds = (-inf, inf) if total is None or total.coefficients else total.interval

    def forbidden(self, alive: int, e: int) -> int:
        """Return the places on the edge that the rule forbids when the other cells have the values left."""
        cells = sum(map(self.rule.table.all_of, self.tray.cells(e)))
        key = e, alive & (self.rule.scope & ~cells | self.tray.on_edge[e])
        if key not in self._forbidden:
            if len(self._forbidden) > MOST_REMEMBERED:
                self._forbidden.clear()
            self._forbidden[key] = self._forbids(key[1], e)
        return self._forbidden[key]

    def _forbids(self, left: int, e: int) -> int:
        rule, table, (u, v) = self.rule, self.rule.table, self.tray.cells(e)
        low, high = self._bounds
        others = [table.mask(left, w) for w in rule.variables if w not in (u, v)]
        if (low == -inf) != (high == inf) and all(others):  # its propagator sees no more than the bounds
            low -= sum([table.values[mask.bit_length() - 1] for mask in others])
            high -= sum([table.values[(mask & -mask).bit_length() - 1] for mask in others])
            pairs = self.tray.with_pair[e].items()
            return left & union(bit for (a, b), bit in pairs if not low <= a + b <= high)
        found = 0
        for (a, b), bit in self.tray.with_pair[e].items():
            values = left | table.value_bit(u, a) | table.value_bit(v, b)
            if left & bit and rule.removes_from(values) is None:
                found |= bit
        return found

    @property
    def at_once(self) -> Deduction:
        """The places that the rule forbids whatever its other cells show."""
        gone = union(self.forbidden(self.rule.table.start, e) for e in self.edges)
        return Deduction("inside", gone, 0, self.rule.numbers)

    def by_values(self, knowledge: Knowledge) -> Iterator[Deduction]:
        """Yield the places on one edge that the rule forbids with the values left for its other cells."""
        table, alive = self.rule.table, knowledge.alive
        view = alive & (self.rule.scope | self.tray.all_places)
        if view == self._seen:
            return
        for e in self.edges:
            if found := self.forbidden(alive, e):
                cells = self.tray.cells(e)
                others = self.rule.scope & ~sum(map(table.all_of, cells))
                source = _PairOf(self, e, found)
                known = table.start & others & ~alive
                yield Deduction("pair", found, known, self.rule.numbers, cells, source=source)
                return
        self._seen = view


class _PairOf(Source):
    """The places on one edge that a rule forbids."""

    def __init__(self, pairs: PairsInside, e: int, places: int):
        super().__init__(pairs.rule.table, pairs.memory)
        self.pairs, self.edge, self.places = pairs, e, places
        self.scopes = pairs.rule.scopes

    @property
    def key(self) -> Hashable:
        return self.edge, self.places

    def removes(self, known: int) -> int:
        values = self.table.start & self.table.all_values
        return self.pairs.forbidden(values & ~known | self.places, self.edge)


class PairSums:
    """A bounded sum of cells; the dominoes that lie inside are pairs with a least and a greatest sum."""

    def __init__(self, rule: PropagatedRule, tray: Tray):
        self.rule, self.tray, self.table = rule, tray, rule.table
        self._total = rule.piece.bounded_sum
        cells = {tray.values.index(v) for v in rule.variables if v in tray.values}
        self.cells = sorted(cells) if len(cells) == len(rule.variables) > 2 else []
        is_plain = self._total is not None and not self._total.coefficients and bool(self.cells)
        self.edges = [e for e, (i, j) in enumerate(tray.edges) if is_plain and i in cells and j in cells]
        self._view = rule.scope | sum(tray.on_edge[e] | tray.edge_bit[e] for e in self.edges)
        self._quiet: tuple[int, tuple[int, ...]] = -1, ()
        self.memory: Memory = {}

    def deductions(self, knowledge: Knowledge) -> Iterator[Deduction]:
        """Yield the values and places with which the sum is out of reach."""
        tray, alive = self.tray, knowledge.alive
        laid = [e for e in self.edges if knowledge.stated & tray.edge_bit[e]]
        view = alive & self._view, tuple(laid)
        if not laid or view == self._quiet:
            return
        gone = self.out_of_reach(alive, laid)
        if not gone:
            self._quiet = view
            return
        premises = self.rule.scope | sum(tray.on_edge[e] | tray.beside(e) for e in laid)
        cells = tuple(map(tray.cells, laid))
        known = premises & self.table.start & ~alive
        yield Deduction("pair sum", gone, known, self.rule.numbers, cells, source=_PairSum(self, laid))

    def out_of_reach(self, alive: int, laid: Sequence[int]) -> int:
        """Return the values and places with which the sum is out of reach; 0 if a cell has none left."""
        assert self._total is not None
        tray, table, (low, high) = self.tray, self.table, self._total.interval
        covered = {i for e in laid for i in tray.edges[e]}
        parts = [self._pairs(alive, e) for e in laid]
        single = {
            i: [(table.values[x], table.value_bit(v, table.values[x])) for x in bits(table.mask(alive, v))]
            for i in self.cells
            if i not in covered
            for v in [tray.values[i]]
        }
        parts += single.values()
        if not all(parts):
            return 0
        ends = [(min(of)[0], max(of)[0]) for of in parts]
        least, most = sum(bottom for bottom, _ in ends), sum(top for _, top in ends)
        others = [(of, least - bottom, most - top) for of, (bottom, top) in zip(parts, ends, strict=True)]
        for e in self.edges:  # a domino that may lie on two single cells
            i, j = tray.edges[e]
            if i in single and j in single and alive & tray.edge_bit[e]:
                bottom, top = min(single[i])[0] + min(single[j])[0], max(single[i])[0] + max(single[j])[0]
                others.append((self._pairs(alive, e), least - bottom, most - top))
        gone = 0
        for of, under, over in others:
            for total, bit in of:
                if under + total > high or over + total < low:
                    gone |= bit
        return gone

    def _pairs(self, alive: int, e: int) -> list[tuple[int, int]]:
        """Return the places left on an edge, each with its sum and its bit."""
        return [(a + b, bit) for (a, b), bit in self.tray.with_pair[e].items() if alive & bit]


class _PairSum(Source):
    """A sum with dominoes that lie inside it, as long as they are known to lie there."""

    def __init__(self, sums: PairSums, laid: Sequence[int]):
        super().__init__(sums.table, sums.memory)
        self.sums, self.laid = sums, laid
        self.scopes = sums.rule.scopes

    @property
    def key(self) -> Hashable:
        return tuple(self.laid)

    def removes(self, known: int) -> int:
        laid = [e for e in self.laid if not self.sums.tray.beside(e) & ~known]
        return self.sums.out_of_reach(self.table.start & ~known, laid)
