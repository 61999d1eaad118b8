"""The puzzles of a comparison, known by what they say and not by the name of their file."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from milp_pips.compare.store import InstanceRecord
from milp_pips.pipeline import state
from milp_pips.problem import LinearSum
from milp_pips.reading import files_of, read_text, text_of

if TYPE_CHECKING:
    from milp_pips.problem import Problem
    from milp_pips.puzzles.family import Puzzle


class Instance(NamedTuple):
    """A puzzle of a comparison, what the results file holds of it, and the seconds that reading it took."""

    puzzle: Puzzle
    record: InstanceRecord
    seconds: float


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
            here = Instance(puzzle, _record(puzzle, name, path, text), seconds)
            known = found.setdefault(here.record.hash, here)
            if known is not here:
                same = f"{known.record.name} in {known.record.path}"
                tell(f"{path}: {puzzle.name} is the same puzzle as {same}")
    return tuple(found.values())


def _record(puzzle: Puzzle, level: str, path: str, text: str) -> InstanceRecord:
    problem = state(puzzle)
    last = list(problem.keys.values())[-1] if problem.keys else range(len(problem.variables))
    counts = Counter(
        f"{type(c).__name__} {c.relation.value}" if isinstance(c, LinearSum) else type(c).__name__
        for c in problem.constraints
    )
    return InstanceRecord(
        id=0,
        hash=content_hash(puzzle.family, problem),
        name=puzzle.name,
        level=level,
        family=puzzle.family,
        path=path,
        folder=os.path.basename(os.path.dirname(os.path.abspath(path))),
        size=len(last),
        constraints=dict(sorted(counts.items())),
        text=text,
    )


def content_hash(family: str, problem: Problem) -> str:
    """Return a hash of what a problem says: domains, constraints and keys, whatever they are called."""
    content = {
        "family": family,
        "domains": [variable.domain for variable in problem.variables],
        "constraints": [[type(c).__name__, c] for c in problem.constraints],
        "keys": dict(problem.keys),
    }
    text = json.dumps(content, default=_json_ready, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def _json_ready(value: Any) -> Any:
    """Return data that JSON knows; labels are left out, since they are for people."""
    if is_dataclass(value):
        return {f.name: getattr(value, f.name) for f in fields(value) if f.name != "label"}
    if isinstance(value, frozenset):
        return sorted(value)
    return repr(value)
