"""Three answers to why a puzzle has no solution: rows of the relaxation, rows of the 0-1 model, and rules.

Each is an irreducible infeasible subsystem (IIS): its parts have no common point, and without any one of them
they have one.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, Unpack

import numpy as np

from milp_pips.compilation.limits import Unfinished
from milp_pips.engines import highs
from milp_pips.engines.defaults import SUBSYSTEM_SOLVER
from milp_pips.engines.registry import available
from milp_pips.engines.scip import LoadedScip
from milp_pips.extras.explain.explain import explain
from milp_pips.extras.explain.text import Words
from milp_pips.extras.lab.farkas import infeasible_rows
from milp_pips.extras.lab.puzzle_model import state_model
from milp_pips.formulations.milp.model import EncodedModel
from milp_pips.problem.answer import Proof, Settings, Shortcuts, Stop
from milp_pips.problem.errors import EngineFault, UsageError
from milp_pips.problem.parameters import named_keywords
from milp_pips.problem.result import TaskResult
from milp_pips.problem.stopping import Deadline, running_deadline
from milp_pips.runtime.executor import call_in_process
from milp_pips.runtime.interruptible import Limits
from milp_pips.tasks.pipeline import settings_of

if TYPE_CHECKING:
    from milp_pips.problem.problem import Problem
    from milp_pips.puzzles.puzzle import Puzzle

SCIP_SECONDS = 20.0
"""The seconds after which SCIP leaves its rows as they are, perhaps with some that are not needed."""


@dataclass(frozen=True)
class InfeasibleSubsystems(TaskResult):
    """Why a puzzle has no solution, in rows and in rules.

    Parameters
    ----------
    puzzle, formulation
        The name of the puzzle, and the formulation of its model.
    relaxation
        The rows of the relaxation without a common point; None if it has a point.
    rows
        The rows of the 0-1 model without a common 0-1 point, by SCIP; empty if ``missing`` states why.
    irreducible
        Whether SCIP has found that none of them can be left out.
    confirmed_by
        What confirmed that they have no common 0-1 point; empty if nothing did.
    missing
        Why SCIP has named no rows; empty if it has.
    rules
        A minimal set of rules of the puzzle that no board obeys together, by ``explain``.
    seconds
        The time taken.
    """

    puzzle: str
    formulation: str
    relaxation: tuple[str, ...] | None
    rows: tuple[str, ...]
    irreducible: bool
    confirmed_by: str
    missing: str
    rules: tuple[str, ...]
    seconds: float


@named_keywords
def iis(
    puzzle: Puzzle | Problem,
    settings: Settings = Settings(),
    *,
    deadline: Deadline | None = None,
    **shortcuts: Unpack[Shortcuts],
) -> InfeasibleSubsystems:
    """Return rows and rules of an impossible puzzle that cannot hold together. Meant for small puzzles.

    The rows of the relaxation are verified in exact arithmetic, those of the 0-1 model by HiGHS.

    Parameters
    ----------
    puzzle
        A puzzle of any family, or a bare problem.
    settings, deadline, shortcuts
        As for ``solve``. Nothing is filtered first unless ``rules`` requests it.

    Raises
    ------
    UsageError
        If the puzzle has a solution, and for an unknown formulation.
    Unfinished
        If the deadline stops it before the relaxation is solved.
    EngineFault
        If the rows that an engine names have a common point.
    """
    begun = time.perf_counter()
    settings = settings_of(settings, shortcuts)
    with running_deadline(deadline, settings.seconds) as deadline:
        explained = explain(puzzle, reasons=1, additions=0, deadline=deadline)
        if explained.status in ("unique", "several"):
            raise UsageError(f"{explained.puzzle.name} has a solution: only an impossible puzzle has an IIS")
        if not explained.reasons:
            raise Unfinished("no rules that clash were found in time", deadline.stop or Stop.TIME)
        stated = state_model(puzzle, settings, "iis", deadline)
        model, outcome, missing = stated.model, None, "SCIP did not finish in time"
        ending = stated.relax().run(deadline)
        if ending.proof is Proof.NONE:
            raise Unfinished("the relaxation was not solved in time", deadline.stop or ending.stop)
        relaxed = infeasible_rows(model) if ending.proof is Proof.INFEASIBLE else None
        try:
            outcome = _in_own_process(_rows_by_scip, model, deadline)
        except UsageError as error:  # SCIP is not installed
            missing = str(error)
        numbers, irreducible = outcome or ([], False)
        if outcome and not numbers:
            missing = "this PySCIPOpt has no generateIIS"
        confirmed = _check_infeasible(model, numbers, deadline) if numbers else ""
    rules = Words(explained.grouped).items(explained.reasons[0].items)
    names = model.row_names()
    return InfeasibleSubsystems(
        explained.puzzle.name, model.formulation,
        None if relaxed is None else tuple(names[row] for row in relaxed),
        tuple(names[row] for row in sorted(numbers)),
        irreducible, confirmed, "" if numbers else missing, tuple(rules), time.perf_counter() - begun,
    )  # fmt: skip


def _in_own_process(
    work: Callable[..., tuple[list[int], bool]], model: EncodedModel, deadline: Deadline
) -> tuple[list[int], bool] | None:
    """Return what the work finds in a process of its own, with SCIP; None if the deadline stops it.

    Raises UsageError if SCIP cannot run here, and EngineFault if the process fails.
    """
    available(SUBSYSTEM_SOLVER)
    outcome = call_in_process(work, (model,), Limits(deadline))
    if outcome.fault:
        raise EngineFault(f"{SUBSYSTEM_SOLVER} failed: {outcome.fault}")
    return outcome.value


def _rows_by_scip(model: EncodedModel, deadline: Deadline) -> tuple[list[int], bool]:
    """Return the numbers of rows that SCIP names, and whether none of them can be left out.

    There are none if this PySCIPOpt is too old to name any.
    """
    loaded = LoadedScip(model, Settings(), deadline)
    arrays = model.arrays
    sizes = np.diff(arrays.start)
    stated = [i for i in range(len(sizes)) if sizes[i] or not arrays.row_lower[i] <= 0 <= arrays.row_upper[i]]
    number = {row.name: i for row, i in zip(loaded.scip.getConss(), stated, strict=True)}
    if not hasattr(loaded.scip, "generateIIS"):
        return [], False
    loaded.scip.setParam("iis/time", SCIP_SECONDS)
    found = loaded.scip.generateIIS()
    return [number[row.name] for row in found.getSubscip().getConss()], bool(found.isSubscipIrreducible())


def _check_infeasible(model: EncodedModel, rows: Collection[int], deadline: Deadline) -> str:
    """Return what confirms that these rows have no common 0-1 point; empty if time ran out.

    Raises EngineFault if they have one.
    """
    some = model.to_highspy()
    for row in set(range(model.size["rows"])).difference(rows):
        some.changeRowBounds(row, -some.inf, some.inf)
    proof = highs.run(some, deadline).proof
    if proof is Proof.FEASIBLE:
        raise EngineFault("the rows that SCIP names have a common 0-1 point")
    return "HiGHS" if proof is Proof.INFEASIBLE else ""
