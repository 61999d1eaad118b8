"""The tasks ``compile``, all solutions of a puzzle as one object, and ``sample``, random ones of them."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Unpack, cast

from milp_pips.compilation.limits import Allowance, Budget, Unfinished
from milp_pips.compilation.solution_set import Key, SolutionSet, compile_problem, variables_of
from milp_pips.problem.answer import Settings, Shortcuts
from milp_pips.problem.errors import EngineFault, UsageError
from milp_pips.problem.parameters import named_keywords, whole
from milp_pips.problem.problem import Problem
from milp_pips.problem.stopping import Deadline, OnProgress, running_deadline
from milp_pips.puzzles.puzzle import Board, Puzzle, known_key
from milp_pips.tasks.pipeline import prepare, puzzle_of, settings_of
from milp_pips.tasks.query import Prepared, Query, Run

if TYPE_CHECKING:
    from milp_pips.engines.contract import AssumingSolver


@named_keywords
def compile(
    puzzle: Puzzle | Problem,
    key: str | Sequence[int] = "",
    settings: Settings = Settings(),
    *,
    method: str = "space",
    widths: Sequence[int] = (),
    board: Board | None = None,
    deadline: Deadline | None = None,
    on_progress: OnProgress | None = None,
    **shortcuts: Unpack[Shortcuts],
) -> SolutionSet:
    """Return all solutions of a puzzle, to count, iterate, sample and project without listing them.

    Its solutions are assignments of the problem, see ``state``: values by the position of their variable.

    Parameters
    ----------
    puzzle
        A puzzle of any family, or a bare problem.
    key
        What makes two solutions different: the name of a key, such as ``placement`` or ``grid``, or some
        variables of the problem; empty for the first key.
    settings, deadline, shortcuts
        As for ``solve``; ``memory`` is a rough limit on the size of the set. With ``rules=()`` the problem is
        compiled as it is stated, without filtering it first.
    method
        ``space`` splits the problem, and branches until its parts are small decision diagrams; ``diagram``
        compiles one decision diagram.
    widths
        For some of the solutions, where all do not fit: the most states of a layer of restricted decision
        diagrams. The set is then not complete (``is_complete``).
    board
        The values already filled in, see ``hint``: only solutions that contain them are compiled.
    on_progress
        Called with each line of progress; the logger ``milp_pips`` gets these lines, too.

    Raises
    ------
    UsageError
        For an unknown key or method, or a board with an impossible value.
    Unfinished
        If time or memory ran out, or on an interruption; its ``stop`` states which.
    Unsupported
        If no decision diagram of the problem can be made, by the method ``diagram``.
    """
    puzzle = puzzle_of(puzzle, "compile")
    settings = settings_of(settings, shortcuts)
    with running_deadline(deadline, settings.seconds, on_progress) as deadline:
        prepared = prepare(Query(puzzle, board), Run("", settings, deadline))
        by = known_key(prepared.problem, key) if isinstance(key, str) else key
        budget = Budget.of_memory(settings.memory)
        return compile_prepared(prepared, by, budget, deadline, method, widths)


def compile_prepared(
    prepared: Prepared,
    key: Key,
    budget: Budget,
    deadline: Deadline,
    method: str = "space",
    widths: Sequence[int] = (),
) -> SolutionSet:
    """Return the solutions of a prepared puzzle that differ in a key.

    Its ``listed`` states whether it relies on an engine's list. Raises Unfinished if the solutions do not fit
    the budget, or if the deadline expires.
    """
    problem = prepared.filtered
    if prepared.refutation:
        return SolutionSet(problem, variables_of(problem, key), None)
    return compile_problem(problem, key, budget, deadline, method=method, widths=widths, lister=list_short)


# Short lists for the compiler. If a part is too hard to divide, a SAT solver lists its solutions and proves
# that there are no others. It learns clauses from dead ends, which branching does not, but it is useless for
# many solutions.

MAX_SHORT_LIST, SHORT_LIST_CONFLICTS = 100, 20_000
"""The number of solutions after which a list is given up, and the conflicts that the first solve may take.
The second solve gets half as many, the third a third: five times as many in all, a few seconds' worth."""

MAX_CLAUSE_VALUES = 10_000
"""The number of open values up to which the problem is encoded as clauses: that takes half a second."""


def list_short(problem: Problem, seen: Sequence[int], deadline: Deadline) -> list[tuple[int, ...]] | None:
    """Return one solution for each combination of values that the variables ``seen`` take in solutions.

    None if there are too many, or if listing them takes too long. The result is the same on every machine
    unless the deadline expires. Raises EngineFault for a point that breaks a rule.
    """
    from milp_pips.engines.defaults import SHORT_LIST_SOLVER
    from milp_pips.engines.registry import available
    from milp_pips.formulations.cnf import CnfEncoding  # rarely used, and slow to import

    try:
        solver = cast("AssumingSolver", available(SHORT_LIST_SOLVER))
    except UsageError:  # without the solver the caller continues to branch
        return None
    if problem.open_values > MAX_CLAUSE_VALUES:
        return None
    try:
        statement = CnfEncoding(problem, lambda: deadline.stop)
    except UsageError:  # a constraint has too many clauses
        return None
    if deadline.stop:
        return None
    loaded = solver.load(statement, deadline)
    points: list[tuple[int, ...]] = []
    while found := loaded.solve((), deadline, SHORT_LIST_CONFLICTS // (len(points) + 1)):
        point = statement.decode(loaded.model())
        if broken := problem.violated(point):
            raise EngineFault(f"{SHORT_LIST_SOLVER} gave a point that breaks a rule: {broken}")
        points.append(point)
        if len(points) > MAX_SHORT_LIST:
            return None
        literals = {statement.literal(v, point[v]) for v in seen}
        loaded.add([-literal for literal in sorted(literals - {statement.true})])
    return None if found is None else points


# The task ``sample``: draw solutions uniformly at random.


@named_keywords
def sample(
    puzzle: Puzzle | Problem,
    n: int = 1,
    settings: Settings = Settings(),
    *,
    distinct: str = "",
    board: Board | None = None,
    deadline: Deadline | None = None,
    **shortcuts: Unpack[Shortcuts],
) -> list[Any]:
    """Return ``n`` solutions, drawn independently, each solution with the same probability.

    Parameters
    ----------
    puzzle
        A puzzle of any family, or a bare problem.
    n
        Number of solutions to draw; if the puzzle has none, the list is empty.
    settings, deadline, shortcuts
        As for ``solve``. The same ``seed`` gives the same solutions; ``memory`` limits the process.
    distinct
        The key: the draw is uniform over the solutions that differ in it; empty for the first key.
    board
        The values that are filled in already, see ``hint``: only solutions that contain them are drawn.

    Raises
    ------
    UsageError
        If the key is unknown, no decision diagram can state the problem, or a value of the board is not in
        the domain of its cell.
    Unfinished
        If a limit of time or memory, or an interruption, stops the draw; its ``stop`` states which.
    EngineFault
        If a solution breaks a rule.
    """
    whole(0).check("the number of solutions", n)
    puzzle = puzzle_of(puzzle, "sample")
    settings = settings_of(settings, shortcuts)
    with running_deadline(deadline, settings.seconds) as deadline:
        return list(draw_solutions(puzzle, n, settings, distinct, deadline, board))


def draw_solutions(
    puzzle: Puzzle, n: int, settings: Settings, distinct: str, deadline: Deadline, board: Board | None = None
) -> Iterator[Any]:
    """Yield solutions as ``sample`` draws them; those yielded before a limit stops the draw are uniform."""
    budget = Budget.of_memory(settings.memory)
    prepared = prepare(Query(puzzle, board), Run("", settings, deadline))
    key = known_key(prepared.problem, distinct)
    try:
        seen = compile_prepared(prepared, key, budget, deadline)
    except Unfinished as reason:
        raise Unfinished(f"no solution was drawn: {reason}", reason.stop) from None
    rng, allowance = random.Random(settings.seed), Allowance(n, deadline, budget.memory)
    complete = seen.completion()
    for number in range(n if seen.count else 0):
        try:
            allowance.spend(1)
        except Unfinished as reason:
            message = f"{number} of {n} solutions were drawn; stop: {reason.stop}"
            raise Unfinished(message, reason.stop) from None
        yield prepared.judge(complete(seen.sample(rng)), "the decision diagram")
