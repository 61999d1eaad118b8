"""Which layouts and which values go together: the pairs of values under the dominoes are the dominoes.

Each kind of domino is given a large random number. If the pairs that a layout makes of a grid of values are
the given dominoes, their numbers add up to the same total; the converse holds almost surely and is checked.
So a whole block of layouts and a block of grids are compared by one product of matrices, layouts × edges
times edges × grids.

Neither stage has to be over before the join begins. Both are drawn in turns, and every block is compared
with all that the other stage has given so far (the symmetric join of databases: Wilschut and Apers 1991), so
that each pair is met once. When one stage is over, nothing of the other needs to be kept any more: memory
follows the smaller of the two numbers, whichever that is.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from milp_pips.answer import Proof, Stop

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from milp_pips.solvers.contract import Points
    from milp_pips.two_stage.split import Split
    from milp_pips.two_stage.stage import Stage
    from milp_pips.watch import Watch

Block: TypeAlias = "NDArray[np.uint8] | NDArray[np.int64]"
"""Points of one stage, one per row."""

AHEAD = 256
"""Layouts that are drawn before the first grid of values: there are mostly few of them."""

MEMORY = 2**28
"""Bytes that the kept points may take: a quarter of a gigabyte, which is some million points."""


class Fingerprints:
    """The numbers of the dominoes, and the total that they add up to; exact in floating point.

    Parameters
    ----------
    split
        The parts that are to be joined.
    """

    def __init__(self, split: Split):
        cover, variables = split.cover, split.values.variables
        self._pips = np.array(sorted({a for v in cover.values for a in variables[v].domain}), dtype=np.int64)
        self._cells = np.array(cover.values, dtype=np.intp)
        ends = np.array(split.edges, dtype=np.intp).reshape(-1, 2)
        self._one, self._other = ends[:, 0], ends[:, 1]
        chance = random.Random(0)
        numbers = {
            kind: 1 + chance.getrandbits(51 - len(cover.dominoes).bit_length()) for kind in cover.kinds
        }
        place = {int(pip): i for i, pip in enumerate(self._pips)}
        # A pair that is no domino weighs more than all dominoes together. Below 2^53 all sums are exact.
        self._number = np.full((len(place), len(place)), 2.0**52)
        for (a, b), number in numbers.items():
            if a in place and b in place:
                self._number[place[a], place[b]] = self._number[place[b], place[a]] = number
        self._total = float(sum(numbers[kind] * times for kind, times in cover.kinds.items()))

    def alike(self, layouts: Block, grids: Block) -> list[list[int]]:
        """Return the rows of both blocks whose pairs add up to the total of the dominoes."""
        shown = np.searchsorted(self._pips, grids[:, self._cells])
        on_edges = self._number[shown[:, self._one], shown[:, self._other]]
        totals = layouts.astype(np.float64) @ on_edges.T
        return np.argwhere(totals == self._total).tolist()


def joined(split: Split, links: Stage, values: Stage, watch: Watch) -> Points:
    """Yield every point of the whole problem once, and return proof and stop; see ``Points``.

    ``Stop.MEMORY`` says that neither stage has ended within ``MEMORY``.
    """
    fingerprints = Fingerprints(split)
    layouts: list[Block] = []
    grids: list[Block] = []
    while not (links.ended and values.ended):
        of_links = values.ended or (not links.ended and links.seen < max(AHEAD, values.seen))
        stage, other = (links, values) if of_links else (values, links)
        drawn = stage.block()
        if drawn:
            rows = np.array(drawn, dtype=np.int64).reshape(len(drawn), -1)  # there may be no columns
            block: Block = rows.astype(np.uint8) if of_links else rows
            for kept in grids if of_links else layouts:
                if watch.stop:
                    return Proof.NONE, watch.stop
                pair = (block, kept) if of_links else (kept, block)
                for row, column in fingerprints.alike(*pair):
                    point = split.point(pair[0][row].tolist(), pair[1][column].tolist())
                    if point is not None:
                        yield point
            if not other.ended:
                (layouts if of_links else grids).append(block)
        if stage.ended and not stage.complete:
            return Proof.NONE, stage.stop
        if stage.ended and not stage.seen:
            break  # nothing goes together with nothing
        if stage.ended:
            (grids if of_links else layouts).clear()  # they have met everything
        if sum(block.nbytes for block in (*layouts, *grids)) > MEMORY:
            return Proof.NONE, Stop.MEMORY
    return Proof.COMPLETE, Stop.FINISHED
