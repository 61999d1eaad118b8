"""How far a search has come."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


class Progress:
    """How much of a search tree is done, if all branches of a node are equally large (Knuth 1975)."""

    def __init__(self) -> None:
        self.done, self.depth = 0.0, 0
        self._share = 1.0

    def add(self) -> None:
        """Note that what is being searched is done."""
        self.done += self._share

    @contextmanager
    def among(self, size: int) -> Iterator[None]:
        """Search so many things that are together what is being searched."""
        share, self._share, self.depth = self._share, self._share / max(1, size), self.depth + 1
        try:
            yield
        finally:
            self._share, self.depth = share, self.depth - 1
