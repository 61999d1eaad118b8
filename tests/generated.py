"""Random puzzles of any size, with every rule."""

from __future__ import annotations

import milp_pips
from milp_pips.puzzles.pips.puzzle import Pips


def random_puzzle(dominoes: int, seed: int) -> Pips:
    rules = "EQ,NEQ,SUM,LT,GT,LE,GE,none"
    made = milp_pips.generate(style="plain", dominoes=dominoes, seed=seed, region_sizes="1..5", rules=rules)
    return next(made).puzzle
