"""Solvers that lie, to show that nobody believes them."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from dataclasses import replace

from milp_pips.constraints import NoGood
from milp_pips.engines.brute import BruteSolver
from milp_pips.engines.contract import MipResult
from milp_pips.engines.sat import SatSolver
from milp_pips.problem.answer import Answer, Proof, Settings, Stop
from milp_pips.problem.stopping import Deadline


class Liar:
    kind = "search"
    title = "Liar"
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


class Denier(Liar):
    """Calls everything infeasible."""

    name = "denier"

    def solve(self, problem, settings, deadline):
        return Answer(None, Proof.INFEASIBLE, Stop.FINISHED)


class Inventor(Liar):
    """Gives the first value of every domain as a point."""

    name = "inventor"

    def solve(self, problem, settings, deadline):
        return Answer(tuple(v.domain[0] for v in problem.variables), Proof.FEASIBLE, Stop.FINISHED)


class Sleeper(Liar):
    """Runs out of time at once."""

    name = "sleeper"

    def solve(self, problem, settings, deadline):
        return Answer(None, Proof.NONE, Stop.TIME)


LIARS = {cls.name: f"liars:{cls.__name__}" for cls in (Denier, Inventor, Sleeper)}


class Suicide(Liar):
    name = "suicide"

    def solve(self, problem, settings, deadline):
        os.kill(os.getpid(), signal.SIGKILL)


class Crasher(Liar):
    name = "crasher"

    def solve(self, problem, settings, deadline):
        raise RuntimeError("these are my last words")


class Chatterbox(Liar):
    name = "chatterbox"

    def solve(self, problem, settings, deadline):
        print("blah " * 100_000)
        os.write(1, b"blah")
        return Answer((0, 1, 1, 0), Proof.FEASIBLE, Stop.FINISHED)


class Deaf(Liar):
    name = "deaf"

    def solve(self, problem, settings, deadline):
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        with open(os.environ["NOTE"], "w") as note:
            note.write(str(os.getpid()))
        time.sleep(300)


class Eared(Liar):
    """Hears Ctrl-C itself, and takes it for a limit."""

    name = "eared"

    def solve(self, problem, settings, deadline):
        heard = threading.Event()
        signal.signal(signal.SIGINT, lambda *_: heard.set())
        with open(os.environ["NOTE"], "w") as note:
            note.write(str(os.getpid()))
        heard.wait(300)
        return Answer(None, Proof.NONE, Stop.COUNT)


class Sticky(SatSolver):
    """Takes what is assumed for one question to hold for good."""

    name = "sticky"

    def load(self, clauses, deadline):
        loaded = super().load(clauses, deadline)
        ask = loaded.solve

        def solve(assumptions, deadline):
            for literal in assumptions:
                loaded.add((literal,))
            return ask((), deadline)

        loaded.solve = solve
        return loaded


class Blamer(SatSolver):
    """Blames all assumptions alike, and tells of what follows from them no more than themselves."""

    name = "blamer"

    def load(self, clauses, deadline):
        loaded = super().load(clauses, deadline)
        asked = []
        ask, propagate = loaded.solve, loaded.propagate

        def solve(assumptions, deadline):
            asked[:] = assumptions
            return ask(assumptions, deadline)

        loaded.solve, loaded.core = solve, lambda: list(asked)
        loaded.propagate = lambda literals: propagate(literals) and list(literals)
        return loaded


LIARS |= {cls.name: f"liars:{cls.__name__}" for cls in (Suicide, Crasher, Chatterbox, Deaf)}


class Late(Liar):
    """Gives the right answer, a while after it was asked for."""

    name = "late"

    def solve(self, problem, settings, deadline):
        if len(problem.variables) > 4:
            time.sleep(0.4)
        return BruteSolver().solve(problem, settings, Deadline())


class LateDenier(Late):
    """Calls everything infeasible, a while after it was asked."""

    name = "late-denier"

    def solve(self, problem, settings, deadline):
        super().solve(problem, settings, deadline)
        return Denier().solve(problem, settings, deadline)


class DeafParent(Liar):
    """Starts a program that outlives everybody, notes its number, and listens to nobody."""

    name = "deaf-parent"

    def solve(self, problem, settings, deadline):
        if len(problem.variables) > 4:
            program = subprocess.Popen(["sleep", "300"], start_new_session=True)
            with open(os.environ["NOTE"], "w") as note:
                note.write(str(program.pid))
            time.sleep(300)


class Glutton(Liar):
    """Takes 400 MB for a moment."""

    name = "glutton"

    def solve(self, problem, settings, deadline):
        if len(problem.variables) > 4:
            hoard = bytearray(400 * 2**20)
            time.sleep(1)
            del hoard
        return BruteSolver().solve(problem, settings, Deadline())


class Repeater(Liar):
    """Finds a solution, and finds it again when asked for another."""

    name = "repeater"

    def solve(self, problem, settings, deadline):
        plain = [c for c in problem.constraints if not isinstance(c, NoGood)]
        return BruteSolver().solve(replace(problem, constraints=tuple(plain)), settings, Deadline())


class Contented(Liar):
    """Finds a solution, and says that there is no other."""

    name = "contented"

    def solve(self, problem, settings, deadline):
        if any(isinstance(c, NoGood) for c in problem.constraints):
            return Answer(None, Proof.INFEASIBLE, Stop.FINISHED)
        return BruteSolver().solve(problem, settings, Deadline())


class TwoModels(Liar):
    """No liar: brute force under another name, with a formulation of its own and one from a book."""

    name = "two-models"
    formulations = ("ours", "printed")
    published = frozenset({"printed"})
    variants = "anything"

    def __init__(self, variant=""):
        self.variant = variant

    def solve(self, problem, settings, deadline):
        return BruteSolver().solve(problem, Settings(), deadline)


class Mumbler(Liar):
    """Gives something that is no point."""

    name = "mumbler"

    def solve(self, problem, settings, deadline):
        return Answer(42, Proof.FEASIBLE, Stop.FINISHED)


LIARS |= {
    cls.name: f"liars:{cls.__name__}"
    for cls in (Mumbler, Late, LateDenier, DeafParent, Glutton, Repeater, Contented, TwoModels)
}


class Listing(Liar):
    """Honest as yet: solves and lists by backtracking."""

    features = frozenset({"enumeration"})

    def solve(self, problem, settings, deadline):
        return BruteSolver().solve(problem, settings, deadline)

    def points(self, problem, key, settings, deadline):
        return BruteSolver().points(problem, key, settings, deadline)


class Stutterer(Listing):
    """Lists its first point twice."""

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
    """Leaves its first point out, and calls the list complete."""

    name = "skipper"

    def points(self, problem, key, settings, deadline):
        points = super().points(problem, key, settings, deadline)
        next(points, None)
        return (yield from points)


class Finisher(Listing):
    """Calls its list complete, also where it was stopped."""

    name = "finisher"

    def points(self, problem, key, settings, deadline):
        yield from super().points(problem, key, settings, deadline)
        return Proof.COMPLETE, Stop.FINISHED


class Optimist(Listing):
    """Invents a point of a problem that has none, when it is to list them."""

    name = "optimist"

    def points(self, problem, key, settings, deadline):
        ending = yield from super().points(problem, key, settings, deadline)
        if next(super().points(problem, key, settings, deadline), None) is None:
            yield tuple(variable.domain[0] for variable in problem.variables)
        return ending


class Loaded:
    """A live model by listing anew each time; a choice is a variable of the key with its value."""

    def __init__(self, problem, key):
        self.points = list(BruteSolver().points(problem, key, Settings(), Deadline()))
        self.variables = problem.keys[key]

    def choices(self, point):
        return tuple(100 * v + point[v] for v in self.variables)

    def solve(self, chosen, refused, deadline):
        for point in self.points:
            choices = set(self.choices(point))
            if choices.issuperset(chosen) and choices.isdisjoint(refused):
                return MipResult(point, self.choices(point), Proof.FEASIBLE, Stop.FINISHED)
        return MipResult(None, (), Proof.INFEASIBLE, Stop.FINISHED)

    def closed(self, problem):
        pairs = ((v, a) for v in self.variables for a in range(100))
        return tuple(100 * v + a for v, a in pairs if a not in problem.variables[v].domain)

    def exclude(self, choices):
        self.points = [point for point in self.points if self.choices(point) != choices]


class Loader(Liar):
    """Honest as yet: keeps its model loaded."""

    features = frozenset({"cuts"})
    loaded = Loaded

    def solve(self, problem, settings, deadline):
        return BruteSolver().solve(problem, settings, deadline)

    def live(self, problem, key, settings):
        return self.loaded(problem, key)


class Forgetful(Loader):
    """Forgets what it was told to exclude."""

    name = "forgetful"

    class loaded(Loaded):  # noqa: N801
        def exclude(self, choices):
            pass


class Wilful(Loader):
    """Cares neither for choices that are made nor for those that are refused."""

    name = "wilful"

    class loaded(Loaded):  # noqa: N801
        def solve(self, chosen, refused, deadline):
            return super().solve((), (), deadline)


class Overcautious(Loader):
    """Excludes more than it was told to."""

    name = "overcautious"

    class loaded(Loaded):  # noqa: N801
        def exclude(self, choices):
            super().exclude(choices)
            del self.points[:1]


class Stubborn(Listing):
    """Works on when the deadline says stop, until it has an answer."""

    name = "stubborn"

    def solve(self, problem, settings, deadline):
        return Answer(None, Proof.INFEASIBLE, Stop.FINISHED)


class Misspoken(Listing):
    """Says what it is with data of the wrong types."""

    name = "misspoken"
    published = [""]  # noqa: RUF012
    clashes = "highspy"
    proof_family = None


LIARS |= {
    cls.name: f"liars:{cls.__name__}"
    for cls in (
        Stutterer, Skipper, Finisher, Optimist, Forgetful, Wilful, Overcautious, Stubborn, Misspoken,
        Sticky, Blamer, Eared,
    )
}  # fmt: skip
