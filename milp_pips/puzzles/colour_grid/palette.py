"""The colours that a file can call by name, and which colour a letter without a name is drawn in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from milp_pips.drawing import PALETTE

if TYPE_CHECKING:
    from milp_pips.puzzles.colour_grid.puzzle import Colour

NAMED = {
    "red": "#ea6b5d",
    "green": "#7cc36a",
    "blue": "#6c9df0",
    "yellow": "#f7dc5a",
    "orange": "#f5a54a",
    "purple": "#b184dd",
    "pink": "#f5a9c9",
    "white": "#ffffff",
    "black": "#33363d",
    "grey": "#b9bab6",
    "gray": "#b9bab6",
    "brown": "#b07f5a",
    "cyan": "#74d4dd",
    "magenta": "#e178c5",
}
"""Name → ``#rrggbb``, in shades that letters can be read on."""


def fills(colours: Sequence[Colour]) -> dict[str, str]:
    """Return the ``#rrggbb`` of every letter.

    A letter without a name takes the first colour of that initial, else one of the palette, as long as
    another letter has not taken it.
    """
    found = {c.letter: NAMED.get(c.name, c.name) for c in colours if c.name}
    for colour in colours:
        if not colour.name:
            alike = [fill for name, fill in NAMED.items() if name[0] == colour.letter.lower()]
            free = [fill for fill in (*alike, *PALETTE) if fill not in found.values()]
            found[colour.letter] = free[0] if free else PALETTE[len(found) % len(PALETTE)]
    return found
