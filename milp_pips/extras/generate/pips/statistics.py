"""Statistics of puzzles, and the distance between two tables of statistics.

They count the sizes and rules of regions, the targets of sums, and the shapes of boards.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TypeAlias, cast

from milp_pips.puzzles.pips.puzzle import Pips, Rule
from milp_pips.render.vocabulary import Place, connected_parts

Figures: TypeAlias = Mapping[str, Mapping[str, int]]
"""For each figure, the number of occurrences of each of its cases.

``areas`` counts regions by size and rule, such as ``2 SUM``, and cells without a rule as ``1 free``; ``sums``
the targets of sums of several cells, from ``least`` (all blank) to ``most``; ``aspect``, ``fill``, ``holes``
and ``symmetry`` the boards; ``dominoes`` those that are doubles; ``repeats`` the puzzles in which a domino
occurs twice.
"""

FREE_REGION = "free"
"""The name for "no rule"."""

ASPECTS = {1.1: "square", 1.5: "up to 3:2", 2.0: "up to 2:1", float("inf"): "longer"}
FILL_CLASSES = {0.5: "up to 1/2", 2 / 3: "up to 2/3", 5 / 6: "up to 5/6", 0.99: "nearly full", 1.0: "full"}
"""The share of its rectangle that a board fills."""
SUM_CLASSES = {0.0: "least", 1 / 3: "low", 2 / 3: "middle", 0.99: "high", 1.0: "most"}
"""The position of a target between the least and the greatest sum of its cells."""


def figures_of(puzzles: Iterable[Pips]) -> Figures:
    """Return the figures of puzzles on grids whose pips range from 0 to 6."""
    found: dict[str, Counter[str]] = {
        name: Counter()
        for name in ("areas", "sums", "aspect", "fill", "holes", "symmetry", "dominoes", "repeats")
    }
    for puzzle in puzzles:
        found["areas"].update(_areas(puzzle))
        found["sums"].update(_sums(puzzle))
        for name, case in shape_of(cast("tuple[Place, ...]", puzzle.cells)).items():
            found[name][case] += 1
        found["dominoes"].update("double" if a == b else "other" for a, b in puzzle.dominoes)
        kinds = {(min(d), max(d)) for d in puzzle.dominoes}
        found["repeats"]["some" if len(kinds) < len(puzzle.dominoes) else "none"] += 1
    return found


def shape_of(cells: Iterable[Place]) -> dict[str, str]:
    """Return aspect, fill, holes and symmetry of a board that begins in the first row and column."""
    board = set(cells)
    height, width = 1 + max(row for row, _ in board), 1 + max(column for _, column in board)
    return {
        "aspect": _case(ASPECTS, max(height, width) / min(height, width)),
        "fill": _case(FILL_CLASSES, len(board) / (height * width)),
        "holes": str(min(2, _holes(board, height, width))),
        "symmetry": _symmetry(board, height, width),
    }


def _areas(puzzle: Pips) -> Iterable[str]:
    ruled = 0
    for region in puzzle.regions:
        if region.rule is not None:
            ruled += len(region.cells)
            yield f"{len(region.cells)} {region.rule}"
    yield from [f"1 {FREE_REGION}"] * (len(puzzle.cells) - ruled)


def _sums(puzzle: Pips) -> Iterable[str]:
    for region in puzzle.regions:
        if region.rule is Rule.SUM and len(region.cells) > 1:
            yield _case(SUM_CLASSES, (region.target or 0) / (6 * len(region.cells)))


def _case(cases: Mapping[float, str], value: float) -> str:
    return next(case for most, case in cases.items() if value <= most)


def _holes(board: set[Place], height: int, width: int) -> int:
    around = [(r, c) for r in range(-1, height + 1) for c in range(-1, width + 1) if (r, c) not in board]
    return len(connected_parts(around)) - 1


def _symmetry(board: set[Place], height: int, width: int) -> str:
    mirrored = (
        {(height - 1 - r, c) for r, c in board} == board,
        {(r, width - 1 - c) for r, c in board} == board,
    )
    if all(mirrored):
        return "both mirrors"
    if any(mirrored):
        return "a mirror"
    return "a half turn" if {(height - 1 - r, width - 1 - c) for r, c in board} == board else "none"


def distances(these: Figures, those: Figures) -> dict[str, float]:
    """Return the total variation distance of each figure, from 0 to 1: half the sum of all differences.

    The areas are compared by size, by rule, and by the shares of cells without a rule and of cells that a sum
    of one cell gives away.
    """
    first, second = _comparable_figures(these), _comparable_figures(those)
    return {name: _total_variation(first[name], second[name]) for name in first}


def _comparable_figures(figures: Figures) -> dict[str, Mapping[str, int]]:
    """Return the figures, with ``areas`` split by size, by rule, and by the two shares of cells."""
    sizes, rules, cells = Counter[str](), Counter[str](), Counter[str]()
    for area, count in figures["areas"].items():
        size, rule = area.split()
        cells[area if area in (f"1 {FREE_REGION}", "1 SUM") else "other"] += int(size) * count
        if rule != FREE_REGION:
            sizes[size] += count
            rules[rule] += count
    free, given, others = cells[f"1 {FREE_REGION}"], cells["1 SUM"], cells["other"]
    return {
        "free cells": {"free": free, "other": given + others},
        "given cells": {"given": given, "other": free + others},
        "region sizes": sizes,
        "rules": rules,
        **{name: cases for name, cases in figures.items() if name != "areas"},
    }


def _total_variation(these: Mapping[str, int], those: Mapping[str, int]) -> float:
    all_these, all_those = max(1, sum(these.values())), max(1, sum(those.values()))
    cases = sorted({*these, *those})
    return sum(abs(these.get(c, 0) / all_these - those.get(c, 0) / all_those) for c in cases) / 2


# The statistics of published puzzles, from which the setter style is sampled.
#
# Source: 30 days of published puzzles, autumn 2025, 90 in all. ``benchmarks/style.py FOLDER --table``
# makes such a table of any folder of puzzles.

LEVEL_OF_DOMINOES = {5: "easy", 8: "medium"}
"""The most dominoes of most published puzzles of a level; larger puzzles are hard."""

HARD = "hard"


def level_of(dominoes: int) -> str:
    """Return the level of most published puzzles with about this many dominoes."""
    return next((level for most, level in LEVEL_OF_DOMINOES.items() if dominoes <= most), HARD)


PUBLISHED: Mapping[str, Figures] = {
    "easy": {
        "areas": {
            "1 GT": 3,
            "1 LT": 3,
            "1 SUM": 31,
            "1 free": 52,
            "2 EQ": 15,
            "2 SUM": 31,
            "3 EQ": 7,
            "3 SUM": 8,
            "4 EQ": 4,
            "4 SUM": 2,
        },
        "sums": {"high": 13, "least": 3, "low": 14, "middle": 9, "most": 2},
        "aspect": {"longer": 2, "square": 9, "up to 2:1": 9, "up to 3:2": 10},
        "fill": {"full": 5, "nearly full": 2, "up to 1/2": 8, "up to 2/3": 12, "up to 5/6": 3},
        "holes": {"0": 27, "1": 3},
        "symmetry": {"a half turn": 3, "a mirror": 3, "both mirrors": 7, "none": 17},
        "dominoes": {"double": 36, "other": 89},
        "repeats": {"none": 30},
    },
    "medium": {
        "areas": {
            "1 GT": 13,
            "1 LT": 12,
            "1 SUM": 33,
            "1 free": 54,
            "2 EQ": 15,
            "2 GT": 2,
            "2 LT": 2,
            "2 NEQ": 2,
            "2 SUM": 34,
            "3 EQ": 14,
            "3 LT": 1,
            "3 NEQ": 2,
            "3 SUM": 14,
            "4 EQ": 7,
            "4 NEQ": 1,
            "4 SUM": 3,
            "5 EQ": 3,
            "5 NEQ": 1,
            "5 SUM": 1,
        },
        "sums": {"high": 10, "least": 5, "low": 21, "middle": 10, "most": 6},
        "aspect": {"longer": 2, "square": 6, "up to 2:1": 5, "up to 3:2": 17},
        "fill": {"full": 2, "nearly full": 1, "up to 1/2": 6, "up to 2/3": 15, "up to 5/6": 6},
        "holes": {"0": 24, "1": 6},
        "symmetry": {"a half turn": 3, "a mirror": 4, "both mirrors": 4, "none": 19},
        "dominoes": {"double": 47, "other": 145},
        "repeats": {"none": 30},
    },
    "hard": {
        "areas": {
            "1 GT": 7,
            "1 LT": 6,
            "1 SUM": 94,
            "1 free": 59,
            "16 SUM": 1,
            "2 EQ": 20,
            "2 LT": 2,
            "2 NEQ": 2,
            "2 SUM": 66,
            "3 EQ": 19,
            "3 GT": 1,
            "3 LT": 1,
            "3 NEQ": 3,
            "3 SUM": 15,
            "4 EQ": 6,
            "4 LT": 1,
            "4 NEQ": 2,
            "4 SUM": 14,
            "5 EQ": 8,
            "5 SUM": 5,
            "6 EQ": 3,
            "7 EQ": 2,
        },
        "sums": {"high": 25, "least": 17, "low": 25, "middle": 19, "most": 15},
        "aspect": {"longer": 3, "square": 4, "up to 2:1": 5, "up to 3:2": 18},
        "fill": {"full": 2, "nearly full": 1, "up to 1/2": 10, "up to 2/3": 12, "up to 5/6": 5},
        "holes": {"0": 25, "1": 3, "2": 2},
        "symmetry": {"a half turn": 1, "a mirror": 6, "both mirrors": 3, "none": 20},
        "dominoes": {"double": 76, "other": 258},
        "repeats": {"none": 30},
    },
}
