"""The sentence of each technique: why something follows, and what."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from milp_pips.extras.explain.facts import Reason, Step
from milp_pips.extras.explain.techniques.joining import is_geometry, is_single_cell
from milp_pips.extras.explain.techniques.knowledge import FOLDED
from milp_pips.extras.explain.text import dominoes, rules
from milp_pips.extras.explain.text.names import rules_of, together
from milp_pips.extras.explain.text.phrases import Phrases, domino, following, listed, sentence
from milp_pips.problem.deduction import Argument


def arguments(phrases: Phrases, step: Step) -> list[Argument]:
    """Return the arguments of a step: first what is folded into it, last its own."""
    reasons = step.reasons or (Reason("gap", step.items, step.facts, step.conclusions),)
    if len(reasons) > 1 and is_geometry(step):
        return [dominoes.geometry(phrases, step)]
    if len(reasons) > 1 and is_single_cell(step):
        return [rules.single_cells(phrases, step)]
    *folded, own = reasons
    clauses, said = _clauses(phrases, folded), argument_of(phrases, own)
    so = phrases.so(own.conclusions)
    if own.technique == "only value" and so and clauses and clauses[-1].endswith(f": {so}"):
        said = Argument(clauses[-1], so, clauses.pop())  # what is folded says it already
    return [*(Argument(why, "", why) for why in clauses), said]


def argument_of(phrases: Phrases, reason: Reason) -> Argument:
    """Return the argument of one deduction."""
    return TECHNIQUES[reason.technique].say(phrases, reason)


def _chain(phrases: Phrases, reason: Reason) -> Argument:
    """Return what follows from a supposition, up to a contradiction, with what is folded into each link."""
    supposed, links = reason.detail
    later, said, folded = phrases, [f"suppose {phrases.so([supposed])}"], list[Reason]()
    for link in links[:-1]:
        if link.technique in FOLDED:
            folded.append(link)
        else:
            said += [*_clauses(later, folded), f"then {argument_of(later, link)}"]
            later, folded = later.after(link.conclusions), []
    said += [*_clauses(later, folded), f"but {argument_of(later, links[-1]).why}"]
    why = " ".join(sentence(clause, phrases.names) for clause in said)
    so = phrases.conclusion(reason)
    return Argument(why, f"so {so}", f"{why} So {so}")


def _gap(phrases: Phrases, reason: Reason) -> Argument:
    """Return the items that a search found; they imply the conclusion together."""
    names = together([rule.name for rule in rules_of(phrases, reason.items)])
    kinds = list(dict.fromkeys(item.usage.kind for item in reason.items if item.kind == "dominoes"))
    if kinds:
        names.append(f"the domino{'es' * (len(kinds) > 1)} {listed(map(domino, kinds))}")
    fixed = [phrases.fixed(item) for item in reason.items if item.is_value]
    names += [f"the values shown, {listed(fixed)}"] if fixed else []
    what = "the dominoes could not cover the board"
    if names:
        what = f"{listed(names)} would {'contradict each other' if len(names) > 1 else 'fail'}"
    why = following(phrases.known(reason.facts), f"otherwise {what}", ";")
    return Argument(why, phrases.conclusion(reason))


class Technique(NamedTuple):
    """How a story presents a technique: its sentence, and its theme, which reveals no conclusion."""

    say: Callable[[Phrases, Reason], Argument]
    theme: str = ""


TECHNIQUES = {
    "rule": Technique(rules.of_one_rule, "one rule"),
    "only value": Technique(rules.only_value, "the values left for one cell"),
    "combination": Technique(rules.combination, "the ways to make a sum"),
    "cage": Technique(rules.combination, "the ways to make a sum with different values"),
    "pointing": Technique(rules.fish, "a value that points along a line"),
    "box-line": Technique(rules.fish, "a line that keeps a value in one group"),
    "naked pair": Technique(rules.of_one_rule, "a naked pair"),
    "X-wing": Technique(rules.fish, "an X-wing"),
    "hidden pair": Technique(rules.of_one_rule, "a hidden pair"),
    "naked triple": Technique(rules.of_one_rule, "a naked triple"),
    "swordfish": Technique(rules.fish, "a swordfish"),
    "hidden triple": Technique(rules.of_one_rule, "a hidden triple"),
    "XY-wing": Technique(rules.xy_wing, "an XY-wing"),
    "colouring": Technique(rules.colouring, "simple colouring"),
    "inside": Technique(rules.inside),
    "pair": Technique(rules.pair, "a domino inside a sum"),
    "pair sum": Technique(rules.pair_sum, "dominoes inside a sum"),
    "lone": Technique(dominoes.lone, "the shape of the board"),
    "fits": Technique(dominoes.fits, "the dominoes that fit"),
    "no fit": Technique(dominoes.no_fit, "the dominoes that fit"),
    "no edge": Technique(dominoes.no_edge),
    "one place": Technique(dominoes.one_place, "where one domino fits"),
    "used": Technique(dominoes.used),
    "naked": Technique(dominoes.naked, "cells that share dominoes"),
    "parity": Technique(dominoes.parity, "parts with an odd number of cells"),
    "needs": Technique(dominoes.needs, "counting halves"),
    "total": Technique(dominoes.total, "adding up all dominoes"),
    "chain": Technique(_chain, "a chain from a guess"),
    "gap": Technique(_gap, "all rules together"),
}


# What is folded into a step.


def _with_whole_rules(reasons: Iterable[Reason]) -> list[Reason]:
    """Return the reasons with those of the two halves of a sum as one."""
    found = list[Reason]()
    for reason in reasons:
        before = next((n for n, each in enumerate(found) if _is_other_half(each, reason)), None)
        if before is None:
            found.append(reason)
        else:
            found[before] = reason._replace(items=(*found[before].items, *reason.items))
    return found


def _is_other_half(one: Reason, other: Reason) -> bool:
    return one.technique == other.technique == "inside" and one.items[0].rule == other.items[0].rule


def _clauses(phrases: Phrases, reasons: Iterable[Reason]) -> list[str]:
    """Return a clause for each reason; some read better as one: ``inside regions A and B, …``."""
    found: dict[object, list[Reason]] = {}
    for number, reason in enumerate(_with_whole_rules(reasons)):
        alike = next((say for is_one, say in TOGETHER if is_one(phrases, reason)), None)
        if reason.technique == "no edge":
            last = next(reversed(found), None)
            alike = last if last and found[last][0].technique == "no edge" else None
        found.setdefault(alike or -number - 1, []).append(reason)
    said = list[str]()
    for say, group in found.items():
        if group[0].technique == "no edge":
            clause = dominoes.no_edges(phrases, group)
            if said and clause.startswith("no ") and ", so " not in said[-1]:
                clause = f"{said.pop()}, so {clause}"
        else:
            clause = say(phrases, group) if callable(say) else argument_of(phrases, group[0]).why
        said.append(clause)
    return list(dict.fromkeys(said))


TOGETHER: tuple[tuple[Callable[[Phrases, Reason], bool], Callable[[Phrases, Sequence[Reason]], str]], ...] = (
    (rules.needs_doubles, rules.only_doubles),
    (dominoes.is_laid, dominoes.laid),
)
"""Reasons of which several make one clause."""
