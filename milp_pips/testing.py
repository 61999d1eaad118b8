"""The conformance suite: what every solver, built in or from outside, must pass.

A plugin's author inherits it in a test module; pytest does the rest::

    from milp_pips.testing import SolverConformance

    class TestMySolver(SolverConformance):
        solver = "my-solver"
"""

from __future__ import annotations

import os
import random
import tempfile
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from milp_pips import plugins
from milp_pips.answer import Answer, Proof, Settings, Stop
from milp_pips.engines import ask
from milp_pips.errors import UsageError
from milp_pips.milp import choices
from milp_pips.problem import (
    AllDifferent,
    AllEqual,
    Automaton,
    Cardinality,
    Constraint,
    DominoCover,
    LinearSum,
    Problem,
    Regular,
    Relation,
    Variable,
)
from milp_pips.watch import Watch

if TYPE_CHECKING:
    from milp_pips.solvers.contract import Solver


class SolverConformance:
    """Inherit, name the solver, and collect with pytest."""

    solver: ClassVar[str]
    """Name of the solver under test."""

    def test_it_says_what_it_is(self) -> None:
        solver = self._solver()
        assert solver.name == self.solver
        assert solver.kind in ("mip", "cp", "search")
        assert solver.title
        assert all(isinstance(name, str) for name in solver.formulations)
        assert len(solver.formulations) >= 1
        known = {"time limit", "seed", "threads", "options", "cuts", "enumeration"}
        assert solver.features <= known
        assert "cuts" not in solver.features or hasattr(solver, "live")
        assert "enumeration" not in solver.features or hasattr(solver, "points")
        assert isinstance(solver.version(), str)

    def test_solvable(self) -> None:
        problem = board(2, 2, [(1, 2), (3, 3)], [LinearSum((0, 1), Relation.EQ, 3, "top: sum 3")])
        for formulation in self._formulations(problem):
            answer = self.solved(problem, formulation)
            assert set(answer.formulation.split(",")) <= set(self._solver().formulations)

    def test_every_constraint(self) -> None:
        domain = (0, 1, 2)
        variables = tuple(Variable(name, domain) for name in "abcd")
        ends_in_two = Automaton(0, frozenset({1}), tuple((q, a, int(a == 2)) for q in (0, 1) for a in domain))
        constraints: Iterable[Constraint] = (
            AllEqual((0, 1), "a = b"),
            AllDifferent((1, 2, 3), "b, c, d differ"),
            LinearSum((0, 2), Relation.LE, 2, "a + c <= 2"),
            LinearSum((1, 3), Relation.GE, 2, "b + d >= 2"),
            Cardinality((0, 1, 2, 3), ((1, 2, 2),), "1 twice"),
            Regular((0, 1, 2, 3), ends_in_two, "ends in 2"),
        )
        problem = Problem(variables, tuple(constraints), {"all": (0, 1, 2, 3)})
        for formulation in self._formulations(problem):
            assert self.solved(problem, formulation).point == (1, 1, 0, 2)

    def test_several_solutions(self) -> None:
        self.solved(board(2, 3, [(0, 1), (0, 2), (1, 2)], []))

    def test_repeated_dominoes_and_doubles(self) -> None:
        self.solved(board(2, 4, [(1, 1), (1, 1), (1, 2), (1, 2)], [AllEqual((0, 1, 2), "three alike")]))

    def test_a_restricted_domain(self) -> None:
        problem = board(2, 2, [(1, 2), (3, 3)], [])
        answer = self.solved(problem.restricted({0: (3,), 4: (1,)}))
        assert answer.point is not None
        assert (answer.point[0], answer.point[4]) == (3, 1)

    def test_infeasible(self) -> None:
        self.refused(board(2, 2, [(1, 2), (3, 3)], [LinearSum((0, 1), Relation.EQ, 9, "top: sum 9")]))
        self.refused(board(2, 2, [(1, 2), (1, 3)], [AllEqual((0, 1, 2), "three alike")]))

    def test_infeasible_without_a_look(self) -> None:
        self.refused(board(1, 2, [(1, 2)], []).restricted({0: ()}))
        apart = DominoCover((0, 1), (2, 3), (), ((1, 2),), "apart")
        nowhere = (Variable("a", (1, 2)), Variable("b", (1, 2)), Variable("pa", ()), Variable("pb", ()))
        self.refused(Problem(nowhere, (apart,), {}))

    def test_no_variables(self) -> None:
        assert self.solved(Problem((), (), {})).point == ()

    def test_negative_values(self) -> None:
        variables = (Variable("a", (-3, -1, 2)), Variable("b", (-2, 4)))
        assert self.solved(Problem(variables, (LinearSum((0, 1), Relation.EQ, 1, "sum"),), {})).point == (
            -3,
            4,
        )

    def test_two_solves_in_a_row(self) -> None:
        solver = self._solver()
        for pips in (1, 2):
            problem = board(1, 2, [(0, pips)], [LinearSum((0,), Relation.EQ, pips, "left")])
            answer = solver.solve(problem, Settings(), Watch())
            assert answer.point == (pips, 0, 1, 0)

    def test_seeds(self) -> None:
        problem = board(2, 3, [(0, 1), (0, 2), (1, 2)], [])
        if "seed" in self._solver().features:
            first, again = (self.solved(problem, seed=5).point for _ in range(2))
            assert first == again

    def test_a_limit_that_is_long_enough_changes_nothing(self) -> None:
        self.solved(board(2, 2, [(1, 2), (3, 3)], []), seconds=60)

    def test_a_time_limit_is_no_answer(self) -> None:
        answer = self._ask(large(), Watch(0.2))
        assert (answer.point, answer.proof, answer.stop) == (None, Proof.NONE, Stop.TIME)

    def test_interrupted(self) -> None:
        watch = Watch()
        threading.Timer(0.3, watch.interrupt).start()
        answer = self._ask(large(), watch)
        assert (answer.point, answer.proof, answer.stop) == (None, Proof.NONE, Stop.INTERRUPTED)

    def test_unknown_formulation_and_option(self) -> None:
        problem = board(1, 2, [(0, 1)], [])
        for settings in (Settings("no such formulation"), Settings(options={"no_such_option": "1"})):
            try:
                answer = self._solver().solve(problem, settings, Watch())
            except UsageError:
                continue
            assert answer.stop is Stop.ERROR  # an engine may only find out itself
            assert answer.message

    def test_unicode_paths(self) -> None:
        saved = tempfile.tempdir, os.environ.get("TMPDIR")
        with tempfile.TemporaryDirectory(prefix="dóminö ☐ ") as folder:
            tempfile.tempdir = os.environ["TMPDIR"] = folder
            try:
                here = Path.cwd()
                os.chdir(folder)
                self.solved(board(1, 2, [(0, 1)], []))
            finally:
                os.chdir(here)
                tempfile.tempdir = saved[0]
                if saved[1] is None:
                    del os.environ["TMPDIR"]
                else:
                    os.environ["TMPDIR"] = saved[1]

    def test_in_a_process_of_its_own(self) -> None:
        problem = board(1, 2, [(0, 1)], [LinearSum((0,), Relation.EQ, 1, "left")])
        answer = ask(self.solver, problem, Settings(), Watch(), isolate=True)
        assert (answer.point, answer.proof, answer.stop) == ((1, 0, 1, 0), Proof.FEASIBLE, Stop.FINISHED)

    def solved(
        self, problem: Problem, formulation: str = "", seconds: float | None = None, seed: int = 0
    ) -> Answer:
        """Return the answer to a problem that has a point, which must have been found."""
        answer = self._solver().solve(problem, Settings(formulation, seed=seed), Watch(seconds))
        assert answer.point is not None, answer
        assert (answer.proof, answer.stop) == (Proof.FEASIBLE, Stop.FINISHED)
        assert problem.violated(answer.point) is None
        return answer

    def refused(self, problem: Problem) -> None:
        """Hold that the solver proves there to be no point, in each of its formulations."""
        for formulation in self._formulations(problem):
            answer = self._solver().solve(problem, Settings(formulation), Watch())
            assert (answer.point, answer.proof, answer.stop) == (None, Proof.INFEASIBLE, Stop.FINISHED), (
                answer
            )

    def _formulations(self, problem: Problem) -> list[str]:
        """Return the solver's formulations but for choices that concern nothing in the problem."""
        elsewhere = set(choices()) - set(choices(problem))
        return [name for name in self._solver().formulations if name not in elsewhere] or [""]

    def _ask(self, problem: Problem, watch: Watch) -> Answer:
        return ask(self.solver, problem, Settings(), watch)

    def _solver(self) -> Solver:
        solver = plugins.solver(self.solver)
        reason = solver.unavailable()
        if reason:
            import pytest

            pytest.skip(reason)
        return solver


def board(
    rows: int, columns: int, dominoes: Iterable[tuple[int, int]], constraints: Iterable[Constraint]
) -> Problem:
    """Return a rectangle to be covered: cell i has the value variable i and the partner variable n + i."""
    n = rows * columns
    edges = [(i, i + 1) for i in range(n) if (i + 1) % columns] + [
        (i, i + columns) for i in range(n - columns)
    ]
    near: list[list[int]] = [[] for _ in range(n)]
    for i, j in edges:
        near[i].append(j)
        near[j].append(i)
    dominoes = sorted((min(d), max(d)) for d in dominoes)
    pips = tuple(sorted({p for d in dominoes for p in d}))
    variables = [Variable(f"cell {i}", pips) for i in range(n)]
    variables += [Variable(f"partner of cell {i}", tuple(sorted(near[i]))) for i in range(n)]
    cover = DominoCover(
        tuple(range(n)), tuple(range(n, 2 * n)), tuple(sorted(edges)), tuple(dominoes), "the dominoes cover"
    )
    return Problem(
        tuple(variables),
        (cover, *constraints),
        {"placement": tuple(range(2 * n)), "grid": tuple(range(n))},
    )


def large() -> Problem:
    """Return a board of 1,500 dominoes of which no engine can say anything in half a second.

    It has no solution, since a good search may be quick with a board that has one: the halves of its only
    domino of 7 and 8 are asked for in opposite corners. Counting pips does not show that.
    """
    chance = random.Random(1)
    rows, columns = 50, 60
    pips = [7, 8, *(chance.randint(0, 6) for _ in range(rows * columns - 2))]
    dominoes = [(pips[i], pips[i + 1]) for i in range(0, rows * columns, 2)]
    pips[1], pips[-1] = pips[-1], pips[1]
    sums = [
        LinearSum((i, i + 1, i + 2), Relation.EQ, sum(pips[i : i + 3]), f"sum from cell {i}")
        for i in range(0, rows * columns, 3)
    ]
    sums += [LinearSum((i,), Relation.EQ, pips[i], f"cell {i}") for i in (0, rows * columns - 1)]
    return board(rows, columns, dominoes, sums)
