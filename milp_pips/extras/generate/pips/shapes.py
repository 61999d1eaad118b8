"""Grow boards as setters draw them: domino by domino, often symmetric, with arms and sometimes a hole."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain
from math import isqrt, sqrt
from typing import TypeAlias

from milp_pips.extras.generate.pips.boards import Partners, cut_rectangle, turn_randomly
from milp_pips.extras.generate.pips.statistics import Figures, shape_of
from milp_pips.problem.rng import RandomGenerator
from milp_pips.render.vocabulary import Place, connected_parts, neighbours

Move: TypeAlias = Callable[[Place], Place]

FULL_RECTANGLE = "full"

FILL_PERCENT = {
    "up to 1/2": (34, 46),
    "up to 2/3": (48, 62),
    "up to 5/6": (66, 83),
    "nearly full": (86, 97),
    FULL_RECTANGLE: (100, 100),
}
"""The share of its rectangle that a board is to fill, in percent."""

SIDES = {"square": (100, 108), "up to 3:2": (120, 150), "up to 2:1": (160, 200), "longer": (210, 300)}
"""The ratio of the long side to the short side, in percent."""

MAX_ASPECT = 3
"""The greatest ratio of the sides of a full rectangle."""

BOARDS_GROWN = 8
"""The number of boards that are grown; the one nearest to the drawn shape is taken."""

GROWN_ONCE_FROM = 60
"""From this many dominoes on, only one board is grown."""

CANDIDATE_PLACES = 4
"""The number of places that are compared for a domino."""

BEST_PLACE_PROBABILITY = 0.7
"""The probability that the best of these places is taken; otherwise it is the first."""

COMPACT_FILL = 0.5
"""Boards that fill more of their rectangle grow where most cells touch, others where fewest do."""

MAX_MISSES = 60
"""The number of consecutive failures to find a place after which a board is given up."""


def grow_board(count: int, figures: Figures, rng: RandomGenerator) -> Partners | None:
    """Return a connected board of ``count`` dominoes shaped like published ones; None if none was found."""
    wanted = {name: rng.weighted_choice(figures[name]) for name in ("aspect", "fill", "holes", "symmetry")}
    if wanted["fill"] == FULL_RECTANGLE and (sides := _sides_of_a_rectangle(count)):
        rows, columns = rng.shuffled(sides)
        return cut_rectangle(count, rows, columns, rng)
    best: tuple[int, Partners] | None = None
    for _ in range(BOARDS_GROWN if count < GROWN_ONCE_FROM else 2):
        low, high = FILL_PERCENT[wanted["fill"]]
        area = 200 * count / rng.integer_between(low, high)
        low, high = SIDES[wanted["aspect"]]
        short = max(1, round(sqrt(100 * area / rng.integer_between(low, high))))
        long = max(-(-2 * count // short), round(area / short))
        sides = (short, long) if rng.bernoulli(0.5) else (long, short)
        partners = _grow_once(count, *sides, wanted["symmetry"], rng)
        if partners is None:
            continue
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


def _sides_of_a_rectangle(count: int) -> tuple[int, int] | None:
    """Return the sides of the rectangle for ``count`` dominoes nearest to a square; None if too long."""
    short = next(side for side in range(isqrt(2 * count), 0, -1) if 2 * count % side == 0)
    long = 2 * count // short
    return (short, long) if long <= MAX_ASPECT * short else None


def _grow_once(count: int, height: int, width: int, symmetry: str, rng: RandomGenerator) -> Partners | None:
    """Return a board within this many rows and columns, moved to the top left."""
    board = _Growth(count, height, width, _moves(symmetry, height, width, rng), rng)
    if not board.grow():
        return None
    partners = board.partners
    top, left = min(row for row, _ in partners), min(column for _, column in partners)
    return {(r - top, c - left): (s - top, d - left) for (r, c), (s, d) in partners.items()}


def _moves(symmetry: str, height: int, width: int, rng: RandomGenerator) -> Sequence[Move]:
    def across(cell: Place) -> Place:
        return cell[0], width - 1 - cell[1]

    def down(cell: Place) -> Place:
        return height - 1 - cell[0], cell[1]

    def half_turn(cell: Place) -> Place:
        return height - 1 - cell[0], width - 1 - cell[1]

    match symmetry:
        case "both mirrors":
            return across, down, half_turn
        case "a mirror":
            return (across if rng.bernoulli(0.7) else down,)
        case "a half turn":
            return (half_turn,)
        case _:
            return ()


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
        orbit = list(dict.fromkeys([_pair(cell, other), *(_pair(m(cell), m(other)) for m in self._moves)]))
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


def _pair(a: Place, b: Place) -> tuple[Place, Place]:
    return (a, b) if a < b else (b, a)
