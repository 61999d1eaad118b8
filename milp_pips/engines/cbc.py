"""The MIP solver CBC, run as the program that comes with PuLP, with a model file and a solution file."""

from __future__ import annotations

import os
import re
from importlib.util import find_spec
from math import inf
from typing import TYPE_CHECKING

from milp_pips.engines.library import outcome_of
from milp_pips.engines.mip import MipOutcome, MipSolver
from milp_pips.problem import Deadline, Proof, Settings, Stop, UsageError
from milp_pips.runtime.interruptible import run_program
from milp_pips.runtime.writing import temporary_folder

if TYPE_CHECKING:
    from milp_pips.formulations.milp.model import Model

STATUSES = {
    "Optimal": (Proof.FEASIBLE, Stop.FINISHED),
    "Infeasible": (Proof.INFEASIBLE, Stop.FINISHED),
    "Integer infeasible": (Proof.INFEASIBLE, Stop.FINISHED),
    "Stopped on time": (Proof.NONE, Stop.TIME),
    "Stopped on nodes": (Proof.NONE, Stop.COUNT),
    "Stopped on solutions": (Proof.FEASIBLE, Stop.COUNT),
    "Stopped on iterations": (Proof.NONE, Stop.COUNT),
    "Stopped on ctrl-c": (Proof.NONE, Stop.INTERRUPTED),
}
"""The beginning of the first line of CBC's solution file → proof and stop (CbcSolver.cpp, "statusName").

"Unbounded" is impossible, since all columns are bounded. It counts as an error, as does any unknown status.
"""

CBC_GRACE = 0.5
"""Seconds after the deadline that CBC, which has its own time limit, gets to write its solution file."""

NO_POINT = "no integer solution"
"""If the first line contains these words, the vector that follows is the relaxation's, not a point."""


class CbcSolver(MipSolver):
    """CBC: branch and cut on the 0-1 model, in a separate program."""

    name = "cbc"
    title = "CBC"
    requires = ("pulp",)
    distribution = "pulp"
    features = frozenset({"time limit", "seed", "threads", "options", "objective"})

    def unavailable(self) -> str:
        """Return the reason why CBC is unavailable; empty if it is available."""
        return super().unavailable() or ("" if _program() else "this PuLP comes without the program cbc")

    def version(self) -> str:
        """Return the version of the CBC that comes with PuLP 3."""
        return "2.10.3"

    def load(self, model: Model, settings: Settings, deadline: Deadline) -> LoadedCbc:  # noqa: ARG002
        """Return the text of the model; see ``MipSolver``."""
        return LoadedCbc(model, settings)


class LoadedCbc:
    """The MPS text of a 0-1 model for CBC; see ``Loaded``."""

    def __init__(self, model: Model, settings: Settings):
        self._model, self._settings = model, settings
        self._text = model.to_mps(names=False)

    def run(self, deadline: Deadline) -> MipOutcome:
        with temporary_folder() as folder:
            with open(os.path.join(folder, "model.mps"), "w", encoding="ascii") as stream:
                stream.write(self._text)
            command = [_program(), *_arguments(self._settings, deadline)]
            ran = run_program(command, deadline, grace=CBC_GRACE, folder=folder)
            try:
                with open(os.path.join(folder, "solution.txt"), encoding="ascii") as stream:
                    first, *rest = stream.read().splitlines()
            except (OSError, ValueError):
                first, rest = "", []
        refused = re.search(r"No match for (\S+)", ran.output)
        if refused:
            raise UsageError(f"CBC has no option {refused[1]!r}")
        nodes = re.search(r"^Enumerated nodes:\s*(\d+)", ran.output, re.MULTILINE)
        counts = {"nodes": int(nodes[1]) if nodes else 0}
        if not first:
            words = ran.output.splitlines()[-1:] or [f"exit status {ran.status}"]
            message = "" if ran.stop else f"CBC reports: {words[0].strip()}"
            return MipOutcome(None, Proof.NONE, ran.stop or Stop.ERROR, message, counts)
        status = next((status for status in STATUSES if first.startswith(status)), "")

        def vector() -> list[float] | None:
            if NO_POINT in first or not rest or not status:
                return None
            x = [0.0] * self._model.size["columns"]
            for line in rest:
                words = line.removeprefix("**").split()
                x[int(words[1][1:])] = float(words[2])
            return x

        text, bound = f"CBC reports: {first}", _bound(first, ran.output)
        return outcome_of(STATUSES, status, deadline, vector, text, statistics=counts, bound=bound)


def _bound(first: str, log: str) -> float | None:
    """Return the lower bound of the cost, see ``Outcome``.

    CBC also writes "Optimal (within gap tolerance)", which proves nothing. It prints a bound with three
    decimals.
    """
    if first.startswith("Optimal - objective value"):
        return inf
    found = re.search(r"^Lower bound:\s*(-?[\d.]+)\s*$", log, re.MULTILINE)
    return float(found[1]) - 0.001 if found else None


def _program() -> str:
    """Return the path of PuLP's CBC; empty if there is none.

    PuLP is not imported for this, since it would import every other engine.
    """
    import platform

    spec = find_spec("pulp")
    if spec is None or not spec.submodule_search_locations:
        return ""
    system = {"Linux": "linux", "Darwin": "osx", "Windows": "win"}.get(platform.system(), "")
    arm = system == "linux" and platform.machine().lower() in ("arm64", "aarch64")
    folder = os.path.join(
        spec.submodule_search_locations[0], "solverdir", "cbc", system, "arm64" if arm else "i64"
    )
    path = os.path.join(folder, "cbc.exe" if system == "win" else "cbc")
    return path if os.access(path, os.X_OK) else ""


def _arguments(settings: Settings, deadline: Deadline) -> list[str]:
    """Return the command-line arguments of CBC. Raises UsageError for an unknown option."""
    words = ["model.mps", "-randomCbcSeed", str(settings.seed), "-randomSeed", str(settings.seed + 1)]
    if settings.threads > 1:
        words += ["-threads", str(settings.threads)]
    if deadline.remaining is not None:
        words += ["-seconds", f"{max(0.01, deadline.remaining):.2f}", "-timeMode", "elapsed"]
    for name, value in settings.options.items():
        if not name.isalnum():
            raise UsageError(f"CBC has no option {name!r}")
        words += [f"-{name}", value]
    return [*words, "-solve", "-solution", "solution.txt"]
