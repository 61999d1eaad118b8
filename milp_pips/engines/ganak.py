"""The model counter Ganak (Sharma, Roy, Soos and Meel 2019), on the problem as clauses.

It counts the values that the literals of the key take in models, so it lists no solutions, and counts
those that differ outside the key alone once.
"""

from __future__ import annotations

from typing import Any

from milp_pips.engines.library import ClauseSolver
from milp_pips.formulations.cnf import CnfEncoding
from milp_pips.problem import Answer, Deadline, Problem, Proof, Settings, Stop


class GanakSolver(ClauseSolver):
    """Ganak, which counts; a first solution is found by CryptoMiniSat, which is part of it."""

    name = "ganak"
    title = "Ganak"
    requires = ("pyganak", "pycryptosat")
    distribution = "pyganak"
    features = frozenset({"time limit", "seed", "counting"})
    isolated = True
    """Nothing interrupts it, so it runs in a process of its own, which can be ended."""

    def encode(self, problem: Problem, deadline: Deadline) -> tuple[CnfEncoding, Search] | None:
        """Return the problem as clauses, and CryptoMiniSat loaded with them; see ``ClauseSolver``."""
        statement = CnfEncoding(problem, lambda: deadline.stop)
        return None if deadline.stop else (statement, Search(statement))

    def count(self, problem: Problem, key: str, settings: Settings, deadline: Deadline) -> Answer:
        """Return how many solutions differ in the key; see ``CountingSolver``."""
        from pyganak import Counter

        statement = CnfEncoding(problem.with_objective(None), lambda: deadline.stop)
        if deadline.stop:
            return Answer(None, Proof.NONE, deadline.stop, count=0)
        counter, domains = Counter(seed=settings.seed), [variable.domain for variable in problem.variables]
        literals = {abs(statement.literal(v, a)) for v in problem.keys[key] for a in domains[v]}
        counter.new_vars(statement.variables)
        counter.add_clauses(statement.clauses)
        counter.set_sampling_set(sorted({statement.true, *literals}))
        return Answer(None, Proof.COMPLETE, Stop.FINISHED, count=counter.count())


class Search:
    """Clauses loaded into CryptoMiniSat, with the methods of ``LoadedClauses`` that ``ClauseSolver`` uses."""

    def __init__(self, statement: CnfEncoding):
        from pycryptosat import Solver

        self._solver: Any = Solver()
        self._solver.add_clauses(statement.clauses)
        self._values: list[Any] = []

    def solve(self, assumptions: tuple[int, ...], _deadline: Deadline) -> bool | None:
        """Return whether there is a model under the assumptions."""
        found, self._values = self._solver.solve(list(assumptions))
        return bool(found)

    def model(self) -> list[int]:
        """Return the last model found: a literal of every variable."""
        return [v if value else -v for v, value in enumerate(self._values) if v]

    def add(self, literals: list[int]) -> None:
        """Add a clause."""
        self._solver.add_clause(literals)

    def statistics(self) -> dict[str, int]:
        """Return no counters: it has none to read."""
        return {}
