"""New puzzles of any family that says how they are drawn: drawn, tightened, counted, refereed."""

from __future__ import annotations

from collections.abc import Iterator
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

TRIES = 500
"""How many puzzles are drawn before a request is given up."""


class Made(NamedTuple):
    """A new puzzle, the number of its solutions if it was counted, and after how many draws it came."""

    puzzle: Puzzle[Any]
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
    **asked: Any,
) -> Iterator[Made]:
    """Yield new puzzles, each with its hidden solution ``published``.

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
    return _generated(found.name, maker, wanted, count, seed, watch or Watch())


def _wanted(unique: bool | str, solutions: tuple[int, int] | None) -> Wanted:
    if unique and solutions:
        raise UsageError("a unique puzzle has one solution: leave out the number of solutions, or unique")
    if solutions:
        least, most = solutions
        if not 1 <= least <= most:
            raise UsageError(f"from {least} to {most} solutions: no puzzle has so many")
        return Wanted("", least, most)
    return Wanted("" if unique is True else unique or "", 1, 1 if unique else None)


def _generated(
    family: str, maker: Maker[Any], wanted: Wanted, count: int, seed: int, watch: Watch
) -> Iterator[Made]:
    width = len(str(count))
    for number in range(1, count + 1):
        chance = Chance(f"{seed}/{number}")
        try:
            yield _first_fitting(f"{family}-{seed}-{number:0{width}}", maker, wanted, chance, watch)
        except Unfinished:
            return


def _first_fitting(name: str, maker: Maker[Any], wanted: Wanted, chance: Chance, watch: Watch) -> Made:
    for tries in range(1, TRIES + 1):
        drawn = maker.draw(name, chance)
        if drawn is None:
            continue
        _referee(drawn)
        if wanted.most is None:
            return Made(drawn, None, tries)
        search = Search(maker, wanted, chance, watch)
        found = search.tightened(drawn)
        if found is not None:
            puzzle, solutions = search.loosened(*found)
            _referee(puzzle)
            return Made(puzzle, solutions, tries)
    raise UsageError(f"{name}: nothing found in {TRIES} tries; ask for less")


def _referee(puzzle: Puzzle[Any]) -> None:
    """Raise EngineFault if the hidden solution breaks a constraint or a rule of the game."""
    judged(puzzle, puzzle.state(), _hidden(puzzle), "the generator")


def _hidden(puzzle: Puzzle[Any]) -> list[int]:
    shown = puzzle.encode(puzzle.published)
    return [shown[v] for v in range(len(shown))]
