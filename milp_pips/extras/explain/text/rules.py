"""The sentences of the techniques that use the rules of a puzzle: one rule, and the ways to make a sum."""

from __future__ import annotations

from collections.abc import Sequence
from functools import singledispatch

from milp_pips.constraints import AllDifferent, AllEqual, Cardinality, Connected, Less, LinearSum, Regular
from milp_pips.extras.explain.facts import Reason
from milp_pips.extras.explain.text.arguments import Argument, Rule, rule_of, together
from milp_pips.extras.explain.text.phrases import Phrases, counted, listed, number
from milp_pips.problem.constraint import Constraint


def of_one_rule(phrases: Phrases, reason: Reason) -> Argument:
    """Return what follows from one rule alone."""
    rule, so = rule_of(phrases, reason.items), phrases.conclusion(reason)
    if len(rule.piece.variables) > 1:
        return of_kind(rule.piece, phrases, rule, reason)
    if isinstance(rule.piece, LinearSum):
        return Argument(f"{rule.name} is one cell with {rule.whole or rule.says}", so)
    return Argument(f"{rule} leaves one cell no other value", so)


@singledispatch
def of_kind(_piece: Constraint, phrases: Phrases, rule: Rule, reason: Reason) -> Argument:
    """Return what follows from one rule on several cells, by the kind of its constraint."""
    return Argument(phrases.known(reason.facts, f"{rule} must hold"), phrases.conclusion(reason))


@of_kind.register
def _(piece: LinearSum, phrases: Phrases, rule: Rule, reason: Reason) -> Argument:
    why = f"{rule.name} has {rule.counts}" if rule.counts else f"{rule.name} must {rule.must}"
    if not reason.facts and not rule.counts:
        why += f" with {counted(len(piece.variables), 'cell')}"
    return Argument(phrases.known(reason.facts, why), phrases.conclusion(reason))


@of_kind.register
def _(_piece: AllEqual, phrases: Phrases, rule: Rule, reason: Reason) -> Argument:
    so = phrases.conclusion(reason)
    why = phrases.known(reason.facts, f"all cells of {rule.name} are equal")
    said, about = phrases.clauses(reason.facts), phrases.clauses(reason.conclusions)
    same = {fact.value for fact in reason.facts} == {fact.value for fact in reason.conclusions}
    if len(said) == len(about) == 1 and same:
        cells = list(dict.fromkeys(fact.variable for fact in reason.conclusions))
        if "cannot be" in said[0]:
            return Argument(why, so, f"{why}, so neither can {phrases.cells(cells, 'or')}")
        if not any(fact.holds for fact in reason.conclusions):
            are = "are" if len(cells) > 1 else "is"
            return Argument(why, so, f"{why}, so {phrases.cells(cells)} {are}, too")
    return Argument(why, so)


@of_kind.register
def _(piece: AllDifferent, phrases: Phrases, rule: Rule, reason: Reason) -> Argument:
    """Return that values have as few places left as there are of them, or cells as few values.

    One less is a contradiction.
    """
    so, domains, excluded = phrases.conclusion(reason), phrases.grouped.variables, set(reason.detail)
    cells, gone = {v for v, _ in excluded}, {x for _, x in excluded}
    places = [v for v in piece.variables if v not in cells]
    every = {x for v in piece.variables for x in domains[v].domain}
    left = {x for v in cells for x in domains[v].domain if (v, x) not in excluded}
    few = 0 if reason.conclusions else 1
    all_shown = len(every) == len(piece.variables)
    apart = all((v, x) in excluded for v in cells for x in gone if x in domains[v].domain)
    is_naked = len(left) + few == len(cells)
    if all_shown and apart and len(places) + few == len(gone) and not (is_naked and len(cells) < len(gone)):
        values = phrases.values(gone, "and")
        shown = [fact for fact in reason.conclusions if fact.holds]
        if len(gone) == len(shown) == 1:
            so = f"{values} can only go in {phrases.cell(shown[0].variable)}"
            return Argument(f"in {rule.name}, {values} has one place left", so, f"in {rule.name}, {so}")
        if not places:
            return Argument(f"in {rule.name}, {values} has no place left", so)
        if few:
            only = f"only {phrases.cells(places)} {'is' if len(places) == 1 else 'are'}"
            return Argument(f"in {rule.name}, {only} left for {values}", so)
        if len(places) > 1:
            return Argument(f"in {rule.name}, {values} can only go in {phrases.cells(places)}", so)
    if is_naked and few:
        values = (
            f"only {phrases.values(left, 'and')} {'is' if len(left) == 1 else 'are'}"
            if left
            else "no value is"
        )
        return Argument(f"in {rule.name}, {values} left for {phrases.cells(sorted(cells))}", so)
    if is_naked and (len(cells) > 1 or not any(fact.holds for fact in reason.facts)):
        go = "goes" if len(cells) == 1 else "go"
        return Argument(
            f"in {rule.name}, {phrases.values(left, 'and')} {go} in {phrases.cells(sorted(cells))}", so
        )
    return Argument(phrases.known(reason.facts, f"the cells of {rule.name} differ"), so)


@of_kind.register
def _(piece: Less, phrases: Phrases, _rule: Rule, reason: Reason) -> Argument:
    less, greater = piece.variables
    compared = "less than" if piece.strict else "at most"
    why = f"{phrases.cell(less)} is {compared} {phrases.cell(greater)}"
    return Argument(phrases.known(reason.facts, why), phrases.conclusion(reason))


@of_kind.register
def _(_piece: Regular, phrases: Phrases, rule: Rule, reason: Reason) -> Argument:
    known, so = phrases.known(reason.facts), phrases.conclusion(reason)
    why = f"{rule}: {f'since {known}, ' if known else ''}"
    if not reason.conclusions:
        return Argument(f"{why}no way to fill it is left", so)
    return Argument(f"{why}in every way to fill it", so, f"{why}in every way to fill it, {so}")


@of_kind.register
def _(_piece: Connected, phrases: Phrases, rule: Rule, reason: Reason) -> Argument:
    return Argument(phrases.known(reason.facts, str(rule)), phrases.conclusion(reason))


@of_kind.register
def _(_piece: Cardinality, phrases: Phrases, rule: Rule, reason: Reason) -> Argument:
    why = f"{rule.name} has {rule.says}" if rule.says else str(rule)
    return Argument(phrases.known(reason.facts, why), phrases.conclusion(reason))


def only_value(phrases: Phrases, reason: Reason) -> Argument:
    """Return that the rules around a cell leave one value."""
    ((v, value, _),) = reason.conclusions
    so = f"{phrases.cell(v)} can only be {phrases.value(value)}"
    return Argument(f"only one value is left for {phrases.cell(v)}", so, so)


def combination(phrases: Phrases, reason: Reason) -> Argument:
    """Return what the ways to make a sum have in common."""
    (is_tray,) = reason.detail
    rule = rule_of(phrases, [item for item in reason.items if item.kind == "rule"])
    halves = " with the halves that are left" if is_tray else ""
    return _in_every_way(phrases, reason, f"{rule.must} in {rule.name}{halves}")


def cage(phrases: Phrases, reason: Reason) -> Argument:
    """Return what the ways to make a sum with different values have in common."""
    rule = rule_of(phrases, [reason.items[0]])
    return _in_every_way(phrases, reason, f"{rule.must} with different values in {rule.name}")


def _in_every_way(phrases: Phrases, reason: Reason, to: str) -> Argument:
    known, so = phrases.known(reason.facts), phrases.conclusion(reason)
    why = f"{f'{known}; ' if known else ''}in every way to {to}"
    return Argument(why, so, f"{why}, {so}")


# Rules that limit the dominoes inside them.


def inside(phrases: Phrases, reason: Reason) -> Argument:
    """Return what a rule demands of every domino inside it."""
    rule = rule_of(phrases, reason.items)
    match rule.piece:
        case AllEqual():
            return Argument(only_doubles(phrases, [reason]), "")
        case AllDifferent():
            return Argument(f"inside {rule.name}, no domino is a double", "")
        case LinearSum(variables=variables) if len(variables) == 2:
            return Argument(f"inside {rule.name}, a domino must {rule.must}", "")
        case LinearSum(variables=variables):
            cells = number(len(variables))
            return Argument(
                f"{rule.name} must {rule.must} with {cells} cells, which limits the dominoes in it", ""
            )
    return Argument(f"{rule} limits the dominoes in it", "")


def needs_doubles(_phrases: Phrases, reason: Reason) -> bool:
    """Whether every domino inside a rule is a double."""
    return reason.technique == "inside" and isinstance(reason.items[0].piece, AllEqual)


def only_doubles(phrases: Phrases, reasons: Sequence[Reason]) -> str:
    """Return inside which rules every domino is a double."""
    names = together([rule_of(phrases, each.items).name for each in reasons])
    return f"inside {listed(names)}, every domino is a double"


def pair(phrases: Phrases, reason: Reason) -> Argument:
    """Return that a rule limits the domino on two of its cells."""
    rule = rule_of(phrases, [reason.items[0]])
    must = f"{rule.name} must {rule.must}" if isinstance(rule.piece, LinearSum) else str(rule)
    why = phrases.known(reason.facts, must)
    return Argument(f"{why}, which limits the domino on {phrases.edge(reason.detail)}", "")


def pair_sum(phrases: Phrases, reason: Reason) -> Argument:
    """Return what a sum needs beside the dominoes inside it."""
    rule, edges = rule_of(phrases, [reason.items[0]]), list(map(phrases.edge, reason.detail))
    values = [fact for fact in reason.facts if phrases.ends(fact) is None]
    dominoes = f"domino{'es' * (len(edges) > 1)} on {listed(edges)}"
    why = phrases.known(values, f"{rule.name} must {rule.must} with the {dominoes}")
    return Argument(why, phrases.conclusion(reason))
