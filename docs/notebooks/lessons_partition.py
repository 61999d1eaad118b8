"""A partition as a tree of parts: how the rest after each solution is split into smaller problems.

The parts are those of ``milp_pips.enumeration.subproblems``, which enumerates with them; this module only
records from which part each was split. With filtering, they are created and searched as in ``enumerate
--method partition``. With ``rules=()`` they are those of the textbook (Lawler 1972, Murty 1968): one part for
every variable of the key, in which the variables before it are as in the solution and this one is not.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from milp_pips.engines.defaults import PARTITION
from milp_pips.engines.registry import available
from milp_pips.enumeration.methods import Listing
from milp_pips.enumeration.subproblems import Searcher, Subproblem
from milp_pips.extras.lab.puzzle_model import fact_text
from milp_pips.problem.answer import FILTERING, Claim, Proof, Settings
from milp_pips.problem.stopping import Deadline
from milp_pips.puzzles.puzzle import Puzzle
from milp_pips.render.vocabulary import Branch, Drawing, Note, Tree
from milp_pips.tasks.pipeline import prepare
from milp_pips.tasks.query import Run
from milp_pips.verification.second_opinion import on_complete


class SolutionPart(NamedTuple):
    """A part of the solutions, and the number of the ``parent`` from which it was split; None for the whole.

    ``kept`` are the conditions that it adds to those of its parent, in the words of the puzzle: choices that
    it shares with the parent's solution, and last the one in which it differs. ``how`` it ended: ``found``:
    the engine returned a solution; ``listed``: branching found all solutions; ``refuted``: filtering left
    nothing; ``empty``: the engine reports that there is none; ``open``: not searched yet. ``solutions`` are
    those found in the part itself, not in the parts split from it.
    """

    parent: int | None
    kept: tuple[str, ...]
    how: str = "open"
    solutions: tuple[Any, ...] = ()


class Partition(NamedTuple):
    """The solutions of a puzzle as the tree of the parts, each after its parent."""

    puzzle: Puzzle
    parts: tuple[SolutionPart, ...]
    confirmed_by: str | None

    @property
    def solutions(self) -> list[Any]:
        """All solutions."""
        return [solution for part in self.parts for solution in part.solutions]

    def summary(self) -> str:
        """Return one line."""
        count, parts = len(self.solutions), len(self.parts)
        return (
            f"{self.puzzle.name}: {count} solution{'' if count == 1 else 's'} in {parts} "
            f"part{'' if parts == 1 else 's'}, complete; confirmed by {self.confirmed_by}"
        )


def partition(puzzle: Puzzle, settings: Settings = Settings()) -> Partition:
    """Return the tree of the parts in which a partition enumerates the placements of a puzzle."""
    prepared, deadline = prepare(puzzle, Run("", settings)), Deadline()
    problem = prepared.problem
    listing = Listing(prepared.filtered, next(iter(problem.keys)), PARTITION, settings)
    searcher = Searcher([listing], cubes=False)
    parts, waiting = [SolutionPart(None, ())], [(0, Subproblem(0, ()))]
    listed = dict[tuple[int, ...], None]()
    # Invariant: every solution not yet listed lies in exactly one part, waiting or still to be split off.
    while waiting:
        number, subproblem = waiting.pop()
        searched = searcher.search(subproblem, deadline)
        if (found := searched.found) is not None:
            listing.used.add(found.formulation)
            assert found.point is not None or found.proof is Proof.INFEASIBLE, found.message
        solutions = tuple(prepared.judge(point, listing.solver) for point in searched.points)
        listed.update(dict.fromkeys(map(listing.key_of, searched.points)))
        how = ("listed" if solutions else "refuted") if found is None else "found" if solutions else "empty"
        parts[number] = parts[number]._replace(how=how, solutions=solutions)
        children = []
        for child in searched.subproblems:
            children.append((len(parts), child))
            parts.append(SolutionPart(number, _words(listing, dict(child.kept), dict(subproblem.kept))))
        waiting += reversed(children)  # so that the first one is searched first
    engine, filtering = available(listing.solver), FILTERING if listing.filters else ""
    claim = Claim("partition", engine.proof_family, ",".join(sorted(listing.used)), filtering)
    confirmed = on_complete(problem, listing.key, len(listed), listed, claim, deadline)
    return Partition(puzzle, tuple(parts), confirmed)


def _words(
    listing: Listing, kept: Mapping[int, Sequence[int]], before: Mapping[int, Sequence[int]]
) -> tuple[str, ...]:
    """Return the conditions that a part adds to those of its parent; each edge is named once."""
    added = [(v, values) for v, values in kept.items() if before.get(v) != values]
    return tuple(dict.fromkeys(fact_text(listing.problem, v, values) for v, values in added))


NOTES = {
    "found": Note("found", ("the engine returned a solution; the rest was split",), "#bfe3a2"),
    "listed": Note("listed", ("filtering and branching found all solutions",), "#a5d3f3"),
    "empty": Note("none", ("there is no solution",), "#e3e2de"),
}


def drawing(found: Partition) -> Drawing:
    """Return the tree of parts."""
    numbers = iter(range(1, len(found.solutions) + 1))
    nodes = []
    for i, part in enumerate(found.parts, 1):
        fill = NOTES["empty" if part.how == "refuted" else part.how].fill
        link = ("… " if len(part.kept) > 2 else "") + ", ".join(part.kept[-2:])
        nodes.append(Branch(part.parent, link, f"part {i}", (_result(part, numbers),), fill))
    return Drawing(f"{found.puzzle.name}: a partition", Tree(tuple(nodes)), tuple(NOTES.values()))


def _result(part: SolutionPart, numbers: Iterator[int]) -> str:
    which = [next(numbers) for _ in part.solutions]
    if which:
        return f"solution {which[0]}" if len(which) == 1 else f"solutions {which[0]} to {which[-1]}"
    return "none: filtered away" if part.how == "refuted" else "none, by the engine"
