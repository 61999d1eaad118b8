"""Solvers that lie, to show that nobody believes them."""

from __future__ import annotations

from milp_pips.answer import Answer, Proof, Stop


class Liar:
    kind = "search"
    title = "Liar"
    requires = ()
    distribution = ""
    features = frozenset()
    formulations = ("",)

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
