"""Draw a Pips puzzle, or a layout on it; describe it as plain data, from which a page builds a board."""

from __future__ import annotations

from collections.abc import Collection
from itertools import cycle
from typing import Any, cast

from milp_pips.puzzles.pips.puzzle import Cell, Layout, Pips, Region, cell_name, shared_sides
from milp_pips.render.vocabulary import (
    GREY,
    PALETTE,
    Drawing,
    Graph,
    Grid,
    Line,
    Link,
    Node,
    Note,
    Place,
    Square,
    Tray,
    Wall,
    connected_parts,
    distinct_colours,
    fill_in,
    neighbours,
)


def draw(puzzle: Pips, solution: Layout | None) -> Drawing:
    """Return the board with its regions and their signs. Dominoes are in the tray, or on the board if solved.

    A board is drawn as squares if dominoes lie on squares that share a side, and as a graph otherwise.
    """
    painter = _Painter(puzzle)
    board, notes = painter.grid_and_notes() if painter.has_squares else painter.graph_and_notes()
    drawing = Drawing(puzzle.name, board, notes, places=dict(enumerate(puzzle.cells)))
    if solution is None:
        return drawing._replace(tray=Tray("dominoes", tuple((str(a), str(b)) for a, b in puzzle.dominoes)))
    # The layout may be wrong. Draw as much of it as fits the board.
    cells = set(puzzle.cells)
    texts = {cell: str(value) for cell, value in solution.values.items() if cell in cells}
    return fill_in(drawing, texts, [laid.cells for laid in solution.dominoes if cells >= set(laid.cells)])


class _Painter:
    """Draws one puzzle. Knows the regions of every cell, and the colours of the regions."""

    def __init__(self, puzzle: Pips):
        self._puzzle = puzzle
        numbers: dict[Cell, list[int]] = {cell: [] for cell in puzzle.cells}
        for i, region in enumerate(puzzle.regions):
            for cell in dict.fromkeys(region.cells):
                numbers[cell].append(i)
        self._regions_of = {cell: tuple(inside) for cell, inside in numbers.items()}
        sides = shared_sides(cast("tuple[Place, ...]", puzzle.cells)) if puzzle.is_grid else ()
        self.has_squares = puzzle.is_grid and set(map(frozenset, puzzle.edges)) == set(map(frozenset, sides))
        self._fills = self._colours()

    def _colours(self) -> list[str]:
        """Return the colour of every region: grey without a rule, else a colour that no neighbour has.

        On a board of squares, regions that do not touch may have the same colour. On a graph, only its colour
        marks a region, so all regions differ as long as there are colours.
        """
        puzzle = self._puzzle
        ruled = [i for i, region in enumerate(puzzle.regions) if region.rule is not None]
        if not self.has_squares:
            colours = dict(zip(ruled, cycle(PALETTE), strict=False))
            return [colours.get(i, GREY) for i in range(len(puzzle.regions))]
        near: dict[int, set[int]] = {i: set() for i in ruled}
        shared = ((cell, cell) for cell in puzzle.cells)
        for one, other in (*puzzle.edges, *shared):
            for i in self._regions_of[one]:
                for j in self._regions_of[other]:
                    if i != j and i in near and j in near:
                        near[i].add(j)
                        near[j].add(i)
        colours = distinct_colours(near)
        return [colours.get(i, GREY) for i in range(len(puzzle.regions))]

    def grid_and_notes(self) -> tuple[Grid, tuple[Note, ...]]:
        """Return a board of squares, and notes on regions that borders and signs cannot show."""
        signs: dict[Cell, list[str]] = {}
        for region in self._puzzle.regions:
            for part in _parts(region.cells):
                if region.sign:
                    signs.setdefault(part[0], []).append(region.sign)
        squares = {
            cast(Place, cell): Square(corner=" ".join(signs.get(cell, ())), fill=self._fills_of(cell)[0])
            for cell in self._puzzle.cells
        }
        walls: dict[Wall, Line] = {}
        for place in squares:
            for other in neighbours(place):
                walls[min(place, other), max(place, other)] = self._line(place, other)
        return Grid(squares, walls=walls), tuple(
            self._note(i) for i, region in enumerate(self._puzzle.regions) if not self._is_plain(region)
        )

    def _line(self, place: Place, other: Place) -> Line:
        if self._regions_of[place] != self._regions_of.get(other):  # None outside the board
            return Line.THICK
        return Line.FAINT if self._regions_of[place] else Line.THIN

    def _is_plain(self, region: Region) -> bool:
        """Return whether borders and sign show the region: it is connected and shares no cell."""
        alone = all(len(self._regions_of[cell]) == 1 for cell in region.cells)
        return region.rule is None or (alone and len(_parts(region.cells)) == 1)

    def graph_and_notes(self) -> tuple[Graph, tuple[Note, ...]]:
        """Return the board as a graph, a note for every region with a rule, and one for all other cells."""
        puzzle = self._puzzle
        if puzzle.is_grid:
            at = {cell: (float(c), float(r)) for cell in puzzle.cells for r, c in (cast(Place, cell),)}
        else:
            from milp_pips.render.layout import positions

            at = positions(puzzle.cells, puzzle.edges)
        signs = self._signs()
        nodes = {
            cell: Node(
                *at[cell],
                cell_name(cell),
                corner=" ".join(signs.get(cell, ())),
                fills=self._fills_of(cell),
            )
            for cell in puzzle.cells
        }
        graph = Graph(nodes, tuple(Link(*edge) for edge in puzzle.edges))
        ruled = {i for i, region in enumerate(puzzle.regions) if region.rule is not None}
        notes = [self._note(i) for i in sorted(ruled)]
        free = [cell_name(cell) for cell in puzzle.cells if ruled.isdisjoint(self._regions_of[cell])]
        if free:
            notes.append(Note("no rule", tuple(free), GREY))
        return graph, tuple(notes)

    def _signs(self) -> dict[Cell, list[str]]:
        signs: dict[Cell, list[str]] = {}
        order = {cell: i for i, cell in enumerate(self._puzzle.cells)}
        for region in self._puzzle.regions:
            if region.sign and region.cells:
                # Prefer a cell without another sign, then one with few colours, which shows whose sign it is.
                cell = min(region.cells, key=lambda c: (c in signs, len(self._regions_of[c]), order[c]))
                signs.setdefault(cell, []).append(region.sign)
        return signs

    def _fills_of(self, cell: Cell) -> tuple[str, ...]:
        return tuple(self._fills[i] for i in self._regions_of[cell]) or (GREY,)

    def _note(self, i: int) -> Note:
        region = self._puzzle.regions[i]
        return Note(region.sign, tuple(cell_name(cell) for cell in region.cells), self._fills[i])


def _parts(cells: Collection[Cell]) -> list[list[Place]]:
    """Return the connected parts of a region on a grid, the cells of each in reading order."""
    return [sorted(part) for part in connected_parts(sorted(cast("Collection[Place]", cells)))]


def outline(puzzle: Pips) -> dict[str, Any]:
    """Return ``pips``: rows, columns, cells, edges, regions and dominoes; null if the board is not a grid.

    A cell has its name and its place, counted from 0. Its ``region`` is the number of the first region that
    contains it, or null.
    """
    if not puzzle.is_grid:
        return {"pips": None}
    region_of: dict[Cell, int] = {}
    for number, region in enumerate(puzzle.regions):
        for cell in region.cells:
            region_of.setdefault(cell, number)
    rows, columns = puzzle.extent
    places = cast("tuple[tuple[int, int], ...]", puzzle.cells)
    board = {
        "rows": rows,
        "columns": columns,
        "cells": [
            {"cell": cell_name(cell), "row": cell[0], "column": cell[1], "region": region_of.get(cell)}
            for cell in places
        ],
        "edges": [[cell_name(a), cell_name(b)] for a, b in puzzle.edges],
        "regions": [_region(region) for region in puzzle.regions],
        "dominoes": [list(domino) for domino in puzzle.dominoes],
    }
    return {"pips": board}


def _region(region: Region) -> dict[str, Any]:
    return {
        "label": region.label,
        "cells": [cell_name(cell) for cell in region.cells],
        "rule": {"kind": region.kind.json, "value": region.target},
        "text": region.sign,
    }
