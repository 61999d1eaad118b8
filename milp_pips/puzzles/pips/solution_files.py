"""Read and write solutions and partly filled boards of Pips, as text and as JSON.

A solution file has the rows of the board, from row 0 to the last: values with blanks between them or, if all
have one digit, without, and ``.`` where there is no cell. For a board that is not a grid, each line has the
name of a cell and its value. A line ``dominoes`` may follow, and a line with the position of each domino:
``5-1 r1c4 r1c3``, or the names of two cells, in quotes if they contain blanks. JSON has ``grid``, the same
rows with null where there is no cell (or ``values``, an object of values by cell). It may have ``dominoes``,
each with its ``pips`` and its ``cells``.

A partly filled board has the same format, with ``?`` in open cells, in JSON null. Named cells may be left
out. A domino on the board gives its cells their values, whether the rows repeat these values or not.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, TypeAlias, cast

from milp_pips.puzzles.drawn import symbols_text
from milp_pips.puzzles.family import JsonPieces
from milp_pips.puzzles.located import Lines, Located, Part, is_json, load, pair, quoted, whole
from milp_pips.puzzles.pips.puzzle import (
    MAX_PIPS_ROWS,
    Cell,
    Layout,
    Pips,
    PlacedDomino,
    cell_name,
)
from milp_pips.puzzles.pips.rules import MOST_PIPS

NO_SQUARE, OPEN_SQUARE = ".", "?"
DOMINOES = "dominoes"
"""The line before the positions of the dominoes in a text."""
UNFILLED = -1
"""The value of an open cell while a board is read."""

_LAID = re.compile(r'([0-9]{1,2})-([0-9]{1,2}) +("(?:[^"\\]|\\.)*"|[^\s"]\S*) +("(?:[^"\\]|\\.)*"|[^\s"]\S*)')

ROWS, VALUES = "the rows of the solution", "the values by cell"
PAIR_OF_PIPS = pair(whole(0, MOST_PIPS), "two numbers of pips")
"""Reads a domino in JSON."""

_ANY_PLACE = pair(whole(0, MAX_PIPS_ROWS), "a row and a column")

_Row: TypeAlias = tuple[Located, list[tuple[Located, int | None]]]
_Laid: TypeAlias = tuple[PlacedDomino, Located]
"""A domino on the board, and its place in the file."""


def to_json(puzzle: Pips, layout: Layout) -> dict[str, Any]:
    """Return ``grid`` (or ``values`` if the board is not a grid) and, if known, ``dominoes``."""
    cell_json: Callable[[Any], object] = list if puzzle.is_grid else cell_name
    if puzzle.is_grid:
        found: dict[str, Any] = {"grid": puzzle.rows(layout.values, None)}
    else:
        found = {"values": {cell_name(cell): layout.values[cell] for cell in puzzle.cells}}
    if layout.dominoes:
        found["dominoes"] = [
            {"pips": list(laid.pips), "cells": [cell_json(cell) for cell in laid.cells]}
            for laid in layout.dominoes
        ]
    return found


def json_pieces(puzzle: Pips) -> JsonPieces | None:
    """Return how to build ``to_json`` from pieces; None if a pip has two digits, or without a grid."""
    if not puzzle.is_grid or any(pip > 9 for domino in puzzle.dominoes for pip in domino):
        return None
    n = len(puzzle.cells)
    values = f'"grid": {json.dumps(puzzle.rows(dict.fromkeys(puzzle.cells, 0), None))}'
    in_reading_order = sorted(range(n), key=lambda i: cast("tuple[int, int]", puzzle.cells[i]))
    zeros = (zero.start() for zero in re.finditer("0", values))
    cells = [json.dumps(cell) for cell in puzzle.cells]

    def dominoes(piece: Sequence[tuple[int, int]]) -> Iterator[str]:
        values = dict(piece)
        for i, pip in piece:
            j = values.get(n + i, -1) if i < n else -1
            if j > i:
                yield f'{{"pips": [{pip}, {values[j]}], "cells": [{cells[i]}, {cells[j]}]}}'

    return JsonPieces(values, dict(zip(in_reading_order, zeros, strict=True)), "dominoes", dominoes)


def write_solution(puzzle: Pips, layout: Layout) -> str:
    """Return the text of a solution file: the pips in the cells and, if known, the dominoes."""
    if puzzle.is_grid:
        shown = {cell: str(layout.values[cell]) for cell in puzzle.cells}
        lines = [" ".join(row) for row in puzzle.rows(shown, NO_SQUARE)]
    else:
        lines = [f"{cell_name(cell)} {layout.values[cell]}" for cell in puzzle.cells]
    if layout.dominoes:
        lines.append(DOMINOES)
        lines += [
            f"{a}-{b} {_writable_name(first)} {_writable_name(second)}"
            for (a, b), (first, second) in layout.dominoes
        ]
    return "".join(f"{line}\n" for line in lines)


def read_solution(puzzle: Pips, source: str | Lines | Part, file: str = "") -> Layout:
    """Return the solution in a text, in lines or in a part of JSON, without checking the rules.

    Rows and columns beyond the board are allowed if they are empty. Raises InputError, which names the line.
    """
    values, dominoes = _Reader(puzzle, partly=False).read(source, file)
    return Layout(values, tuple(laid for laid, _ in dominoes))


def _writable_name(cell: Cell) -> str:
    name = cell_name(cell)
    return json.dumps(name, ensure_ascii=False) if name.split() != [name] or name.startswith('"') else name


def read_board(puzzle: Pips, text: str, file: str = "") -> dict[int, int]:
    """Return the values and the partners on a partly filled board, by variable as in ``encode``.

    Of the two cells of a domino, only the first has its partner in the result. Raises InputError, also for a
    value or a domino that the puzzle does not have, and for two dominoes on one cell.
    """
    values, dominoes = _Reader(puzzle, partly=True).read(text, file)
    number = {cell: i for i, cell in enumerate(puzzle.cells)}
    neighbours = set(map(frozenset, puzzle.edges))
    kinds = {tuple(sorted(domino)) for domino in puzzle.dominoes}
    filled, covered = {number[cell]: value for cell, value in values.items()}, set[Cell]()
    for (pips, cells), where in dominoes:
        name = f"domino {pips[0]}-{pips[1]}"
        if tuple(sorted(pips)) not in kinds:
            raise where.fault(f"{name} is not one of this puzzle's")
        if frozenset(cells) not in neighbours:
            names = " and ".join(map(cell_name, cells))
            raise where.fault(f"{name} lies on {names}, which are not neighbours")
        for cell, pip in zip(cells, pips, strict=True):
            if cell in covered:
                raise where.fault(f"a second domino lies on {cell_name(cell)}")
            covered.add(cell)
            if filled.setdefault(number[cell], pip) != pip:
                raise where.fault(f"{name} lies on {cell_name(cell)}, which shows {filled[number[cell]]}")
        i, j = sorted(number[cell] for cell in cells)
        filled[len(puzzle.cells) + i] = j
    return filled


class _Reader:
    """Reads the values of cells and the positions of dominoes. ``partly`` means that cells may be open.

    On a partly filled board, every value must be on some domino. So an error names the line of a mistake, and
    every board that a player could reach is accepted.
    """

    def __init__(self, puzzle: Pips, partly: bool):
        self._puzzle, self._partly = puzzle, partly
        self._places: set[object] = set(puzzle.cells)
        self._pips = {pip for domino in puzzle.dominoes for pip in domino}
        self._json_cells = pair(self._json_cell, "two cells")

    @cached_property
    def _cells(self) -> dict[str, Cell]:
        return {cell_name(cell): cell for cell in self._puzzle.cells}

    def read(self, source: str | Lines | Part, file: str) -> tuple[dict[Cell, int], list[_Laid]]:
        """Return the values by cell, and the dominoes. Raises InputError."""
        if isinstance(source, str):
            source = load(source, file) if is_json(source) else Lines(source, file)
        is_grid = self._puzzle.is_grid
        if isinstance(source, Lines):
            values = self._grid(self._rows(source), source) if is_grid else self._named(source)
            return values, list(self._dominoes(source))
        if is_grid and ("grid" in source or "values" not in source):
            grid = source.member("grid", ROWS)
            values = self._grid(map(_json_row, grid.elements(ROWS)), grid)
        else:
            values = self._json_named(source.member("values", VALUES))
        dominoes = source.optional("dominoes")
        return values, list(map(self._json_domino, dominoes.elements() if dominoes else ()))

    def _grid(self, rows: Iterable[_Row], end: Located) -> dict[Cell, int]:
        height, width = self._puzzle.extent
        values: dict[Cell, int] = {}
        row = -1
        for row, (place, entries) in enumerate(rows):
            used = len(entries)
            while used and entries[used - 1][1] is None:
                used -= 1
            too_wide = used > width or len(entries) > MAX_PIPS_ROWS
            if row < height and (too_wide or len(entries) < width):
                raise place.fault(f"row {row + 1} has {len(entries)} columns", str(width))
            if row >= height and (too_wide or used or row >= MAX_PIPS_ROWS):
                raise place.fault(f"there is a row {row + 1}", f"{height} rows")
            for column, (where, value) in enumerate(entries):
                self._keep(values, (row, column), value, where)
        if row + 1 < height:
            what = "board" if self._partly else "solution"
            raise end.fault(f"the {what} ends after row {row + 1}", f"{height} rows")
        return values

    def _keep(self, values: dict[Cell, int], cell: Cell, value: int | None, where: Located) -> None:
        """Check and store the value of a cell, or at a place of a grid. None is not a value.

        On a partly filled board, raises InputError if no domino has the value.
        """
        if cell not in self._places:
            if value is not None:
                has = "is open" if value == UNFILLED else f"has the value {value}"
                raise where.fault(f"{cell_name(cell)} {has}, but is not a cell of the board")
        elif value is None:
            if not (self._partly and isinstance(where, Part)):
                expected = f"a value, or '{OPEN_SQUARE}' for an open cell" if self._partly else ""
                raise where.fault(f"{cell_name(cell)} has no value", expected)
        elif value != UNFILLED:
            if self._partly and value not in self._pips:
                expected = symbols_text(list(map(str, sorted(self._pips))))
                raise where.fault(f"{cell_name(cell)} shows {value}, which is on no domino", expected)
            values[cell] = value

    def _require_complete(self, values: Mapping[Cell, int], end: Located) -> dict[Cell, int]:
        for cell in () if self._partly else self._puzzle.cells:
            if cell not in values:
                raise end.fault(f"{cell_name(cell)} has no value")
        return dict(values)

    # ------------------------------------------------------------------------------------------- text

    def _rows(self, lines: Lines) -> Iterator[_Row]:
        expected = f"a whole number from 0 to {MOST_PIPS}, or '{NO_SQUARE}' where there is no cell"
        if self._partly:
            marks = f"'{OPEN_SQUARE}' for an open cell, or '{NO_SQUARE}' for none"
            expected = f"a whole number from 0 to {MOST_PIPS}, {marks}"
        width = self._puzzle.extent[1]
        for row, line in enumerate(lines):
            if line.text == DOMINOES:
                return
            values: list[int | None] = []
            words = line.words()
            if len(words) == 1 and len(line.text) == width:
                words = list(line.text)
            for column, word in enumerate(words):
                if word == NO_SQUARE:
                    values.append(None)
                elif word == OPEN_SQUARE and self._partly:
                    values.append(UNFILLED)
                else:
                    what = f"the value of {cell_name((row, column))}"
                    values.append(line.integer(word, what, 0, MOST_PIPS, expected))
            yield line, [(line, value) for value in values]

    def _named(self, lines: Lines) -> dict[Cell, int]:
        values: dict[Cell, int] = {}
        for line in lines:
            if line.text == DOMINOES:
                break
            name, *rest = line.text.rsplit(maxsplit=1)
            if name not in self._cells or not rest:
                raise line.fault(f"{quoted(line.text)} is not a cell of the board and its value")
            if self._cells[name] in values:
                raise line.fault(f"{name} has a second value")
            if rest[0] != OPEN_SQUARE or not self._partly:
                value = line.integer(rest[0], f"the value of {name}", 0, MOST_PIPS)
                self._keep(values, self._cells[name], value, line)
        return self._require_complete(values, lines)

    def _dominoes(self, lines: Lines) -> Iterator[_Laid]:
        for line in lines:
            found = _LAID.fullmatch(line.text)
            if found is None:
                expected = "a line such as 5-1 r1c1 r1c2: the domino and its two cells"
                raise line.fault(f"{quoted(line.text)} does not give the position of a domino", expected)
            first, second = map(_read_name, (found[3], found[4]))
            for name in (first, second):
                if name not in self._cells:
                    raise line.fault(f"{quoted(name)} is not a cell of the board")
            pips = int(found[1]), int(found[2])
            yield PlacedDomino(pips, (self._cells[first], self._cells[second])), line

    # ------------------------------------------------------------------------------------------- JSON

    def _json_named(self, named: Part) -> dict[Cell, int]:
        values: dict[Cell, int] = {}
        for name, part in named.members(VALUES).items():
            if name not in self._cells:
                raise part.fault(f"{quoted(name)} is not a cell of the board")
            if part.value is not None or not self._partly:
                self._keep(values, self._cells[name], part.integer(0, MOST_PIPS), part)
        return self._require_complete(values, named)

    def _json_domino(self, part: Part) -> _Laid:
        pips = PAIR_OF_PIPS(part.member("pips"))
        return PlacedDomino(pips, self._json_cells(part.member("cells"))), part

    def _json_cell(self, part: Part) -> Cell:
        cell: Cell | None
        if self._puzzle.is_grid:
            cell = _ANY_PLACE(part)
        else:
            cell = self._cells.get(part.value) if isinstance(part.value, str) else None
        if cell is None or cell not in self._places:
            shown = cell_name(cell) if self._puzzle.is_grid else part.shown
            raise part.fault(f"{shown} is not a cell of the board")
        return cell


def _json_row(part: Part) -> _Row:
    entries = part.elements("a row of values")
    return part, [(entry, None if entry.value is None else entry.integer(0, MOST_PIPS)) for entry in entries]


def _read_name(written: str) -> str:
    """Return the name of a cell. A name in quotes is a JSON string."""
    if not written.startswith('"'):
        return written
    try:
        return str(json.loads(written))
    except ValueError:
        return written
