"""What every solver offers, built in or from outside."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias

from milp_pips.problem.answer import Answer, Proof, Settings, Stop, Tally
from milp_pips.problem.answer import (
    MipResult as MipResult,  # part of this contract; it is data, as an answer is
)
from milp_pips.problem.problem import Problem
from milp_pips.problem.stopping import Deadline

if TYPE_CHECKING:
    from milp_pips.formulations.cnf import Clauses
    from milp_pips.formulations.milp.model import Model

SOLVER_KINDS = ("mip", "cp", "sat", "search")
"""What kind of engine a solver may be: on 0-1 rows, on constraints, on clauses, or of another kind."""

FEATURES = frozenset(
    {"time limit", "memory limit", "seed", "threads", "options"}
    | {"cuts", "enumeration", "counting", "assumptions", "space", "relaxation", "tree"}
)
"""What a solver may be able to do.

With ``memory limit`` it keeps to ``settings.memory`` itself; others are given a process that is watched.
``cuts``, ``enumeration``, ``counting``, ``assumptions`` and ``tree`` come with a method each, see the classes
below, and so does ``relaxation``, see ``milp_pips.engines.mip``.
``space`` says that its answers are paths of a decision diagram, so that all are listed by walking one.
"""


class LiveModel(Protocol):
    """A 0-1 model that stays loaded in its engine while solutions are looked for one after another.

    Choices are numbers of columns that decide the key; a solution is the set of its choices.
    """

    def solve(self, chosen: Sequence[int], refused: Sequence[int], deadline: Deadline) -> MipResult:
        """Look for a solution that has the chosen columns at 1 and the refused ones at 0."""

    def closed(self, problem: Problem) -> Sequence[int]:
        """Return the choices to refuse so that the domains are those of a restriction of the problem.

        Columns that decide other variables than the key's may be among them.
        """

    def choices(self, point: Sequence[int]) -> tuple[int, ...]:
        """Return the choices of a point that is known from elsewhere."""

    def exclude(self, choices: Sequence[int]) -> None:
        """Cut off the solution with these choices, for good."""


Points: TypeAlias = Generator[tuple[int, ...], None, tuple[Proof, Stop]]
"""Yields points and returns proof and stop: ``Proof.COMPLETE`` if there is no further point."""


class EnumeratingSolver(Protocol):
    """A solver with the feature ``enumeration``."""

    def points(self, problem: Problem, key: str, settings: Settings, deadline: Deadline) -> Points:
        """Yield every point of the problem; points that differ outside the key only may be left out."""


class CountingSolver(Protocol):
    """A solver with the feature ``counting``."""

    def count(self, problem: Problem, key: str, settings: Settings, deadline: Deadline) -> Tally:
        """Count the solutions that differ in the key, without giving them.

        Raises UsageError where what the engine counts are not the solutions by this key.
        """


class LiveSolver(Protocol):
    """A solver with the feature ``cuts``."""

    def live(self, problem: Problem, key: str, settings: Settings) -> LiveModel:
        """Return the problem as a model that stays loaded."""


class SearchNode(NamedTuple):
    """A node of a branch-and-bound tree over the columns of a 0-1 model.

    Parameters
    ----------
    parent
        The number of its parent in the list; None for the root.
    bounds
        What its parent was branched on: columns with the least and the greatest value that they have here.
    x
        The vertex of its relaxation, shape (columns,); None where that has no point or was not solved.
    bound
        The least cost of a point of its relaxation; None where that is not known.
    status
        ``branched``, ``solution``, ``infeasible``, ``bound`` (cut off, since no point is better than the
        best solution) or ``open`` (nobody looked).
    """

    parent: int | None
    bounds: tuple[tuple[int, float, float], ...]
    x: tuple[float, ...] | None
    bound: float | None
    status: str


class TreeSolver(Protocol):
    """A solver with the feature ``tree``."""

    def tree(
        self, model: Model, costs: Sequence[float] | None, limit: int, settings: Settings, deadline: Deadline
    ) -> tuple[list[SearchNode], Stop]:
        """Solve a 0-1 model, and return the nodes of its tree, parents first, and why it stopped.

        Looked for is a vector of least cost, or any vector without ``costs``, in so many nodes at most.
        """


class LoadedClauses(Protocol):
    """A formula that stays loaded while it is asked about under assumptions.

    An assumption is a literal that holds for one call only; see ``milp_pips.formulations.cnf`` for formulas.
    """

    def solve(
        self, assumptions: Sequence[int], deadline: Deadline, conflicts: int | None = None
    ) -> bool | None:
        """Return whether there is a model; None where the deadline says stop or after so many conflicts."""

    def model(self) -> list[int]:
        """Return the model that was found last: a literal of every variable."""

    def core(self) -> list[int]:
        """Return assumptions that could not hold together, of the last question that had no model."""

    def propagate(self, assumptions: Sequence[int]) -> list[int] | None:
        """Return the literals that follow by unit propagation, the assumptions among them.

        None where that leads to a contradiction. Clauses that were learnt are used as well.
        """

    def add(self, literals: Iterable[int]) -> None:
        """Add a clause, for good; its variables may be new."""


class AssumingSolver(Protocol):
    """A solver with the feature ``assumptions``."""

    def load(self, clauses: Clauses, deadline: Deadline) -> LoadedClauses:
        """Return the formula loaded; some of it, which nobody may ask about, where the deadline says stop."""


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
    """One of ``SOLVER_KINDS``."""

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

    most_values: int
    """How many values a problem may leave open for it, such as under a licence; 0 for any number."""

    def known_variants(self) -> Iterable[str]:
        """Return the names of its variants; a request or a file from elsewhere may name no other.

        No engine's library is loaded for it. A solver without this method lists none.
        """

    def unavailable(self) -> str:
        """Return why it cannot run here, in one line; empty where it can."""

    def version(self) -> str:
        """Return the engine's version, empty where it is unknown."""

    def solve(self, problem: Problem, settings: Settings, deadline: Deadline) -> Answer:
        """Look for a point until one is found, none is proven to exist, or the deadline says stop.

        Raises UsageError for an unknown formulation or option.
        """
