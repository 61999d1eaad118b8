"""Measure exact counting, listing and racing on boards for which one decision diagram is too small.

    python benchmarks/exact.py --row given --quick
    python benchmarks/exact.py --row published --row hundred --against CHECKOUT PUZZLES...
    python benchmarks/exact.py --against CHECKOUT PUZZLES...

Without ``--row`` all rows are measured, one after the other. ``PUZZLES`` are the New York Times' files;
``CHECKOUT`` is a folder with another version of this project, whose speed is compared. Rows without the files
they need are skipped, and so are engines that are not installed. All runs go to ``DIR/exact-ROW.csv``,
where DIR is ``benchmarks/results/DATE``; a quick look is kept only if ``--out`` is given.

The tables show wall-clock seconds, and processor seconds beside them, since the machine may be busy.
"""

from __future__ import annotations

import argparse
import csv
import datetime
import statistics
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import instances
from measure import header, puzzles_of
from runs import (
    DEFAULT,
    Line,
    Run,
    Way,
    counted,
    each,
    listed,
    race,
    refused,
    runs_of,
    side_by_side,
    spread,
    standing,
)

from milp_pips.engines import registry
from milp_pips.puzzles.pips.text import write
from milp_pips.puzzles.puzzle import Puzzle
from milp_pips.puzzles.reading import files_of
from milp_pips.tasks.enumerate import ENUMERATION_METHODS

RESULTS = Path(__file__).parent / "results"

ENGINES = ("highs", "cp-sat", "scip")
"""Who is measured beside the default, where installed."""


NOISE = 1.1
"""Up to so many times as long is no slower: on a busy machine a checkout differs from itself by as much."""


class Request(NamedTuple):
    """The requested measurement; see the command-line arguments."""

    quick: bool = False
    paths: tuple[str, ...] = ()
    against: str = ""
    rounds: int = 3
    engines: tuple[str, ...] = ENGINES
    limit: float | None = None

    def few(self, many: int, few: int = 1) -> int:
        """Return the number of instances to measure."""
        return few if self.quick else many

    def seconds(self, usual: float) -> float:
        """Return the time limit of a puzzle."""
        return usual if self.limit is None else self.limit


class Row(NamedTuple):
    """The results of a row of the table: its lines, and the runs behind them."""

    lines: Sequence[Line]
    runs: Sequence[Run]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("puzzles", nargs="*", help="puzzle files or directories")
    parser.add_argument("--row", action="append", choices=ROWS, help="this row only; may be repeated")
    parser.add_argument("--quick", action="store_true", help="a few puzzles of each kind")
    parser.add_argument("--against", default="", metavar="CHECKOUT", help="compare with this checkout")
    parser.add_argument("--rounds", type=int, default=3, help="rounds of each comparison (default: 3)")
    parser.add_argument("--limit", type=float, help="seconds per puzzle in place of the row's own")
    parser.add_argument("--engines", nargs="+", default=list(ENGINES), help="measured beside the default")
    parser.add_argument("--out", type=Path, metavar="DIR", help="where all runs go")
    arguments = parser.parse_args()
    asked = Request(
        arguments.quick,
        tuple(arguments.puzzles),
        arguments.against,
        arguments.rounds,
        tuple(name for name in arguments.engines if not registry.solver(name).unavailable()),
        arguments.limit,
    )
    out = arguments.out or (None if arguments.quick else RESULTS / str(datetime.date.today()))
    print(f"{versions(asked.engines)}\n\n| work | goal | measured | |\n|---|---|---|---|", flush=True)
    for name in arguments.row or ROWS:
        print(name, file=sys.stderr, flush=True)
        row = ROWS[name](asked)
        for line in row.lines:
            print(line, flush=True)
        if out is not None and row.runs:
            keep(out / f"exact-{name}.csv", row.runs, versions(asked.engines))


def versions(engines: Sequence[str]) -> str:
    """Return the date, and the versions of Python, of this package and of the engines."""
    distributions = ("highspy", *(registry.solver(name).distribution for name in engines))
    return header(*dict.fromkeys(distributions))


def keep(file: Path, runs: Sequence[Run], measured_on: str) -> None:
    """Write all runs, each with its machine and versions."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("w", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow([*Run._fields, "measured_on"])
        for run in runs:
            exact = run._replace(seconds=round(run.seconds, 4), processor=round(run.processor, 4))
            writer.writerow([*exact, measured_on])


def given(asked: Request) -> Row:
    boards = [
        board
        for pips in ((6, 10) if asked.quick else range(6, 19))
        for board in instances.generated(count=asked.few(10), given="all", max_pip=pips)
    ]
    counts, lists = (each(work, boards, asked.seconds(10)) for work in (counted, listed))
    kind = "boards with every pip given, up to double-eighteen"
    lines = [
        spread(f"{kind}, counted", counts, worst=1),
        spread(f"{kind}, listed and confirmed", lists, worst=2),
    ]
    return Row(lines, [*counts, *lists])


def given_25(asked: Request) -> Row:
    boards = instances.generated(count=asked.few(10), given="all", max_pip=25)
    runs = each(counted, boards, asked.seconds(60))
    return Row([spread("double-twenty-five boards with every pip given, counted", runs, median=5)], runs)


def published(asked: Request) -> Row:
    files = list(files_of(list(asked.paths)))
    if not files:
        return _left_out("PUZZLES")
    ways = {"now": Way(("counts", *files))}
    if asked.against:
        ways["before"] = Way(("counts", *files), asked.against)
    spent = side_by_side(ways, asked.rounds)
    found = {name: {key: statistics.median(s) for key, s in of.items()} for name, of in spent.items()}
    figures = [
        f"{name} {' + '.join(f'{s:.3g} s {key}' for key, s in of.items())}" for name, of in found.items()
    ]
    now, before = found["now"], found.get("before", {"placement": 0.24, "grid": 0.47})
    met = sum(now.values()) <= NOISE * sum(before.values())
    work = f"{len(puzzles_of(asked.paths))} published puzzles, placements and grids counted (processor)"
    return Row([Line(work, "no slower than before", "; ".join(figures), met)], list(runs_of(spent)))


def hundred(asked: Request) -> Row:
    if not asked.against:
        return _left_out("--against")
    boards = instances.generated(count=asked.few(5), dominoes=12, set="double-six", solutions=(90, 110))
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for board in boards:
            files.append(str(Path(folder, f"{board.name.split()[0]}.txt")))
            Path(files[-1]).write_text(write(board))
        ways = {"before": Way(("listing", "partition", *files), asked.against)}
        goals = {"partition": 3, "cubes": 10}
        ways |= {name: Way(("listing", name, *files)) for name in goals if name in ENUMERATION_METHODS}
        spent = side_by_side(ways, asked.rounds)
    total = {name: sum(map(statistics.median, items.values())) for name, items in spent.items()}
    work = (
        f"{len(boards)} boards of 12 dominoes with 90 to 110 solutions, all listed, engine HiGHS (processor)"
    )
    lines = [
        Line(
            f"{work}, {name}",
            f"{goals[name]} times as quick as a partition before",
            f"{total['before'] / total[name]:.1f} times: {total[name]:.3g} s, before {total['before']:.3g} s",
            total["before"] >= goals[name] * total[name],
        )
        for name in ways
        if name in goals
    ]
    return Row(lines, list(runs_of(spent)))


def jigsaws(asked: Request) -> Row:
    runs = each(counted, list(instances.jigsaws(asked.few(10))), asked.seconds(20))
    return Row([spread("jigsaws 12×12 with repeated symbols, one solution, counted", runs, worst=1)], runs)


def nonograms(asked: Request) -> Row:
    sizes = ((20, 20), (25, 25), (30, 30), (35, 25), (40, 40))
    boards = [instances.nonogram(*size, i) for size in sizes for i in range(asked.few(6))]
    runs = each(counted, boards, asked.seconds(5))
    return Row([spread("nonograms of 20×20 to 40×40, counted", runs, worst=0.5, median=0.1)], runs)


def sudokus(asked: Request) -> Row:
    boards = instances.generated("sudoku", asked.few(18, 2), size=25)
    return _raced("Sudokus 25×25", boards, asked, 20, everywhere=True)


def infeasible(asked: Request) -> Row:
    dominoes = (100,) if asked.quick else (100, 200, 400, 700, 1000)
    sides = (20,) if asked.quick else (20, 30, 40)
    faults = [board for number in dominoes for board in instances.faulty(number)]
    squares = [board for side in sides for board in instances.unmatchable(side)]
    runs = each(refused, [*faults, *squares], asked.seconds(20))
    one_off = [run for run in runs if run.puzzle.endswith(instances.PARITY)]
    seen = [run for run in runs[: len(faults)] if run not in one_off]
    lines = [
        spread(
            "boards of 100 dominoes or more with an impossible rule or a value short, refused", seen, worst=2
        ),
        spread("boards of 100 dominoes or more with a sum one off, refused", one_off, mean=10),
        spread("boards that dominoes cannot cover, refused", runs[len(faults) :], worst=2),
    ]
    return Row(lines, runs)


def partly_given(asked: Request) -> Row:
    sizes = (9,) if asked.quick else (9, 10, 11, 12, 13, 14, 16, 18)
    shares = ("60%",) if asked.quick else ("20%", "40%", "60%", "80%")
    boards = [board for n in sizes for s in shares for board in instances.generated(given=s, max_pip=n)]
    return _raced("full sets partly given", boards, asked, 60)


def equal_only(asked: Request) -> Row:
    sizes = (40,) if asked.quick else range(42, 151, 12)
    boards = [
        board
        for n in sizes
        for board in instances.generated(count=asked.few(2), dominoes=n, rules="EQ", region_sizes="4..7")
    ]
    return _raced("dense equal-only boards", boards, asked, 60)


def _raced(
    work: str, boards: Sequence[Puzzle], asked: Request, limit: float, *, everywhere: bool = False
) -> Row:
    runs = race(boards, (DEFAULT, *asked.engines), asked.seconds(limit))
    line = standing(work, runs, 1.3, everywhere=everywhere)
    return Row([line], [run for of in runs.values() for run in of])


def millions(asked: Request) -> Row:
    boards = [board for board in puzzles_of(asked.paths) if board.name.endswith("2025-09-15-hard")]
    if not boards:
        return _left_out("PUZZLES")
    runs = each(listed, boards, asked.seconds(120))
    return Row([spread("puzzle with 2,764,800 placements, listed as objects", runs, worst=8)], runs)


def _left_out(missing: str) -> Row:
    print(f"  left out: it needs {missing}", file=sys.stderr)
    return Row([], [])


ROWS: Mapping[str, Callable[[Request], Row]] = {
    "given": given,
    "given-25": given_25,
    "published": published,
    "hundred": hundred,
    "jigsaws": jigsaws,
    "nonograms": nonograms,
    "sudokus": sudokus,
    "infeasible": infeasible,
    "partly-given": partly_given,
    "equal-only": equal_only,
    "millions": millions,
}


if __name__ == "__main__":
    main()
