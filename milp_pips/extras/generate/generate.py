"""Generate puzzles of any family with a generator: made, tightened, counted, loosened and validated."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from milp_pips.compilation.limits import Unfinished
from milp_pips.extras.explain.analysis import BoardAnalysis
from milp_pips.extras.explain.parameters import GRADES
from milp_pips.extras.explain.rate import Rating, rating_of
from milp_pips.extras.explain.reasoner import OutOfTime
from milp_pips.extras.generate.fitting import CountRange, FittingSearch, GeneratedPuzzle
from milp_pips.problem import Deadline, Stop, UsageError
from milp_pips.problem.errors import FamilyFault, unknown_name
from milp_pips.problem.parameters import whole
from milp_pips.problem.rng import RandomGenerator
from milp_pips.problem.stopping import OnProgress
from milp_pips.puzzles import family as families

if TYPE_CHECKING:
    from milp_pips.extras.generate.contract import Generator, Maker
    from milp_pips.puzzles.family import Family
    from milp_pips.puzzles.puzzle import Puzzle

# The wanted difficulty of new puzzles.


class Difficulty(NamedTuple):
    """The wanted difficulty: a grade."""

    grade: str

    def __str__(self) -> str:
        return f"is {self.grade}"

    def compare(self, grade: str) -> int:
        """Return 0 for a puzzle of the wanted difficulty, a positive number for one that is harder."""
        return GRADES.index(grade) - GRADES.index(self.grade)


def difficulty_of(grade: str) -> Difficulty | None:
    """Return the wanted difficulty, None for any. Raises UsageError."""
    if grade and grade not in GRADES:
        raise unknown_name("grade", grade, GRADES)
    return Difficulty(grade) if grade else None


def rating_of_puzzle(puzzle: Puzzle, deadline: Deadline) -> Rating:
    """Return the logical difficulty of a puzzle that has a solution. Raises Unfinished at the deadline."""
    try:
        inquiry = BoardAnalysis(puzzle, deadline)
        inquiry.has_solution()
        return rating_of(inquiry.problem, list(inquiry.trace.steps()))
    except OutOfTime:
        raise Unfinished("the puzzle was not rated", deadline.stop or Stop.ERROR) from None


DIGITS = 3
"""The least number of digits in a puzzle's name, independent of the count, so that names sort."""

MAX_RATED = 200
"""The number of fitting puzzles that are rated before the search for a grade fails."""

MAX_STILL_TOO_HARD = 3
"""The number of puzzles that state all they can and are still too hard, after which the search fails."""


def generate(
    family: str = "",
    *,
    count: int = 1,
    seed: int = 0,
    unique: bool | str = False,
    solutions: tuple[int, int] | None = None,
    grade: str = "",
    deadline: Deadline | None = None,
    on_progress: OnProgress | None = None,
    **options: Any,
) -> Iterator[GeneratedPuzzle]:
    """Yield new puzzles, each with its hidden solution.

    The same arguments give the same puzzles, on any machine. Every hidden solution has been validated against
    the puzzle's problem and the rules of the game. Numbers of solutions are exact: a decision diagram counts
    them, or a SAT solver proves that there is only one.

    Parameters
    ----------
    family
        The name of the family; empty for the first.
    count
        The number of puzzles.
    seed
        The seed, which with the other arguments determines the puzzles. Puzzle number ``i`` is the same for
        every count.
    unique
        True for puzzles with one solution; a key such as ``grid`` for puzzles whose solutions agree in it.
    solutions
        The least and the greatest number of solutions, instead of ``unique``.
    grade
        The logical difficulty, such as ``easy`` or ``hard``, see ``milp_pips.extras.explain.rate``. A
        puzzle with a grade is unique unless a number of solutions is given.
    deadline
        The deadline; the puzzles made until it stops have been yielded.
    options
        The family's own options, such as ``dominoes=14``; values as on the command line.
    on_progress
        Called with each progress line; the logger ``milp_pips`` gets the same lines.

    Raises
    ------
    UsageError
        For an invalid request, one that no puzzle can satisfy, or one for which none was found.
    InputError
        If a named file cannot be read.
    """
    whole(1).check("count", count)
    request = request_for(family, seed=seed, unique=unique, solutions=solutions, grade=grade, **options)
    limit = deadline or Deadline()
    limit.progress.listener = on_progress or limit.progress.listener
    return request.puzzles(count, limit)


@dataclass(frozen=True, slots=True)
class GenerationRequest:
    """A request for new puzzles; each puzzle depends only on the request and its own number.

    Parameters
    ----------
    family
        The name of the family.
    seed
        The seed, which with the rest determines the puzzles.
    wanted
        The number of solutions.
    difficulty
        The difficulty; None for any.
    options
        Values of the family's options, as ``Generator.maker`` takes them.
    """

    family: str
    seed: int
    wanted: CountRange
    difficulty: Difficulty | None
    options: Mapping[str, Any]

    def maker(self) -> Maker:
        """Return the maker of such puzzles. Raises UsageError if no such puzzle can exist."""
        return generator_of(generating_family(self.family)).maker(self.options)

    def name(self, number: int) -> str:
        """Return the name of the puzzle with this number."""
        return f"{self.family}-{self.seed}-{number:0{DIGITS}}"

    def puzzles(self, count: int, deadline: Deadline) -> Iterator[GeneratedPuzzle]:
        """Yield this number of puzzles; fewer if the deadline stops the search."""
        for number in range(1, count + 1):
            made = self.attempt(number, deadline=deadline)
            if not isinstance(made, GeneratedPuzzle):
                return
            yield made

    def attempt(self, number: int, *, deadline: Deadline) -> GeneratedPuzzle | str | None:
        """Return the puzzle with this number; after a time limit a sentence on how near the search came.

        Return None after an interruption. Raises UsageError if no puzzle is found.
        """
        search = FittingSearch(self.maker(), self.wanted, RandomGenerator(f"{self.seed}/{number}"), deadline)
        try:
            if self.difficulty is None:
                return search.next_fitting(self.name(number))
            return _first_of_difficulty(search, self.difficulty, self.name(number), deadline)
        except Unfinished as unfinished:
            name, said = self.name(number), str(unfinished)
            said = said if said.startswith(name) else f"{name}: time is up, and no puzzle has come out yet"
            return None if deadline.interrupted else said


def request_for(
    family: str = "",
    *,
    seed: int = 0,
    unique: bool | str = False,
    solutions: tuple[int, int] | None = None,
    grade: str = "",
    **options: Any,
) -> GenerationRequest:
    """Return the request that these arguments of ``generate`` state.

    Files that options name have then been read. Raises UsageError and InputError, as ``generate`` does, also
    if no such puzzle can exist.
    """
    found = generating_family(family)
    difficulty = difficulty_of(grade)
    wanted = _wanted(unique or (difficulty is not None and solutions is None), solutions)
    options = options or dict(getattr(generator_of(found), "of_grade", {}).get(grade, {}))
    request = GenerationRequest(found.name, seed, wanted, difficulty, read_options(found, options))
    maker = request.maker()
    limits = getattr(generator_of(found), "limits_of_grade", {})
    for name, (least, most) in limits.get(grade, {}).items():
        if not least <= getattr(maker, name) <= most:
            able = ", ".join(f"{each} {of[name][0]} to {of[name][1]}" for each, of in limits.items())
            raise UsageError(f"hardly any {maker.kind} {difficulty}; {name} by grade: {able}")
    return request


GENERATORS = {
    "pips": "milp_pips.extras.generate.pips",
    "sudoku": "milp_pips.extras.generate.sudoku",
    "colour-grid": "milp_pips.extras.generate.colour_grid",
}
"""The modules of the built-in generators; a family from a plugin names its own."""


def _generates(family: Family[Any, Any]) -> bool:
    return family.generator is not None or family.name in GENERATORS


def generating_families() -> dict[str, Family[Any, Any]]:
    """Return the families that can generate puzzles, by name."""
    return {family.name: family for family in families.families() if _generates(family)}


def generating_family(name: str) -> Family[Any, Any]:
    """Return the family, the first for an empty name. Raises UsageError if it cannot generate puzzles."""
    able = generating_families()
    name = name or next(iter(able))
    if name not in able:
        raise UsageError(f"no new puzzles of the family {name!r} can be made; known: {', '.join(able)}")
    return able[name]


def generator_of(family: Family[Any, Any]) -> Generator:
    """Return the generator of a family that has one. Raises FamilyFault if it is incomplete."""
    load = family.generator or partial(import_module, GENERATORS[family.name])
    found = cast("Generator", load())
    missing = [name for name in ("options", "maker") if getattr(found, name, None) is None]
    if missing:
        raise FamilyFault(f"the generator of the family {family.name} has no {', no '.join(missing)}")
    return found


def read_options(family: Family[Any, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of the family's options, given as text or as numbers.

    Raises UsageError for an unknown option or an invalid value, and InputError for a file that an option
    names and that cannot be read.
    """
    options = {option.keyword: option for option in generator_of(family).options}
    wanted = {}
    for name, value in given.items():
        if name not in options:
            known = ", ".join(f"--{option.option}" for option in options.values())
            raise UsageError(f"--{name.replace('_', '-')} is not an option of {family.name}; known: {known}")
        try:
            wanted[name] = options[name].kind.read_text(str(value))
        except ValueError as error:
            raise UsageError(f"--{options[name].option}: {error}") from None
    return wanted


def _wanted(unique: bool | str, solutions: tuple[int, int] | None) -> CountRange:
    if unique and solutions:
        raise UsageError("a unique puzzle has one solution: leave out the number of solutions, or unique")
    if solutions:
        least, most = solutions
        if not 1 <= least <= most:
            raise UsageError(f"no puzzle has from {least} to {most} solutions")
        return CountRange("", least, most)
    return CountRange("" if unique is True else unique or "", 1, 1 if unique else None)


def _first_of_difficulty(
    search: FittingSearch, difficulty: Difficulty, name: str, deadline: Deadline
) -> GeneratedPuzzle:
    """Return the first fitting puzzle of the wanted difficulty; one that is too hard is made easier.

    Raises UsageError if none of many has it, Unfinished at the deadline.
    """
    ratings: list[Rating] = []
    tries = too_hard = 0
    made: GeneratedPuzzle | None = None
    while len(ratings) < MAX_RATED and too_hard < MAX_STILL_TOO_HARD:
        try:
            if made is None:
                made = search.next_fitting(name)
                tries += made.tries
            rating = rating_of_puzzle(made.puzzle, deadline)
        except Unfinished as unfinished:
            if not ratings:
                raise
            what = f"{name}: time is up: {_so_far(ratings, difficulty)}"
            raise Unfinished(what, unfinished.stop) from None
        compared = difficulty.compare(rating.grade)
        if not compared:
            return replace(made, tries=tries, rating=rating)
        ratings.append(rating)
        deadline.progress.report(f"{name}: {_so_far(ratings, difficulty)}")
        made = search.tighten_further(made) if compared > 0 else None
        too_hard += compared > 0 and made is None
    hardest = [each.hardest for each in ratings]
    raise UsageError(
        f"{name}: no puzzle of this size that {difficulty} is likely: {_so_far(ratings, difficulty)}, their "
        f"hardest steps cost from {min(hardest):g} to {max(hardest):g}; ask for another size"
    )


def _so_far(ratings: Sequence[Rating], difficulty: Difficulty) -> str:
    """Return how near the rated puzzles come to the wanted difficulty."""
    scores = [each.score for each in ratings]
    span = f"{min(scores):g}" if len(scores) == 1 else f"from {min(scores):g} to {max(scores):g}"
    return f"of {len(ratings)} puzzle{'s' * (len(ratings) > 1)} none {difficulty}: they score {span}"
