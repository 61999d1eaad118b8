"""Pips puzzles in JSON: the one of the New York Times, and one of named cells and links.

The Times' JSON has the three puzzles of a day. The levels ``easy``, ``medium`` and ``hard`` each hold
``dominoes`` (pairs of pips), ``regions`` (each with the ``indices`` of its cells as pairs (row, column), a
``type`` and, where the type has one, a ``target``), and it may be a ``solution``, which names the two cells
on which each of the dominoes lies.

The graph format names its cells, with links where a domino can lie::

    {"name": "chain",
     "dominoes": [[1, 2], [2, 2]],
     "constraints": [{"type": "equals", "cells": ["b", "c"]}, {"type": "sum", "cells": ["d"], "target": 2}],
     "links": {"a": ["b"], "b": ["a", "c"], "c": ["b", "d"], "d": ["c"]}}

Every cell is a key of ``links``, and a link is named at both its ends. The types are those of the Times' JSON
as well as ``at most`` and ``at least``. A cell may be in several constraints.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from typing import Any

from milp_pips.errors import UsageError
from milp_pips.puzzles.located import Part, load, quoted
from milp_pips.puzzles.pips.puzzle import (
    LARGEST_TARGET,
    LAST_INDEX,
    MOST_PIPS,
    Cell,
    Laid,
    Layout,
    Pips,
    Region,
    Rule,
    cell_name,
    region_labels,
)

LEVELS = ("easy", "medium", "hard")
MOST_DOMINOES = (6, 10)
"""Of a written puzzle that is called easy, and medium."""
TYPES: Mapping[str, Rule | None] = {
    "sum": Rule.SUM,
    "equals": Rule.EQ,
    "unequal": Rule.NEQ,
    "less": Rule.LT,
    "greater": Rule.GT,
    "empty": None,
}
GRAPH_TYPES: Mapping[str, Rule | None] = {**TYPES, "at most": Rule.LE, "at least": Rule.GE}


def read(text: str, file: str, name: str) -> dict[str, Pips | None]:
    """Return the puzzles of a file by level, None where the level is null; a graph has the level ``""``.

    A level that is not there is left out. ``name`` is what to call puzzles where the document has no
    ``printDate`` or ``name``. Raises InputError, which names the path and the line.
    """
    document = load(text, file)
    levels = {level: document.member(level) for level in LEVELS if level in document}
    if levels:
        date = document.optional("printDate")
        day = date.name("the day of the puzzle") if date else name
        return {
            level: None if part.value is None else _times_puzzle(part, f"{day}-{level}")
            for level, part in levels.items()
        }
    if "links" in document:
        return {"": _graph_puzzle(document, name)}
    raise document.fault(
        "this JSON is no Pips puzzle",
        'the levels "easy", "medium", "hard", or a graph with "dominoes", "constraints" and "links"',
    )


def write_times(puzzle: Pips) -> str:
    """Return the JSON of a puzzle on a grid, with its solution if it has one.

    The level is ``easy`` up to 6 dominoes, ``medium`` up to 10, else ``hard``; the name stands in the place
    of the day. Cells in no region are written as regions of the type ``empty``. Raises UsageError where the
    board is no grid counted from (0, 0), a cell is in two regions, or a rule is LE or GE.
    """
    covered = [cell for region in puzzle.regions for cell in region.cells]
    if not puzzle.is_grid or len(set(covered)) < len(covered):
        raise UsageError(
            f"{puzzle.name}: the Times' JSON needs a board of rows and columns, each cell in one region"
        )
    words = {rule: word for word, rule in TYPES.items()}
    regions: list[dict[str, Any]] = []
    for region in puzzle.regions:
        if region.rule not in words:
            raise UsageError(f"{puzzle.name}: the Times' JSON has no rule {region.rule}")
        regions.append({"indices": region.cells, "type": words[region.rule]})
        if region.target is not None:
            regions[-1]["target"] = region.target
    inside = set(covered)
    regions += [{"indices": [cell], "type": "empty"} for cell in puzzle.cells if cell not in inside]
    listed = ",\n".join(f"   {json.dumps(region)}" for region in regions)
    parts = {"dominoes": json.dumps(puzzle.dominoes), "regions": f"[\n{listed}\n  ]"}
    if puzzle.published is not None and puzzle.published.dominoes:
        parts["solution"] = json.dumps([laid.cells for laid in puzzle.published.dominoes])
    level = LEVELS[sum(len(puzzle.dominoes) > most for most in MOST_DOMINOES)]
    members = ",\n".join(f'  "{name}": {part}' for name, part in parts.items())
    return f'{{\n "printDate": {json.dumps(puzzle.name)},\n "{level}": {{\n{members}\n }}\n}}\n'


def _times_puzzle(part: Part, name: str) -> Pips:
    dominoes = _dominoes(part.member("dominoes"))
    board: dict[Cell, str] = {}
    regions = []
    for i, region in enumerate(part.member("regions").elements()):
        rule, target = _rule(region, TYPES)
        regions.append((_cells(region.member("indices"), f"regions[{i}]", board), rule, target))
    _check_size(part, dominoes, board, "regions")
    if not board:
        raise part.fault("the board has no cell")
    solution = part.optional("solution")
    published = None if solution is None else _solution(solution, dominoes, board)
    ordered = sorted(regions, key=lambda region: region[0])  # labelled in reading order
    return Pips.on_grid(
        name,
        (cell for cells, _, _ in regions for cell in cells),
        (Region(label, *region) for label, region in zip(region_labels(), ordered, strict=False)),
        dominoes,
        published,
    )


def _cells(indices: Part, region: str, board: dict[Cell, str]) -> tuple[tuple[int, int], ...]:
    cells = []
    for index in indices.elements():
        cell = _place(index)
        if (other := board.setdefault(cell, region)) != region:
            raise index.fault(f"{cell_name(cell)} is in {other} too", "a cell in one region")
        cells.append(cell)
    _check_cells(indices, cells, "region")
    return tuple(sorted(cells))


def _solution(part: Part, dominoes: list[tuple[int, int]], board: Mapping[Cell, str]) -> Layout:
    values: dict[Cell, int] = {}
    laid = []
    lying = part.elements(f"two cells for each of the {len(dominoes)} dominoes", len(dominoes))
    for pips, place in zip(dominoes, lying, strict=True):
        first, second = (_place(index) for index in _pair(place, "the two cells under a domino"))
        for cell, pip in ((first, pips[0]), (second, pips[1])):
            if cell not in board:
                raise place.fault(f"{cell_name(cell)} is in no region")
            if cell in values:
                raise place.fault(f"{cell_name(cell)} is covered twice")
            values[cell] = pip
        laid.append(Laid(pips, (first, second)))
    return Layout(values, tuple(laid))


def _place(part: Part) -> tuple[int, int]:
    row, column = _pair(part, "a row and a column")
    return row.integer(0, LAST_INDEX), column.integer(0, LAST_INDEX)


def _graph_puzzle(document: Part, name: str) -> Pips:
    """Return the puzzle, its cells in the order of ``links``."""
    title = document.optional("name")
    links = document.member("links").members('an object: {"a": ["b", …], …}')
    neighbours = {cell: _neighbours(cell, part, links) for cell, part in links.items()}
    for cell, near in neighbours.items():
        for other, part in near.items():
            if cell not in neighbours[other]:
                there, back = quoted(cell), quoted(other)
                raise part.fault(f"{there} links to {back}, but {back} does not link back")
    dominoes = _dominoes(document.member("dominoes"))
    _check_size(document, dominoes, links, "links")
    if not links:
        raise document.member("links").fault("the board has no cell")
    constraints = document.member("constraints").elements()
    number = {cell: i for i, cell in enumerate(links)}
    return Pips(
        title.name() if title else name,
        tuple(links),
        tuple(
            (cell, other)
            for cell, near in neighbours.items()
            for other in near
            if number[cell] < number[other]
        ),
        tuple(_region(label, part, links) for label, part in zip(region_labels(), constraints, strict=False)),
        tuple(dominoes),
    )


def _neighbours(cell: str, part: Part, links: Mapping[str, Part]) -> dict[str, Part]:
    # A solution file names a cell at the start of a line, and is taken for JSON if it starts with a brace.
    if not cell.isprintable() or cell != cell.strip() or not 0 < len(cell) <= 100 or cell.startswith("{"):
        raise part.fault(
            f"{quoted(cell)} cannot be the name of a cell", "1 to 100 visible characters, not '{'"
        )
    near: dict[str, Part] = {}
    for neighbour in part.elements("a list of cells"):
        other = _named_cell(neighbour, links)
        if other == cell:
            raise neighbour.fault(f"{quoted(cell)} links to itself")
        if other in near:
            raise neighbour.fault(f"{quoted(cell)} links to {quoted(other)} twice")
        near[other] = neighbour
    return near


def _region(label: str, part: Part, links: Mapping[str, Part]) -> Region:
    rule, target = _rule(part, GRAPH_TYPES)
    named = part.member("cells", "the cells that it speaks of")
    cells = [_named_cell(cell, links) for cell in named.elements("a list of cells")]
    _check_cells(named, cells, "constraint")
    return Region(label, tuple(cells), rule, target)


def _named_cell(part: Part, links: Mapping[str, Part]) -> str:
    cell = part.value
    if not isinstance(cell, str) or cell not in links:
        raise part.fault(f"{part.shown} is no cell", 'a key of "links"')
    return cell


def _dominoes(part: Part) -> list[tuple[int, int]]:
    return [(a.integer(0, MOST_PIPS), b.integer(0, MOST_PIPS)) for a, b in map(_pair, part.elements())]


def _rule(part: Part, types: Mapping[str, Rule | None]) -> tuple[Rule | None, int | None]:
    """Return the rule that ``type`` and ``target`` state. A target it has no use for is ignored."""
    known = ", ".join(f'"{word}"' for word in types)
    kind = part.member("type", known)
    word = kind.value
    if not isinstance(word, str) or word not in types:
        raise kind.fault(f"there is no type {kind.shown}", known)
    rule = types[word]
    if rule is None or not rule.has_target:
        return rule, None
    target = part.member("target", f'the number that "{word}" speaks of')
    return rule, target.integer(-LARGEST_TARGET, LARGEST_TARGET)


def _check_size(part: Part, dominoes: Collection[object], cells: Collection[object], where: str) -> None:
    if 2 * len(dominoes) != len(cells):
        what = f"there are {len(dominoes)}, but {len(cells)} cells in the {where}"
        raise part.member("dominoes").fault(what, "half as many dominoes as cells")


def _check_cells(part: Part, cells: Collection[Cell], what: str) -> None:
    if not cells:
        raise part.fault(f"the {what} has no cell")
    if len(set(cells)) != len(cells):
        raise part.fault(f"the {what} names a cell twice")


def _pair(part: Part, expected: str = "two numbers of pips") -> tuple[Part, Part]:
    first, second = part.elements(expected, 2)
    return first, second
