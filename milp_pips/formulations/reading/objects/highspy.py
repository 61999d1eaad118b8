"""The model that is loaded in HiGHS."""

from __future__ import annotations

from typing import Any

from milp_pips.formulations.model import Model
from milp_pips.formulations.reading.objects.draft import Draft
from milp_pips.problem import UsageError


def from_highspy(highs: Any) -> Model:
    """Return the model that is loaded in HiGHS.

    Raises UsageError for what a linear model cannot state, and for an empty row that cannot hold: HiGHS has
    dropped its small coefficients, and nothing says which they were.
    """
    import highspy

    lp = highs.getLp()
    draft = Draft(lp.model_name_)
    if highs.getModel().hessian_.dim_:
        raise UsageError("the objective is quadratic")
    if highs.getNumLinearObjectives():
        raise UsageError(f"{draft.name} has several objectives, which no linear row states")
    integer = {highspy.HighsVarType.kInteger, highspy.HighsVarType.kImplicitInteger}
    names = list(lp.col_names_) or [""] * lp.num_col_
    kinds = list(lp.integrality_) or [highspy.HighsVarType.kContinuous] * lp.num_col_
    lows, highs_, costs = list(lp.col_lower_), list(lp.col_upper_), list(lp.col_cost_)
    for j, (name, kind) in enumerate(zip(names, kinds, strict=True)):
        if kind not in integer and kind != highspy.HighsVarType.kContinuous:
            raise UsageError(f"the column {name or f'C{j}'} is semi-continuous or semi-integer")
        draft.column(name or f"C{j}", lows[j], highs_[j], kind in integer)
    draft.costs(enumerate(costs))
    matrix, by_row = lp.a_matrix_, lp.a_matrix_.format_ == highspy.MatrixFormat.kRowwise
    starts, index, value = list(matrix.start_), list(matrix.index_), list(matrix.value_)
    terms: list[list[tuple[int, float]]] = [[] for _ in range(lp.num_row_)]
    for number in range(lp.num_row_ if by_row else lp.num_col_):
        for place in range(starts[number], starts[number + 1]):
            i, j = (number, index[place]) if by_row else (index[place], number)
            terms[i].append((j, value[place]))
    row_names = list(lp.row_names_) or [""] * lp.num_row_
    for i, (name, low, high) in enumerate(zip(row_names, lp.row_lower_, lp.row_upper_, strict=True)):
        if not terms[i] and (low > 0 or high < 0):
            least = highs.getOptionValue("small_matrix_value")[1]
            what = f"the row {name or f'R{i}'} has no coefficients and cannot hold"
            raise UsageError(f"{what}: HiGHS drops those up to {least}")
        draft.row(name or f"R{i}", terms[i], low, high)
    return draft.model(maximise=lp.sense_ == highspy.ObjSense.kMaximize, constant=lp.offset_)
