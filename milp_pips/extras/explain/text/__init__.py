"""Put explanations into a player's words.

Sentences are built from the rules' own labels and the kinds of constraints, so a family needs no code of its
own. If no specific argument is known for a step, its sentence states what would otherwise be broken. That is
always true, because a step needs all its items.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace

from milp_pips.constraints import covers_of
from milp_pips.extras.explain.additions import Addition, Additions
from milp_pips.extras.explain.facts import Clash, Exclusion, Fact, Step
from milp_pips.extras.explain.groups import ConstraintGroup, GroupedProblem
from milp_pips.extras.explain.techniques.joining import is_single_cell
from milp_pips.extras.explain.text.names import Rule, clash_clause, rule_of, rules_of, together
from milp_pips.extras.explain.text.phrases import (
    IMPOSSIBLE,
    MOST_NAMED_RULES,
    Phrases,
    domino,
    grouped,
    joined,
    listed,
    number,
    sentence,
    times,
)
from milp_pips.extras.explain.text.sentences import TECHNIQUES, arguments
from milp_pips.problem.constraint import Constraint
from milp_pips.propagation.supply_certificates import uncoverable

MOST_STEPS_SHOWN = 4
"""The most steps to a contradiction that follow in the same paragraph; more are a list."""


class Words:
    """Put facts, items, steps and clashes of a puzzle into words.

    Parameters
    ----------
    grouped
        The problem of the puzzle as a set of items.
    known
        What earlier steps concluded.
    """

    def __init__(self, grouped: GroupedProblem, known: Iterable[Fact] = ()):
        self.grouped = grouped
        self._phrases = Phrases(grouped).after(known)
        self._names = frozenset(self._phrases.names)

    def facts(self, facts: Sequence[Fact]) -> str:
        """Return all the facts in words: ``r1c2 is 4 and r2c2 is at least 3``; empty for none."""
        return self._phrases.so(facts) if facts else ""

    def item(self, item: ConstraintGroup) -> str:
        """Return the name of an item: ``region A (at least 12)``, ``the only domino 1-2``."""
        if item.kind == "dominoes":
            dominoes = "domino" if item.usage.times == 1 else f"{number(item.usage.times)} dominoes"
            return f"the {'only ' if item.part == 'only' else ''}{dominoes} {domino(item.usage.kind)}"
        if item.is_value:
            return f"the {item.kind} {self._phrases.fixed(item)}"
        return str(rule_of(self._phrases, [item]))

    def items(self, items: Iterable[ConstraintGroup]) -> list[str]:
        """Return the names of items, with the two halves of a sum as one."""
        rules, usages, fixed = self._sorted(items)
        return [*map(str, rules), *map(self.item, fixed), *map(self.item, usages)]

    def story(self, steps: Iterable[Step]) -> Iterator[str]:
        """Yield the sentences of steps from the empty board or the known facts on."""
        now = copy(self)
        for step in steps:
            yield now.step(step)
            now._phrases = now._phrases.after(step.conclusions)

    def step(self, step: Step) -> str:
        """Return the step in a few sentences: why, and what follows, or that nothing is possible.

        Exclusions by other rules of the same kind are left out: in a Sudoku they would fill most of the text.
        """
        kinds = {type(item.piece) for item in step.items}
        if step.technique == "only value" and step.seen:
            rules, _, _ = self._sorted(each.item for each in _own(step))
            own, leave = arguments(self._phrases, step)[-1], "leaves" if len(rules) == 1 else "leave"
            rest = f"{listed(together([rule.name for rule in rules]))} {leave} nothing"
            said = f"{own.so}: {rest} else" if own.so else f"{own.why}: {rest}"
            return sentence(said, self._names)
        unlike = [each for each in step.seen if type(each.item.piece) not in kinds]
        return self._after_seen(unlike, map(str, arguments(self._phrases, step)))

    def where(self, step: Step) -> str:
        """Return a sentence on where to look."""
        rules, _, _ = self._sorted(self._own_items(step))
        if all(reason.technique == "lone" for reason in step.reasons) and len(step.reasons) > 1:
            return f"Look at {self._phrases.cells(reason.detail[0] for reason in step.reasons)}."
        cells = dict.fromkeys(
            v for fact in step.conclusions for v in (self._phrases.ends(fact) or (fact.variable,))
        )
        names = together([rule.name for rule in rules]) if len(rules) <= MOST_NAMED_RULES else []
        scopes = [set(rule.piece.variables) for rule in rules]
        inside = (set.union if is_single_cell(step) else set.intersection)(*scopes) if names else set()
        if not inside.issuperset(cells):
            names.append(self._phrases.cells(sorted(cells)))
        return f"Look at {joined(names) or 'the board'}."

    def places(self, step: Step) -> list[str]:
        """Return the names of the cells of the rules that ``where`` names."""
        rules, _, _ = self._sorted(self._own_items(step))
        named = rules if len(rules) <= MOST_NAMED_RULES else ()
        return [*dict.fromkeys(self._phrases.cell(v) for rule in named for v in rule.piece.variables)]

    def rule(self, step: Step) -> str:
        """Return a sentence on the rules to use."""
        rules, usages, _ = self._sorted(step.items)
        if step.technique == "rule" and len(rules) == 1 and not usages:
            return f"Think of {self._theme(rules[0])}."
        others = together([rule.name for rule in rules])
        if is_single_cell(step):
            return "Think of rules on one cell each."
        return f"Think of {joined([TECHNIQUES[step.technique or 'gap'].theme, *others])}."

    def _own_items(self, step: Step) -> Sequence[ConstraintGroup]:
        """Return the items that the step itself uses, without those of what is folded into it."""
        return step.items if not step.reasons or is_single_cell(step) else step.reasons[-1].items

    def _theme(self, rule: Rule) -> str:
        """Return the argument to consider for a rule that has already been named."""
        if rule.whole and len(rule.piece.variables) > 1 and not rule.counts:
            return f"its sum: it must {rule.must}"
        says = rule.whole or rule.says
        return f"its rule: {says}" if says else "what it must hold"

    def why(self, step: Step) -> str:
        """Return why something follows, without the conclusion."""
        if not step.conclusions:
            return self.step(step)
        said = [argument.why for argument in arguments(self._phrases, step)]
        return self._after_seen(_own(step) if step.technique == "only value" else step.seen, said)

    def _after_seen(self, seen: Iterable[Exclusion], clauses: Iterable[str]) -> str:
        """Return the clauses as sentences, after one on the rules that they need but do not name."""
        said = " ".join(sentence(clause, self._names) for clause in clauses)
        often: dict[str, Counter[int]] = {}
        for item, shown, _ in seen:
            (rule,), _, _ = self._sorted([item])
            if not re.search(rf"\b{re.escape(rule.name)}\b", said):
                often.setdefault(rule.name, Counter()).update(fact.value for fact in shown)
        full: dict[str, list[str]] = {}
        for name, values in often.items():
            has = [f"{self._phrases.value(x)}{f' {times(n)}' * (n > 1)}" for x, n in sorted(values.items())]
            full.setdefault(listed(has), []).append(name)
        if not full:
            return said
        plain = [
            f"{listed(together(names))} already {'has' if len(names) == 1 else 'have'} {shown_there}"
            for shown_there, names in full.items()
        ]
        return f"{sentence(joined(plain), self._names)} {said}"

    def move(self, step: Step) -> str:
        """Return the conclusion."""
        if not step.conclusions:
            return "There is no way on."
        *_, own = arguments(self._phrases, step)
        if step.technique in ("rule", "only value"):
            return sentence(own.so, self._names)
        return sentence(self._phrases.so(step.conclusions, step.facts), self._names)

    def remaining(self, differing: Mapping[int, Collection[int]]) -> str:
        """Return the values that cells take in the solutions, and where dominoes lie in several ways."""
        phrases = self._phrases
        values = {v: tuple(sorted(of)) for v, of in differing.items() if v not in self.grouped.partners}
        said = list[str]()
        for of, group in grouped(values).items():
            be = "are each" if len(group) > 1 else "is"
            said.append(f"{listed(map(phrases.cell, group))} {be} {phrases.values(of)}")
        turned = {phrases.cell(v) for v in differing} - {phrases.cell(v) for v in values}
        if turned:
            dominoes = "the domino" if len(turned) == 1 else "the dominoes"
            cells = listed(name for name in phrases.names if name in turned)
            said.append(f"{dominoes} on {cells} can lie differently")
        return f"Several ways remain: {'; '.join(said)}."

    def clash(self, clash: Clash) -> str:
        """Return which items clash and, if the steps to the contradiction are few, why."""
        rules, usages, fixed = self._sorted(clash.items)
        said = sentence(clash_clause(self._phrases, rules, usages, fixed), self._names)
        if proof := self._proof(clash):
            return f"{said} {sentence(proof, self._names)}"
        steps = list(self.story(clash.steps)) if self.is_explained(clash) else []
        if len(rules) == len(steps) == 1 and not usages and (fixed or steps[0].endswith(f"{IMPOSSIBLE}.")):
            return said
        return " ".join([said, *steps])

    def is_explained(self, clash: Clash) -> bool:
        """Whether ``clash`` explains the contradiction, because it takes only a few steps."""
        return _has_few_steps(clash) or bool(self._proof(clash))

    def _proof(self, clash: Clash) -> str | None:
        """Return a proof in one sentence that no dominoes cover the board, if the clash needs no rule.

        A few steps are clearer if the clash needs values on the board.
        """
        if not all(item.is_value for item in clash.items) or (clash.items and _has_few_steps(clash)):
            return None
        domains = self.grouped.problem_of(clash.items).variables
        return uncoverable(replace(self.grouped.problem, variables=domains))

    def together(self, items: Iterable[ConstraintGroup]) -> str:
        """Return the fewest rules to leave out together for a solution to exist."""
        rules, _, _ = self._sorted(items)
        left_out = f"leave out {listed([rule.in_full for rule in rules], 'and')}"
        return sentence(f"{left_out} together, and it has a solution; no fewer rules are enough", ())

    def repairs(self, items: Iterable[ConstraintGroup]) -> str:
        """Return the items each of which is enough to leave out for a solution to exist."""
        rules, usages, fixed = self._sorted(items)
        names = [rule.in_full for rule in rules]
        names += [self.item(item) for item in (*fixed, *usages) if item.part != "only"]
        more = [domino(item.usage.kind) for item in usages if item.part == "only"]
        either = [f"leave out {listed(names, 'or')}"] if names else []
        either += [f"add another domino {listed(more, 'or')}"] if more else []
        return sentence(f"{joined(either, 'or')}, and it has a solution", ())

    def addition(self, addition: Addition) -> str:
        """Return one addition in words: ``Region B: sum 7, in place of sum > 4``."""
        return _addition_line(self._phrases, addition)

    def additions(self, additions: Additions, *, is_solvable: bool = True) -> Iterator[str]:
        """Yield the additions in words, line by line; ``is_solvable`` is whether there are solutions now."""
        return _addition_lines(self._phrases, additions, is_solvable=is_solvable)

    def _sorted(
        self, items: Iterable[ConstraintGroup]
    ) -> tuple[list[Rule], list[ConstraintGroup], list[ConstraintGroup]]:
        """Return the rules, the dominoes, and the givens and moves among the items."""
        every = list(items)
        usages = [item for item in every if item.kind == "dominoes"]
        return rules_of(self._phrases, every), usages, [item for item in every if item.is_value]


def _has_few_steps(clash: Clash) -> bool:
    return 0 < len(clash.steps) <= MOST_STEPS_SHOWN


def _own(step: Step) -> list[Exclusion]:
    """Return the exclusions at sight that concern the step's own cells, not those that led to them."""
    own = {fact.variable for fact in step.conclusions} or {step.reasons[-1].detail}
    return [each for each in step.seen if any(fact.variable in own for fact in each.excluded)]


# Additions in words for the author of a puzzle.


def _addition_line(phrases: Phrases, addition: Addition) -> str:
    """Return one addition: ``Region B: sum 7, in place of sum > 4; show 5 in r2c3``."""
    said = [_rule(*one) for one in addition.rules]
    if addition.facts:
        cells = grouped({v: value for v, value, _ in addition.facts})
        values = [f"{phrases.value(value)} in {phrases.cells(vs)}" for value, vs in cells.items()]
        said.append(f"show {joined(values)}")
    labels = (rule.label.partition(",")[0] for rule, _ in addition.rules)
    rows = [label for label in labels if label and " " not in label]
    return sentence("; ".join(said), [*phrases.names, *rows])


def _rule(rule: Constraint, replaced: Constraint | None) -> str:
    """Return a rule and the rule it replaces, without the name with which both begin."""
    if replaced is None or covers_of([replaced]):
        return rule.label
    name, colon, before = replaced.label.partition(": ")
    named_alike = colon and rule.label.startswith(f"{name}: ")
    return f"{rule.label}, in place of {before if named_alike else replaced.label}"


def _addition_lines(phrases: Phrases, additions: Additions, *, is_solvable: bool) -> Iterator[str]:
    """Yield the additions, the best first, and what is known about their size and number."""
    found, key, first = additions.found, additions.key, next(iter(phrases.problem.keys))
    if not found and additions.complete:
        already = f"There is one {additions.already} already; n" if additions.already else "N"
        yield f"{already}othing that could be shown leaves one {key}."
    elif not found and is_solvable:
        no_single = f"No single change leaves one {key}."
        yield no_single if additions.bound > 1 else "What would leave one solution was not found."
    if not found:
        return
    one = f"One {key}" + ("" if key == first else f", though not one {first},")
    size, left = len(found[0].parts), additions.total - len(found)
    if len(found) > 1:
        these = "any one of these" + (f" sets of {number(size)}" if size > 1 else "")
    else:
        these = f"these {number(size)} together" if size > 1 else "this"
    more = "" if additions.complete else ", and perhaps with others"
    if left:
        at_least = "" if additions.complete else "at least "
        more = f", and with {at_least}{'one other' if left == 1 else f'{left} others'}"
    less = "; nothing less will do" if size <= additions.bound else "; no fewer such changes will do"
    left_with = f"{one} is left with" if is_solvable else f"There is o{one[1:]} with"
    yield f"{left_with} {these}{more}{less if size > 1 else ''}:"
    for addition in found:
        yield f"- {_addition_line(phrases, addition)}"
