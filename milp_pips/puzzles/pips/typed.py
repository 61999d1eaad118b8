"""Parse rules and dominoes as people type them: ``A >10``, ``A GT 10``; ``5-1``, ``51``, ``5 1``, ``[5|1]``.

This module parses single lines. ``text`` parses whole files.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import islice
from typing import NamedTuple

from milp_pips.puzzles.located import Line, Lines
from milp_pips.puzzles.pips.puzzle import Rule

WORDS: Mapping[str, Rule] = {
    **{rule.value: rule for rule in Rule},
    **dict.fromkeys(("EQUAL", "EQUALS", "ALL EQUAL", "SAME", "ALL THE SAME"), Rule.EQ),
    **dict.fromkeys(("NE", "UNEQUAL", "NOT EQUAL", "DIFFERENT", "ALL DIFFERENT"), Rule.NEQ),
    **dict.fromkeys(("SUM OF", "SUM =", "TOTAL"), Rule.SUM),
    **dict.fromkeys(("LESS", "LESS THAN", "UNDER"), Rule.LT),
    **dict.fromkeys(("GREATER", "GREATER THAN", "MORE", "MORE THAN", "OVER"), Rule.GT),
    "AT MOST": Rule.LE,
    "AT LEAST": Rule.GE,
}
RULE_OF_SIGN: Mapping[str, Rule] = {
    **dict.fromkeys(("=", "=="), Rule.EQ),
    **dict.fromkeys(("≠", "!=", "<>"), Rule.NEQ),
    **dict.fromkeys(("≤", "<=", "=<"), Rule.LE),
    **dict.fromkeys(("≥", ">=", "=>"), Rule.GE),
    "<": Rule.LT,
    ">": Rule.GT,
}
EQUALS = ("=", "==", "EQUAL", "EQUALS")
"""Signs and words for "all equal". With a number after them, they mean a sum."""

SOLUTION_LINE = "solution"
"""The line before the printed solution."""

MOST_TYPED = 1000
"""The number of lines that ``resembles`` searches for a rule or a domino."""

_COMMENT = re.compile(r"(?:^|\s)//.*")
_SEPARATOR = re.compile(r"[,;]")
_WORDED = re.compile(rf"(\S+) ({'|'.join(sorted(WORDS, key=len, reverse=True))})(?: (\S+))?", re.IGNORECASE)
_SIGNED = re.compile(
    rf"(\S+?) ?({'|'.join(map(re.escape, sorted(RULE_OF_SIGN, key=len, reverse=True)))}) ?(-?[0-9]\S*)?"
)
_BEFORE = re.compile(r"(==?|≠|!=|<>) ?(\S*[^\s0-9=!<>≠]\S*)")
_DOMINOES = re.compile(r"[-–—|/:,;()\[\]\s0-9]+")
_DOMINO = re.compile(
    r"[\[(] ?([0-9]+)(?: ?[-–—|/:,] ?| )([0-9]+) ?[\])]"  # [5|1], (5, 1)
    r"|([0-9]+)(?: ?[|/:] ?|[-–—]| [-–—] )([0-9]+)"  # 5-1; but 5 -1 is no domino
    r"|([0-9]+)"  # 51, or half of 5 1
)


class TypedRule(NamedTuple):
    """The parts of a typed rule: the label, the rule, its number as typed, and its word or sign as typed."""

    label: str
    rule: Rule
    number: str
    word: str


class UncommentedLines(Lines):
    """An iterator over the lines that are not blank, without comments. It can look ahead.

    A comment runs from ``//``, at the start of a line or after a blank, to the end of the line.
    """

    def __init__(self, text: str, file: str):
        super().__init__(text, file)
        self._coming: list[tuple[Line, bool]] = []
        self._seen = 0

    def __next__(self) -> Line:
        if not self._coming:
            self._fetch()
        return self._coming.pop(0)[0]

    def ahead(self, further: int = 0) -> Line | None:
        """Return the next line, or the line ``further`` lines after it; None at the end of the text."""
        try:
            while len(self._coming) <= further:
                self._fetch()
        except StopIteration:
            return None
        return self._coming[further][0]

    def blank_ahead(self) -> bool:
        """Return whether there is a next line, and a blank line before it."""
        return self.ahead() is not None and self._coming[0][1]

    def _fetch(self) -> None:
        blank = False
        while True:
            line = super().__next__()
            blank = blank or line.number > self._seen + 1
            self._seen = line.number
            if "//" in line.text:
                line = line._replace(text=_COMMENT.sub("", line.text, count=1).rstrip())
            if line.text:
                self._coming.append((line, blank))
                return


def rules_in(text: str) -> list[str]:
    """Return the rules of a line, split at commas and semicolons, with single blanks between their parts."""
    return [" ".join(piece.split()) for piece in _SEPARATOR.split(text) if piece.strip()]


def typed_rule(text: str) -> TypedRule | None:
    """Return the parts of one rule, or None if the text does not look like a rule.

    A label of digits needs a word or a sign, since ``1 3`` is a domino.
    """
    if found := _WORDED.fullmatch(text):
        word = found[2].upper()
        return TypedRule(found[1], _interpret(word, found[3]), found[3] or "", word)
    if found := _SIGNED.fullmatch(text):
        return TypedRule(found[1], _interpret(found[2], found[3]), found[3] or "", found[2])
    if found := _BEFORE.fullmatch(text):  # =A without a number is not ambiguous
        return TypedRule(found[2], RULE_OF_SIGN[found[1]], "", found[1])
    label, _, number = text.partition(" ")
    if number and "0" <= number[0] <= "9" and " " not in number and label.strip("0123456789"):
        return TypedRule(label, Rule.SUM, number, "")
    return None


def _interpret(word: str, number: str | None) -> Rule:
    return Rule.SUM if number and word in EQUALS else (WORDS.get(word) or RULE_OF_SIGN[word])


def looks_like_rules(text: str) -> bool:
    """Return whether the line starts with a rule."""
    return any(typed_rule(piece) for piece in rules_in(text)[:1])


def looks_like_dominoes(text: str) -> bool:
    """Return whether the line has numbers, and otherwise only characters that belong to dominoes."""
    return _DOMINOES.fullmatch(text) is not None and any("0" <= c <= "9" for c in text)


def dominoes_in(text: str) -> list[tuple[str, str]] | None:
    """Return the halves of the dominoes of a line, or None if it has anything else.

    Two digits without a blank are a domino, and so are two single digits with a blank. Pips from 10 on need a
    sign, as in ``10-3``.
    """
    halves: list[tuple[str, str]] = []
    waiting, at = "", 0
    text = " ".join(text.split())
    for found in _DOMINO.finditer(text):
        if text[at : found.start()].strip(" ,;"):
            return None
        at = found.end()
        a, b = found[1] or found[3], found[2] or found[4]
        bare = found[5] or ""
        if waiting and len(bare) == 1:
            halves.append((waiting, bare))
            waiting = ""
        elif waiting:
            return None
        elif len(bare) == 1:
            waiting = bare
        elif bare:
            if len(bare) != 2:
                return None
            halves.append((bare[0], bare[1]))
        else:
            halves.append((a, b))
    return None if waiting or text[at:].strip(" ,;") else halves


def resembles(text: str, file: str) -> bool:
    """Return whether the text may be a puzzle typed by hand: it has dominoes, or a rule for a label above it.

    Raises InputError if the file is not text.
    """
    drawn: set[str] = set()
    for number, line in enumerate(islice(UncommentedLines(text, file), MOST_TYPED)):
        if number and looks_like_dominoes(line.text) and dominoes_in(line.text):
            return True
        for piece in rules_in(line.text)[:1]:
            rule = typed_rule(piece)
            if rule is not None and rule.label.rstrip(":").casefold() in drawn:
                return True
        drawn.update(word.casefold() for word in line.words())
        drawn.update(line.text.casefold())
    return False
