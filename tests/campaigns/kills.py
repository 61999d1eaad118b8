"""Kills: enumerations and comparisons killed with -9 at random moments, and resumed until complete."""

from __future__ import annotations

import json
import shutil
import signal
import sqlite3
import time
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import brute_force
from frame import ROOT, Case, Failure
from programs import Program

import milp_pips
from milp_pips.extras.bench.store import Store
from milp_pips.puzzles.pips import text as pips_text
from milp_pips.puzzles.pips.puzzle import Pips
from milp_pips.puzzles.registry import family_of

LIMIT = 240
GOAL = "kills", 60
MOST = 8
"""Kills of one enumeration or comparison; then it may end."""
EXAMPLES = ROOT / "examples" / "pips"
WAYS = (
    ("large", ["--method", "diagram"], 1.0),
    ("large", ["--method", "native", "--solver", "cp-sat"], 2.0),
    ("several", ["--method", "partition"], 1.2),
    ("several", ["--method", "partition", "--jobs", "2"], 1.5),
    ("several", ["--method", "partition", "--solver", "brute", "--distinct", "grid"], 1.0),
    ("several", ["--method", "cuts"], 2.0),
    ("several", ["--method", "cuts", "--solver", "brute"], 1.5),
    ("several", ["--method", "native", "--solver", "scip"], 1.5),
)
"""A puzzle, how it is enumerated, and in how many seconds it may be killed."""


def prepare(folder: Path, seed: int) -> None:
    """Write the puzzles; their solutions are counted by brute force."""
    shutil.copy(EXAMPLES / "several.txt", folder)
    shutil.copy(EXAMPLES / "easy.txt", folder)
    cells = [(r, c) for r in range(2) for c in range(5)]
    large = Pips.on_grid("large", cells, [], [(0, 1), (2, 3), (4, 5), (1, 6), (2, 2)])
    (folder / "large.txt").write_text(pips_text.write(large), "utf-8")
    true: dict[str, dict[str, int]] = {}
    for name in ("several", "large"):
        puzzle: Any = milp_pips.read(folder / f"{name}.txt")
        counts = {"placement": 56, "grid": 56}  # nine dominoes are too many for brute force; see the tests
        if name == "large":
            found = brute_force.placements(puzzle)
            counts = {
                "placement": len(found),
                "grid": len({frozenset(h for d in p for h in d) for p in found}),
            }
        else:
            counts["grid"] = milp_pips.count(puzzle, ("grid",)).counts["grid"]
        true[name] = counts
    (folder / "true.json").write_text(json.dumps(true))


def run(case: Case) -> None:
    if case.number % 4 == 3:
        _compare(case)
    else:
        _enumerate(case)


def _enumerate(case: Case) -> None:
    name, words, longest = WAYS[(case.number - case.number // 4) % len(WAYS)]
    file, out = case.shared / f"{name}.txt", case.folder / "found.jsonl"
    command = ["enumerate", str(file), *words, "--out", str(out), "--quiet"]
    history = _until_complete(case, command, longest, lambda: _lines(out))
    judge_list(case, name, words, out, command, history)
    others = sorted(path.name for path in case.folder.glob("found.jsonl.*"))
    if others != ["found.jsonl.state"]:
        raise Failure(f"left beside the complete list: {others}", command=command, history=history)
    case.counts["enumerations complete"] += 1


def judge_list(case: Case, name: str, words: list[str], out: Path, command: list[str], history: str) -> None:
    """Raise Failure unless a file holds every solution of a puzzle once."""
    key = words[words.index("--distinct") + 1] if "--distinct" in words else "placement"
    true = json.loads((case.shared / "true.json").read_text())[name][key]
    puzzle: Any = milp_pips.read(case.shared / f"{name}.txt")
    lines = out.read_text("utf-8").splitlines()
    family = family_of(puzzle)
    seen = Counter()
    for line in lines:
        layout = family.read_solution(puzzle, line, "line")
        if broken := family.check(puzzle, layout):
            raise Failure(f"a line is no solution: {broken}", line=line, command=command, history=history)
        seen[
            brute_force.placement_of(layout) if key == "placement" else frozenset(layout.values.items())
        ] += 1
    if len(seen) != true or len(lines) != true:
        raise Failure(
            f"{len(lines)} lines of {len(seen)} solutions; there are {true}", command=command, history=history
        )


def _lines(out: Path) -> str:
    return f"{out.read_bytes().count(10)} lines" if out.exists() else "no file"


def _until_complete(case: Case, command: list[str], longest: float, state: Any) -> str:
    """Start, kill, start again; return the history. The last start must end well by itself."""
    history = []
    for number in range(1000):
        case.note("\n".join([repr(command), *history]))
        program = Program(command, case.folder)
        moment = case.random.uniform(0.02, longest)
        ended = program.wait(moment if number < MOST else 120)
        if ended is None:
            program.send(signal.SIGKILL)
            program.process.wait()
            history.append(f"killed after {moment:.3f} s: {state()}")
            case.counts["kills"] += 1
            if number >= MOST:
                program.end()
                raise Failure("it does not end in two minutes", command=command, history="\n".join(history))
            if case.random.random() < 0.5:  # else the next one is started at once
                left = program.left()
                processes = "; ".join(part for part in left.split("; ") if part.startswith("process"))
                if processes:
                    program.end()
                    raise Failure(
                        f"left after a kill: {processes}", command=command, history="\n".join(history)
                    )
            continue
        if ended.status != 0 and "being written by another process" in ended.err and number < 900:
            history.append("refused: locked")  # by what the killed process has left for a moment
            case.counts["starts that met a lock"] += 1
            if sum(line.startswith("refused") for line in history) > 20:
                raise Failure("still locked long after the kill", command=command, history="\n".join(history))
            time.sleep(0.2)
            continue
        if ended.status != 0 or "Traceback" in ended.err:
            raise Failure(
                f"resumed, it ends with status {ended.status}",
                command=command, history="\n".join(history), stdout=ended.out, stderr=ended.err,
            )  # fmt: skip
        if "enumerate" in command and ", complete, " not in ended.out:
            raise Failure(
                "it does not say complete", command=command, history="\n".join(history), stdout=ended.out
            )
        return "\n".join(history)
    raise AssertionError("no end")


def _compare(case: Case) -> None:
    out = case.folder / "results.sqlite"
    places = case.random.choice(([], ["--scheduler", "local", "--uneven"]))
    command = [
        "compare", str(case.shared / "easy.txt"), str(case.shared / "several.txt"), "--run", "brute",
        "--run", "highs/projected", "--run", "diagram", "--repeats", "2", "--time-limit", "60",
        "--out", str(out), *places,
    ]  # fmt: skip
    history = _until_complete(case, command, 3.0, lambda: f"{_runs(out)} runs")
    with closing(sqlite3.connect(out)) as database:
        (sound,) = database.execute("PRAGMA integrity_check").fetchone()
    with Store(str(out)) as store:
        runs, instances = store.runs(), store.instances()
    problem = ""
    if sound != "ok":
        problem = f"the database is not sound: {sound}"
    elif len(runs) != 12 or len({run.key for run in runs}) != 12 or len(instances) != 2:
        problem = f"{len(runs)} runs of {len({run.key for run in runs})} keys, {len(instances)} puzzles"
    elif {run.status for run in runs} != {"solved"}:
        problem = f"the runs are {[(run.solver, run.status, run.message) for run in runs]}"
    if problem:
        raise Failure(problem, command=command, history=history)
    case.counts["comparisons complete"] += 1


def _runs(out: Path) -> int:
    try:
        with closing(sqlite3.connect(out, timeout=5)) as database:
            return int(database.execute("SELECT count(*) FROM run").fetchone()[0])
    except sqlite3.Error:
        return 0
