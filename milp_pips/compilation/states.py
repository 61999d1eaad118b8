"""The states of a diagram, each packed into one integer, and the moves between them, three operations each.

A state describes which futures the decisions so far allow. Two histories that have decided the same sites and
led to the same state have the same futures, and become one node. From the lowest bit up, a state holds

- one bit that is always set, for moves that lay no domino;
- for each kind of domino, how many are left;
- slacks: by how much the remaining dominoes satisfy each need of the open cells, one field for each need;
- for each rule, the number of its automaton's state, in a register of ``REGISTER_BITS`` bits.

A state does not contain the set of decided sites: the layers of ``layers`` keep one table for each set.

A slack must not be negative. There are two slacks for the sum of all remaining halves: it must be at least
the least sum, and at most the greatest sum, that the open cells can show. There are two slacks for each
value: at least as many halves as the rules demand, and at most as many as the cells can take. Slack s is
stored as 2^(w-1) - 1 - s in a field of w bits, so the top bit is set if the slack is negative. ``missed`` has
the top bits of all fields. Slacks follow from the rest of a state, so they never prevent a merge.

A move is a mask, a number to add, and the piece of the assignment that it decides. The move is possible if
``state & mask`` is not 0 (its domino is left). It leads to ``state + change``, which is a dead end if it has
a bit of ``missed``.

Example: two dominoes on four cells, 0 and 1 above 2 and 3, under one rule: cells 0 and 1 sum to 3.

>>> from milp_pips import compile
>>> from milp_pips.constraints import LinearSum, Relation
>>> from milp_pips.testing import board
>>> problem = board(2, 2, [(1, 1), (1, 2)], [LinearSum((0, 1), Relation.EQ, 3)])
>>> transitions = Transitions(FrontierBoard(problem))
>>> transitions.unpack(transitions.start, decided=0b0000)
([(1, 1), (1, 2)], [0, 2, 3, 0, 1, 2], [(3, 3)])

Both dominoes are left. Their halves sum to 5; the open cells can show sums from 5 (3 by the rule, then 1 and
1) to 7: slacks 0 and 2. Three halves are 1; no cell must show 1, and at most three cells can, since cell 0 or
cell 1 will show 2: slacks 3 and 0. One half is 2: slacks 1 and 2. The rule's open cells sum to exactly 3.

The order is 0, 1, 2, 3. The partner of cell 0 is 1 or 2.

>>> def follow(state, decided, sites):
...     for mask, change, fragment in transitions.table(sites, decided).moves(state):
...         if state & mask:
...             after = state + change
...             values = [value for _, value in transitions.fragments[fragment][:2]]
...             then = transitions.unpack(after, decided | sum(1 << site for site in sites))
...             print(values, "is dead:" if after & transitions.missed else "leads to", *then)
...             yield after
>>> flat = list(follow(transitions.start, 0b0000, (0, 1)))
[1, 2] leads to [(1, 1)] [0, 2, 2, 0, 0, 2] [None]
[2, 1] leads to [(1, 1)] [0, 2, 2, 0, 0, 2] [None]
>>> flat[0] == flat[1]
True
>>> upright = list(follow(transitions.start, 0b0000, (0, 2)))
[1, 1] leads to [(1, 2)] [0, 1, 1, 0, 1, 1] [(2, 2)]
[1, 2] is dead: [(1, 1)] [-1, 2, 2, -1, 0, 2] [(2, 2)]
[2, 1] leads to [(1, 1)] [0, 1, 2, 0, 0, 1] [(1, 1)]

Flat, 1-1 breaks the rule, and 1-2 leads to the same state in both directions: one node with two arcs.
Upright, 1 above 2 needs another 2 in cell 1, but only 1-1 is left: its halves sum to 2 while the open cells
must show 3, and two halves of 1 are left for one cell. The three remaining nodes lead to the same last state.

>>> ends = [*follow(flat[0], 0b0011, (2, 3)), *follow(upright[0], 0b0101, (1, 3))]
[1, 1] leads to [] [0, 0, 0, 0, 0, 0] [None]
[2, 1] leads to [] [0, 0, 0, 0, 0, 0] [None]
>>> ends += follow(upright[2], 0b0101, (1, 3))
[1, 1] leads to [] [0, 0, 0, 0, 0, 0] [None]
>>> len(set(ends)), compile(problem).count  # 2 solutions flat, 1 + 1 upright
(1, 4)
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from functools import cache
from typing import Any, TypeAlias

from milp_pips.compilation.limits import Unfinished
from milp_pips.compilation.nodes import Fragment
from milp_pips.compilation.sites import FrontierBoard, SiteRule
from milp_pips.problem.answer import Stop
from milp_pips.problem.automaton import Outlook, outlook_of
from milp_pips.problem.errors import Contradiction

REGISTER_BITS = 20
"""Bits of a register: a rule may have a million states, as many as a diagram of a gigabyte can have."""

ONES = (1 << REGISTER_BITS) - 1

Move: TypeAlias = tuple[int, int, int]
"""A mask that must share a bit with the state, the number to add to the state, and the fragment's number."""


class SlackFields:
    """The fields of the slacks, from bit ``offset`` up to bit ``end``; there are none without dominoes.

    ``ones`` has the lowest bit of each field, and ``missed`` the top bits. ``start`` is the integer before
    any step. ``counted`` are the numbers of the rules whose outlook bounds the values of their variables, all
    of which are cells; each cell is in at most one such rule. ``free`` has the weight in the fields of every
    open cell that is in no such rule.
    """

    def __init__(self, board: FrontierBoard, offset: int):
        cells = [site.value for site in board.sites if site.partner is not None]
        pips = sorted({pip for domino in board.dominoes for pip in domino})
        self._limit = len(cells) + sum(max(map(abs, board.domains[v])) for v in cells)
        self.width = (8 * self._limit + 8).bit_length()
        self.ones = [1 << offset + self.width * i for i in range(2 * len(pips) + 2)] if cells else [0, 0]
        self.end = offset + self.width * len(self.ones) if cells else offset
        self.missed = sum(self.ones) << self.width - 1
        self._least, self._most, *others = self.ones
        self._few = dict(zip(pips, others[::2], strict=True))
        self._many = dict(zip(pips, others[1::2], strict=True))
        unruled = set(cells)
        self.counted: set[int] = set()
        for number, rule in enumerate(board.rules):
            if unruled.issuperset(rule.variables):
                self.counted.add(number)
                unruled.difference_update(rule.variables)
        self.free = {v: self.weight(outlook_of([board.domains[v]])) for v in unruled}
        self.start = self.missed - sum(self.ones) + sum(self.free.values())
        for number in self.counted:
            automaton = board.rules[number].automaton
            everything = (1 << len(automaton.domains)) - 1
            self.start += self.weight(automaton.outlook(automaton.start, everything))
        for (a, b), times in board.dominoes.items():
            self.start -= times * (self.half(a) + self.half(b))

    def weight(self, outlook: Outlook) -> int:
        """Return the number that open cells with this outlook add to the fields."""
        limit = self._limit
        weight = self._least * max(-limit, min(outlook.least, limit))
        weight -= self._most * max(-limit, min(outlook.most, limit))
        for value, (few, many) in outlook.counts.items():
            if value in self._few:
                weight += self._few[value] * min(few, limit) - self._many[value] * max(-1, min(many, limit))
        return weight

    def half(self, pip: int) -> int:
        """Return the number that one remaining half of a domino subtracts from the fields."""
        return self.weight(Outlook({pip: (1, 1)}, pip, pip))


class RuleRegister:
    """The numbered states of a rule; the packed state has the current number from bit ``offset`` on.

    Number 0 is the start, and also the state of a rule with no open variable. ``slacks`` is given if the
    slacks count the rule. ``step`` and ``weight`` are called often with few different arguments, so their
    results are cached.
    """

    def __init__(self, rule: SiteRule, offset: int, slacks: SlackFields | None):
        self.rule, self.offset, self._slacks = rule, offset, slacks
        self._bits = [1 << site for site in rule.sites]
        self._sites = sum(set(self._bits))
        self._alike = rule.automaton.symmetric and len(set(rule.automaton.domains)) == 1
        self.states: list[Hashable] = [rule.automaton.start]
        self._numbers: dict[Hashable, int] = {rule.automaton.start: 0}
        self._open, self.step, self.weight = cache(self._places), cache(self._step), cache(self._weight)

    def rest(self, decided: int) -> int:
        """Return the bit mask of the open places if these sites are decided.

        If all places are alike, the first places stand for any set of the same size.
        """
        return self._open(decided & self._sites)

    def without(self, rest: int, place: int) -> tuple[int, int]:
        """Return the place to decide instead of this one, and the bit mask of the places open afterwards."""
        if self._alike:
            place = rest.bit_length() - 1
        return place, rest ^ 1 << place

    def _places(self, decided: int) -> int:
        rest = sum(1 << place for place, bit in enumerate(self._bits) if not decided & bit)
        return (1 << rest.bit_count()) - 1 if self._alike else rest

    def _step(self, number: int, rest: int, place: int, value: int) -> int:
        """Return the number of the next state, or -1 if there is none. Raises Unfinished."""
        state = self.rule.automaton.step(self.states[number], rest, place, value)
        if state is None or not rest:
            return -1 if state is None else 0
        following = self._numbers.setdefault(state, len(self.states))
        if following == len(self.states):
            if following > ONES:
                raise Unfinished("a rule has too many states for a decision diagram", Stop.MEMORY)
            self.states.append(state)
        return following

    def _weight(self, number: int, rest: int) -> int:
        """Return the number that the rule's open cells add to the fields of the slacks."""
        if self._slacks is None or not rest:
            return 0
        return self._slacks.weight(self.rule.automaton.outlook(self.states[number], rest))


Filling: TypeAlias = tuple[dict[int, int], int, int, int]
"""Values of the variables of some sites, and their move (mask, change, fragment) without any rule."""

Decides: TypeAlias = tuple[RuleRegister, list[tuple[int, int]]]
"""A register, and the places and the variables of its rule that some sites decide."""

Change: TypeAlias = tuple[RuleRegister, int, list[tuple[int, int, int]]]
"""A register, its open places, and for each decided variable its place, the places open afterwards, and its
number."""


class Transitions:
    """The moves of a ``board``, each computed once, for every order of the sites.

    ``start`` is the first state. A state with a bit of ``missed`` is a dead end. ``fragments`` are the pieces
    of assignments by number. Dominoes on ``free`` cells are not named, see ``deferring``: then a state has,
    before its slacks, how many halves of each value are ``due``. Raises Contradiction if the first state is a
    dead end.
    """

    def __init__(self, board: FrontierBoard, free: frozenset[int] = frozenset()):
        self.board, self._free = board, free
        self.start, offset = 1, 1
        self._dominoes: dict[tuple[int, int], tuple[int, int]] = {}
        for kind, times in board.dominoes.items():
            width = times.bit_length()
            self._dominoes[kind] = ((1 << width) - 1) << offset, 1 << offset
            self.start += times << offset
            offset += width
        self.due: dict[int, tuple[int, int]] = {}
        for pip in sorted({pip for kind in board.dominoes for pip in kind}) if free else ():
            width = len(free).bit_length()
            self.due[pip] = ((1 << width) - 1) << offset, 1 << offset
            offset += width
        self._slacks = SlackFields(board, offset)
        self.start += self._slacks.start
        self.missed, counted = self._slacks.missed, self._slacks.counted
        if self.start & self.missed:
            raise Contradiction("the dominoes cannot satisfy the needs of the cells")
        self._registers = [
            RuleRegister(rule, self._slacks.end + REGISTER_BITS * n, self._slacks if n in counted else None)
            for n, rule in enumerate(board.rules)
        ]
        self.fragments: list[Fragment] = []
        self._known: dict[tuple[int, ...], tuple[list[Filling], list[Decides]]] = {}
        self._tables: dict[tuple[tuple[int, ...], tuple[int, ...]], MoveTable] = {}

    def table(self, sites: tuple[int, ...], decided: int) -> MoveTable:
        """Return the moves that decide these sites after those in the bit mask ``decided``."""
        if sites not in self._known:
            variables = {v for s in sites for v in self.board.sites[s].variables}
            places = [
                (register, [(place, v) for place, v in enumerate(register.rule.variables) if v in variables])
                for register in self._registers
            ]
            self._known[sites] = [*self._fill(sites)], [decides for decides in places if decides[1]]
        fillings, ruled = self._known[sites]
        rests = tuple([register.rest(decided) for register, _ in ruled])
        table = self._tables.get((sites, rests))
        if table is None:
            changes: list[Change] = []
            for (register, decides), rest in zip(ruled, rests, strict=True):
                still, steps = rest, []
                for place, variable in decides:
                    own, still = register.without(still, place)
                    steps.append((own, still, variable))
                changes.append((register, rest, steps))
            table = self._tables[sites, rests] = MoveTable(fillings, changes)
        return table

    def room(self, state: int) -> int:
        """Return the room of a state without bits of ``missed``: the product of its slacks, each plus 1.

        Without dominoes the room is 1.
        """
        if not self.missed:
            return 1
        first, width, end = self._slacks.ones[0], self._slacks.width, self._slacks.end
        fields = (state & (1 << end) - 1) // first
        top, room = 1 << width - 1, 1
        for shift in range(0, width * len(self._slacks.ones), width):
            room *= top - (fields >> shift & top - 1)
        return room

    def unpack(self, state: int, decided: int) -> tuple[list[tuple[int, int]], list[int], list[Any]]:
        """Return the dominoes left, the slacks, and the rules' states (None if all variables are decided)."""
        left = [kind for kind, (mask, one) in self._dominoes.items() for _ in range((state & mask) // one)]
        top = 1 << self._slacks.width - 1
        slacks = [top - 1 - state // one % (2 * top) for one in self._slacks.ones if one]
        rules = [
            register.states[state >> register.offset & ONES] if register.rest(decided) else None
            for register in self._registers
        ]
        return left, slacks, rules

    def _filling(self, values: dict[int, int], mask: int, change: int) -> Filling:
        self.fragments.append(tuple(values.items()))
        return values, mask, change, len(self.fragments) - 1

    def _fill(self, sites: tuple[int, ...]) -> Iterator[Filling]:
        """Yield the values of one site, or the ways to lay a domino on two sites."""
        s, t = sites[0], sites[-1]
        first, second = self.board.sites[s], self.board.sites[t]
        if first.partner is None or second.partner is None:
            for value in self.board.domains[first.value]:
                yield self._filling({first.value: value}, 1, 0)
            return
        if not self._free.isdisjoint(sites):
            yield from self._defer(sites)
            return
        filled = self._slacks.free.get(first.value, 0) + self._slacks.free.get(second.value, 0)
        for (low, high), (mask, one) in self._dominoes.items():
            change = self._slacks.half(low) + self._slacks.half(high) - filled - one
            for a, b in ((low, high), (high, low))[: 1 + (low < high)]:
                if a in self.board.domains[first.value] and b in self.board.domains[second.value]:
                    values = {first.value: a, second.value: b, first.partner: t, second.partner: s}
                    yield self._filling(values, mask, change)

    def _defer(self, sites: tuple[int, ...]) -> Iterator[Filling]:
        """Yield the ways to fill the ruled cell of two sites, or the only one if there is none."""
        ruled = [s for s in sites if s not in self._free]
        if not ruled:
            yield self._filling({}, 1, 0)
        for s in ruled:
            site = self.board.sites[s]
            partner = site.variables[-1]
            for value in self.board.domains[site.value]:
                change = self._slacks.half(value) - self._slacks.free.get(site.value, 0) + self.due[value][1]
                yield self._filling({site.value: value, partner: sum(sites) - s}, 1, change)

    def remaining(self, state: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Return how many dominoes of each kind are left, and how many halves of each value are due."""
        left, due = ([(state & mask) // one for mask, one in f.values()] for f in (self._dominoes, self.due))
        return tuple(left), tuple(due)


class MoveTable:
    """The moves that decide the same sites while the same places of their rules are open.

    ``known`` maps the ``bits`` of a state to its moves. It does not check whether the domino of a move is
    left.
    """

    def __init__(self, fillings: Sequence[Filling], changes: Sequence[Change]):
        self._fillings, self._changes = fillings, changes
        self.bits = sum(ONES << register.offset for register, _, _ in changes)
        self.known: dict[int, list[Move]] = {}

    def moves(self, state: int) -> list[Move]:
        """Return the moves from the state, and cache them."""
        # First decode the registers of the rules that the sites belong to.
        before = []
        for register, rest, steps in self._changes:
            number = state >> register.offset & ONES
            before.append((register, number, register.weight(number, rest), steps))
        moves = self.known[state & self.bits] = []
        # Then step each rule for each filling; add the differences of the registers and of the slacks.
        for values, mask, change, fragment in self._fillings:
            for register, number, weight, steps in before:
                following = number
                for place, rest, variable in steps:
                    following = register.step(following, rest, place, values[variable])
                    if following < 0:
                        break
                if following < 0:
                    break
                change += (following - number << register.offset) + register.weight(following, rest) - weight
            else:
                moves.append((mask, change, fragment))
        return moves
