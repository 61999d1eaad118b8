"""A 0-1 model under construction, written in terms of pairs (variable = value).

A linearisation defines pairs as sums of columns, adds rows over pairs, or yields them. A row does not depend
on how the variables of its constraint are represented: pairs are replaced by columns at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache, partial
from itertools import chain, groupby
from math import inf
from operator import itemgetter
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from milp_pips.formulations.milp import Linearisation, choices, linearisation, own_names
from milp_pips.formulations.milp.model import (
    BinaryColumns,
    ColumnFamily,
    EncodedModel,
    Label,
    StatedRows,
    model_name,
)
from milp_pips.formulations.rows import Arrays, Floats, Ints
from milp_pips.problem import plugins
from milp_pips.problem.constraint import Row
from milp_pips.problem.errors import UsageError, unknown_name
from milp_pips.problem.fields import require_problem
from milp_pips.problem.problem import Problem

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["Draft", "formulate"]

Terms: TypeAlias = "tuple[Ints, Ints, Floats]"
"""Rows, columns or pairs, and coefficients: three arrays of the same length."""


class Draft:
    """A collection of columns, definitions of pairs, and rows for a problem.

    It is a ``RowBuilder``: its items are the numbers of pairs, and ``~k`` for the column that ``add_column``
    added as number ``k``. These columns and the yielded rows are kept in lists and become arrays all at once,
    which is many times faster than one numpy call for each small constraint.
    """

    def __init__(self, problem: Problem):
        self.problem = problem
        domains = [variable.domain for variable in problem.variables]
        lengths = np.fromiter(map(len, domains), np.int64, len(domains))
        self.first_pair = np.concatenate([[0], np.cumsum(lengths)])
        self.pair_variables = np.repeat(np.arange(len(domains)), lengths)
        self.pair_values = np.fromiter(chain.from_iterable(domains), np.int64, int(lengths.sum()))
        self._defined = np.zeros(len(domains), bool)
        self._columns: list[ColumnFamily] = []
        self._column_count = 0
        self._rows: list[ColumnFamily] = []
        self._row_count = 0
        self._lower: list[Floats] = []
        self._upper: list[Floats] = []
        # Definitions of pairs, and terms of rows over columns and over pairs: lists of array chunks.
        self._meanings: list[tuple[Ints, Ints]] = []
        self._column_terms: list[Terms] = []
        self._pair_terms: list[Terms] = []
        self._single_columns: list[tuple[str, Label]] = []
        self._yielded: list[Row] = []
        self._first_pairs = self.first_pair.tolist()

    def domain(self, v: int) -> tuple[int, ...]:
        """Return the domain of a variable."""
        return self.problem.variables[v].domain

    def name(self, v: int) -> str:
        """Return the name of a variable."""
        return self.problem.variables[v].name

    def written(self, value: int, v: int) -> str:
        """Return a value as people read it."""
        return self.problem.written(value, v)

    def add_column(self, family: str, label: tuple[Any, ...]) -> int:
        """Add a binary column and return its item. The variables should determine its value."""
        self._single_columns.append((family, label))
        return -len(self._single_columns)

    def add(self, rows: Iterable[Row]) -> None:
        """Add rows over items; those without a bound are left out, since some engines refuse them."""
        self._yielded.extend([row for row in rows if row[2] > -inf or row[3] < inf])

    def pair_table(self, variables: Sequence[int], low: int, high: int) -> Ints:
        """Return pair numbers by variable (row) and value from ``low`` to ``high`` (column); -1 for no pair.

        The shape is (variables, high - low + 1); other values of the variables are left out.
        """
        chosen = np.asarray(variables, dtype=np.int64)
        position = np.full(len(self.problem.variables), -1)
        position[chosen] = np.arange(len(chosen))
        pairs = np.flatnonzero(position[self.pair_variables] >= 0)
        pairs = pairs[(low <= self.pair_values[pairs]) & (self.pair_values[pairs] <= high)]
        table = np.full((len(chosen), high - low + 1), -1)
        table[position[self.pair_variables[pairs]], self.pair_values[pairs] - low] = pairs
        return table

    def pairs_of(self, variables: Iterable[int]) -> list[tuple[int, int, int]]:
        """Return (pair, variable, value) for every value of the variables."""
        return [
            (pair, v, value)
            for v in variables
            for pair, value in enumerate(self.problem.variables[v].domain, self._first_pairs[v])
        ]

    def label_pairs(self, pairs: Ints) -> list[Label]:
        """Return (name of the variable, value as people read it) for every pair."""
        variables, names = self.problem.variables, self.problem.value_names
        chosen = zip(self.pair_variables[pairs].tolist(), self.pair_values[pairs].tolist(), strict=True)
        return [
            (variables[v].name, names[v].get(value, value) if v in names else value) for v, value in chosen
        ]

    def is_defined(self, variables: Sequence[int]) -> bool:
        """Return whether the pairs of at least one of the variables are already defined."""
        return bool(self._defined[np.asarray(variables, dtype=np.int64)].any())

    def add_columns(self, family: str, count: int, labels: Callable[[], Sequence[Label]]) -> Ints:
        """Add binary columns and return their numbers."""
        first = self._column_count
        self._columns.append(ColumnFamily(family, first, count, labels))
        self._column_count += count
        return np.arange(first, first + count)

    def define(self, pairs: npt.ArrayLike, columns: npt.ArrayLike) -> None:
        """Define each pair as the sum of the columns at the same positions as the pair."""
        meaning = np.asarray(pairs, dtype=np.int64), np.asarray(columns, dtype=np.int64)
        self._meanings.append(meaning)
        self._defined[self.pair_variables[meaning[0]]] = True

    def mark_defined(self, variables: Sequence[int]) -> None:
        """Mark the variables as defined: their pairs without a column are 0."""
        self._defined[np.asarray(variables, dtype=np.int64)] = True

    def add_indicators(self, variables: Sequence[int], *, one_hot: bool = True) -> None:
        """Add one column ``value`` for each pair of the variables that are not yet defined.

        With ``one_hot`` a row ``choose`` per variable makes exactly one of its columns 1; leave it out only
        if other rows imply it.
        """
        new = [v for v in variables if not self._defined[v]]
        if not new:
            return
        names = self.problem.variables
        pairs = np.flatnonzero(np.isin(self.pair_variables, new))
        columns = self.add_columns("value", len(pairs), lambda: self.label_pairs(pairs))
        self.define(pairs, columns)
        self.mark_defined(new)
        if one_hot:
            ordered = sorted(new)
            rows = self.add_rows("choose", len(new), 1, 1, lambda: [(names[v].name,) for v in ordered])
            self.add_terms(rows[np.searchsorted(ordered, self.pair_variables[pairs])], columns, 1)

    def add_rows(
        self,
        family: str,
        count: int,
        lower: npt.ArrayLike,
        upper: npt.ArrayLike,
        labels: Callable[[], Sequence[Label]],
    ) -> Ints:
        """Add rows without terms and return their numbers; a bound is one number for all rows or one each."""
        first = self._row_count
        self._name_rows(family, count, labels)
        self._lower.append(np.broadcast_to(np.asarray(lower, dtype=np.float64), count))
        self._upper.append(np.broadcast_to(np.asarray(upper, dtype=np.float64), count))
        return np.arange(first, first + count)

    def _name_rows(self, family: str, count: int, labels: Callable[[], Sequence[Label]]) -> None:
        self._rows.append(ColumnFamily(family, self._row_count, count, labels))
        self._row_count += count

    def add_terms(self, rows: npt.ArrayLike, columns: npt.ArrayLike, coefficients: npt.ArrayLike) -> None:
        """Add terms over columns to rows; the coefficient is one number for all terms or one each."""
        self._column_terms.append(_terms(rows, columns, coefficients))

    def add_pair_terms(self, rows: npt.ArrayLike, pairs: npt.ArrayLike, coefficients: npt.ArrayLike) -> None:
        """Add terms over pairs to rows; the coefficient is one number for all terms or one each."""
        self._pair_terms.append(_terms(rows, pairs, coefficients))

    def link(
        self,
        pairs: npt.ArrayLike,
        meanings: Iterable[tuple[npt.ArrayLike, npt.ArrayLike]],
        labels: Callable[[], Sequence[Label]],
    ) -> None:
        """Add rows ``link``: each of the pairs equals the sum of its columns in ``meanings``."""
        linked = np.asarray(pairs, dtype=np.int64)
        rows = self.add_rows("link", len(linked), 0, 0, labels)
        self.add_pair_terms(rows, linked, 1)
        row_of = np.full(len(self.pair_values), -1)
        row_of[linked] = rows
        for defined, columns in meanings:
            self.add_terms(row_of[np.asarray(defined, dtype=np.int64)], columns, -1)

    def finish(self, formulation: str, apart: Sequence[int] = ()) -> EncodedModel:
        """Return the model, with pairs replaced by columns and terms of the same row and column summed.

        The pairs of the variables ``apart`` get columns of their own, by which solutions can be cut off.
        """
        first_row = self._row_count
        for family, some in groupby(self._yielded, itemgetter(0)):
            labels = [row[1] for row in some]
            self._name_rows(family, len(labels), partial(list, labels))
        self._lower.append(np.array([row[2] for row in self._yielded], np.float64))
        self._upper.append(np.array([row[3] for row in self._yielded], np.float64))
        self.add_indicators(np.flatnonzero(~self._defined).tolist())
        first_column = self._column_count
        for family, singles in groupby(self._single_columns, itemgetter(0)):
            labels = [label for _, label in singles]
            self.add_columns(family, len(labels), partial(list, labels))
        self._add_yielded_terms(first_row, first_column)
        if not self._column_count:  # engines disagree about models without columns
            column = self.add_columns("nothing", 1, lambda: [("at all",)])
            self.add_terms(self.add_rows("idle", 1, 0, 1, lambda: [("at all",)]), column, 1)
        pairs, pair_columns = self._set_apart(np.asarray(apart, dtype=np.int64))
        terms = [*self._column_terms, self._expand(pairs, pair_columns)]
        # Sort the terms by row, then column, and sum those at the same position.
        width = self._column_count
        places = _concatenate([rows * width + columns for rows, columns, _ in terms])
        order = np.argsort(places, kind="stable")
        places = places[order]
        first = np.flatnonzero(np.diff(places, prepend=-1))
        values = np.concatenate([coefficients for _, _, coefficients in terms])[order]
        values = np.add.reduceat(values, first) if len(first) else values
        kept = values != 0
        rows, columns = np.divmod(places[first[kept]], width)
        stated = Arrays(
            lower=np.zeros(width),
            upper=np.ones(width),
            integer=np.ones(width, bool),
            costs=self._costs(pairs, pair_columns),
            row_lower=np.concatenate([np.empty(0), *self._lower]),
            row_upper=np.concatenate([np.empty(0), *self._upper]),
            start=np.searchsorted(rows, np.arange(self._row_count + 1)),
            index=columns,
            value=values[kept],
        )
        return EncodedModel(
            BinaryColumns(self._columns, stated.costs),
            StatedRows(self._rows, stated),
            name=model_name(self.problem.name),
            named=formulation,
            column_families=tuple(self._columns),
            row_families=tuple(self._rows),
            stated=stated,
            pairs=pairs,
            pair_columns=pair_columns,
            pair_variables=self.pair_variables,
            pair_values=self.pair_values,
            variable_count=len(self.problem.variables),
        )

    def _costs(self, pairs: Ints, pair_columns: Ints) -> Floats | None:
        """Return the cost of each column: those of all pairs that it means. None without an objective."""
        objective = self.problem.objective
        if objective is None:
            return None
        costs, of_pair = objective.costs, np.zeros(len(self.pair_values))
        for v, of_value in costs.items():
            for p in range(self._first_pairs[v], self._first_pairs[v + 1]):
                of_pair[p] = of_value.get(int(self.pair_values[p]), 0)
        total = np.bincount(pair_columns, weights=of_pair[pairs], minlength=self._column_count)
        return total.astype(np.float64)

    def _add_yielded_terms(self, first_row: int, first_column: int) -> None:
        """Add the terms of the yielded rows, the first of which and the first of whose columns are given."""
        terms = [row[4] for row in self._yielded]
        lengths = [len(some) for some in terms]
        flat = list(chain.from_iterable(terms))
        numbers = np.fromiter(map(itemgetter(0), flat), np.int64, len(flat))
        coefficients = np.fromiter(map(itemgetter(1), flat), np.float64, len(flat))
        rows = first_row + np.repeat(np.arange(len(terms)), lengths)
        paired = numbers >= 0
        self.add_pair_terms(rows[paired], numbers[paired], coefficients[paired])
        self.add_terms(rows[~paired], first_column + ~numbers[~paired], coefficients[~paired])

    def _set_apart(self, variables: Ints) -> tuple[Ints, Ints]:
        """Return the pairs with their columns, after each pair of the variables has a column of its own.

        A variable needs new columns if one of its pairs is a sum, or shares its column with another pair.
        Rows ``link`` state that the new column equals the sum.
        """
        pairs = _concatenate([pairs for pairs, _ in self._meanings])
        columns = _concatenate([columns for _, columns in self._meanings])
        if not len(variables):  # numpy.unique, below, first imports numpy.ma
            return pairs, columns
        mine = np.isin(self.pair_variables[pairs], variables)
        in_sum = np.bincount(pairs[mine], minlength=len(self.pair_values))[pairs] > 1
        shared = np.bincount(columns[mine], minlength=self._column_count)[columns] > 1
        without = np.unique(self.pair_variables[pairs[mine & (in_sum | shared)]])
        if not len(without):
            return pairs, columns
        moved = np.isin(self.pair_variables[pairs], without)
        new = np.unique(pairs[moved])
        added = self.add_columns("value", len(new), lambda: self.label_pairs(new))
        rows = self.add_rows("link", len(new), 0, 0, lambda: self.label_pairs(new))
        self.add_terms(rows, added, 1)
        self.add_terms(rows[np.searchsorted(new, pairs[moved])], columns[moved], -1)
        return np.concatenate([pairs[~moved], new]), np.concatenate([columns[~moved], added])

    def _expand(self, pairs: Ints, pair_columns: Ints) -> Terms:
        """Return the terms over pairs as terms over columns."""
        rows = _concatenate([rows for rows, _, _ in self._pair_terms])
        used = _concatenate([used for _, used, _ in self._pair_terms])
        coefficients = np.concatenate([np.empty(0), *(c for _, _, c in self._pair_terms)])
        wanted = np.zeros(len(self.pair_values), bool)
        wanted[used] = True
        mask = wanted[pairs]
        order = np.argsort(pairs[mask], kind="stable")
        columns = pair_columns[mask][order]
        first = np.searchsorted(pairs[mask][order], np.arange(len(self.pair_values) + 1))
        lengths = first[used + 1] - first[used]
        ends = np.cumsum(lengths)
        within = np.arange(lengths.sum()) - np.repeat(ends - lengths, lengths)
        return (
            np.repeat(rows, lengths),
            columns[np.repeat(first[used], lengths) + within],
            np.repeat(coefficients, lengths),
        )


def _terms(rows: npt.ArrayLike, others: npt.ArrayLike, coefficients: npt.ArrayLike) -> Terms:
    numbers = np.asarray(rows, dtype=np.int64)
    each = np.broadcast_to(np.asarray(coefficients, dtype=np.float64), numbers.shape)
    return numbers, np.asarray(others, dtype=np.int64), each


def _concatenate(chunks: list[Ints]) -> Ints:
    return np.concatenate([np.empty(0, np.int64), *chunks])


def formulate(problem: Problem, formulation: str = "", key: str = "") -> EncodedModel:
    """Return the 0-1 model of the problem.

    Parameters
    ----------
    formulation
        Names of linearisations, separated by commas, each for the constraints that it applies to. A
        constraint without a named linearisation gets the default for its size.
    key
        Name of the key by which solutions are to be listed, or empty. With a key, the default linearisation
        is one with separate columns for the variables of the key.

    Raises
    ------
    UsageError
        If a name is unknown, or no name applies to a constraint of the problem.
    """
    require_problem("formulate", problem)
    named = [name.strip() for name in formulation.split(",") if name.strip()]
    own = own_names() if named else ()
    further: dict[str, Linearisation] = {}
    for name in named:
        if name not in own:
            if (one := linearisation(name)) is None:
                raise unknown_name("formulation", name, choices())
            further[name] = one
    projecting = bool(key) and len(set(problem.keys[key])) < len(problem.variables)
    resolve = cache(plugins.load)
    draft = Draft(problem)
    used: list[str] = []
    # The constraints with the most linearisations come first: a cover defines its values if it can.
    for constraint in sorted(problem.constraints, key=lambda c: -max(1, len(c.linearisations))):
        ways = constraint.linearisations
        fitting = (
            n for n in named if n in ways or (n in further and isinstance(constraint, further[n].constraints))
        )
        name = next(fitting, "") or constraint.default_linearisation(listing=bool(key), projecting=projecting)
        if name in further:
            with plugins.PluginErrors(f"the linearisation {name} failed"):
                draft.add([Row(*row) for row in further[name].state(draft, constraint) or ()])
        elif name:
            draft.add(resolve(ways[name])(draft, constraint) or ())
        else:
            draft.add(constraint.linear_rows(draft))
        if name in named or len(ways) > 1:  # the default is named only where there is a choice
            used.append(name)
    if named and not set(named) & set(used):
        known = ", ".join(choices(problem))
        known = f"it can be stated by {known}" if known else "it is stated in one way only"
        raise UsageError(f"this puzzle has nothing that {formulation!r} could state; {known}")
    return draft.finish(",".join(dict.fromkeys(used)), problem.keys[key] if projecting else ())
