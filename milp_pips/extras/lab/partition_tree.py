"""Show a partition as a tree of parts: how the rest after each solution is split into smaller problems.

The parts are those of ``milp_pips.enumeration.subproblems``, which enumerates with them; this module only
records from which part each was split. With filtering, they are created and searched as in ``enumerate
--method partition``. With ``rules=()`` they are those of the textbook (Lawler 1972, Murty 1968): one part for
every variable of the key, in which the variables before it are as in the solution and this one is not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Unpack

from milp_pips.engines.defaults import PARTITION
from milp_pips.engines.registry import available
from milp_pips.enumeration.methods import Listing
from milp_pips.enumeration.subproblems import Searcher, SearchResult, Subproblem
from milp_pips.extras.lab.puzzle_model import fact_text
from milp_pips.problem.answer import FILTERING, Claim, Proof, Settings, Shortcuts, Stop
from milp_pips.problem.errors import EngineFault
from milp_pips.problem.parameters import named_keywords
from milp_pips.problem.result import TaskResult
from milp_pips.problem.stopping import Deadline, running_deadline
from milp_pips.puzzles.puzzle import known_key
from milp_pips.tasks.pipeline import prepare, puzzle_of, settings_of
from milp_pips.tasks.prepared import Prepared
from milp_pips.tasks.query import Run
from milp_pips.verification.second_opinion import on_complete

if TYPE_CHECKING:
    from milp_pips.problem.problem import Problem
    from milp_pips.puzzles.puzzle import Puzzle


@dataclass(frozen=True, slots=True)
class SolutionPart:
    """A part of the solutions.

    Parameters
    ----------
    parent
        The number of the part from which it was split; None for the whole.
    kept
        The conditions it adds to those of its parent, in the words of the puzzle: choices that it shares with
        the parent's solution, and last the one in which it differs.
    how
        ``found``: the engine returned a solution; ``listed``: branching found all solutions; ``refuted``:
        filtering left nothing; ``empty``: the engine reports that there is none; ``open``: not searched.
    solutions
        The solutions found in the part itself, not in the parts split from it.
    """

    parent: int | None
    kept: tuple[str, ...]
    how: str
    solutions: tuple[Any, ...]


@dataclass(frozen=True)
class Partition(TaskResult):
    """The solutions of a puzzle, enumerated by a partition, as the tree of its parts.

    Parameters
    ----------
    puzzle
        The puzzle.
    key
        The key that distinguishes solutions.
    parts
        The parts in the order in which they were created, each after its parent.
    complete
        Whether all parts have been searched, and it is confirmed that there is no further solution.
    stop
        The stopping criterion.
    confirmed_by
        The method that confirmed completeness; None if none did.
    """

    puzzle: Puzzle
    key: str
    parts: tuple[SolutionPart, ...] = field(repr=False)
    complete: bool
    stop: Stop
    confirmed_by: str | None

    @property
    def solutions(self) -> list[Any]:
        """All solutions."""
        return [solution for part in self.parts for solution in part.solutions]


@named_keywords
def partition(
    puzzle: Puzzle | Problem,
    settings: Settings = Settings(),
    *,
    distinct: str = "",
    limit: int | None = None,
    deadline: Deadline | None = None,
    **shortcuts: Unpack[Shortcuts],
) -> Partition:
    """Return the tree of the parts in which a partition enumerates the solutions of a puzzle.

    Parameters
    ----------
    puzzle
        A puzzle of any family, or a bare problem.
    settings, deadline, shortcuts
        As for ``solve``. As for ``solutions``, problem and parts are filtered unless ``rules`` disables it.
    distinct
        The key that distinguishes solutions; empty for the first key.
    limit
        The most solutions; the remaining parts are not searched.

    Raises
    ------
    UsageError
        For an unknown key, rule or formulation.
    EngineFault
        If a solution breaks a rule or is repeated, or if a further solution exists at the end.
    """
    puzzle = puzzle_of(puzzle, "partition")
    settings = settings_of(settings, shortcuts)
    with running_deadline(deadline, settings.seconds) as deadline:
        prepared = prepare(puzzle, Run("", settings, deadline))
        key = known_key(prepared.problem, distinct)
        listing = Listing(prepared.filtered, key, PARTITION, settings)
        return _PartitionBuilder(prepared, listing, deadline).run(limit)


class _PartitionBuilder:
    """A partition in progress: a stack of parts that wait to be searched."""

    def __init__(self, prepared: Prepared, listing: Listing, deadline: Deadline):
        self._prepared, self._listing, self._deadline = prepared, listing, deadline
        self._parts = [SolutionPart(None, (), "open", ())]
        self._waiting = [(0, Subproblem(0, ()))]
        self._listed: dict[tuple[int, ...], None] = {}

    def run(self, limit: int | None) -> Partition:
        """Search one part after another."""
        # Invariant: every solution not yet listed lies in exactly one part, waiting or still to be split off.
        searcher, stop = Searcher([self._listing], cubes=False), Stop.FINISHED
        while self._waiting and stop is Stop.FINISHED:
            if limit is not None and len(self._listed) >= limit:
                stop = Stop.COUNT
                break
            number, subproblem = self._waiting.pop()
            searched = searcher.search(subproblem, self._deadline)
            stop = self._record(number, subproblem, searched)
        confirmed = self._confirm() if stop is Stop.FINISHED else None
        if stop is Stop.FINISHED and not confirmed:
            stop = self._deadline.stop or stop
        puzzle = self._prepared.puzzle
        parts = tuple(self._parts)
        return Partition(puzzle, self._listing.key, parts, bool(confirmed), stop, confirmed)

    def _record(self, number: int, subproblem: Subproblem, searched: SearchResult) -> Stop:
        """Record what was found in a part, and the parts into which the rest is split."""
        part, listing, found = self._parts[number], self._listing, searched.found
        if found is not None:
            listing.used.add(found.formulation)
            if found.point is None and found.proof is not Proof.INFEASIBLE:
                if found.stop is Stop.ERROR and not self._deadline.stop:
                    raise EngineFault(f"{listing.solver} failed: {found.message}")
                return self._deadline.stop or found.stop
        solutions = tuple(self._judge(point) for point in searched.points)
        how = ("listed" if solutions else "refuted") if found is None else "found" if solutions else "empty"
        self._parts[number] = SolutionPart(part.parent, part.kept, how, solutions)
        # the stack takes the children in reverse, so that the first one is searched first
        children = []
        for child in searched.subproblems:
            children.append((len(self._parts), child))
            kept = self._words(dict(child.kept), dict(subproblem.kept))
            self._parts.append(SolutionPart(number, kept, "open", ()))
        self._waiting += reversed(children)
        return self._deadline.stop or Stop.FINISHED

    def _judge(self, point: tuple[int, ...]) -> Any:
        solution = self._prepared.judge(point, self._listing.solver)
        key = self._listing.key_of(point)
        if key in self._listed:
            raise EngineFault(f"{self._listing.solver} gave a solution of another part")
        self._listed[key] = None
        return solution

    def _words(
        self, kept: Mapping[int, Sequence[int]], before: Mapping[int, Sequence[int]]
    ) -> tuple[str, ...]:
        """Return the conditions that a part adds to those of its parent; each edge is named once."""
        problem = self._listing.problem
        added = [(v, values) for v, values in kept.items() if before.get(v) != values]
        return tuple(dict.fromkeys(fact_text(problem, v, values) for v, values in added))

    def _confirm(self) -> str | None:
        listing, engine = self._listing, available(self._listing.solver)
        second_family = FILTERING if listing.filters else ""
        used = ",".join(sorted(listing.used))
        claim = Claim(f"{listing.solver} by partition", engine.proof_family, used, second_family)
        problem = self._prepared.problem
        return on_complete(problem, listing.key, len(self._listed), self._listed, claim, self._deadline)
