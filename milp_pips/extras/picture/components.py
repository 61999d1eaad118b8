"""Connected parts of a picture's pixels of one kind."""

from __future__ import annotations

import re
from dataclasses import dataclass

from milp_pips.algorithms.connectivity import Groups
from milp_pips.problem.errors import InputError

MOST_RUNS = 150_000
"""The most runs of pixels that are joined. Screenshots have a few thousand, photographs more."""

Run = tuple[int, int, int]
"""Row, first column, and the column after the last."""


@dataclass(frozen=True, slots=True)
class Part:
    """A connected part: its runs from top to bottom, and its bounds; right and bottom are exclusive."""

    runs: tuple[Run, ...]
    left: int
    top: int
    right: int
    bottom: int

    @property
    def width(self) -> int:
        return self.right - self.left

    @property
    def height(self) -> int:
        return self.bottom - self.top

    @property
    def area(self) -> int:
        """The number of pixels."""
        return sum(end - start for _, start, end in self.runs)


def parts_of(mask: bytes, width: int) -> list[Part]:
    """Return the 8-connected parts of the ones in a mask of zeros and ones, row by row.

    Raises InputError if the mask is too ragged for a screenshot.
    """
    runs: list[Run] = []
    for match in re.finditer(b"\1+", mask):
        start, end = match.span()
        while start < end:  # a run that goes on in the next row is two
            row = start // width
            stop = min(end, (row + 1) * width)
            runs.append((row, start - row * width, stop - row * width))
            start = stop
        if len(runs) > MOST_RUNS:
            raise InputError(NO_SCREENSHOT)
    groups = Groups(len(runs))
    above = begin = 0  # the runs of the row above start at ``above``, those of this row at ``begin``
    for i, (row, start, end) in enumerate(runs):
        if row != runs[begin][0]:
            above, begin = (begin, i) if row == runs[begin][0] + 1 else (i, i)
        while above < begin and runs[above][2] < start:
            above += 1
        j = above
        while j < begin and runs[j][1] <= end:
            groups.join((i, j))
            j += 1
    parts = []
    for members in groups.sets(range(len(runs))):
        own = tuple(runs[i] for i in members)
        rows, starts, ends = zip(*own, strict=True)
        parts.append(Part(own, min(starts), rows[0], max(ends), rows[-1] + 1))
    return parts


NO_SCREENSHOT = "no Pips puzzle was found: this looks like a photograph, or another picture than a screenshot"


def eroded(mask: bytes, width: int, by: int) -> bytes:
    """Return the mask of the pixels that start a square of ``by`` × ``by`` ones to their right and below."""
    size = len(mask)
    number = int.from_bytes(mask, "little")
    for step in (8, 8 * width):  # bytes to the right, then rows below
        once = number
        for _ in range(by - 1):
            once >>= step
            number &= once
    return number.to_bytes(size, "little")
