"""SAT solvers through PySAT (Ignatiev, Morgado and Marques-Silva 2018), on the problem as clauses."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from milp_pips.engines.library import LibrarySolver
from milp_pips.problem.answer import Answer, Proof, Settings, Stop
from milp_pips.problem.errors import UsageError, unknown_name
from milp_pips.runtime.interruptible import call_interruptibly

if TYPE_CHECKING:
    from milp_pips.engines.contract import Points
    from milp_pips.formulations.cnf import Clauses, CnfEncoding
    from milp_pips.problem.problem import Problem
    from milp_pips.problem.stopping import Deadline

DEFAULT_SAT_SOLVER = "minisat22"
"""Ahead of Glucose on boards of 20 to 200 dominoes and Sudokus of 25 rows, close behind it on colour grids;
ahead of CaDiCaL by far, but for Sudokus and boards with EQ alone (``benchmarks/clauses.py``)."""

INTERRUPTIBLE_SOLVERS = {
    **dict.fromkeys(("glucose3", "glucose4", "glucose42", "gluecard3", "gluecard4"), "minisat"),
    **dict.fromkeys(("minisat22", "minisat-gh", "minicard"), "minisat"),
    **dict.fromkeys(("maplechrono", "maplecm", "maplesat", "mergesat3"), "minisat"),
}
"""PySAT's solvers that can be interrupted and asked again, and what their proofs rest on: all are descendants
of MiniSat (Eén and Sörensson 2003)."""

UNINTERRUPTIBLE_SOLVERS: Mapping[str, str] = {
    **dict.fromkeys(("cadical153", "cadical195", "cadical300"), "cadical"),
    "lingeling": "lingeling",
    "kissat404": "kissat",
}
"""Those that cannot be interrupted, and so get a process of their own that can be ended."""

CONFLICTS_WITHOUT_THREAD = 1_000
"""Conflicts up to which a question is answered without a thread of its own: some hundredths of a second."""

LARGE_FORMULA_VARIABLES = 20_000
"""Variables beyond which every question gets one: of 300 dominoes, which take 270,000, 300 conflicts last a
second or two. Published hard puzzles take 10,400 at most."""


class SatSolver(LibrarySolver):
    """A solver that learns clauses from its conflicts; ``sat:NAME`` is another one that PySAT has."""

    name = "sat"
    kind = "sat"
    title = f"PySAT's {DEFAULT_SAT_SOLVER}"
    requires = ("pysat",)
    distribution = "python-sat"
    features = frozenset({"time limit", "enumeration", "assumptions"})
    variants = "a solver that PySAT has, such as cadical195 or glucose4"

    def __init__(self, variant: str = ""):
        super().__init__(variant)
        self.engine = variant or DEFAULT_SAT_SOLVER
        self.title = f"PySAT's {self.engine}"
        known = {**INTERRUPTIBLE_SOLVERS, **UNINTERRUPTIBLE_SOLVERS}
        if self.engine not in known:
            raise unknown_name("SAT solver", variant, sorted(known))
        self.proof_family = known[self.engine]
        if self.engine in UNINTERRUPTIBLE_SOLVERS:
            self.isolated = True
            self.features = frozenset({"time limit"})

    def known_variants(self) -> Iterable[str]:
        """Return PySAT's names of its solvers."""
        return *INTERRUPTIBLE_SOLVERS, *UNINTERRUPTIBLE_SOLVERS

    def solve(self, problem: Problem, settings: Settings, deadline: Deadline) -> Answer:
        """Solve the problem; see ``Solver``."""
        self._check(settings)
        begun = time.perf_counter()
        stated = self._state(problem, deadline)
        if stated is None:
            return Answer(None, Proof.NONE, deadline.stop or Stop.INTERRUPTED)
        statement, search = stated
        built = time.perf_counter()
        found = search.solve((), deadline)
        return Answer(
            statement.decode(search.model()) if found else None,
            Proof.NONE if found is None else Proof.FEASIBLE if found else Proof.INFEASIBLE,
            (deadline.stop or Stop.INTERRUPTED) if found is None else Stop.FINISHED,
            size={"columns": statement.variables, "rows": len(statement.clauses)},
            statistics=search.statistics() if found is not None else {},
            seconds={"build": built - begun, "solve": time.perf_counter() - built},
        )

    def points(self, problem: Problem, key: str, settings: Settings, deadline: Deadline) -> Points:
        """Yield one point per solution that differs in the key; see ``EnumeratingSolver``.

        After each comes a clause that something in the key is to differ.
        """
        self._check(settings)
        stated = self._state(problem, deadline)
        found: bool | None = None
        if stated is not None:
            statement, search = stated
            while found := search.solve((), deadline):
                point = statement.decode(search.model())
                yield point
                here = {statement.literal(v, point[v]) for v in problem.keys[key]}
                search.add([-literal for literal in sorted(here - {statement.true})])
        if found is None:
            return Proof.NONE, deadline.stop or Stop.INTERRUPTED
        return Proof.COMPLETE, Stop.FINISHED

    def load(self, clauses: Clauses, deadline: Deadline) -> LoadedClauses:
        """Return the formula loaded, to be asked again and again; see ``AssumingSolver``."""
        return LoadedClauses(self.engine, clauses, deadline)

    def _check(self, settings: Settings) -> None:
        """Raise UsageError for anything that cannot be set here."""
        if settings.formulation or settings.options:
            raise UsageError(f"{self.name} has no formulations and no options")

    def _state(self, problem: Problem, deadline: Deadline) -> tuple[CnfEncoding, Search] | None:
        """Return the problem as clauses, and these loaded; None where the deadline says stop first."""
        from milp_pips.formulations.cnf import CnfEncoding

        stated: list[tuple[CnfEncoding, Search]] = []

        def work() -> None:
            statement = CnfEncoding(problem, lambda: deadline.stop)
            if not deadline.stop:
                stated.append((statement, Search(self.engine, statement.clauses, statement.variables)))

        call_interruptibly(work, deadline, lambda: None)  # a large board takes seconds
        return stated[0] if stated and not deadline.stop else None


class Search:
    """Clauses in one of PySAT's solvers; ``UNINTERRUPTIBLE_SOLVERS`` answer once and check no deadline."""

    def __init__(self, name: str, clauses: Iterable[Sequence[int]], variables: int):
        from pysat.solvers import NoSuchSolverError, Solver

        try:
            self._solver: Any = Solver(name=name, bootstrap_with=clauses)
        except NoSuchSolverError:
            raise UsageError(f"this version of PySAT has no solver {name}") from None
        self._listening = name in INTERRUPTIBLE_SOLVERS
        self._variables = variables
        self._abandoned = False

    def solve(
        self, assumptions: Sequence[int], deadline: Deadline, conflicts: int | None = None
    ) -> bool | None:
        """Return whether there is a model under the assumptions; None where it is not known.

        That is where the deadline says stop first, or after so many conflicts, about. What is soon answered
        is answered here; else in a thread, since the main one must hear Ctrl-C.
        """
        if deadline.stop or self._abandoned:
            return None
        if not self._listening:
            return bool(self._solver.solve(assumptions=assumptions))
        found: bool | None = None

        def work(budget: int = -1 if conflicts is None else conflicts) -> None:
            nonlocal found
            self._solver.conf_budget(budget)
            found = self._solver.solve_limited(assumptions=assumptions, expect_interrupt=True)

        quick = CONFLICTS_WITHOUT_THREAD if conflicts is None else min(CONFLICTS_WITHOUT_THREAD, conflicts)
        if self._variables > LARGE_FORMULA_VARIABLES:
            quick = 0
        else:
            work(quick)
        if found is None and quick != conflicts:
            # What had to be abandoned still runs, so nobody may ask it anything any more.
            self._abandoned = not call_interruptibly(work, deadline, self._solver.interrupt)
            if not self._abandoned:
                self._solver.clear_interrupt()
        return None if self._abandoned else found

    def model(self) -> list[int]:
        """Return the model that was found last: a literal of every variable."""
        model = list(self._solver.get_model())
        return model + [-v for v in range(len(model) + 1, self._variables + 1)]  # in no clause

    def core(self) -> list[int]:
        """Return assumptions that could not hold together, of the last question that had no model."""
        return list(self._solver.get_core() or ())

    def propagate(self, assumptions: Sequence[int]) -> list[int] | None:
        """Return what follows from the assumptions, and not without any; None for a contradiction."""
        from pysolvers import error

        try:
            consistent, implied = self._solver.propagate(assumptions=assumptions)
        except error:  # what PySAT makes of Ctrl-C here
            raise KeyboardInterrupt from None
        return list(implied) if consistent else None

    def add(self, literals: Sequence[int]) -> None:
        """Add a clause."""
        self._solver.add_clause(literals)

    def statistics(self) -> dict[str, int]:
        """Return how many conflicts and decisions there have been, as far as the solver counts them."""
        try:
            counts = self._solver.accum_stats()
        except NotImplementedError:
            return {}
        return {name: counts[name] for name in ("conflicts", "decisions")}


def _until_stopped(clauses: Iterable[Sequence[int]], deadline: Deadline) -> Iterator[Sequence[int]]:
    """Yield the clauses, none after the deadline says stop."""
    for number, clause in enumerate(clauses):
        if number % 1_000 == 0 and deadline.stop:
            return
        yield clause


class LoadedClauses:
    """A formula in a solver that is asked under assumptions, literals that hold for one question alone.

    That ``true`` holds is assumed every time, and clauses of one literal hold if it does. So nothing is known
    before there are assumptions, and propagation tells all that follows.
    """

    def __init__(self, name: str, clauses: Clauses, deadline: Deadline):
        self._true = clauses.true
        waiting = map(self._waiting, clauses.clauses)
        self._search = Search(name, _until_stopped(waiting, deadline), clauses.variables)

    def _waiting(self, clause: Sequence[int]) -> Sequence[int]:
        return clause if len(clause) > 1 else (-self._true, *clause)

    def solve(
        self, assumptions: Sequence[int], deadline: Deadline, conflicts: int | None = None
    ) -> bool | None:
        """Return whether there is a model; None where the deadline says stop or after so many conflicts."""
        return self._search.solve([self._true, *assumptions], deadline, conflicts)

    def model(self) -> list[int]:
        """Return the model that was found last: a literal of every variable."""
        return self._search.model()

    def core(self) -> list[int]:
        """Return assumptions that could not hold together, of the last question that had no model."""
        return [literal for literal in self._search.core() if literal != self._true]

    def propagate(self, assumptions: Sequence[int]) -> list[int] | None:
        """Return the literals that follow by unit propagation; None where that leads to a contradiction."""
        return self._search.propagate([self._true, *assumptions])

    def add(self, literals: Iterable[int]) -> None:
        """Add a clause, for good."""
        self._search.add(self._waiting(list(literals)))
