"""The domains of a problem while they shrink: one bit mask per variable."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from milp_pips.errors import MilpPipsError
from milp_pips.problem import Variable


class Contradiction(MilpPipsError):
    """The rules alone leave no solution; the text says which rule ran empty, in the player's words."""


class Domains:
    """What each variable can still take.

    Bit ``i`` of a mask stands for ``values[i]``; ``values`` are those of all variables in increasing order,
    so the lowest bit of a mask is the variable's least value. ``changed`` lists the variables that have
    shrunk since they were looked at.

    Parameters
    ----------
    variables
        The variables of the problem.
    apart
        Positions of variables that are looked after elsewhere; their masks are 0.

    Raises
    ------
    Contradiction
        If a variable can take no value.
    """

    def __init__(self, variables: Sequence[Variable], apart: Collection[int]):
        inside = [variable for v, variable in enumerate(variables) if v not in apart]
        different = {variable.domain for variable in inside}
        if () in different:
            name = next(variable.name for variable in inside if not variable.domain)
            raise Contradiction(f"{name} can take no value")
        self.values = sorted({value for domain in different for value in domain})
        self.bit = {value: 1 << i for i, value in enumerate(self.values)}
        mask_of = {domain: sum([self.bit[value] for value in domain]) for domain in different}
        self.masks = [0 if v in apart else mask_of[variable.domain] for v, variable in enumerate(variables)]
        self.changed: list[int] = []

    def keep(self, v: int, mask: int, why: str) -> None:
        """Take from the variable all values outside the mask. Raises Contradiction if none is left."""
        before = self.masks[v]
        after = before & mask
        if after != before:
            if not after:
                raise Contradiction(why)
            self.masks[v] = after
            self.changed.append(v)

    def keep_between(self, v: int, low: int | None, high: int | None, why: str) -> None:
        """Take from the variable all values below ``low`` and above ``high``; None stands for no bound."""
        kept = 0
        for value in self.taken(v):
            if (low is None or value >= low) and (high is None or value <= high):
                kept |= self.bit[value]
        self.keep(v, kept, why)

    def least(self, v: int) -> int:
        """Return the least value that the variable can take."""
        mask = self.masks[v]
        return self.values[(mask & -mask).bit_length() - 1]

    def most(self, v: int) -> int:
        """Return the greatest value that the variable can take."""
        return self.values[self.masks[v].bit_length() - 1]

    def taken(self, v: int) -> tuple[int, ...]:
        """Return the values that the variable can take, in increasing order."""
        mask, values = self.masks[v], []
        while mask:
            bit = mask & -mask
            values.append(self.values[bit.bit_length() - 1])
            mask ^= bit
        return tuple(values)
