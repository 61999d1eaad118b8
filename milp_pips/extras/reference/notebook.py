"""The models of a published CP-SAT notebook for Pips (``PipsSolver``), unchanged.

Each domino has an integer over the list of its placements, and one literal per placement, channelled to the
integer in both directions. Each cell has exactly one placement, and placements imply values. Two equal
dominoes each have their own placements, and a double has each placement twice, so the size of the model is
quadratic in the number of dominoes.
"""

from __future__ import annotations

from typing import Any

from milp_pips.constraints import DominoCover, LinearSum
from milp_pips.engines.contract import Formulation
from milp_pips.engines.cp_sat import NativeModel
from milp_pips.problem.problem import Problem
from milp_pips.propagation import equality, pruning


class NotebookModel(NativeModel):
    """The notebook's model; the rules of the regions are stated on the cells' integers.

    With ``hints``, each cell of a sum gets the hint to take its share of the target. The notebook adds hints
    to its pruned model, but its text does not state which.
    """

    def __init__(self, problem: Problem, *, hints: bool = False):
        super().__init__(problem)
        if hints:
            self._hint()

    def _cover(self, cover: DominoCover) -> None:
        model = self.model
        domains = [set(v.domain) for v in self.problem.variables]
        covering: list[list[Any]] = [[] for _ in cover.values]
        implying: dict[tuple[int, int], list[Any]] = {
            (v, a): [] for v in (*cover.values, *cover.partners) for a in self.problem.variables[v].domain
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
                    model.add(self._integers[cover.values[cell]] == pip).only_enforce_if(is_place)
                implying[cover.partners[i], j].append(is_place)
                implying[cover.partners[j], i].append(is_place)
        for literals in covering:
            model.add_exactly_one(literals)
        for partner in cover.partners:
            if partner in self._integers:
                for j in self.problem.variables[partner].domain:
                    model.add_exactly_one([*implying[partner, j], ~self.literal(partner, j)])
        self._saying |= implying

    def _hint(self) -> None:
        hinted: set[int] = set()  # CP-SAT accepts one hint per variable
        for constraint in self.problem.constraints:
            if isinstance(constraint, LinearSum) and constraint.variables:
                share = constraint.target // len(constraint.variables)
                for v in constraint.variables:
                    domain = self.problem.variables[v].domain
                    if domain and v in self._integers and v not in hinted:
                        hinted.add(v)
                        self.model.add_hint(self._integers[v], min(domain, key=lambda a: abs(a - share)))


BASELINE = Formulation("baseline", NotebookModel)
EQUALITY = Formulation("equality", lambda problem: NotebookModel(equality(problem)))
PRUNING = Formulation("pruning", lambda problem: NotebookModel(pruning(problem), hints=True))
