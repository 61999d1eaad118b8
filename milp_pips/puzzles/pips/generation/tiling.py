"""Cover a board with dominoes at random."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from milp_pips.chance import Chance
from milp_pips.puzzles.partition import Place, near

Partners: TypeAlias = dict[Place, Place]
"""For each cell, the cell that shares its domino."""

SWEEPS = 8
"""How often, on average, each block of 2 × 2 cells is tried for a turn."""


def tiling(cells: Sequence[Place], chance: Chance) -> Partners | None:
    """Return a random way to cover the cells with dominoes, None where there is none.

    A perfect matching by augmenting paths (Berge 1957), begun greedily in the order of the cells; then pairs
    of dominoes side by side are turned at random, which leads from each tiling of a board without holes to
    any other (Thurston 1990).
    """
    partners: Partners = {cell: cell for cell in cells}
    for cell in cells:
        if partners[cell] == cell:
            free = next((other for other in near(cell) if partners.get(other) == other), None)
            if free is not None:
                partners[cell], partners[free] = free, cell
    for cell in cells:
        if partners[cell] == cell and not _augmented(partners, cell):
            return None
    _turn(partners, cells, chance)
    return partners


def _augmented(partners: Partners, start: Place) -> bool:
    """Whether an augmenting path starts at this uncovered cell; if so it is applied."""
    came: Partners = {}
    waiting = deque([start])
    while waiting:
        cell = waiting.popleft()
        for other in near(cell):
            if other not in partners or other in came:
                continue
            came[other] = cell
            if partners[other] != other:
                waiting.append(partners[other])
                continue
            while True:
                back = came[other]
                following = partners[back]
                partners[back], partners[other] = other, back
                if back == start:
                    return True
                other = following
    return False


def _turn(partners: Partners, cells: Sequence[Place], chance: Chance) -> None:
    for _ in range(SWEEPS * len(cells)):
        row, column = cell = chance.one_of(cells)
        right, below, across = (row, column + 1), (row + 1, column), (row + 1, column + 1)
        if partners[cell] == right and partners.get(below) == across:
            pairs = (cell, below), (right, across)
        elif partners[cell] == below and partners.get(right) == across:
            pairs = (cell, right), (below, across)
        else:
            continue
        if chance.happens(0.5):
            for a, b in pairs:
                partners[a], partners[b] = b, a


def dominoes(partners: Mapping[Place, Place]) -> list[tuple[Place, Place]]:
    """Return the pairs of cells under each domino, in the order of the cells."""
    return [(cell, other) for cell, other in partners.items() if cell < other]
