"""Answers with their confirmation: "no solution", "none is better" and "this is the only one"."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from milp_pips.compilation.limits import Budget, Unfinished
from milp_pips.engines.registry import available, version_of
from milp_pips.problem.answer import Answer, Claim, Proof, Settings, Stop
from milp_pips.problem.errors import EngineFault, UsageError
from milp_pips.problem.stopping import Deadline, SubDeadline
from milp_pips.puzzles.puzzle import Puzzle, known_key
from milp_pips.tasks.objectives import as_good_as
from milp_pips.tasks.pipeline import find_point, prepare
from milp_pips.tasks.query import Prepared, Run
from milp_pips.tasks.results import Optimum, Result, Uniqueness
from milp_pips.verification.recounting import Opinion, claim_of_space

WITHOUT_BOARD = 10.0
"""Seconds for finding out whether a puzzle has a solution at all, if none contains the board."""


def find_confirmed(prepared: Prepared, run: Run) -> tuple[Answer, str | None]:
    """Return the default solver's answer, its point checked, and what confirmed that there is no point.

    The confirmation is None if nothing confirmed that, or if there is a point: that of the solver, or else
    one that the second opinion has found. Raises EngineFault for a point that breaks a rule.
    """
    answer = find_point(prepared, run.by(settings=run.settings))
    prepared.judge(answer.point, answer.claim.who)
    if answer.proof is not Proof.INFEASIBLE:
        return answer, None
    opinion = prepared.doubt(answer.claim, run.deadline)
    prepared.judge(opinion.point, opinion.witness)
    return replace(answer, point=opinion.point), opinion.confirmed_by


def confirm_no_solution(prepared: Prepared, answer: Answer, deadline: Deadline, prove: str = "") -> Result:
    """Return the outcome of a second opinion: it confirms "no solution", finds a solution, or neither.

    The opinion is a checked certificate in the folder ``prove``, if that is given.
    """
    puzzle, who = prepared.puzzle, answer.claim.who
    said = f"{who} reports that there is no solution"
    deadline.progress.report(f"{puzzle.name}: {said}; confirming it")
    if prove:
        opinion = _certificate(prepared, prove, "list", (), deadline)
    else:
        opinion = prepared.doubt(answer.claim, deadline)
    if by := opinion.confirmed_by:
        deadline.progress.report(f"{puzzle.name}: confirmed by {by}")
        remark = answer.message
        return prepared.result_of(answer, "infeasible", answer.stop, remark=remark, confirmed_by=by)
    if opinion.point is None:
        stop, remark = deadline.stop or answer.stop, f"{said}, but {opinion.reason}"
        return prepared.result_of(answer, "unknown", stop, remark=remark)
    return _contradicted(prepared, answer, opinion, deadline, "calls it infeasible", "solves it")


def confirm_optimum(
    prepared: Prepared, answer: Answer, found: Result, deadline: Deadline, prove: str = ""
) -> Result:
    """Return the result with its value; if the engine calls it optimal, with a second opinion.

    The opinion is a checked certificate in the folder ``prove``, if that is given.
    """
    objective, result = prepared.objective, _with_value(prepared, found)
    assert result.objective is not None
    assert result.point is not None
    bound = None if answer.bound is None else objective.stated(answer.bound)
    optimum = replace(result.objective, bound=bound)
    if answer.proof is not Proof.OPTIMAL:
        return replace(result, objective=optimum)
    name, said = prepared.puzzle.name, f"{answer.claim.who} reports that no solution is better"
    deadline.progress.report(f"{name}: {said} than {optimum.value}; confirming it")
    if prove:
        opinion = _certificate(prepared, prove, "optimum", [result.point], deadline)
    elif not objective.costs:
        return replace(result, objective=replace(optimum, is_optimal=True))
    else:
        opinion = prepared.better_than(objective.value(result.point)).doubt(answer.claim, deadline)
    if by := opinion.confirmed_by:
        deadline.progress.report(f"{name}: confirmed by {by}")
        return replace(result, objective=replace(optimum, is_optimal=True, confirmed_by=by))
    if opinion.point is None:
        return replace(result, objective=optimum, remark=f"{said}, but {opinion.reason}")
    calls = f"calls {optimum.value} optimal"
    return _contradicted(prepared, answer, opinion, deadline, calls, "finds a better value")


def _certificate(
    prepared: Prepared, folder: str, kind: str, points: Iterable[Sequence[int]], deadline: Deadline
) -> Opinion:
    """Return a certificate, written and checked, as an opinion; it is empty if the time is over."""
    from milp_pips.tasks.certifying import certify

    with suppress(Unfinished):
        proved = certify(prepared, folder, kind, deadline, points=points)
        return Opinion(f"a certificate: {proved.how}, accepted by its checker")
    return Opinion(None)


def _contradicted(
    prepared: Prepared, answer: Answer, opinion: Opinion, deadline: Deadline, calls: str, but: str
) -> Result:
    """Return the solution of a second opinion, which contradicts the answer.

    An engine that is wrong about a ``Problem`` is faulty. About a linear model floating point may err: then
    the better point is the answer, and a second opinion on that follows.
    """
    assert opinion.point is not None
    who = answer.claim.who
    solution = prepared.judge(opinion.point, opinion.witness)
    claim = Claim(opinion.solver, answer.claim.proof_family, version=version_of(available(opinion.solver)))
    right = replace(opinion.answer or answer, point=opinion.point, claim=claim, choice=answer.choice)
    if prepared.blames_engines:
        fault = f"{who} {calls}, but {opinion.witness} {but}"
        said = {"remark": answer.message, "fault": fault, "point": opinion.point}
        return _with_value(prepared, prepared.result_of(right, "solved", answer.stop, solution, **said))
    found = prepared.result_of(right, "solved", answer.stop, solution, point=opinion.point)
    if prepared.problem.objective is not None:
        found = confirm_optimum(prepared, replace(right, proof=Proof.OPTIMAL), found, deadline)
    return replace(found, remark=f"{who} {calls.replace('calls', 'called')}")


def _with_value(prepared: Prepared, found: Result) -> Result:
    """Return the result with the value of its point and the soft rules that it breaks, if there are any."""
    objective, point = prepared.problem.objective, found.point
    if objective is None or point is None:
        return found
    optimum = Optimum(objective.sense, str(objective), objective.stated(objective.value(point)), None)
    return replace(found, objective=optimum, broken=prepared.broken_rules(point))


def improve_start(prepared: Prepared, start: Any, run: Run) -> Answer:
    """Return the answer of a solver that looks for a solution as good as a known one, or better.

    If it finds none, the answer has the known solution. Raises UsageError if that is not a solution, or if
    there is no objective.
    """
    problem = prepared.problem
    if (objective := problem.objective) is None or len(problem.variables) > prepared.stated:
        raise UsageError("a known solution helps to maximise or minimise something: give an objective")
    point = prepared.point_of(start)
    if problem.blank in point:
        raise UsageError("the known solution leaves something open")
    if broken := problem.violated(point):
        raise UsageError(f"the known solution breaks a rule: {broken}")
    value = objective.value(point)
    run.deadline.progress.report(f"{prepared.puzzle.name}: the known solution has the value {value}")
    # The engine prunes by the row from the start; the problem by which points are judged stays as it is.
    filtered = prepared.filtered.with_constraints([as_good_as(objective, value)])
    answer = find_point(replace(prepared, filtered=filtered), run)
    if answer.point is not None or answer.proof is Proof.INFEASIBLE:
        return answer
    return replace(answer, point=point, proof=Proof.FEASIBLE, value=value)


def without_board(puzzle: Puzzle, settings: Settings, deadline: Deadline) -> tuple[str, str]:
    """Return the status if no solution contains the board, and a remark on the puzzle without the board."""
    deadline.progress.report(f"{puzzle.name}: searching for a solution without this board")
    run = Run("", settings, SubDeadline(deadline, WITHOUT_BOARD))
    answer, confirmed_by = find_confirmed(prepare(puzzle, run), run.by())
    if answer.point is not None:
        return "dead", "without this board there is one"
    if confirmed_by:
        return "infeasible", "nor is there one without this board"
    return "dead", "whether there is one without this board is not known"


# Whether a solution is the only one: the solution space counts, or another solution is searched for.

UNIQUENESS_BYTES, UNIQUENESS_SECONDS = 2**25, 0.5
"""Limits of the solution space that is tried first. Of 90 puzzles of the Times, half take 1 ms and all but
three less than 30 ms."""


def find_others(prepared: Prepared, point: Sequence[int], deadline: Deadline) -> Uniqueness:
    """Return what can be proven, until the deadline, about other solutions than the point.

    Raises EngineFault if the solution space has no solution, or if two engines contradict each other.
    """
    problem, key = prepared.problem, known_key(prepared.problem, "")
    deadline.progress.report(f"{prepared.puzzle.name}: searching for another solution")
    counted, claim = _count(prepared, key, deadline)
    if counted is not None and counted != 1:
        return Uniqueness(counted, counted, key)
    # If the space was too large, an engine looks for a second solution. If it counts one solution, whatever
    # shares no code with it has to agree.
    if claim is None:
        return find_another(prepared, point, Run(deadline=deadline))
    opinion = prepared.without([point[v] for v in problem.keys[key]], key).doubt(claim, deadline)
    if opinion.point is not None:
        raise EngineFault(f"{claim.who} counts one solution, but {opinion.witness} finds another")
    return Uniqueness(1 if opinion.confirmed_by else None, 1, key, opinion.confirmed_by)


def find_another(prepared: Prepared, point: Sequence[int], run: Run) -> Uniqueness:
    """Return whether engines find a solution other than the point, or confirm that there is none.

    Raises EngineFault if two engines contradict each other.
    """
    key = known_key(prepared.problem, "")
    rest = prepared.without([point[v] for v in prepared.problem.keys[key]], key)
    answer, confirmed_by = find_confirmed(rest, run)
    if answer.point is not None:
        return Uniqueness(None, 2, key)
    return Uniqueness(1 if confirmed_by else None, 1, key, confirmed_by)


def find_with_others(prepared: Prepared, run: Run) -> tuple[Answer, Uniqueness | None] | None:
    """Return the default solver's answer and what is known of other solutions, both from one search.

    None if that is not worth it, or finds nothing. Each proof about a large Sudoku takes long, and so does
    the search before it. So the second proof begins with that, see ``milp_pips.engines.guided``. If it does
    not end, nothing is known of other solutions.
    """
    from milp_pips.engines.defaults import PERMUTATION_SOLVER, choice_for_point, is_large_permutation

    problem, settings, deadline = prepared.filtered, run.settings, run.deadline
    is_default = not (run.solver or settings.memory or problem.objective)
    if not is_default or prepared.refutation or not is_large_permutation(problem):
        return None
    # Only large problems load these.
    from milp_pips.engines.guided import CAN_RUN, SECOND_SOLVER, search_twice
    from milp_pips.runtime.cluster import available_cores

    choice = choice_for_point(problem, settings)
    if not CAN_RUN or available_cores() < 2 or choice.solver != PERMUTATION_SOLVER or prepared.simple_proof():
        return None
    first, key = available(choice.solver), known_key(prepared.problem, "")
    deadline.progress.report(f"{prepared.puzzle.name}: {choice.why}; {SECOND_SOLVER.title} runs beside it")
    begun = time.perf_counter()
    found = search_twice(prepared.problem, problem, key, choice.solver.partition(":")[2], deadline)
    if not (found.points or found.is_complete or deadline.stop):
        return None
    point, proof = next(iter(found.points), None), Proof.FEASIBLE
    if point is None:
        proof = Proof.INFEASIBLE if found.is_complete else Proof.NONE
    stop = deadline.stop or Stop.FINISHED if proof is Proof.NONE else Stop.FINISHED
    claim = Claim(first.name, first.proof_family, version=version_of(first))
    spent = {"build": 0.0, "solve": found.seconds or time.perf_counter() - begun}
    spent["count"] = time.perf_counter() - begun - spent["solve"]
    answer = Answer(point, proof, stop, size=found.size, seconds=spent, claim=claim, choice=choice.why)
    for each in found.points:
        prepared.judge(each, claim.who)
    if point is not None and found.is_complete and found.is_confirmed:
        return answer, Uniqueness(1, 1, key, SECOND_SOLVER.title)
    if len(found.points) > 1 or deadline.stop:
        return answer, Uniqueness(None, len(found.points), key)
    return answer, None


def _count(prepared: Prepared, key: str, deadline: Deadline) -> tuple[int | None, Claim | None]:
    """Return the number of solutions and the claim that these are all; None if the space is too large."""
    from milp_pips.tasks.compile import compile_prepared  # which loads all that counts

    budget, early = Budget.of_memory(UNIQUENESS_BYTES), SubDeadline(deadline, UNIQUENESS_SECONDS)
    try:
        space = compile_prepared(prepared, key, budget, early)
    except Unfinished:
        return None, None
    if not space.count:
        raise EngineFault(f"{prepared.puzzle.name} has a solution, but its solution space has none")
    return space.count, claim_of_space("the solution space", listed=space.listed)
