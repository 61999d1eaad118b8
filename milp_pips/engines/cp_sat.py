"""The solver CP-SAT of OR-Tools, with this package's formulation and those that entry points add.

The first part is the solver; ``NativeModel`` is this package's formulation, and the functions before it state
one constraint each.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from functools import cached_property, partial
from importlib import import_module
from itertools import pairwise
from typing import Any, ClassVar, TypeAlias, cast

from milp_pips.constraints import (
    AllDifferent,
    AllEqual,
    Cardinality,
    DominoCover,
    LinearSum,
    PairSum,
    Regular,
    Table,
    covers_of,
    rules_of,
)
from milp_pips.constraints.bridges import bridge, entry_of, point_of
from milp_pips.engines import registry
from milp_pips.engines.contract import Formulation, Points
from milp_pips.engines.library import LibrarySolver, Run, answer_of, end_of_list, literal
from milp_pips.problem import Answer, Constraint, Deadline, Problem, Proof, Settings, Stop, plugins
from milp_pips.problem.errors import EngineFault, UsageError
from milp_pips.runtime.interruptible import (
    GRACE,
    build_interruptibly,
    call_interruptibly,
    yield_interruptibly,
)

__all__ = ["CpSatSolver", "NativeModel"]

STATUSES = {
    "OPTIMAL": (Proof.FEASIBLE, Stop.FINISHED),
    "FEASIBLE": (Proof.FEASIBLE, Stop.COUNT),
    "INFEASIBLE": (Proof.INFEASIBLE, Stop.FINISHED),
    "UNKNOWN": (Proof.NONE, Stop.COUNT),
}
"""CP-SAT's status → proof and stop. UNKNOWN, and FEASIBLE with an objective, mean that a limit was reached;
MODEL_INVALID is an error."""

NATIVE = "native"
"""The name of this package's formulation, ``NativeModel``; others are only looked up on request."""


class CpSatSolver(LibrarySolver):
    """CP-SAT: clause learning, propagation and a linear relaxation on the original constraints."""

    name = "cp-sat"
    kind = "cp"
    title = "CP-SAT"
    requires = ("ortools",)
    distribution = "ortools"
    features = frozenset({"time limit", "seed", "threads", "options", "enumeration", "objective"})
    clashes = frozenset({"highspy", "pyscipopt"})  # OR-Tools has a HiGHS and a SCIP of its own
    transformations = ("filter", "bridge")

    @property
    def native(self) -> Collection[type[Constraint]]:
        """The constraint classes that CP-SAT takes as they are."""
        return NativeModel.statements.keys()

    @cached_property
    def formulations(self) -> tuple[str, ...]:  # type: ignore[override]  # a name is looked up when needed
        """The package's own formulation and the published ones."""
        return (NATIVE, *registry.formulations(self.name))

    @cached_property
    def published(self) -> frozenset[str]:  # type: ignore[override]
        """The formulations from the entry-point group ``milp_pips.formulations``."""
        return frozenset(self.formulations[1:])

    def state(self, problem: Problem, settings: Settings, deadline: Deadline) -> Run | None:
        """Return the search on the problem in the requested formulation; see ``LibrarySolver``."""
        solver = _solver(settings)
        # Stating a quadratic model of a large puzzle takes long.
        statement = self._statement(settings)
        if problem.objective is None and statement is NativeModel:
            statement = partial(NativeModel, lazily=True)
        elif problem.objective is not None:
            if statement is not NativeModel:
                raise UsageError(f"the formulation {settings.formulation} of {self.name} takes no objective")
            statement = partial(NativeModel, aiming=True)
        stated = build_interruptibly(partial(statement, problem), deadline)
        if stated is None:
            return None
        return partial(self._run, stated, solver, settings.formulation or NATIVE, deadline)

    def _run(self, stated: NativeModel, solver: Any, formulation: str, deadline: Deadline) -> Answer:
        model, status, own = stated.model, "", solver.parameters.max_time_in_seconds

        class Incumbents(_cp_model().CpSolverSolutionCallback):  # type: ignore[misc]
            def on_solution_callback(self) -> None:
                deadline.progress.improve(self.objective_value)

        def work() -> None:
            nonlocal status
            # A search that has not started cannot be stopped. Later ones exclude points that broke a rule.
            while not deadline.stop:
                if deadline.remaining is not None:  # later: it names no reason
                    solver.parameters.max_time_in_seconds = min(own, deadline.remaining + GRACE)
                callback = Incumbents() if model.has_objective() else None
                status = solver.status_name(solver.solve(model, callback))
                has_point = status in ("OPTIMAL", "FEASIBLE")
                if not has_point or not stated.refine(stated.decode(solver.response_proto.solution)):
                    return
                status = ""

        if not call_interruptibly(work, deadline, solver.stop_search) or not status:
            return Answer(None, Proof.NONE, deadline.stop or Stop.INTERRUPTED)

        def vector() -> tuple[int, ...] | None:
            has_point = status in ("OPTIMAL", "FEASIBLE")
            return stated.decode(solver.response_proto.solution) if has_point else None

        return answer_of(
            STATUSES,
            status,
            deadline,
            vector,
            "" if status in STATUSES else f"CP-SAT: {status}: {model.validate()}",
            statistics={"branches": solver.num_branches, "conflicts": solver.num_conflicts},
            size={"columns": len(model.proto.variables), "rows": len(model.proto.constraints)},
            formulation=formulation,
            bound=float(solver.best_objective_bound),
        )

    def points(self, problem: Problem, key: str, settings: Settings, deadline: Deadline) -> Points:  # noqa: ARG002
        """Yield every point; see ``EnumeratingSolver``.

        CP-SAT runs with one worker, since it miscounts with more. The linear relaxation is off unless an
        option requests it, which is many times quicker if there are many points.
        """
        self.check(settings)
        state, solver = self._statement(settings), _solver(settings)
        solver.parameters.num_workers = 1
        solver.parameters.enumerate_all_solutions = True
        if "linearization_level" not in settings.options:
            solver.parameters.linearization_level = 0
        status = fault = ""

        def work(hand_out: Callable[[tuple[int, ...]], bool]) -> None:
            nonlocal status, fault
            stated = state(problem)
            if deadline.stop:  # a search that has not started cannot be stopped
                return

            class Collector(_cp_model().CpSolverSolutionCallback):  # type: ignore[misc]
                def on_solution_callback(self) -> None:
                    if not hand_out(stated.decode(self.response_proto.solution)):
                        self.stop_search()

            status = solver.status_name(solver.solve(stated.model, Collector()))
            if status not in STATUSES:
                fault = f"{status}: {stated.model.validate()}"

        ended = yield from yield_interruptibly(work, deadline, solver.stop_search)
        if ended and fault:
            raise EngineFault(f"{self.name} failed: {fault}")
        return end_of_list(ended and status in ("OPTIMAL", "INFEASIBLE"), deadline, Stop.COUNT)

    def _statement(self, settings: Settings) -> Callable[[Problem], NativeModel]:
        """Return the function that states a problem in the requested formulation."""
        if settings.formulation in ("", NATIVE):
            return NativeModel
        where = registry.formulations(self.name)[settings.formulation]
        return cast("Formulation", plugins.load(where)).state


def _solver(settings: Settings) -> Any:
    """Return the solver with its parameters set. Raises UsageError."""
    solver = _cp_model().CpSolver()
    solver.parameters.num_workers = settings.threads
    solver.parameters.random_seed = settings.seed
    solver.parameters.catch_sigint_signal = False  # the deadline handles it; two searches at once would crash
    for name, text in settings.options.items():
        if name.startswith("_") or not hasattr(solver.parameters, name):
            raise UsageError(f"CP-SAT has no parameter {name!r}")
        try:
            setattr(solver.parameters, name, literal(text))
        except (TypeError, ValueError, RuntimeError):
            raise UsageError(f"CP-SAT does not accept {name}={text}") from None
    return solver


def _cp_model() -> Any:
    """Return OR-Tools' module ``cp_model``, which is loaded on first use."""
    return import_module("ortools.sat.python.cp_model")


Statements: TypeAlias = Mapping[type[Constraint], Callable[[Any, Any], None]]
"""The function that states a constraint to a ``NativeModel``, by the class of the constraint."""


def state_cover(to: NativeModel, cover: DominoCover) -> None:
    """State a domino cover: a literal per place, of which exactly one covers each cell.

    A place is an edge with a kind of domino, one way round. The literal of a value holds exactly if one
    of the places that imply the value is taken.
    """
    model, variables = to.model, to.problem.variables
    covering: list[list[Any]] = [[] for _ in cover.values]
    implied_by: dict[tuple[int, int], list[Any]] = {
        (v, a): [] for v in cover.variables for a in variables[v].domain
    }
    for kind, times in cover.kinds.items():
        of_kind: list[Any] = []
        for i, j, meaning in cover.places_of(kind, implied_by):
            place = model.new_bool_var("")
            for places in (of_kind, covering[i], covering[j], *map(implied_by.__getitem__, meaning)):
                places.append(place)
        if times == 1:
            model.add_exactly_one(of_kind)
        else:
            model.add(sum(of_kind) == times)
    for places in covering:
        model.add_exactly_one(places)
    for (v, a), places in implied_by.items():
        if v in to.integers:
            model.add_exactly_one([*places, ~to.literal(v, a)])
    to.implied_by |= implied_by


def state_equal(to: NativeModel, equal: AllEqual) -> None:
    """State that neighbours in the list of variables are equal."""
    for u, v in pairwise(equal.variables):
        to.model.add(to.integers[u] == to.integers[v])


def state_different(to: NativeModel, different: AllDifferent) -> None:
    """State it natively."""
    to.model.add_all_different([to.integers[v] for v in different.variables])


def state_sum(to: NativeModel, total: LinearSum) -> None:
    """State the bounds of the sum of integers."""
    _bound(to, sum(times * to.integers[v] for times, v in total.terms), *total.bounds)


def state_pairs(to: NativeModel, pairs: PairSum) -> None:
    """State the bounds of the sum of literals."""
    literals = [to.literal(v, value) for v, value, _ in pairs.terms]
    total = _cp_model().LinearExpr.weighted_sum(literals, [times for _, _, times in pairs.terms])
    _bound(to, total, pairs.low, pairs.high)


def _bound(to: NativeModel, total: Any, low: int | None, high: int | None) -> None:
    if low is not None:
        to.model.add(total >= low)
    if high is not None:
        to.model.add(total <= high)


def state_table(to: NativeModel, table: Table) -> None:
    """State it natively; OR-Tools refuses an empty table."""
    if table.rows and table.variables:
        to.model.add_allowed_assignments([to.integers[v] for v in table.variables], table.rows)
    elif not table.rows:
        to.model.add_bool_or([])  # which no point satisfies


def state_cardinality(to: NativeModel, cardinality: Cardinality) -> None:
    """State the bounds of the number of literals of each value."""
    for value, low, high in cardinality.bounds:
        occurs = [to.literal(v, value) for v in cardinality.variables]
        to.model.add_linear_constraint(sum(occurs), low, high)


def state_regular(to: NativeModel, regular: Regular) -> None:
    """State a word as a table for each letter, with integers for the states before and after it.

    OR-Tools 9.15 has automata, but lists some solutions of a model with one several times.
    """
    start, accepting, arcs = regular.automaton.start, regular.automaton.accepting, regular.automaton.arcs
    state = to.integer((start,))
    for v in regular.variables if arcs else ():
        following = to.integer(tuple({after for _, _, after in arcs}))
        to.model.add_allowed_assignments([state, to.integers[v], following], arcs)
        state = following
    if accepting and (arcs or not regular.variables):
        to.model.add_allowed_assignments([state], [(each,) for each in accepting])
    else:
        to.model.add_bool_or([])  # which no point satisfies


class NativeModel:
    """A problem as a CP-SAT model: integers and literals for values, native constraints for rules.

    There is an integer per variable, and a literal per value where one is needed. The variables of the
    problem determine every auxiliary literal, so enumerating all solutions of the model yields every solution
    of the problem once. If it is ``aiming``, the model has the problem's objective.

    Attributes
    ----------
    problem
        The bridged problem, whose constraints are all of the classes of ``statements``.
    model
        The model of OR-Tools.
    postponed
        If it is stated ``lazily``, the constraints that it lacks, see ``refine``.
    integers
        The integer of each variable, without the partners in covers that no other rule names.
    implied_by
        The places that imply (variable = value), for the variables of covers.
    """

    statements: ClassVar[Statements] = {
        DominoCover: state_cover,
        AllEqual: state_equal,
        AllDifferent: state_different,
        LinearSum: state_sum,
        PairSum: state_pairs,
        Table: state_table,
        Cardinality: state_cardinality,
        Regular: state_regular,
    }
    """The function that states a constraint, by its class; ``bridge`` rewrites all others to these."""

    def __init__(self, problem: Problem, *, aiming: bool = False, lazily: bool = False):
        self._given = problem
        self.postponed = [constraint for constraint in problem.constraints if lazily and constraint.is_lazy]
        stated = [constraint for constraint in problem.constraints if not (lazily and constraint.is_lazy)]
        self.problem = problem = bridge(replace(problem, constraints=tuple(stated)), self.statements)
        self.model: Any = _cp_model().CpModel()
        covers, rules = covers_of(problem.constraints), rules_of(problem.constraints)
        # Partners need no integers, since the places determine them.
        hidden = {v for cover in covers for v in cover.partners}
        costs = problem.objective.costs if aiming and problem.objective else {}
        named = {v for rule in (*rules, *self.postponed) for v in rule.variables} | set(costs)
        self.integers = {
            v: self.integer(variable.domain)
            for v, variable in enumerate(problem.variables)
            if v not in hidden or v in named
        }
        self._literals: dict[tuple[int, int], Any] = {}
        self.implied_by: dict[tuple[int, int], list[Any]] = {}
        for constraint in (*covers, *rules):
            entry_of(self.statements, constraint)(self, constraint)
        if aiming:
            terms = [(self.literal(v, a), times) for v, of in costs.items() for a, times in of.items()]
            total = _cp_model().LinearExpr.weighted_sum([x for x, _ in terms], [times for _, times in terms])
            self.model.minimize(total)

    def integer(self, domain: tuple[int, ...]) -> Any:
        if not domain:  # without any value, the model is infeasible
            self.model.add_bool_or([])
            return self.model.new_constant(0)
        return self.model.new_int_var_from_domain(_cp_model().Domain.from_values(domain), "")

    def literal(self, v: int, value: int) -> Any:
        """Return the literal of (variable = value); it is false for a value outside the domain."""
        if value not in self.problem.variables[v].domain:
            return self.model.new_constant(0)
        if (v, value) not in self._literals:
            literal = self.model.new_bool_var("")
            self.model.add(self.integers[v] == value).only_enforce_if(literal)
            self.model.add(self.integers[v] != value).only_enforce_if(~literal)
            self._literals[v, value] = literal
        return self._literals[v, value]

    def refine(self, point: tuple[int, ...]) -> bool:
        """Add clauses of the postponed constraints that the point breaks; return whether there are any."""
        domains = [variable.domain for variable in self._given.variables]
        broken = [pairs for one in self.postponed for pairs in one.lazy_clauses(point, domains)]
        for pairs in broken:
            self.model.add_bool_or([self.literal(v, value) for v, value in pairs])
        return bool(broken)

    @cached_property
    def _columns(self) -> tuple[list[tuple[int, int]], list[tuple[int, list[tuple[int, int]]]]]:
        """Variables with their columns, and columns of places with the pairs (v, a) that they imply."""
        means = defaultdict[int, list[tuple[int, int]]](list)
        for (v, a), places in self.implied_by.items():
            if v not in self.integers:
                for place in places:
                    means[place.index].append((v, a))
        return [(v, integer.index) for v, integer in self.integers.items()], [*means.items()]

    def decode(self, solution: Iterable[int]) -> tuple[int, ...]:
        """Return the point of a solution of the model, which is a value for each column."""
        integers, places = self._columns
        vector = tuple(solution)  # each access to OR-Tools' own container is slow, so it is read once
        point = [-1] * len(self.problem.variables)
        for column, pairs in places:
            if vector[column]:
                for v, a in pairs:
                    point[v] = a
        for v, column in integers:
            point[v] = vector[column]
        return point_of(self._given, point)
