"""Find the next step: the conclusions that follow from the fewest and simplest items.

If a cell of an all-different rule shows a value, no other cell of the rule has it. A player sees that without
reasoning, so such exclusions become known without a step. The first steps in a Sudoku are therefore the
singles. A step that needs such an exclusion names the rule and the cells that make it plain.

The search follows the order in which a person looks: the shape of the board; one rule; a count of the
dominoes; one rule and the dominoes; two rules. Only then does it compute, for each fact that holds in all
solutions, a minimal set of items and facts that proves it (step-wise explanations: Bogaerts, Gamba and Guns
2021; small minimal sets as steps: Espasa, Gent, Hoffmann, Jefferson and Lynch 2021). The step is the cheapest
of those that the first successful stage finds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import combinations

from milp_pips.constraints import Cardinality, Fixed
from milp_pips.constraints.domino_cover.tiling import Tiling
from milp_pips.extras.explain.costs import Sight, cost_of_item, cost_of_step
from milp_pips.extras.explain.facts import Exclusion, Fact, Step
from milp_pips.extras.explain.reasoner import Reasoner
from milp_pips.problem.errors import Contradiction, EngineFault
from milp_pips.problem.problem import unchecked_variable
from milp_pips.propagation.domains import Domains

CANDIDATE_STEPS = 4
"""The number of steps, cheapest by estimate, that are worked out in full."""

FEW_RULES = 4
"""The most rules for which a step is worked out on their cells alone."""

PROVED, QUESTIONS_FOR_A_STEP = 30, 200
"""The most facts for which a minimal proof is computed when no simple step is left, and the engine calls
after which one proof is enough. They are not times, so that a puzzle has the same rating on any machine."""


def _shrink(
    reasoner: Reasoner, items: Iterable[int], known: Sequence[int], conclusions: Sequence[int]
) -> tuple[list[int], list[int]]:
    """Return an irreducible set of items and known literals from which the conclusions follow."""
    denied = reasoner.negated_conjunction(conclusions)
    dear = sorted(items, key=lambda i: -cost_of_item(reasoner.grouped.items[i]))
    if reasoner.solve(dear, [*known, denied]):
        raise EngineFault("the clauses do not prove a fact that holds in all solutions")
    core, facts = reasoner.core()
    return reasoner.shrink([i for i in dear if i in core], [a for a in known if a in facts], [denied])


class Trace:
    """The known facts, and the steps that lead to more.

    Parameters
    ----------
    reasoner
        The problem, split into items.
    known
        The facts at the start, such as a player's moves.
    backbone
        Returns the literals of all facts that hold in every solution that contains the known facts. It is
        called once no simple step is left.
    numbers
        The items that may be used; None for all.
    """

    def __init__(
        self,
        reasoner: Reasoner,
        known: Sequence[Fact],
        backbone: Callable[[], set[int]],
        numbers: Sequence[int] | None = None,
    ):
        self._reasoner, self._backbone = reasoner, backbone
        self._ahead = reasoner.copy()  # it takes the known facts as true, which makes it faster
        self.known: set[int] = set()
        self._domains = [set(variable.domain) for variable in reasoner.grouped.variables]
        tilings = [c for c in reasoner.grouped.hard if isinstance(c, Tiling)]
        self._partners_of = {v: tiling.partners for tiling in tilings for v in tiling.partners}
        every = reasoner.grouped.items
        items = {i: every[i] for i in (range(len(every)) if numbers is None else numbers)}
        self._dominoes = [i for i, item in items.items() if item.kind == "dominoes"]
        halves: dict[int, list[int]] = {}
        for i, item in items.items():
            if item.kind == "rule":
                halves.setdefault(item.rule, []).append(i)
        self._rules = list(halves.values())
        self._sight = Sight(items, [variable.domain for variable in reasoner.grouped.variables])
        self._parts: dict[tuple[tuple[int, ...], frozenset[int]], Reasoner] = {}
        self._because: dict[int, tuple[int, ...]] = {}
        self._learned: dict[int, int] = {}
        # For each known fact, the number of facts that were known before it.
        self._basis: list[int] = []
        self._proved: dict[tuple[tuple[int, ...], int], tuple[list[int], list[int]]] = {}
        given = [
            Fact(item.piece.variable, item.piece.value, True)
            for item in items.values()
            if isinstance(item.piece, Fixed)
        ]
        self._learn([reasoner.literal(fact) for fact in (*given, *known)])

    def steps(self) -> Iterator[Step]:
        """Yield the steps one by one until every fact of the backbone is known. Raises OutOfTime."""
        while step := self.next_step():
            yield step

    def story(self) -> list[Step]:
        """Return the steps to the end, without the superfluous ones, see ``needed``. Raises OutOfTime."""
        return self.needed(list(self.steps()))

    def needed(self, steps: Sequence[Step]) -> list[Step]:
        """Return the steps without those on which nothing needed depends.

        The needed facts are the known values of cells and positions of dominoes. For a step without
        conclusions, they are its own premises.
        """
        wanted = set[int]()
        literal, fact = self._reasoner.literal, self._reasoner.fact
        if all(step.conclusions for step in steps):
            self._want([a for a in self.known if fact(a).holds], wanted)
        story = []
        for step in reversed(steps):
            if not step.conclusions or any(literal(each) in wanted for each in step.conclusions):
                story.append(step)
                self._want(map(literal, step.facts), wanted)
        return story[::-1]

    def _want(self, literals: Iterable[int], wanted: set[int]) -> None:
        """Add the literals, and those from which they were learned."""
        waiting = list(literals)
        while waiting:
            literal = waiting.pop()
            if literal not in wanted:
                wanted.add(literal)
                waiting += self._because.get(literal, ())

    def next_step(self) -> Step | None:
        """Learn and return the cheapest step that is found; None if nothing more follows."""
        self._basis, self._proved = self._told_facts(), {}
        found = self._simple()
        if not found:
            unknown = self._backbone() - self.known
            if not unknown:
                return None
            found = self._single_rules(unknown) or self._pairs() or self._proofs(unknown)
        order = sorted(found, key=lambda items: self._estimate(items, found[items]))
        steps = [self._worked_out(items, found[items], len(found)) for items in order[:CANDIDATE_STEPS]]
        step = min(steps, key=lambda step: step.cost)
        self._learn([self._reasoner.literal(fact) for fact in step.conclusions])
        return step

    def _told_facts(self) -> list[int]:
        """Return the known facts from which the others follow, as a person would state them.

        Positive facts come last, so that `shrink` prefers them to negative ones.
        """
        facts = [(a, self._reasoner.fact(a)) for a in self.known]
        decided = {fact.variable for _, fact in facts if fact.holds}
        covered = {end for _, fact in facts if fact.holds for end in self._ends(fact)}
        told = [
            (a, fact)
            for a, fact in facts
            if fact.holds or not (fact.variable in decided or covered.intersection(self._ends(fact)))
        ]
        return [a for a, fact in sorted(told, key=lambda pair: (pair[1].holds, pair[1]))]

    def _ends(self, fact: Fact) -> tuple[int, ...]:
        """Return the two partner variables of a fact about a domino; empty for a fact about a value."""
        partners = self._partners_of.get(fact.variable)
        return () if partners is None else (fact.variable, partners[fact.value])

    def _estimate(self, items: tuple[int, ...], conclusions: set[int]) -> float:
        return cost_of_step(
            [self._reasoner.grouped.items[i] for i in items],
            0,
            [self._reasoner.fact(a) for a in conclusions],
            self._domains,
        )

    def _new(self, items: Sequence[int]) -> set[int]:
        """Return the new facts that unit propagation derives from the items."""
        found = self._ahead.propagate(items, ()) if items else self._reasoner.propagate((), self._basis)
        return set() if found is None else found - self.known

    def _simple(self) -> dict[tuple[int, ...], set[int]]:
        """Return what the shape of the board or, if nothing, one rule or the dominoes propagate."""
        if new := self._new(()):
            return {(): new}
        found: dict[tuple[int, ...], set[int]] = {}
        for half in self._rules:
            alone = set[int]()
            for i in half:
                if new := self._new([i]):
                    found[i,] = new
                    alone |= new
            if len(half) > 1 and (new := self._new(half) - alone):
                found[tuple(half)] = new
        for i in self._dominoes:
            if new := self._new([i]):
                found[i,] = new
        if not found and (new := self._new(self._dominoes)):
            found[tuple(self._dominoes)] = new
        return found

    def _single_rules(self, unknown: set[int]) -> dict[tuple[int, ...], set[int]]:
        """Return what follows from one rule although unit propagation does not derive it.

        Propagation is complete for sums, equal values and words. It is not for different or counted values,
        nor for any rule together with the dominoes between its cells.
        """
        found: dict[tuple[int, ...], set[int]] = {}
        for rule in map(tuple, self._rules):
            if new := self._excluded_by(rule):
                found[rule] = new
        if not found and self._partners_of:
            for rule in [(), *map(tuple, self._rules)]:
                if new := self._ahead.consequences(rule, (), unknown):
                    found[rule] = new
        return found

    def _excluded_by(self, rule: tuple[int, ...]) -> set[int]:
        """Return all values that a rule on different or counted values excludes, by flow."""
        reasoner = self._reasoner
        constraint, *others = (reasoner.grouped.items[i].piece for i in rule)
        if isinstance(constraint, Cardinality):
            bounds = (bound for piece in others if isinstance(piece, Cardinality) for bound in piece.bounds)
            constraint = replace(constraint, bounds=(*constraint.bounds, *bounds))
        elif not constraint.all_different:
            return set()
        reasoner.look()
        left = [unchecked_variable("", tuple(sorted(domain))) for domain in self._domains]
        domains = Domains(left, self._partners_of)
        with suppress(Contradiction):  # the puzzle has no solution; `next_step` detects that elsewhere
            if (propagate := constraint.thorough_propagator(domains)) is not None:
                propagate()
        gone = ((v, x) for v in constraint.variables for x in self._domains[v].difference(domains.taken(v)))
        return {reasoner.literal(Fact(v, x, False)) for v, x in gone}

    def _pairs(self) -> dict[tuple[int, ...], set[int]]:
        """Return what follows by propagation from a rule and the dominoes, or else from two rules."""
        found: dict[tuple[int, ...], set[int]] = {}
        for rule in self._rules:
            if new := self._new([*rule, *self._dominoes]):
                found[(*rule, *self._dominoes)] = new
        if not found:
            for one, other in combinations(self._rules, 2):
                if new := self._new([*one, *other]):
                    found[(*one, *other)] = new
        return found

    def _proofs(self, unknown: set[int]) -> dict[tuple[int, ...], set[int]]:
        """Return minimal sets of items from which one of the unknown facts follows."""
        reasoner, items = self._reasoner, self._reasoner.grouped.items
        dear = sorted(range(len(items)), key=lambda i: -cost_of_item(items[i]))
        found: dict[tuple[int, ...], set[int]] = {}
        enough = reasoner.questions + QUESTIONS_FOR_A_STEP
        for literal in sorted(unknown, key=lambda a: (not reasoner.fact(a).holds, a))[:PROVED]:
            used, needed = self._needed(dear, [literal])
            used.sort()
            self._proved[tuple(used), literal] = used, needed
            found.setdefault(tuple(used), set()).add(literal)
            if reasoner.questions >= enough:
                break
        return found

    def _needed(self, items: Iterable[int], conclusions: Sequence[int]) -> tuple[list[int], list[int]]:
        """Return an irreducible set of items and facts from which the conclusions follow."""
        chosen = list(items)
        if self._partners_of or len(chosen) > FEW_RULES:
            return _shrink(self._reasoner, chosen, self._basis, conclusions)
        # Without dominoes, cells outside the items cannot contribute.
        whole, fact = self._reasoner, self._reasoner.fact
        scope = {v for i in chosen for v in whole.grouped.items[i].piece.variables}
        scope.update(fact(a).variable for a in conclusions)
        key = tuple(chosen), frozenset(scope)
        if key not in self._parts:
            self._parts[key] = Reasoner(whole.grouped.part(chosen, scope), whole.deadline)
        part = self._parts[key]
        known = [part.literal(fact(a)) for a in self._basis if fact(a).variable in scope]
        used, needed = _shrink(part, range(len(chosen)), known, [part.literal(fact(a)) for a in conclusions])
        return [chosen[i] for i in used], [whole.literal(part.fact(a)) for a in needed]

    def _worked_out(self, items: tuple[int, ...], conclusions: set[int], open_steps: int) -> Step:
        """Return the step with no more items and facts than its conclusions need."""
        reasoner = self._reasoner
        if not items:
            conclusions = self._easiest(conclusions)
        told = sorted(self._worth_telling(self._at_hand(items, conclusions)))
        proved = self._proved.get((items, told[0])) if len(told) == 1 else None
        used, needed = proved or self._needed(items, told)
        chosen = tuple(reasoner.grouped.items[i] for i in sorted(used))
        concluded = tuple(sorted(map(reasoner.fact, told)))
        told_of = {fact.variable for fact in map(reasoner.fact, needed)}
        cost = cost_of_step(chosen, len(told_of), concluded, self._domains)
        facts = tuple(sorted(map(reasoner.fact, needed)))
        return Step(chosen, facts, concluded, cost, open_steps, self._seen_among(facts, used))

    def _seen_among(self, facts: Iterable[Fact], named: Sequence[int]) -> tuple[Exclusion, ...]:
        """Return the exclusions that justify those of the facts that no step has concluded."""
        literal, learned = self._reasoner.literal, self._learned

        def is_seen(fact: Fact) -> bool:
            return bool(self._because[literal(fact)])

        def is_before(one: Fact, other: Fact) -> bool:
            return learned.get(literal(one), len(learned)) < learned[literal(other)]

        return tuple(self._sight.exclusions(facts, named, is_seen, is_before))

    def _easiest(self, conclusions: set[int]) -> set[int]:
        """Return, for a step without items, the conclusions that follow from the fewest facts."""
        proofs = {a: self._needed((), [a])[1] for a in sorted(conclusions)}
        fewest = min(proofs.values(), key=len)
        found = self._reasoner.propagate((), fewest) or set()
        return {a for a in conclusions if a in found or proofs[a] == fewest}

    def _at_hand(self, items: tuple[int, ...], conclusions: set[int]) -> set[int]:
        """Return the conclusions about the cells of the rules, if there are any; otherwise all."""
        scope = {
            v
            for i in items
            if (item := self._reasoner.grouped.items[i]).kind == "rule"
            for v in item.piece.variables
        }
        return {a for a in conclusions if self._reasoner.fact(a).variable in scope} or conclusions

    def _worth_telling(self, conclusions: set[int]) -> set[int]:
        """Return the conclusions without negative ones that a positive one implies."""
        facts = {a: self._reasoner.fact(a) for a in conclusions}
        decided = {fact.variable for fact in facts.values() if fact.holds}
        covered = {end for fact in facts.values() if fact.holds for end in self._ends(fact)}
        return {
            a
            for a, fact in facts.items()
            if fact.holds or not (fact.variable in decided or covered.intersection(self._ends(fact)))
        }

    def _learn(self, literals: Iterable[int]) -> None:
        """Add these facts and what they imply directly: a cell has one value and one domino."""
        reasoner = self._reasoner
        waiting: list[tuple[int, tuple[int, ...]]] = [(a, ()) for a in literals]
        while waiting:
            literal, because = waiting.pop()
            if literal in self.known or literal not in reasoner.literals:
                continue
            self.known.add(literal)
            self._because[literal] = because
            self._learned[literal] = len(self._learned)
            self._ahead.learn([literal])
            fact = reasoner.fact(literal)
            if ends := self._ends(fact):
                waiting += [(a, (literal,)) for a in (self._beside(ends) if fact.holds else ())]
                continue
            domain = self._domains[fact.variable]
            others = [x for x in domain if x != fact.value] if fact.holds else [fact.value]
            domain.difference_update(others)
            waiting += [(reasoner.literal(Fact(fact.variable, x, False)), (literal,)) for x in others]
            if fact.holds:
                waiting += self._seen(fact)

    def _seen(self, fact: Fact) -> Iterator[tuple[int, tuple[int, ...]]]:
        """Yield literals that exclude this value elsewhere, as it occurs often enough, with the causes."""
        literal = self._reasoner.literal
        for excluded, shown in self._sight.excluded(fact, lambda each: literal(each) in self.known):
            yield literal(excluded), tuple(map(literal, shown))

    def _beside(self, ends: tuple[int, ...]) -> list[int]:
        """Return the literals that exclude every other domino that shares one cell with this one."""
        return [
            -a
            for a in self._reasoner.literals
            if (fact := self._reasoner.fact(a)).holds and len(set(self._ends(fact)).intersection(ends)) == 1
        ]
