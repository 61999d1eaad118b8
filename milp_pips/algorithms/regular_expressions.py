"""Minimal automata of regular expressions over one-letter symbols.

The syntax has letters, ``.`` (any symbol), ``[rg]`` and ``[^rg]``, ``|``, ``( )``, and the repeats ``*``,
``+``, ``?``, ``{3}``, ``{2,}``, ``{,3}`` and ``{2,3}``, with their meaning in ``re.fullmatch``.

A text becomes an automaton in four steps, each a section of this file:

1. *syntax*: parse the text into a tree.
2. *positions*: write out the repeats, so that every letter of the tree is a position. Keep only which
   position may follow which (Glushkov 1961). ``(r|g)*r`` has the positions 0 (r), 1 (g) and 2 (r). A word can
   begin at each of them, each may follow 0 and 1, none follows 2, and a word ends at 2.
3. *deterministic*: a state is the set of positions where a word may be. In the example, these are {0, 2}
   after an r and {1} after a g.
4. *minimal*: merge states that no word tells apart. In the example, these are {1} and the start.

Steps 2 and 3 may explode, so both have limits. The libraries that compile a larger syntax have no limits.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Set
from functools import reduce
from operator import or_
from typing import NamedTuple, TypeAlias

MAX_NESTED_BRACKETS = 10
"""The depth of nested brackets: far more than a person can read, far less than Python's stack allows."""
MOST_PARTS = 5_000
"""The most parts of an expression with its repeats written out. A clue of 200 cells needs a few hundred."""
MOST_STATES = 2_000
"""The most states of an automaton. Short expressions may need more: ``(r|g)*r(r|g){20}`` needs a million."""


MOST_STEPS = 3_000_000
"""The most steps for all expressions of one file together: two seconds. A step is a position that may follow
another. An arc of an automaton costs twenty steps. Large boards drawn by hand need a few hundred thousand."""


class ExpressionError(ValueError):
    """An expression cannot be read, or is too large; the message has the position of the fault."""

    def __init__(self, what: str, expected: str = ""):
        super().__init__(what)
        self.what, self.expected = what, expected


class Dfa(NamedTuple):
    """A deterministic finite automaton with arcs ``(state, symbol, next state)``; a missing arc rejects."""

    start: int
    accepting: frozenset[int]
    arcs: tuple[tuple[int, int, int], ...]


class StepBudget:
    """The number of steps that are left for the expressions of one file."""

    def __init__(self) -> None:
        self._left = MOST_STEPS

    def spend(self, steps: int) -> None:
        """Subtract these steps. Raises ExpressionError if the budget is spent."""
        self._left -= steps
        if self._left < 0:
            raise ExpressionError("the expressions of this file are too large together")


def automaton_of(text: str, symbols: Mapping[str, int], budget: StepBudget) -> Dfa:
    """Return the minimal automaton of the words that the expression describes.

    ``symbols`` maps each letter to an integer. Raises ExpressionError if the expression cannot be read,
    contains a letter that is not a symbol, or is too large.
    """
    positions = Positions(parse(text, symbols), budget)
    return minimal(deterministic(positions, tuple(symbols.values()), budget))


def parse(text: str, symbols: Mapping[str, int]) -> Expression:
    """Return the tree of an expression. Raises ExpressionError if it cannot be read."""
    return _Parser(text, symbols).parse()


# ------------------------------------------------------------------------------------------------ syntax

UNDERSTOOD = "letters, . [ ] ( ) | and the repeats * + ? {2} {2,} {2,3}"

_REPEAT = re.compile(r"\{([0-9]{1,4})\}|\{([0-9]{0,4}),([0-9]{0,4})\}|[*+?]")
_CLASS = re.compile(r"\[(\^?)([^][^]*)\]")


class Letter(NamedTuple):
    """One letter, which is any one of these symbols."""

    symbols: frozenset[int]


class Chain(NamedTuple):
    """The parts one after another. A chain without parts is the empty word."""

    parts: tuple[Expression, ...]


class Choice(NamedTuple):
    """Any one of the parts."""

    parts: tuple[Expression, ...]


class Repeat(NamedTuple):
    """The part repeated ``least`` to ``most`` times, or without limit if ``most`` is None."""

    part: Expression
    least: int
    most: int | None


Expression: TypeAlias = Letter | Chain | Choice | Repeat


class _Parser:
    """A recursive-descent parser. ``at`` is the position of the next character to read."""

    def __init__(self, text: str, symbols: Mapping[str, int]):
        self.text, self.symbols, self.at = text, symbols, 0

    def parse(self) -> Expression:
        """Return the parsed expression. Raises ExpressionError."""
        expression = self._choice(0)
        if self.at < len(self.text):
            raise self._fault("closes a bracket that was never opened")
        return expression

    def _fault(self, what: str, expected: str = "") -> ExpressionError:
        return ExpressionError(f'character {self.at + 1}, "{self.text[self.at]}", {what}', expected)

    def _choice(self, depth: int) -> Expression:
        if depth > MAX_NESTED_BRACKETS:
            raise ExpressionError(f"brackets are nested more than {MAX_NESTED_BRACKETS} deep")
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
                unit = self._repeat(unit, repeat)
            parts.append(unit)
        return parts[0] if len(parts) == 1 else Chain(tuple(parts))

    def _unit(self, depth: int) -> Expression:
        first = self.text[self.at]
        if first == "(":
            opened = self.at
            self.at += 1
            inside = self._choice(depth + 1)
            if self.at == len(self.text):
                self.at = opened
                raise self._fault("opens a bracket that is never closed")
        elif first == ".":
            inside = Letter(frozenset(self.symbols.values()))
        elif first == "[" and (found := _CLASS.match(self.text, self.at)):
            named = frozenset(map(self._symbol, range(found.start(2), found.end(2))))
            inside = Letter(frozenset(self.symbols.values()) - named if found[1] else named)
            if not inside.symbols:
                raise self._fault("starts an empty set of letters")
            self.at = found.end() - 1
        elif first in self.symbols or first.isalpha():
            inside = Letter(frozenset({self._symbol(self.at)}))
        elif first in "*+?{":
            raise self._fault("repeats nothing", "a letter or a bracket before it")
        else:
            raise self._fault("has no meaning in an expression", UNDERSTOOD)
        self.at += 1
        return inside

    def _symbol(self, at: int) -> int:
        if self.text[at] in self.symbols:
            return self.symbols[self.text[at]]
        self.at = at
        raise self._fault("is not one of the letters", ", ".join(self.symbols))

    def _repeat(self, unit: Expression, repeat: re.Match[str]) -> Expression:
        if repeat[0] == "{,}":
            raise self._fault("starts a repeat without a number", "such as {2}, {2,} or {2,3}")
        exactly, low, high = repeat.groups()
        least, most = {"*": (0, None), "+": (1, None), "?": (0, 1)}.get(repeat[0]) or (
            int(exactly or low or 0),
            int(exactly or high) if exactly or high else None,
        )
        if most is not None and most < least:
            raise self._fault(f"starts a repeat from {least} to {most}")
        self.at = repeat.end()
        if self.text[self.at : self.at + 1] in ("*", "+", "?", "{"):  # in re: lazy, possessive
            raise self._fault("repeats a repeat", "brackets around the part that is repeated twice")
        return Repeat(unit, least, most)


# --------------------------------------------------------------------------------------------- positions


class Ends(NamedTuple):
    """Whether a part may be empty, and bit masks of the positions where it can begin and end."""

    empty: bool
    first: int
    last: int


EMPTY_WORD = Ends(True, 0, 0)


class Positions:
    """The positions of an expression.

    ``symbols[i]`` has the symbols allowed at position i, and ``follow[i]`` is the bit mask of the positions
    that may come after it. ``ends`` belongs to the whole expression.
    """

    def __init__(self, expression: Expression, budget: StepBudget):
        self._budget = budget
        self.symbols: list[frozenset[int]] = []
        self.follow: list[int] = []
        self._parts = 0
        self.ends = self._place(expression)

    def _place(self, expression: Expression) -> Ends:
        self._parts += 1
        if self._parts > MOST_PARTS:
            raise ExpressionError(f"the expression has more than {MOST_PARTS} parts with repeats written out")
        match expression:
            case Letter(symbols):
                position = 1 << len(self.symbols)
                self.symbols.append(symbols)
                self.follow.append(0)
                return Ends(False, position, position)
            case Chain(parts):
                return reduce(self._join, map(self._place, parts), EMPTY_WORD)
            case Choice(parts):
                empty, first, last = zip(*map(self._place, parts), strict=True)
                return Ends(any(empty), sum(first), sum(last))  # disjoint masks: a sum is a union
            case Repeat(part, least, most):
                copies = [self._place(part) for _ in range(least)]
                rest = EMPTY_WORD
                if most is None:  # the last copy is the one that repeats
                    rest = copies.pop() if copies else self._place(part)._replace(empty=True)
                    self._let_follow(rest.last, rest.first)
                else:  # x{0,3} = (x(x(x)?)?)?, from the inside out
                    for _ in range(most - least):
                        rest = self._join(self._place(part), rest)._replace(empty=True)
                return reduce(self._join, [*copies, rest], EMPTY_WORD)

    def _join(self, one: Ends, other: Ends) -> Ends:
        self._let_follow(one.last, other.first)
        return Ends(
            one.empty and other.empty,
            one.first | (other.first if one.empty else 0),
            other.last | (one.last if other.empty else 0),
        )

    def _let_follow(self, last: int, first: int) -> None:
        self._budget.spend(last.bit_count())
        for position in _bits(last):
            self.follow[position] |= first


def _bits(mask: int) -> Iterator[int]:
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest


# ----------------------------------------------------------------------------------------- deterministic


def deterministic(positions: Positions, symbols: tuple[int, ...], budget: StepBudget) -> Dfa:
    """Return the deterministic automaton whose states are the sets of positions where a word may be.

    This is the subset construction (Rabin and Scott 1959). Raises ExpressionError if the automaton has more
    than ``MOST_STATES`` states.
    """
    # For each symbol, the bit mask of the positions where it may stand.
    standing = {a: sum(1 << i for i, given in enumerate(positions.symbols) if a in given) for a in symbols}
    empty, first, last = positions.ends
    start = -1  # before the first letter; no bit mask of positions is negative
    states, number = [start], {start: 0}
    arcs: list[tuple[int, int, int]] = []
    for n, state in enumerate(states):
        budget.spend(20 * len(symbols) + max(0, state).bit_count())
        following = first if state == start else reduce(or_, map(positions.follow.__getitem__, _bits(state)))
        for a in symbols:
            if target := following & standing[a]:
                if target not in number:
                    number[target] = len(states)
                    states.append(target)
                arcs.append((n, a, number[target]))
        if len(states) > MOST_STATES:
            raise ExpressionError(f"the expression needs an automaton of more than {MOST_STATES} states")
    accepting = {n for n, state in enumerate(states) if (empty if state == start else state & last)}
    return Dfa(0, frozenset(accepting), tuple(arcs))


# ----------------------------------------------------------------------------------------------- minimal


def minimal(automaton: Dfa) -> Dfa:
    """Return the automaton with the fewest states for the same words, numbered in order from the start.

    States that lie on no accepting path are left out. States that no word tells apart are merged.
    """
    # Search backwards from the accepting states: only the states reached this way are kept.
    before: dict[int, set[int]] = {}
    for q, _, r in automaton.arcs:
        before.setdefault(r, set()).add(q)
    live, queue = set(automaton.accepting), list(automaton.accepting)
    for r in queue:
        new = before.get(r, set()) - live
        live |= new
        queue += new
    if automaton.start not in live:
        return Dfa(0, frozenset(), ())
    arcs = [(q, a, r) for q, a, r in sorted(automaton.arcs) if q in live and r in live]
    block = _blocks(live, automaton.accepting, arcs)
    step: dict[int, list[tuple[int, int]]] = {q: [] for q in live}
    for q, a, r in arcs:
        step[q].append((a, r))
    # Number the blocks in breadth-first order from the start. One state stands for its block.
    number, merged, queue = {block[automaton.start]: 0}, [], [automaton.start]
    for q in queue:
        for a, r in step[q]:
            if block[r] not in number:
                number[block[r]] = len(number)
                queue.append(r)
            merged.append((number[block[q]], a, number[block[r]]))
    accepting = frozenset(number[block[q]] for q in automaton.accepting if block[q] in number)
    return Dfa(0, accepting, tuple(merged))


def _blocks(states: Set[int], accepting: Set[int], arcs: Iterable[tuple[int, int, int]]) -> dict[int, int]:
    """Return the number of each state's block. States share a block if no word tells them apart.

    Hopcroft's algorithm (1971) for partial automata: no state is needed for the missing arcs if both first
    blocks are used as splitters (Valmari and Lehtinen 2008).
    """
    blocks = [set(block) for block in (accepting, states - accepting) if block]
    block_of = {q: number for number, block in enumerate(blocks) for q in block}
    before: dict[int, dict[int, list[int]]] = {}
    for q, a, r in arcs:
        before.setdefault(a, {}).setdefault(r, []).append(q)
    waiting = set(range(len(blocks)))
    while waiting:
        splitter = tuple(blocks[waiting.pop()])
        for sources in before.values():
            # The states that enter the splitter by one symbol, by block.
            parts: dict[int, set[int]] = {}
            for r in splitter:
                for q in sources.get(r, ()):
                    parts.setdefault(block_of[q], set()).add(q)
            for number, part in parts.items():
                # Split each block that has states of both kinds. The smaller half is enough as a splitter,
                # unless the whole block still waits.
                if len(part) < len(blocks[number]):
                    blocks[number] -= part
                    blocks.append(part)
                    block_of |= dict.fromkeys(part, len(blocks) - 1)
                    smaller = min(number, len(blocks) - 1, key=lambda i: len(blocks[i]))
                    waiting.add(len(blocks) - 1 if number in waiting else smaller)
    return block_of
