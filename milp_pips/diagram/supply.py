"""Whether the dominoes left can still fill the open cells: a test that costs one bit operation per arc.

For every pip value the halves left must be at least what the rules still demand of it, and at most what the
open cells can still take; likewise the sum of all pips left. By how much each of these is missed is a field
of one integer. A step of the diagram changes it by an amount that depends on the step alone, so the whole
test is one addition and one look at the top bits of the fields. The fields follow from the rest of a state:
they split none.
"""

from __future__ import annotations

from milp_pips.diagram.accumulator import Outlook, outlook_of
from milp_pips.diagram.board import Board


class Supply:
    """The fields of a board's supply, from bit ``offset`` up to bit ``end``; none without dominoes.

    ``missed`` has the top bit of each field, which is set where its test fails; ``start`` is the integer
    before any step. ``counted`` are the numbers of the rules that speak for all their variables, which are
    cells; ``free`` has what a cell adds to the fields, while it is open, that no such rule speaks for.
    """

    def __init__(self, board: Board, offset: int):
        cells = [site.value for site in board.sites if site.partner is not None]
        pips = sorted({pip for domino in board.dominoes for pip in domino})
        self._limit = len(cells) + sum(max(map(abs, board.domains[v])) for v in cells)
        width = (8 * self._limit + 8).bit_length()
        fields = [1 << offset + width * i for i in range(2 * len(pips) + 2)] if cells else [0, 0]
        self.end = offset + width * len(fields) if cells else offset
        self.missed = sum(fields) << width - 1
        self._too_little, self._too_much, *others = fields
        self._want = dict(zip(pips, others[::2], strict=True))
        self._glut = dict(zip(pips, others[1::2], strict=True))
        silent = set(cells)
        self.counted: set[int] = set()
        for number, rule in enumerate(board.rules):
            if silent.issuperset(rule.variables):
                self.counted.add(number)
                silent.difference_update(rule.variables)
        self.free = {v: self.weight(outlook_of([board.domains[v]])) for v in silent}
        self.start = self.missed - sum(fields) + sum(self.free.values())
        for number in self.counted:
            remembers = board.rules[number].accumulator
            rest = (1 << len(remembers.domains)) - 1
            self.start += self.weight(remembers.outlook(remembers.start, rest))
        for (a, b), times in board.dominoes.items():
            self.start -= times * (self.half(a) + self.half(b))

    def weight(self, outlook: Outlook) -> int:
        """Return what cells of this outlook add to the fields while they are open."""
        limit = self._limit
        weight = self._too_little * max(-limit, min(outlook.least, limit))
        weight -= self._too_much * max(-limit, min(outlook.most, limit))
        for value, (few, many) in outlook.counts.items():
            if value in self._want:
                weight += self._want[value] * min(few, limit) - self._glut[value] * max(-1, min(many, limit))
        return weight

    def half(self, pip: int) -> int:
        """Return what one half of a domino takes from the fields while it is left."""
        return self.weight(Outlook({pip: (1, 1)}, pip, pip))
