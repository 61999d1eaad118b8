"""All layouts of a small Pips puzzle by backtracking; a rule is checked once its cells are filled.

This is the reference for the other methods, so it shares no code with the package but the puzzle class.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from math import prod

from milp_pips.puzzles.pips.puzzle import Pips, Region

Placement = frozenset[frozenset[tuple[object, int]]]
"""A placement as the set of its dominoes, each the set of its two (cell, pip)."""


@lru_cache(maxsize=64)
def placements(puzzle: Pips) -> frozenset[Placement]:
    """Return every placement; exchanging equal dominoes or turning a double does not make another one."""
    return frozenset(
        frozenset(frozenset(domino) for domino in laid)
        for laid in _lay(puzzle, [], Counter((min(d), max(d)) for d in puzzle.dominoes))
    )


def grids(puzzle: Pips) -> set[frozenset[tuple[object, int]]]:
    """Return every grid of pips."""
    return {frozenset(half for domino in laid for half in domino) for laid in placements(puzzle)}


def placement_of(layout: object) -> Placement:
    """Return the placement of a solution from the package."""
    return frozenset(frozenset(zip(laid.cells, laid.pips, strict=True)) for laid in layout.dominoes)


def _lay(puzzle: Pips, laid: list, left: Counter) -> Iterator[list]:
    pips = {cell: pip for domino in laid for cell, pip in domino}
    if any(pips.keys() >= set(region.cells) and not fits(region, pips) for region in puzzle.regions):
        return
    free = [cell for cell in puzzle.cells if cell not in pips]
    if not free:
        yield list(laid)
        return
    cell = free[0]
    for edge in puzzle.edges:
        if cell in edge:
            other = edge[0] if edge[1] == cell else edge[1]
            if other in pips:
                continue
            for a, b in [d for d, count in left.items() if count]:
                left[a, b] -= 1
                for first, second in {(a, b), (b, a)}:
                    laid.append([(cell, first), (other, second)])
                    yield from _lay(puzzle, laid, left)
                    laid.pop()
                left[a, b] += 1


def fits(region: Region, pips: dict[object, int]) -> bool:
    seen = [pips[cell] for cell in region.cells]
    match region.rule:
        case None:
            return True
        case "EQ":
            return len(set(seen)) == 1
        case "NEQ":
            return len(set(seen)) == len(seen)
        case "SUM":
            return sum(seen) == region.target
        case "LT":
            return sum(seen) < region.target
        case "GT":
            return sum(seen) > region.target
        case "LE":
            return sum(seen) <= region.target
        case "GE":
            return sum(seen) >= region.target
        case "PRODUCT":
            return prod(seen) == region.target
        case "ODD" | "EVEN":
            return sum(seen) % 2 == (region.rule == "ODD")
    raise AssertionError(region)
