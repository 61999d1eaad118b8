"""A problem taken apart, loaded as clauses: what clashes, and what follows from what."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import copy
from typing import TYPE_CHECKING, cast

from milp_pips.engines.defaults import ARITHMETIC_SOLVER, assumption_solver
from milp_pips.engines.execution import ask
from milp_pips.engines.registry import available, reason_against, solver
from milp_pips.extras.explain.facts import Fact
from milp_pips.formulations.cnf import Clauses, GroupedCnf
from milp_pips.problem.answer import Proof, Settings
from milp_pips.problem.groups import PARTS, AnyOf, GroupedProblem
from milp_pips.problem.problem import DominoCover, Problem
from milp_pips.problem.stopping import Deadline

if TYPE_CHECKING:
    from milp_pips.engines.contract import AssumingSolver, LoadedClauses


CONFLICTS_BEFORE_LP = 300
"""Conflicts after which another engine is asked, one that calculates: clauses are slow to see that sums over
the whole board do not add up. Usual questions take fewer than a hundred conflicts."""


CONFLICTS_AFTER_LP = 20
"""The same, where the last question was such a one."""


class OutOfTime(Exception):
    """The deadline said stop before the question was answered."""


def load_clauses(clauses: Clauses, deadline: Deadline) -> LoadedClauses:
    """Return the formula in the engine for reasons, to be asked under assumptions. Raises OutOfTime."""
    loaded = cast("AssumingSolver", available(assumption_solver())).load(clauses, deadline)
    if deadline.stop:
        raise OutOfTime
    return loaded


class Reasoner:
    """Answers questions about a problem taken apart; items are known by their numbers in ``soft.items``.

    Every method that asks the engine raises OutOfTime when the deadline says stop; so do loading and
    learning.
    """

    def __init__(self, grouped: GroupedProblem, deadline: Deadline):
        self.grouped, self.deadline = grouped, deadline
        statement = GroupedCnf(grouped, lambda: deadline.stop)
        self.look()
        self.selectors = statement.selectors
        self._statement = statement
        self._engine = load_clauses(statement, deadline)
        self._last = statement.variables
        self._denials: dict[int, list[Fact]] = {}
        self._usual, self.questions = True, 0
        self._model: set[int] | None = None
        self._core: list[int] = []
        covers = [c for c in grouped.problem.constraints if isinstance(c, DominoCover)]
        self._ends = {v: (cover, i) for cover in covers for i, v in enumerate(cover.partners)}
        self._item_of = {selector: i for i, selector in enumerate(self.selectors)}
        self._facts: dict[int, Fact] = {}
        for v, (_, domain) in enumerate(grouped.variables):
            for value in domain:
                fact = self._told(Fact(v, value, True))
                literal = statement.literal(*fact[:2])
                if abs(literal) != statement.true:
                    self._facts[literal] = fact
        for literal, fact in list(self._facts.items()):
            self._facts.setdefault(-literal, fact._replace(holds=False))

    def copy(self) -> Reasoner:
        """Return another one about the same problem, which may learn on its own."""
        other = copy(self)
        other._engine = load_clauses(self._statement, self.deadline)
        other._denials = {}
        other.questions = 0
        other._last = self._statement.variables
        return other

    def look(self) -> None:
        """Raise OutOfTime if the deadline says stop."""
        if self.deadline.stop:
            raise OutOfTime

    def learn(self, literals: Iterable[int]) -> None:
        """Take the literals for true from now on."""
        self.look()
        for literal in literals:
            self._engine.add([literal])

    def _told(self, fact: Fact) -> Fact:
        """Return a fact about a domino as it is told by the lower of its two cells."""
        if fact.variable in self._ends:
            cover, i = self._ends[fact.variable]
            if fact.value < i:
                return Fact(cover.partners[fact.value], i, fact.holds)
        return fact

    @property
    def literals(self) -> Iterable[int]:
        """The literals that say a fact."""
        return self._facts.keys()

    def fact(self, literal: int) -> Fact:
        """Return the fact that a literal says."""
        return self._facts[literal]

    def literal(self, fact: Fact) -> int:
        """Return the literal that says the fact."""
        literal = self._statement.literal(fact.variable, fact.value)
        return literal if fact.holds else -literal

    def solve(self, items: Iterable[int], literals: Iterable[int] = ()) -> bool:
        """Whether some point obeys the items and the literals."""
        return self._ask([*(self.selectors[i] for i in items), *literals])

    def solve_limited(self, items: Iterable[int], conflicts: int, literals: Iterable[int] = ()) -> bool:
        """Whether a point that obeys the items and literals is found within so many conflicts."""
        self.questions += 1
        asked = [*(self.selectors[i] for i in items), *literals]
        found = self._engine.solve(asked, self.deadline, conflicts)
        if found:
            self._model = None
        return bool(found)

    @property
    def is_slow(self) -> bool:
        """Whether the last question was one that clauses are slow to answer."""
        return not self._usual

    def _ask(self, assumptions: Sequence[int]) -> bool:
        """Ask the engine, and another one if that takes long; keep the model or the core."""
        self.questions += 1
        found = self._engine.solve(
            assumptions, self.deadline, CONFLICTS_BEFORE_LP if self._usual else CONFLICTS_AFTER_LP
        )
        self._usual = found is not None
        if found is None and not self.deadline.stop:
            if not reason_against(solver(ARITHMETIC_SOLVER)):
                return self._ask_rival(assumptions)
            found = self._engine.solve(assumptions, self.deadline)
        if found is None:
            raise OutOfTime
        self._model = None
        if not found:
            self._core = self._engine.core()
        return bool(found)

    def _ask_rival(self, assumptions: Sequence[int]) -> bool:
        problem = self.problem_of(assumptions)
        for a in assumptions:
            if denied := self._denials.get(a):
                broken = AnyOf(tuple((v, value, not holds) for v, value, holds in denied))
                problem = problem.with_constraints([broken])
        answer = ask(ARITHMETIC_SOLVER, problem, Settings(), self.deadline)
        if answer.point is None and answer.proof is not Proof.INFEASIBLE:
            raise OutOfTime
        if answer.point is None:
            self._core = list(assumptions)
            return False
        self._model = {a for a, fact in self._facts.items() if fact.is_true(answer.point)}
        return True

    def problem_of(self, assumptions: Iterable[int], denied: Sequence[Fact] = ()) -> Problem:
        """Return the problem of these selectors' groups and these facts; see ``GroupedProblem``."""
        known = list(assumptions)
        items = [self.grouped.items[self._item_of[a]] for a in known if a in self._item_of]
        return self.grouped.problem_of(items, [self._facts[a] for a in known if a in self._facts], denied)

    def point(self) -> tuple[int, ...]:
        """Return the point that was found last."""
        return self._statement.decode({self._statement.true, *self.model()})

    def model(self) -> set[int]:
        """Return the literals of facts that hold in the point that was found last."""
        if self._model is None:
            self._model = self._facts.keys() & set(self._engine.model())
        return self._model

    def core(self) -> tuple[list[int], list[int]]:
        """Return items and literals that could not hold together, of those asked for last."""
        return (
            sorted(self._item_of[a] for a in self._core if a in self._item_of),
            [a for a in self._core if a not in self._item_of],
        )

    def propagate(self, items: Iterable[int], literals: Iterable[int]) -> set[int] | None:
        """Return the literals of facts that unit propagation finds; None for a contradiction."""
        self.look()
        found = self._engine.propagate([*literals, *(self.selectors[i] for i in items)])
        return None if found is None else self._facts.keys() & found

    def negated_conjunction(self, literals: Sequence[int]) -> int:
        """Return a literal that says that one of these does not hold."""
        if len(literals) == 1:
            return -literals[0]
        self._last += 1
        self._engine.add([-self._last, *(-literal for literal in literals)])
        self._denials[self._last] = [self._facts[literal] for literal in literals]
        return self._last

    def consequences(self, items: Sequence[int], literals: Sequence[int], among: Iterable[int]) -> set[int]:
        """Return which of the literals ``among`` follow from the items and literals."""
        left = set(among)
        while left:
            if not self.solve(items, [*literals, self.negated_conjunction(sorted(left))]):
                break
            left &= self.model()
        return left

    def shrink(
        self, items: Sequence[int], literals: Sequence[int], denied: Sequence[int] = ()
    ) -> tuple[list[int], list[int]]:
        """Return items and literals, none of which can be left out, that cannot hold with the denied ones.

        They must clash. Those that come first are left out first, if they can: the dear ones ought to be
        there. But before that, both halves of "so many dominoes of each kind", one of which always will do.
        """
        kept_items, kept = list(items), list(literals)
        for part in PARTS.values():
            rest = [i for i in kept_items if self.grouped.items[i].part != part]
            if len(rest) < len(kept_items) - 1 and not self.solve(rest, [*kept, *denied]):
                kept_items, kept = self._cored(rest, kept)
        for item in items:
            if item in kept_items:
                rest = [i for i in kept_items if i != item]
                if not self.solve(rest, [*kept, *denied]):
                    kept_items, kept = self._cored(rest, kept)
        for literal in literals:
            if literal in kept:
                rest = [a for a in kept if a != literal]
                if not self.solve(kept_items, [*rest, *denied]):
                    kept_items, kept = self._cored(kept_items, rest)
        return kept_items, kept

    def _cored(self, items: Sequence[int], literals: Sequence[int]) -> tuple[list[int], list[int]]:
        """Return those of the items and literals that are in the last core, in their order."""
        core_items, core = self.core()
        return [i for i in items if i in core_items], [a for a in literals if a in core]
