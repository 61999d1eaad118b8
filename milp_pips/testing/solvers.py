"""The conformance suite of solvers, built in or from a plugin; see ``milp_pips.testing``."""

from __future__ import annotations

import contextlib
import os
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, NoReturn, TypeVar
from unittest import mock

from milp_pips.constraints import AllEqual, DominoCover, LinearSum, Relation
from milp_pips.engines import registry
from milp_pips.engines.contract import (
    FEATURES,
    SOLVER_KINDS,
    TRANSFORMATIONS,
    AssumingSolver,
    LoadedClauses,
    Points,
    Solver,
)
from milp_pips.engines.registry import ask, checked_answer, count_by_engine
from milp_pips.enumeration.methods import Listing, list_by_cuts, list_natively
from milp_pips.formulations.cnf import Clauses, CnfEncoding
from milp_pips.formulations.milp import choices
from milp_pips.problem import Answer, Deadline, Problem, Proof, Settings, Stop, Variable
from milp_pips.problem.errors import UsageError
from milp_pips.problem.objective import Objective
from milp_pips.testing.boards import (
    InterruptedDeadline,
    ambiguous,
    board,
    constrained,
    determined,
    forbid,
    large,
    objectives,
    several,
    taken,
    view,
    views,
)

Test = TypeVar("Test", bound=Callable[..., None])

INCOMPLETE_SECONDS = 0.2
"""Seconds for an incomplete solver on a problem without a solution."""


def of_feature(feature: str, *, lacking: bool = False) -> Callable[[Test], Test]:
    """Return a decorator of a test for solvers with a feature, or for those that lack it."""

    def mark(test: Test) -> Test:
        test.of_feature = (feature, lacking)  # type: ignore[attr-defined]
        return test

    return mark


class SolverConformance:
    """The conformance suite of a solver: inherit it, set ``solver``, and collect with pytest."""

    solver: ClassVar[str]
    """Name of the solver under test."""

    isolate: ClassVar[bool | None] = False
    """Whether it runs in a separate process, see ``Settings``; without one, tracebacks show more."""

    seconds: ClassVar[float] = 60.0
    """Most seconds for each answer: a solver that needs longer fails, instead of holding up the others."""

    complete: ClassVar[bool] = True
    """Whether it proves that a problem has no solution; an incomplete one must not claim to."""

    def __init_subclass__(cls) -> None:
        """Leave out the tests of features that the solver does not have."""
        try:
            features = registry.solver(cls.solver).features
        except (AttributeError, UsageError):  # a base of suites, or a solver that is registered later
            return
        for name in dir(SolverConformance):
            feature, lacking = getattr(getattr(cls, name), "of_feature", ("", False))
            if feature and (feature in features) is lacking:
                setattr(cls, name, None)

    def deadline(self) -> Deadline:
        """Return the deadline of one answer."""
        return Deadline(self.seconds)

    def test_it_says_what_it_is(self) -> None:
        solver = self._solver()
        assert solver.name == self.solver, f"it is registered as {self.solver} and calls itself {solver.name}"
        assert solver.kind in SOLVER_KINDS, f"its kind is none of {', '.join(SOLVER_KINDS)}"
        assert solver.title, "it has no title"
        assert solver.formulations, 'it has no formulation; ("",) is one without a name'
        for names in (solver.features, solver.published, solver.clashes):
            assert isinstance(names, frozenset), "its features, published and clashes are frozensets"
        listed = solver.published | solver.filtering
        assert listed <= set(solver.formulations), "published and filtering are of its formulations"
        assert solver.clashes.isdisjoint(solver.requires), "it clashes with what it requires"
        assert solver.proof_family, "its proof_family is empty"
        assert solver.features <= FEATURES
        assert set(solver.transformations) <= set(TRANSFORMATIONS), "a transformation has no such name"
        assert isinstance(solver.version(), str)

    def test_solvable(self) -> None:
        problem = board(2, 2, [(1, 2), (3, 3)], [LinearSum((0, 1), Relation.EQ, 3, "top: sum 3")])
        for formulation in self._formulations(problem):
            answer = self.solved(problem, formulation)
            assert set(answer.formulation.split(",")) <= set(self._solver().formulations), _as_text(answer)

    def test_every_constraint(self) -> None:
        """The solver finds all solutions of each problem, with all of its features, or that there is none."""
        solver: Any = self._solver()
        for problem in constrained():
            key = next(iter(problem.keys))
            every = views(problem, key)
            for formulation in self._formulations(problem) if every else ():
                self.solved(problem, formulation)
                if "enumeration" in solver.features and formulation not in solver.published:
                    assert self._listed(solver.points, problem, key, Settings(formulation)) == every
            self.refused(forbid(problem, key, every))
            if "counting" in solver.features and every:
                with contextlib.suppress(UsageError):  # what it counts are not the solutions by this key
                    tally = count_by_engine(self.solver, problem, key, Settings(), self.deadline())
                    assert (tally.count, tally.proof) == (len(every), Proof.COMPLETE)

    def test_several_solutions(self) -> None:
        self.solved(board(2, 3, [(0, 1), (0, 2), (1, 2)], []))
        self.solved(board(2, 4, [(1, 1), (1, 1), (1, 2), (1, 2)], [AllEqual((0, 1, 2), "three alike")]))

    def test_a_restricted_domain(self) -> None:
        problem = board(2, 2, [(1, 2), (3, 3)], [])
        answer = self.solved(problem.restricted({0: (3,), 4: (1,)}))
        assert answer.point is not None, _as_text(answer)
        assert (answer.point[0], answer.point[4]) == (3, 1), _as_text(answer)

    def test_infeasible(self) -> None:
        self.refused(board(2, 2, [(1, 2), (3, 3)], [LinearSum((0, 1), Relation.EQ, 9, "top: sum 9")]))
        self.refused(board(2, 2, [(1, 2), (1, 3)], [AllEqual((0, 1, 2), "three alike")]))

    def test_infeasible_without_a_look(self) -> None:
        self.refused(board(1, 2, [(1, 2)], []).restricted({0: ()}))
        apart = DominoCover((0, 1), (2, 3), (), ((1, 2),), "apart")
        names = {"a": (1, 2), "b": (1, 2), "pa": (1,), "pb": (0,)}
        cells = Problem(tuple(Variable(name, domain) for name, domain in names.items()), (apart,), {})
        self.refused(cells.restricted({2: (), 3: ()}))

    def test_no_variables(self) -> None:
        answer = self.solved(Problem((), (), {}))
        assert answer.point == (), _as_text(answer)

    def test_two_solves_in_a_row(self) -> None:
        solver = self._solver()
        for pips in (1, 2):
            problem = board(1, 2, [(0, pips)], [LinearSum((0,), Relation.EQ, pips, "left")])
            answer = solver.solve(problem, Settings(), self.deadline())
            assert answer.point == (pips, 0, 1, 0), _as_text(answer)

    def test_solutions_that_are_forbidden(self) -> None:
        for problem, key in several():
            every = sorted(views(problem, key))
            for known in ([], every[:1], every[1:]):
                answer = self.solved(forbid(problem, key, known))
                assert answer.point is not None, _as_text(answer)
                assert view(problem, key, answer.point) in set(every) - set(known), _as_text(answer)
            self._refused(forbid(problem, key, every), Settings())

    @of_feature("enumeration")
    def test_every_point_once_and_complete(self) -> None:
        engine = self._solver_with("enumeration")
        for problem, key in several():
            whole, every = len(problem.keys[key]) == len(problem.variables), views(problem, key)
            for formulation in ["", *(self._formulations(problem) if whole else [])]:
                seen = self._listed(engine.points, problem, key, Settings(formulation))
                assert seen.keys() == every.keys()
                # Points that differ only outside the key are optional; a published model may repeat points.
                if whole and formulation not in engine.published:
                    assert seen == every

    def test_auxiliary_variables_multiply_no_solution(self) -> None:
        """A solver with ``projection`` yields each solution once; another is called once per solution."""
        solver: Any = self._solver()
        for problem in (ambiguous(), determined()):
            every = views(problem, "all")
            listing = Listing(problem, "all", self.solver, Settings(isolate=self.isolate), own_solver=solver)
            for method in (list_by_cuts, list_natively):
                if method is list_by_cuts or "enumeration" in solver.features:
                    deadline = self.deadline() if self.complete else Deadline(INCOMPLETE_SECONDS)
                    found, ending = taken(method(listing, deadline), 100)
                    seen = Counter(view(problem, "all", point) for point in found)
                    assert seen == every if self.complete else seen <= every
                    proof = Proof.COMPLETE if self.complete else Proof.NONE
                    assert ending is not None, f"{method.__name__} did not end"
                    assert ending[0] is proof, f"{method.__name__} ended {ending}"
            if "projection" in solver.features:
                seen = self._listed(solver.points, problem, "all", Settings())
                assert seen == every, "it does not project on the key"

    @of_feature("enumeration")
    def test_points_of_a_problem_without_any(self) -> None:
        problem = board(2, 2, [(1, 2), (3, 3)], [LinearSum((0, 1), Relation.EQ, 9, "top: sum 9")])
        engine = self._solver_with("enumeration")
        assert not self._listed(engine.points, problem, "placement", Settings())

    @of_feature("enumeration")
    def test_points_that_are_stopped_are_not_complete(self) -> None:
        engine, deadline = self._solver_with("enumeration"), self.deadline()
        problem = self._of_its_size(board(2, 6, [(1, 2), (3, 4), (5, 6)] * 2, []))
        points = engine.points(problem, "placement", Settings(), deadline)
        broken = problem.violated(next(points))
        assert broken is None, f"the first point breaks {broken!r}"
        deadline.interrupt()
        assert taken(points, 100_000)[1] == (Proof.NONE, Stop.INTERRUPTED)

    @of_feature("counting")
    def test_counting_is_exact_or_refused(self) -> None:
        """The formulations take turns."""
        engine, counted = self._solver_with("counting"), 0
        twins, doubles = (board(2, 3, [(1, 1), (1, 2), again], []) for again in ((1, 2), (1, 1)))
        nothing = board(2, 2, [(1, 2), (3, 3)], [LinearSum((0, 1), Relation.EQ, 9, "top: sum 9")])
        more = [(problem, key) for problem in (twins, doubles) for key in problem.keys]
        for number, (problem, key) in enumerate([*several(), *more, (nothing, "placement")]):
            expected, known = len(views(problem, key)), self._formulations(problem)
            for formulation in ("", known[number % len(known)]):
                with contextlib.suppress(UsageError):  # what it counts are not the solutions by this key
                    tally = engine.count(problem, key, Settings(formulation), self.deadline())
                    assert (tally.count, tally.proof, tally.stop) == (expected, Proof.COMPLETE, Stop.FINISHED)
                    counted += 1
        assert counted

    @of_feature("counting")
    def test_counting_that_is_stopped_is_not_complete(self) -> None:
        self._solver_with("counting")
        problem = self._of_its_size(board(4, 12, [(a, b) for a in range(6) for b in range(4)], []))
        tally = count_by_engine(self.solver, problem, "placement", Settings(), InterruptedDeadline(looks=3))
        assert (tally.proof, tally.stop) == (Proof.NONE, Stop.INTERRUPTED)

    @of_feature("cuts")
    def test_a_model_that_stays_loaded(self) -> None:
        engine = self._solver_with("cuts")
        for problem, key in several():
            live, every = engine.live(problem, key, Settings()), views(problem, key)
            seen: list[tuple[int, ...]] = []
            found = live.solve(problem, self.deadline())
            while found.point is not None:
                assert (found.proof, found.stop) == (Proof.FEASIBLE, Stop.FINISHED)
                seen.append(view(problem, key, found.point))
                assert Counter(seen) <= every
                values = {v: found.point[v] for v in problem.keys[key]}
                same = problem.restricted({v: (value,) for v, value in values.items()})
                again = live.solve(same, self.deadline())
                assert again.point is not None
                assert view(problem, key, again.point) == seen[-1]
                v = max(values, key=lambda v: len(problem.variables[v].domain))
                others = set(problem.variables[v].domain) - {values[v]}
                elsewhere = live.solve(problem.restricted({v: others}), self.deadline())
                assert elsewhere.point is None or elsewhere.point[v] != values[v]
                live.exclude(found.point)
                assert live.solve(same, self.deadline()).proof is Proof.INFEASIBLE
                found = live.solve(problem, self.deadline())
            assert (found.proof, found.stop) == (Proof.INFEASIBLE, Stop.FINISHED)
            assert Counter(seen) == every

    @of_feature("objective")
    def test_optima(self) -> None:
        """Every optimum is that of brute force: with ties, negative weights, and values above a million.

        The formulations take turns.
        """
        solver = self._solver_with("objective")
        for number, (problem, points, objective) in enumerate(objectives()):
            values = [objective.value(point) for point in points]
            best = (min if objective.sense == "minimise" else max)(values)
            known = [name for name in self._formulations(problem) if name not in solver.published]
            settings = Settings(known[(number + number // len(known)) % len(known)])
            answer = self._optimum(problem.with_objective(objective), settings)
            assert answer.point is not None, _as_text(answer)
            self._is(answer, tuple(answer.point), Proof.OPTIMAL, Stop.FINISHED)
            assert (answer.value, answer.bound) == (best, best), _as_text(answer)
            assert problem.violated(answer.point) is None
            assert objective.value(answer.point) == best

    @of_feature("objective")
    def test_no_optimum(self) -> None:
        self._solver_with("objective")
        problem, _, objective = objectives()[0]
        impossible = LinearSum((0, 1), Relation.EQ, 9, "top: sum 9")
        problem = problem.with_constraints([impossible]).with_objective(objective)
        answer = self._optimum(problem, Settings())
        self._is(answer, None, Proof.INFEASIBLE, Stop.FINISHED)
        assert (answer.value, answer.bound) == (None, None), _as_text(answer)

    @of_feature("objective")
    def test_an_incumbent_is_not_optimal(self) -> None:
        self._solver_with("objective")
        problem = self._of_its_size(large())
        weights = tuple(
            (v, a, 1 + v * a % 97) for v, cell in enumerate(problem.variables) for a in cell.domain
        )
        problem = problem.with_objective(Objective(weights))
        for deadline in (Deadline(0.01), InterruptedDeadline(looks=3)):
            answer = self._answer(problem, Settings(), deadline)
            assert answer.proof in (Proof.NONE, Proof.FEASIBLE), _as_text(answer)
            assert answer.stop in (Stop.TIME, Stop.INTERRUPTED), _as_text(answer)

    @of_feature("enumeration")
    def test_points_ignore_the_objective(self) -> None:
        engine = self._solver_with("enumeration")
        for problem, points, objective in objectives()[:2]:
            seen = self._listed(engine.points, problem.with_objective(objective), "placement", Settings())
            assert seen == Counter(points)

    @of_feature("objective", lacking=True)
    def test_an_objective_is_solved_or_declined(self) -> None:
        if "objective" in self._solver().features:
            skip(f"{self.solver} takes objectives")
        problem, _, objective = objectives()[0]
        with contextlib.suppress(UsageError):
            answer = self._answer(problem.with_objective(objective), Settings(), self.deadline())
            raise AssertionError(f"it does not have this feature; {_as_text(answer)}")

    @of_feature("assumptions")
    def test_assumptions_hold_for_one_question_alone(self) -> None:
        clauses = Clauses()
        a, b, c, d = (clauses.new() for _ in range(4))  # d is in no clause
        loaded = self._loaded(clauses, (a, b), (-a, c), (-b, c, -a))
        for _ in range(2):
            assert loaded.solve((-a,), self.deadline()) is True
            model = loaded.model()
            assert sorted(map(abs, model)) == [*range(1, clauses.variables + 1)]
            assert {clauses.true, -a, b} <= set(model)
            assert loaded.solve((d, -c, -b, clauses.true), self.deadline()) is False
            assert set(loaded.core()) == {-c, -b}
            assert loaded.solve((a, -a), self.deadline()) is False
            assert loaded.solve((), self.deadline()) is True
        loaded.add((-b,))
        assert loaded.solve((-a,), self.deadline()) is False
        assert set(loaded.core()) == {-a}
        loaded.add((-c, clauses.new()))
        assert loaded.solve((), self.deadline()) is True
        assert {a, -b, c, clauses.variables} <= set(loaded.model())
        loaded.add(())
        assert loaded.solve((), self.deadline()) is False
        assert loaded.core() == []

    @of_feature("assumptions")
    def test_propagation_under_assumptions(self) -> None:
        clauses = Clauses()
        a, b, c, d = (clauses.new() for _ in range(4))
        loaded = self._loaded(clauses, (a,), (-a, -b, c), (b, d), (-c, d, b))
        for _ in range(2):
            assert set(loaded.propagate(()) or ()) == {clauses.true, a}
            assert set(loaded.propagate((b,)) or ()) == {clauses.true, a, b, c}
            assert set(loaded.propagate((-b,)) or ()) == {clauses.true, a, -b, d}
            assert loaded.propagate((-b, -d)) is None
            assert loaded.propagate((-a,)) is None
        loaded.add((-c,))
        assert set(loaded.propagate(()) or ()) == {clauses.true, a, -c, -b, d}

    @of_feature("assumptions")
    def test_all_points_by_assumptions_and_clauses(self) -> None:
        for problem, key in several():
            statement = CnfEncoding(problem)
            loaded = self._loaded(statement)
            seen = Counter[tuple[int, ...]]()
            while loaded.solve((), self.deadline()):
                seen[view(problem, key, statement.decode(loaded.model()))] += 1
                last = [statement.literal(v, a) for v, a in zip(problem.keys[key], [*seen][-1], strict=True)]
                assert loaded.solve(last, self.deadline()) is True
                loaded.add([-literal for literal in last])
                assert loaded.solve(last, self.deadline()) is False
            assert seen == views(problem, key)

    @of_feature("assumptions")
    def test_a_question_that_is_stopped_has_no_answer(self) -> None:
        clauses, holes = Clauses(), 12
        flights = [[clauses.new() for _ in range(holes)] for _ in range(holes + 1)]
        # The pigeonhole problem: every pigeon has a hole, no hole two; it is hard to refute.
        for hole in zip(*flights, strict=True):
            clauses.at_most_one_of(hole[:10])
            clauses.at_most_one_of(hole)
        loaded = self._loaded(clauses, *flights)
        stopped = self.deadline()
        stopped.interrupt()
        assert loaded.solve((), stopped) is None
        begun = time.monotonic()
        assert loaded.solve((), Deadline(0.2)) is None
        assert time.monotonic() - begun < 30
        # None if the solver has been abandoned.
        assert loaded.solve((flights[0][0], flights[1][0]), self.deadline()) in (False, None)

    @of_feature("seed")
    def test_seeds(self) -> None:
        problem = board(2, 3, [(0, 1), (0, 2), (1, 2)], [])
        self._solver_with("seed")
        first, again = (self.solved(problem, seed=5).point for _ in range(2))
        assert first == again

    def test_a_limit_that_is_long_enough_changes_nothing(self) -> None:
        self.solved(board(2, 2, [(1, 2), (3, 3)], []), seconds=60)

    def test_a_time_limit_is_no_answer(self) -> None:
        answer = self._answer(self._of_its_size(large()), Settings(), Deadline(0.01))
        self._is(answer, None, Proof.NONE, Stop.TIME)

    def test_interrupted(self) -> None:
        answer = self._answer(self._of_its_size(large()), Settings(), InterruptedDeadline(looks=3))
        self._is(answer, None, Proof.NONE, Stop.INTERRUPTED)

    def test_unknown_formulation_and_option(self) -> None:
        problem = board(1, 2, [(0, 1)], [])
        for settings in (Settings("no such formulation"), Settings(options={"no_such_option": "1"})):
            try:
                answer = self._solver().solve(problem, settings, self.deadline())
            except UsageError:
                continue
            assert answer.stop is Stop.ERROR, _as_text(answer)  # the engine itself may detect it
            assert answer.message, _as_text(answer)

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
        answer = self._answer(problem, Settings(isolate=True), self.deadline())
        self._is(answer, (1, 0, 1, 0), Proof.FEASIBLE, Stop.FINISHED)

    def solved(
        self, problem: Problem, formulation: str = "", seconds: float | None = None, seed: int = 0
    ) -> Answer:
        """Return the answer to a feasible problem; assert that it has a point."""
        answer = self._solver().solve(
            problem, Settings(formulation, seed=seed), Deadline(seconds or self.seconds)
        )
        assert answer.point is not None, _as_text(answer)
        self._is(answer, tuple(answer.point), Proof.FEASIBLE, Stop.FINISHED)
        broken = problem.violated(answer.point)
        assert broken is None, f"the point breaks {broken!r}; {_as_text(answer)}"
        return answer

    def refused(self, problem: Problem) -> None:
        """Assert that the solver proves the problem infeasible, in each of its formulations."""
        for formulation in self._formulations(problem):
            self._refused(problem, Settings(formulation))

    def _refused(self, problem: Problem, settings: Settings) -> None:
        if self.complete:
            answer = self._solver().solve(problem, settings, self.deadline())
            self._is(answer, None, Proof.INFEASIBLE, Stop.FINISHED)
        else:
            answer = self._solver().solve(problem, settings, Deadline(INCOMPLETE_SECONDS))
            assert answer.point is None, _as_text(answer)
            assert answer.proof is Proof.NONE, _as_text(answer)

    def _is(self, answer: Answer, point: tuple[int, ...] | None, proof: Proof, stop: Stop) -> None:
        """Assert the point, proof and stop of the answer."""
        assert (answer.point, answer.proof, answer.stop) == (point, proof, stop), _as_text(answer)

    def _of_its_size(self, problem: Problem) -> Problem:
        """Return the problem, or skip the test if it exceeds the solver's ``most_values``.

        The solver must then refuse the problem by a UsageError.
        """
        most = self._solver().most_values
        if 0 < most < problem.open_values:
            try:
                answer = self._answer(problem, Settings(), Deadline(60))
            except UsageError:
                skip(f"{self.solver} takes {most} open values, and there are {problem.open_values}")
            raise AssertionError(f"it takes more than {most} open values; {_as_text(answer)}")
        return problem

    def _answer(self, problem: Problem, settings: Settings, deadline: Deadline) -> Answer:
        """Return the answer as a task gets it, from a separate process if the settings require one."""
        return ask(self._solver().name, problem, settings, deadline)

    def _optimum(self, problem: Problem, settings: Settings) -> Answer:
        """Return the answer as a task gets it, from this process: starting another takes up to a second."""
        answer = self._solver().solve(problem, settings, self.deadline())
        return checked_answer(answer, problem, self.solver)

    def _loaded(self, clauses: Clauses, *further: Sequence[int]) -> LoadedClauses:
        """Return a formula with further clauses, loaded into the solver; skip without the feature."""
        solver: AssumingSolver = self._solver_with("assumptions")
        for literals in further:
            clauses.add(*literals)
        return solver.load(clauses, self.deadline())

    def _listed(
        self, points: Callable[..., Points], problem: Problem, key: str, settings: Settings
    ) -> Counter[tuple[int, ...]]:
        """Return how often each value of the key is listed; assert that the list is complete."""
        found, ending = taken(points(problem, key, settings, self.deadline()), 1000)
        assert ending == (Proof.COMPLETE, Stop.FINISHED), f"{settings.formulation!r}: the list ended {ending}"
        return Counter(view(problem, key, point) for point in found)

    def _solver_with(self, feature: str) -> Any:
        """Return the solver; skip the test if it does not have the feature."""
        solver = self._solver()
        if feature not in solver.features:
            skip(f"{self.solver} does not have the feature {feature}")
        return solver

    def _formulations(self, problem: Problem) -> list[str]:
        """Return the solver's formulations, without choices that do not concern the problem."""
        elsewhere = set(choices()) - set(choices(problem))
        return [name for name in self._solver().formulations if name not in elsewhere] or [""]

    def _solver(self) -> Solver:
        solver = registry.solver(self.solver, Settings(isolate=self.isolate))
        reason = solver.unavailable()
        if reason:
            skip(reason)
        return solver


def skip(reason: str) -> NoReturn:
    """Skip the current test."""
    import pytest

    pytest.skip(reason)


def _as_text(answer: Answer) -> str:
    """Return an answer as text, with its message, for failed assertions."""
    text = f"the answer: proof {answer.proof}, stop {answer.stop}, point {answer.point}"
    return f"{text}, message {answer.message!r}"
