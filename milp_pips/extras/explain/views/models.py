"""Explanations of linear models as text and JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, TypedDict

from milp_pips.extras.explain.model_explanation import ModelExplanation, ModelReason
from milp_pips.extras.explain.model_items import ModelItem
from milp_pips.extras.explain.text.models import ModelWords
from milp_pips.formulations.exact import stated
from milp_pips.problem import Stop
from milp_pips.views.json import Seconds, members, record
from milp_pips.views.text import parts, summary


class ModelItemRecord(TypedDict):
    """A row, a bound of a column, or its integrality."""

    kind: Literal["row", "low", "high", "fixed", "integer"]
    """low and high are the bounds of a column; fixed are both, if they are equal."""
    name: str
    """The name of the row or column."""
    sentence: str
    """What it says, in the words of the model."""


class ModelReasonRecord(TypedDict):
    """Items of a model that cannot hold together."""

    items: list[ModelItemRecord]
    minimal: bool
    """Whether it is proved that without any one of them the others have a solution."""
    smallest: bool
    """Whether it is proved that no fewer items clash."""
    confirmed_by: str | None
    """What confirmed that they clash; null if nothing did."""
    sentence: str
    """Why they clash, or empty if there is no short proof."""


class Change(TypedDict):
    """By how much a row's right side, or a column in each step, changes."""

    name: str
    by: float


class ExplainModelRecord(TypedDict):
    """Why a linear model has no solution, or no optimum."""

    puzzle: str
    """The name of the model."""
    status: Literal["infeasible", "unbounded", "feasible", "unknown"]
    """unbounded: the objective grows for ever. feasible: there is a solution."""
    stop: Stop
    """The stopping criterion."""
    reasons: list[ModelReasonRecord]
    """Why there is no solution."""
    repairs: list[ModelItemRecord]
    """Items each of which, left out alone, leaves a model with a solution."""
    together: list[ModelItemRecord]
    """If there is none: the fewest items that, left out together, leave one."""
    changes: list[Change]
    """The least total change of right sides by which there is a solution."""
    ray: list[Change]
    """The columns that grow or fall for ever, with their steps, if the objective does."""
    confirmed_by: str | None
    """What confirmed that there is no solution; null if nothing did or had to."""
    remark: str
    """One sentence that the user must know, or empty."""
    seconds: Seconds
    """Wall-clock seconds."""


@summary.register(ModelExplanation)
def _(found: ModelExplanation) -> str:
    """Return one line: the status, the method that confirmed it, and the time taken."""
    n = len(found.reasons)
    outcome = {
        "infeasible": f"no solution, {n} reason{'' if n == 1 else 's'}",
        "unbounded": "no optimum: the objective grows for ever",
        "feasible": "it has a solution",
    }.get(found.status, "not known whether it has a solution")
    by = f"; confirmed by {found.confirmed_by}" if found.confirmed_by else ""
    stop = "" if found.stop is Stop.FINISHED else f"; stop: {found.stop}"
    remark = f"; {found.remark}" if found.remark else ""
    return f"{found.puzzle.name}: {outcome}, in {found.seconds:.3f} s{by}{stop}{remark}"


@parts.register(ModelExplanation)
def _(found: ModelExplanation) -> Iterator[str]:
    """Yield the lines to print."""
    words = ModelWords(found.items)
    for number, reason in enumerate(found.reasons, 1):
        yield f"{number}. {heading(reason, is_first=number == 1)}"
        chosen = numbers(found, reason)
        yield from (f"   {line}" for line in words.listed(chosen))
        if why := words.why(chosen):
            yield f"   {why}"
    yield from words.repairs(found)
    if found.ray:
        yield words.ray(found.ray)
    yield found.summary()


def heading(reason: ModelReason, *, is_first: bool) -> str:
    """Return the sentence before the items of a reason."""
    if reason.confirmed_by is None:
        perhaps = "" if reason.minimal else "; perhaps not minimal"
        return f"HiGHS finds no solution of these, but nothing has confirmed that they clash{perhaps}:"
    if not reason.minimal:
        return "These cannot hold together; perhaps not minimal:"
    if is_first and reason.smallest:
        return "These cannot hold together, and no fewer:"
    if len(reason.items) == 1:
        return "This cannot hold:"
    return "These cannot hold together; without any one of them the others can:"


def numbers(found: ModelExplanation, reason: ModelReason) -> list[int]:
    """Return the positions of the items of a reason."""
    return [found.items.number_of[item] for item in reason.items]


@record.register(ModelExplanation)
def _(found: ModelExplanation) -> dict[str, Any]:
    words = ModelWords(found.items)

    def item(one: ModelItem) -> dict[str, Any]:
        name = words.row_name(one.number) if one.kind == "row" else words.column(one.number)
        return {"kind": one.kind, "name": name, "sentence": words.item(one)}

    def reason(one: ModelReason) -> dict[str, Any]:
        own = {"items": list(map(item, one.items)), "sentence": words.why(numbers(found, one))}
        return members(ModelReasonRecord, one, **own)

    return members(
        ExplainModelRecord,
        found,
        reasons=list(map(reason, found.reasons)),
        repairs=list(map(item, found.repairs)),
        together=list(map(item, found.together)),
        changes=[{"name": words.row_name(i), "by": stated(by)} for i, by in found.changes],
        ray=[{"name": words.column(j), "by": stated(by)} for j, by in found.ray],
    )
