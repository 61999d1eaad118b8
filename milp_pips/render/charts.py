"""Draw charts as SVG: lines, areas and points over two axes, with the legend beside them."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil, floor, log10

from milp_pips.render.markup import (
    DARK,
    MIDDLE,
    PAPER,
    Figure,
    Pen,
    element,
    number,
    path_through,
    point,
    rect,
    width,
    write,
)
from milp_pips.render.vocabulary import Chart, Curve

CHART_WIDTH, CHART_HEIGHT = 420, 300
"""Pixels of the area between the axes."""

CHART_LEFT, CHART_TOP, CHART_BELOW, LEGEND_GAP = 52, 30, 46, 24
"""Pixels left of the area, above it, below it, and between it and the legend."""

CHART_TICKS = 6
"""About as many numbers are written at each axis."""

FRAME_SECONDS = 1.5
"""How long each frame of a moving chart is shown."""


def chart_figure(chart: Chart) -> Figure:
    """Return the figure. Frames are shown in turn; viewers that do not animate show the last one."""
    shown = [*chart.curves, *(curve for _, curves in chart.frames for curve in curves)]
    points = [place for curve in shown for place in curve.points] or [(0.0, 0.0)]
    spans = [_span([place[axis] for place in points]) for axis in (0, 1)]
    (x_low, x_high, x_step), (y_low, y_high, y_step) = spans

    def at(x: float, y: float) -> complex:
        return complex(
            CHART_LEFT + CHART_WIDTH * (x - x_low) / (x_high - x_low),
            CHART_TOP + CHART_HEIGHT * (y_high - y) / (y_high - y_low),
        )

    elements = [
        rect(CHART_LEFT, CHART_TOP, CHART_WIDTH, CHART_HEIGHT, fill=PAPER, stroke=DARK, stroke_width=1)
    ]
    for low, high, step, across in ((x_low, x_high, x_step, True), (y_low, y_high, y_step, False)):
        for i in range(ceil(low / step - 1e-9), floor(high / step + 1e-9) + 1):
            p = at(i * step, y_low) if across else at(x_low, i * step)
            end = p - CHART_HEIGHT * 1j if across else p + CHART_WIDTH
            elements.append(element("path", d=path_through([p, end]), stroke=MIDDLE, stroke_opacity="0.25"))
            x, y, anchor = (p.real, p.imag + 12, "middle") if across else (p.real - 6, p.imag, "end")
            elements.append(write(x, y, f"{i * step:g}", 12, text_anchor=anchor, fill=MIDDLE))
    middle, right, head = CHART_LEFT + CHART_WIDTH / 2, CHART_LEFT + CHART_WIDTH, CHART_TOP - 14
    elements.append(write(middle, CHART_TOP + CHART_HEIGHT + 32, chart.across, 13, fill=MIDDLE))
    elements.append(write(CHART_LEFT - 40, head, chart.up, 13, text_anchor="start", fill=MIDDLE))
    for curve in chart.curves:
        elements += _curve(curve, at)
    for i, (title, curves) in enumerate(chart.frames):
        last = i == len(chart.frames) - 1
        elements.append(f'<g display="{"inline" if last else "none"}">')
        elements += _turn(i, len(chart.frames))
        elements += [one for curve in curves for one in _curve(curve, at)]
        elements.append(write(right, head, title, 13, text_anchor="end", font_weight="bold", fill=MIDDLE))
        elements.append("</g>")
    legend = {curve.label: curve for curve in reversed(shown) if curve.label}
    left = right + LEGEND_GAP
    for i, curve in enumerate(reversed(legend.values())):
        elements += _key(curve, left, CHART_TOP + 12 + 20 * i)
    room = max((7.3 * width(label) + 34 for label in legend), default=0)
    return Figure(elements, left + room, CHART_TOP + CHART_HEIGHT + CHART_BELOW)


def _turn(i: int, frames: int) -> Iterator[str]:
    """Yield the animation that shows a group in its turn."""
    if frames > 1:
        ends = [i / frames, (i + 1) / frames]
        times = [0.0, *(end for end in ends if 0 < end < 1)]
        values = [("inline" if ends[0] <= time < ends[1] else "none") for time in times]
        keys = ";".join(f"{time:.4f}" for time in times)
        yield (
            f'<animate attributeName="display" dur="{number(FRAME_SECONDS * frames)}s" '
            f'repeatCount="indefinite" calcMode="discrete" keyTimes="{keys}" '
            f'values="{";".join(values)}"/>'
        )


def _curve(curve: Curve, at) -> Iterator[str]:  # type: ignore[no-untyped-def]
    places = [at(x, y) for x, y in curve.points]
    colour = curve.colour or DARK
    if curve.kind == "dots":
        for place in places:
            yield element("circle", cx=place.real, cy=place.imag, r=4, fill=colour)
    elif len(places) == 1:
        yield element("circle", cx=places[0].real, cy=places[0].imag, r=5, fill=colour, fill_opacity="0.5")
    elif places:
        path = path_through(places) + ("Z" if curve.kind == "area" else "")
        fill = {"fill": colour, "fill_opacity": "0.18"} if curve.kind == "area" else {"fill": "none"}
        pen: Pen = {"stroke": colour, "stroke_width": 2, "stroke_linejoin": "round", **fill}
        yield element("path", d=path, **pen, **_dashes(curve))


def _dashes(curve: Curve) -> Pen:
    return {"stroke_dasharray": "6 4"} if curve.kind == "dashes" else {}


def _key(curve: Curve, x: float, y: float) -> Iterator[str]:
    """Yield the line of the legend at (x, y)."""
    if curve.kind in ("area", "dots"):
        half = 7 if curve.kind == "area" else 4
        yield rect(
            x + 9 - half, y - half, 2 * half, 2 * half, rx=half if half == 4 else 2, fill=curve.colour or DARK
        )
    else:
        pen: Pen = {"stroke": curve.colour or DARK, "stroke_width": 2.5, **_dashes(curve)}
        yield element("path", d=f"M{point(x, y)}h18", **pen)
    yield write(x + 26, y, curve.label, 13, text_anchor="start", fill=MIDDLE)


def _span(values: list[float]) -> tuple[float, float, float]:
    """Return the first and last number of an axis, and the distance of the numbers that are written."""
    low, high = min(values), max(values)
    if high - low < 1e-9:
        low, high = max(low - 1, min(low, 0)), high + 1  # negative only where a number is
    rough = (high - low) / CHART_TICKS
    scale = 10.0 ** floor(log10(rough))
    step = next(scale * one for one in (1, 2, 5, 10) if scale * one >= rough)
    margin = 0.04 * (high - low)
    return low - margin, high + margin, step
