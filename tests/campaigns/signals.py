"""Signals: Ctrl-C and SIGTERM at random moments, over all verbs and engines, on puzzles that take long."""

from __future__ import annotations

import re
import shutil
import signal
import time
from pathlib import Path
from random import Random

from frame import ROOT, Case, Failure
from programs import NAMES, Program
from results import SESSION, instance, results
from results import run as a_run

import milp_pips
from milp_pips.puzzles.pips import text as pips_text
from milp_pips.puzzles.registry import family_of

LIMIT = 90
GOAL = "signals", 100
WANTED = 0.5
LATE = 2.0
"""Seconds after which an end is a failure; wanted is ``WANTED``, but the machine is busy."""
ENGINES = (
    *("", "highs", "cbc", "pulp", "pyomo", "scip", "cp-sat", "sat", "minizinc", "brute", "diagram", "lns"),
    *("cp-sat/pruning", "two-stage", "highs/implication"),
)
OF_DOMINOES = ("cp-sat/pruning", "two-stage", "highs/implication")
LISTINGS = (
    *(("--method", "diagram"), ("--method", "native", "--solver", "cp-sat"), ("--method", "partition")),
    *(
        ("--method", "partition", "--jobs", "2"),
        ("--method", "cuts"),
        ("--method", "cuts", "--solver", "cbc"),
    ),
    *(("--method", "native", "--solver", "scip"), ("--method", "native", "--solver", "minizinc"), ()),
    *(("--method", "partition", "--solver", "pyomo"), ("--method", "cuts", "--solver", "pulp")),
)


def prepare(folder: Path, seed: int) -> None:
    """Write an empty 25 × 25 Sudoku, 400 dominoes, 150 dominoes of equal regions; and a results file."""
    (folder / "sudoku.txt").write_text("sudoku\n" + (" ".join("." * 25) + "\n") * 25)
    for name, dominoes, rules in (
        ("large", 400, "SUM=5,EQ=4,NEQ=1,LT=1,GT=1,none=1"),
        ("equal", 150, "EQ=19,SUM=1"),
    ):
        made = next(milp_pips.generate(dominoes=dominoes, seed=seed, rules=rules))
        (folder / f"{name}.txt").write_text(pips_text.write(made.puzzle), "utf-8")
        (folder / f"{name}.solution").write_text(
            family_of(made.puzzle).write_solution(made.puzzle, made.hidden), "utf-8"
        )
    shutil.copy(ROOT / "examples" / "pips" / "several.txt", folder)
    runs = [a_run("highs/projected", 0.01), a_run("brute", 0.03), a_run("cp-sat", 0.02)]
    results(folder / "results.sqlite", {instance(f"p{i}"): runs for i in range(30)}, (SESSION,))


def words_of(random: Random, shared: Path) -> list[str]:
    """Return a command, most of them on a puzzle that takes long."""
    puzzle = str(shared / f"{random.choice(('sudoku', 'large', 'equal'))}.txt")
    known = [name for name in ENGINES if "sudoku" not in puzzle or name not in OF_DOMINOES]
    engine, _, form = random.choice(known).partition("/")
    match random.choices(range(9), (8, 6, 3, 3, 1, 1, 2, 4, 1))[0]:
        case 0:
            words = ["solve", puzzle, *(["--solver", engine] if engine else [])]
            words += ["--formulation", form] if form else []
            if random.random() < 0.3:
                words += random.choice(
                    (["--isolate"], ["--memory-limit", "1G"], ["--json"], ["--threads", "2"])
                )
        case 1:
            file = random.choice((puzzle, str(shared / "several.txt")))
            words = ["enumerate", file, *random.choice(LISTINGS)]
            words += random.choice(([], ["--json"], ["--quiet"], ["--out", "found.jsonl"]))
        case 2:
            words = ["count", puzzle, *random.choice(([], ["--cells"], ["--json"]))]
        case 3:
            words = ["sample", puzzle, "-n", "3"]
        case 4:
            name = random.choice(("large", "equal"))
            words = ["check", str(shared / f"{name}.txt"), str(shared / f"{name}.solution")]
        case 5:
            words = ["export", puzzle]
        case 6:
            words = ["generate", "--dominoes", random.choice(("30", "200")), "--count", "500"]
            words += random.choice(([], ["--unique"], ["--out", "made"]))
        case 7:
            engines = random.sample(("highs", "cp-sat", "scip", "cbc", "pulp", "minizinc", "brute", "lns"), 2)
            words = ["compare", puzzle, "--out", "results.sqlite"]
            words += random.choice(([], ["--scheduler", "local", "--uneven"]))
            words += [word for name in engines for word in ("--run", name)]
        case _:
            words = random.choice(
                (["report", str(shared / "results.sqlite"), "--out", "page"], ["solvers"], ["show", puzzle])
            )
    return words


def run(case: Case) -> None:
    random = case.random
    words = words_of(random, case.shared)
    number = random.choice((signal.SIGINT, signal.SIGTERM))
    early = random.random() < 0.6
    moment = random.uniform(0.02, 0.3) if early else random.uniform(0.3, 2.0)
    case.note(f"{NAMES[number]} after {moment:.3f} s: {words}")
    program = Program(words, case.folder)
    try:
        ended = program.wait(moment)
        if ended is not None:
            case.counts["ended before the signal"] += 1
            if ended.status not in (0, 1, 3) or "Traceback" in ended.err:
                raise Failure(
                    f"without any signal it ends with {ended.status}", command=words, stderr=ended.err
                )
            return
        sent = time.monotonic()
        program.send(number)
        ended = program.wait(25)
        spent = time.monotonic() - sent
        case.counts["signals"] += 1
        case.counts[NAMES[number]] += 1
        case.measures[f"seconds from {NAMES[number]} to the end"].append(spent)
        case.measures[f"seconds to the end of {words[0]}"].append(spent)
        case.counts["later than wanted"] += spent > WANTED
        about = {
            "command": f"{NAMES[number]} after {moment:.3f} s: milp-pips {' '.join(words)}",
            "ended": f"after {spent:.3f} s, {ended and ended.status}",
            "stdout": (ended.out if ended else "")[-500:],
            "stderr": ended.err if ended else "",
        }
        if ended is None:
            raise Failure("it does not end in 25 s", **about)
        faults = []
        if "Traceback" in ended.err or "KeyboardInterrupt" in ended.err:
            if not re.search(
                r"milp_pips.*, in (?!<)", ended.err
            ):  # Python was still importing the entry point
                case.counts["arrived before the first line of the program"] += 1
                return
            faults.append("a traceback")
        right = 130 if number == signal.SIGINT else 143
        if ended.status != right and not (ended.status == 0 and (ended.out or words[0] == "compare")):
            faults.append(f"status {ended.status} in place of {right}")
        if spent > LATE:
            faults.append(f"it ends after {spent:.1f} s")
        if left := program.left():
            faults.append(f"left: {left}")
        if faults:
            raise Failure("; ".join(faults), **about)
    finally:
        program.end()
