"""The JSON in which the New York Times publishes the three puzzles of a day.

The levels ``easy``, ``medium`` and ``hard`` each hold ``dominoes`` (pairs of pips), ``regions`` (each with
the ``indices`` of its cells as pairs (row, column), a ``type`` and, where the type has one, a ``target``),
and it may be a ``solution``, which names the two cells on which each of the dominoes lies.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from milp_pips.errors import UsageError
from milp_pips.puzzles.located_json import Part
from milp_pips.puzzles.pips.labels import region_labels
from milp_pips.puzzles.pips.limits import LARGEST_TARGET, LAST_INDEX, MOST_PIPS
from milp_pips.puzzles.pips.puzzle import Cell, Laid, Layout, Pips, Region, Rule, cell_name

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


def read(document: Part, name: str) -> dict[str, Pips | None]:
    """Return the puzzles by level, None where the level is null; a level that is not there is left out.

    Parameters
    ----------
    document
        The JSON.
    name
        What to call the puzzles where the document has no ``printDate``.

    Raises
    ------
    InputError
        The document has another shape; the error names the path and the line.
    """
    date = document.optional("printDate")
    day = date.name("the day of the puzzle") if date else name
    found = {level: document.member(level) for level in LEVELS if level in document}
    return {
        level: None if part.value is None else _puzzle(part, f"{day}-{level}")
        for level, part in found.items()
    }


def write(puzzle: Pips) -> str:
    """Return the JSON of a puzzle on a grid, with its solution if it has one.

    The level is ``easy`` up to 6 dominoes, ``medium`` up to 10, else ``hard``; the name stands in the place
    of the day. Cells in no region are written as regions of the type ``empty``.

    Raises
    ------
    UsageError
        The board is no grid counted from (0, 0), a cell is in two regions, or a rule is LE or GE.
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
    parts = {"dominoes": json.dumps(puzzle.dominoes), "regions": _listed(regions)}
    if puzzle.published is not None and puzzle.published.dominoes:
        parts["solution"] = json.dumps([laid.cells for laid in puzzle.published.dominoes])
    level = LEVELS[sum(len(puzzle.dominoes) > most for most in MOST_DOMINOES)]
    members = ",\n".join(f'  "{name}": {part}' for name, part in parts.items())
    return f'{{\n "printDate": {json.dumps(puzzle.name)},\n "{level}": {{\n{members}\n }}\n}}\n'


def _listed(regions: list[dict[str, Any]]) -> str:
    return "[\n" + ",\n".join(f"   {json.dumps(region)}" for region in regions) + "\n  ]"


def dominoes_of(part: Part) -> list[tuple[int, int]]:
    """Return the pairs of pips in the list. Raises InputError."""
    return [(a.integer(0, MOST_PIPS), b.integer(0, MOST_PIPS)) for a, b in map(_pair, part.elements())]


def rule_of(part: Part, types: Mapping[str, Rule | None]) -> tuple[Rule | None, int | None]:
    """Return the rule that the part's ``type`` and ``target`` state. Raises InputError.

    A target that the rule has no use for is ignored.
    """
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


def _puzzle(part: Part, name: str) -> Pips:
    dominoes = dominoes_of(part.member("dominoes"))
    board: dict[Cell, str] = {}
    regions = []
    for i, region in enumerate(part.member("regions").elements()):
        rule, target = rule_of(region, TYPES)
        regions.append((_cells(region.member("indices"), f"regions[{i}]", board), rule, target))
    if 2 * len(dominoes) != len(board):
        what = f"there are {len(dominoes)}, but {len(board)} cells in the regions"
        raise part.member("dominoes").fault(what, "half as many dominoes as cells")
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
        cell = _cell(index)
        if (other := board.setdefault(cell, region)) != region:
            raise index.fault(f"{cell_name(cell)} is in {other} too", "a cell in one region")
        cells.append(cell)
    if not cells:
        raise indices.fault("the region has no cell")
    if len(set(cells)) != len(cells):
        raise indices.fault("the region names a cell twice")
    return tuple(sorted(cells))


def _solution(part: Part, dominoes: list[tuple[int, int]], board: Mapping[Cell, str]) -> Layout:
    values: dict[Cell, int] = {}
    laid = []
    lying = part.elements(f"two cells for each of the {len(dominoes)} dominoes", len(dominoes))
    for pips, place in zip(dominoes, lying, strict=True):
        first, second = (_cell(index) for index in _pair(place, "the two cells under a domino"))
        for cell, pip in ((first, pips[0]), (second, pips[1])):
            if cell not in board:
                raise place.fault(f"{cell_name(cell)} is in no region")
            if cell in values:
                raise place.fault(f"{cell_name(cell)} is covered twice")
            values[cell] = pip
        laid.append(Laid(pips, (first, second)))
    return Layout(values, tuple(laid))


def _cell(part: Part) -> tuple[int, int]:
    row, column = _pair(part, "a row and a column")
    return row.integer(0, LAST_INDEX), column.integer(0, LAST_INDEX)


def _pair(part: Part, expected: str = "two numbers of pips") -> tuple[Part, Part]:
    first, second = part.elements(expected, 2)
    return first, second
