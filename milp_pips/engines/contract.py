"""The protocols that every solver implements, whether built in or a plugin."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, TypeAlias, TypeVar

from milp_pips.problem.answer import Answer, Proof, Settings, Stop
from milp_pips.problem.problem import Problem
from milp_pips.problem.stopping import Deadline

if TYPE_CHECKING:
    from milp_pips.formulations.cnf import Clauses
    from milp_pips.formulations.model import Model

T = TypeVar("T")

__all__ = [
    "FEATURES",
    "SOLVER_KINDS",
    "TRANSFORMATIONS",
    "AssumingSolver",
    "CountingSolver",
    "EnumeratingSolver",
    "Formulation",
    "LiveModel",
    "LiveSolver",
    "Loaded",
    "LoadedClauses",
    "PointIterator",
    "Points",
    "Relaxed",
    "Relaxing",
    "SearchNode",
    "Solver",
    "TreeSolver",
]

SOLVER_KINDS = ("mip", "cp", "sat", "search")
"""The kinds of engines: those that work on 0-1 rows, on constraints, on clauses, and all others."""

FEATURES = frozenset(
    {"time limit", "memory limit", "seed", "threads", "options"}
    | {
        "cuts",
        "enumeration",
        "projection",
        "counting",
        "assumptions",
        "space",
        "relaxation",
        "tree",
        "objective",
        "models",
    }
)
"""The features that a solver may have.

A solver with ``memory limit`` keeps to ``settings.memory`` itself; others run in a process whose memory is
monitored. ``cuts``, ``enumeration``, ``counting``, ``assumptions`` and ``tree`` require a method each, see
the classes below; for ``relaxation`` see ``milp_pips.engines.contract``. With ``projection`` an engine that
enumerates yields one point per value of the key. With ``space``, answers are paths of a
decision diagram, so all solutions can be enumerated by walking one. With ``objective``, ``solve`` minimises
or maximises the problem's objective. With ``models``, it takes linear models that are no problem: with
continuous columns, or integer columns without bounds; see ``milp_pips.engines.contract``.
"""

TRANSFORMATIONS = {
    "filter": "constraints remove values from the domains",
    "bridge": "constraints that the engine does not take become others, in the last resort sums over pairs",
    "linearise": "all constraints become rows of a 0-1 model",
    "clauses": "all constraints become clauses",
    "compile": "all constraints become decision diagrams",
}
"""The transformations of a problem on its way to an engine."""


class Loaded(Protocol):
    """A linear model that is loaded into an engine; all but ``run`` change it between runs."""

    def bound(self, columns: Sequence[int], lower: float, upper: float) -> None:
        """Set the bounds of the columns."""

    def add_row(self, columns: Sequence[int], coefficients: Sequence[float], low: float, high: float) -> None:
        """Add the row ``low <= Σ coefficient · column <= high``."""

    def set_costs(self, costs: Sequence[float] | None) -> None:
        """Set the cost of each column; None for an objective that is 0."""

    def run(self, deadline: Deadline) -> Answer:
        """Search until the model is solved or the deadline passes; the point has a value for each column.

        No point, no proof and ``Stop.FINISHED`` mean that the objective may be unbounded.
        """


class Relaxed(Loaded, Protocol):
    """The LP relaxation of a 0-1 model, loaded into an engine: columns take any value from 0 to 1.

    A run returns a vertex of least cost. No vertex, with ``Proof.INFEASIBLE``, means that there is no point.
    """

    def reduced_costs(self) -> Sequence[float]:
        """Return the reduced cost of each column at the vertex of the last run."""

    def row_prices(self) -> Sequence[float]:
        """Return the dual value of each row at that vertex: what one more unit of its side costs."""


class Relaxing(Protocol):
    """A solver with the feature ``relaxation``."""

    def relax(self, model: Model, *, cuts: bool = False) -> Relaxed:
        """Return the LP relaxation of the model, or with ``cuts`` the root node of branch and cut instead.

        The root node propagates, solves the LP and adds cuts to it, without presolve and heuristics. There is
        no branching. ``Proof.INFEASIBLE`` means that the root node excludes all points.
        """


class LiveModel(Protocol):
    """A problem that stays loaded in its engine while it is solved for one solution after another."""

    def solve(self, within: Any, deadline: Deadline) -> Answer:
        """Return a solution of the same problem with smaller domains, or narrower bounds, if one is found."""

    def exclude(self, point: Sequence[Any]) -> None:
        """Cut off the solution of a point permanently, with all points that differ outside the key alone."""


Points: TypeAlias = Generator[tuple[int, ...], None, tuple[Proof, Stop]]
"""A generator of points that returns proof and stop: ``Proof.COMPLETE`` if there is no further point."""


class PointIterator(Generic[T]):
    """The items of a generator that returns proof and stop, which are kept here once it has ended.

    Until then there is no proof, and the stop is that of a limit. Leaving the loop closes the generator.
    """

    proof, stop, ended = Proof.NONE, Stop.COUNT, False

    def __init__(self, items: Generator[T, None, tuple[Proof, Stop]]):
        self._items = items

    def __iter__(self) -> Generator[T]:
        self.proof, self.stop = yield from self._items
        self.ended = True

    @property
    def end(self) -> tuple[Proof, Stop]:
        """Proof and stop."""
        return self.proof, self.stop


class EnumeratingSolver(Protocol):
    """A solver with the feature ``enumeration``."""

    def points(self, problem: Problem, key: str, settings: Settings, deadline: Deadline) -> Points:
        """Yield every point of the problem; points that differ only outside the key may be left out."""


class CountingSolver(Protocol):
    """A solver with the feature ``counting``."""

    def count(self, problem: Problem, key: str, settings: Settings, deadline: Deadline) -> Answer:
        """Return how many solutions differ in the key, as ``Answer.count``, without listing them.

        Raises UsageError if the engine's count is not that of the solutions by this key.
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
        The branching of its parent: columns with their lower and upper bounds in this node.
    x
        The vertex of its relaxation, shape (columns,); None if that has no point or was not solved.
    bound
        The least cost of a point of its relaxation; None if that is not known.
    status
        ``branched``, ``solution``, ``infeasible``, ``bound`` (cut off, since no point is better than the
        incumbent) or ``open`` (not processed).
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
        """Solve a 0-1 model; return the nodes of its search tree, parents first, and why it stopped.

        The search is for a vector of least cost, or for any vector without ``costs``. It solves at most
        ``limit`` nodes.
        """


class LoadedClauses(Protocol):
    """A formula that stays loaded while it is solved under changing assumptions.

    An assumption is a literal that holds for one call only; see ``milp_pips.formulations.cnf`` for formulas.
    """

    def solve(
        self, assumptions: Sequence[int], deadline: Deadline, conflicts: int | None = None
    ) -> bool | None:
        """Return whether there is a model; None after the deadline or the given number of conflicts."""

    def model(self) -> list[int]:
        """Return the last model found: a literal of every variable."""

    def core(self) -> list[int]:
        """Return assumptions that cannot all hold: an unsatisfiable core of the last call without a model."""

    def propagate(self, assumptions: Sequence[int]) -> list[int] | None:
        """Return the literals that follow by unit propagation, assumptions included.

        None if propagation leads to a contradiction. It may use learnt clauses as well.
        """

    def add(self, literals: Iterable[int]) -> None:
        """Add a clause permanently; its variables may be new."""


class AssumingSolver(Protocol):
    """A solver with the feature ``assumptions``."""

    def load(self, clauses: Clauses, deadline: Deadline) -> LoadedClauses:
        """Return the loaded formula; incomplete, and not to be solved, if the deadline passes first."""


class RefutingSolver(Protocol):
    """A SAT solver that logs proofs. Each of ``milp_pips.engines.defaults.ASSUMPTION_SOLVERS`` is one."""

    def refute(self, clauses: Sequence[tuple[int, ...]], variables: int, deadline: Deadline) -> str | None:
        """Return a proof, in the format DRAT, that the clauses have no model; None if they have one.

        The text is empty if the deadline passes first.
        """


class Formulation(NamedTuple):
    """A formulation that an entry point of the group ``milp_pips.formulations`` adds to a solver.

    It states a published model, so it counts among the solver's ``published`` ones.

    Parameters
    ----------
    name
        The formulation's name.
    state
        Returns the problem in the form that the engine takes; its class depends on the engine.
    """

    name: str
    state: Callable[[Problem], Any]


class Solver(Protocol):
    """An engine that solves problems; its class is called with the variant as the only argument, or none.

    Its module imports the engine's library inside the methods that use it, never at the top, so that the
    attributes of a solver can be read without loading the library. It may leave out attributes that have a
    value here.
    """

    name: str
    """The name under which it is registered and requested."""

    kind: str
    """One of ``SOLVER_KINDS``."""

    title: str
    """The engine's own name, such as ``HiGHS``."""

    requires: tuple[str, ...]
    """The modules that must be installed for it to run."""

    distribution: str = ""
    """The distribution whose version is the engine's version; empty if there is none."""

    features: frozenset[str]
    """Its features, a subset of ``FEATURES``."""

    formulations: tuple[str, ...]
    """The formulations in which it takes a problem, the default first."""

    published: frozenset[str] = frozenset()
    """Those of its formulations that state a published model, and so take the problem unfiltered."""

    filtering: frozenset[str] = frozenset()
    """Those of its formulations whose proofs also rest on this package's filtering."""

    proof_family: str = ""
    """The engine that its proofs rest on, such as ``highs``: two answers are independent if these differ.
    Without it, the solver's name counts."""

    clashes: frozenset[str] = frozenset()
    """Modules that must not be loaded in one process with its library, such as another engine's library."""

    without_presolve: Mapping[str, str] = MappingProxyType({})
    """Options that switch off the engine's presolve, for a proof that is independent of its other proofs."""

    isolated: bool = False
    """Whether it must always run in a process of its own."""

    variants: str = ""
    """A short description of the variants in ``name:variant``; empty if there are none."""

    transformations: tuple[str, ...] = ()
    """What happens to a problem before the engine gets it, in order: names of ``TRANSFORMATIONS``."""

    most_values: int = 0
    """The most open values of a problem that it takes, such as under a licence; 0 for any number."""

    def known_variants(self) -> Iterable[str]:
        """Return the names of its variants; untrusted requests and files may use no others.

        It loads no engine's library. A solver without this method lists none.
        """
        return ()

    def unavailable(self) -> str:
        """Return the reason why it cannot run on this machine, in one line; empty if it can."""

    def version(self) -> str:
        """Return the engine's version; empty if it is unknown."""

    def solve(self, problem: Problem, settings: Settings, deadline: Deadline) -> Answer:
        """Search until a point is found, infeasibility is proven, or the deadline passes; return the answer.

        Raises UsageError for an unknown formulation or option.
        """
