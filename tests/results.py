"""Results files for tests of reports."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from milp_pips.extras.bench.store import Configuration, InstanceRecord, RunRecord, SessionRecord, Store

SESSION = SessionRecord(
    0, "2026-11-20T10:00:00.000+00:00", "milp-pips compare puzzles --out r.sqlite", "Linux-6.1", "Some CPU",
    2, "3.11.7", "0.1.0", {"highs": "1.13.1", "cp-sat": "9.15"},
)  # fmt: skip


class Puzzle(NamedTuple):
    """A hashable instance."""

    name: str
    size: int = 8
    folder: str = "puzzles"
    constraints: tuple[tuple[str, int], ...] = (("DominoCover", 1),)

    def record(self) -> InstanceRecord:
        place = f"{self.folder}/{self.name}"
        kinds = dict(self.constraints)
        return InstanceRecord(
            0, place, self.name, "", "pips", f"{place}.txt", self.folder, self.size, kinds, None
        )


def instance(name: str, size: int = 8, folder: str = "puzzles", **constraints: int) -> Puzzle:
    return Puzzle(name, size, folder, tuple(constraints.items()) or (("DominoCover", 1),))


def run(configuration: str, seconds: float = 1.0, *, limit: float = 10.0, **said) -> RunRecord:
    """Return a run of this many seconds, a quarter of them for building; infinity stands for the limit."""
    asked = Configuration.parse(configuration)
    spent = limit if math.isinf(seconds) else seconds
    made = RunRecord(
        instance=0, solver=asked.solver, formulation=asked.formulation, task="first", seed=0, repeat=0,
        threads=1, time_limit=limit, memory_limit=0, options=json.dumps(dict(asked.options)), session=1,
        started="2026-11-20T10:00:01.000+00:00", status="unknown" if math.isinf(seconds) else "solved",
        stop="time" if math.isinf(seconds) else "finished", solutions=0 if math.isinf(seconds) else 1,
        read_seconds=0.5, build_seconds=spent / 4, solve_seconds=3 * spent / 4, total_seconds=spent + 0.5,
        wall_seconds=spent + 1, peak_bytes=2**26, columns=100, rows=50, nonzeros=300, nodes=1, version="1.0",
    )  # fmt: skip
    return replace(made, **said)


def results(
    path: Path,
    campaign: dict[Puzzle | str, list[RunRecord]],
    sessions: tuple[SessionRecord, ...] = (SESSION,),
) -> str:
    """Write a results file with these runs and return its name; a name alone stands for its puzzle."""
    with Store(str(path), new=True) as store:
        for session in sessions:
            store.add(session)
        for puzzle, runs in campaign.items():
            named = Puzzle(puzzle) if isinstance(puzzle, str) else puzzle
            number = store.add(named.record())
            for each in runs:
                store.add(replace(each, instance=number))
    return str(path)
