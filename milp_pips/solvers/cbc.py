"""CBC, the program that comes with PuLP: a model file in, a solution file out."""

from __future__ import annotations

import os
import re
import tempfile
import time
from importlib.util import find_spec
from typing import TYPE_CHECKING

from milp_pips.answer import Answer, Proof, Settings, Stop
from milp_pips.errors import UsageError
from milp_pips.solvers.library import FORMULATIONS, LibrarySolver
from milp_pips.solvers.watched import Ran, run_watched

if TYPE_CHECKING:
    from milp_pips.milp import Model
    from milp_pips.problem import Problem
    from milp_pips.watch import Watch

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
"""How the first line of CBC's solution file begins → proof and stop (CbcSolver.cpp, "statusName").

"Unbounded" cannot be, since all columns are bounded; it and everything unknown is an error.
"""

NO_POINT = "no integer solution"
"""Where the first line has these words, what follows is the relaxation's vector, not a point."""


class CbcSolver(LibrarySolver):
    """CBC: branch and cut on the 0-1 model, in a program of its own."""

    name = "cbc"
    kind = "mip"
    title = "CBC"
    requires = ("pulp",)
    distribution = "pulp"
    features = frozenset({"time limit", "seed", "threads", "options"})
    formulations = FORMULATIONS

    def unavailable(self) -> str:
        """Return why CBC is not here; empty where it is."""
        return super().unavailable() or ("" if _program() else "this PuLP comes without the program cbc")

    def version(self) -> str:
        """Return the version of the CBC that comes with PuLP 3."""
        return "2.10.3"

    def solve(self, problem: Problem, settings: Settings, watch: Watch) -> Answer:
        """Solve the 0-1 model; see ``Solver``."""
        from milp_pips.milp import formulate
        from milp_pips.milp.files import mps_text

        begun = time.perf_counter()
        model = formulate(problem, settings.formulation)
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "model.mps"), "w", encoding="ascii") as stream:
                stream.write(mps_text(model, names=False))
            built = time.perf_counter()
            ran = run_watched([_program(), *_arguments(settings, watch)], watch, soften=0.5, folder=folder)
            try:
                with open(os.path.join(folder, "solution.txt"), encoding="ascii") as stream:
                    first, *rest = stream.read().splitlines()
            except (OSError, ValueError):
                first, rest = "", []
        refused = re.search(r"No match for (\S+)", ran.output)
        if refused:
            raise UsageError(f"CBC has no option {refused[1]!r}")
        proof, stop, point, message = _read(first, rest, model, ran)
        return Answer(
            point,
            proof,
            stop,
            model.formulation,
            message,
            model.size,
            {"nodes": _nodes(ran.output)},
            {"build": built - begun, "solve": time.perf_counter() - built},
        )


def _program() -> str:
    """Return the path of PuLP's CBC, found without importing PuLP, which would import every other engine."""
    spec = find_spec("pulp")
    if spec is None or not spec.submodule_search_locations:
        return ""
    root = os.path.join(spec.submodule_search_locations[0], "solverdir", "cbc")
    for folder, _, files in sorted(os.walk(root)):
        for name in ("cbc", "cbc.exe"):
            path = os.path.join(folder, name)
            if name in files and _fits_machine(folder) and os.access(path, os.X_OK):
                return path
    return ""


def _fits_machine(folder: str) -> bool:
    import platform

    system = {"Linux": "linux", "Darwin": "osx", "Windows": "win"}.get(platform.system(), "")
    machine = platform.machine().lower()
    arm = machine in ("arm64", "aarch64")
    return (
        f"{os.sep}{system}{os.sep}" in folder and (("arm64" in folder) == arm) and not folder.endswith("i32")
    )


def _arguments(settings: Settings, watch: Watch) -> list[str]:
    words = ["model.mps", "-randomCbcSeed", str(settings.seed), "-randomSeed", str(settings.seed + 1)]
    if settings.threads > 1:
        words += ["-threads", str(settings.threads)]
    if watch.remaining is not None:
        words += ["-seconds", f"{max(0.01, watch.remaining):.2f}", "-timeMode", "elapsed"]
    for name, value in settings.options.items():
        if not name.isalnum():
            raise UsageError(f"CBC has no option {name!r}")
        words += [f"-{name}", value]
    return [*words, "-solve", "-solution", "solution.txt"]


def _read(
    first: str, rest: list[str], model: Model, ran: Ran
) -> tuple[Proof, Stop, tuple[int, ...] | None, str]:
    """Return proof, stop, point and message from the lines of the solution file."""
    if not first:
        words = ran.output.splitlines()[-1:] or [f"exit status {ran.status}"]
        return Proof.NONE, ran.stop or Stop.ERROR, None, "" if ran.stop else f"CBC said: {words[0].strip()}"
    name = next((status for status in STATUSES if first.startswith(status)), "")
    if not name:
        return Proof.NONE, Stop.ERROR, None, f"CBC said: {first}"
    proof, stop = STATUSES[name]
    point = None
    if proof is not Proof.INFEASIBLE and NO_POINT not in first and rest:
        x = [0.0] * model.size["columns"]
        for line in rest:
            words = line.removeprefix("**").split()
            x[int(words[1][1:])] = float(words[2])
        point, proof = model.decode(x), Proof.FEASIBLE
    return proof, stop, point, ""


def _nodes(log: str) -> int:
    for line in log.splitlines():
        if line.startswith("Enumerated nodes:"):
            return int(line.split()[-1])
    return 0
