"""Regular expressions over one-letter symbols, compiled to minimal automata.

Understood are letters, ``.`` (any symbol), ``[rg]`` and ``[^rg]``, ``|``, ``( )``, and the repeats ``*``,
``+``, ``?``, ``{3}``, ``{2,}``, ``{,3}`` and ``{2,3}``, with the meaning they have for ``re.fullmatch``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import reduce
from operator import or_
from typing import NamedTuple, TypeAlias

from milp_pips.errors import InputError
from milp_pips.problem import Automaton
from milp_pips.puzzles.located_text import quoted

MOST_PARTS = 5_000
"""Letters and brackets of an expression, its repeats written out."""
MOST_STATES = 2_000
"""Of an automaton; a few letters may ask for more: ``(r|g)*r(r|g){20}`` for a million."""
DEEPEST = 50
"""Brackets within brackets."""

UNDERSTOOD = "letters, . [ ] ( ) | and the repeats * + ? {2} {2,} {2,3}"

_REPEAT = re.compile(r"\{([0-9]{1,4})\}|\{([0-9]{0,4}),([0-9]{0,4})\}|[*+?]")
_CLASS = re.compile(r"\[(\^?)([^][^]*)\]")


class Letter(NamedTuple):
    """One letter, whichever of these symbols it is."""

    symbols: frozenset[int]


class Chain(NamedTuple):
    """One part after the other; the chain of no part is the empty word."""

    parts: tuple[Expression, ...]


class Choice(NamedTuple):
    """One of the parts."""

    parts: tuple[Expression, ...]


class Repeat(NamedTuple):
    """The part again and again, ``least`` to ``most`` times; without end where ``most`` is None."""

    part: Expression
    least: int
    most: int | None


Expression: TypeAlias = Letter | Chain | Choice | Repeat


def compile_expression(text: str, symbols: Mapping[str, int]) -> Automaton:
    """Return the minimal automaton that accepts the words which the expression describes.

    Parameters
    ----------
    text
        The expression.
    symbols
        The integer that stands for each letter.

    Raises
    ------
    InputError
        The expression cannot be read, names a letter that is no symbol, or asks for an automaton of more
        than ``MOST_STATES`` states before it is made minimal.
    """
    return minimal(_determined(_Positions(parsed(text, symbols)), tuple(symbols.values())))


def parsed(text: str, symbols: Mapping[str, int]) -> Expression:
    """Return the expression that a text writes. Raises InputError."""
    reader = _Reader(text, symbols)
    expression = reader.choice(0)
    if reader.at < len(text):
        raise reader.fault("closes a bracket that was never opened")
    return expression


class _Reader:
    """Reads a text from left to right by recursive descent; ``at`` is how far it has come."""

    def __init__(self, text: str, symbols: Mapping[str, int]):
        self.text, self.symbols, self.at = text, symbols, 0

    def fault(self, what: str, expected: str = "") -> InputError:
        """Return the error that blames the character here."""
        return InputError(f"character {self.at + 1}, {quoted(self.text[self.at])}, {what}", expected=expected)

    def choice(self, depth: int) -> Expression:
        if depth > DEEPEST:
            raise InputError(f"brackets are nested more than {DEEPEST} deep")
        parts = [self._chain(depth)]
        while self.text[self.at : self.at + 1] == "|":
            self.at += 1
            parts.append(self._chain(depth))
        return parts[0] if len(parts) == 1 else Choice(tuple(parts))

    def _chain(self, depth: int) -> Expression:
        parts: list[Expression] = []
        while self.at < len(self.text) and self.text[self.at] not in "|)":
            unit = self._unit(depth)
            if repeat := _REPEAT.match(self.text, self.at):
                unit = self._repeated(unit, repeat)
            parts.append(unit)
        return parts[0] if len(parts) == 1 else Chain(tuple(parts))

    def _unit(self, depth: int) -> Expression:
        first = self.text[self.at]
        every = frozenset(self.symbols.values())
        if first == "(":
            opened = self.at
            self.at += 1
            inside = self.choice(depth + 1)
            if self.at == len(self.text):
                self.at = opened
                raise self.fault("opens a bracket that is never closed")
        elif first == ".":
            inside = Letter(every)
        elif first == "[" and (found := _CLASS.match(self.text, self.at)):
            named = frozenset(map(self._symbol, range(found.start(2), found.end(2))))
            inside = Letter(every - named if found[1] else named)
            if not inside.symbols:
                raise self.fault("starts a set of no letters")
            self.at = found.end() - 1
        elif first in self.symbols:
            inside = Letter(frozenset({self.symbols[first]}))
        elif first in "*+?{":
            raise self.fault("repeats nothing", "a letter or a bracket before it")
        elif first.isalpha():
            raise self.fault("is none of the letters", ", ".join(self.symbols))
        else:
            raise self.fault("has no meaning in an expression", UNDERSTOOD)
        self.at += 1
        return inside

    def _symbol(self, at: int) -> int:
        if self.text[at] not in self.symbols:
            self.at = at
            raise self.fault("is none of the letters", ", ".join(self.symbols))
        return self.symbols[self.text[at]]

    def _repeated(self, unit: Expression, repeat: re.Match[str]) -> Expression:
        if repeat[0] == "{,}":
            raise self.fault("starts a repeat without a number", "such as {2}, {2,} or {2,3}")
        exactly, low, high = repeat.groups()
        least, most = {"*": (0, None), "+": (1, None), "?": (0, 1)}.get(repeat[0]) or (
            int(exactly or low or 0),
            int(exactly or high) if exactly or high else None,
        )
        if most is not None and most < least:
            raise self.fault(f"starts a repeat from {least} to {most}")
        self.at = repeat.end()
        if self.text[self.at : self.at + 1] in ("*", "+", "?", "{"):  # for re, lazy or possessive
            raise self.fault("repeats a repeat", "brackets around what is repeated twice")
        return Repeat(unit, least, most)


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


def _determined(positions: _Positions, symbols: tuple[int, ...]) -> Automaton:
    """Return the automaton whose states are the sets of positions that a word may have come to."""
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


def minimal(automaton: Automaton) -> Automaton:
    """Return the automaton with the fewest states for the same words, numbered in order from the start.

    States that lie on no accepting path are left out; of the others, those that no word tells apart are one
    (Moore 1956).
    """
    leaving: dict[int, dict[int, int]] = {}
    for state, symbol, target in automaton.arcs:
        leaving.setdefault(state, {})[symbol] = target
    live = _reached({automaton.start}, automaton.arcs) & _reached(
        set(automaton.accepting), [(target, symbol, state) for state, symbol, target in automaton.arcs]
    )
    step = {q: {a: r for a, r in leaving.get(q, {}).items() if r in live} for q in live}
    block = {q: int(q in automaton.accepting) for q in live}
    count = 0
    while len(set(block.values())) > count:  # until a round tells no further states apart
        count = len(set(block.values()))
        seen: dict[object, int] = {}
        told = {q: (block[q], frozenset((a, block[r]) for a, r in step[q].items())) for q in live}
        block = {q: seen.setdefault(told[q], len(seen)) for q in live}
    if automaton.start not in live:
        return Automaton(0, frozenset(), ())
    number, queue = {block[automaton.start]: 0}, [automaton.start]
    arcs = []
    for q in queue:
        for a, r in sorted(step[q].items()):
            if block[r] not in number:
                number[block[r]] = len(number)
                queue.append(r)
            arcs.append((number[block[q]], a, number[block[r]]))
    return Automaton(0, frozenset(number[block[q]] for q in automaton.accepting & live), tuple(arcs))


def _reached(start: set[int], arcs: Iterable[tuple[int, int, int]]) -> set[int]:
    following: dict[int, set[int]] = {}
    for state, _, target in arcs:
        following.setdefault(state, set()).add(target)
    reached, queue = set(start), list(start)
    for state in queue:
        new = following.get(state, set()) - reached
        reached |= new
        queue += new
    return reached


def _union(masks: Iterable[int]) -> int:
    return reduce(or_, masks, 0)


def _bits(mask: int) -> Iterator[int]:
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest
