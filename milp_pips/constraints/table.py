"""The constraint that lists the allowed rows of values."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import log2, prod
from operator import and_, contains, or_
from typing import ClassVar, Self

from milp_pips.constraints.rows import Links, links, one_of, unit_flow
from milp_pips.problem.automaton import ConstraintAutomaton, Domain, places
from milp_pips.problem.constraint import Assignment, ClauseBuilder, Constraint, Domains, Row, RowBuilder
from milp_pips.problem.fields import check_scope, rows_of_numbers, set_field, shown


@dataclass(frozen=True, slots=True, repr=False)
class Table(Constraint):
    """The values of the variables, in this order, are one of the rows.

    Rows are read and shown as text such as ``0 0 1; 0 1 0``.
    """

    variables: tuple[int, ...]
    rows: tuple[tuple[int, ...], ...]
    label: str = ""

    def __post_init__(self) -> None:
        check_scope(self)
        set_field(self, "rows", rows_of_numbers("Table", "rows", self.rows, len(self.variables)))

    @classmethod
    def from_text(cls, variables: Sequence[int], text: str, label: str = "") -> Self:
        """Return the table with these rows, such as ``"0 0 1; 0 1 0"``. Raises ValueError."""
        try:
            rows = [[int(number) for number in row.split()] for row in text.split(";") if text.strip()]
        except ValueError:
            raise ValueError(f"Table takes rows such as '0 0 1; 0 1 0', not {shown(text)}") from None
        return cls(tuple(variables), tuple(map(tuple, rows)), label)

    @property
    def text(self) -> str:
        """The rows as text."""
        return "; ".join([" ".join(map(str, row)) for row in self.rows])

    def __repr__(self) -> str:
        return f"Table.from_text({self.variables}, {self.text!r}, {self.label!r})"

    def holds(self, assignment: Assignment) -> bool:
        return tuple(assignment[v] for v in self.variables) in self.rows

    def within(self, domains: Sequence[Container[int]]) -> list[tuple[int, ...]]:
        """Return the distinct rows that the domains allow; ``domains`` are in the order of the variables."""
        return [row for row in dict.fromkeys(self.rows) if all(map(contains, domains, row))]

    def propagator(self, domains: Domains) -> Callable[[], None]:
        """Keep the values that occur in a row allowed by all domains."""
        variables, why = self.variables, self.failure
        # A value that no domain has gets the bit 0, so that its row never counts.
        rows = [[domains.bit.get(value, 0) for value in row] for row in self.rows]

        def propagate() -> None:
            masks = [domains.masks[v] for v in variables]
            supported = [0] * len(masks)
            for bits in rows:
                if all(map(and_, masks, bits)):
                    supported = list(map(or_, supported, bits))
            for v, values in zip(variables, supported, strict=True):
                domains.keep(v, values, why)

        return propagate

    def is_possible(self, domains: Sequence[tuple[int, ...]]) -> bool:
        return bool(self.within(domains))

    linearisations: ClassVar[Mapping[str, str]] = {
        "tuples": "milp_pips.constraints.table:tuples",
        "tree": "milp_pips.constraints.table:tree",
    }

    def linear_rows(self, builder: RowBuilder) -> Iterator[Row]:
        return tuples(builder, self)

    def clauses(self, builder: ClauseBuilder) -> bool:
        """Add that one of the rows holds, with a literal per row.

        A row implies its values, and a value needs a row that has it, so unit propagation finds all
        consequences (Bacchus 2007).
        """
        domains, rows = [builder.domain(v) for v in self.variables], []
        supports = [{value: list[int]() for value in domain} for domain in domains]
        for values in self.within(domains):
            if builder.interrupted():
                break
            row = builder.new()
            rows.append(row)
            for v, value, support in zip(self.variables, values, supports, strict=True):
                builder.add(-row, builder.literal(v, value))
                support[value].append(row)
        builder.add(*rows)
        for v, support in zip(self.variables, supports, strict=True):
            for value, having in support.items():
                builder.add(-builder.literal(v, value), *having)
        return True

    def decision_automaton(self, domains: Sequence[Domain]) -> TableAutomaton:
        return TableAutomaton(domains, self.within(domains))

    def simplify(self, domains: Sequence[Domain]) -> Iterator[Constraint]:
        """Yield the allowed rows, restricted to the open variables; nothing if they allow all."""
        rows = self.within([domains[v] for v in self.variables])
        self.demand(bool(rows))
        opened = [i for i, v in enumerate(self.variables) if len(domains[v]) > 1]
        left = tuple([self.variables[i] for i in opened])
        kept = tuple([tuple([row[i] for i in opened]) for row in rows])
        if len(kept) < prod([len(domains[v]) for v in left]):
            yield Table(left, kept, self.label)


def tuples(builder: RowBuilder, table: Table) -> Iterator[Row]:
    """Yield the rows of one binary per allowed tuple, exactly one of which is chosen.

    The linear relaxation of a single table has only integer vertices.
    """
    return one_of(builder, "tuple", table.label, table.variables, _allowed(builder, table))


def tree(builder: RowBuilder, table: Table) -> Iterator[Row]:
    """Yield a unit flow from the root to a leaf of the tree of all prefixes of allowed tuples.

    Tuples with a common prefix share its columns.
    """
    variables, allowed = table.variables, _allowed(builder, table)
    if not variables and allowed:
        return

    def label(prefix: tuple[int, ...]) -> tuple[str, ...]:
        return (table.label, *map(builder.written, prefix, table.variables))

    prefixes = sorted({row[:end] for row in allowed for end in range(1, len(row) + 1)})
    inner = [prefix for prefix in prefixes if len(prefix) < len(variables)]
    balance: dict[tuple[int, ...], list[tuple[int, float]]] = {prefix: [] for prefix in [(), *inner]}
    columns: Links = defaultdict(list)
    for prefix in prefixes:
        column = builder.add_column("branch", label(prefix))
        balance[prefix[:-1]].append((column, 1.0))
        columns[variables[len(prefix) - 1], prefix[-1]].append((column, -1.0))
        if prefix in balance:
            balance[prefix].append((column, -1.0))
    yield from unit_flow((), balance, label)
    yield from links(builder, variables, columns, (table.label,))


def _allowed(builder: RowBuilder, table: Table) -> list[tuple[int, ...]]:
    """Return the rows of the table that the domains allow."""
    return table.within([builder.domain(v) for v in table.variables])


class TableAutomaton(ConstraintAutomaton[int]):
    """A state is a bit mask of the remaining rows; of rows that agree at the open places, only the first."""

    symmetric = False

    def __init__(self, domains: Sequence[Domain], rows: Sequence[tuple[int, ...]]):
        super().__init__(domains)
        self._rows = rows
        self.start = (1 << len(rows)) - 1
        self._having = [dict[int, int]() for _ in domains]
        for i, row in enumerate(rows):
            for having, value in zip(self._having, row, strict=True):
                having[value] = having.get(value, 0) | 1 << i
        self._firsts: dict[int, list[int]] = {}

    def step(self, state: int, rest: int, place: int, value: int) -> int | None:
        allowed = state & self._having[place].get(value, 0)
        if not allowed:
            return None
        # Rows that agree on all open places have the same futures, so the first one stands for them.
        first, following = self._first(rest), 0
        for i in places(allowed):
            following |= 1 << first[i]
        return following

    def state_bits(self, decided: int) -> float:
        if decided == len(self.domains):
            return 0.0
        return min(self.choice_bits(decided), log2(max(1, len(self._rows))))

    def lost_bits(self, decided: int) -> float:
        return max(0.0, self.choice_bits(decided) - log2(max(1, len(self._rows))))

    def _first(self, rest: int) -> list[int]:
        """Return for each row the first row with the same values at the open places."""
        found = self._firsts.get(rest)
        if found is None:
            opened, first = list(places(rest)), dict[tuple[int, ...], int]()
            found = self._firsts[rest] = [
                first.setdefault(tuple([row[place] for place in opened]), i)
                for i, row in enumerate(self._rows)
            ]
        return found
