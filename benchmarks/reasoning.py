"""The measurements of ``reasons.py`` on one puzzle: conflicts, steps, and their correctness."""

from __future__ import annotations

import time
from bisect import bisect_right
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import islice, pairwise
from statistics import median_low
from typing import TYPE_CHECKING, Any, NamedTuple

from measure import Run

import milp_pips
from milp_pips.compilation.limits import Unfinished
from milp_pips.constraints import AllDifferent, AllEqual, LinearSum, Relation
from milp_pips.constraints.domino_cover.tiling import Usage
from milp_pips.extras.explain.analysis import BoardAnalysis
from milp_pips.extras.explain.clashes import MinimalClash, clashes, first_clash
from milp_pips.extras.explain.confirmation import confirm_clash, confirm_step, proved_minimal
from milp_pips.extras.explain.facts import Clash, Fact, Step
from milp_pips.extras.explain.groups import ConstraintGroup, GroupedProblem, group_constraints
from milp_pips.extras.explain.parameters import GRADES
from milp_pips.extras.explain.rate import BY_BOTH, LONGER, RatedPuzzle, Rating, rate, rating_of
from milp_pips.extras.explain.reasoner import OutOfTime, Reasoner
from milp_pips.extras.explain.techniques.knowledge import FOLDED
from milp_pips.extras.explain.techniques.story import Story, needed, refutation
from milp_pips.problem.answer import Stop
from milp_pips.problem.errors import EngineFault
from milp_pips.problem.rng import RandomGenerator
from milp_pips.problem.stopping import Deadline
from milp_pips.puzzles.pips.puzzle import Pips, Rule
from milp_pips.puzzles.puzzle import Puzzle

if TYPE_CHECKING:
    from milp_pips.compilation.solution_set import SolutionSet

SEED = 14

MANY = 1000
"""Stands for the number of rules of a chain."""

SUM_ERRORS = (-2, -1, 1, 2)
"""The errors that are added to a sum."""


def with_wrong_sum(puzzle: Puzzle) -> Pips | None:
    """Return the board with one sum changed such that it has no solution; None if no change does that."""
    assert isinstance(puzzle, Pips)
    rng = RandomGenerator(f"{SEED} {puzzle.name}")
    sums = [region for region in puzzle.regions if region.rule is Rule.SUM]
    for region, off in rng.shuffled([(region, off) for region in sums for off in SUM_ERRORS]):
        regions = tuple(r._replace(target=r.target + off) if r is region else r for r in puzzle.regions)
        board = replace(puzzle, regions=regions, published=None)
        if milp_pips.count(board, ["grid"]).counts["grid"] == 0:
            return board
    return None


class ConflictRuns(NamedTuple):
    """The runs that find and confirm the conflicts of a puzzle without solutions, and the conflicts' sizes.

    ``smallest`` states that one is proven to be a smallest conflict, ``minimal`` that each is minimal.
    """

    first: Run
    several: Run
    confirming: Run
    first_size: int = 0
    sizes: tuple[int, ...] = ()
    smallest: bool = False
    minimal: bool = False
    confirmed_by: str | None = None


def timed(puzzle: Puzzle, who: str, work: Callable[[], object]) -> Run:
    """Return the run of some work in this process; it is done unless it runs out of time."""
    begun, used, done = time.perf_counter(), time.process_time(), False
    with suppress(OutOfTime):
        work()
        done = True
    return Run(puzzle.name, who, time.perf_counter() - begun, time.process_time() - used, done, "")


MINIMAL_CONFLICTS = 3
"""The number of minimal conflicts to find; the smallest is shown first."""


def measure_conflicts(puzzle: Puzzle, limit: float) -> ConflictRuns:
    """Find a first minimal conflict, then several, as ``explain`` does; the puzzle is already in memory."""
    firsts: list[list[int]] = []
    found: list[MinimalClash] = []

    def find_first() -> None:
        reasoner = _loaded(puzzle, limit)
        quick = first_clash(reasoner, _refutation(reasoner))
        firsts.extend([quick] if quick else (numbers for numbers, _ in islice(clashes(reasoner), 1)))

    def find_several() -> None:
        reasoner = _loaded(puzzle, limit)
        first_clash(reasoner, _refutation(reasoner))
        found.extend(islice(clashes(reasoner), MINIMAL_CONFLICTS))

    first = timed(puzzle, "first", find_first)
    several = timed(puzzle, "several", find_several)
    sizes = tuple(len(numbers) for numbers, _ in found)
    return ConflictRuns(
        first._replace(outcome=" ".join(str(len(numbers)) for numbers in firsts)),
        several._replace(outcome=" ".join(map(str, sizes))),
        several,
        len(firsts[0]) if firsts else 0,
        sizes,
        any(len(numbers) <= least for numbers, least in found),
    )


def _refutation(reasoner: Reasoner) -> tuple[Step, ...]:
    return refutation(reasoner.grouped, range(len(reasoner.grouped.items)), reasoner.look)


def _loaded(puzzle: Puzzle, limit: float) -> Reasoner:
    return Reasoner(group_constraints(milp_pips.state(puzzle)), Deadline(limit))


def measure_confirmation(puzzle: Puzzle, limit: float) -> ConflictRuns:
    """Find several minimal conflicts, prove that each is minimal, and confirm it."""
    found = measure_conflicts(puzzle, limit)
    deadline = Deadline(limit)
    soft = group_constraints(milp_pips.state(puzzle))
    reasoner = Reasoner(soft, deadline)
    reasons: list[Clash] = []
    with suppress(OutOfTime):
        reasons += [
            Clash(tuple(soft.items[i] for i in n)) for n, _ in islice(clashes(reasoner), MINIMAL_CONFLICTS)
        ]
    by: list[str | None] = []
    run = timed(
        puzzle, "confirm", lambda: by.extend(confirm_clash(soft, clash, deadline) for clash in reasons)
    )
    count = max(1, len(reasons))
    return found._replace(
        confirming=run._replace(seconds=run.seconds / count, processor=run.processor / count),
        minimal=bool(reasons) and all(proved_minimal(reasoner, clash) for clash in reasons),
        confirmed_by=by[0] if by and None not in by else None,
    )


# --------------------------------------------------------------------------------- steps to the solution


class StepRuns(NamedTuple):
    """The steps from the empty board: runs of the first and of all, rules per step, the rating."""

    hint: Run
    run: Run
    rules: tuple[int, ...]
    rating: Rating


class StepSearch:
    """A search for the steps of a puzzle from the empty board, within a time limit."""

    def __init__(self, puzzle: Puzzle, limit: float):
        self._puzzle = puzzle
        self.problem = milp_pips.state(puzzle)
        self.grouped = group_constraints(self.problem)
        self.steps: list[Step] = []
        self._deadline = Deadline(limit)

    def begin(self) -> None:
        """Find the first step. Raises OutOfTime."""
        analysis = BoardAnalysis(self._puzzle, self._deadline)
        analysis.has_solution()
        self._trace = analysis.trace
        self.grouped = self._trace.grouped
        self._story = self._trace.steps()
        self.steps.extend(islice(self._story, 1))

    def finish(self) -> None:
        """Find the other steps. Raises OutOfTime."""
        self.steps.extend(self._story)

    def shown(self) -> list[Step]:
        """Return the steps as they are shown, before those that are one to a reader are put together."""
        try:
            return needed(self.steps, self._trace.thinned)
        except OutOfTime:
            return needed(self.steps)


class RatingRun(NamedTuple):
    """The run that rates a puzzle, its grade, and the techniques of its steps."""

    run: Run
    grade: str
    techniques: tuple[str, ...]


def measure_rating(puzzle: Puzzle, limit: float) -> RatingRun:
    """Rate a puzzle."""
    found = list[RatedPuzzle]()
    run = timed(puzzle, "rate", lambda: found.append(rate(puzzle, seconds=limit)))
    rating = found[0].rating
    search = StepSearch(puzzle, limit)
    with suppress(OutOfTime):
        search.begin()
        search.finish()
    techniques = tuple(step.technique for step in search.steps)
    return RatingRun(run._replace(done=rating is not None), rating.grade if rating else "", techniques)


def measure_explanation(puzzle: Puzzle, limit: float) -> Run:
    """Measure the explanation of a puzzle, without changes to it."""

    def work() -> None:
        if milp_pips.explain(puzzle, additions=0, seconds=limit).stop is not Stop.FINISHED:
            raise OutOfTime

    return timed(puzzle, "explain", work)


def measure_steps(puzzle: Puzzle, limit: float) -> StepRuns:
    """Measure the first step and all steps of a puzzle."""
    search = StepSearch(puzzle, limit)
    hint = timed(puzzle, "hint", lambda: StepSearch(puzzle, limit).begin())

    def whole() -> None:
        search.begin()
        search.finish()

    run = timed(puzzle, "story", whole)
    rating = rating_of(search.problem, search.steps)
    outcome = f"{len(search.steps)} steps, cost {rating.cost:g}, hardest {rating.hardest:g}"
    return StepRuns(hint, run._replace(outcome=outcome), tuple(map(rules_of, search.shown())), rating)


def fitted_limits(days: Sequence[Sequence[float]]) -> tuple[float, ...]:
    """Return the limits between levels, halfway between two scores, that put most scores into their level.

    Each day has one score per level, the easiest first. Each limit is fitted by itself; of several that are
    equally good it is the median one.
    """
    limits = []
    for level in range(1, len(days[0])):
        below = [day[level - 1] for day in days]
        above = [day[level] for day in days]
        ends = sorted({*below, *above})
        middles = [(one + other) / 2 for one, other in pairwise(ends)] or ends
        right = [sum(x < at for x in below) + sum(x >= at for x in above) for at in middles]
        limits.append(median_low(at for at, n in zip(middles, right, strict=True) if n == max(right)))
    return tuple(limits)


def graded(rating: Rating, limits: Sequence[float]) -> str:
    """Return the grade of a puzzle with dominoes by other limits between easy, medium and hard."""
    short, long = limits
    length = bisect_right((short, max(short, LONGER[1]), long), rating.score)
    return BY_BOTH[rating.hardness - 1][length]


def cross_validated(days: Sequence[Sequence[Rating]]) -> list[int]:
    """Return for each level on how many days it is the grade, by limits fitted on every other day."""
    found = [0] * len(days[0])
    for half in (0, 1):
        limits = fitted_limits([[rating.score for rating in day] for day in days[1 - half :: 2] or days])
        for day in days[half::2]:
            for level, rating in enumerate(day):
                found[level] += graded(rating, limits) == GRADES[level]
    return found


def rules_of(step: Step) -> int:
    """Return the number of rules in a step, both bounds of a sum as one; for a chain more than any has."""
    return (
        MANY if step.technique == "chain" else len({item.rule for item in step.items if item.kind == "rule"})
    )


def measure_hint(puzzle: Puzzle, limit: float) -> Run:
    """Measure a hint on the empty board."""

    def work() -> None:
        if milp_pips.hint(puzzle, seconds=limit).step is None:
            raise OutOfTime

    return timed(puzzle, "hint", work)


class StepCheck(NamedTuple):
    """The correctness of the steps of a puzzle: numbers of false conclusions and of unfounded steps.

    ``weak`` steps name something that their technique does not need; ``links`` is the longest chain.
    """

    run: Run
    steps: int
    conclusions: int
    untrue: int
    unfounded: int
    unknown: int
    weak: int
    links: int


def check_steps(puzzle: Puzzle, limit: float) -> StepCheck:
    """Find the steps; check every conclusion by the solution space, and every step by an engine."""
    search = StepSearch(puzzle, limit)

    def whole() -> None:
        search.begin()
        search.finish()

    run = timed(puzzle, "story", whole)
    unknown = unfounded = untrue = 0
    try:
        space = milp_pips.compile(puzzle, seconds=limit)
        untrue = sum(not holds_in_all(space, fact) for step in search.steps for fact in step.conclusions)
    except Unfinished:
        unknown += 1
    shown = search.shown()
    for step in shown:
        try:
            unknown += confirm_step(search.grouped, step, Deadline(limit)) is None
        except EngineFault:
            unfounded += 1
    conclusions = sum(len(step.conclusions) for step in search.steps)
    weak = sum(is_weak(search.grouped, step) for step in shown if step.conclusions)
    chains = [step.reasons[-1].detail[1] for step in shown if step.technique == "chain"]
    links = max((1 + sum(link.technique not in FOLDED for link in chain[:-1]) for chain in chains), default=0)
    return StepCheck(run, len(shown), conclusions, untrue, unfounded, unknown, weak, links)


def is_weak(grouped: GroupedProblem, step: Step) -> bool:
    """Return whether the step follows by its technique, and no more, without some fact or rule it names.

    Both bounds of a sum are one rule, and what was stated of a domino that lies on the board is one fact.
    """
    items, facts = step.premises
    lying = [
        cells for reason in step.reasons if reason.technique == "used" for cells in (*reason.detail, ())[2]
    ]
    units: dict[object, list[Fact]] = {}
    for fact in facts:
        ends = _ends(grouped, fact)
        of = next((cells for cells in lying if set(ends) <= set(cells)), None)
        units.setdefault(of or fact, []).append(fact)
    rules: dict[object, list[ConstraintGroup]] = {}
    for item in items:
        rules.setdefault(item.rule if item.kind == "rule" else item, []).append(item)
    story = Story(grouped, ())
    fewer = [(items, [fact for fact in facts if fact not in of]) for of in units.values()]
    fewer += [([item for item in items if item not in of], facts) for of in rules.values()]
    return any(story.again(step, story.seen(some), known) for some, known in fewer)


def _ends(grouped: GroupedProblem, fact: Fact) -> tuple[int, ...]:
    """Return the cells that a fact is about: one, or the two of a domino."""
    for tiling in grouped.tilings:
        if fact.variable in tiling.partners:
            return tiling.values[tiling.partners.index(fact.variable)], tiling.values[fact.value]
    return (fact.variable,)


def holds_in_all(space: SolutionSet, fact: Fact) -> bool:
    """Return whether the fact holds in all solutions."""
    times = space.value_counts()[fact.variable].get(fact.value, 0)
    return times == (space.count if fact.holds else 0)


# ------------------------------------------------------------------------------------------------- CPMpy


def cpmpy_clash(puzzle: Puzzle, limit: float) -> ConflictRuns:
    """Find a minimal conflict with CPMpy's ``mus`` on OR-Tools; the puzzle is already in memory.

    ``mus`` has no time limit, so the run counts as done if it took less than the limit.
    """
    from cpmpy.tools.explain import mus

    found: list[Any] = []

    def first() -> None:
        hard, soft = cpmpy_model(group_constraints(milp_pips.state(puzzle)))
        found.extend(mus(soft, hard, solver="ortools"))

    run = timed(puzzle, "cpmpy", first)
    return ConflictRuns(run._replace(done=run.seconds < limit), run, run, len(found), (len(found),))


def cpmpy_model(soft: GroupedProblem) -> tuple[list[Any], list[Any]]:
    """Return the hard constraints, and one expression for every constraint group, in CPMpy.

    There is a Boolean for each place of a domino. Exactly one place covers a cell, and the cell's value is
    the sum of the values of its places. Of five formulations of the value, this one was the fastest on most
    puzzles. Raises TypeError for a rule that Pips does not have.
    """
    import cpmpy

    partners = {v for tiling in soft.tilings for v in tiling.partners}
    cells = {
        v: cpmpy.intvar(min(domain), max(domain), name=name)
        for v, (name, domain) in enumerate(soft.variables)
        if v not in partners
    }
    hard: list[Any] = []
    laid: dict[tuple[int, int], list[Any]] = {}
    for tiling in soft.tilings:
        covering: list[list[Any]] = [[] for _ in tiling.values]
        covering_with: dict[tuple[int, int], list[Any]] = {
            (v, a): [] for v in tiling.values for a in soft.variables[v].domain
        }
        for i, j in tiling.edges:
            for kind in tiling.kinds:
                for a, b in {kind, kind[::-1]}:
                    ends = (tiling.values[i], a), (tiling.values[j], b)
                    if all(end in covering_with for end in ends):
                        place = cpmpy.boolvar()
                        covering[i].append(place)
                        covering[j].append(place)
                        laid.setdefault(kind, []).append(place)
                        for end in ends:
                            covering_with[end].append(place)
        hard += [cpmpy.sum(places) == 1 for places in covering]
        for v in tiling.values:
            shown = [a * place for a in soft.variables[v].domain for place in covering_with[v, a]]
            hard.append(cells[v] == cpmpy.sum(shown))
    return hard, [_expression(item.piece, cells, laid, cpmpy) for item in soft.items]


def _expression(
    piece: object, cells: dict[int, Any], laid: dict[tuple[int, int], list[Any]], cpmpy: Any
) -> Any:
    """Return a constraint as one expression."""
    match piece:
        case LinearSum(variables, relation, target):
            total = cpmpy.sum([cells[v] for v in variables])
            return total <= target if relation is Relation.LE else total >= target
        case AllDifferent(variables):
            return cpmpy.AllDifferent([cells[v] for v in variables])
        case AllEqual(variables):
            return cpmpy.AllEqual([cells[v] for v in variables])
        case Usage(_, kind, relation, times):
            number = cpmpy.sum(laid.get(kind, []))
            return number <= times if relation is Relation.LE else number >= times
    raise TypeError(f"no expression for {type(piece).__name__}")
