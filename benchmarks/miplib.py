"""How many optimal solutions models have, how alike these are, and how many are nearly optimal.

    python benchmarks/miplib.py FOLDER [--within 0.01] [--seconds 60] [--out DIR]

Takes every MPS file in the folder and below it. Each model is listed twice by the method ``tree``: the optima
with a certificate, which is written and checked, then all within the share of the optimum. Two solutions are
different if they differ in an integer column. A list that is not finished within the seconds is left out.
``--out`` writes the table as ``miplib.csv`` and the plot ``miplib_distance.svg``: the number of solutions by
their distance from the optimum. Seconds are those of the processor.
"""

from __future__ import annotations

import argparse
import csv
import tempfile
from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from statistics import mean
from typing import Any, NamedTuple

from measure import header, processor_seconds

import milp_pips
from milp_pips.extras.bench.report.plots import axes, default_looks, palette, to_svg, write_at
from milp_pips.formulations.model import Model

MOST_PAIRS = 2_000
"""The most pairs of optima whose difference is averaged: the first of a list stand for all."""

LABEL_STEP = 1.35
"""By what factor a name is above the one below it, at least."""


class Row(NamedTuple):
    """What is known of one model; ``None`` where the time was over."""

    model: str
    integers: int
    continuous: int
    rows: int
    optimum: Any
    optima: int
    fixed: float
    """The share of the integer columns that have the same value in all optima."""
    apart: float
    """The share of the integer columns in which two optima differ, in the mean."""
    near: int | None
    """How many solutions are nearly optimal; ``None`` if that list was not finished."""
    list_seconds: float
    check_seconds: float | None
    certificate_bytes: int | None
    gaps: tuple[float, ...]
    """The distances from the optimum of all listed solutions, as shares of it, in ascending order."""


def measure(file: Path, within: float, seconds: float) -> Row:
    """List a model. Raises InputError and UsageError for a file that the tree cannot list."""
    puzzle = milp_pips.read(str(file))
    model: Model = puzzle.model
    begun = processor_seconds()
    optima = milp_pips.solutions(puzzle, method="tree", within=0, seconds=seconds)
    found = list(optima)
    listing = processor_seconds() - begun
    values = near_values(puzzle, within, seconds)
    best = found[0].objective if found else None
    checking, size = certificate(puzzle, seconds) if optima.summary.complete else (None, None)
    fixed, apart = likeness(model, found)
    integers = sum(column.integer for column in model.columns)
    return Row(
        *(named(file), integers, len(model.columns) - integers, len(model.rows)),
        *(best, len(found), fixed, apart, len(values) or None),
        *(listing, checking, size, tuple(sorted(abs(value - best) / (abs(best) or 1) for value in values))),
    )


def near_values(puzzle: Any, within: float, seconds: float) -> list[Any]:
    """Return the objectives of all solutions that are nearly optimal; none if time is too short."""
    try:
        near = milp_pips.solutions(puzzle, method="tree", within_relative=within, seconds=seconds)
        values = [solution.objective for solution in near]
    except milp_pips.Unfinished:
        return []
    return values if near.summary.complete else []


def named(file: Path) -> str:
    """Return a model's name, such as ``gen`` of ``gen.mps.gz``."""
    return file.name.removesuffix(".gz").removesuffix(".mps")


def certificate(puzzle: Any, seconds: float) -> tuple[float | None, int | None]:
    """Return the seconds that checking the certificate of all optima takes, and its bytes."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "proof"
        milp_pips.prove(puzzle, folder, kind="list", within=0, seconds=seconds)
        begun = processor_seconds()
        milp_pips.verify(folder)
        return processor_seconds() - begun, sum(file.stat().st_size for file in folder.iterdir())


def likeness(model: Model, found: Sequence[Any]) -> tuple[float, float]:
    """Return the share of integer columns that are the same in all solutions, and in which two differ."""
    integers = [j for j, column in enumerate(model.columns) if column.integer]
    points = [[solution.values_by_position[j] for j in integers] for solution in found]
    same = mean(len(set(values)) == 1 for values in zip(*points, strict=True)) if points else 1.0
    pairs = [pair for pair, _ in zip(combinations(points, 2), range(MOST_PAIRS), strict=False)]
    apart = [mean(a != b for a, b in zip(*pair, strict=True)) for pair in pairs]
    return same, mean(apart) if apart else 0.0


def shown(row: Row) -> str:
    """Return the line of a table."""
    proof = "–"
    if row.check_seconds is not None and row.certificate_bytes is not None:
        proof = f"{row.certificate_bytes / 1000:,.0f} kB, {row.check_seconds:.2f} s"
    cells = [
        *(row.model, f"{row.integers} + {row.continuous}", f"{row.rows}", f"{row.optimum}"),
        f"{row.optima:,}",
        *(f"{row.fixed:.0%}", f"{row.apart:.1%}", "–" if row.near is None else f"{row.near:,}"),
        *(f"{row.list_seconds:.1f} s", proof),
    ]
    return f"| {' | '.join(cells)} |"


def plot(rows: Sequence[Row], within: float) -> str:
    """Return the plot: how many solutions are at most so far from the optimum, a step line per model."""
    with default_looks():
        figure, plot = axes()
        styles = palette([row.model for row in rows])
        label = 0.0
        for row in sorted(rows, key=lambda row: len(row.gaps)):
            counts = sorted(Counter(row.gaps).items())
            xs, ys, total = [0.0], [0], 0
            for gap, count in counts:
                xs.append(100 * gap)
                ys.append(total := total + count)
            style = styles[row.model]
            plot.step([*xs[1:], 100 * within], [*ys[1:], total], where="post", color=style.colour)
            label = max(total, LABEL_STEP * label)  # names do not overlap
            write_at(plot, row.model, (100 * within, label))
        plot.set_yscale("log")
        plot.set_xlabel("distance from the optimum, % of it")
        plot.set_ylabel("solutions at most as far")
        plot.margins(x=0.02)
        return to_svg(figure, "miplib_distance", "Solutions by their distance from the optimum")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--within", type=float, default=0.01, help="as a share of the optimum")
    parser.add_argument("--seconds", type=float, default=60.0, help="the time limit for each list")
    parser.add_argument("--out", type=Path, metavar="DIR", help="where table and plot go")
    arguments = parser.parse_args()
    print(header("highspy"), end="\n\n")
    print(
        "| model | integer + continuous columns | rows | optimum | optima | same in all | two differ in "
        f"| within {arguments.within:.3g} of it | list | certificate, check |"
    )
    print(f"|{'---|' * 10}")
    rows = []
    for file in sorted([*arguments.folder.rglob("*.mps"), *arguments.folder.rglob("*.mps.gz")]):
        try:
            row = measure(file, arguments.within, arguments.seconds)
        except (milp_pips.InputError, milp_pips.UsageError, milp_pips.Unfinished) as fault:
            print(f"| {named(file)} | {fault} |{' |' * 8}", flush=True)
            continue
        rows.append(row)
        print(shown(row), flush=True)
    if arguments.out:
        arguments.out.mkdir(parents=True, exist_ok=True)
        with (arguments.out / "miplib.csv").open("w", newline="", encoding="utf-8") as stream:
            table = csv.writer(stream)
            table.writerow(Row._fields[:-1])
            table.writerows(row[:-1] for row in rows)
        picture = plot([row for row in rows if row.gaps], arguments.within)
        (arguments.out / "miplib_distance.svg").write_text(picture + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
