"""What every solver offers, built in or from outside."""

from __future__ import annotations

from typing import Protocol

from milp_pips.answer import Answer, Settings
from milp_pips.problem import Problem
from milp_pips.watch import Watch


class Solver(Protocol):
    """An engine that looks for a point of a problem; made with its variant as the only argument, or none.

    Its module imports the engine's library inside the methods that use it, never at its top: a solver is
    asked what it is and what it needs without loading anything.
    """

    name: str
    """Name by which it is registered and asked for."""

    kind: str
    """``mip``, ``cp`` or ``search``."""

    title: str
    """The engine's own name, such as ``HiGHS``."""

    requires: tuple[str, ...]
    """Modules that must be there for it to run."""

    distribution: str
    """The distribution whose version is the engine's version; empty where there is none."""

    features: frozenset[str]
    """What it can do: ``time limit``, ``seed``, ``threads``, ``options``, ``cuts``, ``enumeration``."""

    formulations: tuple[str, ...]
    """The ways it can be given a problem, the default first."""

    isolated: bool
    """Whether it must always run in a process of its own."""

    variants: str
    """What may stand behind the colon in ``name:variant``, in a few words; empty where nothing may."""

    def unavailable(self) -> str:
        """Return why it cannot run here, in one line; empty where it can."""

    def version(self) -> str:
        """Return the engine's version, empty where it is unknown."""

    def solve(self, problem: Problem, settings: Settings, watch: Watch) -> Answer:
        """Look for a point until one is found, none is proven to exist, or the watch says stop.

        Raises UsageError for an unknown formulation or option.
        """
