"""Disjoint sets of numbers."""

from __future__ import annotations

from collections.abc import Iterable


class Groups:
    """Disjoint sets of the numbers 0, 1, …, at first each alone (Galler and Fischer 1964)."""

    def __init__(self, size: int):
        self._parents = list(range(size))

    def add(self) -> int:
        """Return a further number, alone in its set."""
        self._parents.append(len(self._parents))
        return len(self._parents) - 1

    def of(self, number: int) -> int:
        """Return the number that stands for the set of this one."""
        parents = self._parents
        while parents[number] != number:
            parents[number] = number = parents[parents[number]]
        return number

    def join(self, numbers: Iterable[int]) -> None:
        """Make one set of the sets of these numbers."""
        first = -1
        for number in numbers:
            root = self.of(number)
            if first < 0:
                first = root
            self._parents[root] = first

    def sets(self, numbers: Iterable[int]) -> list[list[int]]:
        """Return these numbers, those of each set together, in the order in which the sets are met."""
        sets: dict[int, list[int]] = {}
        for number in numbers:
            sets.setdefault(self.of(number), []).append(number)
        return list(sets.values())
