"""Measure exact counting, listing and racing on boards for which one decision diagram is too small.

    python benchmarks/exact.py --row given --quick
    python benchmarks/exact.py PUZZLES...

Without ``--row`` all rows are measured, one after the other. ``PUZZLES`` are the New York Times' files.
Rows without the files they need are skipped, and so are engines that are not installed. All runs are written
to ``DIR/exact-ROW.csv``, where DIR is ``benchmarks/results/DATE``; those of ``--quick`` only with ``--out``.

The tables show wall-clock seconds, and processor seconds, since the machine may be busy.
"""

from __future__ import annotations

import argparse
import csv
import datetime
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import instances
from measure import (
    DEFAULT,
    Line,
    Run,
    compare_with_best,
    header,
    measure_branching,
    measure_count,
    measure_each,
    measure_listing,
    measure_refutation,
    puzzles_of,
    race,
    summary_line,
)

from milp_pips.engines import registry
from milp_pips.puzzles.puzzle import Puzzle

RESULTS = Path(__file__).parent / "results"

ENGINES = ("highs", "cp-sat", "scip")
"""The engines that are compared with the default, if installed."""


class Request(NamedTuple):
    """The requested measurement; see the command-line arguments."""

    quick: bool = False
    paths: tuple[str, ...] = ()
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
    parser.add_argument("--limit", type=float, help="seconds per puzzle in place of the row's own")
    parser.add_argument("--engines", nargs="+", default=list(ENGINES), help="measured beside the default")
    parser.add_argument("--out", type=Path, metavar="DIR", help="where all runs go")
    arguments = parser.parse_args()
    request = Request(
        arguments.quick,
        tuple(arguments.puzzles),
        tuple(name for name in arguments.engines if not registry.solver(name).unavailable()),
        arguments.limit,
    )
    out = arguments.out or (None if arguments.quick else RESULTS / str(datetime.date.today()))
    print(f"{versions(request.engines)}\n\n| work | goal | measured | |\n|---|---|---|---|", flush=True)
    for name in arguments.row or ROWS:
        print(name, file=sys.stderr, flush=True)
        row = ROWS[name](request)
        for line in row.lines:
            print(line, flush=True)
        if out is not None and row.runs:
            keep(out / f"exact-{name}.csv", row.runs, versions(request.engines))


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


def given(request: Request) -> Row:
    boards = [
        board
        for pips in ((6, 10) if request.quick else range(6, 19))
        for board in instances.generated(count=request.few(10), given="all", max_pip=pips)
    ]
    counts, lists = (
        measure_each(work, boards, request.seconds(10)) for work in (measure_count, measure_listing)
    )
    kind = "boards with every pip given, up to double-eighteen"
    lines = [
        summary_line(f"{kind}, counted", counts, worst=1),
        summary_line(f"{kind}, listed and confirmed", lists, worst=2),
    ]
    return Row(lines, [*counts, *lists])


def given_25(request: Request) -> Row:
    boards = instances.generated(count=request.few(10), given="all", max_pip=25)
    runs = measure_each(measure_count, boards, request.seconds(60))
    return Row(
        [summary_line("double-twenty-five boards with every pip given, counted", runs, median=5)], runs
    )


def published(request: Request) -> Row:
    boards = puzzles_of(request.paths)
    if not boards:
        return _skipped()
    runs = measure_each(measure_count, boards, request.seconds(20))
    return Row([summary_line("published puzzles, placements and grids counted", runs, worst=1)], runs)


def hundred(request: Request) -> Row:
    boards = instances.generated(count=request.few(5), dominoes=12, set="double-six", solutions=(90, 110))
    work = "boards of 12 dominoes with 90 to 110 solutions, all listed by HiGHS"
    found = {name: measure_each(measure_branching, boards, name, 60.0) for name in ("partition", "cubes")}
    lines = [summary_line(f"{work}, {name}", runs, worst=2) for name, runs in found.items()]
    return Row(lines, [run for runs in found.values() for run in runs])


def jigsaws(request: Request) -> Row:
    runs = measure_each(measure_count, list(instances.jigsaws(request.few(10))), request.seconds(20))
    return Row(
        [summary_line("jigsaws 12×12 with repeated symbols, one solution, counted", runs, worst=1)], runs
    )


def nonograms(request: Request) -> Row:
    sizes = ((20, 20), (25, 25), (30, 30), (35, 25), (40, 40))
    boards = [instances.nonogram(*size, i) for size in sizes for i in range(request.few(6))]
    runs = measure_each(measure_count, boards, request.seconds(5))
    return Row([summary_line("nonograms of 20×20 to 40×40, counted", runs, worst=0.5, median=0.1)], runs)


def sudokus(request: Request) -> Row:
    boards = instances.generated("sudoku", request.few(18, 2), size=25)
    return _raced("Sudokus 25×25", boards, request, 20, everywhere=True)


def infeasible(request: Request) -> Row:
    dominoes = (100,) if request.quick else (100, 200, 400, 700, 1000)
    sides = (20,) if request.quick else (20, 30, 40)
    faults = [board for number in dominoes for board in instances.faulty(number)]
    squares = [board for side in sides for board in instances.unmatchable(side)]
    runs = measure_each(measure_refutation, [*faults, *squares], request.seconds(20))
    one_off = [run for run in runs if run.puzzle.endswith(instances.PARITY)]
    seen = [run for run in runs[: len(faults)] if run not in one_off]
    lines = [
        summary_line(
            "boards of 100 dominoes or more with an impossible rule or a value short, refused", seen, worst=2
        ),
        summary_line("boards of 100 dominoes or more with a sum one off, refused", one_off, mean=10),
        summary_line("boards that dominoes cannot cover, refused", runs[len(faults) :], worst=2),
    ]
    return Row(lines, runs)


def partly_given(request: Request) -> Row:
    sizes = (9,) if request.quick else (9, 10, 11, 12, 13, 14, 16, 18)
    shares = ("60%",) if request.quick else ("20%", "40%", "60%", "80%")
    boards = [board for n in sizes for s in shares for board in instances.generated(given=s, max_pip=n)]
    return _raced("full sets partly given", boards, request, 60)


def equal_only(request: Request) -> Row:
    sizes = (40,) if request.quick else range(42, 151, 12)
    boards = [
        board
        for n in sizes
        for board in instances.generated(count=request.few(2), dominoes=n, rules="EQ", region_sizes="4..7")
    ]
    return _raced("dense equal-only boards", boards, request, 60)


def _raced(
    work: str, boards: Sequence[Puzzle], request: Request, limit: float, *, everywhere: bool = False
) -> Row:
    runs = race(boards, (DEFAULT, *request.engines), request.seconds(limit))
    line = compare_with_best(work, runs, 1.3, everywhere=everywhere)
    return Row([line], [run for of in runs.values() for run in of])


def millions(request: Request) -> Row:
    boards = [board for board in puzzles_of(request.paths) if board.name.endswith("2025-09-15-hard")]
    if not boards:
        return _skipped()
    runs = measure_each(measure_listing, boards, request.seconds(120))
    return Row([summary_line("puzzle with 2,764,800 placements, listed as objects", runs, worst=8)], runs)


def _skipped() -> Row:
    print("  left out: it needs PUZZLES", file=sys.stderr)
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
