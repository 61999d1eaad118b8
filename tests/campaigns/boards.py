"""Random small boards of every family, as files, with all their solutions by brute force.

What is drawn is written as a file and read again, and the puzzle that was read is the one that counts.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from random import Random
from typing import Any

import brute_force
import colour_grids
import sudoku_brute_force
from json_formats import graph, times_level

import milp_pips
from milp_pips.puzzles.colour_grid import files as colour_grid_files
from milp_pips.puzzles.colour_grid.puzzle import Clue, Colour, ColourGrid, Pattern, Stretches
from milp_pips.puzzles.pips import text as pips_text
from milp_pips.puzzles.pips.puzzle import Layout, Pips, PlacedDomino, Region, Rule
from milp_pips.puzzles.sudoku import files as sudoku_files
from milp_pips.puzzles.sudoku.puzzle import Cage, Group, Sudoku, boxes
from milp_pips.puzzles.sudoku.puzzle import Region as Area

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
    count = random.choice((1, 2, 2, 3) if small else (1, 2, 2, 2, 3, 3, 3, 4))
    height, width = random.randint(1, 4), random.randint(2, 5)
    most = random.choice((1, 2, 3, 6, 9))
    free, laid = {(r, c) for r in range(height) for c in range(width)}, []
    for _ in range(count):
        places = [(a, b) for a in sorted(free) for b in ((a[0], a[1] + 1), (a[0] + 1, a[1])) if b in free]
        if places:
            cells = random.choice(places)
            free -= set(cells)
            laid.append(PlacedDomino((random.randint(0, most), random.randint(0, most)), cells))
    values: dict[Any, int] = {c: p for d in laid for c, p in zip(d.cells, d.pips, strict=True)}
    obeyed = random.random() < 0.67
    if not obeyed and random.random() < 0.3:  # any cells at all
        every = [(r, c) for r in range(4) for c in range(4)]
        values = {cell: random.randint(0, most) for cell in random.sample(every, len(values))}
    cells = sorted(values)
    kinds = random.randint(0, 4)
    found: dict[int, list[Any]] = {}
    for cell in cells:
        near = [
            k for k, those in found.items() if any(abs(a - cell[0]) + abs(b - cell[1]) == 1 for a, b in those)
        ]
        number = random.choice(near) if near and random.random() < 0.5 else random.randint(0, kinds)
        found.setdefault(number, []).append(cell)
    regions = [
        _region(random, label, found[number], values, obeyed)
        for label, number in zip("ABCDE", (n for n in found if n), strict=False)
    ]
    puzzle = Pips.on_grid(
        "board", cells, regions, [d.pips for d in laid], Layout(values, tuple(laid)) if obeyed else None
    )
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
        _region(random, label, random.sample(cells, random.randint(1, len(cells))), values, obeyed)
        for label in "ABC"[: random.randint(0, 3)]
    ]
    order = tuple(sorted({tuple(sorted(edge)) for edge in edges}))
    puzzle = Pips("board", tuple(cells), order, tuple(regions), tuple(dominoes))  # type: ignore[arg-type]
    return _pips(json.dumps(graph(puzzle)))


def _region(random: Random, label: str, cells: list[Any], values: dict[Any, int], obeyed: bool) -> Region:
    seen = [values[cell] for cell in cells]
    rule = random.choice((None, *Rule))
    if obeyed and rule is Rule.EQ and len(set(seen)) > 1:
        rule = Rule.SUM
    if obeyed and rule is Rule.NEQ and len(set(seen)) < len(seen):
        rule = Rule.LE
    target = None
    if rule is not None and rule.has_target:
        slack = random.randint(0, 2)
        off = {Rule.LT: slack + 1, Rule.LE: slack, Rule.GT: -slack - 1, Rule.GE: -slack}.get(rule, 0)
        target = sum(seen) + off if obeyed else random.randint(0, 6 * len(cells))
    return Region(label, tuple(cells), rule, target)


SYMBOLS = ("123456", "123456", ("10", "-3", "0", "7", "2", "5"), ("1", "2", "π", "π", "3", "π"), "ABCADé")


def sudoku(random: Random, small: bool = False) -> Board:
    """Return a Sudoku of up to 6 × 6: jigsaw, killer, with groups, with repeated symbols."""
    height, width = random.choice(((1, 2), (1, 3), (2, 2), (2, 2), (2, 2), (1, 5), (2, 3)))
    n = height * width
    holds = tuple(random.choice(SYMBOLS))[:n]
    order = random.sample(range(n), n)

    def shuffled(bands: int, size: int) -> list[int]:
        return [
            b * size + i for b in random.sample(range(bands), bands) for i in random.sample(range(size), size)
        ]

    columns = shuffled(height, width)
    rows = tuple(
        tuple(holds[order[(r % height * width + r // height + c) % n]] for c in columns)
        for r in shuffled(width, height)
    )
    cells = [(r, c) for r in range(n) for c in range(n)]
    at = {(r, c): rows[r][c] for r, c in cells}
    regions = boxes(n, height, width)
    if random.random() < 0.4:
        piece = {(r, c): r // height * height + c // width for r, c in cells}
        for _ in range(random.randint(0, 6)):
            one = random.choice(cells)
            other = random.choice([cell for cell in cells if at[cell] == at[one]])
            piece[one], piece[other] = piece[other], piece[one]
        regions = tuple(
            Area(f"region {'abcdef'[i]}", tuple(cell for cell in cells if piece[cell] == number))
            for i, number in enumerate(dict.fromkeys(piece.values()))
        )
    cages: tuple[Cage, ...] = ()
    if all(re.fullmatch(r"0|-?[1-9][0-9]*", symbol) for symbol in holds) and random.random() < 0.5:
        number_of = {cell: random.randint(0, 5) for cell in cells}
        those = {
            k: [cell for cell in cells if number_of[cell] == k][:4]
            for k in dict.fromkeys(number_of.values())
            if k
        }
        cages = tuple(
            Cage(label, tuple(inside), sum(int(at[cell]) for cell in inside))
            for label, inside in zip("abcde", sorted(those.values()), strict=False)
        )
    groups = []
    for label in "XY"[: random.choice((0, 0, 1, 2))]:
        inside = sorted(random.sample(cells, random.randint(1, min(8, n * n))))
        seen = [at[cell] for cell in inside]
        usual = Counter(seen) <= Counter(holds) and random.random() < 0.5
        groups.append(Group(label, tuple(inside), None if usual else tuple(random.sample(seen, len(seen)))))
    empty = set(random.sample(cells, random.randint(0, min(n * n, 7 if small else 12))))
    givens = [["" if (r, c) in empty else rows[r][c] for c in range(n)] for r in range(n)]
    spoilt = random.random() < 0.3
    if spoilt:
        r, c = random.choice(cells)
        givens[r][c] = random.choice(holds)
        cages = tuple(cage._replace(total=cage.total + random.choice((0, 0, 1))) for cage in cages)
    twice = any(len({at[cell] for cell in cage.cells}) < len(cage.cells) for cage in cages)
    repeats = bool(cages) and (twice or random.random() < 0.5)
    made = Sudoku(
        "board",
        holds,
        tuple(map(tuple, givens)),
        regions,
        cages,
        repeats,
        tuple(groups),
        None if spoilt else rows,
    )
    text = sudoku_files.write(made)
    (puzzle,) = milp_pips.read_text(text, "board").values()
    assert isinstance(puzzle, Sudoku)
    return Board(text, puzzle, lambda rows, _: rows, lambda: {"grid": sudoku_brute_force.solutions(puzzle)})


def expression(random: Random, letters: str, depth: int = 2) -> str:
    """Return a regular expression."""
    if depth == 0 or random.random() < 0.4:
        unit = random.choice((*letters, ".", f"[{letters[:2]}]", f"[^{letters[-1]}]"))
        return unit + random.choice(("", "", "", "*", "+", "?", "{2}", "{1,2}", "{,2}", "{2,}"))
    parts = [expression(random, letters, depth - 1) for _ in range(random.randint(1, 3))]
    if random.random() < 0.5:
        return "".join(parts)
    return f"({'|'.join(parts)})" + random.choice(("", "", "*", "+", "?", "{2}", "{0,2}"))


def colours(random: Random, small: bool = False) -> Board:
    """Return a colour grid of up to eight cells."""
    height, width = random.choice(((1, 1), (1, 3), (2, 2), (2, 3), (3, 2), (2, 2), (2, 4), (1, 5)))
    letters = random.choice(("rgb", "rg", "gbr", "kw"))
    rows = ["".join(random.choice(letters) for _ in range(width)) for _ in range(height)]
    obeyed = random.random() < 0.6

    def clue(line: str) -> Clue | None:
        if random.random() < 0.15:
            return None
        if random.random() < 0.5:
            shown = line if obeyed else [random.choice(letters) for _ in line]
            return Stretches("".join(letter for letter, _ in groupby(shown)))
        pattern = expression(random, letters)
        if obeyed and not re.fullmatch(pattern, line):
            pattern = f"{pattern}|{line}"
        return Pattern(pattern)

    clues = [clue(line) for line in (*rows, *("".join(cells) for cells in zip(*rows, strict=True)))]
    made = ColourGrid("board", tuple(map(Colour, letters)), tuple(clues[:height]), tuple(clues[height:]))
    text = colour_grid_files.write(made)
    (puzzle,) = milp_pips.read_text(text, "board").values()
    assert isinstance(puzzle, ColourGrid)
    return Board(text, puzzle, lambda rows, _: tuple(rows), lambda: {"grid": colour_grids.fillings(puzzle)})
