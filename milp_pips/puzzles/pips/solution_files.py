"""Solutions as files and as JSON.

A solution file holds the board's rows, from row 0 to the last, values separated by blanks and ``.`` where
there is no cell; of a board that is no grid it holds the name of a cell and its value on each line. JSON
holds ``grid``, the same rows with null where there is no cell (or ``values``, an object of values by cell),
and it may be ``dominoes``, each with its ``pips`` and the ``cells`` they lie on.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias, cast

from milp_pips.puzzles.family import JsonPieces
from milp_pips.puzzles.located import Lines, Located, Part, load, quoted
from milp_pips.puzzles.pips.puzzle import MOST_PIPS, MOST_ROWS, Cell, Laid, Layout, Pips, cell_name

NO_CELL = "."

_Entry: TypeAlias = tuple[Located, int | None]
_Row: TypeAlias = tuple[Located, list[_Entry]]


def to_json(puzzle: Pips, layout: Layout) -> dict[str, Any]:
    """Return ``grid`` (or ``values`` where the board is no grid) and, where they are known, ``dominoes``."""
    spoken: Callable[[Any], object] = list if puzzle.is_grid else cell_name
    if puzzle.is_grid:
        found: dict[str, Any] = {"grid": puzzle.rows(layout.values, None)}
    else:
        found = {"values": {cell_name(cell): layout.values[cell] for cell in puzzle.cells}}
    if layout.dominoes:
        found["dominoes"] = [
            {"pips": list(laid.pips), "cells": [spoken(cell) for cell in laid.cells]}
            for laid in layout.dominoes
        ]
    return found


def json_pieces(puzzle: Pips) -> JsonPieces | None:
    """Return how ``to_json`` of a layout is put together; None where a pip has two digits, or no place."""
    if not puzzle.is_grid or any(pip > 9 for domino in puzzle.dominoes for pip in domino):
        return None
    n = len(puzzle.cells)
    values = f'"grid": {json.dumps(puzzle.rows(dict.fromkeys(puzzle.cells, 0), None))}'
    in_reading_order = sorted(range(n), key=lambda i: cast("tuple[int, int]", puzzle.cells[i]))
    zeros = (zero.start() for zero in re.finditer("0", values))
    spoken = [json.dumps(cell) for cell in puzzle.cells]

    def dominoes(piece: Sequence[tuple[int, int]]) -> Iterator[str]:
        said = dict(piece)
        for i, pip in piece:
            j = said.get(n + i, -1) if i < n else -1
            if j > i:
                yield f'{{"pips": [{pip}, {said[j]}], "cells": [{spoken[i]}, {spoken[j]}]}}'

    return JsonPieces(values, dict(zip(in_reading_order, zeros, strict=True)), "dominoes", dominoes)


def write(puzzle: Pips, layout: Layout) -> str:
    """Return the text of a solution file; it says where the pips are, not where the dominoes lie."""
    if puzzle.is_grid:
        shown = {cell: str(layout.values[cell]) for cell in puzzle.cells}
        lines = [" ".join(row) for row in puzzle.rows(shown, NO_CELL)]
    else:
        lines = [f"{cell_name(cell)} {layout.values[cell]}" for cell in puzzle.cells]
    return "".join(f"{line}\n" for line in lines)


def read(puzzle: Pips, text: str, file: str = "") -> Layout:
    """Return the solution in a file, text or JSON; whether it is right is not judged here.

    Rows and columns beyond the board are fine as long as nothing is in them. Raises InputError, which names
    the line.
    """
    if text.removeprefix("\ufeff").lstrip().startswith("{"):
        return _read_json(puzzle, load(text, file))
    lines = Lines(text, file)
    if puzzle.is_grid:
        return Layout(_grid_values(puzzle, _text_rows(lines), lines))
    cell_of = {cell_name(cell): cell for cell in puzzle.cells}
    values: dict[Cell, int] = {}
    for line in lines:
        name, *rest = line.text.rsplit(maxsplit=1)
        if name not in cell_of or not rest:
            raise line.fault(f"{quoted(line.text)} is no cell of the board and its value")
        if cell_of[name] in values:
            raise line.fault(f"{name} has a second value")
        values[cell_of[name]] = line.integer(rest[0], f"the value of {name}", 0, MOST_PIPS)
    _check_complete(puzzle, values, lines)
    return Layout(values)


def _grid_values(puzzle: Pips, found: Iterable[_Row], end: Located) -> dict[Cell, int]:
    height, width = puzzle.extent
    board = set(puzzle.cells)
    values: dict[Cell, int] = {}
    row = -1
    for row, (place, entries) in enumerate(found):
        filled = max((column for column, (_, value) in enumerate(entries, 1) if value is not None), default=0)
        too_wide = filled > width or len(entries) > MOST_ROWS
        if row < height and (too_wide or len(entries) < width):
            raise place.fault(f"row {row + 1} has {len(entries)} columns", str(width))
        if row >= height and (too_wide or filled or row >= MOST_ROWS):
            raise place.fault(f"there is a row {row + 1}", f"{height} rows")
        for column, (where, value) in enumerate(entries):
            cell = row, column
            if value is None:
                if cell in board:
                    raise where.fault(f"{cell_name(cell)} has no value")
                continue
            if cell not in board:
                raise where.fault(f"{cell_name(cell)} has the value {value}, but is no cell of the board")
            values[cell] = value
    if row + 1 < height:
        raise end.fault(f"the solution ends after row {row + 1}", f"{height} rows")
    return values


def _text_rows(lines: Lines) -> Iterator[_Row]:
    expected = f"a whole number from 0 to {MOST_PIPS}, or '{NO_CELL}' where there is no cell"
    for row, line in enumerate(lines):
        entries: list[_Entry] = []
        for column, word in enumerate(line.words()):
            what = f"the value of {cell_name((row, column))}"
            entries.append(
                (line, None if word == NO_CELL else line.integer(word, what, 0, MOST_PIPS, expected))
            )
        yield line, entries


def _check_complete(puzzle: Pips, values: Mapping[Cell, int], end: Located) -> None:
    for cell in puzzle.cells:
        if cell not in values:
            raise end.fault(f"{cell_name(cell)} has no value")


def _read_json(puzzle: Pips, document: Part) -> Layout:
    is_grid = puzzle.is_grid
    cell_of: dict[object, Cell] = {cell if is_grid else cell_name(cell): cell for cell in puzzle.cells}
    values: dict[Cell, int] = {}
    if is_grid:
        grid = document.member("grid", "the rows of the solution")
        values = _grid_values(puzzle, map(_json_row, grid.elements("the rows of the solution")), grid)
    else:
        named = document.member("values", "the values by cell")
        for name, value in named.members("the values by cell").items():
            if name not in cell_of:
                raise value.fault(f"{quoted(name)} is no cell of the board")
            values[cell_of[name]] = value.integer(0, MOST_PIPS)
        _check_complete(puzzle, values, named)
    dominoes = document.optional("dominoes")
    laid = []
    for part in dominoes.elements() if dominoes else ():
        a, b = part.member("pips").elements("two numbers of pips", 2)
        first, second = part.member("cells").elements("two cells", 2)
        pips = a.integer(0, MOST_PIPS), b.integer(0, MOST_PIPS)
        laid.append(Laid(pips, (_cell(first, cell_of, is_grid), _cell(second, cell_of, is_grid))))
    return Layout(values, tuple(laid))


def _json_row(part: Part) -> _Row:
    entries = part.elements("a row of values")
    return part, [(entry, None if entry.value is None else entry.integer(0, MOST_PIPS)) for entry in entries]


def _cell(part: Part, cells: Mapping[object, Cell], is_grid: bool) -> Cell:
    if is_grid:
        row, column = part.elements("a row and a column", 2)
        named: object = row.integer(0, MOST_ROWS), column.integer(0, MOST_ROWS)
        shown = cell_name(named)
    else:
        named, shown = part.value if isinstance(part.value, str) else None, part.shown
    if named not in cells:
        raise part.fault(f"{shown} is no cell of the board")
    return cells[named]
