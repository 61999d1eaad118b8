"""Check a solution against the rules of the game."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Unpack

from milp_pips.answer import Proof, Settings, Shortcuts
from milp_pips.pipeline import find_point, prepare, puzzle_of, rules_for, settings_of, state
from milp_pips.plugins import family_of
from milp_pips.second_opinion import on_no_solution
from milp_pips.watch import Watch, watching

if TYPE_CHECKING:
    from milp_pips.problem import Problem
    from milp_pips.puzzles.family import Puzzle


class Verdict(NamedTuple):
    """Whether a solution is right (None: no answer), and the first rule it breaks."""

    right: bool | None
    broken: str = ""


def check(
    puzzle: Puzzle | Problem,
    solution: Any,
    settings: Settings = Settings(),
    *,
    watch: Watch | None = None,
    **shortcuts: Unpack[Shortcuts],
) -> Verdict:
    """Return whether the solution is right.

    What the solution shows is held against the rules of the game. Where it leaves something open, as a grid
    of pips leaves open where the dominoes lie, an engine looks for a way to complete it; that there is none
    is confirmed a second way. ``settings``, ``watch`` and ``shortcuts`` are as for ``solve``.
    """
    puzzle = puzzle_of(puzzle, "check")
    settings = settings_of(settings, shortcuts)
    family, problem = family_of(puzzle), state(puzzle)
    broken = family.check(puzzle, solution)
    if broken:
        return Verdict(False, broken)
    shown = family.encode(puzzle, solution)
    if len(shown) == len(problem.variables):
        return Verdict(True)
    rest = problem.restricted({variable: (value,) for variable, value in shown.items()})
    with watching(watch, settings.seconds) as watch:
        prepared = prepare(puzzle, rules_for(settings), rest)
        answer, claim, *_ = find_point(prepared, "", settings, watch)
        if prepared.judge(answer.point, claim.who) is not None:
            return Verdict(True)
        if answer.proof is Proof.INFEASIBLE:
            opinion = on_no_solution(rest, claim, watch)
            if prepared.judge(opinion.point, opinion.witness) is not None:
                return Verdict(True)
            if opinion.confirmed_by:
                return Verdict(False, "no solution shows these values")
        return Verdict(None, f"no answer: {watch.stop or answer.stop}")
