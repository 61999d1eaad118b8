"""Random boards and puzzles for property tests."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from milp_pips.puzzles.pips.puzzle import Cell, Layout, Pips, PlacedDomino, Region, Rule

GridCell = tuple[int, int]
LABELS = ("ABCDEFGH", "01234567", ("10", "11", "12", "north", "13", "14", "é", "EQ"))
CELLS = [(row, column) for row in range(5) for column in range(5)]


def boards(max_cells: int = 8) -> SearchStrategy[frozenset[GridCell]]:
    """Draw sets of cells of a 5 × 5 grid: of any shape, with an even or odd number, often disconnected."""
    return st.frozensets(st.sampled_from(CELLS), min_size=1, max_size=max_cells)


@st.composite
def pips_puzzles(draw: DrawFn, max_dominoes: int = 4) -> Pips:
    """Draw puzzles with every type of rule, with regions and cells in reading order.

    Those with a ``published`` solution are made from it. The others have random rules and dominoes, so most
    have no solution, and their board may have no tiling.
    """
    dominoes = draw(st.integers(1, max_dominoes))
    pips = st.integers(0, draw(st.sampled_from((1, 3, 6))))  # few values: equal dominoes, and doubles
    tiling = draw(_tilings(dominoes))
    laid = [PlacedDomino((draw(pips), draw(pips)), cells) for cells in tiling]
    values: dict[Cell, int] = {
        cell: pip for domino in laid for cell, pip in zip(domino.cells, domino.pips, strict=True)
    }
    board: list[GridCell] = sorted(cell for cells in tiling for cell in cells)
    solvable = draw(st.sampled_from((True, True, False)))
    if not solvable:
        if draw(st.booleans()):
            size = 2 * len(laid)
            board = sorted(draw(st.sets(st.sampled_from(CELLS), min_size=size, max_size=size)))
        values = {cell: draw(pips) for cell in board}
    region_of = {cell: draw(st.integers(0, 4)) for cell in board}  # 0 stands for no region
    labels = iter(draw(st.sampled_from(LABELS)))
    regions = [
        draw(_regions(next(labels), [cell for cell in board if region_of[cell] == number], values, solvable))
        for number in dict.fromkeys(region_of.values())
        if number
    ]
    return Pips.on_grid(
        "random",
        board,
        regions,
        [domino.pips for domino in laid],
        Layout(values, tuple(laid)) if solvable else None,
    )


@st.composite
def _tilings(draw: DrawFn, dominoes: int) -> list[tuple[GridCell, GridCell]]:
    """Draw up to this many dominoes, each on two free cells; on a narrow board they touch."""
    height, width = draw(st.integers(1, 4)), draw(st.integers(2, 5))
    free = {(row, column) for row in range(height) for column in range(width)}
    tiling = []
    for _ in range(dominoes):
        places = [
            pair
            for row, column in sorted(free)
            for pair in (((row, column), (row, column + 1)), ((row, column), (row + 1, column)))
            if pair[1] in free
        ]
        if places:
            tiling.append(draw(st.sampled_from(places)))
            free.difference_update(tiling[-1])
    return tiling


@st.composite
def _regions(
    draw: DrawFn, label: str, cells: list[GridCell], values: dict[Cell, int], obeyed: bool
) -> Region:
    seen = [values[cell] for cell in cells]
    rule = draw(st.sampled_from((None, *Rule)))
    if obeyed and rule is Rule.EQ and len(set(seen)) > 1:
        rule = Rule.NEQ
    if obeyed and rule is Rule.NEQ and len(set(seen)) < len(seen):
        rule = Rule.SUM
    target = None
    if rule is not None and rule.has_target:
        slack = draw(st.integers(0, 2))
        target = sum(seen) + {Rule.LT: slack + 1, Rule.LE: slack, Rule.GT: -slack - 1, Rule.GE: -slack}.get(
            rule, 0
        )
        if not obeyed:
            target = draw(st.integers(-1, 6 * len(cells) + 1))
    return Region(label, tuple(cells), rule, target)
