"""Puzzles of all families for ``default.py``: a kind and a seed determine each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from hard_boards import colour_grid, equal_only, full_set, sudoku
from instances import faulty, nonogram, random_cages

import milp_pips
from milp_pips import AllDifferent, Less, Problem, Variable
from milp_pips.extras.families.skyscrapers import Skyscrapers
from milp_pips.problem.rng import RandomGenerator
from milp_pips.puzzles.puzzle import Puzzle
from milp_pips.puzzles.sudoku.puzzle import Cage

EXAMPLES = Path(__file__).parent.parent / "examples"


def made(family: str = "pips", **options: Any) -> Callable[[int], Puzzle]:
    """Return a function that generates a puzzle from a seed."""
    return lambda seed: next(milp_pips.generate(family, seed=seed, **options)).puzzle


def example(*names: str) -> Callable[[int], Puzzle]:
    """Return a function that reads the example of a half."""
    return lambda seed: next(iter(milp_pips.read_all(str(EXAMPLES / names[seed - 1])).values()))


def killer(size: int, share: float) -> Callable[[int], Puzzle]:
    """Return a function that makes a killer Sudoku with some givens, of cages of two to four cells."""

    def make(seed: int) -> Puzzle:
        rng = RandomGenerator(f"killer {size} {seed}")
        full = next(milp_pips.generate("sudoku", size=size, seed=seed)).puzzle
        filling, pieces = full.published, None
        while pieces is None:
            pieces = random_cages(filling, rng)
        cages = [
            Cage(str(n), tuple(sorted(cells)), sum(int(filling[r][c]) for r, c in cells))
            for n, cells in enumerate(pieces, 1)
        ]
        givens = tuple(tuple(s if rng.bernoulli(share) else "" for s in row) for row in filling)
        return replace(full, givens=givens, cages=tuple(cages))

    return make


def latin_square(size: int, rng: RandomGenerator) -> list[list[int]]:
    """Return a cyclic square with its rows, columns and numbers permuted."""
    rows, columns, numbers = (rng.shuffled(range(size)) for _ in range(3))
    return [[numbers[(r + c) % size] for c in columns] for r in rows]


def futoshiki(size: int, shown: float, signs: float) -> Callable[[int], Problem]:
    """Return a function that states a Futoshiki with these shares of cells and of signs shown."""

    def make(seed: int) -> Problem:
        rng = RandomGenerator(f"futoshiki {size} {seed}")
        filling = [v for row in latin_square(size, rng) for v in row]
        cells = range(size * size)
        domains = [(filling[v],) if rng.bernoulli(shown) else tuple(range(size)) for v in cells]
        pairs = [(v, v + 1) for v in cells if (v + 1) % size] + [(v, v + size) for v in cells[:-size]]
        lines = [cells[i * size : (i + 1) * size] for i in range(size)] + [
            cells[i::size] for i in range(size)
        ]
        less = [sorted(pair, key=filling.__getitem__) for pair in pairs if rng.bernoulli(signs)]
        rules = [*(AllDifferent(tuple(line)) for line in lines), *(Less((a, b)) for a, b in less)]
        variables = tuple(Variable(f"x{v}", domain) for v, domain in enumerate(domains))
        return Problem(variables, tuple(rules), {"grid": tuple(cells)}, name=f"futoshiki-{size}-{seed}")

    return make


def skyscrapers(size: int, shown: float) -> Callable[[int], Puzzle]:
    """Return a function that makes a Skyscrapers puzzle with this share of the clues and no heights."""

    def make(seed: int) -> Puzzle:
        rng = RandomGenerator(f"skyscrapers {size} {seed}")
        rows = [[v + 1 for v in row] for row in latin_square(size, rng)]
        columns = list(zip(*rows, strict=True))

        def clue(line: Sequence[int]) -> str:
            seen = sum(height > max(line[:k], default=0) for k, height in enumerate(line))
            return str(seen) if rng.bernoulli(shown) else "."

        above, below = ([clue(c[::way]) for c in columns] for way in (1, -1))
        inner = [[clue(row), *["."] * size, clue(row[::-1])] for row in rows]
        frame = [["#", *above, "#"], *inner, ["#", *below, "#"]]
        return Skyscrapers(f"skyscrapers-{size}-{seed}", tuple(map(tuple, frame)))

    return make


KINDS: Mapping[str, Callable[[int], Puzzle | Problem]] = {
    "published pips": example("pips/hard.txt", "pips/double_nine.txt"),
    "published killer": example("sudoku/killer.txt", "sudoku/pi_day_2010.txt"),
    "pips, styled, 14": made(dominoes=14),
    "pips, styled, 60": made(dominoes=60),
    "pips, plain, 30": made(style="plain", dominoes=30),
    "pips, plain, 100": made(style="plain", dominoes=100),
    "pips, loose, 200": made(style="plain", dominoes=200, rules="SUM=1,LT=2,GT=2,none=5"),
    "pips, equal only, 60": lambda seed: equal_only(60, seed),
    "pips, sums up to 12, 80": made(style="plain", dominoes=80, max_pip=12, rules="SUM", region_sizes="1..3"),
    "full double-nine, 40 % given": lambda seed: full_set(9, 0.4, seed),
    "full double-twelve, 80 % given": lambda seed: full_set(12, 0.8, seed),
    "full double-fifteen, 60 % given": lambda seed: full_set(15, 0.6, seed),
    "given board, double-twelve": made(style="plain", given="all", max_pip=12),
    "given board, double-twenty": made(style="plain", given="all", max_pip=20),
    "pips with a parity fault, 40": lambda seed: list(faulty(40 + seed))[1],
    "Sudoku 9": made("sudoku", size=9),
    "Sudoku 16": made("sudoku", size=16),
    "Sudoku 25, 46 % given": lambda seed: sudoku(5, 0.46, seed),
    "Sudoku 25, 43 % given": lambda seed: sudoku(5, 0.43, seed),
    "Sudoku 25, generated": made("sudoku", size=25),
    "jigsaw 9": made("sudoku", size=9, regions="jigsaw"),
    "jigsaw 10": made("sudoku", size=10, regions="jigsaw"),
    "killer 9": killer(9, 0.0),
    "killer 16": killer(16, 0.04),
    "colour grid 20": lambda seed: colour_grid(20, seed),
    "colour grid 40": lambda seed: colour_grid(40, seed),
    "nonogram 30": lambda seed: nonogram(30, 30, seed),
    "futoshiki 9": futoshiki(9, 0.05, 0.3),
    "futoshiki 20": futoshiki(20, 0.3, 0.3),
    "skyscrapers 8": skyscrapers(8, 0.8),
}
