"""The parts of a regular expression, and how they are read from its text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple, TypeAlias

from milp_pips.errors import InputError
from milp_pips.puzzles.located_text import quoted

DEEPEST = 10
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
