"""The common look of all plots: colours, axes of seconds, and the conversion of figures to SVG."""

from __future__ import annotations

import io
import math
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from milp_pips.extras.bench.figures import Benchmark
from milp_pips.extras.bench.report.phrasing import MIN_SECONDS, limit

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
    _make_logarithmic(axis, 10, label)
    low, high = axis.get_view_interval()
    if high < 100 * low:  # otherwise there might be no label at all
        axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axis.set_major_formatter(lambda value, _: limit(value) if value < 1.01 * end else "")


def factor_axis(axis: Any, label: str) -> None:
    """Make an axis logarithmic and label it in multiples."""
    _make_logarithmic(axis, 2, label)
    axis.set_major_formatter(lambda value, _: f"{value:g}×")


def _make_logarithmic(axis: Any, base: int, label: str) -> None:
    scale = axis.axes.set_xscale if axis.axis_name == "x" else axis.axes.set_yscale
    scale("log", base=base)
    axis.set_minor_formatter(lambda *_: "")
    axis.set_label_text(label)


def name_rows(plot: Any, names: Sequence[str], margin: float) -> None:
    """Label the rows of a plot with names instead of numbers, the first on top."""
    plot.set_yticks(range(len(names)), names)
    plot.set_ylim(len(names) - 1 + margin, -margin)
    plot.tick_params(axis="y", length=0)
    plot.grid(False, axis="y")


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
    (plot.axhline if horizontal else plot.axvline)(
        seconds, color=FAINT_INK, linewidth=0.9, linestyle=(0, (5, 3))
    )
    place, data, away, align = (
        ((0, seconds), ("axes fraction", "data"), (3, 3), "left")
        if horizontal
        else ((seconds, 1), ("data", "axes fraction"), (0, 3), "center")
    )
    plot.annotate(
        f"limit {limit(seconds)}",
        place,
        away,
        xycoords=data,
        textcoords="offset points",
        ha=align,
        fontsize=8,
        color=INK,
        annotation_clip=True,
    )


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
