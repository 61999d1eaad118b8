"""Parse rules and dominoes as people type them: ``A >10``, ``A GT 10``; ``5-1``, ``51``, ``5 1``, ``[5|1]``.

This module parses single lines. ``text`` parses whole files.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import islice
from typing import NamedTuple

from milp_pips.puzzles.located import Lines
from milp_pips.puzzles.pips.puzzle import Rule

RULES: Mapping[str, Rule] = {
    **{rule.value: rule for rule in Rule},
    **dict.fromkeys(("EQUAL", "EQUALS", "ALL EQUAL", "SAME", "ALL THE SAME", "=", "=="), Rule.EQ),
    **dict.fromkeys(("NE", "UNEQUAL", "NOT EQUAL", "DIFFERENT", "ALL DIFFERENT"), Rule.NEQ),
    **dict.fromkeys(("≠", "!=", "<>"), Rule.NEQ),
    **dict.fromkeys(("SUM OF", "SUM =", "TOTAL"), Rule.SUM),
    **dict.fromkeys(("LESS", "LESS THAN", "UNDER", "<"), Rule.LT),
    **dict.fromkeys(("GREATER", "GREATER THAN", "MORE", "MORE THAN", "OVER", ">"), Rule.GT),
    **dict.fromkeys(("AT MOST", "≤", "<=", "=<"), Rule.LE),
    **dict.fromkeys(("AT LEAST", "≥", ">=", "=>"), Rule.GE),
}
"""The rules by the words and signs for them."""
EQUALS = ("=", "==", "EQUAL", "EQUALS")
"""Signs and words for "all equal". With a number after them, they mean a sum."""

TYPED_COMMENT = re.compile(r"(?:^|\s)//.*")
MOST_TYPED = 1000
"""The number of lines that ``resembles`` searches for a rule or a domino."""

_SEPARATOR = re.compile(r"[,;]")
_LONGEST_FIRST = sorted(RULES, key=len, reverse=True)
_WORD = "|".join(word for word in _LONGEST_FIRST if word[0].isalpha())
_SIGN = "|".join(re.escape(sign) for sign in _LONGEST_FIRST if not sign[0].isalpha())
_WORDED = re.compile(rf"(\S+) ({_WORD})(?: (\S+))?", re.IGNORECASE)
_SIGNED = re.compile(rf"(\S+?) ?({_SIGN}) ?(-?[0-9]\S*)?")
_BEFORE = re.compile(r"(==?|≠|!=|<>) ?(\S*[^\s0-9=!<>≠]\S*)")
_DOMINOES = re.compile(r"[-–—|/:,;()\[\]\s0-9]+")
_DOMINO = re.compile(
    r"[\[(] ?([0-9]{1,9})(?: ?[-–—|/:,] ?| )([0-9]{1,9}) ?[\])]"  # [5|1], (5, 1)
    r"|([0-9]{1,9})(?: ?[|/:] ?|[-–—]| [-–—] )([0-9]{1,9})"  # 5-1; but 5 -1 is no domino
    r"|([0-9])[ ,;]*([0-9])(?![0-9])"  # 51, 5 1
)


class TypedRule(NamedTuple):
    """The parts of a typed rule: the label, the rule, its number as typed, and its word or sign as typed."""

    label: str
    rule: Rule
    number: str
    word: str


def rules_in(text: str) -> list[str]:
    """Return the rules of a line, split at commas and semicolons, with single blanks between their parts."""
    return [" ".join(piece.split()) for piece in _SEPARATOR.split(text) if piece.strip()]


def typed_rule(text: str) -> TypedRule | None:
    """Return the parts of one rule, or None if the text does not look like a rule.

    A label of digits needs a word or a sign, since ``1 3`` is a domino.
    """
    if found := _WORDED.fullmatch(text) or _SIGNED.fullmatch(text):
        word, number = found[2].upper(), found[3] or ""
        return TypedRule(found[1], Rule.SUM if number and word in EQUALS else RULES[word], number, word)
    if found := _BEFORE.fullmatch(text):  # =A without a number is not ambiguous
        return TypedRule(found[2], RULES[found[1]], "", found[1])
    label, _, number = text.partition(" ")
    if number and "0" <= number[0] <= "9" and " " not in number and label.strip("0123456789"):
        return TypedRule(label, Rule.SUM, number, "")
    return None


def looks_like_rules(text: str) -> bool:
    """Return whether the line starts with a rule."""
    return any(typed_rule(piece) for piece in rules_in(text)[:1])


def looks_like_dominoes(text: str) -> bool:
    """Return whether the line has numbers, and otherwise only characters that belong to dominoes."""
    return _DOMINOES.fullmatch(text) is not None and any("0" <= c <= "9" for c in text)


def dominoes_in(text: str) -> list[tuple[str, str]]:
    """Return the halves of the dominoes of a line, or an empty list if it has anything else.

    Two digits are a domino, with a blank between them or not. Pips from 10 on need a sign, as in ``10-3``.
    """
    text = " ".join(text.split())
    if _DOMINO.sub("", text).strip(" ,;"):
        return []
    return [(a or c or e, b or d or f) for a, b, c, d, e, f in _DOMINO.findall(text)]


def resembles(text: str, file: str) -> bool:
    """Return whether the text may be a puzzle typed by hand: it has dominoes, or a rule for a label above it.

    Raises InputError if the file is not text.
    """
    drawn: set[str] = set()
    for number, line in enumerate(islice(Lines(text, file, TYPED_COMMENT), MOST_TYPED)):
        if number and looks_like_dominoes(line.text) and dominoes_in(line.text):
            return True
        for piece in rules_in(line.text)[:1]:
            rule = typed_rule(piece)
            if rule is not None and rule.label.rstrip(":").casefold() in drawn:
                return True
        drawn.update(word.casefold() for word in line.words())
        drawn.update(line.text.casefold())
    return False
