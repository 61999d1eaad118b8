"""What follows from one rule: its own propagator, and the dominoes that would lie inside it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from milp_pips.extras.explain.facts import Fact
from milp_pips.extras.explain.techniques.knowledge import Deduction, Knowledge, thin
from milp_pips.extras.explain.techniques.table import FactTable, Tray, bits
from milp_pips.problem.errors import Contradiction

MOST_REMEMBERED = 10_000
"""The most results of a rule's propagators that are remembered: suppositions change few of its cells."""


class PropagatedRule:
    """One item, or several on the same cells, and their propagators, which run on any set of facts.

    ``parts`` are the rules of single items, of which a deduction may need only one.
    """

    def __init__(self, table: FactTable, numbers: Sequence[int], parts: Sequence[PropagatedRule] = ()):
        self.table, self.numbers, self.parts = table, tuple(numbers), parts
        pieces = [table.grouped.items[n].piece for n in numbers]
        self.piece = pieces[0]
        self.variables = self.piece.variables
        self.scope = sum(table.all_of(v) for v in self.variables)
        self._removed: dict[int, int | None] = {}
        self._nothing_at_sight = set[int]()
        self._with_value = {
            bit: sum(bit << (v * table.width) for v in self.variables) for bit in table.domains.bit.values()
        }
        self._propagators = [piece.propagator(table.domains) for piece in pieces]

    def removes(self, alive: int) -> int | None:
        """Return the bits that the propagators remove; None for a contradiction."""
        alive &= self.scope
        if alive not in self._removed:
            if len(self._removed) > MOST_REMEMBERED:
                self._removed.clear()
            self._removed[alive] = self._propagated(alive)
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

    def deductions(self, knowledge: Knowledge) -> Iterator[Deduction]:
        """Yield what the rule removes, if it removes anything, with all that it could have used."""
        gone = self.removes(knowledge.alive)
        if gone != 0:
            premises = self.table.start & self.scope & ~knowledge.alive
            yield Deduction("rule", gone, premises, self.numbers, self)

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
                if Fact(v, value, True) in knowledge.told or len(table.variables[v].domain) == 1:
                    premises = table.all_of(v) & table.start & ~view
                    yield Deduction("sight", others, premises, self.numbers, (v, value))
        if nothing:
            self._nothing_at_sight.add(view)

    def thinned(self, deduction: Deduction) -> Deduction:
        """Return the conclusions on the cell that is known best, with no more premises than they need.

        If a part of the rule is enough, only that part is named.
        """
        table, start = self.table, self.table.start & self.scope
        premises, gone = deduction.premises, deduction.gone
        if (part := self._enough(premises, gone)) is not None:
            return part.thinned(deduction._replace(items=part.numbers, detail=part))
        if gone is None:
            return self.thinned_to(deduction, None)
        alive, removed = start & ~premises & ~gone, gone
        best = min(
            (v for v in self.variables if removed & table.all_of(v)),
            key=lambda v: (table.mask(alive, v).bit_count(), -(removed & table.all_of(v)).bit_count()),
        )
        gone &= table.all_of(best)
        if self.leaves_one(premises, alive, best):
            gone, premises = table.all_of(best) & start & ~alive, premises & ~table.all_of(best)
        return self.thinned_to(deduction._replace(premises=premises), gone)

    def leaves_one(self, premises: int, alive: int, v: int) -> bool:
        """Whether the rule alone leaves the one value that a variable has left, whatever was gone before."""
        table, start = self.table, self.table.start & self.scope
        others, without = table.all_of(v) & start & ~alive, premises & ~table.all_of(v)
        return table.mask(alive, v).bit_count() == 1 and not others & ~(self.removes(start & ~without) or 0)

    def thinned_to(self, deduction: Deduction, gone: int | None) -> Deduction:
        """Return the deduction of these bits, or of a contradiction, with no more premises than needed.

        What else the deduction concludes stays if it follows from the same premises.
        """
        if (part := self._enough(deduction.premises, gone)) is not None:
            return part.thinned_to(deduction._replace(items=part.numbers, detail=part), gone)
        start = self.table.start & self.scope

        def follows(left: int) -> bool:
            removed = self.removes(start & ~left)
            return removed is None if gone is None else removed is None or not gone & ~(removed | left)

        premises = thin(deduction.premises, [self.table.all_of(v) for v in self.variables], follows)
        if gone is not None:
            gone |= (self.removes(start & ~premises) or 0) & (deduction.gone or 0)
        return deduction._replace(gone=gone, premises=premises)

    def _enough(self, premises: int, gone: int | None) -> PropagatedRule | None:
        """Return a part of the rule from which the same follows; None if there is none."""
        for part in self.parts:
            removed = part.removes(self.table.start & self.scope & ~premises)
            if removed is None or (gone is not None and not gone & ~removed):
                return part
        return None


class PairsInside:
    """The dominoes that a rule forbids on an edge between two of its cells."""

    def __init__(self, rule: PropagatedRule, tray: Tray):
        self.rule, self.tray = rule, tray
        inside = {tray.values.index(v) for v in rule.variables if v in tray.values}
        self.edges = [e for e, (i, j) in enumerate(tray.edges) if i in inside and j in inside]
        self._at_once: int | None = None
        self._seen = -1

    def forbidden(self, alive: int, e: int) -> int:
        """Return the places on the edge that the rule forbids when the other cells have the values left."""
        rule, tray, table = self.rule, self.tray, self.rule.table
        u, v = (tray.values[i] for i in tray.edges[e])
        rest = alive & rule.scope & ~table.all_of(u) & ~table.all_of(v)
        found = 0
        for (a, b), bit in tray.with_pair[e].items():
            if alive & bit and rule.removes(rest | table.value_bit(u, a) | table.value_bit(v, b)) is None:
                found |= bit
        return found

    def at_once(self, knowledge: Knowledge) -> Iterator[Deduction]:
        """Yield the places that the rule forbids whatever its other cells show."""
        if self._at_once is None:
            self._at_once = 0
            for e in self.edges:
                self._at_once |= self.forbidden(self.rule.table.start, e)
        if self._at_once & knowledge.alive:
            yield Deduction("inside", self._at_once, 0, self.rule.numbers)

    def by_values(self, knowledge: Knowledge) -> Iterator[Deduction]:
        """Yield the places on one edge that the rule forbids with the values left for its other cells."""
        table, alive = self.rule.table, knowledge.alive
        view = alive & (self.rule.scope | self.tray.all_places)
        if view == self._seen:
            return
        for e in self.edges:
            found = self.forbidden(alive, e)
            if found:
                others = self.rule.scope & ~sum(table.all_of(self.tray.values[i]) for i in self.tray.edges[e])
                yield Deduction(
                    "pair", found, table.start & others & ~alive, self.rule.numbers, self.tray.cells(e)
                )
                return
        self._seen = view


class Cage:
    """A sum of cells that are also all different: the values that occur in no combination."""

    def __init__(self, total: PropagatedRule, different: PropagatedRule):
        self.total, self.different, self.table = total, different, total.table
        self._quiet = -1

    def deductions(self, knowledge: Knowledge) -> Iterator[Deduction]:
        """Yield the values that occur in no combination of different values with the sum."""
        table, start = self.table, self.table.start & self.total.scope
        alive = knowledge.alive & self.total.scope
        if alive == self._quiet:
            return
        gone = self.impossible(alive)
        if gone == 0:
            self._quiet = alive
            return
        premises = start & ~alive

        def follows(left: int) -> bool:
            found = self.impossible(start & ~left)
            return found is None or (gone is not None and not gone & ~(found | left))

        premises = thin(premises, [table.all_of(v) for v in self.total.variables], follows)
        yield Deduction("cage", gone, premises, self.total.numbers + self.different.numbers)

    def impossible(self, alive: int) -> int | None:
        """Return the values that occur in no combination; None if there is no combination."""
        table = self.table
        low, high = self._bounds()
        masks = [table.mask(alive, v) for v in self.total.variables]
        if not all(masks):
            return None
        rest = sum(table.values[(mask & -mask).bit_length() - 1] for mask in masks)
        layers = [{(0, 0)}]
        for mask in masks:
            rest -= table.values[(mask & -mask).bit_length() - 1]  # the least sum of the cells to come
            layers.append(
                {
                    (used | 1 << x, total + table.values[x])
                    for used, total in layers[-1]
                    for x in bits(mask & ~used)
                    if high is None or total + table.values[x] + rest <= high
                }
            )
        good = {(used, total) for used, total in layers[-1] if low is None or total >= low}
        if not good:
            return None
        gone = 0
        for v, mask, layer in zip(
            reversed(self.total.variables), reversed(masks), reversed(layers[:-1]), strict=True
        ):
            before, seen = set(), 0
            for used, total in layer:
                for x in bits(mask & ~used):
                    if (used | 1 << x, total + table.values[x]) in good:
                        before.add((used, total))
                        seen |= 1 << x
            gone |= (mask & ~seen) << (v * table.width)
            good = before
        return gone

    def _bounds(self) -> tuple[int | None, int | None]:
        total = self.total.piece.bounded_sum
        assert total is not None
        return total.low, total.high
