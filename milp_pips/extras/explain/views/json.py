"""Explanations, hints and ratings as JSON."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import fields
from typing import Any, Literal, NotRequired, TypeAlias, TypedDict

from milp_pips.extras.explain.explain import Explanation
from milp_pips.extras.explain.facts import Clash as FoundClash
from milp_pips.extras.explain.hint import Hint
from milp_pips.extras.explain.rate import RatedPuzzle, Rating
from milp_pips.extras.explain.records import Records
from milp_pips.extras.explain.views.models import ExplainModelRecord
from milp_pips.extras.explain.views.text import sentences
from milp_pips.problem import Stop
from milp_pips.views.json import Clash, Fault, Item, Natural, Seconds, Value, members, record

# The records of facts and steps.

ValueFact = TypedDict("ValueFact", {"cell": str, "is": Value})
OtherValueFact = TypedDict("OtherValueFact", {"cell": str, "not": Value})


class DominoFact(TypedDict):
    """Whether a domino lies on two cells."""

    cells: list[str]
    """Names of cells."""
    domino: bool


FactRecord: TypeAlias = ValueFact | OtherValueFact | DominoFact
"""A fact: the value that a cell has or does not have, or whether a domino lies on two cells."""


class ExclusionRecord(TypedDict):
    """A rule whose value is shown as often as it may be."""

    item: Item
    shown: list[FactRecord]
    """The cells that show the value."""
    excluded: list[FactRecord]
    """The facts that this implies."""


class StepRecord(TypedDict):
    """A step of logic."""

    items: list[Item]
    """The items on which the step rests."""
    facts: list[FactRecord]
    """The facts that the step uses."""
    seen: list[ExclusionRecord]
    """The rules that imply some of these facts without a step: a value is shown as often as it may be."""
    conclusions: list[FactRecord]
    """The facts that follow."""
    cost: float
    """The difficulty of the step for a person."""
    open: int
    """Number of steps that were possible at this point."""
    sentence: str
    """The text in plain words."""


class Reason(Clash):
    """Items that cannot all hold together, and how to see that."""

    steps: NotRequired[list[StepRecord]]
    """The steps that lead to the contradiction."""


# The record of ``explain``.


class AddedRule(TypedDict):
    """A rule to add."""

    label: str
    """The rule, in the player's words."""
    cells: list[str]
    """Names of cells."""
    in_place_of: str | None
    """The rule that the new one replaces; null for none."""


class AdditionRecord(TypedDict):
    """Rules and values that, added together, leave one solution."""

    rules: list[AddedRule]
    facts: list[FactRecord]
    """The values to add."""
    sentence: str
    """The text in plain words."""


class AdditionsRecord(TypedDict):
    """Additions that would leave one solution."""

    key: str
    """The key by which solutions are different."""
    found: list[AdditionRecord]
    """The best of the smallest additions; those that reveal least come first."""
    total: Natural
    """Number of additions of this size that the search has found."""
    complete: bool
    """Whether the search has covered all additions of this size; if it found none, whether none exists."""
    bound: Natural
    """It is proved that fewer changes of any kind are not enough."""
    already: str
    """Another key by which there is already one solution, if no addition leaves one by this key; else
    empty."""


class Differing(TypedDict):
    """The differences between the solutions."""

    cells: dict[str, list[Value]]
    """The cells that differ, with their values."""
    dominoes: list[list[str]]
    """Pairs of cells on which a domino lies in some solutions but not in all."""


class ExplainRecord(TypedDict):
    """The steps to the solution, or why there is none."""

    puzzle: str
    """The name of the puzzle."""
    status: Literal["unique", "several", "infeasible", "unknown"]
    """unique and infeasible are confirmed."""
    stop: Stop
    """The stopping criterion."""
    reasons: list[Reason]
    """Why there is no solution."""
    repairs: list[Item]
    """Items each of which, removed alone, leaves a puzzle with a solution."""
    together: NotRequired[list[Item]]
    """If there is none: the fewest rules that, removed together, leave one; proved and confirmed."""
    steps: list[StepRecord]
    """The steps to the solution, to the point where several remain, or to a contradiction."""
    differing: NotRequired[Differing]
    additions: NotRequired[AdditionsRecord]
    confirmed_by: str | None
    """What confirmed the answer; null if nothing did or had to."""
    remark: str
    """One sentence that the user must know, or empty."""
    seconds: Seconds
    """Wall-clock seconds."""


ExplainLine: TypeAlias = ExplainRecord | ExplainModelRecord | Fault


# The record of ``hint``.


class HintStep(TypedDict):
    """A step of logic; parts that were not requested are null."""

    items: list[Item] | None
    """The items on which the step rests."""
    facts: list[FactRecord] | None
    """The facts that the step uses."""
    seen: list[ExclusionRecord] | None
    """The rules that imply some of these facts without a step: a value is shown as often as it may be."""
    conclusions: list[FactRecord] | None
    """The facts that follow."""
    cost: float | None
    """The difficulty of the step for a person."""
    open: int | None
    """Number of steps that were possible at this point."""
    sentence: str
    """The text in plain words."""


class HintRecord(TypedDict):
    """The next step from a board."""

    puzzle: str
    """The name of the puzzle."""
    status: Literal["step", "solved", "several", "wrong", "dead", "unknown"]
    """The state of the board; also solved if the skipped steps and the facts given before fill in every
    cell."""
    reveal: Literal["where", "rule", "why", "move"]
    """How much of the step was requested."""
    step: HintStep | None
    """The next step."""
    reason: Reason | None
    """Why no solution contains the board."""
    stop: Stop
    """The stopping criterion."""
    confirmed_by: str | None
    """What confirmed the answer; null if nothing did or had to."""
    remark: str
    """One sentence that the user must know, or empty."""
    seconds: Seconds
    """Wall-clock seconds."""


HintLine: TypeAlias = HintRecord | Fault


# The record of ``rate``.


class RateRecord(TypedDict):
    """The logical difficulty of a puzzle."""

    puzzle: str
    """The name of the puzzle."""
    status: Literal["unique", "several", "infeasible", "unknown"]
    score: float | None
    """The logical difficulty; null if not rated."""
    grade: str | None
    """Length and hardness as one word; expert only if a chain is needed."""
    length: int | None
    """How long the puzzle is, from 1 to 5."""
    hardness: int | None
    """How hard the steps are, from 1 to 5."""
    hardest: float | None
    """The price of the hardest step that is needed."""
    cost: float | None
    """The price of all steps that are needed."""
    steps: int | None
    """Number of steps that were found."""
    open: float | None
    """Average number of steps of one look that are possible at a time."""
    technique: str | None
    """The hardest technique that is needed; empty if nothing follows."""
    description: str | None
    """Length and hardness in words."""
    needed: int | None
    """Number of steps on which other steps rest: those that explain prints."""
    at_least: str | None
    """The grade by the steps that were found, and so the lowest that it can have; null without a solution."""
    stop: Stop
    """The stopping criterion."""
    confirmed_by: str | None
    """What confirmed the answer; null if nothing did or had to."""
    seconds: Seconds
    """Wall-clock seconds."""


RateLine: TypeAlias = RateRecord | Fault


# The results.


@record.register(Explanation)
def _(found: Explanation) -> dict[str, Any]:
    records = Records(found.grouped)
    additions = found.additions and members(
        AdditionsRecord,
        found.additions,
        found=[records.addition(one) for one in found.additions.found],
    )
    line = members(
        ExplainRecord,
        found,
        reasons=[_reason(records, clash) for clash in found.reasons],
        repairs=list(map(records.item, found.repairs)),
        together=list(map(records.item, found.together)),
        steps=records.steps(found.steps),
        differing=found.differing and records.differing(found.differing),
        additions=additions,
    )
    return {name: value for name, value in line.items() if value or name not in SOMETIMES}


SOMETIMES = ("together", "differing", "additions")
"""The members that an explanation has only if there is something to say."""


def step_records(found: Explanation, first: int = 0) -> list[dict[str, Any]]:
    """Return the steps of an explanation, from the first on, as JSON-ready data."""
    return Records(found.grouped).steps(found.steps)[first:]


def _reason(records: Records, clash: FoundClash) -> dict[str, Any]:
    steps = {"steps": records.steps(clash.steps)} if clash.steps else {}
    return records.clash(clash) | steps


DETAILS: Mapping[str, Collection[str]] = {
    "where": (),
    "rule": ("items", "cost", "open"),
    "why": ("facts", "seen"),
    "move": ("conclusions",),
}
"""What each degree of detail shows of a step, beside its sentence."""


@record.register(Hint)
def _(hint: Hint) -> dict[str, Any]:
    """Return the hint as JSON-ready data; hidden parts of the step are null."""
    step, records = None, Records(hint.grouped)
    if hint.step is not None:
        allowed = {"sentence"}.union(*(DETAILS[degree] for degree in hint.degrees))
        whole = records.step(hint.step, " ".join(sentences(hint)))
        step = {name: value if name in allowed else None for name, value in whole.items()}
    reason = hint.reason and _reason(records, hint.reason)
    return members(HintRecord, hint, step=step, reason=reason)


@record.register(RatedPuzzle)
def _(rated: RatedPuzzle) -> dict[str, Any]:
    """Return the rating as JSON-ready data, with nulls if there is none."""
    figures = {field.name: rated.rating and getattr(rated.rating, field.name) for field in fields(Rating)}
    description = rated.rating and rated.rating.description
    return members(RateRecord, rated, **figures, description=description, at_least=rated.at_least or None)
