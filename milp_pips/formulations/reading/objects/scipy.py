"""The arguments of ``scipy.optimize.milp`` as a dictionary."""

from __future__ import annotations

from math import inf
from typing import Any, NamedTuple

from milp_pips.formulations.model import Model
from milp_pips.formulations.reading.objects.draft import Draft
from milp_pips.problem import UsageError

ARGUMENTS = ("c", "integrality", "bounds", "constraints", "options")
"""The arguments of ``milp``; options state nothing about the model."""


def from_milp(arguments: dict[str, Any]) -> Model:
    """Return the model that ``scipy.optimize.milp(**arguments)`` solves; its columns are called ``x[0]``….

    Raises UsageError for other arguments, for shapes that do not fit, and for semi-continuous columns.
    """
    import numpy as np

    draft = Draft("model")
    for name in arguments:
        if name not in ARGUMENTS:
            raise UsageError(f"milp has no argument {name!r}; expected {', '.join(ARGUMENTS)}")
    costs = np.atleast_1d(arguments["c"])
    if costs.ndim != 1:
        raise UsageError(f"the argument c has {costs.ndim} dimensions; expected one")
    size = len(costs)

    def spread(value: Any, what: str, to: int) -> Any:
        try:
            return np.broadcast_to(value, to)
        except ValueError:
            raise UsageError(f"{what} has the shape {np.shape(value)}; expected ({to},)") from None

    given = arguments.get("integrality")
    integrality = spread(0 if given is None else given, "integrality", size)
    lows, highs = _pair(arguments.get("bounds"), ("lb", "ub"), (0, np.inf), "bounds")
    lows, highs = spread(lows, "the lower bound", size), spread(highs, "the upper bound", size)
    for j, kind in enumerate(integrality):
        if kind not in (0, 1):
            raise UsageError(f"the column x[{j}] has integrality {kind}; expected 0 or 1")
        draft.column(f"x[{j}]", lows[j], highs[j], bool(kind))
    for number, each in enumerate(_listed(arguments.get("constraints"))):
        matrix, low, high = _constraint(each)
        rows = _sparse_rows(matrix, size)
        lows, highs = spread(low, "lb", len(rows)), spread(high, "ub", len(rows))
        for i, terms in enumerate(rows):
            draft.row(f"constraint[{number},{i}]", terms, lows[i], highs[i])
    draft.costs(enumerate(costs))
    return draft.model()


def _pair(given: Any, names: tuple[str, str], default: tuple[Any, Any], what: str) -> tuple[Any, Any]:
    """Return the two ends in a ``Bounds`` object or a pair."""
    if given is None:
        return default
    if all(hasattr(given, name) for name in names):
        return getattr(given, names[0]), getattr(given, names[1])
    try:
        low, high = given
    except (TypeError, ValueError):
        raise UsageError(f"{what} is neither Bounds nor a pair of the lower and the upper bounds") from None
    return low, high


def _listed(given: Any) -> list[Any]:
    """Return the constraints: none, one ``LinearConstraint`` or its arguments, or several of these."""
    if given is None:
        return []
    if _is_constraint(given):
        return [given]
    if not isinstance(given, tuple | list):
        raise UsageError("constraints are neither a LinearConstraint nor a sequence of them")
    is_one = 1 <= len(given) <= 3 and not isinstance(given[0], tuple) and not _is_constraint(given[0])
    return [given] if is_one else list(given)


def _is_constraint(given: Any) -> bool:
    return all(hasattr(given, name) for name in ("A", "lb", "ub"))


class Constraint(NamedTuple):
    """The matrix and the two sides of a ``LinearConstraint``."""

    matrix: Any
    low: Any = -inf
    high: Any = inf


def _constraint(given: Any) -> Constraint:
    """Return what a ``LinearConstraint`` or its arguments state."""
    if _is_constraint(given):
        return Constraint(given.A, given.lb, given.ub)
    if isinstance(given, tuple | list) and 1 <= len(given) <= 3:
        return Constraint(*given)
    raise UsageError("a constraint is neither a LinearConstraint nor its arguments (A, lb, ub)")


def _sparse_rows(matrix: Any, size: int) -> list[list[tuple[int, Any]]]:
    """Return the terms of each row of a matrix, which may be sparse. Raises UsageError unless it fits."""
    import numpy as np

    if hasattr(matrix, "tocoo"):
        entries = matrix.tocoo()
        shape = entries.shape
        found: list[list[tuple[int, Any]]] = [[] for _ in range(shape[0])]
        for i, j, a in zip(entries.row, entries.col, entries.data, strict=True):
            found[i].append((int(j), a))
    else:
        try:
            dense = np.atleast_2d(matrix)
        except ValueError:
            raise UsageError("the matrix of a constraint has rows of different lengths") from None
        shape = dense.shape
        found = [[(int(j), row[j]) for j in np.flatnonzero(row)] for row in dense]
    if len(shape) != 2 or shape[1] != size:
        raise UsageError(f"a matrix of constraints has the shape {shape}; expected {size} columns")
    return found
