"""CVXPY problems whose constraints and objective are affine, from the matrices that CVXPY gives engines."""

from __future__ import annotations

from itertools import product
from typing import Any

from milp_pips.formulations.model import Model
from milp_pips.formulations.reading.objects.draft import Draft
from milp_pips.problem import UsageError
from milp_pips.problem.fields import shown

ATTRIBUTES = frozenset({"boolean", "integer", "nonneg", "nonpos", "bounds"})
"""What a variable may be declared as."""


def from_cvxpy(problem: Any) -> Model:
    """Return a CVXPY problem as a linear model; the columns of a matrix ``x`` are called ``x[i,j]``.

    Raises UsageError for what is not affine, also for ``abs`` or ``max``, and for other declarations.
    """
    import cvxpy

    for number, constraint in enumerate(problem.constraints, 1):
        kind = type(constraint).__name__
        affine = all(part.is_affine() for part in constraint.args)
        if kind not in ("Equality", "Inequality", "Zero", "NonNeg", "NonPos") or not affine:
            raise UsageError(f"constraint {number} is not linear: {shown(constraint)}")
    if not problem.objective.args[0].is_affine():
        raise UsageError(f"the objective is not linear: {shown(problem.objective)}")
    for v in problem.variables():
        for attribute, value in v.attributes.items():
            if attribute not in ATTRIBUTES and not (value is None or value is False):
                raise UsageError(
                    f"{v.name()} is declared {attribute}; expected only {', '.join(sorted(ATTRIBUTES))}"
                )
    for parameter in problem.parameters():
        if parameter.value is None:
            raise UsageError(f"the parameter {parameter.name()} has no value")
    if not problem.variables():
        return _without_variables(problem)
    return _Matrices(problem, problem.get_problem_data(cvxpy.HIGHS)[0]).model()


def _without_variables(problem: Any) -> Model:
    """Return the model of a problem for which CVXPY gives no matrices: rows of constants hold, or do not."""
    draft = Draft("model")
    for number, constraint in enumerate(problem.constraints):
        draft.row(f"R{number}", (), None if constraint.value() else 1, None)
    maximise = type(problem.objective).__name__ == "Maximize"
    return draft.model(maximise=maximise, constant=problem.objective.args[0].value)


class _Matrices:
    """The columns and rows ``A x + s = b``: ``s`` is zero in the first rows, and not negative in others."""

    def __init__(self, problem: Any, data: dict[str, Any]) -> None:
        self.problem, self.data, self.draft = problem, data, Draft("model")

    def model(self) -> Model:
        """Return the linear model."""
        self.add_columns()
        matrix, sides = self.data["A"].tocsr(), self.data["b"]
        equalities = self.data["dims"].zero
        for i, side in enumerate(sides):
            part = slice(matrix.indptr[i], matrix.indptr[i + 1])
            terms = zip(matrix.indices[part], matrix.data[part], strict=True)
            self.draft.row(f"R{i}", terms, side if i < equalities else None, side)
        # CVXPY minimises, and turns the signs of an objective that is to be maximised.
        maximise = type(self.problem.objective).__name__ == "Maximize"
        sign = -1 if maximise else 1
        self.draft.costs((j, sign * a) for j, a in enumerate(self.data["c"]))
        offset = self.data["param_prob"].apply_parameters()[1]
        return self.draft.model(maximise=maximise, constant=sign * offset)

    def add_columns(self) -> None:
        """Add the columns: matrices are stored column by column."""
        names: dict[int, str] = {}
        starts = self.data["param_prob"].var_id_to_col
        for v in self.problem.variables():
            if v.id not in starts:
                raise UsageError(f"CVXPY replaces the variable {v.name()} by others")
            places = [reversed(place) for place in product(*(range(size) for size in reversed(v.shape)))]
            for number, place in enumerate(places, starts[v.id]):
                names[number] = f"{v.name()}[{','.join(map(str, place))}]" if v.shape else v.name()
        boolean, whole = (set(self.data[kind]) for kind in ("bool_vars_idx", "int_vars_idx"))
        lows, highs = (self.data.get(side) for side in ("lower_bounds", "upper_bounds"))
        for j in range(len(self.data["c"])):
            if j not in names:
                raise UsageError("CVXPY has added a variable of its own; expected only linear expressions")
            low = None if lows is None else lows[j]
            high = None if highs is None else highs[j]
            if j in boolean:
                low, high = max(0, low or 0), 1 if high is None else min(1, high)
            self.draft.column(names[j], low, high, j in boolean or j in whole)
