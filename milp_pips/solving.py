"""Solve one puzzle: state it, ask an engine, have the answer judged, have a refusal confirmed."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from milp_pips.answer import Answer, Proof, Settings, Stop
from milp_pips.choosing import usual_solver
from milp_pips.engines import ask, available
from milp_pips.presolve import Contradiction, default_rules, presolved
from milp_pips.referee import judged
from milp_pips.watch import Watch

if TYPE_CHECKING:
    from milp_pips.puzzles.family import Puzzle


@dataclass(frozen=True, slots=True)
class Result:
    """What is known of a puzzle after solving.

    Parameters
    ----------
    puzzle
        The puzzle.
    solution
        A solution that has passed the rules, or None.
    status
        ``solved``; ``infeasible``, which is confirmed; or ``unknown``.
    stop
        Why the engine stopped.
    solver, version, formulation
        Who answered, and how it was asked.
    confirmed_by
        What confirmed that there is no solution; None where nothing had to be or was.
    remark
        One sentence that a person must know, or nothing.
    fault
        Which engines contradicted one another, or nothing.
    size, statistics, seconds
        Of the model, of the search, and spent (``read``, ``build``, ``solve``, ``total``).
    choice
        Why this solver was asked, where none was named.
    """

    puzzle: Puzzle[Any]
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

    def __str__(self) -> str:
        from milp_pips.drawing import to_text

        return to_text(self.puzzle.draw(self.solution)) if self.solution is not None else self.summary()

    def _repr_svg_(self) -> str:
        from milp_pips.drawing import to_svg

        return to_svg(self.puzzle.draw(self.solution))

    def summary(self) -> str:
        """Return one line: the status, by whom, and how long it took."""
        who = " ".join(
            filter(None, [self.solver, self.version, f"({self.formulation})" if self.formulation else ""])
        )
        took = f"{self.seconds['total']:.3f} s"
        match self.status:
            case "solved":
                line = f"{self.puzzle.name}: solved by {who} in {took}"
            case "infeasible":
                line = (
                    f"{self.puzzle.name}: no solution, says {who} in {took}; confirmed by {self.confirmed_by}"
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
            **(self.puzzle.solution_to_json(self.solution) if self.solution is not None else {"grid": None}),
            "model": dict(self.size),
            "statistics": dict(self.statistics),
            "seconds": {name: round(spent, 6) for name, spent in self.seconds.items()},
            "confirmed_by": self.confirmed_by,
            "remark": self.remark,
            "fault": self.fault,
        }


def solve(
    puzzle: Puzzle[Any],
    solver: str = "",
    *,
    formulation: str = "",
    seconds: float | None = None,
    threads: int = 1,
    seed: int = 0,
    options: Mapping[str, str] | None = None,
    rules: Sequence[str] | None = None,
    isolate: bool = False,
    memory: int | None = None,
    reading: float = 0.0,
    watch: Watch | None = None,
) -> Result:
    """Return a solution of the puzzle, or the confirmed word that there is none.

    Parameters
    ----------
    puzzle
        A puzzle of any family.
    solver
        Name of the solver; empty for what suits the problem, see ``milp_pips.choosing``.
    formulation
        How to state the problem to it; empty for what suits the size.
    seconds
        Time limit in all, None for none.
    threads, seed, options
        For the engine; options by its own names.
    rules
        Names of reductions of the domains to make first, see ``milp_pips.presolve``; None for those that pay.
    isolate
        Whether to run the engine in a process of its own even where that is not needed.
    memory
        Bytes of memory the engine may use; it then runs in a process of its own.
    reading
        Seconds that reading the puzzle took, to be told with the others.
    watch
        A watch that is running already; it replaces ``seconds`` and the handling of Ctrl-C.

    Raises
    ------
    UsageError
        For an unknown solver, formulation or option, or a solver that cannot run here.
    EngineFault
        If the engine's point breaks a rule.
    """
    if watch is None:
        with Watch(seconds) as watch:
            return solve(
                puzzle,
                solver,
                formulation=formulation,
                threads=threads,
                seed=seed,
                options=options,
                rules=rules,
                isolate=isolate,
                memory=memory,
                reading=reading,
                watch=watch,
            )
    begun = time.perf_counter()
    problem = puzzle.state()
    choice, engine = "", available(solver) if solver else None
    if rules is None:
        rules = default_rules(formulation or (engine.formulations[0] if engine else ""))
    try:
        reduced = presolved(problem, rules)
    except Contradiction as reason:
        who, version = "filtering", ""
        spent = {"build": 0.0, "solve": time.perf_counter() - begun}
        answer = Answer(None, Proof.INFEASIBLE, Stop.FINISHED, message=str(reason), seconds=spent)
    else:
        if engine is None:
            solver, choice = usual_solver(reduced, formulation)
            engine = available(solver)
        settings = Settings(formulation, threads, seed, options or {})
        answer = ask(solver, reduced, settings, watch, isolate=isolate, memory=memory)
        who, version = engine.name, engine.version()
    solution = judged(puzzle, problem, answer.point, who)
    status, stop = "unknown" if solution is None else "solved", answer.stop
    confirmed_by, remark, fault = None, answer.message, ""
    if answer.proof is Proof.INFEASIBLE:
        from milp_pips.confirm import confirm_infeasible  # rarely needed: start-up is quicker without

        confirmation = confirm_infeasible(problem, answer, watch, who)
        confirmed_by = confirmation.confirmed_by
        if confirmed_by:
            status = "infeasible"
        elif confirmation.contradiction:
            solution = judged(puzzle, problem, confirmation.contradiction.point, confirmation.witness)
            status = "solved"
            fault = f"{who} calls it infeasible, but {confirmation.witness} solves it"
        else:
            stop = watch.stop or stop
            remark = f"{who} says there is no solution, but nothing has confirmed it"
    return Result(
        puzzle,
        solution,
        status,
        stop,
        who,
        version,
        answer.formulation,
        confirmed_by,
        remark,
        fault,
        answer.size,
        answer.statistics,
        {"read": reading, **answer.seconds, "total": reading + time.perf_counter() - begun},
        choice,
    )
