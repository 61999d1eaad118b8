"""What an engine says of a problem: three separate things, point, proof and stop."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import NamedTuple, TypedDict, Unpack

from milp_pips.problem.fields import require_seconds, require_text_argument, require_whole, shown


class Proof(StrEnum):
    """What the engine claims to have proven."""

    NONE = "none"
    FEASIBLE = "feasible"
    INFEASIBLE = "infeasible"
    COMPLETE = "complete"


class Stop(StrEnum):
    """Why the engine stopped; ``beaten`` is one that ran beside others of which one knew the answer first."""

    FINISHED = "finished"
    TIME = "time"
    COUNT = "count"
    MEMORY = "memory"
    INTERRUPTED = "interrupted"
    BEATEN = "beaten"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Settings:
    """How a task is to be done: by the engine, and around it.

    Parameters
    ----------
    formulation
        Name of the way to state the problem to the engine; empty for the engine's own choice.
    threads
        Threads the engine may use.
    seed
        Random seed of the engine.
    options
        The engine's own options, by the engine's own names, as text.
    seconds
        Time limit of the whole task; None for none. An engine looks at its deadline and not here.
    memory
        Bytes of memory that the engine, or the diagrams, may use; None for the task's own limit.
    isolate
        Whether the engine runs in a process of its own: True for any engine, None for those that need it and
        those from other distributions, False for those that need it alone.
    rules
        Names of the reductions of domains to make first, see ``milp_pips.propagation``; None for those that
        pay: our own filtering, unless the formulation states a published model.
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
        """Raise TypeError or ValueError, in one sentence, for a setting that cannot be meant."""
        require_text_argument("formulation", self.formulation)
        require_whole("threads", self.threads, 1)
        require_whole("seed", self.seed, 0)
        require_seconds(self.seconds)
        if self.memory is not None:
            require_whole("memory", self.memory, 1)
        if not (self.isolate is None or isinstance(self.isolate, bool)):
            raise TypeError(f"isolate is True, False or None, not {shown(self.isolate)}")
        if not isinstance(self.options, Mapping):
            raise TypeError(f"options are a dict such as {{'presolve': 'off'}}, not {shown(self.options)}")
        if isinstance(self.rules, str):
            raise TypeError(f"rules are a tuple of names, not {shown(self.rules)}; write ({self.rules!r},)")

    def changed(self, **shortcuts: Unpack[Shortcuts]) -> Settings:
        """Return these settings with those that are named changed. Raises TypeError for an unknown one."""
        unknown = [name for name in shortcuts if name not in self.__dataclass_fields__]
        if unknown:
            raise TypeError(f"{unknown[0]} is no setting; there are {', '.join(self.__dataclass_fields__)}")
        return replace(self, **shortcuts)


class Shortcuts(TypedDict, total=False):
    """The fields of ``Settings`` as keywords, for people: ``solve(puzzle, "highs", seconds=10)``."""

    formulation: str
    threads: int
    seed: int
    options: Mapping[str, str]
    seconds: float | None
    memory: int | None
    isolate: bool | None
    rules: tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class Answer:
    """An engine's answer. Nothing in it is to be believed before the referee has seen it.

    Parameters
    ----------
    point
        One value per variable of the problem, or None.
    proof
        What the engine claims to have proven.
    stop
        Why it stopped.
    formulation
        How the problem was stated to it.
    message
        The engine's own words, where they matter.
    size
        ``columns``, ``rows`` and ``nonzeros`` of the model it was given, where there was one.
    statistics
        Counts that the engine reports, such as ``nodes``.
    seconds
        Seconds spent on ``build`` and ``solve``.
    """

    point: tuple[int, ...] | None
    proof: Proof
    stop: Stop
    formulation: str = ""
    message: str = ""
    size: Mapping[str, int] = field(default_factory=dict)
    statistics: Mapping[str, int] = field(default_factory=dict)
    seconds: Mapping[str, float] = field(default_factory=dict)


class MipResult(NamedTuple):
    """What a live model found: a point and its choices, or none; proof and stop; how it was stated."""

    point: tuple[int, ...] | None
    choices: tuple[int, ...]
    proof: Proof
    stop: Stop
    message: str = ""
    formulation: str = ""


class Tally(NamedTuple):
    """How many solutions an engine has counted: all with ``Proof.COMPLETE``, else at least so many."""

    solutions: int
    proof: Proof
    stop: Stop
