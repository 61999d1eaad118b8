"""Results as text: ``parts`` for all of it, ``summary`` for one line.

Each has one function per class of result. A result calls them when it is printed.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import singledispatch
from typing import TYPE_CHECKING

from milp_pips.problem.answer import TaskResult
from milp_pips.puzzles.family import family_of
from milp_pips.tasks.results import Count, Optimum, Result, Summary, Uniqueness, Verdict

if TYPE_CHECKING:
    from milp_pips.render.vocabulary import Drawing

__all__ = ["parts", "summary"]


@singledispatch
def parts(result: TaskResult) -> Iterable[str | Drawing]:
    """Return the lines and drawings of the result, as ``print`` shows it."""
    return [result.summary()]


@singledispatch
def summary(result: TaskResult) -> str:
    """Return the result in one line."""
    raise TypeError(f"there is no text of {type(result).__name__}")


@parts.register(Result)
def _(result: Result) -> Iterable[str | Drawing]:
    if result.solution is None:
        return [summary(result)]
    return [family_of(result.puzzle).draw(result.puzzle, result.solution)]


@summary.register(Result)
def _(result: Result) -> str:
    form = f"({result.formulation})" if result.formulation else ""
    by = f"by {' '.join(filter(None, [result.solver, result.version, form]))}"
    took = f"in {result.seconds['total']:.3f} s"
    match result.status:
        case "solved":
            line = f"solved {by} {took}"
            if result.objective:
                line += f"; {summary(result.objective)}"
            if result.broken:
                line += f"; broken: {', '.join(result.broken)}"
            if others := summary(result.others):
                line += f"; {others}{' from here' if result.board else ''}"
            if result.others.confirmed_by:
                line += f", confirmed by {result.others.confirmed_by}"
        case "infeasible" | "dead":
            none = "no solution" if result.status == "infeasible" else "no solution from here"
            line = f"{none}, proven {by} {took}; confirmed by {result.confirmed_by}"
        case _:
            line = f"no answer {by} {took}; stop: {result.stop}"
    return "; ".join(filter(None, [f"{result.puzzle.name}: {line}", result.remark, result.fault]))


@summary.register(Optimum)
def _(optimum: Optimum) -> str:
    what = f"{optimum.expression} is {optimum.value}"
    best, limit = ("least", "least") if optimum.sense == "minimise" else ("greatest", "most")
    if optimum.is_optimal:
        by = f", confirmed by {optimum.confirmed_by}" if optimum.confirmed_by else ""
        return f"{what}, the {best} value{by}"
    if optimum.bound is None:
        return f"{what}, perhaps not the {best} value"
    return f"{what}, at {limit} {optimum.bound} is possible"


@summary.register(Uniqueness)
def _(others: Uniqueness) -> str:
    if others.solutions == 1:
        return "the only solution"
    if others.solutions is not None:
        return f"one of {others.solutions} {others.key}s"
    return "one of several" if others.at_least > 1 else "not known to be the only one" if others.key else ""


@summary.register(Count)
def _(count: Count) -> str:
    numbers = " and ".join(_number(count, key) for key in count.counts)
    by = f"; confirmed by {count.confirmed_by}" if count.confirmed_by else ""
    if count.objective:
        by += f"; {summary(count.objective)}"
    line = f"{count.puzzle.name}: {numbers} ({count.method}, {count.seconds:.3f} s{by})"
    several = any((n or count.at_least.get(key, 0)) > 1 for key, n in count.counts.items())
    return count.puzzle.remark_on_several(line) if several else line


def _number(count: Count, key: str) -> str:
    """Return what is known of the number of solutions by a key."""
    exact = count.counts[key]
    number = count.at_least[key] if exact is None else exact
    what = f"{'at least ' * (exact is None)}{number} {key}{'' if number == 1 else 's'}"
    return f"{what}, estimate: {count.estimates[key]}" if key in count.estimates else what


@summary.register(Summary)
def _(listed: Summary) -> str:
    who = f"{listed.method} by {listed.solver}" if listed.solver else listed.method
    found = f"{listed.solutions} solution{'' if listed.solutions == 1 else 's'} (by {listed.key}, {who})"
    if listed.method == "best" and listed.complete:
        return f"{found}, no other is better, in {listed.seconds:.3f} s; confirmed by {listed.confirmed_by}"
    if listed.distances and listed.complete:
        apart = ", ".join(map(str, listed.distances))
        far = f"at distances of at least {apart} from those before, and no farther ones"
        return f"{found}, {far}, in {listed.seconds:.3f} s; confirmed by {listed.confirmed_by}"
    if listed.complete:
        return f"{found}, complete, in {listed.seconds:.3f} s; confirmed by {listed.confirmed_by}"
    return f"{found}, not known to be complete, in {listed.seconds:.3f} s; stop: {listed.stop}"


@summary.register(Verdict)
def _(verdict: Verdict) -> str:
    return verdict.broken or verdict.status
