"""Draw random boards that dominoes cover: cut them from a rectangle, or grow them as setters draw them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from math import ceil, isqrt, sqrt
from typing import TypeAlias, TypeVar

from milp_pips.algorithms.matching import perfect_matching
from milp_pips.problem.rng import RandomGenerator
from milp_pips.render.vocabulary import Place, connected_parts, neighbours

T = TypeVar("T", int, Place)

Partners: TypeAlias = dict[Place, Place]
"""For each cell, the cell that shares its domino."""

Move: TypeAlias = Callable[[Place], Place]

BOARD_FIGURES = ("aspect", "fill", "holes", "symmetry")
"""What describes the shape of a board."""

FULL_RECTANGLE = "full"

FILLS = {
    "up to 1/2": (34, 46, 50),
    "up to 2/3": (48, 62, 200 / 3),
    "up to 5/6": (66, 83, 250 / 3),
    "nearly full": (86, 97, 99),
    FULL_RECTANGLE: (100, 100, 100),
}
"""The share of its rectangle that a board fills, in percent: the least and the most for new boards, and the
bound of the case."""

ASPECTS = {
    "square": (100, 108, 110),
    "up to 3:2": (120, 150, 150),
    "up to 2:1": (160, 200, 200),
    "longer": (210, 300, float("inf")),
}
"""The ratio of the long side to the short side, in percent, likewise."""

SYMMETRIES = {"mirror": "a mirror", "mirrors": "both mirrors", "half-turn": "a half turn"}
"""The symmetries of boards that can be chosen, by the names of the options; two mirrors make a half turn."""

CUT_FILLS = ("up to 5/6", "nearly full", FULL_RECTANGLE)
"""Boards without holes and symmetry that fill such a share of their rectangle are cut from it."""

MAX_ASPECT = 3
"""The greatest ratio of the sides of a full rectangle."""

RIM_SAMPLES = 3
"""The number of dominoes on the rim that are sampled before the most exposed one is cut off."""

SWEEPS = 8
"""The average number of times that each block of 2 × 2 cells is tried for a turn."""

BOARDS_GROWN = 8
"""The number of boards that are grown; the one nearest to the drawn shape is taken."""

GROWN_ONCE_FROM = 60
"""From this many dominoes on, the first board that is grown is taken, of two trials."""

CANDIDATE_PLACES = 4
"""The number of places that are compared for a domino."""

BEST_PLACE_PROBABILITY = 0.7
"""The probability that the best of these places is taken; otherwise it is the first."""

COMPACT_FILL = 0.5
"""Boards that fill more of their rectangle grow where most cells touch, others where fewest do."""

MAX_MISSES = 60
"""The number of consecutive failures to find a place after which a board is given up."""


def draw_board(
    count: int, shapes: Mapping[str, Mapping[str, int]], rows: int, columns: int, rng: RandomGenerator
) -> Partners | None:
    """Return a connected board of ``count`` dominoes, at the first row and column; None if none was found.

    ``shapes`` holds the weights of the cases of ``BOARD_FIGURES``. ``rows`` and ``columns`` are limits, or 0;
    with one of them the board is cut from a rectangle.
    """
    wanted = {name: rng.weighted_choice(shapes[name]) for name in BOARD_FIGURES}
    fill, has_hole, symmetry = wanted["fill"], wanted["holes"] != "0", wanted["symmetry"]
    is_cut = fill == FULL_RECTANGLE or (fill in CUT_FILLS and symmetry == "none" and not has_hole)
    if rows or columns or is_cut:
        return _cut(count, *_sides(count, wanted, rows, columns, rng), rng)
    best: tuple[int, Partners] | None = None
    for _ in range(BOARDS_GROWN if count < GROWN_ONCE_FROM else 2):
        height, width = _sides(count, wanted, 0, 0, rng)
        growth = _Growth(count, height, width, _moves(symmetry, height, width, rng), rng)
        if not growth.grow():
            continue
        partners = _at_origin(growth.partners)
        shape = shape_of(partners)
        apart = sum(shape[name] != case for name, case in wanted.items())
        if best is None or apart < best[0]:
            best = apart, partners
        if not apart or count >= GROWN_ONCE_FROM:
            break
    if best is None:
        return None
    turn_randomly(best[1], sorted(best[1]), rng)
    return best[1]


def _sides(
    count: int, wanted: Mapping[str, str], rows: int, columns: int, rng: RandomGenerator
) -> tuple[int, int]:
    """Return the rows and columns of the rectangle for a board; those that are not 0 stay."""
    if rows and columns:
        return rows, columns
    low, high, _ = FILLS[wanted["fill"]]
    area = 200 * count / rng.integer_between(low, high)
    if rows or columns:
        other = ceil(area / (rows or columns))
        return (rows, other) if rows else (other, columns)
    divisor = next(side for side in range(isqrt(2 * count), 0, -1) if 2 * count % side == 0)
    if wanted["fill"] == FULL_RECTANGLE and 2 * count <= MAX_ASPECT * divisor**2:
        short, long = divisor, 2 * count // divisor
    else:
        low, high, _ = ASPECTS[wanted["aspect"]]
        short = max(1, round(sqrt(100 * area / rng.integer_between(low, high))))
        long = max(ceil(2 * count / short), round(area / short))
    return (short, long) if rng.bernoulli(0.5) else (long, short)


def _at_origin(partners: Partners) -> Partners:
    """Return the board moved to the first row and column."""
    top, left = min(row for row, _ in partners), min(column for _, column in partners)
    return {(r - top, c - left): (s - top, d - left) for (r, c), (s, d) in partners.items()}


def shape_of(cells: Iterable[Place]) -> dict[str, str]:
    """Return aspect, fill, holes and symmetry of a board that begins in the first row and column."""
    board = set(cells)
    height, width = 1 + max(row for row, _ in board), 1 + max(column for _, column in board)
    return {
        "aspect": _case(ASPECTS, 100 * max(height, width) / min(height, width)),
        "fill": _case(FILLS, 100 * len(board) / (height * width)),
        "holes": str(min(2, _holes(board, height, width))),
        "symmetry": _symmetry(board, height, width),
    }


def _case(cases: Mapping[str, tuple[int, int, float]], percent: float) -> str:
    return next(case for case, (_, _, most) in cases.items() if percent <= most)


def _holes(board: set[Place], height: int, width: int) -> int:
    around = [(r, c) for r in range(-1, height + 1) for c in range(-1, width + 1) if (r, c) not in board]
    return len(connected_parts(around)) - 1


def _symmetry(board: set[Place], height: int, width: int) -> str:
    """Return the strongest symmetry."""
    across, down, half_turn = (set(map(move, board)) == board for move in _flips(height, width))
    if across and down:
        return "both mirrors"
    return "a mirror" if across or down else "a half turn" if half_turn else "none"


def symmetries_of(cells: Iterable[Place]) -> tuple[str, ...]:
    """Return the symmetries that a board has: both mirrors imply each other one."""
    found = shape_of(cells)["symmetry"]
    return tuple(SYMMETRIES.values()) if found == "both mirrors" else (found,)


# Cut boards.


def _cut(count: int, height: int, width: int, rng: RandomGenerator) -> Partners | None:
    """Return a connected board of ``count`` dominoes without holes, cut from a rectangle; None if none."""
    cells = [(row, column) for row in range(height) for column in range(width)]
    if len(cells) % 2:
        cells.remove(rng.choice([(0, 0), (0, width - 1), (height - 1, 0), (height - 1, width - 1)]))
    partners = random_tiling(cells, rng)
    if partners is None or not _cut_off(partners, len(cells) // 2 - count, rng):
        return None
    return _at_origin(partners)


def _cut_off(partners: Partners, count: int, rng: RandomGenerator) -> bool:
    """Remove dominoes from the rim one by one until ``count`` are left; False if none can be removed."""
    # ``rim`` holds every domino with an open side, and perhaps some that are already gone.
    rim = [pair for pair in dominoes_on(partners) if _neighbours(partners, pair) < 6]
    while count:
        if not rim:
            return False
        drawn = [rng.integer(len(rim)) for _ in range(RIM_SAMPLES)]
        chosen = min(drawn, key=lambda i: _neighbours(partners, rim[i]))
        rim[chosen], rim[-1] = rim[-1], rim[chosen]
        pair = rim.pop()
        if pair[0] in partners and _is_removable(partners, pair):
            for cell in pair:
                del partners[cell]
            touching = [other for cell in pair for other in neighbours(cell) if other in partners]
            rim += [ordered(cell, partners[cell]) for cell in touching]
            count -= 1
    return True


def _neighbours(partners: Partners, pair: tuple[Place, Place]) -> int:
    return sum(other in partners and other not in pair for cell in pair for other in neighbours(cell))


def _is_removable(partners: Partners, pair: tuple[Place, Place]) -> bool:
    """Whether the board stays connected without holes: the cells around the domino form one run."""
    around = [
        (row + i, column + j)
        for row, column in pair
        for i in (-1, 0, 1)
        for j in (-1, 0, 1)
        if (row + i, column + j) not in pair
    ]
    present = {cell for cell in around if cell in partners}
    touching = [other for cell in pair for other in neighbours(cell) if other in present]
    if not touching or all(
        other in present for cell in pair for other in neighbours(cell) if other not in pair
    ):
        return False
    run = next(part for part in connected_parts(present) if touching[0] in part)
    return all(cell in run for cell in touching)


def random_tiling(cells: Sequence[Place], rng: RandomGenerator) -> Partners | None:
    """Return a random tiling of the cells with dominoes, None if there is none.

    The tiling begins as a perfect matching, greedy in the order of the cells. Then pairs of dominoes side by
    side are turned at random, which connects all tilings of a board without holes (Thurston 1990).
    """
    number = {cell: i for i, cell in enumerate(cells)}
    near = [[number[other] for other in neighbours(cell) if other in number] for cell in cells]
    mate = [-1] * len(cells)
    for i, beside in enumerate(near):
        free = next((j for j in beside if mate[i] < 0 and mate[j] < 0), None)
        if free is not None:
            mate[i], mate[free] = free, i
    if not isinstance(perfect_matching(near, mate=mate), list):
        return None
    partners = {cell: cells[j] for cell, j in zip(cells, mate, strict=True)}
    turn_randomly(partners, cells, rng)
    return partners


def turn_randomly(partners: Partners, cells: Sequence[Place], rng: RandomGenerator) -> None:
    """Turn pairs of dominoes that lie side by side at random; the set of cells stays the same."""
    for _ in range(SWEEPS * len(cells)):
        # a block of 2 × 2 cells, by its upper left one, that two parallel dominoes cover
        row, column = cell = rng.choice(cells)
        right, below, across = (row, column + 1), (row + 1, column), (row + 1, column + 1)
        if partners[cell] == right and partners.get(below) == across:
            pairs = (cell, below), (right, across)
        elif partners[cell] == below and partners.get(right) == across:
            pairs = (cell, right), (below, across)
        else:
            continue
        if rng.bernoulli(0.5):
            for a, b in pairs:
                partners[a], partners[b] = b, a


def dominoes_on(partners: Mapping[Place, Place]) -> list[tuple[Place, Place]]:
    """Return the pairs of cells under each domino, in the order of the cells."""
    return [(cell, other) for cell, other in partners.items() if cell < other]


# Grown boards.


def _moves(symmetry: str, height: int, width: int, rng: RandomGenerator) -> Sequence[Move]:
    """Return the moves of a rectangle under which a board with this symmetry stays the same."""
    across, down, half_turn = _flips(height, width)
    if symmetry == "a mirror":
        return (across if rng.bernoulli(0.7) else down,)
    return {"both mirrors": (across, down, half_turn), "a half turn": (half_turn,)}.get(symmetry, ())


def _flips(height: int, width: int) -> tuple[Move, Move, Move]:
    """Return the moves of a rectangle that mirror it left to right, upside down, and both: a half turn."""
    return (
        lambda cell: (cell[0], width - 1 - cell[1]),
        lambda cell: (height - 1 - cell[0], cell[1]),
        lambda cell: (height - 1 - cell[0], width - 1 - cell[1]),
    )


class _Growth:
    """A board that grows by dominoes, each together with its images under the symmetries."""

    def __init__(self, count: int, height: int, width: int, moves: Sequence[Move], rng: RandomGenerator):
        self._remaining, self._height, self._width = count, height, width
        self._moves, self._rng = moves, rng
        self._compact = 2 * count > COMPACT_FILL * height * width
        self._rim: list[Place] = []
        self.partners: Partners = {}

    def grow(self) -> bool:
        """Whether all dominoes found a place."""
        misses = 0
        while self._remaining:
            # Of a few random places, mostly take the one with the most contacts; the fewest on a loose board.
            found = [orbit for _ in range(CANDIDATE_PLACES) if (orbit := self._try_orbit())]
            if not found:
                misses += 1
                if misses > MAX_MISSES:
                    return False
                continue
            misses = 0
            best = max if self._compact else min
            self._place(
                best(found, key=self._contacts) if self._rng.bernoulli(BEST_PLACE_PROBABILITY) else found[0]
            )
        return True

    def _try_orbit(self) -> list[tuple[Place, Place]] | None:
        """Return a domino with its images at a place where they fit; None if this trial found none."""
        rng = self._rng
        if self.partners:
            at = rng.integer(len(self._rim))
            cell = self._rim[at]
            if cell in self.partners:
                self._rim[at] = self._rim[-1]
                self._rim.pop()
                return None
        else:
            cell = (self._height - rng.integer(2)) // 2, (self._width - rng.integer(2)) // 2
        other = rng.choice(neighbours(cell))
        # the domino with its images: symmetric dominoes coincide, overlapping ones are refused
        orbit = list(
            dict.fromkeys([ordered(cell, other), *(ordered(m(cell), m(other)) for m in self._moves)])
        )
        cells = list(chain.from_iterable(orbit))
        if len(set(cells)) < len(cells) or len(orbit) > self._remaining or not all(map(self._is_free, cells)):
            return None
        if not self.partners:
            # With an odd count, begin with an orbit of odd size, so that an even number remains.
            odd = len(self._moves) > 0 and self._remaining % 2 == 1
            if len(connected_parts(cells)) > 1 or (odd and len(orbit) % 2 == 0):
                return None
        return orbit

    def _is_free(self, cell: Place) -> bool:
        row, column = cell
        return 0 <= row < self._height and 0 <= column < self._width and cell not in self.partners

    def _contacts(self, orbit: Sequence[tuple[Place, Place]]) -> int:
        return sum(other in self.partners for cell in orbit[0] for other in neighbours(cell))

    def _place(self, orbit: Sequence[tuple[Place, Place]]) -> None:
        for a, b in orbit:
            self.partners[a], self.partners[b] = b, a
        touched = [other for pair in orbit for cell in pair for other in neighbours(cell)]
        self._rim += [other for other in touched if self._is_free(other)]
        self._remaining -= len(orbit)


def ordered(a: T, b: T) -> tuple[T, T]:
    """Return both, the smaller one first."""
    return (a, b) if a <= b else (b, a)
