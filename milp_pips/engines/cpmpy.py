"""The modelling library CPMpy (Guns 2019), which passes a constraint model to any of its engines."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from math import inf
from typing import Any, NamedTuple

from milp_pips.constraints import (
    AllDifferent,
    AllEqual,
    Cardinality,
    DominoCover,
    LinearSum,
    PairSum,
    Regular,
    Table,
)
from milp_pips.constraints.bridges import bridge, entry_of, point_of
from milp_pips.engines.library import LibrarySolver, Points, Run, answer_of, end_of_list, installed
from milp_pips.problem import (
    Answer,
    Constraint,
    Deadline,
    EngineFault,
    Problem,
    Proof,
    Settings,
    Stop,
    UsageError,
)
from milp_pips.problem.errors import unknown_name
from milp_pips.runtime.interruptible import yield_interruptibly

STATUSES = {
    "OPTIMAL": (Proof.FEASIBLE, Stop.FINISHED),
    "FEASIBLE": (Proof.FEASIBLE, Stop.FINISHED),
    "UNSATISFIABLE": (Proof.INFEASIBLE, Stop.FINISHED),
    "UNKNOWN": (Proof.NONE, Stop.COUNT),
}
"""CPMpy's ExitStatus of one solve → proof and stop; every other status is an error.

No engine gets the time limit: for some of them, CPMpy mistakes an early end for "unsatisfiable" if by its own
clock the limit is not reached yet. The process is ended instead.
"""


class Engine(NamedTuple):
    """An engine that CPMpy reaches.

    Parameters
    ----------
    distribution
        The distribution that must be installed besides CPMpy.
    proof_family
        The engine that its proofs rest on.
    threads, seed
        The engine's names of these parameters; empty if CPMpy passes on none.
    """

    distribution: str
    proof_family: str
    threads: str = ""
    seed: str = ""


WITH_OBJECTIVE = frozenset({"choco", "cpo", "exact", "gcs", "ortools", "pumpkin", "scip", "z3"})
"""The engines that get objectives. The SAT solvers take none, and some others call a solution optimal that is
only nearly so."""

DEFAULT_CPMPY_SOLVER = "ortools"

CPMPY_ENGINES: Mapping[str, Engine] = {
    "ortools": Engine("ortools", "cp-sat", "num_workers", "random_seed"),
    "choco": Engine("pychoco", "choco"),
    "cplex": Engine("cplex", "cplex", "threads"),
    "cpo": Engine("docplex", "cp-optimizer", "Workers", "RandomSeed"),
    "exact": Engine("exact", "exact"),
    "gcs": Engine("gcspy", "gcs"),
    "gurobi": Engine("gurobipy", "gurobi", "Threads", "Seed"),
    "hexaly": Engine("hexaly", "hexaly", "nb_threads", "seed"),
    "highs": Engine("highspy", "highs", "threads", "random_seed"),
    "pindakaas": Engine("pindakaas", "cadical"),
    "pumpkin": Engine("pumpkin-solver", "pumpkin"),
    # PySAT itself is always installed; its Glucose descends from MiniSat.
    "pysat": Engine("pypblib", "minisat"),
    "scip": Engine("pyscipopt", "scip"),
    "z3": Engine("z3-solver", "z3"),
}
"""CPMpy's solvers, by its own names.

It leaves out ``rc2``, which only optimises, ``pysdd``, which has no integers, and ``minizinc``, which is a
solver of this package.
"""


class CpmpySolver(LibrarySolver):
    """CPMpy with its default engine CP-SAT, or with the engine after the colon.

    Most engines block Python while they search, so that Ctrl-C would have no effect. So they run in a process
    that can be ended.
    """

    name = "cpmpy"
    kind = "cp"
    title = "CPMpy"
    requires = ("cpmpy",)
    distribution = "cpmpy"
    transformations = ("filter", "bridge")
    isolated = True
    variants = "a solver by CPMpy's name, such as choco or z3"

    def __init__(self, variant: str = ""):
        super().__init__(variant)
        self.engine = variant or DEFAULT_CPMPY_SOLVER
        if self.engine not in CPMPY_ENGINES:
            raise unknown_name("solver of CPMpy", variant, sorted(CPMPY_ENGINES))
        _, self.proof_family, threads, seed = CPMPY_ENGINES[self.engine]
        able = {"threads": threads, "seed": seed, "enumeration": self.engine == DEFAULT_CPMPY_SOLVER}
        able["objective"] = self.engine in WITH_OBJECTIVE
        self.features = frozenset({"time limit", *filter(able.get, able)})

    @property
    def native(self) -> Collection[type[Constraint]]:
        """The constraint classes that have an expression of CPMpy."""
        return CPMPY_EXPRESSIONS.keys()

    def known_variants(self) -> Iterable[str]:
        """Return CPMpy's names of its solvers."""
        return CPMPY_ENGINES

    def unavailable(self) -> str:
        """Return which of CPMpy and the engine is missing; empty if both are installed."""
        engine = CPMPY_ENGINES[self.engine].distribution
        missing = "" if installed(engine) else f"{engine} is not installed: pip install {engine}"
        return super().unavailable() or missing

    def version(self) -> str:
        """Return the versions of CPMpy and of the engine."""
        engine = CPMPY_ENGINES[self.engine].distribution
        return f"{super().version()} ({engine} {installed(engine)})"

    def state(self, problem: Problem, settings: Settings, deadline: Deadline) -> Run | None:
        """Return the search of the engine; see ``LibrarySolver``."""
        stated = CpmpyModel(problem)
        loaded = self._load(stated)

        def run() -> Answer:
            loaded.solve(**self._parameters(settings))
            status = loaded.status().exitstatus.name
            has_point = status in ("OPTIMAL", "FEASIBLE")
            vector = stated.point if has_point else lambda: None
            bound = inf if status == "OPTIMAL" else None
            return answer_of(STATUSES, status, deadline, vector, f"CPMpy: {status}", bound=bound)

        return None if deadline.stop else run

    def points(self, problem: Problem, key: str, settings: Settings, deadline: Deadline) -> Points:  # noqa: ARG002
        """Yield every point by CP-SAT; see ``EnumeratingSolver``.

        CP-SAT runs with one worker, since it miscounts with more. The other engines cannot be interrupted, so
        they do not have this feature and are called once per solution instead.
        """
        self.check(settings)
        parameters = {**self._parameters(settings), CPMPY_ENGINES[self.engine].threads: 1}
        search: list[Any] = []
        status = ""

        def stop() -> None:
            for loaded in search:
                loaded.ort_solver.stop_search()

        def work(hand_out: Callable[[tuple[int, ...]], bool]) -> None:
            nonlocal status
            stated = CpmpyModel(problem.with_objective(None))
            search.append(self._load(stated))
            (loaded,) = search

            def take() -> None:
                if not hand_out(stated.point()):
                    stop()

            loaded.solveAll(display=take, **parameters)
            status = loaded.status().exitstatus.name

        ended = yield from yield_interruptibly(work, deadline, stop)
        if ended and status not in STATUSES:
            raise EngineFault(f"{self.name} failed: {status}")
        complete = ended and status in ("OPTIMAL", "UNSATISFIABLE")  # the status of the whole enumeration
        return end_of_list(complete, deadline, Stop.COUNT)

    def _parameters(self, settings: Settings) -> dict[str, int]:
        """Return threads and seed by the engine's names."""
        _, _, threads, seed = CPMPY_ENGINES[self.engine]
        parameters = {threads: settings.threads, seed: settings.seed}
        return {name: number for name, number in parameters.items() if name}

    def _load(self, stated: CpmpyModel) -> Any:
        """Return the problem loaded into the engine. Raises UsageError if CPMpy does not have this engine."""
        from cpmpy import SolverLookup

        try:
            found = SolverLookup.lookup(self.engine)
        except ValueError:
            raise UsageError(f"this version of CPMpy has no solver {self.engine}") from None
        if not found.supported():
            raise UsageError(f"CPMpy reports that {self.engine} cannot run on this machine")
        loaded = found(stated.model)
        if self.engine == DEFAULT_CPMPY_SOLVER:
            loaded.ort_solver.parameters.catch_sigint_signal = False  # the deadline handles it
        return loaded


class CpmpyModel:
    """A problem as a CPMpy model, whose variables are all integers.

    The integers determine every auxiliary literal, so there are as many solutions as points. ``cpmpy`` is the
    library, ``problem`` the bridged problem, and ``integers`` are those of its variables.
    """

    def __init__(self, problem: Problem):
        import cpmpy

        self.cpmpy: Any = cpmpy
        self._given = problem
        self.problem = bridge(problem, CPMPY_EXPRESSIONS)
        self.model: Any = cpmpy.Model()
        self.integers: list[Any] = []
        for domain in (variable.domain for variable in self.problem.variables):
            integer = cpmpy.intvar(min(domain, default=0), max(domain, default=0))
            self.model += cpmpy.InDomain(integer, list(domain)) if domain else False
            self.integers.append(integer)
        for constraint in self.problem.constraints:
            if constraint.variables:
                self.model += list(entry_of(CPMPY_EXPRESSIONS, constraint)(self, constraint))
            else:
                self.model += [constraint.holds(())]
        if self.problem.objective is not None:
            costs = self.problem.objective.costs
            terms = self.comparisons((v, a, cost) for v, of in costs.items() for a, cost in of.items())
            if terms:
                self.model.minimize(cpmpy.sum(terms))

    def integers_of(self, constraint: Constraint) -> list[Any]:
        """Return the integers of a constraint's variables."""
        return [self.integers[v] for v in constraint.variables]

    def domain(self, v: int) -> tuple[int, ...]:
        """Return the domain of a variable."""
        return self.problem.variables[v].domain

    def comparisons(self, terms: Iterable[tuple[int, int, int]]) -> list[Any]:
        """Return the terms (variable, value, factor) as products of a comparison and a factor."""
        return [times * (self.integers[v] == a) for v, a, times in terms if a in self.domain(v)]

    def point(self) -> tuple[int, ...]:
        """Return the point found last."""
        return point_of(self._given, [int(integer.value()) for integer in self.integers])


def equal_expressions(to: CpmpyModel, equal: AllEqual) -> Iterator[Any]:
    """Yield CPMpy's own constraint."""
    yield to.cpmpy.AllEqual(to.integers_of(equal))


def different_expressions(to: CpmpyModel, different: AllDifferent) -> Iterator[Any]:
    """Yield CPMpy's own constraint."""
    yield to.cpmpy.AllDifferent(to.integers_of(different))


def sum_expressions(to: CpmpyModel, total: LinearSum) -> Iterator[Any]:
    """Yield the bounds of the sum."""
    return _bounded(to, [times * to.integers[v] for times, v in total.terms], *total.bounds)


def pair_expressions(to: CpmpyModel, pairs: PairSum) -> Iterator[Any]:
    """Yield the bounds of the sum over comparisons with a value."""
    return _bounded(to, to.comparisons(pairs.terms), pairs.low, pairs.high)


def _bounded(to: CpmpyModel, terms: list[Any], low: int | None, high: int | None) -> Iterator[Any]:
    total = to.cpmpy.sum(terms) if terms else 0
    if low is not None:
        yield total >= low
    if high is not None:
        yield total <= high


def cardinality_expressions(to: CpmpyModel, cardinality: Cardinality) -> Iterator[Any]:
    """Yield the bounds of each value's number of occurrences."""
    for value, low, high in cardinality.bounds:
        occurs = to.cpmpy.Count(to.integers_of(cardinality), value)
        yield from (occurs >= low, occurs <= high)


def table_expressions(to: CpmpyModel, table: Table) -> Iterator[Any]:
    """Yield CPMpy's own constraint on the rows that the domains allow."""
    rows = table.within([to.domain(v) for v in table.variables])
    yield to.cpmpy.Table(to.integers_of(table), rows) if rows else False


def regular_expressions(to: CpmpyModel, regular: Regular) -> Iterator[Any]:
    """Yield CPMpy's own constraint; it refuses an automaton that accepts nothing."""
    automaton = regular.automaton
    states = {state for arc in automaton.arcs for state in arc[::2]}
    accepting = sorted(automaton.accepting & states)
    if accepting and automaton.start in states:
        yield to.cpmpy.Regular(to.integers_of(regular), list(automaton.arcs), automaton.start, accepting)
    else:
        yield False


def cover_expressions(to: CpmpyModel, cover: DominoCover) -> Iterator[Any]:
    """Yield the constraints of a domino cover on its places.

    A place is an edge with a kind of domino, one way round. A variable has a value exactly if one place
    that implies the value is taken, so exactly one place covers each cell.
    """
    implied_by: dict[tuple[int, int], list[Any]] = {(v, a): [] for v in cover.variables for a in to.domain(v)}
    for kind, times in cover.kinds.items():
        of_kind: list[Any] = []
        for _, _, meaning in cover.places_of(kind, implied_by):
            place = to.cpmpy.boolvar()
            for places in (of_kind, *map(implied_by.__getitem__, meaning)):
                places.append(place)
        yield to.cpmpy.sum(of_kind) == times
    for (v, a), places in implied_by.items():
        yield to.cpmpy.sum(places) == (to.integers[v] == a)


CPMPY_EXPRESSIONS: Mapping[type[Constraint], Callable[[CpmpyModel, Any], Iterator[Any]]] = {
    DominoCover: cover_expressions,
    AllEqual: equal_expressions,
    AllDifferent: different_expressions,
    LinearSum: sum_expressions,
    PairSum: pair_expressions,
    Cardinality: cardinality_expressions,
    Table: table_expressions,
    Regular: regular_expressions,
}
"""The function that yields CPMpy's expressions for a constraint, by its class."""
