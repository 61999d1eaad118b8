"""Sudokus that are known to be hard, for the row ``famous`` of ``reasons.py``.

Arto Inkala's are his ten of 2006, with AI Escargot, and those that newspapers printed in 2010 and 2012. The
others are from the lists of the Sudoku players' forum, and from Gordon Royle's collection of puzzles with 17
givens.
"""

from __future__ import annotations

from collections.abc import Sequence

import milp_pips
from milp_pips.extras.explain.facts import Fact
from milp_pips.extras.explain.groups import group_constraints
from milp_pips.extras.explain.reasoner import Reasoner
from milp_pips.problem.rng import RandomGenerator
from milp_pips.problem.stopping import Deadline
from milp_pips.puzzles.sudoku.puzzle import Sudoku

FAMOUS = {
    "AI Escargot": "1....7.9..3..2...8..96..5....53..9...1..8...26....4...3......1..4......7..7...3..",
    "Killer application": ".......7..6..1...4..34..2..8....3.5...29..7...4..8...9.2..6...7...1..9..7....8.6.",
    "Lucky diamond": "1..5..4....9.3.....7...8..5..1....3.8..6..5...9...7..8..4.2..1.2..8..6.......1..2",
    "Worm hole": ".8......1..7..4.2.6..3..7....2..9...1...6...8.3.4.......17..6...9...8..5.......4.",
    "Labyrinth": "1..4..8...4..3...9..9..6.5..5.3..........16......7...2..4.1.9..7..8....4.2...4.8.",
    "Circles": "..5..97...6.....2.1..8....6.1.7....4..7.6..3.6....32.......6.4..9..5.1..8..1....2",
    "Squadron": "6.....2...9...1..5..8.3..4......2..15..6..9....7.9.....7...3..2...4..5....6.7..8.",
    "Honeypot": "1......6....1....3..5..29....9..1...7...4..8..3.5....25..4....6..8.6..7..7...5...",
    "Tweezers": "....1...4.3.2.....6....8.9...7.6...59....5.8....8..4...4.9..1..7....2.4...5.3...7",
    "Broken brick": "4...6..7.......6...3...2..17....85...1.4......2.95..........7.5..91...3...3.4..8.",
    "Inkala 2010": "..53.....8......2..7..1.5..4....53...1..7...6..32...8..6.5....9..4....3......97..",
    "Inkala 2012": "8..........36......7..9.2...5...7.......457.....1...3...1....68..85...1..9....4..",
    "Golden Nugget": ".......39.....1..5..3.5.8....8.9...6.7...2...1..4.......9.8..5..2....6..4..7.....",
    "Easter Monster": "1.......2.9.4...5...6...7...5.9.3.......7.......85..4.7.....6...3...9.8...2.....1",
    "Platinum Blonde": ".......12........3..23..4....18....5.6..7.8.......9.....85.....9...4.5..47...6...",
    "Fata Morgana": "........3..1..56...9..4..7......9.5.7.......8.5.4.2....8..2..9...35..1..6........",
    "Kolk": "12.3....435....1....4........54..2..6...7.........8.9...31..5.......9.7.....6...8",
    "Steering Wheel": "...1.2....6.....7...8...9..4.......3.5...7...2...8...1..9...8.5.7.....6....3.4...",
    "seventeen givens": ".......1.4.........2...........5.4.7..8...3....1.9....3..4..2...5.1........8.6...",
    "seventeen givens, slow by search": (
        "..............3.85..1.2.......5.7.....4...1...9.......5......73..2.1........4...9"
    ),
}


def sudoku(name: str, givens: Sequence[str]) -> Sudoku:
    """Return the Sudoku of 81 characters, row by row, with a dot for an open cell."""
    return Sudoku.from_rows(["".join(givens[at : at + 9]) for at in range(0, 81, 9)], name=name)


def dug(seed: int) -> Sudoku:
    """Return a new Sudoku with one solution, none of whose givens can be left out: often a hard one.

    ``milp-pips generate`` leaves out only givens that single values still replace.
    """
    (made,) = milp_pips.generate("sudoku", seed=seed)
    values = [value for row in made.hidden for value in row]
    reasoner = Reasoner(group_constraints(milp_pips.state(sudoku("", "." * 81))), Deadline())
    shown = {at: reasoner.literal(Fact(at, int(value), True)) for at, value in enumerate(values)}
    other = reasoner.negated_conjunction(list(shown.values()))
    rules = range(len(reasoner.grouped.items))
    for at in RandomGenerator(f"dug {seed}").shuffled(range(81)):
        rest = [literal for each, literal in shown.items() if each != at]
        if not reasoner.solve(rules, [*rest, other]):
            del shown[at]
    return sudoku(f"dug {seed}", [value if at in shown else "." for at, value in enumerate(values)])
