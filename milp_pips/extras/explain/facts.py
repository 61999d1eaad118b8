"""The data of explanations: facts about the board, steps from facts to facts, and clashes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from milp_pips.extras.explain.groups import ConstraintGroup
from milp_pips.problem.deduction import Fact as Fact


class Exclusion(NamedTuple):
    """An exclusion that a player sees without a step: a rule shows a value as often as it may.

    Parameters
    ----------
    item
        The rule.
    shown
        The facts that state where the value is shown; each was known before.
    excluded
        The facts that follow: the rule's other cells do not have the value.
    """

    item: ConstraintGroup
    shown: tuple[Fact, ...]
    excluded: tuple[Fact, ...]


class Reason(NamedTuple):
    """One deduction of a step: the technique, what it rests on, and what follows.

    ``detail`` holds what the technique's sentence needs, see ``milp_pips.extras.explain.text.sentences``.
    """

    technique: str
    items: tuple[ConstraintGroup, ...] = ()
    facts: tuple[Fact, ...] = ()
    conclusions: tuple[Fact, ...] = ()
    detail: Any = None


@dataclass(frozen=True, slots=True)
class Step:
    """The next thing that a person can see: new facts that follow from a few items and known facts.

    Parameters
    ----------
    items
        The items that the step needs.
    facts
        The known facts that it needs. Each was concluded before, stands on the board, or follows from one of
        the exclusions in ``seen``.
    conclusions
        The new facts; none if the items and facts contradict each other.
    cost
        The price of the technique; see ``milp_pips.extras.explain.techniques``.
    open
        The number of steps of one look that were available.
    seen
        The exclusions that justify the needed facts that no step has concluded. They cost nothing.
    technique
        The name of the technique.
    reasons
        The deductions of the step in order; the last one has the step's technique.
    """

    items: tuple[ConstraintGroup, ...]
    facts: tuple[Fact, ...]
    conclusions: tuple[Fact, ...]
    cost: float
    open: int = 1
    seen: tuple[Exclusion, ...] = ()
    technique: str = ""
    reasons: tuple[Reason, ...] = ()

    @property
    def premises(self) -> tuple[tuple[ConstraintGroup, ...], tuple[Fact, ...]]:
        """The items and known facts that imply the conclusions; causes stand in for exclusions."""
        if not self.seen:
            return self.items, tuple(sorted(self.facts))
        seen = {fact for each in self.seen for fact in each.excluded}
        shown = (fact for each in self.seen for fact in each.shown)
        items = dict.fromkeys((*self.items, *(each.item for each in self.seen)))
        return tuple(items), tuple(sorted({*self.facts, *shown} - seen))


@dataclass(frozen=True, slots=True)
class Clash:
    """Items that cannot hold together. If ``minimal``, they can once any one of them is left out.

    ``smallest`` states that it is proved that no smaller set of items clashes. ``steps`` lead from the items
    to a contradiction; they are empty if no technique finds one.
    """

    items: tuple[ConstraintGroup, ...]
    minimal: bool = True
    smallest: bool = False
    confirmed_by: str | None = None
    steps: tuple[Step, ...] = ()
