"""The sentences of the techniques that use dominoes: where they fit, and how many halves there are."""

from __future__ import annotations

from collections.abc import Sequence

from milp_pips.extras.explain.facts import Fact, Reason, Step
from milp_pips.extras.explain.text.names import rule_of, rules_of
from milp_pips.extras.explain.text.phrases import Phrases, counted, domino, following, joined, listed, number
from milp_pips.problem.deduction import Argument

MOST_KINDS = 5
"""The most kinds of dominoes that a sentence lists."""


def _kinds(kinds: Sequence[tuple[int, int]], conjunction: str = "and") -> str:
    return listed(map(domino, kinds), conjunction)


# Where dominoes lie.


def lone(phrases: Phrases, reason: Reason) -> Argument:
    """Return that a cell has one neighbour left, or none."""
    cell = phrases.cell(reason.detail[0])
    closed = [fact for fact in reason.facts if fact.holds]
    since = f", since {phrases.so(closed)}" if closed else ""
    near = sum(reason.detail[0] in pair for pair in phrases.neighbours)
    if not reason.conclusions:
        if own := [fact for fact in closed if reason.detail[0] in (phrases.ends(fact) or ())]:
            return Argument(phrases.so(own), "no domino can cover it")
        return Argument(f"{cell} has no neighbour left{since}", "no domino can cover it")
    left = " left" if near > 1 else ""
    neighbour = f"only one neighbour{left}, {phrases.cell(reason.detail[1])}"
    return Argument(f"{cell} has {neighbour}{since}", phrases.so(reason.conclusions))


def geometry(phrases: Phrases, step: Step) -> Argument:
    """Return that several cells have one neighbour left, one after another."""
    cells = phrases.cells(reason.detail[0] for reason in step.reasons)
    return Argument(f"in turn, each of {cells} has only one neighbour left", phrases.so(step.conclusions))


def fits(phrases: Phrases, reason: Reason) -> Argument:
    """Return that one domino fits on two cells."""
    cells, kind = reason.detail
    why = f"only {domino(kind)} fits on {phrases.edge(cells)}"
    return Argument(following(phrases.known(_values(phrases, reason)), why), phrases.conclusion(reason))


def no_fit(phrases: Phrases, reason: Reason) -> Argument:
    """Return which values of a cell no domino can cover; its partner may be known."""
    v, partner, kinds = reason.detail
    if isinstance(v, tuple):
        return _no_fits(phrases, reason)
    cell, so = phrases.cell(v), phrases.conclusion(reason)
    near = [fact for fact in reason.facts if fact.variable != v]
    known, gone = phrases.known(near), _excluded(phrases, reason)
    few = 0 < len(kinds) <= MOST_KINDS
    if not reason.conclusions:
        return Argument(following(known, f"no domino can cover {cell}"), "")
    if partner is None:
        if gone and not few:
            return Argument(following(known, f"no domino left puts {gone} on {cell}"), "")
        fitting = f"only {_kinds(kinds, 'or')}" if few else "no other domino"
        return Argument(following(known, f"{fitting} can cover {cell}", ";"), so)
    which = ""
    values = [fact for fact in near if phrases.ends(fact) is None]
    if {fact.variable for fact in values} == {partner}:
        which = ", which " + phrases.known(values).removeprefix(f"{phrases.cell(partner)} ")
    fitting = (
        f"only {_kinds(kinds, 'or')} fits there"
        if few
        else f"no domino left has {gone} beside that"
        if gone
        else "no other domino fits"
    )
    return Argument(f"{cell} shares a domino with {phrases.cell(partner)}{which}; {fitting}", so)


def _no_fits(phrases: Phrases, reason: Reason) -> Argument:
    """Return which values several cells have left, since the same dominoes fit on each."""
    cells, partner, kinds = reason.detail
    facts = reason.facts if partner is None else _values(phrases, reason)
    known, so = phrases.known(facts), phrases.conclusion(reason)
    where = f"can cover {phrases.cells(cells, 'or')}" if partner is None else f"fits on {phrases.edge(cells)}"
    fitting = f"only {_kinds(kinds, 'or')} {where}"
    if len(kinds) > MOST_KINDS:
        gone = _excluded(phrases, reason)
        fitting, so = f"no domino left puts {gone} on {phrases.cells(cells, 'or')}", ""
    return Argument(following(known, fitting, ";"), so)


def _excluded(phrases: Phrases, reason: Reason) -> str:
    """Return the values that a deduction excludes; empty for none."""
    return phrases.values({fact.value for fact in reason.conclusions if not fact.holds})


def no_edge(phrases: Phrases, reason: Reason) -> Argument:
    """Return that no domino fits on two cells."""
    return Argument(no_edges(phrases, [reason]), phrases.conclusion(reason))


def no_edges(phrases: Phrases, reasons: Sequence[Reason]) -> str:
    """Return that no domino fits on any of several pairs of cells."""
    known = phrases.known(list(dict.fromkeys(fact for each in reasons for fact in _values(phrases, each))))
    edges = listed([phrases.edge(each.detail) for each in reasons], "or")
    return following(known, f"no domino fits on {edges}")


def _values(phrases: Phrases, reason: Reason) -> list[Fact]:
    """Return the facts about values, not about dominoes."""
    return [fact for fact in reason.facts if phrases.ends(fact) is None]


def one_place(phrases: Phrases, reason: Reason) -> Argument:
    """Return that the dominoes of a kind have no other place, or none."""
    kind, edges = reason.detail
    if not edges:
        return Argument(f"the domino {domino(kind)} fits nowhere", "there is no way on")
    where = listed(map(phrases.edge, edges))
    more = [fact for fact in reason.conclusions if phrases.ends(fact) not in edges]
    so = phrases.so(more, reason.facts) if more else f"{'it lies' if len(edges) == 1 else 'they lie'} there"
    if len(edges) == 1:
        return Argument(f"the domino {domino(kind)} fits only on {where}", so)
    return Argument(f"the {number(len(edges))} dominoes {domino(kind)} fit only on {where}", so)


def used(phrases: Phrases, reason: Reason) -> Argument:
    """Return that the dominoes of a kind are used up."""
    if is_laid(phrases, reason):
        return Argument(laid(phrases, [reason]), "")
    kind, cells = reason.detail[:2]
    values, times = _values(phrases, reason), reason.items[0].usage.times
    why = f"{phrases.known(values)}, so " if values else ""
    is_own = {fact.variable for fact in values} == set(cells)
    if len(cells) == 1:
        which = "its domino" if is_own else f"the domino on {phrases.cells(cells)}"
        return Argument(f"{why}{which} must be {domino(kind)}", "it lies nowhere else")
    why += f"{'their dominoes' if is_own else f'the dominoes on {phrases.cells(cells)}'} must"
    if len(cells) > times:
        few = f"and there {'is' if times == 1 else 'are'} only {number(times)}"
        return Argument(f"{why} {'both' if len(cells) == 2 else 'all'} be {domino(kind)}, {few}", "")
    return Argument(f"{why} be {domino(kind)}", "there are no more")


def is_laid(_phrases: Phrases, reason: Reason) -> bool:
    """Whether the dominoes that are used up lie on the board."""
    return reason.technique == "used" and len(reason.detail) > 2 and bool(reason.detail[2])


def laid(phrases: Phrases, reasons: Sequence[Reason]) -> str:
    """Return where dominoes lie: ``1-2 already lies on r1c1–r1c2, 3-3 on r2c1–r2c2``."""
    where = [
        (domino(kind), phrases.edge(edge))
        for each in reasons
        for kind, _, edges in [each.detail]
        for edge in edges
    ]
    (first, on), *others = where
    return listed([f"{first} already lies on {on}", *(f"{name} on {edge}" for name, edge in others)])


def naked(phrases: Phrases, reason: Reason) -> Argument:
    """Return that cells use up as many dominoes."""
    cells, kinds = reason.detail
    return Argument(f"{phrases.cells(cells)} take {_kinds(kinds)} between them", "")


def parity(phrases: Phrases, reason: Reason) -> Argument:
    """Return that a domino would cut off an odd number of cells."""
    edge, cells = reason.detail
    off = f"would cut off {phrases.cells(cells)}: {number(len(cells))} cells, which dominoes cannot fill"
    closed = [fact for fact in reason.facts if fact.holds]
    why, so = f"a domino on {phrases.edge(edge)} {off}", phrases.conclusion(reason)
    return Argument(phrases.known(closed, why), so, f"{why}, so {so}")


# How many halves there are.


def needs(phrases: Phrases, reason: Reason) -> Argument:
    """Return how many halves with a value there are, and which rules need, or take, how many of them."""
    detail, so = reason.detail, phrases.conclusion(reason)
    value, plural = phrases.value(detail.value), phrases.plural(detail.value)
    has = f"the dominoes have {number(detail.halves)} {value if detail.halves == 1 else plural}"
    placed = [cells[0] for cells, item, n in detail.uses if item is None and n]
    left = detail.halves - sum(n for _, _, n in detail.uses)
    takes = "needs" if detail.short else "takes at most"
    uses = [
        f"{rule_of(phrases, [phrases.grouped.items[item]]).name} {takes} {number(n)}"
        for _, item, n in detail.uses
        if item is not None and n
    ]
    if not detail.short:
        facts = [fact for fact in reason.facts if not fact.holds and fact.value == detail.value]
        able = [phrases.known(facts)] if facts else []
        return Argument(joined([f"{has}, all to be placed", *uses, *able], comma=True), so)
    if placed:
        uses.append(f"{phrases.cells(placed)} {'are' if len(placed) > 1 else 'is'} {value}")
    target = _target(phrases, reason)
    if not uses and target:
        return Argument(f"{has}, too few for {target}", so)
    room = "none is left" if left <= 0 else f"only {number(left)} {'is' if left == 1 else 'are'} left"
    rest = f"; {room} for {target}" if uses and target else ""
    return Argument(f"{joined([has, *uses], comma=True)}{rest}", so)


def total(phrases: Phrases, reason: Reason) -> Argument:
    """Return what is left of the pips of all dominoes."""
    detail, target = reason.detail, _target(phrases, reason)
    least, most = ("at least", "at most") if detail.much else ("at most", "at least")
    left = max(0, detail.total - detail.rest)
    known = [fact for fact in reason.facts if fact.variable not in detail.target]
    others = (item for item in reason.items if set(item.piece.variables).isdisjoint(detail.target))
    rules = rules_of(phrases, others)
    sums = [f"{rule.name} must {rule.must}" for rule in rules if rule.must]
    why = joined([*sums, *phrases.bare.clauses(known)])  # as much of each cell as the numbers rest on
    cells = "the other cells" if target else "the cells"
    have = f"{cells} have {least} {detail.rest} of the {detail.total} pips of all dominoes"
    why = following(why, have)
    if target:
        own = [fact for fact in reason.facts if fact.variable in detail.target]
        why = phrases.known(own, f"{why}; {target} must have {most} {left}")
    return Argument(why, phrases.conclusion(reason))


def _target(phrases: Phrases, reason: Reason) -> str:
    """Return the cells for which halves or pips are left: by name, or by their rule."""
    detail = reason.detail
    if not detail.target:
        return ""
    if detail.rule is None:
        return phrases.cells(detail.target)
    rule = rule_of(phrases, [phrases.grouped.items[detail.rule]])
    if rule.piece.all_equal:
        return f"the {counted(len(detail.target), 'equal cell')} of {rule.name}"
    return rule.name
