"""Describe a Pips puzzle as plain data, from which a page builds a board to play on."""

from __future__ import annotations

from typing import Any, cast

from milp_pips.puzzles.pips.puzzle import Cell, Pips, Region, Rule, cell_name

RULE_NAMES = {
    Rule.EQ: "equal",
    Rule.NEQ: "different",
    Rule.SUM: "sum",
    Rule.LT: "less",
    Rule.GT: "greater",
    Rule.LE: "at_most",
    Rule.GE: "at_least",
    None: "free",
}
"""The name of each rule in this data."""


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
        "rule": {"kind": RULE_NAMES[region.rule], "value": region.target},
        "text": region.sign,
    }
