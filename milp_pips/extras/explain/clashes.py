"""Why there is no solution: minimal sets of items that clash, and items whose removal repairs the puzzle.

A first clash is found by deletion from a core (Marques-Silva 2010), and all of them, the smallest first, by
hitting sets (Ignatiev, Previti, Liffiton and Marques-Silva 2015): a clash has an item of every set without
which the rest has a solution. So the smallest set of items that has one of each is consistent, which gives a
further such set, or it is a smallest clash. A second formula over the items keeps what has been found. Where
that takes too long, the same formula gives any clashes there are (MARCO: Liffiton, Previti, Malik and
Marques-Silva 2016).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, combinations
from math import comb
from typing import NamedTuple

from milp_pips.extras.explain.costs import cost_of_item, cost_of_step
from milp_pips.extras.explain.facts import Clash, Step
from milp_pips.extras.explain.reasoner import OutOfTime, Reasoner, load_clauses
from milp_pips.extras.explain.steps import Trace
from milp_pips.formulations.cnf.clauses import Clauses
from milp_pips.problem.groups import Tiling
from milp_pips.problem.stopping import Deadline

MAX_CLASH_BY_SIZE = 30
"""Items up to which clashes are looked for by size: nobody reads a longer one for being the shortest."""

SOUGHT = 2_000
"""Questions to the engine after which any clash will do. No time: reasons are to be the same on any machine.
The three smallest of 30 falsified hard puzzles take 1,000 at most (``benchmarks/reasons.py``)."""

GLANCE = 3
"""Conflicts up to which a consistent set is tried with one item more: a set without it will do, too."""

MAX_CLASH_CONFLICTS = 10_000
"""Conflicts after which the formula over the items has grown too hard, and any clash will do."""


class MinimalClash(NamedTuple):
    """The items of a minimal clash in increasing order, and how many any clash is proved to have at least."""

    items: list[int]
    least: int


def repairs(reasoner: Reasoner, clash: list[int]) -> list[int]:
    """Return the items without which, each by itself, the rest has a solution; all are in every clash."""
    everything = range(len(reasoner.selectors))
    return [i for i in clash if reasoner.solve([j for j in everything if j != i])]


def quick_clash(reasoner: Reasoner) -> list[int] | None:
    """Return a minimal set of items that clash; None where there is none, or clauses are slow to see one.

    Raises OutOfTime when the deadline says stop.
    """
    if reasoner.solve(range(len(reasoner.selectors))) or reasoner.is_slow:
        return None
    return _shrunk(reasoner)


def clashes(reasoner: Reasoner) -> Iterator[MinimalClash]:
    """Yield minimal sets of items that clash, all there are: the smallest first, as far as that is quick.

    Raises OutOfTime between two of them when the deadline says stop.
    """
    unexplored = _Unexplored(len(reasoner.grouped.items), reasoner.deadline)
    least, enough = 0, reasoner.questions + SOUGHT
    while (seed := unexplored.next(by_size=reasoner.questions < enough)) is not None:
        if reasoner.solve(seed):
            unexplored.without(_left_out(reasoner, seed))
        else:
            clash = seed if unexplored.by_size else sorted(_shrunk(reasoner))
            least = least or unexplored.least
            unexplored.exclude(clash)
            yield MinimalClash(clash, least)


def _shrunk(reasoner: Reasoner) -> list[int]:
    """Return those of the items that were asked for last, and clash, that are needed for it."""
    items, (core, _) = reasoner.grouped.items, reasoner.core()
    clash, _ = reasoner.shrink(sorted(core, key=lambda i: -cost_of_item(items[i])), ())
    return sorted(clash)


def _left_out(reasoner: Reasoner, seed: Sequence[int]) -> list[int]:
    """Return the items that are left out of a large consistent set around one of which a point is known."""
    every, kept = range(len(reasoner.grouped.items)), _holding(reasoner, seed)
    for i in every:
        if i not in kept and reasoner.solve_limited([*kept, i], GLANCE):
            kept = _holding(reasoner, [*kept, i])
    return [i for i in every if i not in kept]


def _holding(reasoner: Reasoner, kept: Iterable[int]) -> set[int]:
    """Return these items and all others that hold in the point that was found last."""
    point = reasoner.point()
    return {*kept, *(i for i, item in enumerate(reasoner.grouped.items) if item.piece.holds(point))}


class _Unexplored:
    """The sets of items of which it is not known yet whether they clash.

    ``least`` is the least number of items that any of them has, as far as is proved.
    """

    def __init__(self, items: int, deadline: Deadline):
        formula = Clauses()
        self._chosen = [formula.new() for _ in range(items)]
        self._counted = formula.at_least(self._chosen, min(items, MAX_CLASH_BY_SIZE) + 1)
        self._engine, self._deadline = load_clauses(formula, deadline), deadline
        self.least, self.by_size = 0, True
        """As for ``least``; whether the last set was a smallest one."""

    def without(self, items: Sequence[int]) -> None:
        """Exclude all sets that have none of the items."""
        self._engine.add([self._chosen[i] for i in items])

    def exclude(self, items: Sequence[int]) -> None:
        """Exclude all sets that have these items."""
        self._engine.add([-self._chosen[i] for i in items])

    def next(self, by_size: bool) -> list[int] | None:
        """Return a set: one of the smallest if that is wanted and quick, else one that cannot grow.

        None where there is none. Raises OutOfTime.
        """
        self.by_size = self.by_size and by_size
        while self.by_size and self.least < len(self._counted):
            found = self._engine.solve(self._at_most(self.least), self._deadline, MAX_CLASH_CONFLICTS)
            if found:
                return self._chosen_in(self._engine.model())
            self.by_size = found is not None
            self.least += self.by_size
        self.by_size = False
        return self._largest()

    def _at_most(self, items: int) -> list[int]:
        """Return the assumptions that no more items than these are chosen."""
        return [-self._counted[items + 1]] if items + 1 < len(self._counted) else []

    def _largest(self) -> list[int] | None:
        taken = list[int]()
        if not self._engine.solve(taken, self._deadline):
            if self._deadline.stop:
                raise OutOfTime
            return None
        taken = [self._chosen[i] for i in self._chosen_in(self._engine.model())]
        for a in self._chosen:
            if a not in taken and self._engine.solve([*taken, a], self._deadline):
                taken.append(a)
        return [i for i, a in enumerate(self._chosen) if a in set(taken)]

    def _chosen_in(self, model: list[int]) -> list[int]:
        true = set(model)
        return [i for i, a in enumerate(self._chosen) if a in true]


# How a long reason comes to its contradiction: steps, of which the last one finds that nothing is left.

MAX_RULE_SETS = 300
"""Sets of so many rules are looked at: all pairs of 24, all triples of 13; all dominoes count as one."""

LOOKING = 3_000
"""Questions to the engine after which no more is looked for than unit propagation sees."""


def refutation(reasoner: Reasoner, clash: Clash) -> tuple[Step, ...]:
    """Return the steps from the empty board to the contradiction; the last one concludes nothing.

    Only items of the clash are used, and no step that the contradiction can do without. Raises OutOfTime.
    """
    among = set(clash.items)
    numbers = [i for i, item in enumerate(reasoner.grouped.items) if item in among]
    trace = _Refutation(reasoner, numbers)
    return tuple(trace.needed(list(trace.steps())))


class _Refutation(Trace):
    """Steps that lead to no solution: what follows is looked for until something contradicts itself."""

    def __init__(self, reasoner: Reasoner, items: Sequence[int]):
        super().__init__(reasoner, [], set, items)
        self._items, self._ended = items, False
        self._looked_at: dict[tuple[int, ...], int] = {}

    def next_step(self) -> Step | None:
        """Return the contradiction, if it can be seen, or the cheapest step that is found, and learn it."""
        if self._ended:
            return None
        self._basis = self._told_facts()
        groups = [*map(tuple, self._rules), tuple(self._dominoes)]
        for size in range(len(groups)):
            if comb(len(groups), size) > MAX_RULE_SETS:
                continue
            some = [tuple(chain(*parts)) for parts in combinations(groups, size)]
            step = (
                self._contradiction(some, thoroughly=False)
                or self._cheapest({items: new for items in some if (new := self._new(items))})
                or self._contradiction(some, thoroughly=True)
                or self._cheapest(self._following(some))
            )
            if step:
                return step
        singles = self._single_rules(self._unknown())
        return self._cheapest(singles) or self._contradiction([tuple(self._items)], thoroughly=True)

    def _following(self, groups: Sequence[tuple[int, ...]]) -> dict[tuple[int, ...], set[int]]:
        """Return what follows for the cells of the first of the groups, of those for which anything does.

        That may take more than unit propagation. A group is looked at again once more is known of its cells.
        """
        fact = self._reasoner.fact
        for items in groups:
            cells = self._cells_of(items)
            unknown = {a for a in self._unknown() if fact(a).variable in cells}
            if self._looked_at.get(items) == len(unknown) or self._ahead.questions > LOOKING:
                continue
            self._looked_at[items] = len(unknown)
            new = self._ahead.consequences(items, (), unknown)
            if new and new != unknown:  # all of it: a contradiction, which is found otherwise
                return {items: new}
        return {}

    def _cells_of(self, items: Sequence[int]) -> set[int]:
        """Return the variables of the rules among the items, and the partners of these; else all."""
        pieces = [self._reasoner.grouped.items[i].piece for i in items if i not in self._dominoes]
        cells = {v for piece in pieces for v in piece.variables}
        if not cells:
            return set(range(len(self._reasoner.grouped.variables)))
        tilings = [c for c in self._reasoner.grouped.hard if isinstance(c, Tiling)]
        return cells | {
            partner
            for tiling in tilings
            for v, partner in zip(tiling.values, tiling.partners, strict=True)
            if v in cells
        }

    def _unknown(self) -> set[int]:
        return {a for a in self._reasoner.literals if a not in self.known and -a not in self.known}

    def _cheapest(self, found: dict[tuple[int, ...], set[int]]) -> Step | None:
        if not found:
            return None
        items = min(found, key=lambda items: self._estimate(items, found[items]))
        step = self._worked_out(items, found[items], len(found))
        self._learn([self._reasoner.literal(fact) for fact in step.conclusions])
        return step

    def _contradiction(self, groups: Sequence[tuple[int, ...]], thoroughly: bool) -> Step | None:
        """Return the last step, if the items of one of the groups contradict what is known."""
        for group in groups:
            if thoroughly:
                consistent = self._reasoner.solve(group, self._basis)
            else:
                consistent = self._reasoner.propagate(group, self._basis) is not None
            if not consistent:
                self._ended = True
                return self._last(group)
        return None

    def _last(self, group: tuple[int, ...]) -> Step:
        reasoner = self._reasoner
        dear = sorted(group, key=lambda i: -cost_of_item(reasoner.grouped.items[i]))
        used, needed = reasoner.shrink(dear, self._basis)
        items = tuple(reasoner.grouped.items[i] for i in sorted(used))
        facts = tuple(sorted(map(reasoner.fact, needed)))
        cost = cost_of_step(items, len(facts), (), self._domains)
        return Step(items, facts, (), cost, seen=self._seen_among(facts, used))
