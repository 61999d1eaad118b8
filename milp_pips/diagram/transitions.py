"""How a state changes when sites are decided: each change is worked out once, whatever the order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from milp_pips.diagram.board import Board
from milp_pips.diagram.diagram import Fragment
from milp_pips.diagram.register import ONES, WIDTH, Register
from milp_pips.diagram.supply import Supply

Move: TypeAlias = tuple[int, int, int]
"""A mask that the state must meet, what to add to the state, the number of the fragment that is decided."""


@dataclass(frozen=True, slots=True)
class Way:
    """What can be put on sites: the values of variables, and the move that this makes if no rule is asked."""

    values: dict[int, int]
    mask: int
    change: int
    fragment: int


@dataclass(frozen=True, slots=True)
class Touch:
    """A register that changes when sites are decided, and the places and variables of its rule there."""

    register: Register
    steps: tuple[tuple[int, int], ...]


class Transitions:
    """The moves of a board.

    A state is one integer: a bit that is always set, how many dominoes of each kind are left, the supply's
    fields, a register per rule. Which sites are decided is known from elsewhere. ``start`` is the first
    state; a state that meets ``missed`` leads nowhere; ``fragments`` are the pieces of assignments by number.
    """

    def __init__(self, board: Board):
        self._board = board
        self.start, offset = 1, 1
        self._stock: dict[tuple[int, int], tuple[int, int]] = {}
        for kind, times in board.dominoes.items():
            width = times.bit_length()
            self._stock[kind] = ((1 << width) - 1) << offset, 1 << offset
            self.start += times << offset
            offset += width
        self._supply = Supply(board, offset)
        self.start += self._supply.start
        self.missed, counted = self._supply.missed, self._supply.counted
        self._registers = [
            Register(rule, self._supply.end + WIDTH * n, self._supply if n in counted else None)
            for n, rule in enumerate(board.rules)
        ]
        self.fragments: list[Fragment] = []
        self._ways: dict[tuple[int, ...], list[Way]] = {}
        self._touched: dict[tuple[int, ...], list[Touch]] = {}
        self._tables: dict[tuple[tuple[int, ...], tuple[int, ...]], MoveTable] = {}

    def table(self, sites: tuple[int, ...], decided: int) -> MoveTable:
        """Return the moves that decide these sites while those in the bit mask are decided."""
        if sites not in self._ways:
            self._ways[sites] = list(self._dominoes(*sites) if len(sites) == 2 else self._values(*sites))
            self._touched[sites] = list(self._touches(sites))
        touched = self._touched[sites]
        rests = tuple([touch.register.rest(decided) for touch in touched])
        table = self._tables.get((sites, rests))
        if table is None:
            table = self._tables[sites, rests] = MoveTable(self._ways[sites], touched, rests)
        return table

    def _touches(self, sites: tuple[int, ...]) -> Iterator[Touch]:
        variables = {v for s in sites for v in self._board.sites[s].variables}
        for register in self._registers:
            steps = [(place, v) for place, v in enumerate(register.rule.variables) if v in variables]
            if steps:
                yield Touch(register, tuple(steps))

    def _way(self, values: dict[int, int], mask: int, change: int) -> Way:
        self.fragments.append(tuple(values.items()))
        return Way(values, mask, change, len(self.fragments) - 1)

    def _values(self, site: int) -> Iterator[Way]:
        variable = self._board.sites[site].value
        for value in self._board.domains[variable]:
            yield self._way({variable: value}, 1, 0)

    def _dominoes(self, s: int, t: int) -> Iterator[Way]:
        first, second = self._board.sites[s], self._board.sites[t]
        assert first.partner is not None
        assert second.partner is not None
        filled = self._supply.free.get(first.value, 0) + self._supply.free.get(second.value, 0)
        for (low, high), (mask, one) in self._stock.items():
            change = self._supply.half(low) + self._supply.half(high) - filled - one
            for a, b in ((low, high), (high, low))[: 1 + (low < high)]:
                if a in self._board.domains[first.value] and b in self._board.domains[second.value]:
                    values = {first.value: a, second.value: b, first.partner: t, second.partner: s}
                    yield self._way(values, mask, change)


class MoveTable:
    """The moves that decide the same sites, with the same places of the rules there open.

    ``known`` has the moves by the state's ``bits``. Whether the domino of a move is left is not looked at.
    """

    def __init__(self, ways: Sequence[Way], touched: Sequence[Touch], rests: Sequence[int]):
        self.bits = sum(ONES << touch.register.offset for touch in touched)
        self.known: dict[int, list[Move]] = {}
        self._ways = ways
        self._plan: list[tuple[Register, int, list[tuple[int, int, int]]]] = []
        for touch, rest in zip(touched, rests, strict=True):
            still, steps = rest, []
            for place, variable in touch.steps:
                here, still = touch.register.without(still, place)
                steps.append((here, still, variable))
            self._plan.append((touch.register, rest, steps))

    def work_out(self, state: int) -> list[Move]:
        """Return the moves from the state, and know them from now on."""
        before = []
        for register, rest, steps in self._plan:
            number = state >> register.offset & ONES
            before.append((register, number, register.weight(number, rest), steps))
        moves = self.known[state & self.bits] = []
        for way in self._ways:
            change = way.change
            for register, number, weight, steps in before:
                following = number
                for place, rest, variable in steps:
                    following = register.step(following, rest, place, way.values[variable])
                    if following < 0:
                        break
                if following < 0:
                    break
                change += (following - number << register.offset) + register.weight(following, rest) - weight
            else:
                moves.append((way.mask, change, way.fragment))
        return moves
