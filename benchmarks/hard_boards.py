"""Make boards that are hard for some engine, for ``choice.py``; a seed determines each.

Most come from the generator. This module makes Sudokus itself, from a complete filling.
"""

from __future__ import annotations

from dataclasses import replace

import milp_pips
from milp_pips.problem.rng import RandomGenerator
from milp_pips.puzzles.pips.puzzle import Pips
from milp_pips.puzzles.puzzle import Puzzle
from milp_pips.puzzles.sudoku.puzzle import Sudoku, boxes, usual_symbols


def full_set(highest: int, share: float, seed: int) -> Puzzle:
    """Return a rectangle for all dominoes up to double-``highest``, with this share of the cells given."""
    kinds = (highest + 1) * (highest + 2) // 2
    whole = next(
        milp_pips.generate(
            style="plain", dominoes=kinds, set=f"double-{highest}", rows=highest + 1, columns=highest + 2,
            region_sizes="1", rules="SUM", seed=seed,
        )
    ).puzzle  # fmt: skip
    assert isinstance(whole, Pips)
    rng = RandomGenerator(f"{highest}/{share}/{seed}")
    given = tuple(region for region in whole.regions if rng.bernoulli(share))
    return replace(whole, name=f"double-{highest} {share:.0%} {seed}", regions=given)


def equal_only(dominoes: int, seed: int) -> Puzzle:
    """Return a board with regions of 4 to 7 equal cells."""
    made = next(
        milp_pips.generate(style="plain", dominoes=dominoes, rules="EQ", region_sizes="4..7", seed=seed)
    ).puzzle
    return replace(made, name=f"equal-only {dominoes} {seed}")


def sudoku(box: int, share: float, seed: int) -> Puzzle:
    """Return a Sudoku with boxes of ``box`` rows and columns, with a random share of the cells given.

    Its filling is the regular pattern with rows, columns and symbols permuted.
    """
    rng = RandomGenerator(f"{box}/{share}/{seed}")
    n = box * box
    rows, columns = (
        [box * band + line for band in rng.shuffled(range(box)) for line in rng.shuffled(range(box))]
        for _ in range(2)
    )
    symbols = rng.shuffled(usual_symbols(n))
    filling = [[symbols[(box * (r % box) + r // box + c) % n] for c in columns] for r in rows]
    givens = tuple(tuple(s if rng.bernoulli(share) else "" for s in row) for row in filling)
    return Sudoku(f"sudoku {n} {share:.0%} {seed}", usual_symbols(n), givens, boxes(n, box, box))


def colour_grid(size: int, seed: int) -> Puzzle:
    """Return a colour grid with one clue for each row and column, of a random filling."""
    made = next(milp_pips.generate("colour-grid", size=f"{size}x{size}", clues="expressions", seed=seed))
    return replace(made.puzzle, name=f"colour grid {size} {seed}")
