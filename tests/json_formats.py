"""Write a puzzle on a grid in the two JSON formats, independently of the package's own writers."""

from __future__ import annotations

from typing import Any

from milp_pips.puzzles.pips.puzzle import Pips, Region, cell_name
from milp_pips.puzzles.pips.rules import RULES as ALL_RULES
from milp_pips.puzzles.pips.rules import Rule

RULES = f"{', '.join(list(Rule)[:-1])} or {list(Rule)[-1]}"
TYPES = ", ".join(f'"{kind.json}"' for kind in ALL_RULES.values())
"""The rules as messages list them, for texts and for JSON."""


def times_level(puzzle: Pips) -> dict[str, Any]:
    """Return the puzzle as a level of the Times' JSON, with rules that it has."""
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
    """Return the region with a rule of the Times: < and > in place of ≤ and ≥, none in place of others."""
    if region.rule in (Rule.LE, Rule.GE):
        assert region.target is not None
        less = region.rule is Rule.LE
        target = region.target + (1 if less else -1)
        return Region(region.label, region.cells, Rule.LT if less else Rule.GT, target)
    return region if ALL_RULES[region.rule].is_published else Region(region.label, region.cells)


def _rule(region: Region) -> dict[str, Any]:
    target = {} if region.target is None else {"target": region.target}
    return {"type": ALL_RULES[region.rule].json, **target}
