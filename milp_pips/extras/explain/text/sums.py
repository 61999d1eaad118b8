"""Arguments from sums: by the most or the least of the other cells, or by the few ways to reach the sum."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from math import prod

from milp_pips.constraints import Less, LinearSum, Relation, Table
from milp_pips.extras.explain.facts import Fact
from milp_pips.extras.explain.text.arguments import Argument, Rule
from milp_pips.extras.explain.text.phrases import Phrases, listed, number
from milp_pips.extras.explain.text.scene import Scene
from milp_pips.problem.constraint import Constraint

WAYS = 3
"""The most ways to fill a rule that a sentence names."""

MAX_FILLINGS = 5_000
"""The most fillings of a rule that are examined for a sentence: they take a few milliseconds, and are enough
for four cells of eight values."""


def single_cell(phrases: Phrases, rule: Rule, facts: Sequence[Fact], new: Sequence[Fact]) -> Argument | None:
    """Return the argument from a sum of one cell."""
    piece = rule.piece
    if len(piece.variables) > 1 or not isinstance(piece, LinearSum) or piece.coefficients:
        return None
    if any(fact.variable not in piece.variables for fact in new):
        return None
    so = _bounded(phrases, piece, new, {piece.variables[0]: piece.target}) or phrases.so(new, facts)
    if rule.whole and not so.endswith(f" is {phrases.value(piece.target)}"):
        return Argument(f"{rule.name} is one cell and must {rule.must}", so)  # half of it is enough
    return Argument(f"{rule.name} is one cell with {rule.whole or rule.says}", so)


def bound(
    phrases: Phrases, rule: Rule, scene: Scene, facts: Sequence[Fact], new: Sequence[Fact]
) -> Argument | None:
    """Return the argument from the most, or the least, that the other cells can hold."""
    piece = rule.piece
    scope = piece.variables
    if len(rule.items) > 1 or not isinstance(piece, LinearSum) or any(f.variable not in scope for f in new):
        return None
    if piece.coefficients:
        return _weighed(phrases, rule, piece, scene, facts, new)
    at_least = piece.relation is Relation.GE
    for domains in (scene.told, scene.left):
        if all(domains[v] for v in scope):
            extreme = {v: (max if at_least else min)(domains[v]) for v in scope}
            total = sum(extreme.values())
            room = total - piece.target if at_least else piece.target - total
            if all(_is_beyond(fact, domains, extreme, room) for fact in new):
                limits = {v: x - room if at_least else x + room for v, x in extreme.items()}
                so = _bounded(phrases, piece, new, limits) or phrases.so(new, facts)
                return Argument(_told(phrases, rule, scene, facts, new, extreme, room), so)
    return None


def _weighed(
    phrases: Phrases, rule: Rule, piece: LinearSum, scene: Scene, facts: Sequence[Fact], new: Sequence[Fact]
) -> Argument | None:
    """Return the argument from a sum with coefficients, by the most, or the least, that the others add."""
    at_least = piece.relation is Relation.GE
    concluded = dict.fromkeys(fact.variable for fact in new)
    if len(concluded) > 1 or not all(scene.told[v] for v in piece.variables):
        return None
    (cell,) = concluded
    others = [(times, v) for times, v in piece.terms if v != cell]
    rest = sum((max if at_least else min)(times * x for x in scene.told[v]) for times, v in others)
    (own,) = (times for times, v in piece.terms if v == cell)
    fitting = {
        x
        for x in scene.told[cell]
        if (own * x + rest >= piece.target if at_least else own * x + rest <= piece.target)
    }
    if any((fitting != {x}) if holds else (x in fitting) for _, x, holds in new):
        return None
    most = "most" if at_least else "least"
    why = f"{rule.name} must {rule.must}, and the other cells add at {most} {rest}"
    known = phrases.known([fact for fact in facts if fact.variable in piece.variables])
    if known:
        why = f"{known}, so the other cells of {rule.name} add at {most} {rest}, and it must {rule.must}"
    return Argument(why, phrases.so(new, facts))


def _is_beyond(fact: Fact, domains: Sequence[set[int]], extreme: Mapping[int, int], room: int) -> bool:
    """Whether a fact only excludes values further than ``room`` from the extreme."""
    v, value, holds = fact
    if holds:
        return all(abs(x - extreme[v]) > room for x in domains[v] if x != value)
    return abs(value - extreme[v]) > room


def _bounded(phrases: Phrases, piece: LinearSum, new: Sequence[Fact], limits: Mapping[int, int]) -> str:
    """Return that cells are at least, or at most, a value; empty if the values have names or one follows."""
    if not phrases.is_ordered or any(fact.holds for fact in new):
        return ""
    at_least = piece.relation is Relation.GE
    groups: dict[int, list[int]] = {}
    for v in dict.fromkeys(fact.variable for fact in new):
        domain = phrases.grouped.variables[v].domain
        inside = [x for x in domain if (x >= limits[v] if at_least else x <= limits[v])]
        if len(inside) < 2:
            return ""
        groups.setdefault(min(inside) if at_least else max(inside), []).append(v)
    most = "least" if at_least else "most"
    return listed(
        [f"{phrases.cells(vs)} {'are' if len(vs) > 1 else 'is'} at {most} {x}" for x, vs in groups.items()]
    )


def _told(
    phrases: Phrases,
    rule: Rule,
    scene: Scene,
    facts: Sequence[Fact],
    new: Sequence[Fact],
    extreme: Mapping[int, int],
    room: int,
) -> str:
    """Return why cells cannot be further than ``room`` from the extreme."""
    at_least = rule.must.startswith("reach")
    scope = rule.piece.variables
    concluded = list(dict.fromkeys(fact.variable for fact in new))
    others = [v for v in scope if v not in concluded]
    known = phrases.known([fact for fact in facts if fact.variable in scope])
    values = set(extreme.values())
    if room == 0 and not known:
        if len(values) > 1:
            return f"{rule.name} must {rule.must}, and only {' + '.join(map(str, extreme.values()))} does"
        (value,) = values
        if at_least:
            return f"{rule.in_full} needs {phrases.value(value)} in every cell"
        return f"{rule.in_full} leaves nothing but {phrases.value(value)}"
    if len(concluded) == 1 and others:
        held = [extreme[v] for v in others]
        is_fixed = all(len(scene.told[v]) == 1 for v in others)
        if not (at_least or is_fixed or any(held)):
            return f"{rule.name} must {rule.must}"
        most = "most" if at_least else "least"
        if len(others) == 1:
            beside = f"{phrases.cell(others[0])} is {'' if is_fixed else f'at {most} '}{held[0]}"
        elif is_fixed:
            beside = f"{phrases.cells(others)} make {sum(held)}"
        else:
            beside = f"the other cells hold at {most} {sum(held)}"
        return f"{rule.name} must {rule.must}, and {beside}"
    if known:
        return phrases.known([f for f in facts if f.variable in scope], f"{rule.name} must {rule.must}")
    if values == {0}:
        return f"{rule.name} must {rule.must}"
    why = f"{rule.name} must {rule.must} with {number(len(scope))} cells"
    if len(values) == 1:
        return f"{why} of at {'most' if at_least else 'least'} {values.pop()}"
    return why


def ways(
    phrases: Phrases, rules: Sequence[Rule], scene: Scene, facts: Sequence[Fact], new: Sequence[Fact]
) -> Argument | None:
    """Return the argument that rules on the same cells allow only a few fillings, which it names."""
    scope = list(dict.fromkeys(v for rule in rules for v in rule.piece.variables))
    if any(fact.variable not in scope for fact in new):
        return None
    pieces = [item.piece for rule in rules for item in rule.items]
    pair = scene.pair_of(scope)
    for domains in (scene.told, scene.left) if pair is None else (scene.left,):
        choices = [sorted(domains[v]) for v in scope]
        if prod(map(len, choices)) > MAX_FILLINGS:
            continue
        fillings = [dict(zip(scope, values, strict=True)) for values in product(*choices)]
        if pair is not None:
            tiling, i, j = pair
            a, b, shown = tiling.values[i], tiling.values[j], scene.fitting(*pair)
            fillings = [f for f in fillings if (f[a], f[b]) in shown]
        fillings = [f for f in fillings if all(piece.holds(f) for piece in pieces)]
        if fillings and all(fact.is_true(f) for fact in new for f in fillings):
            in_order = any(_is_in_order(piece) for piece in pieces)
            sets = sorted({tuple(f.values() if in_order else sorted(f.values())) for f in fillings})
            if len(sets) > WAYS:
                return None
            return _told_ways(phrases, rules, sets, facts, new, pair is not None)
    return None


def _is_in_order(piece: Constraint) -> bool:
    """Whether the order of the values matters."""
    return isinstance(piece, Less | Table) or (isinstance(piece, LinearSum) and bool(piece.coefficients))


def _told_ways(
    phrases: Phrases,
    rules: Sequence[Rule],
    sets: Sequence[tuple[int, ...]],
    facts: Sequence[Fact],
    new: Sequence[Fact],
    is_domino: bool,
) -> Argument:
    is_sum = any(isinstance(rule.piece, LinearSum) and not rule.piece.coefficients for rule in rules)
    sign = "-" if is_domino else " + " if is_sum else ", "
    told = listed([sign.join(map(phrases.value, way)) for way in sets], "or")
    name = rules[0].name
    says = [rule.says for rule in rules if rule.says]
    subject = f"{name} ({', '.join(dict.fromkeys(says))})" if says else name
    known = phrases.known([fact for fact in facts if fact.variable in rules[0].piece.variables])
    so = phrases.so(new, facts)
    if is_domino:
        why = f"{subject} is under one domino, which can only be {told}"
        return Argument(f"{known}, and {why}" if known else why, so)
    if known:
        return Argument(f"{known}, so {subject} can only be {told}", so)
    return Argument(f"{subject} can only be {told}", so)
