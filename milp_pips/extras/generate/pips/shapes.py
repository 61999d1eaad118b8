"""The shapes of boards that have names: a few figures, and letters and digits of 3 by 5 points."""

from __future__ import annotations

from milp_pips.problem.errors import UsageError
from milp_pips.render.vocabulary import Place

BUILT_IN_SHAPES = {
    "heart": "66 FF FF 7E 3C 18",
    "small-heart": "33 3F 1E 0C",
    "cross": "0C 0C 3F 3F 0C 0C",
    "ring": "1E 3F 33 33 3F 1E",
    "diamond": "0C 1E 3F 3F 1E 0C",
}
"""The rows of each figure, as hexadecimal numbers whose binary digits are the cells."""

GLYPHS = (
    "A75755 B65756 C74447 E74747 F74744 G74577 H55755 I72227 J11157 L44447 O75557 P75744 "
    "S74717 T72222 U55557 Y55722 075557 126227 271747 371717 455711 574717 674757 771111 875757 975717"
)
"""The letters and digits whose points are connected: each with its rows as octal digits."""


def cells_of(name: str) -> tuple[Place, ...]:
    """Return the cells of a named shape; a point of a letter is two cells side by side. Raises UsageError."""
    glyphs = {glyph[0]: glyph[1:] for glyph in GLYPHS.split()}
    if name in BUILT_IN_SHAPES:
        rows = [int(row, 16) for row in BUILT_IN_SHAPES[name].split()]
        width, wide = max(row.bit_length() for row in rows), 1
    elif name.upper() in glyphs:
        rows, width, wide = [int(row, 8) for row in glyphs[name.upper()]], 3, 2
    else:
        known = f"{', '.join(BUILT_IN_SHAPES)}, and the letters and digits {''.join(glyphs)}"
        raise UsageError(f"--shape: {name!r} is no shape; known: {known}; --board takes a picture of 0 and 1")
    return tuple(
        (i, wide * (width - 1 - bit) + part)
        for i, row in enumerate(rows)
        for bit in reversed(range(width))
        if row >> bit & 1
        for part in range(wide)
    )
