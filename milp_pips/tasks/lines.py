"""Solutions as lines of JSON: added up along a decision diagram, and kept in a file that survives a kill."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from typing import IO, TYPE_CHECKING, Any

from milp_pips.errors import InputError, UsageError
from milp_pips.plugins import family_of

if TYPE_CHECKING:
    from milp_pips.diagram import Diagram
    from milp_pips.diagram.diagram import Fragment
    from milp_pips.process.crew import Part
    from milp_pips.puzzles.family import Puzzle

Head = dict[str, Any]
"""What an enumeration is of: puzzle, key and method; a file goes on with the same only."""


class SolutionFile:
    """A JSON-lines file of solutions, valid up to its last whole line whatever happens.

    Beside it, ``FILE.state`` holds what the enumeration is of and, for a partition, the parts that are left.

    Parameters
    ----------
    path
        The file; made if it is not there, else gone on with.
    head
        What the enumeration is of.

    ``lines`` is how many solutions the file held when it was opened.

    Raises
    ------
    InputError
        If the file cannot be written or its lines are no solutions.
    UsageError
        If the file is of another enumeration.
    """

    def __init__(self, path: str, head: Head):
        self._path, self._state = path, f"{path}.state"
        self._head = head
        self.frontier: list[Part] | None = None
        try:
            if os.path.exists(self._state):
                self._resume()
            elif os.path.exists(path) and os.path.getsize(path):
                raise UsageError(f"{path} is there already, and not of an enumeration that can go on")
            else:
                self._save(None)
            self._cut_torn_line()
            self.lines = self._counted()
            self._stream: IO[bytes] = open(path, "ab")  # noqa: SIM115
        except OSError as error:
            raise InputError(f"cannot write: {error.strerror}", path) from None

    def _counted(self) -> int:
        """Return how many solutions the file holds already."""
        if not os.path.exists(self._path):
            return 0
        with open(self._path, "rb") as stream:
            return sum(1 for _ in stream)

    def solutions(self, puzzle: Puzzle) -> list[Any]:
        """Return the solutions that the file holds already."""
        read = family_of(puzzle).read_solution
        with open(self._path, encoding="utf-8") as stream:
            return [read(puzzle, line, f"{self._path}:{n}") for n, line in enumerate(stream, 1)]

    def append(self, line: str) -> None:
        """Write one solution and hand it to the system. Raises InputError, as on a full disk."""
        try:
            self._stream.write(f"{line}\n".encode())
            self._stream.flush()
        except OSError as error:
            message = f"cannot write: {error.strerror}; the file is valid up to its last line"
            raise InputError(message, self._path) from None

    def save_frontier(self, frontier: list[Part]) -> None:
        """Save the parts of a partition that are left, once their solutions are in the file."""
        self._save(frontier)

    def close(self, *, finished: bool) -> None:
        """Close the file; what is needed to go on is removed once nothing is left to do."""
        self._cut_torn_line()
        try:
            self._stream.close()
        except OSError:
            self._cut_torn_line()
        if finished and os.path.exists(self._state):
            os.remove(self._state)

    def _save(self, frontier: list[Part] | None) -> None:
        partial = f"{self._state}.partial"
        with open(partial, "w", encoding="utf-8") as stream:
            json.dump({**self._head, "frontier": frontier}, stream)
        os.replace(partial, self._state)

    def _resume(self) -> None:
        try:
            with open(self._state, encoding="utf-8") as stream:
                state = json.load(stream)
            frontier = state.pop("frontier")
        except (ValueError, KeyError, AttributeError):
            raise InputError("not the state of an enumeration", self._state) from None
        if state != self._head:
            raise UsageError(f"{self._path} is of another enumeration: {state}, not {self._head}")
        if frontier is not None:
            self.frontier = [(tuple(chosen), tuple(refused)) for chosen, refused in frontier]

    def _cut_torn_line(self) -> None:
        """Cut the file after its last whole line."""
        if not os.path.exists(self._path):
            return
        with open(self._path, "rb+") as stream:
            end = stream.seek(0, os.SEEK_END)
            while end:
                begin = max(0, end - 65536)
                stream.seek(begin)
                cut = stream.read(end - begin).rfind(b"\n")
                if cut >= 0:
                    stream.truncate(begin + cut + 1)
                    return
                end = begin
            stream.truncate(0)


def add_up_lines(puzzle: Puzzle, diagram: Diagram) -> Iterator[str] | None:
    """Return the solutions of the diagram as JSON, in the order of its walk; None where there is no such way.

    The values of a line stand at fixed places, so the line is one large number to which each fragment adds
    its digits; what has no fixed place, the fragments add as text. That lists millions in seconds.
    """
    pieces = family_of(puzzle).json_pieces(puzzle)
    if pieces is None:
        return None
    shift = {v: 8 * (place + 1) for v, place in pieces.places.items()}
    template = f"{{{pieces.values}".encode("ascii")
    size, blank = len(template), int.from_bytes(template, "little")

    def digits(fragment: Fragment) -> int:
        return sum(value << shift[v] for v, value in fragment if v in shift)

    def parts(fragment: Fragment) -> str:
        return "".join(f", {part}" for part in pieces.parts(fragment))

    opening, closing = "}", ""
    if any(map(parts, diagram.fragments)):
        opening, closing = f', "{pieces.name}": [', "]}"
    sums = zip(diagram.sums(0, digits), diagram.sums("", parts), strict=True)
    return (
        (blank + value).to_bytes(size, "little").decode("ascii") + opening + text[2:] + closing
        for value, text in sums
    )
