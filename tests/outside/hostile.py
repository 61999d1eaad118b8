"""Plugins from outside that break the contract, each in its own way."""

from __future__ import annotations

import os
import signal
import time

from milp_pips.problem.answer import Answer, Proof, Stop

if "milp_pips_slow_import" in os.environ:
    time.sleep(300)


class Nothing:
    pass


class Solver:
    kind, title, distribution, requires = "search", "Hostile", "", ()
    features, formulations = frozenset({"enumeration"}), ("",)

    def __init__(self):
        self.name = type(self).__name__.lower()

    def unavailable(self):
        return ""

    def version(self):
        return "1"

    def solve(self, problem, settings, deadline):
        return Answer(None, Proof.NONE, Stop.COUNT)

    def points(self, problem, key, settings, deadline):
        yield from ()
        return Proof.NONE, Stop.COUNT


class Quitter(Solver):
    def __init__(self):
        raise SystemExit(7)


class Thrower(Solver):
    def solve(self, problem, settings, deadline):
        raise RuntimeError("first line\nsecond line")

    def points(self, problem, key, settings, deadline):
        raise RuntimeError("first line\nsecond line")
        yield ()


class Leaver(Solver):
    def solve(self, problem, settings, deadline):
        raise SystemExit(0)


class Mute(Solver):
    def solve(self, problem, settings, deadline):
        return None


class Short(Solver):
    def solve(self, problem, settings, deadline):
        return Answer((1, 2), Proof.FEASIBLE, Stop.FINISHED)

    def points(self, problem, key, settings, deadline):
        yield (1, 2)
        return Proof.COMPLETE, Stop.FINISHED


class Wordy(Solver):
    def solve(self, problem, settings, deadline):
        return Answer(tuple("a" for _ in problem.variables), Proof.FEASIBLE, Stop.FINISHED)


class Unsure(Solver):
    def unavailable(self):
        raise KeyError("who knows")

    def version(self):
        raise KeyError("who knows")


class Numbered(Solver):
    kind = 7


class Formless(Solver):
    formulations = ()


class Boastful(Solver):
    features = frozenset({"cuts", "counting"})


class Unlisted(Solver):
    def points(self, problem, key, settings, deadline):
        return 3


class Endless(Solver):
    """Forgets how its list ended."""

    def points(self, problem, key, settings, deadline):
        yield from ()


class Miscounter(Solver):
    features = frozenset({"counting"})

    def count(self, problem, key, settings, deadline):
        return 3


class Unproven(Solver):
    def solve(self, problem, settings, deadline):
        return Answer(None, "maybe", Stop.FINISHED)


class Unmeasured(Solver):
    def solve(self, problem, settings, deadline):
        return Answer(None, Proof.NONE, Stop.TIME, statistics={"nodes": "many"})


class Deadweight(Solver):
    """Keeps a model that answers nothing."""

    features = frozenset({"cuts"})

    def live(self, problem, key, settings):
        return self

    def solve(self, *_):
        return 7


class Fatal(Solver):
    """Does something to its whole process, whatever it is asked."""

    def solve(self, problem, settings, deadline):
        self.harm()

    def points(self, problem, key, settings, deadline):
        self.harm()
        yield ()

    def live(self, problem, key, settings):
        self.harm()


class Exiter(Fatal):
    def harm(self):
        os._exit(0)


class Segfaulter(Fatal):
    def harm(self):
        os.kill(os.getpid(), signal.SIGSEGV)


class Dozer(Fatal):
    features = frozenset({"enumeration", "cuts"})

    def harm(self):
        time.sleep(300)


class Foreigner(Fatal):
    """Answers with an object that only its own module can make."""

    def solve(self, problem, settings, deadline):
        return Solver()


class Absentee(Solver):
    """Ends its process as soon as it is made."""

    def __init__(self):
        os._exit(0)
