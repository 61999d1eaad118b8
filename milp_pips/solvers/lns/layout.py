"""A layout in the making: every cell is covered, every rule obeyed, but not all dominoes are given ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from random import Random
from typing import Generic, TypeAlias, TypeVar

from milp_pips.solvers.lns.board import Board

Kind: TypeAlias = tuple[int, int]
"""A kind of domino, the lower pip first."""

Item = TypeVar("Item", bound=Hashable)


class Layout:
    """Values and partners of all cells, and how far the dominoes that lie are from those given.

    A change takes time by the number of cells that change, however large the board.

    Parameters
    ----------
    board
        The board.
    point
        A value for every variable of the problem; it is changed in place. Partners are a perfect matching.

    Attributes
    ----------
    excess
        By kind, how many dominoes lie beyond those given; negative where some are missing.
    cost
        How many dominoes lie beyond those given, of all kinds together; 0 for a solution.
    """

    def __init__(self, board: Board, point: list[int]):
        self.board = board
        self.point = point
        self.excess: Counter[Kind] = Counter()
        self.excess.subtract(board.cover.dominoes)
        self.cost = 0
        self._lying: dict[Kind, Bag[int]] = {}
        self._surplus: Bag[Kind] = Bag()
        for cell in range(len(board.near)):
            if cell < self.partner(cell):
                self._lay(cell)

    def partner(self, cell: int) -> int:
        """Return the cell that shares the cell's domino."""
        return self.point[self.board.cover.partners[cell]]

    def kind(self, cell: int) -> Kind:
        """Return the kind of the domino on the cell."""
        values = self.board.cover.values
        a, b = self.point[values[cell]], self.point[values[self.partner(cell)]]
        return (a, b) if a <= b else (b, a)

    def surplus_cell(self, chance: Random) -> int:
        """Return a random cell of a domino of a random kind of which too many lie."""
        cell = self._lying[self._surplus.any(chance)].any(chance)
        return cell if chance.random() < 0.5 else self.partner(cell)

    def accept(self, changes: Mapping[int, int], most: int | None = None) -> bool:
        """Give variables new values, unless that costs more than ``most``; return whether it was done.

        Without ``most`` it must not cost more than before. Rules must stay obeyed and partners a matching:
        every cell whose partner changes must be among them.
        """
        changes = {v: x for v, x in changes.items() if x != self.point[v]}
        before = {v: self.point[v] for v in changes}
        allowed = self.cost if most is None else max(most, self.cost)
        self._change(changes)
        if self.cost <= allowed:
            return True
        self._change(before)
        return False

    def _change(self, changes: Mapping[int, int]) -> None:
        for cell in self._dominoes_on(changes):
            self._take(cell)
        for v, x in changes.items():
            self.point[v] = x
        for cell in self._dominoes_on(changes):
            self._lay(cell)

    def _dominoes_on(self, variables: Iterable[int]) -> set[int]:
        """Return the lower cell of each domino on a cell with one of the variables."""
        cells = [self.board.cell_of[v] for v in variables if v in self.board.cell_of]
        return {min(cell, self.partner(cell)) for cell in cells}

    def _lay(self, cell: int) -> None:
        kind = self.kind(cell)
        self.excess[kind] += 1
        if self.excess[kind] > 0:
            self.cost += 1
            if self.excess[kind] == 1:
                self._surplus.add(kind)
        self._lying.setdefault(kind, Bag()).add(cell)

    def _take(self, cell: int) -> None:
        kind = self.kind(cell)
        if self.excess[kind] > 0:
            self.cost -= 1
            if self.excess[kind] == 1:
                self._surplus.remove(kind)
        self.excess[kind] -= 1
        self._lying[kind].remove(cell)


class Bag(Generic[Item]):
    """Different items; adding one, taking one out and drawing a random one take the same time in any bag."""

    def __init__(self) -> None:
        self._items: list[Item] = []
        self._position: dict[Item, int] = {}

    def add(self, item: Item) -> None:
        """Put an item in that is not there yet."""
        self._position[item] = len(self._items)
        self._items.append(item)

    def remove(self, item: Item) -> None:
        """Take an item out; the last one takes its place."""
        position, last = self._position.pop(item), self._items.pop()
        if last != item:
            self._items[position] = last
            self._position[last] = position

    def any(self, chance: Random) -> Item:
        """Return a random item."""
        return self._items[int(chance.random() * len(self._items))]
