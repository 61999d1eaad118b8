"""The MIP solver HiGHS, called through the array interface of highspy.

``HighsSolver`` declares the features. ``run`` at the end runs the engine and reads its status. The base class
``MipSolver`` does the rest: it formulates the problem, decodes the 0-1 vector and assembles the answer.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from milp_pips.engines.library import outcome_of
from milp_pips.engines.mip import MipOutcome, MipSolver
from milp_pips.problem import Deadline, Proof, Settings, Stop, UsageError
from milp_pips.runtime.interruptible import call_interruptibly

if TYPE_CHECKING:
    from highspy import Highs

    from milp_pips.formulations.milp.model import Model

STATUSES = {
    "kOptimal": (Proof.FEASIBLE, Stop.FINISHED),
    "kInfeasible": (Proof.INFEASIBLE, Stop.FINISHED),
    # All columns are bounded, so "unbounded" is impossible.
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

_threads_in_use = 0


class HighsSolver(MipSolver):
    """HiGHS: branch and cut on the 0-1 model."""

    name = "highs"
    title = "HiGHS"
    requires = ("highspy",)
    distribution = "highspy"
    features = frozenset({"time limit", "seed", "threads", "options", "cuts", "relaxation", "objective"})
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
        """Return the LP relaxation, or only the root node with ``cuts``; see ``mip.Relaxing``."""
        return RelaxedHighs(model, integer=cuts)


class LoadedHighs:
    """A 0-1 model in HiGHS, which can be changed between runs; see ``mip.Changeable``."""

    def __init__(self, model: Model, settings: Settings):
        self._highs = model.to_highspy()
        set_options(self._highs, settings)

    def run(self, deadline: Deadline) -> MipOutcome:
        return run(self._highs, deadline)

    def bound(self, columns: Sequence[int], lower: int, upper: int) -> None:
        import numpy as np

        index = np.unique(np.array(columns, dtype=np.int32))  # HiGHS refuses duplicate columns
        count = len(index)
        if count:
            lowers, uppers = np.full(count, float(lower)), np.full(count, float(upper))
            self._highs.changeColsBounds(count, index, lowers, uppers)

    def cut(self, columns: Sequence[int], most: int) -> None:
        import highspy
        import numpy as np

        count, index = len(columns), np.array(columns, np.int32)
        self._highs.addRow(-highspy.kHighsInf, float(most), count, index, np.ones(count))


VERTEX = {"presolve": "off"}
"""Options for one LP after another: presolve would discard the basis, from which the next takes few steps."""

ROOT = {"presolve": "off", "mip_heuristic_effort": "0", "mip_max_nodes": "1", "mip_detect_symmetry": "off"}
"""Options for the proofs of the root node alone: propagation and cuts, but no presolve and no heuristics."""


class RelaxedHighs(LoadedHighs):
    """An LP relaxation in HiGHS, or only the root node with ``integer``; see ``mip.Relaxed``."""

    def __init__(self, model: Model, *, integer: bool):
        import highspy
        import numpy as np

        super().__init__(model, Settings(options=ROOT if integer else VERTEX))
        if not integer:
            columns = np.arange(model.size["columns"], dtype=np.int32)
            kinds = np.full(len(columns), highspy.HighsVarType.kContinuous)
            self._highs.changeColsIntegrality(len(columns), columns, kinds)

    def reduced_costs(self) -> Sequence[float]:
        return list(self._highs.getSolution().col_dual)


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


def run(highs: Highs, deadline: Deadline) -> MipOutcome:
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
    if not call_interruptibly(highs.run, deadline, lambda: None):
        return MipOutcome(None, Proof.NONE, deadline.stop or Stop.INTERRUPTED)
    for callback, function in callbacks:
        callback -= function
    info = highs.getInfo()
    has_point = info.primal_solution_status == 2  # kSolutionStatusFeasible
    status = highs.getModelStatus().name
    return outcome_of(
        STATUSES,
        status,
        deadline,
        lambda: highs.getSolution().col_value if has_point else None,
        f"HiGHS status {status}",
        statistics={"nodes": max(0, int(info.mip_node_count))},
        bound=float(info.mip_dual_bound),
    )
