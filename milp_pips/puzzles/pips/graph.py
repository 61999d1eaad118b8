"""The graph format: a JSON of named cells, with links where a domino can lie.

::

    {"name": "chain",
     "dominoes": [[1, 2], [2, 2]],
     "constraints": [{"type": "equals", "cells": ["b", "c"]}, {"type": "sum", "cells": ["d"], "target": 2}],
     "links": {"a": ["b"], "b": ["a", "c"], "c": ["b", "d"], "d": ["c"]}}

Every cell is a key of ``links``, and a link is named at both its ends. The types are those of the Times' JSON
as well as ``at most`` and ``at least``. A cell may be in several constraints.
"""

from __future__ import annotations

from collections.abc import Mapping

from milp_pips.puzzles.located_json import Part
from milp_pips.puzzles.located_text import quoted
from milp_pips.puzzles.pips.labels import region_labels
from milp_pips.puzzles.pips.puzzle import Pips, Region, Rule
from milp_pips.puzzles.pips.times import TYPES, dominoes_of, rule_of

GRAPH_TYPES: Mapping[str, Rule | None] = {**TYPES, "at most": Rule.LE, "at least": Rule.GE}


def read(document: Part, name: str) -> Pips:
    """Return the puzzle, its cells in the order of ``links``.

    Parameters
    ----------
    document
        The JSON.
    name
        What to call the puzzle where the document has no ``name``.

    Raises
    ------
    InputError
        The document has another shape; the error names the path and the line.
    """
    title = document.optional("name")
    links = document.member("links").members('an object: {"a": ["b", …], …}')
    neighbours = {cell: _neighbours(cell, part, links) for cell, part in links.items()}
    for cell, near in neighbours.items():
        for other, part in near.items():
            if cell not in neighbours[other]:
                there, back = quoted(cell), quoted(other)
                raise part.fault(f"{there} links to {back}, but {back} does not link back")
    dominoes = dominoes_of(document.member("dominoes"))
    if 2 * len(dominoes) != len(links):
        what = f"there are {len(dominoes)}, but {len(links)} cells in the links"
        raise document.member("dominoes").fault(what, "half as many dominoes as cells")
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
        other = _cell(neighbour, links)
        if other == cell:
            raise neighbour.fault(f"{quoted(cell)} links to itself")
        if other in near:
            raise neighbour.fault(f"{quoted(cell)} links to {quoted(other)} twice")
        near[other] = neighbour
    return near


def _region(label: str, part: Part, links: Mapping[str, Part]) -> Region:
    rule, target = rule_of(part, GRAPH_TYPES)
    named = part.member("cells", "the cells that it speaks of")
    cells = [_cell(cell, links) for cell in named.elements("a list of cells")]
    if not cells:
        raise named.fault("the constraint has no cell")
    if len(set(cells)) != len(cells):
        raise named.fault("the constraint names a cell twice")
    return Region(label, tuple(cells), rule, target)


def _cell(part: Part, links: Mapping[str, Part]) -> str:
    cell = part.value
    if not isinstance(cell, str) or cell not in links:
        raise part.fault(f"{part.shown} is no cell", 'a key of "links"')
    return cell
