"""Write a puzzle on a grid in the two JSON formats, independently of the package's own writers."""

from __future__ import annotations

from typing import Any

from milp_pips.puzzles.pips.puzzle import Pips, Region, Rule, cell_name

TYPES = {
    None: "empty",
    Rule.EQ: "equals",
    Rule.NEQ: "unequal",
    Rule.SUM: "sum",
    Rule.LT: "less",
    Rule.GT: "greater",
    Rule.LE: "at most",
    Rule.GE: "at least",
}


def times_level(puzzle: Pips) -> dict[str, Any]:
    """Return the puzzle as a level of the Times' JSON, which has no "at most" and no "at least"."""
    ruled = {cell for region in puzzle.regions for cell in region.cells}
    regions = [
        *(strict(region) for region in puzzle.regions),
        *(Region("", (cell,)) for cell in puzzle.cells if cell not in ruled),
    ]
    level: dict[str, Any] = {
        "dominoes": [list(domino) for domino in puzzle.dominoes],
        "regions": [
            {"indices": [list(cell) for cell in region.cells], **_rule(region)}  # type: ignore[call-overload]
            for region in regions
        ],
    }
    if puzzle.published is not None:
        level["solution"] = [[list(cell) for cell in laid.cells] for laid in puzzle.published.dominoes]  # type: ignore[call-overload]
    return level


def graph(puzzle: Pips) -> dict[str, Any]:
    """Return the puzzle as a graph whose cells are named ``r1c1``, …."""
    links: dict[str, list[str]] = {cell_name(cell): [] for cell in puzzle.cells}
    for a, b in puzzle.edges:
        links[cell_name(a)].append(cell_name(b))
        links[cell_name(b)].append(cell_name(a))
    return {
        "name": puzzle.name,
        "dominoes": [list(domino) for domino in puzzle.dominoes],
        "constraints": [
            {"cells": [cell_name(cell) for cell in region.cells], **_rule(region)}
            for region in puzzle.regions
        ],
        "links": links,
    }


def strict(region: Region) -> Region:
    """Return the same region with < and > in place of ≤ and ≥."""
    if region.rule in (Rule.LE, Rule.GE):
        assert region.target is not None
        less = region.rule is Rule.LE
        target = region.target + (1 if less else -1)
        return Region(region.label, region.cells, Rule.LT if less else Rule.GT, target)
    return region


def _rule(region: Region) -> dict[str, Any]:
    target = {} if region.target is None else {"target": region.target}
    return {"type": TYPES[region.rule], **target}
