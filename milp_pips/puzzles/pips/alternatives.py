"""List what a puzzle could state in place of its rules and dominoes, for setters who want one solution."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations_with_replacement

from milp_pips.constraints import covers_of
from milp_pips.puzzles.family import Alternative
from milp_pips.puzzles.pips.puzzle import Pips, Region, cell_name, state
from milp_pips.puzzles.pips.rules import RULES, Rule

MAX_DOMINOES_REPLACED = 20
"""The most dominoes for which another one in place of each is listed: then there are 500 of them or so."""

SUGGESTED = sorted((r for r in Rule if RULES[r].is_published), key=lambda rule: not RULES[rule].is_bound)
"""The rules that are suggested, the weakest first."""


def alternatives(puzzle: Pips) -> list[Alternative]:
    """Return for each region the rules that it could have, and for each domino those in place of it.

    A region without a rule, or a cell in no region, could have any rule; another region any that is not
    looser than its own. Rules that the Times does not print are left out, and so are rules for a single cell
    that only repeat its possible values. Dominoes have pips that the puzzle has.
    """
    number = {cell: i for i, cell in enumerate(puzzle.cells)}
    pips = [pip for domino in puzzle.dominoes for pip in domino]
    inside = {cell for region in puzzle.regions for cell in region.cells}
    alone = (Region(f"of {cell_name(cell)} alone", (cell,)) for cell in puzzle.cells if cell not in inside)
    rules = [
        Alternative(rule, region.constraint(variables))
        for region in (*puzzle.regions, *alone)
        for variables in [tuple(number[cell] for cell in region.cells)]
        for other in _others(region, min(pips), max(pips))
        if (rule := other.constraint(variables)) is not None
    ]
    return [*rules, *_other_dominoes(puzzle)]


def _others(region: Region, least: int, most: int) -> Iterator[Region]:
    """Yield the region with each rule that it could have. Pips range from ``least`` to ``most``."""
    own, cells = region.kind, len(region.cells)
    low, high = least * cells, most * cells
    allowed = own.sums(region.target, low, high) if own.is_bound else range(low, high + 1)
    for rule in SUGGESTED:
        if cells > 1 or RULES[rule].is_bound or rule is region.rule:
            for target in RULES[rule].instead(allowed, low, high):
                if (rule, target) != (region.rule, region.target):
                    yield region._replace(rule=rule, target=target)


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
