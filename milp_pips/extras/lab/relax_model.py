"""The linear relaxation of a model from outside: its columns and rows with their dual values."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from milp_pips.engines.highs import run, set_options
from milp_pips.extras.lab.puzzle_model import INTEGER_TOLERANCE, rounded
from milp_pips.formulations.model import Model
from milp_pips.problem.answer import Proof, Settings, Stop, TaskResult
from milp_pips.problem.errors import EngineFault
from milp_pips.problem.stopping import Deadline


class RelaxedColumn(NamedTuple):
    """A column at an optimal vertex: its value, and its reduced cost, which a basic column does not have."""

    name: str
    value: float
    reduced_cost: float
    is_fractional: bool
    """Whether the column is integer and the value is not whole."""


class RelaxedRow(NamedTuple):
    """A row at an optimal vertex: the value of its sum, and what one more unit of its side adds."""

    name: str
    activity: float
    price: float


@dataclass(frozen=True)
class ModelRelaxation(TaskResult):
    """An optimal vertex of the linear relaxation of a model, or the proof that the relaxation is empty.

    Parameters
    ----------
    model
        The model, whose integer columns take any value between their bounds.
    columns, rows
        What the vertex gives to each column and row; empty without a vertex.
    bound
        The value of the objective at the vertex, which no solution beats; None without a vertex.
    stop
        The stopping criterion; ``Stop.FINISHED`` without a vertex means that there is none.
    seconds
        The time taken.
    grows_for_ever
        Whether the relaxation has points, and its objective no bound.
    """

    model: Model = field(repr=False)
    columns: tuple[RelaxedColumn, ...]
    rows: tuple[RelaxedRow, ...]
    bound: float | None
    stop: Stop
    seconds: float
    grows_for_ever: bool = False

    @property
    def has_vertex(self) -> bool:
        """Whether there is a vertex to look at."""
        return self.bound is not None

    @property
    def status(self) -> str:
        """``fractional``, ``integral``, ``infeasible``, ``unbounded``, or ``unknown``."""
        if self.grows_for_ever:
            return "unbounded"
        if self.bound is None:
            return "infeasible" if self.stop is Stop.FINISHED else "unknown"
        return "fractional" if any(column.is_fractional for column in self.columns) else "integral"


def relax_model(model: Model, settings: Settings, deadline: Deadline) -> ModelRelaxation:
    """Return an optimal vertex of the linear relaxation of a model, by HiGHS's simplex method.

    Raises UsageError if HiGHS does not take the model; EngineFault if it fails.
    """
    begun = time.perf_counter()
    # Without integrality, since HiGHS gets whole bounds for integer columns; without presolve, which cannot
    # tell an empty relaxation from an unbounded one.
    relaxed = replace(model, columns=tuple(replace(column, integer=False) for column in model.columns))
    columns, rows, bound = tuple[RelaxedColumn, ...](), tuple[RelaxedRow, ...](), None
    stop, grows_for_ever = Stop.FINISHED, False
    if not model.columns and not relaxed.contradiction:
        bound = float(model.constant)
    elif not relaxed.contradiction:
        highs = relaxed.to_highspy()
        set_options(highs, settings.changed(options={"solver": "simplex", "presolve": "off"}))
        answer = run(highs, deadline, is_bounded=False)
        if deadline.stop is None:  # else its thread may still be at work
            grows_for_ever = highs.getModelStatus().name == "kUnbounded"
        if answer.stop is Stop.ERROR and not grows_for_ever:
            raise EngineFault(f"the relaxation of {model.name} failed: {answer.message}")
        if answer.proof is Proof.FEASIBLE:
            found = highs.getSolution()
            columns = tuple(_columns(model, found.col_value, found.col_dual))
            named = zip(model.row_names(), found.row_value, found.row_dual, strict=True)
            rows = tuple(RelaxedRow(name, rounded(y), rounded(price)) for name, y, price in named)
            bound = rounded(highs.getInfo().objective_function_value)
        elif answer.proof is not Proof.INFEASIBLE and not grows_for_ever:
            stop = answer.stop
    return ModelRelaxation(model, columns, rows, bound, stop, time.perf_counter() - begun, grows_for_ever)


def _columns(model: Model, values: list[float], costs: list[float]) -> Iterator[RelaxedColumn]:
    for column, y, cost in zip(model.columns, values, costs, strict=True):
        is_fractional = column.integer and abs(y - round(y)) > INTEGER_TOLERANCE
        yield RelaxedColumn(column.name, rounded(y), rounded(cost), is_fractional)
