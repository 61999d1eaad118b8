"""Explain clashes: common small cases by their numbers, the rest by what they leave no room for."""

from __future__ import annotations

from collections.abc import Sequence

from milp_pips.constraints import AllDifferent, AllEqual, Fixed, Less, LinearSum, Relation, Table
from milp_pips.constraints.domino_cover.tiling import Usage
from milp_pips.extras.explain.facts import Fact
from milp_pips.extras.explain.groups import ConstraintGroup
from milp_pips.extras.explain.text.arguments import Rule, together
from milp_pips.extras.explain.text.phrases import (
    Phrases,
    domino,
    grouped,
    joined,
    listed,
    number,
    ordinal,
)
from milp_pips.extras.explain.text.scene import Scene

MOST_NAMED_GIVENS = 6
"""The most givens that a sentence names one by one; the picture of a clash marks all of them."""


def clash_clause(
    phrases: Phrases,
    rules: Sequence[Rule],
    usages: Sequence[ConstraintGroup],
    fixed: Sequence[ConstraintGroup],
) -> str:
    """Return a clause that states why these items cannot hold together."""
    simple = _simple(phrases, rules, usages, fixed) or _without_room(phrases, rules, usages, fixed)
    if simple:
        return simple
    names = together([str(rule) for rule in rules])
    if rules and fixed and not usages:
        shown = _shown(phrases, fixed)
        several = len(fixed) > 1
        if len(rules) == 1 and {_fact(item).variable for item in fixed} <= set(rules[0].piece.variables):
            return f"{shown} {'do' if several else 'does'} not fit {rules[0].in_full}"
        names = together([rule.in_full for rule in rules])
        return f"{shown} {'leave' if several else 'leaves'} no way to fill {joined(names)}"
    if len(rules) == 1 and not usages:
        return f"{names[0]} cannot be kept, whatever is filled in"
    names += [*([_shown(phrases, fixed)] if fixed else ()), *_usage_names(usages)]
    return f"these cannot hold together: {joined(names)}" if names else "there is no way to cover the board"


def _fact(item: ConstraintGroup) -> Fact:
    assert isinstance(item.piece, Fixed)
    return Fact(item.piece.variable, item.piece.value, True)


def _shown(phrases: Phrases, fixed: Sequence[ConstraintGroup]) -> str:
    """Return the values on the board: ``the given 3 in r1c1``, ``your 4s in r1c2 and r2c3``."""
    said = list[str]()
    for kind, whose in (("given", "the given "), ("move", "your ")):
        facts = [_fact(item) for item in fixed if item.kind == kind]
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
    """Return the names of dominoes: ``only one 1-2``, ``at least one 1-2``, or ``exactly one 1-2``."""
    parts: dict[tuple[tuple[int, int], int], list[str]] = {}
    for item in usages:
        if isinstance(item.piece, Usage):
            parts.setdefault((item.piece.kind, item.piece.times), []).append(item.part)
    names = list[str]()
    for (kind, times), which in parts.items():
        often = "exactly" if len(which) > 1 else "only" if which == ["only"] else "at least"
        names.append(f"{often} {number(times)} {domino(kind)}")
    return names


def _simple(
    phrases: Phrases,
    rules: Sequence[Rule],
    usages: Sequence[ConstraintGroup],
    fixed: Sequence[ConstraintGroup],
) -> str | None:
    scene = Scene(phrases.grouped, (), fixed)
    if not usages and len(rules) == 1:
        return _of_one_rule(phrases, rules[0], fixed, scene)
    if rules and not fixed and all(item.part == "only" for item in usages):
        return _equal_halves(phrases, rules, usages) or _extreme_halves(rules, usages)
    return None


def _of_one_rule(phrases: Phrases, rule: Rule, fixed: Sequence[ConstraintGroup], scene: Scene) -> str | None:
    """Return why one rule is impossible, possibly with givens and moves."""
    cells = rule.piece.variables
    domains = [scene.shown[v] for v in cells]
    if any(not domain for domain in domains):
        return None
    shown, several = _shown(phrases, fixed), len(fixed) > 1
    standing = [_fact(item).variable for item in fixed]
    is_pair = len(standing) == 2 and set(standing) <= set(cells)
    is_alike = is_pair and scene.shown[standing[0]] == scene.shown[standing[1]]
    match rule.piece:
        case LinearSum(relation=relation, target=target, coefficients=()):
            at_least = relation is Relation.GE
            extreme = [(max if at_least else min)(domain) for domain in domains]
            total = sum(extreme)
            if (total < target) if at_least else (total > target):
                if fixed:
                    if set(standing) >= set(cells):
                        return None
                    room = f"at most {total}" if at_least else f"at least {total}"
                    return f"{shown} {'leave' if several else 'leaves'} {rule.in_full} with {room}"
                if len(cells) == 1:
                    more = "more" if at_least else "less"
                    return f"{rule.in_full} is one cell, and none holds {more} than {total}"
                each = (
                    f" of {'at most' if at_least else 'at least'} {extreme[0]}"
                    if len(set(extreme)) == 1
                    else ""
                )
                can = "reach" if at_least else "stay at"
                return f"{rule.in_full} cannot {can} {target} with {number(len(cells))} cells{each}"
        case AllDifferent():
            values = set().union(*domains)
            if is_alike:
                return f"{shown} are both in {rule}"
            if len(values) < len(cells):
                return (
                    f"{rule} has {number(len(cells))} cells, but there are only {number(len(values))} values"
                )
        case LinearSum(relation=relation, target=target) as piece:
            at_least = relation is Relation.GE
            added = [
                [times * x for x in shown] for (times, _), shown in zip(piece.terms, domains, strict=True)
            ]
            total = sum((max if at_least else min)(each) for each in added)
            if (total < target) if at_least else (total > target):
                comes = f"comes to at {'most' if at_least else 'least'} {total}"
                return f"{rule} {comes}{f' with {shown}' if fixed else ''}"
        case Less((less, greater), strict):
            if min(scene.shown[less]) + strict > max(scene.shown[greater]):
                compared = "less than" if strict else "no more than"
                one, other = phrases.cell(less), phrases.cell(greater)
                if fixed:
                    return f"{one} must be {compared} {other}, against {shown}"
                return f"{one} must be {compared} {other}, and there are no such values"
        case Table() as piece:
            if not piece.within(domains):
                return f"{rule} allows nothing {f'with {shown}' if fixed else 'that its cells can be'}"
        case AllEqual() if is_pair and not is_alike:
            return f"{shown} differ, but all cells of {rule.name} are equal"
    return None


def _equal_halves(phrases: Phrases, rules: Sequence[Rule], usages: Sequence[ConstraintGroup]) -> str | None:
    """Return why cells cannot be equal: no value is on enough halves."""
    if len(rules) != 1 or not isinstance(rules[0].piece, AllEqual):
        return None
    cells = rules[0].piece.variables
    most = max(
        (_halves(usages, value) or 0 for value in phrases.grouped.variables[cells[0]].domain), default=0
    )
    if any(_halves(usages, value) is None for value in phrases.grouped.variables[cells[0]].domain):
        return None
    if most >= len(cells):
        return None
    return f"{rules[0]} has {number(len(cells))} cells, but no value is on more than {number(most)} halves"


def _halves(usages: Sequence[ConstraintGroup], value: int) -> int | None:
    """Return the number of halves that show the value; None if it is not limited."""
    pieces = [item.piece for item in usages if isinstance(item.piece, Usage)]
    kinds = [kind for kind in pieces[0].tiling.kinds if value in kind] if pieces else []
    limits = {piece.kind: piece.times for piece in pieces}
    if not pieces or any(kind not in limits for kind in kinds):
        return None
    return sum(limits[kind] * kind.count(value) for kind in kinds)


def _extreme_halves(rules: Sequence[Rule], usages: Sequence[ConstraintGroup]) -> str | None:
    """Return why sums are impossible: the largest, or smallest, halves do not reach them."""
    pieces = [rule.piece for rule in rules]
    sums = [piece for piece in pieces if isinstance(piece, LinearSum)]
    relations = {piece.relation for piece in sums}
    cells = [v for piece in sums for v in piece.variables]
    if any(piece.coefficients for piece in sums):
        return None
    if len(sums) < len(pieces) or len(relations) != 1 or len(set(cells)) < len(cells) or not usages:
        return None
    if any(len(rule.items) > 1 for rule in rules):
        return None
    at_least = relations == {Relation.GE}
    tiling = next(item.piece.tiling for item in usages if isinstance(item.piece, Usage))
    limits = {item.piece.kind: item.piece.times for item in usages if isinstance(item.piece, Usage)}
    halves = sorted(
        (pip for kind in tiling.kinds for pip in kind * limits.get(kind, len(cells))), reverse=at_least
    )[: len(cells)]
    total, target = sum(halves), sum(piece.target for piece in sums)
    if len(halves) < len(cells) or not ((total < target) if at_least else (total > target)):
        return None
    which = f"the {number(len(cells))} {'largest' if at_least else 'smallest'} halves come to {total}"
    verb = ("need" if at_least else "allow") + ("" if len(rules) > 1 else "s")
    both = " together" if len(rules) > 1 else ""
    return f"{listed(together([rule.name for rule in rules]))} {verb} {target}{both}, but {which}"


def _without_room(
    phrases: Phrases,
    rules: Sequence[Rule],
    usages: Sequence[ConstraintGroup],
    fixed: Sequence[ConstraintGroup],
) -> str | None:
    """Return what the rules leave no room for, if all dominoes are of one part."""
    subject = [*map(str, rules), *([_shown(phrases, fixed)] if fixed else ())]
    parts = {item.part for item in usages}
    kinds = [domino(item.piece.kind) for item in usages if isinstance(item.piece, Usage)]
    if not subject:
        return None
    plural = len(rules) + len(fixed) > 1
    if len(usages) == 1 and isinstance(usages[0].piece, Usage):
        times = usages[0].piece.times
        if parts == {"all"}:
            one = "the domino" if times == 1 else f"all {number(times)} dominoes"
            return f"{joined(subject)} {'leave' if plural else 'leaves'} no place for {one} {kinds[0]}"
        return f"{joined(subject)} would need a {ordinal(times + 1)} domino {kinds[0]}"
    if usages and parts == {"all"}:
        leave = "leave" if plural else "leaves"
        return f"{joined(subject)} {leave} no room for the dominoes {listed(kinds)}"
    if usages and parts == {"only"}:
        return f"{joined(subject)} would need more of the dominoes {listed(kinds)} than there are"
    if not usages and not rules and plural:
        return f"{subject[0]} cannot {'both' if len(fixed) == 2 else 'all'} be"
    if not usages and len(rules) == 2 and not fixed:
        return f"{rules[0]} and {rules[1]} contradict each other"
    return None
