"""Load a problem, split into items, as clauses; find what clashes and what follows from what."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import TYPE_CHECKING, cast

from milp_pips.constraints import AnyOf, Relation
from milp_pips.constraints.domino_cover.tiling import PARTS, Tiling
from milp_pips.engines.defaults import ARITHMETIC_SOLVER, assumption_solver
from milp_pips.engines.registry import ask, available, reason_against, solver
from milp_pips.extras.explain.facts import Fact, Reason, Step
from milp_pips.extras.explain.groups import GroupedProblem, cost_of_item
from milp_pips.extras.explain.techniques.story import GAP
from milp_pips.formulations.cnf import Clauses, CnfEncoding
from milp_pips.problem import Deadline, EngineFault, Proof, Settings

if TYPE_CHECKING:
    from milp_pips.engines.contract import AssumingSolver, LoadedClauses


CONFLICTS_BEFORE_LP = 300
"""The conflicts after which the arithmetic engine is called instead: clauses are slow to prove that sums over
the whole board do not add up. A usual call takes fewer than a hundred conflicts."""


CONFLICTS_AFTER_LP = 20
"""The same limit if the previous call exceeded it."""

PROOFS_COMPARED = 2
"""How many facts get a minimal proof; the shortest of these proofs is the step."""


class OutOfTime(Exception):
    """The deadline stopped the reasoner before it could answer."""


def load_clauses(clauses: Clauses, deadline: Deadline) -> LoadedClauses:
    """Return the formula loaded into an engine that solves under assumptions. Raises OutOfTime."""
    loaded = cast("AssumingSolver", available(assumption_solver())).load(clauses, deadline)
    if deadline.stop:
        raise OutOfTime
    return loaded


class GroupedCnf(CnfEncoding):
    """The formula of a grouped problem: ``selectors`` has a literal per item, an assumption that enables it.

    Some sets of items are also encoded together as one constraint: the two halves of a sum, and all dominoes
    with a value, which bound the number of cells that show it. So unit propagation finds what a person would,
    and cores are small. ``interrupted`` is as for a ``CnfEncoding``.
    """

    def __init__(self, grouped: GroupedProblem, interrupted: Callable[[], object] = bool):
        Clauses.__init__(self, interrupted)
        self.grouped = grouped
        self._begin(grouped.variables, grouped.hard)
        self.selectors: list[int] = []
        halves: dict[int, list[int]] = {}
        for item in grouped.items:
            if interrupted():
                return
            selector = self.new()
            self.selectors.append(selector)
            with self.given(selector):
                self.state(item.piece)
            if item.kind == "rule" and item.part:
                halves.setdefault(item.rule, []).append(selector)
        for rule, selectors in halves.items():
            if len(selectors) == 2:
                with self.given(*selectors):
                    self.state(grouped.problem.constraints[rule])
        for tiling in grouped.tilings:
            self._supply(tiling)

    def _supply(self, tiling: Tiling) -> None:
        """Encode how many cells show each value, given the items on all dominoes that have it.

        Also encode the total number of dominoes. If the upper bounds of all kinds add up to no more dominoes
        than there are places, then these items together imply all lower bounds; and likewise the lower bounds
        imply the upper ones if they add up to no fewer.
        """
        usages = [
            (selector, item.usage)
            for selector, item in zip(self.selectors, self.grouped.items, strict=True)
            if item.kind == "dominoes" and item.usage.tiling == tiling
        ]
        for relation in (Relation.LE, Relation.GE):
            dominoes = sum(usage.times for _, usage in usages if usage.relation is relation)
            spare = dominoes - len(tiling.values) // 2
            if spare > 0 if relation is Relation.LE else spare < 0:
                continue
            with self.given(*(selector for selector, usage in usages if usage.relation is relation)):
                for _, usage in usages:
                    if self.interrupted():
                        return
                    if usage.relation is not relation:
                        self.state(usage)
        selectors_of: dict[tuple[int, Relation], list[int]] = {}
        shown: dict[tuple[int, Relation], int] = {}
        for selector, usage in usages:
            for value in usage.kind:
                key = value, usage.relation
                selectors_of.setdefault(key, []).append(selector)
                shown[key] = shown.get(key, 0) + usage.times
        for value in sorted({value for value, _ in selectors_of}):
            if self.interrupted():
                return
            cells = [self.literal(v, value) for v in tiling.values if value in self._domains[v]]
            count = self.at_least(cells, shown[value, Relation.LE] + 1)
            for relation, bound in ((Relation.LE, 1), (Relation.GE, 0)):
                with self.given(*dict.fromkeys(selectors_of[value, relation])):
                    times = shown[value, relation] + bound
                    if relation is Relation.GE:
                        self.add(*([count[times]] if times < len(count) else []))
                    elif times < len(count):
                        self.add(-count[times])


class Reasoner:
    """Answer queries about a problem that is split into items.

    Items are identified by their positions in ``grouped.items``. Every method that calls the engine raises
    OutOfTime when the deadline stops it; so do loading and learning.
    """

    has_guessed = False

    def __init__(self, grouped: GroupedProblem, deadline: Deadline):
        self.grouped, self.deadline = grouped, deadline
        statement = GroupedCnf(grouped, lambda: deadline.stop)
        self.look()
        self.selectors, self.size = statement.selectors, len(statement.selectors)
        self._statement = statement
        self._engine = load_clauses(statement, deadline)
        self._last = statement.variables
        self._denials: dict[int, list[Fact]] = {}
        self._usual, self.questions = True, 0
        self._model: set[int] | None = None
        self._core: list[int] = []
        self._item_of = {selector: i for i, selector in enumerate(self.selectors)}
        self._facts: dict[int, Fact] = {}
        for v in grouped.problem.answer_variables:
            for value in grouped.variables[v].domain:
                fact = Fact(v, value, True)
                turned = grouped.turned(fact)
                if turned and fact.value < turned.value:  # a domino is described by its lower cell
                    fact = turned
                literal = statement.literal(*fact[:2])
                if abs(literal) != statement.true:
                    self._facts[literal] = fact
        for literal, fact in list(self._facts.items()):
            self._facts.setdefault(-literal, fact._replace(holds=False))

    @property
    def who(self) -> str:
        """The title of the engine."""
        return available(assumption_solver()).title

    def look(self) -> None:
        """Raise OutOfTime if the deadline has stopped."""
        if self.deadline.stop:
            raise OutOfTime

    @property
    def literals(self) -> Iterable[int]:
        """The literals that stand for facts."""
        return self._facts.keys()

    def fact(self, literal: int) -> Fact:
        """Return the fact that a literal stands for."""
        return self._facts[literal]

    def literal(self, fact: Fact) -> int:
        """Return the literal that stands for the fact."""
        literal = self._statement.literal(fact.variable, fact.value)
        return literal if fact.holds else -literal

    def solve(self, items: Iterable[int], literals: Iterable[int] = ()) -> bool:
        """Whether some point obeys the items and the literals."""
        return self._ask([*(self.selectors[i] for i in items), *literals])

    def solve_limited(self, items: Iterable[int], conflicts: int, literals: Iterable[int] = ()) -> bool:
        """Whether a point that obeys the items and literals is found within this number of conflicts."""
        self.questions += 1
        asked = [*(self.selectors[i] for i in items), *literals]
        found = self._engine.solve(asked, self.deadline, conflicts)
        if found:
            self._model = None
        return bool(found)

    @property
    def is_slow(self) -> bool:
        """Whether the last call was one that the clauses are slow to decide."""
        return not self._usual

    def _ask(self, assumptions: Sequence[int]) -> bool:
        """Solve under assumptions, by another engine if that takes long, and keep the model or the core."""
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
        items = [self.grouped.items[self._item_of[a]] for a in assumptions if a in self._item_of]
        facts = [self._facts[a] for a in assumptions if a in self._facts]
        problem = self.grouped.problem_of(items, facts)
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

    def point_of(self, items: Iterable[int], literals: Iterable[int] = ()) -> tuple[int, ...] | None:
        """Return a point that obeys the items and the literals, checked by the items; None if there is none.

        Raises EngineFault if the point breaks an item.
        """
        items = list(items)
        if not self.solve(items, literals):
            return None
        if not self.grouped.holds(point := self.point(), items):
            raise EngineFault(f"{self.who} gave a point that breaks a rule")
        return point

    def point(self) -> tuple[int, ...]:
        """Return the last point found."""
        return self._statement.decode({self._statement.true, *self.model()})

    def model(self) -> set[int]:
        """Return the literals of the facts that hold at the last point."""
        if self._model is None:
            self._model = self._facts.keys() & set(self._engine.model())
        return self._model

    def holding(self) -> set[int]:
        """Return the items that hold at the last point."""
        point = self.point()
        return {i for i, item in enumerate(self.grouped.items) if item.piece.holds(point)}

    def clash(self) -> list[int]:
        """Return a minimal subset of the items of the last call, which clash."""
        items, (core, _) = self.grouped.items, self.core()
        clash, _ = self.shrink(sorted(core, key=lambda i: -cost_of_item(items[i])), ())
        return sorted(clash)

    def core(self) -> tuple[list[int], list[int]]:
        """Return the items and literals of the last unsatisfiable core."""
        return (
            sorted(self._item_of[a] for a in self._core if a in self._item_of),
            [a for a in self._core if a not in self._item_of],
        )

    def propagate(self, items: Iterable[int], literals: Iterable[int]) -> set[int] | None:
        """Return the literals of facts that unit propagation derives; None for a contradiction."""
        self.look()
        found = self._engine.propagate([*literals, *(self.selectors[i] for i in items)])
        return None if found is None else self._facts.keys() & found

    def negated_conjunction(self, literals: Sequence[int]) -> int:
        """Return a literal that implies that at least one of these is false."""
        if len(literals) == 1:
            return -literals[0]
        self._last += 1
        self._engine.add([-self._last, *(-literal for literal in literals)])
        self._denials[self._last] = [self._facts[literal] for literal in literals]
        return self._last

    def consequences(self, items: Sequence[int], literals: Sequence[int], among: Iterable[int]) -> set[int]:
        """Return those of the literals ``among`` that follow from the items and literals."""
        left = set(among)
        while left:
            if not self.solve(items, [*literals, self.negated_conjunction(sorted(left))]):
                break
            left &= self.model()
        return left

    def shrink(
        self, items: Sequence[int], literals: Sequence[int], denied: Sequence[int] = ()
    ) -> tuple[list[int], list[int]]:
        """Return an irreducible set of items and literals that clashes with the denied literals.

        The arguments must clash. Earlier ones are tried for removal first, so put the most expensive items
        first. Before that, each half of the domino counts (at most, at least) is tried: one half is always
        enough.
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

    def proof_step(self, facts: Sequence[Fact], true: Collection[int]) -> Step | None:
        """Return the step to a fact that does not follow from the facts by themselves; None if there is none.

        Of a few minimal proofs, the step is the shortest. Values and dominoes come before exclusions.

        Parameters
        ----------
        facts
            The known facts.
        true
            The literals of all facts that hold in every solution with the known facts.
        """
        known = [a for a in map(self.literal, facts) if a in self._facts]
        left = set(true).difference(known, self.propagate((), known) or ())
        wanted = [a for a in left if self.fact(a).holds] or left
        found = [self._proof(known, literal) for literal in sorted(wanted)[:PROOFS_COMPARED]]
        return min(found, key=lambda step: len(step.items) + len(step.facts), default=None)

    def _proof(self, known: Sequence[int], literal: int) -> Step:
        """Return the step from an irreducible set of items and known literals to the fact of a literal.

        Raises EngineFault if it does not follow from all of them.
        """
        dear = sorted(range(len(self.grouped.items)), key=lambda i: -cost_of_item(self.grouped.items[i]))
        if self.solve(dear, [*known, -literal]):
            raise EngineFault("the clauses do not prove a fact that holds in all solutions")
        items, needed = self.shrink(*self._cored(dear, known), [-literal])
        chosen = tuple(self.grouped.items[i] for i in sorted(items))
        facts, conclusions = tuple(sorted(map(self.fact, needed))), (self.fact(literal),)
        reason = Reason("gap", chosen, facts, conclusions)
        return Step(chosen, facts, conclusions, GAP, technique="gap", reasons=(reason,))

    def _cored(self, items: Sequence[int], literals: Sequence[int]) -> tuple[list[int], list[int]]:
        """Return those of the items and literals that are in the last core, in their order."""
        core_items, core = self.core()
        return [i for i in items if i in core_items], [a for a in literals if a in core]
