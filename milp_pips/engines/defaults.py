"""The default solvers of every task, with the reasons for each choice.

Other modules take the names of their engines from this one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from milp_pips.constraints import Connected, NoGood, Regular, covers_of, only_counts_values
from milp_pips.engines.registry import available
from milp_pips.problem import Problem, Settings, UsageError

SHORT_SEARCH = "brute"
"""The solver for a first solution if few values are open: backtracking is done before another engine has
loaded its model. On 108 boards with fewer than 100 open values it takes 1.7 ms of processor time on average,
the SAT solver 2.1 ms and HiGHS 3.7 ms (``benchmarks/choice.py border``)."""

FEW_OPEN_VALUES = 100
"""Open values, those of partners included, from which on another solver is chosen."""

SHORT_SEARCH_SECONDS = 0.5
"""Seconds after which the short search ends and another solver is chosen. A thread that waits beside it
takes a fifth of the time of such a puzzle."""

WHOLE_MODEL = "highs"
"""The solver for a first solution if a formulation or an option is named: these are about the 0-1 model."""

WITHOUT_LIBRARIES = "diagram"
"""The solver where the chosen one would need too many rows or clauses, since it needs none."""

CLAUSE_LEARNING_SOLVERS = ("sat", "cdcl")
"""The solvers for a first solution if more values are open. The SAT solver solves each of 113 boards with 20
open values of cells or more within 0.06 s; HiGHS takes up to 2.3 s and the neighbourhood search 1.0 s. Eight
colour grids up to 40×40 take the SAT solver 1.9 s and CP-SAT 18.7 s; twelve Sudokus up to 25×25 take them
1.7 s and 2.1 s. Of all these HiGHS solves twelve within 8 s each (``benchmarks/choice.py``). The one in plain
Python also solves problems for which decision diagrams are too large."""

LAYOUT_SEARCH_SOLVERS: tuple[str, ...] = ("lns", *CLAUSE_LEARNING_SOLVERS)
"""The solvers for a first solution if very many values of cells under dominoes are open. Such problems have
many solutions, and a local search from any layout soon reaches one. It hands over to HiGHS if it stalls or
does not apply, so the result is exact either way."""

MANY_OPEN_VALUES = 600
"""Open values of cells under dominoes from which on ``LAYOUT_SEARCH_SOLVERS`` are chosen. From there to 800
values the search takes 0.04 s and the SAT solver 0.10 s, for 2,000 values 0.02 s and 0.52 s
(``benchmarks/choice.py border``)."""

FEW_PARTNERS, MANY_OPEN_WITH_FEW_PARTNERS = 3.4, 1200
"""If a cell has fewer possible partners than this on average, the board has few layouts. The search then gets
stuck more often, and the SAT solver stays the first one up to this many open values. Of eight boards of 80
dominoes in the setter's style, with sums and pips up to 12, the SAT solver solves all within 1.9 s each; the
search gets stuck on two and takes up to 5.7 s on the others (``benchmarks/default.py``)."""

OPTIMISERS = ("diagram", "highs")
"""The solvers for the best solution: longest paths of decision diagrams if few values are open, else HiGHS,
which bounds linear objectives. If all rules are linear rows, as in a linear model, it is HiGHS for any number
of values. On two halves of 13 covers, assignments, knapsacks and MIPLIB's p0033 and lseu, a choice by the
number of values alone took 1.9 and 3.3 times as long in the median, and 5.9 and 10 times in all
(``benchmarks/study.py``)."""

MANY_OPEN_FOR_OPTIMUM = 120
"""Open values from which on the second one is chosen."""


class Backups(NamedTuple):
    """The backup solvers of a solver, and the seconds of processor time after which one of them starts.

    The first of ``solvers`` that can run on this machine is the one that starts. After ``second_start``
    seconds, if that is given, the next one starts, too.
    """

    solvers: tuple[str, ...]
    head_start: float
    second_start: float | None = None


BACKUPS: Mapping[str, Backups] = {
    "lns": Backups(("sat", "cp-sat", "scip"), 1.0),
    "sat": Backups(("cp-sat", "scip", "highs"), 1.5),
}
"""The backup solvers by the solver that was chosen.

Nearly all puzzles are solved within a second, and starting another engine takes a third of that. A SAT solver
learns from dead ends, which the neighbourhood search does not, so it often finishes where that gets stuck.
Of 32 full sets the search alone solves 31 within 8 s each; with the SAT solver as backup it solves all of
them, in two thirds of the time (``benchmarks/choice.py rivals``). If the SAT solver itself was chosen,
CP-SAT solves some Sudokus of 25 rows in a third of its time, and the search solves boards with equal regions
on which both get stuck (``benchmarks/default.py``).
"""

PERMUTATION_SOLVER, MANY_OPEN_PERMUTATIONS = "sat:cadical195", 1200
"""The first solver where all rules say how often values occur, and the open values from which on it is. Five
Sudokus of 25 rows take CaDiCaL 0.2 to 12 s for the solution and 0.9 to 24 s for the proof that it is the only
one; MiniSat takes up to three times as long, and on one more than 30 s (``benchmarks/families.py``)."""

PERMUTATION_BACKUPS: Mapping[str, Backups] = {
    PERMUTATION_SOLVER: Backups(("cp-sat", "sat", "scip"), 20.0),
    "sat": Backups((PERMUTATION_SOLVER, *BACKUPS["sat"].solvers), 1.5, 5.0),
}
"""Other backup solvers there. For the hardest proof of these CP-SAT takes more than 30 s, like MiniSat."""

LAYOUT_BACKUPS: Mapping[str, Backups] = {"sat": Backups(("lns", "cp-sat", "scip"), 1.5)}
"""Other backup solvers, where dominoes cover cells."""

OPTIMISING_BACKUPS: Mapping[str, Backups] = {
    "diagram": Backups(("highs", "cp-sat", "scip", "sat", "brute"), 1.0),
    "highs": Backups(("cp-sat", "scip", "sat"), 1.0),
}
"""The backup solvers of ``OPTIMISERS``."""

ASSUMPTION_SOLVERS = ("sat", "cdcl")
"""The solvers for reasons, of which the first available one is used. A SAT solver returns the assumptions
that clash, and takes thousands of calls a second; the one in plain Python takes a hundred times as long."""

ARITHMETIC_SOLVER = "highs"
"""The solver for steps that take a SAT solver long, and for a second proof of each reason: its relaxation
shows at once that sums do not add up, where a SAT solver must branch."""

PROOF_LOGGING_SOLVER = "cdcl"
"""The solver for the second proof without ``ARITHMETIC_SOLVER``: its proof is checked step by step."""

MODEL_SOLVERS = ("highs", "pyomo", "scip", "cbc", "pulp")
"""The solvers of linear models that are no ``Problem``, the default first."""

OTHER_MODEL_SOLVER = "cbc"
"""The engine that confirms what the default one says of such a model: it is always installed."""

LP_SOLVER = "highs"
"""The solver for linear relaxations: its simplex method starts from the last basis and solves a few hundred
LPs a second."""

COUNTERS = ("scip", "ganak")
"""The solvers that check the counts of decision diagrams: SCIP counts 110 solutions in 0.01 s.
Ganak also counts by a key that does not determine all columns."""

ENUMERATORS = ("cp-sat", "sat", "cdcl")
"""The solvers that enumerate all solutions if the decision diagram would be too large; the first available
one is used. The SAT solver is always available. Of a puzzle with 2.8 million solutions it lists 17,618 in
40 s, CP-SAT 36,140; for shorter lists see ``benchmarks/lists.py --methods``."""

SHORT_LIST_SOLVER = "sat"
"""The solver that enumerates a part with few solutions for which no small diagram exists: a SAT solver learns
from dead ends. Of ten 12×12 jigsaws with one solution each, branching counts nine within 20 s, the median in
1 s; enumeration counts each in 0.1 s (``benchmarks/exact.py --row jigsaws``)."""

PARTITION = "highs"
"""The solver for partitions and cuts: it keeps its model loaded while bounds change and rows are added."""

STRATEGIES_FOR_MODELS = ("tree", "diagram", "native", "partition", "cuts")
"""The strategies for a list of a linear model, in order: the first that does not decline it is taken.

The tree first, since it takes all models and costs little: all optima of p0033 take it 0.3 s, the diagram and
its second opinion 18 s; 92 lists of 8 queens 0.2 and 3.3 s, all optima of a 9 by 9 assignment 0.04 and 0.8 s,
the 10 best of 30 objects 0.9 and 2.5 s (``benchmarks/any_model.py``)."""

STRATEGIES_FOR_PROBLEMS = ("diagram", "native", "partition", "cuts")
"""The strategies for all other lists."""

FIRST_TURN, NEXT_TURN = 0.5, 8.0
"""The seconds of processor time after which the diagram and the SAT solver have their first turn beside a
tree, and the factor of its time after which they have the next; with a cutoff the first is later by that
factor. Each turn may take as long as the tree so far, so they add at most two times its time. A diagram of
354,596 covers takes 0.2 s, of 7,921 covers 0.04 s, and lists them at 0.1 ms each; the tree takes 0.3 ms each
(``benchmarks/any_model.py``)."""

SECOND_OPINIONS = ("diagram", "highs", "sat", "cp-sat", "scip", "cdcl")
"""The solvers for a second proof of "no solution" and "no further solution".

The decision diagram shares no code with any of the others, and it is small enough for most puzzles with
dominoes (708 of 708 published ones). HiGHS uses another formulation than the first answer, and not its
presolve, which caused its false "infeasible" answers. The SAT solver is always available except in a browser,
where the one in plain Python is.
"""

OPINIONS_ON_COVERS = ("diagram", "sat", "highs", "cp-sat", "scip", "cdcl")
"""Their order by expected cost for puzzles with dominoes: 0.02 to 0.4 s for a diagram, 0.02 to 0.2 s for the
SAT solver, 0.3 s for HiGHS (``benchmarks/choice.py opinions``)."""

OPINIONS_ON_SUMS = SECOND_OPINIONS
"""The order for weighted sums and for objectives, whose bounds HiGHS has at once."""

OPINIONS_ON_OTHERS = ("sat", "cp-sat", "scip", "highs", "cdcl", "diagram")
"""The order for all others, with rules on whole lines: 0.01 to 0.6 s for the SAT solver and for CP-SAT, and
1 s to more than 4 s for a diagram, which spends most of it on orders (``benchmarks/choice.py opinions``)."""

OPINIONS_ON_MIXTURES = ("sat", "cp-sat", "scip", "cdcl", "highs", "diagram")
"""The order where words or loops join other rules, as in a Binairo or a Slitherlink: HiGHS takes
0.2 to 6 times as long there as the solver in plain Python, for a killer 0.4 (``benchmarks/opinions.py``)."""

FURTHER_OPINIONS = ("sat:kissat404", PERMUTATION_SOLVER)
"""Further solvers for a second proof, the first ones if all rules of a large problem say how often values
occur. Kissat takes as long as CaDiCaL for five Sudokus of 25 rows, and MiniSat longer
(``benchmarks/families.py``). Kissat has CaDiCaL's authors, but shares no code with it."""


def suits_diagrams(problem: Problem) -> bool:
    """Return whether a decision diagram of the whole problem is expected to be small."""
    return bool(covers_of(problem.constraints)) or problem.open_values < FEW_OPEN_VALUES


def is_large_permutation(problem: Problem) -> bool:
    """Return whether all rules say how often values occur, and very many are open, as in large Sudokus."""
    return problem.open_values >= MANY_OPEN_PERMUTATIONS and only_counts_values(problem.constraints)


def opinions_on(problem: Problem) -> tuple[str, ...]:
    """Return the solvers for a second proof, in no order; see ``by_expected_cost``."""
    further = FURTHER_OPINIONS if is_large_permutation(problem) else ()
    return (*further, *SECOND_OPINIONS)


def by_expected_cost(problem: Problem, solvers: Iterable[str]) -> list[str]:
    """Return the solvers for a second proof in the order of their expected cost; unknown ones come first."""
    if any(constraint.is_weighted for constraint in problem.constraints):
        usual = OPINIONS_ON_SUMS
    elif suits_diagrams(problem):
        usual = OPINIONS_ON_COVERS
    else:
        kinds = {type(constraint) for constraint in problem.constraints} - {NoGood}
        mixed = len(kinds) > 1 and kinds & {Connected, Regular}
        usual = OPINIONS_ON_MIXTURES if mixed else OPINIONS_ON_OTHERS
    order = (*FURTHER_OPINIONS, *usual)
    return sorted(solvers, key=lambda name: order.index(name) if name in order else -1)


class Choice(NamedTuple):
    """A solver, its backup solvers if any, and the reason for the choice in one sentence."""

    solver: str
    backups: Backups | None
    why: str


def choice_for_point(problem: Any, settings: Settings) -> Choice:
    """Return the solver for a first solution of a filtered problem, or for the best one, with its backups.

    A requested formulation or option refers to the whole 0-1 model, so that model's solver runs alone.
    """
    if not isinstance(problem, Problem):
        reason = problem.model.reason_against_problem
        return Choice(MODEL_SOLVERS[0], None, f"{MODEL_SOLVERS[0]} was chosen: {reason}")
    if settings.formulation or settings.options:
        named = "a formulation" if settings.formulation else "an option"
        return Choice(WHOLE_MODEL, None, f"{WHOLE_MODEL} was chosen: {named} was named")
    if problem.objective is not None:
        return _choice_for_optimum(problem)
    left = problem.open_values
    if left < FEW_OPEN_VALUES and settings.memory is None:
        why = f"{SHORT_SEARCH} was chosen: {left} values are open, fewer than {FEW_OPEN_VALUES}"
        return Choice(SHORT_SEARCH, None, why)
    return choice_for_search(problem)


def choice_for_search(problem: Problem) -> Choice:
    """Return the solver for a first solution if the short search does not find one, with its backups."""
    left, what, backups = problem.open_values, "values", BACKUPS
    tiers: dict[int, Sequence[str]] = {0: CLAUSE_LEARNING_SOLVERS}
    if covers_of(problem.constraints):
        left, what = count_open_values(problem), "values of cells to cover"
        few = mean_partners(problem) < FEW_PARTNERS
        tiers[MANY_OPEN_WITH_FEW_PARTNERS if few else MANY_OPEN_VALUES] = LAYOUT_SEARCH_SOLVERS
        backups = {**BACKUPS, **LAYOUT_BACKUPS}
    elif only_counts_values(problem.constraints):
        backups = {**BACKUPS, **PERMUTATION_BACKUPS}
        tiers[MANY_OPEN_PERMUTATIONS] = (PERMUTATION_SOLVER, *CLAUSE_LEARNING_SOLVERS)
    border = max(border for border in tiers if border <= left)
    chosen = _first_available(tiers[border])
    than = next((f"fewer than {above}" for above in tiers if above > left), f"{border} or more")
    return Choice(chosen, backups.get(chosen), f"{chosen} was chosen: {left} {what} are open, {than}")


def _choice_for_optimum(problem: Problem) -> Choice:
    left, (few, _) = problem.open_values, OPTIMISERS
    if problem.constraints and all(one.bounded_sum is not None for one in problem.constraints):
        chosen = optimiser()
        return Choice(chosen, OPTIMISING_BACKUPS[chosen], f"{chosen} was chosen: all rules are linear rows")
    chosen, than = (few, "fewer than") if left < MANY_OPEN_FOR_OPTIMUM else (optimiser(), "no fewer than")
    why = f"{chosen} was chosen: {left} values are open, {than} {MANY_OPEN_FOR_OPTIMUM}"
    return Choice(chosen, OPTIMISING_BACKUPS[chosen], why)


def count_open_values(problem: Problem) -> int:
    """Return the number of values left to the cells that dominoes cover, without those of forced cells."""
    sizes = [
        len(problem.variables[v].domain) for cover in covers_of(problem.constraints) for v in cover.values
    ]
    return sum(sizes) - sizes.count(1)


def mean_partners(problem: Problem) -> float:
    """Return how many cells the domino on a cell may reach, on average over the cells to cover."""
    partners = [
        len(problem.variables[v].domain) for cover in covers_of(problem.constraints) for v in cover.partners
    ]
    return sum(partners) / len(partners)


def assumption_solver() -> str:
    """Return the first available solver of ``ASSUMPTION_SOLVERS``."""
    return _first_available(ASSUMPTION_SOLVERS)


def optimiser() -> str:
    """Return the first available solver for the best solution, that for many open values first."""
    return _first_available(OPTIMISERS[::-1])


def enumerator() -> str:
    """Return the first available solver of ``ENUMERATORS``."""
    return _first_available(ENUMERATORS)


def _first_available(names: Sequence[str]) -> str:
    """Return the first available one of these solvers; the last is always available."""
    for name in names[:-1]:
        with suppress(UsageError):
            available(name)
            return name
    return names[-1]
