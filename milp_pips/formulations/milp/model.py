"""The 0-1 model: named families of binary columns and of rows over one sparse matrix, with its exports.

A ``Model`` converts to highspy, PuLP and Pyomo, and to LP and MPS files.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from milp_pips.problem import UsageError

if TYPE_CHECKING:
    import numpy.typing as npt
    from highspy import Highs
    from pulp import LpProblem
    from pyomo.environ import ConcreteModel

__all__ = ["ColumnFamily", "Floats", "Ints", "Label", "Model"]

Ints: TypeAlias = "npt.NDArray[np.int64]"
Floats: TypeAlias = "npt.NDArray[np.float64]"
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


GREAT_COEFFICIENT = 1000
"""The coefficient from which on tolerances are tighter: a column that is 1 but for 1e-6, the usual tolerance,
may miss a row by 1 if its coefficient is a million."""


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """A 0-1 model: find x in {0, 1}^columns with ``row_lower <= A x <= row_upper`` and least cost.

    Parameters
    ----------
    formulation
        Names of the linearisations that were used, such as ``projected``.
    columns, rows
        The families, which are consecutive and cover all columns and rows.
    row_lower, row_upper
        Bounds of the rows, shape (rows,); infinite for no bound.
    start, index, value
        The matrix A by rows (CSR): shapes (rows + 1,), (nonzeros,), (nonzeros,).
    pairs, pair_columns
        The definitions of the pairs (variable = value): a pair is the sum of all ``pair_columns`` whose entry
        in ``pairs`` is this pair. Pairs are numbered consecutively over all variables and the values of their
        domains. Both shapes are (terms,).
    pair_variables, pair_values
        Variable and value of each pair, shape (pairs,).
    variable_count
        Number of variables of the problem.
    title
        The original name of the puzzle; see ``name``.
    costs
        The cost of each column, shape (columns,), see ``milp_pips.problem.objective``; None if any solution
        will do.
    """

    formulation: str
    columns: tuple[ColumnFamily, ...]
    rows: tuple[ColumnFamily, ...]
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
    title: str = ""
    costs: Floats | None = None

    @property
    def name(self) -> str:
        """The puzzle's name, safe in files and as a file name: ASCII letters, digits and ``_``."""
        return _identifier([self.title])[:MAX_MODEL_NAME].strip("_") or "puzzle"

    @property
    def size(self) -> dict[str, int]:
        """The numbers of ``columns``, ``rows`` and ``nonzeros`` of the model."""
        return {
            "columns": sum(family.count for family in self.columns),
            "rows": len(self.row_lower),
            "nonzeros": len(self.index),
        }

    def __str__(self) -> str:
        size, families = self.size, {"columns": self.columns, "rows": self.rows}
        lines = [f"{self.formulation}: " + ", ".join(f"{n} {what}" for what, n in size.items())]
        for what, some in families.items():
            counts = numbers_by_name(some)
            lines.append(f"{what}: " + (", ".join(f"{n} {name}" for name, n in counts.items()) or "none"))
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """Return an HTML table of the families with their numbers of columns or rows."""
        from html import escape  # few programs need it

        size = self.size
        cells = [
            f"<tr><td>{what}</td><td>{escape(name)}</td><td>{n}</td></tr>"
            for what, families in (("columns", self.columns), ("rows", self.rows))
            for name, n in numbers_by_name(families).items()
        ]
        return (
            f"<table><caption>{escape(self.formulation)}: {size['columns']} columns, {size['rows']} rows, "
            f"{size['nonzeros']} nonzeros</caption><tr><th></th><th>family</th><th>number</th></tr>"
            f"{''.join(cells)}</table>"
        )

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

    def row(self, i: int) -> tuple[Ints, Floats]:
        """Return the columns and coefficients of row ``i``."""
        part = slice(int(self.start[i]), int(self.start[i + 1]))
        return self.index[part], self.value[part]

    def column_names(self) -> list[str]:
        """Return a readable and unique name for each column, valid in LP and MPS files."""
        return list(_names(self.columns))

    def row_names(self) -> list[str]:
        """Return a readable and unique name for each row, valid in LP and MPS files."""
        return list(_names(self.rows))

    def to_highspy(self) -> Highs:
        """Return a silent ``highspy.Highs`` with the model, without names.

        Raises RuntimeError if HiGHS rejects the model.
        """
        import highspy

        highs = highspy.Highs()
        highs.setOptionValue("output_flag", False)
        if len(self.value) and abs(self.value).max() > GREAT_COEFFICIENT:
            for kind in ("mip", "primal"):
                highs.setOptionValue(f"{kind}_feasibility_tolerance", 1e-9)
        if self.costs is not None:
            highs.setOptionValue("mip_rel_gap", 0.0)  # else "optimal" means within 0.01 %
        columns, rows = self.size["columns"], self.size["rows"]
        status = highs.passModel(
            columns,
            rows,
            len(self.index),
            int(highspy.MatrixFormat.kRowwise),
            int(highspy.ObjSense.kMinimize),
            0.0,
            np.zeros(columns) if self.costs is None else self.costs,
            np.zeros(columns),
            np.ones(columns),
            self.row_lower,
            self.row_upper,
            self.start.astype(np.int32),
            self.index.astype(np.int32),
            self.value,
            np.ones(columns, dtype=np.int32),  # integrality: all integer
        )
        if status == highspy.HighsStatus.kError:
            raise RuntimeError("HiGHS refused the model")
        return highs

    def to_pulp(self) -> LpProblem:
        """Return the model as a ``pulp.LpProblem`` with the puzzle's name.

        Variables and constraints are named after family and label, for example ``place_1_5_r1c1_r1c2`` and
        ``cover_r1c1``.
        """
        import pulp

        problem = pulp.LpProblem(self.name, pulp.LpMinimize)
        x = [problem.add_variable(name, cat=pulp.LpBinary) for name in self.column_names()]
        problem += pulp.lpSum(a * x[j] for j, a in self.cost_terms()), self._objective_name
        compare = {"=": operator.eq, "<=": operator.le, ">=": operator.ge}
        for i, name in enumerate(self.row_names()):
            total = pulp.lpSum(a * x[j] for j, a in self._terms(i))
            for suffix, sign, bound in self._sides(i):
                constraint = compare[sign](total, bound)
                constraint.changeRHS(bound)  # otherwise PuLP prints "<= -0.0"
                problem += constraint, f"{name}{suffix}"
        return problem

    def to_pyomo(self) -> ConcreteModel:
        """Return the model as a ``pyomo.environ.ConcreteModel`` with the puzzle's name.

        There is one indexed ``Var`` per family of columns, such as ``model.place[0, 3, "r1c1", "r1c2"]``, and
        one indexed ``Constraint`` per family of rows, such as ``model.use[0, 3]`` and
        ``model.cover["r1c1"]``. The index sets are ``model.place_index`` and so on.
        """
        import pyomo.environ as pyo
        from pyomo.core.expr import LinearExpression

        concrete = pyo.ConcreteModel(self.name)

        def index_set(name: str, labels: list[Any]) -> Any:
            lengths = {len(label) if isinstance(label, tuple) else 1 for label in labels}
            dimen = lengths.pop() if len(lengths) == 1 else None  # None: the labels differ in length
            setattr(concrete, f"{name}_index", pyo.Set(initialize=labels, dimen=dimen))
            return getattr(concrete, f"{name}_index")

        x: dict[int, Any] = {}
        for name, numbers in numbers_by_label(self.columns).items():
            variables = pyo.Var(index_set(name, list(numbers)), domain=pyo.Binary)
            setattr(concrete, name, variables)
            x |= {j: variables[label] for label, j in numbers.items()}

        def row(i: int) -> Any:
            terms = self._terms(i)
            low, high = _exact(self.row_lower[i]), _exact(self.row_upper[i])
            if not terms:  # Pyomo requires a variable in every constraint
                if low <= 0 <= high:
                    return pyo.Constraint.Skip
                if not hasattr(concrete, "zero"):
                    concrete.zero = pyo.Var(bounds=(0, 0))
                return concrete.zero == 1
            total = LinearExpression(linear_coefs=[a for _, a in terms], linear_vars=[x[j] for j, _ in terms])
            if low == high:
                return total == low
            return (None if low == -np.inf else low, total, None if high == np.inf else high)

        def rule(numbers: dict[Any, int]) -> Callable[..., Any]:
            return lambda _, *label: row(numbers[label[0] if len(label) == 1 else label])

        for name, numbers in numbers_by_label(self.rows).items():
            setattr(concrete, name, pyo.Constraint(index_set(name, list(numbers)), rule=rule(numbers)))
        cost = sum(a * x[j] for j, a in self.cost_terms())
        setattr(concrete, self._objective_name, pyo.Objective(expr=cost))
        return concrete

    def to_lp(self) -> str:
        """Return the model in CPLEX LP format, with a comment before each family of rows.

        Positive terms come first, so that an implication reads ``place - value <= 0``.
        """
        names = self.column_names()
        family_at = {family.first: family.name for family in self.rows}
        lines = [f"\\ Problem name: {self.name}", f"\\ formulation: {self.formulation}"]
        cost = " ".join(_term(a, names[j]) for j, a in self.cost_terms()).removeprefix("+ ")
        lines += ["Minimize", *_wrap(f" {self._objective_name}: {cost}".rstrip()), "Subject To"]
        for i, name in enumerate(self.row_names()):
            if i in family_at:
                lines.append(f"\\ {family_at[i]}")
            total = " ".join(_term(a, names[j]) for j, a in self._terms(i)).removeprefix("+ ")
            for suffix, sign, bound in self._sides(i):
                lines += _wrap(f" {name}{suffix}: {total or f'0 {names[0]}'} {sign} {bound:g}")
        lines += ["Binary", *_wrap(" " + " ".join(names)), "End"]
        return "\n".join(lines) + "\n"

    def to_mps(self, *, names: bool = True) -> str:
        """Return the model in free MPS format; without ``names``, rows are R0, R1, …, columns C0, C1, …."""
        size = self.size
        columns = self.column_names() if names else [f"C{j}" for j in range(size["columns"])]
        rows = self.row_names() if names else [f"R{i}" for i in range(size["rows"])]
        kinds, right, ranges = [], [], []
        for name, low, high in zip(rows, self.row_lower.tolist(), self.row_upper.tolist(), strict=True):
            kinds.append(f" {'E' if low == high else 'L' if high < np.inf else 'G'} {name}")
            right.append(f" RHS {name} {high if high < np.inf else low:g}")
            if -np.inf < low < high < np.inf:
                ranges.append(f" RNG {name} {high - low:g}")
        # Entries by column. Each begins with its cost, so that a column without rows is listed as well.
        cost, objective = dict(self.cost_terms()), self._objective_name
        entries = [[f" {name} {objective} {cost.get(j, 0)}"] for j, name in enumerate(columns)]
        row_of = np.repeat(np.arange(size["rows"]), np.diff(self.start)).tolist()
        for j, i, a in zip(self.index.tolist(), row_of, self.value.tolist(), strict=True):
            entries[j].append(f" {columns[j]} {rows[i]} {a:g}")
        return "\n".join(
            [
                f"NAME {self.name} FREE",
                "ROWS",
                f" N {objective}",
                *kinds,
                "COLUMNS",
                *(entry for column in entries for entry in column),
                "RHS",
                *right,
                *(["RANGES", *ranges] if ranges else []),
                "BOUNDS",
                *(f" BV BND {name}" for name in columns),
                "ENDATA",
                "",
            ]
        )

    @property
    def _objective_name(self) -> str:
        return "any_solution_will_do" if self.costs is None else "cost"

    def cost_terms(self) -> list[tuple[int, float]]:
        """Return column and cost of each column with a cost, positive costs first."""
        terms = () if self.costs is None else enumerate(map(_exact, self.costs))
        return sorted((term for term in terms if term[1]), key=lambda term: term[1] < 0)

    def _terms(self, i: int) -> list[tuple[int, float]]:
        """Return column and coefficient of each term of a row, positive coefficients first."""
        columns, coefficients = self.row(i)
        terms = zip(columns.tolist(), map(_exact, coefficients), strict=True)
        return sorted(terms, key=lambda term: term[1] < 0)

    def _sides(self, i: int) -> Iterator[tuple[str, str, float]]:
        """Yield the suffix of the name, the sign and the bound of each of the one or two sides of a row."""
        low, high = _exact(self.row_lower[i]), _exact(self.row_upper[i])
        if low == high:
            yield "", "=", low
            return
        if high < np.inf:
            yield "", "<=", high
        if low > -np.inf:
            yield ("_at_least" if high < np.inf else ""), ">=", low


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


def _names(families: tuple[ColumnFamily, ...]) -> Iterator[str]:
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


def _exact(number: np.float64) -> float:
    """Return the number, as an int if it is integral, since libraries print an int without ``.0``."""
    return int(number) if number.is_integer() else float(number)


_WORDS = {"=": "eq", "≠": "neq", "<": "lt", ">": "gt", "≤": "le", "≥": "ge"}


def _plain(character: str) -> str:
    if character.isascii() and character.isalnum():
        return character
    return _WORDS.get(character, "_" if character.isascii() else f"u{ord(character):x}")


def _term(coefficient: float, name: str) -> str:
    sign = "-" if coefficient < 0 else "+"
    return f"{sign} {name}" if abs(coefficient) == 1 else f"{sign} {abs(coefficient):g} {name}"


def _wrap(line: str) -> list[str]:
    """Return the line broken into several, since LP readers limit the length of a line."""
    import textwrap

    return textwrap.wrap(line, 100, initial_indent=" ", subsequent_indent="   ", break_long_words=False)
