"""List the rules that regions could have in place of their own, for setters who want one solution."""

from __future__ import annotations

from collections.abc import Iterator

from milp_pips.puzzles.family import Alternative
from milp_pips.puzzles.pips.puzzle import Pips, Region, Rule, cell_name, constraint_of


def alternatives(puzzle: Pips) -> list[Alternative]:
    """Return for each region the rules that are stronger than its own, and the sums that it could have.

    A region without a rule, or a cell in no region, could have any rule. A bound could be tighter. A bound,
    EQ or NEQ could become a sum. ``LE`` and ``GE`` are left out, since ``LT`` and ``GT`` can express them.
    Rules for a single cell that only repeat its possible values are left out too.
    """
    number = {cell: i for i, cell in enumerate(puzzle.cells)}
    pips = [pip for domino in puzzle.dominoes for pip in domino]
    inside = {cell for region in puzzle.regions for cell in region.cells}
    alone = (Region(f"of {cell_name(cell)} alone", (cell,)) for cell in puzzle.cells if cell not in inside)
    return [
        Alternative(rule, constraint_of(region, variables))
        for region in (*puzzle.regions, *alone)
        for variables in [tuple(number[cell] for cell in region.cells)]
        for other in _others(region, min(pips), max(pips))
        if (rule := constraint_of(other, variables)) is not None
    ]


def _others(region: Region, least: int, most: int) -> Iterator[Region]:
    """Yield the region with each rule that it could have. Pips range from ``least`` to ``most``."""
    rule, cells, target = region.rule, len(region.cells), region.target or 0
    low, high = least * cells, most * cells
    if rule in (None, Rule.LT, Rule.LE):
        below = high if rule is None else target - (rule is Rule.LT)
        for bound in range(min(below, high), low, -1):
            yield region._replace(rule=Rule.LT, target=bound)
    if rule in (None, Rule.GT, Rule.GE):
        above = low if rule is None else target + (rule is Rule.GT)
        for bound in range(max(above, low), high):
            yield region._replace(rule=Rule.GT, target=bound)
    if cells > 1 and rule is None:
        yield region._replace(rule=Rule.NEQ, target=None)
        yield region._replace(rule=Rule.EQ, target=None)
    if cells > 1 and rule is not Rule.SUM:
        for total in range(low, high + 1):
            yield region._replace(rule=Rule.SUM, target=total)
