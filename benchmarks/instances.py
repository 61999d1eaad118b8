"""Make puzzles for other benchmarks from seeds, the same ones on any machine."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any

import milp_pips
from milp_pips.constraints import NoGood
from milp_pips.engines.registry import available
from milp_pips.extras.generate.partition import partition
from milp_pips.extras.generate.pips.boards import random_tiling
from milp_pips.problem.answer import Proof, Settings
from milp_pips.problem.errors import Contradiction
from milp_pips.problem.rng import RandomGenerator
from milp_pips.problem.stopping import Deadline
from milp_pips.propagation import filter_domains
from milp_pips.puzzles.colour_grid.puzzle import Colour, ColourGrid, Pattern
from milp_pips.puzzles.pips.puzzle import Pips, Rule
from milp_pips.puzzles.puzzle import Puzzle
from milp_pips.puzzles.sudoku.files import write as write_sudoku
from milp_pips.puzzles.sudoku.puzzle import Cage, Region, Sudoku, boxes, usual_symbols
from milp_pips.render.vocabulary import Place, connected_parts, neighbours

SEED = 14


def generated(family: str = "pips", count: int = 1, seed: int = SEED, **asked: Any) -> list[Puzzle]:
    """Return puzzles from ``milp_pips.generate``, with the options in their names."""
    style = {"style": "plain"} if family == "pips" else {}
    made = milp_pips.generate(family, count=count, seed=seed, **(style | asked))
    told = " ".join(f"{name}={value}" for name, value in asked.items())
    return [replace(one.puzzle, name=f"{one.puzzle.name} {told}".strip()) for one in made]


# ---------------------------------------------------------------------------------------------- jigsaws

JIGSAW_SYMBOLS = tuple("113355524678")
"""The symbols of every line of a jigsaw: twelve, eight of them different."""

BORDER_MOVES = 4_000
"""The number of exchanges tried: enough that the pieces look like a jigsaw's and few boxes remain."""

PROVING = 20.0
"""The time limit for proving that a jigsaw has one solution; without a proof the given stays."""


def jigsaws(count: int) -> Iterator[Sudoku]:
    """Yield jigsaw Sudokus of 12 rows with repeated symbols and one solution; every given is necessary.

    The filling is that of an ordinary Sudoku in which some symbols are replaced by others. So neighbouring
    regions may exchange cells with the same symbol, which turns boxes into pieces without a search.
    """
    for number in range(count):
        rng = RandomGenerator(f"jigsaw {SEED} {number}")
        box_sudoku = next(milp_pips.generate("sudoku", size=len(JIGSAW_SYMBOLS), seed=SEED + number)).puzzle
        filling = tuple(
            tuple(JIGSAW_SYMBOLS[int(symbol) - 1] for symbol in row) for row in box_sudoku.published
        )
        pieces = exchange_border_cells([list(region.cells) for region in box_sudoku.regions], filling, rng)
        regions = tuple(Region(f"region {i}", tuple(sorted(piece))) for i, piece in enumerate(pieces, 1))
        yield without_needless_givens(
            Sudoku(f"jigsaw-{number}", JIGSAW_SYMBOLS, filling, regions, published=filling), rng
        )


def exchange_border_cells(
    pieces: list[list[Place]], filling: Sequence[Sequence[str]], rng: RandomGenerator
) -> list[list[Place]]:
    """Return the pieces after exchanges of cells with the same symbol; each stays connected."""
    home = {cell: number for number, cells in enumerate(pieces) for cell in cells}
    for _ in range(BORDER_MOVES):
        cell = rng.choice(list(home))
        own, beside_it = home[cell], home.get(rng.choice(neighbours(cell)), home[cell])
        symbol = filling[cell[0]][cell[1]]
        others = [
            (r, c)
            for r, c in pieces[beside_it]
            if filling[r][c] == symbol and any(home.get(beside) == own for beside in neighbours((r, c)))
        ]
        if own == beside_it or not others:
            continue
        other = rng.choice(others)
        mine = [c for c in pieces[own] if c != cell] + [other]
        theirs = [c for c in pieces[beside_it] if c != other] + [cell]
        if len(connected_parts(mine)) == len(connected_parts(theirs)) == 1:
            pieces[own], pieces[beside_it] = mine, theirs
            home[cell], home[other] = beside_it, own
    return pieces


def without_needless_givens(full: Sudoku, rng: RandomGenerator) -> Sudoku:
    """Return the Sudoku without the givens that CP-SAT proves unnecessary for a unique solution."""
    problem = milp_pips.state(replace(full, givens=(("",) * full.size,) * full.size))
    filled = [v.domain[0] for v in milp_pips.state(full).variables]
    other = problem.with_constraints([NoGood(tuple(range(len(filled))), tuple(filled))])
    given = set(range(len(filled)))
    engine = available("cp-sat")
    for v in rng.shuffled(range(len(filled))):
        try:
            fewer = filter_domains(other.restricted({u: (filled[u],) for u in sorted(given - {v})}))
            unique = engine.solve(fewer, Settings(), Deadline(PROVING)).proof is Proof.INFEASIBLE
        except Contradiction:
            unique = True
        if unique:
            given.discard(v)
    n = full.size
    rows = (tuple(full.givens[r][c] if n * r + c in given else "" for c in range(n)) for r in range(n))
    return replace(full, givens=tuple(rows))


# -------------------------------------------------------------------------------------------- nonograms

COVERED, SMOOTHED = 0.55, 1
"""The share of cells that begin black, and the rounds in which each takes the majority colour around it."""


def nonogram(height: int, width: int, number: int) -> ColourGrid:
    """Return a nonogram of black blobs as a colour grid; each clue is an expression of its runs."""
    rng = RandomGenerator(f"nonogram {SEED} {height} {width} {number}")
    black = {(r, c) for r in range(height) for c in range(width) if rng.bernoulli(COVERED)}
    for _ in range(SMOOTHED):
        around = [(i, j) for i in (-1, 0, 1) for j in (-1, 0, 1)]
        black = {
            (r, c)
            for r in range(height)
            for c in range(width)
            if sum((r + i, c + j) in black for i, j in around) >= 5
        }
    rows = ["".join("wb"[(r, c) in black] for c in range(width)) for r in range(height)]
    columns = ["".join(column) for column in zip(*rows, strict=True)]
    clues = [tuple(Pattern(runs_of(line)) for line in lines) for lines in (rows, columns)]
    return ColourGrid(f"nonogram-{height}x{width}-{number}", COLOURS, *clues)


COLOURS = (Colour("w", "white"), Colour("b", "black"))


def runs_of(line: str) -> str:
    """Return the expression of the lines with these runs of black cells: ``w*b{3}w+b{2}w*``."""
    runs = [f"b{{{len(list(cells))}}}" for letter, cells in groupby(line) if letter == "b"]
    return f"w*{'w+'.join(runs)}w*" if runs else "w*"


# ----------------------------------------------------------------------------------------- no solution


PARITY = "a parity fault"
"""Part of the name of a board whose sums add up to one more than the pips of its dominoes."""


def faulty(dominoes: int) -> Iterator[Pips]:
    """Yield boards with one fault: a rule that no pips obey, a sum that is one off, or a value short."""
    (board,) = generated(dominoes=dominoes, rules="SUM,EQ,LT")
    sums = [region for region in board.regions if region.rule is Rule.SUM]
    most = max(max(domino) for domino in board.dominoes)
    yield with_target(board, sums[0], most * len(sums[0].cells) + 1, "an impossible rule")
    (board,) = generated(dominoes=dominoes, rules="SUM", region_sizes="2..5")
    # Every cell is in a sum, so the sums add up to the pips of all dominoes; now they are one off.
    middle = next(region for region in board.regions if 4 < region.target < most * len(region.cells) - 4)
    yield with_target(board, middle, middle.target + 1, PARITY)
    (board,) = generated(dominoes=dominoes, given="all", set="free")
    shown = board.regions[len(board.regions) // 2]
    yield with_target(board, shown, (shown.target + 1) % (most + 1), "a value short")


def with_target(board: Pips, region: object, target: int, fault: str) -> Pips:
    regions = tuple(r._replace(target=target) if r is region else r for r in board.regions)
    return replace(board, regions=regions, published=None, name=f"{len(board.dominoes)} dominoes, {fault}")


def unmatchable(side: int) -> Iterator[Pips]:
    """Yield boards that dominoes cannot cover: a mutilated square, and one with a Hall violator (1935).

    The second has as many black as white cells, but its two halves, joined by one passage, do not. The side
    is even.
    """
    square = [(r, c) for r in range(side) for c in range(side)]
    yield blank(square[1:-1], f"mutilated square {side}")
    middle, door = side // 2, (side // 2, side // 2)
    halved = [cell for cell in square if cell[1] != middle or cell == door]
    # Remove two cells of one colour from the far corners of the left half, and two of the other from the
    # right.
    for colour, edge in ((0, 0), (1, side - 1)):
        rim = [cell for cell in halved if cell[1] == edge and sum(cell) % 2 == colour]
        for cell in (rim[0], rim[-1]):
            halved.remove(cell)
    while sum(1 if sum(cell) % 2 else -1 for cell in halved):
        surplus = sum(1 if sum(cell) % 2 else -1 for cell in halved) > 0
        halved.remove(next(cell for cell in reversed(halved) if sum(cell) % 2 == surplus))
    assert random_tiling(halved, RandomGenerator("")) is None
    yield blank(halved, f"Hall violator {side}")


def blank(cells: Sequence[Place], name: str) -> Pips:
    """Return a board without rules, and dominoes of up to six pips for it."""
    rng = RandomGenerator(name)
    dominoes = [(rng.integer(7), rng.integer(7)) for _ in range(len(cells) // 2)]
    return Pips.on_grid(name, cells, (), dominoes)


# ----------------------------------------------------------------------------------------------- killers

CAGES = (2, 3, 4)
"""The numbers of cells that a cage may have."""


def killers(count: int, size: int) -> Iterator[Sudoku]:
    """Yield killer Sudokus with one solution: random cages, and givens where these are not enough."""
    for number in range(count):
        rng = RandomGenerator(f"killer {SEED} {size} {number}")
        full = next(milp_pips.generate("sudoku", size=size, seed=SEED + number)).puzzle
        filling = full.published
        pieces = None
        while pieces is None:
            pieces = random_cages(filling, rng)
        cages = (
            Cage(str(n), tuple(sorted(cells)), sum(int(filling[r][c]) for r, c in cells))
            for n, cells in enumerate(sorted(map(sorted, pieces)), 1)
        )
        empty = (("",) * size,) * size
        yield with_unique_solution(
            replace(full, name=f"killer-{size}-{number}", givens=empty, cages=tuple(cages))
        )


def random_cages(filling: Sequence[Sequence[str]], rng: RandomGenerator) -> list[list[Place]] | None:
    """Return random cages without repeated symbols; None if this attempt found none."""
    cells = [(r, c) for r in range(len(filling)) for c in range(len(filling))]
    pieces = partition(cells, CAGES, rng)
    for piece in pieces or ():
        if len({filling[r][c] for r, c in piece}) < len(piece):
            return None
    return pieces


def with_unique_solution(puzzle: Sudoku) -> Sudoku:
    """Return the puzzle with cells given until its solution is unique."""
    problem = milp_pips.state(puzzle)
    filled = [v.domain[0] for v in milp_pips.state(replace(puzzle, givens=puzzle.published)).variables]
    engine = available("cp-sat")
    given: dict[int, int] = {}
    while True:
        known = problem.restricted({v: (value,) for v, value in given.items()})
        other = known.with_constraints([NoGood(tuple(range(len(filled))), tuple(filled))])
        answer = engine.solve(filter_domains(other), Settings(), Deadline(PROVING))
        if answer.point is None:
            break
        v = next(v for v, value in enumerate(filled) if answer.point[v] != value)
        given[v] = filled[v]
    assert answer.proof is Proof.INFEASIBLE
    n = puzzle.size
    rows = (tuple(puzzle.published[r][c] if n * r + c in given else "" for c in range(n)) for r in range(n))
    return replace(puzzle, givens=tuple(rows))


def write(puzzles: Iterable[Sudoku], folder: Path) -> None:
    """Write Sudokus into a folder, one file each."""
    for puzzle in puzzles:
        (folder / f"{puzzle.name}.txt").write_text(write_sudoku(puzzle), encoding="utf-8")


# ---------------------------------------------------------------- boards that are hard for some engine


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
