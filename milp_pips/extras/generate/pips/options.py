"""The options of new Pips puzzles, and how their text is read."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple, cast

from milp_pips.extras.generate.pips.boards import SYMMETRIES, random_tiling
from milp_pips.extras.generate.pips.regions import (
    FREE_REGION,
    PLAIN_STYLE,
    SETTER_STYLE,
    STYLES,
    Area,
    Weights,
)
from milp_pips.problem import InputError
from milp_pips.problem.parameters import Parameter, one_of, text_form, whole
from milp_pips.problem.rng import RandomGenerator
from milp_pips.puzzles.located import Lines
from milp_pips.puzzles.pips.puzzle import LAST_INDEX, MOST_CELLS
from milp_pips.puzzles.pips.rules import MOST_PIPS, Rule
from milp_pips.puzzles.pips.text import NO_CELL, NO_REGION, read_outline
from milp_pips.puzzles.reading import text_of
from milp_pips.render.vocabulary import Place, connected_parts

DEFAULT_DOMINOES = 8

UNLIMITED_DOMINOES = -1
"""Stands for the highest pip of a set: any domino, any number of times."""

SETS = {"six": 6, "nine": 9, "twelve": 12, "fifteen": 15, "eighteen": 18}
"""Standard domino sets by name."""


def read_sizes(text: str) -> tuple[int, ...]:
    """Return the sizes in text such as ``2..5`` or ``1,2,4``, in increasing order. Raises ValueError."""
    low, dots, high = text.partition("..")
    sizes = range(int(low), int(high) + 1) if dots else sorted(set(map(int, text.split(","))))
    if not sizes or not 1 <= sizes[0] <= sizes[-1] <= MOST_CELLS:
        raise ValueError
    return tuple(sizes)


def read_set(text: str) -> int:
    """Return the highest pip of a set such as ``double-six`` or ``double-7``. Raises ValueError."""
    if text == "free":
        return UNLIMITED_DOMINOES
    word = text.removeprefix("double-")
    highest = SETS[word] if word in SETS else int(word)
    if word == text or not 0 <= highest <= MOST_PIPS:
        raise ValueError
    return highest


KNOWN_RULES: Mapping[str, Rule | None] = {**{rule.value: rule for rule in Rule}, "NONE": None}
DRAWN_RULES = cast("Mapping[str, int]", STYLES[PLAIN_STYLE]["areas"]["1"])
DRAWN_WEIGHTS = ",".join(f"{rule}={n}" for rule, n in DRAWN_RULES.items()).replace(FREE_REGION, "none")


def read_rules(text: str) -> Weights:
    """Return the weights in text such as ``SUM=3,EQ,none=2``; a rule without a number has the weight 1.

    Raises ValueError.
    """
    weights: dict[Rule | None, int] = {}
    for part in text.split(","):
        name, equals, number = (piece.strip() for piece in part.partition("="))
        weight = int(number) if equals else 1
        if name.upper() not in KNOWN_RULES or KNOWN_RULES[name.upper()] in weights or not 0 <= weight < 10**6:
            raise ValueError
        weights[KNOWN_RULES[name.upper()]] = weight
    if not any(weights.values()):
        raise ValueError
    return weights


def read_share(text: str) -> int:
    """Return the share of the cells, in percent, in text such as ``all`` or ``60%``. Raises ValueError."""
    share = 100 if text == "all" else int(text[:-1])
    if not (text == "all" or text.endswith("%")) or not 0 <= share <= 100:
        raise ValueError
    return share


# A board drawn in a file, with those regions and rules that new puzzles are to keep.


class Outline(NamedTuple):
    """Cells, the regions drawn among them, and the rules stated for some of these; all else is open."""

    cells: tuple[Place, ...] = ()
    regions: tuple[tuple[Place, ...], ...] = ()
    ruled: tuple[Area, ...] = ()

    @property
    def open_cells(self) -> list[Place]:
        """The cells in no region."""
        inside = {cell for region in self.regions for cell in region}
        return [cell for cell in self.cells if cell not in inside]

    def rule_of(self, region: Collection[Place]) -> Area | None:
        """Return the region with the rule that is stated for it, None if there is none."""
        return next((area for area in self.ruled if set(area.cells) == set(region)), None)


EMPTY_OUTLINE = Outline()

PICTURE = re.compile(r"[01\s]*")
"""A text of 0 and 1 alone."""


# The shapes that have names: a few figures, and letters and digits of 3 by 5 points.

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


def read_shape(name: str) -> Outline:
    """Return the open cells of a named shape; a point of a letter is two cells side by side.

    Raises ValueError.
    """
    glyphs = {glyph[0]: glyph[1:] for glyph in GLYPHS.split()}
    if name in BUILT_IN_SHAPES:
        rows = [int(row, 16) for row in BUILT_IN_SHAPES[name].split()]
        width, wide = max(row.bit_length() for row in rows), 1
    elif name.upper() in glyphs:
        rows, width, wide = [int(row, 8) for row in glyphs[name.upper()]], 3, 2
    else:
        raise ValueError
    points = [(i, bit) for i, row in enumerate(rows) for bit in range(width) if row >> bit & 1]
    return Outline(
        tuple(sorted((i, wide * (width - 1 - b) + part) for i, b in points for part in range(wide)))
    )


def read_board(file: str) -> Outline:
    """Return the board that a file draws: ``.`` is not a cell, ``#`` an open cell, equal labels are a region.

    Rules may follow as in a puzzle. A picture of 0 and 1 alone has an open cell for each 1. Raises
    InputError, also if dominoes cannot cover the board.
    """
    text = text_of(file)
    if PICTURE.fullmatch(text):
        text = text.translate({ord("0"): NO_CELL, ord("1"): NO_REGION})
    board, rules = read_outline(text, file)
    cells = tuple(sorted(board))
    if max(max(cell) for cell in cells) > LAST_INDEX:
        raise InputError(
            "the board is too large", file, expected=f"at most {LAST_INDEX + 1} rows and columns"
        )
    if len(cells) % 2:
        expected = "an even number, two for each domino"
        raise Lines(text, file).fault(f"the board has {len(cells)} cells", expected)
    if random_tiling(cells, RandomGenerator("")) is None:
        raise InputError("dominoes cannot cover this board", file)
    by_label: dict[str, list[Place]] = {}
    for cell in cells:
        if board[cell] != NO_REGION:
            by_label.setdefault(board[cell], []).append(cell)
    for label, region in by_label.items():
        if len(connected_parts(region)) > 1:
            raise InputError(f"region {label} is not connected", file, expected="cells that share sides")
    ruled = tuple(Area(tuple(by_label[label]), *rule) for label, rule in rules.items())
    return Outline(cells, tuple(map(tuple, by_label.values())), ruled)


SHAPES = f"{', '.join(BUILT_IN_SHAPES)}, and the letters and digits {''.join(g[0] for g in GLYPHS.split())}"

options: Sequence[Parameter] = (
    Parameter("--dominoes N", f"how many dominoes (default: {DEFAULT_DOMINOES})", whole(1, MOST_CELLS // 2)),
    Parameter(
        "--style KIND",
        "setter: boards, regions, rules and targets as often as in published puzzles (default); plain: every "
        "size as often as another, on boards cut from a rectangle",
        one_of((SETTER_STYLE, PLAIN_STYLE)),
    ),
    Parameter(
        "--set SET",
        "double-six, double-nine, double-N: no domino twice; free (default)",
        text_form("a set of dominoes; known: free, double-six, double-nine, double-N", read_set),
    ),
    Parameter(
        "--region-sizes SIZES",
        "cells of a region, such as 2..5 or 1,2,4 (default: 1..4)",
        text_form("a range such as 2..5, nor sizes such as 1,2,4", read_sizes),
    ),
    Parameter(
        "--rules RULES",
        f"how often each rule is drawn (default: {DRAWN_WEIGHTS}); "
        f"{', '.join(rule for rule in Rule if rule not in DRAWN_RULES)} are known, too",
        text_form(
            "a list of rules, each once, with weights such as SUM=5,EQ,none=2, not all 0; known: "
            f"{', '.join(rule.value for rule in Rule)}, none",
            read_rules,
        ),
    ),
    Parameter(
        "--given SHARE",
        "all or 60%: the pips of this share of cells are given, and there are no other rules; the full set, "
        "double-six if none is named, on its rectangle unless other options say otherwise",
        text_form("all, nor a share of the cells such as 60%", read_share),
    ),
    Parameter("--min-pip N", "fewest pips on half a domino (default: 0)", whole(0, MOST_PIPS)),
    Parameter(
        "--max-pip N", "most pips on half a domino (default: 6, or what the set has)", whole(0, MOST_PIPS)
    ),
    Parameter("--rows N", "most rows of the board", whole(1, LAST_INDEX + 1)),
    Parameter(
        "--columns N",
        "most columns; with --rows, a full rectangle unless --dominoes",
        whole(1, LAST_INDEX + 1),
    ),
    Parameter(
        "--board FILE",
        "a board drawn in a file: '.' is not a cell, '#' is an open one, equal letters are a region to keep, "
        "and rules that follow are kept, too; so are those of a puzzle, which gets other dominoes; or a "
        "picture of 0 and 1",
        text_form("a board", read_board),
    ),
    Parameter(
        "--shape NAME",
        f"a board of this shape: {', '.join(BUILT_IN_SHAPES)}, a letter or a digit",
        text_form(f"a shape; known: {SHAPES}; --board takes a picture of 0 and 1", read_shape),
    ),
    Parameter("--symmetry KIND", f"a symmetric board: {', '.join(SYMMETRIES)}", one_of(SYMMETRIES)),
)
