"""Why a leaf of a branch and bound is empty: Farkas's certificate, verified in exact arithmetic."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from math import lcm
from typing import TYPE_CHECKING

import numpy as np

from milp_pips.extras.lab.puzzle_model import PuzzleModel, cells_of
from milp_pips.extras.lab.search_tree import TEXTBOOK, SearchTree
from milp_pips.problem.errors import EngineFault, UsageError
from milp_pips.problem.result import TaskResult

if TYPE_CHECKING:
    from collections.abc import Sequence

FEW_ROWS = 2 | 4
"""HiGHS's ``iis_strategy``: an irreducible infeasible subsystem of the relaxation, found from LPs."""

MAX_DENOMINATOR = 10_000
"""Multipliers are rounded to fractions with at most this denominator before they are verified."""


@dataclass(frozen=True)
class Farkas(TaskResult):
    """Multipliers of rows whose sum no point within the bounds of a leaf obeys (Farkas 1902).

    Parameters
    ----------
    stated
        The puzzle and its model.
    node
        The position of the leaf in the tree.
    branches
        The branches on the path to the leaf, in words.
    rows
        The rows of an irreducible infeasible subsystem by HiGHS: with the bounds of the leaf they have no
        common point, without any one of them they have one.
    multipliers
        Their multipliers, scaled to whole numbers; a negative one multiplies the upper side of its row, any
        other the lower side.
    cells
        For each row the variables of the cells that it is about; empty if it counts dominoes on any cells.
    total
        The sum: the factor of each column, by its meaning in the puzzle.
    least, most
        Every point of the rows has a sum of at least ``least``; every point within the bounds of the leaf
        has a sum of at most ``most``, which is less.
    """

    stated: PuzzleModel = field(repr=False)
    node: int
    branches: tuple[str, ...]
    rows: tuple[str, ...]
    multipliers: tuple[int, ...]
    cells: tuple[tuple[int, ...], ...] = field(repr=False)
    total: dict[str, Fraction] = field(repr=False)
    least: Fraction
    most: Fraction


def farkas(tree: SearchTree, node: int | None = None) -> Farkas:
    """Return Farkas's certificate of an infeasible leaf of a tree; without ``node``, of the first one.

    HiGHS names the rows and the multipliers, in floating point. They are rounded to fractions, and the
    certificate is verified in exact arithmetic.

    Raises
    ------
    UsageError
        If the tree has no such leaf, or is a solver's own, whose leaves need not be empty relaxations.
    EngineFault
        If HiGHS finds no certificate, or one that is wrong in exact arithmetic.
    """
    leaves = [i for i, found in enumerate(tree.nodes) if found.status == "infeasible"]
    if tree.solver != TEXTBOOK:
        raise UsageError(f"only the textbook's search has leaves with certificates, not {tree.solver}'s")
    if not leaves or (node is not None and node not in leaves):
        known = f"infeasible are {', '.join(map(str, leaves))}" if leaves else "no leaf is infeasible"
        raise UsageError(f"{tree.stated.puzzle.name}: there is no such infeasible leaf; {known}")
    leaf: int | None = leaves[0] if node is None else node
    number, words, bounds = leaf, list[str](), dict[int, tuple[float, float]]()
    while leaf is not None:
        for column, low, high in tree.nodes[leaf].bounds:
            bounds[column] = max(low, bounds.get(column, (0, 1))[0]), min(high, bounds.get(column, (0, 1))[1])
        words += filter(None, [tree.links[leaf]])
        leaf = tree.nodes[leaf].parent
    model = tree.stated.model
    highs = model.to_highspy()
    for name, value in (("solve_relaxation", True), ("presolve", "off"), ("iis_strategy", FEW_ROWS)):
        highs.setOptionValue(name, value)
    for column, (low, high) in bounds.items():
        highs.changeColBounds(column, low, high)
    highs.run()
    iis = highs.getIis()[1]
    kept = sorted(int(row) for row in iis.row_index_)
    infinity = highs.getInfinity()
    for row in set(range(model.size["rows"])) - set(kept):
        highs.changeRowBounds(row, -infinity, infinity)
    highs.run()
    has_ray, ray = highs.getDualRay()[1:]
    if not has_ray:
        raise EngineFault(f"HiGHS has no dual ray for leaf {number} of {tree.stated.puzzle.name}")
    for sign in (1, -1):
        y = {row: Fraction(sign * float(ray[row])).limit_denominator(MAX_DENOMINATOR) for row in kept}
        total, least = _sum_of_rows(tree, y)
        if least is None:
            continue
        reach = {column: bounds.get(column, (0.0, 1.0)) for column in total}
        most = sum((max(a * int(side) for side in reach[column]) for column, a in total.items()), Fraction(0))
        if most < least:
            whole = lcm(*(a.denominator for a in y.values()))
            names, meanings = model.row_names(), tree.stated.meanings
            return Farkas(
                tree.stated, int(number or 0), tuple(words[::-1]),
                tuple(names[row] for row in kept),
                tuple(int(a * whole) for a in y.values()),
                _cells_of_rows(tree.stated, kept),
                {meanings[j]: a * whole for j, a in total.items()}, least * whole, most * whole,
            )  # fmt: skip
    raise EngineFault(f"HiGHS's dual ray of leaf {number} is not a certificate in exact arithmetic")


def _cells_of_rows(stated: PuzzleModel, rows: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    """Return the cells that the label of each row names, or else those of the rule that it names."""
    labels = [label for family in stated.model.rows for label in family.labels()]
    cells, found = cells_of(stated.problem), []
    number = {stated.problem.variables[v].name: v for v in cells}
    for row in rows:
        named = [number[str(part)] for part in labels[row] if str(part) in number]
        rules = (rule for rule in stated.problem.constraints if rule.label and rule.label == labels[row][0])
        found.append(tuple(named or [v for rule in rules for v in rule.variables if v in cells]))
    return tuple(found)


def _sum_of_rows(tree: SearchTree, y: dict[int, Fraction]) -> tuple[dict[int, Fraction], Fraction | None]:
    """Return the sum of rows times their multipliers: its factors, and its least value; None for none."""
    model, total, least = tree.stated.model, dict[int, Fraction](), Fraction(0)
    for row, factor in y.items():
        side = float((model.row_lower if factor >= 0 else model.row_upper)[row])
        if factor and not np.isfinite(side):
            return {}, None
        least += factor * Fraction(side) if factor else 0
        for k in range(model.start[row], model.start[row + 1]):
            column = int(model.index[k])
            total[column] = total.get(column, Fraction(0)) + factor * Fraction(float(model.value[k]))
    return {column: a for column, a in total.items() if a}, least
