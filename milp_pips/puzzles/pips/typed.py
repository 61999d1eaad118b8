"""Rules and dominoes as people type them: ``A >10`` or ``A GT 10``; ``5-1``, ``51``, ``5 1`` or ``[5|1]``.

What is said here about one line holds wherever it stands; ``text`` says what a file is made of.
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
"""What says "all equal", and with a number behind it a sum."""

SOLUTION_LINE = "solution"
"""The line after which the printed solution stands."""

MOST_TYPED = 1000
"""Lines among which the first rule or domino of a puzzle typed by hand is looked for."""

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
    """The parts of a rule: the label, the rule, its number as it stands there, and how the rule is said."""

    label: str
    rule: Rule
    number: str
    said: str


class Uncommented(Lines):
    """The lines that are not blank, without their comments; those to come can be looked at before.

    A comment goes from ``//``, at the start of a line or after a blank, to the end of the line.
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
        """Return the line that comes next, or so many lines further; None where there is none."""
        try:
            while len(self._coming) <= further:
                self._fetch()
        except StopIteration:
            return None
        return self._coming[further][0]

    def blank_ahead(self) -> bool:
        """Return whether the next line comes after a blank one."""
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
    """Return the rules of a line, which commas separate, with single blanks between their parts."""
    return [" ".join(piece.split()) for piece in _SEPARATOR.split(text) if piece.strip()]


def typed_rule(text: str) -> TypedRule | None:
    """Return the parts of one rule; None where the text is not shaped like one.

    A label of digits needs a word or a sign: ``1 3`` is a domino.
    """
    if found := _WORDED.fullmatch(text):
        said = found[2].upper()
        return TypedRule(found[1], _meant(said, found[3]), found[3] or "", said)
    if found := _SIGNED.fullmatch(text):
        return TypedRule(found[1], _meant(found[2], found[3]), found[3] or "", found[2])
    if found := _BEFORE.fullmatch(text):  # =A, without a number, can mean nothing else
        return TypedRule(found[2], RULE_OF_SIGN[found[1]], "", found[1])
    label, _, number = text.partition(" ")
    if number and "0" <= number[0] <= "9" and " " not in number and label.strip("0123456789"):
        return TypedRule(label, Rule.SUM, number, "")
    return None


def _meant(said: str, number: str | None) -> Rule:
    return Rule.SUM if number and said in EQUALS else (WORDS.get(said) or RULE_OF_SIGN[said])


def looks_like_rules(text: str) -> bool:
    """Return whether the line is shaped like rules, at least at its start."""
    return any(typed_rule(piece) for piece in rules_in(text)[:1])


def looks_like_dominoes(text: str) -> bool:
    """Return whether the line holds numbers, and otherwise only what may stand in and between dominoes."""
    return _DOMINOES.fullmatch(text) is not None and any("0" <= c <= "9" for c in text)


def dominoes_in(text: str) -> list[tuple[str, str]] | None:
    """Return the halves of the dominoes of a line; None where it holds anything else.

    Two digits together are a domino, and so are two single digits in turn; a number of pips from 10 on
    needs a sign, as in ``10-3``.
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
    """Return whether the text may be a puzzle typed by hand: dominoes, or a rule for a label drawn above.

    Raises InputError where it is no text at all.
    """
    drawn: set[str] = set()
    for number, line in enumerate(islice(Uncommented(text, file), MOST_TYPED)):
        if number and looks_like_dominoes(line.text) and dominoes_in(line.text):
            return True
        for piece in rules_in(line.text)[:1]:
            rule = typed_rule(piece)
            if rule is not None and rule.label.rstrip(":").casefold() in drawn:
                return True
        drawn.update(word.casefold() for word in line.words())
        drawn.update(line.text.casefold())
    return False
