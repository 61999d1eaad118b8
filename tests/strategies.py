"""Random boards and puzzles for property tests."""

from __future__ import annotations

from random import Random

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from milp_pips.puzzles.pips.puzzle import Cell, Layout, Pips, PlacedDomino, Region
from milp_pips.puzzles.pips.rules import MOST_PIPS, RULES

GridCell = tuple[int, int]
LABELS = ("ABCDEFGH", "01234567", ("10", "11", "12", "north", "13", "14", "é", "EQ"))
CELLS = [(row, column) for row in range(5) for column in range(5)]


def boards(max_cells: int = 8) -> SearchStrategy[frozenset[GridCell]]:
    """Draw sets of cells of a 5 × 5 grid: of any shape, with an even or odd number, often disconnected."""
    return st.frozensets(st.sampled_from(CELLS), min_size=1, max_size=max_cells)


@st.composite
def pips_puzzles(draw: DrawFn, max_dominoes: int = 4) -> Pips:
    """Draw puzzles as of ``random_pips``."""
    return random_pips(draw(st.randoms(use_true_random=False)), max_dominoes)


def random_pips(random: Random, max_dominoes: int = 4) -> Pips:
    """Return a puzzle with any rules, with regions and cells in reading order.

    One with a ``published`` solution is made from it. The others have random rules and dominoes, so most
    have no solution, and their board may have no tiling.
    """
    most = random.choice((1, 3, 6))  # few values: equal dominoes, and doubles
    laid = [
        PlacedDomino((random.randint(0, most), random.randint(0, most)), cells)
        for cells in _tiling(random, random.randint(1, max_dominoes))
    ]
    values: dict[Cell, int] = {
        cell: pip for domino in laid for cell, pip in zip(domino.cells, domino.pips, strict=True)
    }
    solvable = random.choice((True, True, False))
    if not solvable:
        board = random.sample(CELLS, 2 * len(laid)) if random.choice((True, False)) else list(values)
        values = {cell: random.randint(0, most) for cell in board}
    board = sorted(values)
    region_of = {cell: random.randint(0, 4) for cell in board}  # 0 stands for no region
    labels = iter(random.choice(LABELS))
    regions = [
        random_region(random, next(labels), [c for c in board if region_of[c] == number], values, solvable)
        for number in dict.fromkeys(region_of.values())
        if number
    ]
    published = Layout(values, tuple(laid)) if solvable else None
    return Pips.on_grid("random", board, regions, [domino.pips for domino in laid], published)


def _tiling(random: Random, dominoes: int) -> list[tuple[GridCell, GridCell]]:
    """Return up to this many dominoes, each on two free cells; on a narrow board they touch."""
    height, width = random.randint(1, 4), random.randint(2, 5)
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
            tiling.append(random.choice(places))
            free.difference_update(tiling[-1])
    return tiling


def random_region(
    random: Random, label: str, cells: list[Cell], values: dict[Cell, int], obeyed: bool
) -> Region:
    """Return a region of these cells with any rule, which the values obey if that is asked for."""
    seen = [values[cell] for cell in cells]
    rules = [rule for rule, kind in RULES.items() if not obeyed or kind.has_target or kind.obeys(seen, None)]
    rule = random.choice(rules)
    target = RULES[rule].target(seen, random.randint(1, 3), -MOST_PIPS, 7 * MOST_PIPS)
    if target is not None and not obeyed:
        target = random.randint(-1, 6 * len(cells) + 1)
    return Region(label, tuple(cells), rule, target)
