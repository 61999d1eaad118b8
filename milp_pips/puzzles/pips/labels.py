"""Labels for regions that have none of their own."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count, product


def region_labels() -> Iterator[str]:
    """Yield A, B, … Z, AA, AB, … without end."""
    for length in count(1):
        for letters in product("ABCDEFGHIJKLMNOPQRSTUVWXYZ", repeat=length):
            yield "".join(letters)
