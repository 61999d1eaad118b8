"""Solvers that lie, to show that nobody believes them."""

from __future__ import annotations

import os
import signal
import time

from milp_pips.answer import Answer, Proof, Stop


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
