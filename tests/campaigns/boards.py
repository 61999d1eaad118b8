"""Random small boards of every family, as files, with all their solutions by brute force.

What is drawn is written as a file and read again, and the puzzle that was read is the one that counts.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import Any

import brute_force
import colour_grids
import sudoku_brute_force
from colour_grids import random_colour_grid
from json_formats import graph, times_level
from strategies import random_pips, random_region
from sudoku_strategies import random_sudoku

import milp_pips
from milp_pips.puzzles.colour_grid import files as colour_grid_files
from milp_pips.puzzles.colour_grid.puzzle import ColourGrid
from milp_pips.puzzles.pips import text as pips_text
from milp_pips.puzzles.pips.puzzle import Layout, Pips
from milp_pips.puzzles.sudoku import files as sudoku_files
from milp_pips.puzzles.sudoku.puzzle import Sudoku

Cell = tuple[int, int]


@dataclass(frozen=True)
class Board:
    """A puzzle as a file, and how its solutions are compared with those of brute force.

    ``view(solution, key)`` is what a solution of the package shows, ``find()`` all that may be shown by key.
    """

    text: str
    puzzle: Any
    view: Callable[[Any, str], Any]
    find: Callable[[], dict[str, Collection[Any]]]

    @cached_property
    def answers(self) -> dict[str, Collection[Any]]:
        return self.find()

    @property
    def main(self) -> Collection[Any]:
        """The solutions by the first key."""
        return next(iter(self.answers.values()))


def draw(random: Random, small: bool = False) -> Board:
    """Return a board: of dominoes in six of ten cases."""
    kind = random.choices(("grid", "graph", "sudoku", "colours"), (5, 1, 2, 2))[0]
    return {"grid": pips_grid, "graph": pips_graph, "sudoku": sudoku, "colours": colours}[kind](random, small)


def _pips(text: str) -> Board:
    (puzzle,) = milp_pips.read_text(text, "board").values()
    assert isinstance(puzzle, Pips)

    def find() -> dict[str, Collection[Any]]:
        placements = brute_force.placements(puzzle)
        return {
            "placement": placements,
            "grid": {frozenset(h for d in laid for h in d) for laid in placements},
        }

    def view(layout: Layout, key: str) -> Any:
        return brute_force.placement_of(layout) if key == "placement" else frozenset(layout.values.items())

    return Board(text, puzzle, view, find)


def pips_grid(random: Random, small: bool = False) -> Board:
    """Return dominoes on a grid, often in several parts, with every rule; two of three have a solution."""
    puzzle = random_pips(random, 3 if small else 4)
    if random.random() < 0.2:
        return _pips(json.dumps({"printDate": "board", "easy": times_level(puzzle)}))
    return _pips(pips_text.write(puzzle))


def pips_graph(random: Random, small: bool = False) -> Board:
    """Return dominoes on any graph, whose constraints may overlap."""
    count = random.choice((1, 2, 2, 3))
    cells = [f"n{i}" for i in range(2 * count)]
    pairs = [(a, b) for i, a in enumerate(cells) for b in cells[i + 1 :]]
    edges = random.sample(pairs, random.randint(min(len(pairs), count), min(len(pairs), 3 * count)))
    most = random.choice((1, 3, 6))
    values: dict[Any, int] = {cell: random.randint(0, most) for cell in cells}
    dominoes = [(values[a], values[b]) for a, b in zip(cells[::2], cells[1::2], strict=True)]
    obeyed = random.random() < 0.67
    if obeyed:
        edges = [*edges, *zip(cells[::2], cells[1::2], strict=True)]
    regions = [
        random_region(random, label, random.sample(cells, random.randint(1, len(cells))), values, obeyed)
        for label in "ABC"[: random.randint(0, 3)]
    ]
    order = tuple(sorted({tuple(sorted(edge)) for edge in edges}))
    puzzle = Pips("board", tuple(cells), order, tuple(regions), tuple(dominoes))  # type: ignore[arg-type]
    return _pips(json.dumps(graph(puzzle)))


def sudoku(random: Random, small: bool = False) -> Board:
    """Return a Sudoku of up to 6 × 6: jigsaw, killer, with groups, with repeated symbols."""
    text = sudoku_files.write(random_sudoku(random, 7 if small else 12))
    (puzzle,) = milp_pips.read_text(text, "board").values()
    assert isinstance(puzzle, Sudoku)
    return Board(text, puzzle, lambda rows, _: rows, lambda: {"grid": sudoku_brute_force.solutions(puzzle)})


def colours(random: Random, small: bool = False) -> Board:
    """Return a colour grid of up to eight cells."""
    text = colour_grid_files.write(random_colour_grid(random, 8, 4))
    (puzzle,) = milp_pips.read_text(text, "board").values()
    assert isinstance(puzzle, ColourGrid)
    return Board(text, puzzle, lambda rows, _: tuple(rows), lambda: {"grid": colour_grids.fillings(puzzle)})
