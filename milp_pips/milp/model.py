"""The 0-1 model: named families of binary columns and of rows over one sparse matrix."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from milp_pips.errors import UsageError

if TYPE_CHECKING:
    import numpy.typing as npt
    from highspy import Highs
    from pulp import LpProblem
    from pyomo.environ import ConcreteModel

Ints: TypeAlias = "npt.NDArray[np.int64]"
Floats: TypeAlias = "npt.NDArray[np.float64]"
Label: TypeAlias = tuple[str | int, ...]
"""What one column or row of a family speaks of, such as ``("5|1", "r1c1", "r1c2")``."""


@dataclass(frozen=True, slots=True)
class Family:
    """Consecutive columns or rows of one kind, such as ``place`` or ``cover``.

    Labels are made only when someone asks for them: a large model is solved without a single name.
    """

    name: str
    first: int
    count: int
    make_labels: Callable[[], Sequence[Label]] = field(repr=False, compare=False)

    def labels(self) -> Sequence[Label]:
        """Return one label per column or row, each once in a family of this name."""
        return self.make_labels()


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """Find x in {0, 1}^columns with ``row_lower <= A x <= row_upper``; there is no objective.

    Parameters
    ----------
    formulation
        Names of the choices it was made with, such as ``projected``.
    columns, rows
        The families, which follow one another and cover all columns and rows.
    row_lower, row_upper
        Bounds of the rows, shape (rows,); infinite where there is none.
    start, index, value
        The matrix A by rows (CSR): shapes (rows + 1,), (nonzeros,), (nonzeros,).
    pairs, pair_columns
        What (variable = value) means: the sum of all ``pair_columns`` whose entry in ``pairs`` is that pair.
        Pairs are numbered through all variables and the values of their domains; both shapes (terms,).
    pair_variables, pair_values
        Variable and value of each pair, shape (pairs,).
    """

    formulation: str
    columns: tuple[Family, ...]
    rows: tuple[Family, ...]
    row_lower: Floats
    row_upper: Floats
    start: Ints
    index: Ints
    value: Floats
    pairs: Ints
    pair_columns: Ints
    pair_variables: Ints
    pair_values: Ints
    variable_count: int

    @property
    def size(self) -> dict[str, int]:
        """How many ``columns``, ``rows`` and ``nonzeros`` the model has."""
        return {
            "columns": sum(family.count for family in self.columns),
            "rows": len(self.row_lower),
            "nonzeros": len(self.index),
        }

    def key_columns(self, variables: tuple[int, ...]) -> Ints:
        """Return columns whose values decide, and are decided by, the values of the variables.

        Raises UsageError if the formulation has none: if a value of some, but not all, variables is a sum of
        several columns.
        """
        mine = np.isin(self.pair_variables[self.pairs], variables)
        columns = np.unique(self.pair_columns[mine])
        if len(set(variables)) < self.variable_count and len(columns) < np.count_nonzero(mine):
            raise UsageError(f"the formulation {self.formulation!r} has no columns for this key; use another")
        return columns

    def decode(self, x: npt.ArrayLike) -> tuple[int, ...]:
        """Return the assignment that a 0-1 vector, shape (columns,), means.

        A variable for which not exactly one value is chosen gets -1, which no referee lets pass.
        """
        chosen = np.rint(np.asarray(x, dtype=np.float64))
        activity = np.bincount(self.pairs, weights=chosen[self.pair_columns], minlength=len(self.pair_values))
        taken = np.bincount(self.pair_variables, weights=activity, minlength=self.variable_count)
        values = np.bincount(
            self.pair_variables, weights=activity * self.pair_values, minlength=self.variable_count
        )
        values[taken != 1] = -1
        return tuple(values.astype(np.int64).tolist())

    def row(self, i: int) -> tuple[Ints, Floats]:
        """Return the columns and coefficients of row ``i``."""
        part = slice(int(self.start[i]), int(self.start[i + 1]))
        return self.index[part], self.value[part]

    def column_names(self) -> list[str]:
        """Return a readable name per column, each once, fit for LP and MPS files."""
        return list(_names(self.columns))

    def row_names(self) -> list[str]:
        """Return a readable name per row, each once, fit for LP and MPS files."""
        return list(_names(self.rows))

    def to_highspy(self) -> Highs:
        """Return a silent ``highspy.Highs`` that holds the model, without names."""
        from milp_pips.milp.libraries import to_highspy

        return to_highspy(self)

    def to_pulp(self) -> LpProblem:
        """Return the model as a ``pulp.LpProblem`` with readable names."""
        from milp_pips.milp.libraries import to_pulp

        return to_pulp(self)

    def to_pyomo(self) -> ConcreteModel:
        """Return the model as a ``pyomo.environ.ConcreteModel`` with one Var and Constraint per family."""
        from milp_pips.milp.libraries import to_pyomo

        return to_pyomo(self)

    def to_lp(self) -> str:
        """Return the model as the text of a CPLEX LP file."""
        from milp_pips.milp.files import lp_text

        return lp_text(self)

    def to_mps(self) -> str:
        """Return the model as the text of a free MPS file."""
        from milp_pips.milp.files import mps_text

        return mps_text(self)


def _names(families: tuple[Family, ...]) -> Iterator[str]:
    seen: set[str] = set()
    for family in families:
        for label in family.labels():
            words = re.sub("_+", "_", "_".join("".join(map(_plain, str(part))) for part in label)).strip("_")
            name = f"{family.name}_{words.removeprefix(family.name + '_')}"
            yield _made_unique(name, seen)


def _made_unique(name: str, seen: set[str]) -> str:
    unique, again = name, 1
    while unique in seen:
        again += 1
        unique = f"{name}__{again}"
    seen.add(unique)
    return unique


_WORDS = {"=": "eq", "≠": "neq", "<": "lt", ">": "gt", "≤": "le", "≥": "ge"}


def _plain(character: str) -> str:
    if character.isascii() and character.isalnum():
        return character
    return _WORDS.get(character, "_" if character.isascii() else f"u{ord(character):x}")


def numbers_by_label(families: tuple[Family, ...]) -> dict[str, dict[Any, int]]:
    """Return, by the name of the family, the number of each column or row by its label.

    A label of one part stands for itself; a label that comes again gets a count behind it.
    """
    found: dict[str, dict[Any, int]] = {}
    for family in families:
        numbers = found.setdefault(family.name, {})
        for number, label in enumerate(family.labels(), family.first):
            again, unique = 1, label
            while (key := unique[0] if len(unique) == 1 else unique) in numbers:
                again += 1
                unique = (*label, again)
            numbers[key] = number
    return found
