"""Arguments (a reason and a conclusion), names of rules, and the fallback argument that always holds."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import NamedTuple

from milp_pips.constraints import AllEqual, Cardinality, LinearSum, Relation
from milp_pips.extras.explain.groups import ConstraintGroup
from milp_pips.extras.explain.text.phrases import Phrases, listed, times
from milp_pips.problem.constraint import Constraint


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
    def counts(self) -> str:
        """What a sum over cells that are 0 or 1 counts, such as ``2 stars``; empty for any other rule."""
        says = self.whole or self.says
        named = re.match(r"\d+ [^\W\d]|as many |at (most|least) ", says) is not None
        return says if isinstance(self.piece, LinearSum) and named else ""

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
