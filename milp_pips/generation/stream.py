"""New puzzles of any family that says how they are drawn: drawn, tightened, counted, refereed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from milp_pips.chance import Chance
from milp_pips.diagram import Unfinished
from milp_pips.errors import UsageError
from milp_pips.generation.request import family_named, maker_of
from milp_pips.generation.search import Search, Wanted
from milp_pips.referee import judged
from milp_pips.watch import Watch

if TYPE_CHECKING:
    from milp_pips.puzzles.family import Maker, Puzzle

TRIES, COUNTS = 200, 600
"""How many puzzles are drawn, and how often solutions are counted, before a request is given up."""


class Made(NamedTuple):
    """A new puzzle, its hidden solution, the number of solutions if counted, and how many tries it took."""

    puzzle: Puzzle[Any]
    hidden: Any
    solutions: int | None
    tries: int


def generate(
    family: str = "",
    *,
    count: int = 1,
    seed: int = 0,
    unique: bool | str = False,
    solutions: tuple[int, int] | None = None,
    watch: Watch | None = None,
    tell: Callable[[int, int], None] | None = None,
    **asked: Any,
) -> Iterator[Made]:
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
    watch
        Says when to stop; the puzzles made till then have been yielded.
    tell
        Called with the number of the puzzle and of the try before each try.
    asked
        The family's own options, such as ``dominoes=14``; values as at the command line.

    Raises
    ------
    UsageError
        For a request that makes no sense, that nothing fits, or that nothing was found for.
    InputError
        If a file that is named cannot be read.
    """
    found = family_named(family)
    maker = maker_of(found, asked)
    wanted = _wanted(unique, solutions)
    watch = watch or Watch()

    def made(number: int, name: str) -> Made:
        chance = Chance(f"{seed}/{number}")
        return _first_fitting(name, maker, wanted, chance, watch, lambda t: tell(number, t) if tell else None)

    return _until_stopped(made, f"{found.name}-{seed}-", count)


def _wanted(unique: bool | str, solutions: tuple[int, int] | None) -> Wanted:
    if unique and solutions:
        raise UsageError("a unique puzzle has one solution: leave out the number of solutions, or unique")
    if solutions:
        least, most = solutions
        if not 1 <= least <= most:
            raise UsageError(f"from {least} to {most} solutions: no puzzle has so many")
        return Wanted("", least, most)
    return Wanted("" if unique is True else unique or "", 1, 1 if unique else None)


def _until_stopped(made: Callable[[int, str], Made], prefix: str, count: int) -> Iterator[Made]:
    width = len(str(count))
    for number in range(1, count + 1):
        try:
            yield made(number, f"{prefix}{number:0{width}}")
        except Unfinished:
            return


def _first_fitting(
    name: str, maker: Maker, wanted: Wanted, chance: Chance, watch: Watch, tell: Callable[[int], None]
) -> Made:
    search = Search(maker, wanted, chance, watch)
    for tries in range(1, TRIES + 1):
        if search.counted > COUNTS:
            break
        if watch.stop:
            raise Unfinished("interrupted", watch.stop)
        tell(tries)
        drawn = maker.draw(name, chance)
        if drawn is None:
            continue
        solutions = None
        if wanted.most is not None:
            found = search.tightened(drawn)
            if found is None:
                continue
            drawn, solutions = search.loosened(*found)
        _referee(*drawn)
        return Made(*drawn, solutions, tries)
    raise UsageError(f"{name}: nothing found in {tries} tries; ask for fewer cells, or for less")


def _referee(puzzle: Puzzle[Any], hidden: Any) -> None:
    """Raise EngineFault if the hidden solution breaks a constraint or a rule of the game."""
    shown = puzzle.encode(hidden)
    judged(puzzle, puzzle.state(), [shown[v] for v in range(len(shown))], "the generator")
