"""The dominoes in the tray below the board: dark rings, twice as wide as high, with pips in fixed spots."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import exp, fsum, log

from milp_pips.extras.picture.alternatives import Reading, readings
from milp_pips.extras.picture.components import Part, parts_of
from milp_pips.extras.picture.pixels import GREY_PIXEL, INK_PIXEL, Pixels

COLUMNS = ((0.148, 0.256, 0.365), (0.63, 0.738, 0.852))
"""Where the left, middle and right spots of each half are, by the width of a domino."""

SPOT_ROWS = (0.295, 0.5, 0.705)
"""Where the upper, middle and lower spots are, by its height."""

FACES = {
    0: ("... ... ...",),
    1: ("... .o. ...",),
    2: ("o.. ... ..o", "..o ... o.."),
    3: ("o.. .o. ..o", "..o .o. o.."),
    4: ("o.o ... o.o",),
    5: ("o.o .o. o.o",),
    6: ("ooo ... ooo", "o.o o.o o.o"),
}
"""The spots of each number of pips; a face may be turned."""


@dataclass(frozen=True, slots=True)
class Domino:
    """A domino: where its upper side is, and the numbers of pips of its left and right half."""

    top: int
    halves: tuple[Reading[int], Reading[int]]


def find_dominoes(picture: Pixels) -> list[Domino]:
    """Return the dominoes in the tray, in rows from top to bottom."""
    rings = _rings(picture)
    if not rings:
        return []
    height = statistics.median([ring.height for ring in rings])
    rings.sort(key=lambda ring: (round(ring.top / height * 2), ring.left))
    return [Domino(ring.top, (_half(picture, ring, 0), _half(picture, ring, 1))) for ring in rings]


def _rings(picture: Pixels) -> list[Part]:
    """Return the outlines of the dominoes: the largest group of rings of one size."""
    ink = picture.kinds.translate(bytes(kind in (INK_PIXEL, GREY_PIXEL) for kind in range(256)))
    rings = [part for part in parts_of(ink, picture.width) if _is_ring(picture, part)]
    groups = [
        [ring for ring in rings if abs(ring.width - one.width) <= 0.06 * one.width + 1] for one in rings
    ]
    return max(groups, key=len, default=[])


def _is_ring(picture: Pixels, part: Part) -> bool:
    if part.width < 24 or not 1.6 <= part.width / part.height <= 2.4:
        return False
    # Just inside the border it is light almost everywhere; pips are further in.
    inside = [
        picture.kind(part.left + across * part.width, part.top + down * part.height)
        for across in (0.06, 0.3, 0.42, 0.55, 0.7, 0.94)
        for down in (0.13, 0.4, 0.6)
    ]
    return part.area < 0.5 * part.width * part.height and sum(kind == INK_PIXEL for kind in inside) <= 4


def _half(picture: Pixels, ring: Part, half: int) -> Reading[int]:
    """Return the number of pips of a half, with its alternatives."""
    paper = statistics.median(_lights(picture, ring, 0.045 if half == 0 else 0.955, 0.5, 0.02))
    spots = []
    for down in SPOT_ROWS:
        for across in COLUMNS[half]:
            dark = statistics.fmean(_lights(picture, ring, across, down, 0.028))
            share = (paper - dark) / max(paper - 68, 1)  # the ink of pips has 68 of 255
            spots.append(1 / (1 + exp(-14 * (min(max(share, 0.0), 1.0) - 0.5))))
    likelihoods = {pips: max(_likelihood(face, spots) for face in faces) for pips, faces in FACES.items()}
    return readings(likelihoods)


def _likelihood(face: str, spots: Sequence[float]) -> float:
    """Return the logarithm of the likelihood of a face, of the probabilities that the spots are pips."""
    marks = face.replace(" ", "")
    return fsum(log(p if mark == "o" else 1 - p) for mark, p in zip(marks, spots, strict=True))


def _lights(picture: Pixels, ring: Part, across: float, down: float, radius: float) -> Iterator[float]:
    """Yield the lightness of pixels in a disk around a spot; the radius is by the width of the domino."""
    x, y = ring.left + across * ring.width, ring.top + down * ring.height
    reach = max(radius * ring.width, 0.5)
    steps = max(1, round(reach))
    for i in range(-steps, steps + 1):
        for j in range(-steps, steps + 1):
            if i * i + j * j <= steps * steps:
                yield sum(picture.colour(x + reach * i / steps, y + reach * j / steps)) / 3
