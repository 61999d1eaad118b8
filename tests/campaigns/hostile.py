"""Hostile plugins: each that breaks the contract, with random verbs, puzzles and batches.

A solver runs in a process of its own or, with ``--no-isolate``, in that of the command.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import faulty_solvers
from fake_distributions import install_plugins
from frame import ROOT, Case, Failure
from programs import Program

import milp_pips

LIMIT = 320
GOAL = "commands", 300
TESTS = ROOT / "tests"
HOSTILE = (
    *("Nothing", "Quitter", "Thrower", "Leaver", "Mute", "Short", "Wordy", "Unsure", "Solver"),
    *("Exiter", "Segfaulter", "Dozer", "Foreigner", "Absentee"),
)
ALONE = ("deaf", "deaf-parent", "eared", "suicide", "exiter", "segfaulter", "dozer", "absentee")
"""They sleep for five minutes or end their process, so they never share that of the command."""
FAMILIES = ("Odd", "UnsureFamily", "Reader", "Leaver", "Stater", "Painter", "Nobody")
PUZZLES = (
    *("pips/easy.txt", "pips/several.txt", "pips/impossible.txt", "pips/ring.json"),
    *("sudoku/ordinary.txt", "sudoku/impossible.txt", "colour_grid/boat.txt", "colour_grid/several.txt"),
)
HONEST = ("brute", "highs", "diagram")


def prepare(folder: Path, seed: int) -> None:
    """Write the entry points of all plugins, the puzzles, and how many solutions these have."""
    solvers = {name.lower(): f"outside.hostile:{name}" for name in HOSTILE} | faulty_solvers.FAULTY_SOLVERS
    solvers |= {"absent": "no_such_module:Nothing"}
    install_plugins(folder / "outside", "solvers", solvers)
    for name in FAMILIES:
        install_plugins(folder / name.lower(), "puzzles", {name.lower(): f"hostile_families:{name.upper()}"})
    true = {}
    for name in PUZZLES:
        puzzle = milp_pips.read(ROOT / "examples" / name)
        target = folder / name.replace("/", "-")
        shutil.copy(ROOT / "examples" / name, target)
        found = milp_pips.count(puzzle)
        true[target.name] = dict(found.counts)
    for name in FAMILIES:
        (folder / f"{name.lower()}.odd").write_text(f"hostile {name}\n")
    (folder / "true.json").write_text(json.dumps(true))
    (folder / "solvers.json").write_text(json.dumps(sorted(solvers)))


def run(case: Case) -> None:
    random = case.random
    true = json.loads((case.shared / "true.json").read_text())
    solvers = json.loads((case.shared / "solvers.json").read_text())
    solver = random.choice(solvers)
    files = random.sample(sorted(true), random.randint(1, 3))
    if random.random() < 0.3:
        files.insert(random.randrange(len(files) + 1), f"{random.choice(FAMILIES).lower()}.odd")
    families = {file.removesuffix(".odd") for file in files if file.endswith(".odd")}
    families |= {name.lower() for name in FAMILIES if random.random() < 0.1}
    paths = [str(case.shared / file) for file in files]
    limit = ["--time-limit", random.choice(("2", "5"))]
    here = solver not in ALONE and random.random() < 0.3
    verb = random.choices(
        ("solve", "enumerate", "compare", "solvers", "count", "sample", "check", "show", "export"),
        (8, 6, 4, 1, 1, 1, 1, 1, 1),
    )[0]
    match verb:
        case "solve":
            words = ["solve", *paths, "--solver", solver, "--json", *limit]
        case "enumerate":
            words = ["enumerate", paths[0], "--json", *limit]
            words += ["--solver", solver, "--method", random.choice(("auto", "native", "partition", "cuts"))]
            if random.random() < 0.2:
                words[words.index("--method") + 1] = "partition"
                words += ["--jobs", "2"]
        case "compare":
            names = [*random.sample(solvers, 2), random.choice(HONEST)]
            words = [
                "compare",
                *paths,
                "--json",
                "--out",
                "r.sqlite",
                "--time-limit",
                "3",
                "--task",
                random.choice(("first", "prove")),
            ]
            words += [word for name in names for word in ("--run", name)]
        case "solvers":
            words = ["solvers", "--json"]
        case "count" | "show":
            words = [verb, *paths, *(["--json", *limit] if verb == "count" else [])]
        case _:
            words = [verb, paths[0]]
    if verb in ("solve", "enumerate"):
        words += ["--no-isolate"] if here else []
        case.counts["in process" if here else "isolated"] += 1
    case.note(repr(words))
    environment = {"NOTE": str(case.folder / "note")}
    slow = random.random() < 0.02
    if slow:
        environment["milp_pips_slow_import"] = "1"
    outside = [case.shared / name for name in ("outside", *sorted(families))]
    program = Program(words, case.folder, (*outside, TESTS, Path(__file__).parent), **environment)
    try:
        # a run whose engine hears nothing is ended 30 s after its start, before its clock runs
        ended = program.wait(300 if verb in ("compare", "solvers") else 60 if slow else 30)
        case.counts["commands"] += 1
        case.counts[verb] += 1
        about: dict[str, Any] = {"command": " ".join(words), "environment": environment, "families": families}
        if ended is None:
            raise Failure("it does not end", **about)
        about |= {"status": ended.status, "stdout": ended.out[-3000:], "stderr": ended.err[-3000:]}
        case.counts[f"status {ended.status}"] += 1
        if "Traceback" in ended.err + ended.out:
            raise Failure("a traceback", **about)
        if ended.status not in (0, 1, 2, 3, 70):
            raise Failure(f"status {ended.status}", **about)
        lines = ended.err.splitlines()
        warned = [i for i, line in enumerate(lines) if "UserWarning: " in line]
        beyond = [line for i, line in enumerate(lines) if not {i, i - 1} & set(warned)]
        if "chatterbox" in words and (
            here or verb == "compare"
        ):  # what a plugin prints goes to standard error, as it is
            beyond = [line for line in beyond if "blah" not in line]
        for line in beyond:
            if not line.startswith(("milp-pips: ", "usage: ")) and not line.endswith(": no solution"):
                raise Failure(f"a line of standard error is {line!r}", **about)
        _believe(verb, ended.status, ended.out, files, true, about)
        if "a fault of this program" in ended.err:
            raise Failure("a plugin's fault is told as the program's own", **about)
        if left := program.left():
            if "sleep 300" in left and here:
                case.counts["programs that a plugin started for itself"] += 1
            else:
                raise Failure(f"left: {left}", **about)
        if warned:
            raise Failure("a warning shows a line of the program and takes two lines", **about)
    finally:
        program.end()


def _believe(verb: str, status: int, out: str, files: list[str], true: Any, about: dict[str, Any]) -> None:
    """Hold what was said against the truth: whatever a plugin does, no wrong answer is passed on."""
    rows = []
    if verb in ("solve", "enumerate", "compare", "solvers", "count"):
        for line in out.splitlines():
            try:
                rows.append(json.loads(line))
            except ValueError:
                raise Failure(f"a line that is not JSON: {line[:100]!r}", **about) from None
    known = [file for file in files if file in true]
    puzzles = {Path(file).stem: true[file] for file in known}
    if status == 1 and verb != "check" and all(max(counts.values()) for counts in puzzles.values()):
        raise Failure("status 1, but all puzzles have solutions", **about)
    if verb == "solve" and status != 2 and len(rows) < len(known):
        raise Failure(f"{len(rows)} objects for {len(known)} puzzles", **about)
    if status == 0 and any(
        "error" in (row.get("status"), row.get("stop")) for row in rows if verb == "solve"
    ):
        raise Failure("status 0 with an error", **about)
    if verb in ("solve", "enumerate", "count") and status == 0 and not rows:
        raise Failure("status 0 without an answer", **about)
    if verb == "solve":
        for row in rows:
            many = {max(counts.values()) for name, counts in puzzles.items() if name == row["puzzle"]}
            status = row["status"]
            if (status == "infeasible" and 0 not in many) or (status == "solved" and many == {0}):
                raise Failure(f"{row['puzzle']} is said to be {row['status']}", **about)
            if row["status"] == "solved":
                _check_grid(row, files, about)
    if verb == "enumerate" and rows and "summary" in rows[-1] and files[0] in true:
        summary = rows[-1]["summary"]
        if summary["complete"] and summary["solutions"] != true[files[0]][summary["key"]]:
            raise Failure(f"complete with {summary['solutions']} of {true[files[0]]}", **about)
        if len(rows) - 1 > max(true[files[0]].values()):
            raise Failure(f"{len(rows) - 1} solutions of {true[files[0]]}", **about)
    if verb == "count":
        for row in rows:
            if (
                row.get("complete")  # a fault has none
                and row["puzzle"] in puzzles
                and {f"{k}s": n for k, n in puzzles[row["puzzle"]].items()}.items() - row.items()
            ):
                raise Failure(f"counted wrongly, there are {puzzles[row['puzzle']]}", **about)
        if len(rows) < len(known):
            raise Failure("a puzzle of the batch was not counted", **about)
    if verb == "compare" and known == files and len(rows) != 4 and status not in (2, 70):
        raise Failure(f"{len(rows)} rows for 3 configurations and the virtual best", **about)
    if verb == "compare":
        for row in rows:
            if row.get("configuration") in HONEST and row.get("wrong"):
                raise Failure("an honest engine is called wrong", **about)
    if verb == "solvers" and (status or not {"highs", "brute"} <= {row["name"] for row in rows[0]}):
        raise Failure("solvers does not list them", **about)
    if verb in ("sample", "export", "check") and files[0] in true and status in (70,):
        raise Failure("a plugin that was not called does harm", **about)


def _check_grid(row: Any, files: list[str], about: dict[str, Any]) -> None:
    shared = Path(str(about["command"]).split()[1]).parent
    for file in files:
        if Path(file).stem == row["puzzle"] and not file.endswith(".odd"):
            puzzle = milp_pips.read(shared / file)
            if puzzle.family == row["family"]:
                family = milp_pips.puzzles.registry.family_of(puzzle)
                solution = family.read_solution(puzzle, json.dumps(row, ensure_ascii=False), "row")
                if broken := family.check(puzzle, solution):
                    raise Failure(f"what is given for {file} is no solution: {broken}", **about)
