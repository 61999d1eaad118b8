"""Suppositions that fail, found without reasons: what the looks remove, as sets of bits."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from milp_pips.extras.explain.techniques.cover import CoverTechniques
from milp_pips.extras.explain.techniques.knowledge import Deduction, Knowledge
from milp_pips.extras.explain.techniques.rules import PropagatedRule
from milp_pips.extras.explain.techniques.table import FactTable, union

Technique = Callable[[Knowledge], Iterator[Deduction]]

Look = Callable[[int], int | None]
"""Returns the bits that go if these are left; None for a contradiction."""


class Propagation:
    """The looks of one problem without their reasons, each with the bits that it depends on.

    Where the looks end, ``further`` techniques go on.
    """

    def __init__(
        self,
        table: FactTable,
        rules: Sequence[PropagatedRule],
        covers: Sequence[CoverTechniques],
    ):
        self._table = table
        self._of_covers: list[tuple[int, Look]] = []
        for cover in covers:
            self._of_covers += cover.as_bits()
        self._looks = self.looks_of(rules)
        self.is_complete = all(times == 1 for tray in table.trays for times in tray.times)
        """Whether it finds all that the looks with reasons find: not of several dominoes of one kind."""

    def looks_of(self, rules: Iterable[PropagatedRule]) -> list[tuple[int, Look]]:
        """Return the looks at these rules and all covers."""
        return [*((rule.scope, rule.removes_from) for rule in rules), *self._of_covers]

    def fails(
        self,
        alive: int,
        gone: int,
        further: Sequence[Technique],
        stop: Callable[[], object],
        looks: Sequence[tuple[int, Look]] | None = None,
    ) -> tuple[int, int]:
        """Return how many looks make it a contradiction that more bits are ``gone``, or 0; and what is left.

        ``alive`` are the bits left before, which no look reduces. The number is an estimate: each look is
        taken to use all that it could see. ``looks`` are those to take; None for all.
        """
        table, log = self._table, list[tuple[int, int]]()
        looks = self._looks if looks is None else looks
        gone = table.with_places(gone)
        while gone or further:
            while gone:
                alive, changed, gone = alive & ~gone, gone & alive, 0
                for scope, look in looks:
                    if scope & changed:
                        more = look(alive)
                        if more is None:
                            return _needed(log, scope), alive
                        if more & alive:
                            more = table.with_places(more & alive)
                            log.append((scope, more))
                            gone |= more
            if not further:
                break
            known = Knowledge(table)
            known.alive = alive
            known.stated = union(tray.edge_bit[e] for tray in table.trays for e in tray.laid(alive))
            for technique in further:
                stop()
                for deduction in technique(known):
                    if deduction.gone is None:
                        return _needed(log, deduction.premises), alive
                    more = table.with_places(deduction.gone & alive)
                    log.append((deduction.premises, more))
                    gone |= more
                if gone:
                    break
            if not gone:
                break
        return 0, alive


def _needed(log: Sequence[tuple[int, int]], wanted: int) -> int:
    """Return how many of these removals, each from a scope, lead to a contradiction in the ``wanted`` one."""
    links = 1
    for scope, gone in reversed(log):
        if gone & wanted:
            wanted, links = wanted | scope, links + 1
    return links
