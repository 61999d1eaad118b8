"""The CNF formula of a problem, and DIMACS files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import pairwise

from milp_pips.constraints import (
    AllDifferent,
    AllEqual,
    AnyOf,
    Cardinality,
    DominoCover,
    Fixed,
    Less,
    LinearSum,
    NoGood,
    Regular,
    Relation,
    Table,
)
from milp_pips.constraints.domino_cover.tiling import Tiling, Usage, tiling_of, usages
from milp_pips.formulations.cnf.clauses import Clauses, SumPaths, WordPaths
from milp_pips.problem.constraint import Constraint
from milp_pips.problem.errors import UsageError
from milp_pips.problem.problem import Problem, Variable


class CnfEncoding(Clauses):
    """The formula of a problem; its models correspond one to one to the points of the problem.

    ``interrupted`` is called regularly during encoding; once it returns True, the remaining clauses are left
    out.
    """

    def __init__(self, problem: Problem, interrupted: Callable[[], object] = bool):
        super().__init__(interrupted)
        self._begin(
            problem.variables,
            [tiling_of(c) for c in problem.constraints if isinstance(c, DominoCover)]
            + [c for c in problem.constraints if isinstance(c, Tiling)],
        )
        for constraint in problem.constraints:
            if interrupted():
                return
            self.state(constraint)

    def _begin(self, variables: Sequence[Variable], tilings: Iterable[Tiling]) -> None:
        """Create the literals of all variables; partners in one tiling alone have the literals of edges."""
        self._domains = [variable.domain for variable in variables]
        self._literals: dict[tuple[int, int], int] = {}
        self._places: dict[Tiling, dict[tuple[int, int], list[int]]] = {}
        self._counts: dict[tuple[Tiling, tuple[int, int]], list[int]] = {}
        tilings = list(tilings)
        named = Counter(v for tiling in tilings for v in tiling.variables)
        partners = {v for tiling in tilings for v in tiling.partners if named[v] == 1}
        for v, domain in enumerate(self._domains):
            if v not in partners:
                self._choose(v, domain)
        for tiling in tilings:
            self._pair(tiling)

    def literal(self, v: int, value: int) -> int:
        """Return the literal of (variable = value), which is false for a value outside the domain."""
        return self._literals.get((v, value), -self.true)

    def decode(self, model: Collection[int]) -> tuple[int, ...]:
        """Return the point of a model, given by its literals; a variable that it leaves out is false."""
        point, true = [-1] * len(self._domains), {literal for literal in model if literal > 0}
        for (v, value), literal in self._literals.items():
            if literal in true if literal > 0 else -literal not in true:
                point[v] = value
        return tuple(point)

    def _choose(self, v: int, domain: Sequence[int]) -> None:
        """Create a literal for every value of a variable, and clauses that require exactly one of them."""
        match len(domain):
            case 1:
                literals = [self.true]
            case 2:
                one = self.new()
                literals = [one, -one]
            case _:
                literals = [self.new() for _ in domain]
                self.one_of(literals)
        self._literals |= {(v, value): literal for value, literal in zip(domain, literals, strict=True)}

    def _pair(self, tiling: Tiling) -> None:
        """Create a literal for every edge, and clauses that require exactly one edge at every cell."""
        known = {v for v, _ in self._literals}
        at: list[list[int]] = [[] for _ in tiling.values]
        for i, j in tiling.edges:
            p, q = tiling.partners[i], tiling.partners[j]
            if j in self._domains[p] and i in self._domains[q]:
                edge = self.new()
                at[i].append(edge)
                at[j].append(edge)
                for v, value in ((p, j), (q, i)):
                    if v in known:  # the variable has literals already: make them equivalent
                        self.add(-edge, self.literal(v, value))
                        self.add(edge, -self.literal(v, value))
                    else:
                        self._literals[v, value] = edge
        for edges in at:
            self.one_of(edges)

    def _lay(self, tiling: Tiling) -> dict[tuple[int, int], list[int]]:
        """Encode the domino on each edge; return for each kind its literals, one per edge.

        There is a literal for each domino on an edge in each orientation, which implies the edge and the
        values of both cells. An edge needs one of its literals, and a value of a cell needs a literal that
        shows it.
        """
        if tiling in self._places:
            return self._places[tiling]
        places: dict[tuple[int, int], list[int]] = {kind: [] for kind in tiling.kinds}
        ways = [(kind, way) for kind in tiling.kinds for way in sorted({kind, kind[::-1]})]
        supports: dict[int, list[int]] = {}
        for i, j in tiling.edges:
            u, v = tiling.values[i], tiling.values[j]
            edge = self.literal(tiling.partners[i], j)
            if self._interrupted():
                break
            if edge == -self.true:
                continue
            places_of: dict[tuple[int, int], list[int]] = {}
            shown: dict[int, list[int]] = {}
            for kind, (a, b) in ways:
                one, other = self.literal(u, a), self.literal(v, b)
                if -self.true not in (one, other):
                    place = self.new()
                    for literal in (edge, one, other):
                        self.add(-place, literal)
                    places_of.setdefault(kind, []).append(place)
                    for literal in (one, other):
                        shown.setdefault(literal, []).append(place)
                        supports.setdefault(literal, []).append(place)
            self.add(-edge, *(place for laid in places_of.values() for place in laid))
            for cell in (u, v):
                for value in self._domains[cell]:
                    literal = self.literal(cell, value)
                    self.add(-edge, -literal, *shown.get(literal, ()))
            for kind, laid in places_of.items():
                places[kind].append(self._any(laid))
        for cell in tiling.values:
            for value in self._domains[cell]:
                literal = self.literal(cell, value)
                self.add(-literal, *supports.get(literal, ()))
        self._places[tiling] = places
        return places

    def _laid(self, tiling: Tiling, kind: tuple[int, int], most: int) -> list[int]:
        """Return the literals for "at least k of the kind lie on the board"; see ``at_least``."""
        if (tiling, kind) not in self._counts:
            with self.always():
                self._counts[tiling, kind] = self.at_least(self._lay(tiling)[kind], most)
        return self._counts[tiling, kind]

    def state(self, constraint: Constraint) -> None:
        """Add the clauses of a constraint. Raises UsageError for an unknown class."""
        match constraint:
            case Fixed(variable, value):
                self.add(self.literal(variable, value))
            case AllEqual(variables):
                for u, v in pairwise(variables):
                    for value in sorted({*self._domains[u], *self._domains[v]}):
                        self.add(-self.literal(u, value), self.literal(v, value))
                        self.add(self.literal(u, value), -self.literal(v, value))
            case AllDifferent(variables):
                self._differ(variables)
            case LinearSum(variables) | Regular(variables) | Table(variables) if not variables:
                self.add(*([self.true] if constraint.holds(()) else []))
            case LinearSum(variables):
                self.follow(SumPaths(self._domains_of(variables), constraint), self._choices(variables))
            case Regular(variables, automaton):
                self.follow(WordPaths(self._domains_of(variables), automaton), self._choices(variables))
            case Less((less, greater)):
                self._order(less, greater, constraint.gap)
            case Table():
                self._tabulate(constraint)
            case Cardinality(variables, bounds):
                for value, low, high in bounds:
                    self.between([self.literal(v, value) for v in variables], low, high)
            case NoGood(variables, values, least=least):
                differ = [-self.literal(v, a) for v, a in zip(variables, values, strict=True)]
                if least == 1:
                    self.add(*differ)
                elif least > 1:
                    self.add(*self.at_least(differ, least)[least : least + 1])
            case AnyOf(facts):
                self.add(*(self.literal(v, a) if holds else -self.literal(v, a) for v, a, holds in facts))
            case DominoCover():
                for usage in usages(constraint):
                    if self._interrupted():
                        return
                    self.state(usage)
                self._lay(tiling_of(constraint))
            case Tiling(kinds=kinds, limits=limits):
                laid = self._lay(constraint)
                for kind, (low, high) in zip(kinds, limits, strict=False):
                    self.between(laid[kind], low, high)
            case Usage(tiling, kind, relation, times):
                count = self._laid(tiling, kind, times + 1)
                if relation is Relation.LE:
                    self.add(*([-count[times + 1]] if times + 1 < len(count) else [self.true]))
                else:
                    self.add(*([count[times]] if times < len(count) else []))
            case _:
                raise UsageError(f"there are no clauses for constraints of class {type(constraint).__name__}")

    def _domains_of(self, variables: Sequence[int]) -> list[tuple[int, ...]]:
        return [self._domains[v] for v in variables]

    def _choices(self, variables: Sequence[int]) -> list[Mapping[int, int]]:
        return [{value: self.literal(v, value) for value in self._domains[v]} for v in variables]

    def _differ(self, variables: Sequence[int]) -> None:
        """Encode that all variables differ and, if there are as many values, that each value is taken."""
        values = sorted({value for v in variables for value in self._domains[v]})
        for value in values:
            literals = [self.literal(v, value) for v in variables if value in self._domains[v]]
            if len(values) == len(variables):
                self.add(*literals)
            self.at_most_one_of(literals)

    def _order(self, less: int, greater: int, gap: int) -> None:
        """Encode ``less + gap <= greater``: each value of one variable needs a fitting one of the other."""
        for a in self._domains[less]:
            beside = [self.literal(greater, b) for b in self._domains[greater] if a + gap <= b]
            self.add(-self.literal(less, a), *beside)
        for b in self._domains[greater]:
            beside = [self.literal(less, a) for a in self._domains[less] if a + gap <= b]
            self.add(-self.literal(greater, b), *beside)

    def _tabulate(self, table: Table) -> None:
        """Encode that one of the rows holds, with a literal per row.

        A row implies its values, and a value needs a row that has it, so unit propagation finds all
        consequences (Bacchus 2007).
        """
        domains, rows = self._domains_of(table.variables), []
        supports = [{value: list[int]() for value in domain} for domain in domains]
        for values in table.within(domains):
            if self._interrupted():
                return
            row = self.new()
            rows.append(row)
            for v, value, support in zip(table.variables, values, supports, strict=True):
                self.add(-row, self.literal(v, value))
                support[value].append(row)
        self.add(*rows)
        for v, support in zip(table.variables, supports, strict=True):
            for value, having in support.items():
                self.add(-self.literal(v, value), *having)


# The formula of a problem as a DIMACS file, with comments that define the literals.


def to_dimacs(problem: Problem) -> str:
    """Return the problem in DIMACS CNF format; each model of the formula is one point of the problem.

    A comment before the clauses defines the literal of each value of each variable, such as
    ``c 17 r1c2 = 5``: literal 17 holds if this variable has this value. These literals define all others.
    """
    statement = CnfEncoding(problem)
    lines = ["c a literal, and what holds where it does"]
    for v, (name, domain) in enumerate(problem.variables):
        pairs = [(statement.literal(v, value), _plain(problem.written(value))) for value in domain]
        lines += [f"c {literal} {_plain(name)} = {value}" for literal, value in pairs]
    lines.append(f"p cnf {statement.variables} {len(statement.clauses)}")
    lines += [" ".join(map(str, [*clause, 0])) for clause in statement.clauses]
    return "\n".join(lines) + "\n"


def _plain(words: str) -> str:
    """Return the words on one line, in ASCII: some readers of DIMACS reject other characters in comments."""
    printable = "".join(c if c.isprintable() else " " for c in words)
    return " ".join(printable.split()).encode("ascii", "backslashreplace").decode()
