"""Names of rules with what they state, of several rules together, and of items that clash."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import NamedTuple

from milp_pips.extras.explain.facts import Reason
from milp_pips.extras.explain.groups import ConstraintGroup
from milp_pips.extras.explain.text.phrases import Phrases, domino, grouped, joined, listed, number
from milp_pips.problem.constraint import Constraint
from milp_pips.problem.deduction import RuleDeduction

MOST_NAMED_GIVENS = 6
"""The most givens that a sentence names one by one; the picture of a clash marks all of them."""


class Rule(NamedTuple):
    """The items of a step that belong to one rule of the game, with the rule's name and content.

    If the items are one half of the rule, ``whole`` states the content of the entire rule.
    """

    items: tuple[ConstraintGroup, ...]
    name: str
    says: str
    whole: str = ""

    @property
    def piece(self) -> Constraint:
        """The constraint of the rule; one of the two halves of a sum."""
        return self.items[0].piece

    @property
    def counts(self) -> str:
        """What a sum over cells that are 0 or 1 counts, such as ``2 stars``; empty for any other rule."""
        says = self.whole or self.says
        named = re.match(r"\d+ [^\W\d]|as many |at (most|least) ", says) is not None
        return says if named and self.piece.bounded_sum is not None else ""

    @property
    def must(self) -> str:
        """The condition on a sum; empty for other rules."""
        total = self.piece.bounded_sum
        if total is None:
            return ""
        if len(self.items) > 1 or total.low == total.high or (total.high == 0 and not total.coefficients):
            return f"make {total.high if total.low is None else total.low}"
        return f"not exceed {total.high}" if total.low is None else f"reach {total.low}"

    @property
    def in_full(self) -> str:
        """The name with the content of the whole rule."""
        return f"{self.name} ({self.whole})" if self.whole else str(self)

    def deduction(self, reason: Reason) -> RuleDeduction:
        """Return a deduction from this rule alone, for its constraint to say."""
        excluded = reason.detail or ()
        return RuleDeduction(
            reason.facts, reason.conclusions, excluded, self.name, self.says, self.must, self.counts
        )

    def __str__(self) -> str:
        return f"{self.name} ({self.says})" if self.says else self.name


def rule_of(phrases: Phrases, items: Sequence[ConstraintGroup]) -> Rule:
    """Return the items, all of one rule, with the rule's name: ``region A``, ``sum 12``."""
    piece = items[0].piece
    name, _, says = (part.strip() for part in piece.label.partition(":"))
    if not name:
        name = f"the rule of {phrases.cells(piece.variables)}"
    whole, total = phrases.problem.constraints[items[0].rule].bounded_sum, piece.bounded_sum
    if total is None:
        says = says or (listed(item.piece.content(phrases) for item in items) if len(items) <= 2 else "")
        return Rule(tuple(items), name, says)
    says = says or piece.content(phrases)
    if whole is not None and whole.low == whole.high and len(items) == 1 and total.low != total.high:
        half = f"{items[0].part} {total.high if total.low is None else total.low}"
        return Rule(tuple(items), name, half, says)
    return Rule(tuple(items), name, says)


def rules_of(phrases: Phrases, items: Iterable[ConstraintGroup]) -> list[Rule]:
    """Return the rules to which items belong; other items are left out."""
    by_rule: dict[int, list[ConstraintGroup]] = {}
    for item in items:
        if item.kind == "rule":
            by_rule.setdefault(item.rule, []).append(item)
    return [rule_of(phrases, of_one) for of_one in by_rule.values()]


def together(names: Sequence[str]) -> list[str]:
    """Return names of rules, combined by kind: ``rows 2 and 4 to 7``, ``column 1``, ``box 3``."""
    alike: dict[str, list[str]] = {}
    for name in dict.fromkeys(names):
        found = re.fullmatch(r"(\w+) (\w+)", name)
        alike.setdefault(found[1] if found else name, []).append(found[2] if found else "")
    return [
        f"{_plural(kind)} {listed(_runs(which))}" if len(which) > 1 else f"{kind} {which[0]}".rstrip()
        for kind, which in alike.items()
    ]


def _runs(names: Iterable[str]) -> list[str]:
    """Return numbers and letters in order; four or more consecutive numbers become a range."""
    in_order = enumerate(sorted(names, key=lambda name: (len(name), name)))
    said = list[str]()
    for _, group in groupby(in_order, lambda at: int(at[1]) - at[0] if at[1].isdecimal() else at[1]):
        run = [name for _, name in group]
        said += run if len(run) < 4 else [f"{run[0]} to {run[-1]}"]
    return said


def _plural(noun: str) -> str:
    return noun + ("es" if noun.endswith(("s", "x", "ch")) else "s")


# Items that clash.


def clash_clause(
    phrases: Phrases,
    rules: Sequence[Rule],
    usages: Sequence[ConstraintGroup],
    fixed: Sequence[ConstraintGroup],
) -> str:
    """Return a clause that names the items that cannot hold together."""
    if rules and fixed and not usages:
        names, shown = together([rule.in_full for rule in rules]), values_shown(phrases, fixed)
        if len(rules) == 1:
            return f"{shown} {'do' if len(fixed) > 1 else 'does'} not fit {names[0]}"
        return f"{shown} {'leave' if len(fixed) > 1 else 'leaves'} no way to fill {joined(names)}"
    names = together([str(rule) for rule in rules])
    names += [*([values_shown(phrases, fixed)] if fixed else ()), *_usage_names(usages)]
    if len(rules) == len(names) == 1:
        return f"{rules[0].in_full} cannot be kept, whatever is filled in"
    return f"{joined(names)} cannot hold together" if names else "there is no way to cover the board"


def values_shown(phrases: Phrases, fixed: Sequence[ConstraintGroup]) -> str:
    """Return the values on the board: ``the given 3 in r1c1``, ``your 4s in r1c2 and r2c3``."""
    said = list[str]()
    for kind, whose in (("given", "the given "), ("move", "your ")):
        facts = [item.fact for item in fixed if item.kind == kind]
        laid = [ends for fact in facts if (ends := phrases.ends(fact))]
        cells = grouped({v: value for v, value, _ in facts if v not in phrases.grouped.partners})
        values = [
            f"{phrases.plural(value) if len(of) > 1 else phrases.value(value)} in {phrases.cells(of)}"
            for value, of in cells.items()
        ]
        if laid:
            values.append(f"domino{'es' if len(laid) > 1 else ''} on {phrases.pairs(laid)}")
        if kind == "given" and len(facts) > MOST_NAMED_GIVENS:
            said.append(f"{len(facts)} of the givens")
        elif values:
            said.append(whose + joined(values))
    return joined(said)


def _usage_names(usages: Sequence[ConstraintGroup]) -> list[str]:
    """Return the names of dominoes: ``only one 1-2``, ``at least one each of 1-2 and 2-4``."""
    parts: dict[tuple[tuple[int, int], int], list[str]] = {}
    for item in usages:
        parts.setdefault((item.usage.kind, item.usage.times), []).append(item.part)
    kinds: dict[tuple[str, int], list[str]] = {}
    for (kind, times), which in parts.items():
        often = "exactly" if len(which) > 1 else "only" if which == ["only"] else "at least"
        kinds.setdefault((often, times), []).append(domino(kind))
    return [
        f"{often} {number(times)} {'each of ' if len(of) > 1 else ''}{listed(of)}"
        for (often, times), of in kinds.items()
    ]
