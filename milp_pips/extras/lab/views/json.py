"""Strengths as JSON; the other results of the lab are for looking at."""

from __future__ import annotations

from typing import Any, NotRequired, TypeAlias, TypedDict

from milp_pips.extras.lab.filter_trace import FilterTrace
from milp_pips.extras.lab.relax import Relaxation
from milp_pips.extras.lab.search_tree import SearchTree
from milp_pips.extras.lab.strength import FormulationStrength, Strength, share
from milp_pips.problem.answer import Stop
from milp_pips.problem.errors import UsageError
from milp_pips.views.json import Fault, Natural, Seconds, Share, members, record


class StrengthRow(TypedDict):
    """The strength of one formulation."""

    formulation: str
    """Names of the linearisations; empty if there is only one."""
    excluded: Natural
    """Number of impossible pairs that the linear relaxation excludes."""
    excluded_share: Share | None
    """Their share of the impossible pairs; null if no pair is impossible."""
    excluded_by_root: NotRequired[Natural]
    """Number of impossible pairs that the root node of branch and cut excludes; only with --root."""
    columns: Natural
    """Number of columns of the model."""
    rows: Natural
    """Number of rows of the model."""
    nonzeros: Natural
    """Number of nonzeros of the model."""
    seconds: Seconds
    """Seconds for building the model and testing all pairs."""


class StrengthRecord(TypedDict):
    """How strong the relaxations of formulations are."""

    puzzle: str
    """The name of the puzzle."""
    impossible: Natural
    """Number of impossible pairs (cell, value), which no solution has."""
    filtered: Natural
    """Number of impossible pairs that filtering by the rules removes."""
    filtered_share: Share | None
    """Their share of the impossible pairs; null if no pair is impossible."""
    formulations: list[StrengthRow]
    stop: Stop
    """The stopping criterion."""
    left_out: dict[str, str]
    """Formulations that could not be built, and why; never those requested by name."""


StrengthLine: TypeAlias = StrengthRecord | Fault


@record.register(Strength)
def _(strength: Strength) -> dict[str, Any]:
    """Return the strengths as JSON-ready data."""
    impossible = len(strength.impossible)
    return members(
        StrengthRecord, strength, impossible=impossible,
        filtered_share=share(strength.filtered, impossible), left_out=dict(strength.left_out),
        formulations=[_row(one) for one in strength.formulations],
    )  # fmt: skip


def _row(strength: FormulationStrength) -> dict[str, Any]:
    """Return the strength of the formulation as JSON-ready data, without what was not measured."""
    found = members(StrengthRow, strength, **strength.size)
    if strength.excluded_by_root is None:
        del found["excluded_by_root"]
    return found


@record.register(Relaxation)
@record.register(FilterTrace)
@record.register(SearchTree)
def _(found: Relaxation | FilterTrace | SearchTree) -> dict[str, Any]:
    """Raise UsageError: these are for looking at."""
    raise UsageError(f"a {type(found).__name__} has no form as JSON; its attributes have its data")
