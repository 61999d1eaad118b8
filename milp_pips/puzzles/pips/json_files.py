"""Read and write Pips puzzles in two JSON formats: the New York Times', and a graph of named cells.

The Times' JSON has the three puzzles of a day. The levels ``easy``, ``medium`` and ``hard`` each have
``dominoes`` (pairs of pips) and ``regions``. A region has the ``indices`` of its cells as pairs (row,
column), a ``type`` and, for some types, a ``target``. A level may have a ``solution``: the two cells under
each of the dominoes. A file may also have a single level without its name.

The graph format names its cells, and links two cells if a domino can cover them::

    {"name": "chain",
     "dominoes": [[1, 2], [2, 2]],
     "constraints": [{"type": "equals", "cells": ["b", "c"]}, {"type": "sum", "cells": ["d"], "target": 2}],
     "links": {"a": ["b"], "b": ["a", "c"], "c": ["b", "d"], "d": ["c"]}}

Every cell is a key of ``links``, and both ends of a link name each other. The types are those of the Times'
JSON, and ``at most`` and ``at least``. A cell may be in several constraints. With ``"grid": true``, the cells
are in rows and columns and have names such as ``r1c1``.

Both formats have extra members for information that the Times' format lacks. A region may have a ``label``;
it is written if the reader would choose another one, and is null for a cell in no region. In the graph
format, a constraint may have a ``label``, and the puzzle a ``solution``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from milp_pips.problem.errors import InputError, UsageError
from milp_pips.puzzles.located import Part, is_name, listed, load, pair, quoted, whole
from milp_pips.puzzles.pips import solution_files
from milp_pips.puzzles.pips.puzzle import (
    LARGEST_TARGET,
    LAST_INDEX,
    RULE_NAMES,
    Cell,
    Layout,
    Pips,
    PlacedDomino,
    Region,
    Rule,
    cell_name,
    region_labels,
)

NYT_LEVELS = ("easy", "medium", "hard")
MOST_DOMINOES = (6, 10)
"""The most dominoes of a puzzle that is written as easy, and as medium."""
GRAPH_TYPES = {names.json: rule for rule, names in RULE_NAMES.items()}
TYPES = {word: rule for word, rule in GRAPH_TYPES.items() if rule not in (Rule.LE, Rule.GE)}
PLACE = pair(whole(0, LAST_INDEX), "a row and a column")
PAIRS_OF_PIPS = listed(solution_files.PAIR_OF_PIPS)
"""Readers of members in both formats."""
LABEL = "the label of the region"
_NAME_OF_PLACE = re.compile(r"r([1-9][0-9]{0,4})c([1-9][0-9]{0,4})")


def read(text: str, file: str, name: str) -> dict[str, Pips | InputError | None]:
    """Return the puzzles of a file by level: None for a level that is null, the error for a faulty one.

    Missing levels are left out. A graph, or a single level without a name, has the level ``""``. ``name`` is
    the name of a puzzle if the document has no ``printDate`` or ``name``. Raises InputError if the only level
    or puzzle cannot be read. The error names the path and the line.
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
    what = "this JSON is not a Pips puzzle"
    if not document.value:
        what = f"this JSON is empty: {json.dumps(document.value)}"
    raise document.fault(
        what, 'the levels "easy", "medium", "hard", or a graph with "dominoes", "constraints" and "links"'
    )


def _levels(parts: Mapping[str, Part], day: str) -> dict[str, Pips | InputError | None]:
    """Return the puzzles of a day, or the error of a faulty level. Raises the error of an only level."""
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

    The level is taken from the end of the puzzle's name. If the name has none, the level is ``easy`` up to 6
    dominoes, ``medium`` up to 10 and else ``hard``, and the name is written as the day. Cells in no region
    are written as regions of the type ``empty``. Raises UsageError if the board is not a grid counted from
    (0, 0), a cell is in two regions, or a rule is LE or GE.
    """
    covered = [cell for region in puzzle.regions for cell in region.cells]
    if not _has_places(puzzle) or len(set(covered)) < len(covered):
        raise UsageError(
            f"{puzzle.name}: the Times' JSON needs a board of rows and columns, each cell in one region"
        )
    in_order = sorted(puzzle.regions, key=lambda region: sorted(cast("tuple[tuple[int, int]]", region.cells)))
    usual = dict(zip(map(id, in_order), region_labels(), strict=False))
    if strange := next((r.rule for r in puzzle.regions if r.rule not in TYPES.values()), None):
        raise UsageError(f"{puzzle.name}: the Times' JSON has no rule {strange}")
    regions = [_members(region, usual[id(region)], indices=region.cells) for region in puzzle.regions]
    inside, free = set(covered), {"type": "empty", "label": None}
    regions += [{"indices": [cell], **free} for cell in puzzle.cells if cell not in inside]
    document: dict[str, Any] = {"dominoes": puzzle.dominoes, "regions": regions}
    if puzzle.published is not None and puzzle.published.dominoes:
        document["solution"] = [laid.cells for laid in puzzle.published.dominoes]
    day, _, level = puzzle.name.rpartition("-")
    if not day or level not in NYT_LEVELS:
        day, level = puzzle.name, NYT_LEVELS[sum(len(puzzle.dominoes) > most for most in MOST_DOMINOES)]
    return _laid_out({"printDate": day, level: document}, (level, "regions")) + "\n"


def write_graph(puzzle: Pips) -> str:
    """Return the JSON of any puzzle as a graph of named cells, with its solution if it has one.

    Raises UsageError if two cells have the same name, or a name does not fit the format.
    """
    names = [cell_name(cell) for cell in puzzle.cells]
    grid = _has_places(puzzle)
    if len(set(names)) < len(names) or (puzzle.is_grid and not grid):
        raise UsageError(f"{puzzle.name}: JSON needs a name for each cell, on a grid from r1c1 on")
    if bad := next((name for name in names if not _names_a_cell(name)), None):
        raise UsageError(f"{puzzle.name}: {quoted(bad)} cannot be the name of a cell")
    links: dict[str, list[str]] = {name: [] for name in names}
    for a, b in puzzle.edges:
        links[cell_name(a)].append(cell_name(b))
        links[cell_name(b)].append(cell_name(a))
    document: dict[str, Any] = {"name": puzzle.name} if is_name(puzzle.name) else {}
    document |= {"grid": True} if grid else {}
    document |= {
        "dominoes": puzzle.dominoes,
        "constraints": [
            _members(region, usual, cells=list(map(cell_name, region.cells)))
            for region, usual in zip(puzzle.regions, region_labels(), strict=False)
        ],
        "links": links,
    }
    if puzzle.published is not None:
        document["solution"] = solution_files.to_json(puzzle, puzzle.published)
    return _laid_out(document, ("constraints", "links")) + "\n"


def _members(region: Region, usual: str, **cells: object) -> dict[str, object]:
    """Return the members of a region. Its label is left out if it is the ``usual`` one."""
    members: dict[str, object] = {"type": RULE_NAMES[region.rule].json, **cells}
    if region.target is not None:
        members["target"] = region.target
    if region.label != usual and is_name(region.label):
        members["label"] = region.label
    return members


def _laid_out(value: Any, broken: Collection[str], depth: int = 1) -> str:
    """Return JSON with each part of the value on a line, and each part of its members in ``broken``."""
    if isinstance(value, dict):
        brackets, parts = "{}", []
        for name, member in value.items():
            shown = _laid_out(member, broken, depth + 1) if name in broken else _shown(member)
            parts.append(f"{_shown(name)}: {shown}")
    else:
        brackets, parts = "[]", list(map(_shown, value))
    lines = ",".join(f"\n{' ' * depth}{part}" for part in parts)
    return f"{brackets[0]}{lines}\n{' ' * (depth - 1)}{brackets[1]}" if parts else brackets


def _shown(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _has_places(puzzle: Pips) -> bool:
    """Return whether the board is a grid whose rows and columns are from 0 to ``LAST_INDEX``."""
    if not puzzle.is_grid:
        return False
    numbers = [number for cell in puzzle.cells for number in cast("tuple[int, int]", cell)]
    return 0 <= min(numbers, default=0) <= max(numbers, default=0) <= LAST_INDEX


def _times_puzzle(part: Part, name: str) -> Pips:
    dominoes = PAIRS_OF_PIPS(part.member("dominoes"))
    board: dict[Cell, str] = {}
    regions = []
    for i, region in enumerate(part.member("regions").elements()):
        rule, target = _rule(region, TYPES)
        indices, cells = region.member("indices"), []
        for index in indices.elements():
            cell = PLACE(index)
            if (other := board.setdefault(cell, f"regions[{i}]")) != f"regions[{i}]":
                raise index.fault(f"{cell_name(cell)} is in {other} too", "a cell in one region")
            cells.append(cell)
        _check_cells(indices, cells, "region")
        label = region.optional("label")
        if rule is not None or label is not None or "label" not in region:  # null: the cell is in no region
            regions.append((tuple(sorted(cells)), rule, target, label.name(LABEL) if label else ""))
    _check_size(part, dominoes, board, "regions")
    if not board:
        raise part.fault("the board has no cell")
    solution = part.optional("solution")
    ordered = sorted(regions, key=lambda region: region[0])  # labels in reading order
    return Pips.on_grid(
        name,
        cast("Iterable[tuple[int, int]]", board),
        (
            Region(own or label, cells, rule, target)
            for label, (cells, rule, target, own) in zip(region_labels(), ordered, strict=False)
        ),
        dominoes,
        None if solution is None else _solution(solution, dominoes, board),
    )


def _solution(part: Part, dominoes: Sequence[tuple[int, int]], board: Mapping[Cell, str]) -> Layout:
    values: dict[Cell, int] = {}
    laid = []
    places = part.elements(f"two cells for each of the {len(dominoes)} dominoes", len(dominoes))
    for pips, place in zip(dominoes, places, strict=True):
        cells = pair(PLACE, "the two cells under a domino")(place)
        for cell, pip in zip(cells, pips, strict=True):
            if cell not in board:
                raise place.fault(f"{cell_name(cell)} is in no region")
            if cell in values:
                raise place.fault(f"{cell_name(cell)} is covered twice")
            values[cell] = pip
        laid.append(PlacedDomino(pips, cells))
    return Layout(values, tuple(laid))


def _graph_puzzle(document: Part, name: str) -> Pips:
    """Return the puzzle of a graph. Its cells are in the order of ``links``."""
    title = document.optional("name")
    links = document.member("links").members('an object: {"a": ["b", …], …}')
    neighbours = {cell: _neighbours(cell, part, links) for cell, part in links.items()}
    for cell, near in neighbours.items():
        for other, part in near.items():
            if cell not in neighbours[other]:
                one, two = quoted(cell), quoted(other)
                raise part.fault(f"{one} links to {two}, but {two} does not link back")
    dominoes = PAIRS_OF_PIPS(document.member("dominoes"))
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
    return replace(puzzle, published=solution_files.read_solution(puzzle, solution))


def _named_place(name: str, part: Part) -> tuple[int, int]:
    """Return the row and the column in a cell's name, counted from 0."""
    found = _NAME_OF_PLACE.fullmatch(name)
    if found is None or max(int(found[1]), int(found[2])) > LAST_INDEX + 1:
        raise part.fault(
            f"{quoted(name)} is not a cell of a grid", f"r1c1 to r{LAST_INDEX + 1}c{LAST_INDEX + 1}"
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
    # Lines of a solution file start with the name of a cell. A file that starts with a brace is read as JSON.
    return is_name(name) and not name.startswith("{")


def _region(label: str, part: Part, spoken: Mapping[str, Cell]) -> Region:
    rule, target = _rule(part, GRAPH_TYPES)
    named = part.member("cells", "the cells of the constraint")
    cells = [spoken[_named_cell(cell, spoken)] for cell in named.elements("a list of cells")]
    _check_cells(named, cells, "constraint")
    own = part.optional("label")
    return Region(own.name(LABEL) if own else label, tuple(cells), rule, target)


def _named_cell(part: Part, links: Mapping[str, object]) -> str:
    cell = part.value
    if not isinstance(cell, str) or cell not in links:
        raise part.fault(f"{part.shown} is not a cell", 'a key of "links"')
    return cell


def _rule(part: Part, types: Mapping[str, Rule | None]) -> tuple[Rule | None, int | None]:
    """Return the rule in ``type``, and its ``target``. The target is ignored if the rule has none."""
    known = ", ".join(f'"{word}"' for word in types)
    kind = part.member("type", known)
    word = kind.value
    if not isinstance(word, str) or word not in types:
        raise kind.fault(f"there is no type {kind.shown}", known)
    rule = types[word]
    if rule is None or not rule.has_target:
        return rule, None
    target = part.member("target", f'the number for "{word}"')
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
