"""The figures of published puzzles, from which new ones are drawn in the style of a setter.

Source: 30 days of published puzzles, autumn 2025, 90 in all. ``benchmarks/style.py FOLDER --table`` makes
such a table of any folder of puzzles.
"""

from __future__ import annotations

from collections.abc import Mapping

from milp_pips.extras.generate.pips.statistics import Figures

LEVEL_OF_DOMINOES = {5: "easy", 8: "medium"}
"""Up to how many dominoes most published puzzles have a level; beyond, they are hard."""

HARD = "hard"


def level_of(dominoes: int) -> str:
    """Return the level of most published puzzles of about so many dominoes."""
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
