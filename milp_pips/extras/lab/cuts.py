"""Enumerate solutions with no-good cuts, one step at a time, and show each cut in words and as a row.

If a solution chooses the columns S of the key, the row ``Σ x over S <= |S| - least`` requires that at least
``least`` of them differ (Balas and Jeroslow 1972). The model stays loaded and is solved again after every
cut. There is one cut per solution, and every further row makes the model harder.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import inf
from typing import TYPE_CHECKING, Any, Unpack, cast

from milp_pips.engines.defaults import PARTITION
from milp_pips.engines.registry import available
from milp_pips.extras.lab.puzzle_model import PuzzleModel
from milp_pips.formulations.milp import formulate
from milp_pips.problem.answer import Claim, Proof, Settings, Shortcuts, Stop
from milp_pips.problem.errors import EngineFault
from milp_pips.problem.parameters import named_keywords
from milp_pips.problem.result import TaskResult
from milp_pips.problem.stopping import Deadline, running_deadline
from milp_pips.puzzles.puzzle import known_key
from milp_pips.tasks.pipeline import prepare, puzzle_of, rules_for, settings_of, state
from milp_pips.verification.second_opinion import on_complete

if TYPE_CHECKING:
    from milp_pips.engines.contract import Loaded
    from milp_pips.engines.library import MipSolver
    from milp_pips.problem.problem import Problem
    from milp_pips.puzzles.puzzle import Puzzle


@dataclass(frozen=True, slots=True)
class Cut:
    """A row that excludes a solution: ``Σ x over the columns <= most``.

    Parameters
    ----------
    words
        Its meaning, in the words of the puzzle.
    columns
        The columns, by their names in the model.
    most
        The right-hand side.
    """

    words: str
    columns: tuple[str, ...]
    most: int

    @property
    def row(self) -> str:
        """The row in the syntax of an LP file."""
        return f"{' + '.join(self.columns)} <= {self.most}"


@dataclass(frozen=True)
class CutStep(TaskResult):
    """One solve of the model with all cuts so far.

    Parameters
    ----------
    puzzle
        The puzzle.
    number
        The number of the solve, from 1 on.
    solution
        The solution found; None if there is no further one, or if ``stop`` states why nothing is known.
    cut
        The cut that excludes the solution from now on; None without a solution.
    rows
        The rows of the model that was solved, including the earlier cuts.
    nodes
        The nodes of the branch-and-bound tree.
    seconds
        The time of the solve.
    stop
        The stopping criterion.
    confirmed_by
        In the last step: the method that confirms that there is no further solution; None if none does.
    """

    puzzle: Puzzle
    number: int
    solution: Any = field(repr=False)
    cut: Cut | None
    rows: int
    nodes: int
    seconds: float
    stop: Stop
    confirmed_by: str | None = None


@named_keywords
def cuts(
    puzzle: Puzzle | Problem,
    settings: Settings = Settings(),
    *,
    distinct: str = "",
    limit: int | None = None,
    deadline: Deadline | None = None,
    **shortcuts: Unpack[Shortcuts],
) -> Iterator[CutStep]:
    """Yield the solutions of a puzzle as steps, each with the cut that excludes it; the last has neither.

    Parameters
    ----------
    puzzle
        A puzzle of any family, or a bare problem.
    settings, deadline, shortcuts
        As for ``solve``. As for ``solutions``, the problem is filtered first unless ``rules`` disables it.
    distinct
        The key that distinguishes solutions; empty for the first key.
    limit
        The most solutions.

    Raises
    ------
    UsageError
        For an unknown key or formulation, or a formulation that has no columns for the key.
    EngineFault
        If a solution breaks a rule or is repeated, or if a further solution exists at the end.
    """
    puzzle = puzzle_of(puzzle, "cuts")
    settings = settings_of(settings, shortcuts)
    key = known_key(state(puzzle), distinct)
    prepared = prepare(puzzle, rules_for(settings))
    model = formulate(prepared.filtered, settings.formulation, key)  # unfiltered if filtering refutes it
    stated = PuzzleModel(prepared, model)
    return _steps(stated, key, settings, limit, deadline)


def _steps(
    stated: PuzzleModel, key: str, settings: Settings, limit: int | None, deadline: Deadline | None
) -> Iterator[CutStep]:
    """Solve, add the cut, and solve again."""
    model, problem, judge = stated.model, stated.prepared.problem, stated.prepared.judge
    engine = cast("MipSolver", available(PARTITION))
    names, meanings = model.column_names(), stated.meanings
    columns, least = set(model.key_columns(problem.keys[key]).tolist()), problem.least_difference(key)
    rows, number, listed = model.size["rows"], 0, dict[tuple[int, ...], None]()
    with running_deadline(deadline, settings.seconds) as deadline:
        loaded = cast("Loaded", engine.load(model, settings, deadline))
        # Invariant: the loaded model holds one cut per listed solution, so its points are the other
        # solutions. Infeasible therefore means that the list is complete; a second method then confirms this.
        while limit is None or number < limit:
            number += 1
            begun = time.perf_counter()
            ending = loaded.run(deadline)
            spent = time.perf_counter() - begun
            nodes = ending.statistics.get("nodes", 0)
            if ending.point is None:
                if ending.stop is Stop.ERROR and not deadline.stop:
                    raise EngineFault(f"{engine.name} failed: {ending.message}")
                proven = ending.proof is Proof.INFEASIBLE
                claim = Claim(f"{engine.name} by cuts", engine.proof_family, model.formulation)
                confirmed = (
                    on_complete(problem, key, len(listed), listed, claim, deadline) if proven else None
                )
                stop = Stop.FINISHED if proven else deadline.stop or ending.stop
                yield CutStep(stated.puzzle, number, None, None, rows, nodes, spent, stop, confirmed)
                return
            point = model.decode(ending.point)
            solution = judge(point, engine.name)
            compared = tuple(point[v] for v in problem.keys[key])
            if compared in listed:
                raise EngineFault(f"{engine.name} gave a solution that was cut off")
            listed[compared] = None
            chosen = [j for j in sorted(columns) if ending.point[j] > 0.5]
            cut = Cut(
                _sentence([meanings[j] for j in chosen], least),
                tuple(names[j] for j in chosen),
                len(chosen) - least,
            )
            yield CutStep(stated.puzzle, number, solution, cut, rows, nodes, spent, Stop.FINISHED)
            loaded.add_row(chosen, [1.0] * len(chosen), -inf, cut.most)
            rows += 1


def _sentence(words: list[str], least: int) -> str:
    """Return the cut in words. A cut without columns excludes everything."""
    if not words:
        return "there is nothing that could be otherwise"
    how_many = "one" if least == 1 else "two"
    return f"of these {len(words)}, at least {how_many} must be otherwise: {', '.join(words)}"
