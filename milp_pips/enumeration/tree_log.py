"""The log of a tree, which is its certificate: JSON lines, one for each node, packed by gzip.

``milp_pips.verification.verify_tree`` says what the entries mean and checks them, with code of its own.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Protocol

from milp_pips.formulations.exact import Number
from milp_pips.problem import VERSION

if TYPE_CHECKING:
    from milp_pips.enumeration.tree_points import TreeQuery

PACKING = 6
"""How hard gzip tries: the tree of MIPLIB's rgn takes 57 kB, 81 by 4, and 54 by 9 in twice the time."""

ENCODE = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode


class NodeLog(Protocol):
    """What a tree tells: its nodes with what happened there, and its points."""

    def begin(self) -> None: ...

    def node(self, entries: list[list[Any]]) -> None: ...

    def point(self, values: Sequence[Number]) -> None: ...

    def close(self) -> None: ...


class TreeLog:
    """Writes the nodes and points of a tree into a folder, then the model and the query.

    ``points_size`` are the bytes of the points so far.
    """

    def __init__(self, folder: Path):
        self._folder, self.points_size = folder, 0
        self._tree: IO[str] | None = None
        self._points: IO[str] | None = None

    def begin(self) -> None:
        """Begin a tree; one that was begun before is discarded."""
        self.close()
        packed = gzip.GzipFile(self._folder / "tree.jsonl.gz", "wb", PACKING, mtime=0)
        self._tree = io.TextIOWrapper(packed, encoding="ascii")
        self._points = (self._folder / "points.jsonl").open("w", encoding="ascii")

    def node(self, entries: list[list[Any]]) -> None:
        """Write a node."""
        assert self._tree is not None
        self._tree.write(ENCODE(entries) + "\n")

    def point(self, values: Sequence[Number]) -> None:
        """Write a point; they are numbered from 0."""
        assert self._points is not None
        self.points_size += self._points.write(json.dumps([_stated(value) for value in values]) + "\n")

    def close(self) -> None:
        """Finish the files of nodes and points."""
        for file in (self._tree, self._points):
            if file is not None:
                file.close()

    def finish(
        self,
        model: str,
        columns: Sequence[str] | None,
        query: TreeQuery,
        solutions: int,
        *,
        is_original: bool = False,
    ) -> None:
        """Write the text of the model, and the query: the names of the chosen columns, None for all.

        The text is the ``original`` one, or was written by this package.
        """
        self.close()
        files = {name: self._folder / name for name in ("model.mps", "points.jsonl", "tree.jsonl.gz")}
        files["model.mps"].write_bytes(model.encode())
        hashes = {}
        for name, path in files.items():
            with path.open("rb") as file:
                hashes[name] = hashlib.file_digest(file, "sha256").hexdigest()
        certificate = {
            "format": "milp-pips tree 1",
            "made_by": f"milp-pips {VERSION}",
            "original": is_original,
            "chosen": None if columns is None else list(columns),
            "within": None if query.within is None else _stated(query.within),
            "within_relative": None if query.within_relative is None else _stated(query.within_relative),
            "best": query.best,
            "solutions": solutions,
            "sha256": hashes,
        }
        text = json.dumps(certificate, indent=1) + "\n"
        (self._folder / "certificate.json").write_text(text, encoding="ascii")


def _stated(number: Number) -> int | str:
    """Return a number as JSON has it: whole, or a quotient as text."""
    return int(number) if number.denominator == 1 else f"{number.numerator}/{number.denominator}"
