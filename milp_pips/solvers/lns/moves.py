"""Small moves: other values for the cells of one rule, or two dominoes side by side turned.

Both start from a domino of which too many lie, and are made unless they cost more (min-conflicts: Minton,
Johnston, Philips, Laird 1992). Thousands are tried in the time of one window; on large boards they do nearly
all of the work.
"""

from __future__ import annotations

from random import Random

from milp_pips.solvers.lns.layout import Layout
from milp_pips.solvers.lns.values import pleasing

TURNS = 0.3
"""Share of the moves that turn dominoes."""

KEPT = 0.7
"""How likely a cell is to keep its value if it can, when a cell tied to it gets another."""


def move(layout: Layout, chance: Random, most: int) -> None:
    """Try one small move, which must not cost more than ``most``; the layout must have a cost."""
    if chance.random() < TURNS:
        _turn(layout, chance, most)
    else:
        _revalue(layout, chance, most)


def _turn(layout: Layout, chance: Random, most: int) -> None:
    """Where two dominoes lie side by side, lay them the other way."""
    near, partners = layout.board.near, layout.board.cover.partners
    one = layout.surplus_cell(chance)
    other = layout.partner(one)
    beside = near[one][int(chance.random() * len(near[one]))]
    opposite = layout.partner(beside)
    if beside != other and opposite in near[other]:
        layout.accept(
            {
                partners[one]: beside,
                partners[beside]: one,
                partners[other]: opposite,
                partners[opposite]: other,
            },
            most,
        )


def _revalue(layout: Layout, chance: Random, most: int) -> None:
    """Give a cell the value that makes a missing domino, if one does, and its region values to match."""
    board, point = layout.board, layout.point
    cell = layout.surplus_cell(chance)
    v = board.cover.values[cell]
    beside = point[board.cover.values[layout.partner(cell)]]
    others = [x for x in board.domains[v] if x != point[v]]
    wanted = [x for x in others if layout.excess.get((min(x, beside), max(x, beside)), 0) < 0] or others
    if not wanted:
        return
    inside, beyond = board.region(v)
    rest = list(inside[1:])
    chance.shuffle(rest)
    first = {u: point[u] for u in rest if chance.random() < KEPT}
    first[v] = wanted[int(chance.random() * len(wanted))]
    values = pleasing(board, [v, *rest], {u: point[u] for u in beyond}, first, chance)
    if values is not None:
        layout.accept(values, most)
