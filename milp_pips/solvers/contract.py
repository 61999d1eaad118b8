"""What every solver offers, built in or from outside."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, TypeAlias

from milp_pips.answer import Answer, Proof, Settings, Stop, Tally
from milp_pips.problem import Problem
from milp_pips.watch import Watch

FEATURES = frozenset(
    {"time limit", "memory limit", "seed", "threads", "options", "cuts", "enumeration", "counting", "space"}
)
"""What a solver may be able to do.

With ``memory limit`` it keeps to ``settings.memory`` itself; others are given a process that is watched.
``cuts``, ``enumeration`` and ``counting`` come with a method each, see the classes below. ``space`` says that
its answers are paths of a decision diagram, so that all of them are listed by walking one.
"""


class LiveModel(Protocol):
    """A 0-1 model that stays loaded in its engine while solutions are looked for one after another.

    Choices are numbers of columns that decide the key; a solution is the set of its choices.
    """

    def solve(self, chosen: Sequence[int], refused: Sequence[int], watch: Watch) -> Found:
        """Look for a solution that has the chosen columns at 1 and the refused ones at 0."""

    def problem_of(self, chosen: Sequence[int], refused: Sequence[int]) -> Problem:
        """Return the problem that has these choices made and refused; no value in a domain where none has."""

    def choices(self, point: Sequence[int]) -> tuple[int, ...]:
        """Return the choices of a point that is known from elsewhere."""

    def exclude(self, choices: Sequence[int]) -> None:
        """Cut off the solution with these choices, for good."""


class Found(NamedTuple):
    """What a live model found: a point and its choices, or none; proof and stop; how it was stated."""

    point: tuple[int, ...] | None
    choices: tuple[int, ...]
    proof: Proof
    stop: Stop
    message: str = ""
    formulation: str = ""


Points: TypeAlias = Generator[tuple[int, ...], None, tuple[Proof, Stop]]
"""Yields points and returns proof and stop: ``Proof.COMPLETE`` if there is no further point."""


class EnumeratingSolver(Protocol):
    """A solver with the feature ``enumeration``."""

    def points(self, problem: Problem, key: str, settings: Settings, watch: Watch) -> Points:
        """Yield every point of the problem; points that differ outside the key only may be left out."""


class CountingSolver(Protocol):
    """A solver with the feature ``counting``."""

    def count(self, problem: Problem, key: str, settings: Settings, watch: Watch) -> Tally:
        """Count the solutions that differ in the key, without giving them.

        Raises UsageError where what the engine counts are not the solutions by this key.
        """


class LiveSolver(Protocol):
    """A solver with the feature ``cuts``."""

    def live(self, problem: Problem, key: str, settings: Settings) -> LiveModel:
        """Return the problem as a model that stays loaded."""


class Formulation(NamedTuple):
    """A way to state a problem that an entry point of the group ``milp_pips.formulations`` adds to a solver.

    It states a published model, and so is one of the solver's ``published`` ones.

    Parameters
    ----------
    name
        The formulation's name.
    state
        Returns the problem as the engine takes it; of what class is the engine's affair.
    """

    name: str
    state: Callable[[Problem], Any]


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
    """What it can do, of ``FEATURES``."""

    formulations: tuple[str, ...]
    """The ways it can be given a problem, the default first."""

    published: frozenset[str]
    """Those of its formulations that state a published model, and so want the problem unfiltered."""

    filtering: frozenset[str]
    """Those of its formulations whose proofs rest on this package's filtering as well."""

    proof_family: str
    """What its proofs rest on, such as ``highs``: two answers are independent if these differ."""

    clashes: frozenset[str]
    """Modules with which its library must not share a process, such as another engine's library."""

    without_presolve: Mapping[str, str]
    """Options that switch the engine's presolve off, for a proof that is independent of its other ones."""

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
