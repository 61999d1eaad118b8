"""The formulation of a problem as a formula in conjunctive normal form (CNF), for SAT solvers.

There is a literal for each value of each variable (direct encoding), for each domino on each edge in each
orientation, for each state of the automaton of a sum or a word, and for each "at least k of the first i". The
literals of the variables define all others, so the models of the formula correspond one to one to the points
of the problem. With these encodings unit propagation finds what a person would see in a single rule.

``CnfEncoding`` is the formula of a problem. ``to_dimacs`` writes it as a file, and ``is_refutation`` checks a
proof that it has no model.
``Clauses`` is a formula without a problem, with the encodings that rules are built from: "at most one",
counters (totalizers) and paths through the states of a sum or an automaton.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar, cast

from milp_pips.constraints import covers_of, rules_of
from milp_pips.constraints.bridges import PairRows
from milp_pips.problem import Constraint, Problem, Variable
from milp_pips.problem.constraint import Transitions

__all__ = ["Clauses", "CnfEncoding", "to_dimacs"]

State = TypeVar("State", bound=Hashable)

MAX_PAIRWISE_LITERALS = 10
"""Literals up to which "at most one" is encoded pairwise; beyond, a counter takes fewer clauses."""

LARGE_SCOPE = 16
"""Least number of variables of constraints of which common blocks have literals. With these CaDiCaL refutes
the hardest of five Sudokus of 25 rows in 24 s, and without in 28 s or more (``benchmarks/families.py``)."""

NUMBERS_PER_CHECK = 16
"""Numbers of a group between two checks for interruption: most groups are smaller."""


class Clauses:
    """Clauses over the variables 1, 2, …; a literal is a variable or its negative.

    ``true`` is a literal that always holds. Clauses added inside ``given`` hold only if its literals hold.
    ``interrupted`` is called regularly during encoding; once it returns True, the remaining clauses are
    left out.
    """

    def __init__(self, interrupted: Callable[[], object] = bool) -> None:
        self.interrupted = interrupted
        self.clauses: list[tuple[int, ...]] = []
        self.variables = 0
        self._unless: list[int] = []
        self.true = self.new()
        self.add(self.true)

    def new(self) -> int:
        """Return the positive literal of a new variable."""
        self.variables += 1
        return self.variables

    def add(self, *literals: int) -> None:
        """Add the clause of these literals; without literals, the clause that negates the ``given`` ones."""
        self.clauses.append((*self._unless, *literals) or (-self.true,))

    @contextmanager
    def given(self, *literals: int) -> Iterator[None]:
        """Make the clauses added inside conditional: they hold only if all these literals hold."""
        before = self._unless
        self._unless = [*before, *(-literal for literal in literals)]
        try:
            yield
        finally:
            self._unless = before

    @contextmanager
    def always(self) -> Iterator[None]:
        """Make the clauses added inside unconditional, since they define new literals."""
        before, self._unless = self._unless, []
        try:
            yield
        finally:
            self._unless = before

    def one_of(self, literals: Sequence[int]) -> None:
        """Add clauses that require exactly one of the literals."""
        self.add(*literals)
        self.at_most_one_of(literals)

    def at_most_one_of(self, literals: Sequence[int]) -> None:
        """Add clauses that forbid any two of the literals."""
        if len(literals) > MAX_PAIRWISE_LITERALS:
            self.add(-self.at_least(literals, 2)[2])
            return
        for i, literal in enumerate(literals):
            for other in literals[:i]:
                self.add(-other, -literal)

    def between(self, literals: Sequence[int], low: int, high: int) -> None:
        """Add clauses that require at least ``low`` and at most ``high`` of the literals."""
        count = self.at_least(literals, high + 1 if high < len(literals) else low)
        if low > 0:
            self.add(*count[low : low + 1])
        if high < len(literals):
            self.add(*([-count[high + 1]] if high >= 0 else []))

    def at_least(self, literals: Sequence[int], most: int) -> list[int]:
        """Return literals for "at least k of these hold", for k = 0, 1, … up to ``most`` or to all.

        The encoding is a totalizer (Bailleux and Boufkhad 2003) that counts up to ``most``. It has both
        directions of every definition, so unit propagation finds all consequences of a bound on either side.
        """
        counts = [[self.true, literal][: max(0, most) + 1] for literal in literals]
        with self.always():
            while len(counts) > 1:
                if self.interrupted():
                    return [self.true] * (min(len(literals), max(0, most)) + 1)
                pairs = zip(counts[::2], counts[1::2], strict=False)
                counts = [self._sum(one, other, most) for one, other in pairs] + counts[len(counts) & ~1 :]
        return counts[0] if counts else [self.true]

    def _sum(self, one: Sequence[int], other: Sequence[int], most: int) -> list[int]:
        """Return the counter of two groups, given the counter of each; see ``at_least``."""
        count = [self.true, *(self.new() for _ in range(min(len(one) + len(other) - 2, most)))]
        add = self.clauses.append
        for k in range(2, len(count)):
            add((-count[k], count[k - 1]))
        for i, left in enumerate(one):
            if i % NUMBERS_PER_CHECK == NUMBERS_PER_CHECK - 1 and self.interrupted():
                break
            reached, beyond = (-left,) if i else (), tuple(one[i + 1 : i + 2])
            for j, right in enumerate(other[: len(count) - i]):
                if i + j:  # at least i of one and j of the other: at least i + j in all
                    add((*reached, -right, count[i + j]) if j else (*reached, count[i]))
                if i + j + 1 < len(count):  # at most i of one and j of the other: at most i + j in all
                    add((*beyond, *other[j + 1 : j + 2], -count[i + j + 1]))
        return count

    def follow(self, paths: Transitions[State], choices: Sequence[Mapping[int, int]]) -> None:
        """Add clauses that require the chosen values to form a path.

        ``choices[place]`` has the literal of each value. There is a literal for each state at each place and
        for each step between states, which holds if the path goes through it. The encoding is complete for
        unit propagation (Abío, Gange, Mayer-Eichberger and Stuckey 2016).
        """
        nodes: dict[State, int] = {paths.start: self.true}
        last = len(choices) - 1
        for place, values in enumerate(choices):
            entering: dict[State, list[int]] = {}
            supports: dict[int, list[int]] = {value: [] for value in values}
            for state, node in nodes.items():
                if self.interrupted():
                    return
                leaving = []
                for value, literal in values.items():
                    after = paths.step(place, state, value)
                    if after is not None:
                        arc = self._both(node, literal)
                        leaving.append(arc)
                        supports[value].append(arc)
                        entering.setdefault(after, []).append(arc)
                self.add(-node, *leaving)
            for value, arcs in supports.items():
                if values[value] not in arcs:
                    self.add(-values[value], *arcs)
            nodes = {state: self.any_of(arcs) for state, arcs in entering.items()} if place < last else {}

    def _both(self, one: int, other: int) -> int:
        """Return a literal that implies both; the caller adds clauses by which one such literal must hold."""
        if one == self.true or other == self.true:
            return other if one == self.true else one
        both = self.new()
        self.add(-both, one)
        self.add(-both, other)
        return both

    def any_of(self, literals: Sequence[int]) -> int:
        """Return a literal that is equivalent to the disjunction of these."""
        if len(literals) == 1:
            return literals[0]
        one = self.new()
        self.add(-one, *literals)
        for literal in literals:
            self.add(-literal, one)
        return one


class CnfEncoding(Clauses):
    """The formula of a problem; its models correspond one to one to the points of the problem.

    ``interrupted`` is called regularly during encoding; once it returns True, the other clauses are left
    out. If it is encoded ``lazily``, constraints that allow it are ``postponed``, see ``refine``. ``memory``
    has definitions that several constraints share.
    """

    _scopes: Sequence[set[int]] = ()

    def __init__(self, problem: Problem, interrupted: Callable[[], object] = bool, *, lazily: bool = False):
        super().__init__(interrupted)
        self.postponed = [constraint for constraint in problem.constraints if lazily and constraint.is_lazy]
        # Covers come first, since their edges are the literals of partners that have no literals yet.
        covers, rules = covers_of(problem.constraints), rules_of(problem.constraints)
        stated = [rule for rule in rules if not (lazily and rule.is_lazy)]
        self._scopes = [
            set(r.variables) for r in rules if r.all_different and len(r.variables) >= LARGE_SCOPE
        ]
        self._begin(problem.variables, [*covers, *stated])

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

    def divisions(self, variables: Sequence[int]) -> list[list[list[int]]]:
        """Return the ways to divide these variables into blocks, see ``ClauseBuilder``."""
        ways: list[list[set[int]]] = []
        if len(variables) >= LARGE_SCOPE:
            for scope in self._scopes:
                block = scope.intersection(variables)
                if not 1 < len(block) < len(variables):
                    continue
                way = next((way for way in ways if all(map(block.isdisjoint, way))), None)
                if way is None:
                    ways.append(way := [])
                way.append(block)
        rest = [[{v} for v in variables if not any(v in block for block in way)] for way in ways]
        return [[sorted(block) for block in (*way, *other)] for way, other in zip(ways, rest, strict=True)]

    def block(self, literals: Sequence[int]) -> int:
        """Return a literal for one of these, of which at most one holds; see ``ClauseBuilder``."""
        if (known := self.memory.get(key := tuple(literals))) is None:
            with self.always():
                known = self.memory[key] = self.any_of(literals)
            self.at_most_one_of(literals)
        return cast("int", known)

    def define(self, v: int, literals: Mapping[int, int]) -> None:
        """Let the literals, by value, stand for the values of a variable; see ``ClauseBuilder``."""
        if v not in self._literals and not self._unless:
            self._literals[v] = literals
            return
        for value, literal in literals.items():
            self.add(-literal, self.literal(v, value))
            self.add(literal, -self.literal(v, value))

    def refine(self, point: Sequence[int]) -> list[tuple[int, ...]]:
        """Add and return clauses that the point breaks, if it breaks a postponed constraint."""
        known = len(self.clauses)
        for constraint in self.postponed:
            for pairs in constraint.lazy_clauses(point, self._domains):
                self.add(*(self.literal(v, value) for v, value in pairs))
        return self.clauses[known:]

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


# A checker for proofs of unsatisfiability by learnt clauses.


def is_refutation(
    clauses: Iterable[Sequence[int]],
    lessons: Iterable[Sequence[int]],
    interrupted: Callable[[], object] = bool,
) -> bool | None:
    """Return whether the learnt clauses, in order, prove that the clauses have no model; None if interrupted.

    Each learnt clause must follow from the clauses before it by unit propagation alone. Clauses that a solver
    learns have this property (reverse unit propagation: Goldberg and Novikov 2003). So a few lines, which
    share no code with the solver, verify its claim that there is no model.
    """
    known = _Known()
    for clause in clauses:
        known.add(clause)
    for lesson in lessons:
        if interrupted():
            return None
        if known.is_contradicted:
            return True
        if not known.implies(lesson):
            return False
        known.add(lesson)
    return known.is_contradicted


class _Known:
    """A set of clauses, and the literals that follow from it by unit propagation."""

    def __init__(self) -> None:
        self._naming: dict[int, list[Sequence[int]]] = defaultdict(list)
        self._true: set[int] = set()
        self.is_contradicted = False

    def add(self, clause: Sequence[int]) -> None:
        """Add a clause and all literals that follow by unit propagation."""
        clause = list(dict.fromkeys(clause))
        for literal in clause:
            self._naming[literal].append(clause)
        left = [a for a in clause if -a not in self._true]
        if not left:
            self.is_contradicted = True
        elif len(left) == 1:
            self.is_contradicted |= not self._spread(left, self._true)

    def implies(self, clause: Sequence[int]) -> bool:
        """Return whether unit propagation refutes the negation of the clause."""
        true = set(self._true)
        return any(a in true for a in clause) or not self._spread([-a for a in clause], true)

    def _spread(self, literals: Sequence[int], true: set[int]) -> bool:
        """Add literals to ``true``, with all that follow by unit propagation; return False for a conflict."""
        waiting = [a for a in literals if a not in true]
        true.update(waiting)
        if any(-a in true for a in waiting):
            return False
        while waiting:
            for clause in self._naming[-waiting.pop()]:  # the clauses in which this literal is now false
                left = 0  # the only open literal so far
                for a in clause:
                    if a in true:
                        break
                    if -a not in true:
                        if left:
                            break
                        left = a
                else:  # the clause is not satisfied and has at most one open literal
                    if not left:
                        return False
                    true.add(left)
                    waiting.append(left)
        return True
