"""Draw the plots of ``docs/study.md`` from the tables of runs that ``study.py`` writes.

    python benchmarks/study_plots.py benchmarks/results/2026-11-21 --out docs

Times are those to build and solve; a puzzle counts once, by the geometric mean over its seeds; runs that
solved nothing count as the limit. Intervals are of 95 %, by bootstrap over puzzles, as in ``claims.py``.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from claims import LIMIT, SAMPLES, Times, per_puzzle, read

from milp_pips.extras.bench.report.plots import (
    FAINT_INK,
    PLOT_COLOURS,
    axes,
    default_looks,
    factor_axis,
    legend,
    limit_line,
    palette,
    seconds_axis,
    to_svg,
)

CP, MIP = "cp-sat/native", "highs/projected"

SHOWN = {
    "dominoes": "{} dominoes",
    "rules": "only {}",
    "region_sizes": "regions of {}",
    "pips": "pips 0 to {}",
}
"""The names of the points, by experiment."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--out", type=Path, required=True, metavar="DIR")
    arguments = parser.parse_args()
    experiments = {name: read(arguments.folder / f"{name}.csv") for name in SHOWN}
    with default_looks():
        plots = {
            "study_size": (against_size(experiments["dominoes"]), "Time against the number of dominoes"),
            "study_ratio": (forest(ratios(experiments)), "CP-SAT against HiGHS, by kind of board"),
        }
        for name, (figure, title) in plots.items():
            (arguments.out / f"{name}.svg").write_text(to_svg(figure, name, title) + "\n", encoding="utf-8")


def name_rows(plot: Any, names: Sequence[str], margin: float) -> None:
    """Label the rows of a plot with names instead of numbers, the first on top."""
    plot.set_yticks(range(len(names)), names)
    plot.set_ylim(len(names) - 1 + margin, -margin)
    plot.tick_params(axis="y", length=0)
    plot.grid(False, axis="y")


def value_of(point: str) -> str:
    """Return the value of a point: ``20`` of ``dominoes-20``, and ``1..5`` of ``…-1to5``."""
    return point.rpartition("-")[2].removeprefix("0")


def against_size(times: Times) -> Any:
    """Return the plot of median seconds against the number of dominoes."""
    figure, plot = axes(4.2)
    configurations = sorted({name for at in times.values() for name in at})
    styles = palette(configurations)
    points = sorted(times, key=lambda point: int(value_of(point)))
    for name in configurations:
        medians = [np.median(np.concatenate(list(times[point][name].values()))) for point in points]
        plot.plot(
            [int(value_of(point)) for point in points],
            medians,
            **styles[name].line,
            markersize=4,
            linewidth=1.4,
            label=name,
        )
    limit_line(plot, LIMIT)
    seconds_axis(plot.yaxis, "median time (log scale)")
    plot.set_xlabel("dominoes")
    legend(figure, plot, 4)
    return figure


def ratios(experiments: Mapping[str, Times]) -> dict[str, tuple[float, float, float]]:
    """Return for each point the ratio of the times of CP and MIP, with its interval."""
    rng, found = np.random.default_rng(2026), {}
    for experiment, times in experiments.items():
        for point in sorted(times, key=lambda point: (len(value_of(point)), value_of(point))):
            logarithms = per_puzzle(times, point, CP) - per_puzzle(times, point, MIP)
            drawn = rng.choice(logarithms, (SAMPLES, len(logarithms))).mean(axis=1)
            middle, low, high = np.exp([logarithms.mean(), *np.percentile(drawn, [2.5, 97.5])])
            label = SHOWN[experiment].format(value_of(point))
            label = {"1 dominoes": "1 domino", "only none": "no rule"}.get(label, label)
            found[label] = (float(middle), float(low), float(high))
    return found


def forest(found: Mapping[str, tuple[float, float, float]]) -> Any:
    """Return the plot of ratios with their intervals, one row for each."""
    figure, plot = axes(0.9 + 0.24 * len(found))
    for row, (middle, low, high) in enumerate(found.values()):
        colour = FAINT_INK if low <= 1 <= high else PLOT_COLOURS[0] if high < 1 else PLOT_COLOURS[1]
        plot.plot([low, high], [row, row], color=colour, linewidth=2.4)
        plot.plot([middle], [row], color=colour, marker="o", markersize=5)
    plot.axvline(1, color=FAINT_INK, linewidth=0.9, linestyle=(0, (5, 3)))
    name_rows(plot, list(found), 0.6)
    factor_axis(plot.xaxis, f"time of {CP} as a multiple of that of {MIP} (log scale)")
    return figure


if __name__ == "__main__":
    main()
