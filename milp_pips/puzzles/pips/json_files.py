"""Pips puzzles in JSON: the one of the New York Times, and one of named cells and links.

The Times' JSON has the three puzzles of a day. The levels ``easy``, ``medium`` and ``hard`` each hold
``dominoes`` (pairs of pips), ``regions`` (each with the ``indices`` of its cells as pairs (row, column), a
``type`` and, where the type has one, a ``target``), and it may be a ``solution``, which names the two cells
on which each of the dominoes lies. Such a level may also stand alone.

The graph format names its cells, with links where a domino can lie::

    {"name": "chain",
     "dominoes": [[1, 2], [2, 2]],
     "constraints": [{"type": "equals", "cells": ["b", "c"]}, {"type": "sum", "cells": ["d"], "target": 2}],
     "links": {"a": ["b"], "b": ["a", "c"], "c": ["b", "d"], "d": ["c"]}}

Every cell is a key of ``links``, and a link is named at both its ends. The types are those of the Times' JSON
as well as ``at most`` and ``at least``. A cell may be in several constraints. With ``"grid": true`` the cells
are named ``r1c1`` and stand in rows and columns.

What the Times do not say is kept beside what they say: the ``label`` of a region where it is not the one that
reading would give it, null for cells in no region; a graph's ``label`` of a constraint, and its ``solution``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import Any, cast

from milp_pips.problem.errors import InputError, UsageError
from milp_pips.puzzles.located import Part, is_name, load, quoted
from milp_pips.puzzles.pips import solution_files
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

NYT_LEVELS = ("easy", "medium", "hard")
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
_PLACE = re.compile(r"r([1-9][0-9]{0,4})c([1-9][0-9]{0,4})")
GRAPH_TYPES: Mapping[str, Rule | None] = {**TYPES, "at most": Rule.LE, "at least": Rule.GE}


def read(text: str, file: str, name: str) -> dict[str, Pips | InputError | None]:
    """Return the puzzles of a file by level, None where the level is null, or the error that it is faulty.

    A level that is not there is left out; a graph and a level alone have the level ``""``. ``name`` is what
    to call puzzles where the document has no ``printDate`` or ``name``. Raises InputError, which names the
    path and the line, where there is one level or puzzle alone that cannot be read.
    """
    document = load(text, file)
    levels = {level: document.member(level) for level in NYT_LEVELS if level in document}
    if levels:
        date = document.optional("printDate")
        day = date.name("the day of the puzzle") if date else name
        return _levels(levels, day)
    if "links" in document:
        return {"": _graph_puzzle(document, name)}
    if "regions" in document and "dominoes" in document:
        return {"": _times_puzzle(document, name)}
    what = "this JSON is no Pips puzzle"
    if not document.value:
        what = f"this JSON is empty: {json.dumps(document.value)}"
    raise document.fault(
        what, 'the levels "easy", "medium", "hard", or a graph with "dominoes", "constraints" and "links"'
    )


def _levels(parts: Mapping[str, Part], day: str) -> dict[str, Pips | InputError | None]:
    """Return the puzzles of a day, and the errors of those that are faulty; raises that of a single one."""
    found: dict[str, Pips | InputError | None] = {}
    for level, part in parts.items():
        try:
            found[level] = None if part.value is None else _times_puzzle(part, f"{day}-{level}")
        except InputError as error:
            if len(parts) == 1:
                raise
            found[level] = error
    return found


def write_times(puzzle: Pips) -> str:
    """Return the JSON of a puzzle on a grid, with its solution if it has one.

    The level is the one at the end of the name; without it, ``easy`` up to 6 dominoes, ``medium`` up to 10,
    else ``hard``, and the name stands in the place of the day. Cells in no region are written as regions of
    the type ``empty``. Raises UsageError where the board is no grid counted from (0, 0), a cell is in two
    regions, or a rule is LE or GE.
    """
    covered = [cell for region in puzzle.regions for cell in region.cells]
    if not _has_places(puzzle) or len(set(covered)) < len(covered):
        raise UsageError(
            f"{puzzle.name}: the Times' JSON needs a board of rows and columns, each cell in one region"
        )
    words = {rule: word for word, rule in TYPES.items()}
    in_order = sorted(puzzle.regions, key=lambda region: sorted(cast("tuple[tuple[int, int]]", region.cells)))
    usual = dict(zip(map(id, in_order), region_labels(), strict=False))
    regions: list[dict[str, Any]] = []
    for region in puzzle.regions:
        if region.rule not in words:
            raise UsageError(f"{puzzle.name}: the Times' JSON has no rule {region.rule}")
        regions.append({"indices": region.cells, "type": words[region.rule]})
        if region.target is not None:
            regions[-1]["target"] = region.target
        if region.label != usual[id(region)] and is_name(region.label):
            regions[-1]["label"] = region.label
    inside, free = set(covered), {"type": "empty", "label": None}
    regions += [{"indices": [cell], **free} for cell in puzzle.cells if cell not in inside]
    listed = ",\n".join(f"   {json.dumps(region)}" for region in regions)
    parts = {"dominoes": json.dumps(puzzle.dominoes), "regions": f"[\n{listed}\n  ]"}
    if puzzle.published is not None and puzzle.published.dominoes:
        parts["solution"] = json.dumps([laid.cells for laid in puzzle.published.dominoes])
    day, _, level = puzzle.name.rpartition("-")
    if not day or level not in NYT_LEVELS:
        day, level = puzzle.name, NYT_LEVELS[sum(len(puzzle.dominoes) > most for most in MOST_DOMINOES)]
    members = ",\n".join(f'  "{name}": {part}' for name, part in parts.items())
    return f'{{\n "printDate": {json.dumps(day)},\n "{level}": {{\n{members}\n }}\n}}\n'


def write_graph(puzzle: Pips) -> str:
    """Return the JSON of named cells and links of any puzzle, with its solution if it has one.

    Raises UsageError where two cells have one name, or one that the format cannot hold.
    """
    names = [cell_name(cell) for cell in puzzle.cells]
    grid = _has_places(puzzle)
    if len(set(names)) < len(names) or (puzzle.is_grid and not grid):
        raise UsageError(f"{puzzle.name}: JSON needs a name for each cell, on a grid from r1c1 on")
    if bad := next((name for name in names if not _names_a_cell(name)), None):
        raise UsageError(f"{puzzle.name}: {quoted(bad)} cannot be the name of a cell")
    words = {rule: word for word, rule in GRAPH_TYPES.items()}
    links: dict[str, list[str]] = {name: [] for name in names}
    for a, b in puzzle.edges:
        links[cell_name(a)].append(cell_name(b))
        links[cell_name(b)].append(cell_name(a))
    constraints = []
    for region, usual in zip(puzzle.regions, region_labels(), strict=False):
        said: dict[str, Any] = {"type": words[region.rule], "cells": list(map(cell_name, region.cells))}
        if region.target is not None:
            said["target"] = region.target
        if region.label != usual and is_name(region.label):
            said["label"] = region.label
        constraints.append(said)
    listed = ",\n".join(f"  {_shown(said)}" for said in constraints)
    linked = ",\n".join(f"  {_shown(name)}: {_shown(near)}" for name, near in links.items())
    parts = {"name": _shown(puzzle.name)} if is_name(puzzle.name) else {}
    parts |= {"grid": "true"} if grid else {}
    parts |= {
        "dominoes": _shown(puzzle.dominoes),
        "constraints": f"[\n{listed}\n ]" if constraints else "[]",
        "links": f"{{\n{linked}\n }}",
    }
    if puzzle.published is not None:
        parts["solution"] = _shown(solution_files.to_json(puzzle, puzzle.published))
    return "{\n" + ",\n".join(f' "{name}": {part}' for name, part in parts.items()) + "\n}\n"


def _shown(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _has_places(puzzle: Pips) -> bool:
    """Return whether the board is a grid, its rows and columns counted from 0 and as many as are read."""
    if not puzzle.is_grid:
        return False
    numbers = [number for cell in puzzle.cells for number in cast("tuple[int, int]", cell)]
    return 0 <= min(numbers, default=0) <= max(numbers, default=0) <= LAST_INDEX


def _times_puzzle(part: Part, name: str) -> Pips:
    dominoes = _dominoes(part.member("dominoes"))
    board: dict[Cell, str] = {}
    regions = []
    for i, region in enumerate(part.member("regions").elements()):
        rule, target = _rule(region, TYPES)
        cells = _cells(region.member("indices"), f"regions[{i}]", board)
        if "label" not in region or region.value["label"] is not None or rule is not None:
            label = region.optional("label")
            regions.append((cells, rule, target, label.name("the label of the region") if label else ""))
    _check_size(part, dominoes, board, "regions")
    if not board:
        raise part.fault("the board has no cell")
    solution = part.optional("solution")
    published = None if solution is None else _solution(solution, dominoes, board)
    ordered = sorted(regions, key=lambda region: region[0])  # labelled in reading order
    return Pips.on_grid(
        name,
        cast("Iterable[tuple[int, int]]", board),
        (
            Region(own or label, cells, rule, target)
            for label, (cells, rule, target, own) in zip(region_labels(), ordered, strict=False)
        ),
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
    grid = document.optional("grid")
    spoken: dict[str, Cell] = {name: name for name in links}
    if grid is not None and grid.value is True:
        spoken = {name: _named_place(name, part) for name, part in links.items()}
    puzzle = Pips(
        title.name() if title else name,
        tuple(spoken.values()),
        tuple(
            (spoken[cell], spoken[other])
            for cell, near in neighbours.items()
            for other in near
            if number[cell] < number[other]
        ),
        tuple(
            _region(label, part, spoken) for label, part in zip(region_labels(), constraints, strict=False)
        ),
        tuple(dominoes),
    )
    solution = document.optional("solution")
    if solution is None:
        return puzzle
    return replace(puzzle, published=solution_files.read_part(puzzle, solution))


def _named_place(name: str, part: Part) -> tuple[int, int]:
    """Return the row and the column that a cell's name says."""
    found = _PLACE.fullmatch(name)
    if found is None or max(int(found[1]), int(found[2])) > LAST_INDEX + 1:
        raise part.fault(
            f"{quoted(name)} is no cell of a grid", f"r1c1 to r{LAST_INDEX + 1}c{LAST_INDEX + 1}"
        )
    return int(found[1]) - 1, int(found[2]) - 1


def _neighbours(cell: str, part: Part, links: Mapping[str, Part]) -> dict[str, Part]:
    if not _names_a_cell(cell):
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


def _names_a_cell(name: str) -> bool:
    # A solution file names a cell at the start of a line, and is taken for JSON if it starts with a brace.
    return is_name(name) and not name.startswith("{")


def _region(label: str, part: Part, spoken: Mapping[str, Cell]) -> Region:
    rule, target = _rule(part, GRAPH_TYPES)
    named = part.member("cells", "the cells that it speaks of")
    cells = [spoken[_named_cell(cell, spoken)] for cell in named.elements("a list of cells")]
    _check_cells(named, cells, "constraint")
    own = part.optional("label")
    return Region(own.name("the label of the region") if own else label, tuple(cells), rule, target)


def _named_cell(part: Part, links: Mapping[str, object]) -> str:
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
