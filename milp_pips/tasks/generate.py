"""New puzzles of any family that says how they are made: made, tightened, counted, loosened, refereed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from milp_pips import plugins
from milp_pips.answer import Stop
from milp_pips.asked import require_whole
from milp_pips.chance import Chance
from milp_pips.diagram import GENERATING, REFINING, Budget, Unfinished, Unsupported, compile_diagram
from milp_pips.drawing import print_text
from milp_pips.errors import FamilyFault, UsageError
from milp_pips.filtering import reduce_domains
from milp_pips.pipeline import prepare, state
from milp_pips.puzzles.family import Candidate
from milp_pips.tasks.difficulty import Difficulty, difficulty_of, rating_of_puzzle
from milp_pips.watch import OnProgress, Watch

if TYPE_CHECKING:
    from milp_pips.problem import Problem
    from milp_pips.puzzles.family import Family, Generator, Maker, Puzzle
    from milp_pips.reasons.rating import Rating

TRIES, COUNTS = 200, 600
"""How many puzzles are made, and how often solutions are counted, before a request is given up."""

STEPS = 60
"""How often a puzzle is tightened before another one is made."""

REFINEMENTS = 20
"""How often a puzzle is loosened, to see whether it says more than it need."""

RATED = 200
"""How often puzzles that fit otherwise are rated before a grade or a score is given up."""

REDUCTIONS = ("pruning", "equality", "singles")
"""What takes values out of domains before counting: quick, and the same in every version, so that the same
seed makes the same puzzles."""


class GeneratedPuzzle(NamedTuple):
    """A new puzzle, its hidden solution, the number of solutions if counted, and how many tries it took.

    The logical difficulty is there if a grade or a score was asked for.
    """

    puzzle: Puzzle
    hidden: Any
    solutions: int | None
    tries: int
    rating: Rating | None = None

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        print_text(self, printer, cycle)

    def __str__(self) -> str:
        return str(self.puzzle)

    def _repr_svg_(self) -> str:
        return self.puzzle._repr_svg_()


def generate(
    family: str = "",
    *,
    count: int = 1,
    seed: int = 0,
    unique: bool | str = False,
    solutions: tuple[int, int] | None = None,
    grade: str = "",
    score: tuple[float, float] | None = None,
    watch: Watch | None = None,
    on_progress: OnProgress | None = None,
    tell: Callable[[int, int], object] = lambda _number, _try: None,
    **asked: Any,
) -> Iterator[GeneratedPuzzle]:
    """Yield new puzzles, each with its hidden solution.

    The same arguments give the same puzzles, on any machine. Every hidden solution has passed the puzzle's
    problem and the rules of the game. Numbers of solutions are exact, from the decision diagram.

    Parameters
    ----------
    family
        Name of the family; empty for the first.
    count
        How many puzzles.
    seed
        Decides the puzzles, with the arguments; puzzle number ``i`` is the same whatever the count.
    unique
        True for puzzles with one solution; a key such as ``grid`` for puzzles whose solutions agree in it.
    solutions
        The least and the greatest number of solutions, in place of ``unique``.
    grade
        The logical difficulty, such as ``easy`` or ``hard``, see ``milp_pips.reasons.rating``. Where no
        number of solutions is asked for, a puzzle that has a grade is unique.
    score
        The least and the greatest score, in place of a grade.
    watch
        Says when to stop; the puzzles made till then have been yielded.
    tell
        Called with the number of the puzzle and of the try before each try.
    asked
        The family's own options, such as ``dominoes=14``; values as at the command line.
    on_progress
        Called with each line that tells what goes on; the logger ``milp_pips`` gets these, too.

    Raises
    ------
    UsageError
        For a request that makes no sense, that nothing fits, or that nothing was found for.
    InputError
        If a file that is named cannot be read.
    """
    require_whole("count", count, 1)
    found = generating_family(family)
    difficulty = difficulty_of(grade, score)
    wanted = _wanted(unique or (difficulty is not None and solutions is None), solutions)
    maker, limit = maker_of(found, asked), watch or Watch()
    limit.on_progress = on_progress or limit.on_progress
    width = len(str(count))

    def puzzles() -> Iterator[GeneratedPuzzle]:
        for number in range(1, count + 1):
            search = FittingSearch(maker, wanted, Chance(f"{seed}/{number}"), limit)
            name, told = f"{found.name}-{seed}-{number:0{width}}", partial(tell, number)
            try:
                if difficulty is None:
                    yield search.next_fitting(name, told)
                else:
                    yield _first_as_hard(search, difficulty, name, told, limit)
            except Unfinished:
                return

    return puzzles()


def generating_families() -> dict[str, Family[Any, Any]]:
    """Return the families of which new puzzles can be made, by name."""
    return {family.name: family for family in plugins.families() if family.generator is not None}


def generating_family(name: str) -> Family[Any, Any]:
    """Return the family, for the empty name the first; raises UsageError if it cannot make puzzles."""
    able = generating_families()
    name = name or next(iter(able))
    if name not in able:
        raise UsageError(f"no new puzzles of the family {name!r} can be made; known: {', '.join(able)}")
    return able[name]


def generator_of(family: Family[Any, Any]) -> Generator:
    """Return how puzzles of a family that can make some are made. Raises FamilyFault where it cannot tell."""
    assert family.generator is not None
    found = family.generator()
    missing = [name for name in ("options", "formats", "maker") if getattr(found, name, None) is None]
    if missing:
        raise FamilyFault(f"the generator of the family {family.name} has no {', no '.join(missing)}")
    return found


def maker_of(family: Family[Any, Any], asked: Mapping[str, Any]) -> Maker:
    """Return what makes puzzles with these values of the family's options, given as text or as numbers.

    Raises UsageError for an unknown option, a value that makes no sense, or where no puzzle can be so, and
    InputError for a file that an option names and that cannot be read.
    """
    from milp_pips.reading import text_of

    generator = generator_of(family)
    options = {option.name: option for option in generator.options}
    wanted = {}
    for name, value in asked.items():
        if name not in options:
            known = ", ".join(f"--{_dashed(option)}" for option in options)
            raise UsageError(f"--{_dashed(name)} is no option of {family.name}; known: {known}")
        option = options[name]
        text = str(value)
        wanted[name] = option.read(text_of(text), text) if option.names_a_file else option.read(text)
    return generator.maker(wanted)


def _dashed(name: str) -> str:
    return name.replace("_", "-")


class Census(NamedTuple):
    """The number of solutions, and for each variable in how many of them it takes each value."""

    solutions: int
    taken: Mapping[int, Mapping[int, int]]


def take_census(problem: Problem, watch: Watch, budget: Budget = GENERATING) -> Census | None:
    """Return the exact numbers; None where the decision diagram needs more nodes than the budget has.

    The bound is in nodes and not in seconds, so that a slow machine makes the same puzzles. Raises Unfinished
    when the watch says stop.
    """
    try:
        diagram = compile_diagram(reduce_domains(problem, REDUCTIONS), budget, watch)
    except Unsupported:
        return None
    except Unfinished as reason:
        if reason.stop is Stop.MEMORY:
            return None
        raise
    return Census(diagram.count, diagram.marginals())


@dataclass(frozen=True, slots=True)
class Wanted:
    """How many solutions a puzzle is to have: from ``least`` to ``most`` that differ in the key.

    An empty key stands for the first one; with another, ``most`` is 1. Without ``most``, nothing is counted.
    """

    key: str = ""
    least: int = 1
    most: int | None = None

    def fits(self, found: Census, problem: Problem) -> bool:
        """Whether the numbers are those that are wanted."""
        if self.is_aside(problem):
            return found.solutions > 0 and all(len(found.taken[v]) == 1 for v in problem.keys[self.key])
        return self.least <= found.solutions and (self.most is None or found.solutions <= self.most)

    def is_aside(self, problem: Problem) -> bool:
        """Whether another key than the first is meant. Raises UsageError for an unknown one."""
        if self.key and self.key not in problem.keys:
            raise UsageError(f"unknown key {self.key!r}; known: {', '.join(problem.keys)}")
        return self.key not in ("", next(iter(problem.keys)))


def _wanted(unique: bool | str, solutions: tuple[int, int] | None) -> Wanted:
    if unique and solutions:
        raise UsageError("a unique puzzle has one solution: leave out the number of solutions, or unique")
    if solutions:
        least, most = solutions
        if not 1 <= least <= most:
            raise UsageError(f"from {least} to {most} solutions: no puzzle has so many")
        return Wanted("", least, most)
    return Wanted("" if unique is True else unique or "", 1, 1 if unique else None)


def _first_as_hard(
    search: FittingSearch, difficulty: Difficulty, name: str, tell: Callable[[int], object], watch: Watch
) -> GeneratedPuzzle:
    """Return the first puzzle that fits and is as hard as wanted; one that is too hard is told more of.

    Raises UsageError where none of many is, Unfinished by the watch.
    """
    scores, tries = list[float](), 0
    made: GeneratedPuzzle | None = None
    while len(scores) < RATED:
        if made is None:
            made = search.next_fitting(name, partial(_tell_on, tell, tries))
            tries += made.tries
        rating = rating_of_puzzle(made.puzzle, watch)
        if difficulty.fits(rating):
            return made._replace(tries=tries, rating=rating)
        scores.append(rating.score)
        made = search.tightened(made) if rating.score > difficulty.most else None
    found = f"from {min(scores):g} to {max(scores):g}"
    raise UsageError(
        f"{name}: of {RATED} puzzles none {difficulty}: they score {found}; ask for another size"
    )


def _tell_on(tell: Callable[[int], object], before: int, tries: int) -> None:
    tell(before + tries)


class FittingSearch:
    """Looks for a puzzle with as many solutions as wanted; the numbers from ``chance`` decide which."""

    def __init__(self, maker: Maker, wanted: Wanted, chance: Chance, watch: Watch):
        self._maker, self._wanted, self._chance, self._watch = maker, wanted, chance, watch
        self._counted = 0

    def next_fitting(self, name: str, tell: Callable[[int], object]) -> GeneratedPuzzle:
        """Return the next puzzle that fits. Raises UsageError where none does, Unfinished by the watch."""
        self._counted = 0
        for tries in range(1, TRIES + 1):
            if self._counted > COUNTS:
                break
            if self._watch.stop:
                raise Unfinished("interrupted", self._watch.stop)
            tell(tries)
            self._watch.tell(f"{name}: try {tries}")
            candidate = self._maker.make(name, self._chance)
            if candidate is None:
                continue
            solutions = None
            if self._wanted.most is not None:
                tight = self._tighten(candidate)
                if tight is None:
                    continue
                candidate, solutions = self._loosen(*tight)
            _referee(candidate)
            return GeneratedPuzzle(*candidate, solutions, tries)
        raise UsageError(f"{name}: nothing found in {tries} tries; ask for fewer cells, or for less")

    def tightened(self, made: GeneratedPuzzle) -> GeneratedPuzzle | None:
        """Return a puzzle like this one that says more and still fits; None to give up. Raises Unfinished."""
        following = self._maker.tighten(Candidate(made.puzzle, made.hidden), {}, self._chance)
        if following is None:
            return None
        solutions = None
        if self._wanted.most is not None:
            problem = state(following.puzzle)
            then = self._count(problem)
            if then is None or not self._wanted.fits(then, problem):
                return None
            solutions = then.solutions
        _referee(following)
        return GeneratedPuzzle(*following, solutions, made.tries)

    def _tighten(self, candidate: Candidate) -> tuple[Candidate, int] | None:
        """Return a puzzle that is tight enough, and the number of its solutions; None where none came out.

        A step that leaves too few solutions, or more than there were, is taken back. Raises Unfinished.
        """
        problem = state(candidate.puzzle)
        if self._is_hopeless(candidate, problem):
            return None
        now = self._count(problem)
        for _ in range(STEPS):
            if now is not None and self._wanted.fits(now, problem):
                return candidate, now.solutions
            following = self._step(candidate, now)
            if following is None:
                return None
            then = self._count(state(following.puzzle))
            if now is None or (then is not None and self._is_nearer(then.solutions, now.solutions)):
                candidate, now = following, then
        return None

    def _step(self, candidate: Candidate, now: Census | None) -> Candidate | None:
        if now is None:  # far too many: two steps before the next count
            following = self._maker.tighten(candidate, {}, self._chance)
            return following and self._maker.tighten(following, {}, self._chance)
        if now.solutions < self._wanted.least:
            return self._maker.loosen(candidate, self._chance)
        return self._maker.tighten(candidate, now.taken, self._chance)

    def _is_nearer(self, then: int, now: int) -> bool:
        """Whether so many solutions are not farther from what is wanted, and on the same side or right."""
        least, most = self._wanted.least, self._wanted.most
        if now < least:
            return now <= then and (most is None or then <= most)
        return least <= then <= now

    def _count(self, problem: Problem, budget: Budget = GENERATING) -> Census | None:
        self._counted += 1
        return take_census(problem, self._watch, budget)

    def _loosen(self, candidate: Candidate, solutions: int) -> tuple[Candidate, int]:
        """Return a puzzle that says as little as a few trials can make it. Raises Unfinished.

        Where several solutions are wanted, the puzzle stays: nothing about it is superfluous.
        """
        for _ in range(REFINEMENTS if self._wanted.most == 1 else 0):
            following = self._maker.loosen(candidate, self._chance)
            if following is None:
                break
            problem = state(following.puzzle)
            then = self._count(problem, REFINING)
            if then is not None and self._wanted.fits(then, problem):
                candidate, solutions = following, then.solutions
        return candidate, solutions

    def _is_hopeless(self, candidate: Candidate, problem: Problem) -> bool:
        """Whether there are too many solutions that agree with the hidden one in all keys but the first.

        No rule about what a key shows can tell these apart: dominoes that make the same grid, for one. Where
        even they are too many to count, all solutions are.
        """
        if self._wanted.most is None or self._wanted.is_aside(problem):
            return False
        hidden = plugins.family_of(candidate.puzzle).encode(candidate.puzzle, candidate.hidden)
        shown = {v: (hidden[v],) for key in list(problem.keys)[1:] for v in problem.keys[key]}
        if not shown:
            return False
        agreeing = take_census(problem.restricted(shown), self._watch)
        return agreeing is None or agreeing.solutions > self._wanted.most


def _referee(candidate: Candidate) -> None:
    """Raise EngineFault if the hidden solution breaks a constraint or a rule of the game."""
    prepared = prepare(candidate.puzzle, ())
    shown = prepared.family.encode(candidate.puzzle, candidate.hidden)
    prepared.judge([shown[v] for v in range(len(shown))], "the generator")
