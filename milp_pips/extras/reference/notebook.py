"""The models of a published CP-SAT notebook for Pips (``PipsSolver``), unchanged.

Each domino has an integer over the list of its placements, and one literal per placement, channelled to the
integer in both directions. Each cell has exactly one placement, and placements imply values. Two equal
dominoes each have their own placements, and a double has each placement twice, so the size of the model is
quadratic in the number of dominoes.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, ClassVar

from milp_pips.constraints import DominoCover, LinearSum
from milp_pips.engines.contract import Formulation
from milp_pips.engines.cp_sat import NativeModel, Statements, state_sum
from milp_pips.propagation.reductions import equality, pruning


def state_cover(to: NativeModel, cover: DominoCover) -> None:
    """State a domino cover as the notebook does: an integer per domino, and a literal per placement of it."""
    model = to.model
    domains = [set(v.domain) for v in to.problem.variables]
    covering: list[list[Any]] = [[] for _ in cover.values]
    implying: dict[tuple[int, int], list[Any]] = {
        (v, a): [] for v in (*cover.values, *cover.partners) for a in to.problem.variables[v].domain
    }
    for a, b in cover.dominoes:
        placements = [
            (i, j, one, other)
            for i, j in cover.edges
            if j in domains[cover.partners[i]] and i in domains[cover.partners[j]]
            for one, other in ((a, b), (b, a))
        ]
        if not placements:
            model.add_bool_or([])
            continue
        place = model.new_int_var(0, len(placements) - 1, "")
        for k, (i, j, one, other) in enumerate(placements):
            is_place = model.new_bool_var("")
            model.add(place == k).only_enforce_if(is_place)
            model.add(place != k).only_enforce_if(~is_place)
            covering[i].append(is_place)
            covering[j].append(is_place)
            for cell, pip in ((i, one), (j, other)):
                model.add(to.integers[cover.values[cell]] == pip).only_enforce_if(is_place)
            implying[cover.partners[i], j].append(is_place)
            implying[cover.partners[j], i].append(is_place)
    for literals in covering:
        model.add_exactly_one(literals)
    for partner in cover.partners:
        if partner in to.integers:
            for j in to.problem.variables[partner].domain:
                model.add_exactly_one([*implying[partner, j], ~to.literal(partner, j)])
    to.implied_by |= implying


class NotebookModel(NativeModel):
    """The notebook's model; the rules of the regions are stated on the cells' integers."""

    statements: ClassVar[Statements] = {**NativeModel.statements, DominoCover: state_cover}


def state_sum_with_hints(to: HintedModel, total: LinearSum) -> None:
    """State a sum, with the hint that each of its cells takes its share of the target."""
    state_sum(to, total)
    for v in total.variables:
        domain = to.problem.variables[v].domain
        if domain and v not in to.hinted:
            to.hinted.add(v)
            share = total.target // len(total.variables)
            to.model.add_hint(to.integers[v], min(domain, key=lambda a: abs(a - share)))


class HintedModel(NotebookModel):
    """The notebook's model with hints.

    The notebook adds hints to its pruned model, but its text does not state which. CP-SAT accepts one hint
    per variable; ``hinted`` has the variables with one.
    """

    statements: ClassVar[Statements] = {**NotebookModel.statements, LinearSum: state_sum_with_hints}

    @cached_property
    def hinted(self) -> set[int]:
        """The variables that have a hint already."""
        return set()


BASELINE = Formulation("baseline", NotebookModel)
EQUALITY = Formulation("equality", lambda problem: NotebookModel(equality(problem)))
PRUNING = Formulation("pruning", lambda problem: HintedModel(pruning(problem)))
