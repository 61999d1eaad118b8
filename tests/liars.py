"""Solvers that lie, to show that nobody believes them."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from dataclasses import replace

from milp_pips.answer import Answer, Proof, Stop
from milp_pips.problem import NoGood
from milp_pips.solvers.brute import BruteSolver
from milp_pips.watch import Watch


class Liar:
    kind = "search"
    title = "Liar"
    requires = ()
    distribution = ""
    features = frozenset()
    formulations = ("",)
    isolated = False
    variants = ""

    def unavailable(self):
        return ""

    def version(self):
        return "1"


class Denier(Liar):
    """Calls everything infeasible."""

    name = "denier"

    def solve(self, problem, settings, watch):
        return Answer(None, Proof.INFEASIBLE, Stop.FINISHED)


class Inventor(Liar):
    """Gives the first value of every domain as a point."""

    name = "inventor"

    def solve(self, problem, settings, watch):
        return Answer(tuple(v.domain[0] for v in problem.variables), Proof.FEASIBLE, Stop.FINISHED)


class Sleeper(Liar):
    """Runs out of time at once."""

    name = "sleeper"

    def solve(self, problem, settings, watch):
        return Answer(None, Proof.NONE, Stop.TIME)


LIARS = {cls.name: f"liars:{cls.__name__}" for cls in (Denier, Inventor, Sleeper)}


class Suicide(Liar):
    name = "suicide"

    def solve(self, problem, settings, watch):
        os.kill(os.getpid(), signal.SIGKILL)


class Crasher(Liar):
    name = "crasher"

    def solve(self, problem, settings, watch):
        raise RuntimeError("these are my last words")


class Chatterbox(Liar):
    name = "chatterbox"

    def solve(self, problem, settings, watch):
        print("blah " * 100_000)
        os.write(1, b"blah")
        return Answer((0, 1, 1, 0), Proof.FEASIBLE, Stop.FINISHED)


class Deaf(Liar):
    name = "deaf"

    def solve(self, problem, settings, watch):
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        time.sleep(300)


LIARS |= {cls.name: f"liars:{cls.__name__}" for cls in (Suicide, Crasher, Chatterbox, Deaf)}


class Late(Liar):
    """Gives the right answer, a second after it was asked for."""

    name = "late"

    def solve(self, problem, settings, watch):
        if len(problem.variables) > 4:
            time.sleep(0.6)
        return BruteSolver().solve(problem, settings, Watch())


class DeafParent(Liar):
    """Starts a program that outlives everybody, notes its number, and listens to nobody."""

    name = "deaf-parent"

    def solve(self, problem, settings, watch):
        if len(problem.variables) > 4:
            program = subprocess.Popen(["sleep", "300"], start_new_session=True)
            with open(os.environ["NOTE"], "w") as note:
                note.write(str(program.pid))
            time.sleep(300)


class Glutton(Liar):
    """Takes 400 MB for a moment."""

    name = "glutton"

    def solve(self, problem, settings, watch):
        if len(problem.variables) > 4:
            hoard = bytearray(400 * 2**20)
            time.sleep(1)
            del hoard
        return BruteSolver().solve(problem, settings, Watch())


class Repeater(Liar):
    """Finds a solution, and finds it again when asked for another."""

    name = "repeater"

    def solve(self, problem, settings, watch):
        plain = [c for c in problem.constraints if not isinstance(c, NoGood)]
        return BruteSolver().solve(replace(problem, constraints=tuple(plain)), settings, Watch())


class Contented(Liar):
    """Finds a solution, and says that there is no other."""

    name = "contented"

    def solve(self, problem, settings, watch):
        if any(isinstance(c, NoGood) for c in problem.constraints):
            return Answer(None, Proof.INFEASIBLE, Stop.FINISHED)
        return BruteSolver().solve(problem, settings, Watch())


class Mumbler(Liar):
    """Gives something that is no point."""

    name = "mumbler"

    def solve(self, problem, settings, watch):
        return Answer(42, Proof.FEASIBLE, Stop.FINISHED)


LIARS |= {
    cls.name: f"liars:{cls.__name__}" for cls in (Mumbler, Late, DeafParent, Glutton, Repeater, Contented)
}
