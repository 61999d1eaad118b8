"""The plots of a benchmark: all times, two configurations, times by size."""

from __future__ import annotations

import io
import math
import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from milp_pips.extras.bench.figures import Benchmark, limit

MIN_SECONDS = 1e-6
"""The least seconds that every time counts, so that it has a logarithm: the resolution of the clock."""

# The common look of all plots: colours, axes of seconds, and the conversion of figures to SVG.

PLOT_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
"""Distinguishable with any colour vision (Okabe and Ito 2002); their yellow is too pale for lines."""
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
DASHES = ("-", "--", ":", "-.")
INK, FAINT_INK = "#333333", "#8a8a8a"
PLOT_WIDTH = 7.2
"""The width of every plot in inches: as wide as the page's text."""
BEYOND = 1.35
"""The factor above the limit at which unsolved puzzles are drawn: near the limit, but clear of its line."""


class Style(NamedTuple):
    """The style of one configuration in every plot."""

    colour: str
    marker: str
    dash: str

    @property
    def line(self) -> dict[str, str]:
        """The style as Matplotlib's arguments for a line with marks."""
        return {"color": self.colour, "linestyle": self.dash, "marker": self.marker}


def palette(configurations: Sequence[str]) -> dict[str, Style]:
    """Return a style for each: the seven colours first, then the same with other dashes and markers."""
    return {
        name: Style(
            PLOT_COLOURS[n % len(PLOT_COLOURS)],
            MARKERS[(n + n // len(PLOT_COLOURS)) % len(MARKERS)],
            DASHES[n // len(PLOT_COLOURS) % len(DASHES)],
        )
        for n, name in enumerate(dict.fromkeys(configurations))
    }


@contextmanager
def default_looks() -> Iterator[None]:
    """Draw with Matplotlib's own defaults, ignoring personal settings, so that all reports look alike."""
    import matplotlib

    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "milp_pips"})
        yield


LIMIT_FACTOR = 3.0
"""The limit is drawn if times come within this factor of it."""


def axes(height: float = 3.9, width: float = PLOT_WIDTH) -> tuple[Any, Any]:
    """Return a new figure with one pair of axes, without a frame at the top and right."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    plot = figure.add_subplot()
    plot.spines[["top", "right"]].set_visible(False)
    plot.spines[["left", "bottom"]].set_color(FAINT_INK)
    plot.tick_params(colors=INK, which="both", color=FAINT_INK)
    plot.grid(True, color="#e6e6e6", linewidth=0.7)
    plot.set_axisbelow(True)
    return figure, plot


def ceiling(benchmark: Benchmark) -> float:
    """Return the seconds at which plots show unsolved instances: the limit, positive for the log scale."""
    return max(benchmark.time_limit, MIN_SECONDS)


def seconds_axis(axis: Any, label: str, end: float = math.inf) -> None:
    """Make an axis logarithmic and label it in units of time up to ``end``, the end of the times."""
    from matplotlib.ticker import LogLocator

    data = axis.axes.dataLim
    least, most = (data.xmin, data.xmax) if axis.axis_name == "x" else (data.ymin, data.ymax)
    if 0 < most < 1.5 * least:  # the range is too small to show
        (axis.axes.set_xlim if axis.axis_name == "x" else axis.axes.set_ylim)(least / 2, 2 * most)
    (axis.axes.set_xscale if axis.axis_name == "x" else axis.axes.set_yscale)("log")
    axis.set_minor_formatter(lambda *_: "")
    axis.set_label_text(label)
    low, high = axis.get_view_interval()
    if high < 100 * low:  # otherwise there might be no label at all
        axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axis.set_major_formatter(lambda value, _: limit(value) if value < 1.01 * end else "")


def write_at(
    plot: Any, text: str, place: tuple[float, float], size: float = 8.5, *, to_the_left: bool = False
) -> None:
    """Write a small text to the right of a point, or to its left."""
    plot.annotate(
        text,
        place,
        (-6 if to_the_left else 6, 0),
        textcoords="offset points",
        ha="right" if to_the_left else "left",
        va="center",
        fontsize=size,
        color=INK,
        annotation_clip=False,
    )


def limit_line(plot: Any, seconds: float, horizontal: bool = True) -> None:
    """Draw the time limit as a thin dashed line with a label, if the data come near it.

    A limit far from the data would compress them, so it is left out.
    """
    highest = plot.dataLim.ymax if horizontal else plot.dataLim.xmax
    if highest * LIMIT_FACTOR < seconds:
        return
    dashed = {"color": FAINT_INK, "linewidth": 0.9, "linestyle": (0, (5, 3))}
    words, look = f"limit {limit(seconds)}", {"fontsize": 8, "color": INK, "va": "bottom"}
    if horizontal:
        plot.axhline(seconds, **dashed)
        plot.text(0.01, seconds, words, transform=plot.get_yaxis_transform(), ha="left", **look)
    else:
        plot.axvline(seconds, **dashed)
        plot.text(seconds, 1.01, words, transform=plot.get_xaxis_transform(), ha="center", **look)


def legend(figure: Any, plot: Any, columns: int = 2) -> None:
    """Put the legend under the plot, where it hides nothing; the figure grows by its height."""
    handles, labels = plot.get_legend_handles_labels()
    if handles:
        width, height = figure.get_size_inches()
        figure.set_size_inches(width, height + 0.19 * math.ceil(len(handles) / columns))
        figure.legend(handles, labels, loc="outside lower left", ncols=columns, frameon=False, fontsize=9)


def to_svg(figure: Any, name: str, title: str) -> str:
    """Return the figure as one ``svg`` element for a page or a file.

    Identifiers contain the name, so that several figures can share a page. The text is text, not outlines.
    """
    stream = io.StringIO()
    nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
    figure.savefig(stream, format="svg", metadata={"Title": title, **nothing})
    text = stream.getvalue()
    text = text[text.index("<svg") :].replace("<svg", '<svg role="img"', 1).rstrip()
    named = re.compile(r'(\bid="|"#|\(#)')
    return re.sub("<[^>]*>", lambda tag: named.sub(rf"\g<1>{name}-", tag[0]), text)


# The plots.

BINS = 10
"""The number of classes, each with about as many puzzles, into which sizes are sorted if there are more
sizes: with the 30 to 100 puzzles of a usual comparison, each class has a median."""

POINTS = 4000
"""The most times shown as points: more would hide one another, and make the page heavy."""


def cactus(benchmark: Benchmark, styles: Mapping[str, Style]) -> Any:
    """Return the plot of how many instances each configuration solves within a time per instance."""
    figure, plot = axes(3.5)
    shared = benchmark.shared
    for name in benchmark.configurations:
        times = np.sort(shared[name][np.isfinite(shared[name])])
        plot.plot(
            np.arange(1, len(times) + 1),
            np.maximum(times, MIN_SECONDS),
            **styles[name].line,
            markersize=3.5,
            markevery=max(1, len(times) // 25),
            linewidth=1.4,
            label=f"{name}: {len(times)} of {len(shared)}",
        )
    plot.set_xlim(0, len(shared) * 1.02)
    plot.xaxis.get_major_locator().set_params(integer=True)
    plot.set_xlabel("puzzles solved")
    limit_line(plot, ceiling(benchmark))
    seconds_axis(plot.yaxis, "time for each (log scale)")
    legend(figure, plot)
    return figure


WORST, APART = 6, 2.0
"""The number of puzzles of two configurations that are named, and the least ratio between their times."""


def largest_differences(benchmark: Benchmark, first: str, second: str) -> list[int]:
    """Return the instances on which two configurations differ most, the largest ratio of times first.

    An unsolved instance counts as the limit.
    """
    times = benchmark.times[[first, second]].clip(MIN_SECONDS, ceiling(benchmark))
    apart = np.abs(np.log(times[first] / times[second]))
    return [int(number) for number in apart[apart > np.log(APART)].nlargest(WORST).index]


def head_to_head(benchmark: Benchmark, first: str, second: str, styles: Mapping[str, Style]) -> Any:
    """Return the plot of two configurations, one point per instance; below the diagonal the first is slower.

    Unsolved instances lie beyond the line of the limit.
    """
    figure, plot = axes(5.0, 5.2)
    top = ceiling(benchmark)
    beyond = top * BEYOND
    times = benchmark.times[[first, second]].dropna().clip(lower=MIN_SECONDS).replace(math.inf, beyond)
    x, y = times[first], times[second]
    missed = (times == beyond).any(axis=1)
    for side, quicker in ((first, x < y), (second, y < x)):
        style = styles[side]
        look = {"color": style.colour, "alpha": 0.75, "clip_on": False, "zorder": 3}
        for those, marker, size in ((~missed, style.marker, 22), (missed, "x", 26)):
            shown = times[those & quicker]
            width = 1.2 if marker == "x" else 0
            plot.scatter(shown[first], shown[second], s=size, marker=marker, linewidths=width, **look)
    tied = times[x == y]
    plot.scatter(tied[first], tied[second], s=26, marker="x", color=INK, linewidths=1.2, zorder=3)
    low = times.min(axis=None) / 1.5
    high = beyond * 1.25 if missed.any() else times.max(axis=None) * 1.5
    named: list[Any] = []
    for number in largest_differences(benchmark, first, second):
        name, point = benchmark.instances.title[number], (x[number], y[number])
        place = np.log(np.array(point) / low) / np.log(high / low)
        # The left is where no points are, if there is room.
        to_the_left = point[0] < point[1] and place[0] > 0.015 * len(name)
        if all(np.abs(place - other) @ (1, 6) > 0.3 for other in named):  # otherwise names would overlap
            write_at(plot, name, point, 7, to_the_left=to_the_left)
            named.append(place)
    plot.plot([low, high], [low, high], color=FAINT_INK, linewidth=0.9)
    plot.set_xlim(low, high)
    plot.set_ylim(low, high)
    for axis, name in ((plot.xaxis, first), (plot.yaxis, second)):
        seconds_axis(axis, f"{textwrap.fill(name, 50)}\ntime (log scale)", top)
        axis.label.set(color=styles[name].colour, fontsize=9)
    plot.set_aspect("equal")
    limit_line(plot, top)
    limit_line(plot, top, horizontal=False)
    return figure


def against_size(benchmark: Benchmark, styles: Mapping[str, Style]) -> Any:
    """Return the plot of time against cells: every puzzle, and the medians of puzzles of similar size."""
    from matplotlib.ticker import LogLocator

    figure, plot = axes(3.9)
    sizes, top = benchmark.instances["size"].astype(float), ceiling(benchmark)
    classes = pd.qcut(sizes, BINS, labels=False, duplicates="drop") if sizes.nunique() > BINS else sizes
    step = min(BEYOND, 10 ** (1 / len(benchmark.configurations)))
    for number, name in enumerate(benchmark.configurations):
        column, style = benchmark.times[name], styles[name]
        solved, missed = np.isfinite(column), np.isposinf(column)
        if benchmark.times.size <= POINTS:
            shown = np.maximum(column[solved], MIN_SECONDS)
            look = {"marker": style.marker, "color": style.colour, "alpha": 0.3, "linewidths": 0}
            plot.scatter(sizes[solved], shown, s=9, **look)
        height = np.full(missed.sum(), top * step ** (number + 1))
        plot.scatter(sizes[missed], height, s=22, marker="x", color=style.colour, linewidths=1.2)
        medians = column.groupby(classes).median().clip(MIN_SECONDS, top)
        plot.plot(sizes.groupby(classes).median(), medians, **style.line, markersize=5, label=name)
    if sizes.max() > 10 * sizes.min() > 0:
        plot.set_xscale("log")
        plot.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        plot.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
        plot.xaxis.set_minor_formatter(lambda *_: "")
    else:
        plot.xaxis.get_major_locator().set_params(integer=True)
    plot.set_xlabel("cells of the puzzle" + (" (log scale)" if plot.get_xscale() == "log" else ""))
    limit_line(plot, top)
    seconds_axis(plot.yaxis, "time (log scale)", top)
    legend(figure, plot)
    return figure
