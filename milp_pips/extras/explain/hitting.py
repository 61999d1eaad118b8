"""Choose the cheapest options that are enough, by implicit hitting sets with an oracle.

A choice is enough if no *witness* breaks it: no point that obeys everything chosen but is not wanted. Each
witness gives a set of elements of which every choice that is enough contains one: those that it does not
obey. So alternate: a MIP engine finds the cheapest choice that hits all known sets, and the oracle looks
for a witness against it, whose set is then added. If there is none, the choice is optimal, because no
cheaper one hits even the known sets. (Moreno-Centeno and Karp, *The implicit hitting set approach*, 2013;
for smallest unsatisfiable sets Ignatiev, Previti, Liffiton and Marques-Silva 2015. As a bilevel program,
whose follower looks for the witness, with these sets as its valid inequalities: Tjusila, Besançon, Turner
and Koch, *How many clues to give? A bilevel formulation for the minimum Sudoku clue problem*, 2024, arXiv
2305.01697.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from milp_pips.constraints import LinearSum, Relation
from milp_pips.engines.defaults import optimiser
from milp_pips.engines.registry import ask, available
from milp_pips.problem import Claim, Deadline, EngineFault, Problem, Proof, Settings, Variable
from milp_pips.problem.objective import Objective
from milp_pips.verification.second_opinion import on_no_solution

SEARCH_NODES = 20_000
"""The nodes after which the exhaustive search for a cheaper choice gives up, and another engine decides: a
second's worth."""


class Option(NamedTuple):
    """What can be chosen: its price, a whole number from 1 on, and the elements that it makes hold."""

    cost: int
    elements: frozenset[int]


Witness = Callable[[frozenset[int]], frozenset[int] | None]
"""Returns the elements that some witness obeys, which include the given ones; None if there is none."""


@dataclass
class HittingSets:
    """The search for the cheapest choice; it can be stopped and keeps what is known.

    Parameters
    ----------
    options
        The options.
    witness
        The oracle. It may raise an error at the deadline; the search can be continued later.
    exclusive
        Sets of options of which at most one can be chosen.
    """

    options: Sequence[Option]
    witness: Witness
    exclusive: Sequence[frozenset[int]] = ()
    sets: list[frozenset[int]] = field(default_factory=list)
    """For each witness, the options that exclude it."""
    best: frozenset[int] | None = None
    """The cheapest choice known to be enough."""
    bound: int = 0
    """No choice that is enough is cheaper."""
    is_possible: bool = True
    """False once it is known that no choice is enough."""

    def __post_init__(self) -> None:
        self._universe = frozenset().union(*(option.elements for option in self.options))
        self._of_element: dict[int, set[int]] = {e: set() for e in self._universe}
        for number, option in enumerate(self.options):
            for e in option.elements:
                self._of_element[e].add(number)

    def cost(self, chosen: Iterable[int]) -> int:
        """Return the price of these options."""
        return sum(self.options[i].cost for i in chosen)

    @property
    def is_optimal(self) -> bool:
        """Whether the best choice is proved to be cheapest."""
        return self.best is not None and self.cost(self.best) <= self.bound

    def begin(self, chosen: Iterable[int] = ()) -> None:
        """Find a choice that is enough, beginning with these options, and leave out what is not needed."""
        kept = list(chosen)
        while (more := self._missed(frozenset(kept))) is not None:
            able = [i for i in more if self._is_compatible(i, kept)]
            if not able:
                self.is_possible &= bool(more)
                return
            hits = {i: sum(i in s for s in self.sets) / self.options[i].cost for i in able}
            kept.append(max(able, key=lambda i: (hits[i], -i)))
        enough = frozenset(kept)
        self._take(enough)
        for i in sorted(kept, key=lambda i: -self.options[i].cost):
            if self._missed(enough - {i}) is None:
                enough -= {i}
                self._take(enough)

    def finish(self, deadline: Deadline, cutoff: int | None = None) -> None:
        """Find the cheapest choice, unless it costs ``cutoff`` or more, or the deadline comes first."""
        if cutoff is not None and self._is_hit_for_less(cutoff) is False:
            self.bound = cutoff
        while self.is_possible and not self.is_optimal and (cutoff is None or self.bound < cutoff):
            chosen = self._cheapest(deadline)
            if chosen is None:
                return
            self.bound = max(self.bound, self.cost(chosen))
            if self.is_optimal or self._missed(chosen) is None:
                self._take(chosen)

    def confirm(self, deadline: Deadline) -> str | None:
        """Return the method that confirms the bound, without the engine that found it; None if none does.

        Raises EngineFault if a cheaper choice hits all known sets.
        """
        found = self._is_hit_for_less(self.bound)
        by: str | None = "exhaustive search"
        if found is None:
            engine = available(optimiser())
            claim = Claim(engine.title, engine.proof_family or engine.name)
            weights = tuple(option.cost for option in self.options)
            less = LinearSum(tuple(range(len(weights))), Relation.LE, self.bound - 1, "cheaper", weights)
            opinion = on_no_solution(
                self._problem(minimal_sets(self.sets)).with_constraints([less]), claim, deadline
            )
            found, by = opinion.point is not None, opinion.confirmed_by
        if found:
            raise EngineFault(f"{available(optimiser()).title} misses a cheaper choice of options")
        return by

    def _is_hit_for_less(self, bound: int) -> bool | None:
        """Whether a choice that costs less than the bound hits all known sets; None if that takes long."""
        nodes, costs = 0, [option.cost for option in self.options]

        def least(sets: Iterable[frozenset[int]]) -> int:
            """Return what sets without a common option cost at least."""
            total, used = 0, set[int]()
            for s in sets:
                if used.isdisjoint(s):
                    used |= s
                    total += min(costs[i] for i in s)
            return total

        def search(sets: Sequence[frozenset[int]], left: int) -> bool:
            """Whether options that cost at most ``left`` hit all sets."""
            nonlocal nodes
            nodes += 1
            if left < 0:
                return False
            if not sets:
                return True
            if nodes > SEARCH_NODES or any(not s for s in sets):
                return False
            sets = sorted(sets, key=len)
            if least(sets) > left:
                return False
            # One option of the smallest set has to be chosen; one that was tried is not tried again below.
            refused: set[int] = set()
            for i in sorted(sets[0]):
                barred = refused.union(*(group for group in self.exclusive if i in group))
                rest = [s - barred for s in sets if i not in s]
                if costs[i] <= left and search(rest, left - costs[i]):
                    return True
                refused.add(i)
            return False

        found = search(minimal_sets(self.sets), bound - 1)
        return None if nodes > SEARCH_NODES and not found else found

    def _take(self, chosen: frozenset[int]) -> None:
        if self.best is None or self.cost(chosen) < self.cost(self.best):
            self.best = chosen

    def _is_compatible(self, option: int, chosen: Iterable[int]) -> bool:
        return not any(option in group and not group.isdisjoint(chosen) for group in self.exclusive)

    def _missed(self, chosen: frozenset[int]) -> frozenset[int] | None:
        """Return, and keep, a minimal set of options that the choice does not hit; None if it is enough."""
        kept = frozenset().union(*(self.options[i].elements for i in chosen))
        held = self.witness(kept)
        if held is None:
            return None
        # A witness that obeys more gives a smaller set, which excludes more choices.
        for e in sorted(self._universe - held):
            if e not in held and (more := self.witness(held & self._universe | {e})) is not None:
                held = more
        found = frozenset().union(*(self._of_element[e] for e in self._universe - held))
        self.sets.append(found)
        return found

    def _problem(self, sets: Iterable[frozenset[int]]) -> Problem:
        """Return the choices that hit all known sets, as a problem; the cheapest is wanted."""
        variables = tuple(Variable(f"option {i}", (0, 1)) for i in range(len(self.options)))
        rows = [LinearSum(tuple(sorted(s)), Relation.GE, 1, "hit") for s in sets]
        rows += [LinearSum(tuple(sorted(g)), Relation.LE, 1, "exclusive") for g in self.exclusive]
        terms = tuple((i, 1, option.cost) for i, option in enumerate(self.options))
        return Problem(
            variables, tuple(rows), {"choice": tuple(range(len(variables)))}, objective=Objective(terms)
        )

    def _cheapest(self, deadline: Deadline) -> frozenset[int] | None:
        """Return the cheapest choice that hits all known sets; None if there is none, or at the deadline."""
        sets = minimal_sets(self.sets)
        if any(not s for s in sets):
            self.is_possible = False
            return None
        answer = ask(optimiser(), self._problem(sets), Settings(), deadline)
        self.is_possible = answer.proof is not Proof.INFEASIBLE
        if answer.proof is not Proof.OPTIMAL or answer.point is None:
            return None
        return frozenset(i for i, value in enumerate(answer.point) if value)


def minimal_sets(sets: Iterable[frozenset[int]]) -> list[frozenset[int]]:
    """Return the sets that contain no other one, each once, the smallest first."""
    found: list[frozenset[int]] = []
    for s in sorted(set(sets), key=lambda s: (len(s), sorted(s))):
        if not any(other <= s for other in found):
            found.append(s)
    return found
