"""Read and write solutions and partly filled boards of Pips, as text and as JSON.

A solution file has the rows of the board, from row 0 to the last: values separated by blanks, and ``.`` where
there is no cell. For a board that is not a grid, each line has the name of a cell and its value. A line
``dominoes`` may follow, and a line with the position of each domino: ``5-1 r1c4 r1c3``, or the names of two
cells, in quotes if they contain blanks. JSON has ``grid``, the same rows with null where there is no cell (or
``values``, an object of values by cell). It may have ``dominoes``, each with its ``pips`` and its ``cells``.

A partly filled board has the same format, with ``?`` in open cells, in JSON null. Named cells may be left
out. A domino on the board gives its cells their values, whether the rows repeat these values or not.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias, cast

from milp_pips.puzzles.family import JsonPieces
from milp_pips.puzzles.located import Lines, Located, Part, load, quoted
from milp_pips.puzzles.pips.puzzle import (
    MAX_PIPS_ROWS,
    MOST_PIPS,
    Cell,
    Layout,
    Pips,
    PlacedDomino,
    cell_name,
)

NO_SQUARE, OPEN_SQUARE = ".", "?"
DOMINOES = "dominoes"
"""The line before the positions of the dominoes in a text."""
UNFILLED = -1
"""The value of an open cell while a board is read."""

_LAID = re.compile(r'([0-9]{1,2})-([0-9]{1,2}) +("(?:[^"\\]|\\.)*"|[^\s"]\S*) +("(?:[^"\\]|\\.)*"|[^\s"]\S*)')

_Entry: TypeAlias = tuple[Located, int | None]
_Row: TypeAlias = tuple[Located, list[_Entry]]
_Found: TypeAlias = tuple[dict[Cell, int], list[tuple[PlacedDomino, Located]]]
"""Values by cell, and the dominoes with their place in the file."""


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
    """Return how to build ``to_json`` from pieces; None if pips have two digits or the board is no grid."""
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


def write(puzzle: Pips, layout: Layout) -> str:
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


def read(puzzle: Pips, text: str, file: str = "") -> Layout:
    """Return the solution in a file, text or JSON, without checking the rules.

    Rows and columns beyond the board are allowed if they are empty. Raises InputError, which names the line.
    """
    values, dominoes = _Reader(puzzle, partly=False).read(text, file)
    return Layout(values, tuple(laid for laid, _ in dominoes))


def read_lines(puzzle: Pips, lines: Lines) -> Layout:
    """Return the solution in the rest of a text, as ``read`` does."""
    values, dominoes = _Reader(puzzle, partly=False).read_lines(lines)
    return Layout(values, tuple(laid for laid, _ in dominoes))


def read_part(puzzle: Pips, part: Part) -> Layout:
    """Return the solution in a part of a JSON document, as ``read`` does."""
    values, dominoes = _Reader(puzzle, partly=False).read_part(part)
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
        self._spoken: dict[object, Cell] = {
            cell if puzzle.is_grid else cell_name(cell): cell for cell in puzzle.cells
        }
        self._cells = {cell_name(cell): cell for cell in puzzle.cells}
        self._pips = sorted({pip for domino in puzzle.dominoes for pip in domino})

    def read(self, text: str, file: str) -> _Found:
        """Return the values, and the dominoes with their place in the file. Raises InputError."""
        if text.removeprefix("\ufeff").lstrip().startswith("{"):
            return self.read_part(load(text, file))
        return self.read_lines(Lines(text, file))

    def read_part(self, document: Part) -> _Found:
        """Return the content of a JSON object. Raises InputError."""
        return self._json_values(document), list(self._dominoes(document))

    def read_lines(self, lines: Lines) -> _Found:
        """Return the content of the lines of a text. Raises InputError."""
        is_grid = self._puzzle.is_grid
        values = self._grid(self._text_rows(lines), lines) if is_grid else self._read_named_cells(lines)
        return values, list(self._text_dominoes(lines))

    def _grid(self, found: Iterable[_Row], end: Located) -> dict[Cell, int]:
        height, width = self._puzzle.extent
        values: dict[Cell, int] = {}
        row = -1
        for row, (place, entries) in enumerate(found):
            filled = max(
                (column for column, (_, value) in enumerate(entries, 1) if value is not None), default=0
            )
            too_wide = filled > width or len(entries) > MAX_PIPS_ROWS
            if row < height and (too_wide or len(entries) < width):
                raise place.fault(f"row {row + 1} has {len(entries)} columns", str(width))
            if row >= height and (too_wide or filled or row >= MAX_PIPS_ROWS):
                raise place.fault(f"there is a row {row + 1}", f"{height} rows")
            for column, (where, value) in enumerate(entries):
                self._keep(values, (row, column), value, where)
        if row + 1 < height:
            what = "board" if self._partly else "solution"
            raise end.fault(f"the {what} ends after row {row + 1}", f"{height} rows")
        return values

    def _keep(
        self, values: dict[Cell, int], cell: tuple[int, int], value: int | None, where: Located
    ) -> None:
        """Check and store the value at a place of a grid. None is no value."""
        on_board, is_json = cell in self._spoken, isinstance(where, Part)
        if value is None:
            if on_board and not (self._partly and is_json):
                expected = f"a value, or '{OPEN_SQUARE}' for an open cell" if self._partly else ""
                raise where.fault(f"{cell_name(cell)} has no value", expected)
        elif not on_board:
            has = "is open" if value == UNFILLED else f"has the value {value}"
            raise where.fault(f"{cell_name(cell)} {has}, but is not a cell of the board")
        elif value != UNFILLED:
            values[cell] = self._require_on_a_domino(value, cell, where)

    def _require_on_a_domino(self, value: int, cell: Cell, where: Located) -> int:
        """Return the value. On a partly filled board, raises InputError if no domino has the value."""
        if self._partly and value not in self._pips:
            *others, last = map(str, self._pips)
            expected = f"{', '.join(others)} or {last}" if others else last
            raise where.fault(f"{cell_name(cell)} shows {value}, which is on no domino", expected)
        return value

    def _text_rows(self, lines: Lines) -> Iterator[_Row]:
        expected = f"a whole number from 0 to {MOST_PIPS}, or '{NO_SQUARE}' where there is no cell"
        if self._partly:
            expected = (
                f"a whole number from 0 to {MOST_PIPS}, '{OPEN_SQUARE}' for an open cell, "
                f"or '{NO_SQUARE}' for none"
            )
        for row, line in enumerate(lines):
            if line.text == DOMINOES:
                return
            entries: list[_Entry] = []
            for column, word in enumerate(line.words()):
                what = f"the value of {cell_name((row, column))}"
                value: int | None = UNFILLED
                if word == NO_SQUARE:
                    value = None
                elif word != OPEN_SQUARE or not self._partly:
                    value = line.integer(word, what, 0, MOST_PIPS, expected)
                entries.append((line, value))
            yield line, entries

    def _read_named_cells(self, lines: Lines) -> dict[Cell, int]:
        values: dict[Cell, int] = {}
        for line in lines:
            if line.text == DOMINOES:
                break
            name, *rest = line.text.rsplit(maxsplit=1)
            if name not in self._spoken or not rest:
                raise line.fault(f"{quoted(line.text)} is not a cell of the board and its value")
            cell = self._spoken[name]
            if cell in values:
                raise line.fault(f"{name} has a second value")
            if rest[0] != OPEN_SQUARE or not self._partly:
                value = line.integer(rest[0], f"the value of {name}", 0, MOST_PIPS)
                values[cell] = self._require_on_a_domino(value, cell, line)
        self._check_complete(values, lines)
        return values

    def _check_complete(self, values: Mapping[Cell, int], end: Located) -> None:
        for cell in self._puzzle.cells:
            if cell not in values and not self._partly:
                raise end.fault(f"{cell_name(cell)} has no value")

    def _json_values(self, document: Part) -> dict[Cell, int]:
        if self._puzzle.is_grid and ("grid" in document or "values" not in document):
            grid = document.member("grid", "the rows of the solution")
            return self._grid(map(_json_row, grid.elements("the rows of the solution")), grid)
        values: dict[Cell, int] = {}
        named, cells = document.member("values", "the values by cell"), self._cells
        for name, value in named.members("the values by cell").items():
            if name not in cells:
                raise value.fault(f"{quoted(name)} is not a cell of the board")
            if value.value is not None or not self._partly:
                cell = cells[name]
                values[cell] = self._require_on_a_domino(value.integer(0, MOST_PIPS), cell, value)
        self._check_complete(values, named)
        return values

    def _text_dominoes(self, lines: Lines) -> Iterator[tuple[PlacedDomino, Located]]:
        cells = self._cells
        for line in lines:
            found = _LAID.fullmatch(line.text)
            if found is None:
                expected = "a line such as 5-1 r1c1 r1c2: the domino and its two cells"
                raise line.fault(f"{quoted(line.text)} does not give the position of a domino", expected)
            names = [_read_name(name) for name in (found[3], found[4])]
            for name in names:
                if name not in cells:
                    raise line.fault(f"{quoted(name)} is not a cell of the board")
            yield PlacedDomino((int(found[1]), int(found[2])), (cells[names[0]], cells[names[1]])), line

    def _dominoes(self, document: Part) -> Iterator[tuple[PlacedDomino, Located]]:
        dominoes = document.optional("dominoes")
        for part in dominoes.elements() if dominoes else ():
            a, b = part.member("pips").elements("two numbers of pips", 2)
            first, second = part.member("cells").elements("two cells", 2)
            pips = a.integer(0, MOST_PIPS), b.integer(0, MOST_PIPS)
            yield PlacedDomino(pips, (self._cell(first), self._cell(second))), part

    def _cell(self, part: Part) -> Cell:
        if self._puzzle.is_grid:
            row, column = part.elements("a row and a column", 2)
            named: object = row.integer(0, MAX_PIPS_ROWS), column.integer(0, MAX_PIPS_ROWS)
            shown = cell_name(named)
        else:
            named, shown = part.value if isinstance(part.value, str) else None, part.shown
        if named not in self._spoken:
            raise part.fault(f"{shown} is not a cell of the board")
        return self._spoken[named]


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
