"""The domains of a problem, which propagators shrink, with a trail for undoing changes.

The trail records overwritten values, so that a search backtracks without copying anything.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Sequence
from typing import Any

from milp_pips.problem.errors import Contradiction

__all__ = ["Domains", "Trail"]


class Trail:
    """A stack of changes to items of lists and dictionaries, which can be undone from the last one on."""

    def __init__(self) -> None:
        self._before: list[tuple[Any, Any, Any]] = []

    def __len__(self) -> int:
        return len(self._before)

    def write(self, items: Any, key: Any, value: Any) -> None:
        """Change an existing item and record its previous value."""
        self._before.append((items, key, items[key]))
        items[key] = value

    def since(self, length: int) -> list[tuple[Any, Any, Any]]:
        """Return all changes but the first ``length``, as (container, key, previous value)."""
        return self._before[length:]

    def undo(self, length: int) -> None:
        """Undo changes until ``length`` of them are left."""
        before = self._before
        while len(before) > length:
            items, key, value = before.pop()
            items[key] = value


class Domains:
    """The current domain of each variable, as a bit mask. Raises Contradiction if a domain becomes empty.

    ``values`` has the values of all variables in increasing order. Bit ``i`` of a mask stands for
    ``values[i]``, so the lowest bit of a mask is the least value of the variable. ``changed`` lists the
    variables whose domains have shrunk since it was last cleared. ``memory`` has what several propagators
    share. All state that shrinks with the domains is changed through the ``trail``. The variables, each a
    name with a domain, may be propagated elsewhere: those ``apart`` have the mask 0.
    """

    def __init__(self, variables: Sequence[tuple[str, tuple[int, ...]]], apart: Collection[int]):
        inside = [variable for v, variable in enumerate(variables) if v not in apart]
        different = {domain for _, domain in inside}
        if () in different:
            name = next(name for name, domain in inside if not domain)
            raise Contradiction(f"{name} can take no value")
        self.values = sorted({value for domain in different for value in domain})
        self.bit = {value: 1 << i for i, value in enumerate(self.values)}
        mask_of = {domain: sum([self.bit[value] for value in domain]) for domain in different}
        self.masks = [0 if v in apart else mask_of[domain] for v, (_, domain) in enumerate(variables)]
        self.changed: list[int] = []
        self.trail = Trail()
        self.memory: dict[Any, Any] = {}
        self._variables = variables

    def domain(self, v: int) -> tuple[int, ...]:
        """Return the domain of the variable before propagation."""
        return self._variables[v][1]

    def name(self, v: int) -> str:
        """Return the name of the variable."""
        return self._variables[v][0]

    def keep(self, v: int, mask: int, why: str) -> None:
        """Remove all values of the variable outside the mask. Raises Contradiction if none is left."""
        before = self.masks[v]
        after = before & mask
        if after != before:
            if not after:
                raise Contradiction(why)
            self.trail.write(self.masks, v, after)
            self.changed.append(v)

    def keep_between(self, v: int, low: float, high: float, why: str) -> None:
        """Remove all values of the variable below ``low`` and above ``high``, which may be infinite."""
        below, upto = bisect_left(self.values, low), bisect_right(self.values, high)
        self.keep(v, (1 << upto) - (1 << below) if below < upto else 0, why)

    def least(self, v: int) -> int:
        """Return the least value that the variable can take."""
        mask = self.masks[v]
        return self.values[(mask & -mask).bit_length() - 1]

    def most(self, v: int) -> int:
        """Return the greatest value that the variable can take."""
        return self.values[self.masks[v].bit_length() - 1]

    def least_of(self, variables: Iterable[int]) -> list[int]:
        """Return the least value of each variable, in half the time of one call of ``least`` each."""
        masks = [self.masks[v] for v in variables]
        return [self.values[(mask & -mask).bit_length() - 1] for mask in masks]

    def most_of(self, variables: Iterable[int]) -> list[int]:
        """Return the greatest value of each variable, in half the time of one call of ``most`` each."""
        return [self.values[self.masks[v].bit_length() - 1] for v in variables]

    def taken(self, v: int) -> tuple[int, ...]:
        """Return the values that the variable can take, in increasing order."""
        mask, values = self.masks[v], []
        while mask:
            bit = mask & -mask
            values.append(self.values[bit.bit_length() - 1])
            mask ^= bit
        return tuple(values)
