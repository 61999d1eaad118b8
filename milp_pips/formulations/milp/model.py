"""The 0-1 model of a problem: named families of binary columns and of rows over one sparse matrix."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from milp_pips.formulations.model import Model
from milp_pips.formulations.rows import Arrays, Column, Floats, Ints, Row
from milp_pips.problem.errors import UsageError

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["ColumnFamily", "EncodedModel", "Floats", "Ints", "Label"]

MAX_MODEL_NAME = 60
"""Characters of a puzzle's name that a model keeps: PuLP builds file names from it."""

Label: TypeAlias = tuple[str | int, ...]
"""The label of a column or row in its family, such as ``(1, 5, "r1c1", "r1c2")``."""


@dataclass(frozen=True, slots=True)
class ColumnFamily:
    """Consecutive columns or rows of one kind, such as ``place`` or ``cover``.

    ``labels()`` returns one label per column or row, unique among families of this name. It is called only
    when labels are needed: a large model is solved without any names.
    """

    name: str
    first: int
    count: int
    labels: Callable[[], Sequence[Label]] = field(repr=False, compare=False)

    def __reduce__(self) -> tuple[Any, ...]:
        labels = list(self.labels())  # the function that makes them cannot be pickled
        return ColumnFamily, (self.name, self.first, self.count, partial(list, labels))


@dataclass(frozen=True, eq=False)
class EncodedModel(Model):
    """A linear model whose binary columns encode a problem: find x in {0, 1}^columns with ``A x`` in bounds.

    Its columns and rows are named on demand: a large model is solved without any names.

    Parameters
    ----------
    named
        Names of the linearisations that were used, such as ``projected``: its ``formulation``.
    column_families, row_families
        The families, which are consecutive and cover all columns and rows.
    stated
        The numbers of the model.
    pairs, pair_columns
        The definitions of the pairs (variable = value): a pair is the sum of all ``pair_columns`` whose entry
        in ``pairs`` is this pair. Pairs are numbered consecutively over all variables and the values of their
        domains. Both shapes are (terms,).
    pair_variables, pair_values
        Variable and value of each pair, shape (pairs,).
    variable_count
        Number of variables of the problem.
    """

    named: str = field(kw_only=True)
    column_families: tuple[ColumnFamily, ...] = field(kw_only=True)
    row_families: tuple[ColumnFamily, ...] = field(kw_only=True)
    stated: Arrays = field(kw_only=True, repr=False)
    pairs: Ints = field(kw_only=True, repr=False)
    pair_columns: Ints = field(kw_only=True, repr=False)
    pair_variables: Ints = field(kw_only=True, repr=False)
    pair_values: Ints = field(kw_only=True, repr=False)
    variable_count: int = field(kw_only=True)

    def __post_init__(self) -> None:
        """Check nothing: the names of families are unique."""

    @property
    def for_engines(self) -> tuple[EncodedModel, int]:
        """The model, which needs no scaling."""
        return self, 1

    @property
    def arrays(self) -> Arrays:
        """What engines load."""
        return self.stated

    @property
    def unscaled(self) -> Arrays:
        """The numbers of the model, which need no scaling."""
        return self.stated

    @property
    def size(self) -> dict[str, int]:
        """The numbers of ``columns``, ``rows`` and ``nonzeros`` of the model."""
        stated = self.stated
        return {"columns": len(stated.lower), "rows": len(stated.row_lower), "nonzeros": len(stated.index)}

    @property
    def has_objective(self) -> bool:
        """Whether the problem has an objective."""
        return self.stated.costs is not None

    def __str__(self) -> str:
        size, families = self.size, {"columns": self.column_families, "rows": self.row_families}
        lines = [f"{self.formulation}: " + ", ".join(f"{n} {what}" for what, n in size.items())]
        for what, some in families.items():
            counts = numbers_by_name(some)
            lines.append(f"{what}: " + (", ".join(f"{n} {name}" for name, n in counts.items()) or "none"))
        return "\n".join(lines)

    def key_columns(self, variables: tuple[int, ...]) -> Ints:
        """Return columns whose values determine, and are determined by, the values of the variables.

        Raises UsageError if the formulation has no such columns: if these are not all variables, and one of
        their values is a sum of several columns.
        """
        mine = np.isin(self.pair_variables[self.pairs], variables)
        columns = np.unique(self.pair_columns[mine])
        single = min(len(columns), len(np.unique(self.pairs[mine])))
        if len(set(variables)) < self.variable_count and single < np.count_nonzero(mine):
            raise UsageError(f"the formulation {self.formulation!r} has no columns for this key; use another")
        return columns

    def columns_of(self, variable: int, value: int) -> list[int]:
        """Return the columns whose sum is 1 if the variable has the value, else 0.

        It is the ``value`` column where the formulation has one, else these are all places that show it.
        Raises UsageError if the value is not in the domain.
        """
        pair = np.flatnonzero((self.pair_variables == variable) & (self.pair_values == value))
        if not len(pair):
            raise UsageError(f"the model has no variable {variable} with the value {value}")
        return sorted(self.pair_columns[self.pairs == pair[0]].tolist())

    def decode(self, x: npt.ArrayLike, blank: int = -1) -> tuple[int, ...]:
        """Return the assignment that a 0-1 vector of shape (columns,) represents.

        A variable without exactly one chosen value gets ``blank``, see ``Problem.blank``.
        """
        chosen = np.rint(np.asarray(x, dtype=np.float64))
        activity = np.bincount(self.pairs, weights=chosen[self.pair_columns], minlength=len(self.pair_values))
        taken = np.bincount(self.pair_variables, weights=activity, minlength=self.variable_count)
        values = np.bincount(
            self.pair_variables, weights=activity * self.pair_values, minlength=self.variable_count
        )
        values[taken != 1] = blank
        return tuple(values.astype(np.int64).tolist())

    @property
    def formulation(self) -> str:
        """Names of the linearisations that were used, such as ``projected``."""
        return self.named

    def family_comments(self) -> dict[str, str]:
        """Return the name of each family of rows by that of its first row."""
        return {self.rows[family.first].name: family.name for family in self.row_families if family.count}

    @property
    def objective_name(self) -> str:
        """The name of the objective in files."""
        return "cost" if self.has_objective else "any_solution_will_do"

    def column_labels(self) -> dict[str, dict[Any, int]]:
        """Return the number of each column by its label, by the name of its family."""
        return numbers_by_label(self.column_families)

    def row_labels(self) -> dict[str, dict[Any, int]]:
        """Return the number of each row by its label, by the name of its family."""
        return numbers_by_label(self.row_families)

    def column_names(self) -> list[str]:
        """Return a readable and unique name for each column, valid in LP and MPS files."""
        return list(_names(self.column_families))

    def row_names(self) -> list[str]:
        """Return a readable and unique name for each row, valid in LP and MPS files."""
        return list(_names(self.row_families))


class BinaryColumns(Sequence[Column]):
    """The columns of a 0-1 model, made when they are looked at."""

    def __init__(self, families: Sequence[ColumnFamily], costs: Floats | None):
        self._families, self._costs = families, costs
        self._count = sum(family.count for family in families)

    @cached_property
    def _names(self) -> list[str]:
        return list(_names(self._families))

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, j: Any) -> Any:
        if isinstance(j, slice):
            return tuple([self[k] for k in range(*j.indices(self._count))])
        cost = 0 if self._costs is None else _exact(self._costs[j])
        return Column(self._names[j], 0, 1, integer=True, cost=cost)


class StatedRows(Sequence[Row]):
    """The rows of a 0-1 model, made when they are looked at."""

    def __init__(self, families: Sequence[ColumnFamily], stated: Arrays):
        self._families, self._stated = families, stated

    @cached_property
    def _names(self) -> list[str]:
        return list(_names(self._families))

    def __len__(self) -> int:
        return len(self._stated.row_lower)

    def __getitem__(self, i: Any) -> Any:
        if isinstance(i, slice):
            return tuple([self[k] for k in range(*i.indices(len(self)))])
        columns, values = self._stated.row(i)
        low, high = self._stated.row_lower[i], self._stated.row_upper[i]
        return Row(
            self._names[i],
            dict(zip(columns.tolist(), map(_exact, values), strict=True)),
            _exact(low) if np.isfinite(low) else None,
            _exact(high) if np.isfinite(high) else None,
        )


def numbers_by_name(families: tuple[ColumnFamily, ...]) -> dict[str, int]:
    """Return the number of columns or rows of all families of each name; empty ones are left out."""
    numbers: dict[str, int] = {}
    for family in families:
        numbers[family.name] = numbers.get(family.name, 0) + family.count
    return {name: number for name, number in numbers.items() if number}


def numbers_by_label(families: tuple[ColumnFamily, ...]) -> dict[str, dict[Any, int]]:
    """Return, by the name of the family, the number of each column or row by its label.

    A label with a single part is replaced by this part. A repeated label gets a count as its last part.
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


def _names(families: Iterable[ColumnFamily]) -> Iterator[str]:
    """Yield a name for each column or row: family and label in ASCII, with a count if it is repeated."""
    seen: set[str] = set()
    for family in families:
        for label in family.labels():
            name = unique = f"{family.name}_{_identifier(label).removeprefix(family.name + '_')}"
            again = 1
            while unique in seen:
                again += 1
                unique = f"{name}__{again}"
            seen.add(unique)
            yield unique


def _identifier(parts: Iterable[str | int]) -> str:
    """Return the parts as ASCII letters, digits and single underscores."""
    return re.sub("_+", "_", "_".join("".join(map(_plain, str(part))) for part in parts)).strip("_")


def model_name(title: str) -> str:
    """Return the name of a model: letters, digits and ``_`` alone, since it is in files and file names."""
    return _identifier([title])[:MAX_MODEL_NAME].strip("_") or "puzzle"


def _exact(number: np.float64) -> Any:
    """Return the exact number that a float states."""
    if number.is_integer():
        return int(number)
    from milp_pips.formulations.exact import exact  # most models have whole numbers alone

    return exact(float(number))


_WORDS = {"=": "eq", "≠": "neq", "<": "lt", ">": "gt", "≤": "le", "≥": "ge"}


def _plain(character: str) -> str:
    if character.isascii() and character.isalnum():
        return character
    return _WORDS.get(character, "_" if character.isascii() else f"u{ord(character):x}")
