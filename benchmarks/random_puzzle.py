"""Solvable Pips puzzles of any size, for measuring: the same seed gives the same puzzle."""

from __future__ import annotations

import random
from collections.abc import Sequence

from milp_pips.puzzles.pips.puzzle import Pips, Region, Rule


def random_puzzle(
    dominoes: int,
    seed: int,
    sizes: Sequence[int] = (1, 2, 3, 4, 5),
    rules: Sequence[Rule | None] = (*Rule, None),
) -> Pips:
    """Return a puzzle that some hidden layout of random dominoes solves.

    The board is a compact heap of dominoes; regions are grown at random to one of the sizes, and each gets a
    random one of the rules that the hidden layout obeys.
    """
    chance = random.Random(seed)
    laid = _heap(dominoes, chance)
    values = {cell: chance.randint(0, 6) for pair in laid for cell in pair}
    regions = []
    free = set(values)
    for start in sorted(values):
        if start in free:
            cells = _grown(start, free, chance.choice(sizes), chance)
            free -= set(cells)
            regions.append(_ruled(str(len(regions)), cells, [values[c] for c in cells], rules, chance))
    return Pips.on_grid(
        f"random-{dominoes}-{seed}", values, regions, [(values[a], values[b]) for a, b in laid]
    )


def _heap(dominoes: int, chance: random.Random) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Lay dominoes on the free pairs of cells nearest to the middle of a square, with some jitter."""
    side = int((2 * dominoes) ** 0.5 * 1.25) + 2
    middle = side / 2
    pairs = [
        ((r, c), other)
        for r in range(side)
        for c in range(side)
        for other in ((r, c + 1), (r + 1, c))
        if max(other) < side
    ]
    pairs.sort(key=lambda p: max(abs(p[0][0] - middle), abs(p[0][1] - middle)) + 2 * chance.random())
    covered: set[tuple[int, int]] = set()
    laid = []
    for a, b in pairs:
        if len(laid) < dominoes and a not in covered and b not in covered:
            covered |= {a, b}
            laid.append((a, b))
    assert len(laid) == dominoes
    return laid


def _grown(
    start: tuple[int, int], free: set[tuple[int, int]], size: int, chance: random.Random
) -> list[tuple[int, int]]:
    cells = [start]
    while len(cells) < size:
        near = {
            near
            for r, c in cells
            for near in ((r, c + 1), (r, c - 1), (r + 1, c), (r - 1, c))
            if near in free and near not in cells
        }
        if not near:
            break
        cells.append(chance.choice(sorted(near)))
    return sorted(cells)


def _ruled(
    label: str,
    cells: list[tuple[int, int]],
    pips: list[int],
    rules: Sequence[Rule | None],
    chance: random.Random,
) -> Region:
    total = sum(pips)
    fitting: dict[Rule | None, int | None] = {
        Rule.SUM: total,
        Rule.LT: total + chance.randint(1, 3),
        Rule.GT: total - chance.randint(1, 3),
        Rule.LE: total + chance.randint(0, 2),
        Rule.GE: total - chance.randint(0, 2),
        None: None,
    }
    if len(set(pips)) == 1 and len(pips) > 1:
        fitting[Rule.EQ] = None
    if len(set(pips)) == len(pips) and len(pips) > 1:
        fitting[Rule.NEQ] = None
    chosen = [rule for rule in rules if rule in fitting]
    rule = chance.choice(chosen) if chosen else None
    return Region(label, tuple(cells), rule, fitting[rule])
