"""What reasons are made of: facts about the board, steps from facts to facts, and clashes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from milp_pips.problem.groups import ConstraintGroup
from milp_pips.problem.problem import Assignment


class Fact(NamedTuple):
    """A variable has a value (``holds``), or has not.

    Where the variable is the partner of a cell, a domino lies on both cells, or none does; such a fact is
    told by the lower of the two cells.
    """

    variable: int
    value: int
    holds: bool

    def is_true(self, assignment: Assignment) -> bool:
        """Whether it is so in the assignment."""
        return (assignment[self.variable] == self.value) is self.holds


class Exclusion(NamedTuple):
    """What a player sees without a step: a rule shows a value as often as it may, so its other cells do not.

    Parameters
    ----------
    item
        The rule.
    shown
        The facts that the value is shown, each known before.
    excluded
        The facts that are plain from that.
    """

    item: ConstraintGroup
    shown: tuple[Fact, ...]
    excluded: tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class Step:
    """What a person can see next: new facts that follow from a few items and known facts alone.

    Parameters
    ----------
    items
        The items that are needed; none of them can be left out.
    facts
        The known facts that are needed, likewise. Each was concluded before or stands on the board, or one of
        the exclusions in ``seen`` gives it.
    conclusions
        What is new.
    cost
        What it asks of a head; see ``milp_pips.extras.explain.costs``.
    open
        How many steps of one rule or less there were to choose from.
    seen
        The exclusions that give those facts which no step has concluded. They cost nothing.
    """

    items: tuple[ConstraintGroup, ...]
    facts: tuple[Fact, ...]
    conclusions: tuple[Fact, ...]
    cost: float
    open: int = 1
    seen: tuple[Exclusion, ...] = ()

    @property
    def premises(self) -> tuple[tuple[ConstraintGroup, ...], tuple[Fact, ...]]:
        """The items, and the facts that the player knows, from which the conclusions follow: nothing seen."""
        seen = {fact for each in self.seen for fact in each.excluded}
        shown = (fact for each in self.seen for fact in each.shown)
        items = dict.fromkeys((*self.items, *(each.item for each in self.seen)))
        return tuple(items), tuple(sorted({*self.facts, *shown} - seen))


@dataclass(frozen=True, slots=True)
class Clash:
    """Items that cannot hold together, though they can once any one of them is left out (if ``minimal``).

    ``smallest`` says that it is proved that no fewer items clash.
    """

    items: tuple[ConstraintGroup, ...]
    minimal: bool = True
    smallest: bool = False
    confirmed_by: str | None = None
