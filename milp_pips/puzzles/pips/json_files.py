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
JSON, and those of other rules. A cell may be in several constraints. With ``"grid": true``, the cells
are in rows and columns and have names such as ``r1c1``.

Both formats have extra members for information that the Times' format lacks. A region may have a ``label``;
it is written if the reader would choose another one, and is null for a cell in no region. In the graph
format, a constraint may have a ``label``, and the puzzle a ``solution``.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from milp_pips.problem.errors import InputError, UsageError
from milp_pips.puzzles.located import (
    Member,
    Part,
    Reader,
    is_name,
    listed,
    load,
    named,
    one_of,
    pair,
    quoted,
    record,
    whole,
)
from milp_pips.puzzles.pips import solution_files
from milp_pips.puzzles.pips.puzzle import (
    LARGEST_TARGET,
    LAST_INDEX,
    NAME_OF_PLACE,
    Cell,
    Layout,
    Pips,
    PlacedDomino,
    Region,
    cell_name,
    region_labels,
)
from milp_pips.puzzles.pips.rules import RULES, Rule

NYT_LEVELS = ("easy", "medium", "hard")
MOST_DOMINOES = (6, 10)
"""The most dominoes of a puzzle that is written as easy, and as medium."""
GRAPH_TYPES = {kind.json: rule for rule, kind in RULES.items()}
TYPES = {word: rule for word, rule in GRAPH_TYPES.items() if RULES[rule].is_published}
TARGET = whole(-LARGEST_TARGET, LARGEST_TARGET)
PLACE = pair(whole(0, LAST_INDEX), "a row and a column")
DOMINO_LIST = Member(listed(solution_files.PAIR_OF_PIPS))


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
    if "indices" in text and "regions" in document and "dominoes" in document:
        return {"": _times_puzzle(document, name)}
    from milp_pips.puzzles.pips.other_json import level_of  # few files need it

    if (other := level_of(document)) is not None:
        try:
            return {"": _times_puzzle(load(json.dumps(other), file), name)}
        except InputError as error:  # its lines are not the user's
            raise document.fault(error.what, error.expected) from None
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
    (0, 0), a cell is in two regions, or the Times prints no such rule.
    """
    covered = [cell for region in puzzle.regions for cell in region.cells]
    if not _has_places(puzzle) or len(set(covered)) < len(covered):
        raise UsageError(
            f"{puzzle.name}: the Times' JSON needs a board of rows and columns, each cell in one region"
        )
    in_order = sorted(puzzle.regions, key=lambda region: sorted(cast("tuple[tuple[int, int]]", region.cells)))
    usual = dict(zip(map(id, in_order), region_labels(), strict=False))
    if strange := next((r.rule for r in puzzle.regions if not r.kind.is_published), None):
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
    members: dict[str, object] = {"type": region.kind.json, **cells}
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


def _region(types: Mapping[str, Rule | None], what: str, **cells: Member) -> Reader[Region]:
    """Return a reader of a region, whose label is empty unless it has its own.

    ``cells`` declares the member with its cells. The target is ignored if the rule has none.
    """
    known = ", ".join(f'"{word}"' for word in types)
    kind = Member(one_of(types, "there is no type {}", known), known)
    declared = record(type=kind, **cells, label=Member(named("the label of the region"), optional=True))

    def read_region(part: Part) -> Region:
        word, places, label = declared(part).values()
        rule, (name,) = types[word], cells
        target = None
        if RULES[rule].has_target:
            target = TARGET(part.member("target", f'the number for "{word}"'))
        if not places or len(set(places)) != len(places):
            raise part.at(name).fault(f"the {what} {'names a cell twice' if places else 'has no cell'}")
        return Region(label or "", tuple(places), rule, target)

    return read_region


TIMES_LEVEL = record(
    dominoes=DOMINO_LIST, regions=Member(listed(_region(TYPES, "region", indices=Member(listed(PLACE)))))
)


def _times_puzzle(part: Part, name: str) -> Pips:
    dominoes, regions = TIMES_LEVEL(part).values()
    board: dict[Cell, int] = {}
    for i, region in enumerate(regions):
        for j, cell in enumerate(region.cells):
            if (other := board.setdefault(cell, i)) != i:
                what = f"{cell_name(cell)} is in regions[{other}] too"
                raise part.at("regions", i, "indices", j).fault(what, "a cell in one region")
    _check_size(part, dominoes, board, "regions")
    if not board:
        raise part.fault("the board has no cell")
    solution = part.optional("solution")
    kept = (
        region._replace(cells=tuple(sorted(region.cells)))
        for region, given in zip(regions, part.value["regions"], strict=True)
        if region.rule is not None or given.get("label", "") is not None  # null: the cell is in no region
    )
    return Pips.on_grid(
        name,
        cast("Iterable[tuple[int, int]]", board),
        _labelled(sorted(kept, key=lambda region: region.cells)),  # in reading order
        dominoes,
        None if solution is None else _solution(solution, dominoes, board),
    )


def _labelled(regions: Iterable[Region]) -> Iterator[Region]:
    """Yield the regions; those without their own label get the one of their position."""
    for label, region in zip(region_labels(), regions, strict=False):
        yield region._replace(label=region.label or label)


def _solution(part: Part, dominoes: Sequence[tuple[int, int]], board: Collection[Cell]) -> Layout:
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
    links = document.member("links").members('an object: {"a": ["b", …], …}')
    cell = one_of(links, "{} is not a cell", 'a key of "links"')
    neighbours = {name: _neighbours(name, part, cell) for name, part in links.items()}
    for one, near in neighbours.items():
        for other, part in near.items():
            if one not in neighbours[other]:
                what = f"{quoted(one)} links to {quoted(other)}, but {quoted(other)} does not link back"
                raise part.fault(what)
    cells = Member(listed(cell, "a list of cells"), "the cells of the constraint")
    graph = record(
        dominoes=DOMINO_LIST,
        constraints=Member(listed(_region(GRAPH_TYPES, "constraint", cells=cells))),
        name=Member(named(), optional=True),
        grid=Member(lambda part: part.value is True, optional=True),
    )
    dominoes, regions, title, is_grid = graph(document).values()
    _check_size(document, dominoes, links, "links")
    if not links:
        raise document.member("links").fault("the board has no cell")
    spoken: dict[Cell, Cell] = {
        name: _named_place(name, part) if is_grid else name for name, part in links.items()
    }
    number = {name: i for i, name in enumerate(links)}
    links_once = ((a, b) for a, near in neighbours.items() for b in near if number[a] < number[b])
    puzzle = Pips(
        title or name,
        tuple(spoken.values()),
        tuple((spoken[a], spoken[b]) for a, b in links_once),
        tuple(
            region._replace(cells=tuple(spoken[cell] for cell in region.cells))
            for region in _labelled(regions)
        ),
        tuple(dominoes),
    )
    solution = document.optional("solution")
    if solution is None:
        return puzzle
    return replace(puzzle, published=solution_files.read_solution(puzzle, solution))


def _named_place(name: str, part: Part) -> tuple[int, int]:
    """Return the row and the column in a cell's name, counted from 0."""
    found = NAME_OF_PLACE.fullmatch(name)
    if found is None or max(int(found[1]), int(found[2])) > LAST_INDEX + 1:
        raise part.fault(
            f"{quoted(name)} is not a cell of a grid", f"r1c1 to r{LAST_INDEX + 1}c{LAST_INDEX + 1}"
        )
    return int(found[1]) - 1, int(found[2]) - 1


def _neighbours(cell: str, part: Part, read_cell: Reader[str]) -> dict[str, Part]:
    if not _names_a_cell(cell):
        raise part.fault(
            f"{quoted(cell)} cannot be the name of a cell", "1 to 100 visible characters, not '{'"
        )
    near: dict[str, Part] = {}
    for neighbour in part.elements("a list of cells"):
        other = read_cell(neighbour)
        if other == cell:
            raise neighbour.fault(f"{quoted(cell)} links to itself")
        if other in near:
            raise neighbour.fault(f"{quoted(cell)} links to {quoted(other)} twice")
        near[other] = neighbour
    return near


def _names_a_cell(name: str) -> bool:
    # Lines of a solution file start with the name of a cell. A file that starts with a brace is read as JSON.
    return is_name(name) and not name.startswith("{")


def _check_size(part: Part, dominoes: Collection[object], cells: Collection[object], where: str) -> None:
    if 2 * len(dominoes) != len(cells):
        what = f"there are {len(dominoes)}, but {len(cells)} cells in the {where}"
        raise part.member("dominoes").fault(what, "half as many dominoes as cells")
