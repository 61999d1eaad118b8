"""Fill a board at random, and solve it by singles: what a person does without ever guessing.

A naked single is a cell that one symbol is left for, a hidden single a symbol that one cell of a row, column
or region is left for (Norvig 2006, *Solving Every Sudoku Puzzle*). Each step is forced, so a board that they
solve has no other solution.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from milp_pips.chance import Chance
from milp_pips.puzzles.sudoku.puzzle import Place

CHOICES = 5_000
"""How many symbols are tried before another board is drawn; choices, not seconds."""


class Board:
    """The rows, columns and regions of a board; symbols are numbered from 0.

    Parameters
    ----------
    size
        How many symbols there are.
    cells
        All cells in reading order.
    regions
        Cells of each region.
    """

    def __init__(self, size: int, cells: Sequence[Place], regions: Sequence[Sequence[Place]]):
        self._size, self._cells = size, cells
        self._number = {cell: i for i, cell in enumerate(cells)}
        lines = [[r * size + c for c in range(size)] for r in range(size)]
        lines += [list(column) for column in zip(*lines, strict=True)]
        self._units = lines + [[self._number[cell] for cell in region] for region in regions]
        self._peers: list[list[int]] = []
        for i in range(len(cells)):
            sharing = dict.fromkeys(j for unit in self._units if i in unit for j in unit)
            self._peers.append([j for j in sharing if j != i])

    def filled(self, chance: Chance) -> dict[Place, int] | None:
        """Return a filling that obeys all rules, None where none was found within ``CHOICES`` choices.

        Depth first, always in a cell with the fewest symbols left, its symbols in a random order.
        """
        left = [(1 << self._size) - 1] * len(self._cells)
        symbol = [-1] * len(self._cells)
        choices = 0
        trail: list[tuple[int, list[int], list[int]]] = []  # cell, symbols not tried yet, peers that lost it
        while True:
            open_cells = [i for i in range(len(symbol)) if symbol[i] < 0]
            if not open_cells:
                return dict(zip(self._cells, symbol, strict=True))
            cell = min(open_cells, key=lambda i: left[i].bit_count())
            trail.append((cell, chance.shuffled(a for a in range(self._size) if left[cell] >> a & 1), []))
            while trail and not trail[-1][1]:
                trail.pop()
                if trail:
                    self._undo(trail[-1], left, symbol)
            if not trail or choices == CHOICES:
                return None
            choices += 1
            cell, untried, lost = trail[-1]
            symbol[cell] = untried.pop()
            bit = 1 << symbol[cell]
            for j in self._peers[cell]:
                if symbol[j] < 0 and left[j] & bit:
                    left[j] -= bit
                    lost.append(j)

    @staticmethod
    def _undo(step: tuple[int, list[int], list[int]], left: list[int], symbol: list[int]) -> None:
        cell, _, lost = step
        for j in lost:
            left[j] |= 1 << symbol[cell]
        lost.clear()
        symbol[cell] = -1

    def solved_by_singles(self, given: Mapping[Place, int]) -> bool:
        """Whether naked and hidden singles alone fill the whole board from these symbols."""
        left = [(1 << self._size) - 1] * len(self._cells)
        waiting = []
        for cell, symbol in given.items():
            left[self._number[cell]] = 1 << symbol
            waiting.append(self._number[cell])
        while waiting:
            while waiting:
                i = waiting.pop()
                bit = left[i]
                for j in self._peers[i]:
                    if left[j] & bit:
                        left[j] ^= bit
                        if not left[j] & left[j] - 1:
                            waiting.append(j)
            for unit in self._units:
                once = more = 0
                for i in unit:
                    more |= once & left[i]
                    once |= left[i]
                once &= ~more
                for i in unit:
                    if left[i] & once and left[i] & left[i] - 1:
                        left[i] &= once
                        waiting.append(i)
        return all(symbols.bit_count() == 1 for symbols in left)
