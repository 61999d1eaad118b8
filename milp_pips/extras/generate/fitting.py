"""Search for a puzzle with the wanted number of solutions: repair or tighten drafts, count, and validate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from milp_pips.compilation.limits import Budget, Unfinished, Unsupported
from milp_pips.compilation.solution_set import SolutionSet, compile_problem
from milp_pips.extras.generate.contract import Candidate
from milp_pips.extras.generate.other_solutions import OtherSolutions
from milp_pips.problem import Deadline, Problem, Stop, UsageError
from milp_pips.problem.answer import TaskResult
from milp_pips.problem.errors import unknown_name
from milp_pips.problem.rng import RandomGenerator
from milp_pips.propagation import reduce_domains
from milp_pips.puzzles import family as families
from milp_pips.tasks.pipeline import prepare, state

if TYPE_CHECKING:
    from milp_pips.extras.explain.rate import Rating
    from milp_pips.extras.generate.contract import Maker, Repairer
    from milp_pips.puzzles.puzzle import Puzzle

MAX_TRIES, MAX_COUNTS = 200, 600
"""The most puzzles that are made, and the most counts of solutions, before a request fails."""

MAX_TIGHTENINGS = 60
"""The most times a puzzle is tightened before another one is made."""

REFINEMENTS, REFINEMENTS_OF_A_REPAIR = 20, 30
"""The most times a puzzle is loosened, to remove what it states needlessly (``benchmarks/generating.py``)."""

MAX_REPAIRS_OF_A_DRAFT, SOLUTIONS_SHOWN = 100, 4
"""The most repairs of a draft, and the other solutions that its repairer gets for each."""

GENERATING = Budget(nodes=4_000)
"""The budget of a count during puzzle generation: nodes, not bytes, so every machine makes the same puzzles.

The puzzles of the tests were made with it; another number gives other puzzles for the same seeds.
"""

REFINING = Budget(nodes=1_500)
"""The budget of a count of a loosened puzzle; a puzzle that needs more nodes is probably too loose."""

COUNTING_REDUCTIONS = ("pruning", "equality", "singles")
"""The rules that reduce domains before counting: they are quick, and the same in every version, so that the
same seed makes the same puzzles."""


@dataclass(frozen=True, slots=True)
class GeneratedPuzzle(TaskResult):
    """A new puzzle, its hidden solution, the number of solutions if counted, and the number of tries.

    The logical difficulty is present if a grade was requested.
    """

    puzzle: Puzzle
    hidden: Any
    solutions: int | None
    tries: int
    rating: Rating | None = None


def solutions_of(problem: Problem, deadline: Deadline, budget: Budget = GENERATING) -> SolutionSet | None:
    """Return all solutions; None if the decision diagram needs more nodes than the budget allows.

    The limit is in nodes and not in seconds, so that a slow machine makes the same puzzles. Raises Unfinished
    when the deadline stops it.
    """
    try:
        reduced = reduce_domains(problem, COUNTING_REDUCTIONS)
        return compile_problem(reduced, None, budget, deadline, method="diagram")
    except Unsupported:
        return None
    except Unfinished as reason:
        if reason.stop is Stop.MEMORY:
            return None
        raise


@dataclass(frozen=True, slots=True)
class CountRange:
    """The wanted number of solutions: from ``least`` to ``most`` that differ in the key.

    An empty key stands for the first one; with another key, ``most`` is 1. Without ``most``, nothing is
    counted.
    """

    key: str = ""
    least: int = 1
    most: int | None = None

    def fits(self, found: SolutionSet, problem: Problem) -> bool:
        """Whether the number of solutions is as wanted."""
        if self.is_other_key(problem):
            counts = found.value_counts()
            return found.count > 0 and all(len(counts[v]) == 1 for v in problem.keys[self.key])
        return self.least <= found.count and (self.most is None or found.count <= self.most)

    def __str__(self) -> str:
        if self.key:
            return f"one {self.key}"
        if self.least == self.most:
            return f"{self.least} solution{'s' * (self.least != 1)}"
        return f"{self.least} to {self.most} solutions"

    def is_other_key(self, problem: Problem) -> bool:
        """Whether a key other than the first is wanted. Raises UsageError for an unknown key."""
        if self.key and self.key not in problem.keys:
            raise unknown_name("key", self.key, problem.keys)
        return self.key not in ("", next(iter(problem.keys)))


class FittingSearch:
    """Search for a puzzle with the wanted number of solutions; ``rng`` determines the result."""

    def __init__(self, maker: Maker, wanted: CountRange, rng: RandomGenerator, deadline: Deadline):
        self._maker, self._wanted, self._rng, self._deadline = maker, wanted, rng, deadline
        self._counted = 0
        self._drafts: list[int | None] = []
        """For each rejected draft, its number of solutions at the end; None if they were not counted."""

    def next_fitting(self, name: str) -> GeneratedPuzzle:
        """Return the next puzzle that fits. Raises UsageError if none does, Unfinished at the deadline."""
        self._counted, self._drafts = 0, []
        for tries in range(1, MAX_TRIES + 1):
            if self._counted > MAX_COUNTS:
                break
            if self._deadline.stop:
                raise Unfinished(f"{name}: time is up after {tries - 1} tries", self._deadline.stop)
            self._deadline.progress.report(f"{name}: try {tries}")
            draft = self._maker.make(name, self._rng)
            if draft is None:
                continue
            fitting = self._find_fitting(draft)
            if fitting is not None:
                candidate, solutions = fitting
                _check_hidden_solution(candidate)
                return GeneratedPuzzle(*candidate, solutions, tries)
        raise UsageError(f"{name}: {self._failure_message(tries)}; {self._maker.advice}")

    def _failure_message(self, tries: int) -> str:
        """Return the message that states what was wanted and what was found."""
        wanted, drafts = self._maker.kind, len(self._drafts)
        if not drafts:
            return f"no {wanted} came out in {tries} tries"
        known = [solutions for solutions in self._drafts if solutions is not None]
        had = "whose solutions were not counted"
        if known:
            few, many = min(known), max(known)
            had = f"which had {f'{few} to {many}' if few < many else few} solution{'s' * (many != 1)}"
        return f"no {wanted} with {self._wanted} in {drafts} draft{'s' * (drafts != 1)}, {had}"

    def _find_fitting(self, draft: Candidate) -> tuple[Candidate, int | None] | None:
        """Return a fitting puzzle, and its number of solutions if counted; None if none was found."""
        if self._wanted.most is None:
            return draft, None
        repairer = self._maker.repairer(draft, self._rng) if self._wanted.most == 1 else None
        if repairer is not None:
            return self._repair(draft, repairer)
        tight = self._tighten(draft)
        return tight and self._loosen(*tight, REFINEMENTS if self._wanted.most == 1 else 0)

    def tighten_further(self, made: GeneratedPuzzle) -> GeneratedPuzzle | None:
        """Return a puzzle like this that states more and still fits; None to give up. Raises Unfinished."""
        following = self._maker.tighten(Candidate(made.puzzle, made.hidden), {}, self._rng)
        if following is None:
            return None
        solutions = None
        if self._wanted.most is not None:
            problem = state(following.puzzle)
            then = self._count(problem)
            if then is None or not self._wanted.fits(then, problem):
                return None
            solutions = then.count
        _check_hidden_solution(following)
        return GeneratedPuzzle(*following, solutions, made.tries)

    def _tighten(self, candidate: Candidate) -> tuple[Candidate, int] | None:
        """Return a puzzle that is tight enough, and its number of solutions; None if none was found.

        A step that leaves too few solutions, or more than before, is undone. Raises Unfinished.
        """
        problem = state(candidate.puzzle)
        if self._is_hopeless(candidate, problem):
            self._drafts.append(None)
            return None
        # Invariant: ``now`` counts the solutions of ``candidate``; None if there are too many to count. A
        # step that leads away from the wanted range, or past it, is dropped, and another one is drawn.
        now = self._count(problem)
        for _ in range(MAX_TIGHTENINGS):
            if now is not None and self._wanted.fits(now, problem):
                return candidate, now.count
            following = self._next_candidate(candidate, now)
            if following is None:
                break
            then = self._count(state(following.puzzle))
            if now is None or (then is not None and self._is_nearer(then.count, now.count)):
                candidate, now = following, then
        self._drafts.append(None if now is None else now.count)
        return None

    def _repair(self, draft: Candidate, repairer: Repairer) -> tuple[Candidate, int] | None:
        """Return a unique puzzle, and its number of solutions; None if it failed. Raises Unfinished.

        Counterexample-guided repair (Solar-Lezama 2008): the repairer excludes all other solutions found so
        far, then more are looked for. With none left, the puzzle is unique. Then it is loosened.
        """
        family, problem = families.family_of(draft.puzzle), state(draft.puzzle)
        others = OtherSolutions(problem, family.encode(draft.puzzle, draft.hidden), self._deadline)
        self._drafts.append(None)
        if not self._wanted.is_other_key(problem) and others.is_shown_alike():
            return None
        found: list[list[int]] = []
        for _ in range(MAX_REPAIRS_OF_A_DRAFT):
            following = repairer.exclude(found)
            if following is None:
                return None
            found = others.near(state(following.puzzle), self._rng, SOLUTIONS_SHOWN)
            if not found:
                return self._loosen_repaired(following, others)
        return None

    def _loosen_repaired(self, candidate: Candidate, others: OtherSolutions) -> tuple[Candidate, int]:
        """Return a puzzle that states as little as some trials can achieve, and its solutions."""
        for _ in range(REFINEMENTS_OF_A_REPAIR):
            following = self._maker.loosen(candidate, self._rng)
            if following is None:
                break
            if not others.exist(state(following.puzzle), self._rng):
                candidate = following
        problem = state(candidate.puzzle)
        if not self._wanted.is_other_key(problem):
            return candidate, 1
        agreeing = self._agreeing(candidate, problem)
        return candidate, 0 if agreeing is None else agreeing.count

    def _next_candidate(self, candidate: Candidate, now: SolutionSet | None) -> Candidate | None:
        if now is None:  # far too many solutions: make two steps before the next count
            following = self._maker.tighten(candidate, {}, self._rng)
            return following and self._maker.tighten(following, {}, self._rng)
        if now.count < self._wanted.least:
            return self._maker.loosen(candidate, self._rng)
        return self._maker.tighten(candidate, now.value_counts(), self._rng)

    def _is_nearer(self, then: int, now: int) -> bool:
        """Whether a number of solutions is no farther from the range, and on the same side or inside."""
        least, most = self._wanted.least, self._wanted.most
        if now < least:
            return now <= then and (most is None or then <= most)
        return least <= then <= now

    def _count(self, problem: Problem, budget: Budget = GENERATING) -> SolutionSet | None:
        self._counted += 1
        return solutions_of(problem, self._deadline, budget)

    def _loosen(self, candidate: Candidate, solutions: int, trials: int) -> tuple[Candidate, int]:
        """Return a puzzle that states as little as some trials can achieve. Raises Unfinished.

        If several solutions are wanted, there are no trials, because nothing is superfluous.
        """
        for _ in range(trials):
            following = self._maker.loosen(candidate, self._rng)
            if following is None:
                break
            problem = state(following.puzzle)
            then = self._count(problem, REFINING)
            if then is not None and self._wanted.fits(then, problem):
                candidate, solutions = following, then.count
        return candidate, solutions

    def _is_hopeless(self, candidate: Candidate, problem: Problem) -> bool:
        """Whether too many solutions agree with the hidden one in all keys but the first.

        No rule about what a key shows can distinguish these, such as dominoes that make the same grid. If
        even they are too many to count, the same holds for all solutions.
        """
        if self._wanted.most is None or self._wanted.is_other_key(problem) or len(problem.keys) == 1:
            return False
        agreeing = self._agreeing(candidate, problem)
        return agreeing is None or agreeing.count > self._wanted.most

    def _agreeing(self, candidate: Candidate, problem: Problem) -> SolutionSet | None:
        """Return the solutions that agree with the hidden one in all keys but the first; None if too many."""
        hidden = families.family_of(candidate.puzzle).encode(candidate.puzzle, candidate.hidden)
        shown = {v: (hidden[v],) for key in list(problem.keys)[1:] for v in problem.keys[key]}
        return solutions_of(problem.restricted(shown), self._deadline)


def _check_hidden_solution(candidate: Candidate) -> None:
    """Raise EngineFault if the hidden solution breaks a constraint or a rule of the game."""
    prepared = prepare(candidate.puzzle)
    shown = prepared.family.encode(candidate.puzzle, candidate.hidden)
    prepared.judge([shown[v] for v in range(len(shown))], "the generator")
