"""The picture of a Pips puzzle, and of a layout on it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import TypeAlias, cast

from milp_pips.drawing import (
    GREY,
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
    distinct_colours,
    neighbours,
)
from milp_pips.puzzles.pips.puzzle import Cell, Layout, Pips, Region, cell_name

Membership: TypeAlias = Mapping[Cell, tuple[int, ...]]
"""The regions that every cell of the board is in, by their numbers; usually one or none."""


def draw(puzzle: Pips, solution: Layout | None = None) -> Drawing:
    """Return the board with its regions, their signs and the dominoes; or with the layout on it.

    A board whose dominoes lie on squares that share a side is drawn as squares, any other as a graph.
    """
    membership = _membership(puzzle)
    squares = _has_squares(puzzle)
    fills = _fills(puzzle, membership, alike=squares)
    board: Grid | Graph
    notes: tuple[Note, ...] = ()
    if not squares:
        board = _graph(puzzle, membership, fills, solution)
        notes = _notes(puzzle, membership, fills)
    elif solution is None:
        board = _grid(puzzle, membership, fills)
        notes = tuple(
            _note(region, fill)
            for region, fill in zip(puzzle.regions, fills, strict=True)
            if not _is_plain(region, membership)
        )
    else:
        board = _solved_grid(puzzle, membership, fills, solution)
    tray = Tray("dominoes", tuple((str(a), str(b)) for a, b in puzzle.dominoes))
    return Drawing(puzzle.name, board, notes, tray if solution is None else None)


def _membership(puzzle: Pips) -> Membership:
    inside: dict[Cell, list[int]] = {cell: [] for cell in puzzle.cells}
    for i, region in enumerate(puzzle.regions):
        for cell in dict.fromkeys(region.cells):
            inside[cell].append(i)
    return {cell: tuple(numbers) for cell, numbers in inside.items()}


def _has_squares(puzzle: Pips) -> bool:
    """Whether the cells are places on a grid and the edges are all the sides that two of them share."""
    if not all(_is_place(cell) for cell in puzzle.cells):
        return False
    board = set(puzzle.cells)
    sides = {frozenset((cell, n)) for cell in board for n in neighbours(cast(Place, cell)) if n in board}
    return sides == {frozenset(edge) for edge in puzzle.edges}


def _is_place(cell: Cell) -> bool:
    return isinstance(cell, tuple) and len(cell) == 2 and all(isinstance(n, int) for n in cell)


def _fills(puzzle: Pips, membership: Membership, alike: bool) -> list[str]:
    """Return the colour of every region: grey without a rule, else another one than its neighbours have.

    Regions that do not touch may look alike on a board of squares; on a graph, where nothing but the
    colour holds a region together, all differ as long as the colours last.
    """
    ruled = [i for i, region in enumerate(puzzle.regions) if region.rule is not None]
    near: dict[int, set[int]] = {i: set() if alike else set(ruled) - {i} for i in ruled}
    shared = ((cell, cell) for cell in puzzle.cells)
    for one, other in (*puzzle.edges, *shared):
        for i in membership[one]:
            for j in membership[other]:
                if i != j and i in near and j in near:
                    near[i].add(j)
                    near[j].add(i)
    colours = distinct_colours(near)
    return [colours.get(i, GREY) for i in range(len(puzzle.regions))]


def _fill_of(cell: Cell, membership: Membership, fills: list[str]) -> str:
    return next((fills[i] for i in membership[cell]), GREY)


def _grid(puzzle: Pips, membership: Membership, fills: list[str]) -> Grid:
    signs: dict[Cell, list[str]] = {}
    for region in puzzle.regions:
        for part in _parts(region.cells):
            if region.sign:
                signs.setdefault(part[0], []).append(region.sign)
    squares = {
        cast(Place, cell): Square(
            corner=" ".join(signs.get(cell, ())), fill=_fill_of(cell, membership, fills)
        )
        for cell in puzzle.cells
    }
    walls: dict[Wall, Line] = {}
    for place in squares:
        for other in neighbours(place):
            walls[min(place, other), max(place, other)] = _line(membership[place], membership.get(other))
    return Grid(squares, walls=walls)


def _line(here: tuple[int, ...], there: tuple[int, ...] | None) -> Line:
    """The line between a cell and its neighbour; None is what lies outside the board."""
    if here != there:
        return Line.THICK
    return Line.FAINT if here else Line.THIN


def _parts(cells: Collection[Cell]) -> Iterator[list[Place]]:
    """Yield the connected parts of a region on a grid, the cells of each in reading order."""
    left = {cast(Place, cell) for cell in cells}
    while left:
        part = [min(left)]
        left.discard(part[0])
        for place in part:
            found = left.intersection(neighbours(place))
            part += found
            left -= found
        yield sorted(part)


def _is_plain(region: Region, membership: Membership) -> bool:
    """Whether borders and sign alone tell the region: it hangs together and shares no cell with another."""
    whole = len(list(_parts(region.cells))) == 1
    return region.rule is None or (whole and all(len(membership[cell]) == 1 for cell in region.cells))


def _solved_grid(puzzle: Pips, membership: Membership, fills: list[str], solution: Layout) -> Grid:
    squares = {
        cast(Place, cell): Square(_value(solution, cell), fill=_fill_of(cell, membership, fills))
        for cell in puzzle.cells
    }
    return Grid(squares, tiles=cast(tuple[tuple[Place, ...], ...], _tiles(solution, membership)))


def _tiles(solution: Layout, membership: Membership) -> tuple[tuple[Cell, ...], ...]:
    # A layout may be wrong, and is drawn all the same.
    return tuple(laid.cells for laid in solution.dominoes if membership.keys() >= set(laid.cells))


def _value(solution: Layout | None, cell: Cell) -> str:
    return str(solution.values[cell]) if solution is not None and cell in solution.values else ""


def _graph(puzzle: Pips, membership: Membership, fills: list[str], solution: Layout | None) -> Graph:
    if all(_is_place(cell) for cell in puzzle.cells):
        at = {cell: (float(c), float(r)) for cell in puzzle.cells for r, c in (cast(Place, cell),)}
    else:
        from milp_pips.drawing.positions import positions  # rarely needed: start-up is quicker without

        at = positions(puzzle.cells, puzzle.edges)
    signs: dict[Cell, list[str]] = {}
    order = {cell: i for i, cell in enumerate(puzzle.cells)}
    for region in puzzle.regions:
        if region.sign and region.cells:
            # Best on a cell that has no other sign and, by its one colour, tells whose sign it is.
            cell = min(region.cells, key=lambda c: (c in signs, len(membership[c]), order[c]))
            signs.setdefault(cell, []).append(region.sign)
    nodes = {
        cell: Node(
            *at[cell],
            name=cell_name(cell),
            text=_value(solution, cell),
            corner=" ".join(signs.get(cell, ())),
            fills=tuple(fills[i] for i in membership[cell]) or (GREY,),
        )
        for cell in puzzle.cells
    }
    tiles = () if solution is None else _tiles(solution, membership)
    return Graph(nodes, tuple(Link(*edge) for edge in puzzle.edges), tiles)


def _notes(puzzle: Pips, membership: Membership, fills: list[str]) -> tuple[Note, ...]:
    """A note for every region with a rule, and one for all cells without."""
    notes = [
        _note(region, fill)
        for region, fill in zip(puzzle.regions, fills, strict=True)
        if region.rule is not None
    ]
    free = [c for c in puzzle.cells if all(puzzle.regions[i].rule is None for i in membership[c])]
    if free:
        notes.append(Note("no rule", tuple(cell_name(cell) for cell in free), GREY))
    return tuple(notes)


def _note(region: Region, fill: str) -> Note:
    return Note(region.sign, tuple(cell_name(cell) for cell in region.cells), fill)
