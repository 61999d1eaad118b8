"""The MIP solver HiGHS, called through the array interface of highspy.

``HighsSolver`` declares the features. ``run`` at the end runs the engine and reads its status. The base class
``MipSolver`` does the rest: it formulates the problem, decodes the 0-1 vector and assembles the answer.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from math import inf
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from milp_pips.engines.library import MipSolver, answer_of
from milp_pips.problem.answer import Answer, Proof, Settings, Stop
from milp_pips.problem.errors import UsageError
from milp_pips.problem.stopping import Deadline
from milp_pips.runtime.interruptible import call_interruptibly

if TYPE_CHECKING:
    from highspy import Highs

    from milp_pips.formulations.model import Model
    from milp_pips.formulations.rows import Arrays

STATUSES = {
    "kOptimal": (Proof.FEASIBLE, Stop.FINISHED),
    "kInfeasible": (Proof.INFEASIBLE, Stop.FINISHED),
    # If all columns are bounded, "unbounded" is impossible.
    "kUnboundedOrInfeasible": (Proof.INFEASIBLE, Stop.FINISHED),
    "kObjectiveBound": (Proof.NONE, Stop.FINISHED),
    "kObjectiveTarget": (Proof.NONE, Stop.FINISHED),
    "kTimeLimit": (Proof.NONE, Stop.TIME),
    "kIterationLimit": (Proof.NONE, Stop.COUNT),
    "kSolutionLimit": (Proof.NONE, Stop.COUNT),
    "kMemoryLimit": (Proof.NONE, Stop.MEMORY),
    "kInterrupt": (Proof.NONE, Stop.INTERRUPTED),
    "kHighsInterrupt": (Proof.NONE, Stop.INTERRUPTED),
}
"""HighsModelStatus → proof and stop; every status that is not listed is an error of the engine."""

WITHOUT_BOUNDS = dict.fromkeys(("kUnbounded", "kUnboundedOrInfeasible"), (Proof.NONE, Stop.FINISHED))
"""The meaning of these for a model with columns that have no bounds: nothing is known."""

_threads_in_use = 0


class HighsSolver(MipSolver):
    """HiGHS: branch and cut on the 0-1 model."""

    name = "highs"
    title = "HiGHS"
    requires = ("highspy",)
    distribution = "highspy"
    features = frozenset(
        {"time limit", "seed", "threads", "options", "cuts", "relaxation", "objective", "models"}
    )
    clashes = frozenset({"ortools", "pyscipopt"})  # OR-Tools and highspy 1.15 crash in one process
    without_presolve = MappingProxyType({"presolve": "off"})

    def version(self) -> str:
        """Return the version of HiGHS, from the library itself if it is loaded, which is quicker."""
        highspy = sys.modules.get("highspy")
        return str(highspy.Highs().version()) if highspy else super().version()

    def load(self, model: Model, settings: Settings, deadline: Deadline) -> LoadedHighs:  # noqa: ARG002
        """Return the model loaded into HiGHS; see ``MipSolver``."""
        return LoadedHighs(model, settings)

    def relax(self, model: Model, *, cuts: bool = False) -> RelaxedHighs:
        """Return the LP relaxation, or only the root node with ``cuts``; see ``contract.Relaxing``."""
        return RelaxedHighs(model, integer=cuts)


class LoadedHighs:
    """A linear model in HiGHS, which can be changed between runs; see ``contract.Loaded``."""

    def __init__(self, model: Model, settings: Settings):
        arrays = model.arrays
        self._highs = arrays.to_highspy(model.sense)
        # Before the settings, so that an option for presolve overrides it.
        if greatest_term(arrays) > GREAT_TERM:
            self._highs.setOptionValue("presolve", "off")
        set_options(self._highs, settings)
        self._is_bounded = bool((abs(arrays.lower) < inf).all() and (abs(arrays.upper) < inf).all())

    def run(self, deadline: Deadline) -> Answer:
        outcome = run(self._highs, deadline, is_bounded=self._is_bounded)
        _, presolve = self._highs.getOptionValue("presolve")
        if outcome.stop is Stop.ERROR and presolve != "off" and not deadline.stop:
            # Seen with presolve only: "solve error" on an infeasible model.
            self._highs.setOptionValue("presolve", "off")
            outcome = run(self._highs, deadline, is_bounded=self._is_bounded)
            self._highs.setOptionValue("presolve", presolve)
        return outcome

    def bound(self, columns: Sequence[int], lower: float, upper: float) -> None:
        import numpy as np

        index = np.unique(np.array(columns, dtype=np.int32))  # HiGHS refuses duplicate columns
        count = len(index)
        if count:
            lowers, uppers = np.full(count, float(lower)), np.full(count, float(upper))
            self._highs.changeColsBounds(count, index, lowers, uppers)

    def add_row(self, columns: Sequence[int], coefficients: Sequence[float], low: float, high: float) -> None:
        import numpy as np

        index, values = np.array(columns, np.int32), np.array(coefficients, np.float64)
        self._highs.addRow(low, high, len(index), index, values)

    def set_costs(self, costs: Sequence[float] | None) -> None:
        import numpy as np

        count = self._highs.getNumCol()
        values = np.zeros(count) if costs is None else np.array(costs, np.float64)
        self._highs.changeColsCost(count, np.arange(count, dtype=np.int32), values)


GREAT_TERM = 10**9
"""The greatest term of a row, at the bounds of its column, with which HiGHS presolves. Beyond, its presolve
has called two equations in integers of twelve digits infeasible (HiGHS 1.13.1; ERGO-Code/HiGHS#2084)."""


def greatest_term(arrays: Arrays) -> float:
    """Return the greatest absolute term of a row at a finite bound of its column; 0 if there is none."""
    import numpy as np

    ends = np.abs(np.stack([arrays.lower, arrays.upper]))
    reach = np.where(ends < inf, ends, 0.0).max(axis=0, initial=0.0)
    return float((np.abs(arrays.value) * reach[arrays.index]).max(initial=0.0))


VERTEX = {"presolve": "off"}
"""Options for one LP after another: presolve would discard the basis, from which the next takes few steps."""

ROOT = {"presolve": "off", "mip_heuristic_effort": "0", "mip_max_nodes": "1", "mip_detect_symmetry": "off"}
"""Options for the proofs of the root node alone: propagation and cuts, but no presolve and no heuristics."""


class RelaxedHighs(LoadedHighs):
    """An LP relaxation in HiGHS, or only the root node with ``integer``; see ``contract.Relaxed``."""

    def __init__(self, model: Model, *, integer: bool):
        import highspy
        import numpy as np

        super().__init__(model, Settings(options=ROOT if integer else VERTEX))
        if not integer:
            columns = np.arange(self._highs.getNumCol(), dtype=np.int32)
            kinds = np.full(len(columns), highspy.HighsVarType.kContinuous)
            self._highs.changeColsIntegrality(len(columns), columns, kinds)

    def reduced_costs(self) -> Sequence[float]:
        return list(self._highs.getSolution().col_dual)

    def row_prices(self) -> Sequence[float]:
        return list(self._highs.getSolution().row_dual)


def set_options(highs: Highs, settings: Settings) -> None:
    """Set threads, seed and the requested options. Raises UsageError."""
    import highspy

    global _threads_in_use
    if _threads_in_use not in (0, settings.threads):
        highspy.Highs.resetGlobalScheduler(True)  # else the first solve of the process fixes the number
    _threads_in_use = settings.threads
    highs.setOptionValue("threads", settings.threads)
    highs.setOptionValue("random_seed", settings.seed)
    set_texts(highs, settings.options)


def set_texts(highs: Highs, options: Mapping[str, str]) -> None:
    """Set options whose values are text, which HiGHS converts. Raises UsageError."""
    import highspy

    for name, text in options.items():
        status, kind = highs.getOptionType(name)
        if status != highspy.HighsStatus.kOk:
            raise UsageError(f"HiGHS has no option {name!r}")
        if highs.setOptionValue(name, text) != highspy.HighsStatus.kOk:
            raise UsageError(f"HiGHS option {name} takes {OPTION_TYPES[kind.name]}, not {text!r}")


def require_options(options: Mapping[str, str]) -> None:
    """Raise UsageError for an option or a value that HiGHS does not have."""
    set_texts(empty_model(), options)


def empty_model() -> Highs:
    """Return a model without columns and rows, which prints nothing."""
    import highspy

    highs = highspy.Highs()
    highs.setOptionValue("output_flag", False)
    return highs


OPTION_TYPES = {
    "kBool": "true or false",
    "kInt": "an integer in its range",
    "kDouble": "a number in its range",
    "kString": "one of its words",
}
"""HighsOptionType → the expected value in words."""


def run(highs: Highs, deadline: Deadline, *, is_bounded: bool = True) -> Answer:
    """Run HiGHS until it ends or the deadline passes, and return the outcome.

    HiGHS runs in its own thread. The thread is abandoned if HiGHS does not stop: presolve neither checks the
    time limit nor calls back.
    """

    def obey(event: Any) -> None:
        if deadline.stop:
            event.interrupt()

    def improve(event: Any) -> None:
        deadline.progress.improve(event.data_out.objective_function_value)

    if deadline.remaining is not None:
        highs.setOptionValue("time_limit", highs.getRunTime() + deadline.remaining)  # its clock accumulates
    interrupts = (highs.cbMipInterrupt, highs.cbSimplexInterrupt, highs.cbIpmInterrupt)
    callbacks = [*((each, obey) for each in interrupts), (highs.cbMipImprovingSolution, improve)]
    for callback, function in callbacks:
        callback += function
    # An abandoned thread still works on the model, so nothing below reads it then.
    if not call_interruptibly(highs.run, deadline, lambda: None):
        return Answer(None, Proof.NONE, deadline.stop or Stop.INTERRUPTED)
    # The next run has another deadline, so it gets callbacks of its own.
    for callback, function in callbacks:
        callback -= function
    info = highs.getInfo()
    status = highs.getModelStatus().name
    statuses = STATUSES if is_bounded else STATUSES | WITHOUT_BOUNDS
    has_point = info.primal_solution_status == 2 and status not in WITHOUT_BOUNDS  # kSolutionStatusFeasible
    return answer_of(
        statuses,
        status,
        deadline,
        lambda: highs.getSolution().col_value if has_point else None,
        f"HiGHS status {status}",
        statistics={"nodes": max(0, int(info.mip_node_count))},
        bound=float(info.mip_dual_bound),
    )
