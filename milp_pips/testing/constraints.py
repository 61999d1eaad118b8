"""The conformance suite of constraints, built in or from a plugin; see ``milp_pips.testing``."""

from __future__ import annotations

import pickle
import time
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import product
from typing import ClassVar

from milp_pips.compilation.solution_set import compile_problem
from milp_pips.constraints import PairSum, bridges, registry
from milp_pips.engines import registry as engines
from milp_pips.enumeration.methods import Listing, list_by_cuts, list_natively, lists_by_itself
from milp_pips.problem import Constraint, Contradiction, Deadline, Problem, Proof, Stop, UsageError, Variable
from milp_pips.propagation import Fixpoint
from milp_pips.testing.boards import taken
from milp_pips.testing.solvers import skip

Point = tuple[int, ...]


class ConstraintConformance:
    """The conformance suite of a constraint: inherit it, set ``constraint`` and ``cases``, and run pytest."""

    constraint: ClassVar[str]
    """Name of the constraint under test."""

    cases: ClassVar[Sequence[tuple[Constraint, Sequence[Sequence[int]]]]]
    """Constraints on the variables 0, 1, … and the domains of these, at most some thousand points each."""

    solvers: ClassVar[Sequence[str]] = ()
    """Names of the solvers that must list the solutions; empty for all that can run on this machine."""

    seconds: ClassVar[float] = 60.0
    """Most seconds for each list, and those after which no further solver is tested unless it is named: a
    warning lists the others."""

    def test_it_is_frozen_data(self) -> None:
        registered = registry.constraint(self.constraint)
        for rule, domains in self.cases:
            assert isinstance(rule, registered), f"{rule} is no {self.constraint}"
            assert pickle.loads(pickle.dumps(rule)) == rule, f"{rule} changes when it is sent to a process"
            assert hash(rule) == hash(pickle.loads(pickle.dumps(rule))), f"{rule} has no stable hash"
            assert isinstance(rule.label, str), f"the label of {rule} is not text"
            assert len(set(rule.variables)) == len(rule.variables), f"{rule} names a variable twice"
            assert set(rule.variables) <= set(range(len(domains))), f"{rule} has variables without a domain"

    def test_holds_takes_a_sequence_or_a_mapping(self) -> None:
        for rule, domains in self.cases:
            for point in product(*domains):
                named = {v: point[v] for v in rule.variables}
                assert rule.holds(point) is rule.holds(named), f"{rule} on {point}"

    def test_the_propagator_removes_no_value_of_a_solution(self) -> None:
        for problem, every in self._problems():
            fixpoint = Fixpoint(problem)
            try:
                fixpoint.reach()
            except Contradiction:
                assert not every, f"{problem.constraints} refuses {every[0]}"
                continue
            left = [set(variable.domain) for variable in fixpoint.problem().variables]
            for point in every:
                assert all(value in left[v] for v, value in enumerate(point)), f"{point} is lost"

    def test_the_propagator_refuses_every_other_point(self) -> None:
        """It must decide a constraint whose variables are all fixed: then a search needs no other check."""
        for problem, every in self._problems():
            solved = set(every)
            for point in product(*(variable.domain for variable in problem.variables)):
                one = problem.restricted({v: (value,) for v, value in enumerate(point)})
                try:
                    Fixpoint(one).reach()
                except Contradiction:
                    assert point not in solved, f"the propagator refuses {point}"
                else:
                    assert point in solved, f"the propagator does not refuse {point}"

    def test_the_rows_have_its_solutions_each_once(self) -> None:
        """The columns must be functions of the variables, else engines would count a solution twice."""
        for problem, every in self._problems():
            bridged = bridges.bridge(problem, frozenset({PairSum}))
            n = len(problem.variables)
            space = compile_problem(bridged)
            found = Counter(point[:n] for point in space)
            assert found == Counter(every), "the points of the rows are not the solutions, each once"

    def test_every_engine_lists_its_solutions(self) -> None:
        begun, listed, left = time.monotonic(), list[str](), list[str]()
        for name in self.solvers or engines.names():
            with suppress(UsageError):
                engines.available(name)
                if listed and not self.solvers and time.monotonic() - begun > self.seconds:
                    left.append(name)
                    continue
                for number, (problem, every) in enumerate(self._problems(), 1):
                    print(f"{name} lists case {number} of {len(self.cases)}", end="", flush=True)
                    found = self._listed(name, problem)
                    print(f"; {time.monotonic() - begun:.1f} s so far", flush=True)
                    assert sorted(found) == sorted(every), f"{name} lists other solutions"
                listed.append(name)
        if left:
            warnings.warn(f"not tested, after {self.seconds:g} s: {', '.join(left)}", stacklevel=2)
        if not listed:
            skip("no engine can run on this machine")

    def test_a_diagram_counts_its_solutions(self) -> None:
        for problem, every in self._problems():
            assert compile_problem(problem).count == len(every)

    def test_what_is_left_of_it_means_the_same(self) -> None:
        """Simplified or renumbered, with all variables open or one of them fixed, it means the same."""
        for rule, domains in self.cases:
            narrow = [domains]
            narrow += [[*domains[:v], domains[v][:1], *domains[v + 1 :]] for v in range(len(domains))]
            for each in narrow:
                self._compare(rule, [tuple(domain) for domain in each])

    def _compare(self, rule: Constraint, domains: Sequence[tuple[int, ...]]) -> None:
        every = {point for point in product(*domains) if rule.holds(point)}
        try:
            left = list(rule.simplify(domains))
        except Contradiction:
            assert not every, f"simplified, {rule} has no solution"
            return
        for each in left:
            assert set(each.variables) <= set(rule.variables), f"{each} has variables that {rule} has not"
        found = {point for point in product(*domains) if all(each.holds(point) for each in left)}
        assert found == every, f"{rule} simplified is {left}"
        n = len(domains)
        turned = rule.renumbered({v: n - 1 - v for v in range(n)})
        for point in product(*domains):
            assert turned.holds(point[::-1]) is rule.holds(point), f"{rule} renumbered is {turned}"

    def _problems(self) -> Iterator[tuple[Problem, list[Point]]]:
        """Yield each case as a problem, with all its solutions."""
        for rule, domains in self.cases:
            variables = tuple(Variable(f"x{v}", tuple(domain)) for v, domain in enumerate(domains))
            problem = Problem(variables, (rule,), {"all": tuple(range(len(domains)))})
            yield problem, [point for point in product(*domains) if rule.holds(point)]

    def _listed(self, name: str, problem: Problem) -> list[Point]:
        """Return the solutions that an engine lists, and assert that the list is complete."""
        listing = Listing(problem, "all", name)
        native = lists_by_itself(listing.engine, problem)
        deadline = Deadline(self.seconds)
        points = list_natively(listing, deadline) if native else list_by_cuts(listing, deadline)
        found, ending = taken(points, 10_000)
        assert ending == (Proof.COMPLETE, Stop.FINISHED), f"{name} does not complete the list: {ending}"
        return found
