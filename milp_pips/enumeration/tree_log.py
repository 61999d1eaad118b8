"""The log of a tree, which is its certificate: JSON lines, one for each node, packed by gzip, in pieces.

``milp_pips.verification.verify_tree`` says what the entries mean and checks them, with code of its own.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import zlib
from collections.abc import Iterator, Sequence
from contextlib import closing
from fractions import Fraction
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple, Protocol

from milp_pips.formulations.exact import Number
from milp_pips.problem import VERSION, InputError
from milp_pips.runtime.writing import write_errors

if TYPE_CHECKING:
    from milp_pips.enumeration.tree_box import Entries  # which imports numpy: the page has none
    from milp_pips.enumeration.tree_points import TreeQuery

PACKING, FAST_PACKING = 6, 1
"""How hard gzip tries for a file that stays, and for one that is only checked.

The tree of MIPLIB's rgn takes 57 kB, 81 by 4, and 54 by 9 in twice the time; 1 takes a quarter of the time.
"""

ENCODE = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode


class NodeLog(Protocol):
    """What a tree tells: its nodes with what happened there, and its points."""

    def node(self, entries: Entries) -> None: ...

    def point(self, values: Sequence[Number]) -> None: ...


class LogSizes(NamedTuple):
    """The bytes of nodes and of points that are in the files, and the nodes that wait for their lines."""

    tree: int = 0
    points: int = 0
    waiting: int = 0


class PackedNodes:
    """The log of a piece, in memory: the entries of its root, and packed nodes. The caller has the points."""

    def __init__(self) -> None:
        self._packed = io.BytesIO()
        self._lines = _packing(self._packed)
        self.root: Entries = []

    def node(self, entries: Entries) -> None:
        """Write a node; keep the first one, the root of the piece."""
        if self.root:
            self._lines.write(ENCODE(entries) + "\n")
        else:
            self.root = entries

    def point(self, values: Sequence[Number]) -> None:
        """Leave a point to the caller."""

    def content(self) -> bytes:
        """Finish, and return the packed nodes."""
        self._lines.close()
        return self._packed.getvalue()


class TreeLog:
    """Writes the nodes and points of a tree into a folder, then the model and the query.

    Each save ends a member of the gzip file. So what a killed process has saved is valid, and a later one, or
    a worker, adds another piece. ``points_size`` are the bytes of the points so far.

    Parameters
    ----------
    folder
        The folder.
    sizes
        What an earlier process has saved; what comes after that in the files is removed.
    packing
        How hard gzip tries.

    Raises
    ------
    InputError
        If less than that is in the files.
    """

    def __init__(self, folder: Path, sizes: LogSizes | None = None, packing: int = PACKING):
        self._folder, self.points_size, self._count = folder, 0, 0
        paths = (folder / "tree.jsonl.gz", folder / "points.jsonl")
        for path, size in zip(paths, sizes or (), strict=False):
            if not path.is_file() or path.stat().st_size < size:
                raise InputError(f"fewer than {size} bytes, which were written", str(path))
            os.truncate(path, size)
        mode: Any = "wb" if sizes is None else "ab"
        self._packing = packing
        self._lines: IO[str] | None = None
        self._tree, self._points = (path.open(mode) for path in paths)
        if sizes is not None:
            with paths[1].open("rb") as points:
                self.points_size, self._count = sizes.points, sum(1 for _ in points)
            for _ in range(sizes.waiting):
                self.node([["o"]])

    def points(self) -> Iterator[tuple[Number, ...]]:
        """Yield the points so far. Raises InputError for what is none."""
        self._points.flush()
        return points_of(self._folder)

    def add(self, root: Entries, packed: bytes) -> None:
        """Write a piece that a worker has made; its points come next."""
        *entries, last = root
        if last[0] == "p":
            last = ["p", self._count, *last[2:]]
        self.node([*entries, last])
        self._end_member()
        self._tree.write(packed)

    def merge(self, folder: Path, sizes: LogSizes) -> None:
        """Add the pieces of another log, as far as it was saved. Raises InputError if it cannot be read."""
        first = self._count
        with closing(TreeLog(folder, sizes)) as other:
            points = list(other.points())
        try:
            with gzip.open(folder / "tree.jsonl.gz", "rt", encoding="ascii") as lines:
                for line in lines:
                    *entries, last = json.loads(line)
                    if last[0] == "p":
                        last[1] += first
                    self.node([*entries, last])
        except (ValueError, TypeError, IndexError, EOFError, zlib.error, gzip.BadGzipFile) as fault:
            raise InputError(f"no log of a tree: {fault}", str(folder / "tree.jsonl.gz")) from None
        for values in points:
            self.point(values)

    def node(self, entries: Entries) -> None:
        """Write a node."""
        if self._lines is None:
            self._lines = _packing(self._tree, self._packing)
        self._lines.write(ENCODE(entries) + "\n")

    def point(self, values: Sequence[Number]) -> None:
        """Write a point; they are numbered from 0."""
        text = json.dumps([value if type(value) is int else _stated(value) for value in values])
        self.points_size += self._points.write(f"{text}\n".encode())
        self._count += 1

    def save(self, waiting: int) -> LogSizes:
        """Write all to the files, and return what is there; so many nodes wait."""
        self._end_member()
        self._tree.flush()
        self._points.flush()
        return LogSizes(self._tree.tell(), self._points.tell(), waiting)

    def close(self) -> None:
        """Close the files of nodes and points."""
        self._end_member()
        self._tree.close()
        self._points.close()

    def _end_member(self) -> None:
        if self._lines is not None:
            self._lines.close()
        self._lines = None

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


def points_of(folder: Path, size: int | None = None) -> Iterator[tuple[Number, ...]]:
    """Yield the points in a folder, as far as so many bytes reach. Raises InputError for what is none."""
    path, left = folder / "points.jsonl", float("inf") if size is None else size
    with write_errors(str(path), "cannot read"), path.open("rb") as file:
        for number, line in enumerate(file, 1):
            left -= len(line)
            if left < 0:
                return
            try:
                values = json.loads(line)
                yield tuple([v if type(v) is int else Fraction(v) for v in values])
            except (ValueError, TypeError, ZeroDivisionError, RecursionError):
                raise InputError("no point", str(path), number) from None


def _packing(file: IO[bytes], level: int = PACKING) -> IO[str]:
    """Return a writer of a member of a gzip file, which stays open."""
    packed = gzip.GzipFile("", "wb", level, file, mtime=0)
    return io.TextIOWrapper(packed, encoding="ascii")


def _stated(number: Number) -> int | str:
    """Return a number as JSON has it: whole, or a quotient as text."""
    return int(number) if number.denominator == 1 else f"{number.numerator}/{number.denominator}"
