"""Read a puzzle from pixels: join what was found, and choose the likeliest reading with a solution."""

from __future__ import annotations

import heapq
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from math import log
from typing import Any

from milp_pips.extras.picture.alternatives import Reading, is_doubtful, readings
from milp_pips.extras.picture.board import Area, Square, find_areas, find_cells, find_dominoes
from milp_pips.extras.picture.draft import Doubt, Draft, puzzle_of
from milp_pips.extras.picture.glyphs import read_tag
from milp_pips.extras.picture.pixels import Pixels
from milp_pips.extras.picture.tags import find_diamonds, find_tags, tilt_of
from milp_pips.problem.errors import InputError
from milp_pips.problem.stopping import Deadline
from milp_pips.puzzles.pips.puzzle import cell_name, region_labels
from milp_pips.puzzles.pips.rules import RULES, Rule, rule_of
from milp_pips.render.vocabulary import Place
from milp_pips.tasks.solve import solve

MOST_READINGS = 60
"""How many readings are tried for one with a solution, the likeliest first."""

LEAST_TILT = 0.004
"""The smallest tilt that is undone, in radians: a pixel in 250."""

NO_BOARD = "no Pips puzzle was found: the picture has tags, but no "


def read_picture(picture: Pixels, name: str, deadline: Deadline) -> Draft:
    """Return the puzzle that a screenshot shows, with its doubtful parts.

    The picture may be tilted a little, and its colours may be inverted. Raises InputError, one sentence, if
    it shows no puzzle.
    """
    try:
        return _read(picture, name, deadline)
    except InputError:
        if not picture.is_dark():
            raise
    try:
        return _read(picture.inverted(), name, deadline)
    except InputError:
        raise InputError("the picture is dark", expected="a screenshot in light mode") from None


def _read(picture: Pixels, name: str, deadline: Deadline) -> Draft:
    diamonds = find_diamonds(picture)
    tilt = tilt_of(diamonds)
    if abs(tilt) > LEAST_TILT:
        picture = picture.turned(-tilt)
        diamonds = find_diamonds(picture)
    tags, grid = find_tags(picture, diamonds)
    dominoes = find_dominoes(picture)
    if not dominoes:
        raise InputError(f"{NO_BOARD}dominoes below it", expected="a screenshot of the board and the tray")
    cells = find_cells(picture, grid, min(domino.top for domino in dominoes))
    if not cells:
        raise InputError(f"{NO_BOARD}cells")
    areas = find_areas(picture, grid, cells, tags)
    board = _Board.of(cells, areas)
    texts = [read_tag(picture, grid, tag) for tag in tags]
    doubts = board.doubts()
    owned = {tag for area in areas for tag in area.tags}
    for i, tag in enumerate(tags):
        if i not in owned:
            text = texts[i]
            row, column = grid.corner(tag)
            place = cell_name((row - board.top, column - board.left))
            doubts.append(
                Doubt(f"a tag that says {text[0].value if text else 'nothing'} marks no cell at {place}")
            )
    parts: dict[Part, Reading[Any]] = {}
    for label, area in board.regions.items():
        text = texts[area.tags[-1]] if area.tags else None
        if text:
            parts[label] = _fitting(text, len(area.cells))
        elif area.tags:
            doubts.append(Doubt(f"the tag of region {label} was not read", board.placed(area.cells), label))
    for i, domino in enumerate(dominoes):
        parts |= {(i, half): reading for half, reading in enumerate(domino.halves)}
    if len(cells) != 2 * len(dominoes):
        doubts.insert(0, Doubt(f"the board has {len(cells)} cells, but there are {len(dominoes)} dominoes"))
    return _likeliest(_Readings(name, board, parts, len(dominoes)), doubts, deadline)


@dataclass(frozen=True, slots=True)
class _Board:
    """The board, counted from its own first row and column, and its regions by their labels."""

    top: int
    left: int
    squares: Mapping[Place, Square]
    marks: Mapping[Place, str]
    regions: Mapping[str, Area]

    @staticmethod
    def of(squares: Mapping[Place, Square], areas: Sequence[Area]) -> _Board:
        top, left = min(row for row, _ in squares), min(column for _, column in squares)
        labels = region_labels()
        regions = {next(labels): area for area in areas if not area.is_free}
        marks = dict.fromkeys(((row - top, column - left) for row, column in squares), "#")
        board = _Board(top, left, squares, marks, regions)
        for label, area in regions.items():
            marks.update(dict.fromkeys(board.placed(area.cells), label))
        return board

    def placed(self, cells: Sequence[Place]) -> tuple[Place, ...]:
        return tuple((row - self.top, column - self.left) for row, column in cells)

    def doubts(self) -> list[Doubt]:
        found = []
        for cell, square in self.squares.items():
            if square.is_doubtful:
                (place,) = self.placed([cell])
                found.append(Doubt(f"{cell_name(place)} may be no cell", (place,)))
        for label, area in self.regions.items():
            cells = self.placed(area.cells)
            if not area.tags:
                found.append(Doubt(f"region {label} has no tag", cells, label))
            elif len(area.tags) > 1:
                found.append(Doubt(f"region {label} has {len(area.tags)} tags", cells, label))
            elif area.is_doubtful:
                found.append(Doubt(f"the borders of region {label} are not clear", cells, label))
        return found


def _fitting(text: Reading[str], cells: int) -> Reading[str]:
    """Return the reading with the alternatives that no region of this size has made very unlikely."""
    return readings(
        {each.value: each.likelihood + (0 if _is_fitting(each.value, cells) else log(1e-4)) for each in text}
    )


def _is_fitting(text: str, cells: int) -> bool:
    rule, target = _rule(text)
    return RULES[rule].suits(cells, range(7)) and bool(RULES[rule].sums(target, 0, 6 * cells))


def _rule(text: str) -> tuple[Rule, int | None]:
    sign, number = re.fullmatch("([^0-9]*)([0-9]*)", text).groups()  # type: ignore[union-attr]
    return rule_of(sign, number), int(number) if number else None


Part = str | tuple[int, int]
"""A rule, by the label of its region, or half a domino, by the number of the domino and 0 or 1."""


@dataclass(frozen=True, slots=True)
class _Readings:
    """All that was read, with alternatives; a part that was not read has none."""

    name: str
    board: _Board
    parts: Mapping[Part, Reading[Any]]
    dominoes: int

    def draft(self, choice: Mapping[Part, int]) -> Draft:
        """Return the draft with the chosen alternative of each part, and the likeliest of the others."""
        values = {part: reading[choice.get(part, 0)].value for part, reading in self.parts.items()}
        rules = {
            label: _rule(values[label]) if label in values else (None, None) for label in self.board.regions
        }
        dominoes = [(values[i, 0], values[i, 1]) for i in range(self.dominoes)]
        return Draft(self.name, self.board.marks, rules, dominoes, (), None)

    def doubt(self, part: Part, chosen: int) -> Doubt:
        """Return the doubt about a part: what else it may say."""
        reading = self.parts[part]
        others = [each.value for i, each in enumerate(reading) if i != chosen][:2]
        words = " or ".join(map(str, others)) or "something else"
        if isinstance(part, str):
            cells = self.board.placed(self.board.regions[part].cells)
            return Doubt(f"the tag says {reading[chosen].value}, or {words}", cells, part)
        domino, half = part
        where = ("left", "right")[half]
        return Doubt(f"its {where} half has {reading[chosen].value} pips, or {words}", domino=domino)


def _likeliest(read: _Readings, doubts: list[Doubt], deadline: Deadline) -> Draft:
    """Return the likeliest draft that has a solution, else the likeliest, with its doubts."""
    open_parts = {part: reading for part, reading in read.parts.items() if len(reading) > 1}
    choice: dict[Part, int] = {}
    draft, solvable = read.draft(choice), None
    # A misread pip mostly leaves no solution, so the likeliest reading with one is right more often.
    for indices in islice(_by_likelihood(list(open_parts.values())), MOST_READINGS):
        tried = dict(zip(open_parts, indices, strict=True))
        solvable = _has_solution(read.draft(tried), deadline)
        if solvable:
            choice, draft = tried, read.draft(tried)
        if solvable is not False:
            break
    if solvable is False:
        doubts.insert(0, Doubt("this reading has no solution, so something was misread"))
    for part, reading in read.parts.items():
        index = choice.get(part, 0)
        if is_doubtful(reading) or index or (solvable is False and part in open_parts):
            doubts.append(read.doubt(part, index))
    return replace(draft, doubts=tuple(doubts), is_solvable=solvable)


def _by_likelihood(parts: Sequence[Reading[Any]]) -> Iterator[tuple[int, ...]]:
    """Yield the index of an alternative for each part, the likeliest combination first."""
    # A combination comes from the one with one index less at its last changed place, so each comes once.
    queue = [(0.0, (0,) * len(parts), 0)]
    while queue:
        cost, indices, first = heapq.heappop(queue)
        yield indices
        for i in range(first, len(parts)):
            index, reading = indices[i], parts[i]
            if index + 1 < len(reading):
                more = cost + reading[index].likelihood - reading[index + 1].likelihood
                heapq.heappush(queue, (more, (*indices[:i], index + 1, *indices[i + 1 :]), i))


def _has_solution(draft: Draft, deadline: Deadline) -> bool | None:
    """Return whether the puzzle has a solution; None if that is not found in time, or it is not a puzzle."""
    try:
        result = solve(puzzle_of(draft), deadline=deadline)
    except InputError:  # the dominoes do not cover the board
        return None
    return {"solved": True, "infeasible": False}.get(result.status)
