"""The model as the text of an LP or MPS file."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

import numpy as np

from milp_pips.milp.model import Model


def lp_text(model: Model) -> str:
    """Return the model in CPLEX LP format, with a comment where each family of rows begins."""
    columns, rows = model.column_names(), model.row_names()
    family_at = {family.first: family.name for family in model.rows}
    lines = [f"\\ formulation: {model.formulation}", "Minimize", " any_solution_will_do:", "Subject To"]
    for i, name in enumerate(rows):
        if i in family_at:
            lines.append(f"\\ {family_at[i]}")
        indices, coefficients = model.row(i)
        terms = [_term(a, columns[j]) for j, a in zip(indices.tolist(), coefficients.tolist(), strict=True)]
        total = " ".join(terms).removeprefix("+ ") or f"0 {columns[0]}"
        for suffix, sign, bound in _sides(model, i):
            lines += _wrapped(f" {name}{suffix}: {total} {sign} {bound:g}")
    lines += ["Binary", *_wrapped(" " + " ".join(columns)), "End"]
    return "\n".join(lines) + "\n"


def mps_text(model: Model, *, names: bool = True) -> str:
    """Return the model in free MPS format; without ``names``, rows are R0, R1, … and columns C0, C1, …."""
    size = model.size
    columns = model.column_names() if names else [f"C{j}" for j in range(size["columns"])]
    rows = model.row_names() if names else [f"R{i}" for i in range(size["rows"])]
    kinds, right, ranges = [], [], []
    for name, low, high in zip(rows, model.row_lower.tolist(), model.row_upper.tolist(), strict=True):
        kinds.append(f" {'E' if low == high else 'L' if high < np.inf else 'G'} {name}")
        right.append(f" RHS {name} {high if high < np.inf else low:g}")
        if -np.inf < low < high < np.inf:
            ranges.append(f" RNG {name} {high - low:g}")
    by_column = np.argsort(model.index, kind="stable")
    row_of = np.repeat(np.arange(size["rows"]), np.diff(model.start))[by_column].tolist()
    entries = zip(model.index[by_column].tolist(), row_of, model.value[by_column].tolist(), strict=True)
    return "\n".join(
        [
            "NAME puzzle FREE",
            "ROWS",
            " N any_solution_will_do",
            *kinds,
            "COLUMNS",
            # Every column stands here with a zero cost, also one that is in no row.
            *_by_columns(columns, [f" {columns[j]} {rows[i]} {a:g}" for j, i, a in entries], model),
            "RHS",
            *right,
            *(["RANGES", *ranges] if ranges else []),
            "BOUNDS",
            *(f" BV BND {name}" for name in columns),
            "ENDATA",
            "",
        ]
    )


def _by_columns(columns: Sequence[str], entries: Sequence[str], model: Model) -> Iterator[str]:
    ends = np.cumsum(np.bincount(model.index, minlength=len(columns))).tolist()
    begin = 0
    for name, end in zip(columns, ends, strict=True):
        yield f" {name} any_solution_will_do 0"
        yield from entries[begin:end]
        begin = end


def _sides(model: Model, i: int) -> Iterator[tuple[str, str, float]]:
    """Yield suffix, sign and bound of the one or two inequalities of a row."""
    low, high = float(model.row_lower[i]), float(model.row_upper[i])
    if low == high:
        yield "", "=", low
        return
    if high < np.inf:
        yield "", "<=", high
    if low > -np.inf:
        yield ("_at_least" if high < np.inf else ""), ">=", low


def _term(coefficient: float, name: str) -> str:
    sign = "-" if coefficient < 0 else "+"
    return f"{sign} {name}" if abs(coefficient) == 1 else f"{sign} {abs(coefficient):g} {name}"


def _wrapped(line: str) -> list[str]:
    """LP readers limit the length of a line."""
    return textwrap.wrap(line, 100, initial_indent=" ", subsequent_indent="   ", break_long_words=False)
