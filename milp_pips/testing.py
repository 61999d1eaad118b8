"""The conformance suite: what every solver, built in or from outside, must pass.

A plugin's author inherits it in a test module; pytest does the rest::

    from milp_pips.testing import SolverConformance

    class TestMySolver(SolverConformance):
        solver = "my-solver"
"""

from __future__ import annotations

import contextlib
import os
import random
import tempfile
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import islice, product
from typing import TYPE_CHECKING, ClassVar, cast
from unittest import mock

from milp_pips import plugins
from milp_pips.answer import Answer, Proof, Settings, Stop
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
    NoGood,
    Problem,
    Regular,
    Relation,
    Variable,
)
from milp_pips.process import ask, count_by_engine
from milp_pips.solvers.contract import FEATURES
from milp_pips.watch import Watch

if TYPE_CHECKING:
    from milp_pips.solvers.contract import CountingSolver, EnumeratingSolver, LiveSolver, Points, Solver


class SolverConformance:
    """Inherit, name the solver, and collect with pytest."""

    solver: ClassVar[str]
    """Name of the solver under test."""

    def test_it_says_what_it_is(self) -> None:
        solver = self._solver()
        assert solver.name == self.solver
        assert solver.kind in ("mip", "cp", "search")
        assert solver.title
        assert isinstance(solver.formulations, tuple)
        assert all(isinstance(name, str) for name in solver.formulations)
        assert len(solver.formulations) >= 1
        for names in (solver.features, solver.published, solver.clashes):
            assert isinstance(names, frozenset)
            assert all(isinstance(name, str) for name in names)
        assert solver.published | solver.filtering <= set(solver.formulations)
        assert solver.clashes.isdisjoint(solver.requires)
        assert isinstance(solver.proof_family, str)
        assert solver.proof_family
        assert isinstance(solver.isolated, bool)
        assert isinstance(solver.variants, str)
        assert solver.features <= FEATURES
        for feature, method in (("cuts", "live"), ("enumeration", "points"), ("counting", "count")):
            assert feature not in solver.features or callable(getattr(solver, method, None))
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

    def test_solutions_that_are_forbidden(self) -> None:
        for problem, key in several():
            known: list[tuple[int, ...]] = []
            for _ in views(problem, key):
                point = self.solved(forbid(problem, key, known)).point
                assert point is not None
                known.append(view(problem, key, point))
            assert Counter(known) == views(problem, key)
            answer = self._solver().solve(forbid(problem, key, known), Settings(), Watch())
            assert (answer.point, answer.proof, answer.stop) == (None, Proof.INFEASIBLE, Stop.FINISHED)

    def test_every_point_once_and_complete(self) -> None:
        solver = self._solver()
        if "enumeration" not in solver.features:
            return
        engine = cast("EnumeratingSolver", solver)
        for problem, key in several():
            whole = len(problem.keys[key]) == len(problem.variables)
            for formulation in ["", *(self._formulations(problem) if whole else [])]:
                found, ending = taken(engine.points(problem, key, Settings(formulation), Watch()), 1000)
                assert ending == (Proof.COMPLETE, Stop.FINISHED)
                seen = Counter(view(problem, key, point) for point in found)
                assert seen.keys() == views(problem, key).keys()
                # What differs outside the key only may come or not; a published model may have twins.
                if whole and formulation not in solver.published:
                    assert seen == views(problem, key)

    def test_points_of_a_problem_without_any(self) -> None:
        problem = board(2, 2, [(1, 2), (3, 3)], [LinearSum((0, 1), Relation.EQ, 9, "top: sum 9")])
        solver = self._solver()
        if "enumeration" in solver.features:
            points = cast("EnumeratingSolver", solver).points(problem, "placement", Settings(), Watch())
            assert taken(points, 1) == ([], (Proof.COMPLETE, Stop.FINISHED))

    def test_points_that_are_stopped_are_not_complete(self) -> None:
        problem = board(2, 6, [(1, 2), (3, 4), (5, 6)] * 2, [])
        solver = self._solver()
        if "enumeration" in solver.features:
            watch = Watch()
            points = cast("EnumeratingSolver", solver).points(problem, "placement", Settings(), watch)
            assert problem.violated(next(points)) is None
            watch.interrupt()
            assert taken(points, 100_000)[1] == (Proof.NONE, Stop.INTERRUPTED)

    def test_counting_is_exact_or_refused(self) -> None:
        solver = self._solver()
        if "counting" not in solver.features:
            return
        engine, counted = cast("CountingSolver", solver), 0
        twins = board(2, 4, [(1, 1), (1, 1), (1, 2), (1, 2)], [])
        nothing = board(2, 2, [(1, 2), (3, 3)], [LinearSum((0, 1), Relation.EQ, 9, "top: sum 9")])
        for problem, key in [*several(), (twins, "placement"), (twins, "grid"), (nothing, "placement")]:
            for formulation in ["", *self._formulations(problem)]:
                with contextlib.suppress(UsageError):  # what it counts are not the solutions by this key
                    tally = engine.count(problem, key, Settings(formulation), Watch())
                    expected = len(views(problem, key))
                    assert tally == (expected, Proof.COMPLETE, Stop.FINISHED)
                    counted += 1
        assert counted

    def test_counting_that_is_stopped_is_not_complete(self) -> None:
        solver = self._solver()
        if "counting" in solver.features:
            problem = board(4, 12, [(a, b) for a in range(6) for b in range(4)], [])
            tally = count_by_engine(self.solver, problem, "placement", Settings(), InterruptedWatch(looks=3))
            assert (tally.proof, tally.stop) == (Proof.NONE, Stop.INTERRUPTED)

    def test_a_model_that_stays_loaded(self) -> None:
        solver = self._solver()
        if "cuts" not in solver.features:
            return
        for problem, key in several():
            live = cast("LiveSolver", solver).live(problem, key, Settings())
            seen: list[tuple[int, ...]] = []
            found = live.solve((), (), Watch())
            while found.point is not None:
                assert (found.proof, found.stop) == (Proof.FEASIBLE, Stop.FINISHED)
                assert live.choices(found.point) == found.choices
                seen.append(view(problem, key, found.point))
                assert Counter(seen) <= views(problem, key)
                one = found.choices[0]
                assert live.solve(found.choices, (), Watch()).choices == found.choices
                assert one in live.solve((one,), (), Watch()).choices
                assert one not in live.solve((), (one,), Watch()).choices
                live.exclude(found.choices)
                assert live.solve(found.choices, (), Watch()).proof is Proof.INFEASIBLE
                found = live.solve((), (), Watch())
            assert (found.proof, found.stop) == (Proof.INFEASIBLE, Stop.FINISHED)
            assert Counter(seen) == views(problem, key)

    def test_seeds(self) -> None:
        problem = board(2, 3, [(0, 1), (0, 2), (1, 2)], [])
        if "seed" in self._solver().features:
            first, again = (self.solved(problem, seed=5).point for _ in range(2))
            assert first == again

    def test_a_limit_that_is_long_enough_changes_nothing(self) -> None:
        self.solved(board(2, 2, [(1, 2), (3, 3)], []), seconds=60)

    def test_a_time_limit_is_no_answer(self) -> None:
        answer = ask(self.solver, large(), Settings(), Watch(0.01))
        assert (answer.point, answer.proof, answer.stop) == (None, Proof.NONE, Stop.TIME)

    def test_interrupted(self) -> None:
        answer = ask(self.solver, large(), Settings(), InterruptedWatch(looks=3))
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
        with (
            tempfile.TemporaryDirectory(prefix="dóminö ☐ ") as folder,
            mock.patch.object(tempfile, "tempdir", folder),
            mock.patch.dict(os.environ, TMPDIR=folder),
            contextlib.chdir(folder),
        ):
            self.solved(board(1, 2, [(0, 1)], []))

    def test_in_a_process_of_its_own(self) -> None:
        problem = board(1, 2, [(0, 1)], [LinearSum((0,), Relation.EQ, 1, "left")])
        answer = ask(self.solver, problem, Settings(isolate=True), Watch())
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


class InterruptedWatch(Watch):
    """A watch that is interrupted when it has been looked at so many times: somebody is at work by then."""

    def __init__(self, looks: int):
        super().__init__()
        self._left = looks

    @property
    def stop(self) -> Stop | None:
        """Why to stop now, or None."""
        self._left -= 1
        if self._left <= 0:
            self.interrupt()
        return super().stop


def several() -> list[tuple[Problem, str]]:
    """Return problems of a few solutions each, and keys of theirs by which to tell the solutions apart."""
    square = board(2, 2, [(1, 2), (1, 3)], [])
    line = board(1, 4, [(0, 1), (2, 2)], [LinearSum((0, 3), Relation.GE, 1, "ends")])
    return [(square, "placement"), (square, "grid"), (line, "placement"), (line, "grid")]


def view(problem: Problem, key: str, point: Sequence[int]) -> tuple[int, ...]:
    """Return what a point gives the variables of the key."""
    return tuple(point[v] for v in problem.keys[key])


def views(problem: Problem, key: str) -> Counter[tuple[int, ...]]:
    """Return what the solutions give the variables of the key, each once: by trying every assignment."""
    assignments = product(*(variable.domain for variable in problem.variables))
    return Counter({view(problem, key, point) for point in assignments if problem.violated(point) is None})


def forbid(problem: Problem, key: str, known: Iterable[tuple[int, ...]]) -> Problem:
    """Return the problem without the solutions that give these values to the variables of the key."""
    least = problem.least_difference(key)
    return problem.with_constraints(NoGood(problem.keys[key], values, least) for values in known)


def taken(points: Points, most: int) -> tuple[list[tuple[int, ...]], tuple[Proof, Stop] | None]:
    """Return the first points, and how they ended; None if there are more than ``most``."""
    ending: list[tuple[Proof, Stop]] = []

    def all_points() -> Points:
        ending.append((yield from points))
        return ending[0]

    found = list(islice(all_points(), most + 1))
    return found, ending[0] if ending else None


def large() -> Problem:
    """Return a board of 1,500 dominoes of which no engine can say anything in a hundredth of a second.

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
