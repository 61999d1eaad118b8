"""Links to games of Simon Tatham's collection, written for puzzles; ``tatham`` reads them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations_with_replacement, groupby
from string import ascii_lowercase
from typing import TYPE_CHECKING, Any

from milp_pips.extras.families.boards import BoardPuzzle
from milp_pips.extras.families.tatham import TATHAM_PAGE
from milp_pips.problem.errors import UsageError
from milp_pips.puzzles.drawn import EMPTY_CELL
from milp_pips.puzzles.family import Format
from milp_pips.puzzles.puzzle import Puzzle
from milp_pips.puzzles.sudoku.puzzle import boxes, usual_symbols
from milp_pips.render.vocabulary import Place, connected_parts

if TYPE_CHECKING:
    from milp_pips.puzzles.pips.puzzle import Pips
    from milp_pips.puzzles.sudoku.puzzle import Sudoku

MOST_SOLO_CAGED = 9
"""The largest board on which the game has cages."""


def write(puzzle: Puzzle) -> str:
    """Return the link to the puzzle in the collection. Raises UsageError for a variant that it lacks."""
    return f"{TATHAM_PAGE}{WRITERS[puzzle.family](puzzle)}\n"


def formats(family: str) -> Mapping[str, Format]:
    """Return the format ``tatham`` for a family that the collection has as a game."""
    return {"tatham": Format(".txt", write, with_solution=False)} if family in WRITERS else {}


def _refusal(puzzle: Puzzle, game: str, has: str) -> UsageError:
    return UsageError(f"{puzzle.name}: the game {game} has {has}")


def _unruly(puzzle: BoardPuzzle) -> str:
    height, width = puzzle.size
    flag = "" if puzzle.variants else "u"
    return f"unruly.html#{width}x{height}{flag}:{_distances(_marks(puzzle))}"


def _loopy(puzzle: BoardPuzzle) -> str:
    height, width = puzzle.size
    return f"loopy.html#{width}x{height}t0:{_packed(_marks(puzzle), '')}"


def _towers(puzzle: BoardPuzzle) -> str:
    if puzzle.variants:
        raise _refusal(puzzle, "towers", f"no variant {puzzle.variants[0]!r}")
    columns = list(zip(*puzzle.rows, strict=True))
    sides = (puzzle.rows[0], puzzle.rows[-1], columns[0], columns[-1])
    clues = "/".join(mark.strip(EMPTY_CELL) for side in sides for mark in side[1:-1])
    givens = f",{_packed(_marks(puzzle), '_')}" if puzzle.marks else ""
    return f"towers.html#{puzzle.size[1]}:{clues}{givens}"


def _solo(puzzle: Sudoku) -> str:
    """Return the size, the flags, the givens, the regions, and the cages with their sums.

    The flags are ``j`` for a jigsaw, ``x`` for diagonals, ``k`` for cages.
    """
    n = puzzle.size
    if puzzle.holds != usual_symbols(n):
        raise _refusal(puzzle, "solo", "the numbers from 1 alone")
    diagonals = {tuple((r, r) for r in range(n)), tuple((r, n - 1 - r) for r in range(n))}
    groups = [group.cells for group in puzzle.groups]
    if groups and (len(groups) != 2 or {*groups} != diagonals or any(g.holds for g in puzzle.groups)):
        raise _refusal(puzzle, "solo", "no groups but the two diagonals")
    shapes = [(height, n // height) for height in range(2, n) if n % height == 0]
    shape = next((shape for shape in shapes if boxes(n, *shape) == puzzle.regions), None)
    flags = "x" if groups else ""
    parts = [_packed([given or EMPTY_CELL for row in puzzle.givens for given in row], "_")]
    if shape is None:
        regions = {cell: i for i, region in enumerate(puzzle.regions) for cell in region.cells}
        if len(regions) < n * n or not _all_connected(region.cells for region in puzzle.regions):
            raise _refusal(puzzle, "solo", "boxes, or connected regions that cover the board")
        flags = f"j{flags}"  # after a number, x would begin another one
        parts.append(_borders(regions, n))
    if puzzle.cages:
        cages = {cell: i for i, cage in enumerate(puzzle.cages) for cell in cage.cells}
        if puzzle.repeats or len(cages) < n * n or n > MOST_SOLO_CAGED:
            has = f"only cages without repeats that cover a board of at most {MOST_SOLO_CAGED} rows"
            raise _refusal(puzzle, "solo", has)
        if not _all_connected(cage.cells for cage in puzzle.cages):
            raise _refusal(puzzle, "solo", "connected cages alone")
        flags += "k"
        sums = {min(cage.cells): str(cage.total) for cage in puzzle.cages}
        parts += [_borders(cages, n), _packed([sums.get(cell, EMPTY_CELL) for cell in puzzle.cells], "_")]
    size = f"{shape[0]}x{shape[1]}" if shape else str(n)
    return f"solo.html#{size}{flags}:{','.join(parts)}"


def _dominosa(puzzle: Pips) -> str:
    """Return the pips of the cells, row by row."""
    most = max((pip for domino in puzzle.dominoes for pip in domino), default=0)
    kinds = sorted((min(domino), max(domino)) for domino in puzzle.dominoes)
    given = {region.cells[0]: region.target for region in puzzle.regions if region.rule == "SUM"}
    if (
        kinds != list(combinations_with_replacement(range(most + 1), 2))
        or not puzzle.is_grid
        or puzzle.cells != tuple((r, c) for r in range(most + 1) for c in range(most + 2))
        or any(len(region.cells) > 1 for region in puzzle.regions)
        or len(given) < len(puzzle.cells)
        or len(puzzle.regions) > len(given)
    ):
        has = "one domino of each kind, on rows one longer than their number, with all pips given"
        raise _refusal(puzzle, "dominosa", has)
    pips = (str(given[cell]) for cell in puzzle.cells)
    return f"dominosa.html#{most}:{''.join(pip if len(pip) == 1 else f'[{pip}]' for pip in pips)}"


WRITERS: Mapping[str, Callable[[Any], str]] = {
    "binairo": _unruly,
    "slitherlink": _loopy,
    "skyscrapers": _towers,
    "sudoku": _solo,
    "pips": _dominosa,
}
"""The writer of each family: the page of its game and the ID."""


def _marks(puzzle: BoardPuzzle) -> list[str]:
    return [puzzle.marks.get(cell, EMPTY_CELL) for cell in puzzle.cells]


def _packed(marks: Sequence[str], between: str) -> str:
    """Return marks with letters for runs of empty cells, and something between two marks."""
    text = ""
    for is_empty, group in groupby(marks, EMPTY_CELL.__eq__):
        run = list(group)
        rest = len(run) % 26
        letters = "z" * (len(run) // 26) + (ascii_lowercase[rest - 1] if rest else "")
        text += letters if is_empty else between.join(run)
    return text


def _distances(marks: Sequence[str]) -> str:
    """Return the letters that ``tatham`` reads for unruly; the last one leads beyond the board."""
    text, last = "", -1
    for at, mark in enumerate([*marks, "0"]):
        if mark != EMPTY_CELL:
            step = at - last - 1
            letter = ascii_lowercase[step % 25]
            text += "z" * (step // 25) + (letter if mark == "0" else letter.upper())
            last = at
    return text


def _borders(areas: Mapping[Place, int], n: int) -> str:
    """Return the gaps between borders of areas, in rows and then in columns; a last border ends them."""
    sides = [((r, c), (r, c + 1)) for r in range(n) for c in range(n - 1)]
    sides += [((r, c), (r + 1, c)) for c in range(n) for r in range(n - 1)]
    text, gap = "", 0
    for is_border in [*(areas[a] != areas[b] for a, b in sides), True]:
        if is_border:
            text += "z" * (gap // 26) + f"_{ascii_lowercase}"[gap % 26]
        gap = 0 if is_border else gap + 1
    return text


def _all_connected(areas: Iterable[Sequence[Place]]) -> bool:
    return all(len(connected_parts(sorted(cells))) == 1 for cells in areas)
