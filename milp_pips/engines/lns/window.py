"""A window: a part of the board that a small exact MIP re-solves, with everything else fixed.

The 0-1 model is that of the whole problem, stated for the cells of the window. Only its ``use`` rows are
soft: they limit the number of dominoes of each kind, and each surplus domino costs one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from random import Random
from typing import TYPE_CHECKING

import numpy as np

from milp_pips.constraints import DominoCover
from milp_pips.engines.lns.layout import Kind, SoftLayout
from milp_pips.formulations.milp.draft import formulate
from milp_pips.problem import Problem
from milp_pips.problem.problem import unchecked_variable

if TYPE_CHECKING:
    from highspy import Highs

    from milp_pips.formulations.milp.model import EncodedModel

WHIM = 0.3
"""The most of the random part of the costs in total: less than one domino, so that it only breaks ties
between equally good layouts."""

SEEDS = 2
"""The number of dominoes around which a window grows: two that must change together may lie far apart."""

TIED = 0.7
"""The probability that a window grows over the cells of a rule instead of over any neighbour."""


class WindowModel:
    """The 0-1 model of some cells of a layout, with everything else fixed.

    Parameters
    ----------
    layout
        The layout; it is not changed.
    cells
        The cells; they must consist of whole dominoes.
    formulation
        As for ``milp.formulate``.

    Attributes
    ----------
    model
        The model, whose ``use`` rows are as if there were one domino of each kind.
    """

    def __init__(self, layout: SoftLayout, cells: Sequence[int], formulation: str):
        # The variables of the part: the values of its cells, further variables of its rules (the border), and
        # the partners of its cells.
        problem, cover, point = layout.problem, layout.problem.cover, layout.point
        self.cells = cells
        values = [cover.values[i] for i in cells]
        rules = problem.rules_on(values)
        inside = set(values)
        border = [v for v in dict.fromkeys(v for r in rules for v in r.variables) if v not in inside]
        self._variables = [*values, *border, *(cover.partners[i] for i in cells)]
        self._first_partner = len(values) + len(border)
        # The hand: the given dominoes that are not used outside the window.
        present: Counter[Kind] = Counter(layout.kind(i) for i in cells if i < layout.partner(i))
        left = {kind: present[kind] - over for kind, over in layout.excess.items()}
        self._hand = {kind: count for kind, count in sorted(left.items()) if count > 0}
        # Cells of the window may only be partners of one another.
        place = {cell: k for k, cell in enumerate(cells)}
        beside = [sorted(place[j] for j in problem.near[i] if j in place) for i in cells]
        named = problem.reduced.variables
        variables = [
            *(named[v] for v in values),
            # On the border, cells keep their values; other variables of the rules stay free.
            *(named[v]._replace(domain=(point[v],)) if v in problem.cell_of else named[v] for v in border),
            *(unchecked_variable("", tuple(near)) for near in beside),
        ]
        part = DominoCover(
            tuple(range(len(cells))),
            tuple(range(self._first_partner, len(variables))),
            tuple((i, j) for i, near in enumerate(beside) for j in near if i < j),
            tuple(self._hand),
        )
        number = {v: k for k, v in enumerate(self._variables)}
        self._rules = [rule.renumbered(number) for rule in rules]
        self.model: EncodedModel = formulate(Problem(tuple(variables), (part, *self._rules)), formulation)

    def pass_to(self, highs: Highs, rng: Random) -> None:
        """Pass the model to HiGHS, with soft ``use`` rows and a small random cost on every other column."""
        import highspy

        model, arrays, size = self.model, self.model.arrays, self.model.size
        use = next(family for family in model.row_families if family.name == "use")
        rows = slice(use.first, use.first + use.count)
        lower, upper = arrays.row_lower.copy(), arrays.row_upper.copy()
        lower[rows], upper[rows] = 0.0, list(self._hand.values())
        # One more column per ``use`` row, at the end of the row, counts the surplus dominoes.
        columns = size["columns"] + use.count
        added = np.arange(size["columns"], columns)
        ends = arrays.start[1:][rows]
        more = np.zeros(len(arrays.start), np.int64)
        more[use.first + 1 : use.first + use.count + 1] = 1
        whims = np.random.default_rng(rng.getrandbits(32)).random(size["columns"])
        highs.passModel(
            columns,
            size["rows"],
            len(arrays.index) + use.count,
            int(highspy.MatrixFormat.kRowwise),
            int(highspy.ObjSense.kMinimize),
            0.0,
            np.concatenate([whims * 2 * WHIM / len(self.cells), np.ones(use.count)]),
            np.zeros(columns),
            np.concatenate([np.ones(size["columns"]), np.full(use.count, float(len(self.cells)))]),
            lower,
            upper,
            (arrays.start + np.cumsum(more)).astype(np.int32),
            np.insert(arrays.index, ends, added).astype(np.int32),
            np.insert(arrays.value, ends, -1.0),
            np.repeat(np.array([1, 0], np.int32), [size["columns"], use.count]),
        )

    def changes(self, x: Sequence[float]) -> dict[int, int] | None:
        """Return new values of the problem's variables from a vector of HiGHS; None if it violates a rule."""
        found = self.model.decode(np.asarray(x)[: self.model.size["columns"]])
        split = self._first_partner
        partners = found[split:]
        if -1 in found or any(partners[j] != i for i, j in enumerate(partners)):
            return None
        if not all(rule.holds(found) for rule in self._rules):
            return None
        moved = [*found[:split], *(self.cells[k] for k in partners)]
        return dict(zip(self._variables, moved, strict=True))


def grow_window(layout: SoftLayout, columns: int, rng: Random) -> list[int]:
    """Return the cells of a window: whole dominoes around two of surplus kinds.

    It grows over neighbours, but prefers the other cells of rules that it has touched: if a window contains
    only one cell of a rule, that cell has no choice.

    Parameters
    ----------
    layout
        The layout, which must have a cost.
    columns
        The size limit, in pairs of values of neighbours, which are about the columns of its model.
    rng
        Random generator, which determines how it grows.
    """
    problem = layout.problem
    values = problem.cover.values
    inside: dict[int, None] = {}
    tied: list[int] = []
    beside = [layout.surplus_cell(rng) for _ in range(SEEDS)]
    spent = 0
    while spent < columns and len(inside) < len(values):
        bag = tied if tied and (not beside or rng.random() < TIED) else beside
        cell = _pop_random(bag, rng) if bag else int(rng.random() * len(values))
        if cell in inside:
            continue
        for i in (cell, layout.partner(cell)):
            inside[i] = None
            for j in problem.near[i]:
                if j in inside:
                    spent += len(problem.domains[values[i]]) * len(problem.domains[values[j]])
                else:
                    beside.append(j)
            for rule in problem.rules[values[i]]:
                tied += [problem.cell_of[v] for v in rule.variables if v in problem.cell_of]
    return list(inside)


def _pop_random(bag: list[int], rng: Random) -> int:
    """Remove a random item from the list and return it; the last item takes its place."""
    k = int(rng.random() * len(bag))
    bag[k], bag[-1] = bag[-1], bag[k]
    return bag.pop()
