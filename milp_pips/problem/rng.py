"""A random generator that yields the same numbers on every machine and with every version of Python."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

T = TypeVar("T")


class RandomGenerator:
    """A random generator that depends on its seed alone.

    Every method draws from ``random.Random(seed).random()``, the one method whose numbers Python promises
    never to change. A choice depends on the order of its argument: never pass a set.

    Parameters
    ----------
    seed
        Any text.
    """

    def __init__(self, seed: str):
        self._random = random.Random(seed).random

    def integer(self, n: int) -> int:
        """Return an integer from 0 to ``n - 1``."""
        return int(self._random() * n)

    def integer_between(self, low: int, high: int) -> int:
        """Return an integer from ``low`` to ``high``."""
        return low + self.integer(high - low + 1)

    def bernoulli(self, share: float) -> bool:
        """Return True with this probability."""
        return self._random() < share

    def choice(self, choices: Sequence[T]) -> T:
        """Return one of the choices. Raises IndexError if there are none."""
        return choices[self.integer(len(choices))]

    def shuffled(self, items: Iterable[T]) -> list[T]:
        """Return the items in a random order, all orders equally likely (Durstenfeld 1964)."""
        drawn = list(items)
        for i in range(len(drawn) - 1, 0, -1):
            j = self.integer(i + 1)
            drawn[i], drawn[j] = drawn[j], drawn[i]
        return drawn

    def weighted_choice(self, weights: Mapping[T, int]) -> T:
        """Return one of the keys with a probability proportional to its weight; the sum must be positive."""
        left = self.integer(sum(weights.values()))
        for item, weight in weights.items():
            left -= weight
            if left < 0:
                return item
        raise ValueError("no weight is positive")
