"""Find solutions other than a given one, and confirm that there are none."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from milp_pips.extras.explain.confirmation import confirm_step
from milp_pips.extras.explain.facts import Fact, Step
from milp_pips.extras.explain.reasoner import Reasoner


class OtherSolutions:
    """The solutions that differ from a given one in some variables.

    Parameters
    ----------
    reasoner
        The reasoner with the items of the puzzle.
    solution
        The values of these variables in the given solution.
    """

    def __init__(self, reasoner: Reasoner, solution: Mapping[int, int]):
        self._reasoner = reasoner
        every = map(reasoner.fact, reasoner.literals)
        self._facts = tuple(f for f in every if f.holds and solution.get(f.variable) == f.value)
        self._differs = reasoner.negated_conjunction(list(map(reasoner.literal, self._facts)))

    def find(self, items: Iterable[int], shown: Iterable[Fact] = ()) -> tuple[int, ...] | None:
        """Return another solution that obeys the items and has the facts that are shown; None if none does.

        Raises OutOfTime, and EngineFault if the solution breaks a rule.
        """
        return self._reasoner.point_of(items, [self._differs, *map(self._reasoner.literal, shown)])

    def confirm_none(self, items: Iterable[int], shown: Iterable[Fact] = ()) -> str | None:
        """Return the method that confirms that there is no other solution with them; None if none does.

        Raises EngineFault if there is one.
        """
        if not self._facts:
            return "the domains, which have one value each"
        grouped = self._reasoner.grouped
        step = Step(tuple(grouped.items[i] for i in items), tuple(shown), self._facts, 0.0)
        return confirm_step(grouped, step, self._reasoner.deadline)
