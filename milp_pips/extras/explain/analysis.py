"""What the verbs of reasons share: a puzzle taken apart, what stands on its board, what follows from both.

Clauses find what follows; nothing of it is told before something else has agreed: the solution space where it
fits, another engine where it does not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from sys import maxsize
from typing import TYPE_CHECKING

from milp_pips.compilation.diagram import Allowance, Budget, Unfinished
from milp_pips.compilation.space import Space, compile_space
from milp_pips.engines.defaults import assumption_solver
from milp_pips.engines.registry import available
from milp_pips.extras.explain.confirmation import confirm_step
from milp_pips.extras.explain.costs import cost_of_item
from milp_pips.extras.explain.facts import Clash, Fact, Step
from milp_pips.extras.explain.reasoner import OutOfTime, Reasoner
from milp_pips.extras.explain.steps import Trace
from milp_pips.problem.errors import EngineFault
from milp_pips.problem.groups import Tiling, group_constraints
from milp_pips.problem.stopping import Deadline, SubDeadline
from milp_pips.propagation import DEFAULT_RULES, Contradiction, reduce_domains
from milp_pips.puzzles.puzzle import Board, moves_on
from milp_pips.tasks.pipeline import prepare
from milp_pips.verification.second_opinion import Claim, on_complete

if TYPE_CHECKING:
    from milp_pips.problem.problem import Problem
    from milp_pips.puzzles.puzzle import Puzzle

MEMORY, SECONDS, QUICK = 2**25, 1.0, 0.2
"""Bytes and seconds that the solution space may take, where nobody has asked for it, and seconds where one
step is asked for. Those of the Times' hard puzzles take 4 ms at most; where one does not fit, another engine
proves the steps one by one."""

CONFLICTS_BEFORE_CP = 2000
"""Conflicts after which a solution is left to the engine that calculates: boards of 20 to 100 dominoes took
at most 1,000, and 0.3 s, where they have one."""

LARGE_BOARD_CELLS = 200
"""Cells from which on a hint asks the rules alone first: how many dominoes there are of each kind takes five
clauses of six, and 2 s of the processor to state at 300 dominoes (``benchmarks/reasons.py --row large``)."""


class BoardAnalysis:
    """A puzzle taken apart and loaded, with what stands on its board.

    Parameters
    ----------
    puzzle
        The puzzle.
    deadline
        When to stop: every method that asks the engine raises OutOfTime then.
    board
        What a player has filled in; None for nothing. Raises UsageError for what no cell can be.
    quick
        Whether one step is wanted, and all that follows only where that takes more than the space of all
        solutions. Clauses know less then, and so may find another of two steps that cost the same: no rating
        is to rest on it.
    counted
        Whether it matters how many dominoes there are of each kind. Without, what is found follows all the
        same, but not all that follows is found.
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
        self._prepared = prepare(puzzle, ())
        self.problem = self._prepared.problem
        self.grouped = group_constraints(self.problem)
        if not counted:
            self.grouped = self.grouped.without("dominoes")
        self._tiling_of = {
            v: tiling for tiling in self.grouped.hard if isinstance(tiling, Tiling) for v in tiling.partners
        }
        self.moves = moves_on(self.problem, board)
        self.everything = range(len(self.grouped.items))
        self.known = [*self._givens(), *(Fact(v, value, True) for v, value in self.moves.items())]
        """What stands on the board: the givens, and what was filled in."""
        self.point: tuple[int, ...] | None = None
        """A solution with what stands on the board, once ``has_solution`` has said yes."""

    @cached_property
    def reasoner(self) -> Reasoner:
        """The puzzle as clauses, loaded."""
        return Reasoner(self.grouped, self.deadline)

    @cached_property
    def _standing(self) -> list[int]:
        """The literals of what was filled in."""
        return [self.reasoner.literal(Fact(v, value, True)) for v, value in self.moves.items()]

    def _givens(self) -> Iterator[Fact]:
        for item in self.grouped.items:
            if item.kind == "given":
                (v,) = item.piece.variables
                yield Fact(v, self.problem.variables[v].domain[0], True)

    @property
    def is_full(self) -> bool:
        """Whether every cell that shows a value has one on the board."""
        filled = {fact.variable for fact in self.known}
        return all(
            v in filled or v in self._tiling_of or len(variable.domain) == 1
            for v, variable in enumerate(self.grouped.variables)
        )

    def has_solution(self) -> bool:
        """Whether there is a solution with what stands on the board. Raises EngineFault for a false one."""
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
        """Whether it takes long to say how many dominoes there are of each kind."""
        return len(self._tiling_of) > LARGE_BOARD_CELLS

    @property
    def is_refuted(self) -> bool:
        """Whether filtering proves that there is no solution with what stands on the board."""
        try:
            reduce_domains(self._restricted, DEFAULT_RULES, self.deadline)
        except Contradiction:
            return True
        return False

    @property
    def who(self) -> str:
        """The engine that is asked for reasons."""
        return available(assumption_solver()).title

    @cached_property
    def backbone(self) -> set[int]:
        """The literals of all facts that hold in every solution; there must be one."""
        assert self.point is not None
        return self.reasoner.consequences(
            self.everything,
            self._standing,
            [a for a in self.reasoner.literals if self.reasoner.fact(a).is_true(self.point)],
        )

    @cached_property
    def options(self) -> dict[int, tuple[int, ...]]:
        """For each variable, the values that it has in some solution."""
        decided = {fact.variable: (fact.value,) for fact in self._givens()}
        ruled_out = set[tuple[int, int]]()
        for literal in self.backbone:
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
        """Yield the fact and, if it is about a domino, the same told by its other cell."""
        yield fact
        v, value, holds = fact
        if v in self._tiling_of:
            partners = self._tiling_of[v].partners
            yield Fact(partners[value], partners.index(v), holds)

    @property
    def differing(self) -> dict[int, tuple[int, ...]]:
        """The values of each variable of the first key that has several; nothing where all is decided."""
        key = next(iter(self.problem.keys.values()))
        return {v: self.options[v] for v in key if len(self.options[v]) > 1}

    @cached_property
    def _restricted(self) -> Problem:
        """The problem with what stands on the board."""
        return self.problem.restricted({v: (value,) for v, value in self.moves.items()})

    @cached_property
    def space(self) -> Space | None:
        """All solutions with what stands on the board as one object; None where that does not fit."""
        if not self._counted:
            return None
        every = range(len(self.problem.variables))
        deadline = SubDeadline(self.deadline, QUICK if self._quick else SECONDS)
        budget = Budget.of_memory(MEMORY)
        try:
            return compile_space(
                reduce_domains(self._restricted, DEFAULT_RULES, deadline), every, budget, deadline
            )
        except Contradiction:
            return Space(None, every)
        except Unfinished:
            return None

    @cached_property
    def _taken(self) -> Mapping[int, Mapping[int, int]] | None:
        """How many solutions give each variable each value; None where their space does not fit."""
        try:
            return None if self.space is None else self.space.marginals(Allowance(maxsize, self.deadline))
        except Unfinished:
            raise OutOfTime from None

    def know(self, facts: Iterable[Fact]) -> None:
        """Take further facts for known, as far as they hold in all solutions; before the first step."""
        told = {self.reasoner.literal(fact): fact for fact in facts if fact not in self.known}
        if told:
            if self._taken is not None:
                true = self._true_in_all & told.keys()
            else:
                true = self.reasoner.consequences(self.everything, self._standing, told)
            self.known += [fact for literal, fact in told.items() if literal in true]

    def confirm(self) -> str | None:
        """Return by what it is confirmed what differs, and that nothing else does; None where nothing does.

        Raises EngineFault if it is contradicted.
        """
        if self._taken is not None:
            for v, values in self.options.items():
                if set(values) != self._taken[v].keys():
                    name = self.problem.variables[v].name
                    raise EngineFault(f"{self.who} and the solution space differ on what {name} can be")
            return "the solution space"
        if self.differing or self.point is None:
            return None
        name, key = next(iter(self.problem.keys.items()))
        claim = Claim(self.who, available(assumption_solver()).proof_family)
        listed = [[self.point[v] for v in key]]
        return on_complete(self._restricted, name, 1, listed, claim, self.deadline)

    def steps(self) -> Iterator[Step]:
        """Yield the steps that follow from the board, the cheapest next, each certified.

        Raises OutOfTime; EngineFault for a step that is not true.
        """
        for step in self.trace.steps():
            self.certify(step)
            yield step

    @cached_property
    def trace(self) -> Trace:
        """The facts that are known, and the steps to further ones."""
        if not self._counted:
            return Trace(self.reasoner, self.known, set)
        if self._quick:
            return Trace(self.reasoner, self.known, lambda: self._true_in_all)
        backbone = self.backbone  # whose proofs teach the clauses what they see
        return Trace(self.reasoner, self.known, lambda: backbone)

    @cached_property
    def _true_in_all(self) -> set[int]:
        """The backbone, known at once where the space of all solutions fits."""
        if self._taken is None:
            return self.backbone
        return {a for a in self.reasoner.literals if self._holds_in_all(self.reasoner.fact(a))}

    def _holds_in_all(self, fact: Fact) -> bool:
        """Whether a fact holds in all solutions, by their space."""
        assert self._taken is not None
        taken = self._taken[fact.variable]
        return (taken.keys() == {fact.value}) if fact.holds else (fact.value not in taken)

    def certify(self, step: Step) -> str:
        """Return by what it is confirmed that the conclusions are true in all solutions.

        Raises EngineFault if one is not, OutOfTime if nobody could say.
        """
        if self._taken is None:
            by = confirm_step(self.grouped, step, self.deadline)
            if not by:
                raise OutOfTime
            return by
        for fact in step.conclusions:
            if not self._holds_in_all(fact):
                name = self.problem.variables[fact.variable].name
                raise EngineFault(f"{self.who} concludes of {name} what is not so in all solutions")
        return "the solution space"


def size_of(clash: Clash) -> tuple[int, int, float]:
    """Return how long a reason is to tell: its items, of how many kinds, then what they cost a person.

    That there are no more dominoes of a kind, and that all must be laid, are two things to think of.
    """
    kinds = {(item.kind, item.part if item.kind == "dominoes" else "") for item in clash.items}
    return len(clash.items), len(kinds), sum(map(cost_of_item, clash.items))
