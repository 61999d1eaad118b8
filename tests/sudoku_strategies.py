"""Random Sudokus of every kind for property tests, solvable or not."""

from __future__ import annotations

from collections import Counter
from random import Random

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
    """Draw Sudokus as of ``random_sudoku``."""
    return random_sudoku(draw(st.randoms(use_true_random=False)))


def random_sudoku(random: Random, most_empty: int = 14) -> Sudoku:
    """Return a Sudoku of up to 6 × 6, with areas in reading order and few empty cells.

    One with a ``published`` solution is made from it. The others have a changed given or sum, and few of
    them have a solution.
    """
    height, width = random.choice(SHAPES)
    n = height * width
    holds = random.choice(SYMBOLS)[:n]
    solution = _filled(random, height, width, holds)
    cells = [(r, c) for r in range(n) for c in range(n)]
    regions = boxes(n, height, width)
    if random.choice((True, False)):
        regions = _jigsaw(random, cells, height, width, solution)
    numeric = all(symbol.lstrip("-").isdigit() and symbol != "01" for symbol in holds)
    cages = _cages(random, cells, solution) if numeric and random.choice((True, False)) else ()
    groups = tuple(_group(random, label, cells, solution, holds) for label in "XY"[: random.randint(0, 2)])
    twice = any(len({solution[r][c] for r, c in cage.cells}) < len(cage.cells) for cage in cages)
    empty = set(random.sample(cells, random.randint(0, min(n * n, most_empty))))
    givens = [["" if (r, c) in empty else solution[r][c] for c in range(n)] for r in range(n)]
    spoilt = random.choice((False, False, True))
    if spoilt:
        r, c = random.choice(cells)
        givens[r][c] = random.choice(holds)
        cages = tuple(cage._replace(total=cage.total + random.choice((0, 0, 1))) for cage in cages)
    return Sudoku(
        "random",
        holds,
        tuple(map(tuple, givens)),
        regions,
        cages,
        bool(cages) and (twice or random.choice((True, False))),
        groups,
        None if spoilt else solution,
    )


def _filled(random: Random, height: int, width: int, holds: tuple[str, ...]) -> Rows:
    """Return a filling with the usual boxes: the regular pattern with rows and columns shuffled."""
    n = height * width
    order = random.sample(range(n), n)

    def shuffled(bands: int, size: int) -> list[int]:
        bands_in_order = random.sample(range(bands), bands)
        return [band * size + i for band in bands_in_order for i in random.sample(range(size), size)]

    rows, columns = shuffled(width, height), shuffled(height, width)
    return tuple(
        tuple(holds[order[(r % height * width + r // height + c) % n]] for c in columns) for r in rows
    )


def _jigsaw(
    random: Random, cells: list[Place], height: int, width: int, solution: Rows
) -> tuple[Region, ...]:
    """Return jigsaw regions with the symbols of a row: boxes that have exchanged cells of one symbol."""
    n = height * width
    piece = {(r, c): r // height * height + c // width for r, c in cells}
    for _ in range(random.randint(0, 8)):
        one = random.choice(cells)
        alike = [place for place in cells if solution[place[0]][place[1]] == solution[one[0]][one[1]]]
        other = random.choice(alike)
        piece[one], piece[other] = piece[other], piece[one]
    dropped = random.choice((None, None, None, 0))  # cells in no region
    labels = iter(random.choice((LABELS, LABELS.upper(), [str(i) for i in range(9, 9 + n)])))
    found: dict[int, list[Place]] = {}
    for place in cells:
        if piece[place] != dropped:
            found.setdefault(piece[place], []).append(place)
    return tuple(Region(f"region {next(labels)}", tuple(places)) for places in found.values())


def _cages(random: Random, cells: list[Place], solution: Rows) -> tuple[Cage, ...]:
    cage_of = {place: random.randint(0, 5) for place in cells}  # 0 stands for no cage
    found: dict[int, list[Place]] = {}
    for place in cells:
        if cage_of[place] and len(found.get(cage_of[place], ())) < 5:
            found.setdefault(cage_of[place], []).append(place)
    return tuple(
        Cage(label, tuple(places), sum(int(solution[r][c]) for r, c in places))
        for label, places in zip(LABELS, found.values(), strict=False)
    )


def _group(random: Random, label: str, cells: list[Place], solution: Rows, holds: tuple[str, ...]) -> Group:
    places = sorted(random.sample(cells, random.randint(1, min(8, len(cells)))))
    seen = [solution[r][c] for r, c in places]
    if Counter(seen) <= Counter(holds) and random.choice((True, False)):
        return Group(label, tuple(places))
    return Group(label, tuple(places), tuple(random.sample(seen, len(seen))))
