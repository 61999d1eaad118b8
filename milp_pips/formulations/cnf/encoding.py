"""The CNF formula of a problem, and DIMACS files."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from milp_pips.constraints import covers_of, rules_of
from milp_pips.constraints.bridges import PairRows
from milp_pips.formulations.cnf.clauses import Clauses
from milp_pips.problem.constraint import Constraint
from milp_pips.problem.problem import Problem, Variable


class CnfEncoding(Clauses):
    """The formula of a problem; its models correspond one to one to the points of the problem.

    ``interrupted`` is called regularly during encoding; once it returns True, the remaining clauses are left
    out. ``memory`` has definitions that several constraints share.
    """

    def __init__(self, problem: Problem, interrupted: Callable[[], object] = bool):
        super().__init__(interrupted)
        # Covers come first, since their edges are the literals of partners that have no literals yet.
        covers, rules = covers_of(problem.constraints), rules_of(problem.constraints)
        self._begin(problem.variables, [*covers, *rules])

    def _begin(self, variables: Sequence[Variable], constraints: Sequence[Constraint]) -> None:
        """Add the clauses of constraints, and those of all variables."""
        self.memory: dict[Any, Any] = {}
        self._own, self._rows = len(variables), PairRows(variables)
        self._domains = [variable.domain for variable in variables]
        self._literals: dict[int, Mapping[int, int]] = {}
        for constraint in constraints:
            if self.interrupted():
                return
            self.state(constraint)
        for v in range(len(variables)):
            self._literals_of(v)

    def domain(self, v: int) -> tuple[int, ...]:
        """Return the domain of a variable."""
        return self._domains[v]

    def literal(self, v: int, value: int) -> int:
        """Return the literal of (variable = value), which is false for a value outside the domain."""
        return self._literals_of(v).get(value, -self.true)

    def choices(self, variables: Sequence[int]) -> list[Mapping[int, int]]:
        """Return the literal of each value, for each variable."""
        return [{value: self.literal(v, value) for value in self._domains[v]} for v in variables]

    def define(self, v: int, literals: Mapping[int, int]) -> None:
        """Let the literals, by value, stand for the values of a variable; see ``ClauseBuilder``."""
        if v not in self._literals and not self._unless:
            self._literals[v] = literals
            return
        for value, literal in literals.items():
            self.add(-literal, self.literal(v, value))
            self.add(literal, -self.literal(v, value))

    def decode(self, model: Collection[int]) -> tuple[int, ...]:
        """Return the point of a model, given by its literals; a variable that it leaves out is false."""
        point, true = [-1] * self._own, {literal for literal in model if literal > 0}
        for v in range(self._own):
            for value, literal in self._literals.get(v, {}).items():
                if literal in true if literal > 0 else -literal not in true:
                    point[v] = value
        return tuple(point)

    def _literals_of(self, v: int) -> Mapping[int, int]:
        """Return the literals of a variable, by value; at first use, add clauses that require one of them."""
        literals = self._literals.get(v)
        if literals is None:
            domain = self._domains[v]
            match len(domain):
                case 1:
                    chosen = [self.true]
                case 2:
                    one = self.new()
                    chosen = [one, -one]
                case _:
                    chosen = [self.new() for _ in domain]
                    with self.always():
                        self.one_of(chosen)
            self._literals[v] = literals = dict(zip(domain, chosen, strict=True))
        return literals

    def state(self, constraint: Constraint) -> None:
        """Add the clauses of a constraint, or those of its rows, whose columns become 0-1 variables.

        Raises UsageError for a row with fractional coefficients.
        """
        if not constraint.variables:
            if not constraint.holds(()):
                self.add()
        elif not constraint.clauses(self):
            for row in self._rows.sums_of(constraint):
                if self.interrupted():
                    return
                columns = self._rows.auxiliary[len(self._domains) - self._own :]
                self._domains += [column.domain for column in columns]
                self.state(row)


# The formula of a problem as a DIMACS file, with comments that define the literals.


def to_dimacs(problem: Problem) -> str:
    """Return the problem in DIMACS CNF format; each model of the formula is one point of the problem.

    A comment before the clauses defines the literal of each value of each variable, such as
    ``c 17 r1c2 = 5``: literal 17 holds if this variable has this value. These literals define all others.
    """
    statement = CnfEncoding(problem)
    lines = ["c a literal, and what holds where it does"]
    for v, (name, domain) in enumerate(problem.variables):
        pairs = [(statement.literal(v, value), _plain(problem.written(value, v))) for value in domain]
        lines += [f"c {literal} {_plain(name)} = {value}" for literal, value in pairs]
    lines.append(f"p cnf {statement.variables} {len(statement.clauses)}")
    lines += [" ".join(map(str, [*clause, 0])) for clause in statement.clauses]
    return "\n".join(lines) + "\n"


def _plain(words: str) -> str:
    """Return the words on one line, in ASCII: some readers of DIMACS reject other characters in comments."""
    printable = "".join(c if c.isprintable() else " " for c in words)
    return " ".join(printable.split()).encode("ascii", "backslashreplace").decode()
