"""The linear relaxation of a model from outside: its columns and rows with their dual values."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from milp_pips.engines.highs import run, set_options
from milp_pips.extras.lab.puzzle_model import INTEGER_TOLERANCE
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
    # without integrality, since HiGHS gets whole bounds for integer columns; without presolve, which cannot
    # tell an empty relaxation from an unbounded one
    relaxed = replace(model, columns=tuple(replace(column, integer=False) for column in model.columns))
    if relaxed.contradiction:
        return ModelRelaxation(model, (), (), None, Stop.FINISHED, time.perf_counter() - begun)
    if not model.columns:
        constant, seconds = float(model.constant), time.perf_counter() - begun
        return ModelRelaxation(model, (), (), constant, Stop.FINISHED, seconds)
    highs = relaxed.to_highspy()
    set_options(highs, settings.changed(options={"solver": "simplex", "presolve": "off"}))
    answer = run(highs, deadline, is_bounded=False)
    if highs.getModelStatus().name == "kUnbounded":
        seconds = time.perf_counter() - begun
        return ModelRelaxation(model, (), (), None, Stop.FINISHED, seconds, grows_for_ever=True)
    if answer.stop is Stop.ERROR:
        raise EngineFault(f"the relaxation of {model.name} failed: {answer.message}")
    proven = answer.proof in (Proof.FEASIBLE, Proof.INFEASIBLE)
    columns: tuple[RelaxedColumn, ...] = ()
    rows: tuple[RelaxedRow, ...] = ()
    bound = None
    if answer.point is not None and proven:
        found = highs.getSolution()
        columns = tuple(_columns(model, found.col_value, found.col_dual))
        named = zip(model.row_names(), found.row_value, found.row_dual, strict=True)
        rows = tuple(RelaxedRow(name, _rounded(y), _rounded(price)) for name, y, price in named)
        bound = _rounded(highs.getInfo().objective_function_value)
    stop = Stop.FINISHED if proven else answer.stop
    return ModelRelaxation(model, columns, rows, bound, stop, time.perf_counter() - begun)


def _columns(model: Model, values: list[float], costs: list[float]) -> Iterator[RelaxedColumn]:
    for column, y, cost in zip(model.columns, values, costs, strict=True):
        is_fractional = column.integer and abs(y - round(y)) > INTEGER_TOLERANCE
        yield RelaxedColumn(column.name, _rounded(y), _rounded(cost), is_fractional)


def _rounded(y: float) -> float:
    """Return a number without the noise of the simplex method, and 0 without a sign."""
    return round(y, 9) + 0.0
