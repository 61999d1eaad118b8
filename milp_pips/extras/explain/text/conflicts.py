"""Explain clashes: which items cannot hold together, and the steps to the contradiction."""

from __future__ import annotations

from collections.abc import Sequence

from milp_pips.extras.explain.groups import ConstraintGroup
from milp_pips.extras.explain.text.arguments import Rule, together
from milp_pips.extras.explain.text.phrases import Phrases, domino, grouped, joined, listed, number

MOST_NAMED_GIVENS = 6
"""The most givens that a sentence names one by one; the picture of a clash marks all of them."""


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
        cells = grouped({v: value for v, value, _ in facts if v not in phrases.tiling_of})
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
