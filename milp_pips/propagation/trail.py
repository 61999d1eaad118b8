"""What has been written over, so that it can be taken back: a search goes back without copies of anything."""

from __future__ import annotations

from typing import Any


class Trail:
    """The items of lists and dictionaries as they were before they changed, the latest change last."""

    def __init__(self) -> None:
        self._before: list[tuple[Any, Any, Any]] = []

    def __len__(self) -> int:
        return len(self._before)

    def write(self, items: Any, key: Any, value: Any) -> None:
        """Change an item that is there."""
        self._before.append((items, key, items[key]))
        items[key] = value

    def since(self, length: int) -> list[tuple[Any, Any, Any]]:
        """Return the changes after the first so many: where, which item, and what it was before."""
        return self._before[length:]

    def undo(self, length: int) -> None:
        """Take changes back until there are only so many."""
        before = self._before
        while len(before) > length:
            items, key, value = before.pop()
            items[key] = value
