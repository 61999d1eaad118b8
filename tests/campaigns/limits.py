"""Limits: every verb and engine with a time limit, on puzzles that take far longer.

A command must end within a tenth of its limit and half a second after its deadline. The deadline is counted
from the first line of the program; the seconds that the engine's library takes to load are added. On a busy
machine the clock tells little, so a command is late if both the clock and the processor say so: its processes
must have used more than that after the deadline. What the program does when it is late is evidence.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from contextlib import suppress
from functools import cache
from itertools import product
from pathlib import Path

import psutil
from frame import HERE, Case, Failure
from programs import Ended, Program

import milp_pips
from milp_pips.engines import registry
from milp_pips.puzzles import registry as families
from milp_pips.puzzles.pips import text as pips_text

LIMIT = 150
SHARE, SPARE = 0.1, 0.5
"""What a command may take longer than its limit: a share of it, and seconds."""
FAR = 20.0
"""A program that is this many times later by the clock is late, even if it only waited."""
PATIENCE = 60.0
"""Seconds after the deadline until a command is killed."""
PUZZLES = ("dominoes", "sudoku", "colours")
LIMITS = (0.2, 1.0)
ENGINES = [name for name, engine in registry.solvers() if not isinstance(engine, Exception)]
LOADED: dict[str, tuple[str, ...]] = {"": ("highspy", "pysat"), "cbc": ()}
"""What is loaded where no engine is named; and that CBC is a program, whatever package it comes in."""
METHODS = {
    "cuts": ("highs", "cbc", "pulp", "pyomo", "scip", "cp-sat", "sat", "cdcl"),
    "partition": ("highs", "cp-sat", "sat"),
    "cubes": ("cp-sat", "highs"),
}
"""``enumerate``: which method is tried by which engines, besides every engine's usual one."""


def _commands() -> list[tuple[str, ...]]:
    """Return all commands, without the puzzle and the limit."""
    lines = ["solve", "solve --memory-limit 4G", "solve --unique"]
    for engine in ENGINES:
        lines += [f"solve --solver {engine}", f"enumerate --quiet --solver {engine}"]
    lines += [f"solve --isolate --solver {engine}" for engine in ("scip", "cp-sat", "pyomo")]
    for rules in ("equality", "pruning", "singles", "none"):
        lines.append(f"solve --presolve-rules {rules} --solver highs")
    for method, engines in METHODS.items():
        lines += [f"enumerate --quiet --method {method} --solver {engine}" for engine in engines]
    lines += ["enumerate --quiet", "enumerate --quiet --method partition --jobs 2"]
    lines += ["enumerate --quiet --method diagram"]
    lines += ["count", "count --cells", "count --distinct grid", "count --solver scip"]
    lines += ["sample -n 3", "sample -n 3 --distinct grid", "explain", "hint", "rate", "strength"]
    lines += ["relax", "filter", "tree", "tree --rule strong", "tree --solver scip"]
    return [tuple(line.split()) for line in lines]


TABLE = [*product(_commands(), PUZZLES, LIMITS), *product([("check",)], ["dominoes"], LIMITS)]
GOAL = "commands", len(TABLE)


def colour_grid(size: int, seed: int) -> str:
    """Return a colour grid whose clues a hidden one obeys: how often a colour comes, or a piece of it."""
    rng = random.Random(seed)
    grid = [[rng.choice("rybg") for _ in range(size)] for _ in range(size)]

    def clue(line: list[str]) -> str:
        colour = rng.choice("rybg")
        if rng.random() < 0.6:
            return f"/[^{colour}]*({colour}[^{colour}]*){{{line.count(colour)}}}/"
        begin = rng.randrange(size - 12)
        piece = [each if rng.random() < 0.6 else "." for each in line[begin : begin + 12]]
        return f"/.*{''.join(piece)}.*/"

    rows, columns = [clue(line) for line in grid], [clue(list(line)) for line in zip(*grid, strict=True)]
    head = ("colour grid", "colours r red, y yellow, b blue, g green")
    return "\n".join([*head, "rows", *rows, "columns", *columns, ""])


def prepare(folder: Path, seed: int) -> None:
    """Write 400 dominoes with a solution, an empty 25 × 25 Sudoku, and a colour grid of 30 × 30."""
    made = next(milp_pips.generate(dominoes=400, seed=seed, rules="SUM=5,EQ=4,NEQ=1,LT=1,GT=1,none=1"))
    family = families.family_of(made.puzzle)
    (folder / "dominoes.txt").write_text(pips_text.write(made.puzzle), "utf-8")
    (folder / "dominoes.solution").write_text(family.write_solution(made.puzzle, made.hidden), "utf-8")
    (folder / "sudoku.txt").write_text("sudoku\n" + (" ".join("." * 25) + "\n") * 25)
    (folder / "colours.txt").write_text(colour_grid(30, seed))


@cache
def loading(engine: str) -> float:
    """Return the seconds of the processor that a fresh process takes to load an engine's library."""
    modules = LOADED[engine] if engine in LOADED else registry.available(engine).requires
    spent = []
    for program in ("pass", "import " + ",".join(("numpy", *modules))):
        before = _of_children()
        subprocess.run([sys.executable, "-c", program], check=True)
        spent.append(_of_children() - before)
    return max(0.0, spent[1] - spent[0])


def run(case: Case) -> None:
    command, puzzle, limit = TABLE[case.number % len(TABLE)]
    words = [command[0], str(case.shared / f"{puzzle}.txt"), *command[1:], "--time-limit", str(limit)]
    if command[0] == "check":
        words.insert(2, str(case.shared / "dominoes.solution"))
    engine = command[command.index("--solver") + 1] if "--solver" in command else ""
    allowed = SHARE * limit + SPARE + loading(engine)
    what = f"{' '.join(command)} on {puzzle} with {limit} s"
    case.note(what)
    note = case.folder / "deadline"
    program = Program(words, case.folder, start=(sys.executable, str(HERE / "timed.py"), str(note)))
    try:
        late, processor, ended = _watched(program, note, allowed)
        said = {"command": f"milp-pips {' '.join(words)}", "stdout": ended.out[-500:], "stderr": ended.err}
        refused = ended.status == 2 and command[:2] == ("count", "--solver")  # it cannot count these
        if ended.status not in (0, 1, 3) and not refused:
            raise Failure(f"{what} ends with status {ended.status}", **said)
        if late is None:
            if not refused and time.monotonic() - program.begun > allowed:
                raise Failure(f"{what} sets no deadline", **said)
            return
        case.counts["commands"] += 1
        case.counts[f"status {ended.status}"] += 1
        case.measures[f"seconds past the deadline by {command[0]}"].append(late)
        case.measures["processor seconds past the deadline"].append(processor)
        if min(late, max(processor, late / FAR)) > allowed:
            by = f"{late:.2f} s past the deadline, {processor:.2f} s of the processor"
            raise Failure(f"{what} is late: {by}, {allowed:.2f} s allowed", **said)
    finally:
        program.end()


def _watched(program: Program, note: Path, allowed: float) -> tuple[float | None, float, Ended]:
    """Wait for the program; return the seconds and those of the processor after its deadline, and its end.

    The first is None where it has set no deadline. A program that is late is told to show its stack.
    """
    before, used, begun = 0.0, 0.0, _of_children()
    deadline: float | None = None
    shown = False
    while (ended := program.wait(0.05)) is None:
        now = time.monotonic()
        if deadline is None:
            with suppress(OSError, ValueError):
                deadline = float(note.read_text())
        used = max(used, _spent(program))
        if deadline is None or now <= deadline:
            before = used
        if deadline is not None and now > deadline + allowed and not shown:
            shown = True
            program.send(signal.SIGUSR1)
        if now > (deadline or program.begun) + PATIENCE:
            program.end()
    late = None if deadline is None else time.monotonic() - deadline
    return late, max(used, _of_children() - begun) - before, ended


def _of_children() -> float:
    """Return the seconds of the processor that processes have used that this one has waited for."""
    times = os.times()
    return times.children_user + times.children_system


def _spent(program: Program) -> float:
    """Return the seconds of the processor that a program and all it has started have used so far."""
    total = 0.0
    with suppress(psutil.Error):
        main = psutil.Process(program.process.pid)
        for process in [main, *main.children(recursive=True)]:
            with suppress(psutil.Error):
                total += sum(process.cpu_times()[: 4 if process == main else 2])  # 4: with those that ended
    return total
