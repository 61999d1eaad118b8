"""What reasons are made of: facts about the board, steps from facts to facts, and clashes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from milp_pips.problem import Assignment
from milp_pips.soft import Item


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


@dataclass(frozen=True, slots=True)
class Step:
    """What a person can see next: new facts that follow from a few items and known facts alone.

    Parameters
    ----------
    items
        The items that are needed; none of them can be left out.
    facts
        The known facts that are needed, likewise.
    conclusions
        What is new.
    cost
        What it asks of a head; see ``milp_pips.reasons.costs``.
    open
        How many steps of one rule or less there were to choose from.
    """

    items: tuple[Item, ...]
    facts: tuple[Fact, ...]
    conclusions: tuple[Fact, ...]
    cost: float
    open: int = 1


@dataclass(frozen=True, slots=True)
class Clash:
    """Items that cannot hold together, though they can once any one of them is left out (if ``minimal``).

    ``smallest`` says that it is proved that no fewer items clash.
    """

    items: tuple[Item, ...]
    minimal: bool = True
    smallest: bool = False
    confirmed_by: str | None = None
