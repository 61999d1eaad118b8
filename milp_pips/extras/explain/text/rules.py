"""The sentences of the techniques that use the rules of a puzzle: one rule, and the ways to make a sum."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from milp_pips.extras.explain.facts import Reason, Step
from milp_pips.extras.explain.text.names import rule_of, together
from milp_pips.extras.explain.text.phrases import Phrases, following, listed
from milp_pips.problem.deduction import Argument


def of_one_rule(phrases: Phrases, reason: Reason) -> Argument:
    """Return what follows from one rule alone."""
    rule, so = rule_of(phrases, reason.items), phrases.conclusion(reason)
    if len(rule.piece.variables) > 1:
        return rule.piece.say(rule.deduction(reason), phrases)
    if rule.must:
        why = f"{rule.name} is one cell with {rule.whole or rule.says}"
        return Argument(phrases.known(reason.facts, why), so)
    return Argument(f"{rule} leaves one cell no other value", so)


def single_cells(phrases: Phrases, step: Step) -> Argument:
    """Return what rules on one cell each conclude."""
    names = together([rule_of(phrases, reason.items).name for reason in step.reasons])
    return Argument(f"{listed(names)} are one cell each", phrases.so(sorted(step.conclusions)))


def only_value(phrases: Phrases, reason: Reason) -> Argument:
    """Return that the rules around a cell leave one value."""
    cell = phrases.cell(reason.detail)
    if not reason.conclusions:
        return Argument(f"no value is left for {cell}", "")
    so = f"{cell} can only be {phrases.value(reason.conclusions[0].value)}"
    return Argument(f"only one value is left for {cell}", so, so)


def combination(phrases: Phrases, reason: Reason) -> Argument:
    """Return what the ways to make a sum have in common, if values are limited."""
    rule = rule_of(phrases, [item for item in reason.items if item.piece.bounded_sum])
    limit = " with different values" if reason.technique == "cage" else " with the halves that are left"
    known, so = phrases.known(reason.facts), phrases.conclusion(reason)
    why = following(known, f"in every way to {rule.must} in {rule.name}{limit * reason.detail}", ";")
    return Argument(why, so, f"{why}, {so}")


# Cells that differ.


def fish(phrases: Phrases, reason: Reason) -> Argument:
    """Return that a value has its places in some groups only where others cross them."""
    value, bases, covers = reason.detail
    ours, others = (_named(phrases, items) for items in (bases, covers))
    why = f"in {listed(ours)}, {phrases.value(value)} can only go in {listed(others)}"
    return Argument(why, phrases.conclusion(reason))


def xy_wing(phrases: Phrases, reason: Reason) -> Argument:
    """Return that one of two cells has a value, whichever of its two values a third one has."""
    pivot, u, v, a, b, c = reason.detail
    cell, name = phrases.cell, phrases.value
    either = f"if {cell(pivot)} is {name(a)}, {cell(u)} is {name(c)}, and if it is {name(b)}, {cell(v)} is"
    return Argument(f"{either} {name(c)}", phrases.conclusion(reason))


def colouring(phrases: Phrases, reason: Reason) -> Argument:
    """Return that a value is at one end of a path on which it is in every other cell."""
    value, path, groups = reason.detail
    links = [
        f"{phrases.cell(u)} or {phrases.cell(v)} ({name})"
        for (u, v), item in zip(pairwise(path), groups, strict=True)
        for name in _named(phrases, [item])
    ]
    ends = phrases.cells((path[0], path[-1]), "or")
    why = f"{phrases.value(value)} is in {listed(links)}, so it is in {ends}"
    return Argument(why, phrases.conclusion(reason))


def _named(phrases: Phrases, items: Iterable[int]) -> list[str]:
    """Return the names of the rules of these items."""
    every = phrases.grouped.items
    return together([rule_of(phrases, [every[item]]).name for item in items])


# Rules that limit the dominoes inside them.


def inside(phrases: Phrases, reason: Reason) -> Argument:
    """Return what a rule demands of every domino inside it."""
    rule = rule_of(phrases, reason.items)
    return Argument(rule.piece.say_inside(rule.deduction(reason), phrases), "")


def needs_doubles(_phrases: Phrases, reason: Reason) -> bool:
    """Whether every domino inside a rule is a double."""
    return reason.technique == "inside" and reason.items[0].piece.all_equal


def only_doubles(phrases: Phrases, reasons: Sequence[Reason]) -> str:
    """Return inside which rules every domino is a double."""
    names = together([rule_of(phrases, each.items).name for each in reasons])
    return f"inside {listed(names)}, every domino is a double"


def pair(phrases: Phrases, reason: Reason) -> Argument:
    """Return that a rule limits the domino on two of its cells, and how much of a sum it has to make."""
    rule = rule_of(phrases, [reason.items[0]])
    why = phrases.bare.known(reason.facts, f"{rule.name} must {rule.must}" if rule.must else str(rule))
    on, total = phrases.edge(reason.detail), rule.piece.bounded_sum
    if total is None or total.coefficients:
        return Argument(f"{why}, which limits the domino on {on}", "")
    shown = {fact.variable: fact.value for fact in reason.facts if fact.holds}
    gone = {(v, x) for v, x, holds in reason.facts if not holds}
    others = [
        [x for x in phrases.domain(v) if (v, x) not in gone and shown.get(v, x) == x]
        for v in rule.piece.variables
        if v not in reason.detail
    ]
    if total.high is None:
        must = f"reach {(total.low or 0) - sum(map(max, others))}"
    else:
        must = f"not exceed {total.high - sum(map(min, others))}"
    return Argument(f"{why}, so a domino on {on} must {must}", "")


def pair_sum(phrases: Phrases, reason: Reason) -> Argument:
    """Return what a sum needs beside the dominoes inside it."""
    rule, edges = rule_of(phrases, [reason.items[0]]), list(map(phrases.edge, reason.detail))
    values = [fact for fact in reason.facts if phrases.ends(fact) is None]
    dominoes = f"domino{'es' * (len(edges) > 1)} on {listed(edges)}"
    why = phrases.known(values, f"{rule.name} must {rule.must} with the {dominoes}")
    so = phrases.so(reason.conclusions, reason.facts)
    return Argument(f"{why}: {so}" if so else f"{why}, which limits the dominoes in it", "")
