"""Random Sudokus of every kind for property tests, solvable or not."""

from __future__ import annotations

from collections import Counter

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from milp_pips.puzzles.sudoku.puzzle import Cage, Group, Region, Rows, Sudoku, boxes
from milp_pips.render.vocabulary import Place

SHAPES = ((1, 2), (1, 3), (2, 2), (2, 2), (1, 4), (1, 5), (2, 3))
SYMBOLS = (
    ("1", "2", "3", "4", "5", "6"),
    ("1", "2", "3", "4", "5", "6"),
    ("10", "-3", "0", "7", "2", "5"),
    ("1", "2", "π", "π", "3", "π"),
    ("A", "B", "C", "A", "01", "é"),
)
LABELS = "abcdefghijklmnopqrstuvwxyz"


@st.composite
def sudokus(draw: DrawFn) -> Sudoku:
    """Draw Sudokus of up to 6 × 6, with areas in reading order and few empty cells.

    Those with a ``published`` solution are made from it. The others have a changed given or sum, and few of
    them have a solution.
    """
    height, width = draw(st.sampled_from(SHAPES))
    n = height * width
    holds = draw(st.sampled_from(SYMBOLS))[:n]
    solution = _filled(draw, height, width, holds)
    cells = [(r, c) for r in range(n) for c in range(n)]
    regions = boxes(n, height, width)
    if draw(st.booleans()):
        regions = _jigsaw(draw, cells, height, width, solution)
    numeric = all(symbol.lstrip("-").isdigit() and symbol != "01" for symbol in holds)
    cages = _cages(draw, cells, solution) if numeric and draw(st.booleans()) else ()
    groups = tuple(_group(draw, label, cells, solution, holds) for label in "XY"[: draw(st.integers(0, 2))])
    twice = any(len({solution[r][c] for r, c in cage.cells}) < len(cage.cells) for cage in cages)
    empty = draw(st.sets(st.sampled_from(cells), max_size=min(n * n, 14)))
    givens = [["" if (r, c) in empty else solution[r][c] for c in range(n)] for r in range(n)]
    spoilt = draw(st.sampled_from((False, False, True)))
    if spoilt:
        r, c = draw(st.sampled_from(cells))
        givens[r][c] = draw(st.sampled_from(holds))
        cages = tuple(cage._replace(total=cage.total + draw(st.sampled_from((0, 0, 1)))) for cage in cages)
    return Sudoku(
        "random",
        holds,
        tuple(map(tuple, givens)),
        regions,
        cages,
        bool(cages) and (twice or draw(st.booleans())),
        groups,
        None if spoilt else solution,
    )


def _filled(draw: DrawFn, height: int, width: int, holds: tuple[str, ...]) -> Rows:
    """Draw a filling with the usual boxes: the regular pattern with rows and columns shuffled."""
    n = height * width
    order = draw(st.permutations(range(n)))

    def shuffled(bands: int, size: int) -> list[int]:
        bands_in_order = draw(st.permutations(range(bands)))
        return [band * size + i for band in bands_in_order for i in draw(st.permutations(range(size)))]

    rows, columns = shuffled(width, height), shuffled(height, width)
    return tuple(
        tuple(holds[order[(r % height * width + r // height + c) % n]] for c in columns) for r in rows
    )


def _jigsaw(draw: DrawFn, cells: list[Place], height: int, width: int, solution: Rows) -> tuple[Region, ...]:
    """Draw jigsaw regions with the symbols of a row: boxes that have exchanged cells of one symbol."""
    n = height * width
    piece = {(r, c): r // height * height + c // width for r, c in cells}
    for _ in range(draw(st.integers(0, 8))):
        one = draw(st.sampled_from(cells))
        alike = [place for place in cells if solution[place[0]][place[1]] == solution[one[0]][one[1]]]
        other = draw(st.sampled_from(alike))
        piece[one], piece[other] = piece[other], piece[one]
    dropped = draw(st.sampled_from((None, None, None, 0)))  # cells in no region
    labels = iter(draw(st.sampled_from((LABELS, LABELS.upper(), [str(i) for i in range(9, 9 + n)]))))
    found: dict[int, list[Place]] = {}
    for place in cells:
        if piece[place] != dropped:
            found.setdefault(piece[place], []).append(place)
    return tuple(Region(f"region {next(labels)}", tuple(places)) for places in found.values())


def _cages(draw: DrawFn, cells: list[Place], solution: Rows) -> tuple[Cage, ...]:
    cage_of = {place: draw(st.integers(0, 5)) for place in cells}  # 0 stands for no cage
    found: dict[int, list[Place]] = {}
    for place in cells:
        if cage_of[place] and len(found.get(cage_of[place], ())) < 5:
            found.setdefault(cage_of[place], []).append(place)
    return tuple(
        Cage(label, tuple(places), sum(int(solution[r][c]) for r, c in places))
        for label, places in zip(LABELS, found.values(), strict=False)
    )


def _group(draw: DrawFn, label: str, cells: list[Place], solution: Rows, holds: tuple[str, ...]) -> Group:
    places = sorted(draw(st.sets(st.sampled_from(cells), min_size=1, max_size=8)))
    seen = [solution[r][c] for r, c in places]
    if Counter(seen) <= Counter(holds) and draw(st.booleans()):
        return Group(label, tuple(places))
    return Group(label, tuple(places), tuple(draw(st.permutations(seen))))
