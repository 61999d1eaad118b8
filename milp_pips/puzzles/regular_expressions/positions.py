"""From an expression to a deterministic automaton, by the positions of its letters (Glushkov 1961)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import reduce
from operator import or_
from typing import NamedTuple

from milp_pips.errors import InputError
from milp_pips.problem import Automaton
from milp_pips.puzzles.regular_expressions.syntax import Chain, Choice, Expression, Letter, Repeat

MOST_PARTS = 5_000
"""Letters and brackets of an expression, its repeats written out."""
MOST_STATES = 2_000
"""Of an automaton; a few letters may ask for more: ``(r|g)*r(r|g){20}`` for a million."""


def deterministic(expression: Expression, symbols: tuple[int, ...]) -> Automaton:
    """Return the automaton whose states are the sets of positions that a word may have come to.

    Raises
    ------
    InputError
        The expression has more than ``MOST_PARTS`` parts, or the automaton more than ``MOST_STATES`` states.
    """
    positions = _Positions(expression)
    standing = {a: _union(1 << i for i, here in enumerate(positions.symbols) if a in here) for a in symbols}
    empty, first, last = positions.ends
    start = -1  # before the first letter; no bit mask of positions is negative
    states, number = [start], {start: 0}
    arcs: list[tuple[int, int, int]] = []
    for n, state in enumerate(states):
        following = first if state == start else _union(positions.follow[i] for i in _bits(state))
        for a in symbols:
            if target := following & standing[a]:
                if target not in number:
                    number[target] = len(states)
                    states.append(target)
                arcs.append((n, a, number[target]))
        if len(states) > MOST_STATES:
            raise InputError(f"the expression needs an automaton of more than {MOST_STATES} states")
    accepting = {n for n, state in enumerate(states) if (empty if state == start else state & last)}
    return Automaton(0, frozenset(accepting), tuple(arcs))


class _Ends(NamedTuple):
    """Whether a part may be empty, and the positions where it can begin and end (bit masks)."""

    empty: bool
    first: int
    last: int


class _Positions:
    """The position automaton of an expression: a state per letter, repeats written out (Glushkov 1961).

    ``follow[i]`` is the bit mask of the positions that may come after position i; ``symbols[i]`` what may
    stand at position i.
    """

    def __init__(self, expression: Expression):
        self.symbols: list[frozenset[int]] = []
        self.follow: list[int] = []
        self._parts = 0
        self.ends = self._placed(expression)

    def _placed(self, expression: Expression) -> _Ends:
        self._parts += 1
        if self._parts > MOST_PARTS:
            raise InputError(f"the expression has more than {MOST_PARTS} parts, its repeats written out")
        match expression:
            case Letter(symbols):
                here = 1 << len(self.symbols)
                self.symbols.append(symbols)
                self.follow.append(0)
                return _Ends(False, here, here)
            case Chain(parts):
                ends = _Ends(True, 0, 0)
                for part in parts:
                    ends = self._chained(ends, self._placed(part))
                return ends
            case Choice(parts):
                empty, first, last = zip(*map(self._placed, parts), strict=True)
                return _Ends(any(empty), _union(first), _union(last))
            case Repeat(part, least, most):
                return self._written_out(part, least, most)

    def _written_out(self, part: Expression, least: int, most: int | None) -> _Ends:
        ends = _Ends(True, 0, 0)
        for _ in range(least - (most is None and least > 0)):
            ends = self._chained(ends, self._placed(part))
        if most is None:  # the last copy is the one that comes again
            again = self._placed(part)
            self._let_follow(again.last, again.first)
            return self._chained(ends, again._replace(empty=again.empty or least == 0))
        rest = _Ends(True, 0, 0)  # x{0,3} = (x(x(x)?)?)?, from the inside out
        for _ in range(most - least):
            rest = self._chained(self._placed(part), rest)._replace(empty=True)
        return self._chained(ends, rest)

    def _chained(self, one: _Ends, other: _Ends) -> _Ends:
        self._let_follow(one.last, other.first)
        return _Ends(
            one.empty and other.empty,
            one.first | (other.first if one.empty else 0),
            other.last | (one.last if other.empty else 0),
        )

    def _let_follow(self, last: int, first: int) -> None:
        for position in _bits(last):
            self.follow[position] |= first


def _union(masks: Iterable[int]) -> int:
    return reduce(or_, masks, 0)


def _bits(mask: int) -> Iterator[int]:
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest
