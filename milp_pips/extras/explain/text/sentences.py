"""The sentence of each technique: why something follows, and what."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from milp_pips.extras.explain.facts import Reason, Step
from milp_pips.extras.explain.groups import ConstraintGroup
from milp_pips.extras.explain.techniques.knowledge import FOLDED
from milp_pips.extras.explain.text import dominoes, rules
from milp_pips.extras.explain.text.arguments import rule_of, together
from milp_pips.extras.explain.text.phrases import Phrases, domino, listed
from milp_pips.problem.deduction import Argument


def arguments(phrases: Phrases, step: Step) -> list[Argument]:
    """Return the arguments of a step: first what is folded into it, last its own."""
    reasons = step.reasons or (Reason("gap", step.items, step.facts, step.conclusions),)
    if len(reasons) > 1 and all(reason.technique == "lone" for reason in reasons):
        return [dominoes.geometry(phrases, step)]
    *folded, own = reasons
    return [*(Argument(why, "", why) for why in _clauses(phrases, folded)), argument_of(phrases, own)]


def argument_of(phrases: Phrases, reason: Reason) -> Argument:
    """Return the argument of one deduction."""
    return SENTENCES[reason.technique](phrases, reason)


def theme(step: Step) -> str:
    """Return what to think of, without the conclusion."""
    return THEMES.get(step.technique, "all rules together")


def _chain(phrases: Phrases, reason: Reason) -> Argument:
    """Return what follows from a supposition, up to a contradiction, with what is folded into each link."""
    supposed, links = reason.detail
    said, folded = [f"suppose {phrases.so([supposed])}"], list[Reason]()
    for link in links[:-1]:
        if link.technique in FOLDED:
            folded.append(link)
        else:
            said.append(f"then {'; '.join((*_clauses(phrases, folded), str(argument_of(phrases, link))))}")
            folded = []
    said += [f"then {'; '.join(_clauses(phrases, folded))}"] if folded else []
    said.append(f"but {argument_of(phrases, links[-1]).why}")
    why, so = "; ".join(said), phrases.conclusion(reason)
    return Argument(why, f"so {so}", f"{why}. So {so}")


def _gap(phrases: Phrases, reason: Reason) -> Argument:
    """Return the items that a search found; they imply the conclusion together."""
    of_rules: dict[int, list[ConstraintGroup]] = {}
    for item in reason.items:
        if item.kind == "rule":
            of_rules.setdefault(item.rule, []).append(item)
    names = together([rule_of(phrases, items).name for items in of_rules.values()])
    kinds = list(dict.fromkeys(item.usage.kind for item in reason.items if item.kind == "dominoes"))
    if kinds:
        names.append(f"the domino{'es' * (len(kinds) > 1)} {listed(map(domino, kinds))}")
    fixed = [phrases.fixed(item) for item in reason.items if item.is_value]
    names += [f"the values shown, {listed(fixed)}"] if fixed else []
    what = (
        f"{listed(names)} would contradict each other"
        if len(names) > 1
        else f"{listed(names)} would fail"
        if names
        else "the dominoes could not cover the board"
    )
    why = f"{phrases.known(reason.facts)}; otherwise {what}".removeprefix("; ")
    return Argument(why, phrases.conclusion(reason))


SENTENCES: dict[str, Callable[[Phrases, Reason], Argument]] = {
    "rule": rules.of_one_rule,
    "only value": rules.only_value,
    "combination": rules.combination,
    "cage": rules.cage,
    "inside": rules.inside,
    "pair": rules.pair,
    "pair sum": rules.pair_sum,
    "lone": dominoes.lone,
    "fits": dominoes.fits,
    "no fit": dominoes.no_fit,
    "no edge": dominoes.no_edge,
    "one place": dominoes.one_place,
    "used": dominoes.used,
    "naked": dominoes.naked,
    "parity": dominoes.parity,
    "needs": dominoes.needs,
    "total": dominoes.total,
    "shares": dominoes.shares,
    "chain": _chain,
    "gap": _gap,
}
"""The sentence of each technique."""

THEMES = {
    "lone": "the shape of the board",
    "parity": "the shape of the board",
    "fits": "the dominoes that fit",
    "no fit": "the dominoes that fit",
    "one place": "where each domino fits",
    "only value": "what the cells around it show",
    "needs": "how many halves with one value there are",
    "total": "the sum of all dominoes",
    "shares": "how equal cells share the halves",
    "combination": "the ways to make the sum",
    "cage": "the ways to make the sum with different values",
    "chain": "what would follow from a guess",
    "rule": "one rule",
}
"""What each technique is about, for a hint that does not give the conclusion away."""


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
        found.setdefault(alike or number, []).append(reason)
    said = [
        say(phrases, group) if callable(say) else argument_of(phrases, group[0]).why
        for say, group in found.items()
    ]
    return list(dict.fromkeys(said))


TOGETHER: tuple[tuple[Callable[[Phrases, Reason], bool], Callable[[Phrases, Sequence[Reason]], str]], ...] = (
    (rules.needs_doubles, rules.only_doubles),
    (dominoes.is_laid, dominoes.laid),
    (dominoes.is_bare_edge, dominoes.no_edges),
)
"""Reasons of which several make one clause."""
