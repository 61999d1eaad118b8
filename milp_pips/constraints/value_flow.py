"""Propagation of bounds on how often variables take each value, complete by flows (Régin 1994 and 1996).

In the flow each variable sends one unit to a value, and a value passes on as many units as its bounds allow.
A variable keeps a value if and only if some feasible flow uses it. Every other feasible flow differs from a
known one by cycles, so strong components of a graph over the values decide this.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from milp_pips.algorithms.connectivity import strong_components
from milp_pips.problem.constraint import Domains
from milp_pips.problem.errors import Contradiction


class ValueBounds(NamedTuple):
    """The least and the greatest number of variables that take a value, by its bit; free if absent."""

    least: dict[int, int]
    most: dict[int, int]


def propagate_by_flow(variables: Sequence[int], bounds: ValueBounds, domains: Domains, why: str) -> None:
    """Remove all values that no solution of the bounds has. Raises Contradiction(why) if it has none.

    Variables with one value are subtracted from the bounds first; the flow decides the others.
    """
    masks = domains.masks
    least, most = dict(bounds.least), dict(bounds.most)
    undecided = []
    for v in variables:
        mask = masks[v]
        if mask.bit_count() > 1:
            undecided.append(v)
            continue
        if mask in least:
            least[mask] -= 1
        if mask in most:
            most[mask] -= 1
            if most[mask] < 0:
                raise Contradiction(why)
    least = {bit: times for bit, times in least.items() if times > 0}
    flow = _Flow([masks[v] for v in undecided], least, most)
    if not flow.is_feasible():
        raise Contradiction(why)
    for v, mask in zip(undecided, flow.supported(), strict=True):
        domains.keep(v, mask, why)


class _Flow:
    """A flow: one value for each variable, given as bit masks, and the set of variables that take each value.

    ``least`` and ``most`` bound the number of variables of a value, by its bit.
    """

    def __init__(self, masks: Sequence[int], least: dict[int, int], most: dict[int, int]):
        self._masks, self._least, self._most = masks, least, most
        every = 0
        for mask in masks:
            every |= mask
        self._takers: dict[int, set[int]] = {bit: set() for bit in _bits(every)}
        self._value = [0] * len(masks)

    def is_feasible(self) -> bool:
        """Assign each variable a value within all bounds; return whether that is possible."""
        takers, masks = self._takers, self._masks
        if not self._least.keys() <= takers.keys():
            return False
        for x in sorted(range(len(masks)), key=lambda x: masks[x].bit_count()):
            if not self._place(x):
                return False
        return all(
            self._raise(bit) for bit, times in self._least.items() for _ in range(times - len(takers[bit]))
        )

    def supported(self) -> list[int]:
        """Return, as a mask for each variable, the values that it has in some feasible flow.

        The graph has one node per value and one node ``outside``. An arc from a value to another one means
        that a variable can change from the first to the second. Arcs lead to ``outside`` from values that may
        gain a variable, and from it to values that may lose one. A variable can change to a value if and only
        if both values are in the same strong component.
        """
        takers = self._takers
        number = {bit: k for k, bit in enumerate(takers)}
        outside = len(number)
        following: list[list[int]] = []
        losing = []
        for bit, variables in takers.items():
            reached = 0
            for x in variables:
                reached |= self._masks[x]
            others = [number[other] for other in _bits(reached & ~bit)]
            if self._can_take(bit):
                others.append(outside)
            if len(variables) > self._least.get(bit, 0):
                losing.append(number[bit])
            following.append(others)
        part = strong_components([*following, losing])
        together: dict[int, int] = {}
        for bit, k in number.items():
            together[part[k]] = together.get(part[k], 0) | bit
        return [
            mask & together[part[number[bit]]] for mask, bit in zip(self._masks, self._value, strict=True)
        ]

    def _can_take(self, bit: int) -> bool:
        return len(self._takers[bit]) < self._most.get(bit, len(self._masks) + 1)

    def _place(self, x: int) -> bool:
        """Assign a variable a value along an augmenting path; return False if there is none.

        Breadth-first search over the values: each may be passed on to another value of one of its variables.
        """
        queue = list(_bits(self._masks[x]))
        before = dict.fromkeys(queue, x)  # for a value: the variable that would take it
        for bit in queue:
            if self._can_take(bit):
                while True:  # reassign the variables along the path, back to x
                    y = before[bit]
                    last, self._value[y] = self._value[y], bit
                    self._takers[bit].add(y)
                    if y == x:
                        return True
                    self._takers[last].discard(y)
                    bit = last
            for y in self._takers[bit]:
                for other in _bits(self._masks[y]):
                    if other not in before:
                        before[other] = y
                        queue.append(other)
        return False

    def _raise(self, wanted: int) -> bool:
        """Give the value one more variable, by a path from a value that can lose one; False if none can."""
        queue, after = [wanted], {wanted: (-1, 0)}  # for a value: the variable that leaves it, and for which
        for bit in queue:
            for x, mask in enumerate(self._masks):
                last = self._value[x]
                if mask & bit and last not in after:
                    after[last] = (x, bit)
                    queue.append(last)
                    if len(self._takers[last]) > self._least.get(last, 0):
                        while last != wanted:
                            y, following = after[last]
                            self._takers[last].discard(y)
                            self._takers[following].add(y)
                            self._value[y] = following
                            last = following
                        return True
        return False


def _bits(mask: int) -> Iterator[int]:
    """Yield the bits of a mask, the lowest first."""
    while mask:
        bit = mask & -mask
        yield bit
        mask ^= bit
