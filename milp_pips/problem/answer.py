"""The settings of a task, the answer of an engine (a point, a proof and a stopping criterion), and claims.

Last come the base classes of what a task returns, the results.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from importlib import import_module
from typing import Annotated, Any, NamedTuple, TypeAlias, TypedDict, Unpack

from milp_pips.problem.parameters import SETTINGS, unknown_keyword

__all__ = ["Answer", "Claim", "Proof", "Settings", "Shortcuts", "Stop"]


MINIMISE, MAXIMISE = "minimise", "maximise"
"""The senses of an objective."""


class Proof(StrEnum):
    """The statement that the engine claims to have proven."""

    NONE = "none"
    FEASIBLE = "feasible"
    INFEASIBLE = "infeasible"
    COMPLETE = "complete"
    OPTIMAL = "optimal"


class Stop(StrEnum):
    """The stopping criterion that ended the engine; ``beaten``: another member of the portfolio was first."""

    FINISHED = "finished"
    TIME = "time"
    COUNT = "count"
    MEMORY = "memory"
    INTERRUPTED = "interrupted"
    BEATEN = "beaten"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a task, for the engine and for the steps before and after it.

    Parameters
    ----------
    formulation
        Name of the formulation; empty for the engine's default.
    threads
        Threads the engine may use.
    seed
        Random seed of the engine.
    options
        Options of the engine, under the engine's own names; the values are text.
    seconds
        Time limit of the whole task; None for no limit. An engine checks its deadline and ignores this field.
    memory
        Memory limit in bytes for the engine or the diagrams; None for the default of the task.
    isolate
        Whether the engine runs in a process of its own. True: any engine does. None: the engines that need it
        and those from other distributions do. False: only the engines that need it do.
    rules
        Names of the domain reductions to apply first, see ``milp_pips.propagation``. None for those that
        pay: the package's own filtering, unless the formulation states a published model.
    """

    formulation: str = ""
    threads: int = 1
    seed: int = 0
    options: Mapping[str, str] = field(default_factory=dict)
    seconds: float | None = None
    memory: int | None = None
    isolate: bool | None = None
    rules: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        """Raise TypeError or ValueError, with one sentence, for an invalid setting."""
        for parameter in SETTINGS:
            parameter.check(getattr(self, parameter.keyword))

    def changed(self, **shortcuts: Unpack[Shortcuts]) -> Settings:
        """Return a copy of the settings with these fields changed. Raises TypeError for an unknown name."""
        if unknown := [name for name in shortcuts if name not in self.__dataclass_fields__]:
            raise unknown_keyword("Settings", unknown[0], self.__dataclass_fields__)
        return replace(self, **shortcuts)


class Shortcuts(TypedDict, total=False):
    """The fields of ``Settings`` as keyword arguments: ``solve(puzzle, "highs", seconds=10)``."""

    formulation: str
    threads: int
    seed: int
    options: Mapping[str, str]
    seconds: float | None
    memory: int | None
    isolate: bool | None
    rules: tuple[str, ...] | None


PROOF_BY_COUNTING = "counting"
"""The proof family of obstructions and shortages, which are proofs of one sentence without any search."""

FILTERING = "filtering"
"""The proof family of claims that filtering alone has proven."""


class Claim(NamedTuple):
    """A claim that there is no (further) solution: the claimant, its proof family and its formulation."""

    who: str
    proof_family: str
    formulation: str = ""
    second_proof_family: str = ""
    """A second proof family, if the claim rests on two."""
    version: str = ""
    """The version of the claimant's engine, if it has one."""

    def rests_on(self, proof_family: str) -> bool:
        """Return whether the claim depends on proofs of this family."""
        return proof_family in (self.proof_family, self.second_proof_family)


NOBODY = Claim("", "")
"""The claim of an answer that no task has asked for."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What an engine, or a strategy, says. It is trusted only after the referee has validated it.

    Parameters
    ----------
    point
        One value per variable of the problem, or None if no point was found. An engine that is loaded with a
        linear model gives one per column, in floating point.
    proof
        The statement that the engine claims to have proven.
    stop
        The stopping criterion that ended the engine.
    message
        The engine's own message, if it matters.
    statistics
        Counts that the engine reports, such as ``nodes``.
    size
        ``columns``, ``rows`` and ``nonzeros`` of the model that the engine solved, if there was a model.
    formulation
        Name of the formulation that the engine solved.
    bound
        With an objective, a value that no point betters; equal to ``value`` if the point is optimal. Of an
        engine itself: a lower bound of the cost, see ``milp_pips.problem.objective``, infinite if it calls
        the point optimal and gives no number.
    value
        With an objective: the value of the point.
    seconds
        Seconds spent on ``build`` and ``solve``.
    count
        The number of solutions, of an engine that counts: exact with ``Proof.COMPLETE``, else a lower bound.
    claim
        Who says so, once a task has asked.
    choice
        Why this solver was chosen, if none was named.
    """

    point: Sequence[Any] | None
    proof: Proof
    stop: Stop
    message: str = ""
    statistics: Mapping[str, int] = field(default_factory=dict)
    size: Mapping[str, int] = field(default_factory=dict)
    formulation: str = ""
    bound: Any = None
    value: Any = None
    seconds: Mapping[str, float] = field(default_factory=dict)
    count: int | None = None
    claim: Claim = NOBODY
    choice: str = ""


Natural: TypeAlias = Annotated[int, ("minimum", 0)]
Seconds: TypeAlias = Annotated[float, ("minimum", 0)]
Unbounded: TypeAlias = Annotated[float, ("type", ("number", "null"))]
"""Types of fields, with keywords of their JSON Schemas. One without bounds is null in JSON if it
is not finite."""

NEVER = {"in JSON": "never"}
UNLESS_DEFAULT = {"in JSON": "unless it is the default"}
"""The metadata of fields that the JSON record does not have, or only if they differ from their default."""

EXTRAS_ROOM = "milp_pips.extras."


class ShownAsText:
    """The base class of what a notebook shows as its text (``str``), not as its fields."""

    __slots__ = ()

    def __init_subclass__(cls, **arguments: Any) -> None:
        """Define the method in each subclass: IPython prefers a ``__repr__`` to an inherited one."""
        super().__init_subclass__(**arguments)
        cls._repr_pretty_ = ShownAsText._repr_pretty_  # type: ignore[method-assign]

    def _repr_pretty_(self, printer: Any, _cycle: bool) -> None:
        """Print the text. IPython calls this method."""
        printer.text(str(self))


class TaskResult(ShownAsText):
    """The base class of results. A subclass is a frozen dataclass and has no code that presents it.

    Its fields are the members of its JSON record, and the sentences below them describe both.
    """

    __slots__ = ()

    def __str__(self) -> str:
        return "\n".join(str(part).rstrip("\n") for part in self.display_parts())

    def display_parts(self) -> Any:
        """Return the texts and drawings that a terminal shows."""
        return self._view("text", "parts")

    def summary(self) -> str:
        """Return the result in one line."""
        return str(self._view("text", "summary"))

    def to_json(self) -> dict[str, Any]:
        """Return the result as JSON-ready data; ``milp-pips schema VERB`` prints its JSON Schema."""
        return dict(self._view("json", "record"))

    def drawing(self) -> Any:
        """Return the result as a ``milp_pips.render.vocabulary.Drawing``.

        Raises UsageError if there is nothing to draw.
        """
        return self._view("svg", "drawing")

    def _repr_svg_(self) -> str | None:
        """Return the picture that a notebook shows; None if there is nothing to draw."""
        drawn: str | None = self._view("svg", "svg")
        return drawn

    def _view(self, module: str, name: str) -> Any:
        """Call a function of ``milp_pips.views``; an extra registers its own in its module ``views``."""
        place = type(self).__module__
        if place.startswith(EXTRAS_ROOM):
            extra = place.removeprefix(EXTRAS_ROOM).partition(".")[0]
            import_module(f"{EXTRAS_ROOM}{extra}.views")
        return getattr(import_module(f"milp_pips.views.{module}"), name)(self)
