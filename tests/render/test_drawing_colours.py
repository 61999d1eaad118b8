from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from milp_pips.render.colours import deep, ink, shade, terminal_colour
from milp_pips.render.vocabulary import GREY, PALETTE, distinct_colours


def contrast(one: str, other: str) -> float:
    def luminance(colour: str) -> float:
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_writing_reads_well_on_every_colour():
    for fill in (*PALETTE, GREY, *(shade(i / 20) for i in range(21))):
        assert contrast(ink(fill), fill) >= 3.9
    for fill in (*PALETTE, GREY):
        assert contrast(ink(fill), fill) >= 6.5
        assert contrast(ink(deep(fill)), deep(fill)) >= 4.5


def test_the_palette_stays_distinct_in_a_terminal():
    assert len({terminal_colour(fill) for fill in (*PALETTE, GREY)}) == len(PALETTE) + 1


@given(st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), max_size=30))
def test_neighbours_get_different_colours(pairs):
    near: dict[int, set[int]] = {i: set() for i in range(13)}
    for i, j in pairs:
        if i != j and len(near[i]) < 8 and len(near[j]) < 8:
            near[i].add(j)
            near[j].add(i)
    colours = distinct_colours(near)
    assert all(colours[i] != colours[j] for i in near for j in near[i])
