"""The options of new Pips puzzles, and how their text is read."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import NamedTuple

from milp_pips.extras.generate.contract import Option, choice_option, number_option
from milp_pips.extras.generate.pips.boards import SYMMETRIES, random_tiling
from milp_pips.extras.generate.pips.regions import PLAIN_STYLE, SETTER_STYLE, Area, Weights
from milp_pips.problem import InputError, UsageError
from milp_pips.problem.rng import RandomGenerator
from milp_pips.puzzles.located import Lines, whole_number
from milp_pips.puzzles.pips.puzzle import LAST_INDEX, MOST_CELLS, MOST_PIPS, Rule
from milp_pips.puzzles.pips.text import NO_CELL, NO_REGION, read_outline
from milp_pips.render.vocabulary import Place, connected_parts

DEFAULT_DOMINOES = 8

UNLIMITED_DOMINOES = -1
"""Stands for the highest pip of a set: any domino, any number of times."""

SETS = {"six": 6, "nine": 9, "twelve": 12, "fifteen": 15, "eighteen": 18}
"""Standard domino sets by name."""


def read_sizes(text: str) -> tuple[int, ...]:
    """Return the sizes in text such as ``2..5`` or ``1,2,4``, in increasing order. Raises UsageError."""
    low, dots, high = text.partition("..")
    numbers = [whole_number(part.strip()) for part in ((low, high) if dots else text.split(","))]
    sizes = [size for size in numbers if size is not None and 1 <= size <= MOST_CELLS]
    if len(sizes) < len(numbers) or (dots and sizes[0] > sizes[1]):
        raise UsageError(f"--region-sizes: {text!r} is neither a range such as 2..5 nor sizes such as 1,2,4")
    return tuple(range(sizes[0], sizes[1] + 1)) if dots else tuple(sorted(set(sizes)))


def read_set(text: str) -> int:
    """Return the highest pip of a set such as ``double-six`` or ``double-7``. Raises UsageError."""
    if text == "free":
        return UNLIMITED_DOMINOES
    word = text.removeprefix("double-")
    highest = SETS.get(word, whole_number(word))
    if word == text or highest is None or not 0 <= highest <= MOST_PIPS:
        raise UsageError(
            f"--set: {text!r} is not a set of dominoes; known: free, double-six, double-nine, double-N"
        )
    return highest


def read_rules(text: str) -> Weights:
    """Return the weights in text such as ``SUM=3,EQ,none=2``; a rule without a number has the weight 1.

    Raises UsageError.
    """
    weights: dict[Rule | None, int] = {}
    for part in text.split(","):
        name, equals, number = (piece.strip() for piece in part.partition("="))
        known = {rule.value: rule for rule in Rule}
        if name.upper() not in known and name.lower() != "none":
            raise UsageError(f"--rules: {name!r} is not a rule; known: {', '.join(known)}, none")
        if equals and not (number.isascii() and number.isdigit() and len(number) < 7):
            raise UsageError(f"--rules: the weight of {name} is {number!r}, not a whole number from 0 on")
        rule = known.get(name.upper())
        if rule in weights:
            raise UsageError(f"--rules: {name} is named twice")
        weights[rule] = int(number) if equals else 1
    return weights


def read_share(text: str) -> int:
    """Return the share of the cells, in percent, in text such as ``all`` or ``60%``. Raises UsageError."""
    share = 100 if text == "all" else whole_number(text.removesuffix("%")) if text.endswith("%") else None
    if share is None or not 0 <= share <= 100:
        raise UsageError(f"--given: {text!r} is neither all nor a share of the cells such as 60%")
    return share


def read_symmetry(text: str) -> str:
    """Return the symmetry of a board in the words of ``SYMMETRIES``. Raises UsageError."""
    if text not in SYMMETRIES:
        raise UsageError(f"--symmetry: {text!r} is not a symmetry; known: {', '.join(SYMMETRIES)}")
    return SYMMETRIES[text]


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
        raise UsageError(
            f"--shape: {name!r} is not a shape; known: {known}; --board takes a picture of 0 and 1"
        )
    return tuple(
        (i, wide * (width - 1 - bit) + part)
        for i, row in enumerate(rows)
        for bit in reversed(range(width))
        if row >> bit & 1
        for part in range(wide)
    )


def read_shape(text: str) -> Outline:
    """Return the open cells of a named shape. Raises UsageError."""
    return Outline(tuple(sorted(cells_of(text))))


def read_board(text: str, file: str) -> Outline:
    """Return the board that a file draws: ``.`` is not a cell, ``#`` an open cell, equal labels are a region.

    Rules may follow as in a puzzle. A picture of 0 and 1 alone has an open cell for each 1. Raises
    InputError, also if dominoes cannot cover the board.
    """
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


options: Sequence[Option] = (
    number_option("dominoes", f"how many dominoes (default: {DEFAULT_DOMINOES})", 1, MOST_CELLS // 2),
    choice_option(
        "style",
        "setter: boards, regions, rules and targets as often as in published puzzles (default); plain: every "
        "size as often as another, on boards cut from a rectangle",
        (SETTER_STYLE, PLAIN_STYLE),
    ),
    Option("set", "SET", "double-six, double-nine, double-N: no domino twice; free (default)", read_set),
    Option("region_sizes", "SIZES", "cells of a region, such as 2..5 or 1,2,4 (default: 1..4)", read_sizes),
    Option(
        "rules",
        "RULES",
        "how often each rule is drawn (default: SUM=5,EQ=4,NEQ=1,LT=1,GT=1,none=1); LE and GE are known, too",
        read_rules,
    ),
    Option(
        "given",
        "SHARE",
        "all or 60%: the pips of this share of cells are given, and there are no other rules; the full set, "
        "double-six if none is named, on its rectangle unless other options say otherwise",
        read_share,
    ),
    number_option("min_pip", "fewest pips on half a domino (default: 0)", 0, MOST_PIPS),
    number_option("max_pip", "most pips on half a domino (default: 6, or what the set has)", 0, MOST_PIPS),
    number_option("rows", "most rows of the board", 1, LAST_INDEX + 1),
    number_option(
        "columns", "most columns; with --rows, a full rectangle unless --dominoes", 1, LAST_INDEX + 1
    ),
    Option(
        "board",
        "FILE",
        "a board drawn in a file: '.' is not a cell, '#' is an open one, equal letters are a region to keep, "
        "and rules that follow are kept, too; so are those of a puzzle, which gets other dominoes; or a "
        "picture of 0 and 1",
        read_board,
        names_a_file=True,
    ),
    Option(
        "shape",
        "NAME",
        f"a board of this shape: {', '.join(BUILT_IN_SHAPES)}, a letter or a digit",
        read_shape,
    ),
    Option("symmetry", "KIND", f"a symmetric board: {', '.join(SYMMETRIES)}", read_symmetry),
)
