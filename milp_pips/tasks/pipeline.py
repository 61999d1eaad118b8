"""The steps that all tasks share: state the problem, filter its domains, call an engine, check its point.

::

    prepared = prepare(query, run)                           # state and filter
    answer = find_point(prepared, run)                       # call an engine, unless filtering suffices
    solution = prepared.judge(answer.point, answer.claim.who)  # check against the rules

``milp_pips.verification.second_opinion`` then confirms an answer that there is no solution.
"""

from __future__ import annotations

import os
import time
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from milp_pips.problem.answer import (
    FILTERING,
    PROOF_BY_COUNTING,
    Answer,
    Claim,
    Proof,
    Settings,
    Shortcuts,
    Stop,
)
from milp_pips.problem.errors import UsageError
from milp_pips.problem.fields import changed, shown
from milp_pips.problem.parameters import TEXT
from milp_pips.problem.problem import Problem
from milp_pips.puzzles.family import family_of
from milp_pips.puzzles.puzzle import Puzzle, with_board
from milp_pips.tasks.query import Prepared, Query, Run

if TYPE_CHECKING:
    from milp_pips.problem.stopping import Deadline


def listed_puzzle_of(puzzle: object, task: str, over: Any, deadline: Deadline) -> Puzzle:
    """Return the puzzle whose solutions a task lists; they differ in the columns ``over``, if given.

    Integer columns of a model that have no bounds get those that its rows imply together. Raises as
    ``puzzle_of``, UsageError for columns of a puzzle that has none, and Unfinished.
    """
    found = puzzle_of(puzzle, task)
    if found.is_model and found.as_linear().endless:
        from milp_pips.enumeration.tree_bounds import with_implied_bounds  # few models need it

        found = found.bounded(partial(with_implied_bounds, deadline=deadline))
    return found if over is None else found.choosing(over)


def puzzle_of(puzzle: object, task: str) -> Puzzle:
    """Return the puzzle that a task was given; a bare problem or a linear model becomes a puzzle.

    Raises TypeError, with the name of the task, for anything else.
    """
    if isinstance(puzzle, Puzzle):
        return puzzle
    if isinstance(puzzle, Problem):
        from milp_pips.puzzles.bare import BareProblem

        return BareProblem(puzzle)
    if isinstance(puzzle, str | os.PathLike):
        raise TypeError(f"{task} takes a puzzle; read one with milp_pips.read({os.fspath(puzzle)!r})")
    from milp_pips.formulations.reading.objects import TAKEN_MODELS, model_of
    from milp_pips.puzzles.linear import with_finite_key

    if (model := model_of(puzzle)) is not None:
        return with_finite_key(model)
    what = f"{task} takes a puzzle, as milp_pips.read returns it, not {shown(puzzle)}"
    if type(puzzle).__module__ != "builtins":  # it may be a model of another library
        what += f"; or {TAKEN_MODELS}; or write it as MPS and read that"
    raise TypeError(what)


def settings_of(settings: Settings, shortcuts: Shortcuts, solver: str = "") -> Settings:
    """Return the settings changed by the shortcuts. Raises TypeError or ValueError for an invalid value."""
    if not isinstance(settings, Settings):
        raise TypeError(f"settings are a milp_pips.Settings, not {shown(settings)}; or name one: seconds=10")
    TEXT.check("the name of the solver", solver)
    return settings.changed(**shortcuts)


def state(puzzle: Puzzle | Problem) -> Problem:
    """Return the problem that states the puzzle for all engines: variables, constraints, keys and name."""
    puzzle = puzzle_of(puzzle, "state")
    problem = family_of(puzzle).state(puzzle)
    return problem if problem.name else changed(problem, name=puzzle.name)


def prepare(query: Query | Puzzle, run: Run | None = None, *, takes_models: bool = False) -> Prepared:
    """Return what is asked, stated and filtered.

    Parameters
    ----------
    query
        What is asked; a puzzle alone if any of its solutions will do.
    run
        How it is done: its rules filter the domains. Without one, nothing is filtered.
    takes_models
        Whether the task also takes a linear model that is no ``Problem``.

    Raises
    ------
    UsageError
        For a value of the board that is not in the domain of its cell, an objective that cannot be read, a
        rule that is not known, or a model with something that it cannot take.
    """
    if isinstance(query, Puzzle):
        query = Query(query)
    begun, puzzle, board = time.perf_counter(), query.puzzle, query.board
    if takes_models and (linear := puzzle.linear()) is not None:
        if given := query.for_problems():
            reason = linear.model.reason_against_problem
            raise UsageError(f"{puzzle.name}: {reason}; omit {' and '.join(given)}")
        from milp_pips.tasks.models import PreparedModel  # puzzles do not need it

        return PreparedModel.of(puzzle, linear)
    change = query.change()
    problem = state(puzzle)
    if board is not None:
        problem = with_board(problem, board)
    stated = len(problem.variables)
    if change is not None:
        problem = change(problem)
    seconds = time.perf_counter() - begun
    prepared = Prepared(puzzle, family_of(puzzle), problem, problem, "", seconds, stated)
    if run is None:
        return prepared
    # A file resumes only if filtering gives the same domains, so no deadline ends it early.
    return prepared.filtered_again(run.rules, None if run.out else run.deadline)


def find_point(prepared: Prepared, run: Run) -> Answer:
    """Return the answer of the solver, or of the default solver for the empty name, to the filtered problem.

    The default solver has backup solvers: if it takes long, another engine starts in parallel, and the first
    answer counts. There are no backup solvers if the settings address one engine: options or a memory limit.
    If filtering has refuted the problem, that is the answer; so is a refutation by a simple count, which is
    tried before the default solver searches a large space. Raises UsageError.
    """
    name, before = prepared.puzzle.name, prepared.problem.open_values
    solver, settings, deadline = run.solver, run.settings, run.deadline
    if prepared.refutation:
        deadline.progress.report(f"{name}: filtering refutes it: {prepared.refutation}")
        return _refuted(prepared, prepared.refutation, FILTERING)
    deadline.progress.report(
        f"{name}: filtering leaves {prepared.filtered.open_values} of {before} values open"
    )
    if not solver:
        return _ask_default_solver(prepared, settings, deadline)
    from milp_pips.engines.registry import ask  # tasks that filter and compile need no engine

    deadline.progress.report(f"{name}: calling {solver}")
    return _response(solver, settings, ask(solver, prepared.filtered, settings, deadline))


def _ask_default_solver(prepared: Prepared, settings: Settings, deadline: Deadline) -> Answer:
    """Return the answer of the default solver or of its backup solver, see ``find_point``."""
    # A task with a named solver needs none of these.
    from milp_pips.engines.defaults import SHORT_SEARCH, choice_for_point
    from milp_pips.engines.portfolio import run_chosen

    choice = choice_for_point(prepared.filtered, settings)
    if choice.solver != SHORT_SEARCH and (reason := prepared.simple_proof()):
        return _refuted(prepared, reason, PROOF_BY_COUNTING)
    deadline.progress.report(f"{prepared.puzzle.name}: {choice.why}")
    answer, attempt, why = run_chosen(choice, prepared.filtered, settings, deadline)
    return _response(attempt.solver, attempt.settings, answer, why)


def _refuted(prepared: Prepared, reason: str, proof_family: str) -> Answer:
    """Return the answer that there is no solution, which needed no engine; its claim names the proof."""
    spent, claim = {"build": 0.0, "solve": prepared.seconds}, Claim(proof_family, proof_family)
    return Answer(None, Proof.INFEASIBLE, Stop.FINISHED, reason, seconds=spent, claim=claim)


def _response(solver: str, settings: Settings, answer: Answer, choice: str = "") -> Answer:
    """Return the answer of a solver with its claim."""
    from milp_pips.engines.registry import available, version_of

    engine = available(solver, settings)
    claim = Claim(engine.name, engine.proof_family, answer.formulation, version=version_of(engine))
    return replace(answer, claim=claim, choice=choice)
