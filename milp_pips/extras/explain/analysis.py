"""The analysis that ``explain``, ``hint`` and ``rate`` share: puzzle, board, and what follows from both.

Clauses derive the facts. Each fact is confirmed independently before it is reported: by the solution space if
it fits into memory, otherwise by another engine.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from milp_pips.compilation.limits import Budget, Unfinished
from milp_pips.compilation.solution_set import (
    SolutionSet,
    compile_by_branching,
    compile_problem,
    variables_of,
)
from milp_pips.engines.defaults import assumption_solver, suits_diagrams
from milp_pips.engines.registry import available
from milp_pips.extras.explain.confirmation import confirm_step
from milp_pips.extras.explain.facts import Clash, Fact, Step
from milp_pips.extras.explain.groups import cost_of_item, group_constraints
from milp_pips.extras.explain.reasoner import OutOfTime, Reasoner
from milp_pips.extras.explain.techniques.story import Story
from milp_pips.problem import Claim, Deadline, EngineFault, Problem, SubDeadline, UsageError
from milp_pips.problem.errors import Contradiction
from milp_pips.propagation import DEFAULT_RULES, reduce_domains
from milp_pips.puzzles.puzzle import Board, Puzzle, moves_on
from milp_pips.tasks.pipeline import prepare, puzzle_of
from milp_pips.verification.second_opinion import on_complete

ANALYSIS_SPACE_BYTES, ANALYSIS_SECONDS, SINGLE_STEP_SECONDS = 2**25, 1.0, 0.2
"""The bytes and the seconds that the solution space may take, and the seconds if only one step is requested.
The spaces of the Times' hard puzzles take 4 ms at most. If a space does not fit, another engine proves the
steps one by one."""

BRANCHING_NODES = 10_000
"""The nodes of branches that find the space where diagrams would be large. Of 20 famous Sudokus it is found
for 19, in 0.35 s at most. The clauses and another engine then prove in 0.06 s that there is one solution, but
an engine takes 0.5 s to load (``benchmarks/reasons.py --row sudokus``)."""

CONFLICTS_BEFORE_CP = 2000
"""The conflicts after which the arithmetic engine searches for the solution instead. Boards of 20 to 100
dominoes that have a solution took at most 1,000 conflicts and 0.3 s."""

LARGE_BOARD_CELLS = 200
"""The number of cells from which a hint first tries the rules alone, without domino counts. At 300 dominoes
the counts make up five clauses of six and take 2 s to encode (``benchmarks/reasons.py --row large``)."""


def puzzle_for_players(given: object, task: str) -> Puzzle:
    """Return the puzzle that a task was given. Raises UsageError for a linear model."""
    puzzle = puzzle_of(given, task)
    if puzzle.is_model:
        raise UsageError(
            f"{puzzle.name} is a linear model, and {task} is for puzzles: solve and explain take models"
        )
    return puzzle


class BoardAnalysis:
    """A puzzle split into items and loaded into an engine, with the values on its board.

    Parameters
    ----------
    puzzle
        The puzzle.
    deadline
        The deadline. Every method that calls the engine raises OutOfTime when it stops.
    board
        The values that the player has filled in; None for none. Raises UsageError for an impossible value.
    quick
        Whether only one step is wanted. All consequences are then derived only if the solution space does not
        fit. The clauses have learnt less in this mode and may find another of two steps of equal cost, so a
        rating must not use it.
    counted
        Whether to encode how many dominoes there are of each kind. Without the counts, everything derived is
        still correct, but some consequences are missed.
    """

    def __init__(
        self,
        puzzle: Puzzle,
        deadline: Deadline,
        board: Board | None = None,
        *,
        quick: bool = False,
        counted: bool = True,
    ):
        self.deadline, self._quick, self._counted = deadline, quick, counted
        self._prepared = prepare(puzzle)
        self.problem = self._prepared.problem
        self.grouped = group_constraints(self.problem)
        if not counted:
            self.grouped = self.grouped.without("dominoes")
        self.moves = moves_on(self.problem, board)
        self.everything = range(len(self.grouped.items))
        self.known = [*self._givens(), *(Fact(v, value, True) for v, value in self.moves.items())]
        """The values on the board: the givens, and what the player filled in."""
        self.point: tuple[int, ...] | None = None
        """A solution that contains the board, set when ``has_solution`` returns True."""
        self._sole, self._sole_by = frozenset[int](), ""
        """The variables that have only the values of that solution, and what has confirmed it."""

    @cached_property
    def reasoner(self) -> Reasoner:
        """The reasoner with the puzzle loaded as clauses."""
        return Reasoner(self.grouped, self.deadline)

    @cached_property
    def _standing(self) -> list[int]:
        """The literals of the player's values."""
        return [self.reasoner.literal(Fact(v, value, True)) for v, value in self.moves.items()]

    def _givens(self) -> Iterator[Fact]:
        for item in self.grouped.items:
            if item.kind == "given":
                yield item.fact

    @property
    def is_full(self) -> bool:
        """Whether every cell that shows a value is filled."""
        filled = {fact.variable for fact in self.known}
        return all(
            v in filled or v in self.grouped.partners or len(variable.domain) == 1
            for v, variable in enumerate(self.grouped.variables)
        )

    def has_solution(self) -> bool:
        """Whether a solution contains the board. Raises EngineFault if the engine's solution is invalid."""
        if self.space is not None:
            if not self.space.count:
                return False
            self.point = tuple(next(iter(self.space.assignments())))
            self._prepared.judge(self.point, "the solution space")
            return True
        reasoner, items, standing = self.reasoner, self.everything, self._standing
        seen = self._quick and reasoner.solve_limited(items, CONFLICTS_BEFORE_CP, standing)
        if not (seen or reasoner.solve(items, standing)):
            return False
        if self._counted:
            self.point = reasoner.point()
            self._prepared.judge(self.point, self.who)
        return True

    @property
    def is_large(self) -> bool:
        """Whether the domino counts take long to encode."""
        return len(self.grouped.partners) > LARGE_BOARD_CELLS

    @property
    def is_refuted(self) -> bool:
        """Whether filtering proves that no solution contains the board."""
        try:
            reduce_domains(self._restricted, DEFAULT_RULES, self.deadline)
        except Contradiction:
            return True
        return False

    @property
    def who(self) -> str:
        """The title of the engine that derives the reasons."""
        return available(assumption_solver()).title

    @cached_property
    def options(self) -> dict[int, tuple[int, ...]]:
        """For each variable, the values that it takes in some solution; requires that one exists."""
        if self._taken is not None:
            return {v: tuple(sorted(values)) for v, values in self._taken.items()}
        assert self.point is not None
        decided = {fact.variable: (fact.value,) for fact in self._givens()}
        ruled_out = set[tuple[int, int]]()
        # What all solutions share, the backbone, is among what one of them has.
        shared = [a for a in self.reasoner.literals if self.reasoner.fact(a).is_true(self.point)]
        for literal in self.reasoner.consequences(self.everything, self._standing, shared):
            for v, value, holds in self._both_ends(self.reasoner.fact(literal)):
                if holds:
                    decided[v] = (value,)
                else:
                    ruled_out.add((v, value))
        return {
            v: decided.get(v) or tuple(value for value in domain if (v, value) not in ruled_out)
            for v, (_, domain) in enumerate(self.grouped.variables)
        }

    def _both_ends(self, fact: Fact) -> Iterator[Fact]:
        """Yield the fact and, if it is about a domino, the same fact from the domino's other cell."""
        yield fact
        if turned := self.grouped.turned(fact):
            yield turned

    @property
    def differing(self) -> dict[int, tuple[int, ...]]:
        """The values of each variable of the first key that takes several; empty if all are decided."""
        key = next(iter(self.problem.keys.values()))
        return {v: self.options[v] for v in key if len(self.options[v]) > 1}

    @cached_property
    def _restricted(self) -> Problem:
        """The problem restricted to the values on the board."""
        return self.problem.restricted({v: (value,) for v, value in self.moves.items()})

    @cached_property
    def space(self) -> SolutionSet | None:
        """The space of all solutions that contain the board; None if it does not fit."""
        if not self._counted:
            return None
        seconds = SINGLE_STEP_SECONDS if self._quick else ANALYSIS_SECONDS
        budget = Budget.of_memory(ANALYSIS_SPACE_BYTES)
        try:
            reduced = reduce_domains(self._restricted, DEFAULT_RULES, SubDeadline(self.deadline, seconds))
            if not (self._quick or suits_diagrams(reduced)):
                found = next(compile_by_branching([reduced], BRANCHING_NODES, self.deadline, {}), None)
                if found is not None or self._is_sole():
                    return found  # with a sole solution, what follows is known without the space
            return compile_problem(reduced, None, budget, SubDeadline(self.deadline, seconds))
        except Contradiction:
            return SolutionSet(self._restricted, variables_of(self._restricted, None), None)
        except Unfinished:
            return None

    def _is_sole(self) -> bool:
        """Whether the clauses prove that there is one solution, and another engine confirms it."""
        reasoner, key = self.reasoner, next(iter(self.problem.keys.values()))
        if not reasoner.solve(self.everything, self._standing):
            return False
        point = reasoner.point()
        other = reasoner.negated_conjunction([reasoner.literal(Fact(v, point[v], True)) for v in key])
        return not reasoner.solve(self.everything, [*self._standing, other]) and self._confirm_sole(point)

    def _confirm_sole(self, point: Sequence[int]) -> bool:
        """Whether another engine confirms that there is no other solution than this point."""
        name, key = next(iter(self.problem.keys.items()))
        claim = Claim(self.who, available(assumption_solver()).proof_family)
        listed = [[point[v] for v in key]]
        by = on_complete(self._restricted, name, 1, listed, claim, self.deadline)
        self._sole, self._sole_by = frozenset(key if by else ()), by or ""
        return bool(by)

    @cached_property
    def _taken(self) -> Mapping[int, Mapping[int, int]] | None:
        """The number of solutions for each value of each variable; None if the space does not fit."""
        try:
            return None if self.space is None else self.space.value_counts(self.deadline)
        except Unfinished:
            raise OutOfTime from None

    def know(self, facts: Iterable[Fact]) -> None:
        """Add to the known facts those that hold in all solutions. Call this before the first step."""
        new = {self.reasoner.literal(fact): fact for fact in facts if fact not in self.known}
        if new:
            if self._taken is not None:
                true = self._true_in_all & new.keys()
            else:
                true = self.reasoner.consequences(self.everything, self._standing, new)
            self.known += [fact for literal, fact in new.items() if literal in true]

    def confirm(self) -> str | None:
        """Return the method that confirms ``differing`` and that nothing else differs; None if none does.

        Raises EngineFault if the confirmation contradicts it.
        """
        if self._taken is not None:
            return "the solution space"
        if not (self._sole_by or self.differing or self.point is None):
            self._confirm_sole(self.point)
        return self._sole_by or None

    def steps(self) -> Iterator[Step]:
        """Yield the steps that follow from the board, the cheapest next, each certified.

        Raises OutOfTime, and EngineFault if a step does not hold.
        """
        for step in self.trace.steps():
            self.certify(step)
            yield step

    @cached_property
    def trace(self) -> Story:
        """The known facts, and the steps that lead to more."""
        if not self._counted:
            return Story(self.grouped, self.known, stop=self.look)
        return Story(
            self.grouped,
            self.known,
            gap=self._gap,
            stop=self.look,
            is_possible=self._is_possible,
        )

    def _gap(self, facts: Sequence[Fact]) -> Step | None:
        """Return a step by clauses from these facts; None if they are all that follows."""
        if (taken := self._taken) is not None:
            closed = {fact[:2] for each in facts if not each.holds for fact in self._both_ends(each)}
            answers = ((v, self.grouped.variables[v].domain) for v in self.problem.answer_variables)
            if all(value in taken[v] or (v, value) in closed for v, domain in answers for value in domain):
                return None
        return self.reasoner.proof_step(facts, self._true_in_all)

    def _is_possible(self, fact: Fact) -> bool:
        """Whether a solution is known to have the fact."""
        if self._taken is not None:
            return fact.value in self._taken[fact.variable]
        return self.point is not None and fact.variable in self._sole and fact.is_true(self.point)

    def look(self) -> None:
        """Raise OutOfTime if the deadline has stopped."""
        if self.deadline.stop:
            raise OutOfTime

    @cached_property
    def _true_in_all(self) -> set[int]:
        """The literals of all facts that hold in all solutions."""
        return {a for a in self.reasoner.literals if self.holds(self.reasoner.fact(a))}

    def holds(self, fact: Fact) -> bool:
        """Whether a fact holds in all solutions; requires that a solution exists. Raises OutOfTime."""
        options = self.options[fact.variable]
        return options == (fact.value,) if fact.holds else fact.value not in options

    def certify(self, step: Step) -> str:
        """Return the method that confirms that the conclusions hold in all solutions.

        Raises EngineFault if one does not hold, and OutOfTime if no method could decide.
        """
        is_sole = all(fact.variable in self._sole for fact in step.conclusions)
        if self._taken is None and not is_sole:
            by = confirm_step(self.grouped, step, self.deadline)
            if not by:
                raise OutOfTime
            return by
        for fact in step.conclusions:
            if not self.holds(fact):
                name = self.problem.variables[fact.variable].name
                raise EngineFault(f"{self.who} draws a conclusion about {name} that some solution breaks")
        return self._sole_by or "the solution space"


def size_of(clash: Clash) -> tuple[int, int, float]:
    """Return a sort key for the length of a reason: the number of items, the number of kinds, and their cost.

    The upper limit on dominoes of a kind and the demand that all of them are laid count as two kinds.
    """
    kinds = {(item.kind, item.part if item.kind == "dominoes" else "") for item in clash.items}
    return len(clash.items), len(kinds), sum(map(cost_of_item, clash.items))
