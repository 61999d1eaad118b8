"""The settings of a task, the answer of an engine (a point, a proof and a stopping criterion), and claims."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import NamedTuple, TypedDict, Unpack

from milp_pips.problem.parameters import SETTINGS, unknown_keyword

__all__ = ["Answer", "Claim", "MipResult", "Proof", "Settings", "Shortcuts", "Stop", "Tally"]


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


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer of an engine. It is a claim, and is trusted only after the referee has validated it.

    Parameters
    ----------
    point
        One value per variable of the problem, or None if no point was found.
    proof
        The statement that the engine claims to have proven.
    stop
        The stopping criterion that ended the engine.
    formulation
        Name of the formulation that the engine solved.
    message
        The engine's own message, if it matters.
    size
        ``columns``, ``rows`` and ``nonzeros`` of the model that the engine solved, if there was a model.
    statistics
        Counts that the engine reports, such as ``nodes``.
    seconds
        Seconds spent on ``build`` and ``solve``.
    value, bound
        With an objective: the value of the point, and one that no point betters; equal if it is optimal.
    """

    point: tuple[int, ...] | None
    proof: Proof
    stop: Stop
    formulation: str = ""
    message: str = ""
    size: Mapping[str, int] = field(default_factory=dict)
    statistics: Mapping[str, int] = field(default_factory=dict)
    seconds: Mapping[str, float] = field(default_factory=dict)
    value: int | None = None
    bound: int | None = None


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

    def rests_on(self, proof_family: str) -> bool:
        """Return whether the claim depends on proofs of this family."""
        return proof_family in (self.proof_family, self.second_proof_family)


class MipResult(NamedTuple):
    """The result of a live model: a point and its choices if there are any, proof, stop and formulation."""

    point: tuple[int, ...] | None
    choices: tuple[int, ...]
    proof: Proof
    stop: Stop
    message: str = ""
    formulation: str = ""


class Tally(NamedTuple):
    """The number of solutions an engine has counted: exact with ``Proof.COMPLETE``, else a lower bound."""

    solutions: int
    proof: Proof
    stop: Stop
