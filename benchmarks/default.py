"""Compare the default solver with the best single engine and with the best engine of each puzzle.

    python benchmarks/default.py run --half tuning --limit 5 --out FILE
    python benchmarks/default.py run --out FILE [PUZZLES...]
    python benchmarks/default.py table FILE

``run`` makes puzzles of all families from seeds: one half for tuning the default, one for testing it. Each
solver gets each puzzle in a new process, from ``import milp_pips`` to a checked solution or a confirmed "no
solution". The limit and all figures are seconds of processor time of the process and all that it starts. The
solvers take turns on each puzzle. FILE keeps the runs, and a run that is in it is not made again.

``table`` prints PAR2: the mean of the seconds, where a run without a result counts as twice the limit. The
best of each puzzle ("virtual best") knows in advance which engine is the fastest there.

The engines are the five that the default may call as first or as backup (HiGHS, the SAT solver, the
neighbourhood search, CP-SAT, SCIP), and clingo. Diagrams and brute force are left out: few of these puzzles
are small enough for them.
"""

from __future__ import annotations

import argparse
import json
import os
import pickle
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import psutil
from instances import colour_grid, equal_only, faulty, full_set, nonogram, random_cages, sudoku
from measure import header, puzzles_of

import milp_pips
from milp_pips import AllDifferent, Less, Problem, Variable
from milp_pips.extras.families.skyscrapers import Skyscrapers
from milp_pips.problem.rng import RandomGenerator
from milp_pips.puzzles.puzzle import Puzzle
from milp_pips.puzzles.sudoku.puzzle import Cage

DEFAULT = "default"
ENGINES = ("highs", "cp-sat", "sat", "clingo", "scip", "lns")
HALVES = {"tuning": 1, "test": 2}
"""The halves of the puzzles, with their seeds."""

TO_SINGLE_BEST, TO_VIRTUAL_BEST = 1.3, 1.6
"""The greatest ratios of PAR2 that the default should have."""

POLL = 0.2
"""Seconds between two looks at the processor time of a run."""


class Run(NamedTuple):
    """The result of a solver on a puzzle, and its seconds: of processor time, and by the clock."""

    half: str
    puzzle: str
    solver: str
    limit: float
    outcome: str
    processor: float
    seconds: float
    winner: str

    @property
    def score(self) -> float:
        """The processor seconds, or twice the limit without a result."""
        return self.processor if self.outcome in ("solved", "infeasible") else 2 * self.limit


EXAMPLES = Path(__file__).parent.parent / "examples"


def made(family: str = "pips", **options: Any) -> Callable[[int], Puzzle]:
    """Return a function that generates a puzzle from a seed."""
    return lambda seed: next(milp_pips.generate(family, seed=seed, **options)).puzzle


def example(*names: str) -> Callable[[int], Puzzle]:
    """Return a function that reads the example of a half."""
    return lambda seed: next(iter(milp_pips.read_all(str(EXAMPLES / names[seed - 1])).values()))


def killer(size: int, share: float) -> Callable[[int], Puzzle]:
    """Return a function that makes a killer Sudoku with some givens, of cages of two to four cells."""

    def make(seed: int) -> Puzzle:
        rng = RandomGenerator(f"killer {size} {seed}")
        full = next(milp_pips.generate("sudoku", size=size, seed=seed)).puzzle
        filling, pieces = full.published, None
        while pieces is None:
            pieces = random_cages(filling, rng)
        cages = [
            Cage(str(n), tuple(sorted(cells)), sum(int(filling[r][c]) for r, c in cells))
            for n, cells in enumerate(pieces, 1)
        ]
        givens = tuple(tuple(s if rng.bernoulli(share) else "" for s in row) for row in filling)
        return replace(full, givens=givens, cages=tuple(cages))

    return make


def latin_square(size: int, rng: RandomGenerator) -> list[list[int]]:
    """Return a cyclic square with its rows, columns and numbers permuted."""
    rows, columns, numbers = (rng.shuffled(range(size)) for _ in range(3))
    return [[numbers[(r + c) % size] for c in columns] for r in rows]


def futoshiki(size: int, shown: float, signs: float) -> Callable[[int], Problem]:
    """Return a function that states a Futoshiki with these shares of cells and of signs shown."""

    def make(seed: int) -> Problem:
        rng = RandomGenerator(f"futoshiki {size} {seed}")
        filling = [v for row in latin_square(size, rng) for v in row]
        cells = range(size * size)
        domains = [(filling[v],) if rng.bernoulli(shown) else tuple(range(size)) for v in cells]
        pairs = [(v, v + 1) for v in cells if (v + 1) % size] + [(v, v + size) for v in cells[:-size]]
        lines = [cells[i * size : (i + 1) * size] for i in range(size)] + [
            cells[i::size] for i in range(size)
        ]
        less = [sorted(pair, key=filling.__getitem__) for pair in pairs if rng.bernoulli(signs)]
        rules = [*(AllDifferent(tuple(line)) for line in lines), *(Less((a, b)) for a, b in less)]
        variables = tuple(Variable(f"x{v}", domain) for v, domain in enumerate(domains))
        return Problem(variables, tuple(rules), {"grid": tuple(cells)}, name=f"futoshiki-{size}-{seed}")

    return make


def skyscrapers(size: int, shown: float) -> Callable[[int], Puzzle]:
    """Return a function that makes a Skyscrapers puzzle with this share of the clues and no heights."""

    def make(seed: int) -> Puzzle:
        rng = RandomGenerator(f"skyscrapers {size} {seed}")
        rows = [[v + 1 for v in row] for row in latin_square(size, rng)]
        columns = list(zip(*rows, strict=True))

        def clue(line: Sequence[int]) -> str:
            seen = sum(height > max(line[:k], default=0) for k, height in enumerate(line))
            return str(seen) if rng.bernoulli(shown) else "."

        above, below = ([clue(c[::way]) for c in columns] for way in (1, -1))
        inner = [[clue(row), *["."] * size, clue(row[::-1])] for row in rows]
        frame = [["#", *above, "#"], *inner, ["#", *below, "#"]]
        return Skyscrapers(f"skyscrapers-{size}-{seed}", tuple(map(tuple, frame)))

    return make


KINDS: Mapping[str, Callable[[int], Puzzle | Problem]] = {
    "published pips": example("pips/hard.txt", "pips/double_nine.txt"),
    "published killer": example("sudoku/killer.txt", "sudoku/pi_day_2010.txt"),
    "pips, styled, 14": made(dominoes=14),
    "pips, styled, 60": made(dominoes=60),
    "pips, plain, 30": made(style="plain", dominoes=30),
    "pips, plain, 100": made(style="plain", dominoes=100),
    "pips, loose, 200": made(style="plain", dominoes=200, rules="SUM=1,LT=2,GT=2,none=5"),
    "pips, equal only, 60": lambda seed: equal_only(60, seed),
    "pips, sums up to 12, 80": made(style="plain", dominoes=80, max_pip=12, rules="SUM", region_sizes="1..3"),
    "full double-nine, 40 % given": lambda seed: full_set(9, 0.4, seed),
    "full double-twelve, 80 % given": lambda seed: full_set(12, 0.8, seed),
    "full double-fifteen, 60 % given": lambda seed: full_set(15, 0.6, seed),
    "given board, double-twelve": made(style="plain", given="all", max_pip=12),
    "given board, double-twenty": made(style="plain", given="all", max_pip=20),
    "pips with a parity fault, 40": lambda seed: list(faulty(40 + seed))[1],
    "Sudoku 9": made("sudoku", size=9),
    "Sudoku 16": made("sudoku", size=16),
    "Sudoku 25, 46 % given": lambda seed: sudoku(5, 0.46, seed),
    "Sudoku 25, 43 % given": lambda seed: sudoku(5, 0.43, seed),
    "Sudoku 25, generated": made("sudoku", size=25),
    "jigsaw 9": made("sudoku", size=9, regions="jigsaw"),
    "jigsaw 10": made("sudoku", size=10, regions="jigsaw"),
    "killer 9": killer(9, 0.0),
    "killer 16": killer(16, 0.04),
    "colour grid 20": lambda seed: colour_grid(20, seed),
    "colour grid 40": lambda seed: colour_grid(40, seed),
    "nonogram 30": lambda seed: nonogram(30, 30, seed),
    "futoshiki 9": futoshiki(9, 0.05, 0.3),
    "futoshiki 20": futoshiki(20, 0.3, 0.3),
    "skyscrapers 8": skyscrapers(8, 0.8),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)
    run = verbs.add_parser("run")
    run.add_argument(
        "puzzles", nargs="*", help="further puzzles, files or directories, as a half of their own"
    )
    run.add_argument("--half", nargs="+", choices=HALVES, default=list(HALVES))
    run.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS))
    run.add_argument("--solvers", nargs="+", default=[DEFAULT, *ENGINES])
    run.add_argument("--limit", type=float, default=20.0, help="processor seconds of a run (default: 20)")
    run.add_argument("--out", type=Path, required=True, help="the JSON file of the runs")
    verbs.add_parser("table").add_argument("file", type=Path)
    one = verbs.add_parser("one")  # the process of a run
    one.add_argument("file", type=Path)
    one.add_argument("solver")
    arguments = parser.parse_args()
    if arguments.verb == "one":
        puzzle = pickle.loads(arguments.file.read_bytes())
        result = milp_pips.solve(puzzle, "" if arguments.solver == DEFAULT else arguments.solver)
        print(result.status, sum(os.times()[:4]), result.solver, flush=True)
    elif arguments.verb == "table":
        show(read(arguments.file))
    else:
        named = [("named", p.name, p) for p in puzzles_of(arguments.puzzles)]
        made_here = (
            (half, kind, KINDS[kind](HALVES[half])) for kind in arguments.kinds for half in arguments.half
        )
        puzzles = named if named else made_here
        show(measure(puzzles, arguments.solvers, arguments.limit, arguments.out))


def measure(
    puzzles: Iterable[tuple[str, str, Puzzle | Problem]],
    solvers: Sequence[str],
    limit: float,
    out: Path,
) -> list[Run]:
    """Return the runs of the solvers on the puzzles, each with its half and name, and those in the file."""
    runs = read(out) if out.exists() else []
    known = {(run.half, run.puzzle, run.solver) for run in runs}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "puzzle"
        for half, name, puzzle in puzzles:
            file.write_bytes(pickle.dumps(puzzle))
            for solver in solvers:
                if (half, name, solver) not in known:
                    runs.append(Run(half, name, solver, limit, *outcome_of(file, solver, limit)))
                    print(*runs[-1], sep="\t", file=sys.stderr, flush=True)
                    write(out, runs)
    return runs


def write(out: Path, runs: Sequence[Run]) -> None:
    """Write the runs to the file, one to a line."""
    measured = json.dumps(header("highspy", "ortools", "python-sat", "clingo", "pyscipopt"))
    lines = ",\n".join(json.dumps(run._asdict()) for run in runs)
    out.write_text(f'{{"measured": {measured}, "runs": [\n{lines}\n]}}\n')


def outcome_of(file: Path, solver: str, limit: float) -> tuple[str, float, float, str]:
    """Return the outcome of a run, its processor seconds, its seconds by the clock, and who solved it."""
    begun, spent = time.perf_counter(), 0.0
    command = [sys.executable, __file__, "one", str(file), solver]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        tree = psutil.Process(process.pid)
        while process.poll() is None and spent < limit:
            time.sleep(POLL)
            spent = max(spent, processor_seconds(tree))
        late = process.poll() is None
        for each in (*tree.children(recursive=True), tree) if late else ():
            each.kill()
        words = (process.communicate()[0] or "").split()
    seconds = round(time.perf_counter() - begun, 3)
    if late or len(words) != 3:
        return "limit" if late else "error", round(spent, 3), seconds, ""
    return words[0], round(float(words[1]), 3), seconds, words[2]


def processor_seconds(tree: psutil.Process) -> float:
    """Return the processor seconds of a process, its running children and those that it has waited for."""
    spent = 0.0
    with suppress(psutil.Error):
        for each in (tree, *tree.children(recursive=True)):
            with suppress(psutil.Error):
                spent += sum(each.cpu_times()[:4])
    return spent


def read(file: Path) -> list[Run]:
    """Return the runs of a file."""
    return [Run(**run) for run in json.loads(file.read_text())["runs"]]


def show(runs: Sequence[Run]) -> None:
    """Print PAR2 of each solver by half, the ratios of the default, and the puzzles where it is far off."""
    scores: dict[str, dict[str, dict[str, float]]] = {}
    for run in runs:
        scores.setdefault(run.half, {}).setdefault(run.solver, {})[run.puzzle] = run.score
    for half, by_solver in scores.items():
        ours = by_solver.get(DEFAULT, {})
        engines = {
            name: each for name, each in by_solver.items() if name != DEFAULT and ours.keys() <= each.keys()
        }
        by_solver, shared = {DEFAULT: ours, **engines}, list(ours)
        if not (shared and engines):
            continue
        best = {puzzle: min(each[puzzle] for each in engines.values()) for puzzle in shared}
        par2 = {
            name: statistics.mean(each[p] for p in shared)
            for name, each in {**by_solver, "virtual best": best}.items()
        }
        single = min(engines, key=par2.__getitem__)
        limit = max(run.limit for run in runs if run.half == half)
        print(f"\n{half}: {len(shared)} puzzles, limit {limit:g} s of processor time\n")
        print("| solver | solved | PAR2, s | default to it |\n|---|---|---|---|")
        for name in sorted(par2, key=par2.__getitem__):
            count = sum({**by_solver, "virtual best": best}[name][p] <= limit for p in shared)
            print(f"| {name} | {count} | {par2[name]:.2f} | {par2[DEFAULT] / par2[name]:.2f} |")
        for name, most in ((single, TO_SINGLE_BEST), ("virtual best", TO_VIRTUAL_BEST)):
            ratio = par2[DEFAULT] / par2[name]
            print(f"\n{ratio:.2f} times {name}, goal {most:g}: {'met' if ratio <= most else 'missed'}")
        print("\n| puzzle | default, s | best, s | by |\n|---|---|---|---|")
        for p in sorted(shared, key=lambda p: best[p] - ours[p]):
            who = min(engines, key=lambda name: engines[name][p])
            print(f"| {p} | {ours[p]:.2f} | {best[p]:.2f} | {who} |")


if __name__ == "__main__":
    main()
