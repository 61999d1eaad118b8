"""A problem as CP-SAT takes it best: integers and literals for values, native constraints for rules.

Every auxiliary literal follows from the variables of the problem, so that listing all solutions of the model
lists every solution of the problem once.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from milp_pips.problem import (
    AllDifferent,
    AllEqual,
    Cardinality,
    Constraint,
    DominoCover,
    LinearSum,
    NoGood,
    Problem,
    Regular,
)

if TYPE_CHECKING:
    from ortools.sat.python import cp_model


class NativeModel:
    """The CP-SAT model of a problem: an integer per variable, and a literal per value where one is needed."""

    def __init__(self, problem: Problem):
        from ortools.sat.python import cp_model

        self.problem = problem
        self.model: Any = cp_model.CpModel()
        covers = [c for c in problem.constraints if isinstance(c, DominoCover)]
        # Partners need no integers: they are read off the places.
        hidden = {v for cover in covers for v in cover.partners}
        spoken = {v for c in problem.constraints if not isinstance(c, DominoCover) for v in c.variables}
        self._integers = {
            v: self._integer(variable.domain)
            for v, variable in enumerate(problem.variables)
            if v not in hidden or v in spoken
        }
        self._literals: dict[tuple[int, int], Any] = {}
        self._saying: dict[tuple[int, int], list[Any]] = {}
        for cover in covers:
            self._cover(cover)
        for constraint in problem.constraints:
            if not isinstance(constraint, DominoCover):
                self.state(constraint)

    def _integer(self, domain: tuple[int, ...]) -> cp_model.IntVar:
        from ortools.sat.python import cp_model

        if not domain:  # no value at all: the model is infeasible
            self.model.add_bool_or([])
            return self.model.new_constant(0)
        return self.model.new_int_var_from_domain(cp_model.Domain.from_values(domain), "")

    def literal(self, v: int, value: int) -> Any:
        """Return the literal of (variable = value); it is false for a value outside the domain."""
        if value not in self.problem.variables[v].domain:
            return self.model.new_constant(0)
        if (v, value) not in self._literals:
            literal = self.model.new_bool_var("")
            self.model.add(self._integers[v] == value).only_enforce_if(literal)
            self.model.add(self._integers[v] != value).only_enforce_if(~literal)
            self._literals[v, value] = literal
        return self._literals[v, value]

    def _cover(self, cover: DominoCover) -> None:
        """Exactly one place covers a cell; a value's literal is one of the places that say so, or false."""
        domains = [set(v.domain) for v in self.problem.variables]
        ways = [(kind, way) for kind in cover.kinds for way in sorted({kind, kind[::-1]})]
        covering: list[list[Any]] = [[] for _ in cover.values]
        of_kind: dict[tuple[int, int], list[Any]] = {kind: [] for kind in cover.kinds}
        saying: dict[tuple[int, int], list[Any]] = {
            (v, a): [] for v in (*cover.values, *cover.partners) for a in self.problem.variables[v].domain
        }
        for i, j in cover.edges:
            u, v, pu, pv = cover.values[i], cover.values[j], cover.partners[i], cover.partners[j]
            if j not in domains[pu] or i not in domains[pv]:
                continue
            for kind, (a, b) in ways:
                if a in domains[u] and b in domains[v]:
                    place = self.model.new_bool_var("")
                    covering[i].append(place)
                    covering[j].append(place)
                    of_kind[kind].append(place)
                    for pair in ((u, a), (v, b), (pu, j), (pv, i)):
                        saying[pair].append(place)
        for places in covering:
            self.model.add_exactly_one(places)
        for kind, times in cover.kinds.items():
            if times == 1:
                self.model.add_exactly_one(of_kind[kind])
            else:
                self.model.add(sum(of_kind[kind]) == times)
        for (v, a), places in saying.items():
            if v in self._integers:
                self.model.add_exactly_one([*places, ~self.literal(v, a)])
        self._saying |= saying

    def state(self, constraint: Constraint) -> None:
        """State a constraint over the integers and literals."""
        model, integers = self.model, self._integers
        match constraint:
            case AllEqual(variables):
                for u, v in pairwise(variables):
                    model.add(integers[u] == integers[v])
            case AllDifferent(variables):
                model.add_all_different([integers[v] for v in variables])
            case LinearSum(variables):
                low, high = constraint.bounds
                total = sum(integers[v] for v in variables)
                if low is not None:
                    model.add(total >= low)
                if high is not None:
                    model.add(total <= high)
            case Cardinality(variables, bounds):
                for value, low, high in bounds:
                    occurs = [self.literal(v, value) for v in variables]
                    model.add_linear_constraint(sum(occurs), low, high)
            case Regular(variables, automaton):
                if not automaton.accepting or not automaton.arcs:
                    holds = automaton.accepts(()) and not variables
                    model.add_bool_or([] if not holds else [model.new_constant(1)])
                    return
                arcs = [(q, r, a) for q, a, r in automaton.arcs]
                model.add_automaton(
                    [integers[v] for v in variables],
                    automaton.start,
                    sorted(automaton.accepting),
                    [(q, a, r) for q, r, a in arcs],
                )
            case NoGood(variables, values, least):
                same = [self.literal(v, a) for v, a in zip(variables, values, strict=True)]
                model.add(sum(same) <= len(same) - least)
            case _:
                raise TypeError(f"CP-SAT has no statement for {type(constraint).__name__}")

    def decode(self, value: Callable[[Any], int]) -> tuple[int, ...]:
        """Return the point that the values of the model's variables mean."""
        point = {v: value(integer) for v, integer in self._integers.items()}
        for (v, a), places in self._saying.items():
            if v not in point and any(value(place) for place in places):
                point[v] = a
        return tuple(point.get(v, -1) for v in range(len(self.problem.variables)))
