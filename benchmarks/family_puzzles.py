"""Puzzles of several families with one solution, made at random: each kind begins with a hidden solution.

While there is another solution, something in which the two differ is changed: a digit, the border of a
region, a cell of a picture; or it is given. The same seeds make the same puzzles.
A Kakuro of 20 rows may take half a minute to make.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial
from itertools import combinations, pairwise
from random import Random
from typing import TypeAlias

import milp_pips
from milp_pips.extras.families.tatham import nonogram
from milp_pips.problem import Deadline
from milp_pips.puzzles.puzzle import Puzzle
from milp_pips.tasks.pipeline import find_point, prepare
from milp_pips.tasks.query import Query, Run

Cell: TypeAlias = tuple[int, int]

EXTREMES = (1, 1, 1, 1, 2, 2, 2, 3, 3, 4, 5, 6, 7, 7, 8, 8, 8, 9, 9, 9, 9)
"""Digits to draw for a Kakuro: very small and very great sums are made of few sets of digits."""

WALL_SHARE = 0.2
"""How often a cell in which two Kakuros differ becomes a wall, if it can."""

MOST_REPAIRS = 400
"""Changes after which a puzzle is given up, and another one is begun."""


def other_solution(text: str, known: Sequence[int]) -> tuple[int, ...] | None:
    """Return another solution than the known one; None if there is none. Raises TimeoutError."""
    prepared = prepare(Query(milp_pips.read_text(text)[""]), Run())
    key = next(iter(prepared.problem.keys))
    run = Run("sat", deadline=Deadline(20.0))
    answer = find_point(prepared.without(known, key), run)
    if answer.point is None and answer.proof.name != "INFEASIBLE":
        raise TimeoutError
    return None if answer.point is None else tuple(answer.point[v] for v in prepared.problem.keys[key])


def neighbours(cell: Cell) -> list[Cell]:
    r, c = cell
    return [(r + 1, c), (r - 1, c), (r, c + 1), (r, c - 1)]


def is_connected(cells: Collection[Cell]) -> bool:
    todo = list(cells)[:1]
    seen = set(todo)
    while todo:
        for near in neighbours(todo.pop()):
            if near in cells and near not in seen:
                seen.add(near)
                todo.append(near)
    return len(seen) == len(cells)


# Kakuro: where solutions differ, each separate group of cells gets another digit, or a wall.


def kakuro(rows: int, columns: int, walls: float, rng: Random) -> str | None:
    """Return a Kakuro with about this share of walls, or None if this attempt fails."""
    cells = _kakuro_cells(rows, columns, walls, rng)
    digits = (
        _filled(rows, columns, cells, rng)
        if is_connected(cells) and len(cells) > rows * columns / 2
        else None
    )
    if digits is None:
        return None
    for _ in range(MOST_REPAIRS):
        known = [digits[cell] for cell in sorted(digits)]
        values = dict(digits)
        text = _kakuro_text(rows, columns, values.keys(), lambda run: sum(values[cell] for cell in run))  # noqa: B023
        if (found := other_solution(text, known)) is None:
            return text
        apart = {cell for cell, a, b in zip(sorted(digits), known, found, strict=True) if a != b}
        while apart:
            group, todo = list[Cell](), [min(apart)]
            while todo:
                cell = todo.pop()
                if cell in apart:
                    apart.discard(cell)
                    group.append(cell)
                    todo += [x for run in _runs(digits.keys()) if cell in run for x in run]
            _change_near(digits, group, rng)
    return None


def _change_near(digits: dict[Cell, int], group: list[Cell], rng: Random) -> None:
    """Change a digit in the group, or in a run of it, or make its place a wall."""
    while True:
        runs = _runs(digits.keys())
        cell = rng.choice([x for x in group if x in digits] or list(digits))
        if rng.random() < WALL_SHARE:
            without = digits.keys() - {cell}
            if min(map(len, _runs(without))) > 1 and is_connected(without):
                del digits[cell]
                return
        cell = rng.choice([cell, *(x for run in runs if cell in run for x in run)])
        digit, inside = rng.choice(EXTREMES), [run for run in runs if cell in run]
        blocked = [other for run in inside for other in run if digits[other] == digit]
        if len(blocked) == 1:  # let the two change places, if the other one may
            other = blocked[0]
            crossing = [x for run in runs if other in run and cell not in run for x in run if x != other]
            if other == cell or digits[cell] in [digits[x] for x in crossing]:
                continue
            digits[other] = digits[cell]
        if len(blocked) < 2:
            digits[cell] = digit
            return


def _kakuro_cells(rows: int, columns: int, walls: float, rng: Random) -> set[Cell]:
    cells = {(r, c) for r in range(1, rows + 1) for c in range(1, columns + 1)}
    cells -= set(rng.sample(sorted(cells), int(walls * rows * columns)))
    while wrong := [run for run in _runs(cells) if not 1 < len(run) < 10]:
        run = rng.choice(wrong)
        cells.discard(run[rng.randrange(2, len(run) - 2)] if len(run) > 9 else run[0])
    return cells


def _runs(cells: Collection[Cell]) -> list[list[Cell]]:
    found = []
    for r, c in sorted(cells):
        for y, x in ((0, 1), (1, 0)):
            if (r - y, c - x) not in cells:
                run = [(r, c)]
                while (run[-1][0] + y, run[-1][1] + x) in cells:
                    run.append((run[-1][0] + y, run[-1][1] + x))
                found.append(run)
    return found


def _filled(rows: int, columns: int, cells: Collection[Cell], rng: Random) -> dict[Cell, int] | None:
    """Return digits for the cells, very small or very great ones in each row; None if there are none."""

    def total(run: list[Cell]) -> int | None:
        if run[0][0] != run[1][0]:
            return None
        least, length = rng.randrange(2), len(run)
        return (
            sum(range(1, length + 1)) + least if rng.random() < 0.5 else sum(range(10 - length, 10)) - least
        )

    for _ in range(20):
        text = _kakuro_text(rows, columns, cells, total)
        point = find_point(prepare(Query(milp_pips.read_text(text)[""]), Run()), Run("sat")).point
        if point is not None:
            return dict(zip(sorted(cells), point, strict=True))
    return None


def _kakuro_text(
    rows: int, columns: int, cells: Collection[Cell], total: Callable[[list[Cell]], int | None]
) -> str:
    """Return the text of a Kakuro with these sums of its runs."""
    sums: dict[Cell, list[str]] = {}
    for run in _runs(cells):
        (r, c), across = run[0], run[0][0] == run[1][0]
        before = (r, c - 1) if across else (r - 1, c)
        sums.setdefault(before, ["", ""])[across] = str(total(run) or "")
    places = [[(r, c) for c in range(columns + 1)] for r in range(rows + 1)]
    board = (["." if cell in cells else "\\".join(sums.get(cell, "#")) for cell in row] for row in places)
    return "kakuro\n" + "".join(f"{' '.join(row)}\n" for row in board)


# Star Battle.


def star_battle(size: int, count: int, rng: Random) -> str | None:
    """Return a Star Battle with ``count`` stars in each row, or None if this attempt fails."""
    stars = _stars(size, count, rng)
    areas = _areas(size, count, stars, rng)
    if areas is None:
        return None
    region = {cell: i for i, area in enumerate(areas) for cell in area}
    places = sorted(region)
    for _ in range(MOST_REPAIRS):
        letters = [["abcdefghijklmnopqrstuvwxyz"[region[r, c]] for c in range(size)] for r in range(size)]
        text = f"star-battle {count}\n" + "".join(f"{''.join(row)}\n" for row in letters)
        found = other_solution(text, [int(cell in stars) for cell in places])
        if found is None:
            return text
        moves = []
        for cell, value in zip(places, found, strict=True):
            if value and cell not in stars and is_connected(areas[region[cell]] - {cell}):
                moves += [
                    (cell, region[n]) for n in neighbours(cell) if region.get(n, region[cell]) != region[cell]
                ]
        if not moves:
            return None
        cell, to = rng.choice(moves)  # then the other solution has too few stars in one region
        areas[region[cell]].discard(cell)
        areas[to].add(cell)
        region[cell] = to
    return None


def _stars(size: int, count: int, rng: Random) -> set[Cell]:
    rows = [row for row in combinations(range(size), count) if all(b - a > 1 for a, b in pairwise(row))]
    while True:
        need, above, stars = [count] * size, frozenset[int](), set[Cell]()
        for r in range(size):
            least = [need[c] * 2 > size - r for c in range(size)]  # such a column has a star in this row
            fit = [
                row
                for row in rows
                if all(need[c] and not {c - 1, c, c + 1} & above for c in row)
                and all(c in row for c in range(size) if least[c])
            ]
            if not fit:
                break
            above = frozenset(rng.choice(fit))
            for c in above:
                need[c] -= 1
                stars.add((r, c))
        if len(stars) == size * count:
            return stars


def _areas(size: int, count: int, stars: set[Cell], rng: Random) -> list[set[Cell]] | None:
    """Return regions with ``count`` stars each: one grows around each star, then neighbours join."""
    owner = {star: i for i, star in enumerate(sorted(stars))}
    while len(owner) < size * size:
        cell = rng.choice(list(owner))
        free = [(r, c) for r, c in neighbours(cell) if 0 <= r < size > c >= 0 and (r, c) not in owner]
        if free:
            owner[rng.choice(free)] = owner[cell]
    touching: dict[int, set[int]] = {i: set() for i in owner.values()}
    for cell, i in owner.items():
        touching[i].update(owner[n] for n in neighbours(cell) if n in owner and owner[n] != i)
    for _ in range(3_000):
        left, groups = set(touching), list[set[int]]()
        while left:
            first = min(left, key=lambda i: (len(touching[i] & left), rng.random()))
            group = {first}
            while len(group) < count and (
                near := set[int]().union(*(touching[i] for i in group)) & left - group
            ):
                group.add(min(near, key=lambda i: (len(touching[i] & left), rng.random())))
            left -= group
            groups.append(group)
            if len(group) < count:
                break
        if not left and len(groups) == size:
            return [{cell for cell, i in owner.items() if i in group} for group in groups]
    return None


# Skyscrapers: what two solutions differ in is given, until there is one solution.


def skyscrapers(size: int, rng: Random) -> str | None:
    """Return a Skyscrapers puzzle, with few clues and givens."""
    heights = _latin_square(size, rng)
    sides = [*heights, *(row[::-1] for row in heights)]
    sides += [list(column) for column in zip(*heights, strict=True)]
    sides += [list(column)[::-1] for column in zip(*heights, strict=True)]
    clues = [str(sum(h == max(side[: i + 1]) for i, h in enumerate(side))) for side in sides]
    givens: dict[Cell, int] = {}

    def text() -> str:
        left, right, above, below = (clues[i * size : i * size + size] for i in range(4))
        inner = [[str(givens.get((r, c), ".")) for c in range(size)] for r in range(size)]
        rows = [["#", *above, "#"], *([a, *row, b] for a, row, b in zip(left, inner, right, strict=True))]
        return "skyscrapers\n" + "".join(f"{' '.join(row)}\n" for row in [*rows, ["#", *below, "#"]])

    known = [h for row in heights for h in row]
    while (found := other_solution(text(), known)) is not None:
        place = rng.choice([i for i, h in enumerate(known) if h != found[i]])
        givens[divmod(place, size)] = known[place]
    for i in rng.sample(range(4 * size), 2 * size):
        clue, clues[i] = clues[i], "."
        if other_solution(text(), known) is not None:
            clues[i] = clue
    return text()


def _latin_square(size: int, rng: Random) -> list[list[int]]:
    """Return a Latin square, row by row, each a matching of columns and numbers."""
    used, rows = [set[int]() for _ in range(size)], []
    for _ in range(size):
        column_of: dict[int, int] = {}

        def place(c: int, tried: set[int], column_of: dict[int, int] = column_of) -> bool:
            for number in rng.sample(range(1, size + 1), size):
                if number not in used[c] and number not in tried:
                    tried.add(number)
                    if number not in column_of or place(column_of[number], tried):
                        column_of[number] = c
                        return True
            return False

        for c in rng.sample(range(size), size):
            place(c, set())
        row = [number for number, _ in sorted(column_of.items(), key=lambda pair: pair[1])]
        for c, number in enumerate(row):
            used[c].add(number)
        rows.append(row)
    return rows


# Nonograms.


def picture(rows: int, columns: int, rng: Random) -> str | None:
    """Return a nonogram of a random picture with spots, or None if this attempt fails."""
    noise = [[rng.random() for _ in range(columns + 2)] for _ in range(rows + 2)]
    full = [
        [sum(noise[r + y][c + x] for y in range(3) for x in range(3)) > 4.3 for c in range(columns)]
        for r in range(rows)
    ]
    for _ in range(MOST_REPAIRS):
        text = nonogram(
            *([_lengths(line) for line in lines] for lines in (full, list(zip(*full, strict=True))))
        )
        found = other_solution(text, [int(cell) for row in full for cell in row])
        if found is None:
            return text
        apart = [i for i, cell in enumerate(cell for row in full for cell in row) if cell != found[i]]
        r, c = divmod(rng.choice(apart), columns)
        full[r][c] = not full[r][c]
    return None


def _lengths(line: Sequence[bool]) -> list[int]:
    return [len(run) for run in "".join(".#"[cell] for cell in line).split(".") if run] or [0]


Maker: TypeAlias = Callable[[Random], str | None]

MAKERS: dict[str, tuple[Maker, ...]] = {
    "Kakuro, runs of up to 9 cells": (partial(kakuro, 8, 8, 0.2), partial(kakuro, 9, 9, 0.2)),
    "Kakuro 12 to 20": tuple(
        partial(kakuro, n, n, walls) for n, walls in ((12, 0.22), (16, 0.25), (20, 0.28))
    ),
    "Star Battle": (partial(star_battle, 10, 2), partial(star_battle, 14, 3)),
    "Skyscrapers 7 to 9": tuple(partial(skyscrapers, n) for n in (7, 8, 9)),
    "nonogram of spots": (
        partial(picture, 25, 25),
        partial(picture, 35, 35),
        partial(picture, 40, 40),
    ),
}
"""The makers of the puzzles of a row."""


def made(count: int, only: str) -> Iterator[tuple[str, Puzzle]]:
    """Yield ``count`` puzzles by each maker, with the name of their row, which has ``only``."""
    for row, makers in MAKERS.items():
        for number, maker in enumerate(makers if only in row else ()):
            for seed in range(count):
                rng = Random(1000 * number + seed)
                text = None
                while text is None:
                    text = maker(rng)
                yield row, milp_pips.read_text(text, f"{row}-{number}-{seed}")[""]
