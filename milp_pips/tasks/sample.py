"""The task ``sample``: draw solutions of a puzzle uniformly at random from its solution space."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Unpack

from milp_pips.compilation.limits import Allowance, Budget, Unfinished
from milp_pips.problem.answer import Settings, Shortcuts
from milp_pips.problem.parameters import named_keywords, whole
from milp_pips.problem.stopping import Deadline, running_deadline
from milp_pips.puzzles.puzzle import Board, known_key
from milp_pips.tasks.compile import compile_prepared, completion
from milp_pips.tasks.pipeline import prepare, puzzle_of, rules_for, settings_of

if TYPE_CHECKING:
    from milp_pips.problem.problem import Problem
    from milp_pips.puzzles.puzzle import Puzzle


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
    prepared = prepare(puzzle, rules_for(settings), board, deadline)
    key = known_key(prepared.problem, distinct)
    try:
        seen = compile_prepared(prepared, key, budget, deadline)
    except Unfinished as reason:
        raise Unfinished(f"no solution was drawn: {reason}", reason.stop) from None
    rng, allowance = random.Random(settings.seed), Allowance(n, deadline, budget.memory)
    complete = completion(prepared.problem, seen.variables)
    for number in range(n if seen.count else 0):
        try:
            allowance.spend(1)
        except Unfinished as reason:
            message = f"{number} of {n} solutions were drawn; stop: {reason.stop}"
            raise Unfinished(message, reason.stop) from None
        yield prepared.judge(complete(seen.sample(rng)), "the decision diagram")
