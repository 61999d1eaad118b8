"""The results of the lab as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from typing import Annotated, Any, Literal, NotRequired, TypeAlias, TypedDict

from milp_pips.extras.lab.filter_trace import FilterTrace
from milp_pips.extras.lab.puzzle_model import INTEGER_TOLERANCE, cells_of
from milp_pips.extras.lab.relax import Relaxation
from milp_pips.extras.lab.search_tree import SearchTree
from milp_pips.extras.lab.strength import FormulationStrength, Strength, share
from milp_pips.problem.answer import Stop
from milp_pips.views.json import Fault, Natural, Seconds, Share, members, record

FractionalValue: TypeAlias = Annotated[float, ("minimum", 0), ("maximum", 1.000001)]
"""The value of a column in a vertex, which may be a little more than 1."""


# The records of ``relax``.


class FractionalDomino(TypedDict):
    """A domino whose share is not 0."""

    pips: tuple[int, int]
    cells: tuple[str, str]
    """The cells, in the order of the pips."""
    share: FractionalValue


class ModelSize(TypedDict):
    """The size of a model."""

    columns: int
    rows: int
    nonzeros: int


class RelaxRecord(TypedDict):
    """The linear relaxation of a model."""

    puzzle: str
    """The name of the puzzle."""
    formulation: str
    """Names of the linearisations; empty if there is only one."""
    status: Literal["fractional", "integral", "infeasible", "unknown"]
    """The kind of the vertex; infeasible: the relaxation has no point."""
    fixed: list[str]
    """The values that the vertex was required to have."""
    values: dict[str, dict[str, FractionalValue]]
    """The share of each value of each cell, if it is not 0."""
    dominoes: list[FractionalDomino]
    """The dominoes whose share is not 0, with their share."""
    model: ModelSize
    bound: float | None
    """The bound of the objective at the vertex; null without an objective."""
    prices: dict[str, dict[str, float]]
    """By how much the bound is worse if a cell takes a value: reduced costs that are not 0."""
    edge_prices: dict[str, float]
    """By how much the bound is worse if a domino lies across two cells."""
    stop: Stop
    """The stopping criterion."""
    seconds: Seconds
    """Wall-clock seconds."""


RelaxLine: TypeAlias = RelaxRecord | Fault


# The records of ``filter``.


class FilterStepRecord(TypedDict):
    """The values that a rule removed."""

    rule: str
    """The rule, in the player's words."""
    values: dict[str, list[str]]
    """The removed values of each cell."""
    edges: list[str]
    """Edges on which no domino can lie any longer."""


class FilterRecord(TypedDict):
    """The trace of filtering, and a comparison with the relaxation."""

    puzzle: str
    """The name of the puzzle."""
    formulation: str
    """The formulation of the relaxed model; empty if there is only one."""
    steps: list[FilterStepRecord]
    """The values that each rule removed, in order."""
    refutation: str | None
    """The rule that left no value, so that there is no solution; null if there is none."""
    impossible: Natural
    """Number of impossible pairs (cell, value), which no solution has."""
    filtered: Natural
    """Number of impossible pairs that filtering removes."""
    excluded: Natural
    """Number of impossible pairs that the linear relaxation excludes."""
    both: Natural
    """Number of impossible pairs that both exclude."""
    stop: Stop
    """The stopping criterion."""
    seconds: Seconds
    """Wall-clock seconds."""


FilterLine: TypeAlias = FilterRecord | Fault


# The records of ``strength``.


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


# The records of ``tree``.


class NodeRecord(TypedDict):
    """A node of a search tree."""

    parent: int | None
    """Position of the parent in this list."""
    choice: str
    """The branching decision at the parent, in words."""
    number: int | None
    """The position of the node in the order of solving, from 1 on; null if it was not solved."""
    status: Literal["branched", "solution", "infeasible", "bound", "open"]
    bound: float | None
    """The bound of the objective; null without one."""
    columns: dict[str, float] | None
    """The vertex: the columns that are not 0; null if there is none."""


class TreeRecord(TypedDict):
    """A branch-and-bound tree."""

    puzzle: str
    """The name of the puzzle."""
    formulation: str
    """Names of the linearisations; empty if there is only one."""
    solver: str
    """The search: textbook, or the name of a solver."""
    rule: str
    """The branching rule of the textbook search; empty for a solver."""
    order: str
    """The node selection of the textbook search; empty for a solver."""
    objective: str
    """The objective; empty if any solution was sought."""
    status: Literal["solved", "optimal", "infeasible", "unknown"]
    value: float | None
    """The objective of the best solution; null without one."""
    nodes: list[NodeRecord]
    """The nodes, parents first."""
    values: dict[str, str] | None
    """The best solution, by the names of variables; null without one."""
    relaxations: int | None
    """Number of relaxations solved; null if the solver does not report it."""
    stop: Stop
    """The stopping criterion."""
    confirmed_by: str | None
    """What confirmed that there is no better solution; null if nothing did or had to."""
    seconds: Seconds
    """Wall-clock seconds."""


TreeLine: TypeAlias = TreeRecord | Fault


# The results.


def _of_model(declared: type, result: Relaxation | FilterTrace | SearchTree, **others: Any) -> dict[str, Any]:
    """Return the members of a result that has a stated model."""
    stated = result.stated
    named = {"puzzle": stated.puzzle.name, "formulation": stated.model.formulation}
    return members(declared, result, **named, **others)


@record.register(Relaxation)
def _(relaxation: Relaxation) -> dict[str, Any]:
    """Return the relaxation as JSON-ready data."""
    stated = relaxation.stated
    written = {name: partial(stated.problem.written, v=stated.variable(name)) for name in relaxation.values}
    values = {
        name: {written[name](a): y for a, y in taken.items()} for name, taken in relaxation.values.items()
    }
    dominoes = [
        {"pips": list(kind), "cells": list(cells), "share": y}
        for cells, laid in relaxation.dominoes.items()
        for kind, y in laid.items()
    ]
    edges = {"─".join(cells): y for cells, y in relaxation.edge_prices.items()}
    return _of_model(
        RelaxRecord, relaxation, values=values, dominoes=dominoes, model=stated.model.size,
        prices=relaxation.cell_prices, edge_prices=edges,
    )  # fmt: skip


@record.register(FilterTrace)
def _(trace: FilterTrace) -> dict[str, Any]:
    """Return the trace as JSON-ready data."""
    counts = {"impossible": trace.impossible, "filtered": trace.taken, "excluded": trace.excluded}
    return _of_model(
        FilterRecord, trace, steps=[asdict(step) for step in trace.steps],
        refutation=trace.refutation or None, both=len(trace.taken & trace.excluded),
        **{name: len(pairs) for name, pairs in counts.items()},
    )  # fmt: skip


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


@record.register(SearchTree)
def _(tree: SearchTree) -> dict[str, Any]:
    """Return the tree as JSON-ready data."""
    names = tree.stated.model.column_names()
    nodes = [
        members(
            NodeRecord, node, choice=link, number=number, bound=tree.value_of(node.bound),
            columns=None if node.x is None else _columns(names, node.x),
        )
        for node, link, number in zip(tree.nodes, tree.links, tree.numbers, strict=True)
    ]  # fmt: skip
    return _of_model(TreeRecord, tree, nodes=nodes, values=_values(tree))


def _values(tree: SearchTree) -> dict[str, str] | None:
    """Return the values of the cells in the best solution, by name; None if there is none."""
    if tree.solution is None:
        return None
    problem, family = tree.stated.prepared.problem, tree.stated.prepared.family
    values = family.encode(tree.stated.puzzle, tree.solution)
    return {problem.variables[v].name: problem.written(values[v], v) for v in cells_of(problem)}


def _columns(names: Sequence[str], x: Sequence[float]) -> dict[str, float]:
    return {name: round(y, 9) for name, y in zip(names, x, strict=True) if y > INTEGER_TOLERANCE}
