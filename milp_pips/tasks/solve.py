"""The task ``solve``: prepare a puzzle, call an engine, check its point, confirm that there is no solution.

On request, ``milp_pips.tasks.uniqueness`` then finds out whether the solution is the only one.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Unpack

from milp_pips.engines.registry import available, version_of
from milp_pips.problem.answer import Proof, Settings, Shortcuts, Stop
from milp_pips.problem.stopping import Deadline, OnProgress, SubDeadline, running_deadline
from milp_pips.puzzles.puzzle import Board
from milp_pips.puzzles.registry import family_of
from milp_pips.render.vocabulary import print_text
from milp_pips.tasks.convert import draw
from milp_pips.tasks.pipeline import find_point, prepare, puzzle_of, rules_for, settings_of
from milp_pips.tasks.uniqueness import NOT_SEARCHED, Uniqueness, find_others, known_uniqueness
from milp_pips.verification.second_opinion import Claim, on_no_solution

if TYPE_CHECKING:
    from milp_pips.problem.problem import Problem
    from milp_pips.puzzles.puzzle import Puzzle

WITHOUT_BOARD = 10.0
"""Seconds for finding out whether a puzzle has a solution at all, if none contains the board."""


@dataclass(frozen=True, slots=True)
class Result:
    """The result of ``solve``.

    Parameters
    ----------
    puzzle
        The puzzle.
    solution
        A solution that satisfies the rules, or None.
    status
        ``solved``; ``infeasible``, which is confirmed; ``dead`` if it is confirmed that no solution contains
        the board, and the puzzle may still have one; ``error`` if the engine failed; or ``unknown``.
    stop
        The stopping criterion.
    solver, version, formulation
        The solver that answered, its version and its formulation; if two engines contradict each other, the
        one that is right.
    confirmed_by
        What confirmed that there is no solution; None if nothing did or had to.
    remark
        One sentence that the user must know, or empty.
    fault
        Which engines contradicted each other, or how the engine failed, or empty.
    size, statistics, seconds
        The size of the model, the counters of the search, and the seconds spent (``read``, ``build``,
        ``solve``, ``total``; ``count``, for the search for other solutions, is not part of ``total``).
    choice
        Why this solver was chosen, if none was named.
    others
        What is known about other solutions that contain the board.
    board
        The values that were filled in already.
    """

    puzzle: Puzzle
    solution: Any
    status: str
    stop: Stop
    solver: str
    version: str
    formulation: str
    confirmed_by: str | None = None
    remark: str = ""
    fault: str = ""
    size: Mapping[str, int] = field(default_factory=dict)
    statistics: Mapping[str, int] = field(default_factory=dict)
    seconds: Mapping[str, float] = field(default_factory=dict)
    choice: str = ""
    others: Uniqueness = NOT_SEARCHED
    board: Board | None = None

    _repr_pretty_ = print_text

    def __str__(self) -> str:
        from milp_pips.render.text import to_text

        return to_text(draw(self.puzzle, self.solution)) if self.solution is not None else self.summary()

    def _repr_svg_(self) -> str:
        from milp_pips.render.svg import to_svg

        return to_svg(draw(self.puzzle, self.solution))

    def summary(self) -> str:
        """Return one line: the status, the solver, and the seconds it took."""
        who = " ".join(
            filter(None, [self.solver, self.version, f"({self.formulation})" if self.formulation else ""])
        )
        took = f"{self.seconds['total']:.3f} s"
        match self.status:
            case "solved":
                line = f"{self.puzzle.name}: solved by {who} in {took}"
                if others := str(self.others):
                    line += f"; {others}{' from here' if self.board else ''}"
                if self.others.confirmed_by:
                    line += f", confirmed by {self.others.confirmed_by}"
            case "infeasible" | "dead":
                none = "no solution" if self.status == "infeasible" else "no solution from here"
                line = (
                    f"{self.puzzle.name}: {none}, proven by {who} in {took}; confirmed by {self.confirmed_by}"
                )
            case _:
                line = f"{self.puzzle.name}: no answer by {who} in {took}; stop: {self.stop}"
        return "; ".join(filter(None, [line, self.remark, self.fault]))

    def to_json(self) -> dict[str, Any]:
        """Return the result as JSON-ready data."""
        return {
            "puzzle": self.puzzle.name,
            "family": self.puzzle.family,
            "status": self.status,
            "stop": self.stop.value,
            "solver": {"name": self.solver, "version": self.version},
            "formulation": self.formulation,
            **(
                family_of(self.puzzle).to_json(self.puzzle, self.solution)
                if self.solution is not None
                else {"grid": None}
            ),
            "solutions": self.others.solutions,
            "at_least": self.others.at_least,
            "distinct": self.others.key or None,
            "model": dict(self.size),
            "statistics": dict(self.statistics),
            "seconds": {name: round(spent, 6) for name, spent in self.seconds.items()},
            "confirmed_by": self.confirmed_by or self.others.confirmed_by,
            "remark": self.remark,
            "fault": self.fault,
        }


def solve(
    puzzle: Puzzle | Problem,
    solver: str = "",
    settings: Settings = Settings(),
    *,
    unique: bool = False,
    counting: float | None = None,
    reading: float = 0.0,
    board: Board | None = None,
    deadline: Deadline | None = None,
    on_progress: OnProgress | None = None,
    **shortcuts: Unpack[Shortcuts],
) -> Result:
    """Return a solution of the puzzle, or a confirmed proof that there is none.

    Parameters
    ----------
    puzzle
        A puzzle of any family, or a bare problem.
    solver
        Name of the solver; empty for one that suits the problem, see ``milp_pips.engines.defaults``.
    settings, shortcuts
        Limits and options; fields of ``Settings`` may be given as keywords, such as ``seconds=10``.
    unique
        Whether to find out, within the time limit, if the solution is the only one by the first key. Without
        it, that is known only if filtering leaves nothing open.
    counting
        Without effect, with a DeprecationWarning: use ``unique``.
    reading
        Seconds that reading the puzzle took, to be reported with the others.
    board
        The values that are filled in already, see ``hint``: the solution contains them.
    deadline
        A deadline that is running already, instead of a time limit and the handling of Ctrl-C.
    on_progress
        Called with each line of progress; the logger ``milp_pips`` gets these lines, too.

    Raises
    ------
    UsageError
        If a solver, formulation or option is unknown, the solver cannot run here, or a value of the board is
        not in the domain of its cell.
    EngineFault
        If the engine's point breaks a rule.
    """
    puzzle = puzzle_of(puzzle, "solve")
    settings = settings_of(settings, shortcuts, solver)
    if counting is not None:
        warnings.warn("counting has no effect: use unique=True", DeprecationWarning, stacklevel=2)
    begun = time.perf_counter()
    with running_deadline(deadline, settings.seconds, on_progress) as deadline:
        engine = available(solver, settings) if solver else None
        prepared = prepare(puzzle, rules_for(settings, engine), board, deadline)
        answer, claim, version, choice = find_point(prepared, solver, settings, deadline)
        point = answer.point
        solution = prepared.judge(point, claim.who)
        status, stop = "unknown" if solution is None else "solved", answer.stop
        confirmed_by, remark, fault = None, answer.message, ""
        if answer.proof is Proof.INFEASIBLE:
            deadline.report(f"{puzzle.name}: {claim.who} reports that there is no solution; confirming it")
            opinion = on_no_solution(prepared.problem, claim, deadline)
            confirmed_by = opinion.confirmed_by
            if confirmed_by:
                status = "infeasible"
                deadline.report(f"{puzzle.name}: confirmed by {confirmed_by}")
                if board:
                    status, remark = _without_board(puzzle, settings, deadline)
            elif opinion.point is not None:
                point = opinion.point
                solution, status = prepared.judge(point, opinion.witness), "solved"
                fault = f"{claim.who} calls it infeasible, but {opinion.witness} solves it"
                claim, answer = Claim(opinion.solver, ""), opinion.answer or answer
                version = version_of(available(opinion.solver))
            else:
                stop = deadline.stop or stop
                remark = f"{claim.who} reports that there is no solution, but nothing has confirmed it"
        elif status == "unknown" and stop is Stop.ERROR:
            status, remark, fault = "error", "", remark or f"{claim.who} failed"
        seconds = {"read": reading, **answer.seconds, "total": reading + time.perf_counter() - begun}
        others = Uniqueness(0, 0) if status in ("infeasible", "dead") else Uniqueness(at_least=0)
        if point is not None:
            others = known_uniqueness(prepared)
        if unique and point is not None and not (others.key or fault):
            others = find_others(prepared, point, deadline)
            seconds["count"] = reading + time.perf_counter() - begun - seconds["total"]
    return Result(
        puzzle,
        solution,
        status,
        stop,
        claim.who,
        version,
        answer.formulation,
        confirmed_by,
        remark,
        fault,
        answer.size,
        answer.statistics,
        seconds,
        choice,
        others,
        board,
    )


def _without_board(puzzle: Puzzle, settings: Settings, deadline: Deadline) -> tuple[str, str]:
    """Return the status if no solution contains the board, and a remark on the puzzle without the board."""
    deadline.report(f"{puzzle.name}: searching for a solution without this board")
    deadline = SubDeadline(deadline, WITHOUT_BOARD)
    prepared = prepare(puzzle, rules_for(settings), deadline=deadline)
    answer, claim, *_ = find_point(prepared, "", Settings(), deadline)
    if prepared.judge(answer.point, claim.who) is not None:
        return "dead", "without this board there is one"
    if answer.proof is Proof.INFEASIBLE:
        opinion = on_no_solution(prepared.problem, claim, deadline)
        if prepared.judge(opinion.point, opinion.witness) is not None:
            return "dead", "without this board there is one"
        if opinion.confirmed_by:
            return "infeasible", "nor is there one without this board"
    return "dead", "whether there is one without this board is not known"
