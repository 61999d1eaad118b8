"""A window: a part of the board laid anew by a small exact MIP, with everything else as it lies.

The 0-1 model is the one of the whole problem, stated for the cells of the window; only its ``use`` rows,
which say how many dominoes of each kind there are, are soft: a domino too many costs one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from milp_pips.formulations.milp import formulate
from milp_pips.problem.problem import Constraint, DominoCover, Problem, unchecked_variable

if TYPE_CHECKING:
    from highspy import Highs

    from milp_pips.engines.lns.layout import Kind, SoftLayout
    from milp_pips.formulations.milp.model import Model

WHIM = 0.3
"""The most that the random part of the costs may come to: less than one domino, so that it only chooses among
equally good ways to lie."""

SEEDS = 2
"""Dominoes that a window grows around: where one can change only if another does, they may lie far apart."""

TIED = 0.7
"""How likely a window grows over a rule and not over any neighbour."""


class WindowModel:
    """The 0-1 model of some cells of a layout, everything else as it lies.

    Parameters
    ----------
    layout
        The layout; it is not changed.
    cells
        The cells, with whole dominoes.
    formulation
        As for ``milp.formulate``.

    Attributes
    ----------
    model
        The model with ``use`` rows as if there were one domino of each kind.
    """

    def __init__(self, layout: SoftLayout, cells: Sequence[int], formulation: str):
        problem, cover, point = layout.problem, layout.problem.cover, layout.point
        self.cells = cells
        values = [cover.values[i] for i in cells]
        rules = problem.rules_on(values)
        inside = set(values)
        border = [v for v in dict.fromkeys(v for r in rules for v in r.variables) if v not in inside]
        self._variables = [*values, *border, *(cover.partners[i] for i in cells)]
        self._first_partner = len(values) + len(border)
        present: Counter[Kind] = Counter(layout.kind(i) for i in cells if i < layout.partner(i))
        left = {kind: present[kind] - over for kind, over in layout.excess.items()}
        self._hand = {kind: count for kind, count in sorted(left.items()) if count > 0}
        place = {cell: k for k, cell in enumerate(cells)}
        beside = [sorted(place[j] for j in problem.near[i] if j in place) for i in cells]
        named = problem.reduced.variables
        variables = [
            *(named[v] for v in values),
            # Of what the rules speak of beside, cells stay as they are.
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
        self._rules = [_renumber(rule, number) for rule in rules]
        self.model: Model = formulate(Problem(tuple(variables), (part, *self._rules)), formulation)

    def pass_to(self, highs: Highs, rng: Random) -> None:
        """Give HiGHS the model with soft ``use`` rows, and costs that are random beside those."""
        import highspy

        model, size = self.model, self.model.size
        use = next(family for family in model.rows if family.name == "use")
        rows = slice(use.first, use.first + use.count)
        lower, upper = model.row_lower.copy(), model.row_upper.copy()
        lower[rows], upper[rows] = 0.0, list(self._hand.values())
        # One more column per ``use`` row, at the end of the row, takes in what is too many.
        columns = size["columns"] + use.count
        added = np.arange(size["columns"], columns)
        ends = model.start[1:][rows]
        more = np.zeros(len(model.start), np.int64)
        more[use.first + 1 : use.first + use.count + 1] = 1
        whims = np.random.default_rng(rng.getrandbits(32)).random(size["columns"])
        highs.passModel(
            columns,
            size["rows"],
            len(model.index) + use.count,
            int(highspy.MatrixFormat.kRowwise),
            int(highspy.ObjSense.kMinimize),
            0.0,
            np.concatenate([whims * 2 * WHIM / len(self.cells), np.ones(use.count)]),
            np.zeros(columns),
            np.concatenate([np.ones(size["columns"]), np.full(use.count, float(len(self.cells)))]),
            lower,
            upper,
            (model.start + np.cumsum(more)).astype(np.int32),
            np.insert(model.index, ends, added).astype(np.int32),
            np.insert(model.value, ends, -1.0),
            np.repeat(np.array([1, 0], np.int32), [size["columns"], use.count]),
        )

    def changes(self, x: Sequence[float]) -> dict[int, int] | None:
        """Return the values of the problem's variables by a vector of HiGHS; None if it breaks a rule."""
        found = self.model.decode(np.asarray(x)[: self.model.size["columns"]])
        split = self._first_partner
        partners = found[split:]
        if -1 in found or any(partners[j] != i for i, j in enumerate(partners)):
            return None
        if not all(rule.holds(found) for rule in self._rules):
            return None
        moved = [*found[:split], *(self.cells[k] for k in partners)]
        return dict(zip(self._variables, moved, strict=True))


def _renumber(rule: Constraint, number: dict[int, int]) -> Constraint:
    """Return the rule with its variables replaced by their numbers."""
    return cast("Constraint", replace(cast("Any", rule), variables=tuple(number[v] for v in rule.variables)))


def grow_window(layout: SoftLayout, columns: int, rng: Random) -> list[int]:
    """Return the cells of a window: whole dominoes around two of which too many lie.

    It grows over neighbours, and with preference over the cells of rules that it has touched: a rule of which
    a window holds one cell leaves that cell no choice.

    Parameters
    ----------
    layout
        The layout, which must have a cost.
    columns
        How large it may become, in pairs of values for neighbours: about the columns of its model.
    rng
        Decides how it grows.
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
    """Take a random item out of the list."""
    k = int(rng.random() * len(bag))
    bag[k], bag[-1] = bag[-1], bag[k]
    return bag.pop()
