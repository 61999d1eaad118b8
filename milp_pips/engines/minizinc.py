"""The program MiniZinc as a solver: it reads a text model and passes it to Gecode or another solver."""

from __future__ import annotations

import contextlib
import functools
import json
import math
import os
import re
import shutil
from collections.abc import Collection, Iterable, Iterator
from itertools import chain
from math import inf
from typing import Any

from milp_pips.engines.library import LibrarySolver, Points, Run
from milp_pips.problem import (
    Answer,
    Constraint,
    Deadline,
    EngineFault,
    Problem,
    Proof,
    Settings,
    Stop,
    UsageError,
)
from milp_pips.runtime.interruptible import Stream, run_program
from milp_pips.runtime.writing import temporary_folder

SOLUTION_END = "----------"
"""The line after each solution."""

UNKNOWN = "=====UNKNOWN====="

STATUSES = {
    "==========": (Proof.COMPLETE, Stop.FINISHED),
    "=====UNSATISFIABLE=====": (Proof.INFEASIBLE, Stop.FINISHED),
    # All domains are finite, so "unbounded" is impossible.
    "=====UNSATorUNBOUNDED=====": (Proof.INFEASIBLE, Stop.FINISHED),
    # At the time limit, the deadline's stop replaces this one; otherwise an option sets a limit.
    UNKNOWN: (Proof.NONE, Stop.COUNT),
    "=====ERROR=====": (Proof.NONE, Stop.ERROR),
}
"""The last line of MiniZinc's output → proof and stop (The MiniZinc Handbook, "Solver backends")."""

MINIZINC_ENGINES = {"coin-bc": "cbc", "osicbc": "cbc", "sat": "cp-sat"}
"""MiniZinc's names of engines that have other names in this package."""

STATISTICS = ("nodes", "failures", "propagations", "restarts")
"""The statistics of Gecode and others, by MiniZinc's names."""

GECODE_FLAGS = frozenset({"-a", "-p", "-r"})
"""Standard flags of the default solver, so that MiniZinc need not be queried for them."""


class MiniZincSolver(LibrarySolver):
    """MiniZinc: constraint programming with Gecode, or with the solver after the colon.

    Options are flags of the program: ``NAME=VALUE`` stands for ``--NAME VALUE``, or for ``-NAME VALUE`` if
    the name has one letter or the solver spells it so. A flag without a value is ``NAME=``.
    """

    name = "minizinc"
    kind = "cp"
    title = "MiniZinc"
    distribution = ""
    features = frozenset({"time limit", "seed", "threads", "options", "enumeration", "objective"})
    transformations = ("filter", "bridge")
    variants = "a solver that MiniZinc knows, such as gecode or chuffed"

    def __init__(self, variant: str = ""):
        super().__init__(variant)
        engine = (variant or "gecode").lower().rpartition(".")[2]  # maybe of an identifier, org.gecode.gecode
        self.proof_family = MINIZINC_ENGINES.get(engine, engine)

    @property
    def native(self) -> Collection[type[Constraint]]:
        """The constraint classes that have MiniZinc text."""
        from milp_pips.formulations.minizinc import ITEMS

        return ITEMS.keys()

    def known_variants(self) -> Iterable[str]:
        """Return MiniZinc's names of its solvers."""
        return [name for solver in _solvers(_program() or "") for name in _names(solver)]

    def unavailable(self) -> str:
        """Return that the program is missing and how to install it; empty if it is installed."""
        if _program():
            return ""
        return "the program minizinc is not on the PATH: apt-get install minizinc"

    def version(self) -> str:
        """Return the version of MiniZinc itself, not of the solver that it calls."""
        program = _program()
        return _version(program) if program else ""

    def state(self, problem: Problem, settings: Settings, deadline: Deadline) -> Run:
        """Return the run on the problem as MiniZinc text; see ``LibrarySolver``."""
        aiming = problem.objective is not None  # then the points are better and better ones
        search = MiniZincRun(self.variant, problem, settings, deadline, every=aiming)

        def run() -> Answer:
            point = None
            for point in search.points():
                if problem.objective is not None:
                    deadline.progress.improve(problem.objective.cost(problem.objective.value(point)))
            counts = {name: int(search.counts[name]) for name in STATISTICS if name in search.counts}
            if point is not None and aiming:
                bound = inf if search.proof is Proof.COMPLETE else None
                return Answer(
                    point, Proof.FEASIBLE, search.stop, search.message, counts, search.size, bound=bound
                )
            if point is not None:
                return Answer(point, Proof.FEASIBLE, Stop.FINISHED, "", counts, search.size)
            return Answer(None, search.proof, search.stop, search.message, counts, search.size)

        return run

    def points(self, problem: Problem, key: str, settings: Settings, deadline: Deadline) -> Points:  # noqa: ARG002
        """Yield every point; see ``EnumeratingSolver``."""
        self.check(settings)
        problem = problem.with_objective(None)
        run = MiniZincRun(self.variant, problem, settings, deadline, every=True)
        yield from run.points()
        if run.stop is Stop.ERROR:
            raise EngineFault(f"{self.name} failed: {run.message}")
        if run.proof is Proof.NONE:
            return Proof.NONE, run.stop
        return Proof.COMPLETE, Stop.FINISHED


class MiniZincRun:
    """One run of MiniZinc: iterate over ``points`` once, then read how it ended.

    ``proof`` is ``COMPLETE`` if there are no further points, ``INFEASIBLE`` if there are none. ``stop`` and
    ``message`` give the reason for the end, ``size`` and ``counts`` MiniZinc's statistics of the model and
    the run.

    Raises UsageError if ``every`` point is requested and the solver cannot list them.
    """

    def __init__(self, variant: str, problem: Problem, settings: Settings, deadline: Deadline, every: bool):
        from milp_pips.formulations.minizinc import identifiers, to_minizinc

        self.deadline = deadline
        self.proof, self.stop, self.message = Proof.NONE, Stop.COUNT, ""  # if the caller stops iterating
        self.counts: dict[str, float] = {}
        self._command = _command(variant, settings, every)
        self._text, self._names = to_minizinc(problem, restarts=not every), identifiers(problem)

    @property
    def size(self) -> dict[str, int]:
        """The ``columns`` and ``rows`` of the model that MiniZinc compiled for the solver."""
        found = {"columns": 0, "rows": 0}
        for name, count in self.counts.items():
            if re.fullmatch("flat(Int|Bool|Set|Float)(Vars|Constraints)", name):
                found["columns" if name.endswith("Vars") else "rows"] += int(count)
        return found if found["columns"] else {}

    def points(self) -> Iterator[tuple[int, ...]]:
        """Yield the points as MiniZinc prints them; raise UsageError for an unknown solver or option."""
        with temporary_folder() as folder:
            with open(os.path.join(folder, "model.mzn"), "w", encoding="utf-8") as model:
                model.write(self._text)
            limit = []
            if self.deadline.remaining is not None:
                limit = ["--time-limit", str(math.ceil(1000 * self.deadline.remaining) + 1)]  # 0 is no limit
            stream = Stream([*self._command, *limit, "model.mzn"], self.deadline, folder=folder)
            yield from self._read(stream)

    def _read(self, stream: Stream) -> Iterator[tuple[int, ...]]:
        """Yield the points in MiniZinc's output, and record the outcome at its end. Raises UsageError."""
        status, found, solution = "", 0, list[str]()
        with contextlib.closing(stream.lines()) as lines:
            for line in lines:
                if line == SOLUTION_END:
                    try:
                        values = json.loads("\n".join(solution))
                        point = tuple(values[name] for name in self._names)
                    except (ValueError, KeyError):
                        if self.deadline.stop:  # stopped, MiniZinc may end a solution that it has not printed
                            self.stop = self.deadline.stop
                            return
                        self.message = f"not a solution of the model: {' '.join(solution)}"
                        self.stop = Stop.ERROR
                        return
                    yield point
                    found += 1
                    solution.clear()
                elif line in STATUSES:
                    status = line
                elif line.startswith("%%%mzn-stat: "):
                    self._count(line.removeprefix("%%%mzn-stat: "))
                elif not line.startswith("%"):
                    solution.append(line)
        words = _error_line(stream.errors)
        if re.search("unrecognized option", words, re.IGNORECASE):
            raise UsageError(f"MiniZinc: {words}")
        if not (status or stream.status) and found:  # solutions without a status: there may be more
            status = UNKNOWN
        self.proof, self.stop = STATUSES.get(status, (Proof.NONE, Stop.ERROR))
        if self.proof is Proof.NONE and stream.stop:
            self.stop = stream.stop
        self.message = ""
        if self.stop is Stop.ERROR:
            self.message = f"MiniZinc reports: {words or status or f'nothing, exit status {stream.status}'}"

    def _count(self, words: str) -> None:
        """Keep a line of statistics, ``name=number``."""
        name, _, number = words.partition("=")
        with contextlib.suppress(ValueError):  # some values are text, such as the method
            self.counts[name] = float(number)


def _command(variant: str, settings: Settings, every: bool) -> list[str]:
    """Return the program and its flags, without the time limit and the file."""
    flags = frozenset(_solver(variant).get("stdFlags", ())) if variant else GECODE_FLAGS
    options = {"--solver": variant or "gecode", "--output-mode": "json"}
    command = [_program() or "minizinc", *chain.from_iterable(options.items()), "--statistics"]
    if every:
        if "-a" not in flags:
            raise UsageError(f"minizinc:{variant} cannot list all solutions")
        command.append("-a")
    if "-r" in flags:
        command += ["-r", str(settings.seed)]
    if "-p" in flags and settings.threads > 1:
        command += ["-p", str(settings.threads)]
    if settings.options:
        own = {flag[0].lstrip("-"): flag[0] for flag in _solver(variant or "gecode").get("extraFlags", ())}
        for name, value in settings.options.items():
            flag = own.get(name) or (f"-{name}" if len(name) == 1 else f"--{name}")
            command += [flag, value] if value else [flag]
    return command


def _error_line(errors: str) -> str:
    """Return the most informative line of MiniZinc's errors and warnings."""
    lines = [line.strip() for line in errors.splitlines() if line.strip() and not line.startswith("Warning:")]
    telling = [line for line in lines if re.search("error|exception|unrecognized", line, re.IGNORECASE)]
    return next(iter(telling or lines), "").removeprefix("minizinc: ")


def _program() -> str | None:
    return shutil.which("minizinc")


@functools.cache
def _version(program: str) -> str:
    found = re.search(r"version ([\w.]+)", _output_of(program, "--version"))
    return found[1] if found else ""


def _output_of(program: str, flag: str) -> str:
    try:
        return run_program([program, flag], Deadline(10)).output
    except OSError:
        return ""


@functools.cache
def _solvers(program: str) -> tuple[dict[str, Any], ...]:
    """Return MiniZinc's descriptions of its solvers."""
    try:
        return tuple(json.loads(_output_of(program, "--solvers-json")))
    except ValueError:
        return ()


def _solver(variant: str) -> dict[str, Any]:
    """Return MiniZinc's description of a solver with this name. Raises UsageError for an unknown name.

    MiniZinc itself would take an unknown name for a configuration file, and run the program given in it.
    """
    known = _solvers(_program() or "")
    for solver in known:
        if variant.lower() in _names(solver):
            return solver
    ids = ", ".join(str(solver.get("id")) for solver in known) or "none"
    raise UsageError(f"MiniZinc knows no solver {variant!r}; it knows: {ids}")


def _names(solver: dict[str, Any]) -> set[str]:
    """Return the names of a solver in lower case: its name, its tags, its identifier and the end of that."""
    identifier = str(solver.get("id", "")).lower()
    versioned = f"{identifier}@{solver.get('version', '')}".lower()
    name = str(solver.get("name", "")).lower()
    return {identifier, versioned, identifier.split(".")[-1], name, *map(str.lower, solver.get("tags", ()))}
