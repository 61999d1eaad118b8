"""Why a leaf of a branch and bound is empty: Farkas's certificate, verified in exact arithmetic."""

from collections.abc import Sequence
from fractions import Fraction
from math import isfinite, lcm
from typing import NamedTuple

import milp_pips
from milp_pips.extras.lab.puzzle_model import PuzzleModel, cells_of
from milp_pips.render.vocabulary import Drawing, Note, Square, draw_squares

FEW_ROWS = 2 | 4
"""HiGHS's ``iis_strategy``: an irreducible infeasible subsystem of the relaxation, found from LPs."""

MAX_DENOMINATOR = 10_000
"""Multipliers are rounded to fractions with at most this denominator before they are verified."""


class Farkas(NamedTuple):
    """Multipliers of rows whose sum no point within the bounds of a leaf obeys (Farkas 1902).

    ``rows`` are those of an irreducible infeasible subsystem by HiGHS: with the bounds of the leaf they have
    no common point, without any one of them they have one. ``multipliers`` are whole numbers; a negative one
    multiplies the upper side of its row, any other the lower side. ``cells`` are the variables of the cells
    that each row is about; none if it counts dominoes on any cells. ``total`` is the sum: the factor of each
    column, by its meaning. Every point of the rows has a sum of at least ``least``; every point within the
    bounds of the leaf has one of at most ``most``, which is less.
    """

    stated: PuzzleModel
    branches: tuple[str, ...]
    rows: tuple[str, ...]
    multipliers: tuple[int, ...]
    cells: tuple[tuple[int, ...], ...]
    total: dict[str, Fraction]
    least: Fraction
    most: Fraction

    def __str__(self) -> str:
        lines = [f"where {', '.join(self.branches) or 'nothing is branched on'}"]
        lines += [f"{y:+6} times {row}" for row, y in zip(self.rows, self.multipliers, strict=True) if y]
        lines.append(f"Each point that obeys these rows has a sum of at least {self.least}.")
        terms = " ".join(f"{'+' if a > 0 else ''}{a} [{meaning}]" for meaning, a in self.total.items())
        lines += [f"The sum is {terms}", "With every bracket from 0 to 1, and the branches, that is"]
        return "\n".join([*lines, f"at most {self.most}: a contradiction."])


def leaves(tree: milp_pips.SearchTree) -> list[int]:
    """Return the infeasible leaves of a tree."""
    return [i for i, node in enumerate(tree.nodes) if node.status == "infeasible"]


def farkas(tree: milp_pips.SearchTree, node: int) -> Farkas:
    """Return Farkas's certificate of an infeasible leaf of a textbook search.

    HiGHS names the rows and the multipliers, in floating point. They are rounded to fractions, and the
    certificate is verified in exact arithmetic.
    """
    words, bounds = list[str](), dict[int, tuple[float, float]]()
    leaf: int | None = node
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
    kept = sorted(int(row) for row in highs.getIis()[1].row_index_)
    for row in set(range(model.size["rows"])) - set(kept):
        highs.changeRowBounds(row, -highs.inf, highs.inf)
    highs.run()
    _, _, ray = highs.getDualRay()
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
                tree.stated, tuple(words[::-1]), tuple(names[row] for row in kept),
                tuple(int(a * whole) for a in y.values()),
                _cells_of_rows(tree.stated, kept),
                {meanings[j]: a * whole for j, a in total.items()}, least * whole, most * whole,
            )  # fmt: skip
    raise AssertionError(f"HiGHS's dual ray of leaf {node} is not a certificate in exact arithmetic")


def _cells_of_rows(stated: PuzzleModel, rows: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    """Return the cells that the label of each row names, or else those of the rule that it names."""
    labels = [label for family in stated.model.row_families for label in family.labels()]
    cells, found = cells_of(stated.problem), []
    number = {stated.problem.variables[v].name: v for v in cells}
    for row in rows:
        named = [number[str(part)] for part in labels[row] if str(part) in number]
        rules = (rule for rule in stated.problem.constraints if rule.label and rule.label == labels[row][0])
        found.append(tuple(named or [v for rule in rules for v in rule.variables if v in cells]))
    return tuple(found)


def _sum_of_rows(
    tree: milp_pips.SearchTree, y: dict[int, Fraction]
) -> tuple[dict[int, Fraction], Fraction | None]:
    """Return the sum of rows times their multipliers: its factors, and its least value; None for none."""
    model, total, least = tree.stated.model, dict[int, Fraction](), Fraction(0)
    for row, factor in y.items():
        side = float((model.arrays.row_lower if factor >= 0 else model.arrays.row_upper)[row])
        if factor and not isfinite(side):
            return {}, None
        least += factor * Fraction(side) if factor else 0
        for k in range(model.arrays.start[row], model.arrays.start[row + 1]):
            column = int(model.arrays.index[k])
            total[column] = total.get(column, Fraction(0)) + factor * Fraction(float(model.arrays.value[k]))
    return {column: a for column, a in total.items() if a}, least


SIDES = (
    Note("+", ("times the lower side of a row that is about the cell",), "#b9d9ee"),
    Note("-", ("times the upper side of one",), "#f7e08c"),
)


def drawing(found: Farkas) -> Drawing:
    """Return the board with the multipliers of rows in the cells that the rows are about."""
    prepared, at, loose = found.stated.prepared, dict[int, list[int]](), list[Note]()
    for row, y, cells in zip(found.rows, found.multipliers, found.cells, strict=True):
        for v in cells if y else ():
            at.setdefault(v, []).append(y)
        if y and not cells:
            loose.append(Note(f"{y:+}", (f"times {row}",)))
    squares = {
        v: Square(
            " ".join(f"{y:+}" for y in at.get(v, ())),
            candidates=tuple((f"{y:+}", SIDES[y < 0].fill) for y in at.get(v, ())),
        )
        for v in cells_of(prepared.problem)
    }
    board = draw_squares(prepared.family.draw(found.stated.puzzle, None), squares, keep_lines=True)
    branches = [Note("branch", (branch,)) for branch in found.branches]
    return board._replace(title="why the relaxation is empty", notes=(*SIDES, *loose, *branches))
