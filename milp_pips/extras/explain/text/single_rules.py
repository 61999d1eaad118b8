"""Arguments for a step that needs one rule, by the kind of the rule."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from milp_pips.constraints import AllDifferent, AllEqual, Cardinality, Less, LinearSum, Regular
from milp_pips.extras.explain.facts import Fact
from milp_pips.extras.explain.text import sums
from milp_pips.extras.explain.text.arguments import Argument, Rule, contrary
from milp_pips.extras.explain.text.different import Different
from milp_pips.extras.explain.text.phrases import Phrases, domino, listed, number, times
from milp_pips.extras.explain.text.scene import Scene

LONG = 60
"""The most characters of known facts in a sentence about a line; longer lists are only mentioned."""


def arguments_of(
    phrases: Phrases, rules: Sequence[Rule], facts: Sequence[Fact], new: Sequence[Fact]
) -> list[Argument]:
    """Return arguments for the conclusions from facts and one rule, or several rules on the same cells."""
    rule = rules[0]
    scene = Scene(phrases.grouped, facts, cells=rule.piece.variables)
    step = (phrases, rule, scene, facts, new)
    found: Argument | None
    match [rule.piece for rule in rules]:
        case [LinearSum()]:
            found = (
                sums.single_cell(phrases, rule, facts, new)
                or sums.bound(*step)
                or sums.ways(phrases, rules, scene, facts, new)
            )
        case [Less() as piece]:
            found = _order(phrases, piece, scene, facts, new)
        case [AllEqual()]:
            found = _equal(*step) or _double(*step)
        case [AllDifferent()]:
            return Different(*step).arguments()
        case [Cardinality()]:
            found = _count(*step)
        case [Regular()]:
            found = _word(phrases, rule, facts, new)
        case _:
            found = sums.ways(phrases, rules, scene, facts, new)
    return [found or contrary(phrases, rules, (), facts, new)]


def _equal(
    phrases: Phrases, rule: Rule, scene: Scene, facts: Sequence[Fact], new: Sequence[Fact]
) -> Argument | None:
    """Return the argument that all cells share what one of them is, or is not."""
    scope = rule.piece.variables
    common = set[int].intersection(*(scene.told[v] for v in scope))
    if not facts or any(fact.variable not in scope for fact in (*facts, *new)):
        return None
    if any((common != {value}) if holds else (value in common) for _, value, holds in new):
        return None
    so = phrases.so(new, facts)
    why = phrases.known(facts, f"all cells of {rule.name} are equal")
    about_facts, about_new = phrases.clauses(facts), phrases.clauses(new)
    if len(about_facts) == len(about_new) == 1 and {f.value for f in facts} == {f.value for f in new}:
        cells = list(dict.fromkeys(fact.variable for fact in new))
        if "cannot be" in about_facts[0]:
            return Argument(why, so, f"{why}, so neither can {phrases.cells(cells, 'or')}")
        if not any(fact.holds for fact in new):
            so_are = f"{phrases.cells(cells)} {'are' if len(cells) > 1 else 'is'}, too"
            return Argument(why, so, f"{why}, so {so_are}")
    return Argument(why, so)


def _order(
    phrases: Phrases, piece: Less, scene: Scene, facts: Sequence[Fact], new: Sequence[Fact]
) -> Argument | None:
    """Return the argument from the greatest, or the least, value of the neighbouring cell."""
    cells = {fact.variable for fact in new}
    less, greater = piece.variables
    low, high = scene.told[less], scene.told[greater]
    if not cells <= {less, greater} or not low or not high:
        return None
    left = {
        less: {x for x in low if x + piece.gap <= max(high)},
        greater: {x for x in high if min(low) + piece.gap <= x},
    }
    if any((left[v] != {x}) if holds else (x in left[v]) for v, x, holds in new):
        return None
    one, other = phrases.cell(less), phrases.cell(greater)
    if len(cells) > 1:
        known = phrases.known([fact for fact in facts if fact.variable in piece.variables])
        why = f"{one} is {'less' if piece.strict else 'no more'} than {other}"
        return Argument(f"{known}, and {why}" if known else why, phrases.so(new, facts))
    if less in cells:
        compared, end, most, told = "less" if piece.strict else "no more", max(high), "most", high
    else:
        compared, end, most, told = "more" if piece.strict else "no less", min(low), "least", low
        one, other = other, one
    is_so = phrases.value(end) if len(told) == 1 else f"at {most} {phrases.value(end)}"
    return Argument(f"{one} is {compared} than {other}, which is {is_so}", phrases.so(new, facts))


def _double(
    phrases: Phrases, rule: Rule, scene: Scene, facts: Sequence[Fact], new: Sequence[Fact]
) -> Argument | None:
    """Return the argument that a domino within the rule must be a double."""
    for pair in combinations(rule.piece.variables, 2):
        found = scene.pair_of(pair)
        if found is None:
            continue
        doubles = {a for a, b in scene.fitting(*found) if a == b}
        if doubles and all(
            v in rule.piece.variables and ((doubles == {x}) if holds else x not in doubles)
            for v, x, holds in new
        ):
            known = phrases.known([fact for fact in facts if phrases.ends(fact) is None])
            name = f"{known}, and all cells" if known else "all cells"
            why = f"{name} of {rule.name} are equal, so the domino on {phrases.cells(pair)} is a double"
            kinds = listed([domino((a, a)) for a in sorted(doubles)], "or")
            cells = list(dict.fromkeys(fact.variable for fact in new))
            each = "each " if len(cells) > 1 < len(doubles) else ""
            so = f"{phrases.cells(cells)} {'are' if len(cells) > 1 else 'is'} {each}{phrases.values(doubles)}"
            return Argument(f"{why}, which can only be {kinds}", so)
    return None


def _count(
    phrases: Phrases, rule: Rule, scene: Scene, facts: Sequence[Fact], new: Sequence[Fact]
) -> Argument | None:
    """Return the argument that a value occurs often enough, or has only as many places as it needs."""
    triples = [t for item in rule.items if isinstance(item.piece, Cardinality) for t in item.piece.bounds]
    told, scope, name, so = scene.told, rule.piece.variables, rule.name, phrases.so(new, facts)
    if len(triples) > 1:
        used = {value for value, _, _ in triples}
        if not all(fact.holds and told[fact.variable] - {fact.value} <= used for fact in new):
            return None
        cells = phrases.cells(dict.fromkeys(fact.variable for fact in new))
        why = f"{name} has {phrases.values(used, 'and')} as often as it may"
        return Argument(
            why, so, f"{cells} can only be {phrases.values({f.value for f in new}, 'and')}: {why}"
        )
    ((value, low, high),) = triples
    word = phrases.value(value)
    have = [v for v in scope if told[v] == {value}]
    places = [v for v in scope if value in told[v]]
    if all(not fact.holds and fact.value == value for fact in new) and len(have) == high:
        if not high:
            return Argument(f"{name} has no {word}", so)
        its = "its" if high == 1 else f"its {number(high)}"
        why = f"{name} has {its} {word} in {phrases.cells(have)}"
        return Argument(why, f"no other cell of {name} can be {word}" if len(new) > 1 else so)
    if all(fact.holds and fact.value == value for fact in new) and len(places) == low:
        often = "" if low == 1 else f" {times(low)}"
        why = f"{name} needs {word}{often}, and only {number(low)} of its cells can take it"
        where = phrases.cells(places)
        return Argument(why, so, f"in {name}, {word} can only go in {where}" if low == 1 else "")
    return None


def _word(phrases: Phrases, rule: Rule, facts: Sequence[Fact], new: Sequence[Fact]) -> Argument:
    """Return the argument from all ways to fill a line."""
    scope, so, before = rule.piece.variables, phrases.so(new), f"{rule}: "
    values = {fact.value for fact in new}
    if all(fact.holds for fact in new) and len(new) == len(scope) > len(values) == 1:
        so = f"all its cells are {phrases.values(values)}"
    known = phrases.known([fact for fact in facts if fact.variable in scope])
    if known:
        before += f"since {known}, " if len(known) <= LONG else "with what is known, "
    return Argument(f"{before}all ways to fill it agree", so, f"{before}in every way to fill it, {so}")
