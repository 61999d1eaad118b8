"""Faulty solvers, with which tests show that every wrong answer is found."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from dataclasses import replace

from milp_pips.constraints import NoGood
from milp_pips.engines.brute import BruteSolver
from milp_pips.engines.sat import SatSolver
from milp_pips.problem.answer import Answer, Proof, Settings, Stop
from milp_pips.problem.stopping import Deadline


class FaultySolver:
    kind = "search"
    title = "FaultySolver"
    requires = ()
    distribution = ""
    features = frozenset()
    formulations = ("",)
    published = frozenset()
    filtering = frozenset()
    proof_family = "lies"
    clashes = frozenset()
    isolated = False
    variants = ""

    def unavailable(self):
        return ""

    def version(self):
        return "1"


class Denier(FaultySolver):
    """Claims that every problem is infeasible."""

    name = "denier"

    def solve(self, problem, settings, deadline):
        return Answer(None, Proof.INFEASIBLE, Stop.FINISHED)


class Inventor(FaultySolver):
    """Returns the first value of every domain as a point."""

    name = "inventor"

    def solve(self, problem, settings, deadline):
        return Answer(tuple(v.domain[0] for v in problem.variables), Proof.FEASIBLE, Stop.FINISHED)


class Sleeper(FaultySolver):
    """Reports a time limit at once."""

    name = "sleeper"

    def solve(self, problem, settings, deadline):
        return Answer(None, Proof.NONE, Stop.TIME)


FAULTY_SOLVERS = {cls.name: f"faulty_solvers:{cls.__name__}" for cls in (Denier, Inventor, Sleeper)}


class Suicide(FaultySolver):
    name = "suicide"

    def solve(self, problem, settings, deadline):
        os.kill(os.getpid(), signal.SIGKILL)


class Crasher(FaultySolver):
    name = "crasher"

    def solve(self, problem, settings, deadline):
        raise RuntimeError("these are my last words")


class Deaf(FaultySolver):
    name = "deaf"

    def solve(self, problem, settings, deadline):
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        with open(os.environ["NOTE"], "w") as note:
            note.write(str(os.getpid()))
        time.sleep(300)


class Eared(FaultySolver):
    """Handles Ctrl-C itself, and reports a limit."""

    name = "eared"

    def solve(self, problem, settings, deadline):
        interrupted = threading.Event()
        signal.signal(signal.SIGINT, lambda *_: interrupted.set())
        with open(os.environ["NOTE"], "w") as note:
            note.write(str(os.getpid()))
        interrupted.wait(300)
        return Answer(None, Proof.NONE, Stop.COUNT)


class Sticky(SatSolver):
    """Keeps the assumptions of one solve as permanent clauses."""

    name = "sticky"

    def load(self, clauses, deadline):
        loaded = super().load(clauses, deadline)
        solve_correctly = loaded.solve

        def solve(assumptions, deadline):
            for literal in assumptions:
                loaded.add((literal,))
            return solve_correctly((), deadline)

        loaded.solve = solve
        return loaded


class Blamer(SatSolver):
    """Returns all assumptions as the core, and propagates nothing but the assumptions."""

    name = "blamer"

    def load(self, clauses, deadline):
        loaded = super().load(clauses, deadline)
        core = []
        solve_correctly, propagate = loaded.solve, loaded.propagate

        def solve(assumptions, deadline):
            core[:] = assumptions
            return solve_correctly(assumptions, deadline)

        loaded.solve, loaded.core = solve, lambda: list(core)
        loaded.propagate = lambda literals: propagate(literals) and list(literals)
        return loaded


FAULTY_SOLVERS |= {cls.name: f"faulty_solvers:{cls.__name__}" for cls in (Suicide, Crasher, Deaf)}


class Late(FaultySolver):
    """Returns the right answer late."""

    name = "late"

    def solve(self, problem, settings, deadline):
        if len(problem.variables) > 4:
            time.sleep(0.4)
        return BruteSolver().solve(problem, settings, Deadline())


class LateDenier(Late):
    """Claims late that every problem is infeasible."""

    name = "late-denier"

    def solve(self, problem, settings, deadline):
        super().solve(problem, settings, deadline)
        return Denier().solve(problem, settings, deadline)


class DeafParent(FaultySolver):
    """Starts a program that would outlive this process, notes its number, and does not check the deadline."""

    name = "deaf-parent"

    def solve(self, problem, settings, deadline):
        if len(problem.variables) > 4:
            program = subprocess.Popen(["sleep", "300"], start_new_session=True)
            with open(os.environ["NOTE"], "w") as note:
                note.write(str(program.pid))
            time.sleep(300)


class Glutton(FaultySolver):
    """Uses 400 MB of memory for a second."""

    name = "glutton"

    def solve(self, problem, settings, deadline):
        if len(problem.variables) > 4:
            hoard = bytearray(400 * 2**20)
            time.sleep(1)
            del hoard
        return BruteSolver().solve(problem, settings, Deadline())


class Repeater(FaultySolver):
    """Returns the same solution again after a no-good has excluded it."""

    name = "repeater"

    def solve(self, problem, settings, deadline):
        plain = [c for c in problem.constraints if not isinstance(c, NoGood)]
        return BruteSolver().solve(replace(problem, constraints=tuple(plain)), settings, Deadline())


class Complacent(FaultySolver):
    """Returns the worst point, and calls it optimal."""

    name = "complacent"
    features = frozenset({"objective"})
    proof = Proof.OPTIMAL
    stop = Stop.FINISHED
    best = False

    def solve(self, problem, settings, deadline):
        objective = problem.objective
        if not self.best:
            other = {"maximise": "minimise", "minimise": "maximise"}[objective.sense]
            problem = problem.with_objective(replace(objective, sense=other))
        answer = BruteSolver().solve(problem, settings, Deadline())
        return replace(answer, proof=self.proof, stop=self.stop, value=objective.value(answer.point))


class Hasty(Complacent):
    """Returns the worst point when time is up."""

    name = "hasty"
    proof, stop = Proof.FEASIBLE, Stop.TIME


class Patient(Hasty):
    """Returns the best point, but proves nothing."""

    name = "patient"
    best = True


class Contented(FaultySolver):
    """Returns a solution, and claims that there is no other."""

    name = "contented"

    def solve(self, problem, settings, deadline):
        if any(isinstance(c, NoGood) for c in problem.constraints):
            return Answer(None, Proof.INFEASIBLE, Stop.FINISHED)
        return BruteSolver().solve(problem, settings, Deadline())


class TwoModels(FaultySolver):
    """Correct: brute force under another name, with a formulation of ours and a published one."""

    name = "two-models"
    formulations = ("ours", "printed")
    published = frozenset({"printed"})
    variants = "anything"

    def __init__(self, variant=""):
        self.variant = variant

    def solve(self, problem, settings, deadline):
        return BruteSolver().solve(problem, Settings(), deadline)


class Mumbler(FaultySolver):
    """Returns a number as the point."""

    name = "mumbler"

    def solve(self, problem, settings, deadline):
        return Answer(42, Proof.FEASIBLE, Stop.FINISHED)


FAULTY_SOLVERS |= {
    cls.name: f"faulty_solvers:{cls.__name__}"
    for cls in (Mumbler, Late, LateDenier, DeafParent, Glutton, Repeater, Contented, TwoModels)
}


class Listing(FaultySolver):
    """Correct base class: solves and enumerates by backtracking."""

    features = frozenset({"enumeration"})

    def solve(self, problem, settings, deadline):
        return BruteSolver().solve(problem, settings, deadline)

    def points(self, problem, key, settings, deadline):
        return BruteSolver().points(problem, key, settings, deadline)


class Stutterer(Listing):
    """Enumerates its first point twice."""

    name = "stutterer"

    def points(self, problem, key, settings, deadline):
        points = super().points(problem, key, settings, deadline)
        try:
            first = next(points)
        except StopIteration as end:
            return end.value
        yield first
        yield first
        return (yield from points)


class Skipper(Listing):
    """Leaves out its first point, and claims that the list is complete."""

    name = "skipper"

    def points(self, problem, key, settings, deadline):
        points = super().points(problem, key, settings, deadline)
        next(points, None)
        return (yield from points)


class Finisher(Listing):
    """Claims that its list is complete even after a limit."""

    name = "finisher"

    def points(self, problem, key, settings, deadline):
        yield from super().points(problem, key, settings, deadline)
        return Proof.COMPLETE, Stop.FINISHED


class Optimist(Listing):
    """Invents a point when it enumerates a problem without solutions."""

    name = "optimist"

    def points(self, problem, key, settings, deadline):
        ending = yield from super().points(problem, key, settings, deadline)
        if next(super().points(problem, key, settings, deadline), None) is None:
            yield tuple(variable.domain[0] for variable in problem.variables)
        return ending


class Loaded:
    """A live model that scans a list of all solutions."""

    def __init__(self, problem, key):
        self.points = list(BruteSolver().points(problem, key, Settings(), Deadline()))
        self.variables = problem.keys[key]

    def key_of(self, point):
        return [point[v] for v in self.variables]

    def solve(self, within, deadline):
        for point in self.points:
            if all(point[v] in within.variables[v].domain for v in self.variables):
                return Answer(point, Proof.FEASIBLE, Stop.FINISHED)
        return Answer(None, Proof.INFEASIBLE, Stop.FINISHED)

    def exclude(self, point):
        self.points = [other for other in self.points if self.key_of(other) != self.key_of(point)]


class Loader(FaultySolver):
    """Correct base class: keeps its model loaded."""

    features = frozenset({"cuts"})
    loaded = Loaded

    def solve(self, problem, settings, deadline):
        return BruteSolver().solve(problem, settings, deadline)

    def live(self, problem, key, settings):
        return self.loaded(problem, key)


class Forgetful(Loader):
    """Excludes nothing."""

    name = "forgetful"

    class loaded(Loaded):  # noqa: N801
        def exclude(self, point):
            pass


class Wilful(Loader):
    """Ignores smaller domains."""

    name = "wilful"

    class loaded(Loaded):  # noqa: N801
        def __init__(self, problem, key):
            super().__init__(problem, key)
            self.whole = problem

        def solve(self, within, deadline):
            return super().solve(self.whole, deadline)


class Overcautious(Loader):
    """Excludes another point as well."""

    name = "overcautious"

    class loaded(Loaded):  # noqa: N801
        def exclude(self, point):
            super().exclude(point)
            del self.points[:1]


class Stubborn(Listing):
    """Ignores the deadline, and claims that every problem is infeasible."""

    name = "stubborn"

    def solve(self, problem, settings, deadline):
        return Answer(None, Proof.INFEASIBLE, Stop.FINISHED)


class Misspoken(Listing):
    """Declares attributes of the wrong types."""

    name = "misspoken"
    published = [""]  # noqa: RUF012
    clashes = "highspy"
    proof_family = None


FAULTY_SOLVERS |= {
    cls.name: f"faulty_solvers:{cls.__name__}"
    for cls in (
        Stutterer, Skipper, Finisher, Optimist, Forgetful, Wilful, Overcautious, Stubborn, Misspoken,
        Sticky, Blamer, Eared, Complacent, Hasty, Patient,
    )
}  # fmt: skip
