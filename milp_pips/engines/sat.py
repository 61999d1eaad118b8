"""The SAT solvers of PySAT (Ignatiev, Morgado and Marques-Silva 2018), which solve the problem as clauses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import IO, TYPE_CHECKING, Any, TypeAlias

from milp_pips.engines.library import ClauseSolver
from milp_pips.problem import Answer, Deadline, Problem, Stop, UsageError
from milp_pips.problem.errors import unknown_name
from milp_pips.runtime.interruptible import build_interruptibly, call_interruptibly

if TYPE_CHECKING:
    from milp_pips.formulations.cnf import Clauses, CnfEncoding

DEFAULT_SAT_SOLVER = "minisat22"
"""PySAT's name of the default. It is faster than Glucose on boards of 20 to 200 dominoes and on Sudokus
of 25 rows, and slightly slower on colour grids. It is much faster than CaDiCaL, except on Sudokus and on
boards with EQ alone (``benchmarks/choice.py formulas``)."""

INTERRUPTIBLE_SOLVERS = {
    **dict.fromkeys(("glucose3", "glucose4", "glucose42", "gluecard3", "gluecard4"), "minisat"),
    **dict.fromkeys(("minisat22", "minisat-gh", "minicard"), "minisat"),
    **dict.fromkeys(("maplechrono", "maplecm", "maplesat", "mergesat3"), "minisat"),
}
"""PySAT's solvers that can be interrupted and called again, with the family of their proofs: all are
descendants of MiniSat (Eén and Sörensson 2003)."""

UNINTERRUPTIBLE_SOLVERS: Mapping[str, str] = {
    **dict.fromkeys(("cadical153", "cadical195", "cadical300"), "cadical"),
    "lingeling": "lingeling",
    "kissat404": "kissat",
}
"""PySAT's solvers that cannot be interrupted, with the family of their proofs. Each runs in its own process,
which can be ended."""

DRUP_SOLVER = "glucose4"
"""PySAT's name of the solver that logs proofs: Glucose (Audemard and Simon 2009)."""

CONFLICTS_WITHOUT_THREAD = 1_000
"""Conflicts up to which a call needs no thread of its own: they take some hundredths of a second."""

LARGE_FORMULA_VARIABLES = 20_000
"""Variables beyond which every call gets a thread. With 300 dominoes, which take 270,000 variables, 300
conflicts last a second or two. Published hard puzzles take at most 10,400 variables."""


Costs: TypeAlias = Mapping[int, Mapping[int, int]]
"""The costs of values, by variable and value."""


class SatSolver(ClauseSolver):
    """A SAT solver of PySAT, which learns clauses from conflicts; ``sat:NAME`` selects another one."""

    name = "sat"
    title = f"PySAT's {DEFAULT_SAT_SOLVER}"
    requires = ("pysat",)
    distribution = "python-sat"
    variants = "a solver that PySAT has, such as cadical195 or glucose4"

    def __init__(self, variant: str = ""):
        super().__init__(variant)
        self.engine = variant or DEFAULT_SAT_SOLVER
        self.title = f"PySAT's {self.engine}"
        known = {**INTERRUPTIBLE_SOLVERS, **UNINTERRUPTIBLE_SOLVERS}
        if self.engine not in known:
            raise unknown_name("SAT solver", variant, sorted(known))
        self.proof_family = known[self.engine]
        self.features |= {"objective"}
        if self.engine in UNINTERRUPTIBLE_SOLVERS:
            self.isolated = True
            self.features = frozenset({"time limit"})

    def known_variants(self) -> Iterable[str]:
        """Return PySAT's names of its solvers."""
        return *INTERRUPTIBLE_SOLVERS, *UNINTERRUPTIBLE_SOLVERS

    def encode(self, problem: Problem, deadline: Deadline) -> tuple[CnfEncoding, Search] | None:
        """Return the problem as clauses and a solver loaded with them; see ``ClauseSolver``."""
        from milp_pips.formulations.cnf import CnfEncoding

        def work() -> tuple[CnfEncoding, Search] | None:
            lazily = self.engine in INTERRUPTIBLE_SOLVERS and problem.objective is None
            statement = CnfEncoding(problem, lambda: deadline.stop, lazily=lazily)
            if deadline.stop:
                return None
            return statement, Search(self.engine, statement.clauses, statement.variables)

        return build_interruptibly(work, deadline)  # a large board takes seconds

    def run(self, statement: CnfEncoding, search: Search, problem: Problem, deadline: Deadline) -> Answer:
        """Return the outcome of the search for a point, or for the best one; see ``ClauseSolver``."""
        found, objective = super().run(statement, search, problem, deadline), problem.objective
        if objective is None or found.point is None:
            return found
        deadline.progress.improve(objective.cost(objective.value(found.point)))
        costs = {
            v: {a: of.get(a, 0) for a in problem.variables[v].domain} for v, of in objective.costs.items()
        }
        return self._optimum(statement, costs, found, deadline)

    def _optimum(self, statement: CnfEncoding, costs: Costs, found: Answer, deadline: Deadline) -> Answer:
        """Return the best point by RC2, or the found one with a bound.

        RC2 relaxes one unsatisfiable core of soft clauses after another (Ignatiev, Morgado and Marques-Silva
        2019). A soft clause says that a variable does not have a value; its weight is what the value costs
        more than the cheapest one.
        """
        from pysat.examples.rc2 import RC2
        from pysat.formula import WCNF

        formula, base = WCNF(), sum(min(of.values()) for of in costs.values())
        formula.extend(statement.clauses)
        for v, of in costs.items():
            for a, cost in of.items():
                if cost > min(of.values()):
                    formula.append([-statement.literal(v, a)], weight=cost - min(of.values()))
        models: list[list[int] | None] = []
        rc2 = build_interruptibly(lambda: RC2(formula, solver=self.engine), deadline)
        if rc2 is None or not call_interruptibly(
            lambda: models.append(rc2.compute(expect_interrupt=True)), deadline, rc2.interrupt
        ):
            return replace(found, stop=deadline.stop or Stop.INTERRUPTED)
        bound = base + rc2.cost
        if models[0] is None:
            return replace(found, stop=deadline.stop or Stop.INTERRUPTED, bound=bound)
        return replace(found, point=statement.decode(models[0]), bound=bound)

    def load(self, clauses: Clauses, deadline: Deadline) -> LoadedClauses:
        """Return the loaded formula, to be solved again and again; see ``AssumingSolver``."""
        return LoadedClauses(self.engine, clauses, deadline)

    def refute(self, clauses: Sequence[tuple[int, ...]], variables: int, deadline: Deadline) -> str | None:  # noqa: ARG002
        """Return a proof that the clauses have no model, by ``DRUP_SOLVER``; see ``RefutingSolver``."""
        from pysat.solvers import Solver

        with Solver(name=DRUP_SOLVER, bootstrap_with=clauses, with_proof=True) as solver:
            found: list[bool | None] = []

            def work() -> None:
                found.append(solver.solve_limited(expect_interrupt=True))

            if not call_interruptibly(work, deadline, solver.interrupt) or found[0] is None:
                return ""
            return None if found[0] else "".join(f"{line}\n" for line in solver.get_proof())


class Search:
    """Clauses loaded into a solver of PySAT; ``UNINTERRUPTIBLE_SOLVERS`` check no deadline.

    CaDiCaL writes into the file ``proof``, if that is given, what it learns and forgets while it searches.
    """

    def __init__(
        self,
        name: str,
        clauses: Iterable[Sequence[int]],
        variables: int,
        proof: IO[bytes] | None = None,
    ):
        import pysolvers
        from pysat.solvers import NoSuchSolverError, Solver

        try:
            self._solver: Any = Solver(name=name, bootstrap_with=None if proof else clauses)
        except NoSuchSolverError:
            raise UsageError(f"this version of PySAT has no solver {name}") from None
        if proof is not None:
            # PySAT's ``with_proof`` writes into a file of its own, which only ``get_proof`` reads.
            self._solver.solver.prfp = pysolvers.cadical195_tracepr(self._solver.solver.cadical, proof)
            self._solver.append_formula(clauses)
        self._is_interruptible = name in INTERRUPTIBLE_SOLVERS
        self._variables = variables
        self._abandoned = False

    def solve(
        self, assumptions: Sequence[int], deadline: Deadline, conflicts: int | None = None
    ) -> bool | None:
        """Return whether there is a model under the assumptions; None if the search ends undecided.

        It ends undecided after the deadline or after about the given number of conflicts. A short search runs
        in the calling thread. A longer one runs in its own thread, since the main one must handle Ctrl-C.
        """
        if deadline.stop or self._abandoned:
            return None
        if not self._is_interruptible:
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
            # An abandoned solver is still running, so it must not be called any more.
            self._abandoned = not call_interruptibly(work, deadline, self._solver.interrupt)
            if not self._abandoned:
                self._solver.clear_interrupt()
        return None if self._abandoned else found

    def model(self) -> list[int]:
        """Return the last model found: a literal of every variable."""
        model = list(self._solver.get_model())
        return model + [-v for v in range(len(model) + 1, self._variables + 1)]  # in no clause

    def core(self) -> list[int]:
        """Return assumptions that cannot all hold: an unsatisfiable core of the last call without a model."""
        return list(self._solver.get_core() or ())

    def propagate(self, assumptions: Sequence[int]) -> list[int] | None:
        """Return the literals implied by the assumptions, without the formula's own; None for a conflict."""
        from pysolvers import error

        try:
            consistent, implied = self._solver.propagate(assumptions=assumptions)
        except error:  # PySAT raises this on Ctrl-C
            raise KeyboardInterrupt from None
        return list(implied) if consistent else None

    def add(self, literals: Iterable[int]) -> None:
        """Add a clause."""
        self._solver.add_clause(list(literals))

    def statistics(self) -> dict[str, int]:
        """Return the numbers of conflicts and decisions, as far as the solver counts them."""
        try:
            counts = self._solver.accum_stats()
        except NotImplementedError:
            return {}
        return {name: counts[name] for name in ("conflicts", "decisions")}


def _until_stopped(clauses: Iterable[Sequence[int]], deadline: Deadline) -> Iterator[Sequence[int]]:
    """Yield the clauses until the deadline passes."""
    for number, clause in enumerate(clauses):
        if number % 1_000 == 0 and deadline.stop:
            return
        yield clause


class LoadedClauses(Search):
    """A formula that stays loaded in a solver while it is solved under changing assumptions.

    Every call assumes the literal ``true``, and each clause of one literal is loaded as implied by it. So
    nothing is implied without assumptions, and propagation returns every literal that follows.
    """

    def __init__(self, name: str, clauses: Clauses, deadline: Deadline):
        self._true = clauses.true
        waiting = map(self._waiting, clauses.clauses)
        super().__init__(name, _until_stopped(waiting, deadline), clauses.variables)

    def _waiting(self, clause: Sequence[int]) -> Sequence[int]:
        return clause if len(clause) > 1 else (-self._true, *clause)

    def solve(
        self, assumptions: Sequence[int], deadline: Deadline, conflicts: int | None = None
    ) -> bool | None:
        return super().solve([self._true, *assumptions], deadline, conflicts)

    def core(self) -> list[int]:
        return [literal for literal in super().core() if literal != self._true]

    def propagate(self, assumptions: Sequence[int]) -> list[int] | None:
        return super().propagate([self._true, *assumptions])

    def add(self, literals: Iterable[int]) -> None:
        super().add(self._waiting(list(literals)))
