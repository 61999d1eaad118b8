"""Find minimal sets of items that clash, and single items whose removal makes the puzzle solvable.

The first clash is found by deletion from an unsatisfiable core (Marques-Silva 2010). Clashes in order of size
are found by hitting sets (Ignatiev, Previti, Liffiton and Marques-Silva 2015). A clash contains an item of
every correction set, that is, of every set of items whose removal leaves a satisfiable rest. So take a
smallest hitting set of the correction sets found so far: either it is consistent, which yields another
correction set, or it is a smallest clash. A second formula, over the items, stores what has been found. If
this takes too long, the same formula enumerates the clashes in any order (MARCO: Liffiton, Previti, Malik and
Marques-Silva 2016).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, Protocol

from milp_pips.extras.explain.facts import Step
from milp_pips.extras.explain.reasoner import OutOfTime, Reasoner, load_clauses
from milp_pips.formulations.cnf import Clauses
from milp_pips.problem import Deadline

MAX_CLASH_BY_SIZE = 30
"""The most items up to which clashes are searched in order of size: longer ones are not read anyway."""

SOUGHT = 2_000
"""The number of engine calls after which any clash is accepted. It is not a time, so that reasons are the
same on any machine. The three smallest of 30 falsified hard puzzles take 1,000 at most
(``benchmarks/reasons.py``).
"""

GLANCE = 3
"""The conflicts allowed for adding one item to a consistent set; if they run out, the item is left out."""

MAX_CLASH_CONFLICTS = 10_000
"""The conflicts after which the formula over the items is too hard, and any clash is accepted."""


class Oracle(Protocol):
    """Says whether items hold together, by their positions: a ``Reasoner`` or a ``ModelOracle``."""

    deadline: Deadline
    size: int
    """The number of items."""
    questions: int
    """The number of calls of ``solve``."""
    has_guessed: bool
    """Whether an answer was "perhaps": then smaller sets that clash may have been passed over."""

    def solve(self, items: Iterable[int]) -> bool:
        """Whether some point obeys the items. Raises OutOfTime."""

    def solve_limited(self, items: Iterable[int], conflicts: int) -> bool:
        """Whether such a point is found at once."""

    def holding(self) -> set[int]:
        """Return the items that hold at the last point."""

    def clash(self) -> list[int]:
        """Return a minimal subset of the items of the last call, which clash, in increasing order."""


class MinimalClash(NamedTuple):
    """The items of a minimal clash in increasing order; a proved lower bound on the size of all clashes."""

    items: list[int]
    least: int


def repairs(oracle: Oracle, clash: Iterable[int]) -> list[int]:
    """Return the items each of which is enough to remove for a solution; all of them are in every clash."""
    return [i for i in clash if oracle.solve([j for j in range(oracle.size) if j != i])]


def first_clash(reasoner: Reasoner, steps: Sequence[Step]) -> list[int] | None:
    """Return a minimal set of items that clash; None if there is none or the clauses are slow to find one.

    If the ``steps`` refute the puzzle, the clauses only have to thin the items that these use. Raises
    OutOfTime when the deadline stops the search.
    """
    items, used = reasoner.grouped.items, {item for step in steps for item in step.premises[0]}
    among = [i for i, item in enumerate(items) if not steps or item.is_value or item in used]
    return None if reasoner.solve(among) or reasoner.is_slow else reasoner.clash()


def clashes(oracle: Oracle) -> Iterator[MinimalClash]:
    """Yield all minimal sets of items that clash, the smallest first for as long as that is quick.

    Raises OutOfTime between two sets when the deadline stops the search.
    """
    unexplored = _Unexplored(oracle.size, oracle.deadline)
    least, enough = 0, oracle.questions + SOUGHT
    while (seed := unexplored.next(by_size=oracle.questions < enough)) is not None:
        if oracle.solve(seed):
            unexplored.without(_left_out(oracle, seed))
        else:
            is_smallest = unexplored.by_size and not oracle.has_guessed
            clash = seed if is_smallest else oracle.clash()
            least = least or unexplored.least
            unexplored.exclude(clash)
            yield MinimalClash(clash, least)


def _left_out(oracle: Oracle, seed: Sequence[int]) -> list[int]:
    """Return the complement of a large consistent set that contains the seed, for which a point is known."""
    kept = {*seed, *oracle.holding()}
    for i in range(oracle.size):
        if i not in kept and oracle.solve_limited([*kept, i], GLANCE):
            kept |= {i, *oracle.holding()}
    return [i for i in range(oracle.size) if i not in kept]


class _Unexplored:
    """The sets of items not yet known to clash or to be consistent.

    ``least`` is a proved lower bound on the size of every such set.
    """

    def __init__(self, items: int, deadline: Deadline):
        formula = Clauses(lambda: deadline.stop)
        self._chosen = [formula.new() for _ in range(items)]
        self._most = min(items, MAX_CLASH_BY_SIZE)
        self._counted = formula.at_least(self._chosen, self._most + 1)
        if deadline.stop:  # which leaves out clauses
            raise OutOfTime
        self._engine, self._deadline = load_clauses(formula, deadline), deadline
        self.least, self.by_size = 0, True
        """The bound of the class docstring; whether the last set was a smallest one."""

    def without(self, items: Sequence[int]) -> None:
        """Exclude all sets that contain none of the items."""
        self._engine.add([self._chosen[i] for i in items])

    def exclude(self, items: Sequence[int]) -> None:
        """Exclude all sets that contain all of these items."""
        self._engine.add([-self._chosen[i] for i in items])

    def next(self, by_size: bool) -> list[int] | None:
        """Return a set: a smallest one if ``by_size`` and if that is quick, otherwise a maximal one.

        Return None if there is none. Raises OutOfTime.
        """
        self.by_size = self.by_size and by_size
        while self.by_size and self.least <= self._most:
            found = self._engine.solve(self._at_most(self.least), self._deadline, MAX_CLASH_CONFLICTS)
            if found:
                return self._chosen_in(self._engine.model())
            self.by_size = found is not None
            self.least += self.by_size
        self.by_size = False
        return self._largest()

    def _at_most(self, items: int) -> list[int]:
        """Return the assumptions that at most ``items`` items are chosen."""
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
