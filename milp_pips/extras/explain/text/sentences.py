"""The sentence of each technique: why something follows, and what."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from milp_pips.constraints import AllDifferent, AllEqual, Cardinality, Less, LinearSum, Regular
from milp_pips.constraints.domino_cover.tiling import Usage
from milp_pips.extras.explain.facts import Fact, Reason, Step
from milp_pips.extras.explain.groups import ConstraintGroup
from milp_pips.extras.explain.techniques.knowledge import FOLDED
from milp_pips.extras.explain.text.arguments import Argument, Rule, rule_of, together
from milp_pips.extras.explain.text.phrases import Phrases, counted, domino, joined, listed, number

MOST_KINDS = 5
"""The most kinds of dominoes that a sentence lists."""


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


class Sentences:
    """Put the deductions of steps into words: one method for each technique."""

    TECHNIQUES = frozenset(
        {
            "rule",
            "only value",
            "lone",
            "fits",
            "no fit",
            "no edge",
            "one place",
            "used",
            "inside",
            "pair",
            "pair sum",
            "naked",
            "parity",
            "needs",
            "total",
            "shares",
            "combination",
            "cage",
            "chain",
            "gap",
        }
    )

    def __init__(self, phrases: Phrases):
        self._phrases = phrases
        self._of: dict[str, Callable[[Reason], Argument]] = {
            technique: getattr(self, f"_{technique.replace(' ', '_')}") for technique in self.TECHNIQUES
        }

    def arguments(self, step: Step) -> list[Argument]:
        """Return the arguments of a step: first what is folded into it, last its own."""
        if (
            step.technique == "lone"
            and len(step.reasons) > 1
            and all(r.technique == "lone" for r in step.reasons)
        ):
            return [self._geometry(step)]
        *folded, own = step.reasons or [Reason("gap", step.items, step.facts, step.conclusions)]
        clauses = list(
            dict.fromkeys(self._of[reason.technique](reason).why for reason in _with_whole_rules(folded))
        )
        argument = self._of[own.technique](own)
        return [*(Argument(why, "", why) for why in clauses), argument]

    def theme(self, step: Step) -> str:
        """Return what to think of, without the conclusion."""
        return THEMES.get(step.technique, "all rules together")

    def _known(self, facts: Sequence[Fact], after: str = "") -> str:
        return self._phrases.known(facts, after)

    def _so(self, reason: Reason) -> str:
        """Return the conclusions, or that there is a contradiction."""
        return (
            self._phrases.so(reason.conclusions, reason.facts) if reason.conclusions else "that is impossible"
        )

    def _rule_of(self, item: ConstraintGroup) -> Rule:
        return rule_of(self._phrases, [item])

    def _cells(self, variables: Iterable[int]) -> str:
        return self._phrases.cells(variables)

    def _edge(self, cells: Sequence[int]) -> str:
        return "–".join(map(self._phrases.cell, cells))

    def _kinds(self, kinds: Sequence[tuple[int, int]], conjunction: str = "and") -> str:
        return listed([domino(kind) for kind in kinds], conjunction)

    # One rule.

    def _rule(self, reason: Reason) -> Argument:
        phrases, rule, so = self._phrases, rule_of(self._phrases, reason.items), self._so(reason)
        piece = rule.piece
        if len(piece.variables) == 1:
            if isinstance(piece, LinearSum):
                return Argument(f"{rule.name} is one cell with {rule.whole or rule.says}", so)
            return Argument(f"{rule} leaves one cell no other value", so)
        if isinstance(piece, AllEqual):
            return self._equal(rule, reason)
        if isinstance(piece, LinearSum):
            why = f"{rule.name} must {rule.must}"
            if not reason.facts:
                why += f" with {counted(len(piece.variables), 'cell')}"
            return Argument(self._known(reason.facts, why), so)
        if isinstance(piece, AllDifferent):
            return self._different(rule, reason)
        if isinstance(piece, Less):
            less, greater = piece.variables
            compared = "less than" if piece.strict else "at most"
            why = f"{phrases.cell(less)} is {compared} {phrases.cell(greater)}"
            return Argument(self._known(reason.facts, why), so)
        if isinstance(piece, Regular):
            known = self._known(reason.facts)
            since = f"since {known}, " if known else ""
            return Argument(
                f"{rule}: {since}in every way to fill it", so, f"{rule}: {since}in every way to fill it, {so}"
            )
        if isinstance(piece, Cardinality):
            return Argument(
                self._known(reason.facts, f"{rule.name} has {rule.says}" if rule.says else str(rule)), so
            )
        return Argument(self._known(reason.facts, f"{rule} must hold"), so)

    def _equal(self, rule: Rule, reason: Reason) -> Argument:
        phrases, so = self._phrases, self._so(reason)
        why = self._known(reason.facts, f"all cells of {rule.name} are equal")
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

    def _different(self, rule: Rule, reason: Reason) -> Argument:
        """Return that a value has one place left, or which cells share which values."""
        phrases, so, excluded = self._phrases, self._so(reason), reason.detail
        shown = [fact for fact in reason.conclusions if fact.holds]
        if len(shown) == 1 and {x for _, x in excluded} == {shown[0].value}:
            v, value, _ = shown[0]
            so = f"{phrases.value(value)} can only go in {phrases.cell(v)}"
            return Argument(
                f"in {rule.name}, {phrases.value(value)} has one place left", so, f"in {rule.name}, {so}"
            )
        cells = sorted({v for v, _ in excluded})
        domains = phrases.grouped.variables
        left = {x for v in cells for x in domains[v].domain if (v, x) not in excluded}
        if len(left) == len(cells) > 1:
            return Argument(f"in {rule.name}, {phrases.values(left, 'and')} go in {self._cells(cells)}", so)
        return Argument(self._known(reason.facts, f"the cells of {rule.name} differ"), so)

    def _only_value(self, reason: Reason) -> Argument:
        ((v, value, _),) = reason.conclusions
        so = f"{self._phrases.cell(v)} can only be {self._phrases.value(value)}"
        return Argument(f"only one value is left for {self._phrases.cell(v)}", so, so)

    # Dominoes and the shape of the board.

    def _lone(self, reason: Reason) -> Argument:
        phrases, cell = self._phrases, self._phrases.cell(reason.detail[0])
        closed = [fact for fact in reason.facts if fact.holds]
        since = f", since {phrases.so(closed)}" if closed else ""
        if not reason.conclusions:
            return Argument(f"{cell} has no neighbour left{since}", "no domino can cover it")
        other = phrases.cell(reason.detail[1])
        left = "left" if reason.facts or closed else ""
        return Argument(
            f"{cell} has only one neighbour{' ' + left if left else ''}, {other}{since}",
            phrases.so(reason.conclusions),
        )

    def _geometry(self, step: Step) -> Argument:
        cells = [reason.detail[0] for reason in step.reasons]
        why = f"in turn, each of {self._cells(cells)} has only one neighbour left"
        return Argument(why, self._phrases.so(step.conclusions))

    def _fits(self, reason: Reason) -> Argument:
        cells, kind = reason.detail
        values = [fact for fact in reason.facts if self._phrases.ends(fact) is None]
        why = f"only {domino(kind)} fits on {self._edge(cells)}"
        return Argument(f"{self._known(values)}, so {why}" if values else why, self._so(reason))

    def _no_fit(self, reason: Reason) -> Argument:
        phrases, (v, partner, kinds) = self._phrases, reason.detail
        cell, so = phrases.cell(v), self._so(reason)
        near = [fact for fact in reason.facts if fact.variable != v]
        values = [fact for fact in near if phrases.ends(fact) is None]
        others = {fact.variable for fact in values}
        fitting = f"only {self._kinds(kinds, 'or')} fits there" if 0 < len(kinds) <= MOST_KINDS else ""
        if partner is not None:
            which = ""
            if others == {partner}:
                which = ", which " + phrases.so(values).removeprefix(f"{phrases.cell(partner)} ")
            gone = listed(
                [phrases.value(x) for x in sorted({f.value for f in reason.conclusions if not f.holds})], "or"
            )
            why = f"{cell} shares a domino with {phrases.cell(partner)}{which}"
            no = f"no domino left has {gone} beside that" if gone and not fitting else "no other domino fits"
            return Argument(f"{why}; {fitting or no}", so)
        known = phrases.known(near)
        return Argument(
            f"{known}; {fitting or 'no other domino fits'}".replace("there", f"on {cell}").removeprefix("; "),
            so,
        )

    def _no_edge(self, reason: Reason) -> Argument:
        known = self._known([fact for fact in reason.facts if self._phrases.ends(fact) is None])
        why = f"no domino fits on {self._edge(reason.detail)}"
        return Argument(f"{known}, so {why}" if known else why, self._so(reason))

    def _one_place(self, reason: Reason) -> Argument:
        kind, edges = reason.detail
        if not edges:
            return Argument(f"the domino {domino(kind)} fits nowhere", "there is no way on")
        where = listed(map(self._edge, edges))
        if len(edges) == 1:
            return Argument(f"the domino {domino(kind)} fits on {where} only", self._so(reason))
        return Argument(
            f"the {counted(len(edges), 'domino')[:-1]}es {domino(kind)} fit on {where} only", self._so(reason)
        )

    def _used(self, reason: Reason) -> Argument:
        kind, cells, *laid = reason.detail
        if laid and laid[0]:
            return Argument(f"{domino(kind)} lies on {listed(map(self._edge, laid[0]))}", "")
        if len(cells) == 1:
            return Argument(
                f"the domino on {self._cells(cells)} must be {domino(kind)}", "it lies nowhere else"
            )
        return Argument(f"the dominoes on {self._cells(cells)} must be {domino(kind)}", "there are no more")

    def _inside(self, reason: Reason) -> Argument:
        rule = rule_of(self._phrases, reason.items)
        match rule.piece:
            case AllEqual():
                return Argument(f"inside {rule.name}, every domino is a double", "")
            case AllDifferent():
                return Argument(f"inside {rule.name}, no domino is a double", "")
            case LinearSum(variables=variables) if len(variables) == 2:
                return Argument(f"inside {rule.name}, a domino must {rule.must}", "")
        return Argument(f"inside {rule}, not every domino fits", "")

    # Counting.

    def _pair(self, reason: Reason) -> Argument:
        rule = self._rule_of(reason.items[0])
        why = self._known(
            reason.facts, f"{rule.name} must {rule.must}" if isinstance(rule.piece, LinearSum) else str(rule)
        )
        return Argument(f"{why}, which limits the domino on {self._edge(reason.detail)}", "")

    def _pair_sum(self, reason: Reason) -> Argument:
        rule = self._rule_of(reason.items[0])
        dominoes = listed(map(self._edge, reason.detail))
        values = [fact for fact in reason.facts if self._phrases.ends(fact) is None]
        why = self._known(
            values,
            f"{rule.name} must {rule.must} with the domino{'es' * (len(reason.detail) > 1)} on {dominoes}",
        )
        return Argument(why, self._so(reason))

    def _naked(self, reason: Reason) -> Argument:
        cells, kinds = reason.detail
        return Argument(f"{self._cells(cells)} take {self._kinds(kinds)} between them", "")

    def _parity(self, reason: Reason) -> Argument:
        edge, cells = reason.detail
        n = number(len(cells))
        closed = [fact for fact in reason.facts if fact.holds]
        off = f"would cut off {self._cells(cells)}: {n} cells, which dominoes cannot fill"
        why = f"a domino on {self._edge(edge)} {off}"
        return Argument(
            self._known(closed, why) if closed else why, self._so(reason), f"{why}, so {self._so(reason)}"
        )

    def _needs(self, reason: Reason) -> Argument:
        phrases, detail = self._phrases, reason.detail
        value, plural = phrases.value(detail.value), phrases.plural(detail.value)
        has = f"the dominoes have {number(detail.halves)} {value if detail.halves == 1 else plural}"
        named = {item.rule: self._rule_of(item) for item in reason.items if item.kind == "rule"}
        placed = [cells[0] for cells, item, n in detail.uses if item is None and n]
        uses, left = [], detail.halves
        for _, item, n in detail.uses:
            left -= n
            if item is not None and n:
                name = named[self._item(item).rule].name
                uses.append(f"{name} {'needs' if detail.short else 'takes at most'} {number(n)}")
        if placed and detail.short:
            are = "are" if len(placed) > 1 else "is"
            uses.append(f"{self._cells(placed)} {are} {value}")
        so = self._so(reason)
        if detail.short:
            target = self._target(reason)
            room = "none is left" if left <= 0 else f"only {number(left)} {'is' if left == 1 else 'are'} left"
            if not uses and target:
                return Argument(f"{has}, too few for {target}", so)
            why = joined([has, *uses], comma=True)
            rest = f"; {room} for {target}" if uses and target else ""
            return Argument(f"{why}{rest}", so)
        able = phrases.known([fact for fact in reason.facts if not fact.holds and fact.value == detail.value])
        why = joined([f"{has}, all to be placed", *uses, *([able] if able else [])], comma=True)
        return Argument(why, so)

    def _target(self, reason: Reason) -> str:
        detail = reason.detail
        if not detail.target:
            return ""
        if detail.rule is None:
            return self._cells(detail.target)
        rule = self._rule_of(self._item(detail.rule))
        return (
            f"the {counted(len(detail.target), 'equal cell')} of {rule.name}"
            if isinstance(rule.piece, AllEqual)
            else rule.name
        )

    def _item(self, number: int) -> ConstraintGroup:
        return self._phrases.grouped.items[number]

    def _total(self, reason: Reason) -> Argument:
        detail, target = reason.detail, self._target(reason) or "the rest"
        least, most = ("at least", "at most") if detail.much else ("at most", "at least")
        left = max(0, detail.total - detail.rest)
        known = self._known(reason.facts)
        why = f"all dominoes together have {detail.total} pips, and the other cells {least} {detail.rest}"
        why = f"{known}; {why}" if known else why
        return Argument(f"{why}, so {target} must have {most} {left}", self._so(reason))

    def _shares(self, reason: Reason) -> Argument:
        rules = [self._rule_of(item) for item in reason.items if isinstance(item.piece, AllEqual)]
        known = self._known(reason.facts)
        names = listed(together([rule.name for rule in rules]))
        why = f"{names} each need equal halves, and the dominoes have no others to share out"
        return Argument(f"{known}; {why}" if known else why, self._so(reason))

    def _combination(self, reason: Reason) -> Argument:
        (is_tray,) = reason.detail
        rules = [item for item in reason.items if item.kind == "rule"]
        rule = rule_of(self._phrases, rules)
        known = self._known(reason.facts)
        halves = " with the halves that are left" if is_tray else ""
        why = f"{f'{known}; ' if known else ''}in every way to {rule.must} in {rule.name}{halves}"
        return Argument(why, self._so(reason), f"{why}, {self._so(reason)}")

    def _cage(self, reason: Reason) -> Argument:
        rule = self._rule_of(reason.items[0])
        known = self._known(reason.facts)
        why = (
            f"{f'{known}; ' if known else ''}in every way to {rule.must} with different values in {rule.name}"
        )
        return Argument(why, self._so(reason), f"{why}, {self._so(reason)}")

    # Chains.

    def _chain(self, reason: Reason) -> Argument:
        phrases, (supposed, links) = self._phrases, reason.detail
        said = [f"suppose {phrases.so([supposed])}"]
        plain = (link for link in links[:-1] if link.technique not in FOLDED)
        said += [f"then {self._of[link.technique](link)}" for link in plain]
        last = links[-1]
        said.append(f"but {self._of[last.technique](last).why}")
        return Argument(
            "; ".join(said), f"so {self._so(reason)}", f"{'; '.join(said)}. So {self._so(reason)}"
        )

    def _gap(self, reason: Reason) -> Argument:
        rules: dict[int, list[ConstraintGroup]] = {}
        for item in reason.items:
            if item.kind == "rule":
                rules.setdefault(item.rule, []).append(item)
        names = together([rule_of(self._phrases, items).name for items in rules.values()])
        kinds = list(dict.fromkeys(item.piece.kind for item in reason.items if isinstance(item.piece, Usage)))
        if kinds:
            names.append(f"the domino{'es' * (len(kinds) > 1)} {self._kinds(kinds)}")
        known = self._known(reason.facts)
        fixed = [self._phrases.fixed(item) for item in reason.items if item.kind in ("given", "move")]
        names += [f"the values shown, {listed(fixed)}"] if fixed else []
        what = (
            f"{listed(names)} would contradict each other"
            if len(names) > 1
            else f"{listed(names)} would fail"
            if names
            else "the dominoes could not cover the board"
        )
        why = f"{known}; otherwise {what}".removeprefix("; ")
        return Argument(why, self._so(reason))


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
