"""A puzzle as every engine understands it: finite-domain variables, constraints and keys.

A variable is known by its position in ``Problem.variables``; constraints and keys name variables by
these positions, and an assignment is a sequence that holds one integer per position.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from enum import StrEnum
from operator import contains
from typing import Any, NamedTuple, Protocol, TypeAlias

Assignment: TypeAlias = Sequence[int] | Mapping[int, int]
"""Values looked up by the position of their variable in ``Problem.variables``."""


class Variable(NamedTuple):
    """An integer variable: its name for people, and its finite domain in increasing order."""

    name: str
    domain: tuple[int, ...]


class Constraint(Protocol):
    """What every constraint offers."""

    @property
    def label(self) -> str:
        """The rule of the game that this constraint states, in the player's words."""

    @property
    def variables(self) -> tuple[int, ...]:
        """The variables it speaks of, each once."""

    def holds(self, assignment: Assignment) -> bool:
        """Whether the assignment obeys the constraint, exactly."""


@dataclass(frozen=True, slots=True)
class AllEqual:
    """All variables take the same value."""

    variables: tuple[int, ...]
    label: str = ""

    def holds(self, assignment: Assignment) -> bool:
        return len({assignment[v] for v in self.variables}) <= 1


@dataclass(frozen=True, slots=True)
class AllDifferent:
    """No two variables take the same value."""

    variables: tuple[int, ...]
    label: str = ""

    def holds(self, assignment: Assignment) -> bool:
        return len({assignment[v] for v in self.variables}) == len(self.variables)


class Relation(StrEnum):
    """How a sum compares with its target."""

    EQ = "=="
    LE = "<="
    GE = ">="


@dataclass(frozen=True, slots=True)
class LinearSum:
    """The sum of the variables is ``==``, ``<=`` or ``>=`` the target.

    With ``coefficients``, one per variable, each variable counts so many times; without, each counts once.
    """

    variables: tuple[int, ...]
    relation: Relation
    target: int
    label: str = ""
    coefficients: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if self.coefficients and len(self.coefficients) != len(self.variables):
            count = f"{len(self.coefficients)} coefficients for {len(self.variables)} variables"
            raise ValueError(f"a sum has one coefficient per variable, or none at all; here are {count}")

    def __getstate__(self) -> list[Any]:
        """Return the values of the fields; without coefficients, as before there were any."""
        state = [self.variables, self.relation, self.target, self.label]
        return [*state, self.coefficients] if self.coefficients else state

    def __setstate__(self, state: Sequence[Any]) -> None:
        for f, value in zip(fields(self), (*state, ()), strict=False):
            object.__setattr__(self, f.name, value)

    @property
    def terms(self) -> tuple[tuple[int, int], ...]:
        """The sum as pairs: how many times a variable counts, and the variable."""
        return tuple(zip(self.coefficients or (1,) * len(self.variables), self.variables, strict=True))

    @property
    def bounds(self) -> tuple[int | None, int | None]:
        """The least and the greatest sum allowed; None where there is no such bound."""
        return (
            None if self.relation is Relation.LE else self.target,
            None if self.relation is Relation.GE else self.target,
        )

    def holds(self, assignment: Assignment) -> bool:
        low, high = self.bounds
        total = sum(times * assignment[v] for times, v in self.terms)
        return (low is None or total >= low) and (high is None or total <= high)


@dataclass(frozen=True, slots=True)
class Less:
    """The first of two variables is less than the second; without ``strict``, it may also be equal."""

    variables: tuple[int, int]
    strict: bool = True
    label: str = ""

    @property
    def gap(self) -> int:
        """By how much the second is greater, at least."""
        return int(self.strict)

    def holds(self, assignment: Assignment) -> bool:
        less, greater = self.variables
        return assignment[less] + self.gap <= assignment[greater]


@dataclass(frozen=True, slots=True)
class Table:
    """The values of the variables, in this order, are one of the rows."""

    variables: tuple[int, ...]
    rows: tuple[tuple[int, ...], ...]
    label: str = ""

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.variables):
                raise ValueError(f"a table of {len(self.variables)} variables has the row {row}")

    def holds(self, assignment: Assignment) -> bool:
        return tuple(assignment[v] for v in self.variables) in self.rows

    def within(self, domains: Sequence[Container[int]]) -> list[tuple[int, ...]]:
        """Return the different rows that the domains of the variables, in their order, allow."""
        return [row for row in dict.fromkeys(self.rows) if all(map(contains, domains, row))]


@dataclass(frozen=True, slots=True)
class Cardinality:
    """Global cardinality: value ``v`` occurs at least ``low`` and at most ``high`` times.

    ``bounds`` holds one triple ``(v, low, high)`` per value; a value without a triple is free.
    """

    variables: tuple[int, ...]
    bounds: tuple[tuple[int, int, int], ...]
    label: str = ""

    def holds(self, assignment: Assignment) -> bool:
        occurs = Counter(assignment[v] for v in self.variables)
        return all(low <= occurs[value] <= high for value, low, high in self.bounds)


@dataclass(frozen=True, slots=True)
class Automaton:
    """A deterministic finite automaton (DFA) over integer symbols.

    ``arcs`` holds triples ``(state, symbol, next state)``; a missing arc rejects.
    """

    start: int
    accepting: frozenset[int]
    arcs: tuple[tuple[int, int, int], ...]

    def __post_init__(self) -> None:
        if len({(state, symbol) for state, symbol, _ in self.arcs}) != len(self.arcs):
            raise ValueError(
                "two arcs leave one state with the same symbol: the automaton is not deterministic"
            )

    def accepts(self, word: Iterable[int]) -> bool:
        """Whether the automaton accepts the word."""
        step = {(state, symbol): target for state, symbol, target in self.arcs}
        state: int | None = self.start
        for symbol in word:
            state = step.get((state, symbol)) if state is not None else None
        return state in self.accepting


@dataclass(frozen=True, slots=True)
class Regular:
    """The sequence of values is a word that the automaton accepts (Pesant 2004)."""

    variables: tuple[int, ...]
    automaton: Automaton
    label: str = ""

    def holds(self, assignment: Assignment) -> bool:
        return self.automaton.accepts(assignment[v] for v in self.variables)


@dataclass(frozen=True, slots=True)
class NoGood:
    """At least ``least`` of the variables differ from the values given for them: not this solution again."""

    variables: tuple[int, ...]
    values: tuple[int, ...]
    least: int = 1
    label: str = "not a solution that is known"

    def holds(self, assignment: Assignment) -> bool:
        differ = sum(assignment[v] != a for v, a in zip(self.variables, self.values, strict=True))
        return differ >= self.least


@dataclass(frozen=True, slots=True)
class DominoCover:
    """The cells are perfectly matched along edges, and the matched value pairs are the given dominoes.

    Cell ``i`` has the value variable ``values[i]`` and the partner variable ``partners[i]``, whose value is
    the number of the cell that shares its domino. Values and partners together are exactly a placement,
    whatever the dominoes repeat.

    Parameters
    ----------
    values, partners
        One variable per cell.
    edges
        Pairs ``(i, j)`` of cell numbers, ``i < j``: where a domino may lie.
    dominoes
        The multiset of dominoes, each ``(a, b)`` with ``a <= b``, in increasing order.
    """

    values: tuple[int, ...]
    partners: tuple[int, ...]
    edges: tuple[tuple[int, int], ...]
    dominoes: tuple[tuple[int, int], ...]
    label: str = ""

    @property
    def variables(self) -> tuple[int, ...]:
        return self.values + self.partners

    @property
    def kinds(self) -> dict[tuple[int, int], int]:
        """How often each kind of domino is there."""
        return dict(sorted(Counter(self.dominoes).items()))

    @property
    def bounds(self) -> dict[tuple[int, int], tuple[int, int]]:
        """How often each kind of domino is laid, at least and at most."""
        return {kind: (times, times) for kind, times in self.kinds.items()}

    def holds(self, assignment: Assignment) -> bool:
        edges = set(self.edges)
        partner = [assignment[v] for v in self.partners]
        laid = []
        for i, j in enumerate(partner):
            if not 0 <= j < len(partner) or partner[j] != i or (min(i, j), max(i, j)) not in edges:
                return False
            if i < j:
                a, b = assignment[self.values[i]], assignment[self.values[j]]
                laid.append((min(a, b), max(a, b)))
        return sorted(laid) == list(self.dominoes)


@dataclass(frozen=True, slots=True)
class Problem:
    """Variables, constraints, and the keys that say what makes two solutions different.

    Parameters
    ----------
    variables, constraints
        What is to be chosen, and what the choice must obey.
    keys
        The name of each key, and the variables that are compared. The first key is the default.
    value_names
        How a value is written for people, where not as its number.
    """

    variables: tuple[Variable, ...]
    constraints: tuple[Constraint, ...]
    keys: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    value_names: Mapping[int, str] = field(default_factory=dict)

    @property
    def open_values(self) -> int:
        """How many values are left to variables that have more than one."""
        return sum([len(variable.domain) for variable in self.variables if len(variable.domain) > 1])

    def written(self, value: int) -> str:
        """Return a value as a person knows it."""
        return self.value_names.get(value) or str(value)

    def violated(self, assignment: Sequence[int]) -> str | None:
        """Return what the assignment breaks, in the player's words, or None where it obeys everything."""
        for variable, value in zip(self.variables, assignment, strict=True):
            if value not in variable.domain:
                return f"{variable.name} cannot be {self.written(value)}"
        return next((c.label for c in self.constraints if not c.holds(assignment)), None)

    def digest(self, family: str) -> str:
        """Return a hash of what the problem of a family says, whatever its variables and rules are called."""
        import hashlib  # these two take some milliseconds, and most tasks do without
        import json

        content = {
            "family": family,
            "domains": [variable.domain for variable in self.variables],
            "constraints": [[type(c).__name__, c] for c in self.constraints],
            "keys": dict(self.keys),
        }
        text = json.dumps(content, default=_without_labels, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()

    def with_constraints(self, constraints: Iterable[Constraint]) -> Problem:
        """Return the same problem with further constraints."""
        return replace(self, constraints=(*self.constraints, *constraints))

    def least_difference(self, key: str) -> int:
        """Return in how many variables of the key two solutions that differ in it differ at least.

        Two where the multiset of their values is fixed, since then no value can change alone; else one.
        """
        compared = set(self.keys[key])
        fixed = any(isinstance(c, DominoCover) and compared == set(c.values) for c in self.constraints)
        return 2 if fixed else 1

    def restricted(self, domains: Mapping[int, Iterable[int]]) -> Problem:
        """Return the same problem with each named variable kept to the given values of its domain."""
        variables = list(self.variables)
        for v, values in domains.items():
            keep = set(values)
            variables[v] = Variable(variables[v].name, tuple(x for x in variables[v].domain if x in keep))
        return replace(self, variables=tuple(variables))

    def node_consistent(self) -> Problem:
        """Return the same problem without the values that a constraint on one variable alone forbids.

        Each such constraint is asked about each value (node consistency, Mackworth 1977); the constraints
        stay. A variable for which nothing would be left keeps its domain.
        """
        domains: dict[int, tuple[int, ...]] = {}
        for constraint in self.constraints:
            if len(constraint.variables) == 1:
                (v,) = constraint.variables
                before = domains.get(v, self.variables[v].domain)
                domains[v] = tuple(x for x in before if constraint.holds({v: x})) or before
        return self.restricted(domains)


def _without_labels(value: Any) -> Any:
    """Return data that JSON knows; labels are left out, since they are for people.

    So are coefficients where there are none: a sum says what it said before it could have any.
    """
    if is_dataclass(value):
        said = {f.name: getattr(value, f.name) for f in fields(value) if f.name != "label"}
        return {name: told for name, told in said.items() if name != "coefficients" or told}
    if isinstance(value, frozenset):
        return sorted(value)
    return repr(value)
