"""Colours as ``#rrggbb``: shades for numbers, colours of text on a fill, and the nearest terminal colours."""

from __future__ import annotations

import colorsys
from collections.abc import Iterable

_DARK, _LIGHT = "#22252b", "#ffffff"
_SHADES = ("#eef4fb", "#8fc1e3", "#2c7bba", "#0b3c73")


def shade(fraction: float) -> str:
    """Return a colour for a number from 0 (pale) to 1 (dark)."""
    position = min(max(fraction, 0.0), 1.0) * (len(_SHADES) - 1)
    i = min(int(position), len(_SHADES) - 2)
    low, high = _channels(_SHADES[i]), _channels(_SHADES[i + 1])
    return _hex(a + (b - a) * (position - i) for a, b in zip(low, high, strict=True))


def ink(fill: str) -> str:
    """Return the text colour for ``fill``: dark or light, the one with more contrast (WCAG 2)."""
    ground = _luminance(fill)
    dark, light = _luminance(_DARK), _luminance(_LIGHT)
    return _DARK if (ground + 0.05) / (dark + 0.05) >= (light + 0.05) / (ground + 0.05) else _LIGHT


def deep(fill: str) -> str:
    """Return a dark colour of the same hue, on which light text is readable."""
    hue, _, saturation = colorsys.rgb_to_hls(*(channel / 255 for channel in _channels(fill)))
    darker = colorsys.hls_to_rgb(hue, 0.33, min(saturation, 0.55))
    return _hex(255 * channel for channel in darker)


def is_grey(fill: str) -> bool:
    """Return whether the fill looks almost the same in black and white."""
    _, _, saturation = colorsys.rgb_to_hls(*(channel / 255 for channel in _channels(fill)))
    return saturation < 0.12


def terminal_colour(fill: str) -> int:
    """Return the nearest of the 256 terminal colours, from the 6 x 6 x 6 cube or the greys."""
    wanted = _channels(fill)
    steps = (0, 95, 135, 175, 215, 255)
    near = [min(range(6), key=lambda i: abs(steps[i] - channel)) for channel in wanted]
    cube = (16 + 36 * near[0] + 6 * near[1] + near[2], tuple(steps[i] for i in near))
    grey = min(range(24), key=lambda i: abs(8 + 10 * i - sum(wanted) / 3))
    choices = (cube, (232 + grey, (8 + 10 * grey,) * 3))
    return min(choices, key=lambda c: sum((a - b) ** 2 for a, b in zip(c[1], wanted, strict=True)))[0]


def _channels(colour: str) -> tuple[int, int, int]:
    """Return red, green and blue; those of paper for a pattern, ``url(#name)``."""
    if colour.startswith("url("):
        return 255, 255, 255
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def _hex(channels: Iterable[float]) -> str:
    return "#" + "".join(f"{round(channel):02x}" for channel in channels)


def _luminance(colour: str) -> float:
    red, green, blue = (
        channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4
        for channel in (part / 255 for part in _channels(colour))
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
