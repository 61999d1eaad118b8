"""Generate Sudokus, ordinary and jigsaw: fill at random, then remove givens while singles still solve it.

Large boards are a shuffled regular pattern with some cells given; they have one solution or several.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from string import ascii_uppercase
from typing import Any

from milp_pips.extras.generate.contract import Candidate
from milp_pips.extras.generate.partition import partition
from milp_pips.problem import Problem, UsageError
from milp_pips.problem.parameters import Parameter, one_of, whole
from milp_pips.problem.rng import RandomGenerator
from milp_pips.propagation.reductions import singles
from milp_pips.puzzles.sudoku.puzzle import (
    Region,
    Sudoku,
    boxes,
    decode,
    state,
    usual_boxes,
    usual_symbols,
)
from milp_pips.render.vocabulary import Place

DEFAULT_SUDOKU_SIZE, MIN_SUDOKU_SIZE, MAX_SUDOKU_SIZE = 9, 2, 64
MAX_SEARCHED_ROWS = 16
"""Boards with more rows are neither filled cell by cell nor solved during generation."""
DEFAULT_GIVENS = 0.44
"""The default share of given cells on such a large board: with this share they are hard."""
MAX_JIGSAW_ROWS = 10
"""The most rows of a jigsaw Sudoku: larger ones can hardly ever be filled."""
BOXES, JIGSAW = "boxes", "jigsaw"
MAX_SYMBOL_TRIALS = 5_000
"""The most symbols tried before another board is drawn: a count, so that all machines make the same puzzles.

Most boards that can be filled need far fewer.
"""

options: Sequence[Parameter] = (
    Parameter(
        "--size N",
        f"rows, columns and symbols, {MIN_SUDOKU_SIZE} to {MAX_SUDOKU_SIZE} (default: {DEFAULT_SUDOKU_SIZE})",
        whole(MIN_SUDOKU_SIZE, MAX_SUDOKU_SIZE),
    ),
    Parameter("--regions KIND", "boxes or jigsaw (default: boxes)", one_of((BOXES, JIGSAW))),
    Parameter(
        "--givens N",
        "the least number of givens (default: as few as possible; with more than "
        f"{MAX_SEARCHED_ROWS} rows, {DEFAULT_GIVENS:.0%} of the cells, and the number of solutions is what "
        "it is)",
        whole(0, MAX_SUDOKU_SIZE**2),
    ),
)
of_grade: Mapping[str, Mapping[str, Any]] = {}


def maker(wanted: Mapping[str, Any]) -> SudokuMaker:
    """Return the maker of Sudokus with these options; see ``options``. Raises UsageError if impossible."""
    size = wanted.get("size", DEFAULT_SUDOKU_SIZE)
    givens = wanted.get("givens", round(DEFAULT_GIVENS * size**2) if size > MAX_SEARCHED_ROWS else 0)
    if givens > size**2:
        raise UsageError(f"{givens} givens, but the board has {size**2} cells")
    jigsaw = wanted.get("regions", BOXES) == JIGSAW
    if jigsaw and size > MAX_JIGSAW_ROWS:
        raise UsageError(f"--size: a jigsaw Sudoku is made with at most {MAX_JIGSAW_ROWS} rows, not {size}")
    return SudokuMaker(size, jigsaw, givens)


@dataclass(frozen=True, slots=True)
class SudokuMaker:
    """Make Sudokus of one size, with boxes or jigsaw regions, and at least a given number of givens."""

    size: int
    jigsaw: bool
    givens: int

    @property
    def kind(self) -> str:
        """A description of the Sudokus."""
        return f"Sudoku of {self.size} rows"

    @property
    def advice(self) -> str:
        """What to request instead if no Sudoku was found."""
        return "ask for another size, or another --seed"

    def repairer(self, candidate: Candidate, rng: RandomGenerator) -> None:
        """Return None: puzzles are tightened, not repaired; see ``Maker``."""

    def make(self, name: str, rng: RandomGenerator) -> Candidate | None:
        """Return a Sudoku that singles solve, and which therefore has one solution; see ``Maker``.

        A large one has exactly the given number of givens, and may have other solutions. Its open cells are
        those in which another filling has certain symbols, so that each line and box has equally many: such
        boards are harder than random ones (Kautz, Ruan, Achlioptas, Gomes, Selman and Stickel 2001).
        """
        n = self.size
        regions = self._jigsaw(rng) if self.jigsaw else boxes(n, *usual_boxes(n))
        if regions is None:
            return None
        empty = Sudoku(name, usual_symbols(n), (("",) * n,) * n, regions)
        problem = state(empty)
        is_large = n > MAX_SEARCHED_ROWS
        filling = _shuffled_pattern(n, rng) if is_large else _fill(problem, rng)
        if filling is None:
            return None
        given = dict(filling)
        # Remove givens in random order. A small board keeps each one without which singles get stuck.
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
        """Return the Sudoku with one given fewer; see ``Maker``."""
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
    """Return the values of a filling with the usual boxes: each row is the one above, shifted by a box.

    Then the rows of a band, the bands, the columns of a stack, the stacks and the symbols are permuted.
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
    """Return all line numbers in random order: the bands permuted, and the lines within each band."""
    bands = rng.shuffled(range(n // together))
    return [band * together + line for band in bands for line in rng.shuffled(range(together))]


def _fill(problem: Problem, rng: RandomGenerator) -> dict[int, int] | None:
    """Return a filling in which values differ as required; None if ``MAX_SYMBOL_TRIALS`` choices find none.

    The search is depth first. It branches on a variable with the fewest values left, its values in random
    order.
    """
    domains = [variable.domain for variable in problem.variables]
    remaining = [sum(1 << value for value in domain) for domain in domains]
    units = [constraint.variables for constraint in problem.constraints]
    peers = [list({u for unit in units if v in unit for u in unit} - {v}) for v in range(len(domains))]
    # Invariant: ``remaining`` holds, as a bit mask, the values of each open variable that no chosen peer has
    # (forward checking, Haralick and Elliott 1980). ``narrowed`` lists what backtracking restores.
    chosen: dict[int, int] = {}
    choices = 0

    def complete() -> bool:
        nonlocal choices
        if len(chosen) == len(domains):
            return True
        v = min((u for u in range(len(domains)) if u not in chosen), key=lambda u: remaining[u].bit_count())
        for value in rng.shuffled(value for value in domains[v] if remaining[v] >> value & 1)[::-1]:
            if choices == MAX_SYMBOL_TRIALS:
                return False
            choices += 1
            narrowed = [u for u in peers[v] if u not in chosen and remaining[u] >> value & 1]
            chosen[v] = value
            for u in narrowed:
                remaining[u] ^= 1 << value
            if complete():
                return True
            del chosen[v]
            for u in narrowed:
                remaining[u] ^= 1 << value
        return False

    return chosen if complete() else None
