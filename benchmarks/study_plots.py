"""Draw the plots of ``docs/study.md`` from ``study.csv``.

    python benchmarks/study_plots.py benchmarks/results/DATE --out docs

``study_size.svg``: the time to a first solution against the number of dominoes. ``study_ratio.svg`` and
``study_models.svg``: the time of each way as a multiple of the default's, on published puzzles and on linear
models, with intervals of 95 % by bootstrap over the puzzles.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from study_design import ALL, BEST, CONFIRMED, DEFAULT, FIRST, LIMITS, QUESTIONS
from study_tables import Block, Ratio, ratio, read

from milp_pips.extras.bench.report.plots import (
    FAINT_INK,
    PLOT_COLOURS,
    axes,
    default_looks,
    legend,
    limit_line,
    palette,
    seconds_axis,
    to_svg,
)

BY_SIZE = (DEFAULT, "lns", "sat", "clingo", "cp-sat", "highs", "scip", "minizinc")
ON_PUZZLES = ("brute", "diagram", "sat", "highs", "cp-sat", "clingo", "scip", "minizinc")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="where the plots go")
    arguments = parser.parse_args()
    draw(read(arguments.folder), arguments.out)


def draw(blocks: Sequence[Block], folder: Path) -> None:
    """Write all plots."""
    by_name = {(one.question, one.group): one for one in blocks}
    published = [by_name[question, "published"] for question in QUESTIONS]
    models = [by_name[question, group] for question in (ALL, BEST) for group in ("models", "miplib")]
    with default_looks():
        by_size = against_size(by_name[FIRST, "dominoes"])
        plots = {
            "study_size": (by_size, "First solutions by the number of dominoes"),
            "study_ratio": (forest(published, ON_PUZZLES), "Engines against the default: puzzles"),
            "study_models": (forest(models), "Ways against the default: linear models"),
        }
        for name, (figure, title) in plots.items():
            (folder / f"{name}.svg").write_text(to_svg(figure, name, title) + "\n", encoding="utf-8")


def against_size(block: Block) -> Any:
    """Return the plot of median seconds against the number of dominoes; a line ends where a way fails."""
    figure, plot = axes(4.2)
    styles = palette(BY_SIZE)
    sizes: dict[int, list[Any]] = {}
    for puzzle in block.puzzles:
        sizes.setdefault(int(puzzle.point.rpartition("-")[2]), []).append(puzzle)
    for way in BY_SIZE:
        drawn = [
            (size, float(np.median([block.times[way].get(p, math.inf) for p in of_size])))
            for size, of_size in sorted(sizes.items())
        ]
        shown = [(size, median) for size, median in drawn if math.isfinite(median)]
        plot.plot(*zip(*shown, strict=True), **styles[way].line, markersize=4, linewidth=1.4, label=way)
    limit_line(plot, LIMITS[FIRST])
    plot.set_xscale("log")
    plot.set_xticks(sorted(sizes), map(str, sorted(sizes)))
    plot.minorticks_off()
    seconds_axis(plot.yaxis, "median processor time (log scale)")
    plot.set_xlabel("dominoes (log scale)")
    legend(figure, plot, 4)
    return figure


def forest(blocks: Sequence[Block], ways: Sequence[str] = ()) -> Any:
    """Return the plot of ratios to the default with their intervals, one row for each way of each block."""
    rows: list[tuple[str, Ratio | None]] = []
    for block in blocks:
        rows.append((title_of(block), None))
        chosen = [way for way in ways or block.ways if way in block.times and way not in (DEFAULT, CONFIRMED)]
        for way in chosen:
            logarithms = block.against(way, DEFAULT)
            if len(logarithms):
                rows.append((way, ratio(logarithms)))
    figure, plot = axes(0.9 + 0.22 * len(rows))
    for row, (_, found) in enumerate(rows):
        if found is None:
            continue
        colour = FAINT_INK if found.low <= 1 <= found.high else PLOT_COLOURS[0 if found.low > 1 else 1]
        if math.isfinite(found.high):  # else there are too few puzzles for an interval
            plot.plot([found.low, found.high], [row, row], color=colour, linewidth=2.4)
        plot.plot([found.median], [row], color=colour, marker="o", markersize=5)
    plot.axvline(1, color=FAINT_INK, linewidth=0.9, linestyle=(0, (5, 3)))
    plot.set_yticks(range(len(rows)), [name for name, _ in rows])
    for label, (_, found) in zip(plot.get_yticklabels(), rows, strict=True):
        label.set_fontweight("bold" if found is None else "normal")
    plot.set_ylim(len(rows) - 0.4, -0.6)
    plot.tick_params(axis="y", length=0)
    plot.grid(False, axis="y")
    plot.set_xscale("log")
    plot.xaxis.set_minor_formatter(lambda *_: "")
    plot.xaxis.set_major_formatter(lambda value, _: f"{value:g}×")
    plot.set_xlabel("time / time of the default (log scale)")
    return figure


def title_of(block: Block) -> str:
    """Return the heading of a block's rows: published puzzles have a figure of their own."""
    if block.group == "published":
        return QUESTIONS[block.question]
    short = {"models": "models", "miplib": "MIPLIB"}
    return f"{short[block.group]}: {QUESTIONS[block.question]}"


if __name__ == "__main__":
    main()
