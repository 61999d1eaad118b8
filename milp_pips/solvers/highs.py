"""HiGHS, through the array interface of highspy."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from milp_pips.answer import Answer, Proof, Settings, Stop
from milp_pips.errors import UsageError
from milp_pips.problem import Problem
from milp_pips.solvers.library import FORMULATIONS, LibrarySolver
from milp_pips.solvers.watched import call_watched
from milp_pips.watch import Watch

if TYPE_CHECKING:
    from highspy import Highs

    from milp_pips.solvers.contract import LiveModel

STATUSES = {
    "kOptimal": (Proof.FEASIBLE, Stop.FINISHED),
    "kInfeasible": (Proof.INFEASIBLE, Stop.FINISHED),
    # All columns are bounded, so "unbounded" is out of the question.
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
"""HighsModelStatus → proof and stop; every status that is not here is an error of the engine."""

_threads_in_use = 0


class HighsSolver(LibrarySolver):
    """HiGHS: branch and cut on the 0-1 model."""

    name = "highs"
    kind = "mip"
    title = "HiGHS"
    requires = ("highspy",)
    distribution = "highspy"
    features = frozenset({"time limit", "seed", "threads", "options", "cuts"})
    formulations = FORMULATIONS

    def version(self) -> str:
        """Return the version of HiGHS, from the library itself where it is loaded: that is quicker."""
        highspy = sys.modules.get("highspy")
        return str(highspy.Highs().version()) if highspy else super().version()

    def solve(self, problem: Problem, settings: Settings, watch: Watch) -> Answer:
        """Solve the 0-1 model; see ``Solver``."""
        from milp_pips.milp import formulate

        begun = time.perf_counter()
        model = formulate(problem, settings.formulation)
        highs = model.to_highspy()
        set_options(highs, settings)
        built = time.perf_counter()
        ending = run(highs, watch)
        return Answer(
            None if ending.x is None else model.decode(ending.x),
            ending.proof,
            ending.stop,
            model.formulation,
            ending.message,
            model.size,
            {"nodes": ending.nodes},
            {"build": built - begun, "solve": time.perf_counter() - built},
        )

    def live(self, problem: Problem, key: str, settings: Settings) -> LiveModel:
        """Return the problem as a model that stays loaded while solutions are excluded."""
        from milp_pips.solvers.highs_live import HighsLive

        return HighsLive(problem, key, settings)


class Ending(NamedTuple):
    """How a run of HiGHS ended: a 0-1 vector or None, proof, stop, HiGHS's own words, and nodes."""

    x: list[float] | None
    proof: Proof
    stop: Stop
    message: str
    nodes: int


def set_options(highs: Highs, settings: Settings) -> None:
    """Set threads, seed and the options asked for. Raises UsageError."""
    import highspy

    global _threads_in_use
    if _threads_in_use not in (0, settings.threads):
        highspy.Highs.resetGlobalScheduler(True)  # else the first solve of the process decides for all
    _threads_in_use = settings.threads
    highs.setOptionValue("threads", settings.threads)
    highs.setOptionValue("random_seed", settings.seed)
    for name, value in typed_options(highs, settings.options).items():
        if highs.setOptionValue(name, value) != highspy.HighsStatus.kOk:
            raise UsageError(f"HiGHS does not accept {name}={settings.options[name]}")


def typed_options(highs: Highs, options: Mapping[str, str]) -> dict[str, Any]:
    """Return the options with values of the types that HiGHS wants. Raises UsageError."""
    import highspy

    typed: dict[str, Any] = {}
    for name, text in options.items():
        status, kind = highs.getOptionType(name)
        if status != highspy.HighsStatus.kOk:
            raise UsageError(f"HiGHS has no option {name!r}")
        try:
            typed[name] = _converted(text, kind.name)
        except ValueError:
            raise UsageError(f"HiGHS option {name} takes {KINDS[kind.name]}, not {text!r}") from None
    return typed


KINDS = {"kBool": "true or false", "kInt": "an integer", "kDouble": "a number", "kString": "a text"}


def _converted(text: str, kind: str) -> Any:
    match kind:
        case "kBool":
            if text.lower() in ("true", "on", "1"):
                return True
            if text.lower() in ("false", "off", "0"):
                return False
            raise ValueError(text)
        case "kInt":
            return int(text)
        case "kDouble":
            return float(text)
        case _:
            return text


def run(highs: Highs, watch: Watch) -> Ending:
    """Run HiGHS until it ends or the watch says stop.

    It runs in a thread of its own, which is abandoned if HiGHS does not obey: presolve neither looks at the
    clock nor calls back.
    """

    def obey(event: Any) -> None:
        if watch.stop:
            event.interrupt()

    if watch.remaining is not None:
        highs.setOptionValue("time_limit", highs.getRunTime() + watch.remaining)  # its clock accumulates
    callbacks = (highs.cbMipInterrupt, highs.cbSimplexInterrupt, highs.cbIpmInterrupt)
    for callback in callbacks:
        callback += obey
    if not call_watched(highs.run, watch, lambda: None):
        return Ending(None, Proof.NONE, watch.stop or Stop.INTERRUPTED, "", 0)
    for callback in callbacks:
        callback -= obey
    status, info = highs.getModelStatus().name, highs.getInfo()
    proof, stop = STATUSES.get(status, (Proof.NONE, Stop.ERROR))
    if stop is Stop.INTERRUPTED:
        stop = watch.stop or stop
    x = None
    if info.primal_solution_status == 2:  # kSolutionStatusFeasible
        x = highs.getSolution().col_value
        proof = Proof.FEASIBLE if proof is Proof.NONE else proof
    message = f"HiGHS status {status}" if stop is Stop.ERROR else ""
    return Ending(x, proof, stop, message, max(0, int(info.mip_node_count)))
