"""Arguments (a reason and a conclusion), names of rules, and the fallback argument that always holds."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import NamedTuple

from milp_pips.constraints import AllDifferent, AllEqual, Cardinality, Less, LinearSum, Relation, Table
from milp_pips.constraints.domino_cover.tiling import Usage
from milp_pips.extras.explain.facts import Fact
from milp_pips.extras.explain.groups import ConstraintGroup
from milp_pips.extras.explain.text.phrases import Phrases, domino, joined, listed, number, times
from milp_pips.problem.constraint import Constraint

NAMED_KINDS = 5
"""The most kinds of dominoes that a sentence names one by one."""


class Argument(NamedTuple):
    """The clauses for why and what follows, without a full stop; ``said`` joins both if that reads better."""

    why: str
    so: str
    said: str = ""

    def __str__(self) -> str:
        return self.said or f"{self.why}: {self.so}"


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
    def must(self) -> str:
        """The condition on a sum."""
        target = self.piece.target if isinstance(self.piece, LinearSum) else 0
        if len(self.items) > 1:
            return f"make {target}"
        at_least = isinstance(self.piece, LinearSum) and self.piece.relation is Relation.GE
        return f"reach {target}" if at_least else f"not exceed {target}"

    @property
    def in_full(self) -> str:
        """The name with the content of the whole rule."""
        return f"{self.name} ({self.whole})" if self.whole else str(self)

    def __str__(self) -> str:
        return f"{self.name} ({self.says})" if self.says else self.name


def rule_of(phrases: Phrases, items: Sequence[ConstraintGroup]) -> Rule:
    """Return the items, all of one rule, with the rule's name: ``region A``, ``sum 12``."""
    piece = items[0].piece
    name, _, says = (part.strip() for part in piece.label.partition(":"))
    if not name:
        name = f"the rule of {phrases.cells(piece.variables)}"
    whole = phrases.problem.constraints[items[0].rule]
    match piece:
        case LinearSum(target=target):
            half = isinstance(whole, LinearSum) and whole.relation is Relation.EQ and len(items) == 1
            says = says or f"{'weighted ' if piece.coefficients else ''}sum {target}"
            if half:
                return Rule(tuple(items), name, f"{items[0].part} {target}", says)
        case AllEqual():
            says = says or "all equal"
        case Cardinality():
            triples = [t for item in items if isinstance(item.piece, Cardinality) for t in item.piece.bounds]
            often = [_often(phrases, *triple) for triple in triples]
            says = says or (listed(often) if len(often) <= 2 else "")
    return Rule(tuple(items), name, says)


def _often(phrases: Phrases, value: int, low: int, high: int) -> str:
    """Return how often a value occurs: ``7 once``, ``π at most twice``."""
    if low == high:
        return f"{phrases.value(value)} {times(low) if low else 'never'}"
    return f"{phrases.value(value)} {f'at least {times(low)}' if low else f'at most {times(high)}'}"


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


def contrary(
    phrases: Phrases,
    rules: Sequence[Rule],
    usages: Sequence[ConstraintGroup],
    facts: Sequence[Fact],
    new: Sequence[Fact],
) -> Argument:
    """Return the fallback argument: otherwise something would be broken.

    It always holds, because a step needs all of its items and facts.
    """
    so, known = phrases.so(new, facts), phrases.known(facts)
    before = f"{known}: " if known else ""
    if len(rules) > 2:
        all_of_them = [*together([rule.name for rule in rules]), *([kinds_of(usages)] if usages else [])]
        why = f"{joined(all_of_them)} together leave no other way"
        return Argument(f"{before}{why}", so, f"{before}{so}, since {why}")
    names: dict[str, list[str]] = {}
    for rule in rules:
        names.setdefault(_broken(rule), []).append(rule.name)
    broken = [what.format(listed(who, "or")) for what, who in names.items()] + _missing(phrases, usages)
    what = joined(broken, "or") if broken else "the dominoes could not cover the board"
    return Argument(f"{known}; otherwise {what}".removeprefix("; "), so, f"{before}{so}, or else {what}")


def kinds_of(usages: Iterable[ConstraintGroup]) -> str:
    """Return the kinds of dominoes that the items are about: ``the dominoes 1-2 and 5-6``."""
    kinds = dict.fromkeys(domino(item.piece.kind) for item in usages if isinstance(item.piece, Usage))
    return f"the domino {listed(kinds)}" if len(kinds) == 1 else f"the dominoes {some(list(kinds))}"


def some(words: Sequence[str], most: int = NAMED_KINDS) -> str:
    """Return kinds of dominoes; if there are too many, some of them and the number of the others."""
    if len(words) <= most + 1:
        return listed(words)
    return listed([*words[:most], f"{number(len(words) - most)} more kinds"])


def _missing(phrases: Phrases, usages: Sequence[ConstraintGroup]) -> list[str]:
    """Return the ways in which the dominoes would be wrong."""
    broken = list[str]()
    pieces = [(item.part, item.piece) for item in usages if isinstance(item.piece, Usage)]
    only = [usage for part, usage in pieces if part == "only"]
    every = [usage for part, usage in pieces if part != "only"]
    if len(only) == 1:
        another = "a second" if only[0].times == 1 else f"more than {number(only[0].times)}"
        broken.append(f"{another} {domino(only[0].kind)} would be needed")
    elif only:
        shared = common_value(only)
        what = some([domino(usage.kind) for usage in only]) if shared is None else phrases.plural(shared)
        broken.append(f"there would be too many {'' if shared is not None else 'of '}{what}")
    if every:
        place = "no place" if len(every) == 1 else "no room"
        broken.append(f"there would be {place} for {some([domino(usage.kind) for usage in every])}")
    return broken


def common_value(usages: Sequence[Usage]) -> int | None:
    """Return the value whose dominoes these are, if they are all of them; otherwise None."""
    kinds = {usage.kind for usage in usages}
    for value in usages[0].kind:
        if kinds == {kind for kind in usages[0].tiling.kinds if value in kind}:
            return value
    return None


def _broken(rule: Rule) -> str:
    """Return how a rule would be broken; ``{}`` stands for its name."""
    match rule.piece:
        case LinearSum(target=target) if len(rule.items) > 1:
            return f"{{}} could not make {target}"
        case LinearSum(relation=Relation.GE, target=target):
            return f"{{}} could not reach {target}"
        case LinearSum(relation=Relation.LE, target=target):
            return f"{{}} would exceed {target}"
        case AllEqual():
            return "{} could not be all equal"
        case AllDifferent():
            return "{} would hold a value twice"
        case Less():
            return "{} would not be so"
        case Table():
            return "nothing that is allowed would fit in {}"
    return "there would be no way to fill {}"
