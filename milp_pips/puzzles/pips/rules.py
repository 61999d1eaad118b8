"""The rules that a region may have, and how people type them. All that depends on the kind stands here, once.

Readers, writers, the generator, pictures and the page read ``RULES``; ``web/rules.py`` writes the page's
table. The checker of certificates states the rules once more, on purpose. The lines of a typed puzzle are

::

    rule      = [area] label relation | relation label (with a number, or a sign that takes none)
    area      = "region" | "area" | "zone" | "group" | "the cells of"
    relation  = {filler} [spelling] [number]
    filler    = "is" | "are" | "must" | "be" | "sum" | "total" | "Σ" | ":" | "->" | "→" | "(" | ")"
    spelling  = one of ``SPELLINGS``; a number without one is a sum
    domino    = two digits | "5-1" | "[5|1]"

Commas separate rules. A label ends where a sign or a filler without letters begins, or with the first word.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from math import prod
from typing import Any, NamedTuple

from milp_pips.constraints import AllDifferent, AllEqual, LinearSum, Relation
from milp_pips.problem.constraint import Constraint

EQ, LE, GE = Relation.EQ, Relation.LE, Relation.GE

MOST_PIPS = 99
"""The most pips on half a domino."""


class Rule(StrEnum):
    """The rules a region may have, by their names in the text format."""

    EQ = "EQ"
    NEQ = "NEQ"
    SUM = "SUM"
    LT = "LT"
    GT = "GT"
    LE = "LE"
    GE = "GE"
    PRODUCT = "PRODUCT"
    ODD = "ODD"
    EVEN = "EVEN"


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of rule: what it says, how it is written, and how new puzzles use it.

    Parameters
    ----------
    words
        The rule in sentences, before its number.
    sign
        The rule as it is drawn, before its number.
    json
        Its name in JSON files and on the page.
    typed
        More words and signs for it in texts, separated by commas.
    obeys
        Returns whether the values of a region obey it, given its target.
    relation, margin
        If it compares the sum of the region: the relation, to its target plus the margin.
    states
        Otherwise: returns the constraint for the variables of the cells, its target and a label.
    has_target
        Whether it has a number.
    measure
        Returns the target for the values of a region, unless it is a bound.
    is_published
        Whether the Times prints it. Other rules are drawn and suggested on demand only.
    possible
        Whether it can still be obeyed, unless it compares the sum: an expression of the page in ``laid`` (the
        pips on the region), ``left`` (the number of its empty cells), ``rest`` (the pips in the tray, in
        increasing order), ``sum`` (of the pips on the region) and ``target``.
    compares
        Whether it compares the cells with each other.
    is_rare
        Whether few values obey it, so that the generator keeps it where it can.
    misfits
        Returns how many values keep it from being obeyed, given its target, or None if any number will do.
    allowed
        Returns which of the pips may be shown beside those that are seen in the region.
    """

    words: str
    sign: str
    json: str
    typed: str
    obeys: Callable[[Sequence[int], Any], bool]
    relation: Relation | None = None
    margin: int = 0
    states: Callable[[tuple[int, ...], Any, str], Constraint | None] = lambda *_: None
    has_target: bool = True
    measure: Callable[[Sequence[int]], int] = sum
    is_published: bool = True
    possible: str = "true"
    compares: bool = False
    is_rare: bool = False
    misfits: Callable[[Sequence[int], int | None], int] = lambda *_: 0
    allowed: Callable[[Sequence[int], Sequence[int]], Sequence[int]] = lambda _, pips: pips

    @property
    def is_bound(self) -> bool:
        """Whether its target bounds the sum on one side."""
        return self.relation in (LE, GE)

    @property
    def is_exact(self) -> bool:
        """Whether its target is the sum."""
        return self.relation is EQ

    def constraint(self, cells: tuple[int, ...], target: int | None, label: str) -> Constraint | None:
        """Return the constraint on the variables of the cells. It shares nothing with ``obeys``."""
        if self.relation is None:
            return self.states(cells, target, label)
        return LinearSum(cells, self.relation, (target or 0) + self.margin, label)

    def suits(self, cells: int, pips: Sequence[int]) -> bool:
        """Return whether it says something about so many cells with these pips, and can be obeyed."""
        return (cells > 1 or not self.compares) and bool(self.allowed(pips[: cells - 1], pips))

    def sums(self, target: int | None, low: int, high: int) -> range:
        """Return the sums from ``low`` to ``high`` that it allows; all if it does not compare the sum."""
        limit = (target or 0) + self.margin
        least = low if self.relation in (None, LE) else max(low, limit)
        return range(least, 1 + (high if self.relation in (None, GE) else min(high, limit)))

    def target(self, values: Sequence[int], slack: int, low: int, high: int) -> int | None:
        """Return the target for these values; a bound leaves room ``slack``, of which 1 is the least.

        The room ends before the bound would exclude none of the sums from ``low`` to ``high``.
        """
        limit = self.measure(values)
        if self.relation is LE:
            limit = max(limit, min(limit + slack - 1, high - 1))
        elif self.relation is GE:
            limit = min(limit, max(limit - slack + 1, low + 1))
        return limit - self.margin if self.has_target else None

    def instead(self, allowed: range, low: int, high: int) -> Sequence[int | None]:
        """Return the targets with which a setter may replace a rule that allows these sums.

        The sums of all regions of this size are from ``low`` to ``high``.
        """
        if self.is_bound:
            upper = self.relation is LE
            return range(allowed.stop - 1, low, -1) if upper else range(allowed.start, high)
        return range(low, high + 1) if self.has_target else (None,)

    def spellings(self, rule: Rule) -> list[str]:
        """Return the words and signs for the rule in texts, in capitals."""
        names = [name.upper() for name in (rule, self.words, self.sign, self.json, *self.typed.split(", "))]
        bounds = [name for name in names if self.is_bound and not name.startswith("SUM")]
        return names + [f"{total} {name}" for total in ("SUM", "SUM TO", "SUMS TO") for name in bounds]


def _multiplied(cells: tuple[int, ...], target: int, label: str) -> Constraint:
    """Return that the product of the cells is the target, with an automaton that remembers it so far."""
    arcs, reached = [], [1]
    for state in reached:  # it grows
        for pip in range(MOST_PIPS + 1):
            after = state * pip if target else min(1, state * pip)
            if after == target or (after and target % after == 0):
                arcs.append((state, pip, after))
                reached += [] if after in reached else [after]
    return _automaton(cells, 1, target, arcs, label)


def _parity(cells: tuple[int, ...], parity: int, label: str) -> Constraint:
    arcs = [(state, pip, (state + pip) % 2) for state in (0, 1) for pip in range(MOST_PIPS + 1)]
    return _automaton(cells, 0, parity, arcs, label)


def _automaton(
    cells: tuple[int, ...], start: int, end: int, arcs: list[tuple[int, int, int]], label: str
) -> Constraint:
    from milp_pips.constraints import Regular  # few puzzles need it
    from milp_pips.constraints.automata import Automaton

    return Regular(cells, Automaton(start, frozenset({end}), tuple(arcs)), label)


RULES: Mapping[Rule | None, Kind] = {
    Rule.EQ: Kind(
        "all equal",
        "=",
        "equals",
        "==, EQUAL, SAME, THE SAME, ALL THE SAME, ALL SAME, ALL BE THE SAME, ALL BE EQUAL, IDENTICAL, "
        "ALL IDENTICAL, ALLEQUAL, IS EQUAL, ARE EQUAL, IS ALL EQUAL, ARE ALL EQUAL",
        lambda values, _: all(value == values[0] for value in values),
        states=lambda cells, _, label: AllEqual(cells, label),
        has_target=False,
        possible="canBeEqual(laid, left, rest)",
        compares=True,
        is_rare=True,
        misfits=lambda values, _: len(values) - max(map(values.count, values)),
        allowed=lambda seen, pips: seen[:1] or pips,
    ),
    Rule.NEQ: Kind(
        "all different",
        "≠",
        "unequal",
        "!=, <>, NE, NOT EQUAL, DIFFERENT, ALL BE DIFFERENT, DISTINCT, ALL DISTINCT, UNIQUE, ALL UNIQUE, "
        "NO REPEATS, ALLDIFFERENT, ALLDIFF",
        lambda values, _: all(value not in values[:i] for i, value in enumerate(values)),
        states=lambda cells, _, label: AllDifferent(cells, label),
        has_target=False,
        possible="canDiffer(laid, left, rest)",
        compares=True,
        misfits=lambda values, _: len(values) - len(set(values)),
        allowed=lambda seen, pips: [pip for pip in pips if pip not in seen],
    ),
    Rule.SUM: Kind(
        "sum",
        "",
        "sum",
        "SUM =, SUM OF, SUM TO, SUMS TO, SUM IS, IS, TOTAL, TOTALS, ADD UP TO, ADDS UP TO, ADD TO, ADDS TO, "
        "EXACTLY",
        lambda values, target: sum(values) == target,
        EQ,
    ),
    Rule.LT: Kind(
        "sum <", "<", "less", "LESS THAN, FEWER THAN, UNDER, BELOW", lambda v, n: sum(v) < n, LE, -1
    ),
    Rule.GT: Kind(
        "sum >", ">", "greater", "MORE, MORE THAN, GREATER THAN, OVER, ABOVE", lambda v, n: sum(v) > n, GE, 1
    ),
    Rule.LE: Kind(
        "sum ≤",
        "≤",
        "at most",
        "<=, =<, NO MORE THAN, NOT MORE THAN, LESS THAN OR EQUAL TO",
        lambda values, target: sum(values) <= target,
        LE,
        is_published=False,
    ),
    Rule.GE: Kind(
        "sum ≥",
        "≥",
        "at least",
        ">=, =>, NO LESS THAN, NOT LESS THAN, GREATER THAN OR EQUAL TO, MORE THAN OR EQUAL TO",
        lambda values, target: sum(values) >= target,
        GE,
        is_published=False,
    ),
    Rule.PRODUCT: Kind(
        "product",
        "×",
        "product",
        "PRODUCT OF, PRODUCT =, PRODUCT IS, MULTIPLY TO, MULTIPLIES TO",
        lambda values, target: prod(values) == target,
        states=_multiplied,
        measure=prod,
        is_published=False,
        possible="left > 0 || product(laid) === target",
        misfits=lambda values, target: target is not None and prod(values) != target,
    ),
    Rule.ODD: Kind(
        "odd sum",
        "odd",
        "odd",
        "SUM ODD, SUM IS ODD, IS ODD",
        lambda values, _: sum(values) % 2 == 1,
        states=lambda cells, _, label: _parity(cells, 1, label),
        has_target=False,
        is_published=False,
        possible="left > 0 || least % 2 === 1",
        misfits=lambda values, _: 1 - sum(values) % 2,
    ),
    Rule.EVEN: Kind(
        "even sum",
        "even",
        "even",
        "SUM EVEN, SUM IS EVEN, IS EVEN",
        lambda values, _: sum(values) % 2 == 0,
        states=lambda cells, _, label: _parity(cells, 0, label),
        has_target=False,
        is_published=False,
        possible="left > 0 || least % 2 === 0",
        misfits=lambda values, _: sum(values) % 2,
    ),
    None: Kind("no rule", "", "empty", "", lambda *_: True, has_target=False),
}

SPELLINGS: Mapping[str, Rule] = {word: rule for rule in Rule for word in RULES[rule].spellings(rule) if word}
"""The rules by the words and signs for them, in capitals."""

GIVEN = Rule.SUM
"""The rule that gives away the pips of a single cell."""

SUM_IF_NUMBERED = ("", "=", "==", "EQUAL", "EQUALS")
"""What means a sum if a number follows it."""


def rule_of(spelling: str, number: str) -> Rule:
    """Return the rule for a word or sign that a number follows, unless ``number`` is empty."""
    return Rule.SUM if number and spelling in SUM_IF_NUMBERED else SPELLINGS[spelling]


# Single lines: rules and dominoes as people type them.

MOST_TOKENS = 9
"""More words and signs are no relation: no spelling has more than four, and few fillers make sense."""

_SEPARATOR = re.compile(r"(?<![A-Za-z]\([A-Za-z])[,;]|;|\s\|\s")
AREA = re.compile(r"(?:region|area|zone|group) ", re.IGNORECASE)
_EACH_CELL = re.compile(
    r"(?:all |the ){0,2}(?:cells|squares|pips|values|numbers) (?:of|in) "
    r"(?=\S+ (?:must )?(?:sum|total|add)|[^0-9]*$)",
    re.IGNORECASE,
)
"""The cells of a region have a sum or are alike; that they are less than 4 may be meant of each."""
_FILLERS = ("IS", "ARE", "MUST", "BE", "SUM", "TOTAL")
_FILLER_SIGN = re.compile(r"->|[→:()Σ∑]|(?<=[A-Za-z])[-_](?=[A-Za-z])")
_SIGNS = sorted((word for word in SPELLINGS if not word[0].isalpha()), key=len, reverse=True)
_SIGN = "|".join(map(re.escape, _SIGNS))
_BEGIN = re.compile(rf"->|→|:(?! )|[()Σ∑]|{_SIGN}")
_WORD_OR_SIGN = re.compile(rf"{_SIGN}|-?[0-9]\S*|[^\s{re.escape(''.join(_SIGNS))}]+|\S")
_SIGN_FIRST = re.compile(rf"({_SIGN}) ?([^\s0-9]\S*)")
_TYPED_NUMBER = re.compile(r"-?[0-9]+")
_SUM_OF = re.compile(
    r"^(?:(?:the )?(?:sum|total)(?: of (?:region )?| ?\( ?| (?!is\b|must\b))|[Σ∑] ?)(\w+)\)? ?"
    r"(?=[=<>≤≥]|is\b|must\b)",
    re.IGNORECASE,
)
"""``sum(A) = 4``, ΣA = 4, the sum of A is 4."""
_CALL = re.compile(r"^([A-Za-z][A-Za-z _-]{2,20})\( ?(\w+)(?:, ?([0-9]+))? ?\)")
"""``all_equal(A)``, ``sum(A, 4)``."""
_REVERSED = re.compile(r"(-?[0-9]{1,9}) ?([<>≤≥]|[<>]=) ?([^\W\d]\w*)")
"""``4 > A``."""
_TURNED = str.maketrans("<>≤≥", "><≥≤")

_DOMINOES = re.compile(r"[-–—|/:,;()\[\]\s0-9]+")
_LIST = re.compile(
    r"\[(?=\()|(?<=\))\]|^\[(?=(?:[0-9]{2}, ?){2,}[0-9]{2}\])|(?<=[0-9]{2}, [0-9]{2})\]$"
    r"|^\[(?=[0-9]{1,2}[-/][0-9]{1,2},[^]]*\]$)|(?<=[-/][0-9])\]$"
)
"""The brackets of a list of pairs, as ``[(1,2),(3,4)]``, ``[1-2, 3-4]`` or ``[12, 34, 56]``."""
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


@lru_cache(maxsize=100)  # a line is looked at several times
def typed_rule(text: str) -> TypedRule | None:
    """Return the parts of one rule, or None if the text does not look like a rule.

    A label of digits needs a word or a sign, since ``1 3`` is a domino.
    """
    call = _CALL.match(text)
    if call and re.sub("[-_]", " ", call[1]).strip().upper() in SPELLINGS:
        text = f"{call[2]} {call[1]} {call[3] or ''}{text[call.end() :]}".rstrip()
    text = _SUM_OF.sub(r"\1 sum ", text)
    if compared := _REVERSED.fullmatch(text):
        text = f"{compared[3]} {compared[2].translate(_TURNED)} {compared[1]}"
    if each := _EACH_CELL.match(text):
        text = text[each.end() :]
    for label, relation in _divisions(text):
        found = _relation(relation) if label and " " not in label else None
        if found and (found.word or not label.isdigit()):
            return found._replace(label=label)
    if first := _SIGN_FIRST.fullmatch(text):  # =A without a number is not ambiguous
        rule = SPELLINGS[first[1]]
        return None if RULES[rule].has_target else TypedRule(first[2], rule, "", first[1])
    relation, _, label = text.rpartition(" ")  # >4 A, sum 9 A
    found = _relation(relation)
    if found and found.word and _TYPED_NUMBER.fullmatch(found.number) and not _TYPED_NUMBER.fullmatch(label):
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
    words = _WORD_OR_SIGN.findall(_FILLER_SIGN.sub(" ", text))
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
        states = words and words[0] == "=" and words[-1].isalpha() and words[-1] not in RULES
        is_filler = states or (words and words[0].upper() in _FILLERS)  # "C= LT" is the rule of "C="
        if not is_filler:
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
