"""Single lines of a Pips: rules and dominoes as people type them.

::

    rule      = [area] label relation | relation label (with a number, or a sign that takes none)
    area      = "region" | "area" | "zone" | "group"
    relation  = {filler} [spelling] [number]
    filler    = "is" | "are" | "must" | "be" | "sum" | "total" | "Σ" | ":" | "->" | "→" | "(" | ")"
    spelling  = one of the words and signs of ``rules``; a number without one is a sum
    domino    = two digits | "5-1" | "[5|1]"

Commas separate rules. A label ends where a sign or a filler without letters begins, or with the first word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from milp_pips.puzzles.pips.rules import RULES, SPELLINGS, Rule, rule_of

MOST_TOKENS = 9
"""More words and signs are no relation: no spelling has more than four, and few fillers make sense."""

_SEPARATOR = re.compile(r"[,;]")
AREA = re.compile(r"(?:region|area|zone|group) ", re.IGNORECASE)
_FILLERS = ("IS", "ARE", "MUST", "BE", "SUM", "TOTAL")
_FILLER_SIGN = re.compile(r"->|[→:()Σ∑]")
_SIGNS = sorted((word for word in SPELLINGS if not word[0].isalpha()), key=len, reverse=True)
_SIGN = "|".join(map(re.escape, _SIGNS))
_BEGIN = re.compile(rf"->|→|:(?! )|[()Σ∑]|{_SIGN}")
_TOKEN = re.compile(rf"{_SIGN}|-?[0-9]\S*|[^\s{re.escape(''.join(_SIGNS))}]+|\S")
_SIGN_FIRST = re.compile(rf"({_SIGN}) ?([^\s0-9]\S*)")
_WHOLE = re.compile(r"-?[0-9]+")

_DOMINOES = re.compile(r"[-–—|/:,;()\[\]\s0-9]+")
_LIST = re.compile(r"\[(?=\()|(?<=\))\]")
"""The brackets of a list of pairs."""
_DOMINO = re.compile(
    r"[\[(] ?([0-9]{1,9})(?: ?[-–—|/:,] ?| )([0-9]{1,9}) ?[\])]"  # [5|1], (5, 1)
    r"|([0-9]{1,9})(?: ?[|/:] ?|[-–—] ?| [-–—] )([0-9]{1,9})"  # 5-1; but 5 -1 is no domino
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
    for label, relation in _divisions(text):
        found = _relation(relation) if label and " " not in label else None
        if found and (found.word or not label.isdigit()):
            return found._replace(label=label)
    if first := _SIGN_FIRST.fullmatch(text):  # =A without a number is not ambiguous
        rule = SPELLINGS[first[1]]
        return None if RULES[rule].has_target else TypedRule(first[2], rule, "", first[1])
    relation, _, label = text.rpartition(" ")  # >4 A, sum 9 A
    found = _relation(relation)
    if found and found.word and _WHOLE.fullmatch(found.number) and not _WHOLE.fullmatch(label):
        return found._replace(label=label)
    match text.split():
        case [label, word, number] if word in RULES:  # as in our format, but the number is none
            return TypedRule(label, Rule(word), number, word)
    return None


def _divisions(text: str) -> Iterator[tuple[str, str]]:
    """Yield what may be a label and its relation."""
    area = AREA.match(text)
    for rule in (text, text[area.end() :]) if area else (text,):
        if begun := _BEGIN.search(rule, 1):
            yield rule[: begun.start()].rstrip(), rule[begun.start() :]
        label, _, relation = rule.partition(" ")
        yield label, relation


def _relation(text: str) -> TypedRule | None:
    """Return the rule of a relation with its number, and no label; None if it is no relation."""
    words = _TOKEN.findall(_FILLER_SIGN.sub(" ", text))
    if len(words) > MOST_TOKENS:
        return None
    number = words.pop() if words and "0" <= words[-1].removeprefix("-")[:1] <= "9" else ""
    found = None
    while not (
        found and RULES[found.rule].has_target is bool(number)
    ):  # "is equal 5" is a sum, "is =" is not
        spelling = " ".join(words).upper()
        if spelling in SPELLINGS or (not spelling and number[:1].isdigit()):  # A -5 is none
            found = TypedRule("", rule_of(spelling, number), number, spelling)
        if not words or words[0].upper() not in _FILLERS:
            break
        del words[0]
    return found


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
    if not looks_like_dominoes(text):
        return []
    text = _LIST.sub("", " ".join(text.split()))
    if _DOMINO.sub("", text).strip(" ,;"):
        return []
    return [(a or c or e, b or d or f) for a, b, c, d, e, f in _DOMINO.findall(text)]
