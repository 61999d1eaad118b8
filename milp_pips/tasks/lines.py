"""Solutions as lines of JSON.

``SolutionFile`` is the file of an enumeration, which survives a kill. ``add_up_lines`` writes the lines of a
solution space quickly.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from milp_pips.enumeration.subproblems import Subproblem
from milp_pips.problem import VERSION
from milp_pips.problem.errors import InputError, OutputError, UsageError
from milp_pips.puzzles.registry import family_of
from milp_pips.runtime.writing import open_locked, write_all, write_errors, write_file

if TYPE_CHECKING:
    from milp_pips.compilation.nodes import Fragment
    from milp_pips.compilation.solution_set import SolutionSet
    from milp_pips.puzzles.puzzle import Puzzle
    from milp_pips.tasks.prepared import Prepared

MOST_PENDING, FLUSH_INTERVAL = 128, 0.1
"""Lines, and seconds between two writes, while lines are written together.

With 128 kB or more, as in 256 lines of 716 bytes, the system takes 2.5 times as long for a gigabyte, because
Python gets such memory from the system for each write (``benchmarks/goals.py --only millions``)."""

UNFINISHED = "unfinished.json"
"""The file that a search for a certificate keeps in its folder until it ends: a killed one resumes."""

Head = dict[str, Any]
"""What identifies an enumeration: digest of the problem, key, method, version. Only the same one resumes."""


class SavedLog(NamedTuple):
    """What the log of a tree has, in bytes and nodes, and the shares of the boxes that are left."""

    sizes: list[int]
    shares: list[float]


class SolutionFile:
    """A JSON-lines file of solutions, which is always valid up to its last whole line.

    A second file, ``FILE.state``, holds the head of the enumeration, the remaining subproblems of a
    partition or a tree, and whether the list is complete. The folder ``FILE.certificate`` has the log of a
    tree. The process that has the file open holds a lock on it.

    Parameters
    ----------
    path
        The file. It is created if it does not exist, else the enumeration resumes from it.
    head
        What identifies the enumeration.

    ``count`` is the number of solutions in the file when it was opened. ``is_complete`` states whether, by
    its state, the list is complete.

    Raises
    ------
    InputError
        If the file cannot be written, or its state cannot be read.
    OutputError
        If the disk is full.
    UsageError
        If the file belongs to another enumeration, or another process has it open.
    """

    def __init__(self, path: str, head: Head):
        self.path, self._state = path, f"{path}.state"
        self._head = head
        self._least = 0
        self._failed = False
        self._pending, self._flushed = list[str](), 0.0
        self.frontier: list[Subproblem] | None = None
        self.log: SavedLog | None = None
        self.is_complete = False
        is_new = not os.path.exists(path)
        with write_errors(path):
            self._stream = open_locked(path, path)
            try:
                if os.path.exists(self._state):
                    self._resume()
                elif os.path.getsize(path):
                    raise UsageError(
                        f"{path} exists already, and no enumeration can resume from it without its state; "
                        "name another file, or remove this one"
                    )
                self._cut_torn_line()
                with open(path, "rb") as stream:
                    self.count = sum(1 for _ in stream)
                if self.count < self._least:
                    raise InputError(
                        f"holds {self.count} solutions, but {self._least} were written",
                        path,
                        expected=self._again,
                    )
                self._written = self.count
                self._save(self.frontier, self.log)
            except BaseException:
                if is_new:
                    self._remove()  # before the lock is released: then another process may use the file
                self._stream.close()
                raise

    @property
    def _again(self) -> str:
        """How to go on after lines or the state were lost."""
        return f"what was written: restore it, or remove {self.path} and {self._state} to begin again"

    def lines(self) -> Iterator[tuple[str, str]]:
        """Yield each line that was in the file when it was opened, and its place. Raises InputError."""
        with open(self.path, "rb") as stream:
            for number, line in enumerate(islice(stream, self.count), 1):
                try:
                    yield line.decode("utf-8").rstrip("\n"), f"{self.path}:{number}"
                except UnicodeDecodeError:
                    raise InputError("not text", self.path, number, "UTF-8") from None

    def append(self, line: str, *, later: bool = False) -> None:
        """Append one solution. Raises OutputError, for example on a full disk.

        It is written at once, or ``later``: with the next lines, ``FLUSH_INTERVAL`` seconds or
        ``MOST_PENDING`` lines after the last write.
        """
        self._pending.append(line)
        waits = later and len(self._pending) < MOST_PENDING
        if not waits or time.monotonic() - self._flushed > FLUSH_INTERVAL:
            self._flush()

    def _flush(self) -> None:
        """Write the pending lines. Raises OutputError."""
        lines, self._pending = self._pending, []
        self._failed = True  # until the lines are in the file: a failure in between leaves a torn one
        with write_errors(self.path, hint="; the file is valid up to its last line"):
            write_all(self._stream, "\n".join([*lines, ""]).encode())
        self._failed = False
        self._written += len(lines)
        self._flushed = time.monotonic()

    def save_frontier(self, frontier: list[Subproblem], log: SavedLog | None = None) -> None:
        """Save the remaining subproblems of a partition; call it once the others' solutions are in the file.

        Those of a tree come with what its log has. Raises InputError and OutputError.
        """
        self._save(frontier, log)

    def close(self, *, is_complete: bool) -> None:
        """Close the file, and save in its state whether the list is complete.

        A file into which not a single line could be written is removed. Raises OutputError if the last lines
        cannot be written.
        """
        try:
            if self._pending:
                self._flush()
        finally:
            self._close(is_complete=is_complete and not self._failed)

    def _close(self, *, is_complete: bool) -> None:
        with suppress(OSError):
            self._cut_torn_line()
        if self._failed and not os.path.getsize(self.path):
            self._remove()
            with suppress(OSError):
                os.remove(self._state)
        elif is_complete and not self.is_complete:
            self.is_complete = True
            with suppress(InputError, OutputError):  # if it fails, the next run finds nothing left to list
                self._save(*self._saved)
        self._stream.close()

    def _remove(self) -> None:
        with suppress(OSError):
            os.remove(self.path)

    def _save(self, frontier: list[Subproblem] | None, log: SavedLog | None) -> None:
        self._saved = frontier, log
        state = {**self._head, "frontier": frontier, "lines": self._written, "complete": self.is_complete}
        state["log"] = log
        write_state(self._state, state)

    def _resume(self) -> None:
        """Load the state. Raises InputError if it is damaged, UsageError if it is another enumeration's."""
        state = read_state(self._state, self._again)
        self.frontier, self.is_complete = _frontier(state["frontier"]), state["complete"]
        self.log = None if state["log"] is None else SavedLog(*state["log"])
        self._least = state["lines"]
        for what, value in self._head.items():
            if state.get(what) != value:
                raise UsageError(
                    f"{self.path} belongs to another enumeration: "
                    f"{what} was {state.get(what)!r}, is {value!r}"
                )

    def _cut_torn_line(self) -> None:
        """Truncate the file after its last whole line."""
        stream = self._stream
        end = size = stream.seek(0, os.SEEK_END)
        while end:
            begin = max(0, end - 65536)
            stream.seek(begin)
            cut = stream.read(end - begin).rfind(b"\n")
            if cut >= 0:
                end = begin + cut + 1
                break
            end = begin
        if end < size:
            stream.truncate(end)


def solution_file(path: str, **head: str) -> SolutionFile | None:
    """Return the file of an enumeration that this head and the version identify; None without a path."""
    return SolutionFile(path, {**head, "version": VERSION}) if path else None


def read_state(path: str, expected: str = "a state that was written") -> Head:
    """Return the state of an enumeration. Raises InputError if it cannot be read, or is damaged."""
    try:
        with write_errors(path, "cannot read"), open(path, encoding="utf-8") as stream:
            saved = json.load(stream)
        state: Head = saved["state"]
        if saved["sum"] != _checksum(state):
            raise ValueError
        _frontier(state["frontier"])
        if type(state["lines"]) is not int or type(state["complete"]) is not bool:
            raise ValueError
        if (log := state["log"]) is not None:
            sizes, shares = log
            are_sizes = [type(size) for size in sizes] == [int] * 3 and min(sizes) >= 0
            if not are_sizes or [type(share) for share in shares] != [float] * len(state["frontier"]):
                raise ValueError
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
        raise InputError("not the state of an enumeration, or damaged", path, expected=expected) from None
    return state


def write_state(path: str, state: Head) -> None:
    """Write the state of an enumeration, whole. Raises InputError and OutputError."""
    write_file(path, json.dumps({"state": state, "sum": _checksum(state)}))


def _frontier(saved: Any) -> list[Subproblem] | None:
    """Return the subproblems of a partition from its saved form. Raises ValueError if that is malformed."""
    if saved is None:
        return None
    subproblems = [
        Subproblem(number, tuple([(v, tuple(values)) for v, values in kept])) for number, kept in saved
    ]
    numbers = [one for number, kept in subproblems for one in (number, *(v for v, _ in kept))]
    values = [value for _, kept in subproblems for _, values in kept for value in values]
    if not all(type(one) is int for one in (*numbers, *values)) or min(numbers, default=0) < 0:
        raise ValueError
    return subproblems


def _checksum(state: Head) -> str:
    import hashlib

    return hashlib.sha256(json.dumps(state, sort_keys=True).encode()).hexdigest()


def line_of(prepared: Prepared, solution: Any) -> str:
    """Return a solution as a line of JSON, with the value of the objective if there is one."""
    data, value = prepared.family.to_json(prepared.puzzle, solution), prepared.value(solution)
    return json.dumps(data if value is None else data | {"objective": value}, ensure_ascii=False)


def add_up_lines(puzzle: Puzzle, space: SolutionSet) -> Iterator[list[str]] | None:
    """Return an iterator over the solutions as lines of JSON, in lists, in the order of the space.

    Returns None if the family does not state the places of the values. The values of a line stand at fixed
    places, so the line is one large number, to which each fragment of the space adds its digits. What has no
    fixed place is added as text. That lists millions of solutions in seconds.
    """
    pieces = family_of(puzzle).json_pieces(puzzle)
    if pieces is None:
        return None
    shift = {v: 8 * (place + 1) for v, place in pieces.places.items()}
    template = f"{{{pieces.values}".encode("ascii")
    size, blank = len(template), int.from_bytes(template, "little")

    # The line is a little-endian number: ``shift`` is the bit at which the digit of a variable stands.
    def digits(fragment: Fragment) -> int:
        return sum(value << shift[v] for v, value in fragment if v in shift)

    def parts(fragment: Fragment) -> str:
        return "".join(f", {part}" for part in pieces.parts(fragment))

    opening, closing = "}", ""
    if any(map(parts, space.fragments)):
        opening, closing = f', "{pieces.name}": [', "]}"
    values, texts = space.sums_in_lists(0, digits), space.sums_in_lists("", parts)
    return (
        [
            f"{(blank + value).to_bytes(size, 'little').decode('ascii')}{opening}{text[2:]}{closing}"
            for value, text in zip(some_values, some_texts, strict=True)
        ]
        for some_values, some_texts in zip(values, texts, strict=True)
    )
