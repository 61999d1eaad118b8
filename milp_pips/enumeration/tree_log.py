"""The log of a tree, which is its certificate: JSON lines, one for each node, packed by gzip."""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from milp_pips.formulations.model import Number


class TreeLog:
    """Writes the tree and its points into a folder."""

    def __init__(self, folder: Path):
        self._folder = folder
        self._points = 0
        self._tree: Any = None

    def begin(self) -> None:
        """Begin a tree; one that was begun before is discarded."""
        self.close()
        self._points = 0
        self._tree = gzip.open(self._folder / "tree.jsonl.gz", "wt", compresslevel=4)
        self._file = open(self._folder / "points.jsonl", "w")

    def node(self, entries: list[list[Any]]) -> None:
        """Write a node."""
        self._tree.write(json.dumps(entries, separators=(",", ":")) + "\n")

    def point(self, values: Sequence[Number]) -> int:
        """Write a point and return its number."""
        self._file.write(json.dumps([v if v.denominator != 1 else int(v) for v in values], default=str) + "\n")
        self._points += 1
        return self._points - 1

    def close(self) -> None:
        """Finish the files."""
        if self._tree is not None:
            self._tree.close()
            self._file.close()
            self._tree = None
