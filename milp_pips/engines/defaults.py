"""Who is asked where nobody says: the one place outside ``solvers`` that names engines, and why them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

from milp_pips.engines.registry import available
from milp_pips.problem.answer import Settings
from milp_pips.problem.errors import UsageError
from milp_pips.problem.problem import DominoCover, Problem

WHOLE_MODEL = "highs"
"""For a first solution where little is open: the whole 0-1 model is then solved in milliseconds."""

WITHOUT_LIBRARIES = "diagram"
"""For the same where no engine's library can be had, as in a browser: plain Python, as ``cdcl`` is."""

CLAUSE_LEARNING_SOLVERS = ("sat", "cdcl")
"""For a first solution where more is open. Of 113 boards with 20 values open or more the SAT solver solves
each within 0.06 s, where HiGHS takes up to 2.3 s and the search 1.0 s. Eight colour grids up to 40×40 take it
1.9 s and CP-SAT 18.7 s, twelve Sudokus up to 25×25 1.7 s and 2.1 s; of all these HiGHS solves twelve within
8 s each (``benchmarks/choice.py``). In plain Python it is still there where decision diagrams do not fit."""

SOME_OPEN_VALUES = 20
"""Values open from which on it is ``CLAUSE_LEARNING_SOLVERS`` (``benchmarks/choice.py border``)."""

LAYOUT_SEARCH_SOLVERS: tuple[str, ...] = ("lns", *CLAUSE_LEARNING_SOLVERS)
"""For a first solution where very much is open to dominoes: there are many, and a search from any layout is
soon at one. It hands over to HiGHS where it comes to rest or cannot work, so either way is exact."""

MANY_OPEN_VALUES = 600
"""Values open to dominoes from which on it is ``LAYOUT_SEARCH_SOLVERS``: from there to 800 the search takes
0.04 s, the SAT solver 0.10 s, and for 2,000 values 0.02 s and 0.52 s (``benchmarks/choice.py border``)."""


class Backups(NamedTuple):
    """Who may begin beside a solver that has no answer after so many seconds: the first that can run here."""

    solvers: tuple[str, ...]
    head_start: float


BACKUPS: Mapping[str, Backups] = {
    "highs": Backups(("sat", "cp-sat", "scip"), 1.0),
    "lns": Backups(("sat", "cp-sat", "scip"), 1.0),
    "sat": Backups(("cp-sat", "scip", "highs"), 10.0),
}
"""Who begins beside the solver that was chosen.

Nearly all puzzles are solved within a second, and starting another engine takes a third of that. A SAT solver
learns from dead ends, which neither HiGHS nor the search does, and so is often through where they are held
up: of 32 full sets the search alone solves 31 within 8 s each, and with the SAT solver beside it all, in two
thirds of the time (``benchmarks/choice.py rivals``). Where it was chosen itself, its rival is there for what
nobody has measured.
"""

ASSUMPTION_SOLVERS = ("sat", "cdcl")
"""For reasons, the first that can run here: a SAT solver says which assumptions clash, and is asked thousands
of times a second; the one in plain Python takes a hundred times as long."""

ARITHMETIC_SOLVER = "highs"
"""For what takes a SAT solver long, and for a second proof of each reason: a relaxation sees at once that
sums do not add up, where clauses must try."""

PROOF_LOGGING_SOLVER = "cdcl"
"""For the second proof where that engine is not there: its proof is checked step by step."""

LP_SOLVER = "highs"
"""For linear relaxations: its simplex method goes on from the last basis, a few hundred LPs a second."""

COUNTERS = ("scip",)
"""For counting a second time what decision diagrams have counted: SCIP counts 110 solutions in 0.01 s."""

ENUMERATORS = ("cp-sat", "sat", "cdcl")
"""For all solutions where no decision diagram fits: whoever can run here first. The SAT solver is always
there; of a puzzle with 2.8 million solutions it lists 17,618 in 40 s, CP-SAT 36,140; shorter lists are in
``benchmarks/enumerating.py``."""

SHORT_LIST_SOLVER = "sat"
"""For the solutions of parts that have few and that no small diagram holds: a SAT solver learns from dead
ends. Of ten 12×12 jigsaws with one solution each, branching counts nine within 20 s, the median in 1 s;
listing counts each in 0.1 s (``benchmarks/exact.py --row jigsaws``)."""

PARTITION = "highs"
"""For a partition or cuts: it keeps its model loaded while bounds change and rows are added."""

SECOND_OPINIONS = ("diagram", "highs", "sat", "cp-sat", "scip", "cdcl")
"""For a second proof of "no solution" and "no further solution": they begin in this order, as far as they can
run here, ``START_INTERVAL`` seconds after one another, and the first that knows has been asked.

The decision diagram is the usual second opinion on everything that an engine says: it shares no code with any
engine, and most puzzles fit it (708 of 708 published ones). HiGHS comes second, without its presolve, from
which its false "infeasible" have come, and on another formulation than the first answer's. The SAT solver is
always there, but in a browser, where the one in plain Python is; that a double-ten with exchanged pips has no
solution takes it 3 s, stating it included, and HiGHS 4 to 6 s (boards of ``benchmarks/refuting.py``).
"""

START_INTERVAL = 1.0
"""Seconds: in the first of them the decision diagram has counted nearly every published puzzle."""


class Choice(NamedTuple):
    """Who is asked; who may begin beside it; and in one sentence, why it was chosen."""

    solver: str
    backups: Backups | None
    why: str


def choice_for_first_point(problem: Problem, settings: Settings) -> Choice:
    """Return who looks for a first solution of a problem that has been filtered.

    A formulation or an option that was named is of the whole model, so its solver it is, alone.
    """
    if settings.formulation or settings.options:
        named = "a formulation" if settings.formulation else "an option"
        return Choice(WHOLE_MODEL, None, f"{WHOLE_MODEL} was chosen: {named} was named")
    left, what = problem.open_values, "values"
    tiers: dict[int, Sequence[str]] = {
        0: (WHOLE_MODEL, WITHOUT_LIBRARIES),
        SOME_OPEN_VALUES: CLAUSE_LEARNING_SOLVERS,
    }
    if any(isinstance(c, DominoCover) for c in problem.constraints):
        left, what = count_open_values(problem), "values of cells to cover"
        tiers[MANY_OPEN_VALUES] = LAYOUT_SEARCH_SOLVERS
    border = max(border for border in tiers if border <= left)
    chosen = _first_available(tiers[border])
    than = next((f"fewer than {above}" for above in tiers if above > left), f"{border} or more")
    return Choice(chosen, BACKUPS.get(chosen), f"{chosen} was chosen: {left} {what} are open, {than}")


def count_open_values(problem: Problem) -> int:
    """Return how many values are left to the cells that dominoes cover, without those of forced cells."""
    covers = (c for c in problem.constraints if isinstance(c, DominoCover))
    domains = (problem.variables[v].domain for cover in covers for v in cover.values)
    return sum(len(domain) for domain in domains if len(domain) > 1)


def assumption_solver() -> str:
    """Return the first solver of ``ASSUMPTION_SOLVERS`` that can run here."""
    return _first_available(ASSUMPTION_SOLVERS)


def enumerator() -> str:
    """Return the first solver of ``ENUMERATORS`` that can run here."""
    return _first_available(ENUMERATORS)


def _first_available(names: Sequence[str]) -> str:
    """Return the first of these solvers that can run here; the last is always there."""
    for name in names[:-1]:
        with suppress(UsageError):
            return available(name).name
    return names[-1]
