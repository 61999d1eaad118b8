"""What is to be listed, and the model that a solver is asked about again and again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, cast

from milp_pips.engines.contract import MipResult
from milp_pips.engines.execution import ask, checked_answer
from milp_pips.engines.registry import available
from milp_pips.problem.answer import Proof, Settings, Stop
from milp_pips.problem.plugins import PluginErrors
from milp_pips.problem.problem import NoGood
from milp_pips.propagation import DEFAULT_RULES
from milp_pips.runtime.interruptible import build_interruptibly

if TYPE_CHECKING:
    from milp_pips.engines.contract import LiveModel, LiveSolver, Solver
    from milp_pips.problem.problem import Problem
    from milp_pips.problem.stopping import Deadline


@dataclass(frozen=True)
class Listing:
    """What is to be listed, and by whom."""

    problem: Problem
    key: str
    solver: str
    settings: Settings = Settings()
    here: Solver | None = None
    """The solver itself, where it is asked in this process whatever ``ask`` would do."""
    used: set[str] = field(default_factory=set)
    """The formulations in which the solver has been asked so far; empty where it has not said."""

    @property
    def engine(self) -> Solver:
        """The solver. Raises UsageError if it cannot run here."""
        return self.here or available(self.solver, self.settings)

    @cached_property  # it is looked up for each point of a native list
    def published(self) -> bool:
        """Whether the formulation states a published model, which may say a solution several ways."""
        engine = self.engine
        return (self.settings.formulation or engine.formulations[0]) in engine.published

    @cached_property  # the parts ask again and again
    def filters(self) -> bool:
        """Whether parts of the problem are filtered: not a published model's, nor where nobody wants it."""
        rules = DEFAULT_RULES if self.settings.rules is None else self.settings.rules
        return "filtering" in rules and not self.published

    def key_of(self, point: Sequence[int]) -> tuple[int, ...]:
        """Return the values by which the point differs from others."""
        return tuple(point[v] for v in self.problem.keys[self.key])

    def model(self, deadline: Deadline) -> LiveModel | None:
        """Return the problem as a model that can be asked again and again: live where the solver can.

        None where the deadline says stop before it is stated.
        """
        if "cuts" not in self.engine.features:
            return RestatedModel(self)
        live = cast("LiveSolver", self.engine).live
        return build_interruptibly(lambda: live(self.problem, self.key, self.settings), deadline)


class RestatedModel:
    """A live model for any solver: the problem is restricted, extended and stated anew for every question.

    A choice is the number of a pair (variable of the key, value).
    """

    def __init__(self, listing: Listing):
        self._problem = problem = listing.problem
        self._listing = listing
        self._variables = problem.keys[listing.key]
        domains = [problem.variables[v].domain for v in self._variables]
        firsts = [0, *accumulate(map(len, domains))]
        self._pairs = [(v, a) for v, domain in zip(self._variables, domains, strict=True) for a in domain]
        self._first = dict(zip(self._variables, firsts, strict=False))
        self._least = problem.least_difference(listing.key)

    def solve(self, chosen: Sequence[int], refused: Sequence[int], deadline: Deadline) -> MipResult:
        """Ask the solver about the problem with its domains restricted; see ``LiveModel``."""
        if deadline.stop:  # an engine that answers before it looks at the clock would go on and on
            return MipResult(None, (), Proof.NONE, deadline.stop)
        problem = self._problem_of(chosen, refused)
        if not all(variable.domain for variable in problem.variables):
            return MipResult(None, (), Proof.INFEASIBLE, Stop.FINISHED)
        here, settings, who = self._listing.here, self._listing.settings, self._listing.solver
        if here is None:
            answer = ask(who, problem, settings, deadline)
        else:
            with PluginErrors(f"{who} failed"):
                answer = checked_answer(here.solve(problem, settings, deadline), problem, who)
        if answer.point is None:
            return MipResult(None, (), answer.proof, answer.stop, answer.message, answer.formulation)
        with PluginErrors(f"{who} gave a point outside the domains"):
            choices = self.choices(answer.point)
        return MipResult(answer.point, choices, answer.proof, answer.stop, answer.message, answer.formulation)

    def choices(self, point: Sequence[int]) -> tuple[int, ...]:
        """Return the pairs of the key that the point takes; see ``LiveModel``."""
        variables = self._problem.variables
        return tuple(self._first[v] + variables[v].domain.index(point[v]) for v in self._variables)

    def closed(self, problem: Problem) -> tuple[int, ...]:
        """Return the pairs of the key that the problem leaves out; see ``LiveModel``."""
        domains = [variable.domain for variable in problem.variables]
        return tuple([c for c, (v, a) in enumerate(self._pairs) if a not in domains[v]])

    def _problem_of(self, chosen: Sequence[int], refused: Sequence[int]) -> Problem:
        domains: dict[int, set[int]] = {}
        for v, a in (self._pairs[c] for c in chosen):
            domains[v] = {a}
        for v, a in (self._pairs[c] for c in refused):
            domains.setdefault(v, set(self._problem.variables[v].domain)).discard(a)
        return self._problem.restricted(domains)

    def exclude(self, choices: Sequence[int]) -> None:
        """Add a no-good to the problem; see ``LiveModel``."""
        values = tuple(self._pairs[c][1] for c in choices)
        self._problem = self._problem.with_constraints([NoGood(self._variables, values, least=self._least)])
