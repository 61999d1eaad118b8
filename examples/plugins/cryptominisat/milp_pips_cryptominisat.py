"""CryptoMiniSat (Soos, Nohl and Castelluccia 2009), a SAT solver, on the problem as clauses."""

import time
from typing import Any

from milp_pips.engines.contract import Points
from milp_pips.engines.library import LibrarySolver
from milp_pips.formulations.cnf import CnfEncoding
from milp_pips.problem.answer import Answer, Proof, Settings, Stop
from milp_pips.problem.errors import UsageError
from milp_pips.problem.problem import Problem
from milp_pips.problem.stopping import Deadline
from milp_pips.runtime.interruptible import call_interruptibly

CONFLICTS = 1_000
"""Conflicts between two looks at the deadline: some hundredths of a second."""


class CryptoMiniSatSolver(LibrarySolver):
    """CryptoMiniSat; its options go by its own names, ``--option polar=rnd``."""

    name = "cryptominisat"
    kind = "sat"
    title = "CryptoMiniSat"
    requires = ("pycryptosat",)
    distribution = "pycryptosat"
    features = frozenset({"time limit", "threads", "options", "enumeration"})
    proof_family = "minisat"  # from which it descends: the one is not a second opinion on the other

    def solve(self, problem: Problem, settings: Settings, deadline: Deadline) -> Answer:
        begun = time.perf_counter()
        stated = load(problem, settings, deadline)
        if stated is None:
            return Answer(None, Proof.NONE, deadline.stop or Stop.INTERRUPTED)
        built = time.perf_counter()
        found, point = look(*stated, deadline)
        statement = stated[1]
        return Answer(
            point,
            Proof.NONE if found is None else Proof.FEASIBLE if found else Proof.INFEASIBLE,
            deadline.stop or Stop.INTERRUPTED if found is None else Stop.FINISHED,
            size={"columns": statement.variables, "rows": len(statement.clauses)},
            seconds={"build": built - begun, "solve": time.perf_counter() - built},
        )

    def points(self, problem: Problem, key: str, settings: Settings, deadline: Deadline) -> Points:
        """Yield one point per solution that differs in the key; each is then forbidden by a clause."""
        found: bool | None = None
        stated = load(problem, settings, deadline)
        if stated is not None:
            engine, statement = stated
            while True:
                found, point = look(engine, statement, deadline)
                if point is None:
                    break
                yield point
                engine.add_clause([-statement.literal(v, point[v]) for v in problem.keys[key]])
        if found is None:
            return Proof.NONE, deadline.stop or Stop.INTERRUPTED
        return Proof.COMPLETE, Stop.FINISHED


def load(problem: Problem, settings: Settings, deadline: Deadline) -> tuple[Any, CnfEncoding] | None:
    """Return the engine with the problem as clauses in it; None where the deadline says stop before.

    Raises UsageError for what cannot be set.
    """
    if settings.formulation:
        raise UsageError("cryptominisat has no formulations")
    import pycryptosat

    try:
        engine = pycryptosat.Solver(threads=settings.threads, options=dict(settings.options))
    except ValueError as error:
        raise UsageError(f"CryptoMiniSat: {error}") from None
    stated: list[CnfEncoding] = []

    def state() -> None:
        statement = CnfEncoding(problem, lambda: deadline.stop)
        if not deadline.stop:
            engine.add_clauses(statement.clauses)
            stated.append(statement)

    call_interruptibly(state, deadline, lambda: None)  # a large board takes seconds
    return (engine, stated[0]) if stated and not deadline.stop else None


def look(
    engine: Any, statement: CnfEncoding, deadline: Deadline
) -> tuple[bool | None, tuple[int, ...] | None]:
    """Return whether there is a point (None: the deadline passed first), and the point."""
    answers: list[tuple[bool, Any]] = []

    def search() -> None:
        while not (answers or deadline.stop):
            found, values = engine.solve(confl_limit=CONFLICTS)  # learns on where it left off
            if found is not None:
                answers.append((found, values))

    call_interruptibly(search, deadline, lambda: None)
    if not answers:
        return None, None
    ((found, values),) = answers
    if not found:
        return False, None
    known = dict(enumerate(values))  # a variable that no clause names is missing
    return True, statement.decode([v if known.get(v) else -v for v in range(1, statement.variables + 1)])
