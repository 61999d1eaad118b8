"""The puzzles of a comparison, known by what they say and not by the name of their file."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import TYPE_CHECKING, Any

from milp_pips.problem import LinearSum
from milp_pips.reading import files_of, read_text, text_of

if TYPE_CHECKING:
    from milp_pips.problem import Problem
    from milp_pips.puzzles.family import Puzzle


@dataclass(frozen=True, slots=True)
class Instance:
    """A puzzle of a comparison.

    Parameters
    ----------
    puzzle
        The puzzle.
    hash
        Of the problem it states: two files that state the same problem are one instance.
    level, path, text
        Where it came from: the level in the file, the file as it was named, and its text.
    size
        Number of variables of the problem's last key; in Pips, the cells.
    constraints
        How many constraints of each class there are, sums by relation.
    seconds
        What reading took, in seconds.
    """

    puzzle: Puzzle[Any]
    hash: str
    level: str
    path: str
    text: str
    size: int
    constraints: dict[str, int]
    seconds: float

    @property
    def name(self) -> str:
        """What to call it in reports."""
        return self.puzzle.name

    @property
    def folder(self) -> str:
        """The name of the directory that it lies in."""
        return os.path.basename(os.path.dirname(os.path.abspath(self.path)))


def instances(
    paths: Sequence[str],
    level: str | None = None,
    tell: Callable[[str], object] = lambda _: None,
) -> tuple[Instance, ...]:
    """Return the puzzles of files and directories, each once, in order. Raises InputError.

    Of files with several puzzles all are taken, or the one of the level. ``tell`` is called with a line for
    each puzzle that is left out because there is the same already.
    """
    found: dict[str, Instance] = {}
    for path in files_of(list(paths)):
        read_text(text_of(path), path, level)  # what reads it is loaded now, not while the clock runs
        begun = time.perf_counter()
        text = text_of(path)
        puzzles = read_text(text, path, level)
        seconds = (time.perf_counter() - begun) / len(puzzles)
        for name, puzzle in puzzles.items():
            problem = puzzle.state()
            key = content_hash(puzzle.family, problem)
            last = list(problem.keys.values())[-1] if problem.keys else range(len(problem.variables))
            counts = Counter(_described(constraint) for constraint in problem.constraints)
            here = Instance(puzzle, key, name, path, text, len(last), dict(sorted(counts.items())), seconds)
            if found.setdefault(key, here) is not here:
                tell(f"{path}: {here.name} is the same puzzle as {found[key].name} in {found[key].path}")
    return tuple(found.values())


def content_hash(family: str, problem: Problem) -> str:
    """Return a hash of what a problem says: domains, constraints and keys, whatever they are called."""
    content = {
        "family": family,
        "domains": [variable.domain for variable in problem.variables],
        "constraints": [[type(c).__name__, c] for c in problem.constraints],
        "keys": dict(problem.keys),
    }
    text = json.dumps(content, default=_plain, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def _plain(value: Any) -> Any:
    """Return data that JSON knows; labels are left out, since they are for people."""
    if is_dataclass(value):
        return {f.name: getattr(value, f.name) for f in fields(value) if f.name != "label"}
    if isinstance(value, frozenset):
        return sorted(value)
    return repr(value)


def _described(constraint: object) -> str:
    name = type(constraint).__name__
    return f"{name} {constraint.relation.value}" if isinstance(constraint, LinearSum) else name
