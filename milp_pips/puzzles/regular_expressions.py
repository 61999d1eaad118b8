"""Regular expressions over one-letter symbols, compiled to minimal automata.

Understood are letters, ``.`` (any symbol), ``[rg]`` and ``[^rg]``, ``|``, ``( )``, and the repeats ``*``,
``+``, ``?``, ``{3}``, ``{2,}``, ``{,3}`` and ``{2,3}``, with the meaning they have for ``re.fullmatch``.

A text becomes an automaton in four steps, each a section of this file:

1. *syntax*: the text is parsed into a tree;
2. *positions*: repeats are written out, and every letter of the tree then is a position; which position may
   follow which is all that is kept (Glushkov 1961). ``(r|g)*r`` has the positions 0 (r), 1 (g) and 2 (r); a
   word can begin at each of them, each may follow 0 and 1, none follows 2, and a word ends at 2;
3. *deterministic*: a state is the set of positions that a word may have come to: there are {0, 2} after an r
   and {1} after a g;
4. *minimal*: states that no word tells apart become one: {1} and the start of that example.

Steps 2 and 3 may explode, so both have limits. The libraries that compile more than this have none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Set
from functools import reduce
from operator import or_
from typing import NamedTuple, TypeAlias

from milp_pips.problem.errors import InputError
from milp_pips.problem.problem import Automaton
from milp_pips.puzzles.located import quoted

MAX_NESTED_BRACKETS = 10
"""Brackets within brackets: far more than a person reads, far less than Python's stack holds."""
MOST_PARTS = 5_000
"""Letters and brackets of an expression, its repeats written out; a clue of 200 cells needs some hundreds."""
MOST_STATES = 2_000
"""Of an automaton; a few letters may ask for more: ``(r|g)*r(r|g){20}`` for a million."""


MOST_STEPS = 3_000_000
"""Of all expressions of one file together: two seconds. A step is a position that may follow another; an arc
of an automaton costs as much as twenty. Large boards drawn by hand need some hundred thousand."""


class StepBudget:
    """How many steps may still be taken for the expressions of one file."""

    def __init__(self, steps: int = MOST_STEPS):
        self._left = steps

    def spend(self, steps: int) -> None:
        """Take off steps that were taken. Raises InputError after too many."""
        self._left -= steps
        if self._left < 0:
            raise InputError("the expressions of this file are too large together")


def compile_expression(text: str, symbols: Mapping[str, int], budget: StepBudget | None = None) -> Automaton:
    """Return the minimal automaton of the words that the expression describes.

    ``symbols`` tells the integer that stands for each letter; ``budget`` is shared by the expressions of a
    file. Raises InputError where the expression cannot be read, names a letter that is no symbol, or is too
    large.
    """
    budget = budget or StepBudget()
    positions = Positions(_Parser(text, symbols).parse(), budget)
    return minimal(deterministic(positions, tuple(symbols.values()), budget))


def check_expression(text: str, symbols: Mapping[str, int]) -> None:
    """Raise InputError where the expression cannot be read, or names a letter that is no symbol."""
    _Parser(text, symbols).parse()


# ------------------------------------------------------------------------------------------------ syntax

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


class _Parser:
    """Parses a text from left to right by recursive descent; ``at`` is how far it has come."""

    def __init__(self, text: str, symbols: Mapping[str, int]):
        self.text, self.symbols, self.at = text, symbols, 0

    def parse(self) -> Expression:
        """Return the expression that the text writes. Raises InputError."""
        expression = self._choice(0)
        if self.at < len(self.text):
            raise self._fault("closes a bracket that was never opened")
        return expression

    def _fault(self, what: str, expected: str = "") -> InputError:
        return InputError(f"character {self.at + 1}, {quoted(self.text[self.at])}, {what}", expected=expected)

    def _choice(self, depth: int) -> Expression:
        if depth > MAX_NESTED_BRACKETS:
            raise InputError(f"brackets are nested more than {MAX_NESTED_BRACKETS} deep")
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
                raise self._fault("starts a set of no letters")
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
        raise self._fault("is none of the letters", ", ".join(self.symbols))

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
        if self.text[self.at : self.at + 1] in ("*", "+", "?", "{"):  # for re, lazy or possessive
            raise self._fault("repeats a repeat", "brackets around what is repeated twice")
        return Repeat(unit, least, most)


# --------------------------------------------------------------------------------------------- positions


class Ends(NamedTuple):
    """Whether a part may be empty, and the positions where it can begin and end (bit masks)."""

    empty: bool
    first: int
    last: int


EMPTY_WORD = Ends(True, 0, 0)


class Positions:
    """The positions of an expression.

    ``symbols[i]`` is what may stand at position i, ``follow[i]`` the bit mask of the positions that may come
    after it, ``ends`` are those of the whole expression.
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
            raise InputError(f"the expression has more than {MOST_PARTS} parts, its repeats written out")
        match expression:
            case Letter(symbols):
                here = 1 << len(self.symbols)
                self.symbols.append(symbols)
                self.follow.append(0)
                return Ends(False, here, here)
            case Chain(parts):
                return reduce(self._join, map(self._place, parts), EMPTY_WORD)
            case Choice(parts):
                empty, first, last = zip(*map(self._place, parts), strict=True)
                return Ends(any(empty), sum(first), sum(last))  # no two parts share a position
            case Repeat(part, least, most):
                copies = [self._place(part) for _ in range(least)]
                rest = EMPTY_WORD
                if most is None:  # the last copy is the one that comes again
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


def deterministic(positions: Positions, symbols: tuple[int, ...], budget: StepBudget) -> Automaton:
    """Return the automaton whose states are the sets of positions that a word may have come to.

    Raises InputError where it has more than ``MOST_STATES`` states.
    """
    standing = {a: sum(1 << i for i, here in enumerate(positions.symbols) if a in here) for a in symbols}
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
            raise InputError(f"the expression needs an automaton of more than {MOST_STATES} states")
    accepting = {n for n, state in enumerate(states) if (empty if state == start else state & last)}
    return Automaton(0, frozenset(accepting), tuple(arcs))


# ----------------------------------------------------------------------------------------------- minimal


def minimal(automaton: Automaton) -> Automaton:
    """Return the automaton with the fewest states for the same words, numbered in order from the start.

    States that lie on no accepting path are left out; of the others, those that no word tells apart are one.
    """
    before: dict[int, set[int]] = {}
    for q, _, r in automaton.arcs:
        before.setdefault(r, set()).add(q)
    live, queue = set(automaton.accepting), list(automaton.accepting)
    for r in queue:
        new = before.get(r, set()) - live
        live |= new
        queue += new
    if automaton.start not in live:
        return Automaton(0, frozenset(), ())
    arcs = [(q, a, r) for q, a, r in sorted(automaton.arcs) if q in live and r in live]
    block = _blocks(live, automaton.accepting, arcs)
    step: dict[int, list[tuple[int, int]]] = {q: [] for q in live}
    for q, a, r in arcs:
        step[q].append((a, r))
    number, merged, queue = {block[automaton.start]: 0}, [], [automaton.start]
    for q in queue:
        for a, r in step[q]:
            if block[r] not in number:
                number[block[r]] = len(number)
                queue.append(r)
            merged.append((number[block[q]], a, number[block[r]]))
    accepting = frozenset(number[block[q]] for q in automaton.accepting if block[q] in number)
    return Automaton(0, accepting, tuple(merged))


def _blocks(states: Set[int], accepting: Set[int], arcs: Iterable[tuple[int, int, int]]) -> dict[int, int]:
    """Return the number of each state's block: states share a block if no word tells them apart.

    Hopcroft's algorithm (1971); a missing arc needs no state of its own, as both first blocks are split by
    (Valmari and Lehtinen 2008).
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
            parts: dict[int, set[int]] = {}
            for r in splitter:
                for q in sources.get(r, ()):
                    parts.setdefault(block_of[q], set()).add(q)
            for number, part in parts.items():
                if len(part) < len(blocks[number]):
                    blocks[number] -= part
                    blocks.append(part)
                    block_of |= dict.fromkeys(part, len(blocks) - 1)
                    smaller = min(number, len(blocks) - 1, key=lambda i: len(blocks[i]))
                    waiting.add(len(blocks) - 1 if number in waiting else smaller)
    return block_of
