"""A hostile folder: every verb, with workers, races, Dask and the page, among modules that must not run."""

from __future__ import annotations

import shutil
import sys
import time
from pathlib import Path

from frame import ROOT, Case, Failure
from hostile_folder import fill_with_modules
from programs import Program
from results import SESSION, instance, results
from results import run as a_run
from web_server import Server

import milp_pips
from milp_pips.puzzles.registry import family_of

LIMIT = 320
GOAL = "commands", 200
ENGINES = (
    *(
        "brute",
        "cbc",
        "cdcl",
        "clingo",
        "cp-sat",
        "cpmpy",
        "diagram",
        "highs",
        "lns",
        "minizinc",
        "pulp",
        "pyomo",
    ),
    *("sat", "scip", "two-stage"),
)
SPREAD = ("--scheduler", "local", "--workers", "1")
COMMANDS: tuple[tuple[str, ...], ...] = (
    *(("solve", "several.txt", "--solver", engine) for engine in ENGINES),
    *(("solve", "several.txt", "--isolate", "--solver", engine) for engine in ("cbc", "highs", "scip")),
    *(("solve", file) for file in ("large.txt", "impossible.txt", "hard.txt")),  # races and second opinions
    ("solve", ".", "--memory-limit", "1G"),
    *(
        ("enumerate", "several.txt", "--method", method, "--solver", engine, "--quiet")
        for method, engine in (
            ("partition", "cbc"),
            ("cuts", "pulp"),
            ("native", "clingo"),
            ("cubes", "highs"),
        )
    ),
    ("enumerate", "several.txt", "--method", "partition", "--jobs", "2", "--out", "found.jsonl", "--quiet"),
    ("count", "several.txt", "--solver", "scip"),
    ("count", "several.txt", "impossible.txt", *SPREAD),
    ("sample", "several.txt", "-n", "3"),
    ("check", "easy.txt", "easy.solution"),
    ("show", "easy.txt", "--svg", "picture.svg"),
    ("convert", "easy.txt", "--to", "json", "--out", "easy.json"),
    *(("export", "easy.txt", "--to", form) for form in ("lp", "mps", "mzn", "cnf")),
    ("explain", "impossible.txt"),
    ("explain", "easy.txt"),
    ("hint", "easy.txt"),
    ("rate", "easy.txt"),
    ("rate", "easy.txt", "several.txt", *SPREAD),
    ("strength", "easy.txt"),
    ("relax", "easy.txt"),
    ("filter", "easy.txt"),
    ("tree", "easy.txt"),
    ("generate", "--dominoes", "7", "--unique", "--count", "2"),
    ("generate", "--dominoes", "7", "--unique", "--count", "2", *SPREAD),
    ("compare", "easy.txt", "--run", "cbc", "--run", "clingo", "--out", "r.sqlite"),
    ("compare", "easy.txt", "--run", "brute", "--run", "pulp", "--out", "r.sqlite", *SPREAD),
    ("report", "results.sqlite", "--out", "page"),
    ("merge", "results.sqlite", "--out", "merged.sqlite"),
    ("site", "--out", "site", "--pyodide", "nowhere"),
    ("solvers",),
    ("schema", "solve"),
    ("completion", "bash"),
    ("web",),
)
STARTS = ((sys.executable, "-m", "milp_pips"), (sys.executable, "-P", "-m", "milp_pips"))
ASKED = ("solve", "count", "solutions", "sample", "hint", "explain", "rate")


def prepare(folder: Path, seed: int) -> None:
    """Collect the puzzles, and write a results file."""
    for name in ("easy", "several", "impossible", "hard"):
        shutil.copy(ROOT / "examples" / "pips" / f"{name}.txt", folder)
    shutil.copy(ROOT / "examples" / "sudoku" / "pi_day_2009.txt", folder / "large.txt")
    easy = milp_pips.read(folder / "easy.txt")
    solution = milp_pips.solve(easy).solution
    (folder / "easy.solution").write_text(family_of(easy).write_solution(easy, solution), "utf-8")
    results(folder / "results.sqlite", {instance("p"): [a_run("brute", 0.03)]}, (SESSION,))


def run(case: Case) -> None:
    words = COMMANDS[case.number % len(COMMANDS)]
    folder = case.folder / "folder"
    folder.mkdir()
    for file in case.shared.iterdir():
        shutil.copy(file, folder)
    note = fill_with_modules(folder)
    start = case.random.choice((*STARTS, (str(Path(sys.executable).with_name("milp-pips")),)))
    case.note(f"{start} {words}")
    if words == ("web",):
        _ask_the_page(case, folder)
    else:
        program = Program(list(words), folder, start=start)
        ended = program.wait(300)
        program.end()
        if ended is None or ended.status not in (0, 1, 2, 3) or "Traceback" in ended.err:
            raise Failure(f"{words[0]} has not ended well", command=words, start=start, ended=ended)
        case.counts[f"ended with {ended.status}"] += 1
    if note.exists():
        names = sorted(set(note.read_text().split()))
        raise Failure(f"{words[0]} has executed modules of its folder: {names}", command=words, start=start)
    case.counts["commands"] += 1
    shutil.rmtree(folder)


def _ask_the_page(case: Case, folder: Path) -> None:
    """Let the server answer requests of several kinds, by engines of all kinds."""
    server = Server(case.folder, "--workers", "2", folder=folder)
    try:
        puzzle = {"text": (folder / "easy.txt").read_text("utf-8"), "name": "easy"}
        begun = time.monotonic()
        requests = [(verb, {}) for verb in ASKED]
        requests += [
            ("solve", {"engine": engine}) for engine in ("cbc", "clingo", "scip", "minizinc", "pulp")
        ]
        requests.append(("compare", {"runs": [{"engine": "brute"}, {"engine": "cbc"}]}))
        for verb, more in requests:
            kind = server.ask(verb, {"puzzle": puzzle, **more})[-1][0]
            case.counts[f"the page said {kind}"] += 1
        case.measures["seconds of the page"].append(time.monotonic() - begun)
    finally:
        server.process.kill()
        server.process.communicate()
