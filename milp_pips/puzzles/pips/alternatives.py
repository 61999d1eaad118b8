"""List what a puzzle could state in place of its rules and dominoes, for setters who want one solution."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations_with_replacement

from milp_pips.constraints import covers_of
from milp_pips.puzzles.family import Alternative
from milp_pips.puzzles.pips.puzzle import Pips, Region, Rule, cell_name, constraint_of, state

MAX_DOMINOES_REPLACED = 20
"""The most dominoes for which another one in place of each is listed: then there are 500 of them or so."""


def alternatives(puzzle: Pips) -> list[Alternative]:
    """Return for each region the rules that it could have, and for each domino those in place of it.

    A region without a rule, or a cell in no region, could have any rule; another region any that is not
    looser than its own. ``LE`` and ``GE`` are left out, since ``LT`` and ``GT`` can express them. Rules for
    a single cell that only repeat its possible values are left out too. Dominoes have pips that the puzzle
    has.
    """
    number = {cell: i for i, cell in enumerate(puzzle.cells)}
    pips = [pip for domino in puzzle.dominoes for pip in domino]
    inside = {cell for region in puzzle.regions for cell in region.cells}
    alone = (Region(f"of {cell_name(cell)} alone", (cell,)) for cell in puzzle.cells if cell not in inside)
    rules = [
        Alternative(rule, constraint_of(region, variables))
        for region in (*puzzle.regions, *alone)
        for variables in [tuple(number[cell] for cell in region.cells)]
        for other in _others(region, min(pips), max(pips))
        if (rule := constraint_of(other, variables)) is not None
    ]
    return [*rules, *_other_dominoes(puzzle)]


def _others(region: Region, least: int, most: int) -> Iterator[Region]:
    """Yield the region with each rule that it could have. Pips range from ``least`` to ``most``."""
    rule, cells, target = region.rule, len(region.cells), region.target or 0
    low, high = least * cells, most * cells
    below = target - (rule is Rule.LT) if rule in (Rule.LT, Rule.LE) else high
    for bound in range(min(below, high), low, -1):
        yield region._replace(rule=Rule.LT, target=bound)
    above = target + (rule is Rule.GT) if rule in (Rule.GT, Rule.GE) else low
    for bound in range(max(above, low), high):
        yield region._replace(rule=Rule.GT, target=bound)
    for other in (Rule.NEQ, Rule.EQ):
        if cells > 1 and rule is not other:
            yield region._replace(rule=other, target=None)
    for total in range(low, high + 1) if cells > 1 or rule is Rule.SUM else ():
        if (rule, target) != (Rule.SUM, total):
            yield region._replace(rule=Rule.SUM, target=total)


def _other_dominoes(puzzle: Pips) -> Iterator[Alternative]:
    """Yield the cover of the board with each domino replaced by each other one; none twice that was not."""
    (cover,) = covers_of(state(puzzle).constraints)
    pips = sorted({pip for domino in cover.dominoes for pip in domino})
    for one in dict.fromkeys(cover.dominoes) if len(cover.dominoes) <= MAX_DOMINOES_REPLACED else ():
        rest = list(cover.dominoes)
        rest.remove(one)
        for other in combinations_with_replacement(pips, 2):
            if other not in cover.dominoes:
                label = f"the domino {other[0]}-{other[1]} in place of {one[0]}-{one[1]}"
                yield Alternative(replace(cover, dominoes=tuple(sorted([*rest, other])), label=label), cover)
