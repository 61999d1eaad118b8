"""How every plot looks: colours, axes of seconds, and the way from a figure to SVG."""

from __future__ import annotations

import io
import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple
from xml.etree import ElementTree

from milp_pips.errors import UsageError

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
"""Told apart with any kind of colour vision (Okabe and Ito 2002); their yellow is too pale for lines."""
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
DASHES = ("-", "--", ":", "-.")
INK, FAINT = "#333333", "#8a8a8a"
WIDTH = 7.2
"""Inches of every plot."""
ROOM = 1.35
"""How far above the limit unsolved runs are drawn, as a factor, for the first configuration."""


class Style(NamedTuple):
    """How one configuration is drawn in every plot."""

    colour: str
    marker: str
    dash: str


def palette(configurations: Sequence[str]) -> dict[str, Style]:
    """Return a style for each: after the seven colours, the same ones with other dashes and markers."""
    return {
        name: Style(
            COLOURS[n % len(COLOURS)],
            MARKERS[(n + n // len(COLOURS)) % len(MARKERS)],
            DASHES[n // len(COLOURS) % len(DASHES)],
        )
        for n, name in enumerate(dict.fromkeys(configurations))
    }


def require_matplotlib() -> None:
    """Raise UsageError with what to install if plots cannot be drawn here."""
    try:
        import matplotlib.figure  # noqa: F401
    except ImportError:
        raise UsageError("plots need matplotlib: pip install 'milp-pips[report]'") from None


@contextmanager
def same_looks() -> Iterator[None]:
    """Draw with Matplotlib's own defaults, whatever a person has chosen, so that reports look alike."""
    import matplotlib

    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "milp_pips"})
        yield


def axes(height: float = 3.9, width: float = WIDTH) -> tuple[Any, Any]:
    """Return a new figure with one pair of axes, without a frame to the top and right."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    plot = figure.add_subplot()
    plot.spines[["top", "right"]].set_visible(False)
    plot.spines[["left", "bottom"]].set_color(FAINT)
    plot.tick_params(colors=INK, which="both", color=FAINT)
    plot.grid(True, color="#e6e6e6", linewidth=0.7)
    plot.set_axisbelow(True)
    return figure, plot


def seconds_axis(axis: Any, label: str, end: float = math.inf) -> None:
    """Make an axis logarithmic and label it in units of time up to the end, where times stop."""
    from matplotlib.ticker import LogLocator

    _logarithmic(axis, 10)
    low, high = axis.get_view_interval()
    if high < 100 * low:  # else there might be no label at all
        axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axis.set_major_formatter(lambda value, _: limit(value) if value < 1.01 * end else "")
    axis.set_minor_formatter(lambda *_: "")
    axis.set_label_text(label)


def factor_axis(axis: Any, label: str) -> None:
    """Make an axis logarithmic and label it in multiples."""
    _logarithmic(axis, 2)
    axis.set_major_formatter(lambda value, _: f"{value:g}×")
    axis.set_minor_formatter(lambda *_: "")
    axis.set_label_text(label)


def _logarithmic(axis: Any, base: int) -> None:
    scale = axis.axes.set_xscale if axis.axis_name == "x" else axis.axes.set_yscale
    scale("log", base=base)


def duration(seconds: float) -> str:
    """Return a measured time with its unit and two or three digits: ``1.8 ms``, ``125 ms``, ``13.0 s``."""
    if seconds < 0.9995:
        return f"{1000 * seconds:.{0 if seconds >= 0.00995 else 1}f} ms"
    return f"{digits(seconds)} s"


def limit(seconds: float) -> str:
    """Return a time that was set, not measured: ``10 s``."""
    return f"{1000 * seconds:g} ms" if seconds < 1 else f"{seconds:,g} s"


def multiple(ratio: float) -> str:
    """Return a ratio of times as ``1.93×``; ``∞`` where the one has no time."""
    return "∞" if math.isinf(ratio) else f"{digits(ratio)}×"


def digits(value: float) -> str:
    """Return a number with three digits, or all those before the point."""
    return f"{value:,.{min(3, max(0, 2 - math.floor(math.log10(value)))) if value else 2}f}"


def limit_line(plot: Any, seconds: float, horizontal: bool = True) -> None:
    """Draw the time limit as a thin dashed line, and write it there."""
    (plot.axhline if horizontal else plot.axvline)(seconds, color=FAINT, linewidth=0.9, linestyle=(0, (5, 3)))
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
    """Return the figure as one ``svg`` element that can stand in a page or in a file.

    Identifiers carry the name, so that several figures can share a page. The text is text, not outlines.
    """
    stream = io.StringIO()
    figure.savefig(stream, format="svg", metadata={"Date": None, "Creator": None})
    return _stand_alone(stream.getvalue(), name, title)


def _stand_alone(text: str, name: str, title: str) -> str:
    svg, xlink = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"
    ElementTree.register_namespace("", svg)
    ElementTree.register_namespace("xlink", xlink)
    root = ElementTree.fromstring(text)
    for metadata in root.findall(f"{{{svg}}}metadata"):
        root.remove(metadata)
    for element in root.iter():
        for key, value in element.attrib.items():
            if key == "id":
                element.set(key, f"{name}-{value}")
            elif key == f"{{{xlink}}}href":
                element.set(key, value.replace("#", f"#{name}-"))
            else:
                element.set(key, value.replace("url(#", f"url(#{name}-"))
    root.set("role", "img")
    heading = ElementTree.Element(f"{{{svg}}}title")
    heading.text = title
    root.insert(0, heading)
    return ElementTree.tostring(root, encoding="unicode")
