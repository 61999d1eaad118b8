"""Enumerate solutions with no-good cuts, one step at a time, and state each cut in words and as a row.

If a solution chooses the columns S of the key, the row ``Σ x over S <= |S| - least`` requires that at least
``least`` of them differ (Balas and Jeroslow 1972). The model stays loaded and is solved again after every
cut. There is one cut per solution, and every further row makes the model harder.
"""

import textwrap
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from math import inf
from typing import Any, cast

import milp_pips
from milp_pips.engines.contract import Loaded
from milp_pips.engines.defaults import PARTITION
from milp_pips.engines.library import MipSolver
from milp_pips.engines.registry import available
from milp_pips.extras.lab.puzzle_model import PuzzleModel
from milp_pips.problem.answer import Claim, Proof, Settings
from milp_pips.problem.stopping import Deadline
from milp_pips.puzzles.puzzle import Puzzle, known_key
from milp_pips.puzzles.registry import family_of
from milp_pips.tasks.pipeline import prepare
from milp_pips.tasks.query import Run
from milp_pips.verification.second_opinion import on_complete


@dataclass(frozen=True)
class Cut:
    """A row that excludes a solution: ``Σ x over the columns <= most``; ``words`` say what it means."""

    words: str
    columns: tuple[str, ...]
    most: int

    @property
    def row(self) -> str:
        """The row in the syntax of an LP file."""
        return f"{' + '.join(self.columns)} <= {self.most}"


@dataclass(frozen=True)
class CutStep:
    """One solve: its solution with the cut that excludes it; the last step has neither.

    ``rows`` is the size of the model, ``nodes`` those of the engine's tree, ``seconds`` the time of the
    solve. The last step says what ``confirmed_by`` has confirmed that there is no further solution.
    """

    puzzle: Puzzle
    number: int
    rows: int
    nodes: int
    seconds: float
    solution: Any = field(default=None, repr=False)
    cut: Cut | None = None
    confirmed_by: str | None = None

    def __str__(self) -> str:
        nodes = f"{self.nodes} node{'' if self.nodes == 1 else 's'}"
        head = f"solve {self.number}: {self.rows} rows, {nodes}, {self.seconds:.3f} s"
        if self.cut is None:
            return f"{head}\nno further solution; confirmed by {self.confirmed_by}"
        board = str(family_of(self.puzzle).draw(self.puzzle, self.solution)).rstrip("\n")
        words = textwrap.wrap(f"cut {self.number}: {self.cut.words}", 110, subsequent_indent="  ")
        indents = {"initial_indent": "  ", "subsequent_indent": "    "}
        row = textwrap.wrap(self.cut.row, 108, break_long_words=False, **indents)
        return "\n".join([head, board, *words, *row])


def cuts(puzzle: Puzzle, settings: Settings = Settings(), distinct: str = "") -> Iterator[CutStep]:
    """Yield the solutions of a puzzle as steps. The problem is filtered first unless ``rules`` disables it.

    ``distinct`` is the key that distinguishes solutions; empty for the first one.
    """
    key = known_key(milp_pips.state(puzzle), distinct)
    prepared = prepare(puzzle, Run("", settings))
    model = milp_pips.formulate(prepared.filtered, settings.formulation, key)
    problem, meanings = prepared.problem, PuzzleModel(prepared, model).meanings
    engine, names = cast("MipSolver", available(PARTITION)), model.column_names()
    columns, least = set(model.key_columns(problem.keys[key]).tolist()), problem.least_difference(key)
    loaded, deadline = cast("Loaded", engine.load(model, settings, Deadline())), Deadline()
    rows, number, listed = model.size["rows"], 0, dict[tuple[int, ...], None]()
    # Invariant: the loaded model holds one cut per listed solution, so its points are the other solutions.
    # Infeasible therefore means that the list is complete; a second method then confirms this.
    while True:
        number += 1
        begun = time.perf_counter()
        ending = loaded.run(deadline)
        step = CutStep(puzzle, number, rows, ending.statistics.get("nodes", 0), time.perf_counter() - begun)
        if ending.point is None:
            assert ending.proof is Proof.INFEASIBLE, ending.message
            claim = Claim(f"{engine.name} by cuts", engine.proof_family, model.formulation)
            confirmed = on_complete(problem, key, len(listed), listed, claim, deadline)
            yield replace(step, confirmed_by=confirmed)
            return
        point = model.decode(ending.point)
        compared = tuple(point[v] for v in problem.keys[key])
        assert compared not in listed, "a cut excludes its solution"
        listed[compared] = None
        chosen = [j for j in sorted(columns) if ending.point[j] > 0.5]
        cut = Cut(
            _sentence([meanings[j] for j in chosen], least),
            tuple(names[j] for j in chosen),
            len(chosen) - least,
        )
        yield replace(step, solution=prepared.judge(point, engine.name), cut=cut)
        loaded.add_row(chosen, [1.0] * len(chosen), -inf, cut.most)
        rows += 1


def _sentence(words: Sequence[str], least: int) -> str:
    """Return the cut in words. A cut without columns excludes everything."""
    if not words:
        return "there is nothing that could be otherwise"
    how_many = "one" if least == 1 else "two"
    return f"of these {len(words)}, at least {how_many} must be otherwise: {', '.join(words)}"
