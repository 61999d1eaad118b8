"""New Sudokus, ordinary and jigsaw: a random filling, and givens taken away while logic still solves it.

Large boards are a regular pattern, shuffled, of which some cells are given: they have a solution, or several.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from string import ascii_uppercase
from typing import Any

from milp_pips.extras.generate.contract import Candidate, Option, choice_option, number_option
from milp_pips.problem.errors import UsageError
from milp_pips.problem.problem import Problem
from milp_pips.problem.rng import RandomGenerator
from milp_pips.propagation import singles
from milp_pips.puzzles.region_partition import partition
from milp_pips.puzzles.sudoku.puzzle import (
    Place,
    Region,
    Sudoku,
    boxes,
    decode,
    state,
    usual_boxes,
    usual_symbols,
)

USUAL_SIZE, LEAST_SIZE, MOST_SIZE = 9, 2, 64
MOST_FILLED = 16
"""Boards of more rows are not filled cell by cell, nor solved on the way."""
USUAL_GIVENS = 0.44
"""The share of the cells of such a large board that is given where nobody says how many: it is hard there."""
MOST_JIGSAW = 10
"""Pieces of more rows than that can hardly ever be filled."""
BOXES, JIGSAW = "boxes", "jigsaw"
MAX_SYMBOL_TRIALS = 5_000
"""How many symbols are tried before another board is drawn: not seconds, for the same on any machine.

Most boards that can be filled need far fewer.
"""

options: Sequence[Option] = (
    number_option(
        "size",
        f"rows, columns and symbols, {LEAST_SIZE} to {MOST_SIZE} (default: {USUAL_SIZE})",
        LEAST_SIZE,
        MOST_SIZE,
    ),
    choice_option("regions", "boxes or jigsaw (default: boxes)", (BOXES, JIGSAW)),
    number_option(
        "givens",
        "at least so many symbols are given (default: as few as it goes; of more than "
        f"{MOST_FILLED} rows, {USUAL_GIVENS:.0%} of the cells, and the number of solutions is what it is)",
        0,
        MOST_SIZE**2,
    ),
)
of_grade: Mapping[str, Mapping[str, Any]] = {}


def maker(wanted: Mapping[str, Any]) -> SudokuMaker:
    """Return what makes Sudokus of this kind; see ``options``. Raises UsageError where none can be."""
    size = wanted.get("size", USUAL_SIZE)
    givens = wanted.get("givens", round(USUAL_GIVENS * size**2) if size > MOST_FILLED else 0)
    if givens > size**2:
        raise UsageError(f"{givens} givens, but the board has {size**2} cells")
    jigsaw = wanted.get("regions", BOXES) == JIGSAW
    if jigsaw and size > MOST_JIGSAW:
        raise UsageError(f"--size: a jigsaw Sudoku is made with at most {MOST_JIGSAW} rows, not {size}")
    return SudokuMaker(size, jigsaw, givens)


@dataclass(frozen=True, slots=True)
class SudokuMaker:
    """Makes Sudokus of one size, of boxes or of jigsaw regions, with at least so many givens."""

    size: int
    jigsaw: bool
    givens: int

    @property
    def asked(self) -> str:
        """What is made, in words."""
        return f"Sudoku of {self.size} rows"

    @property
    def advice(self) -> str:
        """What to ask for instead."""
        return "ask for another size, or another --seed"

    def repairer(self, candidate: Candidate, rng: RandomGenerator) -> None:
        """Return None: puzzles are tightened; see ``Maker``."""

    def make(self, name: str, rng: RandomGenerator) -> Candidate | None:
        """Return a Sudoku that is solved without guessing, and so has one solution; see ``Maker``.

        A large one has just so many givens, and perhaps other solutions. They stand where another filling has
        certain symbols, so that each line and box has as many: that is harder than at random (Kautz, Ruan,
        Achlioptas, Gomes, Selman and Stickel 2001).
        """
        n = self.size
        regions = self._jigsaw(rng) if self.jigsaw else boxes(n, *usual_boxes(n))
        if regions is None:
            return None
        empty = Sudoku(name, usual_symbols(n), (("",) * n,) * n, regions)
        problem = state(empty)
        is_large = n > MOST_FILLED
        filling = _shuffled_pattern(n, rng) if is_large else _fill(problem, rng)
        if filling is None:
            return None
        given = dict(filling)
        order = rng.shuffled(range(n * n))
        if is_large:
            order.sort(key=_shuffled_pattern(n, rng).__getitem__)
        for v in order:
            if len(given) == self.givens:
                break
            kept = given.pop(v)
            if not is_large and not _is_solved_by_singles(problem, given):
                given[v] = kept
        hidden = decode(empty, filling)
        givens = tuple(
            tuple(symbol if n * r + c in given else "" for c, symbol in enumerate(row))
            for r, row in enumerate(hidden)
        )
        return Candidate(replace(empty, givens=givens, published=hidden), hidden)

    def tighten(
        self, candidate: Candidate, taken: Mapping[int, Mapping[int, int]], rng: RandomGenerator
    ) -> Candidate | None:
        """Return the Sudoku with one more symbol given, in an open cell; see ``Maker``."""
        puzzle: Sudoku = candidate.puzzle
        cells = [cell for i, cell in enumerate(puzzle.cells) if not taken or len(taken[i]) > 1]
        cells = [(r, c) for r, c in cells if not puzzle.givens[r][c]]
        if not cells:
            return None
        row, column = rng.choice(cells)
        return _with_given(candidate, (row, column), candidate.hidden[row][column])

    def loosen(self, candidate: Candidate, rng: RandomGenerator) -> Candidate | None:
        """Return the Sudoku with a symbol less given; see ``Maker``."""
        puzzle: Sudoku = candidate.puzzle
        given = [(r, c) for r, c in puzzle.cells if puzzle.givens[r][c]]
        return _with_given(candidate, rng.choice(given), "") if len(given) > self.givens else None

    def _jigsaw(self, rng: RandomGenerator) -> tuple[Region, ...] | None:
        cells = [(r, c) for r in range(self.size) for c in range(self.size)]
        pieces = partition(cells, (self.size,), rng)
        if pieces is None:
            return None
        ordered = sorted(sorted(piece) for piece in pieces)
        return tuple(
            Region(f"region {letter}", tuple(piece))
            for letter, piece in zip(ascii_uppercase, ordered, strict=False)
        )


def _with_given(candidate: Candidate, cell: Place, symbol: str) -> Candidate:
    rows = [list(row) for row in candidate.puzzle.givens]
    rows[cell[0]][cell[1]] = symbol
    return candidate._replace(puzzle=replace(candidate.puzzle, givens=tuple(map(tuple, rows))))


def _is_solved_by_singles(problem: Problem, given: Mapping[int, int]) -> bool:
    """Whether naked and hidden singles alone solve the problem from these values.

    Each of their steps is forced, so a board that they solve has no other solution.
    """
    reduced = singles(problem.restricted({v: (value,) for v, value in given.items()}))
    return all(len(variable.domain) == 1 for variable in reduced.variables)


def _shuffled_pattern(n: int, rng: RandomGenerator) -> dict[int, int]:
    """Return the values of a filling with the usual boxes: each row is the one above it, moved on by a box.

    Then rows of a band, bands, columns of a stack, stacks and symbols change places.
    """
    height, width = usual_boxes(n)
    rows = _shuffled_lines(n, height, rng)
    columns = _shuffled_lines(n, width, rng)
    symbols = rng.shuffled(range(1, n + 1))
    return {
        n * r + c: symbols[(width * (row % height) + row // height + column) % n]
        for r, row in enumerate(rows)
        for c, column in enumerate(columns)
    }


def _shuffled_lines(n: int, together: int, rng: RandomGenerator) -> list[int]:
    """Return the numbers of all lines: bands of so many in a random order, and each band's lines in one."""
    bands = rng.shuffled(range(n // together))
    return [band * together + line for band in bands for line in rng.shuffled(range(together))]


def _fill(problem: Problem, rng: RandomGenerator) -> dict[int, int] | None:
    """Return values that differ as they must, or None if ``MAX_SYMBOL_TRIALS`` choices find none.

    Depth first, always for a variable with the fewest values left, its values in a random order.
    """
    domains = [variable.domain for variable in problem.variables]
    left = [sum(1 << value for value in domain) for domain in domains]
    units = [constraint.variables for constraint in problem.constraints]
    peers = [list({u for unit in units if v in unit for u in unit} - {v}) for v in range(len(domains))]
    chosen: dict[int, int] = {}
    choices = 0

    def complete() -> bool:
        nonlocal choices
        if len(chosen) == len(domains):
            return True
        v = min((u for u in range(len(domains)) if u not in chosen), key=lambda u: left[u].bit_count())
        for value in rng.shuffled(value for value in domains[v] if left[v] >> value & 1)[::-1]:
            if choices == MAX_SYMBOL_TRIALS:
                return False
            choices += 1
            losing = [u for u in peers[v] if u not in chosen and left[u] >> value & 1]
            chosen[v] = value
            for u in losing:
                left[u] ^= 1 << value
            if complete():
                return True
            del chosen[v]
            for u in losing:
                left[u] ^= 1 << value
        return False

    return chosen if complete() else None
