"""The rules that the hidden values of a region obey."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from milp_pips.chance import Chance
from milp_pips.errors import UsageError
from milp_pips.puzzles.pips.puzzle import Rule

MOST_SLACK = 3
"""A bound on a sum leaves at most this much room below or above the hidden sum."""

Weights: TypeAlias = Mapping[Rule | None, int]
"""How often each rule is to be drawn, None standing for no rule."""


def read_rules(text: str) -> Weights:
    """Return the weights in text such as ``SUM=3,EQ,none=2``; a rule without a number has the weight 1.

    Raises UsageError.
    """
    weights: dict[Rule | None, int] = {}
    for part in text.split(","):
        name, equals, number = (piece.strip() for piece in part.partition("="))
        known = {rule.value: rule for rule in Rule}
        if name.upper() not in known and name.lower() != "none":
            raise UsageError(f"--rules: {name!r} is no rule; known: {', '.join(known)}, none")
        if equals and not (number.isascii() and number.isdigit() and len(number) < 7):
            raise UsageError(f"--rules: the weight of {name} is {number!r}, not a whole number from 0 on")
        rule = known.get(name.upper())
        if rule in weights:
            raise UsageError(f"--rules: {name} is named twice")
        weights[rule] = int(number) if equals else 1
    return weights


def drawn_rule(weights: Weights, size: int, pips: int, chance: Chance) -> Rule | None:
    """Return a rule for a region of this size whose values are still open, ``pips`` of them to choose from.

    A single cell is neither equal nor different, unless nothing else is wanted.
    """
    drawn = dict(weights)
    if size > pips:
        drawn.pop(Rule.NEQ, None)
    return chance.weighed(_speaking(drawn, size) or dict(weights))


def rules_obeyed(weights: Weights, seen: Sequence[int], pips: Sequence[int]) -> dict[Rule | None, int]:
    """Return the weights of the rules that the values of a region obey; empty if no rule with a weight does.

    A bound that no values could break, and a single cell that is equal or different, are left out wherever
    something else is there.
    """
    total, size = sum(seen), len(seen)
    fitting = {
        rule: weight
        for rule, weight in weights.items()
        if weight
        and (rule is not Rule.EQ or len(set(seen)) == 1)
        and (rule is not Rule.NEQ or len(set(seen)) == size)
    }
    silent: tuple[Rule, ...] = ()
    if total >= size * max(pips):
        silent += Rule.LT, Rule.LE
    if total <= size * min(pips):
        silent += Rule.GT, Rule.GE
    telling = {rule: weight for rule, weight in _speaking(fitting, size).items() if rule not in silent}
    return telling or fitting


def target_of(rule: Rule | None, total: int, slack: int, size: int, pips: Sequence[int]) -> int | None:
    """Return the target of the rule, a bound with as much room as ``slack`` says; 1 is the tightest.

    The room ends where the bound would say nothing.
    """
    highest, lowest = size * max(pips), size * min(pips)
    match rule:
        case Rule.SUM:
            return total
        case Rule.LT:
            return max(total + 1, min(total + slack, highest))
        case Rule.GT:
            return min(total - 1, max(total - slack, lowest))
        case Rule.LE:
            return max(total, min(total + slack - 1, highest - 1))
        case Rule.GE:
            return min(total, max(total - slack + 1, lowest + 1))
        case _:
            return None


def _speaking(weights: Weights, size: int) -> dict[Rule | None, int]:
    return {
        rule: weight
        for rule, weight in weights.items()
        if weight and (size > 1 or rule not in (Rule.EQ, Rule.NEQ))
    }
