"""The loosest rules as text, JSON and a picture."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, Literal, TypeAlias, TypedDict

from milp_pips.extras.explain.picture import mark
from milp_pips.extras.explain.text import Words
from milp_pips.extras.explain.text.phrases import counted
from milp_pips.extras.generate.loosen import KeptRule, LoosestRules
from milp_pips.problem.answer import Stop
from milp_pips.render.vocabulary import Drawing
from milp_pips.views.json import Fault, Natural, Seconds, record
from milp_pips.views.svg import drawing
from milp_pips.views.text import parts as parts
from milp_pips.views.text import summary


class KeptRuleRecord(TypedDict):
    """A rule that is kept."""

    kind: Literal["whole", "weakened", "merged"]
    rules: list[str]
    """The rules of the puzzle that it stands for."""
    says: str
    """The rule in words."""


class LoosestRulesRecord(TypedDict):
    """The loosest rules that keep one solution."""

    puzzle: str
    """The name of the puzzle."""
    key: str
    """The key by which there is one solution; empty if there are several."""
    rules: list[str]
    """The rules and givens that could be dropped."""
    idle: list[str]
    """Those that carry no information: any one of them can be dropped."""
    kept: list[KeptRuleRecord] | None
    """The loosest rules that are enough; null if none were found."""
    dropped: list[str]
    """The rules that these do without."""
    least: Natural
    """It is proved that at least this number of rules is needed."""
    loosest: bool
    """Whether it is proved that no looser rules are enough."""
    unique_by: str | None
    """What confirmed that no other solution is left; null if nothing did."""
    bound_by: str | None
    """What confirmed that no looser rules are enough; null if nothing did."""
    stop: Stop
    """The stopping criterion."""
    seconds: Seconds
    """Wall-clock seconds."""


LoosenLine: TypeAlias = LoosestRulesRecord | Fault


@record.register(LoosestRules)
def _(found: LoosestRules) -> dict[str, Any]:
    words = Words(found.puzzle, found.grouped)
    rules = [
        {"kind": rule.kind, "rules": list(rule.replaced), "says": _rule(rule, words)}
        for rule in found.kept or ()
    ]
    return {
        "puzzle": found.puzzle.name,
        "key": found.key,
        "rules": list(found.rules),
        "idle": list(found.idle),
        "kept": None if found.kept is None else rules,
        "dropped": list(found.dropped),
        "least": found.least,
        "loosest": found.is_loosest,
        "unique_by": found.unique_by,
        "bound_by": found.bound_by,
        "stop": found.stop.value,
        "seconds": round(found.seconds, 6),
    }


def _rule(rule: KeptRule, words: Words) -> str:
    """Return a rule in words: ``region A (at least 5), weakened``."""
    if rule.kind == "whole":
        return rule.replaced[0]
    return f"{words.item(rule.items[0]) if rule.kind == 'weakened' else rule.items[0].label}, {rule.kind}"


@parts.register(LoosestRules)
def _(found: LoosestRules) -> Iterator[str | Drawing]:
    """Yield the idle rules, the loosest ones, those that are dropped, and the summary."""
    words = Words(found.puzzle, found.grouped)
    if found.idle:
        yield f"Without any one of these there is one {found.key} still: {'; '.join(found.idle)}."
    if found.kept is not None:
        yield "These rules are enough:"
        yield from (f"- {_rule(rule, words)}" for rule in found.kept)
    if found.dropped:
        yield f"These are dropped together: {'; '.join(found.dropped)}."
    yield found.summary()


@summary.register(LoosestRules)
def _(found: LoosestRules) -> str:
    """Return one line: how many rules are enough, what is proved, and by what."""
    name, all_rules = found.puzzle.name, counted(len(found.rules), "rule")
    end = f"in {found.seconds:.3f} s" + ("" if found.stop is Stop.FINISHED else f"; stop: {found.stop}")
    if not found.key and found.stop is Stop.FINISHED:
        return f"{name}: several solutions, so no rule can go; explain says what would leave one; {end}"
    if found.kept is None:
        return f"{name}: nothing was found, {end}"
    kinds = Counter(rule.kind for rule in found.kept)
    how = ", ".join(f"{kinds[kind]} {kind}" for kind in ("weakened", "merged") if kinds[kind])
    less = "no looser ones are" if found.is_loosest else f"at least {found.least} are needed"
    by = [f"one {found.key} confirmed by {found.unique_by}"] if found.unique_by else []
    by += [f"the bound by {found.bound_by}"] if found.bound_by else []
    how = how and f" ({how})"
    enough = f"{counted(len(found.kept), 'rule')}{how} of {all_rules} are enough, {less}"
    return f"{name}: {'; '.join([enough, *([', '.join(by)] if by else []), end])}"


@drawing.register(LoosestRules)
def _(found: LoosestRules) -> Drawing:
    """Return the board with the cells of the kept rules marked."""
    return mark(found.puzzle, found.grouped, items=[item for rule in found.kept or () for item in rule.items])
