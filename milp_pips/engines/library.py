"""The base classes of solvers, which assemble their answers, and helpers for statuses and options."""

from __future__ import annotations

import ast
import time
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from importlib.util import find_spec
from math import inf
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from milp_pips.engines.contract import PointIterator, Solver
from milp_pips.engines.contract import Points as Points
from milp_pips.problem import VERSION
from milp_pips.problem.answer import Answer, Proof, Settings, Stop
from milp_pips.problem.constraint import Constraint
from milp_pips.problem.errors import UsageError, unknown_name
from milp_pips.problem.problem import Problem
from milp_pips.problem.stopping import Deadline

if TYPE_CHECKING:
    from milp_pips.engines.contract import LiveModel
    from milp_pips.formulations.cnf import CnfEncoding
    from milp_pips.formulations.linear_problem import LinearProblem
    from milp_pips.formulations.milp.model import EncodedModel
    from milp_pips.formulations.model import Model

__all__ = ["ClauseSolver", "LibrarySolver", "MipSolver", "answer_of", "end_of_list", "installed", "literal"]

OWN_DISTRIBUTION = "milp-pips"
"""The distribution of the solvers that this package contains."""

Status = TypeVar("Status", bound=Hashable)


Run: TypeAlias = Callable[[], Answer]
"""A function that searches for a point of a problem that has been stated to an engine."""


def answer_of(
    statuses: Mapping[Status, tuple[Proof, Stop]],
    status: Status,
    deadline: Deadline,
    vector: Callable[[], Sequence[Any] | None],
    words: str,
    **reported: Any,
) -> Answer:
    """Return the answer that an engine's status means.

    Parameters
    ----------
    statuses
        Status → proof and stop. A status that is not listed is an error of the engine.
    status
        The engine's status.
    deadline
        The deadline of the run. Once it has passed, it is the reason for a limit or an interruption.
    vector
        Returns the point or vector that the engine found, or None. It is called unless there is none.
    words
        The message if the status is an error.
    reported
        Further fields of the answer.
    """
    # By such a status there is no point, whatever vector the engine still holds.
    proof, stop = statuses.get(status, (Proof.NONE, Stop.ERROR))
    x = None if proof is Proof.INFEASIBLE else vector()
    if x is not None:
        proof = Proof.FEASIBLE
    if stop in (Stop.COUNT, Stop.INTERRUPTED):
        stop = deadline.stop or stop
    return Answer(x, proof, stop, words if stop is Stop.ERROR else "", **reported)


def end_of_list(
    complete: object, deadline: Deadline, otherwise: Stop = Stop.INTERRUPTED
) -> tuple[Proof, Stop]:
    """Return proof and stop at the end of a list of points; see ``Points``."""
    if complete:
        return Proof.COMPLETE, Stop.FINISHED
    return Proof.NONE, deadline.stop or otherwise


def answer_of_points(points: Points, problem: Problem, deadline: Deadline) -> Answer:
    """Return the first point of a list as an answer; with an objective, the last of better and better ones.

    That is the best one if the list is complete. The generator is closed.
    """
    objective, found = problem.objective, None
    for found in (listed := PointIterator(points)):
        if objective is None:
            return Answer(found, Proof.FEASIBLE, Stop.FINISHED)
        deadline.progress.improve(objective.cost(objective.value(found)))
    complete = listed.proof is Proof.COMPLETE
    if found is None:
        return Answer(None, Proof.INFEASIBLE if complete else Proof.NONE, listed.stop)
    return Answer(found, Proof.FEASIBLE, listed.stop, bound=inf if complete else None)


class LibrarySolver(Solver):
    """A solver whose engine is a Python library; the library is not imported before it is used.

    A subclass implements ``state``, or else ``solve``. Its ``proof_family`` is its own name unless a subclass
    sets another.

    Parameters
    ----------
    variant
        The part after the colon in ``name:variant``, for solvers that reach several engines.
    """

    name: str
    requires: tuple[str, ...] = ()
    distribution = OWN_DISTRIBUTION
    formulations: tuple[str, ...] = ("",)
    transformations: tuple[str, ...] = ("filter",)

    def __init__(self, variant: str = ""):
        if variant and not self.variants:
            raise UsageError(f"{self.name} has no variants: there is no {self.name}:{variant}")
        self.variant = variant
        self.proof_family = self.proof_family or self.name
        if variant:
            self.name = f"{self.name}:{variant}"

    @property
    def native(self) -> Collection[type[Constraint]]:
        """The classes to which it bridges all other constraints; none if it does not bridge."""
        return ()

    def unavailable(self) -> str:
        """Return which module is missing and how to install it; empty if none is missing."""
        for module in self.requires:
            if find_spec(module) is None:
                return f"the module {module} is not installed: pip install {self.distribution}"
        return ""

    def version(self) -> str:
        """Return the installed version of the library."""
        return installed(self.distribution)

    def check(self, settings: Settings) -> None:
        """Raise UsageError for a formulation or an option that this solver does not have."""
        if not (settings.formulation or settings.options):  # listing the formulations reads entry points
            return
        lacks = {"no formulations": self.formulations == ("",), "no options": "options" not in self.features}
        given = {"no formulations": settings.formulation, "no options": settings.options}
        if any(given[words] and lacks[words] for words in lacks):
            raise UsageError(f"{self.name} has {' and '.join(filter(lacks.get, lacks))}")
        for name in filter(None, map(str.strip, settings.formulation.split(","))):
            if name not in self.formulations:
                raise unknown_name("formulation", name, self.formulations)

    def state(self, problem: Problem, settings: Settings, deadline: Deadline) -> Run | None:
        """State the problem to the engine; return the search for a point.

        Return None if the deadline passes first. Raises UsageError for an option that the engine refuses.
        """
        raise NotImplementedError

    def solve(self, problem: Problem, settings: Settings, deadline: Deadline) -> Answer:
        """Return the answer of one run; see ``Solver``."""
        self.check(settings)
        begun = time.perf_counter()
        run = self.state(problem, settings, deadline)
        built = time.perf_counter()
        if run is None:
            stop = deadline.stop or Stop.INTERRUPTED
            return Answer(None, Proof.NONE, stop, formulation=settings.formulation)
        with deadline.progress.towards(problem.objective):
            found = run()
            if problem.objective is not None and found.point is not None:
                deadline.progress.improve(problem.objective.cost(problem.objective.value(found.point)))
        answer = replace(
            found,
            point=None if found.point is None else tuple(found.point),
            formulation=found.formulation or settings.formulation,
            seconds={"build": built - begun, "solve": time.perf_counter() - built},
            bound=None,
        )
        if problem.objective is None:
            return answer
        from milp_pips.problem.objective import with_value  # few problems have one

        bound = found.bound
        if bound == inf and any("gap" in name.lower() for name in settings.options):
            bound = None  # "optimal" then means near enough
        return with_value(
            answer, problem.objective, [variable.domain for variable in problem.variables], bound
        )


class ClauseSolver(LibrarySolver):
    """A solver of the problem as clauses; a subclass implements ``encode``."""

    kind = "sat"
    transformations = ("filter", "clauses")
    features = frozenset({"time limit", "enumeration", "projection", "assumptions"})

    def encode(self, problem: Problem, deadline: Deadline) -> tuple[CnfEncoding, Any] | None:
        """Return the problem as clauses, and these loaded in the engine; None if the deadline passes first.

        The latter has the methods of ``LoadedClauses``, and ``statistics``.
        """
        raise NotImplementedError

    def is_confirmed(
        self, _statement: CnfEncoding, _search: Any, _further: Sequence[list[int]], _deadline: Deadline
    ) -> bool:
        """Return whether the proof that the statement with further clauses has no model is checked."""
        return True

    def state(self, problem: Problem, settings: Settings, deadline: Deadline) -> Run | None:  # noqa: ARG002
        """State the problem as clauses; see ``LibrarySolver``."""
        encoded = self.encode(problem, deadline)
        if encoded is None:
            return None
        return partial(self.run, *encoded, problem, deadline)

    def run(self, statement: CnfEncoding, search: Any, _problem: Problem, deadline: Deadline) -> Answer:
        """Return the outcome of the search for a point."""
        found, point = self.next_point(statement, search, deadline)
        counts = {} if found is None else search.statistics()
        size = {"columns": statement.variables, "rows": len(statement.clauses)}
        if point is not None:
            return Answer(point, Proof.FEASIBLE, Stop.FINISHED, "", counts, size)
        if found is None or not self.is_confirmed(statement, search, (), deadline):
            return Answer(None, Proof.NONE, deadline.stop or Stop.INTERRUPTED, "", counts, size)
        return Answer(None, Proof.INFEASIBLE, Stop.FINISHED, "", counts, size)

    def next_point(
        self, statement: CnfEncoding, search: Any, deadline: Deadline
    ) -> tuple[bool | None, tuple[int, ...] | None]:
        """Return whether there is a point, None for undecided, and the point.

        A model that breaks a postponed constraint is excluded by more clauses, until there is none.
        """
        while found := search.solve((), deadline):
            point = statement.decode(search.model())
            broken = statement.refine(point)
            if not broken:
                return True, point
            for clause in broken:
                search.add(clause)
        return found, None

    def points(self, problem: Problem, key: str, settings: Settings, deadline: Deadline) -> Points:
        """Yield one point per solution that differs in the key; see ``EnumeratingSolver``.

        After each point, an added clause requires that something in the key differs.
        """
        self.check(settings)
        encoded = self.encode(problem, deadline)
        if encoded is None:
            return end_of_list(False, deadline)
        statement, search = encoded
        further: list[list[int]] = []
        while True:
            found, point = self.next_point(statement, search, deadline)
            if point is None:
                break
            # The clause follows the point: who wants one point never waits for it.
            yield point
            taken = {statement.literal(v, point[v]) for v in problem.keys[key]}
            further.append([-literal for literal in sorted(taken - {statement.true})])
            search.add(further[-1])
        complete = found is False and self.is_confirmed(statement, search, further, deadline)
        return end_of_list(complete, deadline)


class MipSolver(LibrarySolver):
    """A solver of the 0-1 model; a subclass implements ``load``."""

    kind = "mip"
    transformations = ("filter", "linearise")

    @cached_property
    def formulations(self) -> tuple[str, ...]:  # type: ignore[override]
        """The formulations of the 0-1 model; each is a choice for the constraint that it states."""
        from milp_pips.formulations.milp import choices

        return tuple(choices())

    def load(self, model: Model, settings: Settings, deadline: Deadline) -> Any:
        """Return the model loaded into the engine, as ``Loaded``; without ``cuts`` it needs only ``run``.

        Raises UsageError for an unknown option.
        """
        raise NotImplementedError

    def solve(self, problem: Problem | LinearProblem, settings: Settings, deadline: Deadline) -> Answer:
        """Return the answer of one run; see ``Solver``."""
        if isinstance(problem, Problem):
            return super().solve(problem, settings, deadline)
        self.check(settings)
        begun = time.perf_counter()
        from milp_pips.runtime.interruptible import build_interruptibly

        # A thread builds it, because loading a large model does not look at the deadline.
        live = build_interruptibly(lambda: self.live(problem, "", settings), deadline)
        built = time.perf_counter()
        if live is None:
            return Answer(None, Proof.NONE, deadline.stop or Stop.INTERRUPTED)
        answer = live.solve(problem, deadline)
        return replace(answer, seconds={"build": built - begun, "solve": time.perf_counter() - built})

    def live(self, problem: Problem | LinearProblem, key: str, settings: Settings) -> LiveModel:
        """Return the problem as a model that stays loaded; see ``LiveSolver``."""
        if isinstance(problem, Problem):
            from milp_pips.engines.exact_search import LiveMip  # which most tasks do not need
            from milp_pips.formulations.milp.draft import formulate

            model = formulate(problem, settings.formulation, key)
            return LiveMip(problem, key, model, self.load(model, settings, Deadline()))
        from milp_pips.engines.exact_search import ExactSearch  # puzzles do not need it

        return ExactSearch(problem, self.load(problem.model, settings, Deadline()), self.name)

    def stated(
        self, problem: Problem, settings: Settings, deadline: Deadline, key: str = ""
    ) -> tuple[EncodedModel, Any] | None:
        """Return the 0-1 model of a problem, see ``formulate``, and that loaded into the engine.

        None if the deadline passes first: stating a large puzzle takes long, and building it in a modelling
        library takes much longer.
        """
        from milp_pips.formulations.milp.draft import formulate
        from milp_pips.runtime.interruptible import build_interruptibly

        def load() -> tuple[EncodedModel, Any]:
            model = formulate(problem, settings.formulation, key)
            return model, self.load(model, settings, deadline)

        return build_interruptibly(load, deadline)

    def state(self, problem: Problem, settings: Settings, deadline: Deadline) -> Run | None:
        """State the problem as a 0-1 model and load it into the engine; see ``LibrarySolver``.

        Unless a formulation is named, lazy constraints are left out, and rows are added that exclude the
        points which break them.
        """
        lazily = "cuts" in self.features and not settings.formulation and problem.objective is None
        lazy = [constraint for constraint in problem.constraints if lazily and constraint.is_lazy]
        rest = [constraint for constraint in problem.constraints if not (lazily and constraint.is_lazy)]
        domains = [variable.domain for variable in problem.variables]
        stated = self.stated(replace(problem, constraints=tuple(rest)), settings, deadline)
        if stated is None:
            return None
        model, loaded = stated

        def run() -> Answer:
            while True:
                answer: Answer = loaded.run(deadline)
                point = None if answer.point is None else model.decode(answer.point)
                broken = (
                    [] if point is None else [p for one in lazy for p in one.lazy_clauses(point, domains)]
                )
                for pairs in broken:
                    columns = Counter(column for pair in pairs for column in model.columns_of(*pair))
                    loaded.add_row([*columns], [*columns.values()], 1, inf)
                if broken and deadline.stop:
                    return Answer(None, Proof.NONE, deadline.stop)
                if not broken:
                    return replace(answer, point=point, size=model.size, formulation=model.formulation)

        return run


def installed(distribution: str) -> str:
    """Return the installed version of a distribution; empty if it is not installed."""
    if distribution == OWN_DISTRIBUTION:
        return VERSION  # importing the reader of metadata takes as long as half of a small solve
    from importlib import metadata

    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return ""


def literal(text: str) -> object:
    """Return the value of an option's text: a number, a truth value, a list, or else the text itself."""
    try:
        return ast.literal_eval(text.capitalize() if text in ("true", "false") else text)
    except (ValueError, SyntaxError):
        return text
